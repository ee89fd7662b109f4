"""Rows: words into printed lines, with scripts, fractions and other pieces on the line that they hang on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .page import Box, Word


@dataclass(slots=True)
class Segment:
    """Words on one baseline without a wide gap. `y0` to `y1` is the height of its letters, not of its font."""

    x0: float
    y0: float
    x1: float
    y1: float
    cy: float
    baseline: float
    words: list[Word]


def main_size(words: Sequence[Word]) -> float:
    """The font size that most characters have, points."""
    weights: dict[float, int] = {}
    for word in words:
        weights[word.size] = weights.get(word.size, 0) + len(word.text)
    return max(weights, key=lambda size: (weights[size], size)) if weights else 10.0


def _clusters(words: Sequence[Word]) -> list[list[Word]]:
    """Words on the same baseline, whatever lies between them; top to bottom."""
    clusters: list[list[Word]] = []
    baseline = -1e9
    for word in sorted(words, key=lambda w: (w.baseline, w.box.x0)):
        slack = 0.35 if word.origin == "ocr" else 0.12
        if word.baseline - baseline > slack * word.size:
            clusters.append([])
            baseline = word.baseline
        clusters[-1].append(word)
    return clusters


def cut_segments(words: Sequence[Word], size: float, rules: Sequence[Box]) -> list[Segment]:
    """Words cut into segments at gaps and at vertical rules (`rules`). `size` is the page's main font size."""
    segments: list[Segment] = []
    for cluster in _clusters(words):
        cluster.sort(key=lambda w: w.box.x0)
        current: list[Word] = []
        for word in cluster:
            if current and _parted(current[-1], word, size, rules):
                segments.append(_segment(current))
                current = []
            current.append(word)
        segments.append(_segment(current))
    return segments


def _parted(left: Word, right: Word, size: float, rules: Sequence[Box]) -> bool:
    gap = right.box.x0 - left.box.x1
    if gap > 0.9 * max(size, min(left.size, 2 * size)):
        return True
    return gap > 0 and any(
        left.box.x1 - 1 <= rule.x0 and rule.x1 <= right.box.x0 + 1 and rule.y0 < left.baseline < rule.y1 + 2
        for rule in rules
    )


def _segment(words: list[Word]) -> Segment:
    size = max(w.size for w in words)
    baseline = words[0].baseline
    y0, y1 = baseline - 0.75 * size, baseline + 0.2 * size
    return Segment(words[0].box.x0, y0, max(w.box.x1 for w in words), y1, (y0 + y1) / 2, baseline, words)


@dataclass(slots=True)
class _Row:
    top: float
    bottom: float
    size: float
    words: list[Word]
    attached: list[list[Word]]


def group_rows(words: Sequence[Word]) -> list[list[Word]]:
    """Words of one column as printed lines, top to bottom, each in reading order.

    Words on one baseline are a row. The smaller rows then join a larger one whose letters they overlap:
    scripts, numerators and denominators, the parts of a tall bracket.
    """
    rows: list[_Row] = []
    clusters = _clusters(words)
    clusters.sort(key=lambda c: -sum(len(w.text) * w.size for w in c))
    for cluster in clusters:
        cluster.sort(key=lambda w: w.box.x0)
        size = max(w.size for w in cluster)
        baseline = cluster[0].baseline
        top, bottom = baseline - 0.75 * size, baseline + 0.2 * size
        loose = [group for group in _pieces(cluster) if not _attach(group, rows)]
        if loose:
            rows.append(_Row(top, bottom, size, [w for group in loose for w in group], []))
    rows.sort(key=lambda row: (row.top + row.bottom) / 2)
    return [_in_order(row) for row in rows]


def _pieces(cluster: list[Word]) -> list[list[Word]]:
    """A row cut at its wide gaps: each piece may hang on a different line."""
    pieces = [[cluster[0]]]
    for word in cluster[1:]:
        if word.box.x0 - pieces[-1][-1].box.x1 > word.size:
            pieces.append([])
        pieces[-1].append(word)
    return pieces


def _attach(group: list[Word], rows: list[_Row]) -> bool:
    size = max(w.size for w in group)
    top, bottom = group[0].baseline - 0.75 * size, group[0].baseline + 0.2 * size
    best: _Row | None = None
    most = 0.0
    for row in rows:
        shared = min(bottom, row.bottom) - max(top, row.top)
        least = 0.18 * min(bottom - top, row.bottom - row.top)
        if shared > least and shared > most and _beside(group, row, size):
            best, most = row, shared
    if best is None:
        return False
    best.attached.append(group)
    return True


def _beside(group: list[Word], row: _Row, size: float) -> bool:
    """Whether the piece stands in a gap of the row or at its end, close to one of its words."""
    x0, x1 = group[0].box.x0, group[-1].box.x1
    reach = 1.5 * max(size, row.size)
    near = False
    for word in row.words:
        box = word.box
        if box.x0 < x1 + reach and box.x1 > x0 - reach:
            near = True
            # letters of running text never stand above each other in one line; small scripts do
            shared = min(box.x1, x1) - max(box.x0, x0)
            if shared > 0.5 * (x1 - x0) and size > 0.8 * word.size and len(word.text) > 1:
                return False
    if near:
        return True
    for other in row.attached:
        if other[0].box.x0 < x1 + reach and other[-1].box.x1 > x0 - reach:
            return True
    return False


def _in_order(row: _Row) -> list[Word]:
    """Left to right; what stands above each other (a fraction) as a whole, top to bottom."""
    if not row.attached:
        return row.words if _sorted(row.words) else sorted(row.words, key=lambda w: w.box.x0)
    stacks: list[tuple[float, float, list[list[Word]]]] = []
    for group in sorted(row.attached, key=lambda g: (g[0].box.x0, g[0].baseline)):
        x0, x1 = group[0].box.x0, group[-1].box.x1
        if stacks and x0 < stacks[-1][1] - 0.3 * (x1 - x0):
            start, end, groups = stacks[-1]
            stacks[-1] = (start, max(end, x1), [*groups, group])
        else:
            stacks.append((x0, x1, [group]))
    units: list[tuple[float, list[Word]]] = [(w.box.x0, [w]) for w in row.words]
    for start, _, groups in stacks:
        groups.sort(key=lambda g: g[0].baseline)
        units.append((start, [word for group in groups for word in group]))
    units.sort(key=lambda unit: unit[0])
    return [word for _, unit in units for word in unit]


def _sorted(words: list[Word]) -> bool:
    return all(a.box.x0 <= b.box.x0 for a, b in zip(words, words[1:], strict=False))
