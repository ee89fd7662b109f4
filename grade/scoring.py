"""From a question's grading to the function that scores its answers, prepared once per bundle."""

from __future__ import annotations

from ..schemas.grading import (
    ChoiceRule,
    EnumerationRule,
    ExpressionRule,
    FillInBlankRule,
    JudgeRule,
    MatchingRule,
    NumericRule,
    PartsRule,
    PerOptionRule,
    QuestionGrading,
    TrueFalseRule,
)
from .marks import Scorer
from .selection import choice_scorer, matching_scorer, per_option_scorer, true_false_scorer
from .written import enumeration_scorer, expression_scorer, fill_in_blank_scorer, numeric_scorer


def rule_scorer(grading: QuestionGrading, *, comma: bool = False) -> Scorer | None:
    """The scorer of a question, or None where only a judge can grade it.

    `comma`: the paper's language prints decimal commas. Raises KeyFault where the key itself cannot be read.
    A scorer raises AnswerTypeMismatch for an answer of another type.
    """
    match grading.rule:
        case ChoiceRule():
            return choice_scorer(grading.rule, grading)
        case PerOptionRule():
            return per_option_scorer(grading.rule, grading)
        case TrueFalseRule():
            return true_false_scorer(grading.rule, grading)
        case MatchingRule():
            return matching_scorer(grading.rule, grading)
        case FillInBlankRule():
            return fill_in_blank_scorer(grading.rule, grading, comma)
        case NumericRule():
            return numeric_scorer(grading.rule, grading, comma)
        case ExpressionRule():
            return expression_scorer(grading.rule, grading, comma)
        case EnumerationRule():
            return enumeration_scorer(grading.rule, grading, comma)
        case JudgeRule() | PartsRule():
            return None


def least_points(grading: QuestionGrading) -> float:
    """The least that an answer to this question can earn, penalties considered."""
    negative = getattr(grading.rule, "negative_marking", None)
    return min(grading.min_points, 0.0 if negative is None else negative)
