"""A question of a bundle as the parts of a request: what a taker reads, and a judge who must read the same.

Text blocks stay Markdown, tables become Markdown tables, pictures stay pictures with their caption before them.
What is shared by a group (section directions, stimulus) comes first, so that it can be a stable prefix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ..schemas.content import Block, ImageBlock, TableBlock, TextBlock
from ..schemas.errors import BundleError
from ..schemas.exam import Blank, Exam, Question, Section
from .request import ImagePart, ImageType, Part, TextPart

ReadAsset = Callable[[str], bytes]
_MAGIC: tuple[tuple[bytes, ImageType], ...] = (
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"RIFF", "image/webp"),
)


@dataclass(frozen=True)
class Asked:
    """A leaf question with everything above it: its section and its composites, outermost first."""

    leaf: Question
    ancestors: tuple[Question, ...]
    section: Section

    @property
    def group(self) -> str:
        """What its stimulus group is called: the outermost composite, or the question itself."""
        return self.ancestors[0].id if self.ancestors else self.leaf.id


def locate(exam: Exam) -> dict[str, Asked]:
    """Every leaf by id, in print order."""
    found: dict[str, Asked] = {}

    def walk(question: Question, above: tuple[Question, ...], section: Section) -> None:
        if not question.children:
            found[question.id] = Asked(question, above, section)
        for child in question.children:
            walk(child, (*above, question), section)

    for section in exam.sections:
        for question in section.questions:
            walk(question, (), section)
    return found


def needs_image(asked: Asked) -> bool:
    """Whether a picture stands in the question, its options or items, its stimulus or its section's directions."""
    blocks: list[Block] = [*asked.section.instructions, *asked.leaf.prompt]
    for question in asked.ancestors:
        blocks += question.prompt
    for option in asked.leaf.options or []:
        blocks += option.content
    if asked.leaf.matching:
        for item in (*asked.leaf.matching.left, *asked.leaf.matching.right):
            blocks += item.content
    return any(isinstance(block, ImageBlock) for block in blocks)


def shared_parts(asked: Asked, read_asset: ReadAsset, *, images: bool = True) -> list[Part]:
    """Section title and directions, then the stimulus of each composite above the question."""
    heading = [TextBlock(markdown=f"## {asked.section.title}")] if asked.section.title else []
    blocks: list[Block] = [*heading, *asked.section.instructions]
    for question in asked.ancestors:
        blocks += _numbered(question)
    return block_parts(blocks, read_asset, images=images)


def own_parts(asked: Asked, read_asset: ReadAsset, *, images: bool = True) -> list[Part]:
    """The question itself: number, prompt, options, blanks, the two lists of a matching question, points."""
    leaf = asked.leaf
    blocks: list[Block] = _numbered(leaf)
    for option in leaf.options or []:
        blocks += _labelled(option.id, option.content)
    if leaf.matching:
        for item in leaf.matching.left:
            blocks += _labelled(item.id, item.content)
        blocks.append(TextBlock(markdown="to be matched with"))
        for item in leaf.matching.right:
            blocks += _labelled(item.id, item.content)
    if leaf.blanks:
        blocks.append(TextBlock(markdown="Blanks: " + ", ".join(_blank(blank) for blank in leaf.blanks)))
    blocks.append(TextBlock(markdown=f"[{leaf.points:g} points]"))
    return block_parts(blocks, read_asset, images=images)


def _blank(blank: Blank) -> str:
    name = f"{blank.id} ({blank.label})" if blank.label else blank.id
    return f"{name} [{blank.cells} cells]" if blank.cells and blank.cells > 1 else name


def _numbered(question: Question) -> list[Block]:
    return _labelled(question.number, question.prompt)


def _labelled(label: str | None, content: Sequence[Block]) -> list[Block]:
    """The content with the label on its first line, or before it where it begins with a picture."""
    if not label:
        return list(content)
    mark = label if label.rstrip()[-1:] in ".)：:、）]】" else f"{label}."
    if content and isinstance(content[0], TextBlock):
        return [TextBlock(markdown=f"{mark} {content[0].markdown}"), *content[1:]]
    return [TextBlock(markdown=mark), *content]


def block_parts(blocks: Iterable[Block], read_asset: ReadAsset, *, images: bool = True) -> list[Part]:
    """Runs of text and tables joined into one part each; a picture is a part of its own."""
    parts: list[Part] = []
    text: list[str] = []

    def flush() -> None:
        if text:
            parts.append(TextPart("\n\n".join(text)))
            text.clear()

    for block in blocks:
        if not isinstance(block, ImageBlock):
            text.append(block_text(block))
            continue
        text.append(_picture_name(block, shown=images))
        if images:
            flush()
            data = read_asset(block.asset)
            parts.append(ImagePart(data, image_type(data, block.asset)))
    flush()
    return parts


def block_text(block: TextBlock | TableBlock) -> str:
    """The block as Markdown."""
    if isinstance(block, TextBlock):
        return block.markdown
    rows = [_row(row) for row in block.rows]
    width = max((len(row) for row in block.rows), default=len(block.header or []))
    header = block.header or [""] * width
    lines = [_row(header), _row(["---"] * len(header)), *rows]
    return "\n".join([*([block.caption] if block.caption else []), *lines])


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("\n", "<br>") for cell in cells) + " |"


def _picture_name(block: ImageBlock, *, shown: bool) -> str:
    name = " – ".join(text for text in (block.caption, block.alt) if text) or "figure"
    return f"[figure: {name}]" if shown else f"[figure, not shown: {block.caption or 'no caption'}]"


def image_type(data: bytes, name: str) -> ImageType:
    """The picture's type by its first bytes. Raises BundleError where no provider takes it."""
    for magic, kind in _MAGIC:
        if data.startswith(magic):
            return kind
    raise BundleError(f"{name} is no picture that models take (PNG, JPEG, GIF or WebP)")
