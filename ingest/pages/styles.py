"""The looks of a run of text, as MuPDF tells them: font, size, weight, colour, baseline, direction, visibility."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

_NEARLY_WHITE = 0xF0F0F0
_FILLED, _STROKED, _BOLD = 16, 32, 8


@dataclass(slots=True)
class Style:
    """The style of a span. `descent` and `extent`: how far the font's boxes reach below the baseline, and how high
    they are, in points. `angle` is the text's turn on the displayed page, degrees clockwise."""

    font: str
    size: float
    bold: bool
    italic: bool
    mono: bool
    color: int
    baseline: float
    visible: bool
    angle: int
    descent: float
    extent: float


def style_of(span: dict[str, Any], angle: int, matrix: Any) -> Style:
    """The style of a span of a text page; `matrix` is the page's rotation, None where it is upright."""
    flags = span["flags"]
    x, y = span["origin"]
    if matrix is not None:
        y = matrix[1] * x + matrix[3] * y + matrix[5]
    marks = span["char_flags"]
    size = span["size"]
    height = span["bbox"][3] - span["bbox"][1]
    if size < 0.3 * height and angle in (0, 180):
        # Type 3 fonts carry their scale in the glyphs
        size = 0.8 * height
    color = span["color"]
    if marks & _STROKED and not marks & _FILLED and color >= _NEARLY_WHITE:
        # a white rim around a letter whose fill MuPDF leaves out as a second copy
        color = 0
    bottom, top = span["descender"] * size, span["ascender"] * size
    return Style(
        font=span["font"],
        size=size,
        bold=bool(flags & 16 or marks & _BOLD),
        italic=bool(flags & 2),
        mono=bool(flags & 8),
        color=color,
        baseline=y,
        visible=span["alpha"] > 0 and bool(marks & (_FILLED | _STROKED)),
        angle=angle,
        descent=-bottom,
        extent=top - bottom,
    )


def same_word(a: Style, b: Style) -> bool:
    """Whether two spans that touch can be one word: a raised or lowered or smaller part is its own."""
    return (
        abs(a.size - b.size) <= 0.1 * a.size and abs(a.baseline - b.baseline) <= 0.1 * a.size and a.visible == b.visible
    )


def angle_of(direction: tuple[float, float], rotation: int) -> int:
    """A line's direction as degrees clockwise on the displayed page: 0, 90, 180, 270, or 1 for any other slant."""
    x, y = direction
    if abs(x) > 0.99:
        angle = 0 if x > 0 else 180
    elif abs(y) > 0.99:
        angle = 90 if y > 0 else 270
    else:
        return 1
    return (angle + rotation) % 360
