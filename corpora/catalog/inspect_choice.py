"""inspect_ai's reading of choices: the last line that begins with `ANSWER: …`, else the last place that says it.

Observed behaviour of `solver/_multiple_choice.py` and `scorer/_choice.py` at 499e6152. A line counts where nothing but
a full stop follows the letters; elsewhere any sign may follow. What is declared last decides, also where it is none
of the options.
"""

from __future__ import annotations

import re

from .inspect_rules import RIGHT, WRONG, Scored

_LINE = re.compile(r"^ANSWER\s*:\s*([A-Za-z\d ,]+)\s*(?:$|\.)", re.IGNORECASE | re.MULTILINE)
_ANYWHERE = re.compile(r"ANSWER\s*:\s*([A-Za-z\d ,]+)(?:\W|$)", re.IGNORECASE)


def parse_choices(completion: str, count: int, *, several: bool = False) -> frozenset[str]:
    """The letters declared, as capitals; empty where there is none or one is no option."""
    labels = {chr(ord("A") + n) for n in range(count)}
    declared = _LINE.findall(completion) or _ANYWHERE.findall(completion)
    letters = _letters(declared[-1].strip(" ,").upper(), several) if declared else set()
    return frozenset(letters) if letters <= labels else frozenset()


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
