"""Figures: a model's box is grown to whole ink, never through text; a box without ink falls back and says so."""

from __future__ import annotations

import pytest

from exam2bench.ingest.assembly.assemble import Assets
from exam2bench.ingest.frontier.entries import PaperFigure
from exam2bench.ingest.frontier.pictures import place_all, place_figure, stand_in
from exam2bench.ingest.frontier.prompts.questions import FigureSeen
from exam2bench.schemas.exam import Region

from .frontier_sample import GRAPH, prepared

WIDTH, HEIGHT = 595.0, 842.0
PAGE = (0, 2)
WHOLE = (80, 182, 259, 310)
"""The speed graph with its axis titles, points, measured on the page."""


def seen(box: tuple[float, float, float, float] | None, page: tuple[int, int] = PAGE) -> PaperFigure:
    region = None
    if box is not None:
        region = Region(source=page[0], page=page[1], **dict(zip(("x0", "y0", "x1", "y1"), box, strict=True)))
    return PaperFigure(1, "F1", FigureSeen.model_validate(GRAPH), region, page)


def rounded(box) -> tuple[int, ...]:
    return tuple(round(side) for side in (box.x0, box.y0, box.x1, box.y1))


@pytest.mark.parametrize(
    ("box", "moved"),
    [
        ((80, 182, 259, 310), False),  # as it is
        ((88, 190, 250, 300), False),  # a little small
        ((110, 200, 160, 260), True),  # a corner of it
        ((58, 175, 285, 335), False),  # a little large, down to the options
    ],
)
def test_a_box_becomes_the_whole_drawing_and_no_line_of_text(box, moved):
    placed = place_figure(seen(box), prepared().layout)
    assert placed.figure is not None
    found = rounded(placed.figure.box)
    assert all(abs(side - wanted) <= 3 for side, wanted in zip(found, WHOLE, strict=True)), found
    assert placed.moved is moved


@pytest.mark.parametrize(
    "box",
    [
        None,  # off the page
        (100, 200, 103, 204),  # a speck
        (60, 380, 280, 425),  # question 2: text and no ink
        (0, 0, WIDTH, HEIGHT),  # all of the page
    ],
)
def test_a_box_without_a_drawing_is_no_figure(box):
    assert place_figure(seen(box), prepared().layout).figure is None


def test_the_layout_engines_figure_stands_in_and_it_is_said():
    layout = prepared().layout
    figures = {"W1F1": seen((60, 380, 280, 425))}
    pictures, doubtful, findings = place_all(figures, layout, Assets())
    assert (doubtful, findings) == (["W1F1"], [])
    question = Region(source=0, page=2, x0=58, y0=124, x1=285, y1=362)
    (finding,) = stand_in(doubtful, figures, {"W1F1": [question]}, layout, pictures)
    assert rounded(pictures.figures["W1F1"].box) == pytest.approx(WHOLE, abs=3)
    assert finding.code == "figure.no_ink"
    assert finding.message.endswith("the region of its question is shown instead.")


def test_where_no_drawing_is_near_the_printed_question_is_shown():
    layout = prepared().layout
    figures = {"W1F1": seen(None)}
    pictures, doubtful, _ = place_all(figures, layout, Assets())
    question = Region(source=0, page=4, x0=58, y0=125, x1=537, y1=154)
    stand_in(doubtful, figures, {"W1F1": [question]}, layout, pictures)
    assert rounded(pictures.figures["W1F1"].box) == (58, 125, 537, 154)


def test_a_figure_of_nothing_is_left_out_and_said():
    layout = prepared().layout
    figures = {"W1F1": seen(None)}
    pictures, doubtful, _ = place_all(figures, layout, Assets())
    (finding,) = stand_in(doubtful, figures, {}, layout, pictures)
    assert pictures.figures == {}
    assert finding.message.endswith("it is left out.")
