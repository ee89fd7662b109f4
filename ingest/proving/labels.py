"""Labels: each option's label stands on the page right before the text that it names.

Text can be whole and still answer to the wrong label: options swapped, or labelled anew after a loss. So the words
right before a field's first letter are read as a label and compared with the one that the exam gives. A label that is
a glyph without a character is learned from the questions that agree on it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ...schemas.exam import Exam, Question
from ...schemas.exam_checks import every_question
from ...schemas.findings import Finding, Where
from ..keys.key_values import ALPHABETS, canonical, position
from .alignment import SCATTERED, Aligned, Span
from .letters import folded
from .page_index import PageWord, Stream, box_of

_SHORT_OPTION = 40
"""Letters of an option that may be a formula, whose pieces stand in any order."""
LABEL = re.compile(r"^[(\[（【〔「<]?\s*([^\W_]{1,3}|[①-⑳⑴-⒇⒜-⒵Ⓐ-ⓩ㈠-㈩❶-❿])\s*[)\]）】〕」>.．、:：,，]{0,2}$")
GLUED = re.compile(r"^[(\[（【〔<]?([^\W_]|\d{1,2}|[①-⑳])(?:[)\]）】〕>、]|[.．:：](?!\d))")


@dataclass(frozen=True)
class Field:
    """An option as it was found: its first matched word's number in the stream, -1 where nothing was found."""

    label: str
    first: int
    last: int
    share: float


Fields = dict[tuple[str | None, str], list[Span]]
"""The spans of each field, by question and path."""


def fields_of(aligned: Aligned) -> Fields:
    found: Fields = defaultdict(list)
    for span in aligned.spans:
        found[span.claim.question, span.claim.path].append(span)
    return found


def option_findings(exam: Exam, aligned: Aligned) -> Iterator[Finding]:
    """Options that answer to another label than theirs, stand in another order, or are missing."""
    by_field = fields_of(aligned)
    glyphs = _learned(exam, by_field, aligned)
    for question in every_question(exam):
        if question.options:
            yield from _options(question, by_field, aligned, glyphs)


def _fields(question: Question, by_field: Fields, aligned: Aligned) -> list[Field]:
    found: list[Field] = []
    for option in question.options or []:
        spans = by_field.get((question.id, f"options.{option.id}"), [])
        labels = by_field.get((question.id, f"options.{option.id}.id"), [])
        first, last, share = _extent(aligned, spans)
        if not spans and labels:
            first, last, share = _extent(aligned, labels)
        found.append(Field(option.id, first, last, share if spans else -1.0))
    return found


def _extent(aligned: Aligned, spans: Sequence[Span]) -> tuple[int, int, float]:
    letters = [n for span in spans for n in range(span.start, span.end)]
    places = [-1 if aligned.moved[n] == SCATTERED else aligned.match[n] for n in letters]
    held = [p for p in places if p >= 0]
    if not held:
        return -1, -1, 0.0
    stream = aligned.stream
    first = places[0] if places[0] >= 0 else held[0]
    return stream.word_of[first], stream.word_of[held[-1]], len(held) / len(places)


def _before(stream: Stream, number: int) -> Iterator[PageWord]:
    """The words before a word of the stream, nearest first, on its page; the word itself where it holds a label too."""
    word = stream.words[number]
    for n in range(number - 1, max(number - 4, -1), -1):
        other = stream.words[n]
        if (other.source, other.page) != (word.source, word.page):
            return
        yield other


def _learned(exam: Exam, by_field: Fields, aligned: Aligned) -> dict[str, str]:
    """Glyphs without a letter that most questions agree on: the glyph's text to the option that it labels."""
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    stream = aligned.stream
    for question in every_question(exam):
        for field in _fields(question, by_field, aligned) if question.options else ():
            if field.first > 0 and field.share >= 0:
                before = stream.words[field.first - 1]
                if before.start == before.end and not before.word.readable:
                    votes[before.word.text.strip()][canonical(field.label)] += 1
    learned: dict[str, str] = {}
    for glyph, counts in votes.items():
        label, count = counts.most_common(1)[0]
        if count >= 3 and count >= 0.8 * counts.total():
            learned[glyph] = label
    return learned


def _label_at(stream: Stream, number: int, labels: set[str], glyphs: dict[str, str]) -> str | None:
    """The option label printed right before a word of the stream, canonical; None where none is read."""
    word = stream.words[number]
    if (match := GLUED.match(word.word.text)) and position(match[1]) is not None and len(word.word.text) > match.end():
        return canonical(match[1])
    for other in _before(stream, number):
        text = other.word.text.strip()
        if text in glyphs:
            return glyphs[text]
        if match := LABEL.match(text):
            name = canonical(match[1])
            marked = not text.isalnum() and position(name) is not None
            return name if name in labels or marked else None
        if other.start < other.end:
            return None
    return None


def _options(question: Question, by_field: Fields, aligned: Aligned, glyphs: dict[str, str]) -> Iterator[Finding]:
    stream = aligned.stream
    fields = _fields(question, by_field, aligned)
    labels = {canonical(field.label) for field in fields}
    printed = {
        field.label: _label_at(stream, field.first, labels, glyphs)
        for field in fields
        if field.first >= 0 and field.share >= 0.5
    }
    wrong = [f for f in fields if printed.get(f.label) not in (None, canonical(f.label))]
    for field in wrong:
        message = (
            f"{question.id}: the page prints the text of option {field.label} under the label {printed[field.label]}."
        )
        yield label_finding("option.swapped", "error", question.id, stream, [field.first], message)
    if not wrong:
        yield from _order(question, fields, printed, stream)
        yield from _exchanged(question, by_field, aligned)
    yield from _missing(question, fields, aligned, glyphs)


def _exchanged(question: Question, by_field: Fields, aligned: Aligned) -> Iterator[Finding]:
    """Short options (formulas above all) whose letters are those that stand behind another option's label."""
    stream = aligned.stream
    said: dict[str, str] = {}
    places: list[tuple[int, str]] = []
    for option in question.options or []:
        label = by_field.get((question.id, f"options.{option.id}.id"), [])
        said[option.id] = "".join(s.claim.letters.text for s in by_field.get((question.id, f"options.{option.id}"), []))
        if not label or aligned.match[label[0].start] < 0 or len(said[option.id]) > _SHORT_OPTION:
            return
        places.append((aligned.match[label[0].start], option.id))
    if places != sorted(places) or len(places) < 3:
        return
    slots: dict[str, str] = {}
    for (place, name), (following, _) in pairwise(places):
        slots[name] = _slot(stream, place + len(folded(name)), following)
    last = stream.words[stream.word_of[places[-1][0]]]
    rest = [w for w in stream.words[stream.word_of[places[-1][0]] :][:20] if w.line == last.line]
    slots[places[-1][1]] = _slot(stream, places[-1][0] + len(folded(places[-1][1])), rest[-1].end)
    for name, text in said.items():
        own = "".join(sorted(text))
        others = [other for other, slot in slots.items() if other != name and slot == own]
        if own and slots[name] != own and len(others) == 1 and "".join(sorted(said[others[0]])) != slots[others[0]]:
            message = f"{question.id}: the page prints the text of option {name} under the label {others[0]}."
            yield label_finding("option.swapped", "error", question.id, stream, [stream.word_of[places[0][0]]], message)


def _slot(stream: Stream, start: int, end: int) -> str:
    """The letters of running text between two places, sorted: a formula's pieces stand in any order."""
    held = (stream.words[n] for n in stream.words_between(start, end))
    texts = (stream.text[max(w.start, start) : min(w.end, end)] for w in held if w.place in ("text", "table"))
    return "".join(sorted("".join(texts)))


def _order(
    question: Question, fields: Sequence[Field], printed: dict[str, str | None], stream: Stream
) -> Iterator[Finding]:
    """Where no label reads, options must at least stand in their order, along rows or down columns."""
    unsure = [f for f in fields if f.first >= 0 and f.share >= 0.8]
    if len(unsure) < 3 or any(printed.get(f.label) for f in unsure):
        return
    firsts = [f.first for f in unsure]
    if firsts == sorted(firsts):
        return
    boxes = [stream.words[n].word.box for n in firsts]
    down = sorted(range(len(boxes)), key=lambda n: (round(boxes[n].x0 / 20), boxes[n].y0))
    if down == list(range(len(boxes))):
        return
    message = f"{question.id}: its options do not stand in this order on the page."
    yield label_finding("option.order", "warning", question.id, stream, firsts[:1], message)


def _missing(
    question: Question, fields: Sequence[Field], aligned: Aligned, glyphs: dict[str, str]
) -> Iterator[Finding]:
    """Labels that the page prints and the question does not have: a gap in the series, or one more behind its end."""
    stream = aligned.stream
    places = [position(f.label) for f in fields]
    known = [p for p in places if p is not None]
    if len(known) == len(places) and known and known == sorted(set(known)):
        gaps = sorted(set(range(known[0], known[-1])) - set(known))
        if gaps or known[0] > 0:
            missing = gaps or list(range(known[0]))
            names = ", ".join(name_like(fields[0].label, p) for p in missing)
            held = ", ".join(f.label for f in fields)
            place = [fields[0].first] if fields[0].first >= 0 else []
            message = f"{question.id}: option {names} is missing between its neighbours ({held})."
            yield label_finding("option.gap", "error", question.id, stream, place, message)
    last = max((f.last for f in fields), default=-1)
    if last < 0 or not known:
        return
    following = name_like(fields[-1].label, known[-1] + 1)
    for n in range(last + 1, min(last + 4, len(stream.words))):
        word = stream.words[n]
        if word.start < word.end and all(aligned.owner[p] >= 0 for p in range(word.start, word.end)):
            return
        text = word.word.text.strip()
        match = LABEL.match(text) or GLUED.match(text)
        name = glyphs.get(text) or (canonical(match[1]) if match else None)
        if name is not None and name == canonical(following):
            message = f"{question.id}: the page prints one more option, {following}, behind its last."
            yield label_finding("option.lost", "error", question.id, stream, [n], message)
            return
        if word.start < word.end:
            return


def name_like(label: str, place: int) -> str:
    """The label at `place` of the alphabet that `label` is of."""
    text = canonical(label)
    if text.isdigit() and text.isascii():
        return str(place + 1)
    for alphabet in ALPHABETS:
        if len(text) == 1 and text in alphabet and place < len(alphabet):
            return alphabet[place] if label.upper() == label else alphabet[place].lower()
    return f"no. {place + 1}"


def label_finding(
    code: str, severity: str, question: str, stream: Stream, words: Sequence[int], message: str
) -> Finding:
    where = Where(question=question)
    if words:
        word = stream.words[words[0]]
        where = Where(question=question, source=word.source, page=word.page, box=box_of([word]))
    return Finding.model_validate({"code": code, "severity": severity, "where": where, "message": message})
