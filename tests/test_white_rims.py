"""Letters with a white rim: the rim is a copy that MuPDF lists in white, and the letter itself must stay."""

from __future__ import annotations

import pymupdf

from exam2bench.ingest.pages.sources import open_sources
from exam2bench.ingest.pages.textlayer import read_layer


def test_a_letter_with_a_white_rim_is_seen_once(tmp_path):
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 100), "Which drawing is right?", fontsize=11)
    for n, label in enumerate("ABC"):
        at = (72, 130 + 60 * n)
        page.insert_text(at, label, fontsize=11, render_mode=1, color=(1, 1, 1))
        page.insert_text(at, label, fontsize=11, color=(0.1, 0.1, 0.1))
    page.insert_text((300, 400), "unseen", fontsize=11, color=(1, 1, 1))
    document.save(tmp_path / "rims.pdf")
    page = read_layer(open_sources([tmp_path / "rims.pdf"])[0], 0)
    assert [word.text for word in page.words] == ["Which", "drawing", "is", "right?", "A", "B", "C"]
    assert "unseen" in [word.text for word in page.hidden]
