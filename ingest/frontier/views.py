"""What the model sees of a page, and the way back: pictures that we rendered, numbered lines, places as regions."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from statistics import median

from ...models.request import ImagePart, Part, TextPart
from ...schemas.exam import Region
from ..draft import WordKey
from ..engine import Layout
from ..figures.crops import crop
from ..lines import Line
from ..page import Box, Page
from .limits import Limits
from .prompts.form import Place
from .windows import PageSlice

_EM, _DRAWN_EM, _UNSURE_EM = 11.5, 15.0, 20.0
"""Pixels of the body's font size: on a page of words that are sent as text too, on one with figures or formulas, and on
one whose words are not to be trusted."""
_LEAST_DPI, _MOST_DPI, _SCAN_DPI = 72, 200, 150
_COARSE_DPI = 60
_OUTLINE_CHARS = 240
_SCHEME_LINES = 8
_MARGIN = 2.0
"""Points by which `crop` grows a box."""


@dataclass(frozen=True)
class View:
    """One page of a request. `box` is the part of the page that its picture shows, in points; `lines` the boxes of
    the numbered lines that were sent, empty where none were."""

    number: int
    source: int
    page: int
    box: Box
    lines: tuple[Box, ...]
    picture: bool

    def region(self, place: Place) -> Region | None:
        """The place in points, clipped to what was shown; None where nothing of it lies there."""
        box = self._in_points(place)
        x0, y0 = max(box.x0, self.box.x0), max(box.y0, self.box.y0)
        x1, y1 = min(box.x1, self.box.x1), min(box.y1, self.box.y1)
        if x1 - x0 < 1 or y1 - y0 < 1:
            return None
        sides = (round(side, 2) for side in (x0, y0, x1, y1))
        return Region(source=self.source, page=self.page, **dict(zip(("x0", "y0", "x1", "y1"), sides, strict=True)))

    def _in_points(self, place: Place) -> Box:
        x0, x1 = sorted((place.x0, place.x1))
        y0, y1 = sorted((place.y0, place.y1))
        if not self.picture:
            chosen = self.lines[max(int(y0) - 1, 0) : max(int(y1), 1)]
            return _around(chosen) if chosen else Box(0, 0, 0, 0)
        wide, high = self.box.width / 1000, self.box.height / 1000
        left, top = self.box.x0, self.box.y0
        return Box(left + x0 * wide, top + y0 * high, left + x1 * wide, top + y1 * high)


def show_pages(
    layout: Layout, slices: Sequence[PageSlice], limits: Limits, *, scale: float = 1.0
) -> tuple[list[Part], tuple[View, ...]]:
    """The message's parts for these pages, and how to read the places of its reply. `scale` enlarges the pictures."""
    parts: list[Part] = []
    views: list[View] = []
    for number, piece in enumerate(slices, 1):
        page = layout.pages[piece.source, piece.page]
        trusted, picture = layer_is_sure(page), limits.images
        told = _lines(layout, piece) if trusted or not picture else []
        parts.append(TextPart(f"Page {number}" + ("" if piece.whole else ", a part of it")))
        if picture:
            parts.append(_picture(layout, piece, round(_dpi(page, layout, trusted=trusted) * scale), limits.long_side))
        if told:
            parts.append(TextPart(_layer(number, told, limits.layer_chars // max(len(slices), 1), sure=trusted)))
        views.append(_view(number, page, piece, told, picture))
    return parts, tuple(views)


def outline_pages(
    layout: Layout, slices: Sequence[PageSlice], limits: Limits, inner: Set[WordKey], scheme: Set[tuple[int, int]]
) -> tuple[list[Part], tuple[View, ...]]:
    """The pages in outline: of a page whose words are sure the headings, directions and the beginning of each question,
    as text; of any other a coarse picture.

    `inner` are the words inside questions, which an outline leaves out; `scheme` the pages of keys and mark schemes,
    of which the first lines tell enough.
    """
    parts: list[Part] = []
    views: list[View] = []
    for number, piece in enumerate(slices, 1):
        page = layout.pages[piece.source, piece.page]
        picture = limits.images and not layer_is_sure(page)
        lines = [] if picture else _lines(layout, piece)
        kept = [line for line in lines if not all((line.source, line.page, w.index) in inner for w in line.words)]
        kept = kept[:_SCHEME_LINES] if (piece.source, piece.page) in scheme else kept
        if picture:
            parts += [TextPart(f"Page {number}"), _picture(layout, piece, _COARSE_DPI, limits.long_side)]
        else:
            most = limits.layer_chars // max(len(slices), 1)
            parts.append(TextPart(_outline(number, kept, len(lines) - len(kept), most)))
        views.append(_view(number, page, piece, kept, picture))
    return parts, tuple(views)


def _outline(number: int, lines: Sequence[Line], left_out: int, most: int) -> str:
    rows = [f"Page {number}, its text by lines (in outline, {left_out} lines inside questions or answers left out):"]
    rows += [f"{n} {line.text[:_OUTLINE_CHARS]}" for n, line in enumerate(lines, 1)]
    return "\n".join(rows)[:most]


def _view(number: int, page: Page, piece: PageSlice, lines: Sequence[Line], picture: bool) -> View:
    boxes = tuple(line.box for line in lines)
    return View(number, piece.source, piece.page, _shown(page, piece), boxes, picture)


def layer_is_sure(page: Page) -> bool:
    """Whether the page's words come from a text layer that can be believed."""
    return page.read_by == "layer" and page.trust.usable


def _lines(layout: Layout, piece: PageSlice) -> list[Line]:
    reading = next((r for r in layout.readings if r.source == piece.source), None)
    lines = reading.lines if reading else ()
    return [line for line in lines if line.page == piece.page and piece.y0 <= line.box.cy <= piece.y1]


def _layer(number: int, lines: Sequence[Line], most: int, *, sure: bool) -> str:
    """The page's lines with their numbers, up to `most` characters."""
    head = "words exact; the order of columns, tables and formulas may be broken" if sure else "read by OCR, not sure"
    rows = [f"Page {number}, its text by lines ({head}):"]
    left = most
    for n, line in enumerate(lines, 1):
        left -= len(line.text)
        if left < 0:
            rows.append(f"… and {len(lines) - n + 1} more lines")
            break
        rows.append(f"{n} {line.text}")
    return "\n".join(rows)


def _shown(page: Page, piece: PageSlice) -> Box:
    top = max(piece.y0 - _MARGIN, 0.0)
    bottom = min(piece.y1 + _MARGIN, page.height)
    return Box(0.0, top, page.width, bottom)


def _dpi(page: Page, layout: Layout, *, trusted: bool) -> int:
    sizes = [word.size for word in page.words if word.size > 0]
    if not sizes or page.read_by != "layer":
        return _SCAN_DPI
    drawn = any((figure.source, figure.page) == (page.source, page.number) for figure in layout.figures)
    em = _UNSURE_EM if not trusted else _DRAWN_EM if drawn else _EM
    return round(min(max(em * 72 / max(median(sizes), 4.0), _LEAST_DPI), _MOST_DPI))


def _picture(layout: Layout, piece: PageSlice, dpi: int, long_side: int) -> ImagePart:
    page = layout.pages[piece.source, piece.page]
    box = Box(0.0, piece.y0, page.width, piece.y1)
    dpi = max(1, min(dpi, int(long_side * 72 / max(box.width, box.height))))
    return ImagePart(crop(layout.sources[piece.source], piece.page, box, dpi))


def _around(boxes: Sequence[Box]) -> Box:
    box = boxes[0]
    for other in boxes[1:]:
        box = box.union(other)
    return box


def regions_of(places: Sequence[Place], views: Sequence[View]) -> tuple[list[Region], list[Place]]:
    """The places as regions, and those that name no page of the request or lie off its picture."""
    by_number = {view.number: view for view in views}
    found: list[Region] = []
    lost: list[Place] = []
    for place in places:
        view = by_number.get(place.page)
        region = view.region(place) if view else None
        if region is None:
            lost.append(place)
        else:
            found.append(region)
    return found, lost
