"""To QTI 3: a content package of items and a test that learning platforms import.

Rules become response processing that gives the same points wherever QTI can say them; open questions are marked
for human scoring. Source: 1EdTech, QTI 3.0 Assessment, Section, and Item Information Model, and its XML binding.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from html import escape
from pathlib import Path
from xml.etree import ElementTree

from ...models.paper_parts import Asked, locate
from ...schemas.bundle import Bundle
from ...schemas.content import Block
from ...schemas.findings import Finding, info, warning
from ...schemas.grading import QuestionGrading
from .folder import copy_asset, identifier
from .markup import xhtml
from .qti_interactions import Interaction, interaction, picture_address, xml_name
from .rows import image_names

NAMESPACE = "http://www.imsglobal.org/xsd/imsqtiasi_v3p0"
_PACKAGE = "http://www.imsglobal.org/xsd/qti/qtiv3p0/imscp_v1p1"


def export(bundle: Bundle, folder: Path) -> list[Finding]:
    """`imsmanifest.xml`, `test.xml`, `items/*.xml`, `assets/` and, of all that, `package.zip`."""
    package = folder / "package"
    (package / "items").mkdir(parents=True)
    found: list[Finding] = []
    items: dict[str, tuple[str, tuple[str, ...]]] = {}
    for name, asked in locate(bundle.exam).items():
        grading = bundle.grading.questions.get(name)
        made = interaction(asked.leaf, grading)
        found += [warning("export.rule", lost, question=name) for lost in made.lost]
        pictures = _pictures(asked)
        for picture in pictures:
            copy_asset(bundle, picture, package)
        file = f"items/{xml_name(name)}.xml"
        _write(package / file, _item(asked, grading, made, bundle.exam.language))
        items[name] = (file, pictures)
    _write(package / "test.xml", _test(bundle, items))
    _write(package / "imsmanifest.xml", _manifest(bundle, items))
    shutil.make_archive(str(folder / "package"), "zip", package)
    human = sum(asked.leaf.type in ("short_answer", "essay", "drawing") for asked in locate(bundle.exam).values())
    if human:
        found.append(info("export.judged", f"{human} open questions are exported without response processing"))
    return found


def _write(file: Path, text: str) -> None:
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


def _item(asked: Asked, grading: QuestionGrading | None, made: Interaction, language: str) -> str:
    leaf = asked.leaf
    points = grading.max_points if grading else leaf.points
    least = grading.min_points if grading else 0.0
    above = xhtml(_blocks(asked), picture_address)
    stimulus = f'<div class="stimulus">{above}</div>' if above else ""
    number = f"<p>{escape(leaf.number)}</p>" if leaf.number else ""
    scored = "" if made.processing else ' external-scored="human"'
    processing = f"<qti-response-processing>{made.processing}</qti-response-processing>" if made.processing else ""
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<qti-assessment-item xmlns="{NAMESPACE}" identifier="{xml_name(leaf.id)}" title="{escape(leaf.number or leaf.id)}" \
adaptive="false" time-dependent="false" xml:lang="{escape(language)}">
{made.declarations}
<qti-outcome-declaration identifier="SCORE" cardinality="single" base-type="float" normal-maximum="{points:g}" \
normal-minimum="{least:g}"{scored}><qti-default-value><qti-value>0</qti-value></qti-default-value></qti-outcome-declaration>
{made.outcomes}<qti-item-body>
{stimulus}{number}{xhtml(leaf.prompt, picture_address)}
{made.body}
{made.scorer_notes}</qti-item-body>
{processing}
</qti-assessment-item>
"""


def _test(bundle: Bundle, items: dict[str, tuple[str, tuple[str, ...]]]) -> str:
    sections = []
    for n, section in enumerate(bundle.exam.sections, 1):
        references = "".join(
            f'<qti-assessment-item-ref identifier="{xml_name(leaf.id)}" href="{items[leaf.id][0]}"/>'
            for question in section.questions
            for leaf in question.leaves()
        )
        title = escape(section.title or section.id)
        head = f'<qti-assessment-section identifier="S{n}" title="{title}" visible="true">'
        sections.append(f"{head}{references}</qti-assessment-section>")
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<qti-assessment-test xmlns="{NAMESPACE}" identifier="{identifier(bundle)}" title="{escape(bundle.exam.title)}">
<qti-outcome-declaration identifier="SCORE" cardinality="single" base-type="float"/>
<qti-test-part identifier="P1" navigation-mode="nonlinear" submission-mode="simultaneous">
{"".join(sections)}
</qti-test-part>
<qti-outcome-processing><qti-set-outcome-value identifier="SCORE"><qti-sum><qti-test-variables \
variable-identifier="SCORE"/></qti-sum></qti-set-outcome-value></qti-outcome-processing>
</qti-assessment-test>
"""


def _manifest(bundle: Bundle, items: dict[str, tuple[str, tuple[str, ...]]]) -> str:
    resources = []
    for name, (file, pictures) in items.items():
        files = "".join(f'<file href="{escape(asset)}"/>' for asset in (file, *pictures))
        resources.append(
            f'<resource identifier="R{xml_name(name)}" type="imsqti_item_xmlv3p0" href="{file}">{files}</resource>'
        )
    needed = "".join(f'<dependency identifierref="R{xml_name(name)}"/>' for name in items)
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<manifest xmlns="{_PACKAGE}" identifier="M{identifier(bundle)}">
<metadata><schema>QTI Package</schema><schemaversion>3.0.0</schemaversion></metadata>
<organizations/>
<resources>
<resource identifier="RTEST" type="imsqti_test_xmlv3p0" href="test.xml"><file href="test.xml"/>{needed}</resource>
{"".join(resources)}
</resources>
</manifest>
"""
