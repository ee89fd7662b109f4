"""Tracks put together: a key is one or several *series*, each a sequence of labels that counts up.

Columns that go on counting are one series; where the count begins again (another section, subject or
form) a new series begins. What is printed over a series (`社會`, `Part I`, `AZUL`) names it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..page import Box
from .key_cells import Cell
from .key_grid import Pair, Track
from .key_words import ANSWER_HEAD, LABEL_HEAD, POINTS_HEAD


@dataclass
class Series:
    """Pairs in counting order with the page that each stands on. `heads`: what is printed over it, nearest first."""

    source: int
    pairs: list[tuple[Pair, int]] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)
    tracks: list[Track] = field(default_factory=list)
    slot: int = 0

    @property
    def last(self) -> tuple[str, int]:
        prefix, number, _ = self.pairs[-1][0].number
        return prefix, number


def build_series(source: int, pages: Sequence[tuple[int, Sequence[Track], Sequence[Cell]]]) -> list[Series]:
    """Series of one source from (page number, tracks, cells) in page order."""
    series: list[Series] = []
    for page, tracks, cells in pages:
        fresh: list[Series] = []
        bands = _bands(tracks)
        for n, band in enumerate(bands):
            floor = max((t.box.y1 for earlier in bands[:n] for t in earlier), default=0.0)
            started = [s for track in band if (s := _place(series, track, source, page)) is not None]
            for new in started:
                new.heads = _named(new, band, cells, floor)
            fresh.extend(started)
        title = _page_title(cells, bands)
        for new in fresh:
            new.heads.extend(t for t in title if t not in new.heads)
    return series


def _bands(tracks: Sequence[Track]) -> list[list[Track]]:
    """Tracks side by side, band by band from the top; within a band left to right."""
    bands: list[list[Track]] = []
    bottom = float("-inf")
    for track in sorted(tracks, key=lambda t: (t.box.y0, t.box.x0)):
        if bands and track.box.y0 < bottom - 2.0 and track.layout != "row":
            bands[-1].append(track)
        else:
            bands.append([track])
        bottom = max(bottom, track.box.y1) if len(bands[-1]) > 1 else track.box.y1
    return [sorted(band, key=lambda t: (round(t.box.x0), t.box.y0)) for band in bands]


def _place(series: list[Series], track: Track, source: int, page: int) -> Series | None:
    """Add the track to the series that it goes on counting, or begin a new one (returned)."""
    prefix, number, _ = track.pairs[0].number
    for candidate in reversed(series):
        same = candidate.slot == track.slot and candidate.last[0] == prefix
        if same and 0 < number - candidate.last[1] <= 4 and not _other_name(candidate, track):
            candidate.pairs.extend((pair, page) for pair in track.pairs)
            candidate.tracks.append(track)
            return None
        if candidate.slot == track.slot:
            break
    new = Series(source, [(pair, page) for pair in track.pairs], [], [track], track.slot)
    series.append(new)
    return new


def _other_name(series: Series, track: Track) -> bool:
    """Whether the track's own column head names something else (another form) than the series'."""
    if not track.slots > 1:
        return False
    mine, theirs = _own_head(track), _own_head(series.tracks[0])
    return bool(mine) and bool(theirs) and mine != theirs


def _own_head(track: Track) -> str:
    return next((h for h in track.heads if not _is_column_word(h)), "")


def _is_column_word(text: str) -> bool:
    return len(text) <= 12 and bool(ANSWER_HEAD.search(text) or LABEL_HEAD.search(text) or POINTS_HEAD.search(text))


def _named(series: Series, band: Sequence[Track], cells: Sequence[Cell], floor: float) -> list[str]:
    """The names over a new series: its columns' own heads, then the rows of text over its extent."""
    if series.tracks[0].layout == "list":
        return list(series.tracks[0].heads)
    own = [h for h in series.tracks[0].heads if not _is_column_word(h)] if series.tracks[0].slots > 1 else []
    box = _reach(series, band)
    labels = {id(c) for track in band for c in track.labels}
    rows: dict[int, list[Cell]] = {}
    for cell in cells:
        if floor - 1 <= cell.box.cy < box.y0 and box.x0 - 3 <= cell.box.cx <= box.x1 + 3 and id(cell) not in labels:
            rows.setdefault(cell.row, []).append(cell)
    texts = [_join(rows[row]) for row in sorted(rows, reverse=True)]
    return [*own, *(t for t in texts if t and t not in own)][:6]


def _reach(series: Series, band: Sequence[Track]) -> Box:
    """The extent over which the series' name may stand: up to the next series' labels in its band."""
    first = series.tracks[0]
    own = [t for t in band if t is first]
    box = own[0].box if own else first.box
    later = [t for t in band if t.box.x0 > box.x0 + 1 and t.slot == first.slot]
    numbers = {n for t in [first] for n in [t.pairs[-1].number[1] + 1]}
    right = box.x1
    for track in sorted(later, key=lambda t: t.box.x0):
        if track.pairs[0].number[1] not in numbers:
            break
        right = track.box.x1
        numbers = {track.pairs[-1].number[1] + 1}
    return Box(box.x0, box.y0, right, box.y1)


def _join(cells: Sequence[Cell]) -> str:
    parts: list[str] = []
    for cell in sorted(cells, key=lambda c: c.box.x0):
        if _is_column_word(cell.text):
            continue
        glue = "" if not parts or (ord(parts[-1][-1]) >= 0x2E80 and ord(cell.text[0]) >= 0x2E80) else " "
        parts.append(glue + cell.text)
    return "".join(parts)


def _page_title(cells: Sequence[Cell], bands: Sequence[Sequence[Track]]) -> list[str]:
    """Rows of text above everything that was read as a key, at most five, from the top."""
    if not bands:
        return []
    top = min(track.box.y0 for track in bands[0])
    rows: dict[int, list[Cell]] = {}
    for cell in cells:
        if cell.box.cy < top:
            rows.setdefault(cell.row, []).append(cell)
    return [text for row in sorted(rows)[:8] if (text := _join(rows[row]))]
