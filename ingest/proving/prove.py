"""One proof for every reading: each field located on its page, every word of the page accounted for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ...schemas.exam import Exam, Region
from ...schemas.exam_checks import every_question
from ...schemas.findings import Finding, Where
from ...schemas.manifest import Coverage
from ...schemas.printable import printable
from ..assembly.proof import PARTIAL, SURE_OCR, VERIFIED, ProofStatus
from ..draft import KeyEntry
from ..formulas.visible import latex_faults
from ..witness import Witness
from .alignment import Aligned, Span, align_claims
from .claims import claims_of
from .formulas import settle_formulas
from .keyed import check_keys
from .labels import option_findings
from .losses import Loss, coverage, loss_findings, losses
from .marks import mark_findings
from .nearby import settle_short
from .numbers import number_findings
from .page_index import PageIndex, PageWord, box_of, quoted, regions_of
from .wording import SENTENCE, Unproved, unproved


@dataclass(frozen=True)
class FieldProof:
    """One field: `match` is the share of its letters found on the page (None: it claims nothing), `missing` what was
    not found."""

    match: float | None
    words: tuple[PageWord, ...] = ()
    missing: tuple[str, ...] = ()

    @cached_property
    def regions(self) -> list[Region]:
        """Where it stands, one region per column and page."""
        return regions_of(self.words)


@dataclass
class QuestionProof:
    """One question without its sub-questions. `fields` by their path (`prompt`, `options.B`)."""

    question_id: str
    status: ProofStatus = "unverified"
    text_match: float | None = None
    fields: dict[str, FieldProof] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    @property
    def regions(self) -> list[Region]:
        """Where the question stands, tight around its words."""
        return regions_of(dict.fromkeys(word for proof in self.fields.values() for word in proof.words))


@dataclass
class Proof:
    """The proof of a whole exam. `findings` are all of them, those of the questions included, in print order."""

    questions: dict[str, QuestionProof]
    findings: list[Finding]
    aligned: Aligned = field(repr=False)
    losses: list[Loss] = field(repr=False)

    @cached_property
    def coverage(self) -> Coverage:
        """Every word of the question pages by its owner, as the manifest keeps it."""
        return coverage(self.aligned, self.losses)


def prove(witness: Witness, index: PageIndex, entries: Sequence[KeyEntry] = ()) -> Proof:
    """Prove a reading against its pages. `entries` are what the sources' keys say, as the layout pass read them."""
    exam = witness.exam
    aligned = align_claims(claims_of(exam), index.paper)
    for span in aligned.spans:
        settle_formulas(aligned, span)
    settle_short(aligned)
    doubts = {n: list(unproved(aligned, span, index)) for n, span in enumerate(aligned.spans)}
    found = losses(aligned)
    # a remark on a direction, or none on a label, does not speak for the words that it faces
    told = (d for n, list_ in doubts.items() for d in list_ if _severity(aligned.spans[n], d, index) != "info")
    changed = {id(word) for doubt in told if doubt.span.claim.kind != "label" for word in doubt.printed}
    findings: list[Finding] = []
    for n in doubts:
        findings += _claim_findings(aligned.spans[n], doubts[n], index)
    findings += loss_findings(found, aligned, index, changed)
    findings += option_findings(exam, aligned)
    findings += number_findings(exam, aligned)
    findings += mark_findings(exam)
    findings += check_keys(witness, index, entries)
    questions = _questions(exam, aligned, doubts)
    for finding in findings:
        if finding.where.question in questions:
            questions[finding.where.question].findings.append(finding)
    for proof in questions.values():
        proof.status = _status(proof, index)
    return Proof(questions, findings, aligned, found)


def _claim_findings(span: Span, doubts: Sequence[Unproved], index: PageIndex) -> Iterator[Finding]:
    claim = span.claim
    for fault in latex_faults(claim.raw) if claim.kind in ("text", "cell") else ():
        yield _finding("latex.broken", "warning", span, (), f"{_named(span)}: {fault}.")
    for doubt in doubts if claim.kind != "label" else ():
        severity = _severity(span, doubt, index)
        yield _finding(f"text.{doubt.doubt}", severity, span, doubt.beside, _message(span, doubt))


def _severity(span: Span, doubt: Unproved, index: PageIndex) -> str:
    kind = span.claim.kind
    if doubt.doubt == "unreadable" or span.claim.path == "title":
        return "info"
    ocr = any(index.ocr((w.source, w.page)) for w in doubt.beside)
    if doubt.doubt in ("order", "sign"):
        return "info" if ocr else "warning"
    if kind == "direction":
        return "warning" if doubt.weight >= 12 and not ocr else "info"
    if ocr:
        return "warning" if doubt.weight >= 12 else "info"
    return "error" if doubt.weight >= SENTENCE else "warning"


def _message(span: Span, doubt: Unproved) -> str:
    text = doubt.text if len(doubt.text) <= 80 else doubt.text[:79] + "…"
    name = _named(span)
    if doubt.doubt == "order":
        return f"{name}: its words stand on the page in another order, as where two columns are read across."
    if doubt.doubt == "unreadable":
        return f"{name}: “{text}” cannot be proved, the page's layer has no characters there."
    if doubt.doubt in ("changed", "sign"):
        return f"{name} reads “{text}”, the page prints “{quoted(doubt.printed)}”."
    return f"{name}: “{text}” does not stand on the page."


def _named(span: Span) -> str:
    claim = span.claim
    return claim.path if claim.question is None else f"{claim.question}, {claim.path}"


def _finding(code: str, severity: str, span: Span, words: Sequence[PageWord], message: str) -> Finding:
    where = Where(question=span.claim.question)
    if words:
        first = words[0]
        where = Where(question=span.claim.question, source=first.source, page=first.page, box=box_of(words))
    return Finding.model_validate(
        {"code": code, "severity": severity, "where": where, "message": printable(message, 500)}
    )


def _questions(exam: Exam, aligned: Aligned, doubts: dict[int, list[Unproved]]) -> dict[str, QuestionProof]:
    proofs = {question.id: QuestionProof(question.id) for question in every_question(exam)}
    held: dict[tuple[str, str], list[int]] = defaultdict(list)
    for n, span in enumerate(aligned.spans):
        if span.claim.question is not None:
            held[span.claim.question, span.claim.path].append(n)
    stream = aligned.stream
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for (question, path), numbers in held.items():
        spans = [aligned.spans[n] for n in numbers]
        total = sum(span.end - span.start for span in spans)
        places = [p for span in spans for p in aligned.match[span.start : span.end] if p >= 0]
        words = tuple(stream.words[w] for w in dict.fromkeys(stream.word_of[p] for p in places))
        missing = tuple(d.text for n in numbers for d in doubts[n] if d.doubt != "sign")
        proofs[question].fields[path] = FieldProof(round(len(places) / total, 4), words, missing)
        if spans[0].claim.kind != "label":
            sums[question][0] += len(places)
            sums[question][1] += total
    for question, (found, wanted) in sums.items():
        proofs[question].text_match = round(found / wanted, 4)
    return proofs


def _status(proof: QuestionProof, index: PageIndex) -> ProofStatus:
    if proof.text_match is not None and proof.text_match < PARTIAL:
        return "flagged"
    if any(finding.severity == "error" for finding in proof.findings):
        return "flagged"
    pages = {(word.source, word.page) for field_ in proof.fields.values() for word in field_.words}
    if any(index.ocr(page) for page in pages):
        return "partial" if all(index.confidence.get(page, 0.0) >= SURE_OCR for page in pages) else "unverified"
    if any(finding.severity == "warning" for finding in proof.findings):
        return "partial"
    if proof.text_match is None:
        return "verified" if proof.fields else "unverified"
    return "verified" if proof.text_match >= VERIFIED else "partial"
