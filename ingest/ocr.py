"""OCR of pages without a usable text layer (RapidOCR, the extra `[ocr]`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..schemas.findings import Finding, Where
from .page import Page
from .sources import SourceFile


def read_by_ocr(
    source: SourceFile, pages: Sequence[Page], *, mode: str, language: str | None
) -> tuple[list[Page], list[Finding]]:
    """The pages with OCR words where their layer cannot be used, and findings for pages nobody read."""
    findings: list[Finding] = []
    result: list[Page] = []
    for page in pages:
        if page.trust.usable:
            result.append(page)
            continue
        result.append(replace(page, words=(), read_by="nothing"))
        findings.append(
            Finding(
                code="page.unread",
                severity="warning",
                where=Where(source=source.index, page=page.number),
                message=f"{source.name}, page {page.number + 1}: no usable text layer, the page was not read.",
                hint="Install the OCR extra: pip install 'exam2bench[ocr]'.",
            )
        )
    return result, findings
