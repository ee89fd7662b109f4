"""What the structure leaves in doubt, said as findings: gaps in numbering, letters left out, options not found."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ...schemas.findings import Finding, FindingBox, Where
from ..draft import DraftPaper, DraftQuestion
from ..lines import Line
from .labels import Label
from .linetext import LineText
from .numbering import ALPHABETS

_MOST = 0.8


def number_gaps(texts: Sequence[LineText], run: Sequence[Label]) -> list[Finding]:
    """A finding for every stretch of numbers that the run jumps over."""
    found: list[Finding] = []
    for before, after in pairwise(run):
        last = before.upto or before.value
        if before.code != after.code or after.value <= last + 1:
            continue
        missing = f"{last + 1}" if after.value == last + 2 else f"{last + 1}–{after.value - 1}"
        found.append(
            Finding(
                code="number.gap",
                severity="warning",
                where=place(texts[after.line].line),
                message=f"After question {last} comes {after.value}: no question {missing} was found.",
                hint="Look at the page: the number may be part of a picture, or the paper may leave it out.",
            )
        )
    return found


def option_doubts(paper: DraftPaper) -> list[Finding]:
    """Options that skip a letter, and questions without options among questions that have them."""
    found: list[Finding] = []
    for section in paper.sections:
        leaves = [leaf for question in section.questions for leaf in question.leaves()]
        with_options = sum(len(leaf.options) >= 2 for leaf in leaves)
        for leaf in leaves:
            if skipped := _skipped(leaf):
                found.append(_finding("option.skip", leaf, f"the options of question {leaf.key} leave out {skipped}."))
            if not leaf.options and len(leaves) >= 5 and with_options >= _MOST * len(leaves):
                found.append(
                    _finding(
                        "option.none",
                        leaf,
                        f"no options were found for question {leaf.key}, but its neighbours have them.",
                    )
                )
    return found


def _skipped(leaf: DraftQuestion) -> str:
    labels = [option.label for option in leaf.options]
    for alphabet in ALPHABETS.values():
        if len(labels) >= 2 and all(len(label) == 1 and label in alphabet for label in labels):
            wanted = alphabet[: alphabet.index(labels[-1]) + 1]
            return ", ".join(letter for letter in wanted if letter not in labels)
    return ""


def _finding(code: str, leaf: DraftQuestion, message: str) -> Finding:
    lines = [*leaf.stem, *(line for option in leaf.options for line in option.lines)]
    return Finding(
        code=code,
        severity="warning",
        where=place(lines[0]) if lines else Where(),
        message=message[0].upper() + message[1:],
        hint="Look at the page; the label may be part of a picture or not readable.",
    )


def place(line: Line) -> Where:
    """Where a printed line stands."""
    box = line.box
    return Where(source=line.source, page=line.page, box=FindingBox(x0=box.x0, y0=box.y0, x1=box.x1, y1=box.y1))
