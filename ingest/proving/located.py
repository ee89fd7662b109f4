"""How much of an official text stands on the pages, in pieces that are long enough to prove something."""

from __future__ import annotations

from .formulas import formula_token
from .letters import Letters, weight
from .page_index import LOCAL_GRAM, PageIndex, Stream

_PIECE = 8.0
"""The weight from which a piece of a text is no accident."""
_TRIED = 24
"""Places of a gram that are tried for the longest piece."""


def located(letters: Letters, index: PageIndex) -> tuple[float, float]:
    """The share (by weight) of a text's letters that stand on the pages, and the weight of the rest.

    Answer pages first, then question pages (answers printed in the paper). Pieces may stand anywhere: a scheme's
    table is cut into cells. Formulas prove nothing here and take nothing away: they are laid out anew.
    """
    total = weight(letters.text)
    if not total:
        return 1.0, 0.0
    open_runs = [(0, len(letters.text))]
    for stream in (index.answers, index.paper):
        open_runs = [rest for low, high in open_runs for rest in _rest(letters.text, low, high, stream)]
    missing = sum(weight(_prose(letters, low, high)) for low, high in open_runs)
    return 1.0 - missing / total, missing


def _prose(letters: Letters, low: int, high: int) -> str:
    return "".join(
        letters.text[n]
        for n in range(low, high)
        if not formula_token(letters.words[letters.tokens[n]], letters.math[n])
    )


def _rest(text: str, low: int, high: int, stream: Stream) -> list[tuple[int, int]]:
    """The stretches of [low, high) of a text that the stream does not print."""
    if text[low:high] in stream.text:
        return []
    rest: list[tuple[int, int]] = []
    start = at = low
    while at <= high - LOCAL_GRAM:
        length = min(_longest(text, at, stream), high - at)
        if weight(text[at : at + length]) >= _PIECE:
            if at > start:
                rest.append((start, at))
            at += length
            start = at
        else:
            at += 1
    return [*rest, (start, high)] if start < high else rest


def _longest(text: str, at: int, stream: Stream) -> int:
    """The length of the longest piece from `at` that the stream prints, among the first places of its gram."""
    places = stream.local.get(text[at : at + LOCAL_GRAM], ())
    best = 0
    for place in places[:_TRIED]:
        length = LOCAL_GRAM
        while (
            at + length < len(text)
            and text[at + length : at + length + 1] == stream.text[place + length : place + length + 1]
        ):
            length += 1
        best = max(best, length)
    return best
