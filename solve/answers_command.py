"""Answers that another harness collected, as answer sheets for `exam2bench grade`.

  exam2bench answers import replies.jsonl --bundle build/exam -o answers.json
  exam2bench answers import table.csv --bundle build/exam --id-field qid --answer-field picked -o answers.json
  exam2bench answers import logs/2026-11-30_exam.eval --bundle build/exam -o sheets/
  exam2bench answers import samples_exam_2026-11-30.jsonl --bundle build/exam -o sheets/

Rows are (id, answer) or (id, what the model wrote); the format is told by the file. An answer that is an option's id, a
truth value or a text becomes that answer; a reply is kept and read when the sheet is graded. Several takers or sittings
in a file become several sheets. Unknown, doubled and missing questions are said, one line each; exit code 1 then."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..schemas.exam import Exam
    from ..schemas.findings import Finding
    from .importing.rows import Fields, ForeignAnswer
    from .importing.sheets import ImportedSheet

FORMATS = ("auto", "rows", "inspect", "lm-eval")
SHOWN_FINDINGS = 20
"""Findings of one sheet that are printed; --json has all of them."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=["import"], help="what to do")
    parser.add_argument("file", type=Path, metavar="FILE", help="JSONL, JSON, CSV, TSV, .eval, samples_*.jsonl")
    parser.add_argument("--bundle", type=Path, required=True, metavar="BUNDLE", help="the exam that was sat")
    parser.add_argument("-o", "--out", required=True, metavar="OUT", help="the sheet; a folder (name/) for several")
    parser.add_argument("--format", choices=FORMATS, default="auto", help="told by the file where it is not given")
    parser.add_argument("--taker", metavar="NAME", help="who answered, where the file does not say")
    for name, what in (
        ("id", "the question"),
        ("answer", "a finished answer"),
        ("raw", "what the taker wrote"),
        ("taker", "who answered"),
        ("epoch", "which sitting of a taker"),
    ):
        parser.add_argument(
            f"--{name}-field", metavar="FIELD", help=f"the field that holds {what} (doc.id: inside doc)"
        )
    parser.add_argument(
        "--missing",
        choices=["error", "skipped", "blank"],
        default="error",
        help="what a question that is not in the file is: ungraded (default), never asked, or left blank",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of lines")


def run(args: argparse.Namespace) -> int:
    from ..schemas.bundle import load_bundle, save_record
    from ..schemas.printable import printable
    from .importing.rows import Fields
    from .importing.sheets import foreign_sheets

    bundle = load_bundle(args.bundle)
    digest = bundle.digest()
    fields = Fields(args.id_field, args.answer_field, args.raw_field, args.taker_field, args.epoch_field)
    kind = _format(args.file) if args.format == "auto" else args.format
    answers = _answers(args.file, kind, fields, bundle.exam)
    taker = args.taker or (args.file.resolve().parent.name if kind == "lm-eval" else args.file.stem)
    sheets = foreign_sheets(answers, bundle.exam, digest, taker, args.missing)
    targets = _targets(sheets, args.out)
    common = _other_digest(args.file, kind, digest)
    rows = []
    for made, target in zip(sheets, targets, strict=True):
        made.sheet.bundle_source = bundle.manifest.source()
        save_record(target, made.sheet)
        rows.append(_row(made, target))
    if args.json:
        findings = [found.model_dump(mode="json") for found in common]
        print(json.dumps({"sheets": rows, "findings": findings}, ensure_ascii=False, indent=2))
    else:
        for row in rows:
            sitting = f", sitting {printable(row['epoch'])}" if row["epoch"] is not None else ""
            print(
                f"{printable(row['taker'])}{sitting}: {row['answers']} answers and {row['replies']} replies "
                f"to {row['questions']} questions -> {printable(row['sheet'])}"
            )
    failed = _tell(args.file.name, common)
    for made in sheets:
        failed = _tell(made.taker, made.findings) or failed
    return 1 if failed else 0


def _format(path: Path) -> str:
    """What a file is, by its ending and its first row."""
    from ..schemas.errors import BundleError
    from .importing.inspect_logs import is_log, json_log
    from .importing.lm_eval import is_sample
    from .importing.rows import checked_file, table_rows

    ending = checked_file(path).suffix.lower()
    if ending == ".eval":
        return "inspect"
    if ending == ".json":
        return "inspect" if is_log(json_log(path)) else "rows"
    first = next(iter(table_rows(path)), None)
    if first is None:
        raise BundleError(f"{path.name} holds no rows", "import.empty")
    return "lm-eval" if is_sample(first[1]) else "rows"


def _answers(path: Path, kind: str, fields: Fields, exam: Exam) -> Iterator[ForeignAnswer]:
    from .importing.inspect_logs import log_answers
    from .importing.lm_eval import sample_answers
    from .importing.rows import rows_answers

    if kind == "inspect":
        return log_answers(path)
    return sample_answers(path, fields, exam) if kind == "lm-eval" else rows_answers(path, fields)


def _targets(sheets: list[ImportedSheet], out: str) -> list[Path]:
    """Where each sheet goes. Raises UsageError where several would go into one file."""
    from ..schemas.errors import BundleError, UsageError

    if not sheets:
        raise BundleError("the file holds no answers", "import.empty")
    folder = Path(out)
    if len(sheets) == 1 and not out.endswith(("/", "\\")) and not folder.is_dir():
        return [folder]
    if folder.suffix == ".json" or folder.is_file():
        raise UsageError(f"the file has {len(sheets)} sheets (takers or sittings): give a folder, such as -o sheets/")
    names: list[str] = []
    for made in sheets:
        stem = _file_name(made.taker) + (f".{_file_name(made.epoch)}" if made.epoch is not None else "")
        again = sum(name.casefold() == stem.casefold() or name.startswith(f"{stem}~") for name in names)
        names.append(f"{stem}~{again + 1}" if again else stem)
    return [folder / f"{name}.json" for name in names]


def _file_name(text: str) -> str:
    """A name that every file system takes."""
    return "".join(sign if sign.isalnum() or sign in "-_+=" else "-" for sign in text)[:80].strip("-") or "taker"


def _other_digest(path: Path, kind: str, digest: str) -> list[Finding]:
    from ..schemas.findings import warning
    from .importing.inspect_logs import bundle_digest

    there = bundle_digest(path) if kind == "inspect" else None
    if there is None or there == digest:
        return []
    return [warning("import.other_digest", f"the log was made with the bundle {there[:12]}…, this is {digest[:12]}…")]


def _row(made: ImportedSheet, target: Path) -> dict[str, Any]:
    ends = made.sheet.outcomes or {}
    replies = sum(1 for name, end in ends.items() if end.raw and name not in made.sheet.answers)
    statuses: dict[str, int] = {}
    for end in ends.values():
        statuses[end.status] = statuses.get(end.status, 0) + 1
    return {
        "sheet": str(target),
        "taker": made.taker,
        "epoch": made.epoch,
        "questions": len(ends),
        "answers": len(made.sheet.answers),
        "replies": replies,
        "outcomes": statuses,
        "findings": [found.model_dump(mode="json") for found in made.findings],
    }


def _tell(name: str, findings: list[Finding]) -> bool:
    """Print findings to stderr. Returns whether one is more than a note."""
    from ..schemas.printable import printable

    for found in findings[:SHOWN_FINDINGS]:
        place = f" {found.where.question}" if found.where.question else ""
        print(f"{printable(name)}: {found.severity} {found.code}{place}: {found.message}", file=sys.stderr)
    if len(findings) > SHOWN_FINDINGS:
        print(f"{printable(name)}: and {len(findings) - SHOWN_FINDINGS} more (--json has all)", file=sys.stderr)
    return any(found.severity != "info" for found in findings)
