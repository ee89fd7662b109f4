"""Uncommon forms from the pages to the bundle: gaps in a passage, cells, tables, no number, points taken away."""

from __future__ import annotations

import copy

import pytest

from exam2bench.corpora.ingest_command import prove_rule
from exam2bench.ingest.engine import IngestOptions
from exam2bench.ingest.frontier.prepared import Prepared, prepare
from exam2bench.ingest.frontier.run import Finished, read_and_prove
from exam2bench.models.fake_server import Ask, FakeServer
from exam2bench.schemas.answers import FillInBlankAnswer
from exam2bench.schemas.exam import Question
from exam2bench.schemas.exam_checks import check_exam, every_question
from exam2bench.schemas.grading import ChoiceRule, FillInBlankRule, JudgeRule
from exam2bench.schemas.grading_checks import check_grading

from . import frontier_forms as forms
from .frontier_sample import Reply, asking, entry, pass_of


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    return prepare(forms.sources(tmp_path_factory.mktemp("forms")), IngestOptions(rule_prover=prove_rule))


def read(known: Prepared, change=None) -> Finished:
    """The exam as read by a model whose replies `change(pass, reply)` may spoil."""

    def answer(ask: Ask) -> Reply:
        reply = forms.right_reply(ask)
        if change:
            change(pass_of(ask), reply)
        return reply

    with FakeServer(answer) as server:
        one = asking(server)
        with one.gateway:
            return read_and_prove(known, one)


@pytest.fixture(scope="module")
def done(known: Prepared) -> Finished:
    return read(known)


def questions(done: Finished) -> dict[str, Question]:
    return {question.id: question for question in every_question(done.merged.exam)}


def accepted(done: Finished, name: str) -> list[list[str]]:
    rule = done.merged.grading.questions[name].rule
    assert isinstance(rule, FillInBlankRule)
    return [key.accepted for key in rule.blanks.values()]


def test_every_form_comes_through_and_is_proved(done: Finished) -> None:
    shape = [(q.id, q.number, q.type, q.points) for q in every_question(done.merged.exam)]
    assert shape == [
        ("q1", "1.", "single_choice", 2),
        ("q2", "2.", "single_choice", 2),
        ("q3", "3.", "single_choice", 2),
        ("g4-5", None, "composite", 2),
        ("q4", "4.", "single_choice", 1),
        ("q5", "5.", "single_choice", 1),
        ("g6-7", None, "composite", 2),
        ("q6", "6", "fill_in_blank", 1),
        ("q7", "7", "fill_in_blank", 1),
        ("q8", "8.", "fill_in_blank", 3),
        ("q9", "9.", "fill_in_blank", 4),
        ("qx1", None, "essay", 10),
        ("qx2", None, "short_answer", 5),
    ]
    assert {q.checks.status for q in every_question(done.merged.exam) if q.checks} == {"verified"}
    assert [f.code for f in done.findings if f.severity != "info"] == ["points.missing"]
    problems = [*check_exam(done.merged.exam), *check_grading(done.merged.grading, done.merged.exam)]
    assert [f.code for f in problems if f.severity != "info"] == []


def test_points_are_taken_away_by_the_exams_rule_and_by_a_questions_own(done: Finished) -> None:
    graded = done.merged.grading.questions
    rules = [graded[f"q{n}"].rule for n in (1, 2, 3)]
    told = [(rule.correct, rule.negative_marking) for rule in rules if isinstance(rule, ChoiceRule)]
    assert told == [(["B"], -0.5), (["A"], -0.5), (["B"], -1)]
    assert [graded[f"q{n}"].min_points for n in (1, 2, 3, 4)] == [-0.5, -0.5, -1, 0]


def test_a_penalty_that_a_rule_cannot_say_is_said(known: Prepared) -> None:
    def everywhere(name: str, reply: Reply) -> None:
        if name == "inventory":
            reply["scoring"] = [forms.rule(forms.PENALTY, None, None, None, wrong_penalty=0.5)]

    done = read(known, everywhere)
    (finding,) = [f for f in done.findings if f.code == "rule.penalty"]
    assert "wrong answers to q6, q7, q8, q9, which" in finding.message
    graded = done.merged.grading.questions
    assert [graded[name].min_points for name in ("q4", "q6", "q9")] == [-0.5, 0, 0]


def test_gaps_of_a_passage_stand_below_it_and_have_their_answers(done: Finished) -> None:
    found = questions(done)
    assert [child.id for child in found["g6-7"].children] == ["q6", "q7"]
    assert [blank.label for name in ("q6", "q7") for blank in found[name].blanks or []] == ["6", "7"]
    assert [accepted(done, name) for name in ("q6", "q7")] == [[["sacks"]], [["wheel"]]]
    assert found["q4"].prompt == []
    assert [option.id for option in found["q4"].options or []] == ["A", "B", "C"]


def test_one_number_over_three_cells_is_one_answer(done: Finished) -> None:
    (blank,) = questions(done)["q8"].blanks or []
    assert (blank.cells, accepted(done, "q8")) == (3, [["400"]])


def test_cells_of_a_table_are_gaps_with_their_own_answers(done: Finished) -> None:
    question = questions(done)["q9"]
    assert [blank.label for blank in question.blanks or []] == ["(a)", "(b)"]
    assert accepted(done, "q9") == [["75"], ["125"]]
    table = question.prompt[1]
    assert table.type == "table"
    assert (table.header, table.rows) == (["Sacks", "3", "5"], [["Weight / kg", "(a) ________", "(b) ________"]])


def test_questions_without_a_number_stay_two_and_are_left_to_a_judge(done: Finished) -> None:
    found = questions(done)
    assert [len(found[name].provenance) for name in ("qx1", "qx2")] == [1, 1]
    for name, points in (("qx1", 10), ("qx2", 5)):
        graded = done.merged.grading.questions[name]
        assert isinstance(graded.rule, JudgeRule)
        assert (graded.max_points, graded.anchored) == (points, False)
    # the layout engine took the two for one; the page was shown again, and the model's own words decided
    origins = done.record.origins["qx1"]
    assert (origins["prompt"].round, origins["points"].round) == (1, 1)


def test_a_key_that_its_question_cannot_hold_is_never_written(known: Prepared) -> None:
    """The model reads one gap where the page has two, and gives both answers: neither reading's key fits."""

    def one_gap(name: str, reply: Reply) -> None:
        if name == "questions":
            question = entry(reply, "9")
            question["blanks"] = [{"label": None, "cells": None}] * 3

    done = read(known, one_gap)
    problems = check_grading(done.merged.grading, done.merged.exam)
    assert [f.code for f in problems if f.severity == "error"] == []


def test_right_and_empty_answers_score_by_the_rules_that_were_made(known: Prepared, done: Finished) -> None:
    for name, blanks in (("q8", {"b1": "400"}), ("q9", {"b1": "75", "b2": "125"}), ("q6", {"b1": "sacks"})):
        answer = FillInBlankAnswer(blanks=blanks)
        question = questions(done)[name]
        graded = copy.deepcopy(done.merged.grading.questions[name])
        assert prove_rule(question, graded, answer) == question.points
        assert prove_rule(question, graded, None) == 0
