"""Where the points went: lost to content, to a question left blank, to format, or not graded at all.

A refusal, a reply that was cut off or that names no answer, an id that the question does not have: none of them says
that the taker did not know. What they cost is kept apart from what wrong answers cost.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, Protocol

from ..schemas.report import Lost, LostReason

LossKind = Literal["content", "blank", "format", "ungraded"]
FORMAT_OUTCOMES = frozenset({"refused", "truncated", "unparseable"})
"""What a sheet's outcome can say about a reply that held no answer."""
FOREIGN_IDS = "foreign_ids"


@dataclass(frozen=True, slots=True, eq=False)
class Loss:
    """Equal losses are one object (`_loss`), so that thousands are counted by identity.

    `reason`: wrong, blank, refused, truncated, unparseable, foreign_ids; of an ungraded question transport,
    wrong_type, key, judge, rotation or ungraded.
    """

    kind: LossKind
    reason: str
    points: float


_loss = lru_cache(maxsize=4096)(Loss)


class Graded(Protocol):
    """A QuestionResult of a report, or an Outcome on its way into one."""

    @property
    def mode(self) -> str: ...
    @property
    def max_points(self) -> float: ...
    @property
    def awarded(self) -> float: ...
    @property
    def detail(self) -> dict[str, Any]: ...


def loss_of(mode: str, max_points: float, awarded: float, detail: Mapping[str, Any]) -> Loss | None:
    """What one question lost, and to what; None where it earned all or was never put to the taker."""
    gap = max_points - awarded
    if gap <= 0 or mode == "skipped":
        return None
    if mode == "unanswered":
        outcome = detail.get("outcome")
        return _loss("format", str(outcome), gap) if outcome in FORMAT_OUTCOMES else _loss("blank", "blank", gap)
    if mode == "error":
        return _loss("ungraded", str(detail.get("cause") or "ungraded"), gap)
    if detail.get("blank"):
        return _loss("blank", "blank", gap)
    if detail.get("lost_to"):
        return _loss("format", str(detail["lost_to"]), gap)
    # which part of an answer with foreign ids was known cannot be told: all that it lost is lost to format
    return _loss("format", FOREIGN_IDS, gap) if detail.get(FOREIGN_IDS) else _loss("content", "wrong", gap)


def lost_points(results: Iterable[Graded]) -> Lost:
    """The losses of a report's results. content + blank + format + ungraded is what was put to the taker less what
    was awarded."""
    return sum_losses(loss_of(one.mode, one.max_points, one.awarded, one.detail) for one in results)


def sum_losses(losses: Iterable[Loss | None]) -> Lost:
    """Losses added up by kind and by reason."""
    lost: dict[tuple[LossKind, str], list[tuple[int, float]]] = {}
    for loss, count in Counter(losses).items():
        if loss is not None:
            lost.setdefault((loss.kind, loss.reason), []).append((count, loss.points))
    totals = {
        kind: math.fsum(count * points for (one, _), parts in lost.items() if one == kind for count, points in parts)
        for kind in ("content", "blank", "format", "ungraded")
    }
    reasons = {
        reason: LostReason(
            questions=sum(count for count, _ in parts), points=math.fsum(count * points for count, points in parts)
        )
        for (_, reason), parts in sorted(lost.items())
    }
    return Lost(**totals, reasons=reasons)


def told(lost: Lost) -> str:
    """One phrase for people: `lost 6 to wrong answers, 1 left blank, 2 to format (1 refused, 1 unparseable)`."""
    parts = []
    if lost.content:
        parts.append(f"{lost.content:g} to wrong answers")
    if lost.blank:
        parts.append(f"{lost.blank:g} left blank")
    if lost.format:
        known = [*sorted(FORMAT_OUTCOMES), FOREIGN_IDS]
        counts = [f"{lost.reasons[one].questions} {_WORDS[one]}" for one in known if one in lost.reasons]
        parts.append(f"{lost.format:g} to format ({', '.join(counts)})")
    return "lost " + ", ".join(parts) if parts else ""


_WORDS = {"refused": "refused", "truncated": "cut off", "unparseable": "unparseable", FOREIGN_IDS: "with foreign ids"}
