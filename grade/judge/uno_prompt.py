"""UNO-Scorer's own prompt, read out of the example program that lies beside its weights. The program is never run.

`test_scorer_hf.py` of the checkpoint's repository holds the prompt as one string with `{{question}}`, `{{reference}}`
and `{{response}}` in it. Only that text brings the scorer to its strength; none of it is kept in this project.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

from ...schemas.errors import UsageError
from ...schemas.printable import printable

FILE = "test_scorer_hf.py"
MAX_BYTES = 256 * 1024
_SLOT = re.compile(r"\{\{(question|reference|response)\}\}")


@dataclass(frozen=True, slots=True)
class PublishedPrompt:
    """The text before the question, between question and reference, between reference and answer, and after it."""

    system: str
    before_question: str
    before_reference: str
    before_answer: str
    after_answer: str


def read_prompt(path: Path) -> PublishedPrompt:
    """The prompt in the file, or in the FILE of a folder. Raises UsageError where there is none."""
    path = path / FILE if path.is_dir() else path
    try:
        if path.stat().st_size > MAX_BYTES:
            raise UsageError(f"{printable(path)} is larger than {MAX_BYTES:,} bytes: no example of a scorer")
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError) as fault:
        raise UsageError(f"{printable(path)} cannot be read as a Python file: {printable(fault, 200)}") from fault
    for text in _strings(tree):
        pieces = _SLOT.split(text)
        if pieces[1::2] == ["question", "reference", "response"]:
            return PublishedPrompt(_system(tree), pieces[0], pieces[2], pieces[4], pieces[6])
    raise UsageError(f"{printable(path)} holds no text with {{{{question}}}}, {{{{reference}}}} and {{{{response}}}}")


def beside_weights(name: str) -> Path | None:
    """The file beside the weights that `uno:NAME` names: in that folder, or in the hub's cache on this machine."""
    folder = Path(name).expanduser()
    if (folder / FILE).is_file():
        return folder / FILE
    if name.count("/") != 1:
        return None
    try:
        from huggingface_hub import try_to_load_from_cache
        from huggingface_hub.errors import HFValidationError
    except ImportError:
        return None
    try:
        found = try_to_load_from_cache(name, FILE)
    except HFValidationError:
        return None
    return Path(found) if isinstance(found, str) else None


def _strings(tree: ast.AST) -> list[str]:
    found = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return sorted(found, key=len, reverse=True)


def _system(tree: ast.AST) -> str:
    """The content of the system message that the program builds, where it is written out."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            entry = {
                key.value: value.value
                for key, value in zip(node.keys, node.values, strict=True)
                if isinstance(key, ast.Constant) and isinstance(value, ast.Constant)
            }
            content = entry.get("content")
            if entry.get("role") == "system" and isinstance(content, str):
                return content
    return ""
