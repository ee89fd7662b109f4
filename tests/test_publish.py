"""`publish`: built and proved in a folder as `datasets` loads it, one commit, nothing of anybody's lost."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from exam2bench.cli import main
from exam2bench.corpora.hub.front_matter import parse, split_card
from exam2bench.schemas.canary import find_canaries
from exam2bench.tests.hub_server import Fault, HubServer
from exam2bench.tests.published import ASSETS, REPO, TOKEN, contents, make_exam, serving

pytest.importorskip("datasets")
pytest.importorskip("huggingface_hub")
TABLE = "harbour/test-00000-of-00001.parquet"


@pytest.fixture
def hub(monkeypatch):
    with serving(monkeypatch) as server:
        yield server


@pytest.fixture
def harbour(tmp_path) -> Path:
    return make_exam(tmp_path / "harbour")


def publish(*arguments: object) -> int:
    return main(["publish", *map(str, arguments)])


def card(hub: HubServer) -> str:
    return hub.files(REPO)["README.md"].decode()


def test_the_staging_folder_loads_as_the_hub_will_and_every_row_is_there(tmp_path, harbour, monkeypatch):
    import datasets

    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")  # a dry run asks nobody
    staging = tmp_path / "staging"
    assert publish(harbour, REPO, "--staging", staging, "--dry-run") == 0
    loaded = datasets.load_dataset(str(staging), "harbour", split="test", cache_dir=str(tmp_path / "cache"))
    assert [(row["id"], row["rule"], row["points"]) for row in loaded] == [
        ("q1", "choice", 1.0),
        ("q2", "judge", 2.0),
        ("q3", "fill_in_blank", 1.0),
    ]
    first = loaded[0]
    assert first["stimulus"] == "Answer all.\n\nLook at the map.\n\n![a map](assets/map.png)"
    assert (first["number"], first["section"], first["type"], first["prompt"]) == (
        "1.",
        "A",
        "single_choice",
        "Which way?",
    )
    assert first["options"] == [{"id": "A", "text": "north"}, {"id": "B", "text": "south"}]
    assert (first["page"], first["source"]) == (2, "paper.pdf")
    assert [figure.size for figure in first["figures"]] == [(12, 8)]
    assert first["figures"][0].getpixel((0, 0)) == (255, 0, 0)
    assert loaded[2]["blanks"] == [{"id": "b1", "text": "first"}]
    assert {find_canaries(row["canary"].encode())[0] for row in loaded} == set(
        find_canaries((staging / "README.md").read_bytes())
    )


def test_one_commit_with_the_bundle_beside_its_table_and_a_tag(hub, harbour, tmp_path, capsys):
    assert publish(harbour, REPO, "--private", "--json") == 0
    said = json.loads(capsys.readouterr().out)
    repository = hub.repos[REPO]
    assert repository.messages == ["initial commit", "publish harbour"]
    assert repository.private is True
    assert repository.tags == {"harbour-r1": said["commit"]}
    files = hub.files(REPO)
    assert sorted(files) == [
        ".gitattributes",
        "README.md",
        "harbour/bundle/answer_schema.json",
        "harbour/bundle/assets.zip",
        "harbour/bundle/exam.json",
        "harbour/bundle/grading.json",
        "harbour/bundle/manifest.json",
        TABLE,
    ]
    for path, data in files.items():
        if path != ".gitattributes":
            assert len(find_canaries(data)) == 1, path


def test_a_bundle_that_carries_its_canary_goes_out_byte_for_byte(hub, harbour, capsys):
    assert main(["canary", "add", str(harbour)]) == 0
    assert publish(harbour, REPO) == 0
    files = hub.files(REPO)
    with zipfile.ZipFile(io.BytesIO(files["harbour/bundle/assets.zip"])) as archive:
        published = {name: archive.read(name) for name in archive.namelist()}
    assert published == ASSETS
    published |= {path.removeprefix("harbour/bundle/"): data for path, data in files.items() if "bundle/" in path}
    del published["assets.zip"]
    ours = contents(harbour)
    del ours["assets/page-3.render.png"]
    assert published == ours
    assert "1 files in assets/ that no question names are not published" in capsys.readouterr().err


def test_the_form_that_any_to_bench_reads(hub, harbour, capsys):
    """Single pictures, and exactly the answer schema that its reader makes from the exam itself."""
    plain = contents(harbour)
    assert main(["canary", "add", str(harbour)]) == 0
    assert publish(harbour, REPO, "--for-any-to-bench") == 0
    files = hub.files(REPO)
    assert files["harbour/bundle/answer_schema.json"] == plain["answer_schema.json"]
    assert {path: data for path, data in files.items() if "/assets/" in path} == {
        f"harbour/bundle/{name}": data for name, data in ASSETS.items()
    }
    assert publish(harbour, REPO, "--for-any-to-bench", "--sealed") == 2
    assert "any-to-bench cannot open a sealed key" in capsys.readouterr().err


def test_datasets_loads_it_from_the_server_itself(hub, harbour, tmp_path):
    """Another process, because `datasets` reads the endpoint when it is imported."""
    assert publish(harbour, REPO) == 0
    code = (
        "import datasets, json\n"
        f"rows = datasets.load_dataset({REPO!r}, 'harbour', split='test')\n"
        "print(json.dumps([[row['id'], [figure.size for figure in row['figures']]] for row in rows]))\n"
        f"print(datasets.get_dataset_config_names({REPO!r}))\n"
    )
    environment = {**os.environ, "HF_ENDPOINT": hub.url, "HF_HOME": str(tmp_path / "home"), "HF_HUB_DISABLE_XET": "1"}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    rows, names = run.stdout.splitlines()
    assert json.loads(rows) == [["q1", [[12, 8]]], ["q2", [[12, 8]]], ["q3", []]]
    assert names == "['harbour']"


def test_what_is_there_already_is_not_committed_again(hub, harbour):
    assert publish(harbour, REPO) == 0
    before = list(hub.repos[REPO].order)
    assert publish(harbour, REPO) == 0
    assert hub.repos[REPO].order == before


def test_updating_one_bundle_touches_its_files_and_its_section_alone(hub, harbour, tmp_path):
    other = make_exam(tmp_path / "lagoon", exam_id="lagoon", title="Lagoon exam")
    assert publish(harbour, other, REPO) == 0
    written = card(hub).replace(
        "configs:", "# theirs\npretty_name: Our exams # keep\nextra:\n  deep: [1, 2]\nconfigs:", 1
    )
    written = written.replace("pretty_name: Exams as benchmarks\n", "")
    written = written.replace("<!-- exam2bench:lagoon:start", "Words by a person.\n\n<!-- exam2bench:lagoon:start")
    hub.put(REPO, {"README.md": written.encode(), "notes.txt": b"theirs"})
    before = hub.files(REPO)
    amended = make_exam(tmp_path / "new" / "harbour", key="A", revision=2)
    assert publish(amended, REPO) == 0
    after = hub.files(REPO)
    changed = {path for path in after if after[path] != before.get(path)}
    assert changed == {"harbour/bundle/grading.json", "harbour/bundle/manifest.json", "README.md"}
    assert set(before) == set(after)
    assert sorted(hub.repos[REPO].tags) == ["harbour-r1", "harbour-r2", "lagoon-r1"]
    lines = [line for line in written.splitlines() if line not in card(hub).splitlines()]
    assert [line.partition(",")[0] for line in lines] == [
        "# Exams as benchmarks",
        "  title = {Exams as benchmarks}",
        "| revision | 1",
    ]
    assert "Words by a person." in card(hub)
    assert "# theirs\npretty_name: Our exams # keep\nextra:\n  deep: [1, 2]\n" in card(hub)
    data = parse(split_card(card(hub)).yaml)
    assert [config["config_name"] for config in data["configs"]] == ["harbour", "lagoon"]
    assert [info["config_name"] for info in data["dataset_info"]] == ["harbour", "lagoon"]


def test_a_new_bundle_beside_others_that_lie_in_the_repository_only(hub, harbour, tmp_path):
    assert publish(harbour, REPO) == 0
    other = make_exam(tmp_path / "lagoon", exam_id="lagoon", title="Lagoon exam")
    assert publish(other, REPO) == 0
    assert {path.partition("/")[0] for path in hub.files(REPO) if "/" in path} == {"harbour", "lagoon"}
    assert "6 exam questions in 2 bundles" in card(hub)


def test_removing_one_leaves_the_rest(hub, harbour, tmp_path, capsys):
    other = make_exam(tmp_path / "lagoon", exam_id="lagoon", title="Lagoon exam")
    assert publish(harbour, other, REPO) == 0
    before = hub.files(REPO)
    assert publish(REPO, "--remove", "harbour") == 0
    after = hub.files(REPO)
    assert set(before) - set(after) == {path for path in before if path.startswith("harbour/")}
    assert {path: data for path, data in after.items() if path != "README.md"} == {
        path: data for path, data in before.items() if path in after and path != "README.md"
    }
    data = parse(split_card(card(hub)).yaml)
    assert [config["config_name"] for config in data["configs"]] == ["lagoon"]
    assert "exam2bench:harbour" not in card(hub)
    assert "exam2bench:lagoon:start" in card(hub)
    assert publish(REPO, "--remove", "harbour") == 2
    assert "there is no bundle harbour in user/exams to remove; there are: lagoon" in capsys.readouterr().err


def test_a_revision_never_gets_another_key_unless_it_is_said(hub, harbour, tmp_path, capsys):
    assert publish(harbour, REPO) == 0
    changed = make_exam(tmp_path / "again" / "harbour", key="A")
    head = hub.repos[REPO].head
    assert publish(changed, REPO) == 2
    assert "has revision 1 of harbour with another paper or key" in capsys.readouterr().err
    assert hub.repos[REPO].head == head
    assert publish(changed, REPO, "--replace-revision") == 0
    assert hub.repos[REPO].tags == {"harbour-r1": hub.repos[REPO].head}


def test_two_who_publish_at_once_lose_nothing(hub, harbour, tmp_path, capsys):
    """Somebody else's commit comes between our look at the head and our commit."""
    other = make_exam(tmp_path / "lagoon", exam_id="lagoon", title="Lagoon exam")
    assert publish(harbour, REPO) == 0
    inner: list[int] = []

    def meanwhile() -> None:
        inner.append(publish(other, REPO))

    hub.faults.append(Fault("commit", hook=meanwhile))
    third = make_exam(tmp_path / "strait", exam_id="strait", title="Strait exam")
    assert publish(third, REPO) == 0
    assert inner == [0]
    assert "somebody else published in between" in capsys.readouterr().err
    assert {path.partition("/")[0] for path in hub.files(REPO) if "/" in path} == {"harbour", "lagoon", "strait"}
    data = parse(split_card(card(hub)).yaml)
    assert [config["config_name"] for config in data["configs"]] == ["harbour", "lagoon", "strait"]
    assert hub.repos[REPO].messages == ["initial commit", "publish harbour", "publish lagoon", "publish strait"]
    assert sorted(hub.repos[REPO].tags) == ["harbour-r1", "lagoon-r1", "strait-r1"]


def test_an_interrupted_upload_continues(hub, harbour, monkeypatch, capsys):
    """The archive arrives, then the line breaks for good; the second time only the rest is sent."""
    from huggingface_hub.utils import _http

    monkeypatch.setattr(_http.time, "sleep", lambda seconds: None)
    hub.faults.append(Fault("commit", times=20, status=0))
    assert publish(harbour, REPO) == 3
    assert "cannot be reached" in capsys.readouterr().err
    sent = list(hub.uploads)
    assert len(sent) == 2
    assert hub.repos[REPO].messages == ["initial commit"]
    hub.faults.clear()
    assert publish(harbour, REPO) == 0
    assert hub.uploads == sent
    assert hub.repos[REPO].messages == ["initial commit", "publish harbour"]


HASTE = [(kind, 429) for kind in ("info", "create", "preupload", "batch", "upload", "commit", "tag", "tree", "refs")]


@pytest.mark.parametrize(("kind", "status"), [*HASTE, ("upload", 503), ("commit", 500)])
def test_haste_is_waited_for(hub, harbour, monkeypatch, kind, status):
    from huggingface_hub.utils import _http

    from exam2bench.corpora.hub import remote

    waited: list[float] = []
    monkeypatch.setattr(_http.time, "sleep", waited.append)
    monkeypatch.setattr(remote.time, "sleep", waited.append)
    hub.faults.append(Fault(kind, status=status, headers={"Retry-After": "2"}))
    assert publish(harbour, REPO) == 0
    assert hub.repos[REPO].messages == ["initial commit", "publish harbour"]
    assert hub.repos[REPO].tags == {"harbour-r1": hub.repos[REPO].head}
    assert waited and max(waited) <= 60


def test_patience_ends(hub, harbour, monkeypatch, capsys):
    from exam2bench.corpora.hub import remote

    monkeypatch.setattr(remote.time, "sleep", lambda seconds: None)
    hub.faults.append(Fault("refs", times=99, status=429))
    assert publish(harbour, REPO) == 3
    assert "asks for patience (429) with user/exams; it was asked 5 times" in capsys.readouterr().err


def test_a_commit_whose_answer_was_lost_is_not_made_twice(hub, harbour, monkeypatch):
    """The commit is done and the line breaks: the same command sees it and sets the tag only."""
    assert publish(harbour, REPO) == 0
    hub.repos[REPO].tags.clear()
    assert publish(harbour, REPO) == 0
    assert hub.repos[REPO].messages == ["initial commit", "publish harbour"]
    assert hub.repos[REPO].tags == {"harbour-r1": hub.repos[REPO].head}


def test_a_file_over_the_limit_and_a_wrong_digest_are_said(hub, harbour, capsys, monkeypatch):
    hub.limit = 100
    assert publish(harbour, REPO) == 3
    assert "a file is larger than the Hub takes" in capsys.readouterr().err
    hub.limit = None
    hub.faults.append(Fault("upload", times=20, status=400))
    assert publish(harbour, REPO) == 3
    assert "user/exams: the Hub refuses: " in capsys.readouterr().err
    assert hub.repos[REPO].messages == ["initial commit"]


@pytest.mark.parametrize(
    ("written", "known"),
    [
        ("CC-BY-4.0", "cc-by-4.0"),
        ("CC BY-NC-SA 4.0", "cc-by-nc-sa-4.0"),
        (" cc0 ", "cc0-1.0"),
        ("MIT", "mit"),
        ("GPL-3.0-or-later", "gpl-3.0"),
        ("ODbL-1.0", "odbl"),
        ("openrail++", "openrail++"),
        ("Creative Commons", None),
        ("CC BY", None),
        ("mit; rm -rf", None),
        ("", None),
    ],
)
def test_a_licence_is_taken_as_people_write_it(harbour, tmp_path, capsys, written, known):
    code = publish(harbour, REPO, "--dry-run", "--license", written, "--staging", tmp_path / "staging")
    if known is None:
        assert code == 2
        assert "is no licence id of the Hub" in capsys.readouterr().err
        return
    assert code == 0
    assert f"license: {known}\n" in (tmp_path / "staging" / "README.md").read_text()


def test_what_cannot_be_said_to_be_right_is_refused(harbour, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    unknown = make_exam(tmp_path / "unknown", rights=None)
    assert publish(unknown, REPO, "--dry-run") == 2
    assert "nobody knows who may publish" in capsys.readouterr().err
    assert publish(unknown, REPO, "--dry-run", "--publish-without-known-rights") == 0
    assert publish(unknown, REPO, "--dry-run", "--license", "cc-by-4.0") == 0
    assert publish(unknown, REPO, "--dry-run", "--license", "Creative Commons") == 2
    (harbour / "answer_schema.json").write_text("{}")
    capsys.readouterr()
    assert publish(harbour, REPO, "--dry-run") == 2
    assert "has 1 errors, the first: answer_schema.json does not belong to exam.json" in capsys.readouterr().err
    assert publish(harbour, REPO, "--dry-run", "--publish-with-errors") == 0


def test_a_figure_that_is_no_picture_does_not_go_out(harbour, capsys):
    (harbour / "assets" / "map.png").write_bytes(b"\x89PNG\r\n\x1a\n but no picture")
    assert publish(harbour, REPO, "--dry-run", "--publish-with-errors") == 1
    assert "harbour: a figure of q1 (assets/map.png) does not decode" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["harbour", "exams"], "'exams' is not a dataset repository: give USER/NAME"),
        (["harbour", "user/exams", "--name", "a/b"], "'a/b' cannot be a bundle's name"),
        (["harbour", "user/exams", "--name", "default"], "the name default is taken"),
        (["harbour", "user/exams", "--name", "results-x"], "the name results-x is taken"),
        (["harbour", "new/harbour", "user/exams"], "would both be named harbour"),
        (["harbour", "new/harbour", "user/exams", "--name", "x"], "--name names one bundle"),
        (["user/exams"], "give the bundles' folders"),
        (["harbour", "user/exams", "--remove", "harbour"], "cannot be published and removed at once"),
        (["harbour", "user/exams", "--passphrase", "x"], "--passphrase goes with --sealed"),
        (["harbour", "user/exams", "--staging", "harbour"], "holds other files and no dataset card"),
    ],
)
def test_calls_that_mean_nothing(arguments, told, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_exam(tmp_path / "harbour")
    make_exam(tmp_path / "new" / "harbour")
    assert publish(*arguments, "--dry-run") == 2
    assert told in capsys.readouterr().err


def test_the_token_is_sent_and_never_shown(hub, harbour, capsys, caplog, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_wrong_one")
    assert publish(harbour, REPO) == 3
    shown = capsys.readouterr()
    assert "does not take the token in HF_TOKEN" in shown.err
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    assert publish(harbour, REPO) == 0
    shown2 = capsys.readouterr()
    for token in ("hf_wrong_one", TOKEN):
        assert token not in shown.out + shown.err + shown2.out + shown2.err + caplog.text
        assert not any(token.encode() in data for data in hub.files(REPO).values())
    assert hub.seen_tokens == {"Bearer hf_wrong_one", f"Bearer {TOKEN}"}


def test_files_of_others_in_the_folder_stay_and_a_folder_of_others_is_not_taken(hub, harbour, tmp_path, capsys):
    assert publish(harbour, REPO) == 0
    stale = {"harbour/test-00001-of-00002.parquet": b"old", "harbour/bundle/assets/old.png": b"old"}
    hub.put(REPO, {"harbour/notes.md": b"mine", "photos/a.png": b"mine", **stale})
    assert publish(make_exam(tmp_path / "new" / "harbour", revision=2), REPO) == 0
    files = hub.files(REPO)
    assert files["harbour/notes.md"] == b"mine"
    assert set(stale) & set(files) == set()
    head = hub.repos[REPO].head
    assert publish(harbour, REPO, "--name", "photos") == 2
    assert "user/exams has a folder photos that is no bundle" in capsys.readouterr().err
    assert hub.repos[REPO].head == head


def test_a_renamed_repository_is_not_published_to_under_its_old_name(hub, harbour, capsys):
    assert publish(harbour, REPO) == 0
    hub.renamed["user/old"] = REPO
    head = hub.repos[REPO].head
    assert publish(harbour, "user/old") == 2
    assert "user/old has been renamed: publish to user/exams" in capsys.readouterr().err
    assert hub.repos[REPO].head == head


def test_without_a_token_nothing_is_created(hub, harbour, capsys, monkeypatch):
    monkeypatch.delenv("HF_TOKEN")
    assert publish(harbour, REPO) == 3
    assert "the Hub does not let you do that with user/exams" in capsys.readouterr().err
    assert hub.repos == {}


def test_eval_yaml_lists_the_bundles_as_tasks_and_stays_up_to_date(hub, harbour, tmp_path):
    import yaml

    assert publish(harbour, REPO, "--eval-framework", "exam2bench") == 0
    record = yaml.safe_load(hub.files(REPO)["eval.yaml"])
    assert record == {
        "name": "Harbour exam",
        "description": "Exam questions graded by rule, and by levels of a rubric.",
        "evaluation_framework": "exam2bench",
        "tasks": [{"id": "harbour", "config": "harbour", "split": "test"}],
    }
    assert find_canaries(hub.files(REPO)["eval.yaml"]) != []
    hub.put(REPO, {"eval.yaml": yaml.safe_dump({**record, "name": "Ours", "more": 1}).encode()})
    other = make_exam(tmp_path / "lagoon", exam_id="lagoon", title="Lagoon exam")
    assert publish(other, REPO) == 0
    record = yaml.safe_load(hub.files(REPO)["eval.yaml"])
    assert (record["name"], record["more"], [task["id"] for task in record["tasks"]]) == (
        "Ours",
        1,
        ["harbour", "lagoon"],
    )
    assert publish(REPO, "--remove", "harbour") == 0
    assert [task["id"] for task in yaml.safe_load(hub.files(REPO)["eval.yaml"])["tasks"]] == ["lagoon"]


def test_staging_again_writes_only_what_changed(tmp_path, harbour, capsys):
    staging = tmp_path / "staging"
    other = make_exam(tmp_path / "lagoon", exam_id="lagoon", title="Lagoon exam")
    assert publish(harbour, other, REPO, "--staging", staging, "--dry-run") == 0
    before = {path: path.stat().st_mtime_ns for path in staging.rglob("*") if path.is_file()}
    amended = make_exam(tmp_path / "new" / "harbour", key="A", revision=2)
    capsys.readouterr()
    assert publish(amended, REPO, "--staging", staging, "--dry-run", "--json") == 0
    (said,) = json.loads(capsys.readouterr().out)["bundles"]
    assert said["written"] == ["harbour/bundle/grading.json", "harbour/bundle/manifest.json"]
    after = {path: path.stat().st_mtime_ns for path in staging.rglob("*") if path.is_file()}
    assert {p.relative_to(staging).as_posix() for p in after if after[p] != before.get(p)} == {
        "README.md",
        *said["written"],
    }
