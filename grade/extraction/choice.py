"""Which option a reply chooses: only what is an option of this question, and only where it is said."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from .reply import Extraction, Reply, read_reply

_NEGATION = re.compile(
    r"(?:\bnot|\bnor|n't(?:\s+be)?|\brather\s+than|\binstead\s+of|\bexcept|\bexclude|不是|不选|不選|非|ではなく|아니라)"
    r"(?:\s+(?:the|an?|option|answer|choice|either|be))*\s*[(\[]?\s*$",
    re.IGNORECASE,
)
# a reply that says it cannot answer has not answered by a letter that it happens to hold
_WEAK = frozenset(["a letter alone", "an option's text"])
_RULED_OUT = re.compile(
    r"\s*[)\]]?\s*(?:is|are|was|seems|can(?:not|'t)|isn't|doesn't|would\s+be)?\s*"
    r"(?:clearly\s+|obviously\s+|definitely\s+|also\s+|也|並|并|都|皆|は|가|이)*(?:wrong|incorrect|not\b|false|ruled\s+out|eliminated|too\b|错|錯|不|誤|間違|違|틀|아니)",
    re.IGNORECASE,
)
# words that follow a label in a sentence; after any other word a letter is an article, a pronoun or an initial
_AFTER_LABEL = frozenset(
    ["or", "and", "is", "because", "since", "as", "which", "but", "not", "seems", "would", "looks"]
)


def extract_choice(reply: str, options: Mapping[str, str]) -> Extraction:
    """The one option that a reply chooses. `options`: id to text, as the question prints them.

    In this order: the whole reply; the last declaration that names an option; a label at the start; a conclusion; the
    last option in brackets; what is called an option; a letter that stands alone; an option's text. Evidence of one
    kind that names two options, or a label beside another option's text, is unparseable.
    """
    read = read_reply(reply)
    if read is None:
        return Extraction.none("cut off while thinking")
    labels = labels_of(tuple(options))
    whole = labels.get(_bare(read.text)) or labels.get(_bare(read.text).upper())
    if whole is not None:
        return Extraction("answered", whole, "the whole reply")
    texts = {key: folded(text) for key, text in options.items() if folded(text)}
    verbatim = {key for key, text in texts.items() if text == folded(read.text)}
    if len(verbatim) == 1:
        return Extraction("answered", verbatim.pop(), "the whole reply")
    for how, named in _evidence(read, labels, texts):
        if named and read.refuses and how in _WEAK:
            break
        if len(named) == 1:
            return Extraction("answered", named.pop(), how)
        if named:
            return Extraction.none(f"{how}: {' and '.join(sorted(named))}")
    return Extraction("refused", None, "a refusal") if read.refuses else Extraction.none("no option is named")


def _evidence(read: Reply, labels: Mapping[str, str], texts: Mapping[str, str]) -> Iterable[tuple[str, set[str]]]:
    for piece in reversed(read.declared):
        named = _named_at_start(piece, labels, texts)
        if named:
            yield "declared", named
            return
    yield "at the start", _at_start(read.text, labels, texts)
    yield "a conclusion", set([key for key, _, _ in _found(_CONCLUDING, read.text, labels)][-1:])
    yield "in brackets", _last_bracketed(read.text, labels)
    yield "called an option", {key for key, _, _ in _found(_CALLED, read.text, labels)}
    yield "a letter alone", standing_alone(read.text, labels)
    yield "an option's text", _texts_in(read.text, texts)


@lru_cache(maxsize=512)
def labels_of(ids: tuple[str, ...]) -> dict[str, str]:
    """What a label may look like, to the option's id: `①` is also 1."""
    import unicodedata

    found: dict[str, str] = {}
    for key in ids:
        for form in (key, unicodedata.normalize("NFKC", key), unicodedata.normalize("NFKC", key).strip("().[] ")):
            found.setdefault(form, key)
    return found


def _bare(text: str) -> str:
    return text.strip().strip("\"'“”「」").strip("()[]{}<>.,:;!# ").strip()


# where a label ends: at what is no letter, or at a particle of a language that writes no blanks (`B项`, `Bです`, `B번`)
END = (
    r"(?:(?![\w'’])|(?=['’]d[iıuü]r\b)"
    r"|(?=[项項选選号號番번はがをでにとのだかや이가은는을와과다로正对對是為为不錯错吧最更比符和與与或及而也都才]|입니다))"
)
# and where it begins: not within a word, but behind `选`, `是`, `は`
_BEGIN = r"(?:(?<![\w'’-])|(?<=[选選是为為即就则則故項项肢は은는]))"
_BRACKETED = re.compile(r"[(\[]\s*([^\W_]{1,3})\s*[)\]]")
_JOINING = re.compile(r"\s*(?:or|and|/|,|;|&|或|和|與|与|또는|、)\s*(?:and\s+|or\s+)?(?:option\s+)?", re.IGNORECASE)
_ALONE = re.compile(rf"{_BEGIN}(?<!\bN/)([A-Z]|[0-9]{{1,2}}|[ㄱ-ㅎ가-하ア-ン甲乙丙丁]){END}")
_CALLED = re.compile(
    r"(?:\b(?:option|choice|letter|opción|opção|alternativa|letra|lettre|lettera|buchstabe|вариант)\s+"
    rf"|選項|选项|選択肢|보기\s*)[(\[]?([^\W_]|[0-9]{{1,2}}){END}",
    re.IGNORECASE,
)
_CONCLUDING = re.compile(
    r"(?:\b(?:so|hence|thus|therefore|leaves|leaving)\b|∴|所以|因此|故)\s*[,:，]?\s*"
    r"(?:(?:it|that)(?:\s+is|['’]s|\s+must\s+be)\s+)?(?:option\s+|choice\s+)?[(\[]?([A-Z])[)\]]?(?=\s*[.!。]?\s*$)",
    re.IGNORECASE | re.MULTILINE,
)
# a letter behind one of these is part of a name: vitamin C, figure B
_NAME_BEFORE = re.compile(
    r"\b(?:vitamin|hepatitis|type|blood|plan|class|grade|group|team|figure|fig\.?|graph|diagram|table|part|section"
    r"|phase|step|level|appendix|model)"
    r"\s+(?:[A-Z]\s*(?:,|/|or|and)\s*)*$",
    re.IGNORECASE,
)
_LABEL = r"[(\[\"']?\s*([^\W_]{1,3}?)"
_LEADING = re.compile(rf"\s*(?:the\s+|option\s+|choice\s+|letter\s+|選項|选项|選択肢)*{_LABEL}{END}", re.IGNORECASE)
_LEADING_MARKED = re.compile(
    rf"\s*(?:option\s+|choice\s+|answer\s+|選項|选项)?{_LABEL}\s*(?:[)\].:,;]|[-–—]\s|$)", re.IGNORECASE
)
_ALSO = re.compile(
    r"\s*[)\]]?\s*(?:(?:or|and|/|,|;|&|或|和|與|与|と|や|와|과)\s*(?:and\s+|or\s+)?(?:option\s+)?|\s)"
    rf"[(\[]?([A-Z]){END}",
    re.IGNORECASE,
)
_NEXT_OF_A_LIST = re.compile(r"\s*[.):]\s*[(\[]?([A-Z])[.):](?:\s|$)")


def _found(pattern: re.Pattern[str], text: str, labels: Mapping[str, str]) -> Iterable[tuple[str, int, int]]:
    """(id, start, end) of each option label that is not negated."""
    for match in pattern.finditer(text):
        key = labels.get(match.group(1)) or (labels.get(match.group(1).upper()) if match.re is _CALLED else None)
        if key is None or _NEGATION.search(text[max(0, match.start() - 40) : match.start()]):
            continue
        rest = text[match.end() : match.end() + 80]
        if _RULED_OUT.match(rest):
            continue
        if match.re is _ALONE and (
            is_word(match.group(1), rest) or _NAME_BEFORE.search(text[max(0, match.start() - 30) : match.start()])
        ):
            continue
        yield key, match.start(), match.end()


def standing_alone(text: str, labels: Mapping[str, str]) -> set[str]:
    """The options whose letter stands alone in a text, negated ones and names (vitamin C) aside."""
    return {key for key, _, _ in _found(_ALONE, text, labels)}


def _last_bracketed(text: str, labels: Mapping[str, str]) -> set[str]:
    """The last option in brackets, with those that an `or`, `and` or comma joins to it: `(A) or (B)` names two."""
    found = list(_found(_BRACKETED, text, labels))
    named: set[str] = set()
    after = len(text)
    for key, start, end in reversed(found):
        if named and not _JOINING.fullmatch(text[end:after]):
            break
        named.add(key)
        after = start
    return named


def _named_at_start(piece: str, labels: Mapping[str, str], texts: Mapping[str, str]) -> set[str]:
    """The option with which a declaration begins: a label, or an option's text; `A or B` names two."""
    if re.match(r"\s*(?:not\b|n't\b|不是|ではない)", piece, re.IGNORECASE):
        return set()
    match = _LEADING.match(piece)
    key = None if match is None else labels.get(match.group(1)) or labels.get(match.group(1).upper())
    if key is None or match is None or is_word(match.group(1), piece[match.end(1) :]):
        said = _texts_in(piece, texts)
        # `cat (option B)`: the letter is said as well
        labelled = {one for pattern in (_BRACKETED, _CALLED) for one, _, _ in _found(pattern, piece, labels)}
        return said | labelled if said else set()
    named, rest = {key}, piece[match.end(1) :]
    also = _ALSO.match(rest)
    while also and also.group(1) in labels and not is_word(also.group(1), rest[also.end() :]):
        named.add(labels[also.group(1)])
        rest = rest[also.end() :]
        also = _ALSO.match(rest)
    return named if len(named) > 1 else named | _contradicting(rest, key, texts)


def is_word(label: str, rest: str) -> bool:
    """Whether a letter is the article `a`, the pronoun `I` or the start of a phrase, by what follows it."""
    if not label.isalpha() or not label.isascii() or label.upper() != label.lower().upper():
        return False
    following = re.match(r"\s+([^\W\d_][\w'’]*)", rest)
    if following is None:
        # `a.` ends a sentence or a label; a contraction is a word
        return rest[:1] in {"'", "’"} and rest[1:2].isalpha()
    if following.group(1).lower() in _AFTER_LABEL:
        return False
    return label.islower() or (label in {"A", "I"} and following.group(1)[0].islower())


def _contradicting(rest: str, key: str, texts: Mapping[str, str]) -> set[str]:
    """Other options whose whole text directly follows a label: `B. cat` where cat is C."""
    after = folded(rest.lstrip(" )].:,;-–—"))
    own = texts.get(key, "")
    if own and after.startswith(own):
        return set()
    first = re.split(r"[.,;\n]", after, maxsplit=1)[0].strip()
    return {other for other, text in texts.items() if other != key and first == text}


def _at_start(text: str, labels: Mapping[str, str], texts: Mapping[str, str]) -> set[str]:
    """A label at the start that a mark or a line's end sets off; with a second label beside it, both."""
    first_line, _, others = text.partition("\n")
    match = _LEADING_MARKED.match(first_line)
    key = None if match is None else labels.get(match.group(1))
    if key is None or match is None:
        return set()
    rest = first_line[match.end(1) :]
    if _RULED_OUT.match(rest):
        return set()
    also = (
        _ALSO.match(rest)
        or _NEXT_OF_A_LIST.match(rest)
        or (None if rest.strip() else re.match(r"\s*[(\[]?([A-Z])[)\].]?\s*$", others))
    )
    if also and also.group(1) in labels and not is_word(also.group(1), rest[also.end() :]):
        return {key, labels[also.group(1)]}
    return {key} | _contradicting(rest, key, texts)


def folded(text: str) -> str:
    """An option's text as it is compared with a reply."""
    return re.sub(r"\s+", " ", text.replace("$", "")).strip().strip(".").casefold()


def _texts_in(text: str, texts: Mapping[str, str]) -> set[str]:
    """Options whose text stands in the reply as whole words; within a longer option's text it does not count."""
    rest, named = folded(text), set()
    for key, option in sorted(texts.items(), key=lambda item: -len(item[1])):
        edge = r"(?<![\w.])" if option[:1].isascii() and option[:1].isalnum() else ""
        end = r"(?![\w]|\.\d)" if option[-1:].isascii() and option[-1:].isalnum() else ""
        pattern = re.compile(edge + re.escape(option) + end)
        matches = [m for m in pattern.finditer(rest) if not _NEGATION.search(rest[max(0, m.start() - 40) : m.start()])]
        if matches:
            named.add(key)
        rest = pattern.sub("\n", rest)
    return named
