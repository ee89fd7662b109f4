"""A witness: one independent reading of an exam, by the layout engine or by a model, in the contract's records.

Readings are compared field by field and each is proved against the page. Ids follow one rule for all witnesses
(`assembly/ids.py`: from the section and the printed label), so equal questions mostly have equal ids.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..schemas.exam import Exam, Region
from ..schemas.grading import GradingSpec


@dataclass(frozen=True)
class Answer:
    """What a key, mark scheme or solution says of one question: `raw` as printed, and where it stands."""

    raw: str
    regions: tuple[Region, ...] = ()
    origin: str = "key"
    """`key`, `markscheme`, `solution` or `printed` (in the paper itself)."""


@dataclass(frozen=True)
class Witness:
    """One reading. `name` is `layout` or a model's name.

    `places` are the regions that the witness itself names, by field path (`q3`, `q3.prompt`, `q3.options.B`);
    a path that is missing says nothing. `answers` by question id, where a source answers the question.
    """

    name: str
    exam: Exam
    grading: GradingSpec
    places: Mapping[str, tuple[Region, ...]] = field(default_factory=dict)
    answers: Mapping[str, Answer] = field(default_factory=dict)
