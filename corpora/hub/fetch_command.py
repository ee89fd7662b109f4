"""Fetch a bundle from a dataset on the Hugging Face Hub, pinned to a commit and checked by its digest.

example: exam2bench fetch user/exams --name harbour -o harbour
         exam2bench fetch user/exams@harbour-r2 --name harbour -o harbour
         exam2bench fetch user/exams --list

Also fetches what any-to-bench published. The manifest keeps repository and commit; answer sheets and reports carry
them on. A token for private and gated datasets comes from HF_TOKEN. Exit code 1 where the bundle has errors.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from ...schemas.errors import UsageError
from ...schemas.printable import printable, printable_json
from .names import split_revision
from .telling import Telling


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("repo", metavar="REPO[@REVISION]", help="USER/NAME and a commit, tag or branch (main)")
    parser.add_argument("--name", metavar="N", help="which bundle (default: the only one)")
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help="folder of the bundle")
    parser.add_argument("--list", action="store_true", help="print the names of the bundles there, fetch nothing")
    parser.add_argument("--unsealed", action="store_true", help="write a sealed key in clear, to amend it")
    parser.add_argument("--force", action="store_true", help="replace a bundle that is there; sheets and reports stay")
    parser.add_argument("--json", action="store_true", help="print what was fetched, with its findings, as JSON")


def run(args: argparse.Namespace) -> int:
    from .fetching import bundle_list, fetch
    from .remote import Remote

    repo, revision = split_revision(args.repo)
    if bool(args.list) == bool(args.output):
        raise UsageError("give -o DIR, or --list to see the names")
    remote = Remote(repo)
    if args.list:
        commit = remote.head(revision)
        names = bundle_list(remote, commit)
        record = {"repo": remote.moved_to or repo, "commit": commit, "bundles": names}
        print(printable_json(json.dumps(record, indent=2)) if args.json else "\n".join(names))
        return 0
    with Telling() as telling:
        arrived = fetch(remote, revision, args.name, args.output, telling, force=args.force, unsealed=args.unsealed)
    errors = sum(finding.severity == "error" for finding in arrived.findings)
    if args.json:
        record = {
            "bundle": str(arrived.folder),
            "source": arrived.source.pin(),
            "digest": arrived.digest,
            "digest_stated": arrived.stated,
            "sealed": arrived.sealed,
            "findings": [finding.model_dump(mode="json") for finding in arrived.findings],
        }
        print(printable_json(json.dumps(record, ensure_ascii=False, indent=2)))
        return 1 if errors else 0
    print(f"{printable(arrived.folder)}: {arrived.source.name} from {arrived.source.repo}@{arrived.source.revision}")
    about = "as its manifest states" if arrived.stated else "computed here; the repository states none"
    print(f"  digest {arrived.digest} ({about}){', key sealed' if arrived.sealed else ''}")
    if errors:
        print(f"  {errors} errors: exam2bench validate {printable(arrived.folder)}")
    return 1 if errors else 0
