"""Short texts that sequence alone cannot place: an option of one word, a caption, a table's cell.

They are looked for whole, as words, near the question that they belong to, first among words that nothing else has
taken. A sentence of a stem is never placed in this way: its place is its sequence.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from .alignment import MOVED, Aligned, Span, open_runs
from .letters import weight
from .page_index import ENOUGH, Stream

_TOGETHER = 24
"""Words of a cell that are looked for at once."""
_SHORT = 40
"""Letters of a text that counts as lettering."""
_LABEL = re.compile(r"^[(\[（【〔<]\w{1,2}[)\]）】〕>]$|^\w{1,2}[)\].．、:：]$")
_AROUND = 2500
"""Letters of the stream on either side of a question in which its captions and cells stand."""


def settle_short(aligned: Aligned) -> None:
    """Bind whole claims that are still open, and single words of table cells."""
    extents = _extents(aligned)
    for span in aligned.spans:
        claim = span.claim
        if claim.kind == "label" or claim.question is None:
            continue
        runs = open_runs(aligned, span.start, span.end)
        if not runs and not (claim.kind == "cell" and _elsewhere(aligned, span)):
            continue
        low, high = extents.get(claim.question, (-1, -1))
        if low < 0:
            continue
        whole = len(runs) == 1 and runs[0] == (span.start, span.end)
        if claim.kind == "cell":
            _settle_cell(aligned, span, low, high)
        elif not (whole and _bind_whole(aligned, span.start, span.end, low, high)):
            _settle_short_text(aligned, span, runs, low)
    _settle_repeated(aligned)


def _elsewhere(aligned: Aligned, span: Span) -> bool:
    """Whether a cell was found only where another field has its words."""
    places = aligned.match[span.start : span.end]
    return any(aligned.owner[place] != span.start + n for n, place in enumerate(places))


def _settle_short_text(aligned: Aligned, span: Span, runs: Sequence[tuple[int, int]], at: int) -> None:
    """A few words of which most are open (lettering beside a drawing): bound word by word, all or none."""
    if span.end - span.start > _SHORT or 2 * sum(b - a for a, b in runs) < span.end - span.start:
        return
    tokens = [(a, b) for a, b in _tokens(span) if any(aligned.match[n] < 0 for n in range(a, b))]
    _bind_words(aligned, tokens, at)
    if any(aligned.match[n] < 0 for a, b in tokens for n in range(a, b)):
        for n in (n for a, b in tokens for n in range(a, b)):
            if aligned.match[n] >= 0 and aligned.owner[aligned.match[n]] == n:
                aligned.owner[aligned.match[n]] = -1
            aligned.match[n] = -1


def _settle_cell(aligned: Aligned, span: Span, low: int, high: int) -> None:
    """A cell's lines stand between those of its neighbours: it is bound anew, whole or word by word."""
    for n in range(span.start, span.end):
        place = aligned.match[n]
        if place >= 0 and aligned.owner[place] == n:
            aligned.owner[place] = -1
        aligned.match[n] = -1
    if _bind_whole(aligned, span.start, span.end, low, high):
        return
    _bind_words(aligned, list(_tokens(span)), low)


def _bind_words(aligned: Aligned, tokens: Sequence[tuple[int, int]], at: int) -> None:
    """Bind words in their order, as many at once as stand together, the next ones close to them."""
    n = 0
    while n < len(tokens):
        for last in range(min(n + _TOGETHER, len(tokens)) - 1, n - 1, -1):
            if _bind_whole(aligned, tokens[n][0], tokens[last][1], at, at):
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
    free = [
        place
        for place in _occurrences(stream, text, max(low - _AROUND, 0), high + _AROUND)
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
