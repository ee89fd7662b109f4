"""Questions looked at through their takers: how hard, how telling, and whose key is to be doubted.

Difficulty is the mean share of a question's points, discrimination the corrected item-total correlation: the share
that each model earned, against its score on the rest of the exam. Models are few where candidates are many, so a
correlation alone proves nothing here; a key is doubted only where the strong miss what the weak get.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...schemas.findings import Finding, Severity, finding
from .record import ExamEntry, ItemRow
from .scores import Facts, Key, Marks, Points

FEWEST_TAKERS = 4
"""Below this a correlation over takers is no more than an anecdote."""
ENOUGH_TAKERS = 6
"""Below this a key is doubted only where the strong also agree on another answer."""
MISSED, GOT = 0.25, 0.75
"""Mean shares at which a group of models misses a question, or gets it."""


@dataclass(frozen=True)
class Item:
    """One question with each model's share of its points and each model's score on the rest of its exam."""

    key: Key
    shares: Mapping[str, float]
    rest: Mapping[str, float]

    @property
    def difficulty(self) -> float:
        return statistics.fmean(self.shares.values())

    @property
    def discrimination(self) -> float | None:
        if len(self.shares) < FEWEST_TAKERS:
            return None
        shares, rest = list(self.shares.values()), [self.rest[name] for name in self.shares]
        if max(shares) - min(shares) < 1e-9 or max(rest) - min(rest) < 1e-9:
            return None
        return statistics.correlation(shares, rest)

    def suspect(self) -> tuple[list[str], list[str]] | None:
        """(the strong, the weak) where the best half of the models misses it and the weakest third gets it."""
        order = sorted(self.shares, key=lambda name: -self.rest[name])
        if len(order) < FEWEST_TAKERS:
            return None
        strong, weak = order[: len(order) // 2], order[-max(1, len(order) // 3) :]
        if self.rest[strong[-1]] - self.rest[weak[0]] < 1e-9:
            return None
        missed = statistics.fmean(self.shares[name] for name in strong) <= MISSED
        got = statistics.fmean(self.shares[name] for name in weak) >= GOT
        return (strong, weak) if missed and got else None


def items_of(points: Mapping[str, Points], facts: Facts) -> list[Item]:
    """Every question that at least two models have graded."""
    totals: dict[tuple[str, str], list[float]] = {}
    for name, given in points.items():
        for key, mark in given.items():
            if key in facts.questions:
                total = totals.setdefault((name, key[0]), [0.0, 0.0])
                total[0] += mark
                total[1] += facts.possible(key)
    found = []
    for key in facts.questions:
        shares = {name: given[key] / facts.possible(key) for name, given in points.items() if key in given}
        if len(shares) < 2:
            continue
        rest = {}
        for name in shares:
            earned, possible = totals[name, key[0]]
            left = possible - facts.possible(key)
            rest[name] = (earned - points[name][key]) / left if left > 0 else 0.0
        found.append(Item(key, shares, rest))
    return found


def item_rows(items: Sequence[Item]) -> list[ItemRow]:
    return [
        ItemRow(
            exam_id=item.key[0],
            question=item.key[1],
            takers=len(item.shares),
            difficulty=item.difficulty,
            discrimination=item.discrimination,
        )
        for item in items
    ]


def item_findings(items: Sequence[Item], exams: Sequence[ExamEntry], marks: Sequence[Marks]) -> list[Finding]:
    """Questions to look at on their page: nobody earns anything, or the strong miss what the weak get."""
    several = len(exams) > 1
    places = {(exam.exam_id, name): entry.place for exam in exams for name, entry in exam.questions.items()}
    found = []
    for item in items:
        told = _missed(item, marks) or _doubted(item, marks)
        if told is None:
            continue
        code, severity, message = told
        place = f" ({places[item.key]})" if places.get(item.key) else ""
        name = f"{item.key[0]}/{item.key[1]}" if several else item.key[1]
        hint = "look at the printed question and its key"
        found.append(finding(code, severity, f"{message}{place}", question=name, hint=hint))
    return found


def _missed(item: Item, marks: Sequence[Marks]) -> tuple[str, Severity, str] | None:
    if any(share > 0 for share in item.shares.values()):
        return None
    agreed = _agreed(item, list(item.shares), marks)
    # a question that two weak models miss is no news, unless they agree
    severity: Severity = "warning" if agreed or len(item.shares) >= FEWEST_TAKERS else "info"
    return "item.all_missed", severity, f"none of {len(item.shares)} models earns a point{agreed}"


def _doubted(item: Item, marks: Sequence[Marks]) -> tuple[str, Severity, str] | None:
    sides = item.suspect()
    if sides is None:
        return None
    strong, weak = sides
    agreed = _agreed(item, strong, marks)
    if not agreed and len(item.shares) < ENOUGH_TAKERS:
        return None
    weakest = "the weakest gets" if len(weak) == 1 else f"the {len(weak)} weakest get"
    return "item.suspect_key", "warning", f"the {len(strong)} strongest models miss what {weakest}{agreed}"


def _agreed(item: Item, models: Sequence[str], marks: Sequence[Marks]) -> str:
    """The answer that most of these models give, where more than half of their sittings do."""
    answers = Counter(
        one.answers[item.key] for one in marks if one.model in models and not one.blind and item.key in one.answers
    )
    if not answers or answers.total() < 2:
        return ""
    answer, count = answers.most_common(1)[0]
    return f"; {count} of {answers.total()} sittings answer {answer}" if 2 * count > answers.total() else ""
