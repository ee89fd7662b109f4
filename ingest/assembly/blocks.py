"""Printed lines, tables and pictures to content blocks: where a paragraph ends, what joins two lines.

A line break of the page is kept only where it was meant: the next word would have fitted on the line, a
list item or an indented paragraph begins, or a gap stands between the lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from unicodedata import category

from ...schemas.content import Block, ImageBlock, TableBlock, TextBlock
from ..draft import Figure, WordKey
from ..lines import Line
from ..text import is_cjk, join_words

_ITEM = re.compile(
    r"^(?:[•˙●○◦▪■□◆◇‣·*–—-]\s|[①-⑳㉠-㉻⑴-⒇⒜-⒵ⓐ-ⓩ❶-❿]|"
    r"[(（]\s?(?:[0-9]{1,2}|[a-zA-Z]|[ivxIVX]{1,5}|[一二三四五六七八九十甲乙丙丁戊己]|[ㄱ-ㅎ가-하ア-ン])\s?[)）]|"
    r"(?:[0-9]{1,2}|[a-zA-Z]|[ivxIVX]{1,5}|[ㄱ-ㅎ])[.)．、](?=\s|[^\x00-\x7f0-9])|[一二三四五六七八九十甲乙丙丁戊己][、．.:：])"
)
_ENDS_SENTENCE = tuple('.!?:;。！？：；…」』”"')
_HYPHENS = "-‐\u00ad"


@dataclass(frozen=True)
class Typesetter:
    """Turns lines into blocks. `order` gives every word its line's place in the reading order,
    `vocabulary` holds the words that the sources print unbroken (lower case)."""

    order: Mapping[WordKey, int]
    vocabulary: frozenset[str]
    linearise: Callable[[Line], str]

    def blocks(self, lines: Sequence[Line], figures: Sequence[Figure], asset: Callable[[Figure], str]) -> list[Block]:
        """Text and figures in the order in which they are printed. `asset` names a figure's picture."""
        found: list[Block] = []
        pending: list[Line] = []
        waiting = sorted(figures, key=lambda f: (f.source, f.page, f.before, f.box.y0, f.box.x0))
        for line in lines:
            while waiting and self._stands_before(waiting[0], line):
                self._flush(pending, found)
                found.extend(figure_blocks(waiting.pop(0), asset))
            pending.append(line)
        self._flush(pending, found)
        for figure in waiting:
            found.extend(figure_blocks(figure, asset))
        return found

    def text(self, lines: Sequence[Line]) -> str:
        """The lines as Markdown, paragraphs apart by an empty line; code in fences with its indents."""
        parts: list[str] = []
        run: list[Line] = []
        code = [_is_code(line) for line in lines]
        for n, line in enumerate(lines):
            if run and (code[n] != code[n - 1] or (not code[n] and self._breaks(lines, n))):
                parts.append(_fenced(run) if code[n - 1] else self._paragraph(run))
                run = []
            run.append(line)
        if run:
            parts.append(_fenced(run) if code[-1] else self._paragraph(run))
        return "\n\n".join(part for part in parts if part.strip())

    def _flush(self, pending: list[Line], found: list[Block]) -> None:
        text = self.text(pending)
        if text:
            found.append(TextBlock(markdown=text))
        pending.clear()

    def _stands_before(self, figure: Figure, line: Line) -> bool:
        if (figure.source, figure.page) != (line.source, line.page):
            return (figure.source, figure.page) < (line.source, line.page)
        place = min((self.order.get((line.source, line.page, w.index), 0) for w in line.words), default=0)
        return figure.before <= place

    def _breaks(self, lines: Sequence[Line], n: int) -> bool:
        """Whether a new paragraph begins at line n."""
        above, line = lines[n - 1], lines[n]
        if _same_row(above, line):
            return False
        if _ITEM.match(line.text) and (above.text.endswith(_ENDS_SENTENCE) or self._is_listed(lines, n)):
            return True
        em = max(line.size, above.size, 6.0)
        if abs(line.size - above.size) > 1.5:
            return True
        if _is_bold(above) != _is_bold(line) and above.box.x1 + 2 * em < _right_edge(lines, n):
            return True
        same_column = (above.source, above.page, above.column) == (line.source, line.page, line.column)
        if same_column and line.box.y0 - above.box.y1 > 0.9 * em:
            return True
        if same_column and line.box.x0 > above.box.x0 + 0.9 * em and line.box.x0 - above.box.x0 < 4 * em:
            return above.text.endswith(_ENDS_SENTENCE)
        if line.text[:1].islower():
            return False
        first = line.words[0]
        if is_cjk(line.text[:1]):
            slack = 2.2 * em if above.text.endswith(_ENDS_SENTENCE) else 4 * em
        else:
            slack = 1.2 * em + min(first.box.width, 14 * em)
            if above.box.x1 < above.column_box.x1 - 0.35 * above.column_box.width and above.text[-1] != ",":
                return True
        return above.box.x1 + slack < _right_edge(lines, n)

    def _is_listed(self, lines: Sequence[Line], n: int) -> bool:
        """Whether line n's marker is one of several of its form: `(U)` at a line's start alone is prose."""
        form = _marker_form(lines[n])
        return sum(_marker_form(line) == form for line in lines[max(n - 12, 0) : n + 13]) > 1

    def _paragraph(self, lines: Sequence[Line]) -> str:
        text = ""
        for line in lines:
            piece = self.linearise(line).strip()
            text = self._joined(text, piece) if text else piece
        return text

    def _joined(self, text: str, piece: str) -> str:
        if not piece:
            return text
        if text[-1] in _HYPHENS and len(text) > 1 and text[-2].isalpha() and piece[0].islower():
            head = re.search(r"[^\W\d_]+$", text[:-1])
            tail = re.match(r"[^\W\d_]+", piece)
            whole = f"{head.group() if head else ''}{tail.group() if tail else ''}".lower()
            certain = text[-1] == "\u00ad" or whole in self.vocabulary
            return text[:-1] + piece if certain else text + piece
        return text + ("" if is_cjk(text[-1]) and is_cjk(piece[0]) else " ") + piece


def figure_blocks(figure: Figure, asset: Callable[[Figure], str]) -> list[Block]:
    """A table that reads as a table, with its picture where some of its signs do not; else the picture."""
    if figure.kind != "table" or not figure.rows:
        return [_picture(figure, asset)]
    header = list(figure.header) if figure.header else None
    table = TableBlock(header=header, rows=[list(row) for row in figure.rows], caption=figure.caption)
    return [table, _picture(figure, asset)] if figure.also_picture else [table]


def _picture(figure: Figure, asset: Callable[[Figure], str]) -> ImageBlock:
    return ImageBlock(asset=asset(figure), alt=figure.label or "", caption=figure.caption)


def vocabulary(lines: Sequence[Line]) -> frozenset[str]:
    """The alphabetic words that stand unbroken inside lines, lower case."""
    found: set[str] = set()
    for line in lines:
        found.update(word.text.strip(".,;:!?()[]“”\"'").lower() for word in line.words[:-1])
    return frozenset(word for word in found if len(word) > 3 and word.isalpha())


def _is_bold(line: Line) -> bool:
    return all(word.bold for word in line.words)


def _right_edge(lines: Sequence[Line], n: int) -> float:
    """How far the lines around the break before line n run to the right, points."""
    above = lines[n - 1]
    place = (above.source, above.page, above.column)
    near = lines[max(n - 4, 0) : n + 3]
    return max(line.box.x1 for line in near if (line.source, line.page, line.column) == place)


def _marker_form(line: Line) -> tuple[str, int] | None:
    """The shape of a line's list marker, its characters by kind, and where it stands (in 6 point steps)."""
    match = _ITEM.match(line.text)
    if match is None:
        return None
    kinds = "".join(category(char) if char.isalnum() else char for char in match.group().split()[0])
    return kinds[:3], round(line.box.x0 / 6)


def _same_row(above: Line, line: Line) -> bool:
    if (above.source, above.page) != (line.source, line.page) or line.box.x0 < above.box.x0:
        return False
    shared = min(above.box.y1, line.box.y1) - max(above.box.y0, line.box.y0)
    return shared > 0.5 * min(above.box.height, line.box.height)


def _is_code(line: Line) -> bool:
    """Whether a line is set in a monospaced Latin font. CJK fonts are monospaced and no code."""
    letters = sum(len(word.text) for word in line.words)
    mono = sum(len(word.text) for word in line.words if word.mono and word.text.isascii())
    return letters > 0 and mono > 0.8 * letters


def _fenced(lines: Sequence[Line]) -> str:
    """A fenced code block. Indents are counted in characters of the (monospaced) font."""
    widths = [word.box.width / len(word.text) for line in lines for word in line.words if word.text]
    if len(lines) == 1 and len(lines[0].words) == 1:
        return f"`{lines[0].text}`" if "`" not in lines[0].text else lines[0].text
    char = max(median(widths), 1.0)
    left = min(line.box.x0 for line in lines)
    rows: list[str] = []
    for n, line in enumerate(lines):
        if n and _same_row(lines[n - 1], line):
            rows[-1] += " " + join_words(line.words)
            continue
        row = ""
        for word in line.words:
            column = round((word.box.x0 - left) / char)
            row = row.ljust(column) if column > len(row) else (row + " " if row else row)
            row += word.text
        rows.append(row.rstrip())
    fence = "```" if not any("```" in row for row in rows) else "~~~~"
    return "\n".join([fence, *rows, fence])
