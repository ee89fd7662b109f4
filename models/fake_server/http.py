"""As much of HTTP/1.1 as two SDKs need: one request in, one reply out, connections kept open."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

MAX_HEAD = 64 * 1024
MAX_BODY = 256 * 1024 * 1024
REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests"}


@dataclass(frozen=True)
class HttpRequest:
    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes


@dataclass
class HttpReply:
    """cut: close the connection after half of the body; slow: seconds over which the body trickles."""

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False
    slow: float = 0.0


async def read_request(reader: asyncio.StreamReader) -> HttpRequest | None:
    """The next request of a connection, None at its end. Raises ValueError for what is not HTTP."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    first, *lines = head.decode("latin-1").split("\r\n")
    method, target, _ = first.split(" ", 2)
    headers = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if colon:
            headers[name.strip().lower()] = value.strip()
    path, _, query = target.partition("?")
    return HttpRequest(method, path, query, headers, await _read_body(reader, headers))


async def _read_body(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> bytes:
    if headers.get("transfer-encoding", "").lower() == "chunked":
        chunks = []
        while size := int((await reader.readline()).split(b";")[0], 16):
            chunks.append(await reader.readexactly(size))
            await reader.readline()
        await reader.readline()
        return b"".join(chunks)
    length = int(headers.get("content-length", "0"))
    if length > MAX_BODY:
        raise ValueError("the body is too large")
    return await reader.readexactly(length) if length else b""


async def write_reply(writer: asyncio.StreamWriter, reply: HttpReply) -> None:
    lines = [
        f"HTTP/1.1 {reply.status} {REASONS.get(reply.status, 'Status')}",
        f"content-type: {reply.content_type}",
        f"content-length: {len(reply.body)}",
        *(f"{name}: {value}" for name, value in reply.headers.items()),
    ]
    head = ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
    if reply.cut:
        writer.write(head + reply.body[: len(reply.body) // 2])
    elif reply.slow:
        writer.write(head)
        step = max(1, len(reply.body) // 5)
        for start in range(0, len(reply.body), step):
            writer.write(reply.body[start : start + step])
            await writer.drain()
            await asyncio.sleep(reply.slow / 5)
    else:
        writer.write(head + reply.body)
    await writer.drain()
