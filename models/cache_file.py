"""A cache as a file that travels: JSON Lines, sorted by key, gzipped where its name ends in .gz.

It holds replies, usage and the names of models: no requests, no keys, no paths.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any, Literal, cast

from pydantic import Field, ValidationError

from ..schemas.base import Contract
from ..schemas.errors import UsageError
from ..schemas.printable import printable
from .cache import CallCache, StoredReply
from .outcome import LevelOdds, Usage

FORMAT = "exam2bench-call-cache"
VERSION = 1
MAX_LINE = 16 * 1024 * 1024


class Header(Contract):
    format: Literal["exam2bench-call-cache"]
    version: int


class OddsLine(Contract):
    probabilities: dict[str, float]
    outside: float = 0.0
    score: float | None = None
    also: list[OddsLine] = []


class Line(Contract):
    """One reply: `key` is the sha256 of what was asked, `created` a Unix time in seconds."""

    key: str = Field(pattern=r"^[0-9a-f]{64}$")
    asked: str
    status: Literal["ok", "refused"]
    text: str = ""
    odds: OddsLine | None = None
    refusal: str = ""
    reported: str = ""
    stop: str = ""
    usage: dict[Literal["input", "output", "cached", "cache_write", "reasoning"], int] = {}
    seconds: float = 0.0
    created: int = 0


def export_cache(cache: CallCache, path: Path, *, model: str | None = None) -> int:
    """Write the replies (of one model) to a new file; the same cache gives the same bytes. Returns how many."""
    if path.exists():
        raise UsageError(f"{path} exists: name a new file")
    count = 0
    with _open(path, "w") as out:
        out.write(json.dumps({"format": FORMAT, "version": VERSION}) + "\n")
        for key, reply in cache.rows(model):
            record = {"key": key, **asdict(reply)}
            out.write(json.dumps(record, ensure_ascii=False, sort_keys=True) + "\n")
            count += 1
    return count


def import_cache(cache: CallCache, path: Path) -> tuple[int, int]:
    """(new, already there). All of the file or nothing. Raises UsageError with the line that is wrong."""
    try:
        with _open(path, "r") as lines:
            return cache.put_many(_replies(lines, path.name))
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from None


def _replies(lines: IO[str], name: str) -> Iterator[tuple[str, StoredReply]]:
    for number, text in enumerate(_limited(lines, name), start=1):
        try:
            if number == 1:
                header = Header.model_validate_json(text)
                if header.version > VERSION:
                    raise UsageError(f"{name} was written by a newer version ({header.version}): upgrade exam2bench")
                continue
            yield _reply(Line.model_validate_json(text))
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(step) for step in first["loc"]) or "line"
            raise UsageError(f"{name}, line {number}: {place}: {printable(first['msg'])}") from None


def _limited(lines: IO[str], name: str) -> Iterator[str]:
    number = 0
    while line := lines.readline(MAX_LINE):
        number += 1
        if len(line) == MAX_LINE:
            raise UsageError(f"{name}, line {number}: longer than {MAX_LINE:,} characters")
        yield line
    if not number:
        raise UsageError(f"{name} is empty: it is no exported cache")


def _reply(line: Line) -> tuple[str, StoredReply]:
    data: dict[str, Any] = line.model_dump(exclude={"key", "odds", "usage"})
    odds = LevelOdds.of(line.odds.model_dump()) if line.odds else None
    return line.key, StoredReply(**data, odds=odds, usage=Usage(**cast("dict[str, int]", line.usage)))


def _open(path: Path, mode: Literal["r", "w"]) -> AbstractContextManager[IO[str]]:
    if path.suffix != ".gz":
        return cast("AbstractContextManager[IO[str]]", open(path, mode, encoding="utf-8"))
    if mode == "r":
        return cast("AbstractContextManager[IO[str]]", gzip.open(path, "rt", encoding="utf-8"))
    return _GzipWriter(path)


class _GzipWriter(AbstractContextManager[IO[str]]):
    """gzip with neither time nor name inside: the same replies give the same bytes."""

    def __init__(self, path: Path) -> None:
        import io

        self._raw = open(path, "wb")  # noqa: SIM115  # closed in __exit__
        self._gzip = gzip.GzipFile(filename="", mode="wb", fileobj=self._raw, mtime=0)
        self._text = io.TextIOWrapper(self._gzip, encoding="utf-8")

    def __enter__(self) -> IO[str]:
        return self._text

    def __exit__(self, *exc: object) -> None:
        self._text.close()
        self._raw.close()
