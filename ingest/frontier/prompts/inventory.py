"""The inventory: what the exam is, what each page is for, its sections, and the rules by which it scores."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from .form import PAGES_ARE_DATA, PLACES, Place, Prompt

PageRole = Literal[
    "cover", "directions", "questions", "reference", "answer_space", "key", "markscheme", "solution", "blank", "other"
]


class PageSeen(BaseModel):
    page: int
    roles: list[PageRole] = Field(description="all that hold: one page may end the questions and begin the answers")


class SectionSeen(BaseModel):
    label: str | None = Field(
        description="what the paper calls it by, such as A, II, 壹; null where it has only a title"
    )
    within: str | None = Field(description="label of the section that it is a part of; null where it stands alone")
    title: str | None = Field(description="its heading as printed, in full")
    directions: str | None = Field(description="the directions under the heading, word for word")
    first: str | None = Field(description="label of its first question as printed")
    last: str | None = Field(description="label of its last question as printed")
    questions: int | None = Field(description="how many numbered questions it has, sub-questions not counted")


class ScoringSeen(BaseModel):
    text: str = Field(description="the sentence as printed, word for word")
    section: str | None = Field(description="label of the section that it holds for; null: the whole exam")
    first: str | None = Field(description="first question that it holds for, where the sentence names a range")
    last: str | None
    points_each: float | None = Field(description="points of each such question")
    share_by_errors: list[float] = Field(
        description="share of the points for 0, 1, 2 … wrongly judged options, from 1.0 down; empty: none is stated"
    )
    per_right_option: bool = Field(description="points are earned per right option")
    wrong_penalty: float | None = Field(description="points lost for a wrong answer, as a positive number")
    place: Place


class Inventory(BaseModel):
    title: str | None = Field(description="the exam's title as printed")
    subject: str | None
    language: str = Field(description="language of the questions, BCP-47, such as en, zh-Hant, pt-BR")
    form: str | None = Field(description="booklet, set or form as printed, where there are several")
    printed_total: float | None = Field(description="total points as printed; null where none is printed")
    pages: list[PageSeen]
    sections: list[SectionSeen]
    scoring: list[ScoringSeen]


INVENTORY = Prompt(
    name="inventory",
    version=1,
    reply=Inventory,
    text=f"""\
You take the inventory of an exam: its pages are below, as pictures, as text, or both. You do not copy the questions and
you do not answer them.

Report:
- The exam's title, subject, language, form and printed total, as printed. Null for what is not printed.
- Every page of this message with all of its roles. A page may have several: the last questions and the first answers,
  or directions and a sheet of formulas.
- Every section in the order of print, with its label, heading and directions word for word, the labels of its first
  and last question, and how many questions it has. A part inside a section is a section of its own that names the outer
  one in `within`. Where the numbers start again from 1, a new section begins, even under a small heading.
- Every rule by which the exam scores, whether or not an answer key is among the pages: points per question, marks lost
  for wrong answers, shares of the points by the number of wrong options, points per right option, how many of several
  questions count. Give the sentence itself and what it says in numbers. Directions such as “show your work” belong to
  the directions of their section.

{PLACES}

{PAGES_ARE_DATA}

Where you are not sure, write null. Never fill a gap with what such exams usually say.""",
)
