"""How fast known benchmarks are scored, family by family, beside the reference where its package is installed.

    python benchmarks/score.py [--records 100000] [--reference-records 10000] [--family choice ...] [--json]

Synthetic records and replies, half of them right; nothing is asserted. Records per second are those of CPU time, which
a busy machine lengthens less than the time on the wall; both are given, with the load (processes waiting for a core).
Timed is marking and putting together (`score_run`), without reading files; `reading` is that of the JSON Lines. The
reference's rate is that of its own function on the first --reference-records of the same replies. Each family is
measured in a process of its own, so that peak memory is that family's. torch is held to one thread, as the rest is.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import multiprocessing
import os
import random
import re
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Made = tuple[list[dict[str, Any]], dict[str, dict[str | None, Any]]]
WARM = 420
"""Records scored before the clock starts: a multiple of 28 (MME's pairs) that has all categories."""
OPTIONS = ["a red cup", "two birds", "the left door", "none of these"]
MME = [
    "OCR", "artwork", "celebrity", "color", "count", "existence", "landmark", "position", "posters", "scene",
    "code_reasoning", "commonsense_reasoning", "numerical_calculation", "text_translation",
]  # fmt: skip


def made(count: int, record: Callable[[int, random.Random], tuple[dict[str, Any], Any]]) -> Made:
    draw = random.Random(20260101)
    rows: list[dict[str, Any]] = []
    replies: dict[str, dict[str | None, Any]] = {}
    for n in range(count):
        fields, reply = record(n, draw)
        rows.append({"id": str(n), **fields})
        replies[str(n)] = {None: reply}
    return rows, replies


def choice(n: int, draw: random.Random) -> tuple[dict[str, Any], Any]:
    gold = draw.choice("ABCD")
    said = gold if n % 2 else draw.choice("ABCD")
    shapes = (f"{said}", f"({said})", f"The answer is {said}.", f"I see it clearly. So the answer is **{said}**")
    return {"options": OPTIONS, "answer": gold, "category": f"c{n % 20}"}, draw.choice(shapes)


def cv_bench(n: int, draw: random.Random) -> tuple[dict[str, Any], Any]:
    fields, reply = choice(n, draw)
    source = ("ADE20K", "COCO", "Omni3D")[n % 3]
    return {
        **fields,
        "answer": f"({fields['answer']})",
        "source": source,
        "task": ("Count", "Relation", "Depth")[n % 3],
    }, reply


def yes_no(n: int, draw: random.Random) -> tuple[dict[str, Any], Any]:
    gold = ("Yes", "No")[n % 2]
    reply = draw.choice((gold, f"{gold}, there is.", f"The picture shows it: {gold.lower()}.", "Yes"))
    return {"answer": gold, "category": MME[n // 2 % 14], "image_id": f"i{n // 28 * 14 + n // 2 % 14}"}, reply


def written(n: int, draw: random.Random) -> tuple[dict[str, Any], Any]:
    gold = f"Invoice number {draw.randrange(10**6)} of the {draw.randrange(1, 29)}th"
    return {"answers": [gold, gold.lower()], "answer": gold}, gold if n % 2 else gold[:-3] + "xyz"


def counted(n: int, draw: random.Random) -> tuple[dict[str, Any], Any]:
    gold = draw.randrange(400)
    return {"answer": str(gold), "is_focused": bool(n % 2)}, f"There are {gold if n % 2 else gold + 1} of them."


def mathematics(n: int, draw: random.Random) -> tuple[dict[str, Any], Any]:
    a, b = draw.randrange(1, 40), draw.randrange(2, 40)
    said = rf"\frac{{{2 * a}}}{{{2 * b}}}" if n % 2 else rf"\frac{{{a + 1}}}{{{b}}}"
    return {"answer": rf"\frac{{{a}}}{{{b}}}"}, rf"So we get $\boxed{{{said}}}$."


def instructed(n: int, draw: random.Random) -> tuple[dict[str, Any], Any]:
    text = " ".join(draw.choice(("river", "stone", "cloud", "and", "she", "12")) for _ in range(80)) + "."
    names = ["count:word_count_range", "words:no_consecutive", "sentence:keyword"]
    settings = [{"min_words": 60, "max_words": 90}, {}, {"word": "river", "N": 1}]
    return {"instruction_id_list": names, "kwargs": settings}, text


def boxed(n: int, draw: random.Random) -> tuple[dict[str, Any], Any]:
    x, y, w, h = (draw.randrange(20, 400) for _ in range(4))
    off = 0 if n % 2 else 60
    record = {"box": [x, y, x + w, y + h], "size": [1000, 1000], "split": "RefCOCO_val"}
    return record, f'{{"bbox_2d": [{x + off}, {y}, {x + w + off}, {y + h}]}}'


def detected(n: int, draw: random.Random) -> tuple[dict[str, Any], Any]:
    x, y, w, h = (draw.randrange(20, 200) for _ in range(4))
    box = {"category_id": n % 10 + 1, "bbox": [x, y, w, h]}
    found = [{**box, "score": draw.random()}] if n % 2 else [{**box, "bbox": [x + 90, y, w, h], "score": draw.random()}]
    return {"size": [500, 500], "boxes": [box]}, found


def defective(n: int, draw: random.Random) -> tuple[dict[str, Any], Any]:
    label = n % 2
    return {"label": label, "category": f"c{n % 15}"}, {"score": draw.random() * 0.8 + 0.2 * label}


def mapped(n: int, draw: random.Random) -> tuple[dict[str, Any], Any]:
    """8 x 8 pixels, every other picture with a defect of 2 x 2, whose pixels score higher."""
    x, y = draw.randrange(7), draw.randrange(7)
    mask = [[int(n % 2 and row - y in (0, 1) and column - x in (0, 1)) for column in range(8)] for row in range(8)]
    scores = [[draw.random() * 0.7 + 0.3 * pixel for pixel in line] for line in mask]
    record = {"label": n % 2, "category": f"c{n % 15}"}
    return {**record, "mask": mask} if n % 2 else record, {"map": scores}


def masked(n: int, draw: random.Random) -> tuple[dict[str, Any], Any]:
    gold = mapped(n, draw)[0].get("mask") or [[0] * 8 for _ in range(8)]
    return {"mask": gold}, [line if n % 3 else [*line[1:], 0] for line in gold]


def executed(n: int, draw: random.Random) -> tuple[dict[str, Any], Any]:
    tests = [f"test_{k}" for k in range(12)]
    outcomes = {test: draw.choice(("PASSED",) * 9 + ("FAILED",)) for test in tests}
    return {"FAIL_TO_PASS": tests[:2], "PASS_TO_PASS": tests[2:], "repo": f"r{n % 12}"}, outcomes


def page(n: int, draw: random.Random) -> tuple[dict[str, Any], Any]:
    words = ["river", "stone", "cloud", "field", "of", "the", "and"]
    text = "\n\n".join(" ".join(draw.choice(words) for _ in range(25)) for _ in range(4))
    cells = "".join(f"<tr>{''.join(f'<td>{draw.randrange(99)}</td>' for _ in range(4))}</tr>" for _ in range(5))
    true = f"# Page {n}\n\n{text}\n\n<table>{cells}</table>\n\n$$x^{n % 9} + y = {n % 7}$$\n"
    return {"answer": true}, true.replace("stone", "stome").replace("<td>1", "<td>7") if n % 2 else true


def judged(n: int, draw: random.Random) -> tuple[dict[str, Any], Any]:
    return {"subset": f"s{n % 5}"}, f"Step 1 is right. <score>{draw.randrange(11)}</score>"


# reference functions on the same rows


def reference_seconds(package: str, work: Callable[[Made], None], data: Made) -> float | None:
    if importlib.util.find_spec(package) is None:
        return None
    rows, replies = data
    work((rows[:WARM], replies))
    start = time.process_time()
    work(data)
    return time.process_time() - start


def pypi_anls(data: Made) -> None:
    from anls import anls_score

    rows, replies = data
    for row in rows:
        anls_score(prediction=replies[row["id"]][None], gold_labels=row["answers"], threshold=0.5)


def _rankings(data: Made) -> list[tuple[Any, Any]]:
    """(labels, scores) of each category."""
    rows, replies = data
    sets: dict[str, tuple[list[int], list[float]]] = {}
    for row in rows:
        labels, scores = sets.setdefault(row["category"], ([], []))
        labels.append(row["label"])
        scores.append(replies[row["id"]][None]["score"])
    return list(sets.values())


def sklearn_auroc(data: Made) -> None:
    from sklearn.metrics import average_precision_score, roc_auc_score

    for labels, scores in _rankings(data):
        roc_auc_score(labels, scores)
        average_precision_score(labels, scores)


def torchmetrics_auroc(data: Made) -> None:
    import torch
    from torchmetrics.functional.classification import binary_auroc

    for labels, scores in _rankings(data):
        binary_auroc(torch.tensor(scores), torch.tensor(labels))


def _pixels(data: Made) -> list[tuple[Any, Any]]:
    """(gold, found) pixels of each category."""
    import numpy as np

    rows, replies = data
    sets: dict[str, tuple[list[Any], list[Any]]] = {}
    nothing = [[0] * 8] * 8
    for row in rows:
        gold, found = sets.setdefault(row.get("category", ""), ([], []))
        reply = replies[row["id"]][None]
        gold.append(row.get("mask", nothing))
        found.append(reply["map"] if isinstance(reply, dict) else reply)
    return [(np.array(gold).ravel(), np.array(found).ravel()) for gold, found in sets.values()]


def sklearn_pixels(data: Made) -> None:
    from sklearn.metrics import average_precision_score, roc_auc_score

    for gold, found in _pixels(data):
        roc_auc_score(gold, found)
        average_precision_score(gold, found)


def torchmetrics_iou(data: Made) -> None:
    import torch
    from torchmetrics.functional.classification import multiclass_jaccard_index

    for gold, found in _pixels(data):
        multiclass_jaccard_index(torch.from_numpy(found), torch.from_numpy(gold), num_classes=2)


def math_verify_all(data: Made) -> None:
    from math_verify import parse, verify

    rows, replies = data
    for row in rows:
        verify(parse(f"${row['answer']}$"), parse(replies[row["id"]][None]))


def coco_api(data: Made) -> None:
    """pycocotools alone, on records that are in its own form already."""
    import contextlib
    import io

    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    rows, replies = data
    truth = [
        {
            **row["boxes"][0],
            "id": n,
            "image_id": n,
            "area": row["boxes"][0]["bbox"][2] * row["boxes"][0]["bbox"][3],
            "iscrowd": 0,
        }
        for n, row in enumerate(rows, 1)
    ]
    found = [{**replies[row["id"]][None][0], "image_id": n} for n, row in enumerate(rows, 1)]
    with contextlib.redirect_stdout(io.StringIO()):
        gold: Any = COCO()
        gold.dataset = {
            "images": [{"id": n} for n in range(1, len(rows) + 1)],
            "categories": [{"id": n} for n in range(1, 11)],
            "annotations": truth,
        }
        gold.createIndex()
        evaluator = COCOeval(gold, gold.loadRes(found), "bbox")
        evaluator.evaluate()
        evaluator.accumulate()
        evaluator.summarize()


def swebench_reports(data: Made) -> None:
    from swebench.harness.grading import get_eval_tests_report, get_resolution_status

    rows, replies = data
    for row in rows:
        gold = {name: row[name] for name in ("FAIL_TO_PASS", "PASS_TO_PASS")}
        get_resolution_status(get_eval_tests_report(replies[row["id"]][None], gold))


def apted_tables(data: Made) -> None:
    """The tree distance of the pages' tables alone, which TEDS is mostly computed with, on cells read beforehand."""
    from apted import APTED
    from apted.helpers import Tree

    rows, replies = data

    def tree(page: str) -> Any:
        lines = re.findall(r"<tr>(.*?)</tr>", page)
        return Tree("t", *(Tree("r", *(Tree(cell) for cell in re.findall(r"<td>(\d+)", line))) for line in lines))

    for row in rows:
        APTED(tree(replies[row["id"]][None]), tree(row["answer"])).compute_edit_distance()


@dataclass(frozen=True)
class Family:
    """`references`: package to its own work on the same rows, left out where it is not installed."""

    card: str
    views: list[str]
    record: Callable[[int, random.Random], tuple[dict[str, Any], Any]]
    references: dict[str, Callable[[Made], None]] = field(default_factory=dict)


BOTH = ["official", "robust"]
FAMILIES = {
    "choice": Family("ai2d", BOTH, choice),
    "spatial": Family("cv-bench", BOTH, cv_bench),
    "yes_no": Family("mme", BOTH, yes_no),
    "open_text": Family("docvqa", ["pypi"], written, {"anls": pypi_anls}),
    "mathematics": Family("hmmt", ["official"], mathematics, {"math_verify": math_verify_all}),
    "verifiers": Family("ifbench", ["official"], instructed),
    "counting": Family("countqa", BOTH, counted),
    "grounding": Family("refcoco", BOTH, boxed),
    "detection": Family("lvis", ["coco"], detected, {"pycocotools": coco_api}),
    "defects": Family("mvtec-ad", BOTH, defective, {"sklearn": sklearn_auroc, "torchmetrics": torchmetrics_auroc}),
    "maps": Family("visa", BOTH, mapped, {"sklearn": sklearn_pixels}),
    "masks": Family("qground", ["official"], masked, {"torchmetrics": torchmetrics_iou}),
    "executed": Family("swe-bench-verified", ["official"], executed, {"swebench": swebench_reports}),
    "documents": Family("omnidocbench", ["official"], page, {"apted": apted_tables}),
    "multi_step": Family("uno-bench", ["official"], judged),
}


def measure(family: str, count: int, compared: int, pipe: Any) -> None:
    from exam2bench.corpora.catalog.card import load_card
    from exam2bench.corpora.catalog.predictions import Predictions
    from exam2bench.corpora.catalog.scoring import Settings, score_run
    from exam2bench.corpora.catalog.tables import read_rows

    chosen = FAMILIES[family]
    # MME counts pairs on one picture in 14 categories
    count = count // 28 * 28 if family == "yes_no" else count
    rows, replies = made(count, chosen.record)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "r.jsonl"
        with file.open("w", encoding="utf-8") as stream:
            stream.writelines(json.dumps({**row, "prediction": replies[row["id"]][None]}) + "\n" for row in rows)
        start = time.process_time()
        assert sum(1 for _ in read_rows(file)) == count
        reading = time.process_time() - start
    card = load_card(chosen.card)
    few = rows[:WARM]  # what is imported late is not timed
    score_run(
        card,
        chosen.views,
        few,
        Predictions({row["id"]: replies[row["id"]] for row in few}),
        Settings(convention="pixel"),
    )
    wall, start = time.monotonic(), time.process_time()
    score = score_run(card, chosen.views, rows, Predictions(replies), Settings(convention="pixel"))
    seconds, wall = time.process_time() - start, time.monotonic() - wall
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    compared = min(compared, count)
    same = rows[:compared], {row["id"]: replies[row["id"]] for row in rows[:compared]}
    times = {name: reference_seconds(name, work, same) for name, work in chosen.references.items()}
    pipe.send(
        {
            "family": family,
            "card": chosen.card,
            "views": chosen.views,
            "records": score.records,
            "seconds": seconds,
            "wall_s": wall,
            "records_per_s": count / seconds,
            "reading_s": reading,
            "reference_records": compared,
            "reference_per_s": {name: compared / taken for name, taken in times.items() if taken is not None},
            "peak_mb": peak,
            "load": os.getloadavg()[0],
        }
    )


HEAD = f"{'family':<12}{'card':<20}{'records':>8}{'views':>6}{'CPU s':>8}{'wall s':>8}{'records/s':>11}{'reading':>9}"
HEAD += f"{'MB':>7}{'load':>6}  reference, records/s"


def shown(row: dict[str, Any]) -> str:
    told = ", ".join(f"{name} {rate:,.0f}" for name, rate in row["reference_per_s"].items())
    return (
        f"{row['family']:<12}{row['card']:<20}{row['records']:>8,}{len(row['views']):>6}{row['seconds']:>8.1f}"
        f"{row['wall_s']:>8.1f}{row['records_per_s']:>11,.0f}{row['reading_s']:>7.1f} s{row['peak_mb']:>7.0f}"
        f"{row['load']:>6.1f}  {told or '–'}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--reference-records", type=int, default=10_000)
    parser.add_argument("--family", nargs="+", choices=FAMILIES, default=list(FAMILIES))
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    context = multiprocessing.get_context("spawn")
    results: list[dict[str, Any]] = []
    if not args.json:
        print(HEAD)
    for family in args.family:
        here, there = context.Pipe()
        process = context.Process(target=measure, args=(family, args.records, args.reference_records, there))
        process.start()
        there.close()
        try:
            results.append(here.recv())
        except EOFError:
            sys.exit(f"{family} ended without a result")
        process.join()
        if not args.json:
            print(shown(results[-1]), flush=True)
    if args.json:
        json.dump(results, sys.stdout, indent=2)


if __name__ == "__main__":
    main()
