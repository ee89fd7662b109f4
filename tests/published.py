"""A small exam with everything that publishing has to care for, and a Hub of our own to publish it to."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from exam2bench.schemas.bundle import save_bundle
from exam2bench.schemas.exam import Exam
from exam2bench.schemas.findings import warning
from exam2bench.schemas.grading import GradingSpec
from exam2bench.schemas.manifest import Manifest, Rights, Source
from exam2bench.tests.hub_server import HubServer

REPO = "user/exams"
TOKEN = "hf_secret"
SECRET = "Photosynthesis turns light into chemical energy"
FINDING = "the key reads Photosynthesis turns light"
RIGHTS = Rights(publisher="Harbour City", licence="CC0-1.0")


def picture(colour: str) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (12, 8), colour).save(out, "PNG")
    return out.getvalue()


ASSETS = {
    "assets/map.png": picture("red"),
    "assets/q1.snapshot.png": picture("white"),
    "assets/q2.ref.png": picture("green"),
}


def text(markdown: str) -> dict[str, Any]:
    return {"type": "text", "markdown": markdown}


def exam_of(exam_id: str = "harbour", title: str = "Harbour exam") -> Exam:
    options = [{"id": "A", "content": [text("north")]}, {"id": "B", "content": [text("south")]}]
    leaves = [
        {
            "id": "q1",
            "number": "1.",
            "type": "single_choice",
            "points": 1,
            "prompt": [text("Which way?")],
            "options": options,
            "snapshot": "assets/q1.snapshot.png",
            "provenance": [{"source": 0, "page": 1, "x0": 1, "y0": 1, "x1": 9, "y1": 9}],
        },
        {"id": "q2", "number": "2.", "type": "short_answer", "points": 2, "prompt": [text("Why are leaves green?")]},
    ]
    group = {
        "id": "g1",
        "type": "composite",
        "points": 3,
        "prompt": [text("Look at the map."), {"type": "image", "asset": "assets/map.png", "alt": "a map"}],
        "children": leaves,
    }
    blank = {
        "id": "q3",
        "type": "fill_in_blank",
        "points": 1,
        "prompt": [text("The {{b1}} sea.")],
        "blanks": [{"id": "b1", "label": "first"}],
    }
    sections = [
        {"id": "A", "title": "Part A", "instructions": [text("Answer all.")], "questions": [group]},
        {"id": "B", "questions": [blank]},
    ]
    record = {"exam_id": exam_id, "title": title, "language": "en", "total_points": 4, "sections": sections}
    return Exam.model_validate(record)


def grading_of(exam_id: str = "harbour", key: str = "B", revision: int = 1) -> GradingSpec:
    rubric = {
        "id": "c1",
        "description": "names photosynthesis and chlorophyll in full",
        "levels": [{"points": 2, "descriptor": "both"}, {"points": 0, "descriptor": "neither"}],
    }
    judge = {
        "kind": "judge",
        "reference_answer": SECRET,
        "reference_assets": ["assets/q2.ref.png"],
        "rubric": [rubric],
    }
    blank = {"kind": "fill_in_blank", "blanks": {"b1": {"accepted": ["black"]}}}
    rules: dict[str, tuple[float, dict[str, Any]]] = {
        "q1": (1, {"kind": "choice", "correct": [key]}),
        "q2": (2, judge),
        "q3": (1, blank),
    }
    questions = {
        name: {"question_id": name, "max_points": points, "rule": rule} for name, (points, rule) in rules.items()
    }
    return GradingSpec.model_validate({"exam_id": exam_id, "questions": questions, "revision": revision})


def make_exam(path: Path, *, key: str = "B", revision: int = 1, rights: Rights | None = RIGHTS, **exam: str) -> Path:
    """A bundle with a figure, a snapshot, a picture of the key, a file nobody names, a finding that quotes the key."""
    manifest = Manifest(
        created_at="2026-01-01T00:00:00Z",
        tool_version="exam2bench 0.1.0",
        engine="layout",
        sources=[Source(path="paper.pdf", sha256="a" * 64, pages=4, role="paper")],
        findings=[warning("key.doubt", FINDING, "q2")],
        warnings=[FINDING],
        rights=rights,
    )
    paper = exam_of(**exam)
    save_bundle(path, paper, grading_of(paper.exam_id, key, revision), manifest, ASSETS)
    (path / "assets" / "page-3.render.png").write_bytes(picture("black"))
    return path


@contextmanager
def serving(monkeypatch: pytest.MonkeyPatch, *, token: str | None = TOKEN) -> Iterator[HubServer]:
    """The server, with endpoint and token in the environment, as a user has them; the old LFS protocol, which is the
    one that the server speaks."""
    constants = pytest.importorskip("huggingface_hub.constants")
    pytest.importorskip("datasets")
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    with HubServer(TOKEN) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        if token:
            monkeypatch.setenv("HF_TOKEN", token)
        else:
            monkeypatch.delenv("HF_TOKEN", raising=False)
        yield server


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder by its path in it."""
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
