"""Where grading by rule differs from any-to-bench on purpose: both values, and no more than the tables say.

All cases run in tests/test_reference_vectors.py through tests/reference/any_to_bench.py.
"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from exam2bench.grade.marks import AnswerTypeMismatch
from exam2bench.schemas import grading as models
from exam2bench.schemas.grading import Normalization

HERE = Path(__file__).parent
VECTORS = HERE.parents[1] / "shared" / "vectors" / "any_to_bench.jsonl"
pytestmark = pytest.mark.skipif(not VECTORS.exists(), reason="the reference vectors are not on this machine")


def reference() -> Any:
    spec = importlib.util.spec_from_file_location("reference_any_to_bench", HERE / "reference" / "any_to_bench.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def cases(scorer: str) -> list[dict[str, Any]]:
    with VECTORS.open(encoding="utf-8") as stream:
        return [case for case in map(json.loads, stream) if case["scorer"] == scorer]


def test_each_deliberate_difference_has_the_value_that_its_table_says() -> None:
    module = reference()
    for (key, answer), (_, ours, reason) in module.BLANKS.items():
        rule = {"kind": "fill_in_blank", "blanks": {"b1": {"accepted": [key]}}}
        marks = module.graded(
            {
                "rule": rule,
                "max_points": 1,
                "min_points": 0,
                "answer": {"type": "fill_in_blank", "blanks": {"b1": answer}},
            }
        )
        assert marks["detail"]["blanks"]["b1"]["matched"] is ours, reason
    for text, (_, ours, reason) in module.NUMBERS.items():
        assert module.parsed({"text": text}) == ours, reason


def test_few_cases_differ() -> None:
    module = reference()
    differing = [case for case in cases("a2b.grade_deterministic") if module.excused(case)]
    assert len(differing) <= 6 and len(differing) / len(cases("a2b.grade_deterministic")) < 0.03


def test_answers_of_a_wrong_type_are_refused_like_the_reference() -> None:
    module = reference()
    faulty = [case for case in cases("a2b.grade_deterministic") if "__error__" in case["expected"]]
    assert faulty
    for case in faulty:
        with pytest.raises((ValueError, AnswerTypeMismatch)):
            module.graded(case["input"])


def test_rules_that_the_reference_takes_are_taken() -> None:
    taken = [case["input"] for case in cases("a2b.schema_validation") if case["expected"] == "ok"]
    assert taken
    names = {"BlankSpec": "BlankKey", "JudgeConfig": "JudgeSettings"}
    for data in taken:
        model = getattr(models, names.get(data["model"], data["model"]))
        assert model.model_validate(data["data"]).model_dump(exclude_unset=True, exclude={"anchored"}) == data["data"]


def test_without_unicode_forms_nothing_differs() -> None:
    module = reference()
    strict = Normalization(unicode_nfkc=False).model_dump()
    for key, answer in module.BLANKS:
        rule = {"kind": "fill_in_blank", "blanks": {"b1": {"accepted": [key]}}, "normalization": strict}
        fields = {"max_points": 1, "min_points": 0, "answer": {"type": "fill_in_blank", "blanks": {"b1": answer}}}
        assert module.graded({"rule": rule, **fields})["awarded"] == 0
