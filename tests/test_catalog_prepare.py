"""`catalog prepare` on Parquet with embedded pictures, as the Hub has CV-Bench: shards, breaks, damaged files."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from exam2bench.cli import main

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

KINDS = {"2D": (("ADE20K", "Count"), ("COCO", "Relation")), "3D": (("Omni3D", "Depth"), ("Omni3D", "Distance"))}


def picture(number: int, kind: str = "PNG") -> bytes:
    """16 x 12 pixels in a colour that follows from the number."""
    buffer = io.BytesIO()
    Image.new("RGB", (16, 12), (number * 29 % 256, number // 8 % 256, 90)).save(buffer, format=kind)
    return buffer.getvalue()


def row(number: int, kind: str, image: Any) -> dict[str, Any]:
    source, task = KINDS[kind][number % 2]
    return {
        "idx": number, "type": kind, "task": task, "image": image, "question": f"Question {number}?",
        "choices": ["1", "2", "3"], "answer": "(B)", "prompt": f"Question {number}? Select from the choices.",
        "filename": f"{kind}/{number}.png", "source": source, "source_dataset": source, "source_filename": "x.jpg",
        "target_class": None, "target_size": None, "bbox": [[0.5, 1.0, 2.0, 3.0]],
    }  # fmt: skip


def shards(folder: Path, each: int = 12, colours: int = 9) -> list[str]:
    """Two files of 2D and one of 3D, in row groups of five; `colours` pictures that several questions share."""
    paths = []
    for place, (name, kind) in enumerate((("test_2d-0", "2D"), ("test_2d-1", "2D"), ("test_3d-0", "3D"))):
        rows = []
        for number in range(place * each, (place + 1) * each):
            data = picture(number % colours, ("PNG", "JPEG")[number % colours % 2])
            rows.append(row(number, kind, {"bytes": data, "path": f"{kind}/{number}.png"}))
        file = folder / f"{name}.parquet"
        parquet.write_table(pyarrow.Table.from_pylist(rows), file, row_group_size=5)
        paths.append(str(file))
    return paths


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def prepare(paths: Sequence[str], out: Path) -> int:
    return main(["catalog", "prepare", "cv-bench", *paths, "-o", str(out)])


def test_shards_become_one_file_of_records_with_their_pictures(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    out = tmp_path / "cv"
    assert prepare(shards(tmp_path), out) == 0
    assert capsys.readouterr().out == f"36 records and 9 pictures in {out}\n"
    rows = [json.loads(line) for line in (out / "records.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [one["id"] for one in rows] == [str(n) for n in range(36)]
    assert {one["source"] for one in rows} == {"ADE20K", "COCO", "Omni3D"}
    for number, one in enumerate(rows):
        kind = ("PNG", "JPEG")[number % 9 % 2]
        assert (out / one["image"]).read_bytes() == picture(number % 9, kind)
        assert one["image"].endswith({"PNG": ".png", "JPEG": ".jpg"}[kind])
    predictions = tmp_path / "p.jsonl"
    predictions.write_text("".join(json.dumps({"id": n, "prediction": "(B)"}) + "\n" for n in range(36)))
    words = ["score", "cv-bench", str(predictions), "--records", str(out / "records.jsonl"), "--json"]
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out)["views"]["robust"]["headline"]["value"] == 1.0


def test_the_same_files_give_the_same_bytes(tmp_path: Path):
    paths = shards(tmp_path)
    assert prepare(paths, tmp_path / "one") == prepare(paths, tmp_path / "two") == 0
    first, second = contents(tmp_path / "one"), contents(tmp_path / "two")
    assert first == second and len(first) == 10


def test_files_that_the_datasets_library_wrote(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    datasets = pytest.importorskip("datasets")
    rows = [row(n, "2D", Image.new("RGB", (4, 3), (n, 0, 0))) for n in range(3)]
    features = datasets.Features(
        {
            **{name: datasets.Value("string") for name in ("type", "task", "question", "answer", "prompt", "source")},
            "idx": datasets.Value("int32"),
            "image": datasets.Image(),
            "choices": datasets.List(datasets.Value("string")),
        }
    )
    listed = [{name: one[name] for name in features} for one in rows]
    file = tmp_path / "test.parquet"
    datasets.Dataset.from_list(listed, features=features).to_parquet(str(file))
    capsys.readouterr()
    assert prepare([str(file)], tmp_path / "cv") == 0
    assert capsys.readouterr().out.startswith("3 records and 3 pictures in ")
    first = json.loads((tmp_path / "cv" / "records.jsonl").read_text().splitlines()[0])
    with Image.open(tmp_path / "cv" / first["image"]) as image:
        assert image.size == (4, 3) and image.getpixel((0, 0)) == (0, 0, 0)


def test_a_run_that_is_killed_leaves_no_folder_and_the_same_command_makes_it(tmp_path: Path):
    """Killed (no cleaning up) while pictures are written: nothing stands under the name that was asked for."""
    paths = shards(tmp_path, each=400, colours=2000)
    out = tmp_path / "made" / "cv"
    words = [sys.executable, "-m", "exam2bench.cli", "catalog", "prepare", "cv-bench", *paths, "-o", str(out)]
    started = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 60
        while not any(out.parent.glob(".cv.*.partial/pictures/*")) and time.monotonic() < end:
            assert started.poll() is None
            time.sleep(0.01)
        os.kill(started.pid, signal.SIGKILL)
        assert started.wait(timeout=30) == -signal.SIGKILL
    finally:
        started.kill()
        started.wait()
    assert not out.exists()
    assert prepare(paths, out) == 0
    assert (out / "records.jsonl").read_bytes().count(b"\n") == 1200
    assert prepare(paths, tmp_path / "again") == 0 and contents(out) == contents(tmp_path / "again")


def test_an_interrupt_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from exam2bench.corpora.catalog.pictures import PictureStore

    paths = shards(tmp_path)
    whole, added = PictureStore.add, []

    def interrupted(self: PictureStore, *words: Any) -> str:
        added.append(words)
        if len(added) == 20:
            raise KeyboardInterrupt
        return whole(self, *words)

    monkeypatch.setattr(PictureStore, "add", interrupted)
    out = tmp_path / "made" / "cv"
    assert prepare(paths, out) == 130
    assert list(out.parent.iterdir()) == []
    assert prepare(paths, out) == 0 and len(contents(out)) == 10


# what is not taken


def refused(paths: Sequence[str], out: Path, capsys: pytest.CaptureFixture[str]) -> str:
    assert prepare(paths, out) in (1, 2)
    shown, error = capsys.readouterr()
    assert shown == "" and error.count("\n") == 1 and "Traceback" not in error
    assert not out.exists() and not list(out.parent.glob(".*partial"))
    return error.removeprefix("exam2bench catalog: ")


@pytest.mark.parametrize("name", ["cut", "empty", "text", "header", "middle"])
def test_damaged_files_are_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str):
    good, bad, _ = shards(tmp_path)
    data = bytearray(Path(bad).read_bytes())
    if name == "middle":
        data[len(data) // 3 : len(data) // 3 + 400] = b"\xff" * 400
    changed = {
        "cut": data[:-300],
        "empty": b"",
        "text": b"idx,type\n1,2D\n",
        "header": b"PAR1" + b"\xff" * 60 + b"PAR1",
    }
    Path(bad).write_bytes(changed.get(name, data))
    said = refused([good, bad], tmp_path / "made" / "cv", capsys)
    assert "test_2d-1.parquet is no readable Parquet file" in said or "the picture is damaged" in said


@pytest.mark.parametrize(
    ("image", "sentence"),
    [
        ({"bytes": b"GIF89a", "path": "a.gif"}, "the record 0: the picture is damaged"),
        ({"bytes": b"<svg/>", "path": "a.svg"}, "the record 0: the picture is damaged or of a kind that is not taken"),
        ({"bytes": None, "path": "../../etc/passwd.png"}, "the picture '../../etc/passwd.png' leaves the"),
        ({"bytes": None, "path": "a.png"}, "the record 0: the picture a.png does not exist"),
        ({"bytes": None, "path": None}, "the record 0: the picture is neither bytes nor base64 nor a path"),
        (7, "the record 0: the picture is neither bytes nor base64 nor a path (int)"),
        (b"", "the record 0: the picture is damaged or of a kind that is not taken"),
    ],
)
def test_hostile_pictures_are_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], image: Any, sentence: str
):
    file = tmp_path / "x.parquet"
    parquet.write_table(pyarrow.Table.from_pylist([row(0, "2D", image)]), file)
    assert sentence in refused([str(file)], tmp_path / "made" / "cv", capsys)


def test_a_shard_given_twice_and_one_of_another_benchmark(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    first, second, _ = shards(tmp_path)
    out = tmp_path / "made" / "cv"
    said = refused([first, second, first], out, capsys)
    assert said == "test_2d-0.parquet line 1: the id 0 stands already in test_2d-0.parquet line 1\n"
    other = tmp_path / "pope.parquet"
    parquet.write_table(pyarrow.Table.from_pylist([{"question_id": 1, "answer": "yes"}]), other)
    assert "which every record of cv-bench has: are these another benchmark's records" in refused(
        [str(other)], out, capsys
    )


def test_a_picture_that_unpacks_beyond_all_bounds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    """Two megabytes of zeros that Parquet packs into a few kilobytes, with a bound of one."""
    monkeypatch.setattr("exam2bench.corpora.catalog.pictures.MAX_BYTES", 2**20)
    file = tmp_path / "x.parquet"
    rows = [row(0, "2D", {"bytes": bytes(2**21), "path": "a.png"})]
    parquet.write_table(pyarrow.Table.from_pylist(rows), file, compression="zstd")
    assert file.stat().st_size < 20_000
    said = refused([str(file)], tmp_path / "made" / "cv", capsys)
    assert said == "the record 0: the picture is larger than 1,048,576 bytes\n"
