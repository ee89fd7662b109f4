"""Samples that lm-eval wrote with --log_samples (`samples_TASK_DATE.jsonl`), one line a document and filter.

`resps` holds what the model said before the task's own filters: one list of texts for each request of a generation
task, as many texts as repeats; for a multiple-choice task one pair [log-likelihood, greedy] for each choice. The
filters are not read: what a reply answers is for this project's extraction to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...schemas.errors import UsageError
from ...schemas.exam import Exam
from ...schemas.printable import printable
from .rows import ID_FIELDS, Fields, ForeignAnswer, NoValue, as_id, at, table_rows


def is_sample(row: Mapping[str, Any]) -> bool:
    return "doc_id" in row and "resps" in row and isinstance(row.get("doc"), dict)


def sample_answers(path: Path, fields: Fields, exam: Exam) -> Iterator[ForeignAnswer]:
    """The answers of one samples file; the repeats of a document are sittings of their own. Raises UsageError where
    its documents carry no question ids."""
    seen: set[tuple[str, str]] = set()
    options = {leaf.id: [option.id for option in leaf.options or []] for leaf in exam.leaves()}
    for place, row in table_rows(path):
        if not is_sample(row):
            raise UsageError(f"{printable(path)}, {place}: no lm-eval sample (doc_id, doc, resps)")
        question = _question(row, fields, path)
        # every filter of a task repeats the same document and replies
        twin = (question, repr(row["resps"]))
        if twin in seen:
            continue
        seen.add(twin)
        yield from _answers(question, place, row["resps"], options.get(question, []))


def _question(row: Mapping[str, Any], fields: Fields, path: Path) -> str:
    doc = row["doc"]
    if fields.id is not None:
        value = at(row, fields.id, at(doc, fields.id))
    else:
        value = next((doc[name] for name in ID_FIELDS if name in doc), None)
    if value is None:
        names = ", ".join(printable(name, 40) for name in list(doc)[:12])
        raise UsageError(f"{printable(path)}: its documents have no question id ({names}); say which with --id-field")
    return as_id(value)


def _answers(question: str, place: str, resps: Any, options: list[str]) -> Iterator[ForeignAnswer]:
    requests = resps if isinstance(resps, list) else []
    if len(requests) == 1 and isinstance(requests[0], list) and all(isinstance(one, str) for one in requests[0]):
        several = len(requests[0]) > 1
        for number, text in enumerate(requests[0], start=1):
            yield ForeignAnswer(question, place, NoValue, text, epoch=str(number) if several else None)
        return
    weights = [_likelihood(one) for one in requests]
    if not weights or any(weight is None for weight in weights):
        told = "the replies are neither texts nor likelihoods of choices"
        yield ForeignAnswer(question, place, status="unparseable", detail=told)
    elif len(weights) != len(options):
        told = f"{len(weights)} choices were compared and the question has {len(options)} options"
        yield ForeignAnswer(question, place, status="unparseable", detail=told)
    else:
        known = [weight for weight in weights if weight is not None]
        best = [n for n, weight in enumerate(known) if weight == max(known)]
        if len(best) > 1:
            told = "two choices are equally likely"
            yield ForeignAnswer(question, place, status="unparseable", detail=told)
        else:
            yield ForeignAnswer(question, place, options[best[0]])


def _likelihood(request: Any) -> float | None:
    """[[log-likelihood, greedy]] of one choice; lm-eval writes both as texts."""
    try:
        return float(request[0][0])
    except (TypeError, ValueError, IndexError, KeyError):
        return None
