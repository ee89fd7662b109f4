"""Two reports or benches on the same questions: what differs, and whether the difference is real.

Scores are comparable on the same paper and key, which the digest pins. Where the digests differ, single questions may
still be the same: each has a digest of its own over everything that is put to a taker with it and all of its grading.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ...grade.statistics import PairedResult
from ...schemas.base import SCHEMA_VERSION, Contract
from ...schemas.errors import BundleError, UsageError
from ...schemas.findings import Finding, info, warning
from ...schemas.json_files import parse_record, read_json
from ...schemas.printable import printable
from ...schemas.report import Report
from .folder import MAX_BENCH_BYTES, inside
from .record import Bench, ExamEntry, PairRow, QuestionEntry
from .scores import Facts, Key, compared, corrected

UNKNOWN_TYPE = "unknown"


class Moved(Contract):
    """A question on which the two sides of a pair earned different points (means over sittings)."""

    exam_id: str
    question: str
    a: float
    b: float
    possible: float


class ComparedPair(Contract):
    row: PairRow
    moved: list[Moved] = []


class Comparison(Contract):
    """Differences are A less B. `questions`: those compared. `left_out`: changed, or there on one side only."""

    schema_version: str = SCHEMA_VERSION
    kind: Literal["exam2bench.comparison"] = "exam2bench.comparison"
    a: str
    b: str
    same_digest: bool
    questions: int
    left_out: int = 0
    pairs: list[ComparedPair] = []
    findings: list[Finding] = []


@dataclass
class Side:
    """A report, a folder of reports or a bench. `digests`: of the bundles by exam; `takers`: each taker's points per
    question over its sittings; `entries`: what is known of the questions, by the bundle's digest."""

    name: str
    digests: dict[str, str | None] = field(default_factory=dict)
    possible: dict[Key, float] = field(default_factory=dict)
    takers: dict[str, dict[Key, list[float]]] = field(default_factory=dict)
    entries: dict[str, Mapping[str, QuestionEntry]] = field(default_factory=dict)

    def points(self, taker: str) -> dict[Key, float]:
        return {key: sum(marks) / len(marks) for key, marks in self.takers[taker].items()}

    def add(self, report: Report, taker: str, place: Path) -> None:
        """Take in a report. Raises BundleError where another of the same exam has another digest."""
        known = self.digests.setdefault(report.exam_id, report.bundle_digest)
        if known != report.bundle_digest:
            raise BundleError(f"{printable(place)} was earned on another version of {report.exam_id} than the rest")
        marks = self.takers.setdefault(taker, {})
        for name, result in report.results.items():
            key = (report.exam_id, name)
            if result.max_points > 0 and result.mode not in ("error", "skipped"):
                self.possible[key] = result.max_points
                marks.setdefault(key, []).append(result.awarded)


def read_side(path: Path) -> Side:
    """What a path of `compare` stands for. Raises UsageError where it is nothing, BundleError where it is broken."""
    side = Side(printable(path))
    if path.is_dir() and (path / "bench.json").exists():
        path = path / "bench.json"
    if not path.is_dir():
        data = read_json(path, MAX_BENCH_BYTES)
        if isinstance(data, dict) and data.get("kind") == "exam2bench.bench":
            _take_bench(side, parse_record(data, Bench, printable(path)), path.parent)
        else:
            _take_report(side, data, path)
        return side
    files = sorted(file for file in path.glob("*.json") if file.is_file())
    if not files:
        raise UsageError(f"{printable(path)} holds neither a bench.json nor reports (*.json)")
    for file in files:
        _take_report(side, read_json(file, MAX_BENCH_BYTES), file)
    return side


def _take_report(side: Side, data: Any, file: Path) -> None:
    if not isinstance(data, dict) or "results" not in data:
        raise BundleError(f"{printable(file)} is neither a report nor a bench: it has no results")
    report = parse_record(data, Report, printable(file))
    side.add(report, report.taker or file.stem.removesuffix(".report"), file)


def _take_bench(side: Side, bench: Bench, folder: Path) -> None:
    for exam in bench.exams:
        side.entries[exam.bundle_digest] = exam.questions
    for run in bench.runs:
        if run.status == "done" and not run.blind and run.report:
            file = inside(folder, run.report)
            side.add(parse_record(read_json(file, MAX_BENCH_BYTES), Report, printable(file)), run.model, file)


# the same questions


@dataclass(frozen=True)
class Common:
    """Questions that both sides have, by A's key: B's key. `left_out`: how many A or B have alone or changed."""

    keys: dict[Key, Key]
    left_out: int
    same_digest: bool


def common_questions(a: Side, b: Side, exams: Iterable[ExamEntry], *, only_unchanged: bool) -> Common:
    """Raises UsageError where the sides are of different papers or keys, unless `only_unchanged`; then where nothing is
    known of a bundle's questions. `exams`: of bundles given beside."""
    both = [exam for exam in a.digests if exam in b.digests]
    # no digest on both sides is no proof that it is the same
    changed = [exam for exam in both if a.digests[exam] != b.digests[exam] or a.digests[exam] is None]
    if not only_unchanged:
        if not both:
            names = f"{_some(a.digests)} and {_some(b.digests)}"
            raise UsageError(f"A and B are of different exams, {names}: --common compares questions that both have")
        if changed:
            raise UsageError(_changed(changed[0], a, b))
    if both and not changed:
        keys = {key: key for key in a.possible if key in b.possible}
        return Common(keys, len(a.possible.keys() ^ b.possible.keys()), True)
    known = {exam.bundle_digest: exam.questions for exam in exams}
    first, second = (_by_digest(side, known) for side in (a, b))
    keys = {first[digest]: second[digest] for digest in first if digest in second}
    return Common(keys, len(a.possible) + len(b.possible) - 2 * len(keys), False)


def _changed(exam: str, a: Side, b: Side) -> str:
    """Why two sides are not comparable as they are."""
    for side in (a, b):
        if side.digests[exam] is None:
            return f"{side.name} does not say on which paper and key it was earned: it carries no digest"
    first, second = _mark(a.digests[exam]), _mark(b.digests[exam])
    return (
        f"{printable(exam)} has digest {first} in A and {second} in B, so paper or key has changed between them: "
        "--common compares the unchanged questions"
    )


def _by_digest(side: Side, known: Mapping[str, Mapping[str, QuestionEntry]]) -> dict[str, Key]:
    """The side's questions by their own digest; a question that stands twice cannot be told from its twin."""
    found: list[tuple[str, Key]] = []
    for exam, digest in side.digests.items():
        entries = side.entries.get(digest or "") or known.get(digest or "")
        if entries is None:
            raise UsageError(
                f"{side.name} does not say what the questions of {printable(exam)} (digest {_mark(digest)}) are, so "
                "none can be shown to be unchanged: give that version of the bundle with --bundle"
            )
        mine = [name for owner, name in side.possible if owner == exam and name in entries]
        found += [(entries[name].digest, (exam, name)) for name in mine]
    counts = Counter(digest for digest, _ in found)
    return {digest: key for digest, key in found if counts[digest] == 1}


def _mark(digest: str | None) -> str:
    return f"{digest[:12]}…" if digest else "none"


def _some(names: Iterable[str]) -> str:
    names = list(names)
    return printable(", ".join(names[:3]) + (" …" if len(names) > 3 else ""))


# the comparison


def compare(a: Side, b: Side, exams: Sequence[ExamEntry] = (), *, only_unchanged: bool = False) -> Comparison:
    """A less B for every taker that both have, or, where they share none, for each of A against each of B."""
    common = common_questions(a, b, exams, only_unchanged=only_unchanged)
    facts, findings = _facts(a, b, common, exams)
    sides = _paired_takers(a, b)
    results: list[tuple[str, str, PairedResult]] = []
    moved = []
    for first, second in sides:
        mine, theirs = a.points(first), b.points(second)
        left = {key: mine[key] for key in common.keys if key in mine}
        right = {key: theirs[other] for key, other in common.keys.items() if other in theirs}
        result = compared(left, right, facts)
        if result is None:
            findings.append(warning("compare.nothing", f"{first} and {second} share no graded question"))
            continue
        results.append((first, second, result))
        moved.append(_moved(left, right, facts))
    if not results:
        raise UsageError("A and B share no question that both have graded")
    if any(result.difference.small for _, _, result in results):
        few = min(result.difference.clusters for _, _, result in results)
        findings.append(warning("compare.few_groups", f"only {few} {facts.unit}s: the interval may be too narrow"))
    rows = corrected(results)
    return Comparison(
        a=a.name,
        b=b.name,
        same_digest=common.same_digest,
        questions=len(common.keys),
        left_out=common.left_out,
        pairs=[ComparedPair(row=row, moved=one) for row, one in zip(rows, moved, strict=True)],
        findings=findings,
    )


def _paired_takers(a: Side, b: Side) -> list[tuple[str, str]]:
    shared = [name for name in a.takers if name in b.takers]
    if shared:
        return [(name, name) for name in shared]
    return [(first, second) for first in a.takers for second in b.takers]


def _facts(a: Side, b: Side, common: Common, exams: Iterable[ExamEntry]) -> tuple[Facts, list[Finding]]:
    """What clusters the common questions: known from a bench or a bundle, else every question stands alone."""
    known = {exam.bundle_digest: exam.questions for exam in exams}
    questions: dict[Key, QuestionEntry] = {}
    alone = 0
    for key, other in common.keys.items():
        entry = _entry(a, key, known) or _entry(b, other, known)
        if entry is None:
            alone += 1
            entry = QuestionEntry(
                digest="", type=UNKNOWN_TYPE, section="", group=key[1], max_points=0.0, decided_by="rule"
            )
        questions[key] = entry.model_copy(update={"max_points": a.possible[key]})
    found = []
    if alone:
        told = f"the stimulus groups of {alone} questions are not known: each counts as independent of the others"
        found.append(info("compare.no_groups", told, hint="give the bundle with --bundle"))
    return Facts(questions), found


def _entry(side: Side, key: Key, known: Mapping[str, Mapping[str, QuestionEntry]]) -> QuestionEntry | None:
    digest = side.digests.get(key[0]) or ""
    return (side.entries.get(digest) or known.get(digest) or {}).get(key[1])


def _moved(left: Mapping[Key, float], right: Mapping[Key, float], facts: Facts) -> list[Moved]:
    """The questions that differ, largest loss of A's share first."""
    keys = [key for key in left if key in right and abs(left[key] - right[key]) > 1e-9]
    keys.sort(key=lambda key: (left[key] - right[key]) / facts.possible(key))
    return [
        Moved(exam_id=key[0], question=key[1], a=left[key], b=right[key], possible=facts.possible(key)) for key in keys
    ]
