"""Cards of choices, yes/no, counting, spatial and written answers on a few records, the scores worked out by hand.

Each test gives records under the data set's own columns and one reply each, and reads the headline (and what stands
beside it) from `exam2bench score --json`.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from exam2bench.cli import main
from exam2bench.corpora.catalog.card import load_card
from exam2bench.corpora.catalog.yes_no import MME_PERCEPTION, MME_REASONING

Rows = Sequence[dict[str, Any]]
Scorer = Callable[..., dict[str, Any]]


@pytest.fixture
def score(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Scorer:
    """score(card, rows, replies, view) -> the view's record. A row's `_id` is what its record's id comes to, unless it
    is the row's position; `ids` where a row holds several questions."""

    def run(
        card: str, rows: Rows, replies: Sequence[Any], view: str = "official", ids: Sequence[str] = ()
    ) -> dict[str, Any]:
        ids = ids or [str(row.get("_id", number)) for number, row in enumerate(rows)]
        records = tmp_path / "records.jsonl"
        plain = [{key: value for key, value in row.items() if key != "_id"} for row in rows]
        records.write_text("".join(json.dumps(row) + "\n" for row in plain), encoding="utf-8")
        lines = [json.dumps({"id": one, "prediction": reply}) for one, reply in zip(ids, replies, strict=True)]
        predictions = tmp_path / "predictions.jsonl"
        predictions.write_text("\n".join(lines) + "\n", encoding="utf-8")
        words = ["score", card, str(predictions), "--records", str(records), "--view", view, "--json"]
        assert main(words) == 0, capsys.readouterr().err
        return json.loads(capsys.readouterr().out)["views"][view]

    return run


def value(view: dict[str, Any]) -> float:
    return view["headline"]["value"]


# choice


def test_mmmu(score: Scorer):
    """Art 1: B is named last, right. Art 2: A declared, right. Math 1: 3.50 is the gold 3.5, right. Math 2: nothing.
    3 of 4 = 0.75; Art 1, Math 0.5, mean over subjects 0.75. The robust view reads nothing in Art 1, which names two:
    2 of 4."""
    options = "['a lion', 'a tiger', 'a bear']"
    rows = [
        {"_id": "validation_Art_1", "id": "validation_Art_1", "question": "Q", "options": options, "answer": "B",
         "question_type": "multiple-choice"},
        {"_id": "validation_Art_2", "id": "validation_Art_2", "question": "Q", "options": options, "answer": "A",
         "question_type": "multiple-choice"},
        {"_id": "validation_Math_1", "id": "validation_Math_1", "question": "Q", "options": "[]", "answer": "3.5",
         "question_type": "open"},
        {"_id": "validation_Math_2", "id": "validation_Math_2", "question": "Q", "options": options, "answer": "C",
         "question_type": "multiple-choice"},
    ]  # fmt: skip
    replies = ["A or B", "The answer is A.", "So the value is 3.50", "I cannot see the picture"]
    official = score("mmmu", rows, replies)
    assert value(official) == 0.75
    assert official["table"]["category"] == {"Art": 1.0, "Math": 0.5}
    assert official["parse_failures"] == 1
    assert value(score("mmmu", rows, replies, "robust")) == 0.5


def test_mmmu_pro(score: Scorer):
    """Ten options. J as a lone letter: right. "(C)": right. Text of option B in a longer reply: right. D for E: wrong.
    3 of 4 = 0.75."""
    options = [f"thing number {n}" for n in range(10)]
    rows = [
        {"_id": f"v{n}", "id": f"v{n}", "question": "Q", "options": str(options), "answer": gold, "subject": "Art"}
        for n, gold in enumerate("JCBE")
    ]
    replies = ["J", "(C)", "It must be thing number 1 that is shown here", "D"]
    assert value(score("mmmu-pro", rows, replies)) == 0.75


def test_mmbench(score: Scorer):
    """Two questions in two rotations each (index + 1,000,000). The first is right twice, the second once and wrong
    once: 1 of 2 = 0.5. A third has one rotation only and is right: 2 of 3 officially, 1 of 3 in the robust view."""
    base = {"question": "Q", "A": "cat", "B": "dog", "category": "ocr", "l2-category": "coarse_perception"}
    rows = [
        {**base, "_id": index, "index": index, "answer": answer}
        for index, answer in ((1, "A"), (1_000_001, "B"), (2, "A"), (1_000_002, "B"), (3, "A"))
    ]
    replies = ["A", "B", "A", "A", "A"]
    assert value(score("mmbench", rows[:4], replies[:4])) == 0.5
    assert value(score("mmbench", rows, replies)) == pytest.approx(2 / 3)
    robust = score("mmbench", rows, replies, "robust")
    assert value(robust) == pytest.approx(1 / 3)
    assert robust["table"]["questions with rotations missing"] == 1


def test_seed_bench_before_and_after_the_fix(score: Scorer):
    """ "Best answer: C" is B before the fix (the capital of Best) and C after. Gold C, then gold A answered A:
    0.5 before, 1 after."""
    base = {"question": "Q", "choice_a": "one", "choice_b": "two", "choice_c": "three", "choice_d": "four"}
    rows = [
        {**base, "_id": "1", "question_id": "1", "answer": "C", "question_type_id": 1},
        {**base, "_id": "2", "question_id": "2", "answer": "A", "question_type_id": 2},
    ]
    replies = ["Best answer: C", "A"]
    assert value(score("seed-bench", rows, replies, "vlmevalkit-first-capital-before-fix")) == 0.5
    assert value(score("seed-bench", rows, replies, "vlmevalkit-first-capital")) == 1.0
    official = score("seed-bench", rows, replies)
    assert official["table"]["category"] == {"1": 1.0, "2": 1.0}


def test_ai2d(score: Scorer):
    """Golds are places from 0: 1 is B, 0 is A, 2 is C. B right, "(A)" right, "moon" is the text of B: wrong for C.
    2 of 3."""
    rows = [{"question": "Q", "options": ["sun", "moon", "star"], "answer": answer} for answer in ("1", "0", "2")]
    replies = ["B", "(A)", "moon"]
    assert value(score("ai2d", rows, replies)) == pytest.approx(2 / 3)
    assert value(score("ai2d", rows, replies, "robust")) == pytest.approx(2 / 3)


def test_mathvista_choice(score: Scorer):
    """The gold is the option's text: 8/11 is B. "B" and the text itself are right, "A" is wrong: 2 of 3."""
    rows = [
        {"_id": str(n), "pid": str(n), "question": "Q", "choices": ["3/11", "8/11"], "answer": "8/11"} for n in range(3)
    ]
    assert value(score("mathvista-choice", rows, ["B", "8/11", "A"])) == pytest.approx(2 / 3)


def test_mmstar(score: Scorer):
    """Golds A, B, C, D. "answer is D" begins with a: right for A. "B" right. "Answer: C" is read as a: wrong. "D."
    right. Three hits over the fixed 1,500 = 0.002, coarse perception 3 / 250 = 0.012. Robust: D for A is wrong, the
    other three are right: 0.75. Cambrian's first words are answer, b, answer and d: two are the gold letter, 50 %."""
    base = {"question": "Q? Options: A: x, B: y", "category": "coarse perception", "l2_category": "image emotion"}
    rows = [{**base, "_id": n, "index": n, "answer": gold} for n, gold in enumerate("ABCD")]
    replies = ["answer is D", "B", "Answer: C", "D."]
    official = score("mmstar", rows, replies)
    assert value(official) == pytest.approx(0.002)
    assert official["table"]["coarse perception"] == pytest.approx(0.012)
    assert value(score("mmstar", rows, replies, "robust")) == 0.75
    assert value(score("mmstar", rows, replies, "cambrian")) == 50.0


def test_erqa(score: Scorer):
    """The reply must be the letter: "A" and "b." are right, "The answer is C" is unread: 2 of 3. Robust: 3 of 3."""
    rows = [{"_id": str(n), "id": str(n), "question": "Q", "answer": gold} for n, gold in enumerate("ABC")]
    replies = ["A", "b.", "The answer is C"]
    official = score("erqa", rows, replies)
    assert (value(official), official["parse_failures"]) == (pytest.approx(2 / 3), 1)
    assert value(score("erqa", rows, replies, "robust")) == 1.0


def test_video_mme(score: Scorer):
    """ "Based on …, the answer is D" is read as B, wrong; "The best answer is C." as C, right: 1 of 2. Robust: D."""
    rows = [
        {"_id": f"q{n}", "question_id": f"q{n}", "question": "Q", "options": ["A. a1", "B. b1", "C. c1", "D. d1"],
         "answer": gold, "duration": length}
        for n, (gold, length) in enumerate([("D", "short"), ("C", "long")])
    ]  # fmt: skip
    replies = ["Based on the video, the answer is D", "The best answer is C."]
    official = score("video-mme", rows, replies)
    assert value(official) == 0.5
    assert official["table"]["duration"] == {"short": 0.0, "long": 1.0}
    assert value(score("video-mme", rows, replies, "robust")) == 1.0


def test_gpqa_diamond(score: Scorer):
    """Records as asked, with options and answer. "Answer: C" right, "Answer: A" wrong, no declaration: unread. 1 of 3.
    EvalScope takes the last capital of the third reply, which is D: 2 of 3."""
    rows = [
        {"_id": f"r{n}", "Record ID": f"r{n}", "Question": "Q", "options": ["w", "x", "y", "z"], "answer": gold}
        for n, gold in enumerate("CBD")
    ]
    replies = ["Working.\nAnswer: C", "Answer: A", "it has to be option D"]
    official = score("gpqa-diamond", rows, replies)
    assert (value(official), official["parse_failures"]) == (pytest.approx(1 / 3), 1)
    assert value(score("gpqa-diamond", rows, replies, "evalscope")) == pytest.approx(2 / 3)


def test_mmmlu(score: Scorer):
    """ "Antwort: B", "答案：C" and "Answer: A" are read: the golds are B, C, D, so 2 of 3."""
    rows = [{"Question": "Q", "A": "1", "B": "2", "C": "3", "D": "4", "Answer": gold} for gold in "BCD"]
    assert value(score("mmmlu", rows, ["Antwort: B", "答案：C", "Answer: A"])) == pytest.approx(2 / 3)


# yes and no


def test_mme(score: Scorer):
    """14 tasks with one picture of two questions each. All right but one question of OCR and both of color:
    12 tasks have 100 * (1 + 1) = 200, OCR 100 * (0.5 + 0) = 50, color 0: 2,450 of 2,800; perception 10 tasks: 1,650."""
    rows, replies = [], []
    for task in (*MME_PERCEPTION, *MME_REASONING):
        for answer in ("Yes", "No"):
            rows.append({"question_id": f"{task}/1.jpg", "question": "Q", "answer": answer, "category": task})
            wrong = task == "color" or (task == "OCR" and answer == "No")
            replies.append({"Yes": "No", "No": "Yes"}[answer] if wrong else answer)
    official = score("mme", rows, replies)
    assert value(official) == 2450.0
    assert official["table"]["perception"] == 1650.0 and official["table"]["reasoning"] == 800.0
    assert (official["table"]["OCR"], official["table"]["color"]) == (50.0, 0.0)


def test_pope(score: Scorer):
    """Golds yes, yes, no, no; replies yes, no, yes, and "**No**", unread and so no yes: 1 true, 1 false, 1 missed.
    Precision 1/2, recall 1/2, F1 50. Accuracy: the first is right, the unread one is wrong: 1 of 4 = 25.
    Robust reads the fourth as No: accuracy 50, F1 the same."""
    rows = [
        {"_id": str(n), "id": str(n), "question": "Q", "answer": gold, "category": "random"}
        for n, gold in enumerate(["yes", "yes", "no", "no"])
    ]
    replies = ["Yes", "No", "Yes", "**No**"]
    official = score("pope", rows, replies)
    assert official["table"]["Overall"] == {"Overall": 50.0, "acc": 25.0, "precision": 50.0, "recall": 50.0}
    robust = score("pope", rows, replies, "robust")
    assert robust["table"]["Overall"]["acc"] == 50.0 and value(robust) == 50.0


def test_hallusionbench(score: Scorer):
    """Two questions on two figures. Figure 0 both right, figure 1 one wrong: aAcc 3/4 = 75, fAcc 1/2 = 50; question 0
    is right on both figures, question 1 on one: qAcc 1/2 = 50. The id is made of six columns."""
    rows, replies = [], []
    for figure in ("0", "1"):
        for question in ("0", "1"):
            row = {"category": "VD", "subcategory": "illusion", "visual_input": "1", "set_id": "0"}
            row |= {"figure_id": figure, "question_id": question, "question": "Q", "gt_answer": "1"}
            rows.append({**row, "_id": f"VD_illusion_1_0_{figure}_{question}"})
            replies.append("No." if (figure, question) == ("1", "1") else "Yes.")
    official = score("hallusionbench", rows, replies)
    assert value(official) == 75.0
    assert official["table"]["Overall"] == {"aAcc": 75.0, "fAcc": 50.0, "qAcc": 50.0}


def test_amber(score: Scorer):
    """Attribute: 1 of 2 right; Existence: 1 of 1. The headline is the mean over groups, 75, not 2 of 3."""
    kinds = ["discriminative-attribute-state", "discriminative-attribute-number", "discriminative-hallucination"]
    rows = [
        {"_id": str(n), "id": n, "query": "Q", "truth": "no", "type": kind}
        for n, kind in zip(range(3), kinds, strict=True)
    ]
    official = score("amber", rows, ["No", "Yes", "No"])
    assert value(official) == 75.0
    assert (official["table"]["Attribute"], official["table"]["Existence"]) == (50.0, 100.0)


# counting


def test_countqa(score: Scorer):
    """One picture with three questions, golds 7, 100, 0. "Row 1 has 3 … Total: 7" is 1: wrong. 104 for 100: wrong, but
    within 5 %. "zero": unread. Exact 0 of 3, relaxed 1 of 3. By the last match the first is 7: 1 of 3 and 2 of 3."""
    rows = [{"questions": ["a", "b", "c"], "answers": ["7", "100", "0"], "is_focused": True, "categories": ["toys"]}]
    replies = ["Row 1 has 3, row 2 has 4. Total: 7", "104", "zero"]
    ids = ["0.0", "0.1", "0.2"]
    official = score("countqa", rows, replies, ids=ids)
    assert (value(official), official["table"]["relaxed_acc"]) == (0.0, pytest.approx(1 / 3))
    last = score("countqa", rows, replies, "last-match", ids=ids)
    assert (value(last), last["table"]["relaxed_acc"]) == (pytest.approx(1 / 3), pytest.approx(2 / 3))


# spatial


def test_cv_bench(score: Scorer):
    """ADE20K: "A" right, "Based on it, (A)" is read as b: 1 of 2. COCO: "(B)" right: 1. Omni3D: "b." right,
    "Considering …, A" read as c: 1 of 2. 2D = (0.5 + 1) / 2 = 0.75, 3D = 0.5, total 0.625. Robust reads both: 1."""
    data = [("ADE20K", "Count"), ("ADE20K", "Relation"), ("COCO", "Count"), ("Omni3D", "Depth"), ("Omni3D", "Distance")]
    golds = ["(A)", "(A)", "(B)", "(B)", "(A)"]
    rows = [
        {"_id": n, "idx": n, "question": "Q", "choices": ["x1", "y1"], "answer": gold, "source": source, "task": task}
        for n, ((source, task), gold) in enumerate(zip(data, golds, strict=True))
    ]
    replies = ["A", "Based on it, (A)", "(B)", "b.", "Considering both, the answer would be (A)"]
    official = score("cv-bench", rows, replies)
    assert value(official) == 0.625
    assert (official["table"]["2D"], official["table"]["3D"], official["table"]["ADE20K"]) == (0.75, 0.5, 0.5)
    robust = score("cv-bench", rows, replies, "robust")
    assert value(robust) == 1.0
    assert robust["table"]["robust_accuracy_2d"] == 1.0 and robust["parse_failures"] == 0


# written answers


def test_docvqa(score: Scorer):
    """ "invoice" exact: 1. "invoise" for invoice: distance 1 of 7, 6/7. "ab" for "abcd": similarity exactly 0.5, kept
    by VLMEvalKit, dropped by the package: (1 + 6/7 + 0.5) / 3 = 78.571 %, and (1 + 6/7) / 3 = 61.905 %."""
    golds = [["Invoice", "the invoice"], ["invoice"], ["abcd"]]
    rows = [{"_id": str(n), "questionId": str(n), "question": "Q", "answers": gold} for n, gold in enumerate(golds)]
    replies = ["invoice", "invoise", "ab"]
    assert value(score("docvqa", rows, replies)) == pytest.approx(100 * (1 + 6 / 7 + 0.5) / 3)
    assert value(score("docvqa", rows, replies, "pypi")) == pytest.approx(100 * (1 + 6 / 7) / 3)


def test_chartqa(score: Scorer):
    """104 for 100 is within 5 %, 106 is not, "japan" is Japan, "50" for "50%" is 0.5 against 50: wrong. 2 of 4 = 50."""
    rows = [{"query": "Q", "label": gold} for gold in ("100", "100", "Japan", "50%")]
    replies = ["104", "106", "japan", "50"]
    assert value(score("chartqa", rows, replies)) == 50.0


def test_textvqa(score: Scorer):
    """Ten answers: dog x 3, cat x 7. "dog": leaving one of the three out leaves 2, so 2/3; for the others 3, so 1:
    (3 * 2/3 + 7) / 10 = 0.9. "cat": 1. "cow": 0. Mean 63.33 %."""
    rows = [
        {"_id": n, "question_id": n, "question": "Q", "answers": ["dog"] * 3 + ["cat"] * 7, "image_id": "i"}
        for n in range(3)
    ]
    replies = ["dog", "The cat", "cow"]
    assert value(score("textvqa", rows, replies)) == pytest.approx(100 * (0.9 + 1 + 0) / 3)
    assert value(score("textvqa", rows, replies, "cambrian")) == pytest.approx(100 * (0.9 + 1 + 0) / 3)


def test_mathvista(score: Scorer):
    """A choice B for 8/11, an integer 14, a float 1.50 for 1.5, a text that is never right there: 3 of 4."""
    base = {"question": "Q", "metadata": {"skills": ["arithmetic"], "task": "figure question answering"}}
    rows = [
        {**base, "_id": "0", "pid": "0", "question_type": "multi_choice", "answer_type": "text",
         "choices": ["3/11", "8/11"], "answer": "8/11"},
        {**base, "_id": "1", "pid": "1", "question_type": "free_form", "answer_type": "integer", "answer": "14"},
        {**base, "_id": "2", "pid": "2", "question_type": "free_form", "answer_type": "float", "answer": "1.5"},
        {**base, "_id": "3", "pid": "3", "question_type": "free_form", "answer_type": "text", "answer": "north"},
    ]  # fmt: skip
    replies = ["B", "14", "1.50", "north"]
    official = score("mathvista", rows, replies)
    assert value(official) == 75.0
    assert official["table"]["arithmetic"]["acc"] == 75.0
    assert value(score("mathvista", rows, replies, "robust")) == 100.0


def test_mmmu_open(score: Scorer):
    """Golds 5, 5, and Paris or the city of light twice. "So it is 5" is right, "It could be 4 or 6" wrong. "Capital:
    Paris" holds a gold; "It is Paris now" is cut after its last "is ", which is that of "Paris ". 2 of 4."""
    golds = ["5", "5", *["['Paris', 'the city of light']"] * 2]
    rows = [
        {
            "_id": f"validation_Math_{n}",
            "id": f"validation_Math_{n}",
            "question": "Q",
            "answer": gold,
            "question_type": "open",
        }
        for n, gold in enumerate(golds)
    ]
    replies = ["So it is 5", "It could be 4 or 6", "Capital: Paris", "It is Paris now"]
    assert value(score("mmmu-open", rows, replies)) == 0.5


def test_hmmt(score: Scorer):
    """9/23 boxed as \\frac{18}{46}: equal. 2\\sqrt{3} as \\sqrt{12}: equal. 103 for 104: wrong. 2 of 3."""
    rows = [
        {"_id": n, "problem_idx": n, "problem": "Q", "answer": gold, "problem_type": ["Algebra"]}
        for n, gold in enumerate(["\\frac{9}{23}", "2\\sqrt{3}", "104"])
    ]
    replies = ["So \\boxed{\\frac{18}{46}}.", "Hence $\\boxed{\\sqrt{12}}$", "\\boxed{103}"]
    assert value(score("hmmt", rows, replies)) == pytest.approx(2 / 3)


# a run without a fault has the best score, whichever way it is read


def _ids(rows: Rows, column: str) -> Rows:
    return [{**row, "_id": row[column]} for row in rows]


OPTIONS = {"A": "1", "B": "2", "C": "3", "D": "4"}
SEED = {"question": "Q", "choice_a": "1", "choice_b": "2", "choice_c": "3", "choice_d": "4", "question_type_id": 1}
BENCH = {"question": "Q", "A": "cat", "B": "dog", "category": "ocr", "l2-category": "x"}
STAR = {"question": "Q", "category": "math", "l2_category": "geometry"}
FAULTLESS: dict[str, tuple[Rows, list[str]]] = {
    "mmmu": (
        _ids([{"id": "test_Art_1", "question": "Q", "options": "['a', 'b']", "answer": "B"},
              {"id": "test_Art_2", "question": "Q", "answer": "7", "question_type": "open"}], "id"), ["B", "7"]),
    "mmmu-pro": (_ids([{"id": "1", "question": "Q", "options": "['a1', 'b1']", "answer": "B"}], "id"), ["B"]),
    "mmbench": (_ids([{**BENCH, "index": 1, "answer": "A"}, {**BENCH, "index": 1_000_001, "answer": "B"}], "index"),
                ["A", "B"]),
    "seed-bench": (_ids([{**SEED, "question_id": "q1", "answer": "C"}], "question_id"), ["C"]),
    "ai2d": ([{"question": "Q", "options": ["sun", "moon"], "answer": "1"}], ["B"]),
    "mathvista-choice": (_ids([{"pid": "1", "question": "Q", "choices": ["x1", "y1"], "answer": "y1"}], "pid"), ["B"]),
    "erqa": ([{"question": "Q", "answer": "B"}], ["B"]),
    "video-mme": (_ids([{"question_id": "1", "question": "Q", "options": ["A. x", "B. y"], "answer": "B",
                         "duration": "long"}], "question_id"), ["B"]),
    "gpqa-diamond": ([{"Question": "Q", "options": ["x", "y"], "answer": "B"}], ["ANSWER: B"]),
    "mmmlu": ([{"Question": "Q", **OPTIONS, "Answer": "C"}], ["ANSWER: C"]),
    "mme": ([{"question_id": f"{task}/1", "question": "Q", "answer": answer, "category": task}
             for task in (*MME_PERCEPTION, *MME_REASONING) for answer in ("Yes", "No")], ["Yes", "No"] * 14),
    "pope": ([{"question": "Q", "answer": "yes"}, {"question": "Q", "answer": "no"}], ["Yes", "No"]),
    "hallusionbench": ([{"id": "VD_x_1_0_0_0", "_id": "VD_x_1_0_0_0", "question": "Q", "answer": "1", "category": "VD",
                         "l2_category": "x"}], ["Yes"]),
    "amber": (_ids([{"id": 1, "query": "Q", "truth": "no", "type": "relation"}], "id"), ["No"]),
    "docvqa": (_ids([{"questionId": "1", "question": "Q", "answers": ["Tuesday"]}], "questionId"), ["Tuesday"]),
    "chartqa": ([{"query": "Q", "label": "12"}], ["ANSWER: 12"]),
    "textvqa": (_ids([{"question_id": 1, "question": "Q", "answers": ["dog"] * 10}], "question_id"), ["dog"]),
    "mathvista": (_ids([{"pid": "1", "question": "Q", "question_type": "free_form", "answer_type": "integer",
                         "answer": "14"}], "pid"), ["14"]),
    "mmmu-open": (_ids([{"id": "test_Art_1", "question": "Q", "answer": "7"}], "id"), ["7"]),
    "hmmt": (_ids([{"problem_idx": 1, "problem": "Q", "answer": "2"}], "problem_idx"), ["\\boxed{2}"]),
    "countqa": ([{"question": "Q", "answer": "3"}], ["3"]),
    "cv-bench": (_ids([{"idx": n, "question": "Q", "choices": ["x1", "y1"], "answer": "(B)", "source": source,
                        "task": "Count"} for n, source in enumerate(["ADE20K", "COCO", "Omni3D"])], "idx"), ["B"] * 3),
}  # fmt: skip
# these read nothing in a reply that others need: a bare value instead of a declared one
BARE = {("chartqa", "official"): "12", ("chartqa", "cambrian"): "12", ("chartqa", "robust"): "12"}


@pytest.mark.parametrize("name, view", [(name, view) for name in FAULTLESS for view in load_card(name).views])
def test_a_run_without_a_fault_has_the_best_score_in_every_view(score: Scorer, name: str, view: str):
    rows, replies = FAULTLESS[name]
    found = score(name, rows, [BARE.get((name, view), reply) for reply in replies], view)
    assert value(found) == pytest.approx(load_card(name).view(view).headline.measure().highest)
    assert (found["parse_failures"], found["missing"]) == (0, 0)
