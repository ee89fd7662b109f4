"""Pages: words as displayed, hidden text, trust in the layer, OCR."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from exam2bench.ingest.page import Box, Page, Word
from exam2bench.ingest.pages import ocr
from exam2bench.ingest.pages.reading import read_order
from exam2bench.ingest.pages.sources import open_sources
from exam2bench.ingest.pages.textlayer import read_layer, read_pages
from exam2bench.ingest.pages.trust import judge_layer
from exam2bench.schemas.errors import UsageError

SHARED = Path(__file__).parents[1].parent / "shared" / "exams"
needs_ocr = pytest.mark.skipif(not ocr.available(), reason="the extra [ocr] is not installed")


def saved(document: pymupdf.Document, folder: Path, number: int = 0) -> Page:
    document.save(folder / "page.pdf")
    return read_layer(open_sources([folder / "page.pdf"])[0], number)


def texts(page: Page) -> list[str]:
    return [word.text for word in page.words]


def shared(slug: str, name: str, number: int) -> Page:
    path = SHARED / slug / name
    if not path.exists():
        pytest.skip("the shared exams are not here")
    return read_layer(open_sources([path])[0], number)


def test_a_word_has_its_looks(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 100), "Name", fontsize=12, fontname="hebo", color=(1, 0, 0))
    page.insert_text((130, 100), "it", fontsize=9, fontname="heit")
    name, it = saved(document, tmp_path).words
    assert (name.text, name.size, name.bold, name.italic, name.color) == ("Name", 12, True, False, 0xFF0000)
    assert (it.text, it.size, it.bold, it.italic) == ("it", 9, False, True)
    assert name.baseline == pytest.approx(100, abs=0.1) and it.baseline == pytest.approx(100, abs=0.1)
    assert name.box.x0 == pytest.approx(72, abs=0.5)


def test_boxes_are_those_of_the_page_as_displayed(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page(width=600, height=800)
    page.insert_text((100, 200), "Start")
    page.set_cropbox(pymupdf.Rect(50, 100, 550, 700))
    page.set_rotation(90)
    shown = saved(document, tmp_path)
    assert (shown.width, shown.height, shown.rotation) == (600, 500, 90)
    word = shown.words[0]
    assert word.angle == 90
    assert word.box.x0 == pytest.approx(600 - 100 - 3, abs=6) and word.box.y0 == pytest.approx(50, abs=1)


def test_hidden_text_is_kept_apart(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 100), "seen")
    page.insert_text((72, 130), "invisible", render_mode=3)
    page.insert_text((72, 160), "white", color=(1, 1, 1))
    page.insert_text((72, 190), "micro", fontsize=1.5)
    page.draw_rect(pymupdf.Rect(60, 205, 200, 230), fill=(0, 0, 0.4), color=None)
    page.insert_text((72, 220), "inverse", color=(1, 1, 1))
    shown = saved(document, tmp_path)
    assert texts(shown) == ["seen", "inverse"]
    assert {word.text for word in shown.hidden} == {"invisible", "white", "micro"}
    assert [word.index for word in shown.words] == [0, 1]


def test_what_is_printed_twice_is_one_word(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    for offset in (0, 0.3):
        page.insert_text((72 + offset, 100), "A")
    page.insert_text((90, 100), "dog dog")
    assert texts(saved(document, tmp_path)) == ["A", "dog", "dog"]


def test_enem_letters_come_once_and_its_microtext_is_hidden() -> None:
    page = shared("br-enem-2022-day2", "paper.pdf", 4)
    assert not [word for word in page.words if word.text in ("AA", "ENEM")]
    assert len([word for word in page.hidden if word.text == "ENEM"]) > 50


def test_characters_are_taken_where_they_are_printed() -> None:
    page = shared("cn-kaoyan-math1-2024", "paper_with_answers.pdf", 1)
    lines = [line.text.replace(" ", "") for line in read_order([page]).lines]
    assert next(line for line in lines if line.startswith("（A）−2")).startswith("（A）−2−10")


def test_replacement_text_of_pictures_becomes_words() -> None:
    page = shared("tw-moex-immigration-french-2019", "paper.pdf", 1)
    labels = [word for word in page.words if word.text == "(A)"]
    assert len(labels) == 10
    assert all(word.box.width > 10 for word in labels)


def test_hancom_digits_are_read() -> None:
    page = shared("kr-csat-math-2025", "paper.pdf", 0)
    lines = [line.text for line in read_order([page]).lines]
    assert "① 1 ② 2 ③ 3 ④ 4 ⑤ 5" in lines
    assert page.trust.unreadable == 0


@pytest.mark.parametrize(
    ("slug", "name", "reason"),
    [
        ("cn-kaoyan-english1-2020", "paper.pdf", "missing"),
        ("kr-csat-math-2025", "key.pdf", "missing"),
        ("jp-kyodai-statthermo-2011", "paper.pdf", "hidden_ocr"),
        ("in-upsc-csat-2025", "paper.pdf", "ocr_junk"),
        ("tw-gsat-social-2001", "key.pdf", "letters"),
        ("vn-dongnai-hsg12-2019-truncated", "paper_truncated.pdf", "unreadable"),
    ],
)
def test_layers_that_cannot_be_believed(slug: str, name: str, reason: str) -> None:
    page = shared(slug, name, 0)
    assert page.trust.reasons == (reason,) and not page.trust.usable


def test_an_empty_page_is_no_scan(tmp_path: Path) -> None:
    document = pymupdf.open()
    document.new_page()
    assert saved(document, tmp_path).trust.usable


def scan(folder: Path, turn: int = 0) -> Path:
    """A picture-only PDF of two printed lines, turned clockwise by `turn` degrees."""
    document = pymupdf.open()
    page = document.new_page(width=420, height=300)
    page.insert_text((40, 80), "1. Which planet is the largest?", fontsize=16)
    page.insert_text((60, 120), "(A) Jupiter", fontsize=16)
    page.insert_text((60, 150), "(B) Saturn and its many rings", fontsize=16)
    page.insert_text((60, 180), "(C) Mars, which is rather small", fontsize=16)
    page.insert_text((60, 210), "(D) Venus, the morning star", fontsize=16)
    page.set_rotation(turn)
    picture = page.get_pixmap(dpi=150)
    flat = pymupdf.open()
    flat.new_page(width=picture.width * 0.48, height=picture.height * 0.48).insert_image(
        pymupdf.Rect(0, 0, picture.width * 0.48, picture.height * 0.48), pixmap=picture
    )
    path = folder / f"scan{turn}.pdf"
    flat.save(path)
    return path


@needs_ocr
@pytest.mark.parametrize("turn", [0, 90])
def test_a_scan_is_read(tmp_path: Path, turn: int) -> None:
    (source,) = open_sources([scan(tmp_path, turn)])
    pages, findings = read_pages(source)
    assert pages[0].read_by == "ocr"
    assert [line.text for line in read_order(pages).lines] == [
        "1. Which planet is the largest?",
        "(A) Jupiter",
        "(B) Saturn and its many rings",
        "(C) Mars, which is rather small",
        "(D) Venus, the morning star",
    ]
    word = next(word for word in pages[0].words if word.text == "Jupiter")
    if turn == 0:
        assert word.box.x0 == pytest.approx(86, abs=5) and word.baseline == pytest.approx(120, abs=3)
    assert word.origin == "ocr" and word.confidence > 0.9
    assert [(finding.code, finding.severity) for finding in findings] == [("page.ocr", "info")]


def test_without_ocr_the_unread_pages_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (source,) = open_sources([scan(tmp_path)])
    monkeypatch.setattr(ocr, "available", lambda: False)
    pages, (finding,) = read_pages(source)
    assert pages[0].read_by == "nothing" and not pages[0].words
    assert finding.code == "page.unread"
    assert finding.message == "scan0.pdf: page 1 without a usable text layer: not read, because OCR is not installed."
    assert finding.hint == "Install the OCR extra: pip install 'exam2bench[ocr]'."
    with pytest.raises(UsageError, match="OCR is not installed"):
        read_pages(source, ocr="force")


def test_page_lists() -> None:
    assert ocr.page_list([2]) == "page 3"
    assert ocr.page_list([0, 1, 2, 6]) == "pages 1-3, 7"


def test_glyph_codes_between_the_words_are_no_text():
    """A Type 3 font without an encoding lists its glyphs' codes: letters, signs and control characters at random."""
    words = [Word(n, text, Box(0, 0, 9, 9), font="A", size=9) for n, text in enumerate(["8", "P", "Ú", "3x"] * 30)]
    assert not judge_layer(words, [], [], [], 500_000.0, controls=40).usable
    assert judge_layer(words, [], [], [], 500_000.0, controls=0).usable
