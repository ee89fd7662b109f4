"""Raw replies in a sheet become answers of their questions when it is graded, or say why not."""

import json
from pathlib import Path
from typing import Any

import pytest

from exam2bench.cli import main
from exam2bench.grade.extraction.answer import answer_from_reply
from exam2bench.schemas.bundle import save_bundle
from exam2bench.schemas.exam import Exam, Question
from exam2bench.schemas.grading import GradingSpec
from exam2bench.schemas.manifest import Manifest


def text(markdown: str) -> list[dict[str, Any]]:
    return [{"type": "text", "markdown": markdown}]


def question(**fields: Any) -> Question:
    return Question.model_validate({"id": "q1", "points": 2, **fields})


CHOICE = question(
    type="single_choice",
    options=[{"id": label, "content": text(word)} for label, word in zip("ABC", ("cat", "dog", "owl"), strict=True)],
)
SEVERAL = question(type="multiple_choice", options=[{"id": label, "content": text(label * 3)} for label in "ABCD"])
BLANKS = question(type="fill_in_blank", blanks=[{"id": "b1", "label": "13"}, {"id": "b2", "label": "14"}])
MATCH = question(
    type="matching",
    matching={"left": [{"id": "1"}, {"id": "2"}], "right": [{"id": "a"}, {"id": "b"}, {"id": "c"}]},
)


@pytest.mark.parametrize(
    "asked, reply, answer",
    [
        (CHOICE, "Long ears.\nANSWER: B", {"type": "single_choice", "selected": "B"}),
        (CHOICE, "Based on the picture it flies at night: owl", {"type": "single_choice", "selected": "C"}),
        (SEVERAL, "ANSWER: A, C", {"type": "multiple_choice", "selected": ["A", "C"]}),
        (question(type="true_false"), "ANSWER: no", {"type": "true_false", "value": False}),
        (
            question(type="fill_in_blank", blanks=[{"id": "b1"}]),
            "so x = 4\n**ANSWER:** 4",
            {"type": "fill_in_blank", "blanks": {"b1": "4"}},
        ),
        (BLANKS, "ANSWER:\n13: -2\n14: 1/3", {"type": "fill_in_blank", "blanks": {"b1": "-2", "b2": "1/3"}}),
        (BLANKS, "ANSWER: b1 = 7; b2 = 8", {"type": "fill_in_blank", "blanks": {"b1": "7", "b2": "8"}}),
        (MATCH, "ANSWER: 1-b, 2-a", {"type": "matching", "pairs": {"1": "b", "2": "a"}}),
        (MATCH, "ANSWER: 1 → (c)", {"type": "matching", "pairs": {"1": "c"}}),
        (question(type="essay"), "All of it.", {"type": "text", "text": "All of it."}),
        (question(type="drawing"), "A line.", {"type": "drawing", "description": "A line.", "image_asset": None}),
    ],
)
def test_a_reply_is_read(asked: Question, reply: str, answer: dict[str, Any]):
    read, _ = answer_from_reply(asked, reply)
    assert read is not None and read.model_dump() == answer


@pytest.mark.parametrize(
    "asked, reply",
    [
        (CHOICE, "ANSWER: A\nANSWER: B or C"),
        (CHOICE, "I would say it depends."),
        (BLANKS, "ANSWER: -2 and 1/3"),
        (MATCH, "ANSWER: 1-z"),
        (MATCH, "no idea"),
        (question(type="fill_in_blank", blanks=[{"id": "b1"}]), "it is hard to say"),
    ],
)
def test_what_is_not_said_is_not_guessed(asked: Question, reply: str):
    read, why = answer_from_reply(asked, reply)
    assert read is None and why.how


def test_grading_reads_replies_and_counts_the_unreadable(tmp_path: Path):
    questions = [
        {"id": name, "type": "single_choice", "points": 1, "options": [{"id": x, "content": text(x)} for x in "AB"]}
        for name in ("q1", "q2", "q3")
    ]
    exam = Exam.model_validate(
        {
            "exam_id": "x", "title": "X", "language": "en", "total_points": 3,
            "sections": [{"id": "s", "questions": questions}],
        }
    )  # fmt: skip
    rules = {
        q["id"]: {"question_id": q["id"], "max_points": 1, "rule": {"kind": "choice", "correct": ["B"]}}
        for q in questions
    }
    spec = GradingSpec.model_validate({"exam_id": "x", "questions": rules})
    save_bundle(tmp_path / "b", exam, spec, Manifest(created_at="2026-01-01T00:00:00Z", tool_version="0"), {})
    ends = {
        "q1": {"status": "answered", "raw": "The answer is (B)."},
        "q2": {"status": "answered", "raw": "Either A or B."},
        "q3": {"status": "answered", "raw": "x", "detail": "left blank"},
    }
    (tmp_path / "s.json").write_text(json.dumps({"exam_id": "x", "answers": {}, "outcomes": ends}))
    main(["grade", str(tmp_path / "b"), str(tmp_path / "s.json"), "-o", str(tmp_path / "r.json")])
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["total_awarded"] == 1
    assert report["results"]["q1"]["mode"] == "deterministic"
    assert report["results"]["q2"]["detail"]["outcome"] == "unparseable"
    assert report["results"]["q3"]["mode"] == "unanswered"
