"""Everything before the first call to a model: the layout pass, its reading as a witness, the pages as the proof reads
them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...schemas.exam import Region
from ...schemas.exam_checks import every_question
from ..draft import KeyEntry
from ..engine import (
    Assembled,
    IngestOptions,
    Layout,
    Progress,
    Understood,
    assemble,
    check_names,
    quiet,
    read_layout,
    understand,
)
from ..pages.sources import open_sources
from ..proving.page_index import PageIndex
from ..witness import Answer, Witness

LAYOUT = "layout"


@dataclass
class Prepared:
    """Everything before the first call: the layout pass, nothing of it changed later."""

    options: IngestOptions
    layout: Layout
    understood: Understood
    made: Assembled


def prepare(paths: Sequence[Path], options: IngestOptions, progress: Progress = quiet) -> Prepared:
    """The layout pass. Raises like `engine.ingest`."""
    check_names(paths, options)
    sources = open_sources(paths, password=options.password, pages=options.pages)
    layout = read_layout(sources, options, progress)
    understood = understand(layout, options, progress)
    progress("proving the layout engine's reading", 0, 1)
    return Prepared(options, layout, understood, assemble(layout, understood))


def page_index(prepared: Prepared) -> PageIndex:
    """The pages as the proof reads them. Answers that a paper prints among its questions are no content of it."""
    layout, understood = prepared.layout, prepared.understood
    printed = [line for question in understood.paper.questions() for line in question.answer_lines]
    silent = [*understood.paper.ornaments, *printed]
    return PageIndex.build(layout.readings, layout.pages, layout.figures, understood.page_roles(layout), silent)


def layout_witness(prepared: Prepared) -> Witness:
    """The layout engine's reading as a witness."""
    exam = prepared.made.exam
    entries = prepared.understood.entries
    answers = {
        name: Answer(entry.raw, _entry_regions(entry, entries), entry.origin)
        for name, entry in prepared.understood.answers.items()
    }
    places = {question.id: tuple(question.provenance) for question in every_question(exam)}
    return Witness(LAYOUT, exam, prepared.made.grading, places, answers)


def _entry_regions(entry: KeyEntry, entries: Sequence[KeyEntry]) -> tuple[Region, ...]:
    """Where the answer stands, then its scheme, where that is another source's."""
    schemes = [e for e in entries if entry.criteria and e.criteria == entry.criteria and e.source != entry.source]
    return tuple(
        Region(source=one.source, page=one.page, x0=box.x0, y0=box.y0, x1=box.x1, y1=box.y1)
        for one in [entry, *schemes[:1]]
        if (box := one.box) is not None
    )
