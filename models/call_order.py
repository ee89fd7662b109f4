"""The order of calls: requests with the same stable prefix in a row, the first of them alone.

A provider's prompt cache can be read only once the first reply of a prefix has begun. So the first request of
each group goes ahead; its followers come next in line as soon as it is answered, before any later group.
Where repeats come first (`repeat_major`), each repeat has groups of its own.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from .request import Question, Request, TextPart

# shorter prefixes are below every provider's caching threshold: nothing to wait for
MIN_PREFIX_CHARS = 3000


def grouped(questions: Sequence[Question], *, repeat_major: bool = False) -> list[list[int]]:
    """Indices by stable prefix, groups in order of first appearance; repeat_major: by repeat, then by prefix."""
    groups: dict[tuple[int, str], list[int]] = {}
    for index, question in enumerate(questions):
        groups.setdefault((question.repeat if repeat_major else 0, question.prefix_identity()), []).append(index)
    # the sort is stable: within a repeat the order of first appearance stays
    return [groups[key] for key in sorted(groups, key=lambda key: key[0])]


class CallQueue:
    """Indices ready to be called. `take()` gives the next one or None; `done(index)` releases followers."""

    def __init__(self, questions: Sequence[Question], *, lead: bool = True, repeat_major: bool = False) -> None:
        self._ready: list[tuple[int, int, int]] = []
        self._followers: dict[int, tuple[int, list[int]]] = {}
        for rank, group in enumerate(grouped(questions, repeat_major=repeat_major)):
            leads = lead and len(group) > 1 and _prefix_chars(questions[group[0]]) >= MIN_PREFIX_CHARS
            for place, index in enumerate(group[:1] if leads else group):
                heapq.heappush(self._ready, (rank, place, index))
            if leads:
                self._followers[group[0]] = (rank, group[1:])

    def take(self) -> int | None:
        return heapq.heappop(self._ready)[2] if self._ready else None

    def done(self, index: int) -> None:
        """The question is answered: its followers are next in line."""
        rank, followers = self._followers.pop(index, (0, []))
        for place, follower in enumerate(followers, start=1):
            heapq.heappush(self._ready, (rank, place, follower))

    @property
    def ready(self) -> bool:
        return bool(self._ready)

    @property
    def waiting(self) -> bool:
        return bool(self._followers)


def _prefix_chars(question: Question) -> int:
    if not isinstance(question, Request):
        return len(question.prefix())
    stable = question.parts[: question.prefix_parts]
    texts = sum(len(part.text) for part in stable if isinstance(part, TextPart))
    return len(question.system) + texts + MIN_PREFIX_CHARS * any(not isinstance(part, TextPart) for part in stable)
