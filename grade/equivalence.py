"""Whether two expressions mean the same: as values at many points, and, for lists, intervals, equations and
matrices, part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any

from .algebra import Node, Num, Op, Sym
from .evaluate import CONSTANTS, TooLarge, Undefined, exact_value, symbols, value
from .regions import ORDER, Interval, difference, infinite, interval_of, positive_side

MAX_LIST = 20
"""Members of the longest list that is compared."""
MIN_POINTS = 3
"""Points at which both sides must have a value before they can be called equal."""

# fixed, so that the same answer gets the same verdict everywhere; of both signs, below and above one, no round
# numbers; the last ones are whole, for factorials and (-1)^n
_BASE = [
    Fraction(*pair)
    for pair in ((13, 11), (37, 17), (-23, 19), (5, 13), (-4, 9), (61, 7), (-127, 23), (17, 29), (223, 71))
]
_WHOLE = [2, 3, 5, 8, 4]
_TINY = 10.0**-45


@dataclass(frozen=True)
class Comparison:
    """`variables`: the names that the key declares (empty: whatever occurs)."""

    variables: frozenset[str] = field(default_factory=frozenset)

    def same(self, key: Node, answer: Node) -> bool:
        """Whether two trees mean the same. Raises TooLarge where a value is beyond the bounds."""
        key, answer = _bare(key), _bare(answer)
        key, answer = self._unassigned(key, answer)
        members = _members(key), _members(answer)
        if _is_region(key) or _is_region(answer):
            return self._same_regions(key, answer)
        if _is_list(key) or _is_list(answer):
            return self._same_members(*members)
        if _is_kind(key, "matrix") or _is_kind(answer, "matrix"):
            return self._same_matrices(key, answer)
        if _is_kind(key, "seq") or _is_kind(answer, "seq"):
            return self._same_tuples(key, answer)
        if _is_kind(key, "rel") or _is_kind(answer, "rel"):
            return self._same_equations(key, answer)
        return self.same_values(key, answer)

    def _unassigned(self, key: Node, answer: Node) -> tuple[Node, Node]:
        """`x = 2` says 2 where the other side is a value: the name is the question's, not the answer's."""
        if _is_equation(answer) and not _is_kind(key, "rel"):
            answer = self._assigned(answer)
        elif _is_equation(key) and not _is_kind(answer, "rel"):
            key = self._assigned(key)
        return key, answer

    def _assigned(self, equation: Node) -> Node:
        """The value of `name = value` or `name = … = value`; the equation itself where it assigns nothing."""
        assert isinstance(equation, Op)
        sides = equation.args if _names_something(equation.args[0]) else equation.args[::-1]
        name, last = sides[0], sides[-1]
        if not _names_something(name) or set(equation.note) != {"="}:
            return equation
        named = _head(name)
        if named in CONSTANTS - self.variables or (isinstance(name, Sym) and named in symbols(last)):
            return equation
        foreign = isinstance(name, Sym) and bool(self.variables) and named not in self.variables
        if foreign and not symbols(last):
            # `a = x + 1` may name the result, `y = 2` may not stand for x
            return equation
        for one, other in pairwise(sides[1:]):
            if not self.same_values(one, other):
                return equation
        return last

    def _same_members(self, keys: Sequence[Node], answers: Sequence[Node]) -> bool:
        """Lists and sets: each member of one is in the other; order and repetition do not count."""
        if max(len(keys), len(answers)) > MAX_LIST:
            raise TooLarge("a list of too many members")

        def within(some: Sequence[Node], others: Sequence[Node], swap: bool) -> bool:
            return all(any(self.same(b, a) if swap else self.same(a, b) for b in others) for a in some)

        return within(keys, answers, False) and within(answers, keys, True)

    def _same_tuples(self, key: Node, answer: Node) -> bool:
        one, other = _sequence(key), _sequence(answer)
        if one is None or other is None or len(one) != len(other) or len(one) > MAX_LIST:
            return False
        notes = [node.note for node in (key, answer) if isinstance(node, Op) and node.kind == "seq"]
        if len(one) == 2 and len(notes) == 2 and notes[0] != notes[1]:
            return False
        return all(self.same(a, b) for a, b in zip(one, other, strict=True))

    def _same_matrices(self, key: Node, answer: Node) -> bool:
        one, other = _rows(key), _rows(answer)
        if one is None or other is None:
            flat = _vector(key), _vector(answer)
            if flat[0] is None or flat[1] is None or len(flat[0]) != len(flat[1]):
                return False
            return all(self.same(a, b) for a, b in zip(flat[0], flat[1], strict=True))
        if [len(row) for row in one] != [len(row) for row in other]:
            return False
        return all(
            self.same(a, b) for row, cells in zip(one, other, strict=True) for a, b in zip(row, cells, strict=True)
        )

    def _same_equations(self, key: Node, answer: Node) -> bool:
        """Equations are the same where one is a multiple of the other."""
        if not (_is_equation(key) and _is_equation(answer)):
            return False
        assert isinstance(key, Op) and isinstance(answer, Op)
        if len(key.args) != 2 or len(answer.args) != 2:
            return False
        return self._constant_ratio(difference(*key.args), difference(*answer.args), positive=False)

    def _same_regions(self, key: Node, answer: Node) -> bool:
        """Inequalities, intervals and their unions, as sets of intervals."""
        names = [symbols(node) - (CONSTANTS - self.variables) for node in (key, answer)]
        if _holds_relation(key) and _holds_relation(answer) and names[0] != names[1]:
            return False  # x > 2 says nothing about y
        one, other = self._intervals(key), self._intervals(answer)
        if one is not None and other is not None:
            if len(one) != len(other):
                return False
            return all(any(self._same_interval(a, b) for b in other) for a in one)
        return self._same_inequalities(key, answer)

    def _same_interval(self, a: Interval, b: Interval) -> bool:
        return a.closed == b.closed and self.same_values(a.low, b.low) and self.same_values(a.high, b.high)

    def _same_inequalities(self, key: Node, answer: Node) -> bool:
        """Inequalities in several names: the same side of the same border."""
        if not (_is_kind(key, "rel") and _is_kind(answer, "rel")):
            return False
        assert isinstance(key, Op) and isinstance(answer, Op)
        if len(key.args) != 2 or len(answer.args) != 2 or key.note not in ORDER or answer.note not in ORDER:
            return False
        one, strict_one = positive_side(key)
        other, strict_other = positive_side(answer)
        return strict_one == strict_other and self._constant_ratio(one, other, positive=True)

    def _intervals(self, node: Node) -> list[Interval] | None:
        """A region on the number line, where it is one of a single name; else None."""
        parts: list[Interval] = []
        for piece in _members(node) if _is_list(node) else [node]:
            for member in piece.args if isinstance(piece, Op) and piece.kind == "union" else [piece]:
                interval = interval_of(member)
                if interval is None:
                    return None
                parts.append(interval)
        return parts

    def same_values(self, key: Node, answer: Node) -> bool:
        """Whether two values agree at every point at which they are compared."""
        if infinite(key) or infinite(answer):
            return infinite(key) == infinite(answer)
        return self._agree(key, answer, _equal)

    def _constant_ratio(self, key: Node, answer: Node, *, positive: bool) -> bool:
        ratios: list[Any] = []

        def proportional(one: Any, other: Any) -> bool:
            if one == 0 or other == 0:
                return one == other
            ratios.append(other / one)
            if positive and not _real_positive(ratios[0]):
                return False
            return _equal(ratios[0], ratios[-1])

        return self._agree(key, answer, proportional) and bool(ratios)

    def _agree(self, key: Node, answer: Node, equal: Callable[[Any, Any], bool]) -> bool:
        names = (symbols(key) | symbols(answer)) - (CONSTANTS - self.variables)
        compared = 0
        for point in _points(sorted(names)):
            one, other = self._at(key, point), self._at(answer, point)
            if one is None and other is None:
                continue
            if one is None or other is None or not equal(one, other):
                return False
            compared += 1
            if not names:
                return True
        return compared >= MIN_POINTS

    def _at(self, node: Node, point: Mapping[str, Fraction]) -> Any:
        """The value at a point, exact where that is possible; None where there is none."""
        try:
            try:
                exact = exact_value(node, point)
            except TooLarge:
                exact = None
            return value(node, point, self.variables) if exact is None else exact
        except Undefined:
            return None


def _points(names: list[str]) -> Iterator[dict[str, Fraction]]:
    for n in range(len(_BASE)):
        yield {name: _BASE[(n + 2 * k) % len(_BASE)] + Fraction(k, 101) for k, name in enumerate(names)}
    for n in range(len(_WHOLE)):
        yield {name: Fraction(_WHOLE[(n + k) % len(_WHOLE)] + k // len(_WHOLE)) for k, name in enumerate(names)}


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return one == other
    one, other = _complex(one), _complex(other)
    size = max(abs(one), abs(other))
    return size < _TINY or abs(one - other) <= size * 10**-30


def _complex(number: Any) -> Any:
    return value(Num(number), {}) if isinstance(number, Fraction) else number


def _real_positive(number: Any) -> bool:
    if isinstance(number, Fraction):
        return number > 0
    return abs(number.imag) <= abs(number.real) * 10**-30 and number.real > 0


def _is_kind(node: Node, kind: str) -> bool:
    return isinstance(node, Op) and node.kind == kind


def _is_list(node: Node) -> bool:
    return isinstance(node, Op) and node.kind == "seq" and node.note in {"", "{}"}


def _is_region(node: Node) -> bool:
    if not isinstance(node, Op):
        return False
    if node.kind == "rel":
        return bool(set(node.note) & ORDER) or (node.note == "∈" and not _is_list(node.args[1]))
    return node.kind in {"union", "and"} or (node.kind == "seq" and node.note in {"[)", "(]", "][", "](", "]]", "[["})


def _holds_relation(node: Node) -> bool:
    return isinstance(node, Op) and (node.kind == "rel" or any(_holds_relation(arg) for arg in node.args))


def _is_equation(node: Node) -> bool:
    return isinstance(node, Op) and node.kind == "rel" and set(node.note) <= {"=", "≈"}


def _names_something(node: Node) -> bool:
    """A bare name, or a function of names such as f(x)."""
    if isinstance(node, Sym):
        return True
    return (
        isinstance(node, Op)
        and node.kind == "mul"
        and node.note == "implicit"
        and len(node.args) == 2
        and all(isinstance(arg, Sym) for arg in node.args)
    )


def _head(node: Node) -> str:
    return node.name if isinstance(node, Sym) else _head(node.args[0]) if isinstance(node, Op) else ""


def _members(node: Node) -> list[Node]:
    """The members of a list or set, `±` and `x ∈ {…}` spelt out; a single value is a list of one."""
    if _is_list(node):
        assert isinstance(node, Op)
        shared = _shared_name(node.args)
        return [_named(shared, one) for member in node.args for one in _members(member)]
    if isinstance(node, Op) and node.kind == "rel" and node.note in {"=", "∈"} and _is_list(node.args[1]):
        return _members(node.args[1])
    return [node]


def _shared_name(members: Sequence[Node]) -> Node | None:
    """`x = 1, 2` names x once for all members."""
    first = members[0] if members else None
    if len(members) > 1 and _is_equation(first) if first else False:
        assert isinstance(first, Op)
        others = members[1:]
        if isinstance(first.args[0], Sym) and not any(_is_kind(other, "rel") for other in others):
            return first.args[0]
    return None


def _named(name: Node | None, member: Node) -> Node:
    if name is None or _is_kind(member, "rel"):
        return member
    return Op("rel", (name, member), "=")


def _bare(node: Node) -> Node:
    """`node` without a bracket around it, `±` spelt out as a list."""
    while isinstance(node, Op) and node.kind == "group":
        node = node.args[0]
    if isinstance(node, Op) and node.kind == "rel" and node.note == "∈" and _is_list(node.args[1]):
        node = node.args[1]
    if _has_signs(node):
        upper, lower = _signed(node, 1), _signed(node, -1)
        return Op("seq", (*_members(upper), *_members(lower)))
    return node


def _has_signs(node: Node) -> bool:
    return isinstance(node, Op) and (node.kind in {"pm", "mp"} or any(_has_signs(arg) for arg in node.args))


def _signed(node: Node, sign: int) -> Node:
    """`±` as plus (1) or minus (-1), all of them together; `∓` the other way."""
    if not isinstance(node, Op):
        return node
    args = tuple(_signed(arg, sign) for arg in node.args)
    if node.kind in {"pm", "mp"}:
        return args[0] if (node.kind == "pm") == (sign == 1) else Op("neg", args)
    return Op(node.kind, args, node.note)


def _sequence(node: Node) -> tuple[Node, ...] | None:
    if isinstance(node, Op) and node.kind == "seq":
        return node.args
    return tuple(_vector(node) or ()) or None


def _rows(node: Node) -> list[tuple[Node, ...]] | None:
    """The rows of a matrix, also where it is written as a list of lists."""
    if not isinstance(node, Op) or node.kind not in {"matrix", "seq"}:
        return None
    rows = [row.args for row in node.args if isinstance(row, Op) and row.kind == "seq"]
    return rows if len(rows) == len(node.args) else None


def _vector(node: Node) -> list[Node] | None:
    """A tuple, or a matrix of one row or column, as its components."""
    if isinstance(node, Op) and node.kind == "seq":
        return list(node.args)
    rows = _rows(node)
    if rows is None:
        return None
    if len(rows) == 1:
        return list(rows[0])
    return [row[0] for row in rows] if all(len(row) == 1 for row in rows) else None
