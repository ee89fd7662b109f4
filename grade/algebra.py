"""Mathematics as text, LaTeX or plain, read into a tree. Nothing is evaluated and no code is run: what is
not in this grammar is `Unreadable`. Length, number of signs and depth are bounded."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction

from .notation import ascii_digits, fold_signs, plain_spaces, spell_fractions, spell_powers, unwrap

MAX_LENGTH = 2_000
MAX_TOKENS = 600
MAX_DEPTH = 90
MAX_DIGITS = 60


class Unreadable(ValueError):
    """The text is no expression of this grammar, or beyond its bounds."""


@dataclass(frozen=True, slots=True)
class Num:
    """A number as written; `decimal` tells 0.5 from 1/2."""

    value: Fraction
    decimal: bool = False


@dataclass(frozen=True, slots=True)
class Sym:
    name: str


@dataclass(frozen=True, slots=True)
class Op:
    """An operation or a structure over `args`.

    kind: add, mul, div, pow, neg, pm, mp (arithmetic); a function's name; root (degree, radicand);
    log (base, argument); rel (`note`: the signs, one character each); seq (`note`: its brackets, as `()`,
    `[)`, `{}`; empty for a bare list); union; matrix (args: seq rows).
    """

    kind: str
    args: tuple[Node, ...]
    note: str = ""


Node = Num | Sym | Op

_FUNCTIONS = "sin cos tan cot sec csc arcsin arccos arctan asin acos atan sinh cosh tanh ln lg exp abs floor ceil sgn"
FUNCTIONS = frozenset(_FUNCTIONS.split())
_GREEK = (
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi rho sigma tau "
    "upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Sigma Phi Psi Omega"
)
_NAMES = frozenset(_GREEK.split()) | {"pi", "infty", "inf", "oo"}
_WORDS = {
    "sqrt": "root",
    "cbrt": "cbrt",
    "log": "log",
    "frac": "frac",
    "dfrac": "frac",
    "tfrac": "frac",
    "cfrac": "frac",
}
_COMMANDS = {
    "cdot": "*", "times": "*", "ast": "*", "div": "/", "pm": "±", "mp": "∓", "le": "≤", "leq": "≤",
    "leqslant": "≤", "ge": "≥", "geq": "≥", "geqslant": "≥", "lt": "<", "gt": ">", "ne": "≠", "neq": "≠",
    "cup": "∪", "in": "∈", "approx": "≈", "circ": "°", "degree": "°", "lvert": "|", "rvert": "|", "vert": "|",
    "mid": "|", "langle": "(", "rangle": ")", "lfloor": "⌊", "rfloor": "⌋", "lbrack": "[", "rbrack": "]",
    "lbrace": "⦃", "rbrace": "⦄", "{": "⦃", "}": "⦄", "%": "%", "colon": ":", "vee": "∨", "lor": "∨",
    "land": "∧", "wedge": "∧", "$": "", "implies": "⇒", "Rightarrow": "⇒",
}  # fmt: skip
_TYPE = (
    "left right big Big bigg Bigg displaystyle textstyle limits , ; : ! quad qquad mathrm mathit mathbf boldsymbol bm "
    "operatorname rm bf hbox mathsf vec overline bar hat overrightarrow"
)
_SILENT = frozenset(_TYPE.split()) | {" ", "\n"}
_SIGNS = {
    "·": "*",
    "×": "*",
    "∗": "*",
    "÷": "/",
    ":": "/",
    "−": "-",
    "≦": "≤",
    "≧": "≥",
    "⩽": "≤",
    "⩾": "≥",
}
_JOINTS = {
    **dict.fromkeys(["or", "或", "又は", "ou", "oder", "∨", "和", ""], "or"),
    **dict.fromkeys(["and", "且", "かつ", "und", "et", "∧"], "and"),
}
_LETTERS = {"π": "pi", "𝜋": "pi", "∞": "infty", "θ": "theta", "α": "alpha", "β": "beta", "γ": "gamma", "λ": "lambda",
            "μ": "mu", "ω": "omega", "φ": "phi", "ϕ": "phi", "ρ": "rho", "σ": "sigma", "δ": "delta", "Δ": "Delta",
            "ε": "epsilon", "τ": "tau", "ψ": "psi", "Ω": "Omega", "η": "eta", "κ": "kappa", "ν": "nu",
            "ξ": "xi"}  # fmt: skip
_LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_TOKEN = re.compile(
    r"""(?P<space>\s+)
      | (?P<number>\d+\.\d+[eE][+-]?\d{1,3}(?!\d)|\d+[eE][+-]?\d{1,3}(?!\d)|\d+(?:\.\d+)?|\.\d+)
      | (?P<command>\\(?:[A-Za-z]+|.))
      | (?P<relation><=|>=|=<|=>|!=|==|[<>=≤≥≠∈≈])
      | (?P<letters>[^\W\d_]+)
      | (?P<sign>[-+*/^_!°%'|(){}\[\],;:&±∓√∛∪⌊⌋⇒∨∧⏎·×∗÷≦≧⩽⩾∞])""",
    re.VERBOSE,
)
_RELATIONS = {"<=": "≤", "=<": "≤", ">=": "≥", "=>": "⇒", "!=": "≠", "==": "="}


@dataclass(frozen=True, slots=True)
class Token:
    """kind: number, name, function, word (sqrt, frac, log), sign, or, end."""

    kind: str
    text: str


def tidy(text: str) -> str:
    """One form for the signs of an expression: `x² − ½` is `x^2 - (1/2)`."""
    text = spell_powers(ascii_digits(plain_spaces(text)))
    text = re.sub(r"[₀-₉]+", lambda m: "_" + m.group().translate(_LOWERED), text)
    text = re.sub("[¼-¾⅐-⅞↉]", _latex_fraction, text)
    text = unwrap(fold_signs(unicodedata.normalize("NFKC", text)))
    text = text.replace("**", "^").replace("{,}", "").replace("\\\\", " ⏎ ").replace("//", "/")
    return re.sub(r"(?<=[\d)}a-zA-Z])\s*\^\s*\{?\s*\\circ\s*\}?", "°", text)


def _latex_fraction(match: re.Match[str]) -> str:
    top, _, bottom = spell_fractions(match.group()).partition("/")
    return f"\\frac{{{top}}}{{{bottom}}}"


def tokens(text: str, names: Collection[str] = (), *, comma: bool = False) -> list[Token]:
    """The signs of an expression. `names`: variables of more than one letter that the key declares."""
    if len(text) > MAX_LENGTH:
        raise Unreadable("too long")
    text = re.sub(r"(?<=\d),(?=\d)", ".", text) if comma else _join_thousands(text)
    found: list[Token] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise Unreadable(f"the sign {text[position]!r}")
        position = match.end()
        kind = match.lastgroup or ""
        if kind == "command":
            position = _command(match.group()[1:], text, position, found)
        elif kind == "letters":
            _letters(match.group(), names, found)
        elif kind == "number":
            if len(match.group()) > MAX_DIGITS:
                raise Unreadable("a number of too many digits")
            found.append(Token("number", match.group()))
        elif kind == "relation":
            found.append(Token("sign", _RELATIONS.get(match.group(), match.group())))
        elif kind == "sign":
            sign = _SIGNS.get(match.group(), match.group())
            found.append(
                Token("or", "or") if sign == "or" else Token("sign", sign) if sign != "∞" else Token("name", "infty")
            )
        if len(found) > MAX_TOKENS:
            raise Unreadable("too long")
    return [*found, Token("end", "")]


def _sign(sign: str) -> Token:
    if sign in _JOINTS:
        return Token("or", _JOINTS[sign])
    return Token("name", "infty") if sign == "∞" else Token("sign", sign)


def _join_thousands(text: str) -> str:
    """`12,345` outside brackets is one number; within them a comma parts a pair."""
    if any(bracket in text for bracket in "([{"):
        return text
    return re.sub(r"(?<![\d,.])[1-9]\d{0,2}(?:,\d{3})+(?![\d,])", lambda m: m.group().replace(",", ""), text)


def _command(name: str, text: str, position: int, found: list[Token]) -> int:
    if name in _SILENT:
        return position
    if name in {"text", "textrm", "mbox", "textbf"}:
        words = re.match(r"\s*\{([^{}]*)\}", text[position:])
        if words is None:
            raise Unreadable("a text without braces")
        word = words.group(1).strip().lower()
        if word not in _JOINTS:
            raise Unreadable("words")
        found.extend([Token("or", _JOINTS[word])] if word else [])
        return position + words.end()
    if name in _COMMANDS:
        sign = _SIGNS.get(_COMMANDS[name], _COMMANDS[name])
        if sign:
            found.append(_sign(sign))
    elif name in FUNCTIONS:
        found.append(Token("function", name))
    elif name in _WORDS:
        found.append(Token("word", _WORDS[name]))
    elif name in _NAMES:
        found.append(Token("name", name))
    elif name in {"begin", "end"}:
        environment = re.match(r"\s*\{([a-zA-Z]*matrix|array)\}(?:\{[lcr|]*\})?", text[position:])
        if environment is None:
            raise Unreadable(f"\\{name}")
        found.append(Token("sign", "⟦" if name == "begin" else "⟧"))
        return position + environment.end()
    else:
        raise Unreadable(f"\\{name}")
    return position


def _letters(run: str, names: Collection[str], found: list[Token]) -> None:
    """A run of letters as the names it is made of: declared names first, then functions, then single letters."""
    position = 0
    if run in _JOINTS:
        found.append(Token("or", _JOINTS[run]))
        return
    if len(run) > 30 or (not run.isascii() and any("\u2e80" <= c <= "\uffdc" for c in run)):
        raise Unreadable("words")
    while position < len(run):
        size, token = _longest(run[position:], names)
        found.append(token)
        position += size


def _longest(run: str, names: Collection[str]) -> tuple[int, Token]:
    for size in range(min(len(run), 12), 0, -1):
        piece = run[:size]
        lower = piece.lower()
        if piece in names:
            return size, Token("name", piece)
        if size > 1 and piece in _NAMES:
            return size, Token("name", piece)
        if lower in FUNCTIONS and size > 1:
            return size, Token("function", lower)
        if lower in {"sqrt", "cbrt", "log"}:
            return size, Token("word", _WORDS[lower])
    return 1, Token("name", _LETTERS.get(run[0], run[0]))


def parse(text: str, names: Collection[str] = (), *, comma: bool = False) -> Node:
    """The tree of an expression, relation or list. Raises Unreadable."""
    from .algebra_parser import Parser

    if len(text) > MAX_LENGTH:
        raise Unreadable("too long")
    return Parser(tokens(tidy(text), names, comma=comma)).whole()
