"""One way of writing for signs that print differently and mean the same: minus signs, quotes, CJK
punctuation, vulgar fractions, superscripts, LaTeX wrappers around a plain value."""

from __future__ import annotations

import re
import unicodedata

_SIGNS = str.maketrans(
    {
        **dict.fromkeys("\u2212\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d", "-"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u300c\u300d\u300e\u300f\uff62\uff63\uff02", '"'),
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\uff07\u00b4", "'"),
        **dict.fromkeys("\u3002\uff61", "."),
        **dict.fromkeys("\u3001\uff64", ","),
        **dict.fromkeys("\u2044\u2215\uff0f", "/"),
        **dict.fromkeys("\u30fb\uff65\u2022\u22c5\u2219", "\u00b7"),
        **dict.fromkeys("\u301c\u223c\uff5e", "~"),
        **dict.fromkeys("\u3010\u3014", "["),
        **dict.fromkeys("\u3011\u3015", "]"),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad", None),
    }
)
_SUPERSCRIPTS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿ", "0123456789+-()n", strict=True))
_RAISED = re.compile(f"[{''.join(_SUPERSCRIPTS)}]+")
_VULGAR = re.compile("[\u00bc-\u00be\u2150-\u215e\u2189]")
_ORDINARY_SPACES = re.compile(r"[\u00a0\u2000-\u200a\u202f\u205f\u3000]")


def fold_signs(text: str) -> str:
    """`text` with each sign in its plain form: `−` and `–` as `-`, `“”「」` as `"`, `。` as `.`, `、` as `,`,
    zero-width characters dropped. Letters and digits stay as they are."""
    return text if text.isascii() else text.translate(_SIGNS)


def spell_fractions(text: str) -> str:
    """Vulgar fractions as digits: `½` is `1/2`, `2½` is `2 1/2` (NFKC alone would read it as 21/2)."""

    def spelled(match: re.Match[str]) -> str:
        plain = unicodedata.normalize("NFKC", match.group()).replace("\u2044", "/")
        before = text[match.start() - 1 : match.start()]
        return f" {plain}" if before.isdigit() else plain

    return _VULGAR.sub(spelled, text) if _VULGAR.search(text) else text


def spell_powers(text: str, *, after: str = "") -> str:
    """Superscript runs as `^n`. With `after="digits"` only those that follow a digit or a closing bracket,
    where flattening would change a value (`10²` is not 102)."""

    def spelled(match: re.Match[str]) -> str:
        before = text[match.start() - 1 : match.start()]
        if after == "digits" and not (before.isdigit() or before in ")]}"):
            return match.group()
        return "^" + "".join(_SUPERSCRIPTS[character] for character in match.group())

    return _RAISED.sub(spelled, text) if _RAISED.search(text) else text


def ascii_digits(text: str) -> str:
    """Decimal digits of any script as 0-9 (`３`, `٣`, `३`)."""
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(c)) if unicodedata.decimal(c, None) is not None else c for c in text)


def plain_spaces(text: str) -> str:
    """Every kind of blank inside a line as one ordinary space character."""
    return text if text.isascii() else _ORDINARY_SPACES.sub(" ", text)


_MATH_WRAPPERS = (("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]"), ("`", "`"), ("**", "**"))
_COMMAND_WRAPPER = re.compile(
    r"\\(?:boxed|fbox|text|mathrm|mathbf|displaystyle|textbf)\s*\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}"
)


def unwrap(text: str) -> str:
    """`text` without what only frames it: white space, `$…$`, `\\(…\\)`, `\\boxed{…}`, bold marks and a closing
    full stop. At most eight layers are taken off."""
    for _ in range(8):
        inner = _unwrap_once(text.strip())
        if inner == text:
            return inner
        text = inner
    return text


def _unwrap_once(text: str) -> str:
    for left, right in _MATH_WRAPPERS:
        inner = text[len(left) : -len(right)]
        if len(text) > len(left) + len(right) and text.startswith(left) and text.endswith(right) and left not in inner:
            return inner.strip()
    whole = _COMMAND_WRAPPER.fullmatch(text) if text.startswith("\\") else None
    if whole:
        return whole.group(1).strip()
    if len(text) > 1 and text[-1] in ".\u3002\uff0e\uff61" and text[-2] not in ".\u3002":
        return text[:-1].rstrip()
    return text
