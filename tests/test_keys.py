"""Answer keys of every printed form, typeset here and read through the public functions."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from exam2bench.ingest.assembly.ids import assign_ids
from exam2bench.ingest.draft import DraftOption, DraftPaper, DraftQuestion, DraftSection, KeyEntry
from exam2bench.ingest.keys.align import align
from exam2bench.ingest.keys.reader import read_keys
from exam2bench.ingest.keys.roles import SourceRole
from exam2bench.ingest.keys.rules import make_grading
from exam2bench.ingest.lines import Line
from exam2bench.ingest.page import Box, Word
from exam2bench.ingest.pages.reading import read_order
from exam2bench.ingest.pages.sources import open_sources
from exam2bench.ingest.pages.textlayer import read_pages


class Sheet:
    """Pages to typeset a key on."""

    def __init__(self) -> None:
        self.document = pymupdf.open()
        self.page = self.document.new_page(width=595, height=842)

    def put(self, x: float, y: float, text: str, size: float = 11.0) -> None:
        font = "helv" if text.isascii() else "china-t"
        self.page.insert_text((x, y), text, fontsize=size, fontname=font)

    def table(
        self, x: float, y: float, rows: list[list[str]], dx: float = 60, dy: float = 18, rules: bool = False
    ) -> None:
        for r, row in enumerate(rows):
            for c, cell in enumerate(row):
                if cell:
                    self.put(x + c * dx + 6, y + r * dy + 13, cell)
        if rules:
            right, bottom = x + len(rows[0]) * dx, y + len(rows) * dy
            for r in range(len(rows) + 1):
                self.page.draw_line((x, y + r * dy), (right, y + r * dy))
            for c in range(len(rows[0]) + 1):
                self.page.draw_line((x + c * dx, y), (x + c * dx, bottom))

    def next_page(self) -> None:
        self.page = self.document.new_page(width=595, height=842)

    def save(self, folder: Path, name: str = "key.pdf") -> Path:
        path = folder / name
        self.document.save(path)
        return path


def line(text: str) -> Line:
    box = Box(50, 50, 200, 62)
    return Line(7, 0, (Word(0, text, box, size=11.0),), box, 0, 0, box)


def choice(key: str, labels: str = "ABCD", kind: str = "single_choice") -> DraftQuestion:
    return DraftQuestion(key + ".", key, options=[DraftOption(name) for name in labels], type=kind, points=1.0)  # type: ignore[arg-type]


def paper(*sections: DraftSection, form: str | None = None, title: str = "Exam") -> DraftPaper:
    made = DraftPaper(title=title, sections=list(sections), form=form)
    assign_ids(made)
    return made


def section(name: str | None, first: int, last: int, labels: str = "ABCD", restarts: bool = False) -> DraftSection:
    questions = [choice(str(n), labels) for n in range(first, last + 1)]
    return DraftSection(key=name, title=[line(name)] if name else [], questions=questions, restarts=restarts)


def entries_of(path: Path, made: DraftPaper, role: str = "key") -> list[KeyEntry]:
    source = open_sources([path])[0]
    pages, _ = read_pages(source, ocr="off")
    reading = read_order(pages)
    held = {(p.source, p.number): p for p in pages}
    return read_keys([reading], held, [], made, [SourceRole(0, role)])[0]  # type: ignore[arg-type]


def keyed(path: Path, made: DraftPaper) -> tuple[dict[str, str], list[str]]:
    """Question id to the labels that are right, and the codes of the findings that are more than remarks."""
    aligned, findings = align(made, entries_of(path, made))
    grading, more = make_grading(made, aligned)
    answers = {
        name: "".join(graded.rule.correct)
        for name, graded in grading.items()
        if graded.rule.kind in ("choice", "per_option")
    }
    return answers, [f.code for f in (*findings, *more) if f.severity != "info"]


ANSWERS = "BDACABDCBACDABCDBACBADCBADCBAC"


def columns(numbers: range, answers: str, per: int) -> list[list[str]]:
    """A grid of number and answer columns, `per` rows each."""
    pairs = [[str(n), a] for n, a in zip(numbers, answers, strict=True)]
    blocks = [pairs[i : i + per] for i in range(0, len(pairs), per)]
    rows = []
    for r in range(per):
        rows.append([cell for block in blocks for cell in (block[r] if r < len(block) else ["", ""])])
    return rows


def expected(answers: str, first: int = 1, prefix: str = "q") -> dict[str, str]:
    return {f"{prefix}{n}": a for n, a in enumerate(answers, first)}


@pytest.mark.parametrize("rules", [True, False])
def test_number_and_answer_columns(tmp_path: Path, rules: bool) -> None:
    sheet = Sheet()
    sheet.put(200, 60, "Answer Key")
    sheet.table(60, 90, [["Question", "Answer"] * 3, *columns(range(1, 31), ANSWERS, 10)], rules=rules)
    assert keyed(sheet.save(tmp_path), paper(section(None, 1, 30))) == (expected(ANSWERS), [])


def test_last_column_with_a_single_label(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.table(60, 90, [["No", "Key"] * 3, *columns(range(1, 22), ANSWERS[:21], 10)])
    assert keyed(sheet.save(tmp_path), paper(section(None, 1, 21))) == (expected(ANSWERS[:21]), [])


def test_row_of_numbers_above_row_of_answers_with_empty_cells(tmp_path: Path) -> None:
    sheet = Sheet()
    rows: list[list[str]] = []
    for start in range(1, 41, 10):
        rows.append(["題號", *(f"第{n}題" for n in range(start, start + 10))])
        rows.append(["答案", *(ANSWERS[n - 1] if n <= 20 else "" for n in range(start, start + 10))])
    sheet.table(10, 90, rows, dx=52, dy=22, rules=True)
    assert keyed(sheet.save(tmp_path), paper(section(None, 1, 20))) == (expected(ANSWERS[:20]), [])


def test_digits_as_answers_behind_dot_leaders(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.put(200, 60, "Allow 1 credit for each correct response.")
    digits = "".join(str("ABCD".index(a) + 1) for a in ANSWERS)
    for n, digit in enumerate(digits):
        x, y = 70 + 160 * (n // 10), 100 + 20 * (n % 10)
        sheet.put(x, y, f"{n + 1:>2} . . . . . {digit} . . . . .")
    made = paper(section("Part I", 1, 30, labels="1234"))
    assert keyed(sheet.save(tmp_path), made) == (expected(digits), [])


def test_points_column_is_no_answer_and_gives_the_points(tmp_path: Path) -> None:
    sheet = Sheet()
    circled = "④②⑤①③④②⑤"
    rows = [[str(n), a, "3" if n > 4 else "2"] for n, a in enumerate(circled, 1)]
    sheet.table(60, 90, [["번호", "정답", "배점"], *rows], rules=True)
    made = paper(section(None, 1, 8, labels="①②③④⑤"))
    for question in made.leaves():
        question.points = None
    assert keyed(sheet.save(tmp_path), made) == (expected(circled), [])
    assert [q.points for q in made.leaves()] == [2.0] * 4 + [3.0] * 4


@pytest.mark.parametrize(
    "lines",
    [
        ["1.B 2.D 3.A 4.C 5.A", "6.B 7.D 8.C 9.B 10.A"],
        ["1. B  2. D  3. A  4. C  5. A", "6. B  7. D  8. C  9. B  10. A"],
        ["1-5 BDACA", "6-10 BDCBA"],
        ["1-5: B D A C A   6-10: B D C B A"],
        ["1 – B, 2 – D, 3 – A, 4 – C, 5 – A", "6 – B, 7 – D, 8 – C, 9 – B, 10 – A"],
        ["1) b   2) d   3) a   4) c   5) a", "6) b   7) d   8) c   9) b   10) a"],
        ["(1) B (2) D (3) A (4) C (5) A", "(6) B (7) D (8) C (9) B (10) A"],
    ],
)
def test_lists_and_ranges(tmp_path: Path, lines: list[str]) -> None:
    sheet = Sheet()
    sheet.put(60, 60, "Answers")
    for n, text in enumerate(lines):
        sheet.put(60, 90 + 18 * n, text)
    assert keyed(sheet.save(tmp_path), paper(section(None, 1, 10))) == (expected(ANSWERS[:10]), [])


def test_stacked_list_in_two_columns(tmp_path: Path) -> None:
    sheet = Sheet()
    for n, answer in enumerate(ANSWERS[:20]):
        sheet.put(80 + 220 * (n // 10), 90 + 18 * (n % 10), f"{n + 1}. {answer}")
    assert keyed(sheet.save(tmp_path), paper(section(None, 1, 20))) == (expected(ANSWERS[:20]), [])


FORMS = {"AZUL": "BDACABDCBA", "AMARELO": "CABDDACBAB", "ROSA": "DDBACACBDC"}


def forms_sheet(folder: Path) -> Path:
    sheet = Sheet()
    sheet.put(200, 60, "Gabarito")
    rows = [[str(n + 1), *(key[n] for key in FORMS.values())] for n in range(10)]
    sheet.table(60, 90, [["QUESTÃO", *FORMS], *rows], dx=90, rules=True)
    return sheet.save(folder)


def test_the_form_of_the_paper_is_taken(tmp_path: Path) -> None:
    made = paper(section(None, 1, 10), form="Caderno 5 AMARELO")
    assert keyed(forms_sheet(tmp_path), made) == (expected(FORMS["AMARELO"]), [])


def test_no_form_is_guessed(tmp_path: Path) -> None:
    answers, codes = keyed(forms_sheet(tmp_path), paper(section(None, 1, 10)))
    assert answers == {} and codes == ["key.section_ambiguous", "question.unkeyed"]


def test_answers_that_all_forms_share_are_used_without_knowing_the_form(tmp_path: Path) -> None:
    sheet = Sheet()
    rows = [[str(n + 1), ANSWERS[n], ANSWERS[n] if n != 6 else "A"] for n in range(10)]
    sheet.table(60, 90, [["No", "Odd", "Even"], *rows], dx=90, rules=True)
    answers, codes = keyed(sheet.save(tmp_path), paper(section(None, 1, 10)))
    want = expected(ANSWERS[:10])
    del want["q7"]
    assert answers == want and codes == ["key.section_ambiguous", "question.unkeyed"]


def test_forms_on_pages_of_their_own(tmp_path: Path) -> None:
    sheet = Sheet()
    for name, key in (("A", ANSWERS[:10]), ("B", ANSWERS[10:20])):
        sheet.put(200, 60, f"Answer key, Set {name}")
        sheet.table(60, 90, columns(range(1, 11), key, 5))
        if name == "A":
            sheet.next_page()
    made = paper(section(None, 1, 10), form="Set B")
    assert keyed(sheet.save(tmp_path), made) == (expected(ANSWERS[10:20]), [])


def test_a_key_of_another_form_only_is_not_used(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.put(200, 60, "Answer key, Set A")
    sheet.table(60, 90, columns(range(1, 11), ANSWERS[:10], 5))
    answers, codes = keyed(sheet.save(tmp_path), paper(section(None, 1, 10), form="Set B"))
    assert answers == {} and codes == ["key.other_form", "question.unkeyed"]


def test_one_key_for_several_subjects(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.put(150, 60, "Answers: History, Biology, Geography")
    subjects = {"History": "BDACABDCBADD", "Biology": "ABCDEABCDEAB", "Geography": "DCBADCBADCBA"}
    for at, (name, key) in enumerate(subjects.items()):
        sheet.put(100 + 160 * at, 95, name)
        sheet.table(60 + 160 * at, 100, [["No", "Ans"] * 2, *columns(range(1, 13), key, 6)], dx=38)
    made = paper(section(None, 1, 12, labels="ABCDE"), title="National examination: Geography")
    assert keyed(sheet.save(tmp_path), made) == (expected(subjects["Geography"]), [])


def test_a_key_of_other_subjects_is_not_used(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.put(150, 60, "Answers: History, Biology")
    for at, (name, key) in enumerate({"History": "BDACABDCBADD", "Biology": "ABCDCABCDCABDACB"}.items()):
        sheet.put(100 + 160 * at, 95, name)
        sheet.table(
            60 + 160 * at, 100, [["No", "Ans"] * 2, *columns(range(1, len(key) + 1), key, len(key) // 2)], dx=38
        )
    made = paper(section(None, 1, 24), title="National examination: Geography")
    answers, codes = keyed(sheet.save(tmp_path), made)
    assert answers == {} and codes == ["key.other_exam", "question.unkeyed"]


def test_sections_that_restart(tmp_path: Path) -> None:
    sheet = Sheet()
    for at, (name, key) in enumerate((("Part I", ANSWERS[:10]), ("Part II", ANSWERS[10:16]))):
        sheet.put(60, 80 + 180 * at, name)
        sheet.table(60, 90 + 180 * at, columns(range(1, len(key) + 1), key, 5))
    made = paper(section("Part I", 1, 10), section("Part II", 1, 6, restarts=True))
    want = {**expected(ANSWERS[:10]), **expected(ANSWERS[10:16], prefix="Part-II.q")}
    assert keyed(sheet.save(tmp_path), made) == (want, [])


def test_electives_that_reuse_numbers_are_told_apart_by_their_heads(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.put(80, 80, "Common")
    sheet.put(250, 80, "Calculus")
    sheet.put(400, 80, "Geometry")
    for at, (first, key) in enumerate(((1, ANSWERS[:8]), (9, "ABCD"), (9, "DCBA"))):
        sheet.table(60 + 160 * at, 90, [[str(first + n), a] for n, a in enumerate(key)], dx=50)
    made = paper(section("Common", 1, 8), section("Calculus", 9, 12), section("Geometry", 9, 12, restarts=True))
    want = {**expected(ANSWERS[:8]), **expected("ABCD", 9), **expected("DCBA", 9, "Geometry.q")}
    assert keyed(sheet.save(tmp_path), made) == (want, [])


def test_amendments(tmp_path: Path) -> None:
    sheet = Sheet()
    values = ["B", "A or C", "送分", "D", "答A或D者均給分", "C", "Anulado", "B/D"]
    sheet.table(60, 90, [["No", "Answer"], *([str(n), v] for n, v in enumerate(values, 1))], dx=80, rules=True)
    answers, codes = keyed(sheet.save(tmp_path), paper(section(None, 1, 8)))
    assert answers == {"q1": "B", "q2": "AC", "q3": "ABCD", "q4": "D", "q5": "AD", "q6": "C", "q7": "ABCD", "q8": "BD"}
    assert codes == []


def test_amendments_in_notes_below_the_key(tmp_path: Path) -> None:
    sheet = Sheet()
    rows = [["題號", *(f"第{n}題" for n in range(1, 11))], ["答案", "B", "#", "A", "C", "A", "#", "D", "C", "B", "A"]]
    sheet.table(10, 90, rows, dx=52, dy=22, rules=True)
    sheet.put(30, 180, "備註：第2題答A或C者均給分；第6題一律給分。")
    answers, codes = keyed(sheet.save(tmp_path), paper(section(None, 1, 10)))
    assert answers == {**expected("BDACABDCBA"), "q2": "AC", "q6": "ABCD"} and codes == []


def test_series_headed_by_single_letters(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.put(200, 60, "Series")
    keys = ["BDACABDCBA", "CABDDACBAB", "DDBACACBDC"]
    sheet.table(60, 90, [["Q. No.", "A", "B", "C"], *([str(n + 1), *(k[n] for k in keys)] for n in range(10))], dx=90)
    made = paper(section(None, 1, 10), form="Test Booklet Series C")
    assert keyed(sheet.save(tmp_path), made) == (expected(keys[2]), [])


def test_a_language_option_beside_the_common_questions(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.table(
        60, 90, [["No", "English", "Spanish"], *([str(n + 1), "ABCDA"[n], "BCDAB"[n]] for n in range(5))], dx=80
    )
    sheet.table(60, 230, [["No", "Answer"], *([str(n), a] for n, a in enumerate(ANSWERS[5:15], 6))], dx=80)
    options = [section("English", 1, 5), section("Spanish", 1, 5, restarts=True)]
    options[1].questions.extend(choice(str(n)) for n in range(6, 16))
    want = {**expected("ABCDA"), **expected("BCDAB" + ANSWERS[5:15], prefix="Spanish.q")}
    assert keyed(sheet.save(tmp_path), paper(*options)) == (want, [])


def test_several_answers_demanded_together(tmp_path: Path) -> None:
    sheet = Sheet()
    values = ["BDE", "3,4,5", "AC", "全部答案均給分"]
    sheet.table(60, 90, [["No", "Answer"], *([str(n), v] for n, v in enumerate(values, 1))], dx=80)
    made = paper(DraftSection(questions=[choice(str(n), "ABCDE", "multiple_choice") for n in range(1, 5)]))
    answers, codes = keyed(sheet.save(tmp_path), made)
    assert answers == {"q1": "BDE", "q2": "CDE", "q3": "AC", "q4": "ABCDE"} and codes == []


def test_a_void_multiple_choice_earns_full_marks_for_any_answer(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.table(60, 90, [["1", "AB"], ["2", "送分"], ["3", "CD"]], dx=80)
    made = paper(DraftSection(questions=[choice(str(n), "ABCDE", "multiple_choice") for n in range(1, 4)]))
    grading, _ = make_grading(made, align(made, entries_of(sheet.save(tmp_path), made))[0])
    rule = grading["q2"].rule
    assert rule.kind == "per_option" and rule.ratio_by_errors == [1.0] * 6


def test_two_sets_accepted_for_a_multiple_choice_are_left_to_a_judge(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.table(60, 90, [["1", "AB"], ["2", "ACDE 或 ABCDE"], ["3", "CD"]], dx=80)
    made = paper(DraftSection(questions=[choice(str(n), "ABCDE", "multiple_choice") for n in range(1, 4)]))
    aligned, _ = align(made, entries_of(sheet.save(tmp_path), made))
    grading, findings = make_grading(made, aligned)
    rule = grading["q2"].rule
    assert rule.kind == "judge" and rule.reference_answer == "ACDE 或 ABCDE"
    assert [f.code for f in findings] == ["key.several_sets"]


@pytest.mark.parametrize(
    ("labels", "printed"), [("①②③④", "2413"), ("ABCD", "2413"), ("1234", "BDAC"), ("甲乙丙丁", "BDAC")]
)
def test_letters_against_numbers(tmp_path: Path, labels: str, printed: str) -> None:
    sheet = Sheet()
    sheet.table(60, 90, [[str(n), v] for n, v in enumerate(printed, 1)])
    want = {f"q{n}": labels[i] for n, i in enumerate((1, 3, 0, 2), 1)}
    assert keyed(sheet.save(tmp_path), paper(section(None, 1, 4, labels))) == (want, [])


def test_a_printed_pair_below_a_question_is_a_grid_in_number(tmp_path: Path) -> None:
    sheet = Sheet()
    rows = [["1", "B"], ["2", "D"], ["3-1", "2"], ["3-2", "5"], ["4", "A"]]
    sheet.table(60, 90, rows)
    from exam2bench.ingest.draft import DraftBlank

    gridded = DraftQuestion("3.", "3", type="fill_in_blank", blanks=[DraftBlank(cells=2)], points=5.0)
    made = paper(DraftSection(questions=[choice("1"), choice("2"), gridded, choice("4")]))
    grading, _ = make_grading(made, align(made, entries_of(sheet.save(tmp_path), made))[0])
    rule = grading["q3"].rule
    assert rule.kind == "fill_in_blank" and rule.blanks["b1"].accepted == ["25"]


def test_written_questions_are_marked_not_answered(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.table(60, 90, [["1", "B"], ["2", "／"], ["3", "D"], ["4", "※"]])
    open_question = [DraftQuestion(f"{n}.", str(n), type="short_answer", points=2.0) for n in (2, 4)]
    made = paper(DraftSection(questions=[choice("1"), open_question[0], choice("3"), open_question[1]]))
    answers, codes = keyed(sheet.save(tmp_path), made)
    assert answers == {"q1": "B", "q3": "D"} and codes == []


def test_numbers_of_an_answer_key_become_numeric_rules(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.table(60, 90, [["1", "③"], ["2", "①"], ["3", "107"], ["4", "7"]])
    wanted = [DraftQuestion(f"{n}.", str(n), type="short_answer", points=4.0) for n in (3, 4)]
    made = paper(DraftSection(questions=[choice("1", "①②③④⑤"), choice("2", "①②③④⑤"), *wanted]))
    grading, _ = make_grading(made, align(made, entries_of(sheet.save(tmp_path), made))[0])
    assert [(g.rule.kind, g.rule.value) for g in list(grading.values())[2:]] == [("numeric", "107"), ("numeric", "7")]  # type: ignore[union-attr]


def test_a_digit_that_may_be_a_label_is_no_number(tmp_path: Path) -> None:
    """A choice question whose options did not read must not become `the number 3`."""
    sheet = Sheet()
    sheet.table(60, 90, [[str(n), v] for n, v in enumerate("24313", 1)])
    lost = DraftQuestion("5.", "5", type="short_answer", points=1.0)
    made = paper(DraftSection(questions=[*(choice(str(n), "1234") for n in range(1, 5)), lost]))
    grading, _ = make_grading(made, align(made, entries_of(sheet.save(tmp_path), made))[0])
    assert grading["q5"].rule.kind == "judge"


def test_the_key_of_another_exam_is_not_used(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.table(60, 90, columns(range(201, 221), ANSWERS[:20], 10))
    answers, codes = keyed(sheet.save(tmp_path), paper(section(None, 1, 20)))
    assert answers == {} and codes == ["key.other_exam", "question.unkeyed"]


def test_answers_that_are_no_options_belong_to_another_exam(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.table(60, 90, columns(range(1, 21), "EFGHEFGHEFGHEFGHEFGH", 10))
    answers, codes = keyed(sheet.save(tmp_path), paper(section(None, 1, 20)))
    assert answers == {} and codes == ["key.other_exam", "question.unkeyed"]


def test_a_short_key_that_fits_only_the_first_questions_is_another_exams(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.table(60, 90, columns(range(1, 11), ANSWERS[:10], 5))
    answers, codes = keyed(sheet.save(tmp_path), paper(section(None, 1, 40)))
    assert answers == {} and codes == ["key.other_exam", "question.unkeyed"]


def test_a_long_key_that_goes_far_beyond_the_paper_is_another_exams(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.table(60, 90, columns(range(1, 31), ANSWERS, 15))
    answers, codes = keyed(sheet.save(tmp_path), paper(section(None, 1, 8)))
    assert answers == {} and codes == ["key.other_exam", "question.unkeyed"]


def test_a_single_answer_that_is_no_option(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.table(60, 90, columns(range(1, 11), "BDACABDCBF", 5))
    answers, codes = keyed(sheet.save(tmp_path), paper(section(None, 1, 10)))
    assert answers == expected("BDACABDCB") and codes == ["key.answer_not_an_option", "question.unkeyed"]


def test_a_shifted_key_is_told_and_not_used(tmp_path: Path) -> None:
    sheet = Sheet()
    kinds = ["ABCD" if n % 2 else "1234" for n in range(1, 13)]
    made = paper(DraftSection(questions=[choice(str(n), labels) for n, labels in enumerate(kinds, 1)]))
    values = ["B" if labels == "ABCD" else "5" for labels in kinds]
    for n, question in enumerate(made.leaves()):
        if kinds[n] == "1234":
            question.options = [DraftOption(str(k)) for k in range(5, 9)]
    sheet.table(60, 90, [[str(n + 1), v] for n, v in enumerate(values, 1)])
    answers, codes = keyed(sheet.save(tmp_path), made)
    assert answers == {} and codes == ["key.shifted", "question.unkeyed"]


def test_a_label_that_did_not_read_is_told_by_its_place(tmp_path: Path) -> None:
    sheet = Sheet()
    rows = [[str(n), a] for n, a in enumerate(ANSWERS[:12], 1)]
    rows[4][0] = "S"
    sheet.table(60, 90, rows)
    assert keyed(sheet.save(tmp_path), paper(section(None, 1, 12))) == (expected(ANSWERS[:12]), [])


def test_keys_for_questions_that_are_not_there(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.table(60, 90, columns(range(1, 13), ANSWERS[:12], 6))
    answers, codes = keyed(sheet.save(tmp_path), paper(section(None, 1, 10)))
    assert answers == expected(ANSWERS[:10]) and codes == ["key.unmatched"]


def test_true_and_false(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.table(60, 90, [["1", "T"], ["2", "F"], ["3", "True"], ["4", "False"]])
    made = paper(
        DraftSection(questions=[DraftQuestion(f"{n}.", str(n), type="true_false", points=1.0) for n in range(1, 5)])
    )
    grading, _ = make_grading(made, align(made, entries_of(sheet.save(tmp_path), made))[0])
    assert [g.rule.correct for g in grading.values()] == [True, False, True, False]  # type: ignore[union-attr]


def test_matching_by_pairs(tmp_path: Path) -> None:
    entry = KeyEntry(None, "1", values=("x",), raw="1-c, 2-a, 3-b", question_id="q1")
    left, right = [DraftOption(n) for n in "123"], [DraftOption(n) for n in "abcd"]
    made = paper(
        DraftSection(questions=[DraftQuestion("1.", "1", type="matching", matching=(left, right), points=3.0)])
    )
    rule = make_grading(made, {"q1": entry})[0]["q1"].rule
    assert rule.kind == "matching" and rule.correct_pairs == {"1": "c", "2": "a", "3": "b"}


def test_two_sources_that_disagree_are_both_told() -> None:
    made = paper(section(None, 1, 1))
    told = [
        KeyEntry(None, "1", values=("B",), raw="B", source=1),
        KeyEntry(None, "1", raw="C because …", reference="C because …", origin="solution", source=2, question_id="q1"),
    ]
    aligned, findings = align(made, told)
    assert aligned["q1"].values == ("B",)
    assert [(f.code, f.message) for f in findings] == [
        ("key.disagree", "Two sources disagree on q1: the key says B, the solution says C; the key's answer was taken.")
    ]


def test_rows_of_numbers_in_brackets(tmp_path: Path) -> None:
    """Labels and values are both numbers, row by row: only the signs around them tell which is which."""
    sheet = Sheet()
    digits = "24134312421342314213"
    for r in range(0, 20, 5):
        sheet.put(60, 90 + 20 * r / 5, "   ".join(f"{n + 1}. ({digits[n]})" for n in range(r, r + 5)))
    assert keyed(sheet.save(tmp_path), paper(section(None, 1, 20, labels="1234"))) == (expected(digits), [])


def test_rows_of_options_are_no_key(tmp_path: Path) -> None:
    sheet = Sheet()
    for n in range(7):
        sheet.put(60, 80 + 80 * n, f"Zadanie {n + 1}. Liczba {n + 3} jest rowna wartosci wyrazenia.")
        sheet.put(60, 110 + 80 * n, f"A. {n}   B. {n + 1}   C. {n + 2}   D. {n + 3}")
    assert [e for e in entries_of(sheet.save(tmp_path), paper(section(None, 1, 7))) if e.origin == "key"] == []
