"""The passes over an exam: what is asked in the first round, and the replies joined to one reading.

Inventory, questions and answers do not wait for each other: their windows come from the layout pass. Pages that the
inventory finds to be more than the layout pass took them for are asked about in a second round.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ...models.request import Part, TextPart
from ...schemas.findings import Finding
from ...schemas.printable import printable
from ..draft import DraftQuestion, WordKey
from ..engine import Layout, Understood
from .asking import Ask, Asking, Heard
from .entries import PaperRead, join_windows
from .failures import Failure, failure_finding, failure_of, note_findings, off_page
from .limits import Limits
from .prompts.answers import ANSWERS, Answers
from .prompts.inventory import INVENTORY, Inventory, PageSeen
from .prompts.questions import QUESTIONS, Questions
from .said_answers import SaidAnswer
from .views import View, outline_pages, regions_of, show_pages
from .windows import Window, answer_windows, by_pages, inventory_windows, question_windows, split_window

_SPLIT_ROUNDS = 3
_ANSWER_ROLES = {"key", "markscheme", "solution"}


@dataclass(frozen=True)
class Asked:
    """A window with its question and what is needed to understand the reply."""

    window: Window
    ask: Ask
    views: tuple[View, ...]


@dataclass
class Read:
    """What one model reported of the whole exam."""

    paper: PaperRead
    inventory: Inventory | None
    said: list[SaidAnswer]
    failures: list[Failure] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    windows: list[dict[str, object]] = field(default_factory=list)


@dataclass(frozen=True)
class Plan:
    """The first round: every window of every pass."""

    inventory: list[Asked]
    questions: list[Asked]
    answers: list[Asked]

    @property
    def asked(self) -> list[Asked]:
        return [*self.inventory, *self.questions, *self.answers]


def plan_passes(layout: Layout, understood: Understood, limits: Limits, at_once: int = 1) -> Plan:
    """Cut the exam into windows and write the questions about them. Renders the pages.

    `at_once` is how many calls may run together: the questions are spread over as many windows as fill whole waves.
    """
    inventory = inventory_windows(layout, understood, limits)
    answers = answer_windows(layout, understood, limits)
    questions = question_windows(layout, understood, limits, at_once, len(inventory) + len(answers))
    return Plan(
        [_inventory(layout, understood, window, limits) for window in inventory],
        [_questions(layout, window, limits) for window in questions],
        [_answers(layout, understood, window, limits) for window in answers],
    )


def read_exam(plan: Plan, layout: Layout, understood: Understood, asking: Asking) -> Read:
    """Ask everything and join the replies. A failed window is a finding and a `Failure`, never the end."""
    heard = asking.round([asked.ask for asked in plan.asked])
    results = list(zip(plan.asked, heard, strict=True))
    inventory = _joined_inventory(results)
    more = [*_unforeseen(inventory, results, layout, understood, asking.limits)]
    results += list(zip(more, asking.round([asked.ask for asked in more]), strict=True))
    parted: list[Result] = []
    for _ in range(_SPLIT_ROUNDS):
        kept, again = _split_truncated(results, layout, understood, asking.limits)
        if not again:
            break
        parted += [result for result in results if result not in kept]
        results = kept + list(zip(again, asking.round([asked.ask for asked in again]), strict=True))
    read = _joined(results, inventory, layout)
    read.windows += [_row(asked, heard, layout) | {"asked_again": "in two halves"} for asked, heard in parted]
    return read


# --- the questions asked ----------------------------------------------------------------------------------------


def _inventory(layout: Layout, understood: Understood, window: Window, limits: Limits) -> Asked:
    roles = understood.page_roles(layout)
    scheme = {place for place, role in roles.items() if role in ("key", "markscheme", "solution")}
    parts, views = outline_pages(layout, window.slices, limits, _inner_words(understood), scheme)
    task = TextPart("Take the inventory of these pages.")
    return Asked(window, Ask(INVENTORY, (*parts, task), "the inventory"), views)


def _inner_words(understood: Understood) -> set[WordKey]:
    """The words of questions without the line that each begins with."""
    inner: set[WordKey] = set()
    for question in understood.paper.questions():
        lines = [*question.stem[1:], *(line for option in question.options for line in option.lines)]
        inner |= {(line.source, line.page, word.index) for line in lines for word in line.words}
        inner |= {key for option in question.options for key in option.label_words}
    return inner


def _questions(layout: Layout, window: Window, limits: Limits) -> Asked:
    parts, views = show_pages(layout, window.slices, limits)
    name = f"{_span(window)} ({pages_named(layout, window)})"
    return Asked(window, Ask(QUESTIONS, (*parts, TextPart(_task(window))), name), views)


def _task(window: Window) -> str:
    lines = ["Copy the questions on these pages."]
    if window.first and window.last:
        lines.append(f"As far as a program could tell they run from “{window.first}” to “{window.last}”.")
    if window.shared:
        lines.append(
            "A page of them is also read by a neighbour: entries that belong to questions before the first or after "
            "the last of these are marked with begins_before or goes_on."
        )
    if window.heading:
        lines.append(f"The heading that is open where these pages begin reads “{window.heading}”.")
    return "\n".join(lines)


def _answers(layout: Layout, understood: Understood, window: Window, limits: Limits) -> Asked:
    parts, views = show_pages(layout, window.slices, limits)
    listed = "\n".join(_listed(understood))[: limits.layer_chars]
    task = TextPart(
        "The exam's questions, as far as a program could tell (section | label | type | options):\n"
        f"{listed}\n\nCopy what these pages say about them."
    )
    prefix: tuple[Part, ...] = (task,)
    name = f"the answers on {pages_named(layout, window)}"
    return Asked(window, Ask(ANSWERS, (*prefix, *parts), name, prefix_parts=1), views)


def _listed(understood: Understood) -> Iterator[str]:
    def below(question: DraftQuestion, above: str, section: str) -> Iterator[str]:
        label = " ".join(filter(None, [above, "" if question.group else (question.label or "").strip()]))
        if not question.children:
            options = " ".join(option.label for option in question.options)
            yield f"{section} | {label} | {question.type or 'open'} | {options}".rstrip(" |")
        for child in question.children:
            yield from below(child, label, section)

    for section in understood.paper.sections:
        name = section.key or " ".join(line.text for line in section.title)[:40] or "-"
        for question in section.questions:
            yield from below(question, "", name)


def _span(window: Window) -> str:
    if window.first and window.last and window.first != window.last:
        return f"questions {window.first} to {window.last}"
    return f"question {window.first}" if window.first else "questions"


def pages_named(layout: Layout, window: Window) -> str:
    """`paper.pdf, pages 3 to 5`, pages counted from 1."""
    named: list[str] = []
    for source in dict.fromkeys(source for source, _ in window.pages):
        numbers = [page + 1 for s, page in window.pages if s == source]
        ranges = "page " + str(numbers[0]) if len(numbers) == 1 else f"pages {numbers[0]} to {numbers[-1]}"
        named.append(f"{printable(layout.sources[source].name)}, {ranges}")
    return "; ".join(named)


# --- the replies joined -----------------------------------------------------------------------------------------


Result = tuple[Asked, Heard]


def _joined_inventory(results: Sequence[Result]) -> Inventory | None:
    """The inventories of all windows as one: facts from the first that states them, lists one after the other."""
    replies = [
        (asked, heard.reply) for asked, heard in results if asked.window.kind == "inventory" and heard.reply is not None
    ]
    if not replies:
        return None
    whole: Inventory = replies[0][1].model_copy(deep=True)
    whole.pages = []
    offset = 0
    for n, (asked, reply) in enumerate(replies):
        whole.pages += [PageSeen(page=offset + p.page, roles=p.roles) for p in reply.pages]
        offset += len(asked.views)
        if n:
            whole.sections += reply.sections
            whole.scoring += reply.scoring
            for name in ("title", "subject", "form", "printed_total"):
                if getattr(whole, name) is None:
                    setattr(whole, name, getattr(reply, name))
    return whole


def _unforeseen(
    inventory: Inventory | None, results: Sequence[Result], layout: Layout, understood: Understood, limits: Limits
) -> Iterator[Asked]:
    """Windows for pages that have a part which the layout pass did not see: answers behind the last questions, or
    questions in a file that looked like a key."""
    if inventory is None:
        return
    shown = [
        (view.source, view.page) for asked, _ in results if asked.window.kind == "inventory" for view in asked.views
    ]
    roles = {shown[seen.page - 1]: set(seen.roles) for seen in inventory.pages if 1 <= seen.page <= len(shown)}
    covered = {
        kind: {place for asked, _ in results if asked.window.kind == kind for place in asked.window.pages}
        for kind in ("questions", "answers")
    }
    asking = sorted(p for p, found in roles.items() if "questions" in found and p not in covered["questions"])
    answering = sorted(p for p, found in roles.items() if found & _ANSWER_ROLES and p not in covered["answers"])
    for window in by_pages("questions", layout, asking, limits):
        yield _questions(layout, window, limits)
    for window in by_pages("answers", layout, answering, limits):
        yield _answers(layout, understood, window, limits)


def _split_truncated(
    results: Sequence[Result], layout: Layout, understood: Understood, limits: Limits
) -> tuple[list[Result], list[Asked]]:
    """A reply that ran into its limit comes again as two smaller windows, where the window can be parted."""
    kept: list[Result] = []
    again: list[Asked] = []
    for asked, heard in results:
        window = asked.window
        cut_short = heard.outcome.status == "truncated" and window.kind != "inventory"
        halves = split_window(window, layout, understood, limits) if cut_short else []
        if not halves:
            kept.append((asked, heard))
        for half in halves:
            made = (
                _answers(layout, understood, half, limits)
                if half.kind == "answers"
                else _questions(layout, half, limits)
            )
            again.append(made)
    return kept, again


def _joined(results: Sequence[Result], inventory: Inventory | None, layout: Layout) -> Read:
    questions: list[tuple[int, Questions, Sequence[View]]] = []
    read = Read(PaperRead(), inventory, [])
    in_order = sorted(results, key=lambda result: result[0].window.order)
    for number, (asked, heard) in enumerate(in_order, 1):
        read.findings += note_findings(heard)
        read.windows.append(_row(asked, heard, layout))
        if heard.reply is None:
            read.failures.append(failure_of(asked.window, heard))
        elif isinstance(heard.reply, Questions):
            questions.append((number, heard.reply, asked.views))
        elif isinstance(heard.reply, Answers):
            read.said += _said(heard.reply, asked, number)
    read.paper = join_windows(questions)
    read.said = _once(read.said)
    read.findings += [failure_finding(failure) for failure in read.failures]
    read.findings += [off_page(name) for name in read.paper.off_page]
    return read


def _said(reply: Answers, asked: Asked, number: int) -> list[SaidAnswer]:
    return [SaidAnswer(one, tuple(regions_of(one.places, asked.views)[0]), number) for one in reply.answers]


def _once(said: Sequence[SaidAnswer]) -> list[SaidAnswer]:
    """An answer that two windows saw is kept once, the fuller one; two sources that answer one question stay two."""
    kept: dict[tuple[str, str, str], SaidAnswer] = {}
    for n, one in enumerate(said):
        name = (one.read.section or "", one.read.label, one.read.source)
        other = kept.get(name)
        if other is not None and other.window == one.window:
            name = (*name[:2], f"{name[2]} {n}")
        elif other is not None and _fullness(other) >= _fullness(one):
            continue
        kept[name] = one
    return list(kept.values())


def _fullness(said: SaidAnswer) -> int:
    read = said.read
    levels = sum(len(level.descriptor) + 1 for criterion in read.criteria for level in criterion.levels)
    return len(read.raw) + len(read.rubric or "") + levels + sum(len(value) for value in read.values)


def _row(asked: Asked, heard: Heard, layout: Layout) -> dict[str, object]:
    outcome = heard.outcome
    return {
        "pass": asked.window.kind,
        "window": asked.ask.name,
        "status": outcome.status,
        "cached": outcome.cached,
        "tokens_in": outcome.usage.input,
        "tokens_out": outcome.usage.output,
    }
