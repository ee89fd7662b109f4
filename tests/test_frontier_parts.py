"""The pieces of reading with a model: text to blocks, windows joined, answers brought to their questions."""

from __future__ import annotations

import pytest

from exam2bench.ingest.assembly.ids import assign_ids
from exam2bench.ingest.draft import DraftPaper, DraftQuestion, DraftSection
from exam2bench.ingest.frontier.compose import key_of
from exam2bench.ingest.frontier.contents import blocks_of
from exam2bench.ingest.frontier.entries import join_windows, section_key
from exam2bench.ingest.frontier.prompts.answers import AnswerRead
from exam2bench.ingest.frontier.prompts.questions import Questions
from exam2bench.ingest.frontier.said_answers import SaidAnswer, bring_to_questions, capped, deductions, tokens
from exam2bench.schemas.content import ImageBlock, TableBlock, TextBlock

from . import frontier_sample as sample


def pictures(name: str) -> list:
    return [ImageBlock(asset=f"assets/{name}.png", alt=name)]


def test_text_tables_and_figures_become_blocks_in_their_order():
    text = "Look at this.\n\n[[W1F1]]\n\n| a | b |\n|---|:-:|\n| $|x|$ | 2 |\n| 3 |\n\nWhat follows?"
    assert blocks_of(text, pictures) == [
        TextBlock(markdown="Look at this."),
        ImageBlock(asset="assets/W1F1.png", alt="W1F1"),
        TableBlock(header=["a", "b"], rows=[["$|x|$", "2"], ["3", ""]]),
        TextBlock(markdown="What follows?"),
    ]


def test_program_text_keeps_its_spaces_and_is_searched_for_no_table_and_no_figure():
    code = "Complete:\n\n```\ndef f(x):\n    return x | y\n    -----\n    [[W1F1]]\n```"
    assert blocks_of(code, pictures) == [TextBlock(markdown=code)]


def window(number: int, questions: list[dict], sections: list[dict] | None = None) -> tuple:
    return number, Questions.model_validate({"sections": sections or [], "questions": questions, "figures": []}), ()


def entry(ref: str, label: str | None, text: str, *options: str, **more: object) -> dict:
    made = sample.q(0, ref, label, "single_choice" if options else "short_answer", text, (0, 0, 9, 9), *options)
    return {**made, "places": [], **more}


def test_an_entry_that_two_windows_see_is_kept_once_by_what_is_fuller_whichever_came_last():
    whole = entry("1", "4.", "Name the largest planet of all.", "A Earth", "B Jupiter", "C Mars")
    cut = entry("9", "4.", "Name the largest planet of all.", "A Earth", points=2, goes_on=True)
    for first, second in ((whole, cut), (cut, whole)):
        paper = join_windows([window(1, [first]), window(2, [second])])
        found = paper.sections[0].questions
        assert [(e.read.label, len(e.read.options), e.read.points) for e in found] == [("4.", 3, 2)]


def test_two_halves_across_a_break_are_one_text():
    upper = entry("1", "4.", "Read the first half", goes_on=True)
    lower = entry("1", None, "and then the second half.", begins_before=True)
    paper = join_windows([window(1, [upper]), window(2, [lower, entry("2", "5.", "Next.")])])
    assert [(e.read.label, e.read.text) for e in paper.sections[0].questions] == [
        ("4.", "Read the first half\n\nand then the second half."),
        ("5.", "Next."),
    ]


def test_equal_labels_over_different_texts_stay_two_questions():
    paper = join_windows(
        [window(1, [entry("1", "1.", "Add two and two.")]), window(2, [entry("1", "1.", "Draw a cat.")])]
    )
    assert [e.read.text for e in paper.sections[0].questions] == ["Add two and two.", "Draw a cat."]


def test_sections_run_on_over_windows_and_parts_find_their_parent():
    section = {
        "ref": "s",
        "label": "Section B",
        "within": None,
        "title": "Section B: Physics",
        "directions": "Answer all.",
    }
    again = {**section, "title": None, "directions": "Answer all."}
    part = {**entry("1a", "(a)", "Say why."), "parent": "1", "section": "s"}
    first = window(1, [{**entry("1", "1.", "A stone falls."), "section": "s"}, part], [section])
    second = window(2, [{**entry("7", "2.", "A ball rolls."), "section": "s"}], [again])
    paper = join_windows([first, second])
    assert [(s.label, s.title, s.directions) for s in paper.sections] == [("B", "Section B: Physics", ["Answer all."])]
    assert [[c.read.label for c in e.children] for e in paper.sections[0].questions] == [["(a)"], []]


def test_a_reply_cannot_tie_a_knot():
    loop = [{**entry("1", "1.", "x"), "parent": "2"}, {**entry("2", "2.", "y"), "parent": "1"}]
    paper = join_windows([window(1, loop)])
    assert [[c.read.label for c in e.children] for e in paper.sections[0].questions] == [["2."]]


@pytest.mark.parametrize(
    ("label", "key"),
    [("12.", "12"), ("(a)", "a"), ("QUESTÃO 91", "91"), ("Q3", "Q3"), ("①", "①"), (None, ""), ("13-1", "13-1")],
)
def test_labels_as_keys_name_them(label, key):
    assert key_of(label) == key


@pytest.mark.parametrize(
    ("label", "key"),
    [("Section A", "A"), ("第壹部分", "壹"), ("Teil 1", "1"), ("Part", None), ("", None), (None, None)],
)
def test_sections_as_keys_name_them(label, key):
    assert section_key(label) == key


def paper(*sections: DraftSection) -> DraftPaper:
    made = DraftPaper(sections=list(sections))
    assign_ids(made)
    return made


def leaf(label: str, *children: DraftQuestion) -> DraftQuestion:
    return DraftQuestion(label=label, key=key_of(label), children=list(children))


def said(label: str, section: str | None = None, **more: object) -> SaidAnswer:
    read = AnswerRead.model_validate({**sample.a(section or "", label, "x", "x"), "section": section, **more})
    return SaidAnswer(read, (), 1)


def test_answers_find_their_question_token_by_token():
    exam = paper(
        DraftSection(key="A", questions=[leaf("1."), leaf("2.", leaf("(a)"), leaf("(b)", leaf("(i)"), leaf("(ii)")))]),
        DraftSection(key="B", questions=[leaf("1."), leaf("13.", leaf("13-1"), leaf("13-2"))]),
    )
    answers = [said("2(b)(ii)"), said("1", "B"), said("1", "Section A"), said("13-2"), said("Question 2 a")]
    pairs, findings = bring_to_questions(answers, exam)
    assert [(one.read.label, question.id) for one, question in pairs] == [
        ("2(b)(ii)", "q2.b.ii"),
        ("1", "B.q1"),
        ("1", "q1"),
        ("13-2", "B.q13.2"),
        ("Question 2 a", "q2.a"),
    ]
    assert findings == []


def test_an_answer_that_fits_none_or_several_is_said_and_answers_nothing():
    exam = paper(DraftSection(key="A", questions=[leaf("1.")]), DraftSection(key="B", questions=[leaf("1.")]))
    pairs, findings = bring_to_questions([said("1"), said("9"), said("1b", "A")], exam)
    assert pairs == []
    assert [finding.message for finding in findings] == [
        "Answers that the model read fit no question of the paper and were not used: 9, A 1b.",
        "Answers that the model read fit several questions of the paper and were not used: 1.",
    ]


def test_labels_are_read_as_tokens_and_never_glued():
    assert tokens("2 (b)(ii)") == ("2", "b", "ii")
    assert tokens("第12題") == ("12",)
    assert tokens("007") == ("7",)
    assert tokens("T1A01") == ("t", "1", "a", "1")


def one_mark(name: str) -> dict:
    levels = [{"points": 1, "descriptor": name}, {"points": 0, "descriptor": ""}]
    return {"description": name, "alternatives": [], "levels": levels}


def test_at_most_two_of_three_is_one_criterion_with_the_cap_as_its_maximum():
    criteria = [one_mark("names a cause"), one_mark("names an effect"), one_mark("gives a date"), one_mark("concludes")]
    criteria[1]["alternatives"] = ["names a consequence"]
    read = said("1", criteria=criteria, caps=[{"criteria": [1, 2, 3], "most": 2}]).read
    together, alone = capped(read)
    assert together.description == (
        "At most 2 points for: (1) names a cause [1]; (2) names an effect or names a consequence [1]; "
        "(3) gives a date [1]"
    )
    assert [level.points for level in together.levels] == [2, 1, 0]
    assert alone.description == "concludes"


def test_deductions_take_away():
    taken = deductions(said("1", deductions=[{"description": "no unit", "points": 1, "max_times": 2}]).read)
    assert [(one.description, one.points, one.max_times) for one in taken] == [("no unit", -1, 2)]
