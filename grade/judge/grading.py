"""`exam2bench grade --judge`: rules first, then the panel over all sheets, then a report for each sheet."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
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


def judge_sheets(
    args: argparse.Namespace, plan: ExamPlan, bundle: Bundle, files: Sequence[tuple[Path, Path]], failed: bool
) -> int:
    """Grade the sheets (path, report's path) with the judges that the flags name. Returns the exit code; raises
    BudgetError after the reports are written, where --max-cost ended the run."""
    if args.explain_below is not None and not 0 <= args.explain_below <= 1:
        raise UsageError(f"--explain-below {args.explain_below:g} is a probability, from 0 to 1")
    session = Session(plan, bundle, aggregation=args.aggregation)
    refused: dict[Path, Finding] = {}
    for path, target in files:
        sheet = sheet_for(plan, bundle.exam, path)
        if isinstance(sheet, Finding):
            refused[path] = sheet
            continue
        earlier = _earlier(target, plan) if args.only_ungraded else {}
        session.add(sheet, grade_sheet(plan, sheet, text_only=args.text_only), path.parent, earlier)
    with open_panel(args, bundle) as seats:
        _check_explaining(args, seats)
        if args.dry_run:
            _print_plans(args, session, seats)
            return 0
        graded = iter(
            session.judge(seats, repeats=args.repeat, explain_below=args.explain_below, max_cost=args.max_cost)
        )
        printer = rows_printer(args.json, plan.findings)
        for path, target in files:
            row: dict[str, Any] = {"sheet": printable(path), "report": None}
            if path in refused:
                printer.row(row, [refused[path]])
                failed = True
                continue
            report = next(graded)
            write_text(target, report.text())
            printer.row({**row, "report": printable(target), **summary(report)}, report.findings)
            failed = serious(report.findings) or failed
        printer.close()
        for seat in seats:
            print(f"{seat.name}: {seat.gateway.tally.text()}", file=sys.stderr)
        for seat in seats:
            if seat.stopped is not None:
                raise seat.stopped
    return 1 if failed else 0


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


def _print_plans(args: argparse.Namespace, session: Session, seats: Sequence[Seat]) -> None:
    cases = [case for _, case in session.cases()]
    plans = [seat.plan(cases, args.repeat) for seat in seats]
    if args.json:
        print(json.dumps([plan.as_dict() for plan in plans], ensure_ascii=False, indent=2))
        return
    print(f"{len(cases)} answers to judge")
    for plan in plans:
        print(plan.text())
