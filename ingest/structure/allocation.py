"""Allocating printed points: at the question, else by its group, else by its section; the nearest wins.

Only what the paper prints is set here; what it leaves open stays None. `points_from` says where from.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ..draft import DraftPaper, DraftQuestion, DraftSection
from ..lines import Line
from ..page import Page
from . import vocabulary
from .linetext import LineText
from .points import Mark, head_mark, question_marks, section_marks

_MARGIN = re.compile(r"(?:^|\t|(?<=[)）.?!。？]) )[(\[（]?\s*(\d{1,2})\s*[)\]）]?$")
_RANGE = re.compile(r"(\d{1,3})\s*(?:題|题|번|問)?\s*(?:[-–—~～〜至到]|to|through|bis|à)\s*(?:第|問)?\s*(\d{1,3})")
_MARGIN_SHARE = 0.6
_WRITTEN_FIRST = re.compile(r"非選擇題|非选择题")


def allocate_points(paper: DraftPaper, pages: Mapping[tuple[int, int], Page]) -> None:
    """Set `points` and `points_from` wherever the paper prints them, and the paper's printed total."""
    for question in paper.questions():
        _own_marks(question)
    _margin_marks(paper)
    for question in reversed(paper.questions()):
        if question.group:
            _group_marks(question)
    for section in paper.sections:
        _section_share(section)
    _cover_table(paper)
    paper.printed_total = _printed_total(paper)


def _own_marks(question: DraftQuestion) -> None:
    if question.group:
        return
    text = _joined(question.stem)
    marks = question_marks(text)
    if not marks and question.stem and (mark := head_mark(question.stem[0].text)):
        marks = [mark]
    if not marks and question.options:
        marks = _mark_behind_options(question)
    rest = round(sum(mark.value for mark in marks[1:]), 4)
    if marks and marks[0].start < 6 and rest == marks[0].value:
        marks = marks[:1]  # the head says what the parts of the text add up to
    if marks:
        question.points = round(sum(mark.value for mark in marks), 4)
        question.points_from = "question"


def _mark_behind_options(question: DraftQuestion) -> list[Mark]:
    """A mark that stands behind the last option: it is the question's, so its words go to the stem."""
    lines = question.options[-1].lines
    if not lines:
        return []
    last = LineText(lines[-1])
    marks = question_marks(last.text)
    if not marks or last.text[marks[-1].end :].strip():
        return []
    mark, kept = last.cut(marks[-1].start), last.cut(0, marks[-1].start)
    question.options[-1].lines[-1:] = [kept] if kept else []
    question.stem += [mark] if mark else []
    return marks[-1:]


def _margin_marks(paper: DraftPaper) -> None:
    """Bare numbers in the right margin, where most questions without other marks have one."""
    open_questions = [q for q in paper.questions() if q.points is None and not q.group and not q.options and q.stem]
    found = [(q, value) for q in open_questions if (value := _margin_mark(q)) is not None]
    if len(found) < 3 or len(found) < _MARGIN_SHARE * len(open_questions):
        return
    for question, value in found:
        question.points, question.points_from = value, "question"


def _margin_mark(question: DraftQuestion) -> float | None:
    for line in (*question.stem[:-4:-1], question.stem[0]):
        match = _MARGIN.search(LineText(line).text.rstrip())
        right = line.words[-1].box.x1 > line.column_box.x1 - 0.12 * line.column_box.width
        if match and right and 0 < int(match.group(1)) <= 40:
            return float(match.group(1))
    return None


def _group_marks(group: DraftQuestion) -> None:
    """A mark in a group's own words: for each member (`各2分`), or for all together."""
    text = _joined(group.stem[:4])
    open_children = [child for child in group.children if child.points is None and not child.group]
    if not open_children:
        return
    each = [mark for mark in section_marks(text) if mark.scope == "each"]
    own = question_marks(text)
    if each:
        _give(open_children, each[0].value, "group")
    elif own and len(open_children) == len(group.children):
        _give(open_children, own[0].value / len(open_children), "group")


def _section_share(section: DraftSection) -> None:
    """The section's mark for each question, or its total shared evenly where the share is a plain number."""
    text = f"{_joined(section.title)}\n{' '.join(line.text for line in section.instructions)}"
    marks = section_marks(text)
    questions = [q for question in section.questions for q in (question.children if question.group else [question])]
    start = 0
    for mark in marks:
        if mark.scope == "each":
            clause = text[start : mark.start]
            start = mark.end
            chosen = [q for q in _named(questions, clause) if q.points is None and not _given_by_parts(q)]
            _give(chosen, mark.value, "section")
    open_questions = [q for q in questions if q.points is None and not _given_by_parts(q)]
    total = _total_of(marks, section_marks(_joined(section.title)))
    if total is not None and questions and len(open_questions) == len(questions):
        share = total / len(questions)
        if abs(share * 4 - round(share * 4)) < 1e-9 and not any(mark.scope == "each" for mark in marks):
            _give(open_questions, share, "section")


def _total_of(marks: Sequence[Mark], titled: Sequence[Mark]) -> float | None:
    """What the whole section is worth: a stated total, or the only mark in its title or directions."""
    if any(mark.scope == "each" for mark in marks):
        return None
    totals = [mark.value for mark in marks if mark.scope == "all"]
    for stated in (titled, marks):
        if not totals and len({mark.value for mark in stated}) == 1:
            totals = [stated[0].value]
    return totals[-1] if totals else None


def _named(questions: Sequence[DraftQuestion], clause: str) -> list[DraftQuestion]:
    """The questions that a clause of the directions speaks of: a range of numbers, or one kind of question."""
    ranges = _RANGE.findall(clause)
    if ranges:
        spans = [(int(first), int(last)) for first, last in ranges]
        inside = [q for q in questions if q.key.isdigit() and any(low <= int(q.key) <= high for low, high in spans)]
        if inside:
            return inside
    tail = clause[-24:]
    if _WRITTEN_FIRST.search(tail):
        return [q for q in questions if not q.options]
    if vocabulary.names_choice(tail) and any(q.options for q in questions) and any(not q.options for q in questions):
        return [q for q in questions if q.options]
    return list(questions)


def _given_by_parts(question: DraftQuestion) -> bool:
    return bool(question.children) and all(child.points is not None for child in question.children)


def _give(questions: Sequence[DraftQuestion], value: float, source: str) -> None:
    for question in questions:
        question.points, question.points_from = round(value, 4), source


_TABLE_HEAD = re.compile(
    r"\b(points?|marks?|punkte|puntos|pontos|punti|max\w*|barème|баллы|điểm)\b|配分|配點|分值|点数|점수", re.IGNORECASE
)
_TABLE_ROW = re.compile(r"^\D{0,12}(\d{1,2})[.)]?\s+(\d{1,3})\b")


def _cover_table(paper: DraftPaper) -> None:
    """A table of questions and points on the cover, for questions that print none: all its rows must be questions."""
    lines = [LineText(line).text.replace("\t", " ").strip() for line in paper.instructions]
    head = next((n for n, line in enumerate(lines) if len(line) < 60 and _TABLE_HEAD.search(line)), None)
    if head is None:
        return
    rows: dict[str, float] = {}
    for line in lines[head + 1 :]:
        match = _TABLE_ROW.match(line)
        if match is None:
            if rows:
                break
            continue
        rows[match.group(1)] = float(match.group(2))
    top = [q for section in paper.sections for q in section.questions if not q.group]
    if len(rows) < 2 or sorted(rows) != sorted({q.key for q in top}) or len(top) != len(rows):
        return
    for question in top:
        if question.points is None:
            question.points, question.points_from = rows[question.key], "cover"


_TOTAL_WORDS = re.compile(
    r"(?:滿分|满分|總分|总分|合計|만점|総点|max(?:imum|\.)?(?: marks?| score)?|total(?: marks?| points?)?|"
    r"gesamtpunktzahl|punktsumme|sur|note sur|puntuación total|total de pontos|tổng điểm)"
    r"[^\d\n]{0,16}(\d{2,3})(?!\d|\s*(?:min|分鐘|分钟|h\b|%))|(\d{2,3})\s*(?:點|点|分)?\s*(?:満点|만점)",
    re.IGNORECASE,
)


def _printed_total(paper: DraftPaper) -> float | None:
    """The total that the cover prints."""
    for line in paper.instructions:
        match = _TOTAL_WORDS.search(line.text)
        if match and _plausible_total(float(match.group(1) or match.group(2))):
            return float(match.group(1) or match.group(2))
    return None


def _plausible_total(value: float) -> bool:
    return 10 <= value <= 1000


def _joined(lines: Sequence[Line]) -> str:
    return "\n".join(line.text for line in lines)
