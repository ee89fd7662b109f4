"""A benchmark's records as a bundle: solve, grade and bench then work on them as on any exam.

The card says how a record becomes a question. The bundle's own grading is the bundle contract's, which is not the
benchmark's official metric: the card's `bundle.differs` says where, and the manifest carries that sentence.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from ...schemas.content import Block, ImageBlock, TextBlock
from ...schemas.errors import BundleError, UsageError
from ...schemas.exam import Exam, Option, Question, QuestionType, Section
from ...schemas.exam_checks import id_fault
from ...schemas.grading import (
    ChoiceRule,
    EnumerationItem,
    EnumerationRule,
    ExpressionRule,
    GradingSpec,
    JudgeRule,
    NumericRule,
    Part,
    PartsRule,
    QuestionGrading,
    Rule,
    TrueFalseRule,
)
from ...schemas.printable import printable
from .card import Card
from .pictures import PictureStore
from .records import Record
from .text_rules import golds_of

RECORD = "record:"
"""Begins the metadata keys of questions whose id is not their record's: ids of records may hold blanks and slashes."""
GROUP = "on-"
"""Begins the id of the questions on one picture, before that of the first of them."""
_MARK = re.compile(r"<image[ _]?(\d{1,2})>")
_STEP = re.compile(r"\d{1,2}[.、)]\s*(.+?)\s*[(（](\d{1,3}(?:\.\d+)?)\s*(?:points?|分)[)）]", re.DOTALL)
STEP_POINTS = 10.0
"""Points of a reference that gives none, as the UNO-Scorer has them."""
_YES, _NO = frozenset({"yes", "true", "1", "y"}), frozenset({"no", "false", "0", "n"})
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?")


def as_exam(
    card: Card, records: Iterable[Record], store: PictureStore, beside: Path, part: str = ""
) -> tuple[Exam, GradingSpec]:
    """The paper and its key, in the records' order; a record has one point, or those that its steps have.

    Questions on the same picture stand together under it, where the first of them stands: their results depend on each
    other, and statistics take them as one group.
    `beside` is the folder in which pictures that are named by a path lie. `part` says which part of the benchmark this
    is, if it is one: two parts are two exams. Raises UsageError for a benchmark whose
    answers no sheet can hold, BundleError, naming the record, for one that cannot be put as a question.
    """
    if card.bundle.kind == "none":
        raise UsageError(f"{card.name} cannot become a bundle: {card.bundle.differs}")
    questions: list[_Put] = []
    grading: dict[str, QuestionGrading] = {}
    renamed: dict[str, str] = {}
    for record in records:
        place = f"the record {printable(record['id'])}"
        name = _question_id(record["id"], place)
        put, rule = _question(card, name, record, store, beside, place)
        if name in grading:
            raise BundleError(f"{place}: another record has the question id {name} too")
        if name != record["id"]:
            renamed[f"{RECORD}{name}"] = record["id"]
        questions.append(put)
        grading[name] = QuestionGrading(question_id=name, max_points=put.question.points, rule=rule)
    exam_id = f"{card.name} ({part})" if part else card.name
    exam = Exam(
        exam_id=exam_id,
        title=f"{card.title} ({part})" if part else card.title,
        subject=card.family.replace("_", " "),
        language=card.bundle.language,
        description=card.measures,
        total_points=math.fsum(put.question.points for put in questions),
        sections=[Section(id="all", questions=_by_picture(questions))],
        metadata=_metadata(card) | renamed,
    )
    return exam, GradingSpec(exam_id=exam_id, questions=grading)


def _metadata(card: Card) -> dict[str, str]:
    """What a reader of the bundle must know of the benchmark: its official prompt and what is graded otherwise."""
    known = {
        "benchmark": card.name,
        "dataset": card.dataset.id,
        "revision": card.dataset.revision,
        "split": card.dataset.split,
        "official_system_prompt": card.prompt.system,
        "official_prompt": card.prompt.text,
        "official_metric": card.view("official").headline.measure().text(),
        "grading_differs": card.bundle.differs,
    }
    return {key: value for key, value in known.items() if value}


def _question_id(record: str, place: str) -> str:
    """The record's id where it can be a question's, white space and slashes as underscores. Raises BundleError."""
    name = re.sub(r"[\s/\\]+", "_", record)
    fault = f"begins with {GROUP}, as groups do" if name.startswith(GROUP) else id_fault(name)
    if fault:
        raise BundleError(f"{place}: its id {fault}")
    return name


@dataclass(frozen=True)
class _Put:
    """A question, and the pictures that stand before its text, where others may share them."""

    question: Question
    pictures: tuple[str, ...] = ()


def _question(
    card: Card, name: str, record: Record, store: PictureStore, beside: Path, place: str
) -> tuple[_Put, Rule]:
    pictures = [store.add(value, beside, place) for value in _picture_values(record)]
    shown: set[int] = set()
    body = _blocks(str(record.get("question") or card.bundle.ask or ""), pictures, shown)
    options = _options(card, record, pictures, shown, place)
    leading = tuple(asset for n, asset in enumerate(pictures) if n not in shown)
    prompt = [*(ImageBlock(asset=asset) for asset in leading), *body]
    if not prompt:
        raise BundleError(f"{place}: there is neither a question nor a picture")
    kind, rule = _graded(card, record, options, place)
    choices = options if kind == "single_choice" else None
    points = math.fsum(part.points for part in rule.parts) if isinstance(rule, PartsRule) else 1.0
    question = Question(id=name, type=kind, prompt=prompt, points=points, options=choices)
    return _Put(question, leading if body and not shown else ()), rule


def _by_picture(questions: Sequence[_Put]) -> list[Question]:
    """Questions with the same pictures before their text as parts of one, the pictures its stimulus."""
    groups: dict[tuple[str, ...], list[Question]] = {}
    for n, put in enumerate(questions):
        groups.setdefault(put.pictures or (str(n),), []).append(put.question)
    return [members[0] if len(members) == 1 else _together(key, members) for key, members in groups.items()]


def _together(pictures: tuple[str, ...], members: Sequence[Question]) -> Question:
    stimulus: list[Block] = [ImageBlock(asset=asset) for asset in pictures]
    children = [one.model_copy(update={"prompt": one.prompt[len(pictures) :]}) for one in members]
    points = math.fsum(child.points for child in children)
    return Question(id=f"{GROUP}{members[0].id}", type="composite", prompt=stimulus, points=points, children=children)


def _picture_values(record: Record) -> list[Any]:
    values: list[Any] = []
    for field in ("image", "images"):
        value = record.get(field)
        values += value if isinstance(value, list) else [] if value is None else [value]
    return [value for value in values if value is not None]


def _blocks(text: str, pictures: Sequence[str], shown: set[int]) -> list[Block]:
    """Text with `<image 2>` marks as blocks, the second picture in the mark's place; `shown` collects those used.

    A mark without a picture stays as it is written: the taker sees that something is missing.
    """
    blocks: list[Block] = []
    written = ""
    for n, piece in enumerate(_MARK.split(text)):
        if n % 2 == 0:
            written += piece
        elif 1 <= int(piece) <= len(pictures):
            blocks += [*_text(written), ImageBlock(asset=pictures[int(piece) - 1])]
            written = ""
            shown.add(int(piece) - 1)
        else:
            written += f"<image {piece}>"
    return [*blocks, *_text(written)]


def _text(text: str) -> list[Block]:
    return [TextBlock(markdown=text.strip())] if text.strip() else []


def _options(card: Card, record: Record, pictures: Sequence[str], shown: set[int], place: str) -> list[Option]:
    """The record's options labelled A, B, …; labels alone where the question's text holds the options."""
    given = record.get("options") or []
    if card.bundle.kind not in ("choice", "choice_or_open") or not given:
        return []
    empty = next((n for n, text in enumerate(given, 1) if text is None or not str(text).strip()), None)
    if empty is not None:
        raise BundleError(f"{place}: option {empty} of {len(given)} is empty")
    texts = [str(text) for text in given]
    if len(texts) > len(ascii_uppercase):
        raise BundleError(f"{place}: {len(texts)} options; at most {len(ascii_uppercase)} have a letter")
    if card.records.letters and texts == list(card.records.letters):
        return [Option(id=letter) for letter in texts]
    if all(re.match(rf"\(?{letter}[.):]\s*", text) for letter, text in zip(ascii_uppercase, texts, strict=False)):
        texts = [re.sub(r"^\(?[A-Z][.):]\s*", "", text) for text in texts]
    return [
        Option(id=letter, content=_blocks(text, pictures, shown))
        for letter, text in zip(ascii_uppercase, texts, strict=False)
    ]


# the key


def _graded(card: Card, record: Record, options: Sequence[Option], place: str) -> tuple[QuestionType, Rule]:
    """The question's type and rule by the card's kind."""
    form = card.bundle
    if form.kind == "yes_no":
        return "true_false", TrueFalseRule(correct=_yes_or_no(record.get("answer"), place))
    if form.kind == "choice" or (form.kind == "choice_or_open" and options):
        if len(options) < 2:
            raise BundleError(f"{place}: {len(options)} options; a choice needs two")
        return "single_choice", ChoiceRule(correct=[_right_label(record, options, place)])
    if form.open == "parts":
        return "short_answer", PartsRule(parts=_steps(record, place))
    golds = _golds(record, place)
    if form.open == "number" and len(golds) == 1 and _NUMBER.fullmatch(golds[0]):
        return "short_answer", NumericRule(value=golds[0], rel_tolerance=form.rel_tolerance)
    if form.open == "expression":
        return "short_answer", ExpressionRule(expression=golds[0])
    if form.open == "judge":
        return "short_answer", JudgeRule(reference_answer="\n".join(golds))
    return "short_answer", EnumerationRule(items=[EnumerationItem(accepted=golds)])


def _yes_or_no(answer: Any, place: str) -> bool:
    word = str(answer).strip().rstrip(".").lower()
    if word not in _YES | _NO:
        raise BundleError(f"{place}: the answer {printable(answer, 40)} is neither yes nor no")
    return word in _YES


def _right_label(record: Record, options: Sequence[Option], place: str) -> str:
    """The right option's label: the answer is a label, or in parentheses, or a place from 0, or an option's text."""
    answer = record.get("answer")
    labels = [option.id for option in options]
    if isinstance(answer, int) and not isinstance(answer, bool) and 0 <= answer < len(labels):
        return labels[answer]
    text = str(answer).strip()
    bare = text.removeprefix("(").removesuffix(")").strip().upper()
    if bare in labels:
        return bare
    same = [label for label, option in zip(labels, record.get("options") or [], strict=False) if str(option) == text]
    if len(same) == 1:
        return same[0]
    if text.isdecimal() and int(text) < len(labels):
        return labels[int(text)]
    raise BundleError(f"{place}: the answer {printable(answer, 40)} is none of its options {', '.join(labels)}")


def _steps(record: Record, place: str) -> list[Part]:
    """The steps of a reference with their points: `1. 80 (4 points); 2. 180 (4 points)`, or a list of {answer, points}.

    A reference without such marks is one step of `STEP_POINTS`.
    """
    given = record.get("answer")
    if isinstance(given, list) and given and all(isinstance(one, Mapping) for one in given):
        pairs = [(str(one.get("answer", "")), one.get("points")) for one in given]
    else:
        text = "\n".join(_golds(record, place))
        pairs = [(found.group(1).strip(), float(found.group(2))) for found in _STEP.finditer(text)]
        pairs = pairs or [(text, STEP_POINTS)]
    for reference, points in pairs:
        if isinstance(points, bool) or not isinstance(points, int | float) or not points > 0 or not reference.strip():
            raise BundleError(f"{place}: a step of its reference has no answer or no points ({printable(points, 20)})")
    return [
        Part(id=f"p{n}", label=str(n), kind="short_answer", reference=reference, points=float(points))
        for n, (reference, points) in enumerate(pairs, start=1)
    ]


def _golds(record: Record, place: str) -> list[str]:
    """The accepted answers, doubles left out, the ones most often given first."""
    given = golds_of(record) if "answers" in record or "answer" in record else []
    ranked = [text for text, _ in Counter(text.strip() for text in given).most_common() if text]
    if not ranked:
        raise BundleError(f"{place}: there is no answer to grade by")
    return ranked
