"""How many faults the proof finds: right extractions of real papers, 2,000 faults put into them, one at a time.

    python -m benchmarks.proof EXAMS [--faults 2000] [--seed 1] [--json] [--only SLUG]

Every folder of EXAMS with a `gold.json` whose text layer is usable gives one extraction: its questions, numbers,
options, points and keys are the gold's, the words of its stems begin with the gold's own transcription, and formulas
are written as a model writes them (LaTeX). A question whose words could not be checked against the gold, or whose
formulas do not read as text, stays in the paper and is neither harmed nor counted. A fault is caught where a finding
of severity warning or error names the question (or its place on the page) that the untouched extraction did not have.
Papers stay outside the repository: only counts are printed.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from exam2bench.benchmarks.proof_faults import FAULTS, Fault, Site, sentences
from exam2bench.ingest.engine import IngestOptions, assemble, read_layout, understand
from exam2bench.ingest.keys.rules import default_criterion
from exam2bench.ingest.pages.sources import open_sources
from exam2bench.ingest.proving.letters import folded, letters_of
from exam2bench.ingest.proving.page_index import PageIndex
from exam2bench.ingest.proving.prove import prove
from exam2bench.ingest.witness import Witness
from exam2bench.schemas.content import ImageBlock, TextBlock
from exam2bench.schemas.exam import Exam, Question
from exam2bench.schemas.exam_checks import every_question
from exam2bench.schemas.findings import Finding
from exam2bench.schemas.grading import ChoiceRule, GradingSpec, JudgeRule, PerOptionRule

_CONVENTIONS = {
    "≤": r"$\le$", "≥": r"$\ge$", "×": r"$\times$", "±": r"$\pm$", "≠": r"$\ne$", "π": r"$\pi$", "θ": r"$\theta$",
    "α": r"$\alpha$", "β": r"$\beta$", "λ": r"$\lambda$", "Δ": r"$\Delta$", "→": r"$\to$", "∞": r"$\infty$",
    "²": "$^2$", "³": "$^3$", "’": "'", "“": '"', "”": '"', "–": "-",
}  # fmt: skip
"""How a model writes what the page prints: the extraction must not be the layer's own characters."""


@dataclass
class Paper:
    """One paper's right extraction, its pages' index, and what an untouched proof says."""

    slug: str
    exam: Exam
    grading: GradingSpec
    index: PageIndex
    entries: list[Any]
    checked: set[str]
    """Questions whose words, options and key are known to be right."""
    keyed: set[str]
    """Questions whose key stands on a page of the sources."""
    baseline: list[Finding] = field(default_factory=list)
    pointed: set[str] = field(default_factory=set)
    """Questions whose points the paper prints, by the gold."""
    left_out: int = 0

    def proof(self, exam: Exam, grading: GradingSpec) -> list[Finding]:
        found = prove(Witness("gold", exam, grading), self.index, self.entries).findings
        return [finding for finding in found if finding.severity != "info"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("exams", type=Path, help="folder of exam folders")
    parser.add_argument("--faults", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", default=[], metavar="SLUG")
    parser.add_argument("--missed", action="store_true", help="list every fault that was not caught")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    yardstick = _yardstick(args.exams)
    papers = [paper for folder in _folders(args.exams, args.only) if (paper := build(folder, yardstick))]
    if not papers:
        parser.error(f"no exam folder with a gold.json and a usable text layer in {args.exams}")
    for paper in papers:
        paper.baseline = paper.proof(paper.exam, paper.grading)
    started = time.monotonic()
    counts, missed = run(papers, args.faults, args.seed)
    report = _report(papers, counts, time.monotonic() - started)
    if args.missed:
        print("\n".join(missed), file=sys.stderr)
    print(json.dumps(report, indent=1, ensure_ascii=False) if args.json else _table(report))
    return 0


# --- right extractions ---------------------------------------------------------------------------------------------


def _yardstick(exams: Path) -> ModuleType:
    path = exams.parent / "tools" / "score_ingest.py"
    spec = importlib.util.spec_from_file_location("score_ingest", path)
    if spec is None or spec.loader is None or not path.exists():
        raise SystemExit(f"{path} is not there: it brings the gold's questions to the paper's")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _folders(exams: Path, only: Sequence[str]) -> Iterator[Path]:
    for gold in sorted(exams.glob("*/gold.json")):
        told = json.loads((gold.parent / "sources.json").read_text(encoding="utf-8"))
        if gold.parent.name in only or (not only and told.get("text_layer") == "usable"):
            yield gold.parent


def build(folder: Path, yardstick: ModuleType) -> Paper:
    """The right extraction of one exam folder."""
    told = json.loads((folder / "sources.json").read_text(encoding="utf-8"))
    gold = json.loads((folder / "gold.json").read_text(encoding="utf-8"))
    options = IngestOptions(ocr="auto")
    sources = open_sources([folder / name for name in told["sources"]], password=None, pages={})
    layout = read_layout(sources, options)
    understood = understand(layout, options)
    made = assemble(layout, understood)
    exam, grading = made.exam.model_copy(deep=True), made.grading.model_copy(deep=True)
    index = PageIndex.build(
        layout.readings,
        layout.pages,
        layout.figures,
        understood.page_roles(layout),
        understood.paper.ornaments,
    )
    leaves = {leaf.id: leaf for leaf in exam.leaves()}
    golds = yardstick.gold_leaves(gold)
    raw_golds = list(_gold_leaves(gold["questions"]))
    dumped = yardstick.bundle_leaves(exam.model_dump(mode="json"), grading.model_dump(mode="json"))
    checked: set[str] = set()
    pointed: set[str] = set()
    left_out = 0
    for wanted, raw, j in zip(golds, raw_golds, yardstick.align(golds, dumped), strict=True):
        if j is None:
            left_out += 1
            continue
        leaf = leaves[dumped[j]["id"]]
        if _settled(leaf, raw, wanted, dumped[j], grading, yardstick):
            checked.add(leaf.id)
            pointed |= {leaf.id} if raw.get("points") is not None else set()
        else:
            left_out += 1
    for question in every_question(exam):
        _in_conventions(question)
    exam.total_points = sum(leaf.points for leaf in exam.leaves())
    printed = told.get("answers", True) and {k for k, e in understood.answers.items() if e.values or e.alternatives}
    keyed = set(printed or ()) & checked
    return Paper(folder.name, exam, grading, index, understood.entries, checked, keyed, [], pointed, left_out)


def _gold_leaves(questions: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for question in questions:
        if question.get("children"):
            yield from _gold_leaves(question["children"])
        else:
            yield question


def _settled(
    leaf: Question,
    raw: dict[str, Any],
    wanted: dict[str, Any],
    dumped: dict[str, Any],
    grading: GradingSpec,
    yardstick: ModuleType,
) -> bool:
    """Put the gold's words, points and key into a question; False where its words cannot be vouched for."""
    if raw.get("points") is not None:
        graded, points = grading.questions[leaf.id], float(raw["points"])
        if isinstance(graded.rule, JudgeRule) and graded.rule.rubric == [default_criterion(leaf.points)]:
            graded.rule.rubric = [default_criterion(points)]
        leaf.points = graded.max_points = points
    if wanted["options"] and dumped["options"] != wanted["options"] and leaf.type != "true_false":
        return False
    if wanted["prompt"] and yardstick.prompt_ratio(wanted, dumped) < 0.85:
        return False
    if any(isinstance(block, ImageBlock) and "snapshot" in block.asset for block in leaf.prompt):
        return False
    _begin_like(leaf, str(raw.get("prompt_start") or ""))
    rule, answer = grading.questions[leaf.id].rule, raw.get("answer")
    if leaf.options and isinstance(answer, list) and isinstance(rule, ChoiceRule | PerOptionRule):
        names = {yardstick.label(option.id): option.id for option in leaf.options}
        correct = [names.get(yardstick.label(label)) for label in answer]
        if None in correct:
            return False
        if raw.get("type") != "single_choice" or len(correct) == 1:
            rule.correct = [name for name in correct if name]
    return True


def _begin_like(leaf: Question, start: str) -> None:
    """The stem begins with the gold's own transcription, as far as the gold has it."""
    if len(folded(start)) < 8 or not leaf.prompt or not isinstance(leaf.prompt[0], TextBlock):
        return
    text = leaf.prompt[0].markdown
    wanted = letters_of(start).text
    if not letters_of(text).text.startswith(wanted):
        return
    low, high = 0, len(text)
    while low < high:  # the shortest beginning of the text that holds the gold's letters
        middle = (low + high) // 2
        if letters_of(text[:middle]).text.startswith(wanted):
            high = middle
        else:
            low = middle + 1
    leaf.prompt[0] = TextBlock(markdown=start.rstrip() + text[low:])


def _in_conventions(question: Question) -> None:
    blocks = [*question.prompt, *(block for option in question.options or [] for block in option.content)]
    for block in blocks:
        if isinstance(block, TextBlock) and "`" not in block.markdown:
            parts = block.markdown.split("$")
            for n in range(0, len(parts), 2):
                for sign, latex in _CONVENTIONS.items():
                    parts[n] = parts[n].replace(sign, latex)
            block.markdown = "$".join(parts)


# --- the run ----------------------------------------------------------------------------------------------------------


def run(papers: Sequence[Paper], faults: int, seed: int) -> tuple[dict[str, Counter[str]], list[str]]:
    """Per kind of fault how many were put in and how many were caught; the misses in one line each."""
    counts: dict[str, Counter[str]] = {kind.name: Counter() for kind in FAULTS}
    missed: list[str] = []
    pool = {paper.slug: _sentences(paper) for paper in papers}
    for number in range(faults):
        kind = FAULTS[number % len(FAULTS)]
        rng = random.Random(f"{seed}:{kind.name}:{number}")
        placed = _placed(kind, papers, pool, rng)
        if placed is None:
            continue
        paper, site = placed
        counts[kind.name]["placed"] += 1
        if _caught(paper, site):
            counts[kind.name]["caught"] += 1
        else:
            missed.append(f"{kind.name}: {paper.slug} {', '.join(sorted(site.names))}: {site.what}")
        print(f"\r{number + 1} of {faults}", end="", file=sys.stderr, flush=True)
    print("\r", end="", file=sys.stderr)
    return counts, missed


def _sentences(paper: Paper) -> list[str]:
    found = [s for q in every_question(paper.exam) if q.id in paper.checked for s in sentences(q)]
    return [s for s in found if "$" not in s and "_" not in s]


def _placed(
    kind: Fault, papers: Sequence[Paper], pool: dict[str, list[str]], rng: random.Random
) -> tuple[Paper, Site] | None:
    for _ in range(60):
        paper = rng.choice(list(papers))
        exam, grading = paper.exam.model_copy(deep=True), paper.grading.model_copy(deep=True)
        others = [s for p in papers if p.slug != paper.slug for s in pool[p.slug] if _alike(p, paper)]
        foreign = [s for s in others if letters_of(s).text not in paper.index.paper.text]
        names = {"key": paper.keyed, "points": paper.pointed, "": paper.checked}[kind.needs]
        site = kind.put(exam, grading, sorted(names), foreign, rng)
        if site is not None:
            return paper, site
    return None


def _alike(a: Paper, b: Paper) -> bool:
    return a.exam.language.split("-")[0] == b.exam.language.split("-")[0] or len(a.exam.language) == len(
        b.exam.language
    )


def _caught(paper: Paper, site: Site) -> bool:
    before = Counter((f.code, f.where.question, f.message) for f in paper.baseline)
    for finding in paper.proof(site.exam, site.grading):
        key = (finding.code, finding.where.question, finding.message)
        if before[key]:
            before[key] -= 1
            continue
        if finding.where.question in site.names or _in_place(finding, paper, site.names):
            return True
    return False


def _in_place(finding: Finding, paper: Paper, names: set[str]) -> bool:
    where = finding.where
    if where.box is None:
        return False
    for question in every_question(paper.exam):
        for region in question.provenance if question.id in names else ():
            same = (region.source, region.page) == (where.source, where.page)
            cx, cy = (where.box.x0 + where.box.x1) / 2, (where.box.y0 + where.box.y1) / 2
            if same and region.x0 - 4 <= cx <= region.x1 + 4 and region.y0 - 4 <= cy <= region.y1 + 4:
                return True
    return False


def _report(papers: Sequence[Paper], counts: dict[str, Counter[str]], seconds: float) -> dict[str, Any]:
    alarms: dict[str, Any] = {}
    for paper in papers:
        names = {f.where.question for f in paper.baseline}
        alarms[paper.slug] = {
            "questions": len(paper.checked),
            "not_vouched_for": paper.left_out,
            "alarmed": len(names & paper.checked),
            "elsewhere": len(paper.baseline) - sum(f.where.question in paper.checked for f in paper.baseline),
            "codes": dict(Counter(f.code for f in paper.baseline if f.where.question in paper.checked)),
        }
    kinds = {
        name: {"placed": c["placed"], "caught": c["caught"], "share": round(c["caught"] / c["placed"], 4)}
        for name, c in counts.items()
        if c["placed"]
    }
    total = defaultdict(int)
    for entry in alarms.values():
        total["questions"] += entry["questions"]
        total["alarmed"] += entry["alarmed"]
    return {
        "papers": alarms,
        "false_alarms": round(total["alarmed"] / max(total["questions"], 1), 4),
        "questions": total["questions"],
        "kinds": kinds,
        "seconds": round(seconds, 1),
    }


def _table(report: dict[str, Any]) -> str:
    lines = [f"{'paper':<36}{'questions':>10}{'alarmed':>9}{'left out':>9}  findings"]
    for slug, entry in report["papers"].items():
        codes = ", ".join(f"{code} {n}" for code, n in entry["codes"].items())
        lines.append(f"{slug:<36}{entry['questions']:>10}{entry['alarmed']:>9}{entry['not_vouched_for']:>9}  {codes}")
    lines.append(f"false alarms: {report['false_alarms']:.2%} of {report['questions']} questions")
    lines += ["", f"{'fault':<22}{'placed':>8}{'caught':>8}{'share':>9}"]
    for name, entry in report["kinds"].items():
        lines.append(f"{name:<22}{entry['placed']:>8}{entry['caught']:>8}{entry['share']:>9.1%}")
    lines.append(f"{report['seconds']} s")
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
