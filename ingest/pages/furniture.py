"""Furniture: running heads and feet, page numbers, watermarks, margins, "turn over": never part of a question.

It is known by its recurrence at the same height of several pages. Numbers in it must stay the same or count with
the pages: question numbers at the top of a column do neither.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from ..lines import Furniture
from ..page import Page, Word
from ..text import join_words
from .rows import main_size

# how much of the page's height, at its top and bottom, can hold a running head or foot
HEAD, FOOT = 0.13, 0.12
# scans often carry the letterhead of the body that sets the exam on every page
SCANNED_HEAD = 0.2

_TURN_OVER = re.compile(
    r"^[\W_]*(\(?over\)?|please turn over|turn over( the page)?|go on to the next page|turn the page|p\.?t\.?o\.?"
    r"|continued( on (the )?next page)?|tournez la page( s.v.p.)?|bitte wenden|b\.w\.|vire a página|pase a la página"
    r"( siguiente)?|背面還有試題|請翻頁繼續作答|請翻面繼續作答|請翻頁|[(（]?背面[へに].{0,8}|次のページ.{0,10}"
    r"|다음 ?(면|장).{0,10})[\W_]*$",
    re.IGNORECASE,
)
_COPYRIGHT = re.compile(r"^\W*(©|copyright\b|all rights reserved)", re.IGNORECASE)
# labels of questions and options, which may well stand at the top of every page
_LABEL = re.compile(
    r"^[(（【\[]?(#|[A-Za-z])[.)）、．】](?![A-Za-z])|^(question|questão|pregunta|aufgabe|exercice|problem|第#題|問#|câu|bài)\b",
    re.I,
)
_PAGE_NUMBER = re.compile(
    r"^\W*(page|p\.?|seite|pág(ina)?\.?|trang|第|頁次|页)?\W*#\W*(頁|页|面|ページ|쪽)?"
    r"\W*((of|/|de|von|共)?\W*#\W*(頁|页)?)?(\W+(mã đề|code|form|version).{0,12})?\W*$",
    re.I,
)


@dataclass(slots=True)
class _Run:
    """Words side by side at the top or bottom of a page."""

    page: int
    y: float
    words: list[Word]
    text: str
    numbers: tuple[int, ...]


def find_furniture(pages: Sequence[Page]) -> dict[tuple[int, int], Furniture]:
    """Maps (page number, word index) to what kind of furniture the word is."""
    found: dict[tuple[int, int], Furniture] = {}
    edges = {page.number: _edge_runs(page) for page in pages}
    groups: dict[tuple[bool, str], list[_Run]] = defaultdict(list)
    for page in pages:
        scanned = page.read_by == "ocr"
        for run in edges[page.number]:
            top, template = run.y < page.height / 2, re.sub(r"\d+", "#", run.text)
            if scanned:
                template = _spelt_alike(template, [known for side, known in groups if side == top])
            groups[(top, template)].append(run)
        _mark_margins(page, found)
    recurring: list[tuple[_Run, Furniture, int]] = []
    for (top, template), runs in groups.items():
        recurring += _recurring(runs, template, len(pages), top)
    _mark_outermost(recurring, edges, pages, found)
    for page in pages:
        _mark_single(page, edges[page.number], found)
    _mark_watermarks(pages, found)
    return found


def _spelt_alike(template: str, known: Sequence[str]) -> str:
    """The known wording that OCR may have misread here, else the wording itself."""
    if len(template) < 6:
        return template
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(template)
    for other in known:
        matcher.set_seq1(other)
        if matcher.real_quick_ratio() > 0.8 and matcher.ratio() > 0.8:
            return other
    return template


def _mark_outermost(
    recurring: list[tuple[_Run, Furniture, int]],
    edges: dict[int, list[_Run]],
    pages: Sequence[Page],
    found: dict[tuple[int, int], Furniture],
) -> None:
    """Mark the runs that recur, unless something that does not recur stands further out on the page."""
    by_page: dict[int, list[tuple[_Run, Furniture, int]]] = defaultdict(list)
    for found_run in recurring:
        by_page[found_run[0].page].append(found_run)
    for page in pages:
        half = page.height / 2
        mine = by_page[page.number]
        known = {id(run) for run, _, _ in mine}
        known_words = {word.index for run, _, _ in mine for word in run.words}
        others = [run.y for run in edges[page.number] if id(run) not in known and not _TURN_OVER.match(run.text)]
        first = min((y for y in others if y < half), default=half)
        last = max((y for y in others if y > half), default=half)
        for run, kind, times in mine:
            size = run.words[0].size
            often = page.read_by == "ocr" and times >= 0.6 * len(pages) and len(run.text) > 8
            if kind != "page_number" and page.read_by == "layer" and _begins_body(run, page, known_words):
                continue
            if often or (run.y < half and run.y < first + 0.8 * size) or (run.y > half and run.y > last - 0.8 * size):
                _mark(found, page.number, run.words, kind)


def _mark(found: dict[tuple[int, int], Furniture], page: int, words: Iterable[Word], kind: Furniture) -> None:
    for word in words:
        found.setdefault((page, word.index), kind)


def _begins_body(run: _Run, page: Page, known: set[int]) -> bool:
    """Whether the next line of text follows in the same print, at the same indent, at the pitch of a paragraph."""
    first = run.words[0]
    size, x, top = first.size, first.box.x0, run.y < page.height / 2
    row: list[Word] = []
    for word in page.words:
        step = word.baseline - run.y if top else run.y - word.baseline
        if 0.8 * size < step < 1.9 * size and word.index not in known:
            row.append(word)
    for word in row:
        if abs(word.box.x0 - x) < 0.3 * size and abs(word.size - size) < 0.05 * size and word.font == first.font:
            # a word further on in its line stands below by chance
            return not any(-size < other.box.x1 - word.box.x0 <= 0 for other in row)
    return False


def _edge_runs(page: Page) -> list[_Run]:
    head = SCANNED_HEAD if page.read_by == "ocr" else HEAD
    low, high = head * page.height, (1 - FOOT) * page.height
    edge = [w for w in page.words if (w.box.cy < low or w.box.cy > high) and w.angle in (0, 180)]
    edge.sort(key=lambda w: (w.baseline, w.box.x0))
    rows: list[list[Word]] = []
    for word in edge:
        if not rows or word.baseline - rows[-1][0].baseline > 0.25 * max(word.size, 4):
            rows.append([])
        rows[-1].append(word)
    runs: list[_Run] = []
    for row in rows:
        row.sort(key=lambda w: w.box.x0)
        current = [row[0]]
        for word in row[1:]:
            if word.box.x0 - current[-1].box.x1 > 2 * word.size:
                runs.append(_run(page, current))
                current = []
            current.append(word)
        runs.append(_run(page, current))
    return runs


def _run(page: Page, words: list[Word]) -> _Run:
    text = join_words(words)
    return _Run(page.number, words[0].baseline, words, text, tuple(int(n[:9]) for n in re.findall(r"\d+", text)))


def _levels(runs: list[_Run]) -> list[list[_Run]]:
    """Runs of the same wording by the height at which they stand."""
    levels: list[list[_Run]] = []
    for run in sorted(runs, key=lambda r: (r.y, r.page)):
        if not levels or run.y - levels[-1][-1].y > (20 if run.words[0].origin == "ocr" else 6):
            levels.append([])
        levels[-1].append(run)
    return levels


def _recurring(runs: list[_Run], template: str, pages: int, top: bool) -> list[tuple[_Run, Furniture, int]]:
    """Those of the runs that recur on enough pages, their numbers constant or counting with the pages.

    Each with its kind and the number of pages that have it.
    """
    letters = sum(1 for ch in template if ch.isalnum() or ch == "#")
    if _LABEL.match(template) or (letters < 3 and "#" not in template):
        return []
    need = max(2 if pages <= 4 or (pages <= 12 and letters >= 4) else 3, pages // 12)
    number = bool(_PAGE_NUMBER.match(template))
    kept: list[_Run] = []
    rests: list[_Run] = []
    counting = False
    for level in _levels(runs):
        same, counts = _in_step(level)
        # a heading with a number ("Text 2") may count with the pages by chance
        enough = max(need, 0.5 * len(level), 0 if number or not counts else 0.6 * pages)
        if len({run.page for run in same}) >= enough:
            kept += same
            counting |= counts
        else:
            rests += level
    if kept:
        # the same a little higher or lower on other pages
        known = {run.numbers for run in kept}
        steps = {run.numbers[-1] - run.page for run in kept if run.numbers and counting}
        heights = {round(run.y) for run in kept}
        near = [run for run in rests if any(abs(run.y - y) < (25 if number else 60) for y in heights)]
        kept += [r for r in near if (r.numbers and r.numbers[-1] - r.page in steps if steps else r.numbers in known)]
    kind: Furniture = "page_number" if number and counting else "header" if top else "footer"
    times = len({run.page for run in kept})
    return [(run, kind, times) for run in kept]


def _in_step(runs: list[_Run]) -> tuple[list[_Run], bool]:
    """The runs whose numbers stay the same or count with the pages, and whether any of them counts."""
    kept, counting = runs, False
    # templates that OCR spells alike may hold different counts of numbers
    for slot in range(min(len(run.numbers) for run in runs)):
        same, often = Counter(run.numbers[slot] for run in runs).most_common(1)[0]
        # booklets count anew in each of their parts: it is enough to count with a neighbouring page
        offsets = {(run.page, run.numbers[slot] - run.page) for run in runs}
        tracked = {(page, off) for page, off in offsets if {(page + d, off) for d in (-3, -2, -1, 1, 2, 3)} & offsets}
        if often >= len(tracked):
            kept = [run for run in kept if run.numbers[slot] == same]
        else:
            counting = True
            kept = [run for run in kept if (run.page, run.numbers[slot] - run.page) in tracked]
    return kept, counting


def _mark_single(page: Page, runs: list[_Run], found: dict[tuple[int, int], Furniture]) -> None:
    """What needs no second page: "turn over", a copyright line, the lone number at the very bottom."""
    body = [w for w in page.words if (page.number, w.index) not in found]
    if not body:
        return
    last = max(w.box.y1 for w in body)
    for run in runs:
        if (page.number, run.words[0].index) in found:
            continue
        if _TURN_OVER.match(run.text) or _COPYRIGHT.match(run.text):
            _mark(found, page.number, run.words, "header" if run.y < page.height / 2 else "footer")
        elif run.y > 0.9 * page.height and _PAGE_NUMBER.match(re.sub(r"\d+", "#", run.text)) and len(run.text) < 20:
            above = [w.box.y1 for w in body if w.baseline < run.y - 0.5 * w.size]
            beside = [w for w in body if abs(w.baseline - run.y) < 0.5 * w.size and w not in run.words]
            alone = not beside and run.words[0].box.y1 >= last - 1
            if alone and above and run.words[0].box.y0 - max(above) > 1.2 * run.words[0].size:
                _mark(found, page.number, run.words, "page_number")


def _mark_margins(page: Page, found: dict[tuple[int, int], Furniture]) -> None:
    """Text set upwards or downwards in the outer margins."""
    turned = [w for w in page.words if w.angle in (90, 270)]
    if not turned or len(turned) > 0.5 * len(page.words):
        return
    for word in turned:
        if word.box.x1 < 0.08 * page.width or word.box.x0 > 0.92 * page.width:
            found[(page.number, word.index)] = "margin"


def _mark_watermarks(pages: Sequence[Page], found: dict[tuple[int, int], Furniture]) -> None:
    """Slanted or pale large words across the page."""
    suspects = [
        (page, [w for w in page.words if w.angle == 1 or (w.color > 0x969696 and _pale(w.color))]) for page in pages
    ]
    slanted: dict[str, set[int]] = defaultdict(set)
    for page, words in suspects:
        for word in words:
            if word.angle == 1:
                slanted[word.text].add(page.number)
    for page, words in suspects:
        if not words:
            continue
        size = main_size(page.words)
        for word in words:
            if word.size > 1.8 * size or (word.angle == 1 and len(slanted[word.text]) > 1):
                found.setdefault((page.number, word.index), "watermark")


def _pale(color: int) -> bool:
    red, green, blue = color >> 16, color >> 8 & 255, color & 255
    return min(red, green, blue) > 150 and max(red, green, blue) - min(red, green, blue) < 40
