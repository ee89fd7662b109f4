"""Reading order: words into lines, lines into columns and bands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..lines import Line, Reading
from ..page import Box, Page, Word
from .columns import Region, split_columns
from .furniture import find_furniture
from .rows import group_rows


def read_order(pages: Sequence[Page]) -> Reading:
    """The lines of all pages of one source in reading order, without the furniture."""
    furniture = find_furniture(pages)
    lines: list[Line] = []
    for page in pages:
        words = [w for w in page.words if (page.number, w.index) not in furniture]
        lines.extend(_page_lines(page, words))
    return Reading(pages[0].source if pages else 0, tuple(lines), furniture)


def _page_lines(page: Page, words: list[Word]) -> list[Line]:
    upright = [w for w in words if w.angle in (0, 1)]
    turned = [w for w in words if w.angle not in (0, 1)]
    if len(turned) > 2 * len(upright) and len(turned) > 20:
        return _turned_page(page, words)
    if _right_to_left(upright):
        return _mirrored_page(page, words)
    lines = [line for region in split_columns(page, upright) for line in _lines(page, region)]
    groups: dict[tuple[int, int], list[Word]] = {}
    for word in turned:
        groups.setdefault((word.block, word.line), []).append(word)
    for group in groups.values():
        box = _hull(group)
        lines.append(Line(page.source, page.number, tuple(group), box, lines[-1].band + 1 if lines else 0, -1, box))
    return lines


def _turned_page(page: Page, words: list[Word]) -> list[Line]:
    """A page whose text runs downwards or upwards (vertical writing, a table set sideways): read it turned."""
    angles = [w.angle for w in words]
    angle = max((90, 180, 270), key=angles.count)
    place = {
        90: lambda b: Box(b.y0, page.width - b.x1, b.y1, page.width - b.x0),
        180: lambda b: Box(page.width - b.x1, page.height - b.y1, page.width - b.x0, page.height - b.y0),
        270: lambda b: Box(page.height - b.y1, b.x0, page.height - b.y0, b.x1),
    }[angle]
    turned: list[Word] = []
    original: dict[int, Word] = {}
    for word in words:
        box = place(word.box)
        original[word.index] = word
        turned.append(replace(word, box=box, baseline=box.y1 - 0.2 * box.height))
    width, height = (page.width, page.height) if angle == 180 else (page.height, page.width)
    upright = replace(page, width=width, height=height, strokes=(), pictures=())
    lines: list[Line] = []
    for region in split_columns(upright, turned):
        for row in group_rows(region.pieces):
            real = tuple(original[w.index] for w in row)
            box = _hull(real)
            lines.append(Line(page.source, page.number, real, box, region.band, region.column, box))
    return lines


def _right_to_left(words: Sequence[Word]) -> bool:
    """Whether most words are of a script written from right to left (Hebrew, Arabic)."""
    return 2 * sum(1 for word in words if _is_rtl(word.text)) > len(words)


def _is_rtl(text: str) -> bool:
    return not text.isascii() and any("\u0590" <= ch <= "\u08ff" or "\ufb1d" <= ch <= "\ufefc" for ch in text)


def _mirrored_page(page: Page, words: list[Word]) -> list[Line]:
    """A page written from right to left: read as if in a mirror, so that its right column comes first."""
    width = page.width
    original = {word.index: word for word in words}
    mirrored = [replace(w, box=Box(width - w.box.x1, w.box.y0, width - w.box.x0, w.box.y1)) for w in words]
    strokes = tuple(replace(s, box=Box(width - s.box.x1, s.box.y0, width - s.box.x0, s.box.y1)) for s in page.strokes)
    lines: list[Line] = []
    for region in split_columns(replace(page, strokes=strokes), mirrored):
        frame = Box(width - region.box.x1, region.box.y0, width - region.box.x0, region.box.y1)
        for row in group_rows(region.pieces):
            real = _left_to_right_runs([original[w.index] for w in row])
            lines.append(Line(page.source, page.number, tuple(real), _hull(real), region.band, region.column, frame))
    return lines


def _left_to_right_runs(words: list[Word]) -> list[Word]:
    """Words of the other direction within a line from right to left, put back into their own order."""
    ordered: list[Word] = []
    run: list[Word] = []
    for word in words:
        if _is_rtl(word.text) or not any(ch.isalnum() for ch in word.text):
            ordered += [*reversed(run), word]
            run = []
        else:
            run.append(word)
    return ordered + run[::-1]


def _lines(page: Page, region: Region) -> list[Line]:
    return [
        Line(page.source, page.number, tuple(row), _hull(row), region.band, region.column, region.box)
        for row in group_rows(region.pieces)
    ]


def _hull(words: Sequence[Word]) -> Box:
    first = words[0].box
    x0, y0, x1, y1 = first.x0, first.y0, first.x1, first.y1
    for word in words:
        box = word.box
        if box.x0 < x0:
            x0 = box.x0
        if box.y0 < y0:
            y0 = box.y0
        if box.x1 > x1:
            x1 = box.x1
        if box.y1 > y1:
            y1 = box.y1
    return Box(x0, y0, x1, y1)
