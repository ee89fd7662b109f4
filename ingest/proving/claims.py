"""What an exam claims to be printed, field by field, in print order.

A claim is one string of one field. Labels (a question's number, an option's id) are claims of their own: where they
stand tells which text belongs to them. Pictures' alternative texts claim nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from ...schemas.content import Block, ImageBlock, TableBlock, TextBlock
from ...schemas.exam import Exam, Question
from .letters import Letters, letters_of

Kind = Literal["text", "label", "direction", "cell"]

MOST_LETTERS = 200_000
"""Letters of one claim that are looked at; a longer text is no question (and is a finding elsewhere)."""


@dataclass(frozen=True)
class Claim:
    """One string. `path` names its field below the question (`prompt`, `options.B`); directions have no question.

    A `cell` is a short text that stands in two dimensions: a table's cell, a caption, an item to be matched.
    """

    question: str | None
    path: str
    kind: Kind
    raw: str
    letters: Letters


def claims_of(exam: Exam) -> list[Claim]:
    """Every claim of the exam in print order: directions before the questions that they head."""
    found = [*_made(None, "title", "direction", [exam.title, exam.description or ""])]
    for section in exam.sections:
        found += _made(None, f"{section.id}.title", "direction", [section.title or ""])
        found += _blocks(None, f"{section.id}.instructions", "direction", section.instructions)
        for question in section.questions:
            found += question_claims(question)
    return found


def question_claims(question: Question) -> list[Claim]:
    """A question's claims and those of its sub-questions."""
    name = question.id
    found = [*_made(name, "number", "label", [question.number or ""])]
    found += _blocks(name, "prompt", "text", question.prompt)
    for option in question.options or []:
        found += _made(name, f"options.{option.id}.id", "label", [option.id])
        found += _blocks(name, f"options.{option.id}", "text", option.content)
    if question.matching:
        for side, items in (("left", question.matching.left), ("right", question.matching.right)):
            for item in items:
                found += _made(name, f"matching.{side}.{item.id}.id", "label", [item.id])
                found += _blocks(name, f"matching.{side}.{item.id}", "cell", item.content)
    for child in question.children:
        found += question_claims(child)
    return found


def _blocks(question: str | None, path: str, kind: Kind, blocks: Iterable[Block]) -> Iterator[Claim]:
    for block in blocks:
        if isinstance(block, TextBlock):
            yield from _made(question, path, kind, [block.markdown])
        elif isinstance(block, TableBlock):
            cells = [*(block.header or []), *(cell for row in block.rows for cell in row)]
            yield from _made(question, path, "cell" if kind == "text" else kind, [block.caption or "", *cells])
        elif isinstance(block, ImageBlock) and block.caption:
            yield from _made(question, path, "cell", [block.caption])


def _made(question: str | None, path: str, kind: Kind, texts: Iterable[str]) -> Iterator[Claim]:
    for text in texts:
        letters = letters_of(text[:MOST_LETTERS])
        if letters.text:
            yield Claim(question, path, kind, text, letters)
