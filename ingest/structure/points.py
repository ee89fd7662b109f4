"""Points, as papers print them: at the question, in a section's heading, in a table on the cover.

A mark is a number with a unit of points (`（25 分）`, `(5 marks)`, `[3점]`, `4,0 điểm`), a bare number in
square brackets at a line's end (`[4]`), or a number in the right margin where the whole paper does so.
A heading may state a mark for each question (`each 2 points`, `每題2分`) or for all (`共20分`, `占 72 分`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

_NUMBER = r"\d{1,3}(?:[.,．]\d{1,2})?\s?½?|½"
_UNIT = (
    r"分(?![鐘钟之鍾为為])|점|点(?![をがはのにと])|points?\b|pts?\b\.?|marks?\b|mks?\b|credits?\b|punkte?n?\b|pkt\b\.?|be\b|"
    r"puntos?\b|pontos?\b|punti\b|punt[eo]n\b|балл(?:ов|а)?\b|điểm|đ\b|poäng\b|poeng\b|pistettä\b|"
    r"bod(?:y|ů)\b|p\b\.?|"
    r"अंक|คะแนน|درجات?|נקודות|نمرة"
)
_WITH_UNIT = re.compile(rf"(?<![\d.,:/~～–-])({_NUMBER})\s*({_UNIT})", re.IGNORECASE)
_UNIT_FIRST = re.compile(
    r"\b(?:points?|marks?|valor|punktzahl|max(?:imum)?\.?(?: marks)?|配点|배점|"
    r"分值)\s*[:：=]\s*(\d{1,3}(?:[.,]\d{1,2})?)",
    re.IGNORECASE,
)
_BRACKETED = re.compile(r"[(（\[［【〔«]\s*([^()（）\[\]［］【】〔〕«»]{1,60}?)\s*[)）\]］】〕»]")
_BARE_SQUARE = re.compile(r"(?<=[.?!。？)）\s])[\[［]\s*(\d{1,2})\s*[\]］]\s*$", re.MULTILINE)
_TOTAL_BRACKET = re.compile(
    r"[\[(]\s*total\s*[:：]?\s*(?:for question \d+\s*[:=]?\s*)?(\d{1,3})(?:\s*marks?)?\s*[\])]", re.IGNORECASE
)
_SPACED_DIGITS = re.compile(r"(?<=[占佔共（(])\s*(\d)\s+(\d)(?=\s*[分点점])")
_EACH = re.compile(
    r"\bfor (?:each |a |every )?(?:correct|right) (?:answer|response)|"
    r"每[小大]?[題题格空句項项答]|每[一]?[題题空]|各\s*[占佔得]?\s*\d|各\s*(?=\d+\s*[点分])|"
    r"\beach\b|\bper (?:question|"
    r"item|correct answer|blank)\b|\bapiece\b|각\s*\d|각\s*문항|문항당|"
    r"\bje\b|\bjeweils\b|\bpro (?:frage|aufgabe)\b|\bchacune?\b|\bpar (?:question|"
    r"bonne réponse)\b|\bcada\b|\bper ogni\b|\bciascun[ao]\b|\bmỗi\b|\bкажд",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"[占佔共]|满分|滿分|合計|合计|총|만점|満点|\btotal\b|\bin all\b|\binsgesamt\b|\bsur\b|"
    r"\bau total\b|\btổng\b|\bвсего\b|\bmax",
    re.IGNORECASE,
)


_TAKEN = re.compile(
    r"\b(?:wrong|incorrect|minus|deduct\w*|loses?|lost|penal\w*|negativ\w*|falsch\w*|abzug|faux|fausses?|erronée?s?|"
    r"incorrect[ao]s?|errad[ao]s?|errat[ao]|sbagliat[ao]|retir\w+|resta\w*|descont\w+)\b|扣|答錯|答错|誤答|減点|감점|오답",
    re.IGNORECASE,
)
"""What follows in a bracket is taken away, or is for a wrong answer: no points of the question."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A printed number of points. `scope`: for this question, for each question of a section, for all of it."""

    value: float
    start: int
    end: int
    scope: Literal["own", "each", "all"] = "own"
    bracketed: bool = False


def number(text: str) -> float:
    """`4`, `1.25`, `4,0`, `2½` as a float. Raises ValueError for anything else."""
    clean = text.replace("．", ".").replace(",", ".").replace(" ", "")
    half = clean.endswith("½")
    clean = clean.rstrip("½")
    return (float(clean) if clean else 0.0) + (0.5 if half else 0.0)


def question_marks(text: str) -> list[Mark]:
    """The marks that a question's own text states: bracketed ones with a unit, `[4]` at the end."""
    found: list[Mark] = []
    for bracket in _BRACKETED.finditer(text):
        inner = _TAKEN.split(bracket.group(1), maxsplit=1)[0]
        matches = list(_WITH_UNIT.finditer(inner))
        if not matches or len(inner) > 45:
            continue
        total = sum(number(match.group(1)) for match in matches) if len(matches) > 1 else number(matches[0].group(1))
        if _EACH.search(inner) or re.search(r"[~～–-]\s*\d|\bor\b|[或至]", inner[: matches[0].end()]):
            continue
        found.append(Mark(total, bracket.start(), bracket.end(), "own", True))
    if not found:
        found = [
            Mark(float(bare.group(1)), bare.start(), bare.end(), "own", True) for bare in _BARE_SQUARE.finditer(text)
        ]
    return found


def head_mark(text: str) -> Mark | None:
    """A mark in a question's heading line without brackets: `Exercice 1 – 5 points`, `Câu 1: 4,0 điểm`."""
    match = _WITH_UNIT.search(text[:60])
    if match and not _EACH.search(text[:60]) and len(text.rstrip()) - match.end() < 4:
        return Mark(number(match.group(1)), match.start(), match.end())
    match = _UNIT_FIRST.search(text[:80])
    return Mark(number(match.group(1)), match.start(), match.end()) if match else None


def section_marks(text: str) -> list[Mark]:
    """The marks that a section's heading or directions state, with what they are for."""
    text = _SPACED_DIGITS.sub(r"\1\2", text)
    found: list[Mark] = []
    for match in _WITH_UNIT.finditer(text):
        clause_start = max((text.rfind(c, 0, match.start()) for c in "，,;；。.()（）:：\n"), default=-1) + 1
        tail = re.split(r"[，,;；。（(:：\n]", text[match.end() : match.end() + 24], maxsplit=1)[0]
        clause = text[clause_start : match.end()] + tail
        before = text[max(clause_start, match.start() - 14) : match.start() + 1]
        if (
            _EACH.search(clause)
            or _EACH.search(text[match.end() : match.end() + 12])
            or re.search(r"\banswer all\b", clause, re.I)
        ):
            scope: Literal["own", "each", "all"] = "each"
        elif _ALL.search(before) or re.search(r"\b(total|in all|insgesamt)\b", clause, re.I):
            scope = "all"
        else:
            scope = "own"
        found.append(Mark(number(match.group(1)), match.start(), match.end(), scope))
    found += [Mark(float(m.group(1)), m.start(), m.end(), "all", True) for m in _TOTAL_BRACKET.finditer(text)]
    return found
