"""A line on the terminal while calls run; silent in a pipe."""

from __future__ import annotations

import sys
import time

EVERY = 0.2


class Progress:
    """`done/total calls`, what came from the cache and what is spent, rewritten in place on stderr."""

    def __init__(self, total: int, hits: int) -> None:
        self.total, self.hits, self.done = total, hits, 0
        self._shows = sys.stderr.isatty() and total > 1
        self._last = 0.0

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *exc: object) -> None:
        if self._shows:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def step(self, spent: float) -> None:
        self.done += 1
        now = time.monotonic()
        if self._shows and (now - self._last >= EVERY or self.done == self.total):
            self._last = now
            cached = f", {self.hits} from the cache" if self.hits else ""
            money = f", ${spent:.4f}" if spent else ""
            line = f"\r\x1b[K{self.done}/{self.total} calls{cached}{money}"
            print(line, end="", file=sys.stderr, flush=True)
