"""Mark schemes, solutions and answers printed in the paper, typeset here and read through the public functions."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from exam2bench.ingest.assembly.ids import assign_ids
from exam2bench.ingest.draft import DraftOption, DraftPaper, DraftQuestion, DraftSection, KeyEntry
from exam2bench.ingest.keys.align import align
from exam2bench.ingest.keys.answers import marked_options, split_answer
from exam2bench.ingest.keys.reader import read_keys
from exam2bench.ingest.keys.roles import SourceRole
from exam2bench.ingest.keys.rubric import amounts, criteria_for, earned_levels
from exam2bench.ingest.keys.rules import make_grading
from exam2bench.ingest.lines import Line, Reading
from exam2bench.ingest.page import Box, Word
from exam2bench.ingest.pages.reading import read_order
from exam2bench.ingest.pages.sources import open_sources
from exam2bench.ingest.pages.textlayer import read_pages
from exam2bench.schemas.findings import Finding
from exam2bench.schemas.grading import QuestionGrading


def typeset(folder: Path, lines: list[str], name: str = "scheme.pdf") -> Path:
    document = pymupdf.open()
    page, y = document.new_page(width=595, height=842), 70.0
    for text in lines:
        if text == "\f" or y > 790:
            page, y = document.new_page(width=595, height=842), 70.0
        if text != "\f":
            font = "helv" if text.isascii() else "china-t"
            page.insert_text((60 + 14 * (len(text) - len(text.lstrip())), y), text.strip(), fontsize=11, fontname=font)
            y += 17
    path = folder / name
    document.save(path)
    return path


def line(text: str, **style: object) -> Line:
    box = Box(50, 50, 200, 62)
    words = tuple(
        Word(n, t, Box(50 + 40 * n, 50, 85 + 40 * n, 62), size=11.0, **style) for n, t in enumerate(text.split())
    )  # type: ignore[arg-type]
    return Line(7, 0, words, box, 0, 0, box)


def open_question(key: str, stem: str, points: float | None, *children: DraftQuestion) -> DraftQuestion:
    kind = "composite" if children else "short_answer"
    return DraftQuestion(key, key, stem=[line(stem)] if stem else [], type=kind, points=points, children=list(children))  # type: ignore[arg-type]


def choice(key: str, labels: str = "ABCD") -> DraftQuestion:
    return DraftQuestion(key, key, options=[DraftOption(name) for name in labels], type="single_choice", points=1.0)


def paper(*questions: DraftQuestion) -> DraftPaper:
    made = DraftPaper(sections=[DraftSection(questions=list(questions))])
    assign_ids(made)
    return made


def graded(
    path: Path, made: DraftPaper, role: str = "markscheme"
) -> tuple[dict[str, QuestionGrading], dict[str, KeyEntry], list[Finding]]:
    source = open_sources([path])[0]
    pages, _ = read_pages(source, ocr="off")
    held = {(p.source, p.number): p for p in pages}
    entries, found = read_keys([read_order(pages)], held, [], made, [SourceRole(0, role)])  # type: ignore[arg-type]
    aligned, more = align(made, entries)
    grading, last = make_grading(made, aligned)
    return grading, aligned, [*found, *more, *last]


def levels(grading: QuestionGrading) -> list[list[float]]:
    assert grading.rule.kind == "judge"
    return [[level.points for level in criterion.levels] for criterion in grading.rule.rubric]


def test_amounts_behind_pieces_make_criteria_per_part(tmp_path: Path) -> None:
    path = typeset(
        tmp_path,
        [
            "第 38 題",
            "一、滿分參考答案：",
            "（a）是（1分）",
            "（b）生長速率提升（1分）；",
            "飼料攝取量下降（1分）；",
            "能更有效率將飼料轉換成雞肉（1分）",
            "二、評分原則：",
            "（a）",
            "（一）明確回答是，得1分。",
            "（二）寫出其他答案，得0分。",
            "（b）",
            "（一）若說明理由不正確，無法獲得分數，得0分。",
            "第 41 題",
            "一、滿分參考答案：",
            "紅外線（2分）",
        ],
    )
    parts = [open_question("a", "是否支持該論述", 1.0), open_question("b", "說明理由", 3.0)]
    made = paper(open_question("38", "肉雞的品種改良", None, *parts), open_question("41", "哪一種光", 2.0))
    grading, aligned, findings = graded(path, made)
    assert levels(grading["q38.a"]) == [[1.0, 0.0]]
    assert levels(grading["q38.b"]) == [[1.0, 0.0]] * 3
    assert grading["q38.b"].rule.rubric[0].description == "生長速率提升"  # type: ignore[union-attr]
    assert levels(grading["q41"]) == [[2.0, 0.0]]
    assert "飼料攝取量下降" in (aligned["q38.b"].reference or "") and "是（1分）" not in (
        aligned["q38.b"].reference or ""
    )
    assert [f.code for f in findings if f.severity != "info"] == []


def test_score_levels_of_a_rating_guide_and_nothing_of_the_sample_papers(tmp_path: Path) -> None:
    path = typeset(
        tmp_path,
        [
            "1 According to President Truman, what was one reason he ordered forces to Korea?",
            "Score of 1:",
            "States one reason he ordered forces to South Korea",
            "Score of 0:",
            "Incorrect response",
            "\f",
            "2 Based on these documents, what were two effects of the war?",
            "Score of 2 or 1:",
            "Award 1 credit for each different effect of the war",
            "Score of 0:",
            "No response",
            "\f",
            "Anchor Paper, Level 2: a long sample essay by a student",
        ],
    )
    made = paper(
        open_question("1", "According to President Truman, what was one reason he ordered forces to Korea?", None),
        open_question("2", "Based on these documents, what were two effects of the war?", None),
    )
    grading, aligned, _ = graded(path, made)
    assert levels(grading["q1"]) == [[1.0, 0.0]] and levels(grading["q2"]) == [[2.0, 1.0, 0.0]]
    assert (grading["q1"].max_points, grading["q2"].max_points) == (1.0, 2.0)
    assert "sample essay" not in (aligned["q2"].reference or "")


def test_several_criteria_each_with_its_levels(tmp_path: Path) -> None:
    path = typeset(
        tmp_path,
        [
            "Section B",
            "6 [6 marks]",
            "  Circuit (4 marks)",
            "  4 marks Cell, switch and two lamps in parallel.",
            "  2 marks The lamps are in parallel only.",
            "  0 marks The lamps are in series.",
            "  Symbols (2 marks)",
            "  2 marks Standard symbols.",
            "  1 mark One symbol wrong.",
            "  0 marks More than one wrong.",
            "7 [2 marks]",
            "  2 marks Two reasons.",
            "  1 mark One reason.",
            "  0 marks No reason.",
        ],
    )
    made = paper(open_question("6", "Draw a circuit with two lamps", 6.0), open_question("7", "Give two reasons", 2.0))
    grading, _, _ = graded(path, made)
    assert levels(grading["q6"]) == [[4.0, 2.0, 0.0], [2.0, 1.0, 0.0]]
    assert [c.description for c in grading["q6"].rule.rubric] == ["Circuit", "Symbols"]  # type: ignore[union-attr]
    assert levels(grading["q7"]) == [[2.0, 1.0, 0.0]]


def test_a_table_of_questions_answers_and_marks(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    rows = [
        ("Question", "Answer", "Marks"),
        ("1(a)", "photosynthesis", "1"),
        ("(b)(i)", "carbon dioxide enters through the stomata", "2"),
        ("(b)(ii)", "29.4 m/s", "3"),
        ("2", "any idea that light is needed; a plant in the dark stops making starch", "2"),
        ("3", "C", "1"),
    ]
    for r, row in enumerate(rows):
        for x, text in zip((60, 150, 500), row, strict=True):
            page.insert_text((x, 80 + 24 * r), text, fontsize=10)
        page.draw_line((50, 66 + 24 * r), (560, 66 + 24 * r))
    path = tmp_path / "ms.pdf"
    document.save(path)
    nested = open_question(
        "b", "", None, open_question("i", "How does it enter?", None), open_question("ii", "Speed?", None)
    )
    made = paper(
        open_question("1", "", None, open_question("a", "Name the process", None), nested),
        open_question("2", "Why does it need light?", None),
        choice("3"),
    )
    grading, aligned, _ = graded(path, made)
    assert {k: g.max_points for k, g in grading.items()} == {"q1.a": 1, "q1.b.i": 2, "q1.b.ii": 3, "q2": 2, "q3": 1}
    assert aligned["q1.b.i"].reference == "carbon dioxide enters through the stomata"
    rule = grading["q1.b.ii"].rule
    assert rule.kind == "numeric" and (rule.value, rule.unit) == ("29.4", "m/s")
    assert grading["q3"].rule.correct == ["C"]  # type: ignore[union-attr]


def test_a_solution_that_repeats_the_paper_gives_only_what_it_adds(tmp_path: Path) -> None:
    stems = [
        "Basic question 1: Complexity of the function both",
        "Basic question 2: Partition the following array of values",
    ]
    body = ["What is the asymptotic complexity of this function in the length of its input?", "Perform a partition."]
    path = typeset(
        tmp_path,
        [
            stems[0], body[0], "Answer", "Complexity: O(N log(N))", "\f",
            stems[1], body[1], "Answer", "What is the pivot? 54",
        ],
    )  # fmt: skip
    questions = [
        DraftQuestion(
            f"Basic question {n}:", str(n), stem=[line(stems[n - 1][18:]), line(body[n - 1])], type="short_answer"
        )
        for n in (1, 2)
    ]
    _, aligned, _ = graded(path, paper(*questions), role="solution")
    assert aligned["q1"].reference == "Complexity: O(N log(N))"
    assert aligned["q2"].reference == "What is the pivot? 54"


def test_parts_answered_together_share_the_answer(tmp_path: Path) -> None:
    lines = [
        "Question 3: Hash tables",
        "a) Which objects could have been first?",
        "b) Why is this a bad hash function?",
    ]
    path = typeset(tmp_path, [*lines, "Answers", "The first objects: C, J", "Many names have the same length."])
    parts = [open_question("a", lines[1][3:], 1.0), open_question("b", lines[2][3:], 1.0)]
    whole = DraftQuestion("Question 3:", "3", stem=[line("Hash tables")], type="composite", children=parts)
    _, aligned, _ = graded(path, paper(whole), role="solution")
    told = "The first objects: C, J\nMany names have the same length."
    assert {k: e.reference for k, e in aligned.items()} == {"q3.a": told, "q3.b": told}


@pytest.mark.parametrize(
    "template",
    [
        "{n}、【答案】[{a}] faith",
        "{n}. 【答案】{a} because of the context",
        "{n}. Answer: ({a}) since it fits",
        "{n}) ({a}) is right",
    ],
)
def test_choices_in_a_prose_solution(tmp_path: Path, template: str) -> None:
    answers = "CADBDBCDBA"
    lines: list[str] = []
    for n, a in enumerate(answers, 1):
        lines += [template.format(n=n, a=a), "  Option B is wrong, since the text says that the other one holds."]
    grading, _, findings = graded(typeset(tmp_path, lines), paper(*(choice(str(n)) for n in range(1, 11))), "solution")
    assert "".join(g.rule.correct[0] for g in grading.values()) == answers  # type: ignore[union-attr]
    assert [f.code for f in findings if f.severity != "info"] == []


def test_numbered_directions_of_a_guide_are_no_answers(tmp_path: Path) -> None:
    path = typeset(
        tmp_path,
        [
            "Scoring Notes:", "1. The essay has six components.", "2. No amendments.", "3. State laws neither.",
        ],
    )  # fmt: skip
    made = paper(*(open_question(str(n), f"Question number {n} about the documents", 1.0) for n in range(1, 6)))
    grading, aligned, _ = graded(path, made)
    assert aligned == {} and not any(g.anchored for g in grading.values())


def test_a_rubric_that_does_not_add_up_is_kept_as_reference(tmp_path: Path) -> None:
    path = typeset(tmp_path, ["Question 1", "Answer", "2 marks Both.", "1 mark One.", "0 marks None."])
    grading, _, findings = graded(path, paper(open_question("1", "Name both of them", 5.0)))
    assert [f.code for f in findings] == ["rubric.sum"]
    assert levels(grading["q1"]) == [[5.0, 4.0, 3.0, 2.0, 1.0, 0.0]]
    assert "2 marks Both." in (grading["q1"].rule.reference_answer or "")  # type: ignore[union-attr]


def test_a_judged_question_without_any_answer_is_not_anchored() -> None:
    grading, _ = make_grading(paper(open_question("1", "Discuss.", 20.0)), {})
    assert not grading["q1"].anchored and levels(grading["q1"]) == [[20.0, 15.0, 10.0, 5.0, 0.0]]


# --- points in schemes ----------------------------------------------------------------------------------------


def test_levels_from_sentences_that_earn_points() -> None:
    text = "1.正確且完整表達順序者，得2分。\n2.僅漏寫一項者，得1分。\n3.錯誤或其餘作答狀況者，不給分。"
    assert [points for points, _ in earned_levels(text)] == [2.0, 1.0, 0.0]


def test_amounts() -> None:
    assert amounts("（a-1）紅外線（1分） （a-2）平流層（2分）") == [(1.0, "（a-1）紅外線"), (2.0, "（a-2）平流層")]


def test_marking_codes_become_criteria_when_they_add_up() -> None:
    text = "Uses F = ma M1\n4 = 2 x a A1\na = 2 B1"
    assert [c[1][0][0] for c in criteria_for(text, "", 3.0)] == [1.0, 1.0, 1.0]
    assert criteria_for(text, "", 4.0) == ()


def test_awards_up_to_a_maximum() -> None:
    text = "Award 1 mark (up to a maximum of 2) for each different effect"
    assert [p for p, _ in criteria_for(text, text, 2.0)[0][1]] == [2.0, 1.0, 0.0]


# --- answers printed in the paper -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "stem", "printed"),
    [
        (["Two and two is", "【答案】（C）"], 1, "（C）"),
        (["Two and two is", "答案：B"], 1, "B"),
        (["Two and two is", "Answer: (c)", "because it is"], 1, "(c)\nbecause it is"),
        (["Two and two is ( ) 【答案】 4", "【解析】 by adding"], 1, "4"),
        (["(C) [97.1]", "Which of the following is right?"], 1, "C"),
        (["解：先求導數，再令其為零。"], 0, "先求導數，再令其為零。"),
        (["Lösung: 42 m"], 0, "42 m"),
        (["Answer: ______ cm", "(2 marks)"], 2, None),
        (["Answer", "Complexity: ______"], 2, None),
        (["Answer the following questions in English."], 1, None),
        (["Which answer is right? Give the solution of x + 1 = 2."], 1, None),
    ],
)
def test_where_an_answer_begins(lines: list[str], stem: int, printed: str | None) -> None:
    split = split_answer([line(text) for text in lines])
    assert (len(split.stem), split.printed) == (stem, printed)
    assert len(split.answer) == 0 if printed is None else len(split.answer) >= 1


def test_a_word_cut_at_the_marker_keeps_its_index() -> None:
    split = split_answer([line("等於（）【答案】4")])
    assert [w.text for part in (*split.stem, *split.answer) for w in part.words] == ["等於（）", "【答案】4"]
    assert {w.index for part in (*split.stem, *split.answer) for w in part.words} == {0}


def test_the_bold_option_is_the_answer_where_every_question_has_one() -> None:
    def bold_at(key: str, right: str) -> DraftQuestion:
        question = choice(key)
        for option in question.options:
            option.lines = [line(f"text {option.label}", bold=option.label == right)]
        return question

    made = paper(*(bold_at(str(n), a) for n, a in enumerate("BDACA", 1)))
    assert list(marked_options(made).values()) == list("BDACA")
    plain = paper(bold_at("1", "B"), *(choice(str(n)) for n in range(2, 9)))
    assert marked_options(plain) == {}


def test_one_printed_answer_for_all_parts_is_parted_by_their_labels() -> None:
    told = [line("【答案】（1）12 cm"), line("（2）27 cm")]
    parts = [open_question("1", "Height?", 2.0), open_question("2", "Width?", 2.0)]
    parts[1].answer_lines, parts[1].printed_answer = told, "（1）12 cm\n（2）27 cm"
    made = paper(open_question("5", "A box.", None, *parts))
    reading = Reading(7, (), {})
    from exam2bench.ingest.page import LayerTrust, Page

    page = Page(7, 0, 595, 842, 0, (), (), (), LayerTrust(True))
    entries, _ = read_keys([reading], {(7, 0): page}, [], made, [SourceRole(7, "paper")])
    assert {e.question_id: e.raw for e in entries} == {"q5.1": "（1）12 cm", "q5.2": "（2）27 cm"}


def test_dotted_parts(tmp_path: Path) -> None:
    lines = [
        "01.1 diffusion through the membrane [1 mark]",
        "01.2 because the surface is larger [2 marks]",
        "02.1 iron [1 mark]",
    ]
    parts = [open_question("01.1", "Name the process.", 1.0), open_question("01.2", "Explain why.", 2.0)]
    made = paper(
        open_question("01", "Cells.", None, *parts),
        open_question("02", "Metals.", None, open_question("02.1", "Which?", 1.0)),
    )
    _, aligned, _ = graded(typeset(tmp_path, lines), made)
    assert {k: e.reference for k, e in aligned.items()} == {
        "q01.1": "diffusion through the membrane [1 mark]",
        "q01.2": "because the surface is larger [2 marks]",
        "q02.1": "iron [1 mark]",
    }


def test_several_numbered_answers_on_a_line_of_a_key(tmp_path: Path) -> None:
    lines = [
        "1．A　2．B　3．C　4．D",
        "5．2　6．（1，0）；x＝1",
        "7．解：由餘弦定理得A＝60°．",
        "8．解：（1）通項為2n．（2）等差．",
    ]
    parts = [open_question("1", "求通項。", 2.0), open_question("2", "證明等差。", 3.0)]
    blanks = [DraftQuestion(n, n, type="fill_in_blank", points=5.0) for n in "56"]
    made = paper(
        *(choice(n) for n in "1234"),
        *blanks,
        open_question("7", "求A。", 5.0),
        open_question("8", "數列。", None, *parts),
    )
    grading, aligned, _ = graded(typeset(tmp_path, lines), made, role="key")
    assert [grading[f"q{n}"].rule.correct for n in "1234"] == [["A"], ["B"], ["C"], ["D"]]  # type: ignore[union-attr]
    assert aligned["q6"].raw == "(1,0);x=1" and aligned["q7"].reference == "解:由餘弦定理得A=60°."
    assert {aligned[n].reference for n in ("q8.1", "q8.2")} == {"解:(1)通項為2n.(2)等差."}
