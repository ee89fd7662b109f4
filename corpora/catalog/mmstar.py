"""MMStar: first-character matching, fixed denominators, multimodal gain and leakage.

Official: observed behaviour of MMStar-Benchmark/MMStar `eval/vlmeval/evaluate/mmstar.py` at 88f243ab; the gain and
leakage formulas are those of its `eval/README.md`. lmms-eval's and Cambrian's own readings stand beside it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]

CATEGORIES: dict[str, tuple[str, ...]] = {
    "coarse perception": ("image scene and topic", "image style & quality", "image emotion"),
    "fine-grained perception": ("object counting", "recognition", "localization"),
    "instance reasoning": (
        "single-instance reasoning",
        "cross-instance attribute reasoning",
        "cross-instance relation reasoning",
    ),
    "logical reasoning": ("code & sequence reasoning", "diagram reasoning", "common reasoning"),
    "science & technology": (
        "biology & chemistry & physics",
        "electronics & energy & mechanical eng.",
        "geography & earth science & agriculture",
    ),
    "math": ("geometry", "numeric commonsense and calculation", "statistical reasoning"),
}
PER_CATEGORY = 250
ALL = 1500
_DECLARED = "answer is|answer:|答案是|答案为|答案：|选|答えは|정답은|답:"


def is_match(prediction: str, answer: str) -> bool:
    """The gold letter stands first, or right after "(", "option " or "the answer is " (case ignored)."""
    text = prediction.lower().strip().replace("\n", " ")
    gold = answer.lower()
    for opening in ("", "(", "option ", "the answer is "):
        if text.startswith(opening) and text[len(opening) : len(opening) + 1] == gold:
            return True
    return False


def official_scores(rows: Sequence[Row]) -> dict[str, float]:
    """The official table of replies: `scores` of what the official match makes of each."""
    return scores(
        [(row["category"], row["l2_category"], is_match(str(row["prediction"]), row["answer"])) for row in rows]
    )


def scores(marks: Sequence[tuple[str, str, bool]]) -> dict[str, float]:
    """Score per category over 250, in all over 1,500 whatever the number of rows; l2 scores are plain means.

    `marks`: category, l2 category, right or not.
    """
    hits: dict[tuple[str, str], list[bool]] = {}
    for category, part, hit in marks:
        hits.setdefault((category, part), []).append(hit)
    table = {"final score": sum(sum(group) for group in hits.values()) / ALL}
    for category, parts in CATEGORIES.items():
        table[category] = sum(sum(hits.get((category, part), [])) for part in parts) / PER_CATEGORY
        for part in parts:
            group = hits.get((category, part), [])
            table[f"{category}({part})"] = sum(group) / len(group) if group else 0.0
    return table


def gain_and_leakage(with_image: float, without_image: float, language_model: float) -> dict[str, float]:
    """Multimodal gain MG = Sv - Swv; multimodal leakage ML = max(0, Swv - St)."""
    return {"MG": with_image - without_image, "ML": max(0, without_image - language_model)}


def visual_necessity(with_image: float, without_image: float) -> float:
    """Accuracy with the image minus accuracy without it: how much the pictures matter."""
    return with_image - without_image


def lmms_choice(reply: str, choices: Sequence[str] | None = None) -> str:
    """lmms-eval: a leading letter, the declared one, the last letter that stands alone, else the first character."""
    letters = "".join(choices) if choices else "ABCDE"
    text = reply.strip()
    either = f"[{letters}]"
    if match := re.match(rf"({either})(?:[\s.:)]|$)", text):
        return match.group(1)
    declared = re.findall(rf"(?i:{_DECLARED})[\s(*:]*({either})", text)
    if declared:
        return declared[-1]
    alone = re.findall(rf"(?<![A-Za-z0-9])({either})(?![A-Za-z0-9])", text)
    if alone:
        return alone[-1]
    return text[:1].upper() if text[:1].upper() in letters else ""


def lmms_score(results: Sequence[Row]) -> float:
    """lmms-eval: the unweighted mean over the l2 categories."""
    groups: dict[str, list[float]] = {}
    for row in results:
        groups.setdefault(row["l2_category"], []).append(row["score"])
    means = [sum(group) / len(group) for group in groups.values()]
    return sum(means) / len(means)


def cambrian_accuracy(rows: Sequence[Row]) -> float:
    """Cambrian, in percent: the reply's first word, a colon or full stop aside, is the gold letter."""
    hits = []
    for row in rows:
        first = str(row["answer"]).lower().split()[0].rstrip(":.")
        hits.append(first == row["gt_answer"].lower())
    return 100 * sum(hits) / len(hits)
