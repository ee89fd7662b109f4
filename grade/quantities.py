"""The numeric rule: a number within the stated tolerance, its unit convertible."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from ..schemas.grading import NumericRule
from .constants import constant_value
from .marks import KeyFault
from .numbers import MAX_NUMBER_LENGTH, exact, quantities, readings, round_figures
from .units import convert, is_unit_like, same_unit

_ROUNDING = Fraction(1, 10**9)
"""Relative tolerance where a value is irrational (π/3) or a unit was converted: both are computed, not exact."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """`reason` says why an answer did not match, in words for the report."""

    matched: bool
    reason: str = ""


@dataclass(frozen=True)
class QuantityKey:
    """A numeric rule, read once. `percent`: the key itself is written with a percent sign."""

    rule: NumericRule
    value: Fraction
    exact_value: bool
    percent: bool
    comma: bool
    shown: str

    @classmethod
    def of(cls, rule: NumericRule, *, comma: bool = False) -> QuantityKey:
        """Raises KeyFault where the rule's value is no number. Keys are written with a decimal point unless
        only a comma makes sense."""
        shown = rule.value if isinstance(rule.value, str) else f"{rule.value:g}"
        shown_unit = f"{shown} {rule.unit}" if rule.unit else shown
        if not isinstance(rule.value, str):
            return cls(rule, exact(rule.value), True, False, comma, shown_unit)
        found = readings(rule.value, comma=comma)
        if found:
            number = found[-1]
            return cls(rule, number.value, True, number.percent, comma, shown_unit)
        value = constant_value(rule.value)
        if value is None:
            raise KeyFault(f"the key {rule.value[:60]!r} is not a number")
        return cls(rule, value, False, False, comma, shown_unit)

    def check(self, text: str) -> Verdict:
        """Whether an answer is the key's quantity. Never raises; an unreadable answer does not match."""
        if len(text) > MAX_NUMBER_LENGTH:
            return Verdict(False, "too long for a number")
        reason = "not a number"
        for value, unit, percent, rounded in self._candidates(text):
            verdict = self._compare(value, unit, percent, rounded)
            if verdict.matched:
                return verdict
            reason = verdict.reason
        return Verdict(False, reason)

    def _candidates(self, text: str) -> Iterator[tuple[Fraction, str, bool, bool]]:
        """(value, unit, percent, computed) of each reading of an answer."""
        found = list(quantities(text, comma=self.comma))
        if not found or any(unit for _, unit in found):
            # `2π` is a value, not two of a unit π
            value = constant_value(text)
            if value is not None:
                yield value, "", False, True
                return
        for number, unit in found:
            yield number.value, unit, number.percent, False

    def _compare(self, value: Fraction, unit: str, percent: bool, computed: bool) -> Verdict:
        if percent:
            if self.rule.unit is not None and same_unit("%", self.rule.unit):
                return self._near(value, computed)
            if self.percent:
                return self._near(value, computed)
            return Verdict(False, "a percentage, which the key does not allow")
        if self.percent:
            return self._near(value * 100, computed)
        if not self.rule.unit:
            if unit and not is_unit_like(unit):
                return Verdict(False, "not only a number")
            return self._near(value, computed)
        if not unit:
            return Verdict(False, "the unit is missing") if self.rule.unit_required else self._near(value, computed)
        converted = convert(value, unit, self.rule.unit)
        if converted is None:
            return Verdict(False, f"the unit is not {self.rule.unit}")
        return self._near(converted, computed or not same_unit(unit, self.rule.unit))

    def _near(self, value: Fraction, computed: bool) -> Verdict:
        """Within any tolerance that is stated, or exactly equal; both bounds belong to the tolerance."""
        gap, size = abs(value - self.value), abs(self.value)
        rule = self.rule
        if gap == 0 or ((computed or not self.exact_value) and gap <= _ROUNDING * size):
            return Verdict(True)
        slack = _ROUNDING * size if computed or not self.exact_value else Fraction(0)
        if rule.abs_tolerance is not None and gap <= exact(rule.abs_tolerance) + slack:
            return Verdict(True)
        if rule.rel_tolerance is not None and gap <= exact(rule.rel_tolerance) * size + slack:
            return Verdict(True)
        if rule.significant_figures is not None:
            figures = rule.significant_figures
            if round_figures(value, figures) & round_figures(self.value, figures):
                return Verdict(True)
        return Verdict(False, "another value")
