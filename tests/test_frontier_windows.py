"""Windows: every page in one, no question cut, and the way back from a box in a reply to the page."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from PIL import Image

from exam2bench.ingest.assembly.regions import question_regions
from exam2bench.ingest.frontier.limits import FRONTIER, Limits, copy_tokens
from exam2bench.ingest.frontier.prompts.form import Place
from exam2bench.ingest.frontier.views import regions_of, show_pages
from exam2bench.ingest.frontier.windows import (
    PageSlice,
    answer_windows,
    inventory_windows,
    question_windows,
    split_window,
)
from exam2bench.models.request import ImagePart, TextPart

from .frontier_sample import prepared

SMALL = replace(FRONTIER, copy_tokens=700, pages=2)
TINY = replace(FRONTIER, copy_tokens=1, pages=1)


@pytest.mark.parametrize("limits", [FRONTIER, SMALL, TINY], ids=["frontier", "small", "tiny"])
def test_every_question_lies_whole_in_exactly_one_window(limits: Limits):
    known = prepared()
    windows = question_windows(known.layout, known.understood, limits)
    tops = {question.id: question for section in known.understood.paper.sections for question in section.questions}
    assert [name for window in windows for name in window.questions] == list(tops)
    for window in windows:
        for name in window.questions:
            stack = [tops[name]]
            while stack:
                question = stack.pop()
                stack += question.children
                for region in question_regions(question, known.understood.paper_pages):
                    held = [s for s in window.slices if (s.source, s.page) == (region.source, region.page)]
                    assert any(s.y0 <= region.y0 + 2 and region.y1 - 2 <= s.y1 for s in held), (name, window)


@pytest.mark.parametrize("limits", [FRONTIER, SMALL, TINY], ids=["frontier", "small", "tiny"])
def test_every_line_of_the_paper_is_in_some_window(limits: Limits):
    known = prepared()
    windows = question_windows(known.layout, known.understood, limits)
    slices = [piece for window in windows for piece in window.slices]
    for line in known.layout.readings[0].lines:
        held = [s for s in slices if (s.source, s.page) == (line.source, line.page)]
        assert any(s.y0 <= line.box.cy <= s.y1 for s in held), line.text


def test_windows_are_sized_by_the_models_limits():
    known = prepared()
    sizes = [len(question_windows(known.layout, known.understood, one)) for one in (FRONTIER, SMALL, TINY)]
    assert sizes == [2, 8, 24]
    assert all(len(window.pages) <= 2 for window in question_windows(known.layout, known.understood, SMALL))


def test_a_page_is_cut_between_questions_and_shared_where_they_stand_side_by_side():
    known = prepared()
    windows = question_windows(known.layout, known.understood, TINY)
    by_first = {window.questions[0]: window for window in windows}
    assert not by_first["q3"].slices[0].whole  # one column: only its own band
    assert not by_first["q3"].shared
    graph = by_first["B.q1"]
    assert graph.shared  # two columns: question 3 runs on beside question 1


def test_keys_and_schemes_have_windows_of_their_own():
    known = prepared()
    windows = answer_windows(known.layout, known.understood, FRONTIER)
    assert [window.pages for window in windows] == [[(1, 0)], [(2, 0), (2, 1)]]
    (inventory,) = inventory_windows(known.layout, known.understood, FRONTIER)
    assert len(inventory.pages) == 8


def test_a_window_is_parted_at_a_question_and_not_below_one():
    known = prepared()
    window = question_windows(known.layout, known.understood, FRONTIER)[0]
    upper, lower = split_window(window, known.layout, known.understood, FRONTIER)
    assert upper.questions + lower.questions == window.questions
    assert min(len(upper.questions), len(lower.questions)) >= 4
    alone = question_windows(known.layout, known.understood, TINY)[0]
    assert split_window(alone, known.layout, known.understood, FRONTIER) == []


def test_the_layer_goes_with_the_picture_by_numbered_lines():
    known = prepared()
    page = known.layout.pages[0, 1]
    piece = PageSlice(0, 1, 0.0, page.height, page.height)
    parts, (view,) = show_pages(known.layout, [piece], FRONTIER)
    heading, picture, layer = parts
    assert isinstance(heading, TextPart)
    assert heading.text == "Page 1"
    assert isinstance(picture, ImagePart)
    assert isinstance(layer, TextPart)
    lines = layer.text.splitlines()
    assert lines[1] == "1 3. Which number comes next? 2, 6, 12, 20, 30, …"
    assert len(view.lines) == len(lines) - 1


def test_a_box_in_thousandths_of_a_part_of_a_page_comes_back_in_points_of_the_page():
    known = prepared()
    page = known.layout.pages[0, 2]
    piece = PageSlice(0, 2, 200.0, 402.0, page.height)
    parts, views = show_pages(known.layout, [piece], FRONTIER)
    picture = next(part for part in parts if isinstance(part, ImagePart))
    image = Image.open(io.BytesIO(picture.data))
    shown = views[0].box
    assert image.width / image.height == pytest.approx(shown.width / shown.height, rel=0.01)
    (region,), lost = regions_of([Place(page=1, x0=100, y0=0, x1=900, y1=500)], views)
    assert lost == []
    assert (region.source, region.page, region.x0, region.y0) == (0, 2, 59.5, 198.0)
    assert (region.x1, region.y1) == (535.5, 301.0)


@pytest.mark.parametrize("place", [(2, 0, 0, 10, 10), (0, 0, 0, 10, 10), (1, 1200, 0, 1900, 900), (1, 5, 5, 5, 5)])
def test_a_place_on_no_page_is_told_apart(place):
    known = prepared()
    height = known.layout.pages[0, 0].height
    _, views = show_pages(known.layout, [PageSlice(0, 0, 0.0, height, height)], FRONTIER)
    wrong = Place(**dict(zip(("page", "x0", "y0", "x1", "y1"), place, strict=True)))
    assert regions_of([wrong], views) == ([], [wrong])


def test_a_model_without_eyes_names_lines_and_gets_no_picture():
    known = prepared()
    height = known.layout.pages[0, 1].height
    blind = replace(FRONTIER, images=False)
    parts, views = show_pages(known.layout, [PageSlice(0, 1, 0.0, height, height)], blind)
    assert not any(isinstance(part, ImagePart) for part in parts)
    (region,), _ = regions_of([Place(page=1, x0=0, y0=1, x1=1000, y1=2)], views)
    first = known.layout.readings[0].lines
    line = next(line for line in first if line.page == 1)
    assert region.y0 == pytest.approx(line.box.y0, abs=0.01)


def test_wide_letters_weigh_more():
    assert (copy_tokens("a" * 40), copy_tokens("燈" * 40)) == (11, 41)
