"""inspect_ai's text scorers and aggregation, by its rules.

Observed behaviour of UKGovernmentBEIS/inspect_ai `src/inspect_ai/scorer` and `solver/_multiple_choice.py` at
499e6152. Values: `C` right, `I` wrong, `N` no answer found; C = 1, P = 0.5, I = N = 0 in the metrics.
"""

from __future__ import annotations

import math
import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

RIGHT, WRONG, NONE = "C", "I", "N"
_VALUES = {RIGHT: 1.0, "P": 0.5, WRONG: 0.0, NONE: 0.0}
_NUMERIC_NOISE = str.maketrans("", "", ",$£€*_")
_IN_NUMBERS = str.maketrans("−", "-", "'’，")
_LOOSE_STOP = re.compile(r"\.(?!\d)")
_CHINESE_DIGITS = {
    "零": 0,
    "〇": 0,
    "一": 1,
    "二": 2,
    "两": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
}
_CHINESE_UNITS = {"十": 10, "百": 100, "千": 1000, "万": 10_000}
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_AROUND_NUMBERS = '!"(),.:;?[]`{}'
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")


@dataclass(frozen=True, slots=True)
class Scored:
    value: str | float
    answer: str | None


def _targets(target: str | Sequence[str]) -> list[str]:
    return [target] if isinstance(target, str) else list(target)


def strip_punctuation(text: str) -> str:
    return text.strip(string.whitespace + string.punctuation)


# numbers


def to_number(text: str) -> float | None:
    """A finite number as people write it: plain, vulgar fractions, superscript powers, Chinese numerals; else None."""
    text = text.translate(_IN_NUMBERS)
    try:
        number = float(text)
    except ValueError:
        pass
    else:
        return number if math.isfinite(number) else None
    if power := re.fullmatch(r"(-?[\d.]+)([⁰¹²³⁴⁵⁶⁷⁸⁹]+)", text):
        try:
            return float(power.group(1)) ** int(power.group(2).translate(_SUPERSCRIPTS))
        except (ValueError, OverflowError):
            return None
    if mixed := re.fullmatch(r"(-?\d*)(\D)", text):
        fraction = unicodedata.numeric(mixed.group(2), None)
        if fraction is not None and unicodedata.category(mixed.group(2)) == "No":
            return float(mixed.group(1) or 0) + fraction
    return _chinese_number(text)


def _chinese_number(text: str) -> float | None:
    if not text or any(sign not in _CHINESE_DIGITS and sign not in _CHINESE_UNITS for sign in text):
        return None
    total = digit = 0
    for sign in text:
        if sign in _CHINESE_DIGITS:
            digit = _CHINESE_DIGITS[sign]
        else:
            total += (digit or 1) * _CHINESE_UNITS[sign]
            digit = 0
    return float(total + digit)


def normalize_number(text: str) -> str:
    """Five significant digits, as inspect compares numbers; a text that is no number stays."""
    number = to_number(text)
    return text if number is None else f"{number:.5g}"


def _without_noise(text: str) -> str:
    """Without grouping commas, currency signs, markup, and full stops that no digit follows."""
    return _LOOSE_STOP.sub("", text.translate(_NUMERIC_NOISE))


def _first_number(words: Sequence[str]) -> str:
    for word in words:
        cleaned = word.strip(_AROUND_NUMBERS) if to_number(word) is None else word
        if cleaned and to_number(cleaned) is not None:
            return normalize_number(cleaned)
    return ""


# match and its kin


def match(
    completion: str,
    target: str | Sequence[str],
    location: str = "end",
    *,
    ignore_case: bool = True,
    numeric: bool = False,
) -> Scored:
    """Target at the beginning, the end, anywhere or exactly; `numeric` compares the first (last) number."""
    answer = completion.strip()
    for wanted in _targets(target):
        hit, answer = _match_one(completion, wanted, location, ignore_case, numeric)
        if hit:
            return Scored(RIGHT, answer)
    return Scored(WRONG, answer)


def _match_one(completion: str, target: str, location: str, ignore_case: bool, numeric: bool) -> tuple[bool, str]:
    answer, wanted = completion.strip(), target.strip()
    text = answer
    if ignore_case:
        text, wanted = text.casefold(), wanted.casefold()
    if numeric and to_number(_without_noise(wanted)) is not None:
        wanted = normalize_number(_without_noise(wanted))
        text = _without_noise(text)
        words = re.split(r"\s+", text)
        if location == "begin":
            text = _first_number(words)
        elif location == "end":
            text = _first_number(words[::-1])
        elif location == "exact":
            together = "".join(words)
            text = text if to_number(together) is None else normalize_number(together)
        else:
            text = wanted if wanted in [_first_number([word]) for word in words] else answer
        return text == wanted, text
    text, wanted = strip_punctuation(text), strip_punctuation(wanted)
    tests: dict[str, Callable[[], bool]] = {
        "begin": lambda: text.startswith(wanted),
        "end": lambda: text.endswith(wanted),
        "exact": lambda: text == wanted,
        "any": lambda: wanted in text,
    }
    return tests[location](), answer


def includes(completion: str, target: str | Sequence[str], *, ignore_case: bool = True) -> Scored:
    text = completion.casefold() if ignore_case else completion
    hit = any((wanted.casefold() if ignore_case else wanted) in text for wanted in _targets(target))
    return Scored(RIGHT if hit else WRONG, text.lower() if ignore_case else text)


_DECLARES = re.compile(r"ANSWER\s*:\s*", re.IGNORECASE)
_LETTER = re.compile(r"([A-Za-z])(?!\w)")
_WORD = re.compile(r"(\S+?)[.,!?;:]?[^\S\n]*$", re.MULTILINE)
_LINE = re.compile(r"ANSWER\s*:\s*([^\n]+)\s*\Z", re.IGNORECASE)


def declared(completion: str, target: str | Sequence[str], kind: str) -> Scored:
    """What the last `ANSWER:` declares: a letter, or the one word on its line; or (`line`) what stands between the
    first `ANSWER:` of the last line and the end of the reply."""
    if kind == "line":
        found = _LINE.search(completion)
    else:
        tail = _DECLARES.split(completion)[1:]
        found = (_LETTER if kind == "letter" else _WORD).match(tail[-1]) if tail else None
    if not found:
        return Scored(NONE, None)
    answer = found.group(1)
    hit = any(answer.lower() == wanted.lower() for wanted in _targets(target))
    return Scored(RIGHT if hit else WRONG, answer)


def pattern(
    completion: str, target: str | Sequence[str], regex: str, *, ignore_case: bool = True, match_all: bool = False
) -> Scored:
    """The groups of the first match (without groups, all of it) against the targets; N where nothing matches.

    A wrong answer is told where the pattern has one group alone.
    """
    found = re.search(regex, completion, re.IGNORECASE if ignore_case else 0)
    if not found:
        return Scored(NONE, None)
    fold = str.lower if ignore_case else str
    wanted = [fold(text) for text in _targets(target)]
    every = found.groups() or (found.group(),)
    groups = [group for group in every if group is not None]
    hits = [group for group in groups if group and fold(group) in wanted]
    if match_all:
        hit = bool(groups) and len(hits) == len(groups)
        return Scored(RIGHT if hit else WRONG, "".join(_targets(target)) if hit else None)
    if hits:
        return Scored(RIGHT, hits[0])
    return Scored(WRONG, every[0] if len(every) == 1 else None)


def f1(completion: str, target: str | Sequence[str], stop_words: Sequence[str] = ()) -> Scored:
    """The best F1 of the sets of normalised words, to two decimals."""
    return Scored(max(_set_f1(completion, wanted, stop_words) for wanted in _targets(target)), completion)


def _words(text: str) -> list[str]:
    """Words in lower case without punctuation and articles; numbers as floats, so that '3.0' is '3'.

    What stands between two blanks or hyphens is one number or none: of two numbers on two lines neither is read as one.
    """
    words: list[str] = []
    for raw in re.split(r"[ -]", text.casefold()):
        bare = raw.strip("()[]{}\"'").rstrip(".")
        word = bare if _plain_number(bare) is not None else raw.translate(_NO_PUNCTUATION)
        number = _plain_number(word)
        words += [str(number)] if number is not None else _ARTICLES.sub(" ", word).split()
    return words


def _plain_number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _set_f1(text: str, wanted: str, stop_words: Sequence[str]) -> float:
    if not text or not wanted:
        return 0.0
    ours, theirs = (set(_words(one)) - set(stop_words) or {""} for one in (text, wanted))
    shared = len(ours & theirs)
    precision, recall = shared / len(ours), shared / len(theirs)
    return round(2 * precision * recall / (precision + recall), 2) if shared else 0.0


def exact(completion: str, target: str | Sequence[str]) -> Scored:
    """Equal after the same normalisation; an empty answer equals nothing."""
    ours = _words(completion)
    hit = bool(completion) and any(ours == _words(wanted) for wanted in _targets(target))
    return Scored(RIGHT if hit else WRONG, completion)


# metrics


def value_of(value: Any) -> float:
    """A score as a number: C, P, I, N; yes and true, no and false; numbers as they are."""
    if isinstance(value, bool | int | float):
        return float(value)
    if value in _VALUES:
        return _VALUES[value]
    lower = str(value).lower()
    if lower in ("yes", "true"):
        return 1.0
    if lower in ("no", "false"):
        return 0.0
    number = to_number(lower)
    return 0.0 if number is None else number


def metric(values: Sequence[Any], name: str) -> float:
    """accuracy and mean, variance and standard deviation (n - 1), standard error of the mean."""
    numbers = [value_of(value) for value in values]
    count = len(numbers)
    if name in ("accuracy", "mean"):
        return sum(numbers) / count if count else 0.0
    if count < 2:
        return 0.0
    mean = sum(numbers) / count
    variance = sum((number - mean) ** 2 for number in numbers) / (count - 1)
    return {"var": variance, "std": math.sqrt(variance), "stderr": math.sqrt(variance / count)}[name]


def reduce(values: Sequence[Any], reducer: str) -> Any:
    """Several epochs of a sample as one score: mean, median, mode, max, at_least_k, pass_at_k."""
    numbers = [value_of(value) for value in values]
    name, _, k = reducer.rpartition("_")
    if name == "at_least":
        return 1.0 if sum(number >= 1 for number in numbers) >= int(k) else 0.0
    if name == "pass_at":
        return pass_at(numbers, int(k))
    if reducer == "mean":
        return sum(numbers) / len(numbers)
    if reducer == "median":
        ordered = sorted(numbers)
        middle = len(ordered) // 2
        return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
    if reducer == "mode":
        return Counter(values).most_common(1)[0][0]
    return max(values, key=value_of)


def pass_at(numbers: Sequence[float], k: int) -> float:
    """1 - C(n - c, k) / C(n, k) for c of n right; nan with fewer than k."""
    total, right = len(numbers), sum(number >= 1 for number in numbers)
    if total < k:
        return float("nan")
    return 1 - comb(total - right, k) / comb(total, k)
