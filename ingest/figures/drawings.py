"""Drawings on their way to figures: which words are their labels and captions, which of them are one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..page import Box
from .captions import Label, caption_label
from .ink import Cluster, near
from .phrases import Phrase, bounds


@dataclass(eq=False)
class Drawing:
    """A cluster on its way to a figure: its ink, its labels' phrases, its caption; `box` holds all of them."""

    ink: Cluster
    box: Box
    labels: list[Phrase] = field(default_factory=list)
    caption: Phrase | None = None
    label: Label | None = None

    def take(self, phrase: Phrase) -> None:
        self.labels.append(phrase)
        self.box = self.box.union(phrase.box)

    def absorb(self, other: Drawing) -> None:
        self.ink.absorb(other.ink)
        self.labels.extend(other.labels)
        self.box = self.box.union(other.box)


def take_labels(drawings: Sequence[Drawing], phrases: Sequence[Phrase]) -> None:
    """Give each drawing the short words in it and right beside it, then what continues these labels: words of the
    same font and size beside a label count as beside the drawing."""
    if not drawings:
        return
    around = bounds(drawing.box for drawing in drawings).grown(80)
    free = [p for p in phrases if not p.marker and near(around, p.box, 0) and caption_label(p.text) is None]
    for reach in (0.0, 1.1, 0.6, 0.6):
        rest: list[Phrase] = []
        taken: list[tuple[Drawing, Phrase]] = []
        for phrase in free:
            owner = _owner(drawings, phrase, reach)
            if owner is None:
                rest.append(phrase)
            else:
                taken.append((owner, phrase))
        for owner, phrase in taken:
            owner.take(phrase)
        free = rest


def _owner(drawings: Sequence[Drawing], phrase: Phrase, reach: float) -> Drawing | None:
    """The drawing that a phrase is a label of; `reach` in multiples of its font size, 0 for what lies in the ink."""
    best: tuple[float, Drawing] | None = None
    by = reach * phrase.size
    for drawing in drawings:
        box = drawing.ink.box if reach == 0 else drawing.box
        if not near(box, phrase.box, by):
            continue
        if reach and not near(drawing.ink.box, phrase.box, by) and not _continues_label(drawing, phrase):
            continue
        share = box.overlap(phrase.box) / max(phrase.box.area, 1.0)
        if share > 0.75 or (not phrase.running and (share > 0 or reach > 0)):
            distance = _distance(box, phrase.box)
            if best is None or distance < best[0]:
                best = (distance, drawing)
    return best[1] if best else None


def _continues_label(drawing: Drawing, phrase: Phrase) -> bool:
    font, size = phrase.words[0].font, phrase.size
    return any(label.words[0].font == font and abs(label.size - size) < 0.1 * size for label in drawing.labels)


def _distance(a: Box, b: Box) -> float:
    return max(a.x0 - b.x1, b.x0 - a.x1, 0.0) + max(a.y0 - b.y1, b.y0 - a.y1, 0.0)


def merge_overlapping(drawings: list[Drawing]) -> list[Drawing]:
    """Drawings that lie over each other, labels included, are one."""
    merged: list[Drawing] = []
    for drawing in drawings:
        current = drawing
        for other in list(merged):
            shared = other.box.overlap(current.box)
            if shared > 0.15 * min(other.box.area, current.box.area):
                merged.remove(other)
                other.absorb(current)
                current = other
        merged.append(current)
    return merged


def take_captions(drawings: list[Drawing], phrases: Sequence[Phrase]) -> None:
    """Give each numbered caption to the drawing right above it, else right below; parts over one caption join."""
    for phrase in phrases if drawings else ():
        label = caption_label(phrase.text)
        if label is None or label.kind != "figure":
            continue
        above = [d for d in drawings if d.caption is None and _over(d.box, phrase.box)]
        below = [d for d in drawings if d.caption is None and _over(phrase.box, d.box)]
        near_above = min(above, key=lambda d: phrase.box.y0 - d.box.y1, default=None)
        near_below = min(below, key=lambda d: d.box.y0 - phrase.box.y1, default=None)
        chosen = near_above or near_below
        if chosen is not None:
            chosen.caption, chosen.label = phrase, label
            chosen.box = chosen.box.union(phrase.box)


def _over(upper: Box, lower: Box) -> bool:
    """Whether `lower` stands within 36 points below `upper`, or at its foot, sharing its width."""
    gap = lower.y0 - upper.y1
    at_foot = upper.y1 >= lower.cy > upper.y0 + 0.6 * upper.height
    return (-8 <= gap <= 36 or at_foot) and upper.x0 < lower.cx < upper.x1
