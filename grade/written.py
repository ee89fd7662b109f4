"""Scores of the rules that read what was written: fill_in_blank, numeric, expression, enumeration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..schemas.answers import AnswerValue
from ..schemas.grading import EnumerationRule, ExpressionRule, FillInBlankRule, NumericRule, QuestionGrading
from .enumeration import EnumerationKey
from .marks import AnswerTypeMismatch, Marks, Scorer, clamp, shown
from .quantities import QuantityKey
from .text_match import TextKey

if TYPE_CHECKING:
    from .expressions import ExpressionKey


def written_texts(answer: AnswerValue) -> list[str]:
    """What the taker wrote: one text, or the texts of the blanks in their order."""
    if answer.type == "text":
        return [answer.text]
    if answer.type == "fill_in_blank":
        return list(answer.blanks.values())
    raise AnswerTypeMismatch(f"a question that is answered in writing has an answer of type {answer.type}")


def _one_text(answer: AnswerValue) -> str:
    texts = written_texts(answer)
    if len(texts) != 1:
        raise AnswerTypeMismatch(f"one answer is wanted and the sheet has {len(texts)} blanks")
    return texts[0]


def fill_in_blank_scorer(rule: FillInBlankRule, grading: QuestionGrading, comma: bool) -> Scorer:
    """The weighted share of blanks that hold an accepted text; a blank left out counts as empty."""
    keys = {blank: TextKey.of(key.accepted, rule.normalization, comma=comma) for blank, key in rule.blanks.items()}
    weights = {blank: key.weight for blank, key in rule.blanks.items()}
    total = sum(weights.values())
    most, least = grading.max_points, grading.min_points

    def score(answer: AnswerValue) -> Marks:
        if answer.type != "fill_in_blank":
            raise AnswerTypeMismatch(f"a fill-in question has an answer of type {answer.type}")
        given = {blank: answer.blanks.get(blank, "") for blank in keys}
        matched = {blank: keys[blank].matches(text) for blank, text in given.items()}
        detail = {blank: {"answer": shown(given[blank]), "matched": matched[blank]} for blank in keys}
        if all(matched.values()) and (keys or rule.all_or_nothing):
            points = most
        elif rule.all_or_nothing or not total:
            points = 0.0
        else:
            points = most * sum(weights[blank] for blank in keys if matched[blank]) / total
        return Marks(clamp(points, least, most), {"blanks": detail})

    return score


def numeric_scorer(rule: NumericRule, grading: QuestionGrading, comma: bool) -> Scorer:
    key = QuantityKey.of(rule, comma=comma)
    return _value_scorer(key, key.shown, grading)


def expression_scorer(rule: ExpressionRule, grading: QuestionGrading, comma: bool) -> Scorer:
    from .expressions import ExpressionKey

    return _value_scorer(ExpressionKey.of(rule, comma=comma), rule.expression, grading)


def _value_scorer(key: QuantityKey | ExpressionKey, expected: str, grading: QuestionGrading) -> Scorer:
    def score(answer: AnswerValue) -> Marks:
        text = _one_text(answer)
        verdict = key.check(text)
        detail: dict[str, Any] = {"answer": shown(text), "expected": expected, "matched": verdict.matched}
        if verdict.reason:
            detail["reason"] = verdict.reason
        return _all_or_nothing(verdict.matched, grading, detail)

    return score


def enumeration_scorer(rule: EnumerationRule, grading: QuestionGrading, comma: bool) -> Scorer:
    """max * found / wanted - penalty * wrong; `wanted` is `required`, or all items."""
    key = EnumerationKey.of(rule, comma=comma)
    most, least = grading.max_points, grading.min_points

    def score(answer: AnswerValue) -> Marks:
        found = key.check(written_texts(answer))
        share = min(found.right, key.wanted) / key.wanted if key.wanted else 0.0
        points = most * share - rule.penalty * len(found.wrong)
        detail = {
            "items": [shown(item) for item in found.given[:200]],
            "found": found.right,
            "wanted": key.wanted,
            "wrong": [shown(item) for item in found.wrong[:200]],
        }
        return Marks(clamp(points, least, most), detail)

    return score


def _all_or_nothing(matched: bool, grading: QuestionGrading, detail: dict[str, Any]) -> Marks:
    points = grading.max_points if matched else 0.0
    return Marks(clamp(points, grading.min_points, grading.max_points), detail)
