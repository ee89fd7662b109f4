"""What a provider is to the gateway.

A provider turns a question into the body of one call, sends it, and reads the answer into a `Reply`. It never
retries and never judges: retries, money and validation are the gateway's. Everything that goes wrong on the
way is a `CallError` that says what the gateway may do about it.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from ...schemas.errors import UsageError
from ..outcome import LevelOdds, Usage
from ..request import ImagePart, Part, PdfPart, Question, Request, TextPart, TypedQuestion

Stop = Literal["end", "length", "refusal", "error"]
# longer replies are streamed: Anthropic refuses them otherwise, and proxies cut silent connections
STREAM_ABOVE = 16_000
MAX_REASK_CHARS = 4_000


@dataclass(frozen=True)
class Reply:
    """One answered call: the visible text, how it ended, and the bill."""

    text: str = ""
    stop: Stop = "end"
    stop_reason: str = ""
    refusal: str = ""
    odds: LevelOdds | None = None
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    headers: Mapping[str, str] = field(default_factory=dict)


class CallError(Exception):
    """A call that was not answered.

    retry: may be sent again. overload: the provider asks for less traffic. fatal: no request of this run can
    succeed (key, model name, balance). rejected: this body was refused as malformed (400). unreachable: no connection.
    after: seconds the provider asked to wait.
    """

    def __init__(
        self,
        message: str,
        *,
        retry: bool = False,
        overload: bool = False,
        fatal: bool = False,
        rejected: bool = False,
        unreachable: bool = False,
        after: float | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.retry, self.overload, self.fatal, self.rejected = retry, overload, fatal, rejected
        self.after, self.unreachable = after, unreachable
        self.headers = headers or {}


class Provider(Protocol):
    """`concurrency`: the most calls at once, None for any number."""

    @property
    def concurrency(self) -> int | None: ...

    def body(self, question: Question, *, plain: bool = False) -> dict[str, Any]: ...

    async def call(self, question: Question, *, plain: bool = False) -> Reply: ...

    async def close(self) -> None: ...


def data_url(part: ImagePart | PdfPart) -> str:
    kind = part.media_type if isinstance(part, ImagePart) else "application/pdf"
    return f"data:{kind};base64,{base64.b64encode(part.data).decode()}"


def reask(request: Request, reply: str, errors: tuple[str, ...]) -> Request:
    """The same request with the rejected reply and its errors behind it; the stable prefix stays in place."""
    shown = reply if len(reply) <= MAX_REASK_CHARS else reply[:MAX_REASK_CHARS] + " […]"
    note = "Your previous reply could not be used:\n" + "\n".join(f"- {error}" for error in errors)
    if shown.strip():
        note += f"\n\nIt was:\n<previous_reply>\n{shown}\n</previous_reply>"
    return replace(request, parts=(*request.parts, TextPart(f"{note}\n\nReply again, in full and corrected.")))


def plain_system(request: Request, schema_text: str) -> str:
    """System text that asks for JSON in words; in the system part so that the prefix stays cacheable."""
    rule = f"Reply with one JSON object that obeys this JSON Schema, and with nothing else:\n{schema_text}"
    return f"{request.system}\n\n{rule}" if request.system else rule


def typed_as_text(question: TypedQuestion) -> tuple[str, str]:
    """(shared text, text to judge) of a typed question for protocols with messages."""
    worked = [f"{example.text}\n{question.cue} {example.label}" for example in question.examples]
    shared = "\n\n".join(block for block in [*worked, question.stimulus, question.focus] if block)
    return shared, question.text


def no_typed(question: Question, provider: str) -> Request:
    """The question as a Request, or UsageError: this provider gives no level probabilities."""
    if isinstance(question, TypedQuestion):
        raise UsageError(f"{provider}: answers no typed questions: use decisions:, llama: or vllm:")
    return question


def only_text(parts: tuple[Part, ...], provider: str) -> str:
    """The parts as one text, or UsageError where there are pictures or files among them."""
    if any(not isinstance(part, TextPart) for part in parts):
        raise UsageError(f"{provider}: takes text only, no images and no PDF files")
    return "\n\n".join(part.text for part in parts if isinstance(part, TextPart))
