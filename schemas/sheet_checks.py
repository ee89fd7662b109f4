"""Does an answer sheet fit its exam? Sheets are written by models and their harnesses: nothing is trusted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import ValidationError

from .answer_schema import answer_schema
from .answers import TakerOutcome
from .exam import Exam
from .findings import Finding, error, warning

ADDED_FIELDS = ("bundle_digest", "bundle_source", "outcomes")
"""Fields of a sheet that the interchange schema does not know; they are left out before it is applied."""
MAX_ANSWER = 200_000
"""Characters of one text in an answer."""
_CODES = {"required": "sheet.missing", "additionalProperties": "sheet.unknown", "enum": "sheet.option"}


def validate_sheet(exam: Exam, sheet: Any, bundle_digest: str | None = None) -> list[Finding]:
    """Findings about a parsed answers.json, one for each fault.

    `sheet` is any JSON value. With `bundle_digest`, a sheet that was written for another version of the
    bundle gets a warning. Unanswered leaves are errors here, as the contract has it; grading counts them
    as unanswered instead.
    """
    from jsonschema import Draft202012Validator

    if not isinstance(sheet, dict):
        return [error("sheet.invalid", "an answer sheet is a JSON object")]
    plain = {key: value for key, value in sheet.items() if key not in ADDED_FIELDS}
    faults = Draft202012Validator(answer_schema(exam)).iter_errors(plain)
    found = [_finding(fault) for fault in faults]
    found += _outcomes(exam, sheet.get("outcomes"))
    found += _texts(plain.get("answers"))
    stated = sheet.get("bundle_digest")
    if bundle_digest and stated and stated != bundle_digest:
        found.append(warning("sheet.digest", "the sheet was written for another version of this bundle"))
    return found


def _finding(fault: Any) -> Finding:
    place = list(fault.absolute_path)
    question = str(place[1]) if len(place) > 1 and place[0] == "answers" else None
    code = _CODES.get(str(fault.validator), "sheet.invalid")
    where = ".".join(map(str, place)) or "the sheet"
    return error(code, f"{where}: {fault.message}", question)


def _outcomes(exam: Exam, outcomes: Any) -> Iterable[Finding]:
    if outcomes is None:
        return
    if not isinstance(outcomes, dict):
        yield error("sheet.invalid", "outcomes: an object by question id is expected")
        return
    leaves = {leaf.id for leaf in exam.leaves()}
    for name, outcome in outcomes.items():
        if name not in leaves:
            yield error("sheet.unknown", "outcomes: the exam has no such question", name)
        try:
            TakerOutcome.model_validate(outcome, strict=True)
        except ValidationError as faults:
            yield error("sheet.invalid", f"outcomes: {faults.errors(include_url=False)[0]['msg']}", name)


def _texts(answers: Any) -> Iterable[Finding]:
    for name, answer in answers.items() if isinstance(answers, dict) else ():
        texts = [text for value in answer.values() for text in _strings(value)] if isinstance(answer, dict) else []
        longest = max(map(len, texts), default=0)
        if longest > MAX_ANSWER:
            yield warning("sheet.huge", f"an answer of {longest:,} characters", name)


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for text in value.values() if isinstance(text, str)]
    return []
