"""Sheets of a bench graded: rules first, then every judge on every open answer of every bundle in one pool."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ...grade.command import sheet_for
from ...grade.judge.flags import make_seat, served_name
from ...grade.judge.framing import draw_boundary
from ...grade.judge.panel import Case, Paper, Seat
from ...grade.judge.session import Session
from ...grade.judge.verdicts import Verdict
from ...grade.plan import ExamPlan
from ...grade.report import GradedSheet, grade_sheet
from ...grade.sheets import RawSheet
from ...models.budget import Purse
from ...models.gateway import Gateway
from ...models.paper_parts import locate
from ...schemas.bundle import Bundle
from ...schemas.errors import Exam2BenchError
from ...schemas.findings import Finding, error
from .settings import Plan
from .sittings import SharedProgress, open_gateway

ASSUMED_ANSWER = "x" * 2_000
"""What a dry run takes for an answer that is not written yet."""


@dataclass
class Judge:
    """One judge of the panel. `gateway` None or `error` set: it cannot be used, and the others decide."""

    name: str
    gateway: Gateway | None = None
    error: Exam2BenchError | None = None


@dataclass
class Desk:
    """Where the sheets of one bundle are graded. `sheets` and `graded` stand in the order of `add`."""

    bundle: Bundle
    plan: ExamPlan
    session: Session
    sheets: list[RawSheet] = field(default_factory=list)
    graded: list[GradedSheet] = field(default_factory=list)

    @classmethod
    def of(cls, bundle: Bundle) -> Desk:
        plan = ExamPlan.of(bundle)
        return cls(bundle, plan, Session(plan, bundle))

    def add(self, path: Path) -> int | Finding:
        """Take in a sheet that this bench wrote; returns its place, or why it cannot be graded (it is too large)."""
        sheet = sheet_for(self.plan, self.bundle.exam, path)
        if isinstance(sheet, Finding):
            return sheet
        graded = grade_sheet(self.plan, sheet)
        self.session.add(sheet, graded, path.parent)
        self.sheets.append(sheet)
        self.graded.append(graded)
        return len(self.sheets) - 1

    def seats(self, judges: Sequence[Judge], args: argparse.Namespace, boundary: str) -> list[Seat]:
        """The judges that can be asked, at this bundle; --effort is the models', not theirs."""
        paper = Paper(locate(self.bundle.exam), self.bundle.read_asset, self.bundle.exam.language)
        usable = [(judge.name, judge.gateway) for judge in judges if judge.gateway is not None]
        return [make_seat(name, gateway, paper, args, None, boundary) for name, gateway in usable]


def open_judges(args: argparse.Namespace, plan: Plan, purse: Purse) -> list[Judge]:
    """A gateway for every judge; what is wrong with a name or price is that judge's."""
    judges = []
    for name in plan.settings.judges:
        try:
            judges.append(Judge(name, open_gateway(args, plan, name, served_name(name), purse)))
        except Exam2BenchError as fault:
            judges.append(Judge(name, error=fault))
    return judges


async def judge_all(desks: Sequence[Desk], judges: Sequence[Judge], args: argparse.Namespace, purse: Purse) -> None:
    """Put what no rule decided to all judges at once and replace the desks' graded sheets. Raises BudgetError, after
    all is graded that was paid for, where the money ended."""
    shared = SharedProgress(purse)
    boundary = draw_boundary()
    tables = [desk.seats(judges, args, boundary) for desk in desks]
    try:
        async with asyncio.TaskGroup() as pool:
            work = [
                [pool.create_task(_verdicts(seat, desk, judges, args.judge_repeat, shared)) for seat in seats]
                for desk, seats in zip(desks, tables, strict=True)
            ]
    finally:
        shared.clear()
    for desk, seats, tasks in zip(desks, tables, work, strict=True):
        given = [task.result() for task in tasks]
        if seats:
            # one list of verdicts a case, judge after judge
            merged = [[verdict for one in case for verdict in one] for case in zip(*given, strict=True)]
            desk.graded = desk.session.reports(merged, seats)
    stopped = [seat.stopped for seats in tables for seat in seats if seat.stopped is not None]
    if stopped:
        raise stopped[0]


async def _verdicts(
    seat: Seat, desk: Desk, judges: Sequence[Judge], repeats: int, shared: SharedProgress
) -> list[list[Verdict]]:
    cases = [case for _, case in desk.session.cases()]
    seat.gateway.progress = shared
    try:
        return await seat.ajudge(cases, repeats)
    except Exam2BenchError as fault:
        next(judge for judge in judges if judge.gateway is seat.gateway).error = fault
        return [[Verdict(seat.name, 0, "transport_error", why=str(fault))] for _ in cases]


def judge_findings(judges: Sequence[Judge]) -> list[Finding]:
    return [
        error("bench.judge_failed", f"{judge.name} gave no verdicts: {judge.error}", hint="the other judges decide")
        for judge in judges
        if judge.error is not None
    ]


def assumed_cases(desk: Desk, sittings: int) -> list[Case]:
    """What the judges of one bundle would be asked after so many sittings, with answers of an assumed length."""
    answers = [f"{number} {ASSUMED_ANSWER}" for number in range(sittings)]
    return [Case(task, answer) for task in desk.session.tasks.values() for answer in answers]
