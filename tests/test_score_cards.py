"""Cards of grounding, defects, executed benchmarks, documents, verifiers and UNO-Bench on a few records each, the
scores worked out by hand in the docstrings."""

import importlib.util
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exam2bench.cli import main

Rows = Sequence[dict[str, Any]]


class Bench:
    """Writes records and predictions and runs `exam2bench score` on them."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys = folder, capsys

    def write(self, name: str, rows: Rows) -> str:
        path = self.folder / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return str(path)

    def words(self, card: str, records: Rows, predictions: Rows, *flags: str) -> list[str]:
        lines = self.write("p.jsonl", predictions)
        return ["score", card, lines, "--records", self.write("r.jsonl", records), *flags]

    def scored(self, card: str, records: Rows, predictions: Rows, *flags: str, code: int = 0) -> dict[str, Any]:
        assert main([*self.words(card, records, predictions, *flags), "--json"]) == code, self.capsys.readouterr().err
        return json.loads(self.capsys.readouterr().out)

    def refused(self, card: str, records: Rows, predictions: Rows, *flags: str) -> str:
        assert main(self.words(card, records, predictions, *flags)) in (1, 2)
        out, err = self.capsys.readouterr()
        assert out == "" and "Traceback" not in err
        (line,) = err.strip().splitlines()
        return line.removeprefix("exam2bench score: ")


@pytest.fixture
def bench(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Bench:
    return Bench(tmp_path, capsys)


def table(result: dict[str, Any], view: str = "official") -> dict[str, Any]:
    return result["views"][view]["table"]


# grounding


def refcoco_row(index: int, box: Sequence[float], split: str = "RefCOCO_val") -> dict[str, Any]:
    corners = dict(zip(("bbox_x1", "bbox_y1", "bbox_x2", "bbox_y2"), box, strict=True))
    return {"index": index, "question": "the cup", "width": 2000, "height": 1000, "split": split, **corners}


def test_refcoco_official_guesses_the_scale_and_robust_is_told(bench: Bench):
    """Gold 200 100 400 300 and 1000 500 1200 700 px of 2000 x 1000. The replies state pixels. The official rule takes
    numbers up to 1000 for thousandths: the first becomes 400 100 800 300 (IoU 0), the second, above 1000, stays
    (IoU 1): 50 %. Robust in pixels: both exact, 100 %; in thousandths the second cannot be."""
    rows = [refcoco_row(0, (200, 100, 400, 300)), refcoco_row(1, (1000, 500, 1200, 700))]
    lines = [
        {"id": 0, "prediction": "[200, 100, 400, 300]"},
        {"id": 1, "prediction": '{"bbox_2d": [1000, 500, 1200, 700]}'},
    ]
    result = bench.scored("refcoco", rows, lines, "--convention", "pixel")
    assert table(result)["RefCOCO_val"] == {"Precision@1": 50.0, "Average IoU": 0.5, "Samples": 2}
    assert table(result, "robust")["acc@0.5"] == 1.0
    assert "the official rule guesses the scale of each reply: 1 as pixel, 1 as thousandths" in result["notes"]
    assert [entry["id"] for entry in result["differences"]] == ["0"]
    official_only = bench.scored("refcoco", rows, lines)
    assert list(official_only["views"]) == ["official"]
    assert any("needs --convention" in note for note in official_only["notes"])
    assert "how the replies write coordinates is stated, never guessed" in bench.refused(
        "refcoco", rows, lines, "--view", "robust"
    )


def test_a_mix_of_scales_is_refused_and_an_inverted_box_is_no_answer(bench: Bench):
    rows = [refcoco_row(n, (200, 100, 400, 300)) for n in range(3)]
    mixed = [
        {"id": 0, "prediction": "[200, 100, 400, 300]"},
        {"id": 1, "prediction": "[0.1, 0.1, 0.2, 0.3]"},
        {"id": 2, "prediction": "[400, 300, 200, 100]"},
    ]
    told = bench.refused("refcoco", rows, mixed, "--convention", "pixel", "--view", "robust")
    assert told.startswith("1 of 3 replies have coordinates that cannot be pixel (first 1): state the convention")
    told = bench.refused("refcoco", rows, mixed, "--convention", "unit", "--view", "robust")
    assert told.startswith("2 of 3 replies have coordinates that cannot be unit (first 0)")
    flags = ("--convention", "pixel", "--view", "robust", "--scale-mix", "wrong")
    robust = bench.scored("refcoco", rows, mixed, *flags)["views"]["robust"]
    assert robust["table"]["acc@0.5"] == pytest.approx(1 / 3)
    assert robust["parse_failures"] == 2
    told = bench.refused("refcoco", [refcoco_row(0, (9, 9, 1, 20))], [{"id": 0, "prediction": "[1, 1, 2, 2]"}])
    assert told.startswith("the gold box of 0 ends before it begins: [9")


def test_inverted_boxes_are_said_and_refused_where_they_are_data(bench: Bench):
    """Officially the corners are put in order (IoU 1); the robust view reads nothing; a list of numbers is refused."""
    rows = [refcoco_row(0, (1100, 100, 1300, 300)), refcoco_row(1, (1100, 100, 1300, 300))]
    lines = [{"id": 0, "prediction": "[1300, 300, 1100, 100]"}, {"id": 1, "prediction": [1100, 100, 1300, 300]}]
    result = bench.scored("refcoco", rows, lines, "--convention", "pixel")
    assert table(result)["Average"]["Precision@1"] == 100.0
    assert table(result, "robust")["acc@0.5"] == 0.5
    begun = "1 reply has a box that ends before it begins (0): the "
    assert begun + "official view takes its corners in the other order" in result["notes"]
    assert begun + "robust view reads nothing in it" in result["notes"]
    lines[0]["prediction"] = [1300, 300, 1100, 100]
    told = bench.refused("refcoco", rows, lines, "--convention", "pixel", "--view", "robust")
    assert told == "the box of 0 ends before it begins: [1300, 300, 1100, 100]"


def test_refcoco_splits(bench: Bench):
    """Two known splits at 100 % (1 of 1) and 0 % (0 of 2): the average is over splits, 50."""
    rows = [
        refcoco_row(0, (0, 0, 1000, 500)), refcoco_row(1, (0, 0, 10, 10), "RefCOCOg_test"),
        refcoco_row(2, (0, 0, 10, 10), "RefCOCOg_test"),
    ]  # fmt: skip
    lines = [{"id": n, "prediction": "(0, 0), (500, 500)"} for n in range(3)]
    official = table(bench.scored("refcoco", rows, lines))
    assert official["Average"]["Precision@1"] == 50.0
    assert official["RefCOCOg_test"]["Samples"] == 2


def test_groundingme(bench: Bench):
    """A: the exact box as pixels, IoU 1. B: a rejection met by a reply without a box, 1. C: nothing near, 0. 2 of 3.
    Robust (pixels): B has no box and so no answer: 1 of 3."""
    rows = [
        {"index": 0, "question": "q", "answer": "[10, 10, 110, 60]", "subtask_l1": "Spatial", "subtask_l2": "Count"},
        {"index": 1, "question": "q", "answer": "[0, 0, 0, 0]", "subtask_l1": "Rejection", "subtask_l2": "Object"},
        {"index": 2, "question": "q", "answer": "[500, 300, 700, 400]", "subtask_l1": "Spatial", "subtask_l2": "Count"},
    ]
    rows = [{**row, "width": 1000, "height": 500} for row in rows]
    texts = ('{"bbox_2d": [10, 10, 110, 60]}', "there is none", "[0, 0, 20, 20]")
    lines = [{"id": n, "prediction": text} for n, text in enumerate(texts)]
    result = bench.scored("groundingme", rows, lines, "--convention", "pixel")
    official = table(result)
    assert official["ACC@0.5"] == pytest.approx(2 / 3)
    assert (official["Rejection_ACC@0.5"], official["Spatial_ACC@0.5"]) == (1.0, 0.5)
    assert table(result, "robust")["acc@0.5"] == pytest.approx(1 / 3)


def test_screenspot(bench: Bench):
    """A target x y w h = 40 70 6 6 ends at its last pixel, 45: x = 46 misses officially and hits robustly (edge).
    Text 1 of 2, icon 1 of 1; a reply without x= and y= is the point 0, 0."""
    rows = [
        {"index": 0, "question": "q", "bbox": [40, 70, 6, 6], "image_size": [100, 200], "data_type": "text"},
        {"index": 1, "question": "q", "bbox": [40, 70, 6, 6], "image_size": [100, 200], "data_type": "text"},
        {"index": 2, "question": "q", "bbox": [10, 10, 50, 50], "image_size": [100, 200], "data_type": "icon"},
    ]
    lines = [
        {"id": 0, "prediction": "click(x=43, y=75)"}, {"id": 1, "prediction": "click(x=46, y=75)"},
        {"id": 2, "prediction": "click(x=20, y=20)"},
    ]  # fmt: skip
    result = bench.scored("screenspot", rows, lines, "--convention", "pixel")
    official = table(result)
    assert official["Overall_Accuracy"] == pytest.approx(200 / 3)
    assert (official["Text_Accuracy"], official["Icon_Accuracy"]) == (50.0, 100.0)
    assert table(result, "robust")["hit"] == 1.0
    assert [entry["id"] for entry in result["differences"]] == ["1"]


def test_screenspot_pro(bench: Bench):
    """Box 1000 500 1200 700 of 2000 x 1000 px. "(0.55, 0.6)" hits as shares; "[1100, 600]" as pixels; "(550, 600)" as
    thousandths by the official guess. Robust in pixels cannot take the first, and misses the third."""
    rows = [
        {"id": str(n), "instruction": "q", "bbox": [1000, 500, 1200, 700], "img_size": [2000, 1000], "ui_type": kind}
        for n, kind in enumerate(("icon", "text", "text"))
    ]
    lines = [{"id": n, "prediction": text} for n, text in enumerate(("(0.55, 0.6)", "[1100, 600]", "(550, 600)"))]
    assert table(bench.scored("screenspot-pro", rows, lines))["hit"] == 1.0
    told = bench.refused("screenspot-pro", rows, lines, "--convention", "pixel", "--view", "robust")
    assert told.startswith("1 of 3 replies have coordinates that cannot be pixel (first 0)")
    flags = ("--convention", "pixel", "--view", "robust", "--scale-mix", "wrong")
    assert table(bench.scored("screenspot-pro", rows, lines, *flags), "robust")["hit"] == pytest.approx(1 / 3)


def test_pixmo_points(bench: Bench):
    """A 10 x 10 picture with masks around (2, 2) and (7, 7). One reply points at both, in per cent: F1 1 (but for
    Molmo's 1e-10). One points at one of two: precision 1, recall 1/2, F1 2/3. The third has nothing to show and points:
    0. Mean F1 (1 + 2/3 + 0) / 3."""

    def mask(x: int, y: int) -> list[list[int]]:
        return [[int(abs(column - x) <= 1 and abs(row - y) <= 1) for column in range(10)] for row in range(10)]

    both = {"label": "birds", "points": [[2, 2], [7, 7]], "masks": [mask(2, 2), mask(7, 7)], "size": [10, 10]}
    rows = [{"id": "a", **both}, {"id": "b", **both}, {"id": "c", **both, "points": [], "masks": []}]
    lines = [
        {"id": "a", "prediction": '<points x1="20.0" y1="20.0" x2="70.0" y2="70.0" alt="b">b</points>'},
        {"id": "b", "prediction": '<point x="20.0" y="20.0" alt="b">b</point>'},
        {"id": "c", "prediction": '<point x="20.0" y="20.0" alt="b">b</point>'},
    ]
    official = table(bench.scored("pixmo-points", rows, lines))
    assert official["f1"] == pytest.approx((1 + 2 / 3) / 3, abs=1e-9)
    assert official["recall"] == pytest.approx(0.5)
    plain = [
        {"id": "a", "prediction": [[2, 2], [7, 7]]},
        {"id": "b", "prediction": "(2, 2)"},
        {"id": "c", "prediction": "[]"},
    ]
    robust = table(bench.scored("pixmo-points", rows, plain, "--view", "robust", "--convention", "pixel"), "robust")
    assert robust["f1"] == pytest.approx((1 + 2 / 3 + 1) / 3, abs=1e-9)


LVIS_ROWS = [
    {"image_id": 1, "width": 100, "height": 100, "boxes": [{"category_id": 1, "bbox": [10, 10, 40, 40]}]},
    {"image_id": 2, "width": 100, "height": 100, "boxes": [{"category_id": 2, "bbox": [20, 20, 50, 50]}],
     "neg_category_ids": [1]},
]  # fmt: skip


@pytest.mark.skipif(importlib.util.find_spec("pycocotools") is None, reason="pycocotools of the extra [score]")
def test_coco_average_precision(bench: Bench):
    """One exact box of category 1 (AP 1), and of category 2 one exact box after a wrong one of a higher score:
    precision 1/2 at every recall (AP 1/2). Mean 3/4, by image or by rows of single detections."""
    found = [
        {"image_id": 1, "category_id": 1, "bbox": [10, 10, 40, 40], "score": 0.9},
        {"image_id": 2, "category_id": 2, "bbox": [0, 0, 5, 5], "score": 0.8},
        {"image_id": 2, "category_id": 2, "bbox": [20, 20, 50, 50], "score": 0.7},
    ]
    by_row = table(bench.scored("lvis", LVIS_ROWS, found, "--view", "coco"), "coco")
    assert by_row["AP"] == pytest.approx(0.75)
    assert by_row["category"] == {"1": pytest.approx(1.0), "2": pytest.approx(0.5)}
    lines = [
        {"id": image, "prediction": [{k: v for k, v in one.items() if k != "image_id"} for one in found
                                     if one["image_id"] == image]}
        for image in (1, 2)
    ]  # fmt: skip
    assert table(bench.scored("lvis", LVIS_ROWS, lines, "--view", "coco"), "coco") == by_row


@pytest.mark.skipif(importlib.util.find_spec("lvis") is None, reason="lvis of the extra [score]")
def test_lvis_counts_a_category_only_where_it_was_checked(bench: Bench):
    """Both boxes found. A detection of category 2 on image 1, which was not checked for it, is not counted; one of
    category 1 on image 2, where it is known to be absent, is: its AP stays 1 only below the right one's score."""
    lines = [
        {"id": 1, "prediction": [{"category_id": 1, "bbox": [10, 10, 40, 40], "score": 0.9},
                                 {"category_id": 2, "bbox": [0, 0, 9, 9], "score": 0.99}]},
        {"id": 2, "prediction": [{"category_id": 2, "bbox": [20, 20, 50, 50], "score": 0.9}]},
    ]  # fmt: skip
    assert table(bench.scored("lvis", LVIS_ROWS, lines))["AP"] == pytest.approx(1.0)
    lines[1]["prediction"].append({"category_id": 1, "bbox": [0, 0, 9, 9], "score": 0.95})
    assert table(bench.scored("lvis", LVIS_ROWS, lines))["AP"] == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("prediction", "sentence"),
    [
        ([{"category_id": 1, "bbox": [10, 10, -4, 4], "score": 1}], "has a box that ends before it begins (width -4"),
        ([{"category_id": 1, "bbox": [10, 10, 4], "score": 1}], "has a detection without a bbox of x, y,"),
        ([{"category_id": 1, "bbox": [10, 10, 4, 4]}], "has a detection without a score"),
        ([{"bbox": [10, 10, 4, 4], "score": 1}], "has a detection without a category_id"),
    ],
)  # fmt: skip
def test_broken_detections(bench: Bench, prediction: Any, sentence: str):
    lines = [{"id": 1, "prediction": prediction}, {"id": 2, "prediction": []}]
    assert sentence in bench.refused("lvis", LVIS_ROWS, lines, "--view", "coco")


def test_an_image_named_twice(bench: Bench):
    lines = [{"id": 1, "prediction": []}, {"id": 2, "prediction": []}, {"id": 1, "prediction": []}]
    assert bench.refused("lvis", LVIS_ROWS, lines).startswith("the id 1 is predicted twice")
    told = bench.refused("lvis", [LVIS_ROWS[0], LVIS_ROWS[0]], [{"id": 1, "prediction": []}])
    assert told == "r.jsonl line 2: the id 1 stands already in r.jsonl line 1"


# defects


def defect_rows() -> list[dict[str, Any]]:
    """Two sound and two defective 4 x 4 pictures, the defect being the upper left quarter."""
    quarter = [[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
    return [
        {"id": f"p{n}", "label": label, "category": "bottle", **({"mask": quarter} if label else {})}
        for n, label in enumerate((0, 0, 1, 1))
    ]


def test_mvtec_ad(bench: Bench):
    """Scores 17 and 18 of sound pictures, 19 and 20 of defective ones: every pair in order, AUROC 1. Officially they go
    through a float32 sigmoid, which makes 18, 19 and 20 as good as equal: the reference says 1/2."""
    lines = [{"id": f"p{n}", "prediction": {"score": score}} for n, score in enumerate((17, 18, 19, 20))]
    result = bench.scored("mvtec-ad", defect_rows(), lines)
    assert table(result, "robust")["mean"]["image_AUROC"] == 1.0
    assert table(result)["mean"]["image_AUROC"] == 0.5


def test_mvtec_ad_maps(bench: Bench, tmp_path: Path):
    """Maps that are 0.9 on the defect and 0.1 elsewhere: every figure is 1, from lists and from files."""
    perfect = np.full((4, 4), 0.1)
    perfect[:2, :2] = 0.9
    np.save(tmp_path / "map.npy", perfect)
    sound = np.full((4, 4), 0.1).tolist()
    lines = [{"id": f"p{n}", "prediction": {"map": sound if n < 2 else perfect.tolist()}} for n in range(3)]
    lines.append({"id": "p3", "prediction": "map.npy"})
    result = bench.scored("mvtec-ad", defect_rows(), lines)
    exact = table(result, "robust")["category"]["bottle"]
    assert {name: exact[name] for name in ("image_AUROC", "image_AP", "pixel_AUROC", "pixel_AP", "AU_PRO")} == {
        "image_AUROC": 1.0, "image_AP": 1.0, "pixel_AUROC": 1.0, "pixel_AP": 1.0, "AU_PRO": 1.0,
    }  # fmt: skip
    assert table(result)["mean"]["PRO"] == 1.0


@pytest.mark.parametrize(
    ("prediction", "sentence"),
    [
        ({"map": [[0.1, 0.2], [0.3, 0.4]]}, "is 2 x 2, its gold mask 4 x 4: masks of another size are not scored"),
        ({"map": [[0.1, 0.2], [0.3]]}, "is no grid of numbers: its rows differ in length"),
        ({"map": "../../etc/passwd"}, "which is not below"),
        ({"map": "none.npy"}, "which is no file below"),
        ({"score": "high"}, "has the score high, which is no number"),
    ],
)
def test_broken_maps(bench: Bench, prediction: Any, sentence: str):
    lines = [{"id": f"p{n}", "prediction": 0.5} for n in range(3)] + [{"id": "p3", "prediction": prediction}]
    assert sentence in bench.refused("mvtec-ad", defect_rows(), lines)


def test_a_missing_map_is_not_left_out_of_a_ranking(bench: Bench):
    lines = [{"id": f"p{n}", "prediction": 0.5} for n in range(3)]
    told = bench.refused("visa", defect_rows(), lines, "--missing", "wrong")
    assert told == "images without score or map: 1; a ranking of the others is no figure of the set"


def test_qground(bench: Bench):
    """Two 2 x 2 masks with classes 0 and 1. First: gold 1 1 0 0, found 1 0 0 0; second: both 0. Pooled: class 1 has 1
    of 2, class 0 has 6 of 7; mIoU (1/2 + 6/7) / 2."""
    rows = [{"id": "a", "mask": [[1, 1], [0, 0]]}, {"id": "b", "mask": [[0, 0], [0, 0]]}]
    lines = [{"id": "a", "prediction": [[1, 0], [0, 0]]}, {"id": "b", "prediction": [[0, 0], [0, 0]]}]
    official = table(bench.scored("qground", rows, lines))
    assert official["class"] == {"0": 6 / 7, "1": 0.5}
    assert official["mIoU"] == pytest.approx((1 / 2 + 6 / 7) / 2)


# executed


def test_swe_bench_verified(bench: Bench):
    """One resolved (both tests pass), one partial (one of two F2P), one broken (P2P fails), one without a report:
    1 of 4. The F2P shares are 1, 1/2, 1 and 0."""
    rows = [
        {"instance_id": f"i{n}", "FAIL_TO_PASS": '["t1", "t2"]', "PASS_TO_PASS": '["t3"]', "repo": "a/b"}
        for n in range(4)
    ]
    outcomes = [
        {"t1": "PASSED", "t2": "PASSED", "t3": "PASSED"},
        {"t1": "PASSED", "t2": "FAILED", "t3": "PASSED"},
        {"t1": "PASSED", "t2": "PASSED", "t3": "FAILED"},
    ]
    lines = [{"instance_id": f"i{n}", "prediction": one} for n, one in enumerate(outcomes)]
    result = bench.scored("swe-bench-verified", rows, lines, code=1)
    assert table(result) == {"hit": 0.25, "partial": 0.25, "f2p": 0.625, "p2p": 0.5}
    assert any("1 of 4 records have no prediction: i3; they count as wrong" in note for note in result["notes"])
    report = {"i3": {"resolved": True, "tests_status": {
        "FAIL_TO_PASS": {"success": ["t1", "t2"], "failure": []}, "PASS_TO_PASS": {"success": ["t3"], "failure": []},
    }}}  # fmt: skip
    lines.append({"instance_id": "i3", "prediction": report})
    assert table(bench.scored("swe-bench-verified", rows, lines))["hit"] == 0.5


@pytest.mark.parametrize("tests", ['["t1", "t2"', "[t1]", ["t1", None], [["t1"]]])
def test_tests_that_are_garbled_are_no_test(bench: Bench, tests: Any):
    """A list cut short was one test of that name, which no report has: never resolved, and nothing said."""
    row = {"instance_id": "i", "FAIL_TO_PASS": tests, "PASS_TO_PASS": "[]"}
    told = bench.refused("swe-bench-verified", [row], [{"instance_id": "i", "prediction": {"t1": "PASSED"}}])
    assert told.startswith("the record i has a FAIL_TO_PASS that is no list of names of tests: ")


def test_pass_rates_with_several_trials(bench: Bench):
    """Four trials of two tasks, 2 and 4 passed. pass@1 = (1/2 + 1) / 2; pass@2 = (1 - 1/6 + 1) / 2 = 11/12. One task
    passed all. The interval is over two tasks, so it is as wide as there can be."""
    rows = [{"task_id": "a", "category": "x"}, {"task_id": "b", "category": "y"}]
    passed = {"a": ("pass", "fail", True, 0), "b": (1, "resolved", True, {"reward": 1.0})}
    lines = [
        {"task_id": task, "trial": trial, "prediction": outcome}
        for task, outcomes in passed.items()
        for trial, outcome in enumerate(outcomes)
    ]
    official = table(bench.scored("terminal-bench-2", rows, lines, "--k", "1", "2"))
    assert official["pass@1"] == 0.75
    assert official["pass@2"] == pytest.approx(11 / 12)
    assert official["all trials passed"] == 0.5
    assert (official["tasks"], official["trials"]) == (2, 8)
    assert 0.0 <= official["pass@1 low"] < 0.75 < official["pass@1 high"] <= 1.0
    told = bench.refused("terminal-bench-2", rows, lines, "--k", "5")
    assert told == "pass@5 needs 5 trials of each task; a has 4"
    untold = [{key: value for key, value in line.items() if key != "trial"} for line in lines]
    assert "several trials of one record are told apart by a field `trial`" in bench.refused(
        "terminal-bench-2", rows, untold
    )


@pytest.mark.parametrize("card", ["bfcl", "browsecomp"])
def test_recorded_outcomes(bench: Bench, card: str):
    """Right, wrong, and a record that is no outcome (unread, wrong): 1 of 3."""
    rows = [{"id": str(n), "question": "q", "answer": "a", "category": "simple"} for n in range(3)]
    lines = [{"id": "0", "valid": True}, {"id": "1", "is_correct": "incorrect"}, {"id": "2", "prediction": "perhaps"}]
    result = bench.scored(card, rows, lines)
    assert table(result)["pass@1"] == pytest.approx(1 / 3)
    assert result["views"]["official"]["parse_failures"] == 1


# documents


def test_omnidocbench(bench: Bench):
    """Page 1 is right. Page 2: one letter of ten is wrong (0.1); one of four cells has 1 of 2 letters wrong, distance
    1/2 of 6 nodes (2 rows, 4 cells), TEDS 11/12; the formula has 1 of 5 signs wrong (0.2). Means over pages: text 0.05,
    formula 0.1; TEDS over tables (1 + 11/12) / 2."""
    true = "Hello world\n\n| ab | cd |\n|---|---|\n| ef | gh |\n\n$$a+b=c$$\n"
    said = (
        "Hello worle\n\n<table><tr><th>ab</th><th>cd</th></tr><tr><td>ef</td><td>gx</td></tr></table>\n\n\\[ a+b=d \\]"
    )
    rows = [{"id": "1", "markdown": true}, {"id": "2", "markdown": true}]
    lines = [{"id": "1", "prediction": f"```markdown\n{true}\n```"}, {"id": "2", "prediction": said}]
    official = table(bench.scored("omnidocbench", rows, lines))
    assert official["text_edit"] == pytest.approx(0.05)
    assert official["formula_edit"] == pytest.approx(0.1)
    assert official["formula_exact"] == 0.5
    assert official["table_teds"] == pytest.approx((1 + 11 / 12) / 2)
    assert official["table_teds_structure"] == 1.0
    assert official["order_edit"] == 0.0
    assert official["overall"] == pytest.approx(100 * (0.95 + (1 + 11 / 12) / 2 + 0.9) / 3)


def test_a_page_that_is_missing_is_all_wrong(bench: Bench):
    rows = [{"id": "1", "markdown": "Hello"}, {"id": "2", "markdown": "Hello"}]
    result = bench.scored("omnidocbench", rows, [{"id": "1", "prediction": "Hello"}], "--missing", "wrong", code=1)
    assert table(result)["text_edit"] == 0.5
    assert table(result)["overall"] == 50.0


# declared verifiers


def test_ifbench(bench: Bench):
    """First: exactly two numbers, followed; no blanks, not. Second: in small letters but for its first line, which the
    loose reading drops. Prompts: strict 0, loose 1 of 2. Instructions: strict 1 of 3, loose 2 of 3."""
    rows = [
        {"key": "1", "prompt": "p", "instruction_id_list": ["count:numbers", "format:no_whitespace"],
         "kwargs": [{"N": 2}, {}]},
        {"key": "2", "prompt": "p", "instruction_id_list": ["change_case:english_lowercase"], "kwargs": [{"N": None}]},
    ]  # fmt: skip
    lines = [{"id": "1", "prediction": "12 and 7"}, {"id": "2", "prediction": "Sure:\nhere it is"}]
    official = table(bench.scored("ifbench", rows, lines))
    assert (official["prompt_strict"], official["prompt_loose"]) == (0.0, 0.5)
    assert official["instruction_strict"] == pytest.approx(1 / 3)
    assert official["instruction_loose"] == pytest.approx(2 / 3)
    assert official["instruction"]["count:numbers"] == 1.0


def test_an_instruction_without_a_verifier_is_refused_by_name(bench: Bench):
    rows = [{"key": "1", "prompt": "p", "instruction_id_list": ["sing:a_song"], "kwargs": [{}]}]
    lines = [{"id": "1", "prediction": "la"}]
    assert bench.refused("ifbench", rows, lines) == (
        "the instruction sing:a_song has no verifier here; --unverified wrong counts it as not followed"
    )
    result = bench.scored("ifbench", rows, lines, "--unverified", "wrong")
    assert table(result)["prompt_loose"] == 0.0
    assert "1 instruction cannot be verified here and counts as not followed" in result["notes"]
    rows[0]["instruction_id_list"] = ["count:numbers"]
    assert "the instruction count:numbers has settings that do not fit it" in bench.refused("ifbench", rows, lines)


# UNO-Bench


def test_uno_bench(bench: Bench):
    """Marks 10, 5, none and 12 of 10, not clamped: shares 1, 0.5, 0, 1.2, mean 0.675."""
    rows = [{"id": str(n), "question": "q", "answer": "a", "subset": kind} for n, kind in enumerate("aabb")]
    texts = ("<score>10</score>", "so <score>5</score>", "good", "<score>1</score> no, <score>12</score>")
    lines = [{"id": str(n), "prediction": text} for n, text in enumerate(texts)]
    result = bench.scored("uno-bench", rows, lines)
    assert table(result)["Average"] == pytest.approx(0.675)
    assert table(result)["a"] == {"count": 2, "avg": 0.75}
    assert result["views"]["official"]["parse_failures"] == 1


PUBLISHED = {
    "audio": [0.544, 0.565, 0.583, 0.541, 0.602, 0.794, 0.707, 0.795, 0.884],
    "visual": [0.4267, 0.4227, 0.4628, 0.4466, 0.5068, 0.6329, 0.6276, 0.6954, 0.7867],
    "omni": [0.278, 0.286, 0.289, 0.297, 0.326, 0.421, 0.449, 0.543, 0.709],
}  # fmt: skip


def test_the_compositional_law_of_the_published_table(bench: Bench, capsys: pytest.CaptureFixture[str]):
    """The paper prints C 1.03, alpha 2.19, b 0.24, R2 0.9759."""
    rows = [
        {"model": f"m{n}", "audio": a, "visual": v, "omni": o}
        for n, (a, v, o) in enumerate(zip(*PUBLISHED.values(), strict=True))
    ]
    assert main(["score", "uno-bench", bench.write("law.jsonl", rows), "--law", "--json"]) == 0
    law = json.loads(capsys.readouterr().out)["law"]
    assert {name: round(value, 2) for name, value in law.items()} == {"C": 1.03, "alpha": 2.19, "b": 0.24, "R2": 0.98}
    assert main(["score", "uno-bench", bench.write("law.jsonl", rows), "--law"]) == 0
    assert capsys.readouterr().out.startswith("omni = 1.0332 * (audio * visual) ^ 2.1918 + 0.2422, R2 0.9759\n")
    assert main(["score", "uno-bench", bench.write("law.jsonl", rows[:3]), "--law"]) == 1
    assert "three constants: 3 models do not test it" in capsys.readouterr().err
