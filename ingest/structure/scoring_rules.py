"""How the paper says that choice questions score: per-option tables, penalties, partial credit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from ..draft import DraftPaper, DraftQuestion, ScoringRule
from ..lines import Line
from . import wording

_SPEAKS_OF_SCORE = re.compile(
    r"[答每]錯|[答每]错|倒扣|wrong|incorrect|falsch|fausse|erron|incorrecta|errada|deduct|penal|negative|"
    r"abzug|minus|partial|部分給分|部分给分|部分[选選][对對]|teilpunkte|for each correct|je richtige",
    re.IGNORECASE,
)
_PER_OPTION_FORMULA = re.compile(r"n\s*[-−–]\s*2\s*k|答錯\s*k\s*個選項|答错\s*k\s*个选项")
_ERRORS_TABLE = re.compile(
    r"(?:只?答錯|錯|只?答错|错)\s*([1-5一二三])\s*[個个](?:選項|"
    r"选项)?[者得，,\s]*得?[該该]?[題题]?\s*(?:得)?\s*(\d+(?:\.\d+)?)\s*(分|%|％)"
)
_FULL_MARK = re.compile(r"(?:全部答對|全部答对|均答對|均答对|全對|全对)者?[，,\s]*得?\s*(\d+(?:\.\d+)?)\s*分")
_PENALTY_POINTS = re.compile(
    r"(?:答錯|答错|每錯|每错|wrong|incorrect|falsche?|fausse|erronée?|incorrecta|errada)[^。.;；\n]{0,60}?"
    r"(?:倒扣|扣|minus|deduct\w*|lose|loses|[-−–]|abzug|retir\w+|resta\w*|"
    r"descont\w+)\s*(?:of )?(\d+(?:[.,]\d+)?|\d\s*/\s*\d|½|¼|⅓)\s*(分|marks?|points?|punkte?|pts?)?",
    re.IGNORECASE,
)
_MINUS_FIRST = re.compile(
    r"[-−–]\s?(\d+(?:[.,]\d+)?)\s*(?:marks?|points?)\s(?:for|per|if)[^.;\n]{0,20}\b(?:wrong|incorrect)", re.IGNORECASE
)
_PENALTY_SHARE = re.compile(
    r"(one[- ]third|1/3|one[- ]fourth|one[- ]quarter|1/4|one[- ]fifth|1/5|one[- ]half|1/2|"
    r"0[.,]\d{1,3})[^.\n]{0,60}(?:deduct|penal|negative|subtract)"
    r"|(?:deduct|penal|negative|subtract)\w*[^.\n]{0,60}?(one[- ]third|1/3|one[- ]fourth|"
    r"one[- ]quarter|1/4|one[- ]fifth|1/5|one[- ]half|1/2|0[.,]\d{1,3})",
    re.IGNORECASE,
)
_NO_PENALTY = re.compile(
    r"不倒扣|不予扣分|no (penalty|negative marking|deduction)|keine minuspunkte|감점.{0,4}없", re.IGNORECASE
)
_POINT_OFF = re.compile(
    r"punktabzug|minuspunkte?|倒扣|negative marking|points? (?:will be|are) deducted|penali[sz]ed", re.IGNORECASE
)
_PARTIAL = re.compile(
    r"partial credit|teilpunkte|部分給分|部分给分|部分[选選][对對]|points? for each correct|"
    r"je richtige",
    re.IGNORECASE,
)
_SHARES = {
    "one-third": 1 / 3,
    "one third": 1 / 3,
    "1/3": 1 / 3,
    "one-fourth": 0.25,
    "one fourth": 0.25,
    "one-quarter": 0.25,
    "one quarter": 0.25,
    "1/4": 0.25,
    "one-fifth": 0.2,
    "one fifth": 0.2,
    "1/5": 0.2,
    "one-half": 0.5,
    "one half": 0.5,
    "1/2": 0.5,
    "½": 0.5,
    "¼": 0.25,
    "⅓": 1 / 3,
}


def assign_scoring(paper: DraftPaper) -> None:
    """Set `scoring` where the cover, the section or the question itself states how choices score."""
    cover = _joined(paper.instructions)
    for section in paper.sections:
        directions = _joined([*section.title, *section.instructions])
        for question in section.questions:
            _assign(question, directions, cover, "")


def _assign(question: DraftQuestion, directions: str, cover: str, shared: str) -> None:
    own = _joined(question.stem)
    if question.children:
        for child in question.children:
            _assign(child, directions, cover, f"{shared}\n{own}")
        return
    if question.type not in ("multiple_choice", "single_choice", "true_false"):
        return
    for text in (own, shared, directions, cover):
        rule = read_rule(text, question) if _speaks_of_score(text) else None
        if rule is not None:
            question.scoring = rule
            return


@lru_cache(maxsize=256)
def _speaks_of_score(text: str) -> bool:
    return bool(_SPEAKS_OF_SCORE.search(text))


def read_rule(text: str, question: DraftQuestion) -> ScoringRule | None:
    """The scoring rule that a text states for a question of this type; None where it states none."""
    if not text.strip():
        return None
    clauses = _clauses_for(text, question)
    several = question.type == "multiple_choice"
    if several and _PER_OPTION_FORMULA.search(clauses):
        return ScoringRule(ratio_by_errors=_linear(len(question.options)), text=_short(clauses))
    if several and (table := _table(clauses, question)):
        return ScoringRule(ratio_by_errors=table, text=_short(clauses))
    if _NO_PENALTY.search(clauses):
        return None
    penalty = _penalty(clauses, question)
    if penalty:
        return ScoringRule(wrong_penalty=penalty, partial=bool(_PARTIAL.search(clauses)), text=_short(clauses))
    if several and _PARTIAL.search(clauses):
        return ScoringRule(partial=True, text=_short(clauses))
    return None


def _clauses_for(text: str, question: DraftQuestion) -> str:
    """The part of a text that speaks of the question's type, where it speaks of both types in turn."""
    plain = wording.plain_text(text)
    several = re.search(r"[˙•●‧·]?\s*[多複复]選題|[多复]选题", plain)
    single = re.search(r"[˙•●‧·]?\s*單選題|单选题", plain)
    if not several or not single:
        return plain
    if question.type == "multiple_choice":
        return plain[several.start() :] if several.start() > single.start() else plain[several.start() : single.start()]
    return plain[single.start() :] if single.start() > several.start() else plain[single.start() : several.start()]


def _linear(options: int) -> tuple[float, ...]:
    """The share (n - 2k) / n for k wrong options, down to 0."""
    n = max(options, 1)
    return tuple(round(max(n - 2 * k, 0) / n, 6) for k in range(n // 2 + 2))


def _table(text: str, question: DraftQuestion) -> tuple[float, ...] | None:
    """Shares by wrong options from a worded table; its full mark is the one in the text, else the question's."""
    full = _FULL_MARK.search(text)
    points = float(full.group(1)) if full else question.points
    found: dict[int, float] = {}
    for match in _ERRORS_TABLE.finditer(text):
        errors = {"一": 1, "二": 2, "三": 3}.get(match.group(1)) or int(match.group(1))
        value = float(match.group(2))
        if match.group(3) == "分" and not points:
            return None
        found[errors] = value / points if match.group(3) == "分" and points else value / 100
    ratios = [found[k] for k in sorted(found)]
    if not found or sorted(found) != list(range(1, len(found) + 1)) or any(not 0 <= ratio <= 1 for ratio in ratios):
        return None
    return (1.0, *(round(ratio, 6) for ratio in ratios), 0.0)


def _penalty(text: str, question: DraftQuestion) -> float:
    share = _PENALTY_SHARE.search(text)
    if share:
        word = (share.group(1) or share.group(2)).lower().replace(",", ".")
        ratio = _SHARES.get(word) or float(word)
        return round(ratio * (question.points or 1.0), 6)
    points = _PENALTY_POINTS.search(text) or _MINUS_FIRST.search(text)
    if points:
        word = points.group(1).replace(",", ".").replace(" ", "")
        return _SHARES[word] if word in _SHARES else float(word) if "/" not in word else 0.0
    if _POINT_OFF.search(text) and question.type == "true_false":
        # "Wrong answers cost points" without a number: as much as a right one earns.
        return question.points or 1.0
    return 0.0


def _short(text: str) -> str:
    return " ".join(text.split())[:300]


def _joined(lines: Sequence[Line]) -> str:
    return "\n".join(line.text for line in lines)
