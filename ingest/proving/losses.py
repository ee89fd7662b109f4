"""The page's words that stand in no field: how a lost sentence, option or question shows, with its box."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...schemas.findings import Finding, Where
from ...schemas.manifest import Coverage, UnassignedWords
from ..keys.answers import MARKER
from ..structure.points import question_marks
from .alignment import Aligned, Span
from .letters import folded, weight
from .page_index import PageIndex, PageWord, box_of, quoted

_WORDS = 12.0
"""The weight from which words between two questions are worth a warning; a short sentence has some 20."""
_INSIDE = 2.0
"""The same within one field, between words that it holds."""
_MUCH = 60.0
_REPEATED = 3
"""A few words that are left over this often are a label's dressing (`QUESTION`), not a text."""
_LISTED = 200


@dataclass(frozen=True)
class Loss:
    """Letters in reading order that no claim holds, and their words; `before` and `after` are the claims around."""

    words: tuple[PageWord, ...]
    letters: str
    before: Span | None
    after: Span | None

    @property
    def weight(self) -> float:
        return weight(self.letters)

    @property
    def question(self) -> str | None:
        """The question that they stand in, or behind."""
        for span in (self.before, self.after):
            if span is not None and span.claim.question is not None:
                return span.claim.question
        return None

    @property
    def inside(self) -> bool:
        """Whether one field holds the words on either side."""
        return self.before is not None and self.before is self.after

    @property
    def within(self) -> bool:
        """Whether one question holds the words on either side."""
        a, b = self.before, self.after
        return a is not None and b is not None and a.claim.question is not None and a.claim.question == b.claim.question


def losses(aligned: Aligned) -> list[Loss]:
    """All stretches of free letters of running text, in reading order."""
    stream = aligned.stream
    starts = [span.start for span in aligned.spans]
    found: list[Loss] = []
    run: list[tuple[PageWord, int, int]] = []
    before: Span | None = None
    for word in stream.words:
        if word.start == word.end or word.place in ("figure", "furniture"):
            continue
        if run and (run[-1][0].source, run[-1][0].page) != (word.source, word.page):
            found.append(_loss(aligned, run, before, None))
            run = []
        for low, high, owner in _stretches(aligned, word):
            if owner < 0:
                run.append((word, low, high))
                continue
            span = aligned.spans[bisect_right(starts, owner) - 1]
            if run:
                found.append(_loss(aligned, run, before, span))
                run = []
            before = span
    if run:
        found.append(_loss(aligned, run, before, None))
    return _undressed(found)


def _stretches(aligned: Aligned, word: PageWord) -> Iterator[tuple[int, int, int]]:
    """A word's letters as stretches that are free (-1) or held (the exam's letter)."""
    owners = aligned.owner[word.start : word.end]
    free = owners.count(-1)
    if free == len(owners) or not free:
        yield word.start, word.end, owners[-1]
        return
    start = 0
    for n in range(1, len(owners) + 1):
        if n == len(owners) or (owners[n] < 0) != (owners[start] < 0):
            yield word.start + start, word.start + n, owners[n - 1]
            start = n


def _loss(aligned: Aligned, run: Sequence[tuple[PageWord, int, int]], before: Span | None, after: Span | None) -> Loss:
    letters = "".join(aligned.stream.text[low:high] for _, low, high in run)
    return Loss(tuple(word for word, _, _ in run), letters, before, after)


def _undressed(found: Sequence[Loss]) -> list[Loss]:
    """Without labels' dressing, printed points and printed answers."""
    texts = Counter(loss.letters for loss in found if len(loss.words) <= 3)
    tails = Counter(_folded_tail(loss) for loss in found)
    kept: list[Loss] = []
    for loss in found:
        if len(loss.words) <= 3 and texts[loss.letters] >= _REPEATED:
            continue
        words = list(loss.words)
        if tails[_folded_tail(loss)] >= _REPEATED:
            words = words[:-1]
        words = _before_answer(_without_number(words, loss.after))
        if not words or _is_mark(quoted(words, 60)):
            continue
        cut = sum(word.end - word.start for word in loss.words[len(words) :])
        letters = loss.letters[: len(loss.letters) - cut] if cut else loss.letters
        if letters:
            kept.append(Loss(tuple(words), letters, loss.before, loss.after))
    return kept


def _folded_tail(loss: Loss) -> str:
    """The last word where it may be a label's dressing; a name of its own where it cannot."""
    tail = folded(loss.words[-1].word.text)
    return tail if tail.isalpha() and len(tail) >= 3 and len(loss.words) > 1 else f"#{id(loss)}"


def _without_number(words: list[PageWord], after: Span | None) -> list[PageWord]:
    """Without the number of the question that follows: it is a label, whether or not it was matched as one."""
    if not words or after is None or after.claim.question is None:
        return words
    last = folded(words[-1].word.text)
    return words[:-1] if last.isdigit() and last in after.claim.question else words


def _before_answer(words: list[PageWord]) -> list[PageWord]:
    for n, word in enumerate(words):
        if MARKER.match(quoted(words[n : n + 3], 60)) or MARKER.match(word.word.text):
            return words[:n]
    return words


_ONLY_MARK = re.compile(r"^[\W_]*$")


def _is_mark(text: str) -> bool:
    """Whether the words are nothing but printed points: `(5 marks)`, `（25 分）`, `[4]`."""
    rest = text
    for mark in reversed(question_marks(text)):
        rest = rest[: mark.start] + rest[mark.end :]
    return rest != text and bool(_ONLY_MARK.match(rest))


def loss_findings(found: Sequence[Loss], aligned: Aligned, index: PageIndex, changed: set[int]) -> Iterator[Finding]:
    """One finding per stretch. `changed` holds the word numbers (ids) that another finding already names."""
    territory = _territory(aligned)
    for loss in found:
        if all(id(word) in changed for word in loss.words):
            continue
        size = loss.weight
        severity = _severity(loss, size, territory, index)
        if severity is None:
            continue
        yield _finding(loss, severity)


def _severity(loss: Loss, size: float, territory: set[tuple[int, int]], index: PageIndex) -> str | None:
    first = loss.words[0]
    place = (first.source, first.page)
    if index.ocr(place):
        return "warning" if size >= 2 * _WORDS else "info"
    if loss.inside:
        return "warning" if size >= _INSIDE else "info"
    if loss.within:
        return "warning" if size >= 6 else "info"
    if place in territory and loss.before is not None and loss.before.claim.question is not None:
        return "error" if size >= _MUCH else "warning" if size >= _WORDS else "info"
    if place in territory:
        opening = loss.before is not None and loss.after is not None and loss.after.claim.question is not None
        return "warning" if size >= (2 * _WORDS if opening else _MUCH) else "info"
    return "info"


def _territory(aligned: Aligned) -> set[tuple[int, int]]:
    """The pages on which questions stand or may stand: from the first question's page to its source's end."""
    stream = aligned.stream
    pages: set[tuple[int, int]] = set()
    for span in aligned.spans:
        if span.claim.question is None or span.claim.kind == "label":
            continue
        for at in (span.start, (span.start + span.end) // 2, span.end - 1):
            if aligned.match[at] >= 0:
                word = stream.words[stream.word_of[aligned.match[at]]]
                pages.add((word.source, word.page))
    first: dict[int, int] = {}
    for source, page in pages:
        first[source] = min(page, first.get(source, page))
    return {(w.source, w.page) for w in stream.words if w.page >= first.get(w.source, w.page + 1)}


def _finding(loss: Loss, severity: str) -> Finding:
    first = loss.words[0]
    where = Where(question=loss.question, source=first.source, page=first.page, box=box_of(loss.words))
    text = loss.letters[:60] if len(loss.words) == 1 else quoted(loss.words)
    behind = loss.before is not None and loss.before.claim.question is not None
    side = "in" if loss.within else "after" if behind else "before"
    place = f" {side} {loss.question}" if loss.question else ""
    message = f"The page prints “{text}”{place}, and no field of the exam holds it."
    return Finding.model_validate({"code": "text.lost", "severity": severity, "where": where, "message": message})


def coverage(aligned: Aligned, found: Sequence[Loss]) -> Coverage:
    """Every word of the question pages by its owner, as the manifest keeps it."""
    counts = {"question": 0, "instruction": 0, "furniture": 0, "figure": 0, "unassigned": 0}
    starts = [span.start for span in aligned.spans]
    lost = {id(word) for loss in found for word in loss.words}
    for word in aligned.stream.words:
        owner = next((e for e in aligned.owner[word.start : word.end] if e >= 0), -1)
        if owner >= 0:
            claim = aligned.spans[bisect_right(starts, owner) - 1].claim
            counts["instruction" if claim.question is None else "question"] += 1
        elif word.place == "figure":
            counts["figure"] += 1
        elif word.place == "furniture":
            counts["furniture"] += 1
        else:
            counts["unassigned" if id(word) in lost else "question"] += 1
    listed = [_unassigned(loss) for loss in found[:_LISTED]]
    return Coverage(words=sum(counts.values()), **counts, unassigned_words=listed)


def _unassigned(loss: Loss) -> UnassignedWords:
    first = loss.words[0]
    return UnassignedWords(source=first.source, page=first.page, box=box_of(loss.words), text=quoted(loss.words, 400))
