"""Where in a mark scheme or solution each question of the paper is dealt with.

A line can open a question by its number in some printed form, by the paper's own label, or by repeating
the question's first words. Which lines do is decided together: the questions come in the paper's order,
and true openings share one form. (A maximum-weight increasing sequence, by a Fenwick tree.)
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..draft import DraftPaper, DraftQuestion, DraftSection
from ..lines import Line
from ..structure.vocabulary import FIGURE_WORDS, QUESTION_TAILS, QUESTION_WORDS, SECTION_WORDS
from .key_cells import narrow
from .key_spots import Spot, node_spots, ordinal

_HEAD = re.compile(
    r"^[【\[(（〔]?(?P<word>[^\W\d_]{0,24}?)[.:：]?(?P<open>[(（\[]?)(?P<n>\d{1,3})"
    r"(?:[.(（]?(?P<part>[a-h])(?![a-z]))?(?:[)）]?[(（](?P<sub>[ivx]{1,4})(?=[)）]))?(?P<tail>[)）\]】〕]?(?:題|题|번|問|问|小題|문항)?)"
    r"(?P<mark>[.．、:：)）】〕\]。]|(?=[【\[(（])|$)?"
)
_DIRECTIONS = re.compile(
    r"\bnotes?\b\W*$|\binstructions?\b|\bcontents\b|\bdirections\b|\bguidelines\b|\bprocedures?\b|\bmechanics\b|"
    r"\bprinciples\b|\babbreviations\b|注意|說明\W*$|说明\W*$|\bhinweise\b|유의\s*사항",
    re.IGNORECASE,
)
_TELLS = re.compile(
    r"\s*(?:[【〔［\[]\s*(?:標準|标准|參考|参考|正確|正确)?(?:答案|解析|解答|詳解|详解|정답|正解)|(?:答案|解析|"
    r"정답)\s*[:：]|"
    r"[解答证證][:：]|(?:correct )?answer\s*[:：]|ans\s*[.:：]|"
    r"[\[(（]\s*\d{1,3}\s*(?:marks?|points?|pts?|credits?|分|点|點|점|"
    r"punkte?|p\.?|be)\s*[\])）])",
    re.IGNORECASE,
)
"""A number with the answer or the marks right behind it opens that question."""
_UNIT = re.compile(r"(?:marks?|points?|pts?|credits?|punkte?|pontos?|puntos?|minutes?|minuten)", re.IGNORECASE)
"""A number of these is no label."""
_BY_TEXT = ("~", "", "", False)
_BARE = re.compile(r"^\(?\d{1,3}[a-h]?\)?$")
Node = tuple[DraftQuestion, Spot | None, DraftSection]
_REPEAT = 30
"""How many letters of a question's beginning must agree to say that it is repeated."""


@dataclass
class Block:
    """The lines about one question: `lines` begin with the rest of the opening line, its label cut off in `text`."""

    question: DraftQuestion
    lines: list[Line] = field(default_factory=list)
    opening: str = ""
    """The text of the opening line after its label."""
    repeated: bool = False
    """The opening repeats the question's own words or label: no chance number of a list."""
    until: Line | None = None
    """The line that the next block begins with."""


@dataclass(frozen=True)
class _Candidate:
    question: int
    line: int
    weight: float
    form: tuple[str, str, str, bool]
    repeated: bool
    rest: str


def letters(text: str) -> str:
    """A text's letters and digits only, case and width folded: what comparisons are made on."""
    return "".join(ch for ch in unicodedata.normalize("NFKC", text).casefold() if ch.isalnum())


def find_blocks(lines: Sequence[Line], paper: DraftPaper) -> list[Block]:
    """The questions that these lines deal with, in order, each with its lines."""
    nodes = node_spots(paper)
    if not lines or not nodes:
        return []
    folded = [letters(line.text) for line in lines]
    candidates = _candidates(lines, folded, nodes)
    chosen = _increasing(candidates, len(nodes), len(lines))
    chosen = _believed(chosen, nodes, lines)
    if not chosen:
        return []
    forms = {c.form for c in chosen if c.form[0] or c.form[2]}
    named = {n for n, section in enumerate(_mentions(folded, nodes, held=False)) if section}
    cuts = sorted({c.line for c in chosen} | _other_openings(lines, forms) | named)
    blocks: list[Block] = []
    for c in chosen:
        end = next((cut for cut in cuts if cut > c.line), len(lines))
        until = lines[end] if end < len(lines) else None
        blocks.append(Block(nodes[c.question][0], list(lines[c.line : end]), c.rest, c.repeated, until))
    return blocks


def _candidates(lines: Sequence[Line], folded: Sequence[str], nodes: Sequence[Node]) -> list[_Candidate]:
    by_spot: dict[tuple[int, tuple[int, ...]], list[int]] = defaultdict(list)
    for n, (_, spot, _section) in enumerate(nodes):
        if spot is not None:
            by_spot[spot[1], spot[2]].append(n)
    stems = [_beginning(q) for q, _, _ in nodes]
    wholes = [letters("".join(line.text for line in q.stem)) for q, _, _ in nodes]
    labels = [letters(q.label or "") for q, _, _ in nodes]
    raw: list[_Candidate] = []
    mentions = _mentions(folded, nodes)
    order = {id(section): n for n, (_, _, section) in reversed(list(enumerate(nodes)))}
    for at, line in enumerate(lines):
        head = _head(line)
        if head is None:
            continue
        number, part, form, rest, base = head
        for n in by_spot.get((number, part), ()):
            ahead = letters(rest) + "".join(folded[at + 1 : at + 4])
            repeated = _repeats(stems[n], ahead) or (len(ahead) >= _REPEAT and ahead[:_REPEAT] in wholes[n])
            own = len(labels[n]) >= 4 and folded[at].startswith(labels[n]) and not labels[n].isdigit()
            told = bool(_TELLS.match(rest))
            weight = base + (3.0 if repeated else 0.0) + (2.0 if own else 0.0) + (1.5 if told else 0.0)
            named = mentions[at]
            if named is not None:  # later sections may stand under the same heading, earlier ones cannot
                place = order[id(nodes[n][2])] - order[id(named)]
                weight += 0.6 if place == 0 else -0.6 if place < 0 else 0.0
            raw.append(_Candidate(n, at, weight, form, repeated or own or told, rest))
    raw.extend(_by_text(folded, nodes, stems))
    return _supported(raw, nodes)


def _mentions(folded: Sequence[str], nodes: Sequence[Node], *, held: bool = True) -> list[DraftSection | None]:
    """For each line the section of the paper that it names, by its title or as `Section B`.

    `held`: a line that names none has the section that was named last.
    """
    names: dict[str, DraftSection] = {}
    for _, _, section in nodes:
        titles = [letters(line.text) for line in section.title[:2]]
        for title in [
            *titles,
            *([f"section{letters(section.key)}", f"part{letters(section.key)}"] if section.key else []),
        ]:
            if len(title) >= 3:
                names.setdefault(title, section)
    found: list[DraftSection | None] = []
    current: DraftSection | None = None
    for text in folded:
        current = current if held else None
        if 3 <= len(text) <= 40:
            longer = (s for n, s in names.items() if (len(n) >= 8 and text.startswith(n)) or n.startswith(text))
            current = names.get(text) or next(longer, current)
        found.append(current)
    return found


def _head(line: Line) -> tuple[int, tuple[int, ...], tuple[str, str, str, bool], str, float] | None:
    """What a line's beginning says: number, part, printed form, the rest, how sure."""
    if not any(ch.isdigit() for word in line.words[:4] for ch in word.text):
        return None
    text = narrow(line.text).strip()
    compact, places = _squeezed(text[:120])
    match = _HEAD.match(compact)
    if not match:
        return None
    word, mark, tail = match["word"].casefold(), match["mark"] or "", match["tail"]
    after = compact[match.end() :]
    wide = bool(mark) and line.text.strip()[places[match.start("mark")]] == "．"  # never a decimal point
    dotted = re.match(r"(\d{1,2})(?![\d.,%])", after) if mark == "." and not match["part"] and not wide else None
    if mark == "." and after[:1].isdigit() and not dotted and not wide:
        return None
    if not mark and not word and not tail and not _BARE.match(narrow(line.words[0].text)):
        return None
    if not mark and not tail and _UNIT.match(after):
        return None
    if not mark and not tail and after[:1] in ("%", "/", "-", "–", "年", "月", "日", "分", "°", "℃"):
        return None
    base = 1.0 if mark or tail else 0.4
    if word:
        known = any(word.endswith(w) for w in QUESTION_WORDS if len(w) > 1) or word in (
            "第",
            "q",
            "問",
            "问",
            "題",
            "题",
        )
        wrong = word in FIGURE_WORDS or word in SECTION_WORDS
        base = 1.8 if known and not wrong else -2.0 if wrong else 0.2
    elif any(t in tail for t in QUESTION_TAILS):
        base = 1.6
    part: tuple[int, ...] = (ord(match["part"]) - 96,) if match["part"] else ()
    end = match.end()
    if dotted:  # `01.1` is a part where the paper has such parts; elsewhere no question answers to it
        part, end = (int(dotted[1]),), end + dotted.end()
    if match["sub"]:
        part = (*part, ordinal(match["sub"], 0) or 0)
    form = (word, match["open"] + tail, mark, bool(line.words[0].bold))
    rest = text[places[end] :] if end < len(places) else ""
    return int(match["n"]), part, form, rest, base


def _squeezed(text: str) -> tuple[str, list[int]]:
    places = [n for n, ch in enumerate(text) if not ch.isspace()]
    return "".join(text[n] for n in places), places


def _beginning(question: DraftQuestion) -> str:
    return letters("".join(line.text for line in question.stem[:4]))[: 2 * _REPEAT]


def _repeats(stem: str, ahead: str) -> bool:
    if len(stem) < 12 or not ahead:
        return False
    length = min(len(stem), _REPEAT)
    start, there = stem[:length], ahead[: length + 10]
    if start in there:
        return True
    same = sum(start[i : i + 4] in there for i in range(length - 3))
    return same >= 0.75 * (length - 3)


def _by_text(folded: Sequence[str], nodes: Sequence[Node], stems: Sequence[str]) -> list[_Candidate]:
    """Openings that only repeat the question's first words, its number left out."""
    whole = "".join(folded)
    starts: list[int] = []
    at = 0
    for text in folded:
        starts.append(at)
        at += len(text)
    line_at = {start: n for n, start in enumerate(starts)}
    found: list[_Candidate] = []
    for n, _ in enumerate(nodes):
        stem = stems[n][:_REPEAT]
        if len(stem) < 20:
            continue
        place = whole.find(stem)
        while place >= 0:
            line = line_at.get(place)
            if line is not None:
                found.append(_Candidate(n, line, 2.5, _BY_TEXT, True, ""))
            place = whole.find(stem, place + 1)
    return found


def _supported(raw: Sequence[_Candidate], nodes: Sequence[Node]) -> list[_Candidate]:
    """Candidates weighted up by how many questions their form opens."""
    share: dict[tuple[str, str, str, bool], set[int]] = defaultdict(set)
    for c in raw:
        share[c.form].add(c.question)
    numbered = max(sum(spot is not None for _, spot, _ in nodes), 1)
    found: list[_Candidate] = []
    for c in raw:
        support = len(share[c.form]) / numbered if c.form != _BY_TEXT else 0.0
        weight = c.weight + 1.5 * support
        if weight >= 0.9:
            found.append(_Candidate(c.question, c.line, weight, c.form, c.repeated, c.rest))
    return found


def _increasing(candidates: Sequence[_Candidate], questions: int, size: int) -> list[_Candidate]:
    """The heaviest choice of openings in which questions and lines both go forward."""
    by_question: dict[int, list[_Candidate]] = defaultdict(list)
    for c in candidates:
        by_question[c.question].append(c)
    tree: list[tuple[float, int]] = [(0.0, -1)] * (size + 1)
    history: list[tuple[_Candidate, int]] = []
    for question in range(questions):
        fresh: list[tuple[int, float, int]] = []
        for c in by_question.get(question, ()):
            weight, before = _best(tree, c.line)
            history.append((c, before))
            fresh.append((c.line, weight + c.weight, len(history) - 1))
        for line, weight, place in fresh:
            _raise(tree, line + 1, (weight, place))
    _, place = _best(tree, size)
    chosen: list[_Candidate] = []
    while place >= 0:
        c, place = history[place]
        chosen.append(c)
    return chosen[::-1]


def _best(tree: list[tuple[float, int]], upto: int) -> tuple[float, int]:
    found = (0.0, -1)
    while upto > 0:
        if tree[upto][0] > found[0]:
            found = tree[upto]
        upto -= upto & -upto
    return found


def _raise(tree: list[tuple[float, int]], at: int, entry: tuple[float, int]) -> None:
    while at < len(tree):
        if entry[0] > tree[at][0]:
            tree[at] = entry
        at += at & -at


def _believed(chosen: Sequence[_Candidate], nodes: Sequence[Node], lines: Sequence[Line]) -> list[_Candidate]:
    """Openings that repeat the question, or whose form opens at least two fifths of its sections' questions."""
    counts: dict[tuple[str, str, str, bool], list[_Candidate]] = defaultdict(list)
    for c in chosen:
        counts[c.form].append(c)
    kept: list[_Candidate] = []
    for c in chosen:
        own = [o.question for o in counts[c.form]]
        sections = {id(nodes[n][2]) for n in own}
        span = sum(spot is not None for _, spot, section in nodes if id(section) in sections)
        worded = bool(c.form[0]) or any(t in c.form[1] for t in QUESTION_TAILS)
        listed = len(own) >= 3 and 5 * len(own) >= 2 * span and not _notes(lines, counts[c.form][0].line)
        if c.repeated or listed or (worded and c.weight >= 1.5):
            kept.append(c)
    return kept


def _notes(lines: Sequence[Line], at: int) -> bool:
    """Whether a numbered list stands under a heading of directions."""
    return any(_DIRECTIONS.search(line.text) for line in lines[max(0, at - 2) : at])


def _other_openings(lines: Sequence[Line], forms: set[tuple[str, str, str, bool]]) -> set[int]:
    """Lines in a form that opens questions though none of the paper's was found there: they end a block too."""
    worded = {form for form in forms if form[0] or any(t in form[1] for t in QUESTION_TAILS)}
    found: set[int] = set()
    if worded:
        for n, line in enumerate(lines):
            head = _head(line)
            if head is not None and head[2] in worded:
                found.add(n)
    return found
