"""Two readings of one exam, field by field: agreed, settled by the page, or open.

Agreement is on what is read, not on how it is written: a formula in LaTeX agrees with the same formula flattened, and
text that one reading puts into the question and the other above it is read alike. Where they differ the page decides:
the words that stand there in sequence win over a paraphrase, the reading that holds a word over the one that lost it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from dataclasses import field as made_by
from typing import Literal

from ...schemas.content import Block, TableBlock, TextBlock
from ...schemas.exam import Blank, Option, Question, Region
from ...schemas.exam_checks import every_question, same_points
from ...schemas.findings import Finding, FindingBox, Where
from ...schemas.grading import JudgeRule
from ...schemas.printable import printable
from ..keys.key_values import canonical
from ..keys.rules import default_criterion
from ..witness import Witness
from .alignment import Span
from .keyed import keyed_labels, told
from .letters import folded, letters_of, weight
from .located import located
from .page_index import PageIndex
from .pairing import nodes, pair
from .prove import Proof, prove

Supported = Literal["a", "b", "both", "neither", "open"]

_SLIP = 1.0
"""The weight of unproved letters that a proved field may hold."""
_FEW = 2.0
"""The weight of letters by which two fields may differ and still be read alike."""
_WRITTEN = frozenset({"short_answer", "essay"})


@dataclass(frozen=True)
class FieldVerdict:
    """One field of a pair of questions. `supported` says whose reading the page bears out; `open`: it cannot tell."""

    question_a: str | None
    question_b: str | None
    field: str
    value_a: str
    value_b: str
    agreed: bool
    supported: Supported
    regions: list[Region] = made_by(default_factory=list)


@dataclass
class Comparison:
    """`pairs` are question ids of a and b (None: only the other reading has it), `fields` all verdicts."""

    pairs: list[tuple[str | None, str | None]]
    fields: list[FieldVerdict]

    @property
    def findings(self) -> list[Finding]:
        """What neither agreement nor the page decided, with both readings."""
        return [_open_finding(v) for v in self.fields if v.supported in ("open", "neither") and not v.agreed]


def compare(a: Witness, b: Witness, index: PageIndex) -> Comparison:
    """Compare two readings question by question. `a` is mostly the layout engine's."""
    pairs = pair(a.exam, b.exam)
    left = _Side(a, prove(a, index))
    right = _Side(b, prove(b, index))
    sections = _section_map(left, right, pairs)
    verdicts: list[FieldVerdict] = []
    for one, other in pairs:
        if one is None or other is None:
            verdicts.append(_lone(left, right, one, other))
            continue
        verdicts += _Pair(left, right, one, other, index).verdicts(sections)
    return Comparison(pairs, verdicts)


@dataclass
class _Side:
    witness: Witness
    proof: Proof
    questions: dict[str, Question] = made_by(default_factory=dict)
    sections: dict[str, int] = made_by(default_factory=dict)
    spans: dict[tuple[str | None, str], list[Span]] = made_by(default_factory=dict)

    def __post_init__(self) -> None:
        for span in self.proof.aligned.spans:
            self.spans.setdefault((span.claim.question, span.claim.path), []).append(span)
        self.questions = {question.id: question for question in every_question(self.witness.exam)}
        self.sections = {node.question.id: node.section for node in nodes(self.witness.exam)}

    def codes(self, question: str) -> set[str]:
        """The codes of what the proof holds against a question."""
        return {f.code for f in self.proof.questions[question].findings if f.severity != "info"}

    def places(self, question: str, path: str) -> set[int]:
        """The letters of the pages that a field holds."""
        aligned = self.proof.aligned
        spans = self.spans.get((question, path), [])
        return {p for span in spans for p in aligned.match[span.start : span.end] if p >= 0}

    def missing(self, question: str, path: str) -> float:
        """The weight of a field's letters that stand on no page."""
        aligned = self.proof.aligned
        spans = self.spans.get((question, path), [])
        return sum(
            weight("".join(aligned.text[n] for n in range(s.start, s.end) if aligned.match[n] < 0)) for s in spans
        )

    def holds(self, places: set[int]) -> float:
        """The weight of the pages' letters among `places` that no field of this reading holds."""
        aligned = self.proof.aligned
        return weight("".join(aligned.stream.text[p] for p in places if aligned.owner[p] < 0))

    def strangers(self, question: str, places: set[int]) -> set[str]:
        """The questions that hold much of these letters and are neither this one nor above or below it."""
        aligned = self.proof.aligned
        starts = [span.start for span in aligned.spans]
        held: Counter[str] = Counter()
        for place in places:
            owner = aligned.owner[place]
            name = aligned.spans[bisect_right(starts, owner) - 1].claim.question if owner >= 0 else None
            if name is not None and name != question:
                held[name] += 1
        kin = {q.id for q in every_question(self.witness.exam) if question in {p.id for p in _below(q)}}
        kin |= {q.id for q in _below(self.questions[question])}
        return {name for name, letters in held.items() if letters > 2 * _FEW and name not in kin}

    def regions(self, question: str, path: str) -> list[Region]:
        proved = self.proof.questions[question]
        if path in proved.fields and proved.fields[path].words:
            return proved.fields[path].regions
        told = self.witness.places.get(f"{question}.{path}") or self.witness.places.get(question)
        return list(told) if told else proved.regions or list(self.questions[question].provenance)


def _below(question: Question) -> Iterator[Question]:
    yield question
    for child in question.children:
        yield from _below(child)


def _section_map(left: _Side, right: _Side, pairs: Sequence[tuple[str | None, str | None]]) -> dict[int, int]:
    """The section of b that most questions of each section of a stand in."""
    votes: dict[int, Counter[int]] = {}
    for a, b in pairs:
        if a is not None and b is not None:
            votes.setdefault(left.sections[a], Counter())[right.sections[b]] += 1
    return {section: counts.most_common(1)[0][0] for section, counts in votes.items()}


def _lone(left: _Side, right: _Side, a: str | None, b: str | None) -> FieldVerdict:
    """A question that one reading has: the page bears it out where its words stand there and nobody else has them."""
    own, other, name = (left, right, a) if a is not None else (right, left, b)
    assert name is not None
    proved = own.proof.questions[name]
    text = block_text(own.questions[name].prompt)
    places = {p for path in proved.fields for p in own.places(name, path)}
    supported: Supported = "open"
    if proved.text_match is not None and proved.text_match >= 0.9:
        lost = other.holds(places)
        supported = ("a" if a is not None else "b") if lost >= 12 else "both"
    elif proved.text_match is not None and proved.text_match < 0.5:
        supported = "b" if a is not None else "a"
    value = f"{own.questions[name].number or ''} {text}".strip()[:400]
    values = (value, "") if a is not None else ("", value)
    return FieldVerdict(a, b, "question", *values, supported == "both", supported, own.regions(name, "prompt"))


class _Pair:
    """The fields of one pair of questions."""

    def __init__(self, left: _Side, right: _Side, a: str, b: str, index: PageIndex) -> None:
        self.left, self.right, self.a, self.b, self.index = left, right, a, b, index
        self.qa, self.qb = left.questions[a], right.questions[b]

    def verdicts(self, sections: dict[int, int]) -> Iterator[FieldVerdict]:
        expected = sections.get(self.left.sections[self.a])
        same = expected == self.right.sections[self.b]
        yield self._made("section", *self._section_names(), same, "open")
        yield self._number()
        yield self._type()
        yield self._points()
        yield self._text("prompt", block_text(self.qa.prompt), block_text(self.qb.prompt))
        if self.qa.options or self.qb.options:
            yield from self._options()
        if self.qa.blanks or self.qb.blanks:
            yield self._blanks()
        if self.qa.matching or self.qb.matching:
            yield from self._matching()
        if not self.qa.children and not self.qb.children:
            yield from self._grading()

    def _made(self, path: str, a: str, b: str, agreed: bool, otherwise: Supported) -> FieldVerdict:
        supported: Supported = "both" if agreed else otherwise
        regions: list[Region] = []
        if not agreed:
            regions = self.right.regions(self.b, path) or self.left.regions(self.a, path)
        return FieldVerdict(self.a, self.b, path, a, b, agreed, supported, regions)

    def _section_names(self) -> tuple[str, str]:
        names = []
        for side, question in ((self.left, self.a), (self.right, self.b)):
            section = side.witness.exam.sections[side.sections[question]]
            names.append(section.title or section.id)
        return names[0], names[1]

    def _by_codes(self, *codes: str) -> Supported:
        """The reading that the proof holds none of these against, where it holds one against the other."""
        bad_a, bad_b = bool(self.left.codes(self.a) & set(codes)), bool(self.right.codes(self.b) & set(codes))
        return "open" if bad_a == bad_b else "b" if bad_a else "a"

    def _number(self) -> FieldVerdict:
        a, b = self.qa.number or "", self.qb.number or ""
        same = canonical(a) == canonical(b) or letters_of(a).text == letters_of(b).text
        support = self._by_codes("number.wrong", "number.gap")
        if not same and support == "open" and not (a and b):
            printed = self._prints_label(self.left, self.a, a) if a else self._prints_label(self.right, self.b, b)
            support = ("a" if a else "b") if printed else "open"
        return self._made("number", a, b, same, support)

    def _prints_label(self, side: _Side, question: str, label: str) -> bool:
        """Whether a label stands on the page where its question does."""
        proved = side.proof.questions[question].fields.get("number")
        if proved is not None and proved.match == 1.0:
            return True
        return letters_of(label).text in letters_of(block_text(side.questions[question].prompt)).text[:60]

    def _type(self) -> FieldVerdict:
        a, b = self.qa.type, self.qb.type
        return self._made("type", a, b, a == b or {a, b} <= _WRITTEN, "open")

    def _points(self) -> FieldVerdict:
        a, b = self.qa.points, self.qb.points
        return self._made("points", f"{a:g}", f"{b:g}", same_points(a, b), self._by_codes("points.wrong"))

    def _text(self, path: str, a: str, b: str) -> FieldVerdict:
        """Text: the same letters, the same places of the page, or whichever the page prints."""
        if letters_of(a).text == letters_of(b).text:
            return self._made(path, a, b, True, "both")
        places = self.left.places(self.a, path), self.right.places(self.b, path)
        open_a, open_b = self.left.missing(self.a, path), self.right.missing(self.b, path)
        only = places[0] - places[1], places[1] - places[0]
        stream = self.right.proof.aligned.stream
        differ = [weight("".join(stream.text[p] for p in part)) for part in only]
        order_a, order_b = ("text.order" in side.codes(q) for side, q in ((self.left, self.a), (self.right, self.b)))
        if order_a != order_b:
            return self._made(path, a, b, False, "b" if order_a else "a")
        if open_a <= _SLIP and open_b <= _SLIP:
            if max(differ) <= _FEW:
                return self._made(path, a, b, True, "both")
            lost_by_b, lost_by_a = self.right.holds(only[0]), self.left.holds(only[1])
            if lost_by_a <= _FEW and lost_by_b <= _FEW:
                return self._placed_otherwise(path, a, b, only)
            if min(lost_by_a, lost_by_b) <= _FEW:
                return self._made(path, a, b, False, "a" if lost_by_b > lost_by_a else "b")
            return self._made(path, a, b, False, "open")
        if open_a <= _SLIP or open_b <= _SLIP or max(open_a, open_b) >= 4 * min(open_a, open_b) + 8:
            return self._made(path, a, b, False, "a" if open_a < open_b else "b")
        if sorted(letters_of(a).text) == sorted(letters_of(b).text):
            return self._made(path, a, b, True, "both")  # the same formula, its pieces in another order
        readable = bool(places[0] or places[1])
        return self._made(path, a, b, False, "neither" if readable and min(open_a, open_b) > 12 else "open")

    def _placed_otherwise(self, path: str, a: str, b: str, only: tuple[set[int], set[int]]) -> FieldVerdict:
        """Both readings hold all of the words, in other fields. A prompt's words may stand above it in the other
        reading; what an unrelated question has taken, or another option's label, is in the wrong place."""
        if path != "prompt":
            return self._made(path, a, b, False, self._by_codes("option.swapped"))
        taken = self.right.strangers(self.b, only[0]), self.left.strangers(self.a, only[1])
        if not taken[0] and not taken[1]:
            return self._made(path, a, b, True, "both")
        torn = [any("text.order" in side.codes(q) for q in names) for side, names in zip(
            (self.right, self.left), taken, strict=True)]  # fmt: skip
        return self._made(path, a, b, False, "open" if torn[0] == torn[1] else "a" if torn[0] else "b")

    def _options(self) -> Iterator[FieldVerdict]:
        a, b = self.qa.options or [], self.qb.options or []
        labels_a, labels_b = [o.id for o in a], [o.id for o in b]
        same = [canonical(label) for label in labels_a] == [canonical(label) for label in labels_b]
        codes = ("option.gap", "option.lost", "option.swapped", "option.order", "text.invented", "text.lost")
        yield self._made("options", ", ".join(labels_a), ", ".join(labels_b), same, self._by_codes(*codes))
        yield from self._items("options", a, b)

    def _items(self, path: str, a: Sequence[Option], b: Sequence[Option]) -> Iterator[FieldVerdict]:
        """Options (or matching items) that both readings have, by label."""
        known = {canonical(option.id): option for option in a}
        for option in b:
            other = known.get(canonical(option.id))
            if other is None:
                continue
            text_a, text_b = block_text(other.content), block_text(option.content)
            if other.id == option.id:
                verdict = self._text(f"{path}.{option.id}", text_a, text_b)
            else:
                same = letters_of(text_a).text == letters_of(text_b).text
                verdict = self._made(f"{path}.{option.id}", text_a, text_b, same, "open")
            if not verdict.agreed and verdict.supported in ("open", "both"):
                verdict = self._made(verdict.field, text_a, text_b, False, self._by_codes("option.swapped"))
            yield verdict

    def _matching(self) -> Iterator[FieldVerdict]:
        sides: list[tuple[str, Callable[[Question], list[Option]]]] = [
            ("left", lambda q: [Option(id=i.id, content=i.content) for i in q.matching.left] if q.matching else []),
            ("right", lambda q: [Option(id=i.id, content=i.content) for i in q.matching.right] if q.matching else []),
        ]
        labels = [
            " | ".join(", ".join(item.id for item in items(question)) for _, items in sides)
            for question in (self.qa, self.qb)
        ]
        yield self._made("matching", labels[0], labels[1], labels[0] == labels[1], "open")
        for side, items in sides:
            yield from self._items(f"matching.{side}", items(self.qa), items(self.qb))

    def _blanks(self) -> FieldVerdict:
        """Gaps: a label or a number of cells that one reading does not tell contradicts nothing. Where the readings
        count otherwise, the one whose gaps have labels that the question prints."""
        a, b = self.qa.blanks or [], self.qb.blanks or []
        values = _blanks(self.qa), _blanks(self.qb)
        if len(a) != len(b):
            printed = self._prints_gaps(self.left, self.a), self._prints_gaps(self.right, self.b)
            support: Supported = "open" if printed[0] == printed[1] else "b" if printed[1] else "a"
            return self._made("blanks", *values, False, support)
        gaps = list(zip(a, b, strict=True))
        told = [(_gap_label(x), _gap_label(y)) for x, y in gaps] + [(x.cells, y.cells) for x, y in gaps]
        more_a, more_b = (any(pair[n] and not pair[1 - n] for pair in told) for n in (0, 1))
        if any(x and y and x != y for x, y in told) or (more_a and more_b):
            return self._made("blanks", *values, False, "open")
        return self._made("blanks", *values, not more_a, "a")

    def _prints_gaps(self, side: _Side, question: str) -> bool:
        """Whether each gap's own label is among the words of a text that the page bears out."""
        labels = [_gap_label(blank) for blank in side.questions[question].blanks or []]
        words = letters_of(block_text(side.questions[question].prompt)).words
        proved = side.missing(question, "prompt") <= _SLIP
        return proved and len(labels) > 1 and len(set(labels)) == len(labels) and all(x in words for x in labels)

    # --- keys

    def _grading(self) -> Iterator[FieldVerdict]:
        graded = (
            self.left.witness.grading.questions.get(self.a),
            self.right.witness.grading.questions.get(self.b),
        )
        if graded[0] is None or graded[1] is None:
            return
        answers = [self._answer(self.left, self.a), self._answer(self.right, self.b)]
        labels = keyed_labels(graded[0]), keyed_labels(graded[1])
        if labels[0] is not None and labels[1] is not None:
            same = {canonical(x) for x in labels[0]} == {canonical(x) for x in labels[1]}
        else:
            same = letters_of(answers[0]).text == letters_of(answers[1]).text or self._same_gaps(answers)
        if any(answers):
            yield self._made("key", answers[0], answers[1], same, self._key_support(answers))
        rules = graded[0].rule, graded[1].rule
        if isinstance(rules[0], JudgeRule) and isinstance(rules[1], JudgeRule):
            yield self._rubric(rules[0], rules[1])

    def _answer(self, side: _Side, question: str) -> str:
        """The answer that a reading keys; empty where it has none."""
        graded = side.witness.grading.questions[question]
        if isinstance(graded.rule, JudgeRule):
            return (graded.rule.reference_answer or "") if graded.anchored else ""
        return told(graded)

    def _same_gaps(self, answers: Sequence[str]) -> bool:
        """Whether the answers are one but for the gaps' labels: `(a) 75 (b) 125` in one piece is 75 and 125."""
        labels = {_gap_label(blank) for question in (self.qa, self.qb) for blank in question.blanks or []} - {""}
        bare = [[word for word in letters_of(answer).words if word not in labels] for answer in answers]
        return bool(labels) and bare[0] == bare[1] != []

    def _key_support(self, answers: Sequence[str]) -> Supported:
        """The answer that stands where its reading says that it was read; an answer against none."""
        stands = [self._stands(side, q) for side, q in ((self.left, self.a), (self.right, self.b))]
        if stands[0] is True and stands[1] is not True:
            return "a"
        if stands[1] is True and stands[0] is not True:
            return "b"
        if stands[0] is None and stands[1] is None and bool(answers[0]) != bool(answers[1]):
            only = answers[0] or answers[1]
            share = located(letters_of(only), self.index)[0]
            return "open" if share < 0.9 or len(only) < 4 else "a" if answers[0] else "b"
        return "open"

    def _stands(self, side: _Side, question: str) -> bool | None:
        """Whether the answer as printed is among the words of the place that is named for it; None: none is named."""
        answer = side.witness.answers.get(question)
        if answer is None or not answer.regions or not folded(answer.raw):
            return None
        words = [
            word.text
            for region in answer.regions
            if (page := self.index.pages.get((region.source, region.page))) is not None
            for word in page.words
            if region.x0 - 2 <= word.box.cx <= region.x1 + 2 and region.y0 - 2 <= word.box.cy <= region.y1 + 2
        ]
        return folded(answer.raw) in folded("".join(words))

    def _rubric(self, a: JudgeRule, b: JudgeRule) -> FieldVerdict:
        text_a, text_b = rubric_text(a), rubric_text(b)
        if letters_of(text_a).text == letters_of(text_b).text:
            return self._made("rubric", text_a, text_b, True, "both")
        own = [_own_levels(rule, question.points) for rule, question in ((a, self.qa), (b, self.qb))]
        texts = (text_a, text_b)
        shares = [0.0 if own[n] else located(letters_of(texts[n]), self.index)[0] for n in (0, 1)]
        sums = ["rubric.sum" in side.codes(q) for side, q in ((self.left, self.a), (self.right, self.b))]
        if own[0] and own[1]:
            return self._made("rubric", text_a, text_b, True, "both")
        if sums[0] != sums[1] and not any(own):
            return self._made("rubric", text_a, text_b, False, "b" if sums[0] else "a")
        if abs(shares[0] - shares[1]) >= 0.2 and max(shares) >= 0.7:
            return self._made("rubric", text_a, text_b, False, "a" if shares[0] > shares[1] else "b")
        return self._made("rubric", text_a, text_b, False, "open")


def _own_levels(rule: JudgeRule, points: float) -> bool:
    """Whether a rubric is none that a scheme printed: this project's default levels, or nothing."""
    return not rule.rubric or (points > 0 and rule.rubric == [default_criterion(points)])


def rubric_text(rule: JudgeRule) -> str:
    """A rubric's criteria, levels and deductions as lines of text."""
    lines: list[str] = []
    for criterion in rule.rubric:
        lines.append(criterion.description)
        lines += [f"{level.points:g}: {level.descriptor}" for level in criterion.levels]
    lines += [f"{deduction.points:g}: {deduction.description}" for deduction in rule.deductions]
    return "\n".join(lines)


def block_text(blocks: Sequence[Block]) -> str:
    """The Markdown of blocks, tables cell by cell; pictures claim nothing."""
    parts: list[str] = []
    for block in blocks:
        if isinstance(block, TextBlock):
            parts.append(block.markdown)
        elif isinstance(block, TableBlock):
            rows = [block.header or [], *block.rows]
            parts.append("\n".join(" | ".join(row) for row in rows if row))
    return "\n\n".join(parts)


def _blanks(question: Question) -> str:
    blanks = question.blanks or []
    return ", ".join((blank.label or blank.id) + (f" ({blank.cells})" if blank.cells else "") for blank in blanks)


def _gap_label(blank: Blank) -> str:
    return letters_of(blank.label or "").text


def _open_finding(verdict: FieldVerdict) -> Finding:
    name = verdict.question_b or verdict.question_a
    where = Where(question=name)
    if verdict.regions:
        first = verdict.regions[0]
        box = FindingBox(x0=first.x0, y0=first.y0, x1=first.x1, y1=first.y1)
        where = Where(question=name, source=first.source, page=first.page, box=box)
    message = (
        f"{name}, {verdict.field}: one reading has “{printable(verdict.value_a, 120)}”, "
        f"the other “{printable(verdict.value_b, 120)}”; the page does not decide."
    )
    return Finding(code="reading.open", severity="warning", where=where, message=message)
