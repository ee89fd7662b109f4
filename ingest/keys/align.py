"""Entries of keys brought to their questions by section and label: never a guess, every misfit a finding."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ...schemas.findings import Finding, FindingBox, Where
from ..draft import UNSURE, DraftPaper, DraftQuestion, KeyEntry
from .key_cells import narrow
from .key_forms import agrees, choose, fit, fitting
from .key_spots import KeySeries, NumberRun, Spot, group_series, runs
from .key_text import stated_labels
from .key_values import parse_value

_ORDER = ("key", "markscheme", "solution", "printed")


def align(paper: DraftPaper, entries: Sequence[KeyEntry]) -> tuple[dict[str, KeyEntry], list[Finding]]:
    """Question id to the entry that answers it, and what did not fit.

    An aligned entry of a choice question has its `values` as the paper's own option labels. May fill in
    points that only the key prints, and turn a single choice whose key demands several into a multiple one.
    """
    findings: list[Finding] = []
    found_runs = runs(paper)
    by_question: dict[str, list[KeyEntry]] = {}
    for source in sorted({e.source for e in entries if e.question_id is None}):
        series = group_series([e for e in entries if e.source == source])
        pairs = _checked(series, found_runs, paper, findings)
        for run, chosen in pairs:
            for question, entry in _match(run, chosen, _open_elsewhere(run, pairs, found_runs), findings):
                by_question.setdefault(question.id, []).append(entry)
    for entry in entries:
        if entry.question_id is not None:
            by_question.setdefault(entry.question_id, []).append(entry)
    aligned: dict[str, KeyEntry] = {}
    for question in paper.questions():
        if question.children:
            continue
        kept = [k for e in by_question.get(question.id, []) if (k := _settle(question, e, findings)) is not None]
        if kept:
            aligned[question.id] = _merge(question, kept, findings)
    findings.extend(_unkeyed(paper, aligned, bool(entries)))
    return aligned, findings


# --- series to runs -------------------------------------------------------------------------------------------


def _checked(
    series: Sequence[KeySeries], found_runs: Sequence[NumberRun], paper: DraftPaper, findings: list[Finding]
) -> list[tuple[NumberRun, KeySeries]]:
    """The chosen series, without those that look shifted; a key that fits nothing is another exam's."""
    if not series or not found_runs:
        return []
    chosen, notes = choose(series, found_runs, paper)
    findings.extend(notes)
    if not chosen and not any(n.code in ("key.section_ambiguous", "key.other_form") for n in notes):
        findings.append(_misfit(series, found_runs))
        return []
    kept: list[tuple[NumberRun, KeySeries]] = []
    for run, one in chosen:
        shift = _better_shift(one, run)
        if shift:
            findings.append(_shifted(one, shift))
        else:
            kept.append((run, one))
    return kept


def _misfit(series: Sequence[KeySeries], found_runs: Sequence[NumberRun]) -> Finding:
    """Why a key fits nothing: its numbers are off by a little, or it is another exam's."""
    for run in found_runs:
        for one in series:
            shift = _better_shift(one, run)
            if shift:
                return _shifted(one, shift)
    return _other_exam(series, found_runs)


def _better_shift(series: KeySeries, run: NumberRun) -> int:
    """By how much the key's numbers seem to be off; 0 where they fit as they stand."""
    here = fit(series, run)
    if here >= 0.9 or len(series.entries) < 5:
        return 0
    best = max((-2, -1, 1, 2), key=lambda shift: fit(series, run, shift))
    return best if fit(series, run, best) >= here + 0.2 and fit(series, run, best) >= 0.8 else 0


def _open_elsewhere(
    run: NumberRun, pairs: Sequence[tuple[NumberRun, KeySeries]], found_runs: Sequence[NumberRun]
) -> dict[Spot, DraftQuestion]:
    """Questions of the other runs that no chosen series answers, where a number is open in one run only."""
    found: dict[Spot, list[DraftQuestion]] = {}
    for other in found_runs:
        if other is run:
            continue
        held = {spot for r, s in pairs if r is other for spot in s.entries}
        for spot, question in other.by_spot().items():
            if spot not in held:
                found.setdefault(spot, []).append(question)
    return {spot: questions[0] for spot, questions in found.items() if len(questions) == 1}


def _match(
    run: NumberRun, series: KeySeries, elsewhere: dict[Spot, DraftQuestion], findings: list[Finding]
) -> list[tuple[DraftQuestion, KeyEntry]]:
    spots = run.by_spot()
    matched: list[tuple[DraftQuestion, KeyEntry]] = []
    parts: dict[Spot, list[KeyEntry]] = {}
    stray: list[KeyEntry] = []
    for spot, entry in series.entries.items():
        whole = (spot[0], spot[1], ())
        if spot in spots:
            matched.append((spots[spot], entry))
        elif spot[2] and whole in spots:
            parts.setdefault(whole, []).append(entry)
        elif spot in elsewhere and agrees(entry, elsewhere[spot]) > 0:
            matched.append((elsewhere[spot], entry))
        elif under := [s for s in spots if s[:2] == spot[:2] and s[2][: len(spot[2])] == spot[2]]:
            told = _for_parts(entry, [spots[s] for s in under])
            matched.extend(told)
            if not told and not entry.judged:
                stray.append(entry)
        elif not entry.judged:
            stray.append(entry)
    matched.extend(
        (spots[whole], _one_of_parts(entries)) for whole, entries in parts.items() if whole not in series.entries
    )
    if stray:
        findings.append(_unmatched(series, stray))
    return matched


def _for_parts(entry: KeyEntry, questions: Sequence[DraftQuestion]) -> list[tuple[DraftQuestion, KeyEntry]]:
    """One entry for a question with parts (`(i) C, (ii) B`) as an entry for each part that it names."""
    found: list[tuple[DraftQuestion, KeyEntry]] = []
    text = narrow(entry.raw)
    marks: list[re.Match[str]] = []
    at = 0
    for question in questions:
        name = re.escape(re.sub(r"^\d+[\s\-.]*(?=\D)", "", question.key) or question.key)
        match = re.compile(rf"(?<!\w)[(\[]?{name}[)\].:]\s*", re.IGNORECASE).search(text, at)
        if match is None:
            return []
        marks.append(match)
        at = match.end()
    for n, (question, match) in enumerate(zip(questions, marks, strict=True)):
        end = marks[n + 1].start() if n + 1 < len(marks) else len(text)
        raw = text[match.end() : end].strip(" ,;，；、\n")
        value = parse_value(raw)
        told = replace(
            entry,
            values=value.values,
            alternatives=value.alternatives,
            every=value.every,
            judged=value.written,
            raw=raw,
            reference=None if value.keylike else raw,
            points=None,
        )
        found.append((question, told))
    return found


def _one_of_parts(entries: Sequence[KeyEntry]) -> KeyEntry:
    """Cells of a grid-in answer (`13-1`: 2, `13-2`: 5) as one entry with a value per cell."""
    first = entries[0]
    values = tuple(v for e in entries for v in e.values[:1])
    return replace(first, label=first.label.rsplit("-", 1)[0], values=values, raw=" ".join(e.raw for e in entries))


# --- one entry at its question --------------------------------------------------------------------------------


def _settle(question: DraftQuestion, entry: KeyEntry, findings: list[Finding]) -> KeyEntry | None:
    """The entry in the question's own terms; None (and a finding) where its answer cannot be one here."""
    if entry.points is not None and question.points is None:
        question.points, question.points_from = entry.points, "key"
    if entry.criteria and question.points is None:
        question.points, question.points_from = sum(levels[0][0] for _, levels in entry.criteria), "key"
    if not question.options:
        return entry
    if entry.every or (entry.judged and not entry.values):
        return entry
    sets = [s for s in (entry.values, *entry.alternatives) if s]
    if not sets:
        sets = stated_labels(entry.raw or entry.reference or "", [o.label for o in question.options])
        if not sets:
            return entry if entry.reference or entry.criteria else None
    labels = [o.label for o in question.options]
    mapped = [fitting(s, labels) for s in sets]
    if any(m is None for m in mapped):
        findings.append(_no_option(question, entry))
        return replace(entry, values=(), alternatives=()) if entry.reference else None
    first, *rest = [m for m in mapped if m is not None]
    _retype(question, entry, first, findings)
    return replace(entry, values=first, alternatives=tuple(rest))


def _retype(question: DraftQuestion, entry: KeyEntry, values: tuple[str, ...], findings: list[Finding]) -> None:
    """A key that prints several labels in one piece demands them together."""
    together = narrow(entry.raw).strip().isalnum() and entry.origin == "key"
    if question.type != "single_choice" or len(values) < 2 or not together:
        return
    question.type = "multiple_choice"
    findings.append(
        Finding(
            code="type.from_key",
            severity="info",
            where=Where(question=question.id),
            message=f"{question.id} became a multiple choice question: its key is {entry.raw}.",
        )
    )


def _merge(question: DraftQuestion, entries: Sequence[KeyEntry], findings: list[Finding]) -> KeyEntry:
    """One entry of all sources: the answer of the weightiest, with the others' references and rubrics."""
    ranked = sorted(entries, key=lambda e: (_ORDER.index(e.origin), e.series == UNSURE))
    tell = [e for e in ranked if e.values or e.every]
    best = tell[0] if tell else ranked[0]
    for other in tell[1:]:
        if question.options and not best.every and not other.every and not _same_answer(best, other):
            findings.append(_disagree(question, best, other))
    surer = [e for e in ranked if e.series != UNSURE] if tell else ranked
    reference = best.reference or next((e.reference for e in surer if e.reference), None)
    criteria = best.criteria or next((e.criteria for e in surer if e.criteria), ())
    figures = best.figures or next((e.figures for e in surer if e.figures), ())
    judged = best.judged and not best.values
    return replace(
        best, reference=reference, criteria=criteria, figures=figures, judged=judged, question_id=question.id
    )


def _same_answer(a: KeyEntry, b: KeyEntry) -> bool:
    return {frozenset(s) for s in (a.values, *a.alternatives)} == {frozenset(s) for s in (b.values, *b.alternatives)}


# --- findings -------------------------------------------------------------------------------------------------


def _place(entry: KeyEntry, question: str | None = None) -> Where:
    box = entry.box
    shown = FindingBox(x0=box.x0, y0=box.y0, x1=box.x1, y1=box.y1) if box else None
    return Where(question=question, source=entry.source, page=entry.page, box=shown)


def _other_exam(series: Sequence[KeySeries], found_runs: Sequence[NumberRun]) -> Finding:
    labels = [e.label for s in series for e in s.entries.values()]
    longest = max(found_runs, key=lambda r: len(r.targets))
    numbers = [str(t.spot[1]) for t in longest.targets if t.spot]
    ours = f"{numbers[0]} to {numbers[-1]}" if numbers else "without numbers"
    return Finding(
        code="key.other_exam",
        severity="error",
        where=Where(source=series[0].source),
        message=f"The key does not belong to this paper: its labels {labels[0]} to {labels[-1]} and its answers do not "
        f"fit the paper's questions ({ours}); it was not used.",
        hint="give the key of this paper",
    )


def _shifted(series: KeySeries, shift: int) -> Finding:
    first = next(iter(series.entries.values()))
    return Finding(
        code="key.shifted",
        severity="error",
        where=_place(first),
        message=f"The key's answers fit the questions much better when its numbers are moved by {shift:+d}; "
        "it was not used.",
        hint="compare the numbers of the paper and the key; a question may be missing in one of them",
    )


def _unmatched(series: KeySeries, stray: Sequence[KeyEntry]) -> Finding:
    labels = ", ".join(e.label for e in stray[:6]) + (f" and {len(stray) - 6} more" if len(stray) > 6 else "")
    return Finding(
        code="key.unmatched",
        severity="warning",
        where=_place(stray[0]),
        message=f"The key answers questions that were not found in the paper: {labels}.",
        hint="look at the paper for questions that were missed",
    )


def _no_option(question: DraftQuestion, entry: KeyEntry) -> Finding:
    labels = ", ".join(o.label for o in question.options)
    return Finding(
        code="key.answer_not_an_option",
        severity="error",
        where=_place(entry, question.id),
        message=f"The key's answer “{entry.raw}” is no option of {question.id} ({labels}).",
    )


def _disagree(question: DraftQuestion, best: KeyEntry, other: KeyEntry) -> Finding:
    return Finding(
        code="key.disagree",
        severity="warning",
        where=_place(other, question.id),
        message=f"Two sources disagree on {question.id}: the {best.origin} says {_told(best)}, "
        f"the {other.origin} says {_told(other)}; the {best.origin}'s answer was taken.",
    )


def _told(entry: KeyEntry) -> str:
    return " or ".join("".join(s) for s in (entry.values, *entry.alternatives))


def _unkeyed(paper: DraftPaper, aligned: dict[str, KeyEntry], keyed: bool) -> list[Finding]:
    missing = [
        q
        for q in paper.leaves()
        if (q.options or q.type in ("true_false", "matching", "fill_in_blank"))
        and (q.id not in aligned or not _answers(aligned[q.id]))
    ]
    if not missing or not keyed:
        return []
    names = ", ".join(q.id for q in missing[:6]) + (f" and {len(missing) - 6} more" if len(missing) > 6 else "")
    return [
        Finding(
            code="question.unkeyed",
            severity="warning",
            where=Where(question=missing[0].id if len(missing) == 1 else None),
            message=f"No key answers {names}; {'it' if len(missing) == 1 else 'they'} must be judged.",
        )
    ]


def _answers(entry: KeyEntry) -> bool:
    return bool(entry.values or entry.every or entry.reference)
