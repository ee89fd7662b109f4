"""The key against the exam, the printed key and the scheme; rules that prove themselves."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest

from exam2bench.corpora.ingest_command import prove_rule
from exam2bench.ingest.draft import KeyEntry
from exam2bench.ingest.proving.keyed import check_keys
from exam2bench.ingest.proving.page_index import PageIndex
from exam2bench.ingest.proving.prove import prove
from exam2bench.ingest.proving.rules import propose_rules
from exam2bench.ingest.witness import Answer, Witness
from exam2bench.schemas.content import TextBlock
from exam2bench.schemas.exam import Exam, Matching, MatchItem, Section
from exam2bench.schemas.findings import Finding
from exam2bench.schemas.grading import (
    ChoiceRule,
    Deduction,
    GradingSpec,
    JudgeRule,
    MatchingRule,
    QuestionGrading,
    RubricCriterion,
    RubricLevel,
)

from .proving_pages import choice, exam_of, grading, open_question, typed

BANK = [("A", "red"), ("B", "green"), ("C", "blue"), ("D", "white")]


def ten() -> Exam:
    return exam_of([choice(f"q{n}", f"{n}.", f"Which colour has thing number {n}?", BANK) for n in range(1, 11)])


def entries(key: str) -> list[KeyEntry]:
    """A printed key, one letter per question."""
    return [KeyEntry(None, str(n), values=(letter,), raw=letter, source=1) for n, letter in enumerate(key, 1)]


KEY = "ABCDABDCBA"
INDEX = typed(["nothing"])


def findings(exam: Exam, key: GradingSpec, printed: str = KEY, index: PageIndex = INDEX) -> list[Finding]:
    return check_keys(Witness("model", exam, key), index, entries(printed))


def codes(found: list[Finding]) -> list[tuple[str, str | None]]:
    return [(f.code, f.where.question) for f in found]


def test_a_key_like_the_printed_one_says_nothing() -> None:
    assert findings(ten(), grading(ten(), KEY)) == []


def test_a_wrong_answer_names_both() -> None:
    (finding,) = findings(ten(), grading(ten(), "ABCDACDCBA"))
    assert (finding.code, finding.severity, finding.where.question) == ("key.wrong", "error", "q6")
    assert finding.message == "The key of q6 is C; key prints “B” for it."
    assert finding.where.source == 1


def test_points_beside_a_printed_answer_are_the_questions() -> None:
    printed = [replace(entry, points=4.0 if entry.label == "3" else 1.0) for entry in entries(KEY)]
    (finding,) = check_keys(Witness("model", ten(), grading(ten(), KEY)), INDEX, printed)
    assert (finding.code, finding.where.question) == ("points.wrong", "q3")
    assert finding.message == "q3 is worth 1 points; key prints 4 for it."


@pytest.mark.parametrize(("pairs", "said"), [("i-B ii-A", []), ("i-A ii-B", ["key.wrong"])])
def test_a_matching_key_is_held_to_the_printed_pairs(pairs: str, said: list[str]) -> None:
    question = choice("q1", "1.", "Match.", [])
    sides = [[MatchItem(id=i, content=[TextBlock(markdown=i)]) for i in ids] for ids in (("i", "ii"), ("A", "B"))]
    question.type, question.options, question.matching = "matching", None, Matching(left=sides[0], right=sides[1])
    exam = exam_of([question])
    rule = MatchingRule(correct_pairs=dict(pair.split("-") for pair in pairs.split()))
    key = GradingSpec(exam_id=exam.exam_id, questions={})
    key.questions["q1"] = QuestionGrading(question_id="q1", max_points=question.points, rule=rule)
    printed = KeyEntry(None, "1", raw="(i) B, (ii) A", source=1, question_id="q1")
    assert [f.code for f in check_keys(Witness("model", exam, key), INDEX, [printed])] == said


@pytest.mark.parametrize("start", [0, 4])
def test_a_key_shifted_from_one_question_on_is_one_finding_more(start: int) -> None:
    moved = KEY[:start] + KEY[start + 1 :] + "D"
    found = findings(ten(), grading(ten(), moved))
    (shift,) = [f for f in found if f.code == "key.shifted"]
    assert shift.where.question == f"q{start + 1}"
    assert "+1" in shift.message
    assert {f.code for f in found} == {"key.wrong", "key.shifted"}


def test_an_answer_that_is_no_option_and_what_it_may_mean() -> None:
    key = grading(ten(), KEY)
    key.questions["q3"].rule = ChoiceRule(correct=["3"])
    (finding,) = check_keys(Witness("model", ten(), key), INDEX)
    assert (finding.code, finding.where.question) == ("key.answer_not_an_option", "q3")
    assert finding.hint == "In the question's own labels that would be C."


def test_choose_two_wants_two() -> None:
    exam = exam_of([choice("q1", "1.", "Choose two of these colours.", BANK)])
    exam.sections[0].questions[0].type = "multiple_choice"
    key = grading(exam, "A")
    assert codes(check_keys(Witness("model", exam, key), INDEX)) == [("key.size", "q1")]
    key.questions["q1"].rule = ChoiceRule(correct=["A", "C"])
    assert check_keys(Witness("model", exam, key), INDEX) == []


def test_accepted_alternatives_of_a_single_choice_are_one_key() -> None:
    printed = [KeyEntry(None, str(n), values=(k,), raw=k, source=1) for n, k in enumerate(KEY, 1)]
    printed[1] = KeyEntry(None, "2", values=("B",), alternatives=(("D",),), raw="B or D", source=1)
    key = grading(ten(), KEY)
    key.questions["q2"].rule = ChoiceRule(correct=["B", "D"])
    assert check_keys(Witness("model", ten(), key), INDEX, printed) == []


def test_a_question_without_grading_is_an_error() -> None:
    key = grading(ten(), KEY)
    del key.questions["q4"]
    assert codes(check_keys(Witness("model", ten(), key), INDEX)) == [("key.ungraded", "q4")]


# --- rubrics ----------------------------------------------------------------------------------------------------------


def judged(rule: JudgeRule, points: float = 3, anchored: bool = True) -> tuple[Exam, GradingSpec]:
    question = open_question("q1", "1.", "Explain.")
    question.points = points
    exam = exam_of([question])
    graded = QuestionGrading(question_id="q1", max_points=points, rule=rule, anchored=anchored)
    return exam, GradingSpec(exam_id="x", questions={"q1": graded})


def criterion(name: str, *levels: tuple[float, str]) -> RubricCriterion:
    return RubricCriterion(
        id=name, description=name, levels=[RubricLevel(points=p, descriptor=text) for p, text in levels]
    )


SCHEME = typed(["1. Names the pump and says that it lifts the water (2 marks)", "One of the two is right (1 mark)"])


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (JudgeRule(rubric=[criterion("c1", (2, ""), (0, ""))]), ["rubric.sum"]),
        (JudgeRule(rubric=[criterion("c1", (3, ""), (3, ""))]), ["rubric.levels"]),
        (JudgeRule(rubric=[criterion("c1", (0, ""), (3, ""))]), ["rubric.levels"]),
        (
            JudgeRule(
                rubric=[criterion("c1", (3, ""), (0, ""))],
                deductions=[Deduction(id="d1", description="late", points=-4)],
            ),
            ["rubric.deduction"],
        ),
        (JudgeRule(), ["key.unanchored"]),
        (JudgeRule(rubric=[criterion("c1", (2, ""), (1, ""), (0, "")), criterion("c2", (1, ""), (0, ""))]), []),
    ],
)
def test_the_arithmetic_of_a_rubric(rule: JudgeRule, expected: list[str]) -> None:
    exam, key = judged(rule)
    assert [f.code for f in check_keys(Witness("model", exam, key), SCHEME)] == expected


def test_a_rubrics_words_must_stand_in_the_scheme() -> None:
    right = criterion(
        "c1", (2, "Names the pump and says that it lifts the water"), (1, "One of the two is right"), (0, "")
    )
    exam, key = judged(JudgeRule(rubric=[right]), points=2)
    assert check_keys(Witness("model", exam, key), SCHEME) == []
    wrong = copy.deepcopy(right)
    wrong.levels[0].descriptor = "Mentions gravity, pressure and the height of the reservoir"
    exam, key = judged(JudgeRule(rubric=[wrong]), points=2)
    (finding,) = check_keys(Witness("model", exam, key), SCHEME)
    assert (finding.code, finding.severity) == ("key.unproved", "error")


def test_an_invented_official_answer_is_found() -> None:
    exam, key = judged(JudgeRule(reference_answer="Because the moon pulls at the water twice a day."), points=1)
    assert [f.code for f in check_keys(Witness("model", exam, key), SCHEME)] == ["key.unproved"]


def test_points_that_the_page_prints_otherwise() -> None:
    question = open_question("q1", "1.", "Explain why. (4 marks)")
    section = Section(
        id="B",
        instructions=[TextBlock(markdown="Questions 2 to 4: each question carries 2 marks.")],
        questions=[choice(f"q{n}", f"{n}.", f"Which colour has thing {n}?", BANK) for n in (2, 3, 4)],
    )
    exam = exam_of([question])
    exam.sections.append(section)
    for leaf in section.questions:
        leaf.points = 2
    section.questions[1].points = 5
    proof = prove(Witness("model", exam, grading(exam, "ABC")), typed(["1. Explain why."]))
    wrong = [(f.where.question, f.message) for f in proof.findings if f.code == "points.wrong"]
    assert wrong == [
        ("q1", "q1 prints 4 points and is worth 1."),
        ("q3", "Each question of its section is worth 2 points, q3 5."),
    ]


# --- rules for single values ------------------------------------------------------------------------------------------


def proposal(raw: str, stem: str = "How much is it?", origin: str = "key", points: float = 2) -> Any:
    question = open_question("q1", "1.", stem)
    question.points = points
    exam = exam_of([question])
    graded = QuestionGrading(question_id="q1", max_points=points, rule=JudgeRule(reference_answer=raw))
    witness = Witness(
        "model", exam, GradingSpec(exam_id="x", questions={"q1": graded}), {}, {"q1": Answer(raw, (), origin)}
    )
    return witness


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        ("42", "numeric"),
        ("29.4 m/s", "numeric"),
        ("(x - 2)(x - 3)", "expression"),
        ("$(x-2)(x-3)$", "expression"),
        ("red; green; blue", "enumeration"),
        ("(a) 12 (b) 15", "parts"),
    ],
)
def test_a_single_official_value_becomes_a_rule(raw: str, kind: str) -> None:
    accepted, found = propose_rules(proposal(raw), INDEX, prove_rule)
    assert accepted["q1"].rule.kind == kind
    assert [f.code for f in found] == ["rule.proved"]


def test_any_two_of_three() -> None:
    accepted, _ = propose_rules(proposal("red; green; blue", "Name and select two colours."), INDEX, prove_rule)
    rule: Any = accepted["q1"].rule
    assert (rule.required, [item.accepted for item in rule.items]) == (2, [["red"], ["green"], ["blue"]])


@pytest.mark.parametrize("raw", ["Because the water is warm and the air is cold.", "it depends on the case"])
def test_prose_stays_with_the_judge(raw: str) -> None:
    assert propose_rules(proposal(raw), INDEX, prove_rule) == ({}, [])


def test_a_worked_solution_is_no_single_value() -> None:
    assert propose_rules(proposal("42", origin="solution"), INDEX, prove_rule) == ({}, [])


def test_nothing_is_proposed_without_a_prover() -> None:
    assert propose_rules(proposal("42"), INDEX, None) == ({}, [])


def test_a_rule_that_does_not_prove_itself_is_refused() -> None:
    accepted, found = propose_rules(proposal("42"), INDEX, lambda *_: 1.0)
    assert accepted == {}
    assert [(f.code, f.message) for f in found] == [
        ("rule.refused", "q1 stays with the judge: as numeric the official answer earns 1 of 2 points.")
    ]
    accepted, found = propose_rules(proposal("42"), INDEX, lambda *_: 2.0)
    assert accepted == {} and "an empty answer earns 2 points" in found[0].message
