"""Boxes and points: readers and marks under the names that cards use.

The harnesses guess the scale of a box or point (`guessed_scale` says how, for the report). The readers `stated_…`
take the convention that the user states; values that cannot be in it are an error of the whole file, found before
anything is scored (`fits`).
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from ...schemas.errors import BundleError
from ...schemas.printable import printable
from . import boxes, points
from .boxes import Convention
from .records import is_number

Record = Mapping[str, Any]
Numbers = list[float]

# gives nothing back: replies are hostile, and a long run of digits is gone through once
_NUMBER = r"[-+]?(?:(?<!\d)\d++\.?+\d*+|\.\d++)(?:[eE][-+]?\d++)?+"
_BETWEEN = r"(?:\s{0,8},\s{0,8}|\s{1,8})"  # bounded: replies are hostile
_TOLERANCE = 1e-6


def size_of(record: Record) -> tuple[int, int]:
    """Width and height of the record's image in pixels. Raises BundleError where they are missing or not positive."""
    size = record.get("size") or (record.get("width"), record.get("height"))
    values = _numbers_of(size)
    if values is None or len(values) != 2 or min(values) <= 0:
        raise BundleError(f"the record {printable(record.get('id'))} has no image size (width and height in pixels)")
    return int(values[0]), int(values[1])


def _numbers_of(value: Any) -> Numbers | None:
    """A list of finite numbers, also where it is written as text; None for anything else."""
    if isinstance(value, str):
        try:
            value = ast.literal_eval(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return None
    if not isinstance(value, list | tuple):
        return None
    return [float(item) for item in value] if all(map(is_number, value)) else None


def gold_box(record: Record, form: Literal["corners", "size"] = "corners") -> Numbers:
    """The gold box as corners in pixels, from corners or from x, y, width, height. Raises BundleError for none."""
    box = _numbers_of(record["box"])
    name = printable(record.get("id"))
    if box is None or len(box) != 4:
        raise BundleError(f"the gold box of {name} is not four numbers: {printable(record['box'], 60)}")
    if form == "size":
        box = [box[0], box[1], box[0] + box[2], box[1] + box[3]]
    if box[2] < box[0] or box[3] < box[1]:
        raise BundleError(f"the gold box of {name} ends before it begins: {printable(record['box'], 60)}")
    return box


# readers


def refcoco_box(reply: str, record: Record) -> Numbers | None:
    return boxes.refcoco_box(reply)


def groundingme_box(reply: str, record: Record) -> Numbers | None:
    """Four zeros, GroundingME's "no such object", where the reply holds no box: it is an answer there, never unread."""
    return boxes.grounding_me_box(reply)


def lmms_rec_box(reply: str, record: Record) -> Numbers | None:
    read = boxes.first_list_box(reply)
    return None if tuple(read) == boxes.NOTHING else read


def aguvis_point(reply: str, record: Record) -> Numbers | None:
    try:
        read = points.aguvis_point(reply)
    except ValueError:
        return None
    return None if read == [0.0, 0.0] else read


def evalscope_point(reply: str, record: Record) -> Numbers | None:
    return points.bracket_point(reply)


def stated_box(reply: Any, record: Record, *, convention: Convention) -> Numbers | None:
    """The one box of a reply, in the stated convention, as pixels; none where two differ or where it is inverted."""
    read = raw_box(reply)
    if read is None or is_inverted(read):
        return None
    return boxes.to_pixels(read, convention, *size_of(record))


def stated_point(reply: Any, record: Record, *, convention: Convention) -> Numbers | None:
    """The one point of a reply, or the middle of its one box, in the stated convention, as pixels."""
    read = raw_points(reply)
    if not read:
        box = raw_box(reply)
        read = [[(box[0] + box[2]) / 2, (box[1] + box[3]) / 2]] if box else []
    if len({tuple(point) for point in read}) != 1:
        return None
    return _pixels(read[0], convention, record)


def stated_points(reply: Any, record: Record, *, convention: Convention) -> list[Numbers] | None:
    """All points of a reply in the stated convention, as pixels; an empty list says that there is none to show."""
    read = raw_points(reply)
    if not read and isinstance(reply, str) and reply.strip() not in ("[]", "none", "None"):
        return None
    return [_pixels(point, convention, record) for point in read]


def _pixels(point: Sequence[float], convention: Convention, record: Record) -> Numbers:
    width, height = size_of(record)
    scale = {"pixel": (1.0, 1.0), "unit": (width, height), "thousandths": (width / 1000, height / 1000)}[convention]
    return [point[0] * scale[0], point[1] * scale[1]]


def raw_box(reply: Any) -> Numbers | None:
    """Four numbers as they stand: a list, `bbox_2d` in JSON, or the one bracketed run of four in a text.

    Different boxes in one reply are no answer.
    """
    entries = _json_entries(reply, ("bbox_2d", "bbox", "box"))
    if not isinstance(reply, str):
        entries += [reply, *(reply if isinstance(reply, list) else [])]
    named = [box for box in map(_numbers_of, entries) if box and len(box) == 4]
    if not isinstance(reply, str):
        return named[0] if named and all(box == named[0] for box in named) else None
    bracketed = re.findall(r"[\[(<{]\s{0,8}" + _BETWEEN.join([f"({_NUMBER})"] * 4) + r"\s{0,8}[\])>}]", reply)
    found = named or [[float(number) for number in run] for run in bracketed]
    return found[0] if found and all(box == found[0] for box in found) else None


def raw_points(reply: Any) -> list[Numbers]:
    """Pairs as they stand: lists, `point_2d` in JSON, bracketed pairs, `x="…" y="…"` and `x=…, y=…`."""
    entries = _json_entries(reply, ("point_2d", "point"))
    if not isinstance(reply, str):
        entries += [reply, *(reply if isinstance(reply, list) else [])]
    named = [pair for pair in map(_numbers_of, entries) if pair and len(pair) == 2]
    if named or not isinstance(reply, str):
        return named
    tagged = re.findall(
        rf"\bx\d{{0,4}}\s{{0,4}}=\s{{0,4}}\"?\s{{0,4}}({_NUMBER})\"?\s{{0,4}},?\s{{0,4}}y\d{{0,4}}\s{{0,4}}=\s{{0,4}}\"?\s{{0,4}}({_NUMBER})",
        reply,
    )
    found = tagged or re.findall(rf"[\[(]\s{{0,8}}({_NUMBER}){_BETWEEN}({_NUMBER})\s{{0,8}}[\])]", reply)
    return [[float(x), float(y)] for x, y in found]


def _json_entries(reply: Any, keys: Sequence[str]) -> list[Any]:
    """What stands under one of the keys in an object, or in each object of a list: as data, or as JSON in a text."""
    value = reply
    if isinstance(reply, str):
        body = boxes.without_fence(reply)
        if body[:1] not in ("{", "[") or len(body) > 1_000_000:
            return []
        try:
            value = json.loads(body)
        except (ValueError, RecursionError):
            return []
    entries = value if isinstance(value, list) else [value]
    return [entry[key] for entry in entries if isinstance(entry, Mapping) for key in keys if key in entry]


# scales


def guessed_scale(values: Sequence[float]) -> Convention:
    """How VLMEvalKit and EvalScope take numbers: up to 1 (1.5 for boxes) unit, up to 1000 thousandths, else pixels."""
    largest = max(abs(value) for value in values)
    return "unit" if largest <= (1.5 if len(values) == 4 else 1) else "thousandths" if largest <= 1000 else "pixel"


def fits(values: Sequence[float], convention: Convention) -> bool:
    """Whether numbers can be meant in a convention: a box of pixels or thousandths is larger than one unit."""
    largest = max((abs(value) for value in values), default=0.0)
    if convention == "unit":
        return largest <= 1 + _TOLERANCE
    inside_one = 0 < largest <= 1
    return not inside_one and (convention == "pixel" or largest <= 1000 + _TOLERANCE)


def is_inverted(values: Sequence[float]) -> bool:
    """Whether a box's second corner lies left of or above its first. A point is never inverted."""
    return len(values) == 4 and (values[2] < values[0] or values[3] < values[1])


def raw_values(reply: Any) -> Numbers:
    """All coordinates of a reply as they stand, for the check of the stated convention."""
    box = raw_box(reply)
    return box if box is not None else [value for point in raw_points(reply) for value in point]


# marks


def refcoco_iou(read: Any, record: Record) -> dict[str, float]:
    pixels = boxes.refcoco_pixels(read, *size_of(record)) if read else None
    overlap = boxes.iou(pixels, gold_box(record)) if pixels else 0.0
    return {"hit": float(overlap >= boxes.THRESHOLDS[0]), "iou": overlap}


def groundingme_iou(read: Any, record: Record) -> dict[str, float]:
    width, height = size_of(record)
    box = list(boxes.NOTHING) if read is None else read
    row = {**record, "prediction": json.dumps(box), "width": width, "height": height}
    row["answer"] = str(record.get("box", record.get("answer")))
    overlap = boxes.best_reading(row) if read is not None else 0.0
    return {"hit": float(overlap >= boxes.THRESHOLDS[0]), "iou": overlap}


def lmms_rec(read: Any, record: Record, *, form: Literal["corners", "size"] = "corners") -> dict[str, float]:
    """lmms-eval's columns; gold and reply are compared as they stand, so the gold must be in the reply's scale."""
    result = {"pred": read or list(boxes.NOTHING), "bbox": gold_box(record, form)}
    names = ("IoU", "ACC@0.1", "ACC@0.3", "ACC@0.5", "ACC@0.7", "ACC@0.9", "Center_ACC")
    return {name: boxes.rec_score([result], name, boxes.iou) for name in names}


def box_iou(read: Any, record: Record, *, form: Literal["corners", "size"] = "corners") -> dict[str, float]:
    """IoU in pixels and whether it reaches 0.5, 0.75, 0.9. A gold of four zeros is met by four zeros alone."""
    gold = gold_box(record, form)
    if tuple(gold) == boxes.NOTHING:
        overlap = float(read is not None and tuple(read) == boxes.NOTHING)
    else:
        overlap = 0.0 if read is None else boxes.iou(read, gold)
    marks = {f"acc@{threshold:g}": float(overlap >= threshold) for threshold in boxes.THRESHOLDS}
    return {"hit": marks["acc@0.5"], "iou": overlap, **marks}


def screenspot(read: Any, record: Record) -> dict[str, float]:
    """The reference's hit; a reply without a point counts as the point (0, 0), a broken number as a format error."""
    target = _numbers_of(record["box"])
    if target is None or len(target) != 4:
        raise BundleError(f"the gold box of {printable(record.get('id'))} is not x, y, width, height")
    if read is None:
        return {"hit": 0.0, "format_error": 0.0}
    hit, error = points.screenspot_hit(f"x={read[0]}, y={read[1]}", target, size_of(record))
    return {"hit": float(hit), "format_error": float(error)}


def evalscope_point_in_box(read: Any, record: Record) -> dict[str, float]:
    """The point and the gold box as shares of the image, the point at the scale that EvalScope guesses."""
    if read is None:
        return {"hit": 0.0}
    width, height = size_of(record)
    x0, y0, x1, y1 = gold_box(record)
    unit = [x0 / width, y0 / height, x1 / width, y1 / height]
    return {"hit": float(points.in_box(points.unit_point(read, (width, height)), unit))}


def point_in_box(read: Any, record: Record, *, form: Literal["corners", "size"] = "corners") -> dict[str, float]:
    return {"hit": float(read is not None and points.in_box(read, gold_box(record, form)))}


def _gold_points(record: Record) -> tuple[list[Numbers], list[np.ndarray]]:
    """The gold points in pixels with a mask for each. Raises BundleError where they are none, or not one for one."""
    name = f"the record {printable(record.get('id'))}"
    golds, masks = [_numbers_of(point) for point in record["points"]], record.get("masks") or []
    if any(point is None or len(point) != 2 for point in golds):
        raise BundleError(f"{name} has a gold point that is not x and y")
    if not isinstance(masks, list) or len(masks) != len(golds):
        count = len(masks) if isinstance(masks, list) else "no list of"
        raise BundleError(f"{name} has {len(golds)} points and {count} masks: one each")
    try:
        regions = [np.asarray(mask, dtype=float) for mask in masks]
    except (TypeError, ValueError, OverflowError):
        regions = [np.empty(0)]
    if any(region.ndim != 2 for region in regions):
        raise BundleError(f"{name} has a mask that is no grid of numbers")
    return [point for point in golds if point is not None], regions


def molmo_pointing(read: Any, record: Record) -> dict[str, float]:
    """Molmo's precision, recall and F1 of one reply against the gold points and their masks."""
    golds, masks = _gold_points(record)
    return points.pointing_score(
        {"prediction": read or "", "points": golds, "masks": masks, "image_size": size_of(record)}
    )


def pointing(read: Any, record: Record) -> dict[str, float]:
    """The same for points read in the stated convention: a pair counts inside the gold point's mask."""
    golds, masks = _gold_points(record)
    if read is None:
        return {"precision": 0.0, "recall": 0.0, "f1": 0.0}
    return points.paired_points(read, golds, lambda point, place: points.in_mask(point, masks[place]))
