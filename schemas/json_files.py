"""Reading and writing the contract's JSON files. What is read was written by anybody: it may be huge,
nested without end, doubled, broken or not a file at all, and is refused in one sentence."""

from __future__ import annotations

import json
import math
import os
import secrets
import stat
from collections import Counter
from pathlib import Path
from typing import Any, TypeVar

import pydantic_core
from pydantic import ValidationError

from .base import SCHEMA_VERSION, Contract
from .errors import BundleError, VersionError
from .printable import printable

MAX_JSON_BYTES = 16 * 1024 * 1024
"""The largest contract file that is read. Exams of several hundred questions stay below 2 MB."""

Record = TypeVar("Record", bound=Contract)


def dump_json(record: Contract) -> str:
    """The file text of a record: UTF-8 JSON, 2-space indent, keys in declared order, one newline at the end.

    Fields of the common part are written even when null; fields that this project adds are left out when
    they are null or empty, so a bundle that needs none of them is the common part and nothing else.
    Raises BundleError where a free-form field holds a number that JSON cannot write.
    """
    try:
        return json.dumps(record.model_dump(mode="json"), ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    except ValueError as error:
        raise BundleError(f"a {type(record).__name__} cannot be written as JSON: {error}") from error


def write_text(path: Path, text: str) -> None:
    """Write a whole file or nothing: beside it first, then renamed over it. Creates the folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")
    try:
        beside.write_bytes(text.encode("utf-8", errors="strict"))
        os.replace(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def read_json(path: Path, limit: int = MAX_JSON_BYTES) -> Any:
    """The parsed content of a JSON file that nobody vouches for.

    Raises BundleError, naming the file, where it is missing, a symlink or no regular file, larger than
    `limit` bytes, not UTF-8 JSON, nested deeper than about 200 levels, has a key twice, or holds a number
    that is not finite.
    """
    try:
        status = path.lstat()
    except (OSError, ValueError) as error:
        raise BundleError(f"{printable(path)} cannot be read: {_reason(error)}", "file.missing") from error
    if stat.S_ISLNK(status.st_mode):
        raise BundleError(f"{printable(path)} is a symlink; a bundle's files must be regular files", "file.symlink")
    if not stat.S_ISREG(status.st_mode):
        raise BundleError(f"{printable(path)} is not a regular file", "file.not_a_file")
    if status.st_size > limit:
        raise BundleError(
            f"{printable(path)} has {status.st_size:,} bytes; at most {limit:,} are read", "file.too_large"
        )
    try:
        with path.open("rb") as stream:
            data = stream.read(limit + 1)
    except OSError as error:
        raise BundleError(f"{printable(path)} cannot be read: {_reason(error)}", "file.unreadable") from error
    if len(data) > limit:
        raise BundleError(f"{printable(path)} grew beyond {limit:,} bytes while it was read", "file.too_large")
    return parse_json(data, printable(path))


def parse_json(data: bytes | str, name: str) -> Any:
    """Like `read_json`, from memory; `name` is how messages call the text."""
    try:
        # the first parser bounds the nesting, which the second, needed where a key may be doubled, does not
        value = pydantic_core.from_json(data, allow_inf_nan=False, cache_strings="all")
        if _is_whole(data.encode() if isinstance(data, str) else data, value):
            return value
        return json.loads(data, object_pairs_hook=_unique, parse_float=_finite, parse_constant=_constant)
    except ValueError as error:
        raise BundleError(f"{name} is not valid JSON: {printable(_reason(error))}", "json.invalid") from error


def read_record(path: Path, kind: type[Record], limit: int = MAX_JSON_BYTES) -> Record:
    """A contract file as its record. Raises BundleError (VersionError for an unknown major version)."""
    return parse_record(read_json(path, limit), kind, printable(path))


def parse_record(data: Any, kind: type[Record], name: str) -> Record:
    """Parsed JSON as its record; `name` is how messages call it. Raises BundleError, VersionError.

    Types are taken strictly: `"2"` and `true` are no numbers, `"yes"` is no boolean.
    """
    check_version(data, name)
    try:
        return kind.model_validate(data, strict=True)
    except ValidationError as error:
        first, count = error.errors(include_url=False, include_input=False)[0], error.error_count()
        more = f" (and {count - 1} more; `exam2bench validate` lists them)" if count > 1 else ""
        place = printable(".".join(str(part) for part in first["loc"])) or "the top level"
        raise BundleError(f"{name}: {place}: {printable(first['msg'])}{more}", "schema.invalid") from error


def check_version(data: Any, name: str) -> None:
    """Raise VersionError where the record's `schema_version` has a major version that is not known here."""
    if not isinstance(data, dict) or "schema_version" not in data:
        return
    version = data["schema_version"]
    if not isinstance(version, str) or version.split(".")[0] != SCHEMA_VERSION:
        raise VersionError(
            f"{name} has schema_version {printable(json.dumps(version))}; "
            f"this program reads version {SCHEMA_VERSION}: use a newer exam2bench",
            "version.unknown",
        )


def _is_whole(data: bytes, value: Any) -> bool:
    """Whether a parsed text surely lost no key to a doubled one and holds no number beyond the finite: written anew, it
    has as many colons as the text. Unsure where a colon is escaped, or Infinity is said in so many letters."""
    if b"\\u003" in data:
        return False
    written = pydantic_core.to_json(value)
    return written.count(b":") == data.count(b":") and b"Infinity" not in written


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise ValueError(f"the key {twice!r} stands twice in one object")
    return record


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"the number {text[:40]} is not finite")
    return number


def _constant(text: str) -> float:
    raise ValueError(f"{text} is not a number")


def _reason(error: Exception) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)
