"""One judge's verdict on one answer, read from its reply. Points are looked up and added here, never taken over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ...models.outcome import Outcome, Usage
from ...schemas.report import CriterionVerdict, JudgeVerdict
from ..marks import shown
from .framing import quotes
from .prompt import keyed
from .task import JudgeTask

Ending = Literal["graded", "judge_refused", "truncated", "unparseable", "transport_error"]
_ENDINGS: dict[str, Ending] = {
    "ok": "graded",
    "refused": "judge_refused",
    "truncated": "truncated",
    "unparseable": "unparseable",
    "transport_error": "transport_error",
}


@dataclass(frozen=True, slots=True)
class Pick:
    """One criterion decided. `raw`: what the judge gave before snapping, for modes that give numbers. `found`: whether
    the evidence stands in the answer; None where none was asked for. `odds`: probability per level id."""

    criterion: str
    level: str
    points: float
    reason: str = ""
    evidence: str | None = None
    found: bool | None = None
    raw: float | None = None
    odds: Mapping[str, float] | None = None
    expected: float | None = None
    sure: float | None = None

    @property
    def confidence(self) -> float | None:
        """The probability of the level picked, or what the judge's mode has for it."""
        return self.sure if self.odds is None else self.odds[self.level]

    def as_dict(self) -> dict[str, Any]:
        entry: dict[str, Any] = {"criterion": self.criterion, "level": self.level, "points": self.points}
        if self.found is not None:
            entry |= {"evidence": None if self.evidence is None else shown(self.evidence), "evidence_found": self.found}
        if self.raw is not None:
            entry["raw_points"] = self.raw
        if self.sure is not None:
            entry["confidence"] = self.sure
        if self.odds is not None:
            entry |= {"odds": dict(self.odds), "expected": self.expected, "confidence": self.confidence}
        return entry


@dataclass(frozen=True)
class Verdict:
    """`total` is after deductions and the clamp, `raw_total` the same before snapping. `usage`: tokens of all calls
    that it took, whoever paid for them. `made`: seconds since the epoch when the reply came, 0 where unknown."""

    judge: str
    repeat: int
    ending: Ending
    why: str = ""
    picks: tuple[Pick, ...] = ()
    times: tuple[int, ...] = ()
    total: float = 0.0
    raw_total: float = 0.0
    asked_again: bool = False
    usage: Usage = field(default_factory=Usage)
    made: int = 0
    note: str = ""

    @property
    def graded(self) -> bool:
        return self.ending == "graded"

    @property
    def unfounded(self) -> list[Pick]:
        """Picks that give credit on evidence which the answer does not hold."""
        return [pick for pick in self.picks if pick.found is False]

    @property
    def confidence(self) -> float | None:
        """Of the least sure pick; None where the judge gives no probabilities."""
        given = [pick.confidence for pick in self.picks if pick.confidence is not None]
        return min(given) if given else None

    def record(self) -> JudgeVerdict:
        """The verdict as the report's contract has it."""
        criteria = [CriterionVerdict(criterion_id=p.criterion, points=p.points, rationale=p.reason) for p in self.picks]
        reasons = [pick.reason for pick in self.picks if pick.reason]
        return JudgeVerdict(criteria=criteria, total_points=self.total, overall_rationale=" ".join(reasons))

    def as_dict(self) -> dict[str, Any]:
        """What the contract's verdict has no place for."""
        entry: dict[str, Any] = {"judge": self.judge, "repeat": self.repeat, "outcome": self.ending}
        if self.why:
            entry["why"] = self.why
        if self.note:
            entry["note"] = self.note
        if self.graded:
            entry["levels"] = [pick.as_dict() for pick in self.picks]
        if self.times:
            entry["deductions"] = list(self.times)
        if self.asked_again:
            entry["asked_again"] = True
        return entry


def failed(judge: str, repeat: int, outcome: Outcome) -> Verdict:
    """The verdict of a call that gave none."""
    return Verdict(judge, repeat, _ENDINGS[outcome.status], why=outcome.why(), usage=outcome.usage)


def read_verdict(task: JudgeTask, judge: str, repeat: int, outcome: Outcome, answer: str, *, quoted: bool) -> Verdict:
    """The verdict that a reply in `prompt.reply_schema` holds. `quoted`: False where the answer is a picture, from
    which nothing can be quoted."""
    if not outcome.ok:
        return failed(judge, repeat, outcome)
    picks = []
    for key, criterion in keyed(task):
        entry = outcome.value[key]
        level = criterion.level(entry["level"])
        credit = level.points > criterion.lowest
        found = quotes(answer, entry["evidence"]) if quoted and (credit or entry["evidence"]) else None
        # a piece that was not found costs nothing where it earned nothing
        found = None if found is False and not credit else found
        reason = entry["reason"].strip()
        picks.append(Pick(criterion.id, level.id, level.points, reason, entry["evidence"] or None, found))
    times = tuple(outcome.value[f"d{place}"]["times"] for place in range(1, len(task.deductions) + 1))
    total = task.total([pick.points for pick in picks], times)
    return Verdict(
        judge, repeat, "graded", picks=tuple(picks), times=times, total=total, raw_total=total, usage=outcome.usage
    )


def snapped(
    task: JudgeTask,
    verdict: Verdict,
    numbers: Mapping[str, float],
    sure: Mapping[str, float] | None = None,
    times: tuple[int, ...] = (),
) -> Verdict:
    """The verdict of a mode that gives a number per criterion: each on its nearest level, the numbers kept beside.
    `sure`: a probability per criterion, where the mode has one."""
    picks = []
    for criterion in task.criteria:
        raw = round(numbers[criterion.id], 6)
        level = criterion.nearest(raw)
        confidence = None if sure is None else round(sure[criterion.id], 6)
        picks.append(Pick(criterion.id, level.id, level.points, raw=raw, sure=confidence))
    raw_total = task.total([pick.raw or 0.0 for pick in picks], times)
    total = task.total([pick.points for pick in picks], times)
    return replace(verdict, picks=tuple(picks), times=times, total=total, raw_total=raw_total)
