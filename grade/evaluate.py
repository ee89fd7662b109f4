"""Values of an expression at given points: exact where it is rational, to fifty figures where it is not.

Every operation is bounded by size before it is done, so the work depends on the expression alone and
never on the clock: the same answer gets the same verdict on every machine, and 9**9**9 is refused, not tried.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from .algebra import Node, Num, Op, Sym

FIGURES = 50
MAX_BITS = 4_096
"""Bits of the largest exact numerator or denominator."""
MAX_MAGNITUDE = 20_000
"""Powers of two of the largest value that is computed."""
MAX_FACTORIAL = 200


class TooLarge(ValueError):
    """A value on the way is beyond the bounds: it is not computed."""


class Undefined(ArithmeticError):
    """There is no value here: a division by zero, a logarithm of zero."""


CONSTANTS = frozenset({"pi", "e", "i", "infty", "inf", "oo"})


def symbols(node: Node) -> set[str]:
    """The names in an expression, constants included."""
    if isinstance(node, Sym):
        return {node.name}
    if isinstance(node, Op):
        return set().union(*(symbols(arg) for arg in node.args)) if node.args else set()
    return set()


def exact_value(node: Node, point: Mapping[str, Fraction]) -> Fraction | None:
    """The rational value of an expression that has one by rational operations alone, else None.

    Raises TooLarge, Undefined.
    """
    if isinstance(node, Num):
        return node.value
    if isinstance(node, Sym):
        return point.get(node.name)
    values: list[Fraction] = []
    for arg in node.args:
        value = exact_value(arg, point)
        if value is None:
            return None
        values.append(value)
    return _bounded(_exact(node.kind, values))


def _exact(kind: str, values: list[Fraction]) -> Fraction | None:
    match kind:
        case "add":
            return sum(values, Fraction(0))
        case "mul":
            return _bounded_product(values)
        case "neg":
            return -values[0]
        case "group":
            return values[0]
        case "percent":
            return values[0] / 100
        case "div":
            if values[1] == 0:
                raise Undefined("division by zero")
            return values[0] / values[1]
        case "pow":
            return _exact_power(values[0], values[1])
        case "root":
            return _exact_root(values[0], values[1])
        case "abs":
            return abs(values[0])
        case "floor":
            return Fraction(math.floor(values[0]))
        case "ceil":
            return Fraction(math.ceil(values[0]))
        case "factorial":
            return Fraction(math.factorial(_factorial_argument(values[0])))
    return None


def _bounded_product(values: list[Fraction]) -> Fraction:
    product = Fraction(1)
    for value in values:
        product = _bounded(product * value) or Fraction(0)
    return product


def _bounded(value: Fraction | None) -> Fraction | None:
    if value is not None and max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
        raise TooLarge("a number of too many digits")
    return value


def _exact_power(base: Fraction, exponent: Fraction) -> Fraction | None:
    if exponent.denominator != 1:
        root = _exact_root(Fraction(exponent.denominator), base) if exponent.denominator <= 64 else None
        return None if root is None else _exact_power(root, Fraction(exponent.numerator))
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    if abs(base) not in (0, 1) and bits * abs(exponent) > MAX_BITS:
        raise TooLarge("a power of too many digits")
    if base == 0 and exponent <= 0:
        raise Undefined("zero to the power of zero or less")
    if abs(base) == 1:
        return base if exponent.numerator % 2 else Fraction(1)
    return Fraction(0) if base == 0 else base**exponent.numerator


def _exact_root(degree: Fraction, radicand: Fraction) -> Fraction | None:
    """The real root, where it is rational."""
    if degree.denominator != 1 or not 1 <= degree <= 64:
        return None
    n, sign = degree.numerator, -1 if radicand < 0 else 1
    if sign < 0 and n % 2 == 0:
        return None
    top, bottom = _integer_root(abs(radicand.numerator), n), _integer_root(radicand.denominator, n)
    return None if top is None or bottom is None else sign * Fraction(top, bottom)


def _integer_root(value: int, degree: int) -> int | None:
    low, high = 0, 1 << (value.bit_length() // degree + 1)
    while low < high:
        middle = (low + high) // 2
        if middle**degree < value:
            low = middle + 1
        else:
            high = middle
    return low if low**degree == value else None


def _factorial_argument(value: Fraction) -> int:
    if value.denominator != 1 or value < 0:
        raise Undefined("the factorial of a number that is not natural")
    if value > MAX_FACTORIAL:
        raise TooLarge("a factorial of too many digits")
    return value.numerator


@lru_cache(maxsize=1)
def _context() -> Any:
    from mpmath.ctx_mp import MPContext

    context = MPContext()  # our own: the library's shared one may be set by others
    context.dps = FIGURES + 10
    return context


def value(node: Node, point: Mapping[str, Fraction], free: frozenset[str] = frozenset()) -> Any:
    """The value as a complex number of fifty good figures (mpmath). `free`: names that are variables although
    they are those of constants (e, i). Raises TooLarge, Undefined."""
    context = _context()
    try:
        exact = exact_value(node, point)
    except TooLarge:
        exact = None  # too long to be exact, perhaps not too large for fifty figures
    if exact is not None:
        return context.mpc(context.mpf(exact.numerator) / exact.denominator)
    if isinstance(node, Sym):
        return _constant(node.name, free)
    assert isinstance(node, Op)  # a Num always has an exact value
    if not node.args:
        raise Undefined("an empty list is no number")
    values = [value(arg, point, free) for arg in node.args]
    try:
        result = context.mpc(_computed(context, node, values, point))
    except (ZeroDivisionError, ValueError) as fault:
        if isinstance(fault, TooLarge):
            raise
        raise Undefined("no value here") from fault
    if not (context.isfinite(result.real) and context.isfinite(result.imag)):
        raise Undefined("no finite value here")
    if result != 0 and abs(context.mag(result)) > MAX_MAGNITUDE:
        raise TooLarge("a value beyond the bounds")
    return result


def _constant(name: str, free: frozenset[str]) -> Any:
    context = _context()
    if name not in free:
        if name == "pi":
            return context.mpc(context.pi)
        if name == "e":
            return context.mpc(context.e)
        if name == "i":
            return context.mpc(0, 1)
        if name in CONSTANTS:
            raise Undefined("infinity is no number")
    raise Undefined(f"{name} has no value")


def _computed(context: Any, node: Op, values: list[Any], point: Mapping[str, Fraction]) -> Any:
    first = values[0]
    match node.kind:
        case "add":
            return context.fsum(values)
        case "mul":
            return context.fprod(values)
        case "neg":
            return -first
        case "group":
            return first
        case "div":
            return first / values[1]
        case "percent":
            return first / 100
        case "degree":
            return first * context.pi / 180
        case "pow":
            return _power(context, node, first, values[1], point)
        case "root":
            return _root(context, first, values[1])
        case "log":
            return _logarithm(context, values[1]) / _logarithm(context, first)
        case "factorial":
            if first.real > MAX_FACTORIAL:
                raise TooLarge("a factorial of too many digits")
            raise Undefined("the factorial of a number that is not natural")
    return _function(context, node.kind, first)


def _power(context: Any, node: Op, base: Any, exponent: Any, point: Mapping[str, Fraction]) -> Any:
    if base == 0:
        if exponent.real <= 0:
            raise Undefined("zero to the power of zero or less")
        return base
    if abs(context.mag(base)) * max(1, abs(exponent)) > MAX_MAGNITUDE:
        raise TooLarge("a power beyond the bounds")
    exact = _exact_or_none(node.args[1], point)
    if exact is not None and base.imag == 0 and base.real < 0 and exact.denominator % 2 == 1:
        # x^(1/3) of a negative number is the real root, as schools have it
        size = context.power(-base.real, context.mpf(exact.numerator) / exact.denominator)
        return -size if exact.numerator % 2 else size
    return context.power(base, exponent)


def _exact_or_none(node: Node, point: Mapping[str, Fraction]) -> Fraction | None:
    try:
        return exact_value(node, point)
    except TooLarge:
        return None


def _root(context: Any, degree: Any, radicand: Any) -> Any:
    if degree.imag != 0 or degree.real != context.floor(degree.real) or not 1 <= degree.real <= 1000:
        return context.power(radicand, 1 / degree)
    if radicand.imag == 0 and radicand.real < 0 and int(degree.real) % 2 == 1:
        return -context.power(-radicand.real, 1 / degree.real)
    return context.power(radicand, 1 / degree.real)


def _logarithm(context: Any, argument: Any) -> Any:
    if argument == 0:
        raise Undefined("the logarithm of zero")
    return context.log(argument)


_PLAIN = {"asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "sin", "cos", "tan", "cot", "sec", "csc"}


def _function(context: Any, name: str, argument: Any) -> Any:
    if name == "ln":
        return _logarithm(context, argument)
    if name == "lg":
        return _logarithm(context, argument) / context.log(10)
    if name == "abs":
        return abs(argument)
    if name in {"floor", "ceil"}:
        if argument.imag != 0:
            raise Undefined("no whole part of a complex number")
        return context.floor(argument.real) if name == "floor" else context.ceil(argument.real)
    if name == "sgn":
        return context.sign(argument)
    if name in _PLAIN:
        if argument != 0 and context.mag(argument) > 14:
            raise TooLarge("an argument beyond the bounds")
        return getattr(context, name)(argument)
    raise Undefined(f"{name} is no function")
