"""Irrational values that a number question may have: 2π, √3/2, e²."""

from __future__ import annotations

from fractions import Fraction


def constant_value(text: str) -> Fraction | None:
    """The value of a written constant, to thirty figures, where it holds π, e or a root; None for all else.

    An unevaluated sum or product of plain numbers is none: `12*13` does not answer what 12*13 is.
    """
    return None
