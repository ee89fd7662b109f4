"""Sources that are broken, hostile or no exam: a sentence, the right exit code, nothing lost, nothing half-written."""

from __future__ import annotations

import json
import os
import struct
import zlib
from pathlib import Path

import pymupdf
import pytest

from exam2bench.cli import main

QUESTIONS = [
    ("What is the capital of France?", ("Berlin", "Paris", "Rome", "Madrid")),
    ("Which gas do plants take up?", ("Oxygen", "Nitrogen", "Carbon dioxide", "Helium")),
    ("How many sides has a hexagon?", ("Four", "Five", "Six", "Seven")),
]


def _paper(path: Path, *, title: str = "General Knowledge Test", questions=QUESTIONS, size=(595, 842)) -> Path:
    document = pymupdf.open()
    page = document.new_page(width=size[0], height=size[1])
    page.insert_text((72, 72), title, fontsize=16)
    y = 120
    for number, (stem, options) in enumerate(questions, 1):
        page.insert_text((72, y), f"{number}. {stem}", fontsize=11)
        for n, option in enumerate(options):
            page.insert_text((90, y + 18 * (n + 1)), f"({'ABCD'[n]}) {option}", fontsize=11)
        y += 110
    document.save(path)
    return path


def _ingest(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = main(["ingest", *map(str, arguments)])
    out, err = capsys.readouterr()
    return code, out, err


def _one_sentence(err: str, *parts: str) -> None:
    lines = err.strip().splitlines()
    assert len(lines) == 1, err
    assert lines[0].startswith("exam2bench ingest: ")
    for part in parts:
        assert part in lines[0]


def _nothing_left(folder: Path, *kept: Path) -> None:
    assert sorted(folder.iterdir()) == sorted(kept)


def _refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], source: Path, *parts: str) -> None:
    code, out, err = _ingest(capsys, source, "-o", tmp_path / "bundle")
    assert (code, out) == (2, "")
    _one_sentence(err, source.name, *parts)
    _nothing_left(tmp_path, source)


def test_a_file_that_is_no_pdf(tmp_path, capsys):
    source = tmp_path / "notes.pdf"
    source.write_text("These are my notes, not a PDF.\n" * 50)
    _refused(tmp_path, capsys, source, "is not a PDF")


def test_an_empty_file(tmp_path, capsys):
    source = tmp_path / "empty.pdf"
    source.touch()
    _refused(tmp_path, capsys, source, "empty")


def test_a_file_that_is_not_there(tmp_path, capsys):
    code, _, err = _ingest(capsys, tmp_path / "missing.pdf", "-o", tmp_path / "bundle")
    assert code == 2
    _one_sentence(err, "missing.pdf", "no such file")


def test_a_truncated_pdf_never_shows_a_traceback(tmp_path, capsys):
    whole = _paper(tmp_path / "whole.pdf").read_bytes()
    for share in (0.05, 0.3, 0.6, 0.9, 0.99):
        source = tmp_path / "cut.pdf"
        source.write_bytes(whole[: int(len(whole) * share)])
        code, out, err = _ingest(capsys, source, "-o", tmp_path / f"bundle-{share}", "--json")
        assert code in (0, 1, 2)
        if code == 2:
            _one_sentence(err, "cut.pdf")
            assert not (tmp_path / f"bundle-{share}").exists()
            continue
        findings = json.loads(out)["findings"]
        assert any(finding["code"] == "source.damaged" for finding in findings), share
        if code == 1:
            assert any(finding["severity"] == "error" for finding in findings)


def test_an_encrypted_pdf_needs_its_password(tmp_path, capsys):
    plain = pymupdf.open(_paper(tmp_path / "plain.pdf"))
    (tmp_path / "plain.pdf").unlink()
    source = tmp_path / "locked.pdf"
    plain.save(source, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="open sesame", owner_pw="owner")
    _refused(tmp_path, capsys, source, "encrypted", "--password")
    code, _, err = _ingest(capsys, source, "-o", tmp_path / "bundle", "--password", "guess")
    assert code == 2
    _one_sentence(err, "locked.pdf", "password")
    assert "guess" not in err
    code, out, _ = _ingest(capsys, source, "-o", tmp_path / "bundle", "--password", "open sesame", "--json")
    assert code == 0
    assert json.loads(out)["questions"] == 3
    assert "open sesame" not in (tmp_path / "bundle" / "manifest.json").read_text()


def test_a_pdf_without_pages(tmp_path, capsys):
    source = tmp_path / "none.pdf"
    source.write_bytes(
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n"
        b"xref\n0 3\n0000000000 65535 f \n0000000009 00000 n \n0000000052 00000 n \n"
        b"trailer<</Size 3/Root 1 0 R>>\nstartxref\n97\n%%EOF\n"
    )
    _refused(tmp_path, capsys, source, "0 pages")


def _png(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    pixels = zlib.compress(b"\0" * 1000)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def test_an_image_bomb_is_refused_by_its_header(tmp_path, capsys):
    source = tmp_path / "bomb.png"
    source.write_bytes(_png(60_000, 60_000))
    _refused(tmp_path, capsys, source, "more pixels than the limit")


def test_a_page_of_14400_points(tmp_path, capsys):
    source = _paper(tmp_path / "wall.pdf", size=(14_400, 14_400))
    code, out, _ = _ingest(capsys, source, "-o", tmp_path / "bundle", "--json")
    assert code == 0
    assert json.loads(out)["questions"] == 3
    sizes = [pymupdf.Pixmap(str(file)) for file in (tmp_path / "bundle" / "assets").iterdir()]
    assert all(pixmap.width * pixmap.height < 40_000_000 for pixmap in sizes)


def test_600_pages(tmp_path, capsys):
    source = tmp_path / "long.pdf"
    document = pymupdf.open()
    for number in range(1, 601):
        page = document.new_page()
        page.insert_text((72, 100), f"{number}. Is the number {number * 7919 % 1000} a prime number?", fontsize=11)
        page.insert_text((90, 120), "(A) Yes", fontsize=11)
        page.insert_text((90, 140), "(B) No", fontsize=11)
    document.save(source)
    code, out, _ = _ingest(capsys, source, "-o", tmp_path / "bundle", "--json")
    assert code == 0
    assert json.loads(out)["questions"] == 600


def test_a_text_without_questions(tmp_path, capsys):
    source = tmp_path / "letter.pdf"
    document = pymupdf.open()
    page = document.new_page()
    for n, line in enumerate(
        ["Dear Sir or Madam,", "the hall is booked for Friday.", "Yours faithfully,", "A. Porter"]
    ):
        page.insert_text((72, 100 + 20 * n), line, fontsize=11)
    document.save(source)
    code, out, _ = _ingest(capsys, source, "-o", tmp_path / "bundle", "--json")
    assert code == 1
    summary = json.loads(out)
    assert summary["questions"] == 0
    errors = [finding for finding in summary["findings"] if finding["severity"] == "error"]
    assert [finding["code"] for finding in errors] == ["question.none"]
    assert errors[0]["message"] == "No question was found in letter.pdf."
    assert json.loads((tmp_path / "bundle" / "exam.json").read_text())["total_points"] == 0


def test_the_key_of_another_exam_is_said_and_not_used(tmp_path, capsys):
    source = _paper(tmp_path / "paper.pdf")
    key = tmp_path / "key.pdf"
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 72), "Answer key", fontsize=16)
    for n in range(20):
        page.insert_text((72 + 120 * (n % 4), 110 + 24 * (n // 4)), f"{n + 101}. {'ABCD'[n % 4]}", fontsize=11)
    document.save(key)
    code, out, _ = _ingest(capsys, source, key, "-o", tmp_path / "bundle", "--json", "--role", "key.pdf=key")
    summary = json.loads(out)
    assert summary["graded_by_rule"] == 0
    told = [finding for finding in summary["findings"] if finding["where"].get("source") == 1]
    assert [(finding["code"], finding["severity"]) for finding in told] == [("key.other_exam", "error")]
    assert code == 1


def test_an_existing_bundle_is_kept_unless_forced(tmp_path, capsys):
    first = _paper(tmp_path / "first.pdf", title="First Test")
    second = _paper(tmp_path / "second.pdf", title="Second Test")
    bundle = tmp_path / "bundle"
    assert _ingest(capsys, first, "-o", bundle)[0] == 0
    (bundle / "sheet.json").write_text("{}")
    before = {file: file.read_bytes() for file in bundle.rglob("*") if file.is_file()}
    code, _, err = _ingest(capsys, second, "-o", bundle)
    assert code == 2
    _one_sentence(err, "--force")
    assert {file: file.read_bytes() for file in bundle.rglob("*") if file.is_file()} == before
    assert _ingest(capsys, second, "-o", bundle, "--force")[0] == 0
    assert "Second Test" in (bundle / "exam.json").read_text()
    assert (bundle / "sheet.json").read_text() == "{}"
    _nothing_left(tmp_path, first, second, bundle)


def test_a_bad_source_leaves_the_old_bundle_even_when_forced(tmp_path, capsys):
    bundle = tmp_path / "bundle"
    assert _ingest(capsys, _paper(tmp_path / "paper.pdf"), "-o", bundle)[0] == 0
    before = {file: file.read_bytes() for file in bundle.rglob("*") if file.is_file()}
    bad = tmp_path / "bad.pdf"
    bad.write_bytes(b"%PDF-1.7\nnothing follows")
    assert _ingest(capsys, bad, "-o", bundle, "--force")[0] == 2
    assert {file: file.read_bytes() for file in bundle.rglob("*") if file.is_file()} == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_an_output_that_cannot_be_written(tmp_path, capsys):
    source = _paper(tmp_path / "paper.pdf")
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    code, out, err = _ingest(capsys, source, "-o", closed / "bundle")
    assert (code, out) == (2, "")
    _one_sentence(err, "closed", "cannot be written")


def test_an_output_below_a_file(tmp_path, capsys):
    source = _paper(tmp_path / "paper.pdf")
    code, out, err = _ingest(capsys, source, "-o", source / "bundle")
    assert (code, out) == (2, "")
    _one_sentence(err, "paper.pdf")


@pytest.mark.parametrize(
    ("flags", "part"),
    [
        (["--role", "paper.pdf=exam"], "--role paper.pdf=exam"),
        (["--role", "other.pdf=key"], "other.pdf"),
        (["--pages", "paper.pdf=0"], "pages count from 1"),
        (["--pages", "paper.pdf=2-1"], "'2-1'"),
        (["--pages", "paper.pdf=9"], "page 9 does not exist"),
        (["--pages", "other.pdf=1"], "other.pdf"),
    ],
)
def test_flags_that_fit_nothing(tmp_path, capsys, flags, part):
    source = _paper(tmp_path / "paper.pdf")
    code, out, err = _ingest(capsys, source, "-o", tmp_path / "bundle", *flags)
    assert (code, out) == (2, "")
    _one_sentence(err, part)
    _nothing_left(tmp_path, source)
