"""A bundle out of a dataset repository, pinned to a commit. Whatever lies there was put there by anybody: names, sizes,
numbers and archives are checked before anything is written, and what is written is checked by its digest.

The repository's layout is `NAME/bundle/…`, which any-to-bench has too. The viewer's tables and the card's YAML are
never read.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...schemas.archive import MAX_FILE_BYTES, MAX_TOTAL_BYTES, unpack
from ...schemas.assets import SEALED, name_fault
from ...schemas.bundle import check_target, load_bundle, put_in_place
from ...schemas.errors import BundleError, HubError, UsageError
from ...schemas.findings import Finding
from ...schemas.json_files import MAX_JSON_BYTES, read_json, write_text
from ...schemas.manifest import Fetched
from ...schemas.printable import printable
from ...schemas.sealed import open_seal
from ...schemas.validation import validate_bundle
from .card import passphrase_of
from .front_matter import MAX_CARD_BYTES
from .names import ASSETS_ZIP, check_name, is_name
from .publishing import CARD
from .remote import Remote, RemoteFile
from .telling import Telling

MAX_FILES = 20_000
MAX_NAMES = 5_000
WORKERS = 4
NEEDED = ("exam.json", "answer_schema.json", "manifest.json")
OWN = (*NEEDED, "grading.json", SEALED)


@dataclass(frozen=True)
class Arrived:
    """A bundle that was fetched. `digest`: of what lies there now; `stated`: whether the repository had said it."""

    folder: Path
    source: Fetched
    digest: str
    stated: bool
    sealed: bool
    findings: list[Finding]


def fetch(
    remote: Remote,
    revision: str | None,
    name: str | None,
    target: Path,
    telling: Telling,
    *,
    force: bool = False,
    unsealed: bool = False,
) -> Arrived:
    """Fetch one bundle into the folder `target`. The same call after an interruption goes on where it was.

    Raises UsageError for names and folders, HubError for what the Hub refuses, BundleError for what lies there and
    cannot be a bundle; then nothing is left at `target`.
    """
    target = Path(os.path.abspath(target))
    check_target(target, force=force)
    if name:
        check_name(name)
    commit = remote.head(revision)
    if remote.moved_to:
        telling.note(f"{remote.repo} has been renamed to {remote.moved_to}; fetching from there")
    chosen = name or _only_name(remote, commit)
    files = _checked(remote, commit, chosen)
    partial = target.with_name(f".{target.name}.{commit[:12]}.fetch")
    partial.mkdir(parents=True, exist_ok=True)
    try:
        _download(remote, commit, files, partial, telling)
        source = Fetched(repo=remote.moved_to or remote.repo, revision=commit, name=chosen)
        if f"{chosen}/bundle/{SEALED}" in {file.path for file in files}:
            card = remote.read(commit, CARD, MAX_CARD_BYTES, partial)
            source.passphrase = passphrase_of(card, chosen) if card else None
        ready = partial / ".ready"
        shutil.rmtree(ready, ignore_errors=True)
        _assemble(partial / chosen / "bundle", ready, files, chosen)
        arrived = _verified(ready, source, unsealed=unsealed)
        target.parent.mkdir(parents=True, exist_ok=True)
        put_in_place(ready, target)
    except BundleError:
        # what lies there is wrong, and asking again would not mend it
        shutil.rmtree(partial, ignore_errors=True)
        raise
    shutil.rmtree(partial)
    return Arrived(target, source, *arrived)


def bundle_list(remote: Remote, commit: str) -> list[str]:
    """The names of the bundles in the repository."""
    _, folders = remote.listing(commit, None, MAX_NAMES)
    names = [folder for folder in folders if is_name(folder)]
    there = remote.present(commit, [f"{name}/bundle/exam.json" for name in names])
    return [name for name in names if f"{name}/bundle/exam.json" in there]


def _only_name(remote: Remote, commit: str) -> str:
    names = bundle_list(remote, commit)
    if not names:
        raise HubError(f"{remote.repo} holds no bundle (no folder with bundle/exam.json): is it another dataset?")
    if len(names) > 1:
        shown = ", ".join(names[:40]) + (f", and {len(names) - 40} more" if len(names) > 40 else "")
        raise UsageError(f"{remote.repo} holds {len(names)} bundles, choose with --name: {shown}")
    return names[0]


def _checked(remote: Remote, commit: str, name: str) -> list[RemoteFile]:
    """The files of the bundle, each with a name and a size that a bundle's file can have."""
    files, _ = remote.listing(commit, f"{name}/bundle", MAX_FILES)
    if not files:
        names = bundle_list(remote, commit)
        there = f"there are {', '.join(names[:40])}" if names else "it holds no bundle at all"
        raise UsageError(f"{remote.repo} has no bundle {name}: {there}")
    prefix = f"{name}/bundle/"
    total = 0
    for file in files:
        inside = file.path.removeprefix(prefix)
        where = f"{remote.repo}: {printable(file.path, 200)}"
        fault = None if inside in OWN else name_fault(inside)
        if fault or not file.path.startswith(prefix):
            raise BundleError(f"{where}: the name {fault or 'leaves the bundle'}; nothing was fetched", "fetch.name")
        limit = MAX_JSON_BYTES if inside.endswith(".json") and "/" not in inside else MAX_FILE_BYTES
        if inside == ASSETS_ZIP:
            limit = MAX_TOTAL_BYTES
        total += file.size
        if file.size > limit or total > MAX_TOTAL_BYTES:
            raise BundleError(
                f"{where} has {file.size:,} bytes: too large for a bundle; nothing was fetched", "fetch.size"
            )
    there = {file.path.removeprefix(prefix) for file in files}
    missing = [part for part in NEEDED if part not in there]
    if missing or not {"grading.json", SEALED} & there:
        raise BundleError(f"{remote.repo}: {name}/bundle has no {(missing or ['grading.json'])[0]}", "fetch.incomplete")
    _check_folding(there, remote.repo)
    return files


def _check_folding(names: set[str], repo: str) -> None:
    """Names that are one file on other systems, where case does not count."""
    seen: dict[str, str] = {}
    for name in sorted(names):
        other = seen.setdefault(name.casefold(), name)
        if other != name:
            raise BundleError(f"{repo}: {printable(other)} and {printable(name)} differ only in case", "fetch.name")


def _download(remote: Remote, commit: str, files: Sequence[RemoteFile], folder: Path, telling: Telling) -> None:
    """Every file below `folder`, under its path in the repository; those that are there and right are not asked for."""
    wanted = [file for file in files if not _is_there(folder / file.path, file)]
    size = sum(file.size for file in wanted)
    telling.step(f"downloading {len(wanted)} of {len(files)} files, {size / 1e6:.1f} MB")

    def one(file: RemoteFile) -> None:
        local = remote.fetch(commit, file.path, folder)
        if not _is_there(local, file):
            local.unlink(missing_ok=True)
            raise BundleError(
                f"{printable(file.path)} arrived with another content than {remote.repo} states: try again",
                "fetch.hash",
            )

    with ThreadPoolExecutor(WORKERS) as pool:
        try:
            for _ in pool.map(one, wanted):
                pass
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _is_there(local: Path, file: RemoteFile) -> bool:
    return local.is_file() and not local.is_symlink() and file.is_same(local)


def _assemble(source: Path, ready: Path, files: Sequence[RemoteFile], name: str) -> None:
    """The bundle's folder: files in their places, the archive unpacked."""
    ready.mkdir(parents=True)
    (ready / "assets").mkdir()
    for file in files:
        inside = file.path.removeprefix(f"{name}/bundle/")
        if inside != ASSETS_ZIP:
            target = ready / inside
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / inside, target)
    if (source / ASSETS_ZIP).is_file():
        for asset, data in unpack(source / ASSETS_ZIP, f"{name}/bundle/{ASSETS_ZIP}"):
            target = ready / asset
            if target.exists():
                raise BundleError(f"{name}/bundle holds {printable(asset)} twice, packed and loose", "archive.name")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)


def _verified(ready: Path, source: Fetched, *, unsealed: bool) -> tuple[str, bool, bool, list[Finding]]:
    """Write the pin into the manifest, open the seal where asked, and compare the digest: what it is, whether the
    repository stated it, whether the key is still sealed, and what validation finds. Raises BundleError."""
    manifest = read_json(ready / "manifest.json")
    if not isinstance(manifest, dict):
        raise BundleError(f"{source.repo}: {source.name}/bundle/manifest.json is not an object", "schema.invalid")
    if unsealed:
        manifest = _unseal(ready, source) or manifest
    manifest.pop("fetched", None)
    manifest["fetched"] = source.model_dump(mode="json")
    write_text(ready / "manifest.json", json.dumps(manifest, ensure_ascii=False, indent=2) + "\n")
    bundle = load_bundle(ready)
    stated, actual = manifest.get("digest"), bundle.digest()
    if stated is None:
        text = json.dumps({**manifest, "digest": actual}, ensure_ascii=False, indent=2) + "\n"
        write_text(ready / "manifest.json", text)
    if stated is not None and stated != actual:
        told = printable(stated, 16)
        raise BundleError(
            f"{source.repo}: {source.name} has the digest {actual[:16]}…, its manifest states {told}: its paper or key "
            "was changed after it was published; nothing was kept",
            "digest.mismatch",
        )
    return actual, stated is not None, bundle.sealed, validate_bundle(ready)


def _unseal(ready: Path, source: Fetched) -> dict[str, Any] | None:
    """Write the key in clear, as the caller asked; the full manifest that was sealed with it. None: no seal."""
    if not (ready / SEALED).is_file():
        return None
    files = open_seal(ready, source.passphrase).files
    for name, data in files.items():
        target = ready / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    (ready / SEALED).unlink()
    source.passphrase = None
    return json.loads(files["manifest.json"])
