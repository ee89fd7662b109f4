"""`eval.yaml`: what makes a dataset one of the Hub's own benchmarks (its page: Evaluation Results). One task is one
bundle; models' cards refer to it by the task's id, which is the bundle's name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ...schemas.canary import find_canaries
from ...schemas.errors import BundleError, UsageError
from .card import bundle_names
from .front_matter import parse, split_card
from .names import SPLIT

EVAL_FILE = "eval.yaml"


def eval_yaml(earlier: str | None, framework: str | None, card: str, titles: Mapping[str, str]) -> str:
    """The file's text for the bundles that the card lists. What people wrote into an earlier one stays: its name, its
    description, other tasks' fields. `framework`: an id of the Hub's list of evaluation frameworks; None: as it is.

    Raises UsageError for a framework that can be no id, BundleError where the earlier file cannot be read.
    """
    if framework is not None and not re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,63}", framework):
        raise UsageError("--eval-framework: an id of the Hub's list of frameworks, such as exam2bench or inspect-ai")
    data = _parsed(earlier) if earlier else {}
    names = bundle_names(card)
    tasks = [task for task in data.get("tasks") or [] if isinstance(task, dict) and _is_kept(task, names)]
    known = {task.get("config") for task in tasks}
    tasks += [{"id": name, "config": name, "split": SPLIT} for name in names if name not in known]
    pretty = parse(split_card(card).yaml).get("pretty_name")
    fresh: dict[str, Any] = {
        "name": data.get("name") or str(pretty or next(iter(titles.values()), "Exams")),
        "description": data.get("description") or "Exam questions graded by rule, and by levels of a rubric.",
        "evaluation_framework": framework or data.get("evaluation_framework"),
        "tasks": tasks,
    }
    return _canaries(card) + _dumped({**data, **fresh})


def _is_kept(task: Mapping[str, Any], names: list[str]) -> bool:
    """Tasks of bundles that are there, and tasks that somebody defined over something else."""
    return task.get("config") in names or task.get("id") != task.get("config")


def _parsed(text: str) -> dict[str, Any]:
    try:
        return parse(text)
    except BundleError as fault:
        raise BundleError(str(fault).replace("the dataset card's YAML", EVAL_FILE)) from fault


def _canaries(card: str) -> str:
    found = find_canaries(card.encode("utf-8"))
    return "".join(f"# exam2bench canary GUID {guid}\n" for guid in found)


def _dumped(data: Mapping[str, Any]) -> str:
    import yaml

    return yaml.safe_dump(dict(data), allow_unicode=True, sort_keys=False, width=120)
