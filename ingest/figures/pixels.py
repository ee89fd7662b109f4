"""Ink read from pixels: for scanned pages, and for placed pictures that are larger than what they show.

A page of a scan is one picture; its figures are the ink that no word covers. Word processors also place formulas
and arrows as pictures several times their size, transparent but for a few strokes: what counts is the ink.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..page import Box, Page
from .ink import Mark

DPI = 72
_CELL = 3
"""Pixels (here: points) of a side of a cell; ink in neighbouring cells is one piece."""


def is_scan(page: Page) -> bool:
    """Whether the page is pictures of paper whose words have been read: by OCR, or under one picture that is nearly
    all of the page."""
    if len(page.words) < 20 or not page.pictures:
        return False
    whole = page.width * page.height
    return page.read_by == "ocr" or any(picture.box.area > 0.8 * whole for picture in page.pictures)


def ink_pieces(gray: Any, words: Iterable[Box], area: Box) -> list[Mark]:
    """The connected pieces of ink within `area` that no word's box covers.

    `gray` is the page at 72 dpi, shape (height, width), 0 black; boxes are in points, hence in pixels.
    """
    import numpy

    top, left = max(int(area.y0), 0), max(int(area.x0), 0)
    part = gray[top : int(area.y1) + 1, left : int(area.x1) + 1]
    if part.size == 0:
        return []
    ink = part < _background(part) * 0.78
    for box in words:
        y0, x0 = max(int(box.y0) - top, 0), max(int(box.x0) - left, 0)
        ink[y0 : max(int(box.y1) + 1 - top, 0), x0 : max(int(box.x1) + 2 - left, 0)] = False
    height, width = (-(-n // _CELL) for n in ink.shape)
    padded = numpy.zeros((height * _CELL, width * _CELL), dtype=bool)
    padded[: ink.shape[0], : ink.shape[1]] = ink
    cells = padded.reshape(height, _CELL, width, _CELL).any(axis=(1, 3))
    return [_mark(piece, left, top) for piece in _components(cells)]


def _background(gray: Any) -> Any:
    """The paper's brightness around each pixel: nearly the brightest of its block, so that a photo's shadows are
    paper and no ink."""
    import numpy

    block = 48
    height, width = (-(-n // block) for n in gray.shape)
    padded = numpy.zeros((height * block, width * block), dtype=gray.dtype)
    padded[: gray.shape[0], : gray.shape[1]] = gray
    # the brightest of each row, the middle of these: a white speck does not count
    rows = padded.reshape(height, block, width, block).max(axis=3)
    bright = numpy.median(rows, axis=1)
    return numpy.kron(bright, numpy.ones((block, block)))[: gray.shape[0], : gray.shape[1]]


def _components(cells: Any) -> list[tuple[int, int, int, int, bool]]:
    """Boxes (x0, y0, x1, y1 in cells, ends excluded) of the pieces whose cells touch, corners included, and whether
    a piece is hollow: a frame, all of it near its box's sides."""
    import numpy

    open_cells = {(int(y), int(x)) for y, x in numpy.argwhere(cells)}
    found: list[tuple[int, int, int, int, bool]] = []
    for start in sorted(open_cells):
        if start not in open_cells:
            continue
        open_cells.discard(start)
        stack = [start]
        y0, x0, y1, x1 = start[0], start[1], start[0], start[1]
        members: list[tuple[int, int]] = []
        while stack:
            y, x = stack.pop()
            members.append((y, x))
            y0, x0, y1, x1 = min(y0, y), min(x0, x), max(y1, y), max(x1, x)
            for near in ((y + dy, x + dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1)):
                if near in open_cells:
                    open_cells.discard(near)
                    stack.append(near)
        sides = sum(1 for y, x in members if min(y - y0, y1 - y, x - x0, x1 - x) <= 2)
        hollow = min(x1 - x0, y1 - y0) > 16 and sides > 0.9 * len(members)
        found.append((x0, y0, x1 + 1, y1 + 1, hollow))
    return found


def _mark(piece: tuple[int, int, int, int, bool], left: int, top: int) -> Mark:
    x0, y0, x1, y1, hollow = piece
    box = Box(left + x0 * _CELL, top + y0 * _CELL, left + x1 * _CELL, top + y1 * _CELL)
    if hollow:
        return Mark("rectangle", box)
    thin = min(box.width, box.height) <= _CELL and max(box.width, box.height) > 8 * _CELL
    if thin:
        return Mark("horizontal" if box.width > box.height else "vertical", box, True)
    return Mark("other", box, True)


def scanned_ink(marks: Sequence[Mark], body: float, width: float, height: float) -> list[Mark]:
    """The pieces of a scanned page that may be a drawing: no speck, no missed line of text, no dark page edge."""
    kept: list[Mark] = []
    for mark in marks:
        box = mark.box
        at_edge = box.x0 <= 4 or box.y0 <= 4 or box.x1 >= width - 4 or box.y1 >= height - 4
        if at_edge or max(box.width, box.height) < 1.2 * body:
            continue
        kept.append(mark)
    return kept
