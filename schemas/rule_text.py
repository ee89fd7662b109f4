"""How a question is graded, said in lines that a teacher reads."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .grading import (
    ChoiceRule,
    EnumerationRule,
    ExpressionRule,
    FillInBlankRule,
    JudgeRule,
    MatchingRule,
    NumericRule,
    PartsRule,
    PerOptionRule,
    QuestionGrading,
    RubricCriterion,
    TrueFalseRule,
)
from .printable import printable


def rule_lines(entry: QuestionGrading) -> list[str]:
    """The rule and its key as lines fit for a terminal; the first names the rule's kind."""
    return [printable(re.sub(r"\s*\n\s*", " / ", line), 400) for line in _lines(entry)]


def _lines(entry: QuestionGrading) -> Iterator[str]:
    rule = entry.rule
    match rule:
        case ChoiceRule():
            extras = [
                "partial credit" if rule.partial_credit else "",
                f"-{rule.wrong_selection_penalty:g} for each wrong one" if rule.wrong_selection_penalty else "",
                f"{rule.negative_marking:g} if wrong" if rule.negative_marking is not None else "",
            ]
            yield f"choice: {', '.join(rule.correct)}{_aside(extras)}"
        case PerOptionRule():
            table = ", ".join(f"{ratio:g}" for ratio in rule.ratio_by_errors)
            yield f"per_option: {', '.join(rule.correct) or 'none'} (share by errors: {table})"
        case TrueFalseRule():
            extra = f"{rule.negative_marking:g} if wrong" if rule.negative_marking is not None else ""
            yield f"true_false: {'true' if rule.correct else 'false'}{_aside([extra])}"
        case FillInBlankRule():
            yield f"fill_in_blank{_aside(['all or nothing' if rule.all_or_nothing else ''])}:"
            for name, key in rule.blanks.items():
                yield f"  {name} = {' or '.join(key.accepted)}{_aside([_weight(key.weight)])}"
        case MatchingRule():
            pairs = ", ".join(f"{left}-{right}" for left, right in rule.correct_pairs.items())
            yield f"matching: {pairs}{_aside(['all or nothing' if rule.all_or_nothing else ''])}"
        case JudgeRule():
            yield from _judge(rule, anchored=entry.anchored)
        case PartsRule():
            yield "parts:"
            for part in rule.parts:
                yield f"  {part.label or part.id} ({part.points:g}, {part.kind}): {part.reference}"
        case _:
            yield from _fixed_value(rule)


def _judge(rule: JudgeRule, *, anchored: bool) -> Iterator[str]:
    yield f"judge{_aside(['' if anchored else 'no official answer or rubric'])}:"
    if rule.reference_answer:
        yield f"  reference: {rule.reference_answer}"
    for asset in rule.reference_assets:
        yield f"  reference picture: {asset}"
    yield from _rubric(rule.rubric)
    for deduction in rule.deductions:
        yield f"  {deduction.points:g} (at most {deduction.max_times} times): {deduction.description}"


def _rubric(criteria: list[RubricCriterion]) -> Iterator[str]:
    for criterion in criteria:
        yield f"  {criterion.id}: {criterion.description}"
        for level in criterion.levels:
            yield f"    {level.points:g}  {level.descriptor}"


def _fixed_value(rule: NumericRule | ExpressionRule | EnumerationRule) -> Iterator[str]:
    match rule:
        case NumericRule():
            extras = [
                f"within {rule.abs_tolerance:g}" if rule.abs_tolerance else "",
                f"within {rule.rel_tolerance:.3%}" if rule.rel_tolerance else "",
                f"{rule.significant_figures} significant figures" if rule.significant_figures else "",
                "unit required" if rule.unit_required else "",
            ]
            yield f"numeric: {rule.value}{' ' + rule.unit if rule.unit else ''}{_aside(extras)}"
        case ExpressionRule():
            yield f"expression: {rule.expression}{_aside([f'form: {rule.form}' if rule.form else ''])}"
        case EnumerationRule():
            count = f"any {rule.required}" if rule.required else "all"
            yield f"enumeration ({count}{', in order' if rule.ordered else ''}):"
            for item in rule.items:
                yield f"  {' or '.join(item.accepted)}"


def _aside(extras: list[str]) -> str:
    said = [extra for extra in extras if extra]
    return f" ({', '.join(said)})" if said else ""


def _weight(weight: float) -> str:
    return "" if weight == 1 else f"weight {weight:g}"
