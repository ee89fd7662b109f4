"""Questions as a table: CSV that a spreadsheet opens, or JSON Lines that keep every list. With the pictures beside.

JSON Lines hold each question's grading too: `exam2bench import` makes a bundle of them again.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from ...schemas.bundle import Bundle
from ...schemas.findings import Finding, warning
from .folder import copy_asset, write_lines
from .rows import Row, question_rows

COLUMNS = (
    "id",
    "number",
    "section",
    "type",
    "points",
    "stimulus",
    "prompt",
    "options",
    "left",
    "right",
    "blanks",
    "answer",
    "rule",
)
_FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")


def export_jsonl(bundle: Bundle, folder: Path) -> list[Finding]:
    """`questions.jsonl` with each question's whole grading, and `assets/`."""
    grading = bundle.grading.questions
    records = [
        {**row.as_dict(), "grading": grading[row.id].model_dump(mode="json") if row.id in grading else None}
        for row in _rows(bundle, folder)
    ]
    write_lines(folder / "questions.jsonl", records)
    return []


def export_csv(bundle: Bundle, folder: Path) -> list[Finding]:
    """`questions.csv` and `assets/`."""
    _write_csv(folder / "questions.csv", _rows(bundle, folder))
    return _lost(bundle)


def _rows(bundle: Bundle, folder: Path) -> list[Row]:
    rows = list(question_rows(bundle))
    for row in rows:
        for name in row.images:
            copy_asset(bundle, name, folder)
    return rows


def _lost(bundle: Bundle) -> list[Finding]:
    """Rubrics and penalties have no column: who grades from a table loses them."""
    found: list[Finding] = []
    for name, entry in bundle.grading.questions.items():
        rule: Any = entry.rule
        if getattr(rule, "rubric", None) or getattr(rule, "parts", None):
            found.append(warning("export.rubric", "its rubric has no column in a table", question=name))
    return found


def _write_csv(file: Path, rows: list[Row]) -> None:
    with file.open("w", encoding="utf-8-sig", newline="") as out:  # the mark makes spreadsheets read UTF-8
        writer = csv.writer(out)
        writer.writerow(COLUMNS)
        for row in rows:
            values = row.as_dict()
            for name in ("options", "left", "right"):
                values[name] = "\n".join(f"{key}: {text}" for key, text in getattr(row, name).items())
            values["blanks"] = "\n".join(row.blanks)
            values["answer"] = _cell(row.answer)
            writer.writerow([_inert(values[column]) for column in COLUMNS])


def _cell(answer: Any) -> str:
    if isinstance(answer, list) and all(isinstance(item, str) for item in answer):
        return ", ".join(answer)
    if answer is None or isinstance(answer, str):
        return answer or ""
    return json.dumps(answer, ensure_ascii=False)


def _inert(value: Any) -> Any:
    """Text that a spreadsheet would run as a formula, made text: a paper is anybody's."""
    if isinstance(value, str) and value.startswith(_FORMULA_SIGNS):
        return "'" + value
    return "" if value is None else value
