"""The YAML at the head of a dataset card. Keys that people wrote stay as they wrote them, byte for byte; of `configs`
and `dataset_info` only the entries that are meant are touched.

A card is written by anybody: it is bounded, and YAML's tricks (anchors, aliases, tags, merge keys, a key twice) are
refused instead of interpreted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...schemas.errors import BundleError
from ...schemas.printable import printable

MAX_CARD_BYTES = 4 * 1024 * 1024
MAX_YAML_BYTES = 1024 * 1024
MAX_DEPTH = 20
MAX_NODES = 100_000
_FENCE = re.compile(r"\A(?:\ufeff)?---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_KEY = re.compile(r"""^(?:"([^"\n]+)"|'([^'\n]+)'|([A-Za-z0-9_][^:#\n]*?))[ \t]*:(?=\s|$)""")


@dataclass(frozen=True)
class Card:
    """A card in two parts: the YAML's text (without its fences) and everything after it."""

    yaml: str
    body: str

    def text(self) -> str:
        return f"---\n{self.yaml}---\n{self.body}" if self.yaml else self.body


def split_card(text: str) -> Card:
    """Raises BundleError where the card is too large to be one."""
    if len(text) > MAX_CARD_BYTES:
        raise BundleError(f"the dataset card has {len(text):,} characters; at most {MAX_CARD_BYTES:,} are read")
    text = text.replace("\r\n", "\n")
    found = _FENCE.match(text)
    return Card(found.group(1), text[found.end() :]) if found else Card("", text)


def parse(yaml_text: str) -> dict[str, Any]:
    """The card's YAML as a mapping. Raises BundleError for what no card needs: see the module."""
    import yaml

    if len(yaml_text) > MAX_YAML_BYTES:
        raise BundleError(f"the dataset card's YAML has {len(yaml_text):,} characters; that is no card")
    try:
        _check_events(yaml_text)
        data = yaml.load(yaml_text, Loader=yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader)
    except (yaml.YAMLError, ValueError, RecursionError) as fault:
        reason = printable(" ".join(str(fault).split()), 200)
        raise BundleError(f"the dataset card's YAML cannot be read: {reason}; repair it on the Hub") from fault
    if data is None:
        return {}
    if not isinstance(data, dict) or not all(isinstance(key, str) for key in data):
        raise BundleError("the dataset card's YAML is not a mapping of names; repair it on the Hub")
    return data


def _check_events(text: str) -> None:
    """Raise ValueError for anchors, aliases, tags, merge keys, doubled keys and nesting without end."""
    import yaml

    keys: list[set[str] | None] = []
    expecting: list[bool] = []
    loader = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
    for nodes, event in enumerate(yaml.parse(text, Loader=loader)):
        if nodes >= MAX_NODES:
            raise ValueError("too many entries")
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise ValueError("anchors and aliases have no place in a card")
        tag = getattr(event, "tag", None)
        if tag and not tag.startswith("tag:yaml.org,2002:"):
            raise ValueError(f"the tag {tag} has no place in a card")
        if isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            keys.pop()
            expecting.pop()
        is_node = isinstance(event, (yaml.ScalarEvent, yaml.MappingStartEvent, yaml.SequenceStartEvent))
        if is_node and keys and keys[-1] is not None:
            seen = keys[-1]
            if expecting[-1]:
                if not isinstance(event, yaml.ScalarEvent):
                    raise ValueError("a key that is no text")
                if event.value in seen or event.value == "<<":
                    raise ValueError(f"the key {event.value!r} stands twice, or merges")
                seen.add(event.value)
            expecting[-1] = not expecting[-1]
        if isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            keys.append(set() if isinstance(event, yaml.MappingStartEvent) else None)
            expecting.append(True)
            if len(keys) > MAX_DEPTH:
                raise ValueError(f"nested deeper than {MAX_DEPTH}")


def replaced(yaml_text: str, changes: Mapping[str, Any]) -> str:
    """The YAML with these top-level keys set (None: removed), all other text as it was.

    Raises BundleError where the result would not say exactly that, as with a card in one `{…}`.
    """
    before = parse(yaml_text)
    blocks = _blocks(yaml_text)
    wanted = {key: value for key, value in changes.items() if before.get(key) != value}
    out: list[str] = []
    for key, text in blocks:
        if key is None or key not in wanted:
            out.append(text)
        elif wanted[key] is not None:
            out.append(_dump(key, wanted[key]))
    present = {key for key, _ in blocks}
    out += [_dump(key, value) for key, value in wanted.items() if key not in present and value is not None]
    result = "".join(out)
    after = {key: value for key, value in {**before, **changes}.items() if value is not None}
    try:
        kept = {key: value for key, value in parse(result).items() if value is not None}
    except BundleError:
        kept = None
    if kept != after:
        raise BundleError("the dataset card's YAML cannot be changed key by key: repair it on the Hub")
    return result


def _blocks(text: str) -> list[tuple[str | None, str]]:
    """The YAML cut before each top-level key: its name (None for what stands before the first), and its lines."""
    blocks: list[tuple[str | None, str]] = []
    for line in text.splitlines(keepends=True):
        found = _KEY.match(line)
        if found:
            blocks.append((next(name for name in found.groups() if name is not None), line))
        elif blocks:
            blocks[-1] = (blocks[-1][0], blocks[-1][1] + line)
        else:
            blocks.append((None, line))
    if blocks and not blocks[-1][1].endswith("\n"):
        blocks[-1] = (blocks[-1][0], blocks[-1][1] + "\n")
    return blocks


def _dump(key: str, value: Any) -> str:
    import yaml

    dumper = yaml.CSafeDumper if yaml.__with_libyaml__ else yaml.SafeDumper
    return yaml.dump({key: value}, Dumper=dumper, allow_unicode=True, sort_keys=False, width=120)
