"""`fetch`: pinned, verified, resumed; each refusal a sentence of its own; a hostile repository refused by name."""

from __future__ import annotations

import io
import json
import stat
import zipfile
from pathlib import Path

import pytest

from exam2bench.cli import main
from exam2bench.schemas.bundle import load_bundle
from exam2bench.tests.hub_server import Fault, HubServer, Repository
from exam2bench.tests.published import ASSETS, REPO, TOKEN, contents, make_exam, serving

pytest.importorskip("datasets")
PEERS = Path(__file__).parents[1].parent / "shared" / "peer-bundles"


@pytest.fixture
def hub(monkeypatch):
    """A reader's environment: no token."""
    with serving(monkeypatch, token=None) as server:
        yield server


@pytest.fixture
def harbour(tmp_path) -> Path:
    return make_exam(tmp_path / "mine" / "harbour")


def fetch(*arguments: object) -> int:
    return main(["fetch", *map(str, arguments)])


def put(hub: HubServer, bundle: Path, name: str = "harbour", repo: str = REPO, **more: bytes) -> str:
    """The bundle as any-to-bench lays it out, by hand."""
    files = {f"{name}/bundle/{path}": data for path, data in contents(bundle).items()}
    return hub.put(repo, {"README.md": b"# theirs\n", **files, **more})


def published(monkeypatch, hub: HubServer, *bundles: Path, repo: str = REPO) -> str:
    with monkeypatch.context() as patch:
        patch.setenv("HF_TOKEN", TOKEN)
        assert main(["publish", *map(str, bundles), repo]) == 0
    return hub.repos[repo].head


def test_what_was_published_comes_back_byte_for_byte_with_its_pin(hub, harbour, tmp_path, monkeypatch, capsys):
    main(["canary", "add", str(harbour)])
    commit = published(monkeypatch, hub, harbour)
    capsys.readouterr()
    got = tmp_path / "got"
    assert fetch(REPO, "-o", got, "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["source"], said["digest_stated"]) == (f"{REPO}@{commit}#harbour", True)
    assert said["digest"] == load_bundle(harbour).digest() == load_bundle(got).digest()
    ours, theirs = contents(harbour), contents(got)
    del ours["assets/page-3.render.png"]
    assert {name: theirs[name] == data for name, data in ours.items() if name != "manifest.json"} == {
        name: True for name in ours if name != "manifest.json"
    }
    assert set(theirs) == set(ours)
    manifest = json.loads(theirs["manifest.json"])
    assert manifest.pop("fetched") == {"repo": REPO, "revision": commit, "name": "harbour"}
    assert manifest == json.loads(ours["manifest.json"])


def test_a_pinned_revision_stays_what_it_was(hub, harbour, tmp_path, monkeypatch):
    first = published(monkeypatch, hub, harbour)
    published(monkeypatch, hub, make_exam(tmp_path / "new" / "harbour", key="A", revision=2))
    old = load_bundle(harbour).digest()
    for revision in (first, "harbour-r1"):
        assert fetch(f"{REPO}@{revision}", "-o", tmp_path / revision) == 0
        bundle = load_bundle(tmp_path / revision)
        assert bundle.digest() == old
        assert bundle.manifest.source() == f"{REPO}@{first}#harbour"
    assert fetch(REPO, "-o", tmp_path / "new-one") == 0
    assert load_bundle(tmp_path / "new-one").grading.revision == 2


def test_the_pin_goes_into_sheets_and_reports_and_on_to_the_models_card(hub, harbour, tmp_path, monkeypatch, capsys):
    from exam2bench.schemas.json_files import read_record
    from exam2bench.schemas.report import Report
    from exam2bench.schemas.sheet_checks import validate_sheet

    commit = published(monkeypatch, hub, harbour)
    assert fetch(REPO, "-o", tmp_path / "got") == 0
    sheet = {
        "exam_id": "harbour",
        "taker": "T",
        "bundle_source": f"{REPO}@{commit}#harbour",
        "answers": {
            "q1": {"type": "single_choice", "selected": "B"},
            "q2": {"type": "text", "text": "x"},
            "q3": {"type": "fill_in_blank", "blanks": {"b1": "black"}},
        },
    }
    assert validate_sheet(load_bundle(tmp_path / "got").exam, sheet) == []
    (tmp_path / "s.json").write_text(json.dumps(sheet))
    assert main(["grade", str(tmp_path / "got"), str(tmp_path / "s.json"), "-o", str(tmp_path / "r.json")]) == 0
    assert read_record(tmp_path / "r.json", Report).bundle_source == f"{REPO}@{commit}#harbour"
    out = tmp_path / ".eval_results" / "exams.yaml"
    assert main(["eval-results", str(tmp_path / "r.json"), "-o", str(out), "--notes", "no tools"]) == 0
    import yaml

    (entry,) = yaml.safe_load(out.read_text())
    report = read_record(tmp_path / "r.json", Report)
    assert entry["dataset"] == {"id": REPO, "task_id": "harbour", "revision": commit}
    assert (entry["value"], entry["date"]) == (50.0, report.graded_at)
    assert entry["notes"].startswith("no tools; 1 questions ungraded: between 50.0 and 100.0 %; digest ")


def test_a_model_that_sits_a_fetched_exam_says_so_on_its_sheet(hub, harbour, tmp_path, monkeypatch):
    from exam2bench.models.fake_server import FakeServer

    commit = published(monkeypatch, hub, harbour)
    assert fetch(REPO, "-o", tmp_path / "got") == 0
    with FakeServer() as server:
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        arguments = ["--model", f"chat:fake@{server.url}/v1", "--questions", "q1"]
        main(["solve", str(tmp_path / "got"), "-o", str(tmp_path / "sheet.json"), *arguments])
    sheet = json.loads((tmp_path / "sheet.json").read_text())
    assert sheet["bundle_source"] == f"{REPO}@{commit}#harbour"


def test_one_of_many_needs_its_name(hub, harbour, tmp_path, monkeypatch, capsys):
    published(monkeypatch, hub, harbour, make_exam(tmp_path / "lagoon", exam_id="lagoon", title="Lagoon"))
    capsys.readouterr()
    assert fetch(REPO, "-o", tmp_path / "got") == 2
    assert "user/exams holds 2 bundles, choose with --name: harbour, lagoon" in capsys.readouterr().err
    assert fetch(REPO, "--list") == 0
    assert capsys.readouterr().out == "harbour\nlagoon\n"
    assert fetch(REPO, "-o", tmp_path / "got", "--name", "strait") == 2
    assert "user/exams has no bundle strait: there are harbour, lagoon" in capsys.readouterr().err
    assert fetch(REPO, "-o", tmp_path / "got", "--name", "lagoon") == 0
    assert load_bundle(tmp_path / "got").exam.exam_id == "lagoon"


@pytest.mark.parametrize("name", ["tw-gsat-matha-2024", "tw-moex-immigration-french-2019"])
def test_what_any_to_bench_published_is_fetched_as_it_is(hub, name, tmp_path, capsys):
    if not PEERS.is_dir():
        pytest.skip("shared/peer-bundles is not here")
    resources = {f"{name}/bundle/resources/a/notes.txt": b"for solvers", f"{name}/test-00000-of-00001.parquet": b"PAR1"}
    put(hub, PEERS / name, name, **resources)
    assert fetch(REPO, "-o", tmp_path / "got") == 0
    assert "computed here; the repository states none" in capsys.readouterr().out
    got, theirs = contents(tmp_path / "got"), contents(PEERS / name)
    assert got.pop("resources/a/notes.txt") == b"for solvers"
    manifest, original = json.loads(got.pop("manifest.json")), json.loads(theirs.pop("manifest.json"))
    assert got == theirs
    assert manifest.pop("fetched")["repo"] == REPO
    assert manifest.pop("digest") == load_bundle(tmp_path / "got").digest()
    assert manifest == original
    assert not any("parquet" in path for _, path in hub.requests)


def test_a_broken_download_goes_on_where_it_was(hub, harbour, tmp_path, monkeypatch, capsys):
    from exam2bench.corpora.hub import remote

    published(monkeypatch, hub, harbour)
    monkeypatch.setattr(remote.time, "sleep", lambda seconds: None)
    monkeypatch.setattr("huggingface_hub.file_download.time.sleep", lambda seconds: None)
    monkeypatch.setattr("huggingface_hub.utils._http.time.sleep", lambda seconds: None)
    hub.faults.append(Fault("resolve", times=50, status=0, match="assets.zip"))
    got = tmp_path / "got"
    assert fetch(REPO, "-o", got) == 3
    assert not got.exists()
    assert "cannot be reached" in capsys.readouterr().err
    hub.faults.clear()
    hub.requests.clear()
    assert fetch(REPO, "-o", got) == 0
    asked = {path.rpartition("/")[2] for kind, path in hub.requests if kind == "resolve"}
    assert asked == {"assets.zip"}
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith(".fetch")] == []


def test_a_download_with_another_content_is_refused(hub, harbour, tmp_path, monkeypatch, capsys):
    published(monkeypatch, hub, harbour)
    hub.faults.append(Fault("resolve", times=2, corrupt=True, match="exam.json"))
    assert fetch(REPO, "-o", tmp_path / "got") == 1
    assert "exam.json arrived with another content than user/exams states" in capsys.readouterr().err
    assert list(tmp_path.glob(".got*")) == []
    hub.faults.clear()
    assert fetch(REPO, "-o", tmp_path / "got") == 0


def test_a_key_that_was_changed_in_place_is_refused(hub, harbour, tmp_path, monkeypatch, capsys):
    published(monkeypatch, hub, harbour)
    path = "harbour/bundle/grading.json"
    hub.put(REPO, {path: hub.files(REPO)[path].replace(b'"B"', b'"A"')})
    assert fetch(REPO, "-o", tmp_path / "got") == 1
    assert "its paper or key was changed after it was published; nothing was kept" in capsys.readouterr().err
    assert not (tmp_path / "got").exists() and list(tmp_path.glob(".got*")) == []


def test_each_refusal_has_its_own_sentence(hub, harbour, tmp_path, monkeypatch, capsys):
    commit = put(hub, harbour)
    hub.repos["user/private"] = Repository(private=True, commits=hub.repos[REPO].commits, order=[commit])
    hub.repos["user/gated"] = Repository(gated=True, commits=hub.repos[REPO].commits, order=[commit])
    hub.renamed["user/old"] = REPO
    hub.put("user/empty", {"README.md": b"x", "data/train.parquet": b"x"})
    told = {}
    for name in ("missing", "private", "gated", "empty", "exams@nowhere", "exams@" + "0" * 40):
        assert fetch(f"user/{name}", "-o", tmp_path / "got") == 3, name
        told[name] = capsys.readouterr().err.strip().rpartition("exam2bench fetch: ")[2]
    unseen = "that you can see: it is missing, misspelt or private (if it is private, put a token into HF_TOKEN)"
    assert told["missing"] == f"there is no dataset user/missing {unseen}"
    assert told["private"] == f"there is no dataset user/private {unseen}"
    assert told["gated"].startswith("user/gated is gated: ask for access on its page")
    assert told["empty"].startswith("user/empty holds no bundle")
    assert told["exams@nowhere"] == told["exams@" + "0" * 40]
    assert told["exams@nowhere"] == "user/exams has no such revision: give a commit, tag or branch that it has"
    monkeypatch.setenv("HF_TOKEN", "hf_other")
    assert fetch(REPO, "-o", tmp_path / "got") == 3
    assert "the Hub does not take the token in HF_TOKEN" in capsys.readouterr().err
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    assert fetch("user/private", "-o", tmp_path / "private") == 0
    assert fetch("user/old", "-o", tmp_path / "renamed") == 0
    assert "user/old has been renamed to user/exams; fetching from there" in capsys.readouterr().err
    assert load_bundle(tmp_path / "renamed").manifest.source() == f"{REPO}@{commit}#harbour"


def test_no_network_is_said(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert fetch(REPO, "-o", tmp_path / "got") == 3
    assert "the Hub at http://127.0.0.1:9 cannot be reached (ConnectError: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("argument", "name", "told"),
    [
        ("exams", None, "'exams' is not a dataset repository"),
        ("user/exams/more", None, "is not a dataset repository"),
        ("../user", None, "is not a dataset repository"),
        ("user/exams@", None, "'' is not a revision"),
        ("user/exams@../x", None, "'../x' is not a revision"),
        ("user/exams", "../x", "'../x' cannot be a bundle's name"),
        ("user/exams", "a/b", "'a/b' cannot be a bundle's name"),
        ("user/exams", "x\x1b[2J", "cannot be a bundle's name"),
    ],
)
def test_names_that_cannot_be(argument, name, told, tmp_path, capsys):
    assert fetch(argument, "-o", tmp_path / "got", *(["--name", name] if name else [])) == 2
    assert told in capsys.readouterr().err


def test_what_lies_at_the_target_is_kept(hub, harbour, tmp_path, monkeypatch, capsys):
    put(hub, harbour)
    got = tmp_path / "got"
    assert fetch(REPO, "-o", got) == 0
    (got / "my-sheet.json").write_text("mine")
    assert fetch(REPO, "-o", got) == 2
    assert "holds a bundle already: give --force" in capsys.readouterr().err
    put(hub, make_exam(tmp_path / "new", key="A", revision=2))
    assert fetch(REPO, "-o", got, "--force") == 0
    assert (got / "my-sheet.json").read_text() == "mine"
    assert load_bundle(got).grading.revision == 2
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").write_text("x")
    assert fetch(REPO, "-o", tmp_path / "other", "--force") == 2


# a hostile repository


def archive(*entries: tuple[str | zipfile.ZipInfo, bytes], packing: int = zipfile.ZIP_STORED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", packing) as made:
        for name, data in entries:
            made.writestr(name, data)
    return out.getvalue()


def link(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    return entry


def lying(data: bytes, size: int) -> bytes:
    """The archive with another unpacked size in its directory than its entry has."""
    at = data.rfind(b"PK\x01\x02") + 24
    return data[:at] + size.to_bytes(4, "little") + data[at + 4 :]


TRAVERSAL = archive(("assets/map.png", b"x"), ("../../evil.txt", b"x"))
HOSTILE_ARCHIVES = {
    "traversal": (TRAVERSAL, "'../../evil.txt' leaves the bundle"),
    "absolute": (archive(("/etc/evil", b"x")), "'/etc/evil' is absolute"),
    "backslash": (archive(("assets\\..\\evil", b"x")), "holds a backslash"),
    "own file": (archive(("grading.json", b"{}")), "'grading.json' is one of the bundle's own files"),
    "symlink": (archive((link("assets/map.png"), b"/etc/passwd")), "assets/map.png is a symlink"),
    "escape": (archive(("assets/\x1b[2J.png", b"x")), "holds a control character"),
    "not one": (b"PK\x03\x04 not a zip", "is a broken archive"),
    "lying": (lying(archive(("assets/a", b"0" * 999), packing=zipfile.ZIP_DEFLATED), 10), "is a broken archive"),
}


@pytest.mark.parametrize("kind", HOSTILE_ARCHIVES)
def test_a_hostile_archive(hub, harbour, tmp_path, capsys, kind):
    data, told = HOSTILE_ARCHIVES[kind]
    for name in ASSETS:
        (harbour / name).unlink()
    put(hub, harbour, **{"harbour/bundle/assets.zip": data})
    assert fetch(REPO, "-o", tmp_path / "a" / "b" / "got") == 1
    shown = capsys.readouterr().err
    assert told in shown and "\x1b" not in shown
    assert sorted(path.name for path in tmp_path.rglob("*") if "evil" in path.name) == []
    assert not (tmp_path / "a" / "b" / "got").exists()


def test_bombs(hub, harbour, tmp_path, capsys, monkeypatch):
    from exam2bench.schemas import archive as archives

    monkeypatch.setattr(archives, "MAX_FILE_BYTES", 100_000)
    monkeypatch.setattr(archives, "MAX_TOTAL_BYTES", 600_000)
    monkeypatch.setattr(archives, "MAX_FILES", 50)
    zeros = b"0" * 90_000
    bombs = {
        "assets/a has 500,000 bytes; at most 100,000 are read": archive(
            ("assets/a", b"0" * 500_000), packing=zipfile.ZIP_DEFLATED
        ),
        "unpacks to 630,000 bytes; at most 600,000 are": archive(
            *[(f"assets/{i}", zeros) for i in range(7)], packing=zipfile.ZIP_DEFLATED
        ),
        "holds 51 files; at most 50 are read": archive(*[(f"assets/{i}", b"") for i in range(51)]),
    }
    for told, data in bombs.items():
        put(hub, harbour, **{"harbour/bundle/assets.zip": data})
        assert fetch(REPO, "-o", tmp_path / "got") == 1
        assert told in capsys.readouterr().err


def test_a_parquet_bomb_is_never_asked_for(hub, harbour, tmp_path, monkeypatch):
    """The viewer's tables are nobody's bundle: `fetch` does not even download them."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(pa.table({"t": ["0" * 5000] * 20_000}), out, compression="zstd", use_dictionary=False)
    assert len(out.getvalue()) < 1_000_000
    tables = ("harbour/test-00000-of-00001.parquet", "data/train-00000-of-00001.parquet")
    put(hub, harbour, **dict.fromkeys(tables, out.getvalue()))
    hub.repos[REPO].sizes[tables[0]] = 1 << 50
    assert fetch(REPO, "-o", tmp_path / "got") == 0
    assert [path for kind, path in hub.requests if kind == "resolve" and "parquet" in path] == []
    assert list(tmp_path.rglob("*.parquet")) == []


def test_a_bomb_in_the_seal_is_refused(hub, harbour, tmp_path, monkeypatch, capsys):
    from exam2bench.schemas import sealed

    pytest.importorskip("cryptography")
    (harbour / "grading.json").rename(harbour / "kept")
    closed = {"grading.json": (harbour / "kept").read_bytes(), "manifest.json": b" " * 500_000}
    (harbour / "kept").unlink()
    with monkeypatch.context() as patch:  # a seal that packs well: this program's own packs nothing
        patch.setattr(sealed, "pack", lambda out, files: out.write(archive(*files, packing=zipfile.ZIP_DEFLATED)))
        (harbour / sealed.SEALED).write_bytes(sealed.seal(closed, "word", "harbour", "canary"))
    put(hub, harbour)
    monkeypatch.setenv(sealed.PASSPHRASE, "word")
    monkeypatch.setattr(sealed, "MAX_FILE_BYTES", 100_000)
    assert fetch(REPO, "-o", tmp_path / "got") == 1
    assert "unpacks to " in (told := capsys.readouterr().err) and "at most 100,000 are" in told
    assert not (tmp_path / "got").exists()


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("harbour/bundle/../../evil.json", "leaves the bundle"),
        ("harbour/bundle/assets/..\\evil.png", "holds a backslash"),
        ("harbour/bundle/assets//evil.png", "has an empty part"),
        ("harbour/bundle/assets/\x1b]0;evil\x07.png", "holds a control character"),
        ("harbour/bundle/assets/MAP.png", "assets/MAP.png and assets/map.png differ only in case"),
    ],
)
def test_hostile_names(hub, harbour, tmp_path, capsys, path, told):
    put(hub, harbour, **{path: b"x"})
    assert fetch(REPO, "-o", tmp_path / "got") == 1
    shown = capsys.readouterr().err
    assert told in shown and "\x1b" not in shown and "\x07" not in shown
    assert not any(kind == "resolve" for kind, _ in hub.requests)
    assert list(tmp_path.rglob("*evil*")) == []


def test_a_link_in_git_is_a_file_that_says_a_path(hub, harbour, tmp_path, capsys):
    """Git keeps a symlink as a file with the target in it: it arrives as such a file, and is nothing else."""
    put(hub, harbour, **{"harbour/bundle/exam.json": b"/etc/passwd"})
    assert fetch(REPO, "-o", tmp_path / "got") == 1
    assert "exam.json is not valid JSON" in capsys.readouterr().err
    assert not (tmp_path / "got").exists()


def test_sizes_that_no_bundle_has_are_refused_before_anything_is_fetched(hub, harbour, tmp_path, capsys):
    put(hub, harbour)
    hub.repos[REPO].sizes["harbour/bundle/assets/map.png"] = 300 * 1024 * 1024
    assert fetch(REPO, "-o", tmp_path / "got") == 1
    assert "assets/map.png has 314,572,800 bytes: too large for a bundle" in capsys.readouterr().err
    hub.repos[REPO].sizes = {"harbour/bundle/grading.json": 20 * 1024 * 1024}
    assert fetch(REPO, "-o", tmp_path / "got") == 1
    assert "grading.json has 20,971,520 bytes: too large for a bundle" in capsys.readouterr().err
    assert not any(kind == "resolve" for kind, _ in hub.requests)


def test_a_hundred_thousand_files_are_not_even_listed(hub, harbour, tmp_path, capsys):
    put(hub, harbour, **{f"harbour/bundle/assets/{i}.png": b"" for i in range(100_000)})
    assert fetch(REPO, "-o", tmp_path / "got", "--name", "harbour") == 3
    assert "harbour/bundle holds more than 20,000 entries: no bundle has so many" in capsys.readouterr().err
    assert sum(kind == "tree" for kind, _ in hub.requests) <= 21
    hub.put("user/wide", {f"b{i}/x": b"" for i in range(6_000)})
    assert fetch("user/wide", "-o", tmp_path / "got") == 3
    assert "user/wide holds more than 5,000 entries" in capsys.readouterr().err


def test_a_bundle_with_parts_missing(hub, harbour, tmp_path, capsys):
    (harbour / "manifest.json").unlink()
    put(hub, harbour)
    assert fetch(REPO, "-o", tmp_path / "got") == 1
    assert "user/exams: harbour/bundle has no manifest.json" in capsys.readouterr().err


def test_a_bundle_with_errors_is_kept_and_said(hub, harbour, tmp_path, capsys):
    (harbour / "answer_schema.json").write_text("{}")
    put(hub, harbour)
    assert fetch(REPO, "-o", tmp_path / "got") == 1
    assert "1 errors: exam2bench validate" in capsys.readouterr().out
    assert (tmp_path / "got" / "exam.json").is_file()


TRICKS = {
    "bomb": ("a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n", "anchors and aliases have no place"),
    "python": ("x: !!python/object/apply:os.system ['touch evil']\n", "has no place in a card|could not determine"),
    "twice": ("configs: []\nconfigs: []\n", "stands twice"),
    "merge": ("a: {<<: {b: 1}}\n", "stands twice, or merges"),
    "deep": ("a: " + "[" * 300 + "]" * 300 + "\n", "nested deeper than 20"),
    "flow": ("{a: 1}\n", "cannot be changed key by key"),
    "list": ("- a\n- b\n", "is not a mapping of names"),
    "configs": ("configs: [harbour]\n", "`configs` in the dataset card's YAML is not a list of entries"),
    "broken": ("a: [1\n", "cannot be read"),
    "size": ("a: '" + "x" * 1_100_000 + "'\n", "that is no card"),
}


@pytest.mark.parametrize("kind", TRICKS)
def test_a_card_with_yaml_tricks_is_refused_by_publish_and_never_read_by_fetch(
    hub, harbour, tmp_path, monkeypatch, capsys, kind
):
    import re

    yaml_text, told = TRICKS[kind]
    put(hub, harbour, name="other", **{"README.md": f"---\n{yaml_text}---\n# x\n".encode()})
    assert fetch(REPO, "-o", tmp_path / "got") == 0
    head = hub.repos[REPO].head
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    monkeypatch.chdir(tmp_path)
    capsys.readouterr()
    assert main(["publish", str(harbour), REPO]) == 1
    assert re.search(told, capsys.readouterr().err)
    assert hub.repos[REPO].head == head
    assert not (tmp_path / "evil").exists()
