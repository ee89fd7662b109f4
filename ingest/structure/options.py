"""Options: each label's text, in rows, columns or one line, and where the options end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..draft import DraftOption
from ..lines import Line
from .labels import Label
from .linetext import LineText
from .numbering import ALPHABETS
from .runs import Position, Run


@dataclass
class _Column:
    """An option that is still open: the page's x of its label and of its text."""

    x0: float
    text_x: float
    option: int


@dataclass
class Collected:
    """The options with their lines, and the place behind the last of their text."""

    options: list[DraftOption]
    end: Position


def option_name(label: Label) -> str:
    """The option's id as printed without punctuation; a letter where the label is only a picture."""
    if label.form[2].startswith("picture") or label.form[2] == "private":
        return ALPHABETS["upper"][(label.value - 1) % 26]
    text = label.printed.strip("()（）[]［］【】〔〕<>〈〉{}.．。、,:：﹒· \t-–—")
    return text or label.printed


def collect_options(texts: Sequence[LineText], run: Run, high: Position, leading: float = 0.6) -> Collected:
    """Gather every option's text from the run's first label up to `high`, or to where the text turns away.

    `leading` is the paper's usual gap between two lines of a paragraph, in parts of the type size.
    """
    return _Gathering(texts, run, high, leading).collect()


@dataclass
class _Gathering:
    texts: Sequence[LineText]
    run: Run
    high: Position
    leading: float
    columns: list[_Column] = field(default_factory=list)

    def collect(self) -> Collected:
        labels = sorted(self.run.labels, key=lambda label: (label.line, label.start))
        order = {id(label): place for place, label in enumerate(self.run.labels)}
        options = [
            DraftOption(option_name(label), label_words=self.texts[label.line].keys(label.start, label.end))
            for label in self.run.labels
        ]
        first, last = labels[0].line, labels[-1].line
        end: Position = (labels[-1].line, labels[-1].end)
        for number in range(first, min(self.high[0] + 1, len(self.texts))):
            start = labels[0].start if number == first else 0
            stop = self.high[1] if number == self.high[0] else len(self.texts[number].text)
            if start >= stop:
                continue
            here = [label for label in labels if label.line == number]
            if not here and number > last and not self._continues(number, options):
                break
            self._take_line(number, start, stop, here, order, options)
            end = (number, stop)
        return Collected(options, end)

    def _take_line(
        self, number: int, start: int, stop: int, here: list[Label], order: dict[int, int], options: list[DraftOption]
    ) -> None:
        text = self.texts[number]
        head = here[0].start if here else stop
        for begin, finish in _fragments(text.text, start, head):
            column = self._column_at(text.x_at(begin))
            _append(options, column.option if column else 0, text.cut(begin, finish))
        for place, label in enumerate(here):
            finish = here[place + 1].start if place + 1 < len(here) else stop
            left = text.line.column_box.x0
            if label is here[0]:
                self.columns = (
                    [c for c in self.columns if c.x0 < label.x0 + left - 6] if len(here) > 1 else self.columns
                )
            self.columns = [c for c in self.columns if abs(c.x0 - (label.x0 + left)) > 6]
            option = order[id(label)]
            self.columns.append(_Column(label.x0 + left, label.text_x + left, option))
            begin = label.end
            _append(options, option, text.cut(begin, finish) if begin < finish else None)

    def _column_at(self, x: float) -> _Column | None:
        """The open option whose label stands farthest right of those at or left of x; else the newest."""
        left = [column for column in self.columns if column.x0 <= x + 4]
        return max(left, key=lambda column: column.x0) if left else (self.columns[-1] if self.columns else None)

    def _continues(self, number: int, options: list[DraftOption]) -> bool:
        """Whether a line behind the last label still belongs to the options."""
        line = self.texts[number].line
        column = self._column_at(line.box.x0)
        lines = options[column.option].lines if column else []
        if column is None or not lines:
            return False
        before = lines[-1]
        height = max(line.size, 6.0)
        if (before.page, before.column, before.band) != (line.page, line.column, line.band):
            return _is_full(before) and not _ends(before) and _starts_at(line, before, column, shifted=True)
        if line.box.y0 < before.box.y1 - 0.4 * height:
            return True
        if line.box.y0 - before.box.y1 > max(0.9, 1.25 * self.leading) * height:
            return False
        return _is_full(before) and _starts_at(line, before, column, shifted=False)


def _starts_at(line: Line, before: Line, column: _Column, *, shifted: bool) -> bool:
    shift = line.column_box.x0 - before.column_box.x0 if shifted else 0.0
    x = line.box.x0 - shift
    return column.x0 - 3 < x < column.text_x + 12


def _is_full(line: Line) -> bool:
    """Whether a printed line runs to near the end of its column, so that a next line may continue it."""
    return line.box.x1 >= line.column_box.x1 - 0.2 * line.column_box.width


def _ends(line: Line) -> bool:
    return line.words[-1].text.rstrip()[-1:] in (".", "。", "．", "?", "？")


def _fragments(chars: str, start: int, stop: int) -> list[tuple[int, int]]:
    """The stretches of `chars[start:stop]` between wide gaps."""
    found: list[tuple[int, int]] = []
    begin = start
    while begin < stop:
        tab = chars.find("\t", begin, stop)
        finish = stop if tab < 0 else tab
        if chars[begin:finish].strip():
            found.append((begin, finish))
        begin = finish + 1
    return found


def _append(options: list[DraftOption], option: int, line: Line | None) -> None:
    if line is not None:
        options[option].lines.append(line)
