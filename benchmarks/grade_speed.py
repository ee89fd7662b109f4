"""How fast and how large grading by rule is, beside comparing the same keys in a bare dictionary.

    python benchmarks/grade_speed.py [--questions 200] [--sheets 1000] [--fixed] [--json]

A synthetic exam of mixed rule kinds (`--fixed`: fixed-answer kinds only) and as many sheets; nothing is asserted.
Each line of the table is measured in a process of its own, so peak memory is that line's; times are CPU seconds of
that process. The bare dictionary reads the same files and compares the same answers with `==`, without a word about
why; grading reads hostile files, and writes a report that says for each question what was given and what was right.
"""

from __future__ import annotations

import argparse
import gc
import json
import multiprocessing
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

OPTIONS = [{"id": label, "content": [{"type": "text", "markdown": f"option {label}"}]} for label in "ABCD"]
FIXED = ["single", "single", "single", "multiple", "true_false", "blank", "matching"]
MIXED = [*FIXED, "numeric", "expression", "enumeration"]


def question(kind: str, number: int, draw: random.Random) -> tuple[dict[str, Any], dict[str, Any], list[Any]]:
    """A question, its rule and five answers, the first of which is right."""
    base: dict[str, Any] = {"id": f"q{number}", "points": 2, "prompt": [{"type": "text", "markdown": f"Item {number}"}]}
    if kind == "single":
        labels = draw.sample("ABCD", 4)
        answers = [{"type": "single_choice", "selected": label} for label in labels]
        return (
            {**base, "type": "single_choice", "options": OPTIONS},
            {"kind": "choice", "correct": [labels[0]]},
            answers,
        )
    if kind == "multiple":
        sets = [sorted(draw.sample("ABCD", size)) for size in (2, 1, 3, 4, 2)]
        answers = [{"type": "multiple_choice", "selected": labels} for labels in sets]
        rule = {"kind": "choice", "correct": sets[0], "partial_credit": True}
        return {**base, "type": "multiple_choice", "options": OPTIONS}, rule, answers
    if kind == "true_false":
        truth = draw.random() < 0.5
        answers = [{"type": "true_false", "value": value} for value in (truth, not truth)]
        return {**base, "type": "true_false"}, {"kind": "true_false", "correct": truth}, answers
    if kind == "blank":
        words = [f"word {draw.randrange(10**6)}" for _ in range(5)]
        answers = [{"type": "fill_in_blank", "blanks": {"b1": word}} for word in words]
        rule = {"kind": "fill_in_blank", "blanks": {"b1": {"accepted": [words[0], "other"]}}}
        return {**base, "type": "fill_in_blank", "blanks": [{"id": "b1"}]}, rule, answers
    if kind == "matching":
        sides = {side: [{"id": f"{side}{n}"} for n in range(3)] for side in ("l", "r")}
        orders = [draw.sample(range(3), 3) for _ in range(5)]
        pairs = [{f"l{n}": f"r{m}" for n, m in enumerate(order)} for order in orders]
        answers = [{"type": "matching", "pairs": pair} for pair in pairs]
        matching = {"left": sides["l"], "right": sides["r"]}
        return (
            {**base, "type": "matching", "matching": matching},
            {"kind": "matching", "correct_pairs": pairs[0]},
            answers,
        )
    return written(kind, base, draw)


def written(kind: str, base: dict[str, Any], draw: random.Random) -> tuple[dict[str, Any], dict[str, Any], list[Any]]:
    base = {**base, "type": "short_answer"}
    value = draw.randrange(1, 1000)
    if kind == "numeric":
        texts = [f"{value} m", f"{value * 100} cm", f"{value + 1} m", f"{value},5", "about ten"]
        rule: dict[str, Any] = {"kind": "numeric", "value": value, "unit": "m", "abs_tolerance": 0.5}
    elif kind == "expression":
        texts = [f"x^2+{value}x", f"x(x+{value})", f"x^2-{value}x", f"{value}", "?"]
        rule = {"kind": "expression", "expression": texts[0]}
    else:
        texts = [f"red, {value}", f"{value}; red", "red", "green, blue", ""]
        rule = {"kind": "enumeration", "items": [{"accepted": ["red"]}, {"accepted": [str(value)]}]}
    return base, rule, [{"type": "text", "text": text} for text in texts]


def make_bundle(folder: Path, count: int, kinds: list[str]) -> list[list[Any]]:
    """Write the synthetic bundle; the possible answers of each question."""
    from exam2bench.schemas.bundle import save_bundle
    from exam2bench.schemas.exam import Exam
    from exam2bench.schemas.grading import GradingSpec
    from exam2bench.schemas.manifest import Manifest

    draw = random.Random(20260101)
    made = [question(kinds[number % len(kinds)], number, draw) for number in range(count)]
    sections = [{"id": "A", "questions": [one for one, _, _ in made]}]
    exam = {
        "exam_id": "synthetic",
        "title": "Synthetic",
        "language": "en",
        "total_points": 2 * count,
        "sections": sections,
    }
    rules = {one["id"]: {"question_id": one["id"], "max_points": 2, "rule": rule} for one, rule, _ in made}
    grading = GradingSpec.model_validate({"exam_id": "synthetic", "questions": rules})
    manifest = Manifest(created_at="2026-01-01T00:00:00Z", tool_version="0")
    save_bundle(folder, Exam.model_validate(exam), grading, manifest, {}, force=True)
    return [answers for _, _, answers in made]


def make_sheets(folder: Path, count: int, answers: list[list[Any]]) -> list[Path]:
    folder.mkdir()
    paths = []
    for number in range(count):
        draw = random.Random(number)
        sheet = {f"q{n}": draw.choice(choices) for n, choices in enumerate(answers)}
        path = folder / f"taker{number:05}.json"
        path.write_text(json.dumps({"exam_id": "synthetic", "taker": f"t{number}", "answers": sheet}), encoding="utf-8")
        paths.append(path)
    return paths


def grade(bundle: Path, sheets: list[Path], out: Path) -> tuple[float, float, float]:
    """CPU seconds to load the bundle, to grade the sheets and write their reports as `exam2bench grade` does, and what
    the second half took."""
    from exam2bench.grade.command import graded_files
    from exam2bench.grade.plan import ExamPlan
    from exam2bench.schemas.bundle import load_bundle

    start = time.process_time()
    loaded_bundle = load_bundle(bundle)
    plan = ExamPlan.of(loaded_bundle)
    gc.freeze()  # as the command does
    loaded = time.process_time()
    half = loaded
    targets = [out / path.name for path in sheets]
    for number, _ in enumerate(graded_files(plan, loaded_bundle.exam, sheets, targets, False), start=1):
        if number == len(sheets) // 2:
            half = time.process_time()
    return loaded - start, time.process_time() - loaded, time.process_time() - half


def bare(bundle: Path, sheets: list[Path], out: Path) -> tuple[float, float, float]:
    """CPU seconds to read the keys, to read the sheets, compare each answer and write what was right, and what the
    second half took."""
    start = time.process_time()
    keys = {n: choices[0] for n, choices in json.loads((bundle / "answers-of.json").read_bytes()).items()}
    loaded = time.process_time()
    half = loaded
    for number, path in enumerate(sheets):
        if number == len(sheets) // 2:
            half = time.process_time()
        answers = json.loads(path.read_bytes())["answers"]
        results = {n: answers.get(n) == key for n, key in keys.items()}
        (out / path.name).write_text(json.dumps({"right": sum(results.values()), "results": results}))
    return loaded - start, time.process_time() - loaded, time.process_time() - half


def _measured(work: Callable[..., tuple[float, float, float]], arguments: tuple[Any, ...], pipe: Any) -> None:
    pipe.send((*work(*arguments), peak_mb()))


def peak_mb() -> float:
    """The most memory that this process held. Not `ru_maxrss`: that is inherited from the process that started it."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 1024


def process_per_sheet(bundle: Path, sheets: list[Path], out: Path) -> float:
    """CPU seconds of `exam2bench grade` for one sheet, in a process of its own: its start and the bundle included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for path in sheets:
        command = [sys.executable, "-m", "exam2bench.cli", "grade", str(bundle), str(path), "-o", str(out / path.name)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / len(sheets)


def measure(work: Callable[..., tuple[float, float, float]], *arguments: Any) -> tuple[float, float, float, float]:
    """(seconds to load, to grade, to grade the second half, peak MB) of `work` in a fresh process."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_measured, args=(work, arguments, there))
    process.start()
    result = here.recv()
    process.join()
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--sheets", type=int, default=1000)
    parser.add_argument("--fixed", action="store_true", help="fixed-answer kinds only, as in a 7,000-question corpus")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        answers = make_bundle(folder / "bundle", args.questions, FIXED if args.fixed else MIXED)
        listed = {f"q{n}": choices for n, choices in enumerate(answers)}
        (folder / "bundle" / "answers-of.json").write_text(json.dumps(listed))
        sheets = make_sheets(folder / "sheets", args.sheets, answers)
        (folder / "out").mkdir()
        for count in sorted({max(1, args.sheets // 10), args.sheets}):
            for label, work in (("bare dictionary", bare), ("exam2bench grade", grade)):
                loading, seconds, second, peak = measure(work, folder / "bundle", sheets[:count], folder / "out")
                speed = count * args.questions / seconds
                later = (count - count // 2) * args.questions / second
                row = {"what": label, "sheets": count, "load_s": loading, "answers_per_s": speed}
                rows.append({**row, "second_half_per_s": later, "peak_mb": peak})
        alone = process_per_sheet(folder / "bundle", sheets[:2], folder / "out")
    if args.json:
        found = {"questions": args.questions, "fixed": args.fixed, "rows": rows, "one_process_per_sheet_s": alone}
        json.dump(found, sys.stdout, indent=2)
        return
    print(f"{args.questions} questions, {'fixed-answer' if args.fixed else 'mixed'} rules")
    for row in rows:
        print(
            f"{row['what']:<18}{row['sheets']:>6} sheets{row['load_s']:>8.2f} s to load"
            f"{row['answers_per_s']:>10,.0f} answers/s{row['second_half_per_s']:>10,.0f}/s in the second half"
            f"{row['peak_mb']:>6.0f} MB peak"
        )
    bare_row, own_row = rows[-2:]
    for name, words in (("answers_per_s", "all sheets"), ("second_half_per_s", "the second half")):
        print(f"per answer, {words}: {bare_row[name] / own_row[name]:.1f} times the bare dictionary")
    each = args.questions / alone
    print(
        f"one process per sheet: {each:,.0f} answers/s; all sheets in one process: "
        f"{own_row['answers_per_s'] / each:.0f} times as many once the bundle is loaded"
    )


if __name__ == "__main__":
    main()
