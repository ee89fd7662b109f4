"""The defects family: figures by scikit-learn and torchmetrics, worked out by hand, and sets that have no figure."""

import importlib.util
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exam2bench.cli import main
from exam2bench.corpora.catalog import defects, torchmetrics_figures

Rows = Sequence[dict[str, Any]]
Run = Callable[..., tuple[int, str, str]]
needs_torchmetrics = pytest.mark.skipif(
    importlib.util.find_spec("torchmetrics") is None, reason="torchmetrics is not installed (the extra defects)"
)
VECTORS = Path(__file__).parents[1].parent / "shared" / "vectors" / "anomaly.jsonl"


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def scored(card: str, records: Rows, predictions: Sequence[Any], *flags: str) -> tuple[int, str, str]:
        rows = [{"id": row["id"], "prediction": one} for row, one in zip(records, predictions, strict=True)]
        for name, lines in (("r.jsonl", records), ("p.jsonl", rows)):
            (tmp_path / name).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        words = ["score", card, str(tmp_path / "p.jsonl"), "--records", str(tmp_path / "r.jsonl"), *flags]
        return main(words), *capsys.readouterr()

    return scored


def labelled(*labels: int) -> Rows:
    return [{"id": f"p{n}", "label": label, "category": "screw"} for n, label in enumerate(labels)]


# by hand


def test_au_pro_ends_before_a_rise_at_its_limit():
    """Ten sound pixels and two regions, of one pixel and of two. Three sound pixels score 0.9, the single pixel 0.8,
    the other sound pixels 0.5, the pair 0.1. The curve goes (0, 0), (0.3, 0), (0.3, 1/2), (1, 1/2), (1, 1). Up to 0.3
    there is nothing under it: the rise at the limit has no area. Up to 1: 0.7 x 1/2."""
    maps = [[[0.9, 0.9, 0.9, 0.5, 0.5, 0.5, 0.5, 0.8, 0.5, 0.5, 0.5, 0.1, 0.1]]]
    masks = [[[0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1]]]
    assert defects.au_pro(maps, masks, 0.3) == 0.0
    assert defects.au_pro(maps, masks, 1.0) == pytest.approx(0.35)


def test_each_region_weighs_the_same_in_pro():
    """A region of four pixels found whole before any sound pixel, one of one pixel found after all: PRO is 1/2 from
    the first threshold on, whatever the regions' sizes."""
    maps = [[[0.9, 0.9, 0.9, 0.9, 0.5, 0.1]]]
    masks = [[[1, 1, 1, 1, 0, 1]]]
    assert defects.au_pro(maps, masks, 0.3) == pytest.approx(0.5)


def test_micro_iou_without_the_class_that_is_ignored():
    """Targets 0 1 1 2, found 1 1 2 2, class 0 ignored: of the pixels 1 1 2 two are right. The unions are 2 (class 1)
    and 2 (class 2): 2/4. With an ignored class among the predictions its union is left out too."""
    assert defects.jaccard([1, 1, 2, 2], [0, 1, 1, 2], 3, "micro", 0) == 0.5
    assert defects.jaccard([1, 0, 2, 2], [0, 1, 1, 2], 3, "micro", 0) == pytest.approx(1 / 4)
    assert np.isnan(defects.jaccard([1], [0], 2, "macro", 0)) and defects.jaccard([1], [0], 2, "micro", 0) == 0.0


def test_constant_scores_rank_nothing(run: Run):
    """Every pair is a tie: AUROC 1/2; the average precision is the share of defects, 1/4; the best F1 that of calling
    everything a defect, 2 / (2 + 3)."""
    code, out, _ = run("mvtec-ad", labelled(0, 0, 0, 1), [0.5] * 4, "--json")
    views = json.loads(out)["views"]
    assert code == 0 and views["robust"]["table"]["mean"] == {"image_AUROC": 0.5, "image_AP": 0.25}
    assert views["official"]["table"]["mean"]["image_F1Max"] == pytest.approx(0.4)


def test_masks_in_which_nothing_is_marked(run: Run):
    """Gold and found are background all over: class 0 has the IoU 1, class 1 does not occur, and mIoU is over those
    that occur."""
    rows = [{"id": "a", "mask": [[0, 0]]}, {"id": "b", "mask": [[0, 0]]}]
    code, out, _ = run("qground", rows, [[[0, 0]], [[0, 0]]], "--json")
    assert code == 0 and json.loads(out)["views"]["official"]["table"]["mIoU"] == 1.0


# what has no figure


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [((0, 0), "all 2 images of screw are sound: without defective ones"), ((1, 1), "all 2 images of screw are defe")],
)
def test_images_of_one_kind_are_no_ranking(run: Run, labels: tuple[int, ...], sentence: str):
    code, out, err = run("visa", labelled(*labels), [0.2, 0.7])
    assert (code, out, err.count("\n")) == (1, "", 1) and sentence in err
    code, out, _ = run("visa", labelled(*labels), [0.2, 0.7], "--view", "official", "--json")
    assert code == 0 and json.loads(out)["views"]["official"]["table"]["mean"]["image_AUROC"] == 0.0


@pytest.mark.parametrize(
    ("prediction", "sentence"),
    [
        ({"map": [[0.1, 0.2, 0.3]]}, "the prediction of p1 is 3 x 1, its gold mask 2 x 1"),
        ({"map": []}, "has the shape (0,); a map or mask has rows and columns"),
        ({"map": [[1e39, 0]]}, "holds values beyond 3.4e+38"),
        ({"score": True}, "has the score True, which is no number to rank by"),
        (float("nan"), "p.jsonl line 2 is not valid JSON"),
    ],
)
def test_predictions_that_cannot_be_ranked(run: Run, prediction: Any, sentence: str):
    sound, broken = labelled(0, 1)
    rows = [sound, {**broken, "mask": [[0, 1]]}]
    code, out, err = run("mvtec-ad", rows, [0.1, prediction])
    assert (code, out, err.count("\n")) == (1, "", 1) and sentence in err


@pytest.mark.parametrize(("pixel", "shown"), [(0.5, "0.5"), (2, "2"), (255, "255"), (-1, "-1")])
def test_a_mask_that_holds_no_class_is_named(run: Run, pixel: float, shown: str):
    """A share of 0.5 was cut to the class 0 before."""
    rows = [{"id": name, "mask": [[0, 1]]} for name in "ab"]
    code, out, err = run("qground", rows, [[[0, 1]], [[0, pixel]]])
    assert (code, out) == (1, "")
    told = f"the prediction of b holds the class {shown}: a class is a whole number from 0 to 1"
    assert err == f"exam2bench score: {told}\n"


def test_without_scikit_learn_it_says_what_to_install(run: Run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    code, out, err = run("mvtec-ad", labelled(0, 1), [0.2, 0.7])
    assert (code, out) == (2, "")
    assert err == (
        "exam2bench score: AUROC and PRO need scikit-learn 1.8 or newer: pip install 'exam2bench[defects]', or "
        "scikit-learn alone, since the extra brings torchmetrics with torch too\n"
    )


# torchmetrics itself


def test_the_report_says_what_made_the_official_figures(run: Run, monkeypatch: pytest.MonkeyPatch):
    version = torchmetrics_figures.version()
    made = f"torchmetrics {version}" if version else "this project's equal of torchmetrics, which is not installed"
    _, out, _ = run("mvtec-ad", labelled(0, 1), [0.2, 0.7], "--json")
    assert f"the official figures are made by {made}" in json.loads(out)["notes"]


@needs_torchmetrics
def test_the_command_has_the_same_figures_by_torchmetrics(run: Run, monkeypatch: pytest.MonkeyPatch):
    """Scores 17 to 20 with the labels 0 0 1 1: 1/2 under torchmetrics' sigmoid, by itself and by its equal."""
    tables = []
    for version in (torchmetrics_figures.version(), None):
        monkeypatch.setattr(torchmetrics_figures, "version", lambda version=version: version)
        _, out, _ = run("mvtec-ad", labelled(0, 0, 1, 1), [17, 18, 19, 20], "--view", "official", "--json")
        tables.append(json.loads(out)["views"]["official"]["table"]["mean"])
    assert tables[0] == tables[1] and tables[0]["image_AUROC"] == 0.5


@needs_torchmetrics
def test_figures_equal_those_of_torchmetrics():
    """AUROC of scores within and outside 0 to 1, in two batches, and IoU with every average and ignored class, on 100
    random sets: equal within float32."""
    draw = np.random.default_rng(7)
    for n in range(100):
        size = int(draw.integers(1, 30))
        batches = []
        for _ in range(2):
            scores = (draw.random(size), draw.integers(0, 4, size) / 3, draw.normal(0, 20, size))[n % 3]
            batches.append((scores, (draw.random(size) < 0.4).astype(int)))
        ours = defects.anomalib_auroc(*batches)
        assert torchmetrics_figures.anomalib_auroc(*batches) == pytest.approx(ours, abs=2e-6)
        classes = int(draw.integers(2, 6))
        found, gold = draw.integers(0, classes, (2, 20))
        for average in ("macro", "micro", "weighted", "none"):
            for ignore in (None, 0, classes - 1):
                pair = (
                    module.jaccard(found, gold, classes, average, ignore) for module in (defects, torchmetrics_figures)
                )
                assert next(pair) == pytest.approx(next(pair), abs=2e-6, nan_ok=True)


@needs_torchmetrics
@pytest.mark.skipif(not VECTORS.is_file(), reason="the reference vectors are not on this machine")
def test_torchmetrics_gives_the_values_of_the_vectors():
    checked = 0
    for case in map(json.loads, VECTORS.read_text(encoding="utf-8").splitlines()):
        given, expected = case["input"], case["expected"]
        if isinstance(expected, dict) or "nan" in json.dumps(given):
            continue
        if case["scorer"] == "anomalib.image_AUROC":
            value: Any = torchmetrics_figures.anomalib_auroc((given["scores"], given["labels"]))
        elif case["scorer"] == "torchmetrics.MulticlassJaccardIndex":
            settings = given["num_classes"], given["average"], given.get("ignore_index")
            value = torchmetrics_figures.jaccard(given["pred"], given["target"], *settings)
        else:
            continue
        checked += 1
        assert value == pytest.approx(expected, abs=2e-6), case
    assert checked > 100
