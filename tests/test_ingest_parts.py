"""Ids, paragraphs, regions, points and proof: the parts that turn a draft into the contract's records."""

from __future__ import annotations

import pytest

from exam2bench.ingest.assembly.blocks import Typesetter, vocabulary
from exam2bench.ingest.assembly.ids import assign_ids, section_ids, slug
from exam2bench.ingest.assembly.proof import check_question, fold, page_texts
from exam2bench.ingest.assembly.regions import merged, question_regions
from exam2bench.ingest.assembly.scores import settle_points
from exam2bench.ingest.draft import DraftBlank, DraftPaper, DraftQuestion, DraftSection, Figure
from exam2bench.ingest.lines import Line, Reading
from exam2bench.ingest.page import Box, LayerTrust, Page, Word
from exam2bench.ingest.structure.empty_sections import fold_empty_sections
from exam2bench.ingest.text import join_words
from exam2bench.schemas.content import TextBlock
from exam2bench.schemas.exam import Question, Region

COLUMN = Box(50, 50, 350, 800)


def _line(
    text: str, x: float, y: float, *, first: int = 0, page: int = 0, mono: bool = False, width: float = 6
) -> Line:
    words, start = [], x
    for n, part in enumerate(text.split(" ")):
        box = Box(start, y, start + width * len(part), y + 10)
        words.append(Word(first + n, part, box, size=10, mono=mono, baseline=y + 8))
        start = box.x1 + width
    return Line(0, page, tuple(words), Box(x, y, words[-1].box.x1, y + 10), 0, 0, COLUMN)


def _page(lines: list[Line], number: int = 0) -> Page:
    words = tuple(word for line in lines for word in line.words)
    return Page(0, number, 400, 850, 0, words, (), (), LayerTrust(usable=True))


def _typesetter(lines: list[Line]) -> Typesetter:
    order = {(line.source, line.page, word.index): n for n, line in enumerate(lines) for word in line.words}
    return Typesetter(order, vocabulary(lines), lambda line: join_words(line.words))


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("12", "12"),
        ("①", "1"),
        ("壹", "1"),
        ("第十二題", "12"),
        ("二十", "20"),
        ("乙", "yi"),
        ("ア", "a"),
        ("가", "ga"),
        ("α", "alpha"),
        ("É", "E"),
        ("A1", "A1"),
        ("../..", ""),
        ("a/b", "a-b"),
    ],
)
def test_slugs_are_ascii_and_name_the_label(label, expected):
    assert slug(label) == expected


def _question(key: str, **rest) -> DraftQuestion:
    return DraftQuestion(label=f"{key}.", key=key, **rest)


def test_ids_follow_sections_labels_and_groups():
    parts = [_question("a"), _question("b", children=[_question("i"), _question("ii")])]
    group = DraftQuestion(label=None, key="", group=True, children=[_question("3"), _question("4")])
    paper = DraftPaper(
        sections=[
            DraftSection(key="A", questions=[_question("1"), _question("2", children=parts), group]),
            DraftSection(key="B", restarts=True, questions=[_question("1")]),
        ]
    )
    assert assign_ids(paper) == []
    assert [question.id for question in paper.questions()] == [
        "q1", "q2", "q2.a", "q2.b", "q2.b.i", "q2.b.ii", "g3-4", "q3", "q4", "B.q1",
    ]  # fmt: skip
    assert section_ids(paper) == ["A", "B"]


def test_the_parts_of_a_section_share_its_key_where_the_numbers_run_on():
    paper = DraftPaper(
        sections=[
            DraftSection(key="A", questions=[_question("1"), _question("2")]),
            DraftSection(key="一", parent="C", restarts=True, questions=[_question("1")]),
            DraftSection(key="二", parent="C", restarts=True, questions=[_question("2")]),
            DraftSection(key="三", parent="C", restarts=True, questions=[_question("1")]),
        ]
    )
    assert assign_ids(paper) == []
    assert [question.id for question in paper.questions()] == ["q1", "q2", "C.q1", "C.q2", "C-3.q1"]
    assert section_ids(paper) == ["A", "C-1", "C-2", "C-3"]


def test_a_number_printed_twice_keeps_both_questions_and_is_said():
    paper = DraftPaper(sections=[DraftSection(questions=[_question("7"), _question("7")])])
    findings = assign_ids(paper)
    assert [question.id for question in paper.questions()] == ["q7", "q7-2"]
    assert [(f.code, f.where.question) for f in findings] == [("number.duplicate", "q7-2")]


def test_a_section_whose_numbers_clash_gets_its_key_even_unmarked():
    paper = DraftPaper(sections=[DraftSection(questions=[_question("1")]), DraftSection(questions=[_question("1")])])
    assert assign_ids(paper) == []
    assert [question.id for question in paper.questions()] == ["q1", "s2.q1"]


def test_a_heading_without_questions_becomes_a_direction_of_the_next_section():
    heading, note = _line("Calculus", 50, 60), _line("Answer all", 50, 80)
    paper = DraftPaper(
        sections=[
            DraftSection(key="I", title=[heading]),
            DraftSection(key="II", instructions=[note], questions=[_question("1")]),
            DraftSection(key="III", title=[heading]),
        ]
    )
    fold_empty_sections(paper)
    assert [section.key for section in paper.sections] == ["II"]
    assert paper.sections[0].instructions == [heading, note]
    assert paper.instructions == [heading]


def test_lines_of_a_paragraph_are_joined_and_items_stand_alone():
    lines = [
        _line("The table below shows the yields of five", 50, 100),
        _line("fields. Which statements are true?", 50, 113),
        _line("(1) All yields rose.", 50, 126, first=20),
        _line("(2) One yield fell.", 50, 139, first=30),
    ]
    assert _typesetter(lines).text(lines) == (
        "The table below shows the yields of five fields. Which statements are true?"
        "\n\n(1) All yields rose.\n\n(2) One yield fell."
    )


def test_a_gap_between_lines_is_a_paragraph():
    lines = [_line("First thought.", 50, 100), _line("second thought", 50, 140)]
    assert _typesetter(lines).text(lines) == "First thought.\n\nsecond thought"


def test_chinese_lines_join_without_a_space():
    lines = [_line("下列有關遺傳因子的分子組成及結構的研究哪", 50, 100, width=10), _line("些正確？", 50, 113, width=10)]
    assert _typesetter(lines).text(lines) == "下列有關遺傳因子的分子組成及結構的研究哪些正確？"


def test_a_hyphen_goes_only_where_the_whole_word_is_printed_elsewhere():
    cut = [
        _line("They measured the photosyn-", 50, 100),
        _line("thesis of well-", 50, 113),
        _line("known plants", 50, 126),
    ]
    other = [_line("no photosynthesis here", 50, 300)]
    assert _typesetter(cut).text(cut) == "They measured the photosyn-thesis of well-known plants"
    assert _typesetter(cut + other).text(cut) == "They measured the photosynthesis of well-known plants"


def test_code_keeps_its_lines_and_indents():
    lines = [
        _line("def f(n):", 60, 100, mono=True),
        _line("if n == 0:", 84, 112, mono=True),
        _line("return 1", 108, 124, mono=True),
    ]
    assert _typesetter(lines).text(lines) == "```\ndef f(n):\n    if n == 0:\n        return 1\n```"


def test_figures_stand_where_they_are_printed():
    lines = [_line("Look at the figure.", 50, 100), _line("What does it show?", 50, 300, first=10)]
    figure = Figure(0, 0, Box(60, 120, 200, 280), "figure", caption="Figure 1", label="Figure 1", before=1)
    table = Figure(0, 0, Box(60, 320, 200, 380), "table", header=("x", "y"), rows=(("1", "2"),), before=2)
    blocks = _typesetter(lines).blocks(lines, [table, figure], lambda f: "assets/q1.fig1.png")
    assert [block.type for block in blocks] == ["text", "image", "text", "table"]


def test_regions_are_one_per_column_and_the_label_comes_first():
    boxes = [
        (0, 0, Box(50, 700, 60, 710)),
        (0, 0, Box(70, 700, 280, 710)),
        (0, 0, Box(70, 713, 280, 723)),
        (0, 0, Box(320, 60, 540, 70)),
        (0, 1, Box(50, 60, 280, 70)),
    ]
    assert [(r.page, r.x0, r.y0, r.x1, r.y1) for r in merged(boxes)] == [
        (0, 50, 700, 280, 723),
        (0, 320, 60, 540, 70),
        (1, 50, 60, 280, 70),
    ]


def test_the_region_of_a_question_holds_its_label():
    line = _line("1. What is this?", 50, 100)
    stem = Line(0, 0, line.words[1:], Box(68, 100, 146, 110), 0, 0, COLUMN)
    question = DraftQuestion(label="1.", key="1", stem=[stem], label_words=frozenset({(0, 0, 0)}))
    regions = question_regions(question, {(0, 0): _page([line])})
    assert [(r.x0, r.y0, r.y1) for r in regions] == [(50, 100, 110)]


def _leaf_points(paper: DraftPaper) -> dict[str, float | None]:
    return {leaf.id: leaf.points for leaf in paper.leaves()}


def test_a_parents_points_are_shared_and_add_up():
    parent = _question("1", points=6.0, children=[_question("a", points=2.0), _question("b"), _question("c")])
    paper = DraftPaper(sections=[DraftSection(questions=[parent])], printed_total=6.0)
    assign_ids(paper)
    assert [finding.code for finding in settle_points(paper)] == ["points.shared"]
    assert _leaf_points(paper) == {"q1.a": 2.0, "q1.b": 2.0, "q1.c": 2.0}
    assert parent.points == 6.0


def test_shares_add_up_where_they_do_not_divide():
    parent = _question("1", points=4.0, children=[_question("a"), _question("b"), _question("c")])
    paper = DraftPaper(sections=[DraftSection(questions=[parent])], printed_total=4.0)
    assign_ids(paper)
    settle_points(paper)
    assert _leaf_points(paper) == {"q1.a": 1.3333, "q1.b": 1.3333, "q1.c": 1.3334}
    assert parent.points == 4.0


def test_questions_without_points_share_what_is_left_of_the_printed_total():
    paper = DraftPaper(
        sections=[DraftSection(questions=[_question("1", points=40.0), _question("2"), _question("3")])],
        printed_total=100.0,
    )
    assign_ids(paper)
    findings = settle_points(paper)
    assert [(finding.code, finding.severity) for finding in findings] == [("points.missing", "warning")]
    assert (
        findings[0].message
        == "q2, q3 have no printed points; each got an equal share of the rest of the printed total, 30."
    )
    assert _leaf_points(paper) == {"q1": 40.0, "q2": 30.0, "q3": 30.0}


def test_points_that_miss_the_printed_total_are_said():
    paper = DraftPaper(sections=[DraftSection(questions=[_question("1", points=40.0)])], printed_total=100.0)
    assign_ids(paper)
    findings = settle_points(paper)
    assert [finding.code for finding in findings] == ["points.total"]
    assert findings[0].message == "The questions' points add up to 40, but the paper prints a total of 100."


def test_parts_that_miss_the_parents_points_are_said_and_the_sum_holds():
    parent = _question("1", points=10.0, children=[_question("a", points=2.0), _question("b", points=3.0)])
    paper = DraftPaper(sections=[DraftSection(questions=[parent])])
    assign_ids(paper)
    assert [finding.code for finding in settle_points(paper)] == ["points.sum"]
    assert parent.points == 5.0


def _checked(prompt: str, lines: list[Line], **page) -> tuple[float | None, str]:
    reading = Reading(0, tuple(lines), {})
    pages = {(0, 0): _page(lines)}
    question = Question(id="q1", type="short_answer", points=1, prompt=[TextBlock(markdown=prompt)])
    region = Region(source=0, page=0, x0=0, y0=0, x1=400, y1=800)
    checks = check_question(question, [region], page_texts([reading], pages))
    assert checks is not None
    return checks.text_match, checks.status


def test_proof_finds_text_that_the_page_has_and_flags_what_it_has_not():
    lines = [_line("The hall is booked for Friday evening", 50, 100)]
    assert _checked("The hall is **booked** for Friday evening.", lines) == (1.0, "verified")
    match, status = _checked("The hall is booked for Monday night, says nobody", lines)
    assert status == "flagged"
    assert match is not None and match < 0.7


def test_a_formula_laid_out_anew_is_proved_by_its_characters_and_a_changed_digit_is_not():
    lines = [_line("the value of n+1 2 is", 50, 100), _line("always the same number", 50, 113)]
    assert _checked(r"the value of $\frac{2}{n+1}$ is always the same number", lines) == (1.0, "verified")
    match, status = _checked(r"the value of $\frac{7}{n+1}$ is always the same number", lines)
    assert match is not None and match < 1.0
    assert status != "verified"


def test_folding_reads_latex_as_what_it_prints():
    assert fold(r"$\frac{1}{2} \times \alpha^{2}$") == "12α2"
    assert fold("Ｃ－３") == "c3"


def test_blanks_are_numbered():
    from exam2bench.ingest.assembly.assemble import _blanks

    question = DraftQuestion(label="1", key="1", blanks=[DraftBlank(label="x"), DraftBlank(cells=2)])
    assert [(blank.id, blank.label, blank.cells) for blank in _blanks(question)] == [("b1", "x", None), ("b2", None, 2)]
