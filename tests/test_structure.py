"""Structure on papers of many exam systems: what is a question, what are its options, type and points."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from exam2bench.ingest.draft import DraftPaper, DraftQuestion
from exam2bench.ingest.lines import Line
from exam2bench.tests.papers import PAPERS
from exam2bench.tests.typeset import draft, outline, text_of, typeset


@pytest.fixture(scope="module")
def drafts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, DraftPaper]:
    folder = tmp_path_factory.mktemp("papers")
    return {
        name: draft(typeset(folder / f"{name}.pdf", sample.html, columns=sample.columns))
        for name, sample in PAPERS.items()
    }


@pytest.mark.parametrize("name", sorted(PAPERS))
def test_every_leaf_is_found_with_its_type_options_and_points(name: str, drafts: dict[str, DraftPaper]) -> None:
    assert outline(drafts[name]) == list(PAPERS[name].leaves)


def _lines(question: DraftQuestion) -> list[Line]:
    found = [*question.stem, *question.answer_lines, *(line for option in question.options for line in option.lines)]
    for child in question.children:
        found += _lines(child)
    return found


def _labels(question: DraftQuestion) -> set[tuple[int, int, int]]:
    found = set(question.label_words).union(*(option.label_words for option in question.options))
    return found.union(*(_labels(child) for child in question.children))


@pytest.mark.parametrize("name", sorted(PAPERS))
def test_no_word_is_dropped(name: str, drafts: dict[str, DraftPaper], tmp_path: Path) -> None:
    paper = drafts[name]
    lines = [*paper.instructions, *paper.reference, *paper.ornaments]
    accounted: set[tuple[int, int, int]] = set()
    for section in paper.sections:
        lines += [*section.title, *section.instructions]
        for question in section.questions:
            lines += _lines(question)
            accounted |= _labels(question)
    accounted |= {(line.source, line.page, word.index) for line in lines for word in line.words}
    printed = _printed_words(typeset(tmp_path / "again.pdf", PAPERS[name].html, columns=PAPERS[name].columns))
    assert sorted(printed - accounted) == []


def _printed_words(path: Path) -> set[tuple[int, int, int]]:
    from exam2bench.ingest.pages.reading import read_order
    from exam2bench.ingest.pages.sources import open_sources
    from exam2bench.ingest.pages.textlayer import read_pages

    source = open_sources([path])[0]
    pages, _ = read_pages(source, ocr="off", language=None)
    reading = read_order(pages)
    return {(line.source, line.page, word.index) for line in reading.lines for word in line.words if word.text.strip()}


def test_the_passage_is_the_stem_of_its_group(drafts: dict[str, DraftPaper]) -> None:
    group = drafts["korean_csat"].sections[0].questions[0]
    assert group.group
    assert [child.key for child in group.children] == ["1", "2", "3"]
    assert "독서는 글을 통해" in text_of(group)
    assert text_of(group.children[0]) == "윗글의 내용과 일치하지 않는 것은?"


def test_statements_that_options_speak_of_stay_in_the_stem(drafts: dict[str, DraftPaper]) -> None:
    third = drafts["korean_csat"].sections[0].questions[0].children[2]
    assert "ㄴ. 글의 의미는 고정되어 있다." in text_of(third)
    assert [option.label for option in third.options] == ["①", "②", "③", "④", "⑤"]


def test_a_paper_without_questions_keeps_its_words(tmp_path: Path) -> None:
    paper = draft(typeset(tmp_path / "letter.pdf", "<p>Dear parents,</p><p>the school trip is on Monday.</p>"))
    assert paper.leaves() == []
    assert " ".join(line.text for line in paper.instructions) == "Dear parents, the school trip is on Monday."


def test_a_skipped_number_and_a_skipped_letter_are_said(tmp_path: Path) -> None:
    html = "".join(
        f"<p>{n}. Which of the following is right?</p>" + "".join(f"<p>({c}) choice {c}{n}</p>" for c in letters)
        for n, letters in ((1, "ABCD"), (2, "ABD"), (4, "ABCD"), (5, "ABCD"))
    )
    paper = draft(typeset(tmp_path / "gaps.pdf", html))
    assert [(finding.code, finding.message) for finding in paper.findings] == [
        ("number.gap", "After question 2 comes 4: no question 3 was found."),
        ("option.skip", "The options of question 2 leave out C."),
    ]


def test_numbers_that_restart_in_a_section_are_marked(tmp_path: Path) -> None:
    part = "".join(f"<p>{n}. Explain point {n} of the lecture.</p>" for n in range(1, 5))
    paper = draft(typeset(tmp_path / "parts.pdf", f"<h3>Part A</h3>{part}<h3>Part B</h3>{part}"))
    assert [(section.key, section.restarts, len(section.questions)) for section in paper.sections] == [
        ("A", False, 4),
        ("B", True, 4),
    ]


def test_printed_answers_are_no_prompt(tmp_path: Path) -> None:
    html = "".join(
        f"<p>{n}. 下列哪一個正確？</p><p>(A) 甲 &#8195;&#8195; (B) 乙 &#8195;&#8195; (C) 丙</p><p>【答案】(B)</p>"
        for n in (1, 2, 3)
    )
    paper = draft(typeset(tmp_path / "answers.pdf", html))
    questions = paper.sections[0].questions
    assert [q.printed_answer for q in questions] == ["(B)", "(B)", "(B)"]
    assert [text_of(q) for q in questions] == ["下列哪一個正確？"] * 3
    assert [" ".join(line.text for line in q.options[2].lines) for q in questions] == ["丙"] * 3


def test_two_lists_are_matched(tmp_path: Path) -> None:
    rows = (
        ("(i)  barometer", "A  wind speed"),
        ("(ii)  ammeter", "B  pressure"),
        ("(iii)  clock", "C  current"),
        ("", "D  time"),
    )
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((60, 80), "1.  Match each instrument with what it measures.")
    for number, (left, right) in enumerate(rows):
        page.insert_text((80, 110 + 18 * number), left)
        page.insert_text((300, 110 + 18 * number), right)
    page.insert_text((60, 220), "2.  Name one unit.")
    document.save(tmp_path / "match.pdf")
    paper = draft(tmp_path / "match.pdf")
    assert outline(paper) == ["1 matching", "2 short_answer"]
    matching = paper.sections[0].questions[0].matching
    assert matching is not None
    first, second = ([(o.label, " ".join(line.text for line in o.lines)) for o in side] for side in matching)
    assert first == [("i", "barometer"), ("ii", "ammeter"), ("iii", "clock")]
    assert second == [("A", "wind speed"), ("B", "pressure"), ("C", "current"), ("D", "time")]


def test_directions_in_the_middle_of_a_section_hold_for_their_range(tmp_path: Path) -> None:
    html = (
        "<h3>Section A (10 marks)</h3>"
        "<p>Questions 1 and 2: choose the one best answer. Each question carries 2 marks.</p>"
        "<p>1. Which is a bird?</p><p>A wren</p><p>B newt</p><p>C bat</p><p>D moth</p>"
        "<p>2. Which is a fish?</p><p>A crab</p><p>B seal</p><p>C cod</p><p>D whale</p>"
        "<p>Questions 3 and 4: write True or False. Each question carries 3 marks.</p>"
        "<p>3. Bats lay eggs.</p><p>4. Whales breathe air.</p>"
    )
    assert outline(draft(typeset(tmp_path / "range.pdf", html))) == [
        "1 single_choice [A B C D] 2",
        "2 single_choice [A B C D] 2",
        "3 true_false 3",
        "4 true_false 3",
    ]


def test_the_number_due_beats_a_list_in_its_text(tmp_path: Path) -> None:
    items = "".join(f"<p>{n}) statement {n}</p>" for n in range(1, 6))
    html = (
        "<h3>Part 1</h3>"
        + "".join(f"<p><b>{n}</b> Find the force on body {n}.</p>" for n in range(1, 5))
        + f"<h3>Part 2</h3><p><b>5</b> Choose two true statements.</p>{items}<p><b>6</b> Explain why ice floats.</p>"
    )
    assert outline(draft(typeset(tmp_path / "due.pdf", html)))[4:] == [
        "5 multiple_choice [1 2 3 4 5]",
        "6 short_answer",
    ]


def test_boxes_to_tick_are_options(tmp_path: Path) -> None:
    html = (
        "<p>1. Kreuzen Sie an, welche Aussagen richtig sind.</p>"
        "<p>☐ Quicksort ist stabil.</p><p>☐ Mergesort ist stabil.</p>"
        "<p>☐ Heapsort ist stabil.</p><p>2. Nennen Sie einen stabilen Algorithmus.</p>"
    )
    assert outline(draft(typeset(tmp_path / "boxes.pdf", html))) == ["1 multiple_choice [A B C]", "2 short_answer"]


def test_a_mention_glued_to_its_ordinal_opens_a_group(tmp_path: Path) -> None:
    passage = "".join(
        f"<p>這是第{word}段文字，敘述港口的燈塔與守塔人每天的工作，內容很長也很詳細，一直寫到行末為止。</p>"
        for word in "甲乙丙丁"
    )
    options = "".join(f"<p>({letter}) 選項{letter}</p>" for letter in "ABCD")
    html = (
        f"<p>1. 下列何者正確？</p>{options}<p>第2至3題為題組</p>{passage}<p>2. 文中的主角是誰？</p>{options}"
        f"<p>3. 文中的地點是哪裡？</p>{options}<p>4. 下列何者錯誤？</p>{options}"
    )
    paper = draft(typeset(tmp_path / "mention.pdf", html))
    tops = paper.sections[0].questions
    assert [(q.group, q.key, [child.key for child in q.children]) for q in tops] == [
        (False, "1", []),
        (True, "2-3", ["2", "3"]),
        (False, "4", []),
    ]
    assert text_of(tops[1]).startswith("第2至3題為題組 這是第甲段文字")
