"""Rules for open questions whose official answer is one value: a number, a formula, a list, labelled parts.

A rule is only taken where grading proves it: the official answer earns full marks and an empty one none. Grading lives
in another room, so the caller brings it (`RuleProver`). What is not certain stays with the judge.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ...schemas.answers import AnswerValue, TextAnswer
from ...schemas.content import TextBlock
from ...schemas.exam import Question
from ...schemas.exam_checks import same_points
from ...schemas.findings import Finding, info
from ...schemas.grading import (
    EnumerationItem,
    EnumerationRule,
    JudgeRule,
    NumericRule,
    Part,
    PartsRule,
    QuestionGrading,
    Rule,
)
from ..draft import KeyEntry
from ..formulas.visible import visible
from ..keys.key_values import parse_value
from ..keys.rules import default_criterion
from ..keys.value_rules import certain_text, expression_rule, measured_rule, numeric_rule, plain_number
from ..structure.wording import demanded
from ..witness import Answer, Witness
from .page_index import PageIndex

RuleProver = Callable[[Question, QuestionGrading, AnswerValue | None], float | None]
"""The points that an answer (None: left empty) earns by a rule; None where the rule cannot grade it."""

_LONGEST = 300
"""Characters of an official answer that may be one value."""
_MOST_ITEMS = 12
_SEPARATED = re.compile(r"\s*[;；\n、]\s*|\s*,\s+|\s*，\s*")
_PART = re.compile(r"(?:^|(?<=[\s;；,，、]))[(（]([a-z]|[ivx]{1,4}|\d{1,2})[)）]\s*", re.IGNORECASE)
_YES_NO = re.compile(r"yes|no|true|false|是|否|對|錯|对|错|ja|nein|oui|non|sí|sim|não", re.IGNORECASE)


@dataclass(frozen=True)
class _Official:
    """One open question with the answer that a key prints for it."""

    question: Question
    graded: QuestionGrading
    answer: Answer


def propose_rules(
    witness: Witness, index: PageIndex, prover: RuleProver | None
) -> tuple[dict[str, QuestionGrading], list[Finding]]:
    """The gradings of judged questions that a rule can take over, by question id, and what was tried in vain.

    Without a prover nothing is proposed: an unproved rule would grade silently.
    """
    accepted: dict[str, QuestionGrading] = {}
    findings: list[Finding] = []
    for official in _open_questions(witness, index) if prover is not None else ():
        name = official.question.id
        for rule in _candidates(official):
            graded = official.graded.model_copy(update={"rule": rule, "anchored": True})
            fault = _fault(official, graded, prover) if prover is not None else "no prover"
            if fault is None:
                accepted[name] = graded
                findings.append(
                    info("rule.proved", f"{name} is graded as {rule.kind}: its official answer earns full marks.", name)
                )
                break
            findings.append(info("rule.refused", f"{name} stays with the judge: as {rule.kind} {fault}.", name))
    return accepted, findings


def _open_questions(witness: Witness, index: PageIndex) -> Iterator[_Official]:
    """Short answers that a judge would grade by one official answer, without a scheme of its own."""
    for question in witness.exam.leaves():
        graded = witness.grading.questions.get(question.id)
        if graded is None or question.type != "short_answer" or not isinstance(graded.rule, JudgeRule):
            continue
        rule = graded.rule
        answer = witness.answers.get(question.id)
        scheme = rule.rubric and rule.rubric != [default_criterion(graded.max_points)] and not _one_step(rule)
        if answer is None or answer.origin != "key" or scheme or rule.deductions or rule.reference_assets:
            continue
        if 0 < len(answer.raw.strip()) <= _LONGEST and graded.max_points > 0:
            yield _Official(question, graded, answer)


def _one_step(rule: JudgeRule) -> bool:
    """Whether a rubric only says right or wrong."""
    return len(rule.rubric) == 1 and len(rule.rubric[0].levels) == 2 and rule.rubric[0].levels[-1].points == 0


def _candidates(official: _Official) -> Iterator[Rule]:
    raw = visible(official.answer.raw).strip() if "$" in official.answer.raw else official.answer.raw.strip()
    parts = _parts(official, raw)  # first: `(a) 12 (b) 15` would read as a product
    if parts is not None:
        yield parts
        return
    value = parse_value(raw)
    entry = KeyEntry(None, "", values=value.values, alternatives=value.alternatives, raw=raw, origin="key")
    for rule in (numeric_rule(entry), measured_rule(entry), expression_rule(entry)):
        if rule is not None:
            yield rule
            return
    listed = _enumeration(official, raw)
    if listed is not None:
        yield listed


def _enumeration(official: _Official, raw: str) -> EnumerationRule | None:
    """A list of short items, where the question asks for several or the key lists them one by one."""
    items = [item.strip() for item in _SEPARATED.split(raw) if item.strip()]
    if not 2 <= len(items) <= _MOST_ITEMS or any(certain_text(item) is None for item in items):
        return None
    text = " ".join(block.markdown for block in official.question.prompt if isinstance(block, TextBlock))
    wanted = demanded(text)
    required = wanted if wanted is not None and wanted < len(items) else None
    held = [EnumerationItem(accepted=_alternatives(item)) for item in items]
    return EnumerationRule(items=held, required=required)


def _alternatives(item: str) -> list[str]:
    """`colour / color` are two ways to say one item."""
    return [part.strip() for part in re.split(r"\s+/\s+|\s+or\s+|或", item) if part.strip()] or [item]


def _parts(official: _Official, raw: str) -> PartsRule | None:
    """`(a) 12 (b) yes`: parts that each have one value, the points shared equally where nothing else is printed."""
    marks = list(_PART.finditer(raw))
    if len(marks) < 2 or marks[0].start() > 0:
        return None
    points = official.graded.max_points / len(marks)
    if not same_points(round(points, 6) * len(marks), official.graded.max_points):
        return None
    parts: list[Part] = []
    for n, match in enumerate(marks):
        end = marks[n + 1].start() if n + 1 < len(marks) else len(raw)
        reference = raw[match.end() : end].strip(" ,;，；、.。")
        kind = "numerical" if plain_number(reference) else "yes_no" if _YES_NO.fullmatch(reference) else None
        if kind is None:
            return None
        parts.append(Part(id=f"p{n + 1}", label=match[0].strip(), kind=kind, reference=reference, points=points))
    return PartsRule(parts=parts)


def _fault(official: _Official, graded: QuestionGrading, prover: RuleProver) -> str | None:
    """Why a rule does not prove itself, as a clause; None where it does. Parts are proved one by one, each as the
    rule that its value would be."""
    question, rule = official.question, graded.rule
    if not isinstance(rule, PartsRule):
        return _one_fault(question, graded, official.answer.raw, prover)
    for part in rule.parts:
        value: Rule = (
            NumericRule(value=plain_number(part.reference) or part.reference)
            if part.kind == "numerical"
            else EnumerationRule(items=[EnumerationItem(accepted=[part.reference])])
        )
        alone = graded.model_copy(update={"rule": value, "max_points": part.points})
        if fault := _one_fault(question, alone, part.reference, prover):
            return f"in {part.label} {fault}"
    return None


def _one_fault(question: Question, graded: QuestionGrading, answer: str, prover: RuleProver) -> str | None:
    earned = prover(question, graded, TextAnswer(text=answer))
    if earned is None:
        return "the official answer cannot be graded"
    if not same_points(earned, graded.max_points):
        return f"the official answer earns {earned:g} of {graded.max_points:g} points"
    for empty in (None, TextAnswer(text="")):
        nothing = prover(question, graded, empty)
        if nothing is not None and nothing > 0:
            return f"an empty answer earns {nothing:g} points"
    return None
