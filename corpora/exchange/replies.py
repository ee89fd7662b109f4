"""One reply to one question, graded by rule: what another harness's scorer calls."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from ...grade.extraction.answer import answer_from_reply
from ...grade.plan import ExamPlan
from ...models.paper_parts import Asked, locate
from ...schemas.bundle import Bundle, load_bundle
from ...schemas.errors import UsageError
from ...schemas.printable import printable


@dataclass(frozen=True)
class ReplyScore:
    """`status`: `scored`; `unparseable` or `refused` (no answer was found: no points); `ungraded` (only a judge
    can tell, or the key is unusable: no score at all). `awarded` and `max_points` in the exam's points."""

    question_id: str
    status: Literal["scored", "unparseable", "refused", "ungraded"]
    awarded: float
    max_points: float
    answer: str
    detail: str


class ReplyScorer:
    """Grades replies to the questions of one bundle, as `exam2bench grade` does with a sheet that holds replies."""

    def __init__(self, bundle: Bundle) -> None:
        self.bundle = bundle
        self.plan = ExamPlan.of(bundle)
        self.asked: dict[str, Asked] = locate(bundle.exam)

    def score(self, question_id: str, reply: str) -> ReplyScore:
        """Raises UsageError for an id that is no leaf of the exam."""
        plan = self.plan.questions.get(question_id)
        if plan is None:
            raise UsageError(f"{printable(question_id)} is no question of {printable(self.plan.exam_id)}")
        if not reply.strip():
            return ReplyScore(question_id, "scored", 0.0, plan.max_points, "", "no answer")
        answer, read = answer_from_reply(plan.question, reply)
        if answer is None:
            status = "refused" if read.status == "refused" else "unparseable"
            return ReplyScore(question_id, status, 0.0, plan.max_points, "", read.how)
        outcome = plan.graded(answer.model_dump())
        shown = _shown(answer)
        if outcome.mode == "error":
            return ReplyScore(
                question_id, "ungraded", 0.0, plan.max_points, shown, str(outcome.detail.get("error", ""))
            )
        return ReplyScore(question_id, "scored", outcome.awarded, plan.max_points, shown, read.how)


def _shown(answer: Any) -> str:
    values = answer.model_dump(exclude={"type"}, exclude_none=True)
    value = next(iter(values.values()), "")
    return value if isinstance(value, str) else ", ".join(value) if isinstance(value, list) else str(value)


@lru_cache(maxsize=8)
def scorer_for(bundle: Path) -> ReplyScorer:
    """The scorer of the bundle in a folder, made once per process."""
    return ReplyScorer(load_bundle(bundle))
