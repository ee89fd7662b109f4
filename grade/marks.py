"""What a rule gives for one answer, and the two ways in which no rule can give anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..schemas.answers import AnswerValue
from ..schemas.errors import Exam2BenchError

MAX_SHOWN = 2_000
"""Characters of an answer that a report repeats; the rest is in the sheet."""


class Marks(NamedTuple):
    """Points for one answer, already clamped, and how they came about (JSON values only). `text`: the detail as an
    entry of the report holds it, where many questions share both."""

    awarded: float
    detail: dict[str, Any]
    text: str | None = None


Scorer = Callable[[AnswerValue], Marks]


class AnswerTypeMismatch(Exam2BenchError):
    """The answer is of a type that the question's rule cannot read."""


class KeyFault(Exam2BenchError):
    """The key itself cannot be read, so no answer can be graded against it."""


def clamp(points: float, min_points: float, max_points: float) -> float:
    """`points` within the question's range, as a float that is never -0.0."""
    return float(min(max(points, min_points), max_points)) + 0.0


def shown(text: str) -> str:
    """A taker's text as a report repeats it."""
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"
