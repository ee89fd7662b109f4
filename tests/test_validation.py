"""`exam2bench validate` through the command line: every rule of the contract broken on purpose, and hostile bundles.

A bundle with every question type and rule kind is saved, one thing in its JSON is changed, and the codes of
the findings are compared with exactly those expected.
"""

from __future__ import annotations

import base64
import contextlib
import copy
import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from exam2bench.cli import main
from exam2bench.schemas.answer_schema import answer_schema
from exam2bench.schemas.exam import Exam
from exam2bench.schemas.grading import GradingSpec, QuestionGrading
from exam2bench.schemas.grading_checks import check_entry
from exam2bench.schemas.sheet_checks import validate_sheet
from exam2bench.schemas.validation import validate_bundle

SHARED = Path(__file__).parents[1].parent / "shared"
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)


def text(words: str) -> list[dict[str, Any]]:
    return [{"type": "text", "markdown": words}]


def options(letters: str = "ABCD") -> list[dict[str, Any]]:
    return [{"id": letter, "content": text(f"option {letter}")} for letter in letters]


def items(*names: str) -> list[dict[str, Any]]:
    return [{"id": name, "content": text(name)} for name in names]


def question(name: str, kind: str, points: float, **parts: Any) -> dict[str, Any]:
    return {"id": name, "number": name[1:], "type": kind, "prompt": text(f"ask {name}"), "points": points, **parts}


REGION = {"source": 0, "page": 1, "x0": 10, "y0": 20, "x1": 200, "y1": 80}
EXAM = {
    "schema_version": "1",
    "exam_id": "every-type",
    "title": "Every type",
    "language": "en",
    "total_points": 31,
    "sections": [
        {
            "id": "s1",
            "instructions": [{"type": "image", "asset": "assets/map.png", "alt": "a map"}],
            "questions": [
                question("q1", "single_choice", 2, options=options(), provenance=[REGION]),
                question("q2", "multiple_choice", 3, options=options("ABCDE")),
                question("q3", "true_false", 1),
                question("q4", "fill_in_blank", 4, blanks=[{"id": "b1"}, {"id": "b2", "cells": 3}]),
                question("q5", "matching", 3, matching={"left": items("i", "ii"), "right": items("A", "B", "C")}),
                question("q6", "short_answer", 2),
                question("q7", "essay", 6),
                question("q8", "drawing", 2),
                question(
                    "q9",
                    "composite",
                    8,
                    children=[
                        question("q9.a", "short_answer", 3),
                        question("q9.b", "short_answer", 3),
                        question("q9.c", "short_answer", 2),
                    ],
                ),
            ],
        }
    ],
}


def levels(*points: float) -> list[dict[str, Any]]:
    return [{"points": value, "descriptor": f"worth {value}"} for value in points]


def entry(name: str, points: float, **rule: Any) -> dict[str, Any]:
    return {"question_id": name, "max_points": points, "min_points": 0, "rule": rule}


RUBRIC = [
    {"id": "c1", "description": "argument", "levels": levels(4, 2, 0)},
    {"id": "c2", "description": "language", "levels": levels(2, 1, 0)},
]
GRADING = {
    "schema_version": "1",
    "exam_id": "every-type",
    "questions": {
        "q1": entry("q1", 2, kind="choice", correct=["B"]),
        "q2": entry("q2", 3, kind="per_option", correct=["A", "C"], ratio_by_errors=[1, 0.6, 0.2]),
        "q3": entry("q3", 1, kind="true_false", correct=True),
        "q4": entry("q4", 4, kind="fill_in_blank", blanks={"b1": {"accepted": ["0"]}, "b2": {"accepted": ["100"]}}),
        "q5": entry("q5", 3, kind="matching", correct_pairs={"i": "C", "ii": "A"}),
        "q6": entry("q6", 2, kind="numeric", value="29.4", unit="m/s"),
        "q7": entry(
            "q7",
            6,
            kind="judge",
            rubric=RUBRIC,
            deductions=[{"id": "d1", "description": "unnamed file", "points": -1, "max_times": 2}],
        ),
        "q8": entry("q8", 2, kind="judge", reference_assets=["assets/model.png"]),
        "q9.a": entry("q9.a", 3, kind="expression", expression="(x-2)(x-3)"),
        "q9.b": entry("q9.b", 3, kind="enumeration", items=[{"accepted": ["red"]}, {"accepted": ["blue"]}], required=2),
        "q9.c": entry(
            "q9.c",
            2,
            kind="parts",
            parts=[
                {"id": "p1", "kind": "numerical", "reference": "4", "points": 1},
                {"id": "p2", "kind": "yes_no", "reference": "yes", "points": 1},
            ],
        ),
    },
}
MANIFEST = {
    "schema_version": "1",
    "created_at": "2026-01-01T00:00:00Z",
    "tool_version": "0.1.0",
    "sources": [{"path": "paper.pdf", "sha256": "0" * 64, "pages": 2, "role": "paper"}],
}
Records = dict[str, Any]
Change = Callable[[Records], None]


def records() -> Records:
    return copy.deepcopy({"exam": EXAM, "grading": GRADING, "manifest": MANIFEST})


def write(folder: Path, parts: Records) -> Path:
    """Write the files as they are, without asking the models: they may be broken."""
    (folder / "assets").mkdir(parents=True)
    for name in ("map", "model"):
        (folder / "assets" / f"{name}.png").write_bytes(PNG)
    for name, record in parts.items():
        (folder / f"{name}.json").write_text(json.dumps(record), encoding="utf-8")
    schema = answer_schema(Exam.model_validate(EXAM))
    (folder / "answer_schema.json").write_text(json.dumps(schema), encoding="utf-8")
    return folder


def refresh_schema(folder: Path) -> None:
    exam = Exam.model_validate_json((folder / "exam.json").read_text(encoding="utf-8"))
    (folder / "answer_schema.json").write_text(json.dumps(answer_schema(exam)), encoding="utf-8")


def codes(folder: Path) -> list[tuple[str, str, str | None]]:
    return [(f.severity, f.code, f.where.question) for f in validate_bundle(folder)]


def q(parts: Records, number: int) -> Records:
    return parts["exam"]["sections"][0]["questions"][number - 1]


def rule(parts: Records, name: str) -> Records:
    return parts["grading"]["questions"][name]["rule"]


def put(target: Callable[[Records], Records], **values: Any) -> Change:
    return lambda parts: target(parts).update(values)


def drop(target: Callable[[Records], Records], key: str) -> Change:
    return lambda parts: target(parts).pop(key)


def test_a_bundle_with_every_type_and_rule_has_no_findings(tmp_path, capsys):
    assert main(["validate", str(write(tmp_path / "b", records()))]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'b'}: 11 questions, 31 points, 0 errors, 0 warnings\n"


BROKEN: list[tuple[str, Change, tuple[str, str, str | None]]] = [
    ("total", put(lambda p: p["exam"], total_points=30), ("error", "points.total", None)),
    ("composite sum", put(lambda p: q(p, 9)["children"][0], points=2), ("error", "points.sum", "q9")),
    ("max points", put(lambda p: p["grading"]["questions"]["q1"], max_points=1), ("error", "points.max", "q1")),
    ("doubled id", put(lambda p: q(p, 2), id="q1"), ("error", "id.duplicate", None)),
    ("id with a slash", put(lambda p: q(p, 2), id="../q2"), ("error", "id.malformed", None)),
    ("id with an escape", put(lambda p: q(p, 2), id="q\x1b[2J"), ("error", "id.malformed", None)),
    ("empty id", put(lambda p: q(p, 2), id=""), ("error", "id.malformed", None)),
    ("huge id", put(lambda p: q(p, 2), id="q" * 5000), ("error", "id.malformed", None)),
    ("doubled option", lambda p: q(p, 1)["options"].append(options("A")[0]), ("error", "id.duplicate", "q1")),
    ("one option", put(lambda p: q(p, 1), options=options("B")), ("error", "options.few", "q1")),
    ("no options", drop(lambda p: q(p, 1), "options"), ("error", "options.missing", "q1")),
    ("options of an essay", put(lambda p: q(p, 7), options=options()), ("error", "options.unexpected", "q7")),
    ("no blanks", put(lambda p: q(p, 4), blanks=[]), ("error", "blanks.missing", "q4")),
    ("blanks of an essay", put(lambda p: q(p, 7), blanks=[{"id": "b1"}]), ("error", "blanks.unexpected", "q7")),
    ("no matching", drop(lambda p: q(p, 5), "matching"), ("error", "matching.missing", "q5")),
    ("empty side", put(lambda p: q(p, 5)["matching"], left=[]), ("error", "matching.empty", "q5")),
    ("childless composite", put(lambda p: q(p, 7), type="composite"), ("error", "children.missing", "q7")),
    ("children of an essay", put(lambda p: q(p, 9), type="essay"), ("error", "children.unexpected", "q9")),
    ("nothing asked", put(lambda p: q(p, 6), prompt=[]), ("warning", "prompt.empty", "q6")),
    ("lost backslash", put(lambda p: q(p, 6), prompt=text("\x0crac{1}{2}")), ("warning", "text.control", "q6")),
    ("huge text", put(lambda p: q(p, 6), prompt=text("x" * 200_000)), ("warning", "text.huge", "q6")),
    (
        "ragged table",
        put(lambda p: q(p, 6), prompt=[{"type": "table", "rows": [["a", "b"], ["c"]]}]),
        ("warning", "table.ragged", "q6"),
    ),
    ("language", put(lambda p: p["exam"], language="English!"), ("warning", "language.malformed", None)),
    ("region without area", put(lambda p: q(p, 1)["provenance"][0], x1=5), ("error", "provenance.box", "q1")),
    ("region's source", put(lambda p: q(p, 1)["provenance"][0], source=1), ("error", "provenance.source", "q1")),
    ("region's page", put(lambda p: q(p, 1)["provenance"][0], page=2), ("error", "provenance.page", "q1")),
    ("no entry", drop(lambda p: p["grading"]["questions"], "q3"), ("error", "grading.missing", "q3")),
    (
        "entry of a composite",
        put(lambda p: p["grading"]["questions"], q9=entry("q9", 8, kind="judge", reference_answer="x")),
        ("error", "grading.foreign", "q9"),
    ),
    (
        "entry under another id",
        put(lambda p: p["grading"]["questions"]["q1"], question_id="q2"),
        ("error", "grading.id", "q1"),
    ),
    ("another exam's key", put(lambda p: p["grading"], exam_id="other"), ("error", "exam_id.mismatch", None)),
    (
        "unfit rule",
        put(lambda p: p["grading"]["questions"], q7=entry("q7", 6, kind="true_false", correct=True)),
        ("error", "rule.unfit", "q7"),
    ),
    ("unknown option", put(lambda p: rule(p, "q1"), correct=["E"]), ("error", "key.unknown", "q1")),
    ("no correct option", put(lambda p: rule(p, "q1"), correct=[]), ("error", "key.empty", "q1")),
    ("doubled key", put(lambda p: rule(p, "q2"), correct=["A", "A"]), ("warning", "key.duplicate", "q2")),
    ("empty table", put(lambda p: rule(p, "q2"), ratio_by_errors=[]), ("error", "per_option.table", "q2")),
    ("rising table", put(lambda p: rule(p, "q2"), ratio_by_errors=[1, 0.2, 0.6]), ("error", "per_option.table", "q2")),
    ("long table", put(lambda p: rule(p, "q2"), ratio_by_errors=[1] * 7), ("warning", "per_option.table", "q2")),
    ("poor best", put(lambda p: rule(p, "q2"), ratio_by_errors=[0.5]), ("warning", "per_option.table", "q2")),
    ("blank without key", drop(lambda p: rule(p, "q4")["blanks"], "b2"), ("error", "key.missing", "q4")),
    ("foreign blank", put(lambda p: rule(p, "q4")["blanks"], b3={"accepted": ["1"]}), ("error", "key.unknown", "q4")),
    (
        "blank accepts nothing",
        put(lambda p: rule(p, "q4")["blanks"]["b1"], accepted=[" "]),
        ("error", "key.empty", "q4"),
    ),
    (
        "weightless blanks",
        put(lambda p: rule(p, "q4"), blanks={b: {"accepted": ["1"], "weight": 0} for b in ("b1", "b2")}),
        ("error", "blanks.weight", "q4"),
    ),
    ("left without partner", drop(lambda p: rule(p, "q5")["correct_pairs"], "ii"), ("error", "key.missing", "q5")),
    ("unknown partner", put(lambda p: rule(p, "q5")["correct_pairs"], ii="Z"), ("error", "key.unknown", "q5")),
    ("no value", put(lambda p: rule(p, "q6"), value=" "), ("error", "key.empty", "q6")),
    ("no unit", put(lambda p: rule(p, "q6"), unit=None, unit_required=True), ("error", "numeric.unit", "q6")),
    ("rubric sum", put(lambda p: rule(p, "q7")["rubric"][0], levels=levels(3, 0)), ("error", "rubric.sum", "q7")),
    ("one level", put(lambda p: rule(p, "q7")["rubric"][0], levels=levels(4)), ("error", "rubric.levels", "q7")),
    ("rising levels", put(lambda p: rule(p, "q7")["rubric"][0], levels=levels(0, 4)), ("error", "rubric.order", "q7")),
    ("doubled criterion", put(lambda p: rule(p, "q7")["rubric"][0], id="c2"), ("error", "id.duplicate", "q7")),
    ("empty deduction", put(lambda p: rule(p, "q7")["deductions"][0], points=0), ("error", "deduction.points", "q7")),
    (
        "anchored by nothing",
        put(lambda p: p["grading"]["questions"], q7={**entry("q7", 6, kind="judge"), "anchored": True}),
        ("warning", "judge.anchor", "q7"),
    ),
    (
        "unanchored",
        put(lambda p: p["grading"]["questions"], q7=entry("q7", 6, kind="judge")),
        ("info", "judge.unanchored", None),
    ),
    ("no expression", put(lambda p: rule(p, "q9.a"), expression=""), ("error", "key.empty", "q9.a")),
    ("no items", put(lambda p: rule(p, "q9.b"), items=[], required=None), ("error", "key.empty", "q9.b")),
    ("too many required", put(lambda p: rule(p, "q9.b"), required=3), ("error", "enumeration.required", "q9.b")),
    ("parts' sum", put(lambda p: rule(p, "q9.c")["parts"][0], points=2), ("error", "parts.sum", "q9.c")),
    ("no judge", put(lambda p: p["grading"], judge={"models": []}), ("error", "judge.models_empty", None)),
    ("judge's name", put(lambda p: p["grading"], judge={"models": ["gpt"]}), ("warning", "judge.model_name", None)),
    (
        "judge's own server",
        put(lambda p: p["grading"], judge={"models": ["openai:gpt@http://evil.example"]}),
        ("warning", "judge.base_url", None),
    ),
    ("asset outside", put(lambda p: q(p, 6), snapshot="../../etc/passwd"), ("error", "asset.name", "q6")),
    ("absolute asset", put(lambda p: q(p, 6), snapshot="/etc/passwd"), ("error", "asset.name", "q6")),
    ("drive asset", put(lambda p: q(p, 6), snapshot="C:\\a.png"), ("error", "asset.name", "q6")),
    ("key as asset", put(lambda p: q(p, 6), snapshot="grading.json"), ("error", "asset.name", "q6")),
    ("missing asset", put(lambda p: q(p, 6), snapshot="assets/none.png"), ("error", "asset.missing", "q6")),
    ("folder as asset", put(lambda p: q(p, 6), snapshot="assets"), ("error", "asset.not_a_file", "q6")),
    (
        "source path",
        put(lambda p: p["manifest"]["sources"][0], path="me/a.pdf"),
        ("warning", "source.path", None),
    ),
    ("source hash", put(lambda p: p["manifest"]["sources"][0], sha256="abc"), ("error", "source.sha256", None)),
    ("digest", put(lambda p: p["manifest"], digest="0" * 64), ("error", "digest.mismatch", None)),
    (
        "coverage",
        put(
            lambda p: p["manifest"],
            coverage={"words": 9, "question": 5, "instruction": 1, "furniture": 1, "figure": 1, "unassigned": 0},
        ),
        ("error", "coverage.sum", None),
    ),
    ("unknown version", put(lambda p: p["exam"], schema_version="2.0"), ("error", "version.unknown", None)),
    ("version is a number", put(lambda p: p["grading"], schema_version=1), ("error", "version.unknown", None)),
    ("negative points", put(lambda p: q(p, 1), points=-1), ("error", "schema.invalid", None)),
    ("NaN points", put(lambda p: q(p, 1), points=float("nan")), ("error", "json.invalid", None)),
    ("infinite points", put(lambda p: q(p, 1), points=float("inf")), ("error", "json.invalid", None)),
    ("points as text", put(lambda p: q(p, 1), points="two"), ("error", "schema.invalid", None)),
    ("number as text", put(lambda p: q(p, 1), points="2"), ("error", "schema.invalid", None)),
    ("true as a number", put(lambda p: q(p, 3), points=True), ("error", "schema.invalid", None)),
    ("yes as a boolean", put(lambda p: rule(p, "q3"), correct="yes"), ("error", "schema.invalid", None)),
    ("unknown type", put(lambda p: q(p, 1), type="riddle"), ("error", "schema.invalid", None)),
    ("unknown rule", put(lambda p: rule(p, "q1"), kind="guess"), ("error", "schema.invalid", None)),
    ("ratio above 1", put(lambda p: rule(p, "q2"), ratio_by_errors=[1.1]), ("error", "schema.invalid", None)),
    ("penalty below 0", put(lambda p: rule(p, "q1"), wrong_selection_penalty=-1), ("error", "schema.invalid", None)),
    ("exam is a list", lambda p: p.update(exam=[]), ("error", "schema.invalid", None)),
    ("no questions", put(lambda p: p["exam"], sections=[], total_points=0), ("error", "exam.empty", None)),
]


@pytest.mark.parametrize(("change", "expected"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_each_broken_rule_is_found(tmp_path, change, expected, capsys):
    parts = records()
    change(parts)
    folder = write(tmp_path / "b", parts)
    assert expected in codes(folder)
    assert main(["validate", str(folder)]) == (1 if expected[0] == "error" else 0)
    shown = capsys.readouterr()
    assert "\x1b" not in shown.out + shown.err


def test_a_change_of_the_exam_makes_the_answer_schema_stale(tmp_path):
    parts = records()
    q(parts, 1)["options"].append({"id": "E", "content": text("option E")})
    folder = write(tmp_path / "b", parts)
    assert codes(folder) == [("error", "answer_schema.stale", None)]
    refresh_schema(folder)
    assert codes(folder) == []


def test_a_missing_file_is_named(tmp_path, capsys):
    folder = write(tmp_path / "b", records())
    (folder / "manifest.json").unlink()
    assert main(["validate", str(folder), "--json"]) == 1
    shown = json.loads(capsys.readouterr().out)
    assert [(f["code"], f["message"]) for f in shown["findings"]] == [
        ("file.missing", "manifest.json cannot be read: No such file or directory")
    ]
    assert (shown["ok"], shown["questions"], shown["points"], shown["counts"]["error"]) == (False, 11, 31.0, 1)


@pytest.mark.parametrize("name", ["exam", "grading", "manifest", "answer_schema"])
@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "json.invalid"),
        (b"{", "json.invalid"),
        (b"\xff\xfe{}", "json.invalid"),
        (b'{"a": "\xc3\x28"}', "json.invalid"),
        (b'{"a": "\\ud800"}', "json.invalid"),
        (b'{"exam_id": "a", "exam_id": "b"}', "json.invalid"),
        (b'{"a": 1e999}', "json.invalid"),
        (b'{"a": ' + b"9" * 10_000 + b"}", "json.invalid"),
        (b"[" * 100_000 + b"]" * 100_000, "json.invalid"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "json.invalid"),
    ],
    ids=["empty", "cut", "utf-16", "bad utf-8", "surrogate", "doubled", "1e999", "long number", "lists", "objects"],
)
def test_broken_json_is_a_finding(tmp_path, name, content, code):
    folder = write(tmp_path / "b", records())
    (folder / f"{name}.json").write_bytes(content)
    assert ("error", code, None) in codes(folder)


def test_a_file_of_two_gigabytes_is_not_read(tmp_path, capsys):
    folder = write(tmp_path / "b", records())
    with (folder / "grading.json").open("wb") as stream:
        stream.truncate(2 * 1024**3)
    assert main(["validate", str(folder)]) == 1
    assert "grading.json has 2,147,483,648 bytes; at most 16,777,216 are read" in capsys.readouterr().out


@pytest.mark.parametrize("depth", [16, 40])
def test_forty_levels_of_questions_are_a_finding(tmp_path, depth):
    parts = records()
    inner = question("deep", "short_answer", 2)
    for level in range(depth):
        inner = question(f"level{level}", "composite", 2, children=[inner])
    parts["exam"]["sections"][0]["questions"][5] = inner
    found = codes(write(tmp_path / "b", parts))
    assert ("error", "nesting.deep", f"level{depth - 16}") in found


def test_symlinks_are_findings_whether_or_not_they_are_named(tmp_path):
    folder = write(tmp_path / "b", records())
    secret = tmp_path / "secret.png"
    secret.write_bytes(PNG)
    (folder / "assets" / "map.png").unlink()
    (folder / "assets" / "map.png").symlink_to(secret)
    (folder / "assets" / "unnamed").symlink_to(tmp_path)
    assert codes(folder) == [("error", "asset.symlink", None)] * 3
    os.rename(folder / "assets", tmp_path / "outside")
    (folder / "assets").symlink_to(tmp_path / "outside")
    assert set(codes(folder)) == {("error", "asset.symlink", None), ("error", "asset.symlink", "q8")}
    (folder / "grading.json").rename(tmp_path / "grading.json")
    (folder / "grading.json").symlink_to(tmp_path / "grading.json")
    assert ("error", "file.symlink", None) in codes(folder)


def test_a_pipe_in_place_of_a_file_does_not_hang(tmp_path):
    folder = write(tmp_path / "b", records())
    (folder / "exam.json").unlink()
    os.mkfifo(folder / "exam.json")
    assert ("error", "file.not_a_file", None) in codes(folder)


def test_what_is_no_folder_is_a_usage_error(tmp_path, capsys):
    assert main(["validate", str(tmp_path / "none")]) == 2
    assert capsys.readouterr().err == f"exam2bench validate: {tmp_path / 'none'} is not a bundle: no such folder\n"


def test_a_thousand_schema_errors_are_told_in_fifty_lines(tmp_path):
    parts = records()
    parts["exam"]["sections"] = [{"title": n} for n in range(1000)]
    found = validate_bundle(write(tmp_path / "b", parts))
    assert len([f for f in found if f.code == "schema.invalid"]) == 51


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_what_may_not_be_read_is_a_finding(tmp_path):
    folder = write(tmp_path / "b", records())
    (folder / "grading.json").chmod(0)
    assert ("error", "file.unreadable", None) in codes(folder)


def test_an_asset_of_a_gigabyte_is_not_hashed(tmp_path):
    folder = write(tmp_path / "b", records())
    with (folder / "assets" / "map.png").open("wb") as stream:
        stream.truncate(1024**3)
    assert codes(folder) == [("error", "asset.too_large", None)]


SHEET = {
    "exam_id": "every-type",
    "answers": {
        "q1": {"type": "single_choice", "selected": "B"},
        "q2": {"type": "multiple_choice", "selected": ["A", "C"]},
        "q3": {"type": "true_false", "value": True},
        "q4": {"type": "fill_in_blank", "blanks": {"b1": "0", "b2": "100"}},
        "q5": {"type": "matching", "pairs": {"i": "C", "ii": "A"}},
        "q6": {"type": "text", "text": "29.4 m/s"},
        "q7": {"type": "text", "text": "An essay."},
        "q8": {"type": "drawing", "description": "a circuit"},
        "q9.a": {"type": "text", "text": "(x-3)(x-2)"},
        "q9.b": {"type": "text", "text": "red, blue"},
        "q9.c": {"type": "text", "text": "4; yes"},
    },
}


def sheet_codes(change: Callable[[Records], Any] = lambda sheet: None) -> list[tuple[str, str, str | None]]:
    sheet = copy.deepcopy(SHEET)
    change(sheet)
    return [(f.severity, f.code, f.where.question) for f in validate_sheet(Exam.model_validate(EXAM), sheet)]


def test_sheets():
    answers = "answers"
    assert sheet_codes() == []
    added = {"bundle_digest": "f" * 64, "outcomes": {"q1": {"status": "answered"}}}
    assert sheet_codes(lambda s: s.update(added)) == []
    assert sheet_codes(lambda s: s.update(extra=1)) == [("error", "sheet.unknown", None)]
    assert sheet_codes(lambda s: s[answers].pop("q3")) == [("error", "sheet.missing", None)]
    assert sheet_codes(lambda s: s[answers]["q1"].update(selected="Z")) == [("error", "sheet.option", "q1")]
    assert sheet_codes(lambda s: s[answers]["q4"]["blanks"].update(b1=7)) == [("error", "sheet.invalid", "q4")]
    assert sheet_codes(lambda s: s[answers]["q6"].update(text="x" * 300_000)) == [("warning", "sheet.huge", "q6")]
    assert sheet_codes(lambda s: s.update(outcomes={"q99": {"status": "lost"}})) == [
        ("error", "sheet.unknown", "q99"),
        ("error", "sheet.invalid", "q99"),
    ]
    assert [f.code for f in validate_sheet(Exam.model_validate(EXAM), [])] == ["sheet.invalid"]


def test_sheets_are_checked_by_the_command(tmp_path, capsys):
    folder = write(tmp_path / "b", records())
    (tmp_path / "s.json").write_text(json.dumps({**SHEET, "exam_id": "other"}), encoding="utf-8")
    assert main(["validate", str(folder), "--sheet", str(tmp_path / "s.json")]) == 1
    assert "sheet.invalid          exam_id: 'every-type' was expected" in capsys.readouterr().out
    assert main(["validate", str(folder), "--sheet", str(tmp_path / "none.json")]) == 1


@pytest.mark.skipif(not (SHARED / "peer-bundles").is_dir(), reason="test material is not here")
@pytest.mark.parametrize("name", ["tw-gsat-matha-2024", "tw-moex-immigration-french-2019"])
def test_bundles_of_any_to_bench_have_no_errors(name, capsys):
    assert main(["validate", str(SHARED / "peer-bundles" / name)]) == 0
    assert "0 errors, 0 warnings" in capsys.readouterr().out


@pytest.mark.skipif(not (SHARED / "vectors").is_dir(), reason="test material is not here")
def test_what_any_to_bench_refuses_is_refused_here():
    """Its ValidationErrors are schema errors or findings here; what it accepts loads, even where we have advice."""
    seen = 0
    for line in (SHARED / "vectors" / "any_to_bench.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        if case["scorer"] != "a2b.schema_validation":
            continue
        seen += 1
        refused = isinstance(case["expected"], dict)
        assert _errors(case["input"]["model"], case["input"]["data"]) == refused, case
    assert seen == 12


def _errors(model: str, data: Records) -> bool:
    """Whether validation reports an error for the record, put into the place of a bundle where it belongs."""
    from pydantic import ValidationError

    grading = copy.deepcopy(GRADING)
    leaf = {leaf.id: leaf for leaf in Exam.model_validate(EXAM).leaves()}
    try:
        if model in ("ChoiceRule", "PerOptionRule"):
            kind = "choice" if model == "ChoiceRule" else "per_option"
            found = check_entry(QuestionGrading.model_validate(entry("q2", 3, kind=kind, **data)), leaf["q2"])
        elif model == "BlankSpec":
            grading["questions"]["q4"]["rule"]["blanks"]["b1"] = data
            found = check_entry(QuestionGrading.model_validate(grading["questions"]["q4"]), leaf["q4"])
        elif model == "RubricCriterion":
            QuestionGrading.model_validate(entry("q", 2, kind="judge", rubric=[data]))
            return False
        elif model == "QuestionGrading":
            kind = {"judge": "essay", "true_false": "true_false"}.get(data["rule"]["kind"], "essay")
            asked = {**question("q", kind, max(data["max_points"], 0))}
            found = check_entry(
                QuestionGrading.model_validate(data),
                next(Exam.model_validate({**EXAM, "sections": [{"id": "s1", "questions": [asked]}]}).leaves()),
            )
        elif model == "JudgeConfig":
            from exam2bench.schemas.grading_checks import check_grading

            spec = GradingSpec.model_validate({**grading, "judge": data})
            found = iter(check_grading(spec, Exam.model_validate(EXAM)))
        else:
            from exam2bench.schemas.grading_checks import check_grading

            found = iter(check_grading(GradingSpec.model_validate(data), Exam.model_validate(EXAM)))
    except ValidationError:
        return True
    return any(f.severity == "error" for f in found)


@pytest.mark.skipif(not (SHARED / "vectors").is_dir(), reason="test material is not here")
def test_sheet_errors_are_counted_as_any_to_bench_counts_them():
    counts = []
    for line in (SHARED / "vectors" / "any_to_bench.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        if case["scorer"] == "a2b.validate_answer_sheet.error_count":
            exam = Exam.model_validate(case["input"]["exam"])
            found = validate_sheet(exam, case["input"]["sheet"])
            counts.append((len([f for f in found if f.severity == "error"]), case["expected"]))
    assert counts == [(0, 0), (6, 6)]


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=20),
    st.sampled_from(["\x1b[2J", "../x", "q1", "A", "$\\frac{1}", "\u202e", "1" * 400]),
    st.lists(st.none(), max_size=2),
    st.dictionaries(st.text(max_size=3), st.none(), max_size=2),
)


def places(value: Any, path: tuple = ()) -> list[tuple]:
    """The paths of all values inside a JSON value."""
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [path] + [found for key in keys for found in places(value[key], (*path, key))]


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_stands_in_a_bundle_no_command_falls_over(tmp_path_factory, data):
    parts = records()
    for _ in range(data.draw(st.integers(1, 3))):
        *above, last = data.draw(st.sampled_from([path for path in places(parts) if len(path) > 1]))
        target = parts
        for key in above:
            if not isinstance(target, (dict, list)) or (isinstance(target, dict) and key not in target):
                break
            target = target[key]
        if isinstance(target, (dict, list)) and (isinstance(last, str) == isinstance(target, dict)):
            target[last] = data.draw(JUNK)
    folder = write(tmp_path_factory.mktemp("fuzz") / "b", parts)
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        for call in (["validate"], ["validate", "--json"], ["show", "--key"], ["show", "--json"]):
            assert main([call[0], str(folder), *call[1:]]) in (0, 1)
    shown = out.getvalue() + err.getvalue()
    assert "\x1b" not in shown and "\u202e" not in shown
