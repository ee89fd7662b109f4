"""Formulas in printed lines: read as text where that is certain, or said not to read.

`linearise` turns one printed line into Markdown. Scripts become Unicode where it has them, fractions and roots
become `$…$`; a line without any of these is joined as prose. Letters and digits are kept one for one.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from unicodedata import normalize

from ..draft import DraftQuestion
from ..lines import Line
from ..page import Box, Page, Stroke, Word
from ..text import join_words, split_word
from .mathbars import BAR_CHARS, ROOT, Bar, glyph_bars
from .mathlayout import PIECES, lay_out, region

_COMMAND = re.compile(
    r"\\(?:frac|sqrt|overline|overrightarrow|vec|bar|text|pmatrix|matrix|cases|cr|left|right|backslash)"
)
_SPECIAL = BAR_CHARS | PIECES | {ROOT}


@dataclass(frozen=True)
class ReadLine:
    """A printed line as Markdown; `certain` is False where part of its layout was not understood."""

    text: str
    certain: bool


class LineReader:
    """Reads the lines of one page; the bars and root signs drawn on the page are looked up once."""

    def __init__(self, strokes: Sequence[Stroke]) -> None:
        walls = sorted((s.box for s in strokes if s.kind == "vertical"), key=lambda box: box.x0)
        bars = [s.box for s in strokes if s.kind == "horizontal" and 2 < s.box.width < 420]
        bars = [box for box in bars if not _meets_wall(box, walls)] if walls else bars
        hooks = [s.box for s in strokes if s.kind == "other" and 4 < s.box.height < 80 and s.box.width < 420]
        self._hooks = sorted(hooks, key=lambda box: box.y0)
        self._tops = [box.y0 for box in self._hooks]
        self._bars = sorted((Bar(box.x0, box.x1, box.cy) for box in bars), key=lambda bar: bar.y)
        self._heights = [bar.y for bar in self._bars]

    def read(self, words: Sequence[Word]) -> ReadLine:
        """One line's words, in reading order."""
        if any(word.origin == "ocr" for word in words):
            # OCR tells neither sizes nor baselines: what looks like a script is none
            return ReadLine(join_words(words), True)
        words = [_settled(word) for word in words if word.text]
        if not words or all(set(word.text) <= BAR_CHARS for word in words):
            return ReadLine("", True)
        flat = _is_flat(words)
        bars = self._near(words)
        if flat and not bars:
            return ReadLine(join_words(words), all(word.readable for word in words))
        letters, bars = glyph_bars(_roots_apart(words), bars)
        if not letters:
            return ReadLine("", False)
        text, certain = lay_out(letters, bars)
        if _content(text) != _content("".join(word.text for word in letters)):
            return ReadLine(join_words(words), False)
        return ReadLine(text, certain and all(word.readable for word in words))

    def _near(self, words: Sequence[Word]) -> list[Bar]:
        """Drawn bars among the line's letters, roofs of drawn root signs told from others."""
        box = region(words)
        first, last = bisect_left(self._heights, box.y0 - 3), bisect_right(self._heights, box.y1)
        near = [bar for bar in self._bars[first:last] if bar.x0 > box.x0 - 12 and bar.x1 < box.x1 + 12]
        if not near:
            return []
        unique = [bar for n, bar in enumerate(near) if not any(_same(bar, other) for other in near[:n])]
        return [self._roofed(bar) for bar in unique if not _underlines(bar, words)]

    def _roofed(self, bar: Bar) -> Bar:
        """The bar as a root's roof where a drawn hook ends at its left end."""
        first, last = bisect_left(self._tops, bar.y - 2.5), bisect_right(self._tops, bar.y + 2.5)
        for hook in self._hooks[first:last]:
            if hook.x0 < bar.x0 - 2 and hook.x0 > bar.x0 - 16 and hook.x1 > bar.x0 - 2 and hook.y1 > bar.y + 4:
                return Bar(bar.x0, bar.x1, bar.y, True, hook.x0)
        return bar


def linearise(words: Sequence[Word], strokes: Sequence[Stroke] = ()) -> str:
    """One printed line as Markdown text. `strokes` are the page's (fraction bars, root signs)."""
    return LineReader(strokes).read(words).text


class PageLines:
    """The text of lines anywhere in the sources: each line is read once, each page's strokes indexed once."""

    def __init__(self, pages: Mapping[tuple[int, int], Page]) -> None:
        self._pages = pages
        self._readers: dict[tuple[int, int], LineReader] = {}
        self._read: dict[int, tuple[Line, ReadLine]] = {}

    def read(self, line: Line) -> ReadLine:
        # the line is kept beside its text: its id names it only as long as it lives
        known = self._read.get(id(line))
        if known is None:
            known = self._read[id(line)] = (line, self._reader(line).read(line.words))
        return known[1]

    def _reader(self, line: Line) -> LineReader:
        key = (line.source, line.page)
        if key not in self._readers:
            self._readers[key] = LineReader(self._pages[key].strokes if key in self._pages else ())
        return self._readers[key]

    def needs_snapshot(self, question: DraftQuestion) -> bool:
        """Whether something that the question prints (stem or options) does not read as text: glyphs without a
        character, formulas laid out in a way that is not understood, or drawn instead of set."""
        lines = [*question.stem, *(line for option in question.options for line in option.lines)]
        return bool(question.unread) or not all(self.read(line).certain for line in lines)


def needs_snapshot(question: DraftQuestion, pages: Mapping[tuple[int, int], Page]) -> bool:
    """`PageLines.needs_snapshot` for a single question."""
    return PageLines(pages).needs_snapshot(question)


def _roots_apart(words: Sequence[Word]) -> list[Word]:
    """Root signs that the layer has glued to other characters, as words of their own."""
    found: list[Word] = []
    for word in words:
        while ROOT in word.text and len(word.text) > 1:
            at = word.text.index(ROOT) or 1
            left, word = split_word(word, at)
            found.append(left)
        found.append(word)
    return found


def _settled(word: Word) -> Word:
    """The word with a baseline that lies in its box: some writers start a run on another line's."""
    box = word.box
    if word.angle or box.y0 < word.baseline <= box.y1 + 0.15 * word.size:
        return word
    return replace(word, baseline=box.y1 - 0.21 * box.height)


def _meets_wall(bar: Box, walls: Sequence[Box]) -> bool:
    """Whether a rule ends at a vertical one: the border of a cell or a frame, no fraction bar."""
    for end in (bar.x0, bar.x1):
        at = bisect_left(walls, end - 4, key=lambda box: box.x0)
        while at < len(walls) and walls[at].x0 < end + 2:
            wall = walls[at]
            if wall.x1 > end - 2 and wall.y0 - 2 <= bar.cy <= wall.y1 + 2:
                return True
            at += 1
    return False


def _is_flat(words: Sequence[Word]) -> bool:
    """One baseline, one size, no sign that is drawn in two dimensions."""
    first = words[0]
    for word in words:
        if abs(word.baseline - first.baseline) > 0.15 * first.size or abs(word.size - first.size) > 0.14 * first.size:
            return False
        if not word.text.isascii() and not _SPECIAL.isdisjoint(word.text):
            return False
    return True


def _same(a: Bar, b: Bar) -> bool:
    return abs(a.x0 - b.x0) < 1.5 and abs(a.x1 - b.x1) < 1.5 and abs(a.y - b.y) < 1.5


def _underlines(bar: Bar, words: Sequence[Word]) -> bool:
    """Whether a bar only stands under words of the line: nothing of the line below it."""
    return not any(
        bar.x0 - 1.5 <= w.box.cx <= bar.x1 + 1.5 and w.baseline - 0.45 * w.size > bar.y for w in words
    ) and any(bar.x0 < w.box.x1 and w.box.x0 < bar.x1 and w.baseline <= bar.y + 1 for w in words)


def _content(text: str) -> Counter[str]:
    """Letters, digits and signs, without what LaTeX adds: nothing may be lost or made up."""
    plain = normalize("NFKC", _COMMAND.sub("", text)).replace("−", "-")
    return Counter(ch for ch in plain if ch.isalnum())
