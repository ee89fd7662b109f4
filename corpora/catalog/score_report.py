"""A score as a table of 80 columns and as JSON: each view has its column, so no figure stands for another's."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...schemas.printable import printable
from .predictions import told
from .scoring import Score, ViewScore

WIDTH = 80
_COLUMN = 12
DIFFERENCES_SHOWN = 5


def as_json(score: Score) -> dict[str, Any]:
    """The whole result but the single rows; figures that are no finite number are null."""
    return _finite(
        {
            "benchmark": score.card.name,
            "records": score.records,
            "think_blocks": score.think_blocks,
            "replies_with_think_blocks": score.think_replies,
            "think_blocks_left_open": score.think_open,
            "notes": score.notes,
            "views": {view.name: _view_json(view, score.records) for view in score.views},
            "differences": score.differences(),
        }
    )


def _view_json(view: ViewScore, records: int) -> dict[str, Any]:
    headline = view.view.headline
    measure = headline.measure()
    return {
        "headline": {
            "key": headline.key,
            "quantity": measure.quantity,
            "scale": measure.unit,
            "highest": measure.highest,
            "value": view.headline(),
        },
        "records": records,
        "answered": len(view.rows) - view.missing(),
        "missing": view.missing(),
        "parse_failures": view.unread(),
        "table": view.table,
        "breakdowns": view.breakdowns,
        "rules": {kind: getattr(view.view, kind).model_dump() for kind in ("extractor", "metric", "aggregation")},
    }


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def rows_json(score: Score) -> Iterator[dict[str, Any]]:
    """One line a reply: what each view read and its marks."""
    for place, first in enumerate(score.views[0].rows):
        line: dict[str, Any] = {"id": first["id"], "prediction": first["prediction"]}
        if "trial" in first:
            line["trial"] = first["trial"]
        for view in score.views:
            row = view.rows[place]
            read = _plain(row["extracted"])
            line[view.name] = {"read": read, **({view.column: row[view.column]} if view.column else {})}
        yield _finite(line)


def _plain(read: Any) -> Any:
    """What was read without its maps, which are as large as pictures."""
    if isinstance(read, Mapping):
        return {key: value for key, value in read.items() if not hasattr(value, "shape")}
    return read


def as_text(score: Score) -> str:
    """The tables, the notes, and the first replies on which the views differ."""
    lines = [_head(score), ""]
    lines += _row("", [view.name for view in score.views])
    for name, count in (("unread replies, counted wrong", "unread"), ("missing replies, counted wrong", "missing")):
        lines += _row(name, [f"{getattr(view, count)():,}" for view in score.views])
    lines += _figures(score)
    for name in score.card.breakdowns:
        lines += _breakdown(score, name)
    lines += _difference_lines(score)
    lines += (
        ["", *(line for note in score.notes for line in _wrapped(f"note: {printable(note)}"))] if score.notes else []
    )
    return "\n".join(lines)


def _head(score: Score) -> str:
    replies = len(score.views[0].rows) - score.views[0].missing()
    text = f"{score.card.title}: {told(score.records, 'record', 'records')}, {told(replies, 'reply', 'replies')}"
    if score.think_blocks:
        text += f", {told(score.think_blocks, 'think block', 'think blocks')} in {score.think_replies:,} of them"
    if score.think_open:
        text += f" ({score.think_open:,} never closed)"
    return text


def _row(label: str, cells: Sequence[str]) -> list[str]:
    width = WIDTH - _COLUMN * len(cells)
    name = printable(label, width - 1)
    return [(f"{name:<{width}}" + "".join(f"{cell:>{_COLUMN}}" for cell in cells)).rstrip()]


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            yield from _flat(value, f"{name} / ")
        else:
            yield name, value


def _figures(score: Score) -> list[str]:
    """Every figure of the views' tables. A view without a figure of that name has a dash; * marks the headline."""
    tables = [dict(_flat(view.table)) for view in score.views]
    stars = [view.view.headline.key.replace("/", " / ") for view in score.views]
    lines: list[str] = []
    for name in dict.fromkeys(name for table in tables for name in table):
        cells = [
            "–" if name not in table else _number(table[name]) + ("*" if star == name else " ")
            for table, star in zip(tables, stars, strict=True)
        ]
        lines += _row(name, [cell if cell.endswith(("*", " ")) else f"{cell} " for cell in cells])
    measures = dict.fromkeys(view.view.headline.measure().text() for view in score.views)
    return [*lines, *_wrapped(f"* headline: {'; '.join(printable(text) for text in measures)}")]


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, subsequent_indent="  ")


def _number(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return printable(value, _COLUMN)
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.4f}" if abs(value) <= 1 else f"{value:,.2f}"


def _breakdown(score: Score, name: str) -> list[str]:
    parts = [view.breakdowns.get(name, {}) for view in score.views]
    if not any(parts) or not any(view.column for view in score.views):
        return []  # rules of whole sets mark no single reply: the categories stand among the figures
    heads = ["replies", *(head for view in score.views for head in (view.name, "unread"))]
    lines = ["", *_narrow(f"by {name}", heads)]
    for value in dict.fromkeys(value for part in parts for value in part):
        cells = [f"{next(part[value]['replies'] for part in parts if value in part):,}"]
        for view, part in zip(score.views, parts, strict=True):
            entry = part.get(value, {})
            cells += [_number(entry[view.column]) if view.column in entry else "–", f"{entry.get('unread', 0):,}"]
        lines += _narrow(value, cells)
    return lines


def _narrow(label: str, cells: Sequence[str]) -> list[str]:
    width = WIDTH - 10 * len(cells)
    return [f"{printable(label, width - 1):<{width}}" + "".join(f"{cell:>10}" for cell in cells)]


def _difference_lines(score: Score) -> list[str]:
    found = score.differences()
    if len(score.views) < 2:
        return []
    if not found:
        return ["", "The views agree on every reply."]
    lines = ["", f"The views differ on {told(len(found), 'reply', 'replies')} (all of them in --json and -o):"]
    for entry in found[:DIFFERENCES_SHOWN]:
        sides = ", ".join(
            f"{side} {'nothing' if entry[side]['read'] is None else printable(entry[side]['read'], 12)}"
            for side in ("official", "robust")
        )
        head = f"  {printable(entry['id'], 16)}: {sides}: "
        lines.append(f"{head}'{printable(entry['prediction'], max(10, WIDTH - len(head) - 2))}'")
    return lines
