"""Make a bundle of a table of questions (JSON Lines or CSV) or of any-to-bench's bundle.

A table needs a question and an answer in each row; options stand in columns A, B, C … or in one `options` cell.
Pictures are named in the text as ![what it shows](assets/name.png), beside the table.

example: exam2bench import quiz.csv -o quiz --title "Unit 3" --language en
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", type=Path, metavar="SOURCE", help="a .jsonl or .csv file, or a bundle's folder")
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="BUNDLE")
    parser.add_argument("--title", metavar="TEXT", help="of the exam (default: the file's name)")
    parser.add_argument("--language", default="und", metavar="TAG", help="of the questions (BCP-47)")
    parser.add_argument("--force", action="store_true", help="replace an existing bundle")
    parser.add_argument("--json", action="store_true", help="what was made, and the findings, as JSON")


def run(args: argparse.Namespace) -> int:
    from ...schemas.bundle import check_target
    from ...schemas.printable import printable
    from .reading import import_bundle, import_table

    check_target(args.output, force=args.force)
    if args.source.is_dir():
        bundle = import_bundle(args.source, args.output, force=args.force)
    else:
        bundle = import_table(args.source, args.output, title=args.title, language=args.language, force=args.force)
    exam, findings = bundle.exam, bundle.manifest.findings
    leaves = list(exam.leaves())
    if args.json:
        told = [finding.model_dump(mode="json", exclude_none=True) for finding in findings]
        record = {"bundle": str(args.output), "exam_id": exam.exam_id, "questions": len(leaves), "findings": told}
        print(json.dumps(record, ensure_ascii=False, indent=2))
        return 0
    for finding in findings:
        print(f"{finding.severity}: {printable(finding.message)}")
    print(f"{printable(exam.title)}: {len(leaves)} questions, {exam.total_points:g} points")
    print(f"written to {printable(args.output)}")
    return 0
