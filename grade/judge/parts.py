"""Sub-questions of one free-text answer that a rule can settle, so that no judge is asked about them.

Only where the answer itself says which words answer which sub-question, and those words are the bare value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...schemas.answers import TextAnswer
from ...schemas.grading import NumericRule, Part, PartsRule, QuestionGrading
from ..extraction.yes_no import extract_yes_no
from ..marks import KeyFault
from ..written import numeric_scorer
from .framing import defused

BARE_LENGTH = 60
"""Characters of the longest text that counts as a bare value."""
_NUMBER = re.compile(r"[-+−±≈=\s]*[\d.,]*\d[\d.,/^×·*%°\s]*[A-Za-zµμΩ°%²³/·^\d-]{0,12}$")
_OPTION = re.compile(r"[(（\[【]?\s*([A-Za-z]|[①-⑳])\s*[)）\]】.、]?")


def settled_parts(rule: PartsRule, text: str, *, comma: bool = False) -> dict[str, float]:
    """Points by part id for the parts that a rule decides; the others are for the judge. `comma`: decimal commas."""
    pieces = split_by_label(rule.parts, text)
    found: dict[str, float] = {}
    for part in rule.parts:
        piece = pieces.get(part.id)
        if piece is None or part.criteria:
            continue
        right = _decided(part, piece, comma)
        if right is not None:
            found[part.id] = part.points if right else 0.0
    return found


def split_by_label(parts: Sequence[Part], text: str) -> dict[str, str]:
    """The answer cut at the printed labels of its sub-questions; empty where one is missing, twice or out of order."""
    if len(parts) == 1:
        return {parts[0].id: text.strip()}
    starts: list[tuple[int, int]] = []
    for part in parts:
        label = (part.label or part.id).strip("()（）[].、:： ")
        at = re.compile(rf"(?m)^\s*[(（\[]?\s*{re.escape(label)}\s*[)）\].、:：]\s*")
        hits = list(at.finditer(text))
        if len(hits) != 1:
            return {}
        starts.append(hits[0].span())
    if starts != sorted(starts):
        return {}
    ends = [start for start, _ in starts[1:]] + [len(text)]
    return {part.id: text[begin:end].strip() for part, (_, begin), end in zip(parts, starts, ends, strict=True)}


def _decided(part: Part, piece: str, comma: bool) -> bool | None:
    """Whether the piece is right, None where no rule can say."""
    bare = defused(piece).strip()
    if not bare:
        return False
    if len(bare) > BARE_LENGTH or "\n" in bare:
        return None
    if _folded(bare) == _folded(part.reference):
        return True
    match part.kind:
        case "choice":
            wanted, given = _OPTION.fullmatch(part.reference.strip()), _OPTION.fullmatch(bare)
            return wanted[1].upper() == given[1].upper() if wanted and given else None
        case "yes_no":
            wanted, given = extract_yes_no(part.reference).value, extract_yes_no(bare).value
            return wanted == given if wanted is not None and given is not None else None
        case "numerical":
            return _same_number(part, bare, comma)
    return None


def _same_number(part: Part, bare: str, comma: bool) -> bool | None:
    grading = QuestionGrading(question_id=part.id, max_points=1.0, rule=NumericRule(value=part.reference))
    try:
        marks = numeric_scorer(NumericRule(value=part.reference), grading, comma)(TextAnswer(text=bare))
    except KeyFault:
        return None
    if marks.awarded:
        return True
    # words that hold no bare number are not a wrong number: they may say it otherwise
    return False if _NUMBER.match(bare) else None


def _folded(text: str) -> str:
    return "".join(text.casefold().split()).rstrip(".。")
