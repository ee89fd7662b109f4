"""Frames and fences: the rules that stand around text or pictures, and what keeps two drawings apart."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from ..page import Box
from .grids import Grid
from .ink import Cluster, Mark, near
from .ladders import option_ladders
from .phrases import Phrase, bounds


def frames_text(grid: Grid, phrases: Sequence[Phrase], drawn: Sequence[Mark]) -> bool:
    """Whether a grid stands around paragraphs or pictures (its rules are a frame), or waits for handwriting.
    `drawn` are the page's curves, pictures and filled areas."""
    box = grid.box
    x0, y0, x1, y1 = box.x0, box.y0, box.x1, box.y1
    inside = [p for p in phrases if p.box.y1 > y0 and p.box.y0 < y1 and box.contains(p.box.cx, p.box.cy)]
    ink: list[Mark] = []
    for mark in drawn:
        at = mark.box
        if at.x1 < x0 or at.x0 > x1 or at.y1 < y0 or at.y0 > y1 or not box.contains(at.cx, at.cy):
            continue
        if mark.kind != "rectangle" or at.area < 0.9 * box.area:
            ink.append(mark)
    if sum(p.running for p in inside) <= 3 and not any(p.marker for p in inside) and _fills(ink, box):
        return False
    if any(p.running or p.marker for p in inside) or not (inside or ink):
        return True
    return bool(inside) and sum(p.box.area for p in inside) > 0.25 * box.area


def _fills(ink: Sequence[Mark], box: Box) -> bool:
    """Whether drawn areas take up much of a panel: a chart with its title inside one frame."""
    return bool(ink) and bounds(mark.box for mark in ink).area > 0.3 * box.area


def on_frame(mark: Mark, frames: Sequence[Grid]) -> bool:
    if mark.kind in ("other", "picture"):
        return False
    for grid in frames:
        if not near(grid.box, mark.box, 1):
            continue
        if mark.kind == "rectangle" and mark.filled and mark.box.area > 0.5 * grid.box.area:
            return True
        edges = [*((x, True) for x in grid.xs), *((y, False) for y in grid.ys)]
        for at, upright in edges:
            low, high = (mark.box.x0, mark.box.x1) if upright else (mark.box.y0, mark.box.y1)
            if abs(low - at) < 4 or abs(high - at) < 4:
                return True
    return False


class Fences:
    """What two parts of one drawing may not have between them: running text, an option's label, a frame's rule."""

    def __init__(self, phrases: Sequence[Phrase], frames: Sequence[Grid], marks: Sequence[Mark]) -> None:
        self._frames = frames
        self._ladders = option_ladders(phrases, marks)
        self._texts = [
            p.words[0].box if p.marker and not p.running else p.box for p in phrases if p.running or p.marker
        ]
        self._rules = [
            *(Box(v.at, v.start, v.at, v.end) for grid in frames for v in grid.verticals),
            *(Box(h.start, h.at, h.end, h.at) for grid in frames for h in grid.horizontals),
        ]

    def same_cell(self, a: Cluster, b: Cluster) -> bool:
        """Whether both lie in one cell of every frame and beside one option's label: pictures in a grid overlap its
        rules, and options drawn below each other may touch."""
        if any(ladder.step(a.box) != ladder.step(b.box) for ladder in self._ladders):
            return False
        return all(_cell(grid, a.box) == _cell(grid, b.box) for grid in self._frames)

    def open_between(self, a: Cluster, b: Cluster) -> bool:
        if not self.same_cell(a, b):
            return False
        gap = _between(a.box, b.box)
        if any(near(gap, rule, 0) for rule in self._rules):
            return False
        return not any(near(gap, text, -1) for text in self._texts)


def _cell(grid: Grid, box: Box) -> tuple[int, int] | None:
    if not grid.box.contains(box.cx, box.cy):
        return None
    return bisect_right(grid.xs, box.cx), bisect_right(grid.ys, box.cy)


def _between(a: Box, b: Box) -> Box:
    """The space between two boxes: between the facing edges, as wide as what they share."""
    x0, x1 = sorted((max(a.x0, b.x0), min(a.x1, b.x1)))
    y0, y1 = sorted((max(a.y0, b.y0), min(a.y1, b.y1)))
    return Box(x0, y0, x1, y1)
