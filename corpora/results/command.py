"""Keep and share results: one taker's scores over many papers, with what it takes to check them.

example: exam2bench results add results one.report.json two.report.json --sheet one.json --sheet two.json
         exam2bench results list results
         exam2bench results publish results user/exam-results
         exam2bench results fetch user/exam-results -o results

An entry holds reports, sheets and, with --cache FILE (of `exam2bench cache export`), the judges' verdicts: with those
anybody grades the sheets again for nothing. Two results folders are merged by copying entries; `results index` makes
the index anew.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .entry import ResultEntry
    from .store import Results


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    add = actions.add_parser("add", help="make an entry of one taker's reports")
    add.add_argument("folder", type=Path, metavar="DIR", help="the results folder")
    add.add_argument("reports", nargs="+", type=Path, metavar="REPORT")
    add.add_argument(
        "--sheet", action="append", default=[], type=Path, metavar="FILE", help="an answer sheet graded there"
    )
    add.add_argument("--cache", type=Path, metavar="FILE", help="the judges' verdicts: exam2bench cache export")
    add.add_argument("--name", metavar="N", help="the entry's folder (default: the taker)")
    add.add_argument("--setting", action="append", default=[], metavar="KEY=VALUE", help="how the taker was asked")
    add.add_argument("--note", metavar="TEXT")
    add.add_argument("--force", action="store_true", help="replace the entry")
    for name, told in (("list", "the entries, best first"), ("index", "check all entries, write index.json anew")):
        action = actions.add_parser(name, help=told)
        action.add_argument("folder", type=Path, metavar="DIR")
    publish = actions.add_parser("publish", help="send the entries to a dataset on the Hub, one commit")
    publish.add_argument("folder", type=Path, metavar="DIR")
    publish.add_argument("repo", metavar="REPO", help="USER/NAME")
    publish.add_argument("--private", action="store_true", help="where the repository is made by this")
    publish.add_argument("--replace", action="store_true", help="an entry that is there with another content gives way")
    fetch = actions.add_parser("fetch", help="bring entries from the Hub")
    fetch.add_argument("repo", metavar="REPO[@REVISION]")
    fetch.add_argument("-o", "--output", required=True, type=Path, metavar="DIR", help="the results folder")
    fetch.add_argument("--name", metavar="N", help="only this entry")
    for action in actions.choices.values():
        action.add_argument("--json", action="store_true")


def run(args: argparse.Namespace) -> int:
    return {"add": _add, "list": _list, "index": _index, "publish": _publish, "fetch": _fetch}[args.action](args)


def _add(args: argparse.Namespace) -> int:
    from ...schemas.errors import UsageError
    from .store import Material, add_entry

    settings = dict(pair.partition("=")[::2] for pair in args.setting)
    if any("=" not in pair for pair in args.setting):
        raise UsageError("--setting: give KEY=VALUE")
    material = Material(args.reports, args.sheet, args.cache, args.name, settings, args.note)
    entry = add_entry(args.folder, material, force=args.force)
    if args.json:
        print(json.dumps(entry.model_dump(mode="json"), ensure_ascii=False, indent=2))
    else:
        print("\n".join(_rows([entry])))
    return 0


def _list(args: argparse.Namespace) -> int:
    from .store import read_results

    return _shown(args, read_results(args.folder))


def _index(args: argparse.Namespace) -> int:
    from .store import rebuild_index

    return _shown(args, rebuild_index(args.folder))


def _shown(args: argparse.Namespace, found: Results) -> int:
    from ...schemas.printable import printable

    best = sorted(found.entries, key=lambda entry: (-entry.percentage, entry.name))
    if args.json:
        record = {
            "entries": [entry.model_dump(mode="json") for entry in best],
            "findings": [finding.model_dump(mode="json") for finding in found.findings],
        }
        print(json.dumps(record, ensure_ascii=False, indent=2))
    else:
        print("\n".join(_rows(best)) if best else "no results")
        for finding in found.findings:
            print(f"{finding.severity}: {printable(finding.message)}", file=sys.stderr)
    return 1 if found.findings else 0


def _rows(entries: list[ResultEntry]) -> list[str]:
    from ...schemas.printable import printable

    lines: list[str] = []
    for entry in entries:
        ungraded = sum(paper.ungraded_count for paper in entry.papers)
        told = f", {ungraded} ungraded" if ungraded else ""
        papers = f"{len(entry.papers)} paper{'s' if len(entry.papers) != 1 else ''}"
        lines.append(f"{entry.percentage:6.1f} %  {printable(entry.taker, 50)}  ({papers}{told})  {entry.name}")
    return lines


def _publish(args: argparse.Namespace) -> int:
    from ..hub.names import check_repo
    from ..hub.remote import Remote
    from .remote_results import publish_results

    remote = Remote(check_repo(args.repo))
    remote.create(private=args.private)
    sent = publish_results(remote, args.folder, _tell, replace=args.replace)
    if args.json:
        print(json.dumps({"repo": args.repo, "commit": sent.commit, "entries": sent.names}, indent=2))
    elif sent.names:
        print(f"{', '.join(sent.names)} published to {args.repo}@{sent.commit}")
    else:
        print(f"nothing to publish: {args.repo} has all of it")
    return 0


def _fetch(args: argparse.Namespace) -> int:
    from ..hub.names import split_revision
    from ..hub.remote import Remote
    from .remote_results import fetch_results
    from .store import rebuild_index

    repo, revision = split_revision(args.repo)
    commit, names = fetch_results(Remote(repo), revision, args.output, _tell, name=args.name)
    rebuild_index(args.output)
    if args.json:
        print(json.dumps({"repo": repo, "commit": commit, "entries": names}, indent=2))
    else:
        print(f"{len(names)} entries of {repo}@{commit} in {args.output}")
    return 0


def _tell(text: str) -> None:
    from ...schemas.printable import printable

    print(printable(text), file=sys.stderr)
