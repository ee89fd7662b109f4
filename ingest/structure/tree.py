"""Growing a question from its stretch of text: stem, options, and parts to any depth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..draft import DraftQuestion
from ..lines import Line
from ..text import is_cjk
from .labels import Label
from .linetext import LineText
from .matching import collect_lists, find_lists
from .options import collect_options, option_name
from .run_roles import Evidence, is_options, item_spans
from .runs import Position, Run

_PARTS = 0.9
"""Evidence from which a run counts as parts."""


@dataclass
class Grown:
    """A question, the place where its stem ends, and where all its own text ends: what lies behind is not its own."""

    question: DraftQuestion
    stem_end: Position
    end: Position
    limit: Position = (0, 0)
    """How far the stretch that it was grown from went; what lies between `end` and here belongs elsewhere."""


@dataclass
class Stretch:
    """A question's text between two positions, with the answers printed in it left out (`holes`)."""

    low: Position
    high: Position
    runs: list[Run] = field(default_factory=list)
    leading: float = 0.6


def lines_between(texts: Sequence[LineText], low: Position, high: Position) -> list[Line]:
    """The printed lines, or parts of lines, between two positions."""
    found: list[Line] = []
    for number in range(low[0], min(high[0] + 1, len(texts))):
        start = low[1] if number == low[0] else 0
        stop = high[1] if number == high[0] else len(texts[number].text)
        if start < stop and (line := texts[number].cut(start, stop)) is not None:
            found.append(line)
    return found


def printed_label(label: Label) -> str | None:
    """The label as printed, without the word before its number and without brackets that are only an ornament
    (`QUESTÃO 91` → `91`, `【3】` → `3`); a number where the label is a picture."""
    text = label.printed.strip("【】〔〕「」『』")
    if label.form[0] and label.system == "digit" and not any(is_cjk(c) or c == "제" for c in label.form[0]):
        text = text[next(place for place, c in enumerate(text) if c.isdecimal()) :].rstrip(" :-–—")
    if text or not label.form[2].startswith("picture"):
        return text or None
    return f"({label.value})"


def label_key(label: Label) -> str:
    """What an answer key names a label by: `12`, `a`, `91`, `T1A01`."""
    if label.code:
        return label.printed.strip(" .:()")
    if label.path:
        return ".".join(map(str, label.path))
    if label.system == "digit" or label.form[2].startswith("picture"):
        return f"{label.value}-{label.upto}" if label.upto else str(label.value)
    return option_name(label) if not label.form[0] else _counter_of(label)


def _counter_of(label: Label) -> str:
    words = label.printed.strip(" .:：()（）").split()
    return words[-1] if words else label.printed


def grow(
    texts: Sequence[LineText], label: Label, stretch: Stretch, evidence: dict[int, Evidence], depth: int = 0
) -> Grown:
    """The question whose label ends where `stretch` begins."""
    question = DraftQuestion(
        label=printed_label(label), key=label_key(label), label_words=texts[label.line].keys(label.start, label.end)
    )
    lists = find_lists(texts, stretch.low, stretch.runs)
    if lists is not None:
        left, right, collected = collect_lists(texts, *lists, stretch.high, stretch.leading)
        start = min(run.start for run in lists)
        question.stem = lines_between(texts, stretch.low, start)
        question.matching = (left, right)
        return Grown(question, start, collected.end, stretch.high)
    options, parts = choose_roles(stretch, evidence) if depth < 6 else (None, None)
    if parts is not None:
        question.stem = lines_between(texts, stretch.low, parts.start)
        end = _grow_parts(texts, question, parts, stretch, evidence, depth)
        return Grown(question, parts.start, end, stretch.high)
    if options is not None:
        collected = collect_options(texts, options, stretch.high, stretch.leading)
        question.stem = lines_between(texts, stretch.low, options.start)
        question.options = collected.options
        return Grown(question, options.start, collected.end, stretch.high)
    question.stem = lines_between(texts, stretch.low, stretch.high)
    return Grown(question, stretch.high, stretch.high, stretch.high)


def _grow_parts(
    texts: Sequence[LineText],
    question: DraftQuestion,
    parts: Run,
    stretch: Stretch,
    evidence: dict[int, Evidence],
    depth: int,
) -> Position:
    end = stretch.high
    labels = sorted(parts.labels, key=lambda label: (label.line, label.start))
    for label, (low, high) in zip(labels, item_spans(parts, stretch.high), strict=True):
        inside = [run for run in stretch.runs if run is not parts and low <= run.start and run.last <= high]
        grown = grow(texts, label, Stretch(low, high, inside, stretch.leading), evidence, depth + 1)
        question.children.append(grown.question)
        if grown.end < high and label is not labels[-1]:
            grown.question.stem += lines_between(texts, grown.end, high)
        end = grown.end
    return end


def choose_roles(stretch: Stretch, evidence: dict[int, Evidence]) -> tuple[Run | None, Run | None]:
    """(the options, the parts) of a stretch: at most one of the two, and never a mere list."""
    options = [run for run in stretch.runs if is_options(evidence[id(run)])]
    options = [run for run in options if not any(other.start < run.start and _heads(other, run) for other in options)]
    for run in stretch.runs:
        if run in options:
            continue
        found = evidence[id(run)]
        held = [
            sum(any(low <= o.start and o.last <= high for o in options) for low, high in [span])
            for span in item_spans(run, stretch.high)
        ]
        behind = bool(held) and held[-1] and not any(held[:-1])
        if any(held) and not behind and sum(held) >= 2:
            return None, run
        if found.parts > (2.0 if behind else _PARTS) and found.parts > found.options:
            before = [o for o in options if o.start < run.start]
            if not before and not (behind and len(run.labels) >= 2 and found.parts <= 2.0):
                return None, run
    if options:
        best = max(evidence[id(run)].options for run in options)
        return max((run for run in options if evidence[id(run)].options > best - 1.5), key=lambda run: run.start), None
    return None, None


def _heads(outer: Run, inner: Run) -> bool:
    """Whether most labels of one run stand right behind labels of another (`① (a)  ② (b)`): then they are its texts."""
    ends = {(label.line, label.end) for label in outer.labels}
    behind = sum((label.line, label.start - gap) in ends for label in inner.labels for gap in (0, 1, 2))
    return behind >= 0.5 * len(inner.labels)
