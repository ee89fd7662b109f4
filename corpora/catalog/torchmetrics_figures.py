"""The official figures of the defects family by torchmetrics itself, where it is installed.

torchmetrics needs torch, 750 MB on a processor alone: without it `defects` makes the same figures with scikit-learn,
equal within float32. Right in it: the IoU of masks. Wrong in it, and left as it is since the official figures are made
so: scores outside [0, 1] go through a float32 sigmoid, batch by batch, so that 17, 18, 19, 20 become as good as equal.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module, metadata
from typing import Any

import numpy as np
from numpy.typing import ArrayLike


@cache
def version() -> str | None:
    """The version of torchmetrics; None where it, or the torch that it needs, cannot be imported."""
    try:
        import_module("torchmetrics")
    except ImportError:
        return None
    return metadata.version("torchmetrics")


def _tensor(values: ArrayLike, kind: type[np.generic]) -> Any:
    import torch

    return torch.from_numpy(np.array(values, dtype=kind))


def anomalib_auroc(*batches: tuple[ArrayLike, ArrayLike]) -> float:
    """BinaryAUROC over batches (scores, labels), on all thresholds; 0 where only one class is there."""
    from torchmetrics.classification import BinaryAUROC

    classes = np.concatenate([np.asarray(labels).ravel() for _, labels in batches])
    if not classes.any() or classes.all():
        return 0.0  # torchmetrics' value too, which it warns of
    metric: Any = BinaryAUROC()
    for scores, labels in batches:
        metric.update(_tensor(scores, np.float32).ravel(), _tensor(labels, np.int64).ravel())
    return float(metric.compute())


def jaccard(
    prediction: ArrayLike,
    target: ArrayLike,
    classes: int,
    average: str | None = "macro",
    ignore: int | None = None,
) -> float | list[float]:
    """MulticlassJaccardIndex: IoU pooled over all pixels, averaged as `defects.jaccard` says."""
    from torchmetrics.classification import MulticlassJaccardIndex

    metric: Any = MulticlassJaccardIndex(num_classes=classes, average=average, ignore_index=ignore)  # type: ignore[arg-type]
    value = metric(_tensor(prediction, np.int64).ravel(), _tensor(target, np.int64).ravel())
    return value.tolist()
