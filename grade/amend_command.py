"""Correct a bundle's key after it was published: a new revision with a changelog; the old bundle stays.

  exam2bench amend build/exam erratum.json -o build/exam-r2

The file says what changes, why, and on whose word:
  {"reason": "two options are right", "source": "board's erratum", "questions": {"q7": {"accept": ["D"]}}}
A change is one or more of correct, accept, void, points, levels, rule. `exam2bench regrade` takes reports along."""

from __future__ import annotations

import argparse
import json
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bundle", metavar="BUNDLE")
    parser.add_argument("amendment", type=Path, metavar="AMENDMENT", help="JSON file: reason, source, questions")
    parser.add_argument(
        "-o", "--output", required=True, type=Path, metavar="BUNDLE2", help="folder of the new revision"
    )
    parser.add_argument("--force", action="store_true", help="replace a bundle that is there")
    parser.add_argument("--json", action="store_true", help="print the changelog entry as JSON")


def run(args: argparse.Namespace) -> int:
    """Write the new revision. Raises UsageError for a change that does not fit, BundleError for unreadable files."""
    from ..schemas.bundle import check_target, load_bundle, save_bundle
    from ..schemas.errors import UsageError
    from ..schemas.json_files import read_record
    from ..schemas.moment import now
    from ..schemas.printable import printable
    from .amendment import Amendment, amended

    if args.output.resolve() == Path(args.bundle).resolve():
        raise UsageError("the new revision needs a folder of its own: reports are pinned to the old one")
    check_target(args.output, force=args.force)
    bundle = load_bundle(args.bundle)
    if bundle.sealed:
        raise UsageError("the key is sealed and amending writes it in clear: `exam2bench fetch --unsealed` it first")
    amendment = read_record(args.amendment, Amendment)
    exam, grading = amended(bundle, amendment, now())
    folder = bundle.root / "assets"
    names = sorted(file.relative_to(bundle.root).as_posix() for file in folder.rglob("*") if file.is_file())
    assets = {name: bundle.read_asset(name) for name in names}
    new = save_bundle(args.output, exam, grading, bundle.manifest, assets, force=args.force)
    entry = grading.amendments[-1]
    if args.json:
        print(json.dumps({**entry, "digest": new.manifest.digest}, ensure_ascii=False, indent=2))
        return 0
    print(f"revision {grading.revision} of {printable(exam.exam_id)}, {exam.total_points:g} points -> {args.output}")
    for name, change in entry["questions"].items():
        print(f"  {printable(name)}: {change['change']} ({printable(change['reason'])}; {printable(change['source'])})")
    return 0
