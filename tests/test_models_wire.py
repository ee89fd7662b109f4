"""The real SDKs against the local server: what is sent, what is read back, what goes wrong on the way."""

import base64
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from exam2bench.models.fake_server import Ask, FakeReply, FakeServer
from exam2bench.models.gateway import Gateway
from exam2bench.models.names import parse_model
from exam2bench.models.providers.decisions import Decisions
from exam2bench.models.request import Example, ImagePart, Level, PdfPart, Request, TextPart, TypedQuestion
from exam2bench.schemas.errors import ProviderError, UsageError

SCHEMA = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "level": {"type": "integer", "minimum": 0, "maximum": 2}},
    "required": ["reason", "level"],
    "additionalProperties": False,
}
GOOD = {"reason": "names both", "level": 2}
PROTOCOLS = ("openai", "chat", "anthropic")


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "CHAT_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def name(provider: str, server: FakeServer) -> str:
    return f"{provider}:m@{server.url}" + ("" if provider == "anthropic" else "/v1")


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(lambda ask: GOOD if ask.schema else None) as running:
        yield running


def ask_one(model: str, question: Request | TypedQuestion, **options: object):
    with Gateway(model, **options) as gateway:  # type: ignore[arg-type]
        return gateway.run([question])[0]


@pytest.mark.parametrize("provider", PROTOCOLS)
@pytest.mark.parametrize("max_tokens", [500, 30_000])
def test_every_field_goes_out_and_comes_back(provider: str, max_tokens: int, server: FakeServer) -> None:
    request = Request(
        (TextPart("Question 1"), ImagePart(b"png", detail="low"), PdfPart(b"%PDF-1.7"), TextPart("Answer: x")),
        system="You judge.",
        schema=SCHEMA,
        effort="high",
        max_tokens=max_tokens,
        prefix_parts=3,
        tag="q1",
    )
    outcome = ask_one(name(provider, server), request)
    assert (outcome.status, outcome.value, outcome.tag, outcome.model) == ("ok", GOOD, "q1", "m-fake")
    assert outcome.usage.input > 1000 and outcome.usage.output > 0 and outcome.attempts == 1
    seen = server.asks[0]
    # long replies are streamed
    assert (seen.images, seen.files, seen.max_tokens, seen.stream) == (1, 1, max_tokens, max_tokens > 16_000)
    assert "You judge." in seen.text and "Answer: x" in seen.text
    assert "minimum" not in str(seen.schema) and "at least 0" in str(seen.schema)


def test_the_bodies_hold_what_the_protocols_want(server: FakeServer) -> None:
    request = Request((TextPart("a"), ImagePart(b"png"), TextPart("b")), effort="low", prefix_parts=2, temperature=0.5)
    for provider in PROTOCOLS:
        ask_one(name(provider, server), request)
    responses, chat, messages = (ask.body for ask in server.asks)
    assert responses["reasoning"] == {"effort": "low"} and responses["store"] is False
    assert responses["temperature"] == 0.5 and len(responses["prompt_cache_key"]) == 32
    assert responses["input"][0]["content"][1]["detail"] == "high"
    assert chat["reasoning_effort"] == "low" and chat["temperature"] == 0.5
    assert messages["thinking"] == {"type": "adaptive"} and messages["output_config"] == {"effort": "low"}
    assert "temperature" not in messages
    picture = messages["messages"][0]["content"][1]
    assert picture["transformations"] == {"oversized_image": "error"}
    assert picture["cache_control"] == {"type": "ephemeral"}
    assert base64.b64decode(picture["source"]["data"]) == b"png"


def test_anthropic_input_tokens_include_the_cached_ones() -> None:
    with FakeServer(lambda ask: FakeReply("ok", cached_tokens=900)) as server:
        outcome = ask_one(name("anthropic", server), Request((TextPart("x" * 4000),)))
    assert (outcome.usage.input, outcome.usage.cached) == (1001, 900)


@pytest.mark.parametrize("provider", PROTOCOLS)
def test_a_reply_that_breaks_its_schema_is_asked_again_once_with_the_errors(provider: str) -> None:
    def reply(ask: Ask) -> object:
        return GOOD if "previous reply could not be used" in ask.text else {"reason": "r", "level": 7}

    with FakeServer(reply) as server:  # type: ignore[arg-type]
        outcome = ask_one(name(provider, server), Request((TextPart("q"),), schema=SCHEMA))
        assert (outcome.status, outcome.value, outcome.attempts) == ("ok", GOOD, 2)
        assert "/level: 7 is greater than the maximum of 2" in server.asks[1].text
        # the bill is for both
        assert outcome.usage.output > len('{"reason": "r", "level": 7}') // 4


@pytest.mark.parametrize("provider", PROTOCOLS)
def test_after_that_it_is_unparseable_and_kept_raw(provider: str) -> None:
    with FakeServer(lambda ask: {"reason": "r", "level": 7}) as server:
        outcome = ask_one(name(provider, server), Request((TextPart("q"),), schema=SCHEMA))
        assert (outcome.status, server.asked, outcome.value) == ("unparseable", 2, None)
    assert outcome.text == '{"reason": "r", "level": 7}'
    assert outcome.errors == ("/level: 7 is greater than the maximum of 2",)


@pytest.mark.parametrize("provider", PROTOCOLS)
def test_decoding_that_fails_twice_falls_back_to_plain_text(provider: str) -> None:
    def reply(ask: Ask) -> str:
        return "" if ask.schema else 'Here you are: {"reason": "names both", "level": 2}'

    with FakeServer(reply) as server, Gateway(name(provider, server)) as gateway:
        first = gateway.run([Request((TextPart("q"),), schema=SCHEMA)])[0]
        assert (first.status, first.value, first.attempts) == ("ok", GOOD, 3)
        assert [note.code for note in first.notes] == ["json.plain", "json.found"]
        gateway.run([Request((TextPart("q2"),), schema=SCHEMA)])
        # twice rescued, the model is asked in plain text from then on
        third = gateway.run([Request((TextPart("q3"),), schema=SCHEMA)])[0]
        assert (third.status, third.attempts, server.asked) == ("ok", 1, 7)


def test_a_server_that_knows_no_schema_is_asked_in_plain_text() -> None:
    def reply(ask: Ask) -> object:
        return FakeReply("unknown field response_format", status=400) if ask.schema else GOOD

    with FakeServer(reply) as server:  # type: ignore[arg-type]
        outcome = ask_one(name("chat", server), Request((TextPart("q"),), schema=SCHEMA))
    assert (outcome.status, outcome.value, outcome.attempts) == ("ok", GOOD, 2)


def test_plain_mode_sends_the_schema_as_words(server: FakeServer) -> None:
    with FakeServer(lambda ask: GOOD) as server:
        outcome = ask_one(name("openai", server), Request((TextPart("q"),), schema=SCHEMA), plain=True)
        assert outcome.ok and server.asks[0].schema is None
        assert '"level"' in server.asks[0].system


@pytest.mark.parametrize("provider", PROTOCOLS)
@pytest.mark.parametrize("max_tokens", [500, 30_000])
@pytest.mark.parametrize(("stop", "status"), [("refusal", "refused"), ("length", "truncated")])
def test_refused_and_truncated_keep_their_usage(provider: str, max_tokens: int, stop: str, status: str) -> None:
    with FakeServer(lambda ask: FakeReply('{"reason": "half', stop=stop)) as server:
        outcome = ask_one(name(provider, server), Request((TextPart("q"),), schema=SCHEMA, max_tokens=max_tokens))
        assert (outcome.status, server.asked) == (status, 1)
    assert outcome.usage.output > 0
    if status == "refused":
        assert "half" in outcome.refusal
    else:
        assert outcome.text == '{"reason": "half'


def test_typed_questions_by_decisions() -> None:
    levels = (Level("none"), Level("half", "one of two"), Level("full", "both"))
    question = TypedQuestion(
        "The answer: both", levels, "Which level?", system="Judge.", examples=(Example("Nothing", "none"),)
    )
    with FakeServer(lambda ask: FakeReply(odds=(0.1, 0.2, 0.7))) as server:
        outcome = ask_one(name("decisions", server), question)
        body = server.asks[0].body
    assert outcome.odds is not None
    assert outcome.odds.probabilities == {"none": 0.1, "half": 0.2, "full": 0.7}
    assert (outcome.odds.best, round(outcome.odds.score or 0, 6)) == ("full", 1.6)
    assert body["questions"][0]["levels"][1] == {"label": "half", "description": "one of two"}
    assert body["input"][0]["content"][0] == {"type": "input_text", "text": "Judge."}
    # what changes from taker to taker stands last
    assert body["input"][0]["content"][-1]["text"] == "The answer: both"


def test_decisions_of_other_servers_get_only_what_vllm_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    """vLLM 0.33 refuses every message but the user's, and every field that it does not know."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    question = TypedQuestion("2 + 3 = 5", (Level("Yes"), Level("No")), "Is the sum right?", "You judge.", "Sums.")
    own = Decisions(parse_model("decisions:m@http://127.0.0.1:9/v1")).body(question)
    assert set(own) == {"model", "input", "questions"}
    assert own["input"] == [
        {"role": "user", "content": [{"type": "input_text", "text": t} for t in ("You judge.", "Sums.", "2 + 3 = 5")]}
    ]
    openai = Decisions(parse_model("decisions:gpt-6-luna")).body(question)
    assert [message["role"] for message in openai["input"]] == ["system", "user"]
    assert set(openai) == {"model", "input", "questions", "prompt_cache_key"}


class Elsewhere(BaseHTTPRequestHandler):
    """A server without Decisions, in the words of the class's `status` and `words`."""

    status, words = 404, ""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(self.words)))
        self.end_headers()
        self.wfile.write(self.words.encode())

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.mark.parametrize(
    ("status", "words", "said"),
    [
        (404, '{"detail":"Not Found"}', "answers no typed questions: it has no POST /decisions, or not"),  # vLLM 0.32
        (404, "404 page not found", "answers no typed questions: it has no POST /decisions, or not"),
        (
            404,
            '{"error":{"code":404,"message":"File Not Found","type":"not_found_error"}}',
            "has no POST /decisions, or not",
        ),
        (405, '{"detail":"Method Not Allowed"}', "answers no typed questions: it has no POST /decisions, or not"),
        (
            501,
            '{"error":{"message":"The model does not support Decisions","code":501}}',
            "has no POST /decisions, or not",
        ),
        (
            404,
            '{"error":{"message":"The model `m` does not exist.","code":404}}',
            r"not known to the server \(404\): The",
        ),
    ],
)
def test_a_server_without_decisions_is_told_from_an_unknown_model(status: int, words: str, said: str) -> None:
    handler = type("Words", (Elsewhere,), {"status": status, "words": words})
    question = TypedQuestion("2 + 3 = 5", (Level("Yes"), Level("No")), "Is the sum right?")
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as http:
        Thread(target=http.serve_forever, daemon=True).start()
        try:
            with pytest.raises(ProviderError, match=said):
                ask_one(f"decisions:m@http://127.0.0.1:{http.server_port}/v1", question)
        finally:
            http.shutdown()


def test_an_unordered_typed_question_is_a_choice_and_may_be_refused() -> None:
    question = TypedQuestion("x", (Level("A"), Level("B")), "Which?", ordered=False)
    with FakeServer(lambda ask: FakeReply(odds=(0.25, 0.75))) as server:
        outcome = ask_one(name("decisions", server), question)
        assert server.asks[0].body["questions"][0]["type"] == "choice"
    assert outcome.odds is not None and outcome.odds.best == "B"
    with FakeServer(lambda ask: FakeReply(stop="refusal")) as server:
        assert ask_one(name("decisions", server), question).status == "refused"


def test_kinds_of_question_that_a_protocol_has_not() -> None:
    with FakeServer() as server:
        with pytest.raises(UsageError, match="answers typed questions only"):
            ask_one(name("decisions", server), Request((TextPart("q"),)))
        with pytest.raises(UsageError, match="answers no typed questions"):
            ask_one(name("chat", server), TypedQuestion("x", (Level("A"), Level("B")), "?"))


@pytest.mark.parametrize("provider", PROTOCOLS)
def test_a_refused_key_ends_the_run_and_is_never_shown(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "sk-very-secret-0123456789"
    for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "CHAT_API_KEY"):
        monkeypatch.setenv(variable, secret)
    with (
        FakeServer(key="another") as server,
        Gateway(name(provider, server)) as gateway,
        pytest.raises(ProviderError, match="refused the key") as caught,
    ):
        gateway.run([Request((TextPart("q"),))])
    assert secret not in str(caught.value) + repr(gateway) + repr(gateway.provider())


def test_a_key_quoted_in_an_error_is_cut_out(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "sk-very-secret-0123456789"
    monkeypatch.setenv("CHAT_API_KEY", secret)
    with FakeServer(lambda ask: FakeReply(f"bad request by {secret}", status=400)) as server:
        outcome = ask_one(name("chat", server), Request((TextPart("q"),)))
    assert (outcome.status, outcome.errors) == ("transport_error", ("HTTP 400: bad request by [key]",))


def test_a_missing_key_is_named() -> None:
    with pytest.raises(ProviderError, match="needs the environment variable ANTHROPIC_API_KEY"):
        ask_one("anthropic:claude-opus-5", Request((TextPart("q"),)))


def test_terminal_escapes_in_a_servers_words_stay_inside() -> None:
    with FakeServer(lambda ask: FakeReply("\x1b[2Jgone", status=400)) as server:
        outcome = ask_one(name("openai", server), Request((TextPart("q"),)))
    assert "\x1b" not in outcome.why() and "gone" in outcome.why()


def test_a_schema_outside_the_dialect_is_asked_in_plain_text_and_held_to_all_the_same() -> None:
    rows = {f"row{n}": {"anyOf": [{"enum": ["a", "b"]}, {"type": "null"}]} for n in range(30)}
    schema = {"type": "object", "properties": rows, "required": list(rows), "additionalProperties": False}
    reply = dict.fromkeys(rows, "a")
    with FakeServer(lambda ask: reply) as server:
        outcome = ask_one(name("anthropic", server), Request((TextPart("match"),), schema=schema))
        assert outcome.value == reply and server.asks[0].schema is None
        reply["row7"] = "c"
        outcome = ask_one(name("anthropic", server), Request((TextPart("match"),), schema=schema))
    assert outcome.status == "unparseable" and "/row7" in outcome.errors[0]
