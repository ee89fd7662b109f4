"""Rows of a file of records or predictions: JSON Lines, a JSON list, CSV, TSV, Parquet.

Files come from anywhere: they are read row by row, a line has a bounded length, and every fault is one sentence with
the file and the line. Values are as the file has them: CSV knows texts only, Parquet may hold bytes (pictures).
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO, Any

from ...schemas.errors import BundleError, UsageError
from ...schemas.json_files import parse_json, read_json
from ...schemas.printable import printable

MAX_LINE = 256 * 1024 * 1024
"""Bytes of a JSON line or characters of a CSV cell: a picture in base64 fits, a file without line breaks does not."""
MAX_JSON = 1024 * 1024 * 1024
BATCH = 256
SUFFIXES = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet")

Row = dict[str, Any]


def read_rows(path: Path | str, columns: Collection[str] | None = None) -> Iterator[Row]:
    """The rows of a file in order; with `columns` only those (what is not asked for is not decoded from Parquet).

    Raises UsageError for a file that is not there or of another kind, BundleError for one that is damaged.
    """
    return (row for _, row in numbered_rows(path, columns))


def numbered_rows(path: Path | str, columns: Collection[str] | None = None) -> Iterator[tuple[int, Row]]:
    """The same with the line (JSON Lines, CSV) or the number of the row (the others), counted from 1."""
    file = Path(path)
    if not file.is_file():
        raise UsageError(f"there is no file {printable(path)}")
    suffix = file.suffix.lower()
    if suffix in (".jsonl", ".ndjson"):
        return _chosen(_json_lines(file), columns)
    if suffix == ".json":
        return _chosen(_json_list(file), columns)
    if suffix in (".csv", ".tsv"):
        return _chosen(_delimited(file, "\t" if suffix == ".tsv" else ","), columns)
    if suffix == ".parquet":
        return _parquet(file, columns)
    raise UsageError(f"{printable(path)} is none of the kinds that are read: {', '.join(SUFFIXES)}")


def _chosen(rows: Iterator[tuple[int, Row]], columns: Collection[str] | None) -> Iterator[tuple[int, Row]]:
    if columns is None:
        return rows
    wanted = frozenset(columns)
    return ((number, {name: value for name, value in row.items() if name in wanted}) for number, row in rows)


def _object(value: Any, file: Path, place: str) -> Row:
    if not isinstance(value, dict):
        kind = {list: "a list", str: "a text", type(None): "null"}.get(type(value), "a number")
        raise BundleError(f"{printable(file.name)} {place} is {kind}, not an object")
    return value


def _lines(stream: IO[bytes], file: Path) -> Iterator[tuple[int, bytes]]:
    number = 0
    while line := stream.readline(MAX_LINE + 1):
        number += 1
        if len(line) > MAX_LINE:
            raise BundleError(f"{printable(file.name)} line {number} is longer than {MAX_LINE:,} bytes")
        yield number, line


def _json_lines(file: Path) -> Iterator[tuple[int, Row]]:
    with file.open("rb") as stream:
        for number, line in _lines(stream, file):
            text = line.removeprefix(b"\xef\xbb\xbf").strip() if number == 1 else line.strip()
            if text:
                place = f"line {number}"
                yield number, _object(parse_json(text, f"{printable(file.name)} {place}"), file, place)


def _json_list(file: Path) -> Iterator[tuple[int, Row]]:
    value = read_json(file, MAX_JSON)
    if not isinstance(value, list):
        raise BundleError(f"{printable(file.name)} is not a list of objects; one object a line belongs in a .jsonl")
    for number, item in enumerate(value, 1):
        yield number, _object(item, file, f"entry {number}")


def _delimited(file: Path, delimiter: str) -> Iterator[tuple[int, Row]]:
    csv.field_size_limit(MAX_LINE)
    with file.open(encoding="utf-8-sig", newline="") as stream:
        reader = csv.reader(stream, delimiter=delimiter, strict=True)
        try:
            header = next(reader, None)
            if not header:
                raise BundleError(f"{printable(file.name)} has no line of column names")
            twice = next((name for name in header if header.count(name) > 1), None)
            if twice is not None:
                raise BundleError(f"{printable(file.name)} has the column {printable(twice)} twice")
            for cells in reader:
                if cells and len(cells) != len(header):
                    found = f"{len(cells)} cells, the header {len(header)}"
                    raise BundleError(f"{printable(file.name)} line {reader.line_num} has {found}")
                if cells:
                    yield reader.line_num, dict(zip(header, cells, strict=True))
        except (csv.Error, UnicodeDecodeError) as error:
            raise BundleError(
                f"{printable(file.name)} line {reader.line_num} is not readable: {printable(error)}"
            ) from error


def _parquet(file: Path, columns: Collection[str] | None) -> Iterator[tuple[int, Row]]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise UsageError(f"{printable(file.name)} needs pyarrow: install exam2bench[score]") from error
    number = 0
    try:
        with pyarrow.parquet.ParquetFile(file) as table:
            names = table.schema_arrow.names
            wanted = None if columns is None else [name for name in names if name in frozenset(columns)]
            for batch in table.iter_batches(batch_size=BATCH, columns=wanted):
                for row in batch.to_pylist():
                    number += 1
                    yield number, row
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError) as error:
        # texts that are no UTF-8 and times beyond the calendar are found when values are made of them
        raise BundleError(f"{printable(file.name)} is no readable Parquet file: {printable(error)}") from error
