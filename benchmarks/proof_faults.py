"""The kinds of faults that readings of exams are known for, each put into a right extraction at a random place."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from exam2bench.ingest.keys.rules import default_criterion
from exam2bench.ingest.proving.claims import claims_of
from exam2bench.ingest.proving.letters import letters_of, weight
from exam2bench.schemas.content import Block, TextBlock
from exam2bench.schemas.exam import Exam, Option, Question
from exam2bench.schemas.exam_checks import every_question
from exam2bench.schemas.grading import ChoiceRule, GradingSpec, JudgeRule, PerOptionRule

_SENTENCE = re.compile(r"[^.!?。？！；;\n]+[.!?。？！；;\n]*|\n+")
_CLAUSE = re.compile(r"[^,，、:：]+[,，、:：]*")
_MARKS = re.compile(r"[(（\[][^()（）\[\]]{0,20}\d[^()（）\[\]]{0,20}[)）\]]")
"""Printed points: a reading may leave them out of a stem."""
_LABELS = ("ABCDEFGHIJ", "abcdefghij", "123456789", "①②③④⑤⑥⑦⑧⑨", "甲乙丙丁戊己")
_LEAST = 12.0
"""The weight of a sentence: some two words."""


@dataclass
class Site:
    """A harmed extraction, the questions at which the fault must show, and what was done."""

    exam: Exam
    grading: GradingSpec
    names: set[str]
    what: str


Names = Sequence[str]
Put = Callable[[Exam, GradingSpec, Names, Names, Random], Site | None]


@dataclass(frozen=True)
class Fault:
    """One kind. `put(exam, grading, names, foreign, rng)` harms a copy at one of `names`, or says None."""

    name: str
    put: Put
    needs: str = ""
    """What must be printed of a question: its `key`, its `points`."""


def _texts(blocks: Sequence[Block]) -> list[TextBlock]:
    return [block for block in blocks if isinstance(block, TextBlock) and block.markdown.strip()]


def sentences(question: Question) -> list[str]:
    """The sentences of a question's own stem that are long enough to be missed."""
    found = [m[0] for block in _texts(question.prompt) for m in _SENTENCE.finditer(block.markdown)]
    return [s for s in found if weight(letters_of(_MARKS.sub("", s)).text) >= _LEAST]


def _by_id(exam: Exam) -> dict[str, Question]:
    return {question.id: question for question in every_question(exam)}


def _pick(exam: Exam, names: Sequence[str], rng: Random, wanted: Callable[[Question], bool]) -> Question | None:
    known = _by_id(exam)
    fit = [known[name] for name in names if name in known and wanted(known[name])]
    return rng.choice(fit) if fit else None


def _pick_text(exam: Exam, names: Names, rng: Random, pattern: str) -> tuple[Question, TextBlock] | None:
    """A question and one of its texts, stem or option, that holds a pattern."""

    def blocks(question: Question) -> list[TextBlock]:
        held = [*_texts(question.prompt), *(b for o in question.options or [] for b in _texts(o.content))]
        return [block for block in held if re.search(pattern, block.markdown)]

    question = _pick(exam, names, rng, lambda q: bool(blocks(q)))
    return (question, rng.choice(blocks(question))) if question is not None else None


def _neighbours(exam: Exam, question: Question) -> tuple[list[Question], int]:
    """The list that holds a question, and its place in it."""
    for section in exam.sections:
        if question in section.questions:
            return section.questions, section.questions.index(question)
    for parent in every_question(exam):
        if question in parent.children:
            return parent.children, parent.children.index(question)
    raise ValueError(question.id)


def _family(exam: Exam, question: Question) -> set[str]:
    """A question with its parent: a finding may name either."""
    parents = {p.id for p in every_question(exam) if question in p.children}
    return {question.id} | parents


# --- words ----------------------------------------------------------------------------------------------------------


def lost_sentence(exam: Exam, grading: GradingSpec, names: Sequence[str], _: Sequence[str], rng: Random) -> Site | None:
    question = _pick(exam, names, rng, lambda q: bool(sentences(q)))
    if question is None:
        return None
    sentence = rng.choice(sentences(question))
    if weight(letters_of(sentence).text) > 0.9 * _stem_weight(question):  # a stem of one sentence loses its last clause
        clauses = [c for c in _CLAUSE.findall(sentence) if weight(letters_of(c).text) >= _LEAST]
        if len(clauses) < 2:
            return None
        sentence = clauses[-1]
    block = next(b for b in _texts(question.prompt) if sentence in b.markdown)
    if sentence.count("$") % 2:
        return None
    block.markdown = block.markdown.replace(sentence, " ", 1)
    if letters_of(sentence).text in "".join(claim.letters.text for claim in claims_of(exam)):
        return None  # the exam still has it, in a section's directions
    return Site(exam, grading, _family(exam, question), f"without “{sentence.strip()[:60]}”")


def invented_sentence(exam: Exam, grading: GradingSpec, names: Names, foreign: Names, rng: Random) -> Site | None:
    question = _pick(exam, names, rng, lambda q: bool(_texts(q.prompt)))
    if question is None or not foreign:
        return None
    block, sentence = rng.choice(_texts(question.prompt)), rng.choice(list(foreign)).strip()
    ends = [m.end() for m in _SENTENCE.finditer(block.markdown) if block.markdown[: m.end()].count("$") % 2 == 0]
    at = rng.choice([0, *ends])
    block.markdown = f"{block.markdown[:at]} {sentence} {block.markdown[at:]}"
    return Site(exam, grading, _family(exam, question), f"with “{sentence[:60]}”")


def changed_number(
    exam: Exam, grading: GradingSpec, names: Sequence[str], _: Sequence[str], rng: Random
) -> Site | None:
    found = _pick_text(exam, names, rng, r"\d")
    if found is None:
        return None
    question, block = found
    match = rng.choice(list(re.finditer(r"\d", block.markdown)))
    digit = rng.choice([d for d in "0123456789" if d != match[0]])
    before = block.markdown[max(match.start() - 12, 0) : match.end() + 8]
    block.markdown = block.markdown[: match.start()] + digit + block.markdown[match.end() :]
    return Site(exam, grading, _family(exam, question), f"{match[0]} became {digit} in “{before}”")


_TORN = (("\\f", "\x0c"), ("\\t", "\t"), ("\\b", "\x08"), ("\\r", "\r"), ("\\", ""))


def destroyed_latex(
    exam: Exam, grading: GradingSpec, names: Sequence[str], _: Sequence[str], rng: Random
) -> Site | None:
    found = _pick_text(exam, names, rng, r"\\[a-z]{2,}")
    if found is None:
        return None
    question, block = found
    fitting = [pair for pair in _TORN if pair[0] in block.markdown]
    old, new = rng.choice(fitting)
    block.markdown = block.markdown.replace(old, new)
    return Site(exam, grading, _family(exam, question), f"{old} became {new!r} in {block.markdown[:40]!r}")


def paraphrased(exam: Exam, grading: GradingSpec, names: Names, foreign: Names, rng: Random) -> Site | None:
    """Three words of the stem by others of the same language, two words in exchanged places."""
    question = _pick(
        exam, names, rng, lambda q: sum(weight(letters_of(b.markdown).text) for b in _texts(q.prompt)) >= 40
    )
    if question is None or not foreign:
        return None
    block = max(_texts(question.prompt), key=lambda b: len(b.markdown))
    spaced = len(block.markdown.split()) > 8
    parts = block.markdown.split(" ") if spaced else list(block.markdown)
    size = 1 if spaced else 2
    donors = [w for s in foreign for w in (s.split() if spaced else [s[n : n + 2] for n in range(0, len(s) - 1, 2)])]
    donors = [w for w in donors if w.isalpha() and len(w) >= (4 if spaced else 2)]
    places = [n for n in range(len(parts) - size) if "".join(parts[n : n + size]).isalpha()]
    places = [n for n in places if not spaced or len(parts[n]) >= 4]
    if len(places) < 4 or not donors:
        return None
    for place in rng.sample(places, 3):
        parts[place : place + size] = list(rng.choice(donors)) if not spaced else [rng.choice(donors)]
    block.markdown = (" " if spaced else "").join(parts)
    return Site(exam, grading, _family(exam, question), f"paraphrased “{block.markdown[:60]}”")


def interleaved(exam: Exam, grading: GradingSpec, names: Sequence[str], _: Sequence[str], rng: Random) -> Site | None:
    """Two stems read across: a printed line's length of one, one of the other, all words kept."""

    question = _pick(exam, names, rng, lambda q: _stem_weight(q) >= 60)
    if question is None:
        return None
    known = _by_id(exam)
    near = [known[n] for n in names if n in known and n != question.id and _stem_weight(known[n]) >= 60]
    near = [other for other in near if _same_page(other, question)]
    if not near:
        return None
    other = rng.choice(near)
    mine, theirs = (max(_texts(q.prompt), key=lambda b: len(b.markdown)) for q in (question, other))
    if "$" in mine.markdown + theirs.markdown:
        return None
    mixed: list[str] = []
    left, right = _printed_lines(mine.markdown), _printed_lines(theirs.markdown)
    for n in range(max(len(left), len(right))):
        mixed += left[n : n + 1] + right[n : n + 1]
    if min(len(left), len(right)) < 2:
        return None
    mine.markdown = "".join(mixed)
    theirs.markdown = "".join(mixed[len(mixed) // 2 :])
    names_ = _family(exam, question) | _family(exam, other)
    return Site(exam, grading, names_, f"{question.id} and {other.id} read across")


def _stem_weight(question: Question) -> float:
    return sum(weight(letters_of(block.markdown).text) for block in _texts(question.prompt))


def _same_page(a: Question, b: Question) -> bool:
    pages = {(r.source, r.page) for r in a.provenance}
    return any((r.source, r.page) in pages for r in b.provenance)


def _printed_lines(text: str) -> list[str]:
    """Stretches of about a column's width, cut between words where the script has them."""
    words = re.findall(r"\S+\s*", text) if " " in text.strip() and text.isascii() else list(text)
    lines, line = [], ""
    for word in words:
        if weight(line + word) > 38 and line:
            lines.append(line if line.endswith((" ", "\n")) or not text.isascii() else line + " ")
            line = ""
        line += word
    return [*lines, line] if line else lines


# --- options ----------------------------------------------------------------------------------------------------------


def _content(option: Option) -> str:
    return "".join(letters_of(b.markdown).text for b in _texts(option.content))


def _has_texts(question: Question) -> bool:
    texts = [_content(option) for option in question.options or []]
    return len(texts) >= 3 and all(texts) and len(set(texts)) == len(texts)


def dropped_option(
    exam: Exam, grading: GradingSpec, names: Sequence[str], _: Sequence[str], rng: Random
) -> Site | None:
    """One option gone; every other time the rest is labelled anew."""
    question = _pick(exam, names, rng, _has_texts)
    if question is None or not question.options:
        return None
    place = rng.randrange(len(question.options))
    labels = [option.id for option in question.options]
    gone = question.options.pop(place)
    again = rng.random() < 0.5
    if again:
        for option, label in zip(question.options, labels, strict=False):
            option.id = label
    _only(question, grading)
    return Site(
        exam, grading, _family(exam, question), f"option {gone.id} gone{', others labelled anew' if again else ''}"
    )


def _only(question: Question, grading: GradingSpec) -> None:
    """The key names only options that are there: the fault must not show by itself."""
    rule = grading.questions[question.id].rule
    if isinstance(rule, ChoiceRule | PerOptionRule):
        ids = [option.id for option in question.options or []]
        rule.correct = [label for label in rule.correct if label in ids] or ids[:1]


def swapped_options(
    exam: Exam, grading: GradingSpec, names: Sequence[str], _: Sequence[str], rng: Random
) -> Site | None:
    question = _pick(exam, names, rng, _has_texts)
    if question is None or not question.options:
        return None
    a, b = rng.sample(question.options, 2)
    a.content, b.content = b.content, a.content
    return Site(exam, grading, _family(exam, question), f"{a.id} and {b.id} exchanged")


def invented_option(exam: Exam, grading: GradingSpec, names: Names, foreign: Names, rng: Random) -> Site | None:
    question = _pick(exam, names, rng, _has_texts)
    if question is None or not question.options or not foreign:
        return None
    last = question.options[-1].id
    alphabet = next((a for a in _LABELS if last in a and a.index(last) + 1 < len(a)), None)
    if alphabet is None:
        return None
    text = rng.choice(list(foreign)).strip()[:40]
    label = alphabet[alphabet.index(last) + 1]
    question.options.append(Option(id=label, content=[TextBlock(markdown=text)]))
    return Site(exam, grading, _family(exam, question), f"option {label} “{text}”")


# --- questions --------------------------------------------------------------------------------------------------------


def lost_question(exam: Exam, grading: GradingSpec, names: Sequence[str], _: Sequence[str], rng: Random) -> Site | None:
    question = _pick(exam, names, rng, lambda q: not q.children)
    if question is None:
        return None
    held, place = _neighbours(exam, question)
    if len(held) < 2:
        return None
    names_ = _family(exam, question) | {q.id for q in held[max(place - 1, 0) : place + 2]}
    if place:
        names_ |= {leaf.id for leaf in held[place - 1].leaves()}
    held.remove(question)
    grading.questions.pop(question.id, None)
    return Site(exam, grading, names_, f"{question.id} gone")


def merged_questions(
    exam: Exam, grading: GradingSpec, names: Sequence[str], _: Sequence[str], rng: Random
) -> Site | None:
    """The next question's number, stem and options at the end of this one's stem."""
    question = _pick(exam, names, rng, lambda q: not q.children)
    if question is None:
        return None
    held, place = _neighbours(exam, question)
    if place + 1 >= len(held) or held[place + 1].children:
        return None
    following = held.pop(place + 1)
    parts = [following.number or "", *(b.markdown for b in _texts(following.prompt))]
    parts += [f"({o.id}) " + " ".join(b.markdown for b in _texts(o.content)) for o in following.options or []]
    question.prompt.append(TextBlock(markdown="\n".join(parts)))
    grading.questions.pop(following.id, None)
    return Site(exam, grading, _family(exam, question) | {following.id}, f"{following.id} within {question.id}")


def shifted_numbers(
    exam: Exam, grading: GradingSpec, names: Sequence[str], _: Sequence[str], rng: Random
) -> Site | None:
    """From one question on every number is one too high."""
    question = _pick(exam, names, rng, lambda q: bool(re.search(r"\d", q.number or "")) and not q.children)
    if question is None:
        return None
    held, place = _neighbours(exam, question)
    moved = [q for q in held[place:] if re.search(r"\d", q.number or "")]
    for one in moved:
        one.number = re.sub(r"\d+", lambda m: str(int(m[0]) + 1), one.number or "", count=1)
    return Site(exam, grading, {leaf.id for one in moved for leaf in one.leaves()}, f"numbers from {question.id} on")


# --- keys and points --------------------------------------------------------------------------------------------------


def _choices(question: Question, grading: GradingSpec) -> bool:
    rule = grading.questions[question.id].rule if question.id in grading.questions else None
    return isinstance(rule, ChoiceRule | PerOptionRule) and bool(question.options) and bool(rule.correct)


def wrong_key(exam: Exam, grading: GradingSpec, names: Sequence[str], _: Sequence[str], rng: Random) -> Site | None:
    question = _pick(exam, names, rng, lambda q: _choices(q, grading))
    if question is None:
        return None
    rule = grading.questions[question.id].rule
    assert isinstance(rule, ChoiceRule | PerOptionRule)
    others = [o.id for o in question.options or [] if o.id not in rule.correct]
    if not others:
        return None
    old = list(rule.correct)
    rule.correct = [rng.choice(others), *old[1:]]
    return Site(exam, grading, {question.id}, f"{old} became {rule.correct}")


def shifted_key(exam: Exam, grading: GradingSpec, names: Sequence[str], _: Sequence[str], rng: Random) -> Site | None:
    """From one question on each answer is the next question's."""
    known = _by_id(exam)
    order = [q.id for q in exam.leaves() if q.id in names and _choices(known[q.id], grading)]
    if len(order) < 6:
        return None
    start = rng.randrange(len(order) - 4)
    rules = [grading.questions[name].rule for name in order[start:]]
    answers = [list(rule.correct) for rule in rules if isinstance(rule, ChoiceRule | PerOptionRule)]
    for rule, answer in zip(rules, answers[1:], strict=False):
        assert isinstance(rule, ChoiceRule | PerOptionRule)
        rule.correct = answer
    if answers[:-1] == answers[1:]:
        return None
    return Site(exam, grading, set(order[start:]), f"answers from {order[start]} on")


def wrong_points(exam: Exam, grading: GradingSpec, names: Sequence[str], _: Sequence[str], rng: Random) -> Site | None:
    question = _pick(exam, names, rng, lambda q: not q.children and q.points > 0)
    if question is None:
        return None
    old = question.points
    question.points = rng.choice([p for p in (1.0, 2.0, 3.0, 5.0, 10.0) if p != old])
    graded = grading.questions[question.id]
    if isinstance(graded.rule, JudgeRule) and graded.rule.rubric == [default_criterion(old)]:
        graded.rule.rubric = [default_criterion(question.points)]
    graded.max_points = question.points
    return Site(exam, grading, _family(exam, question), f"{old:g} became {question.points:g} points")


FAULTS = (
    Fault("lost sentence", lost_sentence),
    Fault("invented sentence", invented_sentence),
    Fault("dropped option", dropped_option),
    Fault("swapped options", swapped_options),
    Fault("wrong key", wrong_key, needs="key"),
    Fault("shifted numbering", shifted_numbers),
    Fault("shifted key", shifted_key, needs="key"),
    Fault("lost question", lost_question),
    Fault("merged questions", merged_questions),
    Fault("interleaved columns", interleaved),
    Fault("changed number", changed_number),
    Fault("destroyed LaTeX", destroyed_latex),
    Fault("paraphrased stem", paraphrased),
    Fault("invented option", invented_option),
    Fault("wrong points", wrong_points, needs="points"),
)
