"""Answer keys printed as grids, read from the words' geometry alone, with or without drawn rules.

A key's labels count up: down a column (the values stand to their right) or along a row (the values stand
below). A *run* is such a sequence of label cells. The second case is the first with the axes exchanged,
so both are read by the same code on transposed boxes. Source: our own reading of the keys of some twenty
exam boards; no library does this.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from ..page import Box, Stroke
from .key_cells import Cell, Number
from .key_values import parse_value
from .key_words import ANSWER_HEAD, LABEL_HEAD, OTHER_HEAD, POINTS_HEAD

MIN_RUN = 3
"""Fewer labels than this in a row count as chance."""


@dataclass
class Run:
    """Label cells that count up along one axis; boxes are transposed where the labels stand in a row."""

    cells: list[Cell]
    boxes: list[Box]
    across: bool
    """True: the labels stand in a printed row and their values below them."""
    usual_pitch: float = 0.0
    """From label to label, where the run is too short to tell by itself."""

    @property
    def x0(self) -> float:
        return min(box.x0 for box in self.boxes)

    @property
    def x1(self) -> float:
        return max(box.x1 for box in self.boxes)

    @property
    def y0(self) -> float:
        return self.boxes[0].y0

    @property
    def y1(self) -> float:
        return self.boxes[-1].y1


@dataclass
class Pair:
    """A label with the cells of its value, and what a points column beside it says."""

    number: Number
    value: str
    box: Box
    cells: tuple[Cell, ...] = ()
    points: str | None = None
    inferred: bool = False
    """The label did not read; its place in the sequence told it."""


@dataclass
class Track:
    """One sequence of labels with one column of values: a key, or a piece of one.

    `heads` are the texts over the value column, nearest first. `box` is in page coordinates.
    """

    pairs: list[Pair]
    box: Box
    heads: tuple[str, ...] = ()
    page: int = 0
    layout: str = "column"
    labels: list[Cell] = field(default_factory=list)
    slot: int = 0
    slots: int = 1
    """Which of several columns of values beside the same labels this is (booklets, forms, subjects)."""


def turned(box: Box, across: bool) -> Box:
    return Box(box.y0, box.x0, box.y1, box.x1) if across else box


def read_grid(cells: Sequence[Cell], strokes: Sequence[Stroke]) -> list[Track]:
    """The tracks of one page's key grids; cells are claimed once, the longest sequences first."""
    numbered = [c for c in cells if c.number is not None]
    if len(numbered) < MIN_RUN:
        return []
    runs = _runs(numbered, cells, across=False) + _runs(numbered, cells, across=True)
    runs.sort(key=lambda r: (-len(r.cells), r.across, r.y0, r.x0))
    claimed: set[int] = set()
    tracks: list[Track] = []
    runs.extend(_leftovers(numbered, runs))
    for run in runs:
        if sum(id(c) in claimed for c in run.cells) * 3 > len(run.cells):
            continue
        _accept(run, runs, cells, strokes, claimed, tracks)
    return tracks


def _accept(
    run: Run,
    runs: Sequence[Run],
    cells: Sequence[Cell],
    strokes: Sequence[Stroke],
    claimed: set[int],
    tracks: list[Track],
) -> None:
    """Read a run's values; where they are a key's, add its tracks and claim its cells."""
    found = [t for t in _read_run(run, runs, cells, strokes, claimed) if _is_key(t)]
    for n, track in enumerate(found):
        track.slot, track.slots = n, len(found)
        tracks.append(track)
        claimed.update(id(c) for pair in track.pairs for c in pair.cells)
    if found:
        claimed.update(id(c) for c in run.cells)


def _leftovers(numbered: Sequence[Cell], runs: Sequence[Run]) -> list[Run]:
    """The last one or two labels of a key, which stand alone in a new column (or row) and go on counting."""
    within = {id(c) for run in runs for c in run.cells}
    by_number = {c.number: c for c in numbered if c.number and id(c) not in within}
    found: list[Run] = []
    for run in runs:
        last = run.cells[-1].number
        assert last is not None
        cells: list[Cell] = []
        for step in (1, 2):
            cell = by_number.get((last[0], last[1] + step, 0))
            if cell is None:
                break
            box, start = turned(cell.box, run.across), run.boxes[0] if not cells else turned(cells[-1].box, run.across)
            if not cells:
                begins = abs(box.cy - start.cy) <= 0.5 * _pitch(run) and box.x0 > run.x1
            else:
                begins = 0 < box.cy - start.cy <= 1.5 * _pitch(run) and _aligned(start, box)
            if not begins:
                break
            cells.append(cell)
        if cells:
            found.append(Run(cells, [turned(c.box, run.across) for c in cells], run.across, _pitch(run)))
    return found


def _is_key(track: Track) -> bool:
    """Whether the values are such as keys print: short labels, numbers, marks, not sentences."""
    filled = [parse_value(p.value) for p in track.pairs if p.value]
    return bool(filled) and sum(v.keylike for v in filled) * 5 >= 3 * len(filled)


# --- runs ------------------------------------------------------------------------------------------------


def _runs(numbered: Sequence[Cell], cells: Sequence[Cell], *, across: bool) -> list[Run]:
    boxes = {id(c): turned(c.box, across) for c in numbered}
    by_number: dict[tuple[str, int], list[Cell]] = defaultdict(list)
    for cell in numbered:
        if cell.number:
            by_number[cell.number[0], cell.number[1]].append(cell)
    follower: dict[int, tuple[float, Cell]] = {}
    for cell in numbered:
        found = _successor(cell, boxes, by_number, across)
        if found is not None and (id(found[1]) not in follower or found[0] < follower[id(found[1])][0]):
            follower[id(found[1])] = (found[0], cell)
    after = {id(before): (cell_id, gap) for cell_id, (gap, before) in follower.items()}
    by_id = {id(c): c for c in numbered}
    runs: list[Run] = []
    for cell in numbered:
        if id(cell) in follower:
            continue
        chain = [cell]
        while id(chain[-1]) in after:
            chain.append(by_id[after[id(chain[-1])][0]])
        if len(chain) >= MIN_RUN and _counts_by_one(chain):
            runs.append(Run(chain, [boxes[id(c)] for c in chain], across))
    return [run for run in runs if _covers(run, numbered, boxes)]


def _counts_by_one(chain: Sequence[Cell]) -> bool:
    """Whether most steps are to the very next label: 1, 6, 11 are the first of rows, not a column."""
    numbers = [c.number for c in chain if c.number]
    steps = sum(b[1] - a[1] <= 1 for a, b in pairwise(numbers))
    return 5 * steps >= 3 * (len(numbers) - 1)


def _successor(
    cell: Cell, boxes: dict[int, Box], by_number: dict[tuple[str, int], list[Cell]], across: bool
) -> tuple[float, Cell] | None:
    """The next label after `cell` on its line: the same number's next part, the next number, or one a little later."""
    assert cell.number is not None
    prefix, number, part = cell.number
    box = boxes[id(cell)]
    reach = 14.0 * box.width if across else 8.0 * box.height
    for step in range(6):
        best: tuple[float, Cell] | None = None
        for other in by_number.get((prefix, number + step), ()):
            assert other.number is not None
            if step == 0 and other.number[2] != part + 1:
                continue
            if step > 0 and other.number[2] > 1:
                continue
            there = boxes[id(other)]
            gap = there.y0 - box.y0
            if gap <= 0.5 * min(box.height, there.height) or not _aligned(box, there):
                continue
            limit = reach if not across else max(reach, 120.0)
            if gap <= limit * (1 if step < 2 else 0.75) and (best is None or gap < best[0]):
                best = gap, other
        if best is not None:
            return best
    return None


def _aligned(a: Box, b: Box) -> bool:
    tolerance = 0.35 * max(a.height, b.height, 8.0) if a.width < 3 * a.height else 4.0
    return min(abs(a.x0 - b.x0), abs(a.x1 - b.x1), abs(a.cx - b.cx)) <= tolerance


def _covers(run: Run, numbered: Sequence[Cell], boxes: dict[int, Box]) -> bool:
    """Whether the run is most of the numbers that stand on its line: a column of digits is no run by luck."""
    reach = 1.6 * _pitch(run)
    top, bottom = run.y0 - reach, run.y1 + reach
    beside = 0
    own = {id(c) for c in run.cells}
    for cell in numbered:
        box = boxes[id(cell)]
        if id(cell) not in own and top <= box.cy <= bottom and run.x0 - 2 <= box.cx <= run.x1 + 2:
            beside += 1
    return len(run.cells) > 3 * beside


# --- values of a run ---------------------------------------------------------------------------------------


def _read_run(
    run: Run, runs: Sequence[Run], cells: Sequence[Cell], strokes: Sequence[Stroke], claimed: set[int]
) -> list[Track]:
    glued = [c for c in run.cells if c.glued is not None]
    if len(glued) * 2 > len(run.cells):
        pairs = [Pair(c.number, c.glued, c.box, (c,)) for c in run.cells if c.number and c.glued]
        return [Track(pairs, _extent(pairs), _heads_over(run, run.x0, run.x1, cells), layout="glued", labels=run.cells)]
    own = {id(c) for c in run.cells}
    free = [c for c in cells if id(c) not in claimed and id(c) not in own]
    bands = _bands(run, strokes)
    limit = _limit(run, runs, cells)
    taken = _in_bands(run, bands, limit, free)
    prefix = _repeated_prefix(taken)
    taken = [[c for c in band if c.text not in prefix] for band in taken]
    columns = _columns([c for band in taken for c in band], run.across, _pitch(run))
    return _tracks(run, taken, columns, bands, cells)


def _pitch(run: Run) -> float:
    gaps = sorted(b.cy - a.cy for a, b in zip(run.boxes, run.boxes[1:], strict=False))
    return gaps[len(gaps) // 2] if gaps else run.usual_pitch or 2.0 * run.boxes[0].height


def _bands(run: Run, strokes: Sequence[Stroke]) -> list[tuple[float, float]]:
    """For each label the extent along the run that belongs to it: between rules where drawn, else half way."""
    rules = _rules(run, strokes)
    pitch = _pitch(run)
    bands: list[tuple[float, float]] = []
    for i, box in enumerate(run.boxes):
        before = run.boxes[i - 1].cy if i else box.cy - pitch
        after = run.boxes[i + 1].cy if i + 1 < len(run.boxes) else box.cy + pitch
        above = max((r for r in rules if r <= box.cy), default=None)
        below = min((r for r in rules if r > box.cy), default=None)
        low = above if above is not None and before - 1 <= above else max((before + box.cy) / 2, box.cy - 0.6 * pitch)
        high = below if below is not None and below <= after + 1 else min((after + box.cy) / 2, box.cy + 0.6 * pitch)
        bands.append((low, high))
    return bands


def _rules(run: Run, strokes: Sequence[Stroke]) -> list[float]:
    kind = "vertical" if run.across else "horizontal"
    middle = (run.x0 + run.x1) / 2
    found: list[float] = []
    for stroke in strokes:
        box = turned(stroke.box, run.across)
        if stroke.kind == kind and box.x0 - 3 <= middle <= box.x1 + 3:
            found.append(box.cy)
        elif stroke.kind == "rectangle" and box.x0 - 1 <= middle <= box.x1 + 1:
            found.extend((box.y0, box.y1))
    return sorted(found)


def _limit(run: Run, runs: Sequence[Run], cells: Sequence[Cell]) -> float:
    """Where the values of the run must end: the labels of the next run beside it (below it, if across)."""
    limit = float("inf")
    for other in runs:
        if other.across != run.across or other is run:
            continue
        if other.x0 > run.x1 and min(other.y1, run.y1) - max(other.y0, run.y0) > 0:
            limit = min(limit, other.x0 - 1.0)
    if run.across:
        limit = min(limit, run.x1 + 6.0 * (run.x1 - run.x0))
    return limit


def _in_bands(run: Run, bands: Sequence[tuple[float, float]], limit: float, free: Sequence[Cell]) -> list[list[Cell]]:
    taken: list[list[Cell]] = [[] for _ in run.cells]
    for cell in free:
        box = turned(cell.box, run.across)
        if box.cx >= limit or box.cx <= run.x0:
            continue
        for i, (low, high) in enumerate(bands):
            if low <= box.cy < high and box.x0 >= run.boxes[i].x1 - 1.5:
                taken[i].append(cell)
                break
    return taken


def _repeated_prefix(taken: Sequence[Sequence[Cell]]) -> set[str]:
    """Words that only introduce the next column's labels (`Question 12`): in most bands the same last word."""
    lasts = Counter(band[-1].text for band in taken if len(band) > 1)
    return {
        text
        for text, count in lasts.items()
        if LABEL_HEAD.search(text) and len(text) > 1 and count * 2 > len(taken) and not any(ch.isdigit() for ch in text)
    }


@dataclass
class _Column:
    x0: float
    x1: float
    ids: set[int]


def _columns(cells: Sequence[Cell], across: bool, pitch: float) -> list[_Column]:
    """The value cells stacked under one another along the run, left to right."""
    columns: list[_Column] = []
    for cell in sorted(cells, key=lambda c: turned(c.box, across).x0):
        box = turned(cell.box, across)
        near = 0.0 if across else 0.5 * box.height
        last = columns[-1] if columns else None
        if last is not None and box.x0 <= last.x1 + near:
            last.x1 = max(last.x1, box.x1)
            last.ids.add(id(cell))
        else:
            columns.append(_Column(box.x0, box.x1, {id(cell)}))
    return columns if across else _with_tails(columns, cells, pitch)


def _with_tails(columns: Sequence[_Column], cells: Sequence[Cell], pitch: float) -> list[_Column]:
    """A sparse column close behind a full one is the tail of its longer values (`ACDE 或 ABCDE`), no column."""
    rows = {id(c): c.row for c in cells}
    kept: list[_Column] = []
    for column in columns:
        last = kept[-1] if kept else None
        own = {rows[i] for i in column.ids}
        there = {rows[i] for i in last.ids} if last is not None else set()
        if last is not None and own <= there and 3 * len(own) <= len(there) + 1 and column.x0 - last.x1 <= pitch:
            last.x1 = column.x1
            last.ids |= column.ids
        else:
            kept.append(column)
    return kept


def _tracks(
    run: Run,
    taken: Sequence[Sequence[Cell]],
    columns: Sequence[_Column],
    bands: Sequence[tuple[float, float]],
    cells: Sequence[Cell],
) -> list[Track]:
    heads = [_heads_over(run, column.x0, column.x1, cells) for column in columns]
    points = next(
        (c for c, h in zip(columns, heads, strict=True) if _names(h, POINTS_HEAD) and not _names(h, ANSWER_HEAD)), None
    )
    points = points or _scores_beside(run, taken, columns)
    chosen = [(c, h) for c, h in zip(columns, heads, strict=True) if c is not points and not _names(h, OTHER_HEAD)]
    answers = [(c, h) for c, h in chosen if _names(h, ANSWER_HEAD)]
    if len(answers) >= 1 and len(chosen) > 1:
        chosen = answers
    tracks: list[Track] = []
    for column, head in chosen:
        pairs = _pairs(run, taken, column, points)
        if pairs:
            pairs = _with_lost_labels(run, pairs, column, cells)
            tracks.append(
                Track(pairs, _extent(pairs), head, layout="row" if run.across else "column", labels=run.cells)
            )
    return tracks


def _scores_beside(run: Run, taken: Sequence[Sequence[Cell]], columns: Sequence[_Column]) -> _Column | None:
    """Without heads: a column of a few small numbers behind a column that is more than that is the points'."""
    if len(columns) != 2:
        return None
    first, second = ([c.text for band in taken for c in band if id(c) in column.ids] for column in columns)
    small = all(t.replace(".", "", 1).isdecimal() and float(t) <= 20 for t in second) and len(set(second)) <= 4
    more = any(not t.isdecimal() or float(t) > 20 for t in first) and len(set(first)) > len(set(second))
    return columns[1] if small and more and 2 * len(second) > len(first) else None


def _names(heads: tuple[str, ...], pattern: re.Pattern[str]) -> bool:
    return bool(heads) and bool(pattern.search(heads[0]))


def _pairs(run: Run, taken: Sequence[Sequence[Cell]], column: _Column, points: _Column | None) -> list[Pair]:
    pairs: list[Pair] = []
    for label, band in zip(run.cells, taken, strict=True):
        value = [c for c in band if id(c) in column.ids]
        score = [c for c in band if points is not None and id(c) in points.ids]
        assert label.number is not None
        box = label.box
        for cell in value:
            box = box.union(cell.box)
        text = " ".join(c.text for c in value)
        pairs.append(Pair(label.number, text, box, tuple(value), " ".join(c.text for c in score) or None))
    return pairs if any(p.value for p in pairs) else []


def _with_lost_labels(run: Run, pairs: Sequence[Pair], column: _Column, cells: Sequence[Cell]) -> list[Pair]:
    """Pairs whose label did not read (a scan): a value stands exactly where the sequence leaves a place."""
    pitch = _pitch(run)
    own = {id(c) for p in pairs for c in p.cells} | {id(c) for c in run.cells}
    found: list[Pair] = []
    for n, pair in enumerate(pairs):
        found.append(pair)
        after = pairs[n + 1] if n + 1 < len(pairs) else None
        step = after.number[1] - pair.number[1] if after else 1
        start, end = run.boxes[n].cy, run.boxes[n + 1].cy if after else 0.0
        if after is None or not 2 <= step <= 4 or abs((end - start) / step - pitch) > 0.25 * pitch:
            continue
        for k in range(1, step):
            place = start + k * (end - start) / step
            value = [c for c in cells if id(c) not in own and _at(turned(c.box, run.across), column, place, pitch)]
            if len(value) == 1 and parse_value(value[0].text).keylike:
                number = (pair.number[0], pair.number[1] + k, 0)
                found.append(Pair(number, value[0].text, value[0].box, (value[0],), inferred=True))
    return found


def _at(box: Box, column: _Column, place: float, pitch: float) -> bool:
    return column.x0 - 3 <= box.cx <= column.x1 + 3 and abs(box.cy - place) <= 0.35 * pitch


def _extent(pairs: Sequence[Pair]) -> Box:
    box = pairs[0].box
    for pair in pairs[1:]:
        box = box.union(pair.box)
    return box


def _heads_over(run: Run, x0: float, x1: float, cells: Sequence[Cell]) -> tuple[str, ...]:
    """The heads of a column of values, nearest first: phrases above it (left of it, where labels run across)."""
    left = run.boxes[0].x1
    wide = 2.0 * (x1 - min(left, x0)) + 40.0
    over: list[tuple[float, str]] = []
    for box, text in _phrases(cells):
        there = turned(box, run.across)
        before = there.y1 <= run.y0 + 0.3 * there.height
        if before and there.x1 > x0 - 2 and there.x0 < x1 + 2 and (run.across or there.width <= wide):
            over.append((run.y0 - there.y1, text))
    over.sort(key=lambda o: o[0])
    reach = 4.0 * max(_pitch(run), 12.0)
    return tuple(text for gap, text in over[:4] if gap <= reach)


def _phrases(cells: Sequence[Cell]) -> list[tuple[Box, str]]:
    """The words of each printed row joined where only a word space parts them."""
    found: list[tuple[Box, str]] = []
    last: Cell | None = None
    for cell in cells:
        if last is not None and cell.row == last.row and 0 <= cell.box.x0 - last.box.x1 <= 0.55 * cell.box.height:
            box, text = found[-1]
            found[-1] = box.union(cell.box), f"{text} {cell.text}"
        else:
            found.append((cell.box, cell.text))
        last = cell
    return found
