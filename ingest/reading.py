"""Reading order: words into lines, lines into columns and bands."""

from __future__ import annotations

from collections.abc import Sequence

from .columns import Region, split_columns
from .furniture import find_furniture
from .lines import Line, Reading
from .page import Box, Page, Word


def read_order(pages: Sequence[Page]) -> Reading:
    """The lines of all pages of one source in reading order, without the furniture."""
    furniture = find_furniture(pages)
    lines: list[Line] = []
    for page in pages:
        words = [w for w in page.words if (page.number, w.index) not in furniture]
        for region in split_columns(page, words):
            lines.extend(_lines(page, region))
    return Reading(pages[0].source if pages else 0, tuple(lines), furniture)


def _lines(page: Page, region: Region) -> list[Line]:
    rows = group_rows(region.words)
    lines: list[Line] = []
    for row in rows:
        box = row[0].box
        for word in row[1:]:
            box = box.union(word.box)
        lines.append(Line(page.source, page.number, tuple(row), box, region.band, region.column, region.box))
    return lines


def group_rows(words: Sequence[Word]) -> list[list[Word]]:
    """Words of one column grouped into printed lines, top to bottom, each left to right."""
    rows: list[tuple[float, float, float, list[Word]]] = []
    for word in sorted(words, key=lambda w: (-w.size, w.box.cy, w.box.x0)):
        for at, (top, bottom, size, members) in enumerate(rows):
            shared = min(bottom, word.box.y1) - max(top, word.box.y0)
            if shared > 0.5 * min(word.box.height, bottom - top):
                members.append(word)
                rows[at] = (top, bottom, size, members)
                break
        else:
            rows.append((word.box.y0, word.box.y1, word.size, [word]))
    rows.sort(key=lambda row: (row[0] + row[1]) / 2)
    return [sorted(members, key=lambda w: w.box.x0) for _, _, _, members in rows]


__all__ = ["Box", "group_rows", "read_order"]
