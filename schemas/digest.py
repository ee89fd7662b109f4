"""The digest that pins a score to the exact paper and key."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping

from .assets import named_assets
from .exam import Exam
from .grading import GradingSpec


def digest(exam: Exam, grading: GradingSpec, read_asset: Callable[[str], bytes]) -> str:
    """sha256, 64 hex digits, over the canonical JSON of exam and grading and of every asset they name.

    Canonical JSON: keys sorted, no white space, UTF-8, whole floats written as floats. `read_asset` returns
    an asset's bytes by its name; what it raises passes through.
    """
    names = {name for name, _ in named_assets(exam, grading)}
    return digest_of(exam, grading, {name: hashlib.sha256(read_asset(name)).hexdigest() for name in names})


def digest_of(exam: Exam, grading: GradingSpec, asset_hashes: Mapping[str, str]) -> str:
    """The same from assets' sha256 values (64 hex digits by name), where they are known already."""
    parts = {
        "exam": exam.model_dump(mode="json"),
        "grading": grading.model_dump(mode="json"),
        "assets": dict(asset_hashes),
    }
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
