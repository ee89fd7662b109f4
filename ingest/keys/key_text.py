"""Answers stated in prose: `故选 C`, `the answer is (B)`, `[A] faith`, `Correct answer: D because …`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .key_cells import narrow
from .key_values import canonical, parse_value, position, to_options, truth

_LABEL = r"[(\[（【〔]?\s*([A-Z]{1,6}|[①-⑳]|[甲乙丙丁戊己]|[ア-コ]|\d{1,2})\s*[)\]）】〕]?"
_LEADING = re.compile(rf"^\s*{_LABEL}(?![A-Za-z0-9])")
_STATED = re.compile(
    rf"(?:故(?:正確|正确)?(?:答案)?(?:[选選]|為|为|是)|(?:正確|正确)?答案(?:為|为|是|[选選])|因此(?:[选選](?:擇|择)?)|所以[选選]|应[选選]|應[选選]|"
    rf"(?:correct\s+)?answer\s*(?:is|[:：])|correct\s+(?:option|choice)\s*(?:is|[:：])|(?:hence|therefore|so),?\s+option)"
    rf"\s*(?:项|項|[选選]项)?\s*[:：]?\s*{_LABEL}(?![A-Za-z0-9])",
    re.IGNORECASE,
)


def stated_labels(text: str, labels: Sequence[str]) -> list[tuple[str, ...]]:
    """The sets of options that a text gives as the answer; empty where it names none for certain.

    A label at the very beginning counts, then what "the answer is" says; two different statements count
    as none.
    """
    plain = narrow(text).strip()
    first = plain.split("\n", 1)[0].strip()
    value = parse_value(first)
    if value.keylike and value.values and to_options(value.values, labels):
        return [value.values, *value.alternatives]
    match = _LEADING.match(plain)
    if match and (found := _options(match[1], labels)):
        return [found]
    said = {found for m in _STATED.finditer(plain) if (found := _options(m[1], labels))}
    return [next(iter(said))] if len(said) == 1 else []


def _options(text: str, labels: Sequence[str]) -> tuple[str, ...] | None:
    if len(text) == 1 or text.isdigit():
        return to_options((text,), labels)
    return to_options(tuple(text), labels) if position(text[0]) is not None else None


def truth_of(text: str) -> bool | None:
    """True or false as a text's first word says it."""
    words = re.split(r"[\s,.;:。，；：]+", text.strip(), maxsplit=1)
    return truth(words[0]) if words and canonical(words[0]) else None
