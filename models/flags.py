"""The flags that every command which asks models has, and the gateway that they describe."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from ..schemas.errors import UsageError
from .request import EFFORTS

if TYPE_CHECKING:
    from .budget import Purse
    from .gateway import Gateway


def add_model_flags(
    parser: argparse.ArgumentParser,
    *,
    required: bool = False,
    default: str | None = None,
    named: bool = True,
    prices: str = "IN,OUT",
) -> None:
    """--model and what goes with it; `args` then serves `gateway_from`. `named`: False leaves --model itself out,
    for commands that name their models otherwise. `prices`: the form of --price, where it is another."""
    group = parser.add_argument_group("model")
    if named:
        group.add_argument(
            "--model",
            metavar="PROVIDER:NAME[@URL]",
            required=required,
            default=default,
            help="such as anthropic:claude-opus-5 or chat:qwen3@http://127.0.0.1:8000/v1 (exam2bench models list)",
        )
    group.add_argument("--effort", choices=EFFORTS, help="how much the model thinks; its own default where not given")
    group.add_argument("--plain", action="store_true", help="ask for JSON in words instead of by constrained decoding")
    group.add_argument("--concurrency", type=int, default=16, metavar="N", help="the most calls at once (default 16)")
    group.add_argument("--deadline", type=float, default=900.0, metavar="SECONDS", help=argparse.SUPPRESS)
    group.add_argument("--batch", action="store_true", help="use the provider's batch service: half price, hours")
    group.add_argument("--allow-http", action="store_true", help="allow plain http to other machines")
    _add_money_flags(parser, prices)
    _add_cache_flags(parser)


def _add_money_flags(parser: argparse.ArgumentParser, prices: str) -> None:
    group = parser.add_argument_group("money")
    group.add_argument("--dry-run", action="store_true", help="print calls, tokens and cost range; send nothing")
    group.add_argument("--max-cost", type=float, metavar="USD", help="stop before the call that would exceed it")
    group.add_argument("--price", metavar=prices, help="US dollars per million tokens, where no list price is known")


def _add_cache_flags(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("cache").add_mutually_exclusive_group()
    group.add_argument("--cache", type=Path, metavar="FILE", help="the call cache (default: the user's cache folder)")
    group.add_argument("--no-cache", action="store_true", help="ask anew, keep nothing")


def gateway_from(args: argparse.Namespace, model: str | None = None, purse: Purse | None = None) -> Gateway:
    """The gateway that the flags describe; `model` where the command has several, which may share a purse. Raises
    UsageError."""
    from .cache import CallCache, default_path
    from .gateway import Gateway
    from .names import parse_model
    from .prices import parse_price

    name = model or args.model
    if not name:
        raise UsageError("no model is named: add --model PROVIDER:NAME (exam2bench models list shows the providers)")
    parsed = parse_model(name, allow_http=args.allow_http)
    price = parse_price(args.price) if args.price else None
    cache = None if args.no_cache else CallCache(args.cache or default_path())
    try:
        return Gateway(
            parsed,
            cache=cache,
            concurrency=args.concurrency,
            max_cost=args.max_cost,
            price=price,
            plain=args.plain,
            batch=args.batch,
            deadline=args.deadline,
            purse=purse,
        )
    except UsageError:
        if cache is not None:
            cache.close()
        raise
