"""What came back from a model: one record for every way a call can end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ..schemas.printable import printable

Status = Literal["ok", "refused", "truncated", "unparseable", "transport_error"]
KEPT: frozenset[Status] = frozenset({"ok", "refused"})


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens. `input` counts all input tokens, cached ones too; `output` includes `reasoning`."""

    input: int = 0
    output: int = 0
    cached: int = 0
    cache_write: int = 0
    reasoning: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cached + other.cached,
            self.cache_write + other.cache_write,
            self.reasoning + other.reasoning,
        )

    def as_dict(self) -> dict[str, int]:
        return {
            "input": self.input,
            "output": self.output,
            "cached": self.cached,
            "cache_write": self.cache_write,
            "reasoning": self.reasoning,
        }


@dataclass(frozen=True, slots=True)
class Note:
    """Something a reader of the reply should know. `code`: latex.repaired, latex.doubtful, json.repaired,
    json.plain; `path`: JSON pointer of the string."""

    code: str
    path: str
    detail: str


@dataclass(frozen=True, slots=True)
class LevelOdds:
    """A probability per level, and the mass that fell on none of them (0 where the provider reports none).

    The probabilities are over the levels alone and sum to 1. `score`: the expected 0-based level where the
    provider reports one. `also`: the odds of further questions of the same call (`TypedQuestion.also`).
    """

    probabilities: dict[str, float]
    outside: float = 0.0
    score: float | None = None
    also: tuple[LevelOdds, ...] = ()

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> LevelOdds:
        """From the record of `as_dict`."""
        return cls(**{**entry, "also": tuple(cls.of(one) for one in entry.get("also", ()))})

    def as_dict(self) -> dict[str, Any]:
        entry = {"probabilities": self.probabilities, "outside": self.outside, "score": self.score}
        return entry | ({"also": [one.as_dict() for one in self.also]} if self.also else {})

    @property
    def best(self) -> str:
        """The most probable label; of equals the first in the order of the levels."""
        return max(self.probabilities, key=lambda label: self.probabilities[label])


@dataclass(frozen=True)
class Outcome:
    """One request's end.

    status: `ok` has `value` (schema), `odds` (typed question) or `text`; `refused` the model's words in
        `refusal`; `truncated` and `unparseable` keep the raw `text`; `transport_error` says why in `errors`.
    usage: tokens of all attempts that were answered. `cost` in US dollars, None where no price is known.
    model: as reported by the provider. stop_reason: in the provider's own word.
    attempts: calls made for this outcome (0: from the cache). seconds: wall clock, waiting included.
    """

    status: Status
    text: str = ""
    value: Any = None
    odds: LevelOdds | None = None
    refusal: str = ""
    errors: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None
    model: str = ""
    stop_reason: str = ""
    attempts: int = 0
    seconds: float = 0.0
    cached: bool = False
    tag: str = ""

    @property
    def ok(self) -> bool:
        return self.status == "ok"

    def with_tag(self, tag: str) -> Outcome:
        return replace(self, tag=tag)

    def why(self) -> str:
        """One line for a person: what went wrong, nothing where it is ok. Free of control characters."""
        if self.ok:
            return ""
        detail = self.refusal if self.status == "refused" else "; ".join(self.errors)
        return f"{self.status}: {printable(detail)}" if detail else self.status
