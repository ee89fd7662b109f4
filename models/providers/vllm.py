"""`vllm:` vLLM in this process: the offline engine, for many questions on one machine with a GPU.

Calls that arrive together go to the engine as one batch, so its prefix cache serves the questions of one group.
Replies are not repeatable bit for bit outside float32: batches change with what runs beside them. The call cache is
what makes a second run the same.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from ...schemas.errors import ProviderError, UsageError
from .. import dialect
from ..names import ModelName
from ..outcome import LevelOdds, Usage
from ..request import Question, Request, TypedQuestion
from .wire import CallError, Reply, only_text, plain_system

SEED = 7
# how long the first call of a batch waits for others
GATHER_SECONDS = 0.02
MOST = 256


def identity(model: ModelName) -> dict[str, Any]:
    """A hub name as it stands; a folder by the bytes of its files, whatever its path."""
    folder = Path(model.name).expanduser()
    if not folder.is_dir():
        return {"provider": "vllm", "name": model.name}
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*")):
        if path.suffix in (".json", ".safetensors", ".bin", ".gguf", ".model", ".jinja"):
            with path.open("rb") as file:
                digest.update(path.name.encode() + hashlib.file_digest(file, "sha256").digest())
    return {"provider": "vllm", "sha256": digest.hexdigest()}


@dataclass
class _Waiting:
    question: Question
    plain: bool
    future: asyncio.Future[Reply]


class VLLM:
    concurrency = MOST

    def __init__(self, model: ModelName) -> None:
        self.model = model
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="vllm")
        self._engine: Any = None
        self._queue: list[_Waiting] = []
        self._flusher: asyncio.Task[None] | None = None
        self._labels: dict[str, int] = {}

    def body(self, question: Question, *, plain: bool = False) -> dict[str, Any]:
        """The chat messages of a request."""
        assert isinstance(question, Request)
        system = question.system
        if question.schema is not None:
            system = plain_system(question, dialect.dumps(dialect.wire(question.schema)))
        messages = [{"role": "system", "content": system}] if system else []
        return {"messages": [*messages, {"role": "user", "content": only_text(question.parts, "vllm")}]}

    async def call(self, question: Question, *, plain: bool = False) -> Reply:
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._queue.append(_Waiting(question, plain, future))
        if self._flusher is None or self._flusher.done():
            self._flusher = asyncio.create_task(self._flush())
        return await future

    async def close(self) -> None:
        self._engine = None
        self._thread.shutdown(wait=True)

    async def _flush(self) -> None:
        """Send what has gathered, as long as there is something: texts in one batch, typed questions in another."""
        await asyncio.sleep(GATHER_SECONDS)
        loop = asyncio.get_running_loop()
        while self._queue:
            batch, self._queue = self._queue[:MOST], self._queue[MOST:]
            for typed in (True, False):
                chosen = [item for item in batch if isinstance(item.question, TypedQuestion) is typed]
                if not chosen:
                    continue
                run = self._judge if typed else self._chat
                try:
                    replies = await loop.run_in_executor(self._thread, run, chosen)
                except Exception as error:  # noqa: BLE001  # whoever waits must hear of it: the engine raises anything
                    known = isinstance(error, ProviderError | UsageError)
                    problem = error if known else CallError(f"vLLM failed: {type(error).__name__}: {error}")
                    replies = [problem] * len(chosen)
                for item, reply in zip(chosen, replies, strict=True):
                    if item.future.done():
                        continue  # its caller gave up waiting
                    if isinstance(reply, Reply):
                        item.future.set_result(reply)
                    else:
                        item.future.set_exception(reply)

    def _chat(self, items: list[_Waiting]) -> list[Reply]:
        engine, vllm = self._start()
        settings = []
        for item in items:
            request = item.question
            assert isinstance(request, Request)
            held = None
            if request.schema is not None and not item.plain:
                held = vllm.sampling_params.StructuredOutputsParams(json=dialect.held(request.schema))
            settings.append(
                vllm.SamplingParams(
                    max_tokens=request.max_tokens,
                    temperature=request.temperature or 0.0,
                    seed=SEED + request.repeat,
                    structured_outputs=held,
                )
            )
        conversations = [self.body(item.question)["messages"] for item in items]
        outputs = engine.chat(conversations, settings, use_tqdm=False)
        return [self._reply(output) for output in outputs]

    def _judge(self, items: list[_Waiting]) -> list[Reply | UsageError | CallError]:
        """One forward pass each; levels from the next token's log-probabilities."""
        engine, vllm = self._start()
        prompts, settings = [], []
        for item in items:
            question = item.question
            assert isinstance(question, TypedQuestion)
            if question.images:
                raise UsageError("vllm: takes text only, no images")
            if question.also:
                raise UsageError("vllm: takes one typed question a call")
            # exactly the labels' probabilities, however unlikely they are
            labels = [self._label(level.label) for level in question.levels]
            settings.append(vllm.SamplingParams(max_tokens=1, temperature=0.0, logprob_token_ids=labels))
            tokens = self._tokens(question.prefix(), True) + self._tokens(question.suffix(), False)
            prompts.append({"prompt_token_ids": tokens})
        outputs = engine.generate(prompts, settings, use_tqdm=False)
        return [self._odds(item.question, output) for item, output in zip(items, outputs, strict=True)]

    def _odds(self, question: Question, output: Any) -> Reply | CallError:
        assert isinstance(question, TypedQuestion)
        first = output.outputs[0].logprobs[0]
        masses = []
        for level in question.levels:
            entry = first.get(self._label(level.label))
            masses.append(math.exp(entry.logprob) if entry is not None else 0.0)
        total = sum(masses)
        if total <= 0:
            return CallError(f"none of {[level.label for level in question.levels]} has a probability")
        odds = {level.label: mass / total for level, mass in zip(question.levels, masses, strict=True)}
        return Reply(
            odds=LevelOdds(odds, outside=max(0.0, 1.0 - total)),
            stop_reason="logprobs",
            model=self.model.public,
            usage=_usage(output),
        )

    def _reply(self, output: Any) -> Reply:
        first = output.outputs[0]
        return Reply(
            text=first.text,
            stop="length" if first.finish_reason == "length" else "end",
            stop_reason=first.finish_reason or "",
            model=self.model.public,
            usage=_usage(output),
        )

    def _tokens(self, text: str, special: bool) -> list[int]:
        return self._engine.get_tokenizer().encode(text, add_special_tokens=special)

    def _label(self, label: str) -> int:
        if label not in self._labels:
            tokens = self._tokens(f" {label}", False)
            if len(tokens) != 1:
                raise UsageError(f"the level {label!r} is {len(tokens)} tokens for {self.model}: use a shorter label")
            self._labels[label] = tokens[0]
        return self._labels[label]

    def _start(self) -> tuple[Any, Any]:
        try:
            vllm = import_module("vllm")
            import_module("vllm.sampling_params")
        except ImportError:
            raise ProviderError("vllm: needs vLLM: pip install 'exam2bench[vllm]'") from None
        if self._engine is None:
            # white space between tokens is only ruled out in the engine's own configuration
            held = {"backend": "xgrammar", "disable_any_whitespace": True}
            self._engine = vllm.LLM(
                model=self.model.name,
                enable_prefix_caching=True,
                structured_outputs_config=held,
                seed=SEED,
            )
        return self._engine, vllm


def _usage(output: Any) -> Usage:
    return Usage(
        input=len(output.prompt_token_ids or ()),
        output=sum(len(piece.token_ids) for piece in output.outputs),
        cached=output.num_cached_tokens or 0,
    )
