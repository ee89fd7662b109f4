"""Amendments printed beside a key: `第5題一律給分`, `12: A or C`, `Questão 157 anulada`, a `#` in the cell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ..draft import KeyEntry
from ..lines import Line
from .key_cells import narrow
from .key_values import Value, parse_value
from .key_words import VOID

_NOTE_CELL = re.compile(r"^[#＃*＊※＠@†‡]+$")
_NUMBERS = (
    r"(?:第|questions?|quest[aã]o|quest[õo]es|items?|q|no\.?|nos\.?|問|问|문항|câu|frage|pregunta)?\s*"
    r"(\d{1,3}(?:\s*[、,，及和與&/]\s*(?:第\s*)?\d{1,3})*)\s*(?:題|题|번|問)?"
)
_NOTE = re.compile(_NUMBERS, re.IGNORECASE)
_CHANGES = re.compile(
    r"給分|更正|accept|credit|correct|anulad|void|annul|delete|送分|正解|정답|\bor\b|\bou\b|或", re.IGNORECASE
)


def is_note_mark(text: str) -> bool:
    """Whether a cell only points to a note."""
    return bool(_NOTE_CELL.match(narrow(text).strip()))


def read_notes(lines: Sequence[Line]) -> dict[int, Value]:
    """Question number to the amended answer, from lines that speak of changes."""
    found: dict[int, Value] = {}
    for line in lines:
        text = narrow(line.text)
        if not _CHANGES.search(text) and not VOID.search(text):
            continue
        for piece in re.split(r"[;；。]|(?=第\s*\d{1,3}\s*題)", text):
            match = _NOTE.search(piece)
            if not match:
                continue
            value = _said(piece[match.end(1) :])
            if value is not None:
                for number in re.findall(r"\d{1,3}", match[1]):
                    found.setdefault(int(number), value)
    return found


def _said(text: str) -> Value | None:
    """The answer that a note gives; None where it gives none."""
    bare = re.sub(r"^\s*(?:題|题|번)?\s*[:：.)）,，]?\s*", "", text).strip()
    if not bare:
        return None
    value = parse_value(bare)
    if value.every or (value.keylike and value.values):
        return value
    return None


def amended(entries: Sequence[KeyEntry], notes: dict[int, Value]) -> list[KeyEntry]:
    """The entries with the notes of their source put in; a note overrules the cell."""
    found: list[KeyEntry] = []
    for entry in entries:
        note = notes.get(int(entry.label)) if entry.label.isdecimal() else None
        if note is not None and (is_note_mark(entry.raw) or _CHANGES.search(note.raw) or note.every):
            raw = note.raw if is_note_mark(entry.raw) else f"{entry.raw}; {note.raw}"
            entry = replace(
                entry, values=note.values, alternatives=note.alternatives, every=note.every, judged=False, raw=raw
            )
        elif is_note_mark(entry.raw) and not entry.judged:
            continue
        found.append(entry)
    return found
