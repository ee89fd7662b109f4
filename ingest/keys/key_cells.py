"""The cells of an answer key: words with what they can be, a counting label or a value.

Nothing here knows a layout. A cell `12` may be a label (question 12) or a value (the answer 12); `12.B`
is both; which reading holds is decided by the sequence that the cells form (key_grid, key_list).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..page import Box, Page, Stroke, Word
from ..text import split_word

Number = tuple[str, int, int]
"""A counting label: what stands before the number (`T1A`), the number, and the cell or part (0: none)."""

LEADER = re.compile(r"^[.…‥·•_\-–—−=:：。．、,\s|⋯―]+$")
_LABEL = re.compile(
    r"^(?P<pre>[^\W\d_]{0,12}[.．º°]?|[A-Z]\d[A-Z])[\s(\[【〔]*(?P<n>\d{1,3})"
    r"(?:\s*[-–—]\s*(?P<sub>\d{1,2})|(?P<part>[a-h]))?[)\]】〕]?(?:[.。、:：)\]]|題|题|번|問|问|小題|º|ª|th)?$"
)
_GLUED = re.compile(
    r"^(?P<pre>[^\W\d_]{0,12}[.．º°]?)[(\[【〔]?(?P<n>\d{1,3})[)\]】〕]?(?P<mark>[.。、:：)\]]|題|题|번|\s*[-–—=→]\s*)?"
    r"[(\[]?(?P<value>[A-Z]{1,8}|[①-⑳❶-❿]+|[甲乙丙丁戊己庚辛]{1,5}|[가나다라마]|[ア-ン]|[a-e]|[+\-−–]\d+(?:\.\d+)?|(?<=[:：、)])\d+(?:\.\d+)?)[)\]]?[.,;、]?$"
)
_RUN_ON = re.compile(r"(?:(?:第|問|问)\d{1,3}(?:題|题)?|\d{1,3}(?:題|题|번)){2,}")
_RANGE = re.compile(
    r"^[(\[]?(?P<a>\d{1,3})\s*[-–—~～〜至到ー]\s*(?P<b>\d{1,3})[)\]]?\s*[.:：、]?\s*(?P<values>[A-Za-z①-⑳]*)$"
)


_DIGIT = re.compile(r"\d")


def digit_share(words: Sequence[Word]) -> float:
    """0..1: how many of the words, dot leaders apart, are short and hold a digit."""
    digits = leaders = 0
    for word in words:
        text = word.text
        if (len(text) <= 10 or "\u3000" in text) and _DIGIT.search(text):
            digits += 1
        elif not text[0].isalnum() and LEADER.match(text):
            leaders += 1
    return digits / max(len(words) - leaders, 1)


def narrow(text: str) -> str:
    """Full-width Latin letters, digits and signs as their half-width forms; circled numbers stay circled."""
    if text.isascii():
        return text
    return "".join(chr(ord(ch) - 0xFEE0) if "！" <= ch <= "～" else " " if ch == "\u3000" else ch for ch in text)


@dataclass(frozen=True, slots=True)
class Cell:
    """One word (or touching words) of a page. `row` counts the page's printed rows from the top."""

    text: str
    box: Box
    row: int
    number: Number | None = None
    glued: str | None = None
    """The value that is printed in one with its label: `12.B`."""
    span: tuple[int, int] | None = None
    """A range of labels, `1-5`."""
    words: tuple[Word, ...] = ()


def parse_number(text: str) -> Number | None:
    """`第12題`, `Q12`, `(12)`, `13-1`, `3a`, `T1A01` as a counting label; None where the text is none."""
    match = _LABEL.match(narrow(text).strip())
    if not match or any("①" <= ch <= "⑳" for ch in text):
        return None
    part = int(match["sub"]) if match["sub"] else ord(match["part"]) - 96 if match["part"] else 0
    return match["pre"].rstrip(".º°").casefold(), int(match["n"]), part


def make_cell(text: str, box: Box, row: int, words: tuple[Word, ...] = ()) -> Cell:
    if not _DIGIT.search(text):
        return Cell(text, box, row, words=words)
    plain = narrow(text).strip()
    number, glued, span = parse_number(plain), None, None
    match = _GLUED.match(plain)
    if match and (number is None or not number[2]) and not (match["mark"] is None and match["value"].islower()):
        number = (match["pre"].rstrip(".º°").casefold(), int(match["n"]), 0)
        glued = match["value"]
    match = _RANGE.match(plain)
    if match and int(match["a"]) < int(match["b"]) <= int(match["a"]) + 60:
        span = int(match["a"]), int(match["b"])
        glued = match["values"] or None
        number = None if glued else number
    return Cell(text, box, row, number, glued, span, words)


def page_cells(page: Page) -> list[Cell]:
    """The page's cells, row by row from the top, left to right in a row."""
    words = [part for w in page.words if w.text.strip() and w.angle == 0 for part in _labels_apart(w)]
    cells: list[Cell] = []
    for number, row in enumerate(_rows(words)):
        for group in _touching(row, page.strokes):
            box = group[0].box
            for word in group[1:]:
                box = box.union(word.box)
            text = "".join(w.text for w in group)
            if not LEADER.match(text):
                cells.append(make_cell(text, box, number, tuple(group)))
    return cells


def _labels_apart(word: Word) -> list[Word]:
    """A word of several labels set so close that the layer has them as one: `第11題第12題`."""
    if len(word.text) < 4 or word.text.isascii():
        return [word]
    pieces = [m.start() for m in re.finditer(r"(?:第|問|问)?\d{1,3}(?:題|题|번)?", word.text)]
    if len(pieces) < 2 or not _RUN_ON.fullmatch(word.text):
        return [word]
    parts: list[Word] = []
    rest, cut = word, 0
    for at in pieces[1:]:
        left, rest = split_word(rest, at - cut)
        parts.append(left)
        cut = at
    return [*parts, rest]


def _rows(words: Sequence[Word]) -> list[list[Word]]:
    """Words whose vertical middles agree, top to bottom."""
    rows: list[list[Word]] = []
    anchor: Word | None = None
    for word in sorted(words, key=lambda w: (w.box.cy, w.box.x0, w.index)):
        height = min(word.box.height, anchor.box.height) if anchor else 0.0
        if anchor is not None and abs(word.box.cy - anchor.box.cy) <= 0.4 * height:
            rows[-1].append(word)
        else:
            rows.append([word])
            anchor = word
    return [sorted(row, key=lambda w: (w.box.x0, w.index)) for row in rows]


def _touching(row: Sequence[Word], strokes: Sequence[Stroke]) -> list[list[Word]]:
    rules = sorted(s.box.cx for s in strokes if s.kind == "vertical" and s.box.y0 - 1 <= row[0].box.cy <= s.box.y1 + 1)
    groups: list[list[Word]] = []
    for word in row:
        last = groups[-1][-1] if groups else None
        gap = word.box.x0 - last.box.x1 if last else 0.0
        if last is not None and gap <= 0.12 * max(word.size, word.box.height * 0.7) and _one_cell(last, word, rules):
            groups[-1].append(word)
        else:
            groups.append([word])
    return groups


def _one_cell(last: Word, word: Word, rules: Sequence[float]) -> bool:
    """Whether two touching words are one cell: no rule between them, and not two labels set close."""
    middle = (last.box.x1 + word.box.x0) / 2
    if any(last.box.cx < x < word.box.cx and abs(x - middle) <= 2.0 for x in rules):
        return False
    return not (len(last.text) > 1 and len(word.text) > 1 and parse_number(last.text) and parse_number(word.text))
