"""Figures: drawings and images grouped whole, with their labels and caption, and nothing of the neighbours.

Ink that only dresses text is left out (ink.py), the rest clusters into drawings; short words beside a drawing
are its labels, a numbered caption names it. Option labels are never part of a figure: where pictures are the
options, each stays a figure of its own.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .captions import Label, caption_label
from .draft import Figure
from .grids import Grid
from .ink import (
    Cluster,
    Mark,
    cluster_marks,
    drop_text_dress,
    mark_bonds,
    merge_clusters,
    near,
    page_marks,
    repeated_places,
)
from .ladders import option_ladders
from .lettering import find_unread
from .lines import Reading
from .page import Box, Page, Word
from .phrases import PageBook, Phrase, bounds
from .pixels import DPI, ink_pieces, is_scan, scanned_ink
from .tables import find_tables, place_before, word_keys

Render = Callable[[int, int], Any]
"""(page number, dpi) -> the page as displayed, a grey array of shape (height, width), 0 black."""


@dataclass(eq=False)
class Drawing:
    """A cluster on its way to a figure: its ink, its labels' phrases, its caption; `box` holds all of them."""

    ink: Cluster
    box: Box
    labels: list[Phrase] = field(default_factory=list)
    caption: Phrase | None = None
    label: Label | None = None

    def take(self, phrase: Phrase) -> None:
        self.labels.append(phrase)
        self.box = self.box.union(phrase.box)

    def absorb(self, other: Drawing) -> None:
        self.ink.absorb(other.ink)
        self.labels.extend(other.labels)
        self.box = self.box.union(other.box)


def find_drawn(pages: Sequence[Page], reading: Reading, render: Render | None = None) -> list[Figure]:
    """Figures and tables of one source in one go; see find_figures and find_tables."""
    book = PageBook(reading)
    tables = find_tables(pages, reading, book)
    return [*find_figures(pages, reading, render, tables, book), *tables]


def find_figures(
    pages: Sequence[Page],
    reading: Reading,
    render: Render | None = None,
    tables: Sequence[Figure] | None = None,
    book: PageBook | None = None,
) -> list[Figure]:
    """The figures of one source's pages, page by page, top to bottom; tables are find_tables' business.

    `tables` are the tables found already (found again where None). `render` gives a page's pixels: needed only
    for pages that are scans, whose figures are ink without words, and for pictures that lie over text.
    Figures of kind `formula` are ink that stands in a printed line and that no text holds.
    """
    book = book or PageBook(reading)
    tables = find_tables(pages, reading, book) if tables is None else tables
    repeated = repeated_places(pages)
    found: list[Figure] = []
    for page in pages:
        marks = page_marks(page, repeated)
        if is_scan(page) or any(mark.kind != "horizontal" for mark in marks):
            taken = [table.box for table in tables if table.page == page.number]
            found.extend(_page_figures(page, marks, taken, book, render))
    return _without_stamps(found, pages)


def _page_figures(
    page: Page, marks: list[Mark], tables: Sequence[Box], book: PageBook, render: Render | None
) -> list[Figure]:
    phrases = book.phrases(page.number)
    ink = _ink(page, marks, phrases, book.body(page.number), render)
    drawings = _page_drawings(page, ink, book, tables)
    found = [_figure(page, drawing, phrases) for drawing in drawings]
    if is_scan(page):
        # what OCR left out of a line is a pen's mark as often as print
        return found
    whole = [*tables, *(drawing.box for drawing in drawings)]
    found.extend(_formula(page, box, phrases) for box in find_unread(marks, phrases, whole))
    return found


def _without_stamps(figures: list[Figure], pages: Sequence[Page]) -> list[Figure]:
    """The figures without small boxes that recur in one size and with the same words on several pages: score
    boxes, stamps, page marks."""
    words = {(page.source, page.number): page.words for page in pages}
    seen: dict[tuple[int, int, str], set[int]] = {}

    def shape(figure: Figure) -> tuple[int, int, str]:
        text = " ".join(words[key[:2]][key[2]].text for key in sorted(figure.words))
        return round(figure.box.width), round(figure.box.height), text

    for figure in figures:
        seen.setdefault(shape(figure), set()).add(figure.page)
    return [f for f in figures if f.kind == "formula" or len(seen[shape(f)]) < 3 or f.box.height > 120]


def _formula(page: Page, box: Box, phrases: Sequence[Phrase]) -> Figure:
    return Figure(page.source, page.number, box, "formula", before=place_before(box, phrases, set()))


def _ink(page: Page, marks: list[Mark], phrases: Sequence[Phrase], body: float, render: Render | None) -> list[Mark]:
    """The page's marks. Pictures that lie over text, a scanned page above all, are taken apart into the ink that
    they show beside the words; without `render` they count as dress."""
    scan = is_scan(page)
    hidden = [m for m in marks if m.kind == "picture" and _over_text(m.box, phrases)]
    if not scan and not hidden:
        return marks
    # the strips and tiles that a scan is stored in are no pictures of its own
    marks = [m for m in marks if m.kind != "picture"] if scan else [m for m in marks if m not in hidden]
    if render is None:
        return marks
    gray = render(page.number, DPI)
    words = [word.box for word in page.words]
    if not scan:
        return [*marks, *(piece for m in hidden for piece in ink_pieces(gray, words, m.box))]
    pieces = ink_pieces(gray, words, Box(0, 0, page.width, page.height))
    # a hollow piece around paragraphs is a frame, any other a plot
    pieces = [
        Mark("other", m.box, True) if m.kind == "rectangle" else m
        for m in pieces
        if m.kind != "rectangle" or _running_in(m.box, phrases) < 3
    ]
    return [*marks, *scanned_ink(pieces, body, page.width, page.height)]


def _running_in(box: Box, phrases: Sequence[Phrase]) -> int:
    return sum(1 for p in phrases if p.running and box.contains(p.box.cx, p.box.cy))


def _over_text(box: Box, phrases: Sequence[Phrase]) -> bool:
    """Whether a picture lies on paragraphs or option labels: a figure never does."""
    return any(
        (p.running or p.marker) and box.overlap(p.words[0].box if p.marker else p.box) > 0.5 * p.words[0].box.area
        for p in phrases
    )


def _page_drawings(page: Page, marks: list[Mark], book: PageBook, tables: Sequence[Box]) -> list[Drawing]:
    phrases, body = book.phrases(page.number), book.body(page.number)
    if not marks:
        return []
    grids = [grid for grid in book.grids(page) if not _in_any(grid.box, tables)]
    drawn = [mark for mark in marks if mark.kind in ("other", "picture") or (mark.kind == "rectangle" and mark.filled)]
    frames = [grid for grid in grids if _frames_text(grid, phrases, drawn)]
    marks = [mark for mark in marks if not _in_any(mark.box, tables) and not _on_frame(mark, frames)]
    marks = drop_text_dress(mark_bonds(marks, phrases), phrases)
    fences = _Fences(phrases, frames, marks)
    clusters = [c for c in cluster_marks(marks, 2.0, fences.same_cell) if not _only_rules(c)]
    clusters = merge_clusters(clusters, fences.open_between, 12.0)
    drawings = [Drawing(cluster, cluster.box) for cluster in clusters if _is_drawing(cluster, phrases, body)]
    if is_scan(page):
        drawings = [d for d in drawings if d.box.height > 5 * body and d.box.width > 6 * body]
    _take_labels(drawings, phrases)
    drawings = _merge_overlapping(drawings)
    _take_captions(drawings, phrases)
    return sorted(drawings, key=lambda d: (d.box.y0, d.box.x0))


def _in_any(box: Box, areas: Sequence[Box]) -> bool:
    return any(area.grown(3).contains(box.cx, box.cy) for area in areas)


def _frames_text(grid: Grid, phrases: Sequence[Phrase], drawn: Sequence[Mark]) -> bool:
    """Whether a grid stands around paragraphs or pictures (its rules are a frame), or waits for handwriting.
    `drawn` are the page's curves, pictures and filled areas."""
    box = grid.box
    x0, y0, x1, y1 = box.x0, box.y0, box.x1, box.y1
    inside = [p for p in phrases if p.box.y1 > y0 and p.box.y0 < y1 and box.contains(p.box.cx, p.box.cy)]
    ink: list[Mark] = []
    for mark in drawn:
        at = mark.box
        if at.x1 < x0 or at.x0 > x1 or at.y1 < y0 or at.y0 > y1 or not box.contains(at.cx, at.cy):
            continue
        if mark.kind != "rectangle" or at.area < 0.9 * box.area:
            ink.append(mark)
    if sum(p.running for p in inside) <= 3 and not any(p.marker for p in inside) and _fills(ink, box):
        return False
    if any(p.running or p.marker for p in inside) or not (inside or ink):
        return True
    return bool(inside) and sum(p.box.area for p in inside) > 0.25 * box.area


def _fills(ink: Sequence[Mark], box: Box) -> bool:
    """Whether drawn areas take up much of a panel: a chart with its title inside one frame."""
    return bool(ink) and bounds(mark.box for mark in ink).area > 0.3 * box.area


def _on_frame(mark: Mark, frames: Sequence[Grid]) -> bool:
    if mark.kind in ("other", "picture"):
        return False
    for grid in frames:
        if not near(grid.box, mark.box, 1):
            continue
        if mark.kind == "rectangle" and mark.filled and mark.box.area > 0.5 * grid.box.area:
            return True
        edges = [*((x, True) for x in grid.xs), *((y, False) for y in grid.ys)]
        for at, upright in edges:
            low, high = (mark.box.x0, mark.box.x1) if upright else (mark.box.y0, mark.box.y1)
            if abs(low - at) < 4 or abs(high - at) < 4:
                return True
    return False


def _only_rules(cluster: Cluster) -> bool:
    """Rules alone, or a single empty box: an underline, a separator, an answer line or box."""
    kinds = cluster.kinds
    if kinds["other"] or kinds["picture"]:
        return False
    return kinds["rectangle"] + kinds["horizontal"] + kinds["vertical"] <= 2 or not (
        kinds["rectangle"] or kinds["vertical"]
    )


class _Fences:
    """What two parts of one drawing may not have between them: running text, an option's label, a frame's rule."""

    def __init__(self, phrases: Sequence[Phrase], frames: Sequence[Grid], marks: Sequence[Mark]) -> None:
        self._frames = frames
        self._ladders = option_ladders(phrases, marks)
        self._texts = [
            p.words[0].box if p.marker and not p.running else p.box for p in phrases if p.running or p.marker
        ]
        self._rules = [
            *(Box(v.at, v.start, v.at, v.end) for grid in frames for v in grid.verticals),
            *(Box(h.start, h.at, h.end, h.at) for grid in frames for h in grid.horizontals),
        ]

    def same_cell(self, a: Cluster, b: Cluster) -> bool:
        """Whether both lie in one cell of every frame and beside one option's label: pictures in a grid overlap its
        rules, and options drawn below each other may touch."""
        if any(ladder.step(a.box) != ladder.step(b.box) for ladder in self._ladders):
            return False
        return all(_cell(grid, a.box) == _cell(grid, b.box) for grid in self._frames)

    def open_between(self, a: Cluster, b: Cluster) -> bool:
        if not self.same_cell(a, b):
            return False
        gap = _between(a.box, b.box)
        if any(near(gap, rule, 0) for rule in self._rules):
            return False
        return not any(near(gap, text, -1) for text in self._texts)


def _cell(grid: Grid, box: Box) -> tuple[int, int] | None:
    if not grid.box.contains(box.cx, box.cy):
        return None
    return bisect_right(grid.xs, box.cx), bisect_right(grid.ys, box.cy)


def _between(a: Box, b: Box) -> Box:
    """The space between two boxes: between the facing edges, as wide as what they share."""
    x0, x1 = sorted((max(a.x0, b.x0), min(a.x1, b.x1)))
    y0, y1 = sorted((max(a.y0, b.y0), min(a.y1, b.y1)))
    return Box(x0, y0, x1, y1)


def _is_drawing(cluster: Cluster, phrases: Sequence[Phrase], body: float) -> bool:
    """Big enough, not merely inline in a printed line, not the dress of a paragraph."""
    box = cluster.box
    if min(box.width, box.height) < 8 or max(box.width, box.height) < 18 or box.area < 250:
        return False
    if set(cluster.kinds) == {"picture"} and box.height < 1.8 * body and box.width < 8 * body:
        return False
    inside = [p for p in phrases if box.overlap(p.box) > 0.5 * p.box.area]
    running = sum(box.overlap(p.box) for p in inside if p.running)
    if running > 0.25 * box.area and not cluster.kinds["picture"]:
        return False
    if any(_inline(box, p) for p in phrases):
        return False
    if cluster.kinds["other"] or cluster.kinds["picture"]:
        return True
    return cluster.kinds.total() >= 3 and (cluster.filled >= 2 or len(inside) >= 2)


def _inline(box: Box, phrase: Phrase) -> bool:
    """Whether ink stands in a printed line as a word does: a formula or a blank that is drawn, not set."""
    if not (phrase.running or phrase.marker):
        return False
    gap = max(box.x0 - phrase.box.x1, phrase.box.x0 - box.x1)
    level = box.y0 < phrase.box.cy < box.y1
    if level and gap < phrase.size and box.height < 3.0 * phrase.size:
        return True
    centred = abs(box.cy - phrase.box.cy) < 0.2 * box.height
    small = box.height < 6 * phrase.size and box.width < 8 * phrase.size
    return centred and small and -0.5 * phrase.size < gap < 0.6 * phrase.size


def _take_labels(drawings: Sequence[Drawing], phrases: Sequence[Phrase]) -> None:
    """Give each drawing the short words in it and right beside it, then what continues these labels: words of the
    same font and size beside a label count as beside the drawing."""
    if not drawings:
        return
    around = bounds(drawing.box for drawing in drawings).grown(80)
    free = [p for p in phrases if not p.marker and near(around, p.box, 0) and caption_label(p.text) is None]
    for reach in (0.0, 1.1, 0.6, 0.6):
        rest: list[Phrase] = []
        taken: list[tuple[Drawing, Phrase]] = []
        for phrase in free:
            owner = _owner(drawings, phrase, reach)
            if owner is None:
                rest.append(phrase)
            else:
                taken.append((owner, phrase))
        for owner, phrase in taken:
            owner.take(phrase)
        free = rest


def _owner(drawings: Sequence[Drawing], phrase: Phrase, reach: float) -> Drawing | None:
    """The drawing that a phrase is a label of; `reach` in multiples of its font size, 0 for what lies in the ink."""
    best: tuple[float, Drawing] | None = None
    by = reach * phrase.size
    for drawing in drawings:
        box = drawing.ink.box if reach == 0 else drawing.box
        if not near(box, phrase.box, by):
            continue
        if reach and not near(drawing.ink.box, phrase.box, by) and not _continues_label(drawing, phrase):
            continue
        share = box.overlap(phrase.box) / max(phrase.box.area, 1.0)
        if share > 0.75 or (not phrase.running and (share > 0 or reach > 0)):
            distance = _distance(box, phrase.box)
            if best is None or distance < best[0]:
                best = (distance, drawing)
    return best[1] if best else None


def _continues_label(drawing: Drawing, phrase: Phrase) -> bool:
    font, size = phrase.words[0].font, phrase.size
    return any(label.words[0].font == font and abs(label.size - size) < 0.1 * size for label in drawing.labels)


def _distance(a: Box, b: Box) -> float:
    return max(a.x0 - b.x1, b.x0 - a.x1, 0.0) + max(a.y0 - b.y1, b.y0 - a.y1, 0.0)


def _merge_overlapping(drawings: list[Drawing]) -> list[Drawing]:
    """Drawings that lie over each other, labels included, are one."""
    merged: list[Drawing] = []
    for drawing in drawings:
        current = drawing
        for other in list(merged):
            shared = other.box.overlap(current.box)
            if shared > 0.15 * min(other.box.area, current.box.area):
                merged.remove(other)
                other.absorb(current)
                current = other
        merged.append(current)
    return merged


def _take_captions(drawings: list[Drawing], phrases: Sequence[Phrase]) -> None:
    """Give each numbered caption to the drawing right above it, else right below; parts over one caption join."""
    for phrase in phrases if drawings else ():
        label = caption_label(phrase.text)
        if label is None or label.kind != "figure":
            continue
        above = [d for d in drawings if d.caption is None and _over(d.box, phrase.box)]
        below = [d for d in drawings if d.caption is None and _over(phrase.box, d.box)]
        near_above = min(above, key=lambda d: phrase.box.y0 - d.box.y1, default=None)
        near_below = min(below, key=lambda d: d.box.y0 - phrase.box.y1, default=None)
        chosen = near_above or near_below
        if chosen is not None:
            chosen.caption, chosen.label = phrase, label
            chosen.box = chosen.box.union(phrase.box)


def _over(upper: Box, lower: Box) -> bool:
    """Whether `lower` stands within 36 points below `upper`, or at its foot, sharing its width."""
    gap = lower.y0 - upper.y1
    at_foot = upper.y1 >= lower.cy > upper.y0 + 0.6 * upper.height
    return (-8 <= gap <= 36 or at_foot) and upper.x0 < lower.cx < upper.x1


def _figure(page: Page, drawing: Drawing, phrases: Sequence[Phrase]) -> Figure:
    words: list[Word] = [word for phrase in drawing.labels for word in phrase.words]
    if drawing.caption:
        words.extend(drawing.caption.words)
    return Figure(
        source=page.source,
        page=page.number,
        box=drawing.box,
        kind="figure",
        words=word_keys(page, words),
        caption=drawing.caption.text if drawing.caption else None,
        label=drawing.label.printed if drawing.label else None,
        before=place_before(drawing.box, phrases, {word.index for word in words}),
    )
