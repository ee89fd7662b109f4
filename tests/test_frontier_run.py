"""The whole path on the sample exam: right replies, then each failure, caught, said, and repaired where the page can.

The fake server gives replies written by hand (frontier_sample.py); nothing else of the path is replaced.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

import pytest

from exam2bench.ingest.frontier.run import PROMPTS, Finished, read_and_prove
from exam2bench.models.fake_server import Ask, FakeReply, FakeServer
from exam2bench.schemas.exam import Question
from exam2bench.schemas.exam_checks import every_question
from exam2bench.schemas.findings import Finding
from exam2bench.schemas.grading import ChoiceRule, JudgeRule

from .frontier_sample import Reply, Spoil, asking, entry, handler, prepared


def read(spoil: Spoil | None = None, witness: Spoil | None = None) -> tuple[Finished, FakeServer]:
    with FakeServer(handler(spoil)) as server, FakeServer(handler(witness)) as second:
        one = asking(server)
        two = asking(second) if witness else None
        with one.gateway:
            return read_and_prove(prepared(), one, two), server


def questions(done: Finished) -> dict[str, Question]:
    return {question.id: question for question in every_question(done.merged.exam)}


def codes(findings: Iterable[Finding], *, least: str = "warning") -> set[str]:
    return {finding.code for finding in findings if finding.severity in ("error", least)}


def text_of(question: Question) -> str:
    return "\n".join(getattr(block, "markdown", "") for block in question.prompt)


def said(done: Finished, code: str) -> list[str]:
    return [finding.message for finding in done.findings if finding.code == code]


def only(pass_name: str, change) -> Spoil:
    """Change the replies of one pass; `change(reply, ask)` may return another reply."""

    def spoil(name: str, reply: Reply, ask: Ask) -> Reply | FakeReply | None:
        return change(reply, ask) if name == pass_name else None

    return spoil


def window_with(ref: str, change) -> Spoil:
    """Change the reply of the questions window that holds the entry `ref`."""

    def spoil(reply: Reply, ask: Ask) -> Reply | FakeReply | None:
        return change(reply) if any(one["ref"] == ref for one in reply["questions"]) else None

    return only("questions", spoil)


# --- right replies ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def right() -> tuple[Finished, FakeServer]:
    return read()


def test_right_replies_make_the_exam_and_nothing_is_in_doubt(right):
    done, server = right
    leaves = list(done.merged.exam.leaves())
    assert (len(leaves), done.merged.exam.total_points) == (32, 100)
    assert {leaf.checks.status for leaf in leaves if leaf.checks} == {"verified"}
    assert codes(done.findings) == set()
    assert done.proof.coverage.unassigned == 0
    assert server.asked == 5  # one inventory, two windows of questions, key, mark scheme


def test_ids_and_keys_are_those_of_the_layout_engine(right):
    done, _ = right
    theirs = prepared().made
    assert list(questions(done)) == [question.id for question in every_question(theirs.exam)]
    for name, mine in done.merged.grading.questions.items():
        assert mine.max_points == theirs.grading.questions[name].max_points
        assert mine.rule.kind == theirs.grading.questions[name].rule.kind


def test_formulas_come_as_latex_and_figures_with_their_description(right):
    done, _ = right
    found = questions(done)
    assert "$$\\frac{1}{f} = \\frac{1}{u} + \\frac{1}{v}$$" in text_of(found["B.q4"])
    picture = next(block for block in found["B.q1"].prompt if block.type == "image")
    assert picture.asset == "assets/B.q1.fig1.png"
    assert picture.alt.startswith("A graph of speed in m/s against time in s")
    assert [block.type for block in found["B.q1"].prompt] == ["text", "image", "text"]
    assert [block.type for block in found["B.q3"].prompt] == ["text", "table"]


def test_rubrics_have_the_schemes_levels_word_for_word(right):
    done, _ = right
    rule = done.merged.grading.questions["B.q6"].rule
    assert isinstance(rule, JudgeRule)
    assert [(c.description, [level.points for level in c.levels]) for c in rule.rubric] == [
        ("Circuit", [4, 2, 0]),
        ("Symbols and labels", [2, 1, 0]),
    ]
    assert rule.rubric[0].levels[1].descriptor == (
        "The lamps are in parallel, but the switch puts out only one of them."
    )


def test_the_manifest_keeps_prompts_stages_and_where_each_field_came_from(right):
    done, _ = right
    record = done.record
    assert {name: used.digest for name, used in record.prompts.items()} == {p.name: p.digest for p in PROMPTS}
    (stages,) = record.stages.values()
    assert {name: stage["calls"] for name, stage in stages.items()} == {"inventory": 1, "questions": 2, "answers": 2}
    assert all(stage["tokens_in"] > 1000 and stage["cost_usd"] > 0 for stage in stages.values())
    origin = record.origins["q1"]["options.B"]
    assert (origin.witness, origin.round, origin.match) == ("both", 0, 1.0)
    assert {(region.source, region.page) for region in origin.regions} == {(0, 0)}


# --- each failure -----------------------------------------------------------------------------------------------


def test_a_lost_question_is_put_back_from_the_page_and_said():
    done, _ = read(window_with("a4", lambda r: r["questions"].remove(entry(r, "a4"))))
    found = questions(done)
    assert text_of(found["q4"]).startswith("All the members of the harbour band")
    assert [q for q in found if q.startswith("q")][:4] == ["q1", "q2", "q3", "q4"]
    assert done.record.origins["q4"]["prompt"].witness == "layout"
    assert said(done, "question.restored") == [
        "The model left out q4, which is printed on the page; it was put back from the layout engine's reading."
    ]
    assert done.merged.exam.total_points == 100


def test_the_inventory_counts_what_the_questions_pass_should_have_read():
    def more(reply: Reply, ask: Ask) -> None:
        next(section for section in reply["sections"] if section["label"] == "B")["questions"] = 7

    done, _ = read(only("inventory", more))
    assert said(done, "section.count") == ["The inventory counts 7 questions in section B, 6 were read."]


def test_a_lost_part_comes_back_below_its_parent():
    done, _ = read(window_with("b3b", lambda r: r["questions"].remove(entry(r, "b3b"))))
    assert [child.id for child in questions(done)["B.q3"].children] == ["B.q3.a", "B.q3.b", "B.q3.c"]
    assert len(said(done, "question.restored")) == 1


def test_an_invented_question_is_left_out_and_said():
    def invent(reply: Reply) -> None:
        made = {**entry(reply, "d2a"), "ref": "d3", "parent": None, "label": "3."}
        reply["questions"].append({**made, "text": "Describe how volcanoes form and name two famous examples of them."})

    done, _ = read(window_with("d2a", invent))
    assert "D.q3" not in questions(done)
    (message,) = said(done, "question.invented")
    assert "Describe how volcanoes form" in message
    assert any(finding.severity == "error" for finding in done.findings if finding.code == "question.invented")


def test_an_invented_sentence_does_not_stay_in_the_exam():
    def invent(reply: Reply) -> None:
        entry(reply, "a3")["text"] += " Assume that the differences keep growing by two at every step."

    done, _ = read(window_with("a3", invent))
    assert "Assume" not in text_of(questions(done)["q3"])
    assert done.record.origins["q3"]["prompt"].witness == "layout"


def test_columns_read_across_are_undone_by_the_page():
    def across(reply: Reply) -> None:
        upper, lower = entry(reply, "b2"), entry(reply, "b3c")
        words = upper["text"].split()
        other = lower["text"].split()
        upper["text"] = " ".join([*words[:8], *other[:8], *words[8:], *other[8:]])
        lower["text"] = " ".join(other[:8])

    done, _ = read(window_with("b2", across))
    found = questions(done)
    assert "irregular" not in text_of(found["B.q2"])
    assert "how its volume can be measured" in text_of(found["B.q3.c"])


def test_a_dropped_option_is_put_back():
    def drop(reply: Reply) -> None:
        entry(reply, "a2")["options"].pop(2)

    done, _ = read(window_with("a2", drop))
    question = questions(done)["q2"]
    assert [option.id for option in question.options or []] == ["A", "B", "C", "D"]
    assert done.record.origins["q2"]["options"].witness == "layout"
    rule = done.merged.grading.questions["q2"].rule
    assert isinstance(rule, ChoiceRule)
    assert rule.correct == ["C"]


def test_swapped_options_are_set_right():
    def swap(reply: Reply) -> None:
        options = entry(reply, "c1")["options"]
        options[0]["text"], options[1]["text"] = options[1]["text"], options[0]["text"]

    done, _ = read(window_with("c1", swap))
    options = questions(done)["C.q1"].options or []
    assert [getattr(option.content[0], "markdown", "") for option in options][:2] == ["門可羅雀", "人山人海"]


def test_a_key_shifted_by_one_does_not_pass():
    def shift(reply: Reply, ask: Ask) -> None:
        key = [one for one in reply["answers"] if one["source"] == "key" and one["section"] == "A"]
        for one, other in zip(key[:4], [dict(k) for k in key[1:5]], strict=True):
            one["raw"], one["values"] = other["raw"], other["values"]

    done, _ = read(only("answers", shift))
    for name in ("q1", "q2", "q3", "q4"):
        rule = done.merged.grading.questions[name].rule
        assert isinstance(rule, ChoiceRule)
        assert rule.correct == prepared().made.grading.questions[name].rule.correct, name  # pyright: ignore


def test_shifted_numbers_are_set_right_by_the_page():
    def shift(reply: Reply) -> None:
        for ref, label in (("a3", "4."), ("a4", "5.")):
            entry(reply, ref)["label"] = label

    done, _ = read(window_with("a3", shift))
    found = questions(done)
    assert (found["q3"].number, found["q4"].number) == ("3.", "4.")
    assert text_of(found["q3"]).startswith("Which number comes next?")


def test_latex_that_json_has_eaten_is_put_back_and_said():
    def eat(reply: Reply) -> FakeReply:
        return FakeReply(json.dumps(reply, ensure_ascii=False).replace("\\\\frac", "\\frac"))

    done, _ = read(window_with("b4", eat))
    assert "\\frac{1}{f}" in text_of(questions(done)["B.q4"])
    assert said(done, "latex.repaired") == [
        "In the reading of questions 1. to 6. (paper.pdf, pages 1 to 3), 3 LaTeX commands that JSON had eaten were put "
        "back."
    ]


def test_a_truncated_window_is_asked_again_in_two_halves():
    def cut(reply: Reply) -> FakeReply | None:
        return FakeReply(json.dumps(reply)[:300], stop="length") if len(reply["questions"]) > 20 else None

    done, server = read(only("questions", lambda reply, ask: cut(reply)))
    assert codes(done.findings) == set()
    assert len(list(done.merged.exam.leaves())) == 32
    assert server.asked == 7
    assert [(w["status"], w.get("asked_again")) for w in done.record.windows if w["status"] != "ok"] == [
        ("truncated", "in two halves")
    ]
    (stages,) = done.record.stages.values()
    for name in ("inventory", "questions", "answers"):
        rows = [window for window in done.record.windows if window["pass"] == name]
        assert len(rows) == stages[name]["calls"]
        assert sum(window["tokens_in"] for window in rows) == stages[name]["tokens_in"]


@pytest.mark.parametrize(("stop", "code"), [("refusal", "window.refused"), ("length", "window.failed")])
def test_a_lost_window_loses_one_window_and_its_questions_come_from_the_layout_engine(stop, code):
    def lose(reply: Reply) -> FakeReply:
        return FakeReply("I cannot help with that.", stop=stop)

    done, _ = read(window_with("d1", lose))
    assert list(questions(done)) == [question.id for question in every_question(prepared().made.exam)]
    assert done.record.origins["D.q1"]["prompt"].witness == "layout"
    assert done.record.origins["q1"]["prompt"].witness == "both"
    message = said(done, code)[0]
    assert "(paper.pdf, pages 4 to 5" in message or "(paper.pdf, page 5" in message
    assert done.merged.exam.total_points == 100


def test_where_every_window_is_refused_the_layout_engines_exam_is_what_remains():
    done, _ = read(lambda name, reply, ask: FakeReply("No.", stop="refusal"))
    theirs = prepared().made
    assert list(questions(done)) == [question.id for question in every_question(theirs.exam)]
    assert done.merged.exam.title == theirs.exam.title
    assert len(said(done, "window.refused")) == 5
    assert {q: g.rule.kind for q, g in done.merged.grading.questions.items()} == {
        q: g.rule.kind for q, g in theirs.grading.questions.items()
    }


def test_a_box_off_the_page_is_said_and_the_words_decide_the_place():
    def away(reply: Reply) -> None:
        entry(reply, "a3")["places"] = [{"page": 99, "x0": 0, "y0": 0, "x1": 10, "y1": 10}]
        reply["figures"][0]["place"] = {"page": 3, "x0": 2000, "y0": 0, "x1": 3000, "y1": 10}

    done, _ = read(window_with("a3", away))
    question = questions(done)["q3"]
    assert [(region.source, region.page) for region in question.provenance] == [(0, 1)]
    assert "“3.”" in said(done, "place.off_page")[0]
    assert len(said(done, "figure.no_ink")) == 1  # the second look brought nothing either
    assert any(block.type == "image" for block in questions(done)["B.q1"].prompt)


def test_a_figure_is_looked_for_a_second_time():
    def wrong(name: str, reply: Reply, ask: Ask) -> Reply | None:
        if name == "questions" and reply["figures"]:
            reply["figures"][0]["place"].update(x0=0, y0=0, x1=3, y1=3)
        if name == "figures":
            place = {"page": 1, "x0": 130, "y0": 214, "x1": 440, "y1": 370}
            return {"figures": [{"id": "W2F1", "place": place, "description": "A graph.", "caption": None}]}
        return None

    done, _ = read(wrong)
    assert codes(done.findings) == set()
    (region,) = done.merged.assets.wanted["assets/B.q1.fig1.png"]
    assert (region.page, round(region.x0)) == (2, 80)
    assert region.y1 == pytest.approx(310, abs=2)


def test_a_second_opinion_estimates_what_was_missed():
    def miss(reply: Reply, ask: Ask) -> None:
        reply["questions"] = [one for one in reply["questions"] if one["ref"] not in ("a3", "a4")]

    done, _ = read(None, only("questions", miss))
    opinion = done.record.second_opinion
    assert opinion is not None
    assert (opinion["questions"]["first"], opinion["questions"]["second"]) == (32, 30)
    assert opinion["questions"]["missed_by_first"] == 0
    assert opinion["fields"]["prompt"]["differing"] == 0
    assert opinion["lines"][0].startswith("questions: 32 in the first reading, 30 in the second, 30 in both")
