"""The layout engine's whole run: sources in, a checked exam with its grading and its manifest out.

No model, no network: pages → words → reading order → figures → roles → structure → keys → rules → proof.
The result is a function of the sources and options (`created_at` apart, which SOURCE_DATE_EPOCH fixes).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .. import __version__
from ..schemas.errors import UsageError
from ..schemas.exam import Exam
from ..schemas.findings import Finding
from ..schemas.grading import GradingSpec
from ..schemas.manifest import Coverage, Manifest, Source, SourceRole
from ..schemas.moment import now
from .assembly import coverage
from .assembly.assemble import Assembler, Assets
from .assembly.blocks import Typesetter, vocabulary
from .assembly.ids import assign_ids, slug
from .assembly.proof import page_texts
from .assembly.scores import settle_points
from .assembly.verdict import paper_findings
from .draft import DraftPaper, Figure, KeyEntry, WordKey
from .figures.attach import attach_figures
from .figures.crops import gray, snapshots
from .figures.detect import find_drawn
from .formulas.linearise import PageLines
from .keys.align import align
from .keys.reader import read_keys
from .keys.roles import SourceRole as RoleFound
from .keys.roles import find_roles, select
from .keys.rules import make_grading
from .lines import Line, Reading
from .page import Page
from .pages.reading import read_order
from .pages.sources import SourceFile, open_sources
from .pages.textlayer import OcrMode, read_pages
from .proving.rules import RuleProver
from .structure.empty_sections import fold_empty_sections
from .structure.reader import read_structure

ENGINE = f"layout {__version__}"
SNAPSHOT_DPI = 150
Progress = Callable[[str, int, int], None]
"""Called with the stage's name, steps done and steps in all."""


@dataclass(frozen=True)
class IngestOptions:
    """What a user may tell. `roles` and `pages` map a source (name or path) to its role, its 0-based pages.

    `rule_prover` grades an answer by a proposed rule: without it no rule is proposed for open questions.
    """

    roles: Mapping[str, SourceRole] = field(default_factory=dict)
    pages: Mapping[str, set[int]] = field(default_factory=dict)
    password: str | None = None
    ocr: OcrMode = "auto"
    language: str | None = None
    rule_prover: RuleProver | None = None


@dataclass(frozen=True)
class Ingested:
    """A finished run. `assets` maps paths in the bundle to PNG bytes."""

    exam: Exam
    grading: GradingSpec
    manifest: Manifest
    assets: dict[str, bytes]


@dataclass
class Layout:
    """What is known of the pages before a word is understood. `pages` by (source, 0-based page number)."""

    sources: list[SourceFile]
    pages: dict[tuple[int, int], Page]
    readings: list[Reading]
    figures: list[Figure]
    findings: list[Finding]


@dataclass
class Understood:
    """The paper as a draft with its grading, and which pages print questions.

    `entries` is all that keys and schemes say, `answers` what of it was brought to a question, by its id.
    """

    paper: DraftPaper
    grading: GradingSpec
    roles: list[RoleFound]
    paper_pages: dict[tuple[int, int], Page]
    entries: list[KeyEntry]
    answers: dict[str, KeyEntry]
    findings: list[Finding]

    def page_roles(self, layout: Layout) -> dict[tuple[int, int], SourceRole]:
        """The role of every page, by (source, 0-based page)."""
        return {key: _role_of(self.roles, key) for key in layout.pages}


@dataclass
class Assembled:
    """The layout engine's exam in the contract's records, its pictures named but not cropped yet."""

    exam: Exam
    grading: GradingSpec
    assets: Assets
    coverage: Coverage
    findings: list[Finding]


def quiet(stage: str, done: int, total: int) -> None:
    """No progress shown."""


def ingest(paths: Sequence[Path], options: IngestOptions | None = None, progress: Progress = quiet) -> Ingested:
    """Read exam sources into an exam, its grading and its manifest.

    Raises SourceError or PasswordError for a source that cannot be read, UsageError for options that name
    no source.
    """
    options = options or IngestOptions()
    check_names(paths, options)
    sources = open_sources(paths, password=options.password, pages=options.pages)
    layout = read_layout(sources, options, progress)
    understood = understand(layout, options, progress)
    progress("assembling", 0, 1)
    made = assemble(layout, understood)
    assets = crop(layout.sources, made.assets, progress)
    manifest = layout_manifest(layout, understood, made)
    return Ingested(made.exam, made.grading, manifest, assets)


def check_names(paths: Sequence[Path], options: IngestOptions) -> None:
    """Raises UsageError where `roles` names a file that is no source."""
    names = {name for path in paths for name in (path.name, str(path))}
    for told in options.roles:
        if told not in names:
            raise UsageError(f"--role names {told}, which is none of the sources ({', '.join(p.name for p in paths)})")


def read_layout(sources: list[SourceFile], options: IngestOptions, progress: Progress = quiet) -> Layout:
    """Words, reading order and figures of every page."""
    layout = Layout(sources, {}, [], [], [])
    for number, source in enumerate(sources):
        progress("reading pages", number, len(sources))
        pages, findings = read_pages(source, ocr=options.ocr, language=options.language)
        layout.findings += findings
        layout.pages.update({(page.source, page.number): page for page in pages})
        reading = read_order(pages)
        layout.readings.append(reading)
        layout.figures += find_drawn(pages, reading, lambda n, dpi, source=source: gray(source, n, dpi))
    return layout


def understand(layout: Layout, options: IngestOptions, progress: Progress = quiet) -> Understood:
    """Roles, structure, keys and rules."""
    progress("finding questions", 0, 1)
    roles, findings = find_roles(layout.sources, layout.readings, layout.pages, _told(layout.sources, options))
    readings = select(layout.readings, roles, {"paper"})
    paper_pages = {key: page for key, page in layout.pages.items() if _role_of(roles, key) == "paper"}
    figures = [figure for figure in layout.figures if (figure.source, figure.page) in paper_pages]
    paper = read_structure(readings, paper_pages, figures, language=options.language)
    attach_figures(paper, figures, readings)
    fold_empty_sections(paper)
    findings = [*findings, *paper.findings, *assign_ids(paper)]
    progress("reading keys", 0, 1)
    entries, key_findings = read_keys(layout.readings, layout.pages, layout.figures, paper, roles)
    aligned, align_findings = align(paper, entries)
    findings += [*key_findings, *align_findings, *settle_points(paper)]
    questions, rule_findings = make_grading(paper, aligned)
    grading = GradingSpec(exam_id="", questions=questions)
    return Understood(paper, grading, roles, paper_pages, entries, aligned, [*findings, *rule_findings])


def _role_of(roles: Sequence[RoleFound], key: tuple[int, int]) -> SourceRole:
    source, page = key
    return roles[source].pages.get(page, roles[source].role)


def _told(sources: Sequence[SourceFile], options: IngestOptions) -> dict[str, str]:
    told: dict[str, str] = {}
    for source in sources:
        for name in (source.name, str(source.path)):
            if name in options.roles:
                told[source.name] = options.roles[name]
    return told


def assemble(layout: Layout, understood: Understood) -> Assembled:
    """The draft as exam and grading, every string proved, every word accounted for."""
    paper, pages = understood.paper, layout.pages
    texts = page_texts(layout.readings, pages)
    written = PageLines(pages)
    assembler = Assembler(_typesetter(layout, written), pages, texts, written.needs_snapshot)
    name = fallback_title(layout, understood)
    exam = assembler.exam(paper, exam_id(layout, paper.title, name), name)
    grading = understood.grading.model_copy(update={"exam_id": exam.exam_id})
    names = [source.name for source in layout.sources]
    measured, uncovered = coverage.measure(
        paper, layout.readings, understood.paper_pages, _claiming(layout, understood), names
    )
    findings = [*layout.findings, *understood.findings, *assembler.findings, *uncovered]
    findings += paper_findings(exam, grading, names)
    _reference_crops(assembler.assets, understood)
    return Assembled(exam, grading, assembler.assets, measured, findings)


def exam_id(layout: Layout, title: str, fallback: str) -> str:
    """A readable id that names these very sources."""
    sha = hashlib.sha256("".join(source.sha256 for source in layout.sources).encode()).hexdigest()
    return f"{_name_slug(title) or _name_slug(fallback) or 'exam'}-{sha[:8]}"


def _name_slug(text: str) -> str:
    """A name's ASCII slug; empty where the name is mostly of another script."""
    letters = [char for char in text if char.isalpha()]
    return slug(text).lower() if 2 * sum(char < "\u0250" for char in letters) > len(letters) else ""


def fallback_title(layout: Layout, understood: Understood) -> str:
    """The file name that names the exam where its paper prints no title."""
    papers = [s.name for s, role in zip(layout.sources, understood.roles, strict=True) if role.role == "paper"]
    return Path((papers or [layout.sources[0].name])[0]).stem


def _claiming(layout: Layout, understood: Understood) -> list[Figure]:
    """Figures on question pages: their words are accounted for even where no question took the figure."""
    return [figure for figure in layout.figures if (figure.source, figure.page) in understood.paper_pages]


def _typesetter(layout: Layout, written: PageLines) -> Typesetter:
    order: dict[WordKey, int] = {}
    lines: list[Line] = []
    for reading in layout.readings:
        for n, line in enumerate(reading.lines):
            order.update({(line.source, line.page, word.index): n for word in line.words})
        lines += reading.lines

    return Typesetter(order, vocabulary(lines), lambda line: written.read(line).text)


def _reference_crops(assets: Assets, understood: Understood) -> None:
    for question_id, entry in understood.answers.items():
        for n, figure in enumerate(entry.figures, 1):
            assets.reference(f"assets/{question_id}.ref{n}.png", figure)


def crop(sources: Sequence[SourceFile], assets: Assets, progress: Progress = quiet) -> dict[str, bytes]:
    """Every picture that the exam names, as PNG bytes."""
    cropped: dict[str, bytes] = {}
    for done, (name, picture) in enumerate(snapshots(sources, assets.wanted, SNAPSHOT_DPI)):
        progress("cropping", done, len(assets.wanted))
        cropped[name] = picture
    return cropped


_SEVERITIES = ("error", "warning", "info")


def ordered(findings: Sequence[Finding]) -> list[Finding]:
    """Findings worst first, then as the pages run; the same finding twice is one."""

    def key(finding: Finding) -> tuple[object, ...]:
        where = finding.where
        box = (where.box.y0, where.box.x0) if where.box else (-1.0, -1.0)
        source = -1 if where.source is None else where.source
        page = -1 if where.page is None else where.page
        severity = _SEVERITIES.index(finding.severity)
        return severity, source, page, *box, finding.code, where.question or "", finding.message

    unique = {finding.model_dump_json(): finding for finding in findings}
    return sorted(unique.values(), key=key)


def layout_manifest(layout: Layout, understood: Understood, made: Assembled) -> Manifest:
    """The manifest of a run without a model."""
    findings = ordered(made.findings)
    return Manifest(
        created_at=now(),
        tool_version=f"exam2bench {__version__}",
        sources=[
            Source(path=source.name, sha256=source.sha256, pages=source.page_count, role=role.role)
            for source, role in zip(layout.sources, understood.roles, strict=True)
        ],
        warnings=[finding.message for finding in findings if finding.severity != "info"],
        engine=ENGINE,
        findings=findings,
        coverage=made.coverage,
    )
