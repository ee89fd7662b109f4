"""Coverage: every word of every page of the paper belongs to a question, a direction, a figure, the page's
furniture, or to nobody. What belongs to nobody is how a missed question shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...schemas.findings import Finding, FindingBox, Where
from ...schemas.manifest import Coverage, UnassignedWords
from ..draft import DraftPaper, DraftQuestion, Figure, WordKey
from ..lines import Line, Reading
from ..page import Box, Page, Word
from ..text import join_words
from .regions import own_figures, own_labels, own_lines

MANY_HIDDEN = 50
"""Words per page that no reader can see, from which the page is worth a remark."""
_NEAR_X, _NEAR_Y = 30.0, 14.0
_LISTED = 200
_OWNERS = ("question", "instruction", "furniture", "figure", "unassigned")


def measure(
    paper: DraftPaper,
    readings: Sequence[Reading],
    pages: Mapping[tuple[int, int], Page],
    figures: Sequence[Figure],
    names: Sequence[str],
) -> tuple[Coverage, list[Finding]]:
    """Coverage over `pages` (the pages that print questions) and its findings. `names` are the sources' file names."""
    claims = _claims(paper, readings, figures)
    counts: dict[str, int] = dict.fromkeys(_OWNERS, 0)
    left: list[UnassignedWords] = []
    findings: list[Finding] = []
    for key in sorted(pages):
        page = pages[key]
        free: list[Word] = []
        for word in page.words:
            owner = claims.get((page.source, page.number, word.index), "unassigned")
            counts[owner] += 1
            if owner == "unassigned":
                free.append(word)
        regions = _neighbours(free)
        left += [_region(page, words) for words in regions]
        findings += _page_findings(page, free, regions, names)
    total = sum(counts.values())
    return Coverage(words=total, **counts, unassigned_words=left[:_LISTED]), findings


def _claims(paper: DraftPaper, readings: Sequence[Reading], figures: Sequence[Figure]) -> dict[WordKey, str]:
    """Who owns each word; where two claim one, a figure's words are its own, then the question's."""
    claims: dict[WordKey, str] = {}
    for reading in readings:
        for page, index in reading.furniture:
            claims[reading.source, page, index] = "furniture"
    _claim(claims, paper.ornaments, "furniture")
    directions = [*paper.instructions, *paper.reference]
    for section in paper.sections:
        directions += [*section.title, *section.instructions]
    _claim(claims, directions, "instruction")
    for question in paper.questions():
        _claim(claims, own_lines(question) + question.answer_lines, "question")
        claims.update(dict.fromkeys(own_labels(question), "question"))
    for figure in [*_attached(paper), *figures]:
        claims.update(dict.fromkeys(figure.words, "figure"))
    return claims


def _attached(paper: DraftPaper) -> list[Figure]:
    figures = list(paper.reference_figures)
    for section in paper.sections:
        figures += section.figures
    questions: list[DraftQuestion] = paper.questions()
    return figures + [figure for question in questions for figure in own_figures(question)]


def _claim(claims: dict[WordKey, str], lines: Iterable[Line], owner: str) -> None:
    for line in lines:
        for word in line.words:
            claims[line.source, line.page, word.index] = owner


def _neighbours(words: Sequence[Word]) -> list[list[Word]]:
    """Free words grouped where they stand on one line or on lines close below each other."""
    groups: list[tuple[Box, list[Word]]] = []
    for word in words:
        for n in range(len(groups) - 1, max(len(groups) - 9, -1), -1):
            box, members = groups[n]
            if _near(box, word.box):
                groups[n] = (box.union(word.box), [*members, word])
                break
        else:
            groups.append((word.box, [word]))
    return [members for _, members in groups]


def _near(box: Box, other: Box) -> bool:
    across = max(box.x0, other.x0) - min(box.x1, other.x1)
    down = max(box.y0, other.y0) - min(box.y1, other.y1)
    return across < _NEAR_X and down < _NEAR_Y


def _region(page: Page, words: Sequence[Word]) -> UnassignedWords:
    return UnassignedWords(source=page.source, page=page.number, box=_box(words), text=join_words(words)[:400])


def _box(words: Sequence[Word]) -> FindingBox:
    box = words[0].box
    for word in words[1:]:
        box = box.union(word.box)
    return FindingBox(x0=round(box.x0, 2), y0=round(box.y0, 2), x1=round(box.x1, 2), y1=round(box.y1, 2))


def _page_findings(
    page: Page, free: Sequence[Word], regions: Sequence[Sequence[Word]], names: Sequence[str]
) -> list[Finding]:
    place = f"{names[page.source]}, page {page.number + 1}"
    found: list[Finding] = []
    if len(free) > 20 and len(free) > 0.3 * len(page.words):
        found.append(
            Finding(
                code="page.uncovered",
                severity="warning",
                where=Where(source=page.source, page=page.number),
                message=f"{place}: {len(free)} of {len(page.words)} words belong to no question, direction or figure.",
                hint="Look at the page: a question may have been missed.",
            )
        )
    elif free:
        found += [_unassigned(page, words, place) for words in regions]
    if len(page.hidden) >= MANY_HIDDEN:
        found.append(
            Finding(
                code="text.hidden",
                severity="info",
                where=Where(source=page.source, page=page.number),
                message=f"{place}: {len(page.hidden)} words cannot be seen on the page and were left out.",
            )
        )
    return found


def _unassigned(page: Page, words: Sequence[Word], place: str) -> Finding:
    text = join_words(words)
    quoted = text if len(text) <= 60 else text[:57] + "…"
    return Finding(
        code="text.unassigned",
        severity="warning" if len(words) >= 3 else "info",
        where=Where(source=page.source, page=page.number, box=_box(words)),
        message=f"{place}: “{quoted}” belongs to no question, direction or figure.",
    )
