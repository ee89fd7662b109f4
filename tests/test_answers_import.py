"""`exam2bench answers import`: tables, lm-eval samples and inspect_ai logs of other harnesses become sheets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from exam2bench.cli import main
from exam2bench.schemas.bundle import save_bundle
from exam2bench.schemas.exam import Exam
from exam2bench.schemas.grading import GradingSpec
from exam2bench.schemas.manifest import Manifest

OPTIONS = [{"id": label, "content": [{"type": "text", "markdown": word}]} for label, word in
           zip("ABC", ["ape", "bee", "cow"], strict=True)]  # fmt: skip
QUESTIONS: list[dict[str, Any]] = [
    {"id": "q1", "type": "single_choice", "options": OPTIONS},
    {"id": "q2", "type": "multiple_choice", "options": OPTIONS},
    {"id": "q3", "type": "true_false"},
    {"id": "q4", "type": "fill_in_blank", "blanks": [{"id": "b1"}, {"id": "b2"}]},
    {"id": "q5", "type": "short_answer"},
]
RULES: dict[str, Any] = {
    "q1": {"kind": "choice", "correct": ["B"]},
    "q2": {"kind": "choice", "correct": ["A", "C"]},
    "q3": {"kind": "true_false", "correct": False},
    "q4": {"kind": "fill_in_blank", "blanks": {"b1": {"accepted": ["x"]}, "b2": {"accepted": ["y"]}}},
    "q5": {"kind": "numeric", "value": 7},
}


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    questions = [{"points": 1, **question} for question in QUESTIONS]
    exam = {"exam_id": "ex", "title": "T", "language": "en", "total_points": 5}
    exam["sections"] = [{"id": "A", "questions": questions}]
    rules = {name: {"question_id": name, "max_points": 1, "rule": rule} for name, rule in RULES.items()}
    save_bundle(
        tmp_path / "bundle",
        Exam.model_validate(exam),
        GradingSpec.model_validate({"exam_id": "ex", "questions": rules}),
        Manifest(created_at="2026-01-01T00:00:00Z", tool_version="0"),
        {},
    )
    return tmp_path / "bundle"


def lines(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def load(file: Path, bundle: Path, *flags: str, out: str = "sheet.json") -> int:
    return main(["answers", "import", str(file), "--bundle", str(bundle), "-o", str(file.parent / out), *flags])


def sheet(file: Path, name: str = "sheet.json") -> dict[str, Any]:
    return json.loads((file.parent / name).read_text(encoding="utf-8"))


def points(bundle: Path, path: Path) -> dict[str, float]:
    main(["grade", str(bundle), str(path), "-o", str(path.with_suffix(".report"))])
    report = json.loads(path.with_suffix(".report").read_text(encoding="utf-8"))
    return {name: result["awarded"] for name, result in report["results"].items()}


RIGHT = {"q1": "B", "q2": ["C", "A"], "q3": False, "q4": {"b1": "x", "b2": "y"}, "q5": 7}


def test_finished_answers_become_answers_of_each_type(bundle: Path, tmp_path: Path, capsys: Any) -> None:
    file = lines(tmp_path / "m.jsonl", *({"id": name, "answer": value} for name, value in RIGHT.items()))
    assert load(file, bundle) == 0
    assert capsys.readouterr().out == f"m: 5 answers and 0 replies to 5 questions -> {tmp_path / 'sheet.json'}\n"
    assert sheet(file)["answers"] == {
        "q1": {"type": "single_choice", "selected": "B"},
        "q2": {"type": "multiple_choice", "selected": ["C", "A"]},
        "q3": {"type": "true_false", "value": False},
        "q4": {"type": "fill_in_blank", "blanks": {"b1": "x", "b2": "y"}},
        "q5": {"type": "text", "text": "7"},
    }
    assert set(points(bundle, tmp_path / "sheet.json").values()) == {1.0}


def test_a_table_from_a_spreadsheet(bundle: Path, tmp_path: Path) -> None:
    """Semicolons, a byte order mark, a quoted line break, answers that a person would type."""
    file = tmp_path / "m.csv"
    rows = 'QID;Picked\r\nq1;(b)\r\nq1x;B\r\nq2;"A, C"\r\nq3;no\r\nq4;\r\nq5;"x =\n7"\r\n'.replace("(b)", "(B)")
    file.write_bytes(b"\xef\xbb\xbf" + rows.encode())
    assert load(file, bundle, "--id-field", "QID", "--answer-field", "Picked", "--taker", "class 3b") == 1
    made = sheet(file)
    assert made["taker"] == "class 3b" and list(made["answers"]) == ["q1", "q2", "q3", "q5"]
    assert made["outcomes"]["q4"] == {"status": "answered", "raw": None, "detail": "left blank"}
    assert points(bundle, tmp_path / "sheet.json") == {"q1": 1.0, "q2": 1.0, "q3": 1.0, "q4": 0.0, "q5": 1.0}


def test_replies_are_kept_and_read_when_graded(bundle: Path, tmp_path: Path) -> None:
    replies = {
        "q1": "Based on the stripes, the answer is (B).",
        "q2": "ANSWER: A and C",
        "q3": "No, it is not.",
        "q4": "ANSWER:\nb1: x\nb2: y",
        "q5": "7",
    }
    file = lines(tmp_path / "m.jsonl", *({"question_id": name, "response": text} for name, text in replies.items()))
    assert load(file, bundle) == 0
    made = sheet(file)
    assert made["answers"] == {} and {name: end["raw"] for name, end in made["outcomes"].items()} == replies
    assert set(points(bundle, tmp_path / "sheet.json").values()) == {1.0}


def test_an_answer_in_no_form_of_the_question_is_left_to_the_extraction(bundle: Path, tmp_path: Path) -> None:
    file = lines(
        tmp_path / "m.jsonl",
        {"id": "q1", "answer": 1},
        {"id": "q2", "answer": "ACX"},
        {"id": "q3", "answer": "I'd say no."},
        {"id": "q4", "answer": ["x", "y"]},
        {"id": "q5", "answer": {"type": "text", "text": "7"}},
    )
    assert load(file, bundle) == 0
    made = sheet(file)
    assert list(made["answers"]) == ["q4", "q5"] and made["outcomes"]["q1"]["raw"] == "1"
    assert points(bundle, tmp_path / "sheet.json") == {"q1": 0.0, "q2": 0.0, "q3": 1.0, "q4": 1.0, "q5": 1.0}


def test_unknown_doubled_and_missing_questions_are_said_one_by_one(bundle: Path, tmp_path: Path, capsys: Any) -> None:
    file = lines(
        tmp_path / "m.jsonl",
        {"id": "q1", "answer": "A"},
        {"id": "q9", "answer": "A"},
        {"id": "q1", "answer": "B"},
        {"id": "q3", "answer": True},
        {"id": "q3", "answer": True},
        {"id": None, "answer": "B"},
    )
    assert load(file, bundle, "--json") == 1
    told = capsys.readouterr()
    (row,) = json.loads(told.out)["sheets"]
    found = [(one["code"], one["severity"], one["where"]["question"]) for one in row["findings"]]
    assert found == [
        ("import.duplicate", "error", "q1"),
        ("import.unknown_question", "warning", "q9"),
        ("import.duplicate", "info", "q3"),
        ("import.unknown_question", "warning", None),
        ("import.missing", "warning", None),
    ]
    assert "line 2 answers 'q9', which the exam does not have" in told.err
    assert "3 questions are not in the file: q2, q4, q5; its score has bounds" in told.err
    made = sheet(file)
    assert made["answers"] == {"q3": {"type": "true_false", "value": True}}
    assert {name: end["status"] for name, end in made["outcomes"].items()} == {
        "q1": "unparseable", "q3": "answered", "q2": "error", "q4": "error", "q5": "error",
    }  # fmt: skip
    assert load(file, bundle, "--missing", "skipped") == 1
    assert sheet(file)["outcomes"]["q2"]["status"] == "skipped"
    assert load(file, bundle, "--missing", "blank") == 1
    assert "q2" not in sheet(file)["outcomes"]


def test_takers_and_sittings_get_sheets_of_their_own(bundle: Path, tmp_path: Path, capsys: Any) -> None:
    rows = [
        {"id": "q1", "prediction": pick, "model": model, "epoch": epoch}
        for model, epoch, pick in (("a/b", 1, "A"), ("a/b", 2, "B"), ("a b", 1, "C"))
    ]
    file = lines(tmp_path / "m.jsonl", *rows)
    assert load(file, bundle, out="one.json") == 2
    assert "the file has 3 sheets (takers or sittings): give a folder" in capsys.readouterr().err
    assert load(file, bundle, out="sheets/") == 1
    made = {path.name: json.loads(path.read_text())["answers"]["q1"]["selected"] for path in
            (tmp_path / "sheets").iterdir()}  # fmt: skip
    assert made == {"a-b.1.json": "A", "a-b.2.json": "B", "a-b.1~2.json": "C"}


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"id": "q1", "answer": "B", "prediction": "A"}, "has both answer and prediction"),
        ({"id": "q1", "answer": "B", "response": "It is A"}, "has both answer and response"),
        ({"id": "q1", "score": 1}, "has no answers: its first row has id, score"),
        ({"number": "q1", "answer": "B"}, "names no question"),
        (["q1", "B"], "no object with named fields"),
    ],
)
def test_a_file_that_could_mean_two_things_is_refused(
    bundle: Path, tmp_path: Path, capsys: Any, row: Any, says: str
) -> None:
    assert load(lines(tmp_path / "m.jsonl", row), bundle) in (1, 2)
    assert says in capsys.readouterr().err
    assert not (tmp_path / "sheet.json").exists()


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[" * 100_000, b'{"id":"q1","id":"q2","answer":"B"}', b'{"id":"q1","answer":NaN}', b"\xff\xfe\x00"],
)
def test_broken_files_are_one_sentence(bundle: Path, tmp_path: Path, capsys: Any, content: bytes) -> None:
    for name in ("m.jsonl", "m.json", "m.eval"):
        (tmp_path / name).write_bytes(content)
        if name == "m.json" and content.endswith((b"NaN}", b'"B"}')):
            continue
        assert load(tmp_path / name, bundle) in (1, 2)
        assert capsys.readouterr().err.count("\n") == 1


# lm-eval: lines as lm-eval 0.4 writes them with --log_samples


def sample(number: int, name: str, resps: Any, **more: Any) -> dict[str, Any]:
    doc = {"id": name, "question": "Which?", "gold": "B"}
    hashes = {"doc_hash": "68a8", "prompt_hash": "f043", "target_hash": "6b86"}
    head = {"doc_id": number, "doc": doc, "target": "B", "arguments": {}, "resps": resps}
    return {**head, "filtered_resps": [], "filter": "none", "metrics": ["acc"], **hashes, **more}


def test_lm_eval_generations_and_their_repeats(bundle: Path, tmp_path: Path) -> None:
    """A task of two filters and two repeats: each line is there twice, each document is answered twice."""
    folder = tmp_path / "org__model-7b"
    folder.mkdir()
    file = lines(
        folder / "samples_ex_2026-11-30T07-07-05.091787.jsonl",
        *(
            sample(number, name, [[first, second]], filter=filter)
            for filter in ("first", "all")
            for number, (name, first, second) in enumerate(
                [("q1", "Well, ANSWER: B", "Well, ANSWER: C"), ("q5", "7", "8")]
            )
        ),
    )
    assert load(file, bundle, out="sheets/") == 1
    first, second = (folder / "sheets" / f"org__model-7b.{n}.json" for n in (1, 2))
    assert json.loads(first.read_text())["taker"] == "org__model-7b"
    assert [points(bundle, one) for one in (first, second)] == [
        {"q1": 1.0, "q2": 0.0, "q3": 0.0, "q4": 0.0, "q5": 1.0},
        {"q1": 0.0, "q2": 0.0, "q3": 0.0, "q4": 0.0, "q5": 0.0},
    ]


def test_lm_eval_likelihoods_of_choices(bundle: Path, tmp_path: Path) -> None:
    likeliest = [[["-4.0", "False"]], [["-1.0", "False"]], [["-3.0", "False"]]]
    tied = [[["-1.0", "False"]], [["-1.0", "True"]], [["-3.0", "False"]]]
    rows = [sample(0, "q1", likeliest), sample(1, "q2", tied), sample(2, "q3", likeliest), sample(3, "q5", "x")]
    file = lines(tmp_path / "samples.jsonl", *rows)
    assert load(file, bundle, "--taker", "m") == 1
    made = sheet(file)
    assert made["answers"] == {"q1": {"type": "single_choice", "selected": "B"}}
    assert {name: end["detail"] for name, end in made["outcomes"].items() if end["status"] == "unparseable"} == {
        "q2": "two choices are equally likely",
        "q3": "3 choices were compared and the question has 0 options",
        "q5": "the replies are neither texts nor likelihoods of choices",
    }


def test_lm_eval_documents_without_an_id_need_a_field(bundle: Path, tmp_path: Path, capsys: Any) -> None:
    row = sample(0, "q1", [["B"]])
    row["doc"] = {"code": "q1", "text": "Which?"}
    file = lines(tmp_path / "samples.jsonl", row)
    assert load(file, bundle) == 2
    assert "no question id (code, text); say which with --id-field" in capsys.readouterr().err
    assert load(file, bundle, "--id-field", "code", "--missing", "skipped") == 1
    assert points(bundle, tmp_path / "sheet.json")["q1"] == 1.0


# inspect_ai


def test_a_json_log_of_inspect(bundle: Path, tmp_path: Path, capsys: Any) -> None:
    """Two epochs; stops, errors, lists of content, and NaN where nothing was scored."""

    def log_sample(name: str, epoch: int, output: Any, **more: Any) -> dict[str, Any]:
        score = {"exam2bench": {"value": float("nan")}}
        return {"id": name, "epoch": epoch, "output": output, "scores": score, **more}

    def output(content: Any, stop: str = "stop") -> dict[str, Any]:
        return {"choices": [{"message": {"role": "assistant", "content": content}, "stop_reason": stop}]}

    parts = [{"type": "reasoning", "reasoning": "A? no"}, {"type": "text", "text": "ANSWER: B"}]
    samples = [
        log_sample("q1", 1, output(parts)),
        log_sample("q1", 2, {**output("x"), "completion": "ANSWER: A"}),
        log_sample("q2", 1, output("I should", "max_tokens")),
        log_sample("q3", 1, output("", "content_filter")),
        log_sample("q4", 1, {}, error={"message": "boom\x1b[31m"}),
        log_sample("q5", 1, output("")),
    ]
    log = {
        "version": 2,
        "eval": {"model": "openai/gpt", "config": {"epochs": 2}, "metadata": {"bundle_digest": "0" * 64}},
        "samples": samples,
    }
    file = tmp_path / "log.json"
    file.write_text(json.dumps(log))
    assert load(file, bundle, out="sheets/") == 1
    assert "import.other_digest: the log was made with the bundle 000000000000…" in capsys.readouterr().err
    first = json.loads((tmp_path / "sheets" / "openai-gpt.1.json").read_text())
    assert first["taker"] == "openai/gpt"
    assert {name: (end["status"], end["raw"]) for name, end in first["outcomes"].items()} == {
        "q1": ("answered", "ANSWER: B"),
        "q2": ("truncated", "I should"),
        "q3": ("refused", None),
        "q4": ("error", None),
        "q5": ("unparseable", None),
    }
    assert first["outcomes"]["q4"]["detail"] == "boom\\x1b[31m"
    assert points(bundle, tmp_path / "sheets" / "openai-gpt.1.json")["q1"] == 1.0
    assert points(bundle, tmp_path / "sheets" / "openai-gpt.2.json")["q1"] == 0.0


def test_an_eval_log_without_inspect_names_the_way_out(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    import sys
    import zipfile

    with zipfile.ZipFile(tmp_path / "log.eval", "w") as archive:
        archive.writestr("header.json", "{}")
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    assert load(tmp_path / "log.eval", bundle) == 2
    assert "pip install exam2bench[inspect]" in capsys.readouterr().err


def test_a_real_eval_log(bundle: Path, tmp_path: Path) -> None:
    """Written by inspect_ai itself with its mock model; skipped where inspect_ai is not installed."""
    inspect_ai = pytest.importorskip("inspect_ai")
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    replies = {"one": "Surely ANSWER: B", "two": "A, C", "five": "7 " * 3000 + "\nANSWER: 7"}

    def reply(messages: Any, *_: Any) -> Any:
        made = ModelOutput.from_content("mockllm/model", replies[messages[-1].text])
        made.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return made

    dataset = [Sample(input=text, id=name) for name, text in (("q1", "one"), ("q2", "two"), ("q5", "five"))]
    (log,) = inspect_ai.eval(
        inspect_ai.Task(dataset=dataset),
        model=get_model("mockllm/model", custom_outputs=reply),
        log_dir=str(tmp_path / "logs"),
        epochs=2,
        display="none",
    )
    assert log.status == "success"
    location = Path(log.location.removeprefix("file://"))
    assert main(["answers", "import", str(location), "--bundle", str(bundle), "-o", str(tmp_path / "out") + "/"]) == 1
    for sitting in (1, 2):
        made = json.loads((tmp_path / "out" / f"mockllm-model.{sitting}.json").read_text())
        assert {name: end["raw"] for name, end in made["outcomes"].items() if end["raw"]} == {
            "q1": replies["one"], "q2": replies["two"], "q5": replies["five"],
        }  # fmt: skip
