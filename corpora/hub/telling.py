"""What publishing and fetching say on the way: notes always, steps only to who watches."""

from __future__ import annotations

import sys

from ...schemas.printable import printable


class Telling:
    """On stderr. A step is one line of a terminal, written over by the next; in a pipe there are none."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()

    def __enter__(self) -> Telling:
        return self

    def __exit__(self, *_: object) -> None:
        self._clear()

    def note(self, text: str) -> None:
        self._clear()
        print(printable(text, 500), file=sys.stderr)

    def step(self, text: str) -> None:
        if self._live:
            print(f"\r\x1b[K{printable(text, 100)} …", end="", file=sys.stderr, flush=True)

    def _clear(self) -> None:
        if self._live:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
