"""Yes/no benchmarks: MME, POPE, HallusionBench, AMBER, VSR, by the rules of VLMEvalKit and Cambrian.

Observed behaviour of VLMEvalKit `dataset/utils/yorn.py` at e8e78f05 and of cambrian-mllm `eval/eval/{mme,pope}`
at 539ffc32. Percentages are 0 to 100, MME scores 0 to 200 a category.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .vqa_text import strip_punctuation

Row = Mapping[str, Any]
UNKNOWN = "Unknown"

MME_PERCEPTION = (
    "OCR", "artwork", "celebrity", "color", "count", "existence", "landmark", "position", "posters", "scene",
)  # fmt: skip
MME_REASONING = ("code_reasoning", "commonsense_reasoning", "numerical_calculation", "text_translation")


def extract_yes_no(reply: object) -> str:
    """`Yes` or `No` where exactly one of the words stands in the reply, else `Unknown`."""
    words = strip_punctuation(str(reply).lower()).split()
    yes, no = "yes" in words, "no" in words
    if yes == no:
        return UNKNOWN
    return "Yes" if yes else "No"


def _share(hits: Sequence[Any]) -> float:
    return sum(bool(hit) for hit in hits) / len(hits) if hits else float("nan")


def _grouped(rows: Iterable[Row], key: str) -> dict[Any, list[Row]]:
    groups: dict[Any, list[Row]] = {}
    for row in rows:
        groups.setdefault(row[key], []).append(row)
    return groups


def mme_rating(rows: Sequence[Row]) -> dict[str, float]:
    """MME: per category 100 * (acc + acc+), acc+ counting images whose first two questions are both right.

    Raises KeyError where one of the 14 categories is missing and IndexError for an image with one question.
    """
    scores: dict[str, float] = {}
    for category, members in _grouped(rows, "category").items():
        pairs = list(_grouped(members, "image_path").values())
        both = [pair[0]["score"] and pair[1]["score"] for pair in pairs]
        scores[category] = (_share([row["score"] for row in members]) + _share(both)) * 100
    table = {
        "perception": sum(scores[category] for category in MME_PERCEPTION),
        "reasoning": sum(scores[category] for category in MME_REASONING),
    }
    known = (*MME_PERCEPTION, *MME_REASONING)
    return table | {category: scores[category] for category in known} | scores


def _positive_rates(rows: Sequence[Row]) -> tuple[float, float, float]:
    """Precision, recall and F1 (0..1) of `Yes`; anything that is not `Yes` counts as predicted `No`."""
    true = sum(row["answer"] == "Yes" and row["extracted"] == "Yes" for row in rows)
    false = sum(row["answer"] == "No" and row["extracted"] == "Yes" for row in rows)
    missed = sum(row["answer"] == "Yes" and row["extracted"] != "Yes" for row in rows)
    precision = true / (true + false) if true + false else 0.0
    recall = true / (true + missed) if true + missed else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0
    return precision, recall, f1


def _pope_row(rows: Sequence[Row]) -> dict[str, float]:
    precision, recall, f1 = _positive_rates(rows)
    return {
        "Overall": f1 * 100,
        "acc": _share([row["score"] for row in rows]) * 100,
        "precision": precision * 100,
        "recall": recall * 100,
    }


def pope_rating(rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    """POPE: F1 (named Overall), accuracy, precision and recall, over all and per category.

    A row of several categories ("popular,random") stands once in each of them and as often in Overall.
    """
    spread = [{**row, "category": name} for row in rows for name in (row["category"] or "").split(",")]
    table = {"Overall": _pope_row(spread)}
    for category, members in _grouped(spread, "category").items():
        if category:
            table[category] = _pope_row(members)
    return table


def vsr_rating(rows: Sequence[Row]) -> dict[str, float]:
    """VSR: precision, recall and accuracy in percent, f1_score as a fraction (as the reference prints it)."""
    precision, recall, f1 = _positive_rates(rows)
    return {
        "precision": precision * 100,
        "recall": recall * 100,
        "acc": _share([row["score"] for row in rows]) * 100,
        "f1_score": f1,
    }


def _hallusion_row(rows: Sequence[Row]) -> dict[str, float]:
    figures: dict[tuple[str, ...], list[bool]] = {}
    questions: dict[tuple[str, ...], list[bool]] = {}
    for row in rows:
        set_id, figure, question = row["index"].split("_")[3:6]
        base = (row["l2-category"], row.get("category", ""), set_id)
        figures.setdefault((*base, figure), []).append(bool(row["score"]))
        questions.setdefault((*base, question), []).append(bool(row["score"]))
    return {
        "aAcc": _share([row["score"] for row in rows]) * 100,
        "fAcc": _share([all(hits) for hits in figures.values()]) * 100,
        "qAcc": _share([all(hits) for hits in questions.values()]) * 100,
    }


def hallusion_rating(rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    """HallusionBench: accuracy over questions, over figures (all questions right) and over question pairs.

    The index reads `category_subcategory_x_set_figure_question`, read by position as the reference does.
    """
    table = {"Overall": _hallusion_row(rows)}
    for level in ("category", "l2-category"):
        if rows and level in rows[0]:
            for name, members in _grouped(rows, level).items():
                table[name] = _hallusion_row(members)
    return table


_AMBER_GROUPS = {
    "discriminative-attribute-state": "Attribute",
    "discriminative-attribute-number": "Attribute",
    "discriminative-attribute-action": "Attribute",
    "discriminative-hallucination": "Existence",
    "discriminative-relation": "Relation",
    "relation": "Relation",
}


def amber_rating(rows: Sequence[Row]) -> dict[str, float]:
    """AMBER (discriminative): accuracy per group, and their unweighted mean."""
    grouped = _grouped([{**row, "group": _AMBER_GROUPS.get(row["category"], row["category"])} for row in rows], "group")
    table = {name: _share([row["score"] for row in members]) * 100 for name, members in grouped.items()}
    return table | {"Avg ACC": sum(table.values()) / len(table)}


def default_rating(rows: Sequence[Row]) -> dict[str, float]:
    """Accuracy in percent over all rows, per category and per l2-category (the latter wins on equal names)."""
    table = {"Overall": _share([row["score"] for row in rows]) * 100}
    for level in ("category", "l2-category"):
        named = [row for row in rows if row.get(level) is not None]
        for name, members in _grouped(named, level).items():
            table[name] = _share([row["score"] for row in members]) * 100
    return table


def cambrian_pope(rows: Sequence[Row]) -> dict[str, float]:
    """POPE as Cambrian counts it: the reply's first word, in lower case without signs, against the gold.

    Raises IndexError on an empty reply.
    """
    right = sum(_first_word(row["answer"]) == row["gt_answer"].lower() for row in rows)
    total = len(rows)
    return {
        "total": float(total),
        "correct": float(right),
        "accuracy": 100 * right / total,
        "lines_written_as_incorrect": total - right,
    }


def cambrian_mme(rows: Sequence[Row]) -> dict[str, Any]:
    """MME as Cambrian counts it: acc+ pairs rows by their position in the category, not by image."""
    table: dict[str, Any] = {}
    right = 0
    for category, members in _grouped(rows, "category").items():
        hits = [_first_word(row["answer"]) == row["gt_answer"].lower() for row in members]
        both = sum(2 for pair in zip(hits[::2], hits[1::2], strict=False) if all(pair))
        right += sum(hits)
        size = len(hits)
        accuracy, plus = 100 * sum(hits) / size, 100 * both / size
        table[category] = {"acc_score": accuracy, "acc_plus_score": plus, "score": accuracy + plus, "size": float(size)}
    perception = sum(table[name]["score"] for name in MME_PERCEPTION if name in table)
    cognition = sum(table[name]["score"] for name in MME_REASONING if name in table)
    return {
        "total_score": perception + cognition,
        "accuracy": 100 * right / len(rows),
        "Perception": perception,
        "Cognition": cognition,
        "lines_written_as_incorrect": len(rows) - right,
    } | table


def _first_word(reply: str) -> str:
    word = reply.lower().split()[0]
    return "".join(sign for sign in word if sign.isalnum())
