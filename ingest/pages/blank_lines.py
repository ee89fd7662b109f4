"""Gaps to fill in that are drawn as a line and are not in the text: they become words of underscores."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from ..page import Box, Stroke, Word

SHORTEST, LONGEST = 12.0, 250.0


def printed_blanks(words: Sequence[Word], strokes: Sequence[Stroke]) -> list[Word]:
    """Words `____` for the thin horizontal strokes that stand in a gap or at the end of a line of text.

    A stroke under a word is its underline, one between two rows a fraction's bar or a table's rule: no blanks.
    The new words are numbered after `words`.
    """
    thin = [
        s
        for s in strokes
        if s.kind == "horizontal" and SHORTEST < s.box.width < LONGEST and s.box.height < 1.6 and s.color < 0xD0D0D0
    ]
    if not thin or not words:
        return []
    uprights = [s.box for s in strokes if s.kind == "vertical" and s.box.height > 6]
    ordered = sorted((w for w in words if w.angle == 0), key=lambda w: w.baseline)
    baselines = [w.baseline for w in ordered]
    found: list[Word] = []
    for stroke in sorted(thin, key=lambda s: (s.box.y0, s.box.x0)):
        host = _host(stroke, ordered, baselines)
        if host is None or _meets(stroke, uprights) or _repeats(stroke, found):
            continue
        box = stroke.box
        size = host.size
        top, bottom = host.baseline - 0.8 * size, host.baseline + 0.2 * size
        text = "_" * max(3, round(box.width / (0.5 * size)))
        found.append(
            Word(
                len(words) + len(found),
                text,
                Box(box.x0, top, box.x1, bottom),
                host.font,
                size,
                baseline=host.baseline,
                block=host.block,
                line=host.line,
            )
        )
    return found


def _host(stroke: Stroke, ordered: Sequence[Word], baselines: Sequence[float]) -> Word | None:
    """The word of the line of text in which the stroke is a gap; None where it is something else."""
    box = stroke.box
    low, high = bisect_left(baselines, box.y0 - 16), bisect_left(baselines, box.y1 + 16)
    host: Word | None = None
    nearest = 30.0
    for word in ordered[low:high]:
        size = word.size
        inside = min(box.x1, word.box.x1) - max(box.x0, word.box.x0)
        drop = box.cy - word.baseline
        if inside > 1.0 and -0.1 * size < drop < 0.6 * size:
            return None  # text stands on it: an underline, a filled-in gap, a numerator
        if inside > 1.0 and -1.3 * size < drop < -0.6 * size and _fits(word, stroke):
            return None  # text hangs right under it: a denominator, the caption of a line to sign on
        gap = max(box.x0 - word.box.x1, word.box.x0 - box.x1)
        if -0.12 * size < drop < 0.36 * size and -1 < gap < min(nearest, 2.5 * size):
            host, nearest = word, gap
    return host


def _fits(word: Word, stroke: Stroke) -> bool:
    return word.box.x0 > stroke.box.x0 - 2 and word.box.x1 < stroke.box.x1 + 2 and word.size < 30


def _meets(stroke: Stroke, uprights: Sequence[Box]) -> bool:
    """Whether a vertical rule ends at the stroke: then it is the side of a cell or a frame."""
    box = stroke.box
    return any(
        rule.y0 - 2 < box.cy < rule.y1 + 2 and (abs(rule.x0 - box.x0) < 2.5 or abs(rule.x1 - box.x1) < 2.5)
        for rule in uprights
    )


def _repeats(stroke: Stroke, found: Sequence[Word]) -> bool:
    return any(abs(w.box.x0 - stroke.box.x0) < 2 and abs(w.baseline - stroke.box.cy) < 3 for w in found)
