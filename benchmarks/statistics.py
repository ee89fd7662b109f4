"""Coverage of the 95 % intervals and size of the paired test on synthetic benches with known truth.

    python -m benchmarks.statistics [BENCHES]

Each bench: stimulus groups of 1 to 8 questions with a shared difficulty, two takers of equal skill in the
null half (and of known skill in all), binary or graded questions, ties. A taker's true score is its
expected score over the whole population of groups, which the simulation draws from and therefore knows.
"""

from __future__ import annotations

import sys

import numpy as np

from exam2bench.grade.statistics import mean_interval, paired_difference

GROUPS, SPREAD, NOISE = 40, 0.8, 0.6


def bench(
    rng: np.random.Generator, groups: int, graded: bool
) -> tuple[list[float], list[float], list[float], list[int]]:
    """Points of two equally skilled takers, possible points and group labels."""
    a: list[float] = []
    b: list[float] = []
    possible: list[float] = []
    labels: list[int] = []
    for group in range(groups):
        shared = rng.normal(0.4, SPREAD)
        own = rng.normal(0, NOISE, 2)  # each taker's luck with this passage, which clusters its answers
        for _ in range(int(rng.integers(1, 9))):
            difficulty = shared + rng.normal(0, 0.5)
            share = 1 / (1 + np.exp(-(difficulty + own)))
            points = float(rng.integers(1, 5)) if graded else 1.0
            drawn = rng.binomial(int(points), share)
            a.append(float(drawn[0]))
            b.append(float(drawn[1]))
            possible.append(points)
            labels.append(group)
    return a, b, possible, labels


def truth(graded: bool) -> float:
    rng = np.random.default_rng(1)
    a, b, possible, _ = bench(rng, 60_000, graded)
    return (sum(a) + sum(b)) / (2 * sum(possible))


def main() -> int:
    benches = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    rows = [("bench", "groups", "coverage 95 %", "paired false alarms 5 %")]
    for graded in (False, True):
        mean = truth(graded)
        for groups in (10, GROUPS, 120):
            rng = np.random.default_rng(groups)
            covered = alarms = 0
            for _ in range(benches):
                a, b, possible, labels = bench(rng, groups, graded)
                interval = mean_interval(a, possible, labels)
                covered += (
                    interval.low is not None and interval.high is not None and interval.low <= mean <= interval.high
                )
                alarms += paired_difference(a, b, possible, labels).p_value < 0.05
            rows.append(
                (
                    "graded" if graded else "binary",
                    str(groups),
                    f"{100 * covered / benches:.1f}",
                    f"{100 * alarms / benches:.1f}",
                )
            )
    for row in rows:
        print("  ".join(f"{cell:>24}" for cell in row))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
