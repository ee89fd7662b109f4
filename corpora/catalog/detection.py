"""Detection by average precision: COCO's and LVIS's own evaluators (the extra [score]).

Sources: pycocotools (COCOeval) and lvis (LVISEval) do all of the counting; this module feeds them plain records and
reads their figures. Records: ground truth `{image_id, category_id, bbox [x, y, w, h]}`, detections with a `score`.
"""

from __future__ import annotations

import contextlib
import io
import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...schemas.errors import UsageError

Record = Mapping[str, Any]
_COCO_NAMES = ("AP", "AP50", "AP75", "APs", "APm", "APl", "AR1", "AR10", "AR100", "ARs", "ARm", "ARl")
NO_TRUTH = -1.0


def _numbered(truth: Sequence[Record]) -> list[dict[str, Any]]:
    """Annotations with the ids, areas and crowd flags that the evaluators ask for."""
    return [
        {
            "id": number,
            "area": record["bbox"][2] * record["bbox"][3],
            "iscrowd": 0,
            "segmentation": [],
            **record,
        }
        for number, record in enumerate(truth, 1)
    ]


def coco_ap(
    truth: Sequence[Record],
    detections: Sequence[Record],
    images: Sequence[Record],
    categories: Sequence[Record],
) -> dict[str, Any]:
    """COCO's twelve figures for boxes and the AP of each category; -1 where there is no ground truth."""
    try:
        from pycocotools.coco import COCO
        from pycocotools.cocoeval import COCOeval
    except ImportError as error:
        raise UsageError("average precision needs pycocotools: install exam2bench[score]") from error
    with contextlib.redirect_stdout(io.StringIO()):
        gold: Any = COCO()
        gold.dataset = {
            "info": {},
            "images": list(images),
            "categories": list(categories),
            "annotations": _numbered(truth),
        }
        gold.createIndex()
        found: Any = gold.loadRes([dict(record) for record in detections]) if detections else COCO()
        if not detections:
            found.dataset = {**gold.dataset, "annotations": []}
            found.createIndex()
        evaluator = COCOeval(gold, found, "bbox")
        evaluator.evaluate()
        evaluator.accumulate()
        evaluator.summarize()
    precision = evaluator.eval["precision"][:, :, :, 0, 2]
    per_category: dict[str, float] = {}
    for place, category in enumerate(evaluator.params.catIds):
        values = precision[:, :, place]
        values = values[values > -1]
        per_category[str(category)] = float(values.mean()) if values.size else NO_TRUTH
    stats = {name: float(value) for name, value in zip(_COCO_NAMES, evaluator.stats, strict=True)}
    return {"stats": stats, "per_category_AP": per_category}


@contextlib.contextmanager
def _numpy_float() -> Iterator[None]:
    """lvis 0.5.3 still says np.float, which numpy removed in 1.24."""
    missing = not hasattr(np, "float")
    if missing:
        np.float = float  # type: ignore[attr-defined]
    try:
        yield
    finally:
        if missing:
            del np.float  # type: ignore[attr-defined]


def lvis_ap(
    truth: Sequence[Record],
    detections: Sequence[Record],
    images: Sequence[Record],
    categories: Sequence[Record],
) -> dict[str, float]:
    """LVIS's figures for boxes: federated (only categories checked on an image count there), up to 300 an image."""
    try:
        import lvis
    except ImportError as error:
        raise UsageError("LVIS needs the package lvis: install exam2bench[score]") from error
    gold = lvis.LVIS.__new__(lvis.LVIS)
    gold.logger = logging.getLogger("lvis")
    gold.dataset = {"images": list(images), "categories": list(categories), "annotations": _numbered(truth)}
    with _numpy_float(), contextlib.redirect_stdout(io.StringIO()):
        gold._create_index()
        results = _lvis_results(lvis, gold, detections)
        evaluator = lvis.LVISEval(gold, results, "bbox")
        evaluator.run()
    return {name: float(value) for name, value in evaluator.get_results().items()}


def _lvis_results(lvis: Any, gold: Any, detections: Sequence[Record]) -> Any:
    """The detections as the evaluator takes them; the package cannot read a run that detects nothing."""
    logging.getLogger("lvis.results").setLevel(logging.ERROR)
    if detections:
        return lvis.LVISResults(gold, [dict(record) for record in detections], max_dets=300)
    empty = lvis.LVISResults.__new__(lvis.LVISResults)
    empty.logger = gold.logger
    empty.dataset = {**gold.dataset, "annotations": []}
    empty._create_index()
    return empty
