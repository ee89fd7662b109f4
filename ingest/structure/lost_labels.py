"""Questions of a scan whose number did not read: circled, ticked or smeared over.

Where numbers are left out and exactly as many lists of options stand between their neighbours as questions should,
each list ends a question, and the unread label is put back where that question begins.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from .labels import Form, Label
from .linetext import LineText
from .runs import position

LEAST_LISTS, USUAL = 3, 0.5
"""How many successive numbers, and which share of them, have one such list between them where options are usual."""
MOST_LOST = 4
_CLOSE = 8
"""Lines between two lists of options that hold no passage."""
_NEAR = 9.0
"""Points by which the left edges of two lines of a crooked scan may differ."""


def restore_lost(texts: Sequence[LineText], labels: Sequence[Label], run: Sequence[Label]) -> list[Label]:
    """The run with the labels of questions that are told by their options alone. Only lines that OCR has read."""
    form = _options_form(labels, run)
    if form is None:
        return list(run)
    restored: list[Label] = list(run[:1])
    for before, after in pairwise(run):
        lost = after.value - (before.upto or before.value) - 1
        if 1 <= lost <= MOST_LOST and before.system == after.system and _is_read(texts, before):
            restored += _between(texts, _lists(labels, form, before, after), before, lost)
        restored.append(after)
    return restored


def _is_read(texts: Sequence[LineText], label: Label) -> bool:
    return texts[label.line].line.words[0].origin == "ocr"


def _options_form(labels: Sequence[Label], run: Sequence[Label]) -> Form | None:
    """The form of the lists that most often stand alone between two successive numbers."""
    votes: Counter[Form] = Counter()
    successive = [(a, b) for a, b in pairwise(run) if b.value == (a.upto or a.value) + 1]
    for before, after in successive:
        inside = [label for label in labels if position(before) < position(label) < position(after)]
        for form in {label.form for label in inside if label.form != before.form}:
            (first, *others) = _grouped([label for label in inside if label.form == form])
            votes[form] += not others and len(first) >= 3
    form, count = votes.most_common(1)[0] if votes else (None, 0)
    return form if count >= max(LEAST_LISTS, USUAL * len(successive)) else None


def _lists(labels: Sequence[Label], form: Form, before: Label, after: Label) -> list[list[Label]]:
    inside = [label for label in labels if label.form == form and position(before) < position(label) < position(after)]
    return [group for group in _grouped(inside) if len(group) >= 2]


def _grouped(labels: Sequence[Label]) -> list[list[Label]]:
    """Labels in order, parted where they begin anew: an option or two of a list may not have read."""
    groups: list[list[Label]] = []
    for label in labels:
        if groups and label.value > groups[-1][-1].value:
            groups[-1].append(label)
        else:
            groups.append([label])
    return groups


def _between(texts: Sequence[LineText], lists: list[list[Label]], before: Label, lost: int) -> list[Label]:
    if len(lists) != lost + 1:
        return []
    found: list[Label] = []
    for number, (earlier, later) in enumerate(pairwise(lists), 1):
        line = _first_line(texts, earlier[-1], later[0], before)
        if line is None:
            return []
        word = texts[line].line.words[0]
        smeared = len(word.text) <= 4 and not word.text.isalpha() and len(texts[line].line.words) > 1
        value = before.value + number
        found.append(
            replace(
                before,
                line=line,
                start=0,
                end=len(word.text) if smeared else 0,
                value=value,
                upto=0,
                printed=before.printed.replace(str(before.value), str(value)),
                place="line",
            )
        )
    return found


def _first_line(texts: Sequence[LineText], last: Label, first: Label, before: Label) -> int | None:
    """The line where the question begins that `first` is the first option of: behind the option `last`, up from the
    options as long as lines stand where this paper's questions are set (a passage is set wider)."""
    edge = before.text_x - _NEAR
    begin: int | None = None
    for number in range(first.line - 1, last.line, -1):
        indent = texts[number].line.indent
        if abs(indent - before.x0) <= _NEAR:
            return number  # at the edge of the numbers: what is left of one may stand there
        if indent < edge:
            break
        begin = number
    close = first.line - last.line <= _CLOSE
    if begin is None or begin == last.line + 1:
        return _behind_option(texts, last.line + 1, first.line, before) if close or begin else None
    return begin


def _behind_option(texts: Sequence[LineText], begin: int, end: int, before: Label) -> int | None:
    """Lines right behind an option are its own as long as they are set further in than questions are."""
    for number in range(begin, end):
        if texts[number].line.indent <= before.text_x + _NEAR:
            return number
    return None
