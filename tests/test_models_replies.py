r"""Reading replies: what models really write around, instead of and inside the JSON they were asked for."""

import json

import pytest

from exam2bench.models.replies import MAX_CHARS, read, visible

SCHEMA = {
    "type": "object",
    "properties": {"answer": {"type": "string"}},
    "required": ["answer"],
    "additionalProperties": False,
}


def answer(text: str) -> str:
    reading = read(text, SCHEMA)
    assert reading.ok, reading.errors
    return reading.value["answer"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"answer": "B"}', "B"),
        ('```json\n{"answer": "B"}\n```', "B"),
        ('Sure! The set {1, 2} gives:\n{"answer": "a { brace and \\" quote"} Hope it helps.', 'a { brace and " quote'),
        ('<think>maybe {"answer": "A"}?</think>\n{"answer": "B"}', "B"),
        ('first I thought of A</think>{"answer": "B"}', "B"),
        ('\ufeff{"answer": "B"}', "B"),
        ('{"draft": 1}\n{"answer": "B"}', "B"),
        ('{"answer": "line\nbreak"}', "line\nbreak"),
    ],
)
def test_the_object_is_found_where_it_stands(text: str, expected: str) -> None:
    assert answer(text) == expected


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "the reply is empty"),
        ("<think>only thoughts", "the reply is empty"),
        ("I would say B.", "no JSON object in the reply"),
        ('{"answer": "B"', "no JSON object in the reply"),
        ('{"answer": NaN}', "not JSON: NaN is no JSON number"),
        ('{"answer": "A", "answer": "B"}', "not JSON: a key stands twice in one object"),
        ('{"a":' * 100_000, "no JSON object in the reply"),
        ("[" * 100_000, "no JSON object in the reply"),
    ],
)
def test_what_is_no_answer_says_why(text: str, error: str) -> None:
    reading = read(text, SCHEMA)
    assert (reading.ok, reading.found, reading.errors) == (False, False, (error,))


def test_a_wrong_object_is_found_but_not_ok() -> None:
    reading = read('{"answer": 3}', SCHEMA)
    assert reading.found and not reading.ok
    assert reading.errors == ("/answer: 3 is not of type 'string'",)


def test_an_endless_reply_is_not_read() -> None:
    assert read("x" * (MAX_CHARS + 1), SCHEMA).errors[0].startswith("the reply has 8,000,001 characters")


def test_visible_keeps_text_that_only_mentions_the_tag() -> None:
    assert visible('{"answer": "</think> is a tag"}') == '{"answer": "</think> is a tag"}'


@pytest.mark.parametrize(
    ("written", "expected", "codes"),
    [
        (r"$\frac{1}{2}$", r"$\frac{1}{2}$", ["latex.repaired"]),
        (r"\beta", r"\beta", ["latex.repaired"]),
        (r"2 \times 3", r"2 \times 3", ["latex.repaired"]),
        (r"\text{cm}", r"\text{cm}", ["latex.repaired"]),
        (r"$x \to y$", r"$x \to y$", ["latex.repaired"]),
        (r"$\rho \neq 1$", r"$\rho \neq 1$", ["latex.repaired", "latex.repaired"]),
        (r"\nabla f", r"\nabla f", ["latex.repaired"]),
        (r"\bfit", r"\bfit", None),
        (r"one\ntwo", "one\ntwo", []),
        (r"a\tb", "a\tb", []),
        (r"from\tour side", "from\tour side", []),
        (r"x\to y", "x\to y", ["latex.doubtful"]),
        (r"odd\fzz", "odd\fzz", ["latex.doubtful"]),
    ],
)
def test_latex_that_became_control_characters(written: str, expected: str, codes: list[str] | None) -> None:
    reading = read(f'{{"answer": "{written}"}}', SCHEMA)
    if codes is None:  # no command begins so: reported, not touched
        assert [note.code for note in reading.notes] == ["latex.doubtful"]
        return
    assert reading.value["answer"] == expected
    assert [note.code for note in reading.notes] == codes


def test_well_escaped_latex_is_left_alone() -> None:
    text = json.dumps({"answer": r"$\frac{\beta}{\rho} \times \nu$"})
    reading = read(text, SCHEMA)
    assert (reading.value["answer"], reading.notes) == (r"$\frac{\beta}{\rho} \times \nu$", ())


def test_unknown_escapes_are_doubled_and_said() -> None:
    reading = read(r'{"answer": "$\alpha + \underline{x}$"}', SCHEMA)
    assert reading.value["answer"] == r"$\alpha + \underline{x}$"
    assert [note.code for note in reading.notes] == ["json.repaired"]


def test_a_control_character_in_a_string_is_reported() -> None:
    reading = read('{"answer": "red \\u001b[31m"}', SCHEMA)
    assert [(note.code, note.path, note.detail) for note in reading.notes] == [
        ("text.control", "/answer", "control character U+001B")
    ]
