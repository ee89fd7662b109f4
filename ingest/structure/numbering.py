"""Counters: the world's ways to count `1, 2, 3`, read at a place of a text.

A counter is a (system, value) pair; the same characters may be read in several systems (`I` is a letter
and a Roman one, `가` only a syllable), and the solver in `sequence` decides which reading makes a run.
Circled, parenthesised and other compatibility forms are decomposed by Unicode (NFKC) and keep the
wrapping in the system's name, so that `①` and `1` are different forms of the same value.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

ALPHABETS: dict[str, str] = {
    "upper": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "lower": "abcdefghijklmnopqrstuvwxyz",
    "stem": "甲乙丙丁戊己庚辛壬癸",
    "katakana": "アイウエオカキクケコサシスセソタチツテトナニヌネノ",
    "hiragana": "あいうえおかきくけこさしすせそたちつてと",
    "iroha": "イロハニホヘトチリヌル",
    "syllable": "가나다라마바사아자차카타파하",
    "jamo": "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ",
    "cyrillic_upper": "АБВГДЕЖЗИКЛМН",
    "cyrillic_lower": "абвгдежзиклмн",
    "greek_upper": "ΑΒΓΔΕΖΗΘΙΚ",
    "greek_lower": "αβγδεζηθικ",
    "arabic": "ابتثجحخد",
    "abjad": "أبجدهوزح",
    "hebrew": "אבגדהוזחטי",
    "thai": "กขคงจฉชซ",
    "devanagari": "कखगघङचछज",
    "devanagari_vowel": "अआइईउऊ",
    "devanagari_abjad": "अबसद",
    "bengali": "কখগঘঙচ",
    "tamil": "அஆஇஈஉ",
}
"""Systems whose value is the place in an alphabet, counted from 1."""

_PLACES: dict[str, list[tuple[str, int]]] = {}
for _system, _letters in ALPHABETS.items():
    for _place, _letter in enumerate(_letters, start=1):
        _PLACES.setdefault(_letter, []).append((_system, _place))

_CONJOINING = {
    chr(0x1100 + code): jamo
    for code, jamo in zip((0, 2, 3, 5, 6, 7, 9, 11, 12, 14, 15, 16, 17, 18), ALPHABETS["jamo"], strict=True)
}
_HAN_DIGITS = {c: v for v, c in enumerate("一二三四五六七八九", start=1)}
_HAN_FORMAL = {
    "壹": 1,
    "壱": 1,
    "貳": 2,
    "贰": 2,
    "弐": 2,
    "參": 3,
    "叁": 3,
    "叄": 3,
    "肆": 4,
    "伍": 5,
    "陸": 6,
    "陆": 6,
    "柒": 7,
    "捌": 8,
    "玖": 9,
    "拾": 10,
}
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


@dataclass(frozen=True, slots=True)
class Counter:
    """One reading of a counter: `length` characters of the text, in a system, with its value."""

    system: str
    value: int
    length: int


def roman_value(text: str) -> int | None:
    """The value of a well-formed Roman numeral below 90, in either case; None where it is none."""
    low = text.lower()
    if not low or any(c not in _ROMAN for c in low) or (text != low and text != text.upper()):
        return None
    total = 0
    for here, after in zip(low, [*low[1:], ""], strict=True):
        value = _ROMAN[here]
        total += -value if after and _ROMAN[after] > value else value
    return total if 0 < total < 90 and roman_text(total) == low else None


def roman_text(value: int) -> str:
    """Lower-case Roman numeral of 1..89."""
    out = ""
    for amount, letters in ((50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")):
        while value >= amount:
            out, value = out + letters, value - amount
    return out


def han_value(text: str) -> int | None:
    """The value of a Han numeral of 1..99 (`三`, `十二`, `二十`), plain or formal (`壹`); None where it is none."""
    if len(text) == 1 and text in _HAN_FORMAL:
        return _HAN_FORMAL[text]
    head, ten, tail = text.partition("十")
    if not ten:
        return _HAN_DIGITS.get(text)
    tens = 1 if not head else _HAN_DIGITS.get(head)
    ones = 0 if not tail else _HAN_DIGITS.get(tail)
    return None if tens is None or ones is None else tens * 10 + ones


@lru_cache(maxsize=4096)
def _wrapped(ch: str) -> tuple[str, str] | None:
    """(wrapping, plain text) of a compatibility character such as `①`, `⑴`, `㈠`, `Ⓐ`, `❶`."""
    code = ord(ch)
    if 0x2776 <= code <= 0x2793:
        return "filled", str(int(unicodedata.numeric(ch)))
    if 0x1F150 <= code <= 0x1F169:
        return "filled", chr(ord("A") + code - 0x1F150)
    if 0x1F170 <= code <= 0x1F189:
        return "filled", chr(ord("A") + code - 0x1F170)
    decomposition = unicodedata.decomposition(ch)
    if not decomposition or code < 0x2070 or 0xF900 <= code < 0xFB00 or 0xFF00 <= code <= 0xFFEF:
        return None
    plain = unicodedata.normalize("NFKC", ch)
    if decomposition.startswith("<circle>"):
        return "circled", plain
    if plain.startswith("(") and plain.endswith(")"):
        return "bracketed", plain[1:-1]
    if plain.endswith(".") and plain[:-1].isdigit():
        return "dotted", plain[:-1]
    if 0x2160 <= code <= 0x217F:
        return "roman", plain
    return None


def read_counters(text: str, at: int) -> list[Counter]:
    """Every way to read a counter that starts at `text[at]`, longest numerals first; empty where there is none."""
    if at >= len(text):
        return []
    ch = text[at]
    if ch.isdecimal():
        return _digits(text, at)
    wrapped = _wrapped(ch)
    if wrapped is not None:
        wrapping, plain = wrapped
        plain = _CONJOINING.get(plain, plain)
        inner = [c for c in read_counters(plain, 0) if c.length == len(plain)]
        return [Counter(c.system if wrapping == "roman" else f"{wrapping} {c.system}", c.value, 1) for c in inner]
    found = _roman(text, at) + _han(text, at)
    if not ("A" <= ch.upper() <= "Z") or not _letter_follows(text, at + 1):
        found += [Counter(system, place, 1) for system, place in _PLACES.get(ch, [])]
    if 0xE000 <= ord(ch) <= 0xF8FF:
        found.append(Counter("private", ord(ch), 1))
    return found


def _letter_follows(text: str, at: int) -> bool:
    return at < len(text) and text[at].isascii() and text[at].isalnum()


def _digits(text: str, at: int) -> list[Counter]:
    end = at
    while end < len(text) and text[end].isdecimal():
        end += 1
    if end - at > 3:
        return []
    return [Counter("digit", int(text[at:end]), end - at)]


def _roman(text: str, at: int) -> list[Counter]:
    end = at
    while end < len(text) and end - at < 6 and text[end].lower() in _ROMAN and text[end].isascii():
        end += 1
    if end == at or _letter_follows(text, end):
        return []
    value = roman_value(text[at:end])
    if value is None:
        return []
    return [Counter("roman_upper" if text[at].isupper() else "roman_lower", value, end - at)]


def _han(text: str, at: int) -> list[Counter]:
    for length in (3, 2, 1):
        part = text[at : at + length]
        if len(part) == length and (value := han_value(part)) is not None:
            system = "han_formal" if part in _HAN_FORMAL else "han"
            return [Counter(system, value, length)]
    return []
