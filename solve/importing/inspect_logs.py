"""Logs of inspect_ai: `.eval` through its own public log API (extra `inspect`), `.json` logs as they stand.

A sample's id is the question's, its epoch a sitting of its own, its completion what the taker wrote.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pydantic_core

from ...schemas.answers import OutcomeStatus
from ...schemas.errors import BundleError, UsageError
from ...schemas.printable import printable
from .rows import ForeignAnswer, NoValue, as_id, checked_file

MAX_UNPACKED = 8 << 30
"""Bytes that the samples of one `.eval` file may unpack to, by its own directory."""
_STOPS: dict[str, OutcomeStatus] = {
    "max_tokens": "truncated",
    "model_length": "truncated",
    "content_filter": "refused",
}


def log_answers(path: Path) -> Iterator[ForeignAnswer]:
    """The answers of one log. Raises UsageError where inspect_ai is needed and not there, BundleError for no log."""
    if checked_file(path).suffix.lower() == ".json":
        data = json_log(path)
        if not is_log(data):
            raise BundleError(f"{printable(path)} is no log of inspect_ai", "import.shape")
        yield from _answers(data, data.get("samples") or [])
        return
    _check_archive(path)
    yield from _by_its_own_api(path)


def json_log(path: Path) -> Any:
    """The JSON of a log, in which, unlike elsewhere, NaN stands for what was not scored. Raises BundleError."""
    try:
        return pydantic_core.from_json(checked_file(path).read_bytes(), allow_inf_nan=True)
    except ValueError as fault:
        raise BundleError(f"{printable(path)} is not valid JSON: {printable(fault)}", "json.invalid") from fault


def is_log(data: Any) -> bool:
    return isinstance(data, dict) and isinstance(data.get("eval"), dict) and "samples" in data


def bundle_digest(path: Path) -> str | None:
    """The digest that an exported task put into the log's metadata."""
    header = json_log(path) if path.suffix.lower() == ".json" else _header(path)
    metadata = header["eval"].get("metadata") if isinstance(header.get("eval"), dict) else None
    found = metadata.get("bundle_digest") if isinstance(metadata, dict) else None
    return found if isinstance(found, str) else None


def _check_archive(path: Path) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
    except (zipfile.BadZipFile, OSError) as fault:
        raise BundleError(f"{printable(path)} is no .eval log: {printable(fault)}", "import.shape") from fault
    if unpacked > MAX_UNPACKED:
        raise BundleError(f"{printable(path)} unpacks to {unpacked:,} bytes; at most {MAX_UNPACKED:,} are read")


def _log_api() -> Any:
    try:
        from inspect_ai import log
    except ImportError as fault:
        told = "`pip install exam2bench[inspect]`, or hand over what `inspect log dump LOG.eval > LOG.json` writes"
        raise UsageError(f"an .eval log is read by inspect_ai, which is not installed: {told}") from fault
    return log


def _header(path: Path) -> dict[str, Any]:
    return _log_api().read_eval_log(str(path), header_only=True).model_dump(mode="json")


def _by_its_own_api(path: Path) -> Iterator[ForeignAnswer]:
    api = _log_api()
    try:
        header = _header(path)
        samples = api.read_eval_log_samples(str(path), all_samples_required=False, resolve_attachments=True)
        yield from _answers(header, (sample.model_dump(mode="json") for sample in samples))
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile) as fault:
        raise BundleError(f"{printable(path)} cannot be read by inspect_ai: {printable(fault)}") from fault


def _answers(header: Mapping[str, Any], samples: Any) -> Iterator[ForeignAnswer]:
    model = header["eval"].get("model")
    config = header["eval"].get("config")
    epochs = config.get("epochs") if isinstance(config, dict) else None
    several = isinstance(epochs, int) and epochs > 1
    for number, sample in enumerate(samples, start=1):
        if isinstance(sample, dict):
            epoch = str(sample.get("epoch")) if several else None
            yield _answer(sample, f"sample {number}", model if isinstance(model, str) else None, epoch)


def _answer(sample: Mapping[str, Any], place: str, model: str | None, epoch: str | None) -> ForeignAnswer:
    output = sample.get("output") if isinstance(sample.get("output"), dict) else {}
    text, stop = _completion(output or {})
    status: OutcomeStatus = "answered" if text else "unparseable"
    detail = None if text else "the reply is empty"
    if sample.get("error"):
        error = sample["error"]
        status, detail = "error", printable(error.get("message") if isinstance(error, dict) else error)
    elif stop in _STOPS:
        status, detail = _STOPS[stop], f"stopped by {stop}"
    question = as_id(sample.get("id"))
    return ForeignAnswer(question, place, NoValue, text or None, status, detail, taker=model, epoch=epoch)


def _completion(output: Mapping[str, Any]) -> tuple[str, str | None]:
    """The text of the first choice, and why it ended."""
    choices = output.get("choices")
    first = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    stop = first.get("stop_reason")
    text = output.get("completion")
    if not isinstance(text, str):
        message = first.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
        texts = [part.get("text") for part in parts if isinstance(part, dict) and part.get("type") == "text"]
        text = "\n".join(one for one in texts if isinstance(one, str))
    return text.strip(), stop if isinstance(stop, str) else None
