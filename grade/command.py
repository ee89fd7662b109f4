"""Grade answer sheets against a bundle: a report.json for each. Rules decide what they can, without any model.

  exam2bench grade build/exam answers.json -o report.json
  exam2bench grade build/exam sheets/ -o reports/ --judge llama:judge
  exam2bench grade build/exam sheets/ -o reports/ --judge openai:gpt-5.6-luna --max-cost 2 --dry-run

Questions that only a judge can grade stay ungraded without --judge: they are counted, and the score is shown with its
bounds. Verdicts are kept in the call cache: an answer that has not changed costs nothing the second time.
Exit code 1 where a sheet, or the bundle's key, has findings."""

from __future__ import annotations

import argparse
import gc
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..schemas.errors import BundleError, UsageError
from ..schemas.findings import Finding
from ..schemas.printable import printable, printable_json
from ..schemas.report import Lost, RotationReport
from .losses import told

if TYPE_CHECKING:
    from .sheets import RawSheet

SHOWN_FINDINGS = 10
"""Findings of one sheet that are printed; --json and the report have all of them."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .judge.flags import add_judge_flags

    parser.add_argument("bundle", metavar="BUNDLE", help="folder that ingest wrote")
    parser.add_argument("answers", nargs="+", metavar="ANSWERS", help="answer sheets, or folders of them (*.json)")
    parser.add_argument(
        "-o", "--output", required=True, metavar="OUT", help="report file for one sheet, folder for several"
    )
    parser.add_argument(
        "--text-only",
        action="store_true",
        help="unanswered questions that need an image were never put to the taker: skipped, not 0",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the summary")
    parser.add_argument(
        "--only-ungraded", action="store_true", help="keep what the report at -o has graded, ask about the rest"
    )
    parser.add_argument(
        "--aggregation", choices=["mean", "median", "min", "max"], help="over several judges (default: the bundle's)"
    )
    parser.add_argument(
        "--explain-below",
        type=float,
        metavar="P",
        help="ask judges that reply in text only where a judge of levels is less sure than P (0 to 1)",
    )
    add_judge_flags(parser)


def run(args: argparse.Namespace) -> int:
    """Grade each sheet and write its report. Returns 1 where anything was found, else 0."""
    from ..schemas.bundle import load_bundle
    from .plan import ExamPlan
    from .sheets import sheet_paths

    paths = sheet_paths(args.answers)
    targets = report_paths(paths, Path(args.output), args.output.endswith(("/", "\\")))
    bundle = load_bundle(args.bundle)
    plan = ExamPlan.of(bundle)
    # the bundle stays until the end: the collector need not walk through it for every sheet
    gc.freeze()
    failed = _tell("bundle", plan.findings)
    if args.judge:
        from .judge.grading import judge_sheets

        return judge_sheets(args, plan, bundle, list(zip(paths, targets, strict=True)), failed)
    _check_flags(args)
    printer = rows_printer(args.json, plan.findings)
    for row, findings in graded_files(plan, bundle.exam, paths, targets, args.text_only):
        printer.row(row, findings)
        failed = serious(findings) or failed
    printer.close()
    return 1 if failed else 0


def _check_flags(args: argparse.Namespace) -> None:
    if args.dry_run or args.only_ungraded or args.explain_below is not None:
        raise UsageError("--dry-run, --only-ungraded and --explain-below go with a --judge: rules cost nothing")


def rows_printer(as_json: bool, findings: list[Finding]) -> _JsonRows | _TextRows:
    return _JsonRows(findings) if as_json else _TextRows()


def graded_files(
    plan: Any, exam: Any, paths: list[Path], targets: list[Path], text_only: bool
) -> Iterator[tuple[dict[str, Any], list[Finding]]]:
    """One sheet after another: each is read, graded, written and dropped before the next."""
    for path, target in zip(paths, targets, strict=True):
        with _collector_paused():
            row = _graded_file(plan, exam, path, target, text_only)
        yield row


def _graded_file(
    plan: Any, exam: Any, path: Path, target: Path, text_only: bool
) -> tuple[dict[str, Any], list[Finding]]:
    from ..schemas.json_files import write_text
    from .report import grade_sheet, summary

    row: dict[str, Any] = {"sheet": printable(path), "report": None}
    sheet = sheet_for(plan, exam, path)
    if isinstance(sheet, Finding):
        return row, [sheet]
    graded = grade_sheet(plan, sheet, text_only=text_only)
    write_text(target, graded.text())
    return {**row, "report": printable(target), **summary(graded)}, graded.findings


@contextmanager
def _collector_paused() -> Iterator[None]:
    """A sheet is tens of thousands of small objects without cycles, which the collector would walk through again and
    again; what was kept of it, the graded answers, stays until the end."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.collect(1)
        gc.freeze()


def sheet_for(plan: Any, exam: Any, path: Path) -> RawSheet | Finding:
    """The sheet, its free replies read into answers, or the finding that refuses it."""
    from .report import foreign_exam
    from .sheets import read_sheet, unreadable

    try:
        sheet = read_sheet(path)
    except BundleError as fault:
        return unreadable(path, fault)
    refused = foreign_exam(plan, sheet)
    if refused is not None:
        return refused
    if any(end.rotation or (end.raw and name not in sheet.answers) for name, end in sheet.outcomes.items()):
        from .extraction.answer import fill_from_replies

        fill_from_replies(sheet, exam)
    return sheet


def report_paths(sheets: list[Path], output: Path, is_folder: bool = False) -> list[Path]:
    """Where each sheet's report goes. Raises UsageError where a report would take a sheet's or another
    report's place."""
    if len(sheets) == 1 and not is_folder and not output.is_dir():
        targets = [output]
    elif output.is_file():
        raise UsageError(f"{printable(output)} is a file; the reports of {len(sheets)} sheets need a folder")
    else:
        targets = [output / f"{stem}.report.json" for stem in _stems(sheets)]
    taken = {path.resolve() for path in sheets}
    for target in targets:
        if target.resolve() in taken:
            raise UsageError(f"the report {printable(target)} would overwrite a sheet: choose another -o")
    return targets


def _stems(sheets: list[Path]) -> list[str]:
    """A name for each sheet: its own, with as many folder names before it as it takes to tell them apart."""
    for parts in range(1, 6):
        stems = ["-".join((*path.parts[-parts:-1], path.stem.removesuffix(".report"))).lstrip("/-.") for path in sheets]
        if len({stem.casefold() for stem in stems}) == len(stems):
            return stems
    raise UsageError("two of the sheets have the same name, or one is given twice: their reports would collide")


def serious(findings: list[Finding]) -> bool:
    return any(found.severity != "info" for found in findings)


def _tell(name: str, findings: list[Finding]) -> bool:
    """Print findings to stderr, worst first. Returns whether one is more than a note."""
    order = {"error": 0, "warning": 1, "info": 2}
    for found in sorted(findings, key=lambda one: order[one.severity])[:SHOWN_FINDINGS]:
        place = f" {found.where.question}" if found.where.question else ""
        print(f"{printable(name)}: {found.severity} {found.code}{place}: {found.message}", file=sys.stderr)
    if len(findings) > SHOWN_FINDINGS:
        print(f"{printable(name)}: and {len(findings) - SHOWN_FINDINGS} more findings", file=sys.stderr)
    return serious(findings)


class _TextRows:
    """The summary for people: one line a sheet."""

    def row(self, row: dict[str, Any], findings: list[Finding]) -> None:
        name = row.get("taker") or Path(row["sheet"]).name
        _tell(row["sheet"], findings)
        if row["report"] is None:
            print(f"{printable(name)}: not graded")
            return
        line = f"{printable(name)}: {row['awarded']:g} of {row['max']:g} points, {row['percentage']:.1f} %"
        if row["ungraded"]:
            low, high = row["bounds"]["low"], row["bounds"]["high"]
            line += f" (between {low:g} and {high:g}: {row['ungraded']} ungraded)"
        head = row["headline"]
        if head:
            line = (
                f"{printable(name)}: {head['awarded']:g} of {head['max_points']:g} points, {head['percentage']:.1f} %, "
                f"and {head['unanchored_awarded']:g} of {row['max'] - head['max_points']:g} without an official answer"
            )
            if row["ungraded"]:
                line += f" (in all between {row['bounds']['low']:g} and {row['bounds']['high']:g})"
        if row["skipped"]:
            line += f", {row['covered_percentage']:.1f} % of what was put to the taker ({row['skipped']} skipped)"
        unanswered = row["modes"].get("unanswered", 0)
        line += f", {unanswered} unanswered" if unanswered else ""
        if row["lost"] and row["lost"]["format"]:
            line += f", {told(Lost.model_validate(row['lost']))}"
        if row["rotation"]:
            from .rotation import told as rotation_told

            line += f"; {rotation_told(RotationReport.model_validate(row['rotation']))}"
        print(f"{line} -> {row['report']}")

    def close(self) -> None:
        pass


class _JsonRows:
    """One JSON object, written as the sheets come: `{"bundle_findings": […], "sheets": [{…}, …]}`."""

    def __init__(self, findings: list[Finding]) -> None:
        self._first = True
        told = json.dumps([found.model_dump(mode="json") for found in findings], ensure_ascii=False)
        print(f'{{"bundle_findings": {printable_json(told)}, "sheets": [', end="")

    def row(self, row: dict[str, Any], findings: list[Finding]) -> None:
        whole = {**row, "findings": [found.model_dump(mode="json") for found in findings]}
        print(("" if self._first else ",") + "\n" + printable_json(json.dumps(whole, ensure_ascii=False)), end="")
        self._first = False

    def close(self) -> None:
        print("\n]}")
