"""From verdicts to a report: one entry per question, and what the panel as a whole was like."""

from __future__ import annotations

import hashlib
import math
import statistics
from collections.abc import Sequence
from typing import Any

from ...models.outcome import Usage
from ...schemas.findings import Finding, error, warning
from ..entries import Outcome, outcome
from ..marks import shown
from ..plan import QuestionPlan
from .panel import Case, Seat
from .verdicts import Verdict

AGGREGATIONS = {"mean": statistics.fmean, "median": statistics.median, "min": min, "max": max}


def answer_mark(answer: str) -> str:
    """A short name of an answer's text, by which a later run sees that it has not changed."""
    return hashlib.sha256(answer.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def judged_outcome(
    question: QuestionPlan, case: Case, verdicts: Sequence[Verdict], judges: Sequence[str], aggregation: str
) -> Outcome:
    """The question's entry. Repeats of one judge count as their mean; then the judges are aggregated. Without any
    verdict it is ungraded, with the reasons."""
    graded = [verdict for verdict in verdicts if verdict.graded]
    detail: dict[str, Any] = {
        "judge_models": [verdict.judge for verdict in graded],
        "requested_judge_models": list(judges),
        "aggregation": aggregation,
    }
    kept = [verdict.as_dict() for verdict in verdicts]
    given = {"answer": shown(case.answer), "answer_mark": answer_mark(case.answer)}
    if not graded:
        reason = "; ".join(dict.fromkeys(f"{one.judge}: {one.why or one.ending}" for one in verdicts)) or "no judge"
        ending = verdicts[0].ending if verdicts else "transport_error"
        detail = {"error": reason, "outcome": ending, **detail, **given, "verdicts": kept}
        found = (error(f"judge.{ending}", f"no judge graded it: {reason}", question.id),)
        return outcome(question.id, "error", question.max_points, 0.0, detail, found)
    by_judge: dict[str, list[float]] = {}
    for verdict in graded:
        by_judge.setdefault(verdict.judge, []).append(verdict.total)
    awarded = float(AGGREGATIONS[aggregation]([statistics.fmean(totals) for totals in by_judge.values()]))
    totals, raw = [verdict.total for verdict in graded], [verdict.raw_total for verdict in graded]
    detail |= {
        "totals": totals,
        "raw_totals": raw,
        "snap_changed": [one != other for one, other in zip(totals, raw, strict=True)],
        "agreement": spread_of(totals, question.max_points),
        "raw_agreement": spread_of(raw, question.max_points),
        "outcome": "graded",
        "anchored": case.task.anchored,
        **given,
        "verdicts": kept,
    }
    if case.task.base:
        detail["points_by_rule"] = case.task.base
    records = [verdict.record().model_dump(mode="json") for verdict in graded]
    return outcome(
        question.id, "judge", question.max_points, awarded, detail, _findings(question.id, verdicts), records
    )


def _findings(question: str, verdicts: Sequence[Verdict]) -> tuple[Finding, ...]:
    found: list[Finding] = []
    for verdict in verdicts:
        if not verdict.graded:
            told = f"{verdict.judge} gave no verdict ({verdict.why or verdict.ending}); the others decide"
            found.append(warning("judge.missing", told, question))
        for pick in verdict.unfounded:
            told = f"{verdict.judge} gave credit for {pick.criterion!r} on evidence that is not in the answer"
            found.append(warning("judge.evidence", told, question, hint="read this answer yourself"))
    return tuple(found)


def spread_of(totals: Sequence[float], max_points: float) -> dict[str, Any]:
    """How far verdicts on one answer lie apart, in points and as a share of the maximum."""
    spread = max(totals) - min(totals)
    return {
        "judge_count": len(totals),
        "spread": spread,
        "stdev": statistics.pstdev(totals),
        "normalized_spread": spread / max_points if max_points else 0.0,
        "unanimous": spread < 1e-9,  # floats of one verdict may differ in their last digits
    }


def panel_agreement(outcomes: Sequence[Outcome], judges: Sequence[str]) -> dict[str, Any]:
    """`judge_agreement` of a report: spread between judges, and who is lenient (shares of the maximum)."""
    judged = [one for one in outcomes if one.mode == "judge" and one.max_points > 0]
    several = [one for one in judged if len(set(one.detail["judge_models"])) > 1]
    spreads = [one.detail["agreement"]["spread"] for one in several]
    shares: dict[str, list[float]] = {judge: [] for judge in judges}
    above: dict[str, list[float]] = {judge: [] for judge in judges}
    for one in judged:
        given: dict[str, list[float]] = {}
        for judge, total in zip(one.detail["judge_models"], one.detail["totals"], strict=True):
            given.setdefault(judge, []).append(total / one.max_points)
        means = {judge: statistics.fmean(values) for judge, values in given.items()}
        for judge, mean in means.items():
            shares.setdefault(judge, []).append(mean)
            if len(means) > 1:
                above.setdefault(judge, []).append(mean - statistics.fmean(means.values()))
    normalized = [one.detail["agreement"]["normalized_spread"] for one in several]
    return {
        "requested_judge_models": list(judges),
        "judged_questions": len(judged),
        "multi_judge_questions": len(several),
        "disagreed_questions": sum(spread > 0 for spread in spreads),
        "mean_spread": _mean(spreads),
        "max_spread": max(spreads, default=0.0),
        "mean_normalized_spread": _mean(normalized),
        "per_judge_mean": {judge: _mean(values) for judge, values in shares.items()},
        "leniency": {judge: _mean(values) for judge, values in above.items()},
        "snap_changes": sum(sum(one.detail["snap_changed"]) for one in judged),
    }


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0


def panel_usage(seats: Sequence[Seat], verdicts: Sequence[Verdict], taker: dict[str, Any] | None) -> dict[str, Any]:
    """`usage` of a report: tokens that its verdicts took when they were made, whoever paid for them."""
    phases: dict[str, Any] = {}
    whole, calls = Usage(), 0
    for seat in seats:
        own = [verdict for verdict in verdicts if verdict.judge == seat.name]
        used = sum((verdict.usage for verdict in own), Usage())
        phases[f"judge:{seat.name}"] = _tokens(used, len(own))
        whole, calls = whole + used, calls + len(own)
    if taker is not None:
        phases["taker"] = taker
    return {"total": _tokens(whole, calls), "phases": phases}


def _tokens(usage: Usage, requests: int) -> dict[str, int]:
    return {
        "requests": requests,
        "input_tokens": usage.input,
        "output_tokens": usage.output,
        "reasoning_tokens": usage.reasoning,
        "cache_read_tokens": usage.cached,
        "cache_write_tokens": usage.cache_write,
    }


def panel_cost(seats: Sequence[Seat], verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """`cost` of a report in US dollars at today's price; null where a judge has none."""
    costs: dict[str, float | None] = {}
    for seat in seats:
        price = seat.gateway.budget.price
        used = sum((verdict.usage for verdict in verdicts if verdict.judge == seat.name), Usage())
        costs[seat.name] = 0.0 if seat.gateway.model.local else None if price is None else round(price.cost(used), 6)
    known = [cost for cost in costs.values() if cost is not None]
    return {"currency": "USD", "judges": costs, "total": math.fsum(known) if len(known) == len(costs) else None}


def panel_findings(seats: Sequence[Seat], taker: str | None) -> list[Finding]:
    """What a reader of the scores should know about the panel itself."""
    found: list[Finding] = []
    for seat in seats:
        model = seat.gateway.model
        own_names = {model.name, f"{model.provider}:{model.name}"}
        if taker and (taker.partition("@http")[0] in own_names or taker.partition(":")[2] == model.name):
            told = f"{seat.name} judges its own answers"
            found.append(warning("judge.self", told, hint="add a judge of another family"))
    return found
