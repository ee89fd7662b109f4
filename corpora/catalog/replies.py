"""An answer sheet of an imported bundle as predictions, so that the benchmark's own rules can score it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ...grade.sheets import RawSheet, read_sheet
from ...schemas.answers import AnswerValue, SingleChoiceAnswer, TextAnswer, TrueFalseAnswer
from ...schemas.bundle import load_bundle
from ...schemas.errors import BundleError
from ...schemas.json_files import write_text
from ...schemas.printable import printable
from .card import Card
from .importing import RECORD

_ANSWER: TypeAdapter[AnswerValue] = TypeAdapter(AnswerValue)


def write_predictions(card: Card, bundle_path: Path, sheet_path: Path, target: Path) -> int:
    """Write a line `{"id", "prediction"}` for every question that was answered; returns how many.

    The prediction is the answer as the sheet has it (a letter, Yes or No, the text), or the raw reply where no answer
    was read from it. Questions without either have no line: scoring then says that they are missing.
    Raises BundleError where the bundle is not this benchmark's or the sheet is another bundle's.
    """
    bundle = load_bundle(bundle_path)
    if bundle.exam.metadata.get("benchmark") != card.name:
        raise BundleError(f"{printable(bundle_path)} was not imported from {card.name}")
    sheet = read_sheet(sheet_path)
    if sheet.exam_id != bundle.exam.exam_id:
        raise BundleError(f"{printable(sheet_path)} answers the exam {printable(sheet.exam_id)}, not {card.name}")
    lines: list[str] = []
    for leaf in bundle.exam.leaves():
        prediction = _prediction(sheet, leaf.id)
        if prediction is not None:
            record = bundle.exam.metadata.get(f"{RECORD}{leaf.id}", leaf.id)
            lines.append(json.dumps({"id": record, "prediction": prediction}, ensure_ascii=False) + "\n")
    write_text(target, "".join(lines))
    return len(lines)


def _prediction(sheet: RawSheet, question: str) -> str | None:
    if question in sheet.answers:
        return _text_of(sheet.answers[question], question)
    outcome = sheet.outcomes.get(question)
    return outcome.raw if outcome and outcome.status == "answered" else None


def _text_of(value: Any, question: str) -> str:
    try:
        answer = _ANSWER.validate_python(value)
    except ValidationError as fault:
        raise BundleError(f"the answer to {printable(question)} is none: {fault.error_count()} faults") from fault
    match answer:
        case SingleChoiceAnswer():
            return answer.selected
        case TrueFalseAnswer():
            return "Yes" if answer.value else "No"
        case TextAnswer():
            return answer.text
    raise BundleError(f"{printable(question)} has an answer of type {answer.type}, which no benchmark's import makes")
