"""Labels: whatever at the head of a line or of a column fragment may number something.

A label is decomposed generically: (word before?)(opening mark?)(counter in some system)(word after?)
(closing mark?). Its *form* is that decomposition without the value: two labels of one form count the
same kind of thing. Nothing is decided here; `sequence` and `options` choose which labels are real.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ..page import Box, Page
from ..text import is_cjk
from . import vocabulary
from .linetext import LineText
from .numbering import Counter, read_counters, roman_value

Role = Literal["question", "section", "figure", "unknown", "plain"]
Place = Literal["line", "fragment", "chained", "inline"]
"""At a line's start, behind a wide gap, right behind another label, or in the middle of a line."""
Form = tuple[str, str, str, str]
"""(word before, opening mark, system, word after and closing mark), marks in their plain ASCII form."""

_OPEN = {
    "(": "(",
    "（": "(",
    "[": "[",
    "［": "[",
    "【": "[",
    "〔": "[",
    "「": "",
    "〈": "<",
    "<": "<",
    "《": "<",
    "{": "{",
}
_CLOSE = {
    ")": ")", "）": ")", "]": "]", "］": "]", "】": "]", "〕": "]", ".": ".", "．": ".", "。": ".", "、": ",", ":": ":",
    "：": ":", "﹒": ".", "〉": ">", ">": ">", "》": ">", "·": ".", "}": "}", "︰": ":",
}  # fmt: skip
_PAIR = {"(": ")", "[": "]", "<": ">", "{": "}"}
_DASHES = "-–—"
_RANGE = "-–—~～〜∼至"
_BARE = ("circled", "filled", "bracketed", "dotted")


@dataclass(frozen=True, slots=True)
class Label:
    """One reading of a label on line `line`, characters `start`..`end` of its text.

    `x0`, `x1` are its edges in points from the column's left edge, `text_x` where its text begins.
    `upto` > value for a label that counts several at once (`47-48`). `path` holds all the numbers of `1.2.3`.
    """

    line: int
    start: int
    end: int
    form: Form
    role: Role
    value: int
    place: Place
    x0: float
    x1: float
    text_x: float
    size: float
    bold: bool
    printed: str
    upto: int = 0
    path: tuple[int, ...] = ()
    code: str = ""
    font: str = ""
    ends_line: bool = False
    """Nothing stands behind it on its line."""

    @property
    def system(self) -> str:
        return self.form[2]


@dataclass(frozen=True, slots=True)
class _Parsed:
    end: int
    form: Form
    role: Role
    value: int
    upto: int = 0
    path: tuple[int, ...] = ()
    code: str = ""


_WORD = re.compile(r"[^\W\d_]++")
_WORDS_AND_NUMBER = re.compile(r"((?:[^\W\d_]++[ .'’º°№]*+){1,3}+)(?=\d)")
_CODE = re.compile(r"[A-Z]++\d++(?:[A-Z]++\d++)+(?![^\W_])")
_KNOWN = vocabulary.QUESTION_WORDS | vocabulary.SECTION_WORDS | vocabulary.FIGURE_WORDS


def parse_labels(text: str, at: int) -> list[_Parsed]:
    """Every reading of a label at `text[at]`, with the role that its words give it."""
    if at >= len(text):
        return []
    ch = text[at]
    if ch in _BOXES:
        return [_Parsed(at + 1, ("", "", "picture box", ""), "plain", 0)]
    if not ch.isalpha():
        return _parse_path(text, at) + _parse_counter(text, at, "", "plain") + _parse_parted(text, at)
    if is_cjk(ch):
        before, after, role = _cjk_before(text, at)
        found: list[_Parsed] = []
    else:
        word = _WORD.match(text, at)
        head = word.group() if word else ch
        numbered = _WORDS_AND_NUMBER.match(text, at)
        if len(head) > 1 and numbered is None and roman_value(head) is None and head.casefold() not in _KNOWN:
            return []
        found = _parse_code(text, at)
        before, after, role = _word_before(text, at, numbered)
    if before:
        found += [p for p in _parse_counter(text, after, before, role) if p.value > 0]
        if found and role != "unknown":
            return found
    return found + _parse_counter(text, at, "", "plain")


def _word_before(text: str, at: int, numbered: re.Match[str] | None) -> tuple[str, int, Role]:
    """The word or words before a counter: (folded, where the counter begins, what they count)."""
    if text.startswith("제", at):
        return "제", _skip(text, at + 1), "unknown"
    if numbered is not None:
        folded = [vocabulary.plain(word) for word in numbered.group().replace(".", " ").split()]
        return (" ".join(folded), numbered.end(), _role(folded)) if folded else ("", at, "plain")
    return _known_word(text, at, text[at : at + 28].split())


def _known_word(text: str, at: int, words: Sequence[str]) -> tuple[str, int, Role]:
    """A known word or two before a letter or Roman counter: `Part II`, `Section A`, `Phần I`."""
    for count in (2, 1):
        folded = [vocabulary.plain(word) for word in words[:count]]
        if len(words) > count and _role(folded) not in ("unknown", "plain"):
            start = at
            for word in words[:count]:
                start = text.index(word, start) + len(word)
            start = _skip(text, start)
            if text[start : start + 1] in _DASHES and text[start + 1 : start + 2] == " ":
                start = _skip(text, start + 1)  # `Section - B`
            return " ".join(folded), start, _role(folded)
    return "", at, "plain"


def _cjk_before(text: str, at: int) -> tuple[str, int, Role]:
    head = text[at]
    if head == "第":
        return head, _skip(text, at + 1), "unknown"
    if head in vocabulary.QUESTION_WORDS:
        return head, _skip(text, at + 1), "question"
    if head in vocabulary.FIGURE_WORDS or text[at : at + 2] in vocabulary.FIGURE_WORDS:
        length = 1 if head in vocabulary.FIGURE_WORDS else 2
        return head, _skip(text, at + length), "figure"
    two = text[at : at + 2]
    if two in vocabulary.QUESTION_WORDS:
        return two, _skip(text, at + 2), "question"
    return "", at, "plain"


def _role(words: Sequence[str]) -> Role:
    last = words[-1]
    if last in vocabulary.QUESTION_WORDS:
        return "question"
    if last in vocabulary.SECTION_WORDS:
        return "section"
    if last in vocabulary.FIGURE_WORDS:
        return "figure"
    return "unknown"


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t":
        at += 1
    return at


def _parse_counter(text: str, at: int, before: str, role: Role) -> list[_Parsed]:
    opened = _OPEN.get(text[at], "") if at < len(text) and not before else ""
    start = _skip(text, at + 1) if opened else at
    if start >= len(text):
        return []
    return [p for c in read_counters(text, start) if (p := _close(text, start, c, before, opened, role)) is not None]


def _close(text: str, start: int, counter: Counter, before: str, opened: str, role: Role) -> _Parsed | None:
    at, value, upto = start + counter.length, counter.value, 0
    if counter.system == "digit":
        at, upto = _range_end(text, at, value)
    tail, after = _tail(text, at)
    if tail:
        at = after
        role = "section" if tail in vocabulary.SECTION_TAILS else "question"
    elif before in ("第", "제"):
        return None
    mark, end = _closing(text, at, opened)
    if mark is None:
        return None
    if not mark and not before and not tail and not _may_stand_bare(text, at, counter):
        return None
    if mark == "." and counter.system == "digit" and end < len(text) and text[end].isdecimal():
        return None
    if counter.system == "private" and not mark and not _gap_or_cjk(text, at):
        return None
    return _Parsed(end, (before, opened, counter.system, tail + mark), role, value, upto)


def _range_end(text: str, at: int, value: int) -> tuple[int, int]:
    here = _skip(text, at)
    if here < len(text) and text[here] in _RANGE:
        nxt = _skip(text, here + 1)
        for second in read_counters(text, nxt):
            if second.system == "digit" and value < second.value <= value + 60:
                return nxt + second.length, second.value
    return at, 0


def _tail(text: str, at: int) -> tuple[str, int]:
    here = _skip(text, at)
    for length in (2, 1):
        word = text[here : here + length]
        known = word in vocabulary.QUESTION_TAILS or word in vocabulary.SECTION_TAILS
        if len(word) == length and known and text[here : here + length + 1] not in vocabulary.NO_TAILS:
            return word, here + length
    return "", at


def _closing(text: str, at: int, opened: str) -> tuple[str | None, int]:
    """(closing mark in plain form, end); None where the opening mark is not closed."""
    here = _skip(text, at) if opened or (at + 1 < len(text) and text[at] == " " and text[at + 1] in ".)") else at
    mark = ""
    while here < len(text) and text[here] in _CLOSE and len(mark) < 2:
        mark += _CLOSE[text[here]]
        here += 1
    if opened:
        if not mark.startswith(_PAIR[opened]):
            return None, here
        return mark[:1], _skip_marks(text, here)
    if mark:
        return mark, here
    after = _skip(text, at)
    if after < len(text) and text[after] in _DASHES and after + 1 < len(text) and text[after + 1] in " \t":
        return "-", after + 1
    return "", at


def _skip_marks(text: str, at: int) -> int:
    """Behind a closed bracket: past a stray mark, as in `[A]. text` and `[B] .text`."""
    here = _skip(text, at)
    if here < len(text) and text[here] in ".．、:：" and here + 1 < len(text) and not text[here + 1].isdecimal():
        return here + 1
    return at


def _may_stand_bare(text: str, at: int, counter: Counter) -> bool:
    if counter.system.startswith(_BARE):
        return True
    if counter.system in ("han", "han_formal", "syllable", "stem", "hiragana", "katakana", "iroha", "jamo"):
        return at >= len(text) or text[at] == "\t"
    return at >= len(text) or text[at] in " \t" or (counter.system == "digit" and _letter_part(text, at))


def _letter_part(text: str, at: int) -> bool:
    """`3a` or `3(a)`: a number with its part glued to it."""
    if text[at] in "([（":
        return True
    return "a" <= text[at] <= "h" and (at + 1 >= len(text) or text[at + 1] in " \t).")


def _gap_or_cjk(text: str, at: int) -> bool:
    return at >= len(text) or text[at] in " \t" or is_cjk(text[at])


def _parse_code(text: str, at: int) -> list[_Parsed]:
    """Pool codes such as `T1A01`: letters and digits in turn; the last digits count."""
    match = _CODE.match(text, at)
    if match is None or match.end() - at > 12:
        return []
    raw, end = match.group(), match.end()
    tail = len(raw.rstrip("0123456789"))
    if len(raw) - tail > 3 or (end < len(text) and text[end] not in " \t.:)("):
        return []
    shape = "".join("9" if c.isdigit() else "A" for c in raw)
    return [_Parsed(end, ("", "", f"code {shape}", ""), "question", int(raw[tail:]), code=raw[:tail])]


_BOXES = "☐□▢❏❑⬜◻"
"""Boxes to tick: labels that name nothing, like pictures."""
_PARTED = re.compile(r"([1-9]) (\d)([.)])(?=\s)")


def _parse_parted(text: str, at: int) -> list[_Parsed]:
    """`1 6.`: a number that recognition has parted; worth a candidate where the run needs it."""
    match = _PARTED.match(text, at)
    if match is None:
        return []
    return [_Parsed(match.end(), ("", "", "digit", match.group(3)), "plain", int(match.group(1) + match.group(2)))]


def _parse_path(text: str, at: int) -> list[_Parsed]:
    """Numbers such as `1.2` or `2.1.3`: the last one counts within the rest."""
    opened = _OPEN.get(text[at], "")
    here = at + 1 if opened else at
    parts: list[int] = []
    while here < len(text) and text[here].isdecimal() and len(parts) < 5:
        end = here
        while end < len(text) and text[end].isdecimal():
            end += 1
        if end - here > 2:
            return []
        parts.append(int(text[here:end]))
        here = end
        if here + 1 < len(text) and text[here] in ".．" and text[here + 1].isdecimal():
            here += 1
            continue
        break
    if len(parts) < 2 or (parts[-1] == 0):
        return []
    mark, end = _closing(text, here, opened)
    if mark is None or (not mark and end < len(text) and text[end] not in " \t"):
        return []
    return [_Parsed(end, ("", opened, f"path {len(parts)}", mark), "plain", parts[-1], path=tuple(parts))]


def find_labels(texts: Sequence[LineText]) -> list[Label]:
    """All labels of all lines, in reading order: at line starts, after wide gaps, and behind one another."""
    found: list[Label] = []
    for number, text in enumerate(texts):
        chars = text.text
        here = list(_labels_at(text, number, _skip(chars, 0), "line"))
        at = chars.find("\t")
        while at >= 0:
            at = _skip(chars, at)
            here += _labels_at(text, number, at, "fragment")
            at = chars.find("\t", at + 1)
        found += _without_doubles(here) if len(here) > 1 else here
    return found


def _without_doubles(labels: list[Label]) -> list[Label]:
    """One label for each place and form, in print order; behind a gap rather than behind another label."""
    best: dict[tuple[int, Form, int], Label] = {}
    for label in labels:
        key = (label.start, label.form, label.value)
        if key not in best or best[key].place == "chained":
            best[key] = label
    return sorted(best.values(), key=lambda label: label.start)


def _labels_at(text: LineText, number: int, at: int, place: Literal["line", "fragment"]) -> Iterator[Label]:
    readings = parse_labels(text.text, at)
    for parsed in readings:
        yield make_label(text, number, at, parsed, place)
    chains: set[tuple[int, Form]] = set()
    for parsed in readings:
        here, depth = _skip(text.text, parsed.end), 0
        while depth < 3:
            nested = [p for p in parse_labels(text.text, here) if _chains(text.text, parsed, here, p)]
            for p in nested:
                if (here, p.form) not in chains:
                    chains.add((here, p.form))
                    yield make_label(text, number, here, p, "chained")
            if not nested:
                break
            here, depth = _skip(text.text, nested[0].end), depth + 1


def _chains(text: str, first: _Parsed, here: int, second: _Parsed) -> bool:
    """Whether a second label may stand right behind a first: marked, or glued on as in `3a`."""
    if second.form[2] == "digit" and not second.form[1]:
        return False
    return bool(second.form[1] or second.form[3]) or second.form[2].startswith(_BARE) or here == first.end


def make_label(text: LineText, number: int, at: int, parsed: _Parsed, place: Place) -> Label:
    """A label from a reading of line `number`'s text at `at`."""
    line = text.line
    word = text.word_at(at)
    left = line.column_box.x0
    x0, x1 = text.x_at(at), text.x_at(parsed.end)
    behind = _skip(text.text, parsed.end)
    text_x = text.x_at(behind) if behind < len(text.text) else x1
    last = text.word_at(max(parsed.end - 1, at))
    right = last.box.x1 if parsed.end >= len(text.text) or text.text[parsed.end] in " \t" else x1
    return Label(
        line=number, start=at, end=parsed.end, form=parsed.form, role=parsed.role, value=parsed.value, place=place,
        x0=x0 - left, x1=right - left, text_x=text_x - left, bold=word.bold,
        size=text.size if word.origin == "ocr" else word.size,
        printed=text.text[at : parsed.end].replace("\t", " ").strip(), upto=parsed.upto, path=parsed.path,
        code=parsed.code, font=word.font, ends_line=behind >= len(text.text),
    )  # fmt: skip


def picture_labels(texts: Sequence[LineText], pages: dict[tuple[int, int], Page]) -> list[Label]:
    """Small pictures that stand where a label would: their value is unknown (0), their place is not."""
    small: dict[tuple[int, int], list[Box]] = {}
    for key, page in pages.items():
        boxes = [p.box for p in page.pictures if 4 < p.box.height < 24 and 4 < p.box.width < 60]
        if boxes:
            small[key] = sorted(boxes, key=lambda b: (b.y0, b.x0))
    found: list[Label] = []
    for number, text in enumerate(texts):
        line = text.line
        for box in small.get((line.source, line.page), ()):
            if line.box.y0 <= box.cy <= line.box.y1:
                label = _picture_label(text, number, box)
                if label is not None:
                    found.append(label)
    found.sort(key=lambda label: (label.line, label.start))
    return found


def _picture_label(text: LineText, number: int, box: Box) -> Label | None:
    line = text.line
    left = line.column_box.x0
    for index, (start, word) in enumerate(zip(text.starts, line.words, strict=True)):
        gap = word.box.x0 - box.x1
        clear = index == 0 or line.words[index - 1].box.x1 <= box.x0 - 0.5 * max(word.size, 8.0)
        if -0.8 * box.width <= gap <= 1.5 * max(word.size, 8.0) and word.box.x0 > box.x0 and clear:
            place = "line" if index == 0 else "fragment"
            form = ("", "", f"picture {box.width:.0f}x{box.height:.0f}", "")
            return Label(
                number, start, start, form, "plain", 0, place, box.x0 - left, box.x1 - left, word.box.x0 - left,
                word.size, False, "",
            )  # fmt: skip
    return None
