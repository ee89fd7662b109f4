"""The expression rule: mathematically the same as the key, in the form that the paper demands."""

from __future__ import annotations

from dataclasses import dataclass

from ..schemas.grading import ExpressionRule
from .algebra import MAX_LENGTH, Node, Unreadable, parse
from .equivalence import Comparison
from .evaluate import TooLarge
from .forms import FORMS, form_of, has_form
from .marks import KeyFault
from .quantities import Verdict


@dataclass(frozen=True)
class ExpressionKey:
    """An expression rule, read once."""

    rule: ExpressionRule
    node: Node
    comparison: Comparison
    form: str | None
    comma: bool

    @classmethod
    def of(cls, rule: ExpressionRule, *, comma: bool = False) -> ExpressionKey:
        """Raises KeyFault where the key cannot be read, is beyond the bounds or asks for an unknown form."""
        names = frozenset(rule.variables or ())
        try:
            node = parse(rule.expression, names, comma=comma)
            comparison = Comparison(names)
            if not comparison.same(node, node):
                raise KeyFault(f"the key {rule.expression[:60]!r} has no value that could be compared")
        except (Unreadable, TooLarge) as fault:
            raise KeyFault(f"the key {rule.expression[:60]!r} cannot be read: {fault}") from fault
        form = form_of(rule.form) if rule.form else None
        if rule.form and form is None:
            raise KeyFault(f"the form {rule.form[:40]!r} is not known; known are {', '.join(FORMS)}")
        return cls(rule, node, comparison, form, comma)

    def check(self, text: str) -> Verdict:
        """Whether an answer is the key's expression. Never raises; what cannot be read does not match."""
        if len(text) > MAX_LENGTH:
            return Verdict(False, "too long for an expression")
        try:
            node = parse(text, self.comparison.variables, comma=self.comma)
            if not self.comparison.same(self.node, node):
                return Verdict(False, "not equivalent")
            if self.form and not has_form(node, self.form, self.node):
                return Verdict(False, f"equivalent, but not {self.form}")
        except Unreadable as fault:
            return Verdict(False, f"not readable as an expression: {fault}")
        except TooLarge as fault:
            return Verdict(False, f"not computed: {fault}")
        return Verdict(True)
