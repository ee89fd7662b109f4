"""How fast known benchmarks are scored, family by family, beside the reference where its package is installed.

    python benchmarks/score.py [--records 100000] [--family choice ...] [--json]

Synthetic records and replies, half of them right; nothing is asserted. Times are CPU seconds of this process for
marking and putting together (`score_run`), without reading files; `reading` is the time of the JSON Lines themselves.
The reference's time is that of its own function on the same replies. Each family is measured in a process of its own,
so that peak memory is that family's.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import multiprocessing
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Made = tuple[list[dict[str, Any]], dict[str, dict[str | None, Any]]]
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


# reference functions on the same rows; None where the package is not installed


def by_package(name: str, work: Callable[[Made], None]) -> Callable[[Made], float] | None:
    if importlib.util.find_spec(name) is None:
        return None

    def timed(data: Made) -> float:
        __import__(name)
        start = time.process_time()
        work(data)
        return time.process_time() - start

    return timed


def pypi_anls(data: Made) -> None:
    from anls import anls_score

    rows, replies = data
    for row in rows:
        anls_score(prediction=replies[row["id"]][None], gold_labels=row["answers"], threshold=0.5)


def sklearn_auroc(data: Made) -> None:
    from sklearn.metrics import average_precision_score, roc_auc_score

    rows, replies = data
    for category in {row["category"] for row in rows}:
        members = [row for row in rows if row["category"] == category]
        labels, scores = [row["label"] for row in members], [replies[row["id"]][None]["score"] for row in members]
        roc_auc_score(labels, scores)
        average_precision_score(labels, scores)


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


# family: (card, views, records, reference's name, its work)
FAMILIES: dict[str, tuple[str, list[str], Callable[..., Any], str, Callable[[Made], float] | None]] = {
    "choice": ("ai2d", ["official", "robust"], choice, "–", None),
    "spatial": ("cv-bench", ["official", "robust"], cv_bench, "–", None),
    "yes_no": ("mme", ["official", "robust"], yes_no, "–", None),
    "open_text": ("docvqa", ["pypi"], written, "anls", by_package("anls", pypi_anls)),
    "mathematics": ("hmmt", ["official"], mathematics, "math-verify", by_package("math_verify", math_verify_all)),
    "verifiers": ("ifbench", ["official"], instructed, "–", None),
    "counting": ("countqa", ["official", "robust"], counted, "–", None),
    "grounding": ("refcoco", ["official", "robust"], boxed, "–", None),
    "detection": ("lvis", ["coco"], detected, "pycocotools", by_package("pycocotools", coco_api)),
    "defects": ("mvtec-ad", ["robust"], defective, "scikit-learn", by_package("sklearn", sklearn_auroc)),
    "executed": ("swe-bench-verified", ["official"], executed, "–", None),
    "documents": ("omnidocbench", ["official"], page, "–", None),
    "multi_step": ("uno-bench", ["official"], judged, "–", None),
}


def measure(family: str, count: int, pipe: Any) -> None:
    from exam2bench.corpora.catalog.card import load_card
    from exam2bench.corpora.catalog.predictions import Predictions
    from exam2bench.corpora.catalog.scoring import Settings, score_run
    from exam2bench.corpora.catalog.tables import read_rows

    name, views, record, package, reference = FAMILIES[family]
    # MME counts pairs on one picture in 14 categories
    count = count // 28 * 28 if family == "yes_no" else count
    rows, replies = made(count, record)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "r.jsonl"
        with file.open("w", encoding="utf-8") as stream:
            stream.writelines(json.dumps({**row, "prediction": replies[row["id"]][None]}) + "\n" for row in rows)
        start = time.process_time()
        assert sum(1 for _ in read_rows(file)) == count
        reading = time.process_time() - start
    card = load_card(name)
    start = time.process_time()
    score = score_run(card, views, rows, Predictions(replies), Settings(convention="pixel"))
    seconds = time.process_time() - start
    pipe.send(
        {
            "family": family,
            "card": name,
            "views": views,
            "records": score.records,
            "seconds": seconds,
            "records_per_s": count / seconds,
            "reading_s": reading,
            "reference": package,
            "reference_s": reference((rows, replies)) if reference else None,
            "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        }
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--family", nargs="+", choices=FAMILIES, default=list(FAMILIES))
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    results: list[dict[str, Any]] = []
    if not args.json:
        print(
            f"{'family':<13}{'card':<20}{'records':>9}{'views':>6}{'records/s':>11}{'reading':>9}{'reference':>24}{'MB':>6}"
        )
    for family in args.family:
        here, there = context.Pipe()
        process = context.Process(target=measure, args=(family, args.records, there))
        process.start()
        there.close()
        row = here.recv()
        process.join()
        results.append(row)
        if not args.json:
            told = (
                "–"
                if row["reference_s"] is None
                else f"{row['reference']} {row['records'] / row['reference_s']:,.0f}/s"
            )
            print(
                f"{row['family']:<13}{row['card']:<20}{row['records']:>9,}{len(row['views']):>6}"
                f"{row['records_per_s']:>11,.0f}{row['reading_s']:>7.1f} s{told:>24}{row['peak_mb']:>6.0f}",
                flush=True,
            )
    if args.json:
        json.dump(results, sys.stdout, indent=2)


if __name__ == "__main__":
    main()
