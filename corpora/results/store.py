"""A results folder: add an entry, read and check what lies there, rebuild the index.

Anybody's folder may have been copied in: names, sizes and JSON are checked before anything is believed, and an
entry whose files are not those that it pins is a finding, not a row of the index.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ... import __version__
from ...schemas.assets import asset_file
from ...schemas.bundle import save_record
from ...schemas.errors import BundleError, UsageError
from ...schemas.findings import Finding, error
from ...schemas.json_files import read_json, read_record, write_text
from ...schemas.moment import now
from ...schemas.printable import printable
from ...schemas.report import Report
from .entry import (
    FilePin,
    PaperResult,
    ResultEntry,
    check_entry_name,
    entry_name_from,
    mean_percentage,
    paper_result,
)

ENTRY, INDEX = "entry.json", "index.json"
MAX_ENTRIES = 10_000
MAX_FILE_BYTES = 512 * 1024 * 1024


@dataclass(frozen=True)
class Material:
    """What an entry is made of. `sheets` belong to `reports` by exam and, where they carry one, digest.
    `cache`: a file of `exam2bench cache export`."""

    reports: Sequence[Path]
    sheets: Sequence[Path] = ()
    cache: Path | None = None
    name: str | None = None
    settings: dict[str, str] = field(default_factory=dict)
    note: str | None = None


def add_entry(folder: Path, material: Material, *, force: bool = False) -> ResultEntry:
    """Write one entry below `folder` and rebuild the index. Raises UsageError where the reports are not one taker's,
    name a paper twice or pin none, or where the entry is there already without `force`."""
    reports = [(path, _report(path)) for path in material.reports]
    taker = _one_taker(reports)
    name = check_entry_name(material.name) if material.name else entry_name_from(taker)
    target = folder / name
    if target.exists() and not force:
        raise UsageError(f"{printable(target)} is there already: give --force to replace it, or --name for another")
    folder.mkdir(parents=True, exist_ok=True)
    beside = folder / f".{name}.{secrets.token_hex(4)}.partial"
    try:
        entry = _write(beside, name, taker, reports, material)
        if target.exists():
            shutil.rmtree(target)
        os.rename(beside, target)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    rebuild_index(folder)
    return entry


def _report(path: Path) -> Report:
    if not path.is_file():
        raise UsageError(f"{printable(path)}: no such report")
    return read_record(path, Report)


def _one_taker(reports: Sequence[tuple[Path, Report]]) -> str:
    takers = sorted({report.taker or "" for _, report in reports})
    if not takers or takers == [""]:
        raise UsageError("the reports name no taker: an entry is somebody's")
    if len(takers) > 1:
        raise UsageError(f"the reports are of {len(takers)} takers ({printable(', '.join(takers))}): one entry each")
    return takers[0]


def _write(
    folder: Path, name: str, taker: str, reports: Sequence[tuple[Path, Report]], material: Material
) -> ResultEntry:
    for part in ("reports", "sheets"):
        (folder / part).mkdir(parents=True)
    closed = next((path for path, report in reports if report.sealed), None)
    if material.cache and closed:
        told = f"{printable(closed)} is of a sealed bundle: the judges' words in the cache repeat its key"
        raise UsageError(f"{told}; leave out --cache, who opens the seal can ask judges anew")
    sheets = {_key(path): path for path in material.sheets}
    papers: list[PaperResult] = []
    for number, (path, report) in enumerate(sorted(reports, key=lambda pair: pair[1].exam_id), 1):
        stem = f"{number:03d}-{entry_name_from(report.exam_id)}"
        pin = _copy(path, folder, f"reports/{stem}.json")
        sheet = sheets.pop((report.exam_id, report.bundle_digest), None) or sheets.pop((report.exam_id, None), None)
        papers.append(paper_result(report, pin, _copy(sheet, folder, f"sheets/{stem}.json") if sheet else None))
    digests = [paper.bundle_digest for paper in papers]
    if len(set(digests)) < len(digests):
        raise UsageError("two reports are of the same paper: an entry holds one of each")
    if sheets:
        left = ", ".join(printable(path) for path in sheets.values())
        raise UsageError(f"no report belongs to {left}: exam and digest have to be the same")
    entry = ResultEntry(
        name=name,
        taker=taker,
        settings=dict(material.settings),
        created_at=now(),
        tool_version=f"exam2bench {__version__}",
        percentage=mean_percentage(papers),
        papers=papers,
        cache=_copy(material.cache, folder, _cache_name(material.cache)) if material.cache else None,
        note=material.note,
    )
    save_record(folder / ENTRY, entry)
    return entry


def _key(path: Path) -> tuple[str, str | None]:
    if not path.is_file():
        raise UsageError(f"{printable(path)}: no such answer sheet")
    data = read_json(path)
    if not isinstance(data, dict) or not isinstance(data.get("exam_id"), str):
        raise BundleError(f"{printable(path)} is no answer sheet")
    return data["exam_id"], data.get("bundle_digest")


def _cache_name(path: Path) -> str:
    return "cache.jsonl.gz" if path.suffix == ".gz" else "cache.jsonl"


def _copy(path: Path, folder: Path, name: str) -> FilePin:
    if not path.is_file():
        raise UsageError(f"{printable(path)}: no such file")
    shutil.copyfile(path, folder / name)
    return FilePin(path=name, sha256=_sha256(folder / name))


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


# reading


@dataclass
class Results:
    """What a results folder holds. `findings`: entries that cannot be believed, each with the reason."""

    entries: list[ResultEntry] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def read_results(folder: Path) -> Results:
    """Every entry below `folder`, in name order, with its files checked. Raises UsageError where it is no folder."""
    if not folder.is_dir():
        raise UsageError(f"{printable(folder)} is not a results folder: no such folder")
    found = Results()
    for path in _entry_folders(folder):
        try:
            found.entries.append(checked_entry(path))
        except (BundleError, UsageError) as fault:
            found.findings.append(error("results.entry", f"{printable(path.name)} is left out: {fault}"))
    return found


def _entry_folders(folder: Path) -> Iterator[Path]:
    paths = sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
    if len(paths) > MAX_ENTRIES:
        raise UsageError(f"{printable(folder)} holds {len(paths):,} folders: at most {MAX_ENTRIES:,} entries are read")
    yield from (path for path in paths if (path / ENTRY).is_file())


def checked_entry(path: Path) -> ResultEntry:
    """The entry in the folder `path`, its pinned files compared and its figures computed anew from its reports.

    Raises UsageError for a name, BundleError for anything that is not as the entry says."""
    check_entry_name(path.name)
    entry = read_record(path / ENTRY, ResultEntry)
    if entry.name != path.name:
        raise BundleError(f"its entry.json calls it {printable(entry.name)}")
    for pin in pins(entry):
        file = asset_file(path, pin.path)
        if file.stat().st_size > MAX_FILE_BYTES:
            raise BundleError(f"{printable(pin.path)} is larger than {MAX_FILE_BYTES // 2**20} MiB")
        if _sha256(file) != pin.sha256:
            raise BundleError(f"{printable(pin.path)} is not the file that the entry pins")
    for paper in entry.papers:
        report = read_record(asset_file(path, paper.report.path), Report)
        if paper_result(report, paper.report, paper.sheet) != paper or (report.taker or "") != entry.taker:
            raise BundleError(f"{printable(paper.report.path)} does not say what the entry says")
    if entry.percentage != mean_percentage(entry.papers):
        raise BundleError("its percentage is not the mean of its papers")
    return entry


def pins(entry: ResultEntry) -> Iterator[FilePin]:
    """The files that an entry names."""
    for paper in entry.papers:
        yield paper.report
        if paper.sheet:
            yield paper.sheet
    if entry.cache:
        yield entry.cache


def rebuild_index(folder: Path) -> Results:
    """Write index.json anew from the entries that can be believed."""
    found = read_results(folder)
    write_text(folder / INDEX, index_text(found.entries))
    return found


def index_text(entries: Sequence[ResultEntry]) -> str:
    """index.json: a line per entry, without the papers' details; the same entries give the same bytes."""
    rows: list[dict[str, Any]] = [
        {
            "name": entry.name,
            "taker": entry.taker,
            "settings": entry.settings,
            "percentage": entry.percentage,
            "papers": {
                paper.exam_id: {"digest": paper.bundle_digest, "percentage": paper.percentage} for paper in entry.papers
            },
            "judges": sorted({judge for paper in entry.papers for judge in paper.judges}),
            "ungraded": sum(paper.ungraded_count for paper in entry.papers),
            "regradable": entry.cache is not None and all(paper.sheet for paper in entry.papers),
            "created_at": entry.created_at,
        }
        for entry in sorted(entries, key=lambda entry: entry.name)
    ]
    return json.dumps({"schema_version": "1", "entries": rows}, ensure_ascii=False, indent=2) + "\n"
