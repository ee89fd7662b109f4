"""Executed benchmarks: outcomes that a harness recorded, pass rates over several trials, SWE-bench's test reports.

Formula of pass@k: Chen et al. 2021, 1 - C(n - c, k) / C(n, k) for c of n trials right, averaged over tasks. The
interval is that of the mean over tasks (Student's t, tasks as clusters): trials of one task are not independent.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from ...schemas.errors import BundleError, UsageError
from ...schemas.printable import printable
from . import swebench
from .aggregations import grouped, needed
from .inspect_rules import pass_at

Record = Mapping[str, Any]
Row = Mapping[str, Any]

_TRUE = frozenset({"true", "pass", "passed", "resolved", "correct", "success", "succeeded", "yes", "1", "1.0"})
_FALSE = frozenset(
    {"false", "fail", "failed", "unresolved", "incorrect", "failure", "error", "timeout", "no", "0", "0.0", "wrong"}
)
# the fields in which harnesses record an outcome: SWE-bench, Terminal-Bench, BFCL, BrowseComp's graders
_OUTCOME_FIELDS = ("resolved", "is_resolved", "passed", "success", "valid", "is_correct", "correct", "reward", "score")


def outcome(reply: Any, record: Record) -> float | None:
    """A recorded outcome as 0 to 1: a truth value, a word for one, a reward, or an object that holds one; else None."""
    if isinstance(reply, Mapping):
        named = [name for name in _OUTCOME_FIELDS if name in reply]
        return outcome(reply[named[0]], record) if named else None
    if isinstance(reply, bool):
        return float(reply)
    if isinstance(reply, int | float):
        return float(reply) if math.isfinite(reply) and 0 <= reply <= 1 else None
    word = str(reply).strip().lower()
    return 1.0 if word in _TRUE else 0.0 if word in _FALSE else None


def outcome_hit(read: Any, record: Record) -> dict[str, float]:
    """A reward below 1 is no pass; it stands in the column `reward`."""
    return {"hit": float(read == 1), "reward": 0.0 if read is None else float(read)}


def pass_rates(rows: Sequence[Row], *, k: Sequence[int] = (1,), by: Sequence[str] = ()) -> dict[str, Any]:
    """pass@k over tasks with its 95 % interval, in all and by the values of fields. Trials of a task share its id.

    Raises UsageError where a task has fewer than k trials.
    """
    table: dict[str, Any] = _rates(rows, k)
    for field in by:
        needed(rows, field)
        table[field] = {name: _rates(members, k) for name, members in grouped(rows, field).items()}
    return table


def _rates(rows: Sequence[Row], ks: Sequence[int]) -> dict[str, float]:
    tasks = grouped(rows, "id")
    trials = [len(members) for members in tasks.values()]
    table: dict[str, float] = {"tasks": len(tasks), "trials": len(rows)}
    if min(trials) < max(trials):
        table |= {"fewest trials of a task": min(trials), "most trials of a task": max(trials)}
    for k in ks:
        short = next((name for name, members in tasks.items() if len(members) < k), None)
        if short is not None:
            raise UsageError(f"pass@{k} needs {k} trials of each task; {printable(short)} has {len(tasks[short])}")
        estimates = [pass_at([float(row["hit"]) for row in members], k) for members in tasks.values()]
        table |= _with_interval(f"pass@{k}", estimates)
    if max(trials) > 1:
        table["all trials passed"] = sum(all(row["hit"] for row in members) for members in tasks.values()) / len(tasks)
    return table


def _with_interval(name: str, estimates: Sequence[float]) -> dict[str, float]:
    from ...grade.statistics import mean_interval

    interval = mean_interval(estimates, [1.0] * len(estimates))
    table = {name: interval.estimate}
    if interval.low is not None and interval.high is not None:
        table |= {f"{name} low": max(0.0, interval.low), f"{name} high": min(1.0, interval.high)}
    return table


# SWE-bench


def _tests(record: Record, kind: str) -> list[str]:
    value = record.get(kind)
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            value = None
    if not isinstance(value, list):
        raise BundleError(f"the record {printable(record.get('id'))} has no list {kind}")
    garbled = [test for test in value if not isinstance(test, str) or test.lstrip().startswith("[")]
    if garbled:
        raise BundleError(
            f"the record {printable(record.get('id'))} has a {kind} that is no list of names of tests: "
            f"{printable(garbled[0], 60)}"
        )
    return value


def swebench_report(reply: Any, record: Record) -> dict[str, Any] | None:
    """A run's record of one instance as a report of its gold tests.

    Taken: test name to status; SWE-bench's report of the instance (`tests_status` or the two lists themselves).
    A bare `resolved` is not: it does not say which tests it rests on.
    """
    if not isinstance(reply, Mapping):
        return None
    entry = reply.get(str(record["id"]), reply)
    if not isinstance(entry, Mapping):
        return None
    status = entry.get("tests_status", entry)
    if isinstance(status, Mapping) and _is_report(status):
        return {kind: dict(status[kind]) for kind in (swebench.FAIL_TO_PASS, swebench.PASS_TO_PASS)}
    outcomes = {str(test): str(value).upper() for test, value in entry.items() if isinstance(value, str)}
    if len(outcomes) < len(entry):
        return None
    gold = {kind: _tests(record, kind) for kind in (swebench.FAIL_TO_PASS, swebench.PASS_TO_PASS)}
    return swebench.tests_report(outcomes, gold)


def _is_report(status: Mapping[str, Any]) -> bool:
    return all(
        isinstance(status.get(kind), Mapping)
        and all(isinstance(status[kind].get(part), list) for part in ("success", "failure"))
        for kind in (swebench.FAIL_TO_PASS, swebench.PASS_TO_PASS)
    )


def swebench_resolved(read: Any, record: Record) -> dict[str, float]:
    """Resolved: all fail-to-pass and all pass-to-pass tests succeed; no report is not resolved."""
    if read is None:
        return {"hit": 0.0, "partial": 0.0, "f2p": 0.0, "p2p": 0.0}
    status = swebench.resolution(read)
    return {
        "hit": float(status == swebench.FULL),
        "partial": float(status == swebench.PARTIAL),
        "f2p": swebench.success_share(read, swebench.FAIL_TO_PASS),
        "p2p": swebench.success_share(read, swebench.PASS_TO_PASS),
    }
