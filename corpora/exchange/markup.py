"""Markdown of a bundle as the XHTML that QTI takes. Needs the extra `qti` (markdown-it-py, latex2mathml)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote

from ...schemas.content import Block, ImageBlock, TableBlock
from ...schemas.errors import UsageError
from .mathml import mathml

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token

_MATH = re.compile(r"\$\$(.+?)\$\$|(?<![\\$])\$([^$\n]+?)\$(?!\d)", re.DOTALL)
_MARK = (
    "\ue000{}\ue001"  # private-use signs: Markdown leaves them alone, and the layer's readers have dropped any other
)
_LISTS = ("ordered_list_open", "ordered_list_close", "list_item_open", "list_item_close")


def xhtml(blocks: Iterable[Block], picture: Callable[[str], str]) -> str:
    """Blocks as a run of block elements; `picture` gives the address of an asset. Text cannot bring its own markup."""
    return "".join(_block(block, picture) for block in blocks)


def inline_xhtml(blocks: Iterable[Block], picture: Callable[[str], str]) -> str:
    """Like `xhtml`, without the paragraph around a single one: for options and list items."""
    text = xhtml(blocks, picture)
    single = re.fullmatch(r"<p>((?:(?!<p>).)*)</p>", text, re.DOTALL)
    return single.group(1) if single else text


def _block(block: Block, picture: Callable[[str], str]) -> str:
    if isinstance(block, ImageBlock):
        address = escape(quote(picture(block.asset)))
        caption = f"<p>{_cell(block.caption)}</p>" if block.caption else ""
        return f'<p><img src="{address}" alt="{escape(block.alt or block.caption or "")}"/></p>{caption}'
    if isinstance(block, TableBlock):
        return _table(block)
    return _with_formulas(block.markdown, _renderer().render).strip()


def _table(block: TableBlock) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{_cell(cell)}</{tag}>" for cell in cells) + "</tr>"

    head = f"<thead>{row(block.header, 'th')}</thead>" if block.header else ""
    rows = "".join(row(cells, "td") for cells in block.rows if cells)
    caption = f"<caption>{_cell(block.caption)}</caption>" if block.caption else ""
    return f"<table>{caption}{head}{f'<tbody>{rows}</tbody>' if rows else ''}</table>"


def _cell(text: str) -> str:
    return "<br/>".join(_with_formulas(line, _renderer().renderInline) for line in text.split("\n"))


def _with_formulas(text: str, render: Callable[[str], str]) -> str:
    formulas: list[str] = []

    def keep(match: re.Match[str]) -> str:
        latex = match.group(1) or match.group(2)
        # where MathML does not do, the LaTeX itself
        formulas.append(mathml(latex, display=match.group(1) is not None) or f"<code>{escape(latex)}</code>")
        return _MARK.format(len(formulas) - 1)

    html = render(_MATH.sub(keep, text.replace("\ue000", "").replace("\ue001", "")))
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
    renderer.disable(["link", "image", "autolink"])
    renderer.core.ruler.push("qti", _as_qti_has_it)
    return renderer


def _as_qti_has_it(state: StateCore) -> None:
    """QTI's cells take `align` for `style`, its lists count from 1: others become blocks that show their numbers."""
    from markdown_it.token import Token

    own = _with_own_numbers(state.tokens)
    lists: list[bool] = []
    tokens: list[Token] = []
    for n, token in enumerate(state.tokens):
        tokens.append(token)
        if token.type in ("th_open", "td_open") and token.attrs:
            token.attrs = {"align": str(token.attrs["style"]).removeprefix("text-align:")}
        if token.type in ("ordered_list_open", "bullet_list_open"):
            lists.append(n in own)
        if token.type in _LISTS and lists[-1]:
            token.tag, token.attrs = "div", {}
            if token.type == "list_item_open":
                number = Token("text", "", 0, content=f"{token.info}{token.markup} ")
                tokens.append(Token("inline", "", 0, children=[number], level=token.level + 1))
        if token.type in ("ordered_list_close", "bullet_list_close"):
            lists.pop()
    state.tokens = tokens


def _with_own_numbers(tokens: Sequence[Token]) -> set[int]:
    """Where the numbered lists open whose items are not 1, 2, 3 …"""
    found: set[int] = set()
    stack: list[tuple[int, list[str]]] = []
    for n, token in enumerate(tokens):
        if token.type in ("ordered_list_open", "bullet_list_open"):
            stack.append((n, []))
        elif token.type == "list_item_open":
            stack[-1][1].append(token.info)
        elif token.type in ("ordered_list_close", "bullet_list_close"):
            opened, numbers = stack.pop()
            if token.type == "ordered_list_close" and numbers != [str(one) for one in range(1, len(numbers) + 1)]:
                found.add(opened)
    return found
