"""Words, sentences and signs as instruction verifiers count them.

The published verifiers of IFEval and IFBench split sentences and words with NLTK's trained models. Here both are rules:
a full stop after a known abbreviation or an initial ends no sentence. Replies with unusual abbreviations may be counted
differently by one sentence.
"""

from __future__ import annotations

import re
import string

_ABBREVIATIONS = frozenset(
    ["mr", "mrs", "ms", "dr", "prof", "st", "sr", "jr", "vs", "etc", "e.g", "i.e", "no", "fig", "inc", "ltd", "co",
     "u.s", "u.k", "a.m", "p.m", "approx", "dept", "est", "gen", "gov", "rev", "sen", "col", "capt", "lt", "vol"]
)  # fmt: skip
_END = re.compile(r"(?<![.!?])[.!?]++[\"'”’)\]]*+(?=\s)")
_NOT_BLANK = re.compile(r"\S")
_LONGEST_ABBREVIATION = 20
_WORD = re.compile(r"\w+")
_TOKEN = re.compile(
    r"[^\W_]+(?:[.,-][^\W_]+)*(?=n['’]t\b)|n['’]t\b|['’](?:s|m|re|ve|ll|d)\b|[^\W_]+(?:[.,-][^\W_]+)*|\S", re.I
)
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
EDGES = string.punctuation + " "
# code points that are pictures by themselves (Unicode emoji data 16), as inclusive ranges
_EMOJI = [
    (0xA9, 0xA9), (0xAE, 0xAE), (0x203C, 0x203C), (0x2049, 0x2049), (0x2122, 0x2122), (0x2139, 0x2139),
    (0x2194, 0x2199), (0x21A9, 0x21AA), (0x231A, 0x231B), (0x2328, 0x2328), (0x23CF, 0x23CF), (0x23E9, 0x23F3),
    (0x23F8, 0x23FA), (0x24C2, 0x24C2), (0x25AA, 0x25AB), (0x25B6, 0x25B6), (0x25C0, 0x25C0), (0x25FB, 0x25FE),
    (0x2600, 0x2604), (0x260E, 0x260E), (0x2611, 0x2611), (0x2614, 0x2615), (0x2618, 0x2618), (0x261D, 0x261D),
    (0x2620, 0x2620), (0x2622, 0x2623), (0x2626, 0x2626), (0x262A, 0x262A), (0x262E, 0x262F), (0x2638, 0x263A),
    (0x2640, 0x2640), (0x2642, 0x2642), (0x2648, 0x2653), (0x265F, 0x2660), (0x2663, 0x2663), (0x2665, 0x2666),
    (0x2668, 0x2668), (0x267B, 0x267B), (0x267E, 0x267F), (0x2692, 0x2697), (0x2699, 0x2699), (0x269B, 0x269C),
    (0x26A0, 0x26A1), (0x26A7, 0x26A7), (0x26AA, 0x26AB), (0x26B0, 0x26B1), (0x26BD, 0x26BE), (0x26C4, 0x26C5),
    (0x26C8, 0x26C8), (0x26CE, 0x26CF), (0x26D1, 0x26D1), (0x26D3, 0x26D4), (0x26E9, 0x26EA), (0x26F0, 0x26F5),
    (0x26F7, 0x26FA), (0x26FD, 0x26FD), (0x2702, 0x2702), (0x2705, 0x2705), (0x2708, 0x270D), (0x270F, 0x270F),
    (0x2712, 0x2712), (0x2714, 0x2714), (0x2716, 0x2716), (0x271D, 0x271D), (0x2721, 0x2721), (0x2728, 0x2728),
    (0x2733, 0x2734), (0x2744, 0x2744), (0x2747, 0x2747), (0x274C, 0x274C), (0x274E, 0x274E), (0x2753, 0x2755),
    (0x2757, 0x2757), (0x2763, 0x2764), (0x2795, 0x2797), (0x27A1, 0x27A1), (0x27B0, 0x27B0), (0x27BF, 0x27BF),
    (0x2934, 0x2935), (0x2B05, 0x2B07), (0x2B1B, 0x2B1C), (0x2B50, 0x2B50), (0x2B55, 0x2B55), (0x3030, 0x3030),
    (0x303D, 0x303D), (0x3297, 0x3297), (0x3299, 0x3299), (0x1F004, 0x1F004), (0x1F0CF, 0x1F0CF),
    (0x1F170, 0x1F171), (0x1F17E, 0x1F17F), (0x1F18E, 0x1F18E), (0x1F191, 0x1F19A), (0x1F201, 0x1F202),
    (0x1F21A, 0x1F21A), (0x1F22F, 0x1F22F), (0x1F232, 0x1F23A), (0x1F250, 0x1F251), (0x1F300, 0x1F64F),
    (0x1F680, 0x1F6FC), (0x1F7E0, 0x1F7EB), (0x1F7F0, 0x1F7F0), (0x1F90C, 0x1F9FF), (0x1FA70, 0x1FAFF),
]  # fmt: skip


def sentences(text: str) -> list[str]:
    """The sentences of a text, in order, without the blanks between them."""
    found: list[str] = []
    start = 0
    for match in _END.finditer(text):
        if _ends_sentence(text, start, match):
            found.append(text[start : match.end()].strip())
            start = match.end()
    rest = text[start:].strip()
    return [sentence for sentence in (*found, rest) if sentence]


def _ends_sentence(text: str, start: int, match: re.Match[str]) -> bool:
    following = _NOT_BLANK.search(text, match.end())
    if text[match.start()] != "." or following is None:
        return True
    if match.group().startswith(".."):
        return not following.group().islower()
    before = text[max(start, match.start() - _LONGEST_ABBREVIATION) : match.start()].split()
    last = before[-1].strip("(\"'“‘[").lower() if before else ""
    initial = len(last) == 1 and last.isalpha() and last != "i"
    return not (last in _ABBREVIATIONS or initial)


def words(text: str) -> list[str]:
    """Runs of letters, digits and underscores."""
    return _WORD.findall(text)


def count_words(text: str) -> int:
    return len(words(text))


def tokens(text: str) -> list[str]:
    """Words and signs: contractions are two tokens (do n't), each sign is its own."""
    return _TOKEN.findall(text)


def word_tokens(text: str) -> list[str]:
    return [token for token in tokens(text) if any(sign.isalnum() for sign in token)]


def without_punctuation(text: str) -> str:
    """The text without ASCII punctuation."""
    return text.translate(_NO_PUNCTUATION)


def plain_words(text: str) -> list[str]:
    """Lower-case words between blanks, their ASCII punctuation removed."""
    return without_punctuation(text.lower()).split()


def is_emoji(sign: str) -> bool:
    return any(first <= ord(sign) <= last for first, last in _EMOJI)
