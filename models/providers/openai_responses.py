"""`openai:` the Responses protocol."""

from __future__ import annotations

from typing import Any

from .. import dialect
from ..names import ModelName, api_key
from ..outcome import Usage
from ..request import ImagePart, Part, PdfPart, Question, Request, TextPart
from .http import body_of, call_error, http_client, untyped
from .wire import STREAM_ABOVE, CallError, Reply, Stop, data_url, no_typed, plain_system

RETRYABLE = {"server_error", "rate_limit_exceeded", "vector_store_timeout"}


class OpenAIResponses:
    concurrency = None

    def __init__(self, model: ModelName, *, timeout: float | None = None) -> None:
        from openai import AsyncOpenAI

        self.model = model
        self.client = AsyncOpenAI(
            api_key=api_key(model), base_url=model.base_url, max_retries=0, http_client=http_client(timeout)
        )

    def body(self, question: Question, *, plain: bool = False) -> dict[str, Any]:
        """The JSON body of `POST /responses`; the same for a live call and a line of a batch."""
        request = no_typed(question, "openai")
        body: dict[str, Any] = {
            "model": self.model.name,
            "input": [{"role": "user", "content": [_part(part) for part in request.parts]}],
            "max_output_tokens": request.max_tokens,
            "store": False,
            "prompt_cache_key": request.prefix_identity()[:32],
        }
        system = _system(request, plain)
        if system:
            body["instructions"] = system
        if request.schema is not None and not plain:
            schema = dialect.wire(request.schema)
            body["text"] = {"format": {"type": "json_schema", "name": "reply", "strict": True, "schema": schema}}
        if request.effort is not None:
            body["reasoning"] = {"effort": request.effort}
        if request.temperature is not None:
            body["temperature"] = request.temperature
        return body

    async def call(self, question: Question, *, plain: bool = False) -> Reply:
        from openai import OpenAIError

        body = self.body(question, plain=plain)
        try:
            if body["max_output_tokens"] > STREAM_ABOVE:
                return await self._stream(body)
            raw = await self.client.responses.with_raw_response.create(**untyped(body))
        except OpenAIError as error:
            raise call_error(error, self.model) from None
        return read_reply(body_of(raw.http_response.content), dict(raw.headers))

    async def _stream(self, body: dict[str, Any]) -> Reply:
        from openai.types.responses import (
            ResponseCompletedEvent,
            ResponseErrorEvent,
            ResponseFailedEvent,
            ResponseIncompleteEvent,
        )

        async with await self.client.responses.create(**untyped(body), stream=True) as events:
            async for event in events:
                # not by `event.type`: the union has seventy members
                if isinstance(event, ResponseCompletedEvent | ResponseIncompleteEvent | ResponseFailedEvent):
                    return read_reply(event.response.model_dump())
                if isinstance(event, ResponseErrorEvent):
                    raise CallError(f"the stream reports {event.code}: {event.message}", retry=True)
        raise CallError("the stream ended without a final event", retry=True)

    async def close(self) -> None:
        await self.client.close()


def read_reply(data: dict[str, Any], headers: dict[str, str] | None = None) -> Reply:
    """A Response object, live or from a batch's output file. Raises CallError where the model failed."""
    if data.get("status") == "failed":
        error = data.get("error") or {}
        code = error.get("code", "failed")
        raise CallError(f"the model failed: {code}: {error.get('message', '')}", retry=code in RETRYABLE)
    texts, refusals = [], []
    for item in data.get("output") or []:
        for content in (item.get("content") or []) if item.get("type") == "message" else []:
            if content.get("type") == "output_text":
                texts.append(content.get("text") or "")
            elif content.get("type") == "refusal":
                refusals.append(content.get("refusal") or "refused")
    reason = (data.get("incomplete_details") or {}).get("reason") or ""
    stop: Stop = "end"
    if refusals or reason == "content_filter":
        stop = "refusal"
    elif data.get("status") == "incomplete":
        stop = "length"
    return Reply(
        text="".join(texts),
        stop=stop,
        stop_reason=reason or data.get("status") or "",
        refusal="\n".join(refusals) or reason if stop == "refusal" else "",
        model=data.get("model") or "",
        usage=read_usage(data.get("usage") or {}),
        headers=headers or {},
    )


def read_usage(usage: dict[str, Any]) -> Usage:
    """OpenAI's `input_tokens` include the cached ones."""
    details = usage.get("input_tokens_details") or {}
    return Usage(
        input=usage.get("input_tokens") or 0,
        output=usage.get("output_tokens") or 0,
        cached=details.get("cached_tokens") or 0,
        cache_write=details.get("cache_write_tokens") or 0,
        reasoning=(usage.get("output_tokens_details") or {}).get("reasoning_tokens") or 0,
    )


def _system(request: Request, plain: bool) -> str:
    if request.schema is None or not plain:
        return request.system
    return plain_system(request, dialect.wire_text(dialect.dumps(request.schema)))


def _part(part: Part) -> dict[str, Any]:
    match part:
        case TextPart():
            return {"type": "input_text", "text": part.text}
        case ImagePart():
            return {"type": "input_image", "image_url": data_url(part), "detail": part.detail}
        case PdfPart():
            return {"type": "input_file", "filename": part.name, "file_data": data_url(part)}
