"""Yes or no, true or false: the word that a reply says, never the one it happens to contain."""

from __future__ import annotations

import re

from .reply import Extraction, read_reply

SHORT = 4
"""Words of a reply in which a yes beside a no can only contradict it; in a longer one it may be part of the reason."""

_YES = re.compile(
    r"\b(?:yes|yeah|yep|true|correct|sí|si|oui|ja|sim|да)\b|(?<!不)(?:是的|正確|正确|對的|对的|はい|네|예)|^(?:是|對|对)(?!\w)",
    re.IGNORECASE,
)
_NO = re.compile(
    r"\b(?:no(?!\s*\.?\s*\d)|nope|false|incorrect|non|nein|não|нет)\b|不是|不正確|不正确|不對|不对|錯誤|错误|いいえ|아니요|아니오"
    r"|^(?:否|錯|错)(?!\w)",
    re.IGNORECASE,
)
_DOUBT = re.compile(
    r"\b(?:not\s+sure|unsure|cannot\s+(?:tell|say|determine)|can't\s+(?:tell|say)|maybe|perhaps|either)\b|不確定|不确定|可能",
    re.IGNORECASE,
)
_NEGATED = re.compile(r"(?:\bnot|n't|\bneither)\s+$", re.IGNORECASE)


def extract_yes_no(reply: str) -> Extraction:
    """True or False: the last declaration, else the first word, else the only one of both that is said."""
    read = read_reply(reply)
    if read is None:
        return Extraction.none("cut off while thinking")
    for piece in reversed(read.declared):
        first = _first_word(piece)
        if first is not None:
            return Extraction("answered", first, "declared")
    said = _said(read.text)
    first = _first_word(read.text)
    if first is not None and not (_says_both_at_once(read.text)):
        if len(set(said)) == 2 and len(read.text.split()) <= SHORT:
            return Extraction.none("yes and no")
        return Extraction("answered", first, "the first word")
    if len(set(said)) == 1 and not _DOUBT.search(read.text):
        return Extraction("answered", said[0], "the only one said")
    if said and not _DOUBT.search(read.text):
        return Extraction.none("yes and no")
    return Extraction("refused", None, "a refusal") if read.refuses else Extraction.none("neither yes nor no")


def _says_both_at_once(text: str) -> bool:
    return (
        re.match(
            r"\W*(?:yes\s*(?:/|or|and|,|!)\s*no|no\s*(?:/|or|and|,|!)\s*yes|true\s*/\s*false)\b", text, re.IGNORECASE
        )
        is not None
    )


def _first_word(text: str) -> bool | None:
    head = text.lstrip("\"'“”(<[*_ \t\n-:.,")
    for value, pattern in ((False, _NO), (True, _YES)):
        if pattern.match(head):
            return value
    return None


def _said(text: str) -> list[bool]:
    """Each yes (True) and no (False) in order; `not correct` is a no."""
    found: list[tuple[int, bool]] = []
    for match in _YES.finditer(text):
        found.append((match.start(), _NEGATED.search(text[: match.start()]) is None))
    found.extend((match.start(), False) for match in _NO.finditer(text))
    return [value for _, value in sorted(found)]
