"""The text layer: words as displayed, with font, size, colour and baseline, in one pass over the page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from ..schemas.findings import Finding
from .curves import exact_curves
from .glyphs import decode
from .hidden import part_hidden
from .page import Box, Page, Word
from .sources import SourceFile
from .strokes import Place, read_strokes
from .trust import judge_layer, unreadable_characters

# what MuPDF itself takes as the end of a word, so that our cuts fall where its boxes do
_DELIMITERS = re.compile("[\x00-\x20\xa0\u202a-\u202e]+")
_TOKENS = re.compile("([\x00-\x20\xa0\u202a-\u202e]+)")
_INVISIBLE = re.compile("[\u200b-\u200f\u2060-\u2064\u2066-\u206f\ufeff\u00ad]")
_FILLED, _STROKED = 16, 32
_BLEED = 2000
OcrMode = Literal["auto", "off", "force"]
_Corners = tuple[float, float, float, float]


@dataclass(slots=True)
class _Style:
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
    """How far the font's boxes reach below the baseline, and their height, points."""


@dataclass(slots=True)
class _Part:
    """A part of a word in one style, and where its span starts and ends (x, before rotation).

    `raw` is what MuPDF read, `text` what the glyphs show.
    """

    raw: str
    text: str
    style: _Style
    start: float
    end: float


def read_pages(
    source: SourceFile, *, ocr: OcrMode = "auto", language: str | None = None
) -> tuple[list[Page], list[Finding]]:
    """The chosen pages of a source with their words, strokes and pictures, and what was wrong with them.

    `ocr`: "auto" reads pages without a usable layer by OCR, "force" all pages, "off" none.
    """
    from .ocr import read_by_ocr

    pages = [read_layer(source, number) for number in source.pages]
    return read_by_ocr(source, pages, mode=ocr, language=language)


def read_layer(source: SourceFile, number: int) -> Page:
    """One page as its file describes it. `number` is 0-based."""
    import pymupdf

    page = source.document[number]
    flags = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_COLLECT_VECTORS | pymupdf.TEXT_PRESERVE_IMAGES
    # images that reach over the page's edge, as scans do, are only listed within a wider clip
    flat = page.rect * page.derotation_matrix if page.rotation else page.rect
    clip = pymupdf.Rect(flat.x0 - _BLEED, flat.y0 - _BLEED, flat.x1 + _BLEED, flat.y1 + _BLEED)
    text_page = page.get_textpage(clip=clip, flags=flags)
    place = _placing(page)
    rect = page.rect
    strokes, pictures = read_strokes([b for b in text_page.extractBLOCKS() if b[6]], place)
    strokes = exact_curves(page, strokes, place)
    blocks = _text_blocks(text_page, bool(pictures))
    boxes = _WordBoxes(text_page.extractWORDS())
    turn = page.rotation_matrix if page.rotation else None
    words, hidden = _words(blocks, boxes, page.rotation, turn, place, Box(0, 0, rect.width, rect.height))
    words, hidden = part_hidden(words, hidden, strokes, pictures)
    return Page(
        source=source.index,
        number=number,
        width=rect.width,
        height=rect.height,
        rotation=page.rotation,
        words=tuple(words),
        strokes=tuple(strokes),
        pictures=tuple(pictures),
        trust=judge_layer(words, hidden, pictures, strokes, rect.width * rect.height),
        hidden=tuple(hidden),
    )


def _text_blocks(text_page: Any, has_images: bool) -> list[dict[str, Any]]:
    """The text blocks of a text page.

    extractDICT would decode every image on the way (20 ms and more a page): while it runs, image blocks
    pass for vectors.
    """
    from pymupdf import mupdf

    images = [b for b in text_page.this if b.m_internal.type == mupdf.FZ_STEXT_BLOCK_IMAGE] if has_images else []
    for block in images:
        block.m_internal.type = mupdf.FZ_STEXT_BLOCK_VECTOR
    try:
        return [block for block in text_page.extractDICT()["blocks"] if block["type"] == 0]
    finally:
        # the page frees its images by their type
        for block in images:
            block.m_internal.type = mupdf.FZ_STEXT_BLOCK_IMAGE


def _placing(page: Any) -> Place:
    if not page.rotation:
        return Box
    a, b, c, d, e, f = page.rotation_matrix

    def place(x0: float, y0: float, x1: float, y1: float) -> Box:
        xs = (a * x0 + c * y0 + e, a * x1 + c * y1 + e)
        ys = (b * x0 + d * y0 + f, b * x1 + d * y1 + f)
        return Box(min(xs), min(ys), max(xs), max(ys))

    return place


def _words(
    blocks: list[dict[str, Any]], boxes: _WordBoxes, rotation: int, matrix: Any, place: Place, frame: Box
) -> tuple[list[Word], list[Word]]:
    words: list[Word] = []
    hidden: list[Word] = []
    for block in blocks:
        for at, line in enumerate(block["lines"]):
            for parts in _line_words(line, rotation, matrix):
                left, top, right, bottom = boxes.take(parts, line)
                for i, part in enumerate(parts):
                    text, style = part.text, part.style
                    x0 = left if i == 0 else max(part.start, left)
                    x1 = right if i == len(parts) - 1 else min(part.end, right)
                    clean = text if text.isascii() else _INVISIBLE.sub("", text)
                    if clean:
                        placed = place(x0, top, max(x0, x1), bottom)
                        baseline = _baseline(placed, style) if len(parts) == 1 else style.baseline
                        placed = _box(placed, style, baseline)
                        into = words if style.visible and frame.contains(placed.cx, placed.cy) else hidden
                        into.append(_word(len(into), clean, placed, style, baseline, block["number"], at))
    return words, hidden


def _word(index: int, text: str, box: Box, style: _Style, baseline: float, block: int, line: int) -> Word:
    readable = text.isascii() or not unreadable_characters(text)
    return Word(
        index, text, box, style.font, style.size, style.bold, style.italic, style.mono, style.color, baseline,
        block, line, "layer", readable, 1.0, style.angle,
    )  # fmt: skip


class _WordBoxes:
    """The boxes that MuPDF gives its own words, handed out in step with the words cut from its lines."""

    def __init__(self, found: list[tuple[Any, ...]]) -> None:
        self._found = found
        self._next = 0

    def take(self, parts: list[_Part], line: dict[str, Any]) -> _Corners:
        """The box of the next word, which consists of `parts` and stands in `line`."""
        text = parts[0].raw if len(parts) == 1 else "".join(part.raw for part in parts)
        found = self._found
        for at in range(self._next, min(self._next + 80, len(found))):
            box = self._match(at, text)
            if box is not None and (at == self._next or _inside(box, line["bbox"])):
                return box
        # control characters and broken mappings: MuPDF's two listings disagree on what the word is
        return _proportional(parts, line)

    def _match(self, at: int, text: str) -> _Corners | None:
        x0, y0, x1, y1, seen = self._found[at][:5]
        at += 1
        # MuPDF also cuts where the writing direction changes: such pieces are joined again
        while seen != text and text.startswith(seen) and at < len(self._found):
            a0, b0, a1, b1, more = self._found[at][:5]
            x0, y0, x1, y1, seen = min(x0, a0), min(y0, b0), max(x1, a1), max(y1, b1), seen + more
            at += 1
        if seen != text:
            return None
        self._next = at
        return x0, y0, x1, y1


def _inside(box: _Corners, frame: _Corners) -> bool:
    return box[0] >= frame[0] - 1 and box[1] >= frame[1] - 1 and box[2] <= frame[2] + 1 and box[3] <= frame[3] + 1


def _proportional(parts: list[_Part], line: dict[str, Any]) -> _Corners:
    text = "".join(part.raw for part in parts)
    for span in line["spans"]:
        at = span["text"].find(text)
        if at >= 0:
            x0, y0, x1, y1 = span["bbox"]
            step = (x1 - x0) / max(len(span["text"]), 1)
            return x0 + at * step, y0, x0 + (at + len(text)) * step, y1
    return line["bbox"]


def _baseline(box: Box, style: _Style) -> float:
    """The word's own baseline: MuPDF gives one per span, and puts raised and lowered words into one span."""
    height = box.y1 - box.y0
    if style.angle == 0 and abs(height - style.extent) < 0.08 * style.size:
        return box.y1 - style.descent
    return style.baseline


def _box(box: Box, style: _Style, baseline: float) -> Box:
    # fonts with absurd ascenders (Cambria Math) would cover the lines above and below
    if style.angle == 0 and box.y1 - box.y0 > 1.6 * style.size:
        return Box(box.x0, baseline - 0.9 * style.size, box.x1, baseline + 0.25 * style.size)
    return box


def _line_words(line: dict[str, Any], rotation: int, matrix: Any) -> list[list[_Part]]:
    """The words of one line, each as its parts of one style."""
    spans = line["spans"]
    angle = _angle(line["dir"], rotation)
    if len(spans) == 1:
        span = spans[0]
        style = _style(span, angle, matrix)
        x0, _, x1, _ = span["bbox"]
        return [[_part(text, style, x0, x1)] for text in _DELIMITERS.split(span["text"]) if text]
    words: list[list[_Part]] = []
    open_word = False
    for span in spans:
        style = _style(span, angle, matrix)
        x0, _, x1, _ = span["bbox"]
        for text in _TOKENS.split(span["text"]):
            if not text:
                continue
            if _DELIMITERS.match(text):
                open_word = False
            elif not open_word:
                words.append([_part(text, style, x0, x1)])
                open_word = True
            else:
                last = words[-1][-1]
                if _same(last.style, style) and x0 - last.end < 0.3 * style.size:
                    words[-1][-1] = _Part(
                        last.raw + text, last.text + _shown(style.font, text), last.style, last.start, x1
                    )
                else:
                    words[-1].append(_part(text, style, x0, x1))
    return words


def _part(raw: str, style: _Style, start: float, end: float) -> _Part:
    return _Part(raw, _shown(style.font, raw), style, start, end)


def _shown(font: str, text: str) -> str:
    return text if text.isascii() else decode(font, text)


def _same(a: _Style, b: _Style) -> bool:
    """Whether two spans that touch are one word: a raised or lowered or smaller part is its own."""
    return (
        abs(a.size - b.size) <= 0.1 * a.size and abs(a.baseline - b.baseline) <= 0.1 * a.size and a.visible == b.visible
    )


def _style(span: dict[str, Any], angle: int, matrix: Any) -> _Style:
    flags = span["flags"]
    font = span["font"]
    x, y = span["origin"]
    if matrix is not None:
        y = matrix[1] * x + matrix[3] * y + matrix[5]
    visible = span["alpha"] > 0 and bool(span["char_flags"] & (_FILLED | _STROKED))
    size = span["size"]
    if size < 0.3 * (span["bbox"][3] - span["bbox"][1]) and angle in (0, 180):
        # Type 3 fonts carry their scale in the glyphs
        size = 0.8 * (span["bbox"][3] - span["bbox"][1])
    bold = bool(flags & 16) or bool(span["char_flags"] & 8)
    descent, extent = -span["descender"] * size, (span["ascender"] - span["descender"]) * size
    return _Style(font, size, bold, bool(flags & 2), bool(flags & 8), span["color"], y, visible, angle, descent, extent)


def _angle(direction: tuple[float, float], rotation: int) -> int:
    x, y = direction
    if abs(x) > 0.99:
        angle = 0 if x > 0 else 180
    elif abs(y) > 0.99:
        angle = 90 if y > 0 else 270
    else:
        return 1
    return (angle + rotation) % 360
