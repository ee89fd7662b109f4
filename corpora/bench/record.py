"""bench.json: what a bench asked, what each model earned, and how sure the differences are.

Scores, differences and their bounds are shares of the possible points (0 to 1); money is US dollars; a question's key
across exams is its exam and its id. Paths are relative to the folder in which bench.json lies.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ...models.request import Effort
from ...schemas.base import SCHEMA_VERSION, Contract, absent
from ...schemas.findings import Finding
from ...schemas.report import Lost


class QuestionEntry(Contract):
    """`digest`: of everything that shapes the question and its grading, whatever its id. `group`: its stimulus group.
    `decided_by`: a rule or a judge. `place`: the source's name and the 1-based page that it is printed on."""

    digest: str
    type: str
    section: str
    group: str
    max_points: float
    decided_by: Literal["rule", "judge"]
    needs_image: bool = False
    asked: bool = True
    place: str | None = None


class ExamEntry(Contract):
    exam_id: str
    title: str
    language: str = "und"
    bundle_digest: str
    bundle_source: str | None = Field(default=None, exclude_if=absent)
    questions: dict[str, QuestionEntry] = {}


class Settings(Contract):
    models: list[str]
    judges: list[str] = []
    repeats: int = 1
    judge_repeats: int = 1
    blind: bool = False
    text_only: bool = False
    format: Literal["auto", "structured", "text"] = "auto"
    rotate: str | None = None
    effort: Effort | None = None
    max_tokens: int = 16_384
    limit: int | None = None
    questions: list[str] = []


class RunEntry(Contract):
    """One sitting. `repeat` counts from 1. `why`: what stopped it, where it is `failed`; then nothing else is known.
    Tokens, cost and seconds are those of its replies when they were made, whoever paid for them."""

    model: str
    exam_id: str
    repeat: int
    blind: bool = False
    status: Literal["done", "failed"]
    why: str | None = None
    sheet: str | None = None
    report: str | None = None
    awarded: float = 0.0
    possible: float = 0.0
    score: float | None = None
    ungraded: int = 0
    skipped: int = 0
    lost: Lost | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    judge_cost_usd: float | None = None
    seconds: float = 0.0


class Estimate(Contract):
    """A share with its 95 % interval; none where there are fewer than two clusters. `small`: so few clusters that the
    interval leans on the t distribution more than on the data."""

    value: float
    low: float | None = None
    high: float | None = None
    standard_error: float | None = None
    questions: int
    clusters: int
    small: bool


class Slice(Contract):
    """The score on one kind of questions: a section of an exam, or a question type."""

    name: str
    points: float
    score: Estimate


class ModelRow(Contract):
    """One model over all its sittings with pictures. `rank`: 1 is best; models that share a `tie` are not told apart
    from the best of it. `covered`: graded points over those that were to be earned in all sittings asked for.
    `question_variance`, `run_variance`: of a question's share of its points, between questions and between sittings;
    `run_sd`: of the whole score, between sittings. `lost`: points in one sitting of all exams, the mean over
    sittings; its counts of questions are of all sittings together."""

    model: str
    rank: int | None = None
    tie: int | None = None
    sittings: int = 0
    sittings_wanted: int = 0
    why: str | None = None
    score: Estimate | None = None
    rule: Estimate | None = None
    judged: Estimate | None = None
    covered: float = 0.0
    lost: Lost | None = None
    possible: float = 0.0
    question_variance: float | None = None
    run_variance: float | None = None
    run_sd: float | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    judge_cost_usd: float | None = None
    seconds: float = 0.0
    sections: list[Slice] = []
    types: list[Slice] = []


class PairRow(Contract):
    """`a` less `b` on the questions that both have graded. `bootstrap_low`, `_high`: the cluster bootstrap's interval.
    `p_value`: paired test over clusters; `p_holm`: corrected for all pairs. `detectable`: the smallest true difference
    that this pair would have shown with 80 % power at 5 %."""

    a: str
    b: str
    difference: Estimate
    bootstrap_low: float | None = None
    bootstrap_high: float | None = None
    p_value: float
    p_holm: float
    permutation_p: float
    mcnemar_p: float | None = None
    a_only: int = 0
    b_only: int = 0
    detectable: float | None = None


class NecessityRow(Contract):
    """How much pictures matter: the score with them less the score without, on questions that need one. `model` None:
    the mean over all models; `type` None: all types."""

    model: str | None
    type: str | None
    seen: float
    blind: float
    difference: Estimate
    p_value: float


class ItemRow(Contract):
    """`difficulty`: the mean share of its points over models. `discrimination`: correlation of a model's share with its
    score on the rest of the exam; None below four models or where nothing varies."""

    exam_id: str
    question: str
    takers: int
    difficulty: float
    discrimination: float | None = None


class Detectable(Contract):
    """The smallest true difference that the pairs would have shown with 80 % power at 5 %, before correction."""

    median: float
    least: float
    most: float


class Bench(Contract):
    schema_version: str = SCHEMA_VERSION
    kind: Literal["exam2bench.bench"] = "exam2bench.bench"
    created_at: str
    tool_version: str
    settings: Settings
    clustered_by: Literal["stimulus group", "exam"] = "stimulus group"
    exams: list[ExamEntry]
    models: list[ModelRow] = []
    pairs: list[PairRow] = []
    detectable: Detectable | None = None
    necessity: list[NecessityRow] = []
    items: list[ItemRow] = []
    runs: list[RunEntry] = []
    findings: list[Finding] = []
