"""The number that a reply gives."""

from __future__ import annotations

import re
from fractions import Fraction

from ..numbers import quantities, read_number
from .reply import Extraction, read_reply

_NUMBER = re.compile(
    r"(?<![\w.^])[-+\u2212]?(?:\d[\d,.' ]*\d|\d|[½¼¾⅓⅔])(?:\s*/\s*\d+)?(?:\s*[x×*·]\s*10\s*\^\s*\{?-?\d+\}?)?(?![\w^])"
)


# a second number joined to the first, or a root or π behind it: the first alone is not what was said
_MORE = re.compile(
    r"[^\d.;:(=]{0,24}?(?:\b(?:or|and|to|und|oder|et|ou|y|o|и|или)\b|[/–~]|或|和|到|또는|または)\s*[-+\u2212]?\d"
    r"|\s*\\?(?:sqrt|pi\b|√|π)",
    re.IGNORECASE,
)


def extract_number(reply: str, *, comma: bool = False) -> Extraction:
    """An exact value: the whole reply, else the last declaration that holds a number, else the only number said."""
    read = read_reply(reply)
    if read is None:
        return Extraction.none("cut off while thinking")
    whole = _value(read.text, comma)
    if whole is not None:
        return Extraction("answered", whole, "the whole reply")
    for piece in reversed(read.declared):
        value = _value(piece.rstrip(". "), comma)
        value = _first(piece, comma) if value is None else value
        if value is not None:
            return Extraction("answered", value, "declared")
    values = {value for value in (_plain(text, comma) for text in _NUMBER.findall(read.text)) if value is not None}
    if len(values) == 1:
        return Extraction("answered", values.pop(), "the only number")
    if values:
        return Extraction.none(f"{len(values)} different numbers and none declared")
    return Extraction("refused", None, "a refusal") if read.refuses else Extraction.none("no number")


def _value(text: str, comma: bool) -> Fraction | None:
    for number, unit in quantities(text, comma=comma):
        if len(unit.split()) <= 2 and not any(c.isdigit() for c in unit):
            return number.value
    return None


def _plain(text: str, comma: bool) -> Fraction | None:
    number = read_number(text.strip(" .,'"), comma=comma)
    return None if number is None else number.value


def _first(piece: str, comma: bool) -> Fraction | None:
    match = _NUMBER.search(piece)
    return _plain(match.group(), comma) if match and not _MORE.match(piece, match.end()) else None
