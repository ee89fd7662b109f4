"""An exam as the draft that the key rooms read: labels, options, types and points, without words or boxes.

Any reading, a model's too, is brought to the printed keys by the same alignment as the layout engine's own.
"""

from __future__ import annotations

import re

from ...schemas.content import TextBlock
from ...schemas.exam import Exam, Question, Section
from ..draft import DraftOption, DraftPaper, DraftQuestion, DraftSection
from ..keys.key_values import canonical
from ..lines import Line
from ..page import Box, Word
from ..structure.wording import demanded
from .letters import letters_of

_NUMBER = re.compile(r"\d{1,3}")
_CODE = re.compile(r"^[A-Z]+\d+[A-Z]+\d+$")
_RANGE = re.compile(r"^\D*(\d{1,3})\s*[-–—~～至]\s*(\d{1,3})\D*$")


def draft_of(exam: Exam) -> DraftPaper:
    """The exam as a draft paper. Ids are the exam's."""
    paper = DraftPaper(title=exam.title, subject=exam.subject, language=exam.language, form=exam.metadata.get("form"))
    paper.sections = [_section(section) for section in exam.sections]
    return paper


def _section(section: Section) -> DraftSection:
    told = [block.markdown for block in section.instructions[:2] if isinstance(block, TextBlock)]
    return DraftSection(
        key=section.id,
        title=[_line(section.title)] if section.title else [],
        instructions=[_line(text[:400]) for text in told],
        questions=[_question(question) for question in section.questions],
    )


def _question(question: Question) -> DraftQuestion:
    label = (question.number or "").strip()
    text = " ".join(block.markdown for block in question.prompt if isinstance(block, TextBlock))
    draft = DraftQuestion(
        label=label or None,
        key=key_of(label),
        options=[DraftOption(option.id) for option in question.options or []],
        children=[_question(child) for child in question.children],
        type=question.type,
        choose=demanded(text),
        points=question.points,
        id=question.id,
    )
    draft.group = bool(question.children) and is_group(question)
    if draft.group:
        draft.key = ""
    return draft


def is_group(question: Question) -> bool:
    """Whether a composite only carries a shared stimulus: its parts have numbers of their own, not `(a)`, `(b)`."""
    label = (question.number or "").strip()
    if not label or _RANGE.match(label):
        return True
    own = _NUMBER.search(letters_of(label).text)
    first = _NUMBER.search(letters_of(question.children[0].number or "").text) if question.children else None
    return bool(own and first and int(first[0]) >= int(own[0]) > 1)


def key_of(label: str) -> str:
    """What a key would name a label by: `12` of `12.`, `a` of `(a)`, `91` of `QUESTÃO 91`, `T1A01` as it is."""
    bare = canonical(label)
    if _CODE.match(bare):
        return bare
    text = letters_of(label).text
    number = _NUMBER.search(text)
    if number and (text.isdigit() or len(text) - len(number[0]) > 1):
        return number[0]
    return bare.casefold() if len(bare) <= 4 else text[:12]


def _line(text: str) -> Line:
    box = Box(0.0, 0.0, 0.0, 0.0)
    return Line(0, 0, tuple(Word(n, part, box) for n, part in enumerate(text.split())), box, 0, 0, box)
