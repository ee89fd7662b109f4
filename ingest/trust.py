"""Whether a page's text layer can be believed."""

from __future__ import annotations

from collections.abc import Sequence

from .page import LayerTrust, Picture, Word


def unreadable_characters(text: str) -> int:
    """How many characters are private-use, unmapped or control characters."""
    if text.isascii():
        return 0
    return sum(1 for ch in text if "\ue000" <= ch <= "\uf8ff" or ch == "\ufffd" or ch >= "\U000f0000")


def judge_layer(
    words: Sequence[Word], hidden: Sequence[Word], pictures: Sequence[Picture], width: float, height: float
) -> LayerTrust:
    """Judge the layer of one page of `width` x `height` points."""
    letters = sum(len(word.text) for word in words)
    unreadable = sum(unreadable_characters(word.text) for word in words if not word.readable)
    reasons: list[str] = []
    covered = max((p.box.area for p in pictures), default=0.0) / max(width * height, 1.0)
    if not words and (hidden or covered > 0.5):
        reasons.append("hidden_ocr" if hidden else "missing")
    return LayerTrust(usable=not reasons, reasons=tuple(reasons), letters=letters, unreadable=unreadable)
