"""Numbers: each question's number stands on the page right before its text, and no number of a series is missing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ...schemas.exam import Exam, Question
from ...schemas.exam_checks import every_question
from ...schemas.findings import Finding
from ..keys.key_values import canonical, position
from .alignment import Aligned, Span
from .labels import GLUED, LABEL, Fields, fields_of, label_finding, name_like
from .letters import folded
from .page_index import Stream

_DIGITS = re.compile(r"\d{1,3}")
RANGE = re.compile(r"\d\s*(?:[-–—~～〜]|to|至|bis|à|a)\s*\d")
"""A label that names several questions: `13–15`."""


def number_findings(exam: Exam, aligned: Aligned) -> Iterator[Finding]:
    """Numbers that the page does not print before their question, that nobody has, or that stand within another one."""
    by_field = fields_of(aligned)
    yield from _misnumbered(exam, by_field, aligned)
    yield from _gaps(exam, by_field, aligned)
    yield from _merged(exam, by_field, aligned)


def _own_digits(question: Question) -> list[int]:
    """The number of a label, or the two ends of a range: `Q3` is 3, `13–15` is 13, 15. A label of several numbers that
    is no range (`T1B03`, `13-1`) has none by itself."""
    found = [int(digits) for digits in _DIGITS.findall(_plain(question))]
    ranged = len(found) == 2 and found[0] < found[1] and RANGE.search(_plain(question))
    return found if len(found) == 1 or ranged else []


def _series(question: Question) -> tuple[str, int, int] | None:
    """What a label counts in, and from where to where: `T1B03` is 3 in `t1b`, `13–15` is 13 to 15 in no name."""
    own = _own_digits(question)
    if own:
        return "", own[0], own[-1]
    label = _plain(question)
    last = re.search(r"(\d{1,3})\D*$", label)
    return (folded(label[: last.start()]), int(last[1]), int(last[1])) if last else None


def _plain(question: Question) -> str:
    return unicodedata.normalize("NFKC", question.number or "")


def _first_word(question: Question, by_field: Fields, aligned: Aligned) -> int:
    """The number of the first word of a question's own text; -1 where it was not found."""
    paths = [
        "prompt",
        *(f"options.{o.id}.id" for o in question.options or []),
        *(f"options.{o.id}" for o in question.options or []),
    ]
    for path in paths:
        for span in by_field.get((question.id, path), []):
            first = aligned.match[span.start]
            if first >= 0:
                return aligned.stream.word_of[first]
            if path == "prompt":
                return -1
    return -1


def _misnumbered(exam: Exam, by_field: Fields, aligned: Aligned) -> Iterator[Finding]:
    stream = aligned.stream
    for question in every_question(exam):
        own = _own_digits(question)
        first = _first_word(question, by_field, aligned)
        if not own or first < 0 or len(own) > 1:
            continue
        printed = _printed_number(stream, first)
        if printed is not None and printed[0] != own[0]:
            number, word = printed
            message = f"{question.id} is called {question.number}, the page prints {number} before its text."
            yield label_finding("number.wrong", "error", question.id, stream, [word], message)


def _printed_number(stream: Stream, first: int) -> tuple[int, int] | None:
    """The number printed right before a word as a question's label, and its word's number."""
    word = stream.words[first]
    match = re.match(r"^[(\[（【]?(\d{1,3})[)\]）】.．、:：](?!\d)", word.word.text)
    if match and len(word.word.text) > match.end():
        return int(match[1]), first
    for n in range(first - 1, max(first - 4, -1), -1):
        other = stream.words[n]
        if (other.source, other.page) != (word.source, word.page):
            return None
        text = other.word.text.strip()
        match = re.match(r"^[(\[（【]?[^\W\d_]{0,8}\s*(\d{1,3})\s*[)\]）】.．、:：]{0,2}$", text)
        if match:
            return int(_digits_before(stream, n) + match[1]), n
        if other.start < other.end:
            return None
    return None


def _digits_before(stream: Stream, number: int) -> str:
    """The digits of a number that recognition has parted: `1 6.`"""
    word, before = stream.words[number], stream.words[number - 1]
    text = before.word.text.strip()
    joined = number > 0 and before.line == word.line and word.word.box.x0 - before.word.box.x1 < word.word.box.height
    return text if joined and text.isdecimal() and len(text) == 1 and word.word.origin == "ocr" else ""


def _gaps(exam: Exam, by_field: Fields, aligned: Aligned) -> Iterator[Finding]:
    """A number that is missing between two questions that follow each other."""
    stream = aligned.stream
    top = [question for section in exam.sections for question in section.questions]
    levels = [top, *(question.children for question in every_question(exam) if question.children)]
    for level in levels:
        numbered = [(q, own) for q in _counted(level) if (own := _series(q))]
        for (q, (name, _, last)), (after, (other, following, _)) in pairwise(numbered):
            if name == other and last < following - 1 <= last + 5:
                names = ", ".join(str(n) for n in range(last + 1, following))
                message = f"Between {q.id} and {after.id} no question has the number {names}."
                place = _first_word(after, by_field, aligned)
                yield label_finding("number.gap", "warning", q.id, stream, [place] if place >= 0 else [], message)


def _merged(exam: Exam, by_field: Fields, aligned: Aligned) -> Iterator[Finding]:
    """The next label, printed at the head of a line within a question's own text: two questions are one."""
    stream = aligned.stream
    levels = [section.questions for section in exam.sections]
    levels += [question.children for question in every_question(exam) if question.children]
    for question, siblings in ((question, level) for level in levels for question in level):
        following = _next_label(question.number or "")
        if following is None or following in {canonical(other.number or "") for other in siblings}:
            continue
        for n, span in enumerate(by_field.get((question.id, "prompt"), [])):
            for word in _heads(aligned, span, n > 0):
                text = stream.words[word].word.text.strip()
                match = LABEL.match(text) or GLUED.match(text)
                named = match and not text.isalnum() and canonical(match[1]) == following
                if named or _spelt(stream, word, following):
                    message = f"{question.id}: the label {text} stands within its text; the next question may be in it."
                    yield label_finding("question.merged", "warning", question.id, stream, [word], message)


def _spelt(stream: Stream, first: int, label: str) -> bool:
    """Whether a label of several words (`Part B`) begins at a word."""
    parts = [folded(part) for part in label.split()]
    words = stream.words[first : first + len(parts)]
    return len(parts) > 1 and [folded(word.word.text) for word in words] == parts


def _next_label(number: str) -> str | None:
    """The label that follows, canonical: `13` after `12.`, `B` after `(a)`, `PART B` after `Part A`."""
    name = canonical(number)
    head, _, last = name.rpartition(" ")
    if head:
        following = _next_label(last)
        return f"{head} {following}" if following else None
    if name.isdigit() and name.isascii():
        return str(int(name) + 1)
    place = position(name)
    return name_like(name, place + 1) if place is not None and len(name) == 1 else None


def _heads(aligned: Aligned, span: Span, first: bool) -> Iterator[int]:
    """The words of a claim that begin a printed line; its own first word only where `first` is told."""
    stream = aligned.stream
    last = -1
    for n in range(span.start, span.end):
        place = aligned.match[n]
        if place < 0 or stream.word_of[place] == last:
            continue
        word = stream.word_of[place]
        if (last >= 0 or first) and stream.words[word].line != stream.words[word - 1].line:
            yield word
        last = word


def _counted(questions: Sequence[Question]) -> Iterator[Question]:
    """Questions whose numbers count up together: top-level ones, and those inside groups that only carry a stimulus."""
    for question in questions:
        own = _own_digits(question)
        child_numbers = [_own_digits(c) for c in question.children]
        inside = own and any(c and c[0] >= own[0] for c in child_numbers) and (len(own) == 2 or not own)
        if question.children and (not own or inside):
            yield from _counted(question.children)
        else:
            yield question
