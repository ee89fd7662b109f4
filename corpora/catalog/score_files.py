"""Headline scores read back from what `exam2bench score --json` wrote."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from ...schemas.errors import BundleError, UsageError
from ...schemas.json_files import read_json
from ...schemas.printable import printable
from .scales import Figure, Scale, Unit, top


class _Headline(BaseModel):
    model_config = ConfigDict(extra="ignore", allow_inf_nan=False)
    quantity: str
    scale: Unit
    highest: float | None = None
    value: float


class _View(BaseModel):
    headline: _Headline


class _Score(BaseModel):
    benchmark: str
    views: dict[str, _View]


def figures(path: Path, view: str) -> list[Figure]:
    """The headline of one view of each score in a file. Raises BundleError for another file, UsageError for a
    view that was not scored."""
    data = read_json(path)
    found: list[Figure] = []
    for entry in data if isinstance(data, list) else [data]:
        try:
            score = _Score.model_validate(entry)
        except ValidationError as error:
            raise BundleError(f"{printable(path)} is not what `exam2bench score --json` writes") from error
        if view not in score.views:
            raise UsageError(f"{printable(path)} has no {printable(view)} view: it has {', '.join(score.views)}")
        head = score.views[view].headline
        scale = Scale(head.quantity, head.scale, top(head.scale, head.highest))
        found.append(Figure(score.benchmark, view, scale, head.value))
    return found
