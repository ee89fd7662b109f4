"""Both batch services, in memory: files and batches of OpenAI, message batches of Anthropic.

Results come in reverse order, as their order is nobody's promise; items fail and come twice where faults say so.
A batch is done after it was looked at `polls` times.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email import message_from_bytes
from typing import Any, TypeVar

from pydantic import ValidationError

from .bodies import AnthropicBatchBody, OpenAIBatchBody
from .faults import BATCH_FAULTS, Faults
from .http import HttpReply, HttpRequest
from .protocols import Rejected

BodyT = TypeVar("BodyT", OpenAIBatchBody, AnthropicBatchBody)
Answer = Callable[[str, Mapping[str, Any]], tuple[int, dict[str, Any]]]


@dataclass
class Batch:
    record: dict[str, Any]
    lines: list[str]
    failed: list[str]
    polls: int


class Batches:
    """`answer(path, body)` gives (status, answer object) for one item. `submitted` counts items taken."""

    def __init__(self, answer: Answer, faults: Faults, polls: int = 1) -> None:
        self._answer, self._faults, self._polls = answer, faults, polls
        self._files: dict[str, bytes] = {}
        self._batches: dict[str, Batch] = {}
        self.submitted = 0

    def handle(self, request: HttpRequest, base: str) -> HttpReply | None:
        """The reply to a batch call, None where the path is none of a batch service."""
        path, method = request.path, request.method
        if path == "/v1/files" and method == "POST":
            return self._upload(request)
        if path.startswith("/v1/files/") and path.endswith("/content"):
            return HttpReply(body=self._files[path.split("/")[3]], content_type="application/octet-stream")
        if path == "/v1/batches":
            return self._openai_create(request) if method == "POST" else self._openai_list()
        if path.startswith("/v1/batches/"):
            return _json(self._poll(path.split("/")[3], _finish_openai))
        if path == "/v1/messages/batches":
            return self._anthropic_create(request, base) if method == "POST" else self._anthropic_list()
        if path.startswith("/v1/messages/batches/"):
            name = path.split("/")[4]
            if path.endswith("/results"):
                body = "".join(line + "\n" for line in self._batches[name].lines).encode()
                return HttpReply(body=body, content_type="application/x-jsonl")
            return _json(self._poll(name, _finish_anthropic))
        return None

    def _upload(self, request: HttpRequest) -> HttpReply:
        head = f"content-type: {request.headers['content-type']}\r\n\r\n".encode()
        for part in message_from_bytes(head + request.body).walk():
            if part.get_param("name", header="content-disposition") == "file":
                name = f"file-{len(self._files)}"
                self._files[name] = bytes(part.get_payload(decode=True))  # type: ignore[arg-type]
                size = len(self._files[name])
                return _json(_file(name, size))
        raise Rejected("the upload holds no part named file")

    def _openai_create(self, request: HttpRequest) -> HttpReply:
        body = _parse(OpenAIBatchBody, request.body)
        good, bad = [], []
        lines = self._files[body.input_file_id].decode().splitlines()
        for line in reversed(lines):
            item = json.loads(line)
            if set(item) != {"custom_id", "method", "url", "body"} or item["url"] != body.endpoint:
                raise Rejected("a line of the input file is no batch request for this endpoint")
            self.submitted += 1
            fault = self._faults.draw(item["custom_id"], self.submitted, BATCH_FAULTS)
            done, out = self._openai_result(item, fault)
            (good if done else bad).append(json.dumps(out))
            if done and fault == "duplicate":
                good.append(good[-1])
        name = f"batch_{len(self._batches)}"
        record = _openai_record(name, body, len(lines))
        self._files[f"{name}-out"] = "".join(line + "\n" for line in good).encode()
        self._files[f"{name}-err"] = "".join(line + "\n" for line in bad).encode()
        self._batches[name] = Batch(record, good, bad, self._polls)
        return _json(record)

    def _openai_result(self, item: Mapping[str, Any], fault: str | None) -> tuple[bool, dict[str, Any]]:
        """(whether it goes to the output file, the line)."""
        out = {"id": f"r{self.submitted}", "custom_id": item["custom_id"], "error": None}
        if fault == "expired":
            return False, out | {"response": None, "error": {"code": "batch_expired", "message": "not run in time"}}
        failed = (500, _error("item failed"))
        status, answer = failed if fault == "errored" else self._answer(item["url"], item["body"])
        return status == 200, out | {"response": {"status_code": status, "request_id": "x", "body": answer}}

    def _openai_list(self) -> HttpReply:
        data = [batch.record for name, batch in self._batches.items() if name.startswith("batch_")]
        return _json({"object": "list", "data": data, "has_more": False})

    def _anthropic_list(self) -> HttpReply:
        data = [batch.record for name, batch in self._batches.items() if name.startswith("msgbatch_")]
        return _json({"data": data, "has_more": False, "first_id": None, "last_id": None})

    def _anthropic_create(self, request: HttpRequest, base: str) -> HttpReply:
        body = _parse(AnthropicBatchBody, request.body)
        if len({item.custom_id for item in body.requests}) != len(body.requests):
            raise Rejected("custom_id: each must be unique in the batch")
        lines = []
        for item in reversed(body.requests):
            self.submitted += 1
            fault = self._faults.draw(item.custom_id, self.submitted, BATCH_FAULTS)
            lines.append(
                json.dumps({"custom_id": item.custom_id, "result": self._anthropic_result(item.params, fault)})
            )
            if fault == "duplicate":
                lines.append(lines[-1])
        name = f"msgbatch_{len(self._batches)}"
        record = _anthropic_record(name, len(body.requests), f"{base}/v1/messages/batches/{name}/results")
        self._batches[name] = Batch(record, lines, [], self._polls)
        return _json(record)

    def _anthropic_result(self, params: Mapping[str, Any], fault: str | None) -> dict[str, Any]:
        if fault == "expired":
            return {"type": "expired"}
        status, answer = (500, {}) if fault == "errored" else self._answer("/v1/messages", params)
        if status == 200:
            return {"type": "succeeded", "message": answer}
        inner = {"type": "api_error", "message": "item failed"}
        return {"type": "errored", "error": {"type": "error", "error": inner, "request_id": None}}

    def _poll(self, name: str, finish: Callable[[Batch], None]) -> dict[str, Any]:
        batch = self._batches[name]
        batch.polls -= 1
        if batch.polls <= 0:
            finish(batch)
        return batch.record


def _finish_openai(batch: Batch) -> None:
    name = batch.record["id"]
    done = {"status": "completed", "output_file_id": f"{name}-out" if batch.lines else None}
    batch.record |= done | {"error_file_id": f"{name}-err" if batch.failed else None}


def _finish_anthropic(batch: Batch) -> None:
    batch.record |= {"processing_status": "ended", "ended_at": "2026-11-30T00:00:00Z"}


def _openai_record(name: str, body: OpenAIBatchBody, total: int) -> dict[str, Any]:
    return {
        "id": name,
        "object": "batch",
        "endpoint": body.endpoint,
        "input_file_id": body.input_file_id,
        "completion_window": "24h",
        "status": "in_progress",
        "created_at": 1_700_000_000,
        "metadata": body.metadata,
        "request_counts": {"total": total, "completed": 0, "failed": 0},
    }


def _anthropic_record(name: str, total: int, results: str) -> dict[str, Any]:
    return {
        "id": name,
        "type": "message_batch",
        "processing_status": "in_progress",
        "request_counts": {"processing": total, "succeeded": 0, "errored": 0, "canceled": 0, "expired": 0},
        "created_at": "2026-11-30T00:00:00Z",
        "expires_at": "2026-12-01T00:00:00Z",
        "ended_at": None,
        "results_url": results,
    }


def _file(name: str, size: int) -> dict[str, Any]:
    fixed = {"object": "file", "created_at": 1_700_000_000, "filename": "in.jsonl", "purpose": "batch"}
    return {"id": name, "bytes": size, "status": "processed", **fixed}


def _parse(model: type[BodyT], body: bytes) -> BodyT:
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        raise Rejected(str(error.errors()[0]["msg"])) from None


def _error(message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "server_error", "code": None}}


def _json(value: Mapping[str, Any]) -> HttpReply:
    return HttpReply(body=json.dumps(value).encode())
