"""Rounds of asking again: what two readings disagree on and the page's words did not decide.

Each open field is shown enlarged with both readings, at a higher resolution each round. A choice counts where the words
that the model reports to see are those of the reading that it chooses, or where two rounds in a row choose alike; the
readings change places from round to round, so that a habit of choosing the first one cannot pass. What three rounds do
not settle stays open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from rapidfuzz.fuzz import ratio

from ...models.request import ImagePart, Part, TextPart
from ...schemas.exam import Region
from ..assembly.proof import fold
from ..engine import Layout
from ..figures.crops import snapshot
from .asking import Ask, Asking
from .prompts.settle import SETTLE, Decision, Decisions

ROUNDS = 3
_DPI = (200, 280, 360)
_SAME = 90.0
"""Similarity (0..100) from which the words seen are those of a reading."""
_MOST_CHARS = 4_000
_IN_NUMBER = re.compile(r"(?<=\d)[.,](?=\d)")
_DIGITS = re.compile(r"\d+")
_NAMES = {
    "prompt": "the text of the question",
    "number": "the label of the question",
    "type": "the type of the question",
    "points": "the points of the question",
    "options": "the labels of its options",
    "blanks": "its gaps",
    "matching": "the lists to be matched",
    "key": "the answer to the question, as the answer key gives it",
    "rubric": "the mark scheme for the question",
    "section": "the section of the question",
}


@dataclass
class Doubt:
    """One open field: what the layout engine and the model read there, and where."""

    question: str
    path: str
    layout: str
    model: str
    regions: tuple[Region, ...]
    seen: list[str] = field(default_factory=list)
    votes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Settled:
    """How a doubt ended: `layout`, `model`, or `words` with the words that two rounds saw alike."""

    doubt: Doubt
    by: str
    round: int
    words: str = ""


def settle(
    doubts: Sequence[Doubt], layout: Layout, asking: Asking, rounds: int = ROUNDS
) -> tuple[list[Settled], list[Doubt]]:
    """Ask again until every doubt is settled or the rounds are used up. Returns the settled and the open ones."""
    settled: list[Settled] = []
    left = list(doubts)
    for round_ in range(1, rounds + 1):
        if not left:
            break
        groups = _by_question(left)
        asks = [_ask(group, layout, asking, round_) for group in groups]
        for group, heard in zip(groups, asking.round(asks), strict=True):
            if isinstance(heard.reply, Decisions):
                settled += _decided(group, heard.reply, round_)
        done = {id(one.doubt) for one in settled}
        left = [doubt for doubt in left if id(doubt) not in done]
    return settled, left


def _by_question(doubts: Sequence[Doubt]) -> list[list[Doubt]]:
    groups: dict[str, list[Doubt]] = {}
    for doubt in doubts:
        groups.setdefault(doubt.question, []).append(doubt)
    return list(groups.values())


def _ask(group: Sequence[Doubt], layout: Layout, asking: Asking, round_: int) -> Ask:
    regions = list(dict.fromkeys(_key(region) for doubt in group for region in doubt.regions))
    by_key = {_key(region): region for doubt in group for region in doubt.regions}
    parts: list[Part] = []
    if asking.limits.images and regions:
        dpi = _DPI[min(round_, len(_DPI)) - 1]
        parts.append(ImagePart(snapshot(layout.sources, [by_key[key] for key in regions], dpi)))
    else:
        parts.append(TextPart(_lines_near([by_key[key] for key in regions], layout)))
    parts.append(TextPart("\n\n".join(_item(n, doubt, round_) for n, doubt in enumerate(group, 1))))
    return Ask(SETTLE, tuple(parts), f"{group[0].question}, round {round_}")


def _key(region: Region) -> tuple[int, int, float, float, float, float]:
    return region.source, region.page, region.x0, region.y0, region.x1, region.y1


def _item(number: int, doubt: Doubt, round_: int) -> str:
    head, _, rest = doubt.path.partition(".")
    what = _NAMES.get(head, head) if not rest else f"the text of {head} {rest}"
    first, second = (doubt.layout, doubt.model) if _layout_first(round_) else (doubt.model, doubt.layout)
    return f"Item {number}: {what}\nA: {shown(first)}\nB: {shown(second)}"


def _layout_first(round_: int) -> bool:
    return round_ % 2 == 1


def shown(text: str) -> str:
    """A reading as a request shows it."""
    told = text or "(nothing)"
    return told if len(told) <= _MOST_CHARS else told[:_MOST_CHARS] + " …"


def _lines_near(regions: Sequence[Region], layout: Layout) -> str:
    """For a model without eyes: the lines of the layer in these places."""
    rows = ["The lines that the file itself has at this place:"]
    for region in regions:
        reading = next((r for r in layout.readings if r.source == region.source), None)
        rows += [
            line.text
            for line in (reading.lines if reading else ())
            if line.page == region.page and region.y0 - 4 <= line.box.cy <= region.y1 + 4
        ]
    return "\n".join(rows)


def _decided(group: Sequence[Doubt], reply: Decisions, round_: int) -> list[Settled]:
    found: list[Settled] = []
    answered: set[int] = set()
    for decision in reply.decisions:
        if not 1 <= decision.item <= len(group) or decision.item in answered:
            continue
        answered.add(decision.item)
        doubt = group[decision.item - 1]
        verdict = _verdict(doubt, decision, round_)
        if verdict is not None:
            found.append(verdict)
    return found


def _verdict(doubt: Doubt, decision: Decision, round_: int) -> Settled | None:
    if decision.reading == "unreadable":
        return None
    if decision.reading != "neither":
        by = "layout" if (decision.reading == "A") == _layout_first(round_) else "model"
        chosen, other = (doubt.layout, doubt.model) if by == "layout" else (doubt.model, doubt.layout)
        doubt.votes.append(by)
        sure = _alike(decision.seen, chosen) and _closer(decision.seen, chosen, other)
        return Settled(doubt, by, round_) if sure or doubt.votes[-2:] == [by, by] else None
    doubt.votes.append("neither")
    seen = _content(decision.seen)
    known = seen and any(_content(other) == seen for other in doubt.seen)
    doubt.seen.append(decision.seen)
    return Settled(doubt, "words", round_, decision.seen) if known else None


def _alike(seen: str, reading: str) -> bool:
    """Whether the words seen are the reading's: letters and digits count, and every number must be the same."""
    a, b = _content(seen), _content(reading)
    if a == b or not (a and b):
        return a == b
    return _DIGITS.findall(a) == _DIGITS.findall(b) and ratio(a, b) >= _SAME


def _content(text: str) -> str:
    """Letters and digits of a text; a point or comma inside a number is part of it."""
    return fold(_IN_NUMBER.sub("point", text))


def _closer(seen: str, chosen: str, other: str) -> bool:
    """Whether the words seen are no nearer to the reading that was not chosen."""
    return ratio(_content(seen), _content(chosen)) >= ratio(_content(seen), _content(other))
