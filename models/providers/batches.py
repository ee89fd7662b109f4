"""The two batch services behind `models.batch`."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import datetime
from typing import Any, TypeVar

from ..batch import BatchService, Item
from ..names import ModelName
from ..request import Question, Request
from . import anthropic_messages, openai_responses
from .anthropic_messages import AnthropicMessages
from .http import call_error
from .openai_responses import OpenAIResponses
from .wire import CallError, Provider, Reply

TRIES = 6
TOKEN = "exam2bench_token"
T = TypeVar("T")


def batch_service(provider: Provider) -> BatchService | None:
    """The provider's batch service, None where it has none."""
    if isinstance(provider, OpenAIResponses):
        return OpenAIBatches(provider)
    if isinstance(provider, AnthropicMessages):
        return AnthropicBatches(provider)
    return None


class OpenAIBatches:
    """A JSONL file, a batch over it, an output file and a separate error file."""

    most = 50_000
    most_bytes = 190 * 1024 * 1024

    def __init__(self, provider: OpenAIResponses) -> None:
        self._provider, self._client = provider, provider.client

    async def submit(self, items: Sequence[tuple[str, Question]], token: str) -> str:
        lines = io.BytesIO()
        for key, question in items:
            body = self._provider.body(question, plain=_plain(question))
            line = {"custom_id": key, "method": "POST", "url": "/v1/responses", "body": body}
            lines.write(json.dumps(line, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
        data = lines.getvalue()
        upload = await self._again(lambda: self._client.files.create(file=("batch.jsonl", data), purpose="batch"))
        batch = await self._again(
            lambda: self._client.batches.create(
                input_file_id=upload.id,
                endpoint="/v1/responses",
                completion_window="24h",
                metadata={TOKEN: token},
            )
        )
        return batch.id

    async def find(self, token: str, keys: Sequence[str], since: int) -> str | None:
        """A batch that was submitted just before a crash, by the token in its metadata."""

        async def look() -> str | None:
            async for batch in self._client.batches.list(limit=100):
                if (batch.metadata or {}).get(TOKEN) == token:
                    return batch.id
                if batch.created_at < since - 3600:
                    break
            return None

        return await self._again(look)

    async def ended(self, batch: str) -> bool:
        record = await self._again(lambda: self._client.batches.retrieve(batch))
        return record.status in ("completed", "failed", "expired", "cancelled")

    async def results(self, batch: str) -> AsyncIterator[Item]:
        record = await self._again(lambda: self._client.batches.retrieve(batch))
        for file in filter(None, (record.output_file_id, record.error_file_id)):
            content = await self._again(lambda file=file: self._client.files.content(file))
            for line in content.content.decode("utf-8", "replace").splitlines():
                if line.strip():
                    yield _openai_item(json.loads(line))

    async def _again(self, call: Callable[[], Awaitable[T]]) -> T:
        return await _again(call, self._provider.model)


def _openai_item(line: dict[str, Any]) -> Item:
    key, response = str(line.get("custom_id")), line.get("response") or {}
    if error := line.get("error"):
        return Item(key, error=f"{error.get('code')}: {error.get('message')}")
    body = response.get("body") or {}
    if response.get("status_code") != 200:
        message = (body.get("error") or {}).get("message") or "no message"
        return Item(key, error=f"HTTP {response.get('status_code')}: {message}")
    return _item(key, lambda: openai_responses.read_reply(body))


class AnthropicBatches:
    """Items in the call itself; results as a stream of lines."""

    most = 100_000
    most_bytes = 240 * 1024 * 1024

    def __init__(self, provider: AnthropicMessages) -> None:
        self._provider, self._client = provider, provider.client

    async def submit(self, items: Sequence[tuple[str, Question]], token: str) -> str:
        requests: Any = [
            {"custom_id": key, "params": self._provider.body(question, plain=_plain(question))}
            for key, question in items
        ]
        batch = await self._again(lambda: self._client.messages.batches.create(requests=requests))
        return batch.id

    async def find(self, token: str, keys: Sequence[str], since: int) -> str | None:
        """A batch that was submitted just before a crash. The service keeps no token, so it is the first one as
        large and as young; items that turn out to be another's match no key and are sent anew."""

        async def look() -> str | None:
            async for batch in self._client.messages.batches.list(limit=100):
                counts = batch.request_counts
                total = counts.processing + counts.succeeded + counts.errored + counts.canceled + counts.expired
                created = batch.created_at if isinstance(batch.created_at, datetime) else None
                if total == len(keys) and created is not None and created.timestamp() >= since - 60:
                    return batch.id
            return None

        return await self._again(look)

    async def ended(self, batch: str) -> bool:
        record = await self._again(lambda: self._client.messages.batches.retrieve(batch))
        return record.processing_status == "ended"

    async def results(self, batch: str) -> AsyncIterator[Item]:
        lines = await self._again(lambda: self._client.messages.batches.results(batch))
        async for line in lines:
            yield _anthropic_item(line.model_dump())

    async def _again(self, call: Callable[[], Awaitable[T]]) -> T:
        return await _again(call, self._provider.model)


def _anthropic_item(line: dict[str, Any]) -> Item:
    key, result = line["custom_id"], line["result"]
    if result["type"] == "succeeded":
        return _item(key, lambda: anthropic_messages.read_reply(result["message"]))
    detail = ((result.get("error") or {}).get("error") or {}).get("message") or ""
    return Item(key, error=f"{result['type']}: {detail}".rstrip(": "))


def _plain(question: Question) -> bool:
    return isinstance(question, Request) and question.plain


def _item(key: str, read: Callable[[], Reply]) -> Item:
    try:
        return Item(key, read())
    except CallError as error:
        return Item(key, error=str(error))


async def _again(call: Callable[[], Awaitable[T]], model: ModelName) -> T:
    """The call, tried again while the service is merely busy."""
    from anthropic import AnthropicError
    from openai import OpenAIError

    for tries in range(1, TRIES + 1):
        try:
            return await call()
        except (OpenAIError, AnthropicError) as error:
            problem = call_error(error, model)
            if not problem.retry or tries == TRIES:
                raise problem from None
            await asyncio.sleep(problem.after if problem.after is not None else min(30.0, 0.5 * 2**tries))
    raise AssertionError("unreachable: the last try returns or raises")
