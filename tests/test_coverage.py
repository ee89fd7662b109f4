"""Coverage: whose each word is, and what is said about words that are nobody's."""

from __future__ import annotations

from exam2bench.ingest.assembly.coverage import measure
from exam2bench.ingest.draft import DraftOption, DraftPaper, DraftQuestion, DraftSection, Figure
from exam2bench.ingest.lines import Line, Reading
from exam2bench.ingest.page import Box, LayerTrust, Page, Word

COLUMN = Box(50, 50, 350, 800)


def _line(text: str, y: float, first: int, x: float = 50) -> Line:
    words = []
    for n, part in enumerate(text.split(" ")):
        box = Box(x + 60 * n, y, x + 60 * n + 50, y + 10)
        words.append(Word(first + n, part, box, size=10, baseline=y + 8))
    return Line(0, 0, tuple(words), Box(x, y, words[-1].box.x1, y + 10), 0, 0, COLUMN)


def _page(lines: list[Line], hidden: int = 0) -> dict[tuple[int, int], Page]:
    words = tuple(word for line in lines for word in line.words)
    unseen = tuple(Word(n, "ENEM", Box(0, 0, 5, 2)) for n in range(hidden))
    return {(0, 0): Page(0, 0, 400, 850, 0, words, (), (), LayerTrust(usable=True), hidden=unseen)}


def _fragment(line: Line, start: int) -> Line:
    return Line(line.source, line.page, line.words[start:], line.box, line.band, line.column, line.column_box)


HEAD = _line("Answer all questions", 60, 0)
ASK = _line("1. Name this", 100, 3)
OPTION = _line("(A) oak", 120, 6)
AXIS = _line("time speed", 200, 8)
FOOT = _line("page 7", 800, 10)
LINES = [HEAD, ASK, OPTION, AXIS, FOOT]


def _paper() -> DraftPaper:
    option = DraftOption("A", [_fragment(OPTION, 1)], frozenset({(0, 0, 6)}))
    question = DraftQuestion("1.", "1", [_fragment(ASK, 1)], frozenset({(0, 0, 3)}), options=[option])
    return DraftPaper(sections=[DraftSection(questions=[question])], instructions=[HEAD])


FURNITURE = Reading(0, tuple(LINES), {(0, 10): "footer", (0, 11): "footer"})
GRAPH = Figure(0, 0, Box(40, 190, 200, 220), "figure", frozenset({(0, 0, 8), (0, 0, 9)}))


def test_every_word_has_one_owner():
    coverage, findings = measure(_paper(), [FURNITURE], _page(LINES), [GRAPH], ["paper.pdf"])
    assert findings == []
    assert (coverage.words, coverage.question, coverage.instruction) == (12, 5, 3)
    assert (coverage.furniture, coverage.figure, coverage.unassigned) == (2, 2, 0)
    assert coverage.unassigned_words == []


def test_words_of_nobody_are_listed_by_region_and_said():
    missed = [_line("2. What became lost", 400, 12), _line("between the two", 412, 16)]
    coverage, findings = measure(_paper(), [FURNITURE], _page([*LINES, *missed]), [GRAPH], ["paper.pdf"])
    assert coverage.unassigned == 7
    assert [(region.text, region.page) for region in coverage.unassigned_words] == [
        ("2. What became lost between the two", 0)
    ]
    box = coverage.unassigned_words[0].box
    assert (box.x0, box.y0, box.x1, box.y1) == (50, 400, 280, 422)
    assert [(finding.code, finding.severity) for finding in findings] == [("text.unassigned", "warning")]
    assert findings[0].message == (
        "paper.pdf, page 1: “2. What became lost between the two” belongs to no question, direction or figure."
    )


def test_a_page_that_is_mostly_nobodys_is_said_once():
    missed = [_line("a b c d e", 400 + 60 * n, 12 + 5 * n) for n in range(6)]
    coverage, findings = measure(_paper(), [FURNITURE], _page([*LINES, *missed]), [GRAPH], ["paper.pdf"])
    assert coverage.unassigned == 30
    assert [finding.code for finding in findings] == ["page.uncovered"]
    assert findings[0].message == "paper.pdf, page 1: 30 of 42 words belong to no question, direction or figure."


def test_words_that_nobody_can_see_are_no_words_but_are_said():
    coverage, findings = measure(_paper(), [FURNITURE], _page(LINES, hidden=80), [GRAPH], ["paper.pdf"])
    assert coverage.words == 12
    assert [(finding.code, finding.severity) for finding in findings] == [("text.hidden", "info")]
