"""How the extraction of `grade/extraction/` stands beside reference implementations, on recorded cases of theirs:
`python -m benchmarks.extraction VECTORS [--list]`.

VECTORS is a folder of `mcq.jsonl`, `yorn.jsonl` and `interop.jsonl`: lines of {scorer, input, expected}, obtained by
running the references. Every choice, yes/no and number case is read anew here. *same*: both read the same answer, or
both none; *here*, *there*: only one of them reads one; *differ*: two different answers. `--list` prints each reply that
is not the same, once.
"""

from __future__ import annotations

import argparse
import json
import string
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from exam2bench.grade.extraction import extract_choice, extract_choices, extract_number, extract_yes_no
from exam2bench.grade.numbers import read_number

Case = Mapping[str, Any]
ANIMALS = {"A": "teddy bear", "B": "rabbit", "C": "cat", "D": "dog"}
"""Where a recorded case has no options of its own, its reference knows the letters A to D or E only."""


def lettered(count: int) -> dict[str, str]:
    return dict.fromkeys(string.ascii_uppercase[:count], "")


def one_of(options: Mapping[str, str], reply: str) -> str | None:
    return extract_choice(reply, options).value


def can_infer(case: Case) -> tuple[str, Any, Any]:
    given = case["input"]
    theirs = None if case["expected"] in (False, "Z") else case["expected"]
    options = {key: str(text) for key, text in given["choices"].items()}
    return given["answer"], theirs, one_of(options, given["answer"])


def characters(case: Case) -> tuple[str, Any, Any]:
    """`extract_characters_regex` and its like: any capital that is a letter of A to E."""
    reply = case["input"].get("s", case["input"].get("text"))
    return reply, case["expected"] or None, one_of(lettered(5), reply)


def letter(case: Case) -> tuple[str, Any, Any]:
    given = case["input"]
    theirs = case["expected"]["answer"] if case["expected"]["value"] != "N" else None
    return given["completion"], theirs or None, one_of(lettered(26), given["completion"])


def declared(case: Case) -> tuple[str, Any, Any]:
    """`parse_answers` of inspect and EvalScope: a set of letters."""
    given, theirs = case["input"], tuple(sorted(case["expected"]["__set__"]))
    options = lettered(given["n_choices"])
    if given["multiple_correct"]:
        return given["completion"], theirs or None, extract_choices(given["completion"], options).value
    found = one_of(options, given["completion"])
    return given["completion"], theirs or None, None if found is None else (found,)


def truth(case: Case) -> tuple[str, Any, Any]:
    theirs = {"Yes": True, "No": False}.get(case["expected"])
    return case["input"]["output"], theirs, extract_yes_no(case["input"]["output"]).value


def number(case: Case) -> tuple[str, Any, Any]:
    """inspect's `match(numeric=True)`: what it read out of the completion."""
    reply = case["input"]["completion"]
    said = case["expected"].get("answer") if isinstance(case["expected"], dict) else None
    theirs = read_number(str(said)) if said else None
    found = extract_number(reply).value
    return reply, None if theirs is None else Fraction(theirs.value), found


SCORERS: dict[str, tuple[str, Callable[[Case], tuple[str, Any, Any]]]] = {
    "vlmevalkit.can_infer": ("mcq", can_infer),
    "vlmevalkit.can_infer@590f052a": ("mcq", can_infer),
    "vlmevalkit.can_infer@aca64dbb": ("mcq", can_infer),
    "vlmevalkit.can_infer_option": ("mcq", can_infer),
    "vlmevalkit.can_infer_text": ("mcq", can_infer),
    "vlmevalkit.extract_characters_regex": ("mcq", characters),
    "vlmevalkit.videomme.extract_characters_regex": ("mcq", characters),
    "vlmevalkit.v2pbench.extract_characters_regex": ("mcq", characters),
    "catalogue.extract_choice": ("mcq", characters),
    "inspect.answer": ("interop", letter),
    "inspect.parse_answers": ("interop", declared),
    "evalscope.parse_answers": ("interop", declared),
    "evalscope.parse_answers_zh": ("interop", declared),
    "vlmevalkit.YOrN_Extraction": ("yorn", truth),
    "inspect.match": ("interop", number),
}


_REPLIES = frozenset({"answer", "s", "text", "completion", "output"})


def cases(folder: Path, scorer: str) -> Iterator[Case]:
    with (folder / f"{SCORERS[scorer][0]}.jsonl").open(encoding="utf-8") as stream:
        for case in map(json.loads, stream):
            if case["scorer"] == scorer and _is_read(scorer, case):
                yield case


def _is_read(scorer: str, case: Case) -> bool:
    """Whether a case is about a choice, a truth or a number, and the reference did not fail on it."""
    if isinstance(case["expected"], dict) and "__error__" in case["expected"]:
        return False
    if any(value is not None and not isinstance(value, str) for key, value in case["input"].items() if key in _REPLIES):
        return False
    if scorer == "inspect.answer":
        return case["input"].get("kind") == "letter"
    return scorer != "inspect.match" or bool(case["input"].get("numeric"))


def verdict(theirs: Any, ours: Any) -> str:
    if theirs == ours:
        return "same"
    return "here" if theirs is None else "there" if ours is None else "differ"


def measure(folder: Path) -> tuple[dict[str, Counter[str]], dict[str, dict[str, tuple[str, Any, Any]]]]:
    """Counts by scorer, and by scorer each reply that is not read the same, once: (verdict, theirs, ours)."""
    counts: dict[str, Counter[str]] = {}
    parted: dict[str, dict[str, tuple[str, Any, Any]]] = {}
    for scorer, (_, read) in SCORERS.items():
        counts[scorer], parted[scorer] = Counter(), {}
        for case in cases(folder, scorer):
            reply, theirs, ours = read(case)
            found = verdict(theirs, ours)
            counts[scorer][found] += 1
            if found != "same":
                parted[scorer].setdefault(reply, (found, theirs, ours))
    return counts, parted


def main() -> None:
    parser = argparse.ArgumentParser(description="the extraction beside reference implementations")
    parser.add_argument("vectors", type=Path)
    parser.add_argument("--list", action="store_true", help="print each reply that is read otherwise")
    args = parser.parse_args()
    counts, parted = measure(args.vectors)
    print("| scorer | cases | same | only here | only there | differ |\n|---|---|---|---|---|---|")
    for scorer, count in counts.items():
        cells = [count.total(), *(count[name] for name in ("same", "here", "there", "differ"))]
        print(f"| `{scorer}` | {' | '.join(map(str, cells))} |")
        if args.list:
            for reply, (found, theirs, ours) in sorted(parted[scorer].items(), key=lambda item: item[1][0]):
                print(f"    {found:<7}{theirs!s:<16}{ours!s:<16}{reply[:150]!r}")


if __name__ == "__main__":
    main()
