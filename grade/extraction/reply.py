"""A reply made ready for reading, and the places where it declares its answer."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from ..notation import fold_signs, spell_powers

MAX_REPLY = 200_000
"""Characters of a reply that are read: its end, where answers stand."""
MAX_DECLARED = 200
"""Declarations that are looked at, the last ones."""

Status = Literal["answered", "refused", "unparseable"]


@dataclass(frozen=True, slots=True)
class Extraction:
    """`value`: what was answered (an option id, a tuple of ids, a truth value, a Fraction), None where nothing
    was. `how`: the kind of evidence, or the reason why there is none."""

    status: Status
    value: Any
    how: str

    @classmethod
    def none(cls, how: str) -> Extraction:
        return cls("unparseable", None, how)


_OPEN_THINKING = re.compile(r"<(think|thinking|reasoning)>", re.IGNORECASE)
_BOXED = re.compile(r"\\(?:boxed|fbox)\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_TEXT = re.compile(r"\\(?:text|mathrm|textbf|mathbf|operatorname)\s*\{([^{}]*)\}")
_THINK_TAGS = ("think", "thinking", "reasoning")
_ANSWER_TAGS = ("answer", "final_answer", "ans")
_JSON = re.compile(
    r'"(?:final_?answer|answer|choice|option|selected|prediction)"\s*:\s*'
    r'("(?:[^"\\\\]|\\\\.)*"|\[[^\[\]{}]*\]|true\b|false\b|-?\d+(?:\.\d+)?)',
    re.IGNORECASE,
)
_MARKS = re.compile(r"\*{1,3}|_{2,3}|`+|^#{1,6}\s*|\$|(?<!\w)_|_(?!\w)", re.MULTILINE)

# words that announce an answer, in the languages that exams are sat in; what follows is read by the caller
_DECLARING = re.compile(
    r"""(?:
        \b(?:final\s+|correct\s+|right\s+|best\s+|my\s+|the\s+){0,4}(?:answers?|choice|option|response|(?<=correct\s)(?:options|choices)|(?<=right\s)(?:options|choices))
            (?:\s+(?:here|to\s+(?:the|this)\s+question))?\s*(?:would\s+be|should\s+be|must\s+be|will\s+be|is|was|are|[:=]|\s-\s)
      | \b(?:i|we|let)(?:['’](?:d|ll|s))?(?:\s+(?:would|will|shall|have\s+to))?
            \s+(?:choose|pick|select|answer|go\s+(?:with|for)|opt\s+for|vote\s+for)\b
      | (?:答案|正解|解答|正確答案|正确答案)\s*(?:應該|应该|應|应)?\s*(?:是|为|為|は|[:=])?
      | (?:我?(?:的)?(?:選擇|选择|選|选|應選|应选|故選|故选))\s*(?:的)?(?:是|为|為|[:=])?
      | (?:정답|답)\s*(?:은|는|[:=])
      | \b(?:la\s+)?(?:respuesta|risposta|réponse|resposta)
            (?:\s+(?:correcta|corretta|correcte|correta|final))?\s*(?:es|est|è|é|[:=])
      | \b(?:die\s+)?(?:richtige\s+)?(?:antwort|lösung)\s*(?:ist|lautet|[:=])
      | (?:правильный\s+)?ответ\s*(?:это|[-—:=])
    )\s*:?\s*""",
    re.VERBOSE | re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"(?:i(?:'m| am) (?:sorry|unable)"
    r"|\b(?:can(?:'t|not)|unable to|not able to) (?:answer|help|provide|determine|see|view|access|identify|tell)"
    r"|\bi (?:do not|don't) know"
    r"|無法(?:回答|確定|判斷)|无法(?:回答|确定|判断)|不知道|わかりません|모르겠)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Reply:
    """`text`: the reply without its thinking and its marks. `declared`: what follows each declaration, first to
    last, to the end of its line."""

    text: str
    declared: tuple[str, ...]
    refuses: bool


def _blocks(text: str, tags: tuple[str, ...]) -> Iterator[tuple[int, int, str]]:
    """(start, end, content) of each block `<tag>…</tag>`, the first closing tag after it being its end.

    Each tag's end is searched once where there is none: a lazy pattern takes quadratic time on a reply that opens
    thousands of blocks and closes none.
    """
    opening = re.compile(f"<({'|'.join(tags)})>", re.IGNORECASE)
    never: set[str] = set()
    place = 0
    while opened := opening.search(text, place):
        tag = opened.group(1).lower()
        closed = None if tag in never else re.compile(f"</{tag}>", re.IGNORECASE).search(text, opened.end())
        if closed is None:
            never.add(tag)
            place = opened.end()
            continue
        place = closed.end()
        yield opened.start(), place, text[opened.end() : closed.start()]


def _replaced(text: str, tags: tuple[str, ...], *, keep: bool) -> str:
    """The text with a blank for each block, or with its content alone."""
    parts: list[str] = []
    place = 0
    for start, end, content in _blocks(text, tags):
        parts += [text[place:start], content if keep else " "]
        place = end
    return "".join(parts) + text[place:]


def _without_thinking(text: str) -> str:
    return _replaced(text, _THINK_TAGS, keep=False)


def read_reply(text: str) -> Reply | None:
    """None where the reply is all thinking that never ended: it was cut before its answer."""
    text = _without_thinking(text[-MAX_REPLY:])
    opened = _OPEN_THINKING.search(text)
    if opened:
        text = text[: opened.start()]
        if not text.strip():
            return None
    text = fold_signs(unicodedata.normalize("NFKC", spell_powers(text, after="digits")))
    found: list[tuple[int, str]] = []
    plain = _TEXT.sub(r"\1", text)
    found.extend((match.start(), _json_text(match.group(1))) for match in _JSON.finditer(text))
    found.extend((match.start(), match.group(1).strip()) for match in _BOXED.finditer(plain))
    found.extend((start, content.strip()) for start, _, content in _blocks(plain, _ANSWER_TAGS))
    plain = _MARKS.sub("", _BOXED.sub(r"\1", _replaced(plain, _ANSWER_TAGS, keep=True)))
    said = deque((match.end() for match in _DECLARING.finditer(plain)), maxlen=MAX_DECLARED)
    spoken = [plain[end : end + 200].split("\n", 1)[0].strip() for end in said]
    # boxes and tags are the answer itself: they count as declared last
    declared = spoken + [text for _, text in sorted(found)[-MAX_DECLARED:]]
    return Reply(plain.strip(), tuple(piece for piece in declared if piece), bool(_REFUSAL.search(plain)))


def _json_text(value: str) -> str:
    """A JSON value as one would write it: `["A", "C"]` as `A, C`."""
    try:
        read = json.loads(value)
    except (ValueError, RecursionError):
        return ""
    return ", ".join(str(one) for one in read) if isinstance(read, list) else str(read)


_ANSWER_LINE = re.compile(r"(?im)^[^\w\n]*(?:final\s+)?answer\W{0,12}?[:：][*_ \t]*")


def declared_tail(text: str) -> str | None:
    """All that follows the last line that begins with `ANSWER:`, else the last declaration; None without one."""
    visible = _without_thinking(text[-MAX_REPLY:])
    lines = list(_ANSWER_LINE.finditer(visible))
    if lines:
        return visible[lines[-1].end() :].strip() or None
    read = read_reply(text)
    return read.declared[-1] if read and read.declared else None
