"""Instructions of IFEval and IFBench that rest on other packages' models and word lists.

Where the package or its data is not installed, the instruction is not verified: `Unverified` says what it needs.
Sources of the rules: allenai/IFBench at 1d62c1d6 (NLTK's tagger and stop words, syllapy) and IFEval (langdetect).
"""

from __future__ import annotations

import importlib
from itertools import pairwise
from typing import Any

from .instruction_text import count_words, plain_words, tokens, words
from .instructions_ifeval import verifier


class Unverified(Exception):
    """`needs`: the package, with its data, without which the instruction cannot be verified."""

    def __init__(self, needs: str) -> None:
        super().__init__(needs)
        self.needs = needs


def _package(name: str, needs: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise Unverified(needs) from error


def _with_data(name: str) -> str:
    return f"nltk and its data (python -m nltk.downloader {name})"


@verifier("words:start_verb")
def _start_verb(text: str) -> bool:
    needs = _with_data("averaged_perceptron_tagger_eng")
    nltk = _package("nltk", needs)
    found = tokens(text)
    try:
        return bool(found) and "VB" in nltk.pos_tag(found)[0][1]
    except LookupError as error:
        raise Unverified(needs) from error


@verifier("ratio:stop_words")
def _stop_words(text: str, *, percentage: float) -> bool:
    needs = _with_data("stopwords")
    _package("nltk", needs)
    try:
        listed = frozenset(_package("nltk.corpus", needs).stopwords.words("english"))
    except LookupError as error:
        raise Unverified(needs) from error
    total = count_words(text)
    return total > 0 and 100 * sum(word.lower() in listed for word in words(text)) / total <= percentage


@verifier("words:odd_even_syllables")
def _syllables(text: str) -> bool:
    syllapy = _package("syllapy", "syllapy")
    odd = [syllapy.count(word) % 2 for word in plain_words(text)]
    return all(one != other for one, other in pairwise(odd))


@verifier("language:response_language")
def _language(text: str, *, language: str) -> bool:
    langdetect = _package("langdetect", "langdetect")
    langdetect.DetectorFactory.seed = 0  # without a seed the same text is now one language, now another
    try:
        return langdetect.detect(text) == language
    except langdetect.LangDetectException:
        return True  # as IFEval has it: a text without features counts as followed
