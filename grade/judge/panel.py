"""Several judges over many answers: every question's answers in a row, each verdict once, failures typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from ...models.gateway import Gateway, stored_outcome
from ...models.outcome import KEPT, Outcome, Usage
from ...models.paper_parts import Asked
from ...models.plan import Plan
from ...models.request import Effort, ImagePart, Question, Request
from ...schemas.errors import BudgetError, BundleError
from .framing import draw_boundary
from .prompt import JudgePrompt, ReadAsset, ask_again, judge_prompt
from .small import DEFAULT_FORM, DEFAULT_THRESHOLD, Form, SmallPrompt
from .task import JudgeTask
from .typed import TypedPrompt
from .uno import UnoPrompt
from .uno_prompt import PublishedPrompt
from .verdicts import Verdict, read_verdict

Mode = Literal["auto", "text", "levels", "uno"]
TYPED_PROVIDERS = {"decisions", "llama", "vllm"}
TEXT_ONLY_PROVIDERS = {"llama", "vllm"}


@dataclass(frozen=True)
class Case:
    """One answer to be judged. `answer`: its text; `images`: pictures that belong to it."""

    task: JudgeTask
    answer: str
    images: tuple[ImagePart, ...] = ()

    @property
    def question_id(self) -> str:
        return self.task.question_id


@dataclass(frozen=True)
class Paper:
    """Where prompts come from: the exam's questions and the bundle's pictures."""

    questions: Mapping[str, Asked]
    read_asset: ReadAsset
    language: str = "und"


@dataclass
class Seat:
    """One judge of the panel, and how it is asked: by JSON replies (`text`), typed questions (`levels`) or in the
    written protocol of UNO-Scorer (`uno`).

    form, threshold: of typed questions to a model in this process. published: UNO-Scorer's own prompt.
    """

    gateway: Gateway
    paper: Paper
    mode: Mode = "auto"
    effort: Effort | None = None
    boundary: str = field(default_factory=draw_boundary)
    stopped: BudgetError | None = None
    form: Form = DEFAULT_FORM
    threshold: float = DEFAULT_THRESHOLD
    published: PublishedPrompt | None = None

    def __post_init__(self) -> None:
        provider = self.gateway.model.provider
        name = str(self.gateway.model)
        self.name = f"uno:{name.partition(':')[2]}" if self.mode == "uno" else name
        self.typed = self.mode == "levels" or (self.mode == "auto" and provider in TYPED_PROVIDERS)
        self.sees = provider not in TEXT_ONLY_PROVIDERS
        self._text: dict[tuple[str, ...], JudgePrompt] = {}
        self._typed: dict[tuple[str, ...], TypedPrompt] = {}
        self._uno: dict[tuple[str, ...], UnoPrompt] = {}

    def questions(self, case: Case, repeat: int) -> list[Question]:
        """What is asked about one answer: one request, or a typed question per criterion."""
        images = case.images if self.sees else ()
        if self.typed:
            asked = self._typed_prompt(case.task).questions(case.answer, repeat=repeat, images=images)
            # a model in this process reads what they share once; a server is asked all in one call
            return list(asked) if self.gateway.model.local else [replace(asked[0], also=tuple(asked[1:]))]
        if self.mode == "uno":
            scorer = self._uno_prompt(case.task)
            return [scorer.request(case.answer, self.boundary, repeat=repeat, images=images)]
        prompt = self._text_prompt(case.task)
        return [prompt.request(case.answer, self.boundary, images=images, effort=self.effort, repeat=repeat)]

    def plan(self, cases: Sequence[Case], repeats: int, seen: set[str] | None = None) -> Plan:
        """What `judge` would do and cost. Re-asks come on top. `seen`: see `Gateway.plan`."""
        readable = [case for case in cases if self._fault(case) is None]
        asked = [one for case in readable for n in range(repeats) for one in self.questions(case, n)]
        return self.gateway.plan(asked, seen)

    def judge(self, cases: Sequence[Case], repeats: int) -> list[list[Verdict]]:
        """`ajudge`, blocking."""
        return self.gateway.complete(self.ajudge(cases, repeats))

    async def ajudge(self, cases: Sequence[Case], repeats: int) -> list[list[Verdict]]:
        """`repeats` verdicts for each case. Where the budget ends, the rest are transport errors and `stopped` is set.
        Raises ProviderError where the judge cannot be used at all."""
        faults = {place: fault for place, case in enumerate(cases) if (fault := self._fault(case))}
        slots = [(place, repeat) for place in range(len(cases)) if place not in faults for repeat in range(repeats)]
        asked = [self.questions(cases[place], repeat) for place, repeat in slots]
        filed = iter(await self._ask([question for group in asked for question in group]))
        verdicts = []
        for (place, repeat), group in zip(slots, asked, strict=True):
            verdicts.append(self._read(cases[place], repeat, [next(filed) for _ in group]))
        if not self.typed and self.mode != "uno":
            await self._second_chance(cases, slots, [group[0] for group in asked], verdicts)
        by_case: list[list[Verdict]] = [[] for _ in cases]
        for (place, _), verdict in zip(slots, verdicts, strict=True):
            by_case[place].append(verdict)
        for place, fault in faults.items():
            by_case[place].append(Verdict(self.name, 0, "unparseable", why=fault))
        return by_case

    def _fault(self, case: Case) -> str | None:
        """Why the case cannot be put to this judge at all."""
        if not self.sees and not case.answer.strip():
            return "the answer is a picture, and this judge reads text only"
        try:
            self.questions(case, 0)
        except BundleError as fault:
            return f"the question cannot be shown: {fault}"
        return None

    def _read(self, case: Case, repeat: int, filed: list[tuple[Outcome, int]]) -> Verdict:
        outcomes = [outcome for outcome, _ in filed]
        made = max((created for _, created in filed), default=0)
        if self.typed:
            each = outcomes if self.gateway.model.local else _apart(outcomes[0])
            verdict = self._typed_prompt(case.task).verdict(self.name, repeat, each)
        elif self.mode == "uno":
            verdict = self._uno_prompt(case.task).verdict(self.name, repeat, outcomes[0])
        else:
            quoted = not case.images
            verdict = read_verdict(case.task, self.name, repeat, outcomes[0], case.answer, quoted=quoted)
        return replace(verdict, made=made)

    async def _second_chance(
        self,
        cases: Sequence[Case],
        slots: Sequence[tuple[int, int]],
        asked: Sequence[Question],
        verdicts: list[Verdict],
    ) -> None:
        """Verdicts that quote what the answer does not hold are asked for once more; the second one stands."""
        again = [place for place, verdict in enumerate(verdicts) if verdict.unfounded]
        requests: list[Question] = []
        for place in again:
            first = asked[place]
            assert isinstance(first, Request)
            requests.append(ask_again(first, [pick.evidence or "" for pick in verdicts[place].unfounded]))
        for place, filed in zip(again, await self._ask(requests), strict=True):
            case_place, repeat = slots[place]
            first, second = verdicts[place], self._read(cases[case_place], repeat, [filed])
            best = second if second.graded else first
            made, usage = max(first.made, second.made), first.usage + second.usage
            verdicts[place] = replace(best, asked_again=True, usage=usage, made=made)

    async def _ask(self, questions: Sequence[Question]) -> list[tuple[Outcome, int]]:
        """Each outcome with the tokens that its reply took when it was made, and that moment (0: not in the cache)."""
        if not questions:
            return []
        try:
            outcomes = await self.gateway.arun(questions)
        except BudgetError as error:
            if self.gateway.cache is None:
                raise
            self.stopped = error
            outcomes = None
        keys = [self.gateway.key(question) for question in questions]
        stored = self.gateway.cache.get_many(keys) if self.gateway.cache else {}
        filed: list[tuple[Outcome, int]] = []
        for place, (question, key) in enumerate(zip(questions, keys, strict=True)):
            row = stored.get(key)
            if outcomes is not None:
                outcome = outcomes[place]
            elif row is not None and (kept := stored_outcome(row, question)).status in KEPT:
                outcome = kept
            else:
                outcome = Outcome("transport_error", errors=("not asked: --max-cost is used up",))
            usage = row.usage if row is not None else outcome.usage
            filed.append((replace(outcome, usage=usage), row.created if row is not None else 0))
        return filed

    def _text_prompt(self, task: JudgeTask) -> JudgePrompt:
        if task.key not in self._text:
            asked = self.paper.questions[task.question_id]
            self._text[task.key] = judge_prompt(
                task, asked, self.paper.read_asset, images=self.sees, local=self.gateway.model.local
            )
        return self._text[task.key]

    def _typed_prompt(self, task: JudgeTask) -> TypedPrompt:
        if task.key not in self._typed:
            asked, read_asset = self.paper.questions[task.question_id], self.paper.read_asset
            if self.gateway.model.local:
                made = SmallPrompt(task, asked, read_asset, form=self.form, threshold=self.threshold)
            else:
                made = TypedPrompt(task, asked, read_asset, images=self.sees)
            self._typed[task.key] = made
        return self._typed[task.key]

    def _uno_prompt(self, task: JudgeTask) -> UnoPrompt:
        if task.key not in self._uno:
            asked, paper = self.paper.questions[task.question_id], self.paper
            self._uno[task.key] = UnoPrompt.of(
                task, asked, paper.read_asset, paper.language, images=self.sees, published=self.published
            )
        return self._uno[task.key]


def _apart(outcome: Outcome) -> list[Outcome]:
    """An outcome per typed question of a call that asked several; the tokens stand with the first."""
    if outcome.odds is None:
        return [outcome]
    return [outcome, *(replace(outcome, odds=odds, usage=Usage()) for odds in outcome.odds.also)]


def ask_panel(
    seats: Sequence[Seat],
    cases: Sequence[Case],
    *,
    repeats: int = 1,
    explain_below: float | None = None,
    max_cost: float | None = None,
) -> list[list[Verdict]]:
    """All verdicts on each case, judge after judge. The cases of one question should stand in a row.

    explain_below: judges that answer in text are asked only about cases where a judge of level probabilities was
    less sure than this. max_cost: US dollars for all judges together, in all calls with these seats.
    """
    verdicts: list[list[Verdict]] = [[] for _ in cases]
    for seat in sorted(seats, key=lambda seat: not seat.typed) if explain_below is not None else seats:
        if max_cost is not None:
            others = sum(other.gateway.budget.spent for other in seats if other is not seat)
            seat.gateway.budget.purse.max_cost = max(0.0, max_cost - others)
        wanted = list(range(len(cases)))
        if explain_below is not None and not seat.typed:
            wanted = [place for place in wanted if _unsure(verdicts[place], explain_below)]
        for place, given in zip(wanted, seat.judge([cases[place] for place in wanted], repeats), strict=True):
            verdicts[place] += given
    return verdicts


def _unsure(verdicts: Sequence[Verdict], threshold: float) -> bool:
    return any(not v.graded or (v.confidence is not None and v.confidence < threshold) for v in verdicts)
