"""Types."""

from __future__ import annotations

from .draft import DraftPaper
from .page import Page


def assign_types(paper: DraftPaper, pages: dict[tuple[int, int], Page]) -> None:
    for q in paper.questions():
        q.type = "composite" if q.children else "single_choice" if len(q.options) > 1 else "short_answer"
