"""True boxes of stroked curves and slanted lines.

MuPDF's structured text lists a stroked path with the room that its pen might need at a sharp corner: up to ten
times the line width on each side, enough to reach into the next column. Where a page has such paths, they are
read once more from the page's drawing operations, which give the path itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..page import Box, Stroke
from .strokes import Place


def exact_curves(page: Any, strokes: Sequence[Stroke], place: Place) -> list[Stroke]:
    """The strokes with the boxes of unfilled `other` ones exact; `page` is the pymupdf page.

    Costs a second run over the page, so it is done only where such strokes are there.
    """
    if not any(stroke.kind == "other" and not stroke.filled for stroke in strokes):
        return list(strokes)
    kept = [stroke for stroke in strokes if stroke.kind != "other" or stroke.filled]
    for path in page.get_cdrawings():
        if path["type"] == "f" or path.get("stroke_opacity") == 0:
            continue
        if all(_axis_parallel(item) for item in path["items"]):
            kept.extend(_rules(path, place) if len(path["items"]) > 1 else ())
            continue
        kept.append(Stroke("other", _grown(place, path["rect"], path), False, path.get("width") or 0.0, _color(path)))
    return kept


def _rules(path: dict[str, Any], place: Place) -> list[Stroke]:
    """The sides of a polyline that runs along the axes, such as a pair of coordinate axes drawn in one go."""
    found: list[Stroke] = []
    width, color = path.get("width") or 0.0, _color(path)
    for item in path["items"]:
        if item[0] != "l":
            continue
        (ax, ay), (bx, by) = item[1], item[2]
        box = _grown(place, (min(ax, bx), min(ay, by), max(ax, bx), max(ay, by)), path)
        found.append(Stroke("horizontal" if box.width > box.height else "vertical", box, False, width, color))
    return found


def _grown(place: Place, rect: Sequence[float], path: dict[str, Any]) -> Box:
    half = (path.get("width") or 0.0) / 2
    return place(rect[0] - half, rect[1] - half, rect[2] + half, rect[3] + half)


def _axis_parallel(item: tuple[Any, ...]) -> bool:
    if item[0] == "re":
        return True
    return item[0] == "l" and (abs(item[1][0] - item[2][0]) < 0.5 or abs(item[1][1] - item[2][1]) < 0.5)


def _color(path: dict[str, Any]) -> int:
    parts = path.get("color") or (0.0,)
    red, green, blue = (round(255 * part) for part in (parts if len(parts) == 3 else (parts[0],) * 3))
    return red << 16 | green << 8 | blue
