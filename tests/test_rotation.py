"""CircularEval in the report: the worst asking counts, what is missing is said, places chosen beyond chance."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from exam2bench.cli import main
from exam2bench.grade.losses import lost_points
from exam2bench.schemas.bundle import save_bundle
from exam2bench.schemas.exam import Exam
from exam2bench.schemas.grading import GradingSpec
from exam2bench.schemas.json_files import read_record
from exam2bench.schemas.manifest import Manifest
from exam2bench.schemas.report import Report
from exam2bench.schemas.rotation import place_of, printed_id

COUNT = 8
WORDS = ["ape", "bee", "cow", "dog"]


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    options = [
        {"id": label, "content": [{"type": "text", "markdown": word}]}
        for label, word in zip("ABCD", WORDS, strict=True)
    ]
    questions = [{"id": f"q{n}", "type": "single_choice", "points": 1, "options": options} for n in range(COUNT)]
    questions.append({"id": "m", "type": "multiple_choice", "points": 2, "options": options})
    exam = {"exam_id": "ex", "title": "T", "language": "en", "total_points": COUNT + 2}
    rules: dict[str, Any] = {f"q{n}": {"kind": "choice", "correct": ["B"]} for n in range(COUNT)}
    rules["m"] = {"kind": "choice", "correct": ["A", "C"], "partial_credit": True}
    graded = {q["id"]: {"question_id": q["id"], "max_points": q["points"], "rule": rules[q["id"]]} for q in questions}
    save_bundle(
        tmp_path / "bundle",
        Exam.model_validate({**exam, "sections": [{"id": "A", "questions": questions}]}),
        GradingSpec.model_validate({"exam_id": "ex", "questions": graded}),
        Manifest(created_at="2026-01-01T00:00:00Z", tool_version="0"),
        {},
    )
    return tmp_path / "bundle"


def turn(shift: int, selected: Any = None, status: str = "answered", **fields: Any) -> dict[str, Any]:
    kind = "multiple_choice" if isinstance(selected, list) else "single_choice"
    answer = None if selected is None else {"type": kind, "selected": selected}
    return {"shift": shift, "status": status, "answer": answer, **fields}


def outcome(*turns: dict[str, Any], of: int = 4, **fields: Any) -> dict[str, Any]:
    return {"status": "answered", "rotation": {"of": of, "asked": list(turns), **fields}}


def grade(bundle: Path, outcomes: dict[str, Any], answers: dict[str, Any] | None = None) -> tuple[int, Report]:
    path = bundle.parent / "s.json"
    path.write_text(json.dumps({"exam_id": "ex", "taker": "t", "answers": answers or {}, "outcomes": outcomes}))
    code = main(["grade", str(bundle), str(path), "-o", str(bundle.parent / "r.json")])
    return code, read_record(bundle.parent / "r.json", Report)


def all_turns(*selected: Any) -> list[dict[str, Any]]:
    return [turn(shift, one) for shift, one in enumerate(selected)]


def test_right_only_where_every_rotation_is_right(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcomes = {
        "q0": outcome(*all_turns("B", "B", "B", "B")),
        "q1": outcome(*all_turns("B", "B", "C", "B")),
        "m": outcome(*all_turns(["A", "C"], ["A"], ["A", "C"], ["A", "C"])),
    }
    code, report = grade(bundle, outcomes)
    assert code == 0
    assert [report.results[name].awarded for name in ("q0", "q1", "m")] == [1.0, 0.0, 1.0]
    assert report.rotation is not None
    figures = report.rotation.model_dump(exclude={"places"})
    assert figures == {
        "questions": 3, "askings": 12, "missing": 0, "fixed": 0, "complete": 3,
        "max_points": 4.0, "circular": 2.0, "plain": 4.0, "mean": 1 + 0.75 + 1.75,
    }  # fmt: skip
    detail = report.results["q1"].detail
    assert detail["rotations"][2] == {"shift": 2, "awarded": 0.0, "selected": ["C"], "place": 1}
    assert detail["correct"] == ["B"]
    assert "3 rotated questions: 50.0 % right in every rotation, 100.0 % as printed, 87.5 % on average" in (
        capsys.readouterr().out
    )


@pytest.mark.parametrize(
    ("turns", "mode", "awarded", "lost"),
    [
        ([turn(0, "B"), turn(1, "B"), turn(2, "B")], "error", 0.0, ("ungraded", "rotation")),
        ([turn(0, "B"), turn(1, "B"), turn(2, "B"), turn(7, "B")], "error", 0.0, ("ungraded", "rotation")),
        ([turn(0, "B"), turn(0, "B"), turn(1, "B"), turn(2, "B")], "error", 0.0, ("ungraded", "rotation")),
        ([], "error", 0.0, ("ungraded", "rotation")),
        ([turn(0, "B"), turn(1, "A")], "deterministic", 0.0, ("content", "wrong")),
        (
            [turn(0, "B"), turn(1, None, "error"), turn(2, "B"), turn(3, "B")],
            "error", 0.0, ("ungraded", "rotation"),
        ),
        (
            [turn(0, "B"), turn(1, None, "refused"), turn(2, "B"), turn(3, "B")],
            "deterministic", 0.0, ("format", "refused"),
        ),
        ([turn(0, "B"), turn(1, "Z"), turn(2, "B"), turn(3, "B")], "deterministic", 0.0, ("format", "foreign_ids")),
        (
            [turn(n, None, "truncated") for n in range(4)],
            "unanswered", 0.0, ("format", "truncated"),
        ),
        (
            [turn(0, "B"), turn(1, None, detail="left blank"), turn(2, "B"), turn(3, "B")],
            "deterministic", 0.0, ("blank", "blank"),
        ),
        (
            [turn(0, "A"), turn(1, None, "refused"), turn(2, "B"), turn(3, "B")],
            "deterministic", 0.0, ("content", "wrong"),
        ),
    ],
)  # fmt: skip
def test_what_a_missing_or_failed_rotation_comes_to(
    bundle: Path, turns: Any, mode: str, awarded: float, lost: tuple[str, str]
) -> None:
    right = {"type": "single_choice", "selected": "B"}
    code, report = grade(bundle, {"q0": outcome(*turns)}, {"q0": right})
    result = report.results["q0"]
    assert (result.mode, result.awarded) == (mode, awarded)
    kind, reason = lost
    losses = lost_points([result])
    assert getattr(losses, kind) == 1.0 and list(losses.reasons) == [reason]
    missing = any("rotations" in told for told in report.warnings)
    assert missing == (len({t["shift"] for t in turns if t["shift"] < 4 and t["status"] != "error"}) < 4)
    assert code == int(bool(report.warnings))
    assert report.bounds is not None and report.bounds.high == (1.0 if mode == "error" else 0.0)


def test_a_taker_who_chooses_by_place_is_found_out(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Six questions always answered at place 1, two by content: place 1 is chosen 1/4 + 6/8 · 3/4 of the time."""
    by_place = all_turns(*"ABCD")
    by_content = all_turns(*"BBBB")
    code, report = grade(bundle, {f"q{n}": outcome(*(by_place if n < 6 else by_content)) for n in range(COUNT)})
    assert code == 0 and report.rotation is not None
    first, *others = report.rotation.places
    assert (first.place, first.chosen, first.of, first.share, first.chance) == (1, 26, 32, 0.8125, 0.25)
    assert first.low is not None and first.high is not None and 0 < first.low < first.over == 0.5625 < first.high
    assert [one.chosen for one in others] == [2, 2, 2]
    assert (report.rotation.circular, report.rotation.plain, report.rotation.mean) == (2.0, 2.0, 3.5)
    assert "place 1 chosen 56.2 points more often than chance" in capsys.readouterr().out


def test_a_taker_who_answers_by_content_favours_no_place(bundle: Path) -> None:
    picks = {f"q{n}": outcome(*all_turns(*("ABCD"[n % 4] * 4))) for n in range(COUNT)}
    _, report = grade(bundle, picks)
    assert report.rotation is not None
    assert [(one.over, one.low, one.high) for one in report.rotation.places] == [(0.0, 0.0, 0.0)] * 4


def test_free_replies_are_read_by_the_order_that_was_shown(bundle: Path) -> None:
    """`ANSWER: bee`, and the letter under which bee stood."""
    letters = ["B", "A", "D", "C"]
    said = [turn(shift, raw=f"ANSWER: {letter}") for shift, letter in enumerate(letters)]
    texts = [turn(shift, raw=f"Letters aside, ANSWER: {letter}. bee") for shift, letter in enumerate(letters)]
    broken = [*said[:3], turn(3, raw="ANSWER: A or B")]
    end = {"q0": outcome(*said), "q1": outcome(*texts), "q2": outcome(*broken)}
    for one in end.values():
        one["raw"] = "ANSWER: B"
    _, report = grade(bundle, end)
    assert [report.results[name].awarded for name in ("q0", "q1", "q2")] == [1.0, 1.0, 0.0]
    assert [entry["place"] for entry in report.results["q0"].detail["rotations"]] == [2, 1, 4, 3]
    assert list(lost_points([report.results["q2"]]).reasons) == ["unparseable"]


def test_questions_that_must_not_be_rotated_are_counted(bundle: Path) -> None:
    end = outcome(turn(0, "B"), of=1, fixed="option D speaks of the other options by their place")
    _, report = grade(bundle, {"q0": end}, {"q0": {"type": "single_choice", "selected": "B"}})
    assert report.results["q0"].awarded == 1.0 and report.rotation is not None
    assert (report.rotation.questions, report.rotation.fixed) == (0, 1)


def test_places_and_ids_are_each_others_inverse(bundle: Path) -> None:
    from exam2bench.schemas.bundle import load_bundle

    question = next(load_bundle(bundle).exam.leaves())
    for shift in range(4):
        for place, label in enumerate("ABCD"):
            assert place_of(question, shift, printed_id(question, shift, label)) == place
