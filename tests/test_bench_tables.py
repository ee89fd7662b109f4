"""A hand-made bench: its statistics worked out by hand, its table to the letter, its plots in every script."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import pytest
from scipy import stats

from exam2bench.corpora.bench.assembly import Run, put_together
from exam2bench.corpora.bench.command import write_tables
from exam2bench.corpora.bench.folder import inside, slugs
from exam2bench.corpora.bench.grid import Grid, columns, csv_text, shortened
from exam2bench.corpora.bench.plots import pareto, write_plots
from exam2bench.corpora.bench.record import Bench, ExamEntry, QuestionEntry, RunEntry, Settings
from exam2bench.corpora.bench.scores import Facts, Marks
from exam2bench.corpora.bench.tables import short_names, text
from exam2bench.schemas.errors import BundleError
from exam2bench.schemas.json_files import read_record
from exam2bench.schemas.report import Lost

# twelve questions in six groups of two, right or wrong
RIGHT = {
    "强": "111111 111110", "عربي": "111111 111000", "средний": "110110 110110", "हिन्दी": "100100 000000",
}  # fmt: skip


def entries(parts: tuple[int, int]) -> dict[str, QuestionEntry]:
    return {
        f"q{n}": QuestionEntry(
            digest=str(n), type="single_choice" if n < parts[0] else "fill_in_blank",
            section="第一部分" if n < parts[1] else "القسم ب", group=f"g{n // 2}", max_points=1, decided_by="rule",
        )
        for n in range(12)
    }  # fmt: skip


def made(right: dict[str, str], repeats: int = 1, cost: float | None = 0.1, parts: tuple[int, int] = (6, 8)) -> Bench:
    """`right`: a row of 0 and 1 per model, the same in every sitting but for question 0, which alternates. `parts`: how
    many questions are of the first type and stand in the first section."""
    runs = []
    for place, (model, row) in enumerate(right.items()):
        points = [float(sign) for sign in row if sign in "01"]
        for repeat in range(repeats):
            given = {("e", f"q{n}"): (points[n] + repeat * (n == 0)) % 2 for n in range(len(points))}
            entry = RunEntry(
                model=model, exam_id="e", repeat=repeat + 1, status="done", awarded=sum(given.values()), possible=12,
                score=sum(given.values()) / 12, lost=Lost(content=12 - sum(given.values())), input_tokens=1200,
                output_tokens=12_400, cost_usd=cost and cost * 4**place, seconds=61.4,
            )  # fmt: skip
            runs.append(Run(entry, Marks(model, "e", repeat + 1, False, given)))
    settings = Settings(models=list(right), repeats=repeats)
    exam = ExamEntry(exam_id="e", title="入学考试", bundle_digest="d", questions=entries(parts))
    return put_together(settings, [exam], runs, {})


def test_scores_and_pairs_are_those_of_the_hand():
    """Points by group, 强: 2 2 2 2 2 1; средний: 2 1 1 2 1 1. Their differences as shares are 0 ½ ½ 0 ½ 0: mean ¼,
    standard error s / √6, t with 5 degrees of freedom."""
    bench = made(RIGHT)
    best = bench.models[0]
    assert (best.model, best.rank, best.score and best.score.value) == ("强", 1, 11 / 12)
    assert best.score and (best.score.questions, best.score.clusters, best.score.small) == (12, 6, True)
    pair = next(pair for pair in bench.pairs if (pair.a, pair.b) == ("强", "средний"))
    error = math.sqrt(6 * 0.25**2 / 5) / math.sqrt(6)
    assert pair.difference.value == 0.25 and pair.difference.standard_error == pytest.approx(error)
    assert pair.p_value == pytest.approx(2 * stats.t.sf(0.25 / error, 5))
    assert (pair.a_only, pair.b_only, pair.mcnemar_p) == (3, 0, 0.25)
    assert pair.detectable == pytest.approx(error * (stats.t.ppf(0.975, 5) + stats.t.ppf(0.8, 5)))
    assert pair.p_holm >= pair.p_value and len(bench.pairs) == 6
    assert bench.detectable and bench.detectable.least <= bench.detectable.median <= bench.detectable.most


def test_ties_share_a_rank_and_the_next_one_counts_on():
    ranks = {row.model: (row.rank, row.tie) for row in made(RIGHT).models}
    assert ranks == {"强": (1, 1), "عربي": (1, 1), "средний": (1, 1), "हिन्दी": (4, 2)}


def test_repeats_part_the_variance():
    """Question 0 is right in one sitting of two: its run variance is 0.5, all others' 0, the mean over 12 is 1/24."""
    row = made({"m": "111111000000"}, repeats=2).models[0]
    assert row.run_variance == pytest.approx(1 / 24) and row.score and row.score.value == pytest.approx(5.5 / 12)
    assert row.run_sd == pytest.approx(1 / 12 / math.sqrt(2))
    assert row.lost and row.lost.content == 6.5 and row.sittings == 2


def test_from_ten_exams_on_exams_are_the_observations():
    exams = [ExamEntry(exam_id=f"e{n}", title="", bundle_digest=f"d{n}", questions=entries((6, 8))) for n in range(10)]
    assert (Facts.of(exams).unit, Facts.of(exams[:9]).unit) == ("exam", "stimulus group")
    clusters = {Facts.of(exams).cluster((exam.exam_id, name)) for exam in exams for name in exam.questions}
    assert len(clusters) == 10
    assert Facts.of(exams[:2]).cluster(("e0", "q3")) == Facts.of(exams[:2]).cluster(("e0", "q2"))


GOLDEN = """\
Scores, % of the points
#  model    score  95 % interval  rule  judged  graded
1  强        91.7   53.0 to 99.1  91.7       –   100.0
1  عربي      75.0   29.0 to 95.7  75.0       –   100.0
1  средний   66.7   38.7 to 86.4  66.7       –   100.0
4  हिन्दी     16.7    3.4 to 53.0  16.7       –   100.0
12 questions in 6 groups, which count as the observations.
Models with the same # are not told apart by this bench.
Smallest true difference that it finds in four of five tries: 42.0 points of
100.

Points lost of 12 in a sitting; tokens, dollars, seconds of all sittings
model    wrong  blank  format  ungr.  tok. in  out     cost   s
强           1      0       0      0     1200  12k  $0.1000  61
عربي         3      0       0      0     1200  12k  $0.4000  61
средний      4      0       0      0     1200  12k    $1.60  61
हिन्दी       10      0       0      0     1200  12k    $6.40  61
"""


def test_the_table_of_the_terminal_to_the_letter(capsys):
    shown = text(made(RIGHT))
    assert shown.startswith(GOLDEN)
    assert max(columns(line) for line in shown.splitlines()) <= 80
    assert "only 6 stimulus groups: intervals are wide" in shown


def test_long_names_give_way_and_numbers_stay():
    grid = Grid("T", ["model", "score"], [["a-very-long-name-" * 8 + "end", "12.3"], ["模型" * 60, "4.5"]])
    lines = grid.text().splitlines()
    assert all(columns(line) == 80 for line in lines[2:]) and lines[2].endswith("end   12.3")
    assert shortened("abcdefghij", 5) == "ab…ij" and columns(shortened("模型模型模型", 5)) <= 5


def test_names_are_as_short_as_they_can_be():
    assert short_names(["openai:a", "chat:b@http://127.0.0.1/v1"]) == {
        "openai:a": "a",
        "chat:b@http://127.0.0.1/v1": "b",
    }
    both = ["chat:b@http://one/v1", "chat:b@http://two/v1"]
    assert short_names(both) == {name: name for name in both}


def test_files_of_a_bench_can_be_read_again(tmp_path: Path):
    bench = made(RIGHT, repeats=2)
    write_tables(bench, tmp_path, plots=False)
    assert read_record(tmp_path / "bench.json", Bench) == bench
    rows = list(csv.DictReader((tmp_path / "models.csv").open(encoding="utf-8")))
    assert [row["model"] for row in rows] == [row.model for row in bench.models] and float(rows[0]["score"]) > 0.8
    assert len(list(csv.DictReader((tmp_path / "pairs.csv").open(encoding="utf-8")))) == 6
    assert len(list(csv.DictReader((tmp_path / "questions.csv").open(encoding="utf-8")))) == 12
    page = (tmp_path / "bench.md").read_text(encoding="utf-8")
    assert "# Bench: 入学考试" in page and "| 1 | 强 |" in page and "## Questions, hardest first" in page


def test_tables_of_hostile_names_are_only_text():
    assert csv_text(["a"], [["=HYPERLINK(1)"], [None], [0.5]]) == 'a\n\'=HYPERLINK(1)\n""\n0.5\n'
    grid = Grid("T", ["q"], [["a|b\x1b[2J<script>"]])
    assert (
        "\x1b" not in grid.text() and "\\|" in grid.markdown() and "<script>" not in grid.markdown().replace("\\<", "")
    )


def test_files_outside_the_bench_are_refused(tmp_path: Path):
    assert inside(tmp_path, "runs/a/1/report.json") == tmp_path / "runs/a/1/report.json"
    (tmp_path / "out").symlink_to("/etc")
    for name in ("/etc/passwd", "../x.json", "runs/../../x", "out/passwd", ""):
        with pytest.raises(BundleError):
            inside(tmp_path, name)


def test_folders_of_names_never_collide():
    made_slugs = slugs(["a/b", "a:b", "A-B", "..", "模型"])
    assert len({slug.casefold() for slug in made_slugs.values()}) == 5
    assert made_slugs["a/b"] == "a-b" and made_slugs[".."] == "unnamed" and made_slugs["模型"] == "模型"


def test_the_front_is_what_no_cheaper_one_beats():
    points = [(1.0, 50.0), (2.0, 40.0), (2.0, 60.0), (3.0, 60.0), (9.0, 90.0)]
    assert pareto(points) == [(1.0, 50.0), (2.0, 60.0), (9.0, 90.0)]


def test_plots_in_every_script_have_no_box(tmp_path: Path, capsys):
    pytest.importorskip("matplotlib")
    from exam2bench.corpora.bench.fonts import families

    files = write_plots(made(RIGHT), tmp_path)
    names = [file.name for file in files]
    assert names == [
        f"{plot}.{kind}" for plot in ("scores", "cost", "sections", "types") for kind in ("png", "svg")
    ]  # fmt: skip
    assert all(file.stat().st_size > 5_000 for file in files) and capsys.readouterr().err == ""
    chosen, missing = families(["नमस्ते", "模型", "한국", "ไทย", "plain"])
    assert missing == [] and chosen[0] == "DejaVu Sans" and len(chosen) >= 4
    assert families(["\U000100fe"])[1] == ["\U000100fe"] or not families(["\U000100fe"])[1]


def test_signs_without_a_font_are_told_and_plots_are_the_same_each_time(tmp_path: Path, capsys):
    pytest.importorskip("matplotlib")
    small = made({"m\U000e0fff": "111111111111", "n": "000000000000"}, cost=None, parts=(12, 12))
    first, again = write_plots(small, tmp_path / "first"), write_plots(small, tmp_path / "again")
    assert "no font here has" in capsys.readouterr().err
    assert [file.name for file in first] == ["scores.png", "scores.svg"]
    assert [file.read_bytes() for file in first] == [file.read_bytes() for file in again]


def test_bench_json_says_what_it_is(tmp_path: Path):
    write_tables(made(RIGHT), tmp_path, plots=False)
    data = json.loads((tmp_path / "bench.json").read_text())
    assert (data["schema_version"], data["kind"], data["clustered_by"]) == ("1", "exam2bench.bench", "stimulus group")
