"""To EvalScope: its four general formats, by whether a question is single choice and whether it shows a picture.

EvalScope grades single choice by the letter and everything else by BLEU, ROUGE or its own judge: the points of this
package are not its points there. Formats: EvalScope's documentation, "Custom dataset", text and multimodal.
"""

from __future__ import annotations

import base64
import json
import string
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...models.paper_parts import image_type
from ...schemas.bundle import Bundle
from ...schemas.findings import Finding, info, warning
from .folder import identifier, title_line, write_lines
from .rows import Row, question_rows

LETTERS = string.ascii_uppercase[:10]
"""EvalScope's choice formats end at J."""

_README = """# {title}, for EvalScope

Each folder is one of EvalScope's general formats. For instance:

```sh
{commands}
```
"""


def export(bundle: Bundle, folder: Path) -> list[Finding]:
    """`general_mcq/`, `general_vmcq/`, `general_qa/`, `general_vqa/`, as far as the exam has such questions."""
    name = identifier(bundle)
    found: list[Finding] = []
    kinds: dict[str, list[dict[str, Any]]] = {}
    pictures = _Pictures(bundle)
    for row in question_rows(bundle):
        kind, record = _record(row, pictures, found)
        kinds.setdefault(kind, []).append(record)
    for kind, records in kinds.items():
        (folder / kind).mkdir()
        file = f"{name}_val.jsonl" if kind == "general_mcq" else f"{name}.jsonl"
        write_lines(folder / kind / file, records)
    commands = "\n".join(_command(kind, name) for kind in kinds)
    (folder / "README.md").write_text(_README.format(title=title_line(bundle), commands=commands), encoding="utf-8")
    open_questions = sum(len(records) for kind, records in kinds.items() if kind in ("general_qa", "general_vqa"))
    if open_questions:
        told = f"{open_questions} questions are no single choice: EvalScope grades them by BLEU, ROUGE or its own judge"
        found.append(info("export.metric", told))
    return found


def _command(kind: str, name: str) -> str:
    arguments = json.dumps({kind: {"local_path": kind, "subset_list": [name]}})
    return f"evalscope eval --model MODEL --api-url URL --datasets {kind} --dataset-args '{arguments}'"


def _record(row: Row, pictures: _Pictures, found: list[Finding]) -> tuple[str, dict[str, Any]]:
    choice = row.type == "single_choice" and row.rule == "choice" and 2 <= len(row.options) <= len(LETTERS)
    if choice and row.answer and set(row.answer) <= set(row.options):
        if len(row.answer) > 1:
            found.append(warning("export.key", f"only the first of {len(row.answer)} accepted options is kept", row.id))
        letters = dict(zip(row.options, LETTERS, strict=False))
        return _choice(row, letters, pictures)
    return _open(row, pictures)


def _choice(row: Row, letters: Mapping[str, str], pictures: _Pictures) -> tuple[str, dict[str, Any]]:
    question = "\n\n".join(text for text in (row.stimulus, row.prompt) if text)
    answer = letters[row.answer[0]]
    if not row.images:
        texts = {letters[option]: text for option, text in row.options.items()}
        return "general_mcq", {"id": row.id, "question": question, **texts, "answer": answer}
    record: dict[str, Any] = {"id": row.id, "question": pictures.placeholders(question, row)}
    record["options"] = [pictures.placeholders(text, row) for text in row.options.values()]
    record |= {f"image_{n}": pictures.url(name) for n, name in enumerate(row.images, 1)}
    return "general_vmcq", {**record, "answer": answer}


def _open(row: Row, pictures: _Pictures) -> tuple[str, dict[str, Any]]:
    query = "\n\n".join(text for text in (row.stimulus, row.prompt, _lists(row)) if text)
    answer = _response(row.answer)
    if not row.images:
        return "general_qa", {"id": row.id, "query": query, "response": answer}
    content: list[dict[str, Any]] = [{"type": "text", "text": pictures.placeholders(query, row)}]
    content += [{"type": "image_url", "image_url": {"url": pictures.url(name)}} for name in row.images]
    return "general_vqa", {"id": row.id, "messages": [{"role": "user", "content": content}], "answer": answer}


def _lists(row: Row) -> str:
    """Options, left and right items, blanks: what the question asks to choose from or to fill."""
    lines = [f"{name}. {text}" for items in (row.options, row.left, row.right) for name, text in items.items()]
    if row.blanks:
        lines.append("Blanks: " + ", ".join(row.blanks))
    return "\n".join(lines)


def _response(answer: Any) -> str:
    if isinstance(answer, str):
        return answer
    if isinstance(answer, list) and all(isinstance(item, str) for item in answer):
        return ", ".join(answer)
    return "" if answer is None else json.dumps(answer, ensure_ascii=False)


class _Pictures:
    """Pictures as data URLs, each encoded once."""

    def __init__(self, bundle: Bundle) -> None:
        self.bundle = bundle
        self._urls: dict[str, str] = {}

    def url(self, name: str) -> str:
        if name not in self._urls:
            data = self.bundle.read_asset(name)
            self._urls[name] = f"data:{image_type(data, name)};base64,{base64.b64encode(data).decode()}"
        return self._urls[name]

    def placeholders(self, text: str, row: Row) -> str:
        """The text with `<image n>` where the row's n-th picture stands."""
        for n, name in enumerate(row.images, 1):
            start = 0
            while (end := text.find(f"]({name})", start)) >= 0:
                opened = text.rfind("![", 0, end)
                text = f"{text[:opened]}<image {n}>{text[end + len(name) + 3 :]}"
                start = opened
        return text
