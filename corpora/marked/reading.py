"""A set of marked answers as it lies on disk: JSON Lines, one answer a line with its question and its marks."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from ...schemas.errors import UsageError
from ...schemas.printable import printable

MAX_BYTES = 256 * 1024 * 1024


class MarkedLevel(BaseModel):
    model_config = ConfigDict(allow_inf_nan=False)
    points: float
    descriptor: str = ""


class MarkedCriterion(BaseModel):
    criterion: str
    levels: list[MarkedLevel] = Field(min_length=1)


class MarkedRow(BaseModel):
    """One answer. `scores`: a mark per rater, `gold`: the mark that counts, `scores_by_criterion`: per rater a mark
    per criterion; all in points of `max_points`. Other fields of a line are not read."""

    model_config = ConfigDict(allow_inf_nan=False)
    question_id: str = Field(min_length=1)
    question: str
    context: str | None = None
    reference: str | None = None
    rubric: list[MarkedCriterion] | None = None
    max_points: float = Field(gt=0)
    language: str = "und"
    answer_id: str
    answer: str
    scores: list[float] = Field(min_length=1)
    gold: float
    scores_by_criterion: list[list[float]] | None = None

    @model_validator(mode="after")
    def _by_criterion(self) -> MarkedRow:
        width = len(self.rubric or [])
        if any(len(given) != width for given in self.scores_by_criterion or []):
            raise ValueError(f"scores_by_criterion does not have a mark for each of the {width} criteria")
        return self


def read_marked_set(path: Path) -> list[MarkedRow]:
    """All lines of a set. Raises UsageError, with the line, for a file that is none."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise UsageError(f"{printable(path)} is larger than {MAX_BYTES:,} bytes")
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise UsageError(f"{printable(path)} cannot be read: {printable(fault)}") from fault
    rows = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            rows.append(MarkedRow.model_validate_json(line))
        except ValidationError as fault:
            first = fault.errors()[0]
            place = ".".join(str(step) for step in first["loc"])
            raise UsageError(f"{printable(path)}, line {number}: {place} {printable(first['msg'], 200)}") from fault
    if not rows:
        raise UsageError(f"{printable(path)} holds no marked answer")
    return rows


def spread(rows: Iterable[MarkedRow]) -> list[MarkedRow]:
    """The rows in an order of which every beginning is a sample of the whole, with the same shares of each mark: by
    the place within those of the same mark, drawn by the hash of the answer's id."""
    placed = []
    for same in _by_mark(rows).values():
        same.sort(key=_lot)
        placed += [((place + 0.5) / len(same), _lot(row), row) for place, row in enumerate(same)]
    return [row for *_, row in sorted(placed, key=lambda entry: entry[:2])]


def halves(rows: Iterable[MarkedRow]) -> tuple[list[MarkedRow], list[MarkedRow]]:
    """Two halves with the same marks: those of one mark are dealt out in turn, in the order given."""
    dealt: tuple[list[MarkedRow], list[MarkedRow]] = ([], [])
    for place, (_, same) in enumerate(sorted(_by_mark(rows).items())):
        for turn, row in enumerate(same):
            dealt[(place + turn) % 2].append(row)
    return dealt


def _by_mark(rows: Iterable[MarkedRow]) -> dict[float, list[MarkedRow]]:
    found: dict[float, list[MarkedRow]] = defaultdict(list)
    for row in rows:
        found[row.gold / row.max_points].append(row)
    return found


def _lot(row: MarkedRow) -> str:
    return hashlib.sha256(f"{row.question_id}\0{row.answer_id}".encode()).hexdigest()
