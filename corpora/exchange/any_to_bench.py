"""To any-to-bench: the common part of the contract. Only this project's own rule kinds have to be rewritten.

`numeric` becomes a blank with a numeric tolerance wherever that says the same; the other kinds become a judge's
rubric that scores the same levels. A question whose type changes needs its sheets changed too: `sheet_for` does it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...schemas.bundle import Bundle, save_bundle
from ...schemas.exam import Blank, Exam, Question
from ...schemas.findings import Finding, info, warning
from ...schemas.grading import (
    BlankKey,
    EnumerationRule,
    ExpressionRule,
    FillInBlankRule,
    JudgeRule,
    Normalization,
    NumericRule,
    PartsRule,
    QuestionGrading,
    RubricCriterion,
    RubricLevel,
    Rule,
)

BLANK = "b1"
COMMON_KINDS = frozenset({"choice", "per_option", "true_false", "fill_in_blank", "matching", "judge"})


@dataclass(frozen=True)
class Common:
    """A bundle's records in the common part. `as_blanks`: questions that became fill-in-blank questions."""

    exam: Exam
    grading: Mapping[str, QuestionGrading]
    as_blanks: frozenset[str]
    findings: list[Finding]


def export(bundle: Bundle, folder: Path) -> list[Finding]:
    """Write the bundle with common rule kinds only into `folder`."""
    common = in_common_kinds(bundle)
    grading = bundle.grading.model_copy(update={"questions": dict(common.grading)})
    names = _assets(bundle)
    save_bundle(folder, common.exam, grading, bundle.manifest, names)
    return common.findings


def _assets(bundle: Bundle) -> dict[str, bytes]:
    from ...schemas.assets import named_assets

    return {name: bundle.read_asset(name) for name, _ in named_assets(bundle.exam, bundle.grading)}


def in_common_kinds(bundle: Bundle) -> Common:
    """The same exam with every rule of a kind that any-to-bench knows, and what that costs, as findings."""
    found: list[Finding] = []
    rules: dict[str, QuestionGrading] = {}
    as_blanks: set[str] = set()
    for name, entry in bundle.grading.questions.items():
        rule, became, lost = _common(entry)
        rules[name] = entry if rule is entry.rule else entry.model_copy(update={"rule": rule})
        if became:
            as_blanks.add(name)
        if lost:
            found.append(warning("export.rule", lost, question=name))
    exam = _with_blanks(bundle.exam, as_blanks)
    if as_blanks:
        told = f"{len(as_blanks)} numeric questions became fill-in-blank questions: convert their sheets with --sheet"
        found.append(info("export.type", told))
    return Common(exam, rules, frozenset(as_blanks), found)


def _common(entry: QuestionGrading) -> tuple[Rule, bool, str | None]:
    """The rule in a common kind, whether the question becomes a blank, and what is lost."""
    rule = entry.rule
    if isinstance(rule, JudgeRule):
        return _without_deductions(rule)
    if isinstance(rule, NumericRule):
        blank = _blank_rule(rule)
        if blank is not None:
            return blank, True, None
    rewrite = _REWRITES.get(rule.kind)
    if rewrite is None:
        return rule, False, None
    return rewrite(rule, entry.max_points), False, f"the {rule.kind} rule became a judge's rubric of the same levels"


def _blank_rule(rule: NumericRule) -> FillInBlankRule | None:
    """The number as a blank; None where a blank cannot say what the rule says."""
    value = _finite(rule.value)
    if value is None or rule.unit_required or rule.significant_figures is not None:
        return None
    if rule.abs_tolerance is not None and rule.rel_tolerance is not None:
        return None
    tolerance = rule.rel_tolerance if rule.rel_tolerance is not None else rule.abs_tolerance
    text = str(rule.value)
    accepted = [text, f"{text} {rule.unit}"] if rule.unit else [text]
    how = Normalization(numeric_tolerance=tolerance or 0.0, numeric_relative=rule.rel_tolerance is not None)
    return FillInBlankRule(blanks={BLANK: BlankKey(accepted=accepted)}, normalization=how)


def _finite(value: str | float) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


# kinds that only a judge can stand in for


def _all_or_nothing(name: str, description: str, points: float) -> RubricCriterion:
    levels = [RubricLevel(points=points, descriptor="right"), RubricLevel(points=0.0, descriptor="not right")]
    return RubricCriterion(id=name, description=description, levels=levels)


def _numeric_as_judge(rule: NumericRule, points: float) -> JudgeRule:
    reference = f"{rule.value} {rule.unit}" if rule.unit else str(rule.value)
    within = [
        f"within ± {rule.abs_tolerance:g}" if rule.abs_tolerance is not None else "",
        f"within {rule.rel_tolerance:.3%} of it" if rule.rel_tolerance is not None else "",
        f"to {rule.significant_figures} significant figures" if rule.significant_figures is not None else "",
        "with its unit" if rule.unit_required else "",
    ]
    told = "The number equals the reference " + (", ".join(part for part in within if part) or "exactly") + "."
    return JudgeRule(reference_answer=reference, rubric=[_all_or_nothing("value", told, points)])


def _expression_as_judge(rule: ExpressionRule, points: float) -> JudgeRule:
    told = "The answer is mathematically equivalent to the reference"
    told += f", written as the paper demands: {rule.form}." if rule.form else "."
    return JudgeRule(reference_answer=rule.expression, rubric=[_all_or_nothing("value", told, points)])


def _enumeration_as_judge(rule: EnumerationRule, points: float) -> JudgeRule:
    """One criterion whose levels are the number of right items, as the rule scores them."""
    required = rule.required or len(rule.items)
    reference = "\n".join(f"{n}. {' / '.join(item.accepted)}" for n, item in enumerate(rule.items, 1))
    how = " in this order" if rule.ordered else " in any order"
    told = f"How many of the listed items the answer names{how} (at most {required} count); alternatives stand after /."
    levels = [
        RubricLevel(points=round(points * count / required, 6), descriptor=f"{count} of {required}")
        for count in range(required, -1, -1)
    ]
    criterion = RubricCriterion(id="items", description=told, levels=levels)
    wrong = f"Each wrong item costs {rule.penalty:g} points, never below 0." if rule.penalty else None
    return JudgeRule(reference_answer=reference, rubric=[criterion], judge_instructions=wrong)


def _parts_as_judge(rule: PartsRule, points: float) -> JudgeRule:
    """One criterion per part, or the part's own criteria; an earlier error does not sink a later part."""
    reference = "\n".join(f"{part.label or part.id}: {part.reference}" for part in rule.parts)
    rubric: list[RubricCriterion] = []
    for part in rule.parts:
        name = part.label or part.id
        own = part.criteria or []
        rubric += [criterion.model_copy(update={"id": f"{part.id}.{criterion.id}"}) for criterion in own]
        if not own:
            rubric.append(_all_or_nothing(part.id, f"Part {name} agrees with its reference.", part.points))
    told = "Score each part for itself: an earlier error does not sink a later part."
    return JudgeRule(reference_answer=reference, rubric=rubric, judge_instructions=told)


_REWRITES: dict[str, Callable[[Any, float], JudgeRule]] = {
    "numeric": _numeric_as_judge,
    "expression": _expression_as_judge,
    "enumeration": _enumeration_as_judge,
    "parts": _parts_as_judge,
}


def _without_deductions(rule: JudgeRule) -> tuple[JudgeRule, bool, str | None]:
    if not rule.deductions:
        return rule, False, None
    lines = [
        f"- {deduction.description}: {deduction.points:g} points, at most {deduction.max_times} times"
        for deduction in rule.deductions
    ]
    told = "\n".join(["Deductions, applied after the criteria, never below the minimum:", *lines])
    words = "\n\n".join(text for text in (rule.judge_instructions, told) if text)
    told = "its deductions stand in the judge's instructions only: any-to-bench has no field for them"
    return rule.model_copy(update={"judge_instructions": words, "deductions": []}), False, told


# questions and sheets


def _with_blanks(exam: Exam, names: set[str]) -> Exam:
    if not names:
        return exam

    def changed(question: Question) -> Question:
        if question.children:
            return question.model_copy(update={"children": [changed(child) for child in question.children]})
        if question.id not in names:
            return question
        return question.model_copy(update={"type": "fill_in_blank", "blanks": [Blank(id=BLANK)]})

    sections = [
        section.model_copy(update={"questions": [changed(question) for question in section.questions]})
        for section in exam.sections
    ]
    return exam.model_copy(update={"sections": sections})


def sheet_for(sheet: Mapping[str, Any], common: Common) -> dict[str, Any]:
    """An answer sheet's JSON in the common part: numbers in their blanks, no field that any-to-bench lacks."""
    answers: dict[str, Any] = {}
    for name, answer in sheet.get("answers", {}).items():
        if name in common.as_blanks and isinstance(answer, dict) and answer.get("type") == "text":
            answer = {"type": "fill_in_blank", "blanks": {BLANK: answer.get("text", "")}}
        answers[name] = answer
    kept = {key: sheet[key] for key in ("exam_id", "taker", "usage") if sheet.get(key) is not None}
    return {**kept, "answers": answers}
