"""What is to be said of the exam as a whole once both readings are one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...schemas.exam import CHOICE_TYPES, Question
from ...schemas.findings import Finding, Where
from ...schemas.grading import JudgeRule
from ..assembly.verdict import paper_findings
from .merged import Merged

_FIXED = CHOICE_TYPES | {"true_false", "fill_in_blank", "matching"}
_CLOSE = 0.01


def exam_findings(merged: Merged, names: Sequence[str]) -> list[Finding]:
    """Findings over the finished exam; `names` are the sources' file names."""
    return [*paper_findings(merged.exam, merged.grading, names), *_total(merged), *_unkeyed(merged)]


def _total(merged: Merged) -> Iterator[Finding]:
    printed = merged.exam.metadata.get("printed_total")
    total = merged.exam.total_points
    if printed is None or not total or abs(float(printed) - total) <= _CLOSE:
        return
    yield Finding(
        code="points.total",
        severity="warning",
        message=f"The questions' points add up to {total:g}, but the paper prints a total of {printed}.",
        hint="A question or its points may have been misread, or the candidate chooses among questions.",
    )


def _unkeyed(merged: Merged) -> Iterator[Finding]:
    """Single questions without an answer where others have one; a paper without any key is told elsewhere."""
    asked = [leaf for leaf in merged.exam.leaves() if leaf.type in _FIXED]
    without = [leaf for leaf in asked if _judged(leaf, merged)]
    if not without or len(without) == len(asked):
        return
    names = ", ".join(leaf.id for leaf in without[:6]) + (f" and {len(without) - 6} more" if len(without) > 6 else "")
    yield Finding(
        code="question.unkeyed",
        severity="warning",
        where=Where(question=without[0].id if len(without) == 1 else None),
        message=f"No key answers {names}; {'it' if len(without) == 1 else 'they'} must be judged.",
    )


def _judged(leaf: Question, merged: Merged) -> bool:
    grading = merged.grading.questions.get(leaf.id)
    return grading is None or isinstance(grading.rule, JudgeRule)
