"""Question types: from options and gaps, from the section's directions, from the question's own wording.

The order of trust: what is printed (options, gaps, cells, tables to tick), then the section's directions,
then the question's words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..draft import DraftPaper, DraftQuestion, DraftSection
from ..lines import Line
from ..page import Page
from . import wording
from .blanks import count_gaps, grid_cells, set_blanks
from .true_false import split_statements

_LONG_ANSWER_POINTS = 20.0


def assign_types(paper: DraftPaper, pages: Mapping[tuple[int, int], Page]) -> None:
    """Set `type`, `choose` and `blanks` of every question."""
    for section in paper.sections:
        directions = _joined([*section.title, *section.instructions])
        for question in section.questions:
            _assign(question, directions, "", pages, section)


def _assign(
    question: DraftQuestion, directions: str, shared: str, pages: Mapping[tuple[int, int], Page], section: DraftSection
) -> None:
    split_statements(question, pages)
    if question.children:
        question.type = "composite"
        announced = _joined(question.stem[:3]) if question.group else ""
        statements = wording.asks_true_or_false(_joined(question.stem[:3]))
        for child in question.children:
            if statements and not child.children and not child.options:
                child.type = "true_false"
            _assign(child, directions, announced, pages, section)
        return
    if question.type is None:
        question.type = "single_choice"
        _decide(question, directions, shared, pages)
    if question.type == "fill_in_blank":
        set_blanks(question, pages)


def _decide(question: DraftQuestion, directions: str, shared: str, pages: Mapping[tuple[int, int], Page]) -> None:
    text = _joined(question.stem)
    if question.matching is not None:
        question.type = "matching"
        return
    if len(question.options) >= 2:
        _decide_choice(question, text, directions, shared)
        return
    question.options = []
    if question.prompt_blank or question.blanks or grid_cells(question):
        question.type = "fill_in_blank"
    elif any(wording.asks_true_or_false(words) for words in (text[:50], directions[:80], shared)):
        question.type = "true_false"
    elif wording.wants_drawing(text if len(text) < 1200 else f"{text[:250]} {text[-250:]}"):
        question.type = "drawing"
    elif _is_fill_in(question, text, directions, shared, pages):
        question.type = "fill_in_blank"
    else:
        question.type = "essay" if wording.wants_essay(text) or wording.directs_essay(directions) else "short_answer"


def _is_fill_in(
    question: DraftQuestion, text: str, directions: str, shared: str, pages: Mapping[tuple[int, int], Page]
) -> bool:
    if wording.directs_essay(directions[:200]) or wording.wants_essay(text[:200]):
        return False
    if wording.wants_filling(text) or wording.wants_filling(directions[:60]):
        return True
    return count_gaps(question, pages) > 0 and not _asks_openly(text)


def _asks_openly(text: str) -> bool:
    """Whether the gap is room for the answer to a question rather than a hole in a sentence."""
    stripped = text.rstrip(" _＿.…\n\t")
    return stripped.endswith(("?", "？", ":", "：")) or "?" in text or "？" in text


def _decide_choice(question: DraftQuestion, text: str, directions: str, shared: str) -> None:
    texts = [" ".join(line.text for line in option.lines) for option in question.options]
    if len(texts) == 2 and wording.true_false_pair(texts):
        question.type = "true_false"
        return
    question.choose = wording.demanded(text) or wording.demanded(shared)
    if wording.wants_one(text):
        several = False
    elif question.choose or wording.wants_several(text):
        several = True
    else:
        several = _section_wants_several(directions, text) or wording.wants_several(shared)
        several = several or (wording.names_several(text) and not wording.combines(texts))
    question.type = "multiple_choice" if several else "single_choice"


def _section_wants_several(directions: str, text: str) -> bool:
    """What the directions say; where they announce both kinds, the question's `哪些` decides."""
    if not wording.wants_several(directions):
        return False
    return not wording.wants_one(directions) or wording.asks_which_ones(text)


def _joined(lines: Sequence[Line]) -> str:
    return "\n".join(line.text for line in lines)
