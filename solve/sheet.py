"""The answer sheet of a run, and sheets of shards put together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..models.outcome import Outcome
from ..schemas.answers import AnswerSheet, RotatedAsking, Rotation, TakerOutcome
from ..schemas.errors import BundleError
from ..schemas.exam import CHOICE_TYPES
from .questions import Asking, read_outcome
from .rotation import fixed_because
from .selection import Selection


def make_sheet(
    exam_id: str,
    taker: str,
    digest: str,
    askings: Sequence[Asking],
    outcomes: Sequence[Outcome],
    selection: Selection,
    usage: Mapping[str, Any],
    *,
    rotate: bool = False,
) -> AnswerSheet:
    """One answer a question where there is one, and an outcome for every question. `rotate`: the outcome of a choice
    question also holds every asking of it; the sheet's answer is the one to the options as printed."""
    sheet = AnswerSheet(exam_id=exam_id, taker=taker, answers={}, usage=dict(usage), bundle_digest=digest, outcomes={})
    leaves = {asking.asked.leaf.id: asking.asked.leaf for asking in askings}
    turns: dict[str, list[RotatedAsking]] = {name: [] for name in leaves}
    ends: dict[str, TakerOutcome] = {}
    for asking, outcome in zip(askings, outcomes, strict=True):
        name = asking.asked.leaf.id
        answer, end = read_outcome(asking, outcome)
        turn = RotatedAsking(shift=asking.shift, status=end.status, answer=answer, raw=end.raw, detail=end.detail)
        turns[name].append(turn)
        if asking.shift == 0:
            ends[name] = end
            if answer is not None:
                sheet.answers[name] = answer
    for name, leaf in leaves.items():
        if rotate and leaf.type in CHOICE_TYPES:
            ends[name].rotation = Rotation(of=len(turns[name]), asked=turns[name], fixed=fixed_because(leaf))
    sheet.outcomes = ends | dict(selection.skipped)
    return sheet


def failed_askings(sheet: AnswerSheet) -> Iterator[tuple[str, str, str]]:
    """(question, status, why) of every asking that brought no answer; a rotated one says by how much it was moved."""
    for name, end in (sheet.outcomes or {}).items():
        turns = end.rotation.asked if end.rotation else []
        for one, place in [(end, "")] if not turns else [(turn, f"moved on by {turn.shift}: ") for turn in turns]:
            if one.status not in ("answered", "skipped"):
                yield name, one.status, place * (len(turns) > 1) + (one.detail or "no reason given")


def merge_sheets(sheets: Mapping[str, AnswerSheet]) -> AnswerSheet:
    """One sheet from shards, by name. Raises BundleError where they do not fit: another exam, digest or taker, a
    question that two have, a question that none has."""
    names = list(sheets)
    first = sheets[names[0]]
    merged = AnswerSheet(exam_id=first.exam_id, taker=first.taker, bundle_digest=first.bundle_digest)
    merged.bundle_source = first.bundle_source
    ends: dict[str, TakerOutcome] = {}
    owner: dict[str, str] = {}
    left: dict[str, TakerOutcome] = {}
    for name, sheet in sheets.items():
        _check_same(names[0], first, name, sheet)
        for question, end in (sheet.outcomes or {}).items():
            if end.status == "skipped":
                left[question] = end
                continue
            if question in owner:
                raise BundleError(f"{question} stands in {owner[question]} and in {name}: shards must not overlap")
            owner[question], ends[question] = name, end
        merged.answers.update(sheet.answers)
    gaps = [
        question
        for question, end in left.items()
        if question not in owner and (end.detail or "").startswith("belongs to shard")
    ]
    if gaps:
        raise BundleError(f"{gaps[0]} and {len(gaps) - 1} more stand in no shard: {left[gaps[0]].detail}")
    merged.outcomes = ends | {question: end for question, end in left.items() if question not in owner}
    merged.usage = {"shards": [sheet.usage for sheet in sheets.values()]}
    return merged


def _check_same(first_name: str, first: AnswerSheet, name: str, sheet: AnswerSheet) -> None:
    for field, what in (("exam_id", "exam"), ("bundle_digest", "bundle digest"), ("taker", "taker")):
        ours, theirs = getattr(first, field), getattr(sheet, field)
        if ours != theirs:
            raise BundleError(f"{name} is of another {what} than {first_name}: {theirs!r}, not {ours!r}")
