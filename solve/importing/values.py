"""From an answer as another harness wrote it to an answer of the question; what fits no form stays text.

A text that is an option's id is that option; anything else that somebody wrote is left for the extraction, which reads
it when the sheet is graded. Nothing is guessed: a number is not taken for an option's place.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ...schemas.answers import (
    AnswerValue,
    FillInBlankAnswer,
    MatchingAnswer,
    MultipleChoiceAnswer,
    SingleChoiceAnswer,
    TextAnswer,
    TrueFalseAnswer,
)
from ...schemas.exam import Question

_ANSWER: TypeAdapter[AnswerValue] = TypeAdapter(AnswerValue)
_TRUE = frozenset({"true", "t", "yes", "1"})
_FALSE = frozenset({"false", "f", "no", "0"})


def answer_of_value(question: Question, value: Any) -> AnswerValue | None:
    """The answer, or None where the value has no form of this question's answers."""
    if isinstance(value, dict) and isinstance(value.get("type"), str):
        try:
            return _ANSWER.validate_python(value)
        except ValidationError:
            return None
    match question.type:
        case "single_choice":
            found = _option(question, value)
            return None if found is None else SingleChoiceAnswer(selected=found)
        case "multiple_choice":
            return _options(question, value)
        case "true_false":
            return _truth(value)
        case "fill_in_blank":
            return _blanks(question, value)
        case "matching":
            return _pairs(value)
        case "short_answer" | "essay":
            return TextAnswer(text=str(value)) if isinstance(value, str | int | float) else None
    return None


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).strip().strip("()[].:").strip()


def _option(question: Question, value: Any) -> str | None:
    """The option whose id the value is, brackets and full width aside."""
    ids = [option.id for option in question.options or []]
    if value in ids:
        return value
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    found = [one for one in ids if _folded(one) == _folded(str(value))]
    return found[0] if len(found) == 1 else None


def _options(question: Question, value: Any) -> MultipleChoiceAnswer | None:
    if isinstance(value, str):
        parts = [part for part in re.split(r"[\s,;|、，；]+", value) if part]
        run = parts[0] if len(parts) == 1 else ""
        # ABD, where every sign is an option's id
        if run and _option(question, run) is None and all(_option(question, sign) is not None for sign in run):
            parts = list(run)
        value = parts
    if not isinstance(value, list):
        return None
    found = [_option(question, one) for one in value]
    named = [one for one in found if one is not None]
    return MultipleChoiceAnswer(selected=named) if len(named) == len(found) else None


def _truth(value: Any) -> TrueFalseAnswer | None:
    if isinstance(value, bool):
        return TrueFalseAnswer(value=value)
    folded = str(value).strip().casefold() if isinstance(value, str | int) else ""
    if folded in _TRUE | _FALSE:
        return TrueFalseAnswer(value=folded in _TRUE)
    return None


def _blanks(question: Question, value: Any) -> FillInBlankAnswer | None:
    ids = [blank.id for blank in question.blanks or []]
    if isinstance(value, dict):
        blanks = value
    elif isinstance(value, list) and len(value) == len(ids):
        blanks = dict(zip(ids, value, strict=True))
    elif len(ids) == 1 and isinstance(value, str | int | float) and not isinstance(value, bool):
        blanks = {ids[0]: value}
    else:
        return None
    if not all(isinstance(one, str | int | float) for one in blanks.values()):
        return None
    return FillInBlankAnswer(blanks={str(name): str(one) for name, one in blanks.items()})


def _pairs(value: Any) -> MatchingAnswer | None:
    if not isinstance(value, dict) or not all(isinstance(one, str | int) for one in value.values()):
        return None
    return MatchingAnswer(pairs={str(left): str(right) for left, right in value.items()})
