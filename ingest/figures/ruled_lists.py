"""Tables without vertical rules: three or more equal rules with words between them (head, body, foot)."""

from __future__ import annotations

from collections.abc import Sequence

from ..lines import Line
from ..page import Box, Word
from ..text import join_words
from .grids import Rule

Row = tuple[str, ...]


def find_ruled_lists(
    horizontals: Sequence[Rule], placed: Sequence[tuple[int, Line]], taken: Sequence[Box]
) -> list[tuple[Box, Row | None, tuple[Row, ...], list[Word]]]:
    """Box, header, rows and words of each table that reads into columns; `placed` are the page's lines,
    `taken` the tables found already."""
    found: list[tuple[Box, Row | None, tuple[Row, ...], list[Word]]] = []
    for group in _equal_rules(horizontals):
        box = Box(group[0].start, group[0].at, group[0].end, group[-1].at)
        if any(box.overlap(other) > 0.2 * box.area for other in taken):
            continue
        lines = [row for _, line in placed if (row := [w for w in line.words if box.contains(w.box.cx, w.box.cy)])]
        inside = [word for row in lines for word in row]
        gutters = _gutters(box, inside)
        if not gutters:
            continue
        table = [_cells(line, gutters) for line in lines]
        if len(table) < 3 or sum(1 for row in table if sum(map(bool, row)) >= 2) < 0.7 * len(table):
            continue
        head = [n for n, line in enumerate(lines) if line[0].box.cy < group[1].at]
        header = table[0] if head == [0] else None
        found.append((box, header, tuple(table[1:] if header else table), inside))
    return found


def _equal_rules(horizontals: Sequence[Rule]) -> list[list[Rule]]:
    """Runs of at least three rules of the same start and end, not further apart than a page's third."""
    groups: list[list[Rule]] = []
    for rule in sorted(horizontals, key=lambda r: r.at):
        if rule.end - rule.start < 60:
            continue
        for group in groups:
            last = group[-1]
            if abs(last.start - rule.start) < 4 and abs(last.end - rule.end) < 4 and 8 < rule.at - last.at < 260:
                group.append(rule)
                break
        else:
            groups.append([rule])
    return [group for group in groups if len(group) >= 3]


def _gutters(box: Box, words: Sequence[Word]) -> list[float]:
    """Middles of the vertical white strips between columns, at least 8 points wide."""
    if len(words) < 6:
        return []
    spans = sorted((w.box.x0, w.box.x1) for w in words)
    found: list[float] = []
    right = spans[0][1]
    for x0, x1 in spans[1:]:
        if x0 - right >= 8:
            found.append((right + x0) / 2)
        right = max(right, x1)
    return found


def _cells(line: Sequence[Word], gutters: Sequence[float]) -> Row:
    columns: list[list[Word]] = [[] for _ in range(len(gutters) + 1)]
    for word in line:
        columns[sum(1 for x in gutters if word.box.cx > x)].append(word)
    return tuple(join_words(column).replace("|", "\\|") for column in columns)
