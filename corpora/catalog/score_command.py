"""Score a run on a known benchmark by exactly its rules, and by a sound reading beside them.

  exam2bench score cv-bench shard0.jsonl shard1.jsonl --records cv-bench/records.jsonl -o scores/
  exam2bench score countqa run.jsonl --records countqa.parquet --regex '(\\d+)' --group-select -1 --json
  exam2bench score refcoco run.jsonl --records refcoco.jsonl --convention thousandths

PREDICTIONS are JSON Lines, CSV or Parquet with an id and a reply (`prediction`) in each row. Without --records the rows
must bring their records' fields themselves. A reply that is missing is never left out of a mean: the run is refused,
or, where the official rule or --missing says so, it counts as wrong, which the report says."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .card import Card
    from .scoring import Score, Settings

SKIPPED = ("image", "images", "question")
"""Fields that no rule reads: a run that brings its own records need not have them."""

PROGRESS_SECONDS = 0.5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="a benchmark (`exam2bench catalog list`)")
    parser.add_argument("predictions", nargs="+", metavar="PREDICTIONS", help="one file, or the shards of a run")
    parser.add_argument("--records", nargs="+", default=[], metavar="R", help="the benchmark's records")
    parser.add_argument("--view", metavar="official|robust|both", help="default: both where there are two")
    parser.add_argument("--json", action="store_true", help="print the result with every differing reply as JSON")
    parser.add_argument("-o", "--output", metavar="DIR", help="write score.json, rows.jsonl, differences.jsonl")
    parser.add_argument("--missing", choices=["refuse", "wrong"], help="missing replies (default: the card's rule)")
    parser.add_argument("--partial", action="store_true", help="the predictions are a part of the benchmark")
    parser.add_argument("--convention", choices=["pixel", "unit", "thousandths"], help="how replies write coordinates")
    parser.add_argument(
        "--scale-mix", choices=["refuse", "wrong"], default="refuse", help="coordinates that cannot be in it"
    )
    parser.add_argument(
        "--unverified", choices=["refuse", "wrong"], default="refuse", help="instructions without verifier"
    )
    parser.add_argument("--regex", metavar="PATTERN", help="filter of this run: what the official view reads")
    parser.add_argument("--group-select", type=int, default=0, metavar="N", help="which match of it, -1 the last")
    parser.add_argument("--k", type=int, nargs="+", default=[], help="the k of pass@k, where there are trials")
    parser.add_argument("--law", action="store_true", help="uno-bench: models' figures, not predictions; fit its law")
    parser.add_argument("--id-field", metavar="FIELD", help="where a row has its id")
    parser.add_argument("--reply-field", metavar="FIELD", help="where a row has its reply")


def run(args: argparse.Namespace) -> int:
    """Print the score. Returns 1 where replies are missing; raises UsageError and BundleError for bad input."""
    from ...schemas.errors import UsageError
    from .card import load_card
    from .registry import TAKES_TRIALS
    from .score_report import as_json, as_text
    from .scoring import Filter, Settings, chosen_views, takes

    card = load_card(args.name)
    if args.law:
        return _law(args, card)
    if any(k < 1 for k in args.k):
        raise UsageError("the k of pass@k is 1 or more")
    if args.k and not takes(card, card.views, TAKES_TRIALS):
        raise UsageError(f"{card.name} has no pass@k, so --k says nothing")
    views, notes = chosen_views(card, args.view, args.convention)
    settings = Settings(
        convention=args.convention,
        filter=None if args.regex is None else Filter(args.regex, args.group_select),
        ks=tuple(dict.fromkeys(args.k)),
        scale_mix=args.scale_mix,
        unverified=args.unverified,
        folders=(str(Path((args.records or args.predictions)[0]).parent), str(Path(args.predictions[0]).parent)),
    )
    score = _scored(args, card, views, settings)
    score.notes[:0] = notes
    if settings.filter is not None:
        score.notes.append(f"the official view read what '{args.regex}' found (match {args.group_select})")
    if args.output:
        _write(score, Path(args.output))
    print(_json(as_json(score)) if args.json else as_text(score))
    return int(any(view.missing() for view in score.views))


def _law(args: argparse.Namespace, card: Card) -> int:
    """Print UNO-Bench's compositional law over the models of a file."""
    from ...schemas.errors import UsageError
    from .tables import read_rows
    from .unobench import law_report

    if card.name != "uno-bench":
        raise UsageError(f"{card.name} has no compositional law; uno-bench has one")
    report = law_report([row for path in args.predictions for row in read_rows(path)])
    if args.json:
        print(_json(report))
        return 0
    from ...schemas.printable import printable

    law = report["law"]
    print(f"omni = {law['C']:.4f} * (audio * visual) ^ {law['alpha']:.4f} + {law['b']:.4f}, R2 {law['R2']:.4f}")
    print(f"{'':<32}{'audio':>9}{'visual':>9}{'omni':>9}{'law':>9}{'above':>9}")
    for row in report["models"]:
        cells = "".join(f"{row[name]:>9.4f}" for name in ("audio", "visual", "omni", "law", "above"))
        print(f"{printable(row['model'], 31):<32}{cells}")
    return 0


def _scored(args: argparse.Namespace, card: Card, views: list[str], settings: Settings) -> Score:
    from .predictions import check_ids, check_whole, read_predictions
    from .records import iter_records
    from .registry import TAKES_DATA, TAKES_DETECTIONS, TAKES_OUTCOMES, TAKES_TRIALS
    from .scoring import score_run, takes

    predictions = read_predictions(
        card,
        args.predictions,
        id_field=args.id_field,
        reply_field=args.reply_field,
        data=takes(card, views, TAKES_DATA),
        trials=takes(card, views, TAKES_TRIALS),
        outcomes=takes(card, views, TAKES_OUTCOMES),
        grouped_by_image=takes(card, views, TAKES_DETECTIONS),
    )
    paths = args.records or args.predictions
    # the ids are known before the first reply is marked, so that a wrong file is refused at once
    ids = [str(record["id"]) for record in iter_records(card, paths, skip=SKIPPED)]
    notes = []
    if not args.records:
        whole = check_whole(card, ids, args.partial)
        notes += [whole] if whole else []
    elif card.dataset.questions not in (None, len(ids)):
        notes.append(f"the records are {len(ids):,}; {card.name} has {card.dataset.questions:,}: no score of the whole")
    if _are_counted(card, paths[0]):
        notes.append("the records have no id: their place, counted from 0, is taken for it")
    absent = check_ids(card, dict.fromkeys(ids), predictions)
    notes += _missing_notes(card, args.missing or card.missing, absent, len(ids))
    records = iter_records(card, paths, skip=SKIPPED)
    if not args.records and len(paths) > 1 and all(one.isascii() and one.isdigit() for one in ids):
        # shards come in any order; the run that they are has that of its indices
        records = iter(sorted(records, key=lambda record: int(record["id"])))
    score = score_run(card, views, _watched(records, len(ids)), predictions, settings)
    score.notes[:0] = notes
    return score


def _are_counted(card: Card, path: str) -> bool:
    """Whether a file's rows have no id of their own, so that predictions are matched by position."""
    from .tables import read_rows

    names = {"id", *(card.fields["id"].names() if "id" in card.fields else ())}
    return not any(value not in (None, "") for value in next(read_rows(path, names), {}).values())


def _watched(records: Iterator[Any], total: int) -> Iterator[Any]:
    """The records, with their count on a terminal while they are gone through."""
    shows, last = sys.stderr.isatty(), time.monotonic()
    for number, record in enumerate(records, 1):
        if shows and time.monotonic() - last >= PROGRESS_SECONDS:
            last = time.monotonic()
            print(f"\r\x1b[K{number:,}/{total:,} records", end="", file=sys.stderr, flush=True)
        yield record
    if shows:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _missing_notes(card: Card, policy: str, absent: list[str], records: int) -> list[str]:
    from ...schemas.errors import BundleError
    from .predictions import spans, told

    if not absent:
        return []
    have = told(records, "record has", "records have")
    which = f"{len(absent):,} of {have} no prediction: {spans(absent)}"
    if policy == "refuse":
        raise BundleError(f"{which}; --missing wrong counts them as wrong")
    return [f"{which}; they count as wrong"]


def _write(score: Score, folder: Path) -> None:
    from ...schemas.json_files import write_text
    from .score_report import as_json, rows_json

    result = as_json(score)
    write_text(folder / "score.json", json.dumps(result, ensure_ascii=False, indent=2, allow_nan=False) + "\n")
    for name, lines in (("rows.jsonl", rows_json(score)), ("differences.jsonl", iter(result["differences"]))):
        write_text(folder / name, "".join(json.dumps(line, ensure_ascii=False, default=str) + "\n" for line in lines))
    print(f"written: {folder}/score.json, rows.jsonl, differences.jsonl", file=sys.stderr)


def _json(result: dict[str, Any]) -> str:
    from ...schemas.printable import printable_json

    return printable_json(json.dumps(result, ensure_ascii=False, indent=2, allow_nan=False, default=str))
