"""Formulas are printed in two dimensions and written in one: their letters are found near by, in any order.

Only what reads like a formula is looked for in this way, only close by, and only among letters that no other text has
taken: a sentence proves its order, and a digit that the page does not print stays unproved.
"""

from __future__ import annotations

import re

from ..formulas.visible import NAMES
from .alignment import SCATTERED, Aligned, Span, open_runs
from .page_index import PageWord, Stream

_AROUND = 80
"""Letters of the stream on either side in which a formula's pieces may stand."""
_LONGEST = 80
_FORMULA_WORD = re.compile(r"\d+|[a-z]{1,2}|(?=\w*[\d\u0370-\u03ff])[a-z\d\u0370-\u03ff]{1,9}|[^\W\d_a-z]{1,2}")
_PROSE = re.compile(r"[^\W\d_]{4,}")
_PARTS = re.compile(r"[^\W_]+")


def formula_token(token: str, math: bool) -> bool:
    """Whether a word can be a formula's piece: a number, one or two letters, a Greek letter, `sin`."""
    if token in NAMES:
        return True
    if math:
        return ord(token[0]) < 0x2E80 and not _PROSE.fullmatch(token)
    if ord(token[0]) >= 0x2E80:
        return False
    return bool(_FORMULA_WORD.fullmatch(token))


def _formula_word(word: PageWord) -> bool:
    text = word.word.text.casefold()
    return all(formula_token(part, len(text) <= 3) or _run_of_symbols(part) for part in _PARTS.findall(text))


def _run_of_symbols(part: str) -> bool:
    """Glued pieces such as `2x3y` or `dx`: digits between single letters."""
    return part.isascii() and len(part) <= 12 and any(ch.isdigit() for ch in part)


def settle_formulas(aligned: Aligned, span: Span) -> None:
    """Bind the letters of a claim's open formula runs to free letters of formulas near by."""
    for low, high in open_runs(aligned, span.start, span.end):
        if high - low > _LONGEST:
            continue
        letters = span.claim.letters
        tokens = {letters.tokens[n - span.start] for n in range(low, high)}
        math = letters.math[low - span.start]
        if all(formula_token(letters.words[t], math) for t in tokens) and not _misread(aligned, span, low, high):
            _bind_near(aligned, span, low, high)


def _misread(aligned: Aligned, span: Span, low: int, high: int) -> bool:
    """Whether as many other digits stand on the page in this very place: that is another number, not another layout."""
    before = aligned.match[low - 1] if low > span.start else -1
    after = aligned.match[high] if high < span.end else -1
    if before < 0 or after < 0 or after - before - 1 != high - low:
        return False
    facing = aligned.stream.text[before + 1 : after]
    if aligned.moved[low - 1] or aligned.moved[high]:
        return False
    free = all(aligned.owner[p] < 0 for p in range(before + 1, after))
    return free and facing.isdigit() and sorted(facing) != sorted(aligned.text[low:high])


def _bind_near(aligned: Aligned, span: Span, low: int, high: int) -> None:
    stream = aligned.stream
    start, end = aligned.near(low, max(span.start - 40, 0), min(span.end + 40, len(aligned.text)))
    if start < 0 and end < 0:
        return
    start, end = (start if start >= 0 else end), (end if end >= 0 else start)
    if end < start - 1:
        start, end = end, start
    first, last = max(start - _AROUND, 0), min(end + _AROUND, len(stream.text))
    if last - first > 4 * _AROUND + 2 * _LONGEST:
        last = first + 4 * _AROUND
    free: dict[str, list[int]] = {}
    for number in stream.words_between(first, last):
        word = stream.words[number]
        if word.start < word.end and word.place in ("text", "table") and _formula_word(word):
            for place in range(word.start, word.end):
                if aligned.owner[place] < 0:
                    free.setdefault(stream.text[place], []).append(place)
    for n in range(low, high):
        places = free.get(aligned.text[n])
        if places:
            place = min(places, key=lambda p: abs(p - start))
            places.remove(place)
            aligned.match[n], aligned.moved[n] = place, SCATTERED
            aligned.owner[place] = n


def unreadable_near(stream: Stream, start: int, end: int, around: int = 6) -> bool:
    """Whether glyphs without a character stand between or next to two places of the stream."""
    if not stream.word_of:
        return False
    top = len(stream.word_of) - 1
    first = stream.word_of[min(max(start, 0), top)] - around
    last = stream.word_of[min(max(end, 0), top)] + around
    return any(not word.word.readable for word in stream.words[max(first, 0) : last + 1])
