"""What a printed line shows but no text holds: formulas set as little pictures, words drawn as outlines."""

from __future__ import annotations

from collections.abc import Sequence

from ..page import Box
from .ink import Mark, Rows, is_lettering
from .phrases import Phrase


def find_unread(marks: Sequence[Mark], phrases: Sequence[Phrase], taken: Sequence[Box]) -> list[Box]:
    """Boxes of ink that stands in a printed line as a word does, outside `taken` (figures and tables)."""
    found: list[Box] = []
    small = [m for m in marks if (m.kind == "picture" or (m.kind == "other" and m.filled)) and m.box.height < 60]
    if not small:
        return found
    rows = Rows(phrases)
    for mark in small:
        if any(box.contains(mark.box.cx, mark.box.cy) for box in taken):
            continue
        if any(_stands_in(mark, phrase) for phrase in rows.near(mark.box)) and not _over_words(mark, rows):
            found.append(mark.box)
    return found


def _stands_in(mark: Mark, phrase: Phrase) -> bool:
    box, text, size = mark.box, phrase.box, phrase.size
    if max(box.x0 - text.x1, text.x0 - box.x1) > 1.2 * size or not box.y0 - 0.3 * size < text.cy < box.y1 + 0.3 * size:
        return False
    if mark.kind == "picture":
        return 0.5 * size < box.height < 3.5 * size and box.width > 0.4 * size and (phrase.running or phrase.marker)
    return is_lettering(mark, phrase) and text.y0 - 0.35 * size < box.y0 and box.y1 < text.y1 + 0.35 * size


def _over_words(mark: Mark, rows: Rows) -> bool:
    """Whether set words lie on the ink: a text box, a shade, a label that the layer holds after all."""
    words = [word.box for phrase in rows.near(mark.box) for word in phrase.words]
    return sum(mark.box.overlap(box) for box in words) > 0.2 * mark.box.area
