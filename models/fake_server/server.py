"""The server itself: one thread with an event loop of its own, or the foreground of `models serve-fake`."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .batches import Batches
from .faults import FAULTS, UNANSWERED, Faults
from .http import HttpReply, HttpRequest, read_request, write_reply
from .protocols import PATHS, Rejected, events, read_ask, render, tokens_of
from .script import Ask, FakeReply, Handler, Script

SLOW_SECONDS = 1.0


class FakeServer:
    """Speaks Responses, chat, Messages, Decisions and both batch services on 127.0.0.1.

    reply: a function from Ask to a text, a JSON value, a FakeReply or None (a sample). latency: seconds before each
    answer. key: the one key that is let in, None lets all in. Counters: `asked` requests, `paid` answers delivered
    whole by body digest, `asks` the last requests in order of arrival where `keep` is set.
    """

    def __init__(
        self,
        reply: Handler | Script | None = None,
        *,
        latency: float = 0.0,
        faults: Faults | None = None,
        port: int = 0,
        key: str | None = None,
        polls: int = 1,
        keep: bool = True,
    ) -> None:
        self.script = reply if isinstance(reply, Script) else Script(reply)
        self.latency, self.faults, self.key, self.keep = latency, faults or Faults(), key, keep
        self.port = port
        self.asked = 0
        self.asks: list[Ask] = []
        self.paid: Counter[str] = Counter()
        self.at_once = self.most_at_once = 0
        self.batches = Batches(self._batch_item, self.faults, polls)
        self._seen: Counter[str] = Counter()
        self._prefixes: set[str] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._stop: asyncio.Event | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> FakeServer:
        started = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self.serve(started)), daemon=True)
        self._thread.start()
        if not started.wait(10):
            raise RuntimeError("the fake server did not start within 10 seconds")
        return self

    def __exit__(self, *exc: object) -> None:
        if self._loop and self._stop and self._thread:
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(10)

    async def serve(self, started: threading.Event | None = None) -> None:
        """Serve until stopped; sets `port`, then `started`."""
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._connection, "127.0.0.1", self.port, backlog=1024)
        self.port = server.sockets[0].getsockname()[1]
        if started:
            started.set()
        await self._stop.wait()
        server.close()
        # connections that a client keeps open must not hold the loop
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (request := await read_request(reader)) is not None:
                reply = await self._answer(request)
                if reply is None:
                    break
                await write_reply(writer, reply)
                if reply.cut:
                    break
        except (ConnectionError, ValueError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client went away or spoke no HTTP, or the server stops: this connection ends
        finally:
            writer.close()

    async def _answer(self, request: HttpRequest) -> HttpReply | None:
        """The reply, or None: drop the connection."""
        if self.key is not None and self._given_key(request) != self.key:
            return _error(401, f"incorrect API key provided: {self._given_key(request)}")
        if request.path == "/fake/stats":
            return HttpReply(body=json.dumps(self.stats()).encode())
        try:
            if (done := self.batches.handle(request, self.url)) is not None:
                return done
            if request.path not in PATHS or request.method != "POST":
                return _error(404, f"no such path: {request.path}")
            return await self._protocol(request.path, json.loads(request.body))
        except (Rejected, KeyError, ValueError) as error:
            return _error(400, str(error))

    async def _protocol(self, path: str, body: Mapping[str, Any]) -> HttpReply | None:
        ask = self._count(read_ask(path, body))
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            if self.latency:
                await asyncio.sleep(self.latency)
        finally:
            self.at_once -= 1
        fault = self.faults.draw(ask.digest, ask.seen, FAULTS)
        if fault == "drop":
            return None
        if fault in UNANSWERED:
            after = {"retry-after-ms": "50"} if fault == "429_after" else {}
            return replace(_error(int(fault[:3]), f"injected {fault}"), headers=after)
        reply = self._spoil(ask, self._reply(ask), fault)
        if reply.status != 200:
            return replace(_error(reply.status, reply.text or "scripted error"), headers=reply.headers)
        answer = render(ask, reply, self.asked)
        out = _stream(ask, answer) if ask.stream else HttpReply(body=json.dumps(answer).encode())
        out.headers = reply.headers
        out.cut, out.slow = fault == "cut", SLOW_SECONDS if fault == "slow" else 0.0
        if fault != "cut":
            self.paid[ask.digest] += 1
        return out

    def _count(self, ask: Ask) -> Ask:
        ask = replace(ask, seen=self._seen[ask.digest])
        self._seen[ask.digest] += 1
        self.asked += 1
        if self.keep:
            self.asks.append(ask)
        return ask

    def _reply(self, ask: Ask) -> FakeReply:
        """The script's reply; a prefix that came before counts as read from the prompt cache."""
        reply = self.script.answer(ask)
        known = ask.prefix in self._prefixes
        self._prefixes.add(ask.prefix)
        if known and not reply.cached_tokens and ask.prefix:
            reply = replace(reply, cached_tokens=min(len(ask.prefix) // 4, tokens_of(ask, reply)[0]))
        return reply

    def _spoil(self, ask: Ask, reply: FakeReply, fault: str | None) -> FakeReply:
        match fault:
            case "refusal":
                return FakeReply("I cannot help with that.", stop="refusal")
            case "empty" if not ask.levels:
                return FakeReply("")
            case "truncated_json" if not ask.levels:
                return FakeReply(reply.text[: len(reply.text) // 2])
            case "wrong_schema" if not ask.levels:
                return FakeReply('{"unexpected": true}')
            case _:
                return reply

    def _batch_item(self, path: str, body: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        try:
            ask = self._count(read_ask(path, body))
        except Rejected as error:
            return 400, {"error": {"message": str(error), "type": "invalid_request_error"}}
        reply = self._reply(ask)
        if reply.status != 200:
            return reply.status, {"error": {"message": reply.text, "type": "server_error"}}
        self.paid[ask.digest] += 1
        return 200, render(ask, reply, self.asked)

    def stats(self) -> dict[str, Any]:
        """What a run looked like from here."""
        return {
            "asked": self.asked,
            "answered": sum(self.paid.values()),
            "answered_twice": sum(count > 1 for count in self.paid.values()),
            "most_at_once": self.most_at_once,
            "faults": dict(sorted(self.faults.drawn.items())),
            "batch_items": self.batches.submitted,
        }

    def _given_key(self, request: HttpRequest) -> str:
        return request.headers.get("x-api-key") or request.headers.get("authorization", "").removeprefix("Bearer ")


def _stream(ask: Ask, answer: dict[str, Any]) -> HttpReply:
    lines = []
    for name, data in events(ask, answer):
        lines.append(f"event: {name}\n" if name else "")
        lines.append(f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n")
    return HttpReply(body="".join(lines).encode(), content_type="text/event-stream")


def _error(status: int, message: str) -> HttpReply:
    kind = "invalid_request_error" if status < 429 else "server_error"
    body = {"type": "error", "error": {"type": kind, "message": message, "code": None}}
    return HttpReply(status, json.dumps(body).encode())
