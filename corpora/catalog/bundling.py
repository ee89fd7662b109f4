"""`catalog import`: records of a benchmark in, a bundle out that solve, grade and bench work on."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from ... import __version__
from ...schemas.assets import file_sha256
from ...schemas.bundle import check_target, save_bundle
from ...schemas.errors import BundleError, UsageError
from ...schemas.exam import Exam
from ...schemas.json_files import MAX_JSON_BYTES, dump_json
from ...schemas.manifest import Manifest, Rights, Source
from ...schemas.moment import now
from ...schemas.printable import printable
from .card import UNKNOWN, Card
from .importing import as_exam
from .pictures import PictureStore
from .records import Record, iter_records

MAX_VALUE = 100
"""Characters of a value that --where takes: it stands in the exam's id."""


@dataclass(frozen=True)
class Where:
    """Only records whose field has this value, as text; a list that holds it."""

    field: str
    value: str

    def fits(self, record: Record) -> bool:
        value = record.get(self.field, "")
        return self.value in map(str, value if isinstance(value, list) else [value])


@dataclass(frozen=True)
class Imported:
    questions: int
    pictures: int
    kinds: dict[str, int]


def parse_where(card: Card, text: str) -> Where:
    """`FIELD=VALUE`. Raises UsageError for anything else, or a field that the card does not have."""
    field, equals, value = text.partition("=")
    if not equals or field not in card.fields or not value.strip() or len(value) > MAX_VALUE:
        known = ", ".join(card.fields)
        raise UsageError(f"--where {printable(text)}: give FIELD=VALUE with a field of {card.name} ({known})")
    return Where(field, value.strip())


def _part(skip: int, limit: int | None, where: Where | None) -> str:
    """Which part of a benchmark the options ask for: `category=art, from 20, 10 at most`; empty for all of it."""
    said = [f"{where.field}={printable(where.value)}"] if where else []
    said += [f"from {skip}"] if skip else []
    said += [f"{limit} at most"] if limit is not None else []
    return ", ".join(said)


def import_bundle(
    card: Card,
    paths: Sequence[Path],
    target: Path,
    *,
    skip: int = 0,
    limit: int | None = None,
    where: Where | None = None,
    force: bool = False,
) -> Imported:
    """Write the bundle of the records that `where` keeps, the first `skip` of them left out, at most `limit` taken.

    The same records give the same bytes (`created_at` apart, which SOURCE_DATE_EPOCH fixes).
    Raises UsageError for a target that holds something else or options that leave no record, BundleError for
    records that are no questions, or too many for one bundle.
    """
    if limit is not None and limit < 1:
        raise UsageError(f"--limit {limit}: at least one record")
    if skip < 0:
        raise UsageError(f"--skip {skip}: 0 or more records")
    check_target(target, force=force)
    with tempfile.TemporaryDirectory(prefix="exam2bench-") as folder:
        store = PictureStore(Path(folder))
        chosen = _chosen(iter_records(card, paths), skip, limit, where)
        exam, grading = as_exam(card, chosen, store, paths[0].parent, _part(skip, limit, where))
        _check_size(exam)
        save_bundle(target, exam, grading, _manifest(card, paths), store, force=force)
        kinds = Counter(leaf.type for leaf in exam.leaves())
        return Imported(kinds.total(), len(store), dict(kinds))


def _chosen(records: Iterator[Record], skip: int, limit: int | None, where: Where | None) -> Iterator[Record]:
    """The records asked for, as long as their texts can fit into exam.json at all."""
    size = 0
    kept: Iterable[Record] = filter(where.fits, records) if where else records
    for record in islice(kept, skip, None if limit is None else skip + limit):
        size += sum(len(str(record.get(name, ""))) for name in ("question", "options"))
        if size > MAX_JSON_BYTES:
            raise BundleError(f"the texts alone have more than {MAX_JSON_BYTES:,} characters{_IN_PARTS}")
        yield record
    if not size:
        raise UsageError("no record is left by --where, --skip and --limit: nothing to import")


_IN_PARTS = (
    ", the most that readers take of one exam.json: import parts with --where FIELD=VALUE, or --skip and --limit"
)


def _check_size(exam: Exam) -> None:
    size = len(dump_json(exam).encode("utf-8"))
    if size > MAX_JSON_BYTES:
        raise BundleError(f"exam.json would have {size:,} bytes, over {MAX_JSON_BYTES:,}{_IN_PARTS}")


def _manifest(card: Card, paths: Sequence[Path]) -> Manifest:
    licence = None if card.licence.name == UNKNOWN else card.licence.name
    sources = [Source(path=path.name, sha256=file_sha256(path), role="paper") for path in paths]
    return Manifest(
        created_at=now(),
        tool_version=f"exam2bench {__version__}",
        sources=sources,
        warnings=[f"graded by the bundle's rules, not by {card.name}'s: {card.bundle.differs}"],
        engine=f"catalog {card.name}",
        rights=Rights(licence=licence) if licence else None,
    )
