"""True/false tables: statements in rows, a column to tick for each of two words (richtig | falsch)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..draft import DraftQuestion
from ..lines import Line
from ..page import Page
from .linetext import LineText
from .wording import true_false_pair


def split_statements(question: DraftQuestion, pages: Mapping[tuple[int, int], Page]) -> None:
    """Make each statement of a ticked table a true/false part of the question; do nothing where there is none."""
    if question.children or question.options:
        return
    header = _header(question.stem)
    if header is None:
        return
    head = question.stem[header]
    rows = _rows(question.stem[header + 1 :], head, pages.get((head.source, head.page)))
    if len(rows) < 2:
        return
    question.stem = question.stem[: header + 1]
    question.children = [
        DraftQuestion(label=None, key=str(number), stem=row, type="true_false")
        for number, row in enumerate(rows, start=1)
    ]


def _header(stem: Sequence[Line]) -> int | None:
    """The line whose last two cells are a true/false pair."""
    for number, line in enumerate(stem):
        cells = [cell for cell in LineText(line).text.split("\t") if cell.strip()]
        if len(cells) >= 2 and true_false_pair(cells[-2:]) and number + 1 < len(stem):
            return number
    return None


def is_true_false_header(cells: Sequence[str]) -> bool:
    """Whether a table's header cells end in a true/false pair."""
    return len(cells) >= 2 and true_false_pair(list(cells[-2:])) is not None


def _rows(lines: Sequence[Line], head: Line, page: Page | None) -> list[list[Line]]:
    """Lines grouped into table rows: by the rules between them, else by a new line's gap or capital."""
    rules = sorted(
        stroke.box.cy
        for stroke in (page.strokes if page else ())
        if stroke.kind == "horizontal" and stroke.box.cy > head.box.y0 and stroke.box.width > 20
    )
    rows: list[list[Line]] = []
    for line in lines:
        if rows and not _row_begins(rows[-1][-1], line, rules):
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows


def _row_begins(before: Line, line: Line, rules: Sequence[float]) -> bool:
    if before.page != line.page:
        return True
    if rules:
        return any(before.box.cy < y < line.box.cy for y in rules)
    return line.box.y0 - before.box.y1 > 0.25 * max(line.size, 6.0) or before.text.rstrip().endswith((".", "。"))
