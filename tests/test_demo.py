"""`exam2bench demo` on the sample exam, and what the engine reads from the sample."""

from __future__ import annotations

import json
from pathlib import Path

import pymupdf
import pytest

from exam2bench.cli import main
from exam2bench.corpora.samples import typeset
from exam2bench.schemas.bundle import load_bundle
from exam2bench.schemas.exam import Question
from exam2bench.schemas.report import Report
from exam2bench.schemas.validation import validate_bundle

SAMPLES = Path(typeset.__file__).parent
ALL_TYPES = {
    "single_choice", "multiple_choice", "true_false", "fill_in_blank", "matching", "short_answer", "essay", "drawing",
}  # fmt: skip


@pytest.fixture(scope="module")
def demo(tmp_path_factory) -> tuple[Path, str]:
    """The demo's folder and what it printed."""
    import contextlib
    import io

    folder = tmp_path_factory.mktemp("demo") / "out"
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert main(["demo", "-o", str(folder)]) == 0
    return folder, out.getvalue()


def leaf(demo, name: str) -> Question:
    return next(leaf for leaf in load_bundle(demo[0] / "bundle").exam.leaves() if leaf.id == name)


def expected_leaves() -> list[dict]:
    def walk(question: dict) -> list[dict]:
        return [leaf for child in question["children"] or [] for leaf in walk(child)] or [question]

    gold = json.loads((SAMPLES / "expected.json").read_text(encoding="utf-8"))
    return [leaf for question in gold["questions"] for leaf in walk(question)]


def test_the_sample_is_read_as_it_was_written(demo):
    exam = load_bundle(demo[0] / "bundle").exam
    read = [(leaf.type, [o.id for o in leaf.options or []], leaf.points) for leaf in exam.leaves()]
    gold = [(leaf["type"], leaf["options"] or [], leaf["points"]) for leaf in expected_leaves()]
    assert read == gold
    assert {kind for kind, _, _ in read} == ALL_TYPES
    assert (exam.title, exam.language, exam.total_points) == ("Harbour City Entrance Examination", "en", 100)


def test_numbers_that_restart_are_told_apart(demo):
    names = [leaf.id for leaf in load_bundle(demo[0] / "bundle").exam.leaves()]
    sheet = json.loads((SAMPLES / "perfect.json").read_text(encoding="utf-8"))
    assert names == list(sheet["answers"])


def test_the_key_becomes_rules(demo):
    questions = load_bundle(demo[0] / "bundle").grading.questions
    rules = {name: entry.rule.model_dump() for name, entry in questions.items()}
    for number, gold in zip(questions, expected_leaves(), strict=True):
        if gold["options"]:
            assert rules[number]["correct"] == gold["answer"], number
    assert (rules["q7"]["correct"], rules["q8"]["correct"]) == (True, False)
    assert rules["q9"]["correct_pairs"] == {"i": "C", "ii": "B", "iii": "D", "iv": "A"}
    assert [blank["accepted"][0] for blank in rules["q10"]["blanks"].values()] == ["0", "100"]
    assert (rules["C.q5"]["kind"], rules["C.q5"]["ratio_by_errors"]) == ("per_option", [1.0, 0.6, 0.2, 0.0])
    assert rules["D.q1"]["kind"] == "judge"
    assert [[level["points"] for level in c["levels"]] for c in rules["D.q1"]["rubric"]] == [[6, 4, 2, 0], [6, 4, 2, 0]]
    assert all(entry.anchored for entry in questions.values())


def test_the_bundle_keeps_the_contract(demo):
    assert [f for f in validate_bundle(demo[0] / "bundle") if f.severity == "error"] == []


def test_the_figure_and_the_table_are_there(demo):
    assert [block.type for block in leaf(demo, "B.q1").prompt if block.type == "image"] == ["image"]
    composite = next(q for q in load_bundle(demo[0] / "bundle").exam.questions() if q.id == "B.q3")
    tables = [block for block in composite.prompt if block.type == "table"]
    assert [row[0] for row in tables[0].rows] == ["P", "Q", "R", "S"]


def test_three_sheets_are_graded_with_bounds(demo):
    folder, out = demo
    reports = {
        name: Report.model_validate_json((folder / "reports" / f"{name}.report.json").read_text(encoding="utf-8"))
        for name in ("perfect", "half", "blank")
    }
    perfect, half, blank = (reports[name] for name in ("perfect", "half", "blank"))
    assert perfect.total_awarded + perfect.ungraded_points == 100
    assert perfect.bounds is not None and (perfect.bounds.low, perfect.bounds.high) == (perfect.total_awarded, 100)
    assert 0.25 < half.total_awarded / (half.total_max - half.ungraded_points) < 0.75
    assert (blank.total_awarded, blank.ungraded_count) == (0, 0)
    assert {result.mode for result in blank.results.values()} == {"unanswered"}
    assert {result.mode for result in perfect.results.values()} == {"deterministic", "error"}
    digest = load_bundle(folder / "bundle").manifest.digest
    assert {report.bundle_digest for report in reports.values()} == {digest}
    assert f"{perfect.total_awarded:g} of 100 points by rule" in out
    assert "counted as ungraded, not as 0" in out
    assert str(folder) in out


def test_the_scan_is_read_or_said_to_be_unread(demo):
    folder, out = demo
    assert "OCR read it" in out or "exam2bench[ocr]" in out
    assert (folder / "scan-bundle").is_dir() == ("OCR read it" in out)


def test_the_demo_replaces_only_a_demo(demo, tmp_path, capsys):
    (tmp_path / "thesis.tex").write_text("years of work")
    assert main(["demo", "-o", str(tmp_path)]) == 2
    assert "holds other files: choose another -o" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize("name", ["paper", "key", "markscheme", "scan"])
def test_the_pdfs_are_small_self_contained_and_undated(name):
    data = (SAMPLES / f"{name}.pdf").read_bytes()
    assert len(data) < 300_000
    document = pymupdf.open(stream=data)
    assert not any(value for key, value in document.metadata.items() if key not in ("format", "encryption"))
    fonts = {font for page in document for font in page.get_fonts(full=True)}
    assert all(font[1] != "n/a" for font in fonts), "a font is not embedded"
    assert bool(document[0].get_text().strip()) == (name != "scan")


def test_typesetting_again_gives_the_same_pages(tmp_path):
    """The script beside the PDFs is the one that made them: same text, same picture."""
    typeset.main(tmp_path)
    for name in ("paper", "key", "markscheme"):
        kept, made = pymupdf.open(SAMPLES / f"{name}.pdf"), pymupdf.open(tmp_path / f"{name}.pdf")
        assert [page.get_text() for page in kept] == [page.get_text() for page in made]
        assert [page.get_pixmap(dpi=40).samples for page in kept] == [page.get_pixmap(dpi=40).samples for page in made]
