"""Check a bundle against the contract: ids, points, rules, keys, assets, answer schema, digest.

Prints one line for each finding and exits 1 where one of them is an error. A bundle is taken for
hostile: whatever lies in the folder gets a finding, never a traceback.

  exam2bench validate my-exam
  exam2bench validate my-exam --sheet answers.json --json
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .errors import BundleError
from .exam import Exam
from .findings import Finding, error
from .json_files import read_json
from .printable import printable, printable_json

SHOWN = 200
"""Findings printed as text; --json has them all."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bundle", type=Path, metavar="BUNDLE", help="the bundle's folder")
    parser.add_argument(
        "--sheet", type=Path, action="append", default=[], metavar="FILE", help="check this answer sheet too"
    )
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")


def run(args: argparse.Namespace) -> int:
    from .validation import examine_bundle

    examined = examine_bundle(args.bundle)
    found, summary = examined.found, _summary(examined.exam)
    for sheet in args.sheet:
        found += _sheet(examined.exam, sheet)
    counts = {severity: sum(f.severity == severity for f in found) for severity in ("error", "warning", "info")}
    if args.json:
        record = {
            "bundle": str(args.bundle),
            "ok": not counts["error"],
            **summary,
            "counts": counts,
            "findings": [finding.model_dump(mode="json") for finding in found],
        }
        print(printable_json(json.dumps(record, ensure_ascii=False, indent=2)))
    else:
        print_findings(found)
        print(_verdict(args.bundle, summary, counts))
    return 1 if counts["error"] else 0


def print_findings(found: Sequence[Finding], limit: int = SHOWN) -> None:
    """One line each on stdout: severity, code, question, message; a note where there are more than `limit`."""
    for finding in found[:limit]:
        where = f"{finding.where.question}: " if finding.where.question is not None else ""
        hint = f" ({finding.hint})" if finding.hint else ""
        print(f"{finding.severity:<8} {finding.code:<22} {printable(where)}{printable(finding.message, 500)}{hint}")
    if len(found) > limit:
        print(f"… and {len(found) - limit} more; --json has them all", file=sys.stderr)


def _summary(exam: Exam | None) -> dict[str, Any]:
    """What the exam is, where it can be read."""
    if exam is None:
        return {"exam_id": None, "questions": None, "points": None}
    return {"exam_id": exam.exam_id, "questions": sum(1 for _ in exam.leaves()), "points": exam.total_points}


def _sheet(exam: Exam | None, sheet: Path) -> list[Finding]:
    from .sheet_checks import validate_sheet

    if exam is None:
        return []
    try:
        return validate_sheet(exam, read_json(sheet))
    except BundleError as fault:
        return [error(fault.code, str(fault))]


def _verdict(bundle: Path, summary: dict[str, Any], counts: dict[str, int]) -> str:
    parts = [f"{number} {name}{'s' if number != 1 else ''}" for name, number in counts.items() if name != "info"]
    size = f"{summary['questions']} questions, {summary['points']:g} points, " if summary["exam_id"] is not None else ""
    return f"{printable(bundle)}: {size}{', '.join(parts)}"
