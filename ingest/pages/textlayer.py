"""The text layer: words as displayed, with font, size, colour and baseline, in one pass over the page.

MuPDF interprets the page once; its listings of words (boxes) and of spans (styles) are walked in step, which is
several times cheaper than going through every character. Lines where the two disagree, or whose characters run
back over each other, are read character by character.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any, Literal

from ...schemas.findings import Finding, Where
from ..page import Box, Page, Picture, Word
from .blank_lines import printed_blanks
from .characters import Corners, Part, flat_lines, runs_backwards, spread_over_pictures, words_by_position
from .curves import exact_curves
from .glyphs import decode
from .hidden import part_hidden
from .sources import SourceFile
from .strokes import Place, read_strokes
from .styles import Style, angle_of, same_word, style_of
from .trust import judge_layer, unreadable_characters

# what MuPDF itself takes as the end of a word, so that our cuts fall where its boxes do
_DELIMITERS = re.compile("[\x00-\x20\xa0\u202a-\u202e]+")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f]")
_TOKENS = re.compile("([\x00-\x20\xa0\u202a-\u202e]+)")
_INVISIBLE = re.compile("[\u200b-\u200f\u2060-\u2064\u2066-\u206f\ufeff\u00ad]")
# radicals and reading marks that some fonts' mappings give for the ideographs they look like
_LOOKALIKE = re.compile("[\u2e80-\u2fdf\u3190-\u319f]")
# characters that are not printed, or not what they seem: invisible marks, private use, replacements
_UNUSUAL = re.compile(
    "[\u2e80-\u2fdf\u3190-\u319f\x00-\x1f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ue000-\uf8ff\ufeff\ufff0-\uffff\U000f0000-\U0010ffff]"
)
# signs of a formula in one run may be printed apart, with the letters and digits of other runs between them
_SIGNS = re.compile(r"(?<!\S)[−+=×÷<>≤≥≠,;:|()\[\]{}∪∩∈∉⊂⋅±→]{2,}(?!\S)")
# images that reach over the page's edge, as scans do, are only listed within a wider clip (points)
_BLEED = 100
# the tallest picture of a single line of text (points)
_LINE_HEIGHT = 40
OcrMode = Literal["auto", "off", "force"]


def read_pages(
    source: SourceFile, *, ocr: OcrMode = "auto", language: str | None = None
) -> tuple[list[Page], list[Finding]]:
    """The chosen pages of a source with their words, strokes and pictures, and what was wrong with them.

    `ocr`: "auto" reads pages without a usable layer by OCR, "force" all pages, "off" none.
    """
    from .ocr import read_by_ocr

    pages = [read_layer(source, number) for number in source.pages]
    pages, findings = read_by_ocr(source, pages, mode=ocr, language=language)
    return pages, [*_damage(source), *findings]


def _damage(source: SourceFile) -> list[Finding]:
    """A file that MuPDF had to repair: cut off or broken inside, so that text, fonts or pictures may be missing."""
    if not getattr(source.document, "is_repaired", False):
        return []
    return [
        Finding(
            code="source.damaged",
            severity="warning",
            where=Where(source=source.index),
            message=f"{source.name} is damaged or cut off; what could be repaired was read, but text, fonts or "
            "pictures may be missing or wrong.",
            hint="Fetch the file again, and compare the bundle with the printed paper.",
        )
    ]


def read_layer(source: SourceFile, number: int) -> Page:
    """One page as its file describes it. `number` is 0-based."""
    import pymupdf

    page = source.document[number]
    flags = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_COLLECT_VECTORS | pymupdf.TEXT_PRESERVE_IMAGES
    flat = page.rect * page.derotation_matrix if page.rotation else page.rect
    clip = pymupdf.Rect(flat.x0 - _BLEED, flat.y0 - _BLEED, flat.x1 + _BLEED, flat.y1 + _BLEED)
    text_page = page.get_textpage(clip=clip, flags=flags)
    place = _placing(page)
    rect = page.rect
    strokes, pictures = read_strokes([b for b in text_page.extractBLOCKS() if b[6]], place)
    strokes = exact_curves(page, strokes, place)
    matrix = page.rotation_matrix if page.rotation else None
    words, hidden = _Layer(text_page, pictures, page.rotation, matrix, place).read(rect.width, rect.height)
    words = spread_over_pictures(words, pictures)
    words, hidden = part_hidden(words, hidden, strokes, pictures)
    words += printed_blanks(words, strokes)
    return Page(
        source=source.index,
        number=number,
        width=rect.width,
        height=rect.height,
        rotation=page.rotation,
        words=tuple(words),
        strokes=tuple(strokes),
        pictures=tuple(pictures),
        trust=judge_layer(
            words, hidden, pictures, strokes, rect.width * rect.height, controls=_control_characters(words, text_page)
        ),
        hidden=tuple(hidden),
    )


def _control_characters(words: Sequence[Word], text_page: Any) -> int:
    """How many control characters the layer holds; looked for only where fonts have no real name (Type 3)."""
    if not words or (len(words[0].font) > 3 and len(words[-1].font) > 3):
        return 0
    return len(_CONTROLS.findall(text_page.extractText()))


def _placing(page: Any) -> Place:
    if not page.rotation:
        return Box
    a, b, c, d, e, f = page.rotation_matrix

    def place(x0: float, y0: float, x1: float, y1: float) -> Box:
        xs = (a * x0 + c * y0 + e, a * x1 + c * y1 + e)
        ys = (b * x0 + d * y0 + f, b * x1 + d * y1 + f)
        return Box(min(xs), min(ys), max(xs), max(ys))

    return place


class _Layer:
    """The words of one text page. `matrix` is the page's rotation, None where it is upright."""

    def __init__(self, text_page: Any, pictures: Sequence[Picture], rotation: int, matrix: Any, place: Place) -> None:
        self._text_page = text_page
        self._has_images = bool(pictures)
        self._rotation = rotation
        self._matrix = matrix
        self._place = place
        self._found: list[tuple[Any, ...]] = text_page.extractWORDS()
        self._next = 0
        self._raw: list[dict[str, Any]] | None = None
        # only pictures of the height of a line can stand for text
        self._flat = flat_lines(text_page) if any(p.box.height < _LINE_HEIGHT for p in pictures) else []

    def read(self, width: float, height: float) -> tuple[list[Word], list[Word]]:
        """Visible words and hidden ones (invisible mode, microtext, off the page of `width` x `height` points)."""
        words: list[Word] = []
        hidden: list[Word] = []
        place, simple = self._place, not self._flat
        for block_at, block in enumerate(self._blocks("extractDICT")):
            for line_at, line in enumerate(block["lines"]):
                spans = line["spans"]
                angle = angle_of(line["dir"], self._rotation)
                if simple and len(spans) == 1:
                    span = spans[0]
                    upright = self._matrix is None and _within(span["bbox"], width, height)
                    tokens = self._plain_tokens(span["text"]) if upright else None
                    if tokens is not None:
                        style = style_of(span, angle, None)
                        if style.visible or not tokens:
                            self._plain_words(tokens, style, block_at, line_at, words)
                            continue
                    parts = self._one_span(span, angle, line["bbox"])
                else:
                    parts = self._spans(line, angle)
                if parts is None:
                    parts = self._by_character(block_at, line_at, angle)
                for part in parts:
                    text, style = part.text, part.style
                    if not text.isascii():
                        text = _LOOKALIKE.sub(_folded, _INVISIBLE.sub("", text))
                        if not text:
                            continue
                    box = place(*part.box)
                    x0, y0, x1, y1 = box.x0, box.y0, box.x1, box.y1
                    baseline, size = style.baseline, style.size
                    if angle == 0:
                        # MuPDF gives one baseline per span, and puts raised and lowered words into one span
                        if abs(y1 - y0 - style.extent) < 0.08 * size:
                            baseline = y1 - style.descent
                        if y1 - y0 > 1.6 * size:
                            # fonts with absurd ascenders (Cambria Math) would cover the lines above and below
                            box = Box(x0, baseline - 0.9 * size, x1, baseline + 0.25 * size)
                    seen = style.visible and 0 <= x0 + x1 <= 2 * width and 0 <= y0 + y1 <= 2 * height
                    into = words if seen else hidden
                    into.append(
                        Word(
                            len(into), text, box, style.font, size, style.bold, style.italic, style.mono, style.color,
                            baseline, block_at, line_at, "layer", text.isascii() or not unreadable_characters(text),
                            1.0, angle,
                        )
                    )  # fmt: skip
        for line in self._flat:
            box = place(line.x, line.y - line.size, line.x, line.y + 0.2 * line.size)
            words.append(Word(len(words), line.text, box, "", line.size, baseline=box.y1 - 0.2 * line.size))
        return words, hidden

    def _plain_tokens(self, text: str) -> list[str] | None:
        """The words of a line in one style, None where it needs a closer look or MuPDF lists it otherwise."""
        if _SIGNS.search(text):
            return None
        if text.isascii() and text.isprintable():
            tokens = text.split()
        elif _UNUSUAL.search(text):
            return None
        else:
            tokens = [token for token in _DELIMITERS.split(text) if token]
        listed = self._found[self._next : self._next + len(tokens)]
        return tokens if [entry[4] for entry in listed] == tokens else None

    def _plain_words(self, tokens: list[str], style: Style, block: int, line: int, words: list[Word]) -> None:
        """Add the next words of MuPDF's listing, which are visible, readable and in one style."""
        font, size, bold, italic, mono, color = (
            style.font, style.size, style.bold, style.italic, style.mono, style.color,
        )  # fmt: skip
        angle, descent, extent, level = style.angle, style.descent, style.extent, style.baseline
        slack, tall = 0.08 * size, 1.6 * size
        start, self._next = self._next, self._next + len(tokens)
        index = len(words)
        for x0, y0, x1, y1, text, _, _, _ in self._found[start : self._next]:
            baseline = level
            if angle == 0:
                height = y1 - y0
                if -slack < height - extent < slack:
                    baseline = y1 - descent
                if height > tall:
                    y0, y1 = baseline - 0.9 * size, baseline + 0.25 * size
            words.append(
                Word(
                    index, text, Box(x0, y0, x1, y1), font, size, bold, italic, mono, color, baseline,
                    block, line, "layer", True, 1.0, angle,
                )
            )  # fmt: skip
            index += 1

    def _one_span(self, span: dict[str, Any], angle: int, frame: Corners) -> list[Part] | None:
        """The words of a line in one style; None where MuPDF's listing of words does not have them."""
        text, found, at = span["text"], self._found, self._next
        style: Style | None = None
        parts: list[Part] = []
        for raw in text.split(" ") if text.isascii() and text.isprintable() else _DELIMITERS.split(text):
            if not raw:
                continue
            if style is None:
                style = style_of(span, angle, self._matrix)
            if at < len(found) and found[at][4] == raw:
                box = found[at][:4]
                at += 1
            else:
                self._next = at
                box = self._take(raw, frame)
                if box is None:
                    return None
                at = self._next
            parts.append(Part(raw, raw if raw.isascii() else decode(style.font, raw), style, box))
        self._next = at
        return None if angle == 0 and _has_signs(parts) else parts

    def _blocks(self, listing: str) -> list[dict[str, Any]]:
        """The text blocks of the page.

        The listing would decode every image on the way (20 ms and more a page): while it runs, image blocks
        pass for vectors.
        """
        from pymupdf import mupdf

        image = mupdf.FZ_STEXT_BLOCK_IMAGE
        images = [b for b in self._text_page.this if b.m_internal.type == image] if self._has_images else []
        for block in images:
            block.m_internal.type = mupdf.FZ_STEXT_BLOCK_VECTOR
        try:
            return [block for block in getattr(self._text_page, listing)()["blocks"] if block["type"] == 0]
        finally:
            # the page frees its images by their type
            for block in images:
                block.m_internal.type = image

    def _spans(self, line: dict[str, Any], angle: int) -> list[Part] | None:
        """The words of a line of several styles; None where it must be read character by character."""
        if self._flat:
            # MuPDF adds the places of characters without width to the boxes of its next words
            return None
        parts: list[Part] = []
        agree = True
        for word in _cut(line, angle, self._matrix):
            box = self._take("".join([part.raw for part in word]) if len(word) > 1 else word[0].raw, line["bbox"])
            if box is None:
                agree = False
                continue
            if len(word) > 1:
                x0, y0, x1, y1 = box
                for at, part in enumerate(word):
                    left = x0 if at == 0 else max(part.box[0], x0)
                    right = x1 if at == len(word) - 1 else min(part.box[2], x1)
                    part.box = (left, y0, max(left, right), y1)
            else:
                word[0].box = box
            parts += word
        return parts if agree and not (angle == 0 and (runs_backwards(line) or _has_signs(parts))) else None

    def _by_character(self, block_at: int, line_at: int, angle: int) -> list[Part]:
        if self._raw is None:
            self._raw = self._blocks("extractRAWDICT")
        return words_by_position(self._raw[block_at]["lines"][line_at], angle, self._matrix)

    def _take(self, text: str, frame: Corners) -> Corners | None:
        """The box of the next word in MuPDF's listing, None where that does not have it."""
        if self._next < len(self._found) and self._found[self._next][4] == text:
            self._next += 1
            return self._found[self._next - 1][:4]
        for at in range(self._next, min(self._next + 40, len(self._found))):
            match = self._match(at, text)
            if match and (at == self._next or _inside(match[1], frame)):
                self._next, box = match
                return box
        return None

    def _match(self, at: int, text: str) -> tuple[int, Corners] | None:
        found = self._found
        x0, y0, x1, y1, seen = found[at][:5]
        at += 1
        # MuPDF also cuts where the writing direction changes: such pieces are joined again
        while seen != text and text.startswith(seen) and at < len(found):
            a0, b0, a1, b1, more = found[at][:5]
            x0, y0, x1, y1, seen = min(x0, a0), min(y0, b0), max(x1, a1), max(y1, b1), seen + more
            at += 1
        return (at, (x0, y0, x1, y1)) if seen == text else None


def _folded(match: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", match[0])


def _has_signs(parts: list[Part]) -> bool:
    return any(len(part.text) > 1 and _SIGNS.fullmatch(part.text) for part in parts)


def _within(box: Corners, width: float, height: float) -> bool:
    return box[0] >= 0 and box[1] >= -0.5 and box[2] <= width and box[3] <= height + 0.5


def _inside(box: Corners, frame: Corners) -> bool:
    return box[0] >= frame[0] - 1 and box[1] >= frame[1] - 1 and box[2] <= frame[2] + 1 and box[3] <= frame[3] + 1


def _cut(line: dict[str, Any], angle: int, matrix: Any) -> list[list[Part]]:
    """The words of one line, each as its parts of one style; the boxes are still those of their spans."""
    spans = line["spans"]
    if len(spans) == 1:
        span = spans[0]
        style, box = style_of(span, angle, matrix), span["bbox"]
        return [[_part(text, style, box)] for text in _DELIMITERS.split(span["text"]) if text]
    words: list[list[Part]] = []
    open_word = False
    for span in spans:
        style, box = style_of(span, angle, matrix), span["bbox"]
        for text in _TOKENS.split(span["text"]):
            if not text:
                continue
            if _DELIMITERS.match(text):
                open_word = False
                continue
            part = _part(text, style, box)
            if not open_word:
                words.append([part])
                open_word = True
                continue
            last = words[-1][-1]
            if same_word(last.style, style) and box[0] - last.box[2] < 0.3 * style.size:
                last.raw += part.raw
                last.text += part.text
                last.box = (last.box[0], last.box[1], box[2], last.box[3])
            else:
                words[-1].append(part)
    return words


def _part(raw: str, style: Style, box: Corners) -> Part:
    return Part(raw, raw if raw.isascii() else decode(style.font, raw), style, box)
