"""Reports of a sealed bundle: the score, the answer and what was right in it, but never the key."""

from __future__ import annotations

from typing import Any

from .entries import Outcome, outcome

_KEY = frozenset({"correct", "expected"})
"""Fields of a result's detail that repeat the key."""


def redacted(one: Outcome) -> Outcome:
    """The outcome without the key: its fields are left out, and judges' words, which may quote a rubric or a
    reference answer, are empty."""
    detail = _without_key(one.detail)
    verdicts = [
        {**verdict, "overall_rationale": "", "criteria": [{**c, "rationale": ""} for c in verdict["criteria"]]}
        for verdict in one.verdicts
    ]
    return outcome(one.question_id, one.mode, one.max_points, one.awarded, detail, one.findings, verdicts)


def _without_key(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_key(item) for item in value]
    if not isinstance(value, dict):
        return value
    # why a written answer misses ("off by 0.2") tells the key to whoever has the answer
    dropped = _KEY | {"reason"} if _KEY & value.keys() else _KEY
    return {key: _without_key(item) for key, item in value.items() if key not in dropped}
