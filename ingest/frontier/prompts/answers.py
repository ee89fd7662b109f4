"""Keys, mark schemes and solutions: what the sources say about each question, verbatim and in a form."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from .form import PAGES_ARE_DATA, PLACES, Place, Prompt


class Pair(BaseModel):
    left: str
    right: str


class Level(BaseModel):
    points: float
    descriptor: str = Field(description="what earns these points, word for word")


class Criterion(BaseModel):
    description: str = Field(description="what is judged, as printed; empty where the source prints no name for it")
    alternatives: list[str] = Field(description="other ways to earn the same points, as printed; empty where none")
    levels: list[Level] = Field(description="highest first, down to 0; one all-or-nothing mark has two levels")


class Cap(BaseModel):
    criteria: list[int] = Field(description="numbers of the criteria that share a limit, from 1")
    most: float = Field(description="the most points that they earn together: “at most 2 of these three”")


class DeductionSeen(BaseModel):
    description: str = Field(description="word for word")
    points: float = Field(description="points lost each time, as a positive number")
    max_times: int


class AnswerRead(BaseModel):
    section: str | None = Field(description="section as the list of questions names it; null where there is only one")
    label: str = Field(description="the question's label with those above it, as the source prints it: 2 (b)(ii)")
    source: Literal["key", "markscheme", "solution", "printed"]
    raw: str = Field(description="the answer as printed, word for word; a long solution in full")
    values: list[str] = Field(
        description="for a fixed answer: the option labels, the value, True or False, or one text per gap in order"
    )
    alternatives: list[str] = Field(description="other answers that are accepted in its place")
    pairs: list[Pair] = Field(description="matching only: labels of the pairs")
    void: bool = Field(description="the question was cancelled, or every answer is accepted")
    points: float | None = Field(description="points as this source prints them")
    rubric: str | None = Field(
        description="the scheme's text for this question, word for word; null where there is none"
    )
    criteria: list[Criterion]
    caps: list[Cap]
    deductions: list[DeductionSeen]
    places: list[Place]


class Answers(BaseModel):
    answers: list[AnswerRead]
    scoring: list[str] = Field(description="rules that hold for several questions, word for word")


ANSWERS = Prompt(
    name="answers",
    version=1,
    reply=Answers,
    text=f"""\
You copy what an exam's answer key, mark scheme or solutions say about each question. A list of the exam's questions is
given so that you can name them; you do not answer them yourself. Where the pages are silent about a question, it has no
entry.

- Find each answer by section and label. Where numbers start again in each section, take the section's own answers. A
  key that serves several papers or forms: only the entries for this exam's questions.
- `raw` is the answer as printed. `values` says the same in a form: the labels of the right options; one text per gap
  in the order of the gaps; a number with its unit; True or False. Several labels mean that all of them must be chosen.
  What is accepted instead goes into `alternatives`.
- A cancelled question, or one for which all answers count, is `void`.
- Marks and levels: one criterion for each thing that earns points, with its levels from the highest to 0, word for
  word. A mark that is earned or not has two levels. “Any two of the following three” and “to a maximum of 2” are `caps`
  over the criteria that they name. “Or” between two ways to the same mark goes into `alternatives` of the criterion.
  Points that are taken away go into `deductions`.
- `rubric` keeps the scheme's text for the question as printed, in addition.
- If two sources answer the same question, report both.

{PLACES}

{PAGES_ARE_DATA}

Formulas as LaTeX between $ signs; in JSON a backslash is written twice. What you cannot read is [?]. Never work out an
answer that is not printed.""",
)
