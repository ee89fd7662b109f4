"""The questions of two readings brought together by section, label and text, in print order.

Ids tell nothing here: a reading that lost a question or misread a label has other ids. Two questions belong together
where their labels and their words do; the assignment keeps the order of both papers (dynamic programming), and what is
left over is paired by its words alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.fuzz import ratio

from ...schemas.content import TableBlock, TextBlock
from ...schemas.exam import Exam, Question
from ..keys.key_values import canonical
from .letters import letters_of

_HEAD = 240
"""Letters of a question's text that are compared."""
_ALIKE, _UNLIKE, _CERTAIN = 0.6, 0.35, 0.85
"""Similarity (0..1) from which texts speak for a pair, below which they speak against it, and alone suffice."""
_WORDY = 10
"""Letters from which a text may pair two questions whose labels differ."""


@dataclass(frozen=True)
class Node:
    """One question of a reading: its label, the labels above it, its text's letters, its section's place."""

    question: Question
    label: str
    above: tuple[str, ...]
    text: str
    section: int


def nodes(exam: Exam) -> list[Node]:
    """All questions in print order, parents before children."""
    found: list[Node] = []

    def walk(question: Question, above: tuple[str, ...], section: int) -> None:
        label = canonical(question.number or "")
        found.append(Node(question, label, above, _text(question), section))
        for child in question.children:
            walk(child, (*above, label), section)

    for place, section in enumerate(exam.sections):
        for question in section.questions:
            walk(question, (), place)
    return found


def _text(question: Question) -> str:
    parts = [block.markdown for block in question.prompt if isinstance(block, TextBlock)]
    parts += [" ".join(cell for row in b.rows for cell in row) for b in question.prompt if isinstance(b, TableBlock)]
    for option in question.options or []:
        parts += [block.markdown for block in option.content if isinstance(block, TextBlock)]
    return letters_of("\n".join(parts)[:4000]).text[:_HEAD]


def pair(a: Exam, b: Exam) -> list[tuple[str | None, str | None]]:
    """Ids of the questions that are one and the same, and of those that only one reading has (the other is None)."""
    left, right = nodes(a), nodes(b)
    matched = _in_order(left, right)
    free = [j for j in range(len(right)) if j not in set(matched.values())]
    for i, node in enumerate(left):
        if i not in matched and len(node.text) >= _WORDY:
            best = max(free, key=lambda j: _alike(node, right[j]), default=None)
            if best is not None and len(right[best].text) >= _WORDY and _alike(node, right[best]) >= 0.9:
                matched[i] = best
                free.remove(best)
    pairs: list[tuple[str | None, str | None]] = []
    for i, node in enumerate(left):
        pairs.append((node.question.id, right[matched[i]].question.id if i in matched else None))
    return [*pairs, *((None, right[j].question.id) for j in free)]


def _in_order(left: Sequence[Node], right: Sequence[Node]) -> dict[int, int]:
    gains = [[_gain(a, b) for b in right] for a in left]
    n, m = len(left), len(right)
    score = [[0.0] * (m + 1) for _ in range(n + 1)]
    for i in range(n - 1, -1, -1):
        row, below, gain = score[i], score[i + 1], gains[i]
        for j in range(m - 1, -1, -1):
            best = below[j] if below[j] >= row[j + 1] else row[j + 1]
            if gain[j] > 0 and below[j + 1] + gain[j] > best:
                best = below[j + 1] + gain[j]
            row[j] = best
    matched: dict[int, int] = {}
    i = j = 0
    while i < n and j < m:
        if gains[i][j] > 0 and score[i][j] == score[i + 1][j + 1] + gains[i][j]:
            matched[i] = j
            i, j = i + 1, j + 1
        elif score[i][j] == score[i + 1][j]:
            i += 1
        else:
            j += 1
    return matched


def _alike(a: Node, b: Node) -> float:
    return ratio(a.text, b.text) / 100.0 if a.text and b.text else 0.0


def _gain(a: Node, b: Node) -> float:
    """How much speaks for a pair; 0 where nothing or too much does against it."""
    same_kind = bool(a.question.children) == bool(b.question.children)
    if a.label and a.label == b.label:
        gain = 1.0 + (0.4 if a.above == b.above else 0.0) + (0.2 if same_kind else 0.0)
        if a.text and b.text:
            alike = _alike(a, b)
            if alike < _UNLIKE and len(a.text) >= _WORDY and len(b.text) >= _WORDY:
                return 0.15
            gain += 1.5 * alike
        return gain
    if len(a.text) < _WORDY or len(b.text) < _WORDY or abs(len(a.text) - len(b.text)) > 0.6 * _HEAD:
        return 0.0
    alike = _alike(a, b)
    if not a.label and not b.label:
        return alike if alike >= _ALIKE else 0.0
    return alike if alike >= _CERTAIN else 0.0
