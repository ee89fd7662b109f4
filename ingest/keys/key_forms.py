"""Which part of a key belongs to the paper: the series of its sections, subject and form.

One key may serve several subjects, booklets or sections. A series fits a run of the paper's numbers when
its labels cover it and its values are options there; headings break ties; what stays tied is not used.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...schemas.findings import Finding, Where
from ..draft import DraftPaper, DraftQuestion, KeyEntry
from .key_cells import narrow
from .key_spots import KeySeries, NumberRun, Spot
from .key_values import canonical, choice_labels, to_options
from .key_words import FORM_WORDS

_ENOUGH = 0.3
_TIED = 0.04
_MISFITS = 0.15
"""Most answers of a paper's own key that may be no options (where an option did not read)."""
_SHARED = 0.4
"""Least share of a series' labels that must be numbers of the run."""
_HALF = 0.5
"""The same for a key of one part: what answers fewer of the questions is another exam's."""
_WHOLE = 0.9
"""Least share of the questions that a part of a key must answer to be taken without its name."""


# --- how well a series fits a run ---------------------------------------------------------------------------


def agrees(entry: KeyEntry, question: DraftQuestion) -> float:
    """1 where the value can be the question's answer, 0 where it says nothing, -1 where it cannot."""
    if entry.every:
        return 0.5
    if question.options:
        if entry.judged:
            return -0.5
        labels = [o.label for o in question.options]
        sets = [entry.values, *entry.alternatives]
        picked = [fitting(s, labels) for s in sets]
        if any(p is None or (question.choose and question.choose > 1 and len(p) != question.choose) for p in picked):
            return -1.0
        return 1.0
    if entry.judged:
        return 1.0
    return 0.6  # an open question, or one whose options did not read


def fitting(values: Sequence[str], labels: Sequence[str]) -> tuple[str, ...] | None:
    """The options that a key's values name, read as they stand or as several labels in one piece."""
    found = to_options(values, labels)
    if found is None:
        split = choice_labels(values)
        found = to_options(split, labels) if split else None
    return found or None


def fit(series: KeySeries, run: NumberRun, shift: int = 0, *, alone: bool = False) -> float:
    """-1..1: how much of the run the series covers, and with values that can be answers there.

    `alone`: the paper has no other run that the rest of the series could be for.
    """
    spots = run.by_spot()
    moved = {(s[0], s[1] + shift, s[2]): e for s, e in series.entries.items()}
    common = [s for s in moved if s in spots or (s[0], s[1], ()) in spots]
    if not common or len(common) < (_SHARED if alone else 0.0) * len(moved):
        return 0.0
    said = [agrees(moved[s], spots[s] if s in spots else spots[s[0], s[1], ()]) for s in common]
    misfits = sum(score <= -1.0 for score in said)
    if misfits >= 3 and misfits > _MISFITS * len(common):
        return -misfits / len(common)
    compat = sum(said) / len(common)
    fixed = [s for s, q in spots.items() if q.options or q.type in ("true_false", "fill_in_blank", "matching")]
    covered = sum(s in moved for s in fixed) / len(fixed) if fixed else len(common) / len(spots)
    extra = 1.0 - len(common) / len(moved)
    return compat * (0.5 + 0.5 * covered) - 0.3 * extra


def covered(series: KeySeries, run: NumberRun) -> float:
    """0..1: how many of the run's questions with fixed answers the series answers."""
    fixed = [s for s, q in run.by_spot().items() if q.options or q.type in ("true_false", "fill_in_blank", "matching")]
    return sum(s in series.entries for s in fixed) / len(fixed) if fixed else 1.0


def named(series: KeySeries, run: NumberRun, paper: DraftPaper, shared: set[str]) -> float:
    """0..1: whether a heading over the series is what the run's section or the paper is called."""
    sections = {id(t.section): t.section for t in run.targets}
    titles = [line.text for s in sections.values() for line in [*s.title, *s.instructions[:2]]]
    titles += [s.key for s in sections.values() if s.key]
    keys = {canonical(s.key) for s in sections.values() if s.key}
    if series.heads and len(canonical(series.heads[0])) == 1:
        return 1.0 if canonical(series.heads[0]) in keys else 0.0
    whole = [t for t in (paper.title, paper.subject or "") if t]
    best = 0.0
    for rank, head in enumerate(series.heads[:5]):
        if head in shared:
            continue
        worth = 1.0 - 0.1 * rank
        if any(_means(head, title) for title in titles):
            best = max(best, worth)
        elif any(_means(head, title) for title in whole):
            best = max(best, 0.8 * worth)
    return best


def _means(head: str, title: str) -> bool:
    """Whether a heading's words stand in a title, or a short title in the heading."""
    a, b = _words(head), _words(title)
    if not a or not b:
        return False
    if _spaceless(head) or _spaceless(title):
        x, y = "".join(a), "".join(b)
        return (len(x) >= 2 and x in y) or (len(y) >= 2 and y in x)
    return _within(a, b) or (len(b) >= 2 and _within(b, a))


def _within(a: list[str], b: list[str]) -> bool:
    return any(b[i : i + len(a)] == a for i in range(len(b) - len(a) + 1))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", narrow(text).casefold())


def _spaceless(text: str) -> bool:
    return any(ord(ch) >= 0x2E80 for ch in text)


# --- forms --------------------------------------------------------------------------------------------------


def form_marks(text: str) -> dict[str, str]:
    """What a text says of the form or booklet: kind to value, `{"caderno": "7", "colour": "azul"}`."""
    marks: dict[str, str] = {}
    for match in FORM_WORDS.finditer(narrow(text)):
        words = re.findall(r"[^\W_]+", match[0].casefold())
        if match[1]:
            marks["parity"] = match[1]
        elif match[2]:
            marks["colour"] = match[2].casefold()
        elif len(words) >= 2:
            marks["form"] = words[-1]
        else:
            marks["form"] = words[0][:1]
    return marks


def _form_verdict(series: KeySeries, paper_marks: Mapping[str, str]) -> int:
    """1: the series names the paper's form; -1: it names another one; 0: it does not say."""
    own: dict[str, str] = {}
    if series.heads and re.fullmatch(r"[A-Z]\d?", narrow(series.heads[0]).strip()):
        own["form"] = series.heads[0].strip().casefold()  # columns headed A, B, C, D under one common word
    for head in series.heads[:8]:  # nearest first: a row that lists all forms says nothing new
        for kind, value in form_marks(head).items():
            own.setdefault(kind, value)
    common = [kind for kind in own if kind in paper_marks]
    if not common:
        return 0
    return 1 if all(own[k] == paper_marks[k] for k in common) else -1


def paper_form(paper: DraftPaper) -> dict[str, str]:
    """The paper's own form, from where it is printed; its title and cover where it is not set."""
    if paper.form:
        return form_marks(paper.form) or form_marks(f"form {paper.form}")
    text = "  ".join([paper.title, *(line.text for line in paper.instructions[:12])])
    return form_marks(text)


# --- the choice ---------------------------------------------------------------------------------------------


def choose(
    series: Sequence[KeySeries], found_runs: Sequence[NumberRun], paper: DraftPaper
) -> tuple[list[tuple[NumberRun, KeySeries]], list[Finding]]:
    """For each run of the paper the series of one source's key that answers it, where that is certain."""
    findings: list[Finding] = []
    usable = _of_this_form(series, paper, findings)
    if not usable:
        return [], findings
    shared = set.intersection(*(set(s.heads) for s in usable)) if len(usable) > 1 else set()
    match = _Match(found_runs, paper, shared, len(usable) > 1)
    groups = _groups(usable, found_runs)
    if len(groups) > 1:
        return _of_groups(groups, match, findings), findings
    return _of_one_group(usable, match, findings), findings


@dataclass(frozen=True)
class _Match:
    """How series are scored against the paper's runs."""

    runs: Sequence[NumberRun]
    paper: DraftPaper
    shared: set[str]
    by_name: bool

    def name(self, series: KeySeries, run: NumberRun) -> float:
        return named(series, run, self.paper, self.shared)

    def pairs(self, group: Sequence[KeySeries]) -> tuple[float, list[tuple[int, int]], list[list[float]]]:
        """The best total, the pairs of run and series that make it, and all scores."""
        alone = len(self.runs) == 1
        plain = [[fit(s, r, alone=alone) for s in group] for r in self.runs]
        table = [
            [
                score + (0.6 * named(s, r, self.paper, self.shared) if self.by_name else 0.0)
                for score, s in zip(row, group, strict=True)
            ]
            for row, r in zip(plain, self.runs, strict=True)
        ]
        pairs = _assign(table, plain)
        return sum(table[r][s] for r, s in pairs), pairs, table


def _groups(series: Sequence[KeySeries], found_runs: Sequence[NumberRun]) -> list[list[KeySeries]]:
    """A key of several forms repeats the same labels form by form: its series, cut into the forms."""
    fitting_runs = sum(any(fit(s, r) >= _ENOUGH for s in series) for r in found_runs)
    if not fitting_runs or len(series) % fitting_runs or len(series) == fitting_runs:
        return [list(series)]
    groups = [list(series[i : i + fitting_runs]) for i in range(0, len(series), fitting_runs)]
    labels = [[set(s.entries) for s in group] for group in groups]
    alike = all(_alike(a, b) for other in labels[1:] for a, b in zip(labels[0], other, strict=True))
    return groups if alike else [list(series)]


def _alike(a: set[Spot], b: set[Spot]) -> bool:
    return len(a & b) >= 0.9 * max(len(a), len(b))


def _of_groups(
    groups: Sequence[list[KeySeries]], match: _Match, findings: list[Finding]
) -> list[tuple[NumberRun, KeySeries]]:
    totals = [match.pairs(group) for group in groups]
    best = max(range(len(groups)), key=lambda n: (totals[n][0], -n))
    pairs = totals[best][1]
    rivals = [
        n
        for n in range(len(groups))
        if n != best
        and totals[n][0] > totals[best][0] - _TIED * max(len(pairs), 1)
        and any(_differ(a, b) for a, b in zip(groups[best], groups[n], strict=True))
    ]
    if not rivals:
        if pairs:
            findings.append(_picked(groups[best][pairs[0][1]], len(groups)))
        return [(match.runs[r], groups[best][s]) for r, s in pairs]
    return _agreed(groups, [best, *rivals], pairs, match, findings)


def _agreed(
    groups: Sequence[list[KeySeries]],
    tied: Sequence[int],
    pairs: Sequence[tuple[int, int]],
    match: _Match,
    findings: list[Finding],
) -> list[tuple[NumberRun, KeySeries]]:
    """Where nothing tells the form, the answers that all its forms share are certain; the others are not used."""
    kept: list[tuple[NumberRun, KeySeries]] = []
    dropped: list[KeyEntry] = []
    held = 0
    for r, s in pairs:
        first, *others = [groups[n][s] for n in tied]
        same = {spot: e for spot, e in first.entries.items() if all(_same(e, o.entries.get(spot)) for o in others)}
        held += len(same)
        dropped.extend(e for spot, e in first.entries.items() if spot not in same)
        kept.append((match.runs[r], KeySeries(first.source, first.number, same, first.heads)))
    alike = held >= 0.6 * (held + len(dropped))
    findings.append(_tied([groups[n][pairs[0][1]] for n in tied], dropped if alike else []))
    return [(run, one) for run, one in kept if one.entries] if alike else []


def _same(a: KeyEntry, b: KeyEntry | None) -> bool:
    return b is not None and (a.values, a.alternatives, a.every) == (b.values, b.alternatives, b.every)


def _of_one_group(
    usable: Sequence[KeySeries], match: _Match, findings: list[Finding]
) -> list[tuple[NumberRun, KeySeries]]:
    _, pairs, table = match.pairs(usable)
    chosen: list[tuple[NumberRun, KeySeries]] = []
    used = {s for _, s in pairs}
    for r, s in pairs:
        rivals = [
            o
            for o in range(len(usable))
            if o not in used and table[r][o] > table[r][s] - _TIED and _differ(usable[s], usable[o])
        ]
        choice = len(usable) > len(match.runs)
        if rivals:
            findings.append(_tied([usable[s], *(usable[o] for o in rivals)], []))
        elif covered(usable[s], match.runs[r]) < (_WHOLE if choice else _HALF) and not match.name(
            usable[s], match.runs[r]
        ):
            continue
        else:
            chosen.append((match.runs[r], usable[s]))
            if len(usable) > len(pairs):
                findings.append(_picked(usable[s], len(usable)))
    return [*chosen, *_beside(usable, used, chosen, match)]


def _beside(
    usable: Sequence[KeySeries], used: set[int], chosen: Sequence[tuple[NumberRun, KeySeries]], match: _Match
) -> list[tuple[NumberRun, KeySeries]]:
    """Series that fill what the chosen ones leave open in a run (a language option's questions 1 to 5)."""
    found: list[tuple[NumberRun, KeySeries]] = []
    for n, series in enumerate(usable):
        if n in used:
            continue
        for run in match.runs:
            held = {spot for r, one in [*chosen, *found] if r is run for spot in one.entries}
            rivals = [
                o for m, o in enumerate(usable) if m not in used and m != n and set(o.entries) & set(series.entries)
            ]
            open_spots = set(run.by_spot()) - held
            if held and set(series.entries) <= open_spots and not rivals and fit(series, run) >= _ENOUGH:
                found.append((run, series))
                break
    return found


def _of_this_form(series: Sequence[KeySeries], paper: DraftPaper, findings: list[Finding]) -> list[KeySeries]:
    marks = paper_form(paper)
    verdicts = [_form_verdict(s, marks) for s in series]
    if 1 in verdicts:
        kept = [s for s, v in zip(series, verdicts, strict=True) if v >= 0]
        if len(kept) < len(series):
            name = ", ".join(f"{k} {v}" for k, v in marks.items())
            findings.append(
                Finding(
                    code="key.form_chosen",
                    severity="info",
                    where=Where(source=series[0].source),
                    message=f"The key holds several forms; the one of this paper ({name}) was taken.",
                )
            )
        return kept
    if -1 in verdicts and all(v == -1 for v in verdicts):
        findings.append(
            Finding(
                code="key.other_form",
                severity="error",
                where=Where(source=series[0].source),
                message=f"The key is of another form ({', '.join(series[0].heads[:2])}) than the paper "
                f"({paper.form or ', '.join(marks.values())}); it was not used.",
                hint="give the key of the paper's own form",
            )
        )
        return []
    return [s for s, v in zip(series, verdicts, strict=True) if v >= 0]


def _assign(table: Sequence[Sequence[float]], plain: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """Runs and series paired in print order for the best total; a pair must fit by itself."""
    rows, columns = len(table), len(table[0])
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for r in range(rows - 1, -1, -1):
        for s in range(columns - 1, -1, -1):
            take = table[r][s] + best[r + 1][s + 1] if plain[r][s] >= _ENOUGH else float("-inf")
            best[r][s] = max(best[r + 1][s], best[r][s + 1], take)
    pairs: list[tuple[int, int]] = []
    r = s = 0
    while r < rows and s < columns:
        if plain[r][s] >= _ENOUGH and best[r][s] == table[r][s] + best[r + 1][s + 1]:
            pairs.append((r, s))
            r, s = r + 1, s + 1
        elif best[r][s] == best[r][s + 1]:
            s += 1
        else:
            r += 1
    return pairs


def _differ(a: KeySeries, b: KeySeries) -> bool:
    return any(not _same(a.entries[s], b.entries[s]) for s in a.entries if s in b.entries)


def _name(series: KeySeries) -> str:
    return " / ".join(series.heads[:2]) or f"the one that begins on page {next(iter(series.entries.values())).page + 1}"


def _tied(several: Sequence[KeySeries], dropped: Sequence[KeyEntry]) -> Finding:
    names = "; ".join(_name(s) for s in several)
    used = "none was used"
    if dropped:
        labels = ", ".join(e.label for e in dropped[:12])
        used = f"the answers that all of them share were used, those that differ were not (numbers {labels})"
    return Finding(
        code="key.section_ambiguous",
        severity="warning",
        where=Where(source=several[0].source, page=next(iter(several[0].entries.values())).page),
        message=f"Several parts of the key fit the same questions and nothing tells which is meant ({names}); {used}.",
        hint="give only the pages of the right form or subject with --pages",
    )


def _picked(series: KeySeries, of: int) -> Finding:
    return Finding(
        code="key.part_chosen",
        severity="info",
        where=Where(source=series.source, page=next(iter(series.entries.values())).page),
        message=f"The key holds {of} parts; for these questions “{_name(series)}” was taken, "
        "whose numbers and options fit.",
    )
