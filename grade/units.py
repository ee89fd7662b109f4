"""Units as people write them: km/h, m·s⁻¹, m s^-1, °C, 公尺, メートル. Conversion is pint's."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import Any

from .notation import fold_signs, spell_powers

MAX_UNIT_LENGTH = 40

# names of units in scripts that pint does not read; what it reads is left to it
_NAMES = {
    "公里": "km", "千米": "km", "公尺": "m", "米": "m", "公分": "cm", "厘米": "cm", "釐米": "cm", "毫米": "mm",
    "公釐": "mm", "微米": "um", "奈米": "nm", "纳米": "nm", "公斤": "kg", "千克": "kg", "公克": "g", "克": "g",
    "毫克": "mg", "公噸": "tonne", "吨": "tonne", "公升": "L", "升": "L", "毫升": "mL", "秒": "s", "秒鐘": "s",
    "分鐘": "min", "分钟": "min", "小時": "h", "小时": "h", "時間": "h", "天": "day", "日": "day", "度": "deg",
    "牛頓": "N", "牛顿": "N", "牛": "N", "焦耳": "J", "焦": "J", "瓦特": "W", "瓦": "W", "伏特": "V", "伏": "V",
    "安培": "A", "安": "A", "歐姆": "ohm", "欧姆": "ohm", "欧": "ohm", "庫侖": "C", "库仑": "C", "赫茲": "Hz",
    "赫兹": "Hz", "赫": "Hz", "帕斯卡": "Pa", "帕": "Pa", "莫耳": "mol", "摩尔": "mol", "卡路里": "cal",
    "卡": "cal", "大卡": "kcal", "千卡": "kcal", "大氣壓": "atm", "メートル": "m", "キロメートル": "km",
    "センチメートル": "cm", "ミリメートル": "mm", "グラム": "g", "キログラム": "kg", "リットル": "L",
    "ミリリットル": "mL", "미터": "m", "킬로미터": "km", "센티미터": "cm", "그램": "g", "킬로그램": "kg",
    "리터": "L", "초": "s", "분": "min", "시간": "h", "м": "m", "км": "km", "см": "cm", "мм": "mm", "кг": "kg",
    "г": "g", "с": "s", "ч": "h", "мин": "min", "л": "L", "Н": "N", "Дж": "J", "Вт": "W", "В": "V", "А": "A",
    "Ом": "ohm", "Па": "Pa", "℃": "degC", "°C": "degC", "℉": "degF", "°F": "degF", "°": "deg", "º": "deg",
    "Ω": "ohm", "Å": "angstrom", "%": "percent", "\\%": "percent", "µ": "u", "μ": "u", "sec": "s", "secs": "s",
    "hr": "h", "hrs": "h", "mins": "min", "l": "L", "ml": "mL", "cc": "cm**3", "mph": "mile/h", "kph": "km/h",
    "kmh": "km/h", "rpm": "rpm", "litre": "L", "litres": "L",
}  # fmt: skip
_QUALIFIERS = frozenset(
    [
        "or",
        "and",
        "to",
        "more",
        "less",
        "than",
        "not",
        "about",
        "at",
        "maybe",
        "plus",
        "minus",
        "times",
        "no",
        "if",
        "o",
        "ou",
        "oder",
    ]
)
_CJK_QUALIFIERS = ("以上", "以下", "左右", "多", "未満", "未满", "이상", "이하", "或", "到", "至")
_SQUARE = re.compile(r"(?:平方|square\s+)(\S+)|(\S+?)(?:\s+squared)\b")
_CUBE = re.compile(r"(?:立方|cubic\s+)(\S+)|(\S+?)(?:\s+cubed)\b")
_LATEX = re.compile(r"\\(?:mathrm|text|textrm|operatorname|si|unit)\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_FACTOR = re.compile(r"([^\W\d_]+|[°℃℉µμΩ%Å])\s*(?:(?:\^|\*\*)\s*[({]?\s*(-?\d)\s*[)}]?|(-?\d)(?!\d))?")
_ALLOWED = re.compile(r"[\w\s°℃℉µμΩº%Å^*/.·×(){}\-+$€£¥₩₹\\]+")


def unit_text(text: str) -> str:
    """The written unit without type: `$\\mathrm{m\\,s^{-1}}$` and `m·s⁻¹` as `m*s^-1`."""
    text = _LATEX.sub(r"\1", spell_powers(text).strip("$ "))
    text = fold_signs(text).replace("\\,", " ").replace("\\cdot", "*").replace("\\circ", "°").replace("^°", "°")
    text = text.replace("^{°}", "°").replace("·", "*").replace("×", "*").replace("\\", "").replace("° C", "°C")
    # physics papers print the unit of speed without its blank
    text = re.sub(r"\bms(?=\^?[({]?-\d)", "m s", text)
    return re.sub(r"\s+", " ", text).strip().rstrip(".")


def is_unit_like(text: str) -> bool:
    """Whether the words behind a number can be a unit or a counter (`m/s`, `個`, `apples`): at most two, without
    a further number, and none that makes the number another one (`or more`, `以上`)."""
    text = unit_text(text)
    if len(text) > MAX_UNIT_LENGTH or _ALLOWED.fullmatch(text) is None:
        return False
    stripped = re.sub(r"(?:\^|\*\*)[({]?-?\d[)}]?|(?<=[^\W\d_])-?\d\b", "", text)
    words = stripped.split()
    if any(c.isdigit() for c in stripped) or len(words) > 2 or any(word.lower() in _QUALIFIERS for word in words):
        return False
    return not any(mark in stripped for mark in _CJK_QUALIFIERS)


def convert(value: Fraction, given: str, wanted: str) -> Fraction | None:
    """`value` of unit `given` in unit `wanted`; None where they are of different kinds or not known."""
    if same_unit(given, wanted):
        return value
    line = _line(canonical_unit(given), canonical_unit(wanted))
    if line is None:
        return None
    factor, offset = line
    return value * factor + offset


def same_unit(given: str, wanted: str) -> bool:
    """Whether two units are written the same, apart from type, language and the case of whole words."""
    one, other = canonical_unit(given), canonical_unit(wanted)
    if one is not None and one == other:
        return True
    one, other = unit_text(given), unit_text(wanted)
    return one == other or (min(len(one), len(other)) > 3 and one.casefold() == other.casefold())


@lru_cache(maxsize=4096)
def canonical_unit(text: str) -> str | None:
    """The unit as a product of powers that pint reads (`m*s**-1`), or None where it does not look like one."""
    plain = unit_text(text)
    if not plain or len(plain) > MAX_UNIT_LENGTH:
        return None
    whole = _NAMES.get(plain)
    if whole is not None:
        return whole
    plain = _CUBE.sub(
        lambda m: f"{m.group(1) or m.group(2)}^3", _SQUARE.sub(lambda m: f"{m.group(1) or m.group(2)}^2", plain)
    )
    plain = re.sub(r"\s*(?:\bper\b|每)\s*", "/", plain)
    above, _, below = plain.replace("(", " ").replace(")", " ").partition("/")
    if "/" in below:
        above, below = above, below.replace("/", "*")
    top = _factors(above, 1) if above.strip() not in {"", "1"} else []
    bottom = _factors(below, -1) if below.strip() else []
    if top is None or bottom is None or not (top or bottom):
        return None
    return "*".join(top + bottom)


def _factors(text: str, sign: int) -> list[str] | None:
    factors: list[str] = []
    for piece in re.split(r"[*\s.]+", re.sub(r"\*\*", "^", text).strip()):
        match = _FACTOR.fullmatch(piece)
        if match is None:
            return None
        power = sign * int(match.group(2) or match.group(3) or 1)
        factors.append(f"{_name(match.group(1))}**{power}" if power != 1 else _name(match.group(1)))
    return factors


def _name(text: str) -> str:
    if text in _NAMES:
        return _NAMES[text]
    if text[0] in "µμ" and len(text) > 1:
        return "u" + text[1:]
    return text[:-1] + "ohm" if text.endswith("Ω") else text


@lru_cache(maxsize=1)
def _registry() -> Any:
    import pint

    return pint.UnitRegistry(autoconvert_offset_to_baseunit=True)


@lru_cache(maxsize=4096)
def _line(given: str | None, wanted: str | None) -> tuple[Fraction, Fraction] | None:
    """(factor, offset) with wanted = factor * given + offset, exact where the factor is a short fraction."""
    if given is None or wanted is None:
        return None
    import pint

    registry = _registry()
    try:
        at_zero = registry.Quantity(0.0, given).to(wanted).magnitude
        at_thousand = registry.Quantity(1000.0, given).to(wanted).magnitude
    except (pint.errors.PintError, AttributeError, ValueError, TypeError, ZeroDivisionError, OverflowError):
        return None  # not a unit, or of another kind: the caller says so
    return _short((at_thousand - at_zero) / 1000.0), _short(at_zero)


def _short(number: float) -> Fraction:
    """The fraction that a float of twelve good digits stands for: 0.277777777778 is 5/18."""
    decimal = Fraction(f"{number:.12g}")
    if number == 0.0 or abs(decimal.denominator) <= 10**9:
        return decimal
    for short in (Fraction(number).limit_denominator(10**6), 1 / Fraction(1 / number).limit_denominator(10**6)):
        if abs(short - Fraction(number)) <= abs(Fraction(number)) / 10**13:
            return short
    return decimal
