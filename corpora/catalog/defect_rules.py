"""Defects: scores, maps and masks of whole sets, under the names that cards use.

A map or a mask is a list of rows, or the name of a .npy or picture file beside the file that names it. Sizes are
compared, an image named twice is refused: a map on another mask would still give a number.
AUROC and average precision are scikit-learn's (the sound view); anomalib's own figures, on torchmetrics, are the
official one, with its fault: a sigmoid over scores outside [0, 1]. torchmetrics makes them where it is installed, else
`defects` with scikit-learn, equal within float32; `makers` says which.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...schemas.errors import BundleError
from ...schemas.printable import printable
from . import defects, torchmetrics_figures
from .aggregations import grouped, needed

Record = Mapping[str, Any]
Row = Mapping[str, Any]
MAX_PIXELS = 64_000_000
MAX_PATH = 512
LARGEST = float(np.finfo(np.float32).max)
"""The largest value of a map: the official figures are computed in float32."""
PICTURES = ("PNG", "JPEG", "TIFF", "BMP", "PPM", "WEBP", "GIF")
_STORED = frozenset({"1", "L", "P", "I", "I;16", "I;16B", "F"})


def read_grid(value: Any, folder: str, name: str) -> np.ndarray:
    """A two-dimensional array of numbers from a list of rows or a file beside `folder`.

    Raises BundleError for anything else, for nan, and for a file name that leaves the folder.
    """
    if isinstance(value, str):
        grid = _from_file(value, folder, name)
    else:
        try:
            grid = np.asarray(value, dtype=float)
        except (TypeError, ValueError, OverflowError) as error:
            raise BundleError(
                f"{name} is no grid of numbers: its rows differ in length or hold other things"
            ) from error
    if grid.ndim != 2 or not grid.size or grid.size > MAX_PIXELS:
        raise BundleError(f"{name} has the shape {grid.shape}; a map or mask has rows and columns")
    if not np.isfinite(grid).all():
        raise BundleError(f"{name} holds values that are no numbers")
    if np.abs(grid).max() > LARGEST:
        raise BundleError(f"{name} holds values beyond {LARGEST:.2g}, which no reference can take")
    return grid


def _from_file(value: str, folder: str, name: str) -> np.ndarray:
    if len(value) > MAX_PATH or "\0" in value:
        raise BundleError(f"{name} names {printable(value, 60)}, which is no name of a file")
    base = Path(folder).resolve()
    path = (base / value).resolve()
    if not path.is_relative_to(base):
        raise BundleError(f"{name} names {printable(value, 60)}, which is not below {printable(folder)}")
    if not path.is_file():
        raise BundleError(f"{name} names {printable(value, 60)}, which is no file below {printable(folder)}")
    try:
        return _array(path) if path.suffix.lower() == ".npy" else _picture(path)
    except (OSError, ValueError, TypeError, EOFError) as error:
        raise BundleError(f"{name}: {printable(value, 60)} cannot be read: {printable(error, 80)}") from error


def _array(path: Path) -> np.ndarray:
    """The numbers of a .npy file. Mapped before it is read: its header may promise more than the file holds."""
    mapped = np.load(path, mmap_mode="r", allow_pickle=False)
    if not isinstance(mapped, np.ndarray) or mapped.dtype.kind not in "buif":
        raise ValueError("it is no array of numbers")
    if mapped.size > MAX_PIXELS:
        raise ValueError(f"it has more than {MAX_PIXELS:,} values")
    return np.array(mapped, dtype=float)


def _picture(path: Path) -> np.ndarray:
    """The values of a grey picture as they are stored (8 or 16 bits, floats, indices of a palette); colours as grey."""
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(path, formats=PICTURES) as picture:
                if picture.width * picture.height > MAX_PIXELS:
                    raise ValueError(f"it has more than {MAX_PIXELS:,} pixels")
                return np.asarray(picture if picture.mode in _STORED else picture.convert("L"), dtype=float)
    except Image.DecompressionBombError as error:
        raise ValueError(f"it has more than {MAX_PIXELS:,} pixels") from error


def gold_mask(record: Record) -> np.ndarray | None:
    """The record's defect mask, any value above 0 being defect; None where the record has none (a sound image)."""
    if record.get("mask") is None:
        return None
    name = f"the mask of {printable(record.get('id'))}"
    return (read_grid(record["mask"], str(record.get("folder", ".")), name) > 0).astype(np.int64)


def _label(record: Record, mask: np.ndarray | None) -> int:
    value = record.get("label")
    if value is None and mask is not None:
        return int(mask.any())
    words = {"0": 0, "1": 1, "good": 0, "normal": 0, "bad": 1, "anomaly": 1, "defect": 1, "false": 0, "true": 1}
    label = words.get(str(value).strip().lower())
    if label is None:
        raise BundleError(f"the record {printable(record.get('id'))} has the label {printable(value, 40)}, not 0 or 1")
    if mask is not None and bool(mask.any()) != bool(label):
        raise BundleError(f"the record {printable(record.get('id'))} is labelled {label}, which its mask contradicts")
    return label


# readers


def defect_map(reply: Any, record: Record, *, folder: str) -> dict[str, Any] | None:
    """A prediction {score, map}, either of them optional; a bare number is a score, a grid or file name a map."""
    name = f"the prediction of {printable(record.get('id'))}"
    if isinstance(reply, Mapping):
        score, grid = reply.get("score"), reply.get("map")
    elif isinstance(reply, int | float) and not isinstance(reply, bool):
        score, grid = reply, None
    elif isinstance(reply, list | str):
        score, grid = None, reply
    else:
        return None
    read: dict[str, Any] = {}
    if score is not None:
        if isinstance(score, bool) or not isinstance(score, int | float) or not abs(score) <= LARGEST:
            raise BundleError(f"{name} has the score {printable(score, 40)}, which is no number to rank by")
        read["score"] = float(score)
    if grid is not None:
        values, mask = read_grid(grid, folder, name), gold_mask(record)
        _same_size(values, mask, name)
        read["map"] = values.astype(np.float32)
        read["mask"] = mask if mask is not None else np.zeros(values.shape, dtype=np.int64)
        # anomalib's image score, where none is given: the highest value of the map
        read.setdefault("score", float(values.max()))
    read["label"] = _label(record, read.get("mask") if record.get("mask") is not None else gold_mask(record))
    return read if len(read) > 1 else None


def _same_size(values: np.ndarray, mask: np.ndarray | None, name: str) -> None:
    if mask is not None and values.shape != mask.shape:
        raise BundleError(
            f"{name} is {_size(values)}, its gold mask {_size(mask)}: masks of another size are not scored"
        )


def _size(grid: np.ndarray) -> str:
    return f"{grid.shape[1]} x {grid.shape[0]}"


def mask_pair(reply: Any, record: Record, *, folder: str) -> dict[str, Any] | None:
    """A predicted mask beside the gold one, class numbers as they are."""
    if isinstance(reply, Mapping):
        reply = reply.get("mask")
    if not isinstance(reply, list | str):
        return None
    name = f"the prediction of {printable(record.get('id'))}"
    values = read_grid(reply, folder, name)
    gold = read_grid(record["mask"], str(record.get("folder", ".")), f"the mask of {printable(record.get('id'))}")
    _same_size(values, gold, name)
    return {"map": values, "mask": gold}


def mask_iou(read: Any, record: Record) -> dict[str, float]:
    """IoU of what is marked (above 0) with the gold; two empty masks agree (1)."""
    if read is None:
        return {"iou": 0.0}
    found, gold = read["map"] > 0, read["mask"] > 0
    union = int((found | gold).sum())
    return {"iou": int((found & gold).sum()) / union if union else 1.0}


# whole sets


def _sets(rows: Sequence[Row]) -> tuple[list[Any], list[Any]]:
    read = [row["extracted"] for row in rows if row["extracted"] is not None]
    if len(read) < len(rows):
        raise BundleError(
            f"images without score or map: {len(rows) - len(read)}; a ranking of the others is no figure of the set"
        )
    return [one for one in read if "score" in one], [one for one in read if "map" in one]


def _by_category(rows: Sequence[Row], figures: Callable[[Sequence[Row]], dict[str, float]]) -> dict[str, Any]:
    """Each category's figures and their unweighted `mean`, as MVTec AD and VisA are published.

    The mean has the figures that every category has. Without categories it is that of the one set.
    """
    if not any(row.get("category") for row in rows):
        return {"mean": figures(rows)}
    needed(rows, "category")
    parts = {name: figures(members) for name, members in grouped(rows, "category").items()}
    names = dict.fromkeys(name for part in parts.values() for name in part)
    complete = [name for name in names if all(name in part for part in parts.values())]
    means = {name: sum(part[name] for part in parts.values()) / len(parts) for name in complete}
    return {"mean": means, "category": parts}


def makers() -> str:
    """What makes the official figures here, with its version."""
    version = torchmetrics_figures.version()
    return f"torchmetrics {version}" if version else "this project's equal of torchmetrics, which is not installed"


def _official() -> Any:
    return torchmetrics_figures if torchmetrics_figures.version() else defects


def _named(rows: Sequence[Row]) -> str:
    category = rows[0].get("category")
    return "" if category is None else f" of {printable(category, 60)}"


def anomalib_figures(rows: Sequence[Row]) -> dict[str, Any]:
    """anomalib's figures of each category and their means; PRO at the threshold 0.5."""

    def figures(members: Sequence[Row]) -> dict[str, float]:
        scored, mapped = _sets(members)
        scores, labels = [one["score"] for one in scored], [one["label"] for one in scored]
        best = defects.f1_max(scores, labels)
        table = {
            "image_AUROC": _official().anomalib_auroc((scores, labels)),
            "image_F1Max": best["f1_max"],
            "image_AUPR": defects.anomalib_aupr(scores, labels),
        }
        if len(mapped) == len(members):
            maps, masks = _stacked(mapped)
            table |= {
                "pixel_AUROC": _official().anomalib_auroc((maps, masks)),
                "PRO": defects.pro(list(maps), list(masks)),
                "AUPRO": defects.au_pro(list(maps), list(masks)),
            }
        return table

    return _by_category(rows, figures)


def exact_figures(rows: Sequence[Row], *, limit: float = defects.PRO_LIMIT) -> dict[str, Any]:
    """AUROC, average precision and AU-PRO by their definitions, in float64 and without a sigmoid.

    Raises BundleError for images that are all sound, or all defective: ranking one kind is no figure.
    """

    def figures(members: Sequence[Row]) -> dict[str, float]:
        scored, mapped = _sets(members)
        scores, labels = [one["score"] for one in scored], [one["label"] for one in scored]
        if len(set(labels)) == 1:
            kind, other = ("defective", "sound") if labels[0] else ("sound", "defective")
            raise BundleError(
                f"all {len(labels):,} images{_named(members)} are {kind}: without {other} ones there is nothing to "
                "rank (--view official has the 0 that anomalib gives)"
            )
        table = {
            "image_AUROC": defects.auroc(scores, labels),
            "image_AP": defects.average_precision(scores, labels),
        }
        if len(mapped) == len(members):
            maps, masks = _stacked(mapped)
            table |= {
                "pixel_AUROC": defects.auroc(maps, masks),
                "pixel_AP": defects.average_precision(maps, masks),
                "AU_PRO": defects.au_pro(list(maps), list(masks), limit),
            }
        return table

    return _by_category(rows, figures)


def _stacked(mapped: Sequence[Mapping[str, Any]]) -> tuple[np.ndarray, np.ndarray]:
    shapes = {one["map"].shape for one in mapped}
    if len(shapes) > 1:
        sizes = " and ".join(sorted({_size(one["map"]) for one in mapped})[:2])
        raise BundleError(f"the maps of one category have different sizes ({sizes}): scale them to one")
    return np.stack([one["map"] for one in mapped]), np.stack([one["mask"] for one in mapped])


def miou(rows: Sequence[Row], *, classes: int = 2) -> dict[str, Any]:
    """IoU pooled over all images: of each class, their mean (mIoU, over the classes that occur), and pixel accuracy."""
    read = [row["extracted"] for row in rows]
    if any(one is None for one in read):
        raise BundleError(f"{sum(one is None for one in read)} images have no mask: the others' IoU is not the set's")
    _check_classes(rows, classes)
    found, gold = (np.concatenate([one[kind].ravel() for one in read]).astype(np.int64) for kind in ("map", "mask"))
    per_class = _official().jaccard(found, gold, classes, "none")
    assert isinstance(per_class, list)
    return {
        "mIoU": _official().jaccard(found, gold, classes, "macro"),
        "class": {str(kind): value for kind, value in enumerate(per_class)},
        "pixel accuracy": float((found == gold).mean()),
    }


def _check_classes(rows: Sequence[Row], classes: int) -> None:
    """Raises BundleError, naming the image, for a mask that holds anything but the whole numbers below `classes`."""
    for row in rows:
        for kind, whose in (("map", "the prediction of"), ("mask", "the mask of")):
            values = row["extracted"][kind]
            strange = (values < 0) | (values >= classes) | (values != np.floor(values))
            if strange.any():
                raise BundleError(
                    f"{whose} {printable(row['id'])} holds the class {values[strange][0]:g}: a class is a whole number "
                    f"from 0 to {classes - 1}"
                )
