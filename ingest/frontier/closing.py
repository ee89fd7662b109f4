"""What is to be said of the exam as a whole once both readings are one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...schemas.exam import CHOICE_TYPES, Question
from ...schemas.findings import Finding, Where
from ...schemas.grading import JudgeRule
from ...schemas.printable import printable
from ..assembly.ids import slug
from ..assembly.verdict import paper_findings
from ..proving.numbers import RANGE
from .entries import section_key
from .merged import Merged
from .prompts.inventory import Inventory

_FIXED = CHOICE_TYPES | {"true_false", "fill_in_blank", "matching"}
_CLOSE = 0.01


def exam_findings(merged: Merged, inventory: Inventory | None, names: Sequence[str]) -> list[Finding]:
    """Findings over the finished exam; `names` are the sources' file names."""
    whole = [*_total(merged), *_unkeyed(merged), *_counts(merged, inventory)]
    return [*paper_findings(merged.exam, merged.grading, names), *whole]


def _counts(merged: Merged, inventory: Inventory | None) -> Iterator[Finding]:
    """Sections that have fewer numbered questions than the inventory, a look of its own at the pages, counted."""
    for seen in inventory.sections if inventory else []:
        name = slug(section_key(seen.label) or "").casefold()
        inside = [s for s in merged.exam.sections if name and (s.id.casefold() + "-").startswith(f"{name}-")]
        found = sum(_numbered(question) for section in inside for question in section.questions)
        if inside and seen.questions and found < seen.questions:
            yield Finding(
                code="section.count",
                severity="warning",
                message=printable(
                    f"The inventory counts {seen.questions} questions in section {seen.label}, {found} were read.", 300
                ),
                hint="Look at the section: a question may have been missed.",
            )


def _numbered(question: Question) -> int:
    """How many numbered questions a question is: a group counts for those that it holds."""
    group = bool(question.children) and (not question.number or bool(RANGE.search(question.number)))
    return sum(_numbered(child) for child in question.children) if group else 1


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
