"""The numbering solver: which labels number the paper's questions.

Numbering is a sequence, not a pattern. All labels that could number a question are candidates; the chosen
ones are the path through them, in reading order, of the highest total

    sum of gains  -  sum of step costs,

found by dynamic programming. A gain says how much a label looks like a question's (a question word, a
closing mark, the start of a line, not inside instructions). A step from one label to the next costs
nothing where the value grows by one in the same form, at the same indent and in the same type; it costs
for a change of form, indent or type, for every number skipped, and most for starting again, which is
cheap only behind a section heading. Lists inside a stem, options and table rows lose because leaving
the run and coming back costs more than they gain. A paper of a new country needs no new rule.

Where the chosen path starts again again and again, an outer run that counts the restarts (`Exercice 1`,
`第1問`) explains the paper better: then the outer labels are the questions and the inner ones their parts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from .labels import Form, Label

_SYSTEM_GAIN = {
    "digit": 1.0,
    "han": 0.9,
    "roman_upper": 0.7,
    "bracketed han": 0.5,
    "han_formal": 0.3,
    "dotted digit": 0.9,
}
_RESTART, _RESTART_ELSEWHERE = 5.0, 7.0
"""Cost of starting again at the first value, and of starting at another value."""
_STRONG_HEADING, _WEAK_HEADING = 4.2, 2.0
"""How much cheaper a restart is behind a heading."""
_WORDED = 1.3
"""Reach from which a form with a question word (`QUESTÃO 91`) makes plain numbers unlikely questions."""
_REVISIONS = 4
_MAX_GAP = 15
_KEPT = 6


@dataclass
class Surroundings:
    """What the solver needs to know of the lines: headings (line -> strong?), lines that cannot hold
    questions (instructions, formula sheets), lines in code or table type, and the body's type size."""

    headings: dict[int, bool] = field(default_factory=dict)
    barred: frozenset[int] = frozenset()
    doubtful: frozenset[int] = frozenset()
    body: float = 10.0
    titled: frozenset[int] = frozenset()
    """Short lines that hold a mark: the head of an exercise (`2  Groups [4 points]`)."""
    worded: bool = False
    """Questions carry a word before their number: plain numbers are hardly any."""


def label_gain(label: Label, around: Surroundings) -> float:
    """How much choosing this label as a question's is worth by itself; <= 0 for what can be none."""
    if label.place == "chained" or label.role in ("figure", "section") or label.path:
        return 0.0
    base = 1.6 if label.role == "question" else _plain_gain(label, around)
    if label.place == "fragment" and label.form[1] and label.ends_line:
        return 0.0  # a mark in the margin: `[3]`
    if label.line in around.barred:
        return min(base, 0.0) - 0.5
    if label.line in around.doubtful:
        base *= 0.2 if not label.form[3] else 0.7
    if label.place == "fragment":
        base *= 0.4
    return min(base, 0.2) if label.upto else base


def _plain_gain(label: Label, around: Surroundings) -> float:
    if label.role == "unknown":
        return 0.9 if label.system == "digit" and (label.bold or label.size > 1.1 * around.body) else 0.0
    if label.system.startswith("code"):
        return 1.6
    gain = _SYSTEM_GAIN.get(label.system, 0.0) * (0.35 if around.worded else 1.0)
    marked = bool(label.form[1] or label.form[3])
    if label.form[3] in (":", "-", ">"):
        gain *= 0.6
    return gain if marked else 0.6 * gain if label.system == "digit" else 0.0


def _lists_before_next(labels: Sequence[Label], path: list[Label], around: Surroundings) -> set[int]:
    """Labels (by id) of runs in another form that start although the number due stands just before them: lists in
    the text of that number (`4 …`, heading, `5 Choose two: 1) … 2) …`)."""
    found: set[int] = set()
    begins = [*restarts(path), len(path)]
    for index, end in pairwise(begins):
        before, first = path[index - 1], path[index]
        if first.form == before.form or first.line == before.line:
            continue
        due = (before.upto or before.value) + 1
        for label in labels:
            if label.line > first.line:
                break
            alike = label.form == before.form and label.bold == before.bold and abs(label.x0 - before.x0) < 8
            if label.line > before.line and label.value == due and alike and label_gain(label, around) > 0:
                found |= {id(member) for member in path[index:end]}
                break
    return found


def form_reach(labels: Sequence[Label]) -> dict[Form, float]:
    """A weight for each form: from 0.9 (it counts to two) to 1.6 (to 22 and more) by how far it counts
    without a gap anywhere; less for a form that starts again and again and never counts far (options)."""
    longest: dict[Form, dict[int, int]] = {}
    starts: dict[Form, int] = {}
    for label in labels:
        known = longest.setdefault(label.form, {})
        before = known.get(label.value - 1, 0) if not label.code or label.value > 1 else 0
        known[label.value] = max(known.get(label.value, 0), before + 1)
        starts[label.form] = starts.get(label.form, 0) + (label.value == 1)
    weights: dict[Form, float] = {}
    for form, known in longest.items():
        reach = max(known.values())
        often = starts[form] >= 3 and starts[form] >= 0.25 * reach and reach < 12
        weights[form] = min(0.7 + 0.2 * math.log2(reach), 1.6) * (
            (0.5 if starts[form] >= 6 else 0.75) if often else 1.0
        )
    return weights


@dataclass
class _Node:
    label: Label
    gain: float
    score: float
    previous: int


def choose_run(labels: Sequence[Label], around: Surroundings) -> list[Label]:
    """The labels that number the questions, in reading order; empty where nothing counts."""
    reach = form_reach(labels)
    if any(
        label.role == "question" and not label.upto and label.place == "line" and reach[label.form] >= _WORDED
        for label in labels
    ):
        around = replace(around, worded=True)
    banned: set[int] = set()

    def gain_of(label: Label) -> float:
        return 0.0 if id(label) in banned else label_gain(label, around) * reach[label.form]

    path = _best_path(labels, around, gain_of)
    for _ in range(_REVISIONS):
        lists = _lists_before_next(labels, path, around)
        if not lists:
            break
        banned |= lists
        path = _best_path(labels, around, gain_of)
    outer = _outer_run(labels, path, around)
    return outer or path


def _best_path(labels: Sequence[Label], around: Surroundings, gain_of: Callable[[Label], float]) -> list[Label]:
    nodes: list[_Node] = []
    recent: dict[tuple[int, Form | None], list[int]] = {}
    best, behind = -1, {True: -1, False: -1}
    heads = sorted(around.headings.items())
    next_head = 0
    for label in labels:
        gain = gain_of(label)
        if gain <= 0:
            continue
        while next_head < len(heads) and heads[next_head][0] <= label.line:
            strong = heads[next_head][1]
            behind[False] = best
            if strong:
                behind[True] = best
            next_head += 1
        previous, score = _best_start(nodes, label, best, behind)
        if previous >= 0 and nodes[previous].label.form != label.form:
            score -= 0.7 if _behind_strong(behind, previous) else 1.0
        for before in _predecessors(recent, label):
            cost = _step_cost(nodes[before].label, label)
            if cost is not None and nodes[before].score - cost > score:
                previous, score = before, nodes[before].score - cost
        nodes.append(_Node(label, gain, score + gain, previous))
        index = len(nodes) - 1
        _remember(recent, nodes, index)
        if best < 0 or nodes[index].score > nodes[best].score:
            best = index
    path: list[Label] = []
    while best >= 0:
        path.append(nodes[best].label)
        best = nodes[best].previous
    return path[::-1]


def _behind_strong(behind: dict[bool, int], node: int) -> bool:
    return behind[True] >= node >= 0


def _best_start(nodes: list[_Node], label: Label, best: int, behind: dict[bool, int]) -> tuple[int, float]:
    """Start a run at this label: (node before it or -1, score so far)."""
    first = label.value == 1
    elsewhere = -3.0 if label.code else -0.5 if label.role == "question" else -1.5
    choices = [(-1, 0.0 if first else elsewhere)]
    cost = 0.2 if label.code and first else _RESTART if first else _RESTART_ELSEWHERE
    if label.role == "question" and first:
        cost *= 0.5
    if best >= 0:
        choices.append((best, nodes[best].score - cost))
    for strong, cheaper in ((True, _STRONG_HEADING), (False, _WEAK_HEADING)):
        node = behind[strong]
        if node >= 0:
            choices.append((node, nodes[node].score - max(cost - cheaper, 0.2)))
    return max(choices, key=lambda choice: choice[1])


def _predecessors(recent: dict[tuple[int, Form | None], list[int]], label: Label) -> list[int]:
    found: list[int] = []
    for missing in range(_MAX_GAP + 1):
        value = label.value - 1 - missing
        if value < 1:
            break
        found += recent.get((value, label.form), [])
        found += recent.get((value, None), []) if missing < 3 else []
    return found


def _remember(recent: dict[tuple[int, Form | None], list[int]], nodes: list[_Node], index: int) -> None:
    label = nodes[index].label
    last = label.upto or label.value
    for form in (label.form, None):
        kept = recent.setdefault((last, form), [])
        kept.append(index)
        if len(kept) > _KEPT:
            kept.remove(min(kept[:-1], key=lambda node: nodes[node].score))


def _step_cost(before: Label, after: Label) -> float | None:
    """Cost of counting on from one label to the next; None where that is impossible."""
    if (before.line, before.start) >= (after.line, after.start) or before.code != after.code:
        return None
    missing = after.value - (before.upto or before.value) - 1
    cost = _gap_cost(before, after, missing) if missing else 0.0
    if before.form != after.form:
        cost += _form_cost(before, after)
    if before.place == after.place == "line":
        shift = min(abs(before.x0 - after.x0), abs(before.x1 - after.x1), abs(before.text_x - after.text_x))
        cost += 0.0 if shift < 5 else 0.25 if shift < 30 else 0.45
    if abs(before.size - after.size) > 1.5:
        cost += 0.25
    return cost + (0.25 if before.bold != after.bold else 0.0)


def _form_cost(before: Label, after: Label) -> float:
    """Cost of a change of form: small where only the closing mark differs or a number stands in a gap."""
    if before.form[0] != after.form[0] or before.form[2] != after.form[2]:
        return 1.4
    if "fragment" in (before.place, after.place):
        return 0.3
    return 0.8 if before.form[1] == after.form[1] else 1.4


def _gap_cost(before: Label, after: Label, missing: int) -> float:
    """Skipped numbers cost less where both labels are of one form: they may be gaps in a passage."""
    return 0.8 + 0.04 * missing if before.form == after.form and missing > 2 else 1.0 + 0.5 * missing


def restarts(path: Sequence[Label]) -> list[int]:
    """Places in the path where the numbers start again (the first label is none)."""
    found: list[int] = []
    for index in range(1, len(path)):
        before, after = path[index - 1], path[index]
        if after.value <= (before.upto or before.value) or before.code != after.code:
            found.append(index)
    return found


def _outer_run(labels: Sequence[Label], path: list[Label], around: Surroundings) -> list[Label]:
    """A run of more prominent labels within which the path's numbers start again each time; empty where none is.

    Prominent are labels with a question word, and plain ones in clearly larger type (`1  Number theory [6 points]`).
    """
    if len(path) < 2 or any(label.code for label in path):
        return []
    forms: dict[Form, list[Label]] = {}
    for label in labels:
        large = label.size > 1.1 * around.body or label.line in around.titled
        large = large and label.role == "plain" and not label.ends_line
        known = label.place == "line" and not label.upto and label_gain(label, around) > 0
        if known and (label.role == "question" or large):
            forms.setdefault(label.form, []).append(label)
    inner = {id(label) for label in path}
    barred = around.barred
    inside = [x for x in labels if x.place == "line" and x.form == path[0].form and x.line not in barred]
    best: list[Label] = []
    for members in forms.values():
        run = _best_path(members, around, lambda label: label_gain(label, around))
        fits = len(run) >= 2 and not restarts(run) and not any(id(label) in inner for label in run)
        if fits and len(run) > len(best) and (_explains(run, path) or _holds_ones(run, inside)):
            best = run
    return best


def _explains(run: list[Label], path: list[Label]) -> bool:
    """Whether most of the places where the path starts again stand behind a label of the outer run."""
    begins = restarts(path)
    explained = 0
    for index in begins:
        low, high = (path[index - 1].line, path[index - 1].start), (path[index].line, path[index].start)
        explained += any(low < (label.line, label.start) < high for label in run)
    return bool(begins) and explained >= 0.7 * len(begins) and len(run) <= 2 * len(begins) + 2


def _holds_ones(run: list[Label], inside: list[Label]) -> bool:
    """Whether the inner numbers begin at one behind most labels of the outer run, and hardly ever elsewhere."""
    ends = [label.line for label in run[1:]] + [10**9]
    held = other = 0
    for label, end in zip(run, ends, strict=True):
        first = next((one for one in inside if label.line < one.line < end), None)
        held += first is not None and first.value == 1
        other += first is not None and first.value != 1
    return held >= max(2, 0.6 * len(run)) and other <= 0.2 * len(run)


def run_of(labels: Sequence[Label], first: int = 1) -> list[Label]:
    """The longest stretch that counts up by one from `first` among labels of one form, greedily."""
    run: list[Label] = []
    for label in labels:
        if label.value == first + len(run):
            run.append(label)
    return run
