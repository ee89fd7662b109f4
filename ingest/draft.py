"""The draft: what the layout engine has understood, still tied to words and boxes, before it becomes a bundle.

Stages fill it in turn: structure (sections, questions, options, types, points), figures (attached
pictures, tables, snapshots), keys (answers and mark schemes aligned by section and label). `assemble`
turns it into the contract's records. A fragment of a printed line is again a `Line` that holds only its
words; a word that was cut (a label glued to its text) keeps its index.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ..schemas.exam import QuestionType
from ..schemas.findings import Finding
from .lines import Line
from .page import Box

WordKey = tuple[int, int, int]
"""(source, page number, word index): names one word of one source."""


@dataclass
class Figure:
    """Something on the page that is not running text: a drawing, an image, a table, a displayed formula.

    `box` holds all of its ink, its labels and its caption. `words` are the words that stand inside it
    (axis labels, cells, caption): they belong to the figure and to no question's text. `table` holds
    header and rows where a table reads cleanly. `before` is how many lines of the source's reading order
    come before it.
    """

    source: int
    page: int
    box: Box
    kind: Literal["figure", "table", "formula"]
    words: frozenset[WordKey] = frozenset()
    caption: str | None = None
    label: str | None = None
    """How the text refers to it, where it is numbered: `圖3`, `Figure 2`, `Abb. 1`."""
    header: tuple[str, ...] | None = None
    rows: tuple[tuple[str, ...], ...] | None = None
    before: int = 0
    also_picture: bool = False
    """A table whose rows read but for some glyphs: it is shown as a picture besides."""


@dataclass
class DraftOption:
    """One option. `label` is the id as printed without its punctuation (`A`, `①`, `甲`)."""

    label: str
    lines: list[Line] = field(default_factory=list)
    label_words: frozenset[WordKey] = frozenset()
    figures: list[Figure] = field(default_factory=list)


@dataclass
class DraftBlank:
    """A gap. `cells` > 1: one grid-in number printed over that many cells."""

    label: str | None = None
    cells: int | None = None


@dataclass
class ScoringRule:
    """How the paper says that a several-answer or true/false question scores.

    `ratio_by_errors`: share of the points for 0, 1, 2 … wrong options. `wrong_penalty`: points lost for a
    wrong selection (not below the question's minimum). `partial`: points per right option.
    """

    ratio_by_errors: tuple[float, ...] | None = None
    partial: bool = False
    wrong_penalty: float = 0.0
    text: str = ""


@dataclass
class DraftQuestion:
    """A question, a sub-question, or a group that only carries a shared stimulus (`group` is True).

    `label` is printed (`12.`, `(a)`, `QUESTÃO 91`); `key` is what answer keys name it by (`12`, `a`, `91`).
    `stem` is the prompt in reading order without label, options and children. `choose` is how many options
    the paper demands, where it says so. `points` is None where the paper does not tell.
    """

    label: str | None
    key: str
    stem: list[Line] = field(default_factory=list)
    label_words: frozenset[WordKey] = frozenset()
    options: list[DraftOption] = field(default_factory=list)
    children: list[DraftQuestion] = field(default_factory=list)
    group: bool = False
    type: QuestionType | None = None
    choose: int | None = None
    points: float | None = None
    points_from: str = ""
    """Where the points were read: `question`, `group`, `section`, `cover`, `children`, or empty."""
    scoring: ScoringRule | None = None
    blanks: list[DraftBlank] = field(default_factory=list)
    matching: tuple[list[DraftOption], list[DraftOption]] | None = None
    figures: list[Figure] = field(default_factory=list)
    answer_lines: list[Line] = field(default_factory=list)
    """Lines of the paper that give this question's answer away (`答案：B`, a worked solution): never prompt."""
    unread: list[Figure] = field(default_factory=list)
    """Formulas and lettering that are drawn, not set: no text holds them, the snapshot shows them."""
    printed_answer: str | None = None
    """The answer printed in the paper itself, as printed."""
    prompt_blank: bool = False
    """A cloze item that is only a gap in the shared passage."""
    id: str = ""

    def leaves(self) -> list[DraftQuestion]:
        return [leaf for child in self.children for leaf in child.leaves()] if self.children else [self]


@dataclass
class DraftSection:
    """A section with its own directions and, where numbers restart, its own numbering.

    `key` is what answer keys name it by (`A`, `壹`, `II`); `title` and `instructions` are as printed.
    """

    key: str | None = None
    title: list[Line] = field(default_factory=list)
    instructions: list[Line] = field(default_factory=list)
    questions: list[DraftQuestion] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    parent: str | None = None
    """The key of the section that it is a part of, where sections nest: `C` of `Section C: 一、單選題`."""
    restarts: bool = False
    """Its numbers were used before in the paper: ids carry the section's key."""


@dataclass
class DraftPaper:
    """Everything read from the sources that print questions."""

    title: str = ""
    subject: str | None = None
    language: str = "und"
    sections: list[DraftSection] = field(default_factory=list)
    instructions: list[Line] = field(default_factory=list)
    """Cover text and directions that hold for the whole paper."""
    reference: list[Line] = field(default_factory=list)
    """Formula sheets, constants, data tables for the whole paper."""
    reference_figures: list[Figure] = field(default_factory=list)
    ornaments: list[Line] = field(default_factory=list)
    """Separators (`~~`, `----`) and notices (`turn over`): accounted for, never content."""
    printed_total: float | None = None
    form: str | None = None
    """Booklet or form as printed (`Caderno 7 AZUL`, `홀수형`, `Set A`): keys for other forms do not fit."""
    findings: list[Finding] = field(default_factory=list)

    def questions(self) -> list[DraftQuestion]:
        """All questions and sub-questions, parents before children, in print order."""
        found: list[DraftQuestion] = []

        def walk(question: DraftQuestion) -> None:
            found.append(question)
            for child in question.children:
                walk(child)

        for section in self.sections:
            for question in section.questions:
                walk(question)
        return found

    def leaves(self) -> list[DraftQuestion]:
        return [q for q in self.questions() if not q.children]


UNSURE = -3
"""The series of entries that a scheme gave by a bare number only: any surer entry goes before."""


@dataclass(frozen=True)
class KeyEntry:
    """One answer from a key, mark scheme or solution, before and after alignment.

    `section` and `label` are what the key names the question by. `values` are the accepted answers as
    printed; for several-answer choice questions they are the set that must be picked together. `every`:
    the question is void or all answers are accepted (送分, anulada). `reference` is the prose of a
    solution; `levels` are (points, descriptor) pairs of a mark scheme, highest first, per criterion.
    """

    section: str | None
    label: str
    values: tuple[str, ...] = ()
    alternatives: tuple[tuple[str, ...], ...] = ()
    every: bool = False
    judged: bool = False
    """The key marks it as answered in writing, graded elsewhere (`※`)."""
    reference: str | None = None
    criteria: tuple[tuple[str, tuple[tuple[float, str], ...]], ...] = ()
    points: float | None = None
    source: int = 0
    page: int = 0
    box: Box | None = None
    figures: tuple[Figure, ...] = ()
    origin: Literal["key", "markscheme", "solution", "printed"] = "key"
    """What kind of source says it; where two disagree the earlier of these wins, and a finding tells both."""
    series: int = 0
    """Entries of one source that count up together (one section, subject or form of a key) share a series."""
    heads: tuple[str, ...] = ()
    """What is printed over the series, nearest first: a section, a subject, a booklet."""
    raw: str = ""
    """The answer as the source prints it."""
    question_id: str | None = None
    """Set where the source itself told the question (its text is repeated, or the answer stands in the paper)."""
