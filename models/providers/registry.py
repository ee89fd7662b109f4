"""From a model's name to its provider. SDKs are imported here, when a call is really made, and not before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..names import ModelName
from .wire import Provider


@dataclass(frozen=True, slots=True)
class ProviderSettings:
    """timeout: seconds for one reply, None for the provider's own."""

    timeout: float | None = None


def identity_of(model: ModelName) -> dict[str, Any]:
    """What of the model goes into the cache key; needs neither key nor SDK, so that hits cost nothing."""
    if model.provider == "llama":
        from .llama import identity

        return identity(model)
    if model.provider == "vllm":
        from .vllm import identity

        return identity(model)
    return {"provider": model.provider, "name": model.name, "base_url": model.base_url}


def open_provider(model: ModelName, settings: ProviderSettings) -> Provider:
    """The provider, ready to be called. Raises ProviderError where a key or an extra is missing."""
    match model.provider:
        case "openai":
            from .openai_responses import OpenAIResponses

            return OpenAIResponses(model, timeout=settings.timeout)
        case "chat":
            from .openai_chat import OpenAIChat

            return OpenAIChat(model, timeout=settings.timeout)
        case "anthropic":
            from .anthropic_messages import AnthropicMessages

            return AnthropicMessages(model, timeout=settings.timeout)
        case "decisions":
            from .decisions import Decisions

            return Decisions(model, timeout=settings.timeout)
        case "llama":
            from .llama import Llama

            return Llama(model)
        case _:
            from .vllm import VLLM

            return VLLM(model)
