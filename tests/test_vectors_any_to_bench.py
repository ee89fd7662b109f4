"""any-to-bench's graders, by their recorded inputs and outputs: equal wherever the contract does not say otherwise.

Where this project differs on purpose, the case stands in a table below with the reason and both values.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from exam2bench.grade.marks import AnswerTypeMismatch
from exam2bench.grade.numbers import read_number
from exam2bench.grade.plan import ExamPlan
from exam2bench.grade.report import grade_sheet
from exam2bench.grade.scoring import rule_scorer
from exam2bench.grade.sheets import answer_of, sheet_of
from exam2bench.grade.text_match import normalize_text
from exam2bench.schemas.bundle import Bundle
from exam2bench.schemas.exam import Exam
from exam2bench.schemas.grading import GradingSpec, Normalization, QuestionGrading
from exam2bench.schemas.manifest import Manifest

VECTORS = Path(__file__).parents[1].parent / "shared" / "vectors" / "any_to_bench.jsonl"
pytestmark = pytest.mark.skipif(not VECTORS.exists(), reason="the reference vectors are not on this machine")

Case = dict[str, Any]

# (key, answer): (theirs, ours, reason)
BLANK_DEVIATIONS: dict[tuple[str, str], tuple[bool, bool, str]] = {
    ("12", "1,2"): (True, False, "one comma and one digit behind it is a decimal comma: 1.2, never 12"),
    ("-5", "−5"): (False, True, "the Unicode minus sign is a minus sign"),
    ("1/2", "½"): (False, True, "a vulgar fraction is a fraction"),
    ("102", "10²"): (True, False, "a power is not its digits side by side"),
}
NUMBER_DEVIATIONS: dict[str, tuple[float | None, float | None, str]] = {
    "3 / 4": (None, 0.75, "blanks around a fraction bar say nothing"),
    "1,2,3": (123.0, None, "digits between commas that are not thousands are a list"),
    "−5": (None, -5.0, "the Unicode minus sign is a minus sign"),
    "½": (None, 0.5, "a vulgar fraction is a number"),
    "1,2": (12.0, 1.2, "a decimal comma"),
    "1,23": (123.0, 1.23, "a decimal comma"),
    "1 000": (None, 1000.0, "blanks between thousands"),
}


def cases(scorer: str) -> list[Case]:
    with VECTORS.open(encoding="utf-8") as stream:
        return [case for case in map(json.loads, stream) if case["scorer"] == scorer]


def graded(case: Case) -> dict[str, Any]:
    data = case["input"]
    grading = QuestionGrading.model_validate(
        {
            "question_id": "q",
            "max_points": data["max_points"],
            "min_points": data["min_points"],
            "rule": data["rule"],
        }
    )
    answer = answer_of(data["answer"])
    if isinstance(answer, str):
        return {"__error__": "ValidationError"}
    scorer = rule_scorer(grading)
    assert scorer is not None
    try:
        marks = scorer(answer)
    except AnswerTypeMismatch:
        return {"__error__": "AnswerTypeMismatch"}
    return {"awarded": marks.awarded, "detail": marks.detail}


def deviation(case: Case) -> tuple[bool, bool, str] | None:
    rule, answer = case["input"]["rule"], case["input"]["answer"]
    if rule["kind"] != "fill_in_blank" or list(rule["blanks"]) != ["b1"]:
        return None
    return BLANK_DEVIATIONS.get((rule["blanks"]["b1"]["accepted"][0], answer.get("blanks", {}).get("b1", "")))


def test_rules_score_and_explain_like_the_reference() -> None:
    differing = 0
    for case in cases("a2b.grade_deterministic"):
        known = deviation(case)
        if known is None or known[0] == known[1]:
            assert graded(case) == case["expected"], case["input"]
            continue
        theirs, ours, _ = known
        assert case["expected"]["detail"]["blanks"]["b1"]["matched"] == theirs
        assert graded(case)["detail"]["blanks"]["b1"]["matched"] == ours
        differing += 1
    assert differing <= 4


def test_texts_normalise_like_the_reference() -> None:
    for case in cases("a2b.normalize_text"):
        rules = Normalization.model_validate(case["input"]["rules"])
        assert normalize_text(case["input"]["text"], rules) == case["expected"], case["input"]


def test_numbers_parse_like_the_reference() -> None:
    for case in cases("a2b.parse_number"):
        text, theirs = case["input"]["text"], case["expected"]
        number = read_number(text)
        ours = None if number is None else float(number.value)
        if text in NUMBER_DEVIATIONS:
            assert (theirs, ours) == NUMBER_DEVIATIONS[text][:2]
        else:
            assert ours == theirs, text


def test_sheets_add_up_like_the_reference() -> None:
    for case in cases("a2b.run_grade"):
        data, expected = case["input"], case["expected"]
        exam = Exam.model_validate({"language": "en", **data["exam"]})
        grading = GradingSpec.model_validate(data["grading"])
        manifest = Manifest(created_at="2026-01-01T00:00:00Z", tool_version="0")
        plan = ExamPlan.of(Bundle(Path("nowhere"), exam, grading, manifest))
        report = grade_sheet(plan, sheet_of(data["sheet"], "sheet"), text_only=bool(data["text_only"])).report()
        for field in (
            "total_awarded",
            "total_max",
            "percentage",
            "skipped_points",
            "covered_max",
            "covered_percentage",
        ):
            assert getattr(report, field) == pytest.approx(expected[field], abs=1e-9), field
        assert report.skipped_count == expected["skipped_count"]
        assert report.section_totals == {
            section: pytest.approx(totals, abs=1e-9) for section, totals in expected["section_totals"].items()
        }
        results = {q: r.model_dump(include={"mode", "awarded", "max_points"}) for q, r in report.results.items()}
        assert results == expected["results"]
        assert len(report.warnings) == expected["n_warnings"]


def test_rules_that_the_reference_takes_are_taken() -> None:
    from exam2bench.schemas import grading as models

    taken = [case["input"] for case in cases("a2b.schema_validation") if case["expected"] == "ok"]
    assert taken
    names = {"BlankSpec": "BlankKey", "JudgeConfig": "JudgeSettings"}
    for data in taken:
        model = getattr(models, names.get(data["model"], data["model"]))
        assert model.model_validate(data["data"]).model_dump(exclude_unset=True, exclude={"anchored"}) == data["data"]
