"""The dataset card: YAML for the viewer, a head that says what this is, a section for each bundle. What people write
between and around the generated blocks stays."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...schemas.errors import BundleError
from ...schemas.printable import printable
from .card_words import escaped, facts, head
from .front_matter import parse, replaced, split_card
from .names import SPLIT
from .staging import Staged
from .subject import Subject

HEAD = "head"
TAGS = ["exam2bench", "benchmark", "evaluation", "exam"]
_SIZES = (1_000, 10_000, 100_000, 1_000_000)
_PASSPHRASE = re.compile(r"^\| passphrase \| `([\x21-\x5f\x61-\x7e]{1,200})` \|$", re.MULTILINE)


@dataclass(frozen=True)
class Entry:
    """What the card says of one bundle: its section, and its entries in the YAML."""

    name: str
    section: str
    config: dict[str, Any]
    info: dict[str, Any]
    language: str
    title: str


def entry(one: Subject, staged: Staged, passphrase: str | None, licence: str | None) -> Entry:
    """The card's words on a bundle that was built."""
    name = one.name
    config = {"config_name": name, "data_files": [{"split": SPLIT, "path": f"{name}/{SPLIT}-*.parquet"}]}
    split = {"name": SPLIT, "num_bytes": staged.size, "num_examples": staged.rows}
    info = {
        "config_name": name,
        "splits": [split],
        "download_size": staged.size,
        "dataset_size": staged.size,
    }
    lines = [f"## {name}: {escaped(one.bundle.exam.title)}", "", "| | |", "|---|---|"]
    lines += [f"| {key} | {value} |" for key, value in facts(one, passphrase, licence).items() if value]
    title = printable(one.bundle.exam.title, 120)
    return Entry(name, "\n".join(lines), config, info, one.bundle.exam.language, title)


def composed(text: str | None, repo: str, entries: Sequence[Entry], removed: Sequence[str], licence: str | None) -> str:
    """The card with these bundles' sections new or replaced and those of `removed` gone.

    `text`: the card that is there, None where there is none. Raises BundleError where it cannot be read.
    """
    card = split_card(text or "")
    data = parse(card.yaml)
    yaml_text = replaced(card.yaml, _yaml_changes(data, entries, removed, licence))
    body = card.body
    for name in removed:
        body = _without_block(body, name)
    data = parse(yaml_text)
    names = listed_names(data)
    count, sealed = _examples(items_of(data, "dataset_info")), _any_sealed(body, entries)
    words = head(repo, str(data.get("pretty_name") or "Exams as benchmarks"), names, count, sealed=sealed)
    body = _with_block(body, HEAD, words, first=True)
    for one in entries:
        body = _with_block(body, one.name, one.section)
    return f"---\n{yaml_text}---\n{body}"


def bundle_names(text: str | None) -> list[str]:
    """The names that the card's `configs` list, in order. Raises BundleError like `composed`."""
    return listed_names(parse(split_card(text or "").yaml))


def listed_names(data: Mapping[str, Any]) -> list[str]:
    """The same from the card's parsed YAML."""
    return [str(config.get("config_name")) for config in items_of(data, "configs")]


def passphrase_of(text: str, name: str) -> str | None:
    """The passphrase that the card gives for a bundle with a sealed key; None where it gives none."""
    block = _block(name).search(text.replace("\r\n", "\n"))
    found = _PASSPHRASE.search(block.group()) if block else None
    return found.group(1) if found else None


def _yaml_changes(
    data: dict[str, Any], entries: Sequence[Entry], removed: Sequence[str], licence: str | None
) -> dict[str, Any]:
    configs = _merged(items_of(data, "configs"), {one.name: one.config for one in entries}, removed)
    infos = _merged(items_of(data, "dataset_info"), {one.name: one.info for one in entries}, removed)
    changes: dict[str, Any] = {"configs": configs or None, "dataset_info": infos or None}
    if entries and not data.get("pretty_name"):
        changes["pretty_name"] = entries[0].title if len(entries) == 1 else "Exams as benchmarks"
    if licence:
        changes["license"] = licence
    tags = [one.language.split("-")[0] for one in entries if re.fullmatch(r"[a-z]{2,3}(-[A-Za-z0-9-]+)?", one.language)]
    changes["language"] = _extended(data.get("language"), [tag for tag in tags if tag != "und"]) or None
    changes["tags"] = _extended(data.get("tags"), TAGS)
    changes["task_categories"] = _extended(data.get("task_categories"), ["question-answering"])
    changes["size_categories"] = [_size(_examples(infos))]
    return changes


def items_of(data: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """`configs` or `dataset_info` as a list of mappings; a single one may stand without its list. Raises BundleError
    where it is something else: it would be lost."""
    value = data.get(key)
    items = [] if value is None else [value] if isinstance(value, dict) else value
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise BundleError(f"`{key}` in the dataset card's YAML is not a list of entries; repair it on the Hub")
    return items


def _merged(
    items: list[dict[str, Any]], fresh: Mapping[str, dict[str, Any]], removed: Sequence[str]
) -> list[dict[str, Any]]:
    """The list with the fresh entries in their places, new ones at the end; what others put into an entry stays."""
    out = [
        {**item, **fresh[item["config_name"]]} if item.get("config_name") in fresh else item
        for item in items
        if item.get("config_name") not in removed
    ]
    known = {item.get("config_name") for item in items}
    return out + [item for name, item in fresh.items() if name not in known]


def _extended(value: Any, more: Sequence[str]) -> Any:
    """A list key with `more` added where it lacks them; what is there keeps its place and form."""
    items = value if isinstance(value, list) else [value] if value else []
    new = [item for item in dict.fromkeys(more) if item not in items]
    return [*items, *new] if new or not isinstance(value, str) else value


def _examples(infos: Sequence[Mapping[str, Any]]) -> int:
    counts = [
        split.get("num_examples") for info in infos for split in info.get("splits") or [] if isinstance(split, dict)
    ]
    return sum(count for count in counts if isinstance(count, int))


def _size(count: int) -> str:
    names = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M")
    return names[sum(count >= limit for limit in _SIZES)]


def _block(name: str) -> re.Pattern[str]:
    mark = re.escape(name)
    return re.compile(rf"<!-- exam2bench:{mark}:start -->\n.*?<!-- exam2bench:{mark}:end -->\n?", re.DOTALL)


def _with_block(body: str, name: str, content: str, *, first: bool = False) -> str:
    block = f"<!-- exam2bench:{name}:start -->\n{content}\n<!-- exam2bench:{name}:end -->\n"
    found = _block(name).search(body)
    if found:
        return body[: found.start()] + block + body[found.end() :]
    if first:
        return f"\n{block}{body}" if body.startswith("\n") or not body else f"\n{block}\n{body}"
    return f"{body.rstrip()}\n\n{block}"


def _without_block(body: str, name: str) -> str:
    found = _block(name).search(body)
    return body if not found else body[: found.start()].rstrip("\n") + "\n" + body[found.end() :]


def _any_sealed(body: str, entries: Sequence[Entry]) -> bool:
    """Whether any bundle of the card has a sealed key, once the entries are in."""
    fresh = {one.name for one in entries}
    if any("| passphrase |" in one.section for one in entries):
        return True
    kept = (found for found in re.finditer(r"<!-- exam2bench:([\w.-]+):start -->", body) if found[1] not in fresh)
    return any(passphrase_of(body, found[1]) for found in kept)
