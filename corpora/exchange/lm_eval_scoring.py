"""What an exported lm-eval task calls: its rows, and the points of a reply. Needs `datasets`, which lm-eval brings."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...models.paper_parts import needs_image
from ...models.request import ImagePart, TextPart
from ...solve.questions import Limits, make_asking
from .replies import scorer_for
from .rows import readable_key

if TYPE_CHECKING:
    from datasets import Dataset

PLACEHOLDER = "<image>"
"""Where lm-eval puts the pictures of a row, in order."""


class ExamTask:
    """The bundle in a folder, as lm-eval's hooks."""

    def __init__(self, bundle: Path) -> None:
        self.scorer = scorer_for(bundle)

    def in_words(self, **_: Any) -> dict[str, Dataset]:
        """The rows of the questions that need no picture, under the split `test`."""
        return {"test": self._dataset(pictures=False)}

    def with_pictures(self, **_: Any) -> dict[str, Dataset]:
        """The rows of the questions that need one."""
        return {"test": self._dataset(pictures=True)}

    def _dataset(self, *, pictures: bool) -> Dataset:
        from datasets import Dataset, Features, Image, List, Value

        text = Value("string")
        features: dict[str, Any] = {"id": text, "prompt": text, "target": text}
        if pictures:
            features["images"] = List(Image())
        return Dataset.from_list(self._rows(pictures=pictures), features=Features(features))

    def _rows(self, *, pictures: bool) -> list[dict[str, Any]]:
        bundle = self.scorer.bundle
        rows: list[dict[str, Any]] = []
        for name, asked in self.scorer.asked.items():
            if needs_image(asked) is not pictures:
                continue
            request = make_asking(asked, bundle.read_asset, Limits(format="text")).request
            texts = [part.text if isinstance(part, TextPart) else PLACEHOLDER for part in request.parts]
            grading = bundle.grading.questions.get(name)
            key = None if grading is None else readable_key(grading)
            row: dict[str, Any] = {
                "id": name,
                "prompt": "\n\n".join([request.system, *texts]),
                "target": "" if key is None else str(key),
            }
            if pictures:
                row["images"] = [_picture(part.data) for part in request.parts if isinstance(part, ImagePart)]
            rows.append(row)
        return rows

    def process_results(self, doc: dict[str, Any], results: Sequence[Any]) -> dict[str, tuple[float, float]]:
        """(points, points in all) of a reply, and the points that only a judge could give."""
        reply = results[0] if isinstance(results[0], str) else results[0][0]
        found = self.scorer.score(doc["id"], reply)
        ungraded = found.max_points if found.status == "ungraded" else 0.0
        return {
            "points_percentage": (found.awarded, found.max_points),
            "ungraded_percentage": (ungraded, found.max_points),
        }


def _picture(data: bytes) -> Any:
    from PIL import Image

    return Image.open(io.BytesIO(data)).convert("RGB")


def percentage(items: Sequence[tuple[float, float]]) -> float:
    """Points of points in all, in per cent: the aggregation of both metrics."""
    total = math.fsum(most for _, most in items)
    return 100 * math.fsum(points for points, _ in items) / total if total else 0.0
