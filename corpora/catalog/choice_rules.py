"""Choice benchmarks: the harnesses' readers and marks under the names that cards use.

An extractor takes a reply and its record and returns what was read, or None for a reply in which it reads nothing.
A metric takes what was read and returns named marks. The rules themselves are the modules named in each function.
simple-evals (OpenAI, MIT): the letter after "Answer:", in MMMLU after that word in the question's language; ERQA: the
reply itself, blanks and full stops aside, is the letter.
"""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from functools import cache
from typing import Any

from ...grade.extraction import extract_choice
from ...schemas.errors import BundleError
from ...schemas.printable import printable
from . import choice_vlmevalkit as vlm
from . import cvbench, evalscope_rules, inspect_choice, mmmu, mmstar

Record = Mapping[str, Any]
LETTERS = string.ascii_uppercase

VERSIONS = {
    "head": vlm.HEAD,
    "590f052a": vlm.Inference(declared=False),
    "aca64dbb": vlm.Inference(tail_only=False, length_limit=False, declared=False),
}
FIRST_CAPITALS = {
    "general": vlm.GENERAL,
    "before-1445ec4f": vlm.GENERAL_BEFORE_FIX,
    "videomme": vlm.VIDEO_MME,
    "videomme_v2": vlm.VIDEO_MME_V2,
    "longvideobench": vlm.LONG_VIDEO_BENCH,
    "v2pbench": vlm.V2P_BENCH,
}
# how "answer" is written before a colon in the languages of MMMLU, besides English
_ANSWER_WORDS = (
    "Answer", "Antwort", "Respuesta", "Réponse", "Risposta", "Resposta", "Jawaban", "Jibu", "Ìdáhùn", "Idahun",
    "الإجابة", "الاجابة", "إجابة", "উত্তর", "उत्तर", "答案", "回答", "答え", "解答", "정답", "답변", "답",
)  # fmt: skip
_NATIVE_LETTERS = {
    **dict(zip("أبجد", "ABCD", strict=True)),
    **dict(zip("অবড", "ABC", strict=True)),
    "ঢ": "D",
    **dict(zip("ＡＢＣＤ", "ABCD", strict=True)),
}


def options_of(record: Record) -> dict[str, str]:
    """The options of a record by their letters; absent ones at the end left out. Raises BundleError without any."""
    options = record.get("options")
    if isinstance(options, Mapping):
        return {str(label): str(text) for label, text in options.items() if text is not None}
    if not isinstance(options, list | tuple) or not options:
        raise BundleError(f"the record {printable(record.get('id'))} has no options")
    return {LETTERS[place]: str(text) for place, text in enumerate(options) if text is not None and text != ""}


def gold_label(record: Record, *, index: bool = False) -> str:
    """The letter of the right option: as written ("B", "(b)"), or of the option whose text the answer is.

    With `index` a number is the option's place, counted from 0.
    """
    answer = str(record["answer"]).strip()
    bare = answer.strip("(). \t").upper()
    if len(bare) == 1 and bare.isalpha():
        return bare
    if index and answer.isdecimal() and len(answer) < 3 and int(answer) < len(options_of(record)):
        return LETTERS[int(answer)]
    texts = [label for label, text in options_of(record).items() if text.strip() == answer]
    if len(texts) != 1:
        raise BundleError(
            f"the answer '{printable(answer, 40)}' of {printable(record.get('id'))} is none of its options"
        )
    return texts[0]


# extractors


def whole(reply: str, record: Record) -> str:
    """The reply as it is."""
    return reply


def robust_choice(reply: str, record: Record, *, texts: bool = True, letters: str | None = None) -> str | None:
    """The conservative reading; with `texts` False the text of an option is no answer.

    `letters`: the labels where a record's options stand in the question's text alone.
    """
    options = dict.fromkeys(letters, "") if letters and not record.get("options") else options_of(record)
    return extract_choice(reply, options if texts else dict.fromkeys(options, "")).value


def vlm_choice(reply: str, record: Record, *, version: str = "head") -> str | None:
    return vlm.infer_choice(reply, options_of(record), VERSIONS[version])


def vlm_first_capital(reply: str, record: Record, *, family: str = "general") -> str | None:
    return FIRST_CAPITALS[family].read(reply) or None


def mmmu_choice(reply: str, record: Record) -> str | None:
    return mmmu.parse_choice(reply, list(options_of(record).values()))


def lmms_choice(reply: str, record: Record) -> str | None:
    options = record.get("options")
    return mmstar.lmms_choice(reply, list(options_of(record)) if options else None) or None


def mmstar_letter(reply: str, record: Record) -> str | None:
    """The option letter that the official rule can find: the first sign, or the one after "(", "option ", …"""
    return next((letter for letter in LETTERS if mmstar.is_match(reply, letter)), None)


def evalscope_choice(reply: str, record: Record, *, chinese: bool = False) -> str | None:
    read = evalscope_rules.parse_choices(reply, len(options_of(record)), chinese=chinese)
    return min(read) if read else None


def inspect_ai_choice(reply: str, record: Record) -> str | None:
    read = inspect_choice.parse_choices(reply, len(options_of(record)))
    return min(read) if read else None


def cambrian_first_character(reply: str, record: Record) -> str | None:
    """CV-Bench: the first character; the 3D source has its own variant."""
    return cvbench.first_character(reply, omni=record.get("source") == cvbench.SOURCE_3D) or None


def lmms_cv_bench(reply: str, record: Record) -> str | None:
    return cvbench.lmms_letter(reply) or None


def cambrian_first_word(reply: str, record: Record) -> str | None:
    words = reply.lower().split()
    return words[0].rstrip(":.") if words else None


@cache
def _answer_line(languages: bool) -> re.Pattern[str]:
    words = "|".join(map(re.escape, _ANSWER_WORDS)) if languages else "Answer"
    letters = "A-D" + ("".join(_NATIVE_LETTERS) if languages else "")
    return re.compile(rf"(?:{words})\W{{0,3}}?\s*[:：]\s*\$?([{letters}])\$?", re.IGNORECASE)


def simple_evals_letter(reply: str, record: Record, *, languages: bool = False) -> str | None:
    """The letter after "Answer:", the first one; with `languages` after that word in other languages too."""
    text = re.sub(r"[*_`]", "", reply) if languages else reply
    found = _answer_line(languages).search(text)
    return None if found is None else _NATIVE_LETTERS.get(found.group(1), found.group(1).upper())


def erqa_letter(reply: str, record: Record) -> str | None:
    text = reply.replace(".", "").strip()
    return text.upper() if len(text) == 1 and text.isalpha() else None


# metrics


def choice_equal(read: Any, record: Record, *, index: bool = False) -> dict[str, float]:
    """Whether the letter read is the gold's; `index`: golds that are numbers are places of options, from 0."""
    return {"hit": float(read is not None and str(read).upper() == gold_label(record, index=index))}


def mmstar_match(read: Any, record: Record) -> dict[str, float]:
    return {"hit": float(read is not None and mmstar.is_match(str(read), gold_label(record)))}


def cambrian_cv_bench(read: Any, record: Record) -> dict[str, float]:
    """The released comparison: the gold's letter in lower case, in 3D also a one-character option text."""
    omni = record.get("source") == cvbench.SOURCE_3D
    options = list(options_of(record).values())
    return {"hit": float(read is not None and cvbench.is_hit(read, record["answer"], options, omni=omni))}


def first_word_equal(read: Any, record: Record) -> dict[str, float]:
    return {"hit": float(read is not None and read == str(record["answer"]).strip("(). ").lower())}
