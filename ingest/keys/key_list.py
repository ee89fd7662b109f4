"""Answer keys printed as running lists: `1.B 2.A 3.C`, `1 – B`, `1-5 BACDA 6-10 CDBAB`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from ..lines import Line
from ..page import Word
from ..text import split_word
from .key_cells import LEADER, Cell, digit_share, make_cell, narrow
from .key_grid import Pair, Track
from .key_values import parse_value

MIN_LIST = 3
_MARKED = re.compile(r"[.．。、:：)\]）】題题번]$|^[(\[（【第Q]")
_STARTS = re.compile(r"^[(]?(\d{1,3})[.。、:)]")
_OPTION = re.compile(r"^[(（]?[A-Ha-h①-⑤][.)．）、]$")
_SPLIT = re.compile(r"[\u3000\u2003\u2002]+|(?<=[A-Z①-⑳)）])[,，;；、.]?(?=[(（]?\d{1,3}[.．。、:：)）\-–—])")


def read_list(lines: Sequence[Line]) -> list[Track]:
    """The lists of label-value pairs in lines of one source; a list ends at a line that holds none."""
    tracks: list[Track] = []
    open_pairs: list[Pair] = []
    open_page = -1
    heads: list[str] = []
    for line in lines:
        lead, pairs = line_pairs(line)
        follows = bool(open_pairs) and bool(pairs) and _follows(open_pairs[-1], pairs[0])
        if open_pairs and (not follows or lead):
            _close(tracks, open_pairs, heads, open_page)
            heads = [] if len(open_pairs) >= MIN_LIST else heads
            open_pairs = []
        if pairs:
            if not open_pairs:
                open_page = line.page
                heads = [lead, *heads] if lead else heads
            open_pairs.extend(pairs)
        else:
            heads = [line.text, *heads][:4]
    _close(tracks, open_pairs, heads, open_page)
    return tracks


def _follows(last: Pair, first: Pair) -> bool:
    return last.number[0] == first.number[0] and 0 < first.number[1] - last.number[1] <= 3


def _close(tracks: list[Track], pairs: list[Pair], heads: Sequence[str], page: int) -> None:
    goes_on = bool(tracks) and bool(pairs) and pairs[0].number[1] == tracks[-1].pairs[-1].number[1] + 1
    if len(pairs) < MIN_LIST and not (goes_on and pairs[0].number[0] == tracks[-1].pairs[-1].number[0]):
        return
    box = pairs[0].box
    for pair in pairs[1:]:
        box = box.union(pair.box) if pair.box.y0 >= box.y0 - 400 else box
    tracks.append(Track(list(pairs), box, tuple(heads[:4]), page, layout="list"))


def answers_apart(line: Line) -> list[Line]:
    """A line that holds several numbered answers behind wide gaps (`7. -2     8. (1, 0)`), one line for each.

    The numbers must count up by one from the line's first; any other line comes back whole.
    """
    words = [part for word in line.words for part in _pieces(word)]
    starts = [n for n, word in enumerate(words) if _STARTS.match(narrow(word.text)) and (n == 0 or _apart(words, n))]
    numbers = [int(_STARTS.match(narrow(words[n].text))[1]) for n in starts]  # type: ignore[index]
    if len(starts) < 2 or starts[0] != 0 or any(b != a + 1 for a, b in pairwise(numbers)):
        return [line]
    return [_part(line, words[a:b]) for a, b in pairwise([*starts, len(words)])]


def _pieces(word: Word) -> list[Word]:
    """A word cut behind the ideographic spaces in it."""
    cuts = [m.end() for m in re.finditer("\u3000+", word.text) if 0 < m.end() < len(word.text)]
    parts: list[Word] = []
    rest, done = word, 0
    for cut in cuts:
        left, rest = split_word(rest, cut - done)
        parts.append(left)
        done = cut
    return [*parts, rest]


def _apart(words: Sequence[Word], n: int) -> bool:
    gap = words[n].box.x0 - words[n - 1].box.x1
    return words[n - 1].text.endswith("\u3000") or gap > 1.2 * max(words[n].size, 8.0)


def _part(line: Line, words: Sequence[Word]) -> Line:
    box = words[0].box
    for word in words[1:]:
        box = box.union(word.box)
    return replace(line, words=tuple(words), box=box)


def line_pairs(line: Line) -> tuple[str, list[Pair]]:
    """The heading that a line begins with, and its pairs; no pairs where the line is not a list of them.

    Numbers must count up within the line, and nearly all of the line must be pairs.
    """
    if len(line.words) > 60 or digit_share(line.words) < 0.1:
        return "", []
    cells = _cells(line)
    pairs: list[Pair] = []
    used = 0
    lead = 0
    n = 0
    style = ""
    if cells and _OPTION.match(cells[0].text):
        return "", []  # `A. 1  B. 2  C. 3` is a row of options
    while n < len(cells):
        style = style or (_style(cells[n]) if cells[n].number is not None and cells[n].glued is None else "")
        found, taken = _pair_at(cells, n, style)
        if not found:
            lead += not pairs
            n += 1
            continue
        pairs.extend(found)
        used += taken
        n += taken
    letters = len(cells) - lead
    if not pairs or used * 10 < 8 * letters or lead > 6 or not _rising(pairs):
        return "", []
    if len(pairs) == 1 and (lead or len(cells) > 2):
        return "", []
    return " ".join(c.text for c in cells[:lead]), pairs


def _rising(pairs: Sequence[Pair]) -> bool:
    numbers = [p.number[1:] for p in pairs]
    return all(a < b for a, b in pairwise(numbers)) and numbers[-1][0] - numbers[0][0] < 3 * len(numbers)


def _cells(line: Line) -> list[Cell]:
    cells: list[Cell] = []
    for group in _touching(line.words):
        box = group[0].box
        for word in group[1:]:
            box = box.union(word.box)
        for text in _SPLIT.split("".join(w.text for w in group)):
            text = text.strip()
            if text and not LEADER.match(text):
                cells.append(make_cell(text, box, 0, tuple(group)))
    return cells


def _touching(words: Sequence[Word]) -> list[list[Word]]:
    groups: list[list[Word]] = []
    for word in words:
        last = groups[-1][-1] if groups else None
        if last is not None and -1.0 <= word.box.x0 - last.box.x1 <= 0.12 * word.box.height:
            groups[-1].append(word)
        else:
            groups.append([word])
    return groups


def _style(cell: Cell) -> str:
    """What is printed around a number: `#.` or `(#)`. All labels of a line are in one style."""
    return re.sub(r"\d+", "#", cell.text)


def _pair_at(cells: Sequence[Cell], n: int, style: str) -> tuple[list[Pair], int]:
    cell = cells[n]
    if cell.span is not None:
        return _range_at(cells, n)
    if cell.number is None:
        return [], 0
    if cell.glued is not None:
        return [Pair(cell.number, cell.glued, cell.box, (cell,))], 1
    value_cells: list[Cell] = []
    for other in cells[n + 1 : n + 4]:
        label = other.number is not None and (other.glued is not None or _style(other) == style)
        if label and (value_cells or _MARKED.search(other.text)):
            break
        if other.span is not None:
            break
        value_cells.append(other)
    for length in range(len(value_cells), 0, -1):
        text = " ".join(c.text for c in value_cells[:length])
        value = parse_value(text)
        if _OPTION.match(text) and not _MARKED.search(cell.text):
            continue
        if not value.keylike or (text.isdigit() and not _MARKED.search(cell.text)):
            continue
        box = cell.box
        for other in value_cells[:length]:
            box = box.union(other.box)
        return [Pair(cell.number, text, box, (cell, *value_cells[:length]))], length + 1
    return [], 0


def _range_at(cells: Sequence[Cell], n: int) -> tuple[list[Pair], int]:
    """`1-5 BACDA`, the letters in one piece or spaced."""
    span = cells[n].span
    assert span is not None
    count = span[1] - span[0] + 1
    letters = list(cells[n].glued or "")
    taken = [cells[n]]
    for other in cells[n + 1 :]:
        if len(letters) >= count or other.span is not None:
            break
        if not re.fullmatch(r"[A-Za-z①-⑳]+|\d+", other.text):
            break
        letters.extend(other.text)
        taken.append(other)
    if len(letters) != count or not all(
        ch.isdigit() or ch.upper() in "ABCDEFGHIJTF" or "①" <= ch <= "⑳" for ch in letters
    ):
        return [], 0
    box = taken[0].box
    for cell in taken[1:]:
        box = box.union(cell.box)
    prefix = ""
    return [Pair((prefix, span[0] + i, 0), letter.upper(), box, tuple(taken)) for i, letter in enumerate(letters)], len(
        taken
    )
