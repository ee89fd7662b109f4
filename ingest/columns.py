"""Columns: where a page's gutters run, which full-width bands lie between them, and what stands in which column.

A gutter is a white rectangle with text on both sides. It grows up and down from two neighbouring pieces of
a printed line until a line, a rule or a picture crosses it. Whether it parts two columns, and not the cells
of a table or options set side by side, is told by what stands on its sides: a long vertical rule, lines that do
not share their baselines, or running text on both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

from .page import Box, Page, Word
from .rows import Segment, cut_segments, main_size
from .text import is_cjk


@dataclass
class Region:
    """The words of one column of one band; column -1 is full width."""

    words: list[Word]
    band: int
    column: int
    box: Box


@dataclass(slots=True)
class _Gutter:
    x0: float
    x1: float
    y0: float
    y1: float
    left: list[Segment]
    right: list[Segment]
    cuts: tuple[float, ...] = ()
    """Heights at which both sides start anew (rows of options in columns): each row is read by itself."""


@dataclass(slots=True)
class _Barriers:
    """What may not be crossed by a gutter (horizontal rules, wide pictures) and what speaks for one (vertical rules)."""

    across: list[Box]
    down: list[Box]


def split_columns(page: Page, words: Sequence[Word]) -> list[Region]:
    """The page's columns in reading order. `words` are the upright words without the furniture."""
    if not words:
        return []
    size = main_size(words)
    barriers = _barriers(page)
    segments = cut_segments(words, size, barriers.down)
    frame = Box(
        min(s.x0 for s in segments),
        min(s.y0 for s in segments),
        max(s.x1 for s in segments),
        max(s.y1 for s in segments),
    )
    regions: list[Region] = []
    _split(segments, barriers, size, page.height, frame, -1, regions, 0)
    return regions


def _barriers(page: Page) -> _Barriers:
    across = [s.box for s in page.strokes if s.kind == "horizontal" and s.box.width > 40]
    across += [p.box for p in page.pictures if p.box.width > 0.5 * page.width and p.box.height < 0.6 * page.height]
    down = [s.box for s in page.strokes if s.kind == "vertical" and s.box.height > 20]
    return _Barriers(across, down)


def _split(
    segments: list[Segment],
    barriers: _Barriers,
    size: float,
    page_height: float,
    frame: Box,
    column: int,
    regions: list[Region],
    depth: int,
) -> None:
    gutter = _best_gutter(segments, barriers, size, page_height) if len(segments) > 3 and depth < 6 else None
    if gutter is None:
        words = [word for segment in segments for word in segment.words]
        band = regions[-1].band + 1 if regions and (column <= 0 or regions[-1].column == -1) else 0
        if regions and column > 0 and regions[-1].column >= 0:
            band = regions[-1].band
        regions.append(Region(words, band, column, frame))
        return
    above = [s for s in segments if s.cy < gutter.y0]
    below = [s for s in segments if s.cy > gutter.y1]
    rest = (barriers, size, page_height)
    if above:
        _split(above, *rest, frame, column, regions, depth + 1)
    edges = [gutter.y0, *gutter.cuts, gutter.y1 + 1]
    for top, bottom in zip(edges, edges[1:], strict=False):
        for at, (side, x0, x1) in enumerate(
            ((gutter.left, frame.x0, gutter.x0), (gutter.right, gutter.x1, frame.x1)),
        ):
            inside = [s for s in side if top <= s.cy < bottom]
            if inside:
                number = max(column, 0) + at
                _split(inside, *rest, Box(x0, frame.y0, x1, frame.y1), number, regions, depth + 1)
    if below:
        _split(below, *rest, frame, column, regions, depth + 1)


def _best_gutter(segments: list[Segment], barriers: _Barriers, size: float, page_height: float) -> _Gutter | None:
    ordered = sorted(segments, key=attrgetter("cy"))
    best: _Gutter | None = None
    best_weight = 0.0
    seen: list[_Gutter] = []
    for left, right in _neighbours(ordered, size):
        x = (left.x1 + right.x0) / 2
        if any(g.x0 <= x <= g.x1 and g.y0 <= left.cy <= g.y1 for g in seen):
            continue
        gutter = _grow(ordered, barriers, left, right, size)
        seen.append(gutter)
        weight = _weight(gutter, barriers, size, page_height)
        if weight > best_weight:
            best, best_weight = gutter, weight
    return best


def _neighbours(ordered: list[Segment], size: float) -> list[tuple[Segment, Segment]]:
    """Pieces that stand side by side with a gap between them, the widest gap first."""
    pairs: list[tuple[float, int, Segment, Segment]] = []
    for at, segment in enumerate(ordered):
        nearest: Segment | None = None
        for other in _around(ordered, at, size):
            if other.x0 >= segment.x1 + 0.5 * size and (nearest is None or other.x0 < nearest.x0):
                nearest = other
        if nearest is not None:
            pairs.append((segment.x1 - nearest.x0, at, segment, nearest))
    pairs.sort(key=lambda pair: pair[:2])
    return [(left, right) for _, _, left, right in pairs]


def _around(ordered: list[Segment], at: int, size: float) -> list[Segment]:
    found: list[Segment] = []
    cy = ordered[at].cy
    for step in (-1, 1):
        i = at + step
        while 0 <= i < len(ordered) and abs(ordered[i].cy - cy) < 0.7 * size:
            found.append(ordered[i])
            i += step
    return found


def _grow(ordered: list[Segment], barriers: _Barriers, left: Segment, right: Segment, size: float) -> _Gutter:
    x0, x1 = left.x1, right.x0
    least = 0.45 * size
    y0, y1 = min(left.y0, right.y0), max(left.y1, right.y1)
    middle = (left.cy + right.cy) / 2
    top = max((b.y1 for b in barriers.across if b.cy < middle and b.x0 < x0 - 12 and b.x1 > x1 + 12), default=-1e9)
    bottom = min((b.y0 for b in barriers.across if b.cy >= middle and b.x0 < x0 - 12 and b.x1 > x1 + 12), default=1e9)
    start = next(i for i, s in enumerate(ordered) if s is left)
    for step, limit in ((-1, top), (1, bottom)):
        i = start
        while 0 <= i < len(ordered):
            segment = ordered[i]
            if (step < 0 and segment.cy < limit) or (step > 0 and segment.cy > limit):
                break
            a, b = x0, x1
            if segment.x0 < x1 and segment.x1 > x0:
                if segment.x0 - x0 > x1 - segment.x1:
                    b = segment.x0
                else:
                    a = segment.x1
                if b - a < least:
                    break
            x0, x1 = a, b
            y0, y1 = min(y0, segment.y0), max(y1, segment.y1)
            i += step
    sides: tuple[list[Segment], list[Segment]] = ([], [])
    for segment in ordered:
        if y0 <= segment.cy <= y1:
            sides[segment.x0 >= (x0 + x1) / 2].append(segment)
    return _Gutter(x0, x1, y0, y1, *sides)


def _weight(gutter: _Gutter, barriers: _Barriers, size: float, page_height: float) -> float:
    """How surely the gutter parts two columns; 0 where it does not."""
    left, right = _baselines(gutter.left, size), _baselines(gutter.right, size)
    few, many = sorted((len(left), len(right)))
    if few < 2:
        return 0.0
    height = min(max(left), max(right)) - max(min(left), min(right)) + size
    if height < 2 * size:
        return 0.0
    rule = max(
        (
            min(b.y1, gutter.y1) - max(b.y0, gutter.y0)
            for b in barriers.down
            if gutter.x0 - 2 <= b.cx <= gutter.x1 + 2 and b.width < 3
        ),
        default=0.0,
    )
    if rule > 0.25 * page_height and few >= 2:
        return 10 * (gutter.y1 - gutter.y0)
    gutter.cuts = _option_rows(gutter, size)
    if gutter.cuts:
        wrapped = len(left) + len(right) > 2 * (len(gutter.cuts) + 1)
        return height if wrapped and gutter.x1 - gutter.x0 > size else 0.0
    apart = _mismatch(left, right, size)
    wide = gutter.x1 - gutter.x0 >= 0.8 * size
    if apart > 0.5 and few >= 3 and wide and _dense(left, size) and _dense(right, size):
        return height * (1 + apart)
    if few >= 4 and wide and _running(gutter.left, size) and _running(gutter.right, size):
        return height * (1 + apart)
    return 0.0


def _baselines(segments: list[Segment], size: float) -> list[float]:
    found: list[float] = []
    for y in sorted(s.baseline for s in segments):
        if not found or y - found[-1] > 0.6 * size:
            found.append(y)
    return found


def _mismatch(left: list[float], right: list[float], size: float) -> float:
    """The share of the shorter side's lines that share no baseline with the other side."""
    few, many = sorted((left, right), key=len)
    top, bottom = many[0] - size, many[-1] + size
    inside = [y for y in few if top <= y <= bottom]
    if not inside:
        return 0.0
    alone = sum(1 for y in inside if min(abs(y - other) for other in many) > 0.12 * size)
    return alone / len(inside)


def _dense(baselines: list[float], size: float) -> bool:
    """Whether the lines follow each other as lines of text do, and are not labels strewn about."""
    gaps = sorted(b - a for a, b in zip(baselines, baselines[1:], strict=False))
    return gaps[len(gaps) // 2] < 2.2 * size


def _running(segments: list[Segment], size: float) -> bool:
    """Whether most of the lines are as long as lines of running text and reach far into their column."""
    width = max(s.x1 for s in segments) - min(s.x0 for s in segments)
    rows: dict[int, float] = {}
    for s in segments:
        key = round(s.baseline / max(0.6 * size, 1))
        rows[key] = rows.get(key, 0.0) + s.x1 - s.x0
    full = sum(1 for covered in rows.values() if covered > 0.55 * width and covered > 8 * size)
    return full >= max(2, 0.3 * len(rows)) and width > 10 * size


def _option_rows(gutter: _Gutter, size: float) -> tuple[float, ...]:
    """The tops of rows that start with consecutive labels on both sides, as options in two columns do."""
    cuts: list[float] = []
    for left in gutter.left:
        for right in gutter.right:
            if abs(left.baseline - right.baseline) < 0.15 * size and _consecutive(left.words[0], right.words[0]):
                cuts.append(min(left.y0, right.y0) - 0.1 * size)
    return tuple(sorted(cuts)) if len(cuts) > 1 else ()


def _consecutive(left: Word, right: Word) -> bool:
    a, b = (_label(word.text) for word in (left, right))
    return len(a) == 1 and len(b) == 1 and ord(b) - ord(a) in (1, 2, 3, 4) and not a.isdigit()


def _label(text: str) -> str:
    head = text.lstrip("(（[")[:2]
    if len(head) == 2 and head[1] not in ").．、）]" and not is_cjk(head[0]) and not "①" <= head[0] <= "⓿":
        return ""
    return head[:1]
