"""Crops: regions of pages as PNG bytes."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy
import pymupdf
import pytest
from PIL import Image

from exam2bench.ingest.figures import crops
from exam2bench.ingest.figures.png import png_bytes
from exam2bench.ingest.page import Box
from exam2bench.ingest.pages.sources import SourceFile, open_sources
from exam2bench.schemas.errors import SourceError


@dataclass
class Region:
    source: int
    page: int
    x0: float
    y0: float
    x1: float
    y1: float


def _source(path: Path, rotation: int = 0, size: tuple[float, float] = (300, 200)) -> SourceFile:
    document = pymupdf.open()
    page = document.new_page(width=size[0], height=size[1])
    page.draw_rect(pymupdf.Rect(20, 30, 120, 80), fill=(1, 0, 0), color=None)
    page.draw_rect(pymupdf.Rect(200, 150, 280, 190), fill=(0, 0, 0), color=None)
    page.set_rotation(rotation)
    document.save(str(path))
    return open_sources([path])[0]


def _image(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data))


def _at(image: Image.Image, x: int, y: int) -> Any:
    return image.convert("RGB").getpixel((x, y))


def test_a_crop_shows_its_region_at_the_resolution_asked_for(tmp_path: Path) -> None:
    image = _image(crops.crop(_source(tmp_path / "a.pdf"), 0, Box(20, 30, 120, 80), dpi=144))
    assert image.size == (208, 108)  # two points of margin on each side
    assert _at(image, 100, 50) == (255, 0, 0)
    assert _at(image, 1, 1) == (255, 255, 255)


def test_the_same_region_gives_the_same_bytes(tmp_path: Path) -> None:
    source = _source(tmp_path / "a.pdf")
    box = Box(20, 30, 120, 80)
    again = open_sources([tmp_path / "a.pdf"])[0]
    assert crops.crop(source, 0, box) == crops.crop(again, 0, box)


def test_a_crop_is_clipped_to_the_page(tmp_path: Path) -> None:
    image = _image(crops.crop(_source(tmp_path / "a.pdf"), 0, Box(250, 150, 900, 900), dpi=72))
    assert image.size == (52, 52)


def test_boxes_are_of_the_page_as_displayed(tmp_path: Path) -> None:
    # turned by 90 degrees, the red area's displayed place is (120..170, 20..120)
    source = _source(tmp_path / "a.pdf", rotation=90)
    image = _image(crops.crop(source, 0, Box(120, 20, 170, 120), dpi=72))
    assert image.size == (54, 104)
    assert _at(image, 27, 52) == (255, 0, 0)


def test_a_region_off_the_page_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"a\.pdf page 1: the region \(400, 10, 500, 20\) does not lie on the page"):
        crops.crop(_source(tmp_path / "a.pdf"), 0, Box(400, 10, 500, 20))


def test_a_huge_region_is_drawn_coarser(tmp_path: Path) -> None:
    source = _source(tmp_path / "a.pdf", size=(14_000, 300))
    image = _image(crops.crop(source, 0, Box(0, 0, 14_000, 300), dpi=200))
    assert max(image.size) <= crops.MAX_SIDE + 1


def test_grey_pictures_are_stored_grey(tmp_path: Path) -> None:
    source = _source(tmp_path / "a.pdf")
    assert _image(crops.crop(source, 0, Box(200, 150, 280, 190))).mode == "L"
    assert _image(crops.crop(source, 0, Box(20, 30, 120, 80))).mode == "RGB"


def test_a_snapshot_stacks_its_regions(tmp_path: Path) -> None:
    source = _source(tmp_path / "a.pdf")
    regions = [Region(0, 0, 202, 152, 278, 188), Region(0, 0, 22, 32, 118, 78)]
    image = _image(crops.snapshot([source], regions, dpi=72))
    assert image.size == (100, 40 + 8 + 50)
    assert _at(image, 40, 20) == (0, 0, 0)
    assert _at(image, 40, 70) == (255, 0, 0)


def test_a_snapshot_of_nothing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at least one region"):
        crops.snapshot([_source(tmp_path / "a.pdf")], [])


def test_gray_gives_the_whole_page(tmp_path: Path) -> None:
    pixels = crops.gray(_source(tmp_path / "a.pdf"), 0, 72)
    assert pixels.shape == (200, 300)
    assert pixels[170, 240] == 0
    assert pixels[5, 5] == 255


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (64, 33)])
@pytest.mark.parametrize("colour", [False, True])
def test_a_picture_reads_back_as_its_pixels(shape: tuple[int, int], colour: bool) -> None:
    """Through another program's reader: Pillow's, which checks the length and the sum of every chunk."""
    noise = numpy.random.default_rng(7).integers(0, 256, (*shape, 3), dtype=numpy.uint8)
    pixels = noise if colour else numpy.repeat(noise[..., :1], 3, axis=2)
    with Image.open(io.BytesIO(png_bytes(pixels))) as image:
        image.load()
        assert (image.mode, image.size) == ("RGB" if colour else "L", shape[::-1])
        assert (numpy.asarray(image.convert("RGB")) == pixels).all()


def test_pages_drawn_again_and_again_are_the_same(tmp_path: Path) -> None:
    """More pages than are kept, forwards and backwards."""
    path = tmp_path / "many.pdf"
    with pymupdf.open() as document:
        for number in range(9):
            document.new_page(width=200, height=100).insert_text((20, 50), f"Page {number}")
        document.save(path)
    source = open_sources([path])[0]
    first = [crops.crop(source, number, Box(0, 0, 200, 100), 72) for number in range(9)]
    assert len(set(first)) == 9
    assert [crops.crop(source, number, Box(0, 0, 200, 100), 72) for number in reversed(range(9))] == first[::-1]


def test_many_snapshots_come_in_order_and_as_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "many.pdf"
    with pymupdf.open() as document:
        for number in range(7):
            document.new_page(width=200, height=100).insert_text((20, 50), f"Page {number}")
        document.save(path)
    sources = open_sources([path])
    wanted = {f"q{number}": [Region(0, number, 0, 0, 200, 100), Region(0, 0, 0, 40, 200, 60)] for number in range(7)}
    made = list(crops.snapshots(sources, wanted, 72))
    assert made == [(name, crops.snapshot(sources, regions, 72)) for name, regions in wanted.items()]
    with pytest.raises(SourceError, match=r"many\.pdf page 3"):
        list(crops.snapshots(sources, {**wanted, "q9": [Region(0, 2, 300, 0, 400, 10)]}, 72))
