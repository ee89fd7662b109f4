"""Reading a choice out of a reply by VLMEvalKit's rules, in the versions that published scores used.

Observed behaviour of open-compass/VLMEvalKit (Apache-2.0): `vlmeval/utils/matching_util.py` and
`vlmeval/dataset/utils/multiple_choice.py` at e8e78f05 (2026-08-18), before 1445ec4f (2026-06-17), and at
590f052a and aca64dbb. These rules are kept faults and all: a published score is what they made of a reply.
`None` stands for the reference's False: no choice was read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

UNANSWERABLE = "Z"
_API_FAILURE = "Failed to obtain answer via API"
_REFUSALS = (
    "Sorry, I can't help with images of people yet.",
    "I can't process this file.",
    "I'm sorry, but without the image provided",
    "Cannot determine the answer",
)
_SEPARATORS = str.maketrans(dict.fromkeys(".()[],:;!*#{}", " "))
_DECLARED = re.compile(r"answer is\s*(?:option\s*)?[(\[*\s:]*([A-D])", re.IGNORECASE)
_TAIL = 5


@dataclass(frozen=True, slots=True)
class Inference:
    """Which of the rules that came and went a version has.

    `tail_only`: the letter must be among the last four words (since 2025-08). `length_limit`: replies longer
    than twice all option texts are not searched for them (since 2025-08). `declared`: the "answer is X" rule
    that reads A to D in any case. `verbose`: the environment variable VERBOSE of the reference, under which a
    reply of more than three words that holds an "A" is refused.
    """

    tail_only: bool = True
    length_limit: bool = True
    declared: bool = True
    verbose: bool = False


HEAD = Inference()


def infer_option(reply: str, choices: Mapping[str, object], version: Inference = HEAD) -> str | None:
    """The one option label that stands as a word of its own, else the declared one; Z for the known refusals."""
    if _API_FAILURE in reply:
        return None
    if any(refusal in reply for refusal in _REFUSALS):
        return UNANSWERABLE
    words = reply.translate(_SEPARATORS).split()
    named = [label for label in choices if label in words]
    if len(named) == 1:
        if version.verbose and "A" in words and len(words) > 3:
            return None
        if not version.tail_only or words.index(named[0]) > len(words) - _TAIL:
            return named[0]
    elif not named and UNANSWERABLE in words:
        return UNANSWERABLE
    declared = _DECLARED.search(reply) if version.declared else None
    label = declared.group(1).upper() if declared else None
    return label if label in choices else None


def infer_text(reply: str, choices: Mapping[str, object], version: Inference = HEAD) -> str | None:
    """The one option whose text is a substring of the reply, case ignored.

    Raises ValueError where a label is not a run of capital letters (the reference asserts it).
    """
    reply = reply.lower()
    texts = {label: str(text) for label, text in choices.items()}
    if version.length_limit and len(reply) > 2 * sum(len(text) for text in texts.values()):
        return None
    found: list[str] = []
    for label, text in texts.items():
        if label not in "ABCDEFGHIJKLMNOPQRSTUVWXYZ":
            raise ValueError(f"option label {label!r} is not a capital letter")
        if text.lower() in reply:
            found.append(label)
    return found[0] if len(found) == 1 else None


def infer_choice(reply: object, choices: Mapping[str, object], version: Inference = HEAD) -> str | None:
    """The reference's `can_infer`: an option's label, else an option's text."""
    text = str(reply)
    return infer_option(text, choices, version) or infer_text(text, choices, version)


@dataclass(frozen=True, slots=True)
class FirstCapital:
    """The family `extract_characters_regex`: cut known openings out, then the first capital of an alphabet.

    Replies of more than `long` words without such a capital are given up before the option texts are tried:
    a reply that is part of an option's text counts as that option (its second character is returned, since
    options read "(A) …").
    """

    openings: tuple[str, ...]
    letters: str
    choices: tuple[str, ...] = ()
    long: int = 10

    def read(self, reply: object, choices: Sequence[str] | None = None) -> str:
        # the reference treats a dict (a failed call's record) as an empty reply
        text = reply.strip() if isinstance(reply, str) else ""
        for opening in self.openings:
            text = text.replace(opening, "")
        match = re.search(f"[{self.letters}]", text)
        if match:
            return match.group()
        if len(text.split()) > self.long:
            return ""
        for choice in self.choices if choices is None else choices:
            if text.lower() in choice.lower():
                return choice[1]
        return ""


_OPENINGS = ("The best answer is", "The correct answer is", "The answer is", "The answer")
_FIXED = (*_OPENINGS, "The best option is", "The correct option is", "Best answer:", "Best option:")
# two commas were missing until 2026-06-17, so that adjacent literals fused into openings that never occur
_FUSED = (*_OPENINGS, "The best option isThe correct option is", "Best answer:Best option:")
_LETTERED = ("(A)", "(B)", "(C)", "(D)", "(E)")

GENERAL = FirstCapital(_FIXED, "ABCDE", _LETTERED)
GENERAL_BEFORE_FIX = FirstCapital(_FUSED, "ABCDE", _LETTERED)
VIDEO_MME = FirstCapital((*_FUSED, "Answer:", "Option:"), "ABCD")
VIDEO_MME_V2 = FirstCapital((*_FIXED, "Answer:", "Option:"), "ABCDEFGH")
LONG_VIDEO_BENCH = FirstCapital((*_FUSED, "Answer:", "Option:"), "ABCDE")
V2P_BENCH = FirstCapital((*_FIXED, "Answer:", "Option:"), "ABCD")


@dataclass(frozen=True, slots=True)
class CapitalSet:
    """XLRS-Bench and OmniEarth: the letters in parentheses; without any, and with a capital of the alphabet
    somewhere, every letter of the alphabet that the reply holds, in either case."""

    letters: str

    def read(self, reply: str) -> frozenset[str]:
        text = reply.strip()
        for opening in _FUSED:
            text = text.replace(opening, "")
        either = f"[{self.letters}{self.letters.lower()}]"
        found = re.findall(rf"\(({either})\)", text)
        if not found and re.search(f"[{self.letters}]", text):
            found = re.findall(either, text)
        return frozenset(letter.upper() for letter in found)


XLRS_BENCH = CapitalSet("ABCDE")
OMNI_EARTH = CapitalSet("ABCDEFG")


def extract_choice(text: str, choices: str = "ABCDE") -> str:
    """The skeleton printed in the VLM catalogue, section 1.2: cut openings out in any case, first capital wins."""
    text = re.sub(r"(the answer is|answer:|答案是)", "", text, flags=re.IGNORECASE)
    match = re.search(f"[{choices}]", text)
    return match.group() if match else ""
