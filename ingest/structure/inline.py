"""Numbers inside a line: the ones that the run jumps over, looked for in the text between its neighbours.

Gaps of a passage (`… a(n) 21 of …`), marked segments (`(46) no boy who …`), rows of boxes (`41. → 42. → 43.`)
and exercises set side by side carry their numbers in the middle of lines. They are only taken where the
run needs them: in order, in one form, between the numbers before and after.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from .labels import Form, Label, make_label, parse_labels
from .linetext import LineText
from .runs import Position, position

_TAIL_LINES = 160
"""How far behind the last number a passage with further numbers is looked through."""


def fill_gaps(texts: Sequence[LineText], run: Sequence[Label], barred: frozenset[int]) -> list[Label]:
    """The run with numbers that stand inside lines put in where it jumps, and behind its end."""
    if not run:
        return []
    filled: list[Label] = [run[0]]
    for before, after in pairwise(run):
        last = before.upto or before.value
        if before.system == "digit" and before.code == after.code and 1 < after.value - last <= 30:
            filled += _between(texts, before, position(after), list(range(last + 1, after.value)), barred)
        filled.append(after)
    tail = run[-1]
    if tail.system == "digit" and not tail.code:
        end = min(tail.line + _TAIL_LINES, len(texts) - 1)
        first = (tail.upto or tail.value) + 1
        found = _between(texts, tail, (end, len(texts[end].text)), list(range(first, first + 10)), barred, tail=True)
        filled += found if len(found) >= 3 else []
    return _as_gaps(texts, filled)


def _between(
    texts: Sequence[LineText],
    before: Label,
    end: Position,
    wanted: list[int],
    barred: frozenset[int],
    *,
    tail: bool = False,
) -> list[Label]:
    """The wanted numbers found in order behind `before`: chains of one form, each of three or more, or all that
    are wanted, or in the run's own form. For a tail only a bracketed chain from the first number on."""
    found: list[Label] = []
    place, here = 0, before
    while place < len(wanted):
        chain = _chain(texts, here, end, wanted[place:], barred)
        own = bool(chain) and chain[0].form == before.form and bool(before.form[3])
        if tail:
            return chain if chain and chain[0].form[1] and not own else []
        if chain and (len(chain) >= 3 or len(chain) == len(wanted) - place > 1 or own):
            found += chain
            here = chain[-1]
            place += len(chain)
        else:
            place += 1
    return found


def _chain(
    texts: Sequence[LineText], before: Label, end: Position, wanted: list[int], barred: frozenset[int]
) -> list[Label]:
    """The longest chain of one form that counts on from the first wanted number."""
    best: list[Label] = []
    for start in _tokens(texts, (before.line, before.end), end, wanted[0], barred)[:6]:
        chain = [start]
        for value in wanted[1:]:
            last = chain[-1]
            following = _tokens(texts, (last.line, last.end), end, value, barred, last.form)
            if not following:
                break
            chain.append(following[0])
        if len(chain) > len(best):
            best = chain
    return best


def _tokens(
    texts: Sequence[LineText],
    start: Position,
    end: Position,
    value: int,
    barred: frozenset[int],
    form: Form | None = None,
) -> list[Label]:
    """Places between two positions where the number stands by itself, bracketed, marked or bare."""
    pattern = re.compile(rf"(?<![^\W_])(?:[(\[（［]\s?)?{value}(?![\w%])")
    found: list[Label] = []
    for number in range(start[0], min(end[0] + 1, len(texts))):
        if number in barred:
            continue
        chars = texts[number].text
        low = start[1] if number == start[0] else 0
        high = end[1] if number == end[0] else len(chars)
        for match in pattern.finditer(chars, low, high):
            if match.start() and match.group()[0].isdigit() and chars[match.start() - 1] in ".,/-–$£€":
                continue
            for parsed in parse_labels(chars, match.start()):
                if (
                    parsed.value == value
                    and parsed.form[2] == "digit"
                    and not parsed.upto
                    and form in (None, parsed.form)
                ):
                    found.append(make_label(texts[number], number, match.start(), parsed, "fragment"))
                    break
        if form is not None and found:
            break
    return found


def _as_gaps(texts: Sequence[LineText], run: list[Label]) -> list[Label]:
    """Mark as gaps: bracketed or bare numbers inside lines, and rows of numbers with next to nothing between them."""
    marked = list(run)
    for place in range(1, len(marked)):
        before, label = marked[place - 1], marked[place]
        if label.place != "fragment":
            continue
        beside = before.line == label.line and label.value == before.value + 1
        between = texts[label.line].text[before.end : label.start] if beside else "…"
        if (
            beside
            and sum(c.isalpha() for c in between) <= 2
            and not any(c.isdigit() for c in between)
            and "=" not in between
        ):
            marked[place - 1] = replace(before, place="inline")
            marked[place] = replace(label, place="inline")
        elif label.form[1] or (not label.form[3] and label.form[2] == "digit"):
            marked[place] = replace(label, place="inline")
    return marked
