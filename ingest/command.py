"""Read exam PDFs and images (papers, answer keys, mark schemes, solutions) into a bundle. No model, no network.

example: exam2bench ingest paper.pdf key.pdf -o my-exam
         exam2bench ingest paper.pdf scans.pdf -o my-exam --role scans.pdf=markscheme --pages paper.pdf=1-8
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from ..schemas.errors import UsageError
from ..schemas.manifest import SourceRole
from ..schemas.printable import printable

if TYPE_CHECKING:
    from .engine import Ingested, IngestOptions

_ROLES = get_args(SourceRole)
_SHOWN = 8
"""Findings written out in the plain report; all of them are in the manifest."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("sources", nargs="+", type=Path, metavar="SOURCE", help="PDFs, images (png, jpeg, webp, tiff)")
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="BUNDLE", help="folder of the new bundle")
    parser.add_argument(
        "--role",
        action="append",
        default=[],
        metavar="FILE=ROLE",
        help=f"what a file is, where reading it does not tell: {', '.join(_ROLES)}",
    )
    parser.add_argument("--password", metavar="P", help="password of encrypted sources")
    parser.add_argument("--pages", action="append", default=[], metavar="FILE=1-4,7", help="read only these pages")
    parser.add_argument(
        "--ocr",
        choices=("auto", "off", "force"),
        default="auto",
        help="OCR for pages without a usable text layer (auto), never, or for all pages",
    )
    parser.add_argument("--language", metavar="TAG", help="language of the paper (BCP-47), if reading it does not tell")
    parser.add_argument("--json", action="store_true", help="the result as JSON, all findings included")
    parser.add_argument("--force", action="store_true", help="replace an existing bundle")


def run(args: argparse.Namespace) -> int:
    from ..schemas.bundle import check_target, save_bundle
    from .engine import ingest

    options = _options(args)
    check_target(args.output, force=args.force)
    progress = _Bar(sys.stderr)
    try:
        result = ingest(args.sources, options, progress.show)
    finally:
        progress.clear()
    try:
        save_bundle(args.output, result.exam, result.grading, result.manifest, result.assets, force=args.force)
    except OSError as error:
        raise UsageError(f"{printable(args.output)} cannot be written: {error.strerror or error}") from error
    summary = summarise(result, args.output)
    if args.json:
        print(json.dumps(summary, ensure_ascii=False, indent=2))
    else:
        print("\n".join(_plain(summary)))
    return 1 if summary["findings_by_severity"]["error"] else 0


def _options(args: argparse.Namespace) -> IngestOptions:
    from .engine import IngestOptions
    from .pages.sources import parse_pages

    roles: dict[str, Any] = {}
    for told in args.role:
        name, _, role = told.rpartition("=")
        if not name or role not in _ROLES:
            raise UsageError(f"--role {told}: give FILE=ROLE with one of {', '.join(_ROLES)}")
        roles[name] = role
    pages: dict[str, set[int]] = {}
    for told in args.pages:
        name, numbers = parse_pages(told)
        pages[name] = pages.get(name, set()) | numbers
    return IngestOptions(roles=roles, pages=pages, password=args.password, ocr=args.ocr, language=args.language)


class _Bar:
    """One line of progress on a terminal; silence in a pipe."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.live = stream.isatty()

    def show(self, stage: str, done: int, total: int) -> None:
        if self.live:
            count = f" {done + 1}/{total}" if total > 1 else ""
            self.stream.write(f"\r\x1b[2K{stage}{count} …")
            self.stream.flush()

    def clear(self) -> None:
        if self.live:
            self.stream.write("\r\x1b[2K")
            self.stream.flush()


def summarise(result: Ingested, bundle: Path) -> dict[str, Any]:
    """What was found, as plain numbers and the findings: the `--json` output."""
    exam, manifest = result.exam, result.manifest
    leaves = list(exam.leaves())
    rules = result.grading.questions
    judged = [leaf for leaf in leaves if leaf.id not in rules or rules[leaf.id].rule.kind == "judge"]
    covered = manifest.coverage
    words = covered.words if covered else 0
    return {
        "bundle": str(bundle),
        "exam_id": exam.exam_id,
        "title": exam.title,
        "language": exam.language,
        "sources": [source.model_dump(mode="json") for source in manifest.sources],
        "sections": len(exam.sections),
        "questions": len(leaves),
        "questions_by_type": dict(sorted(Counter(leaf.type for leaf in leaves).items())),
        "total_points": exam.total_points,
        "graded_by_rule": len(leaves) - len(judged),
        "graded_by_judge": len(judged),
        "judged_without_reference": sum(leaf.id in rules and not rules[leaf.id].anchored for leaf in judged),
        "figures": _figure_count(result),
        "coverage": round(1 - covered.unassigned / words, 4) if covered and words else None,
        "checks": dict(sorted(Counter(leaf.checks.status for leaf in leaves if leaf.checks).items())),
        "findings_by_severity": _by_severity(result),
        "findings": [finding.model_dump(mode="json", exclude_none=True) for finding in manifest.findings],
    }


def _by_severity(result: Ingested) -> dict[str, int]:
    counts = Counter(finding.severity for finding in result.manifest.findings)
    return {severity: counts[severity] for severity in ("error", "warning", "info")}


def _figure_count(result: Ingested) -> int:
    return sum(".fig" in name for name in result.assets)


def _plain(summary: dict[str, Any]) -> list[str]:
    """The summary as sentences for a person."""
    kinds = ", ".join(f"{n} {kind.replace('_', ' ')}" for kind, n in summary["questions_by_type"].items())
    sources = ", ".join(f"{source['path']} ({source['role']})" for source in summary["sources"])
    lines = [
        f"{printable(summary['title'])} [{summary['language']}], from {printable(sources)}",
        f"{_many(summary['questions'], 'question')} in {_many(summary['sections'], 'section')}"
        f"{f' ({kinds})' if kinds else ''}, {summary['total_points']:g} points, {_many(summary['figures'], 'figure')}",
    ]
    if summary["questions"]:
        line = f"{summary['graded_by_rule']} graded by rule, {summary['graded_by_judge']} by a judge"
        if summary["judged_without_reference"]:
            line += f" ({summary['judged_without_reference']} of them without an official answer)"
        lines.append(line)
    if summary["coverage"] is not None:
        verified = summary["checks"].get("verified", 0)
        lines.append(
            f"{summary['coverage']:.1%} of the paper's words accounted for; "
            f"the text of {verified} of {summary['questions']} questions found word for word on the page"
        )
    lines += _finding_lines(summary)
    lines.append(f"written to {printable(summary['bundle'])}")
    return lines


def _finding_lines(summary: dict[str, Any]) -> list[str]:
    counts = summary["findings_by_severity"]
    total = sum(counts.values())
    if not total:
        return ["nothing to report"]
    told = ", ".join(_many(n, "remark" if name == "info" else name) for name, n in counts.items() if n)
    lines = [f"{told}:"]
    names = [source["path"] for source in summary["sources"]]
    lines += [
        f"  {finding['severity']}: {printable(_placed(finding, names))}" for finding in summary["findings"][:_SHOWN]
    ]
    if total > _SHOWN:
        lines.append(f"  … and {total - _SHOWN} more in {printable(summary['bundle'])}/manifest.json")
    return lines


def _placed(finding: dict[str, Any], names: list[str]) -> str:
    """The finding's sentence, with file and page (from 1) in front where it does not name the file itself."""
    source, page = finding["where"].get("source"), finding["where"].get("page")
    if source is None or names[source] in finding["message"]:
        return finding["message"]
    place = names[source] if page is None else f"{names[source]}, page {page + 1}"
    return f"{place}: {finding['message']}"


def _many(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
