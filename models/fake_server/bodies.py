"""The request bodies that the fake server takes, one model per protocol: an unknown field is a 400, as at the
real services."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
Detail = Literal["low", "high", "auto", "original"]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class JsonFormat(Strict):
    type: Literal["json_schema"]
    name: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")
    wanted: dict[str, Any] = Field(alias="schema")
    strict: bool | None = None
    description: str | None = None


# --- Responses


class InputText(Strict):
    type: Literal["input_text"]
    text: str


class InputImage(Strict):
    type: Literal["input_image"]
    image_url: str
    detail: Detail


class InputFile(Strict):
    type: Literal["input_file"]
    filename: str
    file_data: str
    detail: Detail | None = None


class ResponsesMessage(Strict):
    type: Literal["message"] = "message"
    role: Literal["user", "system", "developer", "assistant"]
    content: str | list[Annotated[InputText | InputImage | InputFile, Field(discriminator="type")]]


class TextConfig(Strict):
    format: JsonFormat | None = None
    verbosity: Literal["low", "medium", "high"] | None = None


class ReasoningConfig(Strict):
    effort: Effort | None = None
    summary: str | None = None


class ResponsesBody(Strict):
    model: str
    input: str | list[ResponsesMessage]
    instructions: str | None = None
    max_output_tokens: int | None = Field(default=None, ge=16)
    store: bool | None = None
    prompt_cache_key: str | None = None
    text: TextConfig | None = None
    reasoning: ReasoningConfig | None = None
    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = None
    stream: bool = False
    metadata: dict[str, str] | None = None


# --- chat completions


class ChatText(Strict):
    type: Literal["text"]
    text: str


class ImageUrl(Strict):
    url: str
    detail: Literal["low", "high", "auto"] | None = None


class ChatImage(Strict):
    type: Literal["image_url"]
    image_url: ImageUrl


class FileData(Strict):
    filename: str
    file_data: str


class ChatFile(Strict):
    type: Literal["file"]
    file: FileData


class ChatMessage(Strict):
    role: Literal["user", "system", "developer", "assistant"]
    content: str | list[Annotated[ChatText | ChatImage | ChatFile, Field(discriminator="type")]]


class ChatSchema(Strict):
    name: str
    wanted: dict[str, Any] = Field(alias="schema")
    strict: bool | None = None


class ChatFormat(Strict):
    type: Literal["json_schema"]
    json_schema: ChatSchema


class StreamOptions(Strict):
    include_usage: bool = False


class ChatBody(Strict):
    model: str
    messages: list[ChatMessage]
    max_tokens: int | None = Field(default=None, ge=1)
    max_completion_tokens: int | None = Field(default=None, ge=1)
    response_format: ChatFormat | None = None
    reasoning_effort: Effort | None = None
    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = None
    seed: int | None = None
    stream: bool = False
    stream_options: StreamOptions | None = None
    chat_template_kwargs: dict[str, Any] | None = None


# --- Messages


class CacheControl(Strict):
    type: Literal["ephemeral"]
    ttl: Literal["5m", "1h"] | None = None


class Base64Source(Strict):
    type: Literal["base64"]
    media_type: Literal["image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf"]
    data: str


class TextBlock(Strict):
    type: Literal["text"]
    text: str = Field(min_length=1)
    cache_control: CacheControl | None = None


class Transformations(Strict):
    oversized_image: Literal["downsize", "error"] | None = None


class ImageBlock(Strict):
    type: Literal["image"]
    source: Base64Source
    cache_control: CacheControl | None = None
    transformations: Transformations | None = None


class DocumentBlock(Strict):
    type: Literal["document"]
    source: Base64Source
    title: str | None = None
    cache_control: CacheControl | None = None


class AnthropicMessage(Strict):
    role: Literal["user", "assistant"]
    content: str | list[Annotated[TextBlock | ImageBlock | DocumentBlock, Field(discriminator="type")]]


class AnthropicFormat(Strict):
    type: Literal["json_schema"]
    wanted: dict[str, Any] = Field(alias="schema")


class OutputConfig(Strict):
    effort: Literal["low", "medium", "high", "xhigh", "max"] | None = None
    format: AnthropicFormat | None = None


class Thinking(Strict):
    type: Literal["adaptive", "disabled"]


class MessagesBody(Strict):
    """No temperature, top_p or top_k: the protocol has dropped them."""

    model: str
    max_tokens: int = Field(ge=1)
    messages: list[AnthropicMessage]
    system: str | list[TextBlock] | None = None
    output_config: OutputConfig | None = None
    thinking: Thinking | None = None
    stream: bool = False
    metadata: dict[str, Any] | None = None
    stop_sequences: list[str] | None = None
    cache_control: CacheControl | None = None


# --- Decisions


class LevelEntry(Strict):
    label: str
    description: str | None = None


class ChoiceEntry(Strict):
    value: str | bool
    description: str | None = None


class ScoreQuestion(Strict):
    type: Literal["score"]
    instructions: str
    levels: list[LevelEntry] = Field(min_length=2, max_length=10)
    name: str | None = None


class ChoiceQuestion(Strict):
    type: Literal["choice"]
    instructions: str
    choices: list[ChoiceEntry] = Field(min_length=2, max_length=255)
    name: str | None = None


class DecisionMessage(Strict):
    type: Literal["message"] = "message"
    role: Literal["user", "system", "developer", "assistant"]
    content: str | list[Annotated[InputText | InputImage, Field(discriminator="type")]]


class DecisionsBody(Strict):
    model: str
    input: str | list[DecisionMessage]
    questions: list[Annotated[ScoreQuestion | ChoiceQuestion, Field(discriminator="type")]] = Field(
        min_length=1, max_length=400
    )
    prompt_cache_key: str | None = None


# --- batches


class OpenAIBatchBody(Strict):
    input_file_id: str
    endpoint: Literal["/v1/responses", "/v1/chat/completions"]
    completion_window: Literal["24h"]
    metadata: dict[str, str] | None = None


class AnthropicBatchItem(Strict):
    custom_id: str = Field(pattern=r"^[a-zA-Z0-9_-]{1,64}$")
    params: dict[str, Any]


class AnthropicBatchBody(Strict):
    requests: list[AnthropicBatchItem] = Field(min_length=1, max_length=100_000)
