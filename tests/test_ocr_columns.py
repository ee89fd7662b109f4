"""A photographed page of two columns: crooked, a printed rule in a narrow gutter, numbers struck out by hand."""

from __future__ import annotations

import io

import pymupdf
import pytest
from PIL import Image

from exam2bench.ingest.engine import IngestOptions, ingest
from exam2bench.ingest.pages.column_rules import strips, upright_rules
from exam2bench.ingest.pages.ocr import available

STEMS = [
    "Which town lies at the mouth of the river that the passage describes best ?",
    "Which of the four ships was the first one to reach the harbour that year ?",
    "How many boats came in on the flood tide in the spring of the first year ?",
    "What did the town build across the mouth of the harbour to hold the water ?",
    "Which number of wagons could the railway carry to the harbour in one day ?",
    "Which of these statements about the mud in the harbour is the right one ?",
    "How far did the tide go out before the wall was built across the mouth ?",
    "Which of the following words describes the people of the town the best ?",
]
GUTTER = 298


def wrapped(text: str) -> list[str]:
    words, lines = text.split(), [""]
    for word in words:
        if len(lines[-1]) + len(word) > 42:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def photograph(*, struck: tuple[int, ...] = (), degrees: float = 0.7) -> bytes:
    """The page as a PDF with one picture and no text."""
    document = pymupdf.open()
    page = document.new_page(width=595, height=842)
    page.insert_text((200, 40), "Harbour Examination, Paper I", fontsize=13)
    page.draw_line((GUTTER, 60), (GUTTER, 790), width=1)
    for n, stem in enumerate(STEMS):
        x, y = (30, 85 + 175 * n) if n < 4 else (GUTTER + 6, 85 + 175 * (n - 4))
        page.insert_text((x, y), f"{n + 1}.", fontsize=11)
        for line in wrapped(stem):
            page.insert_text((x + 24, y), line, fontsize=11)
            y += 16
        for letter, text in zip("abcd", ("Kessel", "Ostra", "Lund", "Varna"), strict=True):
            page.insert_text((x + 24, y + 4), f"({letter}) {text} of the north", fontsize=11)
            y += 20
    for number in struck:
        n = number - 1
        x, y = (30, 85 + 175 * n) if n < 4 else (GUTTER + 6, 85 + 175 * (n - 4))
        page.draw_rect((x - 2, y - 12, x + 12, y + 4), color=(0.2, 0.2, 0.2), fill=(0.2, 0.2, 0.2))
    page.insert_text((285, 815), "(3-A)", fontsize=11)
    pixels = page.get_pixmap(dpi=200)
    sheet = Image.frombytes("RGB", (pixels.width, pixels.height), pixels.samples)
    turned = sheet.rotate(degrees, resample=Image.Resampling.BICUBIC, fillcolor="white")
    data = io.BytesIO()
    turned.save(data, "JPEG", quality=80)
    scan = pymupdf.open()
    scan.new_page(width=595, height=842).insert_image((0, 0, 595, 842), stream=data.getvalue())
    return scan.tobytes()


@pytest.mark.skipif(not available(), reason="the OCR extra is not installed")
def test_columns_are_read_one_after_the_other_and_lost_numbers_are_told_by_their_options(tmp_path):
    (tmp_path / "scan.pdf").write_bytes(photograph(struck=(3, 6)))
    leaves = list(ingest([tmp_path / "scan.pdf"], IngestOptions(roles={"scan.pdf": "paper"})).exam.leaves())
    assert [leaf.id for leaf in leaves] == [f"q{n}" for n in range(1, 9)]
    assert [[option.id for option in leaf.options or []] for leaf in leaves] == [list("abcd")] * 8
    for leaf, stem in zip(leaves, STEMS, strict=True):
        told = "".join(block.markdown for block in leaf.prompt if block.type == "text")
        assert stem.replace(" ", "")[:40] in told.replace(" ", "").replace("\n", "")


def test_a_leaning_rule_is_followed_and_nothing_is_cut_above_it():
    cv2 = pytest.importorskip("cv2")
    numpy = pytest.importorskip("numpy")
    picture = numpy.full((2000, 1400, 3), 255, numpy.uint8)
    cv2.line(picture, (690, 150), (720, 1900), (40, 40, 40), 3)
    for y in range(40, 1980, 40):  # lines of text: short strokes, none of them a rule
        for x in range(60, 1340, 25):
            cv2.line(picture, (x, y), (x, y + 18), (0, 0, 0), 2)
    (rule,) = upright_rules(picture)
    assert abs(rule.at(160) - 690) < 4
    assert abs(rule.at(1890) - 720) < 4
    parts = [(part.shape[:2], left, top) for part, left, top in strips(picture, [rule])]
    assert [(left, top) for _, left, top in parts[:2]] == [(0, 0), (0, parts[1][2])]
    assert parts[1][2] > 1850
    (left_shape, left_x, left_y), (right_shape, right_x, _) = parts[2:]
    assert (left_x, right_shape[0]) == (0, left_shape[0])
    assert left_y < 160
    assert 680 < right_x < 720


def test_a_page_of_squared_paper_is_not_cut():
    cv2 = pytest.importorskip("cv2")
    numpy = pytest.importorskip("numpy")
    picture = numpy.full((1200, 900, 3), 255, numpy.uint8)
    for x in range(50, 880, 60):
        cv2.line(picture, (x, 20), (x, 1180), (60, 60, 60), 2)
    assert upright_rules(picture) == []
