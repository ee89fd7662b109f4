"""Written answers, yes and no, counts: readers and marks under the names that cards use.

Exact mathematics (HMMT): the final answer is the last box or declaration; it is right where this project's expression
rule proves it equal to the gold, or math-verify (the library that the published scores of HMMT come from) does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ...grade.extraction import extract_number, extract_yes_no
from ...grade.extraction.reply import declared_tail, read_reply
from ...schemas.errors import BundleError, UsageError
from ...schemas.printable import printable
from . import countqa, evalscope_rules, mathvista, mmmu, open_text, yes_no
from .choice_rules import choice_equal, gold_label, mmmu_choice, options_of, robust_choice

Record = Mapping[str, Any]
MAX_EXPRESSION = 2000
_SHORT = 80
_SECONDS = 5


def golds_of(record: Record) -> list[str]:
    """The accepted answers of a record: `answers`, else its one `answer`."""
    golds = record.get("answers")
    if golds is None:
        golds = open_text.expand_golds(record["answer"])
    if isinstance(golds, str):
        golds = open_text.expand_golds(golds)
    return [str(gold) for gold in golds]


# yes and no


def vlm_yes_no(reply: str, record: Record) -> str | None:
    read = yes_no.extract_yes_no(reply)
    return None if read == yes_no.UNKNOWN else read


def robust_yes_no(reply: str, record: Record) -> str | None:
    value = extract_yes_no(reply).value
    return None if value is None else "Yes" if value else "No"


def gold_yes_no(record: Record) -> str:
    answer = str(record["answer"]).strip().capitalize()
    named = {"1": "Yes", "0": "No", "True": "Yes", "False": "No"}.get(answer, answer)
    if named not in ("Yes", "No"):
        raise BundleError(
            f"the answer '{printable(answer, 40)}' of {printable(record.get('id'))} is neither yes nor no"
        )
    return named


def yes_no_equal(read: Any, record: Record) -> dict[str, float]:
    return {"hit": float(read == gold_yes_no(record))}


def evalscope_yes_no(read: Any, record: Record) -> dict[str, float]:
    """Whether the gold word is a substring of the reply in capitals."""
    return {"hit": float(read is not None and evalscope_rules.yes_no_hit(read, gold_yes_no(record).upper()))}


# written answers


def evalscope_declared(reply: str, record: Record, *, whole: bool = True) -> str | None:
    return evalscope_rules.declared_text(reply, whole=whole) or None


def robust_text(reply: str, record: Record) -> str | None:
    """The declared answer, else a reply of one short line; thinking is no answer."""
    read = read_reply(reply)
    if read is None:
        return None
    if read.declared:
        return read.declared[-1].rstrip(". ")
    text = read.text.strip()
    return text if text and "\n" not in text and len(text) <= _SHORT else None


def vlm_vqa(read: Any, record: Record, *, method: str, dataset: str) -> dict[str, float]:
    """VLMEvalKit's row score: `method` anls, relaxed_accuracy, vqa_score or accuracy; `dataset` decides the folding."""
    if read is None:
        return {"hit": 0.0}
    match = open_text.match_row(golds_of(record), str(read), method)["match"]
    return {"hit": float(open_text.row_hit(match, dataset))}


def anls(read: Any, record: Record) -> dict[str, float]:
    return {"hit": 0.0 if read is None else open_text.anls_score(str(read), golds_of(record))}


def evalscope_anls(read: Any, record: Record) -> dict[str, float]:
    import json

    return {"hit": 0.0 if read is None else evalscope_rules.anls(str(read), json.dumps(golds_of(record)))}


def relaxed(read: Any, record: Record) -> dict[str, float]:
    """Within 5 % of one of the golds, texts equal."""
    if read is None:
        return {"hit": 0.0}
    return {"hit": float(any(open_text.is_relaxed_match(gold, str(read)) for gold in golds_of(record)))}


def cambrian_text_vqa(read: Any, record: Record) -> dict[str, float]:
    if read is None:
        return {"hit": 0.0}
    try:
        return {"hit": open_text.text_vqa_accuracy(str(read), golds_of(record))}
    except ValueError as error:
        raise BundleError(f"record {printable(record.get('id'))}: {error}") from error


def cambrian_chartqa(read: Any, record: Record) -> dict[str, float]:
    row = {"answer": str(read), "gt_answer": str(record["answer"])}
    return {"hit": 0.0 if read is None else open_text.cambrian_chartqa([row])["accuracy"] / 100}


def text_equal(read: Any, record: Record) -> dict[str, float]:
    folded = None if read is None else evalscope_rules.normalize_text(str(read))
    return {"hit": float(any(folded == evalscope_rules.normalize_text(gold) for gold in golds_of(record)))}


# MMMU and MathVista: choices and written answers in one benchmark


def is_open(record: Record) -> bool:
    kind = str(record.get("question_type") or "").lower()
    return kind in ("open", "free_form", "short-answer") if kind else not record.get("options")


def lmms_mmmu(reply: str, record: Record) -> Any:
    """A choice's letter, or for an open question everything in the reply that could be its answer."""
    return lmms_mmmu_open(reply, record) if is_open(record) else mmmu_choice(reply, record)


def lmms_mmmu_open(reply: str, record: Record) -> list[str | float] | None:
    return sorted(mmmu.parse_open(reply), key=str) if reply.strip() else None


def lmms_mmmu_hit(read: Any, record: Record) -> dict[str, float]:
    if read is None:
        return {"hit": 0.0}
    hit = mmmu.is_open_hit(golds_of(record), read) if is_open(record) else read == gold_label(record)
    return {"hit": float(hit)}


def robust_answer(reply: str, record: Record) -> Any:
    """A choice's letter, else a number where the gold is one, else the declared text."""
    if not is_open(record):
        return robust_choice(reply, record)
    return robust_number(reply, record) if _number_of(golds_of(record)[0]) is not None else robust_text(reply, record)


def robust_answer_hit(read: Any, record: Record) -> dict[str, float]:
    """The letter; a number equal to the gold at the gold's own precision; a text equal but for case and blanks."""
    if read is None:
        return {"hit": 0.0}
    if not is_open(record):
        return choice_equal(read, record)
    return {"hit": float(any(_same_answer(str(read), gold) for gold in golds_of(record)))}


def _number_of(text: str) -> float | None:
    try:
        return float(text.replace(",", "").strip("$% "))
    except ValueError:
        return None


def _same_answer(read: str, gold: str) -> bool:
    wanted, found = _number_of(gold), _number_of(read)
    if wanted is None or found is None:
        return " ".join(read.lower().split()) == " ".join(gold.lower().split())
    decimals = len(gold.strip("$% ").partition(".")[2])
    return round(found, decimals) == round(wanted, decimals)


def _mathvista_row(record: Record, **extra: Any) -> dict[str, Any]:
    choice = record.get("question_type") == "multi_choice"
    return {
        "question_type": record.get("question_type"),
        "answer_type": record.get("answer_type"),
        "choices": repr(list(options_of(record).values())) if choice else "[]",
        "answer_option": gold_label(record) if choice else "",
        "answer": str(record["answer"]),
        **extra,
    }


def vlm_mathvista(reply: str, record: Record) -> Any:
    """What the reference reads without asking a model; None where it would ask one."""
    read = mathvista.check(_mathvista_row(record, prediction=reply), prefetch=True)
    return None if read is False else read


def vlm_mathvista_hit(read: Any, record: Record) -> dict[str, float]:
    return {"hit": 0.0 if read is None else float(mathvista.check(_mathvista_row(record, res=read), prefetch=False))}


def lmms_mathvista(reply: str, record: Record) -> str | None:
    """lmms-eval without its model, normalised to the answer's type; None where it would ask a model."""
    problem = _mathvista_row(record)
    choices = list(options_of(record).values()) if record.get("question_type") == "multi_choice" else []
    read = mathvista.lmms_extract(reply, {**problem, "choices": choices})
    if not read:
        return None
    return mathvista.lmms_normalize(
        read, choices, problem["question_type"], problem["answer_type"], record.get("precision")
    )


def lmms_mathvista_hit(read: Any, record: Record) -> dict[str, float]:
    return {"hit": float(read is not None and mathvista.lmms_is_equal(read, record["answer"]))}


# counts


def first_integer(reply: str, record: Record) -> str | None:
    return countqa.extract_count(reply) or None


def regex_then_integer(
    reply: str, record: Record, *, pattern: str = r"(\d+)", group_select: int = -1, fallback: str = countqa.NO_MATCH
) -> str | None:
    """EvalScope's per-run filter: the match at `group_select`, then the first integer in it."""
    try:
        return countqa.extract_count(countqa.regex_filter(reply, pattern, group_select, fallback)) or None
    except re.error as error:
        raise UsageError(f"the filter '{printable(pattern, 60)}' is no regular expression: {error}") from error
    except IndexError as error:
        raise UsageError(
            f"the filter '{printable(pattern, 60)}' has no match number {group_select} in every reply"
        ) from error


def robust_integer(reply: str, record: Record) -> str | None:
    """A whole number that the reply is, declares, or alone says; decimals and several numbers are none."""
    value = extract_number(reply).value
    if value is None or value.denominator != 1 or value < 0:
        return None
    return str(value.numerator)


def robust_number(reply: str, record: Record) -> str | None:
    value = extract_number(reply).value
    if value is None:
        return None
    return str(value.numerator) if value.denominator == 1 else repr(float(value))


def count_marks(read: Any, record: Record) -> dict[str, float]:
    """Exact, and within 5 % of the gold (0 stays exact)."""
    answer = str(record["answer"]).strip()
    if not answer.isdecimal() or len(answer) > countqa.MAX_DIGITS:
        raise BundleError(f"the answer '{printable(answer, 40)}' of {printable(record.get('id'))} is no whole number")
    score = countqa.count_score("" if read is None else str(read), answer)
    return {"acc": score["acc"], "relaxed_acc": score["relaxed_acc"]}


# mathematics


def math_final(reply: str, record: Record) -> str | None:
    """The last box, the last declared answer, else a reply that is one short line."""
    boxed = _last_box(reply[-200_000:])
    if boxed is not None:
        return boxed
    tail = declared_tail(reply)
    if tail is not None:
        return tail.splitlines()[0].strip().strip("$").rstrip(".").strip() or None
    return robust_text(reply, record)


def _last_box(text: str) -> str | None:
    """The content of the last \\boxed{…} with its braces matched; None without one, or where it never closes."""
    start = max(text.rfind(r"\boxed{"), text.rfind(r"\fbox{"))
    if start < 0:
        return None
    begin = text.index("{", start) + 1
    depth = 1
    for place in range(begin, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0) if text[place - 1] != "\\" else 0
        if depth == 0:
            return text[begin:place].strip() or None
    return None


@lru_cache(maxsize=4096)
def _keys(gold: str) -> tuple[Any, ...]:
    """The gold as this project's expression key, if it can be read as one."""
    from ...grade.expressions import ExpressionKey
    from ...grade.marks import KeyFault
    from ...schemas.grading import ExpressionRule

    try:
        return (ExpressionKey.of(ExpressionRule(expression=gold)),)
    except KeyFault:
        return ()


@lru_cache(maxsize=4096)
def _parsed(text: str) -> list[Any]:
    from math_verify import parse

    return parse(f"${text}$", parsing_timeout=_SECONDS)


def math_equal(read: Any, record: Record) -> dict[str, float]:
    """1 where the answer is mathematically one of the golds."""
    if read is None or len(str(read)) > MAX_EXPRESSION:
        return {"hit": 0.0}
    return {"hit": float(any(is_same_mathematics(str(read), gold) for gold in golds_of(record)))}


def is_same_mathematics(read: str, gold: str) -> bool:
    """Whether two texts are the same mathematics: by this project's rule, else by math-verify.

    math-verify limits its time by a signal, so this must run in the main thread. What the bounded rule found too
    large to compute is not handed on: a tower of powers would hold the library up past any signal.
    """
    if read.strip() == gold.strip():
        return True
    verdicts = [key.check(read) for key in _keys(gold)]
    if any(verdict.matched for verdict in verdicts):
        return True
    if any(verdict.reason.startswith("not computed") for verdict in verdicts):
        return False
    from math_verify import verify

    return bool(verify(_parsed(gold), _parsed(read), timeout_seconds=_SECONDS))
