"""The key against the exam and against the page that prints it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from ...schemas.content import TextBlock
from ...schemas.exam import Exam, Question
from ...schemas.exam_checks import same_points
from ...schemas.findings import Finding, FindingBox, Where
from ...schemas.grading import (
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
    TrueFalseRule,
)
from ...schemas.printable import printable
from ..draft import DraftOption, DraftQuestion, KeyEntry
from ..keys.align import align
from ..keys.key_text import truth_of
from ..keys.key_values import canonical, to_options
from ..keys.value_rules import matching_rule
from ..structure.wording import demanded
from ..witness import Witness
from .draft_view import draft_of
from .letters import folded, letters_of, weight
from .located import located
from .page_index import PageIndex
from .rubrics import printed_levels, rubric_findings

_RUN = 3
"""Answers in a row that fit the neighbouring question's printed key and not their own, from which a shift is sure."""


def check_keys(witness: Witness, index: PageIndex, entries: Sequence[KeyEntry] = ()) -> list[Finding]:
    """What is wrong with a reading's answers and rubrics. `entries`: the printed keys as the layout pass read them."""
    exam, grading = witness.exam, witness.grading
    printed, misfits = printed_answers(exam, entries)
    found: list[Finding] = []
    for question in exam.leaves():
        graded = grading.questions.get(question.id)
        if graded is None:
            found.append(_finding("key.ungraded", "error", question.id, f"{question.id} has no grading at all."))
            continue
        found += _among_options(question, graded)
        found += _size(question, graded)
        found += rubric_findings(question, graded)
        found += _anchoring(question, graded, witness, index)
    found += _against_print(exam, grading, printed)
    found += _worth(exam, printed)
    return [*found, *(f for f in misfits if f.code in ("key.other_exam", "key.shifted", "key.other_form"))]


def printed_answers(exam: Exam, entries: Sequence[KeyEntry]) -> tuple[dict[str, KeyEntry], list[Finding]]:
    """The printed key brought to the exam's questions by section and label, and what did not fit."""
    known = {question.id for question in exam.leaves()}
    usable = [e for e in entries if e.question_id is None or e.question_id in known]
    if not usable:
        return {}, []
    return align(draft_of(exam), [replace(entry) for entry in usable])


def keyed_labels(graded: QuestionGrading) -> list[str] | None:
    """The option ids that a rule counts as right; None for rules without options."""
    rule = graded.rule
    return list(rule.correct) if isinstance(rule, ChoiceRule | PerOptionRule) else None


def _among_options(question: Question, graded: QuestionGrading) -> Iterator[Finding]:
    correct = keyed_labels(graded)
    if correct is None or question.options is None:
        return
    ids = [option.id for option in question.options]
    strange = [label for label in correct if label not in ids]
    if not strange:
        return
    same_place = to_options(strange, ids)
    hint = f"In the question's own labels that would be {', '.join(same_place)}." if same_place else None
    message = f"The key of {question.id} is {', '.join(strange)}, which is none of its options ({', '.join(ids)})."
    yield _finding("key.answer_not_an_option", "error", question.id, message, hint=hint)


def _size(question: Question, graded: QuestionGrading) -> Iterator[Finding]:
    """`Choose two` and `應選3項` tell how many options the key must have."""
    correct = keyed_labels(graded)
    if correct is None or question.type not in ("single_choice", "multiple_choice"):
        return
    text = " ".join(block.markdown for block in question.prompt if isinstance(block, TextBlock))
    wanted = demanded(text)
    if wanted and question.type == "multiple_choice" and len(correct) not in (wanted, len(question.options or [])):
        message = f"{question.id} asks for {wanted} options, its key has {len(correct)} ({', '.join(correct)})."
        yield _finding("key.size", "error", question.id, message)
    if not correct:
        yield _finding(
            "key.empty_rule", "error", question.id, f"The key of {question.id} is empty: nothing can be right."
        )


# --- against the page that prints the key ----------------------------------------------------------------------------


def _against_print(exam: Exam, grading: GradingSpec, printed: Mapping[str, KeyEntry]) -> Iterator[Finding]:
    leaves = [q for q in exam.leaves() if q.id in grading.questions]
    wrong: list[Question] = []
    for question in leaves:
        entry = printed.get(question.id)
        if entry is not None and _contradicts(question, grading.questions[question.id], entry):
            wrong.append(question)
    shifted = _shifts(leaves, grading, printed)
    for question in wrong:
        entry = printed[question.id]
        keyed = told(grading.questions[question.id])
        message = f"The key of {question.id} is {keyed}; {entry.origin} prints “{entry.raw[:60]}” for it."
        yield _finding("key.wrong", "error", question.id, message, entry)
    for first, last, by in shifted:
        message = (
            f"From {first.id} to {last.id} each answer is the one that is printed for the question {by:+d}: "
            "the key is shifted."
        )
        yield _finding("key.shifted", "error", first.id, message, printed.get(first.id))


def _worth(exam: Exam, printed: Mapping[str, KeyEntry]) -> Iterator[Finding]:
    """Points that a key or scheme prints beside the answer and that are not the question's."""
    for question in exam.leaves():
        entry = printed.get(question.id)
        if entry is not None and entry.points is not None and not same_points(entry.points, question.points):
            beside = f"{entry.origin} prints {entry.points:g}"
            message = f"{question.id} is worth {question.points:g} points; {beside} for it."
            yield _finding("points.wrong", "warning", question.id, message, entry)


def _contradicts(question: Question, graded: QuestionGrading, entry: KeyEntry) -> bool:
    rule = graded.rule
    if entry.every:
        return isinstance(rule, ChoiceRule) and set(rule.correct) != {o.id for o in question.options or []}
    sets = [s for s in (entry.values, *entry.alternatives) if s]
    if isinstance(rule, ChoiceRule | PerOptionRule):
        if not sets or question.options is None:
            return False
        correct = {canonical(label) for label in rule.correct}
        if question.type == "single_choice":
            return correct != {canonical(label) for s in sets for label in s}
        return all({canonical(label) for label in s} != correct for s in sets)
    if isinstance(rule, TrueFalseRule):
        said = {t for text in (*entry.values, entry.raw) if (t := truth_of(text)) is not None}
        return len(said) == 1 and rule.correct not in said
    if entry.origin != "key":
        return False
    if isinstance(rule, MatchingRule):
        return _other_pairs(question, rule, entry)
    texts = [
        folded(text)
        for text in (entry.raw, "".join(entry.values), *entry.values, *(v for s in entry.alternatives for v in s))
    ]
    if isinstance(rule, NumericRule):
        return _apart(str(rule.value), texts)
    if isinstance(rule, FillInBlankRule):
        return any(
            all(_apart(text, texts) for text in blank.accepted) for blank in rule.blanks.values() if blank.accepted
        )
    return False


def _other_pairs(question: Question, rule: MatchingRule, entry: KeyEntry) -> bool:
    """Whether the printed key pairs the items otherwise; what does not read as pairs contradicts nothing."""
    if question.matching is None:
        return False
    sides = ([DraftOption(item.id) for item in side] for side in (question.matching.left, question.matching.right))
    left, right = sides
    printed = matching_rule(DraftQuestion(label=None, key="", matching=(left, right)), entry)
    return printed is not None and printed.correct_pairs != rule.correct_pairs


def _apart(value: str, texts: Sequence[str]) -> bool:
    said = letters_of(value).text
    return bool(said) and not any(said == text or said in text for text in texts if text)


def _shifts(
    leaves: Sequence[Question], grading: GradingSpec, printed: Mapping[str, KeyEntry]
) -> Iterator[tuple[Question, Question, int]]:
    """Stretches of questions whose answers are those printed for a neighbour."""
    for by in (1, -1):
        fits: list[bool] = []
        for n, question in enumerate(leaves):
            entry = printed.get(question.id)
            other = printed.get(leaves[n + by].id) if 0 <= n + by < len(leaves) else None
            own = entry is not None and _contradicts(question, grading.questions[question.id], entry)
            fits.append(bool(other and own and not _contradicts(question, grading.questions[question.id], other)))
        for fit, group in groupby(range(len(leaves)), key=lambda n, fits=fits: fits[n]):
            places = list(group)
            if fit and len(places) >= _RUN:
                yield leaves[places[0]], leaves[places[-1]], by


def told(graded: QuestionGrading) -> str:
    """What a rule counts as right, in a few words; a judged question's rule kind."""
    match graded.rule:
        case ChoiceRule() | PerOptionRule() as rule:
            return ", ".join(rule.correct) or "empty"
        case TrueFalseRule() as rule:
            return "true" if rule.correct else "false"
        case NumericRule() as rule:
            return f"{rule.value} {rule.unit or ''}".strip()
        case ExpressionRule() as rule:
            return rule.expression
        case FillInBlankRule() as rule:
            return " | ".join(" or ".join(blank.accepted) for blank in rule.blanks.values())
        case MatchingRule() as rule:
            return ", ".join(f"{left}-{right}" for left, right in rule.correct_pairs.items())
        case EnumerationRule() as rule:
            return "; ".join(" or ".join(item.accepted) for item in rule.items)
        case PartsRule() as rule:
            return "; ".join(f"{part.label or part.id} {part.reference}" for part in rule.parts)
        case rule:
            return rule.kind


# --- anchors ---------------------------------------------------------------------------------------------------------

_UNPROVED = 12.0


def _anchoring(question: Question, graded: QuestionGrading, witness: Witness, index: PageIndex) -> Iterator[Finding]:
    """Official texts must stand on a page; a question without one says so."""
    rule = graded.rule
    if (
        isinstance(rule, JudgeRule)
        and graded.anchored
        and not (rule.reference_answer or rule.reference_assets or rule.rubric)
    ):
        message = f"{question.id} counts as anchored, but no official answer or rubric stands behind it."
        yield _finding("key.unanchored", "warning", question.id, message)
    if not graded.anchored:
        return
    for path, text in official_texts(graded):
        letters = letters_of(text[:20_000])
        if weight(letters.text) < _UNPROVED or not (index.answers.text or index.paper.text):
            continue
        share, missing = located(letters, index)
        if missing >= _UNPROVED and share < 0.97:
            severity = "error" if share < 0.5 else "warning"
            message = f"{question.id}, {path}: {1 - share:.0%} of it stands on no page ({printable(text, 60)})."
            yield _finding("key.unproved", severity, question.id, message)


def official_texts(graded: QuestionGrading) -> Iterator[tuple[str, str]]:
    """The texts of a rule that claim to be printed: the official answer and a scheme's criteria, by field path."""
    rule = graded.rule
    if isinstance(rule, JudgeRule) and rule.reference_answer:
        yield "reference", rule.reference_answer
    elif isinstance(rule, ExpressionRule):
        yield "key", rule.expression
    elif isinstance(rule, EnumerationRule):
        for n, item in enumerate(rule.items, 1):
            yield f"key.{n}", item.accepted[0] if item.accepted else ""
    elif isinstance(rule, PartsRule):
        for part in rule.parts:
            yield f"key.{part.id}", part.reference
    if isinstance(rule, JudgeRule):
        yield from printed_levels(rule, graded.max_points)


def _finding(
    code: str, severity: str, question: str, message: str, entry: KeyEntry | None = None, hint: str | None = None
) -> Finding:
    where = Where(question=question)
    if entry is not None:
        box = entry.box
        shown = FindingBox(x0=box.x0, y0=box.y0, x1=box.x1, y1=box.y1) if box else None
        where = Where(question=question, source=entry.source, page=entry.page, box=shown)
    return Finding.model_validate(
        {"code": code, "severity": severity, "where": where, "message": printable(message, 500), "hint": hint}
    )
