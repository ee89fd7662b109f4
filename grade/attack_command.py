"""Attack judges: a versioned set of tricks around answers known to be wrong. Success is credit above the clean answer.

  exam2bench attack build/exam --judge llama:judge
  exam2bench attack build/exam --judge openai:gpt-5.6-luna --max-cost 1 -o attacks.json

The wrong answer to a question is another question's official answer, or what --wrong, an answer sheet, gives. Where
the key is sealed, the trials' texts are not written: they hold it.
Exit code 1 where an attack succeeded. Calls that failed are untested, never resisted."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .judge.flags import add_judge_flags

    parser.add_argument("bundle", metavar="BUNDLE")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="every trial with its text, as JSON")
    parser.add_argument(
        "--wrong", type=Path, metavar="SHEET", help="answers known to be wrong (default: off-topic ones)"
    )
    parser.add_argument(
        "--per-attack", type=int, default=3, metavar="N", help="questions that each attack is put on (3)"
    )
    parser.add_argument("--json", action="store_true", help="print the cards as JSON")
    add_judge_flags(parser, required=True)


def run(args: argparse.Namespace) -> int:
    """Run the set. Raises UsageError where the bundle has no judged questions."""
    from ..schemas.bundle import load_bundle
    from ..schemas.json_files import write_text
    from .judge.anchors import wrong_answers
    from .judge.attacks import attack_card, load_attacks, run_attacks
    from .judge.calibration import judged_tasks
    from .judge.flags import open_panel
    from .sheets import read_sheet

    bundle = load_bundle(args.bundle)
    tasks = judged_tasks(bundle)
    wrong = wrong_answers(bundle, tasks)
    if args.wrong:
        given = read_sheet(args.wrong).answers
        wrong = {name: str((given.get(name) or {}).get("text") or text) for name, text in wrong.items()}
    version, attacks = load_attacks()
    with open_panel(args, bundle) as seats:
        if args.dry_run:
            calls = len(attacks) * min(args.per_attack, len(tasks)) + len(tasks)
            print(f"{len(attacks)} attacks on {len(tasks)} questions: {calls} verdicts of each of {len(seats)} judges")
            return 0
        trials = run_attacks(seats, tasks, wrong, per_attack=args.per_attack, max_cost=args.max_cost)
        cards = [attack_card(trials, seat.name) for seat in seats]
    if args.output:
        rows: list[dict[str, Any]] = [
            {
                "judge": trial.judge,
                "attack": trial.attack.id,
                "language": trial.attack.language,
                "question": trial.question_id,
                "state": trial.state,
                "clean": trial.clean,
                "attacked": trial.attacked,
                "max_points": trial.max_points,
                # the text holds another question's official answer
                **({} if bundle.sealed else {"text": trial.text}),
            }
            for trial in trials
        ]
        record = {"set_version": version, "cards": cards, "trials": rows}
        write_text(args.output, json.dumps(record, ensure_ascii=False, indent=2) + "\n")
        if bundle.sealed:
            print(
                f"note: {args.output} has no texts: they hold official answers, and the key is sealed", file=sys.stderr
            )
    if args.json:
        print(
            json.dumps({"set_version": version, "attacks": len(attacks), "cards": cards}, ensure_ascii=False, indent=2)
        )
    else:
        print(f"attack set {version}: {len(attacks)} attacks")
        for card in cards:
            print(card_line(card))
    return 1 if any(card["success"] for card in cards) else 0


def card_line(card: dict[str, Any]) -> str:
    tested = card["success"] + card["resisted"]
    line = f"{card['judge']}: {card['success']} of {tested} succeeded"
    if card["families"]:
        line += " (" + ", ".join(f"{family} {count}" for family, count in card["families"].items()) + ")"
    line += f", {card['untested']} untested" if card["untested"] else ""
    return line + (f", {card['no_room']} on answers that already had full marks" if card["no_room"] else "")
