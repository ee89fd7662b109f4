"""exam.json: the paper as data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from .base import SCHEMA_VERSION, Contract, NonNegative, Ratio, absent
from .content import Block

QuestionType = Literal[
    "single_choice",
    "multiple_choice",
    "true_false",
    "fill_in_blank",
    "matching",
    "short_answer",
    "essay",
    "drawing",
    "composite",
]
CHOICE_TYPES = frozenset({"single_choice", "multiple_choice"})
OPEN_TYPES = frozenset({"short_answer", "essay", "drawing"})


class Region(Contract):
    """Where something is printed: source index into the manifest, 0-based page, PDF points with the
    origin at the top left of the page as displayed."""

    source: int = Field(ge=0)
    page: int = Field(ge=0)
    x0: float
    y0: float
    x1: float
    y1: float


class Option(Contract):
    """One option of a choice question; `id` is the label as printed (`A`, `①`)."""

    id: str
    content: list[Block] = []


class Blank(Contract):
    """One gap to fill. `cells` > 1: one number printed over that many grid cells."""

    id: str
    label: str | None = None
    cells: int | None = Field(default=None, ge=1, exclude_if=absent)


class MatchItem(Contract):
    id: str
    content: list[Block] = []


class Matching(Contract):
    left: list[MatchItem]
    right: list[MatchItem]


class Checks(Contract):
    """Proof of a question: share of its text found on the page, and the verdict."""

    text_match: Ratio | None = None
    status: Literal["verified", "partial", "unverified", "flagged"] = "unverified"


class Question(Contract):
    id: str
    number: str | None = None
    type: QuestionType
    prompt: list[Block] = []
    points: NonNegative
    options: list[Option] | None = None
    blanks: list[Blank] | None = None
    matching: Matching | None = None
    children: list[Question] = []
    provenance: list[Region] = Field(default=[], exclude_if=absent)
    snapshot: str | None = Field(default=None, exclude_if=absent)
    checks: Checks | None = Field(default=None, exclude_if=absent)

    def leaves(self) -> Iterator[Question]:
        """This question, or the leaves below it, in print order."""
        if not self.children:
            yield self
        for child in self.children:
            yield from child.leaves()


class Section(Contract):
    id: str
    title: str | None = None
    instructions: list[Block] = []
    questions: list[Question] = []


class Exam(Contract):
    schema_version: str = SCHEMA_VERSION
    exam_id: str
    title: str
    subject: str | None = None
    language: str = "und"
    description: str | None = None
    total_points: NonNegative
    sections: list[Section] = []
    metadata: dict[str, str] = {}

    def questions(self) -> Iterator[Question]:
        """The top-level questions of all sections, in print order."""
        for section in self.sections:
            yield from section.questions

    def leaves(self) -> Iterator[Question]:
        """The questions that are answered: those without children, in print order."""
        for question in self.questions():
            yield from question.leaves()
