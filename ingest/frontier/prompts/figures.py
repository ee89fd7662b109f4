"""A second look at figures whose box did not fit the ink on the page."""

from __future__ import annotations

from pydantic import BaseModel, Field

from .form import PAGES_ARE_DATA, PLACES, Place, Prompt


class FigureAgain(BaseModel):
    id: str = Field(description="the figure's id as listed in the message")
    place: Place | None = Field(description="where it is on the page that the message names; null: it is not there")
    description: str
    caption: str | None


class FiguresAgain(BaseModel):
    figures: list[FigureAgain]


FIGURES = Prompt(
    name="figures",
    version=1,
    reply=FiguresAgain,
    text=f"""\
You find figures on pages of an exam. For each figure listed below give the box that holds all of it: every line of
the drawing, its axes, labels and legend, and no line of the text around it. Say in one or two sentences what it shows,
without solving anything, and copy its printed caption. Where the page has no such figure, its place is null.

{PLACES}

{PAGES_ARE_DATA}""",
)
