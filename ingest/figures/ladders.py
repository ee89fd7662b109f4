"""Ladders of options: labels below each other with drawings beside them, one for each."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..page import Box
from .ink import Mark
from .phrases import Phrase

_REACH = 40.0
"""How far right of its label an option's drawing begins, points."""


@dataclass(frozen=True)
class Ladder:
    """Option labels at one indent. `cuts` are the heights where one option's drawing ends and the next begins."""

    left: float
    top: float
    bottom: float
    right: float
    cuts: tuple[float, ...]

    def step(self, box: Box) -> int | None:
        """Which option a box is beside, from 0; None where it is not beside the ladder."""
        if not (self.left <= box.cx <= self.right and self.top <= box.cy <= self.bottom):
            return None
        return bisect_right(self.cuts, box.cy)


def option_ladders(phrases: Sequence[Phrase], marks: Sequence[Mark]) -> list[Ladder]:
    """The ladders of one page whose options are drawn: three or more lone labels at one indent, with ink beside."""
    columns: dict[int, list[Phrase]] = {}
    for phrase in phrases:
        if phrase.marker and len(phrase.text.replace(" ", "")) <= 4:
            columns.setdefault(round(phrase.box.x0 / 8), []).append(phrase)
    found: list[Ladder] = []
    for column in columns.values():
        for labels in _runs(sorted(column, key=lambda phrase: phrase.box.y0)):
            ladder = _ladder(labels, marks)
            if ladder is not None:
                found.append(ladder)
    return found


def _runs(column: Sequence[Phrase]) -> list[list[Phrase]]:
    """Labels that count up, at least three; a label that is not later than the one above begins anew."""
    runs: list[list[Phrase]] = []
    for phrase in column:
        if runs and runs[-1][-1].text < phrase.text:
            runs[-1].append(phrase)
        else:
            runs.append([phrase])
    return [run for run in runs if len(run) >= 3]


def _ladder(run: Sequence[Phrase], marks: Sequence[Mark]) -> Ladder | None:
    labels = [phrase.words[0].box for phrase in run]
    left, right = max(box.x1 for box in labels) - 2, max(phrase.line.column_box.x1 for phrase in run)
    step = min(b.y0 - a.y0 for a, b in pairwise(labels))
    top, bottom = labels[0].y0 - 0.6 * step, labels[-1].y1 + step
    beside = [m.box for m in marks if top <= m.box.cy <= bottom and left <= m.box.x0 <= right]
    if step < 1.5 * labels[0].height or not any(box.x0 < left + _REACH for box in beside):
        return None
    middles = tuple((a.cy + b.cy) / 2 for a, b in pairwise(labels))
    heads = tuple(b.y0 - 2 for b in labels[1:])
    cuts = min((middles, heads), key=lambda cuts: _cut_through(cuts, beside))
    return Ladder(left, top, bottom, right, cuts)


def _cut_through(cuts: Sequence[float], boxes: Sequence[Box]) -> int:
    return sum(1 for box in boxes for y in cuts if box.y0 + 1 < y < box.y1 - 1)
