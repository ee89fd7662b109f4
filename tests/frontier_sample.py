"""Replies for the sample exam, written by hand as a careful model would give them: what each page holds, word for word.

`handler()` makes a function for the fake server: it looks at which pages a request shows and answers the pass that is
asked for. `spoil` changes a reply on its way out, which is how the tests make each failure.
"""

from __future__ import annotations

import copy
import functools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from exam2bench.ingest.engine import IngestOptions
from exam2bench.ingest.frontier.asking import Asking
from exam2bench.ingest.frontier.limits import Limits, limits_for
from exam2bench.ingest.frontier.prepared import Prepared, prepare
from exam2bench.models.cache import CallCache
from exam2bench.models.fake_server import Ask, FakeReply, FakeServer
from exam2bench.models.gateway import Gateway
from exam2bench.models.prices import Price

SAMPLES = Path(__file__).resolve().parents[1] / "corpora" / "samples"

PAGE_MARKS = {
    "An advantage without a reason.": ("markscheme", 1),
    "General Paper: mark scheme": ("markscheme", 0),
    "General Paper: answer key": ("key", 0),
    "Instructions to candidates": ("paper", 0),
    "Which number comes next?": ("paper", 1),
    "Section B: Physical science": ("paper", 2),
    "Section C": ("paper", 3),
    "Section D: Writing": ("paper", 4),
}
"""A text that tells each page; the first that fits counts (the mark scheme names sections too)."""

PASSAGE = (
    "Read the following passage and answer questions 1 and 2.\n\n"
    "Twice a day the water leaves the harbour of Kessel almost dry. For centuries the town lived by that rhythm: "
    "boats came in on the flood, unloaded on the sand, and left before the next ebb. When the railway arrived in "
    "1871, a wall was built across the mouth of the harbour so that ships could stay afloat at any hour. Trade grew "
    "at once. Only twenty years later did the town notice what it had lost: without the tide to sweep it out, the "
    "mud had risen by a metre and a half, and the deepest ships could no longer enter."
)
TALE = (
    "閱讀下文，回答 3–4 題。\n\n"
    "港口的老燈塔已經一百二十歲了。每天傍晚，守塔人林伯沿著螺旋梯走上九十九級臺階，點亮燈火，再把當天的風向和潮位"
    "寫在簿子裡。去年燈塔改為自動控制，不再需要有人點燈，林伯仍舊每天上塔。他說：「燈會自己亮，可是風不會自己寫字。」"
)
SEVERAL = (
    "說明：第 5 題至第 6 題，每題有五個選項，其中至少有一個是正確的選項。各題之選項獨立判定，所有選項均答對者，"
    "得 5 分；答錯 1 個選項者，得 3 分；答錯 2 個選項者，得 1 分；"
    "答錯多於 2 個選項或所有選項均未作答者，該題以零分計算。"
)


def section(
    ref: str, label: str | None, title: str, directions: str | None, within: str | None = None
) -> dict[str, Any]:
    return {"ref": ref, "label": label, "within": within, "title": title, "directions": directions}


SECTIONS: dict[int, list[dict[str, Any]]] = {
    0: [
        section(
            "A",
            "A",
            "Section A: Reading and reasoning (28 marks)",
            "Questions 1–4: choose the one best answer. Each question carries 2 marks.",
        )
    ],
    1: [],
    2: [
        section(
            "B",
            "B",
            "Section B: Physical science (27 marks)",
            "Take the acceleration of free fall as $g = 9.8\\ \\mathrm{m/s^2}$. Show your working where a calculation "
            "is asked for.",
        )
    ],
    3: [
        section("C", "C", "Section C: 中文（26分）", None),
        section(
            "C1",
            "一",
            "一、單選題（占 8 分）",
            "說明：第 1 題至第 4 題，每題有四個選項，其中只有一個是正確的選項。每題 2 分。",
            "C",
        ),
        section("C2", "二", "二、多選題（占 10 分）", SEVERAL, "C"),
        section("C3", "三", "三、填充題（占 4 分）", "說明：第 7 題至第 8 題，每題 2 分。", "C"),
        section("C4", "四", "四、簡答題（占 4 分）", None, "C"),
    ],
    4: [section("D", "D", "Section D: Writing (19 marks)", "Answer both questions.")],
}


def q(
    page: int,
    ref: str,
    label: str | None,
    kind: str,
    text: str,
    box: tuple[float, float, float, float],
    *options: str,
    section: str | None = None,
    parent: str | None = None,
    points: float | None = None,
    choose: int | None = None,
    blanks: int = 0,
    left: list[tuple[str, str]] | None = None,
    right: list[tuple[str, str]] | None = None,
) -> dict[str, Any]:
    """One entry of a questions reply. `options` are "A text"; `page` is the paper's, from 0."""
    return {
        "ref": ref,
        "parent": parent,
        "section": section,
        "label": label,
        "type": kind,
        "text": text,
        "gap": None,
        "options": [{"label": o.split(" ", 1)[0], "text": o.split(" ", 1)[1]} for o in options],
        "blanks": [{"label": None, "cells": None} for _ in range(blanks)],
        "left": [{"label": name, "text": said} for name, said in left or []],
        "right": [{"label": name, "text": said} for name, said in right or []],
        "points": points,
        "penalty": None,
        "choose": choose,
        "begins_before": False,
        "goes_on": False,
        "places": [dict(zip(("page", "x0", "y0", "x1", "y1"), (page, *box), strict=True))],
    }


A, B, C1, C2, C3, C4, D = "A", "B", "C1", "C2", "C3", "C4", "D"
QUESTIONS: list[dict[str, Any]] = [
    q(0, "g12", None, "composite", PASSAGE, (97, 468, 893, 581), section=A),
    q(
        0, "a1", "1.", "single_choice", "Why was the wall built across the mouth of the harbour?", (97, 593, 531, 685),
        "A To protect the boats from storms", "B To let ships stay afloat at any hour",
        "C To carry the railway over the water", "D To keep the mud out of the town",
        section=A, parent="g12", points=2, choose=1,
    ),
    q(
        0, "a2", "2.", "single_choice", "Which of these describes the wall best, as the passage sees it?",
        (97, 696, 566, 787),
        "A A success from the first day to the last", "B A failure that everybody had expected",
        "C A gain that brought a slow loss with it", "D A danger that the town saw at once",
        section=A, parent="g12", points=2, choose=1,
    ),
    q(
        1, "a3", "3.", "single_choice", "Which number comes next? 2, 6, 12, 20, 30, …", (97, 92, 633, 128),
        "A 36", "B 40", "C 42", "D 44", section=A, points=2, choose=1,
    ),
    q(
        1, "a4", "4.", "single_choice",
        "All the members of the harbour band can read music. Inés cannot read music. What follows?",
        (97, 142, 785, 233),
        "A Inés is not a member of the band.", "B Inés plays no instrument.",
        "C Nobody outside the band can read music.", "D The band plays without sheet music.",
        section=A, points=2, choose=1,
    ),
    q(
        1, "g56", None, "composite", "Questions 5 and 6: choose two answers. Each question carries 3 marks.",
        (97, 245, 608, 262), section=A,
    ),
    q(
        1, "a5", "5.", "multiple_choice", "Which two of these words are nearest in meaning to “brief”?",
        (97, 270, 775, 306), "A short", "B heavy", "C concise", "D lengthy", "E hollow",
        section=A, parent="g56", points=3, choose=2,
    ),
    q(
        1, "a6", "6.", "multiple_choice", "Which two of these numbers are prime?", (97, 320, 744, 356),
        "A 51", "B 53", "C 57", "D 59", "E 63", section=A, parent="g56", points=3, choose=2,
    ),
    q(
        1, "g78", None, "composite", "Questions 7 and 8: write True or False. Each question carries 2 marks.",
        (97, 371, 602, 386), section=A,
    ),
    q(1, "a7", "7.", "true_false", "A leap year has 366 days.", (97, 395, 312, 412), section=A, parent="g78", points=2),
    q(
        1, "a8", "8.", "true_false", "The sum of two odd numbers is always odd.", (97, 421, 443, 438),
        section=A, parent="g78", points=2,
    ),
    q(
        1, "a9", "9.", "matching",
        "Match each instrument (i)–(iv) with what it measures (A–E). One letter is not needed. [4 marks]",
        (97, 448, 903, 573), section=A, points=4,
        left=[("i", "barometer"), ("ii", "thermometer"), ("iii", "ammeter"), ("iv", "anemometer")],
        right=[("A", "wind speed"), ("B", "temperature"), ("C", "air pressure"), ("D", "electric current"),
               ("E", "humidity")],
    ),
    q(
        1, "a10", "10.", "fill_in_blank",
        "At sea level water freezes at ________ degrees Celsius and boils at ________ degrees Celsius. [4 marks]",
        (97, 587, 903, 619), section=A, points=4, blanks=2,
    ),
    q(
        1, "a11", "11.", "fill_in_blank", "The past tense of the verb “to write” is ________. [2 marks]",
        (97, 627, 903, 647), section=A, points=2, blanks=1,
    ),
    q(
        2, "b1", "1.", "single_choice",
        "The graph shows how the speed of a tram changes after it leaves a stop. How far does the tram travel in the "
        "first 8 s?\n\n[[F1]]\n\n[3 marks]",
        (97, 148, 478, 430), "A 24 m", "B 36 m", "C 42 m", "D 48 m", section=B, points=3, choose=1,
    ),
    q(
        2, "b2", "2.", "short_answer",
        "A stone falls from rest for 3.0 s. Calculate its speed, in m/s, at the end of that time. Air resistance may "
        "be neglected. [3 marks]",
        (97, 444, 478, 513), section=B, points=3,
    ),
    q(
        2, "b3", "3.", "composite",
        "The table shows the mass and the volume of four samples.\n\n"
        "| Sample | Mass / g | Volume / cm$^3$ |\n|---|---|---|\n| P | 54 | 20 |\n| Q | 39 | 5.0 |\n| R | 96 | 12 |\n"
        "| S | 45 | 30 |",
        (97, 528, 474, 673), section=B,
    ),
    q(
        2, "b3a", "(a)", "short_answer", "Which sample has the greatest density? [2 marks]", (128, 682, 478, 714),
        section=B, parent="b3", points=2,
    ),
    q(
        2, "b3b", "(b)", "short_answer", "Calculate the density of sample P in $\\mathrm{g/cm^3}$. [3 marks]",
        (128, 729, 478, 761), section=B, parent="b3", points=3,
    ),
    q(
        2, "b3c", "(c)", "short_answer",
        "Sample S is a stone of irregular shape. Explain how its volume can be measured. [4 marks]",
        (552, 148, 903, 199), section=B, parent="b3", points=4,
    ),
    q(
        2, "b4", "4.", "short_answer",
        "A thin lens of focal length $f$ forms an image at the distance $v$ of an object at the distance $u$, where\n\n"
        "$$\\frac{1}{f} = \\frac{1}{u} + \\frac{1}{v}$$\n\n"
        "Find $v$, in cm, when $f = 10$ cm and $u = 15$ cm. [3 marks]",
        (522, 214, 903, 347), section=B, points=3,
    ),
    q(2, "b5", "5.", "short_answer", "Factorise $x^2 - 5x + 6$. [3 marks]", (522, 362, 903, 394), section=B, points=3),
    q(
        2, "b6", "6.", "drawing",
        "Draw a labelled circuit diagram in which two lamps in parallel are lit by one cell and are put out by one "
        "switch. [6 marks]",
        (522, 410, 903, 479), section=B, points=6,
    ),
    q(
        3, "c1", "1.", "single_choice", "下列成語，何者用來形容人很多？", (97, 167, 817, 203),
        "A 門可羅雀", "B 人山人海", "C 鴉雀無聲", "D 寥寥無幾", section=C1, points=2, choose=1,
    ),
    q(
        3, "c2", "2.", "single_choice", "「他年紀雖小，□□很懂事。」空格中填入下列何者最恰當？", (97, 215, 782, 252),
        "A 所以", "B 或者", "C 但是", "D 而且", section=C1, points=2, choose=1,
    ),
    q(3, "c34", "3–4 為題組", "composite", TALE, (97, 264, 915, 359), section=C1),
    q(
        3, "c3", "3.", "single_choice", "林伯上塔，除了點燈以外，還做什麼事？", (97, 369, 817, 405),
        "A 修理樓梯", "B 記錄風向和潮位", "C 清洗玻璃", "D 接待遊客", section=C1, parent="c34", points=2, choose=1,
    ),
    q(
        3, "c4", "4.", "single_choice", "「燈會自己亮，可是風不會自己寫字」，這句話的意思最接近下列何者？",
        (97, 418, 696, 509),
        "A 自動控制常常故障", "B 燈塔的光不夠明亮", "C 仍有事情需要人來做", "D 風聲比燈光更重要",
        section=C1, parent="c34", points=2, choose=1,
    ),
    q(
        3, "c5", "5.", "multiple_choice", "下列哪些動物是哺乳類？", (97, 605, 821, 641),
        "A 鯨魚", "B 企鵝", "C 蝙蝠", "D 海豚", "E 鱷魚", section=C2, points=5,
    ),
    q(
        3, "c6", "6.", "multiple_choice", "下列哪些數是 24 的因數？", (97, 654, 803, 690),
        "A 5", "B 6", "C 8", "D 9", "E 12", section=C2, points=5,
    ),
    q(
        3, "c7", "7.", "fill_in_blank", "中國古代的四大發明是造紙術、印刷術、火藥和 ________。", (97, 749, 594, 765),
        section=C3, points=2, blanks=1,
    ),
    q(
        3, "c8", "8.", "fill_in_blank", "在北半球，一年之中白天最長的節氣是 ________。", (97, 774, 524, 791),
        section=C3, points=2, blanks=1,
    ),
    q(
        3, "c9", "9.", "short_answer", "請用自己的話（三十字以內）說明林伯為什麼仍舊每天上塔。（4 分）",
        (97, 826, 674, 843), section=C4, points=4,
    ),
    q(
        4, "d1", "1.", "essay",
        "“A town should keep its old buildings, even where new ones would be cheaper.” How far do you agree? Write an "
        "essay of 250 to 300 words. [12 marks]",
        (97, 148, 903, 183), section=D, points=12,
    ),
    q(
        4, "d2", "2.", "composite",
        "Kessel High School has 650 pupils. It wants to replace the paper notices on its board with a telephone app.",
        (97, 202, 883, 218), section=D,
    ),
    q(4, "d2a", "(a)", "short_answer", "Give one advantage of the app. [2 marks]", (131, 221, 903, 242),
      section=D, parent="d2", points=2),
    q(4, "d2b", "(b)", "composite", "One pupil in ten has no telephone.", (131, 253, 410, 269), section=D, parent="d2"),
    q(4, "d2b1", "(i)", "short_answer", "How many pupils of the school is that? [2 marks]", (168, 273, 903, 293),
      section=D, parent="d2b", points=2),
    q(4, "d2b2", "(ii)", "short_answer", "Suggest how the school could reach these pupils. [3 marks]",
      (168, 300, 903, 321), section=D, parent="d2b", points=3),
]  # fmt: skip

GRAPH = {
    "id": "F1",
    "place": {"page": 2, "x0": 130, "y0": 214, "x1": 440, "y1": 370},
    "description": "A graph of speed in m/s against time in s: straight from (0, 0) to (4, 6), then level to (8, 6).",
    "caption": None,
}


def a(
    section: str,
    label: str,
    raw: str,
    *values: str,
    source: str = "key",
    points: float | None = None,
    pairs: str = "",
    criteria: list[tuple[str, list[tuple[float, str]]]] | None = None,
    rubric: str | None = None,
    page: int = 0,
) -> dict[str, Any]:
    """One entry of an answers reply."""
    return {
        "section": section,
        "label": label,
        "source": source,
        "raw": raw,
        "values": list(values),
        "alternatives": [],
        "pairs": [dict(zip(("left", "right"), pair.split("-"), strict=True)) for pair in pairs.split()],
        "void": False,
        "points": points,
        "rubric": rubric,
        "criteria": [
            {
                "description": said,
                "alternatives": [],
                "levels": [{"points": value, "descriptor": text} for value, text in levels],
            }
            for said, levels in criteria or []
        ],
        "caps": [],
        "deductions": [],
        "places": [{"page": page, "x0": 100, "y0": 100, "x1": 900, "y1": 900}],
    }


KEY = [
    a("A", "1", "B", "B", points=2), a("A", "2", "C", "C", points=2), a("A", "3", "C", "C", points=2),
    a("A", "4", "A", "A", points=2), a("A", "5", "A, C", "A", "C", points=3), a("A", "6", "B, D", "B", "D", points=3),
    a("A", "7", "True", "True", points=2), a("A", "8", "False", "False", points=2),
    a("A", "9", "(i) C, (ii) B, (iii) D, (iv) A", pairs="i-C ii-B iii-D iv-A", points=4),
    a("A", "10", "0; 100", "0", "100", points=4), a("A", "11", "wrote", "wrote", points=2),
    a("B", "1", "B", "B", points=3), a("B", "2", "29.4 m/s", "29.4 m/s", points=3), a("B", "3 (a)", "R", "R", points=2),
    a("B", "3 (b)", "2.7 g/cm3", "2.7 g/cm3", points=3), a("B", "4", "30 cm", "30 cm", points=3),
    a("B", "5", "(x − 2)(x − 3)", "(x − 2)(x − 3)", points=3),
    a("C", "1", "B", "B", points=2), a("C", "2", "C", "C", points=2), a("C", "3", "B", "B", points=2),
    a("C", "4", "C", "C", points=2), a("C", "5", "ACD", "A", "C", "D", points=5),
    a("C", "6", "BCE", "B", "C", "E", points=5), a("C", "7", "指南針", "指南針", points=2),
    a("C", "8", "夏至", "夏至", points=2), a("D", "2 (b)(i)", "65", "65", points=2),
]  # fmt: skip


def _scheme(section: str, label: str, page: int, *criteria: tuple[str, list[tuple[float, str]]]) -> dict[str, Any]:
    return a(
        section, label, "", source="markscheme", criteria=list(criteria), page=page,
        points=sum(levels[0][0] for _, levels in criteria),
    )  # fmt: skip


SCHEME = [
    _scheme("B", "3 (c)", 0, ("", [
        (4, "Part-fill a measuring cylinder, read the level, lower the stone in until it is covered, read again; "
         "subtract."),
        (3, "The same, but the first reading is not mentioned."),
        (2, "Says that the stone displaces water, without saying how the volume is read."),
        (0, "No method that measures a volume."),
    ])),
    _scheme("B", "6", 0, ("Circuit", [
        (4, "Cell, switch and two lamps; the lamps in parallel, the switch in the common branch."),
        (2, "The lamps are in parallel, but the switch puts out only one of them."),
        (0, "The lamps are in series, or the circuit is not closed."),
    ]), ("Symbols and labels", [
        (2, "Standard symbols, all parts labelled."), (1, "One symbol wrong or one label missing."),
        (0, "More than one symbol wrong or label missing."),
    ])),
    _scheme("C", "9", 0, ("", [
        (4, "說出燈塔雖已自動化，林伯仍要記錄風向和潮位，並點出這份責任或心意。"),
        (2, "只說出他要記錄風向和潮位，或只說出責任與心意。"), (0, "沒有回答，或與文章無關。"),
    ])),
    _scheme("D", "1", 0, ("Argument", [
        (6, "A clear position, at least two developed reasons, and one opposing reason that is answered."),
        (4, "A clear position and two reasons, one of them developed."),
        (2, "A position with reasons that are only listed."), (0, "No position, or nothing on the question."),
    ]), ("Language", [
        (6, "Varied and almost free of errors; the paragraphs lead the reader."),
        (4, "Some errors, none of which hides the meaning."), (2, "Errors that hide the meaning in places."),
        (0, "Cannot be followed."),
    ])),
    _scheme("D", "2 (a)", 1, ("", [
        (2, "One advantage with its reason, such as: notices reach everyone at once, wherever they are."),
        (1, "An advantage without a reason."), (0, "No advantage."),
    ])),
    _scheme("D", "2 (b)(ii)", 1, ("", [
        (3, "A way that works without a telephone and that the school can keep up, with how it would be done."),
        (2, "A way that works, without how it would be done."), (1, "A way that reaches only some of the pupils."),
        (0, "No way, or one that needs a telephone."),
    ])),
]  # fmt: skip

INVENTORY: dict[str, Any] = {
    "title": "Harbour City Entrance Examination",
    "subject": "General Paper 綜合試卷",
    "language": "en",
    "form": None,
    "printed_total": 100,
    "pages": [],
    "sections": [
        {"label": name, "within": None, "title": None, "directions": None, "first": "1.", "last": last, "questions": n}
        for name, last, n in (("A", "11.", 11), ("B", "6.", 6), ("C", "9.", 9), ("D", "2.", 2))
    ],
    "scoring": [
        {
            "text": SEVERAL, "section": "C", "first": "5", "last": "6", "points_each": 5,
            "share_by_errors": [1.0, 0.6, 0.2], "per_right_option": False, "wrong_penalty": None,
            "place": {"page": 4, "x0": 97, "y0": 540, "x1": 915, "y1": 600},
        }
    ],
}  # fmt: skip

Reply = dict[str, Any]
Spoil = Callable[[str, Reply, Ask], "Reply | FakeReply | None"]


def pass_of(ask: Ask) -> str:
    """Which pass a request is: by the schema it carries, or by the prompt where the schema goes as words."""
    fields = set((ask.schema or {}).get("properties", {}))
    for name, sign in (
        ("inventory", "pages"),
        ("questions", "questions"),
        ("answers", "answers"),
        ("settle", "decisions"),
    ):
        if sign in fields:
            return name
    return "figures"


def shown_pages(ask: Ask) -> list[tuple[str, int] | None]:
    """The sample's pages in the order of the request, by the text that goes with their pictures."""
    pages: list[tuple[str, int] | None] = []
    pages_only = ask.text.split("Copy the questions on these pages.")[0]
    for piece in re.split(r"(?m)^Page \d+, its text by lines", pages_only)[1:]:
        pages.append(next((place for mark, place in PAGE_MARKS.items() if mark in piece), None))
    return pages


def right_reply(ask: Ask) -> Reply:
    """What a careful model says to this request."""
    shown = shown_pages(ask)
    paper = {page: n for n, place in enumerate(shown, 1) if place and place[0] == "paper" for page in [place[1]]}
    match pass_of(ask):
        case "inventory":
            return copy.deepcopy(INVENTORY) | {"pages": [_roles(n, place) for n, place in enumerate(shown, 1)]}
        case "questions":
            entries = [
                _moved(entry, paper) for entry in copy.deepcopy(QUESTIONS) if entry["places"][0]["page"] in paper
            ]
            sections = [one for page in sorted(paper) for one in SECTIONS[page]]
            figures = [_moved_figure(GRAPH, paper)] if 2 in paper else []
            return {"sections": copy.deepcopy(sections), "questions": entries, "figures": figures}
        case "answers":
            return {"answers": _answers(shown), "scoring": []}
        case "settle":
            return {"decisions": []}
        case _:
            return {"figures": []}


def _roles(number: int, place: tuple[str, int] | None) -> Reply:
    kind, page = place or ("other", 0)
    roles = {"paper": ["questions"], "key": ["key"], "markscheme": ["markscheme"]}.get(kind, ["other"])
    return {"page": number, "roles": ["cover", "directions", *roles] if (kind, page) == ("paper", 0) else roles}


def _moved(entry: Reply, paper: dict[int, int]) -> Reply:
    for place in entry["places"]:
        place["page"] = paper[place["page"]]
    return entry


def _moved_figure(figure: Reply, paper: dict[int, int]) -> Reply:
    moved = copy.deepcopy(figure)
    moved["place"]["page"] = paper[moved["place"]["page"]]
    return moved


def _answers(shown: list[tuple[str, int] | None]) -> list[Reply]:
    found: list[Reply] = []
    for number, place in enumerate(shown, 1):
        if place is None:
            continue
        kind, page = place
        entries = KEY if kind == "key" else [e for e in SCHEME if e["places"][0]["page"] == page]
        for entry in copy.deepcopy(entries):
            entry["places"][0]["page"] = number
            found.append(entry)
    return found


def handler(spoil: Spoil | None = None) -> Callable[[Ask], Reply | FakeReply]:
    """A fake model that reads the sample exam rightly, but for what `spoil(pass, reply, ask)` does to a reply."""

    def answer(ask: Ask) -> Reply | FakeReply:
        reply = right_reply(ask)
        spoilt = spoil(pass_of(ask), reply, ask) if spoil else None
        return reply if spoilt is None else spoilt

    return answer


def entry(reply: Reply, ref: str) -> Reply:
    """The entry of a questions reply by its ref."""
    return next(one for one in reply["questions"] if one["ref"] == ref)


@functools.lru_cache(maxsize=1)
def prepared() -> Prepared:
    """The layout pass over the sample exam, once for all tests of a process. Nobody may change it."""
    return prepare([SAMPLES / f"{name}.pdf" for name in ("paper", "key", "markscheme")], IngestOptions())


def asking(server: FakeServer, limits: Limits | None = None, cache: CallCache | None = None) -> Asking:
    """The fake model behind a real gateway."""
    gateway = Gateway(f"chat:any@{server.url}/v1", cache=cache, price=Price(1.0, 2.0, 1.0, 1.0))
    return Asking(gateway, limits or limits_for(gateway.model))
