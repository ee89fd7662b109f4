"""Figures: what is one, what belongs to it, what it belongs to. Every page is drawn here."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from exam2bench.ingest.draft import DraftOption, DraftPaper, DraftQuestion, DraftSection, Figure
from exam2bench.ingest.figures.attach import attach_figures
from exam2bench.ingest.figures.captions import caption_label, labels_in
from exam2bench.ingest.figures.crops import gray
from exam2bench.ingest.figures.detect import find_drawn
from exam2bench.ingest.lines import Line
from exam2bench.ingest.page import Box, Picture
from exam2bench.tests.drawn import Drawn, draw, graph, holds, paragraph


def test_a_drawing_is_whole_with_labels_and_caption(tmp_path: Path) -> None:
    def paint(page: Any) -> None:
        paragraph(page, 60, 80)
        graph(page, 200, 160)
        page.insert_text((170, 170), "T (K)", fontsize=9)
        page.insert_text((322, 262), "time", fontsize=9)
        page.insert_text((240, 280), "Figure 2", fontsize=BODY_SIZE)
        paragraph(page, 60, 330)

    drawn = draw(tmp_path / "a.pdf", paint)
    (figure,) = drawn.kind("figure")
    assert holds(figure.box, Box(170, 160, 320, 282))
    assert figure.label == "Figure 2"
    assert figure.caption == "Figure 2"
    assert sorted(drawn.words(figure)) == ["(K)", "2", "Figure", "T", "time"]
    assert figure.before == 3


BODY_SIZE = 11


def test_no_word_of_the_paragraph_beside_a_drawing_is_taken(tmp_path: Path) -> None:
    def paint(page: Any) -> None:
        paragraph(page, 60, 80, lines=8, width=52)
        graph(page, 400, 90)
        page.insert_text((450, 130), "A", fontsize=BODY_SIZE)

    drawn = draw(tmp_path / "a.pdf", paint)
    (figure,) = drawn.kind("figure")
    assert drawn.words(figure) == ["A"]
    assert figure.box.x0 > 390


@pytest.mark.parametrize("dress", ["underline", "rule", "frame", "answer lines", "shade", "column rule", "answer box"])
def test_what_dresses_text_is_no_figure(tmp_path: Path, dress: str) -> None:
    def paint(page: Any) -> None:
        paragraph(page, 60, 80)
        paragraph(page, 60, 300)
        if dress == "underline":
            page.draw_line((60, 82), (200, 82))
        elif dress == "rule":
            page.draw_line((60, 130), (520, 130), width=2)
        elif dress == "frame":
            page.draw_rect(pymupdf.Rect(50, 62, 560, 125))
        elif dress == "answer lines":
            for n in range(6):
                page.draw_line((60, 150 + 20 * n), (520, 150 + 20 * n))
        elif dress == "shade":
            page.draw_rect(pymupdf.Rect(50, 68, 560, 84), fill=(0.85, 0.85, 0.85), color=None, overlay=False)
        elif dress == "column rule":
            page.draw_line((300, 150), (300, 700))
        else:
            page.draw_rect(pymupdf.Rect(60, 150, 500, 260))

    assert draw(tmp_path / "a.pdf", paint).found == []


def test_a_frame_around_a_passage_is_dropped_and_the_drawing_in_it_stays(tmp_path: Path) -> None:
    def paint(page: Any) -> None:
        page.draw_rect(pymupdf.Rect(50, 60, 560, 400))
        paragraph(page, 60, 80, lines=5)
        graph(page, 240, 200)
        paragraph(page, 60, 330, lines=4)

    (figure,) = draw(tmp_path / "a.pdf", paint).kind("figure")
    assert (figure.box.x0, figure.box.y0, figure.box.y1) == pytest.approx((240, 200, 290), abs=1.5)


def test_side_by_side_drawings_with_captions_are_two_figures(tmp_path: Path) -> None:
    def paint(page: Any) -> None:
        paragraph(page, 60, 80)
        for x, name in ((90, "Fig. 1"), (340, "Fig. 2")):
            graph(page, x, 150)
            page.insert_text((x + 40, 262), name, fontsize=BODY_SIZE)

    found = draw(tmp_path / "a.pdf", paint).kind("figure")
    assert [(f.label, f.box.x0 < 300) for f in found] == [("Fig. 1", True), ("Fig. 2", False)]


def test_drawn_options_are_one_figure_each_and_keep_their_labels(tmp_path: Path) -> None:
    def paint(page: Any) -> None:
        paragraph(page, 60, 80, lines=2)
        for n, label in enumerate("ABCD"):
            page.insert_text((60, 160 + n * 64), f"({label})", fontsize=BODY_SIZE)
            graph(page, 95, 126 + n * 64, 60, 60)

    drawn = draw(tmp_path / "a.pdf", paint)
    assert [f.box.y0 for f in drawn.kind("figure")] == pytest.approx([126, 190, 254, 318], abs=1.5)
    assert all(not figure.words for figure in drawn.kind("figure"))


def test_ink_that_recurs_is_furniture(tmp_path: Path) -> None:
    def paint(page: Any) -> None:
        graph(page, 480, 20, 50, 40)
        paragraph(page, 60, 100, lines=6)

    assert draw(tmp_path / "a.pdf", paint, paint, paint, paint).found == []


def test_a_score_box_that_moves_from_page_to_page_is_no_figure(tmp_path: Path) -> None:
    def at(y: float) -> Any:
        def paint(page: Any) -> None:
            page.draw_rect(pymupdf.Rect(480, y, 540, y + 25))
            page.draw_bezier((484, y + 4), (490, y + 20), (495, y + 2), (505, y + 20))
            page.draw_line((510, y), (510, y + 25))
            paragraph(page, 60, 300, lines=4)

        return paint

    assert draw(tmp_path / "a.pdf", at(50), at(90), at(130)).kind("figure") == []


def test_a_stroked_curve_is_not_inflated_by_its_pen(tmp_path: Path) -> None:
    # MuPDF's text page lists curves with ten times the pen's width around them
    def paint(page: Any) -> None:
        paragraph(page, 60, 80, lines=3, width=40)
        page.draw_bezier((100, 160), (140, 130), (180, 220), (220, 160), width=3)
        page.draw_bezier((100, 200), (140, 170), (180, 260), (220, 200), width=3)

    (figure,) = draw(tmp_path / "a.pdf", paint).kind("figure")
    assert figure.box.x0 > 95
    assert figure.box.x1 < 225


def test_a_chart_with_a_frame_and_a_title_is_one_figure(tmp_path: Path) -> None:
    def paint(page: Any) -> None:
        paragraph(page, 60, 60, lines=2)
        page.draw_rect(pymupdf.Rect(100, 110, 500, 330))
        page.insert_text((160, 130), "Consumption of primary energy in 2005, in quadrillion units", fontsize=BODY_SIZE)
        for n in range(6):
            page.draw_rect(pymupdf.Rect(180, 145 + 28 * n, 240 + 40 * n, 160 + 28 * n), fill=(0.4, 0.4, 0.4))
            page.insert_text((115, 156 + 28 * n), f"Land {n}", fontsize=9)

    (figure,) = draw(tmp_path / "a.pdf", paint).kind("figure")
    assert holds(figure.box, Box(100, 110, 500, 330))


def test_a_picture_larger_than_its_ink_counts_by_its_ink(tmp_path: Path) -> None:
    # formula editors place transparent pictures over several lines of text for one small arrow
    arrow = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 300, 120), True)
    arrow.clear_with(0)
    for x in range(20, 60):
        arrow.set_pixel(x, 10, (0, 0, 0, 255))

    def paint(page: Any) -> None:
        paragraph(page, 60, 80, lines=6)
        page.insert_image(pymupdf.Rect(60, 72, 300, 168), pixmap=arrow)

    assert draw(tmp_path / "a.pdf", paint).kind("figure") == []


def test_words_drawn_as_outlines_are_noted_as_unread(tmp_path: Path) -> None:
    def paint(page: Any) -> None:
        paragraph(page, 60, 80, lines=3)
        page.insert_text((110, 140), "x = find(h, value)", fontname="cour", fontsize=BODY_SIZE)
        shape = page.new_shape()
        for n in range(5):
            shape.draw_bezier((62 + 8 * n, 140), (64 + 8 * n, 130), (68 + 8 * n, 130), (70 + 8 * n, 140))
        shape.finish(fill=(0, 0, 0), color=None)
        shape.commit()

    drawn = draw(tmp_path / "a.pdf", paint)
    assert drawn.kind("figure") == []
    assert [round(f.box.x0) for f in drawn.kind("formula")] == [62]


def test_the_figure_of_a_scan_is_the_ink_without_words(tmp_path: Path) -> None:
    plain = draw(tmp_path / "plain.pdf", _scan_page)
    (page,) = plain.pages
    whole = Picture(Box(0, 0, page.width, page.height))
    scan = replace(page, strokes=(), pictures=(whole,), read_by="ocr")
    (figure,) = find_drawn([scan], plain.reading, lambda n, dpi: gray(plain.source, n, dpi))
    assert holds(figure.box, Box(205, 205, 395, 335), slack=6)
    assert figure.box.y0 > 180
    tiles = (Picture(Box(0, 0, page.width, 420)), Picture(Box(0, 420, page.width, page.height)))
    tiled = find_drawn([replace(scan, pictures=tiles)], plain.reading, lambda n, dpi: gray(plain.source, n, dpi))
    assert [f.box for f in tiled] == [figure.box]
    # without pixels a scan has no figures, and no box around the whole page
    assert find_drawn([scan], plain.reading) == []


def _scan_page(page: Any) -> None:
    paragraph(page, 60, 80, lines=6)
    graph(page, 200, 200, 200, 140)
    page.draw_circle((300, 260), 40)
    paragraph(page, 60, 400, lines=6)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("圖3", ("figure", "3")),
        ("Figure 2a", ("figure", "2a")),
        ("Abb. 4: Versuchsaufbau", ("figure", "4")),
        ("表二", ("table", "二")),
        ("図 1", ("figure", "1")),
        ("그림 5", ("figure", "5")),
        ("Gráfico 7 – População", ("figure", "7")),
        ("Table 3. Results", ("table", "3")),
    ],
)
def test_captions_in_many_languages(text: str, key: tuple[str, str]) -> None:
    label = caption_label(text)
    assert label is not None
    assert label.key == key


@pytest.mark.parametrize(
    "text", ["Figure 2 shows the forces on the block", "圖3為某地氣溫變化", "a map of 1812", "12", ""]
)
def test_sentences_about_figures_are_no_captions(text: str) -> None:
    assert caption_label(text) is None


def test_references_name_each_figure_once() -> None:
    assert [label.number for label in labels_in("如圖2、3及表1所示，氣溫18度")] == ["2", "3", "1"]
    assert [label.number for label in labels_in("Figures 4 and 5 show 12 cells")] == ["4", "5"]


def _question(drawn: Drawn, key: str, stem: tuple[int, int], options: tuple[int, int] | None = None) -> DraftQuestion:
    lines = list(drawn.reading.lines)
    question = DraftQuestion(label=f"{key}.", key=key, stem=lines[slice(*stem)])
    for line in lines[slice(*options)] if options else []:
        question.options.append(_option(line))
    return question


def _option(line: Line) -> DraftOption:
    key = (line.source, line.page, line.words[0].index)
    rest = Line(line.source, line.page, line.words[1:], line.box, line.band, line.column, line.column_box)
    return DraftOption(line.words[0].text.strip("()."), [rest] if rest.words else [], frozenset({key}))


def _attach(drawn: Drawn, questions: list[DraftQuestion]) -> None:
    paper = DraftPaper(sections=[DraftSection(questions=questions)])
    attach_figures(paper, drawn.found, [drawn.reading])


def test_a_figure_below_the_stem_belongs_to_its_question(tmp_path: Path) -> None:
    def paint(page: Any) -> None:
        page.insert_text(
            (60, 80), "1. What does the line in this picture of a field of crops stand for in it?", fontsize=11
        )
        graph(page, 200, 110)
        page.insert_text(
            (60, 240), "2. Which of the following answers is true for every triangle in the plane?", fontsize=11
        )

    drawn = draw(tmp_path / "a.pdf", paint)
    first, second = _question(drawn, "1", (0, 1)), _question(drawn, "2", (1, 2))
    _attach(drawn, [first, second])
    assert (len(first.figures), len(second.figures)) == (1, 0)


def test_a_reference_wins_over_the_place(tmp_path: Path) -> None:
    def paint(page: Any) -> None:
        page.insert_text(
            (60, 80), "1. Which of the following answers is true for all triangles of the plane?", fontsize=11
        )
        graph(page, 200, 110)
        page.insert_text((230, 220), "Figure 7", fontsize=11)
        page.insert_text(
            (60, 260), "2. As shown in Figure 7, a ball is thrown from the roof of a tall house.", fontsize=11
        )

    drawn = draw(tmp_path / "a.pdf", paint)
    lines = [line for line in drawn.reading.lines if line.text[0].isdigit()]
    questions = [DraftQuestion(label=line.text[:2], key=line.text[0], stem=[line]) for line in lines]
    _attach(drawn, questions)
    assert [len(question.figures) for question in questions] == [0, 1]


def test_a_figure_beside_a_question_is_its_own(tmp_path: Path) -> None:
    def paint(page: Any) -> None:
        for n, text in enumerate(
            ("1. What is the speed of the train in question here", "(A) ten", "(B) twelve", "(C) six")
        ):
            page.insert_text((60, 80 + 18 * n), text, fontsize=11)
        graph(page, 400, 75, 100, 70)
        page.insert_text((60, 180), "2. Which of the following answers is true for every triangle?", fontsize=11)

    drawn = draw(tmp_path / "a.pdf", paint)
    lines = list(drawn.reading.lines)
    first = DraftQuestion(label="1.", key="1", stem=[lines[0]], options=[_option(line) for line in lines[1:4]])
    second = DraftQuestion(label="2.", key="2", stem=[lines[4]])
    _attach(drawn, [first, second])
    assert (len(first.figures), len(second.figures)) == (1, 0)


def test_pictures_go_to_the_options_whose_labels_they_stand_at(tmp_path: Path) -> None:
    def paint(page: Any) -> None:
        page.insert_text(
            (60, 80), "1. Which of these drawings shows the path of the stone after it was thrown?", fontsize=11
        )
        for n, label in enumerate("ABC"):
            page.insert_text((60, 160 + n * 70), f"({label})", fontsize=11)
            graph(page, 95, 126 + n * 70, 60, 60)

    drawn = draw(tmp_path / "a.pdf", paint)
    lines = list(drawn.reading.lines)
    question = DraftQuestion(label="1.", key="1", stem=[lines[0]], options=[_option(line) for line in lines[1:]])
    _attach(drawn, [question])
    assert [len(option.figures) for option in question.options] == [1, 1, 1]
    assert question.figures == []


def test_a_group_keeps_the_figure_between_its_head_and_its_members(tmp_path: Path) -> None:
    def paint(page: Any) -> None:
        paragraph(page, 60, 80, lines=2)
        graph(page, 200, 120)
        page.insert_text(
            (60, 260), "1. Which of the following answers is true for every triangle in the plane?", fontsize=11
        )

    drawn = draw(tmp_path / "a.pdf", paint)
    lines = list(drawn.reading.lines)
    group = DraftQuestion(label=None, key="1", stem=lines[:2], group=True)
    group.children = [DraftQuestion(label="1.", key="1", stem=[lines[2]])]
    _attach(drawn, [group])
    assert (len(group.figures), len(group.children[0].figures)) == (1, 0)


def test_a_table_whose_words_the_questions_hold_is_left_out(tmp_path: Path) -> None:
    def paint(page: Any) -> None:
        paragraph(page, 60, 80, lines=2)

    drawn = draw(tmp_path / "a.pdf", paint)
    line = drawn.reading.lines[0]
    words = frozenset((line.source, line.page, word.index) for word in line.words)
    table = Figure(0, 0, line.box, "table", words=words, rows=(("a", "b"),))
    question = DraftQuestion(label="1.", key="1", stem=[line])
    attach_figures(DraftPaper(sections=[DraftSection(questions=[question])]), [table], [drawn.reading])
    assert question.figures == []


def test_structural_formulas_are_drawings_with_their_letters(tmp_path: Path) -> None:
    def paint(page: Any) -> None:
        paragraph(page, 60, 80, lines=2)
        for x in (204, 234):
            page.insert_text((x, 200), "C", fontsize=11)
            page.insert_text((x, 176), "H", fontsize=11)
            page.insert_text((x, 224), "H", fontsize=11)
            page.draw_line((x + 4, 179), (x + 4, 190), width=0.8)
            page.draw_line((x + 4, 203), (x + 4, 214), width=0.8)
        page.draw_line((214, 196), (232, 196), width=0.8)
        paragraph(page, 60, 280, lines=2)

    drawn = draw(tmp_path / "a.pdf", paint)
    (figure,) = drawn.kind("figure")
    assert sorted(drawn.words(figure)) == ["C", "C", "H", "H", "H", "H"]


def test_a_crop_does_not_cut_into_the_line_above(tmp_path: Path) -> None:
    def paint(page: Any) -> None:
        paragraph(page, 60, 80, lines=3)
        graph(page, 200, 128)
        page.insert_text((192, 126), "T", fontsize=11)

    drawn = draw(tmp_path / "a.pdf", paint)
    (figure,) = drawn.kind("figure")
    assert drawn.words(figure) == ["T"]
    assert figure.box.y0 >= drawn.reading.lines[2].box.y1 - 0.01
