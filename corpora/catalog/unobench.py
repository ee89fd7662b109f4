"""UNO-Bench: text containment, list answers, subset means and the compositional law.

Observed behaviour of meituan-longcat/UNO-Bench `uno-eval/` at 53f66b22; the law is that of its paper.
"""

from __future__ import annotations

import ast
import math
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...grade.uno_protocol import FULL, extract_score, score_share
from ...schemas.errors import BundleError
from ...schemas.printable import printable


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
    from scipy.optimize import OptimizeWarning, curve_fit

    product = np.asarray(audio) * np.asarray(visual)
    target = np.asarray(omni)

    def law(x: np.ndarray, scale: float, alpha: float, offset: float) -> np.ndarray:
        return scale * x**alpha + offset

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        # figures that fix no constants: the caller is told by values that are not finite
        warnings.simplefilter("ignore", OptimizeWarning)
        (scale, alpha, offset), _ = curve_fit(law, product, target, p0=(1.0, 1.0, 0.0), maxfev=20_000)
        residual = ((target - law(product, scale, alpha, offset)) ** 2).sum()
        total = ((target - target.mean()) ** 2).sum()
    fit = float(1 - residual / total) if total else math.nan
    return {"C": float(scale), "alpha": float(alpha), "b": float(offset), "R2": fit}


def scorer_mark(reply: str, record: Mapping[str, Any]) -> float | None:
    """The UNO-Scorer's mark of 0 to 10, not clamped, from the last score tag; None for a reply without a tag."""
    return extract_score(reply) if "<score>" in reply else None


def share_of_full(read: Any, record: Mapping[str, Any]) -> dict[str, float]:
    """The mark as a share of full marks; none is 0, as the released code has it."""
    return {"share": 0.0 if read is None else float(read) / FULL}


def uno_table(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The mean share over all replies, and count and mean of each subset."""
    table: dict[str, Any] = {"Average": sum(row["share"] for row in rows) / len(rows)}
    subsets: dict[str, list[float]] = {}
    for row in rows:
        if row.get("subset") is not None:
            subsets.setdefault(str(row["subset"]), []).append(row["share"])
    return table | {name: {"count": len(group), "avg": sum(group) / len(group)} for name, group in subsets.items()}


def law_report(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The compositional law over models: the fit, and how far each model's omni score lies from it.

    `rows`: `model`, `audio`, `visual`, `omni`, the scores as shares of 1. Raises BundleError for fewer than four models
    (the law has three constants) and for scores outside 0 to 1.
    """
    models: list[str] = []
    scores: list[list[float]] = []
    for row in rows:
        name = printable(row.get("model"))
        values = [row.get(kind) for kind in ("audio", "visual", "omni")]
        if any(isinstance(v, bool) or not isinstance(v, int | float) or not 0 <= v <= 1 for v in values):
            raise BundleError(f"the model {name} has not the scores audio, visual and omni as shares of 0 to 1")
        models.append(str(row.get("model")))
        scores.append([float(value) for value in values if value is not None])
    if len(models) < 4:
        raise BundleError(f"the law has three constants: {len(models)} models do not test it, four are the least")
    if len(set(models)) < len(models):
        raise BundleError("a model stands twice among the figures")
    audio, visual, omni = (list(column) for column in zip(*scores, strict=True))
    try:
        law = compositional_law(audio, visual, omni)
    except RuntimeError as error:
        raise BundleError(f"no constants of the law fit these figures: {printable(error, 100)}") from error
    fitted = [law["C"] * (a * v) ** law["alpha"] + law["b"] for a, v in zip(audio, visual, strict=True)]
    if not all(math.isfinite(value) for value in (*law.values(), *fitted)):
        raise BundleError("no constants of the law fit these figures")
    table = [
        {"model": model, "audio": a, "visual": v, "omni": o, "law": f, "above": o - f}
        for model, a, v, o, f in zip(models, audio, visual, omni, fitted, strict=True)
    ]
    return {"law": law, "models": table}
