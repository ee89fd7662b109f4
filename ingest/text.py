"""Words and text: joining words as the page spaces them, cutting a word, telling scripts apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from .page import Box, Word

_CJK_RANGES = (
    (0x2E80, 0x303F),
    (0x3040, 0x30FF),
    (0x3100, 0x31BF),
    (0x31F0, 0x33FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0xFE30, 0xFE4F),
    (0xFF00, 0xFF60),
    (0xFFE0, 0xFFE6),
    (0x20000, 0x3FFFF),
)


def is_cjk(ch: str) -> bool:
    """Whether `ch` is of a script written without spaces: Han, kana, bopomofo and their punctuation (not hangul)."""
    code = ord(ch)
    return code >= 0x2E80 and any(low <= code <= high for low, high in _CJK_RANGES)


def spaced(left: Word, right: Word) -> bool:
    """Whether a space belongs between two neighbouring words of one line."""
    if not left.text or not right.text:
        return False
    last, first = is_cjk(left.text[-1]), is_cjk(right.text[0])
    size = max(left.size, right.size, 1.0)
    gap = right.box.x0 - left.box.x1
    if gap < -size or right.box.y0 >= left.box.y1:
        return not (last and first)
    if last and first:
        return gap > 0.9 * size
    if last or first:
        return gap > 0.3 * size
    return gap > 0.1 * size


def join_words(words: Sequence[Word]) -> str:
    """The text of words in reading order: a space where the page has a gap, none between CJK characters."""
    if not words:
        return ""
    parts = [words[0].text]
    for left, right in pairwise(words):
        if spaced(left, right):
            parts.append(" ")
        parts.append(right.text)
    return "".join(parts)


def _advance(ch: str) -> float:
    return 1.0 if is_cjk(ch) or 0xAC00 <= ord(ch) <= 0xD7A3 else 0.5


def split_word(word: Word, at: int) -> tuple[Word, Word]:
    """Cut a word before its character `at`; the box is cut in proportion to the characters' usual widths.

    Both parts keep the word's index, so both still name the same word of the page.
    Raises ValueError where a part would be empty.
    """
    if not 0 < at < len(word.text):
        raise ValueError(f"a word of {len(word.text)} characters cannot be cut at {at}")
    widths = [_advance(ch) for ch in word.text]
    x = word.box.x0 + word.box.width * sum(widths[:at]) / sum(widths)
    left = Box(word.box.x0, word.box.y0, x, word.box.y1)
    right = Box(x, word.box.y0, word.box.x1, word.box.y1)
    return replace(word, text=word.text[:at], box=left), replace(word, text=word.text[at:], box=right)
