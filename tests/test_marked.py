"""Answers that people have marked, imported as a bundle with its marks."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from exam2bench.cli import main
from exam2bench.corpora.marked.importing import Scheme, import_marked
from exam2bench.corpora.marked.reading import halves, read_marked_set, spread
from exam2bench.corpora.marked.sets import SETS
from exam2bench.grade.judge.against_people import read_marks
from exam2bench.grade.judge.calibration import judged_tasks
from exam2bench.models.fake_server import FakeServer
from exam2bench.schemas.errors import UsageError

from .judged import picking

RUBRIC = [
    {"criterion": "names it", "levels": [{"points": 2, "descriptor": "both"}, {"points": 1, "descriptor": "one"}]},
    {"criterion": "explains it", "levels": [{"points": 4, "descriptor": "in full"}]},
    {"criterion": "unit", "levels": [{"points": 1, "descriptor": "right unit"}]},
]


def row(number: int, **more: Any) -> dict[str, Any]:
    base = {"question_id": "q1", "question": "Why?", "context": "A text.", "reference": "Because.", "language": "en"}
    base |= {"max_points": 7, "rubric": RUBRIC, "answer_id": f"a{number}", "answer": f"answer {number}"}
    return base | {"scores": [number % 8, 7], "gold": number % 8, "feedback": "not read"} | more


def written(path: Path, rows: list[Any]) -> Path:
    path.write_text("\n".join(json.dumps(one, ensure_ascii=False) for one in rows) + "\n", encoding="utf-8")
    return path


def test_a_set_becomes_a_bundle_that_a_judge_is_compared_on(tmp_path: Path, capsys: Any):
    rows = [row(n, scores_by_criterion=[[1, n % 5, 0], [2, 4, 1]]) for n in range(6)]
    folder = tmp_path / "b"
    bundle = import_marked(
        read_marked_set(written(tmp_path / "s.jsonl", rows)), Scheme("rubric"), folder, title="my set"
    )
    task = judged_tasks(bundle)["q1"]
    assert [[level.points for level in one.levels] for one in task.criteria] == [[2, 1, 0], [4, 3, 2, 1, 0], [1, 0]]
    assert [block.markdown for block in bundle.exam.sections[0].questions[0].prompt] == ["A text.", "Why?"]
    first = read_marks(folder / "marks.jsonl", judged_tasks(bundle))[0]
    assert (first.marks, first.by_criterion["c2"]) == ({"rater1": 0.0, "rater2": 7.0}, {"rater1": 0.0, "rater2": 4.0})
    assert main(["validate", str(folder)]) == 0
    with FakeServer(picking(lambda answer, key, levels: (levels[0], "answer"))) as server:
        judge = ["--judge", f"openai:j@{server.url}/v1", "--no-cache", "--marks", str(folder / "marks.jsonl"), "--json"]
        capsys.readouterr()
        assert main(["calibrate", str(folder), *judge]) == 0
    card = json.loads(capsys.readouterr().out)["judges"][0]
    assert (card["answers"], card["raters"]) == (6, ["rater1", "rater2"])
    # full marks by the judge: rater2 gave them too, rater1 gave 0 to 5 of 7
    assert card["judge_human"]["mean_difference"]["estimate"] == round((1 - 2.5 / 7) / 2, 4)
    assert set(card["criteria"]) == {"q1/c1", "q1/c2", "q1/c3"}


def test_shares_are_put_on_the_schemes_points(tmp_path: Path):
    rows = [row(n, max_points=1, scores=[n / 4], gold=n / 4, rubric=None) for n in range(5)]
    bundle = import_marked(
        read_marked_set(written(tmp_path / "s.jsonl", rows)), Scheme("reference", 4), tmp_path / "b", title="t"
    )
    task = judged_tasks(bundle)["q1"]
    assert (task.max_points, task.holistic, len(task.criteria[0].levels)) == (4, True, 5)
    assert [one.marks for one in read_marks(tmp_path / "b" / "marks.jsonl", {"q1": task})][3] == {"rater1": 3.0}
    with pytest.raises(UsageError, match="q1 has no rubric"):
        import_marked(read_marked_set(tmp_path / "s.jsonl"), Scheme("rubric"), tmp_path / "c", title="t")


def test_every_beginning_is_a_sample_and_halves_have_the_same_marks(tmp_path: Path):
    rows = read_marked_set(written(tmp_path / "s.jsonl", [row(n, gold=min(n % 10, 3)) for n in range(200)]))
    order = spread(rows)
    assert order == spread(list(reversed(rows))) and len(order) == 200
    whole = Counter(one.gold for one in rows)
    for size in (20, 40, 100):
        shares = Counter(one.gold for one in order[:size])
        assert all(abs(shares[mark] / size - whole[mark] / 200) <= 1 / size for mark in whole)
        first, second = (Counter(one.gold for one in half) for half in halves(order[:size]))
        assert first.total() + second.total() == size and all(abs(first[mark] - second[mark]) <= 1 for mark in whole)


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([row(1), row(2, max_points=0)], r"line 2: max_points .*greater than 0"),
        ([row(1, scores=[])], "line 1: scores"),
        ([row(1, gold=float("nan"))], "line 1: gold"),
        ([row(1, scores_by_criterion=[[1, 2]])], "a mark for each of the 3 criteria"),
        ([], "holds no marked answer"),
        ([["x"]], "line 1"),
    ],
)
def test_what_is_no_set_is_refused_with_its_line(tmp_path: Path, rows: list[Any], told: str):
    with pytest.raises(UsageError, match=told):
        read_marked_set(written(tmp_path / "s.jsonl", rows))


@pytest.mark.parametrize("name", SETS)
def test_the_collected_sets_can_be_imported(tmp_path: Path, name: str):
    path = Path(__file__).parents[1].parent / "shared" / "human" / f"{name}.jsonl"
    if not path.exists():
        pytest.skip("the collected sets are not here")
    rows = read_marked_set(path)
    bundle = import_marked(rows, SETS[name], tmp_path / name, title=name)
    tasks = judged_tasks(bundle)
    marked = read_marks(tmp_path / name / "marks.jsonl", tasks)
    assert len(marked) == len(rows) and set(tasks) == {one.question_id for one in rows}
    assert all(0 <= mark <= tasks[one.question_id].max_points for one in marked for mark in one.marks.values())
    assert all(task.holistic is (SETS[name].anchor == "reference") for task in tasks.values())
