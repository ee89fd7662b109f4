"""What a bench knows of each question of a bundle: its kind, its group, its page, and the digest by which another
bundle's question is seen to be the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from functools import lru_cache
from pathlib import PurePath
from typing import Any

from ...grade.breakdown import rule_kinds
from ...models.paper_parts import Asked, locate, needs_image
from ...schemas.bundle import Bundle
from ...schemas.exam import Question
from .record import ExamEntry, QuestionEntry

# where it is printed, how it was proved and what it is called shape neither the question nor its grading
_INCIDENTAL = {"id", "number", "provenance", "snapshot", "checks", "children"}


def exam_entry(bundle: Bundle, asked: Collection[str]) -> ExamEntry:
    """The bundle's exam; `asked`: ids of the questions that are put to models. Raises BundleError for a lost asset."""
    kinds = rule_kinds(bundle.grading)
    asset_hash = lru_cache(maxsize=None)(lambda name: hashlib.sha256(bundle.read_asset(name)).hexdigest())
    questions: dict[str, QuestionEntry] = {}
    for name, place in locate(bundle.exam).items():
        grading = bundle.grading.questions.get(name)
        questions[name] = QuestionEntry(
            digest=question_digest(place, None if grading is None else grading.model_dump(mode="json"), asset_hash),
            type=place.leaf.type,
            section=place.section.title or place.section.id,
            group=place.group,
            max_points=grading.max_points if grading else place.leaf.points,
            decided_by="judge" if kinds.get(name, "judge") == "judge" else "rule",
            needs_image=needs_image(place),
            asked=name in asked,
            place=printed_place(bundle, place.leaf),
        )
    return ExamEntry(
        exam_id=bundle.exam.exam_id,
        title=bundle.exam.title,
        language=bundle.exam.language,
        bundle_digest=bundle.digest(),
        bundle_source=bundle.manifest.source(),
        questions=questions,
    )


def question_digest(asked: Asked, grading: dict[str, Any] | None, asset_hash: Any) -> str:
    """sha256 over everything that is put to a taker with this question and all of its grading. Two questions with equal
    digests are the same question under the same key, whatever they are called and wherever they are printed."""
    shown = [_content(question) for question in (*asked.ancestors, asked.leaf)]
    directions = {
        "title": asked.section.title,
        "blocks": [b.model_dump(mode="json") for b in asked.section.instructions],
    }
    rule = {key: value for key, value in (grading or {}).items() if key != "question_id"}
    parts = [directions, shown, rule]
    assets = {name: asset_hash(name) for name in sorted(_assets(parts))}
    text = json.dumps([parts, assets], sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _content(question: Question) -> dict[str, Any]:
    content = question.model_dump(mode="json", exclude=_INCIDENTAL)
    if question.children:
        # a stimulus' points are the sum of its questions': another question's points change nothing here
        content.pop("points")
    return content


def _assets(value: Any) -> set[str]:
    """Names of the assets in exported blocks and rules."""
    if isinstance(value, list):
        return set().union(*(_assets(item) for item in value)) if value else set()
    if not isinstance(value, dict):
        return set()
    found = {value["asset"]} if isinstance(value.get("asset"), str) else set()
    found |= {name for name in value.get("reference_assets") or [] if isinstance(name, str)}
    return found.union(*(_assets(item) for item in value.values()))


def printed_place(bundle: Bundle, question: Question) -> str | None:
    """`paper.pdf, page 3`, where the bundle knows it."""
    if not question.provenance:
        return None
    first, sources = question.provenance[0], bundle.manifest.sources
    name = PurePath(sources[first.source].path).name if first.source < len(sources) else f"source {first.source + 1}"
    return f"{name}, page {first.page + 1}"
