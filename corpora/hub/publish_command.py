"""Publish bundles as a dataset on the Hugging Face Hub. Built and proved in a folder first, then one commit.

example: exam2bench publish my-exam user/exams --license cc-by-4.0
         exam2bench publish exams/* user/exams --license cc-by-4.0 --sealed
         exam2bench publish my-exam user/exams --license cc-by-4.0 --staging build/exams --dry-run
         exam2bench publish user/exams --remove my-exam

Each bundle becomes a subset of that name: a table with one row a question for the viewer, the bundle itself beside it.
The token comes from HF_TOKEN. --dry-run builds and proves without any network.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...schemas.errors import UsageError
from ...schemas.printable import printable, printable_json
from .licences import hub_licence
from .names import check_name, check_repo, name_from
from .telling import Telling

if TYPE_CHECKING:
    from .publishing import Built, Order

SHOWN_NOTES = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "exam2bench publish BUNDLE... USER/NAME [--license ID] [options]"
    parser.add_argument(
        "places", nargs="+", metavar="BUNDLE... REPO", help="bundles' folders, then the dataset repository USER/NAME"
    )
    parser.add_argument("--name", metavar="N", help="name of a single bundle there (default: its folder's name)")
    parser.add_argument(
        "--remove", action="append", default=[], metavar="NAME", help="take this bundle out of the repository"
    )
    parser.add_argument("--private", action="store_true", help="a repository that this creates is private")
    parser.add_argument("--license", metavar="ID", help="licence that the dataset is published under: cc-by-4.0, …")
    parser.add_argument("--sealed", action="store_true", help="encrypt keys and rubrics; the passphrase is on the card")
    parser.add_argument("--passphrase", metavar="TEXT", help="of the seal (default: the card's, else a fresh one)")
    parser.add_argument(
        "--for-any-to-bench", action="store_true", help="in the form that any-to-bench reads: pictures as single files"
    )
    parser.add_argument(
        "--eval-framework", metavar="ID", help="write eval.yaml, for the Hub's own benchmarks; updated from then on"
    )
    parser.add_argument("--staging", type=Path, metavar="DIR", help="build here, and keep it")
    parser.add_argument("--dry-run", action="store_true", help="build and prove, upload nothing; no network")
    parser.add_argument("--replace-revision", action="store_true", help="move a revision's tag to another paper or key")
    parser.add_argument("--publish-without-known-rights", action="store_true", help="you answer for the rights")
    parser.add_argument("--publish-with-errors", action="store_true", help="although `validate` finds errors")
    parser.add_argument("--json", action="store_true", help="print what was built and published as JSON")


def run(args: argparse.Namespace) -> int:
    from .publishing import CARD, build, push
    from .staging import check_staging
    from .subject import subject

    order = _order(args)
    if args.staging:
        check_staging(args.staging)
    for name, path in order.bundles.items():
        # what will be refused is refused before anything is built or asked
        subject(path, name, order.terms)
    with _folder(args.staging) as folder, Telling() as telling:
        if args.dry_run:
            file = folder / CARD
            card = file.read_text("utf-8") if file.is_file() else None
            built = build(folder, order, card, telling)
            _tell_notes(telling, built)
            _report(args, order, built, commit=None)
            return 0
        from .remote import Remote

        remote = Remote(order.repo)
        built = build(folder, order, _remote_card(remote, order), telling)
        if order.bundles:
            remote.create(private=order.private)
        commit = push(remote, order, built, telling)
        _tell_notes(telling, built)
        _report(args, order, built, commit)
    return 0


def _order(args: argparse.Namespace) -> Order:
    from .publishing import Order
    from .subject import Terms

    *paths, repo = args.places
    check_repo(repo)
    if not paths and not args.remove:
        raise UsageError("give the bundles' folders and then the repository: exam2bench publish my-exam user/exams")
    if args.name and len(paths) != 1:
        raise UsageError("--name names one bundle; several take their folders' names")
    bundles: dict[str, Path] = {}
    for path in map(Path, paths):
        name = check_name(args.name) if args.name else name_from(path.resolve().name)
        if name in bundles:
            raise UsageError(f"{printable(bundles[name])} and {printable(path)} would both be named {name}")
        bundles[name] = path
    removed = tuple(check_name(name) for name in dict.fromkeys(args.remove))
    if both := sorted(set(removed) & set(bundles)):
        raise UsageError(f"{both[0]} cannot be published and removed at once")
    if args.passphrase and not args.sealed:
        raise UsageError("--passphrase goes with --sealed")
    terms = Terms(
        licence=None if args.license is None else hub_licence(args.license),
        sealed=args.sealed,
        for_any_to_bench=args.for_any_to_bench,
        with_errors=args.publish_with_errors,
        without_rights=args.publish_without_known_rights,
    )
    return Order(
        repo, bundles, removed, terms, args.private, args.eval_framework, args.passphrase, args.replace_revision
    )


@contextmanager
def _folder(staging: Path | None) -> Iterator[Path]:
    if staging:
        yield staging
        return
    with tempfile.TemporaryDirectory(prefix="exam2bench-publish-") as name:
        yield Path(name) / "dataset"


def _remote_card(remote: Any, order: Order) -> str | None:
    """The repository's card; None where there is none, or no repository yet."""
    from .front_matter import MAX_CARD_BYTES
    from .publishing import CARD

    if order.bundles and not remote.exists():
        return None
    head = remote.head()
    if remote.moved_to:
        raise UsageError(f"{order.repo} has been renamed: publish to {remote.moved_to}")
    with tempfile.TemporaryDirectory() as scratch:
        return remote.read(head, CARD, MAX_CARD_BYTES, Path(scratch))


def _tell_notes(telling: Telling, built: Built) -> None:
    for note in built.notes[:SHOWN_NOTES]:
        telling.note(f"note: {note}")
    if len(built.notes) > SHOWN_NOTES:
        telling.note(f"note: and {len(built.notes) - SHOWN_NOTES} more of that kind")


def _report(args: argparse.Namespace, order: Order, built: Built, commit: str | None) -> None:
    if args.json:
        record = {
            "repo": order.repo,
            "commit": commit,
            "staging": str(args.staging) if args.staging else None,
            "bundles": [
                {
                    "name": one.name,
                    "questions": one.rows,
                    "revision": built.revisions[one.name][0],
                    "digest": built.revisions[one.name][1],
                    "files": len(one.files),
                    "bytes": sum(path.stat().st_size for path in one.files),
                    "written": [path.relative_to(built.folder).as_posix() for path in one.written],
                }
                for one in built.staged
            ],
            "removed": list(order.removed),
        }
        print(printable_json(json.dumps(record, ensure_ascii=False, indent=2)))
        return
    for one in built.staged:
        size = sum(path.stat().st_size for path in one.files) / 1e6
        revision, digest = built.revisions[one.name]
        sealed = ", key sealed" if order.terms.sealed else ""
        print(f"{one.name}: {one.rows} questions, revision {revision}, {len(one.files)} files, {size:.1f} MB{sealed}")
        print(f"  digest {digest}")
    for name in order.removed:
        print(f"{name}: removed")
    if commit:
        print(f"published: {order.repo}@{commit}")
    else:
        where = f" in {printable(args.staging)}" if args.staging else ""
        print(f"built and proved{where}; nothing was uploaded, {order.repo} was not asked")
