"""`exam2bench models` and `exam2bench cache` as a user calls them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from exam2bench.cli import main
from exam2bench.models.fake_server import Ask, FakeReply, FakeServer
from exam2bench.models.gateway import Gateway
from exam2bench.models.request import Request, TextPart


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "CHAT_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def good(ask: Ask) -> object:
    return {"reason": "counting", "answer": "5"} if ask.schema else "five"


def test_check_says_what_works(capsys: pytest.CaptureFixture[str]) -> None:
    with FakeServer(good) as server:  # type: ignore[arg-type]
        for model in (f"openai:m@{server.url}/v1", f"chat:m@{server.url}/v1", f"anthropic:m@{server.url}"):
            assert main(["models", "check", model]) == 0
            assert "(reports itself as m-fake): text, schema, images, effort works" in capsys.readouterr().out
        assert main(["models", "check", f"decisions:m@{server.url}/v1"]) == 0
        assert "typed questions works" in capsys.readouterr().out


def test_check_says_what_to_fix(capsys: pytest.CaptureFixture[str]) -> None:
    def picky(ask: Ask) -> object:
        if ask.schema:
            return ""
        if ask.images:
            return FakeReply("this model\x1b[31m has no eyes", status=400)
        return '{"reason": "counting", "answer": "5"}'

    with FakeServer(picky) as server:  # type: ignore[arg-type]
        model = f"chat:m@{server.url}/v1"
        assert main(["models", "check", model, "--json"]) == 0
        report = json.loads(capsys.readouterr().out)
        assert main(["models", "check", model]) == 0
    assert report["abilities"]["schema"] == "only in plain text (constrained decoding failed twice)"
    assert report["abilities"]["effort"] == "works"
    shown = capsys.readouterr().out
    assert "add --plain" in shown and "pages will have to go as text only" in shown and "\x1b" not in shown


def test_check_of_a_wrong_address_or_key_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "check", "chat:m@http://127.0.0.1:9/v1"]) == 3
    assert main(["models", "check", "anthropic:claude-opus-5"]) == 3
    assert main(["models", "check", "chat:m@http://example.org/v1"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3
    assert "cannot be reached" in lines[0] and "ANTHROPIC_API_KEY" in lines[1] and "--allow-http" in lines[2]


def test_list_names_keys_and_extras(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [row["provider"] for row in listed["providers"]] == [
        "openai",
        "chat",
        "anthropic",
        "decisions",
        "vllm",
        "llama",
    ]
    assert listed["weights"][0]["name"] == "llama:judge" and listed["weights"][0]["bytes"] == 1_117_320_768


def test_serve_fake_answers_from_a_script(tmp_path: Path) -> None:
    script = tmp_path / "replies.jsonl"
    script.write_text('{"contains": "capital", "reply": {"answer": "Paris"}}\n{"matches": "^no", "stop": "refusal"}\n')
    command = [sys.executable, "-m", "exam2bench.cli", "models", "serve-fake", "--script", str(script)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        texts = ("the capital?", "no way", "else")
        with Gateway(f"openai:m@{url}/v1") as gateway:
            outcomes = gateway.run([Request((TextPart(text),)) for text in texts])
    finally:
        process.terminate()
        process.wait(10)
    assert [(o.status, o.text) for o in outcomes] == [("ok", '{"answer": "Paris"}'), ("refused", ""), ("ok", "ok")]


def test_a_wrong_script_names_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "r.jsonl").write_text('{"reply": "a"}\n{"answer": "b"}\n')
    assert main(["models", "serve-fake", "--script", str(tmp_path / "r.jsonl")]) == 2
    assert "r.jsonl, line 2: the keys are" in capsys.readouterr().err


def test_the_fake_server_is_strict() -> None:
    import httpx2

    with FakeServer() as server:
        body = {"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "q"}], "temperature": 0}
        reply = httpx2.post(f"{server.url}/v1/messages", json=body)
        assert reply.status_code == 400 and "temperature" in reply.json()["error"]["message"]
        schema = {"type": "object", "properties": {"a": {"oneOf": []}}, "required": ["a"]}
        form = {"type": "json_schema", "name": "r", "strict": True, "schema": schema}
        reply = httpx2.post(f"{server.url}/v1/responses", json={"model": "m", "input": "q", "text": {"format": form}})
        assert reply.status_code == 400 and "invalid schema" in reply.json()["error"]["message"]
        assert server.asked == 0


def test_cache_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from exam2bench.models.cache import CallCache

    path, file = str(tmp_path / "c.sqlite"), str(tmp_path / "run.jsonl.gz")
    with FakeServer() as server:
        model = f"openai:m@{server.url}/v1"
        with Gateway(model, cache=CallCache(path)) as gateway:
            gateway.run([Request((TextPart(f"q{n}"),)) for n in range(3)])
    assert main(["cache", "stats", "--cache", path, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["models"][model]["ok"] == 3
    assert main(["cache", "export", file, "--cache", path]) == 0
    assert main(["cache", "export", file, "--cache", path]) == 2
    assert main(["cache", "import", file, "--cache", str(tmp_path / "new.sqlite")]) == 0
    assert main(["cache", "prune", "--model", model, "--cache", path]) == 0
    out, err = capsys.readouterr()
    assert "3 replies written" in out and "3 replies added, 0 were there already" in out and "3 replies deleted" in out
    assert "exists: name a new file" in err
