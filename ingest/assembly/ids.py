"""Ids of sections and questions: ASCII, stable, unique without regard to case, safe as JSON keys and file names.

`q1`, `q2.a` from the printed label; `B.q1` where a section's numbers were used before in the paper;
`g5-7` for a group that has only a shared stimulus and no number of its own.
"""

from __future__ import annotations

import re
import unicodedata

from ...schemas.findings import Finding, Where
from ..draft import DraftPaper, DraftQuestion, DraftSection

_STEMS = dict(
    zip("甲乙丙丁戊己庚辛壬癸", ("jia", "yi", "bing", "ding", "wu", "ji", "geng", "xin", "ren", "gui"), strict=True)
)


def slug(text: str) -> str:
    """ASCII letters and digits of a label, runs of anything else as one `-`; empty where nothing is left.

    `①` is 1, `壹` and `一` are 1, `第十二` is 12, `ア` is a, `가` is ga, `é` is e.
    """
    folded = unicodedata.normalize("NFKC", text).strip()
    folded = re.sub(r"[零〇一二三四五六七八九十壹貳贰參叁肆伍陸陆柒捌玖拾]+", lambda m: _cjk_number(m.group()), folded)
    parts = [_ascii(char) for char in folded]
    return re.sub(r"-+", "-", "".join(parts)).strip("-")[:40]


def _ascii(char: str) -> str:
    if char.isascii():
        return char if char.isalnum() else "-"
    if char in _STEMS:
        return _STEMS[char]
    plain = "".join(c for c in unicodedata.normalize("NFKD", char) if c.isascii() and c.isalnum())
    if plain:
        return plain
    name = unicodedata.name(char, "")
    if unicodedata.category(char)[0] not in "LN" or not name:
        return "-"
    if name.startswith(("CJK UNIFIED", "CJK COMPAT")):
        return "" if char in "第部分題题問问大" else f"u{ord(char):x}"
    return name.rsplit(" ", 1)[-1].lower()


def _cjk_number(text: str) -> str:
    total, digit = 0, 0
    for char in text:
        value = int(unicodedata.numeric(char))
        if value == 10:
            total, digit = total + (digit or 1) * 10, 0
        else:
            digit = digit * 10 + value
    return str(total + digit)


class _Names:
    """Names given so far; a name that is taken (letter case apart) gets `-2`, `-3`, …"""

    def __init__(self) -> None:
        self.taken: set[str] = set()

    def give(self, name: str) -> str:
        chosen, n = name, 2
        while chosen.casefold() in self.taken:
            chosen, n = f"{name}-{n}", n + 1
        self.taken.add(chosen.casefold())
        return chosen


def section_ids(paper: DraftPaper) -> list[str]:
    """One id per section: its key where it has one, else `s1`, `s2`, …"""
    names = _Names()
    return [names.give(_section_name(section, n)) for n, section in enumerate(paper.sections, 1)]


def _section_name(section: DraftSection, position: int) -> str:
    own = slug(section.key or "") or f"s{position}"
    above = slug(section.parent or "")
    return f"{above}-{own}" if above and above != own else own


def assign_ids(paper: DraftPaper) -> list[Finding]:
    """Set `id` on every question of the draft. A label that occurs twice at one place is a finding."""
    names, findings = _Names(), []
    for section, section_id in zip(paper.sections, section_ids(paper), strict=True):
        prefix = _prefix(section, section_id, names)
        for position, question in enumerate(section.questions, 1):
            _name(question, None, prefix, position, names, findings)
    return findings


def _prefix(section: DraftSection, section_id: str, names: _Names) -> str:
    """What goes before the section's labels: nothing where its numbers are new to the paper, else the outer
    section's key where the numbers run on through that section, else the section's own id."""
    if not section.restarts and not _clashes(section, "", names):
        return ""
    outer = f"{slug(section.parent)}." if section.parent and slug(section.parent) else ""
    return outer if outer and not _clashes(section, outer, names) else f"{section_id}."


def _clashes(section: DraftSection, prefix: str, names: _Names) -> bool:
    return any(f"{prefix}q{slug(q.key)}".casefold() in names.taken for q in _numbered(section.questions) if q.key)


def _numbered(questions: list[DraftQuestion]) -> list[DraftQuestion]:
    """The questions that carry the section's own numbers: groups without a number are looked through."""
    return [q for top in questions for q in (_numbered(top.children) if top.group else [top])]


def _name(
    question: DraftQuestion,
    parent: DraftQuestion | None,
    prefix: str,
    position: int,
    names: _Names,
    findings: list[Finding],
) -> None:
    if question.group:
        wanted = prefix + _group_name(question, position)
        inner = None
    elif parent is None:
        wanted = f"{prefix}q{slug(question.key) or f'x{position}'}"
        inner = question
    else:
        wanted = f"{parent.id}.{_below(question.key, parent.key) or position}"
        inner = question
    question.id = names.give(wanted)
    if question.id != wanted and not question.group:
        findings.append(_twice(question))
    for n, child in enumerate(question.children, 1):
        _name(child, inner if inner is not None else parent, prefix, n, names, findings)


def _group_name(question: DraftQuestion, position: int) -> str:
    keys = [slug(q.key) for q in _numbered(question.children) if slug(q.key)]
    if not keys:
        return f"g{slug(question.key) or f'x{position}'}"
    return f"g{keys[0]}" if len(keys) == 1 else f"g{keys[0]}-{keys[-1]}"


def _below(key: str, parent: str) -> str:
    """A sub-question's own part of its label: `13-1` below `13` is 1, `2a` below `2` is a."""
    own, above = slug(key), slug(parent)
    rest = own.removeprefix(above) if above and own != above else own
    return rest.strip("-") if rest == own or not rest[:1].isdigit() else own


def _twice(question: DraftQuestion) -> Finding:
    label = (question.label or question.key).strip()
    lines = question.stem
    where = Where(question=question.id)
    if lines:
        where = Where(question=question.id, source=lines[0].source, page=lines[0].page)
    return Finding(
        code="number.duplicate",
        severity="warning",
        where=where,
        message=f"The number “{label}” is printed a second time at the same level; this one is called {question.id}.",
        hint="Look at the page: one of the two may be no question, or a section heading may have been missed.",
    )
