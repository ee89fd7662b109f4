"""Every example in README.md and docs/*.md is run.

How a page opts in: a fenced block of the language `console`. Each line `$ exam2bench …` in it is run, in this
process, in a temporary folder that holds the sample exam (paper.pdf, key.pdf, markscheme.pdf, scan.pdf,
perfect.json, half.json, blank.json). Blocks of one page share the folder and run in order.

- The lines below a command are compared with its stdout and stderr. `…` stands for any text within a line; a
  line that is only `…` for any number of lines. No lines below: only the exit code is compared.
- The exit code must be 0, or N where the command ends in `# exit N`.
- `> FILE` writes stdout into FILE.
- A block `console no-run` is not run, and neither are other programs' lines (`$ make demo`, `$ pip install …`).
- A block `python` is executed in the same folder; the blocks of a page share their names.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from exam2bench.cli import COMMANDS, main

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "corpora" / "samples"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(console|python)[ \t]*(.*?)\n(.*?)^```", re.DOTALL | re.MULTILINE)


@dataclass
class Example:
    """One command with what the page says that it prints, or one python block."""

    command: str
    expected: list[str] = field(default_factory=list)
    python: bool = False


def examples(text: str) -> Iterator[Example]:
    for language, flags, body in FENCE.findall(text):
        if "no-run" in flags:
            continue
        if language == "python":
            yield Example(body, python=True)
            continue
        current: Example | None = None
        for line in body.splitlines():
            if line.startswith("$ "):
                if current:
                    yield current
                current = Example(line[2:]) if line.startswith("$ exam2bench") else None
            elif current:
                current.expected.append(line)
        if current:
            yield current


def run(example: Example) -> tuple[int, str]:
    """Run a command line; its exit code and what it printed, redirected output left out."""
    words = shlex.split(example.command.split(" # exit ")[0])[1:]
    target = None
    if ">" in words:
        words, target = words[: words.index(">")], words[words.index(">") + 1]
    out = io.StringIO()
    printed = io.StringIO() if target else out
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(out):
        try:
            code = main(words)
        except SystemExit as stop:
            code = int(stop.code or 0)
    if target:
        Path(target).write_text(printed.getvalue(), encoding="utf-8")
    return code, out.getvalue()


def pattern(expected: list[str]) -> re.Pattern[str]:
    lines = [r"(?:.*\n)*?" if line == "…" else re.escape(line).replace("…", ".*?") + r"[ ]*\n" for line in expected]
    return re.compile("".join(lines))


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_the_examples_of_a_page_do_what_it_says(page, tmp_path, monkeypatch):
    for file in SAMPLES.glob("*"):
        if file.suffix in {".pdf", ".json"}:
            shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    names: dict[str, object] = {}
    for example in examples(page.read_text(encoding="utf-8")):
        if example.python:
            exec(compile(example.command, str(page), "exec"), names)
            continue
        code, shown = run(example)
        wanted = int(example.command.partition(" # exit ")[2] or 0)
        assert code == wanted, f"{example.command}: exit {code}\n{shown}"
        if example.expected:
            shown = "".join(f"{line.rstrip()}\n" for line in shown.splitlines())
            assert pattern(example.expected).fullmatch(shown), f"{example.command}\n{shown}"


def test_pages_have_examples():
    for name in ("README.md", "docs/bundle.md"):
        assert len(list(examples((ROOT / name).read_text(encoding="utf-8")))) >= 3, name


def test_the_reader_of_pages_sees_commands_output_and_exit_codes():
    text = "```console\n$ exam2bench show x # exit 2\nno …\n…\n$ make demo\nskipped\n```\n"
    text += "```console no-run\n$ exam2bench y\n```\n"
    (only,) = examples(text)
    assert (only.command, only.expected) == ("exam2bench show x # exit 2", ["no …", "…"])
    assert pattern(["a …", "…", "z"]).fullmatch("a b\nc\nd\nz\n")
    assert not pattern(["a", "z"]).fullmatch("a\nb\nz\n")


def test_the_readme_names_only_commands_that_there_are():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    cells = re.findall(r"^\| (`exam2bench [^|]+) \|", text, re.MULTILINE)
    named = re.findall(r"`(?:exam2bench )?([\w-]+)`", " ".join(cells))
    assert len(named) > 10
    assert [command for command in named if command not in COMMANDS] == []


def test_links_between_pages_lead_somewhere():
    broken = []
    for page in PAGES:
        prose = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", prose):
            if "://" not in target and not (page.parent / target).exists():
                broken.append(f"{page.name}: {target}")
    assert broken == []


def test_every_file_that_the_architecture_names_exists():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:schemas|models|ingest|solve|grade|corpora|review|tests)/[\w/]+\.py)`", text)
    assert len(named) > 15
    assert [name for name in named if not (ROOT / name).is_file()] == []
