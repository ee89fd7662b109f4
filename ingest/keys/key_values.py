"""What a key's value says: option labels, a number, true or false, alternatives, void, or 'answered in writing'."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from .key_cells import narrow
from .key_words import ALTERNATIVE, FALSE_WORDS, TRUE_WORDS, VOID, WRITTEN

ALPHABETS = (
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳",
    "❶❷❸❹❺❻❼❽❾❿",
    "ⒶⒷⒸⒹⒺⒻⒼⒽ",
    "甲乙丙丁戊己庚辛壬癸",
    "一二三四五六七八九十",
    "㈠㈡㈢㈣㈤㈥㈦㈧㈨㈩",
    "가나다라마바사아자차",
    "㉠㉡㉢㉣㉤㉥",
    "ㄱㄴㄷㄹㅁㅂㅅㅇ",
    "アイウエオカキクケコサシスセソタチツテト",
    "あいうえおかきくけこ",
    "イロハニホヘト",
    "АБВГДЕЖЗ",
    "أبجده",
    "ΑΒΓΔΕ",
)
"""Alphabets of option labels; a digit stands for itself."""

_NUMBER = re.compile(r"^[+\-−–]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:[.,]\d+)?(?:\s*/\s*\d+)?%?$")
_SEPARATORS = re.compile(r"[\s,，、;；.．。·&+＋]+|\band\b|\bund\b|\bet\b|\by\b|\be\b|和|與|及")
_BRACKETS = str.maketrans("", "", "()[]（）〔〕【】「」<>〈〉\"'“”")


@dataclass(frozen=True)
class Value:
    """A value as the key prints it (`raw`), and what it says.

    `values` are the labels to be picked together, or the one text; `alternatives` are other sets that are
    accepted as well; `every`: any answer counts; `written`: not answered by picking.
    """

    raw: str
    values: tuple[str, ...] = ()
    alternatives: tuple[tuple[str, ...], ...] = ()
    every: bool = False
    written: bool = False
    keylike: bool = False
    """Short enough and of a form that answer keys use."""


@lru_cache(maxsize=65536)
def parse_value(raw: str) -> Value:
    """Read a key's cell: `B`, `BDE`, `3,4,5`, `①`, `ACDE 或 ABCDE`, `Anulado`, `答A或C給分`, `／`, `-12`, `True`."""
    text = narrow(raw).strip()
    if not text:
        return Value(raw)
    if VOID.search(text):
        named = _named_labels(text)
        if not named:
            return Value(raw, every=True, keylike=True)
    if WRITTEN.search(text):
        return Value(raw, written=True, keylike=True)
    bare = text.translate(_BRACKETS).strip()
    if _NUMBER.match(bare):
        return Value(raw, (bare,), keylike=True)
    parts = [p for p in ALTERNATIVE.split(bare) if p.strip()]
    sets = [labels for part in parts if (labels := _labels(part))]
    if sets and len(sets) == len(parts):
        return Value(raw, sets[0], tuple(sets[1:]), keylike=True)
    if bare.casefold() in TRUE_WORDS | FALSE_WORDS:
        return Value(raw, (bare,), keylike=True)
    named = _named_labels(text)
    if named:
        return Value(raw, named[0], tuple(named[1:]), keylike=True)
    if re.fullmatch(r"[A-L]{2,8}|[甲乙丙丁戊己]{2,6}", bare):
        return Value(raw, (bare,), keylike=True)  # an order, `DBAC`
    return Value(raw, (text,), keylike=False)


def _labels(text: str) -> tuple[str, ...]:
    """The option labels that make up `text`, in order; empty where it is something else."""
    compact = _SEPARATORS.sub(" ", text.strip()).strip()
    pieces = compact.split(" ")
    if all(piece.isdigit() and len(piece) <= 2 for piece in pieces) and len(pieces) > 1:
        return tuple(pieces)
    joined = "".join(pieces)
    if not joined or len(joined) > 10:
        return ()
    upper = joined.upper() if joined.isascii() else joined
    for alphabet in ALPHABETS:
        if all(ch in alphabet for ch in upper) and len(set(upper)) == len(upper):
            if len(upper) > 1 and (joined.islower() or not _rising(upper, alphabet)):
                return tuple(upper) if len(pieces) == len(joined) else ()
            return tuple(upper)
    return ()


def _rising(text: str, alphabet: str) -> bool:
    places = [alphabet.index(ch) for ch in text]
    return places == sorted(places) and (alphabet != ALPHABETS[0] or places[-1] < 12)


def _named_labels(text: str) -> list[tuple[str, ...]]:
    """Labels inside an amendment's sentence: `答A或C者給分`, `A or C accepted`, `第7題答(B)或(D)均給分`."""
    match = re.search(
        r"(?<![A-Za-z])[(（]?([A-Z①-⑩甲乙丙丁]{1,6})[)）]?(?:\s*(?:或者?|\bor\b|\bou\b|/|、|,|及|和|\band\b)\s*[(（]?([A-Z①-⑩甲乙丙丁]{1,6})[)）]?)+(?![A-Za-z])",
        text,
    )
    if not match:
        single = re.fullmatch(
            r"(?:答案?|更正(?:答案)?為?|應為|→|->)?\s*[(（]?([A-Z①-⑩]{1,6})[)）]?\s*(?:者|均|皆)?(?:給分|正確)?[。.]?",
            text,
        )
        return [labels] if single and (labels := _labels(single[1])) else []
    found = [
        _labels(part) for part in re.findall(r"[A-Z①-⑩甲乙丙丁]{1,6}", match[0].replace("or", "").replace("OR", ""))
    ]
    return [labels for labels in found if labels]


def choice_labels(values: Sequence[str]) -> tuple[str, ...]:
    """`values` as option labels where they were read as one number or text: `1,3` is 1 and 3."""
    found: list[str] = []
    for value in values:
        pieces = [p for p in _SEPARATORS.split(value.translate(_BRACKETS)) if p]
        if len(pieces) == 1 and any(all(ch in alphabet for ch in pieces[0]) for alphabet in ALPHABETS):
            pieces = list(pieces[0])
        found.extend(pieces if all(len(p) <= 2 for p in pieces) else [value])
    return tuple(found)


def same_label(a: str, b: str) -> bool:
    return canonical(a) == canonical(b)


@lru_cache(maxsize=65536)
def canonical(label: str) -> str:
    """A label without brackets and width, upper case: `(Ａ)` and `a` are `A`; circled numbers stay circled."""
    return narrow(label).translate(_BRACKETS).strip(" .。、:：．").upper()


def position(label: str) -> int | None:
    """The place of a label in its alphabet, from 0: `C`, `3`, `③`, `丙`, `ウ` are all 2. None where it has none."""
    text = canonical(label)
    if text.isdigit() and text.isascii():
        return int(text) - 1
    if len(text) != 1:
        return None
    for alphabet in ALPHABETS:
        if text in alphabet:
            return alphabet.index(text)
    return None


def to_options(labels: Sequence[str], options: Sequence[str]) -> tuple[str, ...] | None:
    """The printed option ids that `labels` name: the same label, else the same place in another alphabet.

    None where a label names no option (`F` of five options). Answers stay in the options' order.
    """
    by_label = {canonical(option): option for option in options}
    found: list[str] = []
    for label in labels:
        option = by_label.get(canonical(label))
        if option is None:
            place = position(label)
            places = [position(o) for o in options]
            same_script = _script(label) in {_script(o) for o in options}
            if place is None or same_script or place not in places:
                return None
            option = options[places.index(place)]
        found.append(option)
    return tuple(o for o in options if o in found)


def _script(label: str) -> str:
    text = canonical(label)
    if text.isdigit() and text.isascii():
        return "digits"
    return next((a for a in ALPHABETS if text and text[0] in a), text)


def truth(text: str) -> bool | None:
    """True or False as the key says it, in some twenty languages; None where it says neither."""
    bare = canonical(text).casefold()
    if bare in TRUE_WORDS:
        return True
    if bare in FALSE_WORDS:
        return False
    return None


def joined(value: Value, other: Value) -> Value:
    """`value` with `other`'s answers accepted as well."""
    return replace(
        value, alternatives=(*value.alternatives, other.values, *other.alternatives), every=value.every or other.every
    )
