"""The draft becomes the contract's exam: blocks, options, blanks, regions, pictures to crop, proof."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ...schemas.content import Block, ImageBlock
from ...schemas.exam import (
    CHOICE_TYPES,
    Blank,
    Exam,
    Matching,
    MatchItem,
    Option,
    Question,
    QuestionType,
    Region,
    Section,
)
from ...schemas.findings import Finding, FindingBox, Where
from ..draft import DraftOption, DraftPaper, DraftQuestion, DraftSection, Figure
from .blocks import Typesetter
from .ids import section_ids, slug
from .proof import PageText, check_question
from .regions import Pages, merged, question_regions


@dataclass
class Assets:
    """Pictures that the exam names and that are still to be cropped: path in the bundle → regions, top to bottom."""

    wanted: dict[str, list[Region]] = field(default_factory=dict)
    _names: dict[int, str] = field(default_factory=dict)

    def figure(self, figure: Figure, owner: str) -> str:
        """The asset path of a figure; one that stands in two places is one file."""
        if id(figure) not in self._names:
            n = 1
            while (name := f"assets/{owner}.fig{n}.png") in self.wanted:
                n += 1
            self._names[id(figure)] = name
            self.wanted[name] = merged([(figure.source, figure.page, figure.box)])
        return self._names[id(figure)]

    def reference(self, name: str, figure: Figure) -> None:
        """A picture of a mark scheme or solution."""
        self.wanted[name] = merged([(figure.source, figure.page, figure.box)])

    def snapshot(self, question_id: str, regions: Sequence[Region]) -> str:
        name = f"assets/{question_id}.snapshot.png"
        self.wanted[name] = list(regions)
        return name


@dataclass(frozen=True)
class Assembler:
    """What assembling a paper needs besides the paper. `needs_snapshot` tells whether a question's text
    leaves out something that is printed (a formula that does not read)."""

    typesetter: Typesetter
    pages: Pages
    texts: Mapping[tuple[int, int], PageText]
    needs_snapshot: Callable[[DraftQuestion], bool]
    assets: Assets = field(default_factory=Assets)
    findings: list[Finding] = field(default_factory=list)

    def exam(self, paper: DraftPaper, exam_id: str, fallback_title: str) -> Exam:
        """The exam. Question ids and points are already set on the draft."""
        ids = section_ids(paper)
        sections = [self._section(section, name, paper) for section, name in zip(paper.sections, ids, strict=True)]
        total = round(sum(leaf.points for s in sections for q in s.questions for leaf in q.leaves()), 6)
        metadata: dict[str, str] = {}
        if paper.form:
            metadata["form"] = paper.form
        if paper.printed_total is not None:
            metadata["printed_total"] = f"{paper.printed_total:g}"
        return Exam(
            exam_id=exam_id,
            title=paper.title.strip() or fallback_title,
            subject=paper.subject,
            language=paper.language,
            description=self.typesetter.text(paper.instructions) or None,
            total_points=total,
            sections=sections,
            metadata=metadata,
        )

    def _section(self, section: DraftSection, section_id: str, paper: DraftPaper) -> Section:
        def name(figure: Figure) -> str:
            return self.assets.figure(figure, slug(section_id) or "section")

        lines, figures = [*section.instructions], [*section.figures]
        blocks = self.typesetter.blocks(lines, figures, name)
        blocks += self._reference(paper)
        title = " ".join(self.typesetter.text(section.title).split())
        return Section(
            id=section_id,
            title=title or None,
            instructions=blocks,
            questions=[self._question(question) for question in section.questions],
        )

    def _reference(self, paper: DraftPaper) -> list[Block]:
        """Formula sheet and constants, for the directions of every section; a picture too where the text fails."""
        blocks = self.typesetter.blocks(
            paper.reference, paper.reference_figures, lambda figure: self.assets.figure(figure, "reference")
        )
        sheet = DraftQuestion(label=None, key="", stem=paper.reference)
        if paper.reference and self.needs_snapshot(sheet):
            regions = question_regions(sheet, self.pages)
            blocks.append(ImageBlock(asset=self.assets.snapshot("reference", regions), alt=""))
        return blocks

    def _question(self, draft: DraftQuestion) -> Question:
        regions = question_regions(draft, self.pages)
        question = Question(
            id=draft.id,
            number=(draft.label or "").strip() or None,
            type=self._type(draft, regions),
            prompt=self._prompt(draft),
            points=draft.points or 0.0,
            children=[self._question(child) for child in draft.children],
            provenance=regions,
        )
        if question.type in CHOICE_TYPES:
            question.options = self._options(draft, regions)
        if question.type == "fill_in_blank":
            question.blanks = _blanks(draft)
        if question.type == "matching" and draft.matching:
            left, right = (self._match_items(draft, side) for side in draft.matching)
            question.matching = Matching(left=left, right=right)
        self._picture(question, draft, regions)
        question.checks = check_question(question, regions, self.texts)
        if question.checks and question.checks.status == "flagged":
            self.findings.append(self._unproved(question, regions))
        return question

    def _type(self, draft: DraftQuestion, regions: Sequence[Region]) -> QuestionType:
        """The draft's type, as far as the question has what the type needs."""
        if draft.children:
            return "composite"
        kind = draft.type or ("single_choice" if len(draft.options) >= 2 else "short_answer")
        lacking = (kind in CHOICE_TYPES and len(draft.options) < 2) or (kind == "matching" and not draft.matching)
        if not lacking and kind != "composite":
            return kind
        if kind in CHOICE_TYPES:
            self.findings.append(
                _finding(
                    "option.missing",
                    "warning",
                    draft.id,
                    regions,
                    f"{draft.id} reads like a choice question, but {len(draft.options)} of its options were found; "
                    "it is kept as a short answer.",
                )
            )
        return "short_answer"

    def _prompt(self, draft: DraftQuestion) -> list[Block]:
        figures = list(draft.figures)
        stray = [] if draft.type in CHOICE_TYPES and len(draft.options) >= 2 else draft.options
        lines = list(draft.stem)
        if stray and not draft.children:
            lines += [line for option in stray for line in option.lines]
            figures += [figure for option in stray for figure in option.figures]
        return self.typesetter.blocks(lines, figures, lambda figure: self.assets.figure(figure, draft.id))

    def _options(self, draft: DraftQuestion, regions: Sequence[Region]) -> list[Option]:
        options: list[Option] = []
        for draft_option in draft.options:
            name, n = draft_option.label.strip() or str(len(options) + 1), 2
            while any(option.id == name for option in options):
                name, n = f"{draft_option.label.strip()}-{n}", n + 1
            if name != draft_option.label.strip():
                message = f"{draft.id} prints the option “{draft_option.label}” twice; the second is called {name}."
                self.findings.append(_finding("option.duplicate", "warning", draft.id, regions, message))
            options.append(Option(id=name, content=self._content(draft, draft_option, slug(name) or str(len(options)))))
        return options

    def _content(self, draft: DraftQuestion, option: DraftOption, part: str) -> list[Block]:
        owner = f"{draft.id}.{part}"
        return self.typesetter.blocks(option.lines, option.figures, lambda figure: self.assets.figure(figure, owner))

    def _match_items(self, draft: DraftQuestion, side: Sequence[DraftOption]) -> list[MatchItem]:
        return [
            MatchItem(id=item.label.strip() or str(n), content=self._content(draft, item, slug(item.label) or str(n)))
            for n, item in enumerate(side, 1)
        ]

    def _picture(self, question: Question, draft: DraftQuestion, regions: Sequence[Region]) -> None:
        """The snapshot of the printed question; an image block too where its text leaves something out."""
        if not regions:
            return
        question.snapshot = self.assets.snapshot(draft.id, regions)
        if self.needs_snapshot(draft):
            question.prompt.append(ImageBlock(asset=question.snapshot, alt=""))

    def _unproved(self, question: Question, regions: Sequence[Region]) -> Finding:
        share = question.checks.text_match if question.checks and question.checks.text_match is not None else 0.0
        message = f"{question.id}: only {share:.0%} of its text was found again on the page."
        return _finding("text.unverified", "warning", question.id, regions, message)


def _blanks(draft: DraftQuestion) -> list[Blank]:
    if not draft.blanks:
        return [Blank(id="b1")]
    return [Blank(id=f"b{n}", label=blank.label, cells=blank.cells) for n, blank in enumerate(draft.blanks, 1)]


def _finding(code: str, severity: str, question_id: str, regions: Sequence[Region], message: str) -> Finding:
    where = Where(question=question_id)
    if regions:
        first = regions[0]
        box = FindingBox(x0=first.x0, y0=first.y0, x1=first.x1, y1=first.y1)
        where = Where(question=question_id, source=first.source, page=first.page, box=box)
    return Finding.model_validate({"code": code, "severity": severity, "where": where, "message": message})
