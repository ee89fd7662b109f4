"""Points: reading them out of replies, and the accuracies of ScreenSpot, PointBench and PixMo-Points.

Observed behaviour of VLMEvalKit at e8e78f05, lmms-eval at 75571cfe, EvalScope at fde259d2 and Molmo at 793fa387.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

Point = Sequence[float]
Row = Mapping[str, Any]

_NUMBER = r"-?(?<!\d)\d++(?:\.\d++)?+"
EPSILON = 1e-10


def in_box(point: Point, box: Sequence[float]) -> bool:
    """Edges included."""
    return box[0] <= point[0] <= box[2] and box[1] <= point[1] <= box[3]


def in_polygon(x: float, y: float, polygon: Sequence[Point]) -> bool:
    """Ray casting to the right; points on the left, lower and upper ends of edges are outside."""
    inside = False
    for (x0, y0), (x1, y1) in zip([polygon[-1], *polygon[:-1]], polygon, strict=True):
        if min(y0, y1) < y < max(y0, y1) and x <= (y - y0) * (x1 - x0) / (y1 - y0) + x0:
            inside = not inside
    return inside


# EvalScope, ScreenSpot-Pro


def bracket_point(text: str) -> list[float] | None:
    """The last pair in brackets or parentheses, else the middle of a tagged box; per cent as hundredths."""
    number = rf"({_NUMBER})(%?)"
    pairs = re.findall(rf"[\[(]\s*{number}(?:\s++(?:,\s*+)?+|,\s*+){number}\s*[\])]", text)
    if pairs:
        x, x_sign, y, y_sign = pairs[-1]
        return [_share(x, x_sign), _share(y, y_sign)]
    values = [_share(value, sign) for value, sign in re.findall(number, _tagged_box(text))]
    return [(values[0] + values[2]) / 2, (values[1] + values[3]) / 2] if len(values) == 4 else None


def _tagged_box(text: str) -> str:
    """What stands in the first `<bbox>…</bbox>` on one line; empty without one."""
    for line in text.split("\n"):
        _, opening, rest = line.partition("<bbox>")
        inside, closing, _ = rest.partition("</bbox>")
        if opening and closing:
            return inside
    return ""


def _share(value: str, sign: str) -> float:
    return float(value) / 100 if sign else float(value)


def unit_point(point: Point, size: Sequence[int]) -> list[float]:
    """Up to 1 as it stands, up to 1000 as thousandths, above that as pixels of the image."""
    largest = max(abs(value) for value in point)
    if largest <= 1:
        return list(point)
    if largest <= 1000:
        return [value / 1000 for value in point]
    return [point[0] / size[0], point[1] / size[1]]


# VLMEvalKit, ScreenSpot


def aguvis_point(text: str) -> list[float]:
    """The first `x=…, y=…`; the point (0, 0) without one. Raises ValueError for a number such as 1.2.3."""
    found = re.search(r"x=([\d.]+),\s*y=([\d.]+)", text)
    return [float(found.group(1)), float(found.group(2))] if found else [0.0, 0.0]


# lmms-eval


def box_from_corner(box: Sequence[float], width: int, height: int) -> list[float]:
    """Unit corners, else x, y, width, height in pixels, as unit corners; four zeros for another length."""
    if len(box) != 4:
        return [0.0, 0.0, 0.0, 0.0]
    x0, y0, x1, y1 = (float(value) for value in box)
    if max(x0, y0, x1, y1) <= 1 and x1 > x0 and y1 > y0:
        return [x0, y0, x1, y1]
    return [x0 / width, y0 / height, (x0 + x1) / width, (y0 + y1) / height]


def free_point(text: str) -> list[float] | None:
    """The first x and the first y that are named, else the first two numbers; the middle where a box is named.

    Per cent signs mean hundredths.
    """
    number = r"(-?(?:\d+\.?\d*|\.\d+))\s*(%?)"
    named = [re.search(rf"\b{axis}\s*[=:]\s*{number}", text, re.IGNORECASE) for axis in ("x", "y")]
    if named[0] and named[1]:
        return [_share(*match.groups()) for match in named if match]
    numbers = [_share(value, sign) for value, sign in re.findall(number, text)]
    if len(numbers) >= 4 and re.search(r"box|rect", text, re.IGNORECASE):
        return [(numbers[0] + numbers[2]) / 2, (numbers[1] + numbers[3]) / 2]
    return numbers[:2] if len(numbers) >= 2 else None


def free_point_hit(text: str, box: Sequence[float], size: Sequence[int] | None) -> bool:
    """ScreenSpot-v2: the point, in pixels where it is above 1, lies in the box."""
    point = free_point(text)
    if point is None:
        return False
    width, height = size or (1, 1)
    if max(abs(value) for value in point) > 1 and size:
        point = [point[0] / width, point[1] / height]
    return in_box(point, box_from_corner(box, width, height))


def pairs_in_parentheses(text: str, width: int, height: int) -> list[list[int]]:
    """PointBench: each `(x, y)` as a pixel; up to 1 a share of the image, up to 1000 thousandths, else pixels."""
    points: list[list[int]] = []
    for x, y in re.findall(r"\((-?(?:\d+\.?\d*|\.\d+))\s*,\s*(-?(?:\d+\.?\d*|\.\d+))\)", text):
        values = float(x), float(y)
        if min(values) < 0 or max(values) > 1000:
            points.append([int(values[0]), int(values[1])])
            continue
        scale = 1 if max(values) <= 1 else 1000
        points.append([int(values[0] / scale * width), int(values[1] / scale * height)])
    return points


def point_bench_score(text: str, mask: Sequence[Sequence[int]], *, count: int | None = None) -> float:
    """1 where points were read and all lie in the mask; with `count` (counting) as many as that must be read."""
    region = np.asarray(mask)
    points = pairs_in_parentheses(text, region.shape[1], region.shape[0])
    if not points or (count is not None and len(points) != count):
        return 0.0
    height, width = region.shape
    return float(all(0 <= x < width and 0 <= y < height and bool(region[y, x]) for x, y in points))


# Molmo

_CLICK = re.compile(r"Click\(([0-9]+\.[0-9]), ?([0-9]+\.[0-9])\)")
_PAIR = re.compile(r"\(([0-9]+\.[0-9]),? ?([0-9]+\.[0-9])\)")
_XY = re.compile(r'x\d*="\s*([0-9]+(?:\.[0-9]+)?)"\s+y\d*="\s*([0-9]+(?:\.[0-9]+)?)"')
_PACKED = re.compile(r"(?:\d+|p)\s*=\s*([0-9]{3})\s*,\s*([0-9]{3})")


def molmo_points(text: str, width: int, height: int) -> list[list[float]]:
    """Points in pixels; a coordinate is per cent of the image (packed ones a tenth of it), above 100 it is dropped."""
    points: list[list[float]] = []
    for pattern, scale in ((_CLICK, 100), (_PAIR, 100), (_XY, 100), (_PACKED, 1000)):
        for x, y in pattern.findall(text):
            shares = float(x) / scale, float(y) / scale
            if max(shares) <= 1:
                points.append([shares[0] * width, shares[1] * height])
    return points


def f1(precision: float, recall: float) -> float:
    """Harmonic mean with 1e-10 in the denominator, as Molmo computes it."""
    return 2 * precision * recall / (precision + recall + EPSILON)


def in_mask(point: Point, mask: ArrayLike) -> bool:
    """The pixel that the point rounds to (halves to even) belongs to the mask."""
    region = np.asarray(mask)
    x, y = round(point[0]), round(point[1])
    return 0 <= y < region.shape[0] and 0 <= x < region.shape[1] and bool(region[y, x])


_POINT_TAG = re.compile(
    r'<points?(?:\s+x\d*="\d+(?:\.\d+)?"\s+y\d*="\d+(?:\.\d+)?"|\s+(?:\d+|p)=\d{3},\d{3})+\s+alt=".*?">.*?</points?>',
    re.DOTALL,
)
_POINT_PAIR = re.compile(r"\(\d+(?:\.\d+)?, \d+(?:\.\d+)?\)")
_ANY_PAIR = re.compile(r"\((\d+\.\d+), ?(\d+\.\d+)\)")


def is_molmo_format(text: str) -> bool:
    """The reply is one point tag or one pair, and nothing else."""
    return bool(_POINT_TAG.fullmatch(text) or _POINT_PAIR.fullmatch(text))


def molmo_pairs_as_shares(text: str, width: int, height: int) -> list[list[float]]:
    """Point-count replies: pairs taken for shares of the image up to 100, as the release reads them."""
    pairs = [(float(x), float(y)) for x, y in _ANY_PAIR.findall(text)]
    return [[x * width, y * height] for x, y in pairs if max(x, y) <= 100]


def molmo_boxes(text: str, width: int, height: int) -> list[list[float]]:
    """Tagged points two by two as corners of boxes."""
    points = [] if _CLICK.search(text) or _PAIR.search(text) else molmo_points(text, width, height)
    return [[*points[n], *points[n + 1]] for n in range(0, len(points) - 1, 2)]


def pointing_score(example: Row) -> dict[str, float]:
    """PixMo-Points: points paired with the gold ones at the least total distance; a pair counts inside the gold's mask.

    No gold points: right where none were read. A reply of another form scores 0.
    """
    golds, masks = example["points"], example["masks"]
    width, height = example["image_size"]
    read = molmo_points(example["prediction"], width, height)
    if golds and not is_molmo_format(example["prediction"]):
        read = []
    return paired_points(read, golds, lambda point, place: in_mask(point, masks[place]))


def paired_points(
    read: Sequence[Point], golds: Sequence[Point], inside: Callable[[Point, int], bool]
) -> dict[str, float]:
    """Precision, recall and F1 of points paired with the gold ones at the least total distance.

    `inside(point, place)` says whether a pair counts. Without gold points: 1 where none were read, else 0.
    """
    from scipy.optimize import linear_sum_assignment

    if not golds:
        alone = float(not read)
        return {"precision": alone, "recall": alone, "f1": alone}
    if not read:
        return {"precision": 0.0, "recall": 0.0, "f1": 0.0}
    distance = np.linalg.norm(np.asarray(read)[:, None] - np.asarray(golds, dtype=float)[None], axis=2)
    hits = sum(inside(read[row], column) for row, column in zip(*linear_sum_assignment(distance), strict=True))
    precision, recall = hits / len(read), hits / len(golds)
    return {"precision": precision, "recall": recall, "f1": f1(precision, recall)}


def pointing_report(examples: Sequence[Row]) -> dict[str, float]:
    scores = [pointing_score(example) for example in examples]
    return {name: sum(score[name] for score in scores) / len(scores) for name in ("precision", "recall", "f1")}


def screenspot_report(rows: Sequence[Row]) -> dict[str, float]:
    """ScreenSpot with `x=…, y=…` replies; a target x, y, w, h is closed at its last pixel.

    Accuracies over several groups (category and kind) weigh each by the square of its size, as the reference does.
    """
    marks = [screenspot_hit(row["prediction"], ast.literal_eval(row["bbox"]), row["image_size"]) for row in rows]
    return screenspot_table(rows, marks)


def screenspot_table(rows: Sequence[Row], marks: Sequence[tuple[bool, bool]]) -> dict[str, float]:
    """The report from (hit, format error) of each row with its `data_type` and, where the set has one, `category`."""
    named = "category" in rows[0]
    groups: dict[tuple[str, str], list[bool]] = {}
    errors = 0
    for row, (hit, error) in zip(rows, marks, strict=True):
        errors += error
        groups.setdefault((row["category"] if named else "", row["data_type"]), []).append(hit)
    hits = [hit for group in groups.values() for hit in group]
    table: dict[str, float] = {
        f"{category}:{kind}:cnt" if named else f"{kind}:cnt": len(group) for (category, kind), group in groups.items()
    }
    table |= {"Overall_Accuracy": 100 * sum(hits) / len(hits), "Format_Err_Rate": 100 * errors / len(hits)}
    for kind, name in (("text", "Text_Accuracy"), ("icon", "Icon_Accuracy")):
        table[name] = _by_squares([group for (_, other), group in groups.items() if other == kind])
    for category in dict.fromkeys(category for category, _ in groups) if named else ():
        members = [group for (other, _), group in groups.items() if other == category]
        table[f"{category}_Accuracy"] = _by_squares(members)
    return table


def _by_squares(groups: Sequence[Sequence[bool]]) -> float:
    """Percentage over groups weighed by the square of their size; nan for none."""
    weights = sum(len(group) ** 2 for group in groups)
    return 100 * sum(sum(group) * len(group) for group in groups) / weights if weights else float("nan")


def screenspot_hit(reply: str, target_xywh: Sequence[float], size: Sequence[int]) -> tuple[bool, bool]:
    """(hit, format error) of one reply; a point up to 1 is a share of the image, else pixels."""
    x, y, width, height = target_xywh
    try:
        point = aguvis_point(reply)
    except ValueError:
        return False, True
    if max(point) <= 1:
        point = [point[0] * size[0], point[1] * size[1]]
    return in_box(point, (x, y, x + width - 1, y + height - 1)), False
