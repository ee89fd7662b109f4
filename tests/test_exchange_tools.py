"""Exports proved by the tools that they are for, each in an environment of its own (`make test-exchange`)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from exam2bench.cli import main
from exam2bench.corpora.exchange.qti_interactions import xml_name
from exam2bench.grade.plan import ExamPlan
from exam2bench.schemas.bundle import load_bundle

from .allkinds import QUESTIONS, REPLIES, make_bundle, rule_points, sheet
from .qti3.hard import hard_bundle

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


@pytest.fixture(scope="module")
def inspected(bundle, tmp_path_factory) -> dict[str, Any]:
    """What inspect_ai found with its mock model, and where its log lies."""
    folder = tmp_path_factory.mktemp("inspect")
    (folder / "replies.json").write_text(json.dumps(REPLIES, ensure_ascii=False), encoding="utf-8")
    target = export(bundle, "inspect", folder / "out")
    driver = (DRIVERS / "inspect_driver.py", target / "task.py", folder / "replies.json", folder / "log")
    return json.loads(run(program("inspect", "python"), *driver).splitlines()[-1])


def test_inspect_ai_scores_as_we_do(inspected):
    scores = inspected["scores"]
    assert {name: score["awarded"] for name, score in scores.items() if not score["unscored"]} == rule_points()
    assert inspected["scored"] == len(rule_points())
    points = sum(QUESTIONS[name][1] for name in rule_points())
    assert inspected["metrics"]["points_percentage"] == pytest.approx(100 * sum(rule_points().values()) / points)


def test_an_inspect_log_comes_back_as_a_sheet(bundle, inspected, tmp_path):
    sheet_file = str(tmp_path / "sheet.json")
    ours = ("-m", "exam2bench.cli", "answers", "import")  # in that environment: reading .eval is inspect_ai's affair
    run(program("inspect", "python"), *ours, inspected["log"], "--bundle", bundle.root, "-o", sheet_file)
    report = tmp_path / "report.json"
    assert main(["grade", str(bundle.root), sheet_file, "-o", str(report)]) in (0, 1)
    results = json.loads(report.read_text(encoding="utf-8"))["results"]
    assert {name: result["awarded"] for name, result in results.items() if name in rule_points()} == rule_points()


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


def answers_to(name: str) -> list[dict[str, Any]]:
    """Answers to a question of tests/allkinds.py that its rule grades: the one there, none right, all, some."""
    kind, _, more, _, given, _ = QUESTIONS[name]
    labels = [option["id"] for option in more.get("options", [])]
    match kind:
        case "single_choice":
            return [{"type": kind, "selected": label} for label in labels]
        case "multiple_choice":
            picked = ([label for n, label in enumerate(labels) if mask >> n & 1] for mask in range(1, 2 ** len(labels)))
            return [{"type": kind, "selected": chosen} for chosen in picked]
        case "true_false":
            return [{"type": kind, "value": value} for value in (True, False)]
        case "fill_in_blank":
            texts = (("tides", "1871"), ("TIDE", "1872"), ("wave", "1871"), ("", "x"))
            return [{"type": kind, "blanks": {"b1": one, "b2": other}} for one, other in texts]
        case "matching":
            return [{"type": kind, "pairs": {"1": one, "2": other}} for one in "abc" for other in "abc"]
    assert given is not None
    return [given, *({"type": "text", "text": text} for text in ("36.5", "36.51", "35.5", "-36"))]


def qti_responses(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer as the values of an exported item's response variables."""
    match answer:
        case {"selected": list(several)}:
            return {"RESPONSE": [xml_name(one) for one in several]}
        case {"selected": one}:
            return {"RESPONSE": xml_name(one)}
        case {"value": value}:
            return {"RESPONSE": str(value).lower()}
        case {"blanks": blanks}:
            return {f"RESPONSE_{n}": text for n, text in enumerate(blanks.values(), 1)}
        case {"pairs": pairs}:
            return {"RESPONSE": [f"L{xml_name(left)} R{xml_name(right)}" for left, right in pairs.items()]}
    return {"RESPONSE": float(answer["text"])}


def play(asked: dict[str, Any], folder: Path) -> dict[str, Any]:
    home = ENVIRONMENTS / "qti"
    if not (home / ".done").exists() or not (node := shutil.which("node")):
        pytest.skip("the QTI player is not installed here: make test-exchange")
    (folder / "asked.json").write_text(json.dumps(asked, ensure_ascii=False), encoding="utf-8")
    return json.loads(run(node, DRIVERS / "qti_driver.cjs", home, folder / "asked.json"))


def test_a_qti_player_gives_the_same_points(bundle, tmp_path):
    """The QTI 3 Item Player of amp-up.io, certified by 1EdTech, scores every answer as the rules here do."""
    items = export(bundle, "qti", tmp_path / "out") / "package" / "items"
    plan = ExamPlan.of(bundle)
    asked, expected = {}, {}
    for name in BY_RULE_THERE:
        for n, answer in enumerate(answers_to(name)):
            asked[f"{name}-{n}"] = {"file": str(items / f"{name}.xml"), "responses": qti_responses(answer)}
            expected[f"{name}-{n}"] = plan.questions[name].graded(answer).awarded
    found = play(asked, tmp_path)
    assert len(found) > 60
    assert {name: one["faults"] for name, one in found.items() if one["faults"]} == {}
    assert {name: one["score"] for name, one in found.items()} == pytest.approx(expected)


def test_a_qti_player_shows_hostile_texts(tmp_path):
    hard_bundle(tmp_path / "bundle")
    items = export(load_bundle(tmp_path / "bundle"), "qti", tmp_path / "out") / "package" / "items"
    found = play({file.stem: {"file": str(file), "responses": {}} for file in items.glob("*.xml")}, tmp_path)
    assert len(found) == 15
    assert {name: one["faults"] for name, one in found.items() if one["faults"] or not one["ready"]} == {}
    for one in found.values():
        assert "<script>alert(1)</script>" in one["text"]
        assert "{{ 7 * 7 }}" in one["text"]
        assert "2019. It was a year." in one["text"]


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
