"""`exam2bench grade` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from exam2bench.cli import main
from exam2bench.grade.losses import lost_points
from exam2bench.grade.plan import ExamPlan
from exam2bench.grade.report import grade_sheet
from exam2bench.grade.sheets import sheet_of
from exam2bench.schemas.bundle import dump_json, load_bundle, save_bundle
from exam2bench.schemas.exam import Exam
from exam2bench.schemas.grading import GradingSpec
from exam2bench.schemas.json_files import read_record
from exam2bench.schemas.manifest import Manifest
from exam2bench.schemas.report import Report

OPTIONS = [{"id": label} for label in "ABCD"]
QUESTIONS: list[dict[str, Any]] = [
    {"id": "q1", "type": "single_choice", "points": 2, "options": OPTIONS},
    {"id": "q2", "type": "multiple_choice", "points": 3, "options": OPTIONS},
    {"id": "q3", "type": "fill_in_blank", "points": 2, "blanks": [{"id": "b1"}]},
    {"id": "q4", "type": "short_answer", "points": 2},
    {"id": "q5", "type": "essay", "points": 11, "prompt": [{"type": "image", "asset": "assets/map.png"}]},
]
RULES: dict[str, dict[str, Any]] = {
    "q1": {"kind": "choice", "correct": ["B"], "negative_marking": -1},
    "q2": {"kind": "per_option", "correct": ["A", "C"], "ratio_by_errors": [1, 0.5]},
    "q3": {"kind": "fill_in_blank", "blanks": {"b1": {"accepted": ["1/2"]}}},
    "q4": {"kind": "numeric", "value": 10, "unit": "m/s"},
    "q5": {"kind": "judge", "reference_answer": "It does."},
}
RIGHT: dict[str, Any] = {
    "q1": {"type": "single_choice", "selected": "B"},
    "q2": {"type": "multiple_choice", "selected": ["C", "A"]},
    "q3": {"type": "fill_in_blank", "blanks": {"b1": "½"}},
    "q4": {"type": "text", "text": "36 km/h"},
}


@pytest.fixture
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    exam = {"exam_id": "ex", "title": "T", "language": "en", "total_points": 20}
    exam["sections"] = [{"id": "A", "questions": QUESTIONS[:3]}, {"id": "B", "questions": QUESTIONS[3:]}]
    grading: dict[str, Any] = {"exam_id": "ex", "questions": {}}
    for question in QUESTIONS:
        entry = {"question_id": question["id"], "max_points": question["points"], "rule": RULES[question["id"]]}
        grading["questions"][question["id"]] = entry
    grading["questions"]["q5"]["min_points"] = -1
    manifest = Manifest(created_at="2026-01-01T00:00:00Z", tool_version="0")
    records = Exam.model_validate(exam), GradingSpec.model_validate(grading)
    save_bundle(tmp_path / "bundle", *records, manifest, {"assets/map.png": b"png"})
    return tmp_path / "bundle"


def sheet(path: Path, answers: dict[str, Any], **fields: Any) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"exam_id": "ex", "answers": answers, **fields}), encoding="utf-8")
    return str(path)


def test_one_sheet_gives_one_report(bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = sheet(tmp_path / "s.json", {**RIGHT, "q5": {"type": "text", "text": "It does."}}, taker="m")
    assert main(["grade", str(bundle), answers, "-o", str(tmp_path / "r.json")]) == 0
    told = capsys.readouterr()
    assert told.out == f"m: 9 of 20 points, 45.0 % (between 8 and 20: 1 ungraded) -> {tmp_path / 'r.json'}\n"
    assert told.err == ""
    report = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert report["graded_at"] == "2023-11-14T22:13:20Z"
    assert report["section_totals"] == {
        "A": {"awarded": 7.0, "max_points": 7.0},
        "B": {"awarded": 2.0, "max_points": 13.0},
    }
    assert report["results"]["q5"] == {
        "question_id": "q5",
        "mode": "error",
        "max_points": 11.0,
        "awarded": 0.0,
        "detail": {"error": "only a judge can grade this question", "cause": "judge"},
        "judge_verdicts": [],
    }
    figures = ("total_awarded", "total_max", "percentage", "ungraded_count", "ungraded_points", "bounds")
    assert [report[name] for name in figures] == [9.0, 20.0, 45.0, 1, 11.0, {"low": 8.0, "high": 20.0}]
    assert report["bundle_digest"] == load_bundle(bundle).digest()


def test_an_open_question_without_an_answer_is_0_and_needs_no_judge(bundle: Path, tmp_path: Path) -> None:
    for number, answers in enumerate(({}, {"q5": None}, {"q5": {"type": "text", "text": " \n"}})):
        path = tmp_path / f"r{number}.json"
        assert main(["grade", str(bundle), sheet(tmp_path / "s.json", answers), "-o", str(path)]) == 0
        report = json.loads(path.read_text(encoding="utf-8"))
        assert report["results"]["q5"]["mode"] == "unanswered"
        assert (report["total_awarded"], report["ungraded_count"], report["bounds"]) == (
            0.0,
            0,
            {"low": 0.0, "high": 0.0},
        )


def test_several_sheets_share_a_folder_and_one_json(
    bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sheet(tmp_path / "in" / "a.json", RIGHT, taker="a")
    sheet(tmp_path / "in" / "b.json", {"q1": {"type": "single_choice", "selected": "A"}}, taker="b")
    (tmp_path / "in" / "c.json").write_text("{", encoding="utf-8")
    assert main(["grade", str(bundle), str(tmp_path / "in"), "-o", str(tmp_path / "out"), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["bundle_findings"] == []
    assert [row.get("awarded") for row in told["sheets"]] == [9.0, -1.0, None]
    assert [found["code"] for found in told["sheets"][2]["findings"]] == ["sheet.unreadable"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.report.json", "b.report.json"]


def test_reports_do_not_depend_on_the_order_or_the_company(bundle: Path, tmp_path: Path) -> None:
    names = [sheet(tmp_path / f"{n}.json", dict(list(RIGHT.items())[:n]), taker=str(n)) for n in range(5)]
    main(["grade", str(bundle), *names, "-o", str(tmp_path / "one")])
    main(["grade", str(bundle), *reversed(names), "-o", str(tmp_path / "two")])
    for n in range(5):
        main(["grade", str(bundle), names[n], "-o", str(tmp_path / "alone.json")])
        alone = (tmp_path / "alone.json").read_bytes()
        assert (tmp_path / "one" / f"{n}.report.json").read_bytes() == alone
        assert (tmp_path / "two" / f"{n}.report.json").read_bytes() == alone


def test_the_written_report_is_the_record(bundle: Path) -> None:
    plan = ExamPlan.of(load_bundle(bundle))
    for answers in ({}, RIGHT, {"q5": {"type": "text", "text": '"results": {},\n\u2028'}}):
        graded = grade_sheet(plan, sheet_of({"exam_id": "ex", "answers": answers}, "sheet"))
        assert graded.text() == dump_json(graded.report())


def test_outcomes_tell_failures_from_wrong_answers(bundle: Path, tmp_path: Path) -> None:
    outcomes = {
        "q1": {"status": "skipped"},
        "q2": {"status": "refused"},
        "q3": {"status": "error", "detail": "HTTP 500"},
        "q4": {"status": "truncated"},
    }
    answers = sheet(tmp_path / "s.json", {}, outcomes=outcomes)
    assert main(["grade", str(bundle), answers, "-o", str(tmp_path / "r.json")]) == 1
    report = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert {q: r["mode"] for q, r in report["results"].items()} == {
        "q1": "skipped",
        "q2": "unanswered",
        "q3": "error",
        "q4": "unanswered",
        "q5": "unanswered",
    }
    assert report["results"]["q2"]["detail"] == {"outcome": "refused"}
    assert (report["skipped_points"], report["covered_max"]) == (2.0, 18.0)
    assert report["bounds"] == {"low": 0.0, "high": 2.0}


def test_text_only_skips_what_needs_an_image(bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = sheet(tmp_path / "s.json", RIGHT)
    assert main(["grade", str(bundle), answers, "-o", str(tmp_path / "r.json"), "--text-only"]) == 0
    report = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert report["results"]["q5"]["mode"] == "skipped"
    assert (report["percentage"], report["covered_percentage"]) == (45.0, 100.0)
    assert "100.0 % of what was put to the taker (1 skipped)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["BUNDLE", "none.json", "-o", "r.json"], "none.json: no such answer sheet"),
        (["nowhere", "SHEET", "-o", "r.json"], "nowhere is not a bundle: no such folder"),
        (["BUNDLE", "SHEET", "-o", "SHEET"], "would overwrite a sheet"),
        (["BUNDLE", "SHEET", "SHEET", "-o", "out"], "one is given twice"),
    ],
)
def test_wrong_calls_are_one_sentence(
    bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    names = {"BUNDLE": str(bundle), "SHEET": sheet(tmp_path / "s.json", RIGHT), "r.json": str(tmp_path / "r.json")}
    assert main(["grade", *[names.get(argument, argument) for argument in arguments]]) == 2
    told = capsys.readouterr().err
    assert message in told and told.count("\n") == 1


def test_sheets_of_one_name_are_told_apart_by_their_folders(bundle: Path, tmp_path: Path) -> None:
    names = [sheet(tmp_path / taker / "answers.json", RIGHT) for taker in ("x", "y")]
    assert main(["grade", str(bundle), *names, "-o", str(tmp_path / "out")]) == 0
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["x-answers.report.json", "y-answers.report.json"]


def test_a_key_that_cannot_be_used_is_told_and_ungraded(
    bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grading = json.loads((bundle / "grading.json").read_text(encoding="utf-8"))
    grading["questions"]["q4"]["rule"]["value"] = "ten or so"
    del grading["questions"]["q3"]
    (bundle / "grading.json").write_text(json.dumps(grading), encoding="utf-8")
    assert main(["grade", str(bundle), sheet(tmp_path / "s.json", RIGHT), "-o", str(tmp_path / "r.json")]) == 1
    told = capsys.readouterr().err
    assert "error key.unusable q4: the key 'ten or so' is not a number" in told
    assert "error key.missing q3" in told
    report = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert (report["ungraded_count"], report["ungraded_points"], report["bounds"]["high"]) == (2, 4.0, 9.0)


# points lost to format, apart from points lost to content


def ends(**status: str) -> dict[str, Any]:
    return {name: {"status": value} for name, value in status.items()}


@pytest.mark.parametrize(
    ("answers", "outcomes", "lost"),
    [
        ({"q1": {"type": "single_choice", "selected": "C"}}, {}, {"content": 3.0, "blank": 18.0}),
        (
            {"q1": {"type": "single_choice", "selected": "Z"}},
            ends(q2="refused", q3="truncated", q4="unparseable", q5="error"),
            {
                "format": 10.0,
                "ungraded": 11.0,
                "foreign_ids": 3.0,
                "refused": 3.0,
                "truncated": 2.0,
                "unparseable": 2.0,
                "transport": 11.0,
            },
        ),
        ({"q2": {"type": "multiple_choice", "selected": []}}, ends(q5="skipped"), {"blank": 9.0}),
        ({"q4": {"type": "true_false", "value": True}}, {}, {"blank": 18.0, "ungraded": 2.0, "wrong_type": 2.0}),
    ],
)
def test_each_point_that_was_not_earned_has_its_cause(
    bundle: Path,
    tmp_path: Path,
    answers: Any,
    outcomes: Any,
    lost: Any,
) -> None:
    main(["grade", str(bundle), sheet(tmp_path / "s.json", answers, outcomes=outcomes), "-o", str(tmp_path / "r.json")])
    report = read_record(tmp_path / "r.json", Report)
    assert report.lost is not None
    found = {kind: getattr(report.lost, kind) for kind in ("content", "blank", "format", "ungraded")}
    assert sum(found.values()) == report.covered_max - report.total_awarded
    found |= {name: one.points for name, one in report.lost.reasons.items() if name not in ("wrong", "blank")}
    assert {name: points for name, points in found.items() if points} == lost
    assert lost_points(report.results.values()) == report.lost


def test_the_line_says_what_format_cost(
    bundle: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    answers = {"q1": {"type": "single_choice", "selected": "A"}, "q4": {"type": "text", "text": "36 km/h"}}
    path = sheet(tmp_path / "s.json", answers, taker="m", outcomes=ends(q2="refused", q3="refused", q5="skipped"))
    assert main(["grade", str(bundle), path, "-o", str(tmp_path / "r.json"), "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["sheets"]
    assert row["lost"]["reasons"] == {
        "refused": {"questions": 2, "points": 5.0},
        "wrong": {"questions": 1, "points": 3.0},
    }
    main(["grade", str(bundle), path, "-o", str(tmp_path / "r.json")])
    assert "2 unanswered, lost 3 to wrong answers, 5 to format (2 refused) ->" in capsys.readouterr().out
