"""What must hold between grading.json and its exam: an entry for every leaf, rules that fit, keys that exist."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import pairwise

from .exam import Exam, Question
from .exam_checks import check_ids, same_points
from .findings import Finding, error, info, warning
from .grading import (
    ChoiceRule,
    EnumerationRule,
    ExpressionRule,
    FillInBlankRule,
    GradingSpec,
    JudgeRule,
    MatchingRule,
    NumericRule,
    PartsRule,
    PerOptionRule,
    QuestionGrading,
    RubricCriterion,
)

_OPEN = ("judge", "numeric", "expression", "enumeration", "parts")
FITTING_RULES: dict[str, tuple[str, ...]] = {
    "single_choice": ("choice", "judge"),
    "multiple_choice": ("choice", "per_option", "judge"),
    "true_false": ("true_false", "judge"),
    "fill_in_blank": ("fill_in_blank", "judge"),
    "matching": ("matching", "judge"),
    "short_answer": _OPEN,
    "essay": _OPEN,
    "drawing": _OPEN,
}
"""Rule kinds by question type: fixed types may fall back to the judge, open types take no fixed type's rule."""


def check_grading(grading: GradingSpec, exam: Exam) -> list[Finding]:
    """Findings about the grading spec of `exam`."""
    leaves = {leaf.id: leaf for leaf in exam.leaves()}
    found = _judges(grading)
    if grading.exam_id != exam.exam_id:
        message = f"grading.json is of exam {grading.exam_id!r}, exam.json of {exam.exam_id!r}"
        found.append(error("exam_id.mismatch", message))
    for leaf in leaves:
        if leaf not in grading.questions:
            found.append(error("grading.missing", "the question has no grading entry", leaf))
    for name, entry in grading.questions.items():
        if entry.question_id != name:
            found.append(error("grading.id", f"the entry says that it is of {entry.question_id!r}", name))
        if name not in leaves:
            message = "the grading entry belongs to no question that is answered"
            found.append(error("grading.foreign", message, name))
        else:
            found += check_entry(entry, leaves[name])
    return found + _unanchored(grading)


def check_entry(entry: QuestionGrading, leaf: Question) -> Iterator[Finding]:
    """Findings about one leaf's entry; every one names the leaf."""
    rule = entry.rule
    if not same_points(entry.max_points, leaf.points):
        message = f"max_points is {entry.max_points:g}, the question has {leaf.points:g} points"
        yield error("points.max", message, leaf.id)
    if rule.kind not in FITTING_RULES.get(leaf.type, (rule.kind,)):
        yield error("rule.unfit", f"a {leaf.type} question cannot be graded by a {rule.kind} rule", leaf.id)
        return
    match rule:
        case ChoiceRule() | PerOptionRule():
            yield from _choice(rule, leaf)
        case FillInBlankRule():
            yield from _blanks(rule, leaf)
        case MatchingRule():
            yield from _matching(rule, leaf)
        case JudgeRule():
            yield from _judge(rule, entry, leaf.id)
        case NumericRule() | ExpressionRule() | EnumerationRule():
            yield from _fixed_value(rule, leaf.id)
        case PartsRule():
            yield from _parts(rule, entry, leaf.id)


def _judges(grading: GradingSpec) -> list[Finding]:
    if not grading.judge.models:
        return [error("judge.models_empty", "the list of judge models is empty; other readers refuse that")]
    found = []
    for model in grading.judge.models:
        if ":" not in model:
            found.append(warning("judge.model_name", f"the judge {model!r} is not named PROVIDER:NAME"))
        elif "@" in model:
            message = f"the judge {model!r} names its own server: answers, and a key, would go there"
            found.append(warning("judge.base_url", message, hint="give --judge yourself"))
    return found


def _unanchored(grading: GradingSpec) -> list[Finding]:
    entries = [e for e in grading.questions.values() if isinstance(e.rule, JudgeRule) and not e.anchored]
    if not entries:
        return []
    points = sum(entry.max_points for entry in entries)
    message = f"no official answer or rubric stands behind {len(entries)} judged questions ({points:g} points)"
    return [info("judge.unanchored", message)]


def _known(ids: Collection[str], known: Collection[str], what: str, leaf: str) -> Iterator[Finding]:
    for name in ids:
        if name not in known:
            yield error("key.unknown", f"the key names the {what} {name!r}, which the question does not have", leaf)


def _choice(rule: ChoiceRule | PerOptionRule, leaf: Question) -> Iterator[Finding]:
    yield from _known(rule.correct, [option.id for option in leaf.options or []], "option", leaf.id)
    if len(set(rule.correct)) < len(rule.correct):
        yield warning("key.duplicate", "the key names an option twice", leaf.id)
    if isinstance(rule, ChoiceRule):
        if not rule.correct:
            yield error("key.empty", "the key names no correct option", leaf.id)
        return
    table = rule.ratio_by_errors
    if not table:
        yield error("per_option.table", "ratio_by_errors is empty: no answer could score", leaf.id)
        return
    if table[0] != 1:
        yield warning("per_option.table", f"an answer without errors earns only {table[0]:g} of the points", leaf.id)
    if any(later > earlier for earlier, later in pairwise(table)):
        yield error("per_option.table", "ratio_by_errors rises: more errors would earn more", leaf.id)
    if len(table) > len(leaf.options or []) + 1:
        yield warning("per_option.table", "ratio_by_errors has more entries than there can be errors", leaf.id)


def _blanks(rule: FillInBlankRule, leaf: Question) -> Iterator[Finding]:
    blanks = [blank.id for blank in leaf.blanks or []]
    yield from _known(list(rule.blanks), blanks, "blank", leaf.id)
    for name in blanks:
        if name not in rule.blanks:
            yield error("key.missing", f"the blank {name!r} has no accepted answer", leaf.id)
    for name, key in rule.blanks.items():
        if not [text for text in key.accepted if text.strip()]:
            yield error("key.empty", f"the blank {name!r} accepts nothing", leaf.id)
    if rule.blanks and sum(key.weight for key in rule.blanks.values()) <= 0:
        yield error("blanks.weight", "the weights of the blanks sum to 0", leaf.id)


def _matching(rule: MatchingRule, leaf: Question) -> Iterator[Finding]:
    left = [item.id for item in leaf.matching.left] if leaf.matching else []
    right = [item.id for item in leaf.matching.right] if leaf.matching else []
    yield from _known(list(rule.correct_pairs), left, "left item", leaf.id)
    yield from _known(list(dict.fromkeys(rule.correct_pairs.values())), right, "right item", leaf.id)
    for name in left:
        if name not in rule.correct_pairs:
            yield error("key.missing", f"the left item {name!r} has no partner in the key", leaf.id)


def _judge(rule: JudgeRule, entry: QuestionGrading, leaf: str) -> Iterator[Finding]:
    if rule.rubric:
        yield from _rubric(rule.rubric, entry.max_points, "max_points", leaf)
    yield from check_ids((deduction.id for deduction in rule.deductions), "deduction", leaf)
    for deduction in rule.deductions:
        if deduction.points >= 0:
            yield error("deduction.points", f"the deduction {deduction.id!r} takes nothing off", leaf)
    if entry.anchored and not (rule.reference_answer or rule.reference_assets or rule.rubric):
        message = "anchored is true, but neither a reference answer nor a rubric is there"
        yield warning("judge.anchor", message, leaf)


def _rubric(criteria: list[RubricCriterion], points: float, name: str, leaf: str) -> Iterator[Finding]:
    yield from check_ids((criterion.id for criterion in criteria), "criterion", leaf)
    for criterion in criteria:
        levels = [level.points for level in criterion.levels]
        if len(levels) < 2:
            yield error("rubric.levels", f"the criterion {criterion.id!r} needs at least 2 levels", leaf)
        elif any(later >= earlier for earlier, later in pairwise(levels)):
            message = f"the levels of the criterion {criterion.id!r} do not fall: the highest comes first"
            yield error("rubric.order", message, leaf)
    total = sum(max((level.points for level in criterion.levels), default=0.0) for criterion in criteria)
    if not same_points(total, points):
        yield error("rubric.sum", f"the criteria's maxima sum to {total:g}, {name} is {points:g}", leaf)


def _fixed_value(rule: NumericRule | ExpressionRule | EnumerationRule, leaf: str) -> Iterator[Finding]:
    match rule:
        case NumericRule():
            if isinstance(rule.value, str) and not rule.value.strip():
                yield error("key.empty", "the numeric rule has no value", leaf)
            if rule.unit_required and not rule.unit:
                yield error("numeric.unit", "a unit is required, but the rule names none", leaf)
        case ExpressionRule():
            if not rule.expression.strip():
                yield error("key.empty", "the expression rule has no expression", leaf)
        case EnumerationRule():
            if not rule.items:
                yield error("key.empty", "the enumeration has no items", leaf)
            if any(not [text for text in item.accepted if text.strip()] for item in rule.items):
                yield error("key.empty", "an item of the enumeration accepts nothing", leaf)
            if rule.required is not None and rule.required > len(rule.items):
                message = f"{rule.required} items are required, the key has {len(rule.items)}"
                yield error("enumeration.required", message, leaf)


def _parts(rule: PartsRule, entry: QuestionGrading, leaf: str) -> Iterator[Finding]:
    if not rule.parts:
        yield error("parts.empty", "the parts rule has no parts", leaf)
    yield from check_ids((part.id for part in rule.parts), "part", leaf)
    total = sum(part.points for part in rule.parts)
    if rule.parts and not same_points(total, entry.max_points):
        yield error("parts.sum", f"the parts sum to {total:g}, max_points is {entry.max_points:g}", leaf)
    for part in rule.parts:
        if part.criteria:
            yield from _rubric(part.criteria, part.points, f"the part {part.id!r}", leaf)
