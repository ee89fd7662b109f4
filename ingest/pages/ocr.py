"""OCR of pages without a usable text layer, by RapidOCR (the extra `[ocr]`; its models come with the package).

The page is drawn as displayed and read line by line; a page that lies on its side or upside down is turned
and read again. Words get their own boxes, in points of the page as displayed.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

from ...schemas.errors import UsageError
from ...schemas.findings import Finding, Where
from ..page import Box, Page, Stroke, Word
from ..text import is_cjk
from .column_rules import UprightRule, strips, upright_rules
from .sources import SourceFile

INSTALL_HINT = "Install the OCR extra: pip install 'exam2bench[ocr]'."
DPI = 200
# longer page sides are drawn at a lower resolution: the detector itself works on 2,000 pixels
MAX_PIXELS = 2600
# recognised lines below this confidence (0..1) are noise: stains, handwriting, drawings
LEAST_SURE = 0.55
# share of a line's box above the baseline, and the font size as a share of its height
BASELINE, SIZE = 0.78, 0.82


@dataclass(frozen=True)
class _Found:
    """One recognised line in pixels of the picture that was read: its words (text, score, box)."""

    words: tuple[tuple[str, float, Box], ...]
    box: Box
    score: float
    slope: float


def available() -> bool:
    """Whether the OCR extra is installed."""
    return find_spec("rapidocr") is not None and find_spec("onnxruntime") is not None


def read_by_ocr(
    source: SourceFile, pages: Sequence[Page], *, mode: str, language: str | None
) -> tuple[list[Page], list[Finding]]:
    """The pages with OCR words where their layer cannot be used, and findings for pages that nobody read.

    `mode`: "auto" reads the pages without a usable layer, "force" all, "off" none. `language` is kept for
    engines with a model per script; this one reads Latin, Chinese and Japanese at once.
    Raises UsageError for "force" without the extra.
    """
    del language
    wanted = {page.number for page in pages if mode == "force" or not page.trust.usable}
    if mode == "force" and wanted and not available():
        raise UsageError(f"--ocr force: OCR is not installed. {INSTALL_HINT}")
    if not wanted:
        return list(pages), []
    if mode == "off" or not available():
        unread = [replace(page, words=(), read_by="nothing") if page.number in wanted else page for page in pages]
        return unread, [_unread(source, sorted(wanted), mode)]
    read = [_read_page(source, page) if page.number in wanted else page for page in pages]
    return read, [_was_read(source, [page for page in read if page.number in wanted])]


def _unread(source: SourceFile, numbers: list[int], mode: str) -> Finding:
    why = "OCR is off" if mode == "off" else "OCR is not installed"
    return Finding(
        code="page.unread",
        severity="warning",
        where=Where(source=source.index, page=numbers[0]),
        message=f"{source.name}: {page_list(numbers)} without a usable text layer: not read, because {why}.",
        hint="Run again with --ocr auto." if mode == "off" and available() else INSTALL_HINT,
    )


def _was_read(source: SourceFile, pages: list[Page]) -> Finding:
    sure = [word.confidence for page in pages for word in page.words]
    mean = f", mean confidence {sum(sure) / len(sure):.2f}" if sure else ", no text found"
    return Finding(
        code="page.ocr",
        severity="info",
        where=Where(source=source.index, page=pages[0].number),
        message=f"{source.name}: {page_list([p.number for p in pages])} read by OCR ({len(sure)} words{mean}).",
    )


def page_list(numbers: Sequence[int]) -> str:
    """0-based page numbers as people write them: `page 3`, `pages 1-4, 7`."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    text = ", ".join(f"{a + 1}" if a == b else f"{a + 1}-{b + 1}" for a, b in runs)
    return f"page {text}" if len(numbers) == 1 else f"pages {text}"


@lru_cache(maxsize=1)
def _engine() -> Any:
    from rapidocr import RapidOCR

    logging.getLogger("RapidOCR").setLevel(logging.ERROR)
    threads = min(4, os.cpu_count() or 1)
    return RapidOCR(
        params={
            # the direction classifier turns right lines upside down: recognition falls from 100 to 88 %
            "Global.use_cls": False,
            "Global.log_level": "error",
            "Global.text_score": LEAST_SURE,
            "EngineConfig.onnxruntime.intra_op_num_threads": threads,
        }
    )


def _read_page(source: SourceFile, page: Page) -> Page:
    picture, scale = _draw(source, page)
    rules = upright_rules(picture)
    lines, turn = _best_turn(picture, rules)
    height, width = picture.shape[:2]
    words = _words(lines, turn, width, height, scale)
    trust = replace(page.trust, usable=False)
    strokes = (*page.strokes, *_rule_strokes(rules if turn == 0 else [], scale))
    return replace(page, words=tuple(words), strokes=strokes, read_by="ocr", trust=trust, hidden=())


def _rule_strokes(rules: Sequence[UprightRule], scale: float) -> list[Stroke]:
    """The printed rules of a scan as if they had been drawn, piece by piece, in points."""
    return [
        Stroke("vertical", Box((x - 0.5) * scale, y0 * scale, (x + 0.5) * scale, y1 * scale))
        for rule in rules
        for y0, y1, x in rule.pieces
    ]


def _draw(source: SourceFile, page: Page) -> tuple[Any, float]:
    """The page as a BGR array, and points per pixel."""
    import numpy
    import pymupdf

    dpi = min(DPI, MAX_PIXELS * 72 / max(page.width, page.height))
    pixmap = source.document[page.number].get_pixmap(dpi=max(int(dpi), 1), colorspace=pymupdf.csRGB, alpha=False)
    array = numpy.frombuffer(pixmap.samples, numpy.uint8).reshape(pixmap.height, pixmap.width, 3)
    return numpy.ascontiguousarray(array[:, :, ::-1]), page.width / pixmap.width


def _best_turn(picture: Any, rules: list[UprightRule]) -> tuple[list[_Found], int]:
    """The lines of the picture, read after the quarter turns (clockwise) that make it upright. `rules`: where it is
    cut as it lies."""
    import numpy

    lines = _by_strips(picture, rules) if rules else _recognise(picture)
    best, turn = lines, 0
    candidates: tuple[int, ...]
    if _on_its_side(lines):
        # the engine stands tall lines upright one by one: it reads them, but their words lie wrong
        best, candidates = [], (3, 1)
    elif lines and _sureness(lines) < 0.72:
        candidates = (2,)
    else:
        candidates = ()
    for quarter in candidates:
        turned = _recognise(numpy.ascontiguousarray(numpy.rot90(picture, -quarter)))
        if _weight(turned) > 1.15 * _weight(best):
            best, turn = turned, quarter
    return best, turn


def _by_strips(picture: Any, rules: list[UprightRule]) -> list[_Found]:
    """What stands on each side of the rules, read by itself: no line runs on across a rule."""
    found: list[_Found] = []
    for strip, left, top in strips(picture, rules):
        for line in _recognise(strip):
            words = tuple((text, score, _moved(box, left, top)) for text, score, box in line.words)
            found.append(_Found(words, _moved(line.box, left, top), line.score, line.slope))
    return found


def _moved(box: Box, across: float, down: float) -> Box:
    return Box(box.x0 + across, box.y0 + down, box.x1 + across, box.y1 + down)


def _on_its_side(lines: Sequence[_Found]) -> bool:
    tall = sum(1 for line in lines if line.box.height > 1.8 * line.box.width)
    wide = sum(1 for line in lines if line.box.width > 1.8 * line.box.height)
    return tall > 2 * wide and tall > 3


def _sureness(lines: Sequence[_Found]) -> float:
    return sum(line.score for line in lines) / len(lines) if lines else 0.0


def _weight(lines: Sequence[_Found]) -> float:
    return sum(line.score**4 * sum(len(text) for text, _, _ in line.words) for line in lines)


def _recognise(picture: Any) -> list[_Found]:
    result = _engine()(picture, return_word_box=True)
    if result.boxes is None or result.txts is None or result.word_results is None:
        return []
    found: list[_Found] = []
    for quad, text, score, parts in zip(result.boxes, result.txts, result.scores, result.word_results, strict=True):
        box = _bounds(quad)
        tokens = [(str(part[0]), float(part[1]), _bounds(part[2])) for part in parts if part and str(part[0]).strip()]
        if "".join(token[0] for token in tokens).replace(" ", "") != str(text).replace(" ", ""):
            tokens = _in_proportion(str(text), float(score), box)
        (ax, ay), (bx, by) = quad[0], quad[1]
        slope = float(by - ay) / float(bx - ax) if abs(bx - ax) > 4 * abs(by - ay) + 1 else 0.0
        if tokens:
            found.append(_Found(tuple(_joined(tokens, box.height)), box, float(score), slope))
    return found


def _bounds(quad: Any) -> Box:
    xs, ys = [float(p[0]) for p in quad], [float(p[1]) for p in quad]
    return Box(min(xs), min(ys), max(xs), max(ys))


def _in_proportion(text: str, score: float, box: Box) -> list[tuple[str, float, Box]]:
    """The words of a line, its box cut in proportion to their characters."""
    widths = [1.0 if is_cjk(ch) else 0.55 for ch in text]
    total = sum(widths) or 1.0
    tokens: list[tuple[str, float, Box]] = []
    at = 0
    for part in text.split():
        start = text.index(part, at)
        at = start + len(part)
        x0 = box.x0 + box.width * sum(widths[:start]) / total
        x1 = box.x0 + box.width * sum(widths[:at]) / total
        tokens.append((part, score, Box(x0, box.y0, x1, box.y1)))
    return tokens


def _joined(tokens: list[tuple[str, float, Box]], height: float) -> list[tuple[str, float, Box]]:
    """Characters of a script without spaces put together again, up to a wide gap."""
    joined: list[tuple[str, float, Box]] = []
    for text, score, box in tokens:
        last = joined[-1] if joined else None
        if (
            last
            and (is_cjk(last[0][-1]) or is_cjk(text[0]))
            and box.x0 - last[2].x1 < (0.6 if is_cjk(last[0][-1]) and is_cjk(text[0]) else 0.25) * height
        ):
            count = len(last[0]) + len(text)
            mean = (last[1] * len(last[0]) + score * len(text)) / count
            joined[-1] = (last[0] + text, mean, last[2].union(box))
        else:
            joined.append((text, score, box))
    return joined


def _words(lines: Sequence[_Found], turn: int, width: int, height: int, scale: float) -> list[Word]:
    """Words in points of the page as displayed; `width` and `height` are the page picture's."""
    slopes = sorted(line.slope for line in lines if line.box.width > 6 * line.box.height)
    skew = slopes[len(slopes) // 2] if slopes else 0.0
    centre = (width if turn in (0, 2) else height) / 2
    heights = sorted(line.box.height - abs(line.slope) * line.box.width for line in lines)
    usual = heights[len(heights) // 2] if heights else 0.0
    words: list[Word] = []
    for number, line in enumerate(lines):
        tall = line.box.height - abs(line.slope) * line.box.width
        if 0.75 * usual < tall < 1.3 * usual:
            # boxes of lines with and without descenders differ although the print is one size
            tall = usual
        middle = (line.box.y0 + line.box.y1) / 2
        # one baseline for the whole line, as if the page had been laid straight
        baseline = middle + (BASELINE - 0.5) * tall - skew * (line.box.cx - centre)
        for text, score, box in line.words:
            placed = _placed(box, turn, width, height, scale)
            y = baseline * scale if turn == 0 else placed.y1 - (1 - BASELINE) * placed.height
            size = round(SIZE * tall * scale, 1)
            words.append(
                Word(
                    len(words),
                    text,
                    placed,
                    "",
                    size,
                    False,
                    False,
                    False,
                    0,
                    y,
                    number,
                    0,
                    "ocr",
                    True,
                    round(min(line.score, score), 3),
                    (0, 270, 180, 90)[turn],
                )
            )
    return words


def _placed(box: Box, turn: int, width: int, height: int, scale: float) -> Box:
    """A box of the picture turned clockwise by `turn` quarters, back on the page, in points."""
    x0, y0, x1, y1 = box.x0, box.y0, box.x1, box.y1
    if turn == 1:
        x0, y0, x1, y1 = y0, height - x1, y1, height - x0
    elif turn == 2:
        x0, y0, x1, y1 = width - x1, height - y1, width - x0, height - y0
    elif turn == 3:
        x0, y0, x1, y1 = width - y1, x0, width - y0, x1
    return Box(x0 * scale, y0 * scale, x1 * scale, y1 * scale)


__all__ = ["INSTALL_HINT", "available", "page_list", "read_by_ocr"]
