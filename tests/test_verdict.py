"""What is said about the paper as a whole."""

from __future__ import annotations

from exam2bench.ingest.assembly.verdict import paper_findings
from exam2bench.schemas.content import TextBlock
from exam2bench.schemas.exam import Exam, Option, Question, Section
from exam2bench.schemas.grading import ChoiceRule, GradingSpec, JudgeRule, QuestionGrading, Rule


def _question(name: str, text: str, *, options: bool = False, children: tuple[Question, ...] = ()) -> Question:
    return Question(
        id=name,
        type="composite" if children else "single_choice" if options else "short_answer",
        prompt=[TextBlock(markdown=text)] if text else [],
        points=1,
        options=[Option(id=label) for label in "AB"] if options else None,
        children=list(children),
    )


def _codes(
    questions: list[Question], rules: dict[str, Rule] | None = None, language: str = "en"
) -> list[tuple[str, str | None]]:
    section = Section(id="s", questions=questions)
    exam = Exam(exam_id="e", title="t", language=language, total_points=1, sections=[section])
    grading = GradingSpec(
        exam_id="e",
        questions={
            name: QuestionGrading(question_id=name, max_points=1, rule=rule) for name, rule in (rules or {}).items()
        },
    )
    return [(finding.code, finding.where.question) for finding in paper_findings(exam, grading, ["paper.pdf"])]


def test_a_number_without_text_is_said_unless_its_group_speaks_for_it():
    assert _codes([_question("q1", "")]) == [("question.empty", "q1")]
    gap = _question("q2", "")
    assert _codes([_question("g2", "Fill the gaps.", children=(gap,))]) == []
    assert _codes([_question("q3", "", options=True)]) == []


def test_a_question_that_swallowed_its_successors_is_said():
    questions = [_question(f"q{n}", "What is the name of this river?") for n in range(1, 9)]
    assert _codes(questions) == []
    assert _codes([*questions, _question("q9", "Errata. " * 400)]) == [("question.long", "q9")]


def test_a_missing_key_is_said_once_for_the_paper_and_not_for_single_gaps():
    questions = [_question(f"q{n}", "Which?", options=True) for n in (1, 2)]
    judged = {"q1": JudgeRule(), "q2": JudgeRule()}
    assert _codes(questions, dict(judged)) == [("key.missing", None)]
    assert _codes(questions, {"q1": ChoiceRule(correct=["A"]), "q2": JudgeRule()}) == []


def test_no_question_at_all_is_an_error():
    assert _codes([]) == [("question.none", None)]


def test_a_text_in_no_language_is_an_error():
    """A damaged font shows other letters than it says: words, but of no language."""
    cipher = "Wrq EiR GDQK JLiE PmF PDQJ VLQK " * 20
    assert ("text.garbled", None) in _codes([_question("q1", cipher)], language="und")
    assert _codes([_question("q1", cipher)], language="vi") == []
    assert _codes([_question("q1", "x = 2, y = 3")], language="und") == []
