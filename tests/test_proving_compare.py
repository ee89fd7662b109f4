"""Two readings of one paper: agreement, the page's verdict, what stays open, and what a second witness tells."""

from __future__ import annotations

import copy
import math
from pathlib import Path

import pytest

from exam2bench.ingest.proving.compare import Comparison, FieldVerdict, compare
from exam2bench.ingest.proving.estimate import chapman, estimate
from exam2bench.ingest.proving.page_index import PageIndex
from exam2bench.ingest.witness import Answer, Witness
from exam2bench.schemas.content import TextBlock
from exam2bench.schemas.exam import Exam, Region

from .proving_pages import changed, exam, exam_of, grading, index_of, open_question, paper, typed


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> PageIndex:
    return index_of(paper(tmp_path_factory.mktemp("compare") / "paper.pdf"))


def witness(name: str, reading: Exam, key: str = "BCB") -> Witness:
    return Witness(name, reading, grading(reading, key + "A" * 9))


def against(index: PageIndex, other: Exam, key: str = "BCB") -> Comparison:
    return compare(witness("layout", exam()), witness("model", other, key), index)


def differing(comparison: Comparison) -> list[tuple[str | None, str, str]]:
    return [(v.question_b or v.question_a, v.field, v.supported) for v in comparison.fields if not v.agreed]


def test_the_same_reading_agrees_in_every_field(index: PageIndex) -> None:
    found = against(index, exam())
    assert found.pairs == [("q1", "q1"), ("q2", "q2"), ("q3", "q3")]
    assert differing(found) == [] and found.findings == []
    assert {v.supported for v in found.fields} == {"both"}
    fields = [v.field for v in found.fields if v.question_a == "q1"]
    labels = [f"options.{label}" for label in "ABCD"]
    assert fields == ["section", "number", "type", "points", "prompt", "options", *labels, "key"]


def test_exact_text_wins_over_a_paraphrase(index: PageIndex) -> None:
    found = against(index, changed(exam(), "q3", "Name the instrument that measures", "State which device gauges"))
    assert differing(found) == [("q3", "prompt", "a")]
    (verdict,) = [v for v in found.fields if not v.agreed]
    assert verdict.regions and verdict.regions[0].page == 0
    assert verdict.value_a.startswith("Name the instrument") and verdict.value_b.startswith("State which")


def test_the_reading_that_kept_a_sentence_wins_over_the_one_that_lost_it(index: PageIndex) -> None:
    found = against(index, changed(exam(), "q2", "A train covers 270 km in 3 hours. ", ""))
    assert differing(found) == [("q2", "prompt", "a")]
    back = compare(
        witness("layout", changed(exam(), "q2", "A train covers 270 km in 3 hours. ", "")), witness("m", exam()), index
    )
    assert differing(back) == [("q2", "prompt", "b")]


def test_swapped_options_are_settled_by_their_labels(index: PageIndex) -> None:
    other = exam()
    options = other.sections[0].questions[0].options
    assert options is not None
    options[0].content, options[1].content = options[1].content, options[0].content
    found = differing(against(index, other))
    assert {field for _, field, _ in found} == {"options.A", "options.B"}
    assert {supported for _, _, supported in found} == {"a"}


def test_a_dropped_option_and_a_lost_question(index: PageIndex) -> None:
    other = exam()
    del other.sections[0].questions[0]
    options = other.sections[0].questions[0].options
    assert options is not None
    del options[3]
    found = against(index, other)
    assert found.pairs[0] == ("q1", None)
    assert ("q1", "question", "a") in differing(found)
    assert ("q2", "options", "a") in differing(found)


def test_an_invented_question_is_borne_out_by_nobody(index: PageIndex) -> None:
    other = exam()
    extra = open_question("q4", "4.", "Explain in your own words how a refrigerator keeps vegetables fresh.")
    other.sections[0].questions.append(extra)
    (verdict,) = [v for v in against(index, other).fields if not v.agreed]
    assert (verdict.question_a, verdict.question_b, verdict.field, verdict.supported) == (None, "q4", "question", "a")


def test_a_misread_number_is_compared_with_the_page(index: PageIndex) -> None:
    other = exam()
    other.sections[0].questions[2].number = "8."
    other.sections[0].questions[2].id = "q8"
    assert differing(against(index, other)) == [("q8", "number", "a")]


def test_latex_agrees_with_the_same_formula_flattened() -> None:
    page = typed(["1. Solve x 2 + 5 x = 7 for real x."])
    flat = exam_of([open_question("q1", "1.", "Solve x² + 5x = 7 for real x.")])
    latex = exam_of([open_question("q1", "1.", "Solve $x^{2}+5x=7$ for real $x$.")])
    assert differing(compare(witness("layout", flat), witness("model", latex), page)) == []


def test_type_and_points_stay_open_with_both_readings(index: PageIndex) -> None:
    other = exam()
    other.sections[0].questions[0].points = 4
    other.sections[0].questions[1].type = "multiple_choice"
    found = against(index, other)
    assert differing(found) == [("q1", "points", "open"), ("q2", "type", "open")]
    assert [f.code for f in found.findings] == ["reading.open", "reading.open"]
    assert "one reading has “1”, the other “4”" in found.findings[0].message


def test_a_key_is_settled_by_the_place_that_is_named_for_it(index: PageIndex) -> None:
    place = Region(source=0, page=0, x0=70, y0=95, x1=200, y1=120)  # holds `(B) carbon dioxide`
    elsewhere = Region(source=0, page=0, x0=300, y0=700, x1=400, y1=720)
    a = Witness("layout", exam(), grading(exam(), "BCB"), {}, {"q1": Answer("B", (place,))})
    b = Witness("model", exam(), grading(exam(), "DCB"), {}, {"q1": Answer("D", (elsewhere,))})
    assert differing(compare(a, b, index)) == [("q1", "key", "a")]
    told_nowhere = Witness("model", exam(), grading(exam(), "DCB"))
    assert differing(compare(witness("layout", exam()), told_nowhere, index)) == [("q1", "key", "open")]


def test_text_that_stands_above_in_the_other_reading_is_read_alike() -> None:
    page = typed(["Read the notice on the door of the hall.", "1. Where does the meeting take place?"])
    inside = exam_of(
        [open_question("q1", "1.", "Read the notice on the door of the hall.\n\nWhere does the meeting take place?")]
    )
    above = exam_of([open_question("q1", "1.", "Where does the meeting take place?")])
    above.sections[0].instructions = [TextBlock(markdown="Read the notice on the door of the hall.")]
    assert differing(compare(witness("layout", inside), witness("model", above), page)) == []


# --- the second witness ----------------------------------------------------------------------------------------------


def test_chapmans_estimate() -> None:
    # 10 found by the first, 15 by the second, 5 by both
    total, error = chapman(10, 15, 5)
    assert total == pytest.approx(11 * 16 / 6 - 1)
    assert error == pytest.approx(math.sqrt(11 * 16 * 5 * 10 / (36 * 7)))
    assert chapman(20, 20, 20) == (20.0, 0.0)


def test_missed_questions_and_error_rates_are_estimated(index: PageIndex) -> None:
    first, second = exam(), exam()
    del second.sections[0].questions[1]
    second = changed(second, "q3", "Name the instrument", "State the device")
    a, b = witness("one", first), witness("two", second)
    found = estimate(a, b, compare(a, b, index))
    assert (found.found_a, found.found_b, found.found_both) == (3, 2, 2)
    assert found.total == pytest.approx(4 * 3 / 3 - 1)
    prompt = next(rate for rate in found.fields if rate.field == "prompt")
    assert (prompt.compared, prompt.differing, prompt.wrong_a, prompt.wrong_b) == (2, 1, 0, 1)
    assert prompt.rate == pytest.approx(0.5)
    options = next(rate for rate in found.fields if rate.field == "options text")
    assert (options.compared, options.differing, options.rate, options.low) == (8, 0, 0.0, 0.0)
    assert found.as_dict()["questions"] == {
        "first": 3, "second": 2, "both": 2, "estimated": 3.0, "standard_error": 0.0, "missed_by_first": 0.0,
        "missed_by_both": 0.0,
    }  # fmt: skip
    assert found.lines()[0].startswith("questions: 3 in the first reading, 2 in the second, 2 in both")


def test_comparing_twice_gives_the_same(tmp_path: Path) -> None:
    held = index_of(paper(tmp_path / "p.pdf"))
    other = changed(exam(), "q2", "270", "210")

    def told() -> list[FieldVerdict]:
        return against(held, copy.deepcopy(other)).fields

    assert told() == told()
