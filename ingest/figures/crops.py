"""Crops: a region of a page as PNG bytes, as the page is displayed. The same page gives the same bytes.

A question that runs over columns or pages is one picture, its regions stacked top to bottom.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Protocol

from ...schemas.errors import SourceError
from ..page import Box
from ..pages.sources import SourceFile
from .png import png_bytes

DEFAULT_DPI = 200
MAX_SIDE = 8_000
"""Pixels of the longer side of one crop; a larger region is drawn coarser."""
MAX_PIXELS = 24_000_000
_MARGIN = 2.0
_STACK_GAP = 8
_PACKERS = 2


class RegionLike(Protocol):
    """Where something is printed: source index, 0-based page, PDF points from the top left as displayed."""

    source: int
    page: int
    x0: float
    y0: float
    x1: float
    y1: float


def crop(source: SourceFile, page: int, box: Box, dpi: int = DEFAULT_DPI) -> bytes:
    """The region of a page as PNG bytes, with 2 points of margin, clipped to the page.

    `page` is 0-based, `box` in points of the page as displayed. Raises SourceError where the region does not
    lie on the page.
    """
    return png_bytes(_region(source, page, box, dpi))


def snapshot(sources: Sequence[SourceFile], regions: Sequence[RegionLike], dpi: int = DEFAULT_DPI) -> bytes:
    """All regions in one PNG, stacked top to bottom in the order given, 8 pixels apart on white.

    `region.source` is the index of its source. Raises SourceError where a region does not lie on its page and
    ValueError where there is none.
    """
    return png_bytes(_drawn(sources, regions, dpi))


def snapshots(
    sources: Sequence[SourceFile], wanted: Mapping[str, Sequence[RegionLike]], dpi: int = DEFAULT_DPI
) -> Iterator[tuple[str, bytes]]:
    """(name, `snapshot` of its regions), in order. Each is packed beside the drawing of the next ones."""
    with ThreadPoolExecutor(_PACKERS) as pool:
        under_way: deque[tuple[str, Future[bytes]]] = deque()
        for name, regions in wanted.items():
            under_way.append((name, pool.submit(png_bytes, _drawn(sources, regions, dpi))))
            if len(under_way) > 2 * _PACKERS:  # what waits to be packed is kept small
                first, packed = under_way.popleft()
                yield first, packed.result()
        for first, packed in under_way:
            yield first, packed.result()


def _drawn(sources: Sequence[SourceFile], regions: Sequence[RegionLike], dpi: int) -> Any:
    if not regions:
        raise ValueError("a snapshot needs at least one region")
    by_index = {source.index: source for source in sources}
    dpi = _stacked_dpi(regions, dpi)
    parts = [_region(by_index[r.source], r.page, Box(r.x0, r.y0, r.x1, r.y1), dpi) for r in regions]
    return parts[0] if len(parts) == 1 else _stacked(parts)


def gray(source: SourceFile, page: int, dpi: int = 72) -> Any:
    """The whole page as a grey numpy array of shape (height, width), uint8, 0 black."""
    shown = source.document[page].rect
    return _pixels(source, page, _scale(shown.width, shown.height, dpi), gray=True)[..., 0]


def _region(source: SourceFile, number: int, box: Box, dpi: int) -> Any:
    shown = source.document[number].rect
    x0, y0, x1, y1 = _clip(box, shown.width, shown.height)
    if x1 <= x0 or y1 <= y0:
        where = f"({box.x0:.0f}, {box.y0:.0f}, {box.x1:.0f}, {box.y1:.0f})"
        raise SourceError(f"{source.name} page {number + 1}: the region {where} does not lie on the page.")
    return _pixels(source, number, _scale(x1 - x0, y1 - y0, dpi), clip=(x0, y0, x1, y1))


def _pixels(
    source: SourceFile, page: int, scale: float, *, gray: bool = False, clip: Sequence[float] | None = None
) -> Any:
    """Of shape (height, width, 1 or 3), uint8."""
    import numpy
    import pymupdf

    pixels = source.drawing(page).get_pixmap(
        matrix=pymupdf.Matrix(scale, scale),
        colorspace=pymupdf.csGRAY if gray else pymupdf.csRGB,
        alpha=False,
        clip=pymupdf.Rect(*clip) if clip else None,
    )
    rows = numpy.frombuffer(pixels.samples, dtype=numpy.uint8).reshape(pixels.height, pixels.stride)
    return rows[:, : pixels.width * pixels.n].reshape(pixels.height, pixels.width, pixels.n)


def _clip(box: Box, width: float, height: float) -> tuple[float, float, float, float]:
    x0, y0 = max(box.x0 - _MARGIN, 0.0), max(box.y0 - _MARGIN, 0.0)
    x1, y1 = min(box.x1 + _MARGIN, width), min(box.y1 + _MARGIN, height)
    return x0, y0, x1, y1


def _scale(width: float, height: float, dpi: int) -> float:
    """Pixels per point: the resolution asked for, or less where the picture would grow past the limits."""
    scale = dpi / 72
    longest = max(width, height) * scale
    pixels = width * height * scale * scale
    return scale * min(1.0, MAX_SIDE / max(longest, 1.0), (MAX_PIXELS / max(pixels, 1.0)) ** 0.5)


def _stacked_dpi(regions: Sequence[RegionLike], dpi: int) -> int:
    """One resolution for all regions, so that the stack as a whole stays within the limits."""
    width = max(r.x1 - r.x0 for r in regions)
    height = sum(r.y1 - r.y0 for r in regions)
    return max(1, round(_scale(width, height, dpi) * 72))


def _stacked(parts: Sequence[Any]) -> Any:
    import numpy

    width = max(part.shape[1] for part in parts)
    height = sum(len(part) for part in parts) + _STACK_GAP * (len(parts) - 1)
    whole = numpy.full((height, width, 3), 255, numpy.uint8)
    top = 0
    for part in parts:
        whole[top : top + len(part), : part.shape[1]] = part
        top += len(part) + _STACK_GAP
    return whole
