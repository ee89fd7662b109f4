"""What one call may hold, by the kind of model: pages, text, the reply's length, the size of a picture."""

from __future__ import annotations

from dataclasses import dataclass

from ...models.names import ModelName
from ..text import is_cjk


@dataclass(frozen=True)
class Limits:
    """pages: the most page pictures of one window. copy_tokens: the most tokens of text that one reply is asked to
    copy. reply_tokens: hard limit of the reply, thinking included. images: whether the model sees pictures.
    layer_chars: the most characters of text layer in one call. long_side: the most pixels of a picture's longer side.
    """

    pages: int = 8
    copy_tokens: int = 7_000
    reply_tokens: int = 32_000
    images: bool = True
    layer_chars: int = 60_000
    long_side: int = 2_000


FRONTIER = Limits()
SERVED = Limits(pages=6, copy_tokens=5_000, reply_tokens=16_000)
"""A chat server of one's own: its context is not known, so windows stay moderate."""
EMBEDDED = Limits(pages=2, copy_tokens=500, reply_tokens=1_500, images=False, layer_chars=3_000)
"""llama.cpp in this process: text only, 8,192 tokens in all."""


def limits_for(model: ModelName, *, images: bool = True) -> Limits:
    """The limits of a model; `images` False sends text only."""
    match model.provider:
        case "llama":
            found = EMBEDDED
        case "chat" | "vllm":
            found = SERVED
        case _:
            found = FRONTIER
    if images or not found.images:
        return found
    return Limits(found.pages, found.copy_tokens, found.reply_tokens, False, found.layer_chars, found.long_side)


def copy_tokens(text: str) -> int:
    """About how many tokens a text takes: a character of Chinese or Japanese one, four others one."""
    wide = sum(is_cjk(char) or "\uac00" <= char <= "\ud7a3" for char in text)
    return wide + (len(text) - wide) // 4 + 1
