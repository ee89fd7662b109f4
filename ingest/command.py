"""Read exam PDFs and images (papers, answer keys, mark schemes, solutions) into a bundle.

By layout alone no model is asked and nothing leaves the machine. With --model a model reads the pages too: each word of
it is proved against the page and compared with the layout engine's reading.

example: exam2bench ingest paper.pdf key.pdf -o my-exam
         exam2bench ingest paper.pdf scans.pdf -o my-exam --role scans.pdf=markscheme --pages paper.pdf=1-8
         exam2bench ingest paper.pdf key.pdf -o my-exam --model anthropic:claude-opus-5 --dry-run
         exam2bench ingest --explain q12 my-exam
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from ..models.flags import add_model_flags
from ..schemas.errors import UsageError
from ..schemas.manifest import SourceRole
from ..schemas.printable import printable, printable_json

if TYPE_CHECKING:
    from .engine import Ingested, IngestOptions, RuleProver

_ROLES = get_args(SourceRole)
_SHOWN = 8
"""Findings written out in the plain report; all of them are in the manifest."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("sources", nargs="+", type=Path, metavar="SOURCE", help="PDFs, images (png, jpeg, webp, tiff)")
    parser.add_argument("-o", "--output", type=Path, metavar="BUNDLE", help="folder of the new bundle")
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
    parser.add_argument(
        "--engine",
        choices=("auto", "layout", "model"),
        default="auto",
        help="who reads: the layout engine alone, or a model beside it (auto: where --model is given)",
    )
    parser.add_argument("--witness", metavar="MODEL2", help="a second model, to estimate what the first one misses")
    parser.add_argument("--no-images", action="store_true", help="send text only, for models that cannot see")
    parser.add_argument("--explain", metavar="QUESTION", help="where each field of a question of BUNDLE came from")
    add_model_flags(parser)


def run(args: argparse.Namespace, prover: RuleProver | None = None) -> int:
    """`prover` grades answers by proposed rules: it comes from the room of grading, which this one may not enter."""
    if args.explain:
        return _explain(args)
    if args.output is None:
        raise UsageError("where to? Name the folder of the new bundle with -o BUNDLE")
    if args.engine == "layout" and args.model:
        raise UsageError("--engine layout asks no model: leave out --model, or say --engine auto")
    options = _options(args, prover)
    if args.engine == "model" or args.model:
        return _with_model(args, options)
    if args.witness or args.dry_run:
        raise UsageError(f"{'--witness' if args.witness else '--dry-run'} goes with a model: add --model")
    return _by_layout(args, options)


def _by_layout(args: argparse.Namespace, options: IngestOptions) -> int:
    from ..schemas.bundle import check_target
    from .engine import ingest

    check_target(args.output, force=args.force)
    progress = _Bar(sys.stderr)
    try:
        result = ingest(args.sources, options, progress.show)
    finally:
        progress.clear()
    return _finish(args, result)


def _with_model(args: argparse.Namespace, options: IngestOptions) -> int:
    from contextlib import ExitStack

    from ..models.flags import gateway_from
    from ..schemas.bundle import check_target
    from .frontier.asking import Asking
    from .frontier.limits import limits_for
    from .frontier.prepared import prepare
    from .frontier.run import ingest_with_model

    if not args.dry_run:
        check_target(args.output, force=args.force)
    progress = _Bar(sys.stderr)
    with ExitStack() as stack:
        asked: list[Asking] = []
        for name in filter(None, [args.model or "", args.witness]) if args.model else [None]:
            gateway = stack.enter_context(gateway_from(args, name))
            limits = limits_for(gateway.model, images=not args.no_images)
            asked.append(Asking(gateway, limits, args.effort))
        stack.callback(progress.clear)
        prepared = prepare(args.sources, options, progress.show)
        if args.dry_run:
            progress.clear()
            return _dry_run(args, prepared, asked)
        result = ingest_with_model(prepared, asked[0], asked[1] if len(asked) > 1 else None, progress.show)
    return _finish(args, result)


def _dry_run(args: argparse.Namespace, prepared: Any, asked: list[Any]) -> int:
    from .frontier.dry_run import planned

    plans = [planned(prepared, one) for one in asked]
    if args.json:
        print(printable_json(json.dumps([plan.as_dict() for plan in plans], ensure_ascii=False, indent=2)))
    else:
        print("\n\n".join(plan.text() for plan in plans))
    return 0


def _explain(args: argparse.Namespace) -> int:
    from ..schemas.bundle import load_bundle
    from .frontier.explain import explain, explained

    if len(args.sources) != 1:
        raise UsageError("--explain QUESTION takes one bundle: exam2bench ingest --explain q12 my-exam")
    told = explain(args.sources[0], args.explain)
    if args.json:
        print(printable_json(json.dumps(told, ensure_ascii=False, indent=2)))
    else:
        names = [source.path for source in load_bundle(args.sources[0]).manifest.sources]
        print("\n".join(explained(told, names)))
    return 0


def _finish(args: argparse.Namespace, result: Ingested) -> int:
    from ..schemas.bundle import save_bundle

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


def _options(args: argparse.Namespace, prover: RuleProver | None) -> IngestOptions:
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
    return IngestOptions(
        roles=roles,
        pages=pages,
        password=args.password,
        ocr=args.ocr,
        language=args.language,
        rule_prover=prover,
    )


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
    summary = {
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
    if manifest.reading is not None:
        summary["reading"] = manifest.reading.model_dump(mode="json", exclude={"origins"})
        summary["origins"] = dict(
            Counter(o.witness for told in manifest.reading.origins.values() for o in told.values())
        )
    return summary


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
    if "reading" in summary:
        lines += _reading_lines(summary)
    lines += _finding_lines(summary)
    lines.append(f"written to {printable(summary['bundle'])}")
    return lines


def _reading_lines(summary: dict[str, Any]) -> list[str]:
    """What the models did: fields by witness, a table of the stages, the second opinion."""
    reading, origins = summary["reading"], summary["origins"]
    told = ", ".join(
        f"{n} {'agreed on by both' if witness == 'both' else f'from {witness}'}"
        for witness, n in sorted(origins.items(), key=lambda item: -item[1])
    )
    told = "all agreed on by both" if set(origins) == {"both"} else told
    lines = [f"{_many(sum(origins.values()), 'field')}: {printable(told)}"]
    for model, stages in reading["stages"].items():
        lines.append(printable(model))
        lines.append(f"  {'pass':<10}{'calls':>6}{'cached':>8}{'tokens in':>11}{'out':>8}{'cost':>10}{'seconds':>9}")
        for name, stage in stages.items():
            cost = "?" if stage["cost_usd"] is None else f"${stage['cost_usd']:.4f}"
            lines.append(
                f"  {name:<10}{stage['calls']:>6}{stage['cache_hits']:>8}{stage['tokens_in']:>11}"
                f"{stage['tokens_out']:>8}{cost:>10}{stage['seconds']:>9.1f}"
            )
    opinion = reading["second_opinion"]
    return lines + [printable(line) for line in (opinion["lines"] if opinion else [])]


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
