"""A hard cap on money: a call is sent only if the cap holds even where everything in flight costs the most."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from ..schemas.errors import BudgetError, UsageError
from .names import ModelName
from .outcome import Usage
from .prices import Price, find_price, worst_cost
from .request import Question


@dataclass
class Purse:
    """Dollars spent, reserved and allowed, by one model or by all that share it in one event loop. `settled` is
    notified when a reservation ends: only then can a call fit that did not."""

    max_cost: float | None = None
    spent: float = 0.0
    reserved: float = 0.0
    settled: asyncio.Condition = field(default_factory=asyncio.Condition)


class Budget:
    """One model's bills against a purse. `price` None: unknown, which no cap can work with. `spent`: by this model.

    A re-ask and a retry are calls of their own and reserve anew.
    """

    def __init__(
        self,
        model: ModelName,
        *,
        max_cost: float | None = None,
        price: Price | None = None,
        purse: Purse | None = None,
    ) -> None:
        self.price = price or find_price(model)
        self.purse = purse or Purse(max_cost)
        self.spent = 0.0
        max_cost = self.purse.max_cost
        if max_cost is not None and self.price is None:
            raise UsageError(f"--max-cost needs a price and none is known for {model}: add --price IN,OUT")
        if max_cost is not None and max_cost < 0:
            raise UsageError(f"--max-cost {max_cost}: the most you are ready to spend, in US dollars, is not negative")

    def worst(self, question: Question) -> float:
        return 0.0 if self.price is None else worst_cost(question, self.price)

    def fits(self, amount: float) -> bool:
        purse = self.purse
        return purse.max_cost is None or purse.spent + purse.reserved + amount <= purse.max_cost + 1e-12

    def reserve(self, amount: float) -> None:
        self.purse.reserved += amount

    def settle(self, amount: float, usage: Usage | None) -> None:
        """Replace a reservation by the bill; no usage: the call was not answered and is not charged."""
        self.purse.reserved -= amount
        if usage is not None and self.price is not None:
            cost = self.price.cost(usage)
            self.spent += cost
            self.purse.spent += cost

    def broken(self, amount: float) -> BudgetError:
        return BudgetError(
            f"stopped before a call of up to ${amount:.4f}: ${self.purse.spent:.4f} of --max-cost "
            f"${self.purse.max_cost:.4f} is spent; what is done is kept, the same command with a higher cap continues"
        )

    def cost(self, usage: Usage) -> float | None:
        return None if self.price is None else self.price.cost(usage)
