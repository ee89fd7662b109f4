"""Is this judge good enough for this bundle? Answers of known worth and attacks, or answers that people marked.

  exam2bench calibrate build/exam --judge llama:judge --judge openai:gpt-5.6-luna -o build/calibration
  exam2bench calibrate build/exam --judge llama:judge --rewrite-with openai:gpt-5.6
  exam2bench calibrate build/exam --judge llama:judge --marks marked.csv

The bar is fixed beforehand and written with the result. --marks: JSONL or CSV with question, answer and a column per
human rater (RATER:CRITERION for marks by criterion). Exit code 1 where no judge passes the bar."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..schemas.bundle import Bundle
    from .judge.panel import Seat
    from .judge.rewriting import Rewritten


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .judge.flags import add_judge_flags

    parser.add_argument("bundle", metavar="BUNDLE")
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help="folder for calibration.json")
    parser.add_argument("--marks", type=Path, metavar="FILE", help="answers that people have marked")
    parser.add_argument(
        "--rewrite-with",
        metavar="MODEL",
        help="a model that writes each official answer in other words and in another language: two anchors more",
    )
    parser.add_argument("--no-attacks", action="store_true", help="anchors only")
    parser.add_argument(
        "--per-attack", type=int, default=3, metavar="N", help="questions that each attack is put on (3)"
    )
    parser.add_argument("--store", action="store_true", help="keep the result in the bundle, as calibration.json")
    parser.add_argument("--json", action="store_true", help="print the record as JSON")
    add_judge_flags(parser, required=True)


def run(args: argparse.Namespace) -> int:
    """Calibrate. Raises UsageError where the bundle has nothing to judge or the marks cannot be read."""
    from ..schemas.bundle import load_bundle
    from ..schemas.errors import UsageError
    from ..schemas.json_files import write_text
    from .judge.anchors import anchors
    from .judge.calibration import calibrate, judged_tasks
    from .judge.flags import open_panel

    if args.marks and args.rewrite_with:
        raise UsageError("--rewrite-with writes anchors, and --marks compares with people instead of anchors")
    bundle = load_bundle(args.bundle)
    tasks = judged_tasks(bundle)
    with open_panel(args, bundle) as seats:
        if args.dry_run:
            return _dry_run(args, bundle, seats, [(one.question_id, one.text) for one in anchors(bundle, tasks)])
        if args.marks:
            record = _against_people(args, bundle, seats)
        else:
            attack = not args.no_attacks
            rewritten, left = _rewritten(args, bundle) if args.rewrite_with else (None, args.max_cost)
            record = calibrate(
                bundle, seats, attack=attack, per_attack=args.per_attack, max_cost=left, rewritten=rewritten
            )
    text = json.dumps(record, ensure_ascii=False, indent=2) + "\n"
    if args.output:
        write_text(args.output / "calibration.json", text)
    if args.store:
        write_text(bundle.root / "calibration.json", text)
    print(text.rstrip() if args.json else "\n".join(_people_lines(record) if args.marks else _anchor_lines(record)))
    return 0 if args.marks or record["cheapest_passing"] else 1


def _rewritten(args: argparse.Namespace, bundle: Bundle) -> tuple[Rewritten, float | None]:
    """The rewritten anchors, and what they leave of --max-cost."""
    from ..models.flags import gateway_from
    from .judge.anchors import references
    from .judge.calibration import judged_tasks
    from .judge.rewriting import rewrite

    with gateway_from(args, args.rewrite_with) as gateway:
        made = rewrite(gateway, references(bundle, judged_tasks(bundle)), bundle.exam.language)
        print(f"{args.rewrite_with}: {gateway.tally.text()}", file=sys.stderr)
        left = None if args.max_cost is None else args.max_cost - gateway.budget.spent
    return made, left


def _rewriting_plan(args: argparse.Namespace, bundle: Bundle) -> str:
    from ..models.flags import gateway_from
    from .judge.anchors import references
    from .judge.calibration import judged_tasks
    from .judge.rewriting import rewriting_requests

    with gateway_from(args, args.rewrite_with) as gateway:
        asked = rewriting_requests(references(bundle, judged_tasks(bundle)), bundle.exam.language)
        return gateway.plan([request for *_, request in asked]).text() + "\neach judge is asked about them on top"


def _dry_run(args: argparse.Namespace, bundle: Bundle, seats: list[Seat], texts: list[tuple[str, str]]) -> int:
    from .judge.against_people import read_marks
    from .judge.calibration import judged_tasks
    from .judge.panel import Case

    tasks = judged_tasks(bundle)
    if args.marks:
        texts = [(one.question_id, one.answer) for one in read_marks(args.marks, tasks)]
    for seat in seats:
        print(seat.plan([Case(tasks[name], text) for name, text in texts], args.repeat).text())
    if args.rewrite_with:
        print(_rewriting_plan(args, bundle))
    if not args.marks and not args.no_attacks:
        print("the attacks come on top: exam2bench attack --dry-run counts them")
    return 0


def _against_people(args: argparse.Namespace, bundle: Bundle, seats: list[Seat]) -> dict[str, Any]:
    from .judge.against_people import comparison, criterion_comparison, read_marks
    from .judge.calibration import judged_tasks
    from .judge.panel import Case, ask_panel

    tasks = judged_tasks(bundle)
    marked = sorted(read_marks(args.marks, tasks), key=lambda one: list(tasks).index(one.question_id))
    cases = [Case(tasks[one.question_id], one.answer) for one in marked]
    verdicts = ask_panel(seats, cases, repeats=args.repeat, max_cost=args.max_cost)
    cards = []
    for seat in seats:
        own = [[verdict for verdict in given if verdict.judge == seat.name and verdict.graded] for given in verdicts]
        points = [sum(verdict.total for verdict in given) / len(given) if given else None for given in own]
        picks = [{pick.criterion: pick.points for pick in given[0].picks} if given else None for given in own]
        card = {"judge": seat.name, **comparison(marked, points, tasks)}
        cards.append({**card, "criteria": criterion_comparison(marked, picks, tasks)})
    return {"bundle_digest": bundle.digest(), "marks": args.marks.name, "judges": cards}


def _anchor_lines(record: dict[str, Any]) -> list[str]:
    from .attack_command import card_line

    lines = ["the bar:", *(f"  {name}: {told}" for name, told in record["bar"].items())]
    lines += [f"{found['where']['question']}: {found['message']}" for found in record["findings"]]
    for card in record["judges"]:
        lines.append(f"{card['judge']}: {'passes' if card['passes'] else 'does not pass'}")
        for name, check in card["checks"].items():
            lines.append(f"  {name}: {'not tested' if check is None else 'kept' if check else 'BROKEN'}")
        for kind, found in card["anchors"].items():
            lines.append(f"  {kind}: mean {found['mean_share']:.3f} of the points on {found['questions']} questions")
        if card["out_of_order"]:
            lines.append(f"  out of order: {', '.join(card['out_of_order'])}")
        if card["attacks"]:
            lines.append(f"  attacks: {card_line(card['attacks']).partition(': ')[2]}")
        price = card["usd_per_1000_answers"]
        lines.append(f"  per 1,000 answers: {'no price known' if price is None else f'${price:.2f}'}")
    return [*lines, f"cheapest that passes: {_cheapest(record)}"]


def _cheapest(record: dict[str, Any]) -> str:
    for card in record["judges"]:
        if card["judge"] == record["cheapest_passing"]:
            price = card["usd_per_1000_answers"]
            return card["judge"] if price is None else f"{card['judge']}, ${price:.2f} per 1,000 answers"
    return "none"


def _people_lines(record: dict[str, Any]) -> list[str]:
    lines: list[str] = []
    for card in record["judges"]:
        missing = f", {card['without_verdict']} without a verdict" if card["without_verdict"] else ""
        lines.append(f"{card['judge']}: {card['answers']} answers, {len(card['raters'])} raters{missing}")
        lines.append(f"  judge and people: {_figures(card['judge_human'], 'fewer than two answers to compare')}")
        alone = "one rater only, so there is no ceiling to compare with"
        lines.append(f"  people among themselves: {_figures(card['human_human'], alone)}")
        for name, found in (card.get("questions", {}) | card["criteria"]).items():
            people = _one(found["human_human"], "qwk")
            lines.append(f"  {name}: qwk {_one(found['judge_human'], 'qwk')}, people {people}")
    return lines


def _figures(found: dict[str, Any] | None, otherwise: str) -> str:
    if found is None:
        return otherwise
    return ", ".join(f"{key} {_one(found, key)}" for key in ("exact", "adjacent", "qwk", "icc", "mean_difference"))


def _one(found: dict[str, Any] | None, key: str) -> str:
    """A figure with its interval."""
    one = (found or {}).get(key)
    if one is None or one["estimate"] is None:
        return "undefined"
    return f"{one['estimate']:.3f}" + ("" if one["low"] is None else f" [{one['low']:.3f}, {one['high']:.3f}]")
