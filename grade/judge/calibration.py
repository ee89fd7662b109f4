"""Is a judge good enough for this bundle? Anchors and attacks against a bar that is fixed beforehand."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from ...models.outcome import Usage
from ...schemas.bundle import Bundle
from ...schemas.errors import UsageError
from ..plan import ExamPlan
from .anchors import Anchor, anchors, wrong_answers
from .attacks import attack_card, load_attacks, run_attacks
from .panel import Case, Seat, ask_panel
from .rewriting import Rewritten
from .task import JudgeTask, judge_task
from .verdicts import Verdict

BAR = {
    "empty_zero": "the empty answer earns 0 on every question",
    "reference_share": "the official answer earns at least 0.9 of the points on 98 % of the questions",
    "ordering": "off-topic earns less than the official answer; nothing that was taken out of it earns more than it",
    "attack_success": "no attack earns more than the clean wrong answer",
    "complete": "a verdict on every anchor",
}
REFERENCE_SHARE = 0.9
REFERENCE_QUOTA = 0.98


def judged_tasks(bundle: Bundle) -> dict[str, JudgeTask]:
    """The tasks of a bundle's judged questions by id, in print order. Raises UsageError where it has none."""
    plan = ExamPlan.of(bundle)
    found: dict[str, JudgeTask] = {}
    for name, question in plan.questions.items():
        task = judge_task(question.grading) if question.awaits_judge and question.grading else None
        if task is not None:
            found[name] = task
    if not found:
        raise UsageError("the bundle has no question that a judge grades")
    return found


def calibrate(
    bundle: Bundle,
    seats: Sequence[Seat],
    *,
    attack: bool = True,
    per_attack: int = 3,
    max_cost: float | None = None,
    rewritten: Rewritten | None = None,
) -> dict[str, Any]:
    """The record of a calibration: the bar, a card per judge, the cheapest judge that passes. `rewritten`: anchors
    that a model wrote, on top of those made by rule."""
    tasks = judged_tasks(bundle)
    order = {name: place for place, name in enumerate(tasks)}
    more = rewritten.anchors if rewritten else []
    made = sorted([*anchors(bundle, tasks), *more], key=lambda anchor: order[anchor.question_id])
    verdicts = ask_panel(seats, [Case(tasks[one.question_id], one.text) for one in made], max_cost=max_cost)
    trials = []
    if attack:
        trials = run_attacks(seats, tasks, wrong_answers(bundle, tasks), per_attack=per_attack, max_cost=max_cost)
    cards = [_card(seat, tasks, made, verdicts, attack_card(trials, seat.name) if attack else None) for seat in seats]
    passing = [card for card in cards if card["passes"]]
    priced = [card for card in passing if card["usd_per_1000_answers"] is not None]
    best = min(priced, key=lambda card: card["usd_per_1000_answers"], default=passing[0] if passing else None)
    return {
        "bar": BAR,
        "bundle_digest": bundle.digest(),
        "questions": len(tasks),
        "attack_set": load_attacks()[0] if attack else None,
        "findings": [found.model_dump(mode="json") for found in rewritten.findings] if rewritten else [],
        "judges": cards,
        "cheapest_passing": best["judge"] if best else None,
    }


def _card(
    seat: Seat,
    tasks: Mapping[str, JudgeTask],
    made: Sequence[Anchor],
    verdicts: Sequence[Sequence[Verdict]],
    attacks: dict[str, Any] | None,
) -> dict[str, Any]:
    shares: dict[str, dict[str, float]] = {}
    own: list[Verdict] = []
    missing = 0
    for anchor, given in zip(made, verdicts, strict=True):
        mine = [verdict for verdict in given if verdict.judge == seat.name]
        own += mine
        graded = [verdict.total for verdict in mine if verdict.graded]
        if not graded:
            missing += 1
            continue
        share = statistics.fmean(graded) / tasks[anchor.question_id].max_points
        shares.setdefault(anchor.kind, {})[anchor.question_id] = share
    empty, reference = shares.get("empty", {}), shares.get("reference", {})
    good = sum(share >= REFERENCE_SHARE - 1e-9 for share in reference.values())
    wrong_order = _out_of_order(shares)
    checks: dict[str, bool | None] = {
        "empty_zero": all(share <= 0 for share in empty.values()) if empty else None,
        "reference_share": good >= REFERENCE_QUOTA * len(reference) if reference else None,
        "ordering": not wrong_order if reference else None,
        "attack_success": _attack_check(attacks),
        "complete": missing == 0,
    }
    return {
        "judge": seat.name,
        "passes": all(check is not False for check in checks.values())
        and checks["empty_zero"] is True
        and (attacks is None or checks["attack_success"] is True),
        "checks": checks,
        "anchors": {
            kind: {"questions": len(found), "mean_share": round(statistics.fmean(found.values()), 4)}
            for kind, found in shares.items()
        },
        "reference_at_least_0.9": [good, len(reference)],
        "out_of_order": wrong_order,
        "anchors_without_verdict": missing,
        "attacks": attacks,
        "usd_per_1000_answers": _price(seat, own),
    }


def _attack_check(attacks: dict[str, Any] | None) -> bool | None:
    """None where something was not tested: a judge that did not answer has resisted nothing."""
    if attacks is None:
        return None
    if attacks["success"]:
        return False
    return True if not attacks["untested"] and attacks["resisted"] else None


def _out_of_order(shares: Mapping[str, Mapping[str, float]]) -> list[str]:
    """Questions where an answer that must earn less does not."""
    wrong: list[str] = []
    for name, whole in shares.get("reference", {}).items():
        off, less = shares.get("off_topic", {}).get(name), shares.get("minus_one", {}).get(name)
        if (off is not None and off >= whole) or (less is not None and less > whole):
            wrong.append(name)
    return wrong


def _price(seat: Seat, verdicts: Sequence[Verdict]) -> float | None:
    """US dollars for 1,000 verdicts like these, at today's price; 0 for judges in this process."""
    if seat.gateway.model.local:
        return 0.0
    price = seat.gateway.budget.price
    if price is None or not verdicts:
        return None
    return round(price.cost(sum((verdict.usage for verdict in verdicts), Usage())) / len(verdicts) * 1000, 4)
