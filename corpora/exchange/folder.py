"""The folder that an export is written to: whole or not at all, and never over other people's files."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ... import __version__
from ...schemas.assets import CONTRACT_FILES, named_assets
from ...schemas.bundle import Bundle
from ...schemas.errors import UsageError
from ...schemas.findings import Finding, info
from ...schemas.printable import printable

MARKER = "exam2bench-export.json"
"""Tells an exported folder from any other: only such a one is replaced."""


@contextmanager
def export_folder(path: Path, bundle: Bundle, tool: str, *, force: bool) -> Iterator[Path]:
    """A new folder beside `path` to write into; renamed to `path` when the block ends well, removed when not.

    Raises UsageError where `path` holds something already and is no earlier export, or is one without `force`.
    """
    target = Path(os.path.abspath(path))
    _check(target, path, force=force)
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}.partial")
    beside.mkdir()
    try:
        yield beside
        write_json(beside / MARKER, _origin(bundle, tool))
        if target.exists():
            shutil.rmtree(target)
        os.rename(beside, target)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _check(target: Path, path: Path, *, force: bool) -> None:
    if not os.path.lexists(target):
        return
    if target.is_symlink() or not target.is_dir():
        raise UsageError(f"{printable(path)} exists and is not a folder: choose another name")
    if not any(target.iterdir()):
        return
    if not (target / MARKER).is_file():
        raise UsageError(f"{printable(path)} holds other files and no export: choose another folder")
    if not force:
        raise UsageError(f"{printable(path)} holds an export already: give --force to replace it")


def _origin(bundle: Bundle, tool: str) -> dict[str, Any]:
    return {
        "tool": tool,
        "exam_id": bundle.exam.exam_id,
        "bundle_digest": bundle.digest(),
        "revision": bundle.grading.revision,
        "made_with": f"exam2bench {__version__}",
    }


def write_json(file: Path, value: Any) -> None:
    file.write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


def write_lines(file: Path, rows: Iterator[Any] | list[Any]) -> None:
    """JSON Lines."""
    with file.open("w", encoding="utf-8", newline="\n") as out:
        for row in rows:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


def copy_bundle(bundle: Bundle, folder: Path) -> None:
    """The bundle's contract files and named assets, byte for byte."""
    folder.mkdir()
    for name in CONTRACT_FILES:
        shutil.copyfile(bundle.root / name, folder / name)
    for name, _ in named_assets(bundle.exam, bundle.grading):
        copy_asset(bundle, name, folder)


def copy_asset(bundle: Bundle, name: str, folder: Path) -> Path:
    """One asset under its own name below `folder`; copied once."""
    target = folder / name
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(bundle.read_asset(name))
    return target


def identifier(bundle: Bundle) -> str:
    """The exam's id as a name that programs take: letters, digits and underscores."""
    return re.sub(r"[^A-Za-z0-9]+", "_", bundle.exam.exam_id).strip("_").lower() or "exam"


def title_line(bundle: Bundle) -> str:
    """The exam's title on one line, fit to stand inside quotes of code or YAML."""
    kept = "".join(" " if character in "\\\"'{}" else character for character in printable(bundle.exam.title, 120))
    return " ".join(kept.split())


def judged_only(bundle: Bundle, then: str) -> list[Finding]:
    """One remark where some questions cannot be graded by rule: `then` says what becomes of them."""
    kinds = [entry.rule.kind for entry in bundle.grading.questions.values()]
    judged = sum(kind in ("judge", "parts") for kind in kinds)
    return [info("export.judged", f"{judged} of {len(kinds)} questions need a judge: {then}")] if judged else []
