"""What a bench is asked to do, read from its flags."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from pathlib import Path

from ...models.prices import parse_price
from ...schemas.errors import UsageError
from .record import Settings

MOST_SITTINGS = 1_000


@dataclass(frozen=True)
class Plan:
    """`prices`: `IN,OUT` by model; under the empty name the one of models without a list price."""

    settings: Settings
    folder: Path
    prices: dict[str, str] = field(default_factory=dict)


def plan_of(args: argparse.Namespace) -> Plan:
    """The flags checked. Raises UsageError."""
    for flag, value in (("--repeat", args.repeat), ("--judge-repeat", args.judge_repeat)):
        if not 1 <= value <= MOST_SITTINGS:
            raise UsageError(f"{flag} {value}: from 1 to {MOST_SITTINGS:,}")
    if args.limit is not None and args.limit < 1:
        raise UsageError(f"--limit {args.limit}: at least one question")
    for flag, names in (("--model", args.model), ("--judge", args.judge)):
        if len(set(names)) < len(names):
            raise UsageError(f"{flag} names {_twice(names)} twice: --repeat N lets a model sit N times")
    if args.blind and args.text_only:
        raise UsageError("--blind measures what pictures are worth, --text-only leaves their questions out: choose one")
    if args.no_cache:
        raise UsageError("a bench keeps every reply so that it can go on after a crash: --cache FILE starts a new one")
    settings = Settings(
        models=args.model,
        judges=args.judge,
        repeats=args.repeat,
        judge_repeats=args.judge_repeat,
        blind=args.blind,
        text_only=args.text_only,
        format=args.format,
        rotate=args.rotate,
        effort=args.effort,
        max_tokens=args.max_tokens,
        limit=args.limit,
        questions=args.questions,
    )
    return Plan(settings, args.out, _prices(args.price or "", [*args.model, *args.judge]))


def _twice(names: list[str]) -> str:
    return next(name for name in names if names.count(name) > 1)


def _prices(text: str, models: list[str]) -> dict[str, str]:
    """`MODEL=IN,OUT` for one model, `IN,OUT` for all without a list price; several stand apart by blanks."""
    prices: dict[str, str] = {}
    for part in text.split():
        name, equals, figures = part.rpartition("=")
        if equals and name not in models:
            raise UsageError(f"--price {part!r} names no --model and no --judge")
        parse_price(figures)
        prices[name] = figures
    return prices
