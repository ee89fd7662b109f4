"""Reading order: columns, bands, rows, what hangs on a line, and the page's furniture."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from exam2bench.ingest.page import Box, LayerTrust, Page, Word
from exam2bench.ingest.pages.reading import read_order
from exam2bench.ingest.pages.sources import open_sources
from exam2bench.ingest.pages.textlayer import read_layer
from exam2bench.ingest.text import is_cjk, join_words, split_word

SHARED = Path(__file__).parents[1].parent / "shared" / "exams"
PROSE = "the quick brown fox jumps over the lazy dog and runs away from it again and"


class Sheet:
    """A PDF under construction: text at a point (x, baseline) in points."""

    def __init__(self) -> None:
        self.document = pymupdf.open()
        self.page = self.document.new_page(width=595, height=842)

    def next(self) -> None:
        self.page = self.document.new_page(width=595, height=842)

    def put(self, x: float, y: float, text: str, size: float = 10, **options: object) -> None:
        self.page.insert_text((x, y), text, fontsize=size, **options)
        self.end = x + pymupdf.get_text_length(text, fontsize=size)

    def rule(self, x0: float, y0: float, x1: float, y1: float) -> None:
        self.page.draw_line((x0, y0), (x1, y1), width=0.7)

    def prose(self, x: float, y: float, rows: int, mark: str, pitch: float = 13) -> None:
        for row in range(rows):
            self.put(x, y + pitch * row, f"{mark}{row} {PROSE[:38]}")

    def read(self, tmp_path: Path) -> tuple[list[Page], list[str], dict[tuple[int, int], str]]:
        self.document.save(tmp_path / "sheet.pdf")
        (source,) = open_sources([tmp_path / "sheet.pdf"])
        pages = [read_layer(source, number) for number in source.pages]
        reading = read_order(pages)
        self.lines = reading.lines
        return pages, [line.text for line in reading.lines], dict(reading.furniture)


def marks(texts: list[str]) -> list[str]:
    return [text.split()[0] for text in texts]


def test_two_columns_of_text_are_read_one_after_the_other(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.put(40, 60, "A title across the whole width of the page, which crosses the gutter between the columns", 12)
    sheet.prose(40, 90, 8, "L")
    sheet.prose(310, 94, 8, "R")
    _, texts, _ = sheet.read(tmp_path)
    assert marks(texts) == ["A", *[f"L{i}" for i in range(8)], *[f"R{i}" for i in range(8)]]
    assert [line.column for line in sheet.lines] == [-1, *[0] * 8, *[1] * 8]


def test_three_columns(tmp_path: Path) -> None:
    sheet = Sheet()
    for column in range(3):
        for row in range(9):
            sheet.put(40 + 180 * column, 80 + 13 * row + 3 * column, f"{'LMR'[column]}{row} {PROSE[:24]}")
    _, texts, _ = sheet.read(tmp_path)
    assert marks(texts) == [f"{mark}{row}" for mark in "LMR" for row in range(9)]


def test_a_full_width_band_parts_the_columns_above_from_those_below(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.prose(40, 80, 6, "A")
    sheet.prose(310, 84, 6, "B")
    sheet.put(40, 190, f"MIDDLE {PROSE} {PROSE[:30]}")
    sheet.prose(40, 220, 6, "C")
    sheet.prose(310, 224, 6, "D")
    _, texts, _ = sheet.read(tmp_path)
    assert "".join(mark[0] for mark in marks(texts)) == "AAAAAABBBBBBMCCCCCCDDDDDD"


def test_a_rule_makes_columns_of_single_lines(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.rule(297, 60, 297, 780)
    sheet.put(40, 100, "1. First question?")
    sheet.put(310, 100, "2. Second question?")
    _, texts, _ = sheet.read(tmp_path)
    assert texts == ["1. First question?", "2. Second question?"]
    assert [line.column for line in sheet.lines] == [0, 1]


def test_options_on_one_baseline_are_one_line(tmp_path: Path) -> None:
    sheet = Sheet()
    for row in range(5):
        sheet.put(40, 100 + 16 * row, f"{row + 16}. (A) must be")
        for at, word in enumerate(("(B) could have", "(C) had hardly", "(D) were mostly")):
            sheet.put(170 + 110 * at, 100 + 16 * row, word)
    _, texts, _ = sheet.read(tmp_path)
    assert texts == [f"{n}. (A) must be (B) could have (C) had hardly (D) were mostly" for n in range(16, 21)]


def test_options_that_run_down_two_columns_are_read_down(tmp_path: Path) -> None:
    sheet = Sheet()
    for row, (left, right) in enumerate((("(1) abolitionists", "(3) slave owners"), ("(2) immigrants", "(4) none"))):
        sheet.put(40, 100 + 14 * row, left)
        sheet.put(180, 100 + 14 * row, right)
    _, texts, _ = sheet.read(tmp_path)
    assert [text[:3] for text in texts] == ["(1)", "(2)", "(3)", "(4)"]


def test_cells_of_a_table_stay_in_their_rows(tmp_path: Path) -> None:
    sheet = Sheet()
    for row in range(6):
        for column in range(3):
            sheet.put(60 + 150 * column, 100 + 20 * row, f"cell{row}{column}")
    _, texts, _ = sheet.read(tmp_path)
    assert texts == [f"cell{row}0 cell{row}1 cell{row}2" for row in range(6)]


def test_scripts_and_fractions_stay_on_their_line(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.put(40, 100, "1. Water is H")
    sheet.put(sheet.end, 102, "2", 6)
    sheet.put(sheet.end, 100, "O and x")
    sheet.put(sheet.end, 95, "2", 6)
    sheet.put(40, 140, "2. The share is")
    sheet.put(114, 133, "3")
    sheet.put(114, 147, "4")
    sheet.rule(112, 137, 122, 137)
    sheet.put(130, 140, "of all.")
    _, texts, _ = sheet.read(tmp_path)
    assert texts == ["1. Water is H2O and x2", "2. The share is 3 4 of all."]


def test_an_underline_is_no_fraction(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.put(40, 100, "They cannot")
    sheet.put(112, 100, "18")
    sheet.rule(104, 101.5, 132, 101.5)
    sheet.put(140, 100, "the attention")
    sheet.put(40, 116, "of big towns and small alleys at once.")
    _, texts, _ = sheet.read(tmp_path)
    assert texts == ["They cannot 18 the attention", "of big towns and small alleys at once."]


def test_a_drawn_gap_becomes_a_word(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.put(40, 100, "The government signs an")
    sheet.rule(sheet.end + 3, 101, sheet.end + 33, 101)
    sheet.put(sheet.end + 36, 100, "with its neighbour.")
    pages, texts, _ = sheet.read(tmp_path)
    assert texts == ["The government signs an ______ with its neighbour."]
    assert pages[0].words[-1].text == "______"


def test_code_keeps_its_indentation(tmp_path: Path) -> None:
    sheet = Sheet()
    for row, (indent, text) in enumerate(((0, "def f(n):"), (24, "if n == 0:"), (48, "return 1"))):
        sheet.put(60 + indent, 100 + 13 * row, text, fontname="cour")
    sheet.read(tmp_path)
    assert [round(line.indent) for line in sheet.lines] == [0, 24, 48]
    assert all(word.mono for line in sheet.lines for word in line.words)


def test_furniture_is_known_by_its_recurrence(tmp_path: Path) -> None:
    sheet = Sheet()
    for page in range(4):
        if page:
            sheet.next()
        sheet.put(40, 30, "Biology Paper 1")
        sheet.put(40, 80, f"Question {7 * page + 3}")
        sheet.put(40, 100, f"{page + 1}. What is {PROSE[: 20 + 5 * page]}?")
        sheet.put(290, 815, f"- {page + 1} -")
        sheet.put(480, 815, "[Turn over")
    pages, texts, furniture = sheet.read(tmp_path)
    kinds = {(page.words[i].text, kind) for page in pages for (n, i), kind in furniture.items() if n == page.number}
    assert {kind for text, kind in kinds if text == "Biology"} == {"header"}
    assert {kind for text, kind in kinds if text == "over"} == {"footer"}
    assert {text for text, kind in kinds if kind == "page_number"} == {"-", "1", "2", "3", "4"}
    assert [text for text in texts if text.startswith("Question")] == [f"Question {n}" for n in (3, 10, 17, 24)]
    assert len(texts) == 8


def test_two_columns_whose_lines_share_their_baselines(tmp_path: Path) -> None:
    sheet = Sheet()
    for column, first in enumerate((1, 4)):
        for block in range(3):
            y = 80 + 110 * block
            sheet.put(50 + 258 * column, y, f"{first + block}. The author describes the life of {block}")
            for at, letter in enumerate("ABCDE"):
                sheet.put(50 + 258 * column, y + 17 * (at + 1), f"{letter} the attitude number {at} of people.")
    _, texts, _ = sheet.read(tmp_path)
    assert "".join(text[0] for text in texts) == "1ABCDE2ABCDE3ABCDE4ABCDE5ABCDE6ABCDE"


def test_a_line_of_text_that_recurs_is_no_running_head(tmp_path: Path) -> None:
    sheet = Sheet()
    for page in range(3):
        if page:
            sheet.next()
        sheet.put(50, 60, f"{page + 4}. In which of these sentences is word {page} used rightly,")
        sheet.put(50, 76, "and in which of them is it left out at the end of the clause?")
        sheet.put(50, 93, f"A sentence {page}{page}")
    _, texts, _ = sheet.read(tmp_path)
    assert len(texts) == 9


def test_a_page_set_sideways_is_read_turned(tmp_path: Path) -> None:
    sheet = Sheet()
    for row in range(6):
        for part in range(4):
            sheet.put(100 + 20 * row, 700 - 120 * part, f"r{row}w{part} aa bb", rotate=90)
    _, texts, _ = sheet.read(tmp_path)
    assert [text.split()[0] for text in texts] == [f"r{row}w0" for row in range(6)]
    assert texts[0] == "r0w0 aa bb r0w1 aa bb r0w2 aa bb r0w3 aa bb"


def test_a_page_from_right_to_left(tmp_path: Path) -> None:
    words = ["שאלה", "ראשונה", "על", "pH", "value", "במים"]
    boxes = [Box(500 - 60 * i, 100, 545 - 60 * i, 112) for i in range(3)]
    boxes += [Box(280, 100, 300, 112), Box(305, 100, 340, 112), Box(200, 100, 240, 112)]
    row = tuple(
        Word(i, text, box, "f", 10, baseline=110) for i, (text, box) in enumerate(zip(words, boxes, strict=True))
    )
    page = Page(0, 0, 595, 842, 0, row, (), (), LayerTrust(True))
    (line,) = read_order([page]).lines
    assert line.text == "שאלה ראשונה על pH value במים"


def test_words_are_joined_as_the_page_spaces_them(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.put(40, 100, "下列敘述何者正確", fontname="china-t")
    sheet.put(122, 100, "Ohm's law")
    pages, texts, _ = sheet.read(tmp_path)
    assert texts == ["下列敘述何者正確Ohm's law"]
    assert join_words(pages[0].words[-1:]) == "law"
    assert is_cjk("題") and is_cjk("（") and not is_cjk("A") and not is_cjk("제")


def test_a_cut_word_keeps_its_index_and_its_box(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.put(40, 100, "(A)dog")
    pages, _, _ = sheet.read(tmp_path)
    word = pages[0].words[0]
    left, right = split_word(word, 3)
    assert (left.text, right.text, left.index, right.index) == ("(A)", "dog", word.index, word.index)
    assert left.box.x0 == word.box.x0 and left.box.x1 == right.box.x0 and right.box.x1 == word.box.x1
    with pytest.raises(ValueError):
        split_word(word, 6)


def _lines(slug: str, name: str, number: int) -> list[str]:
    path = SHARED / slug / name
    if not path.exists():
        pytest.skip("the shared exams are not here")
    (source,) = open_sources([path])
    pages = [read_layer(source, n) for n in range(max(0, number - 2), min(source.page_count, number + 3))]
    return [line.text for line in read_order(pages).lines if line.page == number]


def test_regents_columns() -> None:
    lines = _lines("us-regents-ushistory-2013-01", "paper.pdf", 1)
    starts = [line for line in lines if line[:2] in ("1 ", "4 ", "5 ", "7 ")]
    assert [line[0] for line in starts] == ["1", "4", "5", "7"]
    assert lines[4] == "1 Which geographic factor most directly influenced"


def test_gsat_formulas_stay_in_their_lines() -> None:
    lines = _lines("tw-gsat-science-2024", "paper.pdf", 3)
    formula = next(line for line in lines if line.startswith("10."))
    assert "C19H19N7O6" in formula.replace(" ", "")
    options = next(line for line in lines if line.startswith("(A)甲"))
    assert options.startswith("(A)甲乙") or "(E)" in options


def test_enem_prints_its_option_letters_once() -> None:
    lines = _lines("br-enem-2022-day2", "paper.pdf", 4)
    assert "A ocupam áreas de vegetação nativa e substituem" in lines
    assert not [line for line in lines if "ENEM" in line]


def test_boxes_lie_on_the_page(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.prose(40, 80, 5, "A")
    pages, _, _ = sheet.read(tmp_path)
    frame = Box(0, 0, pages[0].width, pages[0].height)
    assert all(frame.contains(word.box.cx, word.box.cy) for word in pages[0].words)


def test_headers_that_ocr_spells_alike_may_hold_other_numbers():
    """`3-A` on one page and `A` on the next fall together as one template: the numbers that both have are compared."""
    from exam2bench.ingest.pages.furniture import _in_step, _Run

    runs = [_Run(0, 20.0, [], "SET 3 A", (3,)), _Run(1, 20.0, [], "SET A", ()), _Run(2, 20.0, [], "SET 3 A", (3,))]
    assert _in_step(runs) == (runs, False)
