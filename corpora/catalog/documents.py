"""OmniDocBench: how well a page was parsed, from its predicted and its true Markdown.

Rules (Ouyang et al. 2025, end-to-end evaluation): blocks are taken out of both texts (tables, display formulas, then
paragraphs) and paired at the least total normalised edit distance; a block without a partner is wrong all through.
Text: edit distance without blanks and punctuation. Formulas: edit distance of normalised LaTeX, and exact matches; CDM,
the official figure, compares renderings and is not computed here. Tables: TEDS, TEDS-S, edit distance of the HTML.
Reading order: edit distance of the order of the paired paragraphs. The released matcher also merges and splits
paragraphs before it pairs them; here a paragraph is what blank lines make it, so text distances can be higher.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_uppercase
from typing import Any

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from ...schemas.errors import BundleError
from ...schemas.printable import printable
from .markdown_tables import TooManyCells, html_of_pipes, teds

Record = Mapping[str, Any]
Row = Mapping[str, Any]
MAX_PAGE = 1_000_000
MAX_BLOCKS = 2_000
KINDS = ("text", "formula", "table")
Pair = tuple[int | None, int | None]
"""Places of a predicted and a true block; None for one without a partner."""

_SMALL = {ord(sign): sign.lower() for sign in ascii_uppercase}
# what opens a block and what closes it; found by search, since a lazy pattern is quadratic on hostile text
_OPENINGS = re.compile(r"<table\b|\$\$|\\\[|\\begin\{(?:equation|align|gather|multline|eqnarray)\*?\}", re.IGNORECASE)
_DASHES = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
_IMAGE = re.compile(r"!\[[^\]\n]{0,300}\]\([^)\n]{0,2000}\)|<img\b[^>]{0,2000}>", re.IGNORECASE)
_FENCE = re.compile(r"\A\s*```(?:markdown|md)?\s*\n(.*?)\n?```\s*\Z", re.DOTALL)
_NOT_WORD = re.compile(r"[\W_]+")
_FONTS = re.compile(
    r"\\(?:mathbf|mathrm|mathnormal|mathit|mathbb|mathcal|mathscr|mathfrak|mathsf|mathtt|boldsymbol|boldmath|bm|textbf"
    r"|textrm|textit|text|operatorname|left|right|displaystyle|notag|quad|qquad|enspace|thinspace|medspace|thickspace"
    r"|big|Big|bigg|Bigg)(?![a-zA-Z])\*?|\\[,;:! ]"
)
_TAGS = re.compile(r"\\(?:tag|label|hspace|vspace)\*?\{[^{}]*\}|\\(?:begin|end)\{[^{}]*\}(?:\{[lcr|]*\})?")


@dataclass(slots=True)
class Blocks:
    """The blocks of a page by kind, in reading order."""

    text: list[str] = field(default_factory=list)
    formula: list[str] = field(default_factory=list)
    table: list[str] = field(default_factory=list)


def split_blocks(markdown: str) -> Blocks:
    """Tables (HTML, pipes), display formulas and paragraphs of a Markdown text, of its first MAX_PAGE characters.

    Pictures are no blocks.
    """
    text = markdown[:MAX_PAGE]
    fenced = _FENCE.match(text)
    blocks = Blocks()
    kept = _without_pipes(_without_marked(fenced.group(1) if fenced else text, blocks), blocks)
    paragraphs = re.split(r"\n\s*\n|\n(?=#{1,6}\s)", _IMAGE.sub("", kept))
    blocks.text = [paragraph.strip() for paragraph in paragraphs if normal_text(paragraph)]
    return blocks


def _without_marked(text: str, blocks: Blocks) -> str:
    """Move HTML tables and display formulas into the blocks; an opening that never closes is text."""
    kept: list[str] = []
    place = 0
    never: set[str] = set()
    folded = text.translate(_SMALL)
    while found := _OPENINGS.search(text, place):
        opening = found.group().lower()
        closing = {"<table": "</table", "$$": "$$", "\\[": "\\]"}.get(opening) or opening.replace("begin", "end")
        end = -1 if closing in never else folded.find(closing, found.end())
        if end < 0:
            never.add(closing)
            kept.append(text[place : found.end()])
            place = found.end()
            continue
        kept += [text[place : found.start()], "\n\n"]
        if opening == "<table":
            place = (text.find(">", end) + 1) or len(text)
            blocks.table.append(text[found.start() : place])
        else:
            place = end + len(closing)
            blocks.formula.append(text[found.end() : end])
    return "".join(kept) + text[place:]


def _without_pipes(text: str, blocks: Blocks) -> str:
    """Move pipe tables (a line with pipes, a line of dashes, further lines with pipes) into the blocks."""
    lines = text.split("\n")
    kept: list[str] = []
    n = 0
    while n < len(lines):
        starts = "|" in lines[n] and n + 1 < len(lines) and "-" in lines[n + 1] and _DASHES.fullmatch(lines[n + 1])
        if not starts:
            kept.append(lines[n])
            n += 1
            continue
        end = n + 2
        while end < len(lines) and "|" in lines[end]:
            end += 1
        blocks.table.append(html_of_pipes(lines[n:end]))
        kept.append("")
        n = end
    return "\n".join(kept)


def normal_text(text: str) -> str:
    """Letters and digits alone: blanks, punctuation and Markdown signs do not count."""
    return _NOT_WORD.sub("", text)


def normal_formula(latex: str) -> str:
    """LaTeX without fonts, spacing, tags, environments and blanks, in small letters."""
    text = _FONTS.sub("", _TAGS.sub("", latex.strip().strip("$")))
    return re.sub(r"\s+", "", text).rstrip(".,;").lower()


def normal_html(html: str) -> str:
    """A table's HTML without attributes other than spans, with single blanks."""
    text = re.sub(r"<(/?)(\w{1,20})([^>]{0,2000})>", _bare_tag, html)
    return re.sub(r"\s+", " ", text).strip().lower()


def _bare_tag(found: re.Match[str]) -> str:
    spans = "".join(f" {s}" for s in re.findall(r"(?:col|row)span=[\"']?\d+[\"']?", found.group(3), re.IGNORECASE))
    return f"<{found.group(1)}{found.group(2)}{spans}>"


def paired(predicted: Sequence[str], true: Sequence[str]) -> list[Pair]:
    """Places of blocks paired at the least total normalised edit distance; None where a block has no partner."""
    from scipy.optimize import linear_sum_assignment

    if not predicted or not true:
        return [*((n, None) for n in range(len(predicted))), *((None, n) for n in range(len(true)))]
    distance = cdist(predicted, true, scorer=Levenshtein.normalized_distance, dtype=np.float64)
    rows, columns = linear_sum_assignment(distance)
    # blocks that share nothing are no pair
    pairs = [(int(r), int(c)) for r, c in zip(rows, columns, strict=True) if distance[r, c] < 1]
    ours, theirs = {pair[0] for pair in pairs}, {pair[1] for pair in pairs}
    alone: list[Pair] = [(n, None) for n in range(len(predicted)) if n not in ours]
    missed: list[Pair] = [(None, n) for n in range(len(true)) if n not in theirs]
    return [*pairs, *alone, *missed]


def block_edit(predicted: Sequence[str], true: Sequence[str], pairs: Sequence[Pair]) -> tuple[float, float]:
    """(edit distance, longest possible) summed over the pairs of blocks."""
    edits = longest = 0
    for one, other in pairs:
        ours, theirs = "" if one is None else predicted[one], "" if other is None else true[other]
        edits += Levenshtein.distance(ours, theirs)
        longest += max(len(ours), len(theirs))
    return float(edits), float(longest)


def order_edit(pairs: Sequence[Pair], true: int) -> float | None:
    """Edit distance of the order in which `true` paragraphs were found, of their number; None for an empty page."""
    order = [other for one, other in sorted(pair for pair in pairs if None not in pair)]
    longest = max(len(order), true)
    return Levenshtein.distance(order, list(range(true))) / longest if longest else None


def table_scores(predicted: Sequence[str], true: Sequence[str], pairs: Sequence[Pair]) -> list[tuple[float, float]]:
    """(TEDS, TEDS-S) of each pair of tables; 0 for a table without a partner, and for one too large to compare."""
    scores: list[tuple[float, float]] = []
    for one, other in pairs:
        if one is None or other is None:
            scores.append((0.0, 0.0))
            continue
        try:
            scores.append(teds(predicted[one], true[other]))
        except TooManyCells:
            scores.append((0.0, 0.0))
    return scores


def page_marks(read: Any, record: Record) -> dict[str, float]:
    """One page: a distance or score of each kind of block that the page or the reply has, and what they sum up from.

    Columns `KIND edits` and `KIND length` are the numerators and denominators; `text_edit` … are their quotients, nan
    for a kind that neither side has. No reply is a page of nothing.
    """
    gold = record.get("answer")
    if not isinstance(gold, str):
        raise BundleError(f"the record {printable(record.get('id'))} has no true Markdown")
    ours, theirs = split_blocks("" if read is None else str(read)), split_blocks(gold)
    if _largest(theirs) > MAX_BLOCKS:
        raise BundleError(f"the page {printable(record.get('id'))} has more than {MAX_BLOCKS:,} blocks of a kind")
    if _largest(ours) > MAX_BLOCKS:
        ours = Blocks()  # no page: a reply that repeats itself without end
    folds = {"text": normal_text, "formula": normal_formula, "table": normal_html}
    marks: dict[str, float] = {}
    pairs: dict[str, list[Pair]] = {}
    exact = 0
    for kind, fold in folds.items():
        found, true = ([fold(block) for block in getattr(blocks, kind)] for blocks in (ours, theirs))
        pairs[kind] = paired(found, true)
        edits, length = block_edit(found, true, pairs[kind])
        marks |= {f"{kind} edits": edits, f"{kind} length": length}
        marks[f"{kind}_edit"] = edits / length if length else float("nan")
        if kind == "formula":
            exact = sum(None not in (a, b) and found[a] == true[b] for a, b in pairs[kind])  # type: ignore[index]
    scores = table_scores(ours.table, theirs.table, pairs["table"])
    order = order_edit(pairs["text"], len(theirs.text))
    return marks | {
        "formulas": float(len(pairs["formula"])),
        "formulas exact": float(exact),
        "tables": float(len(scores)),
        "teds": sum(full for full, _ in scores),
        "teds_structure": sum(structure for _, structure in scores),
        "order_edit": float("nan") if order is None else order,
    }


def _largest(blocks: Blocks) -> int:
    return max(len(getattr(blocks, kind)) for kind in KINDS)


def omnidocbench_table(rows: Sequence[Row]) -> dict[str, Any]:
    """Means over pages of each edit distance (lower is better), TEDS and exact formulas over all blocks (0 to 1).

    `overall` (percent): the mean of 1 - text edit, TEDS and 1 - formula edit, of what the pages have; the official
    overall has CDM in the place of the last and is another number. A kind that no page has is left out.
    """
    table: dict[str, Any] = {}
    for name in ("text_edit", "formula_edit", "table_edit", "order_edit"):
        values = [row[name] for row in rows if row[name] == row[name]]
        if values:
            table[name] = sum(values) / len(values)
    for kind in KINDS:
        length = sum(row[f"{kind} length"] for row in rows)
        if length:
            table[f"{kind}_edit_whole"] = sum(row[f"{kind} edits"] for row in rows) / length
    for name, part, of in (
        ("formula_exact", "formulas exact", "formulas"),
        ("table_teds", "teds", "tables"),
        ("table_teds_structure", "teds_structure", "tables"),
    ):
        count = sum(row[of] for row in rows)
        if count:
            table[name] = sum(row[part] for row in rows) / count
    parts = [1 - table[name] for name in ("text_edit", "formula_edit") if name in table]
    parts += [table["table_teds"]] if "table_teds" in table else []
    return {"overall": 100 * sum(parts) / len(parts), **table} if parts else table
