"""What must hold in exam.json beyond its types: ids, points, and parts that fit the question's type."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from .content import Block, TableBlock, TextBlock
from .exam import CHOICE_TYPES, Exam, Question
from .findings import Finding, error, warning
from .manifest import Manifest
from .printable import printable, printable_lines

MAX_DEPTH = 16
"""Levels of sub-questions; printed papers stay below six."""
MAX_TEXT = 100_000
"""Characters in one text block; a long reading passage has about 15,000."""
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")


def check_exam(exam: Exam, manifest: Manifest | None = None) -> list[Finding]:
    """Findings about the paper; with its manifest also about the pages that it says it was read from."""
    found = [*_ids(exam), *_total(exam)]
    if not _LANGUAGE.fullmatch(exam.language):
        found.append(warning("language.malformed", f"the language {exam.language!r} is not a BCP-47 tag"))
    for section in exam.sections:
        found += _texts(section.instructions, None)
        for question in section.questions:
            found += _question(question, manifest, depth=1, stimulus=False)
    return found


def same_points(a: float, b: float) -> bool:
    """Equal up to the rounding of sums such as 3.33 + 3.33 + 3.34."""
    return abs(a - b) <= 1e-6 * max(1.0, abs(a), abs(b))


def id_fault(name: str, *, limit: int = 128, label: bool = False) -> str | None:
    """Why `name` cannot be an id, as a clause; None where it can. A `label` (an option's id, as printed)
    may hold slashes and inner spaces; other ids name files and may not."""
    if not name.strip():
        return "is empty"
    if len(name) > limit:
        return f"is longer than {limit} characters"
    if printable(name, limit) != name:
        return "holds a control character"
    if name != name.strip():
        return "begins or ends with white space"
    if not label and re.search(r"[\s/\\]", name):
        return "holds white space or a slash"
    return None


def check_ids(ids: Iterable[str], what: str, question: str | None, *, label: bool = True) -> list[Finding]:
    """Malformed and doubled ids among siblings; `what` names them in the messages (`option`)."""
    names = list(ids)
    found = [
        error("id.malformed", f"the {what} id {name!r} {fault}", question)
        for name in names
        if (fault := id_fault(name, label=label))
    ]
    doubled = [name for name, count in Counter(names).items() if count > 1]
    return found + [
        error("id.duplicate", f"the {what} id {name!r} stands more than once", question) for name in doubled
    ]


def every_question(exam: Exam) -> Iterator[Question]:
    """All questions, composites too, in print order."""

    def walk(question: Question) -> Iterator[Question]:
        yield question
        for child in question.children:
            yield from walk(child)

    for question in exam.questions():
        yield from walk(question)


def _ids(exam: Exam) -> list[Finding]:
    found = check_ids((section.id for section in exam.sections), "section", None, label=False)
    found += check_ids((question.id for question in every_question(exam)), "question", None, label=False)
    if fault := id_fault(exam.exam_id, limit=200, label=True):
        found.append(error("id.malformed", f"the exam_id {exam.exam_id!r} {fault}"))
    if not any(True for _ in exam.questions()):
        found.append(error("exam.empty", "the exam has no questions"))
    return found


def _total(exam: Exam) -> list[Finding]:
    total = sum(leaf.points for leaf in exam.leaves())
    if same_points(total, exam.total_points):
        return []
    return [error("points.total", f"total_points is {exam.total_points:g}, the questions sum to {total:g}")]


def _question(question: Question, manifest: Manifest | None, *, depth: int, stimulus: bool) -> Iterator[Finding]:
    stimulus = stimulus or bool(question.prompt)
    yield from _parts(question)
    yield from _texts(question.prompt, question.id)
    for item in question.options or []:
        yield from _texts(item.content, question.id)
    yield from _regions(question, manifest)
    if not question.children:
        if not stimulus:
            yield warning("prompt.empty", "nothing is asked: the prompt is empty", question.id)
        if question.points == 0:
            yield warning("points.zero", "the question is worth 0 points and cannot count", question.id)
        return
    total = sum(child.points for child in question.children)
    if not same_points(total, question.points):
        message = f"the question has {question.points:g} points, its parts sum to {total:g}"
        yield error("points.sum", message, question.id)
    if depth >= MAX_DEPTH:
        yield error("nesting.deep", f"questions are nested deeper than {MAX_DEPTH} levels", question.id)
    for child in question.children:
        yield from _question(child, manifest, depth=depth + 1, stimulus=stimulus)


def _parts(question: Question) -> Iterator[Finding]:
    """Children, options, blanks and matching sides: there where the type needs them, and nowhere else."""
    kind = question.type
    present = {
        "children": (bool(question.children), kind == "composite"),
        "options": (question.options is not None, kind in CHOICE_TYPES),
        "blanks": (question.blanks is not None, kind == "fill_in_blank"),
        "matching": (question.matching is not None, kind == "matching"),
    }
    for part, (there, wanted) in present.items():
        if wanted and not there:
            yield error(f"{part}.missing", f"a {kind} question needs {part}", question.id)
        if there and not wanted:
            yield error(f"{part}.unexpected", f"a {kind} question must not have {part}", question.id)
    if question.options is not None:
        if len(question.options) < 2:
            yield error("options.few", f"{len(question.options)} options; at least 2 are needed", question.id)
        yield from check_ids((option.id for option in question.options), "option", question.id)
    if question.blanks is not None:
        if not question.blanks:
            yield error("blanks.missing", "the list of blanks is empty", question.id)
        yield from check_ids((blank.id for blank in question.blanks), "blank", question.id)
    if question.matching is not None:
        for side, items in (("left", question.matching.left), ("right", question.matching.right)):
            if not items:
                yield error("matching.empty", f"the {side} side is empty", question.id)
            yield from check_ids((item.id for item in items), f"{side} item", question.id)


def _texts(blocks: list[Block], question: str | None) -> Iterator[Finding]:
    for block in blocks:
        if isinstance(block, TextBlock):
            if len(block.markdown) > MAX_TEXT:
                message = f"a text of {len(block.markdown):,} characters; more than {MAX_TEXT:,} is no question"
                yield warning("text.huge", message, question)
            elif printable_lines(block.markdown) != block.markdown:
                message = "a text holds control characters: LaTeX that lost its backslash, or a terminal escape"
                yield warning("text.control", message, question)
        elif isinstance(block, TableBlock):
            widths = {len(row) for row in [*block.rows, *([block.header] if block.header else [])]}
            if len(widths) > 1:
                message = f"a table's rows have {', '.join(map(str, sorted(widths)))} cells"
                yield warning("table.ragged", message, question)


def _regions(question: Question, manifest: Manifest | None) -> Iterator[Finding]:
    for region in question.provenance:
        if not (region.x0 < region.x1 and region.y0 < region.y1):
            yield error("provenance.box", "a region has no area: x0 < x1 and y0 < y1 must hold", question.id)
        if manifest is None:
            continue
        if region.source >= len(manifest.sources):
            message = f"a region lies on source {region.source}, the manifest has {len(manifest.sources)}"
            yield error("provenance.source", message, question.id)
        elif (pages := manifest.sources[region.source].pages) is not None and region.page >= pages:
            message = f"a region lies on page {region.page} (from 0), source {region.source} has {pages} pages"
            yield error("provenance.page", message, question.id)
