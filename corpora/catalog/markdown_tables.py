"""Tables as trees, and TEDS: how alike two tables are.

TEDS (Zhong et al. 2020, PubTabNet): 1 - tree edit distance / the larger number of nodes. Changing a node costs 1 where
tag, colspan or rowspan differ, else the normalised edit distance of the cells' texts; without texts it is TEDS-S.
As in OmniDocBench a header cell is a cell, and thead, tbody and formatting are no nodes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from html.parser import HTMLParser

import numpy as np
from rapidfuzz.distance import Levenshtein

from .tree_distance import Floats, Tree, tree_distance

MAX_CELLS = 2_000
MAX_SPAN = 1_000


@dataclass(frozen=True, slots=True)
class Cell:
    """A node of a table: `tag` table, tr or td."""

    tag: str
    text: str = ""
    colspan: int = 1
    rowspan: int = 1


class TooManyCells(ValueError):
    """A table of more than MAX_CELLS cells: its distance would take minutes."""


class _Reader(HTMLParser):
    """The first table of a text. A table in a cell is text of that cell."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: list[list[Cell]] = []
        self.depth = 0
        self.cells = 0
        self.text: list[str] | None = None
        self.spans = (1, 1)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.depth += 1
        if self.depth != 1:
            return
        if tag == "tr":
            self._close_cell()
            self.rows.append([])
        elif tag in ("td", "th"):
            self._close_cell()
            given = dict(attrs)
            self.spans = (_span(given.get("colspan")), _span(given.get("rowspan")))
            self.text = []
        elif tag == "br" and self.text is not None:
            self.text.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if self.depth == 1 and tag in ("td", "th", "tr", "table"):
            self._close_cell()
        if tag == "table":
            self.depth -= 1

    def handle_data(self, data: str) -> None:
        if self.text is not None:
            self.text.append(data)

    def close(self) -> None:
        super().close()
        self._close_cell()

    def _close_cell(self) -> None:
        if self.text is None:
            return
        self.cells += 1
        if self.cells > MAX_CELLS:
            raise TooManyCells(f"a table has more than {MAX_CELLS:,} cells")
        if not self.rows:
            self.rows.append([])
        text = re.sub(r"\s+", " ", "".join(self.text)).strip()
        self.rows[-1].append(Cell("td", text, *self.spans))
        self.text = None


def _span(value: str | None) -> int:
    return min(int(value), MAX_SPAN) if value and value.isascii() and value.isdigit() and len(value) < 6 else 1


def table_tree(html: str) -> Tree[Cell]:
    """The first table of an HTML text as a tree of rows and cells. Raises TooManyCells."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    rows = [Tree(Cell("tr"), [Tree(cell) for cell in row]) for row in reader.rows]
    return Tree(Cell("table"), rows)


def html_of_pipes(lines: Sequence[str]) -> str:
    """A Markdown pipe table (header, line of dashes, rows) as HTML."""
    rows = [_pipe_cells(line) for n, line in enumerate(lines) if n != 1]
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table>{body}</table>"


def _pipe_cells(line: str) -> list[str]:
    body = line.strip().removeprefix("|")
    body = body[:-1] if body.endswith("|") and not body.endswith("\\|") else body
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", body)]


def _changes(structure_only: bool) -> object:
    def change(first: Sequence[Cell], second: Sequence[Cell]) -> Floats:
        shapes = sorted({(cell.tag, cell.colspan, cell.rowspan) for cell in (*first, *second)})
        numbers = {shape: place for place, shape in enumerate(shapes)}
        ours, theirs = (
            np.array([numbers[(cell.tag, cell.colspan, cell.rowspan)] for cell in cells]) for cells in (first, second)
        )
        cost = (ours[:, None] != theirs[None]).astype(float)
        if not structure_only:
            alike = cost == 0
            texts = np.zeros((len(first), len(second)))
            memo: dict[tuple[str, str], float] = {}
            for row, column in zip(*np.nonzero(alike), strict=True):
                pair = first[row].text, second[column].text
                if pair not in memo:
                    memo[pair] = Levenshtein.normalized_distance(*pair)
                texts[row, column] = memo[pair]
            cost = np.where(alike, texts, cost)
        return cost

    return change


def teds(predicted: str, true: str) -> tuple[float, float]:
    """(TEDS, TEDS-S) of two HTML tables, 0 to 1. Two texts without a table are alike. Raises TooManyCells."""
    ours, theirs = table_tree(predicted), table_tree(true)
    return _similarity(ours, theirs, False), _similarity(ours, theirs, True)


def _similarity(ours: Tree[Cell], theirs: Tree[Cell], structure_only: bool) -> float:
    nodes = max(ours.size(), theirs.size()) - 1
    if nodes == 0 or _shape(ours, structure_only) == _shape(theirs, structure_only):
        return 1.0
    return max(0.0, 1 - tree_distance(ours, theirs, _changes(structure_only)) / nodes)  # type: ignore[arg-type]


def _shape(tree: Tree[Cell], structure_only: bool) -> list[list[tuple[int, int, str]]]:
    """Spans and texts of a table's cells, row by row; without the texts where only the structure counts."""
    rows = [[cell.label for cell in row.children] for row in tree.children]
    return [[(cell.colspan, cell.rowspan, "" if structure_only else cell.text) for cell in row] for row in rows]
