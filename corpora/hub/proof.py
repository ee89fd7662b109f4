"""Proof of a staging folder, before anything leaves the machine: it is loaded as the Hub's users will load it."""

from __future__ import annotations

import contextlib
import hashlib
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
from .card import items_of, listed_names
from .front_matter import parse, split_card
from .names import ASSETS_ZIP, SPLIT, TABLE
from .subject import Subject
from .table import Row, features, rows

_OWN = ("grading.json", "manifest.json")
MIN_SECRET = 12
"""Characters from which on a text of the key is looked for in the open files: shorter ones stand anywhere."""


def prove_card(folder: Path) -> dict[str, Any]:
    """The card's YAML, once `datasets` has read it as we do and names the same subsets. Raises BundleError."""
    import datasets

    data = parse(split_card((folder / "README.md").read_text("utf-8")).yaml)
    here = [name for name in listed_names(data) if (folder / name / TABLE).is_file()]
    if not here:
        return data
    with _view(folder, data, here) as view, _loading("the card"):
        names = datasets.get_dataset_config_names(str(view))
    if sorted(names) != sorted(here):
        raise BundleError(f"`datasets` finds other subsets than the card lists: {printable(', '.join(names))}")
    return data


def prove_bundle(folder: Path, card: dict[str, Any], one: Subject, passphrase: str | None) -> None:
    """Raise BundleError, naming bundle and reason, where something would not come back from the Hub as it was: a row,
    a figure, the digest, the canary; or where an open file tells a sealed answer. `card`: what `prove_card` gave."""
    if one.name not in listed_names(card):
        raise BundleError(f"{one.name} is not among the card's configs")
    with _view(folder, card, [one.name]) as view, tempfile.TemporaryDirectory() as cache:
        _prove_rows(view, Path(cache), one)
    _prove_files(folder / one.name, one, passphrase)


@contextlib.contextmanager
def _view(folder: Path, card: dict[str, Any], names: Sequence[str]) -> Iterator[Path]:
    """The folder with these bundles alone, the same tables under the same entries of the card: `datasets` reads the
    whole card each time, and looks for the first subset's files whichever is asked for, here or not. The folder
    itself where these are all that the card lists."""
    import yaml

    if list(names) == listed_names(card):
        yield folder
        return
    chosen = {
        key: [item for item in items_of(card, key) if item.get("config_name") in names]
        for key in ("configs", "dataset_info")
    }
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}.") as home:
        view = Path(home)
        text = yaml.safe_dump({**card, **chosen}, allow_unicode=True, sort_keys=False)
        (view / "README.md").write_text(f"---\n{text}---\n", "utf-8")
        for name in names:
            (view / name).mkdir()
            (view / name / TABLE).hardlink_to(folder / name / TABLE)
        yield view


@contextlib.contextmanager
def _loading(what: str) -> Iterator[None]:
    """What `datasets` cannot load, as a sentence; its progress bars are for people who load, not for a proof."""
    import datasets
    from datasets.exceptions import DatasetsError

    datasets.disable_progress_bars()
    try:
        yield
    except (DatasetsError, OSError, ValueError) as fault:
        reason = printable(" ".join(str(fault).split()), 240)
        raise BundleError(f"{what}: `datasets` cannot load what was built: {reason}") from fault


def _prove_rows(view: Path, cache: Path, one: Subject) -> None:
    """`load_dataset` gives every row back, and every figure decodes."""
    import datasets

    with _loading(one.name):
        loaded = datasets.load_dataset(str(view), one.name, split=SPLIT, cache_dir=str(cache))
    if not isinstance(loaded, datasets.Dataset) or loaded.features != features():
        raise BundleError(f"{one.name}: `datasets` loads other columns than were written")
    total = sum(1 for _ in one.bundle.exam.leaves())
    if len(loaded) != total:
        raise BundleError(f"{one.name}: {len(loaded)} rows come back of {total} questions")
    stored = (row for batch in loaded.data.table.to_batches(max_chunksize=20) for row in batch.to_pylist())
    for index, (row, wanted) in enumerate(zip(stored, rows(one.bundle, one.canary), strict=True)):
        if row != wanted:
            column = next(key for key in wanted if row.get(key) != wanted[key])
            raise BundleError(f"{one.name}: {printable(wanted['id'])} comes back with another {column} than it has")
        _decode(one.name, loaded, index, wanted)


def _decode(name: str, loaded: Any, index: int, wanted: Row) -> None:
    """Every figure of a row, as whoever loads the dataset gets it."""
    from PIL import Image

    try:
        figures = loaded[index]["figures"]
    # Pillow raises all of these for broken files (UnidentifiedImageError is an OSError)
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as fault:
        names = printable(", ".join(wanted["figure_names"]))
        reason = printable(" ".join(str(fault).split()), 160)
        raise BundleError(
            f"{name}: a figure of {printable(wanted['id'])} ({names}) does not decode: {reason}"
        ) from fault
    if len(figures) != len(wanted["figures"]):
        raise BundleError(f"{name}: {printable(wanted['id'])} comes back with {len(figures)} figures")


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
