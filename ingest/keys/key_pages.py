"""One page read as a key: its grids and lists, and how much of the page they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..lines import Line
from ..page import Page
from .key_cells import LEADER, Cell, digit_share, page_cells
from .key_grid import Track, read_grid
from .key_list import read_list
from .key_table import TableRow, read_table

_LABELS = 0.12
"""Least share of numbers among the words of a page that is a key: one cell of two is a label."""
_WORDS = 8000
"""A page with more words than this is no key, and would take long."""
_ANSWER_WORDS = frozenset(
    [
        "answer",
        "answers",
        "key",
        "antwort",
        "lösung",
        "réponse",
        "respuesta",
        "resposta",
        "gabarito",
        "risposta",
        "svar",
        "ответ",
        "答案",
        "解答",
        "正解",
        "정답",
    ]
)
_LABEL_WORDS = frozenset(
    [
        "question",
        "questions",
        "q",
        "no",
        "nr",
        "item",
        "aufgabe",
        "frage",
        "pregunta",
        "questão",
        "domanda",
        "uppgift",
        "вопрос",
        "題號",
        "题号",
        "問",
        "設問",
        "문항",
        "번호",
    ]
)


@dataclass(frozen=True)
class PageKey:
    """The tracks of a page. `pairs` counts label-value pairs, `share` (0..1) is their part of the page's cells."""

    page: int
    tracks: tuple[Track, ...] = ()
    cells: tuple[Cell, ...] = ()
    left: tuple[Line, ...] = ()
    """The page's lines that belong to no track."""
    pairs: int = 0
    share: float = 0.0
    rows: tuple[TableRow, ...] = ()
    """The rows of a table with heads, where it holds more than the grids and lists found."""

    @property
    def mostly_key(self) -> bool:
        """Whether the pairs are most of what the page prints, not a table in running text."""
        return self.pairs >= 3 and (self.share >= 0.35 or (self.pairs >= 15 and self.share >= 0.2))


def read_page(page: Page, lines: Sequence[Line], before: TableRow | None = None) -> PageKey:
    """The key on a page, from its words' geometry and, for running lists, from its lines.

    `before`: the last table row of the page before.
    """
    if not 4 <= len(page.words) <= _WORDS or (digit_share(page.words) < _LABELS and not _has_heads(page)):
        return PageKey(page.number, left=tuple(lines))
    cells = page_cells(page)
    tracks = read_grid(cells, page.strokes)
    for track in tracks:
        track.page = page.number
    used = {w.index for t in tracks for p in t.pairs for c in (*p.cells, *t.labels) for w in c.words}
    free = [n for n in lines if not _within(n, used)]
    lists = read_list(free)
    listed = {w.index for t in lists for p in t.pairs for c in p.cells for w in c.words}
    left = [n for n in free if not any(w.index in listed for w in n.words)]
    both = [*tracks, *lists]
    filled = sum(bool(p.value) for t in both for p in t.pairs)
    rows = read_table(cells, page.strokes, before)
    if len(rows) > filled or (rows and not both):
        return _as_table(page, lines, cells, rows)
    parts = filled + sum(len(t.pairs) for t in both)
    share = min(1.0, parts / max(len(cells), 1))
    return PageKey(page.number, tuple(both), tuple(cells), tuple(left), filled, share)


def may_be_key(page: Page) -> bool:
    """Whether enough of the page's words are numbers for most of it to be a key; quick, before it is read."""
    return len(page.words) <= _WORDS and digit_share(page.words) >= _LABELS


def _has_heads(page: Page) -> bool:
    """Whether the page holds words that head the columns of a mark scheme's table."""
    words = {w.text.casefold().strip(".:：") for w in page.words if len(w.text) <= 12}
    return bool(words & _ANSWER_WORDS) and bool(words & _LABEL_WORDS)


def _as_table(page: Page, lines: Sequence[Line], cells: Sequence[Cell], rows: Sequence[TableRow]) -> PageKey:
    used = {w.index for row in rows for c in row.cells for w in c.words}
    left = [line for line in lines if not _within(line, used)]
    share = len(used) / max(len({w.index for c in cells for w in c.words}), 1)
    return PageKey(page.number, (), tuple(cells), tuple(left), len(rows), share, tuple(rows))


def _within(line: Line, used: set[int]) -> bool:
    """Whether most of the line's words (dot leaders apart) are in `used`."""
    words = [w for w in line.words if not LEADER.match(w.text)]
    return sum(w.index in used for w in words) * 2 > len(words)
