"""Models sit small exams on the fake server: one pool, each failure its own row, nothing paid twice, exact rows."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from exam2bench.models.cache import CallCache
from exam2bench.models.fake_server import FakeReply, FakeServer
from exam2bench.schemas.bundle import load_bundle

from .benched import bench, choice, group, make_bundle, playing, record, written

EIGHT = [choice(f"q{number}", page=number // 3) for number in range(1, 9)]


def wrong(*names: str) -> dict[str, Any]:
    return dict.fromkeys(names, "B")


def rows(out: Path) -> dict[str, dict[str, Any]]:
    """Model rows by the model's bare name."""
    return {row["model"].partition(":")[2].partition("@")[0] or row["model"]: row for row in record(out)["models"]}


def test_every_model_has_its_row_and_one_failure_is_its_own(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    exam = make_bundle(tmp_path / "exam", EIGHT).root
    refusing = dict.fromkeys([f"q{n}" for n in range(1, 9)], FakeReply("No.", stop="refusal"))
    answers = {"weak": wrong("q1", "q2", "q3"), "refusing": refusing, "cut": {"q5": FakeReply("{", stop="length")}}
    with FakeServer(playing(answers)) as server:
        models = ["strong", "weak", "refusing", "cut", "openai:no-key", "chat:down@http://127.0.0.1:9/v1", "nonsense:x"]
        assert bench(server, [exam], models, tmp_path / "out") == 1
    found = rows(tmp_path / "out")
    scores = {name: row["score"] and row["score"]["value"] for name, row in found.items()}
    assert scores == {
        "strong": 1.0, "cut": 0.875, "weak": 0.625, "refusing": 0.0, "no-key": None, "down": None, "x": None,
    }  # fmt: skip
    assert "OPENAI_API_KEY" in found["no-key"]["why"] and "reached" in found["down"]["why"]
    assert "names no model" in found["x"]["why"] and found["strong"]["why"] is None
    assert [row["rank"] for row in found.values()][-3:] == [None] * 3
    lost = {name: found[name]["lost"] for name in ("weak", "refusing", "cut")}
    assert (lost["weak"]["content"], lost["weak"]["format"]) == (3.0, 0.0)
    assert (lost["refusing"]["content"], lost["refusing"]["format"]) == (0.0, 8.0)
    assert lost["cut"]["reasons"] == {"truncated": {"questions": 1, "points": 1.0}}
    codes = [found["code"] for found in record(tmp_path / "out")["findings"]]
    assert codes.count("bench.model_failed") == 3 and "bench.few_groups" in codes
    for run in record(tmp_path / "out")["runs"]:
        assert (run["status"] == "done") == bool(run["sheet"]) == bool(run["report"])
        for name in (run["sheet"], run["report"]):
            assert name is None or json.loads((tmp_path / "out" / name).read_text())["taker"] == run["model"]
    shown = capsys.readouterr().out
    assert "refusing: format means 8 refused." in shown and all(len(line) <= 80 for line in shown.splitlines())


def test_no_model_at_all_ends_with_what_stopped_the_first(tmp_path):
    exam = make_bundle(tmp_path / "exam", EIGHT).root
    with FakeServer() as server:
        assert bench(server, [exam], ["nonsense:x"], tmp_path / "one") == 2
        assert bench(server, [exam], ["llama:no-such-model"], tmp_path / "local") in (2, 3)
        assert "no-such-model" in record(tmp_path / "local")["models"][0]["why"]
        assert bench(server, [exam], ["chat:down@http://127.0.0.1:9/v1"], tmp_path / "two") == 3
    assert record(tmp_path / "two")["models"][0]["score"] is None


def test_one_pool_over_models_and_bundles_and_repeats_in_order(tmp_path):
    """Four sittings of two bundles by two models overlap; a model's second sitting begins after its first."""
    exams = [make_bundle(tmp_path / name, EIGHT, name).root for name in ("one", "two")]
    with FakeServer(playing({}), latency=0.05) as server:
        flags = ("--repeat", "2", "--concurrency", "4")
        assert bench(server, exams, ["m", "n"], tmp_path / "out", *flags) == 0
        # both exams have the same questions, so the second one's replies are the first one's: 8 × 2 models × 2
        assert (server.asked, server.most_at_once) == (32, 8)
        mine = [ask.text.rpartition("<q")[2][0] for ask in server.asks if ask.model == "m"]
    assert sorted(mine[:8]) == sorted(mine[8:]) == [str(n) for n in range(1, 9)]
    runs = [run for run in record(tmp_path / "out")["runs"] if "m@" in run["model"]]
    assert [(run["exam_id"], run["repeat"]) for run in runs] == [("one", 1), ("two", 1), ("one", 2), ("two", 2)]


def test_killed_and_started_again_it_pays_only_for_what_is_missing(tmp_path):
    questions = [choice(f"q{number}") for number in range(40)]
    exam = make_bundle(tmp_path / "exam", questions).root
    with FakeServer(playing({"n": wrong("q0", "q9")}), latency=0.05) as server:
        models = [f"chat:{name}@{server.url}/v1" for name in ("m", "n")]
        call = [sys.executable, "-m", "exam2bench.cli", "bench", str(exam), "--model", *models, "--no-plots"]
        call += ["-o", str(tmp_path / "out"), "--cache", str(tmp_path / "cache.sqlite"), "--concurrency", "2"]
        running = subprocess.Popen(call, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 60
        while server.asked < 30 and time.monotonic() < until:
            time.sleep(0.01)
        os.kill(running.pid, signal.SIGKILL)
        running.wait()
        with CallCache(tmp_path / "cache.sqlite") as cache:
            kept = cache.stats()["replies"]
        before = server.asked
        assert 20 <= kept < 80 and not (tmp_path / "out" / "bench.json").exists()
        assert bench(server, [exam], ["m", "n"], tmp_path / "out") == 0
        assert server.asked - before == 80 - kept
        first = record(tmp_path / "out")
        assert bench(server, [exam], ["m", "n"], tmp_path / "out") == 0
        assert server.asked - before == 80 - kept
    again = record(tmp_path / "out")
    assert {**again, "created_at": ""} == {**first, "created_at": ""}
    assert [round(row["score"]["value"], 3) for row in again["models"]] == [1.0, 0.95]


def test_a_budget_is_one_for_all_models_and_the_same_command_goes_on(tmp_path, capsys):
    exam = make_bundle(tmp_path / "exam", EIGHT).root
    with FakeServer(playing({})) as server:
        flags = ("--price", "1,1", "--max-tokens", "1000", "--concurrency", "1")
        assert bench(server, [exam], ["m", "n"], tmp_path / "out", *flags, "--max-cost", "0.0018") == 4
        assert "--max-cost $0.0018 is spent" in capsys.readouterr().err
        asked = server.asked
        assert 0 < asked < 16
        assert bench(server, [exam], ["m", "n"], tmp_path / "out", *flags, "--max-cost", "1") == 0
        assert server.asked == 16
    costs = [row["cost_usd"] for row in record(tmp_path / "out")["models"]]
    assert all(cost > 0 for cost in costs)


def test_a_dry_run_sends_nothing_and_says_what_it_would_cost(tmp_path, capsys):
    exam = make_bundle(tmp_path / "exam", [*EIGHT, written("q9")]).root
    with FakeServer() as server:
        flags = ("--repeat", "3", "--judge", f"chat:judge@{server.url}/v1", "--price", "1,2", "--dry-run")
        assert bench(server, [exam], ["m", "nonsense:x"], tmp_path / "out", *flags) == 0
        assert server.asked == 0 and not (tmp_path / "out").exists()
    shown = capsys.readouterr().out
    assert "27 calls to make" in shown and "model nonsense:x: 'nonsense:x' names no model" in shown
    # two models, three sittings, one written answer each
    assert "judge chat:judge" in shown and "6 calls to make" in shown and "together 33 calls, $0.0" in shown


def test_judges_of_all_bundles_share_a_pool_and_one_that_fails_leaves_the_others(tmp_path):
    exams = [
        make_bundle(tmp_path / name, [choice("q1"), written(f"{name}1"), written(f"{name}2")], name) for name in "ab"
    ]
    answers = {"m": {name: f"right, says {name}" for name in ("a1", "a2", "b1")}}
    with FakeServer(playing(answers, "A"), latency=0.05) as server:
        judges = [f"chat:judge@{server.url}/v1", f"chat:second@{server.url}/v1", "openai:"]
        flags = ("--judge", *judges)
        assert bench(server, [one.root for one in exams], ["m"], tmp_path / "out", *flags) == 1
        assert server.most_at_once == 8
    (row,) = record(tmp_path / "out")["models"]
    assert (row["rule"]["value"], row["judged"]["value"], row["score"]["value"]) == (1.0, 0.75, 0.8)
    codes = {found["code"] for found in record(tmp_path / "out")["findings"]}
    assert "bench.judge_failed" in codes and "bench.no_judge" not in codes
    report = json.loads((tmp_path / "out" / record(tmp_path / "out")["runs"][0]["report"]).read_text())
    assert len(report["results"]["a1"]["judge_verdicts"]) == 2


def test_without_a_judge_the_written_points_are_said_to_be_missing(tmp_path):
    exam = make_bundle(tmp_path / "exam", [choice("q1"), written("q2")]).root
    with FakeServer(playing({})) as server:
        bench(server, [exam], ["m"], tmp_path / "out")
    (row,) = record(tmp_path / "out")["models"]
    assert row["judged"] is None and row["covered"] == pytest.approx(1 / 3) and row["lost"]["ungraded"] == 2.0
    told = {found["code"]: found["message"] for found in record(tmp_path / "out")["findings"]}
    assert told["bench.no_judge"] == "2 of 3 points only a judge can grade: the scores are of the rest"
    assert "bench.uncovered" not in told


def test_blind_sittings_measure_what_pictures_are_worth(tmp_path):
    """Of four questions with a picture, two need it; one without picture is the same call both times."""
    questions = [choice(f"p{number}", picture=True) for number in range(4)] + [choice("q1")]
    exam = make_bundle(tmp_path / "exam", questions).root
    needs = dict.fromkeys(("p0", "p1"), lambda ask: "A" if ask.images else "B")
    with FakeServer(playing({"m": needs})) as server:
        assert bench(server, [exam], ["m"], tmp_path / "out", "--blind") == 0
        assert server.asked == 9
    (row,) = record(tmp_path / "out")["necessity"]
    assert (row["seen"], row["blind"], row["difference"]["value"]) == (1.0, 0.5, 0.5)
    assert row["difference"]["questions"] == 4 and row["type"] is None
    assert len(record(tmp_path / "out")["runs"]) == 2


def test_keys_to_be_doubted_come_with_their_page(tmp_path):
    """q8's key is B: the three strongest answer A, the weakest B. Nobody finds q5, and all name the same option."""
    exam = make_bundle(tmp_path / "exam", EIGHT, keys={"q8": "B", "q5": "C"}).root
    answers = {
        "m1": {}, "m2": wrong("q1"), "m3": wrong("q1"),
        "m4": wrong("q1", "q2"), "m5": wrong("q1", "q2", "q3", "q8"), "m6": wrong("q1", "q2", "q3", "q4", "q8"),
    }  # fmt: skip
    with FakeServer(playing(answers)) as server:
        bench(server, [exam], list(answers), tmp_path / "out")
    found = {one["where"]["question"]: one for one in record(tmp_path / "out")["findings"] if one["where"]["question"]}
    assert found["q8"]["code"] == "item.suspect_key"
    told = "the 3 strongest models miss what the 2 weakest get; 3 of 3 sittings answer A (paper.pdf, page 3)"
    assert found["q8"]["message"] == told
    assert found["q5"]["code"] == "item.all_missed"
    assert found["q5"]["message"] == "none of 6 models earns a point; 6 of 6 sittings answer A (paper.pdf, page 2)"
    items = {item["question"]: item for item in record(tmp_path / "out")["items"]}
    assert items["q8"]["difficulty"] == pytest.approx(1 / 3) and items["q8"]["discrimination"] < -0.8
    assert items["q5"]["discrimination"] is None and set(found) == {"q5", "q8"}


def test_rotated_questions_are_asked_in_every_rotation(tmp_path):
    exam = make_bundle(tmp_path / "exam", EIGHT[:2]).root
    with FakeServer(playing({})) as server:
        assert bench(server, [exam], ["always-first"], tmp_path / "out", "--rotate", "all") == 0
        assert server.asked == 8
    (row,) = record(tmp_path / "out")["models"]
    # whoever always answers A is right in one rotation of four, and so in none
    assert row["score"]["value"] == 0.0


def test_limits_and_questions_leave_the_denominator(tmp_path):
    exam = make_bundle(tmp_path / "exam", EIGHT).root
    with FakeServer(playing({"m": wrong("q3")})) as server:
        assert bench(server, [exam], ["m"], tmp_path / "out", "--questions", "q3", "q4", "q5", "--limit", "2") == 0
        assert server.asked == 2
        assert bench(server, [exam], ["m"], tmp_path / "two", "--questions", "nothing") == 2
    (row,) = record(tmp_path / "out")["models"]
    assert (row["score"]["value"], row["possible"], row["covered"]) == (0.5, 2.0, 1.0)


@pytest.mark.parametrize(
    "flags, told",
    [
        (("--repeat", "0"), "--repeat 0"),
        (("--limit", "0"), "at least one question"),
        (("--blind", "--text-only"), "choose one"),
        (("--price", "other=1,2"), "names no --model and no --judge"),
        (("--rotate", "some"), "--rotate 'some'"),
    ],
)
def test_wrong_flags_are_one_sentence(tmp_path, capsys, flags, told):
    exam = make_bundle(tmp_path / "exam", EIGHT[:1]).root
    with FakeServer() as server:
        assert bench(server, [exam], ["m"], tmp_path / "out", *flags) == 2
        assert told in capsys.readouterr().err
        assert bench(server, [exam], ["m", "m"], tmp_path / "out") == 2
        assert bench(server, [exam], ["m"], exam) == 2
        assert server.asked == 0


def test_one_exam_twice_and_a_full_folder_are_refused(tmp_path, capsys):
    first, second = (make_bundle(tmp_path / name, EIGHT[:1]).root for name in ("first", "second"))
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("mine")
    with FakeServer() as server:
        assert bench(server, [first, second], ["m"], tmp_path / "out") == 1
        assert "two bundles hold the exam 'exam'" in capsys.readouterr().err
        assert bench(server, [first], ["m"], tmp_path / "full") == 2
        assert server.asked == 0


def test_a_bundles_facts_are_in_the_record(tmp_path):
    bundle = make_bundle(tmp_path / "exam", [group("g", [choice("g.a"), choice("g.b", picture=True)]), written("q2")])
    with FakeServer(playing({})) as server:
        bench(server, [bundle.root], ["m"], tmp_path / "out", "--limit", "2")
    (exam,) = record(tmp_path / "out")["exams"]
    assert exam["bundle_digest"] == load_bundle(bundle.root).digest()
    kinds = {name: (q["group"], q["decided_by"], q["needs_image"], q["asked"]) for name, q in exam["questions"].items()}
    assert kinds == {
        "g.a": ("g", "rule", False, True), "g.b": ("g", "rule", True, True), "q2": ("q2", "judge", False, False),
    }  # fmt: skip


def test_a_bench_through_the_batch_service_is_the_live_one_at_half_the_price(tmp_path):
    """Sitters and judge; the same command again asks for nothing."""
    exam = make_bundle(tmp_path / "exam", [*EIGHT, written("w1")]).root
    answers = {"m": {**wrong("q2"), "w1": "right, says m"}, "n": {"w1": "no"}}
    found = {}
    for way, flags in (("live", ()), ("batch", ("--batch",))):
        with FakeServer(playing(answers), polls=2) as server:
            models = [f"openai:{name}@{server.url}/v1" for name in "mn"]
            flags = (*flags, "--judge", f"openai:judge@{server.url}/v1", "--price", "2,2")
            for asked in (20, 20):
                assert bench(server, [exam], models, tmp_path / way, *flags) == 0
                assert (server.asked, server.stats()["batch_items"]) == (asked, asked if way == "batch" else 0)
        found[way] = record(tmp_path / way)["models"]
    for live, batch in zip(found["live"], found["batch"], strict=True):
        assert live["score"] == batch["score"] and live["judged"] == batch["judged"]
        assert batch["cost_usd"] == pytest.approx(live["cost_usd"] / 2)
        assert batch["judge_cost_usd"] == pytest.approx(live["judge_cost_usd"] / 2)
