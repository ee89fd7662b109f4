"""The one face of `models`: questions in, outcomes out, whatever stands behind the name.

    with Gateway("anthropic:claude-opus-5", cache=CallCache(path), max_cost=2.0) as gateway:
        outcomes = gateway.run(requests)      # list[Outcome], in the order of the requests

Replies already paid for come from the cache; the rest is asked live or through a batch service.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from ..schemas.errors import UsageError
from .asking import Asker, json_outcome, plain_outcome
from .budget import Budget, Purse
from .cache import CallCache, StoredReply, call_key
from .dialect import sendable
from .names import ModelName, parse_model
from .outcome import KEPT, Outcome, Usage
from .pace import Pace
from .plan import Plan, make_plan
from .prices import BATCH_SHARE, Price, find_price
from .progress import Progress
from .providers.registry import ProviderSettings, identity_of, open_provider
from .providers.wire import Provider, Reply
from .request import Question, TypedQuestion
from .runner import run_live
from .tally import Tally

Result = TypeVar("Result")


class Gateway:
    """One model, its cache, its budget.

    model: `PROVIDER:NAME[@BASE_URL]`. cache: None asks anew each time. concurrency: the most calls at once.
    max_cost: US dollars, a hard cap; purse: one that several gateways of an event loop share. price: where no list
    price is known or it is not yours. plain: ask for JSON in words. batch: through the provider's batch service.
    deadline: seconds per call, retries included.
    Raises UsageError (name, address, cap without price), ProviderError (key, extra, unusable model) and BudgetError.
    """

    def __init__(
        self,
        model: str | ModelName,
        *,
        cache: CallCache | None = None,
        concurrency: int = 16,
        max_cost: float | None = None,
        price: Price | None = None,
        plain: bool = False,
        batch: bool = False,
        deadline: float = 900.0,
        allow_http: bool = False,
        settings: ProviderSettings | None = None,
        provider: Provider | None = None,
        purse: Purse | None = None,
    ) -> None:
        self.model = parse_model(model, allow_http=allow_http) if isinstance(model, str) else model
        if concurrency < 1:
            raise UsageError(f"--concurrency {concurrency}: at least one call at a time")
        if batch and cache is None:
            raise UsageError("--batch needs the call cache, which remembers the batch after a restart")
        self.cache, self.concurrency, self.plain, self.batch = cache, concurrency, plain, batch
        self.settings = settings or ProviderSettings()
        self.deadline = deadline
        self.progress: Callable[[int, int], Progress] = Progress
        price = price or find_price(self.model)
        if batch and price is not None:
            price = price.scaled(BATCH_SHARE)
        self.budget = Budget(self.model, max_cost=max_cost, price=price, purse=purse)
        self.tally = Tally(self.budget.price)
        self._provider = provider
        self._runner: asyncio.Runner | None = None
        self._asker: Asker | None = None
        self._identity: dict[str, Any] | None = None

    def __enter__(self) -> Gateway:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Close connections, engines and the cache."""
        if self._runner is not None:
            if self._provider is not None:
                self._runner.run(self._provider.close())
            self._runner.close()
            self._runner = None
        if self.cache is not None:
            self.cache.close()

    async def aclose(self) -> None:
        """`close`, within the event loop in which `arun` was awaited."""
        if self._provider is not None:
            await self._provider.close()
        if self.cache is not None:
            self.cache.close()

    def run(self, questions: Sequence[Question], *, lead: bool = True) -> list[Outcome]:
        """Ask all of them; blocks. Within an event loop, use `arun`. lead: the first request of each shared prefix goes
        ahead alone, so that the others find it cached; False where the time of one reply is worth more than that."""
        return self.complete(self.arun(questions, lead=lead))

    def complete(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Await something that asks this gateway, in the gateway's own loop; blocks."""
        if self._runner is None:
            # one loop for all runs: connections and engines outlive a run
            self._runner = asyncio.Runner()
        return self._runner.run(work)

    async def arun(
        self, questions: Sequence[Question], *, repeat_major: bool = False, lead: bool = True
    ) -> list[Outcome]:
        """The asynchronous form of `run`. repeat_major: all first sittings before any second one; otherwise repeats
        follow each other, while the provider still has their prefix."""
        questions = [self._prepared(question) for question in questions]
        keys = [self.key(question) for question in questions]
        outcomes = self._from_cache(questions, keys)
        first: dict[str, int] = {}
        for index, key in enumerate(keys):
            if index not in outcomes:
                first.setdefault(key, index)
        pending = list(first.values())
        if pending:
            await self._ask(pending, questions, keys, outcomes, repeat_major, lead)
        for index, key in enumerate(keys):
            if index not in outcomes:
                twin = outcomes[first[key]]
                outcomes[index] = self._shared(twin, questions[index])
        return [outcomes[index] for index in range(len(questions))]

    def key(self, question: Question) -> str:
        """The question's address in the cache, hex."""
        if self._identity is None:
            self._identity = identity_of(self.model)
        return call_key(self._identity, self._prepared(question))

    def _prepared(self, question: Question) -> Question:
        """The question as it will be asked. A schema that some provider would refuse (a matching question of thirty
        rows) is asked in plain text; the reply is held to it all the same."""
        if isinstance(question, TypedQuestion) or question.plain:
            return question
        outside = question.schema is not None and not sendable(question.schema)
        return replace(question, plain=True) if self.plain or outside else question

    def plan(self, questions: Sequence[Question], seen: set[str] | None = None) -> Plan:
        """What `run` would do and cost; sends nothing and needs no key. `seen`: keys of the plans before this one, for
        a run in several pieces; grows by this one's."""
        seen = set() if seen is None else seen
        keys = [self.key(question) for question in questions]
        stored = self.cache.get_many(keys) if self.cache else {}
        pending: dict[str, Question] = {}
        for key, question in zip(keys, questions, strict=True):
            if key not in stored and key not in seen:
                pending.setdefault(key, question)
        seen.update(pending)
        hits = sum(key in stored for key in keys)
        duplicates = len(keys) - hits - len(pending)
        return make_plan(str(self.model), list(pending.values()), hits, duplicates, self.budget.price)

    def summary(self) -> dict[str, Any]:
        """Counts, tokens and dollars of this gateway's runs so far, now spent and saved by the cache."""
        return {"model": str(self.model), **self.tally.as_dict()}

    def _from_cache(self, questions: Sequence[Question], keys: Sequence[str]) -> dict[int, Outcome]:
        stored = self.cache.get_many(keys) if self.cache else {}
        outcomes: dict[int, Outcome] = {}
        for index, key in enumerate(keys):
            if key not in stored:
                continue
            outcome = stored_outcome(stored[key], questions[index])
            if outcome.status not in KEPT and self.cache:
                self.cache.forget(key)
                continue
            outcomes[index] = outcome
            self.tally.add(outcome, stored[key].usage)
        return outcomes

    async def _ask(
        self,
        pending: list[int],
        questions: Sequence[Question],
        keys: Sequence[str],
        outcomes: dict[int, Outcome],
        repeat_major: bool,
        lead: bool,
    ) -> None:
        asked = [questions[index] for index in pending]
        with self.progress(len(pending), len(outcomes)) as progress:

            def done(place: int, outcome: Outcome) -> None:
                index = pending[place]
                outcomes[index] = self._keep(keys[index], outcome, questions[index])
                progress.step(self.budget.spent)

            if self.batch:
                from .batch import run_batch

                await run_batch(self, asked, [keys[index] for index in pending], done)
            else:
                asker = self.asker()
                await run_live(asker, asked, self._workers(), done, repeat_major=repeat_major, lead=lead)

    def provider(self) -> Provider:
        if self._provider is None:
            self._provider = open_provider(self.model, self.settings)
        return self._provider

    def asker(self) -> Asker:
        """The one that asks live; it remembers the pace and whether the model needs plain text."""
        if self._asker is None:
            pace = Pace(self._workers())
            self._asker = Asker(self.provider(), pace, self.budget, deadline=self.deadline, plain=self.plain)
        return self._asker

    def _workers(self) -> int:
        return min(self.concurrency, self.provider().concurrency or self.concurrency)

    def _keep(self, key: str, outcome: Outcome, question: Question) -> Outcome:
        """Store what may be replayed; where another process was first, its reply is the one that counts."""
        if self.cache is not None and outcome.status in KEPT:
            mine = to_store(outcome, self.model.public)
            kept = self.cache.put(key, mine)
            if kept is not mine:
                winner = stored_outcome(kept, question)
                if winner.status in KEPT:
                    outcome = replace(winner, usage=outcome.usage, cost=outcome.cost, attempts=outcome.attempts)
        outcome = outcome.with_tag(question.tag)
        self.tally.add(outcome, outcome.usage if outcome.cached else None)
        return outcome

    def _shared(self, twin: Outcome, question: Question) -> Outcome:
        shared = replace(twin, usage=Usage(), cost=0.0, attempts=0, seconds=0.0, cached=True, tag=question.tag)
        self.tally.add(shared, twin.usage)
        return shared


def to_store(outcome: Outcome, asked: str) -> StoredReply:
    return StoredReply(
        status=outcome.status,
        asked=asked,
        text=outcome.text,
        odds=outcome.odds,
        refusal=outcome.refusal,
        reported=outcome.model,
        stop=outcome.stop_reason,
        usage=outcome.usage,
        seconds=outcome.seconds,
    )


def stored_outcome(stored: StoredReply, question: Question) -> Outcome:
    """A stored reply read again, by the same rules as a live one."""
    reply = Reply(
        text=stored.text,
        stop="refusal" if stored.status == "refused" else "end",
        stop_reason=stored.stop,
        refusal=stored.refusal,
        odds=stored.odds,
        model=stored.reported,
    )
    if isinstance(question, TypedQuestion) or question.schema is None:
        outcome = plain_outcome(reply, question)
    else:
        outcome, _ = json_outcome(reply, question.schema)
    return replace(outcome, cached=True, cost=0.0, tag=question.tag)
