"""Adapters for any_to_bench.jsonl, and where this project differs from any-to-bench on purpose.

BLANKS and NUMBERS hold each deliberate difference with both values and the reason; the contract (1,5 is never
15, the Unicode minus, ½ = 1/2) stands behind all of them. tests/test_vectors_any_to_bench.py checks both values.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from exam2bench.grade.breakdown import classify_points
from exam2bench.grade.judge.results import AGGREGATIONS, spread_of
from exam2bench.grade.judge.task import Criterion, JudgeTask, Level
from exam2bench.grade.judge.verdicts import Verdict, snapped
from exam2bench.grade.marks import clamp
from exam2bench.grade.numbers import read_number
from exam2bench.grade.plan import ExamPlan
from exam2bench.grade.reliability import icc_2_1
from exam2bench.grade.report import grade_sheet
from exam2bench.grade.scoring import rule_scorer
from exam2bench.grade.sheets import answer_of, sheet_of
from exam2bench.grade.text_match import normalize_text
from exam2bench.schemas.bundle import Bundle
from exam2bench.schemas.exam import Exam
from exam2bench.schemas.grading import GradingSpec, Normalization, QuestionGrading
from exam2bench.schemas.manifest import Manifest
from exam2bench.schemas.report import QuestionResult

Input = dict[str, Any]

# (key, answer): (theirs, ours, reason)
BLANKS: dict[tuple[str, str], tuple[bool, bool, str]] = {
    ("12", "1,2"): (True, False, "one comma and one digit behind it is a decimal comma: 1.2, never 12"),
    ("-5", "−5"): (False, True, "the Unicode minus sign is a minus sign"),
    ("1/2", "½"): (False, True, "a vulgar fraction is a fraction"),
    ("102", "10²"): (True, False, "a power is not its digits side by side"),
}
# text: (theirs, ours, reason)
NUMBERS: dict[str, tuple[float | None, float | None, str]] = {
    "3 / 4": (None, 0.75, "blanks around a fraction bar say nothing"),
    "1,2,3": (123.0, None, "digits between commas that are not thousands are a list"),
    "1,2": (12.0, 1.2, "a decimal comma"),
    "−5": (None, -5.0, "the Unicode minus sign is a minus sign"),
    "½": (None, 0.5, "a vulgar fraction is a number"),
    "1 000": (None, 1000.0, "blanks between thousands"),
    "50%": (None, 50.0, "a number with a percent sign, which only a key that allows it takes"),
}


def graded(i: Input) -> dict[str, Any]:
    fields = {name: i[name] for name in ("max_points", "min_points", "rule")}
    grading = QuestionGrading.model_validate({"question_id": "q", **fields})
    answer, scorer = answer_of(i["answer"]), rule_scorer(grading)
    if isinstance(answer, str) or scorer is None:
        raise ValueError(answer)
    marks = scorer(answer)
    return {"awarded": marks.awarded, "detail": marks.detail}


def sheet_report(i: Input) -> dict[str, Any]:
    exam = Exam.model_validate({"language": "en", **i["exam"]})
    manifest = Manifest(created_at="2026-01-01T00:00:00Z", tool_version="0")
    # the vectors' exam names a figure that exists nowhere: the plan tells it, the sheet's warnings do not
    plan = ExamPlan.of(Bundle(Path("nowhere"), exam, GradingSpec.model_validate(i["grading"]), manifest))
    report = grade_sheet(plan, sheet_of(i["sheet"], "sheet"), text_only=bool(i["text_only"])).report()
    fields = {"section_totals", "total_awarded", "total_max", "percentage", "skipped_count", "skipped_points"}
    told = report.model_dump(include=fields | {"covered_max", "covered_percentage"})
    results = {q: r.model_dump(include={"mode", "awarded", "max_points"}) for q, r in report.results.items()}
    return {**told, "results": results, "n_warnings": len(report.warnings)}


def parsed(i: Input) -> float | None:
    number = read_number(i["text"])
    return None if number is None else float(number.value)


def criterion_of(name: str, levels: list[float]) -> Criterion:
    return Criterion(name, "", tuple(Level(f"{points:g}", float(points), "") for points in levels))


def snap(i: Input) -> dict[str, Any]:
    """Numbers per criterion on their nearest levels; a question without a rubric has its total clamped."""
    criteria = tuple(criterion_of(entry["id"], entry["levels"]) for entry in i["rubric"])
    task = JudgeTask("q", i["max_points"], i["min_points"], criteria)
    if not criteria:
        return {"criteria": [], "total_points": task.total([i["total"]])}
    verdict = snapped(task, Verdict("j", 0, "graded"), dict(i["criteria"]))
    return {"criteria": [[pick.criterion, pick.points] for pick in verdict.picks], "total_points": verdict.total}


def panel(i: Input) -> dict[str, Any]:
    """Several judges on one question: each total on its level (or clamped), then put together."""
    given = [total for total in i["totals_by_model"].values() if total is not None]
    if i["rubric"] is None:
        totals = [float(clamp(total, 0, i["max_points"])) for total in given]
    else:
        totals = [criterion_of("c", i["rubric"]).nearest(total).points for total in given]
    return {"awarded": float(AGGREGATIONS[i["aggregation"]](totals)), "totals": totals}


def asked(case: dict[str, Any]) -> Any:
    """Of judges' verdicts what is awarded; the standard deviation here is that of these judges, there a sample's."""
    expected = case["expected"]
    parts = {"a2b.snap_verdict": ("criteria", "total_points"), "a2b.run_judges": ("awarded", "totals")}
    if case["scorer"] in parts:
        return {name: expected[name] for name in parts[case["scorer"]]}
    if case["scorer"] == "a2b.question_agreement":
        return {name: value for name, value in expected.items() if name != "stdev"}
    return expected


ADAPTERS = {
    "a2b.grade_deterministic": graded,
    "a2b.normalize_text": lambda i: normalize_text(i["text"], Normalization.model_validate(i["rules"])),
    "a2b.parse_number": parsed,
    "a2b.run_grade": sheet_report,
    "a2b.classify_points": lambda i: classify_points(
        [QuestionResult.model_validate(row) for row in i["results"]], i["kinds"]
    ),
    "a2b.snap_verdict": snap,
    "a2b.run_judges": panel,
    "a2b.question_agreement": lambda i: {
        name: value for name, value in spread_of(i["totals"], i["max_points"]).items() if name != "stdev"
    },
    "a2b.study.icc_2_1": lambda i: icc_2_1(np.array(i["matrix"], float)),
}
UNSUPPORTED = {
    "a2b.generate_answer_schema": "checked by tests/test_schemas.py",
    "a2b.schema_validation": "checked by tests/test_validation.py",
    "a2b.validate_answer_sheet.error_count": "checked by tests/test_validation.py",
    "a2b.summarize_judge_agreement": "judges' means are shares of the maximum here, not points",
    "a2b.summarize_models": "a bench here sums up by exam and taker with intervals, not by run with deviations",
    "a2b.study.spearman": "the study's own rank correlation gives tied values distinct ranks; scipy's does not",
    "a2b.study.variance_decomposition": "a table of the study, printed as text",
}


def blank_of(i: Input) -> tuple[str, str] | None:
    """(accepted text, answer) of a one-blank case."""
    rule, answer = i["rule"], i["answer"]
    if rule["kind"] != "fill_in_blank" or list(rule["blanks"]) != ["b1"]:
        return None
    return rule["blanks"]["b1"]["accepted"][0], answer.get("blanks", {}).get("b1", "")


def decoded(i: Input) -> Input:
    """The input with the vectors' marked floats as floats."""
    return {name: float(v["__float__"]) if isinstance(v, dict) and "__float__" in v else v for name, v in i.items()}


def judged_otherwise(scorer: str, i: Input) -> str | None:
    """Why this project decides on another verdict, where it does."""
    if scorer == "a2b.run_judges":
        numbers = [(i["rubric"] or [], total) for total in i["totals_by_model"].values()]
        if all(total is None for _, total in numbers):
            return "an answer that no judge graded is ungraded here, not worth 0"
    else:
        levels = {entry["id"]: entry["levels"] for entry in i["rubric"]}
        named = [name for name, _ in i["criteria"]]
        if sorted(named) != sorted(levels):
            return "a verdict that leaves a criterion out, or names one twice or a strange one, is no verdict here"
        if i["total"] != i["total"]:
            return "nan is no number of points here"
        numbers = [(levels[name], points) for name, points in i["criteria"]]
    if any(is_tie(choices, points) for choices, points in numbers):
        return "between two equally near levels the lower is taken here: a judge's doubt is no credit"
    return None


def is_tie(levels: list[float], points: float | None) -> bool:
    if points is None or not levels:
        return False
    distances = sorted(abs(level - points) for level in levels)
    return len(distances) > 1 and abs(distances[0] - distances[1]) < 1e-9


def excused(case: dict[str, Any]) -> bool:
    """Whether a table above holds the case, and the reference has the value that it says."""
    i, expected = case["input"], case["expected"]
    if case["scorer"] in ("a2b.snap_verdict", "a2b.run_judges"):
        return judged_otherwise(case["scorer"], decoded(i)) is not None
    if case["scorer"] == "a2b.parse_number":
        return i["text"] in NUMBERS and NUMBERS[i["text"]][0] == expected
    if case["scorer"] != "a2b.grade_deterministic" or "detail" not in expected:
        return False
    row = BLANKS.get(blank_of(i) or ("", ""))
    return row is not None and row[0] == expected["detail"]["blanks"]["b1"]["matched"]
