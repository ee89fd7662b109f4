"""How long each stage of the layout engine takes per page, beside what PyMuPDF needs to read the words and to draw.

Usage: python benchmarks/ingest_speed.py [EXAMS] [--only SLUG ...] [--repeat 3] [--json]

EXAMS is a folder of exam folders (or set EXAMS in the environment), each with a sources.json that names its PDFs.
Times are processor time, so that a busy machine does not distort them.
Only papers with a usable text layer are measured: OCR is another matter. The ratio that counts is the whole
layout ingestion without crops against `page.get_text("words")`, each on a freshly opened file in one run.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# a script's own folder comes first on the path: a file there must not pass for a module of the standard library
sys.path = [entry for entry in sys.path if Path(entry or ".").resolve() != Path(__file__).resolve().parent]

STAGES = ("layer", "order", "figures", "roles", "structure", "attach", "keys", "align", "rules")


@dataclass
class Timing:
    """Seconds by what they were spent on, for one exam of `pages` pages."""

    slug: str
    pages: int
    words: float = 0.0
    draw: float = 0.0
    stages: dict[str, float] = field(default_factory=dict)

    @property
    def whole(self) -> float:
        return sum(self.stages.values())


@contextlib.contextmanager
def clock(into: dict[str, float], name: str) -> Iterator[None]:
    start = time.process_time()
    yield
    into[name] = into.get(name, 0.0) + time.process_time() - start


def baseline(paths: list[Path], draw: bool) -> tuple[float, float]:
    """Seconds to read the words of all pages, and to draw them at 200 dpi."""
    import pymupdf

    words = drawing = 0.0
    for path in paths:
        document = pymupdf.open(path)
        start = time.process_time()
        for page in document:
            page.get_text("words")
        words += time.process_time() - start
        if draw:
            start = time.process_time()
            for page in document:
                page.get_pixmap(dpi=200)
            drawing += time.process_time() - start
    return words, drawing


def stages(paths: list[Path]) -> dict[str, float]:
    """Seconds of each stage, run as the engine runs them, without OCR and crops."""
    from exam2bench.ingest.pages.reading import read_order
    from exam2bench.ingest.pages.sources import open_sources
    from exam2bench.ingest.pages.textlayer import read_pages

    spent: dict[str, float] = {}
    sources = open_sources(paths)
    with clock(spent, "layer"):
        pages = [read_pages(source, ocr="off")[0] for source in sources]
    with clock(spent, "order"):
        readings = [read_order(own) for own in pages]
    by_page = {(page.source, page.number): page for own in pages for page in own}
    paper, figures = _understand(sources, pages, readings, by_page, spent)
    _grade(readings, by_page, figures, paper, spent)
    return spent


def _understand(sources: Any, pages: Any, readings: Any, by_page: Any, spent: dict[str, float]) -> tuple[Any, Any]:
    from exam2bench.ingest.figures.attach import attach_figures
    from exam2bench.ingest.figures.detect import find_drawn
    from exam2bench.ingest.keys.roles import find_roles, select
    from exam2bench.ingest.structure.reader import read_structure

    figures: list[Any] = []
    for own, reading in zip(pages, readings, strict=True):
        with clock(spent, "figures"):
            figures += find_drawn(own, reading, None)
    with clock(spent, "roles"):
        roles, _ = find_roles(sources, readings, by_page, {})
        papers = select(readings, roles, {"paper"})
    with clock(spent, "structure"):
        paper = read_structure(papers, by_page, figures)
    with clock(spent, "attach"):
        attach_figures(paper, figures, papers)
    return paper, (figures, roles)


def _grade(readings: Any, by_page: Any, found: Any, paper: Any, spent: dict[str, float]) -> None:
    from exam2bench.ingest.keys.align import align
    from exam2bench.ingest.keys.reader import read_keys
    from exam2bench.ingest.keys.rules import make_grading

    figures, roles = found
    for number, question in enumerate(paper.questions()):
        question.id = question.id or f"q{number}"
    with clock(spent, "keys"):
        entries, _ = read_keys(readings, by_page, figures, paper, roles)
    with clock(spent, "align"):
        aligned, _ = align(paper, entries)
    with clock(spent, "rules"):
        make_grading(paper, aligned)


def measure(folder: Path, repeat: int) -> Timing | None:
    """The best of `repeat` runs over one exam folder; None where its text layer is not usable."""
    told = json.loads((folder / "sources.json").read_text())
    if told.get("text_layer") not in ("usable", "doubled letters", "formulas are private-use glyphs"):
        return None
    paths = [folder / name for name in told["sources"] if name.endswith(".pdf")]
    try:
        from exam2bench.ingest.pages.sources import open_sources

        pages = sum(source.page_count for source in open_sources(paths))
    except Exception as error:  # noqa: BLE001 - a file that cannot be opened is reported and left out
        print(f"{folder.name}: {error}", file=sys.stderr)
        return None
    timing = Timing(folder.name, pages, words=1e9, draw=1e9)
    best = 1e9
    for turn in range(repeat):
        words, draw = baseline(paths, draw=turn == 0)
        timing.words = min(timing.words, words)
        timing.draw = draw if turn == 0 else timing.draw
        spent = stages(paths)
        if sum(spent.values()) < best:
            best, timing.stages = sum(spent.values()), spent
    return timing


def table(timings: list[Timing]) -> str:
    """Milliseconds per page, one exam a row."""
    names = [name for name in STAGES if any(name in t.stages for t in timings)]
    head = ["exam", "pages", "words", "draw", *names, "whole", "ratio"]
    rows = [head]
    total = Timing("all", sum(t.pages for t in timings))
    for timing in timings:
        total.words += timing.words
        total.draw += timing.draw
        for name, seconds in timing.stages.items():
            total.stages[name] = total.stages.get(name, 0.0) + seconds
    for t in [*timings, total]:
        per_page = [
            1000 * s / max(t.pages, 1) for s in (t.words, t.draw, *(t.stages.get(n, 0.0) for n in names), t.whole)
        ]
        ratio = t.whole / t.words if t.words else 0.0
        rows.append([t.slug, str(t.pages), *(f"{ms:.2f}" for ms in per_page), f"{ratio:.1f}"])
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("exams", nargs="?", default=os.environ.get("EXAMS"), type=Path)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    if args.exams is None:
        parser.error("name a folder of exams, or set EXAMS")
    timings: list[Timing] = []
    for folder in sorted(Path(args.exams).iterdir()):
        if (folder / "sources.json").exists() and (not args.only or folder.name in args.only):
            timing = measure(folder, args.repeat)
            if timing:
                timings.append(timing)
                print(f"{folder.name} done", file=sys.stderr)
    if args.json:
        print(json.dumps([{**vars(t), "whole": t.whole} for t in timings], indent=2))
    else:
        print("milliseconds per page; ratio = whole / words")
        print(table(timings))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
