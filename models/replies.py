"""Reading a reply: from the text that a model wrote to the value that its schema asked for.

Replies are data: nothing in them is executed, no path in them is opened, and size and depth have limits.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from . import dialect
from .latex import repair
from .outcome import Note

MAX_CHARS = 8_000_000
# braces and strings looked at: a reply of nothing but opening braces must not take quadratic time
MAX_SIGNS = 1_000_000

THINK = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
OPEN_THINK = re.compile(r"^\s*<(think|thinking|reasoning)>(?!.*</\1>).*", re.DOTALL | re.IGNORECASE)
CLOSE_THINK = re.compile(r"^.*?</(think|thinking|reasoning)>", re.DOTALL | re.IGNORECASE)
# a whole string counts as one sign; an unclosed quote is none
STRUCTURE = re.compile(r'[{}]|"(?:[^"\\]|\\.)*"', re.DOTALL)
BAD_ESCAPE = re.compile(r'\\(\\|["/bfnrt]|u[0-9a-fA-F]{4})|\\')


@dataclass(frozen=True, slots=True)
class Reading:
    """`value` where a JSON object was found that obeys the schema; `found`: a JSON object was there at all."""

    value: Any = None
    found: bool = False
    errors: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def ok(self) -> bool:
        return self.found and not self.errors


class DuplicateKey(ValueError):
    pass


def visible(text: str) -> str:
    """The reply without thinking blocks: closed ones anywhere, an unclosed one at the start, and the tail of one
    whose opening tag the server's chat template already wrote."""
    text = THINK.sub("", text)
    text = OPEN_THINK.sub("", text)
    if CLOSE_THINK.match(text) and "{" not in text[: text.lower().find("</")]:
        text = CLOSE_THINK.sub("", text, count=1)
    return text.strip().removeprefix("\ufeff").strip()


def read(text: str, schema: Mapping[str, Any]) -> Reading:
    """The first JSON object in the text that obeys the schema; else the first object, with what is wrong.

    An object may stand after words, in code fences or behind a thinking block. Backslashes that JSON does not
    know (`\\alpha`) are doubled, LaTeX that became control characters is put back where certain; both are noted.
    """
    if len(text) > MAX_CHARS:
        return Reading(errors=(f"the reply has {len(text):,} characters, where {MAX_CHARS:,} is the most",))
    shown = visible(text)
    if not shown:
        return Reading(errors=("the reply is empty",))
    first: Reading | None = None
    problem = "no JSON object in the reply"
    for candidate, whole in _candidates(shown):
        reading = _read_object(candidate, schema, whole=whole)
        if reading.ok:
            return reading
        if reading.found and first is None:
            first = reading
        if whole and not reading.found:
            problem = reading.errors[0]
    return first or Reading(errors=(problem,))


def _candidates(text: str) -> Iterator[tuple[str, bool]]:
    """The whole text, then each balanced brace group from left to right, not those inside one that parsed."""
    if text.startswith("{") and text.endswith("}"):
        yield text, True
    start, left = text.find("{"), MAX_SIGNS
    while start >= 0 and left > 0:
        end, used = _balanced(text, start, left)
        left -= used
        step = start + 1
        if end is not None:
            yield text[start:end], False
            step = end if _parse(text[start:end])[0] is not None else step
        start = text.find("{", step)


def _balanced(text: str, start: int, most: int) -> tuple[int | None, int]:
    """(end of the brace group that opens at `start`, signs looked at); braces inside JSON strings do not count."""
    depth = used = 0
    for used, match in enumerate(islice(STRUCTURE.finditer(text, start), most), start=1):
        sign = match.group()
        if sign == "{":
            depth += 1
        elif sign == "}":
            depth -= 1
            if depth == 0:
                return match.end(), used
    return None, used + 1


def _read_object(text: str, schema: Mapping[str, Any], *, whole: bool) -> Reading:
    value, problem, mended = _parse(text)
    if value is None:
        return Reading(errors=(problem,))
    value, notes = repair(value)
    if mended:
        notes.insert(0, Note("json.repaired", "", "backslashes that JSON does not know were doubled"))
    if not whole:
        notes.insert(0, Note("json.found", "", "the object stood among other text"))
    return Reading(value, True, tuple(dialect.validate(value, schema)), tuple(notes))


def _parse(text: str) -> tuple[dict[str, Any] | None, str, bool]:
    """(object, problem, mended): strict JSON first, then with unknown escapes doubled."""
    problem = ""
    for attempt, mended in ((text, False), (_double(text), True)):
        if mended and attempt == text:
            break
        try:
            value = json.loads(attempt, object_pairs_hook=_unique, parse_constant=_no_constant, strict=False)
        except RecursionError:
            return None, "the JSON is nested too deep", False
        except ValueError as error:
            problem = problem or f"not JSON: {error}"
        else:
            return (value, "", mended) if isinstance(value, dict) else (None, "not a JSON object", False)
    return None, problem, False


def _double(text: str) -> str:
    return BAD_ESCAPE.sub(lambda match: match.group() if match.group(1) else "\\\\", text)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        raise DuplicateKey("a key stands twice in one object")
    return out


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")
