"""Where a question is printed: tight boxes, one per column that it runs through, the label's column first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet

from ...schemas.exam import Region
from ..draft import DraftOption, DraftQuestion, Figure, WordKey
from ..lines import Line
from ..page import Box, Page

Pages = Mapping[tuple[int, int], Page]
_GAP = 40.0
"""Two boxes of one column further apart than this many points are two regions."""


def own_lines(question: DraftQuestion) -> list[Line]:
    """The lines of a question itself: stem, options, matching items; not those of its sub-questions."""
    lines = [*question.stem]
    for option in _options(question):
        lines.extend(option.lines)
    return lines


def own_figures(question: DraftQuestion) -> list[Figure]:
    """The figures of a question itself, those of its options included."""
    option_figures = (figure for option in _options(question) for figure in option.figures)
    return [*question.figures, *option_figures, *question.unread]


def own_labels(question: DraftQuestion) -> frozenset[WordKey]:
    """The words of the printed labels: the question's own and those of its options."""
    return question.label_words.union(*(option.label_words for option in _options(question)))


def _options(question: DraftQuestion) -> list[DraftOption]:
    left, right = question.matching or ([], [])
    return [*question.options, *left, *right]


def question_regions(question: DraftQuestion, pages: Pages) -> list[Region]:
    """The regions of a question without its sub-questions."""
    boxes: list[tuple[int, int, Box]] = []
    boxes += word_boxes(sorted(question.label_words), pages)
    boxes += [(line.source, line.page, line.box) for line in question.stem]
    boxes += word_boxes(sorted(own_labels(question) - question.label_words), pages)
    boxes += [(line.source, line.page, line.box) for line in own_lines(question)[len(question.stem) :]]
    boxes += [(figure.source, figure.page, figure.box) for figure in own_figures(question)]
    columns = {(line.source, line.page, line.column_box.x0, line.column_box.x1) for line in own_lines(question)}
    return [_clipped(region, pages) for region in merged(boxes, columns)]


def _clipped(region: Region, pages: Pages) -> Region:
    """The region without what lies outside its page (ink and text may be placed past the edge)."""
    page = pages.get((region.source, region.page))
    if page is None:
        return region
    x0, y0 = min(max(region.x0, 0.0), page.width), min(max(region.y0, 0.0), page.height)
    x1, y1 = max(min(region.x1, page.width), x0), max(min(region.y1, page.height), y0)
    return region.model_copy(update={"x0": x0, "y0": y0, "x1": round(x1, 2), "y1": round(y1, 2)})


def word_boxes(keys: Iterable[WordKey], pages: Pages) -> list[tuple[int, int, Box]]:
    return [
        (source, page, pages[source, page].words[index].box) for source, page, index in keys if (source, page) in pages
    ]


def merged(
    boxes: Iterable[tuple[int, int, Box]], columns: AbstractSet[tuple[int, int, float, float]] = frozenset()
) -> list[Region]:
    """Boxes of one column joined into one region each; the first box's region stays first.

    Two boxes are one column's where they share most of the narrower one's width or stand on one row, and
    lie no further apart than a blank line or two would. `columns` are the known columns' source, page, left
    and right: boxes on one row of a column are joined however far apart they stand.
    """
    groups: list[tuple[int, int, Box]] = []
    for source, page, box in boxes:
        groups.append((source, page, box))
        while (pair := _joinable(groups, columns)) is not None:
            first, second = pair
            joined = groups[first][2].union(groups[second][2])
            groups[first] = (groups[first][0], groups[first][1], joined)
            del groups[second]
    return [_region(*group) for group in groups]


def _joinable(
    groups: list[tuple[int, int, Box]], columns: AbstractSet[tuple[int, int, float, float]]
) -> tuple[int, int] | None:
    """The newest box and one that it belongs with, or None. Only the last change can have made a new pair."""
    for second in range(len(groups) - 1, 0, -1):
        for first in range(second - 1, -1, -1):
            if groups[first][:2] != groups[second][:2]:
                continue
            a, b = groups[first][2], groups[second][2]
            if _one_column(a, b) or (_one_row(a, b) and _within(groups[first][:2], a.union(b), columns)):
                return first, second
    return None


def _one_column(a: Box, b: Box) -> bool:
    across = min(a.x1, b.x1) - max(a.x0, b.x0)
    down = max(a.y0, b.y0) - min(a.y1, b.y1)
    if down > _GAP:
        return False
    if across > 0.5 * min(a.width, b.width):
        return True
    return across > -_GAP and _one_row(a, b)


def _one_row(a: Box, b: Box) -> bool:
    return min(a.y1, b.y1) - max(a.y0, b.y0) > 0.3 * min(a.height, b.height)


def _within(place: tuple[int, int], box: Box, columns: AbstractSet[tuple[int, int, float, float]]) -> bool:
    return any(column[:2] == place and column[2] - 4 <= box.x0 and box.x1 <= column[3] + 4 for column in columns)


def _region(source: int, page: int, box: Box) -> Region:
    x0, y0, x1, y1 = (round(value, 2) for value in (box.x0, box.y0, box.x1, box.y1))
    return Region(source=source, page=page, x0=x0, y0=y0, x1=x1, y1=y1)
