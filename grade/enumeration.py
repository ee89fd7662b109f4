"""The enumeration rule: a written list against the items of the key."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..schemas.grading import EnumerationRule, Normalization
from .notation import unwrap
from .text_match import MAX_TEXT, TextKey

MAX_ITEMS = 500
"""Items of a written list that are looked at."""

# ways to part a list, from the one that leaves most together to the one that leaves least
_LINES = re.compile(r"[\n\r]+")
_SEMICOLONS = re.compile(r"[;；\n\r]+")
_COMMAS = re.compile(r"[;；、，\n\r]+|,(?!\d{3}(?!\d))|,(?=\s)")
_EVERY_COMMA = re.compile(r"[;；、，\n\r,]+")
_WORDS = re.compile(
    r"[;；、，\n\r/]+|,(?!\d{3}(?!\d))|,(?=\s)|\s(?:and|or|und|oder|et|ou|y|e|o|sowie)\s|[和與与及或]|以及|\s?&\s?",
    re.IGNORECASE,
)
_BLANKS = re.compile(r"\s+")
_SPLITTERS = (_LINES, _SEMICOLONS, _COMMAS, _EVERY_COMMA, _WORDS, _BLANKS)
_MARKER = re.compile(
    r"\s*(?:[-*•·–▪]\s+|\(?\d{1,2}[.)、]\s*(?=\D)|\([a-z]\)\s*|[①-⑳]\s*|(?:and|or|und|oder|et|ou|y)\s+)", re.IGNORECASE
)
_NAME = re.compile(r"\s*[^\W\d_]\w{0,3}\s*(?:=|\u2208)\s*")
_BRACKETS = re.compile(r"\\?[{\[(](.*?)\\?[}\])]", re.DOTALL)


@dataclass(frozen=True)
class Found:
    """`right`: how many items of the key were given; `wrong`: what was given and is none of them."""

    given: list[str]
    right: int
    wrong: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class EnumerationKey:
    """An enumeration rule, its items prepared once."""

    items: tuple[TextKey, ...]
    ordered: bool
    wanted: int

    @classmethod
    def of(cls, rule: EnumerationRule, *, comma: bool = False) -> EnumerationKey:
        tolerant = Normalization(numeric_tolerance=0.0)
        items = tuple(
            TextKey.of([unwrap(text) for text in item.accepted], tolerant, comma=comma) for item in rule.items
        )
        wanted = min(rule.required, len(items)) if rule.required else len(items)
        return cls(items, rule.ordered, wanted)

    def check(self, texts: Sequence[str]) -> Found:
        """The reading of the list that finds most. Several texts (blanks) are items as they stand."""
        if len(texts) != 1:
            return self._found([text.strip() for text in texts[:MAX_ITEMS]])
        found: list[Found] = []
        for items in _partings(texts[0]):
            found.append(self._found(items))
        return max(found, key=lambda f: (f.right, -len(f.wrong), len(f.given)), default=Found([], 0))

    def _found(self, given: list[str]) -> Found:
        fits = [self._fitting(text) for text in given]
        if self.ordered:
            right = {n for n, fit in enumerate(fits) if n in fit}
            wrong = [given[n] for n in range(len(given)) if n not in right]
            return Found(given, len(right), [text for text in wrong if text])
        taken = _most_pairs(fits)
        wrong = [text for text, fit in zip(given, fits, strict=True) if not fit and text]
        return Found(given, taken, wrong)

    def _fitting(self, text: str) -> list[int]:
        """The items of the key that a piece of the list can be."""
        plain = unwrap(_MARKER.sub("", unwrap(text), count=1))
        named = _NAME.match(plain)
        forms = {plain, plain[named.end() :].strip()} if named else {plain}
        return [n for n, item in enumerate(self.items) if any(item.matches(form) for form in forms)]


def _partings(text: str) -> list[list[str]]:
    """Every way in which a written list may be meant to be parted, without doubles."""
    plain = unwrap(text[:MAX_TEXT])
    named = _NAME.match(plain)
    bracketed = _BRACKETS.fullmatch(plain[named.end() :] if named else plain)
    plain = bracketed.group(1) if bracketed else plain
    ways: list[list[str]] = [[plain]]
    for splitter in _SPLITTERS:
        pieces = [piece.strip() for piece in splitter.split(plain) if piece and piece.strip()][:MAX_ITEMS]
        if pieces and pieces not in ways:
            ways.append(pieces)
    return ways


def _most_pairs(fits: list[list[int]]) -> int:
    """How many given pieces can be paired with items, each item once (Kuhn's augmenting paths)."""
    owner: dict[int, int] = {}

    def settle(piece: int, tried: set[int]) -> bool:
        for item in fits[piece]:
            if item not in tried:
                tried.add(item)
                if item not in owner or settle(owner[item], tried):
                    owner[item] = piece
                    return True
        return False

    return sum(settle(piece, set()) for piece in range(len(fits)))
