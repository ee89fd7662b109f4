"""Roles: which source is the paper, which its key, mark scheme or solution, by what stands in them.

The content decides: a page of counting labels with short values is a key, whatever its file is called.
Titles and file names only weigh in where the content leaves a choice. What the user tells wins.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ...schemas.findings import Finding, Where
from ...schemas.manifest import SourceRole as Role
from ..lines import Line, Reading
from ..page import Page
from ..pages.sources import SourceFile
from .key_pages import may_be_key, read_page
from .key_words import KEY_NAMES, OTHER_NAMES, SCHEME_NAMES, SHEET_NAMES, SOLUTION_NAMES

_KEY_TITLE = re.compile(
    r"answer\s*key|scoring\s*key|key\s*to|answers?\s*$|標準答案|参考答案|參考答案|答案\s*$|答案詳解|答案详解|"
    r"試題答案|试题答案|正答|解答\s*$|정답|"
    r"gabarito|clave de respuestas|hoja de respuestas correctas|corrig[ée]|đáp án|klucz|ответы|"
    r"lösungsschlüssel|facit|plantilla de respuestas",
    re.IGNORECASE,
)
_CHART = re.compile(
    r"\bconversion\s+chart|\b(?:scale|scaled|raw)\s+scores?\b|umrechnungstabelle|換算表|환산표", re.IGNORECASE
)
_PAGES = 30
"""Pages of a source that are compared with others; roles show long before."""
_OPTION_START = re.compile(r"^[(（\[]?([A-E①-⑤]|[1-5](?=[).)）]))[)）.．、\]]?\s*\S")


@dataclass(frozen=True)
class SourceRole:
    """A source's role; `pages` holds the pages (0-based) that play another one. `why`: what told, in words."""

    source: int
    role: Role
    pages: dict[int, Role] = field(default_factory=dict)
    why: str = ""


@dataclass
class _Evidence:
    """What was seen in one source."""

    source: int
    name: str
    words: int
    pages: tuple[int, ...]
    key_pages: dict[int, int]
    """Page number to how many label-value pairs it holds, where they are most of what it prints."""
    headed: frozenset[int]
    """Pages with the heading of a key."""
    options: int
    titles: list[str]
    shingles: set[str]


def find_roles(
    sources: Sequence[SourceFile],
    readings: Sequence[Reading],
    pages: Mapping[tuple[int, int], Page],
    told: Mapping[str, str],
) -> tuple[list[SourceRole], list[Finding]]:
    """The role of each source, in the order of `sources`. `told` maps a source's name or path to its role."""
    lone = len(sources) == 1
    evidence = [_look(s, r, pages, lone) for s, r in zip(sources, readings, strict=True)]
    given = {i: told.get(s.name) or told.get(str(s.path)) for i, s in enumerate(sources)}
    roles = [_told(e, given[e.source]) or _judge(e, lone) for e in evidence]
    roles = _repeats(roles, evidence, given)
    roles, findings = _one_paper_at_least(roles, evidence, given)
    return [_page_roles(r, e, given[e.source]) for r, e in zip(roles, evidence, strict=True)], findings


def select(readings: Sequence[Reading], roles: Sequence[SourceRole], wanted: set[str]) -> list[Reading]:
    """The readings cut down to the lines of the pages that play one of the `wanted` roles; empty ones left out."""
    by_source = {r.source: r for r in roles}
    chosen: list[Reading] = []
    for reading in readings:
        role = by_source[reading.source]
        lines = tuple(line for line in reading.lines if role.pages.get(line.page, role.role) in wanted)
        if lines or (role.role in wanted and not reading.lines):
            chosen.append(replace(reading, lines=lines))
    return chosen


# --- evidence -----------------------------------------------------------------------------------------------


def _look(source: SourceFile, reading: Reading, pages: Mapping[tuple[int, int], Page], lone: bool) -> _Evidence:
    own = {n: pages[source.index, n] for n in source.pages if (source.index, n) in pages}
    by_page: dict[int, list[Line]] = {}
    for line in reading.lines:
        by_page.setdefault(line.page, []).append(line)
    key_pages = {n: count for n, page in own.items() if (count := _key_pairs(page, by_page.get(n, [])))}
    headed = frozenset(n for n in key_pages if any(_heads(_KEY_TITLE, line.text) for line in by_page.get(n, [])[:4]))
    first = min(by_page, default=-1)
    shown = [line for n in sorted(by_page)[:_PAGES] for line in by_page[n]]
    return _Evidence(
        source.index,
        source.name,
        sum(len(p.words) for p in own.values()),
        tuple(own),
        key_pages,
        headed,
        0 if lone else sum(bool(_OPTION_START.match(line.text)) for line in shown),
        _titles(by_page.get(first, []), reading),
        set() if lone else _shingles(shown),
    )


def _key_pairs(page: Page, lines: Sequence[Line]) -> int:
    """How many label-value pairs the page holds, 0 where they are not most of what it prints."""
    if not may_be_key(page):
        return 0
    read = read_page(page, lines)
    return read.pairs if read.mostly_key else 0


def _titles(lines: Sequence[Line], reading: Reading) -> list[str]:
    """The first page's heading lines: the first ones, and those set larger than the page's text."""
    sizes = sorted(line.size for line in lines)
    usual = sizes[len(sizes) // 2] if sizes else 0.0
    heads = [line.text for n, line in enumerate(lines) if n < 6 or (line.size >= 1.15 * usual and n < 40)]
    return [text for text in heads if len(text) <= 90]


def _shingles(lines: Sequence[Line]) -> set[str]:
    found: set[str] = set()
    for line in lines:
        text = "".join(ch for ch in line.text.casefold() if ch.isalnum())
        found.update(text[i : i + 12] for i in range(0, max(len(text) - 11, 0), 3))
    return found


# --- judgement ----------------------------------------------------------------------------------------------


def _told(evidence: _Evidence, role: str | None) -> SourceRole | None:
    if role is None:
        return None
    return SourceRole(evidence.source, role, {}, "told")  # type: ignore[arg-type]


def _judge(e: _Evidence, lone: bool) -> SourceRole:
    if lone:
        return SourceRole(e.source, "paper", {}, "the only source")
    filled = len(e.pages) or 1
    title = " | ".join(e.titles)
    if e.words == 0:
        return SourceRole(e.source, _by_name(e.name) or "paper", {}, "its file name; no page of it could be read")
    if _CHART.search(f"{title} {_spaced(e.name)}"):
        return SourceRole(e.source, "other", {}, "a chart of scores")
    if 2 * len(e.key_pages) >= filled:
        return SourceRole(e.source, "key", {}, "its pages are answer keys")
    if OTHER_NAMES.search(title) and e.options < 4:
        return SourceRole(e.source, "other", {}, "its title")
    for pattern, role in ((SCHEME_NAMES, "markscheme"), (SOLUTION_NAMES, "solution"), (_KEY_TITLE, "solution")):
        if any(_heads(pattern, text) for text in e.titles):
            return SourceRole(e.source, role, {}, "its title")  # type: ignore[arg-type]
    named = _by_name(e.name)
    if named:
        return SourceRole(e.source, "solution" if named == "key" else named, {}, "its file name")
    return SourceRole(e.source, "paper", {}, "it prints questions")


def _heads(pattern: re.Pattern[str], text: str) -> bool:
    """Whether the words stand in a heading rather than in a sentence: they are much of a short line."""
    match = pattern.search(text)
    if not match:
        return False
    rest = len(text) - (match.end() - match.start())
    return (
        rest <= 30
        or text.isupper()
        or (match.end() >= len(text.rstrip(" .:：")) and not re.search(r"[.?!。，,]", text))
    )


def _spaced(name: str) -> str:
    """A file name without its ending, its words apart."""
    return re.sub(r"[_\-.]+", " ", name.rsplit(".", 1)[0])


def _by_name(name: str) -> Role | None:
    text = _spaced(name)
    for pattern, role in (
        (SHEET_NAMES, "answersheet"),
        (OTHER_NAMES, "other"),
        (SCHEME_NAMES, "markscheme"),
        (SOLUTION_NAMES, "solution"),
        (KEY_NAMES, "key"),
    ):
        if pattern.search(text):
            return role  # type: ignore[return-value]
    return None


def _repeats(
    roles: Sequence[SourceRole], evidence: Sequence[_Evidence], given: Mapping[int, str | None]
) -> list[SourceRole]:
    """A source that repeats most of another and adds to it is its solution; one that adds nothing is no key."""
    out = list(roles)
    prose = [
        e for e in evidence if roles[e.source].role in ("paper", "solution", "markscheme") and len(e.shingles) >= 40
    ]
    for a in prose:
        for b in prose:
            if a.source == b.source or (given[a.source] or "paper") != "paper" or given[b.source]:
                continue
            shared = len(a.shingles & b.shingles) / len(a.shingles)
            added = len(b.shingles - a.shingles) / len(b.shingles)
            same = added < 0.04 and len(a.shingles - b.shingles) < 0.04 * len(a.shingles)
            if shared >= 0.6 and added >= 0.04 and len(b.shingles) > len(a.shingles):
                out[a.source] = SourceRole(a.source, "paper", {}, f"{b.name} repeats it")
                out[b.source] = SourceRole(b.source, "solution", {}, f"it repeats {a.name} and adds answers")
            elif same and (_by_name(a.name) is not None, a.source) < (_by_name(b.name) is not None, b.source):
                out[b.source] = SourceRole(b.source, "answersheet", {}, f"it is {a.name} again and prints nothing more")
    return out


def _one_paper_at_least(
    roles: Sequence[SourceRole], evidence: Sequence[_Evidence], given: Mapping[int, str | None]
) -> tuple[list[SourceRole], list[Finding]]:
    out = list(roles)
    if any(r.role == "paper" for r in out):
        return [_cover(r, e, out) if not given[e.source] else r for r, e in zip(out, evidence, strict=True)], []
    free = [
        e
        for e in evidence
        if not given[e.source] and e.words and e.source not in {r.source for r in out if r.role == "key"}
    ]
    if free:
        best = max(free, key=lambda e: (e.options, e.words, -e.source))
        out[best.source] = SourceRole(best.source, "paper", {}, "of all sources it prints the most questions")
        return out, []
    message = "None of the sources prints questions; they were read as " + ", ".join(
        f"{e.name} ({r.role})" for e, r in zip(evidence, out, strict=True)
    )
    hint = "give the exam paper too, or say which file it is with --role FILE=paper"
    return out, [Finding(code="source.no_paper", severity="error", message=message + ".", hint=hint)]


def _cover(role: SourceRole, e: _Evidence, roles: Sequence[SourceRole]) -> SourceRole:
    """A sheet of one or two pages without questions beside a real paper is no paper."""
    papers = [r for r in roles if r.role == "paper"]
    if role.role != "paper" or len(papers) < 2 or len(e.pages) > 2 or e.options >= 4:
        return role
    named = re.search(r"cover|instruction|formula|framsida|deckblatt|portada|capa|information", e.name, re.IGNORECASE)
    return SourceRole(role.source, "other", {}, "a cover sheet without questions") if named else role


def _page_roles(role: SourceRole, e: _Evidence, given: str | None) -> SourceRole:
    """A paper's own pages that are answer keys: the last ones, or such as say so in a heading."""
    if role.role != "paper" or given or len(e.key_pages) * 2 > len(e.pages):
        return role
    found: dict[int, Role] = {}
    last = True
    for n in reversed(e.pages):
        key = e.key_pages.get(n, 0) >= 5 and (last or n in e.headed)
        if key:
            found[n] = "key"
        last = last and key
    return replace(role, pages=dict(sorted(found.items())))


def role_findings(roles: Sequence[SourceRole], sources: Sequence[SourceFile]) -> list[Finding]:
    """One note per source: what it was taken for and why."""
    return [
        Finding(
            code="source.role",
            severity="info",
            where=Where(source=r.source),
            message=f"{s.name} was read as {r.role}: {r.why}.",
        )
        for r, s in zip(roles, sources, strict=True)
    ]
