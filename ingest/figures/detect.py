"""Figures: drawings and images grouped whole, with their labels and caption, and nothing of the neighbours.

Ink that only dresses text is left out (ink.py), the rest clusters into drawings; short words beside a drawing
are its labels, a numbered caption names it. Option labels are never part of a figure: where pictures are the
options, each stays a figure of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..draft import Figure
from ..lines import Reading
from ..page import Box, Page, Word
from .drawings import Drawing, merge_overlapping, take_captions, take_labels
from .frames import Fences, frames_text, on_frame
from .ink import (
    Cluster,
    Mark,
    cluster_marks,
    drop_text_dress,
    mark_bonds,
    merge_clusters,
    page_marks,
    repeated_places,
)
from .lettering import find_unread
from .phrases import PageBook, Phrase
from .pixels import DPI, ink_pieces, is_scan, scanned_ink
from .tables import find_tables, place_before, word_keys

Render = Callable[[int, int], Any]
"""(page number, dpi) -> the page as displayed, a grey array of shape (height, width), 0 black."""


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
    frames = [grid for grid in grids if frames_text(grid, phrases, drawn)]
    marks = [mark for mark in marks if not _in_any(mark.box, tables) and not on_frame(mark, frames)]
    marks = drop_text_dress(mark_bonds(marks, phrases), phrases)
    fences = Fences(phrases, frames, marks)
    clusters = [c for c in cluster_marks(marks, 2.0, fences.same_cell) if not _only_rules(c)]
    clusters = merge_clusters(clusters, fences.open_between, 12.0)
    drawings = [Drawing(cluster, cluster.box) for cluster in clusters if _is_drawing(cluster, phrases, body)]
    if is_scan(page):
        drawings = [d for d in drawings if d.box.height > 5 * body and d.box.width > 6 * body]
    take_labels(drawings, phrases)
    drawings = merge_overlapping(drawings)
    take_captions(drawings, phrases)
    return sorted(drawings, key=lambda d: (d.box.y0, d.box.x0))


def _in_any(box: Box, areas: Sequence[Box]) -> bool:
    return any(area.grown(3).contains(box.cx, box.cy) for area in areas)


def _only_rules(cluster: Cluster) -> bool:
    """Rules alone, or a single empty box: an underline, a separator, an answer line or box."""
    kinds = cluster.kinds
    if kinds["other"] or kinds["picture"]:
        return False
    return kinds["rectangle"] + kinds["horizontal"] + kinds["vertical"] <= 2 or not (
        kinds["rectangle"] or kinds["vertical"]
    )


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


def _clear(drawing: Drawing, phrases: Sequence[Phrase]) -> Box:
    """The drawing's box without the feet or heads of the printed lines right above and below it: fonts' boxes are
    higher than their letters. Ink is never cut."""
    box, ink = drawing.box, drawing.ink.box
    top, bottom = box.y0, box.y1
    for phrase in phrases:
        text = phrase.box
        if not phrase.running or text.x1 < box.x0 or text.x0 > box.x1:
            continue
        if text.cy < box.y0 < text.y1:
            top = max(top, min(text.y1, ink.y0))
        elif text.y0 < box.y1 < text.cy:
            bottom = min(bottom, max(text.y0, ink.y1))
    return Box(box.x0, top, box.x1, bottom)


def _figure(page: Page, drawing: Drawing, phrases: Sequence[Phrase]) -> Figure:
    words: list[Word] = [word for phrase in drawing.labels for word in phrase.words]
    if drawing.caption:
        words.extend(drawing.caption.words)
    return Figure(
        source=page.source,
        page=page.number,
        box=_clear(drawing, phrases),
        kind="figure",
        words=word_keys(page, words),
        caption=drawing.caption.text if drawing.caption else None,
        label=drawing.label.printed if drawing.label else None,
        before=place_before(drawing.box, phrases, {word.index for word in words}),
    )
