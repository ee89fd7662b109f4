"""Furniture: headers, footers, page numbers, watermarks and margins, known by their recurrence."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from .lines import Furniture
from .page import Page, Word
from .text import join_words


def find_furniture(pages: Sequence[Page]) -> dict[tuple[int, int], Furniture]:
    """Maps (page number, word index) to its kind, for words at the top or bottom that recur across pages."""
    seen: dict[tuple[str, int], list[tuple[int, list[Word], Furniture]]] = defaultdict(list)
    found: dict[tuple[int, int], Furniture] = {}
    for page in pages:
        for words in _edge_rows(page):
            text = re.sub(r"\d+", "#", join_words(words))
            kind: Furniture = "header" if words[0].box.cy < page.height / 2 else "footer"
            if re.fullmatch(r"[\W_]*(#|[ivx]+)[\W_]*", text):
                kind = "page_number"
            seen[(text, round(words[0].box.cy / 6))].append((page.number, words, kind))
    need = max(2, len(pages) // 3)
    for rows in seen.values():
        if len({number for number, _, _ in rows}) >= need or rows[0][2] == "page_number":
            for number, words, kind in rows:
                for word in words:
                    found[(number, word.index)] = kind
    return found


def _edge_rows(page: Page) -> list[list[Word]]:
    rows: dict[int, list[Word]] = defaultdict(list)
    for word in page.words:
        if word.box.cy < 0.1 * page.height or word.box.cy > 0.9 * page.height:
            rows[round(word.box.cy / 3)].append(word)
    return [sorted(row, key=lambda w: w.box.x0) for _, row in sorted(rows.items())]
