"""Scores of the rules that compare ids: choice, per_option, true_false, matching."""

from __future__ import annotations

from typing import Any

from ..schemas.answers import AnswerValue
from ..schemas.grading import ChoiceRule, MatchingRule, PerOptionRule, QuestionGrading, TrueFalseRule
from .marks import AnswerTypeMismatch, Marks, Scorer, clamp, shown

MAX_SELECTED = 1_000
"""Ids of a selection that are looked at; no question has as many options."""


# answers are told apart by their type field: isinstance is slow where it says no to a pydantic record


def _selected(answer: AnswerValue) -> list[str]:
    if answer.type == "single_choice":
        return [answer.selected]
    if answer.type == "multiple_choice":
        return answer.selected[:MAX_SELECTED]
    raise AnswerTypeMismatch(f"a choice question has an answer of type {answer.type}")


def choice_scorer(rule: ChoiceRule, grading: QuestionGrading) -> Scorer:
    """Single choice: any accepted id earns full marks. Multiple choice: the exact set, or partial credit."""
    correct = frozenset(rule.correct)
    key = sorted(correct)
    most, least = grading.max_points, grading.min_points
    full = clamp(most, least, most)

    def score(answer: AnswerValue) -> Marks:
        if answer.type == "single_choice":
            given = [shown(answer.selected)]
            if answer.selected in correct:
                return Marks(full, {"selected": given, "correct": key, "hits": given, "wrong": []})
            hits, wrong = [], given
            detail: dict[str, Any] = {"selected": given, "correct": key, "hits": hits, "wrong": wrong}
        else:
            selected = set(_selected(answer))
            hits = sorted(correct & selected)
            wrong = [shown(item) for item in sorted(selected - correct)]
            given = sorted({shown(item) for item in selected})
            detail = {"selected": given, "correct": key, "hits": hits, "wrong": wrong}
            if selected == correct:
                return Marks(full, detail)
        if not hits and rule.negative_marking is not None:
            return Marks(float(min(rule.negative_marking, most)), {**detail, "negative_marking": True})
        points = 0.0
        if rule.partial_credit and correct:
            points = most * len(hits) / len(correct) - rule.wrong_selection_penalty * len(wrong)
        return Marks(clamp(points, least, most), detail)

    return score


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
        detail: dict[str, Any] = {"value": answer.value, "correct": rule.correct}
        if answer.value == rule.correct:
            return Marks(clamp(most, least, most), detail)
        if rule.negative_marking is not None:
            return Marks(float(min(rule.negative_marking, most)), {**detail, "negative_marking": True})
        return Marks(clamp(0.0, least, most), detail)

    return score


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
