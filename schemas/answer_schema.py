"""answer_schema.json: the JSON Schema (draft 2020-12) that an answer sheet of one exam must satisfy."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .exam import Exam, Question

STRICT = {"additionalProperties": False}


def answer_schema(exam: Exam) -> dict[str, Any]:
    """The schema, narrowed to the exam's own ids: option ids as an enum, blank and left ids as required
    keys, every leaf required, nothing else allowed. The fields that this project adds to a sheet
    (`bundle_digest`, `bundle_source`, `outcomes`) are left out of the sheet before it is applied."""
    leaves = {leaf.id: _answer(leaf) for leaf in exam.leaves()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Answer sheet for {exam.title}",
        "type": "object",
        "properties": {
            "exam_id": {"const": exam.exam_id},
            "taker": {"type": ["string", "null"]},
            "usage": {"type": ["object", "null"]},
            "answers": _object(leaves),
        },
        "required": ["exam_id", "answers"],
        **STRICT,
    }


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), **STRICT}


def _answer(leaf: Question) -> dict[str, Any]:
    """The schema of one leaf's AnswerValue."""
    options = _enum(option.id for option in leaf.options or [])
    match leaf.type:
        case "single_choice":
            return _value("single_choice", selected=options)
        case "multiple_choice":
            return _value("multiple_choice", selected={"type": "array", "items": options, "uniqueItems": True})
        case "true_false":
            return _value("true_false", value={"type": "boolean"})
        case "fill_in_blank":
            blanks = {blank.id: {"type": "string"} for blank in leaf.blanks or []}
            return _value("fill_in_blank", blanks=_object(blanks))
        case "matching":
            left = [item.id for item in leaf.matching.left] if leaf.matching else []
            right = _enum(item.id for item in leaf.matching.right) if leaf.matching else {}
            return _value("matching", pairs=_object(dict.fromkeys(left, right)))
        case "drawing":
            schema = _value("drawing", description={"type": "string"}, image_asset={"type": ["string", "null"]})
            return {**schema, "required": ["type", "description"]}
        case _:
            return _value("text", text={"type": "string"})


def _enum(ids: Iterable[str]) -> dict[str, Any]:
    return {"enum": list(ids)}


def _value(kind: str, **fields: dict[str, Any]) -> dict[str, Any]:
    return _object({"type": {"const": kind}, **fields})
