"""Headings under which no question stands: their words are directions of the section that follows."""

from __future__ import annotations

from ..draft import DraftPaper, DraftSection


def fold_empty_sections(paper: DraftPaper) -> None:
    """Give the lines and figures of sections without questions to the next section that has some (the last
    ones to the paper's instructions). A paper without any question keeps one section at most."""
    kept: list[DraftSection] = []
    waiting: list[DraftSection] = []
    for section in paper.sections:
        if not section.questions:
            waiting.append(section)
            continue
        section.instructions[:0] = [line for empty in waiting for line in [*empty.title, *empty.instructions]]
        section.figures[:0] = [figure for empty in waiting for figure in empty.figures]
        kept.append(section)
        waiting = []
    for empty in waiting:
        paper.instructions += [*empty.title, *empty.instructions]
        paper.reference_figures += empty.figures
    paper.sections = kept
