"""How a bundle was read where a model took part: models, prompts, what each stage cost, where each field came from."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from .base import Contract, Ratio
from .exam import Region


class PromptUsed(Contract):
    version: int
    digest: str


class FieldOrigin(Contract):
    """Where one field of a question came from.

    `witness`: `layout`, a model's name, or `both` where they agree. `round`: 0 for a first reading, 1 to 3 for the
    round of asking again that settled it. `match`: share of its letters that stand in `regions`.
    """

    witness: str
    round: int = 0
    match: Ratio | None = None
    regions: list[Region] = []


class ModelReading(Contract):
    """What the manifest keeps of a reading by a model. `stages` by model, then by pass: calls, tokens, cost_usd,
    seconds, cache_hits. `origins` by question id, then by field (`prompt`, `options.B`, `key`)."""

    models: list[str]
    effort: str | None = None
    prompts: dict[str, PromptUsed] = {}
    windows: list[dict[str, Any]] = []
    stages: dict[str, dict[str, dict[str, Any]]] = {}
    second_opinion: dict[str, Any] | None = None
    origins: dict[str, dict[str, FieldOrigin]] = Field(default={})
