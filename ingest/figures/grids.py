"""Ruled grids: horizontal and vertical rules that cross, as rows and columns of cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ..page import Box, Stroke

_TOUCH = 3.0
"""Rules that end this near to another one (points) touch it."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A straight rule at `at` (y of a horizontal, x of a vertical) from `start` to `end`, points."""

    at: float
    start: float
    end: float


@dataclass(eq=False)
class Grid:
    """Crossing rules. `xs` and `ys` are the distinct positions of column and row edges."""

    horizontals: list[Rule]
    verticals: list[Rule]
    xs: list[float] = field(default_factory=list)
    ys: list[float] = field(default_factory=list)

    @cached_property
    def box(self) -> Box:
        return Box(self.xs[0], self.ys[0], self.xs[-1], self.ys[-1])

    def has_vertical(self, x: float, y: float) -> bool:
        """Whether a rule at x crosses the height y."""
        return any(abs(r.at - x) <= _TOUCH and r.start - 1 <= y <= r.end + 1 for r in self.verticals)

    def has_horizontal(self, y: float, x: float) -> bool:
        return any(abs(r.at - y) <= _TOUCH and r.start - 1 <= x <= r.end + 1 for r in self.horizontals)


def find_grids(horizontals: Sequence[Rule], verticals: Sequence[Rule], page_height: float) -> list[Grid]:
    """Every connected set of rules with at least one closed cell, top to bottom. `page_height` in points tells
    the rule between two columns of text from a table's."""
    if len(horizontals) < 2 or not verticals:
        return []
    verticals = [v for v in verticals if v.end - v.start < 0.4 * page_height or _closed(v, horizontals)]
    grids: list[Grid] = []
    for hs, vs in _connected(horizontals, verticals):
        if len(hs) < 2 or not vs:
            continue
        grid = Grid(hs, vs)
        grid.ys = _distinct(r.at for r in hs)
        grid.xs = _distinct([*(r.at for r in vs), *_open_ends(hs, vs)])
        if len(grid.ys) >= 2 and len(grid.xs) >= 2:
            grids.append(grid)
    return sorted(grids, key=lambda g: (g.box.y0, g.box.x0))


def _closed(vertical: Rule, horizontals: Sequence[Rule]) -> bool:
    """Whether a horizontal rule meets the vertical at both ends."""
    meeting = [h.at for h in horizontals if h.start - _TOUCH <= vertical.at <= h.end + _TOUCH]
    return all(any(abs(at - end) <= _TOUCH for at in meeting) for end in (vertical.start, vertical.end))


def rules(strokes: Sequence[Stroke]) -> tuple[list[Rule], list[Rule]]:
    """The horizontal and vertical rules of a page, edges of open rectangles among them; pieces in line joined."""
    horizontals: list[Rule] = []
    verticals: list[Rule] = []
    for stroke in strokes:
        box = stroke.box
        thin = stroke.kind == "rectangle" and min(box.width, box.height) < 6
        if stroke.kind == "horizontal" or (thin and box.width > 10 * box.height):
            horizontals.append(Rule(box.cy, box.x0, box.x1))
        elif stroke.kind == "vertical" or (thin and box.height > 10 * box.width):
            verticals.append(Rule(box.cx, box.y0, box.y1))
        elif stroke.kind == "rectangle" and not stroke.filled:
            horizontals += [Rule(box.y0, box.x0, box.x1), Rule(box.y1, box.x0, box.x1)]
            verticals += [Rule(box.x0, box.y0, box.y1), Rule(box.x1, box.y0, box.y1)]
    return _joined(horizontals), _joined(verticals)


def _joined(found: list[Rule]) -> list[Rule]:
    """Rules on one line (1.2 points) that overlap or meet, as one."""
    if len(found) < 2:
        return found
    joined: list[Rule] = []
    found = sorted(found, key=lambda r: (r.at, r.start))
    rows: list[list[Rule]] = []
    for rule in found:
        if rows and rule.at - rows[-1][0].at <= 1.2:
            rows[-1].append(rule)
        else:
            rows.append([rule])
    for row in rows:
        row.sort(key=lambda r: r.start)
        current = row[0]
        for rule in row[1:]:
            if rule.start <= current.end + _TOUCH:
                current = Rule(current.at, current.start, max(current.end, rule.end))
            else:
                joined.append(current)
                current = rule
        joined.append(current)
    return joined


def _connected(horizontals: Sequence[Rule], verticals: Sequence[Rule]) -> Iterable[tuple[list[Rule], list[Rule]]]:
    parent = list(range(len(horizontals) + len(verticals)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    order = sorted(range(len(verticals)), key=lambda i: verticals[i].at)
    for i, h in enumerate(horizontals):
        for j in order:
            v = verticals[j]
            if v.at < h.start - _TOUCH:
                continue
            if v.at > h.end + _TOUCH:
                break
            if v.start - _TOUCH <= h.at <= v.end + _TOUCH:
                parent[root(i)] = root(len(horizontals) + j)
    groups: dict[int, tuple[list[Rule], list[Rule]]] = {}
    for i, h in enumerate(horizontals):
        groups.setdefault(root(i), ([], []))[0].append(h)
    for j, v in enumerate(verticals):
        groups.setdefault(root(len(horizontals) + j), ([], []))[1].append(v)
    return list(groups.values())


def _distinct(values: Iterable[float]) -> list[float]:
    """Positions further apart than a double rule is wide."""
    found: list[float] = []
    for value in sorted(values):
        if not found or value - found[-1] > 3.5:
            found.append(value)
    return found


def _open_ends(horizontals: Sequence[Rule], verticals: Sequence[Rule]) -> list[float]:
    """Where most horizontals run on past the outermost verticals: a table without side rules."""
    left, right = min(v.at for v in verticals), max(v.at for v in verticals)
    start = sorted(h.start for h in horizontals)[len(horizontals) // 2]
    end = sorted(h.end for h in horizontals)[len(horizontals) // 2]
    return [x for x, out in ((start, start < left - 8), (end, end > right + 8)) if out]
