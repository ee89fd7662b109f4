"""Replies unlike those of the shared vectors, and hostile input: what the references do there, worked out by running
them as packages (inspect_ai 0.3.285) or from their published rules, and one sentence for everything else."""

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exam2bench.cli import main
from exam2bench.corpora.catalog import boxes, countqa, inspect_choice, mathvista, mmmu, points
from exam2bench.corpora.catalog import grounding_rules as grounding
from exam2bench.corpora.catalog import inspect_rules as ins
from exam2bench.corpora.catalog.defect_rules import read_grid
from exam2bench.corpora.catalog.defects import f1_max
from exam2bench.corpora.catalog.registry import EXTRACTORS
from exam2bench.corpora.catalog.vqa_text import normalize_answer

Rows = Sequence[dict[str, Any]]

# inspect_ai


@pytest.mark.parametrize(
    ("reply", "several", "read"),
    [
        ("ANSWER: B\nANSWER: E", False, ""),  # what is declared last decides, an option or not
        ("ANSWER: B\nSo ANSWER: C", False, "B"),  # a line of its own goes before a place within one
        ("ANSWER: B! ANSWER: C", False, "C"),
        ("ANSWER: B ANSWER: C", False, ""),
        ("ANSWER: B：", False, "B"),
        ("ANSWER: B/C", False, "B"),
        ("ANSWER: B_", False, ""),
        ("ANSWER: B. ANSWER: D", True, "B"),
        ("ANSWER: A, B, and C", True, "ABC"),
    ],
)
def test_inspect_reads_the_last_line_that_declares(reply: str, several: bool, read: str):
    assert inspect_choice.parse_choices(reply, 4, several=several) == frozenset(read)


@pytest.mark.parametrize(
    ("reply", "kind", "answer"),
    [
        ("x ANSWER: y ANSWER: z\n", "line", "y ANSWER: z"),
        ("Answer:  C  \n\n", "line", "C  "),
        ("ANSWER: a\nb", "line", None),
        ("ANSWER: foo\nmore", "word", "foo"),
        ("ANSWER: foo?!", "word", "foo?"),
        ("ANSWER: foo bar\nmore", "word", None),
        ("ANSWER: 2", "letter", None),
        ("ANSWER: B.5", "letter", "B"),
    ],
)
def test_inspect_takes_what_is_declared(reply: str, kind: str, answer: str | None):
    assert ins.declared(reply, "zz", kind).answer == answer


@pytest.mark.parametrize(
    ("reply", "target", "location", "scored"),
    [
        ("$42", "7", "any", ("I", "$42")),
        ("1 000", "1000", "exact", ("C", "1000")),
        ("42.! foo", "42", "exact", ("I", "42! foo")),
        ("#3", "3", "end", ("I", "")),
        ("(3)", "3", "end", ("C", "3")),
        ("3’", "3", "end", ("C", "3")),
        ("inf", "7", "begin", ("I", "")),
        ("FINAL", "inf", "begin", ("I", "FINAL")),
    ],
)
def test_inspect_compares_numbers(reply: str, target: str, location: str, scored: tuple[str, str]):
    found = ins.match(reply, target, location, numeric=True)
    assert (found.value, found.answer) == scored


def test_inspect_patterns_with_no_group_one_group_and_more():
    def answer(regex: str, reply: str, target: str, every: bool = False) -> tuple[str | float, str | None]:
        found = ins.pattern(reply, target, regex, match_all=every)
        return found.value, found.answer

    assert answer(r"\d+", "x 42", "42") == ("C", "42")
    assert answer(r"\d+", "x 42", "7") == ("I", "42")
    assert answer(r"(x)(y)", "xy", "q") == ("I", None)
    assert answer(r"(\w)", "B", "b", every=True) == ("C", "b")


def test_inspect_takes_no_number_over_two_lines():
    """Between blanks stands `\\n42\\n43`, which is no number: its words are the texts 42 and 43, the target is 42.0."""
    assert ins.f1("\n42\n43", "42").value == 0.0
    assert ins.f1("四十二", "42").value == 0.0
    assert ins.f1("two\tthree", "three").value == 0.67


# MMMU, MathVista, the vote, counts


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("B is in the USA today", "B"),  # the A that ends a word is no place of A
        ("B,.", None),  # signs are stripped one after another: the comma stays
        ("B.,", "B"),
        ("(A) or rather (B)", "B"),
    ],
)
def test_mmmu_looks_for_letters_as_words(reply: str, letter: str | None):
    assert mmmu.parse_choice(reply, ["teddy bear", "rabbit", "cat", "dog"]) == letter


def test_mmmu_open_takes_the_next_phrase_where_one_is_empty():
    """The first line ends in `is `: nothing follows it, so what follows `answer `, the word `is`, is its phrase."""
    assert mmmu.parse_open("The answer is \n5") == {"is"}


def test_mathvista_takes_a_letter_in_parentheses_anywhere():
    def read(text: str | None) -> str | None:
        return mathvista.lmms_normalize(text, ["3/11", "8/11", "6/11"], "multi_choice", "text", None)

    assert read("The answer is (B)") == "8/11"


@pytest.mark.parametrize(
    ("said", "normal"),
    [
        ("couldnt've", "couldn't've"),
        ("couldn'tve", "couldn't've"),
        ("couldntve", "couldntve"),  # the published table knows forms that lack one apostrophe
        ("hed've", "he'd've"),
        ("lets", "lets"),
        ("theres", "there's"),
    ],
)
def test_contractions_of_the_vote(said: str, normal: str):
    assert normalize_answer(said) == normal


def test_a_number_longer_than_python_converts_is_no_count():
    assert countqa.parse_count("9" * 5000) is None
    assert countqa.count_score("9" * 5000, "4")["acc"] == 0.0


# boxes and points


@pytest.mark.parametrize(
    ("reply", "box"),
    [
        ({"bbox_2d": [1, 2, 3, 4]}, [1, 2, 3, 4]),
        ([{"bbox_2d": [1, 2, 3, 4]}], [1, 2, 3, 4]),
        ([[1, 2, 3, 4]], [1, 2, 3, 4]),
        ([[1, 2, 3, 4], [5, 6, 7, 8]], None),
        ([10**400, 2, 3, 4], None),
        ('```json\n{"bbox_2d": [1, 2, 3, 4]}\n```', [1, 2, 3, 4]),
        ("[1 ,\t2, 3.5e0 4.]", [1, 2, 3.5, 4]),
    ],
)
def test_a_box_as_data_or_text(reply: Any, box: list[float] | None):
    assert grounding.raw_box(reply) == box


def test_numbers_are_read_where_digits_crowd():
    assert boxes.refcoco_box("box2d 12.5.5e1 -3") == [2.0, 12.5, 5.0, -3.0]
    assert boxes.grounding_me_box("1.2.3 4 5 6") == [2.3, 4.0, 5.0, 6.0]
    assert mmmu.extract_numbers("1.25e5, 12,000 and -3") == ["12,000", "1.25e5", "1", "000", "-3"]
    assert points.bracket_point("<bbox>1</bbox>\n(0.5 ,\n0.25)") == [0.5, 0.25]
    assert points.bracket_point("<bbox>0.1 0.2\n<bbox>0.1 0.2 0.3 0.4</bbox>") == pytest.approx([0.2, 0.3])


EVIL = {
    "digits": "9" * 200_000,
    "bracket and digits": "[" + "9" * 200_000,
    "blanks": "A" + " " * 200_000 + "B",
    "bracket, number, blanks": "[1" + " " * 200_000,
    "brackets": "[" * 200_000,
    "objects": '{"bbox_2d":' * 20_000,
    "open tags": "<bbox>" * 30_000,
}
READERS = (
    "vlmevalkit.refcoco_box", "vlmevalkit.groundingme_box", "vlmevalkit.point", "lmms-eval.rec_box", "evalscope.point",
    "lmms-eval.mmmu", "stated.box", "stated.point", "stated.points", "evalscope.first_integer", "inspect.choice",
)  # fmt: skip


@pytest.mark.parametrize("name", READERS)
def test_a_hostile_reply_takes_no_time(name: str):
    """Each took minutes: a run of digits or blanks was gone through anew from each of its signs."""
    record = {"id": "1", "options": None, "question_type": "open", "size": [100, 100]}
    record |= {"options": ["a", "b"]} if name == "inspect.choice" else {}
    params = {"convention": "pixel"} if name.startswith("stated.") else {}
    start = time.process_time()
    for reply in EVIL.values():
        EXTRACTORS[name](reply, record, **params)
    assert time.process_time() - start < 5


def test_the_best_f1_of_a_hundred_thousand_scores():
    """All scores differ; the upper half are the defects: at their lowest, 0.5, every one is found and no other."""
    count = 100_000
    scores = np.arange(count) / count
    start = time.process_time()
    assert f1_max(scores, scores >= 0.5) == {"f1_max": 1.0, "threshold": 0.5}
    assert time.process_time() - start < 5


# bad input through the command


class Refusals:
    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys = folder, capsys

    def run(self, card: str, records: Rows, prediction: Any, *flags: str) -> int:
        for name, rows in (("r.jsonl", records), ("p.jsonl", [{"id": 1, "prediction": prediction}])):
            (self.folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return main(["score", card, str(self.folder / "p.jsonl"), "--records", str(self.folder / "r.jsonl"), *flags])

    def __call__(self, card: str, records: Rows, prediction: Any, *flags: str) -> str:
        assert self.run(card, records, prediction, *flags) == 1
        out, err = self.capsys.readouterr()
        assert out == ""
        (line,) = err.strip().splitlines()
        return line.removeprefix("exam2bench score: ")


@pytest.fixture
def refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Refusals:
    return Refusals(tmp_path, capsys)


DEFECT = [{"id": 1, "label": 1, "mask": [[0, 1]], "category": "screw"}]


def test_maps_that_are_damaged_or_promise_too_much(refused: Refusals):
    folder = refused.folder
    (folder / "empty.npy").write_bytes(b"")
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000), }".ljust(117) + b"\n"
    (folder / "huge.npy").write_bytes(b"\x93NUMPY\x01\x00v\x00" + header + b"\0" * 64)
    np.save(folder / "complex.npy", np.array([[1j, 2]]))
    bomb = b"P5 60000 60000 255\n" + b"\0" * 64
    (folder / "bomb.pgm").write_bytes(bomb)
    (folder / "script.png").write_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 2 1\n")

    def told(name: Any) -> str:
        return refused("mvtec-ad", DEFECT, {"score": 1, "map": name})

    assert "empty.npy cannot be read" in told("empty.npy")
    assert "huge.npy cannot be read" in told("huge.npy")
    assert "complex.npy cannot be read: it is no array of numbers" in told("complex.npy")
    assert "bomb.pgm cannot be read: it has more than 64,000,000 pixels" in told("bomb.pgm")
    assert "script.png cannot be read" in told("script.png")
    assert told("x\0y").endswith("which is no name of a file")
    assert told("a" * 5000).endswith("which is no name of a file")
    assert "no grid of numbers" in told([[10**400, 1]])
    assert "holds values beyond 3.4e+38" in told([[1e300, 1]])
    assert refused("mvtec-ad", DEFECT, {"score": 10**400}).endswith("which is no number to rank by")


def test_a_map_of_sixteen_bits_keeps_its_values(tmp_path: Path):
    """Values 100 and 60000: as eight bits both would be at most 255."""
    from PIL import Image

    Image.fromarray(np.array([[100, 60000]], dtype=np.uint16)).save(tmp_path / "map.png")
    assert read_grid("map.png", str(tmp_path), "the map").tolist() == [[100, 60000]]


REFCOCO = {"index": 1, "question": "q", "bbox_x1": 1, "bbox_y1": 1, "bbox_x2": 5, "bbox_y2": 5, "width": 9, "height": 9}


def test_numbers_beyond_floats(refused: Refusals):
    record = {**REFCOCO, "split": "RefCOCO_val"}
    assert "size is made of numbers" in refused("refcoco", [{**record, "width": 10**400}], "[1, 1, 5, 5]")
    assert refused.run("refcoco", [record], [10**400, 1, 5, 5], "--convention", "pixel") == 0


def test_points_and_their_masks(refused: Refusals):
    record = {"id": 1, "label": "cup", "points": [[5, 5]], "masks": [[[1]]], "size": [9, 9]}
    reply = '<point x="5" y="5" alt="cup">cup</point>'

    def told(**changed: Any) -> str:
        return refused("pixmo-points", [{**record, **changed}], reply)

    assert told(masks=[]) == "the record 1 has 1 points and 0 masks: one each"
    assert told(masks=["x"]) == "the record 1 has a mask that is no grid of numbers"
    assert told(points=[[1, 2, 3]]) == "the record 1 has a gold point that is not x and y"


def test_detections_of_no_category_and_none_at_all(refused: Refusals):
    """A run that detects nothing has AP 0, which the package lvis cannot compute by itself."""
    record = {"image_id": 1, "width": 9, "height": 9, "boxes": [{"category_id": 1, "bbox": [1, 1, 5, 5]}]}
    entry = {"category_id": "cup", "bbox": [1, 1, 5, 5], "score": 1}
    assert refused("lvis", [record], [entry]) == "the image 1 has the category_id cup, which is no whole number"
    odd = {**record, "boxes": [{"category_id": 1, "bbox": [1, 1, 5, 5], "frequency": "q"}]}
    assert refused("lvis", [odd], []) == "the record 1 has the frequency q, not r, c or f"
    pytest.importorskip("lvis")
    assert refused.run("lvis", [record], [], "--json") == 0
    result = json.loads(refused.capsys.readouterr().out)
    assert result["views"]["official"]["headline"]["value"] == 0.0


def test_figures_that_fix_no_law(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    rows = [{"model": str(number), "audio": 0, "visual": 0, "omni": 0} for number in range(5)]
    path = tmp_path / "law.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["score", "uno-bench", str(path), "--law"]) == 1
    assert capsys.readouterr().err == "exam2bench score: no constants of the law fit these figures\n"


def test_records_without_ids_are_matched_by_place_and_it_is_said(refused: Refusals):
    rows = [{"question": "q", "answer": "yes", "category": "popular"} for _ in range(2)]
    assert refused.run("pope", rows, "Yes", "--missing", "wrong", "--json") == 1
    notes = json.loads(refused.capsys.readouterr().out)["notes"]
    assert "the records have no id: their place, counted from 0, is taken for it" in notes


def test_parquet_whose_texts_are_no_utf8(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    buffers = [None, pyarrow.py_buffer(b"\0\0\0\0\1\0\0\0"), pyarrow.py_buffer(b"\xff")]
    texts = pyarrow.Array.from_buffers(pyarrow.string(), 1, buffers)
    parquet.write_table(pyarrow.table({"id": [1], "prediction": texts}), tmp_path / "p.parquet")
    path = str(tmp_path / "p.parquet")
    assert main(["score", "ai2d", path, "--records", path]) == 1
    assert capsys.readouterr().err.startswith("exam2bench score: p.parquet is no readable Parquet file: 'utf-8' codec")
