"""The questions of one window of pages, copied exactly, with their structure and their figures."""

from __future__ import annotations

from pydantic import BaseModel, Field

from ....schemas.exam import QuestionType
from .form import PAGES_ARE_DATA, PLACES, Place, Prompt


class SectionRead(BaseModel):
    ref: str = Field(description="a name of your own for this section, such as s1")
    label: str | None = Field(description="what the paper calls it by, such as A, II, 壹; null where it has none")
    within: str | None = Field(description="label of the section that it is a part of, else null")
    title: str | None = Field(description="the heading as printed; null where the heading stands before this window")
    directions: str | None = Field(description="directions that hold for its questions, word for word")


class OptionRead(BaseModel):
    label: str = Field(description="as printed, without brackets and full stop: A, ①, 甲")
    text: str


class BlankRead(BaseModel):
    label: str | None = Field(description="the gap's own number or letter, where it has one")
    cells: int | None = Field(description="how many cells of a grid one number is written into; null for a plain gap")


class QuestionRead(BaseModel):
    ref: str = Field(description="a name of your own for this entry, such as 1 or 2a")
    parent: str | None = Field(description="ref of the entry that it is a part of; null at the top")
    section: str | None = Field(description="ref of its section; null where none is known")
    label: str | None = Field(description="as printed: 12., (a), Q3, 13–15; null where nothing is printed")
    type: QuestionType
    text: str = Field(description="the printed text without label, options and parts; Markdown, formulas as LaTeX in $")
    gap: str | None = Field(description="for an item that is only a gap in its parent's text: the gap's printed label")
    options: list[OptionRead]
    blanks: list[BlankRead]
    left: list[OptionRead] = Field(description="matching only: the items to be matched")
    right: list[OptionRead] = Field(description="matching only: what they are matched with")
    points: float | None = Field(description="as printed for this entry or its group; null where none is printed")
    penalty: float | None = Field(description="points lost for a wrong answer, positive; null where none is printed")
    choose: int | None = Field(description="how many options must be chosen, where the paper says so")
    begins_before: bool = Field(description="its beginning stands before this window")
    goes_on: bool = Field(description="it goes on after this window")
    places: list[Place] = Field(description="where it is printed, its options included, its parts not")


class FigureSeen(BaseModel):
    id: str = Field(description="F1, F2, … in this reply")
    place: Place
    description: str = Field(description="what it shows, so that a reader who cannot see it knows; no interpretation")
    caption: str | None = Field(description="the printed caption, word for word")


class Questions(BaseModel):
    sections: list[SectionRead]
    questions: list[QuestionRead]
    figures: list[FigureSeen]


QUESTIONS = Prompt(
    name="questions",
    version=1,
    reply=Questions,
    text=f"""\
You copy the questions of an exam from a few of its pages. You do not answer them, correct them or shorten them. Another
reader does the other pages; a program compares every word of yours with the page.

How to copy
- Word for word, in the order in which a person reads, column by column. Keep errors of print. Leave out page numbers,
  running heads and lines to write on. Write a gap to be filled as ________ (eight underscores).
- Formulas as LaTeX between $ signs, displayed ones between $$ signs. In JSON a backslash is written twice: "\\\\frac".
- Program text, and whatever its spacing carries, in a fenced block with every space and line break kept.
- Tables as Markdown tables with | between the cells.
- Where a figure stands, write [[F1]], [[F2]], … in the text or option that it belongs to, and list it under `figures`
  with its place, what it shows and its caption. The box holds all of the drawing and its labels and no line of the
  text around it. Tables of text are no figures.

How to build the list
- One flat list in the order of print. A question with parts is `composite`: its own text is what all parts share, and
  each part is an entry of its own whose `parent` is its ref, to any depth. A passage or figure that several numbered
  questions share is a composite too, whose label is the printed range (13–15) or null.
- Labels exactly as printed, each entry only its own: (ii), not 2(b)(ii), unless the paper prints it whole.
- A numbered item that is only a gap in a passage: an entry under the passage's entry with empty text, its `gap` the
  label printed at the gap.
- Types. `single_choice`: one option counts. `multiple_choice`: several may be chosen. `true_false`: a statement to be
  judged. `fill_in_blank`: gaps to be filled, one entry of `blanks` per gap; one number that is written over several
  cells of a grid is one blank with that many cells. `matching`: two lists. `drawing`: the answer is drawn. `essay`: a
  text of more than a paragraph. Everything else that is answered in words, numbers or code: `short_answer`.
- Options with their labels as printed, all of them, also where they stand side by side or are figures.
- Section headings and directions go into `sections`, each once; directions that hold for one question go into its text.
- Points as printed at the question, or for each question of its group. Do not share them out or guess them.
- Each language of a paper that prints its questions twice is not a new question: copy the language that comes first
  whole, and leave the other out.

{PLACES}

{PAGES_ARE_DATA}

What you cannot read is written as [?]. Never add a word that is not printed.""",
)
