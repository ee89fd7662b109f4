"""What is asked of a model: a frozen record, the same for every provider.

Two kinds. A `Request` asks for text or for JSON that obeys a schema. A `TypedQuestion` asks for one of a few
levels and is answered with a probability per level.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ..schemas.errors import UsageError

Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
EFFORTS: tuple[Effort, ...] = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
Detail = Literal["low", "high", "auto", "original"]
ImageType = Literal["image/png", "image/jpeg", "image/gif", "image/webp"]


@dataclass(frozen=True, slots=True)
class TextPart:
    text: str

    def identity(self) -> dict[str, Any]:
        return {"text": self.text}


@dataclass(frozen=True, slots=True)
class ImagePart:
    """Encoded image bytes. `detail` is OpenAI's resolution setting; the other providers see the pixels as sent."""

    data: bytes = field(repr=False)
    media_type: ImageType = "image/png"
    detail: Detail = "high"

    def identity(self) -> dict[str, Any]:
        digest = hashlib.sha256(self.data).hexdigest()
        return {"image": digest, "type": self.media_type, "detail": self.detail}


@dataclass(frozen=True, slots=True)
class PdfPart:
    """A whole PDF file. `name` is shown to the provider and shapes no reply."""

    data: bytes = field(repr=False)
    name: str = "document.pdf"

    def identity(self) -> dict[str, Any]:
        return {"pdf": hashlib.sha256(self.data).hexdigest()}


Part = TextPart | ImagePart | PdfPart


@dataclass(frozen=True)
class Request:
    """One question to a model.

    schema: a JSON Schema in the dialect of `models.dialect`, or None for free text.
    max_tokens: limit of the reply, thinking included.
    temperature: sent where the provider still has one (`openai:`, `chat:`, `llama:`, `vllm:`).
    prefix_parts: how many of the leading parts are the same in other requests (system text always counts to
        the prefix). Requests with an equal prefix are sent in a row and carry the provider's cache hint.
    repeat: 0, 1, 2…: the same question asked anew, each with a reply of its own in the cache.
    plain: ask for JSON in plain text instead of by constrained decoding.
    tag: the caller's own name for the request; shapes no reply.
    """

    parts: tuple[Part, ...]
    system: str = ""
    schema: Mapping[str, Any] | None = None
    effort: Effort | None = None
    max_tokens: int = 8192
    temperature: float | None = None
    prefix_parts: int = 0
    repeat: int = 0
    plain: bool = False
    tag: str = ""

    def identity(self) -> dict[str, Any]:
        """Everything of the request that shapes its reply, ready for canonical JSON."""
        return {
            "kind": "text",
            "system": self.system,
            "parts": [part.identity() for part in self.parts],
            # as a string: canonical JSON sorts keys, yet a decoder writes properties in the schema's order
            "schema": None if self.schema is None else json.dumps(self.schema, ensure_ascii=False),
            "effort": self.effort,
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
            "repeat": self.repeat,
            "plain": self.plain,
        }

    def prefix_identity(self) -> str:
        """Equal for requests that share their stable prefix."""
        stable = [self.system, [part.identity() for part in self.parts[: self.prefix_parts]]]
        return hashlib.sha256(json.dumps(stable).encode()).hexdigest()

    def text(self) -> str:
        """All text parts, for a look at what is asked."""
        return "\n\n".join(part.text for part in self.parts if isinstance(part, TextPart))


@dataclass(frozen=True, slots=True)
class Level:
    """One possible answer. For `llama:` and `vllm:` the label must be one token of the model (`Yes`, `No`, `2`)."""

    label: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class Example:
    """A worked example: the text as the model will see the real one, and the label that is right for it."""

    text: str
    label: str


@dataclass(frozen=True)
class TypedQuestion:
    """Choose one of these levels for this text.

    system: who judges, and what counts.
    stimulus: what all texts of this question share (the question, the reference, the rubric).
    focus: what this typed question asks beside others on the same stimulus (one level of one criterion).
    text: what is judged; the only part that changes from one taker to the next.
    instructions: the question itself ("Which level does the answer reach?").
    levels: 2 to 10 in order where `ordered`, else 2 to 255 values.
    cue: what stands before the label in a raw completion.
    also: further questions on the same text, asked in the same call (`decisions:` only); of each only instructions
        and levels count.
    image: pictures of the stimulus, for providers that can see.
    """

    text: str
    levels: tuple[Level, ...]
    instructions: str
    system: str = ""
    stimulus: str = ""
    focus: str = ""
    examples: tuple[Example, ...] = ()
    ordered: bool = True
    cue: str = "Verdict:"
    images: tuple[ImagePart, ...] = ()
    repeat: int = 0
    tag: str = ""
    also: tuple[TypedQuestion, ...] = ()

    def __post_init__(self) -> None:
        labels = [level.label for level in self.levels]
        most = 10 if self.ordered else 255
        if not 2 <= len(labels) <= most or len(set(labels)) != len(labels):
            raise UsageError(f"a typed question needs 2 to {most} different levels, not {labels}")
        for example in self.examples:
            if example.label not in labels:
                raise UsageError(f"the worked example is labelled {example.label!r}, which is none of {labels}")

    def identity(self) -> dict[str, Any]:
        """Everything of the question that shapes its answer, ready for canonical JSON."""
        return {
            "kind": "typed",
            "system": self.system,
            "stimulus": self.stimulus,
            **({"focus": self.focus} if self.focus else {}),
            "text": self.text,
            "instructions": self.instructions,
            "levels": [[level.label, level.description] for level in self.levels],
            "examples": [[example.text, example.label] for example in self.examples],
            "ordered": self.ordered,
            "cue": self.cue,
            "images": [image.identity() for image in self.images],
            "repeat": self.repeat,
            **({"also": [question.own_identity() for question in self.also]} if self.also else {}),
        }

    def own_identity(self) -> dict[str, Any]:
        """What this question asks, whatever it is asked about."""
        levels = [[level.label, level.description] for level in self.levels]
        return {"instructions": self.instructions, "levels": levels, "ordered": self.ordered}

    def prefix_identity(self) -> str:
        """Equal for questions that share everything but the text."""
        stable = {key: value for key, value in self.identity().items() if key not in ("text", "repeat")}
        return hashlib.sha256(json.dumps(stable, sort_keys=True).encode()).hexdigest()

    def stages(self) -> list[str]:
        """The raw completion's stable part in pieces, from what most questions share to what the fewest do: system,
        levels and worked examples; stimulus; focus."""
        named = [f"{level.label}: {level.description}" for level in self.levels if level.description]
        worked = [f"{example.text}\n{self.cue} {example.label}" for example in self.examples]
        head = "\n\n".join(block for block in [self.system, self.instructions, "\n".join(named), *worked] if block)
        return [f"{piece}\n\n" for piece in (head, self.stimulus, self.focus) if piece]

    def prefix(self) -> str:
        """The raw completion's stable part."""
        return "".join(self.stages())

    def suffix(self) -> str:
        """The raw completion's changing part; the next token is the label, after one space."""
        return f"{self.text}\n{self.cue}"


Question = Request | TypedQuestion
