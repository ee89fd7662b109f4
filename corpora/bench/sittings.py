"""What every model is asked: the sittings of a bench, and all their calls in one pool.

Each model has a gateway of its own, with its own pace; all run at once in one event loop, on one purse and under one
progress line. A model whose name, key or server is at fault stops alone. Sittings whose every reply is in the call
cache count, even where the model was stopped behind them.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from ...models.budget import Purse
from ...models.flags import gateway_from
from ...models.gateway import Gateway, stored_outcome
from ...models.outcome import KEPT, Outcome, Usage
from ...models.paper_parts import locate
from ...models.progress import Progress
from ...models.request import Request
from ...schemas.bundle import Bundle
from ...schemas.errors import BundleError, Exam2BenchError, UsageError
from ...solve.questions import Asking, Limits, make_asking
from ...solve.rotation import parse_rotate, rotation_shifts
from ...solve.selection import Selection, select
from .record import Settings
from .settings import Plan


@dataclass(frozen=True)
class Paper:
    """A bundle and what of it is asked, with pictures and, where the bench is blind too, without."""

    bundle: Bundle
    selection: Selection
    seen: tuple[Asking, ...]
    blind: tuple[Asking, ...] | None

    def askings(self, repeat: int, *, blind: bool) -> list[Asking]:
        """Those of one sitting; `repeat` counts from 0."""
        made = self.blind if blind else self.seen
        assert made is not None
        return [replace(one, request=replace(one.request, repeat=repeat)) for one in made]


@dataclass(frozen=True)
class Sitting:
    """One paper, once: `repeat` counts from 0."""

    paper: Paper
    repeat: int
    blind: bool


@dataclass
class Sat:
    """A sitting that ended. `replies`: outcomes with the tokens and seconds that they took when they were made."""

    sitting: Sitting
    askings: list[Asking]
    replies: list[Outcome]

    @property
    def usage(self) -> Usage:
        return sum((reply.usage for reply in self.replies), Usage())

    @property
    def seconds(self) -> float:
        return sum(reply.seconds for reply in self.replies)


@dataclass
class Taker:
    """One model. `gateway` None: its name or its price is at fault. `error`: what stopped it."""

    name: str
    gateway: Gateway | None = None
    error: Exam2BenchError | None = None
    sat: list[Sat] = field(default_factory=list)


def read_papers(bundles: Sequence[Bundle], settings: Settings) -> list[Paper]:
    """The questions to ask of each bundle. Raises UsageError for an id that no bundle has, BundleError for an exam that
    stands in two."""
    names = [bundle.exam.exam_id for bundle in bundles]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise BundleError(f"two bundles hold the exam {twice!r}: bench each alone")
    places = [locate(bundle.exam) for bundle in bundles]
    unknown = [name for name in settings.questions if not any(name in place for place in places)]
    if unknown:
        raise UsageError(f"no bundle has a question {unknown[0]!r}")
    papers = []
    for bundle, leaves in zip(bundles, places, strict=True):
        ids = [name for name in settings.questions if name in leaves]
        if settings.questions and not ids:
            raise UsageError(f"{bundle.root.name} has none of the --questions: leave the bundle out")
        selection = select(leaves, ids=ids, limit=settings.limit, text_only=settings.text_only)
        seen = _askings(bundle, selection, settings, images=True)
        blind = _askings(bundle, selection, settings, images=False) if settings.blind else None
        papers.append(Paper(bundle, selection, seen, blind))
    return papers


def _askings(bundle: Bundle, selection: Selection, settings: Settings, *, images: bool) -> tuple[Asking, ...]:
    limits = Limits(settings.format, images, settings.effort, settings.max_tokens)
    wanted = parse_rotate(settings.rotate) if settings.rotate else None
    # one copy of a picture, however many questions show it
    read_asset = lru_cache(maxsize=None)(bundle.read_asset)
    return tuple(
        make_asking(asked, read_asset, limits, shift)
        for asked in selection.asked
        for shift in (rotation_shifts(asked.leaf, wanted) if settings.rotate else (0,))
    )


def sittings_of(papers: Sequence[Paper], settings: Settings) -> list[Sitting]:
    """All first sittings before any second one."""
    return [
        Sitting(paper, repeat, blind)
        for repeat in range(settings.repeats)
        for paper in papers
        for blind in ((False, True) if settings.blind else (False,))
    ]


def open_takers(args: argparse.Namespace, plan: Plan, purse: Purse) -> list[Taker]:
    """A gateway for every model; what is wrong with a name or a price is that model's."""
    takers = []
    for name in plan.settings.models:
        try:
            takers.append(Taker(name, open_gateway(args, plan, name, name, purse)))
        except Exam2BenchError as fault:
            takers.append(Taker(name, error=fault))
    return takers


def open_gateway(args: argparse.Namespace, plan: Plan, name: str, served: str, purse: Purse) -> Gateway:
    """`name`: as the user wrote it, `served`: as `models` knows it. Raises UsageError."""
    from ...models.names import parse_model
    from ...models.prices import find_price

    price = plan.prices.get(name)
    if price is None and find_price(parse_model(served, allow_http=args.allow_http)) is None:
        price = plan.prices.get("")
    return gateway_from(argparse.Namespace(**{**vars(args), "price": price}), served, purse)


class SharedProgress:
    """One line for all gateways of a pool: it stands until the last of them is done."""

    def __init__(self, purse: Purse) -> None:
        self.total = self.hits = self.done = 0
        self.purse = purse
        self._line = Progress(2, 0)

    def __call__(self, total: int, hits: int) -> Progress:
        self.total += total
        self.hits += hits
        return _Share(self)

    def step(self) -> None:
        self.done += 1
        self._line.total, self._line.hits, self._line.done = self.total, self.hits, self.done - 1
        self._line.step(self.purse.spent)

    def clear(self) -> None:
        self._line.__exit__()


class _Share(Progress):
    def __init__(self, shared: SharedProgress) -> None:
        super().__init__(0, 0)
        self._shared = shared

    def step(self, spent: float) -> None:
        self._shared.step()


async def sit_all(takers: Sequence[Taker], sittings: Sequence[Sitting], purse: Purse) -> None:
    """Every model sits everything; fills `sat` and `error`. A budget that ends is an error of all that it stopped."""
    shared = SharedProgress(purse)
    try:
        async with asyncio.TaskGroup() as pool:
            for taker in takers:
                if taker.gateway is not None:
                    taker.gateway.progress = shared
                    pool.create_task(_sit(taker, taker.gateway, sittings))
    finally:
        shared.clear()


async def _sit(taker: Taker, gateway: Gateway, sittings: Sequence[Sitting]) -> None:
    asked = [one.paper.askings(one.repeat, blind=one.blind) for one in sittings]
    requests = [asking.request for askings in asked for asking in askings]
    outcomes: list[Outcome | None] = [None] * len(requests)
    try:
        # where not even a key can be made (a local file that is missing), nothing can be in the cache either
        keys = [gateway.key(request) for request in requests]
    except Exam2BenchError as fault:
        taker.error = fault
        return
    try:
        outcomes = [*await gateway.arun(requests, repeat_major=True)]
    except Exam2BenchError as fault:
        taker.error = fault
    filed = iter(_filed(gateway, requests, keys, outcomes))
    for sitting, askings in zip(sittings, asked, strict=True):
        replies = [next(filed) for _ in askings]
        whole = [reply for reply in replies if reply is not None]
        if len(whole) == len(replies):
            taker.sat.append(Sat(sitting, askings, whole))


def _filed(
    gateway: Gateway, requests: Sequence[Request], keys: Sequence[str], outcomes: Sequence[Outcome | None]
) -> list[Outcome | None]:
    """The outcomes with the tokens and seconds of the reply as it was made; what a stopped model left in the cache."""
    assert gateway.cache is not None
    stored = gateway.cache.get_many(keys)
    filed: list[Outcome | None] = []
    for request, key, outcome in zip(requests, keys, outcomes, strict=True):
        row = stored.get(key)
        if outcome is None and row is not None:
            outcome = stored_outcome(row, request)
            outcome = outcome if outcome.status in KEPT else None
        if outcome is not None and row is not None and outcome.status in KEPT:
            outcome = replace(outcome, usage=row.usage, seconds=row.seconds)
        filed.append(outcome)
    return filed
