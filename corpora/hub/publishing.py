"""Bundles into a dataset repository: built and proved in a staging folder, then one commit on a known head.

Who else commits in between loses nothing and costs nothing: the card is composed anew on the new head and the commit
tried again.
"""

from __future__ import annotations

import re
import secrets
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ...schemas.errors import BundleError, HubError, UsageError
from ...schemas.json_files import MAX_JSON_BYTES, parse_json, write_text
from .card import Entry, bundle_names, composed, entry, passphrase_of
from .eval_yaml import EVAL_FILE, eval_yaml
from .front_matter import MAX_CARD_BYTES
from .names import SPLIT, revision_tag
from .proof import prove_bundle, prove_card
from .remote import Remote, RemoteFile, StaleParent
from .staging import Staged, stage, unstage
from .subject import Subject, Terms, subject
from .telling import Telling

CARD = "README.md"
MAX_REMOTE_FILES = 20_000
TRIES = 6


@dataclass(frozen=True)
class Order:
    """What is to happen: bundles by name, names to remove, the terms; `framework`: for `eval.yaml`, None: none is
    written where there is none; `passphrase`: of new seals, None: that of the card, else a fresh one."""

    repo: str
    bundles: dict[str, Path]
    removed: tuple[str, ...] = ()
    terms: Terms = field(default_factory=Terms)
    private: bool = False
    framework: str | None = None
    passphrase: str | None = None
    move_tags: bool = False


@dataclass
class Built:
    """A staging folder that has been proved."""

    folder: Path
    staged: list[Staged]
    entries: list[Entry]
    revisions: dict[str, tuple[int, str]]
    """By name: the key's revision and the digest."""
    notes: list[str]


def build(folder: Path, order: Order, card: str | None, telling: Telling) -> Built:
    """Build and prove the folder. `card`: the repository's card as it is, None where there is none.

    One bundle after the other is read, built and let go. Raises UsageError, BundleError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    built = Built(folder, [], [], {}, [])
    passphrases: dict[str, str | None] = {}
    earlier = (folder / CARD).read_text("utf-8") if (folder / CARD).is_file() else None
    for number, (name, path) in enumerate(order.bundles.items(), 1):
        telling.step(f"building {name} ({number}/{len(order.bundles)})")
        one = subject(path, name, order.terms)
        passphrases[name] = passphrase = _passphrase(order, (card, earlier), name)
        staged = stage(folder, one, passphrase, for_any_to_bench=order.terms.for_any_to_bench)
        built.staged.append(staged)
        built.entries.append(entry(one, staged, passphrase, order.terms.licence))
        built.revisions[name] = (one.bundle.grading.revision, one.digest)
        built.notes += _notes(one)
    for name in order.removed:
        unstage(folder, name)
    write_card(folder, order, built.entries, card)
    proved = prove_card(folder)
    for number, (name, path) in enumerate(order.bundles.items(), 1):
        telling.step(f"proving {name} ({number}/{len(order.bundles)})")
        prove_bundle(folder, proved, subject(path, name, order.terms), passphrases[name])
    return built


def write_card(folder: Path, order: Order, entries: Sequence[Entry], card: str | None) -> None:
    """The card, and eval.yaml where the repository is or becomes a benchmark, into the folder."""
    for name in order.removed:
        if name not in bundle_names(card):
            known = ", ".join(bundle_names(card)) or "none"
            raise UsageError(f"there is no bundle {name} in {order.repo} to remove; there are: {known}")
    text = composed(card, order.repo, entries, order.removed, order.terms.licence)
    write_if_changed(folder / CARD, text)
    file = folder / EVAL_FILE
    if order.framework or file.is_file():
        earlier = file.read_text("utf-8") if file.is_file() else None
        write_if_changed(file, eval_yaml(earlier, order.framework, text, {one.name: one.title for one in entries}))


def write_if_changed(path: Path, text: str) -> None:
    if not (path.is_file() and path.read_bytes() == text.encode("utf-8")):
        write_text(path, text)


def _passphrase(order: Order, cards: Sequence[str | None], name: str) -> str | None:
    """The seal's passphrase: told, or that of a card, so that an unchanged key stays the same bytes; None: no seal."""
    if not order.terms.sealed:
        return None
    if order.passphrase:
        if not re.fullmatch(r"[\x21-\x5f\x61-\x7e]{4,200}", order.passphrase):
            raise UsageError("--passphrase: 4 to 200 printable ASCII characters without blanks and backticks")
        return order.passphrase
    known = (passphrase_of(card, name) for card in cards if card)
    return next(filter(None, known), None) or secrets.token_urlsafe(12)


def _notes(one: Subject) -> list[str]:
    notes: list[str] = []
    if one.left_home:
        notes.append(f"{one.name}: {len(one.left_home)} files in assets/ that no question names are not published")
    if one.bundle.manifest.canary != one.canary:
        notes.append(f"{one.name}: the published copy carries a canary; `exam2bench canary add` puts it into yours too")
    return notes


def push(remote: Remote, order: Order, built: Built, telling: Telling) -> str:
    """Commit the staging folder's bundles and card to the repository, and tag the revisions; the commit that holds
    them. Nothing is committed where all of it is there already. Raises UsageError, HubError."""
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        for attempt in range(TRIES):
            head = remote.head()
            tags = _check_tags(remote, order, built, scratch)
            if attempt:
                telling.note("somebody else published in between: composing the card anew")
            card = remote.read(head, CARD, MAX_CARD_BYTES, scratch)
            _take_eval_yaml(remote, head, built.folder, scratch)
            write_card(built.folder, order, built.entries, card)
            files, deleted = _difference(remote, head, order, built)
            commit = head
            if files or deleted:
                try:
                    telling.step(f"uploading {len(files)} files")
                    commit = remote.commit(files, deleted, _message(order), head)
                except StaleParent:
                    continue
            for bundle, tag in tags.items():
                telling.step(f"tagging {bundle}: {tag}")
                remote.tag(tag, commit, move=order.move_tags)
            return commit
    raise HubError(f"{order.repo} changed {TRIES} times while this was to be committed: try again")


def _take_eval_yaml(remote: Remote, head: str, folder: Path, scratch: Path) -> None:
    text = remote.read(head, EVAL_FILE, MAX_JSON_BYTES, scratch)
    if text is not None:
        write_if_changed(folder / EVAL_FILE, text)


def _message(order: Order) -> str:
    parts = [f"publish {', '.join(order.bundles)}"] if order.bundles else []
    parts += [f"remove {', '.join(order.removed)}"] if order.removed else []
    told = "; ".join(parts)
    return told if len(told) <= 200 else f"publish {len(order.bundles)} bundles"


def _difference(remote: Remote, head: str, order: Order, built: Built) -> tuple[dict[str, Path], list[str]]:
    """The files that the repository lacks or has otherwise, and those of these bundles that it has to lose."""
    files: dict[str, Path] = {}
    deleted: list[str] = []
    top, folders = remote.listing(head, None, MAX_REMOTE_FILES)
    there = {file.path: file for file in top}
    for staged in built.staged:
        old = _below(remote, head, staged.name, folders)
        wanted = {path.relative_to(built.folder).as_posix(): path for path in staged.files}
        files |= {path: local for path, local in wanted.items() if path not in old or not old[path].is_same(local)}
        deleted += sorted(set(old) - set(wanted))
    for name in order.removed:
        deleted += sorted(_below(remote, head, name, folders))
    for name in (CARD, EVAL_FILE):
        local = built.folder / name
        if local.is_file() and not (name in there and there[name].is_same(local)):
            files[name] = local
    return files, deleted


def _below(remote: Remote, head: str, name: str, folders: Sequence[str]) -> dict[str, RemoteFile]:
    """The files of a bundle that is there: its table's and those below `bundle/`; others in its folder are not ours.
    Raises UsageError where the folder holds no bundle."""
    if name not in folders:
        return {}
    files = {file.path: file for file in remote.listing(head, name, MAX_REMOTE_FILES)[0]}
    if f"{name}/bundle/exam.json" not in files:
        raise UsageError(f"{remote.repo} has a folder {name} that is no bundle: publish under another --name")
    table = re.compile(rf"{re.escape(name)}/({SPLIT}-[^/]*\.parquet|bundle/.*)", re.DOTALL)
    return {path: file for path, file in files.items() if table.fullmatch(path)}


def _check_tags(remote: Remote, order: Order, built: Built, scratch: Path) -> dict[str, str]:
    """The tags to set, by bundle. A revision's tag never moves to another paper or key by itself: UsageError."""
    tags = remote.tags()
    wanted: dict[str, str] = {}
    for name, (revision, digest) in built.revisions.items():
        tag = revision_tag(name, revision)
        if tag not in tags:
            wanted[name] = tag
            continue
        text = remote.read(tags[tag], f"{name}/bundle/manifest.json", MAX_JSON_BYTES, scratch)
        stated = _digest_in(text)
        if stated == digest:
            continue
        if not order.move_tags:
            raise UsageError(
                f"{order.repo} has revision {revision} of {name} with another paper or key: `exam2bench amend` makes a "
                "new revision, so that old scores keep their meaning; --replace-revision replaces it all the same"
            )
        wanted[name] = tag
    return wanted


def _digest_in(text: str | None) -> str | None:
    if text is None:
        return None
    try:
        record = parse_json(text, "manifest.json")
    except BundleError:
        return None
    digest = record.get("digest") if isinstance(record, dict) else None
    return digest if isinstance(digest, str) else None
