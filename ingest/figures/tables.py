"""Tables: ruled grids that hold data, read as a header and rows where that is certain.

A grid is no table where it only frames text (a boxed passage), waits for handwriting (an answer grid), or
holds pictures. What is a table but does not read cleanly keeps its box and words, without rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from ..draft import Figure, WordKey
from ..formulas.linearise import LineReader
from ..lines import Reading
from ..page import Box, Page, Word
from ..text import is_cjk
from .captions import Label, caption_label
from .grids import Grid
from .phrases import PageBook, Phrase, bounds
from .ruled_lists import find_ruled_lists


@dataclass(eq=False)
class Cells:
    """A grid's cells with their words. `regions[row][column]` numbers the (possibly merged) cell there."""

    grid: Grid
    regions: list[list[int]]
    words: dict[int, list[Word]]
    rows_of: Mapping[int, int]
    """Word index -> the place of its printed line."""
    reader: LineReader
    crossing: int = 0

    @property
    def rows(self) -> int:
        return len(self.regions)

    @property
    def columns(self) -> int:
        return len(self.regions[0])

    def text(self, region: int) -> str:
        return cell_text(self.words.get(region, []), self)

    def right(self, word: Word) -> float:
        """The right edge of the cell that a word stands in."""
        at = _slot(self.grid.xs, word.box.cx)
        return next((x for x in self.grid.xs[at + 1 : -1] if self.grid.has_vertical(x, word.box.cy)), self.grid.xs[-1])


def find_tables(pages: Sequence[Page], reading: Reading, book: PageBook | None = None) -> list[Figure]:
    """The data tables of one source's pages, in page order.

    `rows` and `header` are set where every word lies in one cell and the cells form rows and columns; a cell
    that spans several rows or columns is printed once, in its first. Cells are Markdown (`|` escaped).
    """
    book = book or PageBook(reading)
    return [table for page in pages for table in _page_tables(page, book)]


def _page_tables(page: Page, book: PageBook) -> list[Figure]:
    grids = [grid for grid in book.grids(page) if len(grid.xs) + len(grid.ys) > 4]
    lists = find_ruled_lists(book.rules(page)[0], book.lines(page.number), [grid.box for grid in book.grids(page)])
    if not grids and not lists:
        return []
    phrases = book.phrases(page.number)
    words = [word for _, line in book.lines(page.number) for word in line.words]
    rows = {word.index: place for place, line in book.lines(page.number) for word in line.words}
    reader = LineReader(page.strokes)
    found: list[Figure] = []
    for grid in grids:
        cells = read_cells(grid, words, rows, reader)
        if is_data(cells, page, phrases):
            found.append(_table(cells, page, phrases))
    for box, header, body, inside in lists:
        found.append(_figure(page, box, inside, phrases, header, body))
    return found


def read_cells(grid: Grid, words: Sequence[Word], rows_of: Mapping[int, int], reader: LineReader) -> Cells:
    """The grid's cells, merged where no rule stands between them, and the words by cell, in reading order.

    `rows_of` gives the place of each word's printed line by the word's index.
    """
    rows, columns = len(grid.ys) - 1, len(grid.xs) - 1
    regions = _regions(grid, rows, columns)
    cells = Cells(grid, regions, {}, rows_of, reader)
    box = grid.box
    left, top, right, bottom = box.x0 - 1, box.y0 - 1, box.x1 + 1, box.y1 + 1
    for word in words:
        at = word.box
        if at.y1 < top or at.y0 > bottom or not (left <= at.cx <= right and top <= at.cy <= bottom):
            continue
        row, column = _slot(grid.ys, word.box.cy), _slot(grid.xs, word.box.cx)
        cells.words.setdefault(regions[row][column], []).append(word)
        cells.crossing += _crosses(grid, word)
    return cells


def _slot(edges: Sequence[float], at: float) -> int:
    for n in range(len(edges) - 2, 0, -1):
        if at >= edges[n]:
            return n
    return 0


def _crosses(grid: Grid, word: Word) -> bool:
    inner = 0.3 * min(word.box.width, word.size)
    return any(
        word.box.x0 + inner < x < word.box.x1 - inner and grid.has_vertical(x, word.box.cy) for x in grid.xs[1:-1]
    )


def _regions(grid: Grid, rows: int, columns: int) -> list[list[int]]:
    parent = list(range(rows * columns))

    def root(i: int) -> int:
        while parent[i] != i:
            i = parent[i]
        return i

    for r in range(rows):
        y = (grid.ys[r] + grid.ys[r + 1]) / 2
        for c in range(columns):
            x = (grid.xs[c] + grid.xs[c + 1]) / 2
            here = r * columns + c
            if c + 1 < columns and not grid.has_vertical(grid.xs[c + 1], y):
                parent[max(root(here), root(here + 1))] = min(root(here), root(here + 1))
            if r + 1 < rows and not grid.has_horizontal(grid.ys[r + 1], x):
                below = here + columns
                parent[max(root(here), root(below))] = min(root(here), root(below))
    return [[root(r * columns + c) for c in range(columns)] for r in range(rows)]


def is_data(cells: Cells, page: Page, phrases: Sequence[Phrase]) -> bool:
    """Whether a grid is a table of data: words in several rows and columns, short cells, no drawing in it."""
    filled = {region for region, words in cells.words.items() if words}
    rows = [row for row in cells.regions if filled.intersection(row)]
    columns = [c for c in range(cells.columns) if any(row[c] in filled for row in cells.regions)]
    if cells.rows == 1 or len(cells.regions) == 1:
        return (
            len(filled) >= 4
            and len(filled) >= 0.6 * cells.columns
            and _weight(cells) <= 12
            and not _drawn_in(cells, page)
        )
    if len(filled) < 3 or len(rows) < 2 or len(columns) < 2 or _weight(cells) > 150:
        return False
    if len(filled) < 0.3 * len({region for row in cells.regions for region in row}) and len(rows) < 3:
        return False
    box = cells.grid.box
    markers = sum(1 for p in phrases if p.marker and box.contains(p.box.cx, p.box.cy) and _is_option_row(p))
    return markers < 3 and not _drawn_in(cells, page)


def _is_option_row(phrase: Phrase) -> bool:
    return not phrase.text[:1].isdigit()


def _weight(cells: Cells) -> float:
    """Letters of an average cell; a CJK character counts for two."""
    weights = [
        sum(2 if is_cjk(ch) else 1 for word in words for ch in word.text) for words in cells.words.values() if words
    ]
    return sum(weights) / len(weights) if weights else 0.0


def _drawn_in(cells: Cells, page: Page) -> bool:
    """Whether the grid holds a picture or a drawing: then it is a frame or a chart, not a table."""
    box = cells.grid.box
    pictures = sum(
        1 for p in page.pictures if box.contains(p.box.cx, p.box.cy) and p.box.height > 24 and p.box.width > 24
    )
    if pictures:
        return True
    strokes = [
        s
        for s in page.strokes
        if s.kind == "other" and box.contains(s.box.cx, s.box.cy) and s.box.area < 0.9 * box.area
    ]
    large = [s for s in strokes if max(s.box.width, s.box.height) > 30]
    return len(large) >= 2 or len(strokes) > 12 + 2 * cells.rows * cells.columns


def _table(cells: Cells, page: Page, phrases: Sequence[Phrase]) -> Figure:
    inside = [word for words in cells.words.values() for word in words]
    header, rows = (None, None) if not _reads_cleanly(cells, inside) else read_rows(cells)
    figure = _figure(page, cells.grid.box, inside, phrases, header, rows)
    figure.also_picture = rows is not None and any(not word.readable for word in inside)
    return figure


def _reads_cleanly(cells: Cells, inside: Sequence[Word]) -> bool:
    regions = {region for row in cells.regions for region in row}
    if cells.crossing or any(word.angle for word in inside) or len(regions) < 0.4 * cells.rows * cells.columns:
        return False
    if sum(not word.readable for word in inside) > 0.5 * len(inside):
        return False
    return all(_is_rectangle(cells.regions, region) for region in regions)


def _is_rectangle(regions: Sequence[Sequence[int]], region: int) -> bool:
    places = [(r, c) for r, row in enumerate(regions) for c, here in enumerate(row) if here == region]
    height = max(r for r, _ in places) - min(r for r, _ in places) + 1
    width = max(c for _, c in places) - min(c for _, c in places) + 1
    return height * width == len(places)


def read_rows(cells: Cells) -> tuple[tuple[str, ...] | None, tuple[tuple[str, ...], ...]]:
    """Header and rows; columns without any word of their own (slivers between double rules) are left out."""
    printed: set[int] = set()
    rows: list[tuple[str, ...]] = []
    for row in cells.regions:
        texts = []
        for region in row:
            texts.append("" if region in printed else cells.text(region))
            printed.add(region)
        rows.append(tuple(texts))
    keep = [c for c in range(cells.columns) if _own_column(cells, c)]
    rows = [tuple(row[c] for c in keep) for row in rows]
    if len(rows) < 2 or not _is_header(rows[0]):
        return None, tuple(rows)
    return rows[0], tuple(rows[1:])


def _own_column(cells: Cells, column: int) -> bool:
    return cells.grid.xs[column + 1] - cells.grid.xs[column] > 6 or any(
        cells.words.get(row[column]) for row in cells.regions
    )


def _is_header(row: Sequence[str]) -> bool:
    return all(row[1:]) and len(row) > 1


def cell_text(words: Sequence[Word], cells: Cells) -> str:
    """A cell's words as one Markdown text. Printed lines are joined as prose is; a break that was meant, because
    the next line's first word would have fitted, is kept (`<br>`)."""
    text = ""
    above: list[Word] = []
    for _, group in groupby(words, key=lambda word: cells.rows_of.get(word.index, -1)):
        row = [word for word in group if word.readable]
        piece = cells.reader.read(row).text.strip()
        if not piece:
            continue
        if text and _meant_break(above[-1], row[0], cells):
            text += "<br>"
        elif text:
            text += "" if is_cjk(text[-1]) and is_cjk(piece[0]) else " "
        text += piece
        above = row
    return text.replace("|", "\\|").strip()


def _meant_break(last: Word, first: Word, cells: Cells) -> bool:
    room = cells.right(last) - last.box.x1
    width = first.size if is_cjk(first.text[0]) else first.box.width
    # a space and the cell's padding
    return room > width + 1.0 * last.size


def _figure(
    page: Page,
    box: Box,
    inside: Sequence[Word],
    phrases: Sequence[Phrase],
    header: tuple[str, ...] | None,
    rows: tuple[tuple[str, ...], ...] | None,
) -> Figure:
    caption, label = table_caption(box, phrases)
    words = [*inside, *(caption.words if caption else ())]
    whole = bounds([box, *(word.box for word in words)])
    return Figure(
        source=page.source,
        page=page.number,
        box=whole,
        kind="table",
        words=word_keys(page, words),
        caption=caption.text if caption else None,
        label=label.printed if label else None,
        header=header,
        rows=rows,
        before=place_before(whole, phrases, {word.index for word in words}),
    )


def table_caption(box: Box, phrases: Sequence[Phrase]) -> tuple[Phrase | None, Label | None]:
    """The caption right above a table, or else right below it."""
    best: tuple[float, Phrase, Label] | None = None
    for phrase in phrases:
        above, below = box.y0 - phrase.box.y1, phrase.box.y0 - box.y1
        distance = above if above > -4 else below + 12
        if not (-4 < above < 2.2 * phrase.size or -4 < below < 1.6 * phrase.size):
            continue
        if phrase.box.x1 < box.x0 or phrase.box.x0 > box.x1:
            continue
        label = caption_label(phrase.text)
        if label is not None and label.kind == "table" and (best is None or distance < best[0]):
            best = (distance, phrase, label)
    return (best[1], best[2]) if best else (None, None)


def word_keys(page: Page, words: Sequence[Word]) -> frozenset[WordKey]:
    return frozenset((page.source, page.number, word.index) for word in words)


def place_before(box: Box, phrases: Sequence[Phrase], own: set[int]) -> int:
    """How many lines of the reading order come before a figure with this box: the lines of its column that
    begin above its middle, or above its top where they share its height on the left."""
    if not phrases:
        return 0
    column = [p for p in phrases if p.line.column_box.x0 - 6 <= box.cx <= p.line.column_box.x1 + 6]
    others = [p for p in (column or phrases) if not all(word.index in own for word in p.words)]
    above = [p for p in others if p.box.cy < box.y0 or (p.box.x1 <= box.x0 + 2 and p.box.y0 < box.y0 + 2)]
    if above:
        return max(p.place for p in above) + 1
    below = [p.place for p in others if p.box.cy >= box.y0]
    return min(below) if below else min(p.place for p in phrases)
