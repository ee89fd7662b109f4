"""Defect detection (MVTec AD, VisA, QGround): AUROC, average precision, F1, PRO and IoU.

scikit-learn makes the curves and their areas, scipy the connected regions. Per-region overlap (PRO), Bergmann et al.
2021: the mean over the connected defect regions of the share found, against the global false positive rate, up to a
limit; no library has it right (anomalib's AUPRO exceeds 1). Official view: anomalib 161bb369 on torchmetrics 1.9.0, in
float32, whose fault is repeated by `squash`: scores outside [0, 1] go through a float32 sigmoid first, which makes
distant scores equal. `auroc` and `average_precision` are the sound ones beside it. torchmetrics itself, where it is
installed, is in `torchmetrics_figures`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...schemas.errors import UsageError

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


def _metrics() -> Any:
    """sklearn.metrics. Raises UsageError where scikit-learn is not installed, or too old to count at thresholds."""
    try:
        from sklearn import metrics
    except ImportError:
        metrics = None
    if not hasattr(metrics, "confusion_matrix_at_thresholds"):
        raise UsageError(
            "AUROC and PRO need scikit-learn 1.8 or newer: pip install 'exam2bench[defects]', or scikit-learn alone, "
            "since the extra brings torchmetrics with torch too"
        )
    return metrics


def _flat(scores: Any, labels: ArrayLike, kind: type[np.floating[Any]]) -> tuple[Floats, NDArray[np.int64]]:
    return np.asarray(scores, dtype=kind).ravel(), np.asarray(labels, dtype=np.int64).ravel()


def auroc(scores: ArrayLike, labels: ArrayLike) -> float:
    """Area under the ROC curve, scikit-learn's; nan where only one class is there."""
    return _auroc(*_flat(scores, labels, np.float64))


def _auroc(values: Floats, classes: NDArray[np.int64]) -> float:
    if not classes.any() or classes.all():
        return float("nan")
    return float(_metrics().roc_auc_score(classes, values))


def average_precision(scores: ArrayLike, labels: ArrayLike) -> float:
    """Sum of precision times the step of recall, scikit-learn's; 0 without a positive."""
    values, classes = _flat(scores, labels, np.float64)
    return float(_metrics().average_precision_score(classes, values)) if classes.any() else 0.0


def anomalib_auroc(*batches: tuple[ArrayLike, ArrayLike]) -> float:
    """AUROC over batches, each squashed for itself as torchmetrics does it; 0 where only one class is there."""
    values = np.concatenate([squash(scores).ravel() for scores, _ in batches])
    classes = np.concatenate([np.asarray(labels, dtype=np.int64).ravel() for _, labels in batches])
    area = _auroc(values, classes)
    return 0.0 if np.isnan(area) else area


def anomalib_aupr(scores: ArrayLike, labels: ArrayLike) -> float:
    """Trapezoid under the precision-recall curve from (recall 0, precision 1); not the average precision.

    Points of equal recall are joined by the one of the lowest threshold; without a positive, recall is 1 throughout.
    """
    values, classes = _flat(squash(scores), labels, np.float32)
    _, false, _, true, _ = _metrics().confusion_matrix_at_thresholds(classes, values, pos_label=1)
    recall = true / true[-1] if true[-1] else np.ones(len(true))
    rising = np.append(recall[::-1], 0.0)
    precision = np.append((true / (true + false))[::-1], 1.0)
    order = np.argsort(rising, kind="stable")
    return float(np.trapezoid(precision[order], rising[order]))


def f1_max(scores: ArrayLike, labels: ArrayLike) -> dict[str, float]:
    """The best F1 over all thresholds and the lowest score that reaches it (score >= threshold is a defect)."""
    values, classes = _flat(scores, labels, np.float32)
    _, false, missed, true, thresholds = _metrics().confusion_matrix_at_thresholds(classes, values, pos_label=1)
    rising = (2 * true / (2 * true + false + missed))[::-1]
    best = int(np.argmax(rising))
    return {"f1_max": float(rising[best]), "threshold": float(thresholds[::-1][best])}


def connected_regions(mask: ArrayLike) -> NDArray[np.int64]:
    """Regions of a binary mask numbered from 1 in scan order; pixels that touch at a corner are connected."""
    return _regions(np.asarray(mask), np.ones((3, 3), dtype=int))


def _regions(mask: NDArray[Any], structure: NDArray[np.int64]) -> NDArray[np.int64]:
    from scipy import ndimage

    labelled, _ = ndimage.label(mask > 0, structure=structure)  # type: ignore[misc]
    return np.asarray(labelled, dtype=np.int64)


def anomalib_regions(mask: ArrayLike) -> NDArray[np.int64]:
    """The same, but a mask that is defect all over has no region: anomalib takes the first label for background."""
    regions = connected_regions(mask)
    return regions if (regions == 0).any() else np.zeros_like(regions)


def _stacked_regions(masks: Sequence[ArrayLike]) -> NDArray[np.int64]:
    """Region numbers of all masks, unique over them: pixels of different masks are never connected."""
    within = np.zeros((3, 3, 3), dtype=int)
    within[1] = 1
    return _regions(np.stack([np.asarray(mask) for mask in masks]), within)


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

    PRO is the true positive rate of scikit-learn's ROC curve where each defect pixel weighs 1 / its region's size.
    nan where there is no defect or no sound pixel. anomalib's AUPRO approaches this value on maps without equal
    scores; it resamples each region's curve by index and is wrong elsewhere (0.5 for a perfect binary map, 1.132).
    """
    regions = _stacked_regions(masks).ravel()
    defect = regions > 0
    if not defect.any() or defect.all():
        return float("nan")
    size = np.bincount(regions)
    weight = np.where(defect, 1 / np.maximum(size, 1)[regions], 1.0)
    scores = np.asarray(maps, dtype=float).ravel()
    false, overlap, _ = _metrics().roc_curve(defect, scores, sample_weight=weight)
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
    inside = x <= limit
    # where the curve rises at the limit itself, the rise has no area: interpolating there would take its top
    ends = [] if x[inside][-1] == limit else [(limit, np.interp(limit, x, y))]
    cut_x, cut_y = (np.append(values[inside], [end[n] for end in ends]) for n, values in enumerate((x, y)))
    return float(np.trapezoid(cut_y, cut_x) / limit)


def _pairs(prediction: ArrayLike, target: ArrayLike, classes: int, ignore: int | None = None) -> NDArray[np.int64]:
    """How many pixels of each class (row) were given each class (column), those of the class `ignore` left out.

    Raises ValueError for a class outside 0 to classes - 1.
    """
    a, b = np.asarray(prediction, dtype=np.int64).ravel(), np.asarray(target, dtype=np.int64).ravel()
    if ignore is not None:
        a, b = a[b != ignore], b[b != ignore]
    if a.size and (min(a.min(), b.min()) < 0 or max(a.max(), b.max()) >= classes):
        raise ValueError(f"a mask holds a class outside 0 to {classes - 1}")
    return np.bincount(b * classes + a, minlength=classes * classes).reshape(classes, classes)


def _unions(pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    return pairs.sum(axis=0) + pairs.sum(axis=1) - np.diag(pairs)


def _ious(pairs: NDArray[np.int64]) -> Floats:
    """Intersection over union of each class; nan for one that neither side holds."""
    union = _unions(pairs)
    return np.where(union > 0, np.diag(pairs) / np.maximum(union, 1), np.nan)


def jaccard(
    prediction: ArrayLike,
    target: ArrayLike,
    classes: int,
    average: str | None = "macro",
    ignore: int | None = None,
) -> float | list[float]:
    """Pooled IoU: per class (`none`, an absent class 0), averaged over the classes seen, weighted, or over all pixels.

    Pixels whose target is the class `ignore` are left out, and so is that class; nan where nothing is left (micro: 0).
    Equal to torchmetrics' MulticlassJaccardIndex, for machines without it.
    """
    pairs = _pairs(prediction, target, classes, ignore)
    counted = np.arange(classes) != ignore
    if average == "micro":
        hits, union = np.trace(pairs), _unions(pairs)[counted].sum()
        return float(hits / union) if union else 0.0
    ious = _ious(pairs)
    if average in (None, "none"):
        return [float(iou) for iou in np.nan_to_num(ious)]
    weights = pairs.sum(axis=1) if average == "weighted" else (counted & ~np.isnan(ious)).astype(np.int64)
    return float((np.nan_to_num(ious) * weights).sum() / weights.sum()) if weights.sum() else float("nan")


def binary_jaccard(scores: ArrayLike, target: ArrayLike, threshold: float = 0.5) -> float:
    """IoU of the pixels above the threshold with the defect."""
    return float(np.nan_to_num(_ious(_pairs(squash(scores) > threshold, target, 2)))[1])


def mean_iou(
    predictions: ArrayLike, targets: ArrayLike, classes: int, *, background: bool = True, per_class: bool = False
) -> float | list[float]:
    """IoU averaged over all pairs of an image and a class that it holds; per class, one that no image holds is -1."""
    pictures = zip(np.asarray(predictions), np.asarray(targets), strict=True)
    table = np.array([_ious(_pairs(one, other, classes)) for one, other in pictures]).reshape(-1, classes)
    table = table[:, 0 if background else 1 :]
    seen = ~np.isnan(table)
    if not per_class:
        return float(table[seen].mean()) if seen.any() else float("nan")
    means = [float(column[held].mean()) if held.any() else ABSENT for column, held in zip(table.T, seen.T, strict=True)]
    return means if len(means) > 1 else means[0]
