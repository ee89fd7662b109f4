"""Points that the paper leaves open: shared out from what it does print, and always said.

A composite's points are the sum of its children's; where only the parent's are printed, the children share
them. Where a total is printed, the questions without points share what is left of it. Else 1 point each.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...schemas.findings import Finding, Where
from ..draft import DraftPaper, DraftQuestion

_CLOSE = 1e-6


def settle_points(paper: DraftPaper) -> list[Finding]:
    """Give every question of the draft (ids are set) its points. Returns what had to be assumed or does not add up."""
    findings: list[Finding] = []
    tops = [question for section in paper.sections for question in section.questions]
    for question in tops:
        _share_down(question, findings)
    missing = [leaf for leaf in paper.leaves() if leaf.points is None]
    known = sum(leaf.points or 0.0 for leaf in paper.leaves())
    if missing:
        findings.append(_fill(missing, known, paper.printed_total, len(paper.leaves())))
    for question in tops:
        _sum_up(question, findings)
    findings += _check_total(paper)
    return findings


def _share_down(question: DraftQuestion, findings: list[Finding]) -> None:
    """Points printed at a parent only go to its children in equal shares."""
    open_children = [child for child in question.children if _open(child)]
    if question.points is not None and open_children:
        rest = question.points - sum(_given(child) for child in question.children)
        if rest > _CLOSE:
            for child, share in zip(open_children, _equal_shares(rest, len(open_children)), strict=True):
                child.points, child.points_from = share, "group"
            if len(open_children) > 1:
                findings.append(_shared(question, open_children, rest))
    for child in question.children:
        _share_down(child, findings)


def _equal_shares(points: float, count: int) -> list[float]:
    """Shares that add up to `points` exactly: the last one takes what rounding leaves."""
    share = round(points / count, 4)
    return [share] * (count - 1) + [round(points - share * (count - 1), 6)]


def _open(question: DraftQuestion) -> bool:
    if question.points is not None:
        return False
    return not question.children or any(_open(child) for child in question.children)


def _given(question: DraftQuestion) -> float:
    if question.points is not None:
        return question.points
    return sum(_given(child) for child in question.children)


def _shared(question: DraftQuestion, children: Sequence[DraftQuestion], rest: float) -> Finding:
    return Finding(
        code="points.shared",
        severity="info",
        where=_where(question),
        message=f"{question.id}: the paper prints {rest:g} points for {len(children)} parts; each got an equal share.",
    )


def _fill(missing: Sequence[DraftQuestion], known: float, total: float | None, leaves: int) -> Finding:
    rest = (total or 0.0) - known
    share = round(rest / len(missing), 2) if rest > _CLOSE else 1.0
    shares = _equal_shares(rest, len(missing)) if rest > _CLOSE else [1.0] * len(missing)
    for leaf, points in zip(missing, shares, strict=True):
        leaf.points, leaf.points_from = points, "assumed"
    how = f"an equal share of the rest of the printed total, {share:g}" if rest > _CLOSE else "1 point"
    alone = len(missing) == 1
    who = "No question has" if len(missing) == leaves else f"{_names(missing)} {'has' if alone else 'have'} no"
    return Finding(
        code="points.missing",
        severity="info" if len(missing) == leaves else "warning",
        where=_where(missing[0]) if len(missing) == 1 else Where(),
        message=f"{who} printed points; {'it' if alone else 'each'} got {how}.",
        hint="Correct the points in exam.json and grading.json where the paper's own are known.",
    )


def _names(questions: Sequence[DraftQuestion]) -> str:
    ids = [question.id for question in questions]
    return ", ".join(ids) if len(ids) <= 5 else f"{', '.join(ids[:4])} and {len(ids) - 4} more questions"


def _sum_up(question: DraftQuestion, findings: list[Finding]) -> None:
    for child in question.children:
        _sum_up(child, findings)
    if not question.children:
        return
    total = round(sum(child.points or 0.0 for child in question.children), 6)
    if question.points is not None and abs(question.points - total) > 0.01:
        findings.append(
            Finding(
                code="points.sum",
                severity="warning",
                where=_where(question),
                message=f"{question.id} is printed with {question.points:g} points, but its parts add up to {total:g}.",
                hint="Look at the page: a part may have been missed, or the candidate chooses among the parts.",
            )
        )
    question.points = total


def _check_total(paper: DraftPaper) -> list[Finding]:
    leaves = paper.leaves()
    total = round(sum(leaf.points or 0.0 for leaf in leaves), 4)
    printed = paper.printed_total
    if printed is None or not leaves or abs(total - printed) <= 0.01:
        return []
    return [
        Finding(
            code="points.total",
            severity="warning",
            message=f"The questions' points add up to {total:g}, but the paper prints a total of {printed:g}.",
            hint="A question or its points may have been misread, or the candidate chooses among questions.",
        )
    ]


def _where(question: DraftQuestion) -> Where:
    for line in question.stem:
        return Where(question=question.id, source=line.source, page=line.page)
    for source, page, _ in sorted(question.label_words):
        return Where(question=question.id, source=source, page=page)
    return Where(question=question.id)
