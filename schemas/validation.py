"""Does a bundle keep the contract? Every check reports findings; none of them trusts the bundle."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from .answer_schema import answer_schema
from .assets import asset_file, file_sha256, named_assets
from .canary import COMMENT
from .digest import digest_of
from .errors import BundleError, UsageError
from .exam import Exam
from .exam_checks import check_exam
from .findings import Finding, error, info, warning
from .grading import GradingSpec
from .grading_checks import check_grading
from .json_files import Record, check_version, parse_json, read_json
from .manifest import Manifest
from .printable import printable
from .sealed import is_sealed, open_seal
from .sheet_checks import validate_sheet

__all__ = ["validate_bundle", "validate_sheet"]

MAX_ASSET_BYTES = 256 * 1024 * 1024
MAX_SCHEMA_FINDINGS = 50
"""Per file: a file of another format breaks every line, and nobody reads more."""
_IMAGES = (".png", ".jpg", ".jpeg", ".webp", ".gif")


@dataclass
class Examination:
    """What could be read of a bundle (None where it could not), and all that was found."""

    root: Path
    exam: Exam | None = None
    grading: GradingSpec | None = None
    manifest: Manifest | None = None
    schema: Any = None
    hidden: Mapping[str, bytes] = field(default_factory=dict)
    """Assets that were sealed with the key."""
    found: list[Finding] = field(default_factory=list)


def validate_bundle(path: Path | str) -> list[Finding]:
    """All findings about the bundle in the folder `path`, errors first. Nothing that lies there makes it raise.

    Raises UsageError where `path` is no folder at all.
    """
    return examine_bundle(path).found


def examine_bundle(path: Path | str) -> Examination:
    """Like `validate_bundle`, with the records that could be read."""
    root = Path(path)
    if not root.is_dir():
        raise UsageError(f"{printable(root)} is not a bundle: no such folder")
    files = _read(root)
    if files.exam:
        files.found += check_exam(files.exam, files.manifest)
        files.found += _schema_is_fresh(files.schema, files.exam)
        if files.grading:
            files.found += check_grading(files.grading, files.exam)
        files.found += _assets(files)
    if files.manifest:
        files.found += _manifest(files.manifest)
    files.found += _links(root)
    rank = {"error": 0, "warning": 1, "info": 2}
    files.found.sort(key=lambda finding: rank[finding.severity])
    return files


def _read(root: Path) -> Examination:
    files = Examination(root)
    files.exam = _record(root / "exam.json", Exam, files.found)
    files.manifest = _record(root / "manifest.json", Manifest, files.found)
    if is_sealed(root):
        _open(files)
    else:
        files.grading = _record(root / "grading.json", GradingSpec, files.found)
    files.schema = _json(root / "answer_schema.json", files.found)
    return files


def _open(files: Examination) -> None:
    """The sealed key in memory, or the finding that says why it stays closed."""
    fetched = files.manifest.fetched if files.manifest else None
    try:
        opened = open_seal(files.root, fetched.passphrase if fetched else None)
    except BundleError as fault:
        files.found.append(error(fault.code, str(fault)))
        return
    files.grading, files.hidden = opened.grading, opened.assets


def _json(path: Path, found: list[Finding]) -> Any:
    try:
        return read_json(path)
    except BundleError as fault:
        found.append(error(fault.code, str(fault).replace(printable(path), path.name)))
        return None


def _record(path: Path, kind: type[Record], found: list[Finding]) -> Record | None:
    data = _json(path, found)
    if data is None:
        return None
    try:
        check_version(data, path.name)
        return kind.model_validate(data, strict=True)
    except BundleError as fault:
        found.append(error(fault.code, str(fault)))
    except ValidationError as faults:
        found += _schema_findings(path.name, faults)
    return None


def _schema_findings(name: str, faults: ValidationError) -> list[Finding]:
    details = faults.errors(include_url=False, include_input=False)
    found = []
    for fault in details[:MAX_SCHEMA_FINDINGS]:
        place = ".".join(str(part) for part in fault["loc"]) or "the top level"
        found.append(error("schema.invalid", f"{name}: {printable(place, 160)}: {fault['msg']}"))
    if len(details) > MAX_SCHEMA_FINDINGS:
        message = f"{name}: {len(details) - MAX_SCHEMA_FINDINGS} more places break the schema"
        found.append(error("schema.invalid", message))
    return found


def _schema_is_fresh(schema: Any, exam: Exam) -> list[Finding]:
    # a file that could not be read has its own finding
    if schema is None:
        return []
    told = {key: value for key, value in schema.items() if key != COMMENT} if isinstance(schema, dict) else schema
    if told == json.loads(json.dumps(answer_schema(exam))):
        return []
    hint = "write the bundle again; the schema is generated from exam.json"
    return [error("answer_schema.stale", "answer_schema.json does not belong to exam.json", hint=hint)]


def _assets(files: Examination) -> list[Finding]:
    """Assets that are missing, lie outside or are no pictures; and the digest, where all could be read."""
    assert files.exam is not None
    found: list[Finding] = []
    hashes: dict[str, str] = {}
    bad: set[str] = set()
    for name, question in named_assets(files.exam, files.grading):
        if name in hashes or name in bad:
            continue
        if name in files.hidden:
            hashes[name] = hashlib.sha256(files.hidden[name]).hexdigest()
            continue
        try:
            file = asset_file(files.root, name)
            if (size := file.stat().st_size) > MAX_ASSET_BYTES:
                raise BundleError(f"the asset {name} has {size:,} bytes", "asset.too_large")
            hashes[name] = file_sha256(file)
        except BundleError as fault:
            bad.add(name)
            found.append(error(fault.code, str(fault), question))
            continue
        if file.suffix.lower() not in _IMAGES:
            found.append(warning("asset.type", f"the asset {name} is no {', '.join(_IMAGES)} file", question))
    if files.grading and files.manifest and files.manifest.digest and not bad:
        found += _digest(files.exam, files.grading, hashes, files.manifest.digest)
    return found


def _digest(exam: Exam, grading: GradingSpec, hashes: dict[str, str], stated: str) -> list[Finding]:
    actual = digest_of(exam, grading, hashes)
    if actual == stated:
        return []
    message = f"the manifest's digest is {stated[:16]}…, the bundle's is {actual[:16]}…: it was changed since"
    return [error("digest.mismatch", message)]


def _manifest(manifest: Manifest) -> list[Finding]:
    found: list[Finding] = []
    for source in manifest.sources:
        if re.search(r"[/\\]", source.path):
            found.append(warning("source.path", f"the source {source.path!r} is a path; only its name belongs here"))
        if not re.fullmatch(r"[0-9a-f]{64}", source.sha256):
            found.append(error("source.sha256", f"the source {source.path!r} has no sha256 of 64 hex digits"))
    coverage = manifest.coverage
    if coverage:
        parts = (coverage.question, coverage.instruction, coverage.furniture, coverage.figure, coverage.unassigned)
        if sum(parts) != coverage.words:
            message = f"coverage accounts for {sum(parts)} words of {coverage.words}"
            found.append(error("coverage.sum", message))
    errors = sum(finding.severity == "error" for finding in manifest.findings)
    if errors:
        found.append(info("ingest.errors", f"the ingestion itself left {errors} errors in the manifest"))
    return found


def _links(root: Path) -> list[Finding]:
    """Symlinks among the assets, named or not: whoever packs or serves the bundle would follow them."""
    assets = root / "assets"
    if assets.is_symlink():
        return [error("asset.symlink", "the folder assets is a symlink")]
    found = []
    for folder, names, files in os.walk(assets):
        for name in sorted([*names, *files]):
            if (Path(folder) / name).is_symlink():
                inside = (Path(folder) / name).relative_to(root).as_posix()
                found.append(error("asset.symlink", f"{inside} is a symlink"))
    return found


def validate_sheet_text(exam: Exam, text: str | bytes, name: str) -> list[Finding]:
    """`validate_sheet` of a sheet's file content, which may be no JSON at all."""
    try:
        return validate_sheet(exam, parse_json(text, name))
    except BundleError as fault:
        return [error(fault.code, str(fault))]
