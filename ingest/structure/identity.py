"""What the paper is: its title, its language, its form or booklet, as printed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from statistics import median

from ..draft import DraftPaper, DraftQuestion
from ..keys.key_forms import form_marks
from ..lines import Line, Reading
from ..page import Page
from ..text import is_cjk, join_words
from .language import detect_language

_TITLE_LINES = 3
_TITLE_CHARACTERS = 160
_COVER_LINES = 60
_SHORT = 60
_HEADS = 12
_BODY_LINES = 300
_SURE = 0.93
_NO_TITLE = re.compile(
    r"^(?:page|seite|página|pagina|trang|頁|页|name|nom|nombre|nome|姓名|이름|氏名|student|candidate|school|class|date|"
    r"section|part|teil|partie|parte|第.{1,3}部[分份]|[壹貳參肆伍陸甲乙丙丁一二三四五六七八九十]+[、．.]|"
    r"directions?\b|points?\b|punkte\b|marks?\b|score|instructions?\b|hinweise?\b|説明|說明|说明|注意|作答|\d{1,3}\s*[.)、]|[(（]?[a-zA-Z0-9][)）])|[_＿.…]{4,}|[?？。:：,，]$",
    re.IGNORECASE,
)


def identify(
    paper: DraftPaper,
    readings: Sequence[Reading],
    lines: Sequence[Line],
    pages: Mapping[tuple[int, int], Page],
    language: str | None,
) -> None:
    """Set the draft's title, language and form. `lines` are the paper's lines, `language` is what the user told."""
    paper.language = language or detect_language(_asked_words(paper) or [w.text for line in lines for w in line.words])
    cover = _cover(paper, lines)
    heads = _running_heads(readings, pages)
    printed = _display(readings, pages, cover)
    paper.title = (
        paper.title or printed or _title(cover, lines) or next((head for head in heads if _says_something(head)), "")
    )
    paper.form = paper.form or _form([*(line.text for line in cover), *heads])


def _asked_words(paper: DraftPaper) -> list[str]:
    """The words of questions and options."""
    found: list[str] = []
    for question in paper.questions():
        for line in [*question.stem, *(line for option in question.options for line in option.lines)]:
            found.extend(word.text for word in line.words)
    return found


def _cover(paper: DraftPaper, lines: Sequence[Line]) -> list[Line]:
    """The lines of the first page that stand before the first question."""
    if not lines:
        return []
    first = _first_place(paper)
    cover: list[Line] = []
    for line in lines[:_COVER_LINES]:
        if (line.source, line.page) != (lines[0].source, lines[0].page):
            break
        if first and any((line.source, line.page, word.index) in first for word in line.words):
            break
        cover.append(line)
    return cover


def _first_place(paper: DraftPaper) -> frozenset[tuple[int, int, int]]:
    """Words that the first question's label and stem begin with."""
    questions: list[DraftQuestion] = paper.questions()
    for question in questions:
        words = {(line.source, line.page, word.index) for line in question.stem[:1] for word in line.words}
        if question.label_words or words:
            return question.label_words | frozenset(words)
    return frozenset()


def _title(cover: Sequence[Line], lines: Sequence[Line]) -> str:
    """The most prominent lines of the cover: the largest and its large neighbours, in print order."""
    fit = [line for line in cover if _says_something(line.text) and _sure(line)]
    if not fit:
        return ""
    largest = max(fit, key=lambda line: line.size)
    body = median(line.size for line in lines[:_BODY_LINES])
    if largest.size < 1.08 * body and len(cover) > 6:
        # nothing is larger than the running text: the first line names the paper if any does
        return _joined(fit[:1])
    first = last = next(n for n, line in enumerate(cover) if line is largest)

    def large(n: int) -> bool:
        fits = 0 <= n < len(cover) and any(cover[n] is line for line in fit)
        return fits and cover[n].size > max(0.7 * largest.size, 1.08 * body) and last - first + 1 < _TITLE_LINES

    while large(last + 1):
        last += 1
    while large(first - 1):
        first -= 1
    return _joined(cover[first : last + 1])


def _says_something(text: str) -> bool:
    letters = sum(char.isalpha() for char in text)
    wide = sum(is_cjk(char) or 0xAC00 <= ord(char) <= 0xD7A3 for char in text)
    told = letters >= 6 or wide >= 3
    mostly = letters > 0.6 * len("".join(text.split()))
    bare_form = len(text) < 8 and bool(form_marks(text))
    return told and mostly and not bare_form and len(text) <= _TITLE_CHARACTERS and not _NO_TITLE.search(text)


def _sure(line: Line) -> bool:
    """Whether a line is print: OCR of handwriting is large and unsure of itself."""
    return sum(word.confidence for word in line.words) >= _SURE * len(line.words)


def _joined(lines: Sequence[Line]) -> str:
    text = ""
    for line in lines:
        gap = "" if not text or (is_cjk(text[-1]) and is_cjk(line.text[0])) else " "
        text += gap + line.text
    return " ".join(text.split())[: 2 * _TITLE_CHARACTERS]


def _display(readings: Sequence[Reading], pages: Mapping[tuple[int, int], Page], cover: Sequence[Line]) -> str:
    """Display type of the first page that passes for furniture because the name recurs as a running head."""
    if not cover:
        return ""
    source, number = cover[0].source, cover[0].page
    largest = max(line.size for line in cover)
    words = [
        pages[source, number].words[index]
        for reading in readings
        if reading.source == source
        for page, index in sorted(reading.furniture)
        if page == number and (source, number) in pages
    ]
    big = [word for word in words if word.size > 1.25 * largest]
    text = join_words(big)
    return text if _says_something(text) else ""


def _running_heads(readings: Sequence[Reading], pages: Mapping[tuple[int, int], Page]) -> list[str]:
    """The header and footer texts of the first pages, one string per kind and page."""
    found: list[str] = []
    for reading in readings:
        rows: dict[tuple[int, str], list[str]] = {}
        for (number, index), kind in sorted(reading.furniture.items()):
            if (reading.source, number) in pages and len(rows) < _HEADS:
                rows.setdefault((number, kind), []).append(pages[reading.source, number].words[index].text)
        found += [" ".join(words) for words in rows.values()]
    return found


def _form(texts: Sequence[str]) -> str | None:
    """The first short text that names a form or booklet."""
    return next((text for text in texts if len(text) <= _SHORT and _names_form(text)), None)


def _names_form(text: str) -> bool:
    """Whether the text names a form by a number, a letter, a colour or odd and even: not just the word `form`."""
    return any(
        kind in ("parity", "colour") or len(value) == 1 or any(char.isdigit() for char in value)
        for kind, value in form_marks(text).items()
    )
