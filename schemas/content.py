"""Content blocks: what a prompt, an option or an instruction is made of."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .base import Contract


class TextBlock(Contract):
    """Markdown; inline math between `$`, display math between `$$`."""

    type: Literal["text"] = "text"
    markdown: str


class ImageBlock(Contract):
    """A picture. `asset` is a path relative to the bundle root; `alt` says what it shows."""

    type: Literal["image"] = "image"
    asset: str
    alt: str = ""
    caption: str | None = None


class TableBlock(Contract):
    """A table whose cells are Markdown."""

    type: Literal["table"] = "table"
    header: list[str] | None = None
    rows: list[list[str]]
    caption: str | None = None


Block = Annotated[TextBlock | ImageBlock | TableBlock, Field(discriminator="type")]
