"""How keys name questions: a number and, below it, the places of its parts, whatever letters they are printed in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..draft import DraftPaper, DraftQuestion, DraftSection, KeyEntry
from .key_cells import narrow, parse_number
from .key_values import canonical, position

Spot = tuple[str, int, tuple[int, ...]]
"""Prefix (`t1a`), number, and the parts below it counted from 1: `2 (b)(ii)` is ("", 2, (2, 2))."""

_ROMAN = {
    name: n for n, name in enumerate(("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii"), 1)
}
_PATH = re.compile(r"^(\D*|[a-z]\d[a-z])(\d{1,3})((?:[-.]\d{1,2})+)?$")
_PARTS = re.compile(r"[(（\[]?\s*([ivx]{2,4}|[a-z]|\d{1,2}|[㈠-㈩])\s*[)）\].]?")


@dataclass(frozen=True)
class Target:
    """A leaf question with the number that a key would name it by (None: it has none)."""

    question: DraftQuestion
    spot: Spot | None
    section: DraftSection


@dataclass
class NumberRun:
    """Leaves whose numbers count up without starting again."""

    targets: list[Target] = field(default_factory=list)

    def by_spot(self) -> dict[Spot, DraftQuestion]:
        return {t.spot: t.question for t in self.targets if t.spot is not None}


def ordinal(token: str, before: int = 0) -> int | None:
    """The place of a part's label among its siblings, from 1; `before` is the sibling before it (0: none).

    `i` is the ninth letter only behind `h`, `v` and `x` likewise: else they are roman.
    """
    plain = canonical(token).casefold()
    if plain in _ROMAN and (len(plain) > 1 or before + 1 == _ROMAN[plain]):
        return _ROMAN[plain]
    place = position(token)
    if place is None and plain in _ROMAN:
        return _ROMAN[plain]
    return None if place is None else place + 1


def part_path(text: str, before: tuple[int, ...] = ()) -> tuple[int, ...] | None:
    """`(b)(ii)` as (2, 2); None where the text is no path. `before`: the path of the row above."""
    rest = narrow(text).strip()
    path: list[int] = []
    while rest:
        match = _PARTS.match(rest)
        if not match:
            return None
        level = len(path)
        above = before[level] if level < len(before) and tuple(path) == before[:level] else 0
        place = ordinal(match[1], above)
        if place is None:
            return None
        path.append(place)
        rest = rest[match.end() :].strip()
    return tuple(path)


def spot_of(label: str) -> Spot | None:
    """A label as keys print or entries hold it: `12`, `13-1`, `2-2-1`, `3a`, `T1A01`."""
    plain = narrow(label).strip().casefold()
    match = _PATH.match(plain)
    if match:
        path = tuple(int(p) for p in re.split(r"[-.]", match[3] or "") if p)
        return (match[1] if re.search(r"\d", match[1]) else ""), int(match[2]), path
    number = parse_number(label) if label else None
    if number is None:
        return None
    prefix, count, part = number
    return (prefix if prefix.isascii() and re.search(r"\d", prefix) else ""), count, (part,) if part else ()


def below(key: str, above: Spot | None, before: int = 0) -> Spot | None:
    """The spot of a question named `key` below the spot `above`; `before`: its elder sibling's place."""
    own = spot_of(key)
    if above is None:
        return own
    if own is not None and own[2] and own[1] == above[1] and not above[2]:
        return own
    place = ordinal(re.sub(r"^\d+[\s\-.]*(?=\D)", "", key) or key, before)
    return None if place is None else (above[0], above[1], (*above[2], place))


def node_spots(paper: DraftPaper) -> list[tuple[DraftQuestion, Spot | None, DraftSection]]:
    """Every question and sub-question but bare groups, in print order, with the number that a key would use."""
    found: list[tuple[DraftQuestion, Spot | None, DraftSection]] = []

    def walk(question: DraftQuestion, above: Spot | None, before: int, section: DraftSection) -> int:
        spot = below(question.key, above, before)
        bare = question.group and spot is None
        if not bare:
            found.append((question, spot, section))
        last = 0
        for child in question.children:
            last = walk(child, above if bare else None if question.group else spot, last, section)
        return spot[2][-1] if spot is not None and spot[2] else 0

    for section in paper.sections:
        for question in section.questions:
            walk(question, None, 0, section)
    return found


def targets(paper: DraftPaper) -> list[Target]:
    """The paper's leaves in print order, with their numbers."""
    return [Target(q, spot, section) for q, spot, section in node_spots(paper) if not q.children]


def runs(paper: DraftPaper) -> list[NumberRun]:
    """The paper's leaves cut where the numbers start again."""
    found: list[NumberRun] = []
    last: Spot | None = None
    for target in targets(paper):
        spot = target.spot
        if not found or (spot is not None and last is not None and spot[0] == last[0] and spot[1:] <= last[1:]):
            found.append(NumberRun())
        found[-1].targets.append(target)
        last = spot or last
    return found


@dataclass
class KeySeries:
    """The entries of one series of one source, by number."""

    source: int
    number: int
    entries: dict[Spot, KeyEntry]
    heads: tuple[str, ...]


def group_series(entries: Sequence[KeyEntry]) -> list[KeySeries]:
    """Entries that no source has bound to a question yet, by source and series, in reading order."""
    found: dict[tuple[int, int], KeySeries] = {}
    for entry in entries:
        if entry.question_id is not None:
            continue
        series = found.setdefault((entry.source, entry.series), KeySeries(entry.source, entry.series, {}, entry.heads))
        spot = spot_of(entry.label)
        if spot is not None and spot not in series.entries:
            series.entries[spot] = entry
    return [s for s in found.values() if s.entries]
