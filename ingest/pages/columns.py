"""Columns: where a page's gutters run, which full-width bands lie between them, and what stands in which column.

A gutter is a white rectangle with text on both sides. It grows up and down from two neighbouring pieces of
a printed line until a line, a rule or a picture crosses it. Whether it parts two columns, and not the cells
of a table or options set side by side, is told by what stands on its sides: a long vertical rule, lines that do
not share their baselines, or running text on both.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter

from ..page import Box, Page, Word
from ..text import is_cjk
from .rows import Piece, cut_pieces, main_size

# of the page's height: a rule that parts columns and no table; of its width: how far it may lean; of its words: a side
_RULE, _LEAN, _SIDE = 0.6, 0.05, 0.1


@dataclass
class Region:
    """The pieces of lines of one column of one band; column -1 is full width."""

    pieces: list[Piece]
    band: int
    column: int
    box: Box


@dataclass(slots=True)
class _Gutter:
    x0: float
    x1: float
    y0: float
    y1: float
    left: list[Piece]
    right: list[Piece]
    cuts: tuple[float, ...] = ()
    """Heights at which both sides start anew (rows of options in columns): each row is read by itself."""


@dataclass(slots=True)
class _Barriers:
    """What no gutter crosses (horizontal rules, wide pictures) and what speaks for one (vertical rules)."""

    across: list[Box]
    down: list[Box]
    bars: list[Box]
    """Short horizontal rules, which may be the bars of fractions."""


def split_columns(page: Page, words: Sequence[Word]) -> list[Region]:
    """The page's columns in reading order. `words` are the upright words without the furniture."""
    if not words:
        return []
    size = main_size(words)
    barriers = _barriers(page)
    regions: list[Region] = []
    for column, part in _by_printed_rule(page, words):
        segments = cut_pieces(part, size, barriers.down, barriers.bars)
        frame = Box(
            min(s.x0 for s in segments),
            min(s.y0 for s in segments),
            max(s.x1 for s in segments),
            max(s.y1 for s in segments),
        )
        _split(segments, barriers, size, page.height, frame, column, regions, 0)
    return regions


def _by_printed_rule(page: Page, words: Sequence[Word]) -> list[tuple[int, Sequence[Word]]]:
    """The words with the column they stand in, in reading order: on a scan whose columns a printed rule parts, what
    stands above it, left, right and below; elsewhere all of them, in no column yet.

    A crooked sheet has no white gutter that runs straight down, but the rule leans as the columns do.
    """
    rule = [s.box for s in page.strokes if s.kind == "vertical"] if page.read_by == "ocr" else []
    if not rule or max(b.cx for b in rule) - min(b.cx for b in rule) > _LEAN * page.width:
        return [(-1, words)]
    top, bottom = min(b.y0 for b in rule), max(b.y1 for b in rule)
    if bottom - top < _RULE * page.height:
        return [(-1, words)]
    parts: dict[str, list[Word]] = {"above": [], "left": [], "right": [], "below": []}
    for word in words:
        y = word.box.cy
        if y < top - word.size or y > bottom + word.size:
            parts["above" if y < top else "below"].append(word)
            continue
        piece = min(rule, key=lambda box, y=y: max(box.y0 - y, y - box.y1, 0.0))
        parts["left" if word.box.cx < piece.cx else "right"].append(word)
    if min(len(parts["left"]), len(parts["right"])) < _SIDE * len(words):
        return [(-1, words)]
    columns = {"above": -1, "left": 0, "right": 1, "below": -1}
    return [(columns[name], part) for name, part in parts.items() if part]


def _barriers(page: Page) -> _Barriers:
    across = [s.box for s in page.strokes if s.kind == "horizontal" and s.box.width > 40]
    across += [p.box for p in page.pictures if p.box.width > 0.5 * page.width and p.box.height < 0.6 * page.height]
    down = [s.box for s in page.strokes if s.kind == "vertical" and s.box.height > 20]
    bars = [s.box for s in page.strokes if s.kind == "horizontal" and 3 < s.box.width < 160]
    return _Barriers(across, down, bars)


def _split(
    segments: list[Piece],
    barriers: _Barriers,
    size: float,
    page_height: float,
    frame: Box,
    column: int,
    regions: list[Region],
    depth: int,
) -> None:
    gutter = _best_gutter(segments, barriers, size, page_height) if len(segments) > 1 and depth < 6 else None
    if gutter is None:
        band = regions[-1].band + 1 if regions and (column <= 0 or regions[-1].column == -1) else 0
        if regions and column > 0 and regions[-1].column >= 0:
            band = regions[-1].band
        regions.append(Region(segments, band, column, frame))
        return
    above = [s for s in segments if s.cy < gutter.y0]
    below = [s for s in segments if s.cy > gutter.y1]
    rest = (barriers, size, page_height)
    if above:
        _split(above, *rest, frame, column, regions, depth + 1)
    edges = [gutter.y0, *gutter.cuts, gutter.y1 + 1]
    for top, bottom in pairwise(edges):
        for at, (side, x0, x1) in enumerate(
            ((gutter.left, frame.x0, gutter.x0), (gutter.right, gutter.x1, frame.x1)),
        ):
            inside = [s for s in side if top <= s.cy < bottom]
            if inside:
                number = max(column, 0) + at
                _split(inside, *rest, Box(x0, frame.y0, x1, frame.y1), number, regions, depth + 1)
    if below:
        _split(below, *rest, frame, column, regions, depth + 1)


def _best_gutter(pieces: list[Piece], barriers: _Barriers, size: float, page_height: float) -> _Gutter | None:
    ordered = sorted(pieces, key=attrgetter("cy"))
    best: _Gutter | None = None
    best_weight = 0.0
    seen: list[_Gutter] = []
    for at, left, right in _neighbours(ordered, barriers, size):
        x, y = (left.x1 + right.x0) / 2, left.cy
        if any(g.x0 <= x <= g.x1 and g.y0 <= y <= g.y1 for g in seen):
            continue
        gutter = _grow(ordered, at, barriers, left, right, size)
        seen.append(gutter)
        weight = _weight(gutter, barriers, size, page_height)
        if weight > best_weight:
            best, best_weight = gutter, weight
    return best


def _neighbours(ordered: list[Piece], barriers: _Barriers, size: float) -> list[tuple[int, Piece, Piece]]:
    """Pieces that stand side by side with a gap or a rule between them, the widest gap first."""
    pairs: list[tuple[float, int, Piece, Piece]] = []
    reach, wide = 0.7 * size, 0.8 * size
    for at, piece in enumerate(ordered):
        nearest: Piece | None = None
        x1, cy = piece.x1, piece.cy
        for step in (-1, 1):
            i = at + step
            while 0 <= i < len(ordered):
                other = ordered[i]
                if other.cy - cy > reach or cy - other.cy > reach:
                    break
                if other.x0 > x1 and (nearest is None or other.x0 < nearest.x0):
                    nearest = other
                i += step
        if nearest is None:
            continue
        gap = nearest.x0 - x1
        if gap >= wide or any(x1 - 1 <= b.x0 and b.x1 <= nearest.x0 + 1 and b.y0 < cy < b.y1 for b in barriers.down):
            pairs.append((-gap, at, piece, nearest))
    pairs.sort(key=lambda pair: pair[:2])
    return [(at, left, right) for _, at, left, right in pairs]


def _grow(ordered: list[Piece], start: int, barriers: _Barriers, left: Piece, right: Piece, size: float) -> _Gutter:
    """The white rectangle around the gap between two pieces; `start` is the left one's place in `ordered`."""
    x0, x1 = left.x1, right.x0
    y0, y1 = min(left.y0, right.y0), max(left.y1, right.y1)
    middle = (left.cy + right.cy) / 2
    crossing = [b for b in barriers.across if b.x0 < x0 - 12 and b.x1 > x1 + 12]
    top = max((b.y1 for b in crossing if b.y0 + b.y1 < 2 * middle), default=-1e9)
    bottom = min((b.y0 for b in crossing if b.y0 + b.y1 >= 2 * middle), default=1e9)
    # a rule in the gap tells which side a piece is on; else it is the side that leaves more room
    axis = next((b.cx for b in barriers.down if x0 < b.cx < x1 and b.y0 < middle < b.y1 and b.height > 8 * size), None)
    least = (0.8 if axis is None else 0.45) * size
    for step in (-1, 1):
        i = start
        while 0 <= i < len(ordered):
            piece = ordered[i]
            cy = piece.cy
            if (step < 0 and cy < top) or (step > 0 and cy > bottom):
                break
            px0, px1 = piece.x0, piece.x1
            if px0 < x1 and px1 > x0:
                if axis is not None and px0 < axis - 1 and px1 > axis + 1:
                    break
                if (px0 > axis - 1) if axis is not None else (px0 - x0 > x1 - px1):
                    if px0 - x0 < least:
                        break
                    x1 = px0
                else:
                    if x1 - px1 < least:
                        break
                    x0 = px1
            if piece.y0 < y0:
                y0 = piece.y0
            if piece.y1 > y1:
                y1 = piece.y1
            i += step
    x = (x0 + x1) / 2
    inside = [p for p in ordered if y0 <= p.cy <= y1]
    return _Gutter(x0, x1, y0, y1, [p for p in inside if p.x0 < x], [p for p in inside if p.x0 >= x])


def _weight(gutter: _Gutter, barriers: _Barriers, size: float, page_height: float) -> float:
    """How surely the gutter parts two columns; 0 where it does not."""
    if not gutter.left or not gutter.right:
        return 0.0
    if _ruled(gutter, barriers, page_height):
        return 10 * (gutter.y1 - gutter.y0)
    if len(gutter.left) < 2 or len(gutter.right) < 2:
        return 0.0
    left, right = _baselines(gutter.left, size), _baselines(gutter.right, size)
    few = min(len(left), len(right))
    if few < 2 or _only_numbers(gutter.left) or _only_numbers(gutter.right):
        return 0.0
    height = min(max(left), max(right)) - max(min(left), min(right)) + size
    if height < 2 * size:
        return 0.0
    rows, by_column = _option_rows(gutter, size)
    if rows and by_column:
        return height
    if rows:
        gutter.cuts = rows
        return height if _wrapped(gutter, rows, size) else 0.0
    apart = _mismatch(left, right, size)
    wide = gutter.x1 - gutter.x0 >= 0.8 * size
    if apart > 0.5 and few >= 3 and wide and _dense(left, size) and _dense(right, size):
        _trim(gutter)
        return height * (1 + apart)
    share = 0.35 if few < 12 else 0.15
    if few >= 4 and wide and _running(gutter.left, size, share) and _running(gutter.right, size, share):
        return height * (1 + apart)
    return 0.0


def _ruled(gutter: _Gutter, barriers: _Barriers, page_height: float) -> bool:
    """Whether a long vertical rule runs down the gutter, as between the columns of a page."""
    long = [b for b in barriers.down if b.height > 0.3 * page_height and b.y0 < gutter.y1 and b.y1 > gutter.y0]
    # more than the sides of a frame and the rules between three columns: the grid of a table
    if len({round(b.cx / 4) for b in long}) > 4:
        return False
    return any(
        gutter.x0 - 2 <= b.cx <= gutter.x1 + 2
        and min(b.y1, gutter.y1) - max(b.y0, gutter.y0) > 0.7 * (gutter.y1 - gutter.y0)
        for b in long
    )


def _only_numbers(pieces: list[Piece]) -> bool:
    """Whether a side holds nothing but numbers: line numbers or labels of what stands beside them."""
    return all(len(word.text) < 5 and word.text.strip("().").isdigit() for piece in pieces for word in piece.words)


def _trim(gutter: _Gutter) -> None:
    """Give back what runs on above and below a short side note: it is full-width text with short lines."""
    amounts = [sum(p.x1 - p.x0 for p in side) for side in (gutter.left, gutter.right)]
    note = (gutter.left, gutter.right)[amounts[0] > amounts[1]]
    if min(amounts) > 0.4 * max(amounts):
        return
    top, bottom = min(p.y0 for p in note), max(p.y1 for p in note)
    gutter.left = [p for p in gutter.left if top <= p.cy <= bottom]
    gutter.right = [p for p in gutter.right if top <= p.cy <= bottom]
    gutter.y0, gutter.y1 = top, bottom


def _baselines(segments: list[Piece], size: float) -> list[float]:
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
    slack = 0.12 * size
    alone = 0
    for y in inside:
        at = bisect_left(many, y)
        if (at == len(many) or many[at] - y > slack) and (at == 0 or y - many[at - 1] > slack):
            alone += 1
    return alone / len(inside)


def _dense(baselines: list[float], size: float) -> bool:
    """Whether the lines follow each other as lines of text do, and are not labels strewn about."""
    gaps = sorted(b - a for a, b in pairwise(baselines))
    return gaps[len(gaps) // 2] < 2.2 * size


def _running(pieces: list[Piece], size: float, share: float) -> bool:
    """Whether a `share` of the lines are lines of running text, which reach far into their column."""
    width = max(p.x1 for p in pieces) - min(p.x0 for p in pieces)
    rows: dict[int, float] = {}
    for p in pieces:
        key = round(p.baseline / max(0.6 * size, 1))
        rows[key] = rows.get(key, 0.0) + p.x1 - p.x0
    full = sum(1 for covered in rows.values() if covered > 0.75 * width)
    return full >= max(3, share * len(rows)) and width > 14 * size


def _option_rows(gutter: _Gutter, size: float) -> tuple[tuple[float, ...], bool]:
    """The tops of rows that start with labels of one list on both sides, as options in two columns do.

    Also whether the list runs down the columns (A C, B D) and not along the rows (A B, C D).
    """
    rows: list[tuple[float, int, int]] = []
    rights = [(label, p) for p in gutter.right if (label := _label(p))]
    lefts = [(label, p) for p in gutter.left if (label := _label(p))] if rights else []
    for first, left in lefts:
        for second, right in rights:
            if abs(left.baseline - right.baseline) < 0.15 * size and 1 <= ord(second) - ord(first) <= 5:
                rows.append((min(left.y0, right.y0) - 0.1 * size, ord(first), ord(second)))
    if len(rows) < 2:
        return (), False
    rows.sort()
    down = sum(1 for (_, a, b), (_, c, d) in pairwise(rows) if c == a + 1 and d == b + 1)
    return tuple(y for y, _, _ in rows), down > 0.5 * (len(rows) - 1) or all(b - a > 1 for _, a, b in rows)


def _wrapped(gutter: _Gutter, rows: tuple[float, ...], size: float) -> bool:
    """Whether options of both columns run on in lines of their own below their labels."""
    if gutter.x1 - gutter.x0 < 0.8 * size:
        return False
    for side in (gutter.left, gutter.right):
        start = min(p.x0 for p in side)
        end = max(p.x1 for p in side)
        labelled = [p for p in side if any(abs(p.y0 - 0.1 * size - y) < 0.5 * size for y in rows)]
        if not any(
            p.x0 > start + 0.3 * size
            and not _label(p)
            and any(
                0.8 * size < p.baseline - q.baseline < 1.9 * size and q.x1 - start > 0.7 * (end - start)
                for q in labelled
            )
            for p in side
        ):
            return False
    return True


def _label(piece: Piece) -> str:
    """The sign of the label that the piece starts with (`A` of `(A)`), empty where it starts with none."""
    if piece.label is None:
        text = piece.words[0].text
        head = text.lstrip("(（[")[:2]
        if len(head) == 2 and head[1] not in ").．、）]" and not is_cjk(head[0]) and not "①" <= head[0] <= "⓿":
            head = ""
        piece.label = "" if head[:1].isdigit() and text[0] not in "(（[" else head[:1]
    return piece.label
