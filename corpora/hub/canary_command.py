"""Find exam2bench's canaries in files, or put one into a bundle.

example: exam2bench canary check training-data/
         exam2bench canary add my-exam

`check` looks into every file, into parquet tables and zip and gzip archives too, and prints each canary with where it
stands. Exit code 1 where none is found; with --all where a file is without one. `add` puts the bundle's canary into
its four files; the digest, and with it every score, stays what it is.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from ...schemas.errors import UsageError
from ...schemas.printable import printable, printable_json

SHOWN = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="check|add")
    check = actions.add_parser("check", help="find canaries in files and folders")
    check.add_argument("paths", nargs="+", type=Path, metavar="FILE_OR_DIR")
    check.add_argument("--all", action="store_true", help="exit 1 where any file is without a canary")
    check.add_argument("--json", action="store_true", help="every file with its canaries, as JSON")
    add = actions.add_parser("add", help="put the canary into a bundle's files")
    add.add_argument("bundle", type=Path, metavar="BUNDLE")


def run(args: argparse.Namespace) -> int:
    return _add(args.bundle) if args.action == "add" else _check(args)


def _check(args: argparse.Namespace) -> int:
    from .canaries import scan

    missing = [path for path in args.paths if not path.exists()]
    if missing:
        raise UsageError(f"{printable(missing[0])}: no such file or folder")
    looks = list(scan(args.paths))
    found: dict[str, list[Path]] = {}
    for look in looks:
        for guid in look.canaries:
            found.setdefault(guid, []).append(look.path)
    bare = [look for look in looks if not look.canaries]
    if args.json:
        files = [
            {"file": printable(look.path, 1000), "canaries": list(look.canaries), "unread": look.unread}
            for look in looks
        ]
        print(printable_json(json.dumps({"canaries": sorted(found), "files": files}, ensure_ascii=False, indent=2)))
    else:
        for guid, paths in sorted(found.items()):
            print(f"{guid}  in {len(paths)} of {len(looks)} files")
            print("".join(f"  {printable(path)}\n" for path in paths[:SHOWN]), end="")
            print(f"  … and {len(paths) - SHOWN} more\n" if len(paths) > SHOWN else "", end="")
        if not found:
            print(f"no canary in {len(looks)} files")
        elif bare:
            print(f"without a canary: {', '.join(printable(look.path) for look in bare[:5])}" + _more(len(bare) - 5))
    for look in looks:
        if look.unread:
            print(f"{printable(look.path)}: {look.unread}", file=sys.stderr)
    return 1 if not found or (args.all and bare) else 0


def _more(count: int) -> str:
    return f" and {count} more" if count > 0 else ""


def _add(path: Path) -> int:
    from ...schemas.bundle import load_bundle
    from ...schemas.canary import canary_of, is_canary, stamped
    from ...schemas.json_files import write_text

    bundle = load_bundle(path)
    manifest = bundle.manifest
    if bundle.sealed:
        raise UsageError(f"{printable(path)} is sealed: it was published, and carries its canary")
    known = manifest.canary if manifest.canary and is_canary(manifest.canary) else None
    canary = known or canary_of(bundle.exam.exam_id, [source.sha256 for source in manifest.sources])
    # the manifest last: it says that all of them have it
    for name in ("exam.json", "grading.json", "answer_schema.json", "manifest.json"):
        file = path / name
        write_text(file, stamped(file.read_text("utf-8"), canary, name))
    print(f"{printable(path)}: {canary.rpartition(' ')[2]} in four files; the digest stays {bundle.digest()[:16]}…")
    return 0
