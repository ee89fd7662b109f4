"""The page model: what the layout engine knows of a page before it understands a word of it.

All coordinates are PDF points with the origin at the top left of the page *as displayed* (rotation
and crop box applied). Pages are 0-based. Every later stage (reading order, structure, figures, keys,
coverage) reads these records and nothing else of the file.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


# Box and Word are values: never assign to a field. They are not `frozen` because a page builds a thousand
# of them and frozen construction is three to five times slower.
@dataclass(slots=True, unsafe_hash=True)
class Box:
    """An axis-parallel rectangle, x0 <= x1, y0 <= y1."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        return self.y1 - self.y0

    @property
    def area(self) -> float:
        return max(self.width, 0.0) * max(self.height, 0.0)

    @property
    def cx(self) -> float:
        return (self.x0 + self.x1) / 2

    @property
    def cy(self) -> float:
        return (self.y0 + self.y1) / 2

    def union(self, other: Box) -> Box:
        return Box(min(self.x0, other.x0), min(self.y0, other.y0), max(self.x1, other.x1), max(self.y1, other.y1))

    def overlap(self, other: Box) -> float:
        """Area shared with `other`, in square points."""
        width = min(self.x1, other.x1) - max(self.x0, other.x0)
        height = min(self.y1, other.y1) - max(self.y0, other.y0)
        return width * height if width > 0 and height > 0 else 0.0

    def contains(self, x: float, y: float) -> bool:
        return self.x0 <= x <= self.x1 and self.y0 <= y <= self.y1

    def grown(self, by: float) -> Box:
        return Box(self.x0 - by, self.y0 - by, self.x1 + by, self.y1 + by)


@dataclass(slots=True, unsafe_hash=True)
class Word:
    """A run of characters without white space (CJK runs are split where the layer or the gap splits them).

    `index` is the word's place in its page's `words`: (source, page, index) names a word everywhere,
    coverage included. `baseline` is the y of the baseline. `block` and `line` are the layer's own
    grouping, a hint only. `readable` is False for words made of private-use or unmapped glyphs.
    """

    index: int
    text: str
    box: Box
    font: str = ""
    size: float = 0.0
    bold: bool = False
    italic: bool = False
    mono: bool = False
    color: int = 0
    baseline: float = 0.0
    block: int = 0
    line: int = 0
    origin: Literal["layer", "ocr"] = "layer"
    readable: bool = True
    confidence: float = 1.0
    angle: int = 0
    """Degrees clockwise by which the text is turned on the displayed page: 0, 90, 180, 270 (1 for any other slant)."""


@dataclass(frozen=True, slots=True)
class Stroke:
    """A drawn path's part, reduced to what layout needs: a rule, a box, or other ink."""

    kind: Literal["horizontal", "vertical", "rectangle", "other"]
    box: Box
    filled: bool = False
    width: float = 0.0
    color: int = 0


@dataclass(frozen=True, slots=True)
class Picture:
    """A raster image placed on the page."""

    box: Box
    xref: int = 0
    pixel_width: int = 0
    pixel_height: int = 0


@dataclass(frozen=True, slots=True)
class LayerTrust:
    """Whether the page's text layer can be believed, and why not."""

    usable: bool
    reasons: tuple[str, ...] = ()
    letters: int = 0
    unreadable: int = 0


@dataclass(frozen=True, slots=True)
class Page:
    """One page. `read_by` says where the words come from: the layer, OCR, or nowhere (image-only, no OCR)."""

    source: int
    number: int
    width: float
    height: float
    rotation: int
    words: tuple[Word, ...]
    strokes: tuple[Stroke, ...]
    pictures: tuple[Picture, ...]
    trust: LayerTrust
    read_by: Literal["layer", "ocr", "nothing"] = "layer"
    hidden: tuple[Word, ...] = field(default=())
    """Text that a reader cannot see (microtext, invisible mode, white on white): kept for coverage, never content."""
