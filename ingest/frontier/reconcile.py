"""Two readings to one exam: agreement kept, the page's verdicts applied, the rest asked again, what stays open said.

The model's reading is the ground (it has LaTeX, figures, types that only meaning tells); the layout engine's is the
witness that cannot invent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rapidfuzz.fuzz import partial_ratio

from ...schemas.exam import Exam, Question, Region, Section
from ...schemas.exam_checks import every_question
from ...schemas.findings import Finding, FindingBox, Where
from ...schemas.grading import JudgeRule
from ...schemas.printable import printable
from ..assembly.proof import block_strings, fold
from ..proving.compare import Comparison, FieldVerdict, compare
from ..proving.keyed import check_keys, told
from ..proving.page_index import PageIndex
from ..proving.prove import prove
from .asking import Asking
from .contents import blocks_of
from .failures import Failure
from .merged import BOTH, Merged, misfit, question_blocks, with_parts
from .prepared import Prepared, layout_witness
from .settle import Doubt, Settled, settle

_HELD = 85.0
"""Similarity (0..100) of a question's words to what the other reading holds somewhere, from which it is not lost."""
_INVENTED = 0.5
"""A question of which less than this share stands on the pages is not printed at all."""
_BY_GEOMETRY = ("number", "points", "key")
"""Fields that the layout engine reads off the page as they stand; in all others the model's reading stands."""
_RULES = ("key", "rubric")


@dataclass
class Reconciled:
    """The exam that both readings and the page agree on. `comparison` is that of the two readings as they came."""

    merged: Merged
    comparison: Comparison
    findings: list[Finding] = field(default_factory=list)
    open: list[Doubt] = field(default_factory=list)


def reconcile(
    merged: Merged, prepared: Prepared, index: PageIndex, failures: Sequence[Failure], asking: Asking
) -> Reconciled:
    """Settle the model's reading in `merged` against the layout engine's."""
    comparison = compare(layout_witness(prepared), merged.witness(), index)
    run = _Run(Reconciled(merged, comparison), prepared, index)
    run.failed_windows(failures)
    run.questions_of_one_side()
    doubts = run.fields()
    settled, run.out.open = settle(doubts, prepared.layout, asking)
    run.apply(settled)
    run.say_open()
    run.fit_rules()
    run.rename()
    merged.sum_points()
    return run.out


class _Run:
    def __init__(self, out: Reconciled, prepared: Prepared, index: PageIndex) -> None:
        self.out, self.merged, self.index = out, out.merged, index
        self.theirs, self.made = layout_witness(prepared), prepared.made
        self.entries = prepared.understood.entries
        self.order = [question.id for question in self.theirs.exam.questions()]
        self.numbers: dict[str, str] = {}
        self.inserted: set[str] = set()

    # --- whole questions

    def failed_windows(self, failures: Sequence[Failure]) -> None:
        """The layout engine's questions where the model's window brought none."""
        for failure in failures:
            for top, section in _tops(self.theirs.exam):
                if top.id in failure.window.questions and not any(self._paired(q.id) for q in with_parts(top)):
                    self.inserted.update(q.id for q in with_parts(top))
                    self.merged.insert(top, section, self.theirs, self.made.assets, self.order)

    def questions_of_one_side(self) -> None:
        proof = prove(self.merged.witness(), self.index)
        model_only = [b for a, b in self.out.comparison.pairs if a is None and b is not None]
        for name in model_only:
            share = proof.questions[name].text_match if name in proof.questions else None
            if share is not None and share < _INVENTED:
                self._remove_invented(name, share)
        layout_only = {a for a, b in self.out.comparison.pairs if b is None and a is not None}
        for top, section in _tops(self.theirs.exam):
            lost = [q for q in with_parts(top) if q.id in layout_only and not q.children and self._is_lost(q)]
            if not lost or top.id in self.inserted:
                continue
            if all(q.id in layout_only for q in with_parts(top)):
                self._restore(top, section, top)
            else:
                for question in lost:
                    self._restore(question, section, top)

    def _is_lost(self, question: Question) -> bool:
        """Whether the words of the layout engine's question stand nowhere in the model's reading."""
        words = fold(" ".join(block_strings(question_blocks(question))))
        if len(words) < 4:
            return False
        text = self._all_text()
        return words not in text and partial_ratio(words, text) < _HELD

    def _all_text(self) -> str:
        exam = self.merged.exam
        blocks = [block for q in every_question(exam) for block in question_blocks(q)]
        blocks += [block for section in exam.sections for block in section.instructions]
        return fold(" ".join(block_strings(blocks)))

    def _restore(self, question: Question, section: Section, top: Question) -> None:
        """Put back a question that the model lost: a part below its parent where the model has that, else by itself."""
        name = question.id
        parent = self._parent_here(question, top)
        if parent is not None:
            name = self.merged.insert_part(parent, question, self.theirs, self.made.assets)
        else:
            name = self.merged.insert(question, section, self.theirs, self.made.assets, self.order)
        self.inserted.update(q.id for q in with_parts(question))
        self.out.findings.append(
            _finding(
                "question.restored",
                "warning",
                name,
                question.provenance,
                f"The model left out {name}, which is printed on the page; it was put back from the layout engine's "
                "reading.",
                "Look at its snapshot.",
            )
        )

    def _parent_here(self, question: Question, top: Question) -> str | None:
        parent = next((p for p in with_parts(top) if any(child is question for child in p.children)), None)
        if parent is None:
            return None
        name = next((b for a, b in self.out.comparison.pairs if a == parent.id and b is not None), None)
        here = self.merged.questions().get(name or "")
        return here.id if here is not None and here.children else None

    def _remove_invented(self, name: str, share: float) -> None:
        question = self.merged.questions().get(name)
        if question is None or question.children:
            return
        told = " ".join(block_strings(question_blocks(question)))[:80]
        self.merged.drop(name)
        self.out.findings.append(
            _finding(
                "question.invented",
                "error",
                name,
                (),
                f"The model reported {name} (“{told}”), but {1 - share:.0%} of its text stands on no page: it was left "
                "out.",
                "Look at the paper for a question that was misread.",
            )
        )

    # --- fields

    def fields(self) -> list[Doubt]:
        """Apply what the page decided; return what it could not."""
        doubts: list[Doubt] = []
        here = self.merged.questions()
        keys = check_keys(self.merged.witness(), self.index, self.entries)
        refuted = {finding.where.question for finding in keys if finding.code == "key.wrong"}
        for verdict in self.out.comparison.fields:
            a, b = verdict.question_a, verdict.question_b
            if a is None or b is None or b not in here or verdict.field == "question":
                continue
            if verdict.agreed:
                if verdict.field == "key" and self._only_theirs_is_a_rule(a, b):
                    self._take(b, "key", a, 0)
                if verdict.field in _RULES and (answer := self.theirs.answers.get(a)) and answer.regions:
                    self.merged.answers[b] = answer  # the same answer, and its box is the page's, not a model's
                self.merged.set_origin(b, verdict.field, BOTH)
            elif verdict.supported == "a" or (verdict.field == "key" and b in refuted):
                self._take(b, verdict.field, a, 0)
            elif verdict.field == "number" and not verdict.value_a and here[b].children:
                continue  # a group's range that the layout engine kept as text
            elif verdict.supported in ("open", "neither"):
                doubts.append(self._doubt(verdict, a, b))
        return doubts

    def _only_theirs_is_a_rule(self, a: str, b: str) -> bool:
        """Whether both have one answer and only the layout engine's is written so that a rule can grade it."""
        theirs, mine = self.theirs.grading.questions.get(a), self.merged.grading.questions.get(b)
        if theirs is None or mine is None:
            return False
        return isinstance(mine.rule, JudgeRule) and not isinstance(theirs.rule, JudgeRule)

    def _doubt(self, verdict: FieldVerdict, a: str, b: str) -> Doubt:
        regions = tuple(verdict.regions)
        if not regions:
            question = next((q for q in every_question(self.theirs.exam) if q.id == a), None)
            regions = tuple(question.provenance) if question else ()
        return Doubt(b, verdict.field, verdict.value_a, verdict.value_b, regions or self.merged.places.get(b, ()))

    def _take(self, here: str, path: str, there: str, round_: int) -> bool:
        if path == "number":
            self.numbers[here] = there
        return self.merged.take(here, path, self.theirs, there, self.made.assets, round_)

    def apply(self, settled: Sequence[Settled]) -> None:
        pairs = {b: a for a, b in self.out.comparison.pairs if a and b}
        # a key is taken where it fits the question: that must have its final options and gaps before
        for one in sorted(settled, key=lambda one: one.doubt.path in _RULES):
            doubt = one.doubt
            if one.by == "layout":
                self._take(doubt.question, doubt.path, pairs[doubt.question], one.round)
            elif one.by == "model":
                self.merged.set_origin(doubt.question, doubt.path, self.merged.name, one.round)
            elif not self.merged.write(doubt.question, doubt.path, blocks_of(one.words, lambda _: []), one.round):
                self.out.open.append(doubt)

    def say_open(self) -> None:
        """What nobody could decide: one reading stands, and both are told."""
        pairs = {b: a for a, b in self.out.comparison.pairs if a and b}
        texts = {doubt.question for doubt in self.out.open if doubt.path == "prompt"}
        for doubt in self.out.open:
            # where the model's text stands, the points that it prints do too
            by_text = doubt.path == "points" and doubt.question in texts
            keep_layout = doubt.path in _BY_GEOMETRY and bool(doubt.layout) and not by_text
            if keep_layout:
                keep_layout = self._take(doubt.question, doubt.path, pairs[doubt.question], 0)
            stands = "the layout engine's" if keep_layout else "the model's"
            self.out.findings.append(
                _finding(
                    "reading.open",
                    "warning",
                    doubt.question,
                    doubt.regions,
                    f"{doubt.question}, {doubt.path}: the layout engine reads “{_short(doubt.layout)}”, the model "
                    f"reads “{_short(doubt.model)}”; asking again did not settle it, {stands} reading stands.",
                    "Look at the page and correct the bundle where needed.",
                )
            )

    def fit_rules(self) -> None:
        """Every question can be graded as it stands: where fields of both readings left a key that names what the
        question does not have, the other reading's key if that fits, else a judge who is told the answer."""
        pairs = {b: a for a, b in self.out.comparison.pairs if a and b}
        for leaf in self.merged.exam.leaves():
            graded = self.merged.grading.questions[leaf.id]
            why = misfit(graded, leaf)
            if why is None or (leaf.id in pairs and self._take(leaf.id, "key", pairs[leaf.id], 0)):
                continue
            answer = told(graded)
            self.merged.judge(leaf.id, answer)
            self.out.findings.append(
                _finding(
                    "rule.unfit",
                    "warning",
                    leaf.id,
                    self.merged.places.get(leaf.id, ()),
                    f"{leaf.id} cannot be graded by its key “{_short(answer)}” ({why}): a judge is told the answer.",
                    "Look at the question and at its key.",
                )
            )

    def rename(self) -> None:
        """Questions whose label was corrected get the id that goes with it, their parts too."""
        names: dict[str, str] = {}
        theirs = {q.id: q for q in every_question(self.theirs.exam)}
        pairs = {b: a for a, b in self.out.comparison.pairs if a and b}
        for here, there in self.numbers.items():
            for part in with_parts(self.merged.questions()[here]) if here in self.merged.questions() else ():
                if part.id in pairs and pairs[part.id] in theirs:
                    names[part.id] = pairs[part.id]
            names[here] = there
        if names:
            self.merged.rename(names)

    def _paired(self, name: str) -> bool:
        return any(a == name and b is not None for a, b in self.out.comparison.pairs)


def _tops(exam: Exam) -> Iterator[tuple[Question, Section]]:
    for section in exam.sections:
        for question in section.questions:
            yield question, section


def _short(text: str) -> str:
    told = " ".join(text.split())
    return told if len(told) <= 80 else told[:79] + "…"


def _finding(
    code: str, severity: str, question: str, regions: Sequence[Region], message: str, hint: str | None = None
) -> Finding:
    where = Where(question=question)
    if regions:
        first = regions[0]
        box = FindingBox(x0=first.x0, y0=first.y0, x1=first.x1, y1=first.y1)
        where = Where(question=question, source=first.source, page=first.page, box=box)
    return Finding.model_validate(
        {"code": code, "severity": severity, "where": where, "message": printable(message, 600), "hint": hint}
    )
