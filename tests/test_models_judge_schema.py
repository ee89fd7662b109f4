"""The judge's requests for JSON: for every kind of rule that it grades the schema is one that all providers take."""

import json
from typing import Any, get_args

import pytest

from exam2bench.grade.judge.prompt import judge_prompt
from exam2bench.grade.judge.task import judge_task
from exam2bench.models import dialect
from exam2bench.models.fake_server import FakeServer
from exam2bench.models.gateway import Gateway
from exam2bench.models.paper_parts import Asked
from exam2bench.models.request import Request
from exam2bench.schemas.exam import Question, Section
from exam2bench.schemas.grading import (
    ChoiceRule,
    Deduction,
    EnumerationItem,
    EnumerationRule,
    ExpressionRule,
    FillInBlankRule,
    JudgeRule,
    MatchingRule,
    NumericRule,
    Part,
    PartKind,
    PartsRule,
    PerOptionRule,
    QuestionGrading,
    RubricCriterion,
    RubricLevel,
    Rule,
    TrueFalseRule,
)

FIXED = [
    ChoiceRule(correct=["A"]),
    PerOptionRule(correct=["A"], ratio_by_errors=[1.0]),
    TrueFalseRule(correct=True),
    FillInBlankRule(blanks={}),
    MatchingRule(correct_pairs={"1": "a"}),
    NumericRule(value="2"),
    ExpressionRule(expression="x"),
    EnumerationRule(items=[EnumerationItem(accepted=["a"])]),
]


def criterion(name: str, *points: float) -> RubricCriterion:
    levels = [RubricLevel(points=worth, descriptor=f"worth {worth}") for worth in points]
    return RubricCriterion(id=name, description="Names the cause", levels=levels)


def criteria(count: int) -> list[RubricCriterion]:
    return [criterion(f"crit {n}", 2, 1, 0) for n in range(count)]


def part(kind: PartKind, own: list[RubricCriterion] | None = None) -> Part:
    return Part(id=f"p-{kind}", kind=kind, reference="7", points=1, criteria=own)


JUDGED: dict[str, JudgeRule | PartsRule] = {
    "nothing to go by": JudgeRule(),
    "reference only": JudgeRule(reference_answer="It is less dense."),
    "rubric": JudgeRule(rubric=[criterion("R/1 (α)", 2, 1, 0), criterion("R/1 (β)", 1, 0)]),
    "one printed level": JudgeRule(rubric=[criterion("only", 3)]),
    "two levels worth the same": JudgeRule(rubric=[criterion("twin", 1, 1, 0)]),
    "half points below zero": JudgeRule(rubric=[criterion("minus", 0.5, 0, -0.25)]),
    "a criterion without levels": JudgeRule(rubric=[RubricCriterion(id="bare", description="Style", levels=[])]),
    "deductions": JudgeRule(
        rubric=[criterion("a", 1, 0)],
        deductions=[
            Deduction(id="unit", description="unit missing", points=-0.5),
            Deduction(id="slip", description="slip", points=-1, max_times=3),
        ],
    ),
    # more fields than may be null in all: evidence is then a string, empty where there is nothing to quote
    "thirty criteria": JudgeRule(rubric=criteria(30)),
    "criteria and deductions past the limit together": JudgeRule(
        rubric=criteria(15), deductions=[Deduction(id=f"d{n}", description="slip", points=-1) for n in range(15)]
    ),
    "parts of every kind": PartsRule(parts=[part(kind) for kind in get_args(PartKind)]),
    "parts with criteria": PartsRule(parts=[part("essay", criteria(3)), part("numerical")]),
    "forty parts": PartsRule(parts=[part("numerical") for _ in range(40)]),
}


def no_asset(name: str) -> bytes:
    raise AssertionError(f"no asset is asked for: {name}")


def judge_request(rule: JudgeRule | PartsRule, max_points: float) -> Request:
    task = judge_task(QuestionGrading(question_id="q1", max_points=max_points, rule=rule))
    assert task is not None
    asked = Asked(Question(id="q1", type="essay", points=max_points), (), Section(id="s1", questions=[]))
    prompt = judge_prompt(task, asked, no_asset)
    return prompt.request("Because it is.", "0f3a", effort=None, repeat=0)


def levels_of(schema: dict[str, Any]) -> list[list[str]]:
    fields = schema["properties"].values()
    return [field["properties"]["level"]["enum"] for field in fields if "level" in field["properties"]]


def test_every_kind_of_rule_is_looked_at_here() -> None:
    kinds = {member.model_fields["kind"].default for member in get_args(get_args(Rule)[0])}
    fixed = {rule.kind for rule in FIXED}
    assert kinds == fixed | {rule.kind for rule in JUDGED.values()}
    for rule in FIXED:
        assert judge_task(QuestionGrading(question_id="q1", max_points=1, rule=rule)) is None, rule.kind


@pytest.mark.parametrize("max_points", [0, 0.5, 1, 6, 7.5, 100])
@pytest.mark.parametrize("name", JUDGED)
def test_the_judges_schema_obeys_the_dialect(name: str, max_points: float) -> None:
    schema = judge_request(JUDGED[name], max_points).schema
    assert schema is not None
    assert dialect.check(schema) == []
    # models commit in the order of the fields: what it rests on, why, and only then the level
    for field in dialect.wire(schema)["properties"].values():
        assert list(field["properties"]) in (["evidence", "reason", "level"], ["evidence", "reason", "times"])
    for levels in levels_of(dict(schema)):
        assert len(levels) >= 2 and len(set(levels)) == len(levels)


def test_the_schema_names_the_rubrics_levels() -> None:
    schema = judge_request(JUDGED["deductions"], 1).schema
    assert schema is not None
    assert list(schema["properties"]) == ["c1", "d1", "d2"]
    assert levels_of(dict(schema)) == [["1", "0"]]
    assert schema["properties"]["d2"]["properties"]["times"] == {"type": "integer", "enum": [0, 1, 2, 3]}
    twins = judge_request(JUDGED["two levels worth the same"], 1).schema
    assert twins is not None and levels_of(dict(twins)) == [["1 (a)", "1 (b)", "0 (c)"]]


def test_a_rubric_too_large_for_any_grammar_is_asked_in_words_and_held_to_its_schema() -> None:
    request = judge_request(JudgeRule(rubric=criteria(400)), 100)
    assert request.schema is not None
    assert dialect.check(request.schema) == ["1200 enum values in all, where 1000 is the most"]
    verdict = {key: {"evidence": "it is", "reason": "", "level": "2"} for key in request.schema["properties"]}
    with FakeServer(lambda ask: json.dumps(verdict)) as server, Gateway(f"chat:any@{server.url}/v1") as gateway:
        outcome = gateway.run([request])[0]
    assert (outcome.status, outcome.value) == ("ok", verdict)
    assert [ask.schema for ask in server.asks] == [None]
