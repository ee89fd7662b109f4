"""Declared verifiers (IFBench, IFEval): whether a reply follows its instructions, strictly and loosely.

Strict: the reply as it is. Loose (Zhou et al. 2023): also without its first line, its last, both, and each of these
without asterisks; an instruction is followed where one of the eight texts follows it. A reply that is empty follows
none. An instruction without a verifier here is refused by name: it is never counted as followed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...schemas.errors import BundleError, UsageError
from ...schemas.printable import printable
from . import instructions_ifbench as _ifbench
from . import instructions_trained as trained
from .instructions_ifeval import VERIFIERS

Record = Mapping[str, Any]
Row = Mapping[str, Any]
assert _ifbench.__doc__, "the module is imported for the verifiers that it registers"


def follows(name: str, settings: Mapping[str, Any], text: str) -> bool:
    """Whether a text follows one instruction.

    Raises UsageError for an instruction that cannot be verified here, BundleError for settings that do not fit it.
    """
    if name not in VERIFIERS:
        raise UsageError(
            f"the instruction {printable(name)} has no verifier here; --unverified wrong counts it as not followed"
        )
    given = {key: value for key, value in settings.items() if value is not None}
    try:
        return bool(text.strip()) and VERIFIERS[name](text, **given)
    except trained.Unverified as missing:
        raise UsageError(
            f"the instruction {name} is verified with {missing.needs}, which is not here: "
            "pip install 'exam2bench[ifbench]'; --unverified wrong counts it as not followed"
        ) from missing
    except (TypeError, ValueError, AttributeError) as error:
        raise BundleError(f"the instruction {name} has settings that do not fit it: {printable(error, 120)}") from error


def loosely(text: str) -> list[str]:
    """The eight texts of the loose reading."""
    lines = text.split("\n")
    cut = [text, *("\n".join(part).strip() for part in (lines[1:], lines[:-1], lines[1:-1]))]
    return [*cut, *(one.replace("*", "") for one in cut)]


def instructions_of(record: Record) -> list[tuple[str, Mapping[str, Any]]]:
    """A record's instructions with their settings. Raises BundleError where the two lists do not match."""
    names, settings = record.get("instruction_id_list"), record.get("kwargs")
    if not isinstance(names, list) or not names:
        raise BundleError(f"the record {printable(record.get('id'))} has no instruction_id_list")
    settings = [{}] * len(names) if settings is None else settings
    if not isinstance(settings, list) or len(settings) != len(names):
        raise BundleError(f"the record {printable(record.get('id'))} has not one kwargs for each instruction")
    if any(not isinstance(one, Mapping) for one in settings):
        raise BundleError(f"the record {printable(record.get('id'))} has kwargs that are no objects")
    return [(str(name), one) for name, one in zip(names, settings, strict=True)]


def followed(read: Any, record: Record, *, unverified: str = "refuse") -> dict[str, float]:
    """Whether all instructions are followed (hit: strictly, loose) and how many of them.

    Columns named `strict NAME` and `loose NAME` count the instruction NAME. With `unverified` "wrong" an instruction
    that cannot be verified here counts as not followed, and in the column `unverified`.
    """
    wanted = instructions_of(record)
    text = "" if read is None else str(read)
    others = [one for one in dict.fromkeys(loosely(text)) if one != text]
    hits: dict[str, list[bool]] = {"strict": [], "loose": []}
    # a reply without text follows nothing; verifiers that are not here are found out all the same
    marks: dict[str, float] = {"unverified": 0.0}
    for name, settings in wanted:
        strict = loose = False
        try:
            strict = follows(name, settings, text)
            loose = strict or any(follows(name, settings, one) for one in others)
        except UsageError:
            if unverified == "refuse":
                raise
            marks["unverified"] += 1
        for kind, hit in (("strict", strict), ("loose", loose)):
            hits[kind].append(hit)
            marks[f"{kind} {name}"] = marks.get(f"{kind} {name}", 0.0) + hit
    for kind, column in (("strict", "hit"), ("loose", "loose")):
        marks[column] = float(all(hits[kind]))
        marks[f"{kind} instructions"] = float(sum(hits[kind]))
    return marks


def ifbench_table(rows: Sequence[Row]) -> dict[str, Any]:
    """Accuracy of prompts and of instructions, strict and loose, and the loose one of each group and instruction."""
    total = sum(len(instructions_of(row)) for row in rows)
    table: dict[str, Any] = {}
    for kind, column in (("strict", "hit"), ("loose", "loose")):
        table[f"prompt_{kind}"] = sum(row[column] for row in rows) / len(rows)
        table[f"instruction_{kind}"] = sum(row[f"{kind} instructions"] for row in rows) / total
    table["unverified"] = int(sum(row["unverified"] for row in rows))
    counts: dict[str, list[float]] = {}
    for row in rows:
        names = [name for name, _ in instructions_of(row)]
        for name in dict.fromkeys(names):
            for key in (name.split(":")[0], name):
                entry = counts.setdefault(key, [0.0, 0.0])
                entry[0] += row[f"loose {name}"]
                entry[1] += names.count(name)
    shares = {key: right / asked for key, (right, asked) in sorted(counts.items())}
    return {
        **table,
        "group": {key: share for key, share in shares.items() if ":" not in key},
        "instruction": {key: share for key, share in shares.items() if ":" in key},
    }
