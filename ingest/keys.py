"""Everything that the sources say about answers, as entries that `align` brings to their questions.

Keys are read from geometry (grids) and from lines (lists); mark schemes and solutions by finding each
question of the paper in them; answers printed in the paper come with the draft.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..schemas.findings import Finding, Where
from .answers import marked_options
from .draft import DraftPaper, Figure, KeyEntry
from .key_cells import Cell, page_cells
from .key_grid import Pair, Track, read_grid
from .key_list import read_list
from .key_series import Series, build_series
from .key_values import parse_value
from .lines import Line, Reading
from .markscheme import read_scheme
from .page import Page
from .roles import SourceRole

_ORIGINS = {"key": "key", "markscheme": "markscheme", "solution": "solution"}


def read_keys(
    readings: Sequence[Reading],
    pages: Mapping[tuple[int, int], Page],
    figures: Sequence[Figure],
    paper: DraftPaper,
    roles: Sequence[SourceRole],
) -> tuple[list[KeyEntry], list[Finding]]:
    """All entries of all sources, keys first, and what could not be read. Ids of the paper's questions are set."""
    entries: list[KeyEntry] = []
    findings: list[Finding] = []
    by_source = {r.source: r for r in roles}
    for reading in readings:
        role = by_source[reading.source]
        held = {n for (s, n) in pages if s == reading.source}
        wanted = {n: role.pages.get(n, role.role) for n in sorted(held)}
        answer_pages = [n for n, r in wanted.items() if r in _ORIGINS]
        if not answer_pages:
            continue
        found, left = read_key_pages(reading, pages, answer_pages)
        entries.extend(found)
        findings.extend(_unread(reading.source, answer_pages, pages))
        prose = [line for line in left if wanted[line.page] in ("markscheme", "solution")]
        if not found:
            prose = left
        if prose:
            kind = "solution" if role.role == "solution" else "markscheme"
            more, notes = read_scheme(prose, paper, figures, kind)
            entries.extend(more)
            findings.extend(notes)
        if not found and not any(e.source == reading.source for e in entries):
            findings.append(_nothing(reading.source, role.role))
    entries.extend(printed_entries(paper))
    return entries, findings


def read_key_pages(
    reading: Reading, pages: Mapping[tuple[int, int], Page], numbers: Sequence[int]
) -> tuple[list[KeyEntry], list[Line]]:
    """The entries of grids and lists on these pages of one source, and the lines that they leave over."""
    lines: dict[int, list[Line]] = {}
    for line in reading.lines:
        lines.setdefault(line.page, []).append(line)
    read: list[tuple[int, list[Track], list[Cell]]] = []
    left: list[Line] = []
    for number in numbers:
        page = pages[reading.source, number]
        cells = page_cells(page)
        tracks = read_grid(cells, page.strokes)
        used = {w.index for t in tracks for p in t.pairs for c in (*p.cells, *t.labels) for w in c.words}
        free = [n for n in lines.get(number, []) if sum(w.index in used for w in n.words) * 2 <= len(n.words)]
        lists = read_list(free)
        listed = {w.index for t in lists for p in t.pairs for c in p.cells for w in c.words}
        read.append((number, [*tracks, *lists], cells))
        left.extend(n for n in free if not any(w.index in listed for w in n.words))
    series = build_series(reading.source, read)
    entries = [e for n, one in enumerate(series) for e in _entries(one, n)]
    return entries, left


def _entries(series: Series, number: int) -> list[KeyEntry]:
    heads = tuple(series.heads)
    return [_entry(pair, page, series.source, number, heads) for pair, page in series.pairs if pair.value]


def _entry(pair: Pair, page: int, source: int, series: int, heads: tuple[str, ...]) -> KeyEntry:
    value = parse_value(pair.value)
    return KeyEntry(
        section=heads[0] if heads else None,
        label=label_text(pair.number),
        values=value.values,
        alternatives=value.alternatives,
        every=value.every,
        judged=value.written,
        points=_points(pair.points),
        source=source,
        page=page,
        box=pair.box,
        series=series,
        heads=heads,
        raw=pair.value,
    )


def label_text(number: tuple[str, int, int]) -> str:
    """A counting label as text: `12`, `13-1`, `t1a01`."""
    prefix, count, part = number
    name = f"{prefix}{count}" if prefix.isascii() else str(count)
    return f"{name}-{part}" if part else name


def _points(text: str | None) -> float | None:
    if text is None:
        return None
    plain = text.replace(",", ".").strip()
    return float(plain) if plain.replace(".", "", 1).isdigit() else None


def printed_entries(paper: DraftPaper) -> list[KeyEntry]:
    """The answers that stand in the paper itself: after a marker, or as the one option that is set apart."""
    entries: list[KeyEntry] = []
    marked = marked_options(paper)
    for question in paper.questions():
        text = question.printed_answer or marked.get(id(question))
        if not text:
            continue
        place = question.answer_lines[0] if question.answer_lines else None
        first = place or (question.stem[0] if question.stem else None)
        entries.append(
            KeyEntry(
                section=None,
                label=question.key,
                reference=question.printed_answer,
                source=first.source if first else 0,
                page=first.page if first else 0,
                box=place.box if place else None,
                origin="printed",
                series=-1,
                raw=text,
                question_id=question.id,
            )
        )
    return entries


def _unread(source: int, numbers: Sequence[int], pages: Mapping[tuple[int, int], Page]) -> list[Finding]:
    return [
        Finding(
            code="key.unread",
            severity="warning",
            where=Where(source=source, page=n),
            message=f"Page {n + 1} of the key could not be read: it has no text layer that can be used.",
            hint="install exam2bench[ocr], or give the key as text",
        )
        for n in numbers
        if pages[source, n].read_by == "nothing"
    ]


def _nothing(source: int, role: str) -> Finding:
    return Finding(
        code="key.empty",
        severity="warning",
        where=Where(source=source),
        message=f"No answer could be read from this source, which was taken for a {role}.",
        hint="look at its pages; say what it is with --role if it is something else",
    )
