"""Which differences are real: intervals, paired tests and power for scores on exam questions.

A score is earned points over possible points, summed over questions: a ratio. Questions of one stimulus
group share their passage, so they are one *cluster*; exams are sampled as wholes too. All standard errors
here are clustered: a hundred questions on five passages are not a hundred independent observations.

Methods and sources
- Interval of a mean: standard error by the delete-one-cluster jackknife (Efron & Stein 1981; MacKinnon, Nielsen & Webb
  2023 recommend it, as CV3, over the sandwich for few clusters), t quantile with G - 1 degrees of freedom (G clusters),
  in the form of Wilson 1927 for the effective number of answers (Kish 1965; Dean & Pagano 2015 for clusters), which
  holds where nearly all is right and stays between 0 and 1. Where points can be negative: estimate ± t · error.
- Paired test and interval: the same jackknife on the paired differences, so that the p value is below 5 %
  exactly where the 95 % interval leaves zero out (false alarms by simulation: benchmarks/statistics.py).
- Cluster bootstrap beside it: clusters drawn with replacement, symmetric bootstrap-t, since percentiles of few
  clusters are too narrow. Cameron, Gelbach & Miller 2008; Hall 1988.
- All right or all wrong: the standard error is 0 and says nothing; the interval is then the exact binomial one over
  clusters. Clopper & Pearson 1934.
- Permutation test beside it: if the two takers are exchangeable, each cluster's difference may change its
  sign; the p value is the share of sign patterns more extreme plus half of those as extreme (mid-p, since
  points are discrete). Fisher 1935; Lancaster 1961; for clusters, Canay, Romano & Shaikh 2017.
- Right/wrong data: exact McNemar test, the binomial on the discordant pairs. McNemar 1947.
- Many comparisons: Holm 1979.
- Repeats: one-way random effects, question variance and run variance apart. Searle, Casella & McCulloch 1992.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import stats

FloatArray = NDArray[np.float64]
EXACT_SIGN_CLUSTERS = 12
DRAWN_SIGN_PATTERNS = 9_999
MANY_CLUSTERS = 1_000
"""From here on the permutation test equals the t test to three digits: fewer patterns are drawn."""
SIGNS_AT_ONCE = 4_000_000
BOOTSTRAP_DRAWS = 2_000
FEW_CLUSTERS = 10


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its confidence interval, all as shares of the possible points (0..1).

    `low` and `high` are None where fewer than two clusters make an interval impossible. `small` warns that there are
    so few clusters that the interval rests on the t distribution more than on the data.
    """

    estimate: float
    low: float | None
    high: float | None
    standard_error: float | None
    clusters: int
    observations: int

    @property
    def small(self) -> bool:
        return self.clusters < FEW_CLUSTERS


@dataclass(frozen=True, slots=True)
class PairedResult:
    """Taker A minus taker B on the same questions.

    `p_value` is the two-sided jackknife t test over clusters, `permutation_p` the sign-flip test that needs no
    distribution, `bootstrap` the interval of the cluster bootstrap. `mcnemar_p` is set where every question is right
    or wrong for both. `detectable` is the smallest true difference that this many clusters would have shown with 80 %
    power at 5 %; None where the two never differ.
    """

    difference: Interval
    p_value: float
    permutation_p: float
    bootstrap: tuple[float, float] | None
    mcnemar_p: float | None
    detectable: float | None
    a_only: int
    b_only: int


def _clusters(labels: Sequence[Hashable] | None, n: int) -> tuple[NDArray[np.int64], int]:
    """Cluster number per observation and how many there are; no labels: each is its own cluster."""
    if labels is None:
        return np.arange(n), n
    if len(labels) != n:
        raise ValueError(f"{len(labels)} cluster labels for {n} observations")
    numbers: dict[Hashable, int] = {}
    index = np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int64)
    return index, len(numbers)


def _cluster_sums(values: FloatArray, index: NDArray[np.int64], count: int) -> FloatArray:
    return np.bincount(index, weights=values, minlength=count).astype(np.float64)


def _checked(earned: Sequence[float], possible: Sequence[float]) -> tuple[FloatArray, FloatArray]:
    points, maxima = np.asarray(earned, dtype=float), np.asarray(possible, dtype=float)
    if points.shape != maxima.shape or points.ndim != 1:
        raise ValueError(f"{points.shape} earned points against {maxima.shape} possible points")
    if points.size == 0 or not maxima.sum() > 0:
        raise ValueError("no question with points to average over")
    if not (np.isfinite(points).all() and np.isfinite(maxima).all()):
        raise ValueError("points must be finite numbers")
    return points, maxima


def _jackknife(earned: FloatArray, possible: FloatArray, confidence: float) -> tuple[float, float | None, float | None]:
    """Ratio of sums over clusters, its jackknife standard error and the half width of its interval."""
    total, maximum = earned.sum(), possible.sum()
    estimate = float(total / maximum)
    count = len(earned)
    left = maximum - possible
    if count < 2 or (left <= 0).any():
        return estimate, None, None
    without = (total - earned) / left
    error = float(np.sqrt((count - 1) / count * ((without - estimate) ** 2).sum()))
    return estimate, error, float(stats.t.ppf(0.5 + confidence / 2, count - 1)) * error


def mean_interval(
    earned: Sequence[float],
    possible: Sequence[float],
    clusters: Sequence[Hashable] | None = None,
    *,
    confidence: float = 0.95,
) -> Interval:
    """Share of the possible points earned, with its interval clustered by `clusters`.

    Raises ValueError on lengths that differ, on points that are not finite and where nothing can be earned.
    """
    points, maxima = _checked(earned, possible)
    index, count = _clusters(clusters, len(points))
    estimate, error, half = _jackknife(
        _cluster_sums(points, index, count), _cluster_sums(maxima, index, count), confidence
    )
    if half is None or error is None:
        return Interval(estimate, None, None, error, count, len(points))
    if points.min() < 0 or not 0 <= estimate <= 1:
        low, high = estimate - half, min(1.0, estimate + half)
    elif estimate in (0.0, 1.0):
        low, high = max(0.0, estimate - _unseen(count, confidence)), min(1.0, estimate + _unseen(count, confidence))
    else:
        # clusters that all have the same score say nothing about spread: then each counts as one answer
        known = error or float(np.sqrt(estimate * (1 - estimate) / count))
        low, high = _wilson(estimate, known, float(stats.t.ppf(0.5 + confidence / 2, count - 1)))
    return Interval(estimate, low, high, error, count, len(points))


def _wilson(share: float, error: float, quantile: float) -> tuple[float, float]:
    """Wilson's interval of a share, for the number of independent answers that its standard error speaks of."""
    weight = quantile**2 * error**2 / (share * (1 - share))
    middle = (share + weight / 2) / (1 + weight)
    reach = quantile / (1 + weight) * np.sqrt(error**2 + weight**2 / quantile**2 / 4)
    return float(middle - reach), float(middle + reach)


def _unseen(clusters: int, confidence: float) -> float:
    """How often something may happen that happened in none of so many clusters: the exact binomial bound."""
    return float(1 - ((1 - confidence) / 2) ** (1 / clusters))


def sign_flip_p(differences: FloatArray, *, seed: int = 0) -> float:
    """Two-sided mid-p value of the sum of `differences` (one a cluster) under random signs.

    Clusters that do not differ carry no information and drop out. Up to 12 clusters all sign patterns are
    counted, above that 9,999 (1,999 from 1,000 clusters on) are drawn from a fixed seed.
    """
    moved = differences[differences != 0]
    if moved.size == 0:
        return 1.0
    if moved.size <= EXACT_SIGN_CLUSTERS:
        codes = np.arange(2**moved.size)[:, None] >> np.arange(moved.size) & 1
        sums = np.abs((2 * codes - 1) @ moved)
    else:
        sums = np.abs(_signed_sums(moved, np.random.default_rng(seed)))
    observed = abs(moved.sum())
    # sums of the same numbers in another order differ in the last bits: those count as equal
    slack = 1e-9 * np.abs(moved).sum()
    return float((sums > observed + slack).mean() + (np.abs(sums - observed) <= slack).mean() / 2)


def _signed_sums(moved: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Sums under random signs, a bounded block of patterns at a time."""
    draws = DRAWN_SIGN_PATTERNS if moved.size < MANY_CLUSTERS else DRAWN_SIGN_PATTERNS // 5
    block = max(1, SIGNS_AT_ONCE // moved.size)
    sums = []
    for start in range(0, draws, block):
        rows = min(block, draws - start)
        bits = np.frombuffer(rng.bytes(rows * (-(-moved.size // 8))), dtype=np.uint8).reshape(rows, -1)
        signs = np.unpackbits(bits, axis=1, count=moved.size)
        sums.append(2 * (signs.astype(np.float64) @ moved) - moved.sum())
    return np.concatenate(sums)


@lru_cache(maxsize=2)
def _resamples(clusters: int, draws: int, seed: int) -> NDArray[np.float32]:
    """How often each cluster is drawn, a row per resample; the same for every pair of takers of a bench."""
    rng = np.random.default_rng(seed)
    return rng.multinomial(clusters, np.full(clusters, 1 / clusters), size=draws).astype(np.float32)


def cluster_bootstrap(
    earned: FloatArray, possible: FloatArray, *, confidence: float = 0.95, draws: int = BOOTSTRAP_DRAWS, seed: int = 0
) -> tuple[float, float] | None:
    """Symmetric bootstrap-t interval of a ratio of sums; one entry a cluster. None where nothing varies."""
    count = len(earned)
    sums = np.stack([earned, possible, earned**2, earned * possible, possible**2], axis=1)
    estimate = earned.sum() / possible.sum()
    error = float(_linear_errors(sums.sum(axis=0, keepdims=True), count)[0])
    if count < 2 or error <= 0:
        return None
    drawn = _resamples(count, draws, seed).astype(np.float64) @ sums
    errors = _linear_errors(drawn, count)
    # a resample of equal clusters has no spread of its own: it is as extreme as can be
    with np.errstate(divide="ignore", invalid="ignore"):
        distances = np.abs(drawn[:, 0] / drawn[:, 1] - estimate) / errors
    distances[np.isnan(distances)] = 0.0
    half = float(np.quantile(distances, confidence, method="higher")) * error
    return (float(estimate - half), float(estimate + half)) if np.isfinite(half) else None


def _linear_errors(sums: FloatArray, count: int) -> FloatArray:
    """Standard errors of ratios by linearisation; columns: sums of d, m, d², dm, m² over `count` clusters."""
    ratio = sums[:, 0] / sums[:, 1]
    squares = sums[:, 2] - 2 * ratio * sums[:, 3] + ratio**2 * sums[:, 4]
    # differences of large sums end a little below 0
    squares[squares < 1e-12 * np.maximum(sums[:, 2], 1e-300)] = 0.0
    return np.sqrt(squares * count / (count - 1)) / sums[:, 1] if count > 1 else np.zeros(len(sums))


def _t_test(interval: Interval) -> float | None:
    """Two-sided p value of "the estimate is 0"; None where the standard error is missing or 0."""
    if not interval.standard_error:
        return None
    return float(2 * stats.t.sf(abs(interval.estimate) / interval.standard_error, interval.clusters - 1))


def mcnemar_p(a_only: int, b_only: int) -> float:
    """Exact two-sided McNemar p value from the two discordant counts."""
    discordant = a_only + b_only
    return 1.0 if discordant == 0 else float(stats.binomtest(a_only, discordant, 0.5).pvalue)


def smallest_detectable(
    standard_error: float | None, clusters: int, *, alpha: float = 0.05, power: float = 0.8
) -> float | None:
    """The true difference that a two-sided t test over `clusters` finds with `power`: se * (t_{1-a/2} + t_power).

    None where there is no standard error, or one of 0, which only says that nothing differed."""
    if not standard_error or clusters < 2:
        return None
    freedom = clusters - 1
    return float(standard_error * (stats.t.ppf(1 - alpha / 2, freedom) + stats.t.ppf(power, freedom)))


def paired_difference(
    a: Sequence[float],
    b: Sequence[float],
    possible: Sequence[float],
    clusters: Sequence[Hashable] | None = None,
    *,
    confidence: float = 0.95,
    seed: int = 0,
) -> PairedResult:
    """Taker A minus taker B, question by question, as a share of the possible points."""
    first, maxima = _checked(a, possible)
    second, _ = _checked(b, possible)
    index, count = _clusters(clusters, len(first))
    differences = _cluster_sums(first - second, index, count)
    sums = _cluster_sums(maxima, index, count)
    estimate, error, half = _jackknife(differences, sums, confidence)
    if error == 0:
        half = _unseen(count, confidence)
    low, high = (None, None) if half is None else (estimate - half, estimate + half)
    binary = bool((((first == 0) | (first == maxima)) & ((second == 0) | (second == maxima))).all())
    a_only = int((first > second).sum()) if binary else 0
    b_only = int((second > first).sum()) if binary else 0
    interval = Interval(estimate, low, high, error, count, len(first))
    permutation = sign_flip_p(differences, seed=seed)
    tested = _t_test(interval)
    return PairedResult(
        interval,
        permutation if tested is None else tested,
        permutation,
        cluster_bootstrap(differences, sums, confidence=confidence, seed=seed),
        mcnemar_p(a_only, b_only) if binary else None,
        smallest_detectable(error, count),
        a_only,
        b_only,
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjusted p values, in the order given."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted = [0.0] * len(p_values)
    running = 0.0
    for rank, i in enumerate(order):
        running = max(running, min(1.0, (len(p_values) - rank) * p_values[i]))
        adjusted[i] = running
    return adjusted


@dataclass(frozen=True, slots=True)
class VarianceParts:
    """Variance of a question's score (share of its points): between questions, and between runs of one question."""

    question: float
    run: float
    repeats: int


def variance_parts(scores: Sequence[Sequence[float]]) -> VarianceParts | None:
    """Question and run variance from a table of questions (rows) by repeats (columns), scores as shares.

    None where there are fewer than two questions or two repeats. A negative estimate is reported as 0.
    """
    table = np.asarray(scores, dtype=float)
    if table.ndim != 2 or min(table.shape) < 2:
        return None
    repeats = table.shape[1]
    within = float(table.var(axis=1, ddof=1).mean())
    between = float(table.mean(axis=1).var(ddof=1)) - within / repeats
    return VarianceParts(max(between, 0.0), within, repeats)


def tied_groups(
    names: Sequence[str], p_values: dict[tuple[str, str], float], *, alpha: float = 0.05
) -> list[list[str]]:
    """Ranked takers grouped where no member differs from the group's first by its (adjusted) p value.

    `names` are in order of score, best first; `p_values` holds both orders or one of each pair.
    """
    groups: list[list[str]] = []
    for name in names:
        leader = groups[-1][0] if groups else None
        p = None if leader is None else p_values.get((leader, name), p_values.get((name, leader)))
        if p is not None and p >= alpha:
            groups[-1].append(name)
        else:
            groups.append([name])
    return groups
