"""`exam2bench ingest --model` as a user calls it: the report, dry run, explain, resume, cost cap, usage."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from exam2bench.cli import main
from exam2bench.models import batch
from exam2bench.models.fake_server import Ask, FakeReply, FakeServer
from exam2bench.schemas.bundle import load_bundle
from exam2bench.schemas.validation import validate_bundle

from .frontier_sample import SAMPLES, Reply, entry, handler

SOURCES = [str(SAMPLES / f"{name}.pdf") for name in ("paper", "key", "markscheme")]


LAST_PAGE = [*SOURCES, "--pages", "paper.pdf=5"]
"""Four calls: inventory, one window of questions, key, mark scheme."""


_TOLD = ("type", "points", "rubric")


def ingest(capsys, *arguments: object) -> tuple[int, str, str]:
    code = main(["ingest", *map(str, arguments)])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture(scope="module")
def bundle(tmp_path_factory) -> tuple[Path, str, int]:
    """(bundle, what was printed, calls), read once with right replies."""
    folder = tmp_path_factory.mktemp("model")
    with FakeServer(handler()) as server:
        model = f"chat:any@{server.url}/v1"
        cache = folder / "calls.sqlite"
        done = subprocess.run(
            [sys.executable, "-m", "exam2bench.cli", "ingest", *SOURCES, "-o", folder / "bundle", "--model", model,
             "--price", "1,2", "--cache", cache],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return folder / "bundle", done.stdout, server.asked


def test_the_bundle_keeps_the_contract_and_says_how_it_was_read(bundle):
    path, out, asked = bundle
    assert [finding for finding in validate_bundle(path) if finding.severity != "info"] == []
    reading = load_bundle(path).manifest.reading
    assert reading is not None
    assert len(reading.windows) == asked == 5
    lines = out.splitlines()
    assert lines[1].startswith("32 questions in 7 sections")
    assert any(line.startswith("  questions ") and " 2 " in line and "$0.0" in line for line in lines)


def test_explain_shows_words_boxes_witness_and_round(bundle, capsys):
    path, _, _ = bundle
    code, out, _ = ingest(capsys, "--explain", "b.Q4", path)
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "B.q4: verified, 100% of its text found on the page"
    assert "  prompt: from both, which agree, 100% found" in lines
    assert any(line.startswith("    paper.pdf, page 3, (") for line in lines)
    code, out, _ = ingest(capsys, "--explain", "B.q4", path, "--json")
    fields = {one["field"]: one for one in json.loads(out)["fields"]}
    assert fields["key"]["words"] == "numeric: 30 cm"
    assert fields["prompt"]["regions"][0]["page"] == 2


def test_explain_names_what_it_has_where_the_question_is_unknown(bundle, capsys):
    path, _, _ = bundle
    code, _, err = ingest(capsys, "--explain", "q99", path)
    assert code == 2
    assert "has no question q99; it has g1-2, q1," in err


def test_the_dry_run_shows_windows_calls_tokens_and_price_and_sends_nothing(tmp_path, capsys):
    with FakeServer(handler()) as server:
        flags = ["--model", f"chat:any@{server.url}/v1", "--dry-run", "--price", "1,2", "--no-cache"]
        code, out, _ = ingest(capsys, *SOURCES, "-o", tmp_path / "bundle", *flags)
        assert (code, server.asked, (tmp_path / "bundle").exists()) == (0, 0, False)
        lines = out.splitlines()
        assert lines[0] == "5 windows:"
        assert "  questions questions 1. to 6. (paper.pdf, pages 1 to 3) (3 pages, 14 known)" in lines
        assert any("5 calls to make, 0 in the cache" in line for line in lines)
        assert any(line.startswith("cost $") for line in lines)
        code, out, _ = ingest(capsys, *SOURCES, "-o", tmp_path / "bundle", *flags, "--json")
        (plan,) = json.loads(out)
        assert (plan["calls"], len(plan["windows"])) == (5, 5)


def test_the_same_command_again_asks_only_what_failed(tmp_path, capsys):
    broken = True

    def answer(ask: Ask) -> Reply | FakeReply:
        if broken and "Section D: Writing" in ask.text:
            return FakeReply("busy", status=500)
        return handler()(ask)

    with FakeServer(answer) as server:
        flags = ["--model", f"chat:any@{server.url}/v1", "--cache", tmp_path / "calls.sqlite", "--deadline", "1"]
        code, out, _ = ingest(capsys, *LAST_PAGE, "-o", tmp_path / "bundle", *flags)
        assert code == 0
        assert "brought no reading of" in out
        answered = sum(server.paid.values())
        broken = False
        code, out, _ = ingest(capsys, *LAST_PAGE, "-o", tmp_path / "bundle", *flags, "--force")
        assert "brought no reading of" not in out
        assert sum(server.paid.values()) == 4
        assert answered < 4
        assert set(server.paid.values()) == {1}
        before = server.asked
        code, out, _ = ingest(capsys, *LAST_PAGE, "-o", tmp_path / "bundle", *flags, "--force")
        assert (code, server.asked) == (0, before)


def third_call_hangs() -> FakeServer:
    """A server that answers twice and then keeps its caller waiting, so that a stop always meets a call in flight."""
    replies, sent = handler(), []

    def reply(ask: Ask) -> Reply:
        sent.append(ask)
        if len(sent) == 2:
            server.latency = 60.0
        return replies(ask)

    server = FakeServer(reply)
    return server


def started(server: FakeServer, command: list[object]) -> subprocess.Popen[str]:
    """The command, once its third call is under way."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 60
    while server.asked < 3 and time.monotonic() < until:  # the third is asked when the second is kept
        time.sleep(0.02)
    return process


# a job in the background is started with interrupts ignored, and its children inherit that
INTERRUPTIBLE = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from exam2bench.cli import main; sys.exit(main(sys.argv[1:]))"
)


def one_by_one(server: FakeServer, folder: Path, *arguments: object) -> list[object]:
    command = [sys.executable, "-c", INTERRUPTIBLE, "ingest", *arguments, "-o", folder / "bundle"]
    model = f"chat:any@{server.url}/v1"
    return [*command, "--model", model, "--cache", folder / "calls.sqlite", "--concurrency", "1"]


def test_killed_anywhere_and_run_again_only_the_missing_calls_are_made(tmp_path):
    with third_call_hangs() as server:
        command = one_by_one(server, tmp_path, *SOURCES)
        process = started(server, command)
        answered = set(server.paid)
        process.kill()
        process.communicate(timeout=60)
        assert not (tmp_path / "bundle").exists()
        assert 2 <= len(answered) < 4
        server.latency = 0.0
        assert subprocess.run(command, capture_output=True, check=False).returncode == 0
        # what was in flight when the program died may have been answered to nobody; nothing else is asked twice
        assert [server.paid[digest] for digest in answered] == [1] * len(answered)
        assert sum(count > 1 for count in server.paid.values()) <= 1


def test_interrupted_by_the_keyboard_it_says_so_and_the_same_command_goes_on(tmp_path):
    with third_call_hangs() as server:
        command = one_by_one(server, tmp_path, *LAST_PAGE)
        process = started(server, command)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 130
        assert (out, err) == ("", "exam2bench ingest: stopped\n")
        assert sorted(path.name for path in tmp_path.iterdir() if "sqlite" not in path.name) == []
        server.latency = 0.0
        assert subprocess.run(command, capture_output=True, check=False).returncode == 0
        assert len(server.paid) == 4
        assert sum(count > 1 for count in server.paid.values()) <= 1


@pytest.mark.parametrize("service", ["openai", "anthropic"])
def test_through_a_batch_service_the_bundle_is_the_same_and_costs_half(service, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(batch, "FIRST_POLL", 0.01)
    with FakeServer(handler()) as server:
        model = f"{service}:any@{server.url}" + ("" if service == "anthropic" else "/v1")
        flags = ["--model", model, "--price", "1,2", "--cache", tmp_path / "calls.sqlite"]
        code, _, err = ingest(capsys, *LAST_PAGE, "-o", tmp_path / "batch", *flags, "--batch")
        assert code == 0, err
        assert (server.batches.submitted, server.asked) == (4, 4)
        read = load_bundle(tmp_path / "batch").manifest.reading
        assert read is not None
        (stages,) = read.stages.values()
        tokens = sum(stage["tokens_in"] + 2 * stage["tokens_out"] for stage in stages.values())
        assert sum(stage["cost_usd"] for stage in stages.values()) == pytest.approx(tokens / 2e6, rel=1e-3)
        # the same command live: all replies are kept, and the bundle is the same
        code, _, _ = ingest(capsys, *LAST_PAGE, "-o", tmp_path / "live", *flags)
        assert (code, server.asked) == (0, 4)
        assert (tmp_path / "live/exam.json").read_bytes() == (tmp_path / "batch/exam.json").read_bytes()


def test_a_second_model_estimates_what_the_first_one_missed(tmp_path, capsys):
    def miss(name: str, reply: Reply, ask: Ask) -> None:
        if name == "questions":
            reply["questions"] = [one for one in reply["questions"] if one["ref"] not in ("d2b2", "d1")]

    with FakeServer(handler(miss)) as first, FakeServer(handler()) as second:
        models = [f"chat:one@{first.url}/v1", "--witness", f"chat:two@{second.url}/v1"]
        flags = ["--price", "1,2", "--no-cache", "--model", *models]
        code, out, _ = ingest(capsys, *LAST_PAGE, "-o", tmp_path / "bundle", *flags)
        assert code == 0
        lines = out.splitlines()
        assert "questions: 2 in the first reading, 4 in the second, 2 in both" in out
        assert [line for line in lines if line.startswith("chat:")] == [models[0], models[2]]
        reading = load_bundle(tmp_path / "bundle").manifest.reading
        assert reading is not None
        opinion = reading.second_opinion
        assert opinion is not None
        assert {n: opinion["questions"][n] for n in ("first", "second", "both")} == {"first": 2, "second": 4, "both": 2}
        assert opinion["questions"]["missed_by_first"] == 2
        assert all(line in lines for line in opinion["lines"])
        assert sum(second.paid.values()) == 4


def test_the_cap_holds_for_both_models_together(tmp_path, capsys):
    with FakeServer(handler()) as first, FakeServer(handler()) as second:
        flags = ["--price", "1,0", "--no-cache", "--concurrency", "1", "--model", f"chat:one@{first.url}/v1"]
        assert ingest(capsys, *LAST_PAGE, "-o", tmp_path / "alone", *flags)[0] == 0
        usage = load_bundle(tmp_path / "alone").manifest.usage
        assert usage is not None
        flags += ["--witness", f"chat:two@{second.url}/v1", "--max-cost", str(1.5 * usage["cost_usd"])]
        code, _, err = ingest(capsys, *LAST_PAGE, "-o", tmp_path / "bundle", *flags)
        assert code == 4, err
        assert first.asked == 8
        assert 1 <= second.asked < 4


def test_a_refused_page_is_named_where_a_person_reads(tmp_path, capsys):
    def refuse(name: str, reply: Reply, ask: Ask) -> FakeReply | None:
        return FakeReply("I cannot help with that.", stop="refusal") if name == "questions" else None

    with FakeServer(handler(refuse)) as server:
        flags = ["--model", f"chat:any@{server.url}/v1", "--no-cache"]
        code, out, _ = ingest(capsys, *LAST_PAGE, "-o", tmp_path / "bundle", *flags)
    assert code == 0
    (line,) = [line for line in out.splitlines() if "refused to read" in line]
    assert "(paper.pdf, page 5); its questions come from the layout engine" in line


def test_explain_tells_the_round_that_settled_a_field(tmp_path, capsys):
    """The model takes a question for a drawing; asked again, it sees that it is none. Points that it misread are set
    right by the page, and nothing that was said of the misreading stays."""

    def doubt(name: str, reply: Reply, ask: Ask) -> Reply | None:
        if name == "questions":
            entry(reply, "d2a").update(type="drawing", points=3)
        if name == "settle":
            return {"decisions": [{"item": 1, "seen": "short_answer", "reading": "A"}]}
        return None

    with FakeServer(handler(doubt)) as server:
        flags = ["--model", f"chat:any@{server.url}/v1", "--no-cache"]
        code, out, _ = ingest(capsys, *LAST_PAGE, "-o", tmp_path / "bundle", *flags)
        assert code == 0
    code, out, _ = ingest(capsys, "--explain", "(a)", tmp_path / "bundle")
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "q2.a: verified, 100% of its text found on the page"
    type_, points, rubric = (next(n for n, s in enumerate(lines) if s.startswith(f"  {f}:")) for f in _TOLD)
    assert lines[type_ : type_ + 2] == ["  type: from the layout engine, settled in round 1", "    “short_answer”"]
    assert lines[points : points + 2] == ["  points: from the layout engine", "    “2”"]
    assert lines[rubric].startswith("  rubric: from ")
    places = [line.split(", (")[0] for line in lines[rubric + 2 :]]
    assert places == ["    key.pdf, page 1", "    markscheme.pdf, page 2"]


def test_the_cost_cap_stops_before_the_call_and_keeps_what_is_done(tmp_path, capsys):
    with FakeServer(handler()) as server:
        flags = ["--model", f"chat:any@{server.url}/v1", "--cache", tmp_path / "calls.sqlite", "--price", "1,2"]
        flags += ["--concurrency", "1", "--max-cost"]
        code, _, err = ingest(capsys, *LAST_PAGE, "-o", tmp_path / "bundle", *flags, "0.04")
        assert code == 4, err
        assert 1 <= server.asked < 4
        assert not (tmp_path / "bundle").exists()
        code, _, _ = ingest(capsys, *LAST_PAGE, "-o", tmp_path / "bundle", *flags, "5")
        assert (code, server.asked) == (0, 4)


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["-o", "b", "--engine", "model"], "no model is named"),
        (["-o", "b", "--engine", "layout", "--model", "chat:x@http://127.0.0.1:1/v1"], "--engine layout asks no model"),
        (["-o", "b", "--witness", "chat:x@http://127.0.0.1:1/v1"], "--witness goes with a model"),
        (["-o", "b", "--dry-run"], "--dry-run goes with a model"),
        ([], "Name the folder of the new bundle"),
    ],
)
def test_what_cannot_be_meant_is_said_in_one_sentence(flags, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, err = ingest(capsys, SOURCES[0], *flags)
    assert code == 2
    assert words in err
    assert len(err.strip().splitlines()) == 1
