"""To QTI 3: a content package of items and a test that learning platforms import.

Rules become response processing that gives the same points wherever QTI can say them; open questions are marked
for human scoring. Source: 1EdTech, QTI 3.0 Assessment, Section, and Item Information Model, and its XML binding.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from urllib.parse import quote
from xml.etree import ElementTree

from ...models.paper_parts import Asked, locate
from ...schemas.bundle import Bundle
from ...schemas.content import Block
from ...schemas.errors import UsageError
from ...schemas.findings import Finding, info, warning
from ...schemas.grading import QuestionGrading
from .folder import copy_asset, identifier
from .markup import xhtml
from .mathml import NOT_XML
from .qti_interactions import Interaction, interaction, picture_address, plain, xml_name, xml_names
from .rows import image_names

NAMESPACE = "http://www.imsglobal.org/xsd/imsqtiasi_v3p0"
_PACKAGE = "http://www.imsglobal.org/xsd/qti/qtiv3p0/imscp_v1p1"
_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*")


@dataclass(frozen=True)
class _Packed:
    """An item in the package: its identifier there, its file and the pictures that it shows."""

    name: str
    file: str
    pictures: tuple[str, ...]


def export(bundle: Bundle, folder: Path) -> list[Finding]:
    """`imsmanifest.xml`, `test.xml`, `items/*.xml`, `assets/` and, of all that, `package.zip`."""
    package = folder / "package"
    (package / "items").mkdir(parents=True)
    found: list[Finding] = []
    questions = locate(bundle.exam)
    if not questions:
        raise UsageError("the exam has no question: a QTI test needs one")
    names = xml_names(questions)
    items: dict[str, _Packed] = {}
    for leaf, asked in questions.items():
        grading = bundle.grading.questions.get(leaf)
        made = interaction(asked.leaf, grading)
        found += [warning("export.rule", lost, question=leaf) for lost in made.lost]
        item = items[leaf] = _Packed(names[leaf], f"items/{names[leaf]}.xml", _pictures(asked))
        for picture in item.pictures:
            copy_asset(bundle, picture, package)
        _write(package / item.file, _item(asked, grading, made, item.name, bundle.exam.language))
    _write(package / "test.xml", _test(bundle, items))
    _write(package / "imsmanifest.xml", _manifest(bundle, list(items.values())))
    shutil.make_archive(str(folder / "package"), "zip", package)
    human = sum(asked.leaf.type in ("short_answer", "essay", "drawing") for asked in questions.values())
    if human:
        found.append(info("export.judged", f"{human} open questions are exported without response processing"))
    return found


def _write(file: Path, text: str) -> None:
    text = NOT_XML.sub("\ufffd", text)
    # players that make templates of items would run a paper's {{…}}: a comment between the braces, which nobody sees
    text = re.sub(r">[^<]*", lambda between: between.group().replace("{{", "{<!-- -->{"), text)
    ElementTree.fromstring(text)  # a fault of ours is found here, not in somebody's platform
    file.write_text(text, encoding="utf-8")


def _blocks(asked: Asked) -> Iterator[Block]:
    yield from asked.section.instructions
    for question in asked.ancestors:
        yield from question.prompt


def _pictures(asked: Asked) -> tuple[str, ...]:
    matching = asked.leaf.matching
    parts = [*(asked.leaf.options or []), *([*matching.left, *matching.right] if matching else [])]
    own = [*asked.leaf.prompt, *(block for part in parts for block in part.content)]
    return image_names([*_blocks(asked), *own])


def _item(asked: Asked, grading: QuestionGrading | None, made: Interaction, name: str, language: str) -> str:
    leaf = asked.leaf
    points = grading.max_points if grading else leaf.points
    least = grading.min_points if grading else 0.0
    above = xhtml(_blocks(asked), picture_address)
    stimulus = f'<div class="stimulus">{above}</div>' if above else ""
    number = f"<p>{escape(leaf.number)}</p>" if leaf.number else ""
    scored = "" if made.processing else ' external-scored="human"'
    processing = f"<qti-response-processing>{made.processing}</qti-response-processing>" if made.processing else ""
    spoken = f' xml:lang="{language}"' if _LANGUAGE.fullmatch(language) else ""
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<qti-assessment-item xmlns="{NAMESPACE}" identifier="{name}" title="{escape(leaf.number or leaf.id)}" \
adaptive="false" time-dependent="false"{spoken}>
{made.declarations}
<qti-outcome-declaration identifier="SCORE" cardinality="single" base-type="float" normal-maximum="{plain(points)}" \
normal-minimum="{plain(least)}"{scored}><qti-default-value><qti-value>0</qti-value></qti-default-value></qti-outcome-declaration>
{made.outcomes}<qti-item-body>
{stimulus}{number}{xhtml(leaf.prompt, picture_address)}
{made.body}
{made.scorer_notes}</qti-item-body>
{processing}
</qti-assessment-item>
"""


def _test(bundle: Bundle, items: dict[str, _Packed]) -> str:
    sections, name = [], xml_name(identifier(bundle))
    for n, section in enumerate(bundle.exam.sections, 1):
        references = "".join(
            f'<qti-assessment-item-ref identifier="{items[leaf.id].name}" href="{items[leaf.id].file}"/>'
            for question in section.questions
            for leaf in question.leaves()
        )
        title = escape(section.title or section.id)
        head = f'<qti-assessment-section identifier="S{n}" title="{title}" visible="true">'
        sections.append(f"{head}{references}</qti-assessment-section>")
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<qti-assessment-test xmlns="{NAMESPACE}" identifier="{name}" title="{escape(bundle.exam.title)}">
<qti-outcome-declaration identifier="SCORE" cardinality="single" base-type="float"/>
<qti-test-part identifier="P1" navigation-mode="nonlinear" submission-mode="simultaneous">
{"".join(sections)}
</qti-test-part>
<qti-outcome-processing><qti-set-outcome-value identifier="SCORE"><qti-sum><qti-test-variables \
variable-identifier="SCORE"/></qti-sum></qti-set-outcome-value></qti-outcome-processing>
</qti-assessment-test>
"""


def _manifest(bundle: Bundle, items: list[_Packed]) -> str:
    resources = []
    for item in items:
        files = "".join(f'<file href="{escape(quote(file))}"/>' for file in (item.file, *item.pictures))
        resources.append(
            f'<resource identifier="R{item.name}" type="imsqti_item_xmlv3p0" href="{item.file}">{files}</resource>'
        )
    needed = "".join(f'<dependency identifierref="R{item.name}"/>' for item in items)
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<manifest xmlns="{_PACKAGE}" identifier="M{identifier(bundle)}">
<metadata><schema>QTI Package</schema><schemaversion>3.0.0</schemaversion></metadata>
<organizations/>
<resources>
<resource identifier="TEST" type="imsqti_test_xmlv3p0" href="test.xml"><file href="test.xml"/>{needed}</resource>
{"".join(resources)}
</resources>
</manifest>
"""
