"""A bench from its first call to its record: sittings in one pool, then grading in another."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath
from typing import Any

from ...models.budget import Purse
from ...models.outcome import Usage
from ...models.plan import Plan as CallPlan
from ...schemas.bundle import save_record
from ...schemas.errors import BudgetError, Exam2BenchError
from ...schemas.findings import Finding
from ...schemas.json_files import write_text
from ...solve.sheet import make_sheet
from .assembly import Run, graded_entry, marks_of, put_together
from .folder import run_folder, slugs
from .judging import Desk, Judge, assumed_cases, judge_all, judge_findings, open_judges
from .paper import exam_entry
from .record import Bench, RunEntry
from .settings import Plan
from .sittings import Paper, Sat, Sitting, Taker, open_takers, sit_all, sittings_of


class BenchRun:
    """One bench. `stopped`: the budget's error, where it ended before everything was asked."""

    def __init__(self, args: argparse.Namespace, plan: Plan, papers: Sequence[Paper]) -> None:
        self.args, self.plan, self.papers = args, plan, papers
        self.sittings = sittings_of(papers, plan.settings)
        self.purse = Purse(args.max_cost)
        self.takers: list[Taker] = []
        self.judges: list[Judge] = []
        self.stopped: BudgetError | None = None
        self._digests = {paper.bundle.exam.exam_id: paper.bundle.digest() for paper in papers}
        self._exam_slugs = slugs([paper.bundle.exam.exam_id for paper in papers])
        self._model_slugs = slugs(plan.settings.models)

    def plans(self) -> list[tuple[str, CallPlan | str]]:
        """(role, plan), or (role, why there is none), for every model and judge. Sends nothing, needs no key."""
        desks = [Desk.of(paper.bundle) for paper in self.papers]
        self._open(desks)
        try:
            plans: list[tuple[str, CallPlan | str]] = []
            for taker in self.takers:
                plans.append(("model", _plan_or_fault(taker, lambda taker=taker: self._taker_plan(taker))))
            for judge in self.judges:
                plans.append(("judge", _plan_or_fault(judge, lambda judge=judge: self._judge_plan(judge, desks))))
        finally:
            asyncio.run(self._close())
        return plans

    def _taker_plan(self, taker: Taker) -> CallPlan:
        assert taker.gateway is not None
        asked = [sitting.paper.askings(sitting.repeat, blind=sitting.blind) for sitting in self.sittings]
        return taker.gateway.plan([asking.request for askings in asked for asking in askings])

    def _judge_plan(self, judge: Judge, desks: Sequence[Desk]) -> CallPlan:
        """What the judge would cost at most, for answers of an assumed length."""
        sittings = len(self.sittings) // len(self.papers) * len(self.takers)
        (whole, *others) = [
            seat.plan(assumed_cases(desk, sittings), self.args.judge_repeat)
            for desk in desks
            for seat in desk.seats([judge], self.args, "-")
        ]
        for plan in others:
            whole += plan
        return whole

    def complete(self) -> Bench:
        """Ask, grade, count. Ctrl-C leaves every reply in the cache."""
        return asyncio.run(self._complete())

    async def _complete(self) -> Bench:
        desks = [Desk.of(paper.bundle) for paper in self.papers]
        self._open(desks)
        try:
            await sit_all(self.takers, self.sittings, self.purse)
            self.stopped = _budget_error(self.takers)
            filed = [self._file(taker, sat) for taker in self.takers for sat in taker.sat]
            by_exam = {desk.plan.exam_id: desk for desk in desks}
            places = [by_exam[entry.exam_id].add(self.plan.folder / (entry.sheet or "")) for entry in filed]
            await self._judge(desks)
            runs = [
                self._graded(by_exam[entry.exam_id], place, entry) for entry, place in zip(filed, places, strict=True)
            ]
        finally:
            await self._close()
        return self._record(desks, runs)

    def _open(self, desks: Sequence[Desk]) -> None:
        self.takers = open_takers(self.args, self.plan, self.purse)
        if any(desk.session.tasks for desk in desks):
            self.judges = open_judges(self.args, self.plan, self.purse)

    async def _close(self) -> None:
        for one in (*self.takers, *self.judges):
            if one.gateway is not None:
                await one.gateway.aclose()

    async def _judge(self, desks: Sequence[Desk]) -> None:
        if not any(judge.gateway for judge in self.judges):
            return
        try:
            await judge_all(desks, self.judges, self.args, self.purse)
        except BudgetError as fault:
            self.stopped = fault

    def _file(self, taker: Taker, sat: Sat) -> RunEntry:
        """Write the sheet of a sitting and give its row."""
        assert taker.gateway is not None
        sitting, bundle = sat.sitting, sat.sitting.paper.bundle
        usage, seconds = sat.usage, round(sat.seconds, 3)
        cost = 0.0 if taker.gateway.model.local else taker.gateway.budget.cost(usage)
        told = {"model": str(taker.gateway.model), "requests": len(sat.replies), "tokens": usage.as_dict()}
        sheet = make_sheet(
            bundle.exam.exam_id,
            taker.name,
            self._digests[bundle.exam.exam_id],
            sat.askings,
            sat.replies,
            sitting.paper.selection,
            {**told, "cost_usd": cost, "seconds": seconds, "blind": sitting.blind},
            rotate=self.plan.settings.rotate is not None,
        )
        sheet.bundle_source = bundle.manifest.source()
        folder = self._folder(taker.name, sitting)
        save_record(self.plan.folder / folder / "answers.json", sheet)
        entry = _entry(taker.name, sitting, "done")
        return entry.model_copy(update={"sheet": str(folder / "answers.json"), **_spent(usage, cost, seconds)})

    def _folder(self, model: str, sitting: Sitting) -> Any:
        exam = self._exam_slugs[sitting.paper.bundle.exam.exam_id]
        return run_folder(exam, self._model_slugs[model], sitting.repeat + 1, sitting.blind)

    def _graded(self, desk: Desk, place: int | Finding, entry: RunEntry) -> Run:
        """Write the report of a sheet and give its row with what it says."""
        if isinstance(place, Finding):
            return Run(entry.model_copy(update={"status": "failed", "why": place.message}), None)
        graded, sheet = desk.graded[place], desk.sheets[place]
        report = str(PurePosixPath(entry.sheet or "").with_name("report.json"))
        write_text(self.plan.folder / report, graded.text())
        return Run(graded_entry(entry.model_copy(update={"report": report}), graded), marks_of(entry, sheet, graded))

    def _record(self, desks: Sequence[Desk], runs: Sequence[Run]) -> Bench:
        exams = [exam_entry(paper.bundle, {asked.leaf.id for asked in paper.selection.asked}) for paper in self.papers]
        why = {taker.name: str(taker.error) for taker in self.takers if taker.error is not None}
        failed = [
            Run(_entry(taker.name, sitting, "failed", why.get(taker.name)), None)
            for taker in self.takers
            for sitting in self.sittings
            if not any(sat.sitting is sitting for sat in taker.sat)
        ]
        findings: list[Finding] = [*judge_findings(self.judges)]
        for desk in desks:
            findings += desk.plan.findings
        return put_together(self.plan.settings, exams, [*runs, *failed], why, findings)

    def exit_code(self) -> int:
        """1 where a model or judge failed; where no model could sit at all, the code of what stopped the first."""
        errors = [one.error for one in (*self.takers, *self.judges) if one.error is not None]
        if not any(taker.sat for taker in self.takers):
            return next(taker.error.exit_code for taker in self.takers if taker.error is not None)
        return 1 if errors else 0


def _plan_or_fault(one: Taker | Judge, plan: Callable[[], CallPlan]) -> CallPlan | str:
    """The plan of a model or judge, or in a sentence why there is none."""
    if one.gateway is None:
        return f"{one.name}: {one.error}"
    try:
        return plan()
    except Exam2BenchError as fault:
        return f"{one.name}: {fault}"


def _budget_error(takers: Sequence[Taker]) -> BudgetError | None:
    return next((taker.error for taker in takers if isinstance(taker.error, BudgetError)), None)


def _entry(model: str, sitting: Sitting, status: Any, why: str | None = None) -> RunEntry:
    exam = sitting.paper.bundle.exam.exam_id
    return RunEntry(model=model, exam_id=exam, repeat=sitting.repeat + 1, blind=sitting.blind, status=status, why=why)


def _spent(usage: Usage, cost: float | None, seconds: float) -> dict[str, Any]:
    return {"input_tokens": usage.input, "output_tokens": usage.output, "cost_usd": cost, "seconds": seconds}
