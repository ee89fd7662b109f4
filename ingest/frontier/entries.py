"""What the windows reported, as one paper: sections, questions as trees, each entry once.

Two windows may see the same entry (a page shared, an entry across a break): they are merged by what is fuller, field
by field, never by which came last. Nothing here changes a word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from rapidfuzz.fuzz import ratio

from ...schemas.exam import Region
from ..assembly.proof import fold
from .prompts.questions import FigureSeen, OptionRead, QuestionRead, Questions, SectionRead
from .views import View, regions_of

_SAME_TEXT = 80.0
"""Similarity (0..100) of two texts under one label from which they are one entry."""
_SECTION_WORD = re.compile(
    r"^(?:sections?|parts?|teil|partie|parte|secci[oó]n|se[cç][aã]o|sezione|phần|раздел|часть|booklet|paper)\b[\s.:]*|^第(?=.)|"
    r"(?:部[分份]|[節节編编])$",
    re.IGNORECASE,
)
_PUNCTUATION = re.compile(r"[\s()\[\]（）【】〔〕「」.．。,，、:：;；]+")


@dataclass
class PaperFigure:
    """A figure as the model saw it: `window` and `id` name it, `region` is None where its box lay off the page."""

    window: int
    id: str
    seen: FigureSeen
    region: Region | None
    page: tuple[int, int] | None


@dataclass
class Entry:
    """One question of the paper with its parts. `text` and the options keep the markers [[F1]] of its window's
    figures, made unique as [[W3F1]]."""

    read: QuestionRead
    window: int
    regions: list[Region] = field(default_factory=list)
    children: list[Entry] = field(default_factory=list)

    def walk(self) -> Iterator[Entry]:
        yield self
        for child in self.children:
            yield from child.walk()

    @property
    def weight(self) -> int:
        """How much of the question the entry holds: characters of text, options and items."""
        read = self.read
        items = [*read.options, *read.left, *read.right]
        return len(read.text) + sum(len(item.text) + 1 for item in items) + sum(c.weight for c in self.children)


@dataclass
class SectionEntry:
    label: str | None
    within: str | None
    title: str | None
    directions: list[str] = field(default_factory=list)
    questions: list[Entry] = field(default_factory=list)
    window: int = 0


@dataclass
class PaperRead:
    """All windows joined. `off_page` are the places that no page holds, by the name of their entry."""

    sections: list[SectionEntry] = field(default_factory=list)
    figures: dict[str, PaperFigure] = field(default_factory=dict)
    off_page: list[str] = field(default_factory=list)

    def entries(self) -> Iterator[Entry]:
        for section in self.sections:
            for question in section.questions:
                yield from question.walk()


def plain_label(label: str | None) -> str:
    """A label for comparison: `(a)`, `a.` and `ａ)` are `a`."""
    return _PUNCTUATION.sub("", unicodedata.normalize("NFKC", label or "")).casefold()


def section_key(label: str | None) -> str | None:
    """What keys name a section by: `Section A` and `A.` are A, `第壹部分` is 壹; None where nothing is left."""
    bare = (label or "").strip()
    while (shorter := _SECTION_WORD.sub("", bare).strip(" .:：、．")) != bare:
        bare = shorter
    return bare or None


def join_windows(replies: Sequence[tuple[int, Questions, Sequence[View]]]) -> PaperRead:
    """The replies of all windows, in the order of print, as one paper. The number is the window's."""
    paper = PaperRead()
    for number, reply, views in replies:
        _Joiner(paper, number, reply, views).join()
    return paper


class _Joiner:
    """One window's reply brought into the paper."""

    def __init__(self, paper: PaperRead, number: int, reply: Questions, views: Sequence[View]) -> None:
        self.paper, self.number, self.reply, self.views = paper, number, reply, views

    def join(self) -> None:
        for seen in self.reply.figures:
            self._figure(seen)
        sections = {read.ref: self._section(read) for read in self.reply.sections}
        entries = [self._entry(read) for read in self.reply.questions]
        # an entry can only be part of one before it: no reply can tie a knot
        by_ref: dict[str, Entry] = {}
        for entry in entries:
            parent = by_ref.get(entry.read.parent or "")
            if parent is not None:
                parent.children.append(entry)
            else:
                section = sections.get(entry.read.section or "") or self._open_section()
                section.questions.append(entry)
            by_ref[entry.read.ref] = entry
        for section in self.paper.sections:
            section.questions = _merged(section.questions)

    def _figure(self, seen: FigureSeen) -> None:
        found, _ = regions_of([seen.place], self.views)
        view = next((v for v in self.views if v.number == seen.place.page), None)
        page = (view.source, view.page) if view else None
        name = f"W{self.number}{seen.id}"
        self.paper.figures[name] = PaperFigure(self.number, seen.id, seen, found[0] if found else None, page)

    def _entry(self, read: QuestionRead) -> Entry:
        regions, lost = regions_of(read.places, self.views)
        if lost:
            self.paper.off_page.append(read.label or read.ref)
        marked = replace_figures(read, self.number, {seen.id for seen in self.reply.figures})
        return Entry(marked, self.number, regions)

    def _section(self, read: SectionRead) -> SectionEntry:
        known = self._known_section(read)
        if known is None:
            known = SectionEntry(section_key(read.label), section_key(read.within), read.title, window=self.number)
            self.paper.sections.append(known)
        known.title = known.title or read.title
        known.within = known.within or section_key(read.within)
        if read.directions and not any(fold(read.directions) in fold(told) for told in known.directions):
            known.directions.append(read.directions)
        return known

    def _known_section(self, read: SectionRead) -> SectionEntry | None:
        """The section of an earlier window that this one is: the same label in the same outer section, or the same
        title. A section without both is the one that is open."""
        if not read.label and not read.title:
            return self.paper.sections[-1] if self.paper.sections else None
        for section in reversed(self.paper.sections):
            if section.window == self.number:
                continue
            if read.title and section.title and fold(read.title) == fold(section.title):
                return section
            same_outer = not read.within or plain_label(section_key(read.within)) == plain_label(section.within)
            titles = not read.title or not section.title
            label = plain_label(section_key(read.label))
            if label and label == plain_label(section.label) and same_outer and titles:
                return section
        return None

    def _open_section(self) -> SectionEntry:
        if not self.paper.sections:
            self.paper.sections.append(SectionEntry(None, None, None, window=self.number))
        return self.paper.sections[-1]


def replace_figures(read: QuestionRead, window: int, known: set[str]) -> QuestionRead:
    """The entry with its figure markers made unique over all windows; markers of unlisted figures stay text."""

    def marked(text: str) -> str:
        return re.sub(r"\[\[(F\d{1,3})\]\]", lambda m: f"[[W{window}{m[1]}]]" if m[1] in known else m[0], text)

    def items(options: list[OptionRead]) -> list[OptionRead]:
        return [option.model_copy(update={"text": marked(option.text)}) for option in options]

    return read.model_copy(
        update={
            "text": marked(read.text),
            "options": items(read.options),
            "left": items(read.left),
            "right": items(read.right),
        }
    )


def _merged(entries: list[Entry]) -> list[Entry]:
    """Siblings with those that are one entry seen by two windows joined into the fuller one."""
    kept: list[Entry] = []
    for entry in entries:
        twin = next((n for n, other in enumerate(kept) if other.window != entry.window and _same(other, entry)), None)
        if twin is None:
            kept.append(entry)
        else:
            kept[twin] = fuller(kept[twin], entry)
    return kept


def _same(a: Entry, b: Entry) -> bool:
    """Whether two windows saw one entry: its two halves across a break, or one label over texts that agree."""
    labels = plain_label(a.read.label), plain_label(b.read.label)
    if labels[0] and labels[1] and labels[0] != labels[1]:
        return False
    if b.read.begins_before and a.read.goes_on:
        return labels[0] == labels[1] or not labels[1]
    first, second = _whole_text(a), _whole_text(b)
    if not first or not second:
        return labels[0] == labels[1] != ""
    if first in second or second in first:
        return labels[0] == labels[1]
    return ratio(first, second) >= _SAME_TEXT


def _whole_text(entry: Entry) -> str:
    return fold(" ".join([entry.read.text, *(option.text for option in entry.read.options)]))


def fuller(a: Entry, b: Entry) -> Entry:
    """One entry of both: the longer text (both halves, where it was cut), every option, part and place."""
    base, other = (a, b) if a.weight >= b.weight else (b, a)
    read, more = base.read, other.read
    text = read.text
    if a.read.goes_on and b.read.begins_before and fold(b.read.text) not in fold(a.read.text):
        text = f"{a.read.text}\n\n{b.read.text}".strip()
    update = {
        "text": text,
        "options": _all_items(read.options, more.options),
        "left": _all_items(read.left, more.left),
        "right": _all_items(read.right, more.right),
        "blanks": read.blanks if len(read.blanks) >= len(more.blanks) else more.blanks,
        "label": read.label or more.label,
        "gap": read.gap or more.gap,
        "points": more.points if read.points is None else read.points,
        "penalty": more.penalty if read.penalty is None else read.penalty,
        "choose": more.choose if read.choose is None else read.choose,
        "begins_before": a.read.begins_before,
        "goes_on": b.read.goes_on,
    }
    regions = [*a.regions, *(region for region in b.regions if region not in a.regions)]
    children = _merged([*a.children, *b.children])
    return replace(base, read=read.model_copy(update=update), regions=regions, children=children)


def _all_items(items: list[OptionRead], more: list[OptionRead]) -> list[OptionRead]:
    """Every item of both by its label, the longer text of each, in the order of the longer list."""
    base, other = (items, more) if len(items) >= len(more) else (more, items)
    by_label = {plain_label(item.label): item for item in other}
    found: list[OptionRead] = []
    for item in base:
        twin = by_label.pop(plain_label(item.label), None)
        found.append(twin if twin is not None and len(twin.text) > len(item.text) else item)
    return [*found, *by_label.values()]
