"""Each figure to what it belongs to: a question, one of its options, a group's stimulus, a section.

Evidence in order: an option's label beside the picture; a numbered reference in a text (`如圖3`); the text that
stands beside the figure; its place in the reading order.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ..draft import DraftOption, DraftPaper, DraftQuestion, DraftSection, Figure, WordKey
from ..lines import Line, Reading
from ..page import Box, Word
from .captions import Label, caption_label, labels_in
from .phrases import bounds

_POINTS_AT = re.compile(
    r"[圖图図畫]|그림|그래프|figur|diagram|graph|\bmap|chart|drawing|picture|photo|cartoon|poster|illustrat|sketch|gr[áa]fic|"
    r"esquema|imagem|imagen|mapa|abbild|skizz|bild|sch[ée]ma|carte\b|hình|рис|tabl|tabel|tableau|quadro|表|표|bảng",
    re.IGNORECASE,
)


_STACKED = 60.0
"""Distance of a picture that stands above or below its option's label: farther than any beside it."""


@dataclass(eq=False)
class Slot:
    """A text of the paper that may hold figures. `orders` are the places of its lines in the reading order,
    `lines` these lines (label included)."""

    owner: DraftQuestion | DraftSection | DraftPaper
    lines: list[Line]
    labels: frozenset[WordKey] = frozenset()
    option: DraftOption | None = None
    ancestors: tuple[DraftQuestion, ...] = ()
    orders: list[int] = field(default_factory=list)
    label_box: Box | None = None

    @cached_property
    def text(self) -> str:
        return " ".join(line.text for line in self.lines)

    @cached_property
    def names(self) -> frozenset[tuple[str, str]]:
        """The numbered figures and tables that the text names."""
        return frozenset(label.key for label in labels_in(self.text))


@dataclass(frozen=True)
class _Order:
    """The reading order over all sources: each word's line, each source's first line, each word."""

    lines: dict[WordKey, int]
    base: dict[int, int]
    words: dict[WordKey, Word]


def attach_figures(paper: DraftPaper, figures: Sequence[Figure], readings: Sequence[Reading]) -> None:
    """Put every figure where it belongs; the paper is changed in place.

    A table whose words the paper's questions already hold as their own text is left out: it is no data but the
    questions themselves (options or statements set as a table). So are pictures of the cover.
    """
    order = _orders(readings)
    slots = _slots(paper, order)
    held = frozenset(key for slot in slots for line in slot.lines for key in _keys(line))
    places = _Places(slots)
    referenced = {(line.source, line.page) for line in paper.reference}
    for figure in sorted(figures, key=lambda f: (f.source, f.page, f.before, f.box.y0, f.box.x0)):
        if figure.kind == "formula":
            _note_unread(figure, places)
            continue
        taken = len(figure.words & held) > 0.5 * len(figure.words) > 0
        if taken or figure.source not in order.base:
            continue
        place = order.base[figure.source] + figure.before
        slot = _option_slot(figure, places) or _slot_of(figure, place, places)
        if slot is not None:
            _put(figure, slot)
        elif (figure.source, figure.page) in referenced:
            paper.reference_figures.append(figure)


def _note_unread(figure: Figure, places: _Places) -> None:
    """Drawn formulas and lettering go to the question in whose line they stand."""
    best: tuple[float, DraftQuestion] | None = None
    for _, slot, lines in places.near(figure):
        if not isinstance(slot.owner, DraftQuestion):
            continue
        for line in lines:
            if line.box.y0 - 2 <= figure.box.cy <= line.box.y1 + 2:
                distance = max(line.box.x0 - figure.box.x1, figure.box.x0 - line.box.x1, 0.0)
                if distance < 80 and (best is None or distance < best[0]):
                    best = (distance, slot.owner)
    if best is not None:
        best[1].unread.append(figure)


def _keys(line: Line) -> Iterator[WordKey]:
    return ((line.source, line.page, word.index) for word in line.words)


def _orders(readings: Sequence[Reading]) -> _Order:
    order = _Order({}, {}, {})
    total = 0
    for reading in readings:
        order.base[reading.source] = total
        for n, line in enumerate(reading.lines):
            for word in line.words:
                key = (line.source, line.page, word.index)
                order.lines[key] = total + n
                order.words[key] = word
        total += len(reading.lines) + 1
    return order


def _slots(paper: DraftPaper, order: _Order) -> list[Slot]:
    slots = [Slot(paper, paper.instructions), Slot(paper, paper.reference)]
    for section in paper.sections:
        slots.append(Slot(section, [*section.title, *section.instructions]))
        for question in section.questions:
            _question_slots(question, (), slots)
    for slot in slots:
        keys = [*slot.labels, *(key for line in slot.lines for key in _keys(line))]
        slot.orders = sorted({order.lines[key] for key in keys if key in order.lines})
        boxes = [order.words[key].box for key in sorted(slot.labels) if key in order.words]
        slot.label_box = bounds(boxes) if boxes else None
    return slots


def _question_slots(question: DraftQuestion, ancestors: tuple[DraftQuestion, ...], slots: list[Slot]) -> None:
    slots.append(Slot(question, question.stem, question.label_words, None, ancestors))
    for option in question.options:
        slots.append(Slot(question, option.lines, option.label_words, option, ancestors))
    for child in question.children:
        _question_slots(child, (*ancestors, question), slots)


class _Places:
    """Slots by their place in the reading order."""

    def __init__(self, slots: Sequence[Slot]) -> None:
        self.slots = [slot for slot in slots if slot.orders]
        self._flat = sorted(((n, at) for at, slot in enumerate(self.slots) for n in slot.orders))
        firsts = [slot.orders[0] for slot in self.slots if isinstance(slot.owner, DraftQuestion)]
        self.has_questions = bool(firsts)
        self.first_question = min(firsts, default=0)
        self.on_page: dict[tuple[int, int], list[tuple[int, Slot, list[Line]]]] = {}
        """The slots that print on a page, with their number and their lines there."""
        for at, slot in enumerate(self.slots):
            lines: dict[tuple[int, int], list[Line]] = {}
            for line in slot.lines:
                lines.setdefault((line.source, line.page), []).append(line)
            for page in {*lines, *((source, page) for source, page, _ in slot.labels)}:
                self.on_page.setdefault(page, []).append((at, slot, lines.get(page, [])))

    def near(self, figure: Figure) -> list[tuple[int, Slot, list[Line]]]:
        return self.on_page.get((figure.source, figure.page), [])

    def before(self, place: int) -> Slot | None:
        at = bisect_left(self._flat, (place, -1))
        return self.slots[self._flat[at - 1][1]] if at else None

    def after(self, place: int) -> Slot | None:
        at = bisect_left(self._flat, (place, -1))
        return self.slots[self._flat[at][1]] if at < len(self._flat) else None


def _option_slot(figure: Figure, places: _Places) -> Slot | None:
    """The option whose label stands left of, above or inside the picture, where the option has no text of its own."""
    best: tuple[float, Slot] | None = None
    for _, slot, _ in places.near(figure):
        if slot.option is None or not _on_page(slot, figure):
            continue
        distance = _option_distance(figure, slot)
        if distance is not None and (best is None or distance < best[0]):
            best = (distance, slot)
    return best[1] if best else None


def _option_distance(figure: Figure, slot: Slot) -> float | None:
    """Points between an option's label and a picture that may be the option; None where it cannot be.

    A picture above or below the label is the option's only where the option says nothing: a graph stands above
    the first of `A 24 m`, `B 36 m` too.
    """
    if slot.label_box is None or not _is_empty(slot):
        return None
    distance = _label_distance(figure.box, slot.label_box)
    if distance is not None and distance >= _STACKED and any(ch.isalnum() for ch in slot.text):
        return None
    return distance


def _is_empty(slot: Slot) -> bool:
    return sum(len(word.text) for line in slot.lines for word in line.words) <= 3 or not any(
        ch.isalnum() for ch in slot.text
    )


def _on_page(slot: Slot, figure: Figure) -> bool:
    return any(key[0] == figure.source and key[1] == figure.page for key in slot.labels)


def _label_distance(picture: Box, label: Box) -> float | None:
    """Points between an option's label and its picture, or None where the label is not the picture's."""
    if picture.contains(label.cx, label.cy):
        return 0.0
    level = picture.y0 - 4 <= label.cy <= picture.y1 + 4
    if level and -4 <= picture.x0 - label.x1 <= 60:
        return max(picture.x0 - label.x1, 0.0)
    over = -4 <= picture.y0 - label.y1 <= 24 or -4 <= label.y0 - picture.y1 <= 18
    if over and picture.x0 - 12 <= label.cx <= picture.x1:
        return _STACKED + abs(picture.cy - label.cy) / 10
    return None


def _slot_of(figure: Figure, place: int, places: _Places) -> Slot | None:
    """Reference, neighbour, then place. None where nothing of the paper's questions is near."""
    lone = not any(lines for _, _, lines in places.near(figure))
    before = places.before(place)
    named = _named(figure, place, places)
    if named is not None:
        # a group's figure stands with the group, whichever member mentions it
        inherits = before is not None and isinstance(before.owner, DraftQuestion) and before.owner in named.ancestors
        return before if inherits else named
    if lone:
        return None
    beside = _beside(figure, places)
    if beside is not None:
        return beside
    after = places.after(place)
    if before is None or not isinstance(before.owner, DraftQuestion):
        return _after_heading(before, after, figure)
    return after if after is not None and _belongs_to_next(figure, before, after) else before


def _after_heading(before: Slot | None, after: Slot | None, figure: Figure) -> Slot | None:
    """A figure under a section's heading is the section's; one on the cover is nobody's."""
    if before is not None and isinstance(before.owner, DraftSection):
        return before
    if before is not None and isinstance(before.owner, DraftPaper) and before.owner.reference and before.lines:
        return before if before.lines is before.owner.reference else None
    starts = after is not None and any((line.source, line.page) == (figure.source, figure.page) for line in after.lines)
    return after if starts and after is not None and _POINTS_AT.search(after.text) else None


def _belongs_to_next(figure: Figure, before: Slot, after: Slot) -> bool:
    """Whether a figure between two questions is the second one's: the first is complete and does not speak of a
    figure, the second does and begins right below it."""
    if before.option is None or not isinstance(after.owner, DraftQuestion) or after.owner is before.owner:
        return False
    question = before.owner
    if not isinstance(question, DraftQuestion) or before.option is not question.options[-1]:
        return False
    spoken = " ".join(line.text for line in question.stem)
    if _POINTS_AT.search(spoken) and not question.figures:
        return False
    below = any(
        (line.source, line.page) == (figure.source, figure.page) and 0 <= line.box.y0 - figure.box.y1 < 60
        for line in after.lines
    )
    return below and bool(_POINTS_AT.search(after.text))


def _named(figure: Figure, place: int, places: _Places) -> Slot | None:
    """The nearest text that names the figure by its number; of equals the one that comes before it."""
    label = _label(figure)
    if label is None:
        return None
    best: tuple[int, Slot] | None = None
    for slot in places.slots:
        if isinstance(slot.owner, DraftPaper) or label.key not in slot.names:
            continue
        distance = min(abs(2 * (place - n) - 1) for n in slot.orders)
        if best is None or distance < best[0]:
            best = (distance, slot)
    return best[1] if best else None


def _label(figure: Figure) -> Label | None:
    for text in (figure.caption, figure.label):
        if text and (label := caption_label(text)):
            return label
    return None


def _beside(figure: Figure, places: _Places) -> Slot | None:
    """The text that shares most of the figure's height on its left or right within the column."""
    shares: dict[int, float] = {}
    for at, _, lines in places.near(figure):
        for line in lines:
            if not _same_column(line, figure.box):
                continue
            shared = min(line.box.y1, figure.box.y1) - max(line.box.y0, figure.box.y0)
            apart = line.box.x1 <= figure.box.x0 + 4 or line.box.x0 >= figure.box.x1 - 4
            if shared > 0 and apart:
                shares[at] = shares.get(at, 0.0) + shared
    return _most_beside(figure, shares, places)


def _most_beside(figure: Figure, shares: dict[int, float], places: _Places) -> Slot | None:
    if sum(shares.values()) < 0.25 * figure.box.height:
        return None
    by_owner: dict[int, float] = {}
    for at, share in shares.items():
        owner = id(places.slots[at].owner)
        by_owner[owner] = by_owner.get(owner, 0.0) + share
    # the first text of the owner that stands beside most of it; earlier owners win ties
    best = max(shares, key=lambda at: (by_owner[id(places.slots[at].owner)], -at))
    slot = places.slots[best]
    return slot if isinstance(slot.owner, DraftQuestion) else None


def _same_column(line: Line, box: Box) -> bool:
    return line.column_box.x0 - 8 <= box.cx <= line.column_box.x1 + 8


def _put(figure: Figure, slot: Slot) -> None:
    owner = slot.owner
    if isinstance(owner, DraftPaper):
        owner.reference_figures.append(figure)
    elif slot.option is not None and slot.label_box is not None and _is_option_picture(figure, slot):
        slot.option.figures.append(figure)
    else:
        owner.figures.append(figure)


def _is_option_picture(figure: Figure, slot: Slot) -> bool:
    return _option_distance(figure, slot) is not None
