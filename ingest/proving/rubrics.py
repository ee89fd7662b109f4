"""Rubrics: levels and deductions that add up, and the texts of them that a scheme must have printed."""

from __future__ import annotations

from collections.abc import Iterator

from ...schemas.exam import Question
from ...schemas.exam_checks import same_points
from ...schemas.findings import Finding, Where
from ...schemas.grading import JudgeRule, PartsRule, QuestionGrading, RubricCriterion
from ...schemas.printable import printable
from ..keys.rules import default_criterion

OWN_WORDS = frozenset(
    {
        "Not given or wrong.",
        "Anything less.",
        "Not earned.",
        "Overall, by the official levels.",
        "As in the reference answer.",
    }
)
"""Levels that the key rooms add where a scheme prints only what earns points."""


def rubric_findings(question: Question, graded: QuestionGrading) -> Iterator[Finding]:
    """A rubric's arithmetic: maxima sum to the points, levels fall, parts sum, deductions stay within the points."""
    rule = graded.rule
    if isinstance(rule, JudgeRule) and rule.rubric:
        yield from _criteria(question, rule.rubric, graded.max_points, "rubric")
        for deduction in rule.deductions:
            if -deduction.points > graded.max_points - graded.min_points:
                took = f"{-deduction.points:g} of {graded.max_points:g} points"
                message = f"{question.id}: the deduction {deduction.id} takes {took}."
                yield _finding("rubric.deduction", question.id, message)
    if isinstance(rule, PartsRule):
        total = sum(part.points for part in rule.parts)
        if not same_points(total, graded.max_points):
            message = (
                f"{question.id}: its parts add up to {total:g} points, the question is worth {graded.max_points:g}."
            )
            yield _finding("rubric.sum", question.id, message)
        for part in rule.parts:
            if part.criteria:
                yield from _criteria(question, part.criteria, part.points, f"part {part.id}")
    if not same_points(graded.max_points, question.points):
        message = f"{question.id} is worth {question.points:g} points, its grading gives {graded.max_points:g}."
        yield _finding("points.grading", question.id, message)


def _criteria(question: Question, criteria: list[RubricCriterion], points: float, name: str) -> Iterator[Finding]:
    total = sum(max((level.points for level in criterion.levels), default=0.0) for criterion in criteria)
    if not same_points(total, points):
        message = f"{question.id}: the {name}'s best levels add up to {total:g} points, {points:g} can be earned."
        yield _finding("rubric.sum", question.id, message)
    for criterion in criteria:
        steps = [level.points for level in criterion.levels]
        if len(steps) < 2 or steps != sorted(steps, reverse=True) or len(set(steps)) < len(steps):
            message = f"{question.id}: the levels of {criterion.id} do not fall ({', '.join(f'{s:g}' for s in steps)})."
            yield _finding("rubric.levels", question.id, message)


def printed_levels(rule: JudgeRule, points: float) -> Iterator[tuple[str, str]]:
    """The descriptors that a scheme must have printed, by field path: not this project's own default levels."""
    if points > 0 and rule.rubric == [default_criterion(points)]:
        return
    for criterion in rule.rubric:
        for level in criterion.levels:
            if level.points > 0 and level.descriptor and level.descriptor not in OWN_WORDS:
                yield f"rubric.{criterion.id}", level.descriptor


def _finding(code: str, question: str, message: str) -> Finding:
    return Finding(code=code, severity="error", where=Where(question=question), message=printable(message, 500))
