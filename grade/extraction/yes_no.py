"""Yes or no, true or false: the word that a reply says, never the one it happens to contain."""

from __future__ import annotations

import re

from .reply import Extraction, read_reply

SHORT = 4
"""Words of a reply in which a yes beside a no can only contradict it; in a longer one it may be part of the reason."""

# words that say it wherever they stand; short ones that mean other things elsewhere count only as the first word
_YES = re.compile(
    r"\b(?:yes|yeah|yep|true|correct|sí|si|oui|ja|sim|да|vrai|verdadero|verdadeiro|vero|richtig|wahr|stimmt|верно|правда"
    r"|правильно|đúng|benar|doğru|evet|prawda|igaz|صحيح|نعم)\b"
    r"|(?<!不)(?:是的|正確|正确|對的|对的)|はい|正しい|네|예|맞(?:습니다|아요|다)|^(?:是|對|对|有|참|옳)(?!\w)|^[○✓✔✅☑]",
    re.IGNORECASE,
)
_NO = re.compile(
    r"\b(?:no(?!\s*\.?\s*\d)|nope|false|incorrect|untrue|non|nein|não|нет|faux|falso|falsch|неверно|неправда"
    r"|неправильно|yanlış|hayır|tidak|fałsz|hamis|خطأ)\b"
    r"|不是|不正確|不正确|不對|不对|錯誤|错误|(?:是|為|为)?[錯错]的|いいえ|違います|誤り|間違い|正しくない|아니요|아니오|틀(?:립니다|렸|린)"
    r"|거짓|^(?:否|錯|错|没有|沒有|没|沒)(?!\w)|^[×✗✘❌]"
    r"|^(?:definitely\s+|absolutely\s+|certainly\s+)?not(?:\s+at\s+all)?(?=\s*[.!]?\s*$)",
    re.IGNORECASE,
)
_LETTER = re.compile(r"\s*[(\[]?([TFYN])[)\]]?\s*(?:[.,;:!]|$)")
_OF_BOTH = re.compile(
    r"\b(?:true\s*(?:or|/)\s*false|yes\s*(?:or|/)\s*no)\s*\?|(?:是否|对还是错|對還是錯)[^?]{0,12}\?", re.IGNORECASE
)
_DOUBT = re.compile(
    r"\b(?:not\s+sure|unsure|cannot\s+(?:tell|say|determine)|can't\s+(?:tell|say)|maybe|perhaps|either)\b|不確定|不确定|可能",
    re.IGNORECASE,
)
_DENIABLE = frozenset({"false", "incorrect", "untrue"})
_NEGATED = re.compile(r"(?:\bnot|n't|\bneither)\s+$", re.IGNORECASE)


def extract_yes_no(reply: str) -> Extraction:
    """True or False: the last declaration, else the first word, else the only one of both that is said."""
    read = read_reply(reply)
    if read is None:
        return Extraction.none("cut off while thinking")
    text = _OF_BOTH.sub(" ", read.text).strip()
    for piece in reversed(read.declared):
        first = _first_word(piece)
        if first is not None:
            return Extraction("answered", first, "declared")
    said = _said(text)
    first = _first_word(text)
    if first is not None and not (_says_both_at_once(text)):
        if len(set(said)) == 2 and len(text.split()) <= SHORT:
            return Extraction.none("yes and no")
        return Extraction("answered", first, "the first word")
    if len(set(said)) == 1 and not _DOUBT.search(text):
        return Extraction("answered", said[0], "the only one said")
    if said and not _DOUBT.search(text):
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
    letter = _LETTER.match(text)
    if letter:
        return letter.group(1) in "TY"
    head = text.lstrip("\"'“”(<[*_ \t\n-:.,")
    for value, pattern in ((False, _NO), (True, _YES)):
        if pattern.match(head):
            return value
    return None


def _said(text: str) -> list[bool]:
    """Each yes (True) and no (False) in order; `not correct` is a no, `not false` a yes."""
    found: list[tuple[int, bool]] = []
    for match in _YES.finditer(text):
        found.append((match.start(), not _is_negated(text, match.start())))
    for match in _NO.finditer(text):
        denied = (
            match.group().lower() in _DENIABLE
            and _NEGATED.search(text[max(0, match.start() - 20) : match.start()]) is not None
        )
        found.append((match.start(), denied))
    return [value for _, value in sorted(found)]


def _is_negated(text: str, place: int) -> bool:
    return _NEGATED.search(text[max(0, place - 20) : place]) is not None
