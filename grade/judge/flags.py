"""The flags of every command that asks judges, and the panel that they describe."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ...models.flags import add_model_flags
from ...schemas.errors import UsageError

if TYPE_CHECKING:
    from ...models.gateway import Gateway
    from ...models.request import Effort
    from ...schemas.bundle import Bundle
    from .panel import Paper, Seat
    from .uno_prompt import PublishedPrompt

CONCURRENCY = 64
"""Verdicts are short: many at once cost a provider little."""


def add_judge_flags(parser: argparse.ArgumentParser, *, required: bool = False) -> None:
    """--judge and what goes with it; `args` then serves `open_panel`."""
    group = parser.add_argument_group("judges")
    group.add_argument(
        "--judge",
        action="append",
        default=[],
        required=required,
        metavar="PROVIDER:NAME[@URL]",
        help="who grades open answers; several times: a panel (llama:judge runs here, without key or network; "
        "uno:NAME[@URL] is UNO-Scorer)",
    )
    group.add_argument(
        "--reply",
        choices=["auto", "text", "levels"],
        default="auto",
        help="text: JSON with reasons; levels: a probability per level (auto: levels for decisions:, llama:, vllm:)",
    )
    group.add_argument(
        "--uno-prompt",
        type=Path,
        metavar="PATH",
        help="test_scorer_hf.py of UNO-Scorer's repository, or its folder: the scorer's own prompt is read from it, "
        "nothing is run; found by itself beside weights on this machine",
    )
    group.add_argument("--repeat", type=int, default=1, metavar="N", help="verdicts of each judge on each answer (1)")
    add_model_flags(parser, named=False)
    parser.set_defaults(concurrency=CONCURRENCY)


@contextmanager
def open_panel(args: argparse.Namespace, bundle: Bundle) -> Iterator[list[Seat]]:
    """The judges that the flags name, closed at the end. Raises UsageError for a name twice or no repeat."""
    from ...models.flags import gateway_from
    from ...models.paper_parts import locate
    from .framing import draw_boundary
    from .panel import Paper

    if args.repeat < 1:
        raise UsageError(f"--repeat {args.repeat}: at least one verdict")
    if len(set(args.judge)) < len(args.judge):
        raise UsageError("a judge is named twice: --repeat N gives several verdicts of one judge")
    paper = Paper(locate(bundle.exam), bundle.read_asset, bundle.exam.language)
    boundary = draw_boundary()
    with ExitStack() as stack:
        seats = []
        for name in args.judge:
            gateway = stack.enter_context(gateway_from(args, served_name(name)))
            seats.append(make_seat(name, gateway, paper, args, args.effort, boundary))
        yield seats


def make_seat(
    name: str, gateway: Gateway, paper: Paper, args: argparse.Namespace, effort: Effort | None, boundary: str
) -> Seat:
    """The seat of the judge that the user calls `name`, asked as the flags --reply and --uno-prompt say."""
    from .panel import Seat

    if not name.startswith("uno:"):
        return Seat(gateway, paper, args.reply, effort, boundary)
    published = uno_prompt(args.uno_prompt, gateway.model.name)
    return Seat(gateway, paper, "uno", effort, boundary, published=published)


def served_name(judge: str) -> str:
    """The model behind a judge's name. UNO-Scorer is a model like others, behind a server or in this process; only its
    protocol is its own."""
    provider, _, rest = judge.partition(":")
    return f"{'chat' if '@http' in rest else 'vllm'}:{rest}" if provider == "uno" else judge


def uno_prompt(told: Path | None, name: str) -> PublishedPrompt | None:
    """The scorer's own prompt, from where the flag says or beside the weights; else None, which is said."""
    from .uno_prompt import FILE, beside_weights, read_prompt

    path = told or beside_weights(name)
    if path is None:
        print(f"uno: without {FILE} of its repository (--uno-prompt) it is asked in our own wording", file=sys.stderr)
        return None
    return read_prompt(path)
