"""report.json: one graded sheet."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from .base import SCHEMA_VERSION, Contract, NonNegative, Points, absent


class CriterionVerdict(Contract):
    criterion_id: str
    points: Points
    rationale: str = ""


class JudgeVerdict(Contract):
    criteria: list[CriterionVerdict] = []
    total_points: Points
    overall_rationale: str = ""


class QuestionResult(Contract):
    question_id: str
    mode: Literal["deterministic", "judge", "unanswered", "error", "skipped"]
    max_points: NonNegative
    awarded: Points
    detail: dict[str, Any] = {}
    judge_verdicts: list[JudgeVerdict] = []


class Bounds(Contract):
    """The least and the most that the sheet can have earned, ungraded questions considered."""

    low: Points
    high: Points


class Headline(Contract):
    """The score without the questions that no official answer or rubric stands behind. `percentage` is of what was
    put to the taker."""

    awarded: Points
    max_points: NonNegative
    percentage: Points
    unanchored_awarded: Points


class LostReason(Contract):
    questions: int
    points: Points


class Lost(Contract):
    """Points that were put to the taker and not earned. `format`: refused, cut off, unparseable or foreign ids, which
    say nothing about knowledge; `ungraded`: not lost yet, they stand in `bounds`. `reasons`: each cause apart."""

    content: Points = 0.0
    blank: Points = 0.0
    format: Points = 0.0
    ungraded: Points = 0.0
    reasons: dict[str, LostReason] = {}


class PlaceShare(Contract):
    """How often the option that stood at `place` (1 first) was chosen, and how often it would be by its content alone.
    `over`: share less chance, with its 95 % interval over questions; none where one question is all there is."""

    place: int
    chosen: int
    of: int
    share: float
    chance: float
    over: float
    low: float | None = None
    high: float | None = None


class RotationReport(Contract):
    """CircularEval beside plain accuracy, over the `complete` questions: those of which every asking was graded.
    `circular`: points where a question is worth what its worst asking earned; `plain`: the options as printed; `mean`:
    over all askings. `missing`: askings that are not there or that nobody could grade. `fixed`: questions whose options
    name each other's places; they were asked once. `places`: single choice, where every turn of the options was
    asked."""

    questions: int
    askings: int
    missing: int
    fixed: int
    complete: int
    max_points: Points
    circular: Points
    plain: Points
    mean: Points
    places: list[PlaceShare] = []


class Report(Contract):
    schema_version: str = SCHEMA_VERSION
    exam_id: str
    taker: str | None = None
    graded_at: str
    results: dict[str, QuestionResult] = {}
    section_totals: dict[str, Any] = {}
    total_awarded: Points
    total_max: NonNegative
    percentage: Points
    skipped_count: int = 0
    skipped_points: NonNegative = 0.0
    covered_max: NonNegative = 0.0
    covered_percentage: Points = 0.0
    warnings: list[str] = []
    judge_agreement: dict[str, Any] | None = None
    usage: dict[str, Any] | None = None
    bundle_digest: str | None = Field(default=None, exclude_if=absent)
    bundle_source: str | None = Field(default=None, exclude_if=absent)
    # the bundle's key is sealed: what repeats it is left out of this report
    sealed: Literal[True] | None = Field(default=None, exclude_if=absent)
    ungraded_count: int = 0
    ungraded_points: NonNegative = 0.0
    bounds: Bounds | None = Field(default=None, exclude_if=absent)
    unanchored_points: NonNegative = 0.0
    cost: dict[str, Any] | None = Field(default=None, exclude_if=absent)
    headline: Headline | None = Field(default=None, exclude_if=absent)
    lost: Lost | None = Field(default=None, exclude_if=absent)
    rotation: RotationReport | None = Field(default=None, exclude_if=absent)
