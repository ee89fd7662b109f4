"""Proof: every string of a finished question is looked up on the pages that it was read from.

The check starts from the exam as it will be written, not from the draft, so whatever assembling did to the
words (joining, hyphens, formulas) is checked too. White space, punctuation and LaTeX layout carry no proof.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ..schemas.content import Block, TableBlock, TextBlock
from ..schemas.exam import Checks, Question, Region
from .lines import Reading
from .page import Page

VERIFIED = 0.995
PARTIAL = 0.90
SURE_OCR = 0.90
"""A page whose OCR words are less sure than this on average leaves its questions unverified."""

ProofStatus = Literal["verified", "partial", "unverified", "flagged"]

_COMMAND = re.compile(r"\\([A-Za-z]+)")
_SIGNS = {
    "times": "×", "div": "÷", "pm": "±", "cdot": "⋅", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠",
    "neq": "≠", "approx": "≈", "infty": "∞", "sum": "∑", "int": "∫", "prod": "∏", "partial": "∂", "nabla": "∇",
    "to": "→", "rightarrow": "→", "leftarrow": "←", "in": "∈", "notin": "∉", "cup": "∪", "cap": "∩",
    "subset": "⊂", "angle": "∠", "triangle": "△", "perp": "⊥", "parallel": "∥", "sqrt": "√", "degree": "°",
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "zeta": "ζ",
    "eta": "η", "theta": "θ", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ",
    "sigma": "σ", "tau": "τ", "phi": "φ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ",
    "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Pi": "Π", "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
    "sin": "sin", "cos": "cos", "tan": "tan", "log": "log", "ln": "ln", "lim": "lim", "max": "max", "min": "min",
}  # fmt: skip


def fold(text: str) -> str:
    """Letters and digits only: NFKC, lower case, LaTeX commands as the signs that they print."""
    if "\\" in text:
        text = _COMMAND.sub(lambda match: _SIGNS.get(match.group(1), ""), text)
    text = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char for char in text if char.isalnum())


def block_strings(blocks: Iterable[Block]) -> list[str]:
    """The strings of blocks that claim to be printed, in order. A picture's alt text claims nothing."""
    strings: list[str] = []
    for block in blocks:
        if isinstance(block, TextBlock):
            strings.append(block.markdown)
        elif isinstance(block, TableBlock):
            strings += [*(block.header or []), *(cell for row in block.rows for cell in row)]
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
    letters: frozenset[str]
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
        texts[key] = PageText(text, frozenset(text), confidence, ocr)
    return texts


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def check_question(
    question: Question, regions: Sequence[Region], texts: Mapping[tuple[int, int], PageText]
) -> Checks | None:
    """Share of the question's characters that stand on its pages in the same sequence, and the verdict.

    `regions` are the question's own. None where the question has no printed text to prove (its picture or
    its passage is all there is).
    """
    pages = [texts[key] for key in dict.fromkeys((r.source, r.page) for r in regions) if key in texts]
    wanted = found = 0
    for string in question_strings(question):
        for token in _tokens(string):
            wanted += len(token)
            found += max((_matched(token, page) for page in pages), default=0)
    if not wanted:
        return None
    match = round(found / wanted, 4)
    return Checks(text_match=match, status=_status(match, pages))


def _tokens(string: str) -> list[str]:
    """Runs that must stand together on the page: paragraphs where possible."""
    return [token for part in string.split("\n") if (token := fold(part))]


def _matched(token: str, page: PageText) -> int:
    """How many of the token's characters stand on the page in long runs."""
    if token in page.text:
        return len(token)
    total, start = 0, 0
    while start < len(token):
        length = _longest(token, start, page.text)
        # single characters stand on every page: a run proves itself from three on, or where it ends the token
        total += length if length >= 3 or start + length == len(token) else 0
        start += max(length, 1)
    return total


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
