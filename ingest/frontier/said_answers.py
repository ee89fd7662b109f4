"""What keys and schemes say in a model's reading, as the key entries that the layout engine's own rules work on.

An answer finds its question by section and label, token by token: `2 (b)(ii)` is 2, b, ii and never 2bii or 2b.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ...schemas.exam import Region
from ...schemas.findings import Finding, Where
from ...schemas.grading import Deduction
from ..draft import DraftPaper, DraftQuestion, DraftSection, KeyEntry
from ..keys.key_values import choice_labels
from ..page import Box
from .entries import plain_label, section_key
from .prompts.answers import AnswerRead, Criterion, Level

_TOKENS = re.compile(r"\d+|[^\W\d_]+|[①-⓿㈠-㉃]")
_WORDS = re.compile(
    r"^(?:question|aufgabe|exercice|ejercicio|questão|problem|item|part|第|題|题|問|问|문항|câu|bài)$", re.IGNORECASE
)
_MOST_LEVELS = 40
_UNNAMED = "Overall, by the official levels."


@dataclass(frozen=True)
class SaidAnswer:
    """One entry of the answers pass with where it stands. `window` counts the calls of the pass."""

    read: AnswerRead
    regions: tuple[Region, ...]
    window: int


def tokens(label: str | None) -> tuple[str, ...]:
    """The parts of a label: `2 (b)(ii)` is 2, b, ii; `Question 13-1` is 13, 1; `第12題` is 12."""
    found = _TOKENS.findall(unicodedata.normalize("NFKC", label or "").replace("_", " "))
    if len(found) == 1 and found[0].isdigit():
        return (str(int(found[0])),)
    kept = [token for token in found if not _WORDS.match(token)]
    return tuple(str(int(token)) if token.isdecimal() else token.casefold() for token in kept)


@dataclass(frozen=True)
class _Target:
    question: DraftQuestion
    section: DraftSection
    path: tuple[str, ...]


def bring_to_questions(
    said: Sequence[SaidAnswer], paper: DraftPaper
) -> tuple[list[tuple[SaidAnswer, DraftQuestion]], list[Finding]]:
    """Each answer with its leaf question. Ids of the paper are set. An answer that fits none, or several, is a
    finding and answers nothing: never a guess."""
    targets = list(_targets(paper))
    pairs: list[tuple[SaidAnswer, DraftQuestion]] = []
    none: list[SaidAnswer] = []
    several: list[SaidAnswer] = []
    for one in said:
        fits = _fitting(one, targets)
        if len(fits) == 1:
            pairs.append((one, fits[0].question))
        else:
            (several if fits else none).append(one)
    findings = [_unplaced(none, "fit no question")] if none else []
    return pairs, [*findings, *([_unplaced(several, "fit several questions")] if several else [])]


def _targets(paper: DraftPaper) -> Iterator[_Target]:
    def below(question: DraftQuestion, section: DraftSection, path: tuple[str, ...]) -> Iterator[_Target]:
        own = () if question.group else tokens(question.key)
        # a part that repeats its question's number: 13-1 below 13
        here = own if path and own[: len(path)] == path and len(own) > len(path) else (*path, *own)
        yield _Target(question, section, here)
        for child in question.children:
            yield from below(child, section, here)

    for section in paper.sections:
        for question in section.questions:
            yield from below(question, section, ())


def _fitting(said: SaidAnswer, targets: Sequence[_Target]) -> list[_Target]:
    wanted = tokens(said.read.label)
    leaves = [target for target in targets if not target.question.children]
    fits = [target for target in leaves if target.path == wanted]
    if not fits:
        # a key may leave out the letter of a question's only part, or write the section before the number
        named = [target for target in leaves if wanted == (*tokens(target.section.key), *target.path)]
        fits = named or [target for target in leaves if target.path[:-1] == wanted and _only_child(target, targets)]
    if len(fits) > 1 and said.read.section:
        fits = [target for target in fits if _in_section(target.section, said.read.section)]
    return fits


def _only_child(target: _Target, targets: Sequence[_Target]) -> bool:
    return sum(other.path[:-1] == target.path[:-1] and bool(other.path) for other in targets) == 1


def _in_section(section: DraftSection, named: str) -> bool:
    own = {plain_label(section.key), plain_label(section.parent)} - {""}
    return bool(own & {plain_label(named), plain_label(section_key(named)), *tokens(named)})


def _unplaced(said: Sequence[SaidAnswer], why: str) -> Finding:
    labels = [" ".join(filter(None, [one.read.section, one.read.label]))[:40] for one in said]
    shown = ", ".join(labels[:6]) + (f" and {len(labels) - 6} more" if len(labels) > 6 else "")
    region = next((region for one in said for region in one.regions), None)
    where = Where(source=region.source, page=region.page) if region else Where()
    return Finding(
        code="key.unmatched",
        severity="warning",
        where=where,
        message=f"Answers that the model read {why} of the paper and were not used: {shown}.",
        hint="look at the paper for questions that were missed, and at the key for its sections",
    )


_ORIGIN: dict[str, Literal["key", "markscheme", "solution", "printed"]] = {
    "key": "key",
    "markscheme": "markscheme",
    "solution": "solution",
    "printed": "printed",
}


def key_entry(said: SaidAnswer, question: DraftQuestion) -> KeyEntry:
    """The answer as a key entry at its question."""
    read = said.read
    values, alternatives = _values(read, question)
    region = said.regions[0] if said.regions else None
    box = Box(region.x0, region.y0, region.x1, region.y1) if region else None
    scheme = read.source != "key"
    reference = _reference(read) if scheme else None
    return KeyEntry(
        section=read.section,
        label=read.label,
        values=values,
        alternatives=alternatives,
        every=read.void,
        reference=reference,
        criteria=tuple(_criterion(c) for c in capped(read)),
        points=read.points,
        source=region.source if region else 0,
        page=region.page if region else 0,
        box=box,
        origin=_ORIGIN[read.source],
        raw=_raw(read),
        question_id=question.id,
    )


def _reference(read: AnswerRead) -> str | None:
    """The model answer of a scheme or solution; where it prints levels only, what the highest of them say."""
    if len(read.raw.strip()) > 1:
        return read.raw
    best = [criterion.levels[0].descriptor for criterion in read.criteria if criterion.levels]
    return " / ".join(text for text in best if text) or None


def _raw(read: AnswerRead) -> str:
    if read.pairs:
        return ", ".join(f"{pair.left}-{pair.right}" for pair in read.pairs)
    return read.raw


def _values(read: AnswerRead, question: DraftQuestion) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    if question.options:
        sets = [choice_labels(read.values), *(choice_labels([text]) for text in read.alternatives)]
        return sets[0], tuple(one for one in sets[1:] if one)
    if read.pairs:
        return tuple(f"{pair.left}-{pair.right}" for pair in read.pairs), ()
    values = tuple(value for value in read.values if value.strip())
    return values, tuple((text,) for text in read.alternatives if text.strip() and values)


def capped(read: AnswerRead) -> list[Criterion]:
    """The criteria with each limit over several of them as one criterion: `at most 2 of these three` has the levels
    2, 1, 0 and names what counts."""
    taken: set[int] = set()
    found: dict[int, Criterion] = {}
    for cap in read.caps:
        members = sorted({n for n in cap.criteria if 1 <= n <= len(read.criteria)} - taken)
        if len(members) < 2 or cap.most <= 0:
            continue
        taken.update(members)
        found[members[0]] = _together([read.criteria[n - 1] for n in members], cap.most)
    for n, criterion in enumerate(read.criteria, 1):
        if n not in taken:
            found[n] = criterion
    return [found[n] for n in sorted(found)]


def _together(members: Sequence[Criterion], most: float) -> Criterion:
    step = min((level.points for member in members for level in member.levels if level.points > 0), default=most)
    below = [round(n * step, 6) for n in range(_MOST_LEVELS) if n * step < most - 1e-6]
    listed = "; ".join(f"({n}) {_described(member)}" for n, member in enumerate(members, 1))
    levels = [Level(points=points, descriptor=f"{points:g} points’ worth of them.") for points in (most, *below[:0:-1])]
    levels.append(Level(points=0, descriptor="None of them."))
    return Criterion(description=f"At most {most:g} points for: {listed}", alternatives=[], levels=levels)


def _described(member: Criterion) -> str:
    best = max((level.points for level in member.levels), default=0.0)
    told = member.description if len(member.description) > 3 else (member.levels[0].descriptor if member.levels else "")
    return f"{' or '.join([told, *member.alternatives])} [{best:g}]"


def _criterion(criterion: Criterion) -> tuple[str, tuple[tuple[float, str], ...]]:
    """A criterion as (description, levels), highest first, with a level of 0."""
    levels = sorted(((level.points, level.descriptor) for level in criterion.levels), key=lambda level: -level[0])
    if levels and levels[-1][0] > 0:
        levels.append((0.0, ""))
    description = criterion.description.strip() or _UNNAMED
    if criterion.alternatives:
        description = " — or: ".join([description, *criterion.alternatives])
    return description, tuple(levels)


def deductions(read: AnswerRead) -> list[Deduction]:
    """What the scheme takes away, as the contract writes it."""
    return [
        Deduction(id=f"d{n}", description=seen.description, points=-abs(seen.points), max_times=max(seen.max_times, 1))
        for n, seen in enumerate(read.deductions, 1)
        if seen.points
    ]
