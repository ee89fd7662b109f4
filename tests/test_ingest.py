"""`exam2bench ingest` as a user calls it: on the sample exam and on a paper made here."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pymupdf
import pytest

from exam2bench.cli import main
from exam2bench.schemas.bundle import load_bundle
from exam2bench.schemas.validation import validate_bundle

SAMPLES = Path(__file__).resolve().parents[1] / "corpora" / "samples"
EXAMS = Path(__file__).resolve().parents[1].parent / "shared" / "exams"


def _run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = main(["ingest", *map(str, arguments)])
    out, err = capsys.readouterr()
    return code, out, err


def _capitals(path: Path, cities: tuple[str, ...] = ("Rome", "Paris", "Oslo")) -> Path:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 72), "Capitals of Europe", fontsize=18)
    page.insert_text((72, 96), "Answer all questions. Total: 6 marks", fontsize=11)
    for n, country in enumerate(("Italy", "France", "Norway")):
        y = 130 + 110 * n
        page.insert_text((72, y), f"{n + 1}. What is the capital of {country}? [2 marks]", fontsize=11)
        for k, city in enumerate(cities):
            page.insert_text((90, y + 18 * (k + 1)), f"({'ABC'[k]}) {city}", fontsize=11)
    document.save(path)
    return path


def _key(path: Path) -> Path:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 72), "Answer key", fontsize=18)
    page.insert_text((72, 110), "1. A   2. B   3. C", fontsize=11)
    document.save(path)
    return path


def test_the_result_is_told_in_plain_words(tmp_path, capsys):
    paper, key = _capitals(tmp_path / "paper.pdf"), _key(tmp_path / "key.pdf")
    code, out, err = _run(capsys, paper, key, "-o", tmp_path / "bundle")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "Capitals of Europe [en], from paper.pdf (paper), key.pdf (key)",
        "3 questions in 1 section (3 single choice), 6 points, 0 figures",
        "3 graded by rule, 0 by a judge",
        "100.0% of the paper's words accounted for; the text of 3 of 3 questions found word for word on the page",
        "nothing to report",
        f"written to {tmp_path / 'bundle'}",
    ]


def test_the_bundle_says_what_the_paper_says(tmp_path, capsys):
    paper, key = _capitals(tmp_path / "paper.pdf"), _key(tmp_path / "key.pdf")
    assert _run(capsys, paper, key, "-o", tmp_path / "bundle")[0] == 0
    assert [finding for finding in validate_bundle(tmp_path / "bundle") if finding.severity != "info"] == []
    bundle = load_bundle(tmp_path / "bundle")
    leaves = list(bundle.exam.leaves())
    assert [(leaf.id, leaf.number, leaf.points) for leaf in leaves] == [
        ("q1", "1.", 2),
        ("q2", "2.", 2),
        ("q3", "3.", 2),
    ]
    assert leaves[1].prompt[0].model_dump()["markdown"].startswith("What is the capital of France?")
    assert [option.id for option in leaves[1].options or []] == ["A", "B", "C"]
    assert [option.content[0].model_dump()["markdown"] for option in leaves[1].options or []] == [
        "Rome",
        "Paris",
        "Oslo",
    ]
    assert [bundle.grading.questions[leaf.id].rule.model_dump()["correct"] for leaf in leaves] == [["A"], ["B"], ["C"]]
    region = leaves[1].provenance[0]
    assert (region.source, region.page) == (0, 0)
    assert region.x0 == pytest.approx(72, abs=2)
    assert 225 < region.y0 < 240 < region.y1 < 310
    assert leaves[1].checks is not None
    assert (leaves[1].checks.text_match, leaves[1].checks.status) == (1.0, "verified")
    assert bundle.manifest.coverage is not None
    assert bundle.manifest.coverage.unassigned == 0
    assert [(source.path, source.role, source.pages) for source in bundle.manifest.sources] == [
        ("paper.pdf", "paper", 1),
        ("key.pdf", "key", 1),
    ]
    assert leaves[1].snapshot == "assets/q2.snapshot.png"
    assert pymupdf.Pixmap(str(tmp_path / "bundle" / "assets" / "q2.snapshot.png")).width > 200


def test_json_holds_the_findings(tmp_path, capsys):
    code, out, _ = _run(capsys, _capitals(tmp_path / "paper.pdf"), "-o", tmp_path / "bundle", "--json")
    summary = json.loads(out)
    assert code == 0
    assert (summary["questions"], summary["graded_by_rule"], summary["total_points"]) == (3, 0, 6)
    assert summary["questions_by_type"] == {"single_choice": 3}
    assert [(finding["code"], finding["severity"]) for finding in summary["findings"]] == [("key.missing", "warning")]


def test_chosen_pages_only(tmp_path, capsys):
    paper = pymupdf.open(_capitals(tmp_path / "one.pdf"))
    paper.insert_pdf(pymupdf.open(_capitals(tmp_path / "two.pdf", ("Bern", "Bonn", "Brno"))))
    both = tmp_path / "both.pdf"
    paper.save(both)
    code, out, _ = _run(capsys, both, "-o", tmp_path / "bundle", "--pages", "both.pdf=2", "--json")
    assert code == 0
    assert json.loads(out)["questions"] == 3
    exam = load_bundle(tmp_path / "bundle").exam
    first = next(exam.leaves())
    assert [option.content[0].model_dump()["markdown"] for option in first.options or []] == ["Bern", "Bonn", "Brno"]
    assert first.provenance[0].page == 1


def test_a_role_that_is_told_wins(tmp_path, capsys):
    paper = _capitals(tmp_path / "paper.pdf")
    code, out, _ = _run(capsys, paper, "-o", tmp_path / "bundle", "--role", "paper.pdf=key", "--json")
    assert code == 1
    assert json.loads(out)["sources"][0]["role"] == "key"


def test_a_language_that_is_told_wins(tmp_path, capsys):
    assert _run(capsys, _capitals(tmp_path / "paper.pdf"), "-o", tmp_path / "bundle", "--language", "en-GB")[0] == 0
    assert load_bundle(tmp_path / "bundle").exam.language == "en-GB"


def test_progress_is_shown_on_a_terminal_only(tmp_path, capsys, monkeypatch):
    paper = _capitals(tmp_path / "paper.pdf")
    assert _run(capsys, paper, "-o", tmp_path / "quiet")[2] == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    shown = _run(capsys, paper, "-o", tmp_path / "bundle")[2]
    assert "reading pages" in shown
    assert shown.endswith("\r\x1b[2K")


def test_ctrl_c_leaves_nothing_half_written(tmp_path, capsys, monkeypatch):
    paper = _capitals(tmp_path / "paper.pdf")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("exam2bench.schemas.bundle.put_in_place", interrupted)
    assert _run(capsys, paper, "-o", tmp_path / "bundle")[0] == 130
    assert sorted(tmp_path.iterdir()) == [paper]


def test_the_sample_exam(tmp_path, capsys):
    sources = [SAMPLES / name for name in ("paper.pdf", "key.pdf", "markscheme.pdf")]
    code, out, _ = _run(capsys, *sources, "-o", tmp_path / "bundle", "--json")
    summary = json.loads(out)
    assert code == 0
    assert [source["role"] for source in summary["sources"]] == ["paper", "key", "markscheme"]
    assert (summary["title"], summary["language"], summary["total_points"]) == (
        "Harbour City Entrance Examination",
        "en",
        100,
    )
    assert summary["coverage"] == 1.0
    assert [finding for finding in validate_bundle(tmp_path / "bundle") if finding.severity == "error"] == []


@pytest.mark.skipif(not EXAMS.exists(), reason="the exam papers are not here")
def test_a_real_paper_with_its_key(tmp_path, capsys):
    folder = EXAMS / "tw-moex-immigration-french-2019"
    code, out, _ = _run(capsys, folder / "paper.pdf", folder / "key.pdf", "-o", tmp_path / "bundle", "--json")
    summary = json.loads(out)
    assert code == 0
    assert (summary["questions"], summary["total_points"]) == (23, 100)
    bundle = load_bundle(tmp_path / "bundle")
    choices = [leaf for leaf in bundle.exam.leaves() if leaf.type == "single_choice"]
    assert [[option.id for option in leaf.options or []] for leaf in choices] == [["A", "B", "C", "D"]] * 20
    assert {leaf.points for leaf in choices} == {1.25}
    assert all(bundle.grading.questions[leaf.id].rule.kind == "choice" for leaf in choices)


@pytest.mark.skipif(not EXAMS.exists(), reason="the exam papers are not here")
def test_a_paper_whose_text_is_ciphered_has_no_questions_and_says_so(tmp_path, capsys):
    source = EXAMS / "vn-dongnai-hsg12-2019-truncated" / "paper_truncated.pdf"
    code, out, _ = _run(capsys, source, "-o", tmp_path / "bundle", "--ocr", "off", "--json")
    assert code == 1
    codes = [finding["code"] for finding in json.loads(out)["findings"]]
    assert codes[0] == "question.none"
