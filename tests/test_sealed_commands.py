"""Every command that takes a bundle, on a sealed one: it works and writes no answer, or refuses in one sentence."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from exam2bench.cli import COMMANDS, main
from exam2bench.corpora.hub.subject import Terms, contract_files, subject
from exam2bench.models.fake_server import Ask, FakeServer
from exam2bench.schemas.bundle import load_bundle, save_bundle
from exam2bench.schemas.exam import Exam
from exam2bench.schemas.findings import warning
from exam2bench.schemas.grading import GradingSpec
from exam2bench.schemas.manifest import Manifest, Rights
from exam2bench.schemas.sealed import PASSPHRASE

from .judged import picking
from .published import contents

pytest.importorskip("cryptography")
WORD = "xyzzy"  # in every word of the key that is not a letter of an option
NUMBER = "73913"
LEVELS = [{"points": 2, "descriptor": f"{WORD} best"}, {"points": 0, "descriptor": f"{WORD} none"}]
RUBRIC = [{"id": "c1", "description": f"names {WORD} one", "levels": LEVELS}]
PART = {"id": "i", "label": "(i)", "kind": "short_answer", "reference": f"{WORD} part", "points": 2}
REFERENCE = f"The {WORD} rises. The {WORD} falls again in the evening."
RULES: dict[str, tuple[str, dict[str, Any]]] = {
    "q1": ("single_choice", {"kind": "choice", "correct": ["B"]}),
    "q2": ("short_answer", {"kind": "judge", "reference_answer": REFERENCE, "rubric": RUBRIC,
                            "judge_instructions": f"accept {WORD} only"}),
    "q3": ("fill_in_blank", {"kind": "fill_in_blank", "blanks": {"b1": {"accepted": [f"{WORD} blank"]}}}),
    "q4": ("short_answer", {"kind": "numeric", "value": float(NUMBER), "abs_tolerance": 0.5}),
    "q5": ("short_answer", {"kind": "expression", "expression": f"{NUMBER}x"}),
    "q6": ("short_answer", {"kind": "enumeration", "items": [{"accepted": [f"{WORD} item"]}]}),
    "q7": ("short_answer", {"kind": "parts", "parts": [PART]}),
    "q8": ("essay", {"kind": "judge", "reference_answer": REFERENCE + f" And {WORD} more.", "rubric": RUBRIC}),
}  # fmt: skip
ANSWERS = {
    "q1": {"type": "single_choice", "selected": "A"},
    "q3": {"type": "fill_in_blank", "blanks": {"b1": "white"}},
    **{name: {"type": "text", "text": f"the answer {name} 12"} for name in ("q2", "q4", "q5", "q6", "q7", "q8")},
}


def leaking(ask: Ask) -> Any:
    """A taker who answers 12, a writer of anchors, and a judge who repeats the key in all that it says."""
    if ask.schema is None:
        return "12"
    if "level" in json.dumps(ask.schema):
        reply = picking(lambda answer, key, levels: (levels[-1], f"{WORD} evidence"))(ask)
        return {key: {**entry, "reason": f"the key says {WORD} and {NUMBER}"} for key, entry in reply.items()}
    return dict.fromkeys(ask.schema["properties"], f"{WORD} 12")


def make_open(path: Path) -> Path:
    questions = []
    for name, (kind, _) in RULES.items():
        more: dict[str, Any] = {}
        if kind == "single_choice":
            more["options"] = [{"id": one, "content": [{"type": "text", "markdown": one}]} for one in "ABC"]
        if kind == "fill_in_blank":
            more["blanks"] = [{"id": "b1"}]
        prompt = [{"type": "text", "markdown": f"Question {name}?"}]
        questions.append({"id": name, "type": kind, "points": 2, "prompt": prompt, **more})
    sections = [{"id": "A", "questions": questions}]
    exam = {"exam_id": "ex", "title": "T", "language": "en", "total_points": 16, "sections": sections}
    entries = {name: {"question_id": name, "max_points": 2, "rule": rule} for name, (_, rule) in RULES.items()}
    grading = GradingSpec.model_validate({"exam_id": "ex", "questions": entries})
    manifest = Manifest(
        created_at="2026-01-01T00:00:00Z",
        tool_version="0",
        findings=[warning("key.doubt", f"the key reads {WORD}", "q2")],
        rights=Rights(licence="CC0-1.0"),
    )
    save_bundle(path, Exam.model_validate(exam), grading, manifest, {})
    return path


def told(folder: Path) -> dict[str, list[str]]:
    """What the files below a folder tell of the key."""
    words = (WORD, NUMBER, '"correct"')
    looked = {path: [one for one in words if one.encode() in data] for path, data in contents(folder).items()}
    return {path: found for path, found in looked.items() if found}


def run(*arguments: object) -> int:
    return main([str(argument) for argument in arguments])


# command: (arguments, exit code, what it says on stderr where it refuses); {sealed}, {out}, {sheet}, {report}, {url}
WORKS = {
    "validate": ("{sealed} --json", 0),
    "show": ("{sealed}", 0),
    "grade": ("{sealed} {sheet} --judge {url} -o {out}/r.json --json", 0),
    "regrade": ("{report} --bundle {sealed} --judge {url} -o {out}/r.json --answers {sheet} --json", 0),
    "solve": ("{sealed} --model {url} --format text -o {out}/s.json --json", 0),
    "answers": ("import {table} --bundle {sealed} -o {out}/s.json", 1),
    "bench": ("{sealed} --model {url} --format text --judge {url} -o {out}/bench --no-plots", 0),
    "compare": ("{report} {report} --bundle {sealed} --json", 0),
    "calibrate": ("{sealed} --judge {url} --per-attack 1 -o {out}/calibration --store --json", 1),
    "calibrate --rewrite-with {url}": ("{sealed} --judge {url} --no-attacks -o {out}/calibration --json", 1),
    "attack": ("{sealed} --judge {url} --per-attack 1 -o {out}/attacks.json --json", 0),
    "publish": ("{sealed} user/exams --sealed --dry-run --staging {out}/staging --json", 0),
    "eval-results": ("{report} --dataset user/exams --task ex", 0),
    "results add": ("{out}/results {report} --sheet {sheet} --json", 0),
}
REFUSES = {
    "amend": ("{sealed} {sheet} -o {out}/new", "the key is sealed and amending writes it in clear"),
    "export": ("{sealed} --to jsonl -o {out}/table", "is sealed: an export would write its key in clear"),
    "import": ("{sealed} -o {out}/new", "is sealed: importing it would write its key in clear"),
    "canary": ("add {sealed}", "is sealed: it was published, and carries its canary"),
    "publish": ("{sealed} user/exams --dry-run", "has a sealed key: publish it with --sealed, or fetch it --unsealed"),
    "results add": ("{out}/results {report} --cache {cache}", "the judges' words in the cache repeat its key"),
    "catalog": ("replies mmstar {sealed} {sheet} -o {out}/replies.jsonl", "was not imported from mmstar"),
}
# they read no bundle: papers, sheets, reports, models, records, repositories
NO_BUNDLE = {"demo", "ingest", "schema", "merge", "agreement", "fetch", "models", "score", "cache"}


def test_every_command_is_thought_of():
    asked = {name.split()[0] for name in (*WORKS, *REFUSES)}
    assert asked | NO_BUNDLE == set(COMMANDS)
    assert asked & NO_BUNDLE == set()


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Path | str]]:
    """What the commands are given: a sealed copy, its passphrase in the environment; a sheet; a report that a leaking
    judge has graded, and that judge's cache."""
    folder = tmp_path_factory.mktemp("sealed")
    with pytest.MonkeyPatch.context() as patch, FakeServer(leaking) as server:
        patch.setenv(PASSPHRASE, "open-sesame")
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        found: dict[str, Path | str] = {
            "sealed": folder / "sealed",
            "sheet": folder / "sheet.json",
            "report": folder / "report" / "r.json",
            "table": folder / "table.csv",
            "cache": folder / "cache.jsonl",
            "url": f"openai:j@{server.url}/v1",
        }
        sealed = Path(found["sealed"])
        sealed.mkdir()
        closed = contract_files(subject(make_open(folder / "open"), "ex", Terms(sealed=True)), "open-sesame")
        for name, data in closed.items():
            (sealed / name).write_bytes(data)
        Path(found["sheet"]).write_text(json.dumps({"exam_id": "ex", "taker": "T", "answers": ANSWERS}))
        Path(found["table"]).write_text("question,answer\nq1,A\nq4,12\n")
        assert run("grade", sealed, found["sheet"], "--judge", found["url"], "-o", found["report"]) == 0
        assert run("cache", "export", found["cache"]) == 0
        yield found


@pytest.fixture
def places(ready: dict[str, Path | str], tmp_path: Path, capsys: Any) -> dict[str, Path | str]:
    shutil.copytree(ready["sealed"], tmp_path / "sealed")
    (tmp_path / "out").mkdir()
    capsys.readouterr()
    return {**ready, "sealed": tmp_path / "sealed", "out": tmp_path / "out"}


def test_a_report_is_marked_and_the_cache_lies_in_clear(ready):
    """What the other tests rest on: the key is closed, and the judge did say it."""
    sealed, report = Path(ready["sealed"]), Path(ready["report"])
    assert load_bundle(sealed).sealed
    assert told(sealed) == {}
    assert told(report.parent) == {}
    assert json.loads(report.read_text())["sealed"] is True
    assert WORD in Path(ready["cache"]).read_text()


def call(command: str, arguments: str, places: dict[str, Path | str]) -> int:
    return run(*(word.format(**places) for word in f"{command} {arguments}".split()))


@pytest.mark.parametrize("command", WORKS)
def test_it_works_and_tells_no_answer(command, places, capsys):
    arguments, code = WORKS[command]
    assert call(command, arguments, places) == code
    said = capsys.readouterr()
    assert WORD not in said.out + said.err
    assert NUMBER not in said.out + said.err
    assert told(Path(places["out"])) == {}
    assert told(Path(places["sealed"])) == {}


@pytest.mark.parametrize("command", REFUSES)
def test_it_refuses_in_one_sentence(command, ready, places, capsys):
    arguments, sentence = REFUSES[command]
    assert call(command, arguments, places) == (1 if command == "catalog" else 2)
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1
    assert not list(Path(places["out"]).rglob("*.json*"))
    assert contents(Path(places["sealed"])) == contents(Path(ready["sealed"]))


def test_who_asks_for_the_key_is_shown_it(places, capsys):
    assert run("show", places["sealed"], "--key") == 0
    assert REFERENCE in capsys.readouterr().out
