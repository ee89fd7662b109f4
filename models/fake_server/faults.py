"""What can go wrong with a provider, drawn per request from a seed so that a run can be repeated."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from ...schemas.errors import UsageError

# before an answer is made, so nothing is paid for
UNANSWERED = ("429", "429_after", "500", "529", "drop")
# answered and spoilt on the way or by the model
SPOILT = ("cut", "slow", "truncated_json", "refusal", "empty", "wrong_schema")
FAULTS: tuple[str, ...] = UNANSWERED + SPOILT
BATCH_FAULTS = ("errored", "expired", "duplicate")


@dataclass
class Faults:
    """rate: share of requests that fail, each way equally often. `drawn` counts what was dealt out."""

    rate: float = 0.0
    kinds: Sequence[str] = FAULTS
    seed: int = 0
    drawn: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        unknown = set(self.kinds) - set(FAULTS) - set(BATCH_FAULTS)
        if unknown:
            raise UsageError(f"unknown faults {', '.join(sorted(unknown))}: choose from {', '.join(FAULTS)}")

    def draw(self, digest: str, seen: int, among: Sequence[str]) -> str | None:
        """The fault for this body when it comes for the `seen`-th time, or None."""
        kinds = [kind for kind in self.kinds if kind in among]
        dice = random.Random(f"{self.seed}:{digest}:{seen}")
        if not kinds or dice.random() >= self.rate:
            return None
        kind = dice.choice(kinds)
        self.drawn[kind] += 1
        return kind
