"""A fake model that reads what the layout engine reads: replies in the form of the prompts, for any exam."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from exam2bench.ingest.frontier.passes import Asked, Plan
from exam2bench.ingest.frontier.prepared import Prepared
from exam2bench.ingest.frontier.views import View
from exam2bench.models.fake_server import Ask
from exam2bench.models.fake_server.script import Script
from exam2bench.schemas.content import Block, ImageBlock, TableBlock, TextBlock
from exam2bench.schemas.exam import Question, Region, Section


def reader(known: Prepared, plan: Plan) -> Script:
    """The fake server's script: each window's request gets the layout engine's questions of that window."""
    windows = [(_own_text(asked), asked) for asked in plan.asked]

    def answer(ask: Ask) -> dict[str, Any] | None:
        for text, asked in windows:
            if asked.window.kind != "answers" and text in ask.text:
                return _inventory(known, asked) if asked.window.kind == "inventory" else _questions(known, asked)
        return None  # the smallest value of the schema: no answers, nothing decided

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
    entries: list[dict[str, Any]] = []
    for section in known.made.exam.sections:
        tops = [question for question in section.questions if question.id in asked.window.questions]
        if tops:
            sections.append(_section(section))
        for top in tops:
            entries += _entries(top, None, section.id, asked.views)
    return {"sections": sections, "questions": entries, "figures": []}


def _section(section: Section) -> dict[str, Any]:
    label = None if section.id.startswith("s") else section.id.rpartition("-")[2]
    outer = section.id.rpartition("-")[0] or None
    told = _text(section.instructions) or None
    return {"ref": section.id, "label": label, "within": outer, "title": section.title, "directions": told}


def _entries(question: Question, parent: str | None, section: str, views: Sequence[View]) -> list[dict[str, Any]]:
    matching = question.matching
    entry = {
        "ref": question.id,
        "parent": parent,
        "section": section,
        "label": question.number,
        "type": question.type,
        "text": _text(question.prompt),
        "gap": None,
        "options": [{"label": o.id, "text": _text(o.content)} for o in question.options or []],
        "blanks": [{"label": b.label, "cells": b.cells} for b in question.blanks or []],
        "left": [{"label": i.id, "text": _text(i.content)} for i in matching.left] if matching else [],
        "right": [{"label": i.id, "text": _text(i.content)} for i in matching.right] if matching else [],
        "points": question.points,
        "penalty": None,
        "choose": None,
        "begins_before": False,
        "goes_on": False,
        "places": [place for region in question.provenance if (place := _place(region, views))],
    }
    parts = [entry]
    for child in question.children:
        parts += _entries(child, question.id, section, views)
    return parts


def _text(blocks: Sequence[Block]) -> str:
    parts: list[str] = []
    for block in blocks:
        match block:
            case TextBlock():
                parts.append(block.markdown)
            case TableBlock():
                rows = [block.header or [""] * len(block.rows[0] if block.rows else [""]), *block.rows]
                lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
                parts.append("\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]]))
            case ImageBlock():
                continue
    return "\n\n".join(parts)


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
