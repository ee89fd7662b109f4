"""Which options a reply to a several-answer question chooses: a list that is read to its end, or nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .choice import END, folded, is_word, labels_of, standing_alone
from .reply import Extraction, read_reply

_JOIN = (
    r"(?:\s*(?:[,;/&+、，]|\b(?:and|und|y|e|et|i|en|och|ve|dan|và|и)\b|和|與|与|及|跟|と|や|와|과|랑|및)\s*"
    r"(?:(?:and|und|y|et|и)\s+)?|\s+)"
)
_ONE = rf"[(\[\"'*-]*\s*([A-Z0-9①-⑳]{{1,2}}?)[)\]\"'*.:]*{END}"
_BEFORE = re.compile(
    r"\s*(?:(?:only|just|both|the|options?|choices?|answers?|letters?|opciones|réponses?|antworten)\s+"
    r"|選項|选项|只有|[-*•\[]\s*)*",
    re.IGNORECASE,
)
_ITEM = re.compile(_ONE)
_JOINED = re.compile(_JOIN + _ONE)
_RUN = re.compile(rf"([A-Z]{{2,10}}){END}")
_LOWER_LIST = re.compile(r"[a-z](?:\s*[,;/&]\s*[a-z])+\.?")


def extract_choices(reply: str, options: Mapping[str, str]) -> Extraction:
    """All options that a reply to a several-answer question chooses, as a tuple in the question's order."""
    read = read_reply(reply)
    if read is None:
        return Extraction.none("cut off while thinking")
    labels = labels_of(tuple(options))
    texts = {key: folded(text) for key, text in options.items() if folded(text)}
    whole = " ".join(line for line in read.text.splitlines() if line.strip())
    if _LOWER_LIST.fullmatch(whole):
        whole = whole.upper()
    for how, piece in [*(("declared", text) for text in reversed(read.declared)), ("the whole reply", whole)]:
        named = _listed(piece, labels, texts)
        if named:
            return Extraction("answered", tuple(key for key in options if key in named), how)
    return Extraction("refused", None, "a refusal") if read.refuses else Extraction.none("no option is named")


def _listed(piece: str, labels: Mapping[str, str], texts: Mapping[str, str]) -> set[str]:
    """The options with which a piece of a reply begins, joined by commas or by `and`. Nothing where another option is
    named behind them: a list that is not read to its end is another answer."""
    piece = _without_texts(piece, labels, texts)
    start = _BEFORE.match(piece)
    place = start.end() if start else 0
    run = _RUN.match(piece, place)
    if run and len(set(run.group(1))) == len(run.group(1)) and all(letter in labels for letter in run.group(1)):
        return _unless_more({labels[letter] for letter in run.group(1)}, piece[run.end() :], labels)
    match, named = _ITEM.match(piece, place), set[str]()
    while match and match.group(1) in labels:
        following = _JOINED.match(piece, match.end())
        # `A et C`: what joins two labels makes neither of them an article
        if not (following and following.group(1) in labels) and is_word(match.group(1), piece[match.end() :]):
            break
        named.add(labels[match.group(1)])
        place, match = match.end(), following
    if match and named and match.group(1) not in labels:
        return set()  # joined to it stands a letter that is no option
    return _unless_more(named, piece[place:], labels)


def _unless_more(named: set[str], rest: str, labels: Mapping[str, str]) -> set[str]:
    return named if standing_alone(rest, labels) <= named else set()


def _without_texts(piece: str, labels: Mapping[str, str], texts: Mapping[str, str]) -> str:
    """`(A) teddy bear and (C) cat` as `A and C`: each option's own text behind its label left out."""
    for label, key in labels.items():
        if key in texts:
            own = rf"[(\[]?{re.escape(label)}[)\].:]*\s*{re.escape(texts[key])}(?!\w)"
            piece = re.sub(own, label.replace("\\", r"\\"), piece, flags=re.IGNORECASE)
    return piece
