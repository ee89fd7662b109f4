"""`exam2bench export` and `import` by themselves; tests/test_exchange_tools.py asks the other tools."""

from __future__ import annotations

import csv
import json
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

from exam2bench.cli import main
from exam2bench.corpora.exchange.any_to_bench import in_common_kinds
from exam2bench.corpora.exchange.replies import ReplyScorer
from exam2bench.schemas.bundle import load_bundle
from exam2bench.schemas.validation import validate_bundle

from .allkinds import QUESTIONS, REPLIES, make_bundle, rule_points, sheet

QTI = "{http://www.imsglobal.org/xsd/imsqtiasi_v3p0}"
FORMATS = ("any-to-bench", "inspect", "lm-eval", "evalscope", "qti", "csv", "jsonl")


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    return make_bundle(tmp_path_factory.mktemp("all") / "bundle")


def export(bundle, form: str, target: Path, *more: str) -> Path:
    assert main(["export", str(bundle.root), "--to", form, "-o", str(target), *more]) == 0
    return target


def test_replies_earn_what_the_sheet_earns(bundle):
    scorer = ReplyScorer(bundle)
    scores = {name: scorer.score(name, reply) for name, reply in REPLIES.items()}
    assert {name: score.awarded for name, score in scores.items() if score.status == "scored"} == rule_points()
    assert {name for name, score in scores.items() if score.status == "ungraded"} == {"q13", "q14", "q15"}
    assert scorer.score("q1", "I cannot tell.").status in ("unparseable", "refused")
    assert scorer.score("q1", " ").awarded == 0


@pytest.mark.parametrize("form", FORMATS)
def test_an_export_is_whole_or_not_at_all(bundle, tmp_path, form, capsys):
    target = export(bundle, form, tmp_path / "out")
    assert json.loads((target / "exam2bench-export.json").read_text())["bundle_digest"] == bundle.digest()
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]
    assert main(["export", str(bundle.root), "--to", form, "-o", str(target)]) == 2
    assert "--force" in capsys.readouterr().err
    export(bundle, form, target, "--force")


def test_other_peoples_files_are_never_replaced(bundle, tmp_path, capsys):
    (tmp_path / "mine.txt").write_text("mine")
    assert main(["export", str(bundle.root), "--to", "csv", "-o", str(tmp_path), "--force"]) == 2
    assert "holds other files" in capsys.readouterr().err
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_any_to_bench_gets_common_rule_kinds_only(bundle, tmp_path):
    target = export(bundle, "any-to-bench", tmp_path / "out")
    kinds = {name: entry.rule.kind for name, entry in load_bundle(target).grading.questions.items()}
    assert {kinds[name] for name in ("q10", "q11", "q12", "q13", "q14", "q15")} == {"judge"}
    assert kinds["q9"] == "fill_in_blank"
    assert [finding for finding in validate_bundle(target) if finding.severity == "error"] == []
    enumeration = load_bundle(target).grading.questions["q12"].rule
    assert [level.points for level in enumeration.rubric[0].levels] == [2.0, 1.0, 0.0]
    parts = load_bundle(target).grading.questions["q14"].rule
    assert [(criterion.id, criterion.levels[0].points) for criterion in parts.rubric] == [("i", 2.0), ("ii.t", 1.0)]
    assert (
        "unnamed file: -1 points, at most 2 times"
        in load_bundle(target).grading.questions["q13"].rule.judge_instructions
    )


def test_rubrics_that_stand_in_for_rules_sum_to_the_points(bundle):
    common = in_common_kinds(bundle)
    for name, entry in common.grading.items():
        if entry.rule.kind == "judge" and entry.rule.rubric:
            assert sum(criterion.levels[0].points for criterion in entry.rule.rubric) == entry.max_points, name


def test_sheets_go_along_with_a_type_that_changed(bundle, tmp_path):
    (tmp_path / "s.json").write_text(json.dumps({**sheet(), "outcomes": {}, "bundle_digest": "x"}))
    target = export(bundle, "any-to-bench", tmp_path / "out", "--sheet", str(tmp_path / "s.json"))
    converted = json.loads((target / "sheets" / "s.json").read_text())
    assert converted["answers"]["q9"] == {"type": "fill_in_blank", "blanks": {"b1": "36.4"}}
    assert set(converted) == {"exam_id", "taker", "answers"}


def test_the_table_opens_in_a_spreadsheet(bundle, tmp_path):
    target = export(bundle, "csv", tmp_path / "out")
    with (target / "questions.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = {row["id"]: row for row in csv.DictReader(file)}
    assert set(rows) == set(QUESTIONS)
    assert rows["q3"]["answer"] == "A, C"
    assert rows["q1"]["prompt"].endswith("![a square](assets/p.png)")
    assert rows["q3"]["stimulus"].startswith("Answer all.")
    assert (target / "assets" / "p.png").is_file()


def test_no_cell_becomes_a_formula(tmp_path):
    text = '=HYPERLINK("x")'
    (tmp_path / "in.jsonl").write_text(json.dumps({"prompt": text, "answer": "+1", "type": "short_answer"}))
    assert main(["import", str(tmp_path / "in.jsonl"), "-o", str(tmp_path / "b")]) == 0
    target = export(load_bundle(tmp_path / "b"), "csv", tmp_path / "out")
    with (target / "questions.csv").open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["prompt"] == "'" + text
    assert row["answer"] == "'+1"
    assert main(["import", str(target / "questions.csv"), "-o", str(tmp_path / "again")]) == 0
    assert load_bundle(tmp_path / "again").exam.sections[0].questions[0].prompt[0].markdown == text


def test_json_lines_come_back_with_every_rule(bundle, tmp_path):
    target = export(bundle, "jsonl", tmp_path / "out")
    assert main(["import", str(target / "questions.jsonl"), "-o", str(tmp_path / "b"), "--language", "en"]) == 0
    again = load_bundle(tmp_path / "b")
    assert [finding for finding in validate_bundle(again.root) if finding.severity == "error"] == []
    assert {name: entry.rule for name, entry in again.grading.questions.items()} == {
        name: entry.rule for name, entry in bundle.grading.questions.items()
    }
    scorer = ReplyScorer(again)
    points = {name: scorer.score(name, REPLIES[name]).awarded for name in rule_points()}
    assert points == rule_points()
    assert again.read_asset("assets/p.png") == bundle.read_asset("assets/p.png")


def test_a_teachers_table_becomes_a_bundle(tmp_path):
    table = (
        "question;A;B;C;answer;points\nCapital of France?;Lyon;Paris;Nice;B;2\n"
        "Which are odd?;1;2;3;A, C;1\nWhy?;;;;because;3\n"
    )
    (tmp_path / "quiz.csv").write_text(table, encoding="utf-8")
    assert main(["import", str(tmp_path / "quiz.csv"), "-o", str(tmp_path / "b"), "--title", "Quiz"]) == 0
    made = load_bundle(tmp_path / "b")
    assert [(leaf.id, leaf.type, leaf.points) for leaf in made.exam.leaves()] == [
        ("q1", "single_choice", 2.0), ("q2", "multiple_choice", 1.0), ("q3", "short_answer", 3.0),
    ]  # fmt: skip
    assert made.grading.questions["q1"].rule.correct == ["B"]
    assert made.grading.questions["q2"].rule.correct == ["A", "C"]
    assert made.grading.questions["q3"].rule.reference_answer == "because"
    assert [finding for finding in validate_bundle(made.root) if finding.severity == "error"] == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"prompt": "a", "options": ["x", "y"], "answer": "Z"}', "none of the options A, B"),
        ('{"answer": "a"}', "row 1 has no question"),
        ('{"prompt": "a", "id": "q"}\n{"prompt": "b", "id": "q"}', "the id q stands twice"),
        ('{"prompt": "a", "points": "NaN"}', "is no number of points"),
        ('{"prompt": "a", "points": -1}', "is no number of points"),
        ('{"prompt": "![x](../../secret.png)"}', "picture"),
        ('{"prompt": "![x](assets/none.png)"}', "none.png"),
        ("[1]", "is no object"),
        ('{"prompt": "a"', "line 1"),
        ("", "holds no question"),
        ('{"prompt": "a", "type": "poem"}', "no question type"),
        ('{"prompt": "a", "type": "single_choice"}', "fewer than two options"),
        ('{"prompt": "a", "type": "true_false", "answer": "blue"}', "neither true nor false"),
    ],
)
def test_a_row_that_is_no_question_is_named(tmp_path, capsys, text, told):
    (tmp_path / "in.jsonl").write_text(text)
    assert main(["import", str(tmp_path / "in.jsonl"), "-o", str(tmp_path / "b")]) in (1, 2)
    error = capsys.readouterr().err
    assert told in error
    assert "Traceback" not in error
    assert not (tmp_path / "b").exists()


def test_evalscope_files_hold_every_question_once(bundle, tmp_path):
    target = export(bundle, "evalscope", tmp_path / "out")
    files = {kind.name: next(kind.glob("*.jsonl")) for kind in target.iterdir() if kind.is_dir()}
    rows = {kind: [json.loads(line) for line in file.open(encoding="utf-8")] for kind, file in files.items()}
    assert [row["id"] for row in rows["general_mcq"]] == ["q2"]
    assert rows["general_mcq"][0]["answer"] == "A"
    assert rows["general_mcq"][0]["B"] == "option ②"
    assert [row["id"] for row in rows["general_vmcq"]] == ["q1"]
    assert "<image 1>" in rows["general_vmcq"][0]["question"]
    assert rows["general_vmcq"][0]["image_1"].startswith("data:image/png;base64,")
    assert [row["id"] for row in rows["general_vqa"]] == ["q3", "q4"]
    assert sum(len(found) for found in rows.values()) == len(QUESTIONS)


def test_qti_items_are_well_formed_and_complete(bundle, tmp_path):
    target = export(bundle, "qti", tmp_path / "out")
    with zipfile.ZipFile(target / "package.zip") as package:
        names = set(package.namelist())
        manifest = ElementTree.fromstring(package.read("imsmanifest.xml"))
        items = {name: ElementTree.fromstring(package.read(f"items/{name}.xml")) for name in QUESTIONS}
    files = {element.get("href") for element in manifest.iter() if element.tag.endswith("}file")}
    assert files <= names
    assert "assets/p.png" in files
    assert {name for name, item in items.items() if item.find(f"{QTI}qti-response-processing") is None} == {
        "q10", "q11", "q12", "q13", "q14", "q15",
    }  # fmt: skip
    assert "[so](x)" in "".join(items["q2"].itertext())
    assert items["q1"].find(".//{http://www.w3.org/1998/Math/MathML}msup") is not None


def test_qti_scores_as_the_rules_do(bundle, tmp_path):
    """The items' response processing, run by the small reader below, gives the rules' points."""
    target = export(bundle, "qti", tmp_path / "out")
    scored = {}
    for name in rule_points():
        item = ElementTree.parse(target / "package" / "items" / f"{name}.xml").getroot()
        if item.find(f"{QTI}qti-response-processing") is not None:
            scored[name] = run_item(item, responses(name))
    assert scored == {name: points for name, points in rule_points().items() if name in scored}
    assert set(scored) == {"q1", "q2", "q3", "q4", "q5", "q6", "q7", "q8", "q9"}


def responses(name: str) -> dict[str, object]:
    answer = QUESTIONS[name][4]
    xml = {"①": "_2460", "②": "_2461", "③": "_2462"}
    match answer:
        case {"selected": list(several)}:
            return {"RESPONSE": several}
        case {"selected": one}:
            return {"RESPONSE": xml.get(one, one)}
        case {"value": value}:
            return {"RESPONSE": "true" if value else "false"}
        case {"blanks": blanks}:
            return {f"RESPONSE_{n}": text for n, text in enumerate(blanks.values(), 1)}
        case {"pairs": pairs}:
            return {"RESPONSE": [f"L_{left} R{right}" for left, right in pairs.items()]}
        case {"text": text}:
            return {"RESPONSE": float(text)}
    raise AssertionError(name)


def run_item(item: ElementTree.Element, given: dict[str, object]) -> float:
    """What QTI 3.0 says these few elements mean (its information model, response processing)."""
    declared = {element.get("identifier"): element for element in item.iter(f"{QTI}qti-response-declaration")}

    def correct(name):
        values = [value.text for value in declared[name].iter(f"{QTI}qti-value")]
        kind = declared[name].get("base-type")
        return [float(value) for value in values] if kind == "float" else values

    def mapped(name):
        mapping = declared[name].find(f"{QTI}qti-mapping")
        values = given[name] if isinstance(given[name], list) else [given[name]]
        total = 0.0
        for value in dict.fromkeys(values):
            entries = {
                entry.get("map-key").casefold()
                if entry.get("case-sensitive") == "false"
                else entry.get("map-key"): entry
                for entry in mapping
            }
            entry = entries.get(value, entries.get(str(value).casefold()))
            total += float(mapping.get("default-value") if entry is None else entry.get("mapped-value"))
        bound = mapping.get("lower-bound")
        return total if bound is None else max(total, float(bound))

    def value(element):
        kind, inside = element.tag.removeprefix(QTI), list(element)
        match kind:
            case "qti-variable":
                return given[element.get("identifier")]
            case "qti-correct":
                found = correct(element.get("identifier"))
                single = declared[element.get("identifier")].get("cardinality") == "single"
                return found[0] if single else found
            case "qti-map-response":
                return mapped(element.get("identifier"))
            case "qti-base-value":
                return float(element.text) if element.get("base-type") == "float" else element.text
            case "qti-multiple":
                return [value(child) for child in inside]
            case "qti-sum":
                return sum(value(child) for child in inside)
            case "qti-is-null":
                return value(inside[0]) in (None, [], "")
            case "qti-not":
                return not value(inside[0])
            case "qti-member":
                return value(inside[0]) in value(inside[1])
            case "qti-match":
                one, other = value(inside[0]), value(inside[1])
                return sorted(one) == sorted(other) if isinstance(one, list) else one == other
            case "qti-equal":
                one, other = value(inside[0]), value(inside[1])
                slack = float(element.get("tolerance", 0))
                return abs(one - other) <= (
                    slack if element.get("tolerance-mode") != "relative" else abs(other) * slack / 100
                )
        raise AssertionError(kind)

    score = 0.0
    for step in item.find(f"{QTI}qti-response-processing"):
        if step.tag == f"{QTI}qti-set-outcome-value":
            score = value(step[0])
            continue
        for branch in step:
            if value(branch[0]):
                score = value(branch[1][0])
                break
    return score


def test_a_sealed_bundle_is_not_exported(bundle, tmp_path, monkeypatch, capsys):
    from exam2bench.schemas import bundle as bundles

    monkeypatch.setattr(bundles.Bundle, "sealed", property(lambda self: True))
    assert main(["export", str(bundle.root), "--to", "csv", "-o", str(tmp_path / "out")]) == 2
    assert "is sealed" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
