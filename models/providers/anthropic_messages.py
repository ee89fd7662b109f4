"""`anthropic:` the Messages protocol."""

from __future__ import annotations

import base64
from typing import Any

from ...schemas.errors import UsageError
from .. import dialect
from ..names import ModelName, api_key
from ..outcome import Usage
from ..request import ImagePart, Part, PdfPart, Question, Request, TextPart
from .http import body_of, call_error, http_client, untyped
from .wire import STREAM_ABOVE, CallError, Reply, Stop, no_typed, plain_system

MAX_PDF_BYTES = 32 * 1024 * 1024
STOPS: dict[str, Stop] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "pause_turn": "length",
    "refusal": "refusal",
}


class AnthropicMessages:
    concurrency = None

    def __init__(self, model: ModelName, *, timeout: float | None = None) -> None:
        from anthropic import AsyncAnthropic

        self.model = model
        self.client = AsyncAnthropic(
            api_key=api_key(model), base_url=model.base_url, max_retries=0, http_client=http_client(timeout)
        )

    def body(self, question: Question, *, plain: bool = False) -> dict[str, Any]:
        """The JSON body of `POST /messages`; the same for a live call and an item of a batch. The protocol has no
        temperature."""
        request = no_typed(question, "anthropic")
        content = [_part(part) for part in request.parts]
        if 0 < request.prefix_parts <= len(content):
            content[request.prefix_parts - 1]["cache_control"] = {"type": "ephemeral"}
        body: dict[str, Any] = {
            "model": self.model.name,
            "max_tokens": request.max_tokens,
            "messages": [{"role": "user", "content": content}],
        }
        system = request.system
        if plain and request.schema is not None:
            system = plain_system(request, dialect.wire_text(dialect.dumps(request.schema)))
        if system:
            body["system"] = [{"type": "text", "text": system}]
        body |= _thinking(request)
        if request.schema is not None and not plain:
            form = {"type": "json_schema", "schema": dialect.wire(request.schema)}
            body["output_config"] = body.get("output_config", {}) | {"format": form}
        return body

    async def call(self, question: Question, *, plain: bool = False) -> Reply:
        from anthropic import AnthropicError

        body = self.body(question, plain=plain)
        try:
            if body["max_tokens"] > STREAM_ABOVE:
                return await self._stream(body)
            raw = await self.client.messages.with_raw_response.create(**_arguments(body))
        except AnthropicError as error:
            raise call_error(error, self.model) from None
        return read_reply(body_of(raw.http_response.content), dict(raw.headers))

    async def _stream(self, body: dict[str, Any]) -> Reply:
        message: dict[str, Any] = {}
        texts: list[str] = []
        async with await self.client.messages.create(**_arguments(body), stream=True) as events:
            async for event in events:
                if event.type == "message_start":
                    message = event.message.model_dump()
                elif event.type == "content_block_delta" and event.delta.type == "text_delta":
                    texts.append(event.delta.text)
                elif event.type == "message_delta":
                    message |= event.delta.model_dump(exclude_none=True)
                    message["usage"] |= event.usage.model_dump(exclude_none=True)
        if not message.get("stop_reason"):
            raise CallError("the stream ended without a stop reason", retry=True)
        return read_reply(message | {"content": [{"type": "text", "text": "".join(texts)}]})

    async def close(self) -> None:
        await self.client.close()


def _arguments(body: dict[str, Any]) -> dict[str, Any]:
    # the SDK looks at the model and the limit itself (time-outs, long replies)
    return untyped(body, model=body["model"], max_tokens=body["max_tokens"], messages=[])


def read_reply(data: dict[str, Any], headers: dict[str, str] | None = None) -> Reply:
    """A Message object, live or from a batch. Thinking blocks are no part of the text."""
    texts = [block.get("text") or "" for block in data.get("content") or [] if block.get("type") == "text"]
    reason = data.get("stop_reason") or ""
    stop = STOPS.get(reason, "end")
    details = data.get("stop_details") or {}
    said = [details.get("category"), details.get("explanation"), "".join(texts)]
    return Reply(
        text="".join(texts),
        stop=stop,
        stop_reason=reason,
        refusal=(": ".join(word for word in said if word) or "refused") if stop == "refusal" else "",
        model=data.get("model") or "",
        usage=read_usage(data.get("usage") or {}),
        headers=headers or {},
    )


def read_usage(usage: dict[str, Any]) -> Usage:
    """Anthropic's `input_tokens` exclude what was read from or written to its prompt cache."""
    read = usage.get("cache_read_input_tokens") or 0
    written = usage.get("cache_creation_input_tokens") or 0
    return Usage(
        input=(usage.get("input_tokens") or 0) + read + written,
        output=usage.get("output_tokens") or 0,
        cached=read,
        cache_write=written,
        reasoning=(usage.get("output_tokens_details") or {}).get("thinking_tokens") or 0,
    )


def _thinking(request: Request) -> dict[str, Any]:
    match request.effort:
        case None:
            return {}
        case "none" | "minimal":
            return {"thinking": {"type": "disabled"}}
        case effort:
            return {"thinking": {"type": "adaptive"}, "output_config": {"effort": effort}}


def _part(part: Part) -> dict[str, Any]:
    match part:
        case TextPart():
            return {"type": "text", "text": part.text}
        case ImagePart():
            return {
                "type": "image",
                "source": _base64(part.media_type, part.data),
                # otherwise the picture is shrunk in silence and coordinates in the reply are wrong
                "transformations": {"oversized_image": "error"},
            }
        case PdfPart():
            if len(part.data) > MAX_PDF_BYTES:
                raise UsageError(f"{part.name} has {len(part.data):,} bytes; Anthropic takes {MAX_PDF_BYTES:,}")
            return {"type": "document", "source": _base64("application/pdf", part.data), "title": part.name}


def _base64(media_type: str, data: bytes) -> dict[str, Any]:
    return {"type": "base64", "media_type": media_type, "data": base64.b64encode(data).decode()}
