r"""LaTeX that JSON has eaten: `"\frac"` in a JSON string is a form feed and `rac`, valid and wrong.

Five control characters can come from a LaTeX command written with one backslash: \b \f \n \r \t. Where the
letters behind one can only be the rest of a command, the backslash is put back; where a real tab or line break
is as likely, the place is reported and left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .outcome import Note

SIGN = {"\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t"}


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# The rest of each command after its first letter. CERTAIN: no text has the control character in front of
# these letters. IN_MATH: certain only between dollar signs, since a word of a language or a label may look so.
CERTAIN: dict[str, frozenset[str]] = {
    "\b": _words(
        """eta ar inom oldsymbol f egin ig igl igr igg iggl iggr Big Bigg matrix ullet ot ox owtie mod ackslash reve
        igcup igcap igoplus igotimes igsqcup igvee igwedge eth etween ecause ackprime acksim lacksquare oxed race
        rack"""
    ),
    "\f": _words("rac orall lat rown box rak int allingdotseq ootnotesize"),
    "\r": _words(
        "ho ight ightarrow angle floor ceil m isingdotseq ightleftharpoons ightharpoonup brace brack vert Vert oot"
    ),
    "\t": _words(
        """imes heta frac ilde riangle riangleq riangleleft riangleright herefore anh extbf extit extrm extsf exttt
        extstyle binom extcolor"""
    ),
    "\n": _words("abla otin leqslant geqslant subseteq supseteq Rightarrow Leftarrow"),
}
IN_MATH: dict[str, frozenset[str]] = {
    "\b": frozenset(),
    "\f": frozenset(),
    "\r": frozenset(),
    "\t": _words("o an au op ext"),
    "\n": _words(
        """eq e u ot i eg leq geq mid parallel sim cong subset supset less gtr earrow warrow atural prec succ exists
        leftarrow rightarrow leftrightarrow"""
    ),
}

CONTROL = re.compile(r"[\x00-\x1f\x7f]")
HIT = re.compile(r"([\b\f\n\r\t])([A-Za-z]+)")
MATH = re.compile(r"\$\$.+?\$\$|\$[^$]+?\$|\\\(.+?\\\)|\\\[.+?\\\]", re.DOTALL)


def repair(value: Any) -> tuple[Any, list[Note]]:
    """The same JSON value with eaten LaTeX put back where it is certain, and a note for each string touched or
    in doubt."""
    notes: list[Note] = []
    return _repair(value, "", notes), notes


def _repair(value: Any, path: str, notes: list[Note]) -> Any:
    if isinstance(value, str):
        return _repair_text(value, path, notes)
    if isinstance(value, list):
        return [_repair(item, f"{path}/{index}", notes) for index, item in enumerate(value)]
    if isinstance(value, dict):
        return {key: _repair(item, f"{path}/{key}", notes) for key, item in value.items()}
    return value


def _repair_text(text: str, path: str, notes: list[Note]) -> str:
    if not CONTROL.search(text):
        return text
    math = [match.span() for match in MATH.finditer(text)]
    out, last = [], 0
    for match in HIT.finditer(text):
        char, letters = match.groups()
        inside = any(start < match.start() < end for start, end in math)
        if not (verdict := _verdict(char, letters, text[match.end() : match.end() + 1], inside)):
            continue
        command = f"\\{SIGN[char]}{letters}"
        if verdict == "certain":
            out += [text[last : match.start()], "\\", SIGN[char]]
            last = match.start() + 1
            notes.append(Note("latex.repaired", path, f"{command} was read as a control character"))
        else:
            notes.append(Note("latex.doubtful", path, f"{match.group()!r} may have been {command}"))
    notes += _stray(text, path)
    return "".join(out) + text[last:]


def _verdict(char: str, letters: str, following: str, inside: bool) -> str:
    if letters in CERTAIN[char] or (char == "\t" and letters == "ext" and following == "{"):
        return "certain"
    if char in "\b\f" and any(letters.startswith(rest) for rest in CERTAIN[char] if len(rest) > 2):
        return "certain"
    if letters in IN_MATH[char]:
        return "certain" if inside else "" if char == "\n" else "doubtful"
    # no text holds a backspace, a form feed or a lone carriage return before a letter
    return "doubtful" if char in "\b\f\r" or (inside and char == "\t") else ""


def _stray(text: str, path: str) -> Iterator[Note]:
    for char in sorted(set(re.findall(r"[\x00-\x08\x0b\x0e-\x1f\x7f](?![A-Za-z])|[\x00-\x07\x0b\x0e-\x1f\x7f]", text))):
        yield Note("text.control", path, f"control character U+{ord(char):04X}")
