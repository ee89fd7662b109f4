"""Bars of formulas: fraction bars, roofs of roots, overlines, vectors' arrows, drawn or set as glyphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..page import Word
from ..text import split_word

BAR_CHARS = frozenset("―‾¯⎯─")
ROOT = "√"
ARROWS = frozenset("→⃗⇀")


@dataclass(frozen=True, slots=True)
class Bar:
    """A horizontal bar at height y. `root`: it is the roof of a radical sign that begins at `left`; `arrow`: it ends
    in a vector's arrow head."""

    x0: float
    x1: float
    y: float
    root: bool = False
    left: float = 0.0
    arrow: bool = False


def glyph_bars(words: Sequence[Word], drawn: Sequence[Bar] = ()) -> tuple[list[Word], list[Bar]]:
    """Words without those that are nothing but a bar or an arrow over letters, and these bars with the `drawn` ones;
    of the bars that begin at a root sign the topmost is its roof."""
    rest = [word for word in words if not _is_bar(word) and not _is_vector(word, words)]
    arrows = [word for word in words if _is_vector(word, words)]
    bars = [*drawn, *(_glyph_bar(word, rest) for word in words if _is_bar(word))]
    bars = [_headed(bar, arrows) for bar in bars]
    loose = [a for a in arrows if not any(b.arrow and b.x0 <= a.box.cx <= b.x1 + a.size for b in bars)]
    bars += [Bar(a.box.x0, a.box.x1, a.box.cy, arrow=True) for a in loose]
    for root in rest:
        roofs = [bar for bar in bars if root.text == ROOT and not bar.arrow and _meets(bar, root)]
        if roofs:
            roof = min(roofs, key=lambda bar: bar.y)
            bars = [replace(bar, root=bar is roof or (bar.root and bar not in roofs), left=root.box.x0) for bar in bars]
    return rest, bars


def _is_bar(word: Word) -> bool:
    return bool(word.text) and set(word.text) <= BAR_CHARS


def _is_vector(word: Word, words: Sequence[Word]) -> bool:
    """Whether an arrow stands over a letter and not between two."""
    if word.text not in ARROWS:
        return False
    return any(
        other.text[:1].isalpha()
        and min(word.box.x1, other.box.x1) - max(word.box.x0, other.box.x0) > 0.3 * min(word.box.width, other.box.width)
        and word.baseline < other.baseline - 0.2 * other.size
        for other in words
        if other is not word
    )


def _headed(bar: Bar, arrows: Sequence[Word]) -> Bar:
    for arrow in arrows:
        if abs(arrow.box.x1 - bar.x1) < 0.6 * arrow.size and abs(arrow.box.cy - bar.y) < 0.8 * arrow.size:
            return replace(bar, x1=max(bar.x1, arrow.box.x1), arrow=True)
    return bar


def _meets(bar: Bar, root: Word) -> bool:
    return abs(bar.x0 - root.box.x1) < 0.3 * root.size and bar.y < root.baseline - 0.3 * root.size


def _glyph_bar(bar: Word, words: Sequence[Word]) -> Bar:
    """A bar set as a glyph. Equation fonts scale it to its width, so its own size says nothing of its height: it
    hangs 0.61 of its neighbours' size above its baseline."""
    near = [
        w.size for w in words if bar.box.x0 <= w.box.cx <= bar.box.x1 and abs(w.baseline - bar.baseline) < 3 * w.size
    ]
    size = min(bar.size, max(near, default=bar.size))
    return Bar(bar.box.x0, bar.box.x1, bar.baseline - 0.61 * size)


def cut_at_bars(words: list[Word], bars: Sequence[Bar]) -> list[Word]:
    """Words that run on past the end of a roof or an overline are cut there."""
    for bar in bars:
        found: list[Word] = []
        for word in words:
            under = bar.y < word.baseline < bar.y + 2 * word.size
            crosses = word.box.x0 < bar.x1 - 1 and word.box.x1 > bar.x1 + 0.12 * word.size
            at = _cut(word, bar.x1) if under and crosses and len(word.text) > 1 else 0
            # an overline covers a name such as AB, never the head of a word
            if at and not bar.root and not (at <= 3 and word.text[:at].isupper()):
                at = 0
            found.extend(split_word(word, at) if at else (word,))
        words = found
    return words


def _cut(word: Word, x: float) -> int:
    """The number of characters left of x, by the characters' usual widths; 0 where none or all are."""
    for at in range(1, len(word.text)):
        left, _ = split_word(word, at)
        if left.box.x1 >= x - 0.2 * word.size:
            return at
    return 0
