"""Many calls: faults, pace, order, money."""

import time
from email.utils import formatdate

import pytest

from exam2bench.models import asking
from exam2bench.models.call_order import CallQueue
from exam2bench.models.fake_server import FAULTS, Ask, FakeReply, FakeServer, Faults
from exam2bench.models.gateway import Gateway
from exam2bench.models.names import check_url, parse_model
from exam2bench.models.pace import Pace, exhausted
from exam2bench.models.prices import Price, find_price, parse_price
from exam2bench.models.providers import http
from exam2bench.models.providers.http import retry_after
from exam2bench.models.request import Level, Request, TextPart, TypedQuestion
from exam2bench.schemas.errors import BudgetError, ProviderError, UsageError

SCHEMA = {
    "type": "object",
    "properties": {"number": {"type": "string"}},
    "required": ["number"],
    "additionalProperties": False,
}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "FIRST_PAUSE", 0.02)
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "CHAT_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def numbered(count: int) -> list[Request]:
    return [Request((TextPart(f"number <{n}>"),), schema=SCHEMA) for n in range(count)]


def echo(ask: Ask) -> dict[str, str]:
    return {"number": ask.text.split("<")[1].split(">")[0]}


@pytest.mark.parametrize("provider", ["openai", "chat", "anthropic"])
def test_with_every_fault_none_is_lost_none_is_paid_twice_none_is_invented(provider: str) -> None:
    requests = numbered(150)
    faults = Faults(rate=0.4, seed=5)
    with FakeServer(echo, faults=faults) as server:
        address = f"{provider}:m@{server.url}" + ("" if provider == "anthropic" else "/v1")
        with Gateway(address, concurrency=16) as gateway:
            outcomes = gateway.run(requests)
        assert len(outcomes) == len(requests)
        for number, outcome in enumerate(outcomes):
            assert outcome.status in ("ok", "refused", "unparseable", "truncated"), outcome
            assert outcome.value == ({"number": str(number)} if outcome.ok else None)
        # one request's answer was never bought twice, though many were asked for again
        assert max(server.paid.values()) == 1
        assert server.asked > len(requests)
        assert set(faults.drawn) == set(FAULTS)
    bad = [outcome for outcome in outcomes if not outcome.ok]
    assert all(outcome.why() for outcome in bad)
    # a refusal ends a question; an unparseable reply needs two spoilt ones
    assert len(bad) <= faults.drawn["refusal"] + 3


def test_a_server_that_never_recovers_ends_in_a_transport_error_by_the_deadline() -> None:
    start = time.monotonic()
    down = FakeReply("down", status=500)
    with FakeServer(lambda ask: down) as server, Gateway(f"openai:m@{server.url}/v1", deadline=0.5) as gateway:
        outcome = gateway.run(numbered(1))[0]
    assert (outcome.status, outcome.errors) == ("transport_error", ("HTTP 500: down",))
    assert outcome.attempts > 1 and time.monotonic() - start < 5


def test_an_answer_that_does_not_come_is_cut_at_the_deadline() -> None:
    with FakeServer(latency=5) as server, Gateway(f"chat:m@{server.url}/v1", deadline=0.3) as gateway:
        outcome = gateway.run(numbered(1))[0]
    assert (outcome.status, outcome.errors) == ("transport_error", ("no answer within 0.3 seconds",))


def test_nobody_there_is_said_soon_and_in_words() -> None:
    with (
        Gateway("openai:m@http://127.0.0.1:9/v1") as gateway,
        pytest.raises(ProviderError, match="the server cannot be reached: APIConnectionError"),
    ):
        gateway.run(numbered(3))


def test_a_server_that_goes_away_in_a_run_is_a_transport_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "MAX_TRIES", 5)
    with Gateway("openai:m@http://127.0.0.1:9/v1") as gateway:
        gateway.asker().answered = 1
        outcome = gateway.run(numbered(1))[0]
    assert outcome.status == "transport_error" and "APIConnectionError" in outcome.errors[0]


def test_a_reply_without_end_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "MAX_REPLY_BYTES", 10_000)
    with FakeServer(lambda ask: "x" * 50_000) as server, Gateway(f"openai:m@{server.url}/v1") as gateway:
        outcome = gateway.run([Request((TextPart("q"),))])[0]
    assert (outcome.status, outcome.attempts) == ("transport_error", 1)
    assert "larger than 10,000 bytes" in outcome.errors[0]


def test_no_redirect_is_followed_with_the_key() -> None:
    away = FakeReply("moved", status=307, headers={"location": "http://127.0.0.1:9/elsewhere"})
    with (
        FakeServer(lambda ask: away) as server,
        Gateway(f"anthropic:m@{server.url}") as gateway,
        pytest.raises(ProviderError, match="redirects elsewhere"),
    ):
        gateway.run(numbered(1))


def test_an_unknown_model_ends_the_run() -> None:
    unknown = FakeReply("no such model", status=404)
    with (
        FakeServer(lambda ask: unknown) as server,
        Gateway(f"openai:m@{server.url}/v1") as gateway,
        pytest.raises(ProviderError, match="not known"),
    ):
        gateway.run(numbered(3))


def test_retry_after_is_waited_for() -> None:
    def busy_once(ask: Ask) -> FakeReply | None:
        return FakeReply("busy", status=429, headers={"retry-after": "0.4"}) if ask.seen == 0 else None

    with FakeServer(busy_once) as server, Gateway(f"openai:m@{server.url}/v1") as gateway:
        outcome = gateway.run(numbered(1))[0]
    assert outcome.ok and outcome.attempts == 2 and outcome.seconds >= 0.4


def test_concurrency_is_bounded() -> None:
    with FakeServer(latency=0.02) as server, Gateway(f"openai:m@{server.url}/v1", concurrency=5) as gateway:
        gateway.run(numbered(40))
        assert server.most_at_once == 5


def test_the_pace_halves_when_overloaded_and_recovers() -> None:
    pace = Pace(16)
    pace.overloaded(None)
    pace.overloaded(None)  # the same burst
    assert (pace.limit, pace.halvings) == (8.0, 1)
    for _ in range(200):
        pace.answered({})
    assert pace.limit == 16.0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, 0.0),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1m6.5s"}, 66.5),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "250ms"}, 0.25),
        ({"x-ratelimit-remaining-tokens": "17", "x-ratelimit-reset-tokens": "6s"}, 0.0),
    ],
)
def test_limits_in_headers(headers: dict[str, str], seconds: float) -> None:
    assert exhausted(headers) == pytest.approx(seconds)


def test_anthropics_reset_is_a_time() -> None:
    reset = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 30))
    headers = {"anthropic-ratelimit-requests-remaining": "0", "anthropic-ratelimit-requests-reset": reset}
    assert 28 <= exhausted(headers) <= 30


def test_a_used_up_limit_is_waited_for() -> None:
    headers = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "300ms"}
    last = FakeReply('{"number": "1"}', headers=headers)
    with FakeServer(lambda ask: last) as server, Gateway(f"openai:m@{server.url}/v1", concurrency=1) as gateway:
        outcomes = gateway.run(numbered(2))
    assert outcomes[1].seconds >= 0.28 and outcomes[1].attempts == 1


def test_retry_after_forms() -> None:
    assert retry_after({"retry-after-ms": "1500"}) == 1.5
    assert retry_after({"retry-after": "2"}) == 2.0
    assert 8 <= (retry_after({"retry-after": formatdate(time.time() + 10, usegmt=True)}) or 0) <= 10
    assert retry_after({"retry-after": "soon"}) is None


def test_results_stand_in_the_order_of_the_requests_whatever_comes_first() -> None:
    def slow_first(ask: Ask) -> dict[str, str]:
        if ask.text.endswith("<0>"):
            time.sleep(0.1)
        return echo(ask)

    with FakeServer(slow_first) as server, Gateway(f"chat:m@{server.url}/v1") as gateway:
        assert [outcome.value["number"] for outcome in gateway.run(numbered(30))] == [str(n) for n in range(30)]


def test_equal_prefixes_go_in_a_row_and_the_first_one_goes_ahead() -> None:
    rubric = {name: f"Rubric {name} " + "long enough to be cached. " * 200 for name in "AB"}
    requests = [
        Request((TextPart(rubric["AB"[n % 2]]), TextPart(f"answer <{n}>")), schema=SCHEMA, prefix_parts=1)
        for n in range(20)
    ]
    with FakeServer(echo, latency=0.02) as server:
        with Gateway(f"openai:m@{server.url}/v1", concurrency=4) as gateway:
            outcomes = gateway.run(requests)
            share = gateway.summary()["provider_cached_share"]
        order = "".join(ask.text[7] for ask in server.asks)
    assert [outcome.value["number"] for outcome in outcomes] == [str(n) for n in range(20)]
    # both leaders first, then all of A, then all of B but for what fills A's last gap
    assert order.startswith("AB") and order.rindex("A") < order.rindex("B")
    assert order[2:].count("B") == 9 and "B" not in order[2:9]
    assert share > 0.85


def test_nobody_goes_ahead_where_it_is_not_wanted() -> None:
    shared = "Rubric " + "long enough to be cached. " * 200
    requests = [Request((TextPart(shared), TextPart(f"number <{n}>")), schema=SCHEMA, prefix_parts=1) for n in range(4)]
    led, free = CallQueue(requests), CallQueue(requests, lead=False)
    assert [led.take() for _ in range(4)] == [0, None, None, None]
    assert [free.take() for _ in range(4)] == [0, 1, 2, 3]
    with FakeServer(echo) as server, Gateway(f"openai:m@{server.url}/v1", concurrency=4) as gateway:
        assert [outcome.value["number"] for outcome in gateway.run(requests, lead=False)] == ["0", "1", "2", "3"]


def test_the_cap_is_never_broken_and_what_is_done_is_kept(tmp_path) -> None:
    from exam2bench.models.cache import CallCache

    requests = [Request((TextPart(f"number <{n}>"),), schema=SCHEMA, max_tokens=1000) for n in range(50)]
    price = Price(1.0, 10.0, 1.0, 1.0)
    with FakeServer(echo) as server:
        model = f"openai:m@{server.url}/v1"
        with Gateway(model, cache=CallCache(tmp_path / "c"), max_cost=0.0115, price=price, concurrency=4) as gateway:
            with pytest.raises(BudgetError, match=r"of --max-cost \$0.0115 is spent") as caught:
                gateway.run(requests)
            spent = gateway.budget.spent
        assert caught.value.exit_code == 4
        asked = server.asked
        assert 1 < asked < 50 and 0 < spent <= 0.0115
        with Gateway(model, cache=CallCache(tmp_path / "c"), max_cost=1.0, price=price) as gateway:
            assert all(outcome.ok for outcome in gateway.run(requests))
        assert server.asked == 50


def test_a_cap_without_a_price_is_an_error() -> None:
    with pytest.raises(UsageError, match="add --price IN,OUT"):
        Gateway("chat:m@http://127.0.0.1:1/v1", max_cost=1.0)


def test_prices() -> None:
    assert parse_price("0.25,2") == Price(0.25, 2.0, 0.25, 0.25)
    for wrong in ("1", "a,b", "-1,2", "nan,1", "1,2,3"):
        with pytest.raises(UsageError, match="--price"):
            parse_price(wrong)
    listed = find_price(parse_model("anthropic:claude-opus-4-5"))
    assert listed is not None and 0 < listed.cached < listed.input < listed.cache_write < listed.output
    assert find_price(parse_model("openai:no-such-model-at-all")) is None
    assert find_price(parse_model("llama:judge")) == Price(0, 0, 0, 0)


def test_the_plan_counts_calls_hits_and_money(tmp_path) -> None:
    from exam2bench.models.cache import CallCache

    requests = numbered(10)
    with FakeServer(echo) as server:
        model = f"openai:m@{server.url}/v1"
        with Gateway(model, cache=CallCache(tmp_path / "c"), price=Price(1, 2, 1, 1)) as gateway:
            gateway.run(requests[:4])
            plan = gateway.plan([*requests, requests[9]])
            assert server.asked == 4
    assert (plan.calls, plan.hits, plan.duplicates) == (6, 4, 1)
    assert plan.output_most == 6 * 8192 and 0 < plan.input_low < plan.input_high
    assert plan.cost_high == pytest.approx((plan.input_high + 2 * plan.output_most) / 1e6)
    assert plan.cost_low is not None and plan.cost_low < plan.cost_high  # type: ignore[operator]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("gpt-5", "names no model"),
        ("mistral:x", "names no model"),
        ("openai:", "names no model"),
        ("chat:m", "needs the server's address"),
        ("chat:m@http://example.org/v1", "plain http to another machine"),
        ("chat:m@http://127.0.0.1.example.org/v1", "plain http to another machine"),
        ("chat:m@https://user:pw@example.org/v1", "carries a user name or password"),
        ("chat:m@https://example.org/v1?key=1", "carries a query"),
        ("chat:m@http://[::1", "is no address"),
        ("llama:judge@http://127.0.0.1:1", "takes no address"),
        ("openai:@http://127.0.0.1:1", "no model name before the @"),
    ],
)
def test_names_that_are_none(name: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        parse_model(name)
    assert "pw" not in str(caught.value) or "password" in str(caught.value)


def test_names() -> None:
    model = parse_model("chat:org/qwen3:8b@tag@http://localhost:8000/v1/")
    assert (model.name, model.base_url) == ("org/qwen3:8b@tag", "http://localhost:8000/v1")
    assert str(model) == "chat:org/qwen3:8b@tag@http://localhost:8000/v1"
    assert parse_model("chat:m@http://10.0.0.1:1/v1", allow_http=True).base_url == "http://10.0.0.1:1/v1"
    assert check_url("http://[::1]:80/v1/") == "http://[::1]/v1"


def test_an_address_in_the_environment_is_part_of_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1234/v1/")
    assert str(parse_model("openai:m")) == "openai:m@http://127.0.0.1:1234/v1"
    monkeypatch.setenv("OPENAI_BASE_URL", "http://example.org/v1")
    with pytest.raises(UsageError, match="plain http to another machine"):
        parse_model("openai:m")


@pytest.mark.parametrize("labels", [("Yes",), ("Yes", "Yes"), tuple(str(n) for n in range(11))])
def test_a_typed_question_has_two_to_ten_levels(labels: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match="2 to 10 different levels"):
        TypedQuestion("x", tuple(Level(label) for label in labels), "?")
