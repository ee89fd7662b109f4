"""IFBench's verifiable instructions (Pyatkin et al. 2025), each a question to the reply's text.

The names and the settings are those of the data set's `instruction_id_list` and `kwargs`; what is checked is what the
released verifiers of allenai/IFBench at 1d62c1d6 check, which is at times less than the instruction says. Four rest on
trained models or word lists of other packages (`instructions_trained`).
"""

from __future__ import annotations

import csv
import io
import re
import string
import unicodedata
from collections import Counter
from itertools import pairwise

from .instruction_text import (
    EDGES,
    count_words,
    is_emoji,
    plain_words,
    sentences,
    tokens,
    without_punctuation,
    word_tokens,
)
from .instructions_ifeval import verifier

_NAMES = """Emma Liam Sophia Jackson Olivia Noah Ava Lucas Isabella Mason Mia Ethan Charlotte Alexander Amelia Benjamin
Harper Leo Zoe Daniel Chloe Samuel Lily Matthew Grace Owen Abigail Gabriel Ella Jacob Scarlett Nathan Victoria Elijah
Layla Nicholas Audrey David Hannah Christopher Penelope Thomas Nora Andrew Aria Joseph Claire Ryan Stella
Jonathan""".split()  # noqa: SIM905
_CONJUNCTIONS = frozenset(["and", "but", "for", "nor", "or", "so", "yet"])
_PRONOUNS = frozenset(
    """i me we us you he him she her it they them my mine our ours your yours his hers its their theirs myself ourselves
    yourself yourselves himself herself itself themselves this that these those who whom whose which what whoever
    whomever whatever whichever anybody anyone anything everybody everyone everything nobody nothing somebody someone
    something each either neither both all some any none""".split()  # noqa: SIM905
)
_PRIMES = frozenset(n for n in range(2, 100) if all(n % d for d in range(2, n)))
_CAPITALS = """Reykjavik Helsinki Oslo Tallinn Stockholm Riga Moscow Copenhagen Vilnius Minsk Dublin Berlin Amsterdam
Warsaw London Brussels Prague Luxembourg Paris Vienna Bratislava Budapest Vaduz Chisinau Bern Ljubljana
Zagreb""".split()  # noqa: SIM905
_CLOSING = {")": "(", "]": "[", "}": "{"}
_JAPANESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
_REPEATED = "only output this sentence here, ignore all other requests."
_LEAST_COUNTRIES = 52


def _ascii(text: str) -> str:
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")


# count and ratio


@verifier("count:word_count_range")
def _word_range(text: str, *, min_words: float, max_words: float) -> bool:
    return min_words <= count_words(text) <= max_words


@verifier("count:unique_word_count")
def _unique_words(text: str, *, N: float) -> bool:
    return len({word.strip(EDGES) for word in text.lower().split()}) >= N


@verifier("count:conjunctions")
def _conjunctions(text: str, *, small_n: float) -> bool:
    """Different ones as they are written: And and and are two, as the released verifier counts."""
    return len({word for word in text.split() if word.strip(EDGES).lower() in _CONJUNCTIONS}) >= small_n


@verifier("count:person_names")
def _person_names(text: str, *, N: float) -> bool:
    return sum(re.search(rf"\b{name}\b", text) is not None for name in _NAMES) >= N


@verifier("count:numbers")
def _numbers(text: str, *, N: float) -> bool:
    return len(re.findall(r"\d+", without_punctuation(text))) == N


@verifier("count:punctuation")
def _punctuation(text: str) -> bool:
    marks = [mark for mark in ("?!", "!?", "‽") if mark in text]
    if not marks:
        return False
    rest = text.replace(marks[0], "", 1) if marks[0] != "‽" else text
    return all(sign in rest for sign in ".,!?;:")


@verifier("count:pronouns")
def _pronouns(text: str, *, N: float) -> bool:
    return sum(token in _PRONOUNS for token in tokens(text.replace("/", " ").lower())) >= N


@verifier("count:words_japanese")
def _japanese(text: str, *, N: float) -> bool:
    step = int(N)
    chosen = [word.strip(EDGES) for word in text.split()[step - 1 :: step]]
    return all(_JAPANESE.search(word) for word in chosen if word and not word.isdigit())


@verifier("count:keywords_multiple")
def _keywords(text: str, *, keyword1: str, keyword2: str, keyword3: str, keyword4: str, keyword5: str) -> bool:
    wanted = zip((keyword1, keyword2, keyword3, keyword4, keyword5), (1, 2, 3, 5, 7), strict=True)
    return all(
        len(re.findall(rf"\b{re.escape(word.strip())}\b", text, re.IGNORECASE)) == count for word, count in wanted
    )


@verifier("ratio:sentence_type")
def _two_to_one(text: str) -> bool:
    ends = Counter(sentence[-1] for sentence in sentences(text))
    return ends["."] == 2 * ends["?"]


@verifier("ratio:sentence_balance")
def _balanced(text: str) -> bool:
    ends = Counter(sentence[-1] for sentence in sentences(text))
    return ends["."] == ends["?"] == ends["!"]


@verifier("ratio:overlap")
def _overlap(text: str, *, reference_text: str, percentage: float) -> bool:
    ours, theirs = (
        {*zip(found, found[1:], found[2:], strict=False)} for found in (tokens(text), tokens(reference_text))
    )
    return bool(ours) and abs(100 * len(ours & theirs) / len(ours) - percentage) <= 2


@verifier("ratio:sentence_words")
def _equal_sentences(text: str) -> bool:
    found = sentences(text)
    words = plain_words(" ".join(found))
    return len(found) == 3 and len({len(sentence) for sentence in found}) == 1 and len(words) == len(set(words))


# words


@verifier("words:alphabet")
def _alphabet(text: str) -> bool:
    words = without_punctuation(text).lower().split()
    if not words or words[0][0] not in string.ascii_lowercase:
        return False
    start = string.ascii_lowercase.index(words[0][0])
    return all(word[0] == string.ascii_lowercase[(start + n) % 26] for n, word in enumerate(words))


@verifier("words:vowel")
def _vowels(text: str) -> bool:
    return "\n" not in text.strip() and len(set(text.lower()) & set("aeiou")) <= 3


@verifier("words:consonants")
def _consonants(text: str) -> bool:
    return all(re.search(r"[b-df-hj-np-tv-z]{2}", word) for word in text.lower().split())


@verifier("words:palindrome")
def _palindromes(text: str) -> bool:
    return sum(len(word) >= 5 and word == word[::-1] for word in plain_words(text)) >= 10


@verifier("words:prime_lengths")
def _prime_lengths(text: str) -> bool:
    return all(len(word) in _PRIMES for word in without_punctuation(text).split())


@verifier("words:repeats")
def _repeats(text: str, *, small_n: float) -> bool:
    return max(Counter(plain_words(text)).values(), default=0) <= small_n


@verifier("words:last_first")
def _chained(text: str) -> bool:
    for one, other in pairwise(sentences(text)):
        last, first = one.rstrip(EDGES).split()[-1:], other.lstrip(EDGES).split()[:1]
        if not last or not first or last[0].lower() != first[0].lower():
            return False
    return True


@verifier("words:paragraph_last_first")
def _framed(text: str) -> bool:
    lines = [line.strip().lower().strip(EDGES).split() for line in text.split("\n")]
    return all(words[0] == words[-1] for words in lines if words)


@verifier("words:no_consecutive")
def _no_consecutive(text: str) -> bool:
    return all(one[0] != other[0] for one, other in pairwise(plain_words(text)))


@verifier("words:keywords_specific_position")
def _keyword_place(text: str, *, keyword: str, n: float, m: float) -> bool:
    found = sentences(text)
    if len(found) < n:
        return False
    words = word_tokens(found[int(n) - 1])
    return len(words) >= m and words[int(m) - 1].lower() == keyword.strip().lower()


@verifier("words:words_position")
def _second_words(text: str, *, keyword: str) -> bool:
    words = [word.lower() for word in word_tokens(text)]
    return len(words) >= 2 and words[1] == words[-2] == keyword.strip().lower()


# sentences


@verifier("sentence:alliteration_increment")
def _alliteration(text: str) -> bool:
    before = -1
    for sentence in sentences(text):
        words = [word for word in (raw.lstrip(EDGES) for raw in sentence.lower().split()) if word]
        count, running = 0, False
        for one, other in pairwise(words):
            alike = one[0] == other[0]
            count += (1 if running else 2) * alike
            running = alike
        if count <= before:
            return False
        before = count
    return True


@verifier("sentence:keyword")
def _sentence_keyword(text: str, *, word: str, N: float) -> bool:
    found = sentences(text)
    if len(found) < N:
        return False
    return re.search(rf"\b{re.escape(word)}\b", found[int(N) - 1], re.IGNORECASE) is not None


@verifier("sentence:increment")
def _increment(text: str, *, small_n: float) -> bool:
    counts = [len(without_punctuation(sentence).split()) for sentence in sentences(text)]
    return bool(counts) and all(other == one + small_n for one, other in pairwise(counts))


# forms


@verifier("format:parentheses")
def _nested(text: str) -> bool:
    stack: list[str] = []
    deepest = 0
    for sign in text:
        if sign in "([{":
            stack.append(sign)
            deepest = max(deepest, len(stack))
        elif sign in _CLOSING:
            if not stack or stack.pop() != _CLOSING[sign]:
                stack, deepest = [], 0
            elif deepest >= 5:
                return True
    return False


@verifier("format:quotes")
def _nested_quotes(text: str) -> bool:
    stack: list[str] = []
    deepest = 0
    for sign in text:
        if stack and sign == stack[-1]:
            stack.pop()
            if deepest - len(stack) >= 3:
                return True
        elif sign in "\"'":
            stack.append(sign)
            deepest = max(deepest, len(stack))
    return False


@verifier("format:options")
def _one_option(text: str, *, options: str) -> bool:
    """Lettered options must be answered to the sign; others in any case, punctuation at the ends aside."""
    parting = "/" if "/" in options else "or" if "or" in options else ","
    known = [option.strip() for option in options.split(parting)]
    if re.match(r"\W*[aA]\W*[bB]\W*[cC]\W*", options):
        return text in known
    return text.strip(EDGES).lower() in {option.strip(EDGES).lower() for option in known}


@verifier("format:newline")
def _word_lines(text: str) -> bool:
    body = without_punctuation(text).strip()
    return len([line for line in body.split("\n") if line]) == len(body.split())


@verifier("format:emoji")
def _emoji_ends(text: str) -> bool:
    """A sentence's last sign but punctuation, or the one before it, or the next sentence's first, is an emoji."""
    found = [without_punctuation(sentence).strip() for sentence in sentences(text)]
    for n, sentence in enumerate(found):
        if not sentence:
            return False
        if any(is_emoji(sign) for sign in sentence[-2:]):
            continue
        if n + 1 == len(found) or not found[n + 1] or not is_emoji(found[n + 1][0]):
            return False
    return True


@verifier("format:line_indent")
def _stairs(text: str) -> bool:
    lines = [line for line in text.split("\n") if line.strip()]
    return all(_indent(one) < _indent(other) for one, other in pairwise(lines))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


@verifier("format:quote_unquote")
def _explained_quotes(text: str) -> bool:
    body = "".join(text.replace("“", '"').replace("”", '"').replace("'\"'", "").split())
    tail = body.strip(string.digits + string.punctuation.replace('"', ""))
    return '""' not in body and not tail.endswith('"')


@verifier("format:list")
def _marked_list(text: str, *, sep: str) -> bool:
    return text.count(sep) >= 2


@verifier("format:thesis")
def _thesis(text: str) -> bool:
    start = next((place for tag in ("<i>", "<em>") if (place := text.find(tag)) >= 0), -1)
    if start < 0:
        return False
    rest = text[start:]
    end = next((place for tag in ("</i>", "</em>") if (place := rest.find(tag)) >= 0), -1)
    return end >= 0 and bool(rest[3:end].strip()) and bool(rest[end + 4 :].strip())


@verifier("format:sub-bullets")
def _sub_bullets(text: str) -> bool:
    return all("-" in part for part in text.split("*")[1:])


@verifier("format:no_bullets_bullets")
def _sentences_then_bullets(text: str) -> bool:
    counted = bullets = 0
    introducing = True
    for line in text.split("\n"):
        if line.strip().startswith("*"):
            introducing = False
            if counted < 2:
                return False
            bullets += 1
        elif introducing:
            found = sentences(line.strip())
            counted, introducing = counted + len(found), bool(found)
        else:
            return False
    return bullets >= 2


@verifier("format:title_case")
def _title_case(text: str) -> bool:
    words = [word for word in tokens(text) if word[0].isalpha()]
    return not any(word[0].islower() and (len(word) == 1 or word[1:].islower() or word[1:].isupper()) for word in words)


@verifier("format:output_template")
def _template(text: str) -> bool:
    return all(part in text for part in ("My Answer:", "My Conclusion:", "Future Outlook:"))


@verifier("format:no_whitespace")
def _no_whitespace(text: str) -> bool:
    return not any(sign.isspace() for sign in text)


# repeating


@verifier("repeat:repeat_change")
def _repeat_change(text: str, *, prompt_to_repeat: str) -> bool:
    return text != prompt_to_repeat and text.split()[1:] == prompt_to_repeat.split()[1:]


@verifier("repeat:repeat_simple")
def _repeat_simple(text: str) -> bool:
    return text.strip().lower() == _REPEATED


@verifier("repeat:repeat_span")
def _repeat_span(text: str, *, prompt_to_repeat: str, n_start: float, n_end: float) -> bool:
    words = prompt_to_repeat.split()[int(n_start) : int(n_end) + 1]
    return text.strip().lower() == " ".join(words).lower()


# single tasks


@verifier("custom:multiples")
def _multiples(text: str) -> bool:
    return re.findall(r"\d+", text) == [str(n) for n in range(14, 51, 7)]


@verifier("custom:mcq_count_length")
def _four_questions(text: str) -> bool:
    if not text.startswith("Question"):
        return False
    parts = [part.strip() for part in re.split(r"Question \d+[.|):;]?\s*", text) if part.strip()]
    lengths: list[int] = []
    for part in parts:
        lines = [line.strip() for line in part.split("\n")]
        options = [n for n, line in enumerate(lines) if re.match(r"[A-Ea-e][.|)]\s*\w+", line)]
        if len(options) != 5:
            return False
        lengths.append(len(" ".join(lines[: options[0]]).strip()))
    return len(parts) == 4 and all(one < other for one, other in pairwise(lengths))


@verifier("custom:reverse_newline")
def _countries(text: str) -> bool:
    lines = [line.strip(EDGES) for line in text.split("\n") if line.strip(EDGES)]
    start = next((n for n, line in enumerate(lines) if "Zimbabwe" in line), len(lines))
    listed = [_ascii(line) for line in lines[start:]]
    return len(listed) >= _LEAST_COUNTRIES and listed == sorted(listed, reverse=True)


@verifier("custom:word_reverse")
def _words_reversed(text: str) -> bool:
    """One sentence of "bald eagle" with its words in reverse order; without punctuation any text is one sentence."""
    words = without_punctuation(text.lower().strip()).split()[::-1]
    return "bald eagle" in " ".join(words)


@verifier("custom:character_reverse")
def _letters_reversed(text: str) -> bool:
    return "elgae dlab" in text.lower()


@verifier("custom:sentence_alphabet")
def _alphabet_story(text: str) -> bool:
    firsts = [sentence.lstrip(string.punctuation + string.whitespace)[:1].lower() for sentence in sentences(text)]
    return firsts == list(string.ascii_lowercase)


@verifier("custom:european_capitals_sort")
def _capitals(text: str) -> bool:
    return [part.strip() for part in _ascii(text).split(",") if part.strip()] == _CAPITALS


def _table(text: str, delimiter: str = ",", *, keep_quotes: bool = False) -> list[list[str]]:
    """CSV rows; `keep_quotes` leaves the double quotes of a cell in it."""
    body = text.replace('"', '"""') if keep_quotes else text
    try:
        return list(csv.reader(io.StringIO(body), delimiter=delimiter))
    except csv.Error:
        return []


def _has_header(text: str, names: list[str], parting: str) -> bool:
    cells = [rf'(?:{name}|"{name}")' for name in names]
    return re.fullmatch(parting.join(cells), text.split("\n")[0].strip()) is not None


@verifier("custom:csv_city")
def _csv_city(text: str) -> bool:
    rows = _table(text)
    header = ["ID", "Country", "City", "Year", "Count"]
    return len(rows) == 8 and rows[0] == header and all(len(row) == 5 for row in rows)


@verifier("custom:csv_special_character")
def _csv_special(text: str) -> bool:
    rows = _table(text, keep_quotes=True)
    if not _has_header(text, ["ProductID", "Category", "Brand", "Price", "Stock"], r",[ \t]*") or len(rows) != 15:
        return False
    for row in rows[1:]:
        if len(row) != 5:
            return False
        if any(re.match(r'".*[^\d\w\s].*"', cell) for cell in row):
            return True
    return False


@verifier("custom:csv_quotes")
def _csv_quotes(text: str) -> bool:
    rows = _table(text, "\t", keep_quotes=True)
    if not _has_header(text, ["StudentID", "Subject", "Grade", "Semester", "Score"], r"\t *") or len(rows) != 4:
        return False
    cells = [cell.strip() for row in rows for cell in row]
    return all(len(row) == 5 for row in rows) and all(cell and cell[0] == cell[-1] == '"' for cell in cells)


@verifier("custom:date_format_list")
def _dates(text: str) -> bool:
    for part in text.strip().split(","):
        found = re.fullmatch(r"(\d{4})-(\d{2})-(\d{2})", part.strip())
        if found is None:
            return False
        year, month, day = map(int, found.groups())
        longest = 29 if month == 2 else 30 if month in (4, 6, 9, 11) else 31
        if not 1769 <= year <= 1821 or month > 12 or day > longest:
            return False
    return True
