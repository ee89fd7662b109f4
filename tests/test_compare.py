"""Two reports or benches: the same paper, another key, unchanged questions, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from exam2bench.cli import main
from exam2bench.models.fake_server import FakeServer

from .benched import bench, choice, group, make_bundle, playing

QUESTIONS = [choice(f"q{number}") for number in range(6)] + [group("g", [choice("g.a"), choice("g.b")])]
WRONG = {"old": dict.fromkeys(("q0", "q1", "g.a"), "B"), "new": {"q5": "B"}}


@pytest.fixture(scope="module")
def benches(tmp_path_factory) -> Path:
    """Two models on one exam, each in a bench; and the exam with q2's key changed and q3 gone."""
    folder = tmp_path_factory.mktemp("benches")
    make_bundle(folder / "exam", QUESTIONS)
    make_bundle(folder / "amended", [*QUESTIONS[:3], *QUESTIONS[4:]], keys={"q2": "B"})
    make_bundle(folder / "other", [choice("z1"), choice("z2")], "other")
    with FakeServer(playing(WRONG)) as server:
        for model in ("old", "new"):
            bench(server, [folder / "exam"], [model], folder / model)
        bench(server, [folder / "amended"], ["new"], folder / "later")
        bench(server, [folder / "other"], ["new"], folder / "foreign")
        bench(server, [folder / "exam"], ["old", "new"], folder / "both")
    return folder


def compare(capsys, *arguments: object) -> dict:
    assert main(["compare", *map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def report(folder: Path) -> Path:
    (found,) = folder.glob("runs/*/*/1/report.json")
    return found


def test_two_benches_of_one_model_each(benches, capsys):
    found = compare(capsys, benches / "new", benches / "old")
    (pair,) = found["pairs"]
    assert found["same_digest"] and (found["questions"], found["left_out"]) == (8, 0)
    row = pair["row"]
    assert row["difference"]["value"] == 0.25 and (row["a_only"], row["b_only"]) == (3, 1)
    # six questions and a group of two
    assert row["difference"]["clusters"] == 7 and row["mcnemar_p"] == 0.625
    moved = {one["question"]: (one["a"], one["b"]) for one in pair["moved"]}
    assert moved == {"q0": (1, 0), "q1": (1, 0), "g.a": (1, 0), "q5": (0, 1)}


def test_reports_know_no_groups_unless_the_bundle_is_given(benches, capsys):
    files = report(benches / "new"), report(benches / "old")
    alone = compare(capsys, *files)
    assert alone["pairs"][0]["row"]["difference"]["clusters"] == 8
    assert [one["code"] for one in alone["findings"]] == ["compare.few_groups", "compare.no_groups"][::-1]
    known = compare(capsys, *files, "--bundle", benches / "exam")
    assert known["pairs"][0]["row"]["difference"]["clusters"] == 7
    mixed = compare(capsys, files[0], benches / "old")
    assert mixed["pairs"][0]["row"]["difference"]["clusters"] == 7


def test_takers_that_both_have_are_compared_with_themselves(benches, capsys):
    found = compare(capsys, benches / "both", benches / "new")
    assert [(pair["row"]["a"] == pair["row"]["b"], pair["row"]["p_value"]) for pair in found["pairs"]] == [(True, 1.0)]


def test_a_folder_of_reports_is_a_side(benches, capsys, tmp_path):
    for name in ("old", "new"):
        (tmp_path / f"{name}.report.json").write_bytes(report(benches / name).read_bytes())
    found = compare(capsys, tmp_path, benches / "both")
    assert len(found["pairs"]) == 2 and all(pair["row"]["difference"]["value"] == 0 for pair in found["pairs"])


def test_another_digest_is_refused_and_its_unchanged_questions_compared(benches, capsys):
    assert main(["compare", str(benches / "new"), str(benches / "later")]) == 2
    told = capsys.readouterr().err
    assert "paper or key has changed between them: --common" in told and told.count("\n") == 1
    found = compare(capsys, benches / "old", benches / "later", "--common")
    assert not found["same_digest"]
    # q2 has another key, q3 is gone
    assert (found["questions"], found["left_out"]) == (6, 3)
    (pair,) = found["pairs"]
    assert {one["question"] for one in pair["moved"]} == {"q0", "q1", "g.a", "q5"}


def test_reports_need_both_bundles_to_show_what_is_unchanged(benches, capsys):
    files = report(benches / "old"), report(benches / "later")
    assert main(["compare", *map(str, files), "--common"]) == 2
    assert "give that version of the bundle with --bundle" in capsys.readouterr().err
    found = compare(capsys, *files, "--common", "--bundle", benches / "exam", benches / "amended")
    assert found["questions"] == 6


def test_no_digest_on_either_side_is_no_proof(benches, capsys, tmp_path):
    data = json.loads(report(benches / "old").read_text())
    del data["bundle_digest"]
    for name in ("one.json", "two.json"):
        (tmp_path / name).write_text(json.dumps(data))
    assert main(["compare", str(tmp_path / "one.json"), str(tmp_path / "two.json")]) == 2
    assert "it carries no digest" in capsys.readouterr().err
    assert main(["compare", str(tmp_path / "one.json"), str(benches / "old"), "--common"]) == 2
    assert "(digest none)" in capsys.readouterr().err


def test_other_exams_are_refused(benches, capsys):
    assert main(["compare", str(benches / "new"), str(benches / "foreign")]) == 2
    assert "different exams, exam and other" in capsys.readouterr().err
    assert main(["compare", str(benches / "new"), str(benches / "foreign"), "--common"]) == 2
    assert "share no question" in capsys.readouterr().err


def test_a_question_that_moved_is_still_the_same(benches, capsys, tmp_path):
    """Another id, another page, another order: everything that is put to the taker is the same."""
    moved = make_bundle(tmp_path / "moved", [choice("x9", page=4), choice("q1")], "moved")
    questions = json.loads((moved.root / "exam.json").read_text())
    questions["sections"][0]["questions"][0]["prompt"][0]["markdown"] = "Question <q0>"
    (moved.root / "exam.json").write_text(json.dumps(questions))
    with FakeServer(playing({})) as server:
        bench(server, [moved.root], ["new"], tmp_path / "out")
    capsys.readouterr()
    found = compare(capsys, benches / "old", tmp_path / "out", "--common")
    assert found["questions"] == 2 and found["pairs"][0]["row"]["difference"]["value"] == -1.0


@pytest.mark.parametrize(
    "content, told",
    [
        ("{", "not valid JSON"),
        ('{"exam_id": "x", "answers": {}}', "neither a report nor a bench"),
        ('{"kind": "exam2bench.bench", "schema_version": "9"}', "schema_version"),
    ],
)
def test_files_that_are_nothing_are_one_sentence(benches, capsys, tmp_path, content, told):
    (tmp_path / "file.json").write_text(content)
    assert main(["compare", str(tmp_path / "file.json"), str(benches / "new")]) == 1
    error = capsys.readouterr().err
    assert told in error and error.count("\n") == 1


def test_a_bench_that_names_foreign_files_is_refused(benches, capsys, tmp_path):
    data = json.loads((benches / "new" / "bench.json").read_text())
    data["runs"][0]["report"] = "../../secret.json"
    (tmp_path / "bench.json").write_text(json.dumps(data))
    assert main(["compare", str(tmp_path), str(benches / "new")]) == 1
    assert "not inside its folder" in capsys.readouterr().err


def test_the_comparison_for_people(benches, capsys):
    assert (
        main(["compare", str(report(benches / "new")), str(report(benches / "old")), "--bundle", str(benches / "exam")])
        == 0
    )
    shown = capsys.readouterr().out
    assert "8 questions compared. Same digest." in shown
    assert "\nA − B  +25.0 " in shown and "4 questions differ" in shown
    assert "Smallest true difference that it finds in four of five tries" in shown
