"""From a protocol's body to an `Ask`, and from a `FakeReply` to that protocol's answer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from .. import dialect
from .bodies import ChatBody, DecisionsBody, MessagesBody, ResponsesBody, ScoreQuestion, Strict
from .script import Ask, FakeReply


class Rejected(Exception):
    """The body breaks the protocol: a 400."""


PATHS: dict[str, tuple[str, type[Strict]]] = {
    "/v1/responses": ("responses", ResponsesBody),
    "/v1/chat/completions": ("chat", ChatBody),
    "/v1/messages": ("messages", MessagesBody),
    "/v1/decisions": ("decisions", DecisionsBody),
}


def read_ask(path: str, body: Mapping[str, Any]) -> Ask:
    """Validate a body and take from it what a reply may depend on. Raises Rejected with the first fault."""
    protocol, model = PATHS[path]
    try:
        parsed = model.model_validate(body)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(step) for step in first["loc"])
        raise Rejected(f"{place}: {first['msg']}") from None
    texts, images, files = _content(parsed)
    schema = _schema(parsed)
    if schema is not None:
        _check_schema(schema, protocol)
    (levels, ordered), *more = _levels(parsed)
    canonical = json.dumps(body, sort_keys=True)
    limit = getattr(parsed, "max_tokens", None) or getattr(parsed, "max_output_tokens", None) or 0
    return Ask(
        protocol=protocol,
        model=str(body["model"]),
        text="\n\n".join(texts),
        system=texts[0] if texts else "",
        schema=schema,
        levels=levels,
        ordered=ordered,
        more=tuple(more),
        images=images,
        files=files,
        stream=bool(getattr(parsed, "stream", False)),
        digest=hashlib.sha256(canonical.encode()).hexdigest(),
        prefix="\n\n".join(texts[:-1]),
        max_tokens=limit,
        body=body,
    )


def _content(parsed: BaseModel) -> tuple[list[str], int, int]:
    texts: list[str] = []
    images = files = 0
    for value in (getattr(parsed, "instructions", None), getattr(parsed, "system", None)):
        texts += [value] if isinstance(value, str) else [block.text for block in value or []]
    turns = getattr(parsed, "messages", None) or getattr(parsed, "input", None)
    if isinstance(turns, str):
        return [*texts, turns], 0, 0
    for turn in turns or []:
        for part in [turn.content] if isinstance(turn.content, str) else turn.content:
            if isinstance(part, str):
                texts.append(part)
            elif hasattr(part, "text"):
                texts.append(part.text)
            elif "image" in part.type:
                images += 1
            else:
                files += 1
    return texts, images, files


def _schema(parsed: BaseModel) -> dict[str, Any] | None:
    match parsed:
        case ResponsesBody(text=text) if text and text.format:
            return text.format.wanted
        case ChatBody(response_format=form) if form:
            return form.json_schema.wanted
        case MessagesBody(output_config=config) if config and config.format:
            return config.format.wanted
        case _:
            return None


def _check_schema(schema: dict[str, Any], protocol: str) -> None:
    if problems := dialect.check(schema):
        raise Rejected(f"invalid schema: {problems[0]}")
    if protocol == "messages" and dialect.wire(schema) != schema:
        raise Rejected("invalid schema: bounds and patterns are not supported")


def _levels(parsed: BaseModel) -> list[tuple[tuple[str, ...], bool]]:
    """(levels, ordered) of each question of a Decision; no levels for other protocols."""
    if not isinstance(parsed, DecisionsBody):
        return [((), True)]
    return [
        (tuple(level.label for level in question.levels), True)
        if isinstance(question, ScoreQuestion)
        else (tuple(str(choice.value) for choice in question.choices), False)
        for question in parsed.questions
    ]


def tokens_of(ask: Ask, reply: FakeReply) -> tuple[int, int]:
    """(input, output): four characters a token."""
    return len(ask.text) // 4 + 1 + 1000 * ask.images, len(reply.text) // 4 + 1


def render(ask: Ask, reply: FakeReply, number: int) -> dict[str, Any]:
    """The protocol's answer object."""
    return {"responses": _responses, "chat": _chat, "messages": _messages, "decisions": _decisions}[ask.protocol](
        ask, reply, number
    )


def _responses(ask: Ask, reply: FakeReply, number: int) -> dict[str, Any]:
    kind = "refusal" if reply.stop == "refusal" else "output_text"
    content: dict[str, Any] = {"type": kind, "refusal" if kind == "refusal" else "text": reply.text}
    if kind == "output_text":
        content["annotations"] = []
    message = {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed"}
    cut = reply.stop == "length"
    return {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 1_700_000_000,
        "model": f"{ask.model}-fake",
        "status": "incomplete" if cut else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "error": None,
        "output": [{**message, "content": [content]}],
        "parallel_tool_calls": False,
        "tool_choice": "none",
        "tools": [],
        "usage": _openai_usage(ask, reply),
    }


def _openai_usage(ask: Ask, reply: FakeReply) -> dict[str, Any]:
    used_in, used_out = tokens_of(ask, reply)
    return {
        "input_tokens": used_in,
        "input_tokens_details": {"cached_tokens": reply.cached_tokens, "cache_write_tokens": 0},
        "output_tokens": used_out,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": used_in + used_out,
    }


def _chat(ask: Ask, reply: FakeReply, number: int) -> dict[str, Any]:
    used_in, used_out = tokens_of(ask, reply)
    refused = reply.stop == "refusal"
    message = {
        "role": "assistant",
        "content": None if refused else reply.text,
        "refusal": reply.text if refused else None,
    }
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": f"{ask.model}-fake",
        "choices": [{"index": 0, "message": message, "finish_reason": {"length": "length"}.get(reply.stop, "stop")}],
        "usage": {
            "prompt_tokens": used_in,
            "completion_tokens": used_out,
            "total_tokens": used_in + used_out,
            "prompt_tokens_details": {"cached_tokens": reply.cached_tokens},
        },
    }


def _messages(ask: Ask, reply: FakeReply, number: int) -> dict[str, Any]:
    used_in, used_out = tokens_of(ask, reply)
    stop = {"length": "max_tokens", "refusal": "refusal"}.get(reply.stop, "end_turn")
    refused = reply.stop == "refusal"
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": f"{ask.model}-fake",
        "content": [{"type": "text", "text": reply.text}] if reply.text and not refused else [],
        "stop_reason": stop,
        "stop_sequence": None,
        "stop_details": {"type": "refusal", "category": None, "explanation": reply.text} if refused else None,
        "usage": {
            "input_tokens": max(0, used_in - reply.cached_tokens),
            "output_tokens": used_out,
            "cache_read_input_tokens": reply.cached_tokens,
            "cache_creation_input_tokens": 0,
        },
    }


def _decisions(ask: Ask, reply: FakeReply, number: int) -> dict[str, Any]:
    answers = [_decision(ask.levels, ask.ordered, reply)]
    answers += [_decision(levels, ordered, one) for (levels, ordered), one in zip(ask.more, reply.more, strict=True)]
    return {"answers": answers, "model": f"{ask.model}-fake", "usage": _openai_usage(ask, reply)}


def _decision(levels: tuple[str, ...], ordered: bool, reply: FakeReply) -> dict[str, Any]:
    if reply.stop == "refusal":
        return {"type": "refusal", "name": None}
    odds = reply.odds or tuple(1 / len(levels) for _ in levels)
    best = max(range(len(odds)), key=odds.__getitem__)
    pairs = list(enumerate(zip(levels, odds, strict=True)))
    if ordered:
        entries = [{"label": label, "probability": share, "value": value} for value, (label, share) in pairs]
        score = sum(value * share for value, (_, share) in pairs)
        answer = {"type": "score", "score": score, "confidence": odds[best], "probabilities": entries}
    else:
        entries = [{"value": label, "probability": share} for _, (label, share) in pairs]
        answer = {"type": "choice", "choice": levels[best], "confidence": odds[best], "probabilities": entries}
    return answer | {"name": None}


def events(ask: Ask, answer: dict[str, Any]) -> Iterator[tuple[str | None, dict[str, Any] | str]]:
    """The answer as server-sent events: (event name, data)."""
    if ask.protocol == "responses":
        kind = "response.incomplete" if answer["status"] == "incomplete" else "response.completed"
        yield kind, {"type": kind, "sequence_number": 0, "response": answer}
    elif ask.protocol == "chat":
        yield from _chat_events(answer)
    else:
        yield from _message_events(answer)


def _chat_events(answer: dict[str, Any]) -> Iterator[tuple[None, dict[str, Any] | str]]:
    choice = answer["choices"][0]
    base = {key: answer[key] for key in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
    text = choice["message"]["content"] or ""
    deltas = [{"role": "assistant"}, {"content": text[: len(text) // 2]}, {"content": text[len(text) // 2 :]}]
    if choice["message"]["refusal"]:
        deltas.append({"refusal": choice["message"]["refusal"]})
    for delta in deltas:
        yield None, base | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield None, base | {"choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]}
    yield None, base | {"choices": [], "usage": answer["usage"]}
    yield None, "[DONE]"


def _message_events(answer: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    start = answer | {"content": [], "stop_reason": None, "stop_details": None}
    yield "message_start", {"type": "message_start", "message": start}
    for index, block in enumerate(answer["content"]):
        opening = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": block["text"]}
        yield "content_block_start", {"type": "content_block_start", "index": index, "content_block": opening}
        yield "content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta}
        yield "content_block_stop", {"type": "content_block_stop", "index": index}
    ending = {key: answer[key] for key in ("stop_reason", "stop_sequence", "stop_details")}
    yield "message_delta", {"type": "message_delta", "delta": ending, "usage": answer["usage"]}
    yield "message_stop", {"type": "message_stop"}
