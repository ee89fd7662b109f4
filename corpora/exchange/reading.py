"""Questions from tables, and any-to-bench's bundles, as bundles of this project."""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ... import __version__
from ...schemas.assets import named_assets
from ...schemas.bundle import Bundle, load_bundle, save_bundle
from ...schemas.errors import BundleError, UsageError
from ...schemas.exam import Exam, Section
from ...schemas.grading import GradingSpec
from ...schemas.json_files import MAX_JSON_BYTES, parse_json
from ...schemas.manifest import Manifest, Source
from ...schemas.moment import now
from ...schemas.printable import printable
from .table_rows import Table, add_row


def import_bundle(source: Path, target: Path, *, force: bool = False) -> Bundle:
    """A bundle of any-to-bench (or of ours) rewritten in this project's canonical form, with its digest."""
    bundle = load_bundle(source)
    if bundle.sealed:
        raise UsageError(f"{printable(source)} is sealed: importing it would write its key in clear")
    names = {name for name, _ in named_assets(bundle.exam, bundle.grading)}
    assets = {name: bundle.read_asset(name) for name in sorted(names)}
    return save_bundle(target, bundle.exam, bundle.grading, bundle.manifest, assets, force=force)


def import_table(
    source: Path, target: Path, *, title: str | None = None, language: str = "und", force: bool = False
) -> Bundle:
    """The questions of a .jsonl or .csv file as a bundle. Raises UsageError or BundleError in one sentence that
    names the row where a row is no question."""
    data = _read(source)
    table = Table(source.parent)
    for number, row in enumerate(_rows(source, data), 1):
        add_row(table, row, f"{printable(source.name)}, row {number}")
    if not table.grading:
        raise UsageError(f"{printable(source)} holds no question")
    sha = hashlib.sha256(data).hexdigest()
    stem = re.sub(r"[^a-z0-9]+", "-", source.stem.lower()).strip("-") or "table"
    exam_id = f"{stem}-{sha[:8]}"
    sections = [
        Section(id=name if len(table.sections) > 1 else "main", title=name or None, questions=questions)
        for name, questions in table.sections.items()
    ]
    for n, section in enumerate(sections, 1):
        section.id = f"s{n}" if len(sections) > 1 else "main"
    total = round(sum(question.points for section in sections for question in section.questions), 6)
    exam = Exam(exam_id=exam_id, title=title or source.stem, language=language, total_points=total, sections=sections)
    grading = GradingSpec(exam_id=exam_id, questions=table.grading)
    return save_bundle(target, exam, grading, _manifest(source, sha, table), table.assets, force=force)


def _manifest(source: Path, sha: str, table: Table) -> Manifest:
    return Manifest(
        created_at=now(),
        tool_version=f"exam2bench {__version__}",
        sources=[Source(path=source.name, sha256=sha)],
        warnings=[finding.message for finding in table.findings],
        engine=f"table {__version__}",
        findings=table.findings,
    )


# the file


def _read(source: Path) -> bytes:
    if not source.is_file():
        raise UsageError(f"{printable(source)}: no such file")
    if source.stat().st_size > MAX_JSON_BYTES:
        raise UsageError(f"{printable(source)} is larger than {MAX_JSON_BYTES // 2**20} MiB")
    return source.read_bytes()


def _rows(source: Path, data: bytes) -> Iterator[Mapping[str, Any]]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        raise UsageError(f"{printable(source)} is not UTF-8 at byte {fault.start}: save it as UTF-8") from fault
    if source.suffix.lower() == ".csv":
        yield from _csv_rows(source, text)
    elif source.suffix.lower() in (".jsonl", ".ndjson"):
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip():
                row = parse_json(line, f"{source.name}, line {number}")
                if not isinstance(row, dict):
                    raise BundleError(f"{printable(source.name)}, line {number} is no object")
                yield row
    else:
        raise UsageError(f"{printable(source)}: a table is a .jsonl or .csv file")


def _csv_rows(source: Path, text: str) -> Iterator[Mapping[str, Any]]:
    try:
        dialect = csv.Sniffer().sniff(text[:4096], delimiters=",;\t")
    except csv.Error:
        dialect = csv.excel
    try:
        reader = csv.DictReader(io.StringIO(text, newline=""), dialect=dialect, strict=True)
        for row in reader:
            if None in row:
                raise BundleError(f"{printable(source.name)}, line {reader.line_num}: more cells than column names")
            yield {key.strip(): _plain(value) for key, value in row.items() if key}
    except csv.Error as fault:
        raise BundleError(f"{printable(source.name)} is no CSV: {fault}") from fault


def _plain(cell: str | None) -> str | None:
    """The cell's text; the sign that keeps a spreadsheet from running it taken away."""
    if cell is None or not cell.strip():
        return None
    return cell[1:] if cell.startswith("'") and cell[1:2] in "=+-@\t\r" else cell
