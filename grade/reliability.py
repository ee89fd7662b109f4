"""How far judges agree: reliability figures over a table of answers (rows) by judges (columns).

Scores are shares of the possible points (0..1) unless said otherwise.

Sources: ICC(2,1) two-way random, absolute agreement, single rater: Shrout & Fleiss 1979, McGraw & Wong 1996.
Cluster bootstrap: Davison & Hinkley 1997, section 3.8 (whole questions are drawn with replacement).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
MAX_PANELS = 200


@dataclass(frozen=True, slots=True)
class VarianceShares:
    """Shares of the score variance that lie in the answers, in the judges' leniency, and in the rest; they sum to 1."""

    answer: float
    judge: float
    residual: float


def _mean_squares(table: FloatArray) -> tuple[float, float, float]:
    """Mean squares of a two-way table without replication: rows, columns, residual."""
    rows, columns = table.shape
    grand = table.mean()
    by_row, by_column = table.mean(axis=1, keepdims=True), table.mean(axis=0, keepdims=True)
    between_rows = columns * ((by_row - grand) ** 2).sum() / (rows - 1)
    between_columns = rows * ((by_column - grand) ** 2).sum() / (columns - 1)
    residual = ((table - by_row - by_column + grand) ** 2).sum() / ((rows - 1) * (columns - 1))
    return float(between_rows), float(between_columns), float(residual)


def icc_2_1(table: FloatArray) -> float:
    """ICC(2,1) of answers by judges; nan where there are fewer than two of either, or nothing varies."""
    if table.ndim != 2 or min(table.shape) < 2:
        return float("nan")
    rows, columns = table.shape
    between_rows, between_columns, residual = _mean_squares(table)
    total = between_rows + (columns - 1) * residual + columns * (between_columns - residual) / rows
    return (between_rows - residual) / total if total else float("nan")


def variance_shares(table: FloatArray) -> VarianceShares | None:
    """Variance components of the two-way random model, negative estimates as 0, as shares of their sum."""
    if table.ndim != 2 or min(table.shape) < 2:
        return None
    rows, columns = table.shape
    between_rows, between_columns, residual = _mean_squares(table)
    answer = max((between_rows - residual) / columns, 0.0)
    judge = max((between_columns - residual) / rows, 0.0)
    total = answer + judge + residual
    return VarianceShares(answer / total, judge / total, residual / total) if total else None


def cluster_bootstrap_icc(
    table: FloatArray, clusters: Sequence[Hashable], *, resamples: int = 10_000, seed: int = 0, confidence: float = 0.95
) -> tuple[float, float]:
    """Percentile interval of ICC(2,1) when whole clusters (questions) are drawn with replacement.

    nan, nan where there are fewer than two clusters. Draws that make the ICC undefined are left out.
    """
    numbers: dict[Hashable, int] = {}
    index = np.array([numbers.setdefault(cluster, len(numbers)) for cluster in clusters])
    count = len(numbers)
    if count < 2 or min(table.shape) < 2:
        return float("nan"), float("nan")
    draws = np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), size=resamples)
    values = _icc_of_draws(table, index, draws.astype(np.float64))
    tail = (1 - confidence) / 2
    low, high = np.nanquantile(values, [tail, 1 - tail])
    return float(low), float(high)


def _icc_of_draws(table: FloatArray, index: NDArray[np.int64], draws: FloatArray) -> FloatArray:
    """ICC(2,1) of each draw (how often each cluster is in it), all at once from the clusters' sums."""
    columns = table.shape[1]
    row_means = table.mean(axis=1)

    def drawn(values: FloatArray) -> FloatArray:
        return draws @ np.bincount(index, weights=values, minlength=draws.shape[1])

    rows = drawn(np.ones(len(table)))
    grand = drawn(row_means) / rows
    row_squares = drawn(row_means**2)
    column_squares = sum((drawn(table[:, column]) / rows) ** 2 for column in range(columns))
    between_rows = columns * (row_squares - rows * grand**2) / (rows - 1)
    between_columns = rows * (column_squares - columns * grand**2) / (columns - 1)
    residual = drawn((table**2).sum(axis=1)) - columns * row_squares - rows * (column_squares - columns * grand**2)
    residual /= (rows - 1) * (columns - 1)
    total = between_rows + (columns - 1) * residual + columns * (between_columns - residual) / rows
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.abs(total) > 1e-15, (between_rows - residual) / total, np.nan)


def leniency(table: FloatArray) -> FloatArray:
    """Each judge's mean minus the mean of all judges on the same answers."""
    return table.mean(axis=0) - table.mean()


def leave_one_out(table: FloatArray) -> FloatArray:
    """Each judge's mean absolute distance from the mean of the other judges."""
    judges = table.shape[1]
    others = (table.sum(axis=1, keepdims=True) - table) / (judges - 1)
    return np.abs(table - others).mean(axis=0)


def within_sd(passes: FloatArray) -> float:
    """One judge's spread over repeats of the same answer: root of the mean variance (population form).

    `passes` is answers by repeats; nan with fewer than two repeats.
    """
    if passes.ndim != 2 or passes.shape[1] < 2:
        return float("nan")
    return float(np.sqrt(passes.var(axis=1).mean()))


def panel_curve(table: FloatArray, *, seed: int = 0) -> list[tuple[int, float]]:
    """For each panel size m below all judges: mean absolute distance of an m-judge mean from the full panel's.

    All panels of a size are taken up to 200, above that 200 drawn from a fixed seed.
    """
    judges = table.shape[1]
    full = table.mean(axis=1)
    rng = np.random.default_rng(seed)
    curve: list[tuple[int, float]] = []
    for size in range(1, judges):
        if comb(judges, size) <= MAX_PANELS:
            panels = [list(panel) for panel in combinations(range(judges), size)]
        else:
            panels = [list(rng.permutation(judges)[:size]) for _ in range(MAX_PANELS)]
        distances = [np.abs(table[:, panel].mean(axis=1) - full).mean() for panel in panels]
        curve.append((size, float(np.mean(distances))))
    return curve
