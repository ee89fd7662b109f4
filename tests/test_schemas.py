"""The contract's records and their JSON Schemas; `show` and `schema` through the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from exam2bench.cli import main
from exam2bench.schemas.answer_schema import answer_schema
from exam2bench.schemas.bundle import save_bundle
from exam2bench.schemas.exam import Exam
from exam2bench.schemas.findings import Finding, error
from exam2bench.schemas.grading import GradingSpec, QuestionGrading
from exam2bench.schemas.manifest import Manifest, Source
from exam2bench.schemas.printable import printable, printable_json, printable_lines

SHARED = Path(__file__).parents[1].parent / "shared"
EXAM = Exam.model_validate(
    {
        "exam_id": "tides",
        "title": "Tides \x1b[31mred",
        "language": "en",
        "total_points": 7,
        "sections": [
            {
                "id": "A",
                "title": "Section A",
                "instructions": [{"type": "text", "markdown": "Answer both."}],
                "questions": [
                    {
                        "id": "q1",
                        "number": "1.",
                        "type": "single_choice",
                        "prompt": [
                            {"type": "text", "markdown": "What moves the sea?\x1b]0;pwned\x07"},
                            {"type": "table", "header": ["h", "m"], "rows": [["0", "1.2"]]},
                            {"type": "image", "asset": "assets/moon.png", "alt": "the moon"},
                        ],
                        "points": 3,
                        "provenance": [{"source": 0, "page": 2, "x0": 1, "y0": 1, "x1": 9, "y1": 9}],
                        "snapshot": "assets/q1.png",
                        "checks": {"text_match": 1.0, "status": "verified"},
                        "options": [
                            {"id": "A", "content": [{"type": "text", "markdown": "the moon"}]},
                            {"id": "B", "content": [{"type": "text", "markdown": "the wind"}]},
                        ],
                    },
                    {
                        "id": "q2",
                        "number": "2.",
                        "type": "composite",
                        "prompt": [{"type": "text", "markdown": "A harbour has two tides a day."}],
                        "points": 4,
                        "children": [
                            {
                                "id": "q2.a",
                                "type": "fill_in_blank",
                                "points": 1,
                                "blanks": [{"id": "b1", "label": "hours", "cells": 2}],
                            },
                            {"id": "q2.b", "type": "drawing", "points": 3},
                        ],
                    },
                ],
            }
        ],
    }
)
GRADING = GradingSpec.model_validate(
    {
        "exam_id": "tides",
        "questions": {
            "q1": {"question_id": "q1", "max_points": 3, "rule": {"kind": "choice", "correct": ["A"]}},
            "q2.a": {
                "question_id": "q2.a",
                "max_points": 1,
                "rule": {"kind": "fill_in_blank", "blanks": {"b1": {"accepted": ["12", "twelve"]}}},
            },
            "q2.b": {
                "question_id": "q2.b",
                "max_points": 3,
                "rule": {
                    "kind": "judge",
                    "rubric": [
                        {
                            "id": "c1",
                            "description": "curve",
                            "levels": [
                                {"points": 3, "descriptor": "two maxima"},
                                {"points": 0, "descriptor": "none"},
                            ],
                        }
                    ],
                },
            },
        },
    }
)


@pytest.fixture
def bundle(tmp_path) -> str:
    source = Source(path="tides.pdf", sha256="0" * 64, pages=3)
    manifest = Manifest(created_at="2026-01-01T00:00:00Z", tool_version="0.1.0", sources=[source])
    assets = {"assets/moon.png": b"png", "assets/q1.png": b"png"}
    save_bundle(tmp_path / "tides", EXAM, GRADING, manifest, assets)
    return str(tmp_path / "tides")


def test_show_prints_the_paper(bundle, capsys):
    assert main(["show", bundle]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "Tides \\x1b[31mred",
        "tides · en · 3 questions · 7 points",
        "",
        "section A: Section A",
        "  | Answer both.",
        "  q1       single_choice    3 points  What moves the sea?\\x1b]0;pwned\\x07 | h | m | | 0 | 1.2 | "
        "[picture assets/moon.png: the moon] [A B]",
        "  q2       composite        4 points  A harbour has two tides a day.",
        "    q2.a     fill_in_blank     1 point  ",
        "    q2.b     drawing          3 points  ",
    ]


def test_show_prints_a_question_and_its_key(bundle, capsys):
    assert main(["show", bundle, "q1", "--key"]) == 0
    assert main(["show", bundle, "q2", "--key"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        'q1  single_choice, 3 points  (printed "1.")',
        "  (from tides.pdf, page 3; text verified; picture assets/q1.png)",
        "  What moves the sea?\\x1b]0;pwned\\x07",
        "  | h | m |",
        "  | 0 | 1.2 |",
        "  [picture assets/moon.png: the moon]",
        "  (A) the moon",
        "  (B) the wind",
        "  choice: A",
        'q2  composite, 4 points  (printed "2.")',
        "  A harbour has two tides a day.",
        "",
        "  q2.a  fill_in_blank, 1 point",
        "    [b1] hours, 2 cells",
        "    fill_in_blank:",
        "      b1 = 12 or twelve",
        "",
        "  q2.b  drawing, 3 points",
        "    judge:",
        "      c1: curve",
        "        3  two maxima",
        "        0  none",
    ]


def test_show_keeps_the_answers_to_itself_unless_asked(bundle, capsys):
    assert main(["show", bundle, "q2"]) == 0
    assert "twelve" not in capsys.readouterr().out
    assert main(["show", bundle, "q2", "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)) == ["question"]
    assert main(["show", bundle, "q2", "--json", "--key"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["question"]["id"], list(shown["grading"])) == ("q2", ["q2.a", "q2.b"])


def test_show_json_is_the_record_and_holds_no_escape(bundle, capsys):
    assert main(["show", bundle, "--json"]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out and "\x07" not in out
    assert Exam.model_validate(json.loads(out)["exam"]) == EXAM


def test_show_suggests_a_question_that_exists(bundle, capsys):
    assert main(["show", bundle, "q2a"]) == 2
    assert capsys.readouterr().err == f"exam2bench show: {bundle} has no question q2a; near: q2.a, q2\n"


@pytest.mark.parametrize(
    ("file", "record"),
    [
        ("exam", EXAM),
        ("grading", GRADING),
        ("manifest", Manifest(created_at="2026-01-01T00:00:00Z", tool_version="0.1.0")),
    ],
)
def test_the_exported_schemas_accept_what_is_written(file, record, capsys):
    assert main(["schema", file]) == 0
    schema = json.loads(capsys.readouterr().out)
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    assert list(validator.iter_errors(record.model_dump(mode="json"))) == []
    assert list(validator.iter_errors({})) != []


@pytest.mark.parametrize("file", ["answers", "report"])
def test_the_other_schemas_are_schemas(file, capsys):
    assert main(["schema", file]) == 0
    schema = json.loads(capsys.readouterr().out)
    Draft202012Validator.check_schema(schema)
    assert "exam_id" in schema["required"]


def test_the_answer_schema_narrows_every_id():
    schema = answer_schema(EXAM)
    Draft202012Validator.check_schema(schema)
    answers = schema["properties"]["answers"]
    assert answers["required"] == ["q1", "q2.a", "q2.b"]
    assert answers["properties"]["q1"]["properties"]["selected"] == {"enum": ["A", "B"]}
    assert answers["properties"]["q2.a"]["properties"]["blanks"]["required"] == ["b1"]
    assert answers["properties"]["q2.b"]["required"] == ["type", "description"]
    assert list(schema["properties"]) == ["exam_id", "taker", "usage", "answers"]


@pytest.mark.skipif(not (SHARED / "vectors").is_dir(), reason="test material is not here")
def test_the_answer_schema_is_that_of_any_to_bench():
    lines = (SHARED / "vectors" / "any_to_bench.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [case for case in map(json.loads, lines) if case["scorer"] == "a2b.generate_answer_schema"]
    assert len(cases) == 1
    made = answer_schema(Exam.model_validate(cases[0]["input"]["exam"]))
    assert json.dumps(made) == json.dumps(cases[0]["expected"])


def test_a_file_that_does_not_say_is_read_for_its_anchor():
    def anchored(**entry) -> bool:
        return QuestionGrading.model_validate({"question_id": "q", "max_points": 1, **entry}).anchored

    assert anchored(rule={"kind": "choice", "correct": ["A"]}) is True
    assert anchored(rule={"kind": "judge"}) is False
    assert anchored(rule={"kind": "judge", "reference_answer": "12"}) is True
    assert anchored(rule={"kind": "judge"}, anchored=True) is True


def test_a_finding_code_is_dotted_and_lower_case():
    assert Finding(code="key.missing", severity="error", message="x").where.question is None
    for code in ("key", "Key.missing", "key missing", "key."):
        with pytest.raises(ValueError, match="String should match pattern"):
            error(code, "x")


def test_no_text_acts_on_a_terminal():
    assert printable("a\x1b[31m\x9b\u202e\u2028\nb") == "a\\x1b[31m\\x9b\\u202e\\u2028\\x0ab"
    assert printable("x" * 400, 10) == "x" * 9 + "…"
    assert printable_lines("a\n\tb\x07") == "a\n\tb\\x07"
    assert json.loads(printable_json(json.dumps("\x9b\u202e港", ensure_ascii=False))) == "\x9b\u202e港"
    assert "\x9b" not in printable_json(json.dumps("\x9b", ensure_ascii=False))
