"""QTI 3 by its published definitions: every document that `export --to qti` writes fits the tables of tests/qti3."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
from latex2mathml import commands

from exam2bench.cli import main
from exam2bench.corpora.exchange.mathml import mathml
from exam2bench.schemas.bundle import save_bundle
from exam2bench.schemas.exam import Exam
from exam2bench.schemas.grading import GradingSpec
from exam2bench.schemas.manifest import Manifest

from .allkinds import make_bundle
from .qti3.hard import hard_bundle
from .qti3.model import ASI, FORMULA, MATH
from .qti3.validator import _element, binding_faults, faults

SAMPLES = Path(__file__).resolve().parents[1] / "corpora" / "samples"
QTI = f"{{{ASI}}}"


def package(bundle: Path, target: Path) -> dict[str, ElementTree.Element]:
    """The exported package's XML documents by name; its manifest lists every file and no picture is missing."""
    assert main(["export", str(bundle), "--to", "qti", "-o", str(target)]) == 0
    with zipfile.ZipFile(target / "package.zip") as zipped:
        names = {name for name in zipped.namelist() if not name.endswith("/")}
        documents = {name: ElementTree.fromstring(zipped.read(name)) for name in names if name.endswith(".xml")}
    listed = {
        unquote(node.get("href", "")) for node in documents["imsmanifest.xml"].iter() if node.tag.endswith("}file")
    }
    assert listed == names - {"imsmanifest.xml"}
    referenced = {
        unquote(node.get("src", "")) for document in documents.values() for node in document.iter(f"{QTI}img")
    }
    assert {name.removeprefix("../") for name in referenced} <= names
    return documents


def assert_valid(documents: dict[str, ElementTree.Element]) -> None:
    for name, document in documents.items():
        assert faults(document) == [], name
        if document.tag == f"{QTI}qti-assessment-item":
            assert binding_faults(document) == [], name


def test_every_kind_of_question_is_valid(tmp_path):
    documents = package(make_bundle(tmp_path / "bundle").root, tmp_path / "out")
    assert len(documents) == 17
    assert_valid(documents)


def test_the_sample_exam_is_valid(tmp_path):
    papers = [str(SAMPLES / name) for name in ("paper.pdf", "key.pdf", "markscheme.pdf")]
    assert main(["ingest", *papers, "-o", str(tmp_path / "bundle")]) == 0
    documents = package(tmp_path / "bundle", tmp_path / "out")
    assert len(documents) == 34
    assert_valid(documents)


@pytest.fixture(scope="module")
def hard(tmp_path_factory) -> dict[str, ElementTree.Element]:
    folder = tmp_path_factory.mktemp("hard")
    return package(hard_bundle(folder / "bundle").root, folder / "out")


def test_hostile_texts_and_thin_keys_are_valid(hard):
    assert len(hard) == 17
    assert_valid(hard)


def test_no_text_brings_markup_of_its_own(hard):
    item = hard["items/tf.xml"]
    own = {node.tag.rpartition("}")[2] for node in item.iter()}
    assert not own & {"script", "a", "b", "style", "iframe"}
    attributes = {name for node in item.iter() for name in node.attrib}
    assert not attributes & {"style", "href", "onerror", "border-color", "start"}
    said = "".join(item.itertext())
    assert "<script>alert(1)</script>" in said
    assert "<b>x</b>" in said
    assert "\\newcommand{\\a}{\\b\\b}\\a" in said


def test_lists_keep_the_numbers_of_the_paper(hard):
    said = [" ".join("".join(node.itertext()).split()) for node in hard["items/tf.xml"].iter(f"{QTI}div")]
    assert "3. three" in said
    assert "7) deeper" in said
    assert any(text.startswith("2019. It was a year. {{ 7 * 7 }}") for text in said)
    assert "1. first 3. third" in said
    assert [len(node) for node in hard["items/tf.xml"].iter(f"{QTI}ol")] == [2, 2]  # one, two: in section and question


def test_cells_keep_their_bars_and_breaks(hard):
    table = next(node for node in hard["items/tf.xml"].iter(f"{QTI}table") if node.find(f"{QTI}caption") is not None)
    heads = ["".join(node.itertext()) for node in table.iter(f"{QTI}th")]
    assert heads == ["a|b", "<c>"]
    assert [len(row) for row in table.find(f"{QTI}tbody")] == [2, 1]
    assert table.find(f"{QTI}tbody/{QTI}tr/{QTI}td/{QTI}br") is not None


def test_names_that_would_fall_together_stay_apart(hard):
    choices = [node.get("identifier") for node in hard["items/TEST.xml"].iter(f"{QTI}qti-simple-choice")]
    assert choices == ["_1", "_1.2", "_2460", "a", "A.2", "b_20c"]
    assert {"items/_1.xml", "items/_1.2.xml", "items/q_20a.xml", "items/Q_20a.2.xml"} <= set(hard)


def test_a_mapping_says_whether_capitals_count(hard):
    entries = list(hard["items/b3.xml"].iter(f"{QTI}qti-map-entry"))
    assert {entry.get("case-sensitive") for entry in entries} == {"true"}


def test_an_exam_without_questions_is_no_test(tmp_path, capsys):
    exam = Exam.model_validate({"exam_id": "e", "title": "E", "total_points": 0, "sections": []})
    manifest = Manifest(created_at="2026-01-01T00:00:00Z", tool_version="0")
    save_bundle(tmp_path / "b", exam, GradingSpec(exam_id="e", questions={}), manifest, {})
    assert main(["export", str(tmp_path / "b"), "--to", "qti", "-o", str(tmp_path / "out")]) == 2
    assert "has no question" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_whatever_latex_says_is_mathml_or_stays_latex():
    """Every command that the converter knows, with arguments that fit and that do not."""
    words = {word for word in vars(commands).values() if isinstance(word, str) and word.startswith("\\")}
    words |= {word for word in commands.CONVERSION_MAP if word.startswith("\\")}
    made = 0
    for word in sorted(words):
        for form in ("{} x", "{}{{red}}{{b}}", "x^{{{}[3 em]{{b}}}}"):
            markup = mathml(form.format(word), display=True)
            if markup is not None:
                made += 1
                assert list(_element(ElementTree.fromstring(markup), FORMULA, [], [])) == [], form.format(word)
    assert made > 600


# the validator finds what is wrong: a small item, broken in one place

ITEM = f"""<qti-assessment-item xmlns="{ASI}" identifier="q1" title="1." time-dependent="false">
<qti-response-declaration identifier="R" cardinality="single" base-type="identifier"><qti-correct-response>
<qti-value>A</qti-value></qti-correct-response></qti-response-declaration>
<qti-outcome-declaration identifier="SCORE" cardinality="single" base-type="float"/>
<qti-item-body><p>Why <em>so</em>? <math xmlns="{MATH}"><mfrac><mn>1</mn><mn>2</mn></mfrac></math></p>
<table><tbody><tr><td>1</td></tr></tbody></table>
<qti-choice-interaction response-identifier="R" max-choices="1"><qti-simple-choice identifier="A">a</qti-simple-choice>
<qti-simple-choice identifier="B"><img src="b.png" alt=""/></qti-simple-choice></qti-choice-interaction></qti-item-body>
<qti-response-processing><qti-response-condition><qti-response-if><qti-match><qti-variable identifier="R"/>
<qti-correct identifier="R"/></qti-match><qti-set-outcome-value identifier="SCORE"><qti-base-value base-type="float">1\
</qti-base-value></qti-set-outcome-value></qti-response-if></qti-response-condition></qti-response-processing>
</qti-assessment-item>"""
BROKEN = [
    (' title="1."', "", "title is missing"),
    (' time-dependent="false"', "", "time-dependent is missing"),
    ('identifier="q1"', 'identifier="1 q"', "is no NCName"),
    ('cardinality="single" base-type="identifier"', 'cardinality="one" base-type="identifier"', "cardinality='one'"),
    ('base-type="float"', 'base-type="decimal"', "base-type='decimal'"),
    ("<qti-value>A</qti-value>", "", "(none) are not qti-value+"),
    ("<p>Why", '<p style="color:red">Why', "no attribute style"),
    ("<p>Why", "<p><div/>Why", "p: its children div em math"),
    ("<p>Why", "<ol start='3'><li>x</li></ol><p>Why", "no attribute start"),
    ("<p>Why", "bare text<p>Why", "characters between its children"),
    ("<p>Why", "<em>bare</em><p>Why", "its children em p"),
    ("<p>Why", "<script>x</script><p>Why", "its children script"),
    ("<mn>2</mn>", "", "mfrac: its children mn are not @tex{2}"),
    ("<mn>1</mn>", '<mn border-color="red">1</mn>', "no attribute border-color"),
    ("<mn>1</mn>", f'<b xmlns="{ASI}">1</b>', "another namespace"),
    ("<td>1</td>", "", "(none) are not (td | th)+"),
    ("<tbody><tr>", "<tbody><tr/></tbody><thead><tr><th/></tr></thead><tbody><tr>", "tbody thead tbody"),
    (' alt=""', "", "alt is missing"),
    ('src="b.png"', 'src="b c.png"', "is no uri"),
    ('alt=""/>', 'alt=""> </img>', "has to be empty"),
    ('max-choices="1"', 'max-choices="-1"', "is no nonNegativeInteger"),
    ("</qti-item-body>", "<qti-response-processing/></qti-item-body>", "qti-item-body: its children"),
    ('<qti-correct identifier="R"/>', "", "are not @expression{2}"),
    ("<qti-item-body>", '<qti-item-body id="R">', "the ID R stands 2 times"),
    ("<qti-item-body>", "<qti-stylesheet/><qti-outcome-declaration/><qti-item-body>", "are not qti-context-decl"),
    ("</qti-simple-choice></qti-choice-interaction>", "</qti-simple-choice><qti-prompt/></qti-choice-interaction>",
     "qti-prompt"),
]  # fmt: skip


def test_the_small_item_is_valid():
    document = ElementTree.fromstring(ITEM)
    assert faults(document) == []
    assert binding_faults(document) == []


@pytest.mark.parametrize(("old", "new", "told"), BROKEN, ids=[told for _, _, told in BROKEN])
def test_a_broken_item_is_told(old, new, told):
    assert old in ITEM
    found = faults(ElementTree.fromstring(ITEM.replace(old, new, 1)))
    assert any(told in fault for fault in found), found


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('response-identifier="R"', 'response-identifier="S"', "S is not declared"),
        ('max-choices="1"', 'max-choices="2"', "a single choice of several"),
        ('base-type="identifier"', 'base-type="string"', "cannot have a single string"),
        ("<qti-value>A<", "<qti-value>C<", "'C' is none of the choices"),
    ],
)
def test_a_response_that_is_bound_wrongly_is_told(old, new, told):
    assert any(told in fault for fault in binding_faults(ElementTree.fromstring(ITEM.replace(old, new, 1))))


def test_a_broken_package_is_told(hard):
    manifest = ElementTree.tostring(hard["imsmanifest.xml"], encoding="unicode")
    for old, new, told in (
        ("QTI Package", "Package", "none of its words"),
        ('identifierref="R', 'identifierref="X', "no ID X"),
        ("imsqti_item_xmlv3p0", "imsqti_item_xmlv2p2", "is no (imsqti_test"),
    ):
        found = faults(ElementTree.fromstring(manifest.replace(old, new, 1)))
        assert any(told in fault for fault in found), (told, found)


def test_a_broken_test_is_told(hard):
    test = ElementTree.tostring(hard["test.xml"], encoding="unicode")
    for old, new, told in (
        (' submission-mode="simultaneous"', "", "submission-mode is missing"),
        (' visible="true"', "", "visible is missing"),
        ("TEST.xml", "TE ST.xml", "is no uri"),
    ):
        found = faults(ElementTree.fromstring(test.replace(old, new, 1)))
        assert any(told in fault for fault in found), (told, found)


def test_the_findings_say_what_was_lost(tmp_path, capsys):
    hard_bundle(tmp_path / "b")
    capsys.readouterr()
    assert main(["export", str(tmp_path / "b"), "--to", "qti", "-o", str(tmp_path / "out"), "--json"]) == 0
    lost = {
        finding["where"]["question"]
        for finding in json.loads(capsys.readouterr().out)["findings"]
        if "no key" in finding["message"]
    }
    assert lost == {"1", "q a", "m2", "b1", "b2"}
