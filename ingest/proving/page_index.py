"""The pages' words as one stream of letters in reading order, indexed once and looked up by every check.

Two streams: what the question pages print, and what the answer pages (keys, mark schemes, solutions) print.
Furniture stands at the end of its source: it can be found, and its absence is no loss.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ...schemas.exam import Region
from ...schemas.findings import FindingBox
from ..assembly.regions import merged
from ..draft import Figure, WordKey
from ..lines import Line, Reading
from ..page import Box, Page, Word
from ..text import join_words
from .letters import weight, word_signs

Place = Literal["text", "figure", "table", "furniture"]

LONG_GRAM, SHORT_GRAM = 12, 5
LOCAL_GRAM = 4
MANY = 400
"""A gram that stands at more places than this names none of them."""
ENOUGH = 12.0
"""The weight from which a run of letters that stands once on the pages names its place (`letters.weight`)."""
_KEPT = 60_000
"""Texts whose places are remembered; the memory is emptied when it is full."""


@dataclass(frozen=True, slots=True)
class PageWord:
    """A word of the stream: `start`, `end` are its letters' places. `signs` stand before and after its letters."""

    word: Word
    source: int
    page: int
    line: int
    start: int
    end: int
    signs: tuple[str, str]
    place: Place

    @property
    def key(self) -> WordKey:
        return self.source, self.page, self.word.index


@dataclass(frozen=True, slots=True)
class Block:
    """`length` letters of a text from `at` stand on the pages from `place`."""

    at: int
    place: int
    length: int


@dataclass
class Stream:
    """Letters in reading order. `word_of` names the word of each letter."""

    text: str = ""
    words: list[PageWord] = field(default_factory=list)
    word_of: array[int] = field(default_factory=lambda: array("i"))
    long: dict[str, int] = field(default_factory=dict)
    """Where a long gram stands; -1: at several places."""
    short: dict[str, int] = field(default_factory=dict)
    local: dict[str, array[int]] = field(default_factory=dict)
    _blocks: dict[str, tuple[Block, ...]] = field(default_factory=dict)
    cache: dict[tuple[str, int, int], tuple[Block, ...]] = field(default_factory=dict)
    """Alignments of a text with a stretch of the stream."""

    def index(self) -> None:
        text = self.text
        self.long = _unique(text, LONG_GRAM)
        self.short = _unique(text, SHORT_GRAM)
        for n in range(len(text) - LOCAL_GRAM + 1):
            self.local.setdefault(text[n : n + LOCAL_GRAM], array("i")).append(n)

    def blocks(self, text: str) -> tuple[Block, ...]:
        """The runs of `text` that stand in one place only, longest possible, in the order of the text."""
        known = self._blocks.get(text)
        if known is None:
            if len(self._blocks) > _KEPT:
                self._blocks.clear()
            known = self._blocks[text] = tuple(self._find(text))
        return known

    def _find(self, text: str) -> Iterator[Block]:
        at, done = 0, 0
        while at <= len(text) - SHORT_GRAM:
            place = self.long.get(text[at : at + LONG_GRAM], -1)
            if place < 0 and not text[at : at + SHORT_GRAM].isascii():
                place = self.short.get(text[at : at + SHORT_GRAM], -1)
            if place < 0:
                at += 1
                continue
            block = self.grown(text, at, place, done)
            if weight(text[block.at : block.at + block.length]) >= ENOUGH:
                yield block
                at = done = block.at + block.length
            else:
                at += 1

    def grown(self, text: str, at: int, place: int, low: int) -> Block:
        """The longest run of equal letters around a place; `low`: where the run before it ends in the text."""
        start, stand = at, place
        while start > low and stand > 0 and text[start - 1] == self.text[stand - 1]:
            start, stand = start - 1, stand - 1
        length, most = at - start, min(len(text) - start, len(self.text) - stand)
        while length < most and text[start + length] == self.text[stand + length]:
            length += 1
        return Block(start, stand, length)

    def places(self, gram: str, low: int, high: int) -> Sequence[int]:
        """Where a local gram stands within [low, high)."""
        held = self.local.get(gram)
        if held is None:
            return ()
        return held[bisect_left(held, low) : bisect_right(held, high - LOCAL_GRAM)]

    def words_between(self, low: int, high: int) -> range:
        """The numbers of the words that hold a letter of [low, high); words without letters between them count."""
        if low >= high or low >= len(self.word_of):
            return range(0)
        return range(self.word_of[low], self.word_of[min(high, len(self.word_of)) - 1] + 1)


def _unique(text: str, size: int) -> dict[str, int]:
    found: dict[str, int] = {}
    for n in range(len(text) - size + 1):
        gram = text[n : n + size]
        found[gram] = -1 if gram in found else n
    return found


@dataclass
class PageIndex:
    """`paper` is the stream of question pages, `answers` that of all other pages. `roles` by (source, page)."""

    paper: Stream
    answers: Stream
    pages: Mapping[tuple[int, int], Page]
    figures: Sequence[Figure]
    roles: Mapping[tuple[int, int], str]
    confidence: dict[tuple[int, int], float]
    """Mean sureness of a page's OCR words; 1.0 for pages read from their layer."""

    @classmethod
    def build(
        cls,
        readings: Sequence[Reading],
        pages: Mapping[tuple[int, int], Page],
        figures: Sequence[Figure],
        roles: Mapping[tuple[int, int], str],
        ornaments: Sequence[Line] = (),
    ) -> PageIndex:
        """Index all pages. A page without a role counts as a question page.

        `ornaments` are lines that are no content (separators, `turn over`), as the layout pass tells them.
        """
        inside: dict[WordKey, Place] = {(n.source, n.page, w.index): "furniture" for n in ornaments for w in n.words}
        for figure in figures:
            place: Place = "figure" if figure.kind == "figure" else "table" if figure.kind == "table" else "text"
            inside.update(dict.fromkeys(figure.words, place))
        paper = _stream(readings, pages, inside, lambda key: roles.get(key, "paper") == "paper")
        answers = _stream(readings, pages, inside, lambda key: roles.get(key, "paper") != "paper")
        sure = {key: _confidence(page) for key, page in pages.items()}
        return cls(paper, answers, pages, figures, roles, sure)

    def ocr(self, key: tuple[int, int]) -> bool:
        page = self.pages.get(key)
        return page is not None and page.read_by == "ocr"


def _confidence(page: Page) -> float:
    if page.read_by != "ocr":
        return 1.0
    return sum(word.confidence for word in page.words) / len(page.words) if page.words else 0.0


def _stream(
    readings: Sequence[Reading],
    pages: Mapping[tuple[int, int], Page],
    inside: Mapping[WordKey, Place],
    wanted: Callable[[tuple[int, int]], bool],
) -> Stream:
    stream = Stream()
    parts: list[str] = []
    size = 0
    line_number = 0

    def add(word: Word, source: int, page: int, place: Place) -> None:
        nonlocal size
        letters, before, after = word_signs(word.text)
        stream.words.append(
            PageWord(word, source, page, line_number, size, size + len(letters), (before, after), place)
        )
        stream.word_of.extend([len(stream.words) - 1] * len(letters))
        parts.append(letters)
        size += len(letters)

    for reading in readings:
        for line in reading.lines:
            if not wanted((line.source, line.page)):
                continue
            line_number += 1
            for word in line.words:
                add(word, line.source, line.page, inside.get((line.source, line.page, word.index), "text"))
        for page, number in sorted(reading.furniture):
            if wanted((reading.source, page)):
                line_number += 1
                add(pages[reading.source, page].words[number], reading.source, page, "furniture")
    stream.text = "".join(parts)
    stream.index()
    return stream


def regions_of(words: Iterable[PageWord]) -> list[Region]:
    """Tight boxes around words: the lines of one column joined, one region per column and page."""
    lines: dict[tuple[int, int, int], Box] = {}
    for word in words:
        key = (word.source, word.page, word.line)
        box = lines.get(key)
        lines[key] = word.word.box if box is None else box.union(word.word.box)
    return merged((source, page, box) for (source, page, _), box in lines.items())


def box_of(words: Sequence[PageWord]) -> FindingBox:
    """The box around those of the words that stand on the first one's page, as findings hold it."""
    first, box = words[0], words[0].word.box
    for word in words[1:]:
        if (word.source, word.page) == (first.source, first.page):
            box = box.union(word.word.box)
    return FindingBox(x0=round(box.x0, 2), y0=round(box.y0, 2), x1=round(box.x1, 2), y1=round(box.y1, 2))


def quoted(words: Sequence[PageWord], most: int = 60) -> str:
    """The words as a page spaces them, cut to `most` characters."""
    text = join_words([word.word for word in words[:40]])
    return text if len(text) <= most else text[: most - 1] + "…"
