"""The house keeps its plan: rooms know only the rooms below them, the root holds nothing else, help is light."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from exam2bench.cli import COMMANDS

ROOT = Path(__file__).parents[1]
# each room with the rooms that it may enter
MAY_ENTER = {
    "schemas": set(),
    "models": {"schemas"},
    "ingest": {"schemas", "models"},
    "solve": {"schemas", "models"},
    "grade": {"schemas", "models"},
    "corpora": {"schemas", "models", "ingest", "solve", "grade"},
    "review": {"schemas", "models", "ingest", "solve", "grade", "corpora"},
}
TOP_LEVEL = {
    *MAY_ENTER, "tests", "benchmarks", "docs", ".ci", ".gitignore", "pyproject.toml", "cli.py", "__init__.py",
    "README.md", "LICENSE", "CHANGELOG.md", "Makefile", "constraints.txt",
}  # fmt: skip
# modules that cost tens of milliseconds and more to import, none of which a --help needs
HEAVY = {
    "pymupdf", "fitz", "numpy", "scipy", "sympy", "math_verify", "pint", "openai", "anthropic", "jsonschema", "PIL",
    "rapidocr", "onnxruntime", "cv2", "datasets", "huggingface_hub", "xllamacpp", "genai_prices",
}  # fmt: skip


def tracked() -> list[Path]:
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in names.split("\0") if name and (ROOT / name).exists()]


def modules() -> list[Path]:
    return sorted(path for room in MAY_ENTER if (ROOT / room).is_dir() for path in (ROOT / room).rglob("*.py"))


def room_of(module: str) -> str | None:
    """The room of a dotted module of the package; None for cli.py and the package itself."""
    parts = module.split(".")
    return parts[1] if parts[0] == "exam2bench" and len(parts) > 1 and parts[1] in MAY_ENTER else None


def imports(path: Path) -> set[str]:
    """The dotted names that a module of the package imports, anywhere in it, relative ones resolved."""
    package = ["exam2bench", *path.relative_to(ROOT).parent.parts]
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            prefix = ".".join([*base, *([node.module] if node.module else [])])
            found |= {f"{prefix}.{alias.name}" for alias in node.names}
    return found


def test_the_parser_of_imports_sees_every_form(tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    module = tmp_path / "grade" / "x.py"
    module.parent.mkdir()
    module.write_text("import exam2bench.ingest.a\ndef f():\n    from ..solve.b import c\n    from . import d\n")
    assert imports(module) == {"exam2bench.ingest.a", "exam2bench.solve.b.c", "exam2bench.grade.d"}


def test_dependencies_point_one_way():
    wrong = []
    for path in modules():
        room = path.relative_to(ROOT).parts[0]
        entered = {other for name in imports(path) if (other := room_of(name))} - {room}
        wrong += [f"{path.relative_to(ROOT)} enters {other}" for other in sorted(entered - MAY_ENTER[room])]
        wrong += [f"{path.relative_to(ROOT)} enters cli" for name in imports(path) if name.startswith("exam2bench.cli")]
    assert wrong == []


def test_imports_inside_the_package_are_relative():
    wrong = []
    for path in [*modules(), ROOT / "cli.py"]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            wrong += [f"{path.relative_to(ROOT)}: {name}" for name in names if name.split(".")[0] == "exam2bench"]
    assert wrong == []


def test_the_root_holds_nothing_else():
    assert {path.relative_to(ROOT).parts[0] for path in tracked()} - TOP_LEVEL == set()


def test_no_module_is_named_after_nothing():
    vague = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "tools", "stuff"}
    assert [path for path in modules() if path.stem in vague] == []


def test_no_machine_paths_and_no_registry_hosts_are_kept():
    hosts = ("pypi" + ".org", "files.pythonhosted" + ".org", "registry.npmjs" + ".org", "proxy.golang" + ".org")
    paths = re.compile(r"(?<![\w.])/(?:root|work|home/\w+|tmp|Users/\w+)/[\w.]")
    wrong = []
    for path in tracked():
        if path.suffix in {".pdf", ".png", ".jpg", ".gz", ".gguf"} or path.name == "LICENSE":
            continue
        text = path.read_text(encoding="utf-8")
        wrong += [f"{path.relative_to(ROOT)}: {host}" for host in hosts if host in text]
        wrong += [f"{path.relative_to(ROOT)}: {found.group()}" for found in paths.finditer(text)]
    assert wrong == []


def test_files_stay_one_idea_long():
    long = {str(p.relative_to(ROOT)): n for p in modules() if (n := len(p.read_text("utf-8").splitlines())) > 600}
    assert long == {}


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_imports_nothing_heavy(command):
    code = (
        "import sys, json, contextlib, io\n"
        "from exam2bench.cli import main\n"
        "try:\n"
        "    with contextlib.redirect_stdout(io.StringIO()) as out:\n"
        f"        main([*{[command] if command else []!r}, '--help'])\n"
        "except SystemExit as stop:\n"
        "    code = stop.code\n"
        "print(json.dumps([code, len(out.getvalue()), sorted({n.split('.')[0] for n in sys.modules})]))\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    exit_code, length, loaded = json.loads(run.stdout)
    assert (exit_code, length > 100) == (0, True)
    assert HEAVY & set(loaded) == set()
