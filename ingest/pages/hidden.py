"""Text that a reader of the page cannot see: white on white, microtext, and the second copy of a word printed twice."""

from __future__ import annotations

from collections.abc import Sequence

from ..page import Picture, Stroke, Word

# letters lower than this (points) cannot be read in print
MICROTEXT = 3.2
_WHITE = 0xF0


def part_hidden(
    words: list[Word], hidden: list[Word], strokes: Sequence[Stroke], pictures: Sequence[Picture]
) -> tuple[list[Word], list[Word]]:
    """Words that can be seen, and `hidden` with those that cannot; both numbered anew from 0."""
    seen: list[Word] = []
    printed: dict[str, Word] = {}
    before = len(hidden)
    for word in words:
        box = word.box
        height = box.y1 - box.y0 if word.angle in (0, 180) else box.x1 - box.x0
        if height < MICROTEXT or (word.color >= 0xF0F0F0 and _white_on_white(word, strokes, pictures)):
            hidden.append(word)
            continue
        # a second copy follows the first: comparing with the last word of the same text is enough
        last = printed.get(word.text)
        if last is not None and _printed_over(word, last):
            hidden.append(word)
            continue
        printed[word.text] = word
        seen.append(word)
    if len(hidden) == before:
        return words, hidden
    # the words are this page's own and still unseen by anyone: numbering them in place is safe
    for group in (seen, hidden):
        for index, word in enumerate(group):
            word.index = index
    return seen, hidden


def _printed_over(word: Word, other: Word) -> bool:
    a, b = word.box, other.box
    slack = 0.15 * word.size
    return abs(a.y0 - b.y0) < slack and abs(a.x0 - b.x0) < slack and abs(a.x1 - b.x1) < slack


def _white_on_white(word: Word, strokes: Sequence[Stroke], pictures: Sequence[Picture]) -> bool:
    if min(word.color >> 16, word.color >> 8 & 255, word.color & 255) < _WHITE:
        return False
    x, y = word.box.cx, word.box.cy
    if any(picture.box.contains(x, y) for picture in pictures):
        return False
    return not any(stroke.filled and stroke.color < 0xF0F0F0 and stroke.box.contains(x, y) for stroke in strokes)
