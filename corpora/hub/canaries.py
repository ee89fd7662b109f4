"""Looking for canaries in any file: plain, and inside gzip, zip and parquet. The files may be anybody's: archives are
read in pieces and up to a limit, and one that unpacks beyond it is said, not swallowed."""

from __future__ import annotations

import gzip
import os
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from ...schemas.canary import LONGEST, find_canaries
from ...schemas.printable import printable

PIECE = 4 * 1024 * 1024
MAX_UNPACKED = 4 * 1024 * 1024 * 1024
"""Bytes that are unpacked of one archive."""
MAX_MEMBERS = 100_000
MAX_RATIO = 1_000
"""Times that a group of rows may unpack to its size on disk: repeated text packs well, but not so well."""
MAX_GROUP = 1024 * 1024 * 1024


@dataclass(frozen=True)
class Look:
    """What one file holds: GUIDs, each once; `unread`: why (a part of) it could not be looked into."""

    path: Path
    canaries: tuple[str, ...]
    unread: str | None = None


class _Bomb(Exception):
    pass


def scan(paths: Iterable[Path]) -> Iterator[Look]:
    """Look into files, and into every regular file of folders, in name order. Symlinks are not followed."""
    for path in paths:
        if path.is_dir():
            for folder, _, names in sorted(os.walk(path)):
                yield from (_look(Path(folder) / name) for name in sorted(names) if _is_file(Path(folder) / name))
        else:
            yield _look(path)


def _is_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _look(path: Path) -> Look:
    found: dict[str, None] = {}
    try:
        with path.open("rb") as stream:
            found |= dict.fromkeys(_in_stream(stream, None))
            head = _head(stream)
        if head.startswith(b"\x1f\x8b"):
            with gzip.open(path) as unpacked:
                found |= dict.fromkeys(_in_stream(unpacked, MAX_UNPACKED))
        elif head.startswith(b"PK\x03\x04"):
            found |= dict.fromkeys(_in_zip(path))
        elif head.startswith(b"PAR1"):
            found |= dict.fromkeys(_in_parquet(path))
    except _Bomb as fault:
        return Look(path, tuple(found), f"not read to its end: {fault}")
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError) as fault:
        reason = printable(" ".join(str(getattr(fault, "strerror", None) or fault).split()), 160)
        return Look(path, tuple(found), f"cannot be read to its end: {reason}")
    return Look(path, tuple(found))


def _head(stream: IO[bytes]) -> bytes:
    stream.seek(0)
    return stream.read(4)


def _in_stream(stream: IO[bytes] | Any, limit: int | None) -> Iterator[str]:
    """GUIDs in a stream, read in pieces that overlap by the length of a canary."""
    tail, read = b"", 0
    while piece := stream.read(PIECE):
        read += len(piece)
        tail += piece
        yield from find_canaries(tail)
        if limit is not None and read > limit:
            raise _Bomb(f"it unpacks to more than {limit:,} bytes")
        tail = tail[-LONGEST:]


def _in_zip(path: Path) -> Iterator[str]:
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        if len(members) > MAX_MEMBERS:
            raise _Bomb(f"it holds {len(members):,} files")
        left = MAX_UNPACKED
        for member in members:
            if member.file_size > left:
                raise _Bomb(f"it unpacks to more than {MAX_UNPACKED:,} bytes")
            with archive.open(member) as stream:
                yield from _in_stream(stream, left)
            left -= member.file_size


def _in_parquet(path: Path) -> Iterator[str]:
    """GUIDs in the text columns; the figures of a row tell nothing that its text does not."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with pq.ParquetFile(path, thrift_string_size_limit=100_000_000, thrift_container_size_limit=10_000_000) as file:
        wanted = [field.name for field in file.schema_arrow if pa.types.is_string(field.type) or _is_large(field.type)]
        metadata = file.metadata
        for group in range(metadata.num_row_groups):
            columns = [metadata.row_group(group).column(i) for i in range(metadata.num_columns)]
            for name in wanted:
                chunks = [column for column in columns if column.path_in_schema == name]
                size = sum(column.total_uncompressed_size for column in chunks)
                packed = sum(column.total_compressed_size for column in chunks)
                rows = metadata.row_group(group).num_rows
                if size > MAX_GROUP or size > MAX_RATIO * max(packed, 1024) or rows > 50_000_000:
                    raise _Bomb(
                        f"the column {printable(name, 80)} unpacks from {packed:,} to {size:,} bytes, {rows:,} rows"
                    )
                column = file.read_row_group(group, columns=[name]).column(0)
                for text in column.unique().to_pylist():
                    yield from find_canaries(text.encode("utf-8", "surrogatepass") if text else b"")


def _is_large(kind: Any) -> bool:
    import pyarrow as pa

    return pa.types.is_large_string(kind)
