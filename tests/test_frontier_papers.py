"""Windows of two real papers (formulas in a scattered layer; answers printed among the questions), with replies written
by hand. Both papers may be used freely: a statutory examination of Taiwan, and the NCVEC pool, in the public domain."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import pytest

from exam2bench.ingest.engine import IngestOptions
from exam2bench.ingest.frontier.prepared import Prepared, prepare
from exam2bench.ingest.frontier.run import Finished, read_and_prove
from exam2bench.models.fake_server import Ask, FakeReply, FakeServer
from exam2bench.schemas.exam_checks import every_question
from exam2bench.schemas.grading import ChoiceRule

from .frontier_sample import INVENTORY, Reply, a, asking, pass_of, q, section

EXAMS = Path(__file__).resolve().parents[1].parent / "shared" / "exams"
pytestmark = pytest.mark.skipif(not EXAMS.exists(), reason="../shared/exams is not here")

MATHS = {
    "sections": [
        section("S", "壹", "第壹部分、選擇（填）題（占 85 分）", None),
        section("S1", "一", "一、單選題（占 30 分）", "說明：第 1 題至第 6 題，每題 5 分。", "壹"),
    ],
    "questions": [
        q(
            1, "1", "1.", "single_choice",
            "研究顯示：服用某藥物後，在使用者體內的藥物殘留量隨時間呈指數型衰退。已知在服用某藥物 2 小時後，體內仍"
            "殘留有該藥物的一半劑量，試問下列哪一選項正確？",
            (100, 195, 900, 410),
            *(f"{n} 服用 {h} 小時後，體內仍殘留有該藥物的 $\\frac{{1}}{{{d}}}$ 劑量" for n, (h, d) in
              enumerate(((3, 3), (4, 4), (6, 6), (8, 8), (10, 10)), 1)),
            section="S1", points=5, choose=1,
        ),
        q(
            1, "2", "2.", "single_choice",
            "如圖，$OABC-DEFG$ 為一正方體，試問向量外積 $\\overrightarrow{AD}\\times\\overrightarrow{AG}$ 與下列哪一個"
            "向量平行？\n\n[[F1]]",
            (100, 470, 900, 610),
            *(f"{n} $\\overrightarrow{{{v}}}$" for n, v in enumerate(("AE", "BE", "CE", "DE", "OE"), 1)),
            section="S1", points=5, choose=1,
        ),
        q(
            1, "3", "3.", "single_choice",
            "設 $a\\in\\{-6,-4,-2,2,4,6\\}$，已知 $a$ 為實係數三次多項式 $f(x)$ 的最高次項係數，若函數 $y=f(x)$ 的圖形"
            "與 $x$ 軸交於三點，且其 $x$ 坐標成首項為 $-7$、公差為 $a$ 的等差數列。試問共有幾個 $a$ 使得 $f(0)>0$？",
            (100, 665, 900, 765), *(f"{n} {n} 個" for n in range(1, 6)), section="S1", points=5, choose=1,
        ),
    ],
    "figures": [
        {
            "id": "F1",
            "place": {"page": 1, "x0": 690, "y0": 520, "x1": 830, "y1": 600},
            "description": "A cube with the corners O, A, B, C below and D, E, F, G above.",
            "caption": None,
        }
    ],
}  # fmt: skip

POOL = {
    "sections": [],
    "questions": [
        q(1, "1", "T1B03", "single_choice", "Which frequency is in the 6 meter amateur band?", (100, 100, 900, 190),
          "A 49.00 MHz", "B 52.525 MHz", "C 28.50 MHz", "D 222.15 MHz"),
        q(1, "2", "T1B04", "single_choice", "Which amateur band includes 146.52 MHz?", (100, 200, 900, 290),
          "A 6 meters", "B 20 meters", "C 70 centimeters", "D 2 meters"),
        q(1, "3", "T1B05", "single_choice", "How may amateurs use the 219 to 220 MHz segment of 1.25 meter band?",
          (100, 300, 900, 390), "A Spread spectrum only", "B Fast-scan television only", "C Emergency traffic only",
          "D Fixed digital message forwarding systems only"),
        q(1, "4", "T1B06", "single_choice", "On which HF bands does a Technician class operator have phone privileges?",
          (100, 400, 900, 490), "A None", "B 10 meter band only",
          "C 80 meter, 40 meter, 15 meter, and 10 meter bands", "D 30 meter band only"),
        q(1, "5", "T1B07", "single_choice",
          "Which of the following VHF/UHF band segments are limited to CW only?", (100, 500, 900, 590),
          "A 50.0 MHz to 50.1 MHz and 144.0 MHz to 144.1 MHz", "B 219 MHz to 220 MHz and 420.0 MHz to 420.1 MHz",
          "C 902.0 MHz to 902.1 MHz", "D All these choices are correct"),
    ],
    "figures": [],
}  # fmt: skip
PRINTED = [
    {**a("", f"T1B0{n}", f"({letter})", letter, source="printed"), "section": None}
    for n, letter in ((3, "B"), (4, "D"), (5, "D"), (6, "B"), (7, "A"))
]


@functools.lru_cache(maxsize=2)
def layout(folder: str, file: str, page: int) -> Prepared:
    return prepare([EXAMS / folder / file], IngestOptions(pages={file: {page}}))


def read(known: Prepared, questions: Reply, answers: list[Reply], raw: str | None = None) -> Finished:
    def reply(ask: Ask) -> Reply | FakeReply:
        match pass_of(ask):
            case "inventory":
                return {**INVENTORY, "title": None, "printed_total": None, "sections": [], "scoring": []}
            case "questions":
                return FakeReply(raw) if raw else questions
            case "answers":
                return {"answers": answers, "scoring": []}
            case _:
                return {"decisions": []} if pass_of(ask) == "settle" else {"figures": []}

    with FakeServer(reply) as server:
        one = asking(server)
        with one.gateway:
            return read_and_prove(known, one)


def text(blocks) -> str:
    return "\n".join(getattr(block, "markdown", "") for block in blocks)


def test_formulas_of_a_scattered_layer_are_proved_by_their_visible_signs():
    done = read(layout("tw-gsat-matha-2024", "paper.pdf", 1), MATHS, [])
    found = {question.number: question for question in every_question(done.merged.exam)}
    assert list(found) == ["1.", "2.", "3."]
    assert text((found["1."].options or [])[0].content).endswith("$\\frac{1}{3}$ 劑量")
    assert "\\overrightarrow{AD}" in text(found["2."].prompt)
    assert {question.checks.status for question in found.values() if question.checks} <= {"verified", "partial"}
    assert [f.message for f in done.findings if f.severity == "error"] == []
    (picture,) = [block for block in found["2."].prompt if block.type == "image"]
    (box,) = done.merged.assets.wanted[picture.asset]
    assert (box.x0, box.y0) < (410, 425) and (box.x1, box.y1) > (500, 515)  # the labels of the corners are in it


def test_a_wrong_fraction_is_caught():
    wrong = json.loads(json.dumps(MATHS))
    wrong["questions"][0]["options"][2]["text"] = "服用 6 小時後，體內仍殘留有該藥物的 $\\frac{1}{9}$ 劑量"
    done = read(layout("tw-gsat-matha-2024", "paper.pdf", 1), wrong, [])
    question = next(q for q in every_question(done.merged.exam) if q.number == "1.")
    told = [(f.severity, f.message) for f in done.findings if f.where.question == question.id and f.code[:5] == "text."]
    assert told == [("warning", "q1, options.3 reads “9”, the page prints “6”.")]
    assert question.checks is not None
    assert question.checks.status == "partial"


def test_latex_eaten_by_json_in_every_formula_is_put_back():
    raw = json.dumps(MATHS, ensure_ascii=False).replace("\\\\frac", "\\frac")
    done = read(layout("tw-gsat-matha-2024", "paper.pdf", 1), MATHS, [], raw)
    question = next(q for q in every_question(done.merged.exam) if q.number == "1.")
    assert all("\\frac{1}" in text(option.content) for option in question.options or [])
    assert [f.code for f in done.findings if f.code.startswith("latex")] == ["latex.repaired"]


def test_answers_printed_among_the_questions_are_read_by_the_answers_pass():
    known = layout("us-ncvec-technician-2022", "paper_with_answers.pdf", 8)
    done = read(known, POOL, PRINTED)
    rules = done.merged.grading.questions
    found = {question.number: question for question in every_question(done.merged.exam)}
    for number, letter in (("T1B03", "B"), ("T1B04", "D"), ("T1B07", "A")):
        rule = rules[found[number].id].rule
        assert isinstance(rule, ChoiceRule)
        assert rule.correct == [letter]
        assert found[number].checks is not None
        assert found[number].checks.status == "verified"


def test_a_key_that_the_page_contradicts_does_not_pass():
    known = layout("us-ncvec-technician-2022", "paper_with_answers.pdf", 8)
    wrong = [{**one, "values": ["C"], "raw": "(C)"} if one["label"] == "T1B04" else one for one in PRINTED]
    done = read(known, POOL, wrong)
    found = {question.number: question for question in every_question(done.merged.exam)}
    rule = done.merged.grading.questions[found["T1B04"].id].rule
    assert isinstance(rule, ChoiceRule)
    assert rule.correct == ["D"]
    assert done.record.origins[found["T1B04"].id]["key"].witness == "layout"
