"""Answers printed in the paper itself: where a question's own words end and its answer begins.

`【答案】B`, `Answer: (c)`, `解：…`, a question pool's `T1A01 (C)`, an option set apart in bold or colour.
What is only a place to write (`Answer: ______`) is none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from ..draft import DraftPaper, DraftQuestion
from ..lines import Line
from ..page import Word
from ..text import split_word
from .key_cells import narrow

_ANSWER = (
    r"標準答案|标准答案|參考答案|参考答案|正確答案|正确答案|答案|正解|정답|답안|"
    r"correctanswers?|rightanswer|officialanswer|modelanswer|answers?|ans\.?|key|antwort|lösung|réponse|reponse|"
    r"bonneréponse|respuestacorrecta|respuesta|resposta|gabarito|rispostacorretta|risposta|đápán|ответ|facit|svar"
)
_WORKING = (
    r"解析|詳解|详解|分析|解答|參考解答|点拨|點撥|考点|考點|풀이|해설|解説|略解|証明|"
    r"workedsolution|solution|soln?\.|explanation|rationale|lösungsweg|erklärung|corrigé|solución|resolución|solução|resolução|"
    r"soluzione|lờigiải|решение|lösningsförslag|løsning|uitwerking"
)
_BRACKETED = re.compile(rf"[【〔［\[](?:{_ANSWER}|{_WORKING}|解)(?:[^】〕］\]]{{0,6}})[】〕］\]][:：]?", re.IGNORECASE)
_COLON = re.compile(rf"(?:{_ANSWER}|{_WORKING}|(?<![註注見理瞭了分])[解答])[:：]", re.IGNORECASE)
_BARE_WORKING = re.compile(rf"^(?:{_WORKING})[:：.]?$", re.IGNORECASE)
_INLINE = re.compile(
    r"(?i:答案|正解|정답|ans\.?|answer|gabarito|respuesta|réponse)[:：=]?[(\[（]?[A-H①-⑩甲乙丙丁][)\]）]?[.。]?$"
)
_POOL = re.compile(r"^[(（]([A-H①-⑤])[)）](?:[\[［][^\]］]*[\]］])*$")
_PLACE = re.compile(r"_{2,}|\.{4,}|…{2,}|⋯{2,}|□{2,}|＿+|﹍+")
_WORKING_AT = re.compile(
    rf"[【〔［\[](?:{_WORKING})[^】〕］\]]{{0,6}}[】〕］\]]|^(?:{_WORKING})[:：]", re.IGNORECASE | re.MULTILINE
)


MARKER = re.compile(rf"^\s*(?:{_BRACKETED.pattern}|{_COLON.pattern})\s*", re.IGNORECASE)
"""What introduces a printed answer, at the beginning of a line."""


@dataclass(frozen=True)
class AnswerSplit:
    """`stem`: the question's own lines. `answer`: the lines that give it away, marker included. `printed`: its text."""

    stem: list[Line] = field(default_factory=list)
    answer: list[Line] = field(default_factory=list)
    printed: str | None = None


def split_answer(lines: Sequence[Line]) -> AnswerSplit:
    """Part the lines of one question (its label already cut off) from the answer printed with them.

    The answer runs from its marker to the end of `lines`. Without one, `answer` is empty, `printed` None.
    """
    if lines and (match := _POOL.match(compact(lines[0].words))):
        return AnswerSplit(list(lines[1:]), [lines[0]], match[1])
    for n, line in enumerate(lines):
        found = _marker(line, lines[n + 1 :])
        if found is None:
            continue
        start, end = found
        before, rest = cut_line(line, start)
        _, answer = cut_line(line, end)
        stem = [*lines[:n], *([before] if before else [])]
        told = [*([answer] if answer else []), *lines[n + 1 :]]
        return AnswerSplit(stem, [*([rest] if rest else []), *lines[n + 1 :]], _printed(told))
    return AnswerSplit(list(lines))


def compact(words: Sequence[Word]) -> str:
    """The words' text without white space and with half-width Latin signs: offsets here are cut positions."""
    return "".join(_plain(w.text) for w in words)


def _plain(text: str) -> str:
    return "".join(ch for ch in narrow(text) if not ch.isspace())


def _marker(line: Line, after: Sequence[Line]) -> tuple[int, int] | None:
    """Start and end of an answer marker in the line's compact text; None where there is none."""
    text = compact(line.words)
    if match := _BRACKETED.search(text):
        rest = text[match.end() :] + "".join(compact(a.words) for a in after)
        return (match.start(), match.end()) if rest and not _PLACE.match(rest) else None
    match = _COLON.match(text) or re.search(r"(?<=[.。?？)）\]])(?:標準|参考|參考|正確|正确)?答案[:：]", text)
    if match:
        rest = text[match.end() :]
        working = bool(re.match(_WORKING, match[0], re.IGNORECASE))
        if _PLACE.search(rest) or not (rest or (working and _tells(after))):
            return None
        return match.start(), match.end()
    if _BARE_WORKING.match(text) and _tells(after):
        return 0, len(text)
    if match := _INLINE.search(text):
        label = re.search(r"[(\[（]?[A-H①-⑩甲乙丙丁][)\]）]?[.。]?$", match[0])
        assert label is not None
        boundary = match.start() == 0 or not text[match.start() - 1].isalnum() or match[0][0] in "答正정"
        return (match.start(), match.start() + label.start()) if boundary else None
    return None


def _tells(lines: Sequence[Line]) -> bool:
    text = "".join(compact(line.words) for line in lines)
    return len(text) >= 8 and not _PLACE.search(text)


def cut_line(line: Line, at: int) -> tuple[Line | None, Line | None]:
    """The line before and from its compact offset `at`; a word that straddles is cut and keeps its index."""
    before: list[Word] = []
    after: list[Word] = []
    seen = 0
    for word in line.words:
        length = len(_plain(word.text))
        if seen + length <= at:
            before.append(word)
        elif seen >= at:
            after.append(word)
        else:
            left, right = split_word(word, _raw_offset(word.text, at - seen))
            before.append(left)
            after.append(right)
        seen += length
    return _fragment(line, before), _fragment(line, after)


def _raw_offset(text: str, compact_offset: int) -> int:
    seen = 0
    for n, ch in enumerate(text):
        if seen == compact_offset:
            return n
        seen += not narrow(ch).isspace()
    return len(text)


def _fragment(line: Line, words: Sequence[Word]) -> Line | None:
    if not words:
        return None
    box = words[0].box
    for word in words[1:]:
        box = box.union(word.box)
    return replace(line, words=tuple(words), box=box)


def _printed(lines: Sequence[Line]) -> str | None:
    text = "\n".join(line.text for line in lines).strip()
    working = _WORKING_AT.search(text)
    if working and working.start() > 0:
        text = text[: working.start()].strip()
    return text.strip() or None


def answer_text(lines: Sequence[Line], render: Callable[[Line], str]) -> str:
    """The printed answer as text, formulas set by `render`, without its marker and the working after it."""
    text = "\n".join(render(line) for line in lines).strip()
    text = MARKER.sub("", text, count=1)
    working = _WORKING_AT.search(text)
    return (text[: working.start()] if working and working.start() > 0 else text).strip()


def marked_options(paper: DraftPaper) -> dict[int, str]:
    """Options set apart by bold, italics or colour as the right ones: `id(question)` to the option's label.

    Believed only where most of the paper's choice questions (and at least three) have exactly one such
    option, in one style: emphasis here and there is no key.
    """
    questions = [q for q in paper.questions() if len(q.options) >= 2]
    styled = {id(q): found for q in questions if (found := _standout(q)) is not None}
    if not styled:
        return {}
    style, count = Counter(style for style, _ in styled.values()).most_common(1)[0]
    if count < 3 or count * 10 < 6 * len(questions):
        return {}
    return {key: label for key, (found, label) in styled.items() if found == style}


def _standout(question: DraftQuestion) -> tuple[str, str] | None:
    """The one option whose words all differ in style from all words of the others: the style and the label."""
    styles: list[tuple[str, set[tuple[bool, int]]]] = []
    for option in question.options:
        words = [w for line in option.lines for w in line.words if any(ch.isalnum() for ch in w.text)]
        if not words:
            return None
        styles.append((option.label, {(w.bold, w.color) for w in words}))
    for index, name in ((0, "bold"), (1, "colour")):
        kinds = [{style[index] for style in found} for _, found in styles]
        if any(len(kind) != 1 for kind in kinds):
            continue
        values = [next(iter(kind)) for kind in kinds]
        counts = Counter(values)
        lone = [n for n, value in enumerate(values) if counts[value] == 1]
        if len(lone) == 1 and len(counts) == 2 and (name == "colour" or values[lone[0]]):
            return f"{name} {values[lone[0]]}", styles[lone[0]][0]
    return None
