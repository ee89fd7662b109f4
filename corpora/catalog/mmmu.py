"""MMMU: choices and open answers as lmms-eval reads them.

Observed behaviour of lmms-eval `tasks/mmmu/utils.py` and `tasks/_task_utils/mmmu_mcq_utils.py` at 75571cfe, which
follow the released evaluation of MMMU (Yue et al. 2024). Where the reference draws a random option, this module
returns None: a reply without an answer is not an answer.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

_EDGES = ",.!?;:'"
_KEYS = ("could be ", "so ", "is ", "thus ", "therefore ", "final ", "answer ", "result ")
_GROUPED = re.compile(r"-?\b\d{1,3}(?:,\d{3})+\b")
# a number begins where no digit stands before it and gives nothing back: a long run of digits is gone through once
_SCIENTIFIC = re.compile(r"-?(?<!\d)\d++(?:\.\d++)?+[eE][+-]?\d+")
_PLAIN = re.compile(r"-?(?:(?<!\d)\d++\.\d++|\.\d++|(?<!\d)\d++\b)(?![eE][+-]?\d+)(?![,\d])")
_LONG_REPLY = 5


def parse_choice(reply: str, options: Sequence[str]) -> str | None:
    """The last option named: in parentheses, else as a lone letter, else (in a longer reply) by its text."""
    letters = [chr(ord("A") + n) for n in range(len(options))]
    text = f" {_without_edges(reply)} "
    for shape, place in (("({})", "({})"), ("{} ", " {} "), ("{}.", " {} ")):
        named = [letter for letter in letters if shape.format(letter) in text]
        if named:
            # the place is looked for as a word of its own, where a letter may end a word or have a full stop: -1
            return max(named, key=lambda letter: text.rfind(place.format(letter)))
    if len(text.split()) <= _LONG_REPLY:
        return None
    lower = text.lower()
    found = [n for n, option in enumerate(options) if option.lower() in lower]
    return letters[max(found, key=lambda n: lower.rfind(options[n].lower()))] if found else None


def _without_edges(reply: str) -> str:
    """The reply without signs at its ends, each sign stripped once and in their order: "B,." keeps its comma."""
    for sign in _EDGES:
        reply = reply.strip(sign)
    return reply


def parse_video_choice(reply: str, options: Sequence[str]) -> str | None:
    """Video-MMMU: like `parse_choice`, but a letter with a full stop or colon goes before a lone one, the last wins."""
    letters = [chr(ord("A") + n) for n in range(len(options))]
    text = f" {_without_edges(reply)} "
    for shapes in (("({})",), ("{}.", "{}:"), ("{} ",)):
        places = {letter: max(text.rfind(shape.format(letter)) for shape in shapes) for letter in letters}
        named = [letter for letter in letters if places[letter] >= 0]
        if named:
            return max(named, key=lambda letter: places[letter])
    return parse_choice(reply, options) if len(text.split()) > _LONG_REPLY else None


def parse_japanese_choice(reply: str, letters: Sequence[str]) -> str | None:
    """JMMMU-Pro: the last option letter that stands alone, full-width forms folded; a lone small letter counts."""
    text = unicodedata.normalize("NFKC", reply).strip()
    if text.upper() in letters:
        return text.upper()
    alone = re.findall(rf"(?<![A-Za-z.])([{''.join(letters)}])(?![A-Za-z]|\.[A-Za-z])", text)
    return alone[-1] if alone else None


def is_number(text: str) -> bool:
    try:
        float(text.replace(",", ""))
    except ValueError:
        return False
    return True


def normalize(text: str) -> list[str | float]:
    """A number to two decimals; a single letter with a blank before or behind it, so as a word; else lower case."""
    text = text.strip()
    if is_number(text):
        return [round(float(text.replace(",", "")), 2)]
    text = text.lower()
    return [f" {text}", f"{text} "] if len(text) == 1 else [text]


def extract_numbers(text: str) -> list[str]:
    """Numbers with thousands commas, then in scientific notation, then plain ones."""
    return [*_GROUPED.findall(text), *_SCIENTIFIC.findall(text), *_PLAIN.findall(text)]


def _key_phrases(reply: str) -> list[str]:
    """What follows the last sign of a conclusion in each sentence; the whole reply where no sentence has one."""
    text = reply.strip().strip(".").lower()
    sentences = re.split(r"\.\s(?=[A-Z])|\n", text)
    phrases: list[str] = []
    for n, sentence in enumerate(sentences):
        keys = (*_KEYS, "=") if n == len(sentences) - 1 else _KEYS
        shortest = ""
        for tail in (sentence.split(key)[-1].strip() for key in keys if key in sentence):
            # an empty tail gives way to the next one, whatever its length
            if not shortest or len(tail) < len(shortest):
                shortest = tail
        if shortest and shortest not in tuple(_EDGES):
            phrases.append(shortest)
    return phrases or [text]


def parse_open(reply: str) -> set[str | float]:
    """Everything in an open reply that could be its answer, normalised."""
    phrases = _key_phrases(reply)
    pieces = [*phrases, *(number for phrase in phrases for number in extract_numbers(phrase))]
    return {value for piece in pieces for value in normalize(piece)}


def is_open_hit(gold: str | Sequence[str], read: Sequence[str | float] | set[str | float]) -> bool:
    """A number equal to a gold number, or a text that holds a gold text."""
    golds = [value for text in ([gold] if isinstance(gold, str) else gold) for value in normalize(text)]
    texts = [value for value in golds if isinstance(value, str)]
    return any(any(text in value for text in texts) if isinstance(value, str) else value in golds for value in read)


def is_choice_hit(gold: str | Sequence[str], read: str) -> bool:
    return read == gold if isinstance(gold, str) else read in gold


def judge_samples(samples: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Each sample right or wrong, and the accuracy."""
    verdicts: dict[str, str] = {}
    for sample in samples:
        read = sample["parsed_pred"][0]
        rule = is_choice_hit if sample["question_type"] == "multiple-choice" else is_open_hit
        verdicts[sample["id"]] = "Correct" if rule(sample["answer"], read) else "Wrong"
    right = sum(verdict == "Correct" for verdict in verdicts.values())
    return {"judge": verdicts, "acc": right / len(samples) if samples else 0}


def weighted_accuracy(results: Mapping[str, Mapping[str, float]]) -> float:
    """Accuracies of the subjects weighted by their numbers of examples; 0 without any."""
    total = sum(result["num_example"] for result in results.values())
    return sum(result["acc"] * result["num_example"] for result in results.values()) / total if total else 0
