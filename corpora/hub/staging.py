"""The repository as a local folder: what `datasets` loads from it, it loads from the Hub. Files that would come out the
same are not written again."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ...schemas.archive import pack
from ...schemas.errors import UsageError
from ...schemas.printable import printable
from .names import ASSETS_ZIP, TABLE
from .subject import Subject, contract_files, open_assets
from .table import rows, write_table

MARK = "README.md"


@dataclass(frozen=True)
class Staged:
    """What was built of one bundle. `written`: the files that came out new or changed; `size`: bytes of the table."""

    name: str
    rows: int
    files: tuple[Path, ...]
    written: tuple[Path, ...]
    size: int


def check_staging(folder: Path) -> None:
    """Raise UsageError where the folder holds something that no publish put there."""
    if not folder.exists():
        return
    if not folder.is_dir() or folder.is_symlink():
        raise UsageError(f"--staging {printable(folder)} is not a folder")
    if any(folder.iterdir()) and not (folder / MARK).is_file():
        raise UsageError(f"--staging {printable(folder)} holds other files and no dataset card: choose another folder")


def stage(folder: Path, one: Subject, passphrase: str | None, *, for_any_to_bench: bool = False) -> Staged:
    """Build one bundle below `folder`/NAME: the table, the contract files, the assets (one archive, or for
    any-to-bench single files). Files of an earlier build that are no longer wanted go."""
    build = _Build(folder / one.name)
    with build.file(TABLE) as fresh:
        count = write_table(fresh, rows(one.bundle, one.canary), one.canary)
    for name, data in contract_files(one, passphrase, for_any_to_bench=for_any_to_bench).items():
        build.put(f"bundle/{name}", data)
    assets = open_assets(one, sealed=passphrase is not None)
    if for_any_to_bench:
        for name, data in assets:
            build.put(f"bundle/{name}", data)
    else:
        with build.file(f"bundle/{ASSETS_ZIP}") as fresh:
            pack(fresh, assets, comment=one.canary)
    build.sweep()
    size = (build.home / TABLE).stat().st_size
    return Staged(one.name, count, tuple(sorted(build.kept)), tuple(sorted(build.written)), size)


@dataclass
class _Build:
    """The folder of one bundle while it is built."""

    home: Path
    kept: set[Path] = field(default_factory=set)
    written: set[Path] = field(default_factory=set)

    @contextmanager
    def file(self, name: str) -> Iterator[Path]:
        """A path to write to; afterwards it takes the file's place, where it differs."""
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(f".{path.name}.fresh")
        yield fresh
        self.kept.add(path)
        if path.is_file() and not path.is_symlink() and file_hash(path) == file_hash(fresh):
            fresh.unlink()
            return
        os.replace(fresh, path)
        self.written.add(path)

    def put(self, name: str, data: bytes) -> None:
        with self.file(name) as fresh:
            fresh.write_bytes(data)

    def sweep(self) -> None:
        """Remove what an earlier build left: an unsealed key, assets that are named no more, a broken-off build."""
        for path in sorted(self.home.rglob("*"), reverse=True):
            if path.is_dir() and not path.is_symlink():
                if not any(path.iterdir()):
                    path.rmdir()
            elif path not in self.kept:
                path.unlink()


def file_hash(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def unstage(folder: Path, name: str) -> None:
    """Remove a bundle from the folder."""
    shutil.rmtree(folder / name, ignore_errors=True)
