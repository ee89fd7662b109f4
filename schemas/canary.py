"""The canary: one sentence with a GUID that stands in every published file and row, so that whoever finds it in a
training set knows what leaked. It is no part of the digest: it can be added to a bundle that was scored before."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterable

from .errors import BundleError
from .json_files import parse_json

WORDS = "BENCHMARK DATA, NOT FOR TRAINING. exam2bench canary GUID "
COMMENT = "$comment"
"""Where a JSON Schema keeps the canary; the other files have a field `canary` that readers ignore."""
_GUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_FOUND = re.compile(f"exam2bench canary GUID ({_GUID})".encode())
_NAMESPACE = uuid.UUID("6f1d0c52-8f0e-5d0b-9a51-3f3f6b1b7e10")
LONGEST = len(f"exam2bench canary GUID {_NAMESPACE}")
"""Bytes that must be looked at together to see a canary."""


def canary_of(exam_id: str, sources: Iterable[str]) -> str:
    """The canary of an exam, from its id and its sources' sha256 values: a new revision of the key keeps it."""
    return WORDS + str(uuid.uuid5(_NAMESPACE, "\n".join([exam_id, *sorted(sources)])))


def is_canary(text: str) -> bool:
    return re.fullmatch(re.escape(WORDS) + _GUID, text) is not None


def find_canaries(data: bytes) -> list[str]:
    """The GUIDs of all canaries in `data`, each once, in order."""
    return list(dict.fromkeys(found.decode() for found in _FOUND.findall(data)))


def stamped(text: str, canary: str, name: str) -> str:
    """The text of a contract file with the canary as its last field. Raises BundleError where it is no JSON object."""
    record = parse_json(text, name)
    if not isinstance(record, dict):
        raise BundleError(f"{name} is not a JSON object", "schema.invalid")
    field = COMMENT if name == "answer_schema.json" else "canary"
    if record.get(field) == canary:
        return text
    record[field] = canary
    return json.dumps(record, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
