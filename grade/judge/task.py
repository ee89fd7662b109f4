"""What a judge has to decide about one question: criteria, each with a few levels that are worth points."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ...schemas.grading import Deduction, JudgeRule, Part, PartsRule, QuestionGrading, RubricCriterion, RubricLevel
from ..marks import clamp

SMALL_SCALE = 6
"""Whole points up to which a question without a rubric has a level for every point; above, quarters."""


@dataclass(frozen=True, slots=True)
class Level:
    """`id` is what a judge picks: the level's points where no other level of the criterion has the same."""

    id: str
    points: float
    descriptor: str


@dataclass(frozen=True, slots=True)
class Criterion:
    """`levels` in the order of the mark scheme. `reference`: the official answer of this sub-question alone.
    `part`: the id of the sub-question that the criterion belongs to, if any."""

    id: str
    description: str
    levels: tuple[Level, ...]
    reference: str | None = None
    part: str | None = None

    @property
    def lowest(self) -> float:
        return min(level.points for level in self.levels)

    @property
    def highest(self) -> float:
        return max(level.points for level in self.levels)

    def level(self, name: str) -> Level:
        """The level with that id. Raises KeyError."""
        for level in self.levels:
            if level.id == name:
                return level
        raise KeyError(name)

    def nearest(self, points: float) -> Level:
        """The level whose points are nearest; of two equally near, the lower."""
        return min(self.levels, key=lambda level: (abs(level.points - points), level.points))


@dataclass(frozen=True)
class JudgeTask:
    """One question's decision. `anchored` is False where neither an official answer nor a rubric stands behind it.
    `base`: points that sub-questions have earned by rule already."""

    question_id: str
    max_points: float
    min_points: float
    criteria: tuple[Criterion, ...]
    deductions: tuple[Deduction, ...] = ()
    reference: str | None = None
    reference_assets: tuple[str, ...] = ()
    instructions: str | None = None
    show_images: bool = True
    anchored: bool = True
    holistic: bool = False
    base: float = 0.0

    @property
    def key(self) -> tuple[str, ...]:
        """Equal for tasks that ask and count the same: the question, what is left of its criteria, points by rule."""
        return (self.question_id, *(criterion.id for criterion in self.criteria), f"{self.base!r}")

    def total(self, points: Sequence[float], times: Sequence[int] = ()) -> float:
        """The criteria's points and the deductions (how often each applies), within the question's range."""
        off = (deduction.points * count for deduction, count in zip(self.deductions, times, strict=False))
        return clamp(math.fsum((self.base, *points, *off)), self.min_points, self.max_points)

    def without_parts(self, settled: Mapping[str, float]) -> JudgeTask:
        """The task without the sub-questions that a rule has settled already, their points in `base`."""
        left = tuple(one for one in self.criteria if one.part not in settled)
        return replace(self, criteria=left, base=math.fsum(settled.values()))


def judge_task(grading: QuestionGrading) -> JudgeTask | None:
    """The task of a question that a judge grades; None for every other rule."""
    rule = grading.rule
    if isinstance(rule, PartsRule):
        criteria = tuple(criterion for part in rule.parts for criterion in _part_criteria(part))
        return JudgeTask(grading.question_id, grading.max_points, grading.min_points, criteria)
    if not isinstance(rule, JudgeRule):
        return None
    graded = [criterion for criterion in rule.rubric if criterion.levels]
    criteria = tuple(_criterion(criterion) for criterion in graded) or (_holistic(grading.max_points, rule),)
    return JudgeTask(
        grading.question_id,
        grading.max_points,
        grading.min_points,
        criteria,
        tuple(rule.deductions),
        rule.reference_answer,
        tuple(rule.reference_assets),
        rule.judge_instructions,
        rule.include_question_images,
        grading.anchored,
        holistic=not graded,
    )


def _criterion(criterion: RubricCriterion, part: Part | None = None) -> Criterion:
    levels = _levels(criterion.levels)
    if part is None:
        return Criterion(criterion.id, criterion.description, levels)
    return Criterion(f"{part.id}.{criterion.id}", criterion.description, levels, part.reference, part.id)


def _part_criteria(part: Part) -> Iterator[Criterion]:
    """A sub-question's own criteria, or itself at all of its points or none."""
    if part.criteria:
        for criterion in part.criteria:
            yield _criterion(criterion, part)
        return
    name = f"Sub-question {part.label or part.id} ({part.kind.replace('_', ' ')})"
    worth = [
        RubricLevel(points=part.points, descriptor="right"),
        RubricLevel(points=0.0, descriptor="wrong or missing"),
    ]
    yield Criterion(part.id, name, _levels(worth), part.reference, part.id)


def _levels(levels: Sequence[RubricLevel]) -> tuple[Level, ...]:
    if len(levels) == 1:
        # a scheme that prints only what earns the points: the other level is not to have it
        levels = [*levels, RubricLevel(points=0.0, descriptor="not met")]
    names = [f"{level.points:g}" for level in levels]
    if len(set(names)) < len(names):
        names = [f"{name} ({chr(ord('a') + place)})" for place, name in enumerate(names)]
    return tuple(Level(name, level.points, level.descriptor) for name, level in zip(names, levels, strict=True))


def _holistic(max_points: float, rule: JudgeRule) -> Criterion:
    """No rubric: levels made from the points, every whole point of a small scale, quarters of a large one."""
    if max_points == int(max_points) and 2 <= max_points <= SMALL_SCALE:
        steps = int(max_points)
    else:
        steps = 2 if max_points <= 1 else 4
    against = "the reference answer" if rule.reference_answer or rule.reference_assets else "what the question asks for"
    words = {0: "nothing of it, or off the point", steps: "all of it, right and complete"}
    shares = [(step, words.get(step, f"about {step} of {steps} parts of it")) for step in range(steps, -1, -1)]
    worth = [RubricLevel(points=max_points * step / steps, descriptor=text) for step, text in shares]
    return Criterion("overall", f"The answer as a whole, measured against {against}.", _levels(worth))
