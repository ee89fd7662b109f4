"""Boxes: reading them out of replies, overlap, and the accuracies of RefCOCO, GroundingME and ScreenSpot.

Boxes are (x0, y0, x1, y1). `to_pixels` is the sound conversion: the convention is stated by the caller. The readers
below are those of the harnesses and guess it, as their published scores did.
Observed behaviour of VLMEvalKit at e8e78f05 (`dataset/refcoco.py`, `groundingme.py`, `GUI/screenspot.py`) and of
lmms-eval at 75571cfe (`tasks/refcoco`, `refcoco_grounding`, `screenspot`).
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

Box = Sequence[float]
Row = Mapping[str, Any]
Convention = Literal["pixel", "unit", "thousandths"]

NOTHING = (0.0, 0.0, 0.0, 0.0)
THRESHOLDS = (0.5, 0.75, 0.9)
# a number begins where no digit stands before it and gives nothing back: a long run of digits is gone through once
_NUMBER = r"-?(?<!\d)\d++(?:\.\d++)?+"
_LIST = re.compile(rf"\[\s*({_NUMBER})\s*,\s*({_NUMBER})\s*,\s*({_NUMBER})\s*,\s*({_NUMBER})\s*\]")
_FREE = r"(-?(?:(?<!\d)\d++\.?+\d*+|\.\d++)(?:[eE][+-]?\d++)?+)"
_FOUR = re.compile(r"[,\s]+".join([_FREE] * 4))


def to_pixels(box: Box, convention: Convention, width: int, height: int) -> list[float]:
    """A box in pixels, from the convention it is stated in. Raises ValueError for x1 < x0 or y1 < y0."""
    scale = {"pixel": (1.0, 1.0), "unit": (width, height), "thousandths": (width / 1000, height / 1000)}[convention]
    x0, y0, x1, y1 = (value * scale[n % 2] for n, value in enumerate(box))
    if x1 < x0 or y1 < y0:
        raise ValueError(f"the box ({x0:g}, {y0:g}, {x1:g}, {y1:g}) ends before it begins")
    return [x0, y0, x1, y1]


def iou(first: Box, second: Box) -> float:
    """Intersection over union; 0 for boxes without area."""
    width = min(first[2], second[2]) - max(first[0], second[0])
    height = min(first[3], second[3]) - max(first[1], second[1])
    shared = max(width, 0.0) * max(height, 0.0)
    union = _area(first) + _area(second) - shared
    return shared / union if union > 0 else 0.0


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def strict_iou(first: Box, second: Box) -> float:
    """ScreenSpot and lmms-eval: the same without a guard. Raises ZeroDivisionError for two boxes without area."""
    width = max(min(first[2], second[2]) - max(first[0], second[0]), 0)
    height = max(min(first[3], second[3]) - max(first[1], second[1]), 0)
    shared = width * height
    return shared / (_area(first) + _area(second) - shared)


def grounding_me_iou(first: Box, second: Box) -> float:
    """GroundingME: a first box of four zeros means "no such object" and is met by the same alone."""
    if tuple(first) == NOTHING:
        return float(tuple(second) == NOTHING)
    return iou(first, second)


def center_in(prediction: Box, target: Box) -> bool:
    """ScreenSpot: the middle of the predicted box lies in the target (edges included)."""
    x, y = (prediction[0] + prediction[2]) / 2, (prediction[1] + prediction[3]) / 2
    return target[0] <= x <= target[2] and target[1] <= y <= target[3]


# readers


def _json_value(text: str) -> Any:
    try:
        return json.loads(without_fence(text))
    except (ValueError, RecursionError):
        return None


def without_fence(text: str) -> str:
    """The text without the lines ```json and ``` around it."""
    body = text.strip()
    if body.startswith("```"):
        body = body.removeprefix("```").removeprefix("json").lstrip()
    return body.removesuffix("```").rstrip()


def grounding_me_box(text: str) -> list[float]:
    """A JSON `bbox_2d` of four or more numbers, else the last run of four numbers, else four zeros."""
    value = _json_value(text)
    if isinstance(value, list) and value and isinstance(value[-1], dict):
        value = value[-1]
    box = value.get("bbox_2d") if isinstance(value, dict) else None
    if isinstance(box, list) and len(box) >= 4:
        try:
            return [float(number) for number in box[:4]]
        except (TypeError, ValueError):
            pass
    found = re.findall(rf"({_NUMBER})[,\s]+({_NUMBER})[,\s]+({_NUMBER})[,\s]+({_NUMBER})", text)
    return [float(number) for number in found[-1]] if found else list(NOTHING)


def refcoco_box(text: str) -> list[float] | None:
    """The first four bracketed numbers, else the first four numbers anywhere (the 2 of `bbox_2d` included)."""
    bracketed = re.search(r"\[\s*" + r"\s*,\s*".join([_FREE] * 4) + r"\s*\]", text)
    numbers = bracketed.groups() if bracketed else re.findall(_FREE, text)[:4]
    return [float(number) for number in numbers] if len(numbers) == 4 else None


def first_list_box(text: str) -> list[float]:
    """lmms-eval (REC): the first four numbers in brackets, else four zeros."""
    found = _LIST.search(text)
    return [float(number) for number in found.groups()] if found else list(NOTHING)


def unit_box(text: str) -> list[float]:
    """lmms-eval (ScreenSpot): four numbers right after a bracket, as thousandths where one is above 1."""
    found = re.search(rf"[\[(]({_NUMBER}),\s*({_NUMBER}),\s*({_NUMBER}),\s*({_NUMBER})[\])]", text)
    box = [float(number) for number in found.groups()] if found else list(NOTHING)
    return [value / 1000 for value in box] if any(value > 1 for value in box) else box


def all_boxes(text: str) -> list[list[float]]:
    """lmms-eval (grounding): the JSON `bbox_2d` of each object, else every run of four numbers, in order."""
    value = _json_value(text)
    entries = value if isinstance(value, list) else [value]
    found = [entry.get("bbox_2d") for entry in entries if isinstance(entry, dict)]
    try:
        boxes = [[float(number) for number in box[:4]] for box in found if isinstance(box, list) and len(box) >= 4]
    except (TypeError, ValueError):
        return []
    return boxes or [[float(number) for number in match.groups()] for match in _FOUR.finditer(text)]


# scales


def refcoco_pixels(box: Box, width: int, height: int) -> list[float] | None:
    """VLMEvalKit guesses the scale: up to 1.5 unit, up to 1000 thousandths, else pixels; then orders and clips.

    Pixel answers below 1000 are so misread: state the convention and use `to_pixels` instead. None for an image
    without extent.
    """
    if width <= 0 or height <= 0:
        return None
    largest = max(abs(value) for value in box)
    factor = (width, height) if largest <= 1.5 else (width / 1000, height / 1000) if largest <= 1000 else (1, 1)
    xs = sorted(min(max(box[n] * factor[0], 0.0), float(width)) for n in (0, 2))
    ys = sorted(min(max(box[n] * factor[1], 0.0), float(height)) for n in (1, 3))
    return [xs[0], ys[0], xs[1], ys[1]]


def grounding_me_pixels(box: Box, width: int, height: int) -> list[float]:
    """GroundingME: up to 1 unit, else 999ths of the image."""
    if all(value <= 1 for value in box):
        return [box[0] * width, box[1] * height, box[2] * width, box[3] * height]
    return [box[0] / 999 * width, box[1] / 999 * height, box[2] / 999 * width, box[3] / 999 * height]


# accuracies


def rec_score(results: Sequence[Row], metric: str, measure: Any = strict_iou) -> float:
    """lmms-eval: mean of one metric over results with `bbox` and `pred`: IoU, ACC@threshold or Center_ACC."""
    if not results:
        return float("nan")
    return sum(_one(result["pred"], result["bbox"], metric, measure) for result in results) / len(results)


def _one(prediction: Box, target: Box, metric: str, measure: Any) -> float:
    if metric == "Center_ACC":
        return float(center_in(prediction, target))
    overlap = measure(target, prediction)
    return overlap if metric == "IoU" else float(overlap >= float(metric.removeprefix("ACC@")))


_SPLITS = (
    "RefCOCO_val", "RefCOCO_testA", "RefCOCO_testB", "RefCOCO+_val", "RefCOCO+_testA", "RefCOCO+_testB",
    "RefCOCOg_val", "RefCOCOg_test",
)  # fmt: skip


def refcoco_overlap(reply: str, target: Box, width: int, height: int) -> float:
    """IoU of the box that VLMEvalKit reads, at the scale that it guesses; 0 where it reads none."""
    box = refcoco_box(reply)
    pixels = refcoco_pixels(box, width, height) if box else None
    return iou(pixels, target) if pixels else 0.0


def refcoco_report(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Precision at IoU 0.5 (percent) and mean IoU of each known split, and their unweighted average."""
    groups: dict[str, list[float]] = {}
    for row in rows:
        target = [row[f"bbox_{name}"] for name in ("x1", "y1", "x2", "y2")]
        overlap = refcoco_overlap(str(row["prediction"]), target, row["width"], row["height"])
        groups.setdefault(row["split"], []).append(overlap)
    return refcoco_table(groups)


def refcoco_table(groups: Mapping[str, Sequence[float]]) -> list[dict[str, Any]]:
    """The report's rows from the overlaps of each split."""
    known = [_split_row(split, groups[split]) for split in _SPLITS if split in groups]
    table = known + [_split_row(split, members) for split, members in groups.items() if split not in _SPLITS]
    if known:
        means = {name: sum(row[name] for row in known) / len(known) for name in ("Precision@1", "Average IoU")}
        table.append({"Split": "Average", **means, "Samples": sum(row["Samples"] for row in known)})
    return table


def _split_row(split: str, overlaps: Sequence[float]) -> dict[str, Any]:
    hits = sum(overlap >= 0.5 for overlap in overlaps)
    return {
        "Split": split,
        "Precision@1": 100 * hits / len(overlaps),
        "Average IoU": sum(overlaps) / len(overlaps),
        "Samples": len(overlaps),
    }


def grounding_me_report(rows: Sequence[Row]) -> dict[str, float]:
    """Mean IoU and accuracies, in all and by subtask; the better of two readings (pixels, scaled) counts.

    A rejection, and a gold that cannot be read, has four zeros as its box: a reply without a box is right there.
    """
    return grounding_me_table(rows, [best_reading(row) for row in rows])


def grounding_me_table(rows: Sequence[Row], overlaps: Sequence[float]) -> dict[str, float]:
    """The report from each row's overlap."""
    groups: dict[str, list[float]] = {}
    subtasks: dict[str, list[float]] = {}
    for row, overlap in zip(rows, overlaps, strict=True):
        groups.setdefault(row["subtask_l1"], []).append(overlap)
        if row["subtask_l2"]:
            subtasks.setdefault(f"{row['subtask_l1']}_{row['subtask_l2']}", []).append(overlap)
    table = {"IoU": sum(overlaps) / len(overlaps)} | _accuracies("", overlaps)
    for name, members in groups.items():
        table |= _accuracies(f"{name}_", members)
    for name, members in subtasks.items():
        table |= _accuracies(f"{name}_", members, THRESHOLDS[:1])
    return table


def best_reading(row: Row) -> float:
    """GroundingME: the better IoU of the reply's box taken as pixels and as 999ths or shares of the image."""
    try:
        target = [float(value) for value in ast.literal_eval(row["answer"])]
    except (ValueError, SyntaxError, TypeError):
        target = list(NOTHING)
    if row["subtask_l1"] == "Rejection":
        target = list(NOTHING)
    box = grounding_me_box(str(row["prediction"]))
    readings = (box, grounding_me_pixels(box, row["width"], row["height"]))
    return max(grounding_me_iou(target, reading) for reading in readings)


def _accuracies(prefix: str, overlaps: Sequence[float], thresholds: Sequence[float] = THRESHOLDS) -> dict[str, float]:
    return {
        f"{prefix}ACC@{threshold}": sum(overlap >= threshold for overlap in overlaps) / len(overlaps)
        for threshold in thresholds
    }


def best_of_boxes(reply: str, target_xywh: Box, size: Sequence[int]) -> dict[str, Any]:
    """lmms-eval (grounding): the best of all boxes read, as pixels or as thousandths, is scored."""
    x, y, width, height = target_xywh
    target = [float(x), float(y), float(x + width), float(y + height)]
    raw = all_boxes(reply)
    readings: list[list[float]] = []
    for box in raw:
        scaled = [value / 1000 * size[n % 2] for n, value in enumerate(box)]
        readings += [box, scaled]
    best = max(readings, key=lambda box: iou(box, target), default=[0.0, 0.0, 0.0, 0.0])
    metrics = ("IoU", "ACC@0.5", "ACC@0.9", "Center_ACC")
    return {
        "pred": best,
        "raw": raw,
        "gt": target,
        "metrics": {metric: _one(best, target, metric, iou) for metric in metrics},
    }
