"""Write a bundle for another tool: any-to-bench, inspect_ai, lm-eval, EvalScope, QTI 3, CSV or JSON Lines.

example: exam2bench export my-exam --to inspect -o my-exam-inspect
         exam2bench export my-exam --to any-to-bench --sheet answers.json -o my-exam-a2b
"""

from __future__ import annotations

import argparse
import json
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...schemas.bundle import Bundle
    from ...schemas.findings import Finding

# format: (module of this package, its function (bundle, folder) -> findings, what it is)
FORMATS: dict[str, tuple[str, str, str]] = {
    "any-to-bench": ("any_to_bench", "export", "a bundle with common rule kinds only"),
    "inspect": ("inspect_task", "export", "a task.py for `inspect eval`"),
    "lm-eval": ("lm_eval_task", "export", "a task for `lm_eval --include_path`"),
    "evalscope": ("evalscope_files", "export", "EvalScope's general choice and question-answer files"),
    "qti": ("qti_package", "export", "a QTI 3 package for learning platforms"),
    "csv": ("tables", "export_csv", "one row per question"),
    "jsonl": ("tables", "export_jsonl", "one JSON object per question"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    formats = "; ".join(f"{name}: {what}" for name, (_, _, what) in FORMATS.items())
    parser.add_argument("bundle", type=Path, metavar="BUNDLE")
    parser.add_argument("--to", required=True, choices=FORMATS, metavar="FORMAT", help=formats)
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="DIR", help="a new folder")
    parser.add_argument(
        "--sheet", action="append", default=[], type=Path, metavar="FILE", help="any-to-bench: convert this sheet too"
    )
    parser.add_argument("--force", action="store_true", help="replace an earlier export")
    parser.add_argument("--json", action="store_true", help="what was written and what was lost, as JSON")


def run(args: argparse.Namespace) -> int:
    from ...schemas.bundle import load_bundle
    from ...schemas.errors import UsageError
    from .folder import export_folder

    if args.sheet and args.to != "any-to-bench":
        raise UsageError(f"--sheet belongs to --to any-to-bench: sheets of {args.to} need no conversion")
    bundle = load_bundle(args.bundle)
    if bundle.sealed:
        raise UsageError(f"{args.bundle} is sealed: an export would write its key in clear")
    module, function, _ = FORMATS[args.to]
    export = getattr(import_module(f".{module}", __package__), function)
    with export_folder(args.output, bundle, args.to, force=args.force) as folder:
        findings = export(bundle, folder)
        if args.sheet:
            _convert_sheets(bundle, args.sheet, folder)
    _tell(args, findings)
    return 0


def _convert_sheets(bundle: Bundle, sheets: list[Path], folder: Path) -> None:
    from ...schemas.errors import BundleError, UsageError
    from ...schemas.json_files import read_json
    from ...schemas.printable import printable
    from .any_to_bench import in_common_kinds, sheet_for
    from .folder import write_json

    common = in_common_kinds(bundle)
    (folder / "sheets").mkdir()
    for path in sheets:
        if not path.is_file():
            raise UsageError(f"{printable(path)}: no such answer sheet")
        sheet = read_json(path)
        if not isinstance(sheet, dict) or not isinstance(sheet.get("answers"), dict):
            raise BundleError(f"{printable(path)} is no answer sheet")
        if (folder / "sheets" / path.name).exists():
            raise UsageError(f"two sheets are called {printable(path.name)}: give them different names")
        write_json(folder / "sheets" / path.name, sheet_for(sheet, common))


def _tell(args: argparse.Namespace, findings: list[Finding]) -> None:
    if args.json:
        told = [finding.model_dump(mode="json", exclude_none=True) for finding in findings]
        print(
            json.dumps({"format": args.to, "output": str(args.output), "findings": told}, ensure_ascii=False, indent=2)
        )
        return
    for finding in findings:
        where = f"{finding.where.question}: " if finding.where.question else ""
        print(f"{finding.severity}: {where}{finding.message}", file=sys.stderr)
    print(f"written to {args.output}")
