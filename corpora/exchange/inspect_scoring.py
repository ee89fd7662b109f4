"""What an exported task.py calls inside inspect_ai: the samples, the scorer, the metric. Needs inspect_ai to import.

inspect_ai reads the annotations of its metrics and scorers at run time, so its names are imported at the top here.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, ContentImage, ContentText
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, mean, metric, scorer
from inspect_ai.solver import TaskState, generate

from ...models.paper_parts import locate, needs_image
from ...models.request import ImagePart
from ...schemas.bundle import Bundle, load_bundle
from ...schemas.grading import QuestionGrading
from ...solve.questions import Limits, make_asking
from .replies import scorer_for
from .rows import readable_key


def exam_task(path: Path | str, *, blind: bool = False, text_only: bool = False) -> Task:
    """The bundle in the folder `path` as an inspect_ai task. Raises BundleError where it is none."""
    bundle = load_bundle(path)
    samples = _samples(bundle, blind=blind, text_only=text_only)
    return Task(
        dataset=MemoryDataset(samples, name=bundle.exam.exam_id),
        solver=generate(),
        scorer=by_rule(str(path)),
        metadata={"exam_id": bundle.exam.exam_id, "bundle_digest": bundle.digest(), "blind": blind},
        version=bundle.grading.revision,
    )


def _samples(bundle: Bundle, *, blind: bool, text_only: bool) -> list[Sample]:
    samples: list[Sample] = []
    for name, asked in locate(bundle.exam).items():
        if text_only and needs_image(asked):
            continue
        request = make_asking(asked, bundle.read_asset, Limits(format="text", images=not blind)).request
        messages = [ChatMessageSystem(content=request.system), ChatMessageUser(content=_content(request.parts))]
        metadata = {"type": asked.leaf.type, "points": asked.leaf.points, "section": asked.section.id}
        target = _target(bundle.grading.questions.get(name))
        samples.append(Sample(input=messages, id=name, target=target, metadata=metadata))
    return samples


def _content(parts: Sequence[Any]) -> list[Any]:
    return [
        ContentImage(image=f"data:{part.media_type};base64,{base64.b64encode(part.data).decode()}")
        if isinstance(part, ImagePart)
        else ContentText(text=part.text)
        for part in parts
    ]


def _target(grading: QuestionGrading | None) -> str | list[str]:
    key = None if grading is None else readable_key(grading)
    if isinstance(key, list) and all(isinstance(item, str) for item in key):
        return key
    return "" if key is None else str(key)


@metric(name="points_percentage")
def points_percentage() -> Metric:
    """Points earned of the points that could be scored, as a percentage: questions weigh by their points."""

    def compute(scores: list[SampleScore]) -> float:
        weights = [float((score.score.metadata or {}).get("max_points", 0.0)) for score in scores]
        total = sum(weights)
        earned = sum(score.score.as_float() * weight for score, weight in zip(scores, weights, strict=True))
        return 100 * earned / total if total else 0.0

    return compute


@scorer(metrics=[mean(), points_percentage()], name="exam2bench")
def by_rule(bundle: str) -> Scorer:
    """A reply's share of its question's points, by the bundle's rule; unscored where only a judge can tell."""

    async def score(state: TaskState, target: Target) -> Score:
        found = scorer_for(Path(bundle)).score(str(state.sample_id), state.output.completion)
        metadata = {"awarded": found.awarded, "max_points": found.max_points, "status": found.status}
        if found.status == "ungraded":
            return Score.unscored(answer=found.answer, explanation=found.detail, metadata=metadata)
        share = found.awarded / found.max_points if found.max_points else 0.0
        return Score(value=share, answer=found.answer, explanation=found.detail, metadata=metadata)

    return score
