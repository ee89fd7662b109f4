"""Verdicts as a table: one row a verdict, read from CSV or from graded reports.

CSV columns: `question`, `sheet` (the answer sheet), `judge`, `points`, `max_points`; optional `repeat` (1),
`condition` (""), `raw_points`, `snapped`. In a report each judge of each judged question is one verdict, and the
taker is the sheet; reports of the same taker and judges count as repeats in the order given.
"""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..schemas.errors import BundleError, UsageError
from ..schemas.json_files import read_record
from ..schemas.report import Report

ANCHOR = "anchor-"
REQUIRED = ("question", "sheet", "judge", "points", "max_points")
MAX_ROWS = 5_000_000


@dataclass(frozen=True, slots=True)
class Verdict:
    """One judge's points for one answer in one pass; `share` is points / max_points."""

    question: str
    sheet: str
    judge: str
    repeat: int
    points: float
    max_points: float
    condition: str = ""
    snapped: bool = False

    @property
    def share(self) -> float:
        return self.points / self.max_points


@dataclass(frozen=True)
class ScoreTable:
    """Shares of answers (rows, `(question, sheet)`) by judges (columns), each the mean over the passes used."""

    answers: tuple[tuple[str, str], ...]
    judges: tuple[str, ...]
    shares: NDArray[np.float64]

    @property
    def questions(self) -> list[str]:
        return [question for question, _ in self.answers]


def read_verdicts(paths: Iterable[Path]) -> list[Verdict]:
    """All verdicts of the files. Raises UsageError or BundleError with the file, the row and the value."""
    verdicts: list[Verdict] = []
    passes: Counter[tuple[str, str]] = Counter()
    for path in paths:
        if path.suffix.lower() == ".csv":
            verdicts += _read_csv(path)
        else:
            verdicts += _read_report(path, passes)
    if not verdicts:
        raise UsageError("the files hold no judge's verdict: give reports graded by a judge, or a CSV of verdicts")
    return verdicts


def _read_csv(path: Path) -> list[Verdict]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            missing = [name for name in REQUIRED if name not in (reader.fieldnames or [])]
            if missing:
                raise UsageError(f"{path.name} lacks the column {missing[0]!r}; it needs {', '.join(REQUIRED)}")
            return [_row(path, number, row) for number, row in enumerate(reader, 2)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UsageError(f"{path.name} cannot be read as CSV: {error}") from error


def _row(path: Path, number: int, row: dict[str, Any]) -> Verdict:
    if number > MAX_ROWS:
        raise UsageError(f"{path.name} has more than {MAX_ROWS:,} rows")
    try:
        verdict = Verdict(
            row["question"],
            row["sheet"],
            row["judge"],
            int(row.get("repeat") or 1),
            float(row["points"]),
            float(row["max_points"]),
            row.get("condition") or "",
            (row.get("snapped") or "0") not in ("0", "false", "False"),
        )
    except (TypeError, ValueError) as error:
        raise UsageError(f"{path.name}, line {number}: {error}") from error
    if not (math.isfinite(verdict.points) and math.isfinite(verdict.max_points) and verdict.max_points > 0):
        raise UsageError(f"{path.name}, line {number}: {verdict.points} of {verdict.max_points} points is no score")
    return verdict


def _read_report(path: Path, passes: Counter[tuple[str, str]]) -> list[Verdict]:
    report = read_record(path, Report)
    taker = report.taker or path.stem
    verdicts: list[Verdict] = []
    seen: set[str] = set()
    for question, result in report.results.items():
        judges = result.detail.get("judge_models") or []
        totals = result.detail.get("totals") or [verdict.total_points for verdict in result.judge_verdicts]
        if result.mode != "judge" or result.max_points <= 0 or len(judges) != len(totals):
            continue
        for judge, points in zip(judges, totals, strict=True):
            if not isinstance(points, int | float) or not math.isfinite(points):
                raise BundleError(f"{path.name}: the verdict of {judge} on {question} is {points!r}, not a number")
            seen.add(str(judge))
            repeat = passes[(taker, str(judge))] + 1
            verdicts.append(Verdict(question, taker, str(judge), repeat, float(points), result.max_points))
    for judge in seen:
        passes[(taker, judge)] += 1
    return verdicts


def score_table(verdicts: Sequence[Verdict], *, passes: Iterable[int] | None = None) -> ScoreTable:
    """Answers by judges over the given passes (all by default); answers that a judge did not score are left out."""
    wanted = None if passes is None else set(passes)
    cells: dict[tuple[str, str], dict[str, list[float]]] = {}
    judges: dict[str, None] = {}
    for verdict in verdicts:
        if wanted is None or verdict.repeat in wanted:
            judges[verdict.judge] = None
            row = cells.setdefault((verdict.question, verdict.sheet), {})
            row.setdefault(verdict.judge, []).append(verdict.share)
    names = tuple(sorted(judges))
    answers = tuple(answer for answer in sorted(cells) if len(cells[answer]) == len(names))
    shares = np.array([[float(np.mean(cells[answer][judge])) for judge in names] for answer in answers])
    return ScoreTable(answers, names, shares.reshape(len(answers), len(names)))
