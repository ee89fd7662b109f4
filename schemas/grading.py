"""grading.json: how each leaf question is graded."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from .base import SCHEMA_VERSION, Contract, NonNegative, NonPositive, Points, Ratio, absent

DEFAULT_JUDGE = "llama:judge"
"""The embedded judge: no key, no server."""


class Normalization(Contract):
    case_insensitive: bool = True
    strip: bool = True
    collapse_whitespace: bool = True
    unicode_nfkc: bool = True
    numeric_tolerance: NonNegative | None = None
    numeric_relative: bool = False


class ChoiceRule(Contract):
    """Single choice: `correct` is an accept-list. Multiple choice: the exact set, or partial credit."""

    kind: Literal["choice"] = "choice"
    correct: list[str]
    partial_credit: bool = False
    wrong_selection_penalty: NonNegative = 0.0
    negative_marking: Points | None = None


class PerOptionRule(Contract):
    """max * ratio_by_errors[k], k = size of the symmetric difference of selected and correct."""

    kind: Literal["per_option"] = "per_option"
    correct: list[str]
    ratio_by_errors: list[Ratio]


class TrueFalseRule(Contract):
    kind: Literal["true_false"] = "true_false"
    correct: bool
    negative_marking: Points | None = None


class BlankKey(Contract):
    accepted: list[str]
    weight: NonNegative = 1.0


class FillInBlankRule(Contract):
    kind: Literal["fill_in_blank"] = "fill_in_blank"
    blanks: dict[str, BlankKey]
    normalization: Normalization = Field(default_factory=Normalization)
    all_or_nothing: bool = False


class MatchingRule(Contract):
    kind: Literal["matching"] = "matching"
    correct_pairs: dict[str, str]
    all_or_nothing: bool = False
    wrong_pair_penalty: NonNegative = 0.0


class RubricLevel(Contract):
    points: Points
    descriptor: str = ""


class RubricCriterion(Contract):
    """One thing that is judged, at one of its levels (highest first)."""

    id: str
    description: str
    levels: list[RubricLevel]


class Deduction(Contract):
    """Applied after the criteria and before the clamp."""

    id: str
    description: str
    points: NonPositive
    max_times: int = Field(default=1, ge=1)


class JudgeRule(Contract):
    kind: Literal["judge"] = "judge"
    reference_answer: str | None = None
    reference_assets: list[str] = []
    rubric: list[RubricCriterion] = []
    judge_instructions: str | None = None
    include_question_images: bool = True
    deductions: list[Deduction] = Field(default=[], exclude_if=absent)


class NumericRule(Contract):
    """A number equal within the stated tolerance (none stated: exact), the unit convertible."""

    kind: Literal["numeric"] = "numeric"
    value: str | float
    abs_tolerance: NonNegative | None = None
    rel_tolerance: NonNegative | None = None
    significant_figures: int | None = Field(default=None, ge=1)
    unit: str | None = None
    unit_required: bool = False


class ExpressionRule(Contract):
    """Mathematically equivalent to `expression` (LaTeX or plain); in `form` where the paper demands one."""

    kind: Literal["expression"] = "expression"
    expression: str
    variables: list[str] | None = None
    form: str | None = None


class EnumerationItem(Contract):
    accepted: list[str]


class EnumerationRule(Contract):
    """Every item, or any `required` of them."""

    kind: Literal["enumeration"] = "enumeration"
    items: list[EnumerationItem]
    ordered: bool = False
    required: int | None = Field(default=None, ge=1)
    penalty: NonNegative = 0.0


PartKind = Literal["numerical", "enumeration", "choice", "yes_no", "short_answer", "essay"]


class Part(Contract):
    id: str
    label: str | None = None
    kind: PartKind
    reference: str
    points: NonNegative
    criteria: list[RubricCriterion] | None = None


class PartsRule(Contract):
    """One free-text answer that covers several sub-questions, each scored for itself."""

    kind: Literal["parts"] = "parts"
    parts: list[Part]


Rule = Annotated[
    ChoiceRule
    | PerOptionRule
    | TrueFalseRule
    | FillInBlankRule
    | MatchingRule
    | JudgeRule
    | NumericRule
    | ExpressionRule
    | EnumerationRule
    | PartsRule,
    Field(discriminator="kind"),
]


class QuestionGrading(Contract):
    """`anchored` is False where no official answer or rubric stands behind a judged question; a file that
    does not say (the common part has no such field) is read for what it holds."""

    question_id: str
    max_points: NonNegative
    min_points: NonPositive = 0.0
    rule: Rule
    anchored: bool = True

    @model_validator(mode="after")
    def _anchored_by_content(self) -> QuestionGrading:
        if "anchored" not in self.model_fields_set and isinstance(self.rule, JudgeRule):
            self.anchored = bool(self.rule.reference_answer or self.rule.reference_assets or self.rule.rubric)
        return self


class JudgeSettings(Contract):
    """Which judges a bundle is meant for. Never empty: other readers refuse an empty list."""

    models: list[str] = [DEFAULT_JUDGE]
    aggregation: Literal["mean", "median", "min", "max"] = "mean"


class GradingSpec(Contract):
    schema_version: str = SCHEMA_VERSION
    exam_id: str
    judge: JudgeSettings = Field(default_factory=JudgeSettings)
    questions: dict[str, QuestionGrading] = {}
    revision: int = Field(default=1, ge=1)
    amendments: list[dict[str, Any]] = Field(default=[], exclude_if=absent)
