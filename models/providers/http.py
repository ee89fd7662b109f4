"""What the SDK-backed providers share: the HTTP client, the errors of both SDKs, the headers."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Mapping
from typing import Any

import httpx2

from ...schemas.printable import printable
from ..names import PROVIDERS, ModelName
from .wire import CallError

MAX_REPLY_BYTES = 64 * 1024 * 1024
TIMEOUT = httpx2.Timeout(600.0, connect=15.0)
LIMITS = httpx2.Limits(max_connections=1000, max_keepalive_connections=256)


class ReplyTooLarge(httpx2.TransportError):
    pass


class _Capped(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._stream:
            size += len(chunk)
            if size > MAX_REPLY_BYTES:
                raise ReplyTooLarge(f"the reply is larger than {MAX_REPLY_BYTES:,} bytes")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


async def _cap(response: httpx2.Response) -> None:
    response.stream = _Capped(response.stream)  # type: ignore[arg-type]  # async responses hold async streams


def http_client(timeout: float | None = None) -> httpx2.AsyncClient:
    """A client that follows no redirect (a key header would travel along) and reads no endless reply."""
    limit = TIMEOUT if timeout is None else httpx2.Timeout(timeout, connect=min(timeout, 15.0))
    return httpx2.AsyncClient(timeout=limit, limits=LIMITS, follow_redirects=False, event_hooks={"response": [_cap]})


def untyped(body: Mapping[str, Any], **required: Any) -> dict[str, Any]:
    """Arguments of the SDK's `.create()` that send exactly this body. The SDK walks typed arguments by their
    annotations, which costs more time than all else in a call; what stands in `extra_body` goes out as it is and
    replaces the empty stand-ins of required arguments."""
    return {**required, "extra_body": dict(body)}


def body_of(content: bytes) -> dict[str, Any]:
    """The JSON object of a reply, or a CallError that may be retried: a proxy's page is no answer."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        shown = printable(content[:80].decode("utf-8", "replace"))
        raise CallError(f"the server's reply is no JSON object: {shown!r}", retry=True)
    return value


def call_error(error: Exception, model: ModelName) -> CallError:
    """One SDK exception as a CallError. Both SDKs' exceptions have the same attributes."""
    status = getattr(error, "status_code", None)
    if status is None:
        kind = type(error).__name__
        cause = f"{kind}: {error.__cause__}" if error.__cause__ else f"{kind}: {error}"
        again = "Validation" not in kind and not isinstance(error.__cause__, ReplyTooLarge)
        return CallError(redact(cause), retry=again, unreachable=isinstance(error.__cause__, httpx2.ConnectError))
    headers = {key.lower(): value for key, value in _response(error).headers.items()}
    after = retry_after(headers)
    if status in (401, 403):
        # the provider's own words may quote the key
        key = PROVIDERS[model.provider].key
        return CallError(f"{model} refused the key ({status}): check {key} and the account's rights", fatal=True)
    detail = redact(_message(error))
    if status == 402:
        return CallError(f"{model} wants payment (402): {detail}", fatal=True)
    if status == 404:
        return CallError(f"{model} is not known to the server (404): {detail}", fatal=True)
    if 300 <= status < 400:
        return CallError(f"{model} redirects elsewhere ({status}): give the final address", fatal=True)
    retry = status in (408, 409, 429) or status >= 500
    overload = status in (429, 503, 529)
    text = f"HTTP {status}: {detail}"
    return CallError(
        text, retry=retry, overload=overload, rejected=status in (400, 413, 422), after=after, headers=headers
    )


def _response(error: Any) -> httpx2.Response:
    return error.response


def _message(error: Exception) -> str:
    body = getattr(error, "body", None)
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        if isinstance(inner, Mapping) and isinstance(inner.get("message"), str):
            return printable(inner["message"])
    return printable(getattr(error, "message", error))


def redact(text: str) -> str:
    """The text without any provider key that the environment holds."""
    for provider in PROVIDERS.values():
        secret = os.environ.get(provider.key or "", "").strip()
        if len(secret) >= 4:
            text = text.replace(secret, "[key]")
    return printable(text)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds from `retry-after-ms`, `retry-after` (seconds or a date), None where absent or unreadable."""
    from email.utils import parsedate_to_datetime
    from time import time

    if (millis := headers.get("retry-after-ms", "")).replace(".", "", 1).isdigit():
        return float(millis) / 1000
    value = headers.get("retry-after", "").strip()
    if value.replace(".", "", 1).isdigit():
        return float(value)
    if value:
        try:
            return max(0.0, parsedate_to_datetime(value).timestamp() - time())
        except ValueError:
            return None
    return None
