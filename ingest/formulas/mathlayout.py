"""Two-dimensional formulas of one printed line as linear text: fractions, roots, scripts, limits, overlines.

Everything is read from positions: a bar with words above and below it is a fraction, a radical sign with a bar at
its top is a root, smaller words off the line's baseline are scripts. What lies off the baseline and fits none of
these (matrices, cases) is kept in order and the line is said not to read with certainty.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from ..page import Box, Word
from ..text import is_cjk
from .matharrays import take_arrays
from .mathbars import ROOT, Bar, cut_at_bars

_OPERATORS = frozenset("∑∏∫∬∮⋃⋂")
_LEFT = {**dict.fromkeys("⎛⎜⎝", "("), **dict.fromkeys("⎡⎢⎣", "["), **dict.fromkeys("⎧⎨⎩", "{")}
_RIGHT = {**dict.fromkeys("⎞⎟⎠", ")"), **dict.fromkeys("⎤⎥⎦", "]"), **dict.fromkeys("⎫⎬⎭", "}")}
PIECES = frozenset(_LEFT) | frozenset(_RIGHT) | frozenset("⎪⎮⏐⌠⌡")
_SUPERSCRIPTS = dict(zip("0123456789+-−=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ", strict=True))
_SUBSCRIPTS = dict(zip("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎", strict=True))


@dataclass(eq=False)
class Unit:
    """Something that stands in the line as one: a word, a fraction, a root, an overlined run."""

    x0: float
    x1: float
    math: str | None = None
    """LaTeX of a built unit; None for a word."""
    word: Word | None = None


@dataclass(eq=False)
class Layout:
    """The line read so far. `certain` turns False where a position means nothing that is known here."""

    size: float
    certain: bool = True
    pieces: list[tuple[bool, str, float, float]] = field(default_factory=list)


def lay_out(words: Sequence[Word], bars: Sequence[Bar]) -> tuple[str, bool]:
    """The line's Markdown text and whether its layout was understood. `bars` are those within the line's height."""
    size = max(word.size for word in words)
    state = Layout(size)
    items = _join_pieces(cut_at_bars(list(words), bars))
    text = _flow(items, sorted(bars, key=lambda b: (b.x0 - b.x1, b.x0)), state, math=False)
    return text, state.certain


def _join_pieces(words: list[Word]) -> list[Word]:
    """The parts of tall brackets, one bracket each; a lone brace extension is part of the brace at its place."""
    found: list[Word] = []
    brackets: list[tuple[str, Word]] = []
    for word in words:
        if not word.text or not set(word.text) <= PIECES:
            found.append(word)
            continue
        sign = next((sign for ch in word.text if (sign := _LEFT.get(ch, _RIGHT.get(ch, "")))), "")
        for n, (other, whole) in enumerate(brackets):
            same = abs(whole.box.x0 - word.box.x0) < 0.4 * word.size
            if same and (other == sign or not other or not sign):
                brackets[n] = (other or sign, replace(whole, box=whole.box.union(word.box)))
                break
        else:
            brackets.append((sign, word))
    found.extend(_bracket(sign, word) for sign, word in brackets if sign)
    return sorted(found, key=lambda word: word.box.x0) if brackets else found


def _bracket(sign: str, word: Word) -> Word:
    return replace(word, text=sign, baseline=word.box.cy + 0.25 * word.size)


def _flow(items: Sequence[Word], bars: Sequence[Bar], state: Layout, *, math: bool) -> str:
    """Words and bars of one region as text, left to right."""
    arrays, items = take_arrays(list(items), bars, state.size)
    units, rest = _build(list(items), list(bars), state)
    units += [Unit(array.x0, array.x1, array.latex) for array in arrays]
    if any(word.text == ROOT for word in rest):
        rest = _roofless(rest, state)
    units += [Unit(word.box.x0, word.box.x1, word=word) for word in rest]
    units.sort(key=lambda unit: unit.x0)
    spine, size = _spine(rest, units)
    if not any(word.text in _OPERATORS or word.text.lower() == "lim" for word in rest):
        return _write(units, spine, size, state, math=math)
    return _write(_with_limits(units, size), spine, size, state, math=math)


def _roofless(words: list[Word], state: Layout) -> list[Word]:
    """Root signs whose roof is not seen: certain only before a lone number; an index goes before the sign."""
    found: list[Word] = []
    for at, word in enumerate(words):
        last = found[-1] if found else None
        if last is not None and last.text == ROOT and word.size < 0.75 * last.size and word.box.x0 < last.box.cx:
            state.certain = False
            found.insert(len(found) - 1, word)
            continue
        after = words[at + 1] if at + 1 < len(words) else None
        if word.text == ROOT and (after is None or not after.text.isdigit()):
            state.certain = False
        found.append(word)
    return found


def _build(items: list[Word], bars: list[Bar], state: Layout) -> tuple[list[Unit], list[Word]]:
    """Units for every bar that means something, widest first, and the words that none of them took."""
    units: list[Unit] = []
    while bars:
        bar = bars.pop(0)
        unit, taken = _unit(bar, items, bars, state)
        if unit is None:
            continue
        units.append(unit)
        gone = {id(word) for word in taken}
        items = [word for word in items if id(word) not in gone]
        bars = [other for other in bars if not _inside(other, unit, bar)]
    return units, items


def _inside(other: Bar, unit: Unit, bar: Bar) -> bool:
    return unit.x0 - 1 <= other.x0 and other.x1 <= unit.x1 + 1 and abs(other.y - bar.y) < 60


def _unit(bar: Bar, items: list[Word], bars: list[Bar], state: Layout) -> tuple[Unit | None, list[Word]]:
    over = [w for w in items if _within(w, bar) and w.baseline <= bar.y + 0.12 * w.size]
    under = [w for w in items if _within(w, bar) and w.baseline - 0.45 * w.size > bar.y]
    over = [w for w in over if bar.y - w.baseline < 3.2 * state.size]
    under = [w for w in under if w.baseline - bar.y < 3.8 * state.size]
    inner = [b for b in bars if bar.x0 - 1 <= b.x0 and b.x1 <= bar.x1 + 1]
    if bar.root and under:
        index, sign = _root_signs(bar, items)
        body = _flow(under, [b for b in inner if b.y > bar.y - 1], state, math=True)
        head = f"[{''.join(w.text for w in index)}]" if index else ""
        return Unit(min(bar.left, bar.x0), bar.x1, rf"\sqrt{head}{{{body}}}"), [*under, *index, *sign]
    if over and under:
        top = _flow(over, [b for b in inner if b.y < bar.y - 1], state, math=True)
        bottom = _flow(under, [b for b in inner if b.y > bar.y + 1], state, math=True)
        return Unit(bar.x0, bar.x1, rf"\frac{{{top}}}{{{bottom}}}"), [*over, *under]
    close = [w for w in under if bar.y > w.baseline - 1.25 * w.size]
    if close and not over and _spans(bar, close) and all(_is_name(w.text) for w in close):
        body = _flow(close, [], state, math=True)
        short, long = (r"\vec", r"\overrightarrow") if bar.arrow else (r"\bar", r"\overline")
        command = short if len(body) == 1 else long
        return Unit(bar.x0, bar.x1, f"{command}{{{body}}}"), close
    return None, []


def _within(word: Word, bar: Bar) -> bool:
    return bar.x0 - 0.8 <= word.box.cx <= bar.x1 + 0.8


def _is_name(text: str) -> bool:
    """What an overline or an arrow stands over: letters and digits, primes too."""
    return all(ch.isalnum() or ch in "′'’" for ch in text) and not any(is_cjk(ch) for ch in text)


def _spans(bar: Bar, words: Sequence[Word]) -> bool:
    """Whether an overline is as long as what stands below it, and no table's rule."""
    left, right = min(w.box.x0 for w in words), max(w.box.x1 for w in words)
    slack = (0.9 if bar.arrow else 0.6) * max(w.size for w in words)
    return abs(bar.x0 - left) < slack and abs(bar.x1 - right) < slack


def _root_signs(bar: Bar, items: Sequence[Word]) -> tuple[list[Word], list[Word]]:
    """The root's index (small, over the sign's left part) and the sign itself."""
    signs = [w for w in items if w.text == ROOT and abs(w.box.x1 - bar.x0) < 0.3 * w.size]
    left = min([bar.left, *(w.box.x0 for w in signs)])
    index = [
        w
        for w in items
        if w.text != ROOT and left - 2 <= w.box.cx <= bar.x0 and w.size < 0.75 * _largest(items) and w.text.isalnum()
    ]
    return index, signs


def _largest(items: Sequence[Word]) -> float:
    return max(word.size for word in items)


def _spine(words: Sequence[Word], units: Sequence[Unit]) -> tuple[float, float]:
    """The baseline and size of the line proper: those of its letters, not of tall signs. The size is the largest
    that carries a fair share of the letters."""
    letters = [word for word in words if any(ch.isalnum() for ch in word.text)] or list(words)
    if not letters:
        return (0.0, 10.0)
    sizes: dict[float, float] = {}
    for word in letters:
        sizes[word.size] = sizes.get(word.size, 0.0) + word.box.width
    total = sum(sizes.values())
    size = max((size for size, width in sizes.items() if width >= 0.2 * total), default=max(sizes))
    weights: dict[float, float] = {}
    for word in letters:
        if 0.86 * size < word.size < 1.4 * size:
            key = round(word.baseline * 2) / 2
            weights[key] = weights.get(key, 0.0) + max(word.box.width, 1.0)
    return max(weights, key=lambda key: (weights[key], key)), size


def _with_limits(units: list[Unit], size: float) -> list[Unit]:
    """Limits over and under an operator moved right behind it, where scripts are looked for."""
    moved: list[Unit] = []
    small = [u for u in units if u.word is not None and u.word.size < 0.86 * size]
    taken: set[int] = set()
    for unit in units:
        word = unit.word
        if word is None or not (word.text in _OPERATORS or word.text.lower() == "lim"):
            continue
        reach = 0.8 * size if word.text.lower() == "lim" else 0.6 * size
        for other in small:
            if id(other) not in taken and unit.x0 - reach <= (other.x0 + other.x1) / 2 <= unit.x1 + reach:
                taken.add(id(other))
    for unit in units:
        if id(unit) in taken:
            continue
        moved.append(unit)
        word = unit.word
        if word is not None and (word.text in _OPERATORS or word.text.lower() == "lim"):
            reach = 0.8 * size
            moved += [u for u in small if id(u) in taken and unit.x0 - reach <= (u.x0 + u.x1) / 2 <= unit.x1 + reach]
    return moved


def _write(units: Sequence[Unit], spine: float, size: float, state: Layout, *, math: bool) -> str:
    pieces: list[tuple[bool, str, float, float]] = []
    at = 0
    while at < len(units):
        unit = units[at]
        kind = _kind(unit, spine, size, state, alone=_alone(units, at, size))
        if kind == "line" or not pieces:
            pieces.append((unit.math is not None, _unit_text(unit, math), unit.x0, unit.x1))
            at += 1
            continue
        scripts: dict[str, list[Word]] = {"sub": [], "sup": []}
        right = unit.x1
        while at < len(units) and (found := _kind(units[at], spine, size, state)) != "line":
            word = units[at].word
            if word is not None:
                scripts[found].append(word)
            right = max(right, units[at].x1)
            at += 1
        pieces += [_script(kind, scripts[kind], state, math, right) for kind in ("sub", "sup") if scripts[kind]]
    return _joined(pieces, size, math)


def _alone(units: Sequence[Unit], at: int, size: float) -> bool:
    """Whether a unit stands far from both neighbours: a mark at the line's end, no part of a formula."""
    before = units[at].x0 - units[at - 1].x1 if at else 99.0
    after = units[at + 1].x0 - units[at].x1 if at + 1 < len(units) else 99.0
    return before > 2 * size and after > 2 * size


def _kind(unit: Unit, spine: float, size: float, state: Layout, *, alone: bool = False) -> str:
    """`line`, `sub` or `sup`: where a unit stands to the baseline."""
    word = unit.word
    if word is None:
        return "line"
    raised = spine - word.baseline
    if word.size <= 0.86 * size:
        if raised > 0.15 * size:
            return "sup"
        return "sub" if raised < -0.05 * size else "line"
    if abs(raised) > 0.4 * size and not alone and any(ch.isalnum() for ch in word.text):
        state.certain = False
    return "line"


def _script(kind: str, words: list[Word], state: Layout, math: bool, right: float) -> tuple[bool, str, float, float]:
    words.sort(key=lambda word: word.box.x0)
    if any(is_cjk(ch) or "가" <= ch <= "힣" for word in words for ch in word.text):
        # a gloss beside a character, no exponent
        return False, " ".join(word.text for word in words), words[0].box.x0, right
    body = _flow(words, [], state, math=True)
    sign = "^" if kind == "sup" else "_"
    table = _SUPERSCRIPTS if kind == "sup" else _SUBSCRIPTS
    x0 = words[0].box.x0
    if math:
        return True, f"{sign}{{{body}}}", x0, right
    plain = body.replace(" ", "")
    if plain and all(ch in table for ch in plain):
        return False, "".join(table[ch] for ch in plain), x0, right
    # ordinals and the like read as they stand
    if kind == "sup" and (plain in ("st", "nd", "rd", "th", "o", "a", "º", "ª", "er", "e", "TM", "°", "∘")):
        return False, plain, x0, right
    return True, f"{sign}{{{body}}}", x0, right


def _unit_text(unit: Unit, math: bool) -> str:
    if unit.math is not None:
        return unit.math
    text = unit.word.text if unit.word is not None else ""
    if not math:
        return text
    text = text.replace("\\", r"\backslash ").replace("{", r"\{").replace("}", r"\}")
    for sign in "#%&$_":
        text = text.replace(sign, "\\" + sign)
    return rf"\text{{{text}}}" if any(is_cjk(ch) or "가" <= ch <= "힣" for ch in text) else text


def _joined(pieces: Iterable[tuple[bool, str, float, float]], size: float, math: bool) -> str:
    """Pieces with the page's spaces; outside mathematics neighbouring formulas share one pair of dollar signs."""
    text = ""
    inside = False
    last: tuple[str, float] | None = None
    for is_math, piece, x0, x1 in pieces:
        if not piece:
            continue
        glue = " " if last is not None and _apart(last[0], piece[0], x0 - last[1], size) else ""
        if is_math and piece[0] in "^_":
            glue = ""
        if math:
            text += (" " if glue or _command_ends(text, piece) else "") + piece
        elif is_math and inside:
            text = text[:-1] + glue + piece + "$"
        elif is_math:
            text += f"{glue}${piece}$"
        else:
            text += glue + piece
        inside = is_math
        last = (piece[-1], x1)
    return text


def _command_ends(text: str, piece: str) -> bool:
    """Whether a letter would run into the name of a LaTeX command before it."""
    head = text.rstrip()
    return bool(head) and head[-1].isalpha() and "\\" in head[-12:] and piece[0].isalpha() and _open_command(head)


def _open_command(text: str) -> bool:
    at = len(text)
    while at and text[at - 1].isalpha():
        at -= 1
    return at > 0 and text[at - 1] == "\\"


def _apart(left: str, right: str, gap: float, size: float) -> bool:
    """Whether the page has a space between two characters `gap` points apart (text.spaced's measure)."""
    cjk = is_cjk(left) + is_cjk(right)
    return gap > (0.9 if cjk == 2 else 0.3 if cjk == 1 else 0.12) * size


def region(words: Sequence[Word]) -> Box:
    """The letters' extent of a line: x as boxed, y by baselines (fonts with absurd ascenders would reach far)."""
    return Box(
        min(w.box.x0 for w in words),
        min(w.baseline - 0.9 * w.size for w in words),
        max(w.box.x1 for w in words),
        max(w.baseline + 0.3 * w.size for w in words),
    )
