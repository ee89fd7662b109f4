"""One sheet graded: report.json, and what the grader had to say about the sheet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

from ..schemas.findings import Finding, error, info, warning
from ..schemas.moment import is_fixed, now, stamp
from ..schemas.report import Bounds, Headline, Report
from .entries import Outcome, json_text
from .losses import Loss, sum_losses
from .plan import ExamPlan, QuestionPlan
from .redaction import redacted
from .rotation import circular, rotation_report
from .sheets import RawSheet


@dataclass
class GradedSheet:
    """`head`: the report without its results; `outcomes`: one per leaf, in print order."""

    head: Report
    outcomes: list[Outcome]
    findings: list[Finding]

    def report(self) -> Report:
        """The whole report as a record."""
        results = {outcome.question_id: outcome.result() for outcome in self.outcomes}
        return self.head.model_copy(update={"results": results})

    def text(self) -> str:
        """The text of report.json: the bytes that `dump_json(report())` gives, put together from the
        questions' ready entries."""
        text = json_text(self.head.model_dump(mode="json")) + "\n"
        if not self.outcomes:
            return text
        entries = ",\n".join([outcome.text for outcome in self.outcomes])
        return text.replace('\n  "results": {},', f'\n  "results": {{\n{entries}\n  }},', 1)


def grade_sheet(plan: ExamPlan, sheet: RawSheet, *, text_only: bool = False) -> GradedSheet:
    """Grade one sheet by rule. The same plan and sheet give the same report, whatever was graded before.

    `text_only`: questions that need an image and have no answer were never put to the taker. Raises nothing
    for what a sheet may hold; another exam's sheet is for `foreign_exam` to find first.
    """
    return assembled(plan, sheet, _outcomes(plan, sheet, text_only))


@dataclass
class PanelRecord:
    """What judges add to a report. `made`: seconds since the epoch of the newest verdict, 0 where one is not kept."""

    agreement: dict[str, Any]
    usage: dict[str, Any]
    cost: dict[str, Any]
    findings: list[Finding]
    made: int = 0


class Columns(NamedTuple):
    """The outcomes of a sheet field by field: one walk over thousands of them instead of one for each figure."""

    ids: Sequence[str]
    modes: Sequence[str]
    maxima: Sequence[float]
    awarded: Sequence[float]
    details: Sequence[dict[str, Any]]
    texts: Sequence[str]
    losses: Sequence[Loss | None]
    findings: Sequence[tuple[Finding, ...]]
    verdicts: Sequence[tuple[dict[str, Any], ...]]
    rotated: Sequence[bool]

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> Columns:
        return cls._make(zip(*outcomes, strict=True)) if outcomes else cls._make([()] * len(cls._fields))


def assembled(
    plan: ExamPlan, sheet: RawSheet, outcomes: list[Outcome], panel: PanelRecord | None = None
) -> GradedSheet:
    """The report of these outcomes, one per leaf in print order."""
    if plan.sealed:
        outcomes = [redacted(outcome) for outcome in outcomes]
    findings = [*sheet.findings, *_sheet_findings(plan, sheet), *(panel.findings if panel else ())]
    columns = Columns.of(outcomes)
    findings.extend(chain.from_iterable(columns.findings))
    skipped = columns.modes.count("skipped")
    if skipped:
        findings.append(info("sheet.skipped", f"{skipped} questions were not put to the taker"))
    head = _head(plan, sheet, outcomes, columns, findings)
    if panel is not None:
        head.judge_agreement, head.usage, head.cost = panel.agreement, panel.usage, panel.cost
        if panel.made and not is_fixed():
            # verdicts from the cache give the same report at any time and on any machine
            head.graded_at = stamp(panel.made)
    return GradedSheet(head, outcomes, findings)


def foreign_exam(plan: ExamPlan, sheet: RawSheet) -> Finding | None:
    """The finding that refuses a sheet of another exam."""
    if sheet.exam_id == plan.exam_id:
        return None
    told = f"the sheet belongs to the exam {sheet.exam_id!r}, the bundle is {plan.exam_id!r}"
    return error("sheet.other_exam", told, hint="grade it against its own bundle")


def _outcomes(plan: ExamPlan, sheet: RawSheet, text_only: bool) -> list[Outcome]:
    """One per leaf, in print order. Most sheets have answers and nothing to say about them: those go straight."""
    questions, answers = plan.questions.values(), sheet.answers
    if sheet.outcomes or None in answers.values() or not answers.keys() >= plan.questions.keys():
        return [_outcome(question, sheet, text_only) for question in questions]
    return [question.graded(answers[question.id]) for question in questions]


def _outcome(question: QuestionPlan, sheet: RawSheet, text_only: bool) -> Outcome:
    end = sheet.outcomes.get(question.id) if sheet.outcomes else None
    if end is not None and end.rotation is not None and end.rotation.of > 1 and question.scorer is not None:
        return circular(question, end.rotation)
    value = sheet.answers.get(question.id)
    if value is not None:
        return question.graded(value)
    if text_only and question.needs_image and (end is None or end.status == "answered"):
        return question.skipped({"reason": "the question needs an image"})
    return question.without_answer(end.status if end else None)


def _sheet_findings(plan: ExamPlan, sheet: RawSheet) -> list[Finding]:
    found: list[Finding] = []
    for question in [name for name in sheet.answers if name not in plan.questions]:
        found.append(
            warning("sheet.unknown_question", "the exam has no such question; its answer is ignored", question)
        )
    found.sort(key=lambda one: one.where.question or "")
    if sheet.bundle_digest and plan.digest and sheet.bundle_digest != plan.digest:
        told = f"the sheet was written for the digest {sheet.bundle_digest[:12]}…, the bundle has {plan.digest[:12]}…"
        found.append(warning("sheet.other_digest", told, hint="the paper or its key has changed since"))
    for question, outcome in sheet.outcomes.items():
        if outcome.status != "answered" and sheet.answers.get(question) is not None:
            told = f"has an answer although its outcome is {outcome.status}; the answer is graded"
            found.append(warning("sheet.outcome", told, question))
    return found


def _head(
    plan: ExamPlan, sheet: RawSheet, outcomes: list[Outcome], columns: Columns, findings: list[Finding]
) -> Report:
    earned = columns.awarded
    skipped = [outcome for outcome in outcomes if outcome.mode == "skipped"] if "skipped" in columns.modes else []
    errors = [outcome for outcome in outcomes if outcome.mode == "error"] if "error" in columns.modes else []
    ungraded = [plan.questions[outcome.question_id] for outcome in errors]
    not_put = {outcome.question_id for outcome in skipped}
    awarded, skipped_points = math.fsum(earned), math.fsum(outcome.max_points for outcome in skipped)
    ungraded_points = math.fsum(question.max_points for question in ungraded)
    covered = plan.total - skipped_points
    unanchored_points = math.fsum(q.max_points for q in plan.unanchored if q.id not in not_put)
    return Report(
        exam_id=plan.exam_id,
        taker=sheet.taker,
        graded_at=now(),
        section_totals={
            name: {"awarded": math.fsum(earned[first:last]), "max_points": points}
            for name, first, last, points in plan.sections
        },
        total_awarded=awarded,
        total_max=plan.total,
        percentage=_percentage(awarded, plan.total),
        skipped_count=len(skipped),
        skipped_points=skipped_points,
        covered_max=covered,
        covered_percentage=_percentage(awarded, covered),
        warnings=[_warning(one) for one in findings if one.severity != "info" or one.code == "sheet.skipped"],
        usage=sheet.usage,
        bundle_digest=plan.digest,
        bundle_source=plan.source,
        sealed=True if plan.sealed else None,
        ungraded_count=len(ungraded),
        ungraded_points=ungraded_points,
        bounds=Bounds(low=awarded + math.fsum(q.least for q in ungraded), high=awarded + ungraded_points),
        unanchored_points=unanchored_points,
        headline=_headline(plan, outcomes, awarded, covered, unanchored_points) if unanchored_points else None,
        lost=sum_losses(columns.losses),
        rotation=rotation_report(plan, sheet.outcomes, outcomes if True in columns.rotated else []),
    )


def _headline(
    plan: ExamPlan, outcomes: list[Outcome], awarded: float, covered: float, unanchored_points: float
) -> Headline:
    unanchored = {question.id for question in plan.unanchored}
    apart = math.fsum(outcome.awarded for outcome in outcomes if outcome.question_id in unanchored)
    most = covered - unanchored_points
    return Headline(
        awarded=awarded - apart,
        max_points=most,
        percentage=_percentage(awarded - apart, most),
        unanchored_awarded=apart,
    )


def _warning(found: Finding) -> str:
    return f"{found.where.question}: {found.message}" if found.where.question else found.message


def _percentage(awarded: float, of: float) -> float:
    return awarded / of * 100 if of else 0.0


def mode_counts(graded: GradedSheet) -> dict[str, int]:
    """How many questions ended in each mode."""
    counts: dict[str, int] = {}
    for outcome in graded.outcomes:
        counts[outcome.mode] = counts.get(outcome.mode, 0) + 1
    return counts


def summary(graded: GradedSheet) -> dict[str, Any]:
    """The figures of a report that fit on one line, as JSON values."""
    head = graded.head
    return {
        "taker": head.taker,
        "awarded": head.total_awarded,
        "max": head.total_max,
        "percentage": head.percentage,
        "covered_percentage": head.covered_percentage,
        "bounds": head.bounds.model_dump() if head.bounds else None,
        "ungraded": head.ungraded_count,
        "skipped": head.skipped_count,
        "modes": mode_counts(graded),
        "headline": head.headline.model_dump() if head.headline else None,
        "lost": head.lost.model_dump() if head.lost else None,
        "rotation": head.rotation.model_dump() if head.rotation else None,
    }
