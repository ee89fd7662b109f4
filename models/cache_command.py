"""Look at the call cache, and carry it with published results.

exam2bench cache stats
exam2bench cache export run.jsonl.gz --model openai:gpt-5.6
exam2bench cache import run.jsonl.gz
exam2bench cache prune --older-than 90
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from ..schemas.printable import printable

DAY = 86_400


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    stats = actions.add_parser("stats", help="replies, tokens and bytes, by model")
    export = actions.add_parser("export", help="write replies to a file that others can import")
    export.add_argument("file", type=Path, help="new file, .jsonl or .jsonl.gz")
    export.add_argument("--model", metavar="NAME", help="only replies asked under this name")
    incoming = actions.add_parser("import", help="add the replies of an exported file; own replies stay")
    incoming.add_argument("file", type=Path)
    prune = actions.add_parser("prune", help="delete replies and give the room back")
    prune.add_argument("--older-than", type=float, metavar="DAYS")
    prune.add_argument("--model", metavar="NAME")
    for action in (stats, export, incoming, prune):
        action.add_argument("--cache", type=Path, metavar="FILE", help="default: the user's cache folder")
        action.add_argument("--json", action="store_true", help="machine-readable output")


def run(args: argparse.Namespace) -> int:
    from .cache import CallCache, default_path

    with CallCache(args.cache or default_path()) as cache:
        result = {"stats": _stats, "export": _export, "import": _import, "prune": _prune}[args.action](cache, args)
    if args.json:
        print(json.dumps(result["record"], indent=2))
    else:
        print(result["text"])
    return 0


def _stats(cache, args: argparse.Namespace) -> dict:
    stats = cache.stats()
    lines = [f"{stats['path']}: {stats['replies']:,} replies, {stats['bytes'] / 1e6:.1f} MB"]
    for model, row in stats["models"].items():
        since = time.strftime("%Y-%m-%d", time.gmtime(row["first"]))
        lines.append(
            f"  {printable(model)}: {row['ok']:,} ok, {row['refused']:,} refused, {row['input']:,} tokens in, "
            f"{row['output']:,} out, since {since}"
        )
    return {"record": stats, "text": "\n".join(lines)}


def _export(cache, args: argparse.Namespace) -> dict:
    from .cache_file import export_cache

    count = export_cache(cache, args.file, model=args.model)
    record = {"file": str(args.file), "replies": count}
    return {"record": record, "text": f"{count:,} replies written to {args.file}"}


def _import(cache, args: argparse.Namespace) -> dict:
    from .cache_file import import_cache

    new, known = import_cache(cache, args.file)
    return {"record": {"new": new, "known": known}, "text": f"{new:,} replies added, {known:,} were there already"}


def _prune(cache, args: argparse.Namespace) -> dict:
    before = None if args.older_than is None else time.time() - args.older_than * DAY
    gone = cache.prune(before=before, model=args.model)
    return {"record": {"deleted": gone}, "text": f"{gone:,} replies deleted"}
