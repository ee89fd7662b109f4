"""What a second, independent reading says about the first one's errors.

Missed questions by capture-recapture: with n1 and n2 found by each reading and m by both, Chapman's nearly unbiased
form of the Lincoln-Petersen estimate is N = (n1 + 1)(n2 + 1) / (m + 1) - 1 (Chapman 1951, "Some properties of the
hypergeometric distribution with applications to zoological sample censuses", with the variance of Seber 1970). It
assumes that the readings err independently; two models with a common blind spot make it too low.

Field errors: with one error rate e for both readings, independent, two readings of a field differ with probability
2e(1 - e) where wrong readings never coincide; solving for e gives the rate. Where the page decided, it says who erred.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from ...schemas.exam_checks import every_question
from ..witness import Witness
from .compare import Comparison

_Z = 1.959963984540054
"""The normal quantile of a 95 % interval."""


@dataclass(frozen=True)
class FieldRate:
    """One kind of field: how many were compared, how many differ, and for how many the page says which one is wrong.

    `rate` is the estimated share of wrong fields of one reading, `low` and `high` its 95 % interval (Wilson's interval
    of the share of differing fields, carried over).
    """

    field: str
    compared: int
    differing: int
    wrong_a: int
    wrong_b: int
    rate: float
    low: float
    high: float


@dataclass(frozen=True)
class WitnessEstimate:
    """Leaves found by each reading and by both, the estimate of all there are, and the error rates of fields."""

    found_a: int
    found_b: int
    found_both: int
    total: float
    total_error: float
    """The standard error of `total`."""
    fields: tuple[FieldRate, ...]

    @property
    def missed_by_a(self) -> float:
        """The estimated number of questions that the first reading has missed."""
        return max(self.total - self.found_a, 0.0)

    @property
    def missed_by_both(self) -> float:
        """The estimated number of questions that neither reading has."""
        return max(self.total - self.found_a - self.found_b + self.found_both, 0.0)

    def as_dict(self) -> dict[str, Any]:
        """For the manifest."""
        return {
            "questions": {
                "first": self.found_a,
                "second": self.found_b,
                "both": self.found_both,
                "estimated": round(self.total, 2),
                "standard_error": round(self.total_error, 2),
                "missed_by_first": round(self.missed_by_a, 2),
                "missed_by_both": round(self.missed_by_both, 2),
            },
            "fields": {
                rate.field: {
                    "compared": rate.compared,
                    "differing": rate.differing,
                    "first_wrong_by_page": rate.wrong_a,
                    "second_wrong_by_page": rate.wrong_b,
                    "error_rate": round(rate.rate, 4),
                    "low": round(rate.low, 4),
                    "high": round(rate.high, 4),
                }
                for rate in self.fields
            },
        }

    def lines(self) -> list[str]:
        """For a terminal."""
        found = f"{self.found_a} in the first reading, {self.found_b} in the second, {self.found_both} in both"
        every = f"estimated {self.total:.1f} ± {_Z * self.total_error:.1f} in all"
        head = f"questions: {found}; {every}, {self.missed_by_a:.1f} missed by the first"
        rows = [
            f"{rate.field}: {rate.differing} of {rate.compared} differ, estimated error rate {rate.rate:.1%} "
            f"({rate.low:.1%} to {rate.high:.1%})"
            for rate in self.fields
        ]
        return [head, *rows]


def estimate(a: Witness, b: Witness, comparison: Comparison) -> WitnessEstimate:
    """Estimate the errors of reading `a` from an independent reading `b` and their comparison."""
    leaves_a = {q.id for q in every_question(a.exam) if not q.children}
    leaves_b = {q.id for q in every_question(b.exam) if not q.children}
    both = sum(1 for x, y in comparison.pairs if x in leaves_a and y in leaves_b)
    total, error = chapman(len(leaves_a), len(leaves_b), both)
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for verdict in comparison.fields:
        if verdict.question_a is None or verdict.question_b is None:
            continue
        name = _kind(verdict.field)
        count = counts[name]
        count[0] += 1
        if not verdict.agreed:
            count[1] += 1
            count[2] += verdict.supported in ("b", "neither")
            count[3] += verdict.supported in ("a", "neither")
    rates = tuple(_rate(name, *count) for name, count in counts.items())
    return WitnessEstimate(len(leaves_a), len(leaves_b), both, total, error, rates)


def _kind(path: str) -> str:
    """`options.B` is an option's text, `options` the list of labels."""
    head, _, rest = path.partition(".")
    return f"{head} text" if rest else head


def chapman(n1: int, n2: int, both: int) -> tuple[float, float]:
    """Chapman's estimate of a population from two captures, and its standard error (Seber 1970)."""
    total = (n1 + 1) * (n2 + 1) / (both + 1) - 1
    variance = (n1 + 1) * (n2 + 1) * (n1 - both) * (n2 - both) / ((both + 1) ** 2 * (both + 2))
    return total, math.sqrt(variance)


def _rate(name: str, compared: int, differing: int, wrong_a: int, wrong_b: int) -> FieldRate:
    low, high = _wilson(differing, compared)
    return FieldRate(name, compared, differing, wrong_a, wrong_b, _one(differing / compared), _one(low), _one(high))


def _one(share: float) -> float:
    """The error rate of one reading from the share of fields on which two differ; at most one half."""
    return (1.0 - math.sqrt(max(1.0 - 2.0 * min(share, 0.5), 0.0))) / 2.0


def _wilson(hits: int, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    share, z2 = hits / n, _Z * _Z
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = _Z / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    return max(middle - half, 0.0), min(middle + half, 1.0)
