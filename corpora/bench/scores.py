"""From graded sittings to the rows of a bench: scores with intervals, pairs, ties, what pictures are worth."""

from __future__ import annotations

import itertools
import math
import statistics as plain
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from ...grade.statistics import (
    FEW_CLUSTERS,
    Interval,
    PairedResult,
    holm,
    mean_interval,
    paired_difference,
    tied_groups,
    variance_parts,
)
from .record import Detectable, Estimate, ExamEntry, ModelRow, NecessityRow, PairRow, QuestionEntry, Slice

Key = tuple[str, str]
"""A question of a bench: exam and id."""
Points = Mapping[Key, float]
ClusterUnit = Literal["stimulus group", "exam"]


@dataclass(frozen=True)
class Marks:
    """One graded sitting. `points`: of every question that was put to the model; None where nobody could grade it.
    `answers`: fixed answers as short texts."""

    model: str
    exam_id: str
    repeat: int
    blind: bool
    points: Mapping[Key, float | None]
    answers: Mapping[Key, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Facts:
    """The questions that count: asked, and worth something."""

    questions: Mapping[Key, QuestionEntry]

    @cached_property
    def unit(self) -> ClusterUnit:
        """Few exams are no sample of exams: then the intervals speak of these, and groups are what is drawn."""
        exams = {exam for exam, _ in self.questions}
        return "exam" if len(exams) >= FEW_CLUSTERS else "stimulus group"

    @classmethod
    def of(cls, exams: Iterable[ExamEntry]) -> Facts:
        questions = {
            (exam.exam_id, name): entry
            for exam in exams
            for name, entry in exam.questions.items()
            if entry.asked and entry.max_points > 0
        }
        return cls(questions)

    def cluster(self, key: Key) -> Hashable:
        return key[0] if self.unit == "exam" else (key[0], self.questions[key].group)

    def possible(self, key: Key) -> float:
        return self.questions[key].max_points


def means(marks: Iterable[Marks]) -> dict[Key, float]:
    """Points per question, the mean over the sittings in which it was graded."""
    given: dict[Key, list[float]] = {}
    for one in marks:
        for key, points in one.points.items():
            if points is not None:
                given.setdefault(key, []).append(points)
    return {key: plain.fmean(points) for key, points in given.items()}


def estimate(points: Points, facts: Facts, keep: Callable[[Key, QuestionEntry], bool] | None = None) -> Estimate | None:
    """The score on the questions that `keep` wants; None where there is none."""
    keys = [key for key in points if key in facts.questions and (keep is None or keep(key, facts.questions[key]))]
    if not keys:
        return None
    earned, possible = [points[key] for key in keys], [facts.possible(key) for key in keys]
    return as_estimate(mean_interval(earned, possible, [facts.cluster(key) for key in keys]))


def as_estimate(interval: Interval) -> Estimate:
    return Estimate(
        value=interval.estimate,
        low=interval.low,
        high=interval.high,
        standard_error=interval.standard_error,
        questions=interval.observations,
        clusters=interval.clusters,
        small=interval.small,
    )


def compared(a: Points, b: Points, facts: Facts) -> PairedResult | None:
    """`a` less `b` on the questions that both have; None where they share none."""
    keys = [key for key in a if key in b and key in facts.questions]
    if not keys:
        return None
    possible, clusters = [facts.possible(key) for key in keys], [facts.cluster(key) for key in keys]
    return paired_difference([a[key] for key in keys], [b[key] for key in keys], possible, clusters)


# rows


def score_row(row: ModelRow, marks: Sequence[Marks], facts: Facts, wanted: int) -> ModelRow:
    """The row with everything that follows from the model's graded sittings. `wanted`: sittings of every exam."""
    points = means(marks)
    total = math.fsum(entry.max_points for entry in facts.questions.values())
    given = [key for one in marks for key, mark in one.points.items() if mark is not None and key in facts.questions]
    graded = math.fsum(facts.possible(key) for key in given)
    sections = dict.fromkeys((key[0], entry.section) for key, entry in facts.questions.items())
    types = dict.fromkeys(entry.type for entry in facts.questions.values())
    several = len({exam for exam, _ in sections}) > 1
    table = _table(marks, facts)
    variance = variance_parts([[value / facts.possible(key) for value in row] for key, row in table.items()])
    return row.model_copy(
        update={
            "score": estimate(points, facts),
            "rule": estimate(points, facts, lambda _, entry: entry.decided_by == "rule"),
            "judged": estimate(points, facts, lambda _, entry: entry.decided_by == "judge"),
            "possible": total,
            "covered": graded / (total * wanted) if total else 0.0,
            "question_variance": variance.question if variance else None,
            "run_variance": variance.run if variance else None,
            "run_sd": _run_sd(table, facts),
            "sections": _slices(
                points, facts, {(f"{exam}: {name}" if several else name): (exam, name) for exam, name in sections},
                lambda key, entry: (key[0], entry.section),
            ),
            "types": _slices(points, facts, {name: name for name in types}, lambda _, entry: entry.type),
        }
    )  # fmt: skip


def _slices(
    points: Points, facts: Facts, names: Mapping[str, Hashable], part: Callable[[Key, QuestionEntry], Hashable]
) -> list[Slice]:
    found = []
    for name, value in names.items():
        keys = [key for key, entry in facts.questions.items() if part(key, entry) == value]
        score = estimate({key: points[key] for key in keys if key in points}, facts)
        if score is not None:
            found.append(Slice(name=name, points=math.fsum(facts.possible(key) for key in keys), score=score))
    return found


def _table(marks: Sequence[Marks], facts: Facts) -> dict[Key, list[float]]:
    """Points per question and sitting, for the questions that every sitting has graded."""
    repeats = sorted({one.repeat for one in marks})
    by_repeat = [means(one for one in marks if one.repeat == repeat) for repeat in repeats]
    return {key: [row[key] for row in by_repeat] for key in facts.questions if all(key in row for row in by_repeat)}


def _run_sd(table: Mapping[Key, Sequence[float]], facts: Facts) -> float | None:
    totals = [math.fsum(column) for column in zip(*table.values(), strict=True)]
    possible = math.fsum(facts.possible(key) for key in table)
    return plain.stdev(total / possible for total in totals) if len(totals) > 1 else None


def ranked(rows: Sequence[ModelRow], pairs: Sequence[PairRow]) -> list[ModelRow]:
    """Rows best first, those without a score last; models that the pairs do not tell from the best of a group share
    its rank."""
    scored = sorted((row for row in rows if row.score), key=lambda row: -(row.score.value if row.score else 0.0))
    p_values = {(pair.a, pair.b): pair.p_holm for pair in pairs}
    placed: list[ModelRow] = []
    by_name = {row.model: row for row in scored}
    for tie, group in enumerate(tied_groups([row.model for row in scored], p_values), 1):
        rank = len(placed) + 1
        placed += [by_name[name].model_copy(update={"rank": rank, "tie": tie}) for name in group]
    return placed + [row for row in rows if row.score is None]


def pair_rows(points: Mapping[str, Points], facts: Facts) -> list[PairRow]:
    """Every pair of models, the better one first, corrected together."""
    order = sorted(points, key=lambda name: -_mean(points[name], facts))
    found = [(a, b, compared(points[a], points[b], facts)) for a, b in itertools.combinations(order, 2)]
    return corrected([(a, b, result) for a, b, result in found if result is not None])


def corrected(results: Sequence[tuple[str, str, PairedResult]]) -> list[PairRow]:
    """Results as rows, their p values corrected together (Holm)."""
    adjusted = holm([result.p_value for _, _, result in results])
    return [
        PairRow(
            a=a,
            b=b,
            difference=as_estimate(result.difference),
            bootstrap_low=result.bootstrap[0] if result.bootstrap else None,
            bootstrap_high=result.bootstrap[1] if result.bootstrap else None,
            p_value=result.p_value,
            p_holm=p,
            permutation_p=result.permutation_p,
            mcnemar_p=result.mcnemar_p,
            a_only=result.a_only,
            b_only=result.b_only,
            detectable=result.detectable,
        )
        for (a, b, result), p in zip(results, adjusted, strict=True)
    ]


def _mean(points: Points, facts: Facts) -> float:
    keys = [key for key in points if key in facts.questions]
    possible = math.fsum(facts.possible(key) for key in keys)
    return math.fsum(points[key] for key in keys) / possible if possible else 0.0


def detectable(pairs: Sequence[PairRow]) -> Detectable | None:
    known = [pair.detectable for pair in pairs if pair.detectable is not None]
    return Detectable(median=plain.median(known), least=min(known), most=max(known)) if known else None


def necessity_rows(seen: Mapping[str, Points], blind: Mapping[str, Points], facts: Facts) -> list[NecessityRow]:
    """Score with pictures less score without, for each model that sat both ways and for the mean of all of them, by
    type and over all types; on questions that need a picture."""
    pictured = {key: entry for key, entry in facts.questions.items() if entry.needs_image}
    names: list[str | None] = [name for name in seen if name in blind]
    if len(names) > 1:
        names.append(None)
    types: list[str | None] = [*dict.fromkeys(entry.type for entry in pictured.values()), None]
    rows = []
    for name in names:
        for kind in types if len(types) > 2 else types[-1:]:
            keys = [key for key, entry in pictured.items() if kind is None or entry.type == kind]
            row = _necessity(name, kind, _of(name, seen, keys), _of(name, blind, keys), facts)
            rows += [row] if row else []
    return rows


def _of(name: str | None, points: Mapping[str, Points], keys: Sequence[Key]) -> dict[Key, float]:
    """The model's points on these questions; no model: the mean of all that have them."""
    given = [points[name]] if name is not None else list(points.values())
    return {key: plain.fmean(one[key] for one in given) for key in keys if given and all(key in one for one in given)}


def _necessity(name: str | None, kind: str | None, seen: Points, blind: Points, facts: Facts) -> NecessityRow | None:
    result = compared(seen, blind, facts)
    if result is None:
        return None
    both = [key for key in seen if key in blind]
    return NecessityRow(
        model=name,
        type=kind,
        seen=_mean({key: seen[key] for key in both}, facts),
        blind=_mean({key: blind[key] for key in both}, facts),
        difference=as_estimate(result.difference),
        p_value=result.p_value,
    )
