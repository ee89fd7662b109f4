"""Drawings and images of a page, read in the same pass as its text.

MuPDF's structured text lists vectors and images as blocks beside the text, which costs almost nothing;
`get_drawings` would interpret the whole page a second time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from ..page import Box, Picture, Stroke

_VECTOR = re.compile(r"<vector (\w+), color: #([0-9a-f]{6}), alpha: (\d+), is-rect: (\w+), continues: (\w+)>")
_IMAGE = re.compile(r"<image: .*?width: (\d+), height: (\d+)")
# thinner than this (points) is a rule, not an area
RULE_WIDTH = 3.0

Place = Callable[[float, float, float, float], Box]


def read_strokes(blocks: Iterable[tuple[Any, ...]], place: Place) -> tuple[list[Stroke], list[Picture]]:
    """Strokes and pictures from the blocks of a text page; `place` maps a box onto the page as displayed."""
    strokes: list[Stroke] = []
    pictures: list[Picture] = []
    for x0, y0, x1, y1, text, _, kind in blocks:
        if kind == 3 and (match := _VECTOR.search(text)):
            filled, color, alpha, is_rect, _ = match.groups()
            if alpha == "0":
                continue
            box = place(x0, y0, x1, y1)
            strokes.append(_stroke(box, filled == "filled", int(color, 16), is_rect == "true"))
        elif kind == 1 and (match := _IMAGE.search(text)):
            pictures.append(Picture(place(x0, y0, x1, y1), 0, int(match[1]), int(match[2])))
    return strokes, pictures


def _stroke(box: Box, filled: bool, color: int, is_rect: bool) -> Stroke:
    width, height = box.x1 - box.x0, box.y1 - box.y0
    if height <= RULE_WIDTH and width > 2 * height:
        return Stroke("horizontal", box, filled, height, color)
    if width <= RULE_WIDTH and height > 2 * width:
        return Stroke("vertical", box, filled, width, color)
    return Stroke("rectangle" if is_rect else "other", box, filled, 0.0, color)
