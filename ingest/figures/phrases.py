"""Phrases: the pieces of a printed line between wide gaps, and which of them are running text.

Labels inside a drawing stand on one height with the paragraph beside it, so a line is too coarse to tell
a figure's words from its neighbours'.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ..lines import Line, Reading
from ..page import Box, Page, Word
from ..text import join_words
from .grids import Grid, Rule, find_grids, rules

_OPTION = re.compile(r"^(?:[(（]\s?[A-Ja-j1-9甲乙丙丁戊ア-オ㈠-㈩]\s?[)）]|[①-⑩]|[A-Ja-j][.)．]|[Ⓐ-Ⓙⓐ-ⓙ])")
_BARE_OPTION = re.compile(r"^(?:[A-J]|([A-J])\1)$")
_QUESTION = re.compile(
    r"^(?:[0-9]{1,3}\s?[.．、)）:]|第\s?[0-9]{1,3}\s?題|問\s?[0-9]|[(（][0-9a-zivx]{1,3}[)）]|quest[ãõa]o\s|question\s|aufgabe\s)",
    re.IGNORECASE,
)


_WIDE = re.compile("[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]")
"""Characters as wide as high."""


@dataclass(frozen=True, eq=False)
class Phrase:
    """Words of one line that stand close together. `running`: part of a paragraph. `marker`: begins with an
    option's or a question's label."""

    words: tuple[Word, ...]
    box: Box
    text: str
    line: Line
    place: int
    running: bool
    marker: bool
    size: float
    """The largest font size in it, points."""


class PageBook:
    """What figures and tables both need of a source's pages, made when it is asked for and kept."""

    def __init__(self, reading: Reading) -> None:
        self._lines: dict[int, list[tuple[int, Line]]] = {}
        for place, line in enumerate(reading.lines):
            self._lines.setdefault(line.page, []).append((place, line))
        self._phrases: dict[int, list[Phrase]] = {}
        self._body: dict[int, float] = {}
        self._rules: dict[int, tuple[list[Rule], list[Rule]]] = {}
        self._grids: dict[int, list[Grid]] = {}

    def rules(self, page: Page) -> tuple[list[Rule], list[Rule]]:
        """A page's horizontal and vertical rules."""
        if page.number not in self._rules:
            self._rules[page.number] = rules(page.strokes)
        return self._rules[page.number]

    def grids(self, page: Page) -> list[Grid]:
        """A page's ruled grids, top to bottom."""
        if page.number not in self._grids:
            self._grids[page.number] = find_grids(*self.rules(page), page.height)
        return self._grids[page.number]

    def lines(self, page: int) -> list[tuple[int, Line]]:
        """A page's lines with their places in the reading order."""
        return self._lines.get(page, [])

    def body(self, page: int) -> float:
        """The font size of most of a page's characters, points."""
        if page not in self._body:
            self._body[page] = body_size(line for _, line in self.lines(page))
        return self._body[page]

    def phrases(self, page: int) -> list[Phrase]:
        """A page's phrases in reading order."""
        if page not in self._phrases:
            self._phrases[page] = page_phrases(self.lines(page), self.body(page))
        return self._phrases[page]


def page_phrases(lines: Sequence[tuple[int, Line]], body: float) -> list[Phrase]:
    """The phrases of one page's lines; `lines` are (place in the reading order, line), `body` the main font size."""
    markers = _bare_markers([line for _, line in lines])
    found: list[Phrase] = []
    for place, line in lines:
        for n, words in enumerate(_pieces(line.words)):
            found.append(_phrase(words, line, place, body, n == 0, markers))
    return _spread(found)


def body_size(lines: Iterable[Line]) -> float:
    """The font size of most of the characters, points; 10 where there is no text."""
    weights: dict[float, int] = {}
    for line in lines:
        for word in line.words:
            weights[word.size] = weights.get(word.size, 0) + len(word.text)
    if weights:
        halves: dict[float, int] = {}
        for size, count in weights.items():
            half = round(size * 2) / 2
            halves[half] = halves.get(half, 0) + count
        weights = halves
    return max(weights, key=lambda size: (weights[size], size)) if weights else 10.0


def _pieces(words: Sequence[Word]) -> Iterable[tuple[Word, ...]]:
    piece: list[Word] = []
    right = 0.0
    for word in words:
        gap = word.box.x0 - right
        if piece and (gap > 1.4 * max(word.size, piece[-1].size) or gap < -60):
            yield tuple(piece)
            piece = []
        right = max(right, word.box.x1) if piece else word.box.x1
        piece.append(word)
    if piece:
        yield tuple(piece)


def _phrase(words: tuple[Word, ...], line: Line, place: int, body: float, first: bool, markers: set[int]) -> Phrase:
    box = words[0].box if len(words) == 1 else bounds(word.box for word in words)
    text = words[0].text if len(words) == 1 else join_words(words)
    marker = bool(_OPTION.match(text)) or words[0].index in markers or (first and bool(_QUESTION.match(text)))
    weight = len(text) - text.count(" ") + len(_WIDE.findall(text))
    wide = box.width > 0.55 * line.column_box.width
    size = max(word.size for word in words)
    flush = words[0].box.x0 - line.column_box.x0 < 2.5 * size
    flush = flush and weight > (11 if abs(size - body) < 0.06 * body else 20)
    goes_on = text[0] in "。，、；：）」,;" and size > 0.85 * body
    running = goes_on or (size > 0.85 * body and (weight > 30 or (wide and weight > 12) or flush))
    return Phrase(words, box, text, line, place, running or weight > 60, marker, size)


def _spread(phrases: list[Phrase]) -> list[Phrase]:
    """A short line that ends or begins a paragraph is running text as well: its neighbour in the same column
    has the same left edge and size and no more than a line's gap."""
    found: list[Phrase] = []
    for n, phrase in enumerate(phrases):
        near = (phrases[n - 1] if n else None, phrases[n + 1] if n + 1 < len(phrases) else None)
        joined = not phrase.running and any(other is not None and _continues(phrase, other) for other in near)
        found.append(_with_running(phrase) if joined else phrase)
    return found


def _continues(phrase: Phrase, other: Phrase) -> bool:
    if not (other.running or other.marker) or abs(other.size - phrase.size) > 0.15 * phrase.size:
        return False
    gap = max(phrase.box.y0, other.box.y0) - min(phrase.box.y1, other.box.y1)
    edges = abs(phrase.box.x0 - other.box.x0) < 2.5 * phrase.size
    return -0.5 * phrase.size < gap < 1.2 * phrase.size and edges


def _with_running(phrase: Phrase) -> Phrase:
    return replace(phrase, running=True)


def _bare_markers(lines: Sequence[Line]) -> set[int]:
    """Word indices of option labels without any punctuation: letters A, B, C … at one indent, counting up; or
    at the heads of neighbouring phrases, row by row."""
    columns: dict[int, list[tuple[float, float, str, int]]] = {}
    for line in lines:
        for word in line.words:
            if len(word.text) <= 2 and _BARE_OPTION.match(word.text):
                columns.setdefault(round(word.box.x0 / 4), []).append(
                    (word.box.y0, word.size, word.text[0], word.index)
                )
    if not columns:
        return set()
    found: set[int] = set(_rows_of_options(lines))
    for members in columns.values():
        members.sort()
        for first in range(len(members)):
            run = _counting(members[first:])
            if len(run) >= 3:
                found.update(run)
    return found


def _rows_of_options(lines: Sequence[Line]) -> list[int]:
    """Labels of options set in rows (`A 24 m   B 36 m`): every phrase of the rows begins with the next letter and
    goes on with text of its own."""
    found: list[int] = []
    run: list[int] = []
    for line in lines:
        heads = list(_pieces(line.words))
        letters = [piece[0].text for piece in heads if len(piece) > 1 and piece[0].text in _LETTERS]
        wanted = [_LETTERS[(len(run) + n) % len(_LETTERS)] for n in range(len(heads))]
        if len(letters) == len(heads) and letters == wanted:
            run += [piece[0].index for piece in heads]
            continue
        found += run if len(run) >= 3 else []
        run = [piece[0].index for piece in heads] if len(letters) == len(heads) and letters[:1] == ["A"] else []
    return found + (run if len(run) >= 3 else [])


_LETTERS = "ABCDEFGHIJ"


def _counting(members: list[tuple[float, float, str, int]]) -> list[int]:
    run: list[int] = []
    wanted = "A"
    for _, size, letter, index in members:
        if letter == wanted and (not run or abs(size - members[0][1]) < 0.5):
            run.append(index)
            wanted = chr(ord(wanted) + 1)
        elif letter == "A" or not run:
            break
    return run


def bounds(boxes: Iterable[Box]) -> Box:
    """The smallest box around all of them. Raises ValueError where there is none."""
    x0 = y0 = float("inf")
    x1 = y1 = float("-inf")
    for box in boxes:
        x0, y0, x1, y1 = min(x0, box.x0), min(y0, box.y0), max(x1, box.x1), max(y1, box.y1)
    if x0 > x1:
        raise ValueError("bounds of no boxes")
    return Box(x0, y0, x1, y1)
