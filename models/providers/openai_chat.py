"""`chat:` any server that speaks OpenAI's chat completions: vLLM, llama.cpp, Ollama, gateways."""

from __future__ import annotations

from typing import Any

from .. import dialect
from ..names import ModelName, api_key
from ..outcome import Usage
from ..request import ImagePart, Part, PdfPart, Question, Request, TextPart
from .http import body_of, call_error, http_client, untyped
from .wire import STREAM_ABOVE, CallError, Reply, data_url, no_typed, plain_system


class OpenAIChat:
    concurrency = None

    def __init__(self, model: ModelName, *, timeout: float | None = None) -> None:
        from openai import AsyncOpenAI

        self.model = model
        self.client = AsyncOpenAI(
            api_key=api_key(model), base_url=model.base_url, max_retries=0, http_client=http_client(timeout)
        )

    def body(self, question: Question, *, plain: bool = False) -> dict[str, Any]:
        """The JSON body of `POST /chat/completions`. `max_tokens`, not its successor: older servers know no other."""
        request = no_typed(question, "chat")
        body: dict[str, Any] = {
            "model": self.model.name,
            "messages": _messages(request, plain),
            "max_tokens": request.max_tokens,
        }
        if request.schema is not None and not plain:
            schema = {"name": "reply", "strict": True, "schema": dialect.wire(request.schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        if request.effort is not None:
            body["reasoning_effort"] = request.effort
        if request.effort == "none":
            # templates of hybrid thinkers know no effort, only a switch
            body["chat_template_kwargs"] = {"enable_thinking": False}
        if request.temperature is not None:
            body["temperature"] = request.temperature
        return body

    async def call(self, question: Question, *, plain: bool = False) -> Reply:
        from openai import OpenAIError

        body = self.body(question, plain=plain)
        try:
            if body["max_tokens"] > STREAM_ABOVE:
                return await self._stream(body)
            raw = await self.client.chat.completions.with_raw_response.create(**_arguments(body))
        except OpenAIError as error:
            raise call_error(error, self.model) from None
        return read_reply(body_of(raw.http_response.content), dict(raw.headers))

    async def _stream(self, body: dict[str, Any]) -> Reply:
        options: Any = {"include_usage": True}
        texts: list[str] = []
        finish, refusal, model, usage = "", "", "", {}
        async with await self.client.chat.completions.create(
            **_arguments(body), stream=True, stream_options=options
        ) as chunks:
            async for chunk in chunks:
                model = chunk.model or model
                usage = chunk.usage.model_dump() if chunk.usage else usage
                for choice in chunk.choices[:1]:
                    texts.append(choice.delta.content or "")
                    refusal += choice.delta.refusal or ""
                    finish = choice.finish_reason or finish
        if not finish:
            raise CallError("the stream ended without a finish reason", retry=True)
        message = {"content": "".join(texts), "refusal": refusal}
        return read_reply({"model": model, "usage": usage, "choices": [{"message": message, "finish_reason": finish}]})

    async def close(self) -> None:
        await self.client.close()


def read_reply(data: dict[str, Any], headers: dict[str, str] | None = None) -> Reply:
    """A chat completion. Raises CallError where it has no choice (some gateways send errors with status 200)."""
    choices = data.get("choices") or []
    if not choices:
        raise CallError(f"the reply holds no choice: {str(data.get('error') or '')[:200]}", retry=True)
    message = choices[0].get("message") or {}
    finish = choices[0].get("finish_reason") or ""
    refused = bool(message.get("refusal")) or finish == "content_filter"
    return Reply(
        text=message.get("content") or "",
        stop="refusal" if refused else "length" if finish == "length" else "end",
        stop_reason=finish,
        refusal=(message.get("refusal") or finish) if refused else "",
        model=data.get("model") or "",
        usage=read_usage(data.get("usage") or {}),
        headers=headers or {},
    )


def read_usage(usage: dict[str, Any]) -> Usage:
    prompt = usage.get("prompt_tokens_details") or {}
    return Usage(
        input=usage.get("prompt_tokens") or 0,
        output=usage.get("completion_tokens") or 0,
        cached=prompt.get("cached_tokens") or 0,
        cache_write=prompt.get("cache_write_tokens") or 0,
        reasoning=(usage.get("completion_tokens_details") or {}).get("reasoning_tokens") or 0,
    )


def _arguments(body: dict[str, Any]) -> dict[str, Any]:
    return untyped(body, model="", messages=[])


def _messages(request: Request, plain: bool) -> list[dict[str, Any]]:
    system = request.system
    if plain and request.schema is not None:
        system = plain_system(request, dialect.wire_text(dialect.dumps(request.schema)))
    texts = [part.text for part in request.parts if isinstance(part, TextPart)]
    # a plain string where there is only text: small servers know no content parts
    content: Any = "\n\n".join(texts) if len(texts) == len(request.parts) else [_part(part) for part in request.parts]
    user = {"role": "user", "content": content}
    return [{"role": "system", "content": system}, user] if system else [user]


def _part(part: Part) -> dict[str, Any]:
    match part:
        case TextPart():
            return {"type": "text", "text": part.text}
        case ImagePart():
            detail = "high" if part.detail == "original" else part.detail
            return {"type": "image_url", "image_url": {"url": data_url(part), "detail": detail}}
        case PdfPart():
            return {"type": "file", "file": {"filename": part.name, "file_data": data_url(part)}}
