"""Foreign answers put together: one sheet for each taker and sitting, a finding for everything that does not fit."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from ...schemas.answers import AnswerSheet, TakerOutcome
from ...schemas.exam import Exam, Question
from ...schemas.findings import Finding, error, info, warning
from .rows import ForeignAnswer, NoValue
from .values import answer_of_value

Missing = Literal["error", "skipped", "blank"]
MAX_RAW = 200_000
"""Characters of a reply that a sheet keeps: its end, where answers stand."""


@dataclass
class ImportedSheet:
    """`structured`: answers that were finished; the others are replies, read when the sheet is graded."""

    taker: str
    epoch: str | None
    sheet: AnswerSheet
    structured: int = 0
    findings: list[Finding] = field(default_factory=list)


def foreign_sheets(
    answers: Iterable[ForeignAnswer], exam: Exam, digest: str, taker: str, missing: Missing
) -> list[ImportedSheet]:
    """The sheets, in the order in which takers and sittings first appear. `taker`: where the file names none."""
    leaves = {leaf.id: leaf for leaf in exam.leaves()}
    groups: dict[tuple[str, str | None], dict[str, list[ForeignAnswer]]] = {}
    for one in answers:
        groups.setdefault((one.taker or taker, one.epoch), {}).setdefault(one.question, []).append(one)
    found = []
    for (name, epoch), by_question in groups.items():
        sheet = AnswerSheet(exam_id=exam.exam_id, taker=name, bundle_digest=digest, outcomes={})
        made = ImportedSheet(name, epoch, sheet)
        for question, several in by_question.items():
            _put(made, leaves.get(question), question, several)
        _missing(made, [name for name in leaves if name not in by_question], missing)
        found.append(made)
    return found


def _put(made: ImportedSheet, leaf: Question | None, question: str, several: list[ForeignAnswer]) -> None:
    first = several[0]
    if leaf is None:
        told = f"{first.place} answers {question!r}, which the exam does not have; it is in no sheet"
        made.findings.append(warning("import.unknown_question", told, question or None))
        return
    ends = made.sheet.outcomes
    assert ends is not None
    if any((one.value, one.raw, one.status) != (first.value, first.raw, first.status) for one in several):
        places = ", ".join(one.place for one in several[:4])
        told = f"{len(several)} different answers ({places}): name the field that numbers sittings with --epoch-field"
        made.findings.append(error("import.duplicate", told, question))
        ends[question] = TakerOutcome(status="unparseable", detail=told)
        return
    if len(several) > 1:
        told = f"the same answer {len(several)} times ({several[0].place}, {several[1].place}); it counts once"
        made.findings.append(info("import.duplicate", told, question))
    ends[question] = _end(made, leaf, first)


def _end(made: ImportedSheet, leaf: Question, one: ForeignAnswer) -> TakerOutcome:
    raw = one.raw[-MAX_RAW:] if one.raw else None
    if one.status != "answered":
        return TakerOutcome(status=one.status, raw=raw, detail=one.detail)
    value = None if one.value is NoValue else one.value
    if value is None or (isinstance(value, str) and not value.strip()):
        if raw is None or not raw.strip():
            return TakerOutcome(status="answered", raw=raw, detail="left blank")
        return TakerOutcome(status="answered", raw=raw)
    answer = answer_of_value(leaf, value)
    if answer is None:
        # somebody's words, or a form that is no answer here: the extraction reads it, or says that it cannot
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        return TakerOutcome(status="answered", raw=text[-MAX_RAW:])
    made.sheet.answers[leaf.id] = answer
    made.structured += 1
    return TakerOutcome(status="answered", raw=raw)


_MISSING_WORDS = {
    "error": "its score has bounds",
    "skipped": "they leave the denominator",
    "blank": "they count as left blank",
}


def _missing(made: ImportedSheet, names: list[str], how: Missing) -> None:
    ends = made.sheet.outcomes
    assert ends is not None
    for name in names:
        if how != "blank":
            ends[name] = TakerOutcome(status=how, detail="not in the imported file")
    if names:
        shown = ", ".join(names[:8]) + (" …" if len(names) > 8 else "")
        told = f"{len(names)} questions are not in the file: {shown}; {_MISSING_WORDS[how]} (--missing)"
        made.findings.append(warning("import.missing", told))
