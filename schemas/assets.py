"""Assets: the files that an exam and its grading name, and the rule that they lie inside the bundle."""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Iterator
from pathlib import Path

from .content import Block, ImageBlock
from .errors import BundleError
from .exam import Exam, Question
from .grading import GradingSpec, JudgeRule
from .printable import printable

CONTRACT_FILES = ("exam.json", "grading.json", "answer_schema.json", "manifest.json")
SEALED = "grading.sealed"
"""Stands in grading.json's place where the key is sealed (`schemas/sealed.py`)."""


def named_assets(exam: Exam, grading: GradingSpec | None = None) -> list[tuple[str, str | None]]:
    """Every asset that the paper and its grading name, with the question that names it (None: a section),
    in print order; an asset named twice stands twice."""
    found: list[tuple[str, str | None]] = []
    for section in exam.sections:
        found += [(name, None) for name in _images(section.instructions)]
        for question in section.questions:
            found += _of_question(question)
    for leaf, entry in grading.questions.items() if grading else ():
        if isinstance(entry.rule, JudgeRule):
            found += [(name, leaf) for name in entry.rule.reference_assets]
    return found


def _of_question(question: Question) -> Iterator[tuple[str, str | None]]:
    sides = [*question.matching.left, *question.matching.right] if question.matching else []
    for blocks in [question.prompt, *(item.content for item in [*(question.options or []), *sides])]:
        for name in _images(blocks):
            yield name, question.id
    if question.snapshot is not None:
        yield question.snapshot, question.id
    for child in question.children:
        yield from _of_question(child)


def _images(blocks: list[Block]) -> Iterator[str]:
    return (block.asset for block in blocks if isinstance(block, ImageBlock))


def name_fault(name: str) -> str | None:
    """Why an asset's name cannot be one: a clause for a message; None where it is fine.

    A name is a relative path with `/` between its parts. It never leaves the bundle, on no platform.
    """
    if not name or len(name) > 512:
        return "is empty" if not name else "is longer than 512 characters"
    if printable(name, 600) != name:
        return "holds a control character"
    if "\\" in name or ":" in name:
        return "holds a backslash or a colon"
    if name.startswith("/"):
        return "is absolute"
    parts = name.split("/")
    if ".." in parts:
        return "leaves the bundle"
    if "" in parts or "." in parts:
        return "has an empty part"
    if name in CONTRACT_FILES or name == SEALED:
        return "is one of the bundle's own files"
    return None


def asset_file(root: Path, name: str) -> Path:
    """The regular file inside `root` that an asset's name means.

    Raises BundleError where the name leaves the bundle, a part of it is a symlink, or no file is there.
    """
    fault = name_fault(name)
    if fault:
        raise BundleError(f"the asset {printable(repr(name))} {fault}", "asset.name")
    path, mode = root, stat.S_IFDIR
    for part in name.split("/"):
        path = path / part
        try:
            mode = path.lstat().st_mode
        except OSError as error:
            raise BundleError(f"the asset {printable(name)} does not exist", "asset.missing") from error
        if stat.S_ISLNK(mode):
            raise BundleError(f"the asset {printable(name)} is, or lies behind, a symlink", "asset.symlink")
    if not stat.S_ISREG(mode):
        raise BundleError(f"the asset {printable(name)} is not a regular file", "asset.not_a_file")
    return path


def file_sha256(path: Path) -> str:
    """The sha256 of a file as 64 hex digits, read in pieces. Raises BundleError where it cannot be read."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        reason = error.strerror or str(error)
        raise BundleError(f"the asset {printable(path.name)} cannot be read: {reason}", "asset.unreadable") from error
