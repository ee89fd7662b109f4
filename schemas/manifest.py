"""manifest.json: where the bundle came from and how far it can be trusted."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from .base import SCHEMA_VERSION, Contract
from .findings import Finding, FindingBox

SourceRole = Literal["paper", "key", "markscheme", "solution", "answersheet", "other"]


class Source(Contract):
    """One source file; `path` is its name only."""

    path: str
    sha256: str
    pages: int | None = Field(default=None, ge=0)
    role: SourceRole | None = None


class UnassignedWords(Contract):
    """Words of a question page that no question, instruction, furniture or figure claims."""

    source: int
    page: int
    box: FindingBox
    text: str


class Coverage(Contract):
    """Counts of words on question pages by what claims them."""

    words: int
    question: int
    instruction: int
    furniture: int
    figure: int
    unassigned: int
    unassigned_words: list[UnassignedWords] = []


class Rights(Contract):
    publisher: str | None = None
    licence: str | None = None
    permission: str | None = None


class Manifest(Contract):
    schema_version: str = SCHEMA_VERSION
    created_at: str
    tool_version: str
    ingest_model: str | None = None
    sources: list[Source] = []
    warnings: list[str] = []
    usage: dict[str, Any] | None = None
    engine: str | None = None
    findings: list[Finding] = []
    coverage: Coverage | None = None
    digest: str | None = None
    rights: Rights | None = None
    canary: str | None = None
