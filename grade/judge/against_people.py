"""A judge beside people who marked the same answers, and beside how far those people agree with each other.

The figures are agreement over pairs: the judge with each rater, each rater with each other rater (the ceiling).
Quadratic weighted kappa: 1 - observed / expected squared distance, which for marks on an equally spaced scale is
Cohen 1968; here over shares of the maximum, so that questions of different scales may be pooled. Intervals: percentile
bootstrap that draws questions where there are at least eight, else answers.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...schemas.errors import UsageError
from ..reliability import icc_2_1
from .task import JudgeTask

FloatArray = NDArray[np.float64]
FEW_QUESTIONS = 8
RESAMPLES = 1_000
_NOT_RATERS = {"question", "question_id", "answer", "answer_id", "taker", "max_points"}


@dataclass(frozen=True)
class MarkedAnswer:
    """One row: `marks` in points by rater; `by_criterion` the same by criterion id, where the file has it."""

    question_id: str
    answer: str
    marks: dict[str, float]
    by_criterion: dict[str, dict[str, float]]


@dataclass(frozen=True)
class Pairs:
    """Marks of two sides on the same answers, as shares of the maximum. `step`: the smallest distance between two
    levels of each answer's question; `clusters`: its question."""

    first: FloatArray
    second: FloatArray
    step: FloatArray
    clusters: tuple[Hashable, ...]


def read_marks(path: Path, known: Mapping[str, JudgeTask]) -> list[MarkedAnswer]:
    """JSONL or CSV: question, answer, a column per rater, `RATER:CRITERION` for marks by criterion; empty cells are
    no mark. Raises UsageError with the line, for a question the bundle does not judge or a mark that is no number."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as fault:
        raise UsageError(f"{path} cannot be read: {fault}") from fault
    try:
        if path.suffix.lower() == ".csv":
            rows: list[Any] = list(csv.DictReader(io.StringIO(text, newline="")))
        else:
            rows = [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, csv.Error) as fault:
        raise UsageError(f"{path} is no JSONL and no CSV file: {fault}") from fault
    marked = [_marked(row, f"{path.name}, row {number}", known) for number, row in enumerate(rows, 1)]
    if not marked or not any(one.marks for one in marked):
        raise UsageError(f"{path} holds no marks: it needs question, answer and one column per rater")
    return marked


def _marked(row: Any, where: str, known: Mapping[str, JudgeTask]) -> MarkedAnswer:
    if not isinstance(row, dict):
        raise UsageError(f"{where}: not an object")
    name, answer = row.get("question") or row.get("question_id"), row.get("answer")
    if not isinstance(name, str) or name not in known or not isinstance(answer, str):
        raise UsageError(f"{where}: {name!r} is no judged question of the bundle, or the row has no answer")
    marks: dict[str, float] = {}
    parts: dict[str, dict[str, float]] = {}
    for column, value in row.items():
        if column in _NOT_RATERS or value in (None, ""):
            continue
        rater, colon, criterion = str(column).partition(":")
        try:
            points = float(value)
        except (TypeError, ValueError):
            raise UsageError(f"{where}: the mark {value!r} of {column} is no number") from None
        if not math.isfinite(points):
            raise UsageError(f"{where}: the mark {value!r} of {column} is no number")
        if colon:
            parts.setdefault(criterion, {})[rater] = points
        else:
            marks[rater] = points
    return MarkedAnswer(name, answer, marks, parts)


def comparison(
    marked: Sequence[MarkedAnswer], given: Sequence[float | None], tasks: Mapping[str, JudgeTask]
) -> dict[str, Any]:
    """One judge's marks (points, None without a verdict) beside the raters': pooled and per question."""
    table = [(one, points) for one, points in zip(marked, given, strict=True) if points is not None]
    found: dict[str, Any] = {"answers": len(marked), "without_verdict": len(marked) - len(table)}
    found |= side_by_side([one for one, _ in table], [points for _, points in table], tasks)
    names = list(dict.fromkeys(one.question_id for one, _ in table))
    if len(names) > 1:
        found["questions"] = {}
        for name in names:
            own = [(one, points) for one, points in table if one.question_id == name]
            found["questions"][name] = side_by_side([one for one, _ in own], [points for _, points in own], tasks)
    return found


def side_by_side(
    marked: Sequence[MarkedAnswer], given: Sequence[float], tasks: Mapping[str, JudgeTask]
) -> dict[str, Any]:
    """Judge with each rater (`judge_human`), raters with each other (`human_human`, None for one rater), all questions
    pooled. `given`: the judge's points."""
    raters = list(dict.fromkeys(rater for one in marked for rater in one.marks))
    most = [tasks[one.question_id].max_points for one in marked]
    steps = [_step(tasks[one.question_id]) for one in marked]

    def pairs(first: Sequence[float | None], second: Sequence[float | None]) -> Pairs | None:
        rows = [n for n in range(len(marked)) if first[n] is not None and second[n] is not None]
        if len(rows) < 2:
            return None
        shares = [np.array([float(side[n] or 0.0) / most[n] for n in rows]) for side in (first, second)]
        step = np.array([steps[n] / most[n] for n in rows])
        return Pairs(shares[0], shares[1], step, tuple(marked[n].question_id for n in rows))

    columns = {rater: [one.marks.get(rater) for one in marked] for rater in raters}
    with_raters = [made for rater in raters if (made := pairs(list(given), columns[rater]))]
    between = [made for a, b in combinations(raters, 2) if (made := pairs(columns[a], columns[b]))]
    return {
        "judge_human": figures(with_raters),
        "human_human": figures(between) if between else None,
        "raters": raters,
    }


def criterion_comparison(
    marked: Sequence[MarkedAnswer], picks: Sequence[Mapping[str, float] | None], tasks: Mapping[str, JudgeTask]
) -> dict[str, Any]:
    """The same figures per criterion, for those that raters marked. `picks`: the judge's points by criterion id."""
    found: dict[str, Any] = {}
    for name in dict.fromkeys(one.question_id for one in marked):
        for criterion in tasks[name].criteria:
            rows = [
                (one.by_criterion[criterion.id], pick[criterion.id])
                for one, pick in zip(marked, picks, strict=True)
                if one.question_id == name and pick is not None and criterion.id in one.by_criterion
            ]
            if len(rows) < 2 or criterion.highest <= 0:
                continue
            alone = JudgeTask(name, criterion.highest, 0.0, (criterion,))
            answers = [MarkedAnswer(name, "", marks, {}) for marks, _ in rows]
            points = [given for _, given in rows]
            found[f"{name}/{criterion.id}"] = side_by_side(answers, points, {name: alone})
    return found


def _step(task: JudgeTask) -> float:
    """The smallest distance between two levels of a criterion."""
    gaps = [abs(a.points - b.points) for criterion in task.criteria for a, b in combinations(criterion.levels, 2)]
    return min((gap for gap in gaps if gap > 0), default=task.max_points or 1.0)


def figures(pairs: Sequence[Pairs]) -> dict[str, Any] | None:
    """Agreement averaged over pairs of sides, each figure with its 95 % interval; None without a pair."""
    if not pairs:
        return None
    measures: dict[str, Callable[[Pairs, NDArray[np.int64]], float]] = {
        "exact": lambda p, rows: float(np.mean(np.abs(p.first - p.second)[rows] < 1e-9)),
        "adjacent": lambda p, rows: float(np.mean((np.abs(p.first - p.second) <= p.step + 1e-9)[rows])),
        "qwk": lambda p, rows: weighted_kappa(p.first[rows], p.second[rows]),
        "icc": lambda p, rows: icc_2_1(np.column_stack([p.first[rows], p.second[rows]])),
        "mean_difference": lambda p, rows: float(np.mean((p.first - p.second)[rows])),
    }
    out: dict[str, Any] = {"pairs": len(pairs), "answers": max(len(pair.first) for pair in pairs)}
    draws = [_draws(pair.clusters) for pair in pairs]
    for name, measure in measures.items():
        whole = [measure(pair, np.arange(len(pair.first))) for pair in pairs]
        sampled = np.array([[measure(pair, rows) for rows in drawn] for pair, drawn in zip(pairs, draws, strict=True)])
        means = sampled.mean(axis=0)
        means = means[np.isfinite(means)]
        low, high = (float(value) for value in np.quantile(means, [0.025, 0.975])) if len(means) else (None, None)
        estimate = float(np.mean(whole))
        out[name] = {"estimate": _shown(estimate), "low": _shown(low), "high": _shown(high)}
    return out


def _shown(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else round(value, 4)


def weighted_kappa(first: FloatArray, second: FloatArray) -> float:
    """Quadratic weighted kappa of two sides' marks; nan where neither side varies."""
    # the mean squared distance over all pairs of marks, without the table of pairs
    expected = float(np.var(first) + np.var(second) + (np.mean(first) - np.mean(second)) ** 2)
    return float("nan") if expected <= 0 else 1.0 - float(np.mean((first - second) ** 2)) / expected


def _draws(clusters: Sequence[Hashable]) -> list[NDArray[np.int64]]:
    """Rows of each bootstrap sample, the same for every measure."""
    names = list(dict.fromkeys(clusters))
    rng = np.random.default_rng(0)
    if len(names) < FEW_QUESTIONS:
        return [rng.integers(0, len(clusters), len(clusters)) for _ in range(RESAMPLES)]
    rows = [np.flatnonzero([cluster == name for cluster in clusters]) for name in names]
    return [np.concatenate([rows[n] for n in rng.integers(0, len(names), len(names))]) for _ in range(RESAMPLES)]
