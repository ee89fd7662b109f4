"""Windows: the pages cut into pieces for one call each, at question boundaries, never inside a question.

The layout engine says where each top-level question stands, its shared stimulus and parts included. A window is a
run of such questions with every page from the end of the window before it to its own last line, so that headings,
directions, and questions that the layout engine missed are in some window too. A page on which one window ends and
the next begins is cut between them where the questions stand one above the other; else both windows see all of it
and are told which questions are theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from ..assembly.regions import question_regions
from ..draft import DraftQuestion
from ..engine import Layout, Understood
from ..page import Box
from .limits import Limits, copy_tokens

Kind = Literal["inventory", "questions", "answers"]
_MARGIN = 6.0
"""Points above a window's first line and below its last one that still belong to it."""
_NEARLY, _SLACK = 0.8, 1.2
"""A window ends at a page's end from this part of its share on, and anywhere from that part on."""
_LEAST_COPY = 2_000
"""Tokens of a reply below which a window is not worth its own instructions."""
_OUTLINED = 4
"""How much shorter the outline of a page is than the page, at least."""
_PER_QUESTION = 90
"""Tokens of a reply that one entry takes besides its text."""


@dataclass(frozen=True)
class PageSlice:
    """A horizontal band of a page, y0 to y1 in points from its top; mostly the whole page."""

    source: int
    page: int
    y0: float
    y1: float
    height: float

    @property
    def whole(self) -> bool:
        return self.y0 <= 0 and self.y1 >= self.height


@dataclass(frozen=True)
class Window:
    """One call's share of the pages.

    `questions` are the layout engine's ids of its top-level questions; `first` and `last` the labels that it runs
    from and to, as printed; `heading` the section that is open where it begins. `shared` says that a page of it is
    seen by a neighbour too.
    """

    kind: Kind
    slices: tuple[PageSlice, ...]
    questions: tuple[str, ...] = ()
    first: str | None = None
    last: str | None = None
    heading: str | None = None
    shared: bool = False

    @property
    def pages(self) -> list[tuple[int, int]]:
        return list(dict.fromkeys((part.source, part.page) for part in self.slices))

    @property
    def order(self) -> tuple[int, int, float]:
        """Where the window begins: windows in this order run as the pages do."""
        first = self.slices[0]
        return first.source, first.page, first.y0


@dataclass(frozen=True)
class _Unit:
    """A top-level question with all that belongs to it: its boxes by page, and what copying it takes."""

    question: DraftQuestion
    boxes: dict[tuple[int, int], Box]
    tokens: int
    heading: str | None

    @property
    def first(self) -> tuple[int, int]:
        return min(self.boxes)

    @property
    def last(self) -> tuple[int, int]:
        return max(self.boxes)


def question_windows(
    layout: Layout, understood: Understood, limits: Limits, at_once: int = 1, others: int = 0
) -> list[Window]:
    """The windows over all pages that print questions, in the order of print.

    `at_once` calls run together, `others` of the first round are for something else: the windows are made smaller than
    the limits as long as that costs no further wave, because smaller replies come sooner and fail more seldom.
    """
    pages = sorted(understood.paper_pages)
    if not pages:
        return []
    units = [unit for unit in _units(understood) if unit.boxes]
    if not units:
        return by_pages("questions", layout, pages, limits)
    runs = [[], *_spread(units, limits, at_once, others), []]
    neighbours = zip(runs, runs[1:], runs[2:], strict=False)
    windows = [_window(before, run, after, units, layout, pages) for before, run, after in neighbours]
    return [window for window in windows if window.slices]


def split_window(window: Window, layout: Layout, understood: Understood, limits: Limits) -> list[Window]:
    """A window as two smaller ones, at a question boundary; where no question is known in it, by pages. Empty where
    it cannot be made smaller."""
    if window.kind != "questions":
        half = replace(limits, pages=(len(window.pages) + 1) // 2)
        return by_pages(window.kind, layout, window.pages, half, overlap=0) if len(window.pages) > 1 else []
    units = [unit for unit in _units(understood) if unit.boxes]
    own = [unit for unit in units if unit.question.id in window.questions]
    if len(own) >= 2:
        start = units.index(own[0])
        middle = _middle(own)
        before, after = units[:start], units[start + len(own) :]
        pages = sorted(understood.paper_pages)
        upper, lower = own[:middle], own[middle:]
        return [
            _window(before, upper, lower, units, layout, pages),
            _window([*before, *upper], lower, after, units, layout, pages),
        ]
    if own or len(window.pages) < 3:
        return []
    return by_pages("questions", layout, window.pages, replace(limits, pages=len(window.pages) // 2 + 1))


def _middle(units: Sequence[_Unit]) -> int:
    """Where to part the units so that both sides take about as long to copy."""
    total, so_far = sum(unit.tokens for unit in units), 0
    for n, unit in enumerate(units[:-1], 1):
        so_far += unit.tokens
        if so_far >= total / 2:
            return n
    return len(units) - 1


def answer_windows(layout: Layout, understood: Understood, limits: Limits) -> list[Window]:
    """The windows over keys, mark schemes and solutions. Prose overlaps by a page: an answer may run over the break."""
    found: list[Window] = []
    for number, role in enumerate(understood.roles):
        pages = [
            (number, page)
            for page in layout.sources[number].pages
            if role.pages.get(page, role.role) in ("key", "markscheme", "solution")
        ]
        if role.role == "paper":
            pages = sorted({*pages, *_answering(understood, number)})
        prose = any(role.pages.get(page, role.role) != "key" for _, page in pages)
        found += by_pages("answers", layout, pages, limits, overlap=1 if prose and limits.pages > 2 else 0)
    return found


def _answering(understood: Understood, source: int) -> set[tuple[int, int]]:
    """Pages of a paper that print answers among the questions."""
    found: set[tuple[int, int]] = set()
    for question in understood.paper.questions():
        found |= {(line.source, line.page) for line in question.answer_lines}
        if question.printed_answer:
            found |= {(line.source, line.page) for line in question.stem[:1]}
    return {place for place in found if place[0] == source}


def inventory_windows(layout: Layout, understood: Understood, limits: Limits) -> list[Window]:
    """One window over all pages, or as many as their outline needs."""
    pages = sorted(layout.pages)
    most = limits.pages * 8 if limits.images else limits.pages
    chars = _OUTLINED * limits.layer_chars if limits.images else limits.layer_chars
    return _packed("inventory", layout, pages, most, chars, overlap=0)


def _units(understood: Understood) -> list[_Unit]:
    units: list[_Unit] = []
    for section in understood.paper.sections:
        heading = " ".join(line.text for line in section.title) or section.key
        for question in section.questions:
            boxes: dict[tuple[int, int], Box] = {}
            tokens = 0
            for one in _with_parts(question):
                for region in question_regions(one, understood.paper_pages):
                    place = (region.source, region.page)
                    box = Box(region.x0, region.y0, region.x1, region.y1)
                    boxes[place] = boxes[place].union(box) if place in boxes else box
                lines = [*one.stem, *(line for option in one.options for line in option.lines)]
                tokens += _PER_QUESTION + copy_tokens(" ".join(line.text for line in lines))
            units.append(_Unit(question, boxes, tokens, heading))
    # a question that is continued on an earlier page than its neighbours (answer sheets) would cross windows
    return sorted(units, key=lambda unit: unit.first)


def _with_parts(question: DraftQuestion) -> list[DraftQuestion]:
    return [question, *(one for child in question.children for one in _with_parts(child))]


def _spread(units: Sequence[_Unit], limits: Limits, at_once: int, others: int) -> list[list[_Unit]]:
    """The units as runs of about equal length: as many as fill the waves of calls that are needed anyway."""
    total = sum(unit.tokens for unit in units)
    fewest = max(-(-total // limits.copy_tokens), 1)
    waves = -(-(fewest + others) // at_once)
    most = max(min(waves * at_once - others, total // _LEAST_COPY), fewest)
    for parts in range(most, fewest - 1, -1):
        runs = _runs(units, total / parts, limits)
        if len(runs) <= most:
            return runs
    return _runs(units, total / fewest, limits)


def _runs(units: Sequence[_Unit], share: float, limits: Limits) -> list[list[_Unit]]:
    """Runs of about `share` tokens within the limits; one that is nearly full ends where the next page begins."""
    runs: list[list[_Unit]] = [[units[0]]]
    for before, unit in pairwise(units):
        tokens = sum(one.tokens for one in runs[-1])
        pages = len({page for one in [*runs[-1], unit] for page in one.boxes})
        full = tokens + unit.tokens > min(_SLACK * share, limits.copy_tokens) or pages > limits.pages
        if full or (tokens > _NEARLY * share and unit.first > before.last):
            runs.append([unit])
        else:
            runs[-1].append(unit)
    return runs


def _window(
    before: Sequence[_Unit],
    run: Sequence[_Unit],
    after: Sequence[_Unit],
    units: Sequence[_Unit],
    layout: Layout,
    pages: Sequence[tuple[int, int]],
) -> Window:
    begins = max(unit.last for unit in before) if before else pages[0]
    ends = max(unit.last for unit in run) if after else pages[-1]
    slices: list[PageSlice] = []
    for place in pages:
        if not min(begins, run[0].first) <= place <= ends:
            continue
        height = layout.pages[place].height
        top = _end_of(before, run, place) or 0.0
        bottom = _end_of(run, after, place) if after else None
        bottom = height if bottom is None else min(bottom + _MARGIN, height)
        if bottom < height and not _prints(layout, PageSlice(*place, bottom, height, height)):
            bottom = height
        part = PageSlice(*place, top, bottom, height)
        if part.whole or _prints(layout, part):
            slices.append(part)
    ids = tuple(unit.question.id for unit in run)
    labels = _first_label(run[0].question), _last_label(run[-1].question)
    others = [unit for unit in units if unit not in run]
    shared = any(_stands_in(unit, part) for unit in others for part in slices)
    return Window("questions", tuple(slices), ids, *labels, before[-1].heading if before else None, shared)


def _end_of(above: Sequence[_Unit], below: Sequence[_Unit], place: tuple[int, int]) -> float | None:
    """The height at which the upper window ends on a page. None where it does not end there, or where questions of
    both stand side by side and both must see all of the page."""
    upper = [unit.boxes[place].y1 for unit in above if place in unit.boxes]
    lower = [unit.boxes[place].y0 for unit in below if place in unit.boxes]
    if not upper or (lower and min(lower) < max(upper) - 2):
        return None
    ends = bool(lower) or place == max(unit.last for unit in above)
    return max(upper) + _MARGIN / 2 if ends else None


def _stands_in(unit: _Unit, part: PageSlice) -> bool:
    """Whether anything of the unit stands in the band."""
    box = unit.boxes.get((part.source, part.page))
    return box is not None and min(box.y1, part.y1) - max(box.y0, part.y0) > 2 * _MARGIN


def _prints(layout: Layout, part: PageSlice) -> bool:
    """Whether any line or figure stands in the band."""
    lines = (line for line in layout.readings[part.source].lines if line.page == part.page)
    figures = (f for f in layout.figures if (f.source, f.page) == (part.source, part.page))
    return any(part.y0 <= thing.box.cy <= part.y1 for things in (lines, figures) for thing in things)


def _first_label(question: DraftQuestion) -> str | None:
    if question.label or not question.children:
        return question.label
    return _first_label(question.children[0])


def _last_label(question: DraftQuestion) -> str | None:
    if question.label or not question.children:
        return question.label
    return _last_label(question.children[-1])


def by_pages(
    kind: Kind, layout: Layout, pages: Sequence[tuple[int, int]], limits: Limits, overlap: int = 1
) -> list[Window]:
    """Windows of whole pages, where no question is known to cut at; each begins `overlap` pages earlier."""
    return _packed(kind, layout, pages, limits.pages, min(limits.layer_chars, 5 * limits.copy_tokens), overlap)


def _packed(
    kind: Kind, layout: Layout, pages: Sequence[tuple[int, int]], most: int, chars: int, overlap: int
) -> list[Window]:
    """Whole pages packed up to `most` pages or `chars` characters; each window begins `overlap` pages earlier."""
    sizes = dict.fromkeys(pages, 0)
    for reading in layout.readings:
        for line in reading.lines:
            if (line.source, line.page) in sizes:
                sizes[line.source, line.page] += len(line.text)
    found: list[Window] = []
    start = 0
    while start < len(pages):
        end, size = start, 0
        while end < len(pages) and end - start < most and (end == start or size + sizes[pages[end]] <= chars):
            size += sizes[pages[end]]
            end += 1
        slices = tuple(_whole(layout, place) for place in pages[start:end])
        found.append(Window(kind, slices, shared=overlap > 0 and len(found) > 0))
        if end == len(pages):
            break
        start = max(end - overlap, start + 1)
    return found


def _whole(layout: Layout, place: tuple[int, int]) -> PageSlice:
    height = layout.pages[place].height
    return PageSlice(*place, 0.0, height, height)
