"""Short texts that sequence alone cannot place: an option of one word, a caption, a table's cell.

They are looked for whole, as words, near the question that they belong to, first among words that nothing else has
taken. A sentence of a stem is never placed in this way: its place is its sequence.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from .alignment import MOVED, Aligned, Span, open_runs
from .letters import weight
from .page_index import ENOUGH, Stream

_TOGETHER = 24
"""Words of a cell that are looked for at once."""
_SHORT = 40
"""Letters of a text that counts as lettering."""
_LABEL = re.compile(r"^[(\[（【〔<]\w{1,2}[)\]）】〕>]$|^\w{1,2}[)\].．、:：]$")
_AROUND, _CLOSE = 2500, 150
"""Letters of the stream on either side of a question in which its captions and cells stand; the same for a text so
short that it stands everywhere (`_NAMING`: a digit, a letter or two)."""
_NAMING = 2.5


def settle_short(aligned: Aligned) -> None:
    """Bind whole claims that are still open, and the words of table cells."""
    extents = _extents(aligned)
    _settle_labels(aligned)
    _settle_cells(aligned, extents)
    for span in aligned.spans:
        if span.claim.kind in ("label", "cell") or span.claim.question not in extents:
            continue
        runs = open_runs(aligned, span.start, span.end)
        if not runs:
            continue
        low, high = extents[span.claim.question]
        whole = runs == [(span.start, span.end)]
        if not (whole and _bind_whole(aligned, span.start, span.end, low, high)):
            _settle_short_text(aligned, span, runs, low)
    _bind_labels(aligned)
    _settle_repeated(aligned)


def _settle_labels(aligned: Aligned) -> None:
    """A label stands in one piece at the head of a word; else its letters were found by chance in other words."""
    stream = aligned.stream
    for span in aligned.spans:
        first = aligned.match[span.start]
        if span.claim.kind != "label" or not any(m >= 0 for m in aligned.match[span.start : span.end]):
            continue
        whole = all(aligned.match[span.start + n] == first + n for n in range(span.end - span.start))
        if first < 0 or not whole or stream.words[stream.word_of[first]].start != first:
            _let_go(aligned, span.start, span.end)


def _bind_labels(aligned: Aligned) -> None:
    """Labels that are still open stand right before the text that they name."""
    stream = aligned.stream
    for span, following in pairwise(aligned.spans):
        if span.claim.kind != "label" or aligned.match[span.start] >= 0:
            continue
        first = aligned.match[following.start]
        word = stream.word_of[first] if first >= 0 else 0
        for n in range(word - 1, max(word - 4, -1), -1):
            before = stream.words[n]
            label = stream.text[before.start : before.end] == span.claim.letters.text
            if label and all(owner < 0 for owner in aligned.owner[before.start : before.end]):
                bind(aligned, span.start, before.start, span.end - span.start)
                break


def _settle_cells(aligned: Aligned, extents: Mapping[str, tuple[int, int]]) -> None:
    """A cell's lines stand between those of its neighbours, so letters that follow each other on the page may be two
    cells': such cells are all let go first, then bound anew, whole or word by word."""
    cells = [
        span
        for span in aligned.spans
        if span.claim.kind == "cell"
        and span.claim.question in extents
        and (open_runs(aligned, span.start, span.end) or _elsewhere(aligned, span))
    ]
    for span in cells:
        _let_go(aligned, span.start, span.end)
    for span in sorted(cells, key=lambda span: span.start - span.end):
        low, high = extents[span.claim.question or ""]
        if not _bind_whole(aligned, span.start, span.end, low, high):
            _bind_words(aligned, list(_tokens(span)), low)


def _let_go(aligned: Aligned, low: int, high: int) -> None:
    for n in range(low, high):
        place = aligned.match[n]
        if place >= 0 and aligned.owner[place] == n:
            aligned.owner[place] = -1
        aligned.match[n] = -1


def _elsewhere(aligned: Aligned, span: Span) -> bool:
    """Whether a cell was found only where another field has its words."""
    places = aligned.match[span.start : span.end]
    return any(aligned.owner[place] != span.start + n for n, place in enumerate(places))


def _settle_short_text(aligned: Aligned, span: Span, runs: Sequence[tuple[int, int]], at: int) -> None:
    """A few words of which most are open (lettering beside a drawing): bound word by word, all or none."""
    if span.end - span.start > _SHORT or 2 * sum(b - a for a, b in runs) < span.end - span.start:
        return
    tokens = [(a, b) for a, b in _tokens(span) if any(aligned.match[n] < 0 for n in range(a, b))]
    _bind_words(aligned, tokens, at, _NAMING)
    if any(aligned.match[n] < 0 for a, b in tokens for n in range(a, b)):
        for a, b in tokens:
            _let_go(aligned, a, b)


def _bind_words(aligned: Aligned, tokens: Sequence[tuple[int, int]], at: int, least: float = 0.0) -> None:
    """Bind words in their order, as many at once as stand together, the next ones close to them.

    What weighs less than `least` is not bound alone.
    """
    n = 0
    while n < len(tokens):
        for last in range(min(n + _TOGETHER, len(tokens)) - 1, n - 1, -1):
            heavy = weight(aligned.text[tokens[n][0] : tokens[last][1]]) >= least
            if heavy and _bind_whole(aligned, tokens[n][0], tokens[last][1], at, at):
                at = aligned.match[tokens[last][1] - 1] + 1
                n = last
                break
        n += 1


def _tokens(span: Span) -> Iterator[tuple[int, int]]:
    """A claim's words, as stretches of the exam's letters."""
    tokens = span.claim.letters.tokens
    start = 0
    for n in range(1, len(tokens) + 1):
        if n == len(tokens) or tokens[n] != tokens[start]:
            yield span.start + start, span.start + n
            start = n


def _extents(aligned: Aligned) -> dict[str, tuple[int, int]]:
    """The stretch of the stream in which each question and what stands around it is printed."""
    found: dict[str, tuple[int, int]] = {}
    last = -1
    for span in aligned.spans:
        question = span.claim.question
        places = [p for p in aligned.match[span.start : span.end] if p >= 0]
        if question is None:
            continue
        if places:
            low, high = found.get(question, (places[0], places[0]))
            found[question] = (min(low, *places, places[0]), max(high, *places, places[-1]))
            last = found[question][1]
        elif question not in found and last >= 0:
            found[question] = (last, last)
    return found


def _bind_whole(aligned: Aligned, start: int, end: int, low: int, high: int) -> bool:
    """Bind a run to the nearest free place near a question where it stands as whole words."""
    text, stream = aligned.text[start:end], aligned.stream
    around = _AROUND if weight(text) >= _NAMING else _CLOSE
    free = [
        place
        for place in _occurrences(stream, text, max(low - around, 0), high + around)
        if all(owner < 0 for owner in aligned.owner[place : place + len(text)])
    ]
    if not free:
        return False
    place = min(free, key=lambda p: 0 if low <= p <= high else min(abs(p - low), abs(p - high)))
    bind(aligned, start, place, end - start)
    return True


def bind(aligned: Aligned, at: int, place: int, length: int) -> None:
    """Bind letters off the chain; letters of the page that are taken keep their owner."""
    for n in range(length):
        aligned.match[at + n], aligned.moved[at + n] = place + n, MOVED
        if aligned.owner[place + n] < 0:
            aligned.owner[place + n] = at + n


def _occurrences(stream: Stream, text: str, low: int, high: int) -> Iterator[int]:
    at, count = stream.text.find(text, low, high), 0
    while at >= 0 and count < 200:
        count += 1
        end = at + len(text)
        starts = stream.words[stream.word_of[at]].start == at
        ends = stream.words[stream.word_of[end - 1]].end == end
        label = len(text) <= 2 and _LABEL.match(stream.words[stream.word_of[at]].word.text)
        if not label and ((starts and ends) or weight(text) >= ENOUGH or ord(text[0]) >= 0x2E80):
            yield at
        at = stream.text.find(text, at + 1, high)


def _settle_repeated(aligned: Aligned) -> None:
    """Options that several questions share (a word bank printed once) stand where the first question has them."""
    options: dict[str, list[Span]] = defaultdict(list)
    for span in aligned.spans:
        if span.claim.question is not None and span.claim.path.startswith("options."):
            options[span.claim.question].append(span)
    proved: dict[tuple[str, ...], list[Span]] = {}
    for spans in options.values():
        key = tuple(f"{span.claim.path}={span.claim.letters.text}" for span in spans)
        if all(m >= 0 for span in spans if span.claim.kind != "label" for m in aligned.match[span.start : span.end]):
            proved.setdefault(key, spans)
        elif key in proved:
            for span, known in zip(spans, proved[key], strict=True):
                for n in range(span.end - span.start):
                    if aligned.match[span.start + n] < 0:
                        aligned.match[span.start + n] = aligned.match[known.start + n]
                        aligned.moved[span.start + n] = MOVED
