"""Allocating points: the nearest printed statement wins."""

from __future__ import annotations

from .draft import DraftPaper
from .page import Page


def allocate_points(paper: DraftPaper, pages: dict[tuple[int, int], Page]) -> None:
    return None
