"""Saving and loading bundles: the same bytes each time, whole or not at all, nothing lost without --force."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from exam2bench.schemas.answers import AnswerSheet, TextAnswer
from exam2bench.schemas.bundle import check_target, digest, dump_json, load_bundle, save_bundle, save_record
from exam2bench.schemas.errors import BundleError, UsageError, VersionError
from exam2bench.schemas.exam import Exam
from exam2bench.schemas.grading import GradingSpec
from exam2bench.schemas.manifest import Manifest
from exam2bench.schemas.validation import validate_bundle

SHARED = Path(__file__).parents[1].parent / "shared"
EXAM = Exam.model_validate(
    {
        "exam_id": "harbour",
        "title": "Hafenprüfung 港",
        "language": "de",
        "total_points": 2,
        "sections": [
            {
                "id": "s1",
                "questions": [
                    {
                        "id": "q1",
                        "type": "short_answer",
                        "points": 2,
                        "prompt": [
                            {"type": "text", "markdown": "Größe?"},
                            {"type": "image", "asset": "assets/map.png"},
                        ],
                        "snapshot": "assets/q1.png",
                    }
                ],
            }
        ],
    }
)
GRADING = GradingSpec.model_validate(
    {
        "exam_id": "harbour",
        "questions": {
            "q1": {
                "question_id": "q1",
                "max_points": 2,
                "rule": {"kind": "judge", "reference_assets": ["assets/key.png"]},
            }
        },
    }
)
MANIFEST = Manifest(created_at="2026-01-01T00:00:00Z", tool_version="0.1.0")
ASSETS = {"assets/map.png": b"map", "assets/q1.png": b"crop", "assets/key.png": b"key"}


def save(path: Path, **options):
    return save_bundle(path, EXAM, GRADING, MANIFEST, ASSETS, **options)


def contents(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_what_is_saved_loads_again_and_is_the_same_bytes(tmp_path):
    first, second = save(tmp_path / "a"), save(tmp_path / "deep" / "b")
    assert contents(tmp_path / "a") == contents(tmp_path / "deep" / "b")
    loaded = load_bundle(tmp_path / "a")
    assert (loaded.exam, loaded.grading) == (EXAM, GRADING)
    assert loaded.manifest.digest == first.digest() == second.digest() == loaded.digest()
    assert loaded.read_asset("assets/q1.png") == b"crop"
    assert [f.code for f in validate_bundle(tmp_path / "a")] == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "deep"]


def test_files_are_utf8_json_in_declared_order_and_leave_out_empty_added_fields(tmp_path):
    save(tmp_path / "a")
    lines = (tmp_path / "a" / "exam.json").read_text(encoding="utf-8").splitlines()
    assert lines[1:8] == [
        '  "schema_version": "1",',
        '  "exam_id": "harbour",',
        '  "title": "Hafenprüfung 港",',
        '  "subject": null,',
        '  "language": "de",',
        '  "description": null,',
        '  "total_points": 2.0,',
    ]
    asked = json.loads("\n".join(lines))["sections"][0]["questions"][0]
    assert list(asked) == [
        "id", "number", "type", "prompt", "points", "options", "blanks", "matching", "children", "snapshot",
    ]  # fmt: skip
    assert (tmp_path / "a" / "exam.json").read_bytes().endswith(b"\n}\n".replace(b"\n\n", b"\n"))


def test_the_digest_follows_exam_grading_and_every_asset():
    read = ASSETS.__getitem__
    base = digest(EXAM, GRADING, read)
    assert len(base) == 64
    assert digest(EXAM.model_copy(update={"title": "x"}), GRADING, read) != base
    assert digest(EXAM, GRADING.model_copy(update={"revision": 2}), read) != base
    for name in ASSETS:
        assert digest(EXAM, GRADING, lambda asked, name=name: b"new" if asked == name else ASSETS[asked]) != base
    assert digest(Exam.model_validate_json(dump_json(EXAM)), GRADING, read) == base


def test_the_digest_is_the_documented_one():
    hashes = {name: hashlib.sha256(data).hexdigest() for name, data in ASSETS.items()}
    parts = {"exam": EXAM.model_dump(mode="json"), "grading": GRADING.model_dump(mode="json"), "assets": hashes}
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert digest(EXAM, GRADING, ASSETS.__getitem__) == hashlib.sha256(text.encode()).hexdigest()


def test_an_existing_bundle_is_kept_unless_forced_and_other_files_stay(tmp_path):
    save(tmp_path / "a")
    before = contents(tmp_path / "a")
    with pytest.raises(UsageError, match="holds a bundle already: give --force to replace it"):
        save(tmp_path / "a")
    assert contents(tmp_path / "a") == before
    (tmp_path / "a" / "reports").mkdir()
    (tmp_path / "a" / "reports" / "mine.json").write_text("{}")
    (tmp_path / "a" / "assets" / "stale.png").write_bytes(b"old")
    save(tmp_path / "a", force=True)
    assert contents(tmp_path / "a") == {**before, "reports/mine.json": b"{}"}
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_folder_of_something_else_is_never_replaced(tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "thesis.tex").write_text("years of work")
    for force in (False, True):
        with pytest.raises(UsageError, match="holds other files and no bundle"):
            save(tmp_path / "home", force=force)
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "home")
    for name in ("file", "link"):
        with pytest.raises(UsageError, match="is not a folder"):
            check_target(tmp_path / name, force=True)
    (tmp_path / "empty").mkdir()
    assert save(tmp_path / "empty").root == tmp_path / "empty"


@pytest.mark.parametrize("fault", [KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_an_interrupted_save_leaves_the_old_bundle_and_no_rubbish(tmp_path, monkeypatch, fault):
    save(tmp_path / "a")
    before = contents(tmp_path)
    write_bytes = Path.write_bytes

    def fail_at_the_manifest(self: Path, data: bytes) -> int:
        if self.name == "manifest.json":
            raise fault
        return write_bytes(self, data)

    monkeypatch.setattr(Path, "write_bytes", fail_at_the_manifest)
    with pytest.raises(type(fault)):
        save(tmp_path / "a", force=True)
    with pytest.raises(type(fault)):
        save(tmp_path / "new")
    monkeypatch.undo()
    assert contents(tmp_path) == before
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_failed_rename_puts_the_old_bundle_back(tmp_path, monkeypatch):
    save(tmp_path / "a")
    before = contents(tmp_path)
    rename = os.rename

    def fail_to_move_in(source, target):
        if str(source).endswith(".partial"):
            raise OSError(5, "Input/output error")
        rename(source, target)

    monkeypatch.setattr(os, "rename", fail_to_move_in)
    with pytest.raises(OSError, match="Input/output error"):
        save(tmp_path / "a", force=True)
    monkeypatch.undo()
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("../x.png", "leaves the bundle"),
        ("/x.png", "is absolute"),
        ("a\\x.png", "holds a backslash or a colon"),
        ("assets//x.png", "has an empty part"),
        ("", "is empty"),
        ("assets/\x1b[2J.png", "holds a control character"),
        ("exam.json", "is one of the bundle's own files"),
    ],
)
def test_no_asset_is_written_outside_the_bundle(tmp_path, name, reason):
    with pytest.raises(BundleError, match=reason):
        save_bundle(tmp_path / "a", EXAM, GRADING, MANIFEST, {**ASSETS, name: b"x"})
    assert list(tmp_path.iterdir()) == []


def test_an_asset_that_is_named_must_be_given(tmp_path):
    with pytest.raises(BundleError, match=r"q1 names the asset assets/key\.png, which was not given"):
        save_bundle(tmp_path / "a", EXAM, GRADING, MANIFEST, {k: v for k, v in ASSETS.items() if "key" not in k})
    assert list(tmp_path.iterdir()) == []


def test_loading_refuses_in_one_sentence(tmp_path):
    with pytest.raises(UsageError, match="no such folder"):
        load_bundle(tmp_path / "none")
    with pytest.raises(UsageError, match=r"it has no exam\.json"):
        load_bundle(tmp_path)
    folder = save(tmp_path / "a").root
    exam = json.loads((folder / "exam.json").read_text(encoding="utf-8"))
    (folder / "exam.json").write_text(json.dumps({**exam, "schema_version": "3"}))
    with pytest.raises(VersionError, match='has schema_version "3"; this program reads version 1'):
        load_bundle(folder)
    (folder / "exam.json").write_text(json.dumps({**exam, "schema_version": "1.4", "unknown": 1}))
    assert load_bundle(folder).exam.schema_version == "1.4"
    (folder / "exam.json").write_text(json.dumps({**exam, "total_points": -1}))
    with pytest.raises(BundleError, match=r"exam\.json: total_points: Input should be greater than or equal to 0"):
        load_bundle(folder)


def test_single_records_are_written_whole(tmp_path):
    sheet = AnswerSheet(exam_id="harbour", answers={"q1": TextAnswer(text="12 m")})
    save_record(tmp_path / "sheets" / "a.json", sheet)
    written = json.loads((tmp_path / "sheets" / "a.json").read_text(encoding="utf-8"))
    assert written == {
        "exam_id": "harbour",
        "taker": None,
        "answers": {"q1": {"type": "text", "text": "12 m"}},
        "usage": None,
    }
    with pytest.raises(BundleError, match="cannot be written as JSON"):
        save_record(tmp_path / "b.json", sheet.model_copy(update={"usage": {"cost": float("nan")}}))
    assert [path.name for path in tmp_path.iterdir()] == ["sheets"]


@pytest.mark.skipif(not (SHARED / "peer-bundles").is_dir(), reason="test material is not here")
@pytest.mark.parametrize("name", ["tw-gsat-matha-2024", "tw-moex-immigration-french-2019"])
def test_an_exam_of_any_to_bench_is_written_back_byte_for_byte(name, tmp_path):
    folder = SHARED / "peer-bundles" / name
    bundle = load_bundle(folder)
    assert dump_json(bundle.exam) == (folder / "exam.json").read_text(encoding="utf-8")
    assets = {f"assets/{p.name}": p.read_bytes() for p in (folder / "assets").glob("*")}
    save_bundle(tmp_path / "b", bundle.exam, bundle.grading, bundle.manifest, assets)
    for file in ("exam.json", "answer_schema.json"):
        assert (tmp_path / "b" / file).read_bytes() == (folder / file).read_bytes()
    ours = json.loads((tmp_path / "b" / "grading.json").read_text(encoding="utf-8"))
    theirs = json.loads((folder / "grading.json").read_text(encoding="utf-8"))
    assert ours.pop("revision") == 1
    for entry in ours["questions"].values():
        assert entry.pop("anchored") == (entry["rule"]["kind"] != "judge")
    assert ours == theirs
