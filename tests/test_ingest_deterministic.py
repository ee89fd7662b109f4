"""The same sources give the same bundle, byte for byte, in any process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pymupdf
import pytest

EXAMS = Path(__file__).resolve().parents[1].parent / "shared" / "exams"


def _ingest(sources: list[Path], bundle: Path, seed: str) -> dict[str, bytes]:
    command = [sys.executable, "-m", "exam2bench.cli", "ingest", *map(str, sources), "-o", str(bundle), "--ocr", "off"]
    environment = {**os.environ, "PYTHONHASHSEED": seed, "SOURCE_DATE_EPOCH": "1700000000"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode in (0, 1), done.stderr
    return {str(file.relative_to(bundle)): file.read_bytes() for file in sorted(bundle.rglob("*")) if file.is_file()}


def _paper(path: Path) -> Path:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 72), "Physics Test", fontsize=16)
    for n in range(4):
        y = 120 + 160 * n
        page.insert_text((72, y), f"{n + 1}. Which of the drawn bodies is the heaviest? (3 points)")
        page.draw_circle((300, y + 60), 30)
        for k, option in enumerate(("iron", "wood", "ice", "lead")):
            page.insert_text((90, y + 20 * (k + 1)), f"({'ABCD'[k]}) the body of {option}")
    document.save(path)
    return path


def test_two_processes_write_the_same_bytes(tmp_path):
    source = _paper(tmp_path / "paper.pdf")
    first = _ingest([source], tmp_path / "first", "1")
    second = _ingest([source], tmp_path / "second", "2")
    assert first == second
    assert b'"created_at": "2023-11-14T22:13:20Z"' in first["manifest.json"]


@pytest.mark.skipif(not EXAMS.exists(), reason="the exam papers are not here")
def test_a_real_paper_with_key_and_mark_scheme_too(tmp_path):
    folder = EXAMS / "tw-gsat-science-2024"
    sources = [folder / name for name in ("key.pdf", "markscheme.pdf", "paper.pdf")]
    assert _ingest(sources, tmp_path / "first", "7") == _ingest(sources, tmp_path / "second", "8")
