"""Rows: words into printed lines, with scripts, fractions and other pieces on the line that they hang on."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from ..page import Box, Word

# a word's letters reach from here above its baseline to here below it, in font sizes
ASCENT, DESCENT = 0.75, 0.2


@dataclass(slots=True)
class Piece:
    """Words that stand together: on one baseline, or as the numerator and denominator of one fraction.

    `y0` to `y1` is the height of the letters, not of the font; `words` are in reading order.
    """

    x0: float
    y0: float
    x1: float
    y1: float
    baseline: float
    size: float
    words: list[Word]
    core: tuple[float, float]
    """Where it starts and ends (x) without what hangs on it."""
    cy: float
    label: str | None = None
    """The letter or sign that it starts with where that looks like a label; None: not looked at yet."""


def main_size(words: Sequence[Word]) -> float:
    """The font size that most characters have, points."""
    weights: dict[float, int] = {}
    for word in words:
        weights[word.size] = weights.get(word.size, 0) + len(word.text)
    return max(weights, key=lambda size: (weights[size], size)) if weights else 10.0


def cut_pieces(words: Sequence[Word], size: float, rules: Sequence[Box], bars: Sequence[Box]) -> list[Piece]:
    """Words as pieces of lines, in no order: cut at wide gaps and at vertical rules, fractions put together,
    scripts and brackets on the piece that they hang on.

    `size` is the page's main font size, `rules` are vertical rules, `bars` short horizontal ones.
    """
    # OCR does not tell scripts and fractions from uneven print: its lines stay as they were recognised
    recognised = words[0].origin == "ocr"
    pieces, rest = ([], list(words)) if recognised else _tall_brackets(words)
    if not recognised:
        fractions, rest = _fractions(rest, bars, size)
        pieces += fractions
    for cluster in _clusters(rest):
        cluster.sort(key=_left)
        current: list[Word] = []
        for word in cluster:
            if current and _parted(current[-1], word, size, rules):
                pieces.append(_piece(current))
                current = []
            current.append(word)
        pieces.append(_piece(current))
    return pieces if recognised else _hang(pieces, size)


def _left(word: Word) -> float:
    return word.box.x0


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


def _parted(left: Word, right: Word, size: float, rules: Sequence[Box]) -> bool:
    gap = right.box.x0 - left.box.x1
    if gap <= 0:
        return False
    if gap > 0.9 * size and gap > 0.9 * min(left.size, 2 * size):
        return True
    if not rules:
        return False
    low, high, baseline = left.box.x1 - 1, right.box.x0 + 1, left.baseline
    return any(low <= r.x0 and r.x1 <= high and r.y0 < baseline < r.y1 + 2 for r in rules)


def _piece(words: list[Word], middle: float | None = None) -> Piece:
    """A piece of `words`; `middle` is the height (y) of the bar or bracket that holds them together."""
    first = words[0]
    size = 0.0
    x0, x1 = first.box.x0, first.box.x1
    y0, y1 = 1e9, -1e9
    for word in words:
        own, box = word.size, word.box
        if own > size and word.text not in _DASHES:
            size = own
        if box.x0 < x0:
            x0 = box.x0
        if box.x1 > x1:
            x1 = box.x1
        top, bottom = word.baseline - ASCENT * own, word.baseline + DESCENT * own
        if top < y0:
            y0 = top
        if bottom > y1:
            y1 = bottom
    size = size or first.size
    baseline = first.baseline if middle is None else middle + 0.28 * size
    return Piece(x0, y0, x1, y1, baseline, size, words, (x0, x1), (y0 + y1) / 2)


def _fractions(words: Sequence[Word], bars: Sequence[Box], size: float) -> tuple[list[Piece], list[Word]]:
    """Fractions by their bars: what stands close above and close below a short rule, within its width."""
    # equation fonts also set the bar as a dash, stretched, whose baseline lies under it
    dashes = [w for w in words if w.text in _DASHES]
    rules = [(b.x0, b.x1, b.cy, None) for b in bars]
    rules += [(w.box.x0, w.box.x1, w.baseline - 0.47 * min(size, w.size), w) for w in dashes]
    if not rules:
        return [], list(words)
    ordered = sorted(words, key=lambda w: w.baseline)
    baselines = [w.baseline for w in ordered]
    taken: set[int] = set()
    found: list[Piece] = []
    for x0, x1, y, dash in sorted(rules, key=lambda r: (r[1] - r[0], r[2], r[0])):
        low, high = bisect_left(baselines, y - 1.4 * size), bisect_left(baselines, y + 2 * size)
        near = [w for w in ordered[low:high] if _within(w, x0, x1) and w.index not in taken and w.text not in _DASHES]
        above = [w for w in near if -0.25 * w.size < y - w.baseline < 0.75 * w.size]
        below = [w for w in near if 0.4 * w.size < w.baseline - y < 1.25 * w.size]
        # an underline is closer to its word than the bar to its numerator
        if not any(w.baseline < y - 0.18 * w.size for w in above) or not below:
            continue
        if dash is None and max(abs(_middle(half) - (x0 + x1) / 2) for half in (above, below)) > 0.2 * (x1 - x0) + 2:
            continue
        if x1 - x0 > max(_extent(above), _extent(below)) + 0.9 * size:
            # the rule of a table or a form is longer than what it parts; a fraction's bar is not
            continue
        above.sort(key=_left)
        below.sort(key=_left)
        held = above + ([dash] if dash else []) + below
        taken.update(w.index for w in held)
        found.append(_piece(held, y))
    return found, [w for w in words if w.index not in taken]


_DASHES = frozenset(("―", "─", "—"))


def _within(word: Word, x0: float, x1: float) -> bool:
    slack = 0.25 * word.size
    return word.box.x0 > x0 - slack and word.box.x1 < x1 + slack


def _middle(words: list[Word]) -> float:
    return (max(w.box.x1 for w in words) + min(w.box.x0 for w in words)) / 2


def _extent(words: list[Word]) -> float:
    return max(w.box.x1 for w in words) - min(w.box.x0 for w in words)


_BRACKET_PIECES = frozenset("⎛⎜⎝⎞⎟⎠⎡⎢⎣⎤⎥⎦⎧⎨⎩⎪⎫⎬⎭")


def _tall_brackets(words: Sequence[Word]) -> tuple[list[Piece], list[Word]]:
    """What stands beside a bracket that is built of stacked parts: cases, matrices, vectors, each one piece."""
    parts = sorted(
        (w for w in words if w.text[0] in _BRACKET_PIECES and _BRACKET_PIECES.issuperset(w.text)),
        key=lambda w: (round(w.box.x0), w.baseline),
    )
    if len(parts) < 2:
        return [], list(words)
    stacks: list[list[Word]] = []
    for part in parts:
        last = stacks[-1][-1] if stacks else None
        if last and abs(last.box.x0 - part.box.x0) < 2 and 0 < part.baseline - last.baseline < 1.6 * part.size:
            stacks[-1].append(part)
        else:
            stacks.append([part])
    taken: set[int] = set()
    found: list[Piece] = []
    for stack in sorted((s for s in stacks if len(s) > 1), key=lambda s: s[0].box.x0):
        if stack[0].index in taken:
            continue
        inside = _beside_bracket(stack, [w for w in words if w.index not in taken])
        taken.update(w.index for w in inside)
        middle = (min(w.box.y0 for w in stack) + max(w.box.y1 for w in stack)) / 2
        found.append(_piece(inside, middle))
    return found, [w for w in words if w.index not in taken]


def _beside_bracket(stack: list[Word], words: Sequence[Word]) -> list[Word]:
    """The bracket's parts and the rows that it holds, row by row."""
    x0 = stack[0].box.x0
    top, bottom = stack[0].baseline - stack[0].size, stack[-1].baseline + 0.4 * stack[-1].size
    size = stack[0].size
    level = (top + bottom) / 2 + 0.28 * size
    beside = sorted(
        (w for w in words if top < w.baseline - 0.28 * w.size < bottom and w.box.x0 >= x0 - 1), key=lambda w: w.box.x0
    )
    end = stack[0].box.x1
    for word in beside:
        if abs(word.baseline - level) < 0.3 * size and word.text[0] not in _BRACKET_PIECES:
            continue
        if word.box.x0 > end + 3 * size:
            break
        end = max(end, word.box.x1)
    held = [w for w in beside if w.box.x0 < end - 0.1]
    rows = _clusters([w for w in held if w.text[0] not in _BRACKET_PIECES])
    for row in rows:
        row.sort(key=_left)
    brackets = [w for w in held if w.text[0] in _BRACKET_PIECES]
    first = [w for w in brackets if w.box.x0 < x0 + 2]
    return first + [w for row in rows for w in row] + [w for w in brackets if w.box.x0 >= x0 + 2]


def _hang(pieces: list[Piece], size: float) -> list[Piece]:
    """Small pieces put onto the larger ones that they overlap and touch."""
    pieces.sort(key=lambda p: (-(p.x1 - p.x0) * p.size, p.y0, p.x0))
    kept: list[Piece] = []
    hosts: dict[int, list[Piece]] = {}
    step = 2.5 * size
    for piece in pieces:
        host = None
        if piece.x1 - piece.x0 < 8 * size:
            for row in range(int((piece.y0 - size) // step), int((piece.y1 + size) // step) + 1):
                for other in hosts.get(row, ()):
                    if _touches(piece, other) and (host is None or _shared(piece, other) > _shared(piece, host)):
                        host = other
        if host is None:
            kept.append(piece)
            for row in range(int(piece.y0 // step), int(piece.y1 // step) + 1):
                hosts.setdefault(row, []).append(piece)
        else:
            _join(host, piece)
    return kept


def _shared(a: Piece, b: Piece) -> float:
    return (a.y1 if a.y1 < b.y1 else b.y1) - (a.y0 if a.y0 > b.y0 else b.y0)


def _touches(piece: Piece, host: Piece) -> bool:
    """Whether the piece hangs on the host: their heights overlap and it stands in or right beside it."""
    shared = _shared(piece, host)
    small = piece.size < 0.8 * host.size
    if small or shared < 0:
        over = piece.baseline < host.baseline and all(word.text in _OVER_LETTERS for word in piece.words)
        least = -0.6 * host.size if over else -0.25 * host.size if small else 0.0
    else:
        over = False
        least = 0.06 * min(piece.y1 - piece.y0, host.y1 - host.y0)
    if shared < least:
        return False
    gap = max(piece.x0 - host.x1, host.x0 - piece.x1)
    if gap > 0.5 * max(piece.size, host.size):
        return False
    if over:
        return gap < 0
    level = abs(piece.baseline - host.baseline) < 0.12 * host.size
    if gap > -0.1 * host.size:
        return not level or gap < 0.3 * host.size
    if small and not level:
        return piece.x0 > host.x0 - 0.3 * host.size and piece.x1 - piece.x0 < 5 * host.size
    return not _covers(piece, host)


# arrows and lines set over letters: vectors, segments, means
_OVER_LETTERS = frozenset(("→", "←", "↔", "‾", "¯", "―", "⃗", "ˆ", "⌢", "︵"))


def _covers(piece: Piece, host: Piece) -> bool:
    """Whether letters of the host stand right above or below the piece's: then both are lines of text."""
    for word in host.words:
        x0, x1 = word.box.x0, word.box.x1
        if x1 < piece.x0 or x0 > piece.x1 or word.size > 1.4 * piece.size:
            continue
        for own in piece.words:
            left, right = own.box.x0, own.box.x1
            if min(x1, right) - max(x0, left) > 0.4 * min(x1 - x0, right - left):
                return True
    return False


def _join(host: Piece, piece: Piece) -> None:
    flat = all(abs(word.baseline - piece.baseline) < 0.2 * piece.size for word in piece.words)
    if flat and (abs(host.baseline - piece.baseline) < 0.3 * host.size or piece.words[0].text in _OVER_LETTERS):
        # signs a little larger or lower than the letters stand among them
        for word in piece.words:
            host.words = _merged(host.words, [word])
    else:
        host.words = _merged(host.words, piece.words)
    host.x0, host.x1 = min(host.x0, piece.x0), max(host.x1, piece.x1)
    host.y0, host.y1 = min(host.y0, piece.y0), max(host.y1, piece.y1)
    host.cy = (host.y0 + host.y1) / 2


def _merged(words: list[Word], piece: list[Word]) -> list[Word]:
    """The piece as a whole put where it starts: behind every word that lies to its left."""
    start = piece[0].box.x0
    middle = (start + max(w.box.x1 for w in piece)) / 2
    at = 0
    for position, word in enumerate(words):
        if word.box.x0 <= start + 0.01 or (word.box.x1 < middle and word.box.cx < middle):
            at = position + 1
    while at < len(words) and words[at].box.x1 <= start:
        at += 1
    return words[:at] + piece + words[at:]


# rows further apart than this (points) have nothing to do with each other, whatever hangs on them
_FAR = 60.0


def group_rows(pieces: Sequence[Piece]) -> list[list[Word]]:
    """The pieces of one column as printed lines, top to bottom, each in reading order."""
    rows: list[list[Piece]] = []
    for piece in sorted(pieces, key=lambda p: (-len(p.words), p.baseline, p.x0)):
        best, most = None, 0.0
        for row in rows:
            anchor = row[0]
            apart = anchor.baseline - piece.baseline
            if apart > _FAR or apart < -_FAR:
                continue
            close = 0.35 * min(anchor.size, piece.size) + 0.1 * abs(anchor.size - piece.size)
            if abs(anchor.baseline - piece.baseline) > close and not _level(anchor, piece):
                continue
            if any(min(p.core[1], piece.core[1]) - max(p.core[0], piece.core[0]) > 0.5 * piece.size for p in row):
                continue
            near = 1 / (1 + abs(anchor.baseline - piece.baseline))
            if near > most:
                best, most = row, near
        if best is None:
            rows.append([piece])
        else:
            best.append(piece)
    rows.sort(key=lambda row: (row[0].baseline, row[0].x0))
    return [[word for piece in sorted(row, key=lambda p: p.x0) for word in piece.words] for row in rows]


def _level(anchor: Piece, piece: Piece) -> bool:
    """Whether most of the lower one's height is beside the other: a tall fraction, a cell of another size."""
    shared = _shared(anchor, piece)
    return shared > 0.6 * min(anchor.y1 - anchor.y0, piece.y1 - piece.y0)


def in_rows(words: Sequence[Word]) -> list[list[Word]]:
    """Words of one column as printed lines, where nothing is known of the page's rules."""
    return group_rows(cut_pieces(words, main_size(words), (), ()))


__all__ = ["Piece", "cut_pieces", "group_rows", "in_rows", "main_size"]
