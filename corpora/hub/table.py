"""The viewer's table: one row for each leaf question, its figures embedded, and never an answer."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ...models.paper_parts import Asked, locate
from ...schemas.bundle import Bundle
from ..exchange.rows import question_rows

GROUP_BYTES = 24 * 1024 * 1024
"""Figures in one row group: what a reader, or the viewer, must hold at once."""
GROUP_ROWS = 100
Row = dict[str, Any]


def features() -> Any:
    """The columns, as `datasets.Features`. Figures are whole files; `page` counts from 1 in the paper it names."""
    from datasets import Features, Image, List, Value

    text, item = Value("string"), {"id": Value("string"), "text": Value("string")}
    return Features(
        {
            "id": text,
            "number": text,
            "section": text,
            "section_title": text,
            "type": text,
            "points": Value("float64"),
            "stimulus": text,
            "prompt": text,
            "options": List(item),
            "blanks": List(item),
            "left": List(item),
            "right": List(item),
            "figures": List(Image()),
            "figure_names": List(text),
            "rule": text,
            "page": Value("int32"),
            "source": text,
            "exam_id": text,
            "language": text,
            "canary": text,
        }
    )


def rows(bundle: Bundle, canary: str) -> Iterator[Row]:
    """The rows in print order. Of the grading only the kind of rule is told."""
    asked = locate(bundle.exam)
    for flat in question_rows(bundle):
        whole = asked[flat.id]
        yield {
            "id": flat.id,
            "number": flat.number,
            "section": whole.section.id,
            "section_title": whole.section.title,
            "type": flat.type,
            "points": flat.points,
            "stimulus": flat.stimulus,
            "prompt": flat.prompt,
            "options": _items(flat.options),
            "blanks": [{"id": one.id, "text": one.label or ""} for one in whole.leaf.blanks or ()],
            "left": _items(flat.left),
            "right": _items(flat.right),
            "figures": [{"bytes": bundle.read_asset(name), "path": name.rpartition("/")[2]} for name in flat.images],
            "figure_names": list(flat.images),
            "rule": flat.rule,
            **_printed(bundle, whole),
            "exam_id": bundle.exam.exam_id,
            "language": bundle.exam.language,
            "canary": canary,
        }


def _items(items: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"id": key, "text": text} for key, text in items.items()]


def _printed(bundle: Bundle, asked: Asked) -> Row:
    """The page, from 1, and the paper's name; nulls where the bundle does not say."""
    sources = bundle.manifest.sources
    for question in (asked.leaf, *reversed(asked.ancestors)):
        if question.provenance:
            place = question.provenance[0]
            known = place.source < len(sources)
            return {"page": place.page + 1, "source": sources[place.source].path if known else None}
    return {"page": None, "source": None}


def write_table(target: Path, content: Iterable[Row], canary: str) -> int:
    """Write the rows as parquet, beside `target` first; the number of rows. Memory holds one row group."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = features().arrow_schema
    schema = schema.with_metadata({**(schema.metadata or {}), b"canary": canary.encode("utf-8")})
    beside = target.with_name(f".{target.name}.partial")
    count = 0
    with pq.ParquetWriter(beside, schema, compression="snappy", write_page_index=True) as writer:
        for group in _groups(content):
            writer.write_table(pa.Table.from_pylist(group, schema=schema))
            count += len(group)
    os.replace(beside, target)
    return count


def _groups(content: Iterable[Row]) -> Iterator[list[Row]]:
    group: list[Row] = []
    size = 0
    for row in content:
        group.append(row)
        size += sum(len(figure["bytes"]) for figure in row["figures"])
        if len(group) >= GROUP_ROWS or size >= GROUP_BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group
