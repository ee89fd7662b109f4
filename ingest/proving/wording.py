"""Each claim's words against the page: what stands nowhere, what is printed otherwise, what was put out of order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from .alignment import SCATTERED, Aligned, Span, open_runs
from .formulas import formula_token, unreadable_near
from .letters import weight
from .page_index import PageIndex, PageWord

Doubt = Literal["invented", "changed", "unreadable", "order", "sign"]

SENTENCE = 30.0
"""The weight of unproved words from which a sentence, not a word, is at stake."""
_OVER = 40
"""Letters of the neighbouring claims that may bound a run at a claim's end."""
_TIMES, _BESIDES = 4.0, 12.0
"""What the page prints in place of a claim's words weighs at most this many times what they do, and this more."""
_FACING = 400
"""Letters of the page that may stand where a claim says something else."""


@dataclass(frozen=True)
class Unproved:
    """Words of a claim that its page does not print there. `printed` is what stands in their place, if anything.

    `beside` are the words of the page around them, for their box.
    """

    span: Span
    doubt: Doubt
    text: str
    weight: float
    printed: tuple[PageWord, ...]
    beside: tuple[PageWord, ...]
    formula: bool


def unproved(aligned: Aligned, span: Span, index: PageIndex) -> Iterator[Unproved]:
    """What of a claim is not on the page as it stands, in its order. Call `settle_formulas` on all claims first."""
    done = -1
    for low, high in open_runs(aligned, span.start, span.end):
        if high <= done:
            continue
        start, done = _whole_tokens(span, low, high)
        yield _open(aligned, span, (start, done), (low, high), index)
    yield from _out_of_order(aligned, span)
    yield from _signs(aligned, span)


def _whole_tokens(span: Span, low: int, high: int) -> tuple[int, int]:
    tokens = span.claim.letters.tokens
    start, end = low - span.start, high - span.start
    while start > 0 and tokens[start - 1] == tokens[start]:
        start -= 1
    while end < len(tokens) and tokens[end] == tokens[end - 1]:
        end += 1
    return start + span.start, end + span.start


def _open(aligned: Aligned, span: Span, words: tuple[int, int], run: tuple[int, int], index: PageIndex) -> Unproved:
    """What a run of open letters means, told by the whole `words` that it lies in."""
    letters, (low, high) = span.claim.letters, words
    tokens = range(letters.tokens[low - span.start], letters.tokens[high - 1 - span.start] + 1)
    text = " ".join(letters.words[t] for t in tokens)
    math = letters.math[low - span.start]
    formula = all(formula_token(letters.words[t], math) for t in tokens)
    start, end = aligned.near(run[0], max(span.start - _OVER, 0), min(span.end + _OVER, len(aligned.text)))
    printed = _facing(aligned, start, end)
    missing = "".join(aligned.text[n] for n in range(low, high) if aligned.match[n] < 0)
    facing = "".join(aligned.stream.text[p] for p in range(start, end) if aligned.owner[p] < 0) if printed else ""
    if weight(facing) > _TIMES * weight(missing) + _BESIDES:
        printed = ()  # a few letters do not stand for a whole sentence: that one is lost, they are invented
    beside = _beside(aligned, start, end)
    places = (start if start >= 0 else end, end if end >= 0 else start)
    hidden = places[0] >= 0 and unreadable_near(aligned.stream, *places)
    doubt: Doubt = "changed" if printed else "invented"
    in_place = start >= 0 and printed and end - start == run[1] - run[0]
    if (formula or math) and not in_place and (hidden or _drawn(index, beside)):
        doubt = "unreadable"
    return Unproved(span, doubt, text, weight(missing), printed, beside, formula)


def _facing(aligned: Aligned, start: int, end: int) -> tuple[PageWord, ...]:
    """The page's free words between the matched letters on either side."""
    if start < 0 or end < 0 or not 0 < end - start <= _FACING:
        return ()
    stream = aligned.stream
    words = (stream.words[n] for n in stream.words_between(start, end))
    return tuple(w for w in words if w.start < w.end and any(aligned.owner[p] < 0 for p in range(w.start, w.end)))


def _beside(aligned: Aligned, start: int, end: int) -> tuple[PageWord, ...]:
    stream = aligned.stream
    places = [p for p in (start - 1 if start > 0 else -1, end) if 0 <= p < len(stream.text)]
    return tuple(stream.words[stream.word_of[p]] for p in places)


def _drawn(index: PageIndex, beside: Sequence[PageWord]) -> bool:
    """Whether a formula is drawn or pictured beside these words: ink without letters."""
    for word in beside:
        page = index.pages.get((word.source, word.page))
        box = word.word.box.grown(24.0)
        if page is not None and any(
            p.box.overlap(box) > 0 and p.box.area < 0.5 * page.width * page.height for p in page.pictures
        ):
            return True
        near = (f for f in index.figures if (f.source, f.page) == (word.source, word.page) and f.kind == "formula")
        if any(figure.box.overlap(box) > 0 for figure in near):
            return True
    return False


# --- order ----------------------------------------------------------------------------------------------------------

_STOPS = tuple(".!?:;。！？：；…”\"')）」』")
_TORN = 3
"""Letters; a piece shorter than this does not tear a text."""


@dataclass(frozen=True, slots=True)
class _Piece:
    at: int
    place: int
    end: int
    """One past the piece's last letter on the page."""


def _pieces(aligned: Aligned, span: Span) -> list[_Piece]:
    """The claim's stretches that also run on on the page, letter gaps of a few allowed."""
    found: list[_Piece] = []
    at, place, last = -1, -1, -1
    for n in range(span.start, span.end):
        p = aligned.match[n]
        if p < 0 or aligned.moved[n] == SCATTERED:
            continue
        if at < 0 or not last < p <= last + 40:
            if at >= 0:
                found.append(_Piece(at, place, last + 1))
            at, place = n, p
        last = p
    if at >= 0:
        found.append(_Piece(at, place, last + 1))
    return found


def _out_of_order(aligned: Aligned, span: Span) -> Iterator[Unproved]:
    """Text whose pieces alternate between two places, as two columns read across do.

    A piece is torn off where the page goes on right behind it with words that this claim has only later. One tear
    between paragraphs is another reading order; a tear within a sentence, or several, is none.
    """
    if span.claim.kind != "text" or not any(aligned.moved[span.start : span.end]):
        return
    pieces = [p for p in _pieces(aligned, span) if weight(aligned.stream.text[p.place : p.end]) >= 6]
    torn = [
        (piece, pieces[later])
        for n, piece in enumerate(pieces[:-1])
        for later in range(n + 2, len(pieces))
        if 0 <= pieces[later].place - piece.end <= _TORN
    ]
    stream = aligned.stream
    words = [stream.words[stream.word_of[piece.end - 1]] for piece, _ in torn]
    if len(torn) >= 2 or (torn and not words[0].word.text.endswith(_STOPS)):
        text = span.claim.raw[:80]
        size = float(sum(piece.end - piece.place for piece, _ in torn))
        yield Unproved(span, "order", text, size, (), tuple(words), False)


_FAMILIES = (frozenset("=<>≤≥≠≈"), frozenset("+-×÷±"), frozenset("∪∩"), frozenset("∈∉"), frozenset("⊥∥"))
"""Signs that can be taken for each other: another family's sign beside a letter is another layout."""


def _signs(aligned: Aligned, span: Span) -> Iterator[Unproved]:
    """Operators that the page prints otherwise in this very place."""
    stream = aligned.stream
    for n, said in span.claim.letters.signs.items():
        at = span.start + n
        if at == 0 or n == 0 or aligned.match[at] < 0 or aligned.moved[at] or aligned.moved[at - 1]:
            continue
        place = aligned.match[at]
        if aligned.match[at - 1] != place - 1:
            continue
        before, word = stream.words[stream.word_of[place - 1]], stream.words[stream.word_of[place]]
        printed = _signs_between(stream.words, stream.word_of[place - 1], stream.word_of[place], before, word)
        if any(said in family and printed in family for family in _FAMILIES) and said != printed:
            yield Unproved(span, "sign", said, 1.0, (word,), (before, word), True)


def _signs_between(words: Sequence[PageWord], low: int, high: int, before: PageWord, word: PageWord) -> str:
    if low == high:
        return ""
    middle = "".join(w.signs[0] for w in words[low + 1 : high] if w.start == w.end)
    return before.signs[1] + middle + word.signs[0]
