"""Gaps to fill: runs of underscores, ruled gaps in a line, numbered grid-in cells."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..draft import DraftBlank, DraftQuestion
from ..lines import Line
from ..page import Page
from .linetext import LineText

_UNDERSCORES = re.compile(
    r"[_＿﹍]{3,}|(?<![\w,，])\.{5,}(?![\w,，])|(?<![\w,，])…{3,}(?![\w,，])|[（(]\s{2,}[)）]|[□☐]{2,}"
)
_CELL = r"[○◯〇⃝]?\s*{key}\s*[-–−－]\s*(\d{{1,2}})"
_WRITING_SHARE = 0.55
"""A ruled stretch wider than this share of its column is a line to write on, not a gap in a sentence."""


def grid_cells(question: DraftQuestion) -> int:
    """How many numbered cells (`13-1`, `13-2`) the question prints: one number, digit by digit; 0 for none."""
    if not question.key.isdigit():
        return 0
    pattern = re.compile(_CELL.format(key=question.key))
    found: set[int] = set()
    for line in question.stem:
        found.update(int(match.group(1)) for match in pattern.finditer(line.text))
    return len(found) if found == set(range(1, len(found) + 1)) else 0


def count_gaps(question: DraftQuestion, pages: Mapping[tuple[int, int], Page]) -> int:
    """Gaps inside sentences of the stem: printed underscores, or rules drawn where words leave room."""
    return sum(_gaps_in(line) + _ruled_gaps(line, pages.get((line.source, line.page))) for line in question.stem)


def _gaps_in(line: Line) -> int:
    text = LineText(line).text
    matches = list(_UNDERSCORES.finditer(text))
    if not matches:
        return 0
    words = re.sub(r"[_＿﹍.…]{3,}", "", text)
    if sum(c.isalnum() for c in words) < 2:
        return 0
    width = max(line.column_box.width, 1.0)
    return sum(_is_gap(line, text, match, width) for match in matches)


def _is_gap(line: Line, text: str, match: re.Match[str], width: float) -> bool:
    """Whether underscores are a gap rather than the ruled line behind `Answer:`."""
    ruled = [word for word in line.words if _UNDERSCORES.search(word.text)]
    widest = max((word.box.width for word in ruled), default=0.0)
    before = text[: match.start()].rstrip()
    if not before and not text[match.end() :].strip(" .。"):
        return False
    behind = any(c.isalpha() for c in text[match.end() :])
    return widest <= _WRITING_SHARE * width or (behind and not before.endswith((":", "：")))


def _ruled_gaps(line: Line, page: Page | None) -> int:
    """Horizontal strokes on the baseline between two words of the line, or behind its last word."""
    if page is None:
        return 0
    found = 0
    size = max(line.size, 6.0)
    uprights = [
        s.box for s in page.strokes if s.kind == "vertical" and s.box.y0 < line.box.y1 and s.box.y1 > line.box.y0
    ]
    for stroke in page.strokes:
        box = stroke.box
        if stroke.kind != "horizontal" or not 2.2 * size < box.width < _WRITING_SHARE * line.column_box.width:
            continue
        if not line.box.y0 + 0.5 * line.box.height < box.cy < line.box.y1 + 0.35 * size:
            continue
        if any(abs(edge - upright.cx) < 3 for upright in uprights for edge in (box.x0, box.x1)):
            continue  # a cell of a table
        over = [word for word in line.words if min(word.box.x1, box.x1) - max(word.box.x0, box.x0) > 0.25 * size]
        left = any(word.box.x1 <= box.x0 + 0.5 * size for word in line.words)
        if not over and left:
            found += 1
    return found


def set_blanks(question: DraftQuestion, pages: Mapping[tuple[int, int], Page]) -> None:
    """Fill `question.blanks`: one for grid cells, else one for each gap, else a single one."""
    if question.blanks:
        return
    cells = grid_cells(question)
    if cells:
        question.blanks = [DraftBlank(None, cells if cells > 1 else None)]
        return
    question.blanks = [DraftBlank() for _ in range(max(count_gaps(question, pages), 1))]
