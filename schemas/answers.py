"""answers.json: one taker's answer sheet."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from .base import Contract, absent


class SingleChoiceAnswer(Contract):
    type: Literal["single_choice"] = "single_choice"
    selected: str


class MultipleChoiceAnswer(Contract):
    type: Literal["multiple_choice"] = "multiple_choice"
    selected: list[str]


class TrueFalseAnswer(Contract):
    type: Literal["true_false"] = "true_false"
    value: bool


class FillInBlankAnswer(Contract):
    type: Literal["fill_in_blank"] = "fill_in_blank"
    blanks: dict[str, str]


class MatchingAnswer(Contract):
    type: Literal["matching"] = "matching"
    pairs: dict[str, str]


class TextAnswer(Contract):
    type: Literal["text"] = "text"
    text: str


class DrawingAnswer(Contract):
    type: Literal["drawing"] = "drawing"
    description: str
    image_asset: str | None = None


AnswerValue = Annotated[
    SingleChoiceAnswer
    | MultipleChoiceAnswer
    | TrueFalseAnswer
    | FillInBlankAnswer
    | MatchingAnswer
    | TextAnswer
    | DrawingAnswer,
    Field(discriminator="type"),
]


OutcomeStatus = Literal["answered", "skipped", "refused", "truncated", "unparseable", "error"]


class RotatedAsking(Contract):
    """One asking of a choice question with its options moved on: label n stood before the content that is printed
    at n + shift, round the end. `answer` names the options as they are printed."""

    shift: int = Field(ge=0)
    status: OutcomeStatus
    answer: AnswerValue | None = None
    raw: str | None = None
    detail: str | None = None


class Rotation(Contract):
    """The askings of one question. `of`: how many there were to be; `fixed`: why its options stayed in place."""

    of: int = Field(ge=1)
    asked: list[RotatedAsking] = []
    fixed: str | None = Field(default=None, exclude_if=absent)


class TakerOutcome(Contract):
    """How one question went at the taker's side, apart from what was answered. With `rotation`, everything else is
    the asking with the options as printed."""

    status: OutcomeStatus
    raw: str | None = None
    detail: str | None = None
    rotation: Rotation | None = Field(default=None, exclude_if=absent)


class AnswerSheet(Contract):
    exam_id: str
    taker: str | None = None
    answers: dict[str, AnswerValue] = {}
    usage: dict[str, Any] | None = None
    bundle_digest: str | None = Field(default=None, exclude_if=absent)
    bundle_source: str | None = Field(default=None, exclude_if=absent)
    outcomes: dict[str, TakerOutcome] | None = Field(default=None, exclude_if=absent)
