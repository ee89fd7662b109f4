"""The schema dialect: what every provider takes, and that nothing else is sent."""

from typing import Literal

import pytest
from pydantic import BaseModel, Field

from exam2bench.models import check, dialect
from exam2bench.schemas.errors import UsageError
from exam2bench.schemas.exam import Blank, Matching, MatchItem, Option, Question
from exam2bench.solve.questions import answer_shape

OPTIONS = [Option(id="A"), Option(id="B")]
LEAVES = [
    Question(id="q1", type="single_choice", points=1, options=OPTIONS),
    Question(id="q2", type="multiple_choice", points=1, options=OPTIONS),
    Question(id="q3", type="true_false", points=1),
    Question(id="q4", type="fill_in_blank", points=1, blanks=[Blank(id="b1"), Blank(id="b2")]),
    Question(
        id="q5",
        type="matching",
        points=1,
        matching=Matching(left=[MatchItem(id="1")], right=[MatchItem(id="a"), MatchItem(id="b")]),
    ),
    Question(id="q6", type="essay", points=1),
]


class Box(BaseModel):
    x0: float
    x1: float


class Verdict(BaseModel):
    reason: str
    level: Literal["0", "1", "2"]
    box: Box | None = None
    marks: list[int] = Field(default=[], max_length=3)
    share: float = Field(ge=0, le=1)


def test_a_model_becomes_a_schema_that_all_take() -> None:
    schema = dialect.schema_of(Verdict)
    assert dialect.check(schema) == []
    assert list(schema["properties"]) == ["reason", "level", "box", "marks", "share"]
    assert schema["required"] == list(schema["properties"])
    box = {
        "properties": {"x0": {"type": "number"}, "x1": {"type": "number"}},
        "required": ["x0", "x1"],
        "type": "object",
        "additionalProperties": False,
    }
    assert schema["properties"]["box"] == {"anyOf": [box, {"type": "null"}]}


def test_bounds_are_checked_here_and_sent_as_words() -> None:
    schema = dialect.schema_of(Verdict)
    sent = dialect.wire(schema)
    assert sent["properties"]["share"] == {"type": "number", "description": "at least 0, at most 1"}
    assert sent["properties"]["marks"]["description"] == "at most 3 items"
    value = {"reason": "", "level": "1", "box": None, "marks": [1, 2, 3, 4], "share": 1.5}
    assert dialect.validate(value, schema) == [
        "/marks: [1, 2, 3, 4] is too long",
        "/share: 1.5 is greater than the maximum of 1",
    ]
    assert dialect.validate({**value, "marks": [], "share": 1}, schema) == []


def obj(**properties: object) -> dict[str, object]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        ({"type": "array", "items": {"type": "string"}}, "the root is not an object"),
        (obj(a={"oneOf": [{"type": "string"}]}), "#/properties/a: 'oneOf' is not in the dialect"),
        (obj(a={"type": "object"}), "#/properties/a: an object needs named properties"),
        (obj(a={"type": "object", "additionalProperties": {"type": "string"}}), "an object needs named properties"),
        (obj(a={"type": "array", "items": [{"type": "string"}]}), "an array needs one schema for its items"),
        ({**obj(a={"type": "string"}), "required": []}, "every property must be required"),
        ({**obj(a={"type": "string"}), "additionalProperties": True}, "additionalProperties must be false"),
        (obj(a={"enum": [str(n) for n in range(1001)]}), "1001 enum values in all"),
        (obj(**{f"f{n}": {"type": ["string", "null"]} for n in range(21)}), "21 fields may be null"),
        (obj(a={"enum": [[1]]}), "an enum holds plain values only"),
    ],
)
def test_what_breaks_the_dialect_is_named(schema: dict[str, object], problem: str) -> None:
    assert any(problem in found for found in dialect.check(schema)), dialect.check(schema)


def test_nesting_beyond_ten_is_refused() -> None:
    schema: dict[str, object] = {"type": "string"}
    for _ in range(10):
        schema = obj(a=schema)
    assert any("nested 11 deep" in problem for problem in dialect.check(schema))


class Tree(BaseModel):
    children: list["Tree"]


class Free(BaseModel):
    table: dict[str, int]


@pytest.mark.parametrize(("model", "words"), [(Tree, "contains itself"), (Free, "an object needs named properties")])
def test_models_outside_the_dialect_are_refused(model: type[BaseModel], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        dialect.schema_of(model)


def test_the_schemas_that_the_project_sends_obey() -> None:
    assert dialect.check(check.SCHEMA) == []
    for leaf in LEAVES:
        assert dialect.check(answer_shape(leaf)) == [], leaf.type


def test_local_decoders_are_held_to_lengths_and_to_no_other_bound():
    text = {"type": "string", "maxLength": 9, "minLength": 2, "description": "short"}
    level = {"type": "integer", "minimum": 0, "enum": [0, 1]}
    schema = {"type": "object", "properties": {"minimum": text, "level": level}, "required": ["minimum", "level"]}
    assert dialect.held(schema) == schema | {
        "properties": {
            "minimum": {"type": "string", "maxLength": 9, "description": "short"},
            "level": {"type": "integer", "enum": [0, 1]},
        }
    }
