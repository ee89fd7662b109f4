"""Columns: where a page's gutters run, and which words stand in which column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .page import Box, Page, Word


@dataclass
class Region:
    """The words of one column of one band; column -1 is full width."""

    words: list[Word]
    band: int
    column: int
    box: Box


def split_columns(page: Page, words: Sequence[Word]) -> list[Region]:
    """The page's columns in reading order."""
    if not words:
        return []
    box = _hull(words)
    gutter = _gutter(words, box)
    if gutter is None:
        return [Region(list(words), 0, -1, box)]
    left, right = [w for w in words if w.box.cx < gutter], [w for w in words if w.box.cx >= gutter]
    return [Region(left, 0, 0, _hull(left)), Region(right, 0, 1, _hull(right))]


def _hull(words: Sequence[Word]) -> Box:
    return Box(
        min(w.box.x0 for w in words),
        min(w.box.y0 for w in words),
        max(w.box.x1 for w in words),
        max(w.box.y1 for w in words),
    )


def _gutter(words: Sequence[Word], box: Box) -> float | None:
    """The middle of a white strip between two columns, or None."""
    width = int(box.width) + 2
    cover = [0.0] * width
    for word in words:
        for x in range(int(word.box.x0 - box.x0), int(word.box.x1 - box.x0) + 1):
            cover[x] += word.box.height
    low, high = int(width * 0.35), int(width * 0.65)
    runs: list[tuple[int, int]] = []
    start = None
    for x in range(low, high):
        if cover[x] <= 0.04 * box.height:
            start = x if start is None else start
        elif start is not None:
            runs.append((x - start, start))
            start = None
    if start is not None:
        runs.append((high - start, start))
    if not runs or max(runs)[0] < 9:
        return None
    length, at = max(runs)
    return box.x0 + at + length / 2
