"""A report taken along to an amended key: the questions concerned are graded anew, all others stay as they were."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..schemas.bundle import Bundle
from ..schemas.errors import UsageError
from ..schemas.exam import Question
from ..schemas.report import QuestionResult, Report
from .entries import Outcome, outcome
from .marks import MAX_SHOWN
from .plan import ExamPlan
from .report import GradedSheet, grade_sheet
from .sheets import RawSheet

if TYPE_CHECKING:
    from .judge.session import Session


@dataclass
class Regrading:
    """One report on its way. `concerned`: question ids with what changed and why; `unknown`: concerned questions
    whose answer the report does not hold."""

    report: Report
    concerned: dict[str, str]
    sheet: RawSheet
    graded: GradedSheet
    unknown: list[str] = field(default_factory=list)


def changes_since(bundle: Bundle, digest: str | None) -> dict[str, str]:
    """The questions amended since the bundle had that digest, each with the changes and their reasons.

    Raises UsageError where the digest is none of the bundle's revisions.
    """
    if digest is not None and digest == bundle.digest():
        return {}
    entries = bundle.grading.amendments
    starts = [place for place, entry in enumerate(entries) if digest and entry.get("from_digest") == digest]
    if not starts:
        shown = "no digest" if digest is None else f"the digest {digest[:12]}…"
        raise UsageError(f"the report has {shown}, which is no revision of this bundle: grade the sheet anew")
    found: dict[str, str] = {}
    for entry in entries[starts[0] :]:
        for name, change in entry.get("questions", {}).items():
            told = f"{change.get('change')}: {change.get('reason')} ({change.get('source')})"
            found[name] = f"{found[name]}; {told}" if name in found else told
    return found


def prepare(plan: ExamPlan, bundle: Bundle, report: Report, sheet: RawSheet | None) -> Regrading:
    """Grade the questions concerned by rule. `sheet`: the taker's answers; without it they come from the report."""
    concerned = changes_since(bundle, report.bundle_digest)
    source = sheet or RawSheet(report.exam_id, report.taker, {})
    partial = RawSheet(report.exam_id, report.taker, {}, usage=source.usage)
    unknown: list[str] = []
    for name in concerned:
        result = report.results.get(name)
        if sheet is not None:
            if name in sheet.answers:
                partial.answers[name] = sheet.answers[name]
            if name in sheet.outcomes:
                partial.outcomes[name] = sheet.outcomes[name]
        elif result is not None and result.mode not in ("unanswered", "skipped"):
            answer = answer_in(plan.questions[name].question, result)
            if answer is None:
                unknown.append(name)
            else:
                partial.answers[name] = answer
    graded = grade_sheet(plan, partial)
    outcomes = [_outcome(one, report, concerned, unknown, sheet is not None) for one in graded.outcomes]
    return Regrading(report, concerned, partial, GradedSheet(graded.head, outcomes, []), unknown)


def _outcome(fresh: Outcome, report: Report, concerned: dict[str, str], unknown: list[str], has_sheet: bool) -> Outcome:
    name = fresh.question_id
    old = report.results.get(name)
    if name in concerned and fresh.max_points <= 0:
        return outcome(name, "deterministic", 0.0, 0.0, {"reason": "the question is worth no points"})
    if name in unknown:
        told = "its key was amended and the report does not hold the answer: give the sheet with --answers"
        return outcome(name, "error", fresh.max_points, 0.0, {"error": told})
    if old is not None and name not in concerned:
        return standing(old)
    if old is not None and old.mode in ("unanswered", "skipped") and not has_sheet:
        return outcome(name, old.mode, fresh.max_points, 0.0, old.detail)
    return fresh


def standing(result: QuestionResult) -> Outcome:
    """An earlier report's result as it stands."""
    verdicts = [verdict.model_dump(mode="json") for verdict in result.judge_verdicts]
    return outcome(result.question_id, result.mode, result.max_points, result.awarded, result.detail, (), verdicts)


def finish(plan: ExamPlan, items: list[Regrading], session: Session | None, **judging: Any) -> list[GradedSheet]:
    """The new reports. `session`: asks judges about the questions concerned that no rule decides; without one they
    stay ungraded. Raises what the judges raise."""
    from .report import PanelRecord, assembled

    if session is not None and judging["seats"]:
        for item in items:
            session.add(item.sheet, item.graded, Path(), {})
        return session.judge(judging.pop("seats"), **judging)
    done = []
    for item in items:
        old = item.report
        panel = PanelRecord(old.judge_agreement or {}, old.usage or {}, old.cost or {}, [])
        graded = assembled(plan, item.sheet, item.graded.outcomes, panel if old.judge_agreement else None)
        graded.head.usage = old.usage
        done.append(graded)
    return done


def answer_in(question: Question, result: QuestionResult) -> dict[str, Any] | None:
    """The answer that a report repeats, in the sheet's shape; None where it does not, or not in full."""
    detail = result.detail
    found: dict[str, Any] | None = None
    match question.type:
        case "single_choice" if len(detail.get("selected") or []) == 1:
            found = {"type": "single_choice", "selected": detail["selected"][0]}
        case "multiple_choice" if isinstance(detail.get("selected"), list):
            found = {"type": "multiple_choice", "selected": detail["selected"]}
        case "true_false" if isinstance(detail.get("value"), bool):
            found = {"type": "true_false", "value": detail["value"]}
        case "fill_in_blank" if isinstance(detail.get("blanks"), dict):
            found = {"type": "fill_in_blank", "blanks": _answers(detail["blanks"])}
        case "matching" if isinstance(detail.get("pairs"), dict):
            found = {"type": "matching", "pairs": _answers(detail["pairs"])}
        case "short_answer" | "essay" if isinstance(detail.get("answer"), str):
            found = {"type": "text", "text": detail["answer"]}
        case "short_answer" | "essay" if isinstance(detail.get("items"), list):
            found = {"type": "text", "text": "\n".join(detail["items"])}
    return None if found is None or _cut(found) else found


def _answers(entries: dict[str, Any]) -> dict[str, str]:
    return {name: entry["answer"] for name, entry in entries.items() if entry.get("answer") is not None}


def _cut(value: Any) -> bool:
    """Whether a text in it was shortened for the report."""
    if isinstance(value, dict):
        return any(_cut(item) for item in value.values())
    if isinstance(value, list):
        return any(_cut(item) for item in value)
    return isinstance(value, str) and len(value) == MAX_SHOWN and value.endswith("…")
