"""Order-the-steps replies (LEGO-Puzzles) by VLMEvalKit's rules: four letters A to D, each once.

Observed behaviour of `vlmeval/utils/matching_util.py:can_infer_sequence` and `can_infer_lego` at e8e78f05.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from .choice_vlmevalkit import infer_choice

_ORDINALS = (
    r"(?:first|1st|首先|第一步?|step\s*1|步骤\s*[1一])",
    r"(?:second|2nd|其次|第二步?|step\s*2|步骤\s*[2二])",
    r"(?:third|3rd|再次|第三步?|step\s*3|步骤\s*[3三])",
    r"(?:fourth|4th|最后|第四步?|step\s*4|步骤\s*[4四])",
)
_STEPS = re.compile(r".*?".join(ordinal + r"[^A-D]*?([A-D])" for ordinal in _ORDINALS), re.IGNORECASE | re.DOTALL)
_RUN = re.compile(r"\b[A-D]{4}\b")


def infer_sequence(reply: str) -> str | None:
    """Four letters in a row, else the letters after four ordinals (English, Chinese); None where one repeats."""
    for run in _RUN.findall(reply.upper()):
        if len(set(run)) == 4:
            return run
    steps = _STEPS.search(reply)
    if not steps:
        return None
    order = "".join(steps.groups()).upper()
    return order if len(set(order)) == 4 else None


def infer_lego(reply: str, question_type: str, choices: Mapping[str, object]) -> str | None:
    """`sort` questions are read as a sequence first; everything else, and what is no sequence, as a choice."""
    sequence = infer_sequence(reply) if question_type == "sort" else None
    return sequence or infer_choice(reply, choices)
