"""A paper of uncommon forms, typeset here, and the replies of a careful model to it: gaps in a shared passage, a number
over grid cells, a table to be completed, questions without a number, points lost for wrong answers."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

from exam2bench.models.fake_server import Ask

from .frontier_sample import INVENTORY, Reply, a, pass_of, q, section
from .typeset import typeset

PENALTY = "For each wrong answer in Section A half a point is taken away."
EACH = "Questions 1 to 3: choose the best answer. Each question carries 2 points."
CLOZE = "The old mill stood by the (4) ____ for three hundred years, and its wheel turned with every (5) ____ of rain."
OPEN = "Every spring the miller counted his (6) ____ and mended the (7) ____ before the first flood."
LETTER = "Write a letter of 120 words to the mayor about the new bridge. Show your plan. (10 points)"
PICTURE = "Then describe in two sentences how the bridge should look. (5 points)"

PAPER = f"""
<h2>Northfield Entrance Examination</h2>
<p>Answer all questions. {PENALTY}</p>
<h3>Section A: Words</h3>
<p>{EACH}</p>
<p>1. Which word means nearly the same as “rapid”?</p><p>(A) slow</p><p>(B) quick</p><p>(C) heavy</p>
<p>2. Which word is the opposite of “scarce”?</p><p>(A) plentiful</p><p>(B) rare</p><p>(C) costly</p>
<p>3. Which word names a building? (A wrong answer here costs 1 point.)</p>
<p>(A) harvest</p><p>(B) granary</p><p>(C) orchard</p>
<h3>Section B: Gaps</h3>
<p>{CLOZE}</p>
<p>4. (A) river (B) carpet (C) ceiling</p>
<p>5. (A) letter (B) season (C) engine</p>
<p>{OPEN}</p>
<h3>Section C: Numbers</h3>
<p>8. Write one digit into each of the three cells: 25 × 16 = □□□ (3 points)</p>
<p>9. Complete the table. (4 points)</p>
<table><tr><td>Sacks</td><td>3</td><td>5</td></tr><tr><td>Weight / kg</td><td>(a)</td><td>(b)</td></tr></table>
<h3>Section D: Writing</h3>
<p>{LETTER}</p>
<p>{PICTURE}</p>
"""
KEY = """<h2>Northfield Entrance Examination: answer key</h2>
<p>1. B</p><p>2. A</p><p>3. B</p><p>4. A</p><p>5. B</p><p>6. sacks</p><p>7. wheel</p><p>8. 400</p>
<p>9. (a) 75 (b) 125</p>"""
BOX = (60, 60, 940, 940)


def sources(folder: Path) -> list[Path]:
    """The paper and its key as PDFs."""
    css = "td {border: 1px solid black; padding: 2px}"
    return [typeset(folder / "paper.pdf", PAPER, css), typeset(folder / "key.pdf", KEY)]


def _gap(ref: str, number: int, parent: str, *options: str) -> dict[str, Any]:
    kind = "single_choice" if options else "fill_in_blank"
    label = f"{number}." if options else None
    return {**q(1, ref, label, kind, "", BOX, *options, section="B", parent=parent), "gap": str(number)}


QUESTIONS: list[dict[str, Any]] = [
    q(1, "1", "1.", "single_choice", "Which word means nearly the same as “rapid”?", BOX,
      "A slow", "B quick", "C heavy", section="A"),
    q(1, "2", "2.", "single_choice", "Which word is the opposite of “scarce”?", BOX,
      "A plentiful", "B rare", "C costly", section="A"),
    {**q(1, "3", "3.", "single_choice", "Which word names a building? (A wrong answer here costs 1 point.)", BOX,
         "A harvest", "B granary", "C orchard", section="A"), "penalty": 1},
    q(1, "g", None, "composite", CLOZE, BOX, section="B"),
    _gap("4", 4, "g", "A river", "B carpet", "C ceiling"),
    _gap("5", 5, "g", "A letter", "B season", "C engine"),
    q(1, "h", None, "composite", OPEN, BOX, section="B"),
    _gap("6", 6, "h"),
    _gap("7", 7, "h"),
    {**q(1, "8", "8.", "fill_in_blank", "Write one digit into each of the three cells: $25 \\times 16 =$ ________ "
         "(3 points)", BOX, section="C", points=3), "blanks": [{"label": None, "cells": 3}]},
    {**q(1, "9", "9.", "fill_in_blank", "Complete the table. (4 points)\n\n| Sacks | 3 | 5 |\n|---|---|---|\n"
         "| Weight / kg | (a) ________ | (b) ________ |", BOX, section="C", points=4),
     "blanks": [{"label": "(a)", "cells": None}, {"label": "(b)", "cells": None}]},
    q(1, "d1", None, "essay", LETTER, BOX, section="D", points=10),
    q(1, "d2", None, "short_answer", PICTURE, BOX, section="D", points=5),
]  # fmt: skip
SECTIONS = [
    section("A", "A", "Section A: Words", EACH),
    section("B", "B", "Section B: Gaps", None),
    section("C", "C", "Section C: Numbers", None),
    section("D", "D", "Section D: Writing", None),
]
ANSWERS = [
    *(a("A", str(n), value, value) for n, value in enumerate("BAB", 1)),
    *(a("B", str(n), value, value) for n, value in enumerate(("A", "B", "sacks", "wheel"), 4)),
    a("C", "8", "400", "400"),
    a("C", "9", "(a) 75 (b) 125", "75", "125"),
]


def rule(text: str, label: str | None, first: int | None, last: int | None, **told: object) -> Reply:
    """One rule of an inventory's scoring."""
    return {
        "text": text,
        "section": label,
        "first": first and str(first),
        "last": last and str(last),
        "points_each": None,
        "share_by_errors": [],
        "per_right_option": False,
        "wrong_penalty": None,
        "place": {"page": 1, "x0": 60, "y0": 60, "x1": 940, "y1": 200},
        **told,
    }


SCORING = [rule(EACH, "A", 1, 3, points_each=2), rule(PENALTY, "A", None, None, wrong_penalty=0.5)]


def _decided(item: int, a: str, b: str) -> Reply:
    """The reading that this model gave itself."""
    own = {"10", *(entry["text"] for entry in QUESTIONS)}
    return {"item": item, "seen": a if a in own else b, "reading": "A" if a in own else "B"}


def right_reply(ask: Ask) -> Reply:
    """What a careful model says to a request about this paper."""
    match pass_of(ask):
        case "inventory":
            pages = [{"page": 1, "roles": ["directions", "questions"]}, {"page": 2, "roles": ["key"]}]
            facts = {"title": "Northfield Entrance Examination", "subject": None, "printed_total": None, "pages": pages}
            return copy.deepcopy({**INVENTORY, **facts, "sections": [], "scoring": SCORING})
        case "questions":
            return copy.deepcopy({"sections": SECTIONS, "questions": QUESTIONS, "figures": []})
        case "answers":
            moved = copy.deepcopy(ANSWERS)
            for one in moved:
                one["places"][0]["page"] = 1
            return {"answers": moved, "scoring": []}
        case "settle":
            items = re.findall(r"^Item (\d+): [^\n]*\nA: (.*?)\nB: (.*?)(?=\n\nItem|\Z)", ask.text, re.M | re.S)
            return {"decisions": [_decided(int(number), a, b) for number, a, b in items]}
        case _:
            return {"figures": []}
