"""Answer sheets from disk. Anybody may have written them: what does not fit is a finding, never a traceback."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ..schemas.answers import AnswerValue, TakerOutcome
from ..schemas.errors import BundleError, UsageError
from ..schemas.findings import Finding, error, info, warning
from ..schemas.json_files import MAX_JSON_BYTES, parse_json
from ..schemas.printable import printable

_ANSWER: TypeAdapter[AnswerValue] = TypeAdapter(AnswerValue)
_OUTCOME: TypeAdapter[TakerOutcome] = TypeAdapter(TakerOutcome)
_KNOWN = {"exam_id", "taker", "answers", "usage", "bundle_digest", "bundle_source", "outcomes", "schema_version"}


@dataclass
class RawSheet:
    """A sheet whose outer shape holds; each answer is still the JSON value that was read."""

    exam_id: str
    taker: str | None
    answers: dict[str, Any]
    outcomes: dict[str, TakerOutcome] = field(default_factory=dict)
    usage: dict[str, Any] | None = None
    bundle_digest: str | None = None
    findings: list[Finding] = field(default_factory=list)


def sheet_paths(arguments: Sequence[str]) -> list[Path]:
    """The sheets that a command line names: files, or folders that stand for their *.json in name order.

    Raises UsageError where nothing is there.
    """
    paths: list[Path] = []
    for argument in arguments:
        path = Path(argument)
        if path.is_dir():
            inside = sorted(file for file in path.glob("*.json") if not file.name.endswith(".report.json"))
            if not inside:
                raise UsageError(f"{printable(argument)} is a folder without answer sheets (*.json)")
            paths.extend(inside)
        elif os.path.lexists(path):
            paths.append(path)
        else:
            raise UsageError(f"{printable(argument)}: no such answer sheet")
    return paths


def read_sheet(path: Path) -> RawSheet:
    """Read one sheet. Raises BundleError, in one sentence, where it is no sheet at all: not a regular file,
    too large, not JSON (nested without end, a key twice, NaN), no object, no exam_id, no answers."""
    return sheet_of(parse_json(_content(path), printable(path)), printable(path))


def _content(path: Path) -> bytes:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise BundleError(f"{printable(path)} is not a regular file", "file.not_a_file")
        if status.st_size > MAX_JSON_BYTES:
            size = f"{status.st_size:,} bytes; at most {MAX_JSON_BYTES:,} are read"
            raise BundleError(f"{printable(path)} has {size}", "file.too_large")
        # a byte order mark says nothing in UTF-8; editors on Windows write it
        return path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    except OSError as fault:
        raise BundleError(f"{printable(path)} cannot be read: {fault.strerror}", "file.missing") from fault


def sheet_of(data: Any, name: str) -> RawSheet:
    """Parsed JSON as a sheet; `name` is how messages call it. Raises BundleError like `read_sheet`."""
    if not isinstance(data, dict):
        raise BundleError(f"{name} is no answer sheet: its top level is not an object", "sheet.shape")
    if not isinstance(data.get("exam_id"), str):
        raise BundleError(f"{name} is no answer sheet: it has no exam_id", "sheet.shape")
    if not isinstance(data.get("answers"), dict):
        raise BundleError(f"{name} is no answer sheet: it has no answers by question id", "sheet.shape")
    sheet = RawSheet(data["exam_id"], None, data["answers"])
    for key, kind in (("taker", str), ("usage", dict), ("bundle_digest", str)):
        value = data.get(key)
        if value is None or isinstance(value, kind):
            setattr(sheet, key, value)
        else:
            sheet.findings.append(warning("sheet.field", f"{key} is no {_WORDS[kind]} and is left out"))
    sheet.outcomes = dict(_outcomes(data.get("outcomes"), sheet.findings))
    unknown = [key for key in data if key not in _KNOWN]
    if unknown:
        names = ", ".join(printable(key, 40) for key in unknown[:5])
        sheet.findings.append(info("sheet.field", f"fields that a sheet does not have are ignored: {names}"))
    return sheet


_WORDS: dict[type, str] = {str: "text", dict: "object"}


def _outcomes(data: Any, findings: list[Finding]) -> Iterator[tuple[str, TakerOutcome]]:
    if data is None:
        return
    if not isinstance(data, dict):
        findings.append(warning("sheet.field", "outcomes is no object and is left out"))
        return
    for question, value in data.items():
        try:
            yield question, _OUTCOME.validate_python(value)
        except ValidationError:
            findings.append(warning("sheet.outcome", "the outcome is not one that a sheet can have", question=question))


def answer_of(value: Any) -> AnswerValue | str:
    """One answer as its record, or, in a few words, what is wrong with it."""
    try:
        return _ANSWER.validator.validate_python(value)
    except ValidationError as fault:
        first = fault.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        return printable(f"{place}: {first['msg']}" if place else first["msg"], 200)


def unreadable(path: Path, fault: BundleError) -> Finding:
    """The finding for a sheet that could not be read at all."""
    return error("sheet.unreadable", str(fault), hint=f"check {printable(path.name)}: a sheet is {{exam_id, answers}}")
