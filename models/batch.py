"""The batch services of OpenAI and Anthropic: half the price, within a day.

Every item's name is its address in the call cache, so whatever comes back, from whichever batch and in whatever
order, finds its place, and twice the same item is one. The batch's id is remembered in the cache before and after
submission: the same command, started again, collects what was submitted and sends only the rest.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from ..schemas.errors import ProviderError, UsageError
from .asking import json_outcome, plain_outcome
from .outcome import Outcome, Usage
from .providers.wire import CallError, Reply, reask
from .request import Question, Request, TypedQuestion

if TYPE_CHECKING:
    from .gateway import Gateway

ROUNDS = 3
FIRST_POLL = 5.0
LONGEST_POLL = 120.0


@dataclass(frozen=True, slots=True)
class Item:
    """One result of a batch: the reply, or why there is none."""

    key: str
    reply: Reply | None = None
    error: str = ""


class BatchService(Protocol):
    """One provider's service. `most`: items in a batch; `most_bytes`: of all bodies together."""

    most: int
    most_bytes: int

    async def submit(self, items: Sequence[tuple[str, Question]], token: str) -> str: ...

    async def find(self, token: str, keys: Sequence[str], since: int) -> str | None: ...

    async def ended(self, batch: str) -> bool: ...

    def results(self, batch: str) -> AsyncIterator[Item]: ...


@dataclass
class _State:
    """What is still open: the question as it will be sent next, what it used so far, why it failed last."""

    question: Question
    original: Question
    usage: Usage = field(default_factory=Usage)
    attempts: int = 0
    last: Outcome = field(default_factory=lambda: Outcome("transport_error", errors=("the batch gave no result",)))


async def run_batch(
    gateway: Gateway, questions: Sequence[Question], keys: Sequence[str], on_done: Callable[[int, Outcome], None]
) -> None:
    """Ask by batch: first what earlier runs submitted, then the rest, failed items up to three rounds."""
    from .providers.batches import batch_service

    service = batch_service(gateway.provider())
    if service is None:
        raise UsageError(f"{gateway.model} has no batch service: --batch works with openai: and anthropic:")
    assert gateway.cache is not None  # Gateway refuses --batch without a cache
    run = _BatchRun(gateway, service, dict(zip(keys, questions, strict=True)), on_done)
    try:
        for left in gateway.cache.open_batches(str(gateway.model)):
            await run.resume(left.token, left.batch, left.keys, left.created)
        for _ in range(ROUNDS):
            if not run.open:
                break
            await run.round()
    except CallError as error:
        raise ProviderError(f"the batch service failed: {error}; the same command continues") from None
    run.give_up()


class _BatchRun:
    def __init__(
        self,
        gateway: Gateway,
        service: BatchService,
        questions: dict[str, Question],
        on_done: Callable[[int, Outcome], None],
    ) -> None:
        self.gateway, self.service, self.on_done = gateway, service, on_done
        self.places = {key: place for place, key in enumerate(questions)}
        self.open = {key: _State(question, question) for key, question in questions.items()}
        self.start = time.monotonic()

    async def resume(self, token: str, batch: str | None, keys: Sequence[str], since: int) -> None:
        """Collect a batch of an earlier run if it holds anything that is asked now."""
        assert self.gateway.cache is not None
        if not self.open.keys() & set(keys):
            return
        batch = batch or await self.service.find(token, keys, since)
        if batch is None:
            self.gateway.cache.close_batch(token)
            return
        self.gateway.cache.name_batch(token, batch)
        await self._collect(token, batch)

    async def round(self) -> None:
        """Submit all that is open, in as many batches as the service needs, and collect them."""
        assert self.gateway.cache is not None
        submitted, reserved = [], 0.0
        for chunk in self._chunks():
            token = hashlib.sha256("".join([*chunk, str(time.time_ns())]).encode()).hexdigest()[:32]
            reserved += self._reserve(chunk)
            self.gateway.cache.remember_batch(token, str(self.gateway.model), chunk)
            items = [(key, self.open[key].question) for key in chunk]
            batch = await self.service.submit(items, token)
            self.gateway.cache.name_batch(token, batch)
            submitted.append((token, batch))
        for token, batch in submitted:
            await self._collect(token, batch)
        self.gateway.budget.settle(reserved, None)

    def give_up(self) -> None:
        """What failed in every round ends as it failed last."""
        for key, state in list(self.open.items()):
            self._finish(key, state, state.last)

    def _reserve(self, chunk: list[str]) -> float:
        budget = self.gateway.budget
        worst = sum(budget.worst(self.open[key].question) for key in chunk)
        if not budget.fits(worst):
            raise budget.broken(worst)
        budget.reserve(worst)
        return worst

    def _chunks(self) -> list[list[str]]:
        chunks: list[list[str]] = []
        size = self.service.most_bytes
        for key, state in self.open.items():
            weight = _weight(state.question)
            if size + weight > self.service.most_bytes or len(chunks[-1]) >= self.service.most:
                chunks.append([])
                size = 0
            chunks[-1].append(key)
            size += weight
        return chunks

    async def _collect(self, token: str, batch: str) -> None:
        assert self.gateway.cache is not None
        poll = FIRST_POLL
        while not await self.service.ended(batch):
            await asyncio.sleep(poll)
            poll = min(LONGEST_POLL, poll * 1.5)
        seen: set[str] = set()
        async for item in self.service.results(batch):
            if item.key not in seen:  # services may deliver an item twice; it was run and charged once
                seen.add(item.key)
                self._take(item)
        self.gateway.cache.close_batch(token)

    def _take(self, item: Item) -> None:
        state = self.open.get(item.key)
        if state is None:
            return  # another run's, or settled by an earlier batch
        state.attempts += 1
        if item.reply is None:
            state.last = Outcome("transport_error", errors=(item.error,))
            return
        state.usage += item.reply.usage
        self.gateway.budget.settle(0.0, item.reply.usage)
        outcome = self._read(item.reply, state.original)
        if outcome.status == "unparseable" and isinstance(state.original, Request):
            state.last = outcome
            state.question = reask(state.original, outcome.text, outcome.errors)
        else:
            self._finish(item.key, state, outcome)

    def _read(self, reply: Reply, question: Question) -> Outcome:
        if isinstance(question, TypedQuestion) or question.schema is None:
            return plain_outcome(reply, question)
        return json_outcome(reply, question.schema)[0]

    def _finish(self, key: str, state: _State, outcome: Outcome) -> None:
        del self.open[key]
        done = replace(
            outcome,
            usage=state.usage,
            cost=self.gateway.budget.cost(state.usage),
            attempts=state.attempts,
            seconds=time.monotonic() - self.start,
        )
        self.on_done(self.places[key], done)


def _weight(question: Question) -> int:
    """Bytes of the body, roughly: base64 grows files by a third."""
    if isinstance(question, TypedQuestion):
        return len(question.prefix()) * 4
    files = sum(len(getattr(part, "data", b"")) for part in question.parts)
    texts = len(question.text().encode("utf-8", "replace")) + len(question.system) * 4
    return files * 4 // 3 + texts * 2 + 20_000
