"""A small exam with judged questions, and judges played by the fake server."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from exam2bench.cli import main
from exam2bench.models.fake_server import Ask, FakeReply
from exam2bench.schemas.bundle import save_bundle
from exam2bench.schemas.exam import Exam
from exam2bench.schemas.grading import GradingSpec
from exam2bench.schemas.manifest import Manifest

RUBRIC = [
    {
        "id": "cause",
        "description": "names the cause",
        "levels": [{"points": 2, "descriptor": "both causes"}, {"points": 1, "descriptor": "one"}, {"points": 0}],
    },
    {
        "id": "effect",
        "description": "names the effect",
        "levels": [{"points": 3, "descriptor": "named"}, {"points": 0, "descriptor": "not named"}],
    },
]
PARTS = [
    {"id": "i", "label": "(i)", "kind": "numerical", "reference": "42", "points": 2},
    {"id": "ii", "label": "(ii)", "kind": "short_answer", "reference": "the tide turns", "points": 3},
]
RULES: dict[str, tuple[float, dict[str, Any]]] = {
    "q1": (2, {"kind": "choice", "correct": ["A"]}),
    "q2": (5, {"kind": "judge", "reference_answer": "rain and frost; rocks break", "rubric": RUBRIC}),
    "q3": (4, {"kind": "judge", "reference_answer": "gravity pulls"}),
    "q4": (8, {"kind": "judge"}),
    "q5": (5, {"kind": "parts", "parts": PARTS}),
}


def make_bundle(path: Path, rules: dict[str, tuple[float, dict[str, Any]]] | None = None) -> Path:
    rules = rules or RULES
    questions: list[dict[str, Any]] = []
    for name, (points, rule) in rules.items():
        question = {"id": name, "points": points, "prompt": [{"type": "text", "markdown": f"Explain item {name}."}]}
        if rule["kind"] == "choice":
            options = [{"id": label, "content": [{"type": "text", "markdown": label}]} for label in "AB"]
            question |= {"type": "single_choice", "options": options}
        else:
            question["type"] = "short_answer"
        questions.append(question)
    total = sum(points for points, _ in rules.values())
    exam = {"exam_id": "ex", "title": "T", "language": "en", "total_points": total}
    exam["sections"] = [{"id": "A", "questions": questions}]
    entries = {
        name: {"question_id": name, "max_points": points, "rule": rule} for name, (points, rule) in rules.items()
    }
    manifest = Manifest(created_at="2026-01-01T00:00:00Z", tool_version="0")
    records = Exam.model_validate(exam), GradingSpec.model_validate({"exam_id": "ex", "questions": entries})
    save_bundle(path, *records, manifest, {})
    return path


def write_sheet(path: Path, taker: str, **texts: str) -> Path:
    answers = {
        name: {"type": "single_choice", "selected": text} if name == "q1" else {"type": "text", "text": text}
        for name, text in texts.items()
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"exam_id": "ex", "taker": taker, "answers": answers}), encoding="utf-8")
    return path


def answer_in(ask: Ask) -> str:
    """The answer that a judge's request carries."""
    found = re.search(r"<answer-([0-9a-f]{16})>\n(.*?)\n</answer-\1>", ask.text, re.DOTALL)
    return found[2] if found else ask.text.partition("Student answer: ")[2]


def picking(choose: Callable[[str, str, list[str]], tuple[str, str | None]]) -> Callable[[Ask], dict[str, Any]]:
    """A judge: `choose(answer, criterion key, level ids)` gives the level and the evidence."""

    def reply(ask: Ask) -> dict[str, Any]:
        assert ask.schema is not None
        out: dict[str, Any] = {}
        for key, entry in ask.schema["properties"].items():
            if "times" in entry["properties"]:
                out[key] = {"evidence": None, "reason": "counted", "times": answer_in(ask).count("unnamed")}
                continue
            level, evidence = choose(answer_in(ask), key, entry["properties"]["level"]["enum"])
            out[key] = {"evidence": evidence, "reason": f"{key} is {level}", "level": level}
        return out

    return reply


def honest(ask: Ask) -> dict[str, Any] | FakeReply:
    """Full marks for an answer with the word `right`, quoted; the lowest level for every other."""

    def choose(answer: str, key: str, levels: list[str]) -> tuple[str, str | None]:
        return (levels[0], "right") if "right" in answer else (levels[-1], None)

    return picking(choose)(ask)


def grade(*arguments: object) -> int:
    return main(["grade", *(str(argument) for argument in arguments)])
