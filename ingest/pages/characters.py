"""Words put together character by character, where a line's own order or MuPDF's listing of words cannot be followed.

Formula editors write all operators of a formula first and then go back for the digits: in the file `−−2 10`
stands for the printed `−2−√10`. Reading each character where it is printed gives the order back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any
from unicodedata import category

from ..page import Box, Picture, Word
from .glyphs import decode
from .styles import Style, same_word, style_of

Corners = tuple[float, float, float, float]
# a gap wider than this share of the font size parts two words
WORD_GAP = 0.2


@dataclass(slots=True)
class Part:
    """A run of characters of one word in one style; `box` is in the page's own (unrotated) space.

    `raw` is what MuPDF read, `text` what the glyphs show.
    """

    raw: str
    text: str
    style: Style
    box: Corners


def runs_backwards(line: dict[str, Any]) -> bool:
    """Whether the spans of a line go back over each other."""
    spans = line["spans"]
    return any(
        right["bbox"][0] < left["bbox"][2] - 0.3 * right["size"]
        for left, right in pairwise(spans)
        if right["text"].strip()
    )


def words_by_position(raw_line: dict[str, Any], angle: int, matrix: Any) -> list[Part]:
    """The words of a line of `extractRAWDICT`, its characters taken where they are printed."""
    tracks: list[list[tuple[str, Style, Corners]]] = []
    levels: list[float] = []
    for span in raw_line["spans"]:
        style = style_of(span, angle, matrix)
        for char in span["chars"]:
            text, box = char["c"], char["bbox"]
            # private-use characters (Co) are not "printable" to Python, but formula fonts show them
            if text.isspace() or category(text) in ("Cc", "Cf"):
                continue
            level = char["origin"][1] if angle in (0, 180) else char["origin"][0]
            for at, known in enumerate(levels):
                if abs(known - level) <= 0.1 * style.size:
                    tracks[at].append((text, replace(style, baseline=level) if matrix is None else style, box))
                    break
            else:
                levels.append(level)
                tracks.append([(text, replace(style, baseline=level) if matrix is None else style, box)])
    parts: list[Part] = []
    for track in tracks:
        if angle == 0:
            # by their middles: the second letter of a ligature has no width of its own
            track.sort(key=lambda item: item[2][0] + item[2][2])
        parts.extend(_words_of(track, angle))
    return parts


def _words_of(track: Sequence[tuple[str, Style, Corners]], angle: int) -> list[Part]:
    parts: list[Part] = []
    for text, style, box in track:
        last = parts[-1] if parts else None
        shown = text if text.isascii() else decode(style.font, text)
        if last and same_word(last.style, style) and _touch(last.box, box, style.size, angle):
            x0, y0, x1, y1 = last.box
            last.box = (min(x0, box[0]), min(y0, box[1]), max(x1, box[2]), max(y1, box[3]))
            last.raw += text
            last.text += shown
        else:
            parts.append(Part(text, shown, style, box))
    return parts


def _touch(left: Corners, right: Corners, size: float, angle: int) -> bool:
    if angle in (0, 180):
        gap = max(right[0] - left[2], left[0] - right[2])
    else:
        gap = max(right[1] - left[3], left[1] - right[3])
    return gap < WORD_GAP * size


@dataclass(frozen=True, slots=True)
class FlatLine:
    """Characters without width at one point (x and baseline y, the page's own space)."""

    x: float
    y: float
    size: float
    text: str


# the labels of Taiwan's civil service papers: pictures of (A) to (H) and ㈠ to ㈩ whose replacement text is private-use
_PICTURED_LABELS = {chr(0xE18C + i): f"({chr(65 + i)})" for i in range(8)} | {
    chr(0xE129 + i): chr(0x3220 + i) for i in range(10)
}


def flat_lines(text_page: Any) -> list[FlatLine]:
    """Lines whose characters have no width, which MuPDF's listings leave out.

    Word processors draw some characters as pictures and give their text as a replacement (ActualText).
    """
    from pymupdf import mupdf

    found: list[FlatLine] = []
    for block in text_page.this:
        if block.m_internal.type != mupdf.FZ_STEXT_BLOCK_TEXT:
            continue
        for line in block:
            box = line.m_internal.bbox
            if box.x1 - box.x0 > 0.01 or box.y1 - box.y0 < 1:
                continue
            chars = [char.m_internal for char in line]
            text = "".join(_PICTURED_LABELS.get(chr(char.c), chr(char.c)) for char in chars)
            if text.strip():
                found.append(FlatLine(chars[0].origin.x, chars[0].origin.y, chars[0].size, "".join(text.split())))
    return found


def spread_over_pictures(words: list[Word], pictures: Sequence[Picture]) -> list[Word]:
    """Words without width that stand for the picture of themselves get its box, in proportion to their length."""
    flat = [word for word in words if word.box.x1 - word.box.x0 < 0.1 and word.angle == 0]
    if not flat or not pictures:
        return words
    held: dict[int, list[Word]] = {}
    for word in flat:
        for at, picture in enumerate(pictures):
            if picture.box.grown(1).contains(word.box.x0, word.baseline):
                held.setdefault(at, []).append(word)
                break
    placed: dict[int, Word] = {}
    for at, group in held.items():
        box = pictures[at].box
        step = box.width / sum(len(word.text) + 0.5 for word in group)
        x = box.x0
        for word in group:
            end = x + step * len(word.text)
            placed[word.index] = replace(
                word, box=Box(x, box.y0, end, box.y1), size=box.height, baseline=box.y1 - 0.15 * box.height
            )
            x = end + step * 0.5
    return [placed.get(word.index, word) for word in words]
