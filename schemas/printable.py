"""Text from bundles and sheets made fit for a terminal and a message: papers, ids and replies may carry
escape sequences that repaint the screen or reverse the reading direction."""

from __future__ import annotations

import unicodedata

# bidirectional overrides and isolates can make a line read as something it is not
_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c")


def printable(value: object, limit: int = 300) -> str:
    """`value` on one line, control characters shown as `\\x1b`, cut after `limit` characters."""
    text = str(value)
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    if cut.isprintable():
        return cut
    return "".join(_shown(character) for character in cut)


def printable_lines(text: str) -> str:
    """Like `printable`, for running text: line breaks and tabs stay, nothing is cut."""
    if text.isprintable():
        return text
    return "".join(character if character in "\n\t" else _shown(character) for character in text)


def printable_json(text: str) -> str:
    """JSON text whose strings hold no character that a terminal acts upon: they are written as `\\u009b`."""
    return "".join(c if c in "\n\t" or not _acts(c) else f"\\u{ord(c):04x}" for c in text)


def _acts(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") or character in _BIDI


def _shown(character: str) -> str:
    if _acts(character):
        code = ord(character)
        return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
    return character
