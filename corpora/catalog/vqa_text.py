"""The answer normalisation of the VQA challenge, as VLMEvalKit runs it.

Source of the rule: the VQA evaluation of Antol et al. 2015 (visualqa.org/evaluation.html); observed behaviour of
VLMEvalKit `smp/misc.py` and `dataset/utils/vqa_eval.py` at e8e78f05. One fault is part of the official view: the
flag re.UNICODE (32) is passed as the *count* of a substitution, so only the first 32 full stops are removed.
"""

from __future__ import annotations

import re

_PUNCTUATION = ';/[]"{}()=+\\_-><@`,?!'
_DIGIT_COMMA = re.compile(r"\d,\d")
_LOOSE_STOP = re.compile(r"(?<!\d)\.(?!\d)")
_ANY_LAST_STOP = re.compile(r"\.(?!\d)")
_STOPS_REMOVED = 32

_ARTICLES = frozenset({"a", "an", "the"})
_NUMBER_WORDS = {
    "none": "0", "zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5",
    "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10",
}  # fmt: skip
_CONTRACTIONS = """
ain't aren't can't could've couldn't couldn't've didn't doesn't don't hadn't hadn't've hasn't haven't he'd he'd've
he's how'd how'll how's I'd've I'm I've isn't it'd it'd've it'll ma'am mightn't mightn't've might've mustn't must've
needn't not've o'clock oughtn't 'ow's'at shan't she'd've should've shouldn't shouldn't've somebody'd've somebody'll
somebody's someone'd someone'd've someone'll someone's something'd something'd've something'll that's there'd
there'd've there're there's they'd they'd've they'll they're they've 'twas wasn't we'd've we've weren't what'll
what're what's what've when's where'd where's where've who'd who'd've who'll who's who've why'll why're why's won't
would've wouldn't wouldn't've y'all y'all'll y'all'd've you'd you'd've you'll you're you've
"""


def _one_apostrophe_short(contraction: str) -> list[str]:
    return [contraction[:n] + contraction[n + 1 :] for n, sign in enumerate(contraction) if sign == "'"]


# a contraction is known by any form that lacks one of its apostrophes; those with a capital are never met
_APOSTROPHES = {short: whole for whole in _CONTRACTIONS.split() for short in _one_apostrophe_short(whole)}
_APOSTROPHES["somebody'd"] = "somebodyd"  # the published table has this one the wrong way round


def strip_punctuation(text: str, loose_stop: re.Pattern[str] = _LOOSE_STOP) -> str:
    """Signs next to a blank (or any sign, where a digit comma occurs) vanish, others become a blank; loose stops go."""
    out = text
    comma = _DIGIT_COMMA.search(text) is not None
    for sign in _PUNCTUATION:
        beside_blank = sign + " " in text or " " + sign in text
        out = out.replace(sign, "" if beside_blank or comma else " ")
    return loose_stop.sub("", out, count=_STOPS_REMOVED)


def fold_digits_and_articles(text: str) -> str:
    """Number words as digits, articles out, contractions with their apostrophe; blanks single."""
    words = [_NUMBER_WORDS.get(word, word) for word in text.lower().split()]
    return " ".join(_APOSTROPHES.get(word, word) for word in words if word not in _ARTICLES)


def normalize_answer(answer: str) -> str:
    """The whole normalisation: line breaks to blanks, punctuation, number words, articles, contractions."""
    text = answer.replace("\n", " ").replace("\t", " ").strip()
    return fold_digits_and_articles(strip_punctuation(text))


def eval_ai_answer(text: str) -> str:
    """The EvalAI answer processor: commas and question marks out, a genitive 's split off, then the normalisation.

    It drops a full stop after a digit too, which VLMEvalKit keeps.
    """
    words = text.lower().replace(",", "").replace("?", "").replace("'s", " 's")
    words = words.replace("\n", " ").replace("\t", " ").strip()
    return fold_digits_and_articles(strip_punctuation(words, _ANY_LAST_STOP))
