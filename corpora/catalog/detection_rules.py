"""Detections: the boxes of images as predictions give them, and COCO's and LVIS's figures of whole sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...schemas.errors import BundleError
from ...schemas.printable import printable
from . import detection
from .records import is_number

Record = Mapping[str, Any]
Row = Mapping[str, Any]


def _detection(entry: Any, name: str) -> dict[str, Any]:
    box = entry.get("bbox") if isinstance(entry, Mapping) else None
    if not isinstance(box, list | tuple) or len(box) != 4:
        raise BundleError(f"{name} has a detection without a bbox of x, y, width, height")
    numbers = [*box, entry.get("score", 0.0)]
    if not all(map(is_number, numbers)):
        raise BundleError(f"{name} has a detection whose bbox or score is no number: {printable(entry, 80)}")
    if box[2] < 0 or box[3] < 0:
        raise BundleError(f"{name} has a box that ends before it begins (width {box[2]:g}, height {box[3]:g})")
    if "category_id" not in entry:
        raise BundleError(f"{name} has a detection without a category_id")
    _check_category(entry["category_id"], name)
    return {"category_id": entry["category_id"], "bbox": [float(n) for n in box], "score": entry.get("score")}


def _check_category(kind: Any, name: str) -> None:
    if isinstance(kind, bool) or not isinstance(kind, int):
        raise BundleError(f"{name} has the category_id {printable(kind, 40)}, which is no whole number")


def detections(reply: Any, record: Record) -> list[dict[str, Any]] | None:
    """The detections of one image: category_id, bbox x, y, width, height in pixels, score. An empty list finds none."""
    if not isinstance(reply, list):
        return None
    name = f"the image {printable(record.get('id'))}"
    found = [_detection(entry, name) for entry in reply]
    if any(entry["score"] is None for entry in found):
        raise BundleError(f"{name} has a detection without a score, by which detections are ranked")
    return found


def _boxes(rows: Sequence[Row]) -> tuple[list[Any], list[Any], list[Any], list[Any]]:
    """Truth, detections, images and categories as COCO's and LVIS's evaluators take them, images numbered from 1.

    A federated set (records with `neg_category_ids`) judges a detection only where its category was checked.
    """
    truth: list[dict[str, Any]] = []
    found: list[dict[str, Any]] = []
    images: list[dict[str, Any]] = []
    categories: dict[Any, dict[str, Any]] = {}
    for number, row in enumerate(rows, 1):
        lists = {key: list(row.get(key) or []) for key in ("neg_category_ids", "not_exhaustive_category_ids")}
        images.append({"id": number, **lists})
        for entry in row.get("boxes") or []:
            truth.append({"image_id": number, **_gold_detection(entry, f"the record {printable(row['id'])}")})
            _add_category(categories, entry["category_id"], entry.get("frequency"))
        for kind in lists["neg_category_ids"]:
            _check_category(kind, f"the record {printable(row['id'])}")
            _add_category(categories, kind, None)
        found += [{**entry, "image_id": number} for entry in row["extracted"] or []]
    strange = next((entry["category_id"] for entry in found if entry["category_id"] not in categories), None)
    if strange is not None and not any(image["neg_category_ids"] for image in images):
        raise BundleError(f"there are detections of the category {printable(strange, 40)}, which no record has")
    found = [entry for entry in found if entry["category_id"] in categories]
    return truth, found, images, [categories[kind] for kind in sorted(categories)]


def _gold_detection(entry: Any, name: str) -> dict[str, Any]:
    """A gold box with what the evaluators heed beside it: area, and whether it is a crowd."""
    found = _detection(entry, name)
    gold = {"category_id": found["category_id"], "bbox": found["bbox"]}
    if entry.get("frequency") not in (None, "r", "c", "f"):
        raise BundleError(f"{name} has the frequency {printable(entry['frequency'], 40)}, not r, c or f")
    for key in ("area", "iscrowd"):
        if entry.get(key) is not None:
            if not is_number(entry[key]):
                raise BundleError(f"{name} has the {key} {printable(entry[key], 40)}, which is no number")
            gold[key] = entry[key]
    return gold


def _add_category(categories: dict[Any, dict[str, Any]], kind: Any, frequency: str | None) -> None:
    """LVIS counts how rare a category is by its `frequency` (r, c, f), which a gold box states; frequent without."""
    known = categories.setdefault(kind, {"id": kind, "name": str(kind), "frequency": "f"})
    if frequency is not None:
        known["frequency"] = frequency


def coco(rows: Sequence[Row]) -> dict[str, Any]:
    """COCO's figures for boxes and each category's AP, by pycocotools."""
    table = detection.coco_ap(*_boxes(rows))
    return {**table["stats"], "category": table["per_category_AP"]}


def lvis(rows: Sequence[Row]) -> dict[str, Any]:
    """LVIS's figures for boxes, by the package lvis."""
    return dict(detection.lvis_ap(*_boxes(rows)))
