"""Scores of the rules that compare ids: choice, per_option, true_false, matching."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ..schemas.answers import AnswerValue
from ..schemas.grading import ChoiceRule, MatchingRule, PerOptionRule, QuestionGrading, TrueFalseRule
from .entries import entry_text
from .marks import AnswerTypeMismatch, Marks, Scorer, clamp, shown

MAX_SELECTED = 1_000
"""Ids of a selection that are looked at; no question has as many options."""
SHARED_LENGTH = 64
"""Characters of the ids of a selection whose comparison with a key is kept for other questions."""


# answers are told apart by their type field: isinstance is slow where it says no to a pydantic record


def _selected(answer: AnswerValue) -> list[str]:
    if answer.type == "single_choice":
        return [answer.selected]
    if answer.type == "multiple_choice":
        return answer.selected[:MAX_SELECTED]
    raise AnswerTypeMismatch(f"a choice question has an answer of type {answer.type}")


def choice_scorer(rule: ChoiceRule, grading: QuestionGrading) -> Scorer:
    """Single choice: any accepted id earns full marks. Multiple choice: the exact set, or partial credit."""
    key = tuple(sorted(set(rule.correct)))
    most, least = grading.max_points, grading.min_points
    full = clamp(most, least, most)

    def score(answer: AnswerValue) -> Marks:
        selected = tuple(sorted(set(_selected(answer))))
        known = sum(map(len, selected)) <= SHARED_LENGTH
        detail, text = _compared(selected, key) if known else _compared.__wrapped__(selected, key)
        hits, wrong = detail["hits"], detail["wrong"]
        if selected == key or (hits and answer.type == "single_choice"):
            return Marks(full, detail, text)
        if not hits and rule.negative_marking is not None:
            return Marks(float(min(rule.negative_marking, most)), {**detail, "negative_marking": True})
        points = 0.0
        if rule.partial_credit and key:
            points = most * len(hits) / len(key) - rule.wrong_selection_penalty * len(wrong)
        return Marks(clamp(points, least, most), detail, text)

    return score


@lru_cache(maxsize=4096)
def _compared(selected: tuple[str, ...], correct: tuple[str, ...]) -> tuple[dict[str, Any], str]:
    """What was chosen beside the key, and its text in a report: the same few in all questions of a paper. Both tuples
    sorted; nobody changes the record."""
    hits = [item for item in selected if item in correct]
    wrong = [shown(item) for item in selected if item not in correct]
    given = sorted({shown(item) for item in selected})
    detail = {"selected": given, "correct": list(correct), "hits": hits, "wrong": wrong}
    return detail, entry_text(detail)


def per_option_scorer(rule: PerOptionRule, grading: QuestionGrading) -> Scorer:
    """Each option is a yes or no of its own: the number of wrong ones decides. Nothing selected earns 0."""
    correct, key = frozenset(rule.correct), sorted(set(rule.correct))
    most, least = grading.max_points, grading.min_points

    def score(answer: AnswerValue) -> Marks:
        selected = frozenset(_selected(answer))
        errors = len(selected ^ correct)
        detail: dict[str, Any] = {
            "selected": sorted(shown(item) for item in selected),
            "correct": key,
            "errors": errors,
        }
        if not selected:
            return Marks(clamp(0.0, least, most), {**detail, "blank": True})
        ratio = rule.ratio_by_errors[errors] if errors < len(rule.ratio_by_errors) else 0.0
        return Marks(clamp(most * ratio, least, most), {**detail, "ratio": ratio})

    return score


def true_false_scorer(rule: TrueFalseRule, grading: QuestionGrading) -> Scorer:
    most, least = grading.max_points, grading.min_points

    def score(answer: AnswerValue) -> Marks:
        if answer.type != "true_false":
            raise AnswerTypeMismatch(f"a true/false question has an answer of type {answer.type}")
        detail, text = _truths(answer.value, rule.correct)
        if answer.value == rule.correct:
            return Marks(clamp(most, least, most), detail, text)
        if rule.negative_marking is not None:
            return Marks(float(min(rule.negative_marking, most)), {**detail, "negative_marking": True})
        return Marks(clamp(0.0, least, most), detail, text)

    return score


@lru_cache(maxsize=4)
def _truths(value: bool, correct: bool) -> tuple[dict[str, Any], str]:
    detail: dict[str, Any] = {"value": value, "correct": correct}
    return detail, entry_text(detail)


def matching_scorer(rule: MatchingRule, grading: QuestionGrading) -> Scorer:
    """Share of right pairs; a pair left out is not wrong, one that the key does not know is not looked at."""
    key = rule.correct_pairs
    most, least = grading.max_points, grading.min_points

    def score(answer: AnswerValue) -> Marks:
        if answer.type != "matching":
            raise AnswerTypeMismatch(f"a matching question has an answer of type {answer.type}")
        given = {left: answer.pairs.get(left) for left in key}
        right = sum(given[left] == expected for left, expected in key.items())
        wrong = sum(value is not None and value != key[left] for left, value in given.items())
        detail = {
            left: {
                "answer": None if value is None else shown(value),
                "expected": key[left],
                "matched": value == key[left],
            }
            for left, value in given.items()
        }
        if rule.all_or_nothing:
            points = most if right == len(key) else 0.0
        else:
            points = (most * right / len(key) if key else 0.0) - rule.wrong_pair_penalty * wrong
        return Marks(clamp(points, least, most), {"pairs": detail})

    return score
