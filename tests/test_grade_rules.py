"""Each rule kind, from an answer to points; what the sheet and the report say about it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exam2bench.grade.marks import AnswerTypeMismatch, Marks
from exam2bench.grade.scoring import least_points, rule_scorer
from exam2bench.grade.sheets import answer_of
from exam2bench.schemas.grading import QuestionGrading


def marks(rule: dict[str, Any], answer: dict[str, Any], most: float = 6, least: float = 0) -> Marks:
    grading = QuestionGrading.model_validate(
        {"question_id": "q", "max_points": most, "min_points": least, "rule": rule, "anchored": True}
    )
    scorer, value = rule_scorer(grading), answer_of(answer)
    assert scorer is not None and not isinstance(value, str)
    return scorer(value)


def text(answer: str) -> dict[str, Any]:
    return {"type": "text", "text": answer}


def several(*selected: str) -> dict[str, Any]:
    return {"type": "multiple_choice", "selected": list(selected)}


def test_single_choice_is_an_accept_list() -> None:
    rule = {"kind": "choice", "correct": ["B", "C"]}
    assert marks(rule, {"type": "single_choice", "selected": "C"}).awarded == 6
    wrong = marks({**rule, "negative_marking": -2}, {"type": "single_choice", "selected": "A"})
    assert wrong.awarded == -2
    assert wrong.detail == {
        "selected": ["A"],
        "correct": ["B", "C"],
        "hits": [],
        "wrong": ["A"],
        "negative_marking": True,
    }


def test_multiple_choice_wants_the_exact_set_or_counts_hits() -> None:
    rule = {"kind": "choice", "correct": ["A", "C"]}
    assert marks(rule, several("C", "A", "A")).awarded == 6
    assert marks(rule, several("A")).awarded == 0
    partial = {**rule, "partial_credit": True, "wrong_selection_penalty": 1}
    assert marks(partial, several("A", "B")).awarded == 2
    assert marks(partial, several("B", "D"), least=-1.5).awarded == -1.5


def test_per_option_counts_every_wrong_option() -> None:
    rule = {"kind": "per_option", "correct": ["A", "C"], "ratio_by_errors": [1, 0.5]}
    assert [marks(rule, several(*given)).awarded for given in (["A", "C"], ["A"], ["A", "B"], [])] == [6, 3, 0, 0]


def test_matching_gives_shares() -> None:
    rule = {"kind": "matching", "correct_pairs": {"l1": "r1", "l2": "r2"}, "wrong_pair_penalty": 1}
    assert marks(rule, {"type": "matching", "pairs": {"l1": "r1"}}).awarded == 3
    assert marks(rule, {"type": "matching", "pairs": {"l1": "r1", "l2": "r9"}}).awarded == 2


def test_blanks_are_weighted() -> None:
    rule = {"kind": "fill_in_blank", "blanks": {"b1": {"accepted": ["½"], "weight": 2}, "b2": {"accepted": ["x"]}}}
    result = marks(rule, {"type": "fill_in_blank", "blanks": {"b1": "0.5", "b2": "y"}})
    assert result.awarded == 4
    assert result.detail["blanks"]["b1"] == {"answer": "0.5", "matched": True}


def test_numeric_and_expression_take_a_text_or_a_single_blank() -> None:
    numeric = {"kind": "numeric", "value": 10, "unit": "m/s"}
    assert marks(numeric, text("36 km/h")).awarded == 6
    assert marks(numeric, {"type": "fill_in_blank", "blanks": {"b1": "10"}}).awarded == 6
    assert marks(numeric, text("36")).detail == {
        "answer": "36",
        "expected": "10 m/s",
        "matched": False,
        "reason": "another value",
    }
    assert marks({"kind": "expression", "expression": "x^2-1"}, text("(x-1)(x+1)")).awarded == 6
    with pytest.raises(AnswerTypeMismatch, match="the sheet has 2 blanks"):
        marks(numeric, {"type": "fill_in_blank", "blanks": {"b1": "10", "b2": "m/s"}})


ITEMS = {
    "kind": "enumeration",
    "items": [{"accepted": ["red", "crimson"]}, {"accepted": ["green"]}, {"accepted": ["blue"]}],
}


@pytest.mark.parametrize(
    ("answer", "awarded"),
    [
        ("red, green, blue", 6),
        ("blue; green; red", 6),
        ("1. Green\n2. Blue\n3. Crimson", 6),
        ("red、green、blue", 6),
        ("red and green", 4),
        ("red, crimson", 2),
        ("- blue\n- yellow", 2),
        ("{red, blue, green}", 6),
        ("green", 2),
        ("red green blue", 6),
        ("", 0),
        ("purple", 0),
        ("red / green / blue.", 6),
        ("Red，Green 和 Blue", 6),
    ],
)
def test_a_list_is_read_however_it_is_parted(answer: str, awarded: float) -> None:
    assert marks(ITEMS, text(answer)).awarded == awarded


def test_a_list_in_order_wants_each_item_at_its_place() -> None:
    ordered = {**ITEMS, "ordered": True}
    assert marks(ordered, text("red, green, blue")).awarded == 6
    assert marks(ordered, text("green, red, blue")).awarded == 2


def test_any_required_items_are_enough_and_wrong_ones_cost() -> None:
    rule = {**ITEMS, "required": 2, "penalty": 1}
    assert marks(rule, text("blue, red")).awarded == 6
    result = marks(rule, text("blue, pink"))
    assert result.awarded == 2
    assert result.detail == {"items": ["blue", "pink"], "found": 1, "wanted": 2, "wrong": ["pink"]}


def test_number_lists_are_sets_of_numbers() -> None:
    rule = {"kind": "enumeration", "items": [{"accepted": ["2"]}, {"accepted": ["1/2"]}]}
    for answer in ("2, 0.5", "½;2", "x=2 or x=1/2", "{0.5,2}", "2,½"):
        assert marks(rule, text(answer)).awarded == 6, answer
    thousands = {"kind": "enumeration", "items": [{"accepted": ["1000"]}, {"accepted": ["2000"]}]}
    assert marks(thousands, text("1,000, 2,000")).awarded == 6


def test_an_item_that_two_pieces_fit_is_paired_so_that_most_is_found() -> None:
    rule = {"kind": "enumeration", "items": [{"accepted": ["a", "b"]}, {"accepted": ["b"]}]}
    assert marks(rule, text("b, a")).awarded == 6


def test_judged_kinds_have_no_scorer() -> None:
    judge = {"kind": "judge", "reference_answer": "because"}
    grading = QuestionGrading.model_validate({"question_id": "q", "max_points": 2, "rule": judge})
    assert rule_scorer(grading) is None


def test_the_least_that_can_be_earned() -> None:
    rule = {"kind": "choice", "correct": ["A"], "negative_marking": -0.5}
    grading = QuestionGrading.model_validate({"question_id": "q", "max_points": 2, "rule": rule})
    assert least_points(grading) == -0.5


@given(
    st.sets(st.sampled_from("ABCDE"), min_size=1),
    st.lists(st.sampled_from("ABCDEZ"), max_size=8),
    st.floats(0, 3),
    st.floats(-3, 0),
)
def test_points_stay_in_their_range(correct: set[str], selected: list[str], penalty: float, least: float) -> None:
    rule = {"kind": "choice", "correct": sorted(correct), "partial_credit": True, "wrong_selection_penalty": penalty}
    result = marks(rule, several(*selected), most=5, least=least)
    assert least <= result.awarded <= 5
    assert (result.awarded == 5) >= (set(selected) == correct)
