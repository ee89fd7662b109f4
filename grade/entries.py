"""One question of one sheet, graded, and its entry in report.json."""

from __future__ import annotations

from collections.abc import Sequence
from json.encoder import encode_basestring
from math import isfinite
from typing import Any, Literal, NamedTuple

from pydantic_core import PydanticSerializationError, to_json

from ..schemas.findings import Finding
from ..schemas.report import JudgeVerdict, QuestionResult
from .losses import Loss, loss_of

ROTATIONS = "rotations"
"""The field of a result's detail that holds each asking of a rotated question."""
Mode = Literal["deterministic", "judge", "unanswered", "error", "skipped"]


class Outcome(NamedTuple):
    """A graded question. `text` is its entry in report.json, indented to its place there: reports of many
    sheets share it, and putting a report together is joining its entries. `loss`: what it did not earn, and why.
    `rotated`: the question was asked with its options in several orders."""

    question_id: str
    mode: Mode
    max_points: float
    awarded: float
    detail: dict[str, Any]
    text: str
    loss: Loss | None
    findings: tuple[Finding, ...] = ()
    verdicts: tuple[dict[str, Any], ...] = ()
    rotated: bool = False

    def result(self) -> QuestionResult:
        """The outcome as the contract's record."""
        return QuestionResult(
            question_id=self.question_id,
            mode=self.mode,
            max_points=self.max_points,
            awarded=self.awarded,
            detail=self.detail,
            judge_verdicts=[JudgeVerdict.model_validate(verdict) for verdict in self.verdicts],
        )


def outcome(
    question_id: str,
    mode: Mode,
    max_points: float,
    awarded: float,
    detail: dict[str, Any],
    findings: tuple[Finding, ...] = (),
    verdicts: Sequence[dict[str, Any]] = (),
    detail_text: str | None = None,
) -> Outcome:
    """`detail` and `verdicts` (JudgeVerdict records) hold JSON values only: text, finite numbers, booleans, null,
    lists, objects with text keys. `detail_text`: what `entry_text` gives for the detail, where it is at hand."""
    name = encode_basestring(question_id)
    told = entry_text(list(verdicts)) if verdicts else "[]"
    how = entry_text(detail) if detail_text is None else detail_text
    text = (
        f'    {name}: {{\n      "question_id": {name},\n      "mode": "{mode}",\n'
        f'      "max_points": {max_points!r},\n      "awarded": {awarded!r},\n'
        f'      "detail": {how},\n      "judge_verdicts": {told}\n    }}'
    )
    loss = loss_of(mode, max_points, awarded, detail)
    return Outcome(
        question_id, mode, max_points, awarded, detail, text, loss, findings, tuple(verdicts), ROTATIONS in detail
    )


def entry_text(value: Any) -> str:
    """The value as JSON, indented to its place in an entry."""
    return json_text(value, 6)


def json_text(value: Any, depth: int = 0) -> str:
    """What `json.dumps(value, indent=2, ensure_ascii=False)` writes `depth` blanks in, an order faster. Raises
    ValueError where a number is not finite."""
    try:
        text = to_json(value, indent=2).decode()
    except PydanticSerializationError:  # half a surrogate pair: the file's writer refuses it in its own words
        return _indented(value, depth)
    if "NaN" in text or "Infinity" in text:
        return _indented(value, depth)
    # small numbers are the one thing that the two write differently (0.00001, 1e-05)
    if "e-" in text or "0.0000" in text:
        return _indented(value, depth)
    return text.replace("\n", "\n" + " " * depth) if depth else text


def _indented(value: Any, depth: int) -> str:
    """What `json.dumps(value, indent=2, ensure_ascii=False)` writes `depth` blanks in, without its overhead."""
    if type(value) is str:
        return encode_basestring(value)
    if value is True:
        return "true"
    if value is False:
        return "false"
    if value is None:
        return "null"
    pad = "\n" + " " * (depth + 2)
    if type(value) is dict:
        if not value:
            return "{}"
        deeper = depth + 2
        inner = ("," + pad).join(
            [f"{encode_basestring(key)}: {_indented(item, deeper)}" for key, item in value.items()]
        )
        return f"{{{pad}{inner}\n{' ' * depth}}}"
    if type(value) is list:
        if not value:
            return "[]"
        items = [encode_basestring(item) if type(item) is str else _indented(item, depth + 2) for item in value]
        return f"[{pad}{(',' + pad).join(items)}\n{' ' * depth}]"
    if type(value) is float and not isfinite(value):
        raise ValueError(f"{value} is no number that JSON can hold")
    return repr(value)
