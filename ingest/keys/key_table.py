"""Keys and mark schemes printed as a table with heads: (section,) question, answer, (marks), one row per question.

Unlike a grid, the answers may be of any length and over several lines, and the questions may have parts:
`3 (a)`, `2 (b)(ii)`, or `(b)` below `(a)` with the number printed once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..page import Box, Stroke
from .key_cells import Cell, narrow
from .key_spots import part_path
from .key_words import ANSWER_HEAD, LABEL_HEAD, OTHER_HEAD, POINTS_HEAD

_SECTION_HEAD = re.compile(r"^(section|part|paper|teil|partie|sección|seção|部分|大題|부)$", re.IGNORECASE)
_NUMBER = re.compile(r"^\s*(?:q(?:uestion)?\.?|第|問|问)?\s*(\d{1,3})\s*(?:題|题|번)?[.)]?\s*(.*)$", re.IGNORECASE)
_COLUMN_HEAD = 24
"""Most letters of a column's head."""


@dataclass
class TableRow:
    """One question of the table: its section's name, number, parts below it, and the cells' texts."""

    section: str
    number: int
    path: tuple[int, ...]
    lines: list[str] = field(default_factory=list)
    points: str = ""
    box: Box = field(default_factory=lambda: Box(0, 0, 0, 0))
    cells: list[Cell] = field(default_factory=list)

    @property
    def answer(self) -> str:
        return "\n".join(self.lines).strip()


@dataclass(frozen=True)
class _Columns:
    """The horizontal extents of the columns by what they hold, and the bottom of the heads."""

    extents: dict[str, tuple[float, float]]
    bottom: float

    def of(self, cell: Cell) -> str:
        return next((name for name, (x0, x1) in self.extents.items() if x0 <= cell.box.cx < x1), "")


def read_table(cells: Sequence[Cell], strokes: Sequence[Stroke], before: TableRow | None = None) -> list[TableRow]:
    """The rows of the page's table; empty where no row of heads names a question and an answer column once.

    `before`: the last row of the page before, whose number a page may go on with.
    """
    columns = _heads(cells, strokes)
    if columns is None:
        return []
    rows: list[TableRow] = []
    last = before
    bands = _bands(cells, strokes, columns)
    for band in bands:
        row = _row(band, columns, last)
        if row is not None:
            rows.append(row)
            last = row
        elif rows:
            _more(rows[-1], band, columns)
    return [row for row in rows if row.lines]


def _heads(cells: Sequence[Cell], strokes: Sequence[Stroke]) -> _Columns | None:
    by_row: dict[int, list[Cell]] = {}
    for cell in cells:
        by_row.setdefault(cell.row, []).append(cell)
    for row in sorted(by_row):
        phrases = _phrases(by_row[row])
        kinds = [_kind(text) for _, text in phrases]
        once = kinds.count("label") == 1 and kinds.count("answer") == 1 and len(phrases) <= 7
        if once and kinds.index("label") < kinds.index("answer") and all(len(t) <= _COLUMN_HEAD for _, t in phrases):
            return _extents(phrases, kinds, strokes)
    return None


def _kind(text: str) -> str:
    plain = narrow(text).strip(" .:：")
    if _SECTION_HEAD.match(plain):
        return "section"
    for pattern, kind in (
        (POINTS_HEAD, "points"),
        (OTHER_HEAD, "other"),
        (LABEL_HEAD, "label"),
        (ANSWER_HEAD, "answer"),
    ):
        if pattern.search(plain):
            return kind
    return "other"


def _phrases(row: Sequence[Cell]) -> list[tuple[Box, str]]:
    found: list[tuple[Box, str]] = []
    for cell in sorted(row, key=lambda c: c.box.x0):
        if found and cell.box.x0 - found[-1][0].x1 <= 0.6 * cell.box.height:
            found[-1] = found[-1][0].union(cell.box), f"{found[-1][1]} {cell.text}"
        else:
            found.append((cell.box, cell.text))
    return found


def _extents(phrases: Sequence[tuple[Box, str]], kinds: Sequence[str], strokes: Sequence[Stroke]) -> _Columns:
    """Column borders: the drawn rules between two heads, else half way."""
    boxes = [box for box, _ in phrases]
    y = boxes[0].cy
    rules = sorted({round(s.box.cx, 1) for s in strokes if s.kind == "vertical" and s.box.y0 - 4 <= y <= s.box.y1 + 4})
    borders = [0.0]
    for left, right, kind in zip(boxes, boxes[1:], kinds[1:], strict=False):
        between = [x for x in rules if left.x1 - 1 <= x <= right.x0 + 1]
        # marks are short and stand under their head; long answers run up to it
        half = right.x0 - 8.0 if kind == "points" else (left.x1 + right.x0) / 2
        borders.append(between[0] if between else max(half, left.x1))
    borders.append(float("inf"))
    extents: dict[str, tuple[float, float]] = {}
    for n, kind in enumerate(kinds):
        extents.setdefault(kind if kind not in extents else f"{kind}{n}", (borders[n], borders[n + 1]))
    return _Columns(extents, max(box.y1 for box in boxes))


def _bands(cells: Sequence[Cell], strokes: Sequence[Stroke], columns: _Columns) -> list[list[Cell]]:
    """The cells below the heads, cut into the table's rows by its rules, else printed row by printed row."""
    under = [c for c in cells if c.box.cy > columns.bottom]
    x0, x1 = columns.extents["answer"][0], min(columns.extents["answer"][1], columns.extents["answer"][0] + 60)
    rules = sorted(
        {
            round(s.box.cy)
            for s in strokes
            if s.kind == "horizontal" and s.box.x0 <= x0 + 12 and s.box.x1 >= x1 - 12 and s.box.cy >= columns.bottom - 4
        }
    )
    bands: dict[int, list[Cell]] = {}
    for cell in under:
        place = sum(rule < cell.box.cy for rule in rules) if len(rules) >= 3 else cell.row
        bands.setdefault(place, []).append(cell)
    return [bands[place] for place in sorted(bands)]


def _row(band: Sequence[Cell], columns: _Columns, last: TableRow | None) -> TableRow | None:
    label = " ".join(c.text for c in _column(band, columns, "label"))
    section = " ".join(c.text for c in _column(band, columns, "section")) or (last.section if last else "")
    if not label:
        return None
    match = _NUMBER.match(narrow(label))
    same = last is not None and match is not None and last.number == int(match[1]) and last.section == section
    if match:
        path = part_path(match[2], last.path if same and last else ())
        number = int(match[1])
    else:
        if last is None:
            return None
        path = _deeper(label, last.path)
        number = last.number
    if path is None:
        return None
    row = TableRow(section, number, path)
    _more(row, band, columns)
    return row


def _deeper(label: str, above: tuple[int, ...]) -> tuple[int, ...] | None:
    """The path of a row that prints only its own part: the next part of the row above, or one level below it."""
    whole = part_path(label, above)
    if whole is not None and len(whole) > 1 and above and whole > above and whole[0] <= above[0] + 1:
        return whole
    for level in range(len(above), -1, -1):
        parent = above[:level]
        before = above[level] if level < len(above) else 0
        path = part_path(label, (before,))
        if path is not None and path[0] == before + 1:
            return (*parent, *path)
    return None


def _column(band: Sequence[Cell], columns: _Columns, name: str) -> list[Cell]:
    return sorted((c for c in band if columns.of(c) == name), key=lambda c: (c.row, c.box.x0))


def _more(row: TableRow, band: Sequence[Cell], columns: _Columns) -> None:
    """Add a band's answer cells to the row, line by line."""
    lines: dict[int, list[Cell]] = {}
    for cell in _column(band, columns, "answer"):
        lines.setdefault(cell.row, []).append(cell)
    row.lines.extend(_spaced(lines[n]) for n in sorted(lines))
    row.points = row.points or " ".join(c.text for c in _column(band, columns, "points"))
    own = [c for c in band if columns.of(c) in ("label", "section", "answer", "points")]
    for cell in own:
        row.box = cell.box if row.box.area == 0 else row.box.union(cell.box)
    row.cells.extend(own)


def _spaced(cells: Sequence[Cell]) -> str:
    parts: list[str] = []
    for n, cell in enumerate(cells):
        close = n and cell.box.x0 - cells[n - 1].box.x1 <= 0.12 * cell.box.height
        wide = parts and ord(parts[-1][-1]) >= 0x2E80 and ord(cell.text[0]) >= 0x2E80
        parts.append(("" if n == 0 or close or wide else " ") + cell.text)
    return "".join(parts)
