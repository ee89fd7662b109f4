"""Records of benchmarks as bundles: kinds of questions, pictures, hostile records; solve, grade and score on them."""

import base64
import hashlib
import io
import json
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from exam2bench.cli import main
from exam2bench.models.fake_server import Ask, FakeServer
from exam2bench.schemas.bundle import load_bundle
from exam2bench.schemas.content import ImageBlock, TextBlock
from exam2bench.schemas.validation import validate_bundle

Rows = Sequence[dict[str, Any]]


POPE = {"id": "1", "question": "Is there a dog?", "answer": "yes", "category": "random"}


def picture(colour: str, kind: str = "PNG", size: tuple[int, int] = (3, 2)) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", size, colour).save(buffer, format=kind)
    return buffer.getvalue()


def lines(path: Path, rows: Rows) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def imported(tmp_path: Path, card: str, rows: Rows, *flags: str) -> Path:
    records = lines(tmp_path / "records.jsonl", rows)
    assert main(["catalog", "import", card, str(records), "-o", str(tmp_path / "bundle"), *flags]) == 0
    return tmp_path / "bundle"


def refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], card: str, rows: Rows, *flags: str) -> str:
    """What is said: one sentence, no bundle."""
    records = lines(tmp_path / "records.jsonl", rows)
    assert main(["catalog", "import", card, str(records), "-o", str(tmp_path / "bundle"), *flags]) in (1, 2)
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "Traceback" not in error
    assert not (tmp_path / "bundle").exists()
    return error


def rules(bundle: Path) -> dict[str, dict[str, Any]]:
    return {
        name: entry.rule.model_dump(mode="json", exclude_none=True)
        for name, entry in load_bundle(bundle).grading.questions.items()
    }


MMMU: Rows = [
    {
        "id": "validation_Art_1", "question": "Which is <image 2>, not <image 1>?",
        "options": "['a lion', 'a <image 3>']", "answer": "B", "question_type": "multiple-choice",
        "image_1": base64.b64encode(picture("red")).decode(), "image_2": {"bytes": None, "path": "blue.png"},
        "image_3": "data:image/png;base64," + base64.b64encode(picture("green")).decode(),
    },
    {"id": "validation_Art_2", "question": "Name it.", "answer": "['Mona Lisa', 'Gioconda']", "question_type": "open"},
]  # fmt: skip


def test_a_choice_with_pictures_in_their_places(tmp_path: Path):
    (tmp_path / "blue.png").write_bytes(picture("blue"))
    bundle = imported(tmp_path, "mmmu", MMMU)
    assert [finding.message for finding in validate_bundle(bundle)] == []
    exam = load_bundle(bundle).exam
    first, second = exam.leaves()
    names = {
        colour: f"assets/{hashlib.sha256(picture(colour)).hexdigest()[:32]}.png" for colour in ("red", "blue", "green")
    }
    assert first.type == "single_choice" and first.id == "validation_Art_1"
    assert first.prompt == [
        TextBlock(markdown="Which is"),
        ImageBlock(asset=names["blue"]),
        TextBlock(markdown=", not"),
        ImageBlock(asset=names["red"]),
        TextBlock(markdown="?"),
    ]
    assert first.options and first.options[1].content == [TextBlock(markdown="a"), ImageBlock(asset=names["green"])]
    assert second.type == "short_answer" and second.options is None
    assert rules(bundle)["validation_Art_1"]["correct"] == ["B"]
    assert rules(bundle)["validation_Art_2"]["items"] == [{"accepted": ["Mona Lisa", "Gioconda"]}]
    assert exam.metadata["benchmark"] == "mmmu" and exam.metadata["dataset"] == "MMMU/MMMU"
    assert "{options}" in exam.metadata["official_prompt"]
    assert exam.metadata["official_metric"] == "accuracy, share 0 to 1"


def test_the_same_records_give_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    (tmp_path / "blue.png").write_bytes(picture("blue"))
    bundle = imported(tmp_path, "mmmu", MMMU)
    first = {path.relative_to(bundle): path.read_bytes() for path in bundle.rglob("*") if path.is_file()}
    imported(tmp_path, "mmmu", MMMU, "--force")
    again = {path.relative_to(bundle): path.read_bytes() for path in bundle.rglob("*") if path.is_file()}
    assert first == again and len(first) == 7


def test_what_is_graded_otherwise_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    rows = [{"id": "1", "question": "Is there a dog?", "answer": "yes", "category": "random"}]
    bundle = imported(tmp_path, "pope", rows, "--json")
    shown = capsys.readouterr()
    assert json.loads(shown.out)["differs"] == "accuracy, not F1, and no table by sampling"
    assert "not by pope's: accuracy, not F1" in shown.err
    manifest = load_bundle(bundle).manifest
    assert manifest.warnings == [
        "graded by the bundle's rules, not by pope's: accuracy, not F1, and no table by sampling"
    ]
    assert manifest.engine == "catalog pope" and manifest.sources[0].path == "records.jsonl"
    assert rules(bundle)["1"] == {"kind": "true_false", "correct": True}


CHOICE = {"kind": "choice", "partial_credit": False, "wrong_selection_penalty": 0.0}


@pytest.mark.parametrize(
    "card, row, kind, rule",
    [
        ("hallusionbench",
         {"id": "VD_x_1_0_0_0", "question": "Same?", "answer": "0", "category": "VD", "l2_category": "x"},
         "true_false", {"kind": "true_false", "correct": False}),
        ("countqa", {"question": "How many?", "answer": 12, "is_focused": True},
         "short_answer", {"kind": "numeric", "value": "12", "unit_required": False}),
        ("chartqa", {"question": "What share?", "answer": "14.5"},
         "short_answer", {"kind": "numeric", "value": "14.5", "rel_tolerance": 0.05, "unit_required": False}),
        ("chartqa", {"question": "Which?", "answer": "Japan"},
         "short_answer", {"kind": "enumeration", "items": [{"accepted": ["Japan"]}], "ordered": False, "penalty": 0.0}),
        ("docvqa", {"id": "7", "question": "Who?", "answers": ["J. Doe", "John Doe", "J. Doe"]},
         "short_answer",
         {"kind": "enumeration", "items": [{"accepted": ["J. Doe", "John Doe"]}], "ordered": False, "penalty": 0.0}),
        ("hmmt", {"id": 3, "question": "Find $x$.", "answer": "\\frac{9}{23}"},
         "short_answer", {"kind": "expression", "expression": "\\frac{9}{23}"}),
        ("omnidocbench", {"id": "p1", "answer": "# Title", "question": "Convert the page."},
         "short_answer", {"kind": "judge", "reference_answer": "# Title", "reference_assets": [], "rubric": [],
                          "include_question_images": True}),
        ("ai2d", {"question": "Which?", "options": ["sun", "moon", "star"], "answer": "2"},
         "single_choice", {**CHOICE, "correct": ["C"]}),
        ("mathvista-choice", {"id": "1", "question": "How?", "options": ["3/11", "8/11"], "answer": "8/11"},
         "single_choice", {**CHOICE, "correct": ["B"]}),
        ("cv-bench",
         {"idx": 0, "question": "Q?", "choices": ["3", "4"], "answer": "(B)", "source": "COCO", "task": "Count"},
         "single_choice", {**CHOICE, "correct": ["B"]}),
        ("mmstar", {"index": 0, "question": "Which? Options: A: x, B: y, C: z, D: w", "answer": "D", "category": "math",
                    "l2_category": "geometry"},
         "single_choice", {**CHOICE, "correct": ["D"]}),
    ],
)  # fmt: skip
def test_each_kind_of_answer_gets_its_rule(
    tmp_path: Path, card: str, row: dict[str, Any], kind: str, rule: dict[str, Any]
):
    bundle = imported(tmp_path, card, [row])
    (leaf,) = load_bundle(bundle).exam.leaves()
    assert (leaf.type, leaf.points) == (kind, 1.0)
    assert rules(bundle)[leaf.id] == rule
    assert [finding for finding in validate_bundle(bundle) if finding.severity == "error"] == []


def test_steps_of_a_reference_become_parts_with_their_points(tmp_path: Path):
    """The example that the UNO-Bench README prints: 80 (4 points), 180 (4), 260 (2)."""
    answer = "1. 80 (4 points)\n2. 180 (4 points)\n3. 260 (2 points)"
    rows = [
        {"id": "a", "question": "Colour it.", "answer": answer},
        {"id": "b", "question": "Who?", "answer": "Elephant"},
    ]
    bundle = imported(tmp_path, "uno-bench", rows)
    parts = rules(bundle)["a"]["parts"]
    assert [(part["reference"], part["points"]) for part in parts] == [("80", 4.0), ("180", 4.0), ("260", 2.0)]
    assert [(part["reference"], part["points"]) for part in rules(bundle)["b"]["parts"]] == [("Elephant", 10.0)]
    assert load_bundle(bundle).exam.total_points == 20


def test_questions_on_one_picture_stand_together_under_it(tmp_path: Path):
    red, blue = (base64.b64encode(picture(colour)).decode() for colour in ("red", "blue"))
    rows = [
        {"questions": ["Cats?", "Dogs?"], "answers": ["15", "0"], "image": red},
        {"questions": ["Cups?"], "answers": ["2"], "image": blue},
        {"questions": ["Birds?"], "answers": ["3"], "image": red},
    ]
    bundle = imported(tmp_path, "countqa", rows)
    loaded = load_bundle(bundle)
    group, single = loaded.exam.questions()
    assert (group.id, group.type, group.points, single.id) == ("on-0.0", "composite", 3.0, "1.0")
    assert [block.type for block in group.prompt] == ["image"]
    assert [(child.id, child.prompt) for child in group.children] == [
        (name, [TextBlock(markdown=text)]) for name, text in (("0.0", "Cats?"), ("0.1", "Dogs?"), ("2.0", "Birds?"))
    ]
    assert [block.type for block in single.prompt] == ["image", "text"]
    assert {name: rule["value"] for name, rule in rules(bundle).items()} == {
        "0.0": "15", "0.1": "0", "1.0": "2", "2.0": "3",
    }  # fmt: skip
    assert len(list((bundle / "assets").iterdir())) == 2
    assert [finding for finding in validate_bundle(bundle) if finding.severity == "error"] == []


def test_gpqa_options_stand_in_an_order_that_follows_from_the_id(tmp_path: Path):
    """By sha256 of "rec1/0" … "rec1/3": 3, 0, 1, 2 where 0 is the right answer, so it stands at B."""
    row = {
        "Record ID": "rec1", "Question": "Which?", "Correct Answer": "right",
        "Incorrect Answer 1": "one", "Incorrect Answer 2": "two", "Incorrect Answer 3": "three",
    }  # fmt: skip
    keys = sorted(range(4), key=lambda place: hashlib.sha256(f"rec1/{place}".encode()).digest())
    bundle = imported(tmp_path, "gpqa-diamond", [row])
    (leaf,) = load_bundle(bundle).exam.leaves()
    assert leaf.options
    shown = [block.markdown for option in leaf.options for block in option.content if isinstance(block, TextBlock)]
    assert shown == [["right", "one", "two", "three"][place] for place in keys]
    assert rules(bundle)["rec1"]["correct"] == ["ABCD"[keys.index(0)]]


def test_options_that_carry_their_label_lose_it(tmp_path: Path):
    row = {"id": "1", "question": "Q", "options": ["A. Apples.", "B. Candles."], "answer": "A", "duration": "short"}
    (leaf,) = load_bundle(imported(tmp_path, "video-mme", [row])).exam.leaves()
    assert leaf.options and leaf.options[1].content == [TextBlock(markdown="Candles.")]


def test_csv_and_parts_of_a_file(tmp_path: Path):
    text = "id,Question,A,B,C,D,Answer,Subject\n"
    text += 'x 1,"Which, of these?",1,2,3,4,C,law\nx 2,Which?,1,2,3,4,D,art\nx 3,Why?,1,2,3,4,A,art\n'
    records = tmp_path / "mmlu.csv"
    records.write_text(text, encoding="utf-8")
    words = ["catalog", "import", "mmmlu", str(records), "-o", str(tmp_path / "bundle")]
    assert main([*words, "--where", "category=art", "--limit", "1"]) == 0
    loaded = load_bundle(tmp_path / "bundle")
    assert [leaf.id for leaf in loaded.exam.leaves()] == ["x_2"]
    assert loaded.exam.metadata["record:x_2"] == "x 2"
    assert loaded.exam.exam_id == "mmmlu (category=art, 1 at most)" == loaded.grading.exam_id


def test_where_looks_into_lists(tmp_path: Path):
    rows = [
        {"question": "Q", "answer": n, "categories": kinds} for n, kinds in enumerate((["cars"], ["toys", "cars"], []))
    ]
    bundle = imported(tmp_path, "countqa", rows, "--where", "categories=toys")
    assert [rule["value"] for rule in rules(bundle).values()] == ["1"]


def test_what_no_exam_file_can_hold_is_refused_before_it_is_built(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    rows = [{**POPE, "id": str(n), "question": "dog? " * 200_000} for n in range(20)]
    said = refused(tmp_path, capsys, "pope", rows)
    assert "the texts alone have more than 16,777,216 characters" in said and "--skip and --limit" in said
    bundle = imported(tmp_path, "pope", rows, "--skip", "3", "--limit", "2")
    assert [leaf.id for leaf in load_bundle(bundle).exam.leaves()] == ["3", "4"]


def test_other_pictures_become_png(tmp_path: Path):
    (tmp_path / "page.bmp").write_bytes(picture("red", "BMP"))
    row = {"id": "p", "answer": "# T", "question": "Convert.", "image": "page.bmp"}
    bundle = imported(tmp_path, "omnidocbench", [row])
    (asset,) = (bundle / "assets").iterdir()
    assert asset.suffix == ".png" and Image.open(asset).getpixel((0, 0)) == (255, 0, 0)


# Parquet, and pictures taken out once


def parquet(path: Path, rows: Rows) -> Path:
    arrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    pyarrow.parquet.write_table(arrow.Table.from_pylist(list(rows)), path)
    return path


def cv_rows(kind: str, first: int) -> Rows:
    source, task = {"2D": ("COCO", "Count"), "3D": ("Omni3D", "Depth")}[kind]
    image = {"bytes": picture("blue"), "path": f"{kind}.png"}
    return [
        {"idx": first + n, "type": kind, "task": task, "image": image, "question": f"Q{n}?", "choices": ["1", "2"],
         "answer": "(A)", "prompt": f"Q{n}? Select.", "source": source}
        for n in range(2)
    ]  # fmt: skip


def test_prepare_takes_embedded_pictures_out_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    two, three = (parquet(tmp_path / f"{kind}.parquet", cv_rows(kind, n)) for n, kind in ((0, "2D"), (2, "3D")))
    out = tmp_path / "made" / "cv"
    assert main(["catalog", "prepare", "cv-bench", str(two), str(three), "-o", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"records": 4, "pictures": 1, "folder": str(out)}
    rows = [json.loads(line) for line in (out / "records.jsonl").read_text().splitlines()]
    assert [row["id"] for row in rows] == ["0", "1", "2", "3"]
    assert rows[3]["source"] == "Omni3D" and (out / rows[3]["image"]).read_bytes() == picture("blue")
    again = tmp_path / "again"
    assert main(["catalog", "prepare", "cv-bench", str(two), str(three), "-o", str(again)]) == 0
    assert (again / "records.jsonl").read_bytes() == (out / "records.jsonl").read_bytes()
    assert main(["catalog", "import", "cv-bench", str(out / "records.jsonl"), "-o", str(tmp_path / "bundle")]) == 0
    assert len(list(load_bundle(tmp_path / "bundle").exam.leaves())) == 4
    assert main(["catalog", "prepare", "cv-bench", str(two), "-o", str(out)]) == 2
    assert "is there already: give a new folder" in capsys.readouterr().err


def test_prepared_rows_of_several_questions_are_not_exploded_again(tmp_path: Path):
    records = lines(tmp_path / "r.jsonl", [{"questions": ["a", "b"], "answers": ["1", "2"]}])
    assert main(["catalog", "prepare", "countqa", str(records), "-o", str(tmp_path / "made")]) == 0
    made = str(tmp_path / "made" / "records.jsonl")
    assert main(["catalog", "import", "countqa", made, "-o", str(tmp_path / "bundle")]) == 0
    assert [leaf.id for leaf in load_bundle(tmp_path / "bundle").exam.leaves()] == ["0.0", "0.1"]


def test_a_prepare_that_fails_leaves_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    rows = [{"question": "a", "answer": "1"}, {"question": "b", "answer": "2", "image": "not base64!"}]
    records = lines(tmp_path / "r.jsonl", rows)
    assert main(["catalog", "prepare", "countqa", str(records), "-o", str(tmp_path / "made")]) == 1
    assert "the record 1: the picture not base64! is neither base64 nor" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["r.jsonl"]


# what is not taken


@pytest.mark.parametrize(
    "card, rows, said",
    [
        ("pope", [{**POPE, "answer": "perhaps"}], "the record 1: the answer perhaps is neither yes nor no"),
        ("pope", [POPE, POPE], "records.jsonl line 2: the id 1 stands already in records.jsonl line 1"),
        ("pope", [{"id": "1", "answer": "yes"}], "line 1: there is no question (column question), which every record"),
        ("pope", [{**POPE, "id": [1]}], "line 1: the id [1] is neither a text nor a whole number"),
        ("pope", [{**POPE, "id": "x" * 129}], "line 1: the id has 129 characters"),
        ("pope", [{**POPE, "id": "on-1"}], "the record on-1: its id begins with on-, as groups do"),
        ("pope", [], "records.jsonl has no records"),
        ("ai2d", [{"question": "Q", "options": ["a", "b"], "answer": "7"}], "the answer 7 is none of its options A, B"),
        ("ai2d", [{"question": "Q", "options": ["a"], "answer": "0"}], "the record 0: 1 options; a choice needs two"),
        ("ai2d", [{"question": "Q", "options": ["a"] * 27, "answer": "0"}], "27 options; at most 26 have a letter"),
        ("ai2d", [{"question": "Q", "options": ["a", None], "answer": "0"}], "the record 0: option 2 of 2 is empty"),
        ("ai2d", [{"question": "Q", "options": ["", "a", " "], "answer": "1"}], "the record 0: option 1 of 3 is empty"),
        ("mmbench", [{"index": 1, "question": "Q", "A": "a", "B": "", "C": "c", "D": "", "answer": "C",
                      "category": "x", "l2-category": "y"}],
         "records.jsonl line 1: the option B is empty, though C is not"),
        ("countqa", [{"questions": ["a", "b"], "answers": ["1"]}], "different lengths (2 question, 1 answer)"),
        ("docvqa", [{"id": "1", "question": "Q", "answers": []}], "the record 1: there is no answer to grade by"),
        ("refcoco", [{"index": 1}], "refcoco cannot become a bundle: its answers are boxes"),
        ("uno-bench", [{"id": "a", "question": "q", "answer": [{"answer": "x", "points": 0}]}], "or no points (0)"),
        ("pope", [{**POPE, "image": "../../etc/passwd.png"}], "the picture '../../etc/passwd.png' leaves the bundle"),
        ("pope", [{**POPE, "image": "missing.png"}], "the record 1: the picture missing.png does not exist"),
        ("pope", [{**POPE, "image": base64.b64encode(b"<svg/>").decode()}], "or of a kind that is not taken (PNG,"),
        ("pope", [{**POPE, "image": base64.b64encode(picture("red", "JPEG")[:-60]).decode()}], "picture is damaged"),
        ("pope", [{**POPE, "image": 7}], "the picture is neither bytes nor base64 nor a path (int)"),
        ("pope", [{**POPE, "image": "data:image/png,abc"}], "the picture's data URI is not base64"),
    ],
)  # fmt: skip
def test_hostile_records_are_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], card: str, rows: Rows, said: str
):
    assert said in refused(tmp_path, capsys, card, rows)


def test_a_picture_bomb_is_not_decoded(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """A PNG header that claims 40,000 x 40,000 pixels in 100 bytes."""
    data = bytearray(picture("red"))
    data[16:24] = (40_000).to_bytes(4, "big") * 2
    data[29:33] = zlib.crc32(data[12:29]).to_bytes(4, "big")
    row = {**POPE, "image": base64.b64encode(bytes(data)).decode()}
    assert "the record 1: the picture has more than 100,000,000 pixels" in refused(tmp_path, capsys, "pope", [row])


def test_a_linked_picture_is_not_followed(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "real.png").write_bytes(picture("red"))
    (tmp_path / "link.png").symlink_to(tmp_path / "real.png")
    assert "is, or lies behind, a symlink" in refused(tmp_path, capsys, "pope", [{**POPE, "image": "link.png"}])


@pytest.mark.parametrize(
    "flags, said",
    [
        (["--limit", "0"], "--limit 0: at least one record"),
        (["--skip", "-1"], "--skip -1: 0 or more records"),
        (["--skip", "1"], "no record is left by --where, --skip and --limit"),
        (["--where", "colour=red"], "give FIELD=VALUE with a field of pope (id, question"),
        (["--where", "category=none"], "no record is left by --where, --skip and --limit: nothing"),
    ],
)
def test_wrong_options_are_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], flags: list[str], said: str
):
    assert said in refused(tmp_path, capsys, "pope", [POPE], *flags)


# the bundle at work


def test_a_model_sits_it_and_both_gradings_are_had(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Four AI2D questions, a model that always takes B; B is right in two of them: 2 of 4 points by the bundle's rule,
    0.5 in a bench, and 0.5 by the card's rule on the same answers."""
    rows = [
        {"index": n, "question": f"Q{n}: which?", "options": ["sun", "moon", "star"], "answer": answer}
        for n, answer in enumerate(["1", "B", "0", "2"])
    ]
    bundle = imported(tmp_path, "ai2d", rows)

    def reply(ask: Ask) -> dict[str, Any]:
        return {"working": "the moon", "answer": "B"}

    sheet = tmp_path / "answers.json"
    with FakeServer(reply) as server:
        model, cache = f"chat:m@{server.url}/v1", str(tmp_path / "cache.sqlite")
        assert main(["solve", str(bundle), "--model", model, "-o", str(sheet), "--cache", cache]) == 0
        capsys.readouterr()
        words = ["bench", str(bundle), "--model", model, "--no-plots", "--cache", cache, "--json"]
        assert main([*words, "-o", str(tmp_path / "bench")]) == 0
    assert json.loads(capsys.readouterr().out)["models"][0]["score"]["value"] == 0.5
    assert main(["grade", str(bundle), str(sheet), "-o", str(tmp_path / "report.json"), "--json"]) == 0
    report = json.loads((tmp_path / "report.json").read_text())
    assert (report["total_awarded"], report["total_max"]) == (2.0, 4.0)
    predictions = tmp_path / "predictions.jsonl"
    assert main(["catalog", "replies", "ai2d", str(bundle), str(sheet), "-o", str(predictions)]) == 0
    assert predictions.read_text().splitlines()[0] == '{"id": "0", "prediction": "B"}'
    capsys.readouterr()
    records = str(tmp_path / "records.jsonl")
    assert main(["score", "ai2d", str(predictions), "--records", records, "--view", "official", "--json"]) == 0
    view = json.loads(capsys.readouterr().out)["views"]["official"]
    assert view["headline"]["value"] == 0.5


def test_replies_of_another_bundle_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    bundle = imported(tmp_path, "pope", [POPE])
    sheet = tmp_path / "answers.json"
    sheet.write_text(json.dumps({"exam_id": "pope", "answers": {"1": {"type": "true_false", "value": True}}}))
    out = str(tmp_path / "p.jsonl")
    assert main(["catalog", "replies", "mme", str(bundle), str(sheet), "-o", out]) == 1
    assert "was not imported from mme" in capsys.readouterr().err
    assert main(["catalog", "replies", "pope", str(bundle), str(sheet), "-o", out]) == 0
    assert Path(out).read_text() == '{"id": "1", "prediction": "Yes"}\n'
    sheet.write_text(json.dumps({"exam_id": "other", "answers": {}}))
    assert main(["catalog", "replies", "pope", str(bundle), str(sheet), "-o", out]) == 1
    assert "answers the exam other, not pope" in capsys.readouterr().err
