"""What a run cost and what the cache saved."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from .outcome import Outcome, Usage
from .prices import Price


@dataclass
class Tally:
    """Sums over outcomes. `calls`: calls sent, retries and re-asks included; `hits`: answered by the cache."""

    price: Price | None = None
    statuses: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    hits: int = 0
    usage: Usage = field(default_factory=Usage)
    saved: Usage = field(default_factory=Usage)

    def add(self, outcome: Outcome, stored: Usage | None = None) -> None:
        """`stored`: what the reply cost when it was made, for an outcome that came from the cache."""
        self.statuses[outcome.status] += 1
        self.calls += outcome.attempts
        self.usage += outcome.usage
        if outcome.cached:
            self.hits += 1
            self.saved += stored or Usage()

    def as_dict(self) -> dict[str, Any]:
        """For reports and `--json`: tokens, dollars (None where no price is known) and counts."""
        return {
            "requests": sum(self.statuses.values()),
            "statuses": dict(sorted(self.statuses.items())),
            "calls": self.calls,
            "cache_hits": self.hits,
            "tokens": self.usage.as_dict(),
            "tokens_saved": self.saved.as_dict(),
            "cost_usd": self._cost(self.usage),
            "cost_saved_usd": self._cost(self.saved),
            "provider_cached_share": round(self.usage.cached / self.usage.input, 4) if self.usage.input else 0.0,
        }

    def text(self) -> str:
        """One line for a person."""
        cost, saved = self._cost(self.usage), self._cost(self.saved)
        money = "no price known" if cost is None else f"${cost:.4f}"
        line = f"{self.calls} calls ({self.usage.input} tokens in, {self.usage.output} out, {money})"
        if self.hits:
            line += f"; {self.hits} replies from the cache" + (f" saved ${saved:.4f}" if saved else "")
        bad = {status: count for status, count in sorted(self.statuses.items()) if status != "ok"}
        return line + "".join(f"; {count} {status}" for status, count in bad.items())

    def _cost(self, usage: Usage) -> float | None:
        return None if self.price is None else round(self.price.cost(usage), 6)
