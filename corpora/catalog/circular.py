"""CircularEval and accuracy tables by VLMEvalKit's rules.

A question is asked once per rotation of its options and counts only where every rotation is answered right.
Observed behaviour of `vlmeval/dataset/utils/multiple_choice.py` at e8e78f05. Known to be wrong there and kept in
the official view: rotations that are missing are not noticed. `complete_rotations` is the sound view beside it.
"""

from __future__ import annotations

import math
import string
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .choice_vlmevalkit import UNANSWERABLE, infer_choice

Row = Mapping[str, Any]

NO_MATCHER = "Failed in Prefetch, no GPT-based answer matching under `exact_matching` policy."
ROTATION_STEP = 1_000_000
_ABBREVIATIONS = {
    "coarse_perception": "CP",
    "finegrained_perception (instance-level)": "FP-S",
    "finegrained_perception (cross-instance)": "FP-C",
    "logic_reasoning": "LR",
    "relation_reasoning": "RR",
    "attribute_reasoning": "AR",
}


def _missing(value: object) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def build_choices(row: Row) -> dict[str, Any]:
    """The row's columns A to Z that hold an option."""
    return {label: row[label] for label in string.ascii_uppercase if label in row and not _missing(row[label])}


def read_row(row: Row) -> tuple[str, str]:
    """The option of one reply and what was logged; Z where nothing was read and no model may match it."""
    choice = infer_choice(row["prediction"], build_choices(row))
    return (choice, str(row["prediction"])) if choice else (UNANSWERABLE, NO_MATCHER)


def prefetch_group(rows: Sequence[Row]) -> int | None:
    """1 where all rotations are right, 0 where one that was read is wrong, None where the unread ones decide."""
    unread = False
    for row in rows:
        choice = infer_choice(row["prediction"], build_choices(row))
        if choice is None:
            unread = True
        elif choice != row["GT"]:
            return 0
    return None if unread else 1


def eval_group(rows: Sequence[Row]) -> int:
    """1 where all rotations are right; a rotation that was not read is wrong."""
    return int(prefetch_group(rows) == 1)


def circular_hits(rows: Iterable[Row]) -> dict[Any, int]:
    """Group index to 1 or 0, over the rotations that are there, in order of first appearance."""
    groups: dict[Any, list[Row]] = {}
    for row in sorted(rows, key=lambda row: row["index"]):
        groups.setdefault(int(row["index"] % ROTATION_STEP), []).append(row)
    return {group: eval_group(members) for group, members in groups.items()}


def complete_rotations(rows: Iterable[Row]) -> dict[Any, bool]:
    """Group index to whether it was asked in as many rotations as it has options (two at least)."""
    counts: dict[Any, int] = {}
    options: dict[Any, int] = {}
    for row in rows:
        group = int(row["index"] % ROTATION_STEP)
        counts[group] = counts.get(group, 0) + 1
        options[group] = max(options.get(group, 2), len(build_choices(row)))
    return {group: counts[group] >= options[group] for group in counts}


def as_choice(row: Row) -> Row:
    """An MMMU open question as the reference puts it: the gold text against "Other Answers", the gold being A."""
    if build_choices(row):
        return row
    return {**row, "A": row["answer"], "B": "Other Answers", "answer": "A"}


def vanilla_hits(rows: Iterable[Row], *, open_as_choice: bool = False) -> dict[Any, int]:
    """Row index to 1 or 0 without rotations; `open_as_choice` is MMMU's way with questions without options."""
    put = [as_choice(row) if open_as_choice else row for row in rows]
    return {row["index"]: int(read_row(row)[0] == row["answer"]) for row in put}


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else float("nan")


def accuracy_report(rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    """Split to group to accuracy: overall, then the l2-categories, then the categories (abbreviated as MMBench does).

    A split without rows of a category has nan there. Where a category is called like an l2-category, it wins.
    """
    splits = sorted({row["split"] for row in rows}) if rows and "split" in rows[0] else ["none"]
    table = {
        split: {"Overall": _mean([row["hit"] for row in rows if row.get("split", "none") == split])} for split in splits
    }
    for level in ("l2-category", "category"):
        if not rows or level not in rows[0]:
            continue
        for name in sorted({row[level] for row in rows}):
            for split in splits:
                hits = [row["hit"] for row in rows if row[level] == name and row.get("split", "none") == split]
                table[split][_ABBREVIATIONS.get(name) or name] = _mean(hits)
    return table


def pair_report(rows: Sequence[Row]) -> dict[str, float]:
    """MMVP: plain accuracy, and the share of question pairs in which both are right."""
    pairs: dict[str, list[int]] = {}
    for row in rows:
        pairs.setdefault(row["question"], []).append(row["hit"])
    return {
        "Average": _mean([row["hit"] for row in rows]),
        "Overall": _mean([float(all(hits)) for hits in pairs.values()]),
    }
