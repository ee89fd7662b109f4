"""Sheets that nobody would write by accident, and some that somebody would."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from exam2bench.cli import main
from exam2bench.grade.plan import CACHED_ANSWERS, ExamPlan
from exam2bench.grade.report import grade_sheet
from exam2bench.grade.sheets import sheet_of
from exam2bench.schemas.bundle import Bundle, dump_json, save_bundle
from exam2bench.schemas.exam import Exam
from exam2bench.schemas.grading import GradingSpec
from exam2bench.schemas.manifest import Manifest

RULES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "single": ({"type": "single_choice", "options": [{"id": "A"}, {"id": "B"}]}, {"kind": "choice", "correct": ["A"]}),
    "multi": (
        {"type": "multiple_choice", "options": [{"id": "A"}, {"id": "B"}]},
        {"kind": "choice", "correct": ["A", "B"], "partial_credit": True},
    ),
    "tf": ({"type": "true_false"}, {"kind": "true_false", "correct": True}),
    "blank": (
        {"type": "fill_in_blank", "blanks": [{"id": "b1"}]},
        {"kind": "fill_in_blank", "blanks": {"b1": {"accepted": ["7"]}}, "normalization": {"numeric_tolerance": 0}},
    ),
    "match": (
        {"type": "matching", "matching": {"left": [{"id": "l"}], "right": [{"id": "r"}]}},
        {"kind": "matching", "correct_pairs": {"l": "r"}},
    ),
    "number": ({"type": "short_answer"}, {"kind": "numeric", "value": 7, "unit": "m"}),
    "formula": ({"type": "short_answer"}, {"kind": "expression", "expression": "x^2"}),
    "list": ({"type": "short_answer"}, {"kind": "enumeration", "items": [{"accepted": ["a"]}, {"accepted": ["b"]}]}),
    "essay": ({"type": "essay"}, {"kind": "judge", "reference_answer": "yes"}),
    "drawing": ({"type": "drawing"}, {"kind": "judge", "reference_answer": "a tree"}),
}


def records() -> tuple[Exam, GradingSpec, Manifest]:
    questions = [{"id": name, "points": 1, **question} for name, (question, _) in RULES.items()]
    sections = [{"id": "s", "questions": questions}]
    exam = {"exam_id": "ex", "title": "T", "language": "en", "total_points": len(RULES), "sections": sections}
    grading = {n: {"question_id": n, "max_points": 1, "rule": rule} for n, (_, rule) in RULES.items()}
    return (
        Exam.model_validate(exam),
        GradingSpec.model_validate({"exam_id": "ex", "questions": grading}),
        Manifest(created_at="2026-01-01T00:00:00Z", tool_version="0"),
    )


PLAN = ExamPlan.of(Bundle(Path("nowhere"), *records()))


def graded(answers: dict[str, Any], **fields: Any) -> Any:
    return grade_sheet(PLAN, sheet_of({"exam_id": "ex", "answers": answers, **fields}, "sheet"))


def codes(answers: dict[str, Any], **fields: Any) -> list[str]:
    return [found.code for found in graded(answers, **fields).findings]


@pytest.mark.parametrize(
    ("question", "answer", "mode", "code"),
    [
        ("single", {"type": "single_choice", "selected": 5}, "error", "answer.invalid"),
        ("single", {"type": "single_choice"}, "error", "answer.invalid"),
        ("single", {"type": "spell"}, "error", "answer.invalid"),
        ("single", "A", "error", "answer.invalid"),
        ("single", ["A"], "error", "answer.invalid"),
        ("single", {"type": "multiple_choice", "selected": ["A"]}, "error", "answer.type"),
        ("single", {"type": "text", "text": "A"}, "error", "answer.type"),
        ("single", {"type": "single_choice", "selected": "Z"}, "deterministic", "answer.unknown_id"),
        ("multi", {"type": "single_choice", "selected": "A"}, "error", "answer.type"),
        ("multi", {"type": "multiple_choice", "selected": ["A", "A"]}, "deterministic", "answer.duplicate"),
        ("multi", {"type": "multiple_choice", "selected": ["A", "Z"]}, "deterministic", "answer.unknown_id"),
        ("multi", {"type": "multiple_choice", "selected": [["A"]]}, "error", "answer.invalid"),
        ("tf", {"type": "true_false", "value": "maybe"}, "error", "answer.invalid"),
        ("blank", {"type": "fill_in_blank", "blanks": {"zz": "7"}}, "deterministic", "answer.unknown_id"),
        ("blank", {"type": "fill_in_blank", "blanks": {"b1": None}}, "error", "answer.invalid"),
        ("match", {"type": "matching", "pairs": {"l": "zz"}}, "deterministic", "answer.unknown_id"),
        ("drawing", {"type": "text", "text": "a tree"}, "error", "answer.type"),
    ],
)
def test_an_answer_that_does_not_fit_is_told(question: str, answer: Any, mode: str, code: str) -> None:
    sheet = graded({question: answer})
    result = sheet.report().results[question]
    assert (result.mode, [found.code for found in sheet.findings]) == (mode, [code])
    assert sheet.findings[0].where.question == question
    if mode == "error":
        # never a silent zero: the score has bounds that hold the question's points
        assert (sheet.head.ungraded_count, sheet.head.bounds.high - sheet.head.bounds.low) == (1, 1.0)


def test_foreign_questions_and_fields_are_told() -> None:
    assert codes({"zz": {"type": "text", "text": "x"}}) == ["sheet.unknown_question"]
    assert codes({}, taker=7, usage=[], outcomes={"single": {"status": "asleep"}}, extra=1) == [
        "sheet.field",
        "sheet.field",
        "sheet.outcome",
        "sheet.field",
    ]
    assert codes({"tf": {"type": "true_false", "value": True}}, outcomes={"tf": {"status": "refused"}}) == [
        "sheet.outcome"
    ]


def test_another_digest_is_told_and_another_exam_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save_bundle(tmp_path / "bundle", *records(), {})
    for name, fields in (("a", {"exam_id": "ex", "bundle_digest": "0" * 64}), ("b", {"exam_id": "other"})):
        (tmp_path / f"{name}.json").write_text(json.dumps({**fields, "answers": {}}), encoding="utf-8")
        assert (
            main(["grade", str(tmp_path / "bundle"), str(tmp_path / f"{name}.json"), "-o", str(tmp_path / "r" / name)])
            == 1
        )
    told = capsys.readouterr()
    assert "warning sheet.other_digest" in told.err
    assert "error sheet.other_exam: the sheet belongs to the exam 'other', the bundle is 'ex'" in told.err
    assert (tmp_path / "r" / "a").exists() and not (tmp_path / "r" / "b").exists()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"not json",
        b"[]",
        b"7",
        b"null",
        b'"x"',
        b"{}",
        b'{"exam_id": 3, "answers": {}}',
        b'{"exam_id": "ex"}',
        b'{"exam_id": "ex", "answers": []}',
        b"\xff\xfe{\x00}\x00",
        b'{"exam_id": "ex", "answers": {"tf": NaN}}',
        b'{"exam_id": "ex", "answers": {"tf": 1e999}}',
        b'{"exam_id": "ex", "answers": ' + b"[" * 100_000,
        b'{"exam_id": "ex", "answers": {"tf": ' + b'{"a":' * 3_000 + b"1" + b"}" * 3_003,
        b'{"exam_id": "ex", "answers": {"tf": ' + b"9" * 10_000 + b"}}",
        b'{"exam_id": "ex", "answers": {}, "answers": {}}',
        b'{"exam_id": "ex", "answers": {"tf": "\\ud800"}}',
        b"\x00" * 1_000,
    ],
)
def test_what_is_no_sheet_is_one_finding(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save_bundle(tmp_path / "bundle", *records(), {})
    (tmp_path / "s.json").write_bytes(content)
    assert main(["grade", str(tmp_path / "bundle"), str(tmp_path / "s.json"), "-o", str(tmp_path / "r.json")]) == 1
    told = capsys.readouterr()
    assert told.out == "s.json: not graded\n"
    assert told.err.count("\n") == 1 and "error sheet.unreadable" in told.err
    assert not (tmp_path / "r.json").exists()


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    save_bundle(tmp_path / "bundle", *records(), {})
    (tmp_path / "s.json").write_bytes(b'\xef\xbb\xbf{"exam_id": "ex", "answers": {}}')
    assert main(["grade", str(tmp_path / "bundle"), str(tmp_path / "s.json"), "-o", str(tmp_path / "r.json")]) == 0


def test_escape_sequences_do_not_reach_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save_bundle(tmp_path / "bundle", *records(), {})
    evil = {
        "exam_id": "ex",
        "taker": "\x1b[2J\u202eevil",
        "answers": {"\x1b[31mq": None, "single": {"type": "\x1b]0;x\x07"}},
    }
    (tmp_path / "s.json").write_text(json.dumps(evil), encoding="utf-8")
    for flags in ([], ["--json"]):
        main(["grade", str(tmp_path / "bundle"), str(tmp_path / "s.json"), "-o", str(tmp_path / "r.json"), *flags])
        told = capsys.readouterr()
        assert "\x1b" not in told.out + told.err and "\u202e" not in told.out + told.err


def test_huge_answers_are_wrong_and_short_in_the_report() -> None:
    huge = "9" * 1_000_000
    answers = {
        "single": {"type": "single_choice", "selected": huge},
        "multi": {"type": "multiple_choice", "selected": [str(n) for n in range(50_000)]},
        "blank": {"type": "fill_in_blank", "blanks": {"b1": huge}},
        "number": {"type": "text", "text": huge},
        "formula": {"type": "text", "text": huge},
        "list": {"type": "text", "text": "x, " * 300_000},
    }
    sheet = graded(answers)
    assert sheet.head.total_awarded == 0
    assert len(sheet.text()) < 100_000


def test_the_memory_of_repeated_answers_is_bounded() -> None:
    for n in range(CACHED_ANSWERS + 50):
        graded({"number": {"type": "text", "text": f"{n} cm"}})
    assert len(PLAN.questions["number"].cache) <= CACHED_ANSWERS


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
KINDS = ["single_choice", "multiple_choice", "true_false", "fill_in_blank", "matching", "text", "drawing"]
ANSWERS = st.fixed_dictionaries(
    {"type": st.sampled_from(KINDS)},
    optional={
        "selected": st.text(max_size=3) | st.lists(st.sampled_from("ABZ"), max_size=4) | JSON,
        "value": JSON,
        "blanks": st.dictionaries(st.sampled_from(["b1", "b2"]), st.text(max_size=20)) | JSON,
        "pairs": st.dictionaries(st.sampled_from(["l", "x"]), st.sampled_from(["r", "y"])) | JSON,
        "text": st.text(max_size=40),
        "description": st.text(max_size=10),
    },
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.dictionaries(st.sampled_from([*RULES, "zz"]), ANSWERS | JSON, max_size=6),
    st.dictionaries(st.sampled_from([*RULES]), JSON),
)
def test_any_json_is_graded_the_same_twice_and_within_its_bounds(
    answers: dict[str, Any], outcomes: dict[str, Any]
) -> None:
    first = graded(answers, outcomes=outcomes)
    fresh = ExamPlan.of(Bundle(Path("nowhere"), *records()))
    again = grade_sheet(fresh, sheet_of({"exam_id": "ex", "answers": answers, "outcomes": outcomes}, "sheet"))
    assert first.report().results == again.report().results
    text = first.text()
    assert text == dump_json(first.report())
    head = first.head
    assert head.bounds.low <= head.total_awarded <= head.bounds.high <= head.total_max
