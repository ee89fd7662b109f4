"""The written protocol of UNO-Scorer: how references are put to it and how its score is read.

Sources: the UNO-Scorer model card, section "Reference Answer Formatting"; observed behaviour of
meituan-longcat/UNO-Bench `uno-eval/` at 53f66b22. Scores are on the scorer's own scale of 0 to 10.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

FULL = 10
_SCORE = re.compile(r"<score>([\d.]+)</score>")
_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ReferencePart:
    """One sub-question's official answer and its points on the scale of 10."""

    answer: str
    points: float


def extract_score(text: object) -> float:
    """The number in the last `<score>` tag as the released code reads it: 0.0 without a tag or for a malformed number.

    Not clamped to 0..10. `grade` treats a reply without a tag as unparseable instead of worth nothing.
    """
    found = _SCORE.findall(text) if isinstance(text, str) else []
    try:
        return float(found[-1]) if found else 0.0
    except ValueError:
        return 0.0


def score_share(reply: object, full: float = FULL) -> float:
    """The score as a share of full marks."""
    return extract_score(reply) / full


def remove_thought(text: str) -> str:
    """The text without a think block at its very first character, left-stripped."""
    match = _THOUGHT.match(text)
    return (text[match.end() :] if match else text).lstrip()


def single_reference(answer: str, *, lang: str = "zh", criteria: str | None = None, style: str = "card") -> str:
    """One answer for all ten points; `style="code"` is the released code's wording, "card" the model card's."""
    label = f"小问1：{answer}" if style == "code" else f"1. {answer}"
    if lang == "zh":
        tail = f"评分标准：{criteria}" if criteria else "无需关注推理过程，最终答案正确即可"
        return f"{label}，总分10分，{tail}"
    tail = f"scoring criteria: {criteria}" if criteria else "focus only on final answer correctness"
    return f"{label}, total score 10 points, {tail}"


def parts_reference(parts: Sequence[ReferencePart], *, lang: str = "zh") -> str:
    """Numbered answers with their points; the points should sum to ten (`sums_to_full`)."""
    unit = "（{}分）" if lang == "zh" else " ({} points)"
    return "; ".join(f"{n}. {part.answer}{unit.format(f'{part.points:g}')}" for n, part in enumerate(parts, 1))


def sums_to_full(parts: Sequence[ReferencePart]) -> bool:
    return abs(sum(part.points for part in parts) - FULL) < 1e-9
