"""Small question papers drawn for the tests of the proof, and the exams that read them rightly."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from exam2bench.ingest.page import Box, LayerTrust, Page, Word
from exam2bench.ingest.pages.reading import read_order
from exam2bench.ingest.proving.page_index import PageIndex
from exam2bench.ingest.proving.prove import Proof, prove
from exam2bench.ingest.witness import Witness
from exam2bench.schemas.content import TextBlock
from exam2bench.schemas.exam import Exam, Option, Question, Section
from exam2bench.schemas.exam_checks import every_question
from exam2bench.schemas.grading import ChoiceRule, GradingSpec, JudgeRule, QuestionGrading

from .drawn import Drawn, draw

STEMS = {
    "1": "Which gas do plants take in when they make sugar in the light of the sun?",
    "2": "A train covers 270 km in 3 hours. How fast does it travel on average?",
    "3": "Name the instrument that measures the pressure of the air around us.",
}
OPTIONS = {
    "1": ("oxygen from the soil", "carbon dioxide", "nitrogen", "water vapour"),
    "2": ("60 km/h", "80 km/h", "90 km/h", "100 km/h"),
    "3": ("thermometer", "barometer", "hygrometer", "anemometer"),
}
LABELS = "ABCD"


def paper(path: Path) -> Drawn:
    """Three choice questions in one column."""

    def paint(page: Any) -> None:
        y = 80
        for number, stem in STEMS.items():
            page.insert_text((60, y), f"{number}.", fontsize=11)
            page.insert_text((80, y), stem, fontsize=11)
            for n, option in enumerate(OPTIONS[number]):
                page.insert_text((80, y + 18 + 16 * n), f"({LABELS[n]}) {option}", fontsize=11)
            y += 130

    return draw(path, paint)


def exam() -> Exam:
    """The paper read rightly."""
    questions = [
        choice(f"q{number}", f"{number}.", stem, [(LABELS[n], text) for n, text in enumerate(OPTIONS[number])])
        for number, stem in STEMS.items()
    ]
    return exam_of(questions)


def choice(name: str, number: str | None, stem: str, options: Sequence[tuple[str, str]]) -> Question:
    return Question(
        id=name,
        number=number,
        type="single_choice",
        prompt=[TextBlock(markdown=stem)],
        points=1,
        options=[Option(id=label, content=[TextBlock(markdown=text)]) for label, text in options],
    )


def open_question(name: str, number: str | None, stem: str) -> Question:
    return Question(id=name, number=number, type="short_answer", prompt=[TextBlock(markdown=stem)], points=1)


def exam_of(questions: Sequence[Question], title: str = "A paper") -> Exam:
    section = Section(id="A", questions=list(questions))
    return Exam(exam_id="x", title=title, total_points=sum(q.points for q in questions), sections=[section])


def grading(exam: Exam, key: str = "BCB") -> GradingSpec:
    """A key for choices in order, a judge for the rest."""
    letters = iter(key)
    questions: dict[str, QuestionGrading] = {}
    for question in exam.leaves():
        rule = ChoiceRule(correct=[next(letters)]) if question.options else JudgeRule()
        anchored = bool(question.options)
        questions[question.id] = QuestionGrading(
            question_id=question.id, max_points=question.points, rule=rule, anchored=anchored
        )
    return GradingSpec(exam_id="x", questions=questions)


def index_of(drawn: Drawn, roles: dict[tuple[int, int], str] | None = None) -> PageIndex:
    pages = {(page.source, page.number): page for page in drawn.pages}
    return PageIndex.build([drawn.reading], pages, drawn.found, roles or {})


def proof_of(index: PageIndex, exam: Exam, key: GradingSpec | None = None) -> Proof:
    return prove(Witness("model", exam, key or grading(exam, "BCB" + "A" * 40)), index)


def changed(exam: Exam, question: str, old: str, new: str) -> Exam:
    """A copy in which a text of one question reads otherwise."""
    found = copy.deepcopy(exam)
    for one in every_question(found):
        blocks = [*one.prompt, *(b for o in one.options or [] for b in o.content)] if one.id == question else []
        for block in blocks:
            if isinstance(block, TextBlock) and old in block.markdown:
                block.markdown = block.markdown.replace(old, new, 1)
                return found
    raise AssertionError(f"{old!r} is not in {question}")


def said(proof: Proof, question: str | None = None) -> list[str]:
    """The codes of what a person must look at, of one question or of all."""
    found = [f for f in proof.findings if f.severity != "info"]
    return [f.code for f in found if question is None or f.where.question == question]


def typed(lines: Sequence[str], *, right: bool = False, origin: str = "layer", confidence: float = 1.0) -> PageIndex:
    """A page of words put down by hand, one line below the other; `right`: from the right edge to the left."""
    words: list[Word] = []
    for row, line in enumerate(lines):
        x = 540.0 if right else 60.0
        for text in line.split():
            width = 6.0 * len(text)
            box = (
                Box(x - width, 80 + 20 * row, x, 92 + 20 * row)
                if right
                else Box(x, 80 + 20 * row, x + width, 92 + 20 * row)
            )
            x = x - width - 5 if right else x + width + 5
            words.append(Word(len(words), text, box, "F", 11, baseline=90 + 20 * row, block=row, line=row))
    held = tuple(replace(word, origin=origin, confidence=confidence) for word in words)
    page = Page(0, 0, 595, 842, 0, held, (), (), LayerTrust(True), read_by="ocr" if origin == "ocr" else "layer")
    return PageIndex.build([read_order([page])], {(0, 0): page}, [], {})
