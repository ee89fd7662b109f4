"""What the paper is: its title, its language, its form or booklet, as printed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .draft import DraftPaper, DraftQuestion
from .key_forms import form_marks
from .language import detect_language
from .lines import Line, Reading
from .text import is_cjk

_TITLE_LINES = 3
_TITLE_CHARACTERS = 160
_COVER_LINES = 60
_SHORT = 60
_NO_TITLE = re.compile(
    r"^(?:page|seite|página|pagina|trang|頁|页|name|nom|nombre|nome|姓名|이름|氏名|student|candidate|school|class|date|"
    r"section|part|teil|partie|parte|第.{1,3}部[分份]|\d{1,3}\s*[.)、]|[(（]?[a-zA-Z0-9][)）])|[_＿.…]{4,}|[?？]$",
    re.IGNORECASE,
)


def identify(paper: DraftPaper, readings: Sequence[Reading], lines: Sequence[Line], language: str | None) -> None:
    """Set the draft's title, language and form. `lines` are all lines of the paper, `language` is what the user told."""
    paper.language = language or detect_language(_asked_words(paper) or [w.text for line in lines for w in line.words])
    cover = _cover(paper, lines)
    paper.title = paper.title or _title(cover)
    paper.form = paper.form or _form([*cover, *lines[:_COVER_LINES]])


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


def _title(cover: Sequence[Line]) -> str:
    """The most prominent lines of the cover: the largest, up to three in a row, in print order."""
    fit = [line for line in cover if _says_something(line.text)]
    if not fit:
        return ""
    largest = max(line.size for line in fit)
    body = sorted(line.size for line in cover)[len(cover) // 2]
    if largest < 1.08 * body and len(cover) > 6:
        # nothing is larger than the running text: the first line names the paper if any does
        return _joined(fit[:1])
    start = next(n for n, line in enumerate(cover) if line in fit and line.size > 0.97 * largest)
    chosen: list[Line] = []
    for line in cover[start:]:
        if line not in fit or line.size < 0.8 * largest or line.size < 1.08 * body or len(chosen) == _TITLE_LINES:
            break
        chosen.append(line)
    return _joined(chosen or [cover[start]])


def _says_something(text: str) -> bool:
    letters = sum(char.isalpha() for char in text)
    wide = sum(is_cjk(char) or 0xAC00 <= ord(char) <= 0xD7A3 for char in text)
    return (letters >= 6 or wide >= 3) and len(text) <= _TITLE_CHARACTERS and not _NO_TITLE.search(text)


def _joined(lines: Sequence[Line]) -> str:
    text = ""
    for line in lines:
        gap = "" if not text or (is_cjk(text[-1]) and is_cjk(line.text[0])) else " "
        text += gap + line.text
    return " ".join(text.split())[: 2 * _TITLE_CHARACTERS]


def _form(lines: Sequence[Line]) -> str | None:
    """The first short line that names a form or booklet."""
    return next((line.text for line in lines if len(line.text) <= _SHORT and form_marks(line.text)), None)
