"""Hangers: the upper parts of stacked formulas, put behind the line that they hang on.

A numerator or the top of a matrix comes before its line in a top-down reading. Where that line begins
with a label, the part would be read as the end of what stands above; so it is moved behind the line.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..lines import Line
from ..text import is_cjk

_LOOK_BACK = 5


def settle_hangers(lines: Sequence[Line]) -> list[Line]:
    """The lines with every hanging part moved behind the line whose height it shares and that begins left of it."""
    settled: list[Line] = []
    for line in lines:
        count = _hanging(settled, line)
        if count:
            parts = settled[-count:]
            del settled[-count:]
            settled += [line, *parts]
        else:
            settled.append(line)
    return settled


def _hanging(settled: Sequence[Line], line: Line) -> int:
    """How many of the last lines hang on `line`: each overlaps the one below it and begins right of `line`."""
    count, below = 0, line
    for part in reversed(settled[-_LOOK_BACK:]):
        if (part.source, part.page, part.column, part.band) != (line.source, line.page, line.column, line.band):
            break
        height = min(part.box.height, below.box.height)
        shared = min(part.box.y1, below.box.y1) - max(part.box.y0, below.box.y0)
        needed = 0.2 * height if count == 0 else -0.1 * height
        if shared < needed or part.box.x0 < line.box.x0 + 8 or not _is_formula(part):
            break
        count, below = count + 1, part
    return count


def _is_formula(line: Line) -> bool:
    """Whether a line holds only short pieces, as the parts of a formula do."""
    text = line.text
    han = sum(is_cjk(c) and c.isalpha() for c in text)
    return len(text) <= 60 and han <= 2 and all(len(word.text) <= 6 or not word.text.isalpha() for word in line.words)
