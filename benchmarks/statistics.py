"""Coverage of the 95 % intervals and false alarms of the paired tests on synthetic benches with known truth.

    python -m benchmarks.statistics [BENCHES]

A bench: stimulus groups of 1 to 8 questions that share a difficulty, and two takers of equal skill, each with its own
luck in every group, which is what clusters its answers. The truth is a taker's expected score over the whole
population of groups, which the simulation draws from and therefore knows. Variations: graded points; three sittings,
whose mean is analysed; takers that agree on most questions; groups that belong to exams of their own difficulty; a
paper that nearly everybody masters; few groups, where it is shown where the method ends.

Columns: coverage of the mean's interval; false alarms of the paired t test, which is at once what its interval misses
of the true difference 0; the same of the cluster bootstrap's interval and of the permutation test; and of the tests
that this project does not rely on: the t test that takes questions for independent, and McNemar's.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from exam2bench.grade.statistics import Interval, mean_interval, paired_difference

LARGEST_GROUP = 8
GROUP_SPREAD, QUESTION_SPREAD, LUCK = 0.8, 0.5, 0.6
POPULATION = 400_000
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Scenario:
    """`level`: mean difficulty in logits, higher is easier. `agree`: share of questions on which the second taker
    simply repeats the first. `exams`: groups are spread evenly over so many exams, 0: there is one."""

    name: str
    groups: int
    graded: bool = False
    sittings: int = 1
    agree: float = 0.0
    level: float = 0.4
    exams: int = 0


SCENARIOS = [
    *(Scenario("right/wrong", groups) for groups in (40, 120)),
    *(Scenario("graded points", groups, graded=True) for groups in (40, 120)),
    *(Scenario("three sittings", groups, sittings=3) for groups in (40, 120)),
    *(Scenario("ties: 80 % the same answers", groups, agree=0.8) for groups in (40, 120)),
    *(Scenario("exams as clusters", groups, exams=groups // 4) for groups in (80, 160)),
    *(Scenario("few groups", groups) for groups in (20, 10, 5, 3)),
    *(Scenario("few exams as clusters", groups, exams=groups // 4) for groups in (20, 12)),
    *(Scenario("nearly all right", groups, level=3.5) for groups in (120, 40, 10)),
]


@dataclass(frozen=True)
class Benches:
    """`points`: benches × groups × questions × 2 takers, means over sittings; `possible` without the last axis, 0
    where a group has no such question; `cluster`: per group, what it is clustered by."""

    points: Floats
    possible: Floats
    cluster: NDArray[np.int64]

    def flat(self, number: int) -> tuple[Floats, Floats, Floats, Sequence[int]]:
        """(a, b, possible, cluster) per question of one bench."""
        there = self.possible[number] > 0
        points = self.points[number][there]
        labels = np.broadcast_to(self.cluster[:, None], there.shape)[there]
        return points[:, 0], points[:, 1], self.possible[number][there], labels.tolist()


def draw(scenario: Scenario, count: int, rng: np.random.Generator) -> Benches:
    """`count` benches of a scenario."""
    shape = (count, scenario.groups)
    sizes = rng.integers(1, LARGEST_GROUP + 1, shape)
    there = np.arange(LARGEST_GROUP) < sizes[..., None]
    exams = scenario.exams or 1
    cluster = np.arange(scenario.groups) % exams if scenario.exams else np.arange(scenario.groups)
    place = np.arange(scenario.groups) % exams
    exam = (rng.normal(0, GROUP_SPREAD, (count, exams)) if scenario.exams else np.zeros((count, 1)))[:, place]
    taste = (rng.normal(0, LUCK, (count, exams, 2)) if scenario.exams else np.zeros((count, 1, 2)))[:, place]
    shared = rng.normal(scenario.level, GROUP_SPREAD, shape) + exam
    luck = rng.normal(0, LUCK, (*shape, 2)) + taste
    own = rng.normal(0, QUESTION_SPREAD, (*shape, LARGEST_GROUP))
    share = 1 / (1 + np.exp(-(shared[..., None, None] + own[..., None] + luck[:, :, None, :])))
    possible = rng.integers(1, 5, there.shape) if scenario.graded else np.ones(there.shape, dtype=np.int64)
    tries = np.broadcast_to(possible[..., None], share.shape)
    points = sum(rng.binomial(tries, share) for _ in range(scenario.sittings)) / scenario.sittings
    same = rng.random(there.shape) < scenario.agree
    points[..., 1] = np.where(same, points[..., 0], points[..., 1])
    return Benches(points * there[..., None], possible * there, cluster)


def truth(scenario: Scenario) -> float:
    """The expected score: exams count by their points, as they do in a bench."""
    count = POPULATION // scenario.groups
    drawn = draw(scenario, count, np.random.default_rng(1))
    return float(drawn.points[..., 0].sum() / drawn.possible.sum())


def measure(scenario: Scenario, count: int) -> list[float]:
    """Per cent: coverage, then false alarms of t, bootstrap, permutation, t without clusters, McNemar."""
    mean = truth(scenario)
    benches = draw(scenario, count, np.random.default_rng(scenario.groups))
    hits = np.zeros(6)
    for number in range(count):
        a, b, possible, labels = benches.flat(number)
        interval = mean_interval(a, possible, labels)
        pair = paired_difference(a, b, possible, labels)
        naive = mean_interval(a - b, possible)
        low, high = pair.bootstrap or (0.0, 0.0)
        covered = _inside(interval, mean)
        hits += [
            covered,
            pair.p_value < 0.05,
            not low <= 0 <= high,
            pair.permutation_p < 0.05,
            not _inside(naive, 0.0),
            pair.mcnemar_p is not None and pair.mcnemar_p < 0.05,
        ]
    return (100 * hits / count).tolist()


def _inside(interval: Interval, value: float) -> bool:
    return interval.low is not None and interval.high is not None and interval.low <= value <= interval.high


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    head = ("bench", "clusters", "coverage", "paired t", "bootstrap", "permut.", "no clusters", "McNemar")
    print(f"{head[0]:<28}" + "".join(f"{name:>12}" for name in head[1:]))
    for scenario in SCENARIOS:
        figures = measure(scenario, count)
        cells = "".join(f"{figure:>12.1f}" for figure in figures)
        print(f"{scenario.name:<28}{scenario.exams or scenario.groups:>12}{cells}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
