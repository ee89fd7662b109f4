"""inspect_ai's reading of choices: the last line that says `ANSWER: …`.

Observed behaviour of `solver/_multiple_choice.py` and `scorer/_choice.py` at 499e6152. Nothing but that line counts;
what follows the letters must be the end, a full stop or a parenthesis.
"""

from __future__ import annotations

import re

from .inspect_rules import RIGHT, WRONG, Scored

_LINE = re.compile(r"ANSWER\s*:\s*([A-Za-z\d ,]+?)\s*(?:[.)\n*]|\(|$)", re.IGNORECASE)


def parse_choices(completion: str, count: int, *, several: bool = False) -> frozenset[str]:
    """The letters declared, as capitals; empty where there is none or one is no option."""
    labels = {chr(ord("A") + n) for n in range(count)}
    read: frozenset[str] = frozenset()
    for found in _LINE.finditer(completion):
        letters = _letters(found.group(1).strip(" ,").upper(), several)
        if letters and letters <= labels:
            read = frozenset(letters)
    return read


def _letters(text: str, several: bool) -> set[str]:
    if not several:
        return {text} if len(text) == 1 else set()
    parts = [part for part in re.split(r"[\s,]+|AND", text) if part]
    if len(parts) == 1:
        return set(parts[0])
    return set(parts) if all(len(part) == 1 for part in parts) else set()


def score_choice(completion: str, target: str, count: int, *, several: bool = False) -> Scored:
    """Right where exactly the target's letters were declared."""
    read = parse_choices(completion, count, several=several)
    wanted = {sign for sign in "".join(target) if sign.isalnum()}
    return Scored(RIGHT if read == wanted else WRONG, ", ".join(sorted(read)))
