"""`exam2bench results`: entries of reports, the index, merging by copying, and the way over the Hub."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from exam2bench.cli import main

from .allkinds import make_bundle, sheet
from .published import contents, serving

REPO = "user/exam-results"


@pytest.fixture(scope="module")
def bundles(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bundles")
    return [make_bundle(folder / "one"), make_bundle(folder / "two", only={"q1", "q2", "q9"})]


def graded(bundle, folder: Path, taker: str) -> tuple[Path, Path]:
    """A sheet and its report."""
    folder.mkdir(parents=True, exist_ok=True)
    names = [leaf.id for leaf in bundle.exam.leaves()]
    answers = {**sheet(names), "taker": taker, "bundle_digest": bundle.digest()}
    file = folder / f"{bundle.root.name}.{taker}.json"
    file.write_text(json.dumps(answers, ensure_ascii=False), encoding="utf-8")
    report = folder / f"{bundle.root.name}.{taker}.report.json"
    main(["grade", str(bundle.root), str(file), "-o", str(report)])
    return file, report


def entry(bundles, folder: Path, results: Path, taker: str = "model-a", *more: str) -> Path:
    pairs = [graded(bundle, folder, taker) for bundle in bundles]
    sheets = [word for sheet_file, _ in pairs for word in ("--sheet", str(sheet_file))]
    reports = [str(report) for _, report in pairs]
    assert main(["results", "add", str(results), *reports, *sheets, *more]) == 0
    return results / taker


def test_an_entry_pins_papers_sheets_and_reports(bundles, tmp_path, capsys):
    made = entry(bundles, tmp_path, tmp_path / "results", "model-a", "--setting", "effort=low")
    record = json.loads((made / "entry.json").read_text(encoding="utf-8"))
    assert {paper["bundle_digest"] for paper in record["papers"]} == {bundle.digest() for bundle in bundles}
    assert record["settings"] == {"effort": "low"}
    shares = sorted(paper["percentage"] for paper in record["papers"])
    assert record["percentage"] == pytest.approx(sum(shares) / 2, abs=1e-4)
    index = json.loads((tmp_path / "results" / "index.json").read_text(encoding="utf-8"))
    assert [row["taker"] for row in index["entries"]] == ["model-a"]
    assert "model-a" in capsys.readouterr().out


def test_the_judges_verdicts_come_along(bundles, tmp_path):
    verdicts = tmp_path / "verdicts.jsonl.gz"
    cache = ["--cache", str(tmp_path / "calls.db")]
    assert main(["cache", "export", str(verdicts), *cache]) == 0
    made = entry(bundles[:1], tmp_path, tmp_path / "results", "model-a", "--cache", str(verdicts))
    assert (made / "cache.jsonl.gz").read_bytes() == verdicts.read_bytes()
    row = json.loads((tmp_path / "results" / "index.json").read_text(encoding="utf-8"))["entries"][0]
    assert row["regradable"] is True
    assert main(["cache", "import", str(made / "cache.jsonl.gz"), *cache]) == 0


def test_two_folders_are_merged_by_copying(bundles, tmp_path, capsys):
    entry(bundles, tmp_path, tmp_path / "one", "model-a")
    entry(bundles[:1], tmp_path, tmp_path / "two", "model-b")
    shutil.copytree(tmp_path / "two" / "model-b", tmp_path / "one" / "model-b")
    assert main(["results", "index", str(tmp_path / "one")]) == 0
    first = (tmp_path / "one" / "index.json").read_bytes()
    assert [row["name"] for row in json.loads(first)["entries"]] == ["model-a", "model-b"]
    (tmp_path / "one" / "index.json").unlink()
    assert main(["results", "index", str(tmp_path / "one")]) == 0
    assert (tmp_path / "one" / "index.json").read_bytes() == first


@pytest.mark.parametrize("fault", ["report", "figure", "name", "leave", "nonsense"])
def test_an_entry_that_was_tampered_with_is_left_out_and_named(bundles, tmp_path, capsys, fault):
    made = entry(bundles[:1], tmp_path, tmp_path / "results")
    record = json.loads((made / "entry.json").read_text(encoding="utf-8"))
    if fault == "report":
        file = made / record["papers"][0]["report"]["path"]
        file.write_text(
            file.read_text(encoding="utf-8").replace('"awarded": 2.0', '"awarded": 9.0', 1), encoding="utf-8"
        )
    elif fault == "figure":
        record["papers"][0]["awarded"] = 99
    elif fault == "name":
        made = made.rename(tmp_path / "results" / "model-z")
    elif fault == "leave":
        record["papers"][0]["report"]["path"] = "../../secret.json"
    if fault == "nonsense":
        (made / "entry.json").write_text("[" * 100_000, encoding="utf-8")
    else:
        (made / "entry.json").write_text(json.dumps(record), encoding="utf-8")
    capsys.readouterr()
    assert main(["results", "index", str(tmp_path / "results")]) == 1
    told = capsys.readouterr()
    assert "is left out" in told.err and "Traceback" not in told.err
    assert json.loads((tmp_path / "results" / "index.json").read_text(encoding="utf-8"))["entries"] == []


def test_what_is_no_entry_is_refused(bundles, tmp_path, capsys):
    (sheet_a, report_a), (_, report_b) = graded(bundles[0], tmp_path, "a"), graded(bundles[1], tmp_path, "b")
    results = str(tmp_path / "results")
    for arguments, told in [
        ([str(report_a), str(report_b)], "2 takers"),
        ([str(report_a), str(report_a)], "the same paper"),
        ([str(report_b), "--sheet", str(sheet_a)], "no report belongs to"),
        ([str(report_a), "--name", "../x"], "cannot be an entry's name"),
        ([str(tmp_path / "none.json")], "no such report"),
    ]:
        assert main(["results", "add", results, *arguments]) == 2
        assert told in capsys.readouterr().err
    assert not list((tmp_path / "results").glob("*/entry.json"))
    assert not list((tmp_path / "results").glob(".*"))


def test_results_travel_over_the_hub_and_are_regraded_for_nothing(bundles, tmp_path, monkeypatch, capsys):
    entry(bundles, tmp_path, tmp_path / "mine", "model-a")
    entry(bundles, tmp_path, tmp_path / "theirs", "model-b")
    with serving(monkeypatch) as hub:
        assert main(["results", "publish", str(tmp_path / "mine"), REPO]) == 0
        assert main(["results", "publish", str(tmp_path / "mine"), REPO]) == 0
        assert "nothing to publish" in capsys.readouterr().out
        assert main(["results", "publish", str(tmp_path / "theirs"), REPO]) == 0
        there = json.loads(hub.files(REPO)["results/index.json"])
        assert [row["name"] for row in there["entries"]] == ["model-a", "model-b"]
        assert main(["results", "fetch", REPO, "-o", str(tmp_path / "fetched")]) == 0
    assert contents(tmp_path / "fetched" / "model-a") == contents(tmp_path / "mine" / "model-a")
    record = json.loads((tmp_path / "fetched" / "model-a" / "entry.json").read_text(encoding="utf-8"))
    by_digest = {bundle.digest(): bundle for bundle in bundles}
    for paper in record["papers"]:
        again = tmp_path / "again.json"
        fetched = tmp_path / "fetched" / "model-a"
        main(
            [
                "grade",
                str(by_digest[paper["bundle_digest"]].root),
                str(fetched / paper["sheet"]["path"]),
                "-o",
                str(again),
            ]
        )
        ours = json.loads(again.read_text(encoding="utf-8"))
        theirs = json.loads((fetched / paper["report"]["path"]).read_text(encoding="utf-8"))
        assert ours["results"] == theirs["results"]
        again.unlink()


def test_another_content_under_the_same_name_is_not_overwritten(bundles, tmp_path, monkeypatch, capsys):
    entry(bundles, tmp_path, tmp_path / "mine", "model-a")
    entry(bundles[:1], tmp_path, tmp_path / "other", "model-a")
    with serving(monkeypatch) as hub:
        assert main(["results", "publish", str(tmp_path / "mine"), REPO]) == 0
        before = hub.files(REPO)
        assert main(["results", "publish", str(tmp_path / "other"), REPO]) == 2
        assert "with another content" in capsys.readouterr().err
        assert hub.files(REPO) == before
        assert main(["results", "publish", str(tmp_path / "other"), REPO, "--replace"]) == 0
        assert len(json.loads(hub.files(REPO)["results/model-a/entry.json"])["papers"]) == 1


def test_results_of_a_size_that_none_has_are_not_fetched(bundles, tmp_path, monkeypatch, capsys):
    made = entry(bundles[:1], tmp_path, tmp_path / "mine", "model-a")
    good = {f"results/model-a/{name}": data for name, data in contents(made).items()}
    fetch = ["results", "fetch", REPO, "-o", str(tmp_path / "fetched")]
    with serving(monkeypatch) as hub:
        hub.put(REPO, good | {f"results/model-a/sheets/{n}.json": b"{}" for n in range(25_000)})
        assert main(fetch) == 3
        assert "holds more than 20,000 entries" in capsys.readouterr().err
    with serving(monkeypatch) as hub:
        hub.put(REPO, good)
        for size, told in ((1 << 40, "1,099,511,627,776 bytes: too large"), (500 << 20, "the entry model-a has ")):
            hub.put(REPO, {f"results/model-a/sheets/{n}.json": b"{}" for n in range(4)})
            hub.repos[REPO].sizes = dict.fromkeys(hub.files(REPO), size)
            assert main(fetch) == 1
            assert told in capsys.readouterr().err
        assert not any(kind == "resolve" for kind, _ in hub.requests)


def test_hostile_results_are_refused_by_name(bundles, tmp_path, monkeypatch, capsys):
    made = entry(bundles[:1], tmp_path, tmp_path / "mine", "model-a")
    good = {f"results/model-a/{name}": data for name, data in contents(made).items()}
    for more, told in [
        ({"results/model-a/a\\b.json": b"{}"}, "backslash"),
        ({"results/model-a/reports/001-all-kinds.json": b"{}"}, "is not the file that the entry pins"),
        ({"results/model-a/entry.json": b"{}"}, "entry.json"),
        ({"results/../evil/entry.json": b"{}"}, "'..' cannot be an entry's name"),
    ]:
        with serving(monkeypatch) as hub:
            hub.put(REPO, {**good, **more})
            assert main(["results", "fetch", REPO, "-o", str(tmp_path / "fetched")]) in (1, 2)
            error = capsys.readouterr().err
            assert told in error and "Traceback" not in error
            assert not (tmp_path / "fetched" / "model-a").exists()
