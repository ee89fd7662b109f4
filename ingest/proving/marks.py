"""Points: what a question or its section prints against what the exam gives."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ...schemas.content import Block, TextBlock
from ...schemas.exam import Exam, Question, Section
from ...schemas.exam_checks import same_points
from ...schemas.findings import Finding, Where
from ..formulas.visible import visible
from ..structure.points import question_marks, section_marks

_ALIKE = 5
"""Choice questions of one section from which one that is worth something else stands out."""
_RANGE = re.compile(
    r"第?\s*(\d{1,3})\s*[題题]?\s*[至到~～–-]\s*第?\s*(\d{1,3})\s*小?[題题]"
    r"|(?:questions?|items?|aufgaben?|questões|preguntas?|exercices?)\s*(\d{1,3})\s*(?:[–—-]|to|through|bis|a|à)\s*(\d{1,3})\b",
    re.IGNORECASE,
)


def mark_findings(exam: Exam) -> Iterator[Finding]:
    """Points that differ from what is printed at the question or in its section's directions."""
    for section in exam.sections:
        each, ranges = _each(section), _ranges(section)
        leaves = [leaf for question in section.questions for leaf in question.leaves()]
        for question in section.questions:
            yield from _question(question, each, ranges)
        if each is None and not ranges:
            yield from _odd(leaves)
    printed = exam.metadata.get("printed_total", "")
    if re.fullmatch(r"\d{1,4}(\.\d+)?", printed) and not same_points(float(printed), exam.total_points):
        message = f"The paper prints {printed} points in all, the questions add up to {exam.total_points:g}."
        yield Finding(code="points.printed_total", severity="info", message=message)


def _text(blocks: Sequence[Block]) -> str:
    return "\n".join(visible(block.markdown) for block in blocks if isinstance(block, TextBlock))


def _each(section: Section) -> float | None:
    """The points of each question that the section's heading states, where it states one value only."""
    text = f"{section.title or ''}\n{_text(section.instructions)}"
    values = {mark.value for mark in section_marks(text) if mark.scope == "each"}
    return values.pop() if len(values) == 1 and not _RANGE.search(text) else None


def _ranges(section: Section) -> list[tuple[int, int, float]]:
    """Points for the questions of a range: `第1題至第6題，每題5分`, `Questions 1–6, 5 points each`."""
    found: list[tuple[int, int, float]] = []
    for line in re.split(r"[\n。；;]", f"{section.title or ''}\n{_text(section.instructions)}"):
        values = {mark.value for mark in section_marks(line) if mark.scope == "each"}
        match = _RANGE.search(line)
        if match and len(values) == 1:
            first, last = (int(number) for number in match.groups() if number)
            found.append((first, last, values.pop()))
    return found


def _in_range(question: Question, ranges: Sequence[tuple[int, int, float]]) -> float | None:
    number = re.fullmatch(r"\D{0,12}(\d{1,3})\D{0,3}", question.number or "")
    values = {value for low, high, value in ranges if number and low <= int(number[1]) <= high}
    return values.pop() if len(values) == 1 else None


def _question(question: Question, each: float | None, ranges: Sequence[tuple[int, int, float]]) -> Iterator[Finding]:
    """A question's own marks, else those of its number's range, else its section's or group's for each choice."""
    for mark in section_marks(_text(question.prompt)) if question.children else ():
        if mark.scope == "each":
            each, ranges = mark.value, ()
    own = [mark.value for mark in question_marks(_text(question.prompt)) if mark.scope == "own"]
    ranged = _in_range(question, ranges)
    told = ranged if ranged is not None else each if question.options else None
    if len(set(own)) == 1:
        worth = sum(leaf.points for leaf in question.leaves())
        if not any(same_points(value, worth) for value in (own[0], sum(own))):
            yield _finding(question, f"{question.id} prints {own[0]:g} points and is worth {worth:g}.")
    elif not own and told is not None and not question.children and not same_points(told, question.points):
        message = f"Each question of its section is worth {told:g} points, {question.id} {question.points:g}."
        yield _finding(question, message)
    for child in question.children:
        yield from _question(child, each, ranges)


def _odd(leaves: Sequence[Question]) -> Iterator[Finding]:
    """One choice question among many alike that is worth something else, without printing it."""
    alike = [leaf for leaf in leaves if leaf.options and not question_marks(_text(leaf.prompt))]
    for kind in ("single_choice", "multiple_choice"):
        group = [leaf for leaf in alike if leaf.type == kind]
        counts = Counter(leaf.points for leaf in group)
        if len(group) < _ALIKE or len(counts) != 2:
            continue
        (usual, _), (value, few) = counts.most_common(2)
        if few == 1:
            odd = next(leaf for leaf in group if leaf.points == value)
            yield _finding(
                odd, f"{odd.id} is worth {value:g} points, all {len(group) - 1} others of its kind {usual:g}."
            )


def _finding(question: Question, message: str) -> Finding:
    return Finding(code="points.wrong", severity="warning", where=Where(question=question.id), message=message)
