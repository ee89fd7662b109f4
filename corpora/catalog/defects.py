"""Defect detection (MVTec AD, VisA, QGround): AUROC, average precision, F1, PRO and IoU.

Formulas: AUROC and average precision as in scikit-learn; per-region overlap (PRO), Bergmann et al. 2021: the mean
over the connected defect regions of the share found, against the global false positive rate, up to a limit.
Official view: anomalib 161bb369 on torchmetrics 1.9.0, in float32. Known to be wrong there, kept where it is that
view: scores outside [0, 1] go through a float32 sigmoid first, which makes distant scores equal. `auroc` and
`average_precision` are the sound ones beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.floating[Any]]
PRO_LIMIT = 0.3
PRO_THRESHOLD = 0.5
ABSENT = -1.0


def squash(scores: ArrayLike) -> NDArray[np.float32]:
    """torchmetrics' reading of scores: float32, and through a sigmoid where any lies outside [0, 1].

    Raises ValueError for nan, which the reference lets decide the result.
    """
    values = np.asarray(scores, dtype=np.float32)
    if np.isnan(values).any():
        raise ValueError("a score is not a number")
    if values.size and (values.min() < 0 or values.max() > 1):
        with np.errstate(over="ignore"):
            values = np.float32(1) / (np.float32(1) + np.exp(-values))
    return values


def _curve(scores: Floats, labels: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """True and false positives at each distinct score, from the highest score down."""
    order = np.argsort(-scores, kind="stable")
    ranked, hits = scores[order], labels[order]
    last = np.append(np.diff(ranked) != 0, True)
    true = np.cumsum(hits)[last].astype(float)
    return true, np.arange(1.0, len(hits) + 1)[last] - true


def auroc(scores: ArrayLike, labels: ArrayLike) -> float:
    """Area under the ROC curve; nan where only one class is there."""
    values, classes = np.asarray(scores, dtype=float).ravel(), np.asarray(labels, dtype=np.int64).ravel()
    return _auroc(values, classes)


def _auroc(values: Floats, classes: NDArray[np.int64]) -> float:
    positives = int(classes.sum())
    negatives = len(classes) - positives
    if not positives or not negatives:
        return float("nan")
    true, false = _curve(values, classes)
    return float(np.trapezoid(np.append(0, true), np.append(0, false)) / (positives * negatives))


def average_precision(scores: ArrayLike, labels: ArrayLike) -> float:
    """Sum of precision times the step of recall; 0 without a positive."""
    values, classes = np.asarray(scores, dtype=float).ravel(), np.asarray(labels, dtype=np.int64).ravel()
    positives = classes.sum()
    if not positives:
        return 0.0
    true, false = _curve(values, classes)
    return float((np.diff(np.append(0, true)) / positives * (true / (true + false))).sum())


def anomalib_auroc(*batches: tuple[ArrayLike, ArrayLike]) -> float:
    """AUROC over batches, each squashed for itself; 0 where only one class is there."""
    values = np.concatenate([squash(scores).ravel() for scores, _ in batches])
    classes = np.concatenate([np.asarray(labels, dtype=np.int64).ravel() for _, labels in batches])
    area = _auroc(values, classes)
    return 0.0 if np.isnan(area) else area


def anomalib_aupr(scores: ArrayLike, labels: ArrayLike) -> float:
    """Trapezoid under the precision-recall curve from (recall 0, precision 1); not the average precision.

    Points of equal recall are joined by the one of the lowest threshold; without a positive, recall is 1 throughout.
    """
    values, classes = squash(scores).ravel(), np.asarray(labels, dtype=np.int64).ravel()
    positives = int(classes.sum())
    true, false = _curve(values, classes)
    recall = true / positives if positives else np.ones(len(true))
    rising = np.append(recall[::-1], 0.0)
    precision = np.append((true / (true + false))[::-1], 1.0)
    order = np.argsort(rising, kind="stable")
    return float(np.trapezoid(precision[order], rising[order]))


def f1_max(scores: ArrayLike, labels: ArrayLike) -> dict[str, float]:
    """The best F1 over all thresholds and the lowest score that reaches it (score >= threshold is a defect)."""
    values = np.asarray(scores, dtype=np.float32).ravel()
    classes = np.asarray(labels, dtype=np.int64).ravel()
    true, false = _curve(values, classes)
    rising = (2 * true / (true + false + classes.sum()))[::-1]
    best = int(np.argmax(rising))
    return {"f1_max": float(rising[best]), "threshold": float(np.unique(values)[best])}


def connected_regions(mask: ArrayLike) -> NDArray[np.int64]:
    """Regions of a binary mask numbered from 1 in scan order; pixels that touch at a corner are connected."""
    from scipy import ndimage

    labelled, _ = ndimage.label(np.asarray(mask) > 0, structure=np.ones((3, 3)))  # type: ignore[misc]
    return np.asarray(labelled, dtype=np.int64)


def anomalib_regions(mask: ArrayLike) -> NDArray[np.int64]:
    """The same, but a mask that is defect all over has no region: anomalib takes the first label for background."""
    regions = connected_regions(mask)
    return regions if (regions == 0).any() else np.zeros_like(regions)


def _stacked_regions(masks: Sequence[ArrayLike]) -> NDArray[np.int64]:
    """Region numbers of all masks, unique over them."""
    stack: list[NDArray[np.int64]] = []
    seen = 0
    for mask in masks:
        regions = connected_regions(mask)
        stack.append(np.where(regions > 0, regions + seen, 0))
        seen += int(regions.max(initial=0))
    return np.stack(stack)


def pro(maps: Sequence[ArrayLike], masks: Sequence[ArrayLike], threshold: float = PRO_THRESHOLD) -> float:
    """Mean over the defect regions of the share of their pixels above the threshold; 1 without a defect."""
    regions = _stacked_regions(masks)
    found = np.asarray(maps, dtype=np.float32) > threshold
    count = int(regions.max(initial=0))
    if not count:
        return 1.0
    size = np.bincount(regions.ravel(), minlength=count + 1)[1:]
    hits = np.bincount(regions.ravel(), weights=found.ravel().astype(float), minlength=count + 1)[1:]
    return float((hits / size).mean())


def au_pro(maps: Sequence[ArrayLike], masks: Sequence[ArrayLike], limit: float = PRO_LIMIT) -> float:
    """Area under PRO over the false positive rate up to `limit`, divided by it; equal scores are one step.

    nan where there is no defect or no sound pixel. anomalib's AUPRO approaches this value on maps without equal
    scores; it resamples each region's curve by index and is wrong elsewhere (0.5 for a perfect binary map).
    """
    regions = _stacked_regions(masks).ravel()
    scores = np.asarray(maps, dtype=float).ravel()
    count, sound = int(regions.max(initial=0)), int((regions == 0).sum())
    if not count or not sound:
        return float("nan")
    size = np.bincount(regions, minlength=count + 1)
    order = np.argsort(-scores, kind="stable")
    ranked = regions[order]
    last = np.append(np.diff(scores[order]) != 0, True)
    false = (np.cumsum(ranked == 0) / sound)[last]
    overlap = np.cumsum(np.where(ranked > 0, 1 / (count * size[ranked]), 0.0))[last]
    return _area_to(false, np.clip(overlap, 0, 1), limit)


def mvtec_au_pro(maps: Sequence[ArrayLike], masks: Sequence[ArrayLike], limit: float = PRO_LIMIT) -> float:
    """MVTec's tool: a step for each sound pixel, at the overlap of what scores strictly above it.

    Equal scores of sound pixels are so split into several steps.
    """
    regions = _stacked_regions(masks).ravel()
    scores = np.asarray(maps, dtype=float).ravel()
    count = int(regions.max(initial=0))
    sound = np.sort(scores[regions == 0])[::-1]
    if not count or not len(sound):
        return float("nan")
    overlap = np.zeros(len(sound))
    for region in range(1, count + 1):
        inside = np.sort(scores[regions == region])
        overlap += 1 - np.searchsorted(inside, sound, side="right") / len(inside)
    return _area_to(np.arange(len(sound)) / len(sound), overlap / count, limit)


def _area_to(false: Floats, overlap: Floats, limit: float) -> float:
    """Trapezoid from (0, 0) over the curve to the limit, interpolated there; the curve ends in (1, 1)."""
    x, y = np.concatenate([[0.0], false, [1.0]]), np.concatenate([[0.0], overlap, [1.0]])
    inside = x < limit
    cut = float(np.interp(limit, x, y))
    return float(np.trapezoid(np.append(y[inside], cut), np.append(x[inside], limit)) / limit)


def _class_iou(prediction: NDArray[np.int64], target: NDArray[np.int64], kind: int) -> float | None:
    """Intersection over union of one class; None where neither holds it."""
    a, b = prediction == kind, target == kind
    union = int((a | b).sum())
    return int((a & b).sum()) / union if union else None


def jaccard(
    prediction: ArrayLike,
    target: ArrayLike,
    classes: int,
    average: str | None = "macro",
    ignore: int | None = None,
) -> float | list[float]:
    """Pooled IoU: per class (`none`, an absent class 0), averaged over the classes seen, weighted, or over all pixels.

    Pixels whose target is the class `ignore` are left out, and so is that class; nan where nothing is left.
    """
    a, b = np.asarray(prediction, dtype=np.int64).ravel(), np.asarray(target, dtype=np.int64).ravel()
    if ignore is not None:
        a, b = a[b != ignore], b[b != ignore]
    if average == "micro":
        hits = int((a == b).sum())
        return hits / (2 * a.size - hits) if a.size else float("nan")
    ious = [_class_iou(a, b, kind) for kind in range(classes)]
    if average in (None, "none"):
        return [iou or 0.0 for iou in ious]
    weights = [0 if iou is None or kind == ignore else 1 for kind, iou in enumerate(ious)]
    if average == "weighted":
        weights = [int((b == kind).sum()) for kind in range(classes)]
    total = sum((iou or 0.0) * weight for iou, weight in zip(ious, weights, strict=True))
    return total / sum(weights) if sum(weights) else float("nan")


def binary_jaccard(scores: ArrayLike, target: ArrayLike, threshold: float = 0.5) -> float:
    """IoU of the pixels above the threshold with the defect."""
    found = (squash(scores) > threshold).astype(np.int64)
    return _class_iou(found, np.asarray(target, dtype=np.int64), 1) or 0.0


def mean_iou(
    predictions: ArrayLike, targets: ArrayLike, classes: int, *, background: bool = True, per_class: bool = False
) -> float | list[float]:
    """IoU averaged over all pairs of an image and a class that it holds; per class, one that no image holds is -1."""
    a, b = np.asarray(predictions, dtype=np.int64), np.asarray(targets, dtype=np.int64)
    kinds = range(0 if background else 1, classes)
    table = [[_class_iou(one, other, kind) for kind in kinds] for one, other in zip(a, b, strict=True)]
    if not per_class:
        seen = [iou for row in table for iou in row if iou is not None]
        return sum(seen) / len(seen) if seen else float("nan")
    columns = [[iou for iou in column if iou is not None] for column in zip(*table, strict=True)]
    means = [sum(column) / len(column) if column else ABSENT for column in columns]
    return means if len(means) > 1 else means[0]
