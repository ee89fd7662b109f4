"""The published judge study, to the digits printed, and small tables worked out by hand."""

import csv
import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from exam2bench.grade.agreement import Options, agreement_cards, as_json, panel_distance
from exam2bench.grade.reliability import (
    cluster_bootstrap_icc,
    icc_2_1,
    leave_one_out,
    leniency,
    panel_curve,
    variance_shares,
    within_sd,
)
from exam2bench.grade.verdict_table import Verdict, read_verdicts, score_table
from exam2bench.schemas.errors import UsageError

STUDY = Path(__file__).parents[1].parent / "shared" / "study"
needs_study = pytest.mark.skipif(not STUDY.is_dir(), reason="the judge study is not on this machine")


def test_icc_by_hand():
    """Rows 1-3, columns differ by 1: MSR = 2, MSC = 1.5, MSE = 0, ICC = 2 / (2 + 2 * 1.5 / 3)."""
    assert icc_2_1(np.array([[1.0, 2], [2, 3], [3, 4]])) == pytest.approx(2 / 3)
    assert math.isnan(icc_2_1(np.array([[1.0, 1, 1]])))


def test_variance_shares_by_hand():
    """The same table: answers (2 - 0) / 2 = 1, judges 1.5 / 3 = 0.5, residual 0."""
    shares = variance_shares(np.array([[1.0, 2], [2, 3], [3, 4]]))
    assert shares is not None
    assert (shares.answer, shares.judge, shares.residual) == pytest.approx((2 / 3, 1 / 3, 0))


def test_leniency_and_distance():
    table = np.array([[0.0, 1.0, 0.5], [0.5, 0.5, 0.5]])
    assert leniency(table) == pytest.approx([-0.25, 0.25, 0.0])
    assert leave_one_out(table) == pytest.approx([0.375, 0.375, 0.0])


def test_within_sd_is_the_population_form():
    assert within_sd(np.array([[0.0, 1.0], [1.0, 1.0]])) == pytest.approx(math.sqrt(0.125))
    assert math.isnan(within_sd(np.array([[0.5]])))


def test_a_panel_of_all_but_one():
    assert panel_curve(np.array([[0.0, 1.0]])) == [(1, 0.5)]


def test_bootstrap_is_repeatable():
    table = np.random.default_rng(3).random((12, 3))
    clusters = [n // 3 for n in range(12)]
    assert cluster_bootstrap_icc(table, clusters, resamples=200) == cluster_bootstrap_icc(
        table, clusters, resamples=200
    )
    assert all(math.isnan(x) for x in cluster_bootstrap_icc(table, [0] * 12, resamples=10))


@pytest.fixture(scope="module")
def cards():
    missing = json.loads((STUDY / "anchor-notes.json").read_text())["reference_missing_for"]
    verdicts = read_verdicts([STUDY / "verdicts.csv"])
    return {
        card.condition: card for card in agreement_cards(verdicts, Options(10_000, no_reference=frozenset(missing)))
    }


@needs_study
def test_published_reliability(cards):
    main = cards["rubric"]
    assert (main.answers, main.questions, main.repeats) == (144, 24, 3)
    assert round(main.icc_single, 3) == 0.922
    assert round(main.icc_passes, 3) == 0.956
    # the published interval 0.815-0.966 is a bootstrap too: another seed moves its ends by about 0.01
    assert main.icc_interval == pytest.approx((0.815, 0.966), abs=0.005)
    assert main.shares is not None
    shares = (main.shares.answer, main.shares.judge, main.shares.residual)
    assert [round(100 * share, 1) for share in shares] == [95.6, 0.2, 4.3]


@needs_study
def test_published_low_effort_panel():
    low = {"claude-low", "codex-low"}
    written = [
        v for v in read_verdicts([STUDY / "verdicts.csv"]) if v.condition == "rubric" and v.sheet.startswith("writer")
    ]
    cheap = [v for v in written if v.judge in low]
    assert round(icc_2_1(score_table(cheap).shares), 3) == 0.932
    assert round(icc_2_1(score_table(cheap, passes=[1]).shares), 3) == 0.913
    mean, largest = panel_distance(score_table(written), ["claude-low", "codex-low"], ["claude-high", "codex-high"])
    assert (round(mean, 3), round(largest, 3)) == (0.019, 0.167)


@needs_study
def test_published_writers_judges_and_anchors(cards):
    main = cards["rubric"]
    assert {sheet: round(mean, 3) for sheet, mean in main.sheets.items()} == {
        "writer-codex-low": 0.790,
        "writer-codex-medium": 0.879,
        "writer-codex-high": 0.934,
        "writer-claude-low": 0.873,
        "writer-claude-medium": 0.873,
        "writer-claude-high": 0.879,
    }
    judges = {card.judge: card for card in main.judge_cards}
    assert round(judges["codex-high"].mean - judges["codex-low"].mean, 3) == 0.001
    assert round(judges["claude-high"].mean - judges["claude-low"].mean, 3) == 0.004
    spread = [judges[name].within_sd for name in ("codex-low", "codex-high", "claude-low", "claude-high")]
    assert [round(value or 0, 3) for value in spread] == [0.080, 0.038, 0.038, 0.026]
    empty, reference = main.anchors
    assert (empty.exactly_zero, empty.verdicts) == (432, 432)
    assert (round(reference.mean, 3), reference.full_credit, reference.verdicts) == (0.990, 285, 288)
    assert (main.snapped, main.verdicts) == (1, 3456)


@needs_study
def test_all_four_conditions(cards):
    assert {name: round(card.icc_single, 3) for name, card in cards.items()} == {
        "rubric": 0.922,
        "key_only": 0.888,
        "nothing": 0.628,
        "frontier": 0.889,
    }


@needs_study
def test_reports_are_read_as_verdicts():
    files = sorted((STUDY / "reports").glob("writer-codex-low*.json"))
    verdicts = read_verdicts(files)
    assert len(verdicts) == 48
    assert len({v.judge for v in verdicts}) == 2


def test_a_report_without_judges_is_no_silent_zero(tmp_path):
    table = tmp_path / "verdicts.csv"
    table.write_text("question,sheet,judge,points,max_points\n")
    with pytest.raises(UsageError, match="no judge's verdict"):
        read_verdicts([table])


@pytest.mark.parametrize("row, says", [("q,s,j,nan,1", "no score"), ("q,s,j,1,0", "no score"), ("q,s,j,x,1", "line 2")])
def test_bad_rows_name_the_line(tmp_path, row, says):
    table = tmp_path / "verdicts.csv"
    table.write_text(f"question,sheet,judge,points,max_points\n{row}\n")
    with pytest.raises(UsageError, match=says):
        read_verdicts([table])


def test_length_and_own_family():
    """Judge a.x adds a tenth to its own family's sheets: a.s is read 0.1 above judge b, b.s equally."""
    verdicts = []
    for n in range(12):
        for sheet, extra in (("a.s", 0.1), ("b.s", 0.0)):
            base = n / 20
            verdicts.append(Verdict(f"q{n}", sheet, "a.x", 1, base + extra, 1))
            verdicts.append(Verdict(f"q{n}", sheet, "b.x", 1, base, 1))
    families = {"a.x": "a", "b.x": "b", "a.s": "a", "b.s": "b"}
    lengths = {(f"q{n}", sheet): 100 + n + 500 * (sheet == "a.s") for n in range(12) for sheet in ("a.s", "b.s")}
    (card,) = agreement_cards(verdicts, Options(100, lengths=lengths, families=families))
    first = card.judge_cards[0]
    assert first.own_family == pytest.approx(0.1)
    assert first.length_effect == pytest.approx(math.sqrt(0.75), abs=0.01)
    json.dumps(as_json([card]), allow_nan=False)


def test_the_command_writes_json_and_plots(tmp_path):
    pytest.importorskip("matplotlib")
    table = tmp_path / "verdicts.csv"
    with table.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["question", "sheet", "judge", "points", "max_points"])
        for n in range(6):
            for judge in ("strict", "mild"):
                writer.writerow([f"q{n}", "s", judge, n / 2 + (judge == "mild") * 0.5, 4])
    call = [sys.executable, "-m", "exam2bench.cli", "agreement", str(table), "--json", "--resamples", "100"]
    run = subprocess.run([*call, "-o", str(tmp_path / "out")], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    card = json.loads(run.stdout)["conditions"][0]
    assert card["judge_cards"][0]["leniency"] == pytest.approx(0.0625)
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"agreement.json", "reliability.png", "reliability.svg", "leniency-all.png", "panel-all.svg"} <= names
