"""`exam2bench ingest`: ingest, with grading at hand to prove the rules that it proposes for open questions.

Ingest and grade are rooms that may not enter each other; here they meet.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ..ingest import command as ingest_command

if TYPE_CHECKING:
    from ..schemas.answers import AnswerValue
    from ..schemas.exam import Question
    from ..schemas.grading import QuestionGrading

__doc__ = ingest_command.__doc__
add_arguments = ingest_command.add_arguments


def run(args: argparse.Namespace) -> int:
    return ingest_command.run(args, prove_rule)


def prove_rule(question: Question, grading: QuestionGrading, answer: AnswerValue | None) -> float | None:
    """Points that the answer earns by the rule; None where the rule cannot be scored or cannot read its own key."""
    from ..grade.marks import AnswerTypeMismatch, KeyFault
    from ..grade.scoring import rule_scorer

    try:
        scorer = rule_scorer(grading)
        if scorer is None:
            return None
        return 0.0 if answer is None else scorer(answer).awarded
    except (KeyFault, AnswerTypeMismatch):
        return None
