"""Forms that a paper can demand of an expression: factorised, expanded, lowest terms, …"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, cast

from .algebra import Node, Num, Op, Sym, Unreadable
from .evaluate import symbols

FORMS: dict[str, tuple[str, ...]] = {
    "factorised": ("factorised", "factorized", "factored", "fully factorised", "fully factored"),
    "expanded": ("expanded", "multiplied out", "polynomial"),
    "simplified fraction": ("simplified fraction", "lowest terms", "simplest form", "reduced fraction", "reduced"),
    "mixed number": ("mixed number", "mixed"),
    "decimal": ("decimal",),
    "standard form": ("standard form", "scientific", "scientific notation"),
    "simplified radical": ("simplified radical", "surd", "simplified surd", "simplest radical form"),
}
"""Each form with the names under which a rule may ask for it; case, hyphens and underscores do not count."""

MAX_DEGREE = 24


def form_of(name: str) -> str | None:
    """The form that a rule's `form` means, or None."""
    plain = " ".join(name.lower().replace("_", " ").replace("-", " ").split())
    return next((form for form, names in FORMS.items() if plain in names), None)


def has_form(node: Node, form: str, key: Node) -> bool:
    """Whether an answer, known to be equivalent to the key, is written in the form."""
    while isinstance(node, Op) and node.kind == "rel" and set(node.note) <= {"="}:
        node = node.args[-1]
    if isinstance(node, Op) and node.kind == "seq":
        return all(has_form(member, form, key) for member in node.args)
    match form:
        case "factorised":
            return _is_factorised(node)
        case "expanded":
            return _is_expanded(node)
        case "simplified fraction":
            return _is_lowest_terms(node)
        case "mixed number":
            return _is_mixed(node)
        case "decimal":
            return isinstance(_unsigned(node), Num)
        case "standard form":
            return _is_standard(node)
        case _:
            return _is_simple_radical(node)


def _unsigned(node: Node) -> Node:
    while isinstance(node, Op) and node.kind in {"neg", "group"}:
        node = node.args[0]
    return node


def _factors(node: Node) -> list[tuple[Node, int]]:
    """(factor, multiplicity) of a product as written."""
    node = _unsigned(node)
    if isinstance(node, Op) and node.kind == "mul":
        return [pair for arg in node.args for pair in _factors(arg)]
    if isinstance(node, Op) and node.kind == "div" and not symbols(node.args[1]):
        return _factors(node.args[0])
    if isinstance(node, Op) and node.kind == "pow" and isinstance(node.args[1], Num):
        exponent = node.args[1].value
        if exponent.denominator == 1 and 0 < exponent <= MAX_DEGREE:
            return [(base, times * int(exponent)) for base, times in _factors(node.args[0])]
    return [(node, 1)]


def _is_factorised(node: Node) -> bool:
    """Every factor with a name in it is irreducible over the rationals and has no common number left inside."""
    import sympy

    for factor, _ in _factors(node):
        if not symbols(factor):
            continue
        polynomial = _polynomial(factor)
        if polynomial is None:
            return False
        content, parts = cast(tuple[Any, list[tuple[Any, int]]], sympy.factor_list(polynomial.as_expr()))
        if len(parts) != 1 or parts[0][1] != 1:
            return False
        if abs(content) != 1 and len(polynomial.terms()) > 1 and cast(Any, sympy.Rational(content)).q == 1:
            return False
    return True


def _is_expanded(node: Node) -> bool:
    """A sum of single terms, no two of which are alike."""
    terms = node.args if isinstance(node, Op) and node.kind == "add" else (node,)
    if any(_holds_sum(term) for term in terms):
        return False
    if not symbols(node):
        return True
    polynomial = _polynomial(node)
    return polynomial is None or len(polynomial.terms()) == len(terms)


def _holds_sum(node: Node) -> bool:
    """Whether a product or power of a sum is left."""
    if not isinstance(node, Op) or node.kind not in {"mul", "pow", "neg", "div", "group", "add"}:
        return False
    return node.kind == "add" or any(_holds_sum(arg) for arg in node.args[:2])


def _is_lowest_terms(node: Node) -> bool:
    node = _unsigned(node)
    if isinstance(node, Num):
        return not node.decimal
    if not (isinstance(node, Op) and node.kind == "div"):
        return not symbols(node) or _is_product(node)
    top, bottom = (_unsigned(arg) for arg in node.args)
    if isinstance(top, Num) and isinstance(bottom, Num):
        whole = top.value.denominator == bottom.value.denominator == 1 and not (top.decimal or bottom.decimal)
        return whole and math.gcd(int(top.value), int(bottom.value)) == 1 and bottom.value > 1
    import sympy

    over, under = _polynomial(top), _polynomial(bottom)
    if over is None or under is None:
        return True
    return sympy.gcd(over.as_expr(), under.as_expr()) in {1, -1}


def _is_product(node: Node) -> bool:
    return not any(isinstance(arg, Op) and arg.kind == "div" for arg in getattr(node, "args", ()))


def _is_mixed(node: Node) -> bool:
    """A whole number and a proper fraction in lowest terms."""
    node = _unsigned(node)
    if not (isinstance(node, Op) and node.note == "mixed"):
        return False
    part = node.args[1]
    if not isinstance(part, Op) or not all(isinstance(arg, Num) for arg in part.args):
        return False
    top, bottom = (int(arg.value) for arg in part.args if isinstance(arg, Num))
    return 0 < top < bottom and math.gcd(top, bottom) == 1


def _is_standard(node: Node) -> bool:
    """a × 10^n with 1 ≤ a < 10."""
    node = _unsigned(node)
    if not (isinstance(node, Op) and node.kind == "mul" and len(node.args) == 2):
        return False
    mantissa, power = _unsigned(node.args[0]), node.args[1]
    tens = isinstance(power, Op) and power.kind == "pow" and power.args[0] == Num(Fraction(10))
    return isinstance(mantissa, Num) and 1 <= mantissa.value < 10 and tens


def _is_simple_radical(node: Node) -> bool:
    """No square left under a root, no root below a fraction bar."""
    if not isinstance(node, Op):
        return True
    if node.kind == "div" and _holds_root(node.args[1]):
        return False
    if node.kind == "root":
        degree, radicand = node.args
        if isinstance(degree, Num) and isinstance(radicand, Num):
            return radicand.value.denominator == 1 and _is_free_of_powers(int(radicand.value), int(degree.value))
        return not _is_kind(radicand, "div")
    return all(_is_simple_radical(arg) for arg in node.args)


def _holds_root(node: Node) -> bool:
    return isinstance(node, Op) and (node.kind == "root" or any(_holds_root(arg) for arg in node.args))


def _is_kind(node: Node, kind: str) -> bool:
    return isinstance(node, Op) and node.kind == kind


def _is_free_of_powers(number: int, degree: int) -> bool:
    """Whether no n-th power above 1 divides the number; beyond a million the question is left open."""
    number = abs(number)
    if number < 2:
        return False
    return number > 10**6 or not any(number % base**degree == 0 for base in range(2, int(number ** (1 / degree)) + 2))


def _polynomial(node: Node) -> Any:
    """The expression as a sympy polynomial of bounded degree, or None where it is none."""
    import sympy

    names = sorted(symbols(node))
    try:
        expression = _sympy(node)
        polynomial = sympy.Poly(expression, *[sympy.Symbol(name) for name in names])
    except (Unreadable, sympy.PolynomialError):
        return None
    return polynomial if polynomial.total_degree() <= MAX_DEGREE and polynomial.domain in (sympy.ZZ, sympy.QQ) else None


def _sympy(node: Node, degree: int = 1) -> Any:
    """Sums, products and small whole powers as sympy objects. Raises Unreadable for all else."""
    import sympy

    if isinstance(node, Num):
        return sympy.Rational(node.value.numerator, node.value.denominator)
    if isinstance(node, Sym):
        return sympy.Symbol(node.name)
    if node.kind == "pow":
        exponent = node.args[1]
        if not isinstance(exponent, Num) or exponent.value.denominator != 1:
            raise Unreadable("no polynomial")
        if not 0 <= exponent.value * degree <= MAX_DEGREE:
            raise Unreadable("a degree beyond the bounds")
        return _sympy(node.args[0], degree * max(1, int(exponent.value))) ** int(exponent.value)
    parts = [_sympy(arg, degree) for arg in node.args]
    match node.kind:
        case "add":
            return sympy.Add(*parts)
        case "mul":
            return sympy.Mul(*parts)
        case "neg":
            return -parts[0]
        case "group":
            return parts[0]
        case "div" if parts[1].is_number and parts[1] != 0:
            return parts[0] / parts[1]
    raise Unreadable("no polynomial")
