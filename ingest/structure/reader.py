"""Structure: from lines in reading order to sections, questions, parts and options.

The stages, each in a module of its own: labels (what may number something), sequence (which labels number
the questions), sections (headings, zones, mentions), outline (which text belongs to which number), runs
and run_roles (options, parts, lists), tree (questions grown from text), compose (sections and groups),
question_types, allocation (points), identity (title, language, form).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..draft import DraftPaper, Figure
from ..keys.answers import split_answer
from ..lines import Line, Reading
from ..page import Page
from . import vocabulary
from .allocation import allocate_points
from .compose import compose
from .doubts import number_gaps, option_doubts
from .hangers import settle_hangers
from .identity import identify
from .inline import fill_gaps
from .labels import Label, find_labels, picture_labels
from .linetext import LineText, fragment
from .lost_labels import restore_lost
from .options import collect_options
from .outline import Outline, Unit, accept_headings, draw_outline, mark_gaps
from .points import question_marks
from .question_types import assign_types
from .run_roles import Evidence, Segment, is_options, usual_options, vote
from .runs import Position, find_runs, position, usual_run
from .scoring_rules import assign_scoring
from .sections import barred_lines, body_size, find_headings, find_mentions, open_zones, stimulus_lines, usual_leading
from .sequence import Surroundings, choose_run
from .tree import Grown, Stretch, grow, lines_between
from .true_false import is_true_false_header


def read_structure(
    readings: Sequence[Reading],
    pages: dict[tuple[int, int], Page],
    figures: Sequence[Figure],
    *,
    language: str | None = None,
) -> DraftPaper:
    """Understand the sources that print questions. `pages` by (source, 0-based page number).

    Never raises for a paper it cannot make sense of: a paper without questions has no sections' questions
    and all of its lines in `instructions`.
    """
    lines = [line for reading in readings for line in reading.lines]
    body = settle_hangers(_without_figures(lines, figures))
    work = _Work([LineText(line) for line in body], pages)
    work.solve()
    paper = compose(work.texts, work.outline, work.grown, work.around)
    identify(paper, readings, lines, pages, language)
    assign_types(paper, pages)
    allocate_points(paper, pages)
    assign_scoring(paper)
    paper.findings += number_gaps(work.texts, [label for unit in work.outline.units for label in unit.labels])
    paper.findings += option_doubts(paper)
    return paper


def _without_figures(lines: Sequence[Line], figures: Sequence[Figure]) -> list[Line]:
    """The lines without the words that stand inside drawings, images and tables."""
    inside = {key for figure in figures if not _holds_questions(figure) for key in figure.words}
    if not inside:
        return list(lines)
    kept: list[Line] = []
    for line in lines:
        words = [word for word in line.words if (line.source, line.page, word.index) not in inside]
        if len(words) == len(line.words):
            kept.append(line)
        elif words:
            kept.append(fragment(line, words))
    return kept


def _holds_questions(figure: Figure) -> bool:
    """Displayed formulas are text, and a table of statements to tick holds questions, not data."""
    head = figure.header or (figure.rows[0] if figure.rows else ())
    return figure.kind == "formula" or is_true_false_header([cell for cell in head if cell.strip()])


@dataclass
class _Work:
    """The paper while it is being understood."""

    texts: list[LineText]
    pages: dict[tuple[int, int], Page]
    labels: list[Label] = field(default_factory=list)
    outline: Outline = field(default_factory=Outline)
    around: Surroundings = field(default_factory=Surroundings)
    grown: list[Grown] = field(default_factory=list)
    leading: float = 0.6

    def solve(self) -> None:
        self.labels = find_labels(self.texts)
        body = body_size(self.texts)
        self.leading = usual_leading(self.texts)
        headings = find_headings(self.texts, self.labels, body)
        self.around = Surroundings(
            headings={heading.line: heading.strong for heading in headings},
            barred=barred_lines(self.texts, self.labels, headings),
            doubtful=_doubtful_lines(self.texts),
            titled=_titled_lines(self.texts, self.labels),
            body=body,
        )
        run = choose_run(self.labels, self.around)
        if len(run) < 2 and self.around.barred:
            self.around.barred = open_zones(self.texts, self.labels, self.around.barred)
            run = choose_run(self.labels, self.around)
        run = fill_gaps(self.texts, mark_gaps(run), self.around.barred)
        run = restore_lost(self.texts, self.labels, run)
        accepted = accept_headings(self.texts, headings, run, self.around)
        mentions = find_mentions(self.texts, run)
        stimuli = stimulus_lines(self.texts, self.labels, run)
        self.outline = draw_outline(self.texts, run, accepted, mentions, self.around.barred, stimuli)
        self._grow(sorted([*self.labels, *picture_labels(self.texts, self.pages)], key=position))

    def _grow(self, labels: list[Label]) -> None:
        """Grow all units; what their runs are is voted on by the whole paper first."""
        segments: list[Segment] = []
        cursor = 0
        answers: list[list[Line]] = []
        printed: list[str | None] = []
        for unit in self.outline.units:
            low, high, answer, value = self._cut_answer(unit)
            while cursor < len(labels) and position(labels[cursor]) < low:
                cursor += 1
            end = cursor
            while end < len(labels) and position(labels[end]) < high:
                end += 1
            inside = [label for label in labels[cursor:end] if not _is_chosen(label, unit)]
            segments.append(Segment(low, high, find_runs(self.texts, inside, low, high), self._choice(unit)))
            answers.append(answer)
            printed.append(value)
        self._find_banks(labels, segments)
        evidence = vote(self.texts, segments)
        self._add_usual(segments, labels, evidence)
        for unit, segment, answer, value in zip(self.outline.units, segments, answers, printed, strict=True):
            self.grown.append(self._grow_unit(unit, segment, evidence, answer, value))

    def _find_banks(self, labels: Sequence[Label], segments: Sequence[Segment]) -> None:
        """Options of gaps that are printed before the passage: a run with at least as many labels as there are gaps."""
        resume: Position = (0, 0)
        for unit, segment in zip(self.outline.units, segments, strict=True):
            if unit.gaps and not any(len(run.labels) >= 3 for run in segment.runs):
                low = max(resume, (self._section_line(unit), 0))
                runs = find_runs(self.texts, labels, low, (unit.start[0], 0))
                banks = [run for run in runs if len(run.labels) >= max(len(unit.labels), 3) and run.system_of_letters]
                unit.bank = max(banks, key=lambda run: len(run.labels), default=None)
            resume = unit.high

    def _section_line(self, unit: Unit) -> int:
        return self.outline.headings[unit.section].line if unit.section >= 0 else 0

    def _add_usual(self, segments: list[Segment], labels: list[Label], evidence: dict[int, Evidence]) -> None:
        """Where a question shows no options but its neighbours do, look for labels like theirs in any order."""
        usual = usual_options(segments, evidence)
        if usual is None:
            return
        for segment in segments:
            known = [run for run in segment.runs if is_options(evidence[id(run)])]
            longest = max((len(run.labels) for run in known), default=0)
            if longest >= usual.length:
                continue
            run = usual_run(self.texts, labels, segment.low, segment.high, usual)
            if run is not None and len(run.labels) > max(longest, usual.length - 2, 2):
                segment.runs = [other for other in segment.runs if other not in known]
                segment.runs.append(run)
                evidence[id(run)] = Evidence(2.0, 0.0, len(run.labels))

    def _grow_unit(
        self, unit: Unit, segment: Segment, evidence: dict[int, Evidence], answer: list[Line], value: str | None
    ) -> Grown:
        grown = grow(
            self.texts, unit.labels[0], Stretch(segment.low, segment.high, segment.runs, self.leading), evidence
        )
        if unit.bank is not None:
            collected = collect_options(self.texts, unit.bank, (unit.start[0], 0), self.leading)
            grown.question.options = collected.options
        if answer:
            last = grown.question.leaves()[-1]
            last.answer_lines, last.printed_answer = answer, value
        return grown

    def _cut_answer(self, unit: Unit) -> tuple[Position, Position, list[Line], str | None]:
        """Where the unit's own words begin and end once the answer printed with them is left out."""
        if unit.gaps:
            return unit.low, unit.high, [], None
        lines = lines_between(self.texts, unit.low, unit.high)
        split = split_answer(lines)
        if not split.answer:
            return unit.low, unit.high, [], None
        first = split.answer[0]
        if not split.stem:
            return unit.low, unit.low, split.answer, split.printed
        if lines and first is lines[0] and len(split.answer) == 1:
            return (unit.low[0] + 1, 0), unit.high, split.answer, split.printed
        place = self._place_of(first, unit)
        return unit.low, place, split.answer, split.printed

    def _place_of(self, line: Line, unit: Unit) -> Position:
        """Where a line cut out of the unit begins."""
        key = (line.source, line.page, line.words[0].index)
        for number in range(unit.low[0], unit.high[0] + 1):
            text = self.texts[number]
            if (text.line.source, text.line.page) != key[:2]:
                continue
            for start, word in zip(text.starts, text.line.words, strict=True):
                if word.index == key[2]:
                    inside = len(word.text) - len(line.words[0].text) if word.text.endswith(line.words[0].text) else 0
                    place = (number, start + max(inside, 0))
                    if place >= unit.low:
                        return place
        return unit.high

    def _choice(self, unit: Unit) -> bool | None:
        """Whether the unit's section says that its questions are of choice (True) or written (False)."""
        if unit.section < 0:
            return None
        heading = self.outline.headings[unit.section]
        words = " ".join(text.text for text in self.texts[heading.line : heading.line + 3])[:160]
        if vocabulary.names_open(words) and vocabulary.names_choice(words):
            return None
        return True if vocabulary.names_choice(words) else False if vocabulary.names_open(words) else None


def _is_chosen(label: Label, unit: Unit) -> bool:
    return any(position(label) == position(own) for own in unit.labels)


def _doubtful_lines(texts: Sequence[LineText]) -> frozenset[int]:
    """Lines of code, and lines without a letter: a number at their head seldom numbers a question."""
    found: set[int] = set()
    for number, text in enumerate(texts):
        words = text.line.words
        code = len(words) > 1 and words[1].mono and words[1].text.isascii() and not words[0].bold
        alone = len(words) == 1 and words[0].bold  # a number in a box of its own
        if code or not (alone or any(c.isalpha() for c in text.text)):
            found.add(number)
    return frozenset(found)


def _titled_lines(texts: Sequence[LineText], labels: Sequence[Label]) -> frozenset[int]:
    """Short numbered lines that end in a mark (`2  Groups [4 points]`)."""
    found: set[int] = set()
    for label in labels:
        chars = texts[label.line].text
        if label.place == "line" and label.system == "digit" and len(chars) <= 60:
            marks = question_marks(chars)
            if marks and marks[-1].end >= len(chars.rstrip()) - 1:
                found.add(label.line)
    return frozenset(found)
