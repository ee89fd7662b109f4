"""The wheel: every room with its subpackages and the sample exam, and nothing else. Built offline, in a copy."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = ("schemas", "models", "ingest", "solve", "grade", "corpora", "review")
KEPT_OUT = ("tests", "benchmarks", "docs", "build", ".ci")


def packages_on_disk() -> set[str]:
    """Every folder of a room that holds an __init__.py, dotted; and a complaint about those that lack it."""
    found = {"exam2bench"}
    for room in ROOMS:
        for module in (ROOT / room).rglob("*.py"):
            found.add(".".join(["exam2bench", *module.relative_to(ROOT).parent.parts]))
    return found


def data_on_disk() -> set[str]:
    """The files of the rooms that are no Python: what a command needs must ship."""
    found = set()
    for room in ROOMS:
        for path in (ROOT / room).rglob("*"):
            if path.is_file() and path.suffix not in {".py", ".pyc"}:
                found.add("exam2bench/" + path.relative_to(ROOT).as_posix())
    return found


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> zipfile.ZipFile:
    copy = tmp_path_factory.mktemp("source") / "exam2bench"
    skipped = shutil.ignore_patterns(".*", "build", "dist", "*.egg-info", "__pycache__")
    shutil.copytree(ROOT, copy, ignore=skipped)
    code = f"from setuptools import build_meta; print(build_meta.build_wheel({str(copy.parent)!r}))"
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    subprocess.run([sys.executable, "-c", code], cwd=copy, check=True, capture_output=True, env=environment)
    return zipfile.ZipFile(next(copy.parent.glob("*.whl")))


def test_every_package_is_listed():
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["packages"]
    assert sorted(listed) == sorted(packages_on_disk())
    for package in listed:
        assert (ROOT / Path(*package.split(".")[1:]) / "__init__.py").is_file(), package


def test_the_wheel_holds_every_module_and_data_file(wheel):
    modules = {
        "exam2bench/" + path.relative_to(ROOT).as_posix() for room in ROOMS for path in (ROOT / room).rglob("*.py")
    }
    expected = modules | data_on_disk() | {"exam2bench/__init__.py", "exam2bench/cli.py"}
    assert {name for name in wheel.namelist() if ".dist-info/" not in name} == expected


def test_the_wheel_holds_nothing_of_the_workshop(wheel):
    assert [n for n in wheel.namelist() if set(Path(n).parts) & set(KEPT_OUT)] == []


def test_the_wheel_says_what_it_is(wheel):
    folder = next(name.split("/")[0] for name in wheel.namelist() if ".dist-info/" in name)
    metadata = wheel.read(f"{folder}/METADATA").decode("utf-8")
    assert "License-Expression: AGPL-3.0-or-later" in metadata
    assert "Requires-Python: >=3.11" in metadata
    assert "Provides-Extra: ocr" in metadata
    assert f"{folder}/licenses/LICENSE" in wheel.namelist()
    assert "exam2bench = exam2bench.cli:main" in wheel.read(f"{folder}/entry_points.txt").decode("utf-8")


def test_the_sample_exam_ships_and_stays_small(wheel):
    sizes = {Path(i.filename).name: i.file_size for i in wheel.infolist() if "/samples/" in i.filename}
    for name in ("paper.pdf", "key.pdf", "markscheme.pdf", "scan.pdf"):
        assert 10_000 < sizes[name] < 300_000
    assert {"expected.json", "perfect.json", "half.json", "blank.json"} <= set(sizes)


def test_the_pinned_versions_satisfy_what_is_asked_for():
    from packaging.requirements import Requirement

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pinned = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines() if line)
    asked = project["dependencies"] + [r for e in ("ocr", "dev") for r in project["optional-dependencies"][e]]
    versions = {name.lower().replace("_", "-"): version for name, version in pinned.items()}
    for requirement in map(Requirement, asked):
        assert requirement.specifier.contains(versions[requirement.name.lower().replace("_", "-")]), requirement


def test_an_unpacked_wheel_imports_every_module_of_a_command(wheel, tmp_path):
    """Nothing leans on the working tree: each command's module comes from the wheel, relative imports and all."""
    wheel.extractall(tmp_path)
    code = (
        "import exam2bench, importlib\n"
        "from exam2bench.cli import COMMANDS\n"
        "for module, _ in COMMANDS.values():\n"
        "    print(importlib.import_module('exam2bench.' + module).__file__)\n"
        "import exam2bench.ingest.engine, exam2bench.grade.report, exam2bench.schemas.validation\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True, env=environment
    )
    assert [line for line in run.stdout.splitlines() if not Path(line).is_relative_to(tmp_path / "exam2bench")] == []
