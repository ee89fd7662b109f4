"""Marked answers become a bundle with judged questions, and the rows that stand beside it for `calibrate --marks`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ...schemas.bundle import Bundle, save_bundle
from ...schemas.content import Block, TextBlock
from ...schemas.errors import UsageError
from ...schemas.exam import Exam, Question, Section
from ...schemas.grading import GradingSpec, JudgeRule, QuestionGrading, RubricCriterion, RubricLevel
from ...schemas.json_files import write_text
from ...schemas.manifest import Manifest
from .reading import MarkedRow

QUARTERS = 4


@dataclass(frozen=True, slots=True)
class Scheme:
    """How a set's columns are to be understood. `anchor`: judged by its rubric, or by its reference answer alone.
    `points`: what a question is worth in the bundle, where the set holds shares of 1."""

    anchor: Literal["rubric", "reference"]
    points: float | None = None


def import_marked(rows: Sequence[MarkedRow], scheme: Scheme, folder: Path, *, title: str) -> Bundle:
    """Write the bundle to `folder` (replacing one that lies there) and its marks to `folder`/marks.jsonl.

    Raises UsageError for a set that judges by a rubric and has none.
    """
    first: dict[str, MarkedRow] = {}
    for row in rows:
        first.setdefault(row.question_id, row)
    points = {name: scheme.points or row.max_points for name, row in first.items()}
    exam = Exam(
        exam_id=title,
        title=title,
        language=next(iter(first.values())).language,
        total_points=sum(points.values()),
        sections=[Section(id="all", questions=[_question(row, points[name]) for name, row in first.items()])],
    )
    graded = {name: _grading(row, scheme, points[name]) for name, row in first.items()}
    manifest = Manifest(created_at="1970-01-01T00:00:00Z", tool_version="marked answers")
    bundle = save_bundle(folder, exam, GradingSpec(exam_id=title, questions=graded), manifest, {}, force=True)
    lines = [json.dumps(one, ensure_ascii=False) for one in marks(rows, scheme)]
    write_text(folder / "marks.jsonl", "\n".join(lines) + "\n")
    return bundle


def _question(row: MarkedRow, points: float) -> Question:
    prompt: list[Block] = [TextBlock(markdown=text) for text in (row.context, row.question) if text]
    return Question(id=row.question_id, type="short_answer", prompt=prompt, points=points)


def _grading(row: MarkedRow, scheme: Scheme, points: float) -> QuestionGrading:
    rule = JudgeRule(reference_answer=row.reference)
    if scheme.anchor == "rubric":
        if not row.rubric:
            raise UsageError(f"{row.question_id} has no rubric to be judged by")
        scale = points / row.max_points
        rule.rubric = [
            RubricCriterion(
                id=f"c{place}",
                description=one.criterion,
                levels=list(_levels([(level.points * scale, level.descriptor) for level in one.levels])),
            )
            for place, one in enumerate(row.rubric, 1)
        ]
    return QuestionGrading(question_id=row.question_id, max_points=points, rule=rule, anchored=True)


def _levels(printed: list[tuple[float, str]]) -> Iterable[RubricLevel]:
    """Highest first, down to 0. A criterion that prints only what earns all of its points, and is worth more than one,
    gets quarters: the people who marked by it gave parts of them."""
    if len(printed) == 1 and printed[0][0] > 1:
        most, told = printed[0]
        yield RubricLevel(points=most, descriptor=told)
        for step in range(QUARTERS - 1, 0, -1):
            yield RubricLevel(points=most * step / QUARTERS, descriptor=f"about {step} of {QUARTERS} parts of it")
    else:
        for points, told in sorted(printed, reverse=True):
            yield RubricLevel(points=points, descriptor=told)
    if min(points for points, _ in printed) > 0:
        yield RubricLevel(points=0.0, descriptor="not met")


def marks(rows: Iterable[MarkedRow], scheme: Scheme) -> Iterable[dict[str, Any]]:
    """A row of `calibrate --marks` per answer: question, answer, `rater1`…, and `rater1:c1`… where there are any."""
    for row in rows:
        scale = (scheme.points or row.max_points) / row.max_points
        entry: dict[str, Any] = {"question": row.question_id, "answer_id": row.answer_id, "answer": row.answer}
        entry |= {f"rater{place}": score * scale for place, score in enumerate(row.scores, 1)}
        if scheme.anchor == "rubric":
            for rater, given in enumerate(row.scores_by_criterion or [], 1):
                entry |= {f"rater{rater}:c{place}": score * scale for place, score in enumerate(given, 1)}
        yield entry
