"""manifest.json: where the bundle came from and how far it can be trusted."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from .base import SCHEMA_VERSION, Contract, absent
from .findings import Finding, FindingBox
from .reading import ModelReading

SourceRole = Literal["paper", "key", "markscheme", "solution", "answersheet", "other"]


class Source(Contract):
    """One source file; `path` is its name only."""

    path: str
    sha256: str
    pages: int | None = Field(default=None, ge=0, exclude_if=absent)
    role: SourceRole | None = Field(default=None, exclude_if=absent)


class UnassignedWords(Contract):
    """Words of a question page that no question, instruction, furniture or figure claims."""

    source: int = Field(ge=0)
    page: int = Field(ge=0)
    box: FindingBox
    text: str


class Coverage(Contract):
    """Counts of words on question pages by what claims them."""

    words: int = Field(ge=0)
    question: int = Field(ge=0)
    instruction: int = Field(ge=0)
    furniture: int = Field(ge=0)
    figure: int = Field(ge=0)
    unassigned: int = Field(ge=0)
    unassigned_words: list[UnassignedWords] = []


class Rights(Contract):
    publisher: str | None = None
    licence: str | None = None
    permission: str | None = None


class Fetched(Contract):
    """Where a bundle was fetched from: a dataset repository, pinned to a commit. `passphrase` is that of the card,
    where the key is sealed."""

    repo: str
    revision: str
    name: str
    passphrase: str | None = Field(default=None, exclude_if=absent)

    def pin(self) -> str:
        """`user/exams@0f3c…#name`: what sheets and reports carry as `bundle_source`."""
        return f"{self.repo}@{self.revision}#{self.name}"


class Manifest(Contract):
    schema_version: str = SCHEMA_VERSION
    created_at: str
    tool_version: str
    ingest_model: str | None = None
    sources: list[Source] = []
    warnings: list[str] = []
    usage: dict[str, Any] | None = None
    engine: str | None = Field(default=None, exclude_if=absent)
    findings: list[Finding] = Field(default=[], exclude_if=absent)
    coverage: Coverage | None = Field(default=None, exclude_if=absent)
    digest: str | None = Field(default=None, exclude_if=absent)
    rights: Rights | None = Field(default=None, exclude_if=absent)
    canary: str | None = Field(default=None, exclude_if=absent)
    reading: ModelReading | None = Field(default=None, exclude_if=absent)
    fetched: Fetched | None = Field(default=None, exclude_if=absent)

    def source(self) -> str | None:
        """The pin of the dataset that the bundle was fetched from; None for one made here."""
        return self.fetched.pin() if self.fetched else None
