"""Title, language."""

from __future__ import annotations

from collections.abc import Sequence

from .draft import DraftPaper
from .lines import Line, Reading


def identify(paper: DraftPaper, readings: Sequence[Reading], lines: Sequence[Line], language: str | None) -> None:
    paper.language = language or "und"
