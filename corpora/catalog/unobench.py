"""UNO-Bench: text containment, list answers, subset means and the compositional law.

Observed behaviour of meituan-longcat/UNO-Bench `uno-eval/` at 53f66b22; the law is that of its paper.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...grade.uno_protocol import score_share


def literal_list(target: str) -> list[Any]:
    """A target that is written as a Python list, as that list; anything else as its only member."""
    try:
        value = ast.literal_eval(target)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return [target]
    return value if isinstance(value, list) else [target]


def contains_target(target: str, prediction: str) -> int:
    """1 where one of the target texts stands in the prediction, case and line breaks aside (an empty one does)."""

    def fold(text: str) -> str:
        return text.strip().lower().replace("\n", " ")

    return int(any(fold(text) in fold(prediction) for text in literal_list(target)))


def subset_means(rows: Sequence[Mapping[str, str]]) -> dict[str, dict[str, float]]:
    """Count and mean score share of each subset."""
    shares: dict[str, list[float]] = {}
    for row in rows:
        shares.setdefault(row["subset"], []).append(score_share(row["score_response"]))
    return {subset: {"count": len(group), "avg": sum(group) / len(group)} for subset, group in shares.items()}


def compositional_law(audio: Sequence[float], visual: Sequence[float], omni: Sequence[float]) -> dict[str, float]:
    """Least-squares fit of omni = C * (audio * visual) ** alpha + b, with its R squared."""
    from scipy.optimize import curve_fit

    product = np.asarray(audio) * np.asarray(visual)
    target = np.asarray(omni)

    def law(x: np.ndarray, scale: float, alpha: float, offset: float) -> np.ndarray:
        return scale * x**alpha + offset

    (scale, alpha, offset), _ = curve_fit(law, product, target, p0=(1.0, 1.0, 0.0), maxfev=20_000)
    residual = ((target - law(product, scale, alpha, offset)) ** 2).sum()
    total = ((target - target.mean()) ** 2).sum()
    return {"C": float(scale), "alpha": float(alpha), "b": float(offset), "R2": float(1 - residual / total)}
