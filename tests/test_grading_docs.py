"""docs/grading.md: its tables say what the code does, its commands run."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from exam2bench.cli import main
from exam2bench.grade.enumeration import EnumerationKey
from exam2bench.grade.expressions import ExpressionKey
from exam2bench.grade.quantities import QuantityKey
from exam2bench.grade.text_match import TextKey
from exam2bench.schemas.bundle import save_bundle
from exam2bench.schemas.exam import Exam
from exam2bench.schemas.grading import EnumerationRule, ExpressionRule, GradingSpec, Normalization, NumericRule
from exam2bench.schemas.manifest import Manifest

PAGE = (Path(__file__).parents[1] / "docs" / "grading.md").read_text(encoding="utf-8")
TOLERANCES = {"abs": "abs_tolerance", "rel": "rel_tolerance", "figures": "significant_figures"}


def rows(heading: str) -> Iterator[list[str]]:
    """The cells of the table below a heading, code marks taken off."""
    section = PAGE.split(f"### {heading}", 1)[1].split("\n### ", 1)[0]
    for line in section.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]
        if cells and "`" in line and not set(line) <= set("|-"):
            yield [cell[1:-1] if cell.startswith("`") and cell.count("`") == 2 else cell for cell in cells]


def test_the_table_of_texts() -> None:
    table = list(rows("Accepted texts"))
    assert len(table) > 15
    for key, answer, matches in table:
        assert TextKey.of([key], Normalization()).matches(answer) is (matches == "yes"), (key, answer)


def test_the_table_of_numbers() -> None:
    table = list(rows("Numbers"))
    assert len(table) > 15
    for value, tolerance, unit, answer, matches in table:
        rule: dict[str, object] = {"value": value, "unit": unit or None}
        if tolerance:
            kind, size = tolerance.split()
            rule[TOLERANCES[kind]] = float(size)
        key = QuantityKey.of(NumericRule.model_validate(rule))
        assert key.check(answer).matched is (matches == "yes"), (value, answer)


def test_the_table_of_expressions() -> None:
    table = list(rows("Expressions"))
    assert len(table) > 12
    for expression, answer, matches in table:
        verdict = ExpressionKey.of(ExpressionRule(expression=expression)).check(answer)
        assert verdict.matched is (matches == "yes"), (expression, answer)


def test_the_table_of_lists() -> None:
    table = list(rows("Lists"))
    assert len(table) == 5
    for items, answer, found in table:
        accepted = [{"accepted": [item]} for item in re.findall(r"`([^`]+)`", items)]
        key = EnumerationKey.of(EnumerationRule.model_validate({"items": accepted}))
        assert key.check([answer]).right == int(found), answer


def test_the_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exam = Exam(exam_id="ex", title="T", language="en", total_points=0)
    manifest = Manifest(created_at="2026-01-01T00:00:00Z", tool_version="0")
    save_bundle("build/exam", exam, GradingSpec(exam_id="ex"), manifest, {})
    sheet = json.dumps({"exam_id": "ex", "answers": {}})
    Path("sheets").mkdir()
    for name in ("answers.json", "sheets/a.json", "sheets/b.json"):
        Path(name).write_text(sheet, encoding="utf-8")
    commands = re.findall(r"^\$ exam2bench (.*)$", PAGE, re.MULTILINE)
    assert len(commands) == 2
    for command in commands:
        assert main(shlex.split(command)) == 0
    assert sorted(path.name for path in Path("reports").iterdir()) == ["a.report.json", "b.report.json"]
