"""Figures from the boxes that a model named, checked against what is drawn on the page.

A box is grown to the whole of the ink that it touches, labels included, and never through running text. A box with no
ink in it is no figure: the layout engine's figure of the same question takes its place, else the question's region as
printed, and a finding says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ...schemas.exam import Region
from ...schemas.findings import Finding, FindingBox, Where
from ..assembly.assemble import Assets
from ..draft import Figure
from ..engine import Layout
from ..figures.ink import page_marks
from ..figures.pixels import is_scan
from ..lines import Line
from ..page import Box, Page
from .entries import PaperFigure

_LEAST_SIDE = 8.0
_LEAST_AREA = 150.0
_MOST_OF_PAGE = 0.85
_TOUCH = 4.0
"""Points between two marks of one drawing."""
_MOVED = 0.5
"""Overlap with the final box (intersection over union) below which a box is said to have been moved."""
_PROSE = 5
"""Words of one line from which it is running text and no label."""


@dataclass
class Pictures:
    """The figures that the exam may show, by their name in the reading. `assets` collects what is used."""

    assets: Assets
    figures: dict[str, Figure] = field(default_factory=dict)

    def asset(self, name: str, owner: str) -> str | None:
        """The asset path of a figure under its owner's name; None where no picture of it is to be had."""
        figure = self.figures.get(name)
        return self.assets.figure(figure, owner) if figure is not None else None


@dataclass(frozen=True)
class Placed:
    """A figure's box after the check. `figure` is None where the box holds nothing that is drawn."""

    figure: Figure | None
    moved: bool = False


def place_figure(seen: PaperFigure, layout: Layout) -> Placed:
    """The box of one figure as the page's ink has it."""
    region = seen.region
    page = layout.pages.get(seen.page) if seen.page else None
    if region is None or page is None:
        return Placed(None)
    box = Box(region.x0, region.y0, region.x1, region.y1)
    if min(box.width, box.height) < _LEAST_SIDE or box.area < _LEAST_AREA:
        return Placed(None)
    if box.area > _MOST_OF_PAGE * page.width * page.height and not page.pictures:
        return Placed(None)
    found = _whole_ink(box, page, layout)
    if found is None:
        return Placed(None)
    return Placed(_figure(seen, page, found), moved=_shared(box, found) < _MOVED)


def fallback_figure(
    seen: PaperFigure, regions: Sequence[Region], layout: Layout, taken: Iterable[Box]
) -> Figure | None:
    """What stands in for a figure without a box: the layout engine's figure nearest to the question on its pages that
    no other figure shows, else the question's first region as printed."""
    used = list(taken)
    for region in regions:
        around = Box(region.x0, region.y0, region.x1, region.y1)
        near = [
            figure
            for figure in layout.figures
            if (figure.source, figure.page) == (region.source, region.page)
            and figure.kind == "figure"
            and figure.box.overlap(around.grown(30.0)) > 0
            and not any(_shared(figure.box, box) > _MOVED for box in used)
        ]
        if near:
            best = min(near, key=lambda f: abs(f.box.cy - around.cy))
            return Figure(best.source, best.page, best.box, "figure", caption=seen.seen.caption)
    if regions:
        first = regions[0]
        box = Box(first.x0, first.y0, first.x1, first.y1)
        return Figure(first.source, first.page, box, "figure", caption=seen.seen.caption)
    return None


def _figure(seen: PaperFigure, page: Page, box: Box) -> Figure:
    return Figure(page.source, page.number, box, "figure", caption=seen.seen.caption)


def _whole_ink(box: Box, page: Page, layout: Layout) -> Box | None:
    """The box of everything drawn that `box` touches; None where nothing is."""
    known = [
        figure.box
        for figure in layout.figures
        if (figure.source, figure.page) == (page.source, page.number)
        and figure.kind != "formula"
        and box.overlap(figure.box) > 0.3 * min(box.area, figure.box.area)
    ]
    prose = [line.box for line in _prose(page, layout, known)]
    if known:
        return _without_text(_union(known), box, prose, page)
    marks = [mark.box for mark in page_marks(page, frozenset()) if mark.box.area < 0.9 * page.width * page.height]
    inside = [mark for mark in marks if _mostly_in(mark, box)]
    if not inside:
        # a scan's ink is in its pixels: the layout engine's figures are all that is known of it
        return _clear_of(box, prose) if is_scan(page) or page.read_by != "layer" else None
    whole = _grown(_union(inside), marks, prose)
    labels = [
        word.box for word in page.words if _mostly_in(word.box, box) and not any(_mostly_in(word.box, p) for p in prose)
    ]
    return _union([whole, *labels])


def _grown(box: Box, marks: Sequence[Box], prose: Sequence[Box]) -> Box:
    """The box with every mark that touches it, step by step, except where that would run into text."""
    changed = True
    left = list(marks)
    while changed:
        changed = False
        for mark in list(left):
            if box.grown(_TOUCH).overlap(mark.grown(0.1)) <= 0:
                continue
            left.remove(mark)
            wider = box.union(mark)
            if wider != box and not any(wider.overlap(line) > 0.2 * line.area for line in prose):
                box, changed = wider, True
    return box


def _without_text(whole: Box, named: Box, prose: Sequence[Box], page: Page) -> Box:
    """The known drawing, with what the model's box adds to it where that is no running text."""
    wider = whole.union(named)
    prose = [line for line in prose if line.overlap(wider.grown(1.0)) > 0]
    marks = [mark.box for mark in page_marks(page, frozenset()) if _mostly_in(mark.box, wider)]
    words = [word.box for word in page.words if _mostly_in(word.box, named)]
    added = [box for box in [*marks, *words] if not any(_mostly_in(box, line) for line in prose)]
    grown = _union([whole, *added])
    return grown if not any(grown.overlap(line) > 0.2 * line.area for line in prose) else whole


def _clear_of(box: Box, prose: Sequence[Box]) -> Box:
    """The box with its upper and lower edges drawn back from lines of text that they cut."""
    y0, y1 = box.y0, box.y1
    for line in prose:
        if line.x1 <= box.x0 or line.x0 >= box.x1:
            continue
        if line.y0 < y0 < line.y1:
            y0 = line.y1
        if line.y0 < y1 < line.y1:
            y1 = line.y0
    return Box(box.x0, y0, box.x1, y1) if y1 - y0 > _LEAST_SIDE else box


def _prose(page: Page, layout: Layout, figures: Sequence[Box]) -> list[Line]:
    """The page's lines of running text: not those inside a known drawing."""
    reading = next((r for r in layout.readings if r.source == page.source), None)
    return [
        line
        for line in (reading.lines if reading else ())
        if line.page == page.number
        and (len(line.words) >= _PROSE or len(line.text) > 30)
        and not any(_mostly_in(line.box, box) for box in figures)
    ]


def _mostly_in(small: Box, large: Box) -> bool:
    grown = small.grown(0.2)  # a line without a height has no area
    return grown.overlap(large) > 0.5 * grown.area


def _union(boxes: Sequence[Box]) -> Box:
    box = boxes[0]
    for other in boxes[1:]:
        box = box.union(other)
    return box


def _shared(a: Box, b: Box) -> float:
    """Intersection over union."""
    overlap = a.overlap(b)
    return overlap / max(a.area + b.area - overlap, 1e-9)


def place_all(
    seen: Mapping[str, PaperFigure], layout: Layout, assets: Assets
) -> tuple[Pictures, list[str], list[Finding]]:
    """Every figure placed; the names of those whose box held nothing, and what is said of moved ones."""
    pictures = Pictures(assets)
    doubtful: list[str] = []
    findings: list[Finding] = []
    for name, figure in seen.items():
        placed = place_figure(figure, layout)
        if placed.figure is None:
            doubtful.append(name)
            continue
        pictures.figures[name] = placed.figure
        if placed.moved:
            findings.append(_moved(figure, placed.figure))
    return pictures, doubtful, findings


def stand_in(
    names: Sequence[str],
    seen: Mapping[str, PaperFigure],
    regions: Mapping[str, Sequence[Region]],
    layout: Layout,
    pictures: Pictures,
) -> list[Finding]:
    """Give each of the named figures what stands in for it, and say so. `regions` are those of the question that
    shows it."""
    findings: list[Finding] = []
    for name in names:
        taken = [figure.box for figure in pictures.figures.values()]
        figure = fallback_figure(seen[name], regions.get(name, ()), layout, taken)
        if figure is not None:
            pictures.figures[name] = figure
        findings.append(_fallen_back(seen[name], figure))
    return findings


def _moved(seen: PaperFigure, figure: Figure) -> Finding:
    return Finding(
        code="figure.box_moved",
        severity="info",
        where=_where(figure),
        message=f"The model's box for the figure “{_said(seen)}” did not fit the drawing; it was set to the whole of "
        "the ink there.",
    )


def _fallen_back(seen: PaperFigure, figure: Figure | None) -> Finding:
    where = _where(figure) if figure else Where()
    what = "the region of its question is shown instead" if figure else "it is left out"
    return Finding(
        code="figure.no_ink",
        severity="warning",
        where=where,
        message=f"Nothing is drawn where the model saw the figure “{_said(seen)}”: {what}.",
        hint="Look at the question's snapshot.",
    )


def _said(seen: PaperFigure) -> str:
    return (seen.seen.caption or seen.seen.description)[:60]


def _where(figure: Figure) -> Where:
    box = figure.box
    shown = FindingBox(x0=box.x0, y0=box.y0, x1=box.x1, y1=box.y1)
    return Where(source=figure.source, page=figure.page, box=shown)
