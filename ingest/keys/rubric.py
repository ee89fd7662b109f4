"""Point levels of mark schemes: `Score of 5: …`, `2分：…`, `…者，得1分`, `（1分）`, `M1 A1`, `Award 1 mark for …`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..lines import Line
from .key_cells import narrow

Level = tuple[float, str]
Criterion = tuple[str, tuple[Level, ...]]

_UNIT = (
    r"(?:points?|pts?\.?|marks?|credits?|分|点|點|점|punkte?|pkt\.?|"
    r"p(?:on)?tos?|puntos?|points?|poäng|баллов|балла|балл|điểm|punti)"
)
_LEVEL_HEAD = re.compile(
    rf"^[•●\-–*\s]*(?:score\s*(?:of|level|point)?\s*(\d+)(?:\s*(?:or|to|,|/|–|-)\s*(\d+))?|level\s*(\d+)|"
    rf"(\d+(?:\.\d+)?)(?:\s*(?:or|to|–|-|~|～|至)\s*(\d+(?:\.\d+)?))?\s*{_UNIT}|\[(\d+)\])\s*(?:[:：.)）]|"
    rf"[-–—]\s|$|\s{{2,}}|(?=\s*[^\W\d]))",
    re.IGNORECASE,
)
_EARNS = re.compile(r"(?:[可再各則给給]|即|只|僅|仅)*得\s*(\d+(?:\.\d+)?)\s*分|(?:給|给)\s*(\d+(?:\.\d+)?)\s*分(?!數)")
_EARNS_NOTHING = re.compile(r"不給分|不给分|不得分|得\s*0\s*分|零分|無法獲得分數|0\s*分")
_AMOUNT = re.compile(
    r"[（(\[]\s*(\d+(?:\.\d+)?)\s*(?:分|点|點|점|marks?|points?|pts?|P\.?|Punkte?|BE)\s*[)）\]]", re.IGNORECASE
)
_LABELS = re.compile(r"^\s*(?:[(（][a-zA-Z㈠-㈩\d](?:-\d)?[)）]\s*)+")
_EACH_PART = re.compile(r"各(?:給|给|得)\s*(\d+)\s*分")
_ITEM = re.compile(r"^\s*(?:[(（]?[一二三四五六七八九十\d]{1,2}[)）.．、]|[•●◦\-–])\s*")
_CODE = re.compile(r"(?<![A-Za-z0-9])([MABCE])([1-4])(?:\s*(?:ft|FT|cao|cso|dep\*?|oe|isw|\*))*(?![A-Za-z0-9])")
_NUMBER_WORDS = {"one": 1, "two": 2, "three": 3, "four": 4, "a": 1, "each": 1}
_AWARD = re.compile(
    rf"^\W*(?:award|allow|give|accept)?\s*[\[(]?\s*(\d+|one|two|three|four)\s*[\])]?\s*{_UNIT}\s*(?:for|:|–|-|"
    rf"each)\s*(.+)$",
    re.IGNORECASE,
)
_EACH = re.compile(
    rf"(?:award|allow|give)\s+(\d+|one|two)\s*{_UNIT}\s*\(?(?:up to a maximum of|to a maximum of|maximum|"
    rf"max\.?)\s*(\d+)",
    re.IGNORECASE,
)


def levels_in(lines: Sequence[Line]) -> tuple[Level, ...]:
    """The levels that head lines name, highest first, down to 0; empty where the points do not fall in order."""
    heads: list[tuple[int, list[float]]] = []
    for n, line in enumerate(lines):
        points = _level_points(narrow(line.text).strip())
        if points and (not heads or points[0] < heads[-1][1][-1]):
            heads.append((n, points))
        elif points and heads and points[0] > heads[-1][1][0] and heads[-1][1][-1] != 0:
            heads = [(n, points)]
    if len(heads) < 2 or heads[-1][1][-1] > 1:
        return ()
    found: list[Level] = []
    for i, (at, points) in enumerate(heads):
        end = heads[i + 1][0] if i + 1 < len(heads) else _end_of_last(lines, at)
        text = _unlabelled(_text(lines[at:end]))
        found.extend((value, text) for value in points)
    if found[-1][0] > 0:
        found.append((0.0, "Anything less."))
    return tuple(found)


def level_criteria(lines: Sequence[Line]) -> tuple[tuple[Criterion, ...], int]:
    """The criteria that sets of levels make, each named by the line before it, and where they end in `lines`.

    A further set belongs to the same question only under a title with its marks (`Language (6 marks)`):
    without one it is the next question's.
    """
    stretches = level_heads(lines)
    found: list[Criterion] = []
    stop = len(lines)
    for n, (start, end) in enumerate(stretches):
        titled = n + 1 < len(stretches) and _has_amount(lines[stretches[n + 1][0] - 1])
        last = stretches[n + 1][0] - 1 if titled else end
        levels = levels_in(lines[start:last])
        if not levels:
            break
        name = lines[start - 1].text if start and _has_amount(lines[start - 1]) else ""
        title = _AMOUNT.sub("", narrow(name)).strip(" .:：")
        found.append((title or "Overall, by the official levels.", levels))
        stop = last
        if not titled:
            break
    return tuple(found), stop


def _has_amount(line: Line) -> bool:
    return bool(_AMOUNT.search(narrow(line.text))) and len(line.text) <= 80


def level_heads(lines: Sequence[Line]) -> list[tuple[int, int]]:
    """Stretches (start, end) of lines over which the levels' points fall; a rise begins a new stretch."""
    heads = [(n, p) for n, line in enumerate(lines) if (p := _level_points(narrow(line.text).strip()))]
    found: list[list[int]] = []
    last = 0.0
    for n, points in heads:
        if found and points[0] < last:
            found[-1].append(n)
        else:
            found.append([n])
        last = points[-1]
    return [(run[0], _end_of_last(lines, run[-1])) for run in found if len(run) >= 2]


def _unlabelled(text: str) -> str:
    """A level's text without the points that head it."""
    match = _LEVEL_HEAD.match(narrow(text))
    rest = text[match.end() :].strip(" :：.-–—\n") if match else text
    return rest or text


def _level_points(text: str) -> list[float]:
    match = _LEVEL_HEAD.match(text)
    if not match:
        return []
    first = next((g for g in (match[1], match[3], match[4], match[6]) if g is not None), None)
    if first is None:
        return []
    second = match[2] or match[5]
    points = sorted([float(first), float(second)], reverse=True) if second else [float(first)]
    return points if points[0] <= 100 else []


def _end_of_last(lines: Sequence[Line], at: int) -> int:
    """The lowest level's text ends with its page."""
    for n in range(at + 1, len(lines)):
        if lines[n].page != lines[at].page or lines[n].source != lines[at].source:
            return n
    return len(lines)


def _text(lines: Sequence[Line]) -> str:
    return "\n".join(line.text for line in lines).strip()


def earned_levels(text: str) -> tuple[Level, ...]:
    """Levels from sentences that say what they earn (`…者，得2分`), where they fall from the top to nothing."""
    found: list[Level] = []
    for item in _items(text):
        match = _EARNS.search(item)
        if match:
            found.append((float(match[1] or match[2]), item))
        elif _EARNS_NOTHING.search(item):
            found.append((0.0, item))
    best: tuple[Level, ...] = ()
    for start in range(len(found)):
        run = [found[start]]
        for level in found[start + 1 :]:
            if level[0] >= run[-1][0]:
                break
            run.append(level)
        if len(run) >= 2 and run[-1][0] == 0.0 and len(run) > len(best):
            best = tuple(run)
    return best


def _items(text: str) -> list[str]:
    items: list[str] = []
    for line in text.splitlines():
        if _ITEM.match(line) or not items:
            items.append(line.strip())
        else:
            items[-1] += line.strip()
    return items


def amounts(text: str) -> list[tuple[float, str]]:
    """Pieces of an answer with the points printed behind each: `紅外線（1分）`."""
    found: list[tuple[float, str]] = []
    start = 0
    for match in _AMOUNT.finditer(narrow(text)):
        piece = text[start : match.start()].strip(" \n；;，,。、")
        start = match.end()
        found.append((float(match[1]), piece))
    return [(points, piece) for points, piece in found if points > 0]


def criteria_for(answer: str, rubric: str, points: float | None) -> tuple[Criterion, ...]:
    """The criteria of one leaf from its model answer and its marking notes, where they add up to its points."""
    for found in (_earned(rubric or answer), _amounts(answer, rubric), _awards(rubric or answer), _codes(answer)):
        if found and (points is None or abs(sum(c[1][0][0] for c in found) - points) < 1e-6):
            return found
    return ()


def _earned(text: str) -> tuple[Criterion, ...]:
    levels = earned_levels(text)
    return ((levels[0][1], levels),) if levels else ()


def _amounts(answer: str, rubric: str) -> tuple[Criterion, ...]:
    found: list[Criterion] = []
    for points, piece in amounts(answer):
        between = _between(points, rubric)
        name = _LABELS.sub("", piece).strip() or "As in the reference answer."
        found.append((name, ((points, name), *between, (0.0, "Not given or wrong."))))
    return tuple(found)


def _between(points: float, rubric: str) -> tuple[Level, ...]:
    """Partial levels of a piece that the marking notes name."""
    if points <= 1:
        return ()
    each = _EACH_PART.search(rubric)
    if each and points % float(each[1]) == 0:
        step = float(each[1])
        return tuple((points - step * n, each[0]) for n in range(1, int(points / step)))
    partial: dict[float, str] = {}
    for item in _items(rubric):
        for clause in re.split(r"[。；;]", item):
            match = _EARNS.search(clause)
            value = float(match[1] or match[2]) if match else 0.0
            if 0 < value < points:
                partial.setdefault(value, clause.strip())
    return tuple((value, partial[value]) for value in sorted(partial, reverse=True))


def _awards(text: str) -> tuple[Criterion, ...]:
    each = _EACH.search(text)
    if each:
        step, most = _count(each[1]), float(each[2])
        levels = tuple(
            (most - step * n, f"{most - step * n:g} of the points earned") for n in range(int(most / step) + 1)
        )
        return (("One award for each different right answer, up to the maximum.", levels),)
    found: list[Criterion] = []
    for line in text.splitlines():
        match = _AWARD.match(narrow(line))
        if match:
            value, said = _count(match[1]), match[2].strip()
            found.append((said, ((value, said), (0.0, "Not given or wrong."))))
    return tuple(found)


def _count(text: str) -> float:
    return float(_NUMBER_WORDS.get(text.casefold(), 0) or text)


def _codes(text: str) -> tuple[Criterion, ...]:
    """Method, accuracy and independent marks (`M1 A1 B2`): one criterion per code, with its line's words."""
    found: list[Criterion] = []
    for line in text.splitlines():
        plain = narrow(line)
        said = _CODE.sub("", plain).strip() or "as the scheme shows"
        for match in _CODE.finditer(plain):
            kind = {"M": "Method", "A": "Accuracy", "B": "Independent", "C": "Method", "E": "Explanation"}[match[1]]
            name = f"{kind} mark {match[0].strip()}: {said}"
            found.append((name, ((float(match[2]), name), (0.0, "Not earned."))))
    return tuple(found) if len(found) >= 1 else ()
