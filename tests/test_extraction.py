"""Free-text replies read without luck; docs/extraction.md says what this file checks."""

from __future__ import annotations

import importlib.util
import json
import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exam2bench.grade.extraction import extract_choice, extract_choices, extract_number, extract_yes_no

OPTIONS = {"A": "teddy bear", "B": "rabbit", "C": "cat", "D": "dog"}
PAGE = (Path(__file__).parents[1] / "docs" / "extraction.md").read_text(encoding="utf-8")
VECTORS = Path(__file__).parents[1].parent / "shared" / "vectors"
needs_vectors = pytest.mark.skipif(not VECTORS.is_dir(), reason="the reference vectors are not on this machine")


@pytest.mark.parametrize(
    ("reply", "option"),
    [
        ("B", "B"),
        ("b", "B"),
        ("(B)", "B"),
        ("Ｂ。", "B"),
        ("**B**", "B"),
        ("B. rabbit", "B"),
        ("Rabbit", "B"),
        ("The answer is (B).", "B"),
        ("First I thought the answer is A. Wait, the answer is B.", "B"),
        (r"So it is \boxed{\text{C}}", "C"),
        ("<answer>D</answer>", "D"),
        ("正解は「C」です", "C"),
        ("정답은 D", "D"),
        ("La respuesta correcta es B", "B"),
        ("Die richtige Antwort lautet C", "C"),
        ("Ответ: D", "D"),
        ("Based on the ears, it must be (B)", "B"),
        ("Considering all, I choose option C because it purrs.", "C"),
        ("Definitely the dog", "D"),
        ("The correct answer is b because of the ears", "B"),
        ("I think it is a dog", "D"),
        ("Final answer: **D. dog**", "D"),
        ("A. Incorrect.\nB. Incorrect.\nC. Correct.\nThe answer is C", "C"),
    ],
)
def test_a_reply_that_says_its_option(reply: str, option: str) -> None:
    found = extract_choice(reply, OPTIONS)
    assert (found.status, found.value) == ("answered", option), found.how


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        ("", "unparseable"),
        ("A or B", "unparseable"),
        ("The answer is A or B", "unparseable"),
        ("ANSWER: A, C", "unparseable"),
        ("B. cat", "unparseable"),
        ("A\nB", "unparseable"),
        ("cat or dog", "unparseable"),
        ("E", "unparseable"),
        ("I am not sure.", "unparseable"),
        ("A good question", "unparseable"),
        ("<think>It could be B", "unparseable"),
        ("I cannot answer this question.", "refused"),
        ("I'm sorry, I can't help with that.", "refused"),
        ("無法判斷", "refused"),
    ],
)
def test_a_reply_that_does_not_is_never_a_guess(reply: str, status: str) -> None:
    found = extract_choice(reply, OPTIONS)
    assert (found.status, found.value) == (status, None)


def test_labels_are_the_question_s_own() -> None:
    numbered = {"①": "one", "②": "two", "③": "three"}
    assert extract_choice("答案是②", numbered).value == "②"
    assert extract_choice("2", numbered).value == "②"
    assert extract_choice("D", {"A": "x", "B": "y"}).status == "unparseable"
    assert extract_choice("dark red", {"A": "red", "B": "dark red"}).value == "B"


@pytest.mark.parametrize(
    ("reply", "options"),
    [
        ("A, C", ("A", "C")),
        ("ANSWER: CA", ("A", "C")),
        ("The answers are many.\nANSWER: A, B, and C", ("A", "B", "C")),
        ("答案：A、D", ("A", "D")),
        (r"\boxed{B, D}", ("B", "D")),
        ("The correct options are A and B? No. Answer: B and D", ("B", "D")),
        ("A, E", None),
        ("A good question", None),
    ],
)
def test_several_options(reply: str, options: tuple[str, ...] | None) -> None:
    assert extract_choices(reply, OPTIONS).value == options


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("42", "42"),
        ("The answer is 42.", "42"),
        (r"Thus \boxed{\frac{3}{4}}", "3/4"),
        ("There are 3 rows of 4, so the answer is 12 apples", "12"),
        ("答案是42。", "42"),
        ("about 1,234", "1234"),
        ("3 rows and 4 columns", None),
        ("2²", None),
        ("none", None),
    ],
)
def test_numbers(reply: str, value: str | None) -> None:
    assert extract_number(reply).value == (None if value is None else Fraction(value))


def rows(after: str) -> Iterator[list[str]]:
    section = PAGE.split(after, 1)[1].split("\n\n", 2)[1]
    for line in section.splitlines()[2:]:
        reply, reference, here, _ = [cell.strip() for cell in line.strip("|").split("|")]
        yield [reply[1:-1], reference, here]


def test_the_tables_of_the_page() -> None:
    choices = list(rows("current version)."))
    assert len(choices) == 18
    for reply, _, here in choices:
        assert (extract_choice(reply, OPTIONS).value or "–") == here, reply
    words = {True: "yes", False: "no", None: "–"}
    truths = list(rows("`YOrN_Extraction`:"))
    assert len(truths) == 5
    for reply, _, here in truths:
        assert words[extract_yes_no(reply).value] == here, reply


def test_the_example_of_the_page() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(compile(code, "docs/extraction.md", "exec"), {})


def vectors(area: str, *scorers: str) -> Iterator[dict[str, Any]]:
    with (VECTORS / f"{area}.jsonl").open(encoding="utf-8") as stream:
        yield from (case for case in map(json.loads, stream) if case["scorer"] in scorers)


def compare(theirs: Any, ours: Any) -> str:
    if ours == theirs:
        return "same"
    return "ours only" if not theirs and theirs is not False else "theirs only" if ours is None else "differ"


@needs_vectors
def test_choices_beside_the_reference() -> None:
    counts: Counter[str] = Counter()
    for case in vectors("mcq", "vlmevalkit.can_infer"):
        options = {key: str(text) for key, text in case["input"]["choices"].items()}
        reply = case["input"]["answer"]
        theirs = None if case["expected"] in (False, "Z") else case["expected"]
        verdict = compare(theirs, extract_choice(reply, options).value)
        counts[verdict] += 1
        assert verdict != "differ" or reply in {"The answer is a rabbit", "A cat is shown"}, reply
    assert counts["same"] / counts.total() > 0.7 and counts["theirs only"] / counts.total() < 0.08


@needs_vectors
def test_yes_and_no_beside_the_reference() -> None:
    counts: Counter[str] = Counter()
    for case in vectors("yorn", "vlmevalkit.YOrN_Extraction"):
        theirs = {"Yes": True, "No": False}.get(case["expected"])
        counts[compare(theirs, extract_yes_no(case["input"]["output"]).value)] += 1
    assert counts["differ"] == 0 and counts["theirs only"] <= 4


@settings(max_examples=200)
@given(st.text(max_size=80), st.sampled_from([OPTIONS, {"1": "x", "2": "y"}, {"I": "", "A": "a"}]))
def test_any_reply_is_read_the_same_twice_and_names_only_options(reply: str, options: dict[str, str]) -> None:
    found = extract_choice(reply, options)
    assert found == extract_choice(reply, dict(reversed(options.items())))
    assert (found.value in options) == (found.status == "answered")
    several = extract_choices(reply, options)
    assert several.value is None or set(several.value) <= set(options)
    assert extract_yes_no(reply).value in {True, False, None}
    assert extract_number(reply) == extract_number(reply)


@needs_vectors
def test_the_figures_of_the_page() -> None:
    path = Path(__file__).parents[1] / "benchmarks" / "extraction.py"
    spec = importlib.util.spec_from_file_location("extraction_benchmark", path)
    assert spec is not None and spec.loader is not None
    benchmark = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(benchmark)
    counts, _ = benchmark.measure(VECTORS)
    printed = re.findall(r"^\| `([^`|]+)` \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", PAGE, re.MULTILINE)
    found = [
        (name, *map(str, (count.total(), count["same"], count["here"], count["there"], count["differ"])))
        for name, count in counts.items()
    ]
    assert printed == found and len(found) == 15
