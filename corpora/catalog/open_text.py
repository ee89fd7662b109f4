"""Open-text benchmarks: ANLS, relaxed accuracy, ten annotators' vote, by the rules of the harnesses.

Sources: ANLS, Biten et al. 2019 (threshold 0.5); relaxed accuracy, Masry et al. 2022 (5 %); soft vote, Antol et al.
2015 and Singh et al. 2019. Observed behaviour of VLMEvalKit `dataset/utils/vqa_eval.py` at e8e78f05, of Cambrian
`eval/eval/{textvqa,chartqa}` at 539ffc32 and of the package anls 0.0.2.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from rapidfuzz.distance import Levenshtein

from .vqa_text import eval_ai_answer, normalize_answer

RELAXED = 0.05
ANLS_THRESHOLD = 0.5
ANNOTATORS_NEEDED = 3


def levenshtein(first: str, second: str) -> int:
    return Levenshtein.distance(first, second)


def anls_distance(gold: str, prediction: str) -> float:
    """VLMEvalKit: edit distance of the folded texts over the length of the *raw* ones (blanks raise the score)."""
    distance = levenshtein(_fold_blanks(gold), _fold_blanks(prediction))
    length = max(len(gold.upper()), len(prediction.upper()))
    return distance / length if length else 0.0


def _fold_blanks(text: str) -> str:
    return " ".join(text.strip().lower().split())


def anls_score(prediction: str, golds: Sequence[str], threshold: float = ANLS_THRESHOLD) -> float:
    """The package anls: the best of 1 - distance over the golds whose distance is *below* the threshold."""
    folded = _fold_blanks(prediction)
    best = 0.0
    for gold in golds:
        target = _fold_blanks(gold)
        length = max(len(target), len(folded))
        distance = levenshtein(folded, target) / length if length else 0.0
        if distance < threshold:
            best = max(best, 1 - distance)
    return best


def st_vqa_anls(first: str, second: str) -> float:
    """Cambrian (ST-VQA): similarity of the stripped, lower-cased texts, kept from the threshold on.

    Raises ZeroDivisionError for two empty texts, as the reference does.
    """
    a, b = first.lower().strip(), second.lower().strip()
    similarity = 1 - levenshtein(a, b) / max(len(a), len(b))
    return similarity if similarity >= ANLS_THRESHOLD else 0.0


def _number(text: str) -> float | None:
    try:
        return float(text.rstrip("%")) / 100 if text.endswith("%") else float(text)
    except ValueError:
        return None


def is_relaxed_match(target: str, prediction: str, tolerance: float = RELAXED) -> bool:
    """Numbers within the tolerance of the target, a percent sign meaning hundredths; else equal texts, case ignored.

    A target of 0 has no tolerance and is compared as text.
    """
    wanted, read = _number(str(target)), _number(str(prediction))
    if wanted and read is not None:
        return abs(read - wanted) / abs(wanted) <= tolerance
    return str(prediction).lower() == str(target).lower()


def expand_golds(answer: Any) -> list[Any]:
    """The accepted answers: a list, or a text that is written as a Python list, or the text itself."""
    if isinstance(answer, list):
        return answer
    try:
        value = ast.literal_eval(answer)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return [answer]
    return value if isinstance(value, list) else [answer]


def match_row(answer: Any, prediction: str, method: str) -> dict[str, Any]:
    """One row's gold texts, prediction and matches by vqa_score, anls, relaxed_accuracy, accuracy or equality."""
    golds, read = expand_golds(answer), prediction
    if method == "vqa_score":
        golds, read = [normalize_answer(gold) for gold in golds], normalize_answer(prediction)
        match: list[Any] = annotators_match([read == gold for gold in golds])
    elif method == "anls":
        match = [anls_distance(gold, read) for gold in golds]
    elif method == "relaxed_accuracy":
        match = [is_relaxed_match(gold, read.strip()) for gold in golds]
    elif method == "accuracy":
        match = [float(gold.strip().lower() == read.strip().lower()) for gold in golds]
    else:
        golds, read = [normalize_answer(gold) for gold in golds], normalize_answer(prediction)
        match = [gold == read for gold in golds]
    return {"gt": golds, "pred": read, "match": match}


def annotators_match(agreeing: Sequence[bool]) -> list[float]:
    """Each annotator left out in turn: min(1, agreeing others / 3). One annotator alone can only score 0."""
    return [min(1.0, (sum(agreeing) - own) / ANNOTATORS_NEEDED) for own in agreeing]


def row_hit(match: Sequence[float], dataset: str, threshold: float = ANLS_THRESHOLD) -> float:
    """A row's score from its matches: thresholded ANLS, the best match, or (all others) the mean."""
    if dataset.startswith(("DocVQA", "InfoVQA")):
        similarity = 1 - min(match)
        return similarity if similarity >= threshold else 0.0
    if dataset.startswith(("ChartQA", "OCRVQA")):
        return float(max(match))
    return sum(match) / len(match) if match else float("nan")


METHODS = {
    "TextVQA": "vqa_score",
    "ChartQA": "relaxed_accuracy",
    "OCRVQA": "accuracy",
    "DocVQA": "anls",
    "InfoVQA": "anls",
}


def vlmevalkit_report(rows: Sequence[Mapping[str, Any]], dataset: str) -> dict[str, float]:
    """Percentages over all rows, per split and per category."""
    method = next((name for start, name in METHODS.items() if dataset.startswith(start)), "other")
    scored = [
        {**row, "hit": row_hit(match_row(row["answer"], str(row["prediction"]), method)["match"], dataset)}
        for row in rows
    ]
    table: dict[str, float] = {}
    for level in ("split", "category"):
        for name in dict.fromkeys(row[level] for row in scored if level in row):
            hits = [row["hit"] for row in scored if row.get(level) == name]
            table[name] = 100 * sum(hits) / len(hits)
    return table | {"Overall": 100 * sum(row["hit"] for row in scored) / len(scored)}


def text_vqa_accuracy(prediction: str, answers: Sequence[str]) -> float:
    """Cambrian: the vote of exactly ten annotators, else ValueError, after the EvalAI tokenisation."""
    if len(answers) != 10:
        raise ValueError(f"TextVQA has ten annotators a question, not {len(answers)}")
    golds = [eval_ai_answer(answer) for answer in answers]
    read = eval_ai_answer(prediction)
    votes = annotators_match([gold == read for gold in golds])
    return sum(votes) / len(votes)


def cambrian_chartqa(rows: Sequence[Mapping[str, str]]) -> dict[str, float]:
    """Cambrian: numbers within 5 % of the target (0 exactly), everything else, percentages too, as text."""
    hits = [_cambrian_relaxed(row["answer"], row["gt_answer"]) for row in rows]
    return {"total": float(len(hits)), "correct": float(sum(hits)), "accuracy": 100 * sum(hits) / len(hits)}


def _cambrian_relaxed(prediction: str, target: str) -> bool:
    try:
        number, goal = float(prediction), float(target)
    except ValueError:
        return prediction.lower() == target.lower()
    return abs(number - goal) <= RELAXED * abs(goal) if goal else number == goal
