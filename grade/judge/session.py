"""Sheets through a panel of judges: what no rule decided is put to them, question by question, over all sheets."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ...models.paper_parts import image_type, locate
from ...models.request import ImagePart
from ...schemas.answers import AnswerValue, DrawingAnswer, TextAnswer
from ...schemas.assets import asset_file
from ...schemas.bundle import Bundle
from ...schemas.errors import BundleError
from ...schemas.findings import Finding
from ...schemas.grading import PartsRule
from ...schemas.report import QuestionResult
from ..entries import Outcome, outcome
from ..numbers import decimal_comma
from ..plan import ExamPlan, QuestionPlan
from ..regrading import standing as kept_outcome
from ..report import GradedSheet, PanelRecord, assembled
from ..sheets import RawSheet
from .panel import Case, Paper, Seat, ask_panel
from .parts import settled_parts
from .results import judged_outcome, panel_agreement, panel_cost, panel_findings, panel_usage
from .task import JudgeTask, judge_task
from .verdicts import Verdict


@dataclass
class Pending:
    """A sheet graded by rule, waiting for its judged questions. `folder`: where pictures of its answers lie.
    `earlier`: results of an earlier report that stand. `cases`: by question, filled by `Session.add`."""

    sheet: RawSheet
    graded: GradedSheet
    folder: Path
    earlier: dict[str, QuestionResult] = field(default_factory=dict)
    cases: dict[str, Case] = field(default_factory=dict)
    by_rule: dict[str, Outcome] = field(default_factory=dict)


class Session:
    """One bundle, one panel, any number of sheets. `aggregation` over judges: mean, median, min or max."""

    def __init__(self, plan: ExamPlan, bundle: Bundle, *, aggregation: str | None = None) -> None:
        self.plan = plan
        self.paper = Paper(locate(bundle.exam), bundle.read_asset)
        self.aggregation = aggregation or bundle.grading.judge.aggregation
        self.comma = decimal_comma(bundle.exam.language)
        self.tasks: dict[str, JudgeTask] = {}
        for name, question in plan.questions.items():
            task = judge_task(question.grading) if question.awaits_judge and question.grading else None
            if task is not None:
                self.tasks[name] = task
        self.pending: list[Pending] = []

    def add(
        self, sheet: RawSheet, graded: GradedSheet, folder: Path, earlier: dict[str, QuestionResult] | None = None
    ) -> int:
        """Take a sheet in; returns how many of its answers are to be judged. `earlier`: an earlier report's results;
        what they graded is not asked again."""
        pending = Pending(sheet, graded, folder, earlier or {})
        for place in graded.outcomes:
            question = self.plan.questions[place.question_id]
            task = self.tasks.get(question.id)
            standing = pending.earlier.get(question.id)
            if task is None or place.mode != "error" or (standing is not None and standing.mode != "error"):
                continue
            answer = question.readable(sheet.answers.get(question.id))
            if answer is not None:
                self._case(pending, question, task, answer)
        self.pending.append(pending)
        return len(pending.cases)

    def clear(self) -> None:
        """Let go of the sheets; the panel's prompts stay."""
        self.pending.clear()

    def _case(self, pending: Pending, question: QuestionPlan, task: JudgeTask, answer: AnswerValue) -> None:
        text = answer_text(answer)
        rule = question.grading.rule if question.grading else None
        if isinstance(rule, PartsRule):
            settled = settled_parts(rule, text, comma=self.comma)
            task = task.without_parts(settled) if settled else task
            if not task.criteria:
                detail = {"answer": text, "parts": settled}
                pending.by_rule[question.id] = outcome(
                    question.id, "deterministic", question.max_points, task.total([]), detail
                )
                return
        try:
            pending.cases[question.id] = Case(task, text, _pictures(answer, pending.folder))
        except BundleError as fault:
            pending.by_rule[question.id] = question.ungraded(str(fault), "answer.picture")

    def cases(self) -> list[tuple[int, Case]]:
        """(sheet, case), all answers to one question in a row."""
        return [
            (place, pending.cases[name])
            for name in self.tasks
            for place, pending in enumerate(self.pending)
            if name in pending.cases
        ]

    def judge(
        self,
        seats: Sequence[Seat],
        *,
        repeats: int = 1,
        explain_below: float | None = None,
        max_cost: float | None = None,
    ) -> list[GradedSheet]:
        """The reports of all sheets, in the order of `add`."""
        cases = [case for _, case in self.cases()]
        given = ask_panel(seats, cases, repeats=repeats, explain_below=explain_below, max_cost=max_cost)
        return self.reports(given, seats)

    def reports(self, given: Sequence[list[Verdict]], seats: Sequence[Seat]) -> list[GradedSheet]:
        """The reports of all sheets from the verdicts on `cases`, in their order."""
        placed = self.cases()
        by_sheet: list[dict[str, list[Verdict]]] = [{} for _ in self.pending]
        for (place, case), verdicts in zip(placed, given, strict=True):
            by_sheet[place][case.question_id] = verdicts
        return [
            self._report(pending, verdicts, seats) for pending, verdicts in zip(self.pending, by_sheet, strict=True)
        ]

    def _report(self, pending: Pending, verdicts: dict[str, list[Verdict]], seats: Sequence[Seat]) -> GradedSheet:
        judges = [seat.name for seat in seats]
        outcomes: list[Outcome] = []
        for ruled in pending.graded.outcomes:
            name = ruled.question_id
            standing = pending.earlier.get(name)
            if name in verdicts:
                case = pending.cases[name]
                question = self.plan.questions[name]
                ruled = judged_outcome(question, case, verdicts[name], judges, self.aggregation)
            elif name in pending.by_rule:
                ruled = pending.by_rule[name]
            elif ruled.mode == "error" and standing is not None and standing.mode != "error":
                ruled = kept_outcome(standing)
            outcomes.append(ruled)
        every = [verdict for one in verdicts.values() for verdict in one]
        return assembled(self.plan, pending.sheet, outcomes, self._record(pending, outcomes, every, seats))

    def _record(
        self, pending: Pending, outcomes: list[Outcome], verdicts: list[Verdict], seats: Sequence[Seat]
    ) -> PanelRecord:
        judges = [seat.name for seat in seats]
        findings: list[Finding] = panel_findings(seats, pending.sheet.taker)
        kept = bool(verdicts) and all(verdict.made for verdict in verdicts)
        return PanelRecord(
            panel_agreement(outcomes, judges),
            panel_usage(seats, verdicts, pending.sheet.usage),
            panel_cost(seats, verdicts),
            findings,
            made=max(verdict.made for verdict in verdicts) if kept else 0,
        )


def answer_text(answer: AnswerValue) -> str:
    """An answer of any type as a judge reads it."""
    if isinstance(answer, TextAnswer):
        return answer.text
    if isinstance(answer, DrawingAnswer):
        return answer.description
    content = answer.model_dump(mode="json", exclude={"type"})
    return "\n".join(f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in content.items())


def _pictures(answer: AnswerValue, folder: Path) -> tuple[ImagePart, ...]:
    """The picture of a drawn answer, from the sheet's folder. Raises BundleError where it is missing."""
    if not isinstance(answer, DrawingAnswer) or not answer.image_asset:
        return ()
    try:
        data = asset_file(folder, answer.image_asset).read_bytes()
    except OSError as fault:
        raise BundleError(f"{answer.image_asset} cannot be read: {fault.strerror}") from fault
    return (ImagePart(data, image_type(data, answer.image_asset)),)
