"""Crops: a region of a page as PNG bytes, as the page is displayed. The same page gives the same bytes.

A question that runs over columns or pages is one picture, its regions stacked top to bottom.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from ...schemas.errors import SourceError
from ..page import Box
from ..pages.sources import SourceFile

if TYPE_CHECKING:
    from PIL.Image import Image

DEFAULT_DPI = 200
MAX_SIDE = 8_000
"""Pixels of the longer side of one crop; a larger region is drawn coarser."""
MAX_PIXELS = 24_000_000
_MARGIN = 2.0
_STACK_GAP = 8


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
    return _png(_region_image(source, page, box, dpi))


def snapshot(sources: Sequence[SourceFile], regions: Sequence[RegionLike], dpi: int = DEFAULT_DPI) -> bytes:
    """All regions in one PNG, stacked top to bottom in the order given, 8 pixels apart on white.

    `region.source` is the index of its source. Raises SourceError where a region does not lie on its page and
    ValueError where there is none.
    """
    if not regions:
        raise ValueError("a snapshot needs at least one region")
    by_index = {source.index: source for source in sources}
    parts = [
        _region_image(by_index[r.source], r.page, Box(r.x0, r.y0, r.x1, r.y1), _stacked_dpi(regions, dpi))
        for r in regions
    ]
    return _png(parts[0] if len(parts) == 1 else _stacked(parts))


def gray(source: SourceFile, page: int, dpi: int = 72) -> Any:
    """The whole page as a grey numpy array of shape (height, width), uint8, 0 black."""
    import numpy
    import pymupdf

    shown = source.document[page]
    scale = _scale(shown.rect.width, shown.rect.height, dpi)
    pixels = shown.get_pixmap(matrix=pymupdf.Matrix(scale, scale), colorspace=pymupdf.csGRAY, alpha=False)
    rows = numpy.frombuffer(pixels.samples, dtype=numpy.uint8).reshape(pixels.height, pixels.stride)
    return rows[:, : pixels.width].copy()


def _region_image(source: SourceFile, number: int, box: Box, dpi: int) -> Image:
    import pymupdf
    from PIL import Image as pillow

    page = source.document[number]
    clip = pymupdf.Rect(*_clip(box, page.rect.width, page.rect.height))
    if clip.is_empty:
        where = f"({box.x0:.0f}, {box.y0:.0f}, {box.x1:.0f}, {box.y1:.0f})"
        raise SourceError(f"{source.name} page {number + 1}: the region {where} does not lie on the page.")
    scale = _scale(clip.width, clip.height, dpi)
    pixels = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), clip=clip, colorspace=pymupdf.csRGB, alpha=False)
    return pillow.frombytes("RGB", (pixels.width, pixels.height), pixels.samples)


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


def _stacked(parts: Sequence[Image]) -> Image:
    from PIL import Image as pillow

    width = max(part.width for part in parts)
    height = sum(part.height for part in parts) + _STACK_GAP * (len(parts) - 1)
    whole = pillow.new("RGB", (width, height), "white")
    top = 0
    for part in parts:
        whole.paste(part, (0, top))
        top += part.height + _STACK_GAP
    return whole


def _png(image: Image) -> bytes:
    """PNG bytes; grey pictures are stored as such, which halves their size."""
    plain = image.convert("L") if _is_gray(image) else image
    out = io.BytesIO()
    plain.save(out, "PNG", compress_level=6)
    return out.getvalue()


def _is_gray(image: Image) -> bool:
    import numpy

    pixels = numpy.asarray(image)
    return bool((pixels[..., 0] == pixels[..., 1]).all() and (pixels[..., 1] == pixels[..., 2]).all())
