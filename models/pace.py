"""How many calls at once, and when: the gate that all calls of a run go through.

It starts at the user's concurrency, halves when the provider is overloaded (429, 503, 529), recovers by one
per limit's worth of answers, and stands still as long as a header or a Retry-After says so.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping
from datetime import datetime

DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|h|m|s)")
UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
# one burst of 429s is one event: a second halving waits this long
HALVE_PAUSE = 1.0
MAX_PAUSE = 120.0


class Pace:
    def __init__(self, most: int) -> None:
        self.most = max(1, most)
        self.limit = float(self.most)
        self.halvings = 0
        self._inside = 0
        self._still_until = 0.0
        self._halved_at = -HALVE_PAUSE
        self._freed = asyncio.Condition()

    async def enter(self) -> None:
        """Wait for a place and for the end of a pause."""
        async with self._freed:
            await self._freed.wait_for(lambda: self._inside < int(self.limit))
            self._inside += 1
        while (wait := self._still_until - time.monotonic()) > 0:
            await asyncio.sleep(wait)

    async def leave(self) -> None:
        async with self._freed:
            self._inside -= 1
            self._freed.notify(2)

    def answered(self, headers: Mapping[str, str]) -> None:
        self.limit = min(float(self.most), self.limit + 1.0 / self.limit)
        if wait := exhausted(headers):
            self.stand_still(wait)

    def overloaded(self, after: float | None) -> None:
        now = time.monotonic()
        if now - self._halved_at >= HALVE_PAUSE:
            self.limit = max(1.0, self.limit / 2)
            self._halved_at = now
            self.halvings += 1
        if after:
            self.stand_still(after)

    def stand_still(self, seconds: float) -> None:
        self._still_until = max(self._still_until, time.monotonic() + min(seconds, MAX_PAUSE))


def exhausted(headers: Mapping[str, str]) -> float:
    """Seconds until a limit that the headers report as used up is renewed; 0 where none is.

    OpenAI: `x-ratelimit-remaining-requests: 0` with `x-ratelimit-reset-requests: 1.5s`. Anthropic:
    `anthropic-ratelimit-input-tokens-remaining: 0` with an RFC 3339 time in `…-reset`.
    """
    wait = 0.0
    for name, value in headers.items():
        low = name.lower()
        if "ratelimit" not in low or "remaining" not in low or value.strip() != "0":
            continue
        reset = headers.get(low.replace("remaining", "reset")) or ""
        wait = max(wait, _seconds(reset))
    return wait


def _seconds(text: str) -> float:
    if parts := DURATION.findall(text) if "T" not in text else []:
        return sum(float(number) * UNITS[unit] for number, unit in parts)
    try:
        return max(0.0, datetime.fromisoformat(text).timestamp() - time.time())
    except ValueError:
        return 0.0
