"""What went wrong in a call, as findings: windows without a reading, places that are nowhere, LaTeX that was eaten."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ...schemas.findings import Finding, Where
from ...schemas.printable import printable
from .asking import Heard
from .windows import Window


@dataclass(frozen=True)
class Failure:
    """A window that brought nothing: why, and whose questions the layout engine must give."""

    window: Window
    name: str
    status: str
    why: str


def failure_of(window: Window, heard: Heard) -> Failure:
    """The failure of a window that brought no reply."""
    return Failure(window, heard.ask.name, heard.outcome.status, heard.outcome.why())


def failure_finding(failure: Failure) -> Finding:
    """The failure by the names of its pages."""
    source, page = failure.window.pages[0]
    taken = {
        "questions": "its questions come from the layout engine",
        "answers": "what the layout engine read there stands",
        "inventory": "title, roles and scoring rules come from the layout engine",
    }[failure.window.kind]
    refused = failure.status == "refused"
    hint = "Try another model with --model." if refused else "Run the same command again: only what failed is asked."
    did = "refused to read" if refused else "brought no reading of"
    return Finding(
        code="window.refused" if refused else "window.failed",
        severity="warning",
        where=Where(source=source, page=page),
        message=printable(f"The model {did} {failure.name}; {taken} ({failure.why})", 500),
        hint=hint,
    )


def off_page(name: str) -> Finding:
    """A place in a reply that is nowhere."""
    return Finding(
        code="place.off_page",
        severity="info",
        message=f"The model named a place for “{printable(name, 40)}” that lies on no page it saw; its words "
        "decide where it stands.",
    )


_PLACE = re.compile(r"^/(questions|answers)/(\d+)")


def note_findings(heard: Heard) -> Iterator[Finding]:
    """What reading the reply had to mend, or could not be sure of."""
    notes = [note for note in heard.outcome.notes if note.code.startswith(("latex.", "text."))]
    mended = sum(note.code == "latex.repaired" for note in notes)
    if mended:
        yield Finding(
            code="latex.repaired",
            severity="info",
            message=f"In the reading of {heard.ask.name}, {mended} LaTeX commands that JSON had eaten were put back.",
        )
    for note in notes:
        if note.code == "latex.repaired":
            continue
        yield Finding(
            code=note.code,
            severity="warning",
            message=printable(f"In the reading of {heard.ask.name}{_at(note.path, heard)}: {note.detail}.", 400),
            hint="Look at the formula there: a backslash may have been lost.",
        )


def _at(path: str, heard: Heard) -> str:
    match = _PLACE.match(path)
    if not match or heard.reply is None:
        return ""
    items = getattr(heard.reply, match[1], [])
    at = int(match[2])
    return f", at “{items[at].label}”" if at < len(items) and items[at].label else ""
