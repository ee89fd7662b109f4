"""IFEval's verifiable instructions (Zhou et al. 2023), each a question to the reply's text.

The names and the settings are those of the data set's `instruction_id_list` and `kwargs`. Keywords are taken as they
are written, not as regular expressions; `change_case` takes letters of the Latin script for English.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Sequence

from .instruction_text import count_words, sentences, tokens

Verifier = Callable[..., bool]
VERIFIERS: dict[str, Verifier] = {}
_OPTIONS = ("My answer is yes.", "My answer is no.", "My answer is maybe.")
_FIRST_WORD_END = ".,?!'\""


def verifier(name: str) -> Callable[[Verifier], Verifier]:
    def register(rule: Verifier) -> Verifier:
        VERIFIERS[name] = rule
        return rule

    return register


def _related(count: int, wanted: float, relation: str) -> bool:
    if relation not in ("less than", "at least"):
        raise ValueError(f"the relation {relation[:40]!r} is neither 'less than' nor 'at least'")
    return count < wanted if relation == "less than" else count >= wanted


@verifier("keywords:existence")
def _existence(text: str, *, keywords: Sequence[str]) -> bool:
    return all(word.lower() in text.lower() for word in keywords)


@verifier("keywords:frequency")
def _frequency(text: str, *, keyword: str, frequency: float, relation: str) -> bool:
    return _related(text.lower().count(keyword.strip().lower()), frequency, relation)


@verifier("keywords:forbidden_words")
def _forbidden(text: str, *, forbidden_words: Sequence[str]) -> bool:
    return not any(re.search(rf"\b{re.escape(word)}\b", text, re.IGNORECASE) for word in forbidden_words)


@verifier("keywords:letter_frequency")
def _letter_frequency(text: str, *, letter: str, let_frequency: float, let_relation: str) -> bool:
    return _related(text.lower().count(letter.lower()), let_frequency, let_relation)


@verifier("length_constraints:number_sentences")
def _number_sentences(text: str, *, num_sentences: float, relation: str) -> bool:
    return _related(len(sentences(text)), num_sentences, relation)


@verifier("length_constraints:number_words")
def _number_words(text: str, *, num_words: float, relation: str) -> bool:
    return _related(count_words(text), num_words, relation)


@verifier("length_constraints:number_paragraphs")
def _number_paragraphs(text: str, *, num_paragraphs: float) -> bool:
    """Paragraphs parted by ***; an empty one is allowed at the ends alone."""
    parts = re.split(r"\s?\*\*\*\s?", text)
    if any(not part.strip() for part in parts[1:-1]):
        return False
    return sum(bool(part.strip()) for part in parts) == num_paragraphs


@verifier("length_constraints:nth_paragraph_first_word")
def _nth_paragraph(text: str, *, num_paragraphs: float, nth_paragraph: float, first_word: str) -> bool:
    parts = text.split("\n\n")
    place, count = int(nth_paragraph), sum(bool(part.strip()) for part in parts)
    if not 0 < place <= count or not parts[place - 1].strip():
        return False
    word = parts[place - 1].split()[0].lstrip("'").lstrip('"')
    end = next((n for n, sign in enumerate(word) if sign in _FIRST_WORD_END), len(word))
    return count == num_paragraphs and word[:end].lower() == first_word.lower()


@verifier("detectable_content:number_placeholders")
def _placeholders(text: str, *, num_placeholders: float) -> bool:
    # what a lazy \[.*?\] finds, without its quadratic search
    return sum("[" in part for line in text.split("\n") for part in line.split("]")[:-1]) >= num_placeholders


@verifier("detectable_content:postscript")
def _postscript(text: str, *, postscript_marker: str) -> bool:
    known = {"P.P.S": r"p\.\s?p\.\s?s", "P.S.": r"p\.\s?s\."}
    pattern = known.get(postscript_marker, re.escape(postscript_marker.lower()))
    return re.search(pattern, text.lower()) is not None


@verifier("detectable_format:number_bullet_lists")
def _bullets(text: str, *, num_bullets: float) -> bool:
    lines = [line.lstrip() for line in text.split("\n")]
    starred = sum(line.startswith("*") and not line.startswith("**") for line in lines)
    return starred + sum(line.startswith("-") for line in lines) == num_bullets


@verifier("detectable_format:constrained_response")
def _constrained(text: str) -> bool:
    return any(option in text for option in _OPTIONS)


@verifier("detectable_format:number_highlighted_sections")
def _highlights(text: str, *, num_highlights: float) -> bool:
    single = re.findall(r"\*[^\n*]*\*", text)
    double = re.findall(r"\*\*[^\n*]*\*\*", text)
    return sum(bool(part.strip("*").strip()) for part in (*single, *double)) >= num_highlights


@verifier("detectable_format:multiple_sections")
def _sections(text: str, *, section_spliter: str, num_sections: float) -> bool:
    return len(re.split(rf"\s?{re.escape(section_spliter)}\s?\d+\s?", text)) - 1 >= num_sections


@verifier("detectable_format:json_format")
def _json(text: str) -> bool:
    body = text.strip()
    for fence in ("```json", "```Json", "```JSON", "```"):
        body = body.removeprefix(fence)
    try:
        json.loads(body.removesuffix("```").strip())
    except (ValueError, RecursionError):
        return False
    return True


@verifier("detectable_format:title")
def _title(text: str) -> bool:
    lines = [(line, line.find("<<"), line.rfind(">>")) for line in text.split("\n")]
    return any(line[start:end].strip("<> \t") for line, start, end in lines if 0 <= start < end)


@verifier("combination:two_responses")
def _two_responses(text: str) -> bool:
    parts = text.split("******")
    if any(not part.strip() for part in parts[1:-1]):
        return False
    filled = [part.strip() for part in parts if part.strip()]
    return len(filled) == 2 and filled[0] != filled[1]


@verifier("combination:repeat_prompt")
def _repeat_prompt(text: str, *, prompt_to_repeat: str) -> bool:
    return text.strip().lower().startswith(prompt_to_repeat.strip().lower())


@verifier("startend:end_checker")
def _end(text: str, *, end_phrase: str) -> bool:
    return text.strip().strip('"').lower().endswith(end_phrase.strip().lower())


@verifier("startend:quotation")
def _quotation(text: str) -> bool:
    body = text.strip()
    return len(body) > 1 and body[0] == body[-1] == '"'


def _is_latin(text: str) -> bool:
    return all("LATIN" in unicodedata.name(sign, "") for sign in text if sign.isalpha())


@verifier("change_case:english_capital")
def _capital(text: str) -> bool:
    return text.isupper() and _is_latin(text)


@verifier("change_case:english_lowercase")
def _lowercase(text: str) -> bool:
    return text.islower() and _is_latin(text)


@verifier("change_case:capital_word_frequency")
def _capital_words(text: str, *, capital_frequency: float, capital_relation: str) -> bool:
    return _related(sum(token.isupper() for token in tokens(text)), capital_frequency, capital_relation)


@verifier("punctuation:no_comma")
def _no_comma(text: str) -> bool:
    return "," not in text
