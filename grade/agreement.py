"""One card of how far judges agree: reliability, leniency, spread over repeats, panels, bias, anchors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from scipy import stats

from .reliability import (
    VarianceShares,
    cluster_bootstrap_icc,
    icc_2_1,
    leave_one_out,
    leniency,
    panel_curve,
    variance_shares,
    within_sd,
)
from .verdict_table import ANCHOR, ScoreTable, Verdict, score_table

FULL_CREDIT = 0.9


@dataclass(frozen=True)
class JudgeCard:
    """One judge against the others. All figures are shares of the possible points.

    `mean`; `leniency`: mean minus the mean of all judges; `leave_one_out`: mean absolute distance from the other
    judges' mean; `within_sd`: spread over repeats of the same answer; `length_effect`: Spearman correlation of an
    answer's length with how far this judge lies above the others; `own_family`: how much more it lies above the
    other families' judges on its own family's answers than on others' answers. None where it cannot be told.
    """

    judge: str
    mean: float
    leniency: float
    leave_one_out: float | None
    within_sd: float | None
    length_effect: float | None = None
    own_family: float | None = None


@dataclass(frozen=True)
class AnchorCard:
    """An anchor sheet: `empty` must earn 0, `reference` (the official answer) nearly everything."""

    sheet: str
    verdicts: int
    mean: float
    exactly_zero: int
    full_credit: int


@dataclass(frozen=True)
class ConditionCard:
    """All figures of one condition. ICCs are ICC(2,1); `single` rests on the first pass, `passes` on the means."""

    condition: str
    judges: tuple[str, ...]
    answers: int
    questions: int
    repeats: int
    icc_single: float
    icc_interval: tuple[float, float]
    icc_passes: float
    shares: VarianceShares | None
    judge_cards: tuple[JudgeCard, ...]
    panel: tuple[tuple[int, float], ...]
    sheets: Mapping[str, float]
    anchors: tuple[AnchorCard, ...]
    snapped: int
    verdicts: int


@dataclass(frozen=True)
class Options:
    """`lengths`: characters of each answer by (question, sheet). `families`: judge or sheet name to family."""

    resamples: int = 10_000
    seed: int = 0
    lengths: Mapping[tuple[str, str], int] = field(default_factory=dict)
    families: Mapping[str, str] = field(default_factory=dict)
    no_reference: frozenset[str] = frozenset()


def agreement_cards(verdicts: Sequence[Verdict], options: Options | None = None) -> list[ConditionCard]:
    """One card per condition, in order of first appearance."""
    conditions = dict.fromkeys(verdict.condition for verdict in verdicts)
    return [_card(name, [v for v in verdicts if v.condition == name], options or Options()) for name in conditions]


def _card(condition: str, verdicts: list[Verdict], options: Options) -> ConditionCard:
    written = [verdict for verdict in verdicts if not verdict.sheet.startswith(ANCHOR)]
    repeats = sorted({verdict.repeat for verdict in written})
    single = score_table(written, passes=repeats[:1])
    means = score_table(written)
    return ConditionCard(
        condition=condition,
        judges=means.judges,
        answers=len(means.answers),
        questions=len(set(means.questions)),
        repeats=len(repeats),
        icc_single=icc_2_1(single.shares),
        icc_interval=cluster_bootstrap_icc(
            single.shares, single.questions, resamples=options.resamples, seed=options.seed
        ),
        icc_passes=icc_2_1(means.shares),
        shares=variance_shares(means.shares),
        judge_cards=tuple(_judge_cards(written, means, options)),
        panel=tuple(panel_curve(means.shares, seed=options.seed)) if len(means.judges) > 1 else (),
        sheets=_sheet_means(means),
        anchors=tuple(_anchors(verdicts, options)),
        snapped=sum(verdict.snapped for verdict in verdicts),
        verdicts=len(verdicts),
    )


def _sheet_means(table: ScoreTable) -> dict[str, float]:
    """Mean share of each sheet over answers and judges."""
    by_sheet: dict[str, list[float]] = {}
    for (_, sheet), row in zip(table.answers, table.shares, strict=True):
        by_sheet.setdefault(sheet, []).append(float(row.mean()))
    return {sheet: float(np.mean(rows)) for sheet, rows in sorted(by_sheet.items())}


def _judge_cards(verdicts: list[Verdict], table: ScoreTable, options: Options) -> list[JudgeCard]:
    if not table.answers:
        return []
    several = len(table.judges) > 1
    lenient = leniency(table.shares)
    apart = leave_one_out(table.shares) if several else None
    cards: list[JudgeCard] = []
    for column, judge in enumerate(table.judges):
        spread = _within(verdicts, judge)
        cards.append(
            JudgeCard(
                judge,
                float(table.shares[:, column].mean()),
                float(lenient[column]),
                None if apart is None else float(apart[column]),
                None if math.isnan(spread) else spread,
                _length_effect(table, column, options.lengths) if several else None,
                _own_family(table, column, options.families) if several else None,
            )
        )
    return cards


def _within(verdicts: list[Verdict], judge: str) -> float:
    """Spread over repeats, over the answers that this judge scored in every pass."""
    passes: dict[tuple[str, str], list[float]] = {}
    for verdict in verdicts:
        if verdict.judge == judge:
            passes.setdefault((verdict.question, verdict.sheet), []).append(verdict.share)
    most = max(len(row) for row in passes.values())
    return within_sd(np.array([row for row in passes.values() if len(row) == most]))


def _above_others(table: ScoreTable, column: int, others: list[int]) -> np.ndarray:
    return table.shares[:, column] - table.shares[:, others].mean(axis=1)


def _length_effect(table: ScoreTable, column: int, lengths: Mapping[tuple[str, str], int]) -> float | None:
    """Spearman correlation over the answers of known length; None with fewer than ten, or where nothing varies."""
    known = [row for row, answer in enumerate(table.answers) if answer in lengths]
    if len(known) < 10:
        return None
    others = [n for n in range(len(table.judges)) if n != column]
    # differences that are equal but for the last bits must rank as ties
    above = np.round(_above_others(table, column, others)[known], 9)
    sizes = np.array([lengths[table.answers[row]] for row in known])
    if np.ptp(above) == 0 or np.ptp(sizes) == 0:
        return None
    # Spearman is Pearson on ranks; spearmanr has no usable type
    return float(np.corrcoef(stats.rankdata(sizes), stats.rankdata(above))[0, 1])


def _own_family(table: ScoreTable, column: int, families: Mapping[str, str]) -> float | None:
    own = families.get(table.judges[column])
    others = [n for n, judge in enumerate(table.judges) if families.get(judge) not in (None, own)]
    mine = [row for row, (_, sheet) in enumerate(table.answers) if own and families.get(sheet) == own]
    theirs = [row for row, (_, sheet) in enumerate(table.answers) if families.get(sheet) not in (None, own)]
    if not (own and others and mine and theirs):
        return None
    above = _above_others(table, column, others)
    return float(above[mine].mean() - above[theirs].mean())


def _anchors(verdicts: list[Verdict], options: Options) -> list[AnchorCard]:
    cards: list[AnchorCard] = []
    for sheet in sorted({v.sheet for v in verdicts if v.sheet.startswith(ANCHOR)}):
        scores = [
            v.share
            for v in verdicts
            if v.sheet == sheet and not (sheet.endswith("reference") and v.question in options.no_reference)
        ]
        if not scores:
            continue
        cards.append(
            AnchorCard(
                sheet,
                len(scores),
                float(np.mean(scores)),
                sum(score == 0 for score in scores),
                sum(score >= FULL_CREDIT - 1e-9 for score in scores),
            )
        )
    return cards


def panel_distance(table: ScoreTable, first: Sequence[str], second: Sequence[str]) -> tuple[float, float]:
    """Mean and largest distance, per answer, between two panels' mean scores. Raises KeyError for an unknown judge."""
    place = {judge: column for column, judge in enumerate(table.judges)}
    a = table.shares[:, [place[judge] for judge in first]].mean(axis=1)
    b = table.shares[:, [place[judge] for judge in second]].mean(axis=1)
    distance = np.abs(a - b)
    return float(distance.mean()), float(distance.max())


def as_json(cards: Sequence[ConditionCard]) -> dict[str, Any]:
    """The cards as JSON; figures that cannot be told are null."""
    return {"conditions": [_finite(asdict(card)) for card in cards]}


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
