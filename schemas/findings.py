"""Findings: the one form in which every check speaks."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .base import Contract
from .printable import printable

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


def finding(
    code: str,
    severity: Severity,
    message: str,
    *,
    question: str | None = None,
    source: int | None = None,
    page: int | None = None,
    hint: str | None = None,
) -> Finding:
    """A finding whose texts are fit for a terminal, whatever the bundle or page put into them."""
    where = Where(question=None if question is None else printable(question, 120), source=source, page=page)
    return Finding(code=code, severity=severity, where=where, message=printable(message, 500), hint=hint)


def error(code: str, message: str, question: str | None = None, hint: str | None = None) -> Finding:
    return finding(code, "error", message, question=question, hint=hint)


def warning(code: str, message: str, question: str | None = None, hint: str | None = None) -> Finding:
    return finding(code, "warning", message, question=question, hint=hint)


def info(code: str, message: str, question: str | None = None, hint: str | None = None) -> Finding:
    return finding(code, "info", message, question=question, hint=hint)
