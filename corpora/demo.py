"""The sample exam from four PDFs to grades: no key, no network, a few seconds.

Reads a paper with its answer key and mark scheme, checks the bundle, grades three answer sheets, tries a scanned
page, and leaves everything in a folder to look at.

  exam2bench demo
  exam2bench demo -o my-demo
"""

from __future__ import annotations

import argparse
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..schemas.errors import BundleError, UsageError
from ..schemas.printable import printable

if TYPE_CHECKING:
    from ..grade.report import GradedSheet
    from ..ingest.engine import Ingested
    from ..schemas.bundle import Bundle
    from ..schemas.findings import Finding

SAMPLES = Path(__file__).parent / "samples"
PAPERS = ("paper.pdf", "key.pdf", "markscheme.pdf")
SHEETS = ("perfect.json", "half.json", "blank.json")
SCAN = "scan.pdf"
SHOWN = 5
"""Findings of one severity that are printed."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("exam2bench-demo"), metavar="DIR", help="folder for what it makes"
    )


def run(args: argparse.Namespace) -> int:
    """Run the demo into `args.output`. Returns 1 where the sample exam did not come out as it should."""
    folder: Path = args.output
    _check_folder(folder)
    _copy_samples(folder)
    print(f"The sample exam: {', '.join(PAPERS)}. No model and no network is used.\n")
    bundle, result = _ingest(folder)
    _say("1. Read", _reading(result))
    errors = _validate(bundle)
    graded = list(_grade(bundle, folder))
    _say("3. Graded three answer sheets", _grades(graded, bundle))
    _say(f"4. Tried {SCAN}, a photocopy of page 2 without any text in it", _scan(folder))
    _say(f"All of it is in {printable(folder)}", _left(folder))
    return 1 if errors else 0


def _say(head: str, lines: Iterable[str]) -> None:
    print("\n".join([head, *(f"   {line}" for line in lines)]) + "\n")


def _check_folder(folder: Path) -> None:
    """Replace an earlier demo, and nothing else. Raises UsageError."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise UsageError(f"{printable(folder)} exists and is not a folder: choose another -o")
    if any(folder.iterdir()) and not (folder / "sources" / SCAN).is_file():
        raise UsageError(f"{printable(folder)} holds other files: choose another -o")


def _copy_samples(folder: Path) -> None:
    for name in (*PAPERS, SCAN):
        _copy(name, folder / "sources")
    for name in SHEETS:
        _copy(name, folder / "sheets")


def _copy(name: str, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(SAMPLES / name, folder / name)


def _ingest(folder: Path) -> tuple[Bundle, Ingested]:
    from ..ingest.engine import ingest
    from ..schemas.bundle import save_bundle

    result = ingest([folder / "sources" / name for name in PAPERS])
    saved = save_bundle(folder / "bundle", result.exam, result.grading, result.manifest, result.assets, force=True)
    return saved, result


def _reading(result: Ingested) -> Iterator[str]:
    exam, grading = result.exam, result.grading.questions
    leaves = list(exam.leaves())
    judged = [leaf for leaf in leaves if grading[leaf.id].rule.kind in ("judge", "parts")]
    kinds = Counter(leaf.type.replace("_", " ") for leaf in leaves)
    points = sum(leaf.points for leaf in judged)
    yield f"“{printable(exam.title)}”: {len(leaves)} questions, {exam.total_points:g} points"
    yield ", ".join(f"{number} {kind}" for kind, number in kinds.most_common())
    fixed = exam.total_points - points
    yield f"{len(leaves) - len(judged)} questions ({fixed:g} points) have a fixed answer in the key"
    yield f"{len(judged)} questions ({points:g} points) are open: a judge picks a level, by mark scheme or model answer"
    coverage = result.manifest.coverage
    if coverage:
        yield f"{coverage.words - coverage.unassigned} of the paper's {coverage.words} words are accounted for"
    yield from _findings(result.manifest.findings)


def _findings(findings: Sequence[Finding]) -> Iterator[str]:
    serious = [finding for finding in findings if finding.severity != "info"]
    for finding in serious[:SHOWN]:
        yield f"in doubt: {printable(finding.message)}"
    if len(serious) > SHOWN:
        yield f"and {len(serious) - SHOWN} more doubts, all in bundle/manifest.json"


def _validate(bundle: Bundle) -> int:
    """Print what the check found; the number of errors."""
    from ..schemas.validation import validate_bundle

    found = validate_bundle(bundle.root)
    errors = [f"{finding.code}: {finding.message}" for finding in found if finding.severity == "error"]
    lines = errors[:SHOWN] or ["it keeps the contract: ids, points, keys, pictures, answer schema, digest"]
    _say("2. Checked the bundle", lines)
    return len(errors)


def _grade(bundle: Bundle, folder: Path) -> Iterator[GradedSheet]:
    from ..grade.plan import ExamPlan
    from ..grade.report import foreign_exam, grade_sheet
    from ..grade.sheets import read_sheet
    from ..schemas.json_files import write_text

    plan = ExamPlan.of(bundle)
    for name in SHEETS:
        sheet = read_sheet(folder / "sheets" / name)
        refused = foreign_exam(plan, sheet)
        if refused:
            raise BundleError(refused.message, refused.code)
        graded = grade_sheet(plan, sheet)
        write_text(folder / "reports" / name.replace(".json", ".report.json"), graded.text())
        yield graded


def _grades(graded: Sequence[GradedSheet], bundle: Bundle) -> Iterator[str]:
    from ..grade.report import mode_counts

    for one in graded:
        head, modes = one.head, mode_counts(one)
        assert head.bounds is not None
        line = f"{printable(head.taker):<24} {head.total_awarded:5g} of {head.total_max:g} points by rule"
        if head.ungraded_count:
            line += f"; with {head.ungraded_count} open answers: {head.bounds.low:g} to {head.bounds.high:g}"
        if modes.get("unanswered"):
            line += f"; {modes['unanswered']} not answered"
        yield line
    if any(one.head.ungraded_count for one in graded):
        yield "Open answers need a judge. None was asked here, so they are counted as ungraded, not as 0:"
        yield "the score is given as the least and the most that the sheet can have earned."
        sheets, bundle_name = printable(bundle.root.parent / "sheets"), printable(bundle.root)
        yield f"To ask one on this machine:  exam2bench grade {bundle_name} {sheets} -o judged --judge llama:judge"


def _scan(folder: Path) -> Iterator[str]:
    from ..ingest.engine import ingest

    result = ingest([folder / "sources" / SCAN])
    leaves = list(result.exam.leaves())
    if leaves:
        from ..schemas.bundle import save_bundle

        save_bundle(folder / "scan-bundle", result.exam, result.grading, result.manifest, result.assets, force=True)
        yield f"OCR read it: {len(leaves)} questions, without a key all left to a judge"
    yield from _unread(result.manifest.findings)


def _unread(findings: Sequence[Finding]) -> Iterator[str]:
    """What the reader says about pages that it could not read, with what to install."""
    for finding in findings:
        if finding.code.startswith("page."):
            hint = f" ({finding.hint})" if finding.hint else ""
            yield f"{printable(finding.message)}{hint}"


def _left(folder: Path) -> Iterator[str]:
    yield "sources/   the PDFs"
    yield "bundle/    the exam as data: exam.json, grading.json, answer_schema.json, manifest.json, assets/"
    yield "sheets/    the three answer sheets; reports/ their grades, question by question"
    if (folder / "scan-bundle").is_dir():
        yield "scan-bundle/  what OCR made of the photocopy"
    yield f"Look:  exam2bench show {printable(folder / 'bundle')} B.q1 --key"
