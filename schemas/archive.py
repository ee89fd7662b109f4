"""Many small files as one zip archive: written so that the same files are the same bytes, read as from an enemy."""

from __future__ import annotations

import stat
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from .assets import name_fault
from .errors import BundleError
from .printable import printable

MAX_FILES = 20_000
MAX_FILE_BYTES = 256 * 1024 * 1024
MAX_TOTAL_BYTES = 2 * 1024 * 1024 * 1024
_PIECE = 1024 * 1024


def pack(target: Path | IO[bytes], files: Iterable[tuple[str, bytes]], comment: str = "") -> None:
    """Write the files, sorted by name, without compression (pictures have their own; and compressors change)."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        archive.comment = comment.encode("utf-8")
        for name, data in files:
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.create_system = 3
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            archive.writestr(entry, data)


def unpack(
    source: Path | IO[bytes], label: str, *, contract_files: bool = False, total: int | None = None
) -> Iterator[tuple[str, bytes]]:
    """The files of an archive, one at a time: name (relative, `/` between its parts) and bytes.

    Raises BundleError, naming the archive by `label`, for what is no archive, more or larger files than a bundle
    can have (whatever the archive says of their sizes), names that leave the folder or stand twice, links and
    encrypted entries. `contract_files` allows the names of the bundle's own files; `total`: bytes that all files may
    have (default: what a bundle may have).
    """
    most = MAX_TOTAL_BYTES if total is None else total
    try:
        with zipfile.ZipFile(source) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            _check(entries, label, most, contract_files=contract_files)
            left = most
            for entry in entries:
                data = _read(archive, entry, min(left, MAX_FILE_BYTES), label)
                left -= len(data)
                yield entry.filename, data
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, UnicodeDecodeError, ValueError) as fault:
        raise BundleError(f"{label} is a broken archive: {printable(fault)}", "archive.broken") from fault


def _check(entries: list[zipfile.ZipInfo], label: str, most: int, *, contract_files: bool) -> None:
    if len(entries) > MAX_FILES:
        raise BundleError(f"{label} holds {len(entries):,} files; at most {MAX_FILES:,} are read", "archive.bomb")
    total = sum(entry.file_size for entry in entries)
    if total > most:
        raise BundleError(f"{label} unpacks to {total:,} bytes; at most {most:,} are", "archive.bomb")
    seen: set[str] = set()
    for entry in entries:
        name = entry.filename
        fault = name_fault(name)
        if fault and not (contract_files and fault == "is one of the bundle's own files"):
            raise BundleError(f"{label}: the name {printable(repr(name), 200)} {fault}", "archive.name")
        if name in seen:
            raise BundleError(f"{label} holds {printable(name)} twice", "archive.name")
        seen.add(name)
        if stat.S_ISLNK(entry.external_attr >> 16):
            raise BundleError(f"{label}: {printable(name)} is a symlink", "archive.symlink")
        if entry.flag_bits & 1:
            raise BundleError(f"{label}: {printable(name)} is encrypted", "archive.broken")
        if entry.file_size > MAX_FILE_BYTES:
            message = f"{label}: {printable(name)} has {entry.file_size:,} bytes; at most {MAX_FILE_BYTES:,} are read"
            raise BundleError(message, "archive.bomb")


def _read(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, limit: int, label: str) -> bytes:
    """One file, never more than `limit` bytes of it, whatever its entry claims."""
    pieces: list[bytes] = []
    size = 0
    with archive.open(entry) as stream:
        while piece := stream.read(_PIECE):
            size += len(piece)
            if size > limit:
                message = f"{label}: {printable(entry.filename)} unpacks to more than {limit:,} bytes"
                raise BundleError(message, "archive.bomb")
            pieces.append(piece)
    return b"".join(pieces)
