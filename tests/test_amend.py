"""`exam2bench amend` and `regrade`: a corrected key, and the reports that it moves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from exam2bench.cli import main
from exam2bench.models.fake_server import FakeServer
from exam2bench.schemas.bundle import load_bundle
from exam2bench.schemas.validation import validate_bundle

from .judged import RULES, grade, honest, make_bundle, write_sheet

BLANK = {"kind": "judge", "reference_answer": "right", "rubric": RULES["q2"][1]["rubric"]}


@pytest.fixture
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    return make_bundle(tmp_path / "b1")


def amend(bundle: Path, to: Path, questions: dict[str, Any], **fields: Any) -> int:
    record = {"reason": "the board erred", "source": "erratum 1", "questions": questions, **fields}
    to.with_suffix(".json").write_text(json.dumps(record))
    return main(["amend", str(bundle), str(to.with_suffix(".json")), "-o", str(to)])


def read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text())


def test_a_second_answer_moves_only_those_who_gave_it(bundle: Path, tmp_path: Path, capsys: Any):
    write_sheet(tmp_path / "s" / "a.json", "ann", q1="A", q2="right", q3="no")
    write_sheet(tmp_path / "s" / "b.json", "bo", q1="B", q2="right")
    with FakeServer(honest) as server:
        grade(bundle, tmp_path / "s", "-o", tmp_path / "r1", "--judge", f"openai:j@{server.url}/v1", "--no-cache")
        assert amend(bundle, tmp_path / "b2", {"q1": {"accept": ["B"]}}) == 0
        asked = server.asked
        capsys.readouterr()
        reports = [str(tmp_path / "r1" / f"{name}.report.json") for name in "ab"]
        assert main(["regrade", *reports, "--bundle", str(tmp_path / "b2"), "-o", str(tmp_path / "r2")]) == 0
        assert server.asked == asked
    out = capsys.readouterr().out
    assert "ann: 7 of 24 -> 7 of 24 points\n  nothing moved (1 questions were looked at)" in out
    assert (
        "bo: 5 of 24 -> 7 of 24 points\n  q1: 0 of 2 -> 2 of 2 (further accepted answer: the board erred (erratum 1))"
        in out
    )
    before, after = (read(tmp_path / run / name) for run, name in (("r1", "b.report.json"), ("r2", "b.report.json")))
    assert after["bundle_digest"] == load_bundle(tmp_path / "b2").digest() != before["bundle_digest"]
    assert after["results"]["q2"] == before["results"]["q2"]
    assert after["usage"] == before["usage"]


def test_the_changelog_says_what_was_and_why(bundle: Path, tmp_path: Path):
    change = {"q1": {"correct": ["B"]}, "q4": {"void": True, "reason": "misprint", "source": "letter of 3 May"}}
    assert amend(bundle, tmp_path / "b2", change) == 0
    new = load_bundle(tmp_path / "b2")
    entry = new.grading.amendments[0]
    assert (new.grading.revision, entry["revision"], entry["date"]) == (2, 2, "2023-11-14T22:13:20Z")
    assert entry["from_digest"] == load_bundle(bundle).digest()
    assert entry["questions"]["q1"]["before"]["rule"]["correct"] == ["A"]
    assert entry["questions"]["q4"]["reason"] == "misprint" and entry["questions"]["q4"]["change"] == "voided"
    assert new.exam.total_points == 16 and new.grading.questions["q4"].max_points == 0
    assert [found for found in validate_bundle(tmp_path / "b2") if found.severity == "error"] == []


def test_points_scale_levels_and_parts(bundle: Path, tmp_path: Path):
    levels = {"cause": [{"points": 4, "descriptor": "both"}, {"points": 0, "descriptor": "none"}]}
    change = {"q2": {"levels": levels}, "q5": {"points": 10}}
    assert amend(bundle, tmp_path / "b2", change) == 0
    new = load_bundle(tmp_path / "b2")
    assert new.grading.questions["q2"].max_points == 7 and new.exam.total_points == 31
    rule = new.grading.questions["q5"].rule
    assert rule.kind == "parts" and [part.points for part in rule.parts] == [4, 6]
    assert [found for found in validate_bundle(tmp_path / "b2") if found.severity == "error"] == []


def test_a_voided_question_leaves_everyones_points(bundle: Path, tmp_path: Path, capsys: Any):
    sheet = write_sheet(tmp_path / "s.json", "ann", q1="B", q2="right", q4="long text")
    with FakeServer(honest) as server:
        grade(bundle, sheet, "-o", tmp_path / "r.json", "--judge", f"openai:j@{server.url}/v1", "--no-cache")
    amend(bundle, tmp_path / "b2", {"q4": {"void": True}})
    code = main(["regrade", str(tmp_path / "r.json"), "--bundle", str(tmp_path / "b2"), "-o", str(tmp_path / "n.json")])
    report = read(tmp_path / "n.json")
    assert code == 0 and (report["total_awarded"], report["total_max"]) == (5.0, 16.0)
    assert "headline" not in report


def test_a_changed_judged_question_is_asked_again_and_alone(bundle: Path, tmp_path: Path):
    sheet = write_sheet(tmp_path / "s.json", "ann", q2="right", q3="right", q4="right")
    with FakeServer(honest) as server:
        judge = ["--judge", f"openai:j@{server.url}/v1", "--cache", str(tmp_path / "c.db")]
        grade(bundle, sheet, "-o", tmp_path / "r.json", *judge)
        amend(bundle, tmp_path / "b2", {"q3": {"accept": ["it falls"]}})
        amend(tmp_path / "b2", tmp_path / "b3", {"q1": {"correct": ["B"]}})
        before = server.asked
        arguments = [str(tmp_path / "r.json"), "--bundle", str(tmp_path / "b3"), "-o", str(tmp_path / "n.json")]
        assert main(["regrade", *arguments, *judge]) == 0
        assert server.asked == before + 1 and "Also accepted: it falls" in server.asks[-1].text
        # without a judge the question is ungraded, never a zero
        assert main(["regrade", *arguments]) == 1
    report = read(tmp_path / "n.json")
    assert report["results"]["q3"]["mode"] == "error" and report["bounds"] == {"low": 13.0, "high": 17.0}


def test_a_regrade_from_another_ones_cache_costs_nothing_and_is_the_same_bytes(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    sheet = write_sheet(tmp_path / "s.json", "ann", q2="right", q3="right", q4="right")
    with FakeServer(honest) as server:
        judge = ["--judge", f"openai:j@{server.url}/v1", "--cache"]
        grade(bundle, sheet, "-o", tmp_path / "r.json", *judge, tmp_path / "mine.db")
        amend(bundle, tmp_path / "b2", {"q3": {"accept": ["it falls"]}})
        regrade = ["regrade", str(tmp_path / "r.json"), "--bundle", str(tmp_path / "b2"), "-o"]
        assert main([*regrade, str(tmp_path / "mine.json"), *judge, str(tmp_path / "mine.db")]) == 0
        asked, exported = server.asked, str(tmp_path / "calls.jsonl.gz")
        assert main(["cache", "export", exported, "--cache", str(tmp_path / "mine.db")]) == 0
        assert main(["cache", "import", exported, "--cache", str(tmp_path / "theirs.db")]) == 0
        assert main([*regrade, str(tmp_path / "theirs.json"), *judge, str(tmp_path / "theirs.db")]) == 0
        assert server.asked == asked
    assert (tmp_path / "mine.json").read_bytes() == (tmp_path / "theirs.json").read_bytes()


def test_an_answer_too_long_for_the_report_comes_from_the_sheet(bundle: Path, tmp_path: Path):
    sheet = write_sheet(tmp_path / "s.json", "ann", q3="right " * 900)
    with FakeServer(honest) as server:
        judge = ["--judge", f"openai:j@{server.url}/v1", "--no-cache"]
        grade(bundle, sheet, "-o", tmp_path / "r.json", *judge)
        amend(bundle, tmp_path / "b2", {"q3": {"points": 2}})
        arguments = [str(tmp_path / "r.json"), "--bundle", str(tmp_path / "b2"), "-o", str(tmp_path / "n.json"), *judge]
        assert main(["regrade", *arguments]) == 1
        assert "--answers" in read(tmp_path / "n.json")["results"]["q3"]["detail"]["error"]
        assert main(["regrade", *arguments, "--answers", str(sheet)]) == 0
    assert read(tmp_path / "n.json")["results"]["q3"]["awarded"] == 2.0


@pytest.mark.parametrize(
    ("questions", "fields", "told"),
    [
        ({"q9": {"void": True}}, {}, "which the bundle has no rule for"),
        ({"q1": {"correct": ["Z"]}}, {}, "would break its key"),
        ({"q1": {"correct": True}}, {}, "does not fit q1"),
        ({"q2": {"levels": {"style": [{"points": 1}, {"points": 0}]}}}, {}, "the criterion style"),
        ({"q1": {"void": True}}, {"source": ""}, "without a reason and a source"),
        ({"q1": {"corect": ["B"]}}, {}, "corect"),
        ({"q1": {}}, {}, "changes nothing"),
    ],
)
def test_what_does_not_fit_is_one_sentence(
    bundle: Path, tmp_path: Path, capsys: Any, questions: dict[str, Any], fields: dict[str, Any], told: str
):
    assert amend(bundle, tmp_path / "b2", questions, **fields) in (1, 2)
    err = capsys.readouterr().err
    assert told in err and err.count("\n") == 1 and not (tmp_path / "b2").exists()


def test_a_report_of_another_paper_is_refused(bundle: Path, tmp_path: Path, capsys: Any):
    grade(bundle, write_sheet(tmp_path / "s.json", "ann", q1="A"), "-o", tmp_path / "r.json")
    other = make_bundle(tmp_path / "other", {"q1": RULES["q1"]})
    assert main(["regrade", str(tmp_path / "r.json"), "--bundle", str(other), "-o", str(tmp_path / "n.json")]) == 2
    assert "no revision of this bundle" in capsys.readouterr().err
