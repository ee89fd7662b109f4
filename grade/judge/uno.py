"""UNO-Scorer as a judge: the published scorer for answers with several sub-questions, on its scale of ten points.

Its own prompt ships beside its weights (`uno_prompt`); until that is at hand, the task is put in our own wording, and
every verdict says so. The references are in the written form that the scorer was trained on (`grade.uno_protocol`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ...models.outcome import Outcome
from ...models.paper_parts import Asked, own_parts, shared_parts
from ...models.request import Part, Request, TextPart
from ..uno_protocol import FULL, ReferencePart, parts_reference, remove_thought, single_reference
from .framing import defused, framed
from .prompt import ReadAsset, criterion_text
from .task import JudgeTask
from .uno_prompt import PublishedPrompt
from .verdicts import Verdict, failed, snapped

NOTE = "UNO-Scorer in our own wording of its task, not in the prompt that ships with its weights"
UNIT = 10
"""Parts of a point that a sub-question's share of the ten points is rounded to."""
MAX_TOKENS = 4_096
_TOTAL = re.compile(r"<score>\s*(\d+(?:\.\d+)?)\s*</score>")
_PART = re.compile(r"<part(\d+)>\s*(\d+(?:\.\d+)?)\s*</part\1>")
# in the scorer's prose: the head of a sub-question, and the points that are given under it
_HEAD = re.compile(r"(?:小问|sub-?question)\s*(\d+)", re.IGNORECASE)
_GIVEN = re.compile(r"(?:得分?|scores?)\**\s*[:：为]?\s*\**\s*(\d+(?:\.\d+)?)", re.IGNORECASE)
_TASK = (
    "Score the answer to the question against the reference answer, on a scale of 10 points in all. The reference "
    "names each sub-question with its points. Decide for each sub-question what kind it is (numerical, enumeration, "
    "choice, yes or no, short answer, essay) and compare only what it asks for; an error in an earlier sub-question "
    "does not lower a later one. Write your reasons first, then the points of each sub-question n as "
    "<partn>points</partn>, and last their sum as <score>sum</score>."
)


@dataclass(frozen=True)
class UnoPrompt:
    """A question for the scorer. `points`: each criterion's share of the ten; one entry where the answer is scored
    as a whole. `parts` stand before the answer, `after` behind it. `published`: the scorer's own prompt."""

    task: JudgeTask
    parts: tuple[Part, ...]
    points: tuple[float, ...]
    published: PublishedPrompt | None = None

    @classmethod
    def of(
        cls,
        task: JudgeTask,
        asked: Asked,
        read_asset: ReadAsset,
        language: str,
        *,
        images: bool,
        published: PublishedPrompt | None = None,
    ) -> UnoPrompt:
        shown = images and task.show_images
        points = scaled_to_ten([one.highest for one in task.criteria]) if _in_parts(task) else [float(FULL)]
        reference = _reference(task, points, language)
        own = published or PublishedPrompt("", f"{_TASK}\n\n# Question\n\n", "\n\n# Reference answer\n\n", "", "")
        parts = [*shared_parts(asked, read_asset, images=shown), *own_parts(asked, read_asset, images=shown)]
        first = TextPart(own.before_question)
        last = TextPart(f"{own.before_reference}{reference}{own.before_answer}")
        return cls(task, tuple(_joined([first, *parts, last])), tuple(points), published)

    def request(self, answer: str, boundary: str, *, repeat: int, images: Sequence[Part] = ()) -> Request:
        if self.published is None:
            put: Part = framed(answer, boundary)
        else:
            # a frame of ours would be no part of the text that the scorer was trained on
            put = TextPart(f"{remove_thought(defused(answer))}{self.published.after_answer}")
        return Request(
            (*self.parts, *images, put),
            system=self.published.system if self.published else "",
            max_tokens=MAX_TOKENS,
            temperature=0.0,
            prefix_parts=len(self.parts),
            repeat=repeat,
            tag=self.task.question_id,
        )

    def verdict(self, judge: str, repeat: int, outcome: Outcome) -> Verdict:
        """Points from the last total; the sub-questions' scores must be there and add up to it."""
        if not outcome.ok:
            return failed(judge, repeat, outcome)
        text = remove_thought(outcome.text)
        note = "" if self.published else NOTE
        empty = Verdict(judge, repeat, "unparseable", usage=outcome.usage, note=note)
        totals = _TOTAL.findall(text)
        if not totals or float(totals[-1]) > FULL:
            return replace(empty, why="the reply has no <score> tag from 0 to 10")
        total = float(totals[-1])
        if len(self.points) == 1:
            share = total / FULL
            numbers = {one.id: one.lowest + share * (one.highest - one.lowest) for one in self.task.criteria}
        else:
            given = _points_in_prose(text) if self.published else _points_in_tags(text)
            if set(given) != set(range(1, len(self.points) + 1)):
                return replace(empty, why=f"the reply scores {len(given)} of {len(self.points)} sub-questions")
            if abs(math.fsum(given.values()) - total) > 0.05:
                return replace(empty, why=f"the sub-questions' scores do not add up to the total of {total:g}")
            numbers = {
                one.id: min(1.0, given[n] / most if most else 0.0) * one.highest
                for n, (one, most) in enumerate(zip(self.task.criteria, self.points, strict=True), 1)
            }
        graded = Verdict(judge, repeat, "graded", usage=outcome.usage, note=note)
        return snapped(self.task, graded, numbers)


def _points_in_tags(text: str) -> dict[int, float]:
    """Points by sub-question; the last of each, since reasoning models score several times."""
    return {int(number): float(points) for number, points in _PART.findall(text)}


def _points_in_prose(text: str) -> dict[int, float]:
    """The same where the scorer writes as it was trained to: the last points given under each sub-question's head."""
    heads = list(_HEAD.finditer(text))
    found: dict[int, float] = {}
    for place, head in enumerate(heads):
        end = heads[place + 1].start() if place + 1 < len(heads) else len(text)
        given = _GIVEN.findall(_TOTAL.sub("", text[head.end() : end]))
        if given:
            found[int(head[1])] = float(given[-1])
    return found


def _joined(parts: Sequence[Part]) -> list[Part]:
    """Neighbouring texts as one: what stands between them is then the prompt's own."""
    made: list[Part] = []
    for part in parts:
        if isinstance(part, TextPart) and made and isinstance(made[-1], TextPart):
            made[-1] = TextPart(made[-1].text + part.text)
        else:
            made.append(part)
    return made


def scaled_to_ten(points: Sequence[float]) -> list[float]:
    """The points on a scale of ten, in tenths, by largest remainder: they sum to ten exactly."""
    whole = sum(Fraction(one) for one in points)
    if not whole:
        return [0.0 for _ in points]
    exact = [Fraction(one) * FULL * UNIT / whole for one in points]
    floors = [math.floor(one) for one in exact]
    by_rest = sorted(range(len(points)), key=lambda place: (floors[place] - exact[place], place))
    for place in by_rest[: FULL * UNIT - sum(floors)]:
        floors[place] += 1
    return [tenths / UNIT for tenths in floors]


def _in_parts(task: JudgeTask) -> bool:
    return len(task.criteria) > 1 and all(one.part is not None and one.reference for one in task.criteria)


def _reference(task: JudgeTask, points: Sequence[float], language: str) -> str:
    lang = "zh" if language.lower().startswith(("zh", "yue")) else "en"
    if len(points) > 1:
        parts = [ReferencePart(one.reference or "", most) for one, most in zip(task.criteria, points, strict=True)]
        return parts_reference(parts, lang=lang)
    answer = task.reference or task.criteria[0].reference or "(no official answer)"
    criteria = None if task.holistic else "; ".join(criterion_text(one).replace("\n", " ") for one in task.criteria)
    return single_reference(answer, lang=lang, criteria=criteria)
