"""Rules of grading: what is fixed, what is certain, what is left to a judge."""

from __future__ import annotations

import pytest

from exam2bench.ingest.assembly.ids import assign_ids
from exam2bench.ingest.draft import (
    DraftBlank,
    DraftOption,
    DraftPaper,
    DraftQuestion,
    DraftSection,
    KeyEntry,
    ScoringRule,
)
from exam2bench.ingest.keys.key_values import parse_value, to_options, truth
from exam2bench.ingest.keys.rules import make_grading
from exam2bench.ingest.keys.value_rules import certain_text, plain_number
from exam2bench.schemas.grading import QuestionGrading


def question(kind: str, points: float | None = 4.0, labels: str = "", **more: object) -> DraftQuestion:
    options = [DraftOption(name) for name in labels]
    return DraftQuestion("1.", "1", type=kind, points=points, options=options, **more)  # type: ignore[arg-type]


def told(raw: str, origin: str = "key", **more: object) -> KeyEntry:
    value = parse_value(raw)
    return KeyEntry(
        None,
        "1",
        value.values,
        value.alternatives,
        value.every,
        value.written,
        raw=raw,
        origin=origin,
        **more,  # type: ignore[arg-type]
    )


def graded(asked: DraftQuestion, entry: KeyEntry | None) -> tuple[QuestionGrading, list[str]]:
    made = DraftPaper(sections=[DraftSection(questions=[asked])])
    assign_ids(made)
    grading, findings = make_grading(made, {"q1": entry} if entry else {})
    return grading["q1"], [f.code for f in findings]


def test_shares_by_wrong_options() -> None:
    scoring = ScoringRule(ratio_by_errors=(1.0, 0.6, 0.2, 0.0))
    rule = graded(question("multiple_choice", labels="ABCDE", scoring=scoring), told("BDE"))[0].rule
    assert rule.kind == "per_option" and (rule.correct, rule.ratio_by_errors) == (["B", "D", "E"], [1.0, 0.6, 0.2, 0.0])


def test_shares_that_did_not_read_are_not_used() -> None:
    scoring = ScoringRule(ratio_by_errors=(1.0, 6.0, 2.0), text="5, 3, 1")
    grading, codes = graded(question("multiple_choice", labels="ABCDE", scoring=scoring), told("BDE"))
    assert grading.rule.kind == "choice" and codes == ["rule.ratios"]


def test_partial_credit_and_penalties() -> None:
    scoring = ScoringRule(partial=True, wrong_penalty=0.5)
    grading, _ = graded(question("multiple_choice", labels="ABCD", scoring=scoring), told("AC"))
    assert grading.rule.kind == "choice" and grading.rule.partial_credit and grading.rule.wrong_selection_penalty == 0.5
    assert grading.min_points == -0.5


def test_a_wrong_single_choice_may_cost_points() -> None:
    grading, _ = graded(question("single_choice", labels="ABCD", scoring=ScoringRule(wrong_penalty=1.0)), told("C"))
    assert grading.rule.kind == "choice" and (grading.rule.correct, grading.rule.negative_marking) == (["C"], -1.0)
    assert grading.min_points == -1.0


def test_a_void_question_is_told_and_full_for_any_answer() -> None:
    grading, codes = graded(question("single_choice", labels="ABCD"), told("Anulado"))
    assert grading.rule.kind == "choice" and grading.rule.correct == ["A", "B", "C", "D"] and codes == ["key.void"]


def test_a_void_open_question_tells_its_judge() -> None:
    grading, codes = graded(question("short_answer"), told("送分"))
    assert grading.rule.kind == "judge" and codes == ["key.void"]
    assert grading.rule.judge_instructions == "The question is void: every answer earns full marks."


def test_a_choice_without_a_key_falls_back_to_an_unanchored_judge() -> None:
    grading, _ = graded(question("single_choice", labels="ABCD"), None)
    assert grading.rule.kind == "judge" and not grading.anchored
    assert [level.points for level in grading.rule.rubric[0].levels] == [4.0, 3.0, 2.0, 1.0, 0.0]


@pytest.mark.parametrize("origin", ["solution", "printed"])
def test_a_number_from_a_worked_solution_is_judged(origin: str) -> None:
    """Where working earns the points, the bare result must not."""
    entry = told("27", origin, reference="27")
    assert graded(question("short_answer"), entry)[0].rule.kind == "judge"


@pytest.mark.parametrize(
    ("raw", "value", "unit"),
    [
        ("−12", "-12", None),
        ("1,250", "1250", None),
        ("3/4", "3/4", None),
        ("29.4 m/s", "29.4", "m/s"),
        ("2.7 g/cm³", "2.7", "g/cm^3"),
        ("15 kg", "15", "kg"),
    ],
)
def test_numbers_with_and_without_units(raw: str, value: str, unit: str | None) -> None:
    rule = graded(question("short_answer"), told(raw))[0].rule
    assert rule.kind == "numeric" and (rule.value, rule.unit) == (value, unit)


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        ("(x − 2)(x + 3)", "expression"),
        ("2x + 1", "expression"),
        ("the first one", "judge"),
        ("R", "judge"),
        ("a cat", "judge"),
    ],
)
def test_expressions(raw: str, kind: str) -> None:
    assert graded(question("short_answer"), told(raw))[0].rule.kind == kind


def test_blanks_take_the_values_in_order() -> None:
    blanks = [DraftBlank(), DraftBlank()]
    rule = graded(question("fill_in_blank", blanks=blanks), told("0; 100"))[0].rule
    assert rule.kind == "fill_in_blank" and [b.accepted for b in rule.blanks.values()] == [["0"], ["100"]]


def test_blanks_and_values_that_do_not_match_are_judged() -> None:
    blanks = [DraftBlank(), DraftBlank(), DraftBlank()]
    assert graded(question("fill_in_blank", blanks=blanks), told("0; 100"))[0].rule.kind == "judge"


@pytest.mark.parametrize(
    ("text", "certain"),
    [
        ("指南針", "指南針"),
        ("wrote", "wrote"),
        ("$\\frac{2}{3}$", "2/3"),
        ("2 3", None),
        ("x = tan(y + 1) − y", None),
        ("−π1", None),
        ("a\ufffd0", None),
        ("because the author says so in the text", None),
    ],
)
def test_only_what_reads_alone_is_certain(text: str, certain: str | None) -> None:
    assert certain_text(text) == certain


@pytest.mark.parametrize(
    ("text", "number"), [("1,000", "1000"), ("−3", "-3"), ("1,5", None), ("3 m", None), ("½", None)]
)
def test_plain_numbers(text: str, number: str | None) -> None:
    assert plain_number(text) == number


@pytest.mark.parametrize(
    ("raw", "sets", "every", "written"),
    [
        ("B", [("B",)], False, False),
        ("ＢＤＥ", [("B", "D", "E")], False, False),
        ("ACDE 或 ABCDE", [tuple("ACDE"), tuple("ABCDE")], False, False),
        ("A or C", [("A",), ("C",)], False, False),
        ("答(B)或(D)者均給分", [("B",), ("D",)], False, False),
        ("一律給分", [], True, False),
        ("Anulado", [], True, False),
        ("／", [], False, True),
        ("see mark scheme", [], False, True),
        ("丁乙甲丙", [("丁乙甲丙",)], False, False),
    ],
)
def test_values_of_keys(raw: str, sets: list[tuple[str, ...]], every: bool, written: bool) -> None:
    value = parse_value(raw)
    assert [s for s in (value.values, *value.alternatives) if s] == sets
    assert (value.every, value.written) == (every, written)


def test_labels_of_another_alphabet_count_by_their_place() -> None:
    assert to_options(["3"], list("ABCD")) == ("C",)
    assert to_options(["③"], list("12345")) == ("3",)
    assert to_options(["F"], list("ABCDE")) is None
    assert to_options(["6"], list("ABCDE")) is None


@pytest.mark.parametrize(
    ("text", "said"), [("T", True), ("錯", False), ("○", True), ("Falsch", False), ("maybe", None)]
)
def test_true_and_false(text: str, said: bool | None) -> None:
    assert truth(text) is said
