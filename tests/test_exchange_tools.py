"""Exports proved by the tools that they are for, each in an environment of its own (`make test-exchange`)."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from exam2bench.cli import main

from .allkinds import QUESTIONS, REPLIES, make_bundle, rule_points, sheet

ENVIRONMENTS = Path(os.environ.get("EXAM2BENCH_EXCHANGE", Path(__file__).parents[1] / "build" / "exchange"))
DRIVERS = Path(__file__).parent / "exchange"
BY_RULE_THERE = ["q1", "q2", "q3", "q4", "q5", "q6", "q7", "q8", "q9"]
"""Questions that any-to-bench grades without a judge once they are exported."""

pytestmark = pytest.mark.exchange


def program(tool: str, name: str) -> str:
    found = ENVIRONMENTS / tool / "bin" / name
    if not (found.exists() and (ENVIRONMENTS / tool / ".done").exists()):
        pytest.skip(f"{tool} is not installed here: make test-exchange")
    return str(found)


def run(*command: str | Path) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, "HF_HUB_OFFLINE": "1", "NO_COLOR": "1", "COLUMNS": "200"},
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    return make_bundle(tmp_path_factory.mktemp("all") / "bundle")


@pytest.fixture
def replies(tmp_path):
    (tmp_path / "replies.json").write_text(json.dumps(REPLIES, ensure_ascii=False), encoding="utf-8")
    return tmp_path / "replies.json"


def export(bundle, form: str, target: Path, *more: str) -> Path:
    assert main(["export", str(bundle.root), "--to", form, "-o", str(target), *more]) == 0
    return target


def test_any_to_bench_accepts_the_whole_exam(bundle, tmp_path):
    target = export(bundle, "any-to-bench", tmp_path / "out")
    assert "is valid" in run(program("any-to-bench", "any-to-bench"), "validate", target)


def test_any_to_bench_gives_the_same_points(tmp_path):
    """Every question that it grades by rule; the rest would want a judge there."""
    bundle = make_bundle(tmp_path / "bundle", only=set(BY_RULE_THERE))
    wrong = {**sheet(BY_RULE_THERE), "taker": "blank", "answers": {}}
    for name, answers in (("hand", sheet(BY_RULE_THERE)), ("blank", wrong)):
        (tmp_path / f"{name}.json").write_text(json.dumps(answers, ensure_ascii=False), encoding="utf-8")
    sheets = [str(tmp_path / "hand.json"), str(tmp_path / "blank.json")]
    target = export(bundle, "any-to-bench", tmp_path / "out", "--sheet", sheets[0], "--sheet", sheets[1])
    assert main(["grade", str(bundle.root), *sheets, "-o", str(tmp_path / "ours")]) == 0
    for name, expected in (("hand", rule_points(BY_RULE_THERE)), ("blank", dict.fromkeys(BY_RULE_THERE, 0.0))):
        tool = program("any-to-bench", "any-to-bench")
        run(tool, "grade", target, target / "sheets" / f"{name}.json", "-o", tmp_path / "theirs.json")
        theirs = json.loads((tmp_path / "theirs.json").read_text(encoding="utf-8"))
        (file,) = (tmp_path / "ours").glob(f"{name}*.json")
        ours = json.loads(file.read_text(encoding="utf-8"))
        assert {key: result["awarded"] for key, result in theirs["results"].items()} == expected
        assert {key: result["awarded"] for key, result in ours["results"].items()} == expected
        assert theirs["total_awarded"] == ours["total_awarded"]


def test_inspect_ai_scores_as_we_do(bundle, tmp_path, replies):
    target = export(bundle, "inspect", tmp_path / "out")
    told = run(
        program("inspect", "python"), DRIVERS / "inspect_driver.py", target / "task.py", replies, tmp_path / "log"
    )
    found = json.loads(told.splitlines()[-1])
    assert {name: score["awarded"] for name, score in found["scores"].items() if not score["unscored"]} == rule_points()
    assert found["scored"] == len(rule_points())
    points = sum(QUESTIONS[name][1] for name in rule_points())
    assert found["metrics"]["points_percentage"] == pytest.approx(100 * sum(rule_points().values()) / points)


def test_an_inspect_log_comes_back_as_a_sheet(bundle, tmp_path, replies):
    target = export(bundle, "inspect", tmp_path / "out")
    told = run(
        program("inspect", "python"), DRIVERS / "inspect_driver.py", target / "task.py", replies, tmp_path / "log"
    )
    log = json.loads(told.splitlines()[-1])["log"]
    sheet_file = str(tmp_path / "sheet.json")
    ours = ("-m", "exam2bench.cli", "answers", "import")  # in that environment: reading .eval is inspect_ai's affair
    run(program("inspect", "python"), *ours, log, "--bundle", bundle.root, "-o", sheet_file)
    assert main(["grade", str(bundle.root), str(tmp_path / "sheet.json"), "-o", str(tmp_path / "report.json")]) in (
        0,
        1,
    )
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    awarded = {name: result["awarded"] for name, result in report["results"].items() if name in rule_points()}
    assert awarded == rule_points()


def test_lm_eval_scores_as_we_do(bundle, tmp_path, replies):
    target = export(bundle, "lm-eval", tmp_path / "out")
    told = run(program("lm-eval", "python"), DRIVERS / "lm_eval_driver.py", target, replies)
    found = json.loads(told.splitlines()[-1])
    judged = {name: 0.0 for name in QUESTIONS if name not in rule_points()}
    assert {name: points for name, (points, _) in found["samples"].items()} == {**rule_points(), **judged}
    in_words = {name for name in QUESTIONS if name not in ("q1", "q3", "q4")}
    points = sum(QUESTIONS[name][1] for name in in_words)
    earned = sum(value for name, value in rule_points().items() if name in in_words)
    assert found["metrics"]["exam2bench_all_kinds"]["points_percentage,none"] == pytest.approx(100 * earned / points)


def test_evalscope_takes_every_question(bundle, tmp_path):
    target = export(bundle, "evalscope", tmp_path / "out")
    told = run(program("evalscope", "python"), DRIVERS / "evalscope_driver.py", target, tmp_path / "work")
    (line,) = [line for line in told.splitlines() if line.startswith("RESULT ")]
    assert json.loads(line.removeprefix("RESULT ")) == {
        "general_mcq": 1, "general_vmcq": 1, "general_qa": 11, "general_vqa": 2,
    }  # fmt: skip


def test_qti_items_satisfy_the_published_schema(bundle, tmp_path):
    """With the item schema of QTI 3.0.1 at hand (EXAM2BENCH_QTI_XSD names the file): no package brings it."""
    schema = os.environ.get("EXAM2BENCH_QTI_XSD")
    if not schema:
        pytest.skip("EXAM2BENCH_QTI_XSD names no schema")
    etree = pytest.importorskip("lxml.etree")
    target = export(bundle, "qti", tmp_path / "out")
    checked = etree.XMLSchema(etree.parse(schema))
    for item in sorted((target / "package" / "items").glob("*.xml")):
        assert checked.validate(etree.parse(str(item))), (item.name, checked.error_log)
