"""A small press: sets lines of English and Chinese, tables and drawings on A4 pages, the same bytes every time.

Fonts are PyMuPDF's own (Nimbus, Droid Sans Fallback), embedded as subsets.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pymupdf

WIDTH, HEIGHT = 595.0, 842.0
MARGIN = 58.0
TOP, BOTTOM = 78.0, 772.0
SIZE, LEADING = 10.5, 15.5
INK = (0.08, 0.08, 0.1)
GREY = (0.42, 0.42, 0.45)
FONTS = {name: pymupdf.Font(name) for name in ("tiro", "tibo", "tiit", "hebo", "helv", "cjk")}
_STYLES = {"": "tiro", "b": "tibo", "i": "tiit", "h": "hebo", "s": "helv"}
_TAGS = re.compile(r"<(/?)(b|i|h|s|sup|sub)>")
_WIDE = r"\u2460-\u24ff\u25a1\u2e80-\u9fff\uff00-\uffef"
_PIECES = re.compile(f"[{_WIDE}]|[ ]+|[^ {_WIDE}]+")
# signs that may not begin a line of Chinese
_NO_START = "，。、；：？！」』）〕"


@dataclass(frozen=True)
class Run:
    """A piece of a line in one font; `rise` is how far it stands above the baseline, points."""

    text: str
    font: str
    size: float
    rise: float = 0.0

    @property
    def width(self) -> float:
        return FONTS[self.font].text_length(self.text, self.size)  # pyright: ignore[reportArgumentType]


def runs(markup: str, size: float = SIZE, style: str = "") -> list[Run]:
    """Text with <b>, <i>, <sup>, <sub>, <h> (sans bold), <s> (sans) as runs; each CJK character is one."""
    found: list[Run] = []
    open_tags = [style]
    position = 0
    for tag in [*_TAGS.finditer(markup), None]:
        text = markup[position : tag.start() if tag else len(markup)]
        face = next((t for t in reversed(open_tags) if t in _STYLES), "")
        small = {"sup": 0.36, "sub": -0.16}.get(open_tags[-1], 0.0)
        for piece in _PIECES.findall(text):
            font = "cjk" if _is_cjk(piece[0]) else _STYLES[face]
            found.append(Run(piece, font, size * 0.68 if small else size, small * size))
        if tag is None:
            break
        position = tag.end()
        if tag.group(1):
            open_tags.pop()
        else:
            open_tags.append(tag.group(2))
    return found


def broken(pieces: list[Run], width: float) -> list[list[Run]]:
    """The runs cut into lines of at most `width` points."""
    lines: list[list[Run]] = [[]]
    used = 0.0
    for unit in _units(pieces):
        space = unit[0].text.isspace()
        long = sum(run.width for run in unit)
        if used + long > width and not space and lines[-1] and unit[0].text[0] not in _NO_START:
            lines.append([])
            used = 0.0
        if space and not lines[-1]:
            continue
        lines[-1] += unit
        used += long
    return lines


def _units(pieces: list[Run]) -> list[list[Run]]:
    """Runs that may not be torn apart: a word with its raised or bold parts."""
    units: list[list[Run]] = []
    for run in pieces:
        joined = units and not run.text.isspace() and not units[-1][-1].text.isspace()
        if joined and run.font != "cjk" and units[-1][-1].font != "cjk":
            units[-1].append(run)
        else:
            units.append([run])
    return units


def _is_cjk(character: str) -> bool:
    return re.match(f"[{_WIDE}]", character) is not None


@dataclass
class Press:
    """Sets text from the top of a column downwards: `x`, `width` are the column, `y` the next free height."""

    header: str = ""
    footer: str = ""
    document: pymupdf.Document = field(default_factory=pymupdf.Document)
    x: float = MARGIN
    width: float = WIDTH - 2 * MARGIN
    y: float = TOP

    def new_page(self) -> None:
        page = self.document.new_page(width=WIDTH, height=HEIGHT)
        self.x, self.width, self.y = MARGIN, WIDTH - 2 * MARGIN, TOP
        if not self.header:
            return
        left, right = self.header.split("|")
        self._place(runs(left, 8.5, "s"), MARGIN, 50, GREY)
        tail = runs(right, 8.5, "s")
        self._place(tail, WIDTH - MARGIN - sum(run.width for run in tail), 50, GREY)
        page.draw_line((MARGIN, 57), (WIDTH - MARGIN, 57), color=GREY, width=0.5)
        foot = runs(self.footer.format(page=len(self.document)), 8.5, "s")
        self._place(foot, (WIDTH - sum(run.width for run in foot)) / 2, 808, GREY)

    @property
    def page(self) -> pymupdf.Page:
        return self.document[-1]

    def column(self, x: float, width: float, y: float) -> None:
        self.x, self.width, self.y = x, width, y

    def skip(self, points: float) -> None:
        self.y += points

    def text(
        self,
        markup: str,
        *,
        size: float = SIZE,
        style: str = "",
        indent: float = 0.0,
        label: str = "",
        hang: float = 0.0,
        align: str = "left",
        after: float = 3.0,
    ) -> None:
        """A paragraph. `indent` moves it right; a `label` stands there and the text hangs `hang` points after it."""
        leading = LEADING * size / SIZE
        left = self.x + indent
        if label:
            self._place(runs(label, size, style), left, self.y + size)
        for line in broken(runs(markup, size, style), self.width - indent - hang):
            start = left + hang
            if align == "centre":
                start = self.x + (self.width - sum(run.width for run in line)) / 2
            self._place(line, start, self.y + size)
            self.y += leading
        self.y += after
        assert self.y < HEIGHT - 40, "the page is full"

    def marks(self, text: str) -> None:
        """Marks at the right edge of the line that was set last."""
        pieces = runs(text, SIZE, "b")
        self._place(pieces, self.x + self.width - sum(run.width for run in pieces), self.y - 3.0 - LEADING + SIZE)

    def row(self, cells: Sequence[tuple[str, str]], *, indent: float, hang: float, widths: Sequence[float]) -> None:
        """Several labelled items side by side on one line; `widths` are their columns, points."""
        left = self.x + indent
        for (label, markup), width in zip(cells, widths, strict=True):
            self._place(runs(label), left, self.y + SIZE)
            self._place(runs(markup), left + hang, self.y + SIZE)
            left += width
        self.y += LEADING + 2

    def table(
        self,
        rows: Sequence[Sequence[str]],
        widths: Sequence[float],
        *,
        indent: float = 0.0,
        height: float = 19.0,
        size: float = SIZE,
    ) -> None:
        """A ruled table with centred cells; the first row is its head."""
        left, top = self.x + indent, self.y + 2
        for number in range(len(rows)):
            x = left
            for width in widths:
                box = pymupdf.Rect(x, top + number * height, x + width, top + (number + 1) * height)
                self.page.draw_rect(box, color=INK, fill=(0.93, 0.94, 0.96) if number == 0 else None, width=0.6)
                x += width
        for number, row in enumerate(rows):
            x = left
            for cell, width in zip(row, widths, strict=True):
                pieces = runs(cell, size, "b" if number == 0 else "")
                start = x + (width - sum(run.width for run in pieces)) / 2
                self._place(pieces, start, top + number * height + height / 2 + size * 0.35)
                x += width
        self.y = top + len(rows) * height + 8

    def fraction(self, parts: Sequence[str | tuple[str, str]], *, centre: float, size: float = SIZE) -> None:
        """A displayed formula: pieces of text and (numerator, denominator) pairs over a drawn bar."""
        widths = [
            sum(run.width for run in runs(part, size))
            if isinstance(part, str)
            else max(sum(run.width for run in runs(half, size)) for half in part) + 6
            for part in parts
        ]
        x, middle = centre - sum(widths) / 2, self.y + 16
        for part, width in zip(parts, widths, strict=True):
            if isinstance(part, str):
                self._place(runs(part, size), x, middle + size * 0.32)
            else:
                for half, base in zip(part, (middle - 4, middle + size + 1), strict=True):
                    pieces = runs(half, size)
                    self._place(pieces, x + (width - sum(run.width for run in pieces)) / 2, base)
                self.page.draw_line((x + 1, middle), (x + width - 1, middle), color=INK, width=0.6)
            x += width
        self.y += 36

    def note(self, markup: str, x: float, y: float, *, size: float = 8.5) -> None:
        """A small text at a place of its own: an axis label."""
        self._place(runs(markup, size, "s"), x, y)

    def save(self, path: Path) -> None:
        """Write the PDF: fonts as subsets, no dates and no random id."""
        self.document.subset_fonts()
        self.document.set_metadata({})
        self.document.save(path, garbage=4, deflate=True, deflate_fonts=True, no_new_id=True)

    def _place(self, pieces: Sequence[Run], x: float, y: float, colour: tuple[float, ...] = INK) -> None:
        writer = pymupdf.TextWriter(self.page.rect, color=colour)
        for run in pieces:
            if not run.text.isspace():
                writer.append((x, y - run.rise), run.text, font=FONTS[run.font], fontsize=run.size)  # pyright: ignore[reportArgumentType]
            x += run.width
        writer.write_text(self.page)
