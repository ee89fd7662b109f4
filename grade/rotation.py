"""CircularEval: a question asked in every rotation of its options is worth what its worst asking earned.

Right only if right in every rotation (Liu et al. 2023, MMBench). An asking that is missing, or that nobody could
grade, leaves the question ungraded unless another asking has already cost it all; it is never passed over. Beside it
stand plain accuracy and how often each place was chosen: whoever answers by content alone chooses each place equally
often once every rotation was asked.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..schemas.answers import RotatedAsking, Rotation, TakerOutcome
from ..schemas.findings import Finding, warning
from ..schemas.report import PlaceShare, RotationReport
from ..schemas.rotation import place_of
from .entries import ROTATIONS, Outcome
from .plan import ExamPlan, QuestionPlan

MAX_ASKINGS = 100
"""Askings of one question that are looked at; no question has as many options."""


def circular(question: QuestionPlan, rotation: Rotation) -> Outcome:
    """The outcome of all askings of a choice question together."""
    places = len(question.question.options or [])
    asked = [turn for turn in rotation.asked[:MAX_ASKINGS] if turn.shift < places]
    graded = [_graded(question, turn) for turn in asked]
    entries = [_entry(question, turn, one) for turn, one in zip(asked, graded, strict=True)]
    missing = max(0, rotation.of - len({turn.shift for turn in asked}))
    key = next(({"correct": one.detail["correct"]} for one in graded if "correct" in one.detail), {})
    detail: dict[str, Any] = {ROTATIONS: entries, "of": rotation.of, **key}
    found = _findings(graded)
    sound = [one for one in graded if one.mode in ("deterministic", "unanswered")]
    worst = min(sound, key=lambda one: one.awarded, default=None)
    without = missing + len(graded) - len(sound)
    if without and (worst is None or worst.awarded > min(question.least, 0.0)):
        told = f"{without} of {rotation.of} rotations are not there or could not be graded"
        found.append(warning("rotation.missing", told, question=question.id))
        return question.graded_as("error", 0.0, {"error": told, "cause": "rotation", **detail}, tuple(found))
    assert worst is not None
    if without:
        told = f"{without} of {rotation.of} rotations are missing; another one already cost the question its points"
        found.append(warning("rotation.missing", told, question=question.id))
    cause = _lost_to([one for one in sound if one.awarded == worst.awarded])
    if all(one.mode == "unanswered" for one in sound):
        return question.graded_as("unanswered", 0.0, {**detail, **({"outcome": cause} if cause else {})}, tuple(found))
    return question.graded_as("deterministic", worst.awarded, {**detail, **_marked(cause)}, tuple(found))


def _graded(question: QuestionPlan, turn: RotatedAsking) -> Outcome:
    if turn.answer is not None:
        return question.graded(turn.answer.model_dump())
    return question.without_answer(turn.status)


def _entry(question: QuestionPlan, turn: RotatedAsking, one: Outcome) -> dict[str, Any]:
    graded = one.mode in ("deterministic", "unanswered")
    entry: dict[str, Any] = {"shift": turn.shift, "awarded": one.awarded if graded else None}
    if "selected" not in one.detail:
        return {**entry, "outcome": one.detail.get("outcome") or one.mode}
    entry["selected"] = one.detail["selected"]
    if question.question.type == "single_choice":
        place = place_of(question.question, turn.shift, entry["selected"][0])
        entry["place"] = None if place is None else place + 1
    return entry


def _lost_to(worst: Sequence[Outcome]) -> str | None:
    """The format reason, or `blank`, for which the worst askings lost; None where one of them was answered wrongly."""
    losses = [one.loss for one in worst if one.loss is not None]
    if any(loss.kind == "content" for loss in losses):
        return None
    return next((loss.reason for loss in losses if loss.kind == "format"), "blank" if losses else None)


def _marked(cause: str | None) -> dict[str, Any]:
    """As `losses.loss_of` reads it."""
    return {} if cause is None else {"blank": True} if cause == "blank" else {"lost_to": cause}


def _findings(graded: Iterable[Outcome]) -> list[Finding]:
    """Each asking's own, told once."""
    return list({(found.code, found.message): found for one in graded for found in one.findings}.values())


def rotation_report(
    plan: ExamPlan, ends: Mapping[str, TakerOutcome], outcomes: Iterable[Outcome]
) -> RotationReport | None:
    """The figures over all rotated questions of a sheet; None where none was."""
    rotated = [outcome for outcome in outcomes if outcome.rotated]
    fixed = sum(1 for end in ends.values() if end.rotation is not None and end.rotation.fixed)
    if not rotated and not fixed:
        return None
    complete = [one for one in rotated if _is_complete(one)]
    points = [[entry["awarded"] for entry in one.detail[ROTATIONS]] for one in complete]
    plain = [
        next((entry["awarded"] for entry in one.detail[ROTATIONS] if entry["shift"] == 0), 0.0) for one in complete
    ]
    asked = sum(one.detail["of"] for one in rotated)
    there = sum(len(_shifts_graded(one)) for one in rotated)
    return RotationReport(
        questions=len(rotated),
        askings=asked,
        missing=max(0, asked - there),
        fixed=fixed,
        complete=len(complete),
        max_points=math.fsum(one.max_points for one in complete),
        circular=math.fsum(one.awarded for one in complete),
        plain=math.fsum(plain),
        mean=math.fsum(math.fsum(turns) / len(turns) for turns in points),
        places=_places(plan, complete),
    )


def _shifts_graded(outcome: Outcome) -> set[int]:
    return {entry["shift"] for entry in outcome.detail[ROTATIONS] if entry["awarded"] is not None}


def _is_complete(outcome: Outcome) -> bool:
    shifts = _shifts_graded(outcome)
    graded = all(entry["awarded"] is not None for entry in outcome.detail[ROTATIONS])
    return graded and 0 in shifts and len(shifts) >= outcome.detail["of"]


def _places(plan: ExamPlan, complete: Sequence[Outcome]) -> list[PlaceShare]:
    """Single-choice questions of which every rotation was asked and answered with an option, place by place."""
    picks: list[tuple[int, list[int]]] = []
    for one in complete:
        options = len(plan.questions[one.question_id].question.options or [])
        places = [entry.get("place") for entry in one.detail[ROTATIONS]]
        if len(places) == options and len(_shifts_graded(one)) == options and all(places):
            picks.append((options, [place for place in places if place]))
    if not picks:
        return []
    return [_share(place, [pick for pick in picks if pick[0] >= place]) for place in range(1, max(picks)[0] + 1)]


def _share(place: int, picks: Sequence[tuple[int, Sequence[int]]]) -> PlaceShare:
    """The mean over questions of the share of a question's askings in which that place was chosen."""
    shares = [places.count(place) / options for options, places in picks]
    chances = [1 / options for options, _ in picks]
    over = [share - chance for share, chance in zip(shares, chances, strict=True)]
    mean = math.fsum(over) / len(over)
    half = _half_width(over, mean)
    return PlaceShare(
        place=place,
        chosen=sum(places.count(place) for _, places in picks),
        of=sum(options for options, _ in picks),
        share=round(math.fsum(shares) / len(picks), 6),
        chance=round(math.fsum(chances) / len(picks), 6),
        over=round(mean, 6),
        low=None if half is None else round(mean - half, 6),
        high=None if half is None else round(mean + half, 6),
    )


def _half_width(values: Sequence[float], mean: float) -> float | None:
    """Of the 95 % t interval of a mean of questions."""
    if len(values) < 2:
        return None
    from scipy.stats import t

    variance = math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return float(t.ppf(0.975, len(values) - 1)) * math.sqrt(variance / len(values))


def told(rotation: RotationReport) -> str:
    """One phrase for people: circular and plain accuracy, what is missing, places chosen beyond chance."""
    parts = []
    if rotation.complete:
        shares = {name: getattr(rotation, name) / rotation.max_points * 100 for name in ("circular", "plain", "mean")}
        parts.append(
            f"{rotation.complete} rotated questions: {shares['circular']:.1f} % right in every rotation, "
            f"{shares['plain']:.1f} % as printed, {shares['mean']:.1f} % on average"
        )
    if rotation.missing:
        parts.append(f"{rotation.missing} of {rotation.askings} askings missing")
    if rotation.fixed:
        parts.append(f"{rotation.fixed} not rotated")
    for one in rotation.places:
        if one.low is not None and one.high is not None and (one.low > 0 or one.high < 0):
            more = "more" if one.over > 0 else "less"
            parts.append(
                f"place {one.place} chosen {abs(one.over) * 100:.1f} points {more} often than chance "
                f"(95 %: {one.low * 100:+.1f} to {one.high * 100:+.1f})"
            )
    return "; ".join(parts)
