"""One question of one sheet, graded, and its entry in report.json."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from json.encoder import encode_basestring
from typing import Any, Literal

from ..schemas.findings import Finding
from ..schemas.report import JudgeVerdict, QuestionResult
from .losses import Loss, loss_of

Mode = Literal["deterministic", "judge", "unanswered", "error", "skipped"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A graded question. `text` is its entry in report.json, indented to its place there: reports of many
    sheets share it, and putting a report together is joining its entries. `loss`: what it did not earn, and why."""

    question_id: str
    mode: Mode
    max_points: float
    awarded: float
    detail: dict[str, Any]
    text: str
    loss: Loss | None
    findings: tuple[Finding, ...] = ()
    verdicts: tuple[dict[str, Any], ...] = ()

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
) -> Outcome:
    """`detail` and `verdicts` (JudgeVerdict records) hold JSON values only: text, finite numbers, booleans, null,
    lists, objects with text keys."""
    name = encode_basestring(question_id)
    text = (
        f'    {name}: {{\n      "question_id": {name},\n      "mode": "{mode}",\n'
        f'      "max_points": {max_points!r},\n      "awarded": {awarded!r},\n'
        f'      "detail": {_indented(detail, 6)},\n      "judge_verdicts": {_indented(list(verdicts), 6)}\n    }}'
    )
    loss = loss_of(mode, max_points, awarded, detail)
    return Outcome(question_id, mode, max_points, awarded, detail, text, loss, findings, tuple(verdicts))


def _indented(value: Any, depth: int) -> str:
    """What `json.dumps(value, indent=2, ensure_ascii=False)` writes `depth` blanks in, an order faster."""
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
    return repr(value)
