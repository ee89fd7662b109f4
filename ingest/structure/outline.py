"""The outline: which stretch of text belongs to which question number, and what stands between them.

A *unit* is one printed question number, or a row of numbered gaps in one passage. Its text runs to the
next number, the next section heading or the next mention of a group, whichever comes first.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from .labels import Label
from .linetext import LineText
from .runs import Position, Run, position
from .sections import Heading, Mention
from .sequence import Surroundings


@dataclass
class Unit:
    """`labels` is one label, or several for a row of gaps. `low`..`high` is the text behind the label."""

    labels: list[Label]
    low: Position
    high: Position
    bank: Run | None = None
    """Options for the gaps that stand before the passage with the gaps."""
    section: int = -1
    """Index into the accepted headings of the section that it stands in; -1 before all of them."""
    restarts: bool = False

    @property
    def gaps(self) -> bool:
        return is_gap(self.labels[0])

    @property
    def start(self) -> Position:
        return position(self.labels[0])

    @property
    def head(self) -> Position:
        """Where the unit's own text begins: at its label, at its passage's first line, or at its bank of options."""
        if self.bank is not None:
            return self.bank.start
        return (self.start[0], 0) if self.gaps else self.start

    @property
    def first(self) -> int:
        return self.labels[0].value

    @property
    def last(self) -> int:
        return self.labels[-1].upto or self.labels[-1].value


@dataclass
class Outline:
    units: list[Unit] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)
    mentions: dict[int, Mention] = field(default_factory=dict)
    stimuli: frozenset[int] = frozenset()


def mark_gaps(run: Sequence[Label]) -> list[Label]:
    """The run with bare numbers at line starts taken as gaps too where a neighbour is one (`31 ⇥ When people …`)."""
    marked = list(run)
    for step in (1, -1):
        places = range(len(marked)) if step == 1 else range(len(marked) - 1, -1, -1)
        for place in places:
            other = place - step
            label = marked[place]
            if (
                not 0 <= other < len(marked)
                or is_gap(label)
                or label.place != "line"
                or label.form[3]
                or label.role != "plain"
            ):
                continue
            beside = marked[other]
            if is_gap(beside) and beside.form == label.form and label.value - beside.value == step:
                marked[place] = replace(label, place="fragment")
    return marked


def is_gap(label: Label) -> bool:
    """A number inside running text: a numbered gap or segment of a passage."""
    if label.place == "inline":
        return True
    if label.place != "fragment" or label.form[0] or label.form[1] or label.system != "digit":
        return False
    return not label.form[3] or " " in label.printed or label.ends_line


def accept_headings(
    texts: Sequence[LineText], headings: Sequence[Heading], run: Sequence[Label], around: Surroundings
) -> list[Heading]:
    """The headings that open sections, given the questions: not the labels themselves, not lesser heads
    inside a question, and heads without label or words only where the numbers begin or start again."""
    chosen = {label.line for label in run}
    accepted: list[Heading] = []
    upcoming = 0
    entry = run[0].line if run else 0
    labelled = any(
        h.label is not None and h.strong and h.line < entry and h.line not in around.barred for h in headings
    )
    size = sum(label.size for label in run) / len(run) if run else 0.0
    bold = sum(label.bold for label in run) > 0.5 * len(run)
    for heading in headings:
        if heading.line in chosen or heading.line in around.barred:
            continue
        if heading.label is None and labelled and heading.line < entry:
            continue  # a title above the first labelled section
        while upcoming < len(run) and run[upcoming].line < heading.line:
            upcoming += 1
        before = run[upcoming - 1] if upcoming else None
        after = run[upcoming] if upcoming < len(run) else None
        begins = after is not None and (before is None or after.value <= before.value or after.code != before.code)
        lesser = heading.size < size - 0.5 or (bold and not heading.bold)
        if not begins and lesser:
            continue
        near = after is not None and after.line - heading.line <= 8
        worded = heading.strong and (heading.label is not None or begins or near)
        if worded or (begins and before is not None and near):
            accepted.append(heading)
    return _without_inner(accepted, run)


def _without_inner(headings: list[Heading], run: Sequence[Label]) -> list[Heading]:
    """Headings of one form that follow one another with no question between them, while the numbers go on behind
    them, part a question (`Partie A`, `Partie B` of an exercise): they open no sections."""
    lines = [label.line for label in run]
    kept: list[Heading] = []
    inner: set[int] = set()
    for heading, following in pairwise(headings):
        place = bisect_left(lines, heading.line)
        goes_on = 0 < place < len(run) and run[place].value == (run[place - 1].upto or run[place - 1].value) + 1
        last = place == len(run)
        alone = bisect_left(lines, following.line) == place
        if heading.form is not None and heading.form == following.form and alone and (goes_on or (last and place > 1)):
            worded = run[place - 1].role == "question"
            if goes_on or worded:
                inner |= {heading.line, following.line}
    for heading in headings:
        if heading.line not in inner:
            kept.append(heading)
    return kept


def draw_outline(
    texts: Sequence[LineText],
    run: Sequence[Label],
    headings: list[Heading],
    mentions: Sequence[Mention],
    barred: frozenset[int] = frozenset(),
    stimuli: frozenset[int] = frozenset(),
) -> Outline:
    """Cut the paper into units. `stimuli` are lines that head a stimulus: a unit ends before them."""
    outline = Outline(headings=headings, mentions={mention.line: mention for mention in mentions}, stimuli=stimuli)
    zones = {line for line in barred if line - 1 not in barred}
    stops = sorted({heading.line for heading in headings} | set(outline.mentions) | zones | stimuli)
    section, stop = -1, 0
    end: Position = (len(texts) - 1, len(texts[-1].text)) if texts else (0, 0)
    groups = _gather(run, headings)
    for place, labels in enumerate(groups):
        first = labels[0]
        while section + 1 < len(headings) and headings[section + 1].line <= first.line:
            section += 1
        low: Position = (first.line, first.end)
        high = position(groups[place + 1][0]) if place + 1 < len(groups) else end
        while stop < len(stops) and stops[stop] <= labels[-1].line:
            stop += 1
        if stop < len(stops) and (stops[stop], 0) < high:
            high = (stops[stop], 0)
        before = groups[place - 1][-1] if place else None
        restarts = before is not None and (first.value <= before.value or first.code != before.code)
        outline.units.append(Unit(list(labels), low, high, section=section, restarts=restarts))
    return outline


def _gather(run: Sequence[Label], headings: Sequence[Heading]) -> list[list[Label]]:
    """Every label by itself, but gaps that follow one another within a section together."""
    lines = [heading.line for heading in headings]
    groups: list[list[Label]] = []
    for label in run:
        previous = groups[-1][-1] if groups else None
        together = previous is not None and is_gap(label) and is_gap(previous) and label.value == previous.value + 1
        if together and previous is not None and not any(previous.line < line <= label.line for line in lines):
            groups[-1].append(label)
        else:
            groups.append([label])
    return groups
