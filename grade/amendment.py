"""A correction of a published key: what changes, why, on whose word; and the revision that it makes of a bundle.

An amendment file:

    {"reason": "the board accepts B and D", "source": "erratum of 3 May",
     "questions": {"q7": {"correct": ["B", "D"]}, "q9": {"void": true}, "q12": {"accept": ["0.5"]},
                   "q20": {"points": 4}, "q21": {"levels": {"cause": [{"points": 3}, {"points": 0}]}}}}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ConfigDict, Field, model_validator

from ..schemas.base import Contract, NonNegative
from ..schemas.bundle import Bundle
from ..schemas.errors import UsageError
from ..schemas.exam import Exam, Question
from ..schemas.grading import (
    ChoiceRule,
    EnumerationRule,
    FillInBlankRule,
    GradingSpec,
    JudgeRule,
    MatchingRule,
    PartsRule,
    PerOptionRule,
    QuestionGrading,
    RubricLevel,
    Rule,
    TrueFalseRule,
)
from ..schemas.grading_checks import check_entry
from ..schemas.printable import printable


class Change(Contract):
    """What changes about one question; `reason` and `source` where they differ from the amendment's.

    correct: the corrected key, in the rule's own shape (option ids, true or false, pairs). accept: further accepted
    answers (option ids; texts; per blank where a question has several). void: the question leaves the exam's
    points. levels: new levels by criterion id. rule: another rule altogether.
    """

    # a misspelt key must not be a change that is silently not made
    model_config = ConfigDict(extra="forbid")

    correct: list[str] | bool | dict[str, str] | None = None
    accept: list[str] | dict[str, list[str]] | None = None
    void: bool = False
    points: NonNegative | None = None
    levels: dict[str, list[RubricLevel]] | None = None
    rule: Rule | None = None
    reason: str | None = None
    source: str | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Change:
        if not self.words():
            raise ValueError("changes nothing: give correct, accept, void, points, levels or rule")
        return self

    def words(self) -> str:
        """The change in a few words for a person."""
        said = [
            "corrected key" if self.correct is not None else "",
            "further accepted answer" if self.accept else "",
            "voided" if self.void else "",
            f"now {self.points:g} points" if self.points is not None else "",
            "changed levels" if self.levels else "",
            "another rule" if self.rule is not None else "",
        ]
        return ", ".join(word for word in said if word)


class Amendment(Contract):
    """One correction. Every question's change has a reason and a source, its own or the amendment's."""

    model_config = ConfigDict(extra="forbid")

    reason: str = ""
    source: str = ""
    questions: dict[str, Change] = Field(min_length=1)

    @model_validator(mode="after")
    def _reasons(self) -> Amendment:
        for name, change in self.questions.items():
            if not (change.reason or self.reason) or not (change.source or self.source):
                raise ValueError(f"{printable(name)} is changed without a reason and a source")
        return self


def amended(bundle: Bundle, amendment: Amendment, date: str) -> tuple[Exam, GradingSpec]:
    """The bundle's exam and grading, one revision on, with the changelog entry. Raises UsageError where a change
    does not fit its question or leaves a key that `validate` would refuse."""
    exam, grading = bundle.exam.model_copy(deep=True), bundle.grading.model_copy(deep=True)
    leaves = {leaf.id: leaf for section in exam.sections for top in section.questions for leaf in top.leaves()}
    log: dict[str, Any] = {}
    for name, change in amendment.questions.items():
        if name not in leaves or name not in grading.questions:
            raise UsageError(f"the amendment changes {printable(name)}, which the bundle has no rule for")
        before = grading.questions[name]
        after = _changed(before, change)
        leaves[name].points = after.max_points
        grading.questions[name] = after
        faults = [found for found in check_entry(after, leaves[name]) if found.severity == "error"]
        if faults and after.max_points > 0:
            raise UsageError(f"the amendment of {printable(name)} would break its key: {faults[0].message}")
        log[name] = {
            "change": change.words(),
            "reason": change.reason or amendment.reason,
            "source": change.source or amendment.source,
            "before": {"max_points": before.max_points, "rule": before.rule.model_dump(mode="json")},
        }
    _sum_points(exam)
    grading.revision += 1
    entry = {"revision": grading.revision, "date": date, "from_digest": bundle.digest(), "questions": log}
    grading.amendments = [*grading.amendments, entry]
    return exam, grading


def _changed(entry: QuestionGrading, change: Change) -> QuestionGrading:
    rule = change.rule if change.rule is not None else entry.rule.model_copy(deep=True)
    most, least = entry.max_points, entry.min_points
    if change.correct is not None:
        _correct(rule, change.correct, entry.question_id)
    if change.accept:
        _accept(rule, change.accept, entry.question_id)
    if change.levels:
        _level(rule, change.levels, entry.question_id)
        most = _rubric_points(rule)
    if change.points is not None or change.void:
        wanted = 0.0 if change.void else float(change.points or 0.0)
        if change.levels is None and change.rule is None:
            _scale(rule, most, wanted)
        most = wanted
    if change.void:
        least = 0.0
        if isinstance(rule, ChoiceRule | TrueFalseRule):
            rule.negative_marking = None
    # built anew: whether it is anchored follows from what stands behind it now
    given = {"question_id": entry.question_id, "max_points": most, "min_points": least, "rule": rule.model_dump()}
    if "anchored" in entry.model_fields_set and change.rule is None:
        given["anchored"] = entry.anchored
    return QuestionGrading.model_validate(given)


def _correct(rule: Any, correct: list[str] | bool | dict[str, str], name: str) -> None:
    match rule, correct:
        case ((ChoiceRule() | PerOptionRule()), list()):
            rule.correct = correct
        case TrueFalseRule(), bool():
            rule.correct = correct
        case MatchingRule(), dict():
            rule.correct_pairs = correct
        case _:
            raise _unfit(name, "correct", rule)


def _accept(rule: Any, accept: list[str] | dict[str, list[str]], name: str) -> None:
    match rule, accept:
        case ChoiceRule(), list():
            rule.correct = list(dict.fromkeys([*rule.correct, *accept]))
        case FillInBlankRule(), dict():
            for blank, texts in accept.items():
                if blank not in rule.blanks:
                    raise UsageError(f"the amendment names the blank {printable(blank)}, which {name} does not have")
                rule.blanks[blank].accepted += texts
        case FillInBlankRule(), list() if len(rule.blanks) == 1:
            next(iter(rule.blanks.values())).accepted += accept
        case EnumerationRule(), list() if len(rule.items) == 1:
            rule.items[0].accepted += accept
        case JudgeRule(), list():
            rule.reference_answer = "\n\nAlso accepted: ".join(filter(None, [rule.reference_answer, *accept]))
        case _:
            raise _unfit(name, "accept", rule)


def _level(rule: Any, levels: Mapping[str, list[RubricLevel]], name: str) -> None:
    known = {criterion.id: criterion for criterion in rule.rubric} if isinstance(rule, JudgeRule) else {}
    for criterion, given in levels.items():
        if criterion not in known:
            raise UsageError(f"the amendment names the criterion {printable(criterion)}, which {name} does not have")
        known[criterion].levels = sorted(given, key=lambda level: -level.points)


def _rubric_points(rule: Any) -> float:
    return sum(max(level.points for level in criterion.levels) for criterion in rule.rubric)


def _scale(rule: Any, before: float, after: float) -> None:
    """Levels and parts keep their shares of the question's points."""
    factor = after / before if before else 0.0
    if isinstance(rule, JudgeRule):
        criteria = rule.rubric
    elif isinstance(rule, PartsRule):
        criteria = [criterion for part in rule.parts for criterion in part.criteria or []]
        for part in rule.parts:
            part.points *= factor
    else:
        return
    for criterion in criteria:
        for level in criterion.levels:
            level.points *= factor


def _unfit(name: str, what: str, rule: Any) -> UsageError:
    hint = 'give the whole new rule as "rule"'
    return UsageError(f"the amendment's {what!r} does not fit {printable(name)}, a {rule.kind} rule: {hint}")


def _sum_points(exam: Exam) -> None:
    def total(question: Question) -> float:
        if question.children:
            question.points = sum(total(child) for child in question.children)
        return question.points

    exam.total_points = sum(total(question) for section in exam.sections for question in section.questions)
