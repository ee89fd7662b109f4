"""A fake model that reads what the layout engine reads: replies in the form of the prompts, for any exam.

It copies questions, figures, keys and mark schemes; asked to choose between two readings it takes the layout engine's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from exam2bench.ingest.draft import KeyEntry
from exam2bench.ingest.frontier.passes import Asked, Plan
from exam2bench.ingest.frontier.prepared import Prepared, layout_witness, page_index
from exam2bench.ingest.frontier.settle import shown
from exam2bench.ingest.frontier.views import View
from exam2bench.ingest.proving.compare import compare
from exam2bench.ingest.proving.numbers import RANGE
from exam2bench.models.fake_server import Ask
from exam2bench.models.fake_server.script import Script
from exam2bench.schemas.content import Block, ImageBlock, TableBlock, TextBlock
from exam2bench.schemas.exam import Exam, MatchItem, Option, Question, Region, Section


def reader(known: Prepared, plan: Plan) -> Script:
    """The fake server's script: each window's request gets what the layout engine read in that window."""
    windows = [(_own_text(asked), asked) for asked in plan.asked]
    readings = _readings(known)

    def answer(ask: Ask) -> dict[str, Any] | None:
        if "decisions" in (ask.schema or {}).get("properties", {}):
            return _decisions(ask.text, readings)
        for text, asked in windows:
            if text in ask.text:
                return {"inventory": _inventory, "questions": _questions, "answers": _answers}[asked.window.kind](
                    known, asked
                )
        return None  # the smallest value of the schema: no figure found

    return Script(answer)


def _own_text(asked: Asked) -> str:
    from exam2bench.models.request import TextPart

    return "\n\n".join(part.text for part in asked.ask.parts if isinstance(part, TextPart))


def _inventory(known: Prepared, asked: Asked) -> dict[str, Any]:
    exam, roles = known.made.exam, known.understood.page_roles(known.layout)
    named = {"paper": "questions", "key": "key", "markscheme": "markscheme", "solution": "solution"}
    pages = [{"page": v.number, "roles": [named.get(roles[v.source, v.page], "other")]} for v in asked.views]
    facts = {"title": exam.title, "subject": None, "language": exam.language, "form": None, "printed_total": None}
    return {**facts, "pages": pages, "sections": [], "scoring": []}


def _questions(known: Prepared, asked: Asked) -> dict[str, Any]:
    sections: list[dict[str, Any]] = []
    window = _Window(known, asked.views)
    entries: list[dict[str, Any]] = []
    for section in known.made.exam.sections:
        tops = [question for question in section.questions if question.id in asked.window.questions]
        if tops:
            sections.append(_section(section))
        for top in tops:
            entries += window.entries(top, None, section.id)
    return {"sections": sections, "questions": entries, "figures": window.figures}


def _section(section: Section) -> dict[str, Any]:
    label = None if section.id.startswith("s") else section.id.rpartition("-")[2]
    outer = section.id.rpartition("-")[0] or None
    told = _text(section.instructions) or None
    return {"ref": section.id, "label": label, "within": outer, "title": section.title, "directions": told}


class _Window:
    """The entries of one window, and the figures that they name."""

    def __init__(self, known: Prepared, views: Sequence[View]) -> None:
        self.wanted, self.views = known.made.assets.wanted, views
        self.figures: list[dict[str, Any]] = []

    def entries(self, question: Question, parent: str | None, section: str) -> list[dict[str, Any]]:
        """A question and its parts, each after what it is a part of."""
        matching = question.matching
        entry = {
            "ref": question.id,
            "parent": parent,
            "section": section,
            "label": question.number,
            "type": question.type,
            "text": self._text(question.prompt),
            "gap": None,
            "options": self._items(question.options or []),
            "blanks": [{"label": b.label, "cells": b.cells} for b in question.blanks or []],
            "left": self._items(matching.left if matching else []),
            "right": self._items(matching.right if matching else []),
            "points": question.points,
            "penalty": None,
            "choose": None,
            "begins_before": False,
            "goes_on": False,
            "places": _places(question.provenance, self.views),
        }
        parts = [entry]
        for child in question.children:
            parts += self.entries(child, question.id, section)
        return parts

    def _items(self, items: Sequence[Option | MatchItem]) -> list[dict[str, str]]:
        return [{"label": item.id, "text": self._text(item.content)} for item in items]

    def _text(self, blocks: Sequence[Block]) -> str:
        return "\n\n".join(filter(None, (self._figure(b) if isinstance(b, ImageBlock) else _told(b) for b in blocks)))

    def _figure(self, block: ImageBlock) -> str:
        """The marker of a figure. The picture of a printed question that stands for its text is none."""
        places = _places(self.wanted.get(block.asset, []), self.views)
        if ".fig" not in block.asset or not places:
            return ""
        name = f"F{len(self.figures) + 1}"
        self.figures.append({"id": name, "place": places[0], "description": block.alt, "caption": block.caption})
        return f"[[{name}]]"


def _text(blocks: Sequence[Block]) -> str:
    return "\n\n".join(filter(None, map(_told, blocks)))


def _told(block: Block) -> str:
    if isinstance(block, TextBlock):
        return block.markdown
    if isinstance(block, TableBlock):
        rows = [block.header or [""] * len(block.rows[0] if block.rows else [""]), *block.rows]
        lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
        return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])
    return ""


def _places(regions: Sequence[Region], views: Sequence[View]) -> list[dict[str, float]]:
    return [place for region in regions if (place := _place(region, views))]


def _place(region: Region, views: Sequence[View]) -> dict[str, float] | None:
    for view in views:
        if (view.source, view.page) == (region.source, region.page):
            x, y = 1000 / view.box.width, 1000 / view.box.height
            return {
                "page": view.number,
                "x0": (region.x0 - view.box.x0) * x,
                "y0": (region.y0 - view.box.y0) * y,
                "x1": (region.x1 - view.box.x0) * x,
                "y1": (region.y1 - view.box.y0) * y,
            }
    return None


# --- answers --------------------------------------------------------------------------------------------------------


def _answers(known: Prepared, asked: Asked) -> dict[str, Any]:
    pages = {(view.source, view.page): view for view in asked.views}
    found: list[dict[str, Any]] = []
    for name, section, label in _labelled(known.made.exam):
        for entry in _entries_of(known, name):
            view = pages.get((entry.source, entry.page))
            if view is not None:
                found.append(_answer(entry, section, label, view))
    return {"answers": found, "scoring": []}


def _labelled(exam: Exam) -> Iterator[tuple[str, str | None, str]]:
    """Each leaf with its section's label and its own, those above it before it."""

    def below(question: Question, section: str | None, above: str) -> Iterator[tuple[str, str | None, str]]:
        ranged = question.children and RANGE.search(question.number or "")
        label = " ".join(filter(None, [above, "" if ranged else question.number]))
        if not question.children:
            yield question.id, section, label
        for child in question.children:
            yield from below(child, section, label)

    for section in exam.sections:
        for question in section.questions:
            yield from below(question, _section(section)["label"], "")


def _entries_of(known: Prepared, name: str) -> list[KeyEntry]:
    """What the sources say about a question: the entry that answers it, then the one that its scheme is from."""
    entry = known.understood.answers.get(name)
    if entry is None:
        return []
    others = [
        other
        for other in known.understood.entries
        if (entry.criteria and other.criteria == entry.criteria)
        or (entry.reference and other.reference == entry.reference)
    ]
    schemes = [other for other in others if (other.source, other.page) != (entry.source, entry.page)]
    return [entry, *(replace(one, values=(), alternatives=(), every=False) for one in schemes[:1])]


def _answer(entry: KeyEntry, section: str | None, label: str, view: View) -> dict[str, Any]:
    matched = [value.partition("-") for value in entry.values]
    pairs = [{"left": left, "right": right} for left, _, right in matched if left and right and entry.origin == "key"]
    scheme = entry.origin != "key" or not entry.values
    raw = (entry.reference or entry.raw) if scheme else entry.raw
    box = entry.box
    region = Region(source=view.source, page=view.page, x0=0, y0=0, x1=view.box.x1, y1=view.box.y1)
    if box is not None:
        region = Region(source=view.source, page=view.page, x0=box.x0, y0=box.y0, x1=box.x1, y1=box.y1)
    return {
        "section": section,
        "label": label,
        "source": entry.origin if scheme or entry.origin != "key" else "key",
        "raw": raw,
        "values": list(entry.values),
        "alternatives": [", ".join(values) for values in entry.alternatives],
        "pairs": pairs,
        "void": entry.every,
        "points": entry.points,
        "rubric": None,
        "criteria": [
            {
                "description": description,
                "alternatives": [],
                "levels": [{"points": points, "descriptor": told} for points, told in levels],
            }
            for description, levels in entry.criteria
        ],
        "caps": [],
        "deductions": [],
        "places": _places([region], [view]),
    }


# --- asking again ---------------------------------------------------------------------------------------------------

_ITEM = re.compile(r"^Item (\d+): [^\n]*\nA: (.*?)\nB: (.*?)(?=\n\nItem \d+: |\Z)", re.MULTILINE | re.DOTALL)


def _readings(known: Prepared) -> set[str]:
    """Every field as the layout engine reads it, in the words in which asking again shows it."""
    own = layout_witness(known)
    return {shown(verdict.value_a) for verdict in compare(own, own, page_index(known)).fields}


def _decisions(text: str, readings: set[str]) -> dict[str, Any]:
    """The layout engine's reading of each item; `unreadable` where it has none of the two, or both."""
    decisions: list[dict[str, Any]] = []
    for number, *both in _ITEM.findall(text):
        known = [name for name, reading in zip("AB", both, strict=True) if reading in readings]
        sure = len(known) == 1
        seen = both["AB".index(known[0])] if sure else ""
        decisions.append({"item": int(number), "seen": seen, "reading": known[0] if sure else "unreadable"})
    return {"decisions": decisions}
