"""Roles of sources, found by what they print."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from exam2bench.ingest.keys.roles import SourceRole, find_roles, role_findings, select
from exam2bench.ingest.page import Page
from exam2bench.ingest.pages.reading import read_order
from exam2bench.ingest.pages.sources import open_sources
from exam2bench.ingest.pages.textlayer import read_pages
from exam2bench.schemas.findings import Finding

STEMS = [
    "Which of these rivers is the longest in the northern hemisphere of the earth?",
    "What did the committee decide in its second meeting of that year?",
    "Why does the water in the glass rise when the candle goes out?",
    "Which word is nearest in meaning to the word that is underlined?",
    "How many minutes pass before the second train leaves the station?",
]


def questions(count: int = 10, answers: bool = False) -> list[str]:
    lines: list[str] = []
    for n in range(count):
        lines.append(f"{n + 1}. {STEMS[n % 5]} Part {n}")
        lines += [f"   {label} option number {n}{label} of this question" for label in ("(A)", "(B)", "(C)", "(D)")]
        if answers:
            lines.append(
                f"   Solution: the right one is option {'ABCD'[n % 4]}, as the text of paragraph {n} tells the reader."
            )
    return lines


def key_rows(count: int = 20) -> list[str]:
    return ["Answer key", *(f"{n}          {'ABCD'[n % 4]}" for n in range(1, count + 1))]


def write(folder: Path, name: str, pages: list[list[str]]) -> Path:
    document = pymupdf.open()
    for lines in pages:
        page = document.new_page()
        for n, text in enumerate(lines):
            x = 60.0
            for word in text.split("          "):
                page.insert_text((x, 60 + 13 * n), word, fontsize=10)
                x += 90
    path = folder / name
    document.save(path)
    return path


def roles_of(paths: list[Path], told: dict[str, str] | None = None) -> tuple[list[SourceRole], list[Finding], list]:
    sources = open_sources(paths)
    held: dict[tuple[int, int], Page] = {}
    readings = []
    for source in sources:
        pages, _ = read_pages(source, ocr="off")
        held |= {(p.source, p.number): p for p in pages}
        readings.append(read_order(pages))
    roles, findings = find_roles(sources, readings, held, told or {})
    return roles, findings, readings


def names(paths: list[Path], told: dict[str, str] | None = None) -> list[str]:
    return [r.role for r in roles_of(paths, told)[0]]


def test_a_key_is_known_by_its_grid_whatever_its_name(tmp_path: Path) -> None:
    exam = write(tmp_path, "one.pdf", [questions()])
    key = write(tmp_path, "two.pdf", [key_rows()])
    assert names([exam, key]) == ["paper", "key"] and names([key, exam]) == ["key", "paper"]


def test_a_paper_called_key_is_still_a_paper(tmp_path: Path) -> None:
    assert names([write(tmp_path, "key.pdf", [questions()])]) == ["paper"]


def test_the_key_on_the_last_page_of_the_paper(tmp_path: Path) -> None:
    path = write(tmp_path, "exam.pdf", [questions(), questions(), key_rows()])
    roles, _, readings = roles_of([path])
    assert roles[0].role == "paper" and roles[0].pages == {2: "key"}
    assert {line.page for r in select(readings, roles, {"paper"}) for line in r.lines} == {0, 1}
    assert {line.page for r in select(readings, roles, {"key"}) for line in r.lines} == {2}


def test_a_solution_repeats_the_paper_and_adds_to_it(tmp_path: Path) -> None:
    exam = write(tmp_path, "a.pdf", [questions(8)])
    solved = write(tmp_path, "b.pdf", [questions(8, answers=True)])
    assert names([exam, solved]) == ["paper", "solution"] and names([solved, exam]) == ["solution", "paper"]


def test_the_same_paper_again_is_no_key(tmp_path: Path) -> None:
    exam = write(tmp_path, "paper.pdf", [questions(8)])
    filled = write(tmp_path, "student_solution.pdf", [questions(8)])
    assert names([exam, filled]) == ["paper", "answersheet"]


@pytest.mark.parametrize(
    ("title", "role"),
    [
        ("Mark scheme", "markscheme"),
        ("SCORING KEY AND RATING GUIDE", "markscheme"),
        ("Solutions", "solution"),
        ("Conversion chart for the final scale score", "other"),
    ],
)
def test_titles_tell_prose(tmp_path: Path, title: str, role: str) -> None:
    exam = write(tmp_path, "one.pdf", [questions()])
    prose = ["The first question asks for the reasons that the author gives in the text."] * 12
    other = write(tmp_path, "two.pdf", [[title, "Session of June", *prose]])
    assert names([exam, other]) == ["paper", role]


def test_a_chart_of_scores_is_no_key(tmp_path: Path) -> None:
    exam = write(tmp_path, "one.pdf", [questions()])
    chart = write(
        tmp_path, "two.pdf", [["Raw Score Conversion Chart", *(f"{n}          {40 + n}" for n in range(1, 40))]]
    )
    assert names([exam, chart]) == ["paper", "other"]


def test_what_the_user_tells_wins(tmp_path: Path) -> None:
    exam = write(tmp_path, "one.pdf", [questions()])
    key = write(tmp_path, "two.pdf", [key_rows()])
    assert names([exam, key], {"two.pdf": "other"}) == ["paper", "other"]


def test_keys_alone_are_told(tmp_path: Path) -> None:
    roles, findings, _ = roles_of([write(tmp_path, f"{n}.pdf", [key_rows(20 + n)]) for n in range(2)])
    assert [r.role for r in roles] == ["key", "key"]
    assert [(f.code, f.severity) for f in findings] == [("source.no_paper", "error")]


def test_why_a_source_has_its_role(tmp_path: Path) -> None:
    paths = [write(tmp_path, "one.pdf", [questions()]), write(tmp_path, "two.pdf", [key_rows()])]
    roles, _, _ = roles_of(paths)
    told = [f.message for f in role_findings(roles, open_sources(paths))]
    assert told == [
        "one.pdf was read as paper: it prints questions.",
        "two.pdf was read as key: its pages are answer keys.",
    ]
