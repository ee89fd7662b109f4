"""`catalog prepare`: records whose pictures are embedded (Parquet, base64) as JSON Lines beside picture files, once."""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...schemas.errors import BundleError, UsageError
from ...schemas.printable import printable
from .card import Card
from .pictures import PictureStore
from .records import PICTURES, Record, iter_records

RECORDS, FOLDER = "records.jsonl", "pictures"


@dataclass(frozen=True)
class Prepared:
    records: int
    pictures: int


def prepare(card: Card, paths: Sequence[Path], target: Path) -> Prepared:
    """Write `records.jsonl` (the card's fields by their canonical names) and `pictures/` into a new folder.

    The folder appears whole or not at all. Raises UsageError where it is there already, BundleError for records
    that cannot be read.
    """
    if os.path.lexists(target):
        raise UsageError(f"{printable(target)} is there already: give a new folder")
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.{secrets.token_hex(4)}.partial")
    (partial / FOLDER).mkdir(parents=True)
    try:
        store = PictureStore(partial / FOLDER, prefix=FOLDER)
        count = 0
        with (partial / RECORDS).open("w", encoding="utf-8", newline="\n") as stream:
            for line in _lines(card, paths, store):
                stream.write(line + "\n")
                count += 1
        os.rename(partial, target)
        return Prepared(count, len(store))
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _lines(card: Card, paths: Sequence[Path], store: PictureStore) -> Iterator[str]:
    for record in iter_records(card, paths):
        place = f"the record {printable(record['id'])}"
        for field in PICTURES:
            if field in record:
                record[field] = _kept(record[field], store, paths[0].parent, place)
        yield _line(record, place)


def _kept(value: Any, store: PictureStore, beside: Path, place: str) -> Any:
    if isinstance(value, list):
        return [store.add(one, beside, place) for one in value if one is not None]
    return store.add(value, beside, place)


def _line(record: Record, place: str) -> str:
    try:
        return json.dumps(record, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as fault:
        raise BundleError(f"{place} holds a value that JSON cannot write: {printable(fault)}") from fault
