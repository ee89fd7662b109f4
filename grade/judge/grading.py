"""`exam2bench grade --judge`: rules first, then the panel over many sheets at once, then their reports."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...schemas.bundle import Bundle
from ...schemas.errors import UsageError
from ...schemas.findings import Finding
from ...schemas.json_files import read_record, write_text
from ...schemas.printable import printable
from ...schemas.report import QuestionResult, Report
from ..command import rows_printer, serious, sheet_for
from ..plan import ExamPlan
from ..report import grade_sheet, summary
from .flags import open_panel
from .panel import Seat
from .session import Session

WAVE = 2_000
"""Answers that are asked together. Enough to keep every connection busy and each question's answers in a row; what a
wave needs is let go before the next, so that memory does not grow with the number of sheets."""
BATCH_WAVE = 50_000
"""The same through a provider's batch service, which may take a day for each."""
SHEETS = 500
"""The most sheets of a wave, where hardly anything in them is judged."""


@dataclass(frozen=True, slots=True)
class Place:
    """A sheet's file and its report's; `refused` where the sheet cannot be graded."""

    path: Path
    target: Path
    refused: Finding | None = None


def judge_sheets(
    args: argparse.Namespace, plan: ExamPlan, bundle: Bundle, files: Sequence[tuple[Path, Path]], failed: bool
) -> int:
    """Grade the sheets (path, report's path) with the judges that the flags name, wave after wave. Returns the exit
    code; raises BudgetError after the reports are written, where --max-cost ended the run."""
    if args.explain_below is not None and not 0 <= args.explain_below <= 1:
        raise UsageError(f"--explain-below {args.explain_below:g} is a probability, from 0 to 1")
    if args.only_ungraded:
        for _, target in files:  # said before anything is paid for
            _earlier(target, plan)
    session = Session(plan, bundle, aggregation=args.aggregation)
    waves = _waves(args, session, bundle, files)
    with open_panel(args, bundle) as seats:
        _check_explaining(args, seats)
        if args.dry_run:
            _print_plans(args, session, seats, waves)
            return 0
        printer = rows_printer(args.json, plan.findings)
        for wave in waves:
            failed = _write_wave(args, session, seats, wave, printer) or failed
        printer.close()
        for seat in seats:
            print(f"{seat.name}: {seat.gateway.tally.text()}", file=sys.stderr)
        for seat in seats:
            if seat.stopped is not None:
                raise seat.stopped
    return 1 if failed else 0


def _waves(
    args: argparse.Namespace, session: Session, bundle: Bundle, files: Sequence[tuple[Path, Path]]
) -> Iterator[list[Place]]:
    """Fill the session with one wave after another; it is emptied when the next is asked for."""
    most = BATCH_WAVE if args.batch else WAVE
    wave: list[Place] = []
    answers = 0
    for path, target in files:
        sheet = sheet_for(session.plan, bundle.exam, path)
        if isinstance(sheet, Finding):
            wave.append(Place(path, target, sheet))
            continue
        earlier = _earlier(target, session.plan) if args.only_ungraded else {}
        graded = grade_sheet(session.plan, sheet, text_only=args.text_only)
        answers += session.add(sheet, graded, path.parent, earlier)
        wave.append(Place(path, target))
        if answers >= most or (len(wave) >= SHEETS and not args.batch):
            yield wave
            session.clear()
            wave, answers = [], 0
    if wave:
        yield wave
        session.clear()


def _write_wave(
    args: argparse.Namespace, session: Session, seats: Sequence[Seat], wave: Sequence[Place], printer: Any
) -> bool:
    """Judge the session's sheets and write their reports. Returns whether any has findings that count."""
    failed = False
    graded = iter(session.judge(seats, repeats=args.repeat, explain_below=args.explain_below, max_cost=args.max_cost))
    for place in wave:
        row: dict[str, Any] = {"sheet": printable(place.path), "report": None}
        if place.refused is not None:
            printer.row(row, [place.refused])
            failed = True
            continue
        report = next(graded)
        write_text(place.target, report.text())
        printer.row({**row, "report": printable(place.target), **summary(report)}, report.findings)
        failed = serious(report.findings) or failed
    return failed


def _check_explaining(args: argparse.Namespace, seats: Sequence[Seat]) -> None:
    if args.explain_below is None:
        return
    if all(seat.typed for seat in seats) or not any(seat.typed for seat in seats):
        raise UsageError(
            "--explain-below needs a judge of levels (decisions:, llama:, vllm:) and one that replies in text"
        )


def _earlier(target: Path, plan: ExamPlan) -> dict[str, QuestionResult]:
    """The results of the report that stands at the target. Raises UsageError where it is of another paper or key."""
    if not target.exists():
        return {}
    report = read_record(target, Report)
    if report.exam_id != plan.exam_id or report.bundle_digest != plan.digest:
        told = "was earned on another paper or key: grade anew, or use `exam2bench regrade`"
        raise UsageError(f"{printable(target)} {told}")
    return report.results


def _print_plans(
    args: argparse.Namespace, session: Session, seats: Sequence[Seat], waves: Iterable[list[Place]]
) -> None:
    answers, plans = 0, [seat.plan([], args.repeat) for seat in seats]
    seen: list[set[str]] = [set() for _ in seats]
    for _ in waves:
        cases = [case for _, case in session.cases()]
        answers += len(cases)
        plans = [
            so_far + seat.plan(cases, args.repeat, known)
            for so_far, seat, known in zip(plans, seats, seen, strict=True)
        ]
    if args.json:
        print(json.dumps([plan.as_dict() for plan in plans], ensure_ascii=False, indent=2))
        return
    print(f"{answers} answers to judge")
    for plan in plans:
        print(plan.text())
