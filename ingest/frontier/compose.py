"""A model's reading in the contract's records: ids, points and rules by the same code as the layout engine's.

The reading becomes a draft without lines (labels, sections, types, points), which the shared steps number, settle and
grade; the words go into the exam's blocks as the model copied them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...schemas.content import Block, ImageBlock, TextBlock
from ...schemas.exam import (
    CHOICE_TYPES,
    Blank,
    Exam,
    Matching,
    MatchItem,
    Option,
    Question,
    QuestionType,
    Section,
)
from ...schemas.findings import Finding
from ...schemas.grading import GradingSpec, JudgeRule, QuestionGrading
from ..assembly.ids import assign_ids, section_ids, slug
from ..assembly.scores import settle_points
from ..draft import DraftBlank, DraftOption, DraftPaper, DraftQuestion, DraftSection, ScoringRule
from ..keys.align import align
from ..keys.rules import make_grading
from ..proving.numbers import RANGE
from ..witness import Answer, Witness
from .contents import blocks_of
from .entries import Entry, PaperRead, SectionEntry, plain_label, section_key
from .pictures import Pictures
from .prompts.inventory import Inventory, ScoringSeen
from .prompts.questions import OptionRead
from .said_answers import SaidAnswer, bring_to_questions, deductions, key_entry, tokens

_PREFIX = re.compile(r"^\W*[^\W\d_]{2,}\.?\s*(?=\d)")
_EDGES = "()[]{}（）【】〔〕「」<>.．。,，、:： \t"


@dataclass(frozen=True)
class Facts:
    """What holds for the whole exam: from the inventory where it was read, else from the layout engine. `scoring`:
    how the layout engine reads the scoring of questions, by id, for those of which the inventory says nothing."""

    title: str
    subject: str | None
    language: str
    description: str | None
    form: str | None
    printed_total: float | None
    scoring: Mapping[str, ScoringRule] = field(default_factory=dict)


@dataclass
class Reading:
    """A composed reading, with the pictures that it wants."""

    witness: Witness
    pictures: Pictures
    findings: list[Finding] = field(default_factory=list)


def key_of(label: str | None) -> str:
    """What answer keys name a question by: `12.` is 12, `(a)` is a, `QUESTÃO 91` is 91, `第12題` is 第12題 (the ids
    take the number from it)."""
    return _PREFIX.sub("", (label or "").strip(_EDGES)).strip(_EDGES)


def compose(
    name: str,
    paper: PaperRead,
    inventory: Inventory | None,
    said: Sequence[SaidAnswer],
    facts: Facts,
    exam_id: str,
    pictures: Pictures,
) -> Reading:
    """The witness `name` from what its windows reported."""
    composer = _Composer(paper, inventory, pictures)
    draft = composer.draft(facts)
    findings = assign_ids(draft)
    for question, _ in composer.pairs:
        if question.scoring is None and question.type == "multiple_choice":
            question.scoring = facts.scoring.get(question.id)
    answers, grading, key_findings = _grade(draft, said)
    findings += key_findings
    exam = composer.exam(draft, facts, exam_id)
    spec = GradingSpec(exam_id=exam_id, questions=grading)
    places = {question.id: tuple(entry.regions) for question, entry in composer.pairs}
    return Reading(Witness(name, exam, spec, places, answers), pictures, findings)


class _Composer:
    def __init__(self, paper: PaperRead, inventory: Inventory | None, pictures: Pictures) -> None:
        self.paper, self.inventory, self.pictures = paper, inventory, pictures
        self.pairs: list[tuple[DraftQuestion, Entry]] = []
        self.sections: list[SectionEntry] = []
        self._drafts: dict[int, DraftQuestion] = {}

    def draft(self, facts: Facts) -> DraftPaper:
        self.sections = _folded(_completed(self.paper.sections, self.inventory))
        return DraftPaper(
            title=facts.title,
            subject=facts.subject,
            language=facts.language,
            printed_total=facts.printed_total,
            form=facts.form,
            sections=[
                DraftSection(
                    key=section.label,
                    parent=section.within,
                    questions=[self._question(entry, section) for entry in section.questions],
                )
                for section in self.sections
            ],
        )

    def _question(self, entry: Entry, section: SectionEntry) -> DraftQuestion:
        read = entry.read
        group = bool(entry.children) and (not read.label or bool(RANGE.search(read.label)))
        question = DraftQuestion(
            label=read.label or read.gap,
            key=key_of(read.label or read.gap),
            group=group,
            options=[DraftOption(label=option.label) for option in read.options],
            type=_kind(entry),
            choose=read.choose,
            points=_sane(read.points),
            points_from="question" if read.points is not None else "",
            blanks=[DraftBlank(blank.label, blank.cells) for blank in read.blanks],
            matching=_draft_matching(entry),
            prompt_blank=bool(read.gap) and not read.text.strip(),
        )
        question.children = [self._question(child, section) for child in entry.children]
        self._score(question, section, _sane(read.penalty))
        self.pairs.append((question, entry))
        self._drafts[id(entry)] = question
        return question

    def _score(self, question: DraftQuestion, section: SectionEntry, own_penalty: float | None) -> None:
        """The exam's scoring rules that hold for a question: its own words go before them."""
        penalty = 0.0
        for rule in self.inventory.scoring if self.inventory else []:
            if question.children or not _holds(rule, question, section):
                continue
            if question.points is None and _sane(rule.points_each) is not None:
                question.points, question.points_from = rule.points_each, "section"
            penalty = _sane(rule.wrong_penalty) or penalty
            shares = tuple(rule.share_by_errors)
            if question.type == "multiple_choice" and (shares or rule.per_right_option):
                question.scoring = ScoringRule(shares or None, rule.per_right_option, 0.0, rule.text)
        penalty = penalty if own_penalty is None else own_penalty
        if penalty and not question.children:
            question.scoring = question.scoring or ScoringRule()
            question.scoring.wrong_penalty = penalty

    def exam(self, draft: DraftPaper, facts: Facts, exam_id: str) -> Exam:
        sections = [
            Section(
                id=section_id,
                title=" ".join((entry.title or "").split()) or None,
                instructions=[
                    block
                    for told in entry.directions
                    for block in blocks_of(told, lambda name, owner=section_id: self._picture(name, slug(owner)))
                ],
                questions=[self._record(question) for question in entry.questions],
            )
            for entry, section_id in zip(self.sections, section_ids(draft), strict=True)
        ]
        total = round(sum(leaf.points for s in sections for q in s.questions for leaf in q.leaves()), 6)
        metadata = {"form": facts.form} if facts.form else {}
        if facts.printed_total is not None:
            metadata["printed_total"] = f"{facts.printed_total:g}"
        return Exam(
            exam_id=exam_id,
            title=facts.title,
            subject=facts.subject,
            language=facts.language,
            description=facts.description,
            total_points=total,
            sections=sections,
            metadata=metadata,
        )

    def _record(self, entry: Entry) -> Question:
        draft = self._drafts[id(entry)]
        read = entry.read
        kind: QuestionType = "composite" if entry.children else (draft.type or "short_answer")
        question = Question(
            id=draft.id,
            number=(draft.label or "").strip() or None,
            type=kind,
            prompt=self._blocks(read.text, draft.id),
            points=draft.points or 0.0,
            children=[self._record(child) for child in entry.children],
        )
        if kind in CHOICE_TYPES:
            question.options = [
                Option(id=name, content=content) for name, content in self._items(read.options, draft.id)
            ]
        elif read.options and kind != "matching":
            question.prompt += _options_as_text(read.options)
        if kind == "fill_in_blank":
            blanks = [Blank(id=f"b{n}", label=b.label, cells=_cells(b.cells)) for n, b in enumerate(read.blanks, 1)]
            question.blanks = blanks or [Blank(id="b1", label=read.gap)]
        if kind == "matching":
            left, right = (self._items(side, draft.id) for side in (read.left, read.right))
            question.matching = Matching(
                left=[MatchItem(id=name, content=content) for name, content in left],
                right=[MatchItem(id=name, content=content) for name, content in right],
            )
        return question

    def _items(self, items: Sequence[OptionRead], owner: str) -> list[tuple[str, list[Block]]]:
        """Options or matching items under unique names: the labels as printed."""
        taken: set[str] = set()
        found: list[tuple[str, list[Block]]] = []
        for position, item in enumerate(items, 1):
            wanted = item.label.strip(_EDGES) or str(position)
            name, n = wanted, 2
            while name in taken:
                name, n = f"{wanted}-{n}", n + 1
            taken.add(name)
            found.append((name, self._blocks(item.text, f"{owner}.{slug(name) or position}")))
        return found

    def _blocks(self, text: str, owner: str) -> list[Block]:
        return blocks_of(text, lambda name: self._picture(name, owner))

    def _picture(self, name: str, owner: str) -> list[Block]:
        figure = self.paper.figures.get(name)
        asset = self.pictures.asset(name, owner) if figure else None
        if figure is None or asset is None:
            return [TextBlock(markdown=f"[{figure.seen.description}]")] if figure else []
        return [ImageBlock(asset=asset, alt=figure.seen.description, caption=figure.seen.caption)]


def _completed(sections: Sequence[SectionEntry], inventory: Inventory | None) -> Sequence[SectionEntry]:
    """The sections with headings and directions that only the inventory saw (they stood on a page before)."""
    seen = {plain_label(section_key(one.label)): one for one in (inventory.sections if inventory else [])}
    for section in sections:
        known = seen.get(plain_label(section.label))
        if known is not None and section.label:
            section.title = section.title or known.title
            section.directions = section.directions or list(filter(None, [known.directions]))
    return sections


def _folded(sections: Sequence[SectionEntry]) -> list[SectionEntry]:
    """Headings under which no question stands belong to the section that follows, as its first directions."""
    kept: list[SectionEntry] = []
    waiting: list[str] = []
    for section in sections:
        if not section.questions:
            waiting += [text for text in (section.title, *section.directions) if text]
            continue
        section.directions = [*waiting, *section.directions]
        kept.append(section)
        waiting = []
    if waiting and kept:
        kept[-1].directions += waiting
    return kept


def _kind(entry: Entry) -> QuestionType:
    """The model's type as far as the entry has what the type needs."""
    read = entry.read
    if entry.children:
        return "composite"
    kind = read.type
    if kind == "single_choice" and (read.choose or 1) > 1:
        kind = "multiple_choice"
    if (kind in CHOICE_TYPES and len(read.options) < 2) or kind == "composite":
        return "single_choice" if kind == "composite" and len(read.options) >= 2 else "short_answer"
    if kind == "matching" and not (read.left and read.right):
        return "short_answer"
    return kind


def _draft_matching(entry: Entry) -> tuple[list[DraftOption], list[DraftOption]] | None:
    read = entry.read
    if not (read.left and read.right):
        return None
    left, right = ([DraftOption(label=item.label.strip(_EDGES)) for item in side] for side in (read.left, read.right))
    return left, right


def _options_as_text(options: Sequence[OptionRead]) -> list[Block]:
    return [TextBlock(markdown="\n\n".join(f"({option.label}) {option.text}" for option in options))]


def _sane(points: float | None) -> float | None:
    """Points as a reply gives them, where they can be points: not negative, not absurd."""
    return points if points is not None and 0 <= points <= 10_000 else None


def _cells(cells: int | None) -> int | None:
    return cells if cells is not None and 1 < cells <= 100 else None


def _holds(rule: ScoringSeen, question: DraftQuestion, section: SectionEntry) -> bool:
    named = plain_label(section_key(rule.section))
    if named and named not in {plain_label(section.label), plain_label(section.within)}:
        return False
    if rule.first is None or rule.last is None:
        return True
    first, number, last = (tokens(label) for label in (rule.first, question.key, rule.last))
    if not (first and number and last) or not all(one[0].isdigit() for one in (first, number, last)):
        return False
    return int(first[0]) <= int(number[0]) <= int(last[0])


def _grade(
    draft: DraftPaper, said: Sequence[SaidAnswer]
) -> tuple[dict[str, Answer], dict[str, QuestionGrading], list[Finding]]:
    """Answers at their questions, points that are still open, then the grading of every leaf."""
    pairs, findings = bring_to_questions(said, draft)
    aligned, more = align(draft, [key_entry(one, question) for one, question in pairs])
    points = settle_points(draft)
    grading, rule_findings = make_grading(draft, aligned)
    by_question: dict[str, list[SaidAnswer]] = {}
    for one, question in pairs:
        by_question.setdefault(question.id, []).append(one)
    for question_id, told in by_question.items():
        rule = grading[question_id].rule
        if isinstance(rule, JudgeRule):
            _keep_scheme(rule, told)
    answers = {
        name: Answer(entry.raw, tuple(r for one in by_question.get(name, ()) for r in one.regions), entry.origin)
        for name, entry in aligned.items()
    }
    return answers, grading, [*findings, *more, *points, *rule_findings]


def _keep_scheme(rule: JudgeRule, answers: Sequence[SaidAnswer]) -> None:
    """The scheme word for word beside its form, and what it takes away."""
    texts = list(dict.fromkeys(one.read.rubric.strip() for one in answers if one.read.rubric))
    if texts:
        rule.judge_instructions = "\n\n".join([*filter(None, [rule.judge_instructions]), *texts])
    rule.deductions = next((found for one in answers if (found := deductions(one.read))), [])
