"""A real small model: llama.cpp in this process and as a server, with SmolLM2-135M (`models pull smollm2`)."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from exam2bench.models import weights
from exam2bench.models.gateway import Gateway
from exam2bench.models.names import parse_model
from exam2bench.models.providers import llama
from exam2bench.models.request import Example, ImagePart, Level, Request, TextPart, TypedQuestion
from exam2bench.schemas.errors import ProviderError, UsageError

PATH = weights.weights_path(weights.PINNED["smollm2"])
xllamacpp = pytest.importorskip("xllamacpp", reason="the extra [local] is not installed")
pytestmark = pytest.mark.skipif(not PATH.exists(), reason="exam2bench models pull smollm2")

SCHEMA = {
    "type": "object",
    "properties": {"reason": {"type": "string", "maxLength": 40}, "level": {"type": "string", "enum": ["0", "1"]}},
    "required": ["reason", "level"],
    "additionalProperties": False,
}
YES_NO = (Level("Yes"), Level("No"))
WORKED = (Example("Sum: 1 + 1 = 2", "Yes"), Example("Sum: 1 + 1 = 3", "No"))


@pytest.fixture(scope="module")
def gateway() -> Iterator[Gateway]:
    with Gateway("llama:smollm2") as running:
        yield running


def judged(text: str) -> TypedQuestion:
    return TypedQuestion(text, YES_NO, "Is the sum right?", examples=WORKED, cue="Right:")


def test_schema_held_replies_are_valid_and_short(gateway: Gateway) -> None:
    request = Request((TextPart("Is 2 + 2 = 4? Give a reason of three words."),), schema=SCHEMA, max_tokens=200)
    outcome = gateway.run([request])[0]
    assert outcome.status == "ok", outcome
    assert set(outcome.value) == {"reason", "level"} and outcome.attempts == 1
    assert outcome.usage.output < 60 and outcome.cost == 0.0


def test_plain_text_and_truncation(gateway: Gateway) -> None:
    outcome = gateway.run([Request((TextPart("Count from 1 to 50."),), max_tokens=8)])[0]
    assert (outcome.status, outcome.usage.output, outcome.stop_reason) == ("truncated", 8, "length")


def test_typed_answers_are_the_same_bits_in_any_order(gateway: Gateway) -> None:
    texts = [f"Sum: {a} + 2 = {a + 2 + (a % 3 == 0)}" for a in range(3, 9)]
    first = [outcome.odds for outcome in gateway.run([judged(text) for text in texts])]
    # other prompts in between, another order, neighbours that share more or less of their text
    gateway.run([Request((TextPart("Something else entirely."),), max_tokens=4)])
    shuffled = random.Random(1).sample(range(len(texts)), len(texts))
    with Gateway("llama:smollm2") as fresh:
        again = fresh.run([judged(texts[index]) for index in shuffled])
    assert [again[shuffled.index(index)].odds for index in range(len(texts))] == first


def test_what_prompts_share_is_read_once_and_changes_no_bit(gateway: Gateway) -> None:
    def written(scheme: str, answer: str) -> Request:
        parts = (TextPart(f"The mark scheme: {scheme}"), TextPart(f"The answer: {answer}"))
        return Request(parts, system="You grade answers. " * 12, schema=SCHEMA, max_tokens=60, prefix_parts=1)

    def typed(stimulus: str, focus: str) -> TypedQuestion:
        levels = (Level("Yes"), Level("No"))
        return TypedQuestion("Answer: 4", levels, "Right?", "You judge. " * 9, f"Sum: {stimulus}", f"As {focus}.")

    asked: list[Any] = [written(scheme, answer) for scheme in ("four", "five") for answer in ("4", "5")]
    asked += [typed(stimulus, focus) for stimulus in ("2 + 2", "2 + 3") for focus in ("a number", "a word")]
    first = gateway.run(asked)
    order = random.Random(3).sample(range(len(asked)), len(asked))
    with Gateway("llama:smollm2") as fresh:
        again = [outcome for index in order for outcome in fresh.run([asked[index]])]
    assert [(again[order.index(n)].text, again[order.index(n)].odds) for n in range(len(asked))] == [
        (outcome.text, outcome.odds) for outcome in first
    ]
    # the second answer to a question: all but the answer's own tokens came from the engine's cache
    assert first[1].usage.cached > 0.7 * first[1].usage.input and first[5].usage.cached > 0.7 * first[5].usage.input


def test_control_tokens_in_an_answer_are_only_letters(gateway: Gateway) -> None:
    used = [
        gateway.run([Request((TextPart(f"Say {text}"),), max_tokens=1)])[0].usage.input
        for text in ("<|im_end|>" * 20, "<|no_such|>" * 20)
    ]
    assert used[0] > 100 and used[1] > 100


def test_odds_sum_to_one_and_the_rest_is_reported(gateway: Gateway) -> None:
    outcome = gateway.run([judged("Sum: 2 + 2 = 4")])[0]
    assert outcome.odds is not None
    assert sum(outcome.odds.probabilities.values()) == pytest.approx(1.0)
    assert 0.0 < outcome.odds.outside < 0.5
    # the prefix came from the engine's cache: only the text was read
    assert outcome.usage.cached > outcome.usage.input / 2


def test_what_it_cannot_do_is_said(gateway: Gateway) -> None:
    long_label = TypedQuestion("x", (Level("Incomprehensible"), Level("No")), "?")
    with pytest.raises(UsageError, match=r"the level 'Incomprehensible' is \d tokens"):
        gateway.run([long_label])
    with pytest.raises(UsageError, match="takes text only"):
        gateway.run([Request((ImagePart(b"png"),))])
    outcome = gateway.run([Request((TextPart("word " * 9000),), max_tokens=4)])[0]
    assert outcome.status == "transport_error" and "exceeds the available context size" in outcome.errors[0]


def test_behind_chat_as_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAT_API_KEY", "only-for-this-test")
    server = xllamacpp.Server(llama._parameters(xllamacpp, str(PATH), "only-for-this-test"))
    address = server.listening_address
    with Gateway(f"chat:smollm2@{address}/v1") as gateway:
        request = Request((TextPart("Is 2 + 2 = 4?"),), schema=SCHEMA, max_tokens=300, temperature=0.0)
        outcome = gateway.run([request])[0]
    assert outcome.status == "ok" and outcome.value["level"] in ("0", "1")
    monkeypatch.setenv("CHAT_API_KEY", "wrong")
    with Gateway(f"chat:smollm2@{address}/v1") as gateway, pytest.raises(ProviderError, match="refused the key"):
        gateway.run([request])


def test_the_same_bytes_under_another_path_are_the_same_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = tmp_path / "renamed.gguf"
    copy.symlink_to(PATH)
    one = llama.identity(parse_model("llama:smollm2"))
    assert llama.identity(parse_model(f"llama:{copy}")) == one
    assert str(tmp_path) not in str(one)
