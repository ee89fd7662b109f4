"""Numbers as people write them, read exactly: every value is a fraction, never a rounded float."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from .notation import ascii_digits, fold_signs, plain_spaces, spell_fractions, spell_powers, unwrap

Notation = Literal["decimal", "fraction", "scientific"]

MAX_NUMBER_LENGTH = 400
"""Characters of the longest text that is read as a number; longer ones are no number."""
MAX_EXPONENT = 400
"""The largest power of ten that is read; 10**400 is beyond every float and every exam."""

# Languages that print a comma before the decimals; regions that do not are listed beside them.
_COMMA_TAGS = (
    "af az be bg bs ca cs da de el es et eu fi fo fr gl hr hu hy id is it ka kk ky lb lt lv mk mn nb nl nn no "
    "pl pt ro ru sk sl sq sr sv tr uk uz vi"
)
_DECIMAL_COMMA = frozenset(_COMMA_TAGS.split())
_DECIMAL_POINT_REGIONS = frozenset({"es-mx", "es-us", "es-pr", "es-gt", "es-pa", "es-pe", "de-ch", "de-li", "it-ch"})


@dataclass(frozen=True, slots=True)
class Number:
    """An exact value and how it was written. `places`: decimals as written (None for fractions and powers)."""

    value: Fraction
    notation: Notation
    places: int | None = None
    percent: bool = False
    numerator: int | None = None
    denominator: int | None = None


def decimal_comma(language: str) -> bool:
    """Whether papers in this language (BCP-47 tag) print 3,5 for three and a half."""
    tag = language.lower().replace("_", "-")
    return tag not in _DECIMAL_POINT_REGIONS and tag.split("-")[0] in _DECIMAL_COMMA


# a run of digits with whatever may separate them; `_decimals` decides what the separators mean
_DIGITS = r"(?:\d{1,3}(?:[ '_]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)*|[.,]\d+)(?:\.(?![\d.]))?"
_TIMES = r"\s*(?:\*|x|X|\u00d7|\u00b7|\u2715|\\times|\\cdot)\s*"
_QUANTITY = re.compile(
    rf"""(?P<sign>[+-]?)\s*(?:
        (?P<whole>\d+)\s+(?:\+\s*)?(?P<mixed_top>\d+)\s*/\s*(?P<mixed_bottom>\d+)
      | (?P<top>{_DIGITS})\s*/\s*(?P<bottom>{_DIGITS})
      | (?P<mantissa>{_DIGITS})(?:{_TIMES}10\s*(?:\^|\*\*)\s*[({{]?|[eE])(?P<power>[+-]?\s?\d{{1,4}})[)}}]?(?!\d)
      | 10\s*(?:\^|\*\*)\s*[({{]?(?P<bare_power>[+-]?\s?\d{{1,4}})[)}}]?(?!\d)
      | (?P<decimal>{_DIGITS})
    )\s*(?P<percent>%?)""",
    re.VERBOSE,
)
_LATEX_FRACTION = re.compile(r"\\[dtc]?frac\s*(?:\{([^{}]{1,60})\}\s*\{([^{}]{1,60})\}|(\d)\s*(\d))")
_LATEX_SPACES = re.compile(r"\\[,;:! ]|\\quad|~|\\left|\\right")
_NAMED = re.compile(
    r"[^\W\d_]\w{0,15}(?:\([^\W\d_]\w{0,3}\))?\s*(?:=|\u2248|\\approx|\u2252|\u2243|:)\s*(?=[-+.,\d\\])"
)
_ABOUT = re.compile(r"(?:=|\u2248|\\approx|\u2252|\u2243)\s*")
_COMMA_GROUPS = re.compile(r"\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d{2})+,\d{3}")
_POINT_GROUPS = re.compile(r"\d{1,3}(?:\.\d{3})+")


def plain_number_text(text: str) -> str:
    """`text` with its signs, digits, fractions, powers and LaTeX in the one form that the reader knows."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", spell_powers(spell_fractions(ascii_digits(text))))
    text = unwrap(plain_spaces(fold_signs(text)))
    if "\\" in text or "{" in text or "~" in text:
        text = _LATEX_SPACES.sub(" ", text).replace("{,}", ",").replace("\\%", "%")
        text = _LATEX_FRACTION.sub(lambda m: f" {m.group(1) or m.group(3)}/{m.group(2) or m.group(4)}", text)
        text = re.sub(r"(^|[-+])\s+", r"\1", text.replace("^ {", "^{"))
    return text.strip()


def readings(text: str, *, comma: bool = False) -> list[Number]:
    """What `text` can mean as one number and nothing else; empty where it is none.

    `comma` says that the paper's language prints decimal commas: then `1,500` is one and a half, and
    `1.500` has two readings. Otherwise there is at most one.
    """
    found = list(quantities(text, comma=comma))
    return [number for number, unit in found if not unit]


def read_number(text: str, *, comma: bool = False) -> Number | None:
    """The number that `text` is, or None. Of two readings, the one with a decimal point."""
    found = readings(text, comma=comma)
    return found[-1] if found else None


def quantities(text: str, *, comma: bool = False) -> Iterator[tuple[Number, str]]:
    """Each reading of `text` as a number followed by a unit (`""` where none is written)."""
    if len(text) > MAX_NUMBER_LENGTH:
        return
    plain = plain_number_text(text)
    named = _NAMED.match(plain) or _ABOUT.match(plain)
    plain = plain[named.end() :] if named else plain
    prefix, plain = _currency(plain)
    match = _QUANTITY.match(plain)
    if match is None:
        return
    unit = plain[match.end() :].strip()
    if unit[:1].isdigit() or unit[:1] in {".", ",", "/", "^", "+", "-"} or (prefix and unit):
        return
    for number in _numbers(match, comma):
        yield number, prefix or unit


def _currency(text: str) -> tuple[str, str]:
    found = re.match(r"(NT\$|US\$|HK\$|R\$|[$\u20ac\u00a3\u00a5\u20a9\u20b9])\s*(?=\d)", text)
    return (found.group(1), text[found.end() :]) if found else ("", text)


def _numbers(match: re.Match[str], comma: bool) -> Iterator[Number]:
    sign = -1 if match["sign"] == "-" else 1
    percent = bool(match["percent"])
    if match["whole"]:
        top, bottom = int(match["mixed_top"]), int(match["mixed_bottom"])
        if bottom:
            improper = int(match["whole"]) * bottom + top
            yield Number(sign * Fraction(improper, bottom), "fraction", None, percent, sign * improper, bottom)
    elif match["top"]:
        yield from _fractions(match["top"], match["bottom"], sign, percent, comma)
    elif match["mantissa"]:
        power = int(match["power"].replace(" ", ""))
        if abs(power) <= MAX_EXPONENT:
            for value, _ in _decimals(match["mantissa"], comma):
                yield Number(sign * value * Fraction(10) ** power, "scientific", None, percent)
    elif match["bare_power"]:
        power = int(match["bare_power"].replace(" ", ""))
        if abs(power) <= MAX_EXPONENT:
            yield Number(sign * Fraction(10) ** power, "scientific", None, percent)
    else:
        for value, places in _decimals(match["decimal"], comma):
            yield Number(sign * value, "decimal", places, percent)


def _fractions(top: str, bottom: str, sign: int, percent: bool, comma: bool) -> Iterator[Number]:
    for over, over_places in _decimals(top, comma):
        for under, under_places in _decimals(bottom, comma):
            if under:
                whole = over_places == 0 and under_places == 0
                parts = (sign * int(over), int(under)) if whole else (None, None)
                yield Number(sign * over / under, "fraction", None, percent, *parts)


def _decimals(digits: str, comma: bool) -> Iterator[tuple[Fraction, int]]:
    """(value, decimals as written) of a digit run, for each meaning that its separators can have."""
    digits = digits.removesuffix(".").replace(" ", "").replace("'", "").replace("_", "")
    commas, points = digits.count(","), digits.count(".")
    if commas and points:
        grouping, mark = (",", ".") if digits.rindex(".") > digits.rindex(",") else (".", ",")
        head, _, tail = digits.rpartition(mark)
        groups = _COMMA_GROUPS if grouping == "," else _POINT_GROUPS
        if mark not in head and groups.fullmatch(head):
            yield _value(head.replace(grouping, ""), tail)
    elif commas:
        grouped = _COMMA_GROUPS.fullmatch(digits) is not None and not digits.startswith("0")
        if grouped and (commas > 1 or not comma):
            yield _value(digits.replace(",", ""), "")
        elif commas == 1:
            yield _value(*digits.split(","))
    elif points > 1:
        if _POINT_GROUPS.fullmatch(digits) and not digits.startswith("0"):
            yield _value(digits.replace(".", ""), "")
    else:
        head, _, tail = digits.partition(".")
        if comma and points and _POINT_GROUPS.fullmatch(digits) and not digits.startswith("0"):
            yield _value(head + tail, "")
        yield _value(head, tail)


def _value(whole: str, decimals: str) -> tuple[Fraction, int]:
    return Fraction(int(whole + decimals or "0"), 10 ** len(decimals)), len(decimals)


def exact(number: float | str) -> Fraction:
    """A contract's number as the decimal that was written: 0.1 is one tenth. Raises ValueError."""
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(str(number))


def round_figures(value: Fraction, figures: int) -> set[Fraction]:
    """`value` to that many significant figures: two results where it lies halfway, since both are taught."""
    if value == 0:
        return {Fraction(0)}
    step = Fraction(10) ** (magnitude(value) - figures + 1)
    below = value // step
    rest = value / step - below
    half = Fraction(1, 2)
    return {step * n for n in ((below,) if rest < half else (below + 1,) if rest > half else (below, below + 1))}


def magnitude(value: Fraction) -> int:
    """The power of ten of the first significant figure: 0 for 3.2, -2 for 0.05."""
    size = abs(value)
    power = len(str(size.numerator)) - len(str(size.denominator))
    return power if size >= Fraction(10) ** power else power - 1
