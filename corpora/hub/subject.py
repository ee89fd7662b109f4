"""A bundle on its way out: checked, its rights known, its files as they will lie in the repository."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...schemas.answer_schema import answer_schema
from ...schemas.assets import named_assets
from ...schemas.bundle import Bundle, load_bundle
from ...schemas.canary import canary_of, is_canary, stamped
from ...schemas.errors import BundleError, UsageError
from ...schemas.findings import Finding
from ...schemas.json_files import MAX_JSON_BYTES, read_json
from ...schemas.printable import printable
from ...schemas.sealed import SEALED, open_seal, seal
from ...schemas.validation import validate_bundle

OPEN_FILES = ("exam.json", "answer_schema.json")
WITH_ERRORS = "--publish-with-errors"
WITHOUT_RIGHTS = "--publish-without-known-rights"


@dataclass(frozen=True)
class Terms:
    """What the caller decided: licence of the dataset, whether keys are sealed, which doubts were waved through."""

    licence: str | None = None
    """The Hub's id."""
    sealed: bool = False
    for_any_to_bench: bool = False
    """Pictures as single files, and the answer schema without its canary: its reader compares it to the letter."""
    with_errors: bool = False
    without_rights: bool = False

    def __post_init__(self) -> None:
        if self.for_any_to_bench and self.sealed:
            raise UsageError("any-to-bench cannot open a sealed key: leave out --sealed or --for-any-to-bench")


@dataclass(frozen=True)
class Subject:
    """One bundle under its name in the repository. `findings`: what validation said; `digest`: of what lies there."""

    name: str
    bundle: Bundle
    canary: str
    digest: str
    findings: list[Finding]

    @property
    def key_only(self) -> list[str]:
        """The assets that only the key names."""
        open_ones = {asset for asset, _ in named_assets(self.bundle.exam)}
        return sorted({asset for asset, _ in named_assets(self.bundle.exam, self.bundle.grading)} - open_ones)

    @property
    def left_home(self) -> list[str]:
        """Files below assets/ that neither the exam nor the key names: page renders, working files."""
        named = {asset for asset, _ in named_assets(self.bundle.exam, self.bundle.grading)}
        files = (file for file in (self.bundle.root / "assets").rglob("*") if file.is_file())
        return sorted({file.relative_to(self.bundle.root).as_posix() for file in files} - named)


def subject(path: Path, name: str, terms: Terms) -> Subject:
    """Read and check a bundle. Raises UsageError where its rights are not known or it has errors, and the caller did
    not say that this is all right; or where a sealed key would come out in clear."""
    findings = validate_bundle(path)
    errors = [finding for finding in findings if finding.severity == "error"]
    bundle = load_bundle(path)
    if errors and not terms.with_errors:
        message = f"{printable(path)} has {len(errors)} errors, the first: {errors[0].message}"
        raise UsageError(f"{message}; `exam2bench validate` lists them, {WITH_ERRORS} publishes it all the same")
    if bundle.sealed and not terms.sealed:
        raise UsageError(f"{printable(path)} has a sealed key: publish it with --sealed, or fetch it --unsealed first")
    rights = bundle.manifest.rights
    if not (terms.licence or terms.without_rights or (rights and (rights.licence or rights.permission))):
        message = f"nobody knows who may publish {printable(path)}: its manifest states neither licence nor permission"
        raise UsageError(f"{message}; give --license ID, or {WITHOUT_RIGHTS} if you answer for it")
    stated = bundle.manifest.canary
    hashes = [source.sha256 for source in bundle.manifest.sources]
    canary = stated if stated and is_canary(stated) else canary_of(bundle.exam.exam_id, hashes)
    return Subject(name, bundle, canary, bundle.digest(), findings)


def open_assets(one: Subject, *, sealed: bool) -> Iterator[tuple[str, bytes]]:
    """The assets that go into the repository in clear, sorted by name, one at a time."""
    left_out = set(one.key_only) if sealed else set()
    names = {asset for asset, _ in named_assets(one.bundle.exam, one.bundle.grading)}
    for name in sorted(names - left_out):
        yield name, one.bundle.read_asset(name)


def contract_files(one: Subject, passphrase: str | None, *, for_any_to_bench: bool = False) -> dict[str, bytes]:
    """The bundle's own files with the canary in each; with a passphrase the key is sealed."""
    texts = {name: stamped(_text(one.bundle.root / name), one.canary, name) for name in OPEN_FILES}
    if for_any_to_bench:
        texts["answer_schema.json"] = json.dumps(answer_schema(one.bundle.exam), ensure_ascii=False, indent=2) + "\n"
    closed = _closed_files(one)
    manifest = stamped(_manifest_text(closed["manifest.json"], one.digest), one.canary, "manifest.json")
    grading = stamped(closed["grading.json"], one.canary, "grading.json")
    files = {name: text.encode("utf-8") for name, text in texts.items()}
    if passphrase is None:
        return files | {"grading.json": grading.encode("utf-8"), "manifest.json": manifest.encode("utf-8")}
    hidden = {"grading.json": grading.encode("utf-8"), "manifest.json": manifest.encode("utf-8")}
    hidden |= {name: one.bundle.read_asset(name) for name in one.key_only}
    files["manifest.json"] = _without_answers(manifest).encode("utf-8")
    files[SEALED] = seal(hidden, passphrase, one.bundle.exam.exam_id, one.canary)
    return files


def _closed_files(one: Subject) -> dict[str, str]:
    """grading.json and the full manifest.json as texts, whether they lie open or sealed."""
    root = one.bundle.root
    if not one.bundle.sealed:
        return {name: _text(root / name) for name in ("grading.json", "manifest.json")}
    fetched = one.bundle.manifest.fetched
    files = open_seal(root, fetched.passphrase if fetched else None).files
    return {name: files[name].decode("utf-8") for name in ("grading.json", "manifest.json")}


def _text(path: Path) -> str:
    """A contract file's text exactly as it lies there."""
    read_json(path)  # refuses what is too large or no JSON
    data = path.read_bytes()
    if len(data) > MAX_JSON_BYTES:
        raise BundleError(f"{printable(path)} grew while it was read", "file.too_large")
    return data.decode("utf-8")


def _manifest_text(text: str, digest: str) -> str:
    """The manifest with its digest and without where a copy was fetched from; unchanged where that is so already."""
    record: dict[str, Any] = json.loads(text)
    if record.get("digest") == digest and "fetched" not in record:
        return text
    record.pop("fetched", None)
    record["digest"] = digest
    return json.dumps(record, ensure_ascii=False, indent=2) + "\n"


def _without_answers(text: str) -> str:
    """The manifest as it may lie beside a sealed key: findings without their sentences, which can quote the key."""
    record: dict[str, Any] = json.loads(text)
    record["warnings"] = []
    for finding in record.get("findings") or []:
        finding |= {"message": "sealed with the key", "hint": None}
    if record.get("coverage"):
        record["coverage"]["unassigned_words"] = []
    return json.dumps(record, ensure_ascii=False, indent=2) + "\n"
