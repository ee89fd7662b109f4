"""Ingest with a model: the layout pass, the model's passes, the proof, the settling, the bundle's records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ... import __version__
from ...models.request import TextPart
from ...schemas.content import ImageBlock
from ...schemas.exam import Checks, Question, Region
from ...schemas.exam_checks import every_question
from ...schemas.findings import Finding
from ...schemas.manifest import Manifest, Source
from ...schemas.moment import now
from ...schemas.reading import FieldOrigin, ModelReading, PromptUsed
from ..assembly.assemble import Assets
from ..assembly.regions import merged as merged_regions
from ..engine import (
    Ingested,
    Layout,
    Progress,
    crop,
    exam_id,
    ordered,
    quiet,
)
from ..page import Box
from ..proving.compare import compare
from ..proving.estimate import estimate
from ..proving.page_index import PageIndex
from ..proving.prove import Proof, prove
from ..proving.rules import propose_rules
from ..witness import Witness
from .asking import Ask, Asking
from .closing import exam_findings
from .compose import Facts, Reading, compose
from .entries import Entry, PaperFigure, PaperRead
from .merged import Merged, question_blocks
from .passes import Plan, Read, plan_passes, read_exam
from .pictures import Pictures, place_all, place_figure, stand_in
from .prepared import LAYOUT, Prepared, page_index
from .prompts.answers import ANSWERS
from .prompts.figures import FIGURES, FiguresAgain
from .prompts.inventory import INVENTORY, Inventory
from .prompts.questions import QUESTIONS
from .prompts.settle import SETTLE
from .reconcile import reconcile
from .views import View, show_pages
from .windows import PageSlice

ENGINE = f"model {__version__}"
PROMPTS = (INVENTORY, QUESTIONS, FIGURES, ANSWERS, SETTLE)


@dataclass
class Finished:
    """A reading that is settled and proved; its pictures are named but not cropped."""

    merged: Merged
    proof: Proof
    findings: list[Finding]
    record: ModelReading


def ingest_with_model(
    prepared: Prepared, asking: Asking, witness: Asking | None = None, progress: Progress = quiet
) -> Ingested:
    """Read the prepared exam with a model, and with a second one for an opinion where `witness` is given.

    Raises ProviderError where the model cannot be used at all, BudgetError where the cap is met.
    """
    done = read_and_prove(prepared, asking, witness, progress)
    manifest = _manifest(prepared, asking, witness, done)
    assets = crop(prepared.layout.sources, done.merged.assets, progress)
    return Ingested(done.merged.exam, done.merged.grading, manifest, assets)


def read_and_prove(
    prepared: Prepared, asking: Asking, witness: Asking | None = None, progress: Progress = quiet
) -> Finished:
    """All of `ingest_with_model` but the pictures."""
    progress(f"asking {asking.name}", 0, 1)
    layout, understood = prepared.layout, prepared.understood
    index = page_index(prepared)
    read, reading = read_witness(prepared, asking)
    merged = Merged.of(reading.witness, reading.pictures.assets)
    settled = reconcile(merged, prepared, index, read.failures, asking)
    opinion = None
    if witness is not None:
        witness.continue_bill(asking)
        opinion = _second_opinion(prepared, reading.witness, witness, index)
    rules, rule_findings = propose_rules(merged.witness(), index, prepared.options.rule_prover)
    merged.grading.questions.update(rules)
    progress("proving every word", 0, 1)
    proof = prove(merged.witness(), index, understood.entries)
    _show(merged, proof, prepared)
    said = _lasting(reading.findings, merged)
    findings = [*layout.findings, *read.findings, *said, *settled.findings, *rule_findings]
    findings += [*proof.findings, *exam_findings(merged, read.inventory, [source.name for source in layout.sources])]
    return Finished(merged, proof, ordered(findings), _record(asking, witness, read, merged, opinion))


# --- one witness ------------------------------------------------------------------------------------------------


def read_witness(prepared: Prepared, asking: Asking) -> tuple[Read, Reading]:
    """A model's whole reading, figures included, before anything of it is compared."""
    layout, understood = prepared.layout, prepared.understood
    read = read_exam(plan_only(prepared, asking), layout, understood, asking)
    pictures, findings = _pictures(read.paper, layout, asking)
    facts = _facts(read.inventory, prepared)
    reading = compose(
        asking.name, read.paper, read.inventory, read.said, facts, exam_id(layout, facts.title, facts.title), pictures
    )
    reading.findings = [*findings, *reading.findings]
    return read, reading


def plan_only(prepared: Prepared, asking: Asking) -> Plan:
    """The first round as it would be asked."""
    return plan_passes(prepared.layout, prepared.understood, asking.limits, asking.at_once)


def _facts(inventory: Inventory | None, prepared: Prepared) -> Facts:
    """Facts of the exam: told by the user, read by the model, else found by the layout engine."""
    paper, exam = prepared.understood.paper, prepared.made.exam
    scoring = {question.id: question.scoring for question in paper.questions() if question.scoring is not None}
    by_layout = Facts(
        title=exam.title,
        subject=exam.subject,
        language=prepared.options.language or exam.language,
        description=exam.description,
        form=paper.form,
        printed_total=paper.printed_total,
        scoring=scoring,
    )
    if inventory is None:
        return by_layout
    total = inventory.printed_total if inventory.printed_total and inventory.printed_total > 0 else None
    return replace(
        by_layout,
        title=(inventory.title or "").strip() or exam.title,
        subject=inventory.subject or exam.subject,
        language=prepared.options.language or inventory.language.strip() or exam.language,
        form=inventory.form or paper.form,
        printed_total=paper.printed_total or total,
    )


def _pictures(paper: PaperRead, layout: Layout, asking: Asking) -> tuple[Pictures, list[Finding]]:
    """The figures cropped to their ink; those whose box holds nothing are looked for once more."""
    shown_by = _owners(paper)
    wanted = {name: figure for name, figure in paper.figures.items() if name in shown_by}
    regions = {name: entry.regions for name, entry in shown_by.items()}
    pictures, doubtful, findings = place_all(wanted, layout, Assets())
    if doubtful and asking.limits.images:
        doubtful = _look_again(doubtful, paper, regions, layout, asking, pictures)
    findings += stand_in(doubtful, paper.figures, regions, layout, pictures)
    return pictures, findings


def _owners(paper: PaperRead) -> dict[str, Entry]:
    """The entry that shows each figure."""
    found: dict[str, Entry] = {}
    for entry in paper.entries():
        read = entry.read
        text = " ".join([read.text, *(item.text for item in [*read.options, *read.left, *read.right])])
        for name in paper.figures:
            if f"[[{name}]]" in text:
                found.setdefault(name, entry)
    return found


def _look_again(
    names: Sequence[str],
    paper: PaperRead,
    regions: dict[str, list[Region]],
    layout: Layout,
    asking: Asking,
    pictures: Pictures,
) -> list[str]:
    """Ask for the boxes of these figures once more, page by page. Returns those that are still without one."""
    asks: list[tuple[Ask, tuple[View, ...], list[str]]] = []
    by_page: dict[tuple[int, int], list[str]] = {}
    for name in names:
        place = paper.figures[name].page or next(((r.source, r.page) for r in regions.get(name, [])), None)
        if place is not None:
            by_page.setdefault(place, []).append(name)
    for place, group in by_page.items():
        height = layout.pages[place].height
        parts, views = show_pages(layout, [PageSlice(*place, 0.0, height, height)], asking.limits, scale=1.5)
        listed = "\n".join(f"{name}: {paper.figures[name].seen.description}" for name in group)
        asks.append((Ask(FIGURES, (*parts, TextPart(f"The figures:\n{listed}")), "figures"), views, group))
    left = set(names)
    for (_, views, group), heard in zip(asks, asking.round([ask for ask, _, _ in asks]), strict=True):
        for again in heard.reply.figures if isinstance(heard.reply, FiguresAgain) else []:
            if again.id not in group or again.place is None:
                continue
            region = next((v.region(again.place) for v in views if v.number == again.place.page), None)
            seen = paper.figures[again.id]
            second = PaperFigure(seen.window, seen.id, seen.seen, region, (views[0].source, views[0].page))
            placed = place_figure(second, layout)
            if placed.figure is not None:
                pictures.figures[again.id] = placed.figure
                left.discard(again.id)
    return [name for name in names if name in left]


def _second_opinion(prepared: Prepared, first: Witness, asking: Asking, index: PageIndex) -> dict[str, Any]:
    """What an independent reading says about the first one's errors."""
    _, second = read_witness(prepared, asking)
    found = estimate(first, second.witness, compare(first, second.witness, index))
    return {"witness": asking.name, **found.as_dict(), "lines": found.lines()}


# --- the records ------------------------------------------------------------------------------------------------


def _show(merged: Merged, proof: Proof, prepared: Prepared) -> None:
    """Provenance, checks and snapshots of every question from the proof; origins get their places."""
    theirs = {question.id: question for question in every_question(prepared.made.exam)}
    for question in every_question(merged.exam):
        proved = proof.questions.get(question.id)
        regions = list(proved.regions) if proved else []
        same = theirs.get(question.id)
        if not regions:
            regions = list(merged.places.get(question.id, ())) or (list(same.provenance) if same else [])
        question.provenance = _with_figures(question, regions, merged.assets)
        if question.provenance:
            question.snapshot = merged.assets.snapshot(question.id, question.provenance)
        if proved is None:
            continue
        question.checks = Checks(text_match=proved.text_match, status=proved.status)
        for path, origin in merged.origins.get(question.id, {}).items():
            _locate(origin, path, proved)
            if path in ("key", "rubric") and question.id in merged.answers:
                origin.regions = list(merged.answers[question.id].regions)


def _with_figures(question: Question, regions: Sequence[Region], assets: Assets) -> list[Region]:
    """The regions of a question's words and of its figures, joined where they touch."""
    shown = [
        region
        for block in question_blocks(question)
        if isinstance(block, ImageBlock) and ".snapshot" not in block.asset
        for region in assets.wanted.get(block.asset, [])
    ]
    boxes = [(r.source, r.page, Box(r.x0, r.y0, r.x1, r.y1)) for r in [*regions, *shown]]
    return merged_regions(boxes) if shown else list(regions)


def _locate(origin: FieldOrigin, path: str, proved: Any) -> None:
    fields = [found for name, found in proved.fields.items() if name == path or name.startswith(f"{path}.")]
    matches = [found.match for found in fields if found.match is not None]
    origin.match = round(min(matches), 4) if matches else None
    origin.regions = [region for found in fields for region in found.regions]


_OVERALL = {"points.total", "question.unkeyed"}
"""Findings over the whole exam: they are made anew when both readings are one."""


def _lasting(findings: Sequence[Finding], merged: Merged) -> list[Finding]:
    """What composing the model's reading found and settling did not mend: a rubric that was taken from the layout
    engine is none that did not add up."""
    mended = {name for name, told in merged.origins.items() if "rubric" in told and told["rubric"].witness == LAYOUT}
    kept = [finding for finding in findings if finding.code not in _OVERALL]
    return [finding for finding in kept if finding.code != "rubric.sum" or finding.where.question not in mended]


def _record(
    asking: Asking, witness: Asking | None, read: Read, merged: Merged, opinion: dict[str, Any] | None
) -> ModelReading:
    asked = [asking, *([witness] if witness else [])]
    return ModelReading(
        models=[one.name for one in asked],
        effort=asking.effort,
        prompts={prompt.name: PromptUsed(version=prompt.version, digest=prompt.digest) for prompt in PROMPTS},
        windows=read.windows,
        stages={one.name: {name: stage.as_dict() for name, stage in one.stages.items()} for one in asked},
        second_opinion=opinion,
        origins=merged.origins,
    )


def _manifest(prepared: Prepared, asking: Asking, witness: Asking | None, done: Finished) -> Manifest:
    usage = asking.gateway.summary()
    if witness is not None:
        usage["witness"] = witness.gateway.summary()
    return Manifest(
        created_at=now(),
        tool_version=f"exam2bench {__version__}",
        ingest_model=asking.name,
        sources=[
            Source(path=source.name, sha256=source.sha256, pages=source.page_count, role=role.role)
            for source, role in zip(prepared.layout.sources, prepared.understood.roles, strict=True)
        ],
        warnings=[finding.message for finding in done.findings if finding.severity != "info"],
        usage=usage,
        engine=ENGINE,
        findings=done.findings,
        coverage=done.proof.coverage,
        reading=done.record,
    )
