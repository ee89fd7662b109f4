"""Matching questions: two labelled lists, side by side or one below the other, whose items are to be paired."""

from __future__ import annotations

from collections.abc import Sequence

from ..draft import DraftOption
from .linetext import LineText
from .options import Collected, collect_options
from .run_roles import text_between
from .runs import Position, Run
from .wording import wants_matching

_FEWEST = 3


def find_lists(texts: Sequence[LineText], low: Position, runs: Sequence[Run]) -> tuple[Run, Run] | None:
    """The two lists of a question whose wording asks to match, the first printed on the left; None for any other."""
    lists = [run for run in runs if len(run.labels) >= _FEWEST]
    if len(lists) < 2 or not wants_matching(text_between(texts, low, lists[0].start, 600)):
        return None
    left = lists[0]
    others = [run for run in lists[1:] if run.form != left.form and _beside_or_below(left, run)]
    return (left, others[0]) if others else None


def _beside_or_below(left: Run, right: Run) -> bool:
    """Whether a run stands in the same rows as another, or behind all of it: not inside one of its items."""
    rows = {label.line for label in left.labels}
    beside = sum(label.line in rows for label in right.labels)
    return beside >= 0.5 * len(left.labels) or right.start > left.last


def collect_lists(
    texts: Sequence[LineText], left: Run, right: Run, high: Position, leading: float
) -> tuple[list[DraftOption], list[DraftOption], Collected]:
    """The items of both lists with their words, and where they end."""
    collected = collect_options(texts, Run(left.form, [*left.labels, *right.labels]), high, leading)
    count = len(left.labels)
    return collected.options[:count], collected.options[count:], collected
