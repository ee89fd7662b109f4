"""Proof: every string of a finished question is looked up on the pages that it was read from.

The check starts from the exam as it will be written, not from the draft, so whatever assembling did to the
words (joining, hyphens, formulas) is checked too. White space, punctuation and LaTeX layout carry no proof.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ...schemas.content import Block, TableBlock, TextBlock
from ...schemas.exam import Checks, Question, Region
from ..formulas.visible import printed
from ..lines import Reading
from ..page import Page, Word

VERIFIED = 0.995
PARTIAL = 0.90
SURE_OCR = 0.90
"""A page whose OCR words are less sure than this on average leaves its questions unverified."""

ProofStatus = Literal["verified", "partial", "unverified", "flagged"]

_SHORT_RUN = 40
"""Characters: a longer run that is not on the page in sequence is not a formula that was laid out anew."""

_SILENT = re.compile(r"[\W_]+")


def fold(text: str) -> str:
    """Letters and digits only: NFKC, lower case, LaTeX commands as the signs that they print."""
    if "\\" in text:
        text = printed(text)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return _SILENT.sub("", text.casefold())


def block_strings(blocks: Iterable[Block]) -> list[str]:
    """The strings of blocks that claim to be printed, in order. A picture's alt text claims nothing."""
    strings: list[str] = []
    for block in blocks:
        if isinstance(block, TextBlock):
            strings.append(block.markdown)
        elif isinstance(block, TableBlock):
            cells = [*(block.header or []), *(cell for row in block.rows for cell in row)]
            strings += [cell.replace("<br>", " ") for cell in cells]
    return strings


def question_strings(question: Question) -> list[str]:
    """Every printed string of one question, without its sub-questions."""
    strings = block_strings(question.prompt)
    for option in question.options or []:
        strings += [option.id, *block_strings(option.content)]
    if question.matching:
        for item in [*question.matching.left, *question.matching.right]:
            strings += block_strings(item.content)
    return strings


@dataclass(frozen=True)
class PageText:
    """One page's folded text in reading order, furniture last, and how far the reading can be trusted."""

    text: str
    words: tuple[Word, ...]
    confidence: float
    ocr: bool


def page_texts(readings: Sequence[Reading], pages: Mapping[tuple[int, int], Page]) -> dict[tuple[int, int], PageText]:
    """The folded text of every page that was read, by (source, 0-based page)."""
    parts: dict[tuple[int, int], list[str]] = {key: [] for key in pages}
    for reading in readings:
        for line in reading.lines:
            parts[line.source, line.page].extend(word.text for word in line.words)
        for page, index in sorted(reading.furniture):
            parts[reading.source, page].append(pages[reading.source, page].words[index].text)
    texts: dict[tuple[int, int], PageText] = {}
    for key, words in parts.items():
        text = fold("".join(words))
        ocr = pages[key].read_by == "ocr"
        confidence = _mean([word.confidence for word in pages[key].words]) if ocr else 1.0
        texts[key] = PageText(text, pages[key].words, confidence, ocr)
    return texts


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def check_question(
    question: Question, regions: Sequence[Region], texts: Mapping[tuple[int, int], PageText]
) -> Checks | None:
    """Share of the question's characters that stand on its pages in the same sequence, and the verdict.

    A formula is printed in two dimensions and written in one: a short run that is out of sequence counts
    where its characters stand in the question's region and no other text has taken them.
    `regions` are the question's own. None where the question has no printed text to prove (its picture or
    its passage is all there is).
    """
    pages = [texts[key] for key in dict.fromkeys((r.source, r.page) for r in regions) if key in texts]
    tokens = [token for string in question_strings(question) for token in _tokens(string)]
    wanted = sum(len(token) for token in tokens)
    if not wanted:
        return None
    gaps = [
        gap for token in tokens for gap in min((_gaps(token, page) for page in pages), key=_length, default=[token])
    ]
    found = wanted - _length(gaps)
    if gaps:
        found += _out_of_sequence(tokens, gaps, regions, texts)
    match = round(found / wanted, 4)
    return Checks(text_match=match, status=_status(match, pages))


def _tokens(string: str) -> list[str]:
    """Runs that must stand together on the page: paragraphs where possible."""
    return [token for part in string.split("\n") if (token := fold(part))]


def _length(strings: Sequence[str]) -> int:
    return sum(len(string) for string in strings)


def _gaps(token: str, page: PageText) -> list[str]:
    """The runs of the token that do not stand on the page. Runs of one or two characters prove nothing."""
    if token in page.text:
        return []
    gaps: list[str] = []
    start, open_gap = 0, ""
    while start < len(token):
        length = max(_longest(token, start, page.text), 1)
        if length >= 3:
            if open_gap:
                gaps.append(open_gap)
            open_gap = ""
        else:
            open_gap += token[start : start + length]
        start += length
    return [*gaps, open_gap] if open_gap else gaps


def _out_of_sequence(
    tokens: Sequence[str],
    gaps: Sequence[str],
    regions: Sequence[Region],
    texts: Mapping[tuple[int, int], PageText],
) -> int:
    """How many characters of short gaps the regions still hold once all matched text is taken away."""
    left = Counter(fold("".join(_region_words(regions, texts))))
    left.subtract(Counter("".join(tokens)))
    left.update(Counter("".join(gaps)))
    credit = 0
    for gap in gaps:
        if len(gap) <= _SHORT_RUN:
            shared = Counter(gap) & left
            left -= shared
            credit += shared.total()
    return credit


def _region_words(regions: Sequence[Region], texts: Mapping[tuple[int, int], PageText]) -> list[str]:
    return [
        word.text
        for region in regions
        if (region.source, region.page) in texts
        for word in texts[region.source, region.page].words
        if region.x0 - 2 <= word.box.cx <= region.x1 + 2 and region.y0 - 2 <= word.box.cy <= region.y1 + 2
    ]


def _longest(token: str, start: int, text: str) -> int:
    low, high = 0, len(token) - start
    while low < high:
        middle = (low + high + 1) // 2
        if token[start : start + middle] in text:
            low = middle
        else:
            high = middle - 1
    return low


def _status(match: float, pages: Sequence[PageText]) -> ProofStatus:
    if match < PARTIAL:
        return "flagged"
    if any(page.ocr for page in pages):
        return "partial" if all(page.confidence >= SURE_OCR for page in pages if page.ocr) else "unverified"
    return "verified" if match >= VERIFIED else "partial"
