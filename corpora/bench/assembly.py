"""The record of a bench, put together from what the sittings brought."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ... import __version__
from ...grade.losses import lost_points
from ...grade.report import GradedSheet
from ...grade.sheets import RawSheet
from ...schemas.findings import Finding, error, info, warning
from ...schemas.moment import now
from ...schemas.report import Lost, LostReason
from .items import item_findings, item_rows, items_of
from .record import Bench, ExamEntry, ModelRow, RunEntry, Settings
from .scores import Facts, Key, Marks, detectable, means, necessity_rows, pair_rows, ranked, score_row

FIXED_ANSWERS = {"single_choice": "selected", "multiple_choice": "selected", "true_false": "value"}


@dataclass(frozen=True)
class Run:
    """A sitting's row, and its marks where it ended."""

    entry: RunEntry
    marks: Marks | None


def marks_of(entry: RunEntry, sheet: RawSheet, graded: GradedSheet) -> Marks:
    """What the statistics need of a graded sheet."""
    points: dict[Key, float | None] = {
        (entry.exam_id, one.question_id): None if one.mode == "error" else one.awarded
        for one in graded.outcomes
        if one.mode != "skipped"
    }
    answers = {(entry.exam_id, name): text for name, value in sheet.answers.items() if (text := _short(value))}
    return Marks(entry.model, entry.exam_id, entry.repeat, entry.blind, points, answers)


def _short(value: Any) -> str | None:
    """A fixed answer in a few signs."""
    if not isinstance(value, dict) or value.get("type") not in FIXED_ANSWERS:
        return None
    given = value.get(FIXED_ANSWERS[value["type"]])
    if isinstance(given, list):
        return ", ".join(sorted(str(one) for one in given))[:60] or None
    return json.dumps(given) if isinstance(given, bool) else str(given)[:60]


def graded_entry(entry: RunEntry, graded: GradedSheet) -> RunEntry:
    """The row with what its report says."""
    head = graded.head
    cost = (head.cost or {}).get("total") if head.cost else None
    return entry.model_copy(
        update={
            "awarded": head.total_awarded,
            "possible": head.covered_max,
            "score": head.total_awarded / head.covered_max if head.covered_max else None,
            "ungraded": head.ungraded_count,
            "skipped": head.skipped_count,
            "lost": lost_points(graded.outcomes),
            "judge_cost_usd": cost,
        }
    )


def put_together(
    settings: Settings,
    exams: Sequence[ExamEntry],
    runs: Sequence[Run],
    why: Mapping[str, str],
    extra: Sequence[Finding] = (),
) -> Bench:
    """The whole record. `why`: what stopped a model, by name. `extra`: findings of the judges."""
    facts = Facts.of(exams)
    seen = [run.marks for run in runs if run.marks is not None and not run.marks.blind]
    blind = [run.marks for run in runs if run.marks is not None and run.marks.blind]
    points = _by_model(settings, seen)
    pairs = pair_rows(points, facts)
    wanted = settings.repeats * len(exams)
    rows = [_row(name, runs, wanted, why.get(name)) for name in settings.models]
    mine = {row.model: [one for one in seen if one.model == row.model] for row in rows}
    rows = [score_row(row, mine[row.model], facts, settings.repeats) if mine[row.model] else row for row in rows]
    items = items_of(points, facts)
    findings = [
        *extra,
        *_failed(why),
        *_small(rows, facts, judging=bool(settings.judges)),
        *item_findings(items, exams, seen),
    ]
    if settings.blind and not any(entry.needs_image for entry in facts.questions.values()):
        findings.append(info("bench.no_pictures", "no question needs a picture: --blind has nothing to measure"))
    return Bench(
        created_at=now(),
        tool_version=__version__,
        settings=settings,
        clustered_by=facts.unit,
        exams=list(exams),
        models=ranked(rows, pairs),
        pairs=pairs,
        detectable=detectable(pairs),
        necessity=necessity_rows(points, _by_model(settings, blind), facts),
        items=item_rows(items),
        runs=[run.entry for run in runs],
        findings=findings,
    )


def _by_model(settings: Settings, marks: Sequence[Marks]) -> dict[str, dict[Key, float]]:
    there = {one.model for one in marks}
    return {name: means(one for one in marks if one.model == name) for name in settings.models if name in there}


def _row(name: str, runs: Sequence[Run], wanted: int, why: str | None) -> ModelRow:
    """What a model's sittings with pictures cost and lost; its scores come later."""
    entries = [run.entry for run in runs if run.entry.model == name and not run.entry.blind]
    done = [entry for entry in entries if entry.status == "done"]
    return ModelRow(
        model=name,
        sittings=len(done),
        sittings_wanted=wanted,
        why=why,
        lost=_mean_lost(done),
        input_tokens=sum(entry.input_tokens for entry in done),
        output_tokens=sum(entry.output_tokens for entry in done),
        cost_usd=_sum([entry.cost_usd for entry in done]),
        judge_cost_usd=_sum([entry.judge_cost_usd for entry in done]),
        seconds=sum(entry.seconds for entry in done),
    )


def _sum(amounts: Sequence[float | None]) -> float | None:
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if known and len(known) == len(amounts) else None


def _mean_lost(done: Sequence[RunEntry]) -> Lost | None:
    """Points lost in one sitting of all exams: the mean over the sittings of each exam, summed over exams."""
    if not done:
        return None
    counts = Counter(entry.exam_id for entry in done)
    whole, reasons = Lost(), {}
    for entry in done:
        lost, share = entry.lost or Lost(), 1 / counts[entry.exam_id]
        whole.content += lost.content * share
        whole.blank += lost.blank * share
        whole.format += lost.format * share
        whole.ungraded += lost.ungraded * share
        for reason, told in lost.reasons.items():
            so_far = reasons.setdefault(reason, LostReason(questions=0, points=0.0))
            so_far.questions += told.questions
            so_far.points += told.points * share
    return whole.model_copy(update={"reasons": dict(sorted(reasons.items()))})


def _failed(why: Mapping[str, str]) -> list[Finding]:
    return [error("bench.model_failed", told if name in told else f"{name}: {told}") for name, told in why.items()]


def _small(rows: Sequence[ModelRow], facts: Facts, *, judging: bool) -> list[Finding]:
    """What a reader must know before the table is believed."""
    found = []
    scored = [row for row in rows if row.score is not None]
    few = min((row.score.clusters for row in scored if row.score), default=None)
    if few is not None and few < 2:
        found.append(warning("bench.one_group", f"there is only one {facts.unit}: no interval and no test is possible"))
    elif few is not None and any(row.score and row.score.small for row in scored):
        told = f"only {few} {facts.unit}s: intervals are wide, lean on the t distribution and may still be too narrow"
        found.append(warning("bench.few_groups", told, hint="more questions tell more than more repeats"))
    judged = math.fsum(entry.max_points for entry in facts.questions.values() if entry.decided_by == "judge")
    total = math.fsum(entry.max_points for entry in facts.questions.values())
    graded_by_rule = 1 - judged / total if total else 1.0
    if judged and not judging:
        told = f"{judged:g} of {total:g} points only a judge can grade: the scores are of the rest"
        found.append(warning("bench.no_judge", told, hint="add --judge"))
    expected = 1.0 if judging else graded_by_rule
    for row in scored:
        if row.covered < expected - 0.001:
            told = f"{row.model}: {100 * row.covered:.1f} % of the points were graded; its score is of those"
            found.append(warning("bench.uncovered", told))
    return found
