"""Mark schemes and solutions: for each question its official answer, its marking notes and its point levels."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from ..draft import UNSURE, DraftPaper, DraftQuestion, Figure, KeyEntry
from ..lines import Line
from .anchors import Block, find_blocks, letters
from .answers import MARKER, split_answer
from .key_cells import narrow
from .key_values import canonical, position
from .rubric import Criterion, criteria_for, level_criteria, level_heads, levels_in

_ANSWER_HEAD = re.compile(
    r"^\W*(?:[一二三四五]、)?\s*(?:滿分|满分|完整|標準|标准)?(?:參考|参考)?(?:答案|解答)(?:示例|例|說明|"
    r"说明)?(?:\W*\d{1,3}\s*(?:分|marks?|points?|Punkte|P\.?))?\W*$|"
    r"^\W*(?:model |sample |suggested |expected |correct )?(?:answers?|solutions?|"
    r"responses?)(?:\W*\d{1,3}\s*(?:分|marks?|points?|Punkte|P\.?))?\W*$|"
    r"^\W*(?:lösung(?:svorschlag)?|musterlösung|antwort|solution|corrigé|réponse|respuesta|solución|resposta|"
    r"resolução|解答例?|正解|모범\s*답안|정답|풀이)(?:\W*\d{1,3}\s*(?:分|marks?|points?|Punkte|P\.?))?\W*$",
    re.IGNORECASE,
)
_RUBRIC_HEAD = re.compile(
    r"^\W*(?:[一二三四五]、)?\s*評分(?:原則|標準|準則|說明|参考|參考)?(?:說明)?(?:\W*\d{1,3}\s*(?:分|marks?|"
    r"points?|Punkte|P\.?))?\W*$|^\W*(?:[一二三四五]、)?\s*评分(?:标准|参考|原则|细则)(?:\W*\d{1,3}\s*(?:分|"
    r"marks?|points?|Punkte|P\.?))?\W*$|"
    r"^\W*(?:marking|mark|scoring|grading|rating)\s*(?:scheme|notes?|guid\w*|criteria|rubric|"
    r"instructions?)?(?:\W*\d{1,3}\s*(?:分|marks?|points?|Punkte|P\.?))?\W*$|^\W*rubric(?:\W*\d{1,3}\s*(?:分|"
    r"marks?|points?|Punkte|P\.?))?\W*$|"
    r"^\W*(?:bewertung|punkteverteilung|barème|criterios|critérios|採点基準|채점\s*기준)(?:\W*\d{1,3}\s*(?:分|"
    r"marks?|points?|Punkte|P\.?))?\W*$",
    re.IGNORECASE,
)
_SUB = re.compile(
    r"^\s*(?:part|teil|問|小題)?\s*[(（\[]?\s*([a-zA-Z]|\d{1,2}|[ivx]{1,4}|"
    r"[㈠-㈩①-⑩甲乙丙丁])(?:\s*-\s*(\d{1,2}))?\s*[)）\].．、:：]",
    re.IGNORECASE,
)
_PART = re.compile(r"^\s*(?:part|teil|parte)\s+([A-Za-z]|\d{1,2})\s*[.:：]?\s*$", re.IGNORECASE)
_PICTURE = 18.0
"""Points: what is thinner is a rule or a box of a word, no picture of an answer."""
_LIMIT = 400
"""Lines of one question's block that are still its own: beyond that a scheme shows sample papers."""


@dataclass
class _Sections:
    """A block's lines by what they are: repeated question, model answer, marking notes."""

    answer: list[Line] = field(default_factory=list)
    rubric: list[Line] = field(default_factory=list)
    opening: str = ""
    """What the opening line says behind its label, where it is not the question's own words."""
    headed: bool = False
    """The scheme parts them with headings of its own."""


@dataclass(frozen=True)
class Scheme:
    """One source that is read as a mark scheme or solution. `render` sets a line as text, formulas included."""

    kind: Literal["markscheme", "solution"]
    figures: Sequence[Figure]
    render: Callable[[Line], str]

    def text(self, lines: Sequence[Line]) -> str:
        return "\n".join(self.render(line) for line in lines).strip()


def read_scheme(lines: Sequence[Line], paper: DraftPaper, printed: PaperText, scheme: Scheme) -> list[KeyEntry]:
    """One entry per question that these lines of one source deal with."""
    entries: list[KeyEntry] = []
    blocks = _gathered(find_blocks(lines, paper), paper, printed)
    dealt = {block.question.id for block in blocks}
    for block in blocks:
        entries.extend(_block_entries(block, printed, scheme, dealt))
    entries.extend(_unnumbered(lines, blocks, paper, printed, scheme))
    return entries


def _gathered(blocks: Sequence[Block], paper: DraftPaper, printed: PaperText) -> list[Block]:
    """Blocks of sub-questions put back into their question's where one of them says nothing of its own.

    A solution that repeats all parts first and answers below them deals with the question as a whole.
    """
    parents = {c.id: q for q in paper.questions() if not q.group for c in q.children}
    found: list[Block] = []
    for block in blocks:
        parent = parents.get(block.question.id)
        last = found[-1] if found else None
        within = last is not None and parent is not None
        if within and last is not None and (last.question is parent or parents.get(last.question.id) is parent):
            said = [n for n in last.lines if not printed.repeated(n, None) and not _ANSWER_HEAD.match(n.text)]
            if not any(len(letters(n.text)) >= 2 for n in said):
                found[-1] = Block(parent or last.question, [*last.lines, *block.lines], last.opening, True, block.until)
                continue
        found.append(block)
    return found


class PaperText:
    """The paper's own words, to tell what a solution repeats from what it adds."""

    def __init__(self, paper: DraftPaper, lines: Sequence[Line] = ()) -> None:
        self.whole: set[str] = set()
        """Runs of six letters: of all that the paper's pages print (`lines`)."""
        self._add(self.whole, lines)
        self.own: dict[str, set[str]] = {}
        for section in paper.sections:
            self._add(self.whole, [*section.title, *section.instructions])
            for question in section.questions:
                self._walk(question, set())
        self._add(self.whole, [*paper.instructions, *paper.reference])

    def _walk(self, question: DraftQuestion, above: set[str]) -> None:
        own = set(above)
        lines = [*question.stem, *(line for o in question.options for line in o.lines)]
        self._add(own, lines)
        self._add(self.whole, lines)
        for child in question.children:
            self._walk(child, own)
            own |= self.own[child.id]
        self.own[question.id] = own

    @staticmethod
    def _add(into: set[str], lines: Sequence[Line]) -> None:
        text = "".join(letters(line.text) for line in lines)
        into.update(text[i : i + 6] for i in range(len(text) - 5))

    def repeated(self, line: Line, question: DraftQuestion | None) -> bool:
        """Whether nearly all of the line stands in the question (None: anywhere in the paper)."""
        text = letters(line.text)
        if len(text) < 6:
            return False
        known = self.own.get(question.id, self.whole) if question is not None else self.whole
        pieces = [text[i : i + 6] for i in range(len(text) - 5)]
        held = sum(p in known for p in pieces)
        return held >= 0.9 * len(pieces) and pieces[0] in known and pieces[-1] in known

    def adds_to(self, line: Line) -> bool:
        """Whether the line repeats words of the paper and writes something beside them."""
        text = letters(line.text)
        pieces = [text[i : i + 6] for i in range(len(text) - 5)]
        held = sum(p in self.whole for p in pieces)
        return len(pieces) - held >= 4 and held >= 4

    def added(self, lines: Sequence[Line]) -> list[Line]:
        """The lines that the paper does not print; a short one between lines that it prints goes with them."""
        kept: list[Line] = []
        before = False
        for line in lines:
            short = len(letters(line.text)) < 6
            before = before if short and before else self.repeated(line, None)
            if not before:
                kept.append(line)
        return kept


def _block_entries(block: Block, printed: PaperText, scheme: Scheme, dealt: set[str]) -> list[KeyEntry]:
    lines = _own_lines(block)
    question = block.question
    if question.options:
        return [_choice_entry(block, lines, scheme)]
    sections = _sectioned(lines, block.opening, printed)
    children = [c for c in question.children if c.id not in dealt]
    if not question.children:
        return [_leaf_entry(question, sections, block, scheme)]
    if not children:
        return []
    return _child_entries(question, children, sections, block, scheme)


def _own_lines(block: Block) -> list[Line]:
    """The block's lines without what follows its lowest point level (sample papers, the next document)."""
    lines = block.lines[:_LIMIT]
    criteria, stop = level_criteria(lines[1:])
    return lines[: stop + 1] if criteria else lines


def _choice_entry(block: Block, lines: Sequence[Line], scheme: Scheme) -> KeyEntry:
    split = split_answer(lines)
    text = "\n".join([block.opening, *(scheme.render(line) for line in lines[1:])]).strip()
    return _entry(block.question, block, scheme.kind, split.printed or text, text, ())


def _sectioned(lines: Sequence[Line], opening: str, printed: PaperText) -> _Sections:
    """The block parted at its headings; without any, what the paper does not print itself is the answer.

    Under a heading all lines count, repeated ones too: they are the labels of the answer's parts.
    """
    found = _Sections()
    into: list[Line] | None = None
    before: list[Line] = []
    for n, line in enumerate(lines):
        if n and _RUBRIC_HEAD.match(line.text):
            into = found.rubric
        elif n and _ANSWER_HEAD.match(line.text) and not line.text.strip()[:1].islower():
            into = found.answer
        elif into is None:
            before.append(line)
        else:
            into.append(line)
    levels, _ = level_criteria(lines[1:])
    if into is not None:
        found.headed = True
        found.answer = [*(line for line in before[1:] if printed.adds_to(line)), *found.answer]
    elif levels:
        found.answer = list(lines[1 + level_heads(lines[1:])[0][0] :])
    elif (marker := split_answer(before)).answer:
        found.answer = list(marker.answer)
    else:
        found.answer = printed.added(before[1:])
        found.opening = "" if printed.repeated(lines[0], None) else opening
    return found


def _leaf_entry(question: DraftQuestion, sections: _Sections, block: Block, scheme: Scheme) -> KeyEntry:
    answer, rubric = _with_tables(sections.answer, scheme), scheme.text(sections.rubric)
    answer = "\n".join(t for t in (sections.opening.strip(), answer) if t)
    leveled = level_criteria(block.lines[1:_LIMIT])[0]
    criteria = leveled or criteria_for(answer, rubric, question.points)
    if leveled and not sections.headed:
        answer = "\n".join(levels[0][1] for _, levels in leveled)
    reference = "\n\n".join(t for t in (answer, rubric) if t)
    entry = _entry(question, block, scheme.kind, answer, reference, criteria)
    return replace(entry, figures=_near(scheme.figures, sections.answer, block))


def _child_entries(
    parent: DraftQuestion,
    children: Sequence[DraftQuestion],
    sections: _Sections,
    block: Block,
    scheme: Scheme,
) -> list[KeyEntry]:
    answers = split_parts(sections.answer, parent.children)
    rubrics = split_parts(sections.rubric, parent.children)
    whole, whole_rubric = _with_tables(sections.answer, scheme), scheme.text(sections.rubric)
    whole = "\n".join(t for t in (sections.opening.strip(), whole) if t)
    entries: list[KeyEntry] = []
    for child in children:
        own = answers.get(child.id, [])
        answer, rubric = _with_tables(own, scheme), scheme.text(rubrics.get(child.id, []))
        if child.children:
            nested = _Sections(own, rubrics.get(child.id, []))
            entries.extend(_child_entries(child, child.children, nested, block, scheme))
            continue
        if not answer and not whole:
            continue
        criteria = criteria_for(answer, rubric, child.points) if answer else ()
        notes = rubric if rubrics else whole_rubric
        reference = "\n\n".join(t for t in (answer or whole, notes) if t)
        entry = _entry(child, block, scheme.kind, answer or whole, reference, criteria)
        entries.append(replace(entry, figures=_near(scheme.figures, own)))
    return entries


def split_parts(lines: Sequence[Line], children: Sequence[DraftQuestion]) -> dict[str, list[Line]]:
    """Lines by the sub-question whose label they stand under; `(a-1)` and `(a-2)` both belong to `(a)`.

    Empty where fewer than two of the labels are found in order.
    """
    found: dict[str, list[Line]] = {}
    current: str | None = None
    last = -1
    for line in lines:
        place = _child_at(line, children)
        if place is not None and place >= last and place <= last + 1:
            current, last = children[place].id, place
        if current is not None:
            found.setdefault(current, []).append(line)
    return found if len(found) >= min(2, len(children)) else {}


def _child_at(line: Line, children: Sequence[DraftQuestion]) -> int | None:
    text = MARKER.sub("", narrow(line.text), count=1)
    match = _PART.match(text) or _SUB.match(text)
    if not match:
        return None
    label = match[1]
    for n, child in enumerate(children):
        key = re.sub(r"^\d+[\s\-.]*(?=\D)", "", child.key) or child.key
        if canonical(key) == canonical(label):
            return n
        if position(key) is not None and position(key) == position(label) and key.isalpha() == label.isalpha():
            return n
    return None


def _unnumbered(
    lines: Sequence[Line], blocks: Sequence[Block], paper: DraftPaper, printed: PaperText, scheme: Scheme
) -> list[KeyEntry]:
    """Rubrics that name no question: levels whose lead-in repeats the words of one open question alone."""
    dealt = {b.question.id for b in blocks}
    open_questions = [q for q in paper.leaves() if not q.options and q.id not in dealt]
    if not open_questions:
        return []
    used = {id(line) for b in blocks for line in _own_lines(b)}
    scored: list[tuple[int, int, DraftQuestion]] = []
    stretches = [r for r in _level_runs(lines) if id(lines[r[0]]) not in used]
    for n, (start, _, _) in enumerate(stretches):
        lead = [line for line in lines[max(0, start - 60) : start] if id(line) not in used]
        scored.extend((sum(printed.repeated(line, q) for line in lead), -n, q) for q in open_questions)
    entries: list[KeyEntry] = []
    done: set[str] = set()
    for score, place, question in sorted(scored, key=lambda s: s[:2], reverse=True):
        if score < 2 or question.id in done or str(place) in done:
            continue
        done |= {question.id, str(place)}
        start, end, levels = stretches[-place]
        criteria = (("Overall, by the official levels.", levels),)
        block = Block(question, list(lines[start:end]), "", True)
        entries.append(_entry(question, block, scheme.kind, "", levels[0][1], criteria))
    return entries


def _level_runs(lines: Sequence[Line]) -> list[tuple[int, int, tuple[tuple[float, str], ...]]]:
    """Stretches of lines that hold a whole set of levels, three at least."""
    found: list[tuple[int, int, tuple[tuple[float, str], ...]]] = []
    for start, end in level_heads(lines):
        levels = levels_in(lines[start:end])
        if len(levels) >= 3:
            found.append((start, end, levels))
    return found


def _near(figures: Sequence[Figure], lines: Sequence[Line], block: Block | None = None) -> tuple[Figure, ...]:
    """Figures of the scheme that stand among the lines of an answer, in order.

    With the `block` that the lines end, those below its last line too, down to where the next one begins.
    """
    found: list[Figure] = []
    for figure in figures:
        beside = [line for line in lines if (line.source, line.page) == (figure.source, figure.page)]
        small = min(figure.box.width, figure.box.height) < _PICTURE
        if not beside or small or figure.kind == "formula":
            continue
        bottom = max(n.box.y1 for n in beside) + 2
        if block is not None and lines[-1].page == figure.page:
            after = block.until
            bottom = after.box.y0 if after is not None and after.page == figure.page else float("inf")
        if min(n.box.y0 for n in beside) - 2 <= figure.box.cy <= bottom:
            found.append(figure)
    return tuple(found)


def _with_tables(lines: Sequence[Line], scheme: Scheme) -> str:
    """The lines' text, with the rows of cells of a table among them where it reads cleanly."""
    tables = [f for f in scheme.figures if f.kind == "table" and f.rows]
    parts: list[str] = []
    cells: dict[int, str] = {}
    for line in lines:
        inside = next((f for f in tables if _holds(f, line)), None)
        if inside is not None and id(inside) not in cells:
            rows = [*([inside.header] if inside.header else []), *(inside.rows or ())]
            parts.extend("\t".join(" ".join(cell.split()) for cell in row) for row in rows)
            cells[id(inside)] = letters("".join(cell for row in rows for cell in row))
        if inside is None or letters(line.text) not in cells[id(inside)]:
            parts.append(scheme.render(line))
    return "\n".join(parts).strip()


def _holds(figure: Figure, line: Line) -> bool:
    return (figure.source, figure.page) == (line.source, line.page) and figure.box.contains(line.box.cx, line.box.cy)


def _entry(
    question: DraftQuestion,
    block: Block,
    kind: str,
    raw: str,
    reference: str,
    criteria: tuple[Criterion, ...],
) -> KeyEntry:
    first = block.lines[0]
    return KeyEntry(
        section=None,
        label=question.key,
        reference=reference or None,
        criteria=criteria,
        source=first.source,
        page=first.page,
        box=first.box,
        origin="solution" if kind == "solution" else "markscheme",
        series=-2 if block.repeated else UNSURE,
        raw=raw,
        question_id=question.id,
    )
