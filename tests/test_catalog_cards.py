"""The cards themselves: complete, strictly checked, every rule that they name is there, readable at 80 columns."""

import json
import re
from pathlib import Path

import pytest

from exam2bench.cli import main
from exam2bench.corpora.catalog.card import CARDS, card_names, load_card, read_card
from exam2bench.corpora.catalog.registry import AGGREGATIONS, EXTRACTORS, METRICS
from exam2bench.schemas.errors import BundleError

# the issue's table of benchmarks
EXPECTED = {
    "choice": "mmmu mmmu-pro mmbench seed-bench ai2d mathvista-choice mmstar erqa video-mme gpqa-diamond mmmlu",
    "yes_no": "mme pope hallusionbench amber",
    "open_text": "docvqa chartqa textvqa mathvista mmmu-open hmmt ifbench",
    "counting": "countqa",
    "spatial": "cv-bench",
    "grounding": "refcoco lvis screenspot screenspot-pro pixmo-points groundingme",
    "defects": "mvtec-ad visa qground",
    "executed": "swe-bench-verified terminal-bench-2 bfcl browsecomp",
    "documents": "omnidocbench",
    "multi_step": "uno-bench",
}
FULL_REVISION = re.compile(r"[0-9a-f]{40}")


def test_every_benchmark_of_the_table_has_a_card():
    families = {family: set(names.split()) for family, names in EXPECTED.items()}
    found: dict[str, set[str]] = {}
    for name in card_names():
        found.setdefault(load_card(name).family, set()).add(name)
    assert found == families


@pytest.mark.parametrize("name", card_names())
def test_a_card_names_only_rules_that_there_are(name: str):
    for view in load_card(name).views.values():
        assert view.extractor.name in EXTRACTORS
        assert view.metric.name in METRICS
        assert view.aggregation.name in AGGREGATIONS


@pytest.mark.parametrize("name", card_names())
def test_a_revision_is_pinned_in_full_or_left_to_the_user(name: str):
    data = load_card(name).dataset
    assert data.revision is None or FULL_REVISION.fullmatch(data.revision)
    assert (data.pin is None) == (data.revision is not None)


@pytest.mark.parametrize("name", card_names())
def test_a_card_fits_a_terminal_of_80_columns(name: str, capsys: pytest.CaptureFixture[str]):
    assert main(["catalog", "show", name]) == 0
    shown = capsys.readouterr().out
    unbreakable = [line for line in shown.splitlines() if len(line) > 80 and " " in line.strip()]
    assert unbreakable == []
    for head in ("Data", "Prompt", "View official", "Before reading a leaderboard", "As a bundle"):
        assert f"\n{head}\n" in shown


def test_the_pinned_card_says_what_the_issue_fixes():
    card = load_card("cv-bench")
    assert card.dataset.id == "nyu-visionx/CV-Bench"
    assert card.dataset.revision == "bc284db50d036958861cb60cdd7b77612052ce0d"
    assert (card.licence.name, card.dataset.questions) == ("Apache-2.0", 2638)
    assert card.prompt.text and card.prompt.text.endswith(
        "Answer with the option's letter from the given choices directly."
    )


def test_list_shows_families_and_scales(capsys: pytest.CaptureFixture[str]):
    assert main(["catalog", "list", "--family", "yes-no"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "yes no",
        "  amber               AMBER (discriminative): mean accuracy over groups, percent",
        "                      0 to 100",
        "  hallusionbench      HallusionBench: accuracy over questions, percent 0 to 100",
        "  mme                 MME: acc + acc_plus over 14 tasks, points 0 to 2800",
        "  pope                POPE: F1 of yes, percent 0 to 100",
    ]
    assert main(["catalog", "list", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert len(rows) == 39 and rows[0]["name"] == "ai2d" and rows[0]["views"][0] == "official"


def test_show_as_json_is_the_card(capsys: pytest.CaptureFixture[str]):
    assert main(["catalog", "show", "mme", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["views"]["official"]["headline"] == {
        "key": "total",
        "quantity": "acc + acc_plus over 14 tasks",
        "scale": "points",
        "highest": 2800.0,
    }
    assert record["dataset"]["revision"] is None


@pytest.mark.parametrize(
    "words, said",
    [
        (["show", "mmsta"], "there is no benchmark mmsta (`exam2bench catalog list`); near: mmstar"),
        (["show", "\x1b[2Jx"], "there is no benchmark \\x1b[2Jx"),
        (["list", "--family", "audio"], "there is no family 'audio': choice, yes_no,"),
    ],
)
def test_a_wrong_name_is_one_sentence(words: list[str], said: str, capsys: pytest.CaptureFixture[str]):
    assert main(["catalog", *words]) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1


@pytest.mark.parametrize(
    "old, new, said",
    [
        ('title = "MMStar"', 'title = "MMStar"\nsurprise = 1', "surprise: Extra inputs are not permitted"),
        ('family = "choice"', 'family = "audio"', "family: Input should be 'choice'"),
        (
            'scale = "share" }\nsource = "MMStar-B',
            'scale = "points" }\nsource = "MMStar-B',
            "says the highest possible",
        ),
        ("[views.official]", "[views.mine]", "a card has an official view"),
        ('pin = "', 'revision = "abc"\npin = "', "a dataset has a revision, or a sentence under `pin`"),
        ('breakdowns = ["category", "l2_category"]', 'breakdowns = ["colour"]', "names 'colour', which is no field"),
        ("questions = 1500", 'questions = "1500"', "dataset.questions: Input should be a valid integer"),
        ('name = "mmstar"', 'name = "other"', "calls itself other"),
        ("[dataset]", "[dataset", "cannot be read"),
    ],
)
def test_a_wrong_card_is_refused_with_its_place(tmp_path: Path, old: str, new: str, said: str):
    text = (CARDS / "mmstar.toml").read_text(encoding="utf-8")
    assert old in text
    file = tmp_path / "mmstar.toml"
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(BundleError) as caught:
        read_card(file)
    assert said in str(caught.value) and "mmstar.toml" in str(caught.value)


# sums of scores


def score(benchmark: str, value: float, view: str = "official", **headline: object) -> dict[str, object]:
    head = {"key": "hit", "quantity": "accuracy", "scale": "share", "highest": None, "value": value, **headline}
    return {"benchmark": benchmark, "views": {view: {"headline": head}}}


def mean(tmp_path: Path, *scores: dict[str, object], view: str = "official") -> int:
    files = []
    for number, record in enumerate(scores):
        file = tmp_path / f"{number}.json"
        file.write_text(json.dumps(record), encoding="utf-8")
        files.append(str(file))
    return main(["catalog", "mean", *files, "--view", view])


def test_scores_of_one_scale_have_a_mean(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """(0.5 + 0.75) / 2 = 0.625."""
    assert mean(tmp_path, score("ai2d", 0.5), score("mmmlu", 0.75)) == 0
    assert capsys.readouterr().out.splitlines() == [
        "ai2d                        0.5000",
        "mmmlu                       0.7500",
        "mean                        0.6250  (accuracy, share 0 to 1, official view)",
    ]


@pytest.mark.parametrize(
    "other, said",
    [
        (
            score("mme", 2100, scale="points", highest=2800),
            "one is accuracy, share 0 to 1, the other accuracy, points 0 to 2800, so a sum would weigh them",
        ),
        (score("mathvista", 61.0, scale="percent"), "the other accuracy, percent 0 to 100"),
        (score("docvqa", 0.9, quantity="ANLS at 0.5"), "one measures accuracy, the other ANLS at 0.5"),
    ],
)
def test_scores_of_different_scales_are_never_summed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], other: dict[str, object], said: str
):
    assert mean(tmp_path, score("ai2d", 0.5), other) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1


def test_a_score_file_of_another_kind_or_view_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert mean(tmp_path, {"benchmark": "x"}) == 1
    assert "is not what `exam2bench score --json` writes" in capsys.readouterr().err
    assert mean(tmp_path, score("ai2d", 0.5), view="robust") == 2
    assert "has no robust view: it has official" in capsys.readouterr().err


def gain(tmp_path: Path, *scores: dict[str, object]) -> int:
    files = []
    for number, record in enumerate(scores):
        file = tmp_path / f"{number}.json"
        file.write_text(json.dumps(record), encoding="utf-8")
        files.append(str(file))
    base = ["--language-model", files[2]] if len(files) > 2 else []
    return main(["catalog", "gain", *files[:2], *base, "--json"])


def test_gain_and_leakage_are_differences_of_one_benchmark(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """MG = 0.5 - 0.25; ML = max(0, 0.25 - 0.375) = 0: the language model alone is better than the blind taker."""
    assert gain(tmp_path, score("mmstar", 0.5), score("mmstar", 0.25), score("mmstar", 0.375)) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["MG"], result["ML"], result["scale"]) == (0.25, 0, "accuracy, share 0 to 1")
    assert gain(tmp_path, score("mmstar", 0.5), score("mmstar", 0.25)) == 0
    assert "ML" not in json.loads(capsys.readouterr().out)
    assert gain(tmp_path, score("mmstar", 0.5), score("ai2d", 0.25)) == 2
    assert "a gain is of one benchmark, one score in a file; these are of ai2d, mmstar" in capsys.readouterr().err
    assert gain(tmp_path, score("mmstar", 0.5), score("mmstar", 25.0, scale="percent")) == 2
    assert "so a sum would weigh them by their units" in capsys.readouterr().err
