"""`decisions:` typed questions, answered with a probability per level (OpenAI; vLLM from 0.33 on, text only)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from ...schemas.errors import UsageError
from ..names import ModelName, api_key
from ..outcome import LevelOdds
from ..request import Question, TypedQuestion
from .http import body_of, call_error, http_client, untyped
from .openai_responses import read_usage
from .wire import CallError, Reply, data_url, typed_as_text


class Decisions:
    concurrency = None

    def __init__(self, model: ModelName, *, timeout: float | None = None) -> None:
        from openai import AsyncOpenAI

        self.model = model
        self.client = AsyncOpenAI(
            api_key=api_key(model), base_url=model.base_url, max_retries=0, http_client=http_client(timeout)
        )

    def body(self, question: Question, *, plain: bool = False) -> dict[str, Any]:
        """The JSON body of `POST /decisions`: one question, and those that go with it."""
        if not isinstance(question, TypedQuestion):
            raise UsageError("decisions: answers typed questions only: use openai: or chat: for text and JSON")
        shared, text = typed_as_text(question)
        content: list[dict[str, Any]] = [{"type": "input_text", "text": shared}] if shared else []
        content += [
            {"type": "input_image", "image_url": data_url(image), "detail": image.detail} for image in question.images
        ]
        content.append({"type": "input_text", "text": text})
        body = {"model": self.model.name, "questions": [_question(one) for one in (question, *question.also)]}
        if self.model.base_url is not None:
            # vLLM (0.33) forbids what OpenAI has beyond this: other roles than the user's, and the cache key
            system = [{"type": "input_text", "text": question.system}] if question.system else []
            return {**body, "input": [{"role": "user", "content": system + content}]}
        messages: list[dict[str, Any]] = [{"role": "user", "content": content}]
        if question.system:
            messages.insert(0, {"role": "system", "content": question.system})
        return {**body, "input": messages, "prompt_cache_key": question.prefix_identity()[:32]}

    async def call(self, question: Question, *, plain: bool = False) -> Reply:
        from openai import OpenAIError

        body = self.body(question)
        assert isinstance(question, TypedQuestion)
        try:
            raw = await self.client.decisions.with_raw_response.create(
                **untyped(body, model="", input="", questions=[])
            )
        except OpenAIError as error:
            if _lacks_decisions(error):
                raise CallError(_without_decisions(self.model), fatal=True) from None
            raise call_error(error, self.model) from None
        return read_reply(body_of(raw.http_response.content), question, dict(raw.headers))

    async def close(self) -> None:
        await self.client.close()


def _lacks_decisions(error: Exception) -> bool:
    """Whether the server knows no such address; one that knows no such model says so with that word. vLLM: 501 where
    the model is of a kind that cannot answer."""
    status = getattr(error, "status_code", None)
    return status in (405, 501) or (
        status == 404 and not re.search(r"\bmodel\b", str(getattr(error, "body", "")).lower())
    )


def _without_decisions(model: ModelName) -> str:
    server = model.base_url or "the server"
    return (
        f"{server} answers no typed questions: it has no POST /decisions, or not for this model (vLLM has it from "
        "0.33 on, for some architectures). "
        "Ask it for JSON with chat:, or a model in this process with vllm: or llama:"
    )


def _question(question: TypedQuestion) -> dict[str, Any]:
    key, kind = ("levels", "score") if question.ordered else ("choices", "choice")
    name = "label" if question.ordered else "value"
    entries = [
        {name: level.label} | ({"description": level.description} if level.description else {})
        for level in question.levels
    ]
    return {"type": kind, "instructions": question.instructions, key: entries}


def read_reply(data: dict[str, Any], question: TypedQuestion, headers: dict[str, str] | None = None) -> Reply:
    """The answers of a Decision, one per question. Raises CallError where they are not the ones asked for."""
    asked, answers = (question, *question.also), data.get("answers") or [{}]
    usage, model = read_usage(data.get("usage") or {}), data.get("model") or ""
    if any(answer.get("type") == "refusal" for answer in answers):
        return Reply(stop="refusal", stop_reason="refusal", refusal="the model declined", model=model, usage=usage)
    if len(answers) != len(asked):
        raise CallError(f"the decision has {len(answers)} answers to {len(asked)} questions", retry=True)
    first, *also = (_odds(answer, one) for answer, one in zip(answers, asked, strict=True))
    odds = replace(first, also=tuple(also))
    return Reply(odds=odds, stop_reason=answers[0].get("type") or "", model=model, usage=usage, headers=headers or {})


def _odds(answer: dict[str, Any], question: TypedQuestion) -> LevelOdds:
    name = "label" if question.ordered else "value"
    given = {entry.get(name): float(entry.get("probability", 0.0)) for entry in answer.get("probabilities") or []}
    labels = [level.label for level in question.levels]
    total = sum(given.get(label, 0.0) for label in labels)
    if set(given) != set(labels) or not 0 < total <= 1.001:
        raise CallError(f"the decision's levels {sorted(map(str, given))} are not the ones asked for", retry=True)
    shares = {label: given[label] / total for label in labels}
    return LevelOdds(shares, outside=max(0.0, 1.0 - total), score=answer.get("score"))
