"""One answer of another harness, and the files that hold nothing but such rows: JSON lines, a JSON list, CSV.

Whoever wrote the file is a stranger: each line is read for itself, bounded, and one that cannot be read is said.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...schemas.answers import OutcomeStatus
from ...schemas.errors import BundleError, UsageError
from ...schemas.json_files import parse_json
from ...schemas.printable import printable

MAX_FILE_BYTES = 1 << 30
MAX_LINE = 16 * 1024 * 1024

ID_FIELDS = ("id", "question_id", "qid", "sample_id", "item_id", "question", "index")
ANSWER_FIELDS = ("answer", "prediction", "predicted", "pred", "model_answer", "parsed_answer", "selected", "choice")
RAW_FIELDS = ("raw", "response", "reply", "output", "completion", "generation", "model_output", "text")
TAKER_FIELDS = ("taker", "model", "model_name", "participant", "student")
EPOCH_FIELDS = ("epoch", "repeat", "run", "attempt", "trial")


class NoValue:
    """The row has no column for a finished answer."""


@dataclass(frozen=True, slots=True)
class ForeignAnswer:
    """`value`: the answer as the file gives it, `NoValue` where it gives only text. `raw`: what the taker wrote.
    `order`: by how the file numbers sittings of one taker. `place`: where it stands, for messages."""

    question: str
    place: str
    value: Any = NoValue
    raw: str | None = None
    status: OutcomeStatus = "answered"
    detail: str | None = None
    taker: str | None = None
    epoch: str | None = None


@dataclass(frozen=True)
class Fields:
    """The columns to read, by name or dotted path; None: the first of the usual names that the rows have."""

    id: str | None = None
    answer: str | None = None
    raw: str | None = None
    taker: str | None = None
    epoch: str | None = None


def checked_file(path: Path) -> Path:
    """Raises UsageError where nothing readable is there, or too much."""
    if not path.is_file():
        raise UsageError(f"{printable(path)}: no such file")
    if path.stat().st_size > MAX_FILE_BYTES:
        raise UsageError(f"{printable(path)} has {path.stat().st_size:,} bytes; at most {MAX_FILE_BYTES:,} are read")
    return path


def table_rows(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """(place, row) of each row of a JSONL, JSON or CSV file, by its ending. Raises BundleError for what is no row."""
    ending = checked_file(path).suffix.lower()
    if ending in (".csv", ".tsv"):
        yield from _csv_rows(path, "\t" if ending == ".tsv" else None)
    elif ending == ".json":
        data = parse_json(path.read_bytes().removeprefix(b"\xef\xbb\xbf"), printable(path))
        if not isinstance(data, list):
            raise BundleError(f"{printable(path)} is no list of rows", "import.shape")
        yield from ((f"row {n}", _row(row, path, f"row {n}")) for n, row in enumerate(data, start=1))
    else:
        yield from _json_lines(path)


def _json_lines(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    with path.open("rb") as stream:
        number = 0
        while line := stream.readline(MAX_LINE + 1):
            number += 1
            place = f"line {number}"
            if len(line) > MAX_LINE:
                raise BundleError(f"{printable(path)}, {place}: longer than {MAX_LINE:,} bytes", "import.shape")
            line = line.removeprefix(b"\xef\xbb\xbf").strip()
            if line:
                yield place, _row(parse_json(line, f"{printable(path)}, {place}"), path, place)


def _row(row: Any, path: Path, place: str) -> Mapping[str, Any]:
    if not isinstance(row, dict):
        raise BundleError(f"{printable(path)}, {place}: no object with named fields", "import.shape")
    return row


def _csv_rows(path: Path, delimiter: str | None) -> Iterator[tuple[str, Mapping[str, Any]]]:
    csv.field_size_limit(MAX_LINE)
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            header = stream.readline(MAX_LINE)
            stream.seek(0)
            # Excel of countries with decimal commas writes semicolons
            mark = delimiter or (";" if header.count(";") > header.count(",") else ",")
            reader = csv.DictReader(stream, delimiter=mark, strict=True)
            for row in reader:
                place = f"line {reader.line_num}"
                if None in row:
                    raise BundleError(f"{printable(path)}, {place}: more fields than the header names", "import.shape")
                yield place, row
    except (csv.Error, UnicodeDecodeError) as fault:
        raise BundleError(f"{printable(path)} is no CSV in UTF-8: {printable(fault)}", "import.shape") from fault


_UNSET = object()


def at(row: Mapping[str, Any], name: str, default: Any = None) -> Any:
    """The field of a row by its name or, into objects, by a dotted path."""
    if name in row:
        return row[name]
    value: Any = row
    for part in name.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return default
        value = value[part]
    return value


def rows_answers(path: Path, fields: Fields) -> Iterator[ForeignAnswer]:
    """The answers of a table. Raises UsageError where a needed column is not there or two could be meant."""
    columns: Fields | None = None
    for place, row in table_rows(path):
        columns = columns or _columns(row, fields, path)
        question = at(row, columns.id or "")
        raw = at(row, columns.raw) if columns.raw else None
        yield ForeignAnswer(
            question=as_id(question),
            place=place,
            value=at(row, columns.answer, None) if columns.answer else NoValue,
            raw=raw if raw is None or isinstance(raw, str) else str(raw),
            taker=_text(at(row, columns.taker)) if columns.taker else None,
            epoch=_text(at(row, columns.epoch)) if columns.epoch else None,
        )


def as_id(value: Any) -> str:
    """An id as text; what cannot be one is an empty text, which no question has."""
    return str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _text(value: Any) -> str | None:
    return None if value is None or value == "" else str(value)


def _columns(row: Mapping[str, Any], fields: Fields, path: Path) -> Fields:
    """The columns of a file by its first row."""
    name = printable(path)
    for flag, given in (("id", fields.id), ("answer", fields.answer), ("raw", fields.raw), ("taker", fields.taker)):
        if given is not None and at(row, given, _UNSET) is _UNSET:
            raise UsageError(f"{name} has no field {given!r} (--{flag}-field); its first row has {_some(row)}")
    question = fields.id or _first(row, ID_FIELDS)
    if question is None:
        raise UsageError(f"{name} names no question: its first row has {_some(row)}; say which one with --id-field")
    answer, raw = fields.answer, fields.raw
    if answer is None and raw is None:
        found = [field for field in (*ANSWER_FIELDS, *RAW_FIELDS) if field in row]
        if not found:
            raise UsageError(f"{name} has no answers: its first row has {_some(row)}; say which with --answer-field")
        finished = [field for field in found if field in ANSWER_FIELDS]
        if "answer" in finished and len(found) > 1:
            # in many harnesses `answer` is the key: importing it would make everybody right
            other = next(field for field in found if field != "answer")
            told = f"has both answer and {other}: say what the taker answered with --answer-field or --raw-field"
            raise UsageError(f"{name} {told}")
        answer = finished[0] if finished else None
        raw = next((field for field in found if field in RAW_FIELDS), None)
    taker = fields.taker or _first(row, TAKER_FIELDS)
    return Fields(question, answer, raw, taker, fields.epoch or _first(row, EPOCH_FIELDS))


def _first(row: Mapping[str, Any], names: Sequence[str]) -> str | None:
    return next((name for name in names if name in row), None)


def _some(row: Mapping[str, Any]) -> str:
    names = [printable(name, 40) for name in row]
    return ", ".join(names[:12]) + (" …" if len(names) > 12 else "")
