"""The batch services with the real SDKs: submitted, resumed, collected in any order, failed items sent again."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from exam2bench.models import batch
from exam2bench.models.cache import CallCache
from exam2bench.models.fake_server import Ask, FakeReply, FakeServer, Faults
from exam2bench.models.gateway import Gateway
from exam2bench.models.prices import Price
from exam2bench.models.request import Request, TextPart
from exam2bench.schemas.errors import BudgetError, UsageError

SCHEMA = {
    "type": "object",
    "properties": {"number": {"type": "string"}},
    "required": ["number"],
    "additionalProperties": False,
}
SERVICES = ("openai", "anthropic")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "FIRST_POLL", 0.01)
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def echo(ask: Ask) -> dict[str, str]:
    return {"number": ask.text.split("<")[1].split(">")[0]}


def numbered(count: int) -> list[Request]:
    return [Request((TextPart(f"number <{n}>"),), schema=SCHEMA, system="Say the number.") for n in range(count)]


def address(service: str, server: FakeServer) -> str:
    return f"{service}:m@{server.url}" + ("" if service == "anthropic" else "/v1")


@pytest.mark.parametrize("service", SERVICES)
def test_a_batch_gives_what_live_calls_give(service: str, tmp_path: Path) -> None:
    with FakeServer(echo, polls=3) as server:
        name = address(service, server)
        price = Price(2.0, 2.0, 2.0, 2.0)
        with Gateway(name, cache=CallCache(tmp_path / "c"), batch=True, price=price) as gateway:
            outcomes = gateway.run(numbered(30))
        assert [o.value for o in outcomes] == [{"number": str(n)} for n in range(30)]
        assert (server.batches.submitted, server.asked) == (30, 30)
        # half the price
        assert outcomes[3].cost == pytest.approx((outcomes[3].usage.input + outcomes[3].usage.output) * 1e-6)
        # the same requests live: all from the cache
        with Gateway(name, cache=CallCache(tmp_path / "c")) as gateway:
            assert [o.value for o in gateway.run(numbered(30))] == [o.value for o in outcomes]
        assert server.asked == 30


@pytest.mark.parametrize("service", SERVICES)
def test_failed_items_are_sent_again_and_doubles_count_once(service: str, tmp_path: Path) -> None:
    faults = Faults(rate=0.4, kinds=("errored", "expired", "duplicate"), seed=3)
    with FakeServer(echo, faults=faults) as server:
        with Gateway(address(service, server), cache=CallCache(tmp_path / "c"), batch=True) as gateway:
            outcomes = gateway.run(numbered(40))
            summary = gateway.summary()
        assert set(faults.drawn) == {"errored", "expired", "duplicate"}
        assert server.batches.submitted > 40
    done = [o for o in outcomes if o.ok]
    assert len(done) >= 36 and all(o.value == {"number": str(n)} for n, o in enumerate(outcomes) if o.ok)
    # three times failed is said, not hidden
    assert all(o.status == "transport_error" and o.attempts == 3 for o in outcomes if not o.ok)
    # an item delivered twice is charged once
    assert summary["tokens"]["output"] == sum(o.usage.output for o in outcomes)
    assert max(server.paid.values()) == 1


@pytest.mark.parametrize("service", SERVICES)
def test_spoilt_replies_of_a_batch_are_asked_again_with_their_errors(service: str, tmp_path: Path) -> None:
    def reply(ask: Ask) -> object:
        if "<1>" in ask.text:
            return FakeReply("no", stop="refusal")
        if "<2>" in ask.text:
            return FakeReply('{"num', stop="length")
        return echo(ask) if "could not be used" in ask.text else {"wrong": 1}

    with FakeServer(reply) as server:  # type: ignore[arg-type]
        with Gateway(address(service, server), cache=CallCache(tmp_path / "c"), batch=True) as gateway:
            outcomes = gateway.run(numbered(4))
        assert [o.status for o in outcomes] == ["ok", "refused", "truncated", "ok"]
        assert (server.batches.submitted, outcomes[0].attempts) == (6, 2)


WORKER = """
import sys
from exam2bench.models import batch
from exam2bench.models.cache import CallCache
from exam2bench.models.gateway import Gateway
sys.path.insert(0, sys.argv[3])
from test_models_batch import numbered
batch.FIRST_POLL = 0.05
with Gateway(sys.argv[1], cache=CallCache(sys.argv[2]), batch=True) as gateway:
    print(sum(outcome.ok for outcome in gateway.run(numbered(25))))
"""


@pytest.mark.parametrize("service", SERVICES)
def test_a_killed_run_collects_what_it_had_submitted(service: str, tmp_path: Path) -> None:
    with FakeServer(echo, polls=10**6) as server:
        name = address(service, server)
        command = [sys.executable, "-c", WORKER, name, str(tmp_path / "c"), str(Path(__file__).parent)]
        process = subprocess.Popen(command, env=dict(os.environ), stdout=subprocess.DEVNULL)
        until = time.monotonic() + 30
        while not _named(tmp_path / "c", name) and time.monotonic() < until:
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert server.batches.submitted == 25
        server.batches._polls = 1
        for record in server.batches._batches.values():
            record.polls = 1
        with Gateway(name, cache=CallCache(tmp_path / "c"), batch=True) as gateway:
            # more is asked now than was then
            outcomes = gateway.run(numbered(30))
        assert all(outcome.ok for outcome in outcomes)
        # the 25 were not sent, nor paid, a second time
        assert (server.batches.submitted, max(server.paid.values())) == (30, 1)


def _named(path: Path, name: str) -> bool:
    if not path.exists():
        return False
    with CallCache(path) as cache:
        return any(left.batch for left in cache.open_batches(name))


@pytest.mark.parametrize("service", SERVICES)
def test_killed_between_submission_and_the_id_it_finds_the_batch_again(service: str, tmp_path: Path) -> None:
    with FakeServer(echo) as server:
        name = address(service, server)
        with Gateway(name, cache=CallCache(tmp_path / "c"), batch=True) as gateway:
            gateway.run(numbered(5))
        with CallCache(tmp_path / "c") as cache:
            # as if the program had died before it learnt the id and the results
            cache._db.execute("DELETE FROM calls")
            cache._db.execute("UPDATE batches SET batch = NULL, state = 'submitting', created = 1700000000")
        with Gateway(name, cache=CallCache(tmp_path / "c"), batch=True) as gateway:
            assert all(outcome.ok for outcome in gateway.run(numbered(5)))
        assert server.batches.submitted == 5


def test_the_cap_holds_for_a_batch(tmp_path: Path) -> None:
    with FakeServer(echo) as server:
        gateway = Gateway(
            address("openai", server),
            cache=CallCache(tmp_path / "c"),
            batch=True,
            max_cost=0.01,
            price=Price(1.0, 10.0, 1.0, 1.0),
        )
        with gateway, pytest.raises(BudgetError):
            gateway.run(numbered(10))
        assert server.batches.submitted == 0


def test_batches_need_a_cache_and_a_service(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="needs the call cache"):
        Gateway("openai:m", batch=True)
    with FakeServer() as server:
        gateway = Gateway(f"chat:m@{server.url}/v1", cache=CallCache(tmp_path / "c"), batch=True)
        with gateway, pytest.raises(UsageError, match="has no batch service"):
            gateway.run(numbered(1))
