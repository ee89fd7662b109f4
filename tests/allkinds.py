"""An exam with every question type and every rule kind, by hand, with answers and the points they earn."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from PIL import Image

from exam2bench.schemas.bundle import Bundle, save_bundle
from exam2bench.schemas.exam import Exam
from exam2bench.schemas.grading import GradingSpec
from exam2bench.schemas.manifest import Manifest

RUBRIC = [{"id": "c1", "description": "names the cause", "levels": [{"points": 3}, {"points": 1}, {"points": 0}]}]
DEDUCTION = {"id": "d1", "description": "unnamed file", "points": -1, "max_times": 2}
METALS = [{"accepted": ["iron", "Fe"]}, {"accepted": ["tin"]}]
PARTS = [
    {"id": "i", "label": "(i)", "kind": "numerical", "reference": "42", "points": 2},
    {"id": "ii", "label": "(ii)", "kind": "short_answer", "reference": "the tide", "points": 1, "criteria": [
        {"id": "t", "description": "names the tide", "levels": [{"points": 1}, {"points": 0}]}]},
]  # fmt: skip


def _text(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "markdown": text}]


def _options(*labels: str) -> list[dict[str, Any]]:
    return [{"id": label, "content": _text(f"option {label}")} for label in labels]


def _items(*names: str) -> list[dict[str, Any]]:
    return [{"id": name, "content": _text(f"item {name}")} for name in names]


def _picture() -> list[dict[str, Any]]:
    return [*_text("Look at $x^2$ here:"), {"type": "image", "asset": "assets/p.png", "alt": "a square"}]


# id: (type, points, what else the question has, rule, an answer in the sheet, its points; None: only a judge knows)
QUESTIONS: dict[str, tuple[str, float, dict[str, Any], dict[str, Any], dict[str, Any] | None, float | None]] = {
    "q1": ("single_choice", 2, {"options": _options("A", "B", "C")}, {"kind": "choice", "correct": ["B"]},
           {"type": "single_choice", "selected": "B"}, 2.0),
    "q2": ("single_choice", 2, {"options": _options("①", "②", "③")},
           {"kind": "choice", "correct": ["①", "②"], "negative_marking": -0.5},
           {"type": "single_choice", "selected": "③"}, -0.5),
    "q3": ("multiple_choice", 3, {"options": _options("A", "B", "C", "D")}, {"kind": "choice", "correct": ["A", "C"]},
           {"type": "multiple_choice", "selected": ["A", "C"]}, 3.0),
    "q4": ("multiple_choice", 4, {"options": _options("A", "B", "C", "D")},
           {"kind": "choice", "correct": ["A", "C"], "partial_credit": True, "wrong_selection_penalty": 1},
           {"type": "multiple_choice", "selected": ["A", "B"]}, 1.0),
    "q5": ("multiple_choice", 5, {"options": _options("A", "B", "C", "D", "E")},
           {"kind": "per_option", "correct": ["A", "C"], "ratio_by_errors": [1, 0.6, 0.2]},
           {"type": "multiple_choice", "selected": ["A", "B"]}, 1.0),
    "q6": ("true_false", 1, {}, {"kind": "true_false", "correct": True}, {"type": "true_false", "value": True}, 1.0),
    "q7": ("fill_in_blank", 4, {"blanks": [{"id": "b1"}, {"id": "b2", "label": "(2)"}]},
           {"kind": "fill_in_blank", "blanks": {"b1": {"accepted": ["tide", "tides"]}, "b2": {"accepted": ["1871"]}}},
           {"type": "fill_in_blank", "blanks": {"b1": "Tides", "b2": "1872"}}, 2.0),
    "q8": ("matching", 2, {"matching": {"left": _items("1", "2"), "right": _items("a", "b", "c")}},
           {"kind": "matching", "correct_pairs": {"1": "c", "2": "a"}},
           {"type": "matching", "pairs": {"1": "c", "2": "b"}}, 1.0),
    "q9": ("short_answer", 2, {}, {"kind": "numeric", "value": 36, "abs_tolerance": 0.5, "unit": "m"},
           {"type": "text", "text": "36.4"}, 2.0),
    "q10": ("short_answer", 2, {}, {"kind": "numeric", "value": "9.8", "unit": "m/s^2", "unit_required": True},
            {"type": "text", "text": "9.8 m/s^2"}, 2.0),
    "q11": ("short_answer", 3, {}, {"kind": "expression", "expression": "2x+1"}, {"type": "text", "text": "1+2x"}, 3.0),
    "q12": ("short_answer", 2, {}, {"kind": "enumeration", "items": METALS},
            {"type": "text", "text": "iron, lead"}, 1.0),
    "q13": ("essay", 3, {}, {"kind": "judge", "reference_answer": "frost", "rubric": RUBRIC, "deductions": [DEDUCTION]},
            {"type": "text", "text": "It was the frost."}, None),
    "q14": ("short_answer", 3, {}, {"kind": "parts", "parts": PARTS},
            {"type": "text", "text": "(i) 42 (ii) the tide"}, None),
    "q15": ("drawing", 1, {}, {"kind": "judge", "reference_answer": "a square"},
            {"type": "drawing", "description": "a square"}, None),
}  # fmt: skip

# the same answers as a taker writes them without a schema
REPLIES: dict[str, str] = {
    "q1": "B lies on the coast.\nANSWER: B", "q2": "ANSWER: ③", "q3": "ANSWER: A, C", "q4": "ANSWER: A, B",
    "q5": "ANSWER: A, B", "q6": "ANSWER: true", "q7": "ANSWER: b1: Tides, b2: 1872", "q8": "ANSWER: 1: c, 2: b",
    "q9": "36.4", "q10": "9.8 m/s^2", "q11": "1+2x", "q12": "iron, lead", "q13": "It was the frost.",
    "q14": "(i) 42 (ii) the tide", "q15": "a square",
}  # fmt: skip


def make_bundle(path: Path, *, only: set[str] | None = None) -> Bundle:
    """The exam, or some of its questions, in a folder; a picture stands in q1 and above q3 and q4."""
    leaves: list[dict[str, Any]] = []
    entries: dict[str, Any] = {}
    for name, (kind, points, more, rule, _, _) in QUESTIONS.items():
        if only is not None and name not in only:
            continue
        prompt = _picture() if name == "q1" else _text(f"Question {name} costs <5 & says [so](x).")
        leaves.append({"id": name, "number": f"{name[1:]}.", "type": kind, "points": points, "prompt": prompt, **more})
        entries[name] = {"question_id": name, "max_points": points, "min_points": -1, "rule": rule}
    together = [leaf for leaf in leaves if leaf["id"] in ("q3", "q4")]
    group = {"id": "g", "type": "composite", "prompt": _picture(), "children": together}
    group["points"] = sum(leaf["points"] for leaf in together)
    questions = [leaf for leaf in leaves if leaf not in together] + ([group] if together else [])
    sections = [{"id": "A", "title": 'Part "A" & more', "instructions": _text("Answer all."), "questions": questions}]
    total = sum(leaf["points"] for leaf in leaves)
    exam = Exam.model_validate(
        {
            "exam_id": "all-kinds",
            "title": 'All "kinds" & <more>',
            "language": "en",
            "total_points": total,
            "sections": sections,
        }
    )
    square = io.BytesIO()
    Image.new("RGB", (8, 8), "navy").save(square, "PNG")
    grading = GradingSpec.model_validate({"exam_id": "all-kinds", "questions": entries})
    manifest = Manifest(created_at="2026-01-01T00:00:00Z", tool_version="0")
    return save_bundle(path, exam, grading, manifest, {"assets/p.png": square.getvalue()})


def sheet(names: list[str] | None = None) -> dict[str, Any]:
    """The answers as a sheet."""
    answers = {name: row[4] for name, row in QUESTIONS.items() if names is None or name in names}
    return {"exam_id": "all-kinds", "taker": "hand", "answers": answers}


def rule_points(names: list[str] | None = None) -> dict[str, float]:
    """What the answers earn where a rule decides."""
    return {name: row[5] for name, row in QUESTIONS.items() if row[5] is not None and (names is None or name in names)}
