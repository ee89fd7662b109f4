"""Sealed keys: open questions, encrypted answers, grading that leaves nothing in clear. And the canary."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from pathlib import Path

import pytest

from exam2bench.cli import main
from exam2bench.schemas.bundle import load_bundle
from exam2bench.schemas.canary import canary_of, find_canaries, is_canary
from exam2bench.schemas.errors import BundleError, VersionError
from exam2bench.schemas.sealed import PASSPHRASE, SEALED, seal, unseal
from exam2bench.tests.published import ASSETS, FINDING, REPO, SECRET, contents, make_exam, serving

pytest.importorskip("cryptography")
CANARY = canary_of("harbour", ["a" * 64])
GUID = CANARY.rpartition(" ")[2]
SHEET = {
    "exam_id": "harbour",
    "taker": "T",
    "answers": {
        "q1": {"type": "single_choice", "selected": "A"},
        "q3": {"type": "fill_in_blank", "blanks": {"b1": "white"}},
    },
}


@pytest.fixture
def hub(monkeypatch):
    monkeypatch.delenv(PASSPHRASE, raising=False)
    with serving(monkeypatch) as server:
        yield server


@pytest.fixture
def harbour(tmp_path) -> Path:
    return make_exam(tmp_path / "harbour")


def run(*arguments: object) -> int:
    return main([str(argument) for argument in arguments])


def leaks(data: bytes) -> list[str]:
    told = [SECRET, FINDING, "names photosynthesis", "neither", '"black"', '"correct"']
    return [text for text in told if text.encode() in data] + [
        name for name, picture in ASSETS.items() if ".ref" in name and picture in data
    ]


def test_no_published_file_tells_an_answer(hub, harbour):
    assert run("publish", harbour, REPO, "--sealed") == 0
    files = hub.files(REPO)
    assert "harbour/bundle/grading.json" not in files
    assert {path: leaks(data) for path, data in files.items() if leaks(data)} == {}
    with zipfile.ZipFile(io.BytesIO(files["harbour/bundle/assets.zip"])) as archive:
        assert archive.namelist() == ["assets/map.png", "assets/q1.snapshot.png"]
    public = json.loads(files["harbour/bundle/manifest.json"])
    assert public["warnings"] == []
    assert [(one["code"], one["message"]) for one in public["findings"]] == [("key.doubt", "sealed with the key")]
    # the open one would have told all of it: the list of what is looked for is right
    assert run("publish", harbour, "user/open") == 0
    told = {text for data in hub.files("user/open").values() for text in leaks(data)}
    assert told == {SECRET, FINDING, "names photosynthesis", "neither", '"black"', '"correct"', "assets/q2.ref.png"}


def test_grade_opens_the_seal_and_writes_no_answer(hub, harbour, tmp_path):
    assert run("publish", harbour, REPO, "--sealed") == 0
    got = tmp_path / "got"
    assert run("fetch", REPO, "-o", got) == 0
    (tmp_path / "sheet.json").write_text(json.dumps(SHEET))
    for bundle, report in ((harbour, "open.json"), (got, "sealed.json")):
        assert run("grade", bundle, tmp_path / "sheet.json", "-o", tmp_path / report) == 0
    opened, sealed = (json.loads((tmp_path / name).read_text()) for name in ("open.json", "sealed.json"))
    assert sealed["bundle_digest"] == opened["bundle_digest"] == load_bundle(harbour).digest()
    assert (sealed["total_awarded"], sealed["bounds"]) == (opened["total_awarded"], opened["bounds"])
    assert opened["results"]["q1"]["detail"]["correct"] == ["B"]
    assert sealed["results"]["q1"]["detail"] == {"selected": ["A"], "hits": [], "wrong": ["A"]}
    assert leaks((tmp_path / "sealed.json").read_bytes()) == []
    assert {path: leaks(data) for path, data in contents(got).items() if leaks(data)} == {}
    assert run("validate", got) == 0
    bundle = load_bundle(got)
    assert bundle.read_asset("assets/q2.ref.png") == ASSETS["assets/q2.ref.png"]
    assert not (got / "assets" / "q2.ref.png").exists()
    assert bundle.grading == load_bundle(harbour).grading
    assert [one.message for one in bundle.manifest.findings] == [FINDING]


def test_amending_needs_the_key_in_clear_which_must_be_asked_for(hub, harbour, tmp_path, capsys):
    assert run("publish", harbour, REPO, "--sealed") == 0
    assert run("fetch", REPO, "-o", tmp_path / "got") == 0
    (tmp_path / "change.json").write_text(
        json.dumps({"reason": "r", "source": "s", "questions": {"q1": {"accept": ["A"]}}})
    )
    capsys.readouterr()
    assert run("amend", tmp_path / "got", tmp_path / "change.json", "-o", tmp_path / "new") == 2
    assert "the key is sealed and amending writes it in clear" in capsys.readouterr().err
    assert run("fetch", REPO, "-o", tmp_path / "clear", "--unsealed") == 0
    assert json.loads((tmp_path / "clear" / "manifest.json").read_text())["fetched"]["name"] == "harbour"
    assert not (tmp_path / "clear" / SEALED).exists()
    assert load_bundle(tmp_path / "clear").digest() == load_bundle(harbour).digest()
    assert run("amend", tmp_path / "clear", tmp_path / "change.json", "-o", tmp_path / "new") == 0
    # a sealed copy goes out sealed or not at all, and comes out the same bytes
    before = hub.files(REPO)
    assert run("publish", tmp_path / "got", REPO, "--name", "harbour") == 2
    assert "has a sealed key: publish it with --sealed" in capsys.readouterr().err
    assert run("publish", tmp_path / "got", REPO, "--name", "harbour", "--sealed") == 0
    assert hub.files(REPO) == before


def test_without_the_passphrase_it_stays_closed(hub, harbour, tmp_path, monkeypatch, capsys):
    assert run("publish", harbour, REPO, "--sealed", "--passphrase", "open-sesame") == 0
    assert "| passphrase | `open-sesame` |" in hub.files(REPO)["README.md"].decode()
    got = tmp_path / "got"
    assert run("fetch", REPO, "-o", got) == 0
    manifest = json.loads((got / "manifest.json").read_text())
    assert manifest["fetched"]["passphrase"] == "open-sesame"
    del manifest["fetched"]["passphrase"]
    (got / "manifest.json").write_text(json.dumps(manifest))
    capsys.readouterr()
    assert run("show", got) == 1
    assert f"put the passphrase from the dataset's card into {PASSPHRASE}" in capsys.readouterr().err
    assert run("validate", got) == 1
    assert "sealed.passphrase" in capsys.readouterr().out
    monkeypatch.setenv(PASSPHRASE, "wrong")
    assert run("show", got) == 1
    assert "does not open: another passphrase, or the file was changed" in capsys.readouterr().err
    monkeypatch.setenv(PASSPHRASE, "open-sesame")
    assert run("show", got) == 0


def test_the_same_key_is_the_same_bytes_under_the_same_passphrase(hub, harbour):
    assert run("publish", harbour, REPO, "--sealed") == 0
    before = hub.files(REPO)
    assert run("publish", harbour, REPO, "--sealed") == 0
    assert hub.files(REPO) == before


def test_opening_a_key_that_lay_sealed_takes_the_seal_away(hub, harbour):
    assert run("publish", harbour, REPO, "--sealed") == 0
    assert run("publish", harbour, REPO) == 0
    files = hub.files(REPO)
    assert f"harbour/bundle/{SEALED}" not in files
    assert "passphrase | `" not in files["README.md"].decode()


def test_a_seal_is_refused_by_name_where_it_is_no_seal():
    files = {"grading.json": b"{}", "manifest.json": b"{}", "assets/a.png": b"x"}
    data = seal(files, "word", "harbour", CANARY)
    assert unseal(data, "word", "g") == files
    assert seal(files, "word", "harbour", CANARY) == data
    assert find_canaries(data) == [GUID]
    for broken, told in (
        (b"", "is no sealed key"),
        (b"{}\nxx", "is no sealed key"),
        (data[:-1] + bytes([data[-1] ^ 1]), "does not open"),
        (data.replace(b"harbour", b"lagoon!"), "does not open"),
        (b"[" * 100_000, "is no sealed key"),
    ):
        with pytest.raises(BundleError, match=told):
            unseal(broken, "word", "g")
    with pytest.raises(VersionError, match="version 2 of the seal"):
        unseal(data.replace(b'"version": 1', b'"version": 2'), "word", "g")
    evil = seal({"../evil": b"x"}, "word", "harbour", CANARY)
    with pytest.raises(BundleError, match="leaves the bundle"):
        unseal(evil, "word", "g")


def test_a_sealed_bomb_is_refused(monkeypatch):
    from exam2bench.schemas import sealed

    data = seal({"grading.json": b"0" * 5_000}, "word", "harbour", CANARY)
    monkeypatch.setattr(sealed, "MAX_FILE_BYTES", 4_000)
    with pytest.raises(BundleError, match="g unpacks to 5,000 bytes; at most 4,000 are"):
        unseal(data, "word", "g")


def test_a_judges_words_and_the_key_do_not_reach_a_sealed_report():
    from exam2bench.grade.entries import outcome
    from exam2bench.grade.redaction import redacted

    verdict = {
        "criteria": [{"criterion_id": "c1", "points": 1.0, "rationale": SECRET}],
        "total_points": 1.0,
        "overall_rationale": SECRET,
    }
    detail = {"answer": "x", "expected": SECRET, "reason": "off by 2", "pairs": {"i": {"answer": "A", "expected": "B"}}}
    shut = redacted(outcome("q2", "judge", 2.0, 1.0, detail, (), [verdict]))
    assert SECRET not in shut.text
    assert shut.detail == {"answer": "x", "pairs": {"i": {"answer": "A"}}}
    assert (shut.awarded, shut.max_points, shut.mode) == (1.0, 2.0, "judge")
    assert shut.verdicts[0]["criteria"] == [{"criterion_id": "c1", "points": 1.0, "rationale": ""}]


def test_the_canary_is_added_without_touching_the_digest(harbour, capsys):
    before = load_bundle(harbour).digest()
    assert run("canary", "check", harbour) == 1
    assert "no canary in 8 files" in capsys.readouterr().out
    assert run("canary", "add", harbour) == 0
    assert load_bundle(harbour).digest() == before
    assert run("validate", harbour) == 0
    assert is_canary(load_bundle(harbour).manifest.canary or "")
    stamped = contents(harbour)
    assert run("canary", "add", harbour) == 0
    assert contents(harbour) == stamped
    capsys.readouterr()
    assert run("canary", "check", harbour, "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert said["canaries"] == [GUID]
    carrying = {Path(one["file"]).name for one in said["files"] if one["canaries"] == [GUID]}
    assert carrying == {"exam.json", "grading.json", "answer_schema.json", "manifest.json"}
    assert run("canary", "check", harbour, "--all") == 1


def test_every_published_file_but_loose_pictures_carries_the_canary(hub, harbour, tmp_path, capsys):
    assert run("publish", harbour, REPO, "--sealed", "--staging", tmp_path / "s") == 0
    capsys.readouterr()
    assert run("canary", "check", tmp_path / "s", "--all") == 0
    assert capsys.readouterr().out.startswith(f"{GUID}  in 7 of 7 files\n")


def test_saving_keeps_the_canary_in_every_file(harbour, tmp_path):
    """An amended bundle keeps its canary: it comes from the exam and its sources, not from the key."""
    assert run("canary", "add", harbour) == 0
    change = {"reason": "r", "source": "s", "questions": {"q1": {"accept": ["A"]}}}
    (tmp_path / "change.json").write_text(json.dumps(change))
    assert run("amend", harbour, tmp_path / "change.json", "-o", tmp_path / "new") == 0
    for name in ("exam.json", "grading.json", "answer_schema.json", "manifest.json"):
        assert find_canaries((tmp_path / "new" / name).read_bytes()) == [GUID]
    assert run("validate", tmp_path / "new") == 0


def test_canaries_are_found_inside_archives_tables_and_across_pieces(tmp_path, capsys, monkeypatch):
    import pyarrow as pa
    import pyarrow.parquet as pq

    from exam2bench.corpora.hub import canaries

    text = CANARY.encode()
    (tmp_path / "plain.txt").write_bytes(b"x" * 70 + text)
    (tmp_path / "packed.gz").write_bytes(gzip.compress(b"y" * 1000 + text))
    with zipfile.ZipFile(tmp_path / "packed.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", b"z" * 1000 + text)
    pq.write_table(pa.table({"t": ["no", CANARY, None], "n": [1, 2, 3]}), tmp_path / "t.parquet", compression="zstd")
    (tmp_path / "none.txt").write_bytes(b"nothing")
    (tmp_path / "link").symlink_to(tmp_path / "plain.txt")
    monkeypatch.setattr(canaries, "PIECE", 37)
    looks = {look.path.name: look for look in canaries.scan([tmp_path])}
    assert {name: look.canaries for name, look in looks.items()} == {
        "none.txt": (),
        "packed.gz": (GUID,),
        "packed.zip": (GUID,),
        "plain.txt": (GUID,),
        "t.parquet": (GUID,),
    }
    assert [look.unread for look in looks.values() if look.unread] == []
    assert run("canary", "check", tmp_path / "nowhere") == 2


def test_bombs_are_said_and_not_swallowed(tmp_path, monkeypatch, capsys):
    import pyarrow as pa
    import pyarrow.parquet as pq

    from exam2bench.corpora.hub import canaries

    monkeypatch.setattr(canaries, "MAX_UNPACKED", 1_000_000)
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"0" * 8_000_000))
    with zipfile.ZipFile(tmp_path / "b.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros", b"0" * 8_000_000)
    table = pa.table({"t": ["0" * 5000] * 20_000})
    pq.write_table(table, tmp_path / "c.parquet", compression="zstd", use_dictionary=False)
    (tmp_path / "d.parquet").write_bytes(b"PAR1" + b"\xff" * 64 + b"PAR1")
    (tmp_path / "e.zip").write_bytes(b"PK\x03\x04 broken")
    told = {look.path.name: look.unread for look in canaries.scan([tmp_path])}
    assert told["a.gz"] == "not read to its end: it unpacks to more than 1,000,000 bytes"
    assert told["b.zip"] == "not read to its end: it unpacks to more than 1,000,000 bytes"
    assert told["c.parquet"] is not None and "the column t unpacks from" in told["c.parquet"]
    assert told["d.parquet"] is not None and told["d.parquet"].startswith("cannot be read to its end: ")
    assert told["e.zip"] is not None and told["e.zip"].startswith("cannot be read to its end: ")
    assert run("canary", "check", tmp_path) == 1
    assert "a.gz: not read to its end" in capsys.readouterr().err
