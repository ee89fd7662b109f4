"""Ink: the strokes and pictures of a page that may be a figure, and how they cluster into drawings.

What only dresses text is taken out first: underlines, fraction bars, rules, frames around passages,
shading, answer lines, the column separator, furniture, watermarks, the image of a scanned page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from ..page import Box, Page
from .phrases import Phrase, bounds

MarkKind = Literal["horizontal", "vertical", "rectangle", "other", "picture"]


@dataclass(frozen=True, slots=True)
class Mark:
    """A stroke or a picture. `filled` holds for areas only."""

    kind: MarkKind
    box: Box
    filled: bool = False


@dataclass(eq=False)
class Cluster:
    """Marks that belong to one drawing, as their common box and the kinds of marks in it."""

    box: Box
    kinds: Counter[MarkKind]
    filled: int = 0

    def absorb(self, other: Cluster) -> None:
        self.box = self.box.union(other.box)
        self.kinds.update(other.kinds)
        self.filled += other.filled


def page_marks(page: Page, repeated: frozenset[tuple[int, int, int, int]]) -> list[Mark]:
    """The page's marks without white areas, what the size of the page gives away, and repeated furniture."""
    frame = Box(0, 0, page.width, page.height)
    marks: list[Mark] = []
    top = _masthead(page)
    for stroke in page.strokes:
        if stroke.color >= 0xF8F8F8 and _is_white(stroke.color):
            continue
        if _place(stroke.box) not in repeated and _on_page(stroke.box, frame):
            marks.append(Mark(stroke.kind, stroke.box, stroke.filled))
    for picture in page.pictures:
        if picture.pixel_width * picture.pixel_height <= 64:
            continue
        if _place(picture.box) not in repeated and _on_page(picture.box, frame):
            box = picture.box
            marks.append(
                Mark("picture", Box(max(box.x0, 0), max(box.y0, 0), min(box.x1, page.width), min(box.y1, page.height)))
            )
    return [mark for mark in marks if mark.box.y1 > top]


def _masthead(page: Page) -> float:
    """Where the page's head ends: the lowest rule across three quarters of the page in its top fifth, if nothing
    longer than a title stands above it."""
    rules = [s.box for s in page.strokes if s.kind == "horizontal" and s.box.width > 0.75 * page.width]
    ends = [box.y1 for box in rules if box.y1 < 0.2 * page.height]
    if not ends:
        return 0.0
    above = [word for word in page.words if word.box.y1 < max(ends) and word.angle == 0]
    return max(ends) if sum(len(word.text) for word in above) < 60 else 0.0


def repeated_places(pages: Sequence[Page]) -> frozenset[tuple[int, int, int, int]]:
    """Where ink recurs on most pages at the same place: logos, frames, separators, watermarks."""
    counts: Counter[tuple[int, int, int, int]] = Counter()
    for page in pages:
        counts.update({_place(box) for box in (*(s.box for s in page.strokes), *(p.box for p in page.pictures))})
    least = max(3, round(0.3 * len(pages)))
    return frozenset(place for place, count in counts.items() if count >= least)


def _place(box: Box) -> tuple[int, int, int, int]:
    return round(box.x0 / 2), round(box.y0 / 2), round(box.x1 / 2), round(box.y1 / 2)


def _is_white(color: int) -> bool:
    return all((color >> shift) & 0xFF >= 0xF8 for shift in (0, 8, 16))


def _on_page(box: Box, frame: Box) -> bool:
    """Inside the page and not nearly all of it."""
    seen = box.overlap(frame)
    if box.width >= 0.9 * frame.width and box.height >= 0.9 * frame.height:
        return False
    return seen > 0 or (box.x1 > 0 and box.y1 > 0 and box.x0 < frame.x1 and box.y0 < frame.y1 and box.area == 0)


def drop_text_dress(marks: Sequence[Mark], phrases: Sequence[Phrase]) -> list[Mark]:
    """The marks without those that only dress text: inside or right under a printed line, or a shade behind it."""
    rows = Rows(phrases)
    return [mark for mark in marks if mark.kind == "picture" or not _dresses(mark, rows)]


def mark_bonds(marks: Sequence[Mark], phrases: Sequence[Phrase]) -> list[Mark]:
    """The marks with the bonds of structural formulas as drawn ink that reaches over the letters they join: short
    upright strokes, two or more, between a letter above and one below, and level ones between two letters."""
    short = [m for m in marks if m.kind == "vertical" and 4 < m.box.height < 32]
    if len(short) < 2:
        return list(marks)
    rows = Rows(phrases)
    bonds = {id(m): box for m in short if (box := _joined_letters(m.box, rows, upright=True))}
    if len(bonds) < 2:
        return list(marks)
    level = [m for m in marks if m.kind == "horizontal" and 4 < m.box.width < 32]
    bonds |= {id(m): box for m in level if (box := _joined_letters(m.box, rows, upright=False))}
    return [Mark("other", bonds[id(m)], False) if id(m) in bonds else m for m in marks]


def _joined_letters(box: Box, rows: Rows, *, upright: bool) -> Box | None:
    """The bond with the letters at both of its ends, None where one end has none."""
    first: Box | None = None
    second: Box | None = None
    for phrase in rows.near(box, 8.0):
        for word in phrase.words:
            at = word.box
            if len(word.text) > 4:
                continue
            if upright and at.x0 - 3 <= box.cx <= at.x1 + 3:
                first = at if at.cy < box.y0 and box.y0 - at.y1 < 4 else first
                second = at if at.cy > box.y1 and at.y0 - box.y1 < 4 else second
            elif not upright and at.y0 <= box.cy <= at.y1:
                first = at if at.cx < box.x0 and box.x0 - at.x1 < 6 else first
                second = at if at.cx > box.x1 and at.x0 - box.x1 < 6 else second
    return box.union(first).union(second) if first and second else None


class Rows:
    """Phrases by height, so that a mark meets only its neighbours."""

    STEP = 24.0

    def __init__(self, phrases: Sequence[Phrase]) -> None:
        self._rows: dict[int, list[Phrase]] = {}
        for phrase in phrases:
            for row in range(int(phrase.box.y0 // self.STEP), int(phrase.box.y1 // self.STEP) + 1):
                self._rows.setdefault(row, []).append(phrase)

    def near(self, box: Box, by: float = 4.0) -> Iterable[Phrase]:
        seen: set[int] = set()
        for row in range(int((box.y0 - by) // self.STEP), int((box.y1 + by) // self.STEP) + 1):
            for phrase in self._rows.get(row, ()):
                if id(phrase) not in seen:
                    seen.add(id(phrase))
                    yield phrase


def _dresses(mark: Mark, rows: Rows) -> bool:
    box = mark.box
    if box.height > 60:
        return False
    for phrase in rows.near(box):
        text, size = phrase.box, phrase.size
        gap = max(box.x0 - text.x1, text.x0 - box.x1)
        inside = box.y0 >= text.y0 - 0.35 * size and box.y1 <= text.y1 + 0.35 * size
        if inside and gap < 1.2 * size and is_lettering(mark, phrase):
            return True
        if inside and gap < 0.6 * size and _of_the_line(mark, phrase):
            return True
        shade = mark.filled and mark.kind == "rectangle" and phrase.running and box.overlap(text) > 0.6 * text.area
        if shade and box.height < 2.5 * text.height:
            return True
    return False


def _of_the_line(mark: Mark, phrase: Phrase) -> bool:
    """An underline, a bar, a bracket: within the printed line, not longer than it."""
    if phrase.running or phrase.marker:
        return True
    slack = 1.5 * phrase.size
    within = mark.box.x0 > phrase.box.x0 - slack and mark.box.x1 < phrase.box.x1 + slack
    return within and mark.kind != "other" and not _bond(mark, phrase)


def is_lettering(mark: Mark, phrase: Phrase) -> bool:
    """Words drawn as outlines in a line of text: filled, as high as letters are and wider than high."""
    high = 0.4 * phrase.size < mark.box.height < 1.3 * phrase.size
    return mark.kind == "other" and mark.filled and high and (phrase.words[0].mono or mark.box.width > 2 * phrase.size)


def _bond(mark: Mark, phrase: Phrase) -> bool:
    """A short stroke between two letters of a structural formula stands at mid-height, beside no letter's foot."""
    return mark.kind == "vertical" or abs(mark.box.cy - phrase.box.cy) < 0.2 * phrase.size


Allowed = Callable[["Cluster", "Cluster"], bool]


def cluster_marks(marks: Sequence[Mark], gap: float, allowed: Allowed) -> list[Cluster]:
    """Marks whose boxes touch or lie within `gap` points, joined where `allowed` says so."""
    return merge_clusters(_deduplicated(marks), allowed, gap)


def _deduplicated(marks: Sequence[Mark]) -> list[Cluster]:
    """Tiny marks of one 6-point cell as one: hatching and dotted curves come in thousands."""
    cells: dict[tuple[int, int], list[Mark]] = {}
    found: list[Cluster] = []
    for mark in marks:
        box = mark.box
        if box.x1 - box.x0 > 6 or box.y1 - box.y0 > 6:
            found.append(_cluster([mark]))
        else:
            cells.setdefault((int(box.x0 // 6), int(box.y0 // 6)), []).append(mark)
    return found + [_cluster(members) for members in cells.values()]


def _cluster(marks: Sequence[Mark]) -> Cluster:
    box = marks[0].box if len(marks) == 1 else bounds(mark.box for mark in marks)
    areas = sum(1 for mark in marks if mark.filled and mark.kind in ("rectangle", "other"))
    return Cluster(box, Counter(mark.kind for mark in marks), areas)


def merge_clusters(clusters: Sequence[Cluster], allowed: Allowed, gap: float) -> list[Cluster]:
    """Clusters within `gap` points joined where `allowed(a, b)` says so, until nothing changes."""
    current = list(clusters)
    while True:
        current.sort(key=lambda c: (c.box.y0, c.box.x0))
        active: list[Cluster] = []
        done: list[Cluster] = []
        changed = False
        for cluster in current:
            still: list[Cluster] = []
            for other in active:
                if other.box.y1 + gap < cluster.box.y0:
                    done.append(other)
                elif near(other.box, cluster.box, gap) and allowed(other, cluster):
                    cluster.absorb(other)
                    changed = True
                else:
                    still.append(other)
            still.append(cluster)
            active = still
        current = done + active
        if not changed:
            return current


def near(a: Box, b: Box, gap: float) -> bool:
    """Whether the boxes touch when one is grown by `gap` points."""
    return a.x0 - gap <= b.x1 and b.x0 - gap <= a.x1 and a.y0 - gap <= b.y1 and b.y0 - gap <= a.y1
