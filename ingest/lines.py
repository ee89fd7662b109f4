"""The line model: words in reading order, which is what structure, keys and mark schemes are read from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from .page import Box, Word

Furniture = Literal["header", "footer", "page_number", "watermark", "margin"]


@dataclass(frozen=True)
class Line:
    """One printed line within one column. Lists of lines are in reading order.

    `column` counts from 0 within its band; -1 is a full-width line. `band` counts the page's horizontal
    bands from 0. `column_box` is the column's extent: indents are measured from its left edge.
    `words` are in reading order; sub- and superscripts and the parts of a fraction belong to the line
    that they hang on.
    """

    source: int
    page: int
    words: tuple[Word, ...]
    box: Box
    band: int
    column: int
    column_box: Box

    @cached_property
    def text(self) -> str:
        """The words joined: a space where the page has a gap, none between CJK characters."""
        from .text import join_words

        return join_words(self.words)

    @property
    def indent(self) -> float:
        """Points from the column's left edge."""
        return self.box.x0 - self.column_box.x0

    @cached_property
    def size(self) -> float:
        """The font size of most of the line's characters, points."""
        weights: dict[float, int] = {}
        for word in self.words:
            weights[round(word.size, 1)] = weights.get(round(word.size, 1), 0) + len(word.text)
        return max(weights, key=lambda size: (weights[size], size)) if weights else 0.0


@dataclass(frozen=True)
class Reading:
    """The pages of one source read in order: content lines, and the words that are the page's furniture.

    `furniture` maps (page number, word index) to what kind of furniture it is.
    """

    source: int
    lines: tuple[Line, ...]
    furniture: dict[tuple[int, int], Furniture]
