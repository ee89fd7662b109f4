"""Choice questions with their options moved on, as CircularEval asks them: labels stay, contents move."""

from __future__ import annotations

from .exam import CHOICE_TYPES, Question


def rotated(question: Question, shift: int) -> Question:
    """The question with the content printed at place n + shift under label n, round the end."""
    options = question.options or []
    if question.type not in CHOICE_TYPES or not options or shift % len(options) == 0:
        return question
    moved = [
        option.model_copy(update={"content": options[(place + shift) % len(options)].content})
        for place, option in enumerate(options)
    ]
    return question.model_copy(update={"options": moved})


def printed_id(question: Question, shift: int, label: str) -> str:
    """The id under which the content is printed that stood under `label`. An id that is no option's stays itself."""
    ids = [option.id for option in question.options or []]
    return ids[(ids.index(label) + shift) % len(ids)] if label in ids else label


def place_of(question: Question, shift: int, selected: str) -> int | None:
    """The place (0 first) at which the content printed under `selected` stood; None for a foreign id."""
    ids = [option.id for option in question.options or []]
    return (ids.index(selected) - shift) % len(ids) if selected in ids else None
