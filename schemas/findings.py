"""Findings: the one form in which every check speaks."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .base import Contract

Severity = Literal["error", "warning", "info"]


class FindingBox(Contract):
    """PDF points, origin at the top left of the page as displayed."""

    x0: float
    y0: float
    x1: float
    y1: float


class Where(Contract):
    """The place a finding speaks of: question id, source index, 0-based page, box."""

    question: str | None = None
    source: int | None = Field(default=None, ge=0)
    page: int | None = Field(default=None, ge=0)
    box: FindingBox | None = None


class Finding(Contract):
    """`code` is stable, lower-case and dotted (`key.missing`): people filter and count by it."""

    code: str = Field(pattern=r"^[a-z0-9_]+(\.[a-z0-9_]+)+$")
    severity: Severity
    where: Where = Field(default_factory=Where)
    message: str
    hint: str | None = None
