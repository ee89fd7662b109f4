"""A bundle on disk: load it, save it whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .answer_schema import answer_schema
from .assets import CONTRACT_FILES, SEALED, asset_file, name_fault, named_assets
from .base import Contract
from .canary import is_canary, stamped
from .digest import digest, digest_of
from .errors import BundleError, UsageError
from .exam import Exam
from .grading import GradingSpec
from .json_files import dump_json, read_record, write_text
from .manifest import Manifest
from .printable import printable
from .sealed import is_sealed, open_seal

__all__ = ["Bundle", "digest", "dump_json", "load_bundle", "save_bundle", "save_record"]


@dataclass(frozen=True)
class Bundle:
    """One exam with its grading. `manifest` says where it came from. `hidden`: the assets that were sealed with the
    key, by name; None where the bundle is not sealed."""

    root: Path
    exam: Exam
    grading: GradingSpec
    manifest: Manifest
    hidden: Mapping[str, bytes] | None = None

    @property
    def sealed(self) -> bool:
        """Whether the key lies sealed on disk: nothing that holds answers may be written in clear."""
        return self.hidden is not None

    def asset(self, name: str) -> Path:
        """The file of an asset. Raises BundleError where it is missing or would leave the bundle."""
        return asset_file(self.root, name)

    def read_asset(self, name: str) -> bytes:
        """The bytes of an asset, sealed or not. Raises BundleError like `asset`."""
        if self.hidden and name in self.hidden:
            return self.hidden[name]
        return self.asset(name).read_bytes()

    def digest(self) -> str:
        """The digest of what lies there now, whatever the manifest says. Raises BundleError like `asset`."""
        return digest(self.exam, self.grading, self.read_asset)


def load_bundle(path: Path | str) -> Bundle:
    """Read a bundle's three records. `validate_bundle` checks what they say; this checks that they are records.

    Raises UsageError where `path` is no folder, BundleError where a file cannot be read or breaks its
    schema or its seal does not open, VersionError where its major version is unknown.
    """
    root = Path(path)
    if not root.is_dir():
        raise UsageError(f"{printable(root)} is not a bundle: no such folder")
    if not (root / "exam.json").exists():
        raise UsageError(f"{printable(root)} is not a bundle: it has no exam.json")
    exam = read_record(root / "exam.json", Exam)
    if is_sealed(root):
        return _load_sealed(root, exam)
    grading = read_record(root / "grading.json", GradingSpec)
    return Bundle(root, exam, grading, read_record(root / "manifest.json", Manifest))


def _load_sealed(root: Path, exam: Exam) -> Bundle:
    """The bundle with its key opened in memory; the full manifest is in the seal, where it was fetched from is not."""
    fetched = read_record(root / "manifest.json", Manifest).fetched
    opened = open_seal(root, fetched.passphrase if fetched else None)
    manifest = opened.manifest.model_copy(update={"fetched": fetched})
    return Bundle(root, exam, opened.grading, manifest, opened.assets)


def save_record(path: Path, record: Contract) -> None:
    """Write one contract file (a sheet, a report) whole or not at all."""
    write_text(path, dump_json(record))


def save_bundle(
    path: Path | str,
    exam: Exam,
    grading: GradingSpec,
    manifest: Manifest,
    assets: Mapping[str, bytes],
    *,
    force: bool = False,
) -> Bundle:
    """Write a bundle to the folder `path`, with its answer schema and digest, and return it.

    Everything is written beside the target first and renamed at the end: a crash or Ctrl-C leaves the old
    state. An existing bundle is kept, with UsageError, unless `force`; then its contract files and assets
    are replaced and whatever else lies in the folder (sheets, reports) stays. A folder that holds something
    else than a bundle is never replaced.
    Raises BundleError where an asset's name is not allowed or an asset that the exam names was not given.
    """
    target = Path(os.path.abspath(path))
    check_target(target, force=force)
    hashes = _asset_hashes(exam, grading, assets)
    manifest = manifest.model_copy(update={"digest": digest_of(exam, grading, hashes)})
    texts = {
        "exam.json": dump_json(exam),
        "grading.json": dump_json(grading),
        "answer_schema.json": json.dumps(answer_schema(exam), ensure_ascii=False, indent=2) + "\n",
        "manifest.json": dump_json(manifest),
    }
    if manifest.canary and is_canary(manifest.canary):
        texts = {name: stamped(text, manifest.canary, name) for name, text in texts.items()}
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}.partial")
    try:
        _write_all(beside, texts, assets)
        put_in_place(beside, target)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return Bundle(target, exam, grading, manifest)


def check_target(path: Path | str, *, force: bool = False) -> None:
    """Raise UsageError where `save_bundle` would refuse `path`: ask before the work, not after it."""
    target = Path(os.path.abspath(path))
    if not os.path.lexists(target):
        return
    if target.is_symlink() or not target.is_dir():
        raise UsageError(f"{printable(path)} exists and is not a folder: choose another name")
    if not any(target.iterdir()):
        return
    if not (target / "exam.json").exists():
        raise UsageError(f"{printable(path)} holds other files and no bundle: choose another folder")
    if not force:
        raise UsageError(f"{printable(path)} holds a bundle already: give --force to replace it")


def _asset_hashes(exam: Exam, grading: GradingSpec, assets: Mapping[str, bytes]) -> dict[str, str]:
    for name in assets:
        fault = name_fault(name)
        if fault:
            raise BundleError(f"the asset {printable(repr(name))} {fault}")
    hashes: dict[str, str] = {}
    for name, question in named_assets(exam, grading):
        if name not in assets:
            raise BundleError(f"{question or 'a section'} names the asset {printable(name)}, which was not given")
        hashes[name] = hashlib.sha256(assets[name]).hexdigest()
    return hashes


def _write_all(folder: Path, texts: Mapping[str, str], assets: Mapping[str, bytes]) -> None:
    folder.mkdir()
    (folder / "assets").mkdir()
    for name, data in assets.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    for name, text in texts.items():
        (folder / name).write_bytes(text.encode("utf-8"))


def put_in_place(new: Path, target: Path) -> None:
    """Put the bundle in the folder `new` in `target`'s place; other people's files of an old bundle there move over,
    where the new one has none of that name."""
    if not target.exists():
        os.rename(new, target)
        return
    old = target.with_name(f".{target.name}.{secrets.token_hex(4)}.old")
    os.rename(target, old)
    try:
        os.rename(new, target)
    except BaseException:
        os.rename(old, target)
        raise
    for entry in sorted(old.iterdir()):
        ours = entry.name in (*CONTRACT_FILES, SEALED, "assets")
        if not ours and not os.path.lexists(target / entry.name):
            os.rename(entry, target / entry.name)
    shutil.rmtree(old)
