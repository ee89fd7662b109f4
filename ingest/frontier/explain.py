"""`ingest --explain QUESTION BUNDLE`: where each field of a question came from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ...schemas.bundle import Bundle, load_bundle
from ...schemas.errors import UsageError
from ...schemas.exam import Question, Region
from ...schemas.exam_checks import every_question
from ...schemas.printable import printable
from ...schemas.reading import FieldOrigin
from ...schemas.rule_text import rule_lines
from ..assembly.proof import block_strings
from .merged import field_paths

_SHOWN = 160


def explain(path: Path, name: str) -> dict[str, Any]:
    """The question's fields with words, witness, round, match and boxes, as plain data.

    Raises UsageError where the bundle has no such question or was read without a model.
    """
    bundle = load_bundle(path)
    reading = bundle.manifest.reading
    wanted = name.casefold()  # ids are told apart without regard to case
    asked = [q for q in every_question(bundle.exam) if wanted in (q.id.casefold(), (q.number or "").casefold())]
    question = next((q for q in asked if q.id.casefold() == wanted), asked[0] if asked else None)
    if question is None:
        ids = [q.id for q in every_question(bundle.exam)]
        raise UsageError(f"{printable(path)} has no question {printable(name)}; it has {', '.join(ids[:8])} …")
    origins = reading.origins.get(question.id, {}) if reading else {}
    fields = [
        _field(path_, question, bundle, origins.get(path_))
        for path_ in field_paths(question, bundle.grading.questions.get(question.id))
    ]
    return {
        "question": question.id,
        "status": question.checks.status if question.checks else None,
        "text_match": question.checks.text_match if question.checks else None,
        "provenance": [region.model_dump() for region in question.provenance],
        "fields": fields,
        "findings": [
            finding.model_dump(mode="json", exclude_none=True)
            for finding in bundle.manifest.findings
            if finding.where.question == question.id
        ],
    }


def _field(path: str, question: Question, bundle: Bundle, origin: FieldOrigin | None) -> dict[str, Any]:
    return {
        "field": path,
        "words": _words(path, question, bundle),
        # a bundle that no model took part in has one witness
        "witness": origin.witness if origin else "layout",
        "round": origin.round if origin else 0,
        "match": origin.match if origin else None,
        "regions": [region.model_dump() for region in origin.regions] if origin else [],
    }


def _words(path: str, question: Question, bundle: Bundle) -> str:
    head, _, rest = path.partition(".")
    if head in ("number", "type", "points"):
        return f"{getattr(question, head):g}" if head == "points" else str(getattr(question, head) or "")
    if head in ("key", "rubric"):
        return " / ".join(line.strip() for line in rule_lines(bundle.grading.questions[question.id]))
    if head == "blanks":
        count = len(question.blanks or [])
        return "1 gap" if count == 1 else f"{count} gaps"
    if head == "prompt":
        return " ".join(block_strings(question.prompt))
    items = list(question.options or [])
    if head == "matching" and question.matching:
        side, _, rest = rest.partition(".")
        items = question.matching.left if side == "left" else question.matching.right
    content = next((item.content for item in items if item.id == rest), [])
    return " ".join(block_strings(content)) or ("a picture" if content else "")


def explained(told: dict[str, Any], sources: Sequence[str]) -> Iterator[str]:
    """The explanation as lines for a terminal."""
    match = "" if told["text_match"] is None else f", {told['text_match']:.0%} of its text found on the page"
    yield f"{told['question']}: {told['status'] or 'not checked'}{match}"
    for one in told["fields"]:
        when = f", settled in round {one['round']}" if one["round"] else ""
        found = "" if one["match"] is None else f", {one['match']:.0%} found"
        yield f"  {printable(one['field'])}: from {_who(one['witness'])}{when}{found}"
        if one["words"]:
            words = " ".join(one["words"].split())
            yield f"    “{printable(words if len(words) <= _SHOWN else words[: _SHOWN - 1] + '…')}”"
        for region in one["regions"][:3]:
            yield f"    {_place(Region.model_validate(region), sources)}"
    for finding in told["findings"]:
        yield f"  {finding['severity']}: {printable(finding['message'])}"


def _who(witness: str) -> str:
    return {"layout": "the layout engine", "both": "both, which agree"}.get(witness, printable(witness))


def _place(region: Region, sources: Sequence[str]) -> str:
    name = sources[region.source] if region.source < len(sources) else f"source {region.source}"
    box = f"({region.x0:.0f}, {region.y0:.0f}) to ({region.x1:.0f}, {region.y1:.0f})"
    return f"{printable(name)}, page {region.page + 1}, {box}"
