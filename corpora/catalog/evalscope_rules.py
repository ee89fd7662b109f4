"""EvalScope's text rules: declared answers, choices, yes/no, ANLS.

Observed behaviour of modelscope/evalscope at fde259d2: `utils/multi_choices.py`, `metrics/nlp/metrics.py` and the
adapters of ChartQA, DocVQA, MMMU, POPE and HallusionBench.
"""

from __future__ import annotations

import json
import re
import string
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from .open_text import levenshtein

Row = Mapping[str, Any]
_ENGLISH = re.compile(r"ANSWER\s*:\**\s*")
_CHINESE = re.compile(r"答案\s*[:：]\s*")
_OPENING = "([{<【（*"
_RUN = re.compile(r"[A-Z\d ,，]+")
_HALF = 0.5


def answer_character(index: int) -> str:
    """Label of an option: A to Z, then 1, 2, …"""
    return string.ascii_uppercase[index] if index < 26 else str(index - 25)


def answer_index(label: str) -> int:
    """Place of a label; raises ValueError for a sign that is neither letter nor digit nor blank nor comma."""
    if label.isdigit():
        return 25 + int(label)
    if label.isalpha() or label in (" ", ","):
        return ord(label.upper()) - ord("A")
    raise ValueError(f"{label!r} is no option label")


def parse_choices(reply: str, count: int, *, several: bool = False, chinese: bool = False) -> frozenset[str]:
    """The capitals after the last declaration that names an option; without any, the last capital of the reply."""
    labels = {answer_character(n) for n in range(count)}
    for tail in reversed((_CHINESE if chinese else _ENGLISH).split(reply)[1:]):
        run = _RUN.match(unicodedata.normalize("NFKC", tail.lstrip(_OPENING)) if not chinese else tail.lstrip(_OPENING))
        named = [sign for sign in run.group() if sign in labels] if run else []
        if named:
            return frozenset(named) if several or len(named) == 1 else frozenset()
    capitals = re.findall(r"[A-Z]", reply)
    return frozenset(capitals[-1:]) if capitals and capitals[-1] in labels else frozenset()


def declared_text(reply: str, *, whole: bool) -> str:
    """What follows `ANSWER:` on its line; without it the whole reply, or nothing."""
    found = re.search(r"ANSWER:\s*(.*)", reply)
    if found:
        return found.group(1).strip()
    return reply.strip() if whole else ""


def normalize_text(text: str) -> str:
    return text.strip().lower()


def exact_accuracy(prediction: str, reference: str) -> float:
    return float(normalize_text(prediction) == normalize_text(reference))


def inclusion_accuracy(prediction: str, reference: str) -> float:
    """Whether the prediction stands in the reference (not the other way round)."""
    return float(prediction in reference)


def multi_choice_accuracy(prediction: str, reference: str) -> float:
    """Share of the right options picked; 0 where anything wrong is picked (blanks and commas count as picked)."""
    picked, right = set(prediction.strip().upper()), set(reference.strip().upper())
    return len(picked & right) / len(right) if picked and picked <= right else 0.0


def anls(prediction: str, reference: str) -> float:
    """Best similarity over the golds (a JSON list, or one text), kept from 0.5 on."""
    try:
        golds = json.loads(reference)
    except ValueError:
        golds = [reference]
    if not isinstance(golds, list):
        raise ValueError(f"the reference {reference[:40]!r} is neither a text nor a list of texts")
    return max(_similarity(prediction, gold) for gold in golds)


def _similarity(prediction: str, gold: str) -> float:
    ours, theirs = (" ".join(text.lower().split()) for text in (prediction, gold))
    length = max(len(ours), len(theirs))
    similarity = 1 - levenshtein(ours, theirs) / length if length else 1.0
    return similarity if similarity >= _HALF else 0.0


def yes_no_hit(prediction: str, reference: str) -> int:
    """Whether the gold word is a substring of the reply in capitals: "nothing" holds NO."""
    return int(reference in prediction.upper())


def pope_report(rows: Sequence[Row]) -> dict[str, float]:
    """Accuracy, precision, recall, F1 and share of yes; a reply without the gold word counts as the other one."""
    pairs = []
    for row in rows:
        gold = row["answer"] == "YES"
        hit = bool(yes_no_hit(row["prediction"], row["answer"]))
        pairs.append((gold if hit else not gold, gold))
    true = sum(said and gold for said, gold in pairs)
    said = sum(said for said, _ in pairs)
    golds = sum(gold for _, gold in pairs)
    precision, recall = true / said if said else 0.0, true / golds if golds else 0.0
    return {
        "accuracy": sum(said == gold for said, gold in pairs) / len(pairs),
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall) if precision + recall else 0.0,
        "yes_ratio": said / len(pairs),
    }


def _all_right(rows: Sequence[Row], *keys: str) -> tuple[float, int]:
    """Share of the groups of rows with equal keys that are right throughout, and how many groups there are."""
    groups: dict[tuple[Any, ...], list[bool]] = {}
    for number, row in enumerate(rows):
        key = tuple(row[name] for name in keys) if keys else (number,)
        groups.setdefault(key, []).append(bool(yes_no_hit(row["prediction"], row["answer"])))
    return sum(all(hits) for hits in groups.values()) / len(groups), len(groups)


_LEVELS = {
    "answer": (),
    "figure": ("subcategory", "set_id", "figure_id"),
    "question": ("subcategory", "set_id", "question_id"),
}


def hallusion_report(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Accuracy over answers, figures and questions, per subcategory, per category, and overall."""
    report: list[dict[str, Any]] = []
    for level in ("subcategory", "category"):
        for name in sorted({row[level] for row in rows}):
            members = [row for row in rows if row[level] == name]
            report += _levels(members, {"category": name, "level": level})
    return report + _levels(rows, {"level": "overall"})


def _levels(rows: Sequence[Row], dims: dict[str, str]) -> list[dict[str, Any]]:
    entries = []
    for target, keys in _LEVELS.items():
        score, number = _all_right(rows, *keys)
        entries.append({"dims": {**dims, "target": target}, "score": score, "num": number})
    return entries
