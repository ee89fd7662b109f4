"""Drawing pages for tests of figures, tables, formulas and crops: text and ink put where a test says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pymupdf

from exam2bench.ingest.draft import Figure
from exam2bench.ingest.figures.crops import gray
from exam2bench.ingest.figures.detect import find_drawn
from exam2bench.ingest.lines import Reading
from exam2bench.ingest.page import Box, Page
from exam2bench.ingest.pages.reading import read_order
from exam2bench.ingest.pages.sources import SourceFile, open_sources
from exam2bench.ingest.pages.textlayer import read_pages

BODY = 11
PARAGRAPH = "A student measures how the temperature of the water changes while the heater is"


@dataclass
class Drawn:
    """A page or more as the pipeline sees them."""

    source: SourceFile
    pages: list[Page]
    reading: Reading
    found: list[Figure]

    def kind(self, kind: str) -> list[Figure]:
        return [figure for figure in self.found if figure.kind == kind]

    def words(self, figure: Figure) -> list[str]:
        return [self.pages[page].words[index].text for _, page, index in sorted(figure.words)]


def draw(path: Path, *pages: Callable[[Any], None], width: float = 595, height: float = 842) -> Drawn:
    """Draw each page with its function, save, and read the file back."""
    document = pymupdf.open()
    for paint in pages:
        paint(document.new_page(width=width, height=height))
    document.save(str(path))
    return read(path)


def read(path: Path) -> Drawn:
    source = open_sources([path])[0]
    pages, _ = read_pages(source, ocr="off")
    reading = read_order(pages)
    return Drawn(source, pages, reading, find_drawn(pages, reading, lambda n, dpi: gray(source, n, dpi)))


def paragraph(page: Any, x: float, y: float, lines: int = 3, width: int = 80) -> float:
    """Lines of running text from (x, y) down; the y below them."""
    for n in range(lines):
        page.insert_text((x, y + n * 15), PARAGRAPH[:width], fontsize=BODY)
    return y + lines * 15


def graph(page: Any, x: float, y: float, width: float = 120, height: float = 90) -> Box:
    """A curve over two axes; the ink's box."""
    page.draw_line((x, y), (x, y + height))
    page.draw_line((x, y + height), (x + width, y + height))
    page.draw_bezier((x + 2, y + height), (x + 30, y), (x + 70, y), (x + width - 4, y + height - 5))
    return Box(x, y, x + width, y + height)


def grid(page: Any, x: float, y: float, cells: list[list[str]], widths: list[float], step: float = 20) -> Box:
    """A ruled table."""
    edges = [x]
    for w in widths:
        edges.append(edges[-1] + w)
    for n in range(len(cells) + 1):
        page.draw_line((edges[0], y + n * step), (edges[-1], y + n * step), width=0.5)
    for edge in edges:
        page.draw_line((edge, y), (edge, y + len(cells) * step), width=0.5)
    for n, row in enumerate(cells):
        for left, text in zip(edges, row, strict=False):
            if text:
                page.insert_text((left + 5, y + n * step + 14), text, fontsize=BODY)
    return Box(edges[0], y, edges[-1], y + len(cells) * step)


def holds(outer: Box, inner: Box, slack: float = 1.5) -> bool:
    return (
        outer.x0 <= inner.x0 + slack
        and outer.y0 <= inner.y0 + slack
        and outer.x1 >= inner.x1 - slack
        and outer.y1 >= inner.y1 - slack
    )
