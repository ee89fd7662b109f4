"""From a taker's free reply to the answer of its question, for sheets that hold replies instead of answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest

from ...models.paper_parts import block_text
from ...schemas.answers import (
    AnswerValue,
    DrawingAnswer,
    FillInBlankAnswer,
    MatchingAnswer,
    MultipleChoiceAnswer,
    RotatedAsking,
    SingleChoiceAnswer,
    TakerOutcome,
    TextAnswer,
    TrueFalseAnswer,
)
from ...schemas.content import ImageBlock
from ...schemas.exam import Exam, Option, Question
from ...schemas.rotation import printed_id, rotated
from ..sheets import RawSheet
from .choice import extract_choice
from .choices import extract_choices
from .reply import Extraction, declared_tail
from .yes_no import extract_yes_no


def answer_from_reply(question: Question, reply: str) -> tuple[AnswerValue | None, Extraction]:
    """What the reply answers to this question, and by which evidence; no answer where it says none or two."""
    if question.type in ("short_answer", "essay"):
        return TextAnswer(text=reply), Extraction("answered", reply, "whole reply")
    if question.type == "drawing":
        return DrawingAnswer(description=reply), Extraction("answered", reply, "whole reply")
    if question.type == "fill_in_blank":
        return _blanks(question, reply)
    if question.type == "matching":
        return _pairs(question, reply)
    if question.type == "true_false":
        read = extract_yes_no(reply)
        return (None if read.value is None else TrueFalseAnswer(value=read.value)), read
    texts = {option.id: _option_text(option) for option in question.options or []}
    if question.type == "multiple_choice":
        read = extract_choices(reply, texts)
        return (None if read.value is None else MultipleChoiceAnswer(selected=list(read.value))), read
    read = extract_choice(reply, texts)
    return (None if read.value is None else SingleChoiceAnswer(selected=read.value)), read


def _option_text(option: Option) -> str:
    return " ".join(block_text(block) for block in option.content if not isinstance(block, ImageBlock))


def _blanks(question: Question, reply: str) -> tuple[AnswerValue | None, Extraction]:
    """One blank: what is declared. Several: one line or item each, `b1: …`, by id or printed label."""
    blanks = question.blanks or []
    tail = declared_tail(reply)
    if tail is None:
        return None, Extraction.none("no answer is declared")
    if len(blanks) == 1:
        return FillInBlankAnswer(blanks={blanks[0].id: tail}), Extraction("answered", tail, "declared")
    names = {name: blank.id for blank in blanks for name in (blank.id, blank.label) if name}
    found = _items(tail, list(names))
    if not found:
        return None, Extraction.none("the blanks are not named")
    values = {names[name]: text for name, text in found.items()}
    return FillInBlankAnswer(blanks=values), Extraction("answered", values, "named items")


def _pairs(question: Question, reply: str) -> tuple[AnswerValue | None, Extraction]:
    """Each left id with one right id behind a dash, colon, arrow or equals sign."""
    matching = question.matching
    tail = declared_tail(reply)
    if matching is None or tail is None:
        return None, Extraction.none("no answer is declared")
    rights = {item.id for item in matching.right}
    found = _items(tail, [item.id for item in matching.left])
    pairs = {left: text.strip("()[] .") for left, text in found.items()}
    foreign = [left for left, right in pairs.items() if right not in rights]
    if not pairs or foreign:
        return None, Extraction.none("the pairs name no items of the question" if foreign else "no pair is named")
    return MatchingAnswer(pairs=pairs), Extraction("answered", pairs, "named pairs")


def _items(text: str, names: Sequence[str]) -> dict[str, str]:
    """`name: value` items, separated by line breaks, commas or semicolons; a name given twice names nothing."""
    choice = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    head = rf"(?<![\w]) *\(?({choice})\)?\s*(?:[:：=]|->|→|[-–—])\s*"
    marks = list(re.finditer(head, text))
    found: dict[str, str] = {}
    twice: set[str] = set()
    for mark, following in zip_longest(marks, marks[1:]):
        value = text[mark.end() : following.start() if following else len(text)].strip().strip(",;，；").strip()
        if mark.group(1) in found:
            twice.add(mark.group(1))
        found[mark.group(1)] = value
    return {name: value for name, value in found.items() if name not in twice}


def fill_from_replies(sheet: RawSheet, exam: Exam) -> None:
    """Reads the answer out of each raw reply of a sheet that has no answer there; one that holds none becomes
    `unparseable`, with what was missing. Answers that the sheet has are left as they are."""
    for leaf in exam.leaves():
        end = sheet.outcomes.get(leaf.id)
        if end is None:
            continue
        for turn in end.rotation.asked if end.rotation else []:
            if turn.answer is None:
                turn.answer = _filled(turn, rotated(leaf, turn.shift))
                _print_ids(turn, leaf)
        if leaf.id not in sheet.answers:
            answer = _filled(end, leaf)
            if answer is not None:
                sheet.answers[leaf.id] = answer.model_dump()


def _filled(end: TakerOutcome | RotatedAsking, leaf: Question) -> AnswerValue | None:
    """The answer in the raw reply of an outcome; where it holds none, the outcome is changed to say so."""
    if end.status != "answered" or not end.raw or end.detail == "left blank":
        return None
    answer, read = answer_from_reply(leaf, end.raw)
    if answer is None:
        end.status = "refused" if read.status == "refused" else "unparseable"
        end.detail = read.how
    return answer


def _print_ids(turn: RotatedAsking, leaf: Question) -> None:
    """From the labels that the taker saw to the ids as printed."""
    if isinstance(turn.answer, SingleChoiceAnswer):
        turn.answer = SingleChoiceAnswer(selected=printed_id(leaf, turn.shift, turn.answer.selected))
    elif isinstance(turn.answer, MultipleChoiceAnswer):
        picked = {printed_id(leaf, turn.shift, label) for label in turn.answer.selected}
        turn.answer = MultipleChoiceAnswer(selected=[one.id for one in leaf.options or [] if one.id in picked])
