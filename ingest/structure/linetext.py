"""A line as characters: each tied to its word, so that any stretch of text can be cut out as a line again."""

from __future__ import annotations

from collections.abc import Sequence

from ..lines import Line
from ..page import Word
from ..text import spaced, split_word

_SPACES = str.maketrans({"\u3000": "\t", "\u2003": "\t", "\xa0": " ", "\u2002": " ", "\u2009": " "})
"""Wide spaces inside a word of the layer part it as a gap does; one character each, so that places stay."""


class LineText:
    """A line's characters with the word that each comes from; wide gaps are tabs, narrow ones spaces."""

    __slots__ = ("line", "size", "starts", "text")

    def __init__(self, line: Line) -> None:
        self.line = line
        parts: list[str] = []
        self.starts: list[int] = []
        at, right, previous = 0, 0.0, None
        for word in line.words:
            text = word.text
            if previous is not None:
                gap = word.box.x0 - right
                if gap > 1.2 * max(word.size, previous.size, 6.0):
                    mark = "\t"
                elif text.isascii() and previous.text.isascii() and gap > 0.1 * max(word.size, previous.size, 1.0):
                    mark = " "
                else:
                    mark = " " if spaced(previous, word) else ""
                if mark:
                    parts.append(mark)
                    at += 1
            self.starts.append(at)
            parts.append(text)
            at += len(text)
            right, previous = word.box.x1, word
        joined = "".join(parts)
        self.text = joined if joined.isascii() else joined.translate(_SPACES)
        sizes = {word.size for word in line.words}
        self.size = round(sizes.pop(), 1) if len(sizes) == 1 else line.size

    def word_at(self, at: int) -> Word:
        """The word that holds character `at`, or the first one after it."""
        words = self.line.words
        for index, start in enumerate(self.starts):
            if at < start + len(words[index].text):
                return words[index]
        return words[-1]

    def cut(self, start: int, end: int | None = None) -> Line | None:
        """The characters `start`..`end` as a line of their own; None where they hold no word."""
        stop = len(self.text) if end is None else end
        if start <= 0 and stop >= len(self.text):
            return self.line
        words: list[Word] = []
        for begin, word in zip(self.starts, self.line.words, strict=True):
            low, high = max(start - begin, 0), min(stop - begin, len(word.text))
            if low >= high:
                if begin >= stop:
                    break
                continue
            part = word
            if not word.text.isascii():
                while low < high and word.text[high - 1].isspace():
                    high -= 1
                while low < high and word.text[low].isspace():
                    low += 1
                if low >= high:
                    continue
            if high < len(word.text):
                part = split_word(part, high)[0]
            if low > 0:
                part = split_word(part, low)[1]
            if part.text.strip():
                words.append(part)
        if not words:
            return None
        if len(words) == len(self.line.words) and words[0] is self.line.words[0] and words[-1] is self.line.words[-1]:
            return self.line
        return fragment(self.line, words)

    def keys(self, start: int, end: int) -> frozenset[tuple[int, int, int]]:
        """The words that characters `start`..`end` come from."""
        part = self.cut(start, end)
        return frozenset((self.line.source, self.line.page, word.index) for word in part.words) if part else frozenset()

    def x_at(self, at: int) -> float:
        """The page's x of character `at`, points."""
        words = self.line.words
        for begin, word in zip(self.starts, words, strict=True):
            if at < begin + len(word.text):
                inside = max(at - begin, 0)
                return split_word(word, inside)[1].box.x0 if inside else word.box.x0
        return words[-1].box.x1


def fragment(line: Line, words: Sequence[Word]) -> Line:
    """A line that holds only these words of `line`."""
    box = words[0].box
    for word in words[1:]:
        box = box.union(word.box)
    return Line(line.source, line.page, tuple(words), box, line.band, line.column, line.column_box)
