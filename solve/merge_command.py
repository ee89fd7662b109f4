"""Answer sheets of shards as one sheet; overlaps, gaps and other exams are refused.

exam2bench merge shard1.json shard2.json -o answers.json
"""

from __future__ import annotations

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("sheets", nargs="+", type=Path, metavar="SHEET")
    parser.add_argument("-o", "--out", type=Path, required=True, metavar="FILE")


def run(args: argparse.Namespace) -> int:
    from ..schemas.answers import AnswerSheet
    from ..schemas.bundle import save_record
    from ..schemas.json_files import read_record
    from .sheet import merge_sheets

    sheet = merge_sheets({path.name: read_record(path, AnswerSheet) for path in args.sheets})
    save_record(args.out, sheet)
    print(f"{len(args.sheets)} sheets, {len(sheet.answers)} answers: written to {args.out}")
    return 0
