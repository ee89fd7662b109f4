"""Matrices and cases: rows of letters behind a tall bracket, as TeX arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from ..page import Word
from ..text import is_cjk

_CLOSING = {"(": ")", "[": "]", "{": "}"}
_OFF = 0.3
"""Share of the font size that a row of a two-row array stands above or below the line at least."""


class BarLike(Protocol):
    @property
    def x0(self) -> float: ...

    @property
    def x1(self) -> float: ...


@dataclass(frozen=True)
class Array:
    """A matrix or cases: its extent and its LaTeX."""

    x0: float
    x1: float
    latex: str


def take_arrays(items: list[Word], bars: Sequence[BarLike], size: float) -> tuple[list[Array], list[Word]]:
    """The arrays that read with certainty, and the words that they did not take.

    An array is a bracket at least 1.8 lines tall with two or more rows behind it that have no bars among them:
    between a pair of brackets with the same number of cells in every row, or behind a brace as two whole rows.
    """
    found: list[Array] = []
    for bracket in [w for w in items if w.text in _CLOSING and w.box.height > 1.8 * size]:
        if bracket not in items:
            continue
        closing = _closing(bracket, items)
        inner = _behind(bracket, closing, items, size)
        if not inner or any(bar.x0 < max(w.box.x1 for w in inner) and bar.x1 > bracket.box.x0 for bar in bars):
            continue
        latex = _latex(bracket, closing, _rows(inner, size), size)
        if latex is None:
            continue
        taken = {id(word) for word in (bracket, *inner, *([closing] if closing else []))}
        right = closing.box.x1 if closing else max(word.box.x1 for word in inner)
        found.append(Array(bracket.box.x0, right, latex))
        items = [word for word in items if id(word) not in taken]
    return found, items


def _closing(bracket: Word, items: Sequence[Word]) -> Word | None:
    wanted = _CLOSING[bracket.text]
    right = [
        w for w in items if w.text == wanted and w.box.x0 > bracket.box.x0 and w.box.height > 0.7 * bracket.box.height
    ]
    return min(right, key=lambda w: w.box.x0, default=None)


def _behind(bracket: Word, closing: Word | None, items: Sequence[Word], size: float) -> list[Word]:
    """The words between the brackets; behind a lone brace those that stand off the line, up to one that does not."""
    right = [w for w in items if w.box.cx > bracket.box.cx and w is not bracket and w is not closing]
    if closing is not None:
        return [w for w in right if w.box.cx < closing.box.cx]
    middle = bracket.box.cy + 0.25 * size
    found: list[Word] = []
    end = bracket.box.x1
    for word in sorted(right, key=lambda w: w.box.x0):
        if abs(word.baseline - middle) < _OFF * size or word.box.x0 > end + 2 * size:
            break
        found.append(word)
        end = max(end, word.box.x1)
    return found


def _rows(words: Sequence[Word], size: float) -> list[list[Word]]:
    """Words by baseline, top to bottom; scripts stay with the row that they hang on."""
    large = [w for w in words if w.size > 0.86 * size]
    baselines: list[float] = []
    for word in sorted(large, key=lambda w: w.baseline):
        if not baselines or word.baseline - baselines[-1] > 0.6 * size:
            baselines.append(word.baseline)
    rows: list[list[Word]] = [[] for _ in baselines]
    for word in words:
        at = min(range(len(baselines)), key=lambda n: abs(baselines[n] - word.baseline), default=None)
        if at is not None:
            rows[at].append(word)
    return [sorted(row, key=lambda w: w.box.x0) for row in rows]


def _latex(bracket: Word, closing: Word | None, rows: Sequence[Sequence[Word]], size: float) -> str | None:
    if len(rows) < 2 or any(word.size < 0.86 * size for row in rows for word in row):
        return None
    if closing is None:
        if bracket.text != "{" or len(rows) != 2:
            return None
        return r"\cases{" + r" \cr ".join(_text(row, size) for row in rows) + "}"
    cells = [_cells(row, size) for row in rows]
    if len({len(row) for row in cells}) != 1:
        return None
    body = r" \cr ".join(" & ".join(_text(cell, size) for cell in row) for row in cells)
    if bracket.text == "(":
        return rf"\pmatrix{{{body}}}"
    left, right = (r"\{", r"\}") if bracket.text == "{" else ("[", "]")
    return rf"\left{left}\matrix{{{body}}}\right{right}"


def _cells(row: Sequence[Word], size: float) -> list[list[Word]]:
    cells: list[list[Word]] = [[row[0]]]
    for before, word in pairwise(row):
        if word.box.x0 - before.box.x1 > 0.7 * size:
            cells.append([])
        cells[-1].append(word)
    return cells


def _text(words: Sequence[Word], size: float) -> str:
    text = ""
    for n, word in enumerate(words):
        apart = n > 0 and word.box.x0 - words[n - 1].box.x1 > 0.12 * size
        piece = word.text.replace("{", r"\{").replace("}", r"\}").replace("&", r"\&").replace("%", r"\%")
        if any(is_cjk(ch) for ch in piece):
            piece = rf"\text{{{piece}}}"
        text += (" " if apart else "") + piece
    return text
