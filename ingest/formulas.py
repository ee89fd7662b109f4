"""Formulas in printed lines: read as text where that is certain, or said not to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .draft import DraftQuestion
from .page import Page, Stroke, Word
from .text import join_words


def linearise(words: Sequence[Word], strokes: Sequence[Stroke] = ()) -> str:
    """One printed line as Markdown text."""
    return join_words(words)


def needs_snapshot(question: DraftQuestion, pages: Mapping[tuple[int, int], Page]) -> bool:
    """Whether a formula of the question (stem or options) does not read as text."""
    lines = [*question.stem, *(line for option in question.options for line in option.lines)]
    return any(not word.readable for line in lines for word in line.words)
