"""What a benchmark's headline figure is measured in, and the refusal to sum figures that do not mix.

A scale is the unit (share 0 to 1, percent 0 to 100, points 0 to some maximum) together with the quantity (accuracy,
F1, ANLS, …): 80 % of ANLS and 80 % of accuracy are written alike and are not the same thing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ...schemas.errors import UsageError

Unit = Literal["share", "percent", "points"]
_TOP: dict[str, float] = {"share": 1.0, "percent": 100.0}


@dataclass(frozen=True, slots=True)
class Scale:
    """`highest` is the best possible value; the lowest is 0 and more is better, on every card."""

    quantity: str
    unit: Unit
    highest: float

    def text(self) -> str:
        return f"{self.quantity}, {self.unit} 0 to {self.highest:g}"


@dataclass(frozen=True, slots=True)
class Figure:
    """One headline score: whose, in which view, on which scale."""

    benchmark: str
    view: str
    scale: Scale
    value: float

    def name(self) -> str:
        return f"{self.benchmark} ({self.view})"


def top(unit: Unit, highest: float | None) -> float:
    """The best value of a unit; points must say theirs. Raises ValueError where they do not, or others do."""
    if unit == "points":
        if highest is None:
            raise ValueError("a headline in points says the highest possible number of points")
        return highest
    if highest is not None and highest != _TOP[unit]:
        raise ValueError(f"a headline in {unit} ends at {_TOP[unit]:g}, not at {highest:g}")
    return _TOP[unit]


def mean_of(figures: Sequence[Figure]) -> float:
    """The plain mean of headline scores of one quantity, unit and view. Raises UsageError like `check_alike`."""
    check_alike(figures)
    return sum(figure.value for figure in figures) / len(figures)


def check_alike(figures: Sequence[Figure]) -> None:
    """Raise UsageError, naming the first two that differ and why, where figures have no common sum or difference."""
    if not figures:
        raise UsageError("there is no score to put together")
    first = figures[0]
    for other in figures:
        reason = _unlike(first, other)
        if reason:
            raise UsageError(
                f"{first.name()} and {other.name()} are not put together: {reason}; read them side by side"
            )
        if not math.isfinite(other.value):
            raise UsageError(f"{other.name()} has no finite headline score ({other.value})")


def _unlike(first: Figure, other: Figure) -> str | None:
    """Why two figures cannot be summed; None where they can."""
    ours, theirs = first.scale, other.scale
    if (ours.unit, ours.highest) != (theirs.unit, theirs.highest):
        return f"one is {ours.text()}, the other {theirs.text()}, so a sum would weigh them by their units"
    if ours.quantity != theirs.quantity:
        return f"one measures {ours.quantity}, the other {theirs.quantity}"
    if first.view != other.view:
        return f"one is the {first.view} view, the other the {other.view} view, which read replies differently"
    return None
