"""A bundle prepared for grading: each leaf's rule compiled once, results of repeated answers kept."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ..schemas.answers import (
    AnswerValue,
)
from ..schemas.bundle import Bundle
from ..schemas.content import Block
from ..schemas.errors import BundleError
from ..schemas.exam import Question, Section
from ..schemas.findings import Finding, error, info, warning
from ..schemas.grading import QuestionGrading
from ..schemas.printable import printable
from .entries import Mode, Outcome, outcome
from .losses import FOREIGN_IDS
from .marks import AnswerTypeMismatch, KeyFault, Scorer, shown
from .numbers import decimal_comma
from .scoring import least_points, rule_scorer
from .sheets import answer_of

CACHED_ANSWERS = 128
"""Graded answers kept per question: memory does not grow with the number of sheets."""
CACHED_LENGTH = 2_000
"""Characters of the longest answer that is kept."""
SHOWN_FOREIGN = 20
"""Foreign ids of one answer that its entry lists."""

_ANSWER_TYPES = {
    "single_choice": "single_choice",
    "multiple_choice": "multiple_choice",
    "true_false": "true_false",
    "fill_in_blank": "fill_in_blank",
    "matching": "matching",
    "short_answer": "text",
    "essay": "text",
    "drawing": "drawing",
}


_ANSWER_FIELDS = {
    "single_choice": "selected",
    "multiple_choice": "selected",
    "true_false": "value",
    "fill_in_blank": "blanks",
    "matching": "pairs",
    "text": "text",
}

_CAUSES = {
    "answer.call_failed": "transport",
    "answer.type": "wrong_type",
    "answer.invalid": "wrong_type",
    "answer.picture": "picture",
}


@dataclass(slots=True)
class QuestionPlan:
    """A leaf with its compiled rule. `scorer` is None where only a judge can grade; `fault` says why the key
    cannot be used at all."""

    question: Question
    grading: QuestionGrading | None
    scorer: Scorer | None
    fault: str | None
    needs_image: bool
    cache: dict[Hashable, Outcome] = field(default_factory=dict)
    id: str = field(init=False)
    max_points: float = field(init=False)
    least: float = field(init=False)
    _expected: str | None = field(init=False)
    _field: str = field(init=False)
    _known: frozenset[str] = field(init=False)
    _unanswered: Outcome = field(init=False)

    def __post_init__(self) -> None:
        """`least`: the least that an answer can earn, which is the lower bound while it is ungraded."""
        self.id = self.question.id
        self.max_points = float(self.grading.max_points if self.grading else self.question.points)
        self.least = least_points(self.grading) if self.grading else 0.0
        self._expected = _ANSWER_TYPES.get(self.question.type)
        self._field = _ANSWER_FIELDS.get(self._expected or "", "")
        self._known = _known_ids(self.question)
        self._unanswered = outcome(self.id, "unanswered", self.max_points, 0.0, {})

    @property
    def awaits_judge(self) -> bool:
        """Whether no rule but a judge can grade it, and it is worth anything."""
        return self.scorer is None and self.fault is None and self.max_points > 0

    def readable(self, value: Any) -> AnswerValue | None:
        """The answer, where it is one of the question's type and not blank."""
        answer = answer_of(value)
        if isinstance(answer, str) or answer.type != self._expected or _is_blank(answer):
            return None
        return answer

    def graded(self, value: Any) -> Outcome:
        """The outcome of one answer as it stands in the sheet's JSON."""
        key: Hashable = None
        content: Any = None
        if type(value) is dict and len(value) == 2 and value.get("type") == self._expected:
            content = value.get(self._field)
            kind = type(content)
            if kind is str or kind is bool:
                key = content
            elif kind is list:
                key = tuple(content)
            elif kind is dict:
                key = tuple(content.items())
        if key is None:
            return self._graded(value)
        try:
            known = self.cache.get(key)
        except TypeError:  # lists or objects where ids should be: no key, and no answer either
            return self._graded(value)
        if known is None:
            known = self._graded(value)
            if len(self.cache) < CACHED_ANSWERS and known.mode == "deterministic" and _length(content) <= CACHED_LENGTH:
                self.cache[key] = known
        return known

    def _graded(self, value: Any) -> Outcome:
        answer = answer_of(value)
        if isinstance(answer, str):
            return self.ungraded(f"the answer cannot be read: {answer}", "answer.invalid")
        if answer.type != self._expected:
            told = f"a {self.question.type} question has an answer of type {answer.type}, not {self._expected}"
            return self.ungraded(told, "answer.type")
        if _is_blank(answer):
            return self.unanswered({"blank": True})
        if self.fault is not None:
            return self.ungraded(self.fault, None, "key")
        if self.scorer is None:
            if self.max_points <= 0:
                return self.graded_as("deterministic", 0.0, {"reason": "the question is worth no points"})
            return self.ungraded("only a judge can grade this question", None, "judge")
        try:
            marks = self.scorer(answer)
        except AnswerTypeMismatch as fault:
            return self.ungraded(str(fault), "answer.type")
        foreign, found = self._foreign(answer)
        if foreign:
            return self.graded_as("deterministic", marks.awarded, {**marks.detail, FOREIGN_IDS: foreign}, found)
        return outcome(
            self.id, "deterministic", self.max_points, marks.awarded, marks.detail, found, detail_text=marks.text
        )

    def without_answer(self, status: str | None) -> Outcome:
        """What a sheet without an answer here comes to, by its outcome's status."""
        if status is None or status == "answered":
            return self._unanswered
        if status == "skipped":
            return self.skipped({"outcome": "skipped"})
        if status == "error":
            return self.ungraded("the taker's call failed: there is no answer to grade", "answer.call_failed")
        # refused, truncated, unparseable: the taker was asked and gave nothing that counts
        return self.unanswered({"outcome": status})

    def unanswered(self, detail: dict[str, Any]) -> Outcome:
        return self.graded_as("unanswered", 0.0, detail)

    def skipped(self, detail: dict[str, Any]) -> Outcome:
        return self.graded_as("skipped", 0.0, detail)

    def ungraded(self, reason: str, code: str | None, cause: str | None = None) -> Outcome:
        """`code` names the finding where it is the sheet that is at fault; `cause`: as in `losses.Loss`."""
        found = (error(code, reason, question=self.id),) if code else ()
        cause = cause or _CAUSES.get(code or "", "ungraded")
        return self.graded_as("error", 0.0, {"error": printable(reason), "cause": cause}, found)

    def graded_as(self, mode: Mode, awarded: float, detail: dict[str, Any], found: tuple[Finding, ...] = ()) -> Outcome:
        return outcome(self.id, mode, self.max_points, awarded, detail, found)

    def _foreign(self, answer: AnswerValue) -> tuple[list[str], tuple[Finding, ...]]:
        """Ids that this question does not have: scored as what they are, wrong, and told."""
        if answer.type == "single_choice" and answer.selected in self._known:
            return [], ()
        given, what = _ids(answer)
        # a question without ids of that kind has none to compare with
        foreign = (
            []
            if not self._known or self._known.issuperset(given)
            else sorted({shown(item) for item in given if item not in self._known})
        )
        found: list[Finding] = []
        if foreign:
            told = f"{what} that the question does not have: {foreign[0]!r}"
            found.append(warning("answer.unknown_id", told, self.id))
        if answer.type == "multiple_choice" and len(set(answer.selected)) < len(answer.selected):
            found.append(info("answer.duplicate", "an option is selected more than once; it counts once", self.id))
        return foreign[:SHOWN_FOREIGN], tuple(found)


def _known_ids(question: Question) -> frozenset[str]:
    """The ids that an answer to this question may name."""
    if question.type == "fill_in_blank":
        return frozenset(blank.id for blank in question.blanks or [])
    if question.matching:
        return frozenset(item.id for item in [*question.matching.left, *question.matching.right])
    return frozenset(option.id for option in question.options or [])


def _ids(answer: AnswerValue) -> tuple[list[str], str]:
    """The ids that an answer names, and what they are called."""
    match answer.type:
        case "fill_in_blank":
            return list(answer.blanks), "a blank"
        case "matching":
            return [*answer.pairs, *answer.pairs.values()], "an item"
        case "single_choice":
            return [answer.selected], "an option"
        case "multiple_choice":
            return answer.selected, "an option"
    return [], ""


def _is_blank(answer: AnswerValue) -> bool:
    if answer.type == "text":
        return not answer.text.strip()
    return answer.type == "drawing" and not answer.description.strip() and not answer.image_asset


def _length(content: str | bool | list[str] | dict[str, str]) -> int:
    """Characters of an answer that was found to be one: a text, a truth value, ids, or texts by id."""
    if type(content) is str:
        return len(content)
    if type(content) is list:
        return sum(map(len, content), len(content))
    if type(content) is dict:
        return sum(map(len, content), sum(map(len, content.values())))
    return 0


@dataclass
class ExamPlan:
    """Everything that the sheets of one bundle share. `questions` in print order; `sections`: each section's id
    with its first and one past its last place in that order, and its points. `source`: the dataset that the bundle was
    fetched from; `sealed`: its key must not stand in reports."""

    exam_id: str
    digest: str | None
    questions: dict[str, QuestionPlan]
    sections: list[tuple[str, int, int, float]]
    findings: list[Finding]
    total: float = 0.0
    unanchored: list[QuestionPlan] = field(default_factory=list)
    source: str | None = None
    sealed: bool = False

    @classmethod
    def of(cls, bundle: Bundle) -> ExamPlan:
        """Prepare a bundle. A key that cannot be used is a finding, and its question stays ungraded."""
        comma = decimal_comma(bundle.exam.language)
        plan = cls(bundle.exam.exam_id, None, {}, [], [], source=bundle.manifest.source(), sealed=bundle.sealed)
        try:
            plan.digest = bundle.digest()
        except BundleError as fault:
            plan.findings.append(warning("bundle.digest", f"the reports carry no digest: {fault}"))
        for section in bundle.exam.sections:
            first = len(plan.questions)
            for leaf, needs_image in _leaves(section):
                plan.questions[leaf.id] = _question_plan(plan, leaf, needs_image, bundle, comma)
            points = math.fsum(list(plan.maxima())[first:])
            plan.sections.append((section.id, first, len(plan.questions), points))
        plan.total = math.fsum(plan.maxima())
        plan.unanchored = [q for q in plan.questions.values() if q.grading is not None and not q.grading.anchored]
        return plan

    def maxima(self) -> Iterator[float]:
        """The points of each question, in print order."""
        return (question.max_points for question in self.questions.values())


def _question_plan(plan: ExamPlan, leaf: Question, needs_image: bool, bundle: Bundle, comma: bool) -> QuestionPlan:
    grading = bundle.grading.questions.get(leaf.id)
    scorer, fault = None, None
    if grading is None:
        fault = "the bundle has no rule for this question"
        plan.findings.append(error("key.missing", fault, question=leaf.id))
    else:
        try:
            scorer = rule_scorer(grading, comma=comma)
        except KeyFault as reason:
            fault = str(reason)
            plan.findings.append(error("key.unusable", fault, question=leaf.id))
    return QuestionPlan(leaf, grading, scorer, fault, needs_image)


def _leaves(section: Section) -> Iterator[tuple[Question, bool]]:
    """The leaves of a section, each with whether it, its stimulus or the section's directions show an image."""
    inherited = _has_image(section.instructions)
    for question in section.questions:
        yield from _below(question, inherited)


def _below(question: Question, inherited: bool) -> Iterator[tuple[Question, bool]]:
    items = [
        *(question.matching.left if question.matching else []),
        *(question.matching.right if question.matching else []),
    ]
    own = [*question.prompt, *(block for part in [*(question.options or []), *items] for block in part.content)]
    shows = inherited or _has_image(own)
    if not question.children:
        yield question, shows
    for child in question.children:
        yield from _below(child, shows)


def _has_image(blocks: list[Block]) -> bool:
    return any(block.type == "image" for block in blocks)
