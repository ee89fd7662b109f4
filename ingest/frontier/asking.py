"""Asking one model: requests with their stage, replies as records, and what each stage cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from pydantic import BaseModel, ValidationError

from ...models.gateway import Gateway
from ...models.outcome import Outcome
from ...models.plan import Plan
from ...models.request import Effort, Part, Request
from .limits import Limits
from .prompts.form import Prompt


@dataclass(frozen=True)
class Ask:
    """One question to the model: which prompt, about what. `name` says it in findings ("pages 3 to 5 of paper.pdf")."""

    prompt: Prompt
    parts: tuple[Part, ...]
    name: str
    prefix_parts: int = 0


@dataclass(frozen=True)
class Heard:
    """What came back. `reply` is the prompt's record, or None with the reason in `outcome`."""

    ask: Ask
    outcome: Outcome
    reply: Any


@dataclass
class Stage:
    """One row of the manifest's table. `seconds` is the wall clock of the rounds that the stage took part in."""

    requests: int = 0
    calls: int = 0
    cache_hits: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float | None = 0.0
    seconds: float = 0.0
    failed: int = 0

    def add(self, outcome: Outcome) -> None:
        self.requests += 1
        self.calls += outcome.attempts
        self.cache_hits += outcome.cached
        self.tokens_in += outcome.usage.input
        self.tokens_out += outcome.usage.output
        self.failed += not outcome.ok
        if self.cost_usd is not None:
            self.cost_usd = None if outcome.cost is None else round(self.cost_usd + outcome.cost, 6)

    def as_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass
class Asking:
    """A model with its limits, asked in rounds: what belongs to one round is sent together."""

    gateway: Gateway
    limits: Limits
    effort: Effort | None = None
    stages: dict[str, Stage] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def name(self) -> str:
        return str(self.gateway.model)

    @property
    def at_once(self) -> int:
        """How many calls run together; batches have no such bound."""
        return 1 if self.gateway.batch else self.gateway.concurrency

    def request(self, ask: Ask) -> Request:
        return Request(
            parts=ask.parts,
            system=ask.prompt.text,
            schema=ask.prompt.schema,
            effort=self.effort,
            max_tokens=self.limits.reply_tokens,
            prefix_parts=ask.prefix_parts,
            tag=ask.prompt.name,
        )

    def continue_bill(self, other: Asking) -> None:
        """Count what `other` has spent against this model's cap too: the two run one after the other."""
        self.gateway.budget.purse.spent += other.gateway.budget.spent

    def plan(self, asks: Sequence[Ask]) -> Plan:
        """What asking would cost; sends nothing."""
        return self.gateway.plan([self.request(ask) for ask in asks])

    def round(self, asks: Sequence[Ask]) -> list[Heard]:
        """Ask all, in one go. Failures are outcomes, never exceptions of a provider."""
        if not asks:
            return []
        began = monotonic()
        # windows share little but the instructions: waiting for a first reply would double the time of a round
        outcomes = self.gateway.run([self.request(ask) for ask in asks], lead=False)
        took = monotonic() - began
        self.seconds += took
        heard = [Heard(ask, outcome, _reply(ask, outcome)) for ask, outcome in zip(asks, outcomes, strict=True)]
        for one in heard:
            self.stages.setdefault(one.ask.prompt.name, Stage()).add(one.outcome)
        for name in {ask.prompt.name for ask in asks}:
            self.stages[name].seconds = round(self.stages[name].seconds + took, 3)
        return heard


def _reply(ask: Ask, outcome: Outcome) -> BaseModel | None:
    if not outcome.ok:
        return None
    try:
        return ask.prompt.reply.model_validate(outcome.value)
    except ValidationError:
        # the schema was checked already: numbers beyond what a float holds are all that can still be wrong
        return None
