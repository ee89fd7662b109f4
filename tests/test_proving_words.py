"""Every word of an exam against its pages: what is lost, invented, changed, out of order, and where."""

from __future__ import annotations

import copy
import time
from pathlib import Path
from typing import Any

import pytest

from exam2bench.ingest.proving.marks import mark_findings
from exam2bench.ingest.proving.page_index import PageIndex
from exam2bench.schemas.content import TableBlock, TextBlock
from exam2bench.schemas.exam import Option

from .drawn import draw
from .proving_pages import (
    changed,
    choice,
    exam,
    exam_of,
    index_of,
    open_question,
    paper,
    proof_of,
    said,
    typed,
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> PageIndex:
    return index_of(paper(tmp_path_factory.mktemp("proving") / "paper.pdf"))


def test_a_right_reading_is_verified_and_says_nothing(index: PageIndex) -> None:
    proof = proof_of(index, exam())
    assert [f.message for f in proof.findings if f.where.question or f.severity != "info"] == []
    found = {name: (p.status, p.text_match) for name, p in proof.questions.items()}
    assert found == dict.fromkeys(("q1", "q2", "q3"), ("verified", 1.0))
    assert proof.coverage.unassigned == 0
    assert proof.coverage.question == proof.coverage.words == len(index.paper.words)


def test_each_field_knows_its_place(index: PageIndex) -> None:
    proof = proof_of(index, exam())
    (region,) = proof.questions["q2"].fields["options.C"].regions
    assert (region.source, region.page) == (0, 0)
    assert 245 < region.y0 < region.y1 < 265 and region.x0 > 80
    (whole,) = proof.questions["q2"].regions
    assert whole.y0 < 205 and whole.y1 > 270


def test_a_lost_sentence_is_found_with_its_box(index: PageIndex) -> None:
    proof = proof_of(index, changed(exam(), "q2", "A train covers 270 km in 3 hours. ", ""))
    (finding,) = [f for f in proof.findings if f.severity != "info"]
    assert (finding.code, finding.where.question, finding.where.page) == ("text.lost", "q2", 0)
    assert "A train covers 270 km in 3 hours." in finding.message
    assert finding.where.box is not None and 195 < finding.where.box.y0 < 215
    assert proof.coverage.unassigned == 8


def test_one_lost_word_within_a_sentence_is_found(index: PageIndex) -> None:
    proof = proof_of(index, changed(exam(), "q3", "air around", "around"))
    assert said(proof, "q3") == ["text.lost"]
    assert proof.questions["q3"].status == "partial"


def test_an_invented_sentence_is_an_error(index: PageIndex) -> None:
    reading = changed(exam(), "q1", "sun?", "sun? Remember that chlorophyll is the pigment involved here.")
    proof = proof_of(index, reading)
    assert said(proof, "q1") == ["text.invented"]
    assert proof.questions["q1"].status == "flagged"
    assert "chlorophyll is the pigment" in proof.questions["q1"].fields["prompt"].missing[0]


def test_a_changed_digit_names_both_readings(index: PageIndex) -> None:
    proof = proof_of(index, changed(exam(), "q2", "270", "210"))
    (finding,) = proof.questions["q2"].findings
    assert finding.code == "text.changed"
    assert finding.message == "q2, prompt reads “210”, the page prints “270”."


def test_a_paraphrase_does_not_pass(index: PageIndex) -> None:
    proof = proof_of(
        index, changed(exam(), "q3", "Name the instrument that measures", "State the device used to gauge")
    )
    assert "text.changed" in said(proof, "q3")
    assert proof.questions["q3"].status == "flagged"


def test_swapped_options_answer_to_the_wrong_label(index: PageIndex) -> None:
    reading = exam()
    options = reading.sections[0].questions[2].options
    assert options is not None
    options[0].content, options[1].content = options[1].content, options[0].content
    proof = proof_of(index, reading)
    assert said(proof, "q3") and proof.questions["q3"].status in ("flagged", "partial")
    assert said(proof, "q1") == said(proof, "q2") == []


@pytest.mark.parametrize("place", range(4))
def test_a_dropped_option_is_found_wherever_it_stood(index: PageIndex, place: int) -> None:
    reading = exam()
    options = reading.sections[0].questions[1].options
    assert options is not None
    del options[place]
    assert said(proof_of(index, reading), "q2")


def test_options_labelled_anew_after_a_loss_are_found(index: PageIndex) -> None:
    reading = exam()
    options = reading.sections[0].questions[2].options
    assert options is not None
    del options[1]
    for option, label in zip(options, "ABC", strict=True):
        option.id = label
    assert "option.swapped" in said(proof_of(index, reading), "q3")


def test_an_invented_option_is_found(index: PageIndex) -> None:
    reading = exam()
    reading.sections[0].questions[0].options.append(  # type: ignore[union-attr]
        Option(id="E", content=[TextBlock(markdown="helium and neon")])
    )
    assert said(proof_of(index, reading), "q1") == ["text.invented"]


def test_a_lost_question_leaves_a_gap_and_its_words(index: PageIndex) -> None:
    reading = exam()
    del reading.sections[0].questions[1]
    proof = proof_of(index, reading)
    assert said(proof) == ["text.lost", "number.gap"]
    lost = next(f for f in proof.findings if f.code == "text.lost")
    assert lost.severity == "error" and "A train covers" in lost.message


def test_shifted_numbers_are_compared_with_what_is_printed(index: PageIndex) -> None:
    reading = exam()
    for question, number in zip(reading.sections[0].questions, ("1.", "3.", "4."), strict=True):
        question.number = number
    proof = proof_of(index, reading)
    assert said(proof, "q2") == ["number.wrong"]
    assert said(proof, "q3") == ["number.wrong"]


def test_two_questions_in_one_are_told_apart_by_the_label(index: PageIndex) -> None:
    reading = exam()
    first, second = reading.sections[0].questions[1:]
    first.prompt.append(TextBlock(markdown=f"3. {second.prompt[0].markdown}"))  # type: ignore[union-attr]
    del reading.sections[0].questions[2]
    assert "question.merged" in said(proof_of(index, reading), "q2")


# --- two columns ------------------------------------------------------------------------------------------------------

LEFT = [
    "1. The river that crosses the old town",
    "was moved twice before the bridge",
    "was built. Explain why this was",
    "done and who paid for the work.",
]
RIGHT = [
    "2. In the year of the great storm the",
    "harbour wall gave way on its north",
    "side. Describe what the council did",
    "to keep the ships afloat in winter.",
]


@pytest.fixture(scope="module")
def columns(tmp_path_factory: pytest.TempPathFactory) -> PageIndex:
    def paint(page: Any) -> None:
        for n in range(4):
            page.insert_text((50, 100 + 16 * n), LEFT[n], fontsize=11)
            page.insert_text((320, 100 + 16 * n), RIGHT[n], fontsize=11)

    return index_of(draw(tmp_path_factory.mktemp("columns") / "columns.pdf", paint))


def test_columns_read_one_after_the_other_are_proved(columns: PageIndex) -> None:
    one, two = " ".join(LEFT)[3:], " ".join(RIGHT)[3:]
    proof = proof_of(columns, exam_of([open_question("q1", "1.", one), open_question("q2", "2.", two)]))
    assert said(proof) == []


def test_columns_read_across_keep_all_words_and_no_meaning(columns: PageIndex) -> None:
    across = " ".join(f"{left} {right}" for left, right in zip(LEFT, RIGHT, strict=True))
    proof = proof_of(columns, exam_of([open_question("q1", "1.", across[3:])]))
    assert proof.questions["q1"].text_match == 1.0
    assert "text.order" in said(proof, "q1")
    assert proof.questions["q1"].status != "verified"


# --- tables, formulas, scripts ----------------------------------------------------------------------------------------


def test_a_table_cell_by_cell() -> None:
    index = typed(["1. Fill in the table.", "Month Rain Days", "May 12 4", "June 30 9"])
    question = open_question("q1", "1.", "Fill in the table.")
    question.prompt.append(TableBlock(header=["Month", "Rain", "Days"], rows=[["May", "12", "4"], ["June", "30", "9"]]))
    assert said(proof_of(index, exam_of([question]))) == []
    wrong = copy.deepcopy(question)
    wrong.prompt[1].rows[1][1] = "80"  # type: ignore[union-attr]
    assert said(proof_of(index, exam_of([wrong])), "q1") != []


def test_latex_is_proved_by_its_visible_symbols() -> None:
    index = typed(["1. Let α be a root of x 2 + 5 x = 7 and find", "4 times the sum α + 3 of it."])
    stem = r"Let $\alpha$ be a root of $x^{2}+5x=7$ and find $4$ times the sum $\frac{\alpha+3}{}$ of it."
    assert said(proof_of(index, exam_of([open_question("q1", "1.", stem)]))) == []
    wrong = stem.replace("5x", "6x")
    assert "text.changed" in said(proof_of(index, exam_of([open_question("q1", "1.", wrong)])), "q1")


def test_a_relation_that_the_page_prints_otherwise() -> None:
    index = typed(["1. For which n is 3 ≤ n true for all of them?"])
    right = r"For which $n$ is $3\le n$ true for all of them?"
    assert said(proof_of(index, exam_of([open_question("q1", "1.", right)]))) == []
    wrong = right.replace(r"\le", r"\ge")
    (finding,) = proof_of(index, exam_of([open_question("q1", "1.", wrong)])).questions["q1"].findings
    assert finding.code == "text.sign"


def test_destroyed_latex_is_said() -> None:
    index = typed(["1. Find 1 2 of it."])
    for broken in ("Find $\x0crac{1}{2}$ of it.", "Find $frac{1}{2}$ of it.", r"Find $\frac{1}{2$ of it."):
        proof = proof_of(index, exam_of([open_question("q1", "1.", broken)]))
        assert "latex.broken" in said(proof, "q1"), broken


def test_chinese_is_proved_character_by_character() -> None:
    index = typed(["1. 下列關於光合作用的敘述何者正確？請說明理由並寫出反應式。"])
    stem = "下列關於光合作用的敘述何者正確？請說明理由並寫出反應式。"
    assert said(proof_of(index, exam_of([open_question("q1", "1.", stem)]))) == []
    lost = stem.replace("請說明理由並", "")
    assert said(proof_of(index, exam_of([open_question("q1", "1.", lost)])), "q1") == ["text.lost"]
    other = stem.replace("何者正確", "何者錯誤")
    assert said(proof_of(index, exam_of([open_question("q1", "1.", other)])), "q1") == ["text.changed"]


def test_hebrew_is_proved_from_right_to_left() -> None:
    stem = "מהי עיר הבירה של צרפת ומתי נבנה בה המגדל הגבוה ביותר"
    index = typed([f"1. {stem}"], right=True)
    assert said(proof_of(index, exam_of([open_question("q1", "1.", stem)]))) == []
    assert "text.changed" in said(proof_of(index, exam_of([open_question("q1", "1.", stem.replace("צרפת", "ספרד"))])))


# --- OCR and hostile input --------------------------------------------------------------------------------------------


def test_a_page_read_by_ocr_says_so() -> None:
    lines = ["1. Which of these rivers flows through the capital of the country?"]
    stem = lines[0][3:]
    sure = typed(lines, origin="ocr", confidence=0.97)
    unsure = typed(lines, origin="ocr", confidence=0.70)
    assert proof_of(sure, exam_of([open_question("q1", "1.", stem)])).questions["q1"].status == "partial"
    assert proof_of(unsure, exam_of([open_question("q1", "1.", stem)])).questions["q1"].status == "unverified"
    slip = stem.replace("rivers", "rlvers")
    assert said(proof_of(sure, exam_of([open_question("q1", "1.", slip)]))) == []
    invented = stem + " Give two reasons for your choice and name a source."
    assert said(proof_of(sure, exam_of([open_question("q1", "1.", invented)]))) == ["text.invented"]


@pytest.mark.parametrize(
    "text",
    [
        "a" * 200_000,
        "ab" * 100_000,
        "1 " * 100_000,
        "\\frac{" * 30_000,
        "$" * 50_001,
        "(A) x " * 40_000,
        "甲" * 100_000,
    ],
    ids=["one letter", "two letters", "digits", "open braces", "dollars", "labels", "one character"],
)
def test_hostile_text_costs_a_bounded_time(text: str, index: PageIndex) -> None:
    started = time.process_time()
    proof = proof_of(index, exam_of([open_question("q1", "1.", text)]))
    assert time.process_time() - started < 10
    assert proof.questions["q1"].status in ("flagged", "partial", "unverified", "verified")


def test_a_page_of_repeats_is_indexed_and_matched() -> None:
    index = typed(["spam " * 60] * 400)
    started = time.process_time()
    proof_of(index, exam_of([open_question(f"q{n}", f"{n}.", "spam " * 300) for n in range(1, 8)]))
    assert time.process_time() - started < 10


def test_an_empty_page_proves_nothing() -> None:
    proof = proof_of(typed([]), exam())
    assert {p.status for p in proof.questions.values()} == {"flagged"}
    assert proof.coverage.words == 0


def test_proving_twice_is_the_same(tmp_path: Path) -> None:
    held = index_of(paper(tmp_path / "paper.pdf"))
    first, again = (proof_of(held, changed(exam(), "q2", "270", "210")) for _ in range(2))
    assert [f.model_dump() for f in first.findings] == [f.model_dump() for f in again.findings]


def test_a_word_bank_printed_once_serves_several_questions() -> None:
    index = typed(["(A) bridge (B) sorrow (C) hope (D) harbour", "Fill 11 and 12 in."])
    bank = [("A", "bridge"), ("B", "sorrow"), ("C", "hope"), ("D", "harbour")]
    reading = exam_of([choice("q11", None, "", bank), choice("q12", None, "", bank)])
    assert said(proof_of(index, reading), "q12") == []


def test_labels_of_several_numbers_count_in_their_own_series() -> None:
    stems = {"T1A01": "Name the first gas.", "T1A02": "Name the second gas.", "T1B01": "Name the third gas."}
    stems |= {"T1B02": "Name the fourth gas.", "T2A01": "Name the fifth gas."}
    index = typed([f"{label} {stem}" for label, stem in stems.items()])
    whole = [open_question(f"q{label}", label, stem) for label, stem in stems.items()]
    assert said(proof_of(index, exam_of(whole))) == []
    later = [open_question("qT1B04", "T1B04", stems["T1B02"]) if q.id == "qT1B02" else q for q in whole]
    assert "number.gap" in said(proof_of(index, exam_of(later)), "qT1B01")


def test_a_few_letters_do_not_speak_for_a_lost_question() -> None:
    """A direction that is not printed stands before the lost question: that one is lost all the same."""
    stems = ["What is the largest planet that goes around our own sun?", "Which of the seas is the deepest of all?"]
    index = typed([f"{n}. {stem}" for n, stem in enumerate(stems, 1)])
    exam = exam_of([open_question("q2", "2.", stems[1])])
    exam.sections[0].instructions = [TextBlock(markdown="$x_1$")]
    found = [f for f in proof_of(index, exam).findings if f.code == "text.lost" and f.severity != "info"]
    (message,) = (f.message for f in found)
    assert message.startswith("The page prints “What is the largest planet that goes around our own sun?” before q2,")


@pytest.mark.parametrize(
    ("told", "points", "said_of"),
    [
        ("Questions 1 to 2: each question carries 3 points.", (3, 3), []),
        ("Questions 1 to 2: each question carries 3 points.", (3, 5), ["q2"]),
        ("第1～2小題，每小題3分。", (5, 3), ["q1"]),
    ],
)
def test_points_of_a_range_hold_for_every_type(told: str, points: tuple[float, float], said_of: list[str]) -> None:
    exam = exam_of([open_question(f"q{n}", f"{n}.", f"Say what you see in picture {n}.") for n in (1, 2)])
    for question, worth in zip(exam.sections[0].questions, points, strict=True):
        question.points = worth
    exam.sections[0].instructions = [TextBlock(markdown=told)]
    assert [f.where.question for f in mark_findings(exam)] == said_of


def test_points_printed_at_a_group_are_those_of_its_parts_together() -> None:
    parts = [open_question(f"q1.{p}", f"({p})", f"Name thing {p}.") for p in "ab"]
    group = open_question("q1", "1.", "Look at the picture. (4 points)")
    group.type, group.children, group.points = "composite", parts, 4
    parts[0].points, parts[1].points = 2, 10
    assert [f.message for f in mark_findings(exam_of([group]))] == ["q1 prints 4 points and is worth 12."]
