"""The key of a table's row: its grading as another bundle wrote it, or a rule made of its answer."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from ...grade.extraction.yes_no import extract_yes_no
from ...schemas.content import TextBlock
from ...schemas.errors import BundleError
from ...schemas.exam import CHOICE_TYPES, OPEN_TYPES, Option, Question
from ...schemas.findings import Finding, warning
from ...schemas.grading import (
    BlankKey,
    ChoiceRule,
    FillInBlankRule,
    JudgeRule,
    MatchingRule,
    QuestionGrading,
    Rule,
    TrueFalseRule,
)
from ...schemas.json_files import parse_record
from ...schemas.printable import printable


def grading_of(row: Mapping[str, Any], question: Question, where: str) -> tuple[QuestionGrading, list[Finding]]:
    """The grading that a row gives its question: as it stands there, else made of its answer, else a judge's."""
    told = row.get("grading")
    if isinstance(told, dict):
        entry = parse_record({**told, "question_id": question.id}, QuestionGrading, where)
        if entry.max_points != question.points:
            raise BundleError(
                f"{where}: its grading is worth {entry.max_points:g} points, the question {question.points:g}"
            )
        return entry, []
    found: list[Finding] = []
    rule = _rule(row.get("answer"), question, where)
    if rule is None:
        reference = row.get("answer")
        rule = JudgeRule(reference_answer=None if reference in (None, "") else _reference(reference))
        if question.type not in OPEN_TYPES:
            found.append(warning("key.missing", f"{question.id} has no answer: a judge grades it", question.id))
    anchored = not isinstance(rule, JudgeRule) or bool(rule.reference_answer)
    return QuestionGrading(question_id=question.id, max_points=question.points, rule=rule, anchored=anchored), found


def _reference(answer: Any) -> str:
    return answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)


def named_options(answer: Any, options: Mapping[str, str]) -> list[str]:
    """The option ids that an answer names: a list, `B`, `A, C`, `AC`, or an option's text."""
    if isinstance(answer, list):
        return [str(item) for item in answer]
    if not isinstance(answer, str) or not answer.strip():
        return []
    text = answer.strip()
    if text in options:
        return [text]
    parts = [part.strip("() ") for part in re.split(r"[,;，、\s]+", text) if part]
    if all(part in options for part in parts):
        return parts
    if all(letter in options for letter in text):
        return list(text)
    return [name for name, content in options.items() if content.strip() == text]


def _rule(answer: Any, question: Question, where: str) -> Rule | None:
    """The rule that an answer of a table makes; None where it makes none. Raises BundleError for a key that
    names what the question does not have."""
    if answer in (None, ""):
        return None
    if question.type in CHOICE_TYPES:
        options = {option.id: _option_text(option) for option in question.options or []}
        named = named_options(answer, options)
        if not named or not set(named) <= set(options):
            raise BundleError(f"{where}: the answer {printable(answer)} is none of the options {', '.join(options)}")
        return ChoiceRule(correct=list(dict.fromkeys(named)))
    if question.type == "true_false":
        value = answer if isinstance(answer, bool) else extract_yes_no(str(answer)).value
        if value is None:
            raise BundleError(f"{where}: the answer {printable(answer)} is neither true nor false")
        return TrueFalseRule(correct=value)
    if question.type == "fill_in_blank":
        return _blank_rule(answer, question, where)
    if question.type == "matching" and isinstance(answer, dict):
        return MatchingRule(correct_pairs={str(left): str(right) for left, right in answer.items()})
    return None


def _option_text(option: Option) -> str:
    return " ".join(block.markdown for block in option.content if isinstance(block, TextBlock))


def _blank_rule(answer: Any, question: Question, where: str) -> FillInBlankRule:
    names = [blank.id for blank in question.blanks or []]
    values = answer if isinstance(answer, dict) else {names[0]: answer}
    if set(values) != set(names):
        raise BundleError(f"{where}: the answer names the blanks {', '.join(map(str, values))}, not {', '.join(names)}")
    keys = {
        name: BlankKey(accepted=[str(item) for item in (value if isinstance(value, list) else [value])])
        for name, value in values.items()
    }
    return FillInBlankRule(blanks=keys)
