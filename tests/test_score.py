"""`exam2bench score`: views beside each other, breakdowns, shards, missing replies, and one sentence for bad input."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from exam2bench.cli import main
from exam2bench.corpora.catalog import cvbench
from exam2bench.schemas.errors import UsageError

# source, task, answer, choices
CV_ROWS: list[tuple[str, str, str, list[str]]] = [
    ("ADE20K", "Count", "(A)", ["1", "2", "3"]),
    ("ADE20K", "Relation", "(B)", ["above", "below"]),
    ("COCO", "Count", "(C)", ["1", "2", "3"]),
    ("COCO", "Relation", "(A)", ["left", "right"]),
    ("Omni3D", "Depth", "(B)", ["chair", "table"]),
    ("Omni3D", "Distance", "(A)", ["lamp", "sofa"]),
]


def cv_records() -> list[dict[str, Any]]:
    return [
        {"idx": n, "type": "3D" if source == "Omni3D" else "2D", "source": source, "task": task, "answer": answer,
         "question": "Q", "prompt": "Q (A) (B)", "choices": choices}
        for n, (source, task, answer, choices) in enumerate(CV_ROWS)
    ]  # fmt: skip


CV_REPLIES = ["(A)", "Based on it, (B)", "<think>three</think>C", "The answer is: A", "B", "either A or B"]


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., str]:
    def written(name: str, rows: Sequence[dict[str, Any]] | str) -> str:
        path = tmp_path / name
        text = rows if isinstance(rows, str) else "".join(json.dumps(row) + "\n" for row in rows)
        path.write_text(text, encoding="utf-8")
        return str(path)

    return written


def replies(values: Sequence[Any]) -> list[dict[str, Any]]:
    return [{"id": n, "prediction": value} for n, value in enumerate(values)]


def scored(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> dict[str, Any]:
    assert main(["score", *words, "--json"]) == code, capsys.readouterr().err
    return json.loads(capsys.readouterr().out)


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The one sentence with which a call is refused."""
    assert main(["score", *words]) in (1, 2)
    out, err = capsys.readouterr()
    assert out == "" and "Traceback" not in err
    (line,) = err.strip().splitlines()
    return line.removeprefix("exam2bench score: ")


# views


def test_cv_bench_has_both_views_and_every_differing_reply(write, capsys):
    """Official first characters: a b < : b e against a b c a b a, so 1 1 0 0 1 0: ADE20K 1, COCO 0, Omni3D 1/2;
    2D 1/2, 3D 1/2, total 1/2. Robust: A, B, C, A, B and nothing, so 1 1 1 1 1 0: 2D 1, 3D 1/2, total 3/4."""
    words = ["cv-bench", write("p.jsonl", replies(CV_REPLIES)), "--records", write("r.jsonl", cv_records())]
    result = scored(capsys, *words)
    official, robust = result["views"]["official"], result["views"]["robust"]
    assert {name: official["table"][name] for name in ("ADE20K", "COCO", "Omni3D", "2D", "3D", "CV-Bench")} == {
        "ADE20K": 1.0, "COCO": 0.0, "Omni3D": 0.5, "2D": 0.5, "3D": 0.5, "CV-Bench": 0.5,
    }  # fmt: skip
    assert official["headline"] == {
        "key": "CV-Bench", "quantity": "mean of 2D and 3D accuracy", "scale": "share", "highest": 1.0, "value": 0.5,
    }  # fmt: skip
    assert robust["table"] == {
        "robust_cv_bench_accuracy": 0.75,
        "robust_accuracy_2d": 1.0,
        "robust_accuracy_3d": 0.5,
        "robust_task_accuracy": {"Count": 1.0, "Relation": 1.0, "Depth": 1.0, "Distance": 0.0},
        "parse_failures": 1,
    }
    assert (official["parse_failures"], robust["parse_failures"]) == (0, 1)
    assert (result["think_blocks"], result["replies_with_think_blocks"]) == (1, 1)
    assert [entry["id"] for entry in result["differences"]] == ["2", "3", "5"]
    assert result["differences"][0] == {
        "id": "2", "prediction": "<think>three</think>C", "answer": "(C)",
        "official": {"read": "<", "hit": 0.0}, "robust": {"read": "C", "hit": 1.0},
    }  # fmt: skip


def test_the_text_report_keeps_80_columns_and_marks_headlines(write, capsys):
    words = ["cv-bench", write("p.jsonl", replies(CV_REPLIES)), "--records", write("r.jsonl", cv_records())]
    assert main(["score", *words]) == 0
    out = capsys.readouterr().out
    assert max(len(line) for line in out.splitlines()) <= 80
    rows = {line[:54].strip(): line[54:].split() for line in out.splitlines() if line[:54].strip()}
    assert rows["CV-Bench"] == ["0.5000*", "–"]
    assert rows["robust_cv_bench_accuracy"] == ["–", "0.7500*"]
    assert "by task" in out and "by source" in out
    assert "1 think block in 1 of them" in out


def test_one_view_alone(write, capsys):
    words = ["cv-bench", write("p.jsonl", replies(CV_REPLIES)), "--records", write("r.jsonl", cv_records())]
    assert list(scored(capsys, *words, "--view", "robust")["views"]) == ["robust"]
    assert list(scored(capsys, *words, "--view", "lmms-eval")["views"]) == ["lmms-eval"]
    assert "has no view nonsense: it has official, robust" in refused(capsys, *words, "--view", "nonsense")


def test_a_robust_figure_has_no_total_with_an_official_one():
    assert cvbench.total_of({"2D": 0.5, "3D": 1.0}) == 0.75
    assert cvbench.total_of({"robust_accuracy_2d": 0.5, "robust_accuracy_3d": 0.0}) == 0.25
    with pytest.raises(UsageError, match="2D and robust_accuracy_3d have no common total"):
        cvbench.total_of({"2D": 0.5, "robust_accuracy_3d": 1.0})


def test_files_of_a_result(write, capsys, tmp_path):
    words = ["cv-bench", write("p.jsonl", replies(CV_REPLIES)), "--records", write("r.jsonl", cv_records())]
    result = scored(capsys, *words, "-o", str(tmp_path / "out"))
    assert json.loads((tmp_path / "out/score.json").read_text()) == result
    lines = [json.loads(line) for line in (tmp_path / "out/rows.jsonl").read_text().splitlines()]
    assert [line["robust"]["read"] for line in lines] == ["A", "B", "C", "A", "B", None]
    differing = [json.loads(line) for line in (tmp_path / "out/differences.jsonl").read_text().splitlines()]
    assert differing == result["differences"]


# shards and missing replies


def test_shards_are_one_run(write, capsys):
    """Shards in any order; without --records they bring their own, and must then be the whole of 2,638."""
    rows = [{**row, "prediction": reply} for row, reply in zip(cv_records(), CV_REPLIES, strict=True)]
    first, second = write("s0.jsonl", rows[:3]), write("s1.jsonl", rows[3:])
    merged = scored(capsys, "cv-bench", second, first, "--records", write("r.jsonl", cv_records()))
    assert merged["views"]["official"]["headline"]["value"] == 0.5
    told = refused(capsys, "cv-bench", first, second)
    assert told.startswith("6 of the 2,638 questions of cv-bench are there: 6 to 2637 are missing; --partial")
    part = scored(capsys, "cv-bench", first, second, "--partial")
    assert part["views"]["official"]["headline"]["value"] == 0.5
    assert any("a score of this part, not of the benchmark" in note for note in part["notes"])


def test_a_whole_run_of_2638_in_shards_with_a_gap_and_an_overlap(write, capsys, tmp_path):
    out = tmp_path / "scores"
    kinds = ["ADE20K"] * 700 + ["COCO"] * 738 + ["Omni3D"] * 1200
    task = {"ADE20K": "Count", "COCO": "Relation", "Omni3D": "Depth"}
    rows = [
        {"idx": n, "type": "2D", "source": kind, "task": task[kind], "answer": "(A)", "choices": ["x", "y"],
         "prediction": "A" if n % 4 else "B"}
        for n, kind in enumerate(kinds)
    ]  # fmt: skip
    whole = scored(capsys, "cv-bench", write("a.jsonl", rows[:1000]), write("b.jsonl", rows[1000:]))
    # every fourth is wrong: 175 of 700, 185 of 738 (700, 704, … 1436), 300 of 1,200
    ade, coco, omni = 525 / 700, (738 - 185) / 738, 900 / 1200
    assert whole["views"]["official"]["table"]["CV-Bench"] == pytest.approx(((ade + coco) / 2 + omni) / 2, abs=1e-12)
    assert whole["records"] == 2638 and whole["notes"] == []
    gap = refused(capsys, "cv-bench", write("a.jsonl", rows[:1000]), write("b.jsonl", rows[1010:]))
    assert gap.startswith("2,628 of the 2,638 questions of cv-bench are there: 1000 to 1009 are missing")
    overlap = refused(capsys, "cv-bench", write("a.jsonl", rows[:1000]), write("b.jsonl", rows[990:]))
    assert overlap == ("10 ids are predicted twice: 990 to 999 (the first in a.jsonl line 991 and b.jsonl line 1)")
    swapped = scored(capsys, "cv-bench", write("b.jsonl", rows[1000:]), write("a.jsonl", rows[:1000]), "-o", str(out))
    assert swapped["views"] == whole["views"]
    lines = (out / "rows.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["id"] for line in lines] == [str(n) for n in range(2638)]
    strange = refused(capsys, "cv-bench", write("a.jsonl", [*rows[:-1], {**rows[-1], "idx": 4000}]))
    assert strange == ("the 2,638 ids are not those of cv-bench, whole numbers without a gap: there is no 2637")


def test_missing_replies_are_refused_or_counted_wrong_never_left_out(write, capsys):
    records = write("r.jsonl", cv_records())
    some = write("p.jsonl", [*replies(CV_REPLIES)[:4], {"id": 4, "prediction": None}])
    told = refused(capsys, "cv-bench", some, "--records", records)
    assert told == "2 of 6 records have no prediction: 4 to 5; --missing wrong counts them as wrong"
    result = scored(capsys, "cv-bench", some, "--records", records, "--missing", "wrong", code=1)
    official = result["views"]["official"]
    assert (official["table"]["3D"], official["missing"], official["answered"]) == (0.0, 2, 4)
    assert "2 of 6 records have no prediction: 4 to 5; they count as wrong" in result["notes"]


def test_a_benchmark_whose_rule_counts_missing_replies_as_wrong(write, capsys):
    """MMStar divides by 1,500 and 250 whatever there is."""
    rows = [
        {"index": n, "answer": "A", "category": "math", "l2_category": "geometry", "question": "Q"} for n in range(3)
    ]
    words = ["mmstar", write("p.jsonl", replies(["A", "B"])), "--records", write("r.jsonl", rows)]
    official = scored(capsys, *words, code=1)["views"]["official"]
    assert official["table"]["final score"] == 1 / 1500
    assert (official["table"]["math"], official["table"]["math(geometry)"]) == (1 / 250, 1 / 3)


# bad input


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ([*replies(CV_REPLIES), {"id": 9, "prediction": "A"}], "1 predicted id is no record of cv-bench: 9"),
        ([*replies(CV_REPLIES), {"id": 2, "prediction": "A"}], "the id 2 is predicted twice (p.jsonl line 3 and"),
        ([{"id": "mmmu_1", "prediction": "A"}], "none of the 1 predicted ids (first mmmu_1) is one of the records"),
        ([{"benchmark": "mmmu", "id": 1, "prediction": "A"}], "line 1 is of the benchmark mmmu, not of cv-bench"),
        ([{"prediction": "A"}], "p.jsonl line 1 has no id (looked for idx and id); --id-field names another"),
        ([{"id": 1, "text": "A"}], "p.jsonl line 1 has no reply (looked for prediction, response, reply, output)"),
        ([{"id": 1, "response": "A", "output": "B"}], "p.jsonl line 1 has response and output: --reply-field says"),
        ([{"id": 1, "prediction": ["A"]}], "the prediction of 1 is a list; cv-bench takes text"),
        ([{"id": 1, "prediction": True}], "the prediction of 1 is a truth value; cv-bench takes text"),
        ([{"id": True, "prediction": "A"}], "p.jsonl line 1: the id True is neither a text nor a whole number"),
        ('{"id": 1, "prediction": NaN}\n', "p.jsonl line 1 is not valid JSON"),
        ('{"id": 1, "prediction": "A"\n', "p.jsonl line 1 is not valid JSON"),
        ("[1]\n", "p.jsonl line 1 is a list, not an object"),
        ("", "p.jsonl has no predictions"),
    ],
    ids=lambda value: value if isinstance(value, str) and " " in value else None,
)  # fmt: skip
def test_bad_predictions_are_one_sentence_each(write, capsys, lines, sentence):
    words = ["cv-bench", write("p.jsonl", lines), "--records", write("r.jsonl", cv_records())]
    assert sentence in refused(capsys, *words)


def test_records_of_another_benchmark(write, capsys):
    rows = [{"idx": n, "question": "Q"} for n in range(6)]
    told = refused(capsys, "cv-bench", write("p.jsonl", replies(CV_REPLIES)), "--records", write("r.jsonl", rows))
    assert "every record of cv-bench has: are these another benchmark's records" in told
    only = [row for row in cv_records() if row["source"] != "COCO"]
    answers = [{"id": row["idx"], "prediction": "A"} for row in only]
    told = refused(capsys, "cv-bench", write("p.jsonl", answers), "--records", write("r.jsonl", only))
    assert told == "CV-Bench is a mean over three sources: there are no records of COCO"


def test_a_table_that_pandas_wrote(write, capsys):
    """CSV predictions; the text nan is a reply, and said."""
    text = "id,prediction\n" + "".join(f'{n},"{reply}"\n' for n, reply in enumerate(["(A)", "nan", "C", "A", "B", "A"]))
    result = scored(capsys, "cv-bench", write("p.csv", text), "--records", write("r.jsonl", cv_records()))
    assert result["views"]["robust"]["parse_failures"] == 1
    assert '1 reply is the text "nan", which tables write for a missing one' in result["notes"]
    broken = write("p.csv", "id,prediction\n0,A,B\n")
    told = refused(capsys, "cv-bench", broken, "--records", write("r.jsonl", cv_records()))
    assert told == "p.csv line 2 has 3 cells, the header 2"


def test_the_reply_may_stand_in_a_field_that_is_named(write, capsys):
    rows = [{"question_id": n, "text": reply} for n, reply in enumerate(CV_REPLIES)]
    words = ["cv-bench", write("p.jsonl", rows), "--records", write("r.jsonl", cv_records())]
    result = scored(capsys, *words, "--id-field", "question_id", "--reply-field", "text")
    assert result["views"]["robust"]["headline"]["value"] == 0.75


def test_no_file_and_no_benchmark_of_that_name(write, capsys, tmp_path):
    assert refused(capsys, "cv-bench", str(tmp_path / "none.jsonl")).startswith("there is no file ")
    told = refused(capsys, "cvbench", write("p.jsonl", replies(["A"])))
    assert told.startswith("there is no benchmark cvbench") and "cv-bench" in told
    told = refused(capsys, "cv-bench", write("p.txt", "A"), "--records", write("r.jsonl", cv_records()))
    assert "is none of the kinds that are read" in told


def test_hostile_text_reaches_no_terminal(write, capsys):
    evil = "\x1b[2J\u202eB"
    words = ["cv-bench", write("p.jsonl", replies([evil] * 6)), "--records", write("r.jsonl", cv_records())]
    assert main(["score", *words]) == 0
    assert "\x1b" not in (shown := capsys.readouterr().out) and "\u202e" not in shown
    assert main(["score", *words, "--json"]) == 0
    assert "\x1b" not in capsys.readouterr().out


# CountQA


COUNT_ROWS = [
    {"id": "a", "questions": ["How many cups?", "How many spoons?"], "answers": ["3", "0"], "is_focused": True,
     "categories": ["kitchen", "tools"]},
    {"id": "b", "questions": ["How many birds?"], "answers": ["100"], "is_focused": False, "categories": ["animals"]},
]  # fmt: skip


def test_countqa_breakdowns_and_the_filter_of_a_run(write, capsys):
    """First integers: 3, none, 2 (of "2 rows"): exact 1, 0, 0. The last match makes the third 104, within 5 % of 100:
    relaxed 2 of 3."""
    records = write("r.jsonl", COUNT_ROWS)
    lines = [
        {"id": "a.0", "prediction": "3"}, {"id": "a.1", "prediction": "zero"},
        {"id": "b.0", "prediction": "2 rows of 52: 104"},
    ]  # fmt: skip
    words = ["countqa", write("p.jsonl", lines), "--records", records]
    official = scored(capsys, *words)["views"]["official"]
    assert official["table"]["acc"] == pytest.approx(1 / 3)
    assert official["parse_failures"] == 1
    assert official["breakdowns"]["is_focused"] == {
        "True": {"replies": 2, "unread": 1, "acc": 0.5}, "False": {"replies": 1, "unread": 0, "acc": 0.0},
    }  # fmt: skip
    assert {name: part["acc"] for name, part in official["breakdowns"]["categories"].items()} == {
        "kitchen": 0.5, "tools": 0.5, "animals": 0.0,
    }  # fmt: skip
    filtered = scored(capsys, *words, "--regex", r"(\d+)", "--group-select", "-1")
    assert filtered["views"]["official"]["table"]["relaxed_acc"] == pytest.approx(2 / 3)
    assert any("found (match -1)" in note for note in filtered["notes"])
    assert "is no regular expression" in refused(capsys, *words, "--regex", "(")
    assert "a reply has no match number 5" in refused(capsys, *words, "--regex", r"\d+", "--group-select", "5")


def test_flags_that_say_nothing_are_refused(write, capsys):
    words = ["cv-bench", write("p.jsonl", replies(CV_REPLIES)), "--records", write("r.jsonl", cv_records())]
    assert refused(capsys, *words, "--convention", "pixel") == (
        "replies to cv-bench have no coordinates, so --convention says nothing"
    )
    assert refused(capsys, *words, "--k", "2") == "cv-bench has no pass@k, so --k says nothing"
    assert refused(capsys, *words, "--k", "0") == "the k of pass@k is 1 or more"
    assert refused(capsys, *words, "--law") == "cv-bench has no compositional law; uno-bench has one"


def test_thousands_of_tags_that_never_close_take_no_time(write, capsys):
    """A reply of 200 kB of opening tags took the robust reader a minute."""
    evil = [
        "<think>" * 28_000,
        "<answer>" * 25_000,
        "\\boxed{" * 28_000,
        "(A), (B), " * 20_000,
        "[" * 200_000,
        " " * 200_000,
    ]
    words = ["cv-bench", write("p.jsonl", replies(evil)), "--records", write("r.jsonl", cv_records())]
    result = scored(capsys, *words)
    assert result["views"]["robust"]["table"]["robust_accuracy_2d"] == 0.0
    assert result["think_blocks_left_open"] == 1
