"""CountQA: counting objects, by EvalScope's rules.

Observed behaviour of evalscope `benchmarks/count_qa/count_qa_adapter.py` and `filters/extraction.py` at fde259d2.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

NO_MATCH = "[invalid]"
RELAXED = 0.05
MAX_DIGITS = 1000
"""Digits of a count: answers go to 400, and Python refuses to convert more than 4,300."""
_INTEGER = re.compile(r"\d+")


def parse_count(reply: str) -> int | None:
    """The first run of digits (of any script) as a number; None where there is none, or one that counts nothing."""
    match = _INTEGER.search(reply)
    return int(match.group()) if match and len(match.group()) <= MAX_DIGITS else None


def extract_count(reply: str) -> str:
    """The first integer as text, empty where there is none."""
    count = parse_count(reply)
    return "" if count is None else str(count)


def regex_filter(reply: str, pattern: str, group_select: int = 0, fallback: str = NO_MATCH) -> str:
    """The match at position `group_select` among all matches (-1: the last), stripped; `fallback` without any.

    Where the pattern has groups, a match is its first group that took part. Raises IndexError past the matches.
    """
    found = re.findall(pattern, reply)
    if not found:
        return fallback
    chosen = found[group_select]
    if isinstance(chosen, tuple):
        taken = [part for part in chosen if part]
        chosen = taken[0] if taken else fallback
    return chosen.strip()


def count_score(prediction: str, reference: str) -> dict[str, Any]:
    """Exact accuracy, and accuracy within 5 % of the gold (a gold of 0 stays exact)."""
    extracted = extract_count(prediction)
    gold = int(reference)
    if not extracted:
        return {"extracted": "", "acc": 0.0, "relaxed_acc": 0.0, "main": "acc"}
    error = abs(int(extracted) - gold)
    relaxed = error <= RELAXED * gold if gold else error == 0
    return {"extracted": extracted, "acc": float(error == 0), "relaxed_acc": float(relaxed), "main": "acc"}


def mean_scores(rows: Sequence[Mapping[str, str]]) -> dict[str, float]:
    scores = [count_score(row["prediction"], row["reference"]) for row in rows]
    return {
        "accuracy": sum(score["acc"] for score in scores) / len(scores),
        "relaxed_acc": sum(score["relaxed_acc"] for score in scores) / len(scores),
    }


def targets(questions: Sequence[str], answers: Sequence[object]) -> list[str]:
    """An image carries several questions: one target for each that has an answer."""
    return [str(answer).strip() for _, answer in zip(questions, answers, strict=False)]
