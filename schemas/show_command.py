"""Print a paper, or one question, readably.

exam2bench show my-exam               every question in a line, by section
exam2bench show my-exam q3 --key      one question in full, with how it is graded
exam2bench show my-exam q3 --json     its records
"""

from __future__ import annotations

import argparse
import difflib
import json
from collections.abc import Iterator
from pathlib import Path

from .bundle import Bundle, load_bundle
from .content import Block, ImageBlock, TextBlock
from .errors import UsageError
from .exam import Question, Section
from .exam_checks import every_question
from .printable import printable, printable_json, printable_lines
from .rule_text import rule_lines

LINE = 100
"""Characters of a prompt in the overview."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bundle", type=Path, metavar="BUNDLE", help="the bundle's folder")
    parser.add_argument("question", nargs="?", metavar="QUESTION", help="a question id; without it, the whole paper")
    parser.add_argument("--key", action="store_true", help="show the answers and how they are graded")
    parser.add_argument("--json", action="store_true", help="print the records as JSON; with --key the grading too")


def run(args: argparse.Namespace) -> int:
    bundle = load_bundle(args.bundle)
    question = _find(bundle, args.question) if args.question else None
    if args.json:
        print(printable_json(_as_json(bundle, question, key=args.key)))
    elif question:
        print("\n".join(question_lines(bundle, question, key=args.key)))
    else:
        print("\n".join(_paper(bundle, key=args.key)))
    return 0


def question_lines(bundle: Bundle, question: Question, *, key: bool = False, indent: str = "") -> Iterator[str]:
    """A question with its parts in full, each line fit for a terminal."""
    head = f"{question.id}  {question.type}, {_points(question.points)}"
    printed = f'  (printed "{question.number}")' if question.number else ""
    yield indent + printable(head + printed)
    inner = indent + "  "
    if question.provenance:
        yield inner + printable(_printed_where(bundle, question))
    yield from _blocks(question.prompt, inner)
    for option in question.options or []:
        yield from _item(option.id, option.content, inner)
    for blank in question.blanks or []:
        cells = f", {blank.cells} cells" if blank.cells and blank.cells > 1 else ""
        label = f" {blank.label}" if blank.label else ""
        yield inner + printable(f"[{blank.id}]{label}{cells}")
    if question.matching:
        for side, items in (("left", question.matching.left), ("right", question.matching.right)):
            yield f"{inner}{side}:"
            for item in items:
                yield from _item(item.id, item.content, inner + "  ")
    if key and question.id in bundle.grading.questions:
        yield from (f"{inner}{line}" for line in rule_lines(bundle.grading.questions[question.id]))
    for child in question.children:
        yield ""
        yield from question_lines(bundle, child, key=key, indent=inner)


def _printed_where(bundle: Bundle, question: Question) -> str:
    """`from paper.pdf, page 3; text verified; picture assets/q1.png` (pages counted from 1)."""
    sources = bundle.manifest.sources
    places = dict.fromkeys((region.source, region.page) for region in question.provenance)
    names = [f"{sources[s].path if s < len(sources) else f'source {s}'}, page {page + 1}" for s, page in places]
    parts = [f"from {' and '.join(names)}"]
    if question.checks:
        parts.append(f"text {question.checks.status}")
    if question.snapshot:
        parts.append(f"picture {question.snapshot}")
    return f"({'; '.join(parts)})"


def _find(bundle: Bundle, name: str) -> Question:
    ids = {question.id: question for question in every_question(bundle.exam)}
    if name in ids:
        return ids[name]
    near = difflib.get_close_matches(name, list(ids), n=3)
    advice = f"; near: {', '.join(map(printable, near))}" if near else ""
    raise UsageError(f"{printable(bundle.root)} has no question {printable(name)}{advice}")


def _as_json(bundle: Bundle, question: Question | None, *, key: bool) -> str:
    if question is None:
        record: dict[str, object] = {"exam": bundle.exam.model_dump(mode="json")}
        entries = bundle.grading.questions
    else:
        record = {"question": question.model_dump(mode="json")}
        leaves = {leaf.id for leaf in question.leaves()}
        entries = {name: entry for name, entry in bundle.grading.questions.items() if name in leaves}
    if key:
        record["grading"] = {name: entry.model_dump(mode="json") for name, entry in entries.items()}
    return json.dumps(record, ensure_ascii=False, indent=2)


def _paper(bundle: Bundle, *, key: bool) -> Iterator[str]:
    exam = bundle.exam
    leaves = sum(1 for _ in exam.leaves())
    yield printable(exam.title)
    yield printable(f"{exam.exam_id} · {exam.language} · {leaves} questions · {_points(exam.total_points)}")
    for section in exam.sections:
        yield ""
        yield from _section_head(section)
        for question in section.questions:
            yield from _overview(bundle, question, key=key, indent="  ")


def _section_head(section: Section) -> Iterator[str]:
    title = f": {section.title}" if section.title else ""
    yield printable(f"section {section.id}{title}")
    yield from _blocks(section.instructions, "  | ")


def _overview(bundle: Bundle, question: Question, *, key: bool, indent: str) -> Iterator[str]:
    text = " ".join(" ".join(_blocks(question.prompt, "")).split())
    options = f" [{' '.join(option.id for option in question.options)}]" if question.options else ""
    head = f"{question.id:<8} {question.type:<15} {_points(question.points):>9}  "
    yield indent + printable(head + _cut(text) + options)
    entry = bundle.grading.questions.get(question.id)
    if key and entry:
        yield from (f"{indent}{'':<36}{line}" for line in rule_lines(entry))
    for child in question.children:
        yield from _overview(bundle, child, key=key, indent=indent + "  ")


def _item(name: str, content: list[Block], indent: str) -> Iterator[str]:
    lines = list(_blocks(content, "")) or [""]
    yield f"{indent}({printable(name)}) {lines[0]}"
    yield from (f"{indent}    {line}" for line in lines[1:])


def _blocks(blocks: list[Block], indent: str) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, TextBlock):
            yield from (indent + line for line in printable_lines(block.markdown).split("\n"))
        elif isinstance(block, ImageBlock):
            about = block.alt or block.caption or ""
            yield indent + printable(f"[picture {block.asset}{': ' + about if about else ''}]")
        else:
            yield from (indent + line for line in _table(block.header, block.rows))


def _table(header: list[str] | None, rows: list[list[str]]) -> Iterator[str]:
    for row in [*([header] if header else []), *rows]:
        yield "| " + " | ".join(printable(cell) for cell in row) + " |"


def _points(points: float) -> str:
    return f"{points:g} point{'' if points == 1 else 's'}"


def _cut(text: str) -> str:
    return text if len(text) <= LINE else text[: LINE - 1] + "…"
