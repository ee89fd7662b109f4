"""Take reports along to an amended bundle: only the questions concerned are graded anew.

  exam2bench regrade reports/*.report.json --bundle build/exam-r2 -o reports-r2/
  exam2bench regrade report.json --bundle build/exam-r2 --answers answers.json --judge llama:judge -o report-r2.json

Prints, per taker, what moved and why. Answers come from the report, or in full from the sheets that --answers names."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .regrading import Regrading
    from .report import GradedSheet
    from .sheets import RawSheet


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .judge.flags import add_judge_flags

    parser.add_argument("reports", nargs="+", metavar="OLD_REPORT")
    parser.add_argument("--bundle", required=True, metavar="BUNDLE2", help="the amended bundle")
    parser.add_argument("-o", "--output", required=True, metavar="OUT", help="report file, or folder for several")
    parser.add_argument("--answers", nargs="+", default=[], metavar="SHEET", help="the takers' sheets (found by taker)")
    parser.add_argument("--aggregation", choices=["mean", "median", "min", "max"], help="over several judges")
    parser.add_argument("--json", action="store_true", help="print what moved as JSON")
    add_judge_flags(parser)


def run(args: argparse.Namespace) -> int:
    """Write the new reports. Returns 1 where a question stays ungraded; raises UsageError for reports of another
    paper."""
    from ..schemas.bundle import load_bundle
    from ..schemas.errors import UsageError
    from ..schemas.json_files import read_record, write_text
    from ..schemas.printable import printable
    from ..schemas.report import Report
    from .command import report_paths
    from .judge.flags import open_panel
    from .judge.session import Session
    from .plan import ExamPlan
    from .regrading import finish, prepare

    paths = [Path(name) for name in args.reports]
    targets = report_paths(paths, Path(args.output), args.output.endswith(("/", "\\")))
    bundle = load_bundle(args.bundle)
    plan = ExamPlan.of(bundle)
    sheets = _sheets(args.answers)
    items: list[Regrading] = []
    for path in paths:
        report = read_record(path, Report)
        if report.exam_id != plan.exam_id:
            raise UsageError(f"{printable(path)} is of the exam {printable(report.exam_id)!r}, not {plan.exam_id!r}")
        items.append(prepare(plan, bundle, report, sheets.get(report.taker)))
    session = Session(plan, bundle, aggregation=args.aggregation) if args.judge else None
    with open_panel(args, bundle) as seats:
        if args.dry_run and session is not None:
            for item in items:
                session.add(item.sheet, item.graded, Path(), {})
            for seat in seats:
                print(seat.plan([case for _, case in session.cases()], args.repeat).text())
            return 0
        done = finish(plan, items, session, seats=seats, repeats=args.repeat, max_cost=args.max_cost)
        stopped = [seat.stopped for seat in seats if seat.stopped]
    moves = [_moves(item, graded) for item, graded in zip(items, done, strict=True)]
    for target, graded in zip(targets, done, strict=True):
        write_text(target, graded.text())
    _show(args, moves, targets)
    if stopped:
        raise stopped[0]
    return 1 if any(move["ungraded"] for move in moves) else 0


def _sheets(arguments: list[str]) -> dict[str | None, RawSheet]:
    from .sheets import read_sheet, sheet_paths

    return {sheet.taker: sheet for sheet in map(read_sheet, sheet_paths(arguments))} if arguments else {}


def _moves(item: Regrading, graded: GradedSheet) -> dict[str, Any]:
    """Per taker: the score before and after, and each question that moved or lost its grade."""
    old, moved = item.report, []
    for outcome in graded.outcomes:
        before = old.results.get(outcome.question_id)
        if outcome.question_id not in item.concerned or before is None:
            continue
        changed = (before.awarded, before.max_points, before.mode == "error") != (
            outcome.awarded,
            outcome.max_points,
            outcome.mode == "error",
        )
        if changed:
            moved.append(
                {
                    "question": outcome.question_id,
                    "before": before.awarded,
                    "before_max": before.max_points,
                    "after": None if outcome.mode == "error" else outcome.awarded,
                    "after_max": outcome.max_points,
                    "why": item.concerned[outcome.question_id],
                }
            )
    head = graded.head
    return {
        "taker": old.taker,
        "before": old.total_awarded,
        "before_max": old.total_max,
        "after": head.total_awarded,
        "after_max": head.total_max,
        "ungraded": head.ungraded_count,
        "concerned": list(item.concerned),
        "moved": moved,
    }


def _show(args: argparse.Namespace, moves: list[dict[str, Any]], targets: list[Path]) -> None:
    from ..schemas.printable import printable

    if args.json:
        print(json.dumps({"takers": moves}, ensure_ascii=False, indent=2))
        return
    for move, target in zip(moves, targets, strict=True):
        name = printable(move["taker"] or "no name")
        line = (
            f"{name}: {move['before']:g} of {move['before_max']:g} -> {move['after']:g} of {move['after_max']:g} points"
        )
        print(line + (f" ({move['ungraded']} ungraded)" if move["ungraded"] else ""))
        for one in move["moved"]:
            after = "ungraded" if one["after"] is None else f"{one['after']:g} of {one['after_max']:g}"
            places = f"{one['before']:g} of {one['before_max']:g} -> {after}"
            print(f"  {printable(one['question'])}: {places} ({printable(one['why'])})")
        if not move["moved"]:
            print(f"  nothing moved ({len(move['concerned'])} questions were looked at)")
        print(f"{name} -> {printable(target)}", file=sys.stderr)
