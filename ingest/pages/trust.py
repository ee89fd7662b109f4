"""Whether a page's text layer can be believed.

A layer that cannot is treated as none: wrong text is worse than a page that is known to be unread.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..page import LayerTrust, Picture, Stroke, Word

# shares of a page's characters or words above which its layer is not believed
UNREADABLE_SHARE = 0.35
ACCENTED_SHARE = 0.45
SYMBOL_SHARE = 0.5
CONTROL_SHARE = 0.1
VOWELLESS_SHARE = 0.4
JUNK_SHARE = 0.02
# a picture of this share of the page is the page itself: a scan
SCAN_SHARE = 0.75

_SPELT = re.compile(r"(?<![^ ])[A-Za-z]{4,}(?![^ ])")
_VOWELLESS = re.compile(r"(?<![^ ])[b-df-hj-np-tv-xz]{4,}(?![^ ])", re.IGNORECASE)
_UPPER_HALF = re.compile("[\x80-\xff]")
# dots, dashes and underscores are lines to write on
_SYMBOLS = re.compile(r"[!\"#$%&'()*+,/:;<=>?@\[\\\]^`{|}~]")
_ODD = re.compile(r"[\[\]\\^`{}|~#$&@<>]|[\x80-\xbf]")
# what OCR makes of a stain or a stroke inside a word: 11'10, follo1'1in.g, i|ems
_JUNK = re.compile(r"[A-Za-z]['|!\]\[{}]?[01|!\]\[{}][A-Za-z'.]|\w[.:;|][a-z]\w*[.:;|]|[a-z][A-Z]{1,2}[a-z]|[|\\~^]")


def unreadable_characters(text: str) -> int:
    """How many characters are private-use, unmapped or control characters."""
    if text.isascii():
        return 0
    return sum(1 for ch in text if "\ue000" <= ch <= "\uf8ff" or ch in "\ufffd\ufffe\uffff" or ch >= "\U000f0000")


def judge_layer(
    words: Sequence[Word],
    hidden: Sequence[Word],
    pictures: Sequence[Picture],
    strokes: Sequence[Stroke],
    area: float,
    *,
    controls: int = 0,
) -> LayerTrust:
    """Judge the layer of one page of `area` square points. Reasons are stable one-word codes.

    `controls`: control characters between the words: codes of glyphs in a font without an encoding.
    """
    letters = sum(len(word.text) for word in words)
    unreadable = sum(unreadable_characters(word.text) for word in words if not word.readable)
    pictured = min(sum(p.box.area for p in pictures) / max(area, 1.0), 1.0)
    unseen = sum(len(word.text) for word in hidden)
    reasons: list[str] = []
    if pictured > 0.5 and unseen > 3 * letters and unseen > 20:
        reasons.append("hidden_ocr")
    elif letters < 20 and (pictured > SCAN_SHARE or (not letters and _has_ink(pictured, strokes))):
        reasons.append("missing")
    if letters and unreadable > UNREADABLE_SHARE * letters:
        reasons.append("unreadable")
    elif letters and controls > CONTROL_SHARE * letters:
        reasons.append("letters")
    elif letters > 80 and (reason := _impossible(words)):
        reasons.append(reason)
    if pictured > SCAN_SHARE and letters > 80 and not reasons and _looks_recognised(words):
        reasons.append("ocr_junk")
    return LayerTrust(not reasons, tuple(reasons), letters, unreadable)


def _has_ink(pictured: float, strokes: Sequence[Stroke]) -> bool:
    """Whether a page without text shows something: pictures, or letters drawn as outlines."""
    return pictured > 0.02 or sum(1 for stroke in strokes if stroke.kind == "other") > 20


def _impossible(words: Sequence[Word]) -> str:
    """A reason where the letters cannot be those of any language."""
    text = " ".join([word.text for word in words])
    chars = len(text) - len(words)
    if not text.isascii():
        upper_half = len(_UPPER_HALF.findall(text))
        if upper_half > 30 and upper_half > ACCENTED_SHARE * chars:
            return "letters"
    if len(_SYMBOLS.findall(text)) > SYMBOL_SHARE * chars:
        return "letters"
    spelt = len(_SPELT.findall(text))
    if spelt > 30 and len(_VOWELLESS.findall(text)) > VOWELLESS_SHARE * spelt:
        return "letters"
    # fonts drawn glyph by glyph (Type 3) have no real name, and often no real encoding
    if len(words[0].font) < 4 or len(words[-1].font) < 4:
        unnamed = [word.text for word in words if len(word.font) < 4]
        if len(unnamed) > 0.7 * len(words) and sum(1 for t in unnamed if _ODD.search(t)) > 0.25 * len(unnamed):
            return "letters"
    return ""


def _looks_recognised(words: Sequence[Word]) -> bool:
    """Whether text over a picture of the whole page reads like the guesses of an OCR program."""
    if len({word.font for word in words}) > 8 or any(not word.readable for word in words):
        return True
    junk = sum(1 for word in words if _JUNK.search(word.text))
    return junk > JUNK_SHARE * len(words)
