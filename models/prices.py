"""What calls cost: prices per million tokens, an upper bound before a call, the bill after it."""

from __future__ import annotations

import io
import json
import math
from dataclasses import dataclass
from functools import lru_cache

from ..schemas.errors import UsageError
from .names import ModelName
from .outcome import Usage
from .request import ImagePart, PdfPart, Question, Request, TextPart, TypedQuestion

BATCH_SHARE = 0.5
MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens. `cached` and `cache_write` are input tokens of those kinds."""

    input: float
    output: float
    cached: float
    cache_write: float

    def cost(self, usage: Usage) -> float:
        fresh = max(0, usage.input - usage.cached - usage.cache_write)
        tokens = fresh * self.input + usage.cached * self.cached + usage.cache_write * self.cache_write
        return (tokens + usage.output * self.output) / MILLION

    def scaled(self, share: float) -> Price:
        return Price(self.input * share, self.output * share, self.cached * share, self.cache_write * share)


FREE = Price(0.0, 0.0, 0.0, 0.0)


def parse_price(text: str) -> Price:
    """`IN,OUT` in dollars per million tokens; cached tokens are charged as fresh ones, the safe side."""
    try:
        price_in, price_out = (float(number) for number in text.split(","))
    except ValueError:
        raise UsageError(f"--price {text!r}: write IN,OUT in US dollars per million tokens, such as 0.25,2") from None
    if not (0 <= price_in < math.inf and 0 <= price_out < math.inf):
        raise UsageError(f"--price {text!r}: prices are finite and not negative")
    return Price(price_in, price_out, price_in, price_in)


def find_price(model: ModelName) -> Price | None:
    """The list price that genai-prices knows for the model, zero for models in this process, else None.

    A model behind an address of the user's own has no list price.
    """
    if model.local:
        return FREE
    if model.base_url is not None:
        return None
    provider = {"openai": "openai", "decisions": "openai", "anthropic": "anthropic"}.get(model.provider)
    return None if provider is None else _listed(provider, model.name)


@lru_cache(maxsize=32)
def _listed(provider: str, name: str) -> Price | None:
    import genai_prices

    def charge(**tokens: int) -> float:
        usage = genai_prices.Usage(**tokens)
        # beyond the ten thousand tokens, tiers for long contexts would start
        return float(genai_prices.calc_price(usage, name, provider_id=provider).total_price) * 100

    try:
        fresh = charge(input_tokens=10_000)
        return Price(
            fresh,
            charge(input_tokens=0, output_tokens=10_000),
            charge(input_tokens=10_000, cache_read_tokens=10_000),
            charge(input_tokens=10_000, cache_write_tokens=10_000) or fresh,
        )
    except LookupError:
        return None


@dataclass(frozen=True, slots=True)
class Estimate:
    """Input tokens from below and above, and the most output tokens."""

    low: int
    high: int
    output: int


def estimate(question: Question) -> Estimate:
    """Tokens before the call. Text: a quarter to a half of its UTF-8 bytes; pictures by their pixels; a PDF page
    500 to 6,000."""
    if isinstance(question, TypedQuestion):
        asked = "".join(json.dumps(one.own_identity(), ensure_ascii=False) for one in question.also)
        size = len((question.prefix() + question.suffix() + asked).encode("utf-8", "replace"))
        pictures = [_picture(image.data) for image in question.images]
        return _sum(size, pictures, 8)
    size = len(question.system.encode("utf-8", "replace"))
    pictures: list[tuple[int, int]] = []
    for part in question.parts:
        match part:
            case TextPart():
                size += len(part.text.encode("utf-8", "replace"))
            case ImagePart():
                pictures.append(_picture(part.data))
            case PdfPart():
                pages = _pages(part.data)
                pictures.append((500 * pages, 6000 * pages))
    size += _schema_size(question)
    return _sum(size, pictures, question.max_tokens)


def worst_cost(question: Question, price: Price) -> float:
    """The most that one call can cost: the upper estimate of its input, and its whole output limit."""
    tokens = estimate(question)
    return price.cost(Usage(input=tokens.high, output=tokens.output))


def _sum(size: int, pictures: list[tuple[int, int]], output: int) -> Estimate:
    low = size // 4 + sum(picture[0] for picture in pictures)
    return Estimate(low, size // 2 + 50 + sum(picture[1] for picture in pictures), output)


def _schema_size(request: Request) -> int:
    from .dialect import dumps

    return 0 if request.schema is None else len(dumps(request.schema))


def _picture(data: bytes) -> tuple[int, int]:
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(data)) as image:
            pixels = image.width * image.height
    except (UnidentifiedImageError, OSError, Image.DecompressionBombError):
        pixels = 4_000_000
    return min(1_000, pixels // 1024), min(16_000, pixels // 500 + 100)


def _pages(data: bytes) -> int:
    return max(1, data.count(b"/Type /Page") + data.count(b"/Type/Page"))
