"""Two reports or benches on the same paper and key: what differs, and whether the difference is real.

  exam2bench compare build/before/report.json build/after/report.json --bundle build/exam
  exam2bench compare benches/june benches/july --common

A and B are report.json files, folders of them, or benches. Takers that both have are compared with themselves; where
they share none, each of A with each of B. Differences are A less B. Another digest is refused; --common compares the
questions that did not change, which benches know by themselves and reports need both bundles for (--bundle)."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .compare import Comparison, Moved

SHOWN_MOVED = 12


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("a", type=Path, metavar="A", help="a report, a folder of reports, or a bench")
    parser.add_argument("b", type=Path, metavar="B")
    parser.add_argument("--common", action="store_true", help="compare the unchanged questions of different digests")
    parser.add_argument(
        "--bundle", nargs="+", action="extend", type=Path, default=[], metavar="BUNDLE", help="for stimulus groups"
    )
    parser.add_argument("--json", action="store_true", help="the comparison as JSON")


def run(args: argparse.Namespace) -> int:
    from ...schemas.bundle import load_bundle
    from ...schemas.json_files import dump_json
    from ...schemas.printable import printable_json
    from .compare import compare, read_side
    from .paper import exam_entry

    exams = [exam_entry(bundle, ()) for bundle in map(load_bundle, args.bundle)]
    result = compare(read_side(args.a), read_side(args.b), exams, only_unchanged=args.common)
    print(printable_json(dump_json(result)).rstrip("\n") if args.json else text(result))
    return 0


def text(result: Comparison) -> str:
    """The comparison for a terminal of 80 columns."""
    from .grid import wrapped
    from .tables import differences, finding_lines, percent, short_names

    (first, *others) = result.pairs
    takers = list(dict.fromkeys(name for pair in result.pairs for name in (pair.row.a, pair.row.b)))
    names = short_names(takers) if others or first.row.a == first.row.b else {first.row.a: "A", first.row.b: "B"}
    lines = [f"A: {_side(result.a, first.row.a, others)}", f"B: {_side(result.b, first.row.b, others)}"]
    told = f"{result.questions} questions compared"
    if result.left_out:
        told += f", {result.left_out} left out: changed, or on one side only"
    lines += wrapped(f"{told}. {'Same digest.' if result.same_digest else 'Different digests.'}")
    blocks = ["\n".join(lines), differences([pair.row for pair in result.pairs], names, "A less B").text()]
    if not others:
        if first.row.detectable is not None:
            told = (
                f"Smallest true difference that it finds in four of five tries: {percent(first.row.detectable)} points"
            )
            blocks[-1] += "\n" + "\n".join(wrapped(f"{told} of 100."))
        blocks.append(_moved(first.moved))
    if result.findings:
        blocks.append("\n".join(finding_lines(result.findings)))
    return "\n\n".join(blocks)


def _side(path: str, taker: str, others: object) -> str:
    from ...schemas.printable import printable

    return path if others else f"{path}, {printable(taker)}"


def _moved(moved: list[Moved]) -> str:
    """The questions that differ, those with the largest shares first."""
    from .grid import Grid

    if not moved:
        return "Every question earned the same on both sides."
    order = sorted(moved, key=lambda one: -abs(one.a - one.b) / one.possible)
    several = len({one.exam_id for one in moved}) > 1
    rows = [
        [f"{one.exam_id}/{one.question}" if several else one.question, f"{one.a:g}", f"{one.b:g}", f"{one.possible:g}"]
        for one in order[:SHOWN_MOVED]
    ]
    more = (f"and {len(order) - SHOWN_MOVED} more (--json)",) if len(order) > SHOWN_MOVED else ()
    return Grid(f"{len(order)} questions differ", ["question", "A", "B", "of"], rows, frozenset({0}), more).text()
