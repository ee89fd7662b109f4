"""What a run inside a question is: its options, its parts, or a list that its stem speaks of.

Each run is weighed by what can be seen of it (labels side by side, marks at its items, items that ask,
white space to write in, what follows it), and runs of one form in the whole paper vote together: a
paper labels its options in one way.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from .labels import Form
from .linetext import LineText
from .points import question_marks
from .runs import Position, Run, Usual
from .wording import wants_essay

RunRole = Literal["options", "parts", "list"]

_ASKS_FOR_CHOICE = re.compile(
    r"[?？]\s*[\])）]?$|[:：]$|[=＝]$|則$|则$|[為为是]$|下列|以下|何者|哪[一些個个項项]|\bwhich\b|\bfollowing\b|"
    r"\bchoose\b|\bselect\b|_{3,}|"
    r"어느|옳은|고르|것은|どれ|選べ|正しい|qual\b|quais\b|cuál|welche|lequel|laquelle|какой|какая|nào|[（(]\s*[)）]",
    re.IGNORECASE,
)
_ASKS_TO_WRITE = re.compile(
    r"\b\w{3,}ez\b|\b\w{3,}en Sie\b|"
    r"[?？]|^\s*(求|試|试|證|证|請|请|說明|说明|計算|计算|寫|写|繪|画|畫|描述|列出|指出|解釋|"
    r"解释|比較|比较|設|设|若)|(求めよ|示せ|説明せよ|述べよ|"
    r"答えよ|書け|描け|구하시오|서술|쓰시오|하시오)|"
    r"^\W*(find|show|calculate|explain|state|describe|determine|prove|write|draw|sketch|give|list|"
    r"name|compute|evaluate|solve|discuss|identify|suggest|use|complete|hence|define|what|why|how|"
    r"when|implement|fill|derive|outline|deduce|verify|estimate|simplify|factorise|expand|compare|"
    r"sketch|plot|construct|analyse|justify|"
    r"berechne\w*|bestimme\w*|zeige\w*|erläuter\w*|erklär\w*|begründe\w*|skizzier\w*|beweise\w*|"
    r"gib|geben|nenne\w*|ermittle\w*|untersuche\w*|weise|wie|welche\w*|"
    r"calculer|déterminer|montrer|justifier|donner|expliquer|démontrer|résoudre|écrire|en déduire|étudier|quel\w*|"
    r"calcule|determine|demuestre|justifique|explique|halla|calcula|resuelve|clasifique|señale|"
    r"indique|comente|defina|describa|analice|compare|enuncie|razone|obtenga|calcolare?|"
    r"determinare?|dimostra\w*|spiega\w*|enuncia|indica|descreva|analise|mostre|escreva|найдите|"
    r"докажите|решите|tính|chứng minh|tìm|viết|giải)\b",
    re.IGNORECASE,
)
_OPTION_SYSTEMS = {
    "upper": 1.0,
    "circled digit": 1.0,
    "circled upper": 1.2,
    "katakana": 0.6,
    "cyrillic_upper": 0.8,
    "arabic": 0.6,
    "abjad": 0.6,
    "private": 0.2,
    "lower": 0.3,
    "filled digit": 0.8,
    "circled katakana": 0.6,
    "syllable": -0.3,
    "jamo": -1.0,
    "circled jamo": -1.0,
    "stem": -1.0,
    "roman_lower": -1.2,
    "roman_upper": -1.0,
    "digit": 0.0,
    "circled lower": 0.8,
    "filled upper": 1.2,
}

_LISTED_SYSTEMS = {
    "syllable": -1.2,
    "jamo": -2.0,
    "circled jamo": -2.0,
    "stem": -1.2,
    "roman_upper": -0.5,
    "circled syllable": -1.0,
}
"""Systems that mostly number statements or conditions of the stem, not parts of the question."""


@dataclass
class Segment:
    """A question's stretch of text: its runs, whether its section is one of choice (True), of writing
    (False) or unknown, and where it ends."""

    low: Position
    high: Position
    runs: list[Run] = field(default_factory=list)
    choice: bool | None = None


@dataclass
class Evidence:
    """How much speaks for options and for parts; above 0 is for, below against."""

    options: float
    parts: float
    length: int


_OPTIONS = 0.6
"""Evidence from which a run counts as options."""


def is_options(found: Evidence) -> bool:
    """Whether a run's evidence makes it options."""
    return found.options > _OPTIONS and found.options > found.parts


def usual_options(segments: Sequence[Segment], evidence: dict[int, Evidence]) -> Usual | None:
    """What options look like in this paper, where at least five questions and half of all agree on it."""
    seen: Counter[Usual] = Counter()
    for segment in segments:
        for run in segment.runs:
            if is_options(evidence[id(run)]):
                seen[Usual(run.form, run.labels[0].font, len(run.labels))] += 1
    if not seen:
        return None
    usual, times = max(seen.items(), key=lambda item: (item[1], item[0].length))
    return usual if times >= 5 and times >= 0.5 * len(segments) else None


def text_between(texts: Sequence[LineText], low: Position, high: Position, limit: int = 400) -> str:
    """The characters between two positions, lines joined by spaces, at most about `limit` of them."""
    parts: list[str] = []
    total = 0
    for line in range(low[0], min(high[0] + 1, len(texts))):
        chars = texts[line].text
        start = low[1] if line == low[0] else 0
        stop = high[1] if line == high[0] else len(chars)
        parts.append(chars[start:stop])
        total += stop - start
        if total > limit:
            break
    return " ".join(parts).replace("\t", " ").strip()


def item_spans(run: Run, high: Position) -> list[tuple[Position, Position]]:
    """Where each label's text lies, in print order."""
    ordered = sorted(run.labels, key=lambda label: (label.line, label.start))
    ends = [(label.line, label.start) for label in ordered[1:]] + [high]
    return [((label.line, label.end), end) for label, end in zip(ordered, ends, strict=True)]


def weigh(texts: Sequence[LineText], segment: Segment, run: Run) -> Evidence:
    """What a single run shows by itself."""
    nested = {other.form for other in segment.runs if run.start < other.start < run.last}
    nested |= {x.form for x in segment.runs if x.start[0] == run.last[0] and x.labels[0].place == "chained"}
    following = [x for x in segment.runs if x is not run and x.start > run.last and x.form not in nested]
    high = min([other.start for other in following] + [segment.high])
    spans = item_spans(run, high)
    items = [text_between(texts, low, end) for low, end in spans]
    length = len(run.labels)
    stem = text_between(texts, segment.low, run.start, 4000)[-160:]
    options = _OPTION_SYSTEMS.get(run.form[2], 1.0 if run.form[2].startswith("picture") else -0.3)
    parts = _LISTED_SYSTEMS.get(run.form[2], 0.0)
    if run.form[2].startswith("path"):
        options, parts = options - 3.0, parts + 1.5
    if run.form[0]:
        options, parts = options - 2.0, parts + 1.5
    elif not run.form[1] and not run.form[3] and run.form[2] == "digit":
        options, parts = options - 3.0, parts - 1.0
    options += 2.0 if run.shares_lines else 0.0
    options += {2: -0.8, 3: 0.3, 4: 1.0, 5: 1.0}.get(length, 0.0)
    options += 1.0 if _ASKS_FOR_CHOICE.search(stem) or not stem else 0.0
    if segment.choice is not None:
        options += 1.5 if segment.choice else -2.0
        parts += -1.0 if segment.choice else 1.0
    optional = _OPTION_SYSTEMS.get(run.form[2], 0.0) >= 0.8
    if 0 < len(stem) < 60 and not optional and not _ASKS_FOR_CHOICE.search(stem):
        parts += 0.8  # a heading, then the run
    marked = sum(bool(question_marks(item)) for item in items)
    asking = sum(bool(_ASKS_TO_WRITE.search(item)) for item in items)
    if marked:
        options, parts = options - 3.0, parts + (2.5 if marked >= 0.5 * length else 0.5)
    if asking >= (length if optional or run.form[2] in _LISTED_SYSTEMS else 0.5 * length):
        options, parts = options - 1.2, parts + 1.5
    blank = sum(not item.strip(" _.…\t") for item in items)
    if blank >= 0.5 * length and not run.form[2].startswith("picture"):
        parts -= 2.0
    if sum("___" in item and sum(c.isalnum() for c in item) <= 8 for item in items) >= 0.5 * length:
        options -= 5.0  # lines to write on
    if sum(map(len, items)) / length > 220:
        options -= 1.0
    if _white_space(texts, run):
        options, parts = options - 0.8, parts + 1.0
    if wants_essay(stem) and marked < 0.5 * length:
        parts -= 3.0
    if _goes_on(texts, run, segment.high):
        options, parts = options - 1.2, parts - 1.0
    if any(other.form == run.form and other.start > run.last for other in segment.runs):
        options -= 0.5
    return Evidence(options, parts, length)


def _goes_on(texts: Sequence[LineText], run: Run, high: Position) -> bool:
    """Whether the text around the run goes on behind it, line by line, left of its labels: then it was a list."""
    last = max(run.labels, key=lambda label: (label.line, label.start))
    if last.line + 2 >= min(high[0], len(texts)):
        return False
    before, outside = texts[last.line].line, 0
    for number in range(last.line + 1, min(last.line + 5, high[0])):
        line = texts[number].line
        if (line.page, line.column) != (before.page, before.column) or line.box.y0 - before.box.y1 > 0.6 * max(
            line.size, 6.0
        ):
            break
        outside += line.box.x0 - line.column_box.x0 <= last.x0 + 1 and line.box.width > 0.5 * line.column_box.width
        before = line
    return outside >= 2


def _white_space(texts: Sequence[LineText], run: Run) -> bool:
    """Whether room to write was left between the items: gaps of more than three lines on most of them."""
    ordered = sorted(run.labels, key=lambda label: (label.line, label.start))
    wide = 0
    for before, after in pairwise(ordered):
        if after.line == before.line:
            continue
        above, below = texts[after.line - 1].line, texts[after.line].line
        if above.page != below.page or below.box.y0 - above.box.y1 > 3 * max(below.size, 6):
            wide += 1
    return wide >= 0.5 * (len(ordered) - 1) > 0


def vote(texts: Sequence[LineText], segments: Sequence[Segment]) -> dict[int, Evidence]:
    """Evidence for every run of the paper (by id): a part its own, the rest that of its form."""
    own: dict[int, Evidence] = {}
    forms: dict[Form, list[Evidence]] = {}
    for segment in segments:
        for run in segment.runs:
            evidence = weigh(texts, segment, run)
            own[id(run)] = evidence
            forms.setdefault(run.form, []).append(evidence)
    means: dict[Form, tuple[float, float, int]] = {}
    for form, found in forms.items():
        usual, times = Counter(evidence.length for evidence in found).most_common(1)[0]
        bonus = 0.0 if usual < 3 or times < 4 else 0.7 if times < 10 else 1.2
        means[form] = (
            sum(evidence.options for evidence in found) / len(found) + bonus,
            sum(evidence.parts for evidence in found) / len(found),
            usual,
        )
    result: dict[int, Evidence] = {}
    for segment in segments:
        for run in segment.runs:
            mine, (options, parts, _) = own[id(run)], means[run.form]
            own_share = 0.5 if len(forms[run.form]) < 3 else 0.4
            result[id(run)] = Evidence(
                own_share * mine.options + (1 - own_share) * options,
                own_share * mine.parts + (1 - own_share) * parts,
                mine.length,
            )
    return result
