"""How far judges agree, from graded reports or a CSV of verdicts.

exam2bench agreement reports/*.json
exam2bench agreement verdicts.csv -o agreement --json
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .agreement import ConditionCard


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", type=Path, metavar="REPORTS_OR_CSV")
    parser.add_argument("-o", "--out", type=Path, metavar="DIR", help="write agreement.json and the plots there")
    parser.add_argument(
        "--answers", nargs="+", default=[], metavar="[SHEET=]FILE", help="answer sheets, for the effect of length"
    )
    parser.add_argument("--family", action="append", default=[], metavar="NAME=FAMILY", help="of a judge or a taker")
    parser.add_argument(
        "--no-reference",
        action="append",
        default=[],
        metavar="QUESTION",
        help="has no official answer: left out of the reference anchor",
    )
    parser.add_argument("--resamples", type=int, default=10_000, help="of the bootstrap over questions (10,000)")
    parser.add_argument("--seed", type=int, default=0, help="of the bootstrap (0)")
    parser.add_argument("--json", action="store_true", help="the figures as JSON on standard output")


def run(args: argparse.Namespace) -> int:
    from ..schemas.errors import UsageError
    from ..schemas.json_files import write_text
    from .agreement import Options, agreement_cards, as_json
    from .verdict_table import read_verdicts

    if args.resamples < 100:
        raise UsageError(f"--resamples is {args.resamples}; an interval needs 100 at the least")
    verdicts = read_verdicts(args.files)
    options = Options(
        args.resamples, args.seed, _lengths(args.answers), _families(args.family), frozenset(args.no_reference)
    )
    cards = agreement_cards(verdicts, options)
    data = json.dumps(as_json(cards), ensure_ascii=False, indent=2)
    print(data if args.json else "\n\n".join(_table(card) for card in cards))
    if args.out:
        from .agreement_plots import write_plots

        write_text(args.out / "agreement.json", data + "\n")
        files = write_plots(cards, args.out)
        print(f"written to {args.out}: agreement.json and {len(files)} plots", file=sys.stderr)
    return 0


def _families(pairs: list[str]) -> dict[str, str]:
    from ..schemas.errors import UsageError

    families: dict[str, str] = {}
    for pair in pairs:
        name, sign, family = pair.partition("=")
        if not (name and sign and family):
            raise UsageError(f"--family {pair!r} is not NAME=FAMILY")
        families[name] = family
    return families


def _lengths(files: list[str]) -> dict[tuple[str, str], int]:
    """Characters of each written answer by (question, sheet); the sheet's name is told, or its taker."""
    from ..schemas.answers import AnswerSheet, DrawingAnswer, TextAnswer
    from ..schemas.json_files import read_record

    lengths: dict[tuple[str, str], int] = {}
    for entry in files:
        name, sign, file = entry.rpartition("=")
        sheet = read_record(Path(file), AnswerSheet)
        taker = name if sign else sheet.taker or Path(file).stem
        for question, answer in sheet.answers.items():
            if isinstance(answer, TextAnswer):
                lengths[(question, taker)] = len(answer.text)
            elif isinstance(answer, DrawingAnswer):
                lengths[(question, taker)] = len(answer.description)
    return lengths


def _table(card: ConditionCard) -> str:
    from ..schemas.printable import printable

    low, high = card.icc_interval
    lines = [
        f"{printable(card.condition) or 'all verdicts'}: {len(card.judges)} judges, {card.answers} answers to "
        f"{card.questions} questions, {card.repeats} pass{'es' if card.repeats > 1 else ''}",
        f"  ICC(2,1) single pass {card.icc_single:.3f} (95 % {low:.3f} to {high:.3f}, over questions)",
    ]
    if card.repeats > 1:
        lines.append(f"  ICC(2,1) mean of passes {card.icc_passes:.3f}")
    if card.shares:
        shares = card.shares
        lines.append(
            f"  variance: answer {100 * shares.answer:.1f} %, judge {100 * shares.judge:.1f} %, "
            f"residual {100 * shares.residual:.1f} %"
        )
    lines.append(f"  {'judge':<24}{'mean':>7}{'lenient':>9}{'apart':>8}{'repeat SD':>11}{'length':>8}{'own':>8}")
    for judge in card.judge_cards:
        lines.append(
            f"  {printable(judge.judge)[:23]:<24}{judge.mean:>7.3f}{judge.leniency:>+9.3f}"
            f"{_cell(judge.leave_one_out):>8}{_cell(judge.within_sd):>11}{_cell(judge.length_effect):>8}"
            f"{_cell(judge.own_family):>8}"
        )
    lines += [f"  {printable(sheet)[:40]:<41}{mean:.3f}" for sheet, mean in card.sheets.items()]
    for anchor in card.anchors:
        lines.append(
            f"  {printable(anchor.sheet)}: mean {anchor.mean:.3f}; exactly 0 in {anchor.exactly_zero} of "
            f"{anchor.verdicts}, 0.9 or more in {anchor.full_credit}"
        )
    if card.snapped:
        lines.append(f"  changed by snapping to a level: {card.snapped} of {card.verdicts} verdicts")
    return "\n".join(lines)


def _cell(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
