"""entry.json: one taker's configuration over many papers, pinned by digests."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from pydantic import Field

from ...schemas.base import SCHEMA_VERSION, Contract, NonNegative, Points, absent
from ...schemas.errors import UsageError
from ...schemas.printable import printable
from ...schemas.report import Bounds, Report

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,94}[a-z0-9])?")


class FilePin(Contract):
    """A file beside entry.json. `path` is relative to the entry's folder."""

    path: str
    sha256: str


class PaperResult(Contract):
    """One paper's score. `judged_points`: those that a judge gave or should have given; the rest is by rule."""

    exam_id: str
    bundle_digest: str
    bundle_source: str | None = Field(default=None, exclude_if=absent)
    awarded: Points
    max_points: NonNegative
    percentage: Points
    covered_percentage: Points
    bounds: Bounds | None = Field(default=None, exclude_if=absent)
    ungraded_count: int = 0
    judged_points: NonNegative = 0.0
    judges: list[str] = []
    graded_at: str
    report: FilePin
    sheet: FilePin | None = Field(default=None, exclude_if=absent)


class ResultEntry(Contract):
    """`percentage` is the mean over papers: a long paper weighs no more than a short one. `settings`: what the taker
    was asked with, in the publisher's words (effort, prompt, sampling)."""

    schema_version: str = SCHEMA_VERSION
    name: str
    taker: str
    settings: dict[str, str] = {}
    created_at: str
    tool_version: str
    percentage: Points
    papers: list[PaperResult]
    cache: FilePin | None = Field(default=None, exclude_if=absent)
    note: str | None = Field(default=None, exclude_if=absent)


def check_entry_name(name: str) -> str:
    """The name of an entry's folder. Raises UsageError."""
    if not _NAME.fullmatch(name) or ".." in name:
        raise UsageError(
            f"{printable(repr(name), 120)} cannot be an entry's name: lower-case letters, digits, . _ - between them"
        )
    return name


def entry_name_from(text: str) -> str:
    """A name made of a taker's."""
    plain = re.sub(r"\.{2,}", ".", re.sub(r"[^a-z0-9._-]+", "-", text.lower())).strip("._-")[:96].strip("._-")
    return check_entry_name(plain)


def paper_result(report: Report, report_pin: FilePin, sheet_pin: FilePin | None) -> PaperResult:
    """A report's line in an entry. Raises UsageError for a report that pins no bundle."""
    if not report.bundle_digest:
        raise UsageError(
            f"{report_pin.path} names no bundle digest: a result that is pinned to no paper proves nothing"
        )
    judged = [result for result in report.results.values() if result.mode == "judge" or result.judge_verdicts]
    return PaperResult(
        exam_id=report.exam_id,
        bundle_digest=report.bundle_digest,
        bundle_source=report.bundle_source,
        awarded=report.total_awarded,
        max_points=report.total_max,
        percentage=report.percentage,
        covered_percentage=report.covered_percentage,
        bounds=report.bounds,
        ungraded_count=report.ungraded_count,
        judged_points=math.fsum(result.max_points for result in judged),
        judges=judges_of(report),
        graded_at=report.graded_at,
        report=report_pin,
        sheet=sheet_pin,
    )


def judges_of(report: Report) -> list[str]:
    """The judges that a report names, in its order."""
    costs: Any = (report.cost or {}).get("judges")
    return [str(name) for name in costs] if isinstance(costs, dict) else []


def mean_percentage(papers: Sequence[PaperResult]) -> float:
    return round(math.fsum(paper.percentage for paper in papers) / len(papers), 4) if papers else 0.0
