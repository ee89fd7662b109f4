"""When something was made, as every file of the contract writes it: `2026-08-16T22:16:45Z`."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from .errors import UsageError


def is_fixed() -> bool:
    """Whether SOURCE_DATE_EPOCH fixes the time, so that the same input gives the same bytes."""
    return bool(os.environ.get("SOURCE_DATE_EPOCH", "").strip())


def now() -> str:
    """Now, or SOURCE_DATE_EPOCH (whole seconds since 1970) where it is set. Raises UsageError for nonsense there."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "").strip()
    try:
        return stamp(int(epoch)) if epoch else stamp(datetime.now(UTC).timestamp())
    except (ValueError, OverflowError, OSError) as fault:
        raise UsageError(f"SOURCE_DATE_EPOCH is {epoch!r}: give whole seconds since 1970") from fault


def stamp(seconds: float) -> str:
    """Seconds since 1970 as UTC."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
