"""Markdown of a bundle as the XHTML and MathML that QTI takes. Needs the extra `qti` (markdown-it-py, latex2mathml)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from ...models.paper_parts import block_text
from ...schemas.content import Block, ImageBlock
from ...schemas.errors import UsageError

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_MATH = re.compile(r"\$\$(.+?)\$\$|(?<![\\$])\$([^$\n]+?)\$(?!\d)", re.DOTALL)
_MARK = (
    "\ue000{}\ue001"  # private-use signs: Markdown leaves them alone, and the layer's readers have dropped any other
)


def xhtml(blocks: Iterable[Block], picture: Callable[[str], str]) -> str:
    """Blocks as a run of block elements; `picture` gives the address of an asset. Text cannot bring its own markup."""
    return "".join(
        f'<p><img src="{escape(picture(block.asset))}" alt="{escape(block.alt or block.caption or "")}"/></p>'
        if isinstance(block, ImageBlock)
        else _from_markdown(block_text(block))
        for block in blocks
    )


def inline_xhtml(blocks: Iterable[Block], picture: Callable[[str], str]) -> str:
    """Like `xhtml`, without the paragraph around a single one: for options and list items."""
    text = xhtml(blocks, picture)
    single = re.fullmatch(r"<p>((?:(?!<p>).)*)</p>", text, re.DOTALL)
    return single.group(1) if single else text


def _from_markdown(text: str) -> str:
    formulas: list[str] = []

    def keep(match: re.Match[str]) -> str:
        formulas.append(_mathml(match.group(1) or match.group(2), display=match.group(1) is not None))
        return _MARK.format(len(formulas) - 1)

    cleaned = text.replace("\ue000", "").replace("\ue001", "")
    html = _renderer().render(_MATH.sub(keep, cleaned)).strip()
    for n, formula in enumerate(formulas):
        html = html.replace(_MARK.format(n), formula)
    return html


@lru_cache(maxsize=1)
def _renderer() -> MarkdownIt:
    try:
        from markdown_it import MarkdownIt
    except ImportError as missing:
        raise UsageError("writing QTI needs the extra qti: pip install 'exam2bench[qti]'") from missing
    renderer = MarkdownIt("commonmark", {"html": False, "xhtmlOut": True}).enable("table")
    # a paper's links and pictures are not ours to load
    return renderer.disable(["link", "image", "autolink"])


def _mathml(latex: str, *, display: bool) -> str:
    """MathML; the LaTeX itself where the converter does not know it."""
    from latex2mathml import exceptions
    from latex2mathml.converter import convert

    # the library's exceptions share no base of their own
    own = tuple(kind for kind in vars(exceptions).values() if isinstance(kind, type) and issubclass(kind, Exception))
    known = (*own, IndexError, KeyError, ValueError, RecursionError, ElementTree.ParseError)
    try:
        markup = convert(latex, display="block" if display else "inline")
        ElementTree.fromstring(markup)
    except known:
        return f"<code>{escape(latex)}</code>"
    return markup
