"""Regions of the number line as they are written: intervals in brackets, inequalities, `x > 1 and x < 3`."""

from __future__ import annotations

from dataclasses import dataclass

from .algebra import Node, Op, Sym


@dataclass(frozen=True, slots=True)
class Interval:
    low: Node
    high: Node
    closed: tuple[bool, bool]


ORDER = {"<", ">", "≤", "≥"}
_INFINITY = Sym("infty")


def interval_of(node: Node) -> Interval | None:
    """An interval in brackets, or an inequality that isolates one name."""
    if not isinstance(node, Op):
        return None
    if node.kind == "and":
        return between(*(interval_of(arg) for arg in node.args))
    if node.kind == "rel" and node.note == "∈" and isinstance(node.args[0], Sym):
        return interval_of(node.args[1])
    if node.kind == "seq" and len(node.args) == 2 and node.note and node.note not in {"{}"}:
        return Interval(node.args[0], node.args[1], (node.note[0] == "[", node.note[1] == "]"))
    if node.kind != "rel" or not set(node.note) <= ORDER:
        return None
    sides, signs = list(node.args), list(node.note)
    if signs[0] in {">", "≥"}:
        sides, signs = sides[::-1], [{">": "<", "≥": "≤", "<": ">", "≤": "≥"}[sign] for sign in reversed(signs)]
    if any(sign in ">≥" for sign in signs):
        return None
    minus = Op("neg", (_INFINITY,))
    if len(sides) == 3 and isinstance(sides[1], Sym):
        return Interval(sides[0], sides[2], (signs[0] == "≤", signs[1] == "≤"))
    if len(sides) == 2 and isinstance(sides[0], Sym) and not isinstance(sides[1], Sym):
        return Interval(minus, sides[1], (False, signs[0] == "≤"))
    if len(sides) == 2 and isinstance(sides[1], Sym) and not isinstance(sides[0], Sym):
        return Interval(sides[0], _INFINITY, (signs[0] == "≤", False))
    return None


def between(one: Interval | None, other: Interval | None) -> Interval | None:
    """`x > 1 and x < 3` as the interval from 1 to 3."""
    if one is None or other is None:
        return None
    below, above = (one, other) if infinite(one.low) else (other, one)
    if not infinite(below.low) or not infinite(above.high) or infinite(below.high) or infinite(above.low):
        return None
    return Interval(above.low, below.high, (above.closed[0], below.closed[1]))


def positive_side(node: Op) -> tuple[Node, bool]:
    """(d, strict) of an inequality written as d > 0 or d ≥ 0."""
    left, right = node.args
    larger = (left, right) if node.note in {">", "≥"} else (right, left)
    return difference(*larger), node.note in {">", "<"}


def difference(left: Node, right: Node) -> Node:
    return Op("add", (left, Op("neg", (right,))))


def infinite(node: Node) -> int:
    """1 or -1 for plus and minus infinity, 0 for all else."""
    if isinstance(node, Sym):
        return 1 if node.name in {"infty", "inf", "oo"} else 0
    if isinstance(node, Op) and node.kind == "neg":
        return -infinite(node.args[0])
    return 0
