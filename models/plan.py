"""What a run would do and cost: `--dry-run`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from .outcome import Usage
from .prices import Price, estimate
from .request import Question


@dataclass(frozen=True, slots=True)
class Plan:
    """`calls` to be made; `hits` already in the cache; `duplicates` asked more than once in this run.

    Tokens and dollars from the low end (input at four bytes a token, empty replies) to the high end (two bytes a
    token, every reply at its limit); retries and re-asks come on top. Dollars are None where no price is known.
    """

    model: str
    calls: int
    hits: int
    duplicates: int
    input_low: int
    input_high: int
    output_most: int
    cost_low: float | None
    cost_high: float | None

    def __add__(self, other: Plan) -> Plan:
        """The plan of both; of one model."""
        return Plan(
            model=self.model,
            calls=self.calls + other.calls,
            hits=self.hits + other.hits,
            duplicates=self.duplicates + other.duplicates,
            input_low=self.input_low + other.input_low,
            input_high=self.input_high + other.input_high,
            output_most=self.output_most + other.output_most,
            cost_low=_sum(self.cost_low, other.cost_low),
            cost_high=_sum(self.cost_high, other.cost_high),
        )

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    def text(self) -> str:
        if self.cost_low is None:
            money = "no price known: --price IN,OUT gives one"
        else:
            money = f"${self.cost_low:.4f} to ${self.cost_high:.4f}"
        return (
            f"{self.model}: {self.calls} calls to make, {self.hits} in the cache, {self.duplicates} asked twice\n"
            f"input {self.input_low:,} to {self.input_high:,} tokens, output at most {self.output_most:,}\n"
            f"cost {money}"
        )


def _sum(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first + second


def make_plan(model: str, pending: Sequence[Question], hits: int, duplicates: int, price: Price | None) -> Plan:
    """The plan for the questions that are neither in the cache nor asked twice."""
    tokens = [estimate(question) for question in pending]
    low, high = sum(token.low for token in tokens), sum(token.high for token in tokens)
    output = sum(token.output for token in tokens)
    return Plan(
        model=model,
        calls=len(pending),
        hits=hits,
        duplicates=duplicates,
        input_low=low,
        input_high=high,
        output_most=output,
        cost_low=None if price is None else price.cost(Usage(input=low)),
        cost_high=None if price is None else price.cost(Usage(input=high, output=output)),
    )
