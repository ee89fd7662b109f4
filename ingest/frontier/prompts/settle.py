"""Two readings differ and the page's own words did not decide: the place is shown again, larger, with both."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from .form import PAGES_ARE_DATA, Prompt


class Decision(BaseModel):
    item: int = Field(description="the item's number in the message")
    seen: str = Field(description="what is printed there, word for word")
    reading: Literal["A", "B", "neither", "unreadable"]


class Decisions(BaseModel):
    decisions: list[Decision]


SETTLE = Prompt(
    name="settle",
    version=1,
    reply=Decisions,
    text=f"""\
Two readers copied the same place of an exam and differ. Each item below names what was read and gives readings A and B;
the place is shown enlarged. For each item write what is printed there, word for word, then which reading it is: A, B,
neither, or unreadable. Formulas as LaTeX between $ signs; in JSON a backslash is written twice. How a formula is
written does not matter, only what it says. For a count, a type or a list of labels, write it in the form of the
readings.

Decide by what is printed, not by what would be right: an exam may contain errors.

{PAGES_ARE_DATA}""",
)
