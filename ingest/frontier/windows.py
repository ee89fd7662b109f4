"""Windows: the pages cut into pieces for one call each, at question boundaries, never inside a question.

The layout engine says where each top-level question stands, its shared stimulus and parts included. A window is a
run of such questions with every page from the end of the window before it to its own last line, so that headings,
directions, and questions that the layout engine missed are in some window too. A page on which one window ends and
the next begins is cut between them where the questions stand one above the other; else both windows see all of it
and are told which questions are theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
_EARLY = 0.6
"""A window that is filled this far ends where the next question begins a new page."""
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


def question_windows(layout: Layout, understood: Understood, limits: Limits) -> list[Window]:
    """The windows over all pages that print questions, in the order of print."""
    pages = sorted(understood.paper_pages)
    if not pages:
        return []
    units = [unit for unit in _units(understood) if unit.boxes]
    if not units:
        return _by_pages("questions", layout, pages, limits)
    runs = _runs(units, limits)
    windows: list[Window] = []
    for n, run in enumerate(runs):
        before = runs[n - 1][-1] if n else None
        after = runs[n + 1][0] if n + 1 < len(runs) else None
        windows.append(_window(run, before, after, pages, layout))
    return windows


def answer_windows(layout: Layout, understood: Understood, limits: Limits) -> list[Window]:
    """The windows over keys, mark schemes and solutions. Prose overlaps by a page: an answer may run over the break."""
    found: list[Window] = []
    for number, role in enumerate(understood.roles):
        pages = [
            (number, page)
            for page in layout.sources[number].pages
            if role.pages.get(page, role.role) in ("key", "markscheme", "solution")
        ]
        prose = any(role.pages.get(page, role.role) != "key" for _, page in pages)
        found += _by_pages("answers", layout, pages, limits, overlap=1 if prose and limits.pages > 2 else 0)
    return found


def inventory_windows(layout: Layout, understood: Understood, limits: Limits) -> list[Window]:
    """One window over all pages, or as many as their text needs."""
    pages = sorted(layout.pages)
    most = max(limits.pages * 5, 1) if limits.images else limits.pages
    return _packed("inventory", layout, pages, most, limits.layer_chars, overlap=0)


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


def _runs(units: Sequence[_Unit], limits: Limits) -> list[list[_Unit]]:
    """Units packed greedily; a window that is nearly full ends at a page's end."""
    runs: list[list[_Unit]] = [[units[0]]]
    for before, unit in pairwise(units):
        run = runs[-1]
        tokens = sum(one.tokens for one in run) + unit.tokens
        pages = len({page for one in [*run, unit] for page in one.boxes})
        new_page = unit.first > before.last
        full = tokens > limits.copy_tokens or pages > limits.pages
        nearly = tokens > _EARLY * limits.copy_tokens or pages > max(_EARLY * limits.pages, 1)
        if full or (nearly and new_page):
            runs.append([unit])
        else:
            run.append(unit)
    return runs


def _window(
    run: Sequence[_Unit],
    before: _Unit | None,
    after: _Unit | None,
    pages: Sequence[tuple[int, int]],
    layout: Layout,
) -> Window:
    first = before.last if before else pages[0]
    last = max(max(unit.last for unit in run), run[-1].last)
    if after is None:
        last = pages[-1]
    starts = min(unit.first for unit in run)
    slices: list[PageSlice] = []
    shared = False
    for place in pages:
        if not first <= place <= last:
            continue
        height = layout.pages[place].height
        top, bottom = 0.0, height
        if before and place == before.last:
            cut = _cut(place, before, run[0])
            if place < starts and (cut is None or cut >= height - 40):
                continue  # nothing of this window stands on the page on which the one before it ends
            top, shared = (cut or 0.0), shared or cut is None
        if after and place == after.first:
            cut = _cut(place, run[-1], after)
            bottom, shared = (height if cut is None else cut + 2 * _MARGIN), shared or cut is None
        if bottom - top > 2 * _MARGIN:
            slices.append(PageSlice(*place, max(top, 0.0), min(bottom, height), height))
    return Window(
        "questions",
        tuple(slices),
        tuple(unit.question.id for unit in run),
        _first_label(run[0].question),
        _last_label(run[-1].question),
        before.heading if before else None,
        shared,
    )


def _cut(place: tuple[int, int], above: _Unit, below: _Unit) -> float | None:
    """The height at which a page can be cut between two windows; None where their questions stand side by side."""
    upper, lower = above.boxes.get(place), below.boxes.get(place)
    if upper is None:
        return 0.0
    if lower is not None and lower.y0 < upper.y1 - 2:
        return None
    return upper.y1 + _MARGIN / 2


def _first_label(question: DraftQuestion) -> str | None:
    if question.label or not question.children:
        return question.label
    return _first_label(question.children[0])


def _last_label(question: DraftQuestion) -> str | None:
    if question.label or not question.children:
        return question.label
    return _last_label(question.children[-1])


def _by_pages(
    kind: Kind, layout: Layout, pages: Sequence[tuple[int, int]], limits: Limits, overlap: int = 1
) -> list[Window]:
    return _packed(kind, layout, pages, limits.pages, min(limits.layer_chars, 5 * limits.copy_tokens), overlap)


def _packed(
    kind: Kind, layout: Layout, pages: Sequence[tuple[int, int]], most: int, chars: int, overlap: int
) -> list[Window]:
    """Whole pages packed up to `most` pages or `chars` characters; each window begins `overlap` pages earlier."""
    sizes = {place: 0 for place in pages}
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
