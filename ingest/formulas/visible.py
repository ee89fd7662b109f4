r"""What a reader sees of Markdown and LaTeX: `$\frac{a}{b}$` is `a b`, `\alpha` is `α`, `**bold**` is `bold`.

Only symbols that are printed count; braces, layout commands and tags print nothing. One general table serves all
subjects. `latex_faults` tells what cannot be LaTeX any more (a lost backslash, an open brace).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_GREEK = _words(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau "
    "upsilon phi chi psi omega"
)
_GREEK_LETTERS = "αβγδεζηθικλμνξοπρστυφχψω"

SIGNS: dict[str, str] = {
    **dict(zip(_GREEK, _GREEK_LETTERS, strict=True)),
    **{name.capitalize(): letter.upper() for name, letter in zip(_GREEK, _GREEK_LETTERS, strict=True)},
    "varepsilon": "ε", "vartheta": "θ", "varphi": "φ", "varrho": "ρ", "varsigma": "σ", "varpi": "π", "digamma": "ϝ",
    "times": "×", "div": "÷", "pm": "±", "mp": "∓", "le": "≤", "leq": "≤", "leqslant": "≤", "leqq": "≤", "ge": "≥",
    "geq": "≥", "geqslant": "≥", "geqq": "≥", "ne": "≠", "neq": "≠", "approx": "≈", "equiv": "≡", "sim": "∼",
    "simeq": "≃", "cong": "≅", "propto": "∝", "infty": "∞", "sum": "∑", "int": "∫", "iint": "∬", "iiint": "∭",
    "oint": "∮", "prod": "∏", "partial": "∂", "nabla": "∇", "to": "→", "rightarrow": "→", "longrightarrow": "→",
    "leftarrow": "←", "gets": "←", "Rightarrow": "⇒", "implies": "⇒", "Leftarrow": "⇐", "leftrightarrow": "↔",
    "rightleftharpoons": "⇌", "Leftrightarrow": "⇔", "iff": "⇔", "mapsto": "↦", "uparrow": "↑", "downarrow": "↓",
    "in": "∈", "notin": "∉", "ni": "∋", "cup": "∪", "cap": "∩", "subset": "⊂", "subseteq": "⊆", "supset": "⊃",
    "supseteq": "⊇", "emptyset": "∅", "varnothing": "∅", "setminus": "∖", "forall": "∀", "exists": "∃", "neg": "¬",
    "land": "∧", "wedge": "∧", "lor": "∨", "vee": "∨", "oplus": "⊕", "otimes": "⊗", "angle": "∠", "triangle": "△",
    "perp": "⊥", "parallel": "∥", "sqrt": "√", "degree": "°", "circ": "°", "therefore": "∴", "because": "∵",
    "hbar": "ℏ", "ell": "ℓ", "Re": "ℜ", "Im": "ℑ", "aleph": "ℵ", "angstrom": "Å", "AA": "Å", "pounds": "£",
    "S": "§", "square": "□", "Box": "□", "star": "⋆", "percent": "%",
    "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "i": "ı", "j": "ȷ",
}  # fmt: skip
"""Commands that print one sign."""

NAMES = frozenset(
    _words(
        "sin cos tan cot sec csc sinh cosh tanh coth arcsin arccos arctan log ln lg exp lim limsup liminf max "
        "min sup inf det dim ker gcd deg arg mod bmod pmod hom Pr"
    )
)
"""Commands that print their own name."""

_UNSEEN = frozenset(
    _words("hspace vspace phantom hphantom vphantom label ref eqref color textcolor kern hskip vskip rule")
)
"""Commands whose first argument prints nothing."""

_TAG = re.compile(r"</?(?:u|b|i|em|strong|sup|sub|br|p|div|span|table|thead|tbody|tr|td|th|center|code|pre|s|del|mark)"
                  r"(?:\s[^<>\n]{0,80})?\s*/?>", re.IGNORECASE)  # fmt: skip
_MATH = re.compile(r"\$\$(.+?)\$\$|\$([^$\n]+?)\$|\\\((.+?)\\\)|\\\[(.+?)\\\]", re.DOTALL)
_CODE = re.compile(r"```.*?```|~~~~.*?~~~~|`[^`\n]+`", re.DOTALL)
_PICTURE = re.compile(r"!\[[^\]\n]{0,400}\]\([^)\s]{0,400}\)")
_PIECE = re.compile(
    r"\\(?:begin|end)\s*\{([A-Za-z*]{1,20})\}(\{[lcrp|@.\d ]{0,40}\})?|\\([A-Za-z]+)|\\(.)|([{}^_&~])|(.)", re.DOTALL
)
_ARGUMENT = re.compile(r"\s*\{[^{}]{0,80}\}")


@dataclass(frozen=True)
class Seen:
    """A run of visible text; `math` where it was set as a formula."""

    text: str
    math: bool


@lru_cache(maxsize=16384)
def seen(markdown: str) -> tuple[Seen, ...]:
    """The visible text of Markdown, formulas apart from prose."""
    runs: list[Seen] = []
    for text, code in _by_code(_PICTURE.sub(" ", markdown)):
        if code:
            runs.append(Seen(text.strip("`~"), False))
            continue
        at = 0
        for match in _MATH.finditer(text):
            runs.append(Seen(_prose(text[at : match.start()]), False))
            runs.append(Seen(printed(next(g for g in match.groups() if g is not None)), True))
            at = match.end()
        runs.append(Seen(_prose(text[at:]), False))
    return tuple(run for run in runs if run.text.strip())


def visible(markdown: str) -> str:
    """`seen` as one string."""
    return " ".join(run.text for run in seen(markdown))


def _by_code(text: str) -> Iterator[tuple[str, bool]]:
    at = 0
    for match in _CODE.finditer(text):
        yield text[at : match.start()], False
        yield match[0], True
        at = match.end()
    yield text[at:], False


def _prose(text: str) -> str:
    text = _TAG.sub(" ", text)
    return printed(text) if "\\" in text else text


def printed(latex: str) -> str:
    """The symbols that LaTeX prints, in the order in which it is written."""
    parts: list[str] = []
    skip_to = 0
    for match in _PIECE.finditer(latex):
        if match.start() < skip_to:
            continue
        environment, _, command, escaped, layout, other = match.groups()
        if environment is not None or layout is not None:
            parts.append(" ")
        elif command is not None:
            if command in _UNSEEN:
                argument = _ARGUMENT.match(latex, match.end())
                skip_to = argument.end() if argument else match.end()
            parts.append(_command(command))
        elif escaped is not None:
            parts.append(escaped if escaped in "%#&_$" else " ")
        else:
            parts.append(other)
    return "".join(parts)


def _command(name: str) -> str:
    if name in SIGNS:
        return f" {SIGNS[name]} " if not SIGNS[name].isalpha() else SIGNS[name] + " "
    if name in NAMES:
        return f" {name} "
    return " "


# --- what is no LaTeX any more ----------------------------------------------------------------------------------

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_TORN = re.compile(
    r"(?<![\\A-Za-z])(?:[dt]?frac|sqrt|overline|overrightarrow|math(?:rm|bf|bb|cal)|binom|rac|qrt|verline|"
    r"verrightarrow|athrm|inom)\{"
)
_TORN_INSIDE = re.compile(r"(?<![\\A-Za-z])(?:text|vec|begin|end|egin|ext)\s*\{")
_BARE = re.compile(
    r"(?<![\\A-Za-z])(?:leq?|geq?|neq?|pm|times|cdot|infty|alpha|theta|lambda|imes|heta|lpha|ambda)(?![A-Za-z])"
)


def latex_faults(markdown: str) -> list[str]:
    """What is broken in a text's formulas, one clause each; empty where nothing is."""
    prose = _CODE.sub(" ", markdown)
    faults: list[str] = []
    if _CONTROL.search(prose):
        faults.append("a control character stands where a backslash command was")
    if match := _TORN.search(prose):
        faults.append(f"“{match[0][:20]}” has lost its backslash")
    formulas = [next(g for g in m.groups() if g is not None) for m in _MATH.finditer(prose)]
    if any(_BARE.search(bare) or _TORN_INSIDE.search(bare) for bare in map(_without_words, formulas)):
        faults.append("a command has lost its backslash")
    if any(not _balanced(formula) for formula in formulas):
        faults.append("braces do not close")
    rest = _MATH.sub(" ", prose)
    if "\\frac" in rest or "\\begin{" in rest or "\\sqrt" in rest:
        faults.append("a formula stands outside of dollar signs")
    return faults


def _without_words(formula: str) -> str:
    """The formula without its words in text boxes, which may say anything."""
    return re.sub(r"\\(?:text|mbox|mathrm|operatorname|textbf|textrm)\s*\{[^{}]{0,400}\}", " ", formula)


def _balanced(formula: str) -> bool:
    depth = 0
    for match in re.finditer(r"\\.|[{}]", formula, re.DOTALL):
        if match[0] == "{":
            depth += 1
        elif match[0] == "}":
            depth -= 1
            if depth < 0:
                return False
    return depth == 0
