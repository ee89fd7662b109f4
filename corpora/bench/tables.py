"""A bench as tables, for the terminal, Markdown and CSV: scores, differences, losses, what pictures are worth."""

from __future__ import annotations

from collections.abc import Sequence

from ...schemas.findings import Finding
from .grid import Grid, csv_text, wrapped
from .record import Bench, Estimate, ModelRow, PairRow

SHOWN_PAIRS = 15
SHOWN_FINDINGS = 12


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Names without what all can do without: provider and address, where the rest still tells them apart."""
    bare = {name: name.partition(":")[2].partition("@http")[0] or name for name in names}
    if len(set(bare.values())) == len(names):
        return bare
    without = {name: name.partition("@http")[0] for name in names}
    return without if len(set(without.values())) == len(names) else {name: name for name in names}


def percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"


def span(low: float | None, high: float | None, *, signed: bool = False) -> str:
    if low is None or high is None:
        return "none"
    sign = "+" if signed else ""
    return f"{100 * low:{sign}.1f} to {100 * high:{sign}.1f}"


def money(amount: float | None) -> str:
    if amount is None:
        return "–"
    return f"${amount:.2f}" if amount >= 1 or amount == 0 else f"${amount:.4f}"


def number(amount: float) -> str:
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if amount >= 10 * size:
            return f"{amount / size:.0f}{unit}"
    return f"{amount:.0f}"


def probability(p: float | None) -> str:
    if p is None:
        return "–"
    return "<.001" if p < 0.001 else f"{p:.3f}"


def grids(bench: Bench) -> list[Grid]:
    """All tables of a bench, the most important first."""
    names = short_names([row.model for row in bench.models])
    tables = [scores(bench, names), costs(bench, names)]
    if bench.pairs:
        tables.append(differences(bench.pairs, names))
    if any(row.run_variance is not None for row in bench.models):
        tables.append(repeats(bench, names))
    if bench.necessity:
        tables.append(pictures(bench, names))
    return tables


def scores(bench: Bench, names: dict[str, str]) -> Grid:
    rows = []
    for row in bench.models:
        if row.score is None:
            rows.append(["", names[row.model], "none", "", "", "", percent(row.covered)])
            continue
        rule, judged = (percent(part.value) if part else "–" for part in (row.rule, row.judged))
        interval = span(row.score.low, row.score.high)
        cells = [percent(row.score.value), interval, rule, judged, percent(row.covered)]
        rows.append([str(row.rank), names[row.model], *cells])
    head = ["#", "model", "score", "95 % interval", "rule", "judged", "graded"]
    return Grid("Scores, % of the points", head, rows, frozenset({1}), _score_notes(bench))


def _score_notes(bench: Bench) -> tuple[str, ...]:
    scored = [row.score for row in bench.models if row.score]
    if not scored:
        return ("No model could be scored.",)
    unit = f"{bench.clustered_by}s" if bench.clustered_by == "exam" else "groups"
    notes = [f"{scored[0].questions} questions in {scored[0].clusters} {unit}, which count as the observations."]
    if len({row.tie for row in bench.models if row.tie}) < len(scored):
        notes.append("Models with the same # are not told apart by this bench.")
    if bench.detectable:
        least = percent(bench.detectable.median)
        notes.append(f"Smallest true difference that it finds in four of five tries: {least} points of 100.")
    elif len(scored) > 1:
        notes.append("Too few differences to say how small a difference it could find.")
    return tuple(notes)


def costs(bench: Bench, names: dict[str, str]) -> Grid:
    rows = []
    for row in bench.models:
        lost = row.lost
        cells = [f"{lost.content:g}", f"{lost.blank:g}", f"{lost.format:g}", f"{lost.ungraded:g}"] if lost else [""] * 4
        cells = [_short(cell) for cell in cells]
        tokens = [number(row.input_tokens), number(row.output_tokens)]
        rows.append([names[row.model], *cells, *tokens, money(row.cost_usd), f"{row.seconds:.0f}"])
    head = ["model", "wrong", "blank", "format", "ungr.", "tok. in", "out", "cost", "s"]
    notes = [_reasons(row, names) for row in bench.models if row.lost and row.lost.format]
    judged = [row.judge_cost_usd for row in bench.models if row.judge_cost_usd]
    if judged:
        notes.append(f"Judging cost {money(sum(judged))} on top.")
    possible = max((row.possible for row in bench.models), default=0.0)
    title = f"Points lost of {possible:g} in a sitting; tokens, dollars, seconds of all sittings"
    return Grid(title, head, rows, frozenset({0}), tuple(notes))


def _short(cell: str) -> str:
    return cell if len(cell) <= 6 or not cell.replace(".", "").isdigit() else f"{float(cell):.1f}"


def _reasons(row: ModelRow, names: dict[str, str]) -> str:
    words = {"refused": "refused", "truncated": "cut off", "unparseable": "unparseable", "foreign_ids": "foreign ids"}
    reasons = row.lost.reasons if row.lost else {}
    told = [f"{reasons[key].questions} {word}" for key, word in words.items() if key in reasons]
    return f"{names[row.model]}: format means {', '.join(told)}."


def differences(pairs: Sequence[PairRow], names: dict[str, str], title: str = "") -> Grid:
    """The pairs, most certain first, with the interval that belongs to the p value and the bootstrap's beside it."""
    order = sorted(pairs, key=lambda pair: (pair.p_holm, -abs(pair.difference.value)))
    rows = []
    for pair in order[:SHOWN_PAIRS]:
        label = f"{names.get(pair.a, pair.a)} − {names.get(pair.b, pair.b)}"
        cells = [f"{100 * pair.difference.value:+.1f}", span(pair.difference.low, pair.difference.high, signed=True)]
        cells.append(span(pair.bootstrap_low, pair.bootstrap_high, signed=True))
        rows.append([label, *cells, probability(pair.p_holm), probability(pair.mcnemar_p)])
    notes = [f"and {len(order) - SHOWN_PAIRS} more pairs in bench.json"] if len(order) > SHOWN_PAIRS else []
    head = ["pair", "diff.", "95 % interval", "bootstrap", "p Holm" if len(pairs) > 1 else "p", "McNemar"]
    return Grid(title or "Differences on the same questions", head, rows, frozenset({0}), tuple(notes))


def repeats(bench: Bench, names: dict[str, str]) -> Grid:
    rows = []
    for row in bench.models:
        if row.question_variance is None or row.run_variance is None:
            continue
        whole = row.question_variance + row.run_variance
        share = f"{100 * row.run_variance / whole:.0f} %" if whole else "–"
        cells = [f"{row.question_variance:.4f}", f"{row.run_variance:.4f}", share, percent(row.run_sd)]
        rows.append([names[row.model], str(row.sittings), *cells])
    head = ["model", "sittings", "question var.", "run var.", "run share", "SD of the score"]
    return Grid("What repeats show: variance of a question's share of its points", head, rows)


def pictures(bench: Bench, names: dict[str, str]) -> Grid:
    rows = []
    for row in bench.necessity:
        label = names.get(row.model or "", row.model or "all models")
        kind = row.type or "all types"
        span_text = span(row.difference.low, row.difference.high, signed=True)
        difference = f"{100 * row.difference.value:+.1f}"
        cells = [str(row.difference.questions), percent(row.seen), percent(row.blind), difference]
        rows.append([label, kind, *cells, span_text])
    head = ["model", "type", "n", "seen", "blind", "diff.", "95 % interval"]
    return Grid("What pictures are worth, on questions that need one", head, rows, frozenset({0, 1}))


def finding_lines(findings: Sequence[Finding], shown: int = SHOWN_FINDINGS) -> list[str]:
    """Findings worst first, one or two lines each."""
    order = {"error": 0, "warning": 1, "info": 2}
    lines: list[str] = []
    for one in sorted(findings, key=lambda one: order[one.severity])[:shown]:
        place = f" {one.where.question}" if one.where.question else ""
        lines += wrapped(f"{one.severity} {one.code}{place}: {one.message}")
    return lines + ([f"and {len(findings) - shown} more findings in bench.json"] if len(findings) > shown else [])


def text(bench: Bench) -> str:
    """The bench for a terminal of 80 columns."""
    parts = [grid.text() for grid in grids(bench)]
    if bench.findings:
        parts.append("\n".join(finding_lines(bench.findings)))
    return "\n\n".join(parts)


def markdown(bench: Bench) -> str:
    exams = ", ".join(exam.title for exam in bench.exams)
    parts = [f"# Bench: {exams}", *(grid.markdown() for grid in grids(bench)), items(bench).markdown()]
    if bench.findings:
        lines = "\n".join(f"- {line}" for line in (_finding(one) for one in bench.findings))
        parts.append(f"## Findings\n\n{lines}")
    return "\n\n".join(parts) + "\n"


def _finding(one: Finding) -> str:
    place = f" {one.where.question}" if one.where.question else ""
    return f"`{one.code}`{place}: {one.message}".replace("<", "&lt;").replace("|", "\\|")


def items(bench: Bench) -> Grid:
    """Every question, hardest first."""
    places = {(exam.exam_id, name): entry for exam in bench.exams for name, entry in exam.questions.items()}
    rows = []
    for item in sorted(bench.items, key=lambda item: item.difficulty):
        entry = places[item.exam_id, item.question]
        told = "–" if item.discrimination is None else f"{item.discrimination:+.2f}"
        cells = [percent(item.difficulty), told, str(item.takers)]
        rows.append([item.exam_id, item.question, entry.type, entry.place or "–", *cells])
    head = ["exam", "question", "type", "printed on", "mean score", "discrimination", "models"]
    return Grid("Questions, hardest first", head, rows, frozenset({0, 1, 2, 3}))


def csv_files(bench: Bench) -> dict[str, str]:
    """File name to text: models, pairs, runs and questions, all figures as shares."""
    return {
        "models.csv": csv_text(_MODEL_HEAD, [_model_cells(row) for row in bench.models]),
        "pairs.csv": csv_text(_PAIR_HEAD, [_pair_cells(pair) for pair in bench.pairs]),
        "runs.csv": csv_text(_RUN_HEAD, [[getattr(run, name) for name in _RUN_HEAD] for run in bench.runs]),
        "questions.csv": csv_text(
            ["exam", "question", "type", "printed_on", "difficulty", "discrimination", "models"], _item_cells(bench)
        ),
    }


_RUN_HEAD = [
    "model", "exam_id", "repeat", "blind", "status", "why", "awarded", "possible", "score", "ungraded", "skipped",
    "input_tokens", "output_tokens", "cost_usd", "judge_cost_usd", "seconds", "sheet", "report",
]  # fmt: skip
_MODEL_HEAD = [
    "rank", "tie", "model", "score", "low", "high", "questions", "clusters", "rule", "judged", "graded", "sittings",
    "lost_content", "lost_blank", "lost_format", "lost_ungraded", "question_variance", "run_variance", "run_sd",
    "input_tokens", "output_tokens", "cost_usd", "judge_cost_usd", "seconds", "why",
]  # fmt: skip
_PAIR_HEAD = [
    "a", "b", "difference", "low", "high", "bootstrap_low", "bootstrap_high", "p", "p_holm", "p_permutation",
    "p_mcnemar", "a_only", "b_only", "detectable", "questions", "clusters",
]  # fmt: skip


def _model_cells(row: ModelRow) -> list[object]:
    score, lost = row.score, row.lost
    lost_cells = [lost.content, lost.blank, lost.format, lost.ungraded] if lost else [None] * 4
    return [
        row.rank, row.tie, row.model, *_estimate(score), _value(row.rule), _value(row.judged), row.covered,
        row.sittings, *lost_cells, row.question_variance, row.run_variance, row.run_sd,
        row.input_tokens, row.output_tokens, row.cost_usd, row.judge_cost_usd, row.seconds, row.why,
    ]  # fmt: skip


def _estimate(score: Estimate | None) -> list[object]:
    return [None] * 5 if score is None else [score.value, score.low, score.high, score.questions, score.clusters]


def _value(score: Estimate | None) -> float | None:
    return None if score is None else score.value


def _pair_cells(pair: PairRow) -> list[object]:
    difference = pair.difference
    return [
        pair.a, pair.b, difference.value, difference.low, difference.high, pair.bootstrap_low, pair.bootstrap_high,
        pair.p_value, pair.p_holm, pair.permutation_p, pair.mcnemar_p, pair.a_only, pair.b_only, pair.detectable,
        difference.questions, difference.clusters,
    ]  # fmt: skip


def _item_cells(bench: Bench) -> list[list[object]]:
    places = {(exam.exam_id, name): entry for exam in bench.exams for name, entry in exam.questions.items()}
    return [
        [
            item.exam_id, item.question, places[item.exam_id, item.question].type,
            places[item.exam_id, item.question].place, item.difficulty, item.discrimination, item.takers,
        ]
        for item in bench.items
    ]  # fmt: skip
