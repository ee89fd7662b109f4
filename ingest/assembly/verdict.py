"""What is wrong with the paper as a whole once it is assembled: no questions, no key, empty prompts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from statistics import median

from ...schemas.content import TextBlock
from ...schemas.exam import CHOICE_TYPES, Exam, Question
from ...schemas.findings import Finding, Where
from ...schemas.grading import GradingSpec
from .proof import block_strings

_LONG = 2500
_TIMES_USUAL = 12
_MANY_WORDS = 100
_WORD = re.compile(r"[A-Za-z]{3,}")
UNDETERMINED = "und"


def paper_findings(exam: Exam, grading: GradingSpec, names: Sequence[str]) -> list[Finding]:
    """Findings over the finished exam; `names` are the sources' file names."""
    leaves = list(exam.leaves())
    if not leaves:
        files = ", ".join(names)
        return [
            Finding(
                code="question.none",
                severity="error",
                message=f"No question was found in {files}.",
                hint="Is one of the files an exam paper? If so, name it with --role FILE=paper; a scan needs OCR.",
            )
        ]
    return [*_garbled(exam, leaves), *_empty(exam), *_swollen(leaves), *_unkeyed(leaves, grading)]


def _garbled(exam: Exam, leaves: Sequence[Question]) -> Iterator[Finding]:
    """Much text in Latin letters, and no language: fonts that show other characters than they say, or a bad scan."""
    if exam.language != UNDETERMINED:
        return
    text = " ".join(string for leaf in leaves for string in block_strings(leaf.prompt))
    words = _WORD.findall(text)
    if len(words) >= _MANY_WORDS:
        yield Finding(
            code="text.garbled",
            severity="error",
            message=f"The paper's {len(words)} words read like no language that is known here: its fonts or the "
            "scan may be damaged.",
            hint="Look at the pages; where the text is right, tell its language with --language.",
        )


def _empty(exam: Exam) -> Iterator[Finding]:
    for question, told_above in _walk(exam):
        told = any(not isinstance(block, TextBlock) or block.markdown.strip() for block in question.prompt)
        if told or question.children or question.options or question.matching or told_above:
            continue
        yield Finding(
            code="question.empty",
            severity="warning",
            where=_where(question),
            message=f"{question.id} has a number but no text.",
            hint="Look at its snapshot: its text may have gone to a neighbour.",
        )


def _swollen(leaves: Sequence[Question]) -> Iterator[Finding]:
    """Questions far longer than the paper's others: what follows a missed label ends up in the question before."""
    lengths = {leaf.id: sum(len(string) for string in block_strings(leaf.prompt)) for leaf in leaves}
    usual = median(lengths.values())
    for leaf in leaves:
        if lengths[leaf.id] > max(_LONG, _TIMES_USUAL * usual):
            yield Finding(
                code="question.long",
                severity="warning",
                where=_where(leaf),
                message=f"{leaf.id} is {lengths[leaf.id]} characters long where the others have some {usual:.0f}.",
                hint="Look at its snapshot: it may hold the text of a question or section that was missed.",
            )


def _walk(exam: Exam) -> Iterator[tuple[Question, bool]]:
    def below(question: Question, told_above: bool) -> Iterator[tuple[Question, bool]]:
        yield question, told_above
        for child in question.children:
            yield from below(child, told_above or bool(question.prompt))

    for question in exam.questions():
        yield from below(question, False)


def _unkeyed(leaves: Sequence[Question], grading: GradingSpec) -> Iterator[Finding]:
    """A paper none of whose fixed-answer questions has an answer. Single gaps in a key are the alignment's to say."""
    fixed = CHOICE_TYPES | {"true_false", "fill_in_blank", "matching"}
    asked = [leaf for leaf in leaves if leaf.type in fixed]
    judged = {name for name, question in grading.questions.items() if question.rule.kind == "judge"}
    without = [leaf for leaf in asked if leaf.id in judged]
    if not asked or len(without) < len(asked):
        return
    yield Finding(
        code="key.missing",
        severity="warning",
        message=f"No answer was found for any of the {len(asked)} questions that a key would settle; "
        "they fall back to a judge.",
        hint="Give the answer key as one more source.",
    )


def _where(question: Question) -> Where:
    if not question.provenance:
        return Where(question=question.id)
    first = question.provenance[0]
    return Where(question=question.id, source=first.source, page=first.page)
