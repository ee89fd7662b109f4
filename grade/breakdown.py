"""Points earned by rule and points earned by judgement, apart: the first are certain, the second are not."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Literal

from ..schemas.grading import GradingSpec
from ..schemas.report import QuestionResult

Kind = Literal["deterministic", "judge"]
KINDS: tuple[Kind, ...] = ("deterministic", "judge")


def rule_kinds(grading: GradingSpec) -> dict[str, Kind]:
    """By question id: whether a rule or a judge decides."""
    judged = {"judge", "parts"}
    return {q: "judge" if entry.rule.kind in judged else "deterministic" for q, entry in grading.questions.items()}


def classify_points(
    results: Iterable[QuestionResult], kinds: Mapping[str, Kind]
) -> dict[Kind, dict[str, float | None]]:
    """The figures of a report for each kind of question: how many, how many points, earned, missed and why.

    `covered_max` leaves out what was never put to the taker; `percentage` is of it, None where it is 0. Points are
    rounded to six places. A question that `kinds` does not name counts as judged.
    """
    sorted_by: dict[Kind, list[QuestionResult]] = {kind: [] for kind in KINDS}
    for result in results:
        sorted_by[kinds.get(result.question_id, "judge")].append(result)
    return {kind: _figures(group) for kind, group in sorted_by.items()}


def _figures(results: list[QuestionResult]) -> dict[str, float | None]:
    total = math.fsum(result.max_points for result in results)
    skipped = math.fsum(result.max_points for result in results if result.mode == "skipped")
    awarded = math.fsum(result.awarded for result in results)
    covered = total - skipped
    modes = [result.mode for result in results]
    graded = [result for result in results if result.mode in {"deterministic", "judge"}]
    return {
        "questions": len(results),
        "max_points": round(total, 6),
        "skipped_points": round(skipped, 6),
        "covered_max": round(covered, 6),
        "awarded": round(awarded, 6),
        "full_credit": float(sum(result.awarded >= result.max_points for result in graded)),
        "unanswered": float(modes.count("unanswered")),
        "errored": float(modes.count("error")),
        "skipped": float(modes.count("skipped")),
        "percentage": round(awarded, 6) / round(covered, 6) * 100 if covered else None,
    }
