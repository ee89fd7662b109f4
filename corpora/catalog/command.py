"""Known benchmarks: what they measure and how, by exactly their rules; their records as a bundle.

exam2bench catalog list
exam2bench catalog show cv-bench
exam2bench catalog prepare cv-bench test_2d.parquet test_3d.parquet -o cv-bench-records
exam2bench catalog import cv-bench cv-bench-records/records.jsonl -o cv-bench-bundle
exam2bench catalog replies cv-bench cv-bench-bundle answers.json -o predictions.jsonl
exam2bench catalog mean ai2d/score.json mmmlu/score.json --view robust
exam2bench catalog gain mmstar/score.json mmstar-blind/score.json --language-model base/score.json
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="the benchmarks that have a card, by family")
    listing.add_argument("--family", metavar="NAME", help="only this family")
    show = actions.add_parser("show", help="a benchmark's card")
    show.add_argument("name", metavar="NAME")
    prepare = actions.add_parser("prepare", help="records with embedded pictures as JSON Lines and picture files")
    _add_records(prepare, "DIR", "a new folder: records.jsonl and pictures/")
    incoming = actions.add_parser("import", help="records as a bundle to solve, grade and bench")
    _add_records(incoming, "BUNDLE", "the bundle's folder")
    incoming.add_argument("--skip", type=int, default=0, metavar="N", help="leave the first N records out")
    incoming.add_argument("--limit", type=int, metavar="N", help="only the next N records")
    incoming.add_argument("--where", metavar="FIELD=VALUE", help="only records whose field has this value")
    incoming.add_argument("--force", action="store_true", help="replace a bundle that lies there")
    replies = actions.add_parser("replies", help="an answer sheet as predictions for `exam2bench score`")
    replies.add_argument("name", metavar="NAME")
    replies.add_argument("bundle", type=Path, metavar="BUNDLE")
    replies.add_argument("sheet", type=Path, metavar="ANSWERS")
    replies.add_argument("-o", "--out", type=Path, required=True, metavar="FILE", help="the predictions, JSON Lines")
    mean = actions.add_parser("mean", help="the mean of headline scores; refuses scales that do not mix")
    mean.add_argument("scores", nargs="+", type=Path, metavar="SCORE", help="what `exam2bench score --json` wrote")
    mean.add_argument("--view", default="official", metavar="NAME", help="official (default), robust, …")
    gain = actions.add_parser("gain", help="what the pictures are worth: multimodal gain and leakage")
    gain.add_argument("with_pictures", type=Path, metavar="SCORE", help="score.json of a run with the pictures")
    gain.add_argument("blind", type=Path, metavar="BLIND", help="of the same model without them (solve --blind)")
    gain.add_argument("--language-model", type=Path, metavar="BASE", help="of its language model alone: leakage")
    gain.add_argument("--view", default="official", metavar="NAME", help="official (default), robust, …")
    for action in (listing, show, prepare, incoming, replies, mean, gain):
        action.add_argument("--json", action="store_true", help="machine-readable output")


def _add_records(parser: argparse.ArgumentParser, target: str, about: str) -> None:
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("records", nargs="+", type=Path, metavar="RECORDS", help="JSON Lines, CSV, TSV or Parquet")
    parser.add_argument("-o", "--out", type=Path, required=True, metavar=target, help=about)


def run(args: argparse.Namespace) -> int:
    actions = {
        "list": _list,
        "show": _show,
        "prepare": _prepare,
        "import": _import,
        "replies": _replies,
        "mean": _mean,
        "gain": _gain,
    }
    record, text = actions[args.action](args)
    print(json.dumps(record, ensure_ascii=False, indent=2) if args.json else text)
    return 0


def _list(args: argparse.Namespace) -> tuple[Any, str]:
    from ...schemas.errors import UsageError
    from .card import FAMILIES, card_names, load_card
    from .card_text import list_text

    family = args.family and args.family.replace("-", "_")
    if family and family not in FAMILIES:
        raise UsageError(f"there is no family {args.family!r}: {', '.join(FAMILIES)}")
    cards = [load_card(name) for name in card_names()]
    cards = [card for card in cards if not family or card.family == family]
    rows = [
        {"name": card.name, "title": card.title, "family": card.family, "views": list(card.views)} for card in cards
    ]
    return rows, list_text(cards)


def _show(args: argparse.Namespace) -> tuple[Any, str]:
    from .card import load_card
    from .card_text import card_text

    card = load_card(args.name)
    return card.model_dump(mode="json"), card_text(card)


def _prepare(args: argparse.Namespace) -> tuple[Any, str]:
    from .card import load_card
    from .predictions import told
    from .preparing import prepare

    made = prepare(load_card(args.name), args.records, args.out)
    text = f"{told(made.records, 'record', 'records')} and {told(made.pictures, 'picture', 'pictures')} in {args.out}"
    return {"records": made.records, "pictures": made.pictures, "folder": str(args.out)}, text


def _import(args: argparse.Namespace) -> tuple[Any, str]:
    from .bundling import import_bundle, parse_where
    from .card import load_card
    from .predictions import told

    card = load_card(args.name)
    where = parse_where(card, args.where) if args.where else None
    made = import_bundle(card, args.records, args.out, skip=args.skip, limit=args.limit, where=where, force=args.force)
    kinds = ", ".join(f"{count:,} {kind.replace('_', ' ')}" for kind, count in made.kinds.items())
    print(f"Graded by the bundle's rules, not by {card.name}'s: {card.bundle.differs}", file=sys.stderr)
    record = {"bundle": str(args.out), "questions": made.questions, "pictures": made.pictures, "kinds": made.kinds}
    record["differs"] = card.bundle.differs
    return record, f"{told(made.questions, 'question', 'questions')} ({kinds}) in {args.out}"


def _replies(args: argparse.Namespace) -> tuple[Any, str]:
    from .card import load_card
    from .predictions import told
    from .replies import write_predictions

    written = write_predictions(load_card(args.name), args.bundle, args.sheet, args.out)
    count = told(written, "prediction", "predictions")
    text = f"{count} in {args.out}: exam2bench score {args.name} {args.out} --records …"
    return {"predictions": written, "file": str(args.out)}, text


def _mean(args: argparse.Namespace) -> tuple[Any, str]:
    from .scales import mean_of
    from .score_files import figures

    found = [figure for path in args.scores for figure in figures(path, args.view)]
    value = mean_of(found)
    scale = found[0].scale
    lines = [f"{figure.benchmark:<24}{figure.value:10.4f}" for figure in found]
    text = "\n".join([*lines, f"{'mean':<24}{value:10.4f}  ({scale.text()}, {args.view} view)"])
    return {"mean": value, "scale": scale.text(), "scores": {f.benchmark: f.value for f in found}}, text


def _gain(args: argparse.Namespace) -> tuple[Any, str]:
    from ...schemas.errors import UsageError
    from .mmstar import gain_and_leakage, visual_necessity
    from .scales import check_alike
    from .score_files import figures

    paths = [args.with_pictures, args.blind, *([args.language_model] if args.language_model else [])]
    found = [figure for path in paths for figure in figures(path, args.view)]
    names = sorted({figure.benchmark for figure in found})
    if len(found) != len(paths) or len(names) > 1:
        raise UsageError(f"a gain is of one benchmark, one score in a file; these are of {', '.join(names)}")
    check_alike(found)
    sighted, blind, *base = [figure.value for figure in found]
    table = gain_and_leakage(sighted, blind, base[0]) if base else {"MG": visual_necessity(sighted, blind)}
    named = {"MG": "multimodal gain (with - without pictures)", "ML": "leakage (without pictures - language model)"}
    lines = [f"{named[key]:<48}{number:10.4f}" for key, number in table.items()]
    text = "\n".join([f"{names[0]}, {args.view} view: {found[0].scale.text()}", *lines])
    return {"benchmark": names[0], "view": args.view, "scale": found[0].scale.text(), **table}, text
