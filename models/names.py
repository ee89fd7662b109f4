"""Names of models: `PROVIDER:NAME[@BASE_URL]`, the same everywhere.

The address behind the last `@http…` is checked here: https anywhere, http to this machine only unless the
user allows more, no user name or password, which would end up in reports.
"""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from ..schemas.errors import ProviderError, UsageError


@dataclass(frozen=True, slots=True)
class Provider:
    """What `models list` shows. `key`: environment variable of the secret; `extra`: what to install."""

    name: str
    speaks: str
    key: str | None
    extra: str | None
    example: str
    needs_key: bool = True


PROVIDERS: dict[str, Provider] = {
    "openai": Provider("openai", "OpenAI Responses", "OPENAI_API_KEY", None, "openai:gpt-5.6"),
    "chat": Provider(
        "chat",
        "any OpenAI-compatible chat server (vLLM, llama.cpp, Ollama, gateways)",
        "CHAT_API_KEY",
        None,
        "chat:qwen3@http://127.0.0.1:8000/v1",
        needs_key=False,
    ),
    "anthropic": Provider("anthropic", "Anthropic Messages", "ANTHROPIC_API_KEY", None, "anthropic:claude-opus-5"),
    "decisions": Provider(
        "decisions",
        "Decisions: typed questions, a probability per level",
        "OPENAI_API_KEY",
        None,
        "decisions:gpt-6-luna",
    ),
    "vllm": Provider("vllm", "vLLM in this process", None, "vllm", "vllm:Qwen/Qwen3-8B"),
    "llama": Provider("llama", "llama.cpp in this process", None, "local", "llama:judge"),
}


ADDRESSES = {"openai": "OPENAI_BASE_URL", "decisions": "OPENAI_BASE_URL", "anthropic": "ANTHROPIC_BASE_URL"}


@dataclass(frozen=True, slots=True)
class ModelName:
    """A parsed model name. `base_url` is normalised: lower-case host, no trailing slash, no default port."""

    provider: str
    name: str
    base_url: str | None = None

    def __str__(self) -> str:
        return f"{self.provider}:{self.name}" + (f"@{self.base_url}" if self.base_url else "")

    @property
    def public(self) -> str:
        """The name without the folders of a local file: fit for a cache that travels."""
        return f"{self.provider}:{Path(self.name).name}" if self.local else str(self)

    @property
    def local(self) -> bool:
        """Runs inside this process: no key, no price."""
        return self.provider in ("llama", "vllm")


def parse_model(text: str, *, allow_http: bool = False) -> ModelName:
    """Read `PROVIDER:NAME[@BASE_URL]`. Raises UsageError with the form that is expected."""
    provider, colon, rest = text.strip().partition(":")
    if not colon or provider not in PROVIDERS or not rest:
        known = ", ".join(f"{name}:" for name in PROVIDERS)
        raise UsageError(f"{text!r} names no model: write PROVIDER:NAME[@BASE_URL] with one of {known}")
    cut = rest.rfind("@http")
    name, url = (rest, None) if cut < 0 else (rest[:cut], rest[cut + 1 :])
    if not name:
        raise UsageError(f"{text!r} has an address but no model name before the @")
    if provider == "chat" and url is None:
        raise UsageError(f"{text!r} needs the server's address: chat:{name}@http://127.0.0.1:8000/v1")
    if url is not None and provider in ("llama", "vllm"):
        raise UsageError(f"{provider}: runs in this process and takes no address; a server is chat:{name}@{url}")
    # the SDKs would go there by themselves: then the name says so, and the rules for addresses hold
    url = url or os.environ.get(ADDRESSES.get(provider, ""), "").strip() or None
    return ModelName(provider, name, None if url is None else check_url(url, allow_http=allow_http))


def check_url(url: str, *, allow_http: bool = False) -> str:
    """The normalised address, or UsageError: http beyond this machine, credentials or a query in it."""
    try:
        split = urlsplit(url)
        port = split.port
    except ValueError as error:
        raise UsageError(f"{url!r} is no address: {error}") from None
    host = (split.hostname or "").lower()
    if split.scheme not in ("http", "https") or not host:
        raise UsageError(f"{url!r} is no http(s) address")
    if split.username or split.password:
        raise UsageError(f"the address of {host} carries a user name or password: put the key into the environment")
    if split.query or split.fragment:
        raise UsageError(f"the address of {host} carries a query or fragment, which model servers do not take")
    if split.scheme == "http" and not is_loopback(host) and not allow_http:
        raise UsageError(f"{url} is plain http to another machine: use https, or --allow-http if you trust the network")
    default = 443 if split.scheme == "https" else 80
    shown = f"[{host}]" if ":" in host else host
    netloc = shown if port in (None, default) else f"{shown}:{port}"
    return urlunsplit((split.scheme, netloc, split.path.rstrip("/"), "", ""))


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def api_key(model: ModelName) -> str:
    """The provider's secret from the environment. Raises ProviderError where one is needed and missing.

    A model with an address of the user's own needs none: servers on this machine ask for no key.
    """
    provider = PROVIDERS[model.provider]
    value = os.environ.get(provider.key or "", "").strip()
    if value:
        return value
    if provider.needs_key and model.base_url is None:
        raise ProviderError(f"{model} needs the environment variable {provider.key}, which is not set")
    return "none"
