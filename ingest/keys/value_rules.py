"""Fixed values as rules: numbers, blanks, true or false, matching. Only where the value is certain.

A value is certain when the key prints it as one piece that reads alone: a plain number, a word, a label.
A formula that the layer may have broken (fractions over lines, private glyphs) is left to a judge.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...schemas.grading import (
    BlankKey,
    ExpressionRule,
    FillInBlankRule,
    MatchingRule,
    NumericRule,
    TrueFalseRule,
)
from ..draft import DraftQuestion, KeyEntry
from .key_cells import narrow
from .key_text import truth_of
from .key_values import canonical, position

_NUMBER = re.compile(r"^[+\-−–]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:\s*/\s*\d+)?$")
_FRACTION = re.compile(r"\\frac\{(\d+)\}\{(\d+)\}")
_MATH = re.compile(
    r"[=<>≤≥≠√∫∑^_{}\\$|→⇒±×÷*∈∪∩′'\u0370-\u03ff\u2070-\u209c\ue000-\uf8ff\ufffd]|\d\s+\d|[a-zA-Z]\s*\d|\d\s*[a-zA-Z]"
)
_UNITS = (
    r"(?:[kmcdμµunMG]?(?:m|s|g|N|J|W|V|A|Hz|Pa|L|l|mol|C|F|T|Wb|eV|Ω|cal|bar|t)|min|h|K|°C|℃|°F|°|%|rad|rpm|ha|"
    r"dB|u|kn|yr|"
    r"公分|公尺|公里|公斤|公克|秒|分鐘|小時|度|元|倍|個|人|원|개|명|円|個|USD|EUR|€|\$)"
)
_WITH_UNIT = re.compile(
    rf"^(?P<number>[+\-−–]?(?:\d{{1,3}}(?:,\d{{3}})+|\d+)(?:\.\d+)?)\s*(?P<unit>{_UNITS}(?:\^?[-−]?\d|"
    rf"[²³])?(?:\s*[/·⋅*.]?\s*{_UNITS}(?:\^?[-−]?\d|[²³])?){{0,3}})$"
)
_NAMES = re.compile(r"sin|cos|tan|cot|sec|csc|log|ln|exp|sqrt|pi|π|√")
_EXPRESSION = re.compile(r"^[\sa-zA-Z0-9+\-−–*/^()=.,·×÷√π²³⁴]+$")
_LIST = re.compile(r"\s*[;；]\s*|\s*(?<!\d)[,，、]\s*|\s*[,，、](?!\d)\s*")
_PAIR = re.compile(r"([A-Za-z0-9①-⑳甲乙丙丁戊㈠-㈩]{1,3})\s*[-–—=→:：]\s*([A-Za-z0-9①-⑳甲乙丙丁戊]{1,3})")
_LISTED = re.compile(r"[(\[]([A-Za-z0-9]{1,4})[)\]]\s*([A-Za-z0-9①-⑳]{1,3})(?=\s*(?:[,;，；]|$))")
_WRAPPING = re.compile(r"^[\s(（\[【]*(?:\d{1,2}\s*分[)）])?\s*|[\s.。．;；]+$")


def plain_number(text: str) -> str | None:
    """The number that the text is, in ASCII signs; None where it is more than that."""
    bare = narrow(text).strip().strip(".。．").strip().strip("$").strip()
    bare = _FRACTION.sub(r"\1/\2", bare)
    bare = bare.replace("−", "-").replace("–", "-")
    return re.sub(r"\s+", "", bare).replace(",", "") if _NUMBER.match(bare) else None


def certain_text(text: str) -> str | None:
    """The text where it is one short piece that can be compared as it stands; None for formulas and prose."""
    number = plain_number(text)
    if number is not None:
        return number
    bare = narrow(text).strip().rstrip(".。．;；").strip()
    if not bare or "\n" in bare or len(bare) > 40 or _MATH.search(bare) or len(bare.split()) > 5:
        return None
    return bare if any(ch.isalnum() for ch in bare) else None


def numeric_rule(entry: KeyEntry) -> NumericRule | None:
    """A number from an answer key (never from a worked solution, whose working earns the points)."""
    if entry.origin != "key" or entry.alternatives or not entry.values:
        return None
    joined = entry.values[0] if len(entry.values) == 1 else "".join(entry.values)
    if len(entry.values) > 1 and not all(len(v) == 1 and v.isdigit() for v in entry.values):
        return None
    number = plain_number(joined)
    return NumericRule(value=number) if number is not None else None


def measured_rule(entry: KeyEntry) -> NumericRule | None:
    """A number with its unit from an answer key: `29.4 m/s`, `2.7 g/cm3`."""
    match = _WITH_UNIT.match(narrow(entry.raw).strip().rstrip(".。"))
    if entry.origin != "key" or not match:
        return None
    number = match["number"].replace(",", "").replace("−", "-").replace("–", "-")
    unit = match["unit"].replace("²", "2").replace("³", "3").replace("−", "-").replace("µ", "μ")
    unit = re.sub(r"(?<=[A-Za-zΩ])(-?\d)", r"^\1", unit)
    return NumericRule(value=number, unit=unit, unit_required=False)


def expression_rule(entry: KeyEntry) -> ExpressionRule | None:
    """A formula in one variable or more from an answer key, where every sign of it reads: `(x − 2)(x − 3)`."""
    text = narrow(entry.raw).strip().rstrip(".。")
    if entry.origin != "key" or entry.alternatives or "\n" in text or not _EXPRESSION.match(text):
        return None
    bare = _NAMES.sub("", text)
    letters = re.findall(r"[A-Za-z]+", bare)
    if not letters or any(len(name) > 2 for name in letters) or not re.search(r"[+\-−–*/^=()×÷²³]", bare):
        return None
    if bare.count("(") != bare.count(")") or "," in bare:
        return None
    plain = text.replace("−", "-").replace("–", "-").replace("×", "*").replace("·", "*").replace("÷", "/")
    plain = plain.replace("²", "^2").replace("³", "^3").replace("⁴", "^4").replace("π", "pi")
    return ExpressionRule(expression=plain)


def true_false_rule(entry: KeyEntry, penalty: float) -> TrueFalseRule | None:
    said = {t for text in (*entry.values, entry.raw, entry.reference or "") if (t := truth_of(text)) is not None}
    if len(said) != 1 or entry.alternatives:
        return None
    return TrueFalseRule(correct=said.pop(), negative_marking=-penalty if penalty else None)


def blanks_rule(question: DraftQuestion, entry: KeyEntry) -> FillInBlankRule | None:
    """One accepted text (and its alternatives) per blank; None where the values do not fall to the blanks."""
    count = max(len(question.blanks), 1)
    sets = [list(s) for s in (entry.values, *entry.alternatives) if s]
    if not sets:
        sets = _from_text(entry.raw or entry.reference or "", count)
    cells = question.blanks[0].cells if len(question.blanks) == 1 else None
    shaped = [_shape(values, count, cells) for values in sets]
    if not shaped or any(s is None for s in shaped):
        return None
    blanks: dict[str, BlankKey] = {}
    for n in range(count):
        texts = [certain_text(s[n]) for s in shaped if s is not None]
        if any(t is None for t in texts):
            return None
        blanks[f"b{n + 1}"] = BlankKey(accepted=list(dict.fromkeys(t for t in texts if t)))
    return FillInBlankRule(blanks=blanks, all_or_nothing=False)


def _from_text(text: str, count: int) -> list[list[str]]:
    bare = _WRAPPING.sub("", narrow(text))
    if count == 1:
        return [[bare]]
    pieces = [p for p in _LIST.split(bare) if p]
    return [pieces] if len(pieces) == count else []


def _shape(values: Sequence[str], count: int, cells: int | None) -> list[str] | None:
    """The values as one text per blank: cell digits joined, a list in one piece taken apart."""
    if len(values) == count:
        return list(values)
    if count == 1 and (cells == len(values) or all(len(v) == 1 for v in values)):
        return ["".join(values)]
    if len(values) == 1:
        pieces = [p for p in _LIST.split(values[0]) if p]
        return pieces if len(pieces) == count else None
    return None


def matching_rule(question: DraftQuestion, entry: KeyEntry) -> MatchingRule | None:
    """Pairs by the printed labels: `1-c 2-a`, or the right labels in the order of the left items."""
    if question.matching is None:
        return None
    left = [o.label for o in question.matching[0]]
    right = {canonical(o.label): o.label for o in question.matching[1]}
    text = narrow(entry.raw or entry.reference or "")
    said = _PAIR.findall(text) or _LISTED.findall(text)
    by_left = {canonical(name): name for name in left}
    pairs = {
        by_left[canonical(a)]: right[canonical(b)] for a, b in said if canonical(a) in by_left and canonical(b) in right
    }
    if not pairs:
        labels = entry.values if len(entry.values) == len(left) else tuple(entry.raw.split())
        if len(labels) == len(left) and all(canonical(v) in right or position(v) is not None for v in labels):
            pairs = {name: right[canonical(v)] for name, v in zip(left, labels, strict=True) if canonical(v) in right}
    return MatchingRule(correct_pairs=pairs) if len(pairs) == len(left) else None
