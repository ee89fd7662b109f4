"""Text that a reader of the page cannot see: white on white, microtext, and the second copy of a word printed twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .page import Picture, Stroke, Word

# letters lower than this (points) cannot be read in print
MICROTEXT = 3.2
_WHITE = 0xF0


def part_hidden(
    words: list[Word], hidden: list[Word], strokes: Sequence[Stroke], pictures: Sequence[Picture]
) -> tuple[list[Word], list[Word]]:
    """Words that can be seen, and `hidden` with those that cannot; both numbered anew from 0."""
    seen: list[Word] = []
    copies: dict[str, list[Word]] = {}
    moved = False
    for word in words:
        box = word.box
        height = box.y1 - box.y0 if word.angle in (0, 180) else box.x1 - box.x0
        if height < MICROTEXT or (word.color >= 0xF0F0F0 and _white_on_white(word, strokes, pictures)):
            hidden.append(word)
            moved = True
            continue
        same = copies.setdefault(word.text, [])
        if same and any(_printed_over(word, other) for other in same):
            hidden.append(word)
            moved = True
            continue
        same.append(word)
        seen.append(word)
    if not moved:
        return words, hidden
    return _numbered(seen), _numbered(hidden)


def _numbered(words: list[Word]) -> list[Word]:
    return [replace(word, index=index) if word.index != index else word for index, word in enumerate(words)]


def _printed_over(word: Word, other: Word) -> bool:
    a, b = word.box, other.box
    return (
        abs(a.y0 - b.y0) < 0.15 * word.size
        and abs(a.x0 - b.x0) < 0.15 * word.size
        and abs(a.x1 - b.x1) < 0.15 * word.size
    )


def _white_on_white(word: Word, strokes: Sequence[Stroke], pictures: Sequence[Picture]) -> bool:
    if min(word.color >> 16, word.color >> 8 & 255, word.color & 255) < _WHITE:
        return False
    x, y = word.box.cx, word.box.cy
    if any(picture.box.contains(x, y) for picture in pictures):
        return False
    return not any(stroke.filled and stroke.color < 0xF0F0F0 and stroke.box.contains(x, y) for stroke in strokes)
