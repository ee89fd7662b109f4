"""One question from the first call to its outcome: retries, re-asking, the fall back to plain text.

A call that was not answered is sent again with jitter until its deadline. A reply that breaks its schema is asked
again once, with the errors. Constrained decoding that fails twice (an empty reply, no JSON at all, or a server that
does not know it) is given up for plain text.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..schemas.errors import ProviderError
from . import replies
from .budget import Budget
from .outcome import Note, Outcome, Usage
from .pace import Pace
from .providers.wire import CallError, Provider, Reply, reask
from .request import Question, Request, TypedQuestion

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
MAX_TRIES = 12
# a run that never reached its server is a wrong address, not a bad moment
UNREACHED_TRIES = 4
REJECTED = "rejected"


@dataclass
class Bill:
    """What one question has used so far."""

    attempts: int = 0
    usage: Usage = field(default_factory=Usage)


class Asker:
    """Asks one model. `deadline`: seconds per call, retries included. `plain`: ask for JSON in words from the start."""

    def __init__(
        self, provider: Provider, pace: Pace, budget: Budget, *, deadline: float = 900.0, plain: bool = False
    ) -> None:
        self.provider, self.pace, self.budget = provider, pace, budget
        self.deadline = deadline
        self.plain = plain
        self.answered = 0
        self._rescued = 0

    async def ask(self, question: Question) -> Outcome:
        """The outcome, never an exception of the provider. Raises ProviderError where no request can succeed, and
        BudgetError before the call that would break the cap."""
        start, bill = time.monotonic(), Bill()
        try:
            if isinstance(question, TypedQuestion) or question.schema is None:
                outcome = plain_outcome(await self._call(question, bill), question)
            else:
                outcome = await self._ask_json(question, question.schema, bill)
        except CallError as error:
            if error.fatal:
                raise ProviderError(str(error)) from None
            outcome = Outcome("transport_error", errors=(str(error),))
        return replace(
            outcome,
            usage=bill.usage,
            cost=self.budget.cost(bill.usage),
            attempts=bill.attempts,
            seconds=time.monotonic() - start,
        )

    async def _ask_json(self, request: Request, schema: Mapping[str, Any], bill: Bill) -> Outcome:
        plain = self.plain or request.plain
        outcome, decoded = await self._attempt(request, schema, bill, plain=plain)
        if outcome.status != "unparseable":
            return outcome
        if outcome.stop_reason != REJECTED:
            again = reask(request, outcome.text, outcome.errors)
            outcome, decoded_again = await self._attempt(again, schema, bill, plain=plain)
            if outcome.status != "unparseable" or plain or decoded or decoded_again:
                return outcome
        outcome, _ = await self._attempt(reask(request, outcome.text, outcome.errors), schema, bill, plain=True)
        if outcome.ok:
            self._rescued += 1
            # twice in a run is a property of the model, not of a question
            self.plain = self._rescued >= 2
            note = Note("json.plain", "", "asked for in plain text after constrained decoding failed twice")
            outcome = replace(outcome, notes=(note, *outcome.notes))
        return outcome

    async def _attempt(
        self, request: Request, schema: Mapping[str, Any], bill: Bill, *, plain: bool
    ) -> tuple[Outcome, bool]:
        """(outcome, whether any JSON object came)."""
        try:
            reply = await self._call(request, bill, plain=plain)
        except CallError as error:
            if plain or not error.rejected:
                raise
            return Outcome("unparseable", errors=(str(error),), stop_reason=REJECTED), False
        return json_outcome(reply, schema)

    async def _call(self, question: Question, bill: Bill, *, plain: bool = False) -> Reply:
        """One answered call. Raises CallError when tries, deadline or sense are used up."""
        until = time.monotonic() + self.deadline
        for tries in range(1, MAX_TRIES + 1):
            bill.attempts += 1
            try:
                reply = await self._send(question, plain, until - time.monotonic())
            except CallError as error:
                if error.unreachable and not self.answered and tries >= UNREACHED_TRIES:
                    raise CallError(f"the server cannot be reached: {error}", fatal=True) from None
                pause = _pause(tries, error.after)
                if not error.retry or tries == MAX_TRIES or time.monotonic() + pause > until:
                    raise
                await asyncio.sleep(pause)
            else:
                bill.usage += reply.usage
                return reply
        raise AssertionError("unreachable: the last try returns or raises")

    async def _send(self, question: Question, plain: bool, seconds: float) -> Reply:
        worst = await self._reserve(question)
        usage = None
        try:
            await self.pace.enter()
            try:
                async with asyncio.timeout(max(0.01, seconds)):
                    reply = await self.provider.call(question, plain=plain)
            except TimeoutError:
                raise CallError(f"no answer within {self.deadline:g} seconds") from None
            except CallError as error:
                if error.overload:
                    self.pace.overloaded(error.after)
                raise
            finally:
                await self.pace.leave()
            usage = reply.usage
            self.answered += 1
            self.pace.answered(reply.headers)
            return reply
        finally:
            self.budget.settle(worst, usage)
            purse = self.budget.purse
            if purse.max_cost is not None:
                async with purse.settled:
                    purse.settled.notify_all()

    async def _reserve(self, question: Question) -> float:
        """Wait until the call fits beside those in flight; nothing in flight and no room: BudgetError."""
        worst, purse = self.budget.worst(question), self.budget.purse
        if purse.max_cost is not None:
            async with purse.settled:
                while not self.budget.fits(worst):
                    if purse.reserved <= 1e-12:
                        raise self.budget.broken(worst)
                    await purse.settled.wait()
        self.budget.reserve(worst)
        return worst


def plain_outcome(reply: Reply, question: Question) -> Outcome:
    """The outcome of a reply that needs no parsing: free text, or a typed question's odds."""
    if unfinished := _unfinished(reply):
        return unfinished
    if isinstance(question, TypedQuestion):
        if reply.odds is None:
            return _outcome("unparseable", reply, errors=("the provider gave no probabilities",))
        return _outcome("ok", reply, odds=reply.odds)
    if not replies.visible(reply.text):
        return _outcome("unparseable", reply, errors=("the reply is empty",))
    return _outcome("ok", reply)


def json_outcome(reply: Reply, schema: Mapping[str, Any]) -> tuple[Outcome, bool]:
    """The outcome of a reply that must obey a schema, and whether any JSON object was in it."""
    if unfinished := _unfinished(reply):
        return unfinished, True
    reading = replies.read(reply.text, schema)
    if reading.ok:
        return _outcome("ok", reply, value=reading.value, notes=reading.notes), True
    return _outcome("unparseable", reply, errors=reading.errors, notes=reading.notes), reading.found


def _unfinished(reply: Reply) -> Outcome | None:
    if reply.stop == "refusal":
        return _outcome("refused", reply, refusal=reply.refusal)
    if reply.stop == "length":
        return _outcome("truncated", reply, errors=("the reply ended at its token limit",))
    return None


def _outcome(status: Any, reply: Reply, **fields: Any) -> Outcome:
    return Outcome(status, text=reply.text, model=reply.model, stop_reason=reply.stop_reason, **fields)


def _pause(tries: int, after: float | None) -> float:
    """Seconds before the next try: what the provider asks for, else doubling with full jitter."""
    if after is not None:
        return after + random.uniform(0, 0.25)
    return random.uniform(0.1, 1.0) * min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (tries - 1))
