"""Tables that people read: on a terminal in columns of equal width, whatever the script, and as Markdown and CSV."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from ...schemas.printable import printable

WIDTH = 80


@dataclass(frozen=True)
class Grid:
    """`title`, one head per column, rows of texts. `left`: the columns that hold words; numbers stand at the right. The
    first of them gives way where a row is too long."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: frozenset[int] = frozenset({0})
    notes: tuple[str, ...] = ()

    def text(self, width: int = WIDTH) -> str:
        """At most `width` columns wide, as long as the figures alone leave the words eight."""
        cells = [[printable(cell, 200) for cell in row] for row in [self.head, *self.rows]]
        sizes = [max(columns(row[place]) for row in cells) for place in range(len(self.head))]
        elastic = min(self.left)
        room = width - sum(sizes) - 2 * (len(sizes) - 1) + sizes[elastic]
        sizes[elastic] = min(sizes[elastic], max(8, room))
        lines = [self._line(row, sizes) for row in cells]
        return "\n".join([self.title, *lines, *(line for note in self.notes for line in wrapped(note, width))])

    def _line(self, row: Sequence[str], sizes: Sequence[int]) -> str:
        fitted = [
            padded(shortened(cell, size), size, left=place in self.left)
            for place, (cell, size) in enumerate(zip(row, sizes, strict=True))
        ]
        return "  ".join(fitted).rstrip()

    def markdown(self) -> str:
        rule = ["---" if place in self.left else "---:" for place in range(len(self.head))]
        rows = [[_escaped(cell) for cell in row] for row in [self.head, rule, *self.rows]]
        rows[1] = rule
        table = "\n".join("| " + " | ".join(row) + " |" for row in rows)
        return "\n\n".join([f"## {self.title}", table, *(_escaped(note) for note in self.notes)])


def columns(text: str) -> int:
    """How many columns of a terminal a text takes: two for East Asian wide signs, none for combining ones."""
    return sum(_columns(sign) for sign in text)


def _columns(sign: str) -> int:
    if unicodedata.combining(sign) or unicodedata.category(sign) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1


def shortened(text: str, size: int) -> str:
    """The text, its middle left out where it is too wide: names differ at both ends."""
    if columns(text) <= size:
        return text
    front, back = (size - 1) - (size - 1) // 2, (size - 1) // 2
    return _front(text, front) + "…" + _front(text[::-1], back)[::-1]


def _front(text: str, size: int) -> str:
    taken = ""
    for sign in text:
        if columns(taken + sign) > size:
            break
        taken += sign
    return taken


def padded(text: str, size: int, *, left: bool) -> str:
    blanks = " " * (size - columns(text))
    return text + blanks if left else blanks + text


def wrapped(text: str, width: int = WIDTH) -> list[str]:
    """Lines of at most `width` columns, broken at blanks."""
    lines = [""]
    for word in printable(text, 2_000).split(" "):
        if lines[-1] and columns(lines[-1]) + 1 + columns(word) > width:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return lines


def _escaped(text: str) -> str:
    shown = printable(text, 500)
    for sign in ("\\", "|", "<", "`", "*", "_", "["):
        shown = shown.replace(sign, f"\\{sign}")
    return shown


def csv_text(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """CSV as spreadsheets read it; a text that would be taken for a formula is quoted."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(head)
    for row in rows:
        writer.writerow([_cell(value) for value in row])
    return stream.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, float):
        return repr(round(value, 6))
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return f"'{value}"
    return "" if value is None else value
