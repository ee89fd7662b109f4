"""Every model on every bundle: scores with their intervals, which differences are real, which keys are to be doubted.

  exam2bench bench build/exam --model openai:gpt-5.6 anthropic:claude-opus-5 --judge llama:judge -o build/bench
  exam2bench bench exams/* --model chat:qwen3@http://127.0.0.1:8000/v1 --repeat 5 --blind --dry-run -o build/bench

Every reply is kept in the call cache as it comes: the same command continues after a crash, Ctrl-C or an empty purse
and asks only what is missing. A model that cannot be used is its own row's failure. Exit code 1 where a model or judge
failed, 4 where --max-cost ended the run."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...models.plan import Plan as CallPlan
    from .record import Bench


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from ...models.flags import add_model_flags

    parser.add_argument("bundles", nargs="+", type=Path, metavar="BUNDLE", help="folders that ingest wrote")
    parser.add_argument("-o", "--out", type=Path, required=True, metavar="DIR", help="the bench's folder")
    parser.add_argument(
        "--model", nargs="+", action="extend", required=True, metavar="PROVIDER:NAME[@URL]", help="who sits the exams"
    )
    parser.add_argument(
        "--judge", nargs="+", action="extend", default=[], metavar="PROVIDER:NAME[@URL]", help="who grades open answers"
    )
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="sittings of every model (1)")
    parser.add_argument("--judge-repeat", type=int, default=1, metavar="N", help="verdicts of each judge (1)")
    parser.add_argument("--reply", choices=["auto", "text", "levels"], default="auto", help="how judges reply (grade)")
    parser.add_argument("--uno-prompt", type=Path, metavar="FILE", help="UNO-Scorer's published prompt (grade)")
    parser.add_argument("--format", choices=["auto", "structured", "text"], default="auto", help="of fixed answers")
    parser.add_argument("--rotate", metavar="N|all", help="choice questions with their options moved on (CircularEval)")
    parser.add_argument("--questions", nargs="+", default=[], metavar="ID", help="only these")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N of each bundle")
    parser.add_argument("--text-only", action="store_true", help="skip questions that need a picture")
    parser.add_argument("--blind", action="store_true", help="sit everything once more without pictures")
    parser.add_argument("--max-tokens", type=int, default=16_384, metavar="N", help="of one reply (16,384)")
    parser.add_argument("--no-plots", action="store_true", help="write no plots, even where matplotlib is there")
    parser.add_argument("--json", action="store_true", help="print bench.json instead of the tables")
    add_model_flags(parser, named=False, prices="'[MODEL=]IN,OUT …'")


def run(args: argparse.Namespace) -> int:
    from ...schemas.bundle import load_bundle
    from .folder import check_folder
    from .run import BenchRun
    from .settings import plan_of
    from .sittings import read_papers

    plan = plan_of(args)
    check_folder(plan.folder)
    papers = read_papers([load_bundle(path) for path in args.bundles], plan.settings)
    bench_run = BenchRun(args, plan, papers)
    if args.dry_run:
        return _print_plans(bench_run.plans(), as_json=args.json)
    bench = bench_run.complete()
    write_tables(bench, plan.folder, plots=not args.no_plots)
    _print(bench, as_json=args.json)
    print(f"written to {plan.folder}", file=sys.stderr)
    if bench_run.stopped is not None:
        raise bench_run.stopped
    return bench_run.exit_code()


def write_tables(bench: Bench, folder: Path, *, plots: bool) -> None:
    """bench.json, and what people read of it: Markdown, CSV, plots."""
    from ...schemas.bundle import save_record
    from ...schemas.errors import UsageError
    from ...schemas.json_files import write_text
    from .tables import csv_files, markdown

    save_record(folder / "bench.json", bench)
    write_text(folder / "bench.md", markdown(bench))
    for name, text in csv_files(bench).items():
        write_text(folder / name, text)
    if not plots or not any(row.score for row in bench.models):
        return
    from .plots import write_plots

    try:
        write_plots(bench, folder / "plots")
    except UsageError as fault:
        print(f"no plots: {fault}", file=sys.stderr)


def _print(bench: Bench, *, as_json: bool) -> None:
    from ...schemas.json_files import dump_json
    from ...schemas.printable import printable_json
    from .tables import text

    print(printable_json(dump_json(bench)).rstrip("\n") if as_json else text(bench))


def _print_plans(plans: Sequence[tuple[str, CallPlan | str]], *, as_json: bool) -> int:
    known = [(role, plan) for role, plan in plans if not isinstance(plan, str)]
    if as_json:
        rows = [
            {"role": role, "fault": plan} if isinstance(plan, str) else {"role": role, **plan.as_dict()}
            for role, plan in plans
        ]
        print(json.dumps(rows, ensure_ascii=False, indent=2))
        return 0
    for role, plan in plans:
        print(f"{role} {plan if isinstance(plan, str) else plan.text()}")
    highs = [plan.cost_high for _, plan in known]
    low = sum(plan.cost_low or 0.0 for _, plan in known)
    most = "and more, for some have no price" if None in highs else f"to ${sum(high or 0.0 for high in highs):.4f}"
    print(f"together {sum(plan.calls for _, plan in known)} calls, ${low:.4f} {most}")
    return 0
