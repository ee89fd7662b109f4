"""One row of a table as a question, its pictures loaded. What a row leaves out is read from what it holds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from ...schemas.assets import asset_file, name_fault
from ...schemas.content import Block, ImageBlock, TextBlock
from ...schemas.errors import BundleError
from ...schemas.exam import CHOICE_TYPES, Blank, Matching, MatchItem, Option, Question, QuestionType
from ...schemas.findings import Finding
from ...schemas.grading import QuestionGrading
from ...schemas.printable import printable
from .table_keys import grading_of, named_options

_PICTURE = re.compile(r"^!\[([^\]]*)\]\(([^)\s]+)\)$")
_OPTION_LINE = re.compile(r"^\s*([^\s:：.)）]{1,8})\s*[:：.)）]\s*(.+)$")
_LETTERS = tuple("ABCDEFGHIJ")
_QUESTION_COLUMNS = ("prompt", "question", "stem", "text")


@dataclass
class Table:
    """A table on its way into a bundle. `folder`: where its pictures lie."""

    folder: Path
    sections: dict[str, list[Question]] = field(default_factory=dict)
    grading: dict[str, QuestionGrading] = field(default_factory=dict)
    assets: dict[str, bytes] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)


def add_row(table: Table, row: Mapping[str, Any], where: str) -> None:
    """Add a row's question and key. Raises BundleError, with `where` the row stands, where it is no question."""
    text = next((row[name] for name in _QUESTION_COLUMNS if row.get(name)), None)
    stimulus = row.get("stimulus")
    if not isinstance(text, str) and not isinstance(stimulus, str):
        raise BundleError(f"{where} has no question: give it a column named {', '.join(_QUESTION_COLUMNS)}")
    options = _items(row.get("options"), where) or {
        letter: str(row[letter]) for letter in _LETTERS if row.get(letter) not in (None, "")
    }
    left, right = _items(row.get("left"), where), _items(row.get("right"), where)
    blanks = _blank_names(row.get("blanks"))
    kind = _type(row, options, left, blanks, where)
    name = str(row.get("id") or f"q{sum(map(len, table.sections.values())) + 1}")
    if name in table.grading:
        raise BundleError(f"{where}: the id {printable(name)} stands twice")
    points = _points(row, where)
    question = Question(
        id=name,
        number=_text(row.get("number")),
        type=kind,
        prompt=[*_blocks(table, stimulus, where), *_blocks(table, text, where)],
        points=points,
        options=[Option(id=key, content=_blocks(table, value, where)) for key, value in options.items()] or None
        if kind in CHOICE_TYPES
        else None,
        blanks=[Blank(id=blank) for blank in blanks or ["b1"]] if kind == "fill_in_blank" else None,
        matching=_matching(table, left, right, where) if kind == "matching" else None,
    )
    entry, found = grading_of(row, question, where)
    table.findings += found
    table.grading[name] = entry
    table.sections.setdefault(_text(row.get("section")) or "", []).append(question)


def _text(value: Any) -> str | None:
    return None if value in (None, "") else str(value)


def _points(row: Mapping[str, Any], where: str) -> float:
    value = row.get("points", row.get("marks"))
    if value in (None, ""):
        return 1.0
    try:
        points = float(value)
    except (TypeError, ValueError):
        points = -1.0
    if not 0 <= points < 1e6:
        raise BundleError(f"{where}: {printable(value)} is no number of points")
    return points


def _items(value: Any, where: str) -> dict[str, str]:
    """Options or list items: objects with id and text, or lines `A: text`."""
    found: dict[str, str] = {}
    entries: list[tuple[str, str]] = []
    if isinstance(value, str):
        for line in value.splitlines():
            match = _OPTION_LINE.match(line)
            if match:
                entries.append((match.group(1), match.group(2)))
            elif entries:
                entries[-1] = (entries[-1][0], f"{entries[-1][1]}\n{line}")
    elif isinstance(value, list):
        for n, item in enumerate(value):
            if isinstance(item, dict):
                entries.append((str(item.get("id", "")), str(item.get("text", ""))))
            else:
                entries.append((_LETTERS[n] if n < len(_LETTERS) else str(n + 1), str(item)))
    for name, text in entries:
        if not name or name in found:
            raise BundleError(f"{where}: the option {printable(repr(name))} is empty or stands twice")
        found[name] = text
    return found


def _blank_names(value: Any) -> list[str]:
    if isinstance(value, str):
        return [part for part in re.split(r"[\s,]+", value) if part]
    return [str(item) for item in value] if isinstance(value, list) else []


def _type(
    row: Mapping[str, Any], options: Mapping[str, str], left: Mapping[str, str], blanks: list[str], where: str
) -> QuestionType:
    """As the row says; else by what it holds."""
    told = row.get("type")
    if told:
        if told not in get_args(QuestionType) or told == "composite":
            raise BundleError(f"{where}: {printable(told)} is no question type of a table")
        if told in CHOICE_TYPES and len(options) < 2:
            raise BundleError(f"{where} is {told} but has fewer than two options")
        return told
    if left:
        return "matching"
    if len(options) >= 2:
        return "multiple_choice" if len(named_options(row.get("answer"), options)) > 1 else "single_choice"
    answer = row.get("answer")
    if blanks or isinstance(answer, dict):
        return "fill_in_blank"
    if isinstance(answer, bool):
        return "true_false"
    return "short_answer"


def _blocks(table: Table, text: Any, where: str) -> list[Block]:
    """Paragraphs of Markdown; one that is a picture and nothing else becomes a picture."""
    blocks: list[Block] = []
    for part in re.split(r"\n{2,}", text.strip()) if isinstance(text, str) and text.strip() else []:
        match = _PICTURE.match(part.strip())
        if match is None:
            if blocks and isinstance(blocks[-1], TextBlock):
                blocks[-1] = TextBlock(markdown=f"{blocks[-1].markdown}\n\n{part}")
            else:
                blocks.append(TextBlock(markdown=part))
            continue
        _load(table, match.group(2), where)
        blocks.append(ImageBlock(asset=match.group(2), alt=match.group(1)))
    return blocks


def _load(table: Table, name: str, where: str) -> None:
    if name in table.assets:
        return
    fault = name_fault(name)
    if fault or not name.startswith("assets/"):
        raise BundleError(f"{where}: the picture {printable(name)} {fault or 'does not lie in assets/'}")
    table.assets[name] = asset_file(table.folder, name).read_bytes()


def _matching(table: Table, left: Mapping[str, str], right: Mapping[str, str], where: str) -> Matching:
    if not left or not right:
        raise BundleError(f"{where} is a matching question without left or right items")
    sides = [
        [MatchItem(id=name, content=_blocks(table, text, where)) for name, text in side.items()]
        for side in (left, right)
    ]
    return Matching(left=sides[0], right=sides[1])
