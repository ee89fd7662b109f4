"""Points as papers print them, and how choices score."""

from __future__ import annotations

from pathlib import Path

import pytest

from exam2bench.ingest.draft import DraftOption, DraftQuestion, ScoringRule
from exam2bench.ingest.structure.points import head_mark, question_marks, section_marks
from exam2bench.ingest.structure.scoring_rules import read_rule
from exam2bench.tests.typeset import draft, outline, typeset


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("（a）此選育計畫目標是否達成？（1分）", [1.0]),
        ("(4 P) Erläutern Sie die Grundidee.", [4.0]),
        ("find the value of x. [3]", [3.0]),
        ("정하시오. [3점]", [3.0]),
        ("（本题满分10分）", [10.0]),
        ("（填充，4分）", [4.0]),
        ("(占4分，作答字數：30字以內)", [4.0]),
        ("(2,5 điểm)", [2.5]),
        ("理由為何？（1分）並說明影響。（1分）", [1.0, 1.0]),
        ("考試時間（100分鐘）", []),
        ("see reference [3] for details", []),
    ],
)
def test_marks_at_the_question(text: str, values: list[float]) -> None:
    assert [mark.value for mark in question_marks(text)] == values


def test_a_mark_in_a_heading_line() -> None:
    mark = head_mark("Exercice 1 – 5 points")
    assert mark is not None
    assert mark.value == 5.0
    assert head_mark("In 5 points explain the causes of the war and its course.") is None


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("說明：第1題至第6題，每題5分。", [(5.0, "each")]),
        ("第壹部分、選擇（填）題（占85 分）", [(85.0, "all")]),
        ("共20題，每題1.25分，須用2B鉛筆", [(1.25, "each")]),
        ("一、选择题：1～10小题，每小题5 分，共50 分．", [(5.0, "each"), (50.0, "all")]),
        ("Answer ALL questions, 4 marks each", [(4.0, "each")]),
        ("次の各問い(各5点)", [(5.0, "each")]),
        ("SECTION B (Each question carries 3 marks)", [(3.0, "each")]),
    ],
)
def test_marks_in_a_heading(text: str, marks: list[tuple[float, str]]) -> None:
    assert [(mark.value, mark.scope) for mark in section_marks(text)] == marks


def _question(kind: str, points: float | None = 4.0) -> DraftQuestion:
    options = [DraftOption(letter) for letter in "ABCDE"]
    return DraftQuestion("1.", "1", type=kind, options=options, points=points)  # type: ignore[arg-type]


def test_shares_by_wrong_options_come_from_the_sentence() -> None:
    text = "所有選項均答對者，得5分；答錯1個選項者，得3分；答錯2個選項者，得1分。"
    rule = read_rule(text, _question("multiple_choice", None))
    assert rule == ScoringRule(ratio_by_errors=(1.0, 0.6, 0.2, 0.0), text=rule.text if rule else "")


def test_the_share_formula_of_several_answers() -> None:
    rule = read_rule("答錯 k 個選項者，得該題 (n−2k)/n 的分數", _question("multiple_choice"))
    assert rule is not None
    assert rule.ratio_by_errors == (1.0, 0.6, 0.2, 0.0)


@pytest.mark.parametrize(
    ("text", "penalty"),
    [
        ("One-third of the marks will be deducted for each wrong answer.", 1.333333),
        ("答錯1題倒扣0.5分。", 0.5),
        ("+4 marks for a correct answer and –1 mark for a wrong answer.", 1.0),
    ],
)
def test_penalties(text: str, penalty: float) -> None:
    rule = read_rule(text, _question("single_choice"))
    assert rule is not None
    assert rule.wrong_penalty == penalty


def test_no_penalty_where_the_paper_says_so() -> None:
    assert read_rule("There is no negative marking for a wrong answer.", _question("single_choice")) is None


def test_the_nearest_statement_wins(tmp_path: Path) -> None:
    html = (
        "<p>Maximum Marks: 20</p><h3>Section A (2 points each)</h3>"
        "<p>1. Define force.</p><p>2. Define work. (5 points)</p>"
        "<h3>Section B (8 points)</h3><p>3. State the first law.</p><p>4. State the second law.</p>"
    )
    paper = draft(typeset(tmp_path / "marks.pdf", html))
    assert outline(paper) == ["1 short_answer 2", "2 short_answer 5", "3 short_answer 4", "4 short_answer 4"]
    assert [q.points_from for q in paper.leaves()] == ["section", "question", "section", "section"]
    assert paper.printed_total == 20.0
