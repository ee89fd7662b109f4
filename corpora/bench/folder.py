"""Where a bench's files lie: `bench.json` and its tables at the top, sheets and reports of every sitting in `runs/`."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from ...schemas.errors import BundleError, UsageError
from ...schemas.printable import printable

MAX_BENCH_BYTES = 256 * 1024 * 1024
LONGEST_NAME = 60


def check_folder(folder: Path) -> None:
    """Raise UsageError where a bench must not be written: a file, a bundle, a folder of something else."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{printable(folder)} is a file: -o names a folder")
    if (folder / "exam.json").exists():
        raise UsageError(f"{printable(folder)} is a bundle: choose another folder for the bench")
    if folder.is_dir() and any(folder.iterdir()) and not _is_bench(folder):
        raise UsageError(f"{printable(folder)} holds other files and no bench: choose another folder")


def _is_bench(folder: Path) -> bool:
    return (folder / "bench.json").exists() or (folder / "runs").is_dir()


def slugs(names: Sequence[str]) -> dict[str, str]:
    """A folder's name for each name, all different even where letter case does not count."""
    made: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        slug = re.sub(r"[^\w.-]+", "-", name).strip("-.")[:LONGEST_NAME] or "unnamed"
        if slug.casefold() in taken:
            slug = f"{slug}-{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
        taken.add(slug.casefold())
        made[name] = slug
    return made


def run_folder(exam: str, model: str, repeat: int, blind: bool) -> PurePosixPath:
    """The folder of one sitting, below the bench's. `exam`, `model`: slugs; `repeat` from 1."""
    return PurePosixPath("runs", exam, model, f"{repeat}-blind" if blind else str(repeat))


def inside(folder: Path, name: str) -> Path:
    """A file that a bench.json names. Raises BundleError where it would leave the bench's folder."""
    parts = PurePosixPath(name).parts
    path = folder.joinpath(*parts)
    if not parts or name.startswith("/") or ".." in parts or "\\" in name or "\0" in name:
        raise BundleError(f"the bench names the file {printable(name)!r}, which is not inside its folder")
    if not path.resolve().is_relative_to(folder.resolve()):
        raise BundleError(f"the bench names the file {printable(name)!r}, which leads out of its folder")
    return path
