"""What the fake server answers: a function, a file of matchers and replies, or a sample of the schema."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ...schemas.errors import UsageError


@dataclass(frozen=True)
class Ask:
    """A request as any protocol carried it. `text`: system and all text parts; `schema` and `levels` where asked
    for; `more`: (levels, ordered) of a Decision's further questions, for each of which the handler is called again;
    `images` and `files`: how many; `seen`: how often this very body came before."""

    protocol: str
    model: str
    text: str
    system: str = ""
    schema: Mapping[str, Any] | None = None
    levels: tuple[str, ...] = ()
    ordered: bool = True
    more: tuple[tuple[tuple[str, ...], bool], ...] = ()
    images: int = 0
    files: int = 0
    stream: bool = False
    seen: int = 0
    digest: str = ""
    prefix: str = ""
    max_tokens: int = 0
    body: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class FakeReply:
    """stop: `end`, `length` or `refusal`. odds: probabilities in the order of the levels. status: an HTTP error."""

    text: str = ""
    stop: str = "end"
    odds: tuple[float, ...] = ()
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    cached_tokens: int = 0
    more: tuple[FakeReply, ...] = ()


Handler = Callable[[Ask], "FakeReply | str | dict[str, Any] | list[Any] | None"]


class Script:
    """A handler, and a sample where it returns None."""

    def __init__(self, handler: Handler | None = None) -> None:
        self._handler = handler

    def answer(self, ask: Ask) -> FakeReply:
        """The reply; of a Decision with several questions one for each."""
        each = [replace(ask, levels=levels, ordered=ordered, more=()) for levels, ordered in ask.more]
        return replace(self._answer(ask), more=tuple(self._answer(one) for one in each))

    def _answer(self, ask: Ask) -> FakeReply:
        made = self._handler(ask) if self._handler else None
        match made:
            case FakeReply():
                return made
            case str():
                return FakeReply(made)
            case None:
                return sample_reply(ask)
            case _:
                return FakeReply(json.dumps(made, ensure_ascii=False))


def sample_reply(ask: Ask) -> FakeReply:
    """The same for the same request: the schema's first values, probabilities from the request's digest."""
    if ask.levels:
        weights = [1 + digest_byte(ask.digest, index) for index in range(len(ask.levels))]
        return FakeReply(odds=tuple(weight / sum(weights) for weight in weights))
    if ask.schema is not None:
        return FakeReply(json.dumps(sample(ask.schema), ensure_ascii=False))
    return FakeReply("ok")


def digest_byte(digest: str, index: int) -> int:
    return hashlib.sha256(f"{digest}:{index}".encode()).digest()[0]


def sample(schema: Mapping[str, Any]) -> Any:
    """The smallest value of a schema in the dialect."""
    if "enum" in schema:
        return schema["enum"][0]
    if "const" in schema:
        return schema["const"]
    if "anyOf" in schema:
        return sample(schema["anyOf"][0])
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    match kind:
        case "object":
            return {name: sample(child) for name, child in schema["properties"].items()}
        case "array":
            return []
        case "string":
            return "text"
        case "boolean":
            return True
        case "null":
            return None
        case _:
            return 1


def load_script(path: Path) -> Script:
    """A JSONL file: `{"contains": "…", "matches": "regex", "model": "…", "protocol": "…", "times": 1, "reply": …}`
    per line. The first line that fits, and is not used up, answers; `reply` is a text or a JSON value; `stop`,
    `odds` and `status` as in FakeReply. Raises UsageError with the line's number."""
    rules = []
    try:
        lines = path.read_text("utf-8").splitlines()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    for number, line in enumerate(lines, start=1):
        if line.strip():
            rules.append(_Rule.read(line, f"{path.name}, line {number}"))

    def answer(ask: Ask) -> FakeReply | None:
        for rule in rules:
            if rule.fits(ask):
                rule.left -= 1
                return rule.reply
        return None

    return Script(answer)


@dataclass
class _Rule:
    test: dict[str, Any]
    reply: FakeReply
    left: float

    @classmethod
    def read(cls, line: str, where: str) -> _Rule:
        tests = {"contains", "matches", "model", "protocol"}
        known = tests | {"times", "reply", "stop", "odds", "status"}
        try:
            record = json.loads(line)
            if not isinstance(record, dict) or not set(record) <= known:
                raise ValueError(f"the keys are {', '.join(sorted(known))}")
            re.compile(record.get("matches", ""))
        except (ValueError, re.error) as error:
            raise UsageError(f"{where}: {error}") from None
        said = record.get("reply", "")
        text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
        status, odds = int(record.get("status", 200)), tuple(record.get("odds", ()))
        reply = FakeReply(text, record.get("stop", "end"), odds, status)
        return cls({key: record[key] for key in tests & set(record)}, reply, record.get("times", float("inf")))

    def fits(self, ask: Ask) -> bool:
        test = self.test
        return (
            self.left > 0
            and test.get("contains", "") in ask.text
            and test.get("model", ask.model) == ask.model
            and test.get("protocol", ask.protocol) == ask.protocol
            and re.search(test.get("matches", ""), ask.text) is not None
        )
