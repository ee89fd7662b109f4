"""Official answers in other words and in another language, written once by a model, checked before they count.

Without a model neither exists: text that nobody wrote cannot be made by rule. What the model gives is held to what can
be checked by rule: the same numbers, a sensible length, and that it is not the old text again. What fails is left out,
with a finding; a wrong paraphrase would be held against the judge.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ...models.gateway import Gateway
from ...models.request import Request, TextPart
from ...schemas.findings import Finding, warning
from .anchors import Anchor, AnchorKind, content_words

Kind = Literal["paraphrased", "translated"]
KINDS: tuple[Kind, ...] = ("paraphrased", "translated")
SHORTEST, LONGEST = 0.5, 2.0
"""Length in characters as a share of the original; a translation between scripts may go four times as far."""
SAME_WORDS = 0.8
"""Share of the original's words above which a paraphrase is the original."""
MAX_TOKENS = 4_096
_SYSTEM = (
    "You rewrite official answers of exams. Keep every fact, number, unit, formula, name and step, add none, and leave "
    "the order of thought. Write as a pupil would write the answer, without any remark of your own."
)
_SCHEMA = {
    "type": "object",
    "properties": {"text": {"type": "string", "description": "the whole answer, rewritten"}},
    "required": ["text"],
    "additionalProperties": False,
}
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True)
class Rewritten:
    """`anchors`: what passed the checks; `findings`: what did not, and why."""

    anchors: list[Anchor]
    findings: list[Finding]


def rewriting_requests(references: Mapping[str, str], language: str) -> list[tuple[str, Kind, Request]]:
    """(question, kind, request) for each official answer and each kind."""
    other = "English" if not language.lower().startswith("en") else "German"
    told = {
        "paraphrased": "Say the answer in other words, in its own language.",
        "translated": f"Translate the answer into {other}.",
    }
    return [
        (name, kind, Request((TextPart(f"{told[kind]}\n\n{text}"),), _SYSTEM, _SCHEMA, max_tokens=MAX_TOKENS, tag=name))
        for kind in KINDS
        for name, text in references.items()
    ]


def rewrite(gateway: Gateway, references: Mapping[str, str], language: str) -> Rewritten:
    """Ask for both kinds of every official answer; replies come from the call cache the second time."""
    asked = rewriting_requests(references, language)
    made: list[Anchor] = []
    findings: list[Finding] = []
    outcomes = gateway.run([request for *_, request in asked])
    for (name, kind, _), outcome in zip(asked, outcomes, strict=True):
        text = outcome.value["text"].strip() if outcome.ok else ""
        fault = fault_of(references[name], text, kind) if outcome.ok else outcome.why()
        if fault is None:
            made.append(Anchor(name, kind, text))
        else:
            findings.append(warning(f"anchor.{kind}", f"{gateway.model}: left out, {fault}", name))
    return Rewritten(made, findings)


def fault_of(original: str, text: str, kind: AnchorKind) -> str | None:
    """What is wrong with a rewritten answer; None where the checks find nothing."""
    if sorted(_numbers(original)) != sorted(_numbers(text)):
        return "its numbers are not those of the official answer"
    share = len(text) / len(original)
    reach = 2.0 if kind == "translated" else 1.0
    if not SHORTEST / reach <= share <= LONGEST * reach:
        return f"it is {share:.1f} times as long as the official answer"
    before, after = content_words(original), content_words(text)
    if before and len(before & after) / len(before) > SAME_WORDS:
        return "it is the official answer in its own words"
    return None


def _numbers(text: str) -> Sequence[str]:
    """The numbers of a text, whatever their decimal sign."""
    return [found.replace(",", ".") for found in _NUMBER.findall(text)]
