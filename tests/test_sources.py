"""Sources: what opens, and the one plain sentence for what does not."""

from __future__ import annotations

import io
from pathlib import Path

import pymupdf
import pytest
from PIL import Image

from exam2bench.ingest.pages.sources import Limits, open_sources, parse_pages
from exam2bench.ingest.pages.textlayer import read_layer, read_pages
from exam2bench.schemas.errors import PasswordError, SourceError, UsageError

SHARED = Path(__file__).parents[1].parent / "shared" / "exams"


def pdf(path: Path, pages: int = 1, text: str = "1. Name the capital of France.", **save: object) -> Path:
    document = pymupdf.open()
    for number in range(pages):
        document.new_page().insert_text((72, 100), f"{text} {number + 1}")
    document.save(path, **save)
    return path


def refused(path: Path, **options: object) -> str:
    with pytest.raises(SourceError) as caught:
        open_sources([path], **options)  # type: ignore[arg-type]
    message = str(caught.value)
    assert "\n" not in message and message.endswith(".")
    assert message.startswith(str(path))
    return message.removeprefix(f"{path}: ")


def test_missing_file(tmp_path: Path) -> None:
    assert refused(tmp_path / "no.pdf") == "no such file."


def test_folder(tmp_path: Path) -> None:
    assert refused(tmp_path).startswith("is a folder")


def test_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "empty.pdf"
    path.write_bytes(b"")
    assert refused(path) == "the file is empty (0 bytes)."


def test_not_a_pdf(tmp_path: Path) -> None:
    path = tmp_path / "letter.pdf"
    path.write_text("Dear Sir or Madam")
    assert refused(path) == "is not a PDF or an image (it starts with b'Dear Sir')."


def test_cut_off_pdf_that_does_not_open(tmp_path: Path) -> None:
    path = tmp_path / "cut.pdf"
    path.write_bytes(pdf(tmp_path / "whole.pdf").read_bytes()[:60])
    assert refused(path).startswith("the PDF is damaged or cut off")


def test_encrypted(tmp_path: Path) -> None:
    path = pdf(tmp_path / "locked.pdf", encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="sesame", owner_pw="boss")
    with pytest.raises(PasswordError, match="is encrypted; give its password with --password"):
        open_sources([path])
    with pytest.raises(PasswordError, match="does not open this PDF"):
        open_sources([path], password="wrong")
    (source,) = open_sources([path], password="sesame")
    assert [word.text for word in read_layer(source, 0).words][:2] == ["1.", "Name"]


def test_no_pages(tmp_path: Path) -> None:
    path = tmp_path / "none.pdf"
    path.write_bytes(
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Count 0/Kids[]>>endobj\n"
        b"trailer<</Root 1 0 R/Size 3>>\n%%EOF\n"
    )
    assert refused(path) == "the PDF has 0 pages."


def test_image_bomb_is_refused_before_decoding(tmp_path: Path) -> None:
    path = tmp_path / "bomb.png"
    Image.new("1", (20_000, 20_000)).save(path)
    assert path.stat().st_size < 100_000
    assert refused(path) == "the image has more pixels than the limit of 120000000; scale it down."


def test_cut_off_image(tmp_path: Path) -> None:
    path = tmp_path / "cut.jpg"
    buffer = io.BytesIO()
    Image.effect_noise((400, 300), 60).save(buffer, "JPEG")
    path.write_bytes(buffer.getvalue()[:2000])
    assert refused(path).startswith("the image is damaged or cut off")


def test_huge_page_is_read(tmp_path: Path) -> None:
    document = pymupdf.open()
    document.new_page(width=14_400, height=14_400).insert_text((7000, 7000), "1. Far away", fontsize=40)
    document.save(tmp_path / "huge.pdf")
    (source,) = open_sources([tmp_path / "huge.pdf"])
    page = read_layer(source, 0)
    assert (page.width, page.height) == (14_400, 14_400)
    assert [word.text for word in page.words] == ["1.", "Far", "away"]


def test_six_hundred_pages_and_the_limit(tmp_path: Path) -> None:
    path = pdf(tmp_path / "long.pdf", pages=600)
    (source,) = open_sources([path])
    assert len(source.pages) == 600
    assert refused(path, limits=Limits(pages=599)) == "600 pages is more than the limit of 599; split the file."


def test_chosen_pages(tmp_path: Path) -> None:
    assert parse_pages("paper.pdf=1-3,7") == ("paper.pdf", {0, 1, 2, 6})
    for wrong in ("paper.pdf", "paper.pdf=", "paper.pdf=0", "paper.pdf=4-2", "paper.pdf=a"):
        with pytest.raises(UsageError):
            parse_pages(wrong)
    path = pdf(tmp_path / "paper.pdf", pages=7)
    (source,) = open_sources([path], pages={"paper.pdf": {0, 6}})
    assert source.pages == (0, 6)
    with pytest.raises(UsageError, match=r"--pages paper.pdf: page 9 does not exist; the file has 7 pages"):
        open_sources([path], pages={"paper.pdf": {0, 8}})
    with pytest.raises(UsageError, match="no such source"):
        open_sources([path], pages={"other.pdf": {0}})


@pytest.mark.parametrize("suffix", ["png", "jpg", "webp", "tiff"])
def test_images_become_pages(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"scan.{suffix}"
    Image.new("RGB", (850, 1100), "white").save(path, dpi=(100, 100))
    (source,) = open_sources([path])
    page = read_layer(source, 0)
    assert source.is_image and source.page_count == 1
    assert round(page.width) / round(page.height) == pytest.approx(850 / 1100, abs=0.01)
    assert page.pictures[0].pixel_width == 850


def test_exif_rotation_is_applied(tmp_path: Path) -> None:
    path = tmp_path / "phone.jpg"
    image = Image.new("RGB", (400, 200), "white")
    exif = Image.Exif()
    exif[0x0112] = 6
    image.save(path, exif=exif, dpi=(100, 100))
    page = read_layer(open_sources([path])[0], 0)
    assert (round(page.width), round(page.height)) == (144, 288)


def test_every_frame_of_a_tiff_is_a_page(tmp_path: Path) -> None:
    path = tmp_path / "scan.tif"
    frames = [Image.new("L", (300, 400 + 10 * i), 255) for i in range(3)]
    frames[0].save(path, save_all=True, append_images=frames[1:], dpi=(72, 72))
    (source,) = open_sources([path])
    assert [round(source.document[n].rect.height) for n in source.pages] == [400, 410, 420]


def test_a_page_in_cipher_is_said_to_be_unread() -> None:
    path = SHARED / "vn-dongnai-hsg12-2019-truncated" / "paper_truncated.pdf"
    if not path.exists():
        pytest.skip("the shared exams are not here")
    (source,) = open_sources([path])
    pages, findings = read_pages(source, ocr="off")
    assert [page.trust.reasons for page in pages] == [("unreadable",), ("unreadable",)]
    assert all(not page.words and page.read_by == "nothing" for page in pages)
    assert [finding.code for finding in findings] == ["source.damaged", "page.unread"]
    assert "pages 1-2 without a usable text layer" in findings[1].message
