"""Proof of a staging folder, before anything leaves the machine: it is loaded as the Hub's users will load it."""

from __future__ import annotations

import contextlib
import hashlib
import io
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ...schemas.archive import unpack
from ...schemas.assets import SEALED, named_assets
from ...schemas.canary import find_canaries
from ...schemas.digest import digest_of
from ...schemas.errors import BundleError
from ...schemas.exam import Exam
from ...schemas.grading import GradingSpec
from ...schemas.json_files import parse_json, parse_record, read_json, read_record
from ...schemas.printable import printable
from ...schemas.sealed import unseal
from .card import bundle_names
from .front_matter import parse, split_card
from .names import ASSETS_ZIP, SPLIT, TABLE
from .subject import Subject
from .table import Row, features, rows

_OWN = ("grading.json", "manifest.json")
MIN_SECRET = 12
"""Characters from which on a text of the key is looked for in the open files: shorter ones stand anywhere."""


def prove(folder: Path, subjects: Sequence[Subject], passphrases: dict[str, str | None]) -> None:
    """Raise BundleError, naming bundle and reason, where something would not come back from the Hub as it was:
    the card's YAML, a row, a figure, the digest, the canary; or where an open file tells a sealed answer."""
    card = (folder / "README.md").read_text("utf-8")
    listed = bundle_names(card)
    for one in subjects:
        if one.name not in listed:
            raise BundleError(f"{one.name} is not among the card's configs: {', '.join(map(printable, listed))}")
    with _loadable(folder, listed) as view, tempfile.TemporaryDirectory() as cache:
        for one in subjects:
            _prove_rows(view, Path(cache) / one.name, one)
            _prove_files(folder / one.name, one, passphrases.get(one.name))


@contextlib.contextmanager
def _loadable(folder: Path, listed: Sequence[str]) -> Iterator[Path]:
    """The folder; where the card also lists bundles that lie in the repository only, a view with the others alone:
    `datasets` looks at the first config's files whichever is asked for."""
    if all((folder / name / TABLE).is_file() for name in listed):
        yield folder
        return
    here = [name for name in listed if (folder / name / TABLE).is_file()]
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}.") as name:
        view = Path(name)
        card = split_card((folder / "README.md").read_text("utf-8"))
        (view / "README.md").write_text(_only(parse(card.yaml), here), "utf-8")
        for bundle in here:
            (view / bundle).mkdir()
            (view / bundle / TABLE).hardlink_to(folder / bundle / TABLE)
        yield view


def _only(data: dict[str, Any], names: Sequence[str]) -> str:
    """The card's YAML with the configs of these bundles alone."""
    import yaml

    for key in ("configs", "dataset_info"):
        items = data.get(key) or []
        data[key] = [item for item in (items if isinstance(items, list) else [items]) if item["config_name"] in names]
    return f"---\n{yaml.safe_dump(data, allow_unicode=True, sort_keys=False)}---\n"


def _prove_rows(view: Path, cache: Path, one: Subject) -> None:
    """`load_dataset` gives every row back, and every figure decodes."""
    import datasets
    from datasets.exceptions import DatasetsError

    # its progress bars and its logs are for people who load a dataset, not for a proof
    datasets.disable_progress_bars()
    try:
        loaded = datasets.load_dataset(str(view), one.name, split=SPLIT, cache_dir=str(cache))
    except (DatasetsError, OSError, ValueError) as fault:
        reason = printable(" ".join(str(fault).split()), 240)
        raise BundleError(f"{one.name}: `datasets` cannot load what was built: {reason}") from fault
    if not isinstance(loaded, datasets.Dataset) or loaded.features != features():
        raise BundleError(f"{one.name}: `datasets` loads other columns than were written")
    undecoded = loaded.cast_column("figures", datasets.List(datasets.Image(decode=False)))
    total = sum(1 for _ in one.bundle.exam.leaves())
    if len(loaded) != total:
        raise BundleError(f"{one.name}: {len(loaded)} rows come back of {total} questions")
    for row, wanted in zip(undecoded, rows(one.bundle, one.canary), strict=True):
        _same_row(one.name, row, wanted)
    loaded.cleanup_cache_files()


def _same_row(name: str, row: Any, wanted: Row) -> None:
    if row != wanted:
        column = next(key for key in wanted if row.get(key) != wanted[key])
        raise BundleError(f"{name}: {printable(wanted['id'])} comes back with another {column} than it has")
    for figure, asset in zip(wanted["figures"], wanted["figure_names"], strict=True):
        _decode(name, asset, figure["bytes"])


def _decode(name: str, asset: str, data: bytes) -> None:
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(data)) as image:
            image.load()
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, Image.DecompressionBombError) as fault:
        reason = printable(fault, 160)
        raise BundleError(f"{name}: the figure {printable(asset)} is no picture that decodes: {reason}") from fault


def _prove_files(home: Path, one: Subject, passphrase: str | None) -> None:
    """The digest of what lies there, opened as a reader opens it; the canary in every file; no answer in clear."""
    bundle = home / "bundle"
    exam = read_record(bundle / "exam.json", Exam)
    hashes = dict(_hashes(bundle))
    if passphrase is None:
        grading = read_record(bundle / "grading.json", GradingSpec)
    else:
        hidden = unseal((bundle / SEALED).read_bytes(), passphrase, SEALED)
        grading = parse_record(parse_json(hidden["grading.json"], "grading.json"), GradingSpec, "grading.json")
        hashes |= {name: hashlib.sha256(data).hexdigest() for name, data in hidden.items() if name not in _OWN}
    wanted = {name for name, _ in named_assets(exam, grading)}
    actual = digest_of(exam, grading, {name: value for name, value in hashes.items() if name in wanted})
    if not actual == one.digest == read_json(bundle / "manifest.json").get("digest"):
        raise BundleError(f"{one.name}: the digest of what was built is {actual[:16]}…, not {one.digest[:16]}…")
    for file in _stamped_files(home):
        if not find_canaries(file.read_bytes()):
            raise BundleError(f"{one.name}: {file.name} carries no canary")
    if passphrase is not None:
        _prove_sealed(home, exam, grading)


def _hashes(bundle: Path) -> Iterator[tuple[str, str]]:
    """sha256 of each asset, packed or loose."""
    if (bundle / ASSETS_ZIP).is_file():
        for name, data in unpack(bundle / ASSETS_ZIP, ASSETS_ZIP):
            yield name, hashlib.sha256(data).hexdigest()
        return
    for file in sorted((bundle / "assets").rglob("*")):
        if file.is_file():
            with file.open("rb") as stream:
                yield file.relative_to(bundle).as_posix(), hashlib.file_digest(stream, "sha256").hexdigest()


def _stamped_files(home: Path) -> Iterator[Path]:
    """All files but single pictures, whose bytes the digest fixes, and the schema beside them, which any-to-bench
    compares to the letter."""
    loose = home / "bundle" / "assets"
    for file in sorted(home.rglob("*")):
        if file.is_file() and loose not in file.parents and not (file.name == "answer_schema.json" and loose.is_dir()):
            yield file


def _prove_sealed(home: Path, exam: Exam, grading: GradingSpec) -> None:
    """No open file holds the key: not the file itself, not its pictures, and no text of it that the paper has not."""
    if (home / "bundle" / "grading.json").exists():
        raise BundleError(f"{home.name}: the key lies in clear beside its seal")
    open_names = {name for name, _ in named_assets(exam)}
    told = [name for name, _ in _hashes(home / "bundle") if name not in open_names]
    if told:
        raise BundleError(f"{home.name}: the picture {printable(told[0])}, which only the key names, lies in clear")
    paper = exam.model_dump_json()
    secrets = [text for text in secret_texts(grading) if text not in paper]
    for place, text in _open_texts(home):
        for secret in secrets:
            if secret in text:
                raise BundleError(f"{home.name}: {place} tells an answer of the sealed key")


def _open_texts(home: Path) -> Iterator[tuple[str, str]]:
    """What a visitor can read: the contract files and the table's columns."""
    import pyarrow.parquet as pq

    for name in ("exam.json", "answer_schema.json", "manifest.json"):
        yield name, (home / "bundle" / name).read_text("utf-8")
    columns = [name for name in features() if name != "figures"]
    table = pq.read_table(home / TABLE, columns=columns)
    yield TABLE, str(table.to_pylist())
    section = (home.parent / "README.md").read_text("utf-8")
    yield "README.md", section


def secret_texts(grading: GradingSpec) -> list[str]:
    """Every text of the key that is long enough to be known again, each once."""
    found: dict[str, None] = {}

    def walk(value: Any) -> None:
        if isinstance(value, dict):
            for item in value.values():
                walk(item)
        elif isinstance(value, list):
            for item in value:
                walk(item)
        elif isinstance(value, str) and len(value) >= MIN_SECRET:
            found[value] = None

    for entry in grading.questions.values():
        rule = entry.rule.model_dump(mode="json")
        rule.pop("kind", None)
        walk(rule)
    return list(found)
