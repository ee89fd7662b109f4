"""Answers whose right score is known beforehand, made from the bundle itself, to see what a judge is worth."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ...schemas.bundle import Bundle
from ...schemas.grading import JudgeRule, PartsRule
from .task import Criterion, JudgeTask

AnchorKind = Literal[
    "reference",
    "empty",
    "off_topic",
    "minus_one",
    "padded",
    "reordered",
    "framed",
    "paraphrased",
    "translated",
]
"""`framed`: the published text between words of another language. Paraphrases and translations: `rewriting`."""
NOTHING = "(no answer)"
PADDING = (
    "This question has been discussed for a long time and from many sides. Before answering, one should read it "
    "carefully. There are various opinions about it, and each of them has its place."
)
# a frame in another language than the paper's: the content stays as published
_FRAMES = {"de": "The answer is as follows: {}", "": "Meine Antwort lautet wie folgt: {}"}
_WORD = re.compile(r"[^\W\d_]{4,}")
_IDEOGRAPHS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{2,}")
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
    """All anchors that the bundle allows by rule; `minus_one` and `reordered` only where the reference has several
    pieces."""
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
            Anchor(name, "framed", frame.format(text)),
        ]
        if len(pieces) > 1:
            cut = criterion_piece(tasks[name], pieces)
            made.append(Anchor(name, "minus_one", "\n".join(piece for n, piece in enumerate(pieces) if n != cut)))
            made.append(Anchor(name, "reordered", "\n".join(reversed(pieces))))
    return made


def criterion_piece(task: JudgeTask, pieces: Sequence[str]) -> int:
    """The piece of the official answer that carries one criterion: a sub-question's own answer, or the piece that has
    most words of one criterion and fewer of any other. Where no criterion can be told apart, the longest."""
    by_part = {one.reference.strip(): one.highest for one in task.criteria if one.part and one.reference}
    worth = [max((points for answer, points in by_part.items() if answer in piece), default=0.0) for piece in pieces]
    if any(worth):
        return max(range(len(pieces)), key=lambda place: worth[place])
    best, margin = None, 1
    told = [content_words(_scheme(criterion)) for criterion in task.criteria]
    for place, piece in enumerate(pieces):
        shared = sorted((len(content_words(piece) & words) for words in told), reverse=True)
        lead = shared[0] - (shared[1] if len(shared) > 1 else 0)
        if len(told) > 1 and lead > margin:
            best, margin = place, lead
    return best if best is not None else max(range(len(pieces)), key=lambda place: len(pieces[place]))


def _scheme(criterion: Criterion) -> str:
    top = max(criterion.levels, key=lambda level: level.points)
    return f"{criterion.description} {top.descriptor}"


def content_words(text: str) -> set[str]:
    """Words of four letters and more, and pairs of ideographs: what a text is about, roughly."""
    words = {word.casefold() for word in _WORD.findall(text)}
    return words | {run[n : n + 2] for run in _IDEOGRAPHS.findall(text) for n in range(len(run) - 1)}
