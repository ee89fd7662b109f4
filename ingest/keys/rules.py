"""How each question is graded: fixed answers by rule, open ones by a judge who picks rubric levels.

A void question (`every`) is full marks for any answer: a single choice accepts all its options, a multiple
choice gets a per-option table of ones. Where no rule can say what the key says (two accepted sets of a
multiple choice, no key at all), the question falls back to a judge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...schemas.findings import Finding, Where
from ...schemas.grading import (
    ChoiceRule,
    ExpressionRule,
    FillInBlankRule,
    JudgeRule,
    MatchingRule,
    NumericRule,
    PerOptionRule,
    QuestionGrading,
    RubricCriterion,
    RubricLevel,
    Rule,
)
from ..draft import UNSURE, DraftPaper, DraftQuestion, KeyEntry
from .key_cells import narrow
from .value_rules import blanks_rule, expression_rule, matching_rule, measured_rule, numeric_rule, true_false_rule

_CLOSE = 1e-6
_WITHOUT_PENALTY = FillInBlankRule | MatchingRule | NumericRule | ExpressionRule
"""Rules of single values, which take nothing away as they are made here."""
_REFERENCE_LIMIT = 12_000
_FULL = ("Fully correct and complete.", "Mostly correct: a minor error or omission.", "About half of what is asked.")


def make_grading(
    paper: DraftPaper, aligned: Mapping[str, KeyEntry]
) -> tuple[dict[str, QuestionGrading], list[Finding]]:
    """The grading of every leaf, by question id, and what could not be put into a rule.

    Points that are still open count as 1.
    """
    grading: dict[str, QuestionGrading] = {}
    findings: list[Finding] = []
    labels = _digit_labels(paper, aligned)
    for question in paper.leaves():
        grading[question.id] = _grade(question, aligned.get(question.id), labels, findings)
    unsaid = [q.id for q in paper.leaves() if _penalty(q) and isinstance(grading[q.id].rule, _WITHOUT_PENALTY)]
    return grading, [*findings, *([_no_penalty(unsaid)] if unsaid else [])]


def _digit_labels(paper: DraftPaper, aligned: Mapping[str, KeyEntry]) -> set[str]:
    """Digits that the key uses as option labels: such a value at a question without options is no number."""
    found: set[str] = set()
    for question in paper.leaves():
        entry = aligned.get(question.id)
        if question.options and entry is not None and entry.origin == "key" and narrow(entry.raw).strip().isdecimal():
            found.update(str(n) for n in range(1, len(question.options) + 1))
    return found


def _grade(
    question: DraftQuestion, entry: KeyEntry | None, labels: set[str], findings: list[Finding]
) -> QuestionGrading:
    points = question.points if question.points is not None else 1.0
    penalty = _penalty(question)
    rule = _fixed_rule(question, entry, labels, findings) if entry is not None else None
    if entry is not None and entry.every:
        findings.append(_void(question, entry))
    if rule is not None:
        floor = -penalty if penalty and not isinstance(rule, PerOptionRule | _WITHOUT_PENALTY) else 0.0
        return QuestionGrading(question_id=question.id, max_points=points, min_points=floor, rule=rule, anchored=True)
    judge = judge_rule(question, entry, points, findings)
    anchored = entry is not None and bool(entry.reference or entry.criteria or entry.values or entry.every)
    return QuestionGrading(question_id=question.id, max_points=points, rule=judge, anchored=anchored)


def _fixed_rule(question: DraftQuestion, entry: KeyEntry, labels: set[str], findings: list[Finding]) -> Rule | None:
    kind = question.type
    penalty = _penalty(question)
    if kind == "single_choice" and len(question.options) >= 2:
        return _single(question, entry, penalty)
    if kind == "multiple_choice" and len(question.options) >= 2:
        return _multiple(question, entry, findings)
    if entry.every:
        return None
    if kind == "true_false":
        return true_false_rule(entry, penalty)
    if kind == "fill_in_blank":
        return blanks_rule(question, entry) if entry.series != UNSURE else None
    if kind == "matching":
        return matching_rule(question, entry)
    if kind == "short_answer" and not entry.criteria and narrow(entry.raw).strip() not in labels:
        return numeric_rule(entry) or measured_rule(entry) or expression_rule(entry)
    return None


def _penalty(question: DraftQuestion) -> float:
    return question.scoring.wrong_penalty if question.scoring else 0.0


def _single(question: DraftQuestion, entry: KeyEntry, penalty: float) -> ChoiceRule | None:
    labels = [o.label for o in question.options]
    wanted = set(labels) if entry.every else {v for s in (entry.values, *entry.alternatives) for v in s}
    if not wanted:
        return None
    correct = [name for name in labels if name in wanted]
    return ChoiceRule(correct=correct, negative_marking=-penalty if penalty else None)


def _multiple(question: DraftQuestion, entry: KeyEntry, findings: list[Finding]) -> Rule | None:
    labels = [o.label for o in question.options]
    if entry.every:
        return PerOptionRule(correct=labels, ratio_by_errors=[1.0] * (len(labels) + 1))
    if not entry.values:
        return None
    if entry.alternatives:
        findings.append(_several_sets(question, entry))
        return None
    correct = list(entry.values)
    scoring = question.scoring
    if scoring is not None and scoring.ratio_by_errors:
        if all(0.0 <= ratio <= 1.0 for ratio in scoring.ratio_by_errors):
            return PerOptionRule(correct=correct, ratio_by_errors=list(scoring.ratio_by_errors))
        findings.append(_ratios(question, scoring.text))
    partial = bool(scoring and scoring.partial)
    penalty = scoring.wrong_penalty if scoring else 0.0
    return ChoiceRule(correct=correct, partial_credit=partial, wrong_selection_penalty=penalty)


# --- judged questions -----------------------------------------------------------------------------------------


def judge_rule(question: DraftQuestion, entry: KeyEntry | None, points: float, findings: list[Finding]) -> JudgeRule:
    """A judge's rule: the official reference and rubric where there is one, else levels of correctness."""
    reference = _reference(entry)
    rubric = _rubric(question, entry, points, findings)
    assets = [f"assets/{question.id}.ref{n}.png" for n in range(1, len(entry.figures) + 1)] if entry else []
    void = "The question is void: every answer earns full marks." if entry is not None and entry.every else None
    return JudgeRule(reference_answer=reference, reference_assets=assets, rubric=rubric, judge_instructions=void)


def _reference(entry: KeyEntry | None) -> str | None:
    if entry is None:
        return None
    told = entry.reference
    if not told and entry.values:
        told = entry.raw or " or ".join(" ".join(s) for s in (entry.values, *entry.alternatives))
    return told[:_REFERENCE_LIMIT] if told else None


def _rubric(
    question: DraftQuestion, entry: KeyEntry | None, points: float, findings: list[Finding]
) -> list[RubricCriterion]:
    if points <= 0:
        return []
    criteria = entry.criteria if entry is not None else ()
    if criteria:
        total = sum(levels[0][0] for _, levels in criteria)
        if abs(total - points) <= _CLOSE:
            return [
                RubricCriterion(
                    id=f"c{n}",
                    description=text,
                    levels=[RubricLevel(points=value, descriptor=said) for value, said in levels],
                )
                for n, (text, levels) in enumerate(criteria, 1)
            ]
        findings.append(_sum(question, total, points))
    return [default_criterion(points)]


def default_criterion(points: float) -> RubricCriterion:
    """Levels of correctness where no official rubric is known: whole points up to 5, else quarters."""
    if points == int(points) and points <= 5:
        steps = [float(p) for p in range(int(points), -1, -1)]
    elif points <= 2:
        steps = [points, round(points / 2, 6), 0.0]
    else:
        steps = [round(points * share, 6) for share in (1.0, 0.75, 0.5, 0.25, 0.0)]
    levels = [RubricLevel(points=p, descriptor=_descriptor(p / points)) for p in steps]
    return RubricCriterion(id="c1", description="Correctness and completeness of the answer.", levels=levels)


def _descriptor(share: float) -> str:
    if share >= 1.0:
        return _FULL[0]
    if share <= 0.0:
        return "Wrong, empty, or off the point."
    if share > 0.6:
        return _FULL[1]
    return _FULL[2] if share >= 0.4 else "A small part of what is asked is right."


# --- findings -------------------------------------------------------------------------------------------------


def _void(question: DraftQuestion, entry: KeyEntry) -> Finding:
    return Finding(
        code="key.void",
        severity="info",
        where=Where(question=question.id, source=entry.source, page=entry.page),
        message=f"The key declares {question.id} void or accepts every answer (“{entry.raw}”): "
        "any answer earns full marks.",
    )


def _no_penalty(names: Sequence[str]) -> Finding:
    listed = ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
    return Finding(
        code="rule.penalty",
        severity="warning",
        where=Where(question=names[0] if len(names) == 1 else None),
        message=f"The paper takes points away for wrong answers to {listed}, which the rules of such questions do not "
        "say: a wrong answer earns nothing there.",
        hint="Is the penalty meant for these questions too?",
    )


def _several_sets(question: DraftQuestion, entry: KeyEntry) -> Finding:
    return Finding(
        code="key.several_sets",
        severity="warning",
        where=Where(question=question.id, source=entry.source, page=entry.page),
        message=f"The key accepts several sets of options for {question.id} (“{entry.raw}”), which no rule can say; "
        "it is judged.",
    )


def _ratios(question: DraftQuestion, text: str) -> Finding:
    return Finding(
        code="rule.ratios",
        severity="warning",
        where=Where(question=question.id),
        message=f"The paper's scoring by options (“{text[:80]}”) did not read as shares of the points; "
        f"{question.id} earns its points for the exact set only.",
    )


def _sum(question: DraftQuestion, total: float, points: float) -> Finding:
    return Finding(
        code="rubric.sum",
        severity="warning",
        where=Where(question=question.id),
        message=f"The mark scheme's points for {question.id} add up to {total:g}, the question is worth {points:g}: "
        "the scheme is kept as reference, and plain levels are used.",
    )
