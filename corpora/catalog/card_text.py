"""A card as text for a terminal of 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from .card import FAMILIES, OFFICIAL, Card, Column, Rule, View

WIDTH = 80
_INDENT = 2


def list_text(cards: Sequence[Card]) -> str:
    """The benchmarks by family: name, and what the official view's headline is measured in."""
    lines: list[str] = []
    for family in FAMILIES:
        members = [card for card in cards if card.family == family]
        if members:
            lines += [*([""] if lines else []), family.replace("_", " ")]
            lines += [line for card in members for line in _row(card)]
    return "\n".join(lines)


def _row(card: Card) -> list[str]:
    headline = card.view(OFFICIAL).headline.measure().text()
    return textwrap.wrap(
        f"{card.title}: {headline}", WIDTH, initial_indent=f"  {card.name:<20}", subsequent_indent=" " * 22
    )


def card_text(card: Card) -> str:
    """The whole card in words."""
    return "\n".join(_card_lines(card))


def _card_lines(card: Card) -> Iterator[str]:
    yield f"{card.name}: {card.title} ({card.family.replace('_', ' ')})"
    yield from _wrapped(card.measures)
    yield from _section("Data", _data(card))
    yield from _section("Fields (canonical: column)", [_fields(card)])
    yield from _section("Prompt", _prompt(card))
    for name, view in card.views.items():
        yield from _section(f"View {name}", _view(view))
    if card.deviations:
        yield from _section("Where scores differ", (f"{one.between}: {one.effect}" for one in card.deviations))
    checklist = {key.replace("_", " "): text for key, text in card.checklist.model_dump().items()}
    yield from _section("Before reading a leaderboard", (f"{key}: {text}" for key, text in checklist.items()))
    yield from _section("As a bundle", [_bundle(card)])


def _section(head: str, paragraphs: Iterable[str]) -> Iterator[str]:
    yield ""
    yield head
    for paragraph in paragraphs:
        yield from _wrapped(paragraph)


def _wrapped(text: str) -> list[str]:
    """A paragraph below its heading, its further lines set in; line breaks of the text stay."""
    lines: list[str] = []
    for line in text.strip().split("\n"):
        lead = " " * (_INDENT if not lines else _INDENT + 2)
        lines += textwrap.wrap(
            line, WIDTH, initial_indent=lead, subsequent_indent=" " * (_INDENT + 2), break_on_hyphens=False
        ) or [""]
    return lines


def _data(card: Card) -> Iterator[str]:
    data = card.dataset
    yield f"dataset: {data.id or 'no id that is known with a source'}"
    yield f"revision: {data.revision or 'not pinned here. ' + (data.pin or '')}"
    counts = [f"{count:,} {what}" for count, what in ((data.questions, "questions"), (data.images, "images")) if count]
    if data.split or counts:
        yield ", ".join([*([f"split {data.split}"] if data.split else []), *counts])
    yield f"licence: {card.licence.name}" + (f" ({card.licence.source})" if card.licence.source else "")
    yield f"source: {data.source}"


def _fields(card: Card) -> str:
    return ", ".join(f"{name}: {_column(column)}" for name, column in card.fields.items())


def _column(column: Column) -> str:
    names = column.column or " ".join(column.columns)
    return f"{names} (optional)" if column.optional else names


def _prompt(card: Card) -> Iterator[str]:
    prompt = card.prompt
    if prompt.system:
        yield f"system: {prompt.system}"
    if prompt.text:
        yield prompt.text
    if prompt.option:
        yield f"an option: {prompt.option}"
    if prompt.note:
        yield f"note: {prompt.note}"
    if prompt.source:
        yield f"source: {prompt.source}"


def _view(view: View) -> Iterator[str]:
    yield f"headline: {view.headline.key} ({view.headline.measure().text()})"
    yield f"extractor: {_rule(view.extractor)}; metric: {_rule(view.metric)}; aggregation: {_rule(view.aggregation)}"
    if view.note:
        yield view.note
    yield f"source: {view.source}"


def _rule(rule: Rule) -> str:
    params = ", ".join(f"{name}={value!r}" for name, value in rule.params.items())
    return f"{rule.name} [{params}]" if params else rule.name


def _bundle(card: Card) -> str:
    if card.bundle.kind == "none":
        return f"cannot be imported: {card.bundle.differs}"
    return f"graded otherwise than officially: {card.bundle.differs}"
