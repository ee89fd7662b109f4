"""A sealed bundle: the questions lie open, the key and its pictures are encrypted in one file, `grading.sealed`.

The passphrase is no secret (it stands on the dataset's card): the seal keeps crawlers and training sets from meeting
the answers, nobody else. Scrypt makes the key, AES-SIV (RFC 5297) encrypts: deterministic, so that the same key and
rubrics are the same bytes, and any change is noticed.

The file: a header, one line of JSON (format, version, exam_id, canary), then the ciphertext of a zip archive that holds
`grading.json`, the full `manifest.json` (its findings may quote the key) and the pictures that only the key names.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .archive import MAX_FILE_BYTES, pack, unpack
from .assets import SEALED
from .errors import BundleError, UsageError, VersionError
from .grading import GradingSpec
from .json_files import parse_json, parse_record
from .manifest import Manifest
from .printable import printable

PASSPHRASE = "EXAM2BENCH_PASSPHRASE"
"""Environment variable with the passphrase of a sealed bundle that did not come through `fetch`."""
_FORMAT = "exam2bench-sealed"
_HEADER_BYTES = 4096


@dataclass(frozen=True)
class Unsealed:
    """What the seal hid: the key, the full manifest, and the assets that only the key names, by name."""

    grading: GradingSpec
    manifest: Manifest
    assets: Mapping[str, bytes]
    files: Mapping[str, bytes]
    """All of it as it was sealed: grading.json, manifest.json and the assets."""


def is_sealed(root: Path) -> bool:
    """Whether the bundle in `root` has its key sealed."""
    return os.path.lexists(root / SEALED) and not os.path.lexists(root / "grading.json")


def seal(files: Mapping[str, bytes], passphrase: str, exam_id: str, canary: str) -> bytes:
    """The content of `grading.sealed`. `files`: grading.json, manifest.json and assets by name."""
    plain = io.BytesIO()
    pack(plain, sorted(files.items()))
    header = {"format": _FORMAT, "version": 1, "exam_id": exam_id, "canary": canary}
    line = json.dumps(header, ensure_ascii=False).encode("utf-8") + b"\n"
    return line + _cipher(passphrase, line).encrypt(plain.getvalue(), [line])


def open_seal(root: Path, fetched_passphrase: str | None) -> Unsealed:
    """Open the seal of the bundle in `root`, in memory only.

    The passphrase is the one that `fetch` found on the card, else that of the environment. Raises BundleError
    where there is none, it is another one, or the file is broken or too large.
    """
    passphrase = os.environ.get(PASSPHRASE) or fetched_passphrase
    name = printable(root / SEALED)
    if not passphrase:
        advice = f"put the passphrase from the dataset's card into {PASSPHRASE}"
        raise BundleError(f"{name} holds the key, sealed: {advice}", "sealed.passphrase")
    files = unseal(_content(root / SEALED), passphrase, name)
    records: dict[str, Any] = {}
    for part, kind in (("grading.json", GradingSpec), ("manifest.json", Manifest)):
        if part not in files:
            raise BundleError(f"{name} holds no {part}", "sealed.broken")
        records[part] = parse_record(parse_json(files[part], f"{name}: {part}"), kind, f"{name}: {part}")
    assets = {key: data for key, data in files.items() if key not in records}
    return Unsealed(records["grading.json"], records["manifest.json"], assets, files)


def unseal(data: bytes, passphrase: str, name: str) -> dict[str, bytes]:
    """The files in a seal, by name. `name` is how messages call it. Raises BundleError."""
    from cryptography.exceptions import InvalidTag

    end = data.find(b"\n", 0, _HEADER_BYTES) + 1
    header = parse_json(data[:end], f"{name}: its header") if end else None
    if not isinstance(header, dict) or header.get("format") != _FORMAT:
        raise BundleError(f"{name} is no sealed key of this program", "sealed.broken")
    if header.get("version") != 1:
        version = printable(header.get("version"))
        raise VersionError(f"{name} has version {version} of the seal, this program reads 1", "version.unknown")
    line = data[:end]
    try:
        plain = _cipher(passphrase, line).decrypt(data[end:], [line])
    except InvalidTag as fault:
        message = f"{name} does not open: another passphrase, or the file was changed"
        raise BundleError(message, "sealed.passphrase") from fault
    # in memory, all of it: the seal is held to what one file may have
    return dict(unpack(io.BytesIO(plain), name, contract_files=True, total=MAX_FILE_BYTES))


def _cipher(passphrase: str, header: bytes) -> Any:
    """AES-SIV-512 with a key that scrypt makes of the passphrase; the header is its salt."""
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESSIV
        from cryptography.hazmat.primitives.kdf.scrypt import Scrypt
    except ImportError as fault:
        message = "a sealed key needs the package cryptography: pip install 'exam2bench[hub]'"
        raise UsageError(message) from fault
    return AESSIV(Scrypt(salt=header, length=64, n=2**14, r=8, p=1).derive(passphrase.encode("utf-8")))


def _content(path: Path) -> bytes:
    if path.is_symlink() or not path.is_file():
        raise BundleError(f"{printable(path)} is not a regular file", "file.not_a_file")
    if (size := path.stat().st_size) > MAX_FILE_BYTES:
        raise BundleError(
            f"{printable(path)} has {size:,} bytes; at most {MAX_FILE_BYTES:,} are read", "file.too_large"
        )
    return path.read_bytes()
