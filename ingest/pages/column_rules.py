"""Printed vertical rules in the picture of a scanned page: the lines between columns, the sides of tables.

Recognition reads across a narrow gutter, so a page is cut at such rules before it is read; and the layout has to know
that they are there. Sheets lie crooked and photographs are bent, so a rule is a chain of short upright pieces.
Needs OpenCV, which the OCR extra brings.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

# of the page's height: the shortest rule, the run of ink that cannot be a letter's stem, the gap that a rule may have
LONG, RUN, GAP = 0.4, 0.035, 0.02
# of the page's width: how far a rule may lean, and the margin in which none parts anything
LEAN, MARGIN = 0.04, 0.12
# of the page's height: a margin that holds no line of text
LEAST = 0.015
BANDS = 12
MOST = 4
"""Rules that a page is cut at; a picture with more of them is a table or squared paper."""


@dataclass(frozen=True)
class UprightRule:
    """`pieces`: (y0, y1, x) from top to bottom, in pixels; between two pieces it runs straight on."""

    pieces: tuple[tuple[float, float, float], ...]

    @property
    def x(self) -> float:
        """Its middle."""
        return sum(x for _, _, x in self.pieces) / len(self.pieces)

    def at(self, y: float) -> float:
        """Where it crosses the height `y`, beyond its ends too."""
        nearest = min(self.pieces, key=lambda piece: max(piece[0] - y, y - piece[1], 0.0))
        return nearest[2]


def upright_rules(picture: Any) -> list[UprightRule]:
    """The long vertical rules of a picture (height × width × 3, BGR), left to right; none where there are too many."""
    import cv2
    import numpy

    gray = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    height, width = gray.shape
    ink = cv2.adaptiveThreshold(gray, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, 41, 12)
    joined = cv2.morphologyEx(ink, cv2.MORPH_CLOSE, _upright(0.004 * height))
    runs = cv2.morphologyEx(joined, cv2.MORPH_OPEN, _upright(RUN * height))
    wide = cv2.dilate(runs, numpy.ones((1, 5), numpy.uint8))
    chained = cv2.morphologyEx(wide, cv2.MORPH_CLOSE, _upright(GAP * height))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(chained, connectivity=8)
    found: list[UprightRule] = []
    for label in range(1, count):
        left, top, across, down, _ = (int(value) for value in stats[label])
        middle = left + across / 2
        if down < LONG * height or across > LEAN * width or not MARGIN * width < middle < (1 - MARGIN) * width:
            continue
        found.append(_chain((labels == label) & (runs > 0), top, down))
    return sorted(found, key=lambda rule: rule.x) if len(found) <= MOST else []


def _upright(height: float) -> Any:
    import numpy

    return numpy.ones((max(3, int(height)), 1), numpy.uint8)


def _chain(mask: Any, top: int, down: int) -> UprightRule:
    """The rule's middle in each of a few bands."""
    import numpy

    pieces: list[tuple[float, float, float]] = []
    edges = numpy.linspace(top, top + down, BANDS + 1).astype(int)
    for y0, y1 in pairwise(edges):
        columns = numpy.nonzero(mask[y0:y1])[1]
        if columns.size:
            pieces.append((float(y0), float(y1), float(numpy.median(columns))))
    return UprightRule(tuple(pieces))


def strips(picture: Any, rules: list[UprightRule]) -> Iterator[tuple[Any, int, int]]:
    """The picture cut at the rules: each strip with its left and top edge in the whole, white beyond the rules.

    What stands above the highest and below the lowest end of the rules is not cut: headings and page numbers run
    across."""
    import numpy

    height, width = picture.shape[:2]
    top = max(0, int(min(rule.pieces[0][0] for rule in rules)))
    bottom = min(height, int(max(rule.pieces[-1][1] for rule in rules)) + 1)
    for y0, y1 in ((0, top), (bottom, height)):
        if y1 - y0 > LEAST * height:
            yield numpy.ascontiguousarray(picture[y0:y1]), 0, y0
    band = picture[top:bottom]
    across = numpy.arange(width)[None, :]
    bounds = [numpy.array([rule.at(y) for y in range(top, bottom)])[:, None] for rule in rules]
    clear = max(2, int(0.003 * width))  # the rule's own ink
    lefts = [numpy.full((bottom - top, 1), -1.0), *(bound + clear for bound in bounds)]
    rights = [*(bound - clear for bound in bounds), numpy.full((bottom - top, 1), float(width))]
    for left, right in zip(lefts, rights, strict=True):
        inside = (across > left) & (across < right)
        x0, x1 = max(0, int(left.min())), min(width, int(right.max()) + 1)
        strip = numpy.where(inside[:, x0:x1, None], band[:, x0:x1], 255).astype(picture.dtype)
        yield numpy.ascontiguousarray(strip), x0, top
