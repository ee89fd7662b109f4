"""Every scorer of the reference vectors against this project's function for the official view.

The vectors lie in the folder that EXAM2BENCH_VECTORS names (default: ../shared/vectors beside the checkout);
without it these tests are skipped. Adapters from a vector's input to this project's functions are the modules
of tests/reference/, one per area (`mcq.py` serves `mcq.jsonl`), each with

    ADAPTERS: dict[scorer, Callable[[input], value]]   called with the decoded `input`
    UNSUPPORTED: dict[scorer, reason]                   a scorer this project does not have, and why
    DEVIATIONS: list[Deviation]                         cases where this project differs on purpose
    TOLERANCE: dict[scorer, float]                      absolute and relative; 1e-9 where not named
    asked(case) -> value                                the part of `expected` that this project's value must equal
    excused(case) -> reason or None                     a kind of case that the vectors' README calls documentation

A scorer that stands in neither ADAPTERS nor UNSUPPORTED fails. An `__error__` case documents the reference
and asks for nothing, as the vectors' README says: this project may raise or define a value there.
"""

from __future__ import annotations

import importlib.util
import json
import math
import os
from collections import defaultdict
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

FOLDER = Path(os.environ.get("EXAM2BENCH_VECTORS") or Path(__file__).parents[1].parent / "shared" / "vectors")
AREAS = sorted(path.stem for path in FOLDER.glob("*.jsonl")) if FOLDER.is_dir() else []
SHOWN = 8


def decode(value: Any) -> Any:
    """JSON as the vectors write it: non-finite floats and sets are marked objects."""
    if isinstance(value, dict):
        if set(value) == {"__float__"}:
            return float(value["__float__"])
        if set(value) == {"__set__"}:
            return frozenset(freeze(decode(item)) for item in value["__set__"])
        return {key: decode(item) for key, item in value.items()}
    if isinstance(value, list):
        return [decode(item) for item in value]
    return value


def freeze(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return tuple(freeze(item) for item in value)
    if isinstance(value, float) and math.isnan(value):
        return "nan"
    if isinstance(value, dict):
        return tuple(sorted((key, freeze(item)) for key, item in value.items()))
    return value


def same(ours: Any, theirs: Any, tolerance: float) -> bool:
    """Equal as Python values; floats within the tolerance, nan equal to nan, tuples as lists, sets as sets."""
    if isinstance(theirs, frozenset):
        return isinstance(ours, set | frozenset | list | tuple) and {freeze(x) for x in ours} == theirs
    if isinstance(theirs, dict):
        return (
            isinstance(ours, dict)
            and {str(k) for k in ours} == {str(k) for k in theirs}
            and all(same({str(k): v for k, v in ours.items()}[k], v, tolerance) for k, v in theirs.items())
        )
    if isinstance(theirs, list):
        return (
            isinstance(ours, list | tuple)
            and len(ours) == len(theirs)
            and all(same(a, b, tolerance) for a, b in zip(ours, theirs, strict=True))
        )
    if isinstance(theirs, float | int) and isinstance(ours, float | int):
        if math.isnan(theirs) or math.isnan(ours):
            return math.isnan(theirs) and math.isnan(ours)
        return ours == theirs or math.isclose(ours, theirs, rel_tol=tolerance, abs_tol=tolerance)
    return ours == theirs and type(ours) is type(theirs)


def adapters(area: str) -> ModuleType:
    path = Path(__file__).parent / "reference" / f"{area}.py"
    if not path.exists():
        pytest.fail(f"no adapters for the area {area}: tests/reference/{area}.py is missing")
    spec = importlib.util.spec_from_file_location(f"reference_{area}", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def deviates(module: ModuleType, case: dict[str, Any], ours: Any) -> bool:
    """Whether the table of deliberate deviations holds this very case with this project's value."""
    return any(
        row["scorer"] == case["scorer"] and row["input"] == case["input"] and same(ours, decode(row["ours"]), 1e-9)
        for row in getattr(module, "DEVIATIONS", [])
    )


@pytest.mark.skipif(not AREAS, reason="the reference vectors are not on this machine")
@pytest.mark.parametrize("area", AREAS)
def test_area(area: str):
    check_area(FOLDER, area)


def check_area(folder: Path, area: str) -> None:
    module = adapters(area)
    unsupported: dict[str, str] = getattr(module, "UNSUPPORTED", {})
    failures: dict[str, list[str]] = defaultdict(list)
    for line in (folder / f"{area}.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        scorer, expected = case["scorer"], case["expected"]
        if scorer in unsupported:
            assert unsupported[scorer], f"{scorer} is unsupported without a reason"
            continue
        if scorer not in module.ADAPTERS:
            failures[scorer].append("no adapter")
            continue
        if isinstance(expected, dict) and "__error__" in expected:
            continue
        if hasattr(module, "excused") and module.excused(case):
            continue
        if hasattr(module, "asked"):
            expected = module.asked(case)
        try:
            ours = module.ADAPTERS[scorer](decode(case["input"]))
        except Exception as error:  # noqa: BLE001 - a scorer that raises is one wrong case among the others
            ours = f"{type(error).__name__}: {error}"
        tolerance = getattr(module, "TOLERANCE", {}).get(scorer, 1e-9)
        if not same(ours, decode(expected), tolerance) and not deviates(module, case, ours):
            shown = json.dumps(case["input"], ensure_ascii=False)[:300]
            failures[scorer].append(f"{shown}\n      expected {expected!r}\n      got      {ours!r}")
    if failures:
        rows = [
            f"{scorer}: {len(cases)} wrong\n    " + "\n    ".join(cases[:SHOWN])
            for scorer, cases in sorted(failures.items())
        ]
        pytest.fail("\n".join(rows), pytrace=False)


# the check itself, on vectors that are in no folder


def written(folder: Path, area: str, **case: Any) -> Path:
    (folder / f"{area}.jsonl").write_text(json.dumps({"source": "none", **case}) + "\n", encoding="utf-8")
    return folder


def test_a_case_that_was_never_seen_is_checked(tmp_path: Path):
    """The first character of "Because" is b, as a case that no folder holds says."""
    scorer, text = "cambrian.ade.extract_mcq_answer", "Because of the hat"
    check_area(written(tmp_path, "cvbench", scorer=scorer, input={"text": text}, expected="b"), "cvbench")
    with pytest.raises(pytest.fail.Exception, match=r"expected 'a'\n\s+got      'b'"):
        check_area(written(tmp_path, "cvbench", scorer=scorer, input={"text": text}, expected="a"), "cvbench")


def test_an_unknown_scorer_or_area_fails(tmp_path: Path):
    with pytest.raises(pytest.fail.Exception, match=r"harness\.new_rule: 1 wrong\n    no adapter"):
        check_area(written(tmp_path, "mcq", scorer="harness.new_rule", input={}, expected=1), "mcq")
    with pytest.raises(pytest.fail.Exception, match="no adapters for the area astronomy"):
        check_area(written(tmp_path, "astronomy", scorer="any", input={}, expected=1), "astronomy")


def test_a_scorer_that_is_not_supported_says_why():
    for path in sorted((Path(__file__).parent / "reference").glob("*.py")):
        for scorer, reason in getattr(adapters(path.stem), "UNSUPPORTED", {}).items():
            assert len(reason.split()) >= 3, f"{path.stem}: {scorer}"
