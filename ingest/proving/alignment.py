"""The exam's letters brought to the pages' letters, in sequence.

One chain for the whole exam: runs that stand in one place only are its links (the heaviest chain that runs down both
sides, a longest increasing subsequence with weights), what lies between two links is aligned letter by letter (longest
common subsequence), and what is left over is looked for elsewhere and marked as moved. Every step is bounded: the time
grows with the text, and with the square of a gap only up to a fixed size.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import LCSseq

from .claims import Claim
from .letters import weight
from .page_index import ENOUGH, LOCAL_GRAM, Block, Stream

_GAP_CELLS = 9_000_000
"""Letters times letters of a gap that is aligned as it stands."""
_NEAR = 200
"""Letters beside a link in which the text of a gap too large to align is looked for."""
_JOINED = 2
"""Two runs this few letters apart on both sides are one run with a slip."""
_TRIED = 12
"""Places that are tried for a run that stands in several."""
_RUN = 5.0
"""The weight from which a run inside a gap is no accident."""


MOVED, SCATTERED = 1, 2
"""How a letter was found off the chain: with its words, or alone as a formula's piece."""


@dataclass(frozen=True, slots=True)
class Span:
    """A claim's place in the exam's letters."""

    claim: Claim
    start: int
    end: int


@dataclass
class Aligned:
    """`match` gives each letter of the exam its letter of the stream (-1: none); `owner` the reverse.

    `moved` says of each letter of the exam whether it was found off the chain (MOVED, SCATTERED).
    """

    stream: Stream
    spans: list[Span]
    text: str
    match: array[int]
    owner: array[int]
    moved: bytearray
    token_starts: bytearray

    def near(self, at: int, low: int, high: int) -> tuple[int, int]:
        """The stretch of the stream between the letters matched before and after `at`, within [low, high); -1: none."""
        before = at - 1
        while before >= low and (self.match[before] < 0 or self.moved[before]):
            before -= 1
        after = at
        while after < high and (self.match[after] < 0 or self.moved[after]):
            after += 1
        start = self.match[before] + 1 if before >= low else -1
        end = self.match[after] if after < high else -1
        return start, end


def align_claims(claims: Sequence[Claim], stream: Stream) -> Aligned:
    """Every claim's letters to the stream's, as far as they stand there."""
    spans: list[Span] = []
    size = 0
    for claim in claims:
        spans.append(Span(claim, size, size + len(claim.letters.text)))
        size = spans[-1].end
    text = "".join(claim.letters.text for claim in claims)
    aligned = Aligned(
        stream,
        spans,
        text,
        array("i", [-1]) * size,
        array("i", [-1]) * len(stream.text),
        bytearray(size),
        bytearray(size),
    )
    for span in spans:
        last = -1
        for n, token in enumerate(span.claim.letters.tokens):
            if token != last:
                aligned.token_starts[span.start + n] = 1
                last = token
    links = _chain([b for span in spans for b in _shifted(stream.blocks(span.claim.letters.text), span.start)])
    for link in links:
        _bind(aligned, link)
    _fill_gaps(aligned, links)
    for span in spans:
        _find_moved(aligned, span)
    return aligned


def _shifted(blocks: Sequence[Block], by: int) -> Iterator[Block]:
    for block in blocks:
        yield Block(block.at + by, block.place, block.length)


def _bind(aligned: Aligned, block: Block) -> None:
    at, place, length = block.at, block.place, block.length
    aligned.match[at : at + length] = array("i", range(place, place + length))
    aligned.owner[place : place + length] = array("i", range(at, at + length))


def _chain(blocks: Sequence[Block]) -> list[Block]:
    """The heaviest series of blocks that rises on both sides (they rise in the exam as given)."""
    ends = sorted({block.place + block.length for block in blocks})
    best: list[tuple[int, int]] = [(0, -1)] * (len(ends) + 1)
    before: list[int] = []
    for n, block in enumerate(blocks):
        score, previous = _best_below(best, bisect_right(ends, block.place))
        before.append(previous)
        at = bisect_left(ends, block.place + block.length) + 1
        entry = (score + block.length, n)
        while at <= len(ends):
            if best[at][0] < entry[0]:
                best[at] = entry
            at += at & -at
    chain: list[Block] = []
    n = _best_below(best, len(ends))[1]
    while n >= 0:
        chain.append(blocks[n])
        n = before[n]
    return chain[::-1]


def _best_below(tree: Sequence[tuple[int, int]], at: int) -> tuple[int, int]:
    """The heaviest chain among the first `at` ends (a Fenwick tree of maxima)."""
    found = (0, -1)
    while at > 0:
        if tree[at][0] > found[0]:
            found = tree[at]
        at -= at & -at
    return found


# --- gaps ---------------------------------------------------------------------------------------------------------


def _fill_gaps(aligned: Aligned, links: Sequence[Block]) -> None:
    at, place = 0, 0
    for link in [*links, Block(len(aligned.text), len(aligned.stream.text), 0)]:
        if link.at > at and link.place > place:
            for block in _gap_blocks(aligned, at, link.at, place, link.place):
                _bind(aligned, block)
        at, place = link.at + link.length, link.place + link.length


def _gap_blocks(aligned: Aligned, e0: int, e1: int, p0: int, p1: int) -> Iterator[Block]:
    stream = aligned.stream
    key = (aligned.text[e0:e1], p0, p1)
    found = stream.cache.get(key)
    if found is None:
        if len(stream.cache) > 100_000:
            stream.cache.clear()
        found = stream.cache[key] = tuple(_align(stream, key[0], p0, p1))
    sure = list(_sure(aligned, [Block(b.at + e0, b.place, b.length) for b in found], e0, e1, p0, p1))
    for n, block in enumerate(sure):
        before = (sure[n - 1].at + sure[n - 1].length, sure[n - 1].place + sure[n - 1].length) if n else (e0, p0)
        after = (sure[n + 1].at, sure[n + 1].place) if n + 1 < len(sure) else (e1, p1)
        yield _widened(aligned, block, before, after)


def _widened(aligned: Aligned, block: Block, before: tuple[int, int], after: tuple[int, int]) -> Block:
    """A run with the equal letters on either side that were taken for an accident elsewhere."""
    text, page = aligned.text, aligned.stream.text
    low, high = min(block.at - before[0], block.place - before[1]), block.at + block.length
    left = 0
    while left < low and text[block.at - left - 1] == page[block.place - left - 1]:
        left += 1
    right, stop = 0, block.place + block.length
    while high + right < after[0] and stop + right < after[1] and text[high + right] == page[stop + right]:
        right += 1
    return Block(block.at - left, block.place - left, block.length + left + right)


def _align(stream: Stream, text: str, p0: int, p1: int) -> Iterator[Block]:
    """Equal runs of a text and a stretch of the stream, both rising."""
    head = _common(text, stream.text, p0, p1)
    if head:
        yield Block(0, p0, head)
    tail = _common_end(text[head:], stream.text, p0 + head, p1)
    low, high = p0 + head, p1 - tail
    middle = text[head : len(text) - tail]
    if middle and high > low:
        for block in _middle(stream, middle, low, high):
            yield Block(block.at + head, block.place, block.length)
    if tail:
        yield Block(len(text) - tail, p1 - tail, tail)


def _common(text: str, page: str, low: int, high: int) -> int:
    n, most = 0, min(len(text), high - low)
    while n < most and text[n] == page[low + n]:
        n += 1
    return n


def _common_end(text: str, page: str, low: int, high: int) -> int:
    n, most = 0, min(len(text), high - low)
    while n < most and text[len(text) - 1 - n] == page[high - 1 - n]:
        n += 1
    return n


def _middle(stream: Stream, text: str, low: int, high: int) -> Iterator[Block]:
    if len(text) * (high - low) <= _GAP_CELLS:
        yield from _common_subsequence(text, stream.text, 0, low, high)
        return
    at, place = 0, low
    for link in [*_local_links(stream, text, low, high), Block(len(text), high, 0)]:
        if (link.at - at) * (link.place - place) <= _GAP_CELLS:
            yield from _common_subsequence(text[at : link.at], stream.text, at, place, link.place)
        else:  # far too much of both: only what stands beside the links can be told
            near = min(link.place, place + _NEAR + (link.at - at))
            if (link.at - at) * (near - place) <= _GAP_CELLS:
                yield from _common_subsequence(text[at : link.at], stream.text, at, place, near)
        if link.length:
            yield link
        at, place = link.at + link.length, link.place + link.length


def _local_links(stream: Stream, text: str, low: int, high: int) -> list[Block]:
    """Runs that stand once within the stretch, chained."""
    found: list[Block] = []
    at = 0
    while at <= len(text) - LOCAL_GRAM:
        places = stream.places(text[at : at + LOCAL_GRAM], low, high)
        if len(places) == 1:
            block = stream.grown(text, at, places[0], at)
            length = min(block.length, high - block.place)
            if weight(text[at : at + length]) >= ENOUGH:
                found.append(Block(at, block.place, length))
                at += length
                continue
        at += 1
    return _chain(found)


def _common_subsequence(text: str, page: str, shift: int, low: int, high: int) -> Iterator[Block]:
    if not text or high <= low:
        return
    for block in LCSseq.editops(text, page[low:high]).as_matching_blocks():
        if block.size:
            yield Block(block.a + shift, block.b + low, block.size)


def _sure(aligned: Aligned, blocks: Sequence[Block], e0: int, e1: int, p0: int, p1: int) -> Iterator[Block]:
    """The runs that are no accident: heavy ones, such as touch the gap's ends, and whole words of a small gap.

    Two unlike sentences share letters by chance; runs that are split by a slip count as one.
    """
    small = weight(aligned.text[e0:e1]) <= 60
    run: list[Block] = []
    for block in [*blocks, Block(1 << 60, 1 << 60, 0)]:
        if run:
            last = run[-1]
            e_gap, p_gap = block.at - last.at - last.length, block.place - last.place - last.length
            if e_gap + p_gap > _JOINED:
                yield from _kept(aligned, run, small, (e0, e1, p0, p1))
                run = []
        run.append(block)


def _kept(aligned: Aligned, run: Sequence[Block], small: bool, gap: tuple[int, int, int, int]) -> Sequence[Block]:
    e0, e1, p0, p1 = gap
    first, last = run[0], run[-1]
    if sum(weight(aligned.text[b.at : b.at + b.length]) for b in run) >= _RUN:
        return run
    if (first.at == e0 and first.place == p0) or (last.at + last.length == e1 and last.place + last.length == p1):
        return run
    return [b for b in run if _whole_words(aligned, b)] if small else []


def _whole_words(aligned: Aligned, block: Block) -> bool:
    stream = aligned.stream
    end, stop = block.at + block.length, block.place + block.length
    starts = aligned.token_starts[block.at] and (stream.words[stream.word_of[block.place]].start == block.place)
    ends = (end == len(aligned.text) or aligned.token_starts[end]) and (
        stream.words[stream.word_of[stop - 1]].end == stop
    )
    return bool(starts and ends)


# --- what stands elsewhere ------------------------------------------------------------------------------------------


def _find_moved(aligned: Aligned, span: Span) -> None:
    """Runs of a claim that the chain leaves out, where the stream has them: bound where nobody else has them."""
    for low, high in open_runs(aligned, span.start, span.end):
        if weight(aligned.text[low:high]) < ENOUGH:
            continue
        stream = aligned.stream
        whole = stream.text.find(aligned.text[low:high])
        blocks = [Block(low, whole, high - low)] if whole >= 0 else list(_inside(aligned, span, low, high))
        for block in blocks:
            for n in range(block.length):
                aligned.match[block.at + n] = block.place + n
                aligned.moved[block.at + n] = MOVED
                if aligned.owner[block.place + n] < 0:
                    aligned.owner[block.place + n] = block.at + n


def _inside(aligned: Aligned, span: Span, low: int, high: int) -> Iterator[Block]:
    """Runs that stand in one place only, then such as stand in several: the first, longest."""
    done = low
    for block in aligned.stream.blocks(span.claim.letters.text):
        start, end = max(block.at + span.start, low), min(block.at + span.start + block.length, high)
        if weight(aligned.text[start:end]) >= ENOUGH:
            yield from _several(aligned, done, start)
            yield Block(start, block.place + start - block.at - span.start, end - start)
            done = end
    yield from _several(aligned, done, high)


def _several(aligned: Aligned, low: int, high: int) -> Iterator[Block]:
    stream, at = aligned.stream, low
    while at <= high - LOCAL_GRAM:
        best = Block(at, 0, 0)
        for place in stream.places(aligned.text[at : at + LOCAL_GRAM], 0, len(stream.text))[:_TRIED]:
            length = _common(aligned.text[at:high], stream.text, place, len(stream.text))
            if length > best.length:
                best = Block(at, place, length)
        if weight(aligned.text[at : at + best.length]) >= ENOUGH:
            yield best
            at += best.length
        else:
            at += 1


def open_runs(aligned: Aligned, low: int, high: int) -> list[tuple[int, int]]:
    """The stretches of the exam's [low, high) that are not matched."""
    found: list[tuple[int, int]] = []
    start = -1
    if aligned.match[low:high].count(-1) == 0:
        return found
    for n in range(low, high):
        if aligned.match[n] < 0:
            if start < 0:
                start = n
        elif start >= 0:
            found.append((start, n))
            start = -1
    return [*found, (start, high)] if start >= 0 else found
