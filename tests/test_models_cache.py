"""The call cache: what is one request and what is another, what is kept, and what survives kill -9."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from exam2bench.models.cache import CallCache, StoredReply, call_key
from exam2bench.models.cache_file import export_cache, import_cache
from exam2bench.models.fake_server import FakeReply, FakeServer
from exam2bench.models.gateway import Gateway
from exam2bench.models.outcome import LevelOdds, Usage
from exam2bench.models.request import ImagePart, Level, PdfPart, Request, TextPart, TypedQuestion
from exam2bench.schemas.errors import UsageError


@pytest.fixture(autouse=True)
def no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


MODEL = {"provider": "openai", "name": "m", "base_url": None}
SCHEMA = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "level": {"type": "integer"}},
    "required": ["reason", "level"],
    "additionalProperties": False,
}
BASE = Request((TextPart("q"), ImagePart(b"1")), system="s", schema=SCHEMA)
TURNED = {**SCHEMA, "properties": dict(reversed(SCHEMA["properties"].items()))}


@pytest.mark.parametrize(
    "other",
    [
        replace(BASE, system="t"),
        replace(BASE, parts=(TextPart("r"), ImagePart(b"1"))),
        replace(BASE, parts=(TextPart("q"), ImagePart(b"2"))),
        replace(BASE, parts=(TextPart("q"), ImagePart(b"1", detail="low"))),
        replace(BASE, parts=(ImagePart(b"1"), TextPart("q"))),
        replace(BASE, schema=None),
        replace(BASE, schema=TURNED),
        replace(BASE, effort="low"),
        replace(BASE, max_tokens=9),
        replace(BASE, temperature=0.0),
        replace(BASE, repeat=1),
        replace(BASE, plain=True),
    ],
    ids=lambda other: "",
)
def test_what_shapes_the_reply_is_in_the_key(other: Request) -> None:
    assert call_key(MODEL, other) != call_key(MODEL, BASE)


@pytest.mark.parametrize("same", [replace(BASE, tag="x"), replace(BASE, prefix_parts=1)])
def test_what_does_not_is_not(same: Request) -> None:
    assert call_key(MODEL, same) == call_key(MODEL, BASE)


def test_the_name_of_a_pdf_is_not_in_the_key_and_its_bytes_are() -> None:
    keys = [
        call_key(MODEL, Request((PdfPart(data, name),)))
        for data, name in ((b"a", "x.pdf"), (b"a", "y.pdf"), (b"b", "x.pdf"))
    ]
    assert keys[0] == keys[1] != keys[2]


def test_the_key_is_stable_between_versions() -> None:
    """A change here forgets every user's paid replies: raise LAYOUT only for a good reason."""
    assert call_key(MODEL, BASE) == "e1fc366f6b1dd1e369e937146caae6f11add3c20f8fc40fa519b604e0fef55fe"


def test_the_address_is_part_of_the_model_and_its_spelling_is_not() -> None:
    def key(name: str) -> str:
        return Gateway(name).key(BASE)

    one = key("openai:m@http://127.0.0.1:8000/v1")
    assert one == key("openai:m@http://127.0.0.1:8000/v1/")
    assert key("openai:m@https://EXAMPLE.org:443/v1") == key("openai:m@https://example.org/v1")
    assert len({one, key("openai:m"), key("chat:m@http://127.0.0.1:8000/v1"), key("openai:n")}) == 4


def test_a_second_run_calls_nothing_and_says_what_it_saved(tmp_path: Path) -> None:
    requests = [Request((TextPart(f"q{n}"),), schema=SCHEMA, tag=str(n)) for n in range(20)]
    with FakeServer() as server:
        model = f"openai:m@{server.url}/v1"
        with Gateway(model, cache=CallCache(tmp_path / "c.sqlite")) as gateway:
            first = gateway.run(requests)
        with Gateway(model, cache=CallCache(tmp_path / "c.sqlite")) as gateway:
            second = gateway.run(list(reversed(requests)))
            summary = gateway.summary()
        assert server.asked == 20
    assert [o.value for o in first] == [o.value for o in reversed(second)]
    assert [o.tag for o in second] == [str(n) for n in reversed(range(20))]
    assert all(o.cached and o.attempts == 0 and o.usage == Usage() for o in second)
    assert (summary["calls"], summary["cache_hits"]) == (0, 20)
    assert summary["tokens_saved"]["input"] == sum(o.usage.input for o in first)


def test_the_same_request_twice_in_a_run_is_one_call(tmp_path: Path) -> None:
    with FakeServer() as server, Gateway(f"openai:m@{server.url}/v1") as gateway:
        outcomes = gateway.run([Request((TextPart("q"),), tag="a"), Request((TextPart("q"),), tag="b")])
        assert (server.asked, [o.tag for o in outcomes], [o.cached for o in outcomes]) == (1, ["a", "b"], [False, True])


def test_failures_are_not_replayed_and_refusals_are(tmp_path: Path) -> None:
    said = {"refuse": FakeReply("no", stop="refusal"), "cut": FakeReply("{", stop="length"), "bad": FakeReply("{}")}
    requests = [Request((TextPart(word),), schema=SCHEMA) for word in said]
    with FakeServer(lambda ask: said[next(word for word in said if word in ask.text)]) as server:
        model, counts, statuses = f"openai:m@{server.url}/v1", [], []
        for _ in range(2):
            with Gateway(model, cache=CallCache(tmp_path / "c.sqlite")) as gateway:
                statuses.append([o.status for o in gateway.run(requests)])
            counts.append(server.asked)
    assert statuses[0] == statuses[1] == ["refused", "truncated", "unparseable"]
    assert counts == [4, 7]  # refusal, cut, bad and its re-ask; then all but the refusal


def test_typed_answers_come_back_with_their_odds(tmp_path: Path) -> None:
    question = TypedQuestion("x", (Level("Yes"), Level("No")), "Right?")
    with FakeServer(lambda ask: FakeReply(odds=(0.875, 0.125))) as server:
        for cached in (False, True):
            with Gateway(f"decisions:m@{server.url}/v1", cache=CallCache(tmp_path / "c.sqlite")) as gateway:
                outcome = gateway.run([question])[0]
            assert outcome.cached is cached and outcome.odds is not None
            assert outcome.odds.probabilities == {"Yes": 0.875, "No": 0.125}


def stored(text: str = "ok", **fields: object) -> StoredReply:
    return StoredReply("ok", "openai:m", text, created=1_700_000_000, **fields)  # type: ignore[arg-type]


def test_the_first_reply_counts_for_everyone(tmp_path: Path) -> None:
    with CallCache(tmp_path / "c.sqlite") as one, CallCache(tmp_path / "c.sqlite") as two:
        assert one.put("0" * 64, stored("first")).text == "first"
        assert two.put("0" * 64, stored("second")).text == "first"


def test_export_and_import_carry_everything(tmp_path: Path) -> None:
    odds = LevelOdds({"Yes": 0.9, "No": 0.1}, 0.01, 0.1)
    reply = stored("π \\frac", odds=odds, usage=Usage(1, 2, 3, 4, 5), seconds=1.5, reported="m-1", stop="end")
    with CallCache(tmp_path / "a.sqlite") as cache:
        cache.put("ab" * 32, reply)
        cache.put("00" * 32, replace(stored(), asked="chat:other"))
        assert export_cache(cache, tmp_path / "a.jsonl.gz") == 2
        assert export_cache(cache, tmp_path / "b.jsonl.gz") == 2
        assert export_cache(cache, tmp_path / "c.jsonl", model="chat:other") == 1
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()
    with CallCache(tmp_path / "new.sqlite") as cache:
        assert import_cache(cache, tmp_path / "a.jsonl.gz") == (2, 0)
        assert import_cache(cache, tmp_path / "c.jsonl") == (0, 1)
        assert cache.get("ab" * 32) == reply


HEADER = '{"format": "exam2bench-call-cache", "version": 1}\n'


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "is empty"),
        ("hello\n", "line 1"),
        ('{"format": "exam2bench-call-cache", "version": 2}\n', "newer version"),
        (HEADER + '{"key": "../../etc", "asked": "m", "status": "ok"}\n', "line 2: key"),
        (HEADER + json.dumps({"key": "0" * 64, "asked": "m", "status": "unparseable"}) + "\n", "line 2: status"),
        (HEADER + json.dumps({"key": "0" * 64, "asked": "m", "status": "ok", "usage": {"evil": 1}}), "line 2: usage"),
    ],
)
def test_a_bad_file_adds_nothing_and_is_named(content: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(content)
    with CallCache(tmp_path / "c.sqlite") as cache, pytest.raises(UsageError, match=words):
        import_cache(cache, tmp_path / "x.jsonl")
    with CallCache(tmp_path / "c.sqlite") as cache:
        assert cache.stats()["replies"] == 0


def test_a_foreign_file_is_left_alone(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / "other.sqlite")
    db.execute("CREATE TABLE mine (a)")
    db.commit()
    with pytest.raises(UsageError, match="database of another program"):
        CallCache(tmp_path / "other.sqlite")
    (tmp_path / "text").write_text("not a database, and longer than a header of SQLite would be " * 5)
    with pytest.raises(UsageError, match="cannot be used as a call cache"):
        CallCache(tmp_path / "text")


def test_prune_needs_a_limit_and_keeps_to_it(tmp_path: Path) -> None:
    with CallCache(tmp_path / "c.sqlite") as cache:
        cache.put("0" * 64, stored())
        cache.put("1" * 64, replace(stored(), created=int(time.time())))
        with pytest.raises(UsageError, match="prune needs a limit"):
            cache.prune()
        assert cache.prune(before=1_700_000_001) == 1
        assert cache.prune(model="openai:other") == 0
        assert cache.prune(model="openai:m") == 1


def test_no_key_is_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "sk-very-secret-0123456789"
    monkeypatch.setenv("OPENAI_API_KEY", secret)
    with FakeServer(key=secret) as server:
        with Gateway(f"openai:m@{server.url}/v1", cache=CallCache(tmp_path / "c.sqlite")) as gateway:
            assert gateway.run([Request((TextPart("q"),))])[0].ok
        with CallCache(tmp_path / "c.sqlite") as cache:
            export_cache(cache, tmp_path / "x.jsonl")
    for path in tmp_path.iterdir():
        assert secret.encode() not in path.read_bytes()


WORKER = """
import sys
from exam2bench.models.cache import CallCache
from exam2bench.models.gateway import Gateway
from exam2bench.models.request import Request, TextPart
with Gateway(sys.argv[1], cache=CallCache(sys.argv[2]), concurrency=8) as gateway:
    gateway.run([Request((TextPart(f"question {n}"),)) for n in range(int(sys.argv[3]))])
"""


def test_killed_again_and_again_it_loses_only_what_was_in_flight(tmp_path: Path) -> None:
    """kill -9 at random moments, until a run gets through: every answered call but those in flight is kept."""
    total, kills = 150, 0
    with FakeServer(latency=0.02) as server:
        command = [sys.executable, "-c", WORKER, f"openai:m@{server.url}/v1", str(tmp_path / "c.sqlite"), str(total)]
        for round_number in range(12):
            asked = server.asked
            process = subprocess.Popen(command, env={**os.environ, "OPENAI_API_KEY": "x"})
            deadline = time.monotonic() + 30
            # kill once this round has asked some more, at another moment of a call each time
            while process.poll() is None and server.asked < asked + 5 + round_number and time.monotonic() < deadline:
                time.sleep(0.002)
            time.sleep(0.003 * (round_number % 5))
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
                kills += 1
            process.wait()
        with CallCache(tmp_path / "c.sqlite") as cache:
            kept = cache.stats()["replies"]
        assert kept <= server.asked <= kept + 8 * kills
        assert subprocess.run(command, env={**os.environ, "OPENAI_API_KEY": "x"}, timeout=60).returncode == 0
        with CallCache(tmp_path / "c.sqlite") as cache:
            assert cache.stats()["replies"] == total
            assert cache._db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert kills >= 8
        assert server.asked <= total + 8 * kills
        # what was kept was never asked again
        assert sum(count > 1 for count in server.paid.values()) <= 8 * kills


def test_two_processes_share_a_file(tmp_path: Path) -> None:
    with FakeServer(latency=0.005) as server:
        command = [sys.executable, "-c", WORKER, f"openai:m@{server.url}/v1", str(tmp_path / "c.sqlite"), "60"]
        both = [subprocess.Popen(command, env={**os.environ, "OPENAI_API_KEY": "x"}) for _ in range(2)]
        assert [process.wait(60) for process in both] == [0, 0]
    with CallCache(tmp_path / "c.sqlite") as cache:
        assert cache.stats()["replies"] == 60


OPENER = (
    "import sys; from exam2bench.models.cache import CallCache; sys.stdin.readline(); CallCache(sys.argv[1]).close()"
)


def test_processes_that_create_a_file_at_the_same_moment(tmp_path: Path) -> None:
    """Before, one saw the tables of another without its mark ("a database of another program") or was locked out."""
    for number in range(5):
        path = str(tmp_path / f"{number}.sqlite")
        openers = [
            subprocess.Popen([sys.executable, "-c", OPENER, path], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
            for _ in range(6)
        ]
        time.sleep(0.3)  # until all of them wait for the line
        for opener in openers:
            assert opener.stdin
            opener.stdin.write(b"\n")
            opener.stdin.flush()
        assert [opener.communicate(timeout=60)[1] for opener in openers] == [b""] * 6


def test_threads_of_one_process_each_with_its_own_handle(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"
    CallCache(path).close()

    def write(start: int) -> None:
        with CallCache(path) as cache:
            for number in range(start, start + 50):
                cache.put(f"{number:064x}", stored())

    threads = [threading.Thread(target=write, args=(start,)) for start in (0, 25, 50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with CallCache(path) as cache:
        assert cache.stats()["replies"] == 100
