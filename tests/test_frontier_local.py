"""A real small model without eyes goes the whole way, from the command to the bundle (`make test-local`).

135 million parameters read nothing of worth, and hardly ever end a reply: what is shown here is that every call has its
outcome and that each failed window ends in the layout engine's exam. Reading three prompts of 1,750 to 2,600 tokens is
nearly all of the time, some 30 processor seconds each; the replies are cut at 100 tokens. The questions share a text,
so that a reply which was cut is not asked for again in halves: that way is tested with replies written by hand.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from exam2bench.cli import main
from exam2bench.ingest.frontier import limits
from exam2bench.models import weights
from exam2bench.schemas.bundle import Bundle, load_bundle
from exam2bench.schemas.exam_checks import every_question
from exam2bench.schemas.grading import ChoiceRule
from exam2bench.schemas.validation import validate_bundle

from .typeset import typeset

PATH = weights.weights_path(weights.PINNED["smollm2"])
pytestmark = [
    pytest.mark.local,
    pytest.mark.skipif(not PATH.exists(), reason="exam2bench models pull smollm2"),
]

PAPER = """<h2>Capitals of Europe</h2>
<p>Read the following passage and answer questions 1 to 3.</p>
<p>The Tiber and the Seine are two long rivers, and each of them runs through the capital of its country.</p>
<p>1. What is the capital of Italy?</p><p>(A) Rome</p><p>(B) Paris</p><p>(C) Oslo</p>
<p>2. What is the capital of France?</p><p>(A) Rome</p><p>(B) Paris</p><p>(C) Oslo</p>
<p>3. Which of the rivers is in Italy?</p><p>(A) Tiber</p><p>(B) Seine</p><p>(C) both</p>"""
KEY = "<h2>Answer key</h2><p>1. A</p><p>2. B</p><p>3. A</p>"


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """(bundle, exit code)."""
    pytest.importorskip("xllamacpp")
    folder = tmp_path_factory.mktemp("local")
    sources = [typeset(folder / "paper.pdf", PAPER), typeset(folder / "key.pdf", KEY)]
    flags = ["-o", folder / "bundle", "--model", "llama:smollm2", "--cache", folder / "calls.sqlite"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "EMBEDDED", replace(limits.EMBEDDED, reply_tokens=100))
        code = main(["ingest", *map(str, [*sources, *flags])])
    return folder / "bundle", code


@pytest.fixture(scope="module")
def bundle(done: tuple[Path, int]) -> Bundle:
    return load_bundle(done[0])


def test_the_bundle_keeps_the_contract(done: tuple[Path, int], bundle: Bundle) -> None:
    path, code = done
    assert [finding for finding in validate_bundle(path) if finding.severity != "info"] == []
    errors = [finding for finding in bundle.manifest.findings if finding.severity == "error"]
    assert code == (1 if errors else 0)
    assert bundle.manifest.ingest_model == "llama:smollm2"


def test_every_call_has_its_outcome_and_every_failure_is_said(bundle: Bundle) -> None:
    reading = bundle.manifest.reading
    assert reading is not None
    assert {window["pass"] for window in reading.windows} == {"inventory", "questions", "answers"}
    assert {window["status"] for window in reading.windows} <= {"ok", "refused", "truncated", "unparseable"}
    failed = [w["window"] for w in reading.windows if w["status"] != "ok" and "asked_again" not in w]
    said = [f.message for f in bundle.manifest.findings if f.code in ("window.failed", "window.refused")]
    assert len(said) == len(failed)
    assert all(any(name in message for message in said) for name in failed)


def test_what_the_model_did_not_read_comes_from_the_layout_engine(bundle: Bundle) -> None:
    assert [leaf.number for leaf in bundle.exam.leaves()] == ["1.", "2.", "3."]
    rules = [bundle.grading.questions[leaf.id].rule for leaf in bundle.exam.leaves()]
    assert [rule.correct for rule in rules if isinstance(rule, ChoiceRule)] == [["A"], ["B"], ["A"]]
    reading = bundle.manifest.reading
    assert reading is not None
    if all(window["status"] != "ok" for window in reading.windows if window["pass"] == "questions"):
        origins = {origin.witness for told in reading.origins.values() for origin in told.values()}
        assert origins == {"layout"}
        assert {q.checks.status for q in every_question(bundle.exam) if q.checks} == {"verified"}


def test_the_tables_of_the_manifest_add_up(bundle: Bundle) -> None:
    reading, usage = bundle.manifest.reading, bundle.manifest.usage
    assert reading is not None and usage is not None
    ((model, stages),) = reading.stages.items()
    assert model == "llama:smollm2"
    assert sum(stage["calls"] for stage in stages.values()) == usage["calls"] >= 3
    for ours, theirs in (("tokens_in", "input"), ("tokens_out", "output")):
        assert sum(stage[ours] for stage in stages.values()) == usage["tokens"][theirs] > 0
        listed = [window[ours] for window in reading.windows]
        assert sum(listed) == sum(stages[name][ours] for name in ("inventory", "questions", "answers"))
    assert [stage["cost_usd"] for stage in stages.values()] == [0.0] * len(stages)
    assert all(stage["seconds"] > 0 for stage in stages.values())
    assert json.loads(bundle.manifest.model_dump_json())["reading"]["prompts"].keys() == reading.prompts.keys()
