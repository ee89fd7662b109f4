"""MathVista: reading and checking answers without a model, by VLMEvalKit's and lmms-eval's rules.

Observed behaviour of VLMEvalKit `dataset/utils/mathvista.py` at e8e78f05 and lmms-eval
`tasks/mathvista/mathvista_evals.py` at 75571cfe. Known faults of the former are kept in its view: free-form text
and list answers are never right there.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rapidfuzz.distance import Levenshtein

from .choice_vlmevalkit import infer_choice

Row = Mapping[str, Any]
PREFETCHED = "Prefetch succeed"
NEEDS_MODEL = "__LLM__"


def _letters(options: Sequence[Any]) -> dict[str, Any]:
    return {chr(ord("A") + n): option for n, option in enumerate(options)}


def _converted(text: str, kind: str) -> int | float | None:
    try:
        return int(text) if kind == "integer" else float(text)
    except ValueError:
        return None


def check(row: Row, *, prefetch: bool) -> Any:
    """Whether the extracted `res` is right; with `prefetch` the `prediction` itself is read and what was read returned.

    A choice that was read is returned even where it is wrong; False where nothing was read.
    """
    reply = row["prediction"] if prefetch else row["res"]
    if row["question_type"] == "multi_choice":
        read = infer_choice(reply, _letters(ast.literal_eval(row["choices"]))) or False
        return read if prefetch else read == row["answer_option"]
    if row["answer_type"] in ("integer", "float"):
        read, gold = _converted(reply, row["answer_type"]), _converted(row["answer"], row["answer_type"])
    else:
        read, gold = "None", str(row["answer"])
    if read is None or read != gold:
        return False
    return read if prefetch else True


def _skills(text: str) -> list[str]:
    """Skills are written as a Python list, or as one name."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return [text]
    return value if isinstance(value, list) else [text]


def accuracy_report(rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    """Counts, prefetch rate and accuracy (percent) over all rows, per skill and per task."""
    return table(rows, lambda row: bool(check(row, prefetch=False)), lambda row: row["log"] == PREFETCHED)


def table(
    rows: Sequence[Row], is_hit: Callable[[Row], bool], is_prefetched: Callable[[Row], bool]
) -> dict[str, dict[str, float]]:
    """The same from any judgement of a row: whether it is right, and whether it was read without a model."""
    report: dict[str, dict[str, float]] = {}
    for row in rows:
        for name in dict.fromkeys(["Overall", *_skills(row["skills"]), row["task"]]):
            entry = report.setdefault(name, {"tot": 0, "prefetch": 0, "hit": 0})
            entry["tot"] += 1
            entry["prefetch"] += is_prefetched(row)
            entry["hit"] += is_hit(row)
    for entry in report.values():
        entry["prefetch_rate"] = 100 * entry["prefetch"] / entry["tot"]
        entry["acc"] = 100 * entry["hit"] / entry["tot"]
    return report


def lmms_extract(reply: str, problem: Row) -> str | None:
    """lmms-eval without its model: an option's text or a bare number stands for itself; None where a model is asked."""
    if not reply:
        return ""
    if problem["question_type"] == "multi_choice" and reply in problem["choices"]:
        return reply
    if problem["answer_type"] in ("integer", "float"):
        read = _converted(reply, problem["answer_type"])
        return None if read is None else str(read)
    return None


def lmms_normalize(
    extraction: Any, choices: Sequence[str], question_type: str, answer_type: str, precision: int | None
) -> str | None:
    """The extraction as the answer's type; for choices the option it names, else the nearest one."""
    if question_type == "multi_choice":
        text = str(extraction).strip()
        letter = re.search(r"\(([a-zA-Z])\)", text)
        read = letter.group(1).upper() if letter else text
        options = _letters(choices)
        return options.get(read) or min(choices, key=lambda choice: Levenshtein.distance(read, choice))
    if answer_type in ("integer", "float"):
        try:
            number = float(extraction)
            return str(int(number)) if answer_type == "integer" else str(round(number, int(precision or 0)))
        except (TypeError, ValueError, OverflowError):
            return None
    return str(extraction) if answer_type == "list" else extraction


def lmms_is_equal(prediction: Any, answer: Any) -> bool:
    return str(prediction).strip() == str(answer).strip()
