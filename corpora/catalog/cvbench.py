"""CV-Bench: the released first-character rule, its aggregation, and the robust view beside it.

Official: observed behaviour of cambrian-mllm/cambrian `eval/eval/{ade,coco,omni}/*_test.py` at 539ffc32;
2D = (ADE20K + COCO) / 2, 3D = Omni3D, total = (2D + 3D) / 2, on per-source accuracies. lmms-eval's and
VLMEvalKit's own readings are here too, since scores are published by them.
Robust: the CV-Bench protocol; a reply that names no option, or several, is a counted parse failure and wrong.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...grade.extraction import extract_choice
from ...schemas.errors import UsageError

Row = Mapping[str, Any]
SOURCES_2D = ("ADE20K", "COCO")
SOURCE_3D = "Omni3D"


def first_character(reply: str, *, omni: bool = False) -> str:
    """The released extractor: what follows the last "answer is", then "answer:", stripped to its first character.

    `omni` is the variant of the 3D script, which also strips ":" and "," at the end.
    """
    text = reply.lower().strip()
    for keyword in ("answer is", "answer:"):
        text = text.rsplit(keyword, 1)[-1].strip()
    text = text.rstrip(".:," if omni else ".").lstrip("(").rstrip(")")
    return text[:1]


def is_hit(read: str, answer: str, options: Sequence[str], *, omni: bool = False) -> bool:
    """Whether the character read is the gold's ("(B)" → b); the 3D script also takes a one-character option text."""
    gold = answer.strip("() ").lower()[:1]
    if read == gold:
        return True
    place = ord(gold) - ord("a") if gold else len(options)
    return omni and place < len(options) and read == options[place].lower()


def is_official_hit(row: Row, *, omni: bool = False) -> bool:
    """The released rule on a row with `answer` (the reply), `gt_answer` and `options`."""
    return is_hit(first_character(row["answer"], omni=omni), row["gt_answer"], row["options"], omni=omni)


def source_accuracy(rows: Sequence[Row], *, omni: bool = False) -> dict[str, Any]:
    """Accuracy of one source's rows and of each category in it."""
    hits: dict[str, list[bool]] = {}
    for row in rows:
        hits.setdefault(row["category"], []).append(is_official_hit(row, omni=omni))
    every = [hit for group in hits.values() for hit in group]
    table: dict[str, Any] = {"accuracy": sum(every) / len(every), "total_count": len(every)}
    return table | {name: {"accuracy": sum(group) / len(group), "total": len(group)} for name, group in hits.items()}


def official_score(rows: Sequence[Row]) -> dict[str, float]:
    """The published combination. Raises KeyError where a source has no rows."""
    by_source: dict[str, list[Row]] = {}
    for row in rows:
        by_source.setdefault(row["source"], []).append(row)
    scores = {
        source: source_accuracy(by_source[source], omni=source == SOURCE_3D)["accuracy"]
        for source in (*SOURCES_2D, SOURCE_3D)
    }
    return scores | combine(scores)


def combine(scores: Mapping[str, float]) -> dict[str, float]:
    """2D, 3D and total from the three sources' accuracies."""
    flat = sum(scores[source] for source in SOURCES_2D) / len(SOURCES_2D)
    return {"2D": flat, "3D": scores[SOURCE_3D], "CV-Bench": (flat + scores[SOURCE_3D]) / 2}


def robust_choice(reply: str, options: int) -> str | None:
    """The conservative reading: a label that the reply begins with or declares; None where it names none, or several.

    An option's text alone is no answer here, and a label beyond the options is none.
    """
    return extract_choice(reply, {chr(ord("A") + n): "" for n in range(options)}).value


def robust_total(flat: float, deep: float) -> float:
    """The mean of robust 2D (source-balanced) and robust 3D, in the unit of its arguments."""
    return (flat + deep) / 2


def robust_table(sources: Mapping[str, float], tasks: Mapping[str, float], parse_failures: int) -> dict[str, Any]:
    """The robust view: total, 2D (source-balanced), 3D, the four tasks, and how many replies name no option."""
    flat = sum(sources[source] for source in SOURCES_2D) / len(SOURCES_2D)
    return {
        "robust_cv_bench_accuracy": robust_total(flat, sources[SOURCE_3D]),
        "robust_accuracy_2d": flat,
        "robust_accuracy_3d": sources[SOURCE_3D],
        "robust_task_accuracy": dict(tasks),
        "parse_failures": parse_failures,
    }


def total_of(parts: Mapping[str, float]) -> float:
    """The total of a 2D and a 3D figure of one view. Raises UsageError for an official and a robust part."""
    for flat, deep in (("2D", "3D"), ("robust_accuracy_2d", "robust_accuracy_3d")):
        if set(parts) == {flat, deep}:
            return (parts[flat] + parts[deep]) / 2
    named = " and ".join(sorted(parts))
    raise UsageError(f"{named} have no common total: a robust figure is never put together with an official one")


def lmms_letter(reply: str) -> str:
    """lmms-eval: the letter that the reply begins with, an opening parenthesis aside, as a capital."""
    match = re.match(r"[(\s]*([A-Z])", reply, re.IGNORECASE)
    return match.group(1).upper() if match else ""


def lmms_is_hit(answer: str, reply: str) -> bool:
    return lmms_letter(reply) == lmms_letter(answer)


def lmms_total(results: Sequence[Row]) -> float:
    """lmms-eval's combination of the sources: the official formula."""
    hits: dict[str, list[bool]] = {}
    for row in results:
        hits.setdefault(row["source"], []).append(bool(row["is_correct"]))
    scores = {source: sum(hits[source]) / len(hits[source]) for source in (*SOURCES_2D, SOURCE_3D)}
    return combine(scores)["CV-Bench"]


def micro_accuracy(results: Sequence[Row]) -> float:
    """Plain share of right answers; 0 for no results (as lmms-eval has it)."""
    return sum(bool(row["is_correct"]) for row in results) / len(results) if results else 0


def vlmevalkit_report(rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    """VLMEvalKit: per split the accuracy of each source and the mean over the sources that are there."""
    hits: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        hits.setdefault(row["split"], {}).setdefault(row["source"], []).append(row["hit"])
    table: dict[str, dict[str, float]] = {}
    for split, sources in hits.items():
        scores = {source: sum(group) / len(group) for source, group in sources.items()}
        table[split] = scores | {"Overall": sum(scores.values()) / len(scores)}
    return table
