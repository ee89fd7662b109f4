"""How well the layout engine reads real papers: `make accuracy EXAMS=DIR` rebuilds docs/accuracy.md.

Every folder of DIR with a `sources.json` is ingested into `build/accuracy/<slug>`; where it holds a
`gold.json` and `DIR/../tools/score_ingest.py` is there, the bundle is scored with it. Papers stay outside
the repository: only the counts are written down.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
BUNDLES = ROOT / "build" / "accuracy"
PAGE = ROOT / "docs" / "accuracy.md"
BY_HAND = ("<!-- kept by hand -->", "<!-- end of the part kept by hand -->")
CHECKS = ("found", "options", "prompt", "type", "page", "figure", "points", "answer")
TARGETS = {
    "found": 97, "options": 95, "prompt": 95, "type": 92, "page": 98, "figure": 92, "points": 85, "answer": 95,
}  # fmt: skip
EXTRA_TARGET = 3
SCAN_FOUND = 85
WORKERS = 2


@dataclass
class Paper:
    """One exam folder, what ingesting it said and, where there is gold, how it scored."""

    slug: str
    layer: str
    has_gold: bool
    run: dict[str, Any]
    score: dict[str, Any] | None = None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("exams", type=Path, help="folder of exam folders, each with a sources.json")
    parser.add_argument("--only", action="append", default=[], metavar="SLUG", help="ingest only these anew")
    parser.add_argument("--no-write", action="store_true", help="print the tables, leave docs/accuracy.md alone")
    args = parser.parse_args()
    folders = sorted(path.parent for path in args.exams.glob("*/sources.json"))
    unknown = set(args.only) - {folder.name for folder in folders}
    if unknown:
        parser.error(f"no such exam folder: {', '.join(sorted(unknown))}")
    BUNDLES.mkdir(parents=True, exist_ok=True)
    anew = [f for f in folders if not args.only or f.name in args.only or not _run_file(f.name).exists()]
    with ThreadPoolExecutor(WORKERS) as pool:
        for folder, run in zip(anew, pool.map(ingest, anew), strict=True):
            print(f"{folder.name}: exit {run['exit']}, {run['seconds']:.1f} s", file=sys.stderr)
    yardstick = load_yardstick(args.exams.resolve().parent / "tools" / "score_ingest.py")
    papers = [measure(folder, yardstick) for folder in folders]
    text = report(papers)
    print(text)
    if not args.no_write:
        PAGE.write_text(with_hand_part(text), encoding="utf-8")
    return 1 if any(paper.run["traceback"] for paper in papers) else 0


def _run_file(slug: str) -> Path:
    return BUNDLES / f"{slug}.run.json"


def ingest(folder: Path) -> dict[str, Any]:
    """Ingest one folder in a process of its own, as a user would, and keep what it said."""
    told = json.loads((folder / "sources.json").read_text(encoding="utf-8"))
    command = [sys.executable, "-m", "exam2bench.cli", "ingest", *(str(folder / name) for name in told["sources"])]
    command += ["-o", str(BUNDLES / folder.name), "--json", "--force"]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "0", "OMP_NUM_THREADS": "1"}
    shutil.rmtree(BUNDLES / folder.name, ignore_errors=True)  # a crash must not leave the last run's bundle to score
    started = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    run: dict[str, Any] = {"exit": done.returncode, "seconds": round(time.perf_counter() - started, 1)}
    run["traceback"] = "Traceback" in done.stderr
    run["stderr"] = done.stderr[-4000:]
    run["summary"] = json.loads(done.stdout) if done.stdout.strip() else None
    _run_file(folder.name).write_text(json.dumps(run, ensure_ascii=False, indent=1), encoding="utf-8")
    return run


def load_yardstick(path: Path) -> ModuleType | None:
    """The exams' own scorer, or None where there is none."""
    if not path.exists():
        return None
    spec = importlib.util.spec_from_file_location("score_ingest", path)
    if spec is None or spec.loader is None:
        return None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def measure(folder: Path, yardstick: ModuleType | None) -> Paper:
    told = json.loads((folder / "sources.json").read_text(encoding="utf-8"))
    run = json.loads(_run_file(folder.name).read_text(encoding="utf-8"))
    gold = folder / "gold.json"
    paper = Paper(folder.name, told.get("text_layer", "usable"), gold.exists(), run)
    if gold.exists() and yardstick is not None:
        paper.score = yardstick.score(BUNDLES / folder.name, gold)
    return paper


def report(papers: list[Paper]) -> str:
    """docs/accuracy.md without the part kept by hand."""
    from exam2bench.ingest.engine import ENGINE

    gold = [paper for paper in papers if paper.score is not None]
    usable = [paper for paper in gold if paper.layer == "usable"]
    scans = [paper for paper in gold if paper.layer == "none"]
    broken = [paper for paper in gold if paper.layer not in ("usable", "none")]
    parts = [
        f"Measured on {datetime.now(UTC):%Y-%m-%d} with engine `{ENGINE}`: {len(papers)} exams, {len(gold)} of them "
        "with a gold file made by hand.",
        "## Papers with a usable text layer",
        "Per cent of the gold's leaf questions; the last row is the target.",
        table(usable, targets=True),
        "## Papers with a broken text layer",
        "The layer is there but doubled, an old OCR's, or made of private-use glyphs.",
        table(broken),
        f"## Scans, with the extra `[ocr]` (target: found ≥ {SCAN_FOUND})",
        table(scans),
        "## Papers without a gold file",
        "What was found, and what the engine itself says about it.",
        plain_table([paper for paper in papers if paper.score is None]),
    ]
    return "\n\n".join(parts) + "\n"


def table(papers: list[Paper], *, targets: bool = False) -> str:
    if not papers:
        return "None measured."
    rows = ["| exam | questions | extra | " + " | ".join(CHECKS) + " | perfect |"]
    rows.append("|---|---:|---:|" + "---:|" * (len(CHECKS) + 1))
    total: Counter[tuple[str, int]] = Counter()
    gold = extra = 0
    for paper in papers:
        score = paper.score or {}
        gold, extra = gold + score["gold"], extra + score["extra"]
        for name in (*CHECKS, "perfect"):
            for n in (0, 1):
                total[name, n] += score["counts"][name][n]
        cells = " | ".join(_percent(*score["counts"][name]) for name in (*CHECKS, "perfect"))
        rows.append(f"| {paper.slug} | {score['gold']} | {score['extra']} | {cells} |")
    cells = " | ".join(f"**{_percent(total[name, 0], total[name, 1])}**" for name in (*CHECKS, "perfect"))
    rows.append(f"| **all** | {gold} | {extra} ({100 * extra / gold:.1f} %) | {cells} |")
    if targets:
        cells = " | ".join(f"≥ {TARGETS[name]}" for name in CHECKS)
        rows.append(f"| target | | ≤ {EXTRA_TARGET} % | {cells} | |")
    return "\n".join(rows)


def _percent(good: int, of: int) -> str:
    return f"{100 * good / of:.1f}" if of else "–"


def plain_table(papers: list[Paper]) -> str:
    rows = ["| exam | text layer | questions | by rule | coverage | errors | warnings | most frequent findings |"]
    rows.append("|---|---|---:|---:|---:|---:|---:|---|")
    for paper in papers:
        summary = paper.run["summary"]
        if summary is None:
            said = paper.run["stderr"].strip().splitlines()[-1].split(": ", 1)[-1] if paper.run["stderr"] else ""
            said = said.replace(str(ROOT.parent), "…")
            rows.append(f"| {paper.slug} | {paper.layer} | – | – | – | – | – | refused: {Path(said).name} |")
            continue
        counts = Counter(finding["code"] for finding in summary["findings"])
        codes = ", ".join(f"{code} {n}" for code, n in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:3])
        covered = "–" if summary["coverage"] is None else f"{100 * summary['coverage']:.1f} %"
        severities = summary["findings_by_severity"]
        rows.append(
            f"| {paper.slug} | {paper.layer} | {summary['questions']} | {summary['graded_by_rule']} | {covered} "
            f"| {severities['error']} | {severities['warning']} | {codes} |"
        )
    return "\n".join(rows)


def with_hand_part(text: str) -> str:
    """The page: head, the part kept by hand as it stands, the measured part."""
    begin, end = BY_HAND
    old = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    kept = old.split(begin, 1)[1].split(end, 1)[0] if begin in old and end in old else "\n\n"
    head = "# Accuracy of the layout engine\n\n`make accuracy EXAMS=DIR` ingests every exam folder of DIR and rebuilds "
    head += "this page."
    return f"{head}\n\n{begin}{kept}{end}\n\n{text}"


if __name__ == "__main__":
    raise SystemExit(main())
