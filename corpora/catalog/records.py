"""A benchmark's records as its card names their fields: what scoring and importing read.

A field is looked for under the data set's column, then under its canonical name, so records that were made by hand
need not know the columns. Fields that are not the card's are left out. Values stay as the file has them.
"""

from __future__ import annotations

import ast
import hashlib
import json
import math
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from ...schemas.errors import BundleError
from ...schemas.printable import printable
from .card import Card, Column
from .tables import numbered_rows

Record = dict[str, Any]
MAX_LIST_TEXT = 200_000
"""Characters of a written list; a question with its options has a few thousand."""
MAX_ID = 128
"""Characters of an id, as the bundle contract has it."""


PICTURES = ("image", "images")


def read_records(card: Card, paths: Iterable[Path | str], skip: Collection[str] = PICTURES) -> list[Record]:
    """All of `iter_records`, by default without the pictures, which scoring has no use for."""
    return list(iter_records(card, paths, skip))


def iter_records(card: Card, paths: Iterable[Path | str], skip: Collection[str] = ()) -> Iterator[Record]:
    """The records of one file or several shards, each with the card's fields by their canonical names and a unique
    text as `id` (the row's position, counted from 0, where the card knows no id).

    `skip`: fields that are not wanted. Raises UsageError for a file that is not there, BundleError, naming the line,
    where a field is missing or malformed or an id stands twice, or where there is no record at all.
    """
    fields = {name: column for name, column in card.fields.items() if name not in skip}
    columns = {name for column in fields.values() for name in column.names()}
    seen: dict[str, str] = {}
    position = 0
    for path in paths:
        for number, row in numbered_rows(path, {*columns, *fields}):
            place = f"{printable(Path(path).name)} line {number}"
            for record in _exploded(card, _canonical(card, fields, row, place, position), place):
                if record["id"] in seen:
                    first = seen[record["id"]]
                    raise BundleError(f"{place}: the id {printable(record['id'])} stands already in {first}")
                seen[record["id"]] = place
                yield record
            position += 1
    if not seen:
        raise BundleError(f"{', '.join(printable(Path(path).name) for path in paths)} has no records")


def _canonical(card: Card, fields: Mapping[str, Column], row: Mapping[str, Any], place: str, position: int) -> Record:
    record: Record = {}
    for name, column in fields.items():
        value = _value(row, name, column, place)
        if value is not None:
            record[name] = _numbers(value, name, place) if column.numbers else value
        elif not column.optional and not (card.records.right_first and name == "answer"):
            raise BundleError(
                f"{place}: there is no {name} (column {column.column or ' '.join(column.columns)}), which every record "
                f"of {card.name} has: are these another benchmark's records (`exam2bench catalog show {card.name}`)?"
            )
    record["id"] = identity(record.get("id", position), place)
    if card.records.letters and "options" not in record:
        record["options"] = list(card.records.letters)
    if card.records.right_first and "options" not in row:
        _mix(record)
    return record


def _mix(record: Record) -> None:
    """The options, of which the first is right, in an order that depends on nothing but the record's id."""
    options = record["options"]
    keys = [hashlib.sha256(f"{record['id']}/{place}".encode()).digest() for place in range(len(options))]
    order = sorted(range(len(options)), key=lambda place: keys[place])
    record["options"] = [options[place] for place in order]
    record["answer"] = ascii_uppercase[order.index(0)]


def _value(row: Mapping[str, Any], name: str, column: Column, place: str) -> Any:
    if column.join is not None and all(one in row for one in column.columns):
        return column.join.join(str(row[one]) for one in column.columns)
    if column.columns and column.join is None and any(one in row for one in column.columns):
        return _several(row, name, column, place)
    value = _cell(row, column.column) if column.column else None
    if _is_missing(value):
        return _by_canonical_name(row, name, column, place)
    if column.pattern is not None:
        found = re.search(column.pattern, str(value))
        return found.group(1) if found else None
    return _as_list(value, name, place) if column.many else value


def _several(row: Mapping[str, Any], name: str, column: Column, place: str) -> list[Any] | None:
    """The values of several columns. A question with fewer options than another leaves the last ones empty.

    Raises BundleError for an empty option before another one: their letters would move.
    """
    values = [_cell(row, one) for one in column.columns]
    filled = [n for n, value in enumerate(values) if not _is_missing(value)]
    gap = next((n for n, place_of in enumerate(filled) if n != place_of), None)
    if name == "options" and gap is not None:
        raise BundleError(
            f"{place}: the option {column.columns[gap]} is empty, though {column.columns[filled[-1]]} is not"
        )
    return [values[n] for n in filled] or None


def _by_canonical_name(row: Mapping[str, Any], name: str, column: Column, place: str) -> Any:
    """What records made by hand, or by `catalog prepare`, hold: taken as it is, a written list as a list."""
    value = row.get(name)
    if _is_missing(value):
        return None
    listed = column.many or (column.columns and column.join is None)
    return _as_list(value, name, place) if listed and str(value).lstrip().startswith("[") else value


def _cell(row: Mapping[str, Any], column: str) -> Any:
    """A column's value; a dot in a name that is no column descends into an object."""
    if column in row or "." not in column:
        return row.get(column)
    head, _, rest = column.partition(".")
    inner = row.get(head)
    return _cell(inner, rest) if isinstance(inner, Mapping) else None


def _numbers(value: Any, name: str, place: str) -> Any:
    """A number, or a list of numbers and lists; an object of x and y is the list of both."""
    if isinstance(value, Mapping) and set(value) == {"x", "y"}:
        value = [value["x"], value["y"]]
    if isinstance(value, str) and value.lstrip().startswith("["):
        value = _as_list(value, name, place)
    if isinstance(value, list | tuple):
        return [_numbers(one, name, place) for one in value]
    try:
        number = float(value) if isinstance(value, str | int | float) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise BundleError(f"{place}: {name} is made of numbers, and {printable(value, 40)} is none")
    return number


def is_number(value: Any) -> bool:
    """A finite number that is no truth value; a whole number of any length is refused where no float holds it."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _is_missing(value: Any) -> bool:
    """None, an empty cell, and the nan that tables write for one."""
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def _as_list(value: Any, name: str, place: str) -> list[Any]:
    """A list as it is; a text in square brackets as the list it is written as; anything else as its only member."""
    if isinstance(value, list | tuple):
        return list(value)
    if not isinstance(value, str) or not value.lstrip().startswith("["):
        return [value]
    if len(value) > MAX_LIST_TEXT:
        raise BundleError(f"{place}: {name} is a list of {len(value):,} characters; at most {MAX_LIST_TEXT:,} are read")
    for parse in (json.loads, ast.literal_eval):
        try:
            parsed = parse(value.strip())
        except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
            continue
        if isinstance(parsed, list):
            return parsed
    return [value]


def identity(value: Any, place: str) -> str:
    """An id as the text by which records, predictions and questions are matched. Raises BundleError, naming `place`."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise BundleError(f"{place}: the id {printable(value)} is neither a text nor a whole number")
    text = str(value).strip()
    if not text or len(text) > MAX_ID:
        raise BundleError(f"{place}: the id has {len(text)} characters; 1 to {MAX_ID} are an id")
    return text


def _exploded(card: Card, record: Record, place: str) -> Iterator[Record]:
    """A row that holds several questions as as many records, `id.0`, `id.1`, …; a row of one stays as it is."""
    each = [name for name in card.records.each if name in record]
    if not any(isinstance(record[name], list) for name in each):
        yield record
        return
    lists = {name: record[name] if isinstance(record[name], list) else [record[name]] for name in each}
    lengths = {len(values) for values in lists.values()}
    if len(lengths) > 1:
        counts = ", ".join(f"{len(values)} {name}" for name, values in lists.items())
        raise BundleError(f"{place}: the lists of one row have different lengths ({counts})")
    for n in range(lengths.pop()):
        yield {**record, **{name: values[n] for name, values in lists.items()}, "id": f"{record['id']}.{n}"}
