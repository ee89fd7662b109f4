"""Composing the paper: sections with their directions, groups with their shared stimulus, questions in them.

Between one question's own text and the next number there may stand headings, directions, a mention of a
group, a passage. Headings and directions go to a section; a passage goes to the group that a mention
names, or else to the questions that follow it until the next passage.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ..draft import DraftBlank, DraftPaper, DraftQuestion, DraftSection
from ..lines import Line
from . import vocabulary
from .linetext import LineText, fragment
from .outline import Outline, Unit
from .runs import Position
from .sections import Heading, Mention, directs, refers
from .sequence import Surroundings
from .tree import Grown, label_key, lines_between, printed_label

_GROUP_SIZE = 12
"""A passage that no mention announces is hardly shared by more questions than this."""
_PASSAGE_LINES = 4
"""From so many lines on, text before a question is a stimulus of its own rather than part of its stem."""


@dataclass
class _Group:
    """A group that is still open: its question, and the last number that belongs to it (None: until the
    next passage)."""

    question: DraftQuestion
    last: int | None


@dataclass
class _Composer:
    texts: Sequence[LineText]
    outline: Outline
    around: Surroundings
    paper: DraftPaper = field(default_factory=DraftPaper)
    section: DraftSection | None = None
    stack: list[tuple[Heading, DraftSection]] = field(default_factory=list)
    groups: list[_Group] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    ahead: list[Line] = field(default_factory=list)
    announced: bool = False
    """The loose lines begin with the head of a stimulus: they belong to what follows."""
    heads: dict[int, Heading] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.heads = {heading.line: heading for heading in self.outline.headings}

    def run(self, grown: Sequence[Grown]) -> DraftPaper:
        units = self.outline.units
        if not units:
            self.paper.instructions = lines_between(self.texts, (0, 0), self._end())
            return self.paper
        start = self._opening(units[0])
        self.paper.instructions = lines_between(self.texts, (0, 0), (start, 0))
        free: list[tuple[Position, Position]] = []
        resume: Position = (start, 0)
        for unit, own in zip(units, grown, strict=True):
            self._between([*free, (resume, unit.head)], unit)
            self._place(unit, own)
            free = [(own.end, own.limit)] if own.end < own.limit else []
            resume = unit.high
        self._tail([*free, (resume, self._end())])
        self._finish()
        return self.paper

    def _end(self) -> Position:
        return (len(self.texts) - 1, len(self.texts[-1].text)) if self.texts else (0, 0)

    def _opening(self, first: Unit) -> int:
        """The line at which the cover ends: the outermost heading, or mention, that leads to the first question."""
        line = first.start[0]
        page = self.texts[line].line.page
        start = line
        for number in range(line - 1, -1, -1):
            if number in self.around.barred:
                break
            known = any(h.line == number for h in self.outline.headings) or number in self.outline.mentions
            if known and line - number <= 60:
                start = number
            if self.texts[number].line.page < page - 1:
                break
        return start

    @property
    def group(self) -> _Group | None:
        """The innermost open group."""
        return self.groups[-1] if self.groups else None

    def _close_groups(self, before: int | None) -> None:
        """Close the groups that end before a number; all of them for None."""
        while self.groups:
            last = self.groups[-1].last
            if before is not None and (last is None or last >= before):
                break
            self.groups.pop()

    # What stands between two questions.

    def _pieces(self, stretches: Sequence[tuple[Position, Position]]) -> Iterator[tuple[int, Line]]:
        """The lines, or parts of lines, of some stretches, with their numbers; ornaments and notices set aside."""
        for low, high in stretches:
            for number in range(low[0], min(high[0] + 1, len(self.texts))):
                start = low[1] if number == low[0] else 0
                stop = high[1] if number == high[0] else len(self.texts[number].text)
                piece = self.texts[number].cut(start, stop) if start < stop else None
                if piece is None:
                    continue
                text = piece.text
                if vocabulary.is_notice(text) or not any(c.isalnum() for c in text):
                    self.paper.ornaments.append(piece)
                else:
                    yield number, piece

    def _between(self, stretches: Sequence[tuple[Position, Position]], unit: Unit) -> None:
        """Sort the lines between the last question's text and the next number."""
        self._close_groups(None if unit.restarts else unit.first)
        loose: list[Line] = []
        target: list[Line] | None = None
        for number, piece in self._pieces(stretches):
            if number in self.heads:
                self._settle(loose, None)
                loose = []
                target = self._open_section(self.heads[number], piece)
            elif number in self.outline.mentions and self._opens_group(number, unit):
                self._settle(loose, None)
                loose = []
                target = self._open_group(self.outline.mentions[number], piece)
            elif number in self.outline.mentions and target is None and not self.groups:
                self._settle(loose, None)
                loose = []
                target = self._direct(piece)
            elif number in self.around.barred and target is None:
                self.paper.reference.append(piece)
            elif target is not None:
                target.append(piece)
            else:
                if number in self.outline.stimuli and not self.announced:
                    self._settle(loose, None)
                    loose, self.announced = [], True
                loose.append(piece)
        if self.section is not None and target is self.section.instructions:
            loose = self._split_directions(unit)
        self._settle(loose, unit)

    def _direct(self, piece: Line) -> list[Line]:
        """A mention that only says which questions come: directions of the section, or the head of a new one."""
        if self.section is None or self.section.questions:
            self.section = DraftSection(title=[piece])
            self.paper.sections.append(self.section)
        else:
            self.section.instructions.append(piece)
        return self.section.instructions

    def _settle(self, loose: list[Line], unit: Unit | None) -> None:
        """Text that no heading or mention claims: to the open group, to the last question, or before the next."""
        if not loose:
            return
        group, last = self.group, self._last_question()
        announced, self.announced = self.announced, False
        if announced and group is not None and group.last is None:
            self.groups.pop()
            group = self.group
        if unit is None:
            (last.stem if last else self.paper.instructions).extend(loose)
        elif group is not None and group.last is not None and unit.first <= group.last:
            group.question.stem.extend(loose)
        elif not announced and not _is_passage(loose) and last is not None and self._is_nearer(loose, unit):
            _last_lines(last).extend(loose)
        elif not _is_passage(loose):
            self.ahead.extend(loose)
        else:
            self._begin_group(None).stem.extend(loose)

    def _is_nearer(self, loose: Sequence[Line], unit: Unit) -> bool:
        """Whether a few loose lines stand nearer to what is above them than to the next number."""
        head, first, last = self.texts[unit.start[0]].line, loose[0], loose[-1]
        above = self.texts[unit.start[0] - 1].line if unit.start[0] else head
        if (last.page, last.column) != (head.page, head.column):
            return True
        if (first.page, first.column) != (above.page, above.column):
            return False
        before = self._line_above(first)
        gap = first.box.y0 - before.box.y1 if before is not None else 0.0
        return gap <= head.box.y0 - last.box.y1

    def _line_above(self, line: Line) -> Line | None:
        last = self._last_question()
        lines = _last_lines(last) if last else []
        return lines[-1] if lines and (lines[-1].page, lines[-1].column) == (line.page, line.column) else None

    def _split_directions(self, unit: Unit) -> list[Line]:
        """Part a section's directions from a passage that follows them without any mention."""
        assert self.section is not None
        lines = self.section.instructions
        paragraphs = _paragraphs(lines)
        kept = 1 if paragraphs else 0
        while kept < len(paragraphs) and len(paragraphs[kept]) < _PASSAGE_LINES and directs(_text(paragraphs[kept])):
            kept += 1
        passage = [line for paragraph in paragraphs[kept:] for line in paragraph]
        if len(passage) < _PASSAGE_LINES:
            return []
        self.section.instructions = [line for paragraph in paragraphs[:kept] for line in paragraph]
        return passage

    def _opens_group(self, number: int, unit: Unit) -> bool:
        """Whether a mention announces a shared stimulus rather than directing a whole section."""
        mention = self.outline.mentions[number]
        text = self.texts[number].text
        later = [m for line, m in self.outline.mentions.items() if line > number and m.first == mention.first]
        if any(m.last < mention.last for m in later):
            return refers(text) and not directs(text)
        if self.section is not None and self.section.questions and 1 <= mention.last - mention.first < _GROUP_SIZE:
            return True
        if unit.gaps and unit.last == mention.last and text.strip()[:1].isdigit():
            return True
        follows = unit.start[0] - number - 1
        if mention.first == mention.last:
            return follows >= 1
        if follows >= _PASSAGE_LINES:
            return refers(text) or not directs(text)
        return refers(text) and not directs(text) and (follows >= 1 or len(text) < 40)

    def _open_section(self, heading: Heading, piece: Line) -> list[Line]:
        self._close_groups(None)
        titled = self.section is not None and not self.section.questions and self.stack and self._deeper(heading)
        carried = self.section if titled else None
        while self.stack and not self._deeper(heading):
            self.stack.pop()
        key = heading.key
        section = DraftSection(key=key, title=[piece], parent=self.stack[-1][1].key if self.stack else None)
        if carried is not None and not carried.questions:
            section.title = [*carried.title, piece]
            section.instructions = carried.instructions
            self.paper.sections.remove(carried)
            if carried.key and not key:
                section.key = carried.key
        self.stack.append((heading, section))
        self.section = section
        self.paper.sections.append(section)
        return section.instructions

    def _deeper(self, heading: Heading) -> bool:
        """Whether a heading stands below the innermost open one."""
        if not self.stack:
            return True
        forms = [h.form for h, _ in self.stack]
        top = self.stack[-1][0]
        if heading.form in forms:
            return False
        if (
            heading.label is not None
            and heading.label.value == 1
            and top.label is not None
            and not self.stack[-1][1].questions
        ):
            return True
        return heading.size <= top.size + 0.6

    def _open_group(self, mention: Mention, piece: Line) -> list[Line]:
        question = self._begin_group(mention.last)
        question.key = f"{mention.first}-{mention.last}"
        question.stem.append(piece)
        return question.stem

    def _begin_group(self, last: int | None) -> DraftQuestion:
        """A new group that ends with number `last` (None: with the next passage), inside an open one that goes on."""
        while self.groups and (self.groups[-1].last is None or last is None or self.groups[-1].last < last):
            self.groups.pop()
        question = DraftQuestion(label=None, key="", group=True)
        siblings = self.groups[-1].question.children if self.groups else self._questions()
        siblings.append(question)
        self.groups.append(_Group(question, last))
        return question

    # The questions themselves.

    def _questions(self) -> list[DraftQuestion]:
        if self.section is None:
            self.section = DraftSection()
            self.paper.sections.append(self.section)
        return self.section.questions

    def _last_question(self) -> DraftQuestion | None:
        for section in reversed(self.paper.sections):
            if section.questions:
                return section.questions[-1].leaves()[-1]
        return None

    def _place(self, unit: Unit, own: Grown) -> None:
        if unit.restarts and self.section is not None and self.section.questions and self._used(unit):
            self.section = DraftSection()
            self.paper.sections.append(self.section)
        self._close_groups(unit.first)
        group = self.group
        siblings = group.question.children if group is not None else self._questions()
        if unit.gaps:
            self._place_gaps(unit, own, siblings)
        else:
            self._drop_notices(own.question)
            own.question.stem[:0] = self.ahead
            self.ahead = []
            siblings.append(own.question)

    def _drop_notices(self, question: DraftQuestion) -> None:
        """Set aside notices and separators that stand at the end of a question's own text."""
        for lines in (leaf.stem for leaf in question.leaves()):
            while len(lines) > 1 and (
                vocabulary.is_notice(lines[-1].text) or not any(c.isalnum() for c in lines[-1].text)
            ):
                if any(c in "_＿…□" for c in lines[-1].text):
                    break  # room for the answer
                self.paper.ornaments.append(lines.pop())

    def _used(self, unit: Unit) -> bool:
        assert self.section is not None
        keys = {q.key for question in self.section.questions for q in [question, *question.children]}
        return label_key(unit.labels[0]) in keys

    def _place_gaps(self, unit: Unit, own: Grown, siblings: list[DraftQuestion]) -> None:
        """Gaps of a passage: the passage is the group's, each gap a question, a bank of options is each gap's."""
        group = self.group
        if group is None:
            siblings = self._begin_group(unit.last).children
            group = self.groups[-1]
        group.question.stem.extend(lines_between(self.texts, (unit.start[0], 0), own.stem_end))
        ends = [*((label.line, label.start) for label in unit.labels[1:]), own.stem_end]
        for label, end in zip(unit.labels, ends, strict=True):
            gap = DraftQuestion(label=printed_label(label), key=label_key(label), options=own.question.options)
            gap.label_words = self.texts[label.line].keys(label.start, label.end)
            if label.form[1] and not gap.options:
                gap.stem = _sentence(lines_between(self.texts, (label.line, label.end), end))
            gap.prompt_blank = not gap.stem
            gap.blanks = [DraftBlank(gap.label)] if gap.prompt_blank and not gap.options else []
            siblings.append(gap)

    def _tail(self, stretches: Sequence[tuple[Position, Position]]) -> None:
        """What stands behind the last question: further headings (with an essay each), reference, notices."""
        target: list[Line] | None = None
        for number, piece in self._pieces(stretches):
            if number in self.around.barred:
                self.paper.reference.append(piece)
            elif number in self.heads:
                target = self._open_section(self.heads[number], piece)
            elif target is not None:
                target.append(piece)
            else:
                self._settle([piece], None)

    def _name_gaps(self, group: DraftQuestion) -> None:
        """Give every item without a prompt the words of its gap in the passage, where its number stands alone."""
        wanted = {
            child.key: child
            for child in group.children
            if not child.stem and not child.children and child.key.isdigit()
        }
        if not wanted:
            return
        for line in group.stem:
            for word in line.words:
                child = wanted.get(word.text.strip("_ .,()（）[]“”\"'；;"))
                if child is not None:
                    child.label_words |= {(line.source, line.page, word.index)}
                    child.prompt_blank = True
                    del wanted[child.key]

    def _finish(self) -> None:
        """Undo groups of one, drop empty ones, and make a question of a section that only sets a task."""
        for section in self.paper.sections:
            section.questions = [kept for question in section.questions for kept in _settled(question)]
            for question in section.questions:
                for inner in [question, *question.children]:
                    if inner.group:
                        self._name_gaps(inner)
        self.paper.sections = [s for s in self.paper.sections if s.questions or s.title or s.instructions]
        for number, section in enumerate(self.paper.sections):
            if not section.questions:
                self._task_of(section, number)
        self._mark_restarts()

    def _task_of(self, section: DraftSection, number: int) -> None:
        body = section.instructions
        if len(_text(body)) < 40 or len(body) < 2:
            return
        question = DraftQuestion(label=None, key=section.key or str(number + 1), stem=list(body))
        section.instructions = []
        section.questions = [question]

    def _mark_restarts(self) -> None:
        for section in self.paper.sections:
            keys = {
                q.key
                for question in section.questions
                for q in ([question] if not question.group else question.children)
            }
            section.restarts = bool(keys & self.seen)
            self.seen |= keys


def compose(texts: Sequence[LineText], outline: Outline, grown: Sequence[Grown], around: Surroundings) -> DraftPaper:
    """Put the grown questions into sections and groups; every line ends in exactly one place."""
    return _Composer(texts, outline, around).run(grown)


def _sentence(lines: Sequence[Line]) -> list[Line]:
    """A marked segment of a passage: from its number to the end of the sentence."""
    kept: list[Line] = []
    for line in lines:
        for place, word in enumerate(line.words):
            if word.text.rstrip("\"'”’)）」")[-1:] in _SENTENCE_ENDS and len(word.text) > 1:
                kept.append(fragment(line, line.words[: place + 1]))
                return kept
        kept.append(line)
    return kept


_SENTENCE_ENDS = (".", "?", "!", "。", "？", "！", "；", ";")


def _is_passage(lines: Sequence[Line]) -> bool:
    """Whether lines are running text: enough of them, and most of them fill their column."""
    full = sum(line.box.width >= 0.5 * line.column_box.width for line in lines)
    return len(lines) >= _PASSAGE_LINES and full >= 0.6 * len(lines)


def _last_lines(question: DraftQuestion) -> list[Line]:
    """The list that a question's last printed line stands in: its last option's, or its stem."""
    options = [option for option in question.options if option.lines]
    return options[-1].lines if options else question.stem


def _settled(question: DraftQuestion) -> list[DraftQuestion]:
    """A group as it should stand: with two members or more, else its text before its only member's."""
    if not question.group:
        return [question]
    question.children = [kept for child in question.children for kept in _settled(child)]
    children = question.children
    cloze = sum(not child.stem for child in children) >= 0.8 * len(children)
    if len(children) == 1 or (len(children) > _GROUP_SIZE and not question.key and not cloze):
        children[0].stem = [*question.stem, *children[0].stem]
        return children
    if question.children:
        question.key = f"{question.children[0].key}-{question.children[-1].key}"
        return [question]
    return []


def _paragraphs(lines: Sequence[Line]) -> list[list[Line]]:
    """Lines parted where a line is indented, set off by a gap, or follows a short one."""
    found: list[list[Line]] = []
    for line in lines:
        previous = found[-1][-1] if found else None
        if previous is None or _breaks(previous, line):
            found.append([line])
        else:
            found[-1].append(line)
    return found


def _breaks(before: Line, after: Line) -> bool:
    if (before.page, before.column) != (after.page, after.column):
        return after.indent > 8
    size = max(after.size, 6.0)
    short = before.box.x1 < before.column_box.x1 - 0.2 * before.column_box.width
    return short or after.box.y0 - before.box.y1 > 0.8 * size or after.box.x0 - before.box.x0 > 10


def _text(lines: Sequence[Line]) -> str:
    return " ".join(line.text for line in lines)
