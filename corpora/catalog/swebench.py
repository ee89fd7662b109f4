"""SWE-bench: resolved or not, from recorded test outcomes.

Observed behaviour of SWE-bench `harness/grading.py` and `harness/reporting.py` at 7a21e057 and at the tag v4.0.4.
F2P: tests that the change must make pass; P2P: tests that must go on passing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

Report = Mapping[str, Mapping[str, Sequence[str]]]

FAIL_TO_PASS, PASS_TO_PASS = "FAIL_TO_PASS", "PASS_TO_PASS"
FULL, PARTIAL, NO = "RESOLVED_FULL", "RESOLVED_PARTIAL", "RESOLVED_NO"
_PASSED = frozenset({"PASSED", "XFAIL"})
_FAILED = frozenset({"FAILED", "ERROR"})
_KEPT = _PASSED | {"SKIPPED"}


def statuses(case: str, outcomes: Mapping[str, str]) -> list[str]:
    """The recorded outcomes of a test: its own, else those of the ids that a cut-off "name[…" is the beginning of."""
    if case in outcomes:
        return [outcomes[case]]
    if case.count("[") > case.count("]"):
        return [outcome for name, outcome in outcomes.items() if name.startswith(case)]
    return []


def passed(case: str, outcomes: Mapping[str, str]) -> bool:
    found = statuses(case, outcomes)
    return bool(found) and all(status in _PASSED for status in found)


def failed(case: str, outcomes: Mapping[str, str], *, skipped_fails: bool = True) -> bool:
    """Failed, in error or absent; a skipped test too, but not before v4.0.5 (`skipped_fails` False)."""
    found = statuses(case, outcomes)
    bad = _FAILED | {"SKIPPED"} if skipped_fails else _FAILED
    return not found or any(status in bad for status in found)


def maintained(case: str, outcomes: Mapping[str, str]) -> bool:
    """A test that had passed and still passes, or is skipped now."""
    found = statuses(case, outcomes)
    return bool(found) and all(status in _KEPT for status in found)


def _split(good: Sequence[str], bad: Sequence[str]) -> dict[str, list[str]]:
    return {"success": list(good), "failure": list(bad)}


def tests_report(
    outcomes: Mapping[str, str], gold: Mapping[str, Sequence[str]], *, fail_only: bool = False, at_v404: bool = False
) -> dict[str, dict[str, list[str]]]:
    """Which of the gold tests succeeded. `fail_only`: a test fails by the status FAILED alone.

    `at_v404`: a skipped test is neither a success nor a failure, as the tag v4.0.4 had it.
    """
    if fail_only:
        return {
            kind: _split(
                [case for case in gold[kind] if outcomes.get(case) != "FAILED"],
                [case for case in gold[kind] if outcomes.get(case) == "FAILED"],
            )
            for kind in (FAIL_TO_PASS, PASS_TO_PASS)
        }
    keeps = passed if at_v404 else maintained
    report: dict[str, dict[str, list[str]]] = {}
    for kind, succeeds in ((FAIL_TO_PASS, passed), (PASS_TO_PASS, keeps)):
        good = [case for case in gold[kind] if succeeds(case, outcomes)]
        bad = [c for c in gold[kind] if c not in good and failed(c, outcomes, skipped_fails=not at_v404)]
        report[kind] = _split(good, bad)
    return report


def success_share(report: Report, kind: str) -> float:
    """Successes over successes and failures; 1 where there is no such test."""
    good, bad = len(report[kind]["success"]), len(report[kind]["failure"])
    return good / (good + bad) if good + bad else 1


def resolution(report: Report) -> str:
    """Full: all F2P and all P2P. Partial: some F2P and all P2P. Else no."""
    fixed, kept = success_share(report, FAIL_TO_PASS), success_share(report, PASS_TO_PASS)
    if kept == 1 and fixed == 1:
        return FULL
    return PARTIAL if kept == 1 and 0 < fixed < 1 else NO


def run_report(
    instances: Sequence[str], predictions: Mapping[str, Mapping[str, Any]], reports: Mapping[str, str]
) -> dict[str, Any]:
    """Counts and ids of a run. `reports` are the texts of the per-instance report files.

    As the reference does, predictions for foreign ids count as submitted, and an instance whose report cannot be
    read is both completed and an error.
    """
    lists: dict[str, list[str]] = {
        name: [] for name in ("completed", "resolved", "unresolved", "empty_patch", "error", "incomplete")
    }
    for instance in instances:
        if instance not in predictions:
            lists["incomplete"].append(instance)
        elif not predictions[instance].get("model_patch"):
            lists["empty_patch"].append(instance)
        elif instance in reports:
            lists["completed"].append(instance)
            lists[_report_outcome(instance, reports[instance])].append(instance)
        else:
            lists["error"].append(instance)
    counted = ("completed", "resolved", "unresolved", "empty_patch", "error")
    report: dict[str, Any] = {"total_instances": len(instances), "submitted_instances": len(predictions)}
    report |= {f"{name}_instances": len(lists[name]) for name in counted}
    report |= {f"{name}_ids": sorted(ids) for name, ids in lists.items()}
    return report | {"submitted_ids": sorted(predictions), "failure_reasons": {}, "schema_version": 2}


def _report_outcome(instance: str, text: str) -> str:
    try:
        return "resolved" if json.loads(text)[instance]["resolved"] else "unresolved"
    except (ValueError, KeyError, TypeError):
        return "error"
