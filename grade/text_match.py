"""Whether a short text is one of the accepted texts.

The contract's `normalization` decides how far two texts may differ. On top of it, with `unicode_nfkc`,
stand differences of type and notation that no reader sees as another answer: minus signs, quotes, CJK
and Latin punctuation, `½` and `1/2` and `0.5`, `1,000` and `1000`, `x²` and `x^2`.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from ..schemas.grading import Normalization
from .notation import ascii_digits, fold_signs, spell_fractions, spell_powers
from .numbers import Number, exact, readings

MAX_TEXT = 20_000
"""Characters of a longer answer are compared as they stand: no key of a blank is that long."""

_BLANKS = re.compile(r"\s+")
_SPACED_MARK = re.compile(r"\s*([,;:])\s*")
_LEADING_ZERO = re.compile(r"[+-]?0\d")


def normalize_text(text: str, normalization: Normalization) -> str:
    """The form under which two texts are compared, as the contract's normalization says."""
    if normalization.unicode_nfkc and not text.isascii():
        text = unicodedata.normalize("NFKC", fold_signs(spell_powers(spell_fractions(text), after="digits")))
        text = fold_signs(text)
    if normalization.strip:
        text = text.strip()
    if normalization.collapse_whitespace:
        text = _BLANKS.sub(" ", text)
    return text.casefold() if normalization.case_insensitive else text


@dataclass(frozen=True)
class TextKey:
    """The accepted texts of one blank, prepared once: a set of everything that an answer may look like. `numeric`:
    whether one of them is a number."""

    accepted: tuple[str, ...]
    normalization: Normalization
    comma: bool
    forms: frozenset[Hashable]
    numeric: bool
    numbers: tuple[Fraction, ...]

    @classmethod
    def of(cls, accepted: Iterable[str], normalization: Normalization, *, comma: bool = False) -> TextKey:
        """`comma`: the paper's language prints decimal commas."""
        texts = tuple(accepted)
        forms = {form for text in texts for form in _key_forms(text, normalization, comma)}
        numbers: tuple[Fraction, ...] = ()
        if normalization.numeric_tolerance is not None:
            numbers = tuple(n.value for text in texts for n in readings(text, comma=comma) if not n.percent)
        numeric = any(isinstance(form, tuple) for form in forms)
        return cls(texts, normalization, comma, frozenset(forms), numeric, numbers)

    def matches(self, answer: str) -> bool:
        """Whether `answer` is one of the accepted texts."""
        if len(answer) > MAX_TEXT:
            return answer in self.accepted
        if any(form in self.forms for form in _written(answer, self.normalization)):
            return True
        if self.numeric and any(form in self.forms for form in _number_forms(answer, self.normalization, self.comma)):
            return True
        return bool(self.numbers) and self._near(answer)

    def _near(self, answer: str) -> bool:
        tolerance = exact(self.normalization.numeric_tolerance or 0.0)
        for number in readings(answer, comma=self.comma):
            if not number.percent and any(self._within(number.value, key, tolerance) for key in self.numbers):
                return True
        return False

    def _within(self, answer: Fraction, key: Fraction, tolerance: Fraction) -> bool:
        """The relative tolerance is of the larger of the two, as the interchange format's readers do."""
        if self.normalization.numeric_relative:
            return abs(answer - key) <= tolerance * max(abs(answer), abs(key))
        return abs(answer - key) <= tolerance


def _written(text: str, normalization: Normalization) -> Iterator[Hashable]:
    """The text itself, and, where signs are folded, with powers as `^n` and no blanks around marks."""
    plain = normalize_text(text, normalization)
    yield plain
    if normalization.unicode_nfkc:
        powers = text if text.isascii() else spell_powers(text)
        if powers != text:
            yield normalize_text(powers, normalization)
        elif "^" in text or "**" in text:
            yield normalize_text(_plain_powers(text), normalization)
        if normalization.collapse_whitespace and ("," in plain or ";" in plain or ":" in plain):
            tight = _SPACED_MARK.sub(r"\1", plain)
            if tight != plain:
                yield tight


def _plain_powers(text: str) -> str:
    """`x^{2}` and `x**2` as `x^2`."""
    return re.sub(r"\^\{([^{}]{1,8})\}", r"^\1", text.replace("**", "^"))


def _value(text: str, normalization: Normalization, comma: bool) -> list[Number]:
    """The numbers that a text is. Digits with leading zeros are codes (room 007) and stay texts."""
    if not normalization.unicode_nfkc or not any(c.isdigit() or c.isnumeric() for c in text[:80]):
        return []
    if _LEADING_ZERO.match(ascii_digits(text.strip())):
        return []
    return [number for number in readings(text, comma=comma) if not number.percent]


def _number_forms(text: str, normalization: Normalization, comma: bool) -> Iterator[Hashable]:
    for number in _value(text, normalization, comma):
        if number.notation == "decimal":
            yield ("decimal", number.value, number.places)
            yield ("decimal for a fraction", number.value)
        elif number.numerator is not None:
            yield ("fraction", number.numerator, number.denominator)
        elif number.notation == "scientific":
            yield ("scientific", number.value)


def _key_forms(text: str, normalization: Normalization, comma: bool) -> Iterator[Hashable]:
    """Decimals match decimals with as many places (3.0 states more than 3), fractions match fractions
    with the same terms (2/4 is not yet 1/2), and each matches the other where it is in lowest terms."""
    yield from _written(text, normalization)
    for number in _value(text, normalization, comma):
        value = number.value
        if number.notation == "decimal":
            yield ("decimal", value, number.places)
            yield ("fraction", value.numerator, value.denominator)
        elif number.numerator is not None and number.denominator is not None:
            yield ("fraction", number.numerator, number.denominator)
            if math.gcd(number.numerator, number.denominator) == 1:
                yield ("decimal for a fraction", value)
        elif number.notation == "scientific":
            yield ("scientific", value)
