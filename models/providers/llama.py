"""`llama:` llama.cpp in this process, from a GGUF file.

Bit for bit repeatable: one sequence at a time, and a prompt cache that is cut back to exactly the end of a stage
before each question (a stage: a piece of the prompt that other questions share). llama.cpp's own prompt cache reuses
whatever the last prompt happened to share, so its batches, and with them the last bits, depend on the order of the
questions.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import secrets
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any

from ...schemas.errors import ProviderError, UsageError
from .. import dialect
from ..names import ModelName
from ..outcome import LevelOdds, Usage
from ..request import Question, Request, TypedQuestion
from ..weights import digest_of, find_weights
from .wire import CallError, Reply, only_text, plain_system

CONTEXT = 8192
# tokens whose probability is reported: labels below them are a hundredth of a percent and count as 0
TOP = 200
SEED = 7


def identity(model: ModelName) -> dict[str, Any]:
    """The weights, not their path; the form of the prompt is ours, so it is numbered."""
    return {"provider": "llama", "sha256": digest_of(model.name), "form": 2}


class Llama:
    concurrency = 1

    def __init__(self, model: ModelName) -> None:
        self.model = model
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="llama")
        self._server: Any = None
        self._http: Any = None
        self._stages: list[list[int]] = []
        self._labels: dict[str, int] = {}

    def body(self, question: Question, *, plain: bool = False) -> dict[str, Any]:
        """The body for llama.cpp's chat endpoint."""
        assert isinstance(question, Request)
        system, grammar = question.system, None
        if question.schema is not None:
            schema = dialect.wire(question.schema)
            # small models know a schema from its text; the grammar only holds them to it
            system = plain_system(question, dialect.dumps(schema))
            grammar = None if plain else _grammar(dialect.held(question.schema))
        messages = [{"role": "system", "content": system}] if system else []
        messages.append({"role": "user", "content": only_text(question.parts, "llama")})
        body = {
            "messages": messages,
            "max_tokens": question.max_tokens,
            "temperature": question.temperature or 0.0,
            "seed": SEED + question.repeat,
        }
        return body | ({"grammar": grammar} if grammar else {})

    async def call(self, question: Question, *, plain: bool = False) -> Reply:
        loop = asyncio.get_running_loop()
        if isinstance(question, TypedQuestion):
            return await loop.run_in_executor(self._thread, self._judge, question)
        return await loop.run_in_executor(self._thread, self._write, question, plain)

    async def close(self) -> None:
        if self._http is not None:
            self._http.close()
        self._server = None
        self._thread.shutdown(wait=True)

    def _write(self, question: Question, plain: bool) -> Reply:
        """A written reply, behind what its prompt shares with others: the system text, the leading parts."""
        assert isinstance(question, Request)
        body = self.body(question, plain=plain)
        *stages, last = self._dialogue(body.pop("messages"), question)
        prefix = self._hold(stages)
        body |= {"prompt": prefix + last, "cache_prompt": bool(stages), "id_slot": 0}
        data = self._ask("handle_completions", body)
        choice = data["choices"][0]
        finish = choice.get("finish_reason") or ""
        return Reply(
            text=choice["text"] or "",
            stop="length" if finish == "length" else "end",
            stop_reason=finish,
            model=self.model.public,
            usage=_usage(data),
        )

    def _dialogue(self, messages: list[dict[str, str]], question: Request) -> list[list[int]]:
        """The tokens of the messages in the model's own chat format, cut where other questions part from this one.
        What the messages hold is never read as the format's control tokens."""
        frame = self._frame([message["role"] for message in messages])
        shared = [question.system, only_text(question.parts[: question.prefix_parts], "llama")][-len(messages) :]
        stages = [self._tokens(frame[0], special=True, control=True)]
        for message, common, after in zip(messages, shared, frame[1:], strict=True):
            content = message["content"]
            if common and content.startswith(common):
                stages[-1] += self._tokens(common)
                stages.append([])
                content = content[len(common) :]
            stages[-1] += self._tokens(content) + self._tokens(after, control=True)
        return stages

    def _frame(self, roles: list[str]) -> list[str]:
        """What the model's chat format has before, between and after the messages."""
        self._start()
        marks = [secrets.token_hex(8) for _ in roles]
        told = [{"role": role, "content": mark} for role, mark in zip(roles, marks, strict=True)]
        rest, frame = self._http.post("/apply-template", json={"messages": told}).json()["prompt"], []
        for mark in marks:
            before, found, rest = rest.partition(mark)
            if not found:
                raise ProviderError(f"the chat template of {self.model} leaves out a {' or '.join(roles)} message")
            frame.append(before)
        return [*frame, rest]

    def _judge(self, question: TypedQuestion) -> Reply:
        """One forward pass over the text; the level is read from the next token's probabilities."""
        if question.images:
            raise UsageError("llama: takes text only, no images")
        if question.also:
            raise UsageError("llama: takes one typed question a call")
        labels = [self._label(level.label) for level in question.levels]
        stages = [self._tokens(stage, special=not place) for place, stage in enumerate(question.stages())]
        suffix = self._tokens(question.suffix())
        prefix = self._hold(stages)
        data = self._complete(prefix + suffix, cache=True, top=TOP)
        content = data["choices"][0]["logprobs"]["content"]
        given = {entry["id"]: math.exp(entry["logprob"]) for entry in content[0]["top_logprobs"]}
        masses = [given.get(token, 0.0) for token in labels]
        total = sum(masses)
        if total <= 0:
            raise CallError(f"none of {[level.label for level in question.levels]} is among the {TOP} likeliest tokens")
        odds = {level.label: mass / total for level, mass in zip(question.levels, masses, strict=True)}
        return Reply(
            odds=LevelOdds(odds, outside=max(0.0, 1.0 - total)),
            stop_reason="logprobs",
            model=self.model.public,
            usage=_usage(data),
        )

    def _hold(self, stages: list[list[int]]) -> list[int]:
        """Bring the engine's cache to the end of these stages, and return their tokens. Each stage is read by itself
        and its last token once more: whatever stood behind it, the bits are the same from here on."""
        shared = 0
        while shared < min(len(stages), len(self._stages)) and stages[shared] == self._stages[shared]:
            shared += 1
        prefix = [token for stage in stages[:shared] for token in stage]
        if shared:
            self._complete(prefix, cache=True)
        for place, stage in enumerate(stages[shared:], shared):
            # the first from nothing: what another prompt left in the cache would split the batches elsewhere
            prefix = prefix + stage
            self._complete(prefix, cache=place > 0)
            self._complete(prefix, cache=True)
        self._stages = stages
        return prefix

    def _complete(self, tokens: list[int], *, cache: bool, top: int = 0) -> dict[str, Any]:
        body = {"prompt": tokens, "n_predict": 1, "temperature": 0, "cache_prompt": cache, "id_slot": 0}
        # an end-of-text token has no entry in the reply; the probabilities are those before this rule
        return self._ask("handle_completions", body | {"n_probs": top, "ignore_eos": True})

    def _label(self, label: str) -> int:
        """The token of a label behind the cue's space."""
        if label not in self._labels:
            tokens = self._tokens(f" {label}")
            if len(tokens) != 1:
                raise UsageError(f"the level {label!r} is {len(tokens)} tokens for {self.model}: use a shorter label")
            self._labels[label] = tokens[0]
        return self._labels[label]

    def _tokens(self, text: str, *, special: bool = False, control: bool = False) -> list[int]:
        """`special`: with what the model wants at the beginning. `control`: names of control tokens count as such."""
        self._start()
        if not text:
            return []
        reply = self._http.post("/tokenize", json={"content": text, "add_special": special, "parse_special": control})
        return reply.json()["tokens"]

    def _ask(self, method: str, body: dict[str, Any]) -> dict[str, Any]:
        self._start()
        try:
            data = getattr(self._server, method)(body)
        except RuntimeError as error:
            raise CallError(_message(str(error))) from None
        data = json.loads(data) if isinstance(data, str | bytes) else data
        if "choices" not in data:
            raise CallError(_message(json.dumps(data)))
        return data

    def _start(self) -> None:
        """Load the weights once, in the thread that uses them."""
        if self._server is not None:
            return
        path = find_weights(self.model.name)
        try:
            xllamacpp = import_module("xllamacpp")
        except ImportError:
            raise ProviderError("llama: needs xllamacpp: pip install 'exam2bench[local]'") from None
        import httpx2

        key = secrets.token_hex(24)
        try:
            self._server = xllamacpp.Server(_parameters(xllamacpp, str(path), key))
        except RuntimeError as error:
            raise ProviderError(f"{self.model} cannot be loaded: {error}") from None
        self._http = httpx2.Client(
            base_url=self._server.listening_address, headers={"Authorization": f"Bearer {key}"}, trust_env=False
        )


def _parameters(xllamacpp: Any, path: str, key: str) -> Any:
    params = xllamacpp.CommonParams()
    params.model.path = path
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    params.cache_ram_mib = 0
    params.warmup = False
    params.verbosity = 0
    # the engine always opens a port: on this machine only, behind a key of the moment, without its web page
    params.hostnames, params.api_keys, params.ui, params.port = ["127.0.0.1"], [key], False, 0
    for pool in (params.cpuparams, params.cpuparams_batch):
        pool.n_threads = threads()
        pool.poll = 0
    return params


def threads() -> int:
    """Idle cores, at least one: its threads wait for each other, so a busy core slows all of them. The bits do not
    depend on it."""
    cores = os.cpu_count() or 1
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return max(1, min(cores, round(cores - load)))


def _grammar(schema: dict[str, Any]) -> str:
    """A Lark grammar for llguidance: through `response_format` small models pad with white space until the limit."""
    strict = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}
    return f"%llguidance {{}}\nstart: %json {json.dumps(schema | {'x-guidance': strict})}"


def _usage(data: dict[str, Any]) -> Usage:
    usage = data.get("usage") or {}
    details = usage.get("prompt_tokens_details") or {}
    return Usage(
        input=usage.get("prompt_tokens") or 0,
        output=usage.get("completion_tokens") or 0,
        cached=details.get("cached_tokens") or 0,
    )


def _message(text: str) -> str:
    try:
        data = json.loads(text)
    except ValueError:
        return text[:300]
    error = data.get("error", data) if isinstance(data, dict) else {}
    return str(error.get("message", text) if isinstance(error, dict) else error)[:300]
