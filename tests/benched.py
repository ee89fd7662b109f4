"""Small exams for benches, and models played by the fake server: each answers what a table says."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from exam2bench.cli import main
from exam2bench.models.fake_server import Ask, FakeReply, FakeServer
from exam2bench.schemas.bundle import Bundle, save_bundle
from exam2bench.schemas.exam import Exam
from exam2bench.schemas.grading import GradingSpec
from exam2bench.schemas.manifest import Manifest, Source

from .judged import honest

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360000002000001e221bc330000000049454e44ae426082"
)
PICTURE = {"type": "image", "asset": "assets/graph.png", "alt": "a graph"}


def text(markdown: str) -> dict[str, Any]:
    return {"type": "text", "markdown": markdown}


def choice(name: str, *, page: int = 0, picture: bool = False, points: float = 1) -> dict[str, Any]:
    prompt = [text(f"Question <{name}>")] + ([PICTURE] if picture else [])
    things = {"A": "north", "B": "south", "C": "east", "D": "west"}
    options = [{"id": label, "content": [text(thing)]} for label, thing in things.items()]
    place = {"source": 0, "page": page, "x0": 0, "y0": 0, "x1": 9, "y1": 9}
    question = {"id": name, "type": "single_choice", "prompt": prompt, "options": options, "points": points}
    return {**question, "provenance": [place]}


def written(name: str, points: float = 2) -> dict[str, Any]:
    return {"id": name, "type": "short_answer", "prompt": [text(f"Question <{name}>")], "points": points}


def group(name: str, children: Sequence[dict[str, Any]]) -> dict[str, Any]:
    points = sum(child["points"] for child in children)
    return {"id": name, "type": "composite", "prompt": [text("A passage.")], "children": children, "points": points}


def make_bundle(
    folder: Path, questions: Sequence[dict[str, Any]], exam_id: str = "exam", keys: Mapping[str, str] | None = None
) -> Bundle:
    """A bundle whose choice questions have the key A, or what `keys` says; written ones wait for a judge."""
    section = {"id": "s1", "title": "Part I", "questions": list(questions)}
    total = sum(question["points"] for question in questions)
    exam = Exam.model_validate(
        {"exam_id": exam_id, "title": f"The {exam_id}", "language": "en", "total_points": total, "sections": [section]}
    )
    grading = {leaf.id: _grading(leaf, (keys or {}).get(leaf.id, "A")) for leaf in exam.leaves()}
    spec = GradingSpec.model_validate({"exam_id": exam_id, "questions": grading})
    manifest = Manifest(
        created_at="2026-01-01T00:00:00Z", tool_version="0", sources=[Source(path="paper.pdf", sha256="0" * 64)]
    )
    return save_bundle(folder, exam, spec, manifest, {"assets/graph.png": PNG}, force=True)


def _grading(leaf: Any, key: str) -> dict[str, Any]:
    rule: dict[str, Any] = {"kind": "choice", "correct": [key]}
    if leaf.type == "short_answer":
        levels = [{"points": leaf.points, "descriptor": "right"}, {"points": 0, "descriptor": "wrong"}]
        criterion = {"id": "c", "description": "is right", "levels": levels}
        rule = {"kind": "judge", "reference_answer": "right", "rubric": [criterion]}
    return {"question_id": leaf.id, "max_points": leaf.points, "rule": rule}


Answers = Mapping[str, Mapping[str, Any]]


def playing(answers: Answers, default: Any = "A") -> Callable[[Ask], Any]:
    """Every model answers `answers[model][question]`, else `default`; a function is called with the request. A judge
    gives full marks for `right`."""

    def reply(ask: Ask) -> Any:
        if "<answer-" in ask.text:
            return honest(ask)
        name = ask.text.rpartition("Question <")[2].partition(">")[0]
        given = answers.get(ask.model, {}).get(name, default)
        given = given(ask) if callable(given) else given
        if isinstance(given, FakeReply) or ask.schema is None:
            return given
        return {"working": "", "answer": given}

    return reply


def bench(server: FakeServer, bundles: Sequence[Path], models: Sequence[str], out: Path, *flags: str) -> int:
    """The command, with a call cache beside `out`. A model without a colon is served by the fake server."""
    names = [name if ":" in name else f"chat:{name}@{server.url}/v1" for name in models]
    cache = str(out.parent / "cache.sqlite")
    return main(
        ["bench", *map(str, bundles), "--model", *names, "-o", str(out), "--cache", cache, "--no-plots", *flags]
    )


def record(out: Path) -> dict[str, Any]:
    return json.loads((out / "bench.json").read_text(encoding="utf-8"))
