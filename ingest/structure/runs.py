"""Runs inside a question: labels of one form that count up from the first value.

A run may be printed in rows, in columns (`(1) (3)` over `(2) (4)`), after wide gaps or in the middle of a
line; it counts as a run when its values are 1..n, each once. What a run is (options, parts of the
question, a list that the question speaks of) is decided in `run_roles`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from ..text import is_cjk
from .labels import Form, Label, make_label, parse_labels
from .linetext import LineText
from .numbering import ALPHABETS

Position = tuple[int, int]
"""(line, character): a place in the paper's text."""

_ORDERED_ONLY = ("lower", "upper", "roman_lower", "roman_upper", "digit")


@dataclass
class Run:
    """Labels 1..n of one form within a question, by value. `missing` are values that were left out."""

    form: Form
    labels: list[Label]
    missing: list[int] = field(default_factory=list)

    @cached_property
    def start(self) -> Position:
        return min((label.line, label.start) for label in self.labels)

    @cached_property
    def last(self) -> Position:
        return max((label.line, label.end) for label in self.labels)

    @property
    def system_of_letters(self) -> bool:
        """Whether the labels are letters or signs of their own, not numbers."""
        return "digit" not in self.form[2] and not self.form[2].startswith(("path", "roman"))

    @property
    def shares_lines(self) -> bool:
        return len({label.line for label in self.labels}) < len(self.labels)


def position(label: Label) -> Position:
    return (label.line, label.start)


def find_runs(texts: Sequence[LineText], labels: Sequence[Label], low: Position, high: Position) -> list[Run]:
    """All runs of at least two labels between two positions, ordered by where they start."""
    forms: dict[Form, list[Label]] = {}
    found: list[Run] = _path_runs([label for label in labels if label.path and low <= position(label) < high])
    for label in labels:
        if low <= position(label) < high and not label.path and label.role in ("plain", "question", "section"):
            forms.setdefault(label.form, []).append(label)
    for form, members in forms.items():
        found += _runs_of_form(texts, form, members, low, high)
    return sorted(found, key=lambda run: (run.start, -len(run.labels)))


def _path_runs(labels: list[Label]) -> list[Run]:
    """Numbers such as `2.1`, `2.2`: runs of one prefix that stand at line starts."""
    runs: dict[tuple[int, ...], list[Label]] = {}
    for label in labels:
        if label.place != "fragment" and label.value == len(runs.get(label.path[:-1], [])) + 1:
            runs.setdefault(label.path[:-1], []).append(label)
    return [Run(members[0].form, members) for members in runs.values() if len(members) >= 2]


def _runs_of_form(
    texts: Sequence[LineText], form: Form, members: list[Label], low: Position, high: Position
) -> list[Run]:
    if form[2].startswith("picture"):
        return _unread_runs(members)
    if form[2] == "private":
        return _private_runs(members)
    marked = bool(form[0] or form[1] or form[3]) or " " in form[2]
    if marked:
        members = _with_inline(texts, form, members, low, high)
    groups: list[list[Label]] = []
    for label in members:
        current = groups[-1] if groups else None
        if current is None or (label.value == 1 and current) or any(other.value == label.value for other in current):
            groups.append([label])
        else:
            current.append(label)
    runs = [run for group in groups if (run := _as_run(form, group, marked)) is not None]
    return runs


def _as_run(form: Form, group: list[Label], marked: bool) -> Run | None:
    """The group as a run if its values count from one; a value may be missing in a run of four or more."""
    by_value = {label.value: label for label in group}
    kept: list[Label] = []
    missing: list[int] = []
    value = 1
    while value in by_value or (value + 1 in by_value and len(kept) >= 2 and not missing):
        if value in by_value:
            kept.append(by_value[value])
        else:
            missing.append(value)
        value += 1
    if len(kept) < 2 or (missing and len(kept) < 3):
        return None
    if not marked and not _plausible_bare(kept):
        return None
    return Run(form, kept, missing)


def usual_run(
    texts: Sequence[LineText], labels: Sequence[Label], low: Position, high: Position, usual: Usual
) -> Run | None:
    """A run in the form and length that options of this paper usually have, in whatever order it is printed;
    one label that did not read is looked for at the indent of the others."""
    by_value: dict[int, Label] = {}
    for label in labels:
        alike = label.form == usual.form and label.font == usual.font
        if alike and label.place != "chained" and low <= position(label) < high:
            by_value[label.value] = label
    lost = [value for value in range(1, usual.length + 1) if value not in by_value]
    if len(lost) == 1 and usual.length >= 3 and len(by_value) == usual.length - 1:
        found = _lost_label(texts, by_value, lost[0], low)
        if found is not None:
            by_value[lost[0]] = found
    if len(by_value) < 2 or set(by_value) != set(range(1, len(by_value) + 1)) or len(by_value) > usual.length:
        return None
    return Run(usual.form, [by_value[value] for value in sorted(by_value)])


def _lost_label(texts: Sequence[LineText], by_value: dict[int, Label], value: int, low: Position) -> Label | None:
    """The label that should stand between its neighbours: a line at their indent (or a little left of it)."""
    after = by_value.get(value + 1)
    before = by_value.get(value - 1)
    beside = after or before
    if beside is None:
        return None
    first = before.line + 1 if before else max(low[0] + 1, beside.line - 4)
    last = after.line if after else beside.line + 4
    for number in range(first, min(last, len(texts))):
        text = texts[number]
        if abs(text.line.indent - beside.x0) <= 12 or abs(text.line.indent - beside.text_x) <= 6:
            word = text.line.words[0]
            junk = len(word.text) <= 3 and not word.text.isalpha() and len(text.line.words) > 1
            end = len(word.text) if junk else 0
            return replace(
                beside, line=number, start=0, end=end, value=value, printed=_printed_like(beside, value), place="line"
            )
    return None


def _printed_like(beside: Label, value: int) -> str:
    """The label as it would be printed: its neighbour's with the value's own counter."""
    for alphabet in ALPHABETS.values():
        place = alphabet.find(next((c for c in beside.printed if c in alphabet), "\0"))
        if place == beside.value - 1 and value <= len(alphabet):
            return beside.printed.replace(alphabet[place], alphabet[value - 1])
    return beside.printed.replace(str(beside.value), str(value))


@dataclass(frozen=True)
class Usual:
    """What most options of a paper look like: the form of their labels, its font, how many there are."""

    form: Form
    font: str
    length: int


def _plausible_bare(kept: list[Label]) -> bool:
    """Bare letters and numbers make a run only in order and in a column or a row of their own."""
    if [position(label) for label in kept] != sorted(position(label) for label in kept):
        return False
    if any(label.place == "chained" for label in kept[1:]):
        return False
    places = {round(label.x0 / 4) for label in kept}
    rows = {label.line for label in kept}
    letters = kept[0].system == "upper" and len(kept) >= 3 and all(label.place == "line" for label in kept)
    strong = all(label.bold for label in kept) or len(kept) >= 4 or kept[0].place == "chained" or letters
    return (len(places) <= max(2, len(kept) // 2) or len(rows) == 1) and strong


def _unread_runs(members: list[Label]) -> list[Run]:
    """Pictures as labels: nothing is known but their order, row by row."""
    if len(members) < 2:
        return []
    ordered = sorted(members, key=lambda label: (label.line, label.x0))
    return [Run(members[0].form, [_valued(label, n) for n, label in enumerate(ordered, start=1)])]


def _private_runs(members: list[Label]) -> list[Run]:
    """Private-use glyphs whose code points count up by one."""
    groups: list[list[Label]] = []
    for label in members:
        if groups and groups[-1][-1].value + 1 == label.value:
            groups[-1].append(label)
        else:
            groups.append([label])
    return [
        Run(members[0].form, [_valued(label, n) for n, label in enumerate(group, start=1)])
        for group in groups
        if len(group) >= 3
    ]


def _valued(label: Label, value: int) -> Label:
    return replace(label, value=value)


def _with_inline(
    texts: Sequence[LineText], form: Form, members: list[Label], low: Position, high: Position
) -> list[Label]:
    """Add labels of the same form that stand in the middle of a line, where the run needs them."""
    known = {position(label) for label in members}
    extra: list[Label] = []
    counts: dict[int, int] = {}
    for label in members:
        counts[label.line] = counts.get(label.line, 0) + 1
    values = {label.value for label in members}
    for line, count in sorted(counts.items()):
        if not _may_hold_more(texts[line].text, form, count):
            continue
        extra += _inline_on(texts, line, form, known, values, low, high)
    if 1 not in values and 2 in values:
        first = min(position(label) for label in members if label.value == 2)[0]
        for line in range(first, max(low[0], first - 4) - 1, -1):
            found = [x for x in _inline_on(texts, line, form, known, {0}, low, high) if x.value == 1]
            if found:
                extra += found[-1:]
                break
    return sorted([*members, *extra], key=position) if extra else members


def _may_hold_more(chars: str, form: Form, count: int) -> bool:
    """Whether a line has room for more labels of a form than are known on it: its marks occur more often."""
    if form[1]:
        return sum(chars.count(mark) for mark in _OPENED[form[1]]) > count
    closing = form[3][-1:]
    return not closing or sum(chars.count(mark) for mark in _CLOSED.get(closing, closing)) > count


_OPENED = {"(": "(（", "[": "[［【〔", "<": "<〈《", "{": "{"}
_CLOSED = {".": ".．。·", ")": ")）", ",": "、", ":": ":：", "-": "-–—", ">": ">〉"}


def _inline_on(
    texts: Sequence[LineText],
    line: int,
    form: Form,
    known: set[Position],
    values: set[int],
    low: Position,
    high: Position,
) -> list[Label]:
    text = texts[line]
    chars = text.text
    found: list[Label] = []
    for at in range(1, len(chars)):
        here = (line, at)
        if here in known or not low <= here < high or not _may_begin(chars, at, bool(form[1])):
            continue
        for parsed in parse_labels(chars, at):
            if parsed.form == form and (
                parsed.value - 1 in values or parsed.value + 1 in values or parsed.value - 1 in {x.value for x in found}
            ):
                found.append(make_label(text, line, at, parsed, "fragment"))
    return found


def _may_begin(chars: str, at: int, opened: bool) -> bool:
    before = chars[at - 1]
    if before in " \t":
        return True
    return opened and chars[at] in "([（【［" and (is_cjk(before) or before in ".;,:?!。；，：？！")
