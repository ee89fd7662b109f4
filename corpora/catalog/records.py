"""A benchmark's records as its card names their fields: what scoring and importing read.

A field is looked for under the data set's column, then under its canonical name, so records that were made by hand
need not know the columns. Fields that are not the card's are left out. Values stay as the file has them.
"""

from __future__ import annotations

import ast
import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
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
    columns = {one for column in fields.values() for one in (column.column, *column.columns) if one}
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
            record[name] = value
        elif not column.optional:
            wanted = column.column or " ".join(column.columns)
            raise BundleError(
                f"{place}: there is no {name} (column {wanted}), which every record of {card.name} has: "
                f"are these another benchmark's records (`exam2bench catalog show {card.name}`)?"
            )
    record["id"] = _identity(record.get("id", position), place)
    return record


def _value(row: Mapping[str, Any], name: str, column: Column, place: str) -> Any:
    if column.columns:
        if any(one in row for one in column.columns):
            values = [row.get(one) for one in column.columns]
            return [value for value in values if not _is_missing(value)] or None
        value = row.get(name)
        return None if _is_missing(value) else _as_list(value, name, place)
    assert column.column is not None
    value = row.get(column.column)
    if _is_missing(value):
        value = row.get(name)
    if _is_missing(value):
        return None
    return _as_list(value, name, place) if column.many else value


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


def _identity(value: Any, place: str) -> str:
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
