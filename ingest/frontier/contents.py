"""A reply's Markdown as content blocks: text, tables in pipes, figures where their markers stand."""

from __future__ import annotations

import re
from collections.abc import Callable

from ...schemas.content import Block, TableBlock, TextBlock

_MARKER = re.compile(r"\[\[(W\d+F\d{1,3})\]\]")
_RULE = re.compile(r"^\s*\|?\s*:?-{1,}:?\s*(\|\s*:?-{1,}:?\s*)*\|?\s*$")
_FENCE = re.compile(r"^\s*(```|~~~)")


def blocks_of(markdown: str, picture: Callable[[str], list[Block]]) -> list[Block]:
    """The blocks of a text; `picture` gives those of a figure by the name in its marker."""
    found: list[Block] = []
    run: list[str] = []
    lines = markdown.replace("\r\n", "\n").split("\n")
    at, fenced = 0, False
    while at < len(lines):
        line = lines[at]
        fenced ^= bool(_FENCE.match(line))
        end = at if fenced else _table_end(lines, at)
        if end > at:
            _flush(run, found)
            found.append(_table(lines[at:end]))
            at = end
            continue
        _line(line, run, found, picture, fenced=fenced)
        at += 1
    _flush(run, found)
    return found


def _line(
    line: str, run: list[str], found: list[Block], picture: Callable[[str], list[Block]], *, fenced: bool
) -> None:
    """A line's text and figures; in program text a marker is text."""
    pieces = [line] if fenced else _MARKER.split(line)
    run.append(pieces[0])
    for name, after in zip(pieces[1::2], pieces[2::2], strict=True):
        _flush(run, found)
        found.extend(picture(name))
        run.append(after)


def _flush(run: list[str], found: list[Block]) -> None:
    text = "\n".join(run).strip("\n").rstrip()
    text = text if text.startswith((" ", "\t")) and _FENCE.match(text) else text.strip()
    if text:
        found.append(TextBlock(markdown=text))
    run.clear()


def _table_end(lines: list[str], at: int) -> int:
    """Where the table that begins at line `at` ends; `at` itself where none begins there."""
    if at + 1 >= len(lines) or "|" not in lines[at] or not _RULE.match(lines[at + 1]) or "-" not in lines[at + 1]:
        return at
    end = at + 2
    while end < len(lines) and "|" in lines[end] and lines[end].strip():
        end += 1
    return end


def _table(lines: list[str]) -> TableBlock:
    header = _cells(lines[0])
    rows = [_cells(line) for line in lines[2:]]
    width = max(len(row) for row in [header, *rows])
    padded = [row + [""] * (width - len(row)) for row in [header, *rows]]
    return TableBlock(header=padded[0] if any(padded[0]) else None, rows=padded[1:])


def _cells(line: str) -> list[str]:
    """The cells of a row; a bar that is escaped or stands in a formula separates nothing."""
    cells, cell, math, at = [], "", False, 0
    text = line.strip().removeprefix("|")
    while at < len(text):
        char = text[at]
        if char == "\\" and text[at + 1 : at + 2] == "|":
            cell, at = cell + "|", at + 2
            continue
        math ^= char == "$"
        if char == "|" and not (math and "$" in text[at:]):
            cells.append(cell.strip())
            cell = ""
        else:
            cell += char
        at += 1
    return [*cells, cell.strip()] if cell.strip() else cells
