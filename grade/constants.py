"""Irrational values that a number question may have: 2π, √3/2, e²."""

from __future__ import annotations

from fractions import Fraction

from .algebra import Node, Op, Sym, Unreadable, parse
from .evaluate import TooLarge, Undefined, exact_value, value


def constant_value(text: str) -> Fraction | None:
    """The value of a written constant, to thirty figures, where it is irrational and holds π, e or a root.

    Everything else is None: `12*13` does not answer what 12*13 is, and √4 is left to be worked out.
    """
    if len(text) > 200:
        return None
    try:
        node = parse(text)
        while isinstance(node, Op) and node.kind == "rel" and isinstance(node.args[0], Sym):
            node = node.args[-1]
        if not _irrational(node) or exact_value(node, {}) is not None:
            return None
        number = value(node, {})
    except (Unreadable, TooLarge, Undefined):
        return None
    if abs(number.imag) > abs(number.real) * 10**-40:
        return None
    # the decimal is cut at thirty figures: a value, not a form
    from mpmath import nstr

    return Fraction(str(nstr(number.real, 30)))


def _irrational(node: Node) -> bool:
    if isinstance(node, Sym):
        return node.name in {"pi", "e"}
    return isinstance(node, Op) and (node.kind == "root" or any(_irrational(arg) for arg in node.args))
