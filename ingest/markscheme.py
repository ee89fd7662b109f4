"""Mark schemes and solutions."""

from __future__ import annotations

from collections.abc import Sequence

from ..schemas.findings import Finding
from .draft import DraftPaper, Figure, KeyEntry
from .lines import Line


def read_scheme(
    lines: Sequence[Line], paper: DraftPaper, figures: Sequence[Figure], kind: str
) -> tuple[list[KeyEntry], list[Finding]]:
    return [], []
