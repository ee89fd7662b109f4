"""Which questions a run puts to the taker: by id, a first few, a shard, those that need no picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..models.paper_parts import Asked, needs_image
from ..schemas.answers import TakerOutcome
from ..schemas.errors import UsageError


@dataclass(frozen=True)
class Selection:
    """`asked`: put to the taker, in print order. `skipped`: left out, with the reason; they leave the denominator."""

    asked: tuple[Asked, ...]
    skipped: Mapping[str, TakerOutcome]


def select(
    leaves: Mapping[str, Asked],
    *,
    ids: Sequence[str] = (),
    limit: int | None = None,
    shard: tuple[int, int] | None = None,
    text_only: bool = False,
) -> Selection:
    """The questions that are asked. Shards keep a stimulus group together. Raises UsageError for an unknown id."""
    unknown = [name for name in ids if name not in leaves]
    if unknown:
        raise UsageError(f"the bundle has no question {unknown[0]!r}; its ids are {_some(list(leaves))}")
    chosen = [asked for name, asked in leaves.items() if not ids or name in ids]
    skipped: dict[str, TakerOutcome] = {}
    for name in leaves:
        if ids and name not in ids:
            skipped[name] = TakerOutcome(status="skipped", detail="not among --questions")
    if shard is not None:
        chosen = _shard(chosen, *shard, skipped)
    if text_only:
        for asked in chosen:
            if needs_image(asked):
                skipped[asked.leaf.id] = TakerOutcome(status="skipped", detail="needs a picture (--text-only)")
        chosen = [asked for asked in chosen if asked.leaf.id not in skipped]
    if limit is not None:
        for asked in chosen[limit:]:
            skipped[asked.leaf.id] = TakerOutcome(status="skipped", detail=f"behind the first {limit} (--limit)")
        chosen = chosen[:limit]
    return Selection(tuple(chosen), skipped)


def _some(names: list[str]) -> str:
    return ", ".join(names[:6]) + (" …" if len(names) > 6 else "")


def _shard(chosen: list[Asked], number: int, count: int, skipped: dict[str, TakerOutcome]) -> list[Asked]:
    groups = {group: n for n, group in enumerate(dict.fromkeys(asked.group for asked in chosen))}
    mine = [asked for asked in chosen if groups[asked.group] % count == number - 1]
    for asked in chosen:
        if groups[asked.group] % count != number - 1:
            detail = f"belongs to shard {groups[asked.group] % count + 1}/{count}"
            skipped[asked.leaf.id] = TakerOutcome(status="skipped", detail=detail)
    return mine


def parse_shard(text: str) -> tuple[int, int]:
    """`2/4` as (2, 4). Raises UsageError."""
    number, slash, count = text.partition("/")
    if slash and number.isdigit() and count.isdigit() and 1 <= int(number) <= int(count):
        return int(number), int(count)
    raise UsageError(f"--shard {text!r} is not I/N, such as 2/4 for the second of four")
