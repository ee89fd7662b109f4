"""Publishing many bundles into a staging folder: seconds per bundle and in all, memory, and what a second run writes.

    python -m benchmarks.publish [-n 180] [--questions 7800] [--figures 3000] [--sealed]

The bundles are synthetic: drawn figures of 20 to 60 kB, questions of all common types, generated once into a temporary
folder (not measured). Measured, each in a process of its own: building and proving all of them (`publish --staging DIR
--dry-run`, with `datasets` loading every row back); publishing one of them again with a corrected key. Memory is the
process's peak; it is taken at half the number of bundles too, to see whether it grows.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from PIL import Image

from exam2bench.schemas.bundle import save_bundle
from exam2bench.schemas.exam import Exam
from exam2bench.schemas.grading import GradingSpec
from exam2bench.schemas.manifest import Manifest, Rights, Source

WORDS = [
    "the",
    "of",
    "a",
    "current",
    "sample",
    "field",
    "force",
    "plant",
    "river",
    "between",
    "under",
    "measured",
    "during",
]


def figure(rng: random.Random) -> bytes:
    """A noisy picture, 20 to 60 kB as PNG."""
    width, height = rng.randint(100, 150), rng.randint(80, 130)
    image = Image.frombytes("RGB", (width, height), rng.randbytes(width * height * 3))
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def sentence(rng: random.Random, words: int) -> str:
    return " ".join(rng.choices(WORDS, k=words)).capitalize() + "."


def text(markdown: str) -> dict[str, str]:
    return {"type": "text", "markdown": markdown}


def make(path: Path, name: str, questions: int, figures: int, rng: random.Random, revision: int = 1) -> None:
    """One bundle: three choices, a blank and an open question in turn."""
    assets: dict[str, bytes] = {}
    leaves, rules = [], {}
    for number in range(1, questions + 1):
        qid = f"q{number}"
        prompt: list[dict[str, str]] = [text(sentence(rng, 40))]
        if number <= figures:
            assets[f"assets/{qid}.fig1.png"] = figure(rng)
            prompt.append({"type": "image", "asset": f"assets/{qid}.fig1.png"})
        leaf = {"id": qid, "number": f"{number}.", "points": 2, "prompt": prompt}
        if number % 5 == 4:
            leaf |= {"type": "fill_in_blank", "blanks": [{"id": "b1"}]}
            rule = {"kind": "fill_in_blank", "blanks": {"b1": {"accepted": [sentence(rng, 2)]}}}
        elif number % 5 == 0:
            leaf |= {"type": "short_answer"}
            levels = [{"points": 2, "descriptor": sentence(rng, 10)}, {"points": 0, "descriptor": "nothing"}]
            rubric = [{"id": "c1", "description": sentence(rng, 15), "levels": levels}]
            rule = {"kind": "judge", "reference_answer": sentence(rng, 40), "rubric": rubric}
        else:
            options = [{"id": letter, "content": [text(sentence(rng, 8))]} for letter in "ABCD"]
            leaf |= {"type": "single_choice", "options": options}
            rule = {"kind": "choice", "correct": [rng.choice("ABCD")]}
        leaves.append(leaf)
        rules[qid] = {"question_id": qid, "max_points": 2, "rule": rule}
    section = {"id": "A", "questions": leaves}
    paper = {"exam_id": name, "title": f"Exam {name}", "language": "en", "total_points": 2 * questions}
    exam = Exam.model_validate({**paper, "sections": [section]})
    grading = GradingSpec.model_validate({"exam_id": name, "questions": rules, "revision": revision})
    source = Source(path="paper.pdf", sha256=rng.randbytes(32).hex(), pages=12, role="paper")
    manifest = Manifest(created_at="2026-01-01T00:00:00Z", tool_version="benchmark", sources=[source])
    manifest.rights = Rights(publisher="nobody", licence="CC0-1.0")
    save_bundle(path, exam, grading, manifest, assets, force=True)


def publish(*arguments: str) -> dict[str, float]:
    """Run the command in its own process: seconds by the clock and of CPU, peak memory in MB, its report."""
    code = (
        "import sys, json, resource, io, contextlib\n"
        "from exam2bench.cli import main\n"
        "with contextlib.redirect_stdout(io.StringIO()) as out:\n"
        "    code = main(sys.argv[1:])\n"
        "peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024\n"
        "used = resource.getrusage(resource.RUSAGE_SELF)\n"
        "cpu = used.ru_utime + used.ru_stime\n"
        "print(json.dumps({'code': code, 'peak': peak, 'cpu': cpu, 'report': json.loads(out.getvalue())}))\n"
    )
    began = time.perf_counter()
    run = subprocess.run([sys.executable, "-c", code, "publish", *arguments], capture_output=True, text=True)
    seconds = time.perf_counter() - began
    if run.returncode:
        raise SystemExit(run.stderr)
    return {**json.loads(run.stdout.splitlines()[-1]), "seconds": seconds}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", "--bundles", type=int, default=180)
    parser.add_argument("--questions", type=int, default=7_800, help="in all bundles")
    parser.add_argument("--figures", type=int, default=3_000, help="in all bundles")
    parser.add_argument("--sealed", action="store_true")
    args = parser.parse_args()
    extra = ["--sealed"] if args.sealed else []
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        rng = random.Random(7)
        paths = []
        for index in range(args.bundles):
            share = [
                (index + 1) * n // args.bundles - index * n // args.bundles for n in (args.questions, args.figures)
            ]
            paths.append(home / "bundles" / f"exam-{index:03}")
            make(paths[-1], f"exam-{index:03}", share[0], share[1], rng)
        rest = ["user/exams", "--dry-run", "--json", *extra]
        half = publish(*map(str, paths[: len(paths) // 2]), *rest, "--staging", str(home / "half"))
        whole = publish(*map(str, paths), *rest, "--staging", str(home / "staging"))
        files = {path: path.stat().st_mtime_ns for path in (home / "staging").rglob("*") if path.is_file()}
        size = sum(path.stat().st_size for path in files) / 1e6
        make(paths[1], "exam-001", 44, 17, random.Random(1), revision=2)
        again = publish(str(paths[1]), *rest, "--staging", str(home / "staging"))
        touched = [
            path.relative_to(home / "staging").as_posix()
            for path in sorted((home / "staging").rglob("*"))
            if path.is_file() and files.get(path) != path.stat().st_mtime_ns
        ]
        questions = sum(bundle["questions"] for bundle in whole["report"]["bundles"])  # type: ignore[index]
        print(
            f"{args.bundles} bundles, {questions} questions, {args.figures} figures: {size:.0f} MB, {len(files)} files"
        )
        each = 1000 * whole["cpu"] / args.bundles
        print(f"all of it: {whole['cpu']:.1f} s of CPU ({whole['seconds']:.1f} s by the clock), {each:.0f} ms a bundle")
        print(f"memory: {half['peak']:.0f} MB at half of them, {whole['peak']:.0f} MB at all")
        print(f"one again: {again['cpu']:.1f} s of CPU; rewritten: {', '.join(touched)}")
        outside = [path for path in touched if not path.startswith("exam-001/") and path != "README.md"]
        return 1 if outside else 0


if __name__ == "__main__":
    raise SystemExit(main())
