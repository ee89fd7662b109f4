"""Text as the letters that carry proof: letters and digits in one canonical form, signs beside them.

White space, punctuation, case and compatibility forms differ between a page's layer and a careful reading, so they
carry no proof. Operators do where both sides print one: they are kept as `signs` before the letter that follows them.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from ..formulas.visible import Seen, seen
from ..text import is_cjk

_SAME = str.maketrans(
    {
        "−": "-", "–": "-", "—": "-", "‐": "-", "‑": "-", "﹣": "-", "⁻": "-", "≦": "≤", "⩽": "≤", "≧": "≥", "⩾": "≥",
        "∆": "δ", "Σ": "∑", "Π": "∏", "∼": "~", "～": "~", "˚": "°", "º": "°", "∘": "°", "→": "→", "⟶": "→", "⟹": "⇒",
        "ϕ": "φ", "ɸ": "φ", "ϵ": "ε", "ı": "i", "ȷ": "j", "ℓ": "l", "ſ": "s",
    }
)  # fmt: skip
SIGNS = frozenset("+-=<>≤≥≠≈≡×÷±∓√∫∑∏∞∂∇∈∉∪∩⊂⊆→←⇒⇔↔∠△⊥∥°%∀∃")
"""Signs whose exchange changes what is said. A sign that one side lacks says nothing: roots and bars may be drawn."""


@dataclass(frozen=True)
class Letters:
    """`text` holds one character per letter or digit. `tokens` numbers the word that each belongs to (a CJK character
    is a word), `math` says whether it stands in a formula, `signs` maps a letter's place to the signs before it."""

    text: str
    tokens: tuple[int, ...]
    math: tuple[bool, ...]
    signs: dict[int, str]
    words: tuple[str, ...]
    """The words as written, by their number."""


@lru_cache(maxsize=65536)
def folded(text: str) -> str:
    """The letters and digits of a text without markup, canonical, nothing between them."""
    return "".join(ch for ch in _canonical(text) if ch.isalnum())


def _canonical(text: str) -> str:
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", text.translate(_SAME)).translate(_SAME)
    return text.casefold()


def word_signs(text: str) -> tuple[str, str, str]:
    """A printed word's letters, the signs before its first letter, and those after its last."""
    plain = _canonical(text)
    first = next((n for n, ch in enumerate(plain) if ch.isalnum()), len(plain))
    last = next((n for n in range(len(plain) - 1, -1, -1) if plain[n].isalnum()), len(plain) - 1)
    before = "".join(ch for ch in plain[:first] if ch in SIGNS)
    after = "".join(ch for ch in plain[last + 1 :] if ch in SIGNS) if first < len(plain) else ""
    return folded(text), before, after


def letters_of(markdown: str) -> Letters:
    """The letters of Markdown with LaTeX, as a reader sees them."""
    return _letters(seen(markdown))


@lru_cache(maxsize=16384)
def _letters(runs: tuple[Seen, ...]) -> Letters:
    text: list[str] = []
    tokens: list[int] = []
    math: list[bool] = []
    signs: dict[int, str] = {}
    words: list[str] = []
    for run in runs:
        open_word, pending = False, ""
        for ch in _canonical(run.text):
            if not ch.isalnum():
                pending = pending + ch if ch in SIGNS else pending
                open_word = open_word and (ch in "'’" or unicodedata.category(ch)[0] == "M")
                continue
            alone = is_cjk(ch)
            if alone or not open_word:
                words.append("")
            if pending:
                signs[len(text)] = pending[-2:]
                pending = ""
            text.append(ch)
            tokens.append(len(words) - 1)
            math.append(run.math)
            words[-1] += ch
            open_word = not alone
    return Letters("".join(text), tuple(tokens), tuple(math), signs, tuple(words))


def weight(text: str) -> float:
    """How much a run of letters proves: a Han character or a hangul syllable says more than a Latin letter."""
    if text.isascii():
        return float(len(text))
    return sum(2.5 if ch >= "\u2e80" else 1.0 for ch in text)
