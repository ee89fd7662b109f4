"""Answers whose right score is known beforehand, made from the bundle itself, to see what a judge is worth."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ...schemas.bundle import Bundle
from ...schemas.grading import JudgeRule, PartsRule
from .task import JudgeTask

AnchorKind = Literal["reference", "empty", "off_topic", "minus_one", "padded", "reordered", "other_language"]
NOTHING = "(no answer)"
PADDING = (
    "This question has been discussed for a long time and from many sides. Before answering, one should read it "
    "carefully. There are various opinions about it, and each of them has its place."
)
# a frame in another language than the paper's: the content stays as published
_FRAMES = {"de": "The answer is as follows: {}", "": "Meine Antwort lautet wie folgt: {}"}
_SENTENCE = re.compile(r"(?<=[.!?;。！？；])\s*|\n+")


@dataclass(frozen=True, slots=True)
class Anchor:
    """One answer to one question, and what it is."""

    question_id: str
    kind: AnchorKind
    text: str


def references(bundle: Bundle, tasks: Mapping[str, JudgeTask]) -> dict[str, str]:
    """The official answer of each judged question that has one, as a taker would write it."""
    found: dict[str, str] = {}
    for name in tasks:
        rule = bundle.grading.questions[name].rule
        if isinstance(rule, JudgeRule) and rule.reference_answer and rule.reference_answer.strip():
            found[name] = rule.reference_answer.strip()
        elif isinstance(rule, PartsRule):
            found[name] = "\n".join(f"{part.label or part.id} {part.reference}" for part in rule.parts)
    return found


def wrong_answers(bundle: Bundle, tasks: Mapping[str, JudgeTask]) -> dict[str, str]:
    """For each judged question an answer that is off the point: the official answer of another question."""
    known = references(bundle, tasks)
    names, found = list(known), {}
    for place, name in enumerate(tasks):
        others = [known[other] for other in names if other != name and known[other] != known.get(name)]
        found[name] = others[place % len(others)][:600] if others else "I do not know the answer to this question."
    return found


def anchors(bundle: Bundle, tasks: Mapping[str, JudgeTask]) -> list[Anchor]:
    """All anchors that the bundle allows; `minus_one` and `reordered` only where the reference has several pieces."""
    known, wrong = references(bundle, tasks), wrong_answers(bundle, tasks)
    frame = _FRAMES["de"] if bundle.exam.language.lower().startswith("de") else _FRAMES[""]
    made: list[Anchor] = []
    for name in tasks:
        made += [Anchor(name, "empty", NOTHING), Anchor(name, "off_topic", wrong[name])]
        if name not in known:
            continue
        text = known[name]
        pieces = [piece.strip() for piece in _SENTENCE.split(text) if piece.strip()]
        made += [
            Anchor(name, "reference", text),
            Anchor(name, "padded", f"{PADDING}\n\n{text}\n\n{PADDING}"),
            Anchor(name, "other_language", frame.format(text)),
        ]
        if len(pieces) > 1:
            made.append(Anchor(name, "minus_one", "\n".join(_without_longest(pieces))))
            made.append(Anchor(name, "reordered", "\n".join(reversed(pieces))))
    return made


def _without_longest(pieces: list[str]) -> list[str]:
    cut = max(range(len(pieces)), key=lambda place: len(pieces[place]))
    return [piece for place, piece in enumerate(pieces) if place != cut]
