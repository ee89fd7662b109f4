"""One row per leaf question: what a table, a question list or another harness needs to put it to a taker."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...models.paper_parts import Asked, block_text, locate, needs_image
from ...schemas.bundle import Bundle
from ...schemas.content import Block, ImageBlock
from ...schemas.grading import (
    ChoiceRule,
    EnumerationRule,
    ExpressionRule,
    FillInBlankRule,
    JudgeRule,
    MatchingRule,
    NumericRule,
    PartsRule,
    PerOptionRule,
    QuestionGrading,
    TrueFalseRule,
)


@dataclass(frozen=True)
class Row:
    """A leaf question laid flat. Texts are Markdown; a picture stands in them as `![alt](asset)`.

    `stimulus` holds the section's directions and every passage above the question. `answer` is the key in
    readable form (None where only a judge with no reference answer decides), `rule` the kind of its rule.
    """

    id: str
    number: str | None
    section: str
    type: str
    points: float
    stimulus: str
    prompt: str
    options: Mapping[str, str]
    left: Mapping[str, str]
    right: Mapping[str, str]
    blanks: tuple[str, ...]
    answer: Any
    rule: str | None
    images: tuple[str, ...]
    needs_image: bool

    def as_dict(self) -> dict[str, Any]:
        """The row for JSON: plain lists and objects, empty ones as None."""
        return {
            "id": self.id,
            "number": self.number,
            "section": self.section,
            "type": self.type,
            "points": self.points,
            "stimulus": self.stimulus or None,
            "prompt": self.prompt,
            "options": _listed(self.options),
            "left": _listed(self.left),
            "right": _listed(self.right),
            "blanks": list(self.blanks) or None,
            "answer": self.answer,
            "rule": self.rule,
            "images": list(self.images) or None,
        }


def _listed(items: Mapping[str, str]) -> list[dict[str, str]] | None:
    return [{"id": key, "text": text} for key, text in items.items()] or None


def question_rows(bundle: Bundle) -> Iterator[Row]:
    """The leaves of a bundle in print order."""
    for name, asked in locate(bundle.exam).items():
        yield _row(asked, bundle.grading.questions.get(name))


def _row(asked: Asked, grading: QuestionGrading | None) -> Row:
    leaf = asked.leaf
    above: list[Block] = [*asked.section.instructions]
    for question in asked.ancestors:
        above += question.prompt
    matching = leaf.matching
    parts = [*(leaf.options or []), *([*matching.left, *matching.right] if matching else [])]
    blocks = [*above, *leaf.prompt, *(block for part in parts for block in part.content)]
    return Row(
        id=leaf.id,
        number=leaf.number,
        section=asked.section.title or asked.section.id,
        type=leaf.type,
        points=leaf.points,
        stimulus=markdown(above),
        prompt=markdown(leaf.prompt),
        options={option.id: markdown(option.content) for option in leaf.options or []},
        left={item.id: markdown(item.content) for item in matching.left} if matching else {},
        right={item.id: markdown(item.content) for item in matching.right} if matching else {},
        blanks=tuple(blank.id for blank in leaf.blanks or []),
        answer=None if grading is None else readable_key(grading),
        rule=None if grading is None else grading.rule.kind,
        images=image_names(blocks),
        needs_image=needs_image(asked),
    )


def markdown(blocks: Iterable[Block]) -> str:
    """The blocks as Markdown; a picture with its caption as its text where it has no other."""
    return "\n\n".join(_picture(block) if isinstance(block, ImageBlock) else block_text(block) for block in blocks)


def _picture(block: ImageBlock) -> str:
    text = " ".join((block.alt or block.caption or "").replace("[", "(").replace("]", ")").split())
    return f"![{text}]({block.asset})"


def image_names(blocks: Sequence[Block]) -> tuple[str, ...]:
    """The pictures of the blocks, each once, in order."""
    return tuple(dict.fromkeys(block.asset for block in blocks if isinstance(block, ImageBlock)))


def readable_key(grading: QuestionGrading) -> Any:
    """The official answer as a person would write it into a table; lists and objects where it has parts."""
    match grading.rule:
        case ChoiceRule(correct=correct) | PerOptionRule(correct=correct):
            return list(correct)
        case TrueFalseRule(correct=correct):
            return correct
        case FillInBlankRule(blanks=blanks):
            return {name: list(key.accepted) for name, key in blanks.items()}
        case MatchingRule(correct_pairs=pairs):
            return dict(pairs)
        case NumericRule(value=value, unit=unit):
            return f"{value} {unit}" if unit else str(value)
        case ExpressionRule(expression=expression):
            return expression
        case EnumerationRule(items=items):
            return [list(item.accepted) for item in items]
        case PartsRule(parts=parts):
            return {part.label or part.id: part.reference for part in parts}
        case JudgeRule(reference_answer=reference):
            return reference
