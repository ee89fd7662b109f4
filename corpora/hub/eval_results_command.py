"""Scores for a model's card on the Hub: `.eval_results` entries from graded reports.

example: exam2bench eval-results report.json -o .eval_results/exams.yaml
         exam2bench eval-results reports/*.json -o .eval_results/exams.yaml --notes "no tools"

The report says which dataset, commit and bundle it was graded on (bundles that `fetch` brought); --dataset and --task
say so for others. The file goes into the model's repository; the dataset needs an eval.yaml (`publish
--eval-framework`) for the Hub to show it. The value is the percentage of the points; ungraded points are in the notes.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Any

from ...schemas.errors import UsageError
from ...schemas.printable import printable
from ...schemas.report import Report
from .names import check_name, check_repo

_PIN = re.compile(r"([^@#\s]+)@([0-9a-f]{40})#([^@#\s]+)")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "reports", nargs="+", type=Path, metavar="REPORT", help="reports of one model, as grade wrote them"
    )
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="the YAML file (default: standard output)")
    parser.add_argument("--dataset", metavar="USER/NAME", help="the benchmark, where the report does not say")
    parser.add_argument("--task", metavar="ID", help="the bundle's name there, where the report does not say")
    parser.add_argument("--source-url", metavar="URL", help="where the sheets and reports can be seen")
    parser.add_argument("--source-name", metavar="TEXT", help="what that link is called")
    parser.add_argument("--notes", metavar="TEXT", help="about the setup: tools, effort, …")


def run(args: argparse.Namespace) -> int:
    from ...schemas.json_files import read_record, write_text

    if args.task and len(args.reports) > 1:
        raise UsageError("--task names the bundle of one report")
    if args.source_name and not args.source_url:
        raise UsageError("--source-name names a link: give --source-url too")
    text = as_yaml([_entry(args, path, read_record(path, Report)) for path in args.reports])
    if args.output is None:
        print(text, end="")
    else:
        write_text(args.output, text)
        print(f"{len(args.reports)} results written to {printable(args.output)}", file=sys.stderr)
    return 0


def as_yaml(entries: list[Any]) -> str:
    """`EvalResultEntry` records as the file's text."""
    import yaml
    from huggingface_hub import eval_result_entries_to_yaml

    return yaml.safe_dump(eval_result_entries_to_yaml(entries), allow_unicode=True, sort_keys=False, width=120)


def _entry(args: argparse.Namespace, path: Path, report: Report) -> Any:
    try:
        from huggingface_hub import EvalResultEntry
    except ImportError as fault:
        raise UsageError("the Hub's formats need its package: pip install 'exam2bench[hub]'") from fault
    pin = _PIN.fullmatch(report.bundle_source or "")
    dataset = args.dataset or (pin and pin[1])
    task = args.task or (pin and pin[3])
    if not dataset or not task:
        message = f"{printable(path)} does not say on which dataset it was earned"
        raise UsageError(f"{message} (its bundle was not fetched): give --dataset and --task")
    own = pin is not None and (dataset, task) == (pin[1], pin[3])
    return EvalResultEntry(
        dataset_id=check_repo(dataset),
        task_id=check_name(task),
        value=round(report.percentage, 4),
        dataset_revision=pin[2] if own and pin else None,
        date=report.graded_at,
        source_url=args.source_url,
        source_name=args.source_name,
        notes=_notes(report, args.notes),
    )


def _notes(report: Report, told: str | None) -> str | None:
    parts = [told] if told else []
    if report.bounds and report.ungraded_count:
        low, high = (100 * points / report.total_max if report.total_max else 0.0 for points in _ends(report))
        parts.append(f"{report.ungraded_count} questions ungraded: between {low:.1f} and {high:.1f} %")
    if report.skipped_count:
        parts.append(f"{report.skipped_count} questions not put to the model")
    if report.bundle_digest:
        parts.append(f"digest {report.bundle_digest[:16]}")
    return "; ".join(parts) or None


def _ends(report: Report) -> tuple[float, float]:
    assert report.bounds is not None
    return report.bounds.low, report.bounds.high
