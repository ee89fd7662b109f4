"""Headings, zones and mentions: what divides a paper besides its question numbers.

A heading opens a section (`第壹部分`, `Part II`, `一、選擇題`, a bold line of its own). A zone is a stretch
that cannot hold questions (instructions to candidates, a formula sheet). A mention speaks of a range of
questions (`Questions 5–7 refer to…`, `39-41題為題組`, `[16~17]`): it opens a group or directs a section.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from . import vocabulary
from .labels import Form, Label
from .linetext import LineText
from .points import question_marks, section_marks

_LISTED = ("han", "han_formal", "stem", "roman_upper", "upper", "bracketed han")


@dataclass(frozen=True)
class Heading:
    """A line that opens a section. `strong`: labelled or worded as one; else only set apart by its type."""

    line: int
    key: str | None
    form: Form | None
    size: float
    bold: bool
    strong: bool
    label: Label | None = None


@dataclass(frozen=True)
class Mention:
    """A line that names questions `first`..`last`."""

    line: int
    first: int
    last: int


def body_size(texts: Sequence[LineText]) -> float:
    """The type size of most characters, points."""
    weights: dict[float, int] = {}
    for text in texts:
        size = round(text.size * 2) / 2
        weights[size] = weights.get(size, 0) + len(text.text)
    return max(weights, key=lambda size: (weights[size], size)) if weights else 10.0


def usual_leading(texts: Sequence[LineText]) -> float:
    """The middle gap between a line and the next in its column, in parts of the type size."""
    gaps: list[float] = []
    for before, after in pairwise(texts):
        above, below = before.line, after.line
        if (above.page, above.column) == (below.page, below.column) and below.box.y0 > above.box.y0:
            gaps.append(max(below.box.y0 - above.box.y1, 0.0) / max(after.size, 6.0))
    return sorted(gaps)[len(gaps) // 2] if gaps else 0.3


def find_headings(texts: Sequence[LineText], labels: Sequence[Label], body: float) -> list[Heading]:
    """All lines that may open a section, in reading order."""
    first: dict[int, list[Label]] = {}
    for label in labels:
        if label.place == "line":
            first.setdefault(label.line, []).append(label)
    found: list[Heading] = []
    for number, text in enumerate(texts):
        heading = None
        for label in first.get(number, []):
            heading = heading or _labelled(text, number, label, body)
        heading = heading or _unlabelled(text, number, body)
        if heading:
            found.append(heading)
    return found


def _labelled(text: LineText, number: int, label: Label, body: float) -> Heading | None:
    if label.role not in ("section", "plain"):
        return None
    chars = text.text.strip()
    rest = text.text[label.end :].strip()
    stands_out = _all_bold(text) or label.size > 1.08 * body
    key = _key(label)
    if label.role == "section":
        if rest[:1].islower() and rest.split()[0] not in ("of", "–", "-"):
            return None
        if len(chars) > 60 and chars.isascii() and not stands_out:
            return None
        if len(chars) > 100 or (chars.endswith((".", "。", ",")) and len(chars) > 50 and not stands_out):
            return None
        return Heading(number, key, label.form, label.size, label.bold, True, label)
    if label.role != "plain" or label.system not in _LISTED or not label.form[3] or label.form[1]:
        return None
    if label.system == "upper" and not stands_out:
        return None
    worded = vocabulary.heads_section(rest[:24]) or rest[:14].rstrip(" ：:").endswith(("題", "题"))
    marked = any(mark.scope != "own" for mark in section_marks(rest[:60]))
    if worded or marked:
        return Heading(number, key, label.form, label.size, label.bold, True, label)
    if stands_out and len(chars) <= 70 and not chars.endswith(("?", "？")):
        return Heading(number, key, label.form, label.size, label.bold, False, label)
    return None


def _key(label: Label) -> str:
    """`Part II` → `II`, `第壹部分` → `壹`, `甲、` → `甲`."""
    text = label.printed
    for mark in "第部分份題大问問()（）[]【】.．、,:： \t":
        text = text.replace(mark, " ")
    words = [word for word in text.split() if vocabulary.plain(word) not in vocabulary.SECTION_WORDS]
    return words[-1] if words else label.printed


def _unlabelled(text: LineText, number: int, body: float) -> Heading | None:
    chars = text.text.strip()
    if not 2 <= len(chars) <= 60 or chars[-1] in ".。?？,，;；:：":
        return None
    large = text.size > 1.15 * body
    bold = text.line.words[0].bold and _all_bold(text)
    if not (large or bold) or not any(c.isalpha() for c in chars):
        return None
    if vocabulary.is_notice(chars) or not _balanced(chars) or chars[0] in "[(（〔":
        return None
    strong = len(chars) <= 40 and vocabulary.heads_section(chars) and not any(c in chars for c in "，,。：:；")
    return Heading(number, None, None, text.size, bold, strong)


def _balanced(chars: str) -> bool:
    """Whether every bracket that closes was opened: else the line goes on from another."""
    return all(chars.count(close) <= chars.count(opened) for opened, close in ("()", "（）", "[]", "「」"))


def _all_bold(text: LineText) -> bool:
    return all(word.bold for word in text.line.words if any(c.isalnum() for c in word.text))


def barred_lines(texts: Sequence[LineText], labels: Sequence[Label], headings: Sequence[Heading]) -> frozenset[int]:
    """Lines inside instructions to candidates and reference sheets: their numbers are no questions.

    A zone begins at its heading and ends at the next labelled section heading, with its page, or where
    numbers start again at one (the first question behind a numbered list of instructions).
    """
    strong = {heading.line for heading in headings if heading.strong and heading.label is not None}
    firsts: dict[int, Label] = {}
    for label in labels:
        if label.place == "line" and label.role in ("plain", "question") and not label.path:
            firsts.setdefault(label.line, label)
    barred: set[int] = set()
    for number, text in enumerate(texts):
        chars = text.text.strip()
        if len(chars) > 70 or number in barred or not vocabulary.may_head(chars):
            continue
        reference = vocabulary.heads_reference(chars)
        if number in barred or not (reference or vocabulary.heads_instructions(chars)):
            continue
        barred.update(_zone(texts, number, strong, firsts, reference))
    return frozenset(barred)


def open_zones(texts: Sequence[LineText], labels: Sequence[Label], barred: frozenset[int]) -> frozenset[int]:
    """Zones cut short where questions may begin on the same page: at the last number one at a line's start.

    For papers whose instructions and questions share a page and that show no question elsewhere.
    """
    kept = set(barred)
    ones = [
        x
        for x in labels
        if x.line in barred
        and x.value == 1
        and x.place == "line"
        and x.system == "digit"
        and x.role in ("plain", "question")
    ]
    for label in ones:
        seconds = [x for x in labels if x.line > label.line and x.form == label.form and x.value == 2]
        if seconds and not any(other.line > label.line and _alike(other, label) for other in ones):
            start, page = label.line, texts[label.line].line.page
            kept -= {line for line in barred if line >= start and texts[line].line.page == page}
            break
    return frozenset(kept)


def _zone(
    texts: Sequence[LineText], head: int, strong: set[int], firsts: dict[int, Label], reference: bool
) -> list[int]:
    page, listed = texts[head].line.page, {}
    zone = [head]
    for number in range(head + 1, len(texts)):
        if texts[number].line.page != page or number in strong:
            break
        label = firsts.get(number)
        if label is not None and label.value == 1 and label.system == "digit" and not reference:
            if label.role == "question" or any(_alike(label, old) for old in listed.get(2, [])):
                break
            if listed and label.bold and not label.form[1] and not label.form[3]:
                break
        if label is not None:
            listed.setdefault(label.value, []).append(label)
        zone.append(number)
    return zone


def _alike(one: Label, other: Label) -> bool:
    """Whether two labels are of one form, at one indent, in one weight."""
    return one.form == other.form and abs(one.x0 - other.x0) < 8 and one.bold == other.bold


def stimulus_lines(texts: Sequence[LineText], labels: Sequence[Label], run: Sequence[Label]) -> frozenset[int]:
    """Lines that head the stimulus of the questions behind them (`Document 3`): behind a question that is complete,
    with no part of it between them and the next number."""
    heads = [x for x in labels if x.role == "figure" and x.place == "line" and _heads_stimulus(texts[x.line], x)]
    if not heads:
        return frozenset()
    numbers = sorted(label.line for label in run)
    inner = sorted(x.line for x in labels if x.place == "line" and x.role == "plain" and x.form[3] and x.value <= 2)
    found: set[int] = set()
    for head in heads:
        place = bisect_left(numbers, head.line)  # the next question's place in the run
        before = numbers[place - 1] if place else None
        after = numbers[place] if place < len(numbers) else None
        if before is None or after is None or before == head.line:
            continue
        parts = bisect_left(inner, after) - bisect_left(inner, head.line)
        if not parts and _complete(texts, before, head.line):
            found.add(head.line)
    return frozenset(found)


def _heads_stimulus(text: LineText, label: Label) -> bool:
    word = label.form[0].split()[-1] if label.form[0] else ""
    return (
        word in vocabulary.STIMULUS_WORDS and len(text.text) <= 40 and (label.bold or len(text.text) <= label.end + 3)
    )


def _complete(texts: Sequence[LineText], low: int, high: int) -> bool:
    """Whether the question between two lines has been asked: a question mark, a mark, or room for the answer."""
    words = " ".join(text.text for text in texts[low:high])
    return any(mark in words for mark in ("?", "？", "__")) or bool(question_marks(words))


_RANGE = re.compile(
    r"(?<![A-Za-z\d.,/=+×^])(\d{1,3})\s*(?:題|题|번|問|问|小题|小題)?\s*(?:[-–—~～〜∼至到、與和及&,]|to|"
    r"through|and|or|bis|und|à|et|a|y|al|e|đến|до|и|until)\s*"
    r"(?:第|問|问|questions?\s)?\s*(\d{1,3})(?![\d.,/]\d|\d|\s*(?:分|点|점|points?|marks?|words|"
    r"minutes|字|年|歲|℃|%))",
    re.IGNORECASE,
)
_REFERS = re.compile(
    r"題組|题组|\brefer|\bbase[ds]?\b|\bpassage|\bfollowing\b|\bbelow\b|\bread\b|閱讀|阅读|下文|次の|下の|다음|물음|"
    r"texto|\btext\b|suivant|folgend|siguiente|đoạn|текст|根據|根据|依據|依下|回答",
    re.IGNORECASE,
)
_DIRECTS = re.compile(
    r"每[小]?[題题]|[單单多]選題|[單单多]选题|\beach\b|\bmarks?\b|\bpoints?\b|\bchoose\b|\bselect\b|"
    r"\banswer sheet\b|\brecord\b|說明|说明",
    re.IGNORECASE,
)


def find_mentions(texts: Sequence[LineText], questions: Sequence[Label]) -> list[Mention]:
    """Lines that name a range of questions whose first is the very next question of the run."""
    found: list[Mention] = []
    upcoming = 0
    for number, text in enumerate(texts):
        while upcoming < len(questions) and questions[upcoming].line < number:
            upcoming += 1
        if upcoming >= len(questions):
            break
        following = questions[upcoming]
        if (following.line == number and following.start == 0) or str(following.value) not in text.text:
            continue
        for match in _RANGE.finditer(text.text[:200]):
            first, last = int(match.group(1)), int(match.group(2))
            named = match.start() <= 3 or _NAMES_QUESTIONS.search(
                text.text[max(match.start() - 16, 0) : match.end() + 10]
            )
            if first == following.value and first < last <= first + 100 and named:
                found.append(Mention(number, first, last))
                break
        else:
            single = _SINGLE.search(text.text[:120])
            if single and int(single.group(1)) == following.value:
                found.append(Mention(number, following.value, following.value))
    return found


_NAMES_QUESTIONS = re.compile(
    r"\b(questions?|items?|nos?|numbers?|problems?|aufgaben?|fragen?|exercices?|preguntas?|"
    r"quest(ões|ão)|domande|câu|directions|вопрос\w*|задани\w*)\b|[第題题問问번문]",
    re.IGNORECASE,
)
_SINGLE = re.compile(r"\bquestions?\s+(\d{1,3})\b(?!\s*[-–—])", re.IGNORECASE)


def refers(text: str) -> bool:
    """Whether a mention's wording announces a shared stimulus."""
    return bool(_REFERS.search(text))


def directs(text: str) -> bool:
    """Whether a mention's wording only says how to answer and what it is worth."""
    return bool(_DIRECTS.search(text))
