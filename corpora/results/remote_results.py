"""Results in a dataset repository: the folder `results/` with the same shape as on disk.

Publishing sends the entries that the repository lacks, and an index of all that will be there, as one commit on a
known head; entries of other people stay untouched.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ...schemas.assets import name_fault
from ...schemas.errors import BundleError, HubError, UsageError
from ...schemas.json_files import MAX_JSON_BYTES, parse_json, parse_record
from ...schemas.printable import printable
from ..hub.remote import Remote, RemoteFile, StaleParent
from .entry import ResultEntry, check_entry_name
from .store import ENTRY, INDEX, MAX_FILE_BYTES, checked_entry, index_text, read_results

FOLDER = "results"
MAX_REMOTE_FILES = 100_000
MAX_ENTRY_FILES = 20_000
MAX_ENTRY_BYTES = 2 * 1024 * 1024 * 1024
"""Of one entry: ten thousand papers with a sheet each, and the judges' cache."""
TRIES = 6
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Sent:
    """What publishing did. `commit`: that holds the entries now; `names`: those that were sent."""

    commit: str
    names: list[str]


def publish_results(remote: Remote, folder: Path, tell: Tell, *, replace: bool = False) -> Sent:
    """Send the entries below `folder` to the repository. Raises UsageError where one of them cannot be believed or
    is there with another content (unless `replace`), HubError for what the Hub refuses."""
    local = read_results(folder)
    if local.findings:
        raise UsageError(f"{printable(folder)}: {local.findings[0].message}")
    if not local.entries:
        raise UsageError(f"{printable(folder)} holds no results: exam2bench results add makes an entry of reports")
    for _ in range(TRIES):
        with tempfile.TemporaryDirectory() as scratch:
            head = remote.head()
            files, deleted, names = _difference(remote, head, folder, local.entries, replace=replace)
            index = Path(scratch) / INDEX
            index.write_text(_index(remote, head, local.entries, Path(scratch), tell), encoding="utf-8")
            if not files and not deleted:
                return Sent(head, [])
            tell(f"uploading {len(files)} files of {len(names)} entries")
            try:
                message = f"results: {', '.join(names)}"[:200]
                commit = remote.commit({**files, f"{FOLDER}/{INDEX}": index}, deleted, message, head)
            except StaleParent:
                tell("somebody else published in between: trying again")
                continue
            return Sent(commit, names)
    raise HubError(f"{remote.repo} changed {TRIES} times while this was to be committed: try again")


def _difference(
    remote: Remote, head: str, folder: Path, entries: list[ResultEntry], *, replace: bool
) -> tuple[dict[str, Path], list[str], list[str]]:
    files: dict[str, Path] = {}
    deleted: list[str] = []
    names: list[str] = []
    for entry in entries:
        there, _ = remote.listing(head, f"{FOLDER}/{entry.name}", MAX_REMOTE_FILES)
        old = {file.path: file for file in there}
        own = {f"{FOLDER}/{entry.name}/{path}": folder / entry.name / path for path in _paths(folder / entry.name)}
        changed = {path: local for path, local in own.items() if path not in old or not old[path].is_same(local)}
        gone = sorted(set(old) - set(own))
        if old and (changed or gone) and not replace:
            raise UsageError(
                f"{remote.repo} has an entry {entry.name} with another content: give --replace, or rename yours"
            )
        files |= changed
        deleted += gone
        if changed or gone:
            names.append(entry.name)
    return files, deleted, names


def _paths(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def _index(remote: Remote, head: str, own: list[ResultEntry], scratch: Path, tell: Tell) -> str:
    """The index over own entries and those that others have there, as their entry.json says."""
    mine = {entry.name for entry in own}
    read: list[ResultEntry] = []
    for name in _remote_names(remote, head):
        if name in mine:
            continue
        try:
            text = remote.read(head, f"{FOLDER}/{check_entry_name(name)}/{ENTRY}", MAX_JSON_BYTES, scratch)
            entry = parse_record(parse_json(text or "null", ENTRY), ResultEntry, f"{name}/{ENTRY}")
        except (BundleError, UsageError) as fault:
            tell(f"the entry {name} stays out of the index: {fault}")
            continue
        if entry.name == name:
            read.append(entry)
    return index_text([*own, *read])


def _remote_names(remote: Remote, commit: str) -> list[str]:
    files, _ = remote.listing(commit, FOLDER, MAX_REMOTE_FILES)
    names = {file.path.split("/")[1] for file in files if file.path.count("/") >= 2}
    return sorted(names)


def fetch_results(
    remote: Remote, revision: str | None, target: Path, tell: Tell, *, name: str | None = None
) -> tuple[str, list[str]]:
    """Fetch all entries, or one, into the results folder `target`; those that are there and the same stay. Returns
    the commit and the names. Raises BundleError for an entry that is not what it says; none of it is kept."""
    commit = remote.head(revision)
    names = [check_entry_name(name)] if name else _remote_names(remote, commit)
    if not names:
        raise HubError(f"{remote.repo} holds no results")
    target.mkdir(parents=True, exist_ok=True)
    for one in names:
        _fetch_entry(remote, commit, check_entry_name(one), target, tell)
    return commit, names


def _fetch_entry(remote: Remote, commit: str, name: str, target: Path, tell: Tell) -> None:
    files, _ = remote.listing(commit, f"{FOLDER}/{name}", MAX_ENTRY_FILES)
    if not files:
        raise UsageError(f"{remote.repo} has no entry {name}")
    _check(remote, files, name)
    local = target / name
    if local.exists():
        if all(
            (target / name / _inside(file, name)).is_file() and file.is_same(local / _inside(file, name))
            for file in files
        ):
            return
        raise UsageError(f"{printable(local)} is there with another content: fetch into another folder")
    tell(f"fetching {name}: {len(files)} files")
    partial = target / f".{name}.{commit[:12]}.fetch"
    partial.mkdir(exist_ok=True)
    for file in files:
        arrived = remote.fetch(commit, file.path, partial)
        if not file.is_same(arrived):
            arrived.unlink(missing_ok=True)
            raise BundleError(
                f"{printable(file.path)} arrived with another content than {remote.repo} states: try again"
            )
    try:
        checked_entry(partial / FOLDER / name)
        os.rename(partial / FOLDER / name, local)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _inside(file: RemoteFile, name: str) -> str:
    return file.path.removeprefix(f"{FOLDER}/{name}/")


def _check(remote: Remote, files: list[RemoteFile], name: str) -> None:
    for file in files:
        inside = _inside(file, name)
        fault = None if inside == ENTRY else name_fault(inside)
        if fault or inside == file.path:
            raise BundleError(f"{remote.repo}: the name {printable(file.path, 200)} {fault or 'leaves the entry'}")
        if file.size > MAX_FILE_BYTES:
            raise BundleError(
                f"{remote.repo}: {printable(file.path, 200)} has {file.size:,} bytes: too large for a result"
            )
    if (total := sum(file.size for file in files)) > MAX_ENTRY_BYTES:
        raise BundleError(f"{remote.repo}: the entry {name} has {total:,} bytes: too large for a result")
