"""Typesetting papers for tests: HTML to a PDF, and a PDF to the draft that structure makes of it."""

from __future__ import annotations

from pathlib import Path

import pymupdf

from exam2bench.ingest.draft import DraftPaper, DraftQuestion
from exam2bench.ingest.pages.reading import read_order
from exam2bench.ingest.pages.sources import open_sources
from exam2bench.ingest.pages.textlayer import read_pages
from exam2bench.ingest.structure.reader import read_structure

A4 = pymupdf.paper_rect("a4")
MARGIN = 56


def typeset(path: Path, html: str, css: str = "", *, columns: int = 1) -> Path:
    """Flow HTML over A4 pages of one or more columns."""
    story = pymupdf.Story(html=html, user_css="* {font-family: sans-serif; font-size: 11px} p {margin: 2px 0} " + css)
    writer = pymupdf.DocumentWriter(str(path))
    gap = 24
    width = (A4.width - 2 * MARGIN - gap * (columns - 1)) / columns
    more = 1
    while more:
        device = writer.begin_page(A4)
        for column in range(columns):
            x = MARGIN + column * (width + gap)
            more, _ = story.place(pymupdf.Rect(x, MARGIN, x + width, A4.height - MARGIN))
            story.draw(device)
            if not more:
                break
        writer.end_page()
    writer.close()
    return path


def draft(path: Path) -> DraftPaper:
    """The draft of one paper, without figures, keys or OCR."""
    source = open_sources([path])[0]
    pages, _ = read_pages(source, ocr="off", language=None)
    reading = read_order(pages)
    return read_structure([reading], {(0, page.number): page for page in pages}, [])


def outline(paper: DraftPaper) -> list[str]:
    """One string per leaf: its path of keys, type, options, points: `1/a short_answer [A B] 5`."""
    found: list[str] = []

    def walk(question: DraftQuestion, trail: list[str]) -> None:
        here = trail if question.group else [*trail, question.key]
        if question.children:
            for child in question.children:
                walk(child, here)
            return
        parts = ["/".join(here), question.type or "?"]
        if question.options:
            parts.append("[" + " ".join(option.label for option in question.options) + "]")
        if question.points is not None:
            parts.append(f"{question.points:g}")
        found.append(" ".join(parts))

    for section in paper.sections:
        for question in section.questions:
            walk(question, [])
    return found


def text_of(question: DraftQuestion) -> str:
    return " ".join(line.text for line in question.stem)
