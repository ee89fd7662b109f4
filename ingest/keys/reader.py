"""Everything that the sources say about answers, as entries that `align` brings to their questions.

Keys are read from geometry (grids) and from lines (lists); mark schemes and solutions by finding each
question of the paper in them; answers printed in the paper come with the draft.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ...schemas.findings import Finding, Where
from ..draft import DraftPaper, DraftQuestion, Figure, KeyEntry
from ..formulas.linearise import linearise
from ..lines import Line, Reading
from ..page import Page
from .answers import answer_text, marked_options
from .key_grid import Pair
from .key_list import answers_apart
from .key_notes import amended, read_notes
from .key_pages import PageKey, read_page
from .key_series import Series, build_series
from .key_table import TableRow
from .key_values import parse_value
from .markscheme import PaperText, Scheme, read_scheme, split_parts
from .roles import SourceRole, select
from .rubric import criteria_for

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

    def render(line: Line) -> str:
        return linearise(line.words, pages[line.source, line.page].strokes)

    printed = PaperText(paper, [line for r in select(readings, roles, {"paper"}) for line in r.lines])
    for reading in readings:
        role = by_source[reading.source]
        held = {n for (s, n) in pages if s == reading.source}
        wanted = {n: role.pages.get(n, role.role) for n in sorted(held)}
        answer_pages = [n for n, r in wanted.items() if r in _ORIGINS]
        if not answer_pages:
            continue
        found, left = read_key_pages(reading, pages, answer_pages, wholly=role.role in ("key", "paper"))
        entries.extend(found)
        findings.extend(_unread(reading.source, answer_pages, pages))
        if left:
            kind = "solution" if role.role == "solution" else "markscheme"
            own = [f for f in figures if f.source == reading.source]
            entries.extend(
                read_scheme(
                    [part for line in left for part in answers_apart(line)], paper, printed, Scheme(kind, own, render)
                )
            )
        if not found and not any(e.source == reading.source for e in entries):
            findings.append(_nothing(reading.source, role.role))
    entries.extend(printed_entries(paper, render))
    return entries, findings


def read_key_pages(
    reading: Reading, pages: Mapping[tuple[int, int], Page], numbers: Sequence[int], *, wholly: bool
) -> tuple[list[KeyEntry], list[Line]]:
    """The entries of grids and lists on these pages of one source, and the lines that they leave over.

    `wholly`: the source is a key. Else only pages that are mostly key count: a table in a solution is none.
    """
    lines: dict[int, list[Line]] = {}
    for line in reading.lines:
        lines.setdefault(line.page, []).append(line)
    read: list[PageKey] = []
    for n in numbers:
        before = read[-1].rows[-1] if read and read[-1].rows else None
        read.append(read_page(pages[reading.source, n], lines.get(n, []), before))
    keys = [p for p in read if wholly or p.mostly_key]
    series = build_series(reading.source, [(p.page, p.tracks, p.cells) for p in keys])
    notes = read_notes([line for p in keys for line in p.left])
    entries = [e for n, one in enumerate(series) for e in amended(_entries(one, n), notes if len(series) == 1 else {})]
    entries.extend(_table_entries(keys, reading.source, len(series)))
    taken = {p.page for p in keys}
    left = [line for p in read for line in (p.left if p.page in taken else lines.get(p.page, []))]
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


def _table_entries(keys: Sequence[PageKey], source: int, series: int) -> list[KeyEntry]:
    """Entries of table rows; a new series wherever the section's name changes or the numbers begin again."""
    entries: list[KeyEntry] = []
    last: tuple[str, int, tuple[int, ...]] | None = None
    for page in keys:
        title = tuple(dict.fromkeys(line.text for line in page.left[:4]))
        for row in page.rows:
            place = (row.section, row.number, row.path)
            if last is not None and (place[0] != last[0] or place[1:] <= last[1:]):
                series += 1
            last = place
            heads = (row.section, *title) if row.section else title
            entries.append(_table_entry(row, page.page, source, series, heads))
    return entries


def _table_entry(row: TableRow, page: int, source: int, series: int, heads: tuple[str, ...]) -> KeyEntry:
    value = parse_value(row.answer)
    label = "-".join(str(n) for n in (row.number, *row.path))
    points = _points(row.points)
    prose = not value.keylike
    return KeyEntry(
        section=row.section or None,
        label=label,
        values=() if prose else value.values,
        alternatives=value.alternatives,
        every=value.every,
        judged=value.written,
        reference=row.answer if prose else None,
        criteria=criteria_for(row.answer, "", points) if prose else (),
        points=points,
        source=source,
        page=page,
        box=row.box,
        series=series,
        heads=heads,
        raw=row.answer,
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


def printed_entries(paper: DraftPaper, render: Callable[[Line], str]) -> list[KeyEntry]:
    """The answers that stand in the paper itself: after a marker, or as the one option that is set apart."""
    marked = marked_options(paper)
    entries: list[KeyEntry] = []
    for section in paper.sections:
        for question in section.questions:
            entries.extend(_printed(question, marked, render))
    return entries


def _printed(question: DraftQuestion, marked: Mapping[int, str], render: Callable[[Line], str]) -> list[KeyEntry]:
    children = question.children
    told = [c for c in children if _tells(c)]
    own = bool(question.printed_answer)
    if children and not question.group and (own or (len(told) == 1 and told[0] is children[-1] and len(children) > 1)):
        return _printed_below(question, question if own else _teller(children[-1]), render)
    if children:
        return [e for child in children for e in _printed(child, marked, render)]
    text = question.printed_answer or marked.get(id(question))
    if not text:
        return []
    told = answer_text(question.answer_lines, render) if question.printed_answer else None
    return [_printed_entry(question, question, text if question.options else told or text, told)]


def _tells(question: DraftQuestion) -> bool:
    return bool(question.printed_answer) or any(_tells(child) for child in question.children)


def _teller(question: DraftQuestion) -> DraftQuestion:
    return next((leaf for leaf in question.leaves() if leaf.printed_answer), question)


def _printed_below(parent: DraftQuestion, teller: DraftQuestion, render: Callable[[Line], str]) -> list[KeyEntry]:
    """One printed answer for a question with parts: by the parts' own labels, else the whole for each."""
    parts = split_parts(teller.answer_lines, parent.children)
    entries: list[KeyEntry] = []
    for child in parent.children:
        lines = parts.get(child.id, [])
        text = answer_text(lines, render) or answer_text(teller.answer_lines, render) or teller.printed_answer
        entries.extend(_printed_entry(leaf, teller, text or "", text) for leaf in child.leaves())
    return entries


def _printed_entry(question: DraftQuestion, teller: DraftQuestion, raw: str, reference: str | None) -> KeyEntry:
    place = teller.answer_lines[0] if teller.answer_lines else None
    first = place or (question.stem[0] if question.stem else None)
    return KeyEntry(
        section=None,
        label=question.key,
        reference=reference,
        source=first.source if first else 0,
        page=first.page if first else 0,
        box=place.box if place else None,
        origin="printed",
        series=-1,
        raw=raw,
        question_id=question.id,
    )


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
