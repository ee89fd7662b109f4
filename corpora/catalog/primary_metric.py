"""Which of a benchmark's figures stands in the leaderboard, by VLMEvalKit's rule.

Observed behaviour of VLMEvalKit `dataset/image_base.py` at e8e78f05: only the top-ranked name is looked at, words
match inside other words ("Vaccine" holds "acc"), ties go to the alphabetically first name.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

_SPLITS = ("test", "val", "validation", "dev")


def _rank(name: str) -> tuple[int, int]:
    """Smaller is better: overall alone, of a split (test, val, dev), anywhere; accuracy; score; the rest."""
    lower = name.lower()
    head, bar, last = lower.rpartition("|")
    split = head.removeprefix("split=")
    order = _SPLITS.index(split) if head.startswith("split=") and split in _SPLITS else len(_SPLITS)
    if lower == "overall":
        return 0, 0
    if bar and last == "overall":
        return (1, order) if head.startswith("split=") else (2, 0)
    if "overall" in lower:
        return 3, 0
    if last == "acc":
        return 4, order
    if "acc" in lower:
        return (5, 0) if lower == "accuracy" else (6, 0)
    return (7 if "score" in lower else 8), 0


def choose_key(metrics: Mapping[str, Any]) -> str | None:
    """The name of the primary metric; None where there is none at all."""
    return min(metrics, key=lambda name: (_rank(name), name)) if metrics else None


def primary_metric(metrics: Mapping[str, Any]) -> dict[str, float]:
    """The primary metric's name and value; empty where its value is no finite number."""
    key = choose_key(metrics)
    if key is None:
        return {}
    value = metrics[key]
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return {}
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        return {}
    return {key: value}
