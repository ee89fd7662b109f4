"""A model sits the exam: one question at a time, each failure its own, the same command continues.

exam2bench solve bundle --model anthropic:claude-opus-5 -o answers.json
exam2bench solve bundle --model chat:qwen3@http://127.0.0.1:8000/v1 --text-only --dry-run -o answers.json
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..schemas.answers import AnswerSheet


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from ..models.flags import add_model_flags

    parser.add_argument("bundle", type=Path, metavar="BUNDLE")
    parser.add_argument("-o", "--out", type=Path, required=True, metavar="FILE", help="the answer sheet")
    add_model_flags(parser)
    parser.add_argument("--format", choices=["auto", "structured", "text"], default="auto", help="of fixed answers")
    parser.add_argument("--taker", metavar="NAME", help="what the sheet calls the taker (default: the model)")
    parser.add_argument("--questions", nargs="+", default=[], metavar="ID", help="only these")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N")
    parser.add_argument("--shard", metavar="I/N", help="only this part; `exam2bench merge` joins the sheets")
    parser.add_argument("--text-only", action="store_true", help="skip questions that need a picture")
    parser.add_argument("--blind", action="store_true", help="withhold all pictures, ask everything")
    parser.add_argument(
        "--rotate", metavar="N|all", help="ask choice questions N times with their options moved on (CircularEval)"
    )
    parser.add_argument("--repeat", type=int, default=0, metavar="K", help="the K-th sitting, with replies of its own")
    parser.add_argument("--max-tokens", type=int, default=16_384, metavar="N", help="of one reply (16,384)")
    parser.add_argument("--json", action="store_true", help="the summary as JSON")


def run(args: argparse.Namespace) -> int:
    from ..models.flags import gateway_from
    from ..models.paper_parts import locate
    from ..schemas.bundle import load_bundle, save_record
    from ..schemas.errors import UsageError
    from .questions import Limits, make_asking
    from .rotation import parse_rotate, rotation_shifts
    from .selection import parse_shard, select
    from .sheet import failed_askings, make_sheet

    if args.limit is not None and args.limit < 1:
        raise UsageError(f"--limit {args.limit}: at least one question")
    bundle = load_bundle(args.bundle)
    shard = parse_shard(args.shard) if args.shard else None
    selection = select(locate(bundle.exam), ids=args.questions, limit=args.limit, shard=shard, text_only=args.text_only)
    limits = Limits(args.format, not args.blind, args.effort, args.max_tokens, args.repeat)
    rotate = args.rotate is not None
    wanted = parse_rotate(args.rotate) if rotate else None
    askings = [
        make_asking(asked, bundle.read_asset, limits, shift)
        for asked in selection.asked
        for shift in (rotation_shifts(asked.leaf, wanted) if rotate else (0,))
    ]
    with gateway_from(args) as gateway:
        requests = [asking.request for asking in askings]
        if args.dry_run:
            plan = gateway.plan(requests)
            print(json.dumps(plan.as_dict(), ensure_ascii=False, indent=2) if args.json else plan.text())
            return 0
        outcomes = gateway.run(requests)
        taker = args.taker or str(gateway.model)
        digest, usage = bundle.digest(), gateway.summary()
        sheet = make_sheet(bundle.exam.exam_id, taker, digest, askings, outcomes, selection, usage, rotate=rotate)
        sheet.bundle_source = bundle.manifest.source()
    save_record(args.out, sheet)
    print(_summary(sheet, as_json=args.json))
    print(f"written to {args.out}", file=sys.stderr)
    return 1 if any(failed_askings(sheet)) else 0


def _summary(sheet: AnswerSheet, *, as_json: bool) -> str:
    from ..schemas.printable import printable
    from .sheet import failed_askings

    ends = sheet.outcomes or {}
    counts = Counter(end.status for end in ends.values())
    rotations = [end.rotation for end in ends.values() if end.rotation is not None]
    askings, fixed = sum(one.of for one in rotations), [one.fixed for one in rotations if one.fixed]
    if as_json:
        record = {"taker": sheet.taker, "outcomes": dict(counts), "answers": len(sheet.answers), "usage": sheet.usage}
        if rotations:
            record["rotation"] = {"questions": len(rotations), "askings": askings, "not_rotated": len(fixed)}
        return json.dumps(record, ensure_ascii=False, indent=2)
    lines = [f"{printable(sheet.taker)}: {len(sheet.answers)} answers to {len(ends)} questions"]
    if rotations:
        lines.append(f"  {len(rotations)} choice questions in {askings} askings")
        lines += [
            f"  {printable(name)} not rotated: {printable(end.rotation.fixed)}"
            for name, end in ends.items()
            if end.rotation and end.rotation.fixed
        ]
    lines += [f"  {status}: {count}" for status, count in counts.most_common() if status != "answered"]
    lines += [f"  {printable(name)} {status}: {printable(why)}" for name, status, why in failed_askings(sheet)]
    return "\n".join(lines)
