"""Tables: what is one, how its cells read, and what only looks like one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pymupdf
import pytest

from exam2bench.ingest.assembly.proof import block_strings
from exam2bench.schemas.content import TableBlock
from exam2bench.tests.drawn import BODY, draw, graph, grid, holds, paragraph

DATA = [["Year", "Tonnes", "Price"], ["1929", "1,550", "3.2"], ["1930", "4,340", "8.9"]]


def test_a_ruled_table_reads_as_header_and_rows(tmp_path: Path) -> None:
    def paint(page: Any) -> None:
        paragraph(page, 60, 80)
        page.insert_text((200, 142), "Table 3", fontsize=BODY)
        grid(page, 100, 150, DATA, [80, 80, 80])
        paragraph(page, 60, 250)

    (table,) = draw(tmp_path / "a.pdf", paint).found
    assert table.kind == "table"
    assert table.header == ("Year", "Tonnes", "Price")
    assert table.rows == (("1929", "1,550", "3.2"), ("1930", "4,340", "8.9"))
    assert (table.label, table.caption, table.before) == ("Table 3", "Table 3", 3)
    assert table.box.y0 == pytest.approx(132, abs=5)


def test_a_cell_over_two_columns_is_printed_once(tmp_path: Path) -> None:
    def paint(page: Any) -> None:
        paragraph(page, 60, 80)
        for y in (150, 170, 190, 210):
            page.draw_line((100, y), (340, y))
        for x in (100, 180, 340):
            page.draw_line((x, 150), (x, 210))
        page.draw_line((260, 170), (260, 210))
        for x, y, text in ((220, 164, "Census"), (190, 184, "1921"), (270, 184, "1931"), (110, 204, "Fujian")):
            page.insert_text((x, y), text, fontsize=BODY)
        page.insert_text((190, 204), "398", fontsize=BODY)
        page.insert_text((270, 204), "586", fontsize=BODY)

    (table,) = draw(tmp_path / "a.pdf", paint).found
    assert table.header is None
    assert table.rows == (("", "Census", ""), ("", "1921", "1931"), ("Fujian", "398", "586"))


def test_a_table_with_head_and_foot_rules_only_reads_by_its_gutters(tmp_path: Path) -> None:
    def paint(page: Any) -> None:
        paragraph(page, 60, 80)
        for y in (150, 170, 212):
            page.draw_line((100, y), (400, y))
        for n, row in enumerate([["Metal", "Density", "Melts at"], ["iron", "7.87", "1538"], ["lead", "11.34", "327"]]):
            for x, text in zip((105, 220, 320), row, strict=True):
                page.insert_text((x, 165 + 20 * n), text, fontsize=BODY)

    (table,) = draw(tmp_path / "a.pdf", paint).found
    assert table.header == ("Metal", "Density", "Melts at")
    assert table.rows == (("iron", "7.87", "1538"), ("lead", "11.34", "327"))


def test_meant_line_breaks_of_a_cell_are_kept(tmp_path: Path) -> None:
    def paint(page: Any) -> None:
        paragraph(page, 60, 80)
        for y in (150, 170, 230):
            page.draw_line((100, y), (300, y))
        for x in (100, 200, 300):
            page.draw_line((x, 150), (x, 230))
        page.insert_text((105, 164), "Input", fontsize=BODY)
        page.insert_text((205, 164), "Output", fontsize=BODY)
        for n, text in enumerate(("3 2", "8 9", "101")):
            page.insert_text((105, 184 + 16 * n), text, fontsize=BODY)
        page.insert_text((205, 184), "19", fontsize=BODY)

    (table,) = draw(tmp_path / "a.pdf", paint).found
    assert table.header == ("Input", "Output")
    assert table.rows == (("3 2<br>8 9<br>101", "19"),)
    block = TableBlock(rows=[list(row) for row in table.rows])
    assert block_strings([block]) == ["3 2 8 9 101", "19"]  # what the page must hold


def test_a_bar_in_a_cell_is_escaped(tmp_path: Path) -> None:
    def paint(page: Any) -> None:
        paragraph(page, 60, 80)
        grid(page, 100, 150, [["f", "g"], ["|x|", "2"], ["3", "4"]], [80, 80])

    (table,) = draw(tmp_path / "a.pdf", paint).found
    assert table.rows == ((r"\|x\|", "2"), ("3", "4"))


def test_an_array_of_cells_is_a_table_of_one_row(tmp_path: Path) -> None:
    def paint(page: Any) -> None:
        paragraph(page, 60, 80)
        grid(page, 100, 150, [["48", "55", "64", "83", "4", "20"]], [40] * 6)

    (table,) = draw(tmp_path / "a.pdf", paint).found
    assert (table.header, table.rows) == (None, (("48", "55", "64", "83", "4", "20"),))


@pytest.mark.parametrize(
    "cells",
    [
        [["Name", ""], ["Number", ""], ["Signature", ""]],
        [["", "", ""], ["", "", ""], ["", "", ""]],
        [["Node", "Adjacency list"], ["", ""], ["", ""], ["", ""]],
        [["A long passage stands in", "two boxes side by side"]],
    ],
    ids=["form", "answer grid", "answer table", "boxed passages"],
)
def test_a_grid_without_data_is_no_table(tmp_path: Path, cells: list[list[str]]) -> None:
    def paint(page: Any) -> None:
        paragraph(page, 60, 80)
        grid(page, 100, 150, cells, [150] * len(cells[0]))

    assert draw(tmp_path / "a.pdf", paint).kind("table") == []


def test_options_set_in_a_grid_stay_text(tmp_path: Path) -> None:
    rows = [["", "before", "after"], *([f"({x})", "rises slowly", "falls quickly"] for x in "ABCD")]

    def paint(page: Any) -> None:
        paragraph(page, 60, 80)
        grid(page, 100, 150, rows, [40, 110, 110])

    assert draw(tmp_path / "a.pdf", paint).found == []


def test_a_chart_with_grid_lines_is_a_figure(tmp_path: Path) -> None:
    def paint(page: Any) -> None:
        paragraph(page, 60, 80)
        grid(page, 150, 150, [[""] * 5] * 5, [30] * 5)
        graph(page, 150, 150, 150, 100)
        page.draw_bezier((155, 240), (200, 160), (240, 170), (290, 230))
        for n in range(5):
            page.insert_text((137, 166 + 20 * n), str(5 - n), fontsize=9)

    drawn = draw(tmp_path / "a.pdf", paint)
    assert drawn.kind("table") == []
    (figure,) = drawn.kind("figure")
    assert len(drawn.words(figure)) == 5


def test_pictures_in_a_grid_are_figures_of_their_own(tmp_path: Path) -> None:
    photo = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 40, 40), False)
    photo.clear_with(120)

    def paint(page: Any) -> None:
        paragraph(page, 60, 80)
        grid(page, 100, 150, [["(A)", "(B)"], ["(C)", "(D)"]], [200, 200], step=120)
        for n in range(4):
            x, y = 130 + 200 * (n % 2), 175 + 120 * (n // 2)
            page.insert_image(pymupdf.Rect(x, y, x + 172, y + 90), pixmap=photo, keep_proportion=False)

    drawn = draw(tmp_path / "a.pdf", paint)
    assert drawn.kind("table") == []
    assert len(drawn.kind("figure")) == 4
    assert all(not figure.words for figure in drawn.kind("figure"))


def test_two_tables_beside_a_column_rule_are_two(tmp_path: Path) -> None:
    def paint(page: Any) -> None:
        page.draw_line((300, 60), (300, 780))
        for x in (60, 310):
            paragraph(page, x, 80, width=38)
            grid(page, x, 150, DATA, [70, 70, 70])

    drawn = draw(tmp_path / "a.pdf", paint)
    assert [table.header for table in drawn.kind("table")] == [("Year", "Tonnes", "Price")] * 2
    assert all(table.box.width < 230 for table in drawn.kind("table"))
    assert holds(drawn.found[0].box, drawn.found[0].box)
